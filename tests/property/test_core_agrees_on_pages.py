"""What the core does for pages is what other implementations of the same standards do.

Encodings: `tests.reference.decoders`, which is Python's codecs by the labels of `webencodings`. URLs: `can_ada`, a
binding of Ada. Where two differ, the standard decides, and the difference stands here. What segments text has its tests
in `tests/test_page_measure.py`.
"""

from __future__ import annotations

import re

import can_ada
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from webencodings.labels import LABELS

from acap._native import resolve
from acap.pages.decoders import encoding_of, text_of
from tests.portions import at_length
from tests.reference import decoders as reference

NAMES = sorted({name for label in LABELS if (name := reference.encoding_of(label)) is not None})
EQUAL = [name for name in NAMES if name not in ("Big5", "ISO-2022-JP")]


def test_labels_name_the_same_encodings() -> None:
    """Encoding standard 4.2, in any case and with ASCII blanks around."""
    for label in (*LABELS, "utf-7", "utf-32", "", "nonsense"):
        for written in (label, label.upper(), f"\t\n\f\r {label} ", f"\v{label}", f"{label}\0", f"\u2003{label}"):
            assert encoding_of(written) == reference.encoding_of(written), written


@pytest.mark.portion
@pytest.mark.parametrize("name", EQUAL)
def test_each_pair_of_octets_is_the_same_text(name: str) -> None:
    """All octets, and pairs of which one is beyond ASCII: every seventh, in `make soak` all."""
    step = 1 if at_length() else 7
    for first in range(0x100):
        pairs = [bytes([first, second]) for second in range(first % step + (0 if first >= 0x80 else 0x80), 0x100, step)]
        for octets in (bytes([first]), *pairs):
            assert text_of(octets, name) == reference.text_of(octets, name), octets.hex()


OCTETS = st.lists(
    st.binary(min_size=1, max_size=4)
    | st.sampled_from(
        [b"\x8f", b"\x8e", b"\xa1\xa1", b"\x81\x30\x81\x30", b"\x84\x31\xa4\x37", b"\xf0\x9f\x98", b"\xd8\0"]
    )
    | st.sampled_from([b"<p>", b"0", b"\xef\xbf\xbd", b"\xff\xfe", b"\xef\xbb\xbf", b"\x80", b"\xe3\x32\x9a\x35"])
).map(b"".join)


@given(octets=OCTETS, name=st.sampled_from(EQUAL))
def test_octets_are_the_same_text(octets: bytes, name: str) -> None:
    """The same characters, and the same answer to whether one was replaced."""
    assert text_of(octets, name) == reference.text_of(octets, name)


def test_the_core_has_203_characters_more_of_big5() -> None:
    """The standard's index of Big5 has them, Python's codec not; all other pairs are equal."""
    pairs = [bytes([first, second]) for first in range(0x100) for second in range(0x100)]
    differ = [pair for pair in pairs if text_of(pair, "Big5") != reference.text_of(pair, "Big5")]
    assert len(differ) == 203
    assert not any(text_of(pair, "Big5")[1] for pair in differ)
    others = [pair for pair in differ if not reference.text_of(pair, "Big5")[1]]
    assert len(others) == 11  # one more dash, a slash, a yen sign: of these Python has an older form
    assert all(text_of(pair, "Big5")[0] == pair.decode("cp950") for pair in others)


JAPANESE = st.text(
    alphabet=st.sampled_from(
        [*("\u3042", "\u30a2", "\u4e9c", "\u6f22", "\uff5e", "\uff0d", "\u2460", "\u00a5", "a", "\\", "<", "\n")]
    )
)


@given(text=JAPANESE)
def test_japanese_mail_is_read_as_python_writes_it(text: str) -> None:
    """Whatever Python's codec writes in ISO-2022-JP; NEC's characters it does not have."""
    written = text.replace("\u2460", "").replace("\uff5e", "").replace("\uff0d", "").encode("iso2022_jp")
    assert text_of(written, "ISO-2022-JP") == reference.text_of(written, "ISO-2022-JP")


@pytest.mark.parametrize(
    ("octets", "text", "codecs"),
    [
        (b"\x0e\x0f", "\ufffd\ufffd", "\x0e\x0f"),  # 12.2.1: no shifting
        (b"\x1b(I1", "\uff71", "\ufffd1"),  # half-width katakana
        (b"\x1bxa", "\ufffdxa", "\x1bxa"),
        (b"\x1b(B\x1b(Ba", "\ufffda", "a"),  # an escape without text after it
    ],
)
def test_iso_2022_jp_is_read_with_more_care(octets: bytes, text: str, codecs: str) -> None:
    """Where Python's codec differs from the standard the core has the standard's text."""
    assert text_of(octets, "ISO-2022-JP")[0] == text
    assert reference.text_of(octets, "ISO-2022-JP")[0] == codecs


HOSTS = (
    *(
        "a.example",
        "A.Example.",
        "xn--mller-kva.example",
        "m\u00fcller.example",
        "fa\u00df.example",
        "\u65e5\u672c\u3002jp",
    ),
    *(
        "\uff41.example",
        "\u2460.example",
        "a\u200cb",
        "a\u200d\u00ad",
        "xn--a",
        "%41.example",
        "a_b",
        "-",
        "a b",
        "a%00",
        "a^b",
    ),
    *(
        "127.1",
        "0x7f.0.0.1",
        "0177.1",
        "256",
        "1.2.3.4.5",
        "1.2.3.256",
        "4294967295",
        "4294967296",
        "09",
        "1.2.3.4.",
        "0x",
    ),
    *(
        "[::1]",
        "[1:2::0.0.0.1]",
        "[::ffff:1.2.3.4]",
        "[1::2::3]",
        "[::1%25a]",
        "[1:2:3:4:5:6:7:8]",
        "",
        "*.a",
        "a..b",
        "u:p@a",
    ),
    *(
        "u@p@a",
        "a:80",
        "a:0443",
        "a:65535",
        "a:65536",
        "a:",
        "a:x",
        "\U0001f600.example",
        "\u0627\u0644.example/",
        "a<b",
        "a|b",
    ),
)
PIECES = (
    *(
        "http:",
        "https:",
        "HTTPS:",
        "//",
        "/",
        "\\",
        "a",
        "b.c",
        "..",
        ".",
        "%2e",
        "%2E%2e",
        "?",
        "#",
        "q=1&x'\"<>`{}|^~",
    ),
    *(
        "%zz",
        "%",
        "\u00fc",
        "\u65e5",
        "\U0001f600",
        "\ufffe",
        "\t",
        "\n",
        " ",
        "\x00",
        "\x7f",
        "\xa0",
        "\ufeff",
        ":",
        "@",
        ";",
    ),
    *("mailto:x", "data:,x", "javascript:", "file:", "ftp://a", "blob:http://a", "C:", "*", "[", "]"),
)
BASES = (
    "http://a.example/b/c;d?e#f",
    "https://u:p@a.example:8080",
    "http://m\u00fcller.example/x/../y/",
    "http://a//b//c",
)
REFERENCES = st.tuples(
    st.sampled_from(["", "", "http://", "https://", "//", "///", "http:/", "HTTP:\\\\", "https:"]),
    st.sampled_from(HOSTS) | st.just(""),
    st.lists(st.sampled_from(PIECES), max_size=6).map("".join),
).map("".join)


@given(base=st.sampled_from(BASES), reference=REFERENCES)
@example(base=BASES[0], reference="///a.example/x")
@example(base=BASES[0], reference="/\t\\\\//a.example")
@example(base=BASES[0], reference="http:a")
@example(base=BASES[0], reference="http:\\\\a")
@example(base=BASES[0], reference="\\a?\\#\\")
def test_links_lead_to_the_same_urls(base: str, reference: str) -> None:
    """Of pages on the web, to whatever is on the web; other schemes are no links."""
    assert of_web(resolve(base, reference)) == of_web(by_ada(base, reference))


@given(url=REFERENCES)
def test_urls_are_written_in_the_same_way(url: str) -> None:
    assert of_web(resolve("", url)) == of_web(by_ada("", url))


@given(base=st.sampled_from(BASES), reference=REFERENCES)
def test_a_url_that_was_written_out_leads_to_itself(base: str, reference: str) -> None:
    """From anywhere."""
    found = of_web(resolve(base, reference))
    if found is not None:
        assert resolve("", found) == resolve("http://other.example/", found) == found


@pytest.mark.parametrize(
    "name", ["\u0627\u0644.example;", "\u0627\u0644.example*", "\u0627.\U0001f600", "\u0627.example;.a"]
)
def test_the_core_applies_the_bidi_rule_to_each_label(name: str) -> None:
    """URL standard 3.3, UTS 46 4.1, RFC 5893 2: if one is written from right to left. Ada tries that one alone."""
    assert resolve("", f"http://{name}/") is None
    assert by_ada("", f"http://{name}/") is not None


@pytest.mark.parametrize("name", ["xn--a", "xn--a--", "a.xn--mller-kvaxn--"])
def test_a_label_that_stands_for_no_name_is_refused(name: str) -> None:
    """URL standard 3.3, UTS 46 4: `xn--` has to be followed by the one form of a valid name."""
    assert resolve("", f"http://{name}/") is None


def by_ada(base: str, reference: str) -> str | None:
    try:
        return str(can_ada.parse(base) + reference) if base else str(can_ada.parse(reference).href)
    except ValueError:
        return None


def of_web(url: str | None) -> str | None:
    """The URL, if it is of a scheme that a link may have."""
    return url if url is not None and re.match("https?:", url) else None
