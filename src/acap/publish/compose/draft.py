"""A draft: a site's policy as its webmaster means it, before it becomes text and after it was text.

Laws: a draft is frozen; a change makes another draft. Words are kept as they are to be written: patterns as ACAP writes
them, a resource set as `the-acap:resource-set:NAME`, a local usage as `(NAME)`. Nothing is checked here: `robots_text`
refuses a draft that cannot be written, `complaints` asks the reader about the rest.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

ANY = "*"
SET = "the-acap:resource-set:"
Server = str
SERVERS: tuple[Server, ...] = ("nginx", "apache", "caddy")
ACTIONS = ("take-down", "re-crawl")


_SET = re.compile(r"(?:the-)?acap:resource-set:", re.IGNORECASE)


def set_name(resource: str) -> str | None:
    """The name of the resource set that a resource is; none if it is a pattern."""
    match = _SET.match(resource)
    return resource[match.end() :] if match else None


class DraftError(ValueError):
    """Something in a draft cannot be written or is not what it should be; `origin` says where it stands."""

    def __init__(self, message: str, origin: str = "") -> None:
        super().__init__(f"{origin}: {message}" if origin else message)
        self.message = message
        self.origin = origin


@dataclass(frozen=True, slots=True)
class Rule:
    """One permission or prohibition: a usage, resources and, of a permission, restrictions (P1 4.5.2.5).

    `notes` are comments above it; `origin` is where it comes from, for messages: a key path, or `line 12`.
    """

    permits: bool
    usage: str
    resources: tuple[str, ...] = ("/",)
    restrictions: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    origin: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class SubRecord:
    """Rules for some purposes; without purposes they hold for any (P1 4.5.2.4)."""

    purposes: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    origin: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Record:
    """What is said to some crawlers, `*` for any (P1 4.5.2).

    `reference` is another resource that holds their permissions; `requests` are pairs of action and path.
    """

    crawlers: tuple[str, ...]
    sub_records: tuple[SubRecord, ...] = ()
    reference: str | None = None
    requests: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    origin: str = field(default="", compare=False)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Its rules for whatever purpose."""
        return tuple(rule for part in self.sub_records for rule in part.rules)


@dataclass(frozen=True, slots=True)
class ResourceSet:
    """A name for several patterns (P1 4.5.3.3)."""

    name: str
    patterns: tuple[str, ...]
    notes: tuple[str, ...] = ()
    origin: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class LocalUsage:
    """A name for a usage with restrictions, or for several usages, which have none (P1 4.5.3.1, 4.5.3.2)."""

    name: str
    usages: tuple[str, ...]
    restrictions: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    origin: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class PageRule:
    """What pages or files of a pattern say of themselves, in META tags or headers.

    `rules` are ACAP's, without resources; `words` are conventional ones, `noindex` or `max-snippet:20`. `samples` are
    URLs at which a server can be asked whether it says so.
    """

    pattern: str
    crawlers: tuple[str, ...] = (ANY,)
    rules: tuple[Rule, ...] = ()
    words: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    origin: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Draft:
    """A whole policy.

    `kept` are the lines that are not ACAP's, as they stand; octets that are no UTF-8 are surrogates in it. `version` is
    the least to declare. `conventional` asks for lines that crawlers which do not read ACAP understand, where none are
    kept; `comments` for sentences that say what each record does.
    """

    records: tuple[Record, ...] = ()
    resource_sets: tuple[ResourceSet, ...] = ()
    local_usages: tuple[LocalUsage, ...] = ()
    pages: tuple[PageRule, ...] = ()
    sitemaps: tuple[str, ...] = ()
    kept: str = ""
    ignore_conventional: bool = False
    version: str | None = None
    conventional: bool = True
    comments: bool = True
    samples: tuple[str, ...] = ()
    server: Server = SERVERS[0]

    @property
    def crawlers(self) -> tuple[str, ...]:
        """Every name that a record or a page rule is addressed to, once, in their order."""
        names = [name for record in self.records for name in record.crawlers]
        names += [name for page in self.pages for name in page.crawlers]
        first: dict[str, str] = {}
        for name in names:
            first.setdefault(name.lower(), name)
        return tuple(first.values())

    @property
    def purposes(self) -> tuple[str, ...]:
        """Every purpose pattern, once."""
        return tuple(
            dict.fromkeys(name for record in self.records for part in record.sub_records for name in part.purposes)
        )

    def rules(self) -> Iterator[tuple[Record, SubRecord, Rule]]:
        """Every rule with the record and the sub-record it belongs to."""
        for record in self.records:
            for part in record.sub_records:
                for rule in part.rules:
                    yield record, part, rule


_PARTS: dict[type, dict[str, type]] = {
    Draft: {"records": Record, "resource_sets": ResourceSet, "local_usages": LocalUsage, "pages": PageRule},
    Record: {"sub_records": SubRecord},
    SubRecord: {"rules": Rule},
    PageRule: {"rules": Rule},
}


def draft_to_json(draft: Draft) -> dict[str, Any]:
    """The draft, of types that `json.dumps` takes; `draft_from_json` makes the same draft of it."""
    members: dict[str, Any] = _plain(dataclasses.asdict(draft))
    return members


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, (tuple, list)) else value


def draft_from_json(members: Any) -> Draft:
    """The draft of what `draft_to_json` gave; what is left out has its default.

    Raises:
        DraftError: a key is unknown or missing, or a value has another type than it should.
    """
    draft: Draft = _made(Draft, members, "draft")
    return draft


def _made(kind: type, members: Any, origin: str) -> Any:
    if not isinstance(members, dict):
        raise DraftError("this is not an object", origin)
    fields = {field.name: field for field in dataclasses.fields(kind)}
    if unknown := [name for name in members if name not in fields]:
        raise DraftError(f"unknown key `{unknown[0]}`; known are {', '.join(fields)}", origin)
    parts = _PARTS.get(kind, {})
    values: dict[str, Any] = {}
    for name, value in members.items():
        here = f"{origin}.{name}"
        if name in parts:
            if not isinstance(value, (list, tuple)):
                raise DraftError("this is not a list", here)
            values[name] = tuple(_made(parts[name], one, f"{here}[{n}]") for n, one in enumerate(value))
        else:
            values[name] = _value(str(fields[name].type), value, here)
    try:
        return kind(**values)
    except TypeError as error:
        missing = next(one.name for one in fields.values() if one.name not in values and _is_required(one))
        raise DraftError(f"the key `{missing}` is missing", origin) from error


def _is_required(member: dataclasses.Field[Any]) -> bool:
    return member.default is dataclasses.MISSING


def _value(kind: str, value: Any, origin: str) -> Any:
    if kind == "bool" and isinstance(value, bool):
        return value
    if kind in ("str", "str | None", "Server") and (isinstance(value, str) or (value is None and "None" in kind)):
        return value
    if kind == "tuple[str, ...]" and isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value):
        return tuple(value)
    if kind == "tuple[tuple[str, str], ...]" and isinstance(value, (list, tuple)):
        pairs = [tuple(one) for one in value if isinstance(one, (list, tuple))]
        if len(pairs) == len(value) and all(len(one) == 2 and all(isinstance(w, str) for w in one) for one in pairs):
            return tuple(pairs)
    raise DraftError(f"this is not {_WANTED.get(kind, 'a text')}", origin)


_WANTED = {
    "bool": "true or false",
    "tuple[str, ...]": "a list of texts",
    "tuple[tuple[str, str], ...]": "a list of pairs of texts",
}
