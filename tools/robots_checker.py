"""Where robots-checker answers otherwise than acap's class in its place, by cause, with Google's matcher as the judge.

    pip install robots-checker==1.2.3
    ACAP_BENCH_GOOGLE=… python -m tools.robots_checker

It asks about the files of `tests/vectors/rep`, for each crawler of robots-checker's list, and prints the table of
`docs/how-to/robots-checker.md`. A difference has a cause if robots-checker, with that cause taken out of the file,
answers as acap does; or if acap does as robots-checker.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from acap.integrations.robots_checker import COMPLIANT, USER_AGENTS, RobotsTxtComplianceChecker
from benchmarks.programs import Program, program
from tools.links import ROOT

FILES = ROOT / "tests/vectors/rep"
USER_AGENT = re.compile(r"(?im)^([ \t]*user-?\s?agent[ \t]*:[ \t]*)([^\r\n#]*)")
FIELD = re.compile(r"(?im)^(?![ \t]*(?:user-?agent|(?:dis)?allow)[ \t]*:)[^\r\n]+")
ACAP = re.compile(r"(?im)^[ \t]*acap[^\r\n]*")
SLASHLESS = re.compile(r"(?im)^[ \t]*(?:dis)?allow[ \t]*:[ \t]*(?![/*$\s])[^\r\n]*")
MARK = re.compile(r"(?m)^[\ufeff\ufffd\x00-\x1f]*[\ufeff\ufffd][\ufeff\ufffd\x00-\x1f]*")
RESERVED = re.compile(r"(?i)%(?=2[134678abcf]|3[abdf]|40|5[bd])")  # RFC 3986 2.2


class Asked(NamedTuple):
    """A question about a file: the file, its name, who asks, the URL."""

    name: str
    octets: bytes
    crawler: str
    url: str

    @property
    def text(self) -> str:
        """The file as robots-checker reads it."""
        return self.octets.decode("utf-8", "replace")


def corpus() -> Iterator[Asked]:
    """Real files, each with URLs that its rules are about, for each crawler."""
    with gzip.open(FILES / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            octets = row["robots"].encode("latin-1")
            for crawler in USER_AGENTS:
                yield from (Asked(row["id"], octets, crawler, url) for url in dict.fromkeys(row["urls"]))


def conformance() -> Iterator[Asked]:
    """Cases of other implementations' tests, as far as all three can be asked."""
    with (FILES / "conformance.jsonl").open(encoding="utf-8") as lines:
        for number, row in enumerate(map(json.loads, lines)):
            crawler, url = row["agent"], row["url"]
            if re.fullmatch(r"[\w-]+(/[\w.]+)?", crawler) and re.match(r"https?://[^/?#\s]+/\S*$", url):
                octets = bytes.fromhex(row["body_hex"]) if "body_hex" in row else row["body"].encode()
                yield Asked(str(number), octets, crawler, url)


class Theirs:
    """The class of robots-checker itself, about one file at a time."""

    def __init__(self) -> None:
        from url_checker import core

        core.load_robots = lambda **_: {}
        self._checker = core.RobotsTxtComplianceChecker()
        self._of: bytes | str | None = None

    def __call__(self, octets: bytes | str, crawler: str, url: str) -> bool:
        if octets is not self._of:
            self._of = octets
            type(self._checker)._get_parser.cache_clear()
        self._checker.robots_dict = {url.split("/")[2]: octets}
        return bool(self._checker.is_compliant(url, [crawler]) == COMPLIANT)


class Ours:
    """The class in its place, likewise; each file is read once."""

    def __init__(self, dialect: str = "auto") -> None:
        self._dialect = dialect
        self._of: tuple[bytes, str] = b"", ""
        self._checker = RobotsTxtComplianceChecker(robots={})

    def __call__(self, octets: bytes, crawler: str, url: str) -> bool:
        host = url.split("/")[2]
        if octets is not self._of[0] or host != self._of[1]:
            self._of = octets, host
            self._checker = RobotsTxtComplianceChecker(robots={host: octets}, dialect=self._dialect)
        return self._checker.is_compliant(url, [crawler]) == COMPLIANT


def without_others(asked: Asked) -> str:
    """The file with the groups of crawlers of other names named otherwise."""
    name = asked.crawler.partition("/")[0].lower()
    return USER_AGENT.sub(
        lambda found: found[0] if found[2].strip().lower() in (name, "*") else f"{found[1]}nobody", asked.text
    )


def first_words(asked: Asked) -> str:
    """The file with the first word of each name alone."""
    return USER_AGENT.sub(lambda found: found[1] + (found[2].split() or [""])[0], asked.text)


CAUSES: dict[str, Callable[[Asked], str]] = {
    "a byte order mark, or what is left of one, hides a line": lambda asked: MARK.sub("", asked.text),
    "a group of another name within the crawler's binds it: `Applebot` and `Applebot-Extended`": without_others,
    "a line between `User-agent` lines ends their group": lambda asked: FIELD.sub("", asked.text),
    "a pattern that is a URL counts as a path": lambda asked: SLASHLESS.sub("", asked.text),
    "an escape of a reserved character is decoded": lambda asked: RESERVED.sub("%25", asked.text),
    "words after a crawler's name count as its name": first_words,
    "a no-break space is stripped": lambda asked: asked.text.replace("\xa0", "%C2%A0"),
}
"""What of a file leads robots-checker elsewhere, and the file without it."""
LINES_OF_ACAP = "ACAP lines are heard"
LONG = "a line is longer than 16 KiB: what was cut of it is a doubt"
DOLLAR = "a `$` of the URL is no end of a pattern"
OTHER = "another cause"


def cause(asked: Asked, theirs: Theirs, ours: Ours) -> str:
    """Why the answers to a question differ."""
    answer = ours(asked.octets, asked.crawler, asked.url)
    for name, without in CAUSES.items():
        if (text := without(asked)) != asked.text and theirs(text, asked.crawler, asked.url) == answer:
            return name
    plain = ACAP.sub("", asked.octets.decode("latin-1")).encode("latin-1")
    if Ours()(plain, asked.crawler, asked.url) == theirs(asked.octets, asked.crawler, asked.url):
        return LINES_OF_ACAP
    if max(map(len, asked.octets.splitlines())) > 2**14:
        return LONG
    if "$" in asked.url or "%24" in asked.url:
        return DOLLAR
    return OTHER


def main() -> None:
    """Prints a table for each set of files."""
    google, theirs, ours = program("google"), Theirs(), Ours()
    for name, source in (("corpus", corpus), ("conformance", conformance)):
        questions, differing, both = 0, defaultdict[str, list[tuple[Asked, bool, bool]]](list), 0
        verdicts = defaultdict[tuple[str, str], list[bool]](lambda: [True, True, True])
        for asked, judged in _judged(google, source()):
            questions += 1
            mine = ours(asked.octets, asked.crawler, asked.url)
            other = theirs(asked.octets, asked.crawler, asked.url)
            verdict = verdicts[asked.name, asked.url]
            verdict[:] = verdict[0] and other, verdict[1] and mine, verdict[2] and judged
            if other != mine:
                differing[cause(asked, theirs, ours)].append((asked, mine, judged))
            elif mine != judged:
                both += 1
        print(f"{name}: {questions:,} questions; alike and otherwise than Google's matcher: {both:,}")
        split = [verdict for verdict in verdicts.values() if verdict[0] != verdict[1]]
        with_us = sum(verdict[1] == verdict[2] for verdict in split)
        print(
            f"{len(verdicts):,} verdicts on URLs, {len(split):,} differ; Google's matcher is {with_us:,} times with us"
        )
        print(
            "| cause | questions | files | refused here alone | permitted here alone | Google's matcher is with acap |"
        )
        for one, found in sorted(differing.items(), key=lambda item: -len(item[1])):
            files = len({asked.name for asked, _, _ in found})
            permitted = sum(mine for _, mine, _ in found)
            with_us = sum(mine == judged for _, mine, judged in found)
            print(f"| {one} | {len(found):,} | {files} | {len(found) - permitted:,} | {permitted:,} | {with_us:,} |")
        for asked, mine, judged in differing.get(OTHER, [])[:20]:
            print("  ", asked.name, asked.crawler, asked.url, mine, judged)


def _judged(google: Program, questions: Iterator[Asked]) -> Iterator[tuple[Asked, bool]]:
    """Each question with the answer of Google's matcher, which is asked by product tokens."""
    kept: dict[bytes, Any] = {}
    held: list[Asked] = []

    def answered() -> Iterator[tuple[Asked, bool]]:
        crawler, urls = held[0].crawler.partition("/")[0], [one.url for one in held]
        yield from zip(held, google.answers(kept[held[0].octets], crawler, urls), strict=True)
        held.clear()

    for asked in questions:
        if held and (asked.octets is not held[0].octets or asked.crawler != held[0].crawler):
            yield from answered()
        if asked.octets not in kept:
            numbers: list[Any] = [None]
            google.read([asked.octets], numbers)
            kept[asked.octets] = numbers[0]
        held.append(asked)
    if held:
        yield from answered()


if __name__ == "__main__":
    main()
