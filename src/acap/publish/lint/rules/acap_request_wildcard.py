"""An action request with wildcards."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "acap-request-wildcard",
    summary="an action request has a wildcard, which has no meaning there",
    why=(
        "A request to take down, or to crawl again, names one resource. `*` and `$` count as characters of its path, "
        "and hardly any page has such a path, so nothing is taken down. Write one request for each page. To keep "
        "crawlers from a whole directory, write prohibitions: `ACAP-disallow-index: /news/`."
    ),
    examples=(
        Example(
            bad="ACAP-crawler: *\nACAP-request-re-crawl: /news/*\n",
            good="ACAP-crawler: *\nACAP-request-re-crawl: /news/today.html\n",
        ),
    ),
)
