"""A robots.txt as its two independent readers see it, with the permissions resources it refers to (P1 4.1, 4.5.2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from . import conventional, google, norobots_1996, records_1994, robots_2
from .acap_file import AcapFile, read_acap, reference_of
from .acap_records import Record
from .acap_values import HTTP, as_far_as_read, single_resource
from .canonical import ABSOLUTE, canonical_pattern, canonical_prefix, origin
from .conventional import AGENT, ALLOW, Group, Refusal, Verdict
from .crawler import Crawler, first_named, names_of
from .cuts import torn_line
from .document import has_known_field, is_no_text
from .limits import Limits
from .lines import read_google_lines, read_lines, without_mark
from .pattern import matches
from .signals import FIELDS as SIGNALS
from .signals import Signals, read_signals
from .statements import Statement
from .text import tokens
from .usages import EVERY

DIALECTS = ("auto", "rfc9309", "google", "rep-1994", "norobots-1996", "robots-2.0")
GROUPED = ("auto", "rfc9309", "google")
ANY_PATH = "*"  # of a take-down of which a limit cut the path, or nobody can tell it
WELL_KNOWN = ("/robots.txt", "/.well-known/tdmrep.json", "/ai.txt")


@dataclass(frozen=True)
class Policy:
    """What was read of a robots.txt: its dialect, its conventional lines, its ACAP records, its references."""

    dialect: str
    url: str | None
    limits: Limits
    groups: tuple[Group, ...] = ()
    licences: tuple[str, ...] = ()
    acap: AcapFile = field(default_factory=AcapFile)
    signals: Signals = field(default_factory=Signals)
    supplied: dict[str, AcapFile | None] = field(default_factory=dict)
    is_beyond: bool = False
    is_no_text: bool = False  # packed, or binary: it may say anything
    torn: int | None = None
    cuts_names: bool = False
    for_use: bool = False  # asked about what must be used or included: what it prohibits of crawling does not count

    def rep(self, crawler: Crawler, path: str, url: str) -> Verdict:
        """What the conventional lines say of crawling; what a limit cut refuses apart from all that permits."""
        apart = self.refusals_apart(names_of(crawler), path)
        verdict = self.rules(crawler, path, url)
        return Verdict((*apart, *verdict.refusals)) if apart else verdict

    def refusals_apart(self, names: Sequence[str], path: str) -> tuple[Refusal, ...]:
        """The refusals of lines that a limit cut, and of groups with a User-agent line that it cut, led by any name."""
        if self.dialect == "google" or self.acap.ignores_conventional:
            return ()
        heard = [group for group in self.heard(names) if not group.is_cut]
        rules = [rule for group in heard for rule in group.disallows if rule.line.cut]
        rules += [rule for group in self.groups if group.is_cut for rule in group.disallows]
        found = []
        for rule in rules:
            value = rule.value
            if rule.line.cut:
                value = as_far_as_read(value if self.dialect in GROUPED else value.partition("*")[0])
            pattern = canonical_pattern(value) if self.dialect in GROUPED else canonical_prefix(value)
            if value and self.applies(pattern, path):
                found.append(Refusal(pattern, rule.line.number, named=True, firm=rule.line.cut))
        return tuple(found)

    def applies(self, pattern: str, path: str) -> bool:
        """Whether a canonical pattern of a line by itself is one of the path, in the way of the dialect."""
        if self.dialect == "norobots-1996":
            return norobots_1996.decoded(path.partition("?")[0]).startswith(norobots_1996.decoded(pattern))
        return matches(pattern, path) if self.dialect in GROUPED else path.startswith(pattern)

    def names_crawler(self, name: str) -> bool:
        """Whether a group, or an ACAP record of this file or of what it refers to, names a crawler."""
        if self.dialect == "google":
            by_rep = google.groups_for(self.groups, [name])[1]
        elif self.dialect in GROUPED:
            by_rep = any(group.names(name) for group in self.groups)
        else:
            by_rep = any(records_1994.contains(group, name) for group in self.groups)
        files = [self.acap, *(target for target in self.supplied.values() if target)]
        return by_rep or any(target.name_for([name]) for target in files)

    def heard(self, names: Sequence[str]) -> list[Group]:
        """The groups or records whose lines count for a crawler, the default ones of a second reading included."""
        if self.dialect in GROUPED:
            chosen, named = conventional.groups_for(self.groups, names)
            experimental = self.dialect == "auto" and any(robots_2.form_of(group) == "experimental" for group in chosen)
            everybody = [group for group in self.groups if group.is_default() and group not in chosen]
            return [*chosen, *(everybody if named and experimental else [])]
        record, named = records_1994.record_for(self.groups, names)
        if self.dialect == "robots-2.0" and record and named and robots_2.form_of(record) == "experimental":
            record = records_1994.default_record(self.groups)
        return [record] if record else []

    def rules(self, crawler: Crawler, path: str, url: str) -> Verdict:
        """What the rules come to that a limit left whole."""
        names = names_of(crawler)
        if self.dialect == "google":
            chosen, named = google.groups_for(self.groups, google.names_of(crawler.names))
            return google.decide(chosen, named, google.path_of(url))
        groups = [self.as_heard(group, names) for group in self.groups] if self.cuts_names else self.groups
        if self.dialect == "robots-2.0":
            return robots_2.decide(groups, names, path)
        if self.dialect not in GROUPED:
            decide = norobots_1996.decide if self.dialect == "norobots-1996" else records_1994.decide
            return decide(*records_1994.record_for(groups, names), path)
        if self.acap.ignores_conventional:
            return Verdict()
        chosen, named = conventional.groups_for(groups, names)
        verdict = conventional.decide(chosen, named, path)
        if self.dialect == "auto" and named:
            everybody = [group for group in groups if group.is_default()]
            second = robots_2.second_reading(chosen, path)
            refusals = verdict.refusals + second + robots_2.default_reading(chosen, everybody, path)
            return Verdict(refusals) if refusals else verdict
        return verdict

    def as_heard(self, group: Group, names: Sequence[str]) -> Group:
        """A group where a limit cut a name: one led by it counts apart; to a later name than the first none permits."""
        if group.is_cut:
            return replace(group, rules=[])
        names_it = records_1994.contains if self.dialect not in GROUPED else Group.names
        first = first_named(names, lambda name: any(names_it(other, name) for other in self.groups))
        if first in {None, *names[:1]} or not names_it(group, str(first)):
            return group
        return replace(group, rules=[replace(rule, is_whole=rule.kind != ALLOW) for rule in group.rules])

    @cached_property
    def always_fetched(self) -> set[str]:
        """The paths of the resources that carry policy, without queries."""
        if self.dialect in {"rfc9309", "norobots-1996"}:
            return {"/robots.txt"}  # RFC 9309 2.2.2; the final memo of 1996, 3.2.2
        if self.dialect != "auto":
            return set()
        targets = [
            *self.licences,
            *(reference_of(found) for record in self.acap.records for found in record.references if not found.is_cut),
        ]
        found = [
            single_resource(target, self.url, prohibits=False)
            for target in targets
            if "://" not in target or HTTP.match(target)
        ]
        return {*WELL_KNOWN, *(path.partition("?")[0] for path in found if path)}

    def references(self, crawler: Crawler) -> list[tuple[str, int, bool]]:
        """The references that apply to the crawler: URI as written, line, and whether the record names it."""
        return [
            (reference_of(found), found.line.number, named)
            for record, named in self.acap.records_for(names_of(crawler))
            for found in record.references
            if not found.is_cut
        ]

    def missing(self, crawler: Crawler) -> list[tuple[str, int]]:
        """The references that apply and are not supplied, or failed, or lead on to another: URI and line."""
        records = self.acap.records_for(names_of(crawler))
        missing = [("", found.line.number) for record, _ in records for found in record.references if found.is_cut]
        for uri, line, _ in self.references(crawler):
            target = self.supplied.get(uri) if uri else None  # an empty reference is one to the file itself: a loop
            applying = target.records_for(names_of(crawler)) if target else []
            if target is None or any(record.references for record, _ in applying):
                missing.append((uri, line))
        return missing

    def statements(self, crawler: Crawler) -> list[tuple[Statement, bool]]:
        """The statements that address the crawler, referenced ones included, each with whether it is named."""
        names = names_of(crawler)
        found = self.acap.statements_for(names)
        for record, named in self.acap.records_for(names):
            for uri in (reference_of(each) for each in record.references if not each.is_cut):
                target = self.supplied.get(uri) or AcapFile()
                found += [
                    (
                        statement.lifting(not self.is_doubtful(record, names)),
                        named or names_it,
                    )
                    for statement, names_it in target.statements_for(names)
                ]
        return found

    def is_doubtful(self, record: Record, names: Sequence[str]) -> bool:
        """Whether permissions of a record lift nothing: a limit cut its names, or one that could come first."""
        name = self.acap.name_for(names)
        hidden = self.acap.cuts_names or self.acap.hides_names
        return record.is_cut or (hidden and name in record.names and name != names[0])

    def records(self, crawler: Crawler) -> list[Record]:
        """The ACAP records that address the crawler, referenced ones included."""
        names = names_of(crawler)
        found = self.acap.records_for(names)
        for uri, _, _ in self.references(crawler):
            found += (self.supplied.get(uri) or AcapFile()).records_for(names)
        return [record for record, _ in found]

    def purposes(self, crawler: Crawler) -> list[str]:
        """The purpose patterns of the crawler's records as written, in order, each once; `*` excepted."""
        written = [purpose for record in self.records(crawler) for purpose in record.purposes]
        return list(dict.fromkeys(purpose for purpose in written if purpose != "*"))

    def action_requests(self, crawler: Crawler) -> list[tuple[str, str, int]]:
        """The action requests to the crawler: `take-down` or `re-crawl`, canonical path, line."""
        requests = []
        for found in (found for record in self.records(crawler) for found in record.requests):
            action = found.name.removeprefix("acap-request-")
            is_untold = HTTP.match(found.value) and not ABSOLUTE.match(found.value)
            if found.is_cut or is_untold:
                requests += [(action, ANY_PATH, found.line.number)] if action == "take-down" else []
                continue
            path = single_resource(tokens(found.value)[0], self.url, prohibits=action == "take-down")
            if path is not None:
                requests.append((action, path, found.line.number))
        return requests

    def known_usages(self) -> set[str]:
        """The usages its statements name, those included that no dialect knows."""
        files = [self.acap, *(target for target in self.supplied.values() if target)]
        return {statement.usage for target in files for statement in target.statements} - {EVERY}


def read(
    octets: bytes | str,
    *,
    url: str | None = None,
    dialect: str = "auto",
    limits: Limits | None = None,
    reading: str = "careful",
) -> Policy:
    """Read a robots.txt. Never fails on content; ValueError for an unknown dialect or a URL that is not absolute."""
    if dialect not in DIALECTS:
        raise ValueError(f"unknown dialect `{dialect}`")
    if url is not None and origin(url) is None:
        raise ValueError(f"not an absolute URL: `{url}`")
    octets = octets.encode("utf-8", "surrogateescape") if isinstance(octets, str) else octets
    limits = limits or Limits()
    lines = read_google_lines(octets) if dialect == "google" else read_lines(octets, limits, has_known_field)
    fields = conventional.read_fields(lines)
    cut_agent = next((found.line.number for found in fields if found.kind == AGENT and found.line.cut), None)
    torn = torn_line(lines, acap=dialect == "auto")
    kinds = {found.kind for found in fields}
    by_agent = dialect in {"auto", "robots-2.0"} and "robot-version" in kinds  # which reading counts, or what is heard
    by_agent |= dialect == "auto" and not kinds.isdisjoint(SIGNALS)
    acap = read_acap(lines, url, limits) if dialect == "auto" else AcapFile()
    cuts_names = acap.cuts_names or cut_agent is not None
    is_beyond = dialect != "google" and len(octets) > limits.file_octets
    of_acap = dialect == "auto"
    groups = conventional.read_groups(fields, acap=of_acap) if dialect in GROUPED else records_1994.read_records(lines)
    return Policy(
        dialect=dialect,
        url=url,
        limits=limits,
        groups=tuple(groups),
        licences=tuple(found.value for found in fields if found.kind == "license" and found.value and found.is_whole),
        acap=replace(acap, cuts_names=cuts_names),
        signals=replace(read_signals(fields, lines), strict=reading == "strict") if dialect == "auto" else Signals(),
        is_beyond=is_beyond,
        is_no_text=dialect != "google" and not is_beyond and is_no_text(octets),
        torn=torn or (cut_agent if by_agent else None),
        cuts_names=cuts_names,
    )


def with_reference(policy: Policy, uri: str, octets: bytes | str | None) -> Policy:
    """The policy with the resource of a reference supplied; None, or what is no ACAP text, is a failure."""
    octets = octets.encode("utf-8", "surrogateescape") if isinstance(octets, str) else octets
    target = None
    is_whole = octets is not None and len(octets) <= policy.limits.file_octets and not is_no_text(octets)
    if octets is not None and is_whole and not without_mark(octets).lstrip(b" \t\v\f\r\n").startswith(b"<"):
        lines = read_lines(octets, policy.limits, has_known_field)
        read_target = read_acap(lines, policy.url, policy.limits)
        target = read_target if read_target.records and not torn_line(lines, acap=True) else None
    return replace(policy, supplied={**policy.supplied, uri: target})
