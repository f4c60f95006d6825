"""A page of HTML that is one file: it loads and runs nothing."""

from __future__ import annotations

from html import escape


def html_page(title: str, style: str, body: str) -> str:
    """The page, with its title, its style sheet and the markup of its body."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
"""
