"""CAWG and C2PA: what a manifest of content credentials says of training and mining (CAWG 1.1, C2PA 1.x).

    found = parse_training_mining(manifest)  # as c2pa's reader gives it, or as data
    found = read_manifest(octets)            # with the package `c2pa`, where it is installed

The assertion has an entry for each of four uses; each entry allows it, does not, or constrains it. Every form around it
is read in one module, for what one form hides another may refuse.
"""

from __future__ import annotations

import dataclasses
import importlib
import io
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from acap._native import Statement
from acap.conditions import Condition
from acap.problems import Problem, legible, problem

DIALECT = "cawg"
LABELS = ("cawg.training-mining", "c2pa.training-mining")
"""The assertion's names: of CAWG 1.1, and of C2PA 1.x before it."""
_KNOWN = re.compile(r"(?:cawg|c2pa)\.training-mining(?:__[1-9][0-9]*)?")  # of no later version (C2PA 2.1, 6.4)

USAGES = {
    "data_mining": "tdm",
    "ai_inference": "ai-input",
    "ai_training": "ai-train",
    "ai_generative_training": "ai-train-generative",
}
"""The usage of each entry. `ai_training` is of models that are not generative: there is no usage but `ai-train` (our
choice), so that what it does not allow covers generative ones too."""

MAX_OCTETS = 2 * 1024 * 1024
"""Most octets of a manifest that is given as JSON; the reader of C2PA writes some kilobytes."""
MAX_ASSERTIONS = 1_000
"""Most assertions on training and mining of one store of manifests."""
MAX_VALUES = 1_000_000
"""Most values looked at in a manifest; a list may hold itself, and `MAX_OCTETS` of JSON have hardly more."""
_QUOTED = 200
_CONSTRAINTS = ("constraint_info", "constraints_info")
_PREFIXES = ("cawg", "c2pa")  # reserved: entries of one's own begin with a domain (CAWG 1.1 2.1)


def _escaped(name: bytes) -> bytes:
    """A name of PDF, any character of which may be written as its code, and a slash has to be (ISO 32000-2 7.3.5)."""
    return b"/(?i:" + b"".join(b"#2f" if char == 0x2F else b"(?:%c|#%02x)" % (char, char) for char in name) + b")"


PDF_NAMES = [
    re.compile(mark)
    for mark in (_escaped(b"C2PA_Manifest"), _escaped(b"application/c2pa"), rb"/Subtype\s*/application/c2pa")
]
"""The names by which a file in a PDF is a manifest; the last is written as it should not be."""

# What shows a manifest (C2PA 2.1, 11.1.4 and appendix A): the type of its store; any box of JUMBF with its description,
# for a type of which an octet changed; such a box in segments of a JPEG, which may divide it anywhere; the box of an
# ISO base media file; the names of what a PDF attaches.
_MANIFESTS = [
    re.compile(mark, re.DOTALL)  # each for itself: a search for one beginning is six times as fast
    for mark in (
        rb"c2pa\x00\x11\x00\x10\x80\x00\x00\xaa\x00\x38\x9b\x71",
        rb"jumb.{4}jumd",
        rb"\xff\xeb..JP.{10}jumb",
        rb"\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81",
        # The directory of an archive, an EPUB or an OpenDocument file too: there the manifest may be packed.
        rb"PK\x01\x02.{42}META-INF/content_credential\.c2pa",
    )
] + PDF_NAMES

# What a validator finds in order (C2PA 2.1, 15.2). Whom one trusts is not asked: a `Valid` manifest may be anybody's.
_IN_ORDER = re.compile(
    r".*\.(?:match|validated|trusted|accessible|insideValidity|notRevoked)|signingCredential\.untrusted"
)
_NO_FAILURES = re.compile(r"informational")
_RESULTS = re.compile(r"active_?manifest|ingredient_?deltas|validation_?deltas|failure", re.IGNORECASE)
_VALIDATION = re.compile(r"validation[\s_-]?(?:status(?:es)?|results?)", re.IGNORECASE)
_FAILED = re.compile(r"(?:validation[\s_-]?)?(?:failures?|errors?)", re.IGNORECASE)
_STATE = re.compile(r"validation[\s_-]?state", re.IGNORECASE)
_SOUND = ("Valid", "Trusted")

Outcome = Literal["permitted", "conditional", "prohibited"]


class TrainingEntry(NamedTuple):
    """One entry: its key without the prefix, what that comes to, the constraint if there is one, and as written."""

    key: str
    outcome: Outcome
    constraint: str
    text: str


@dataclasses.dataclass(frozen=True, slots=True)
class TrainingMining:
    """What manifests say of training and mining: an `acap.Source`. Made by `parse_training_mining` and `read_manifest`.

    `state` is `unread` where a manifest is there and nothing here can read it: mining is conditional on what it says;
    and `broken` where reading failed: mining is prohibited.
    """

    state: Literal["read", "unread", "broken"]
    entries: tuple[TrainingEntry, ...] = ()
    url: str | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def dialect(self) -> str:
        """The name of its dialect."""
        return DIALECT

    def statements(self, url: str) -> tuple[Statement, ...]:  # noqa: ARG002  it is of one file
        """A statement for each entry: what is allowed is that use alone, what is not covers the uses below it."""
        source = self.url or "manifest"
        if self.state != "read":
            outcome = "conditional" if self.state == "unread" else "prohibited"
            text = self.problems[0].message if self.problems else ""
            condition = Condition("terms", text=UNREAD_TERMS) if self.state == "unread" else None
            return (
                Statement(dialect=DIALECT, usage="tdm", outcome=outcome, source=source, text=text, condition=condition),
            )
        return tuple(
            Statement(
                dialect=DIALECT,
                usage=USAGES[entry.key],
                outcome=entry.outcome,
                source=source,
                text=entry.text,
                condition=Condition("terms", text=entry.constraint) if entry.outcome == "conditional" else None,
                exact=entry.outcome == "permitted",
            )
            for entry in self.entries
        )

    def to_text(self) -> str:
        """The assertion that says the same, as JSON; of several entries for one use the strictest."""
        by_key: dict[str, TrainingEntry] = {}
        for entry in self.entries:
            if entry.key not in by_key or _STRICTEST.index(entry.outcome) < _STRICTEST.index(by_key[entry.key].outcome):
                by_key[entry.key] = entry
        if self.state != "read":
            by_key = {"data_mining": TrainingEntry("data_mining", "prohibited", "", "")}
        entries: dict[str, dict[str, str]] = {}
        for key in sorted(by_key):
            entries[f"cawg.{key}"] = {"use": _WRITTEN[by_key[key].outcome]}
            if by_key[key].outcome == "conditional":
                entries[f"cawg.{key}"]["constraint_info"] = by_key[key].constraint
        return json.dumps({"label": LABELS[0], "data": {"entries": entries}}, indent=2) + "\n"


UNREAD_TERMS = "what the C2PA manifest in the file says of mining"
"""The terms of a manifest that nothing here can read: it may reserve mining, and it may not speak of it."""

_STRICTEST: tuple[Outcome, ...] = ("prohibited", "conditional", "permitted")
_WRITTEN = {"permitted": "allowed", "conditional": "constrained", "prohibited": "notAllowed"}


class _UnreadError(ValueError):
    """Why a manifest cannot be read."""


def parse_training_mining(assertions: Mapping[str, Any] | bytes | str, *, url: str | None = None) -> TrainingMining:
    """Reads assertions on training and mining. No content makes it raise.

    They are given as the JSON of a reader of C2PA, a definition of a manifest, an assertion, or the data of one; read
    already, or as octets or text. Of a store of manifests the active one permits. What is not allowed counts wherever
    it stands (our choice), in an ingredient's manifest or a form that is not known. Where the reader found a manifest
    invalid, or tells any failure, nothing is permitted.

    Raises:
        TypeError: what is given is neither a mapping, nor bytes, nor str.
    """
    if isinstance(assertions, (bytes, str)):
        try:
            value = _json(assertions if isinstance(assertions, bytes) else assertions.encode("utf-8", "surrogatepass"))
        except (ValueError, RecursionError) as error:
            return TrainingMining("broken", url=url, problems=(_problem("cawg-unread", str(error)),))
    elif isinstance(assertions, Mapping):
        value = assertions
    else:
        raise TypeError("assertions must be a mapping, or bytes or str of JSON")
    problems: list[Problem] = []
    try:
        entries = [
            entry
            for data, label, active in _assertions(value, problems)
            for entry in _entries(data, label, active, problems)
        ]
        entries += _anywhere(value, problems)
    except _UnreadError as error:
        return TrainingMining("broken", url=url, problems=(_problem("cawg-unread", str(error)),))
    return TrainingMining("read", tuple(dict.fromkeys(entries)), url, tuple(dict.fromkeys(problems)))


def _json(octets: bytes) -> object:
    if len(octets) > MAX_OCTETS:
        raise _UnreadError(f"{len(octets)} octets are more than {MAX_OCTETS}")

    def members(pairs: list[tuple[str, object]]) -> dict[str, object]:
        table = dict(pairs)
        if len(table) < len(pairs):
            raise _UnreadError("an object has a member twice")
        return table

    def number(digits: str) -> int:
        return len(digits)

    def constant(name: str) -> object:
        raise _UnreadError(f"{name} is not JSON")

    text = octets.decode("utf-8-sig")
    # A number says nothing here, and one of a million digits takes long to read.
    return json.loads(text, object_pairs_hook=members, parse_constant=constant, parse_int=number, parse_float=number)


def _problem(code: str, *words: object) -> Problem:
    return problem(code, 0, 0, [_shown(word) for word in words], "")


def _shown(value: object) -> str:
    """A value for a sentence: a text in one line; of anything else, which may be deep, its kind alone."""
    line = legible(value[: 4 * _QUOTED]) if isinstance(value, str) else f"({type(value).__name__})"
    return line if len(line) <= _QUOTED else line[:_QUOTED] + "…"


def _assertions(value: object, problems: list[Problem]) -> Iterator[tuple[object, str, bool]]:
    """The data of each assertion, its label, and whether it may permit."""
    if isinstance(value, Mapping) and "manifests" in value:
        manifests, active = value["manifests"], value.get("active_manifest")
        if not isinstance(manifests, Mapping) or not isinstance(active, str) or active not in manifests:
            raise _UnreadError("the active manifest is not there")
        state = value.get("validation_state")
        against = list(_failures(value)) if state in _SOUND else [state or "not validated"]
    else:
        manifests, active, against = {"": value}, "", list(_failures(value))
    problems += [_problem("cawg-invalid", one) for one in against[:1]]
    for name, manifest in manifests.items():
        for data, label in _of_manifest(manifest):
            yield data, label, not against and name == active and _KNOWN.fullmatch(label) is not None


def _failures(value: object) -> Iterator[object]:
    """What speaks against a store or a manifest: a state, or a status that tells of something not in order.

    It counts wherever it stands, of an ingredient or of another manifest, and so does a status of which the code or the
    form is not known (our choice): it may be a later version's failure. What stands under `failure` failed, whatever
    it is.
    """
    for node in _each(value):
        for name, stated in node.items() if isinstance(node, Mapping) else ():
            if isinstance(name, str) and _FAILED.fullmatch(name) and stated not in (None, (), [], {}):
                yield name
    results = []
    for node in _each(value, without=_VALIDATION):
        for name, stated in node.items() if isinstance(node, Mapping) else ():
            if isinstance(name, str) and _VALIDATION.fullmatch(name) and stated not in (None, (), [], {}):
                results.append(stated)
            elif isinstance(name, str) and _STATE.fullmatch(name) and stated is not None and stated not in _SOUND:
                yield stated
    for node in _each(results, without=_NO_FAILURES):
        if isinstance(node, Mapping) and "code" in node:
            code = node["code"]
            is_in_order = isinstance(code, str) and _IN_ORDER.fullmatch(code) is not None
            if not is_in_order or not (node.get("success") is None or node["success"] is True):
                yield code
        elif isinstance(node, Mapping):
            groups = [name for name in node if isinstance(name, str) and _RESULTS.fullmatch(name)]
            if not groups and not node.keys() <= {"success", "informational"}:
                yield "a status without a code"
            yield from (node[name] for name in groups if not isinstance(node[name], (Mapping, list, tuple, type(None))))
        elif isinstance(node, (list, tuple)):
            yield from (each for each in node if not isinstance(each, (Mapping, list, tuple)) or not each)


def _each(value: object, without: re.Pattern[str] | None = None) -> Iterator[object]:
    """A value and all that are in it, but for members of some names; it may hold itself."""
    waiting, left = [value], MAX_VALUES
    while waiting:
        node = waiting.pop()
        yield node
        within = node
        if isinstance(node, Mapping):
            is_left_out = without.fullmatch if without else lambda _: None
            within = [each for name, each in node.items() if not (isinstance(name, str) and is_left_out(name))]
        more = list(within) if isinstance(within, (list, tuple)) else []
        left -= len(more)
        if left < 0:
            raise _UnreadError(f"there are more than {MAX_VALUES} values")
        waiting += more


def _of_manifest(value: object) -> Iterator[tuple[object, str]]:
    """The data of the assertions of one manifest, in any of the forms in which it is given."""
    listed: object = value
    if isinstance(value, Mapping):
        by_label = value.get("assertion_store", value if any(map(_is_ours, value)) else None)
        if "assertions" in value:
            listed = value["assertions"]
        elif "entries" in value:
            listed = [{"label": LABELS[0], "data": value}]
        elif "label" in value and "data" in value:
            listed = [value]
        elif isinstance(by_label, Mapping):
            listed = [{"label": label, "data": data} for label, data in by_label.items()]
    if not isinstance(listed, (list, tuple)):
        raise _UnreadError("there are no assertions")
    count = 0
    for one in listed:
        label = one.get("label") if isinstance(one, Mapping) else None
        if not isinstance(label, str):
            raise _UnreadError("an assertion has no label")
        if not _is_ours(label):
            continue
        count += 1
        if count > MAX_ASSERTIONS:
            raise _UnreadError(f"there are more than {MAX_ASSERTIONS} assertions on training and mining")
        yield one.get("data"), label


def _is_ours(label: object) -> bool:
    """Whether a label is of an assertion on training and mining.

    Of several of a kind the further have a number behind them; versions are `.v2` (C2PA 2.1, 6.4).
    """
    plain = label.split("__")[0].lower() if isinstance(label, str) else ""
    return any(plain == known or plain.startswith(f"{known}.v") for known in LABELS)


def _entries(data: object, label: str, active: bool, problems: list[Problem]) -> Iterator[TrainingEntry]:
    """The entries of an assertion; one that allows needs its exact name."""
    entries = data.get("entries") if isinstance(data, Mapping) else None
    if not isinstance(entries, Mapping):
        raise _UnreadError(f"`{_shown(label)}` has no entries")
    prefix = label.lower().partition(".")[0]
    for written, entry in entries.items():
        key = _key(written)
        exact = key in USAGES and written == f"{prefix}.{key}"
        if key not in USAGES and _is_custom(written):
            problems.append(_problem("cawg-unknown-entry", written))
            continue
        if key not in USAGES:
            # A later version's, or a slip.
            problems.append(_problem("cawg-reserved-entry", written))
            key = "data_mining"
        elif not exact:
            problems.append(_problem("cawg-entry-name", written, f"{prefix}.{key}"))
        found = _entry(key, written, entry, problems)
        if found.outcome != "permitted" or (active and exact):
            yield found


def _anywhere(value: object, problems: list[Problem]) -> Iterator[TrainingEntry]:
    """The entries that do not allow, wherever they stand: one slip in a name makes another form around them."""
    for node in _each(value):
        for written, entry in node.items() if isinstance(node, Mapping) else ():
            if _key(written) in USAGES and isinstance(entry, Mapping) and "use" in entry:
                found = _entry(_key(written), written, entry, problems)
                if found.outcome != "permitted":
                    yield found


def _key(written: object) -> str:
    """The name of an entry without what is before it."""
    return written.rpartition(".")[2].lower().replace("-", "_") if isinstance(written, str) else ""


def _is_custom(written: object) -> bool:
    return isinstance(written, str) and "." in written and written.partition(".")[0].lower() not in _PREFIXES


def _entry(key: str, written: object, entry: object, problems: list[Problem]) -> TrainingEntry:
    outcome, constraint = _use(entry, written, problems)
    text = f"{_shown(written)}: {_shown(entry.get('use') if isinstance(entry, Mapping) else entry)}"
    return TrainingEntry(key, outcome, constraint, _shown(f"{text}; {constraint}" if constraint else text))


def _use(entry: object, written: object, problems: list[Problem]) -> tuple[Outcome, str]:
    """What an entry comes to, and its constraint. What is not understood is not allowed (our choice)."""
    members = dict(entry) if isinstance(entry, Mapping) else {}
    use = members.pop("use", None)
    beside = [
        name for name, info in members.items() if info is not None and not (isinstance(info, str) and not info.strip())
    ]
    # The prose writes the one name, the schema the other.
    constraints = [members[name] for name in beside if name in _CONSTRAINTS]
    if use == "allowed" and not beside:
        return "permitted", ""
    if use == "allowed":
        problems.append(_problem("cawg-allowed-beside", written, beside[0]))
    elif use not in ("constrained", "notAllowed"):
        problems.append(_problem("cawg-unknown-use", written, use))
    if use == "constrained" or (use == "allowed" and len(constraints) == len(beside)):
        texts = [legible(info) for info in constraints if isinstance(info, str)]
        if texts and len(texts) == len(constraints):
            return "conditional", "; ".join(sorted(set(texts)))
        problems.append(_problem("cawg-no-constraint", written))
    return "prohibited", ""


def read_manifest(
    octets: bytes, *, url: str | None = None, media_type: str = "image/jpeg", found: bool = False
) -> TrainingMining:
    """Reads the manifest in the octets of a file with the package `c2pa`, of the extra of that name.

    The file is read where it lies, and nothing is retrieved. Without a manifest it says nothing; where there is one
    and the package is not installed, mining is conditional on it; where reading it fails, mining is prohibited.

    Args:
        octets: the file.
        url: its own, for the statements.
        media_type: what it was said to be.
        found: it is known to have a manifest, which may be packed.

    Raises:
        TypeError: octets are not bytes.
    """
    if not isinstance(octets, bytes):
        raise TypeError("the octets of a file must be bytes")
    if not found and not any(mark.search(octets) for mark in _MANIFESTS):
        return TrainingMining("read", url=url)
    try:
        library: Any = importlib.import_module("c2pa")
    except ImportError:
        return TrainingMining("unread", url=url, problems=(_problem("cawg-missing-package", "c2pa"),))
    try:
        # A manifest elsewhere and a list of revoked certificates stay where they are.
        settings = library.Settings.from_dict({"verify": {"remote_manifest_fetch": False, "ocsp_fetch": False}})
        with (
            library.Context(settings) as context,
            library.Reader(media_type, io.BytesIO(octets), context=context) as reader,
        ):
            manifest = reader.json()
    except Exception as error:  # noqa: BLE001  whatever a library says of hostile octets, they were not read
        return TrainingMining("broken", url=url, problems=(_problem("cawg-unread", str(error)),))
    return parse_training_mining(manifest.encode("utf-8", "replace"), url=url)
