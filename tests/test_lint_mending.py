"""Fixes of what the readers find: they change the writing and never the meaning, and leave alone what is in doubt."""

from __future__ import annotations

import pytest

from acap.problems import DocumentKind
from acap.publish.lint.catalogue import rules
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.fixing import fix
from acap.publish.lint.run import run

RECORD = "ACAP-crawler: *\n"


def found(code: str, text: str | bytes, kind: DocumentKind = "robots") -> tuple[Finding, ...]:
    return run(Document(text.encode() if isinstance(text, str) else text, "x", kind), [code])


def mended(code: str, text: str | bytes, kind: DocumentKind = "robots") -> bytes:
    """What the safe fixes of one rule make of a document."""
    return fix(Document(text.encode() if isinstance(text, str) else text, "x", kind), [code]).document.octets


@pytest.mark.parametrize(
    ("code", "bad", "good"),
    [
        ("missing-colon", "\ufeffUser-agent *\r\nDisallow: /\r\n", "\ufeffUser-agent: *\r\nDisallow: /\r\n"),
        ("misspelt-field", "  User Agent : a # useragent\nDisallow:\n", "  User-agent : a # useragent\nDisallow:\n"),
        ("acap-hyphen", "ACAP\u2013crawler: a\n", "ACAP-crawler: a\n"),
        ("acap-hyphen", RECORD + "ACAP-resource -set: b /*.gif$ /c\n", RECORD + "ACAP-resource-set: b /*.gif$ /c\n"),
        ("acap-hyphen", RECORD + "ACAP allow (a b) /c # d", RECORD + "ACAP-allow-(a-b): /c # d"),
        ("acap-crawler-name", "ACAP-crawler: xb/1 b/1\n", "ACAP-crawler: xb b\n"),
        ("acap-relative-pattern", "ACAP-resource-set: x a/ ba/ a/\n", "ACAP-resource-set: x /a/ /ba/ /a/\n"),
        ("acap-several-crawlers", "ACAP-crawler: a b # c\r\n", "ACAP-crawler: a\r\nACAP-crawler: b # c\r\n"),
        ("acap-plural", RECORD + "ACAP-allow-present-oldcopies: /\n", RECORD + "ACAP-allow-present-oldcopy: /\n"),
    ],
)
def test_a_fix_changes_the_name_or_value_alone(code: str, bad: str, good: str) -> None:
    assert mended(code, bad) == good.encode()


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("relative-pattern", "User-agent: *\nDisallow: all\n"),
        ("relative-pattern", "User-agent: *\nDisallow: www.example.com/a\n"),
        ("relative-pattern", "User-agent: *\nDisallow: .pdf\n"),
        ("relative-pattern", "User-agent: *\nDisallow: /\nAllow: a/\n"),
        ("no-field", "User-agent: *\nDisallow /a /b\n"),
        ("no-field", "User-agent: *\n/private/\n"),
        ("nul-octet", "User-agent: *\nDisallow: /a\0b\n"),
        ("unknown-field", "User-agent: a\nDisallop: /\nUser-agent: b\nDisallow: /b\n"),
        ("acap-empty-purpose", "ACAP-crawler: a\nACAP-usage-purpose:\nACAP-crawler: b\nACAP-allow-crawl: /\n"),
        ("acap-guessed-usage", RECORD + "ACAP-disallow-present-video: /\n"),
    ],
)
def test_what_is_in_doubt_is_found_and_not_mended_safely(code: str, text: str) -> None:
    assert found(code, text)
    assert mended(code, text) == text.encode()


def test_definitions_move_together_in_their_order_and_keep_the_first_of_a_name() -> None:
    text = "#\nACAP-crawler: *\nACAP-resource-set: a /1\nACAP-allow-crawl: /\nACAP-resource-set: a /2"
    wanted = "#\nACAP-resource-set: a /1\nACAP-resource-set: a /2\nACAP-crawler: *\nACAP-allow-crawl: /\n"
    assert mended("acap-misplaced-definition", text) == wanted.encode()


def test_a_definition_stays_behind_a_byte_order_mark() -> None:
    text = b"\xef\xbb\xbfACAP-crawler: *\nACAP-resource-set: a /1\n"
    assert mended("acap-misplaced-definition", text) == b"\xef\xbb\xbfACAP-resource-set: a /1\nACAP-crawler: *\n"


@pytest.mark.parametrize("encoding", ["utf-8", "windows-1252"])
def test_a_tag_is_mended_where_it_stands_whatever_the_encoding(encoding: str) -> None:
    page = '<p title="\u00e9">\u00e9</p><meta content="noindx" name="robots"><p>noindx'
    wanted = page.replace('"noindx"', '"noindex"')
    assert mended("page-unknown-word", page.encode(encoding), "page") == wanted.encode(encoding)


def test_a_tag_that_is_written_with_entities_is_left_alone() -> None:
    page = '<meta name="robots" content="noindx&#44; nofollow">'
    assert found("page-unknown-word", page, "page")
    assert mended("page-unknown-word", page, "page") == page.encode()


def test_a_purpose_stays_with_the_statement_that_it_stands_before() -> None:
    page = '<meta name="robots" content="ACAP news allow-index disallow-follow">'
    wanted = '<meta name="robots" content="ACAP news allow-index">\n<meta name="robots" content="ACAP disallow-follow">'
    assert mended("acap-several-statements", page, "page") == wanted.encode()


def test_headers_are_mended_in_their_own_line() -> None:
    headers = "X-Robots-Tag: nofollow\r\nServer: noindex; x\r\nX-Robots-Tag: bot: noindex; nosnippet\r\n"
    wanted = headers.replace("noindex; nosnippet", "noindex, nosnippet")
    assert mended("page-semicolon", headers, "headers") == wanted.encode()


def test_a_field_that_is_in_use_elsewhere_is_worth_a_word_and_no_warning() -> None:
    (finding,) = found("unknown-field", "User-agent: *\nNoarchive: /a\nDisallow:\n")
    assert (finding.severity, finding.fix) == ("info", None)
    assert "noarchive" in (finding.help or "")


def test_a_field_that_some_reader_knows_is_never_called_unknown() -> None:
    known = (
        "Sitemap: https://e.example/s", "Crawl-delay: 1", "Request-rate: 1/5", "Visit-time: 0100-0200",
        "Host: e.example", "Clean-param: a /b", "Noindex: /a", "Content-Signal: search=yes",
        "Content-Usage: train-ai=n", "License: https://e.example/l",
        "Comment: a", "Robot-version: 2.0", "ACAP-crawler: *",
    )  # fmt: skip
    text = "User-agent: *\n" + "\n".join(known) + "\nDisallow:\n"
    assert found("unknown-field", text) == found("no-field", text) == ()


def test_a_file_of_thousands_of_faults_is_found_whole() -> None:
    text = RECORD + "ACAP-allow preserve: /\n" * 5_000
    assert len(found("acap-hyphen", text)) == 5_000


def test_every_problem_of_robots_and_pages_has_a_rule() -> None:
    from acap.problems import CATALOGUE

    # Lint has all octets of a document, and reads them; what was not retrieved, or is of another site, is a problem of
    # those who retrieve, as is what metadata of files says.
    elsewhere = ("embedded-", "tdmrep-not-had", "tdmrep-other-site", "cawg-missing-package")
    assert {code for code in CATALOGUE if not code.startswith(elsewhere)} <= rules().keys()
