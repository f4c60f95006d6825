"""The options of a question, gathered into one value: `@question_options` gives a command `question: Question`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import wraps
from typing import Any, NamedTuple

import click

from acap import _native
from acap.cli.io.failures import CallError, suggestion
from acap.cli.io.options import in_order
from acap.cli.io.terminal import Terminal
from acap.crawler_list import crawler_names, names_in, near_miss
from acap.crawlers import PROFILES, Crawler, each_crawler
from acap.restrictions import TABLE, Facts
from acap.usages import USAGES


class CrawlerOption(NamedTuple):
    """One `--crawler` value: `label` as it was typed, `names` as the engine takes it.

    `crawler` is who asks: the names, or a `Crawler` where more is known of it.
    """

    label: str
    names: str | tuple[str, ...]
    known: Crawler | None = None

    @property
    def crawler(self) -> str | tuple[str, ...] | Crawler:
        """Who asks, as `acap.decide` takes it."""
        return self.names if self.known is None else self.known

    @property
    def each_name(self) -> tuple[str, ...]:
        """The names, in order."""
        return (self.names,) if isinstance(self.names, str) else self.names

    def knowing(
        self,
        *,
        elements: bool,
        profile: str,
        honours: tuple[str, ...] | None = None,
        silence: tuple[tuple[str, str], ...] = (),
    ) -> CrawlerOption:
        """The same, with what it can work on and keep, how it reads page policies, and what silence means to it."""
        if elements and profile == PROFILES[0] and honours is None and not silence:
            return self
        crawler = Crawler(*self.each_name, elements=elements, profile=profile, honours=honours, silence=dict(silence))
        return self._replace(known=crawler)


class QuestionOptions(NamedTuple):
    """What is asked of every URL: each crawler is asked separately, and each usage; `facts` are the resource's."""

    askers: tuple[CrawlerOption, ...]
    purpose: str | tuple[str, ...] | None
    usages: tuple[str, ...]
    at: datetime | None
    facts: Facts | None = None


def asker(text: str) -> CrawlerOption:
    """One `--crawler` value; a User-Agent string (it has a parenthesis) keeps its commas."""
    names = crawler_names(text)
    if not names:
        raise CallError("`--crawler` is empty; give the crawler's name, for example --crawler Googlebot")
    for name in names:
        try:
            _native.check_name(name)
        except ValueError as error:
            raise CallError(str(error)) from error
    return CrawlerOption(text.strip(), names[0] if len(names) == 1 else names)


def note_near_misses(terminal: Terminal, names: Iterable[str]) -> None:
    """Notes which names no known crawler has, but nearly: a rule for the one that was meant is none for them.

    An unknown name is asked about as it is, for others exist.
    """
    for name in dict.fromkeys(names):
        product = _native.crawler_name(name) or name
        if (near := near_miss(product)) is not None:
            terminal.note(f"no known crawler has the name `{product}`, which is asked about; did you mean `{near}`?")


def crawler_name(text: str) -> str:
    """One `--crawler` value of those that are asked one by one: a name or a User-Agent string."""
    name = text.strip()
    if len(names := names_in(name)) > 1:
        each = " ".join(f"-c {one}" for one in names)
        raise CallError(f"`--crawler {name}` names several crawlers, which are asked one by one here; write {each}")
    try:
        each_crawler(name)
    except ValueError as error:
        raise CallError(f"`--crawler`: {error}" if not name else str(error)) from error
    return name


def instant(text: str, option: str = "--at") -> datetime:
    """The value of an option, aware: an ISO 8601 date or time, in UTC where it has no offset."""
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise CallError(f"`{option} {text}` is not a date or time; write 2026-11-20 or 2026-11-20T18:30:00Z") from error
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def usage_names(text: str) -> tuple[str, ...]:
    """One `--usage` value: a name, or several with commas between; whether a policy knows them is for it to say."""
    names = tuple(name for piece in text.lower().split(",") if (name := piece.strip()))
    if not names:
        raise CallError("`--usage` is empty; give a usage, for example --usage index")
    return names


NOTHING = "none"
"""What is written where an option is to list nothing."""


def restriction_names(text: str) -> tuple[str, ...]:
    """One `--honours` value: names of restrictions with commas between, or `none`."""
    names = tuple(name for piece in text.lower().split(",") if (name := piece.strip()))
    if not names:
        raise CallError(f"`--honours` is empty; name restrictions that the crawler can keep, or `{NOTHING}`")
    for name in names:
        if name not in TABLE and name != NOTHING:
            raise CallError(f"`--honours` names the unknown restriction `{name}`{suggestion(name, TABLE)}")
    return tuple(name for name in names if name != NOTHING)


def meaning_of_silence(text: str) -> tuple[str, str]:
    """One `--silence` value: a usage and what silence on it means."""
    usage, equals, meaning = (piece.strip().lower() for piece in text.partition("="))
    if not equals or meaning not in ("permitted", "prohibited"):
        raise CallError(
            f"`--silence {text}` is not USAGE=permitted or USAGE=prohibited; write --silence tdm=prohibited"
        )
    if usage not in USAGES:
        raise CallError(f"`--silence` names the unknown usage `{usage}`{suggestion(usage, USAGES)}")
    return usage, meaning


def profile_name(text: str) -> str:
    """One `--profile` value."""
    if text.lower() in PROFILES:
        return text.lower()
    raise CallError(f"unknown profile `{text}`{suggestion(text, PROFILES)}")


def _complete_profile(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    return [name for name in PROFILES if name.startswith(begun.lower())]


def _complete_restriction(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    before, comma, word = begun.rpartition(",")
    return [f"{before}{comma}{name}" for name in (*TABLE, NOTHING) if name.startswith(word.lower())]


def _complete_silence(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    meanings = [f"{usage}={meaning}" for usage in USAGES for meaning in ("permitted", "prohibited")]
    return [one for one in meanings if one.startswith(begun.lower())]


def complete_usage(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    return [name for name in USAGES if name.startswith(begun.lower())]


PURPOSE = click.option(
    "-p", "--purpose", "purposes", multiple=True, metavar="P",
    help="The purpose of the use, as the policy names it. With several, all must be permitted.",
)  # fmt: skip
_CRAWLER = "The crawler: a name, names in order (`googlebot-news,googlebot`) or a User-Agent string."
CRAWLER = click.option("-c", "--crawler", "crawler", type=asker, metavar="NAME", help=_CRAWLER)
NEEDED_CRAWLER = click.option(
    "-c", "--crawler", "crawler", type=asker, metavar="NAME", help=f"{_CRAWLER}  [required]"
)  # fmt: skip
"""The same of a command that says itself what is wrong without one."""
USAGE = click.option(
    "-u", "--usage", "usages", type=usage_names, shell_complete=complete_usage, multiple=True, metavar="U",
    help=(
        "The usage: crawl, index, present-snippet, ai-train …, or one that robots.txt defines.  [default: all but "
        "those that are defined]"
    ),
)  # fmt: skip
USAGE_FOR = click.option(
    "-u", "--usage", "usages", type=usage_names, shell_complete=complete_usage, multiple=True, metavar="U",
    help="The use of the page: index, ai-train …  [default for --links: follow; for --snippet: present-snippet]",
)  # fmt: skip
AT = click.option(
    "--at", type=instant, metavar="TIME",
    help="The time of the use, in ISO 8601; without an offset it is UTC.  [default: now]",
)  # fmt: skip
NO_ELEMENTS = click.option(
    "--no-elements", is_flag=True,
    help="The crawler cannot leave out parts of a page, so a prohibition of a part prohibits the page.",
)  # fmt: skip
PROFILE = click.option(
    "--profile", type=profile_name, shell_complete=_complete_profile, default="generic", metavar="P",
    help="Whose reading of page policies counts: generic, google or bing.  [default: generic]",
)  # fmt: skip

HONOURS = click.option(
    "--honours", type=restriction_names, shell_complete=_complete_restriction, multiple=True, metavar="R",
    help="The restrictions that the crawler can keep, separated by commas; under another one a permission prohibits. "
    f"`{NOTHING}` for none.  [default: all]",
)  # fmt: skip
SILENCE = click.option(
    "--silence", type=meaning_of_silence, shell_complete=_complete_silence, multiple=True, metavar="U=MEANING",
    help="The answer if no statement covers a usage or those above it: permitted or prohibited.",
)  # fmt: skip

_FACTS = in_order(
    click.option("--first-indexed", metavar="TIME", help="When the resource was first placed in the index."),
    click.option("--first-preserved", metavar="TIME", help="When a copy of it was first kept."),
    click.option("--first-available", metavar="TIME", help="When it was first available to be presented."),
    click.option("--last-crawled", metavar="TIME", help="When it was last crawled."),
)

_QUESTION = in_order(
    click.option(
        "-c", "--crawler", "askers", type=asker, multiple=True, metavar="NAME",
        help="The crawler: a name, names in order (`googlebot-news,googlebot`) or a User-Agent string. "
        "Give the option again to ask for another crawler.",
    ),
    PURPOSE, USAGE, AT, _FACTS, HONOURS, SILENCE, NO_ELEMENTS, PROFILE,
)  # fmt: skip


def question_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of a question; the command takes `question`."""

    @wraps(command)
    def gathered(
        *args: Any, askers: tuple[CrawlerOption, ...], purposes: tuple[str, ...], usages: tuple[tuple[str, ...], ...],
        at: datetime | None, no_elements: bool, profile: str, honours: tuple[tuple[str, ...], ...],
        silence: tuple[tuple[str, str], ...], **rest: Any,
    ) -> Any:  # fmt: skip
        if not askers:
            raise CallError("no crawler given; name the one to ask for, for example --crawler Googlebot")
        facts = _facts({name: rest.pop(name) for name in FACTS})
        names = tuple(dict.fromkeys(word for given in usages for word in given))
        kept = tuple(word for given in honours for word in given) if honours else None
        known = tuple(
            asker.knowing(elements=not no_elements, profile=profile, honours=kept, silence=silence) for asker in askers
        )
        return command(*args, question=QuestionOptions(known, one_or_all(purposes), names, at, facts), **rest)

    return _QUESTION(gathered)


FACTS = ("first_indexed", "first_preserved", "first_available", "last_crawled")


def _facts(given: dict[str, str | None]) -> Facts | None:
    """What is known of the resource; None if nothing is."""
    if not any(given.values()):
        return None
    options = {name: f"--{name.replace('_', '-')}" for name in given}
    return Facts(**{name: None if text is None else instant(text, options[name]) for name, text in given.items()})


def one_or_all(values: tuple[str, ...]) -> str | tuple[str, ...] | None:
    """None, the one value, or all of them."""
    if len(values) > 1:
        return values
    return values[0] if values else None
