"""What one dialect says is said in another: never looser, and what has no word there is told or refused."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acap.problems import DocumentKind
from acap.publish.convert.dialects import (
    _KINDS,
    _USAGES,
    DIALECT_TARGETS,
    DialectTarget,
    Verdicts,
    _source,
    _verdicts,
    convert_dialect,
)
from tests.command_line import acap

SIGNALS = b"User-agent: *\nContent-Signal: search=yes, ai-train=no\nContent-Signal: /open/ ai-train=yes\nDisallow:\n"
RESERVED = b'[{"location": "/open/", "tdm-reservation": 0}, {"location": "/", "tdm-reservation": 1}]'
PATHS = ["/" + "".join(letters) for length in range(4) for letters in product("ab/", repeat=length)]


def said(octets: bytes, kind: DocumentKind, path: str) -> Verdicts:
    return _verdicts(_source(octets, kind), path)


@pytest.mark.parametrize(
    ("octets", "kind", "to", "wanted"),
    [
        (SIGNALS, "robots", "ai-txt", "User-Agent: *\nDisallow: /\nAllow: /open/\n"),
        (b"User-Agent: *\nDisallow: /a\n", "ai-txt", "content-signal",
         "User-agent: *\nContent-Signal: /a ai-train=no\nDisallow:\n"),
        (b'[{"location": "/", "tdm-reservation": 1, "tdm-policy": "https://e.com/p"}]', "tdmrep", "tdmrep",
         '[\n  {"location": "/", "tdm-reservation": 1, "tdm-policy": "https://e.com/p"}\n]\n'),
        (b"User-agent: *\nContent-Usage: train-ai=n, ai-use=n\n", "robots", "content-signal",
         "User-agent: *\nContent-Signal: ai-input=no, ai-train=no\nDisallow:\n"),
        (SIGNALS, "robots", "tdmrep", '[\n  {"location": "/", "tdm-reservation": 1}\n]\n'),
    ],
)  # fmt: skip
def test_what_can_be_said_is_said(octets: bytes, kind: DocumentKind, to: DialectTarget, wanted: str) -> None:
    assert convert_dialect(octets, kind, to).text.decode() == wanted


@pytest.mark.parametrize(
    ("octets", "kind", "to"),
    [
        (SIGNALS, "robots", "content-usage"),
        (RESERVED, "tdmrep", "content-signal"),
        (b"User-agent: GPTBot\nContent-Signal: ai-train=no\nDisallow:\n" + SIGNALS, "robots", "ai-txt"),
        (
            b"ACAP-crawler: *\nACAP-allow-ai-train: / time-limit=7-days\nACAP-disallow-ai-input: /\n",
            "robots",
            "content-signal",
        ),
    ],
)
def test_what_would_be_lost_needs_the_original_beside_it(octets: bytes, kind: DocumentKind, to: DialectTarget) -> None:
    with pytest.raises(ValueError, match="cannot be expressed"):
        convert_dialect(octets, kind, to)
    assert any(note.loss for note in convert_dialect(octets, kind, to, beside=True).notes)


@pytest.mark.parametrize(
    ("octets", "kind"),
    [
        (b"User-Agent: *\nDisallow: *.jpg\n", "ai-txt"),
        (b"User-agent: *\nContent-Signal: /a*b ai-train=no\n", "robots"),
        (b"{}", "tdmrep"),
        (b"<rsl>", "rsl"),
        (b"<p>", "page"),
        (b"User-agent: *\nDisallow: /\n", "robots"),
    ],
)
def test_what_cannot_be_proved_or_read_is_refused(octets: bytes, kind: DocumentKind) -> None:
    with pytest.raises(ValueError, match=r"cannot be"):
        convert_dialect(octets, kind, "content-signal", beside=True)


places = st.sampled_from(["/", "/a", "/a/", "/ab", "/b/", "/b$", "/a/b$", "/%61b"])
values = st.fixed_dictionaries({}, optional={word: st.booleans() for word in ("search", "ai-input", "ai-train")})


def _signals(rules: dict[str, dict[str, bool]]) -> bytes:
    lines = [
        f"Content-Signal: {place} " + ", ".join(f"{word}={'yes' if yes else 'no'}" for word, yes in words.items())
        for place, words in rules.items()
        if words
    ]
    return "\n".join(["User-agent: *", *lines, "Disallow:", ""]).encode()


documents = st.one_of(
    st.dictionaries(places, values).map(lambda rules: ("robots", _signals(rules))),
    st.lists(st.tuples(places, st.booleans())).map(
        lambda rules: (
            "ai-txt",
            "\n".join(
                ["User-Agent: *", *(f"{'Allow' if yes else 'Disallow'}: {place}" for place, yes in rules), ""]
            ).encode(),
        )
    ),
    st.lists(st.tuples(places, st.booleans())).map(
        lambda rules: (
            "tdmrep",
            (
                "[" + ",".join(f'{{"location": "{place}", "tdm-reservation": {int(no)}}}' for place, no in rules) + "]"
            ).encode(),
        )
    ),
)


@given(documents, st.sampled_from(DIALECT_TARGETS), st.booleans())
def test_no_path_is_looser(document: tuple[DocumentKind, bytes], to: DialectTarget, beside: bool) -> None:
    """Every path is tried, and not only those of the proof."""
    kind, octets = document
    try:
        made = convert_dialect(octets, kind, to, beside=beside)
    except ValueError:
        return
    for path in PATHS:
        before, after = said(octets, kind, path), said(made.text, _KINDS[to], path)
        for usage in _USAGES:
            if after[usage].effect == "permits":
                assert before[usage].effect == "permits"
            if before[usage].effect == "prohibits" and not beside:
                assert after[usage].effect == "prohibits"


def test_the_command_says_what_is_lost(tmp_path: Path) -> None:
    file = tmp_path / "tdmrep.json"
    file.write_bytes(RESERVED)
    refused = acap("convert", file, "--to", "content-signal")
    assert refused.code == 2
    assert "--beside" in refused.err
    done = acap("convert", file, "--to", "content-signal", "--beside")
    assert "Content-Signal: ai-input=no, ai-train=no" in done.out
    assert "no word for the refusal of tdm" in done.err
    assert acap("convert", file, "--to", "acap").code == 2
    assert acap("convert", file, "--to", "rsl", "--only").code == 2
