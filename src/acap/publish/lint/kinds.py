"""What a document is, by its name and its beginning; without the readers, which take longer to load.

Law: what may be a robots.txt is one, until somebody says otherwise.
"""

from __future__ import annotations

from acap._native import format_of
from acap.dialects.well_known import is_page
from acap.problems import DocumentKind

SNIFFED = 4096
"""Octets that are looked at; the names of these dialects stand at the beginnings of their documents."""
PAGES = (".html", ".htm", ".xhtml")
"""How names of pages end."""
HEADERS = ".headers"
"""As `pages.saved.HEADERS`, whose import takes 40 ms that a robots.txt does without."""
_MARKUP = (b"<!doctype html", b"<html", b"<head", b"<!--", b"<meta", b"<?xml")


def kind_of(name: str, octets: bytes) -> DocumentKind | None:
    """What a document is, by its name, else by how it begins; None for an image or the like, which has no lines."""
    lowered = name.lower().rpartition("/")[2]
    is_file = bool(format_of(octets))
    if lowered.endswith(PAGES) and not is_file:
        return "page"
    if lowered.endswith(HEADERS):
        return "headers"
    if is_robots(lowered):
        return "robots"
    source = kind_of_source(lowered, octets)
    if source is not None or is_file:
        return source
    beginning = octets[:SNIFFED].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if beginning.startswith(b"http/"):
        return "headers"
    return "page" if beginning.startswith(_MARKUP) else "robots"


def is_robots(name: str) -> bool:
    """Whether a file of this name, in lower case, is a robots.txt."""
    return name == "robots.txt" or name.endswith(".robots.txt")


def kind_of_source(name: str, octets: bytes) -> DocumentKind | None:
    """Which of these dialects a document is of, by its name, else by what it says; None if it is of none."""
    lowered = name.lower().rpartition("/")[2]
    if lowered == "tdmrep.json":
        return "tdmrep"
    if lowered == "ai.txt" or lowered.endswith(".ai.txt"):
        return "ai-txt"
    beginning = octets[:SNIFFED].removeprefix(b"\xef\xbb\xbf").lstrip()
    begun = beginning[:1]
    if begun == b"<" and (lowered.endswith(".rsl") or (b"rslstandard.org/rsl" in beginning and not is_page(beginning))):
        return "rsl"
    if begun in (b"[", b"{") and b"tdm-reservation" in beginning:
        return "tdmrep"
    if begun == b"{" and b"//www.w3.org/ns/tdmrep" in beginning:
        return "tdm-policy"
    if begun == b"{" and any(word in beginning for word in (b"training-mining", b'"cawg.', b'"active_manifest"')):
        return "cawg"
    return None


def kind_of_text(octets: bytes) -> DocumentKind:
    """What a text without a name is, by what it says."""
    kind = kind_of("", octets) or "robots"
    if (kind == "page" and not _speaks(octets)) or (kind == "headers" and _has_robots(octets)):
        return "robots"
    return kind


def _speaks(page: bytes) -> bool:
    """Whether a page says something of its use."""
    # What reads pages takes 0.1 s to import, which most texts do without.
    from acap.carriers import file_carriers

    carriers = file_carriers(page, "page.html")
    return carriers.missing is None and bool(carriers.statements())


def _has_robots(response: bytes) -> bool:
    """Whether the body of a saved response may be a robots.txt."""
    from acap.pages.saved import saved  # 40 ms, likewise

    found = saved(response)
    return found is not None and bool(found.body) and kind_of("", found.body or b"") == "robots"
