"""Lint reads the documents of every dialect, and holds those of one site against each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from acap.problems import DocumentKind
from acap.publish.lint.document import Document
from acap.publish.lint.kinds import kind_of_source
from acap.publish.lint.run import lint
from tests.command_line import acap

RESERVED = b'[{"location": "/", "tdm-reservation": 1}]\n'
OPEN = b"User-agent: *\nContent-Signal: ai-train=yes\nDisallow:\n"
RSL = b'<?xml version="1.0"?>\n<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license/></content></rsl>\n'


@pytest.mark.parametrize(
    ("name", "octets", "kind"),
    [
        ("tdmrep.json", b"{", "tdmrep"),
        ("x.json", RESERVED, "tdmrep"),
        ("x.json", b'{"@context": ["http://www.w3.org/ns/odrl.jsonld", "http://www.w3.org/ns/tdmrep"]}', "tdm-policy"),
        ("x.json", b'{"label": "cawg.training-mining", "data": {}}', "cawg"),
        ("x.json", b'\xef\xbb\xbf {"active_manifest": "a"}', "cawg"),
        ("ai.txt", b"", "ai-txt"),
        ("example.org.ai.txt", b"", "ai-txt"),
        ("x.xml", RSL, "rsl"),
        ("sitemap.xml", b'<?xml version="1.0"?><urlset/>', None),
        ("robots.txt", b"# https://rslstandard.org/rsl tdm-reservation\nUser-agent: *\n", None),
        ("package.json", b'{"name": "x"}', None),
    ],
)
def test_a_dialect_is_told_by_name_and_beginning(name: str, octets: bytes, kind: DocumentKind | None) -> None:
    assert kind_of_source(name, octets) == kind


def found(octets: bytes, name: str, kind: DocumentKind, *beside: Document, path: str = "/") -> list[tuple[int, str]]:
    document = Document(octets, name, kind, beside=beside, path=path)
    return [(one.line, one.message) for one in lint(document, select=["carriers-disagree"])]


TDMREP = Document(RESERVED, "tdmrep.json", "tdmrep")


def test_what_one_carrier_permits_and_another_refuses_is_found_where_it_is_permitted() -> None:
    ((line, message),) = found(OPEN, "robots.txt", "robots", TDMREP)
    assert line == 2
    assert "in tdmrep.json refuses it" in message
    assert found(RESERVED, "tdmrep.json", "tdmrep", Document(OPEN, "robots.txt")) == []


def test_terms_that_another_carrier_asks_for_are_found_too() -> None:
    policy = RESERVED.replace(b"1}", b'1, "tdm-policy": "https://www.example.com/policy"}')
    ((_, message),) = found(OPEN, "robots.txt", "robots", Document(policy, "tdmrep.json", "tdmrep"))
    assert "asks for terms" in message


@pytest.mark.parametrize(
    "text",
    [
        OPEN.replace(b"yes", b"no"),
        b"User-agent: *\nDisallow: /\n",
        b"User-agent: *\nContent-Signal: search=yes\nDisallow:\n",
        b"User-agent: GPTBot\nContent-Signal: ai-train=yes\nDisallow:\n",
    ],
)
def test_agreement_silence_and_other_uses_are_no_contradiction(text: bytes) -> None:
    assert found(text, "robots.txt", "robots", TDMREP) == []


def test_a_contradiction_on_some_paths_has_one_as_witness() -> None:
    text = b"User-agent: *\nContent-Signal: /news/*.pdf$ ai-train=yes\nDisallow:\n"
    (finding,) = lint(Document(text, "robots.txt", beside=[TDMREP]), select=["carriers-disagree"])
    assert finding.witness == "/news/a.pdf"


def test_a_page_is_asked_at_its_own_path() -> None:
    drafts = Document(RESERVED.replace(b'"/"', b'"/drafts/"'), "tdmrep.json", "tdmrep")
    headers = b"Server: x\nContent-Signal: ai-train=yes\n"
    assert found(headers, "a.headers", "headers", drafts, path="/a.html") == []
    ((line, _),) = found(headers, "a.headers", "headers", drafts, path="/drafts/a.html")
    assert line == 2


def test_a_page_may_replace_what_its_site_says_in_the_same_dialect() -> None:
    """TDMRep 6.7: the later carrier supersedes the earlier."""
    assert found(b"tdm-reservation: 0\n", "a.headers", "headers", TDMREP) == []


def test_a_directory_is_searched_for_the_documents_of_a_site(tmp_path: Path) -> None:
    for name, octets in {
        "site/robots.txt": OPEN,
        "site/.well-known/tdmrep.json": RESERVED,
        "site/license.xml": RSL,
        "site/sitemap.xml": b"<urlset/>",
        "site/news/a.headers": b"Content-Signal: ai-train=yes\n",
        "other/ai.txt": b"- [Home](/)\n\nUser-Agent: *\nDisallow: *.jpg\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(octets)
    done = acap("lint", tmp_path, "--output-format", "github")
    told = [line.partition("title=")[2].partition("::")[0] for line in done.lines]
    assert sorted(told) == ["ai-txt-mixed", "carriers-disagree", "carriers-disagree"]


def test_a_kind_can_be_said_and_standard_input_is_recognised() -> None:
    assert "tdmrep-value" in acap("lint", "-", given=RESERVED.replace(b"1}", b"7}")).out
    assert "tdmrep-not-json" in acap("lint", "-", "--kind", "tdmrep", given=b"x").out


def test_a_saved_response_with_a_status_is_read() -> None:
    answer = b"HTTP/1.1 402 Payment Required\ncrawler-price: much\n\n"
    told = {one.code for one in lint(Document(answer, "a.headers", "headers"))}
    assert told == {"response-price", "response-no-page"}
