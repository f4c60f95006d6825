"""The page is XML and ill-formed."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "page-ill-formed",
    summary="the page is XML but not well-formed",
    why=(
        "Browsers stop at the first fault of a page that is served as XML, and show an error or what came before. The "
        "meaning of the rest is uncertain, so prohibitions count, read as XML up to the fault and as HTML, and "
        "permissions do not. Close every element, quote attributes, write `&amp;` for `&`; or serve the page as "
        "`text/html`."
    ),
    examples=(
        Example(
            bad=('<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml">\n<p>a<br></p>\n</html>\n'),
            good=('<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml">\n<p>a<br/></p>\n</html>\n'),
            kind="page",
        ),
    ),
    kinds=("page",),
)
