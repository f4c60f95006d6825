"""A packed or binary file where a robots.txt should be."""

from __future__ import annotations

from acap.publish.lint.rule import Example, of_problem

RULE = of_problem(
    "packed-file",
    summary="the file is packed or binary, and nobody can tell what it says",
    why=(
        "A server sends `robots.txt.gz` as it lies on the disk, or packs the file and does not say so in "
        "`Content-Encoding`. Crawlers find no line in it that they know, and take the whole site as open. What was "
        "meant may prohibit anything, so everything is prohibited here. Serve the file unpacked, or name its coding."
    ),
    examples=(
        Example(bad=b"\x1f\x8b\x08\0 and so on", good="User-agent: *\nDisallow: /private/\n"),
        Example(bad=b"%PDF-1.7\n", good="# nothing is prohibited here\n"),
    ),
)
