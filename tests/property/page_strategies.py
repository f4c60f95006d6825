"""Pages, headers and a robots.txt beside them, and questions about the page, that look for trouble.

`generate_page` makes one case from a `random.Random`, fast and repeatable. A case keeps its parts apart, so that one
can be left out.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from random import Random

from tests.property import vocabulary as words
from tests.property.strategies import INSTANTS, NOON, Palette, Several, acap_record, conventional_group, path_of

WORDS = words.words("""
    noindex nofollow none noarchive nocache nosnippet noimageindex noai noml noimageai notranslate all index follow
    max-snippet:0 max-snippet:20 max-snippet:50 max-snippet:-1 max-snippet:x max-image-preview:none
    max-image-preview:standard max-image-preview:large max-video-preview:5 max-video-preview:-1 NoIndex unknown
""")
DATES = words.lines("""
    unavailable_after: 2025-06-30
    unavailable_after:2025-07-01
    unavailable_after: 2025-07-01T12:00:00+02:00
    unavailable_after: Mon, 30 Jun 2025 23:00:00 GMT
    unavailable_after: 30 Jun 2025 15:00:00 PST
    unavailable_after: Monday, 30-Jun-25 12:30:00 UTC
    unavailable_after: Tue Jul  1 00:30:00 2025
""")
USAGES_OF_WORDS = words.words("""
    index present follow present-snippet present-oldsnippet present-currentcopy present-thumbnail ai-train ai-input
    ai-train-generative search present-link
""")
LOCATIONS = words.words("""
    http://site.example/a /a a http://site.example/a/b ./b http://other.example/a HTTP://SITE.example:80/a#x /a?x=1
    https://site.example/a ../a
""")
VERSIONS = ("1.0", "1.1", "1.1", "0.2")
PURPOSES = words.words("news news sports news.* * http://a.b")
ASKED_PURPOSES = (None, None, None, *words.words("news sports news.x http://a.b/"))
PROFILES = ("generic", "generic", "google", "bing")
TAGS = ("div", "section", "article")


@dataclass(frozen=True)
class Node:
    """An element: how deep it is nested, and its attributes as they are written."""

    depth: int
    tag: str
    attributes: str


@dataclass(frozen=True)
class PageAsked:
    """What is asked of a page."""

    crawler: Several
    usage: Several
    purpose: str | None
    at: datetime
    elements: bool = True
    profile: str = "generic"
    facts: Mapping[str, datetime] | None = None
    honours: frozenset[str] | None = None
    silence: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PageCase:
    """A page, its headers, its site's robots.txt, and questions."""

    tags: tuple[tuple[str, str], ...]
    nodes: tuple[Node, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    robots: tuple[bytes, ...] | None = None
    url: str | None = None
    questions: tuple[PageAsked, ...] = field(default=())

    @property
    def page(self) -> str:
        """The page. Each element has a word of its own, `w` and its number in document order."""
        head = "\n".join(
            f'<meta name="{html.escape(name)}" content="{html.escape(content)}">' for name, content in self.tags
        )
        body = ""
        open_: list[Node] = []
        for number, node in enumerate(self.nodes):
            while open_ and open_[-1].depth >= node.depth:
                body += f"</{open_.pop().tag}>"
            body += f"<{node.tag} {node.attributes}>w{number} "
            open_.append(node)
        body += "".join(f"</{node.tag}>" for node in reversed(open_))
        return f"<!doctype html><html><head>{head}</head><body>{body}</body></html>"

    @property
    def asked_url(self) -> str:
        """The URL that is asked for."""
        return self.url or f"{words.SITE}/a"


def generate_page(random: Random) -> PageCase:
    """One case; the same for the same state of `random`."""
    palette = Palette.drawn(random)
    case = PageCase(
        tags=tuple(tag(random, palette) for _ in range(random.choice((0, 1, 2, 3, 4, 5)))),
        nodes=nodes(random, palette) if random.random() < 0.6 else (),
        headers=tuple(
            signal_header(random) if random.random() < 0.3 else ("X-Robots-Tag", header(random, palette))
            for _ in range(random.choice((0, 0, 0, 1, 2)))
        ),
        robots=robots(random, palette) if random.random() < 0.6 else None,
        url=random.choice((None, *[words.SITE + path_of(random, random.choice(palette.patterns))] * 5)),
    )
    if random.random() < 0.2:
        case = replace(case, tags=(*case.tags, ("robots", f"ACAP Version {random.choice(VERSIONS)}")))
    return replace(case, questions=tuple(asked(random, palette) for _ in range(4)))


def tag(random: Random, palette: Palette) -> tuple[str, str]:
    """A META tag: its name and its content."""
    name = random.choice(palette.names).replace(
        "*", random.choice(("robots", "robots", "Robots", "*", "#1", "robots x"))
    )
    if random.random() < 0.35:
        return name, some_words(random)
    return name, acap_content(random, palette)


def acap_content(random: Random, palette: Palette) -> str:
    """A content of ACAP, in most cases as the specification spells it."""
    parts = ["ACAP", *(random.choice(PURPOSES) for _ in range(random.choice((0, 0, 0, 0, 1, 1, 2))))]
    parts += statement(random, palette)
    if random.random() < 0.08:
        parts[-1] += random.choice(("", ",", ";")) if not parts[-1].endswith(",") else ""
        parts += [random.choice(PURPOSES)] if random.random() < 0.3 else []
        parts += statement(random, palette)
    if random.random() < 0.04:
        parts.append("stray")
    if random.random() < 0.12:
        # A slip in the mark, a verb, a usage or a qualifier.
        at = random.randrange(len(parts))
        parts[at] = slipped(random, parts[at])
    content = random.choice((" ", " ", " ", "\t", "\n  ", "\xa0")).join(parts)
    return random.choice((*[content] * 8, content.lower(), f" {content} ", content.replace("-", "–", 1)))


def statement(random: Random, palette: Palette) -> list[str]:
    """A permission or prohibition with its qualifiers."""
    effect = random.choice(("allow", "allow", "disallow"))
    qualifiers = [random.choice(words.QUALIFIERS) for _ in range(random.choice((0, 0, 0, 1, 1, 2)))]
    if random.random() < 0.1:
        qualifiers.append(f"location={random.choice(LOCATIONS)}")
    if random.random() < 0.05:
        qualifiers.append(random.choice(words.BAD_QUALIFIERS))
    return [f"{effect}-{usage_name(random, palette)}", *qualifiers]


def usage_name(random: Random, palette: Palette) -> str:
    """A usage, seldom one that is local or unknown."""
    if random.random() < 0.12:
        form = random.choice(("({})", "({})", "({})", "({})", "({})", "(-{})", "({}", "(({}))"))
        return random.choice(words.STRANGE) if random.random() < 0.4 else form.format(random.choice(words.LOCAL))
    return random.choice((*palette.usages[1:], *palette.usages[1:], palette.usages[0], random.choice(words.STANDARD)))


def some_words(random: Random) -> str:
    """Conventional words, and the dates of some."""
    found = [random.choice(WORDS) for _ in range(random.choice((1, 1, 2, 3)))]
    if random.random() < 0.2:
        found.insert(random.randint(0, len(found)), random.choice(DATES))
    return random.choice((", ", ", ", ",", "; ")).join(found)


def header(random: Random, palette: Palette) -> str:
    """A value of X-Robots-Tag, its words addressed to some or to anybody."""
    if random.random() < 0.25:
        name = random.choice(palette.names)
        before = random.choice(("", "", f"{name}: ", f"{some_words(random)}, ", f"{name}: {some_words(random)}, "))
        return before + acap_content(random, palette)
    value = some_words(random)
    for _ in range(random.choice((0, 0, 1, 2))):
        value = f"{random.choice(palette.names)}: {value}"
        if random.random() < 0.5:
            value = f"{some_words(random)}, {value}"
    return value


def signal_header(random: Random) -> tuple[str, str]:
    """A header of Content-Signal or Content-Usage."""
    lines = [line.partition(":") for line in words.SIGNALS if line.lower().startswith(("content-signal:", "content-u"))]
    name, _, value = random.choice(lines)
    return name, value.strip()


def nodes(random: Random, palette: Palette) -> tuple[Node, ...]:
    """Elements nested in each other, most of them with class tokens."""
    found = []
    depth = 1
    for number in range(random.choice((1, 2, 2, 3, 4, 6))):
        attributes = [f'id="n{number}"'] if random.random() < 0.8 else []
        tokens = [class_token(random, palette) for _ in range(random.choice((0, 1, 1, 1, 2, 3)))]
        attributes += [f'class="{" ".join(tokens)}"'] if tokens else []
        attributes += ["data-nosnippet"] if random.random() < 0.12 else []
        found.append(Node(depth, random.choice(TAGS), " ".join(attributes)))
        depth = random.randint(1, depth + 1)
    return tuple(found)


def class_token(random: Random, palette: Palette) -> str:
    """A class token, in most cases one of ACAP."""
    if random.random() < 0.05:
        return random.choice(("lead", "the-acap:noindex", "the-acap:", "acap:allow-", "disallow-index"))
    prefix = random.choice(("the-acap:", "the-acap:", "the-acap:", "acap:", "THE-ACAP:"))
    token = f"{prefix}{random.choice(('allow', 'disallow', 'disallow'))}-{usage_name(random, palette)}"
    return slipped(random, token) if random.random() < 0.12 else token


def slipped(random: Random, word: str) -> str:
    """A word with one slip: a letter left out, put in, or exchanged with its neighbour."""
    at = random.randrange(len(word))
    return random.choice(
        (
            word[:at] + word[at + 1 :],
            word[:at] + random.choice("xs1-_") + word[at:],
            word[:at] + random.choice("xs1-_") + word[at + 1 :],
            word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :],
        )
    )


def robots(random: Random, palette: Palette) -> tuple[bytes, ...]:
    """The lines of a robots.txt that has something to say on the page."""
    blocks = [conventional_group(random, palette)] if random.random() < 0.3 else []
    blocks += [acap_record(random, palette) for _ in range(random.choice((0, 1, 1, 2)))]
    lines = [line.octets for block in blocks for line in block]
    lines += [random.choice(words.DEFINITIONS).encode() for _ in range(random.choice((0, 0, 2, 4)))]
    return tuple(lines)


def asked(random: Random, palette: Palette) -> PageAsked:
    """A question that the case has something to say on, more often than not."""
    crawler: Several = random.choice([name for name in palette.names if name != "*"])
    if random.random() < 0.2:
        crawler = random.choice(words.CRAWLERS)
    usage: Several = random.choice(palette.usages)
    if random.random() < 0.4:
        usage = random.choice((random.choice(USAGES_OF_WORDS), random.choice(words.ASKED)))
    days = (0, 9, 10, 29, 30, 31)
    facts = {name: NOON - timedelta(days=random.choice(days)) for name in words.FACTS if random.random() < 0.7}
    honours = frozenset(("time-limit", "max-length", "prohibited-modification", "must-use-resource"))
    return PageAsked(
        crawler=crawler,
        usage=usage,
        purpose=random.choice(ASKED_PURPOSES),
        at=random.choice((*INSTANTS, datetime(2025, 6, 29, tzinfo=UTC))),
        elements=random.random() < 0.85,
        profile=random.choice(PROFILES),
        facts=facts if random.random() < 0.6 else None,
        honours=honours if random.random() < 0.1 else None,
        silence={random.choice(USAGES_OF_WORDS[:9]): "prohibited"} if random.random() < 0.1 else {},
    )


def shrunk_page(case: PageCase, fails: Callable[[PageCase], bool]) -> PageCase:
    """A smaller case that still fails: one question, and no part too many."""
    single = (replace(case, questions=(each,)) for each in case.questions)
    case = next((candidate for candidate in single if fails(candidate)), case)
    smaller = True
    while smaller:
        found = next((candidate for candidate in without_a_part(case) if fails(candidate)), None)
        case, smaller = found or case, found is not None
    return case


def without_a_part(case: PageCase) -> list[PageCase]:
    """The case with one part less, for each of its parts."""

    def less(parts: Sequence[object]) -> list[tuple[object, ...]]:
        return [(*parts[:at], *parts[at + 1 :]) for at in range(len(parts))]

    found = [replace(case, robots=None)] if case.robots is not None else []
    for name in ("tags", "nodes", "headers", "robots"):
        found += [replace(case, **{name: cut}) for cut in less(getattr(case, name) or ())]  # type: ignore[arg-type]  # fields of several types
    return found
