"""A page or headers that nobody can read whole."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "page-not-read",
    summary="the page, or the response that was saved, is not read: a part of it, an error, or packed octets",
    why=(
        "What was saved is no success, breaks off, is a part by its `Content-Range`, has fewer octets than its "
        "`Content-Length` says, or is packed still. What is missing may prohibit anything, so that every use is "
        "prohibited, and nothing that stands in the file was checked for what it means. Save the whole response again."
    ),
    examples=(
        Example(
            bad="HTTP/1.1 503 Service Unavailable\nX-Robots-Tag: noindex\n\n",
            good="HTTP/1.1 200 OK\nX-Robots-Tag: noindex\n\n",
            kind="headers",
        ),
        Example(bad="X-Robots-Tag: noi", good="X-Robots-Tag: noindex\n", kind="headers"),
    ),
    kinds=("page", "headers"),
)
