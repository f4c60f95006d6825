"""Problems of ai.txt. A table: an entry a problem."""

from __future__ import annotations

from acap.problems.kind import Doc, Example, Long, ProblemKind


def _of_file(summary: str, why: str, bad: str | Long, good: str) -> Doc:
    return Doc(summary, why, (Example(bad, good, kind="ai-txt"),), ("ai-txt",))


AI_TXT = {
    "ai-txt-unread": ProblemKind(
        "error",
        "ai.txt could not be retrieved or read ({0}), so training is prohibited",
        "serve the file, or answer 404",
        "Spawning, ai.txt",
        doc=_of_file(
            "ai.txt is longer than what is read",
            "What cannot be read may have refused training.",
            Long("User-Agent: *\n", "Disallow: /a\n", 90_000),
            "User-Agent: *\nDisallow: *.jpg\n",
        ),
    ),
    "ai-txt-foreign": ProblemKind(
        "info",
        "what stands at ai.txt ({0}) has no rules of Spawning's ai.txt, and says nothing",
        "write User-Agent and Disallow lines",
        "Spawning, ai.txt",
        doc=_of_file(
            "what stands at ai.txt has no rules",
            "Several proposals have this name, and servers answer with a page for what they do not have.",
            "# Example\n\n- [Home](https://www.example.com/)\n",
            "User-Agent: *\nDisallow: *.jpg\n",
        ),
    ),
    "ai-txt-mixed": ProblemKind(
        "warning",
        "ai.txt has lines of another form; what it refuses is refused, and it permits nothing",
        "leave only User-Agent, Allow and Disallow lines, and comments",
        "Spawning, ai.txt",
        doc=_of_file(
            "ai.txt has lines of another form",
            "If a text only seems to have rules, it is unknown whether they are meant as such.",
            "- [Home](/)\n\nUser-Agent: *\nDisallow: *.jpg\n",
            "User-Agent: *\nDisallow: *.jpg\n",
        ),
    ),
}
