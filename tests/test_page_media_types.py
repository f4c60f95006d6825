"""What may be a page is decided by the MIME Sniffing and Fetch standards; what they leave open may be one."""

from __future__ import annotations

import pytest

from acap.pages.headers import media_type
from acap.pages.media_types import reading

HTML = b"<!doctype html><title>a</title>"
XHTML = b'<html xmlns="http://www.w3.org/1999/xhtml"><head/></html>'
LATE = b"text " * 1_000 + b"<meta name=robots content=noindex>"


@pytest.mark.parametrize(
    ("types", "octets", "expected"),
    [
        (["text/html"], LATE, "html"),
        (["Text/HTML; charset=utf-8"], LATE, "html"),
        (["text/plain, text/html"], HTML, "html"),
        (["text/plain", "text/html"], HTML, "html"),
        (["text/html", "nonsense"], HTML, "html"),
        (["text/html, */*"], HTML, "html"),
        (["text/html, text/plain"], HTML, "none"),
        (["text/plain"], HTML, "none"),
        (["image/png"], HTML, "none"),
        (["application/json"], HTML, "none"),
        (["html"], HTML, "html"),
        (["html"], LATE, "open"),
        ([""], HTML, "html"),
        (["unknown/unknown"], HTML, "html"),
        (["application/unknown"], LATE, "open"),
        (["*/*"], HTML, "html"),
        ([], HTML, "html"),
        ([], b" \n<META name=robots>", "open"),
        ([], b"\t<p>", "html"),
        ([], b"<!-- a -->", "html"),
        ([], b"<bold>", "open"),
        ([], LATE, "open"),
        ([], b"no markup at all", "none"),
        ([], b"", "none"),
        ([], b"%PDF-1.7 <p>", "none"),
        ([], b"\x89PNG\r\n\x1a\n<p>", "none"),
        ([], b"\xef\xbb\xbf<!doctype html>", "open"),
        ([], b"<?xml version='1.0'?>" + XHTML, "xhtml"),
        ([], b"<?xml version='1.0'?><rss/>", "none"),
        (["application/octet-stream"], HTML, "open"),
        (["application/octet-stream"], b"GIF89a<p>", "none"),
        (["application/octet-stream"], b"\0\1\2", "none"),
        (["application/xhtml+xml"], XHTML, "xhtml"),
        (["application/xml"], XHTML, "xhtml"),
        (["text/xml; charset=utf-8"], XHTML, "xhtml"),
        (["image/svg+xml"], XHTML, "xhtml"),
        (["image/svg+xml"], b'<svg xmlns="http://www.w3.org/2000/svg"/>', "none"),
        (["application/xml"], b"<html/>", "none"),
        (["application/xml"], HTML, "open"),
        (["application/xhtml+xml"], b"<html/>", "open"),
        (["application/xhtml+xml"], b"", "open"),
        (["text/xml"], '<?xml version="1.0"?>'.encode("utf-16") + XHTML, "open"),
        (["text/xml"], ('<?xml version="1.0"?>' + XHTML.decode()).encode("utf-16"), "xhtml"),
    ],
)
def test_what_may_be_a_page(types: list[str], octets: bytes, expected: str) -> None:
    """Declared types, one and several; octets without one; XML by its root."""
    assert reading(octets, [("Content-Type", value) for value in types]) == expected


def test_octets_that_may_not_be_sniffed_stay_open() -> None:
    """With `nosniff` the standard takes what nobody declared for text; it may be a page all the same."""
    assert reading(HTML, [("X-Content-Type-Options", "nosniff")]) == "open"
    assert reading(HTML, [("X-Content-Type-Options", "nosniff"), ("content-type", "text/html")]) == "html"


def test_the_type_of_a_response_is_that_of_all_its_headers() -> None:
    """Fetch standard, "extract a MIME type"."""
    assert media_type([("Content-Type", "text/plain"), ("Content-Type", "text/html; charset=x")]) == "text/html"
    assert media_type([("Content-Type", "html")]) == ""
