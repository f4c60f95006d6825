"""A word for robots that nobody has documented."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "page-undocumented-word",
    summary="a word is in use that nobody has documented",
    why=(
        "Some sites write `noml` against machine learning. No vendor says that it reads it; here it is taken for "
        "`noai`, which DeviantArt proposed and some programs that collect images honour. Keep it if you like, and say "
        "what you mean with words that somebody reads: `noai`, and in robots.txt the names of the crawlers that "
        "collect for training, or `Content-Usage: train-ai=n`."
    ),
    examples=(
        Example(
            bad='<meta name="robots" content="noml">\n',
            good='<meta name="robots" content="noai">\n',
            kind="page",
        ),
        Example(
            bad="X-Robots-Tag: noml\n",
            good="X-Robots-Tag: noai\n",
            kind="headers",
        ),
    ),
    kinds=("page", "headers"),
)
