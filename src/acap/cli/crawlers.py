"""`acap crawlers`: what is known of a crawler by its name: whose it is, what it is for, how it is recognised."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

import click

from acap import _native, crawler_list
from acap.cli.io.command import Command
from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.crawler_list import PURPOSES, KnownCrawler
from acap.explain import visible
from acap.schema import SCHEMA

_LONGEST = 2_000  # characters of a User-Agent that are looked at


def _complete(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    return [crawler.name for crawler in crawler_list.known_crawlers() if crawler.name.lower().startswith(begun.lower())]


@click.command(cls=Command)
@click.argument("name", required=False, shell_complete=_complete)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per crawler; see docs/reference/json.md.")
@terminal_options
@pass_terminal
def crawlers(terminal: Terminal, name: str | None, as_json: bool) -> Exit:
    """What is known of a crawler: operator, purposes, the names it falls back to, how it is recognised, control tokens.

    NAME is a name, a `User-agent:` line, or what a crawler sends as its User-Agent; without it you get every crawler of
    the list. The list is dated, and others exist.

    \b
    # all of them
    acap crawlers
    # one, by its name
    acap crawlers GPTBot
    # one, by the User-Agent string that it sends
    acap crawlers 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)'
    """
    chosen = crawler_list.known_crawlers() if name is None else (_known(name),)
    if as_json:
        for crawler in chosen:
            terminal.line(json.dumps(crawler_to_json(crawler)))
    elif name is None:
        longest = max(len(one.name) for one in chosen)
        for crawler in chosen:
            terminal.line(f"{crawler.name:{longest}}  {', '.join(crawler.purposes)}: {crawler.operator}")
    else:
        for line in _lines(chosen[0]):
            terminal.line(visible(line))
    return Exit.PERMITTED


def _known(name: str) -> KnownCrawler:
    """The crawler of that name. Raises `CallError`."""
    written = re.sub(r"^\s*User-agent\s*:", "", name, flags=re.IGNORECASE).strip()
    crawler = crawler_list.known(written) or _sender(written)
    if crawler is None:
        near = crawler_list.near_miss(written)
        if near is None:
            names = {one.name.lower(): one.name for one in crawler_list.known_crawlers()}
            near = next((names[one] for one in get_close_matches(written.lower(), names, n=1, cutoff=0.75)), None)
        hint = f"did you mean `{near}`?" if near else "`acap crawlers` lists all that are"
        raise CallError(f"no crawler `{name}` is known; {hint}")
    return crawler


def _sender(user_agent: str) -> KnownCrawler | None:
    """The crawler that sends a whole User-Agent: the name that it bears, else the first name in it that is known."""
    if not re.search("[/(;]", user_agent):
        return None
    words = (match[1] for match in re.finditer(r"(?:^|[\s;(])([A-Za-z][\w.-]*)(?=[/;)\s]|$)", user_agent[:_LONGEST]))
    names = filter(None, (_native.crawler_name(user_agent), *words))
    return next(filter(None, map(crawler_list.known, names)), None)


def crawler_to_json(crawler: KnownCrawler) -> dict[str, Any]:
    """A crawler of the list, of types that `json.dumps` takes."""
    parts = {"verification": crawler.verification, "control": crawler.control}
    return {"schema": SCHEMA, **crawler._asdict(), **{name: part and part._asdict() for name, part in parts.items()}}


def _lines(crawler: KnownCrawler) -> Iterator[str]:
    yield f"{crawler.name}, of {crawler.operator}"
    yield f"  for: {', '.join(PURPOSES[purpose] for purpose in crawler.purposes)}"
    if crawler.retired:
        yield "  retired" + (f"; {crawler.instead} asks since" if crawler.instead else "")
    if crawler.token_only:
        yield "  a name for robots.txt alone; no request carries it"
    if crawler.control:
        uses, of = ", ".join(crawler.control.usages), ", ".join(crawler.control.crawlers)
        yield f"  what robots.txt refuses it is refused to {of}: {uses}"
    if crawler.fallback:
        yield f"  where it has no group of its own, it obeys that of: {', '.join(crawler.fallback)}"
    yield from (f"  {line}" for line in _recognised(crawler))
    yield f"  documented at: {crawler.page or 'nowhere that is known'}"
    lists = crawler_list.seeds()
    sources = [f"{name} ({lists[name].licence}, {lists[name].date}, {lists[name].url})" for name in crawler.seeds]
    yield f"  listed by: {', '.join(sources) or 'this project alone'}; list of {crawler_list.as_of()}"


def _recognised(crawler: KnownCrawler) -> Iterator[str]:
    """How a request of the crawler is told from one that only bears its name."""
    how = crawler.verification
    if how is None:
        if not crawler.token_only:
            yield "no way is known to tell its requests from those of others that use its name"
        return
    if how.host_suffixes:
        suffixes = " or ".join(how.host_suffixes)
        yield f"recognised by the host name of its address, which ends in {suffixes} and leads back"
    if how.addresses:
        yield f"recognised by its address, one of {how.addresses}"
    if how.signatures:
        yield f"recognised by its signature, with a key of {how.signatures}"
