"""Compare: which decisions change from one policy to another, exactly.

    comparison = compare(parse_robots(old), parse_robots(new))
    comparison.verdict          # "equal", "different" or "undecided"
    comparison.changes[0].witness

Laws: a change has a witness at which the two policies decide as it says. "equal" is a proof over all paths, purposes
and crawlers asked for by one name, found by following all patterns through all paths at once; it samples nothing. What
would take too long is `undecided`, never "equal". So is what licence documents say, where License lines name others.

It is one module, for what a comparison says is read beside what works it out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from time import monotonic
from typing import Literal, NamedTuple, TypeAlias, cast

from acap import _native
from acap.crawlers import each_crawler
from acap.decision import Decision
from acap.publish.crawlers import ANY, asked_as, everyone, once, stranger
from acap.publish.questions import defined_otherwise, every_purpose, every_usage, parts_of
from acap.robots import RobotsPolicy, reads_vocabularies, url_at
from acap.usages import asked_usages

_LESS = " but not "
STEPS = 1 << 27
"""Steps that a comparison may take, about a second of searching; what is left then is undecided."""
PATIENT_STEPS = 1 << 33
"""Steps where somebody waits for nothing else; real files seldom need more than `STEPS`."""
SECONDS = 5.0
"""Time per comparison, whatever the steps; what is left then is undecided."""
PATIENT_SECONDS = 60.0
"""Time where somebody waits for nothing else."""
_OPEN = 1_000
"""At most this many undecided questions are listed; with more, any question counts as undecided."""
Form = Literal["canonical", "google", "decoded"]
_FORMS = {name: cast("Form", form) for name, form, *_ in _native.dialects()}
_READERS = {form: name for name, form in _FORMS.items()}  # any dialect of a form
_POLICY_PATTERNS = {
    name: {f"{path}{end}".encode() for path in paths for end in "$?"} for name, *_, paths in _native.dialects()
}
"""The patterns of resources that carry policy, by dialect."""
_NAMES = 3  # licence documents that are named; of more the number
_SITE = "http://site.invalid"
_NOT_LICENSED = {"crawl", "follow"}
"""Usages of which licence documents do not speak."""
_DEFINED = "each file defines it differently, and pages may name it"


@dataclass(frozen=True, slots=True)
class Paths:
    """A set of paths: those that match all patterns of `within`, less every set of `without`.

    `form` is the form in which paths are compared: canonical, as Google's matcher takes them, or decoded as the memo of
    1996 does (`%2A` and `%24` in its patterns are no wildcards). `carries_policy`: it is a resource that every crawler
    of both dialects may always fetch, or to which one of the policies refers, as it does to a licence document.
    """

    within: tuple[str, ...]
    without: tuple[Paths, ...] = ()
    form: Form = "canonical"
    carries_policy: bool = False

    def __contains__(self, path: str) -> bool:
        """Whether a URL's path and query lies in the set."""
        url = f"{_SITE}{path}".encode()  # a path that begins with `//` is none of a host
        found = _native.canonical_path(url, _READERS[self.form])
        return self._holds(_literal(found) if self.form == "decoded" else found)

    def _holds(self, path: bytes) -> bool:
        within = all(_native.matches(pattern.encode("utf-8", "surrogateescape"), path) for pattern in self.within)
        return within and not any(less._holds(path) for less in self.without)

    @property
    def is_policy(self) -> bool:
        """Whether all of it are resources that carry policy: what is left out is all but these."""
        return any(all(less.carries_policy for less in one.without) for one in self._all_but)

    @property
    def policy_resources(self) -> tuple[str, ...]:
        """The paths of these resources, if all of it are such."""
        return tuple(self.only()) if self.is_policy else ()

    def __str__(self) -> str:
        return self.text()

    def text(self, most: int | None = None) -> str:
        """In words, with at most `most` of the excluded sets, and the number of further ones.

        Resources that carry policy, which nobody looks for here, are left out of what is not meant.
        """
        text = " and ".join(self.within)
        if only := self.only(most):
            text = f"{text} of {', '.join(only)}" if self.is_part else f"only {', '.join(only)}"
        less, more = self.excluded(most)
        further = f" and {more} more" if more else ""
        return f"{text}{_LESS}{', '.join(less)}{further}" if less else text

    @property
    def _all_but(self) -> tuple[Paths, ...]:
        """The excluded sets that are all of this one but a few paths: if there are others, but such as carry policy."""
        if len(self.without) == 1 and self.without[0].within == self.within and self.without[0].without:
            return self.without
        wider = (one for one in self.without if one.within in (self.within, ("/",)) and one.without)
        return tuple(one for one in wider if all(less.carries_policy for less in one.without))

    @property
    def is_part(self) -> bool:
        """Whether not the whole of what `only` lists is meant: a query may be of what `/*/talk/*` matches."""
        return self.is_policy and self.within != ("/",)

    def only(self, most: int | None = None) -> list[str]:
        """The few paths of which the set is, in words, where it is all but all others; else none."""
        first, *others = self._all_but or (Paths(()),)
        left = [paths for paths in first.without if all(paths in other.without for other in others)]
        texts = (paths.text(most).rstrip("$?") if paths.carries_policy else paths.text(most) for paths in left)
        return list(dict.fromkeys(texts))

    def excluded(self, most: int | None = None) -> tuple[list[str], int]:
        """The excluded sets in words, in parentheses where one has exceptions of its own, and how many more there are.

        Resources that carry policy are left out, and where nothing but these is left, prefixes with which none begins.
        """
        all_but = self._all_but
        left = [less.within[0] for paths in all_but for less in paths.without if less.carries_policy]
        shown = (paths for paths in self.without if paths not in all_but and not paths.carries_policy)
        sets = (paths for paths in shown if not left or any(map(paths._may_meet, left)))
        less = list(dict.fromkeys(paths.as_part(most) for paths in sets))
        listed = less[:most]
        return listed, len(less) - len(listed)

    def _may_meet(self, policy: str) -> bool:
        """Whether the path of a resource that carries policy, which has no wildcards, may lie in the set."""
        return any("*" in pattern or policy.startswith(pattern.rstrip("$")) for pattern in self.within)

    def as_part(self, most: int | None = None) -> str:
        """In words, as one of several: in parentheses if it has exceptions."""
        text = self.text(most)
        return f"({text})" if _LESS in text else text


class Side(NamedTuple):
    """What one policy decides at the path that shows the difference: outcome, and restrictions as `name=value`.

    `line` and `text` are those of the statement that decides; without a text none does, and `kind` tells why. A header
    has no line.
    """

    outcome: str
    restrictions: tuple[str, ...]
    line: int
    text: str
    kind: str = "statement"


class Change(NamedTuple):
    """Decisions that change alike.

    `crawlers` are names as written, `*` for any that neither policy names; `purposes` are purposes asked for, `""` for
    a question without one; `witness` is a shortest path in `paths`.
    """

    crawlers: tuple[str, ...]
    purposes: tuple[str, ...]
    usages: tuple[str, ...]
    paths: Paths
    before: Side
    after: Side
    witness: str


class Undecided(NamedTuple):
    """A question that is open, and why; `*` three times: any."""

    crawler: str
    purpose: str
    usage: str
    because: str = "it would take too long to compute"

    def __str__(self) -> str:
        if (self.crawler, self.purpose, self.usage) == (ANY, ANY, ANY):
            return "any question"
        purpose = f" for the purpose {self.purpose}" if self.purpose else ""
        return f"{'any use' if self.usage == ANY else self.usage} by {self.crawler}{purpose}"


_Named: TypeAlias = Mapping[tuple[str, tuple[str, ...]], None]


class OtherLicences(NamedTuple):
    """A crawler to which License lines name other documents than before, and these, with the usages that each is for.

    Without usages a document is for every use of content.
    """

    crawler: str
    before: _Named
    after: _Named

    @property
    def question(self) -> Undecided:
        """What is open while nobody reads the documents."""
        before, after = ([name for name, _ in side] for side in (self.before, self.after))
        because = f"License lines named {_some(before)} and now name {_some(after)}; the documents are not compared"
        return Undecided(self.crawler, "", ANY, because)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return ", ".join(dict.fromkeys(names[:_NAMES])) + more or "none"


def other_licences(
    old: RobotsPolicy, new: RobotsPolicy, names: Iterable[str] | None = None, seconds: float = SECONDS
) -> tuple[list[OtherLicences], bool]:
    """Crawlers to which License lines name other documents than before, and whether there may be more.

    The values count as they are written, for one that is not absolute licenses nothing.
    """
    read = [policy if "License" in _deciding(policy) and policy.has_licences else None for policy in (old, new)]
    if not any(read):
        return [], False
    until = monotonic() + seconds
    stranger_ = stranger(old, new)
    others: list[OtherLicences] = []
    for name in once(everyone(old, new) if names is None else names):
        if monotonic() > until or len(others) == _OPEN:
            return others, True
        asker = asked_as(name, stranger_)
        before, after = ({} if policy is None else _licences(policy, asker) for policy in read)
        if before != after:
            others.append(OtherLicences(name, before, after))
    return others, False


def _licences(policy: RobotsPolicy, crawler: Sequence[str]) -> _Named:
    own: _Named = dict.fromkeys((target, ()) for target, _ in policy.licences(crawler))
    controlled = policy.controlled_licences(crawler)
    return {**own, **dict.fromkeys((target, tuple(sorted(usages))) for target, _, usages in controlled)}


class Comparison(NamedTuple):
    """How two policies differ, and what could not be decided.

    `removed` and `added` are lines of other fields, Sitemap and Crawl-delay for example, that decide nothing;
    they do not count for the verdict.
    """

    changes: tuple[Change, ...]
    undecided: tuple[Undecided, ...] = ()
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    @property
    def verdict(self) -> Literal["equal", "different", "undecided"]:
        """`equal` only if nothing differs and nothing is undecided."""
        return "different" if self.changes else "undecided" if self.undecided else "equal"


def _literal(text: bytes) -> bytes:
    return text.replace(b"*", b"%2A").replace(b"$", b"%24")


class _ChangeOfOne(NamedTuple):
    """A change for one crawler, purpose and usage, before it is merged with others."""

    paths: Paths
    before: Side
    after: Side
    witness: str


def compare(
    old: RobotsPolicy,
    new: RobotsPolicy,
    *,
    crawlers: str | Iterable[str] | None = None,
    usage: str | Iterable[str] | None = None,
    purposes: Iterable[str] | None = None,
    at: datetime | None = None,
    steps: int = STEPS,
    seconds: float = SECONDS,
    licences: bool = True,
    usages: str | Iterable[str] | None = None,
) -> Comparison:
    """Compares two policies for crawlers, usages and purposes: all that matter, unless they are given.

    Args:
        old, new: policies of dialects that compare paths in the same form; where they are bound to sites, the witness
            is asked of each under its own.
        crawlers: a name, or several; `*` stands for a crawler that neither names. One without a group of its own is
            asked about by the group that it obeys (`acap.crawler_list`).
        usage: one usage, or several; by default every one that a dialect or either file knows. A composite one is its
            parts, for it is decided as they are.
        purposes: purposes asked for, `""` for none; by default those that the files tell apart.
        at: the instant of the questions; by default now. Time limits can be over by then.
        steps: how much may be worked out before the rest is called undecided.
        seconds: how long that may take, whatever the steps.
        licences: whether it is open what changes where License lines name other documents.
        usages: the same as `usage`, by its earlier name.

    Raises:
        ValueError: an unknown usage, a crawler's name that is empty or would be cut, an instant without time zone,
            dialects that do not compare.
    """
    asked = None if crawlers is None else each_crawler(crawlers)
    until = monotonic() + seconds
    at = at or datetime.now(UTC)
    comparing = _Comparing(old, new, at)
    given = asked_usages(usage, usages, None)
    wanted = every_usage(old, new) if given is None else parts_of(old, new, given)
    if old == new and asked is None:
        return Comparison((), (), (), ())  # whatever time there is
    asked_purposes, more = (
        every_purpose(old, new, until) if purposes is None else (list(dict.fromkeys(purposes)), False)
    )
    undecided = [Undecided(ANY, ANY, ANY, "the files have too many different purposes")] if more else []
    if (old.truncated or new.truncated) and (old.octets, old.supplied) != (new.octets, new.supplied):
        # The part that was not read may state anything to crawlers that read it.
        no_text = any(policy.truncated and _native.unreadable(policy.octets) for policy in (old, new))
        why = "one of the files is compressed or binary" if no_text else "a limit of reading cut one of the files"
        undecided.append(Undecided(ANY, ANY, ANY, why))
    if given is None:
        undecided += [Undecided(ANY, "", f"({name})", _DEFINED) for name in defined_otherwise(old, new)]
    names = once(everyone(old, new) if asked is None else _each_name(asked))
    changes, open_ = comparing.all(names, asked_purposes, wanted, steps, until)
    if licences and not {*wanted} <= _NOT_LICENSED:
        licensed, more = other_licences(old, new, names, max(until - monotonic(), 0.0))
        undecided += [other.question for other in licensed]
        undecided += [Undecided(ANY, ANY, ANY)] if more else []
    before, after = _others(old), _others(new)
    return Comparison(
        changes, (*undecided, *open_), tuple((before - after).elements()), tuple((after - before).elements())
    )


def _each_name(crawlers: Iterable[str]) -> Iterator[str]:
    """Crawlers, and the further names of User-Agent strings, to each of which something may be said."""
    for text in crawlers:
        yield text
        yield from _native.other_names(text)


def _deciding(policy: RobotsPolicy) -> tuple[str, ...]:
    """The other vocabularies that decide, where the dialect reads them (semantics, section 4)."""
    return ("Content-Signal", "Content-Usage", "License") if reads_vocabularies(policy) else ()


def _others(policy: RobotsPolicy) -> Counter[str]:
    deciding = _deciding(policy)
    return Counter(
        f"{extension.field}: {extension.value}" for extension in policy.extensions if extension.field not in deciding
    )


class _Questions(NamedTuple):
    """Questions: each of the crawlers for each of the purposes about each of the usages."""

    crawlers: tuple[str, ...]
    purposes: tuple[str, ...]
    usages: tuple[str, ...]


def _together(change: _ChangeOfOne, questions: Iterable[_Questions]) -> Iterator[Change]:
    """One change for all crawlers, then for all purposes, then for all usages."""
    alike: dict[tuple[tuple[str, ...], tuple[str, ...]], dict[str, None]] = {}
    for one in questions:
        alike.setdefault((one.purposes, one.usages), {}).update(dict.fromkeys(one.crawlers))
    by_names: dict[tuple[tuple[str, ...], tuple[str, ...]], dict[str, None]] = {}
    for (purposes, usages), crawlers in alike.items():
        by_names.setdefault((tuple(crawlers), usages), {}).update(dict.fromkeys(purposes))
    by_questions: dict[tuple[tuple[str, ...], tuple[str, ...]], dict[str, None]] = {}
    for (names, usages), for_ in by_names.items():
        by_questions.setdefault((names, tuple(for_)), {}).update(dict.fromkeys(usages))
    for (names, asked), about in by_questions.items():
        yield Change(names, asked, tuple(about), change.paths, change.before, change.after, change.witness)


class _Comparing:
    def __init__(self, old: RobotsPolicy, new: RobotsPolicy, at: datetime) -> None:
        self.old, self.new, self.at = old, new, at
        self.plain = not (_speaks(old) or _speaks(new))
        self.stranger = stranger(old, new)
        self.referred_to: dict[bytes, bool] = {}

    def all(
        self, names: list[str], purposes: list[str], usages: list[str], steps: int, until: float
    ) -> tuple[tuple[Change, ...], list[Undecided]]:
        """The changes, and the undecided questions."""
        asking = [asked_as(name, self.stranger) for name in names]
        # If statements are on crawl only, crawl decides every usage (G 2.4).
        policies = (self.old, self.new)
        plain = self.plain and not any(_native.is_controlled(policy, name) for policy in policies for name in asking)
        wanted = ["crawl"] if plain and usages else usages
        classes, together, differing, open_, over = _native.differences(
            self.old,
            self.new,
            (asking, [purpose or None for purpose in purposes], wanted),
            at=self.at,
            work=steps,
            seconds=max(until - monotonic(), 0.0),
        )
        members = [tuple(names[place] for place in places) for places in classes]
        asker = [asked_as(ANY if ANY in one else one[0], self.stranger) for one in members]
        for_ = [tuple(purposes[place] for place in places) for places in together]

        def questions_of(block: tuple[int, int, list[int]]) -> _Questions:
            crawlers, purposes, places = block
            about = usages if plain else [usages[place] for place in places]
            return _Questions(members[crawlers], for_[purposes], tuple(about))

        found: dict[_ChangeOfOne, list[_Questions]] = {}
        undecided = [Undecided(ANY, ANY, ANY)] if over else []
        for (_, within, without, witness), blocks in differing:
            if monotonic() > until:
                undecided.append(Undecided(ANY, ANY, ANY))
                break
            crawlers, first, places = blocks[0]
            text = witness.decode("utf-8", "replace")
            one = self._change_at(
                asker[crawlers], for_[first][0], wanted[places[0]], self._paths(within, without), text
            )
            if _differ(one.before, one.after):
                found.setdefault(one, []).extend(map(questions_of, blocks))
            else:
                open_ = [*open_, *blocks]  # a witness must show the change; if it does not, the question is open
        more = (question for block in open_ for question in _open(questions_of(block)))
        undecided.extend(islice(more, _OPEN))
        if next(more, None) is not None:
            undecided.append(Undecided(ANY, ANY, ANY))
        return tuple(change for one, blocks in found.items() for change in _together(one, blocks)), undecided

    def _is_referred_to(self, pattern: bytes) -> bool:
        """Whether a pattern is that of a resource to which one of the policies refers: the engine says so."""
        is_path = pattern[:1] == b"/" and pattern[-1:] in {b"$", b"?"} and b"*" not in pattern
        if self.plain or not is_path:
            return False
        if (known := self.referred_to.get(pattern[:-1])) is None:
            path = pattern[:-1].decode("utf-8", "replace")
            asked = (one.decide(url_at(one, path), crawler=self.stranger, at=self.at) for one in (self.old, self.new))
            known = self.referred_to[pattern[:-1]] = any(one.reason.kind == "policy-resource" for one in asked)
        return known

    def _paths(self, within: Sequence[bytes], without: Sequence[tuple[bytes, Sequence[bytes]]]) -> Paths:
        form = _FORMS[self.old.dialect]
        always = _POLICY_PATTERNS[self.old.dialect] & _POLICY_PATTERNS[self.new.dialect]
        listed = {first for first, _ in without} | {other for _, others in without for other in others}
        policy = {pattern for pattern in listed if pattern in always or self._is_referred_to(pattern)}

        def text(pattern: bytes) -> str:
            if form == "decoded" and pattern not in policy:
                pattern = _literal(pattern)  # this dialect has no wildcards
            return pattern.decode("utf-8", "surrogateescape")

        less = (
            Paths(
                (text(first),),
                tuple(Paths((text(other),), form=form, carries_policy=other in policy) for other in others),
                form,
                carries_policy=not others and first in policy,
            )
            for first, others in without
        )
        return Paths(tuple(map(text, within)), tuple(less), form)

    def _change_at(self, crawler: Sequence[str], purpose: str, usage: str, paths: Paths, witness: str) -> _ChangeOfOne:
        before, after = (
            _side(policy, url_at(policy, witness), crawler, purpose, usage, self.at) for policy in (self.old, self.new)
        )
        return _ChangeOfOne(paths, before, after, witness)


def _open(asked: _Questions) -> Iterator[Undecided]:
    return (Undecided(asked.crawlers[0], purpose, usage) for purpose in asked.purposes for usage in asked.usages)


def _differ(before: Side, after: Side) -> bool:
    return (before.outcome, before.restrictions) != (after.outcome, after.restrictions)


def _side(policy: RobotsPolicy, path: str, crawler: Sequence[str], purpose: str, usage: str, at: datetime) -> Side:
    def decide(usage: str) -> Decision:
        return policy.decide(path, crawler=crawler, usage=usage, purpose=purpose or None, at=at)

    try:
        decision = decide(usage)
    except ValueError:
        decision = decide("other")  # a usage that this policy has no word for: what remains
    reason = decision.reason
    cited = next(iter(reason.decided_by), None)
    kind = reason.kind
    if cited and cited.line and kind in ("crawl-prohibited", "preserve-prohibited"):
        kind = "statement"  # a refusal of crawl refuses every usage that needs it, and is reported once for all of them
    # The purpose is reported itself.
    restrictions = (item for item in decision.restrictions if item.name != "excluded-purpose")
    return Side(
        str(decision.outcome),
        tuple(sorted(str(item) for item in restrictions)),
        (cited.line or 0) if cited else 0,
        cited.text if cited else "",
        kind,
    )


def _speaks(policy: RobotsPolicy) -> bool:
    """Whether the policy may have statements on other usages than crawl, or for purposes.

    It may with an ACAP field or a signal. A policy that is out of reach permits crawling resources that carry policy,
    but no use of them.
    """
    written = policy.supplied or policy.has_line("ACAP", *_deciding(policy))
    return bool(written) or policy.state == "unreachable"
