"""Reading a page and deciding every usage beside its parse alone, and its usable text beside extractors of text."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable

from selectolax.lexbor import LexborHTMLParser

import acap
from acap.carriers import carriers
from acap.usages import PARENTS
from benchmarks import clock
from benchmarks.clock import Spread, in_turns, now

URL = "https://www.example.com/news/2009/article.html"
CRAWLER = "examplebot"
OCTETS = 90_000
GOAL = 1.25
"""At most so many times the parse alone."""
GOAL_OF_DIALECTS = 1.15
"""With headers in six dialects, at most so many times the page alone."""
OCTETS_OF_CONTENT = 60_000
GOAL_OF_CONTENT = 1.3
"""Reading a page and the text that one usage may use: at most so many times the fastest extractor."""
GOAL_OF_SPEED = 800
"""At least so many pages are read for their usable text in a second of processor time."""
CONTENT = "acap, the text that `index` may use"

DIALECTS = (
    ("X-Robots-Tag", "max-snippet:50, noai"),
    ("Content-Usage", "train-ai=n, search=y"),
    ("Content-Signal", "ai-train=no, search=yes"),
    ("tdm-reservation", "1"),
    ("tdm-policy", "https://www.example.com/policies/1"),
    ("Link", '<https://www.example.com/license.xml>; rel="license"; type="application/rsl+xml"'),
    ("crawler-price", "USD 0.01"),
)
"""Robots words, AIPREF, Content-Signal, TDMRep, RSL, and the price of an answer."""

_TIMES = 100
_WORDS = """
    the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one
    you were her all she there would their we him been has when who will more no if out so said what up its about into
    than them can only other new some could time these two may then do first any my now such like our over man me even
    most made after also did many before must through years where much your way well down should because each just
""".split()  # noqa: SIM905  # words are easier to read than a list of them


@dataclasses.dataclass(frozen=True, slots=True)
class Pages:
    """What the page was, and what each work took, in microseconds of processor time.

    `dialects` is the page alone and with headers in six dialects, each read as a response and decided. `content` is a
    smaller page and its text, by acap and by each extractor that is there; `characters` are how many each gives.
    """

    octets: int
    elements: int
    works: dict[str, Spread]
    dialects: dict[str, Spread]
    content_octets: int
    content: dict[str, Spread]
    characters: dict[str, int]


def typical(octets: int = OCTETS) -> str:
    """A news page as they are: scripts and styles, links without end, an article in the middle.

    It has an element for every 45 octets or so: with that its parse takes as long as those of real pages of this size,
    of which the median was 0.4 ms.
    """
    chance = random.Random(9309)

    def words(count: int) -> str:
        return " ".join(chance.choices(_WORDS, k=count)).capitalize()

    def path() -> str:
        return f"/{chance.choice(('news', 'sport', 'culture', 'science'))}/2009/{chance.randrange(10_000, 99_999)}.html"

    def teaser() -> str:
        number = chance.randrange(1_000)
        return (
            f'<div class="teaser teaser--{chance.randrange(9)} js-track" data-id="{number}"><a href="{path()}" '
            f'class="teaser__link"><span class="frame"><img class="image" src="/images/{number}.jpg" alt="{words(4)}" '
            f'width="320" height="180"></span><h3 class="title"><span>{words(4)}</span></h3></a><p class="text">'
            f'{words(5)} <em>{words(1)}</em></p><span class="meta"><time datetime="2009-09-25">25 Sep</time> '
            f"<i>{words(2)}</i></span></div>\n"
        )

    linked = {"@type": "NewsArticle", "headline": words(9), "articleBody": words(200), "author": words(2)}
    head = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
        f'<title>{words(9)}</title>\n<meta name="description" content="{words(25)}">\n',
        '<meta name="robots" content="index, follow, max-image-preview:large, noarchive">\n',
        '<meta name="robots" content="ACAP allow-index">\n<meta name="robots" content="ACAP disallow-preserve">\n',
        *(f'<meta property="og:{name}" content="{words(6)}">\n' for name in ("title", "type", "image", "site_name")),
        *(f'<link rel="stylesheet" href="/styles/{number}.css">\n' for number in range(4)),
        f'<script type="application/ld+json">{json.dumps(linked)}</script>\n',
        "<style>",
        *(f".teaser--{number}{{margin:0 {number}px;color:#33{number}}}\n" for number in range(60)),
        "</style>\n",
        *(f"<script>window.q=window.q||[];q.push({{i:{number},s:'{words(60)}'}});</script>\n" for number in range(8)),
        "</head>\n<body>\n",
    ]  # fmt: skip
    navigation = "".join(f'<li class="nav__item"><a href="{path()}">{words(2)}</a></li>' for _ in range(120))
    article = "".join(
        f'<p>{words(55)} <a href="{path()}">{words(3)}</a> {words(20)}, <em>{words(3)}</em>.</p>\n' for _ in range(28)
    )
    body = [
        f'<nav><ul class="nav">{navigation}</ul></nav>\n<main><article><h1>{words(9)}</h1>\n',
        f"{article}</article></main>\n",
    ]
    size = sum(map(len, [*head, *body]))
    while size < octets:
        body.append(teaser())
        size += len(body[-1])
    return "".join([*head, *body, "<footer><p>", words(30), "</p></footer>\n</body>\n</html>\n"])


def measure(rounds: int) -> Pages:
    """The parse alone, reading, and reading and deciding every usage, in turns, in a process of its own.

    There the allocator keeps what was freed: else the work that happens to free the top of the heap pays for all.
    """
    kept = {"MALLOC_TRIM_THRESHOLD_": str(1 << 30), "MALLOC_MMAP_THRESHOLD_": str(1 << 30)}
    command = [sys.executable, "-m", "benchmarks.pages", str(rounds)]
    told = json.loads(subprocess.run(command, env=os.environ | kept, check=True, stdout=subprocess.PIPE).stdout)
    for part in ("works", "dialects", "content"):
        told[part] = {name: Spread(**spread) for name, spread in told[part].items()}
    return Pages(**told)


def _measure(rounds: int) -> Pages:
    html = typical()
    robots = acap.parse_robots(b"User-agent: *\nDisallow: /private/\n", url="https://www.example.com/robots.txt")
    headers = [("Content-Type", "text/html; charset=utf-8"), ("X-Robots-Tag", "noai")]

    def read() -> acap.PagePolicy:
        return acap.parse_page(html, url=URL, headers=headers)

    def decide() -> None:
        acap.decide_each(URL, crawler=CRAWLER, robots=robots, page=read())

    def respond(*more: tuple[str, str]) -> None:
        found = carriers(html.encode(), url=URL, headers=[headers[0], *more], status=200)
        acap.decide_each(URL, crawler=CRAWLER, robots=robots, page=found.page, others=found.others)

    works: dict[str, Callable[[], object]] = {
        "the parse alone": lambda: LexborHTMLParser(html),
        "acap, reading": read,
        f"acap, reading and deciding {len(PARENTS)} usages": decide,
    }

    def timed(work: Callable[[], object]) -> Callable[[], float]:
        def took() -> float:
            started = now()
            for _ in range(_TIMES):
                work()
            return (now() - started) / _TIMES * 1e6

        return took

    spreads = in_turns({name: timed(work) for name, work in works.items()}, rounds)
    dialects = {"the page alone": timed(respond), "with headers in six dialects": timed(lambda: respond(*DIALECTS))}
    beside = in_turns(dialects, rounds)
    smaller = typical(OCTETS_OF_CONTENT)

    def content() -> str:
        page = acap.parse_page(smaller, url=URL, headers=headers)
        return page.content_for("index", crawler=CRAWLER, robots=robots).text

    # The first is what the others are compared with.
    texts = {**_extractors(smaller), CONTENT: content}
    characters = {name: len(text()) for name, text in texts.items()}
    assert all(characters.values()), characters
    return Pages(
        len(html.encode()), len(LexborHTMLParser(html).css("*")), spreads, beside, len(smaller.encode()),
        in_turns({name: timed(text) for name, text in texts.items()}, rounds), characters,
    )  # fmt: skip


def _extractors(html: str) -> dict[str, Callable[[], str]]:
    """What others make of a page, the fastest first, by those that are installed."""
    found: dict[str, Callable[[], str]] = {}
    with contextlib.suppress(ImportError):
        plain = importlib.import_module("resiliparse.extract.html2text").extract_plain_text
        found["resiliparse, plain text"] = lambda: str(plain(html, main_content=False))
        found["resiliparse, main content"] = lambda: str(plain(html, main_content=True))
    with contextlib.suppress(ImportError):
        extract = importlib.import_module("trafilatura").extract
        found["trafilatura, main content"] = lambda: extract(html) or ""
    return found


if __name__ == "__main__":
    clock.stay_on_one_processor()
    print(json.dumps(dataclasses.asdict(_measure(int(sys.argv[1])))))
