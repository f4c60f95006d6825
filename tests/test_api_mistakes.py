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


@pytest.mark.parametrize("ask", [acap.decide, acap.decide_each])
def test_others_are_several_sources_that_were_read(ask: object) -> None:
    """A single one, a URL or octets in their place are told what to write, with a page and without."""
    assert callable(ask)
    source = acap.parse_tdmrep(b"[]", url=f"{URL}.well-known/tdmrep.json")
    for page in (None, PAGE):
        for one in (source, None, 1):
            with pytest.raises(TypeError, match=r"write others=\[source\]"):
                ask(URL, crawler="x", page=page, others=one)
        for odd in ([URL], URL, b"[]", [source, b"[]"]):
            with pytest.raises(TypeError, match=r"acap\.parse_tdmrep"):
                ask(URL, crawler="x", page=page, others=odd)
        assert ask(URL, crawler="x", page=page, others=iter([source])) is not None


def test_metadata_is_read_of_octets() -> None:
    """None and texts are no file."""
    for odd in (None, "text"):
        with pytest.raises(TypeError, match="bytes"):
            acap.parse_embedded(odd)  # type: ignore[arg-type]  # a mistake is what is tested


def test_a_text_names_one_restriction() -> None:
    """`honours="max-length"` is one name and no list of letters."""
    assert acap.Crawler("x", honours="max-length").honours == frozenset({"max-length"})


def test_names_of_a_crawler_are_strings() -> None:
    """A list of names in the place of a name is told what to write."""
    with pytest.raises(TypeError, match=r"Crawler\('a', 'b'\)"):
        acap.Crawler(["a", "b"])  # type: ignore[arg-type]  # a mistake is what is tested


def test_facts_are_facts() -> None:
    """A mapping in their place is told what to write, for one document and for all together."""
    policy = acap.parse_robots("ACAP-crawler: *\nACAP-allow-index: / time-limit=3-days\n")
    with pytest.raises(TypeError, match=r"acap\.Facts\(first_indexed="):
        policy.decide("/", crawler="x", usage="index", facts={})  # type: ignore[arg-type]  # a mistake is what is tested
    with pytest.raises(TypeError, match=r"acap\.Facts\(first_indexed="):
        acap.decide("/", crawler="x", usage="index", facts={}, robots=policy)  # type: ignore[arg-type]  # a mistake is what is tested


@pytest.mark.parametrize("name", ["site/licence.xml", "", b"<not"])
def test_the_name_of_a_file_is_not_its_text(name: str | bytes) -> None:
    """A reader that takes texts says so where it gets no tag, and licenses nothing."""
    (problem, *_) = acap.parse_rsl(name).problems
    assert ("the name of a file is not its text" in problem.message) is isinstance(name, str)
