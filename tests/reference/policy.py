"""A robots.txt as its two independent readers see it, with the permissions resources it refers to (P1 4.1, 4.5.2.2)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from . import conventional, google, norobots_1996, records_1994, robots_2
from .acap_file import AcapFile, read_acap, reference_of
from .acap_records import Record
from .acap_values import HTTP, single_resource
from .canonical import origin
from .conventional import Group, Verdict
from .crawler import Crawler, names_of
from .limits import Limits
from .lines import read_google_lines, read_lines, without_mark
from .signals import Signals, read_signals
from .statements import Statement
from .text import tokens

DIALECTS = ("auto", "rfc9309", "google", "rep-1994", "norobots-1996", "robots-2.0")
GROUPED = ("auto", "rfc9309", "google")
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

    def rep(self, crawler: Crawler, path: str, url: str) -> Verdict:
        """What the conventional lines say of crawling."""
        names = names_of(crawler)
        if self.dialect == "google":
            chosen, named = google.groups_for(self.groups, google.names_of(crawler.names))
            return google.decide(chosen, named, google.path_of(url))
        if self.dialect == "robots-2.0":
            return robots_2.decide(self.groups, names, path)
        if self.dialect not in GROUPED:
            decide = norobots_1996.decide if self.dialect == "norobots-1996" else records_1994.decide
            return decide(*records_1994.record_for(self.groups, names), path)
        if self.acap.ignores_conventional:
            return Verdict()
        chosen, named = conventional.groups_for(self.groups, names)
        verdict = conventional.decide(chosen, named, path)
        if self.dialect == "auto" and named:
            everybody = [group for group in self.groups if group.is_default()]
            second = robots_2.second_reading(chosen, path)
            refusals = verdict.refusals + second + robots_2.default_reading(chosen, everybody, path)
            return Verdict(refusals) if refusals else verdict
        return verdict

    def always_fetched(self) -> set[str]:
        """The paths of the resources that carry policy, without queries."""
        if self.dialect in {"rfc9309", "norobots-1996"}:
            return {"/robots.txt"}  # RFC 9309 2.2.2; the final memo of 1996, 3.2.2
        if self.dialect != "auto":
            return set()
        targets = [
            *self.licences,
            *(reference_of(found) for record in self.acap.records for found in record.references),
        ]
        found = [single_resource(target, self.url) for target in targets if "://" not in target or HTTP.match(target)]
        return {*WELL_KNOWN, *(path.partition("?")[0] for path in found if path)}

    def references(self, crawler: Crawler) -> list[tuple[str, int, bool]]:
        """The references that apply to the crawler: URI as written, line, and whether the record names it."""
        return [
            (reference_of(found), found.line.number, named)
            for record, named in self.acap.records_for(names_of(crawler))
            for found in record.references
        ]

    def missing(self, crawler: Crawler) -> list[tuple[str, int]]:
        """The references that apply and are not supplied, or failed, or lead on to another: URI and line."""
        missing = []
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
        for uri, _, named in self.references(crawler):
            target = self.supplied.get(uri) or AcapFile()
            found += [(statement, named or names_it) for statement, names_it in target.statements_for(names)]
        return found

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
            path = single_resource(tokens(found.value)[0], self.url)
            if path is not None:
                requests.append((found.name.removeprefix("acap-request-"), path, found.line.number))
        return requests

    def known_usages(self) -> set[str]:
        """The usages its statements name, those included that no dialect knows."""
        files = [self.acap, *(target for target in self.supplied.values() if target)]
        return {statement.usage for target in files for statement in target.statements}


def read(octets: bytes | str, *, url: str | None = None, dialect: str = "auto", limits: Limits | None = None) -> Policy:
    """Read a robots.txt. Never fails on content; ValueError for an unknown dialect or a URL that is not absolute."""
    if dialect not in DIALECTS:
        raise ValueError(f"unknown dialect `{dialect}`")
    if url is not None and origin(url) is None:
        raise ValueError(f"not an absolute URL: `{url}`")
    octets = octets.encode("utf-8", "surrogateescape") if isinstance(octets, str) else octets
    limits = limits or Limits()
    lines = read_google_lines(octets) if dialect == "google" else read_lines(octets, limits)
    fields = conventional.read_fields(lines)
    groups = conventional.read_groups(fields) if dialect in GROUPED else records_1994.read_records(lines)
    return Policy(
        dialect=dialect,
        url=url,
        limits=limits,
        groups=tuple(groups),
        licences=tuple(found.value for found in fields if found.kind == "license" and found.value),
        acap=read_acap(lines, url, limits) if dialect == "auto" else AcapFile(),
        signals=read_signals(fields, lines) if dialect == "auto" else Signals(),
    )


def with_reference(policy: Policy, uri: str, octets: bytes | str | None) -> Policy:
    """The policy with the resource of a reference supplied; None, or what is no ACAP text, is a failure."""
    octets = octets.encode("utf-8", "surrogateescape") if isinstance(octets, str) else octets
    target = None
    if octets is not None and not without_mark(octets).lstrip(b" \t\v\f\r\n").startswith(b"<"):
        read_target = read_acap(read_lines(octets, policy.limits), policy.url, policy.limits)
        target = read_target if read_target.records else None
    return replace(policy, supplied={**policy.supplied, uri: target})
