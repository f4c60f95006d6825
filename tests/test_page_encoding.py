"""The octets of a page become text as browsers decide it: order of declarations, prescan, labels, decoders."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from webencodings.labels import LABELS

from acap.pages.decoders import encoding_of
from acap.pages.encoding import PRESCANNED, charset_of, decode
from tests.portions import at_length

VECTORS = Path(__file__).parent / "vectors" / "text" / "encoding.jsonl"
CASES: list[dict[str, Any]] = [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]
NAMES = [
    *("UTF-8", "UTF-16BE", "UTF-16LE", "GBK", "gb18030", "Big5", "EUC-JP", "ISO-2022-JP", "Shift_JIS", "EUC-KR"),
    *(f"ISO-8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, "8-I", 10, 13, 14, 15, 16)),
    *(f"windows-{page}" for page in (874, *range(1250, 1259))),
    *("IBM866", "KOI8-R", "KOI8-U", "macintosh", "x-mac-cyrillic", "x-user-defined", "replacement"),
]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["title"]) for case in CASES])
def test_a_page_is_read_as_the_standard_says(case: dict[str, Any]) -> None:
    """Each vector: octets and header in, encoding, what decided it, and text out."""
    decoded = decode(bytes.fromhex(case["octets"]), case.get("content_type"))
    assert (decoded.encoding, decoded.source) == (case["encoding"], case["source"])
    assert decoded.replaced is case.get("replaced", False)
    if "text" in case:
        assert decoded.text == case["text"]


@pytest.mark.parametrize(
    ("value", "charset"),
    [
        (None, None),
        ("", None),
        ("text/html", None),
        ("text/html;charset=utf-8", "utf-8"),
        (" Text/HTML ; x=y;\tCharSet=UTF-8 ", "UTF-8"),
        ('text/html;charset="utf-8"', "utf-8"),
        ('text/html;charset="shift_jis"iso-2022-jp', "shift_jis"),
        ('text/html;charset="u\\t\\f-8"', "utf-8"),
        ('text/html;charset="utf-8', "utf-8"),
        ('text/html;charset="utf-8\\', "utf-8\\"),
        ('text/html;x=";charset=a";charset=b', "b"),
        ("text/html;charset=gbk;charset=big5", "gbk"),
        ("text/html;charset=;charset=big5", "big5"),
        ('text/html;charset="";charset=big5', ""),
        ("text/html;charset;charset=big5", "big5"),
        ("text/html;charset =gbk", None),
        ("text/html;charset= gbk", " gbk"),
        ("text/html;charset=\u2603;charset=gbk", "gbk"),
        ("text/html;charset='gbk'", "'gbk'"),
        ("charset=gbk", None),
        ("text;charset=gbk", None),
        ("text/;charset=gbk", None),
        ("te xt/html;charset=gbk", None),
        ("*/*;charset=gbk", None),
        ("text/html;charset=gbk, text/html", "gbk"),
        ("text/html;charset=gbk, text/html;charset=big5", "big5"),
        ("text/html;charset=gbk, text/plain", None),
        ("text/html;charset=gbk, nonsense", "gbk"),
        ('text/html;x="a,b";charset=gbk', "gbk"),
    ],
)
def test_the_charset_of_a_content_type(value: str | None, charset: str | None) -> None:
    """MIME Sniffing standard, "parse a MIME type"; Fetch standard, "extract a MIME type"."""
    assert charset_of(value) == charset


def test_every_label_names_an_encoding_of_the_standard() -> None:
    """Encoding standard 4.2: 228 labels, in any case and with ASCII blanks around, for 40 encodings."""
    labels = {label: encoding_of(f"\t{label.upper()} ") for label in LABELS}
    assert len(labels) == 228
    assert set(labels.values()) == set(NAMES)
    assert all(encoding_of(name) == name for name in NAMES)


@pytest.mark.parametrize(
    "label", ["", "utf-7", "utf-32", "cesu-8", "rot13", "idna", "hex", "none", "\u2003utf-8", "ｕtf-8"]
)
def test_other_labels_name_none(label: str) -> None:
    """HTML standard 13.2.3.3: no other encoding is supported, whatever Python has."""
    assert encoding_of(label) is None


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith(("replacement", "UTF-16"))])
def test_ascii_survives_what_is_malformed_before_it(name: str) -> None:
    """No decoder takes the markup behind an octet that begins nothing."""
    for lead in range(0x80, 0x100):
        for mark in b"<>\"'=&/ \n":
            text = decode(bytes([lead, mark, 0x21]), f"text/html;charset={name}").text
            assert text.endswith(chr(mark) + "!"), (lead, mark)


class OutOfOctetsError(Exception):
    """The prescan ran out of octets."""


class Prescan:
    """The standard's algorithm step by step, to hold the patterns against (HTML standard 13.2.3.2)."""

    def __init__(self, octets: bytes) -> None:
        self.octets = octets
        self.at = 0

    def here(self) -> int:
        if self.at >= len(self.octets):
            raise OutOfOctetsError
        return self.octets[self.at]

    def starts(self, *sets: bytes) -> bool:
        head = self.octets[self.at : self.at + len(sets)]
        return len(head) == len(sets) and all(octet in one for octet, one in zip(head, sets, strict=True))

    def run(self) -> str | None:
        try:
            return self.loop()
        except OutOfOctetsError:
            return self.xml()

    def loop(self) -> str | None:
        letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        if self.octets.startswith(b"<\0?\0x\0"):
            return "UTF-16LE"
        if self.octets.startswith(b"\0<\0?\0x"):
            return "UTF-16BE"
        while True:
            self.here()
            if self.starts(b"<", b"!", b"-", b"-"):
                begin = self.at
                while not (
                    self.here() == 0x3E and self.at >= begin + 4 and self.octets[self.at - 2 : self.at] == b"--"
                ):
                    self.at += 1
            elif self.starts(b"<", b"mM", b"eE", b"tT", b"aA", b"\t\n\f\r /"):
                self.at += 5
                if name := self.meta():
                    return name
            elif self.starts(b"<", letters) or self.starts(b"<", b"/", letters):
                while self.here() not in b"\t\n\f\r >":
                    self.at += 1
                while self.attribute():
                    pass
            elif self.starts(b"<", b"!/?"):
                while self.here() != 0x3E:
                    self.at += 1
            self.at += 1

    def meta(self) -> str | None:
        seen: set[bytes] = set()
        got_pragma = False
        need_pragma: bool | None = None
        charset: str | None = None  # "" is failure
        while attribute := self.attribute():
            name, value = attribute
            if name in seen:
                continue
            seen.add(name)
            if name == b"http-equiv":
                got_pragma = got_pragma or value == b"content-type"
            elif name == b"content":
                found = self.extract(value)
                if found and charset is None:
                    charset, need_pragma = found, True
            elif name == b"charset":
                charset, need_pragma = encoding_of(value.decode("latin-1")) or "", False
        if need_pragma is None or (need_pragma and not got_pragma) or not charset:
            return None
        if charset.startswith("UTF-16"):
            return "UTF-8"
        return "windows-1252" if charset == "x-user-defined" else charset

    def attribute(self) -> tuple[bytes, bytes] | None:
        while self.here() in b"\t\n\f\r /":
            self.at += 1
        if self.here() == 0x3E:
            return None
        name = value = b""
        while True:
            octet = self.here()
            if octet == 0x3D and name:
                self.at += 1
                break
            if octet in b"\t\n\f\r ":
                while self.here() in b"\t\n\f\r ":
                    self.at += 1
                if self.here() != 0x3D:
                    return name, b""
                self.at += 1
                break
            if octet in b"/>":
                return name, b""
            name += bytes([octet]).lower()
            self.at += 1
        while self.here() in b"\t\n\f\r ":
            self.at += 1
        if (quote := self.here()) in b"\"'":
            while True:
                self.at += 1
                if self.here() == quote:
                    self.at += 1
                    return name, value
                value += bytes([self.here()]).lower()
        if quote == 0x3E:
            return name, b""
        while self.here() not in b"\t\n\f\r >":
            value += bytes([self.here()]).lower()
            self.at += 1
        return name, value

    def extract(self, content: bytes) -> str | None:
        at = 0
        while True:
            at = content.find(b"charset", at)
            if at < 0:
                return None
            at += 7
            rest = content[at:].lstrip(b"\t\n\f\r ")
            if rest.startswith(b"="):
                break
        rest = rest[1:].lstrip(b"\t\n\f\r ")
        if rest[:1] in (b'"', b"'"):
            label, closed, _ = rest[1:].partition(rest[:1])
            return encoding_of(label.decode("latin-1")) if closed else None
        end = next((i for i, octet in enumerate(rest) if octet in b"\t\n\f\r ;"), len(rest))
        return encoding_of(rest[:end].decode("latin-1"))

    def xml(self) -> str | None:
        head = self.octets
        end = head.find(b">")
        if not head.startswith(b"<?xml") or end < 0:
            return None
        at = head.find(b"encoding")
        if not 0 <= at < end:
            return None
        rest = head[at + 8 :].lstrip(bytes(range(0x21)))
        if not rest.startswith(b"="):
            return None
        rest = rest[1:].lstrip(bytes(range(0x21)))
        if rest[:1] not in (b'"', b"'"):
            return None
        label, closed, _ = rest[1:].partition(rest[:1])
        if not closed or any(octet <= 0x20 for octet in label):
            return None
        name = encoding_of(label.decode("latin-1"))
        return "UTF-8" if name in ("UTF-16LE", "UTF-16BE") else name


PIECES = [
    *(
        b"<",
        b">",
        b"</",
        b"<!",
        b"<?",
        b"<!--",
        b"-->",
        b"--",
        b"/",
        b"=",
        b'"',
        b"'",
        b" ",
        b"\n",
        b";",
        b"\x00",
        b"\xe9",
    ),
    *(b"<meta ", b"<META\t", b"<meta/", b"<p ", b"charset", b"CharSet=", b"content=", b"http-equiv=", b"content-type"),
    *(
        b"gbk",
        b"utf-16",
        b"x-user-defined",
        b"nonsense",
        b"<?xml ",
        b"encoding",
        b"encoding='big5'",
        b"<\0?\0x\0",
        b"a",
    ),
]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map(b"".join))
def test_the_prescan_is_the_standards(head: bytes) -> None:
    """The patterns find what the standard's steps find, for any jumble of what they look at."""
    declared = Prescan(head[:PRESCANNED]).run()
    decoded = decode(head)
    assert (decoded.encoding if decoded.source == "meta" else None) == declared


@given(st.binary(max_size=60), st.none() | st.text(max_size=40), st.sampled_from([None, *NAMES]))
def test_nothing_raises(octets: bytes, header: str | None, name: str | None) -> None:
    """Any octets and any header give text that is valid Unicode."""
    decoded = decode(octets, f"text/html;charset={name}" if name else header)
    assert decoded.encoding in NAMES
    decoded.text.encode()


@given(st.text(alphabet='ab/;="\\, \tcharset', max_size=40))
def test_a_charset_can_be_written_as_a_quoted_string(value: str) -> None:
    """What is quoted comes back, whatever stands before it in its own parameter."""
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    assert charset_of(f'text/html;x="{quoted}";charset="{quoted}"') == value


@pytest.mark.portion
@pytest.mark.parametrize("name", [*NAMES[:10], "windows-1252"])
@pytest.mark.parametrize("unit", [b"\xff", b"\x81", b"\xa9\xa1", b"<!--", b"<p ="], ids=bytes.hex)
def test_malformed_pages_are_read_in_linear_time(name: str, unit: bytes) -> None:
    """Much of what a decoder cannot read costs no more than its length: of 150,000 octets, in `make soak` 400,000."""
    page = unit * ((400_000 if at_length() else 150_000) // len(unit))
    start = time.process_time()
    decode(page[: len(page) // 10], f"text/html;charset={name}")
    small = time.process_time() - start
    start = time.process_time()
    decode(page, f"text/html;charset={name}")
    assert time.process_time() - start < 0.2 + 40 * small


@pytest.mark.parametrize("unit", ["a", ";", ",", '"', "\\", "text/html;charset=,", ' ;charset="', "\t"])
def test_long_headers_are_read_in_linear_time(unit: str) -> None:
    """A header of a hundred thousand units is read at once."""
    start = time.process_time()
    charset_of("text/html" + unit * 100_000)
    charset_of(unit * 100_000)
    assert time.process_time() - start < 3
