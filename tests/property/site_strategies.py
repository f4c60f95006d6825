"""A site that changes its pages and its mind, drawn from a random generator: policies, responses, what is crawled.

Every part of every response has a word that stands nowhere else.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from tests.embedded_files import chunk, png
from tests.property import page_strategies as pages
from tests.property import vocabulary as words
from tests.property.strategies import Palette, referenced
from tests.reference.page import Page, read_page

SITE = words.SITE
PATHS = words.words("/a /b /a/b /a/b.x /ab /b.x /sum.txt /i")
NAMES = words.words("bot SearchBot1 news-bot")
LIMITS = words.words("0-days 1-days 5-days 10-days 30-days until-2025-06-30 until-2025-07-01 until-recrawled")
DEFINITIONS = words.lines("""
    ACAP-qualified-usage: brief index time-limit=5-days
    ACAP-qualified-usage: passing preserve time-limit=3-days
    ACAP-composite-usage: both (brief) (passing)
    ACAP-qualified-usage: lead index must-use-resource=the-acap:idlist:n0,n2
    ACAP-qualified-usage: lead index
    ACAP-qualified-usage: brief index
    ACAP-qualified-usage: passing preserve time-limit=10-days
""")
TOKENS = words.words("""
    the-acap:allow-(brief) the-acap:allow-(passing) the-acap:allow-(both) the-acap:allow-(lead) the-acap:disallow-index
    the-acap:disallow-preserve the-acap:allow-index the-acap:allow-preserve b
""")
REQUIRED = "must-use-resource"


@dataclass
class Response:
    """What a crawl brought: `words` are those of its parts, in their order; `succeeded` once there is a newer one."""

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    words: tuple[str, ...] = ()
    succeeded: bool = False
    unread: str = ""

    @property
    def speaks(self) -> bool:
        """Whether it has a body that was read."""
        return self.status == 200 and not self.unread

    @property
    def media(self) -> str:
        """Its type."""
        return self.headers[0][1].partition(";")[0]

    @property
    def page(self) -> Page:
        """As the reference reads it."""
        return page_of(self.body if self.media == "text/html" else None, self.url, self.headers)


@lru_cache(512)
def page_of(body: bytes | None, url: str, headers: tuple[tuple[str, str], ...]) -> Page:
    """A page as the reference reads it, once."""
    return read_page(body, url=url, headers=headers)


def picture(word: str) -> bytes:
    """A picture with a word in it, and no metadata."""
    whole, data = png(), f" {word} ".encode()
    at = whole.rindex(b"IEND") - 4
    beside = chunk(b"zzZz", data)
    return whole[:at] + beside + whole[at:]


@dataclass(frozen=True)
class Crawl:
    """A path to crawl, and what its site answers.

    `is_same`: what it answered before, if it did; `edit`: that, with other words to crawlers, drawn from a number.
    `unread`: why its body cannot be read.
    """

    path: str
    status: int
    response: Response
    is_same: bool = False
    edit: int | None = None
    unread: str = ""


def bodyless(response: Response, status: int, seed: int, unread: str = "") -> Response:
    """What may come in place of a page: a failure, no page, a part of one; its headers may say something."""
    random = Random(seed)
    said = [one for one in response.headers if one[0] == "X-Robots-Tag"]
    if random.random() < 0.6:
        words = ("noindex", "noarchive", "nosnippet", "none", "max-snippet:3", "noindex, noarchive, nosnippet")
        said.append(("X-Robots-Tag", random.choice(words)))
    headers = (("Content-Type", "text/html"), *said)
    return replace(response, status=status, headers=headers, words=(), succeeded=False, unread=unread)


def edited(response: Response, seed: int) -> Response:
    """A page with the same text as before that says more to crawlers: a remedy, as publishers make it."""
    random = Random(seed)
    body, headers = response.body.decode(), response.headers
    usages = ("index", "preserve", "present", "present-oldsnippet", "present-oldcopy", "present-link")
    for kind in random.sample(("meta", "header", "element", "text"), random.choice((1, 1, 2))):
        if kind == "meta":
            body = f'<meta name="robots" content="ACAP disallow-{random.choice(usages)}">{body}'
        elif kind == "header":
            headers = (*headers, ("X-Robots-Tag", random.choice(("noindex", "noarchive", "nosnippet", "none"))))
        elif kind == "element" and response.words:
            number, usage = random.randrange(len(response.words)), random.choice(usages[:-1])
            mark = f' data-n="{number}"'
            body = body.replace(mark, f' class="the-acap:disallow-{usage}"{mark}')
        elif kind == "text":
            body += "<p>corrected"
    return replace(response, body=body.encode(), headers=headers, succeeded=False)


class DrawnSite:
    """What a site may say and answer; `all_words` are those of the parts of its responses so far."""

    def __init__(self, random: Random) -> None:
        self.random = random
        names = [random.choice(NAMES), random.choice(words.NAMES), "*", "*"]
        drawn = Palette.drawn(random)
        kept = random.choice((["index", "preserve"], ["index", "preserve"], list(drawn.usages[1:])))
        self.palette = replace(drawn, names=names, usages=["crawl", *kept, "index", "preserve"])
        self.paths = random.sample(PATHS, random.randint(3, 5))
        self.texts = [self.drawn_policy()]
        self.references = {uri: referenced(random) for uri in words.REFERENCES if random.random() < 0.7}
        self.all_words: set[str] = set()

    def drawn_crawl(self) -> Crawl:
        """A path to crawl, and what its site may answer."""
        random = self.random
        path = random.choice(self.paths)
        status = random.choice((*[200] * 14, 304, 304, 304, 503, 503, 429, 206, 404, 410, 301, 451))
        unread = "cut" if status == 206 or (status == 200 and random.random() < 0.12) else ""
        kind = random.random()
        edit = random.randrange(2**32) if 0.35 < kind < 0.6 else None
        return Crawl(path, status, self.drawn_response(path), is_same=kind < 0.35, edit=edit, unread=unread)

    def drawn_policy(self) -> bytes:
        """A robots.txt that lets crawl more often than not."""
        random = self.random
        lines = [line.decode() for line in pages.robots(random, self.palette)]
        # A history has no documents beside robots.txt: laws of those are in test_site_document_laws.
        lines = [line for line in lines if "licen" not in line.lower()]
        if random.random() < 0.7:
            lines += ["ACAP-crawler: *", "ACAP-allow-crawl: /"]
            for _ in range(random.choice((0, 1, 2))):
                usage, effect = random.choice(("index", "preserve")), random.choice(("allow", "allow", "disallow"))
                lines.append(f"ACAP-{effect}-{usage}: {random.choice(self.palette.patterns)}")
        lines += [one for one in DEFINITIONS if random.random() < 0.4]
        out = []
        for line in lines:
            if line.startswith(("ACAP-allow-index: ", "ACAP-allow-preserve: ", "ACAP-allow-crawl: ")):
                if "limit" not in line and random.random() < 0.35 and "crawl" not in line:
                    line += f" time-limit={random.choice(LIMITS)}"
                elif random.random() < 0.12 and REQUIRED not in line and "crawl" not in line:
                    line += (
                        f" {REQUIRED}={random.choice((*self.paths, 'the-acap:idlist:a,n1', 'the-acap:classlist:b'))}"
                    )
            out.append(re.sub(r"(id:|idlist:)a\b", r"\1n1", line))
        return "\n".join([*out, ""]).encode()

    def drawn_response(self, path: str) -> Response:
        """A response with content, each part with a word of its own."""
        random = self.random
        headers = tuple(
            ("X-Robots-Tag", pages.header(random, self.palette)) for _ in range(random.choice((0, 0, 0, 0, 1)))
        )
        kind = random.random()
        if path == "/i" or (path == "/sum.txt" and kind < 0.7) or kind < 0.1:
            media = "image/png" if path == "/i" else "text/plain"
            word = self.word()
            body = picture(word) if media == "image/png" else f"GIF {word} .".encode()
            return Response(SITE + path, 200, (("Content-Type", media), *headers), body, (word,))
        return self.drawn_page(path, headers)

    def drawn_page(self, path: str, headers: tuple[tuple[str, str], ...] = ()) -> Response:
        """A page."""
        random = self.random
        tags = [pages.tag(random, self.palette) for _ in range(random.choice((0, 0, 0, 1, 2)))]
        nodes = [pages.Node(1, "div", "id='n9'")]
        for node in pages.nodes(random, self.palette) if random.random() < 0.6 else ():
            more = " ".join(random.choice(TOKENS) for _ in range(random.choice((0, 0, 1, 1, 2))))
            attributes = node.attributes
            if more and "class=" in attributes:
                attributes = attributes.replace('class="', f'class="{more} ')
            elif more:
                attributes += f' class="{more}"'
            nodes.append(replace(node, attributes=attributes))
        made: list[str] = []

        def named(_: object) -> str:
            made.append(self.word())
            return f' data-n="{len(made) - 1}">{made[-1]} '

        text = re.sub(r">w[0-9]+ ", named, pages.PageCase(tuple(tags), tuple(nodes)).page)
        html = (("Content-Type", "text/html; charset=utf-8"), *headers)
        return Response(SITE + path, 200, html, text.encode(), tuple(made))

    def word(self) -> str:
        """A word that stands nowhere else."""
        word = "".join(self.random.choice(string.ascii_lowercase) for _ in range(11))
        self.all_words.add(word)
        return word
