"""The page on what the words of every dialect come to, found by asking about documents that say one thing each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import acap
from acap.crawler_list import known_crawlers
from acap.dialects.cawg import USAGES as ENTRIES
from acap.pages.embedded.claims import VOCABULARY
from acap.pages.words import TABLE
from acap.usages import PARENTS

SITE = "https://www.example.com"
URL = f"{SITE}/a"

ABOUT = """# What the words of each dialect mean

Look up what a word of a dialect prohibits. Each row is a document that says one thing and nothing else, and the answer
of acap: the usages that are prohibited, or conditional.

A usage stands for those below it: `tdm` for `ai-train`, `ai-train-generative`, `ai-input`
and `ai-index`, `ai-train` for `ai-train-generative`, `present` for the ten ways to present. You cannot use what you
may not fetch, so `crawl` stands for all. Where a row lists `present` and some of its ten, the others are permitted;
`present`, asked for as a whole, is not.

A tool asks acap word by word and writes the table. [The semantics](../semantics.md) and the page of each dialect have
the reasons."""

Row = tuple[str, dict[str, acap.Decision]]


NOTES = {
    "Robots META tags and X-Robots-Tag": """\
The header `Robots-Tag`, a list of structured fields (`*;nosnippet, ExampleBot;noindex`), is not read. Only an
individual draft has it (draft-illyes-repext), with another grammar in its first version; it expired on 2026-10-20, and
no crawler is known to obey it. **Our choice**. Send `X-Robots-Tag`, which crawlers obey.""",
}
"""What is said below the table of a dialect."""


def page() -> str:
    """The page: a table for each dialect."""
    parts = [ABOUT]
    for title, rows in tables():
        lines = ["| what is written | prohibited | conditional |", "|---|---|---|"]
        for written, decisions in rows:
            cells = (usages(decisions, outcome) for outcome in ("prohibited", "conditional"))
            lines.append(f"| {written} | {' | '.join(cells)} |")
        parts += [f"## {title}", "\n".join(lines), *filter(None, [NOTES.get(title)])]
    return "\n\n".join(parts) + "\n"


def usages(decisions: dict[str, acap.Decision], outcome: str) -> str:
    """The usages of an outcome, without those that one above them stands for."""
    found = [usage for usage in PARENTS if decisions[usage].outcome == outcome]
    if "crawl" in found:
        return "`crawl`"
    whole = {above for above in PARENTS if above in found and all(u in found for u in PARENTS if PARENTS[u] == above)}
    return ", ".join(f"`{usage}`" for usage in found if PARENTS[usage] not in whole)


def tables() -> Iterator[tuple[str, Iterable[Row]]]:
    """Title and rows of each dialect."""
    yield "robots.txt", [in_robots("Disallow: /"), *of_control_tokens()]
    yield "ACAP", [in_robots(f"ACAP-disallow-{usage}: /", "ACAP-crawler: *") for usage in PARENTS]
    yield "Robots META tags and X-Robots-Tag", [in_header("X-Robots-Tag", word) for word in TABLE if TABLE[word]]
    yield (
        "AIPREF: Content-Usage",
        [in_header("Content-Usage", f"{name}=n") for name in ("search", "train-ai", "ai-use")],
    )
    bounds = [in_header("Content-Signal", f"use={bound}") for bound in ("immediate", "reference", "full")]
    names = ("search", "ai-input", "ai-train")
    yield "Content-Signal", [*(in_header("Content-Signal", f"{name}=no") for name in names), *bounds]
    yield (
        "RSL",
        [
            in_robots("License: https://www.example.com/l.xml"),
            *(in_licence(f'<prohibits type="usage">{token}</prohibits>', token) for token in TOKENS),
            in_licence('<permits type="usage">search</permits>'),
            in_licence('<payment type="purchase"/>'),
        ],
    )
    yield "TDMRep", [in_header("tdm-reservation", "1"), in_file(), in_file("/terms")]
    yield "ai.txt", [in_ai_txt()]
    yield "CAWG and C2PA", [in_manifest(entry, use) for entry in ENTRIES for use in ("notAllowed", "constrained")]
    yield "PLUS, in IPTC metadata", map(in_picture, CODES)
    yield (
        "The answer of the server",
        [
            answered(402, ("crawler-price", "USD 0.01")),
            answered(401, ("WWW-Authenticate", 'License error="invalid_request"')),
            answered(403, ("cf-mitigated", "challenge")),
            answered(403),
            answered(451),
        ],
    )


TOKENS = ("all", "ai-all", "ai-train", "ai-input", "ai-index", "search")
CODES = (
    "DMI-PROHIBITED",
    "DMI-PROHIBITED-AIMLTRAINING",
    "DMI-PROHIBITED-GENAIMLTRAINING",
    "DMI-PROHIBITED-EXCEPTSEARCHENGINEINDEXING",
)


def asked(
    *others: acap.Source, robots: acap.RobotsPolicy | None = None, crawler: str = "examplebot"
) -> dict[str, acap.Decision]:
    """Every usage of one page, by documents about it."""
    return acap.decide_each(URL, crawler=crawler, robots=robots, others=others)


def in_robots(line: str, agent: str = "User-agent: *", crawler: str = "examplebot") -> Row:
    """A line of robots.txt, for everybody if nobody is named."""
    policy = acap.parse_robots(f"{agent}\n{line}\n".encode(), url=f"{SITE}/robots.txt")
    return f"`{line}`", asked(robots=policy, crawler=crawler)


def of_control_tokens() -> Iterator[Row]:
    """What each control token is refused, for the first of its operator's crawlers."""
    for known in known_crawlers():
        if known.control is not None:
            first = known.control.crawlers[0]
            _, decisions = in_robots("Disallow: /", f"User-agent: {known.name}", first)
            yield f"`User-agent: {known.name}`, `Disallow: /`, to {first}", decisions


def in_header(name: str, value: str) -> Row:
    """A header of the page."""
    return f"`{name}: {value}`", asked(acap.parse_page(None, url=URL, headers=[(name, value)]))


def in_licence(said: str, shown: str = "") -> Row:
    """A licence that permits everything, but for what it says."""
    octets = f'<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>{said}</license></content></rsl>'
    return f"`{said}`" if not shown else f"`prohibits` usage `{shown}`", asked(acap.parse_rsl(octets.encode(), url=URL))


def in_file(policy: str = "") -> Row:
    """A rule of tdmrep.json."""
    rule = {"location": "/", "tdm-reservation": 1} | ({"tdm-policy": policy} if policy else {})
    octets = json.dumps([rule]).encode()
    return f"`{json.dumps(rule)}`", asked(acap.parse_tdmrep(octets, url=f"{SITE}/.well-known/tdmrep.json"))


def in_ai_txt() -> Row:
    """A line of ai.txt."""
    return "`Disallow: /`", asked(acap.parse_ai_txt(b"User-Agent: *\nDisallow: /\n", url=f"{SITE}/ai.txt"))


def in_manifest(entry: str, use: str) -> Row:
    """An entry of a manifest of content credentials."""
    data = {"use": use} | ({"constraint_info": f"{SITE}/terms"} if use == "constrained" else {})
    manifest = {"label": "cawg.training-mining", "data": {"entries": {f"cawg.{entry}": data}}}
    return f"`cawg.{entry}`: `{use}`", asked(acap.parse_training_mining(manifest))


def in_picture(code: str) -> Row:
    """A value of plus:DataMining."""
    packet = (
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        '<r:Description xmlns:plus="http://ns.useplus.org/ldf/xmp/1.0/">'
        f"<plus:DataMining>{VOCABULARY}{code}</plus:DataMining></r:Description></r:RDF></x:xmpmeta>"
    )
    return f"`plus:DataMining` `{code}`", asked(acap.parse_embedded(packet.encode()))


def answered(status: int, *headers: tuple[str, str]) -> Row:
    """An answer to a request for the page."""
    shown = "".join(f", `{name}: {value}`" for name, value in headers)
    return f"{status}{shown}", asked(acap.parse_response(status, headers=headers, url=URL))
