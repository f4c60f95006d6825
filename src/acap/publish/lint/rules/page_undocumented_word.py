"""A word for robots that nobody has documented."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "page-undocumented-word",
    summary="a word is in use but not documented",
    why=(
        "Some sites write `noml` against machine learning. No vendor says that it reads the word. Here it is read as "
        "`noai`, which DeviantArt proposed and some programs that collect images respect. Keep it if you like, and add "
        "words that crawlers read: `noai`, and in robots.txt the names of the crawlers that collect for training, or "
        "`Content-Usage: train-ai=n`."
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
