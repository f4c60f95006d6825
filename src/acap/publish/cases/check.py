"""Checking cases: each question is put to the engine, and the answer compared with what is expected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import NamedTuple, Protocol

from acap import _native
from acap.carriers import Carriers, carriers, file_carriers
from acap.combine import decide
from acap.crawler_list import crawler_names
from acap.crawlers import Crawler
from acap.decision import Cited, Decision
from acap.dialects.ai_txt import parse_ai_txt
from acap.dialects.rsl.associations import RslLicences
from acap.dialects.rsl.policy import RslDocument
from acap.dialects.tdmrep import parse_tdmrep
from acap.dialects.well_known import ABSENT, PASSING
from acap.publish.cases.case import Case, CaseFile, CasesError, Expectation, Values
from acap.publish.cases.keys import nearest
from acap.publish.inputs import is_unknown
from acap.publish.lint.kinds import kind_of_source
from acap.publish.saved_robots import robots_in
from acap.restrictions import Restriction
from acap.robots import RobotsPolicy, reads_vocabularies, url_at
from acap.statement import Source
from acap.usages import USAGES

MAX_POLICY_OCTETS = 64 * 1024 * 1024
"""Of a robots.txt, a page or a reference; a device named by mistake must not fill the memory."""


_DIALECTS = ("tdmrep", "ai-txt", "rsl")


@dataclass(frozen=True, slots=True)
class Check:
    """One question of a case. The purpose `""` asks without one."""

    url: str
    crawler: str
    usage: str
    purpose: str

    def __str__(self) -> str:
        purpose = f" for {self.purpose}" if self.purpose else ""
        return f"{self.usage} of {self.url} by {self.crawler}{purpose}"


@dataclass(frozen=True, slots=True)
class Miss:
    """An expectation, and the decision instead."""

    expected: str
    decided: str


@dataclass(frozen=True, slots=True)
class Result:
    """A check with its decision; it passed if nothing was missed. `names` are what sources are called in words."""

    case: Case
    check: Check
    decision: Decision
    missed: tuple[Miss, ...]
    names: Mapping[str, str]

    @property
    def passed(self) -> bool:
        """Whether everything is as expected."""
        return not self.missed


class Policies(Protocol):
    """The source of the policy for cases."""

    def find(self, crawler: str, dialect: str) -> RobotsPolicy:
        """The policy for a crawler, read in a dialect."""


class FilePolicies:
    """The policy in the file that the cases name, with the documents it is referred to.

    Raises:
        CasesError: the cases name none.
    """

    def __init__(self, file: CaseFile) -> None:
        if file.robots is None:
            raise CasesError(f"{file.name}: `robots` is missing, so only --live, which asks the site, can check it")
        self._file = file
        self._octets = _read(file, "robots", file.robots)
        self._read: dict[str, RobotsPolicy] = {}

    def find(self, crawler: str, dialect: str) -> RobotsPolicy:  # noqa: ARG002  the file is the same for all
        """The policy; the same for every crawler.

        Raises:
            CasesError: a reference that the policy does not have, or that cannot be read.
        """
        if dialect not in self._read:
            self._read[dialect] = self._policy(dialect)
        return self._read[dialect]

    def _policy(self, dialect: str) -> RobotsPolicy:
        file = self._file
        policy = robots_in(self._octets, url=file.site, dialect=dialect)
        if doubt := policy.evidence.get("doubt"):
            raise CasesError(f"{file.name}: `robots` is a response that says nothing about the site: {doubt}")
        if not reads_vocabularies(policy):  # a dialect that does not read ACAP has no references
            return policy
        known = list(dict.fromkeys(uri for name in policy.crawlers for uri in policy.references(name)))
        for uri, path in file.references.items():
            if uri not in known:
                hint = nearest(uri, known) if known else "; remove it"
                raise CasesError(f"{file.name}: `references`: the policy does not refer to `{uri}`{hint}")
            policy = policy.with_reference(uri, _read(file, "references", path))
        return policy


class DocumentOctets(NamedTuple):
    """A document as it was had: its octets, none if it was not, and the status of the answer that it came with."""

    octets: bytes | None
    status: int = 200


class Documents:
    """The documents of other dialects that the cases name, each read once: in their files, or as a site serves them.

    Raises:
        CasesError: a file cannot be read, or is of no dialect.
    """

    def __init__(self, file: CaseFile, served: Mapping[str, DocumentOctets] | None = None) -> None:
        """`served` are those that a site has, by the names in the cases; None: those in the files."""
        if served is None:
            had = {where: DocumentOctets(_read(file, "documents", path)) for where, path in file.documents.items()}
        else:
            had = dict(served)
        self._had = had
        self._kinds: dict[str, str] = {}
        for where, one in had.items():
            kind = kind_of_source(where, one.octets or b"")
            if kind not in _DIALECTS and served is None:
                raise CasesError(f"{file.name}: `documents`: `{where}` is no tdmrep.json, ai.txt or licence document")
            # Whatever a site has in the place of a licence is read as one, which prohibits.
            self._kinds[where] = kind if kind in _DIALECTS else "rsl"

    @property
    def unknown(self) -> frozenset[str]:
        """The dialects of those that could not be retrieved."""
        return frozenset(self._kinds[where] for where, one in self._had.items() if self._is_unknown(where, one))

    def _is_unknown(self, where: str, had: DocumentOctets) -> bool:
        if had.octets is not None or had.status in ABSENT:
            return False
        # To ai.txt any refusal is none, as to robots.txt.
        return self._kinds[where] != "ai-txt" or not 400 <= had.status < 500 or had.status in PASSING

    def sources(self, url: str, robots: RobotsPolicy) -> tuple[Source, ...]:
        """What they say of a URL; a licence document where robots.txt or the page refers to it."""
        if not self._had:
            return ()
        site = _native.origin(url) or "https://site.invalid"
        found: list[Source] = []
        licences: dict[str, bytes | str | RslDocument | None] = {}
        for where, (octets, status) in self._had.items():
            at = f"{site}{where}" if where.startswith("/") else where
            if self._kinds[where] == "tdmrep":
                found.append(parse_tdmrep(octets, url=at, status=status))
            elif self._kinds[where] == "ai-txt":
                found.append(parse_ai_txt(octets, url=at, status=status))
            else:
                licences |= {where: octets, at: octets}
        return (*found, RslLicences(robots=robots, documents=licences)) if licences else tuple(found)


def check_file(file: CaseFile, policies: Policies | None = None, documents: Documents | None = None) -> list[Result]:
    """The results of all cases, in their order.

    Args:
        file: the cases.
        policies: where the policy comes from; by default the file that the cases name.
        documents: those of other dialects; by default the files that the cases name.

    Raises:
        CasesError: a question that means nothing, or a file that cannot be read.
    """
    found = policies or FilePolicies(file)
    beside = documents or Documents(file)
    return [result for case in file.cases for result in check_case(file, case, found, beside)]


def check_case(file: CaseFile, case: Case, policies: Policies, documents: Documents | None = None) -> Iterator[Result]:
    """The results of one case; see `check_file`."""
    beside = Documents(file) if documents is None else documents
    octets = None if case.page is None else _read(file, "page", case.page, case)
    for name in case.crawlers:
        robots = policies.find(name, case.dialect)
        try:
            crawler = Crawler(*crawler_names(name), elements=case.elements, profile=case.profile)
        except ValueError as error:
            raise file.error(case, str(error)) from error
        for url in case.urls:
            response = _response(file, case, url, octets)
            names = _names(file, case, response, robots, policies)
            others = (*(() if response is None else response.others), *beside.sources(url_at(robots, url), robots))
            for usage, purpose in product(case.usages, case.purposes):
                check = Check(url, name, usage, purpose)
                try:
                    decision = decide(
                        url_at(robots, url),
                        crawler=crawler,
                        usage=usage,
                        purpose=purpose or None,
                        at=case.at,
                        facts=case.facts,
                        robots=robots,
                        page=None if response is None else response.page,
                        others=others,
                    )
                except ValueError as error:
                    raise _wrong(file, case, usage, error) from error
                missed = tuple(_missed(case.expected, decision, robots))
                yield Result(case, check, decision, missed, names)


def robots_source(policy: RobotsPolicy) -> str:
    """The name of a policy's robots.txt in reasons."""
    return "robots.txt" if policy.url is None else f"{_native.origin(policy.url)}/robots.txt"


def _response(file: CaseFile, case: Case, url: str, octets: bytes | None) -> Carriers | None:
    """The statements of the URL's own response, if the case has any."""
    if octets is None and not case.headers:
        return None
    at = None if url.startswith("/") else url
    try:
        if octets is None or case.page is None:
            response = carriers(octets, url=at, headers=case.headers)
        else:
            response = file_carriers(octets, case.page.name, url=at, headers=case.headers)
    except ValueError as error:
        raise file.error(case, str(error)) from error
    if response.missing is not None:
        raise file.error(case, f"`page` needs packages that are not installed: pip install 'acap[{response.missing}]'")
    return response


def _names(
    file: CaseFile, case: Case, response: Carriers | None, robots: RobotsPolicy, policies: Policies
) -> dict[str, str]:
    """The names of sources: the files that were read, as the cases name them."""
    names = {}
    if file.robots is not None and isinstance(policies, FilePolicies):
        names[robots_source(robots)] = file.robots.name
    if response is not None and case.page is not None:
        names[response.page.url or "page"] = case.page.name
    return names


def _wrong(file: CaseFile, case: Case, usage: str, error: ValueError) -> CasesError:
    """What the engine calls a mistake of the caller."""
    if usage not in USAGES and f"`{usage}`" in str(error):
        return file.error(case, f"`usage` is `{usage}`, which no policy here knows{nearest(usage, USAGES)}")
    return file.error(case, str(error))


def _missed(expected: Expectation, decision: Decision, robots: RobotsPolicy) -> Iterator[Miss]:
    if decision.kind == "reference-missing" != expected.kind:
        # Nobody expects a prohibition only because a document is missing.
        yield Miss(expected.outcome, "nothing, as a document that the policy refers to is not in `references`")
        return
    if decision.outcome != expected.outcome:
        yield Miss(expected.outcome, str(decision.outcome))
    else:  # another outcome has other restrictions, which would add nothing
        yield from _restrictions_missed(expected, decision.restrictions)
    if expected.kind is not None and decision.kind != expected.kind:
        yield Miss(f"reason {expected.kind}", f"reason {decision.kind}")
    if expected.lines or expected.statements:
        yield from _statements_missed(expected, decision, robots)


def _restrictions_missed(expected: Expectation, restrictions: tuple[Restriction, ...]) -> Iterator[Miss]:
    decided = ", ".join(map(str, restrictions)) or "no restrictions"
    if (wanted := expected.restrictions) is not None:
        pairs = list(_pairs(wanted))
        if not (
            all(_has(restrictions, *pair) for pair in pairs) and all(_is_among(one, pairs) for one in restrictions)
        ):
            listed = ", ".join(f"{name}={value}" for name, value in pairs)
            yield Miss(f"{listed}, and no other restriction" if listed else "no restrictions", decided)
    for name, value in _pairs(expected.restrictions_include or {}):
        if not _has(restrictions, name, value):
            yield Miss(f"{name}={value}", decided)


def _statements_missed(expected: Expectation, decision: Decision, robots: RobotsPolicy) -> Iterator[Miss]:
    reason = decision.reason
    of_site = [cited for cited in reason.decided_by if _is_of(cited, robots_source(robots))]
    lines = " and ".join(f"line {one.line}" for one in of_site) or f"no line of the robots.txt ({reason.kind})"
    for line in expected.lines:
        if all(one.line != line for one in of_site):
            yield Miss(f"line {line} decides", f"{lines} decide{'s' if len(of_site) < 2 else ''}")
    texts = [" ".join(cited.text.split()) for cited in reason.decided_by]
    decides = f"`{texts[0]}`" if texts else f"no statement ({reason.kind})"
    for text in expected.statements:
        if text not in texts:
            yield Miss(f"`{text}` decides", f"{decides} decides")


def _pairs(values: Values) -> Iterator[tuple[str, str]]:
    return ((name, value) for name, many in values.items() for value in many)


def _has(restrictions: tuple[Restriction, ...], name: str, value: str) -> bool:
    return any(one.name == name and value in (one.value, one.plain) for one in restrictions)


def _is_among(restriction: Restriction, pairs: list[tuple[str, str]]) -> bool:
    return (restriction.name, restriction.value) in pairs or (restriction.name, restriction.plain) in pairs


def _is_of(cited: Cited, source: str | None) -> bool:
    return cited.source == source and cited.element is None and cited.header is None


def _read(file: CaseFile, key: str, path: Path, case: Case | None = None) -> bytes:
    unknown = False
    try:
        with path.open("rb") as opened:
            octets = opened.read(MAX_POLICY_OCTETS + 1)
            unknown = is_unknown(opened, octets)
    except (OSError, ValueError) as error:
        text = f"`{key}` names `{path}`, which cannot be read: {getattr(error, 'strerror', None) or error}"
    else:
        if len(octets) <= MAX_POLICY_OCTETS and not unknown:
            return octets
        what = "empty, so its meaning is unknown" if unknown else f"larger than {MAX_POLICY_OCTETS >> 20} MiB"
        text = f"`{key}` names `{path}`, which is {what}"
    wrong = CasesError(f"{file.name}: {text}") if case is None else file.error(case, text)
    wrong.unknown = unknown
    raise wrong
