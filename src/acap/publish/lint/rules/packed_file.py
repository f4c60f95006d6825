"""A packed or binary file where a robots.txt should be."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "packed-file",
    summary="the file is compressed or binary and cannot be read",
    why=(
        "The server sends `robots.txt.gz` as it lies on the disk, or compresses the file without saying so in "
        "`Content-Encoding`. Crawlers find no known line in it and treat the whole site as open. The file may prohibit "
        "anything, so everything is prohibited here. Serve the file uncompressed, or declare its coding."
    ),
    examples=(
        Example(bad=b"\x1f\x8b\x08\0 and so on", good="User-agent: *\nDisallow: /private/\n"),
        Example(bad=b"%PDF-1.7\n", good="# nothing is prohibited here\n"),
    ),
)
