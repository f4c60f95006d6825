"""What is read and asked: real files with the verdicts of Google's matcher, and generated ones from a fixed seed."""

from __future__ import annotations

import dataclasses
import gzip
import json
import os
import random
import re
from pathlib import Path

CORPUS = Path(__file__).resolve().parent.parent / "tests/vectors/rep/corpus.jsonl.gz"
CRAWLER = "Googlebot"  # one of the crawlers for whom the corpus holds verdicts
VARIABLE = "ACAP_BENCH_CORPUS"
"""Names a folder of robots.txt files that are measured beside ours: nzrsky/robotstxt-benchmark-data, for example."""
SITE = "https://www.example.com"
WORDS = ("news", "archive", "search", "images", "private", "tag", "print", "user", "api", "story")
USAGES = ("crawl", "index", "preserve", "present-snippet", "present-thumbnail", "follow")


@dataclasses.dataclass(frozen=True, slots=True)
class File:
    """A robots.txt, URLs to ask about, and whether Google's matcher allows each of them to `CRAWLER`."""

    octets: bytes
    urls: list[str]
    allowed: list[bool]


def load(path: Path = CORPUS) -> list[File]:
    """The files of a corpus: lines of JSON with `robots` (octets as Latin-1), `agents`, `urls`, `allowed`."""
    files = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            verdicts = row["allowed"][row["agents"].index(CRAWLER)]
            files.append(File(row["robots"].encode("latin-1"), row["urls"], [verdict == "1" for verdict in verdicts]))
    return files


def given(variable: str = VARIABLE) -> list[bytes]:
    """Every file beneath the folder that the environment names, in the order of their paths; empty if it names none."""
    folder = os.environ.get(variable)
    if not folder:
        return []
    found = [path.read_bytes() for path in sorted(Path(folder).rglob("*")) if path.is_file()]
    if not found:
        raise FileNotFoundError(f"{variable} names the folder {folder}, which has no files")
    return found


def urls_of(octets: bytes, most: int = 5) -> list[str]:
    """The root of a site and paths that its own lines name, as far as they are paths without wildcards."""
    named = re.findall(rb"(?mi)^(?:dis)?allow:[ \t]*(/[\w/.-]+)\s*$", octets)
    return [f"{SITE}/", *(f"{SITE}{path.decode('latin-1')}x" for path in dict.fromkeys(named[:most]))]


def generated(rules: int, urls: int = 1_000) -> File:
    """So many rules for all crawlers, half of them prefixes and half with a leading `*`, and URLs.

    A third of the URLs is refused by a prefix, a third by a rule with `*`, a third by none.
    """
    draw = random.Random(9309)
    names = [f"{draw.choice(WORDS)}-{number}" for number in range(rules)]
    patterns = [f"*/{name}/" if number % 2 else f"/{name}/" for number, name in enumerate(names)]
    lines = ["User-agent: *", *(f"Disallow: {pattern}" for pattern in patterns)]
    asked, allowed = [], []
    for number in range(urls):
        # Of the names, those of even places are prefixes.
        place = 2 * draw.randrange(rules // 2)
        path = (
            f"/{names[place]}/page-{number}.html",
            f"/{draw.choice(WORDS)}/{names[place + 1]}/page-{number}.html",
            f"/{draw.choice(WORDS)}/{draw.choice(WORDS)}/page.html?number={number}",
        )[number % 3]
        asked.append(SITE + path)
        allowed.append(number % 3 == 2)
    return File("\n".join(lines).encode(), asked, allowed)


def acap_files(count: int) -> list[bytes]:
    """Files with conventional groups and ACAP records behind them."""
    draw = random.Random(9309)
    return [_acap_file(draw) for _ in range(count)]


def _acap_file(draw: random.Random) -> bytes:
    lines = ["##ACAP version=1.1"]
    for crawler in draw.sample(("*", "examplebot", "newsbot", "imagebot"), k=draw.randint(1, 3)):
        verbs = draw.choices(("Disallow", "Allow"), weights=(2, 1), k=draw.randint(1, 25))
        lines += [f"User-agent: {crawler}", *(f"{verb}: {_pattern(draw)}" for verb in verbs), ""]
        verbs = draw.choices(("allow", "disallow"), k=draw.randint(1, 25))
        fields = (f"ACAP-{verb}-{draw.choice(USAGES)}: {_pattern(draw)}" for verb in verbs)
        lines += [f"ACAP-crawler: {crawler}", *fields, ""]
    return "\n".join(lines).encode()


def _pattern(draw: random.Random) -> str:
    path = "/" + "/".join(draw.choices(WORDS, k=draw.randint(1, 4)))
    return path + draw.choice(("", "/", "*", "/*.html", "$", "/*/print"))
