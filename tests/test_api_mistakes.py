"""What is handed over in the wrong form is told in the words of what to do instead."""

from __future__ import annotations

import pytest

import acap

URL = "https://a.example/"
PAGE = acap.parse_page("<p>x", url=URL)


@pytest.mark.parametrize("ask", [acap.decide, acap.decide_each])
def test_octets_are_no_policy_and_no_page(ask: object) -> None:
    """Who forgets to read robots.txt or the page hears what reads it, and gets no answer."""
    assert callable(ask)
    with pytest.raises(TypeError, match=r"acap\.parse_robots"):
        ask(URL, crawler="x", robots=b"User-agent: *")
    with pytest.raises(TypeError, match=r"acap\.parse_robots"):
        ask(URL, crawler="x", robots="User-agent: *", page=PAGE)
    with pytest.raises(TypeError, match=r"acap\.parse_page"):
        ask(URL, crawler="x", page=b"<p>x")


def test_metadata_is_read_of_octets() -> None:
    """None and texts are no file."""
    for odd in (None, "text"):
        with pytest.raises(TypeError, match="bytes"):
            acap.parse_embedded(odd)  # type: ignore[arg-type]


def test_a_text_names_one_restriction() -> None:
    """`honours="max-length"` is one name and no list of letters."""
    assert acap.Crawler("x", honours="max-length").honours == frozenset({"max-length"})
