"""A page or headers that nobody can read whole."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "page-not-read",
    summary="the page or the saved response is not read: it is partial, an error, or compressed",
    why=(
        "The saved response is an error, breaks off, is partial by its `Content-Range`, has fewer octets than its "
        "`Content-Length`, or is still compressed. The missing part may prohibit anything, so every use is prohibited, "
        "and nothing in the file was checked. Save the whole response again."
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
