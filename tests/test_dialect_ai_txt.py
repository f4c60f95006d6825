"""What an ai.txt says of training, and what is none."""

from __future__ import annotations

import pickle
from time import perf_counter

import pytest

import acap

URL = "https://www.example.com/ai.txt"
SPAWNING = b"# Spawning AI\n\nUser-Agent: *\nDisallow: *.jpg\nAllow: *.txt\nDisallow: *.c\n"


def asked(octets: bytes | None, path: str = "/a.jpg", crawler: str = "examplebot", status: int = 200) -> str:
    file = acap.parse_ai_txt(octets, url=URL, status=status)
    here = f"https://www.example.com{path}"
    decision = acap.decide(here, crawler=crawler, usage="ai-train-generative", others=[file])
    return str(decision.outcome) if decision.stated else "silent"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/a.jpg", "prohibited"),
        ("/a/b.JPG?x=1", "prohibited"),
        ("/a.jpg.html", "silent"),
        ("/a.jpgx", "silent"),
        ("/a.jpg/b", "silent"),
        ("/a.css", "silent"),
        ("/a.c", "prohibited"),
        ("/a.txt", "permitted"),
        ("/", "silent"),
    ],
)
def test_an_extension_is_the_end_of_the_last_segment(path: str, expected: str) -> None:
    """Read as a prefix `*.c` would be about everything with `.c` in it."""
    assert asked(SPAWNING, path) == expected


def test_everything_else_is_the_grammar_of_robots() -> None:
    assert asked(b"User-agent: *\nDisallow: /a/\nAllow: /a/b\n", "/a/b") == "permitted"
    assert asked(b"User-agent: *\nDisallow: /\nDisallow: *\n") == "prohibited"
    assert asked(b"User-agent: *\nDisallow:\n") == "silent"
    assert asked(b"\xef\xbb\xbfUser-agent: *\r\nDisallow: *.jpg # pictures\r\n") == "prohibited"
    named = b"User-agent: *\nDisallow: /\n\nUser-agent: OtherBot\nAllow: /\n"
    assert (asked(named), asked(named, crawler="otherbot")) == ("prohibited", "permitted")
    assert asked(b"Disallow: /\nUser-agent: *\nAllow: /\n") == "permitted"
    assert asked(b"Disallow: /\nUser-agent: x\n") == "prohibited"


def test_only_training_is_spoken_of() -> None:
    file = acap.parse_ai_txt(SPAWNING, url=URL)
    assert {statement.usage for statement in file.statements("/a.jpg")} == {"ai-train"}
    assert not acap.decide("/a.jpg", crawler="x", usage="index", others=[file]).stated
    assert file.statements("https://www.example.org/a.jpg") == ()
    assert file.statements("/a.jpg")[0].line == 4


@pytest.mark.parametrize(
    "octets",
    [
        b"<!DOCTYPE html><html><body>Disallow: /</body></html>",
        b"# Example\n\n> A site about things\n\n## Pages\n\n- [Home](https://www.example.com/)\n",
        b"[identity]\nname=Example\n[permissions]\ntraining=yes\n",
    ],
)
def test_what_is_something_else_says_nothing(octets: bytes) -> None:
    file = acap.parse_ai_txt(octets, url=URL)
    assert (file.state, file.problems[0].code, asked(octets)) == ("foreign", "ai-txt-foreign", "silent")


def test_comments_before_a_page_are_read_once() -> None:
    begin = perf_counter()
    assert acap.parse_ai_txt(b"<!---->" * 100_000, url=URL).state == "foreign"
    assert acap.parse_ai_txt(b"<!---->" * 100_000 + b"<html>Disallow: /", url=URL).state == "foreign"
    assert perf_counter() - begin < 5


@pytest.mark.slow
def test_many_groups_and_many_names_take_bounded_time() -> None:
    file = acap.parse_ai_txt(b"User-agent: a\nDisallow: /\n" * 20_000, url=URL)
    crawler = acap.Crawler(*(f"name-{number}" for number in range(63)), "a")
    begin = perf_counter()
    assert file.statements_for("/a.jpg", crawler)[0].outcome == "prohibited"
    assert perf_counter() - begin < 5


def test_a_dot_behind_the_host_leaves_the_site_the_same() -> None:
    file = acap.parse_ai_txt(SPAWNING, url=URL)
    assert len(file.statements("https://www.example.com./a.jpg")) == 1
    assert file.statements("https://www.example.com.org/a.jpg") == ()


def test_what_may_be_something_else_refuses_and_never_permits() -> None:
    text = b"# Example\n\n- [Home](/)\nUser-agent: *\nDisallow: *.jpg\nAllow: *.txt\n"
    assert (asked(text), asked(text, "/a.txt")) == ("prohibited", "silent")
    assert acap.parse_ai_txt(text, url=URL).problems[0].code == "ai-txt-mixed"


def test_what_is_not_read_prohibits() -> None:
    assert [asked(None), asked(b"", status=503), asked(b"a" * 2_000_000), asked(b"\0\1")] == ["prohibited"] * 4
    assert [asked(b"User-Agent: *\nAllow: /\n", status=status) for status in (202, 206)] == ["prohibited"] * 2
    assert [asked(b"", status=404), asked(b"x", status=403), asked(b"")] == ["silent"] * 3


@pytest.mark.parametrize("octets", [SPAWNING, b"", b"- x\nUser-agent: *\nDisallow: /\nAllow: /a\n", b"Disallow: /"])
def test_it_is_written_as_it_is_read(octets: bytes) -> None:
    file = acap.parse_ai_txt(octets, url=URL)
    kept = pickle.loads(pickle.dumps(file))
    assert [one.line for one in kept.statements("/a.jpg")] == [one.line for one in file.statements("/a.jpg")]
    for path in ("/a.jpg", "/a.txt", "/a", "/b.c"):
        assert asked(file.to_text().encode(), path) == asked(octets, path)


def test_what_is_no_octets_is_the_callers_mistake() -> None:
    with pytest.raises(TypeError):
        acap.parse_ai_txt(1, url=URL)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        acap.parse_ai_txt(b"", url="/ai.txt")
