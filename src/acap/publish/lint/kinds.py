"""Which dialect a document is of, by its name and its beginning; without the readers, which take longer to load."""

from __future__ import annotations

from acap.problems import DocumentKind

SNIFFED = 4096
"""Octets that are looked at; the names of these dialects stand at the beginnings of their documents."""
PAGES = (".html", ".htm", ".xhtml")
"""How names of pages end."""
HEADERS = ".headers"
"""As `pages.saved.HEADERS`, whose import takes 40 ms that a robots.txt does without."""


def kind_of_source(name: str, octets: bytes) -> DocumentKind | None:
    """Which of these dialects a document is of, by its name, else by what it says; None if it is of none."""
    lowered = name.lower().rpartition("/")[2]
    if lowered == "tdmrep.json":
        return "tdmrep"
    if lowered == "ai.txt" or lowered.endswith(".ai.txt"):
        return "ai-txt"
    beginning = octets[:SNIFFED].removeprefix(b"\xef\xbb\xbf").lstrip()
    begun = beginning[:1]
    if begun == b"<" and (b"rslstandard.org/rsl" in beginning or lowered.endswith(".rsl")):
        return "rsl"
    if begun in (b"[", b"{") and b"tdm-reservation" in beginning:
        return "tdmrep"
    if begun == b"{" and b"//www.w3.org/ns/tdmrep" in beginning:
        return "tdm-policy"
    if begun == b"{" and any(word in beginning for word in (b"training-mining", b'"cawg.', b'"active_manifest"')):
        return "cawg"
    return None
