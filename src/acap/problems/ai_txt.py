"""Problems of ai.txt. A table: an entry a problem."""

from __future__ import annotations

from acap.problems.kind import ProblemKind

AI_TXT = {
    "ai-txt-unread": ProblemKind(
        "error",
        "ai.txt could not be retrieved or read ({0}), so training is prohibited",
        "serve the file, or answer 404",
        "Spawning, ai.txt",
        why="What cannot be read may have refused training.",
    ),
    "ai-txt-foreign": ProblemKind(
        "info",
        "what stands at ai.txt ({0}) has no rules of Spawning's ai.txt, and says nothing",
        "write User-Agent and Disallow lines",
        "Spawning, ai.txt",
        why="Several proposals have this name, and servers answer with a page for what they do not have.",
    ),
    "ai-txt-mixed": ProblemKind(
        "warning",
        "ai.txt has lines of another form; what it refuses is refused, and it permits nothing",
        "leave only User-Agent, Allow and Disallow lines, and comments",
        "Spawning, ai.txt",
        why="Of a text that only seems to have rules it is unknown whether they are meant as such.",
    ),
}
