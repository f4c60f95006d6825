"""`acap convert` says a policy in another form, with the same answers, and tells what cannot be expressed there."""

from __future__ import annotations

import itertools
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from acap import parse_page, parse_robots
from acap.publish.compare import Comparison, compare
from acap.publish.convert import TARGETS, OutOfTimeError, Target, convert, verify
from acap.publish.patterns import contains, intersection, meet, spelling
from tests.command_line import Result, acap

if TYPE_CHECKING:
    from acap.robots import RobotsPolicy


def lines(text: bytes) -> list[str]:
    """The lines of a conversion, without blank ones and comments."""
    return [line for line in text.decode().splitlines() if line and not line.startswith("#")]


def converted(text: str, to: Target = "acap", **options: object) -> list[str]:
    """What a robots.txt becomes; of ACAP added to it the added lines alone. It is proved to say the same."""
    conversion = convert(text, to, **options)  # type: ignore[arg-type]  # options of several types
    assert verify(conversion).verdict == "equal"
    return lines(conversion.alone if conversion.alone is not None else conversion.text)


def test_the_original_stays_and_is_said_again() -> None:
    """A conversion to ACAP adds to the file and takes nothing from it (G 1.5)."""
    text = b"# ours\nUser-agent: *\nDisallow: /private/ # not for you\n"
    conversion = convert(text, "acap")
    assert conversion.text.startswith(text)
    assert lines(conversion.text)[2:] == ["ACAP-crawler: *", "ACAP-disallow-crawl: /private/"]


def test_the_guides_names_are_found_as_rep_finds_them() -> None:
    """A group for `SearchBot1` speaks to `searchbot1` and `searchbot`, so both get an ACAP line (RFC 9309 2.2.1)."""
    assert converted("User-agent: SearchBot1\nDisallow: /a\n") == [
        "ACAP-crawler: SearchBot1",
        "ACAP-crawler: SearchBot",
        "ACAP-allow-crawl: /",
        "ACAP-disallow-crawl: /a",
    ]


def test_an_empty_disallow_permits() -> None:
    """`Disallow:` and a group without rules become `ACAP-allow-crawl: /`."""
    assert converted("User-agent: a\nDisallow:\n\nUser-agent: *\nDisallow: /\n\nUser-agent: b\n") == [
        *("ACAP-crawler: a", "ACAP-crawler: b", "ACAP-allow-crawl: /"),
        *("ACAP-crawler: *", "ACAP-disallow-crawl: /"),
    ]


def test_a_named_group_hears_nothing_of_the_one_for_all() -> None:
    """A named record permits first, as ACAP merges the record for all into it (P1 4.1)."""
    added = converted("User-agent: a\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n")
    assert added[:3] == ["ACAP-crawler: a", "ACAP-allow-crawl: /", "ACAP-disallow-crawl: /a"]


def test_groups_of_one_crawler_are_merged() -> None:
    """A crawler that several groups name gets one record with all that they say."""
    assert converted("User-agent: a\nDisallow: /x\n\nUser-agent: b\nUser-agent: A\nDisallow: /y\n") == [
        *("ACAP-crawler: a", "ACAP-allow-crawl: /", "ACAP-disallow-crawl: /x", "ACAP-disallow-crawl: /y"),
        *("ACAP-crawler: b", "ACAP-allow-crawl: /", "ACAP-disallow-crawl: /y"),
    ]


def test_of_equals_the_one_that_permits() -> None:
    """Where Allow and Disallow are the same, Allow wins, and the Disallow is not said."""
    assert converted("User-agent: *\nDisallow: /a\nAllow: /a\n") == ["ACAP-crawler: *", "ACAP-allow-crawl: /a"]


def test_an_index_permits_its_directory() -> None:
    """The widening of `Allow: …/index.html` is said in ACAP, which has none."""
    assert "ACAP-allow-crawl: /a/$" in converted("User-agent: *\nDisallow: /\nAllow: /a/index.html\n")


def test_a_longer_rule_with_a_shorter_beginning_gets_a_part() -> None:
    """Where the draft's comparison would let a shorter Allow win, the part below its beginning is prohibited."""
    assert converted("User-agent: *\nAllow: /shop/\nDisallow: /*add-to-cart=\n") == [
        "ACAP-crawler: *",
        "ACAP-allow-crawl: /shop/",
        "ACAP-disallow-crawl: /*add-to-cart=",
        "ACAP-disallow-crawl: /shop/*add-to-cart=",
    ]


def test_stars_make_the_shorter_rule_the_broader() -> None:
    """Of patterns that begin alike one more star decides in the draft's comparison, and changes no set of paths."""
    assert converted("User-agent: *\nDisallow: /*b\nAllow: /*aaa\n") == [
        "ACAP-crawler: *",
        "ACAP-disallow-crawl: /**b",
        "ACAP-allow-crawl: /*aaa",
    ]


def test_a_sign_at_the_end_of_a_rule_belongs_to_it() -> None:
    """A comma or semicolon may divide resources in ACAP, but not before a star (Semantics, Resources)."""
    assert converted("User-agent: *\nDisallow: /*,*\nDisallow: /products;\nAllow: /products;a\n") == [
        *("ACAP-crawler: *", "ACAP-disallow-crawl: /*,*"),
        *("ACAP-disallow-crawl: /products;*", "ACAP-allow-crawl: /products;a"),
    ]


def test_acap_alone_keeps_comments_and_sitemaps() -> None:
    """`only` leaves conventional rules out and keeps comments with what they are about, and lines of no group."""
    text = "# site\n\n# for a\nUser-agent: a # whom\n# why\nDisallow: /x\nSitemap: https://e.com/s.xml\n# end\n"
    conversion = convert(text, "acap", only=True)
    assert verify(conversion).verdict == "equal"
    assert conversion.text.decode() == (
        "# site\n\n##ACAP version=1.1\n\n# for a\n# whom\nACAP-crawler: a\nACAP-allow-crawl: /\n# why\n"
        "ACAP-disallow-crawl: /x\n\nSitemap: https://e.com/s.xml\n# end\n"
    )


def test_what_has_no_word_in_acap_is_told() -> None:
    """Crawl-delay stays in the conventional part, and with `only` it is a loss."""
    text = "User-agent: *\nDisallow: /x\nCrawl-delay: 5\n"
    (kept,) = convert(text, "acap").notes
    assert (kept.line, kept.loss) == (3, False)
    (lost,) = convert(text, "acap", only=True).notes
    assert (lost.line, lost.loss) == (3, True)


def test_twice_is_once() -> None:
    """A file that speaks ACAP about crawling is not converted again."""
    once = convert("User-agent: *\nDisallow: /x\n", "acap").text
    assert convert(once, "acap").text == once


def test_a_record_without_fields_takes_nothing_in() -> None:
    """Crawler lines at the end of a file would make added records their own, so nothing is added."""
    text = b"User-agent: *\nDisallow: /a\nACAP-crawler: b\n"
    conversion = convert(text, "acap")
    assert conversion.text == text
    assert "complete or remove it" in conversion.notes[0].message


def test_a_result_that_readers_would_cut_is_not_written() -> None:
    """A file that would become longer than 8 MiB, beyond which all is prohibited, stays as it is, with a note."""
    text = b"User-agent: *\n" + b"".join(b"Disallow: /%06d\n" % number for number in range(20_000))
    text += b"# padding of thirty-two octets..\n" * 243_000
    conversion = convert(text, "acap")
    assert conversion.text == text
    assert conversion.notes[-1].loss


CUT = {
    "a long line": b"User-agent: *\nDisallow: /a\nDisallow: /" + b"x" * 20_000 + b"\n",
    "a long signal": b"User-agent: *\nContent-Signal: ai-train=no" + b" " * 17_000 + b"\nDisallow: /a\n",
    "a long file": b"User-agent: *\n" + b"Disallow: /xx\n" * 700_000,
    "a control character": b"User-agent: a\x1bb\nDisallow: /a\n",
    "many fields": b"ACAP-crawler: *\n" + b"ACAP-disallow-crawl: /x\n" * 20_000,
}


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("what", CUT)
def test_what_is_cut_is_not_converted(what: str, to: Target) -> None:
    """Of a file that a limit cuts nothing is said in another form, for what is cut may have prohibited anything."""
    with pytest.raises(ValueError, match="only part of the file is read"):
        convert(CUT[what], to, url="/a")


@pytest.mark.parametrize("number", [9_990, 20_000])
def test_large_files_are_proved_or_refused(number: int) -> None:
    """Ten thousand rules are converted and proved; more fields than readers of ACAP take are refused."""
    text = b"User-agent: *\n" + b"".join(b"Disallow: /p/%d/x\n" % each for each in range(number))
    if number < 10_000:
        conversion = convert(text, "acap")
        assert conversion.proved
        assert conversion.notes == ()
    else:
        with pytest.raises(ValueError, match="within the limits of readers"):
            convert(text, "acap")


def test_many_crawlers_are_told_in_a_page_what_they_hear() -> None:
    """Crawlers that hear the same are asked once: hundreds of groups take no longer than some."""
    groups = "".join(f"User-agent: c{number}\nDisallow: /x\nContent-Signal: search=no\n\n" for number in range(200))
    conversion = convert(f"{groups}User-agent: *\nDisallow: /b\n".encode(), "meta", url="/b")
    page = parse_page(conversion.text, url="https://site.example/b")
    for name in ("c0", "c199", "c"):
        assert not page.decide("index", crawler=name).permitted
        assert not page.decide("present-link", crawler=name).permitted


def test_a_group_is_for_its_product_token_too() -> None:
    """`x1` names `x` as well (RFC 9309 2.2.1), and a META tag for `x1` does not: there is one for each."""
    text = "User-agent: x1\nContent-Signal: search=no\n"
    conversion = convert(text, "meta", url="https://site.example/a")
    page = parse_page(conversion.text, url="https://site.example/a")
    for name in ("x1", "x", "X"):
        assert not parse_robots(text).decide("/a", crawler=name, usage="present-link").permitted
        assert not page.decide("present-link", crawler=name).permitted
    assert page.decide("present-link", crawler="y").permitted
    assert verify(conversion).verdict == "equal"


def test_robot_version_is_never_made_looser() -> None:
    """A group of the proposal 2.0.0, for whose order ACAP has no words, gets no record and a note."""
    text = b"User-agent: a\nRobot-version: 2.0.0\nAllow: /x*\n"
    conversion = convert(text, "acap")
    assert any(note.loss for note in conversion.notes)
    before, after = parse_robots(text), parse_robots(conversion.text)
    for path in ("/", "/x", "/y"):
        assert before.decide(path, crawler="a").permitted or not after.decide(path, crawler="a").permitted


def test_back_to_robots() -> None:
    """What was added goes again, and nothing else."""
    text = b"# ours\nUser-agent: *\nDisallow: /*b\nAllow: /*aaa\n"
    assert convert(convert(text, "acap").text, "robots").text == text


def test_acap_alone_becomes_groups() -> None:
    """Each named crawler gets one group, with what its record and the one for all come to."""
    text = (
        "ACAP-crawler: *\nACAP-disallow-crawl: /private\n\n"
        "ACAP-crawler: a\nACAP-allow-crawl: /private/a\nACAP-disallow-crawl: /b\n"
    )
    assert converted(text, "robots") == [
        *("User-agent: a", "Disallow: /private", "Allow: /private/a", "Disallow: /b"),
        *("User-agent: *", "Disallow: /private"),
    ]


def test_length_is_made_where_acap_wants_the_shorter_to_win() -> None:
    """A tie prohibits in ACAP and permits in RFC 9309: one star more makes the Disallow the longer."""
    assert converted(
        "ACAP-crawler: *\nACAP-allow-crawl: /a\nACAP-disallow-crawl: /*\nACAP-allow-crawl: /\n", "robots"
    ) == [
        *("User-agent: *", "Allow: /a", "Disallow: /*"),
    ]
    assert converted("ACAP-crawler: *\nACAP-allow-crawl: /*bb\nACAP-disallow-crawl: /*c\n", "robots") == [
        *("User-agent: *", "Disallow: /*c"),
    ]


def test_signals_say_in_robots_what_they_have_words_for() -> None:
    """A prohibition of AI uses and of the index becomes a signal, by crawler and path; what it refuses more is told."""
    text = (
        "ACAP-crawler: *\nACAP-disallow-ai-train: /\nACAP-allow-ai-train: /open/\n\n"
        "ACAP-crawler: a\nACAP-allow-ai-train: /\nACAP-disallow-index: /b\n"
    )
    conversion = convert(text, "robots")
    assert lines(conversion.text) == [
        *("User-agent: a", "Content-Signal: /b search=no", "Disallow:"),
        *("User-agent: *", "Content-Signal: ai-train=no", "Content-Signal: /open/ ai-train=yes", "Disallow:"),
    ]
    assert conversion.notes[0].message == "`search=no` refuses `present-link` and `present-snippet` as well"
    assert {usage for one in verify(conversion).changes for usage in one.usages} == {"present-link", "present-snippet"}


def test_signals_go_into_the_groups_that_stay() -> None:
    """Conventional lines that say the same of crawling stay as they are, and get the signals below their names."""
    text = "# ours\nUser-agent: *\nDisallow: /p\nCrawl-delay: 4\nACAP-crawler: *\nACAP-disallow-ai-train: /\n"
    assert convert(text, "robots").text == (
        b"# ours\nUser-agent: *\nContent-Signal: ai-train=no\nDisallow: /p\nCrawl-delay: 4\n"
    )


def test_signals_of_groups_that_are_written_anew_stay() -> None:
    """What a signal of the original refuses a crawler is refused in its new group."""
    text = "User-agent: *\nDisallow: /\nContent-Signal: ai-train=no\n\nACAP-crawler: z\nACAP-allow-crawl: /\n"
    assert converted(text, "robots") == [
        *("User-agent: z", "Content-Signal: ai-train=no", "Disallow:"),
        *("User-agent: *", "Content-Signal: ai-train=no", "Disallow: /"),
    ]


@pytest.mark.parametrize(
    ("field", "line"),
    [("ACAP-disallow-preserve: /a", 3), ("ACAP-disallow-tdm: /", 3), ("ACAP-allow-index: / time-limit=3-days", 3)],
)
def test_what_no_conventional_line_says_refuses_the_conversion(field: str, line: int) -> None:
    """A prohibition or a limit without a word is refused with its line; with `crawl_only` a note tells each."""
    text = f"ACAP-crawler: *\nACAP-disallow-ai-train: /\n{field}\n"
    with pytest.raises(ValueError, match=rf"line {line}: .* cannot be expressed as `robots` without permitting more"):
        convert(text, "robots")
    conversion = convert(text, "robots", crawl_only=True)
    assert [note.line for note in conversion.notes if note.loss] == [line]
    assert lines(conversion.text) == ["User-agent: *", "Content-Signal: ai-train=no", "Disallow:"]


def test_every_prohibition_that_is_lost_is_told() -> None:
    """Where one signal takes back on a path what another refuses, `crawl_only` tells the line that is lost."""
    text = "User-agent: *\nContent-Signal: /long/ ai-train=yes\nACAP-crawler: *\nACAP-disallow-ai-train: /\n"
    with pytest.raises(ValueError, match="line 4: `ai-train` of `/long/` for `\\*` cannot be expressed"):
        convert(text, "robots")
    assert [note.line for note in convert(text, "robots", crawl_only=True).notes if note.loss] == [4]


def test_what_signals_refuse_is_said_in_acap_terms() -> None:
    """A Content-Signal becomes ACAP fields of the same crawlers and paths, alone and beside it, proved equal."""
    text = (
        "User-agent: *\nDisallow: /p/\nContent-Signal: search=yes, ai-train=no\nContent-Signal: /open/ ai-train=yes\n\n"
        "User-agent: a\nAllow: /\n"
    )
    added = [
        *("ACAP-crawler: a", "ACAP-allow-crawl: /", "ACAP-allow-ai-train: /"),
        *("ACAP-crawler: *", "ACAP-disallow-crawl: /p/", "ACAP-disallow-ai-train: /", "ACAP-allow-ai-train: /open/"),
    ]
    assert converted(text) == added
    assert converted(text, only=True) == added


def test_a_reference_is_said_in_acap_terms() -> None:
    """`use=reference` refuses all but index, link and excerpt, and so do the ACAP lines."""
    assert not convert("User-agent: *\nContent-Signal: use=reference\nAllow: /\n", "acap").omitted
    converted("User-agent: *\nContent-Signal: use=reference\nAllow: /\n", only=True)


def test_what_acap_lines_alone_do_not_say_is_not_claimed() -> None:
    """A bound that a longer path lifts stays a signal: a note tells, and the second proof leaves its usages out."""
    text = b"User-agent: *\nDisallow: /x\nContent-Signal: use=immediate\nContent-Signal: /open use=full\n"
    conversion = convert(text, "acap")
    assert "index" in conversion.omitted
    assert [note.line for note in conversion.notes] == [3]
    assert verify(conversion).verdict == "equal"
    told = acap("convert", "-", "--to", "acap", "--verify", given=text)
    assert (told.code, "every answer is the same\n" in told.err) == (0, False)
    assert "the ACAP lines alone do not say all of" in told.err


def test_acap_that_is_there_is_a_part_of_the_acap_lines_alone() -> None:
    """A field about another usage stays, and the proof of the ACAP lines alone reads it."""
    text = "User-agent: *\nDisallow: /x\nACAP-crawler: *\nACAP-disallow-index: /\n"
    assert verify(convert(text, "acap")).verdict == "equal"


def test_version_1_0_ignores_what_is_later_and_no_answer_gets_looser() -> None:
    """A set of one element is said in words of 1.0, a larger one prohibits."""
    text = (
        "##ACAP version=1.1\nACAP-crawler: *\n"
        "ACAP-allow-present: /a must-use-resource=the-acap:idlist:x\n"
        "ACAP-allow-present: /b must-use-resource=the-acap:idlist:x,y\n"
    )
    conversion = convert(text, "acap-1.0")
    assert lines(conversion.text)[1:] == [
        "ACAP-allow-present: /a must-use-resource=the-acap:extract:id:x",
        "ACAP-disallow-present: /b",
    ]
    assert conversion.text.startswith(b"##ACAP version=1.0\n")
    assert [(note.line, note.loss) for note in conversion.notes if note.line] == [(3, False), (4, True)]


def test_version_1_1_does_not_begin_to_read_what_was_ignored() -> None:
    """A field that version 1.0 ignores becomes a comment in 1.1; one that restricts there a prohibition, for no answer
    may be looser."""
    text = "##ACAP version=1.0\nACAP-crawler: *\nACAP-allow-present: / target-condition=x\n"
    conversion = convert(text, "acap-1.1")
    assert lines(conversion.text) == ["ACAP-crawler: *"]
    assert verify(conversion).verdict == "equal"
    conversion = convert(text.replace("target-condition=x", "must-use-resource=the-acap:idlist:x"), "acap-1.1")
    assert lines(conversion.text) == ["ACAP-crawler: *", "ACAP-disallow-present: /"]
    assert [note.loss for note in conversion.notes if note.line] == [True]


POLICY = """\
##ACAP version=1.1
ACAP-crawler: *
ACAP-disallow-index: /a
ACAP-disallow-present: /a
ACAP-allow-present: /b max-length=20-chars
ACAP-disallow-follow: /b
ACAP-crawler: partner
ACAP-allow-index: /a time-limit=until-2100-01-01
ACAP-usage-purpose: news
ACAP-disallow-preserve: /
"""


@pytest.mark.parametrize("url", ["/a", "/b", "/c", "https://example.com/a?q"])
def test_meta_tags_say_all_that_robots_says_of_a_page(url: str) -> None:
    """ACAP tags hold every usage, crawler and purpose, with their limits."""
    assert verify(convert(POLICY, "meta", url=url)).verdict == "equal"


def test_headers_say_what_there_are_words_for() -> None:
    """Conventional words take what the policy takes; a note tells what they do not say."""
    conversion = convert(POLICY, "headers", url="/a")
    assert conversion.text.startswith(b"X-Robots-Tag: noindex")
    assert any("partner" in note.message for note in conversion.notes)
    assert b"max-snippet:20" in convert(POLICY, "headers", url="/b").text


def test_what_may_not_be_crawled_is_never_seen() -> None:
    """Of a page that may not be crawled nothing is written, and a note says why."""
    conversion = convert("User-agent: *\nDisallow: /\n", "meta", url="/a")
    assert conversion.text == b""
    assert "may not crawl" in conversion.notes[0].message


@pytest.mark.parametrize(
    "page",
    [
        b'<meta name="bot&#10;ACAP-crawler: *&#10;ACAP-allow-index: /&#10;x:" content="ACAP disallow-index">',
        b'<meta name="bot#" content="ACAP disallow-index">',
        b'<meta name="robots" content="ACAP a#b disallow-index">',
    ],
)
def test_what_robots_cannot_name_is_refused(page: bytes) -> None:
    """A name or a purpose of a page never becomes lines, a comment or another name in robots.txt."""
    with pytest.raises(ValueError, match="cannot name the"):
        convert(page, "acap", kind="page", url="/a")


@pytest.mark.parametrize(
    ("headers", "crawler"),
    [
        (b"HTTP/1.1 200 OK\r\nX-Robots-Tag:\r\n noindex\r\n\r\n", "any"),
        (b"X-Robots-Tag:\n\tnoindex\n", "any"),
        (b"X-Robots-Tag: a,\x0bnoindex\n", "any"),
        (b"Server: x\rX-Robots-Tag: noindex\r", "any"),
    ],
)
def test_headers_in_a_file_are_read_as_they_were_received(headers: bytes, crawler: str) -> None:
    """A folded field is one field, and only ends of lines divide fields (RFC 9112 5.2)."""
    policy = parse_robots(convert(headers, "acap", kind="headers", url="/a").text)
    assert not policy.decide("/a", crawler=crawler, usage="index").permitted


def test_a_page_that_may_not_be_crawled_says_so_in_robots() -> None:
    """A prohibition of crawling is said as one."""
    policy = parse_robots(
        convert(b'<meta name=robots content="ACAP disallow-crawl">', "acap", kind="page", url="/a").text
    )
    assert not policy.decide("/a", crawler="bot").permitted
    assert policy.decide("/b", crawler="bot").permitted


def test_a_page_becomes_fields_about_its_url() -> None:
    """META tags of a page become ACAP fields whose pattern is its URL alone; parts of the page are told."""
    html = '<meta name="robots" content="noindex, max-snippet:20"><body><p class="the-acap:disallow-index">x</p>'
    conversion = convert(html, "acap", kind="page", url="https://example.com/a$b?c")
    assert lines(conversion.text) == [
        "ACAP-crawler: *",
        "ACAP-disallow-index: /a%24b?c$",
        "ACAP-disallow-present: /a%24b?c$",
    ]
    assert any("part of the page" in note.message for note in conversion.notes)


def test_headers_become_fields() -> None:
    """X-Robots-Tag headers become ACAP records, one for each crawler they name."""
    text = b"HTTP/1.1 200 OK\nX-Robots-Tag: bot: nofollow\nX-Robots-Tag: unavailable_after: 2100-01-01\n\n"
    said = lines(convert(text, "acap", kind="headers", url="/").text)
    assert said[:2] == ["ACAP-crawler: bot", "ACAP-disallow-follow: /$"]
    assert "ACAP-allow-index: /$ time-limit=until-2100-01-01" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"to": "xml"}, "unknown target"),
        ({"to": "meta"}, "need its URL"),
        ({"to": "robots", "kind": "page", "url": "/"}, "ACAP fields"),
        ({"to": "acap", "kind": "page", "url": "x"}, "neither an absolute URL nor a path"),
    ],
)
def test_a_wrong_call_is_told(arguments: dict[str, str], message: str) -> None:
    """What cannot be converted raises ValueError with what to do."""
    with pytest.raises(ValueError, match=message):
        convert(b"User-agent: *\n", **arguments)  # type: ignore[arg-type]  # options of several types


def test_utf16_is_refused() -> None:
    """A UTF-16 file is not converted; the message names what makes it UTF-8."""
    with pytest.raises(ValueError, match="lint --fix"):
        convert("User-agent: *\n".encode("utf-16"), "acap")


def test_intersections_are_exact() -> None:
    """What two patterns have in common is matched by the patterns found, and nothing else is."""
    patterns = ["/", "/*a", "*/b", "/a*b$", "/*/a", "/b/", "/a/*", "/**b*a", "/b$", "*ab", "/*a*b"]
    paths = ["/" + "".join(word) for size in range(6) for word in itertools.product("ab/", repeat=size)]

    def matched(pattern: str) -> set[str]:
        from acap import _native

        return {path for path in paths if _native.matches(pattern.encode(), path.encode())}

    for a, b in itertools.product(patterns, repeat=2):
        common = intersection(a, b)
        assert set().union(*map(matched, common)) == matched(a) & matched(b), (a, b, common)
        assert meet(a, b) == bool(common)
        assert all(contains(a, one) and contains(b, one) for one in common)


def test_a_spelling_is_longer_and_means_the_same() -> None:
    """Stars make a pattern longer where it has room for them."""
    assert spelling("/a", 4) == "/a**"
    assert spelling("/a*b$", 7) == "/a***b$"
    assert spelling("/a$", 4) is None


def test_the_command_converts_and_proves(tmp_path: Path) -> None:
    """`--verify` says that all is equal, `-o` writes the result, notes go to standard error."""
    file, out = tmp_path / "robots.txt", tmp_path / "new.txt"
    file.write_bytes(b"User-agent: *\nDisallow: /x\nCrawl-delay: 5\n")
    done = acap("convert", file, "--to", "acap", "--verify", "-o", out)
    assert (done.code, done.out) == (0, "")
    assert "verified: every answer is the same" in done.err
    assert "line 3: `Crawl-delay` has no word in ACAP" in done.err
    assert out.read_bytes().endswith(b"ACAP-crawler: *\nACAP-disallow-crawl: /x\n")
    assert file.read_bytes() == b"User-agent: *\nDisallow: /x\nCrawl-delay: 5\n"


def test_the_command_claims_what_it_proved() -> None:
    """A prohibition is never dropped unasked, and of crawling alone nothing more is called verified."""
    given = b"ACAP-crawler: *\nACAP-disallow-preserve: /\n"
    refused = acap("convert", "-", "--to", "robots", given=given)
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert "line 2: `preserve` of `/` for `*` cannot be expressed as `robots`" in refused.err
    assert "--crawl-only" in refused.err
    done = acap("convert", "-", "--to", "robots", "--crawl-only", "--verify", given=given)
    assert (done.code, done.out) == (0, "")
    assert "line 2: `preserve` cannot be expressed" in done.err
    assert "verified for crawl only" in done.err
    assert "every answer is the same" not in done.err


def test_the_command_tells_what_differs() -> None:
    """What headers say stricter than robots.txt is a changed answer, and `--verify` ends with 1."""
    told = acap(
        "convert", "-", "--to", "headers", "--url", "/a", "--verify", given=b"ACAP-crawler: *\nACAP-disallow-index: /\n"
    )
    assert told.code == 1
    assert "changed: present of /a for any other crawler: permitted became prohibited" in told.err
    assert "stricter than robots.txt for others: present" in told.err


def test_quiet_leaves_the_document_alone() -> None:
    """The document is what was asked for; what is said of it, or shown in its place, is left out."""
    text = b"User-agent: *\nDisallow: /x\nCrawl-delay: 5\n"
    asked = ("convert", "-", "--to", "acap", "--verify")
    told, quiet = acap(*asked, given=text), acap("--quiet", *asked, given=text)
    assert told.err
    assert quiet == Result(told.code, told.out, "")
    assert acap(*asked, "--diff", "-q", given=text) == Result(0, "", "")


def test_the_command_shows_a_difference() -> None:
    """`--diff` shows the added lines."""
    shown = acap("convert", "-", "--to", "acap", "--diff", given=b"User-agent: *\nDisallow: /x\n")
    assert "+ACAP-disallow-crawl: /x" in shown.lines


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--to", "robot"), "did you mean `robots`"),
        (("--to", "meta"), "name it with --url"),
        (("--to", "robots", "--only"), "--only"),
        (("--to", "acap", "--crawl-only"), "--crawl-only"),
        (("--to", "acap", "-c", "a"), "--crawler"),
    ],
)
def test_a_wrong_call_of_the_command_is_one_line(arguments: tuple[str, ...], message: str) -> None:
    """A wrong call ends with 2 and one line that says what to do."""
    result = acap("convert", "-", *arguments, given=b"User-agent: *\n")
    assert result.code == 2
    assert message in result.err
    assert result.err.count("\n") == 1


def test_what_cannot_be_said_in_time_is_undetermined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the time of the command is over before a policy is said, it ends with 3 and one line that says so."""
    monkeypatch.setattr("acap.cli.convert.PATIENT_SECONDS", 0.0)
    for more in ((), ("--verify",)):
        late = acap("convert", "-", "--to", "acap", *more, given=b"User-agent: *\nAllow: /a*b\nDisallow: /*c\n")
        assert (late.code, late.out, late.err.count("\n")) == (3, "", 1)
        assert "converting to `acap` takes longer than 0 seconds" in late.err


def test_the_command_has_one_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every proof of a command gets what is left of the command's time; one that gets nothing is undecided."""
    now, given = 1_000.0, []

    def slow(*policies: RobotsPolicy, seconds: float, **asked: Any) -> Comparison:
        nonlocal now
        given.append(seconds)
        found = compare(*policies, seconds=seconds, **asked)
        now += min(seconds, 10.0)
        return found

    monkeypatch.setattr("acap.publish.patterns.time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr("acap.publish.convert.proof.compare", slow)
    asked = ("convert", "-", "--to", "acap", "--verify")
    text = b"User-agent: *\nDisallow: /x\n"
    assert acap(*asked, given=text).code == 0
    assert given == [15.0, 170.0, 160.0]
    for seconds, left in ((25.0, [15.0, 15.0, 5.0]), (20.0, [15.0, 10.0, 0.0])):
        given.clear()
        monkeypatch.setattr("acap.cli.convert.PATIENT_SECONDS", seconds)
        done = acap(*asked, given=text)
        assert given == left
        assert (done.code, done.out == "") == ((0, False) if left[-1] else (3, True))


def test_the_proof_about_a_page_ends_in_its_time() -> None:
    """What was asked of a page in no time at all is undecided."""
    conversion = convert("User-agent: *\nDisallow: /x\n", "meta", url="/a")
    assert verify(conversion).verdict == "equal"
    assert verify(conversion, seconds=0.0).verdict == "undecided"


@pytest.mark.parametrize("to", ["acap", "acap-1.0", "robots", "meta", "headers"])
def test_whoever_waits_is_told_in_time(to: Target) -> None:
    """Files whose rules all meet, of many crawlers, or both: each ends near its time, and says why."""
    met = [f"/{'abcdefgh'[n % 8]}{n}*{'xyz'[n % 3]}{n * 7 % 1000}" for n in range(4_000)]
    rules = "".join(f"{('Allow', 'Disallow')[n % 2]}: {path}\n" for n, path in enumerate(met))
    many = "".join(f"User-agent: bot{n}\nDisallow: {path}$\n" for n, path in enumerate(met))
    acap = "".join(f"ACAP-{('allow', 'disallow')[n % 2]}-crawl: {path}\n" for n, path in enumerate(met))
    for text in (f"User-agent: *\n{rules}", many, f"ACAP-crawler: *\n{acap}"):
        begun = time.process_time()
        with suppress(ValueError):
            convert(text, to, url="/a1", seconds=0.2)
        assert time.process_time() - begun < 5
    with pytest.raises(OutOfTimeError, match=f"converting to `{to}` takes longer than 0 seconds"):
        convert(f"ACAP-crawler: *\n{acap}" if to == "robots" else many, to, url="/a1", seconds=0.0)
