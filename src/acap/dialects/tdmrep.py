"""TDMRep: rights to text and data mining that are reserved, and on which terms (W3C Community Group, 2024-05-10).

    file = parse_tdmrep(octets, url="https://example.com/.well-known/tdmrep.json")
    acap.decide("https://example.com/a", crawler="examplebot", usage="tdm", others=[file])

A reservation stands in the site's file, in headers, in META elements, and in the metadata of EPUB and PDF. Each later
one of these carriers replaces the earlier ones, property by property (6.7): `RANKS` orders them. What reads pages and
metadata takes the meaning of their values from here. The file and the policy that it names are read in one module: one
decides with the other.
"""

from __future__ import annotations

import dataclasses
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import urljoin, urlsplit

from acap._native import Statement, absolute, canonical_path, canonical_pattern, matches, meeting
from acap.conditions import Condition
from acap.dialects.spelling import one_slip
from acap.dialects.well_known import ABSENT, brings_document, is_page, octets_of, site
from acap.licensee import Licensee
from acap.problems import Problem, problem
from acap.remembered import remembered

DIALECT = "tdmrep"
RESERVATION = "tdm-reservation"
"""The member, header and META element that reserves mining."""

RANKS = {"file": 0, "header": 1, "meta": 2, "metadata": 3}
"""The carriers, the later the greater: a later one that could be read replaces an earlier one (6.7)."""

MAX_OCTETS = 2 * 1024 * 1024
"""Most octets of a file or policy; a file with a rule for each of 10,000 books has about one million."""
MAX_RULES = 10_000
"""Most rules of a file; each is tried on each path that is asked about."""
_COMPARED = 100
"""Rules among which length and order are compared: pairs cost a search each, and real files have fewer than ten."""
_QUOTED = 120
"""Most characters of a rule that are cited."""

_URL = re.compile(r"https?://[^\s\x00-\x1f\x7f<>\"\\^`{|}]+", re.IGNORECASE)
_REFERENCE = re.compile(r"\.{0,2}/|\?")
"""How a reference begins that is no word and no host."""
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\n\r]*([\[{])")
_SPACE = re.compile(r"[ \t\n\r]*")
_LINE = re.compile(r"\r\n?|\n")


def reserves(value: str) -> bool | None:
    """What a value reserves, in any carrier but the file: all of it is 0, or it does; None where there is none.

    A proxy may have joined two lines of a header by a comma.
    """
    values = members(value)
    return not all(map(_is_zero, values)) if values else None


def _is_zero(value: object) -> bool:
    """Whether a value is 0 or resembles it: any other is meant to reserve (our choice; to the text it is unset)."""
    return (value.strip() if isinstance(value, str) else value) in (0, "0")


def members(value: str) -> list[str]:
    """The values between the commas of a header."""
    return [member.strip() for member in value.split(",") if member.strip()]


def policy_url(written: str, base: str | None = None) -> str | None:
    """The URL of a policy; None where it is none.

    One that is relative is resolved (our choice), if it can be nothing else: `policy.json` may be meant as a host.
    """
    written = written.strip()
    if base is not None and _REFERENCE.match(written):
        try:
            written = urljoin(base, written)
        except ValueError:
            return None
    return _absolute(written)


@remembered
def _absolute(written: str) -> str | None:
    if not _URL.fullmatch(written) or not written.isprintable():
        return None
    try:
        return written if urlsplit(written).hostname else None
    except ValueError:
        return None


Verdict: TypeAlias = tuple[Literal["permitted", "conditional", "prohibited"], Condition | None]
"""An outcome, and what would satisfy it."""


class Reservation(NamedTuple):
    """What one carrier says: whether rights are reserved, None if it does not say, and the policies that it names.

    `unread`: a policy that is no URL stands there, so that the terms are unknown.
    """

    reserved: bool | None = None
    policies: tuple[str, ...] = ()
    unread: bool = False

    def over(self, earlier: Reservation) -> Reservation:
        """What this carrier and an earlier one say together, property by property (6.7).

        A policy beside a reservation of 0 is not processed (5.2), and so none for a later carrier either (our choice).
        """
        policies, unread = self.policies, self.unread
        if not policies and not unread and earlier.reserved is not False:
            policies, unread = earlier.policies, earlier.unread
        return Reservation(earlier.reserved if self.reserved is None else self.reserved, policies, unread)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The outcomes for mining, each with its condition; several where several policies have to be met.

        Without a policy there is no way to acquire a licence, so rights that are reserved are a prohibition.
        """
        if self.reserved is None:
            return ()
        if not self.reserved:
            return (("permitted", None),)
        if self.unread or not self.policies:
            return (("prohibited", None),)
        return tuple(("conditional", Condition("terms", policy=policy)) for policy in self.policies)


def reservation_of(reservations: Sequence[str], policies: Sequence[str], base: str | None = None) -> Reservation:
    """What the lines of a header say, or the META elements of a page: a reservation in one of them stands."""
    stated = [each for each in map(reserves, reservations) if each is not None]
    urls: dict[str, None] = {}
    unread = False
    for written in filter(None, map(str.strip, policies)):
        url = policy_url(written, base)
        # A proxy may have joined two lines.
        several = [url] if url is not None else [policy_url(part, base) for part in written.split(",")]
        unread |= None in several
        urls.update(dict.fromkeys(filter(None, several)))
    return Reservation(any(stated) if stated else None, tuple(urls), unread)


@dataclasses.dataclass(frozen=True, slots=True)
class TdmrepRule:
    """A rule of the file. `location` is as written; None: not understood, so that its reservation is of everything.

    `reserved` is None where the rule does not say. One that does not `lift` permits nothing: what it is about, or
    whether it permits, is not certain. `line` and `column` count from 1; `text` is the rule, shortened.
    """

    location: str | None
    reserved: bool | None
    policy: str | None = None
    lifts: bool = True
    line: int = dataclasses.field(default=0, compare=False)
    column: int = dataclasses.field(default=0, compare=False)
    text: str = dataclasses.field(default="", compare=False)
    pattern: bytes | None = dataclasses.field(default=None, compare=False, repr=False)

    def applies(self, path: bytes) -> bool:
        """Whether it is about a path in canonical form."""
        return self.pattern is None or matches(self.pattern, path)


@dataclasses.dataclass(frozen=True, slots=True)
class TdmrepFile:
    """A site's tdmrep.json, read: an `acap.Source`. Made by `parse_tdmrep`.

    `state` is `none` where the site has no such file, and `unknown` where it could not be retrieved or read: then
    rights count as reserved everywhere. `policies` are the policies that were supplied, by their URLs.
    """

    url: str
    state: Literal["read", "none", "unknown"]
    rules: tuple[TdmrepRule, ...] = ()
    problems: tuple[Problem, ...] = ()
    policies: tuple[tuple[str, TdmPolicy], ...] = ()

    @property
    def dialect(self) -> str:
        """The name of its dialect."""
        return DIALECT

    def statements(self, url: str) -> tuple[Statement, ...]:
        """What it says of a resource; nothing of another site's. What its policies come to `terms_of` tells."""
        return tuple(self._statements(url))

    def with_policies(self, policies: Mapping[str, bytes | None]) -> TdmrepFile:
        """The same with the documents of its policies, by URL; None where one could not be retrieved.

        The terms of a policy that could not be retrieved or read are unknown, so what it is about is prohibited (5.2).
        """
        read = {url: parse_tdm_policy(octets, url=url) for url, octets in policies.items()}
        problems = tuple(one for policy in read.values() for one in policy.problems)
        kept = {**dict(self.policies), **read}
        return dataclasses.replace(self, policies=tuple(kept.items()), problems=(*self.problems, *problems))

    def terms_of(self, policy: str, licensee: Licensee | None) -> tuple[Verdict, ...] | None:
        """What a supplied policy comes to for who asks, whichever carrier names it; None if it was not supplied.

        It may permit research, or demand what the asker is not ready for.
        """
        read = dict(self.policies).get(policy)
        return None if read is None else read.verdicts(policy, licensee)

    def to_text(self) -> str:
        """The file that says the same: a rule a line."""
        if self.state == "unknown":
            return write_tdmrep([TdmrepRule("/", True)])
        return write_tdmrep(self.rules)

    def _statements(self, url: str) -> Iterator[Statement]:
        if site(url) not in (None, site(self.url)):
            return
        if self.state == "unknown":
            text = next((one.message for one in self.problems if one.severity == "error"), "")
            yield self._statement("prohibited", None, text)
        elif self.state == "read":
            yield from self._of_rule(canonical_path(url.encode("utf-8", "replace")))

    def _of_rule(self, path: bytes) -> Iterator[Statement]:
        """The first rule in sequence decides (6.1). Behind one about the path that does not say, none permits."""
        lifts = True
        for rule in self.rules:
            if not rule.applies(path):
                continue
            if rule.reserved:
                (verdict,) = Reservation(True, () if rule.policy is None else (rule.policy,)).verdicts
                yield self._statement(*verdict, rule.text, rule)
                return
            if rule.reserved is False and rule.lifts and lifts:
                yield self._statement("permitted", None, rule.text, rule)
                return
            lifts = False

    def _statement(
        self, outcome: str, condition: Condition | None, text: str, rule: TdmrepRule | None = None
    ) -> Statement:
        return Statement(
            dialect=DIALECT,
            usage="tdm",
            outcome=outcome,
            source=self.url,
            line=rule.line if rule is not None else None,
            column=rule.column if rule is not None else None,
            text=text,
            condition=condition,
            rank=RANKS["file"],
        )


def write_tdmrep(rules: Iterable[TdmrepRule]) -> str:
    """A tdmrep.json with these rules, a rule a line."""
    lines: list[str] = []
    for rule in rules:
        says = {None: None, True: 1, False: 0 if rule.lifts else None}[rule.reserved]
        written: dict[str, object] = {"location": "/" if rule.location is None else rule.location}
        written[RESERVATION] = says
        if rule.policy is not None:
            written["tdm-policy"] = rule.policy
        lines.append("  " + json.dumps(written))
    return "[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n"


class _BrokenError(Exception):
    """Why a document cannot be read: a code of the catalogue, its words, and where."""

    def __init__(self, code: str, *words: str, at: int = -1) -> None:
        super().__init__(code)
        self.code, self.words, self.at = code, words, at


class _Places:
    """Lines and columns of a text."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in _LINE.finditer(text))]

    def __call__(self, at: int) -> tuple[int, int]:
        if at < 0:
            return 0, 0
        line = bisect_right(self._starts, at)
        return line, at - self._starts[line - 1] + 1


class _JsonObject(NamedTuple):
    """A JSON object as written: no member hides another of its name."""

    pairs: list[tuple[str, object]]


def _constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _number(written: str) -> object:
    return int(written) if len(written) < 19 else float("inf")  # no reservation, and no time for a million digits


_DECODER = json.JSONDecoder(object_pairs_hook=_JsonObject, parse_int=_number, parse_constant=_constant)


def _value(text: str, at: int) -> tuple[object, int]:
    """The JSON value at a place, and where it ends."""
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise _BrokenError("tdmrep-not-json", error.msg, at=error.pos) from None
    except (ValueError, RecursionError) as error:
        raise _BrokenError("tdmrep-not-json", str(error), at=at) from None


def _text(octets: bytes) -> str:
    if len(octets) > MAX_OCTETS:
        raise _BrokenError("tdmrep-too-much", f"{len(octets)} octets", f"{MAX_OCTETS}")
    try:
        return octets.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _BrokenError("tdmrep-not-json", f"octet {error.start + 1} is not UTF-8") from None


def _blank(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _items(text: str) -> Iterator[tuple[object, int, int]]:
    """The values of a JSON array, each with where it begins and ends."""
    at = _blank(text, 1 if text.startswith("\ufeff") else 0)
    if not text.startswith("[", at):
        value, _ = _value(text, at)
        raise _BrokenError("tdmrep-not-array", "an object" if isinstance(value, _JsonObject) else "no array", at=at)
    at = _blank(text, at + 1)
    if not text.startswith("]", at):
        count = 0
        while True:
            value, end = _value(text, at)
            count += 1
            if count > MAX_RULES:
                raise _BrokenError("tdmrep-too-much", "more rules", f"{MAX_RULES}", at=at)
            yield value, at, end
            at = _blank(text, end)
            if text.startswith("]", at):
                break
            if not text.startswith(",", at):
                raise _BrokenError("tdmrep-not-json", "a comma or a bracket is missing", at=at)
            at = _blank(text, at + 1)
    if _blank(text, at + 1) != len(text):
        raise _BrokenError("tdmrep-not-json", "something follows the array", at=at + 1)


def parse_tdmrep(octets: bytes | str | None, *, url: str, status: int = 200, base_url: str | None = None) -> TdmrepFile:
    """Reads a site's /.well-known/tdmrep.json. No content makes it raise.

    A file that could not be retrieved or read reserves everything (our choice): an answer that neither brings the whole
    file nor says that there is none (404, 410), octets that are no JSON array. An HTML page in its place does not
    count: servers answer so for whatever they do not have.

    Args:
        octets: the body of the answer, or its text; None if there was none.
        url: of the file, for its site.
        status: of the answer, after redirects.
        base_url: where it came from in the end, of which its relative policies are (RFC 3986 5.1.3); the URL, if None.

    Raises:
        ValueError: the URL has no scheme or no host.
        TypeError: octets are neither bytes, nor str, nor None.
    """
    octets = octets_of(octets, "a tdmrep.json")
    absolute(url)
    if status in ABSENT:
        return TdmrepFile(url, "none")
    if octets is None or not brings_document(status):
        why = f"status {status}" if octets is not None or status != 200 else "no answer"
        return TdmrepFile(url, "unknown", problems=(problem("tdmrep-not-had", 0, 0, (why,), ""),))
    problems: list[Problem] = []
    text = ""
    rules: list[TdmrepRule | None] = []
    strange: int | None = None
    try:
        text = _text(octets)
        if is_page(octets):
            return TdmrepFile(url, "none", problems=(problem("tdmrep-html", 0, 0, (), ""),))
        places = _Places(text)
        if text.startswith("\ufeff"):
            problems.append(problem("tdmrep-byte-order-mark", 1, 1, (), ""))
        for value, start, end in _items(text):
            if isinstance(value, _JsonObject):
                shown = _shown(text[start : min(end, start + 4 * _QUOTED)])
                rules.append(_rule(value, (url, base_url or url), places(start), shown, problems))
            elif strange is None:
                strange = start
        if strange is not None:
            # It may hold the rules, as an array in the array does.
            raise _BrokenError("tdmrep-rule", at=strange)
    except _BrokenError as error:
        line, column = _Places(text)(error.at)
        return TdmrepFile(url, "unknown", problems=(problem(error.code, line, column, error.words, ""),))
    found = tuple(rule for rule in rules if rule is not None)
    problems += _in_another_order(found)
    return TdmrepFile(url, "read", found, tuple(problems))


def may_be_read(octets: bytes) -> bool:
    """Whether octets that were found anywhere say more than a doubt does, as a file or as a policy that it names."""
    start = _JSON.match(octets)
    if start is None:
        return False
    if start[1] == b"{":
        is_named = b"permission" in octets or b"\\u" in octets
        return is_named and bool(parse_tdm_policy(octets).permissions)
    try:
        rules = json.loads(_text(octets).removeprefix("\ufeff"), parse_int=_number)
    except (_BrokenError, ValueError, RecursionError):
        return False
    return all(isinstance(rule, dict) for rule in rules)


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _QUOTED else line[:_QUOTED] + "…"


_LENGTHS = range(9, 65)  # of names: of nine letters at least and of twenty at most, with what joins them
_RESERVATION_FORMS = ("tdmreservation", "tdmreserved", "tdmreserve")
_KEYS = {
    "location": ("location",),
    RESERVATION: (*_RESERVATION_FORMS, "reservation", "reserved"),
    "tdm-policy": ("tdmpolicy", "tdmpolicies", "policy"),
}
"""The members of a rule, each with the letters of names that can only be meant for it."""


def is_nearly_reservation(name: str) -> bool:
    """Whether a name outside of the file, where names of all kinds stand, can only be meant for `tdm-reservation`.

    Like a member of the file it may have a slip, other joints or another form. Then it reserves, and lifts nothing.
    """
    return len(name) in _LENGTHS and _is_nearly_reservation(name.lower())


@remembered
def _is_nearly_reservation(name: str) -> bool:
    return _is_near(_letters(name), _RESERVATION_FORMS)


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name))


def _is_near(letters: str, names: Iterable[str]) -> bool:
    return any(one_slip(letters, name) for name in names)


def _key(written: str) -> tuple[str | None, bool]:
    """The member that a key is meant for, if any, and whether it is only near its name."""
    name = re.sub("[_: ]", "-", written.strip().lower())
    if name in _KEYS:
        return name, False
    letters = _letters(name)
    return next((key for key, names in _KEYS.items() if _is_near(letters, names)), None), True


def _rule(
    value: _JsonObject, of: tuple[str, str], place: tuple[int, int], text: str, problems: list[Problem]
) -> TdmrepRule | None:
    """One rule of a file with a `url` and a `base_url`; None if it is void. What is not certain in it never permits."""

    def tell(code: str, *words: str) -> None:
        problems.append(problem(code, *place, [_shown(word[: 4 * _QUOTED]) for word in words], text))

    line, column = place
    members: dict[str, list[object]] = {key: [] for key in _KEYS}
    lifts = True
    for key, member in value.pairs:
        name, is_near = _key(key)
        if name is None:
            continue
        if is_near:
            # A guess reserves. It makes no rule narrower, and names no terms.
            tell("tdmrep-key-near", key, name)
            lifts = False
            if name != RESERVATION:
                continue
        elif key != name:
            tell("tdmrep-key", key, name)
            lifts = False
        elif members[name]:
            tell("tdmrep-key-again", key)
            lifts = False
        members[name].append(member)
    reserved = _reservation(members[RESERVATION], tell)
    location, pattern, is_known = _location(members["location"], of[0], tell, reserved)
    if not is_known:
        return None
    policy = _policy(members["tdm-policy"], of[1], tell) if reserved else None
    return TdmrepRule(location, reserved, policy, lifts, line, column, text, pattern)


def _reservation(values: list[object], tell: Callable[..., None]) -> bool | None:
    """Whether rights are reserved: by any value but 0 (our choice). Null, and what resembles 0, leave it open."""
    if not values:
        tell("tdmrep-no-reservation")
        return None
    reserved: set[bool | None] = set()
    for value in values:
        if type(value) is int and value in (0, 1):
            reserved.add(value == 1)
        elif value is None or _is_zero(value):
            reserved.add(None)
            tell("tdmrep-value", _as_written(value))
        else:
            reserved.add(True)
            tell("tdmrep-value-type", _as_written(value))
    if True in reserved:
        return True
    return False if reserved == {False} else None


def _as_written(value: object) -> str:
    if isinstance(value, (_JsonObject, list)):
        return "an object" if isinstance(value, _JsonObject) else "an array"
    return json.dumps(value)


def _location(
    values: list[object], base: str, tell: Callable[..., None], reserved: bool | None
) -> tuple[str | None, bytes | None, bool]:
    """Location and pattern, and whether the rule counts: one not understood is everything to a reservation alone."""
    written = values[0] if values else None
    if not isinstance(written, str) or any(value != written for value in values) or not _is_text(written):
        tell("tdmrep-location", "none" if not values else _as_written(written))
        return None, None, reserved is not False
    path = written.strip()
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|//", path):
        try:
            there, path = absolute(urljoin(base, path) if path.startswith("//") else path)
        except ValueError:
            tell("tdmrep-location", written)
            return written, None, reserved is not False
        here, site_there = site(base), site(there)
        # The other scheme of the host is meant where it reserves (our choice).
        if site_there != here and (reserved is False or site_there is None or here is None or site_there[1] != here[1]):
            tell("tdmrep-other-site", written)
            return written, None, False
    if not path.startswith(("/", "*")):
        tell("tdmrep-location", written)
        if reserved is False:
            return written, None, False
        path = "/" + path
    # No path has a fragment.
    path = path if reserved is False else path.partition("#")[0]
    return written, canonical_pattern(path.encode()), True


def _is_text(written: str) -> bool:
    """Whether it can be written in UTF-8: JSON may name half a character."""
    return not any("\ud800" <= char <= "\udfff" for char in written)


def _policy(values: list[object], base: str, tell: Callable[..., None]) -> str | None:
    if not values:
        return None
    urls = {policy_url(value, base) if isinstance(value, str) else None for value in values}
    url = urls.pop() if len(urls) == 1 else None
    if url is None:
        tell("tdmrep-policy", _as_written(values[0]))
    return url


def _in_another_order(rules: Sequence[TdmrepRule]) -> Iterator[Problem]:
    """Rules that another one before them takes a path from, and that would decide there by their length."""
    stated = [rule for rule in rules if rule.pattern is not None and rule.reserved is not None][:_COMPARED]
    for place, rule in enumerate(stated):
        for before in stated[:place]:
            first, second = before.pattern or b"", rule.pattern or b""
            same = (rule.reserved, rule.policy) == (before.reserved, before.policy)
            if same or len(second) <= len(first):
                continue
            path = meeting([first, second])
            if path is not None:
                words = (rule.location or "", before.location or "", path.decode("utf-8", "replace"))
                yield problem("tdmrep-order", rule.line, rule.column, words, rule.text)
                break


# What a policy may have (7.1): whatever else stands there may take back what is offered.
_PROFILE = "http://www.w3.org/ns/tdmrep"
_POLICY = {"@context", "@type", "type", "@id", "uid", "profile", "assigner", "permission"}
_PERMISSION = {"action", "duty", "constraint", "@type", "uid", "@id"}
_COMPARES = ("leftOperand", "operator", "rightOperand")
_CONSTRAINT = {*_COMPARES, "@type", "uid", "@id"}
_PURPOSES = ("research", "non-research")
_CONTEXTS = {f"{scheme}://www.w3.org/ns/{name}.jsonld" for scheme in ("http", "https") for name in ("odrl", "tdmrep")}
# The two contexts name each term by itself, with a prefix, and in full.
_TERMS = {
    f"{prefix}{term}": term
    for prefixes, terms in (
        (("", "tdm:", "http://www.w3.org/ns/tdmrep#"), ("mine", *_PURPOSES)),
        (("", "odrl:", "http://www.w3.org/ns/odrl/2/"), ("obtainConsent", "compensate", "purpose", "eq")),
    )
    for prefix in prefixes
    for term in terms
}
Duty: TypeAlias = Literal["consent", "payment", "terms"]
_ASKS: dict[str, Duty] = {"obtainConsent": "consent", "compensate": "payment"}
_CONTACT = ("hasEmail", "hasTelephone", "hasURL")
_MAX_PERMISSIONS = 100


@dataclasses.dataclass(frozen=True, slots=True)
class TdmPermission:
    """A permission to mine that a policy offers.

    `duties` are what has to be obtained, of `consent`, `payment` and `terms`; `purpose` whom it is for, None for
    everybody. `grants`: nothing in it is unknown, so that without duties it permits.
    """

    duties: tuple[Duty, ...] = ()
    purpose: Literal["research", "non-research"] | None = None
    grants: bool = True


@dataclasses.dataclass(frozen=True, slots=True)
class TdmPolicy:
    """A policy of TDMRep: an offer of ODRL 2.2 in its profile. Made by `parse_tdm_policy`.

    `state` is `human` where it is a page for people, and `unknown` where it could not be retrieved or read. `contact`
    are the URLs by which the rightsholder can be asked.
    """

    state: Literal["read", "human", "unknown"]
    uid: str | None = None
    contact: tuple[str, ...] = ()
    permissions: tuple[TdmPermission, ...] = ()
    problems: tuple[Problem, ...] = ()

    def verdicts(self, url: str, licensee: Licensee | None) -> tuple[Verdict, ...]:
        """What it comes to for who asks, `url` being its own: outcomes with their conditions.

        Of several permissions that are for the asker all duties count (our choice). Without one for it nothing is
        offered, and a payment is not offered to whom is ready for none. Of whom nothing is known it is not certain that
        what is for all but research is for it.
        """
        if self.state == "unknown":
            return (("prohibited", None),)
        if self.state == "human":
            return (("conditional", Condition("terms", policy=url)),)
        purpose = "research" if licensee is not None and licensee.research else "non-research"
        offered = [permission for permission in self.permissions if permission.purpose in (None, purpose)]
        duties = dict.fromkeys(duty for permission in offered for duty in permission.duties)
        pays = licensee is None or licensee.pays(None)
        if not offered or ("payment" in duties and not pays):
            return (("prohibited", None),)
        if not duties and all(one.grants and (one.purpose is None or licensee is not None) for one in offered):
            return (("permitted", None),)
        asked: tuple[Duty, ...] = tuple(duties) or ("terms",)
        return tuple(("conditional", Condition(duty, policy=url, contact=self.contact)) for duty in asked)


def parse_tdm_policy(octets: bytes | str | None, *, url: str | None = None) -> TdmPolicy:
    """Reads the policy that a reservation names: JSON-LD in the profile of TDMRep. No content makes it raise.

    Args:
        octets: the document, or its text; None where it could not be retrieved.
        url: its own, for its problems.

    Raises:
        TypeError: octets are neither bytes, nor str, nor None.
    """
    octets = octets_of(octets, "a policy")
    where = url or "the policy"

    def unknown(why: str) -> TdmPolicy:
        return TdmPolicy("unknown", problems=(problem("tdmrep-terms-unread", 0, 0, (_shown(where), why), ""),))

    if octets is None:
        return unknown("it could not be retrieved")
    try:
        text = _text(octets).removeprefix("\ufeff")
        if is_page(octets):
            return TdmPolicy("human")
        value, end = _value(text, _blank(text, 0))
        if _blank(text, end) != len(text):
            return unknown("something follows its JSON")
    except _BrokenError as error:
        return unknown(error.words[0] if error.words else error.code)
    members = _members(value)
    if members is None:
        return unknown("it is not an object of JSON, or has a member twice")
    problems: list[Problem] = []

    def tell(word: str) -> bool:
        problems.append(problem("tdmrep-terms", 0, 0, (_shown(word),), ""))
        return False

    sure = members.get("profile") == _PROFILE or tell("profile")
    kinds = [members[name] for name in ("@type", "type") if name in members]
    sure &= (bool(kinds) and all(kind == "Offer" for kind in kinds)) or tell("@type")
    contexts = _listed(members.get("@context"))
    sure &= all(isinstance(one, str) and one in _CONTEXTS for one in contexts) or tell("@context")
    more = sorted(members.keys() - _POLICY)
    sure &= not more or tell(", ".join(more))
    offered = members.get("permission")
    listed = offered if isinstance(offered, list) else [] if offered is None else [offered]
    if not listed:
        tell("permission")
    if len(listed) > _MAX_PERMISSIONS:
        return unknown(f"it has more than {_MAX_PERMISSIONS} permissions")
    permissions = [permission for each in listed if (permission := _permission(each, tell)) is not None]
    if not sure or len(permissions) < len(listed):
        permissions = [dataclasses.replace(one, grants=False) for one in permissions]
    uid = members.get("uid")
    return TdmPolicy(
        "read",
        uid if isinstance(uid, str) else None,
        _contact(members.get("assigner")),
        tuple(permissions),
        tuple(problems),
    )


def _members(value: object) -> dict[str, object] | None:
    """The members of an object; None if it is none, or has one of them twice."""
    if not isinstance(value, _JsonObject):
        return None
    members = dict(value.pairs)
    return members if len(members) == len(value.pairs) else None


def _named(value: object) -> str:
    """The term that a value names, or an object with nothing but an `@id`; empty if it is none of the profile."""
    if isinstance(value, _JsonObject):
        value = value.pairs[0][1] if [key for key, _ in value.pairs] == ["@id"] else None
    return _TERMS.get(value, "") if isinstance(value, str) else ""


def _permission(value: object, tell: Callable[[str], bool]) -> TdmPermission | None:
    """A permission to mine; None if it is of another action, or for whom nobody knows."""
    members = _members(value)
    if members is None or _named(members.get("action")) != "mine":
        tell("permission")
        return None
    # A target is the name of a collection: whether this resource is of it, nobody knows.
    more = sorted(members.keys() - _PERMISSION)
    if members.get("@type", "Permission") != "Permission":
        more.append("@type")
    grants = not more or tell(", ".join(more))
    duties: list[Duty] = []
    for duty in _listed(members.get("duty")):
        inside = _members(duty) or {}
        action = _named(inside.get("action"))
        if action not in _ASKS or inside.keys() - {"action", "@type", "uid"}:
            tell("duty")
        duties.append(_ASKS.get(action, "terms"))
    purposes: set[str] = set()
    for constraint in _listed(members.get("constraint")):
        inside = _members(constraint) or {}
        left, operator, right = (_named(inside.get(part)) for part in _COMPARES)
        if inside.keys() - _CONSTRAINT or (left, operator) != ("purpose", "eq") or right not in _PURPOSES:
            tell("constraint")
            return None
        purposes.add(right)
    if len(purposes) > 1:
        return None  # for both purposes at once: for nobody
    purpose: Literal["research", "non-research"] | None = None
    for found in purposes:
        purpose = "research" if found == "research" else "non-research"
    return TdmPermission(tuple(dict.fromkeys(duties)), purpose, grants)


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _contact(assigner: object) -> tuple[str, ...]:
    contacts: dict[str, None] = {}
    for key, value in assigner.pairs if isinstance(assigner, _JsonObject) else ():
        if re.split("[/#:]", key)[-1] not in _CONTACT:
            continue
        for each in _listed(value):
            written = dict(each.pairs).get("@id") if isinstance(each, _JsonObject) else each
            if isinstance(written, str) and re.fullmatch(r"(?:mailto:|tel:|https?://)[^\s\x00-\x1f]{1,500}", written):
                contacts[written] = None
    return tuple(contacts)
