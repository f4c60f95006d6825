"""Lint tells all that the readers find: of a robots.txt, a page, the headers of a response, other dialects."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from acap import Source, parse_ai_txt, parse_page, parse_robots, parse_rsl, parse_tdmrep, parse_training_mining
from acap.problems import CATALOGUE, DocumentKind
from acap.publish.lint.catalogue import codes as every_code
from acap.publish.lint.catalogue import rule
from acap.publish.lint.document import Document
from acap.publish.lint.run import run
from tests.command_line import ROOT
from tests.page_vectors import page_vectors
from tests.vector_files import policies

_ACAP = re.compile(rb"^ACAP-([^:\r\n]+):", re.MULTILINE)
_SIGNAL = re.compile(rb"^Content-(?:Signal|Usage):[^\r\n]*", re.MULTILINE)
_CONTENT = re.compile(r"""content\s*=\s*("[^"\r\n]*"|'[^'\r\n]*')""")


_SITE = "https://www.example.com"
_OF_SITE = "tdmrep-other-site"  # lint of a file does not know its site
_READERS: dict[DocumentKind, Callable[[bytes], Source]] = {
    "tdmrep": lambda octets: parse_tdmrep(octets, url=_SITE),
    "ai-txt": lambda octets: parse_ai_txt(octets, url=_SITE),
    "rsl": parse_rsl,
    "cawg": parse_training_mining,
}


def robots() -> list[bytes]:
    """The robots.txt files of the vectors, each once."""
    return list(dict.fromkeys(one.octets for one in policies() if one.octets is not None))


def headers() -> Iterator[bytes]:
    """Headers that say what vectors of robots.txt and of pages say, a response each."""
    for octets in robots():
        yield from (b"X-Robots-Tag: ACAP " + found[1].strip() for found in _ACAP.finditer(octets))
        yield from (found[0] for found in _SIGNAL.finditer(octets))
    for page in page_vectors():
        yield "".join(f"{name}: {value}\n" for name, value in page.headers).encode()
        text = page.html if isinstance(page.html, str) else ""
        yield from (b"X-Robots-Tag: " + found[1][1:-1].encode() for found in _CONTENT.finditer(text))
    yield b"X-Robots-Tag: noindex, " + b"a" * 262_200
    yield b"".join(b"X-Robots-Tag: %d %s\n" % (n, b"a" * 1_000) for n in range(300))


def documents() -> Iterator[tuple[DocumentKind, bytes, set[str]]]:
    """Each with the codes of the problems that its reader tells."""
    for octets in robots():
        yield "robots", octets, {problem.code for problem in parse_robots(octets).problems}
    for page in page_vectors():
        if page.html is not None:
            octets = page.html if isinstance(page.html, bytes) else page.html.encode()
            read = parse_page(octets, url=None, headers=[("content-type", "text/html")])
            yield "page", octets, {problem.code for problem in read.problems}
    for octets in dict.fromkeys(headers()):
        if b"\0" in octets:
            continue
        lines = re.split("\r\n|\r|\n", octets.decode("latin-1"))
        fields = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]
        yield "headers", octets, {problem.code for problem in parse_page(None, url=None, headers=fields).problems}
    for kind, octets in vectors():
        yield kind, octets, {problem.code for problem in _READERS[kind](octets).problems} - {_OF_SITE}


def vectors() -> Iterator[tuple[DocumentKind, bytes]]:
    """The documents of the open vectors of other dialects."""
    for kind in _READERS:
        for case in json.loads((ROOT / f"vectors/{kind}.json").read_text(encoding="utf-8"))["cases"]:
            text = case["input"].get("document", {}).get("body")
            if isinstance(text, str):
                yield kind, text.encode()


ONE_CAUSE = {"acap-relative-pattern", "acap-stray-text"}
"""A blank within a path of ACAP, which lint tells once."""


def test_lint_tells_every_problem_that_the_readers_tell() -> None:
    """A rule that is named after a problem speaks wherever a reader finds it, and says that it does.

    Of a file that is not a robots.txt lint says this alone.
    """
    readers = [code for code in every_code() if code in CATALOGUE]
    silent, unnamed = set(), set()
    for kind, octets, codes in documents():
        told = {finding.code for finding in run(Document(octets, "a document", kind), readers)}
        as_one = ONE_CAUSE if told & ONE_CAUSE else set()
        silent |= {(code, kind) for code in ({"no-robots-txt"} & codes or codes) - told - as_one}
        unnamed |= {(code, kind) for code in codes if kind not in rule(code).kinds}
    assert silent == set()
    assert unnamed == set()
