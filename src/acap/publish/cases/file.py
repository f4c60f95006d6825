"""Reading a file of cases: TOML, and every key and value of it checked.

    robots = "robots.txt"              # relative to this file
    site = "https://www.example.com"
    at = 2026-11-01

    [[case]]
    name = "letters stay out of indexes"
    paths = ["/letters/", "/letters/gulls.html"]
    crawlers = ["searchbot", "archivebot"]
    usage = "index"
    expect = "prohibited"

Keys above the first case hold for the whole file. The keys `crawler`, `usage`, `purpose`, `at`, `facts`, `dialect`,
`profile` and `elements` may stand there too, for cases that do not have them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from acap import _native
from acap.publish.cases.case import Case, CaseFile, CasesError
from acap.publish.cases.keys import Keys, case_of

MAX_FILE_OCTETS = 16 * 1024 * 1024
"""Largest file of cases; a larger one was named by mistake, or is a device."""

MAX_CHECKS = 200_000
"""Most checks per file: some seconds of work. Lists multiply, so a few long ones can make more than was meant."""

# Keys above the cases, beside those that are a default for every case.
_OF_FILE = ("robots", "site", "references", "documents", "case")
_DEFAULTS = (
    *("crawler", "crawlers", "usage", "usages", "purpose", "purposes"),
    *("at", "facts", "dialect", "profile", "elements"),
)

# Strings and comments, in which a `[[case]]` is not one; and the real ones.
_TOKEN = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|^[ \t]*(?P<case>\[\[[ \t]*(?:case|"case"|\'case\')[ \t]*\]\])'
    r'|"(?:[^"\\\n]|\\[^\n])*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*",
    re.MULTILINE | re.DOTALL,
)

_KEY_PARTS = 100  # of a dotted key: tomllib takes a time that grows with their square, hours for a megabyte of them
_PART = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\[^\n])*+"|'[^'\n]*+')"""
_LONG_KEY = re.compile(rf"(?:^|[\[{{,])[ \t]*+{_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{_KEY_PARTS}}}", re.MULTILINE)


def read_cases(path: Path, *, name: str | None = None) -> CaseFile:
    """Reads a file of cases; `name` is what messages call it (default: the path as given).

    Raises:
        CasesError: it cannot be read, is not TOML, or has a key or value that means nothing.
    """
    name = str(path) if name is None else name
    try:
        with path.open("rb") as file:
            octets = file.read(MAX_FILE_OCTETS + 1)
    except (OSError, ValueError) as error:
        raise CasesError(f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if len(octets) > MAX_FILE_OCTETS:
        raise CasesError(f"{name}: larger than {MAX_FILE_OCTETS >> 20} MiB; it cannot be a file of cases")
    return parse_cases(octets, path, name=name)


def parse_cases(octets: bytes, path: Path, *, name: str) -> CaseFile:
    """The cases in the octets of a file at `path`, which may be about to be written: nothing is read from it.

    Raises:
        CasesError: it is not TOML, or has a key or value that means nothing.
    """
    try:
        text = octets.decode("utf-8-sig")
        if _LONG_KEY.search(text):
            raise CasesError(f"{name}: not TOML that is read here: a key has more than {_KEY_PARTS} parts")
        table = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise CasesError(f"{name}: not UTF-8 from octet {error.start} on; save it as UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise CasesError(f"{name}: not TOML: {error}") from error
    return _file(path, name, text, table)


def _file(path: Path, name: str, text: str, table: dict[str, Any]) -> CaseFile:
    keys = Keys(table, name)
    keys.only((*_OF_FILE, *_DEFAULTS))
    robots, site = keys.text("robots"), keys.text("site")
    if robots is None and site is None:
        raise keys.error("robots", 'names no policy; write `robots = "robots.txt"`, or `site` for --live')
    if site is not None and _native.origin(site) is None:
        raise keys.error("site", f"is `{site}`, which is not the URL of a site; write it as https://www.example.com")
    references = {uri: path.parent / file for uri, file in keys.texts_by_name("references").items()}
    if references and robots is None:
        raise keys.error("references", "belong to a policy in a file; name it in `robots`")
    documents = {url: path.parent / file for url, file in keys.texts_by_name("documents").items()}
    for url in documents:
        if not url.startswith("/") and _native.origin(url) is None:
            raise keys.error("documents", f"has `{url}`, which is neither a path of the site nor a URL")
    tables = table.get("case", [])
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        raise keys.error("case", "is not a list of tables; begin each case with [[case]]")
    if not tables:
        raise CasesError(f"{name}: has no case; begin one with [[case]]")
    defaults = {key: table[key] for key in _DEFAULTS if key in table}
    lines = list(case_lines(text))
    if len(lines) != len(tables):  # written in another way than as [[case]]
        lines = [0] * len(tables)
    cases: list[Case] = []
    places: dict[str, str] = {}
    for number, (one, line) in enumerate(zip(tables, lines, strict=True), 1):
        case = case_of(one, defaults, file=name, number=number, line=line, folder=path.parent, site=site)
        place = f"{name}:{line}" if line else f"case {number}"
        if case.name in places:
            raise CasesError(f"{place}: case `{case.name}`: `name` is that of {places[case.name]} too; give it another")
        places[case.name] = place
        cases.append(case)
    if (checks := sum(map(len, cases))) > MAX_CHECKS:
        raise CasesError(f"{name}: makes {checks:,} checks, and the limit is {MAX_CHECKS:,}; split it")
    policy = None if robots is None else path.parent / robots
    return CaseFile(path, name, policy, site, references, tuple(cases), documents)


def case_lines(text: str) -> Iterator[int]:
    """The line of each `[[case]]` in a TOML document, which tomllib does not give."""
    at, line = 0, 1
    for token in _TOKEN.finditer(text):
        if token["case"]:
            line += text.count("\n", at, token.start("case"))
            at = token.start("case")
            yield line
