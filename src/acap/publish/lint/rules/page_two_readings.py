"""Read as XML and as HTML the marked elements of a page hold different text."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "page-two-readings",
    summary="read as XML and as HTML, the marked elements of a page hold different text",
    why=(
        "An HTML reader may read an XHTML page, and takes `<p/>` for an element that stays open. If the two disagree "
        "on what a marked element holds, a statement on it applies to the whole page. Write `<p></p>`, and nest "
        "elements as HTML does."
    ),
    examples=(
        Example(
            bad=(
                '<?xml version="1.0"?>\n'
                '<html xmlns="http://www.w3.org/1999/xhtml"><body>\n'
                '<p class="the-acap:disallow-index"/>a\n'
                "</body></html>\n"
            ),
            good=(
                '<?xml version="1.0"?>\n'
                '<html xmlns="http://www.w3.org/1999/xhtml"><body>\n'
                '<p class="the-acap:disallow-index">b</p>a\n'
                "</body></html>\n"
            ),
            kind="page",
        ),
    ),
    kinds=("page",),
)
