"""The statements of robots.txt about one URL, as META tags or as headers of its response.

ACAP tags express all of them (P2 2.2); conventional words express what they can, beside the tags, and alone in headers.
A word that is stricter than the policy is written only where no other is strict enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acap._native import Statement
from acap.pages import words
from acap.pages.writing import page_statements
from acap.publish.convert.conversion import Conversion, Note, Target
from acap.publish.convert.page_strictness import settled
from acap.publish.convert.records import ANY, names_of
from acap.publish.convert.states import ANYBODY, PERMITTED, USAGES, State, above, new, states
from acap.robots import RobotsPolicy, parse_robots

Meaning = frozenset[tuple[str, tuple[str, str] | None]]
"""The effect of a word: the usages it prohibits or restricts, each with its restriction."""

_WORDS = ("none", "noindex", "nofollow", "noarchive", "nosnippet", "noai", "notranslate")


def to_page(octets: bytes, to: Target, url: str, crawlers: Sequence[str] = ()) -> Conversion:
    """The statements about one URL, for the crawlers given, else for all that the policy names and any other.

    Raises:
        ValueError: the URL is neither absolute nor a path.
    """
    policy = parse_robots(octets)
    writer = _PageWriter(policy, url, to)
    named = list(crawlers) or [ANYBODY, *(name for name in _names(policy))]
    writer.named = [name for name in named if name != ANYBODY]
    for name in named:
        writer.crawler(name, single=bool(crawlers))
    lines, notes = settled(policy, url, to, named, list(dict.fromkeys(writer.lines)))
    text = "".join(f"{line}\n" for line in lines).encode()
    notes = list(dict.fromkeys([*writer.notes, *notes]))
    return Conversion(text, tuple(notes), to, octets, url=url, crawlers=tuple(named))


def _names(policy: RobotsPolicy) -> list[str]:
    names = {name.lower(): name for agent in policy.crawlers for name in names_of(agent) if name != ANY}
    return list(names.values())


class _PageWriter:
    """The lines, crawler by crawler."""

    def __init__(self, policy: RobotsPolicy, url: str, to: Target) -> None:
        self._policy, self._url, self._to = policy, url, to
        self.lines: list[str] = []
        self.notes: list[Note] = []
        self.named: list[str] = []
        self._known: dict[tuple[str, str | None], dict[str, State]] = {}
        # The statements for all; a crawler that may not fetch the page gets none there.
        may_crawl = self._policy.decide(url, crawler=ANYBODY).permitted
        self._default = self._states(ANYBODY) if may_crawl else dict.fromkeys(USAGES, PERMITTED)
        self._default_words: frozenset[str] = frozenset()

    def _states(self, crawler: str, purpose: str | None = None) -> dict[str, State]:
        if (wanted := self._known.get((crawler, purpose))) is None:
            decide = self._policy.decide
            wanted = states(lambda usage: decide(self._url, crawler=crawler, usage=usage, purpose=purpose))
            self._known[crawler, purpose] = wanted
        return wanted

    def crawler(self, name: str, *, single: bool) -> None:
        """Adds the statements for one crawler, as far as they differ from those for all."""
        crawl = self._policy.decide(self._url, crawler=name)
        if not crawl.permitted:
            line = crawl.reason.decided_by[0].line if crawl.reason.decided_by else None
            whom = "others" if name == ANYBODY else f"`{name}`"
            message = f"{whom} may not crawl the URL and never sees what the page says; say it in robots.txt"
            self.notes.append(Note(line or 0, message, loss=True))
            return
        wanted = self._states(name)
        known = dict.fromkeys(wanted, PERMITTED) if name == ANYBODY or single else self._default
        who = None if name == ANYBODY else name
        if self._to == "meta":
            self._tags(who, None, new(wanted, known))
            for purpose in self._policy.purposes:
                if purpose not in ("", "*"):
                    other = self._states(name, purpose)
                    self._tags(who, purpose, new(other, wanted))
        elif self._policy.purposes and name == ANYBODY:
            self._note("purposes have no words in headers")
        self._words(who, wanted, known)

    def _note(self, message: str) -> None:
        self.notes.append(Note(0, message, loss=True))

    def _tags(self, crawler: str | None, purpose: str | None, new: dict[str, State]) -> None:
        for usage, state in new.items():
            conditional = state[0] == "conditional"
            if conditional:
                self._note(f"`{usage}` has a condition that ACAP cannot express; it is prohibited")
            written = ("prohibited", ()) if conditional else state
            try:
                self.lines += page_statements([_statement("acap", usage, written, crawler, purpose)]).meta
            except ValueError as error:
                self._note(str(error))

    def _binds_nobody_else(self, crawler: str | None, word: str, meaning: Meaning) -> bool:
        """Whether a word for all is no stricter for the crawlers that the policy names than their own statements."""
        if crawler is not None or self._to == "headers":
            return True
        bound = [name for name in self.named if not _takes_no_more(self._states(name), meaning)]
        if bound:
            message = (
                f"`{word}` would prohibit it for `{bound[0]}` too, because conventional words only prohibit; ACAP "
                f"tags can say it"
            )
            self.notes.append(Note(0, message))
        return not bound

    def _words(self, crawler: str | None, wanted: dict[str, State], known: dict[str, State]) -> None:
        """The conventional words whose whole effect is wanted."""
        chosen: list[str] = []
        covered: set[tuple[str, tuple[str, str] | None]] = set()
        for word, meaning in _candidates(wanted):
            if not meaning <= covered and _fits(wanted, meaning) and self._binds_nobody_else(crawler, word, meaning):
                covered |= meaning
                chosen.append(word)
        dialect = "robots-meta" if self._to == "meta" else "x-robots-tag"
        mine = frozenset(chosen)
        if crawler is not None and (general := sorted(self._default_words - mine)):
            self._note(
                f"`{', '.join(general)}` is for all and prohibits for `{crawler}` too: conventional words only prohibit"
            )
        if crawler is None:
            self._default_words = mine
        statements = [
            _statement(dialect, usage, ("permitted", (limit,)) if limit else ("prohibited", ()), crawler, None)
            for usage, limit in sorted(covered, key=repr)
        ]
        if statements and not (crawler is not None and mine <= self._default_words):
            written = page_statements(statements)
            self.lines += [*written.meta, *(f"{name}: {value}" for name, value in written.headers)]
        if self._to == "headers":
            for usage, (outcome, limits) in new(wanted, known).items():
                for limit in limits if outcome == "permitted" else (None,):
                    if not any(_implies(one, usage, limit) for one in covered):
                        what = f"`{limit[0]}={limit[1]}` of `{usage}`" if limit else f"`{outcome} {usage}`"
                        self._note(f"{what} has no conventional word; say it in META tags")


def _statement(dialect: str, usage: str, state: State, crawler: str | None, purpose: str | None) -> Statement:
    outcome, limits = state
    named = crawler is not None
    return Statement(
        dialect=dialect,
        usage=usage,
        outcome=outcome,
        crawler=crawler,
        named=named,
        purpose=purpose,
        restrictions=limits,
    )


def _candidates(wanted: dict[str, State]) -> Iterator[tuple[str, Meaning]]:
    """Conventional words that may fit, each with its effect."""
    valued = []
    for _, limits in wanted.values():
        for name, value in limits:
            if name == "max-length" and value.endswith("-chars"):
                valued.append(f"max-snippet:{value.removesuffix('-chars')}")
            elif name == "time-limit" and value.startswith("until-2"):
                valued.append(f"unavailable_after: {value.removeprefix('until-')}")
    for word in (*_WORDS, *dict.fromkeys(valued)):
        for read in words.read(word, agents=False):
            meaning = frozenset(
                (usage, rule.restriction) for rule in read.rules_for("generic") for usage in rule.usages
            )
            if meaning and all(usage in wanted for usage, _ in meaning):
                yield word, meaning


def _fits(wanted: dict[str, State], meaning: Meaning) -> bool:
    """Whether a word has an effect, and is no stricter than the policy."""
    takes = any((wanted[usage][0] == "prohibited") == (limit is None) for usage, limit in meaning)
    return takes and _takes_no_more(wanted, meaning)


def _takes_no_more(wanted: dict[str, State], meaning: Meaning) -> bool:
    return all(wanted[usage][0] == "prohibited" or limit in wanted[usage][1] for usage, limit in meaning)


def _implies(effect: tuple[str, tuple[str, str] | None], usage: str, limit: tuple[str, str] | None) -> bool:
    """Whether a statement on one usage implies it for another one."""
    about, what = effect
    return about in above(usage) and what in (None, limit)
