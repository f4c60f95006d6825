"""CAWG and C2PA: what a manifest of content credentials says of training and mining (CAWG 1.1, C2PA 1.x).

    found = parse_training_mining(manifest)  # as c2pa's reader gives it, or as data
    found = read_manifest(octets)            # with the package `c2pa`, where it is installed

The assertion has an entry for each of four uses; each entry allows it, does not, or constrains it.
"""

from __future__ import annotations

import dataclasses
import importlib
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from acap._native import Statement
from acap.conditions import Condition
from acap.problems import Problem, problem

DIALECT = "cawg"
LABELS = ("cawg.training-mining", "c2pa.training-mining")
"""The assertion's names: of CAWG 1.1, and of C2PA 1.x before it."""

USAGES = {
    "data_mining": "tdm",
    "ai_inference": "ai-input",
    "ai_training": "ai-train",
    "ai_generative_training": "ai-train-generative",
}
"""The usage of each entry. `ai_training` is of models that are not generative: there is no usage but `ai-train` (our
choice), so that it covers generative ones too."""

MAX_OCTETS = 2 * 1024 * 1024
"""Most octets of a manifest that is given as JSON; the reader of C2PA writes some kilobytes."""
MAX_ASSERTIONS = 1_000
"""Most assertions on training and mining of one store of manifests."""
_QUOTED = 200

# The description box of a manifest store (C2PA 2.1, 11.1.4), and the name of what a PDF file attaches.
_MANIFESTS = (b"jumdc2pa\x00\x11\x00\x10\x80\x00\x00\xaa\x00\x38\x9b\x71", b"/C2PA_Manifest")

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
        """A statement for each entry; of all that are on a usage the strictest stands."""
        source = self.url or "manifest"
        if self.state != "read":
            outcome = "conditional" if self.state == "unread" else "prohibited"
            text = self.problems[0].message if self.problems else ""
            return (Statement(dialect=DIALECT, usage="tdm", outcome=outcome, source=source, text=text),)
        return tuple(
            Statement(
                dialect=DIALECT,
                usage=USAGES[entry.key],
                outcome=entry.outcome,
                source=source,
                text=entry.text,
                condition=Condition("terms", text=entry.constraint) if entry.outcome == "conditional" else None,
            )
            for entry in self.entries
        )

    def to_text(self) -> str:
        """The assertion that says the same, as JSON; of several entries for one use the strictest."""
        said: dict[str, TrainingEntry] = {}
        for entry in self.entries:
            if entry.key not in said or _STRICTEST.index(entry.outcome) < _STRICTEST.index(said[entry.key].outcome):
                said[entry.key] = entry
        if self.state != "read":
            said = {"data_mining": TrainingEntry("data_mining", "prohibited", "", "")}
        entries: dict[str, dict[str, str]] = {}
        for key in sorted(said):
            entries[f"cawg.{key}"] = {"use": _WRITTEN[said[key].outcome]}
            if said[key].outcome == "conditional":
                entries[f"cawg.{key}"]["constraint_info"] = said[key].constraint
        return json.dumps({"label": LABELS[0], "data": {"entries": entries}}, indent=2) + "\n"


_STRICTEST: tuple[Outcome, ...] = ("prohibited", "conditional", "permitted")
_WRITTEN = {"permitted": "allowed", "conditional": "constrained", "prohibited": "notAllowed"}


class _UnreadError(ValueError):
    """Why a manifest cannot be read."""


def parse_training_mining(assertions: Mapping[str, Any] | bytes, *, url: str | None = None) -> TrainingMining:
    """Reads assertions on training and mining. No content makes it raise.

    They are given as the JSON of a reader of C2PA, a definition of a manifest, an assertion, or the data of one; read
    already, or as octets. Of a store of manifests the active one permits; what is not allowed in any of them is not
    allowed (our choice): an ingredient's author said so. Where the reader found the manifest invalid nothing is
    permitted.

    Raises:
        TypeError: what is given is neither a mapping nor bytes.
    """
    if isinstance(assertions, bytes):
        try:
            value = _json(assertions)
        except (ValueError, RecursionError) as error:
            return TrainingMining("broken", url=url, problems=(_told("cawg-unread", str(error)),))
    elif isinstance(assertions, Mapping):
        value = assertions
    else:
        raise TypeError("assertions must be a mapping, or bytes of JSON")
    problems: list[Problem] = []
    try:
        found = [
            entry
            for data, label, active in _assertions(value, problems)
            for entry in _entries(data, label, active, problems)
        ]
    except _UnreadError as error:
        return TrainingMining("broken", url=url, problems=(_told("cawg-unread", str(error)),))
    return TrainingMining("read", tuple(dict.fromkeys(found)), url, tuple(dict.fromkeys(problems)))


def _json(octets: bytes) -> object:
    if len(octets) > MAX_OCTETS:
        raise _UnreadError(f"{len(octets)} octets are more than {MAX_OCTETS}")

    def members(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise _UnreadError("an object has a member twice")
        return found

    def constant(name: str) -> object:
        raise _UnreadError(f"{name} is not JSON")

    text = octets.decode("utf-8-sig")
    return json.loads(text, object_pairs_hook=members, parse_constant=constant, parse_int=str, parse_float=str)


def _told(code: str, *words: str) -> Problem:
    return problem(code, 0, 0, [_quoted(word) for word in words], "")


def _quoted(text: object) -> str:
    line = " ".join(str(text)[: 4 * _QUOTED].split())
    return line if len(line) <= _QUOTED else line[:_QUOTED] + "…"


def _assertions(value: object, problems: list[Problem]) -> Iterator[tuple[object, str, bool]]:
    """The data of each assertion, its label, and whether it may permit."""
    if isinstance(value, Mapping) and "manifests" in value:
        manifests, active = value["manifests"], value.get("active_manifest")
        if not isinstance(manifests, Mapping):
            raise _UnreadError("`manifests` is not an object")
        sound = value.get("validation_state") in ("Valid", "Trusted")
        if not sound:
            problems.append(_told("cawg-invalid", str(value.get("validation_state") or "not validated")))
        for name, manifest in manifests.items():
            for data, label in _of_manifest(manifest):
                yield data, label, sound and name == active
        return
    for data, label in _of_manifest(value):
        yield data, label, True


def _of_manifest(value: object) -> Iterator[tuple[object, str]]:
    """The data of the assertions of one manifest, in any of the forms in which it is given."""
    listed: object = value
    if isinstance(value, Mapping):
        if "entries" in value:
            listed = [{"label": LABELS[0], "data": value}]
        elif "assertions" in value:
            listed = value["assertions"]
        elif "label" in value:
            listed = [value]
        else:
            listed = [{"label": label, "data": data} for label, data in value.items()]
    if not isinstance(listed, (list, tuple)):
        raise _UnreadError("there are no assertions")
    count = 0
    for one in listed:
        label = one.get("label") if isinstance(one, Mapping) else None
        if not isinstance(label, str):
            raise _UnreadError("an assertion has no label")
        # Of several assertions of a kind the further have a number behind them; versions are `.v2` (C2PA 2.1, 6.4).
        plain = label.split("__")[0].lower()
        if not any(plain == known or plain.startswith(f"{known}.v") for known in LABELS):
            continue
        count += 1
        if count > MAX_ASSERTIONS:
            raise _UnreadError(f"there are more than {MAX_ASSERTIONS} assertions on training and mining")
        yield one.get("data"), label


def _entries(data: object, label: str, active: bool, problems: list[Problem]) -> Iterator[TrainingEntry]:
    entries = data.get("entries") if isinstance(data, Mapping) else None
    if not isinstance(entries, Mapping):
        raise _UnreadError(f"`{_quoted(label)}` has no entries")
    for written, entry in entries.items():
        prefix, _, key = str(written).rpartition(".")
        key = key.lower().replace("-", "_")
        if key not in USAGES:
            problems.append(_told("cawg-unknown-entry", str(written)))
            continue
        exact = f"{prefix}.{key}" == written and label.lower().startswith(f"{prefix}.") and prefix in ("cawg", "c2pa")
        if not exact:
            problems.append(_told("cawg-entry-name", str(written), f"{label.partition('.')[0]}.{key}"))
        outcome, constraint = _use(entry, str(written), problems)
        if outcome != "permitted" or (active and exact):
            shown = f"{written}: {entry.get('use') if isinstance(entry, Mapping) else entry}"
            yield TrainingEntry(key, outcome, constraint, _quoted(f"{shown}; {constraint}" if constraint else shown))


def _use(entry: object, written: str, problems: list[Problem]) -> tuple[Outcome, str]:
    """What an entry comes to, and its constraint. What is not understood is not allowed (our choice)."""
    use = entry.get("use") if isinstance(entry, Mapping) else None
    if use == "allowed":
        return "permitted", ""
    if use == "constrained" and isinstance(entry, Mapping):
        # The prose writes the one name, the schema the other.
        found = [entry[name] for name in ("constraint_info", "constraints_info") if name in entry]
        told = [info.strip() for info in found if isinstance(info, str) and info.strip()]
        if told and len(told) == len(found):
            return "conditional", "; ".join(dict.fromkeys(told))
        problems.append(_told("cawg-no-constraint", written))
    elif use != "notAllowed":
        problems.append(_told("cawg-unknown-use", written, str(use)))
    return "prohibited", ""


def read_manifest(octets: bytes, *, url: str | None = None, media_type: str = "image/jpeg") -> TrainingMining:
    """Reads the manifest in the octets of a file with the package `c2pa`, of the extra of that name.

    The file is read where it lies, and nothing is retrieved. Without a manifest it says nothing; where there is one
    and the package is not installed, mining is conditional on it; where reading it fails, mining is prohibited.

    Args:
        octets: the file.
        url: its own, for the statements.
        media_type: what it was said to be.

    Raises:
        TypeError: octets are not bytes.
    """
    if not isinstance(octets, bytes):
        raise TypeError("the octets of a file must be bytes")
    if not any(mark in octets for mark in _MANIFESTS):
        return TrainingMining("read", url=url)
    try:
        library: Any = importlib.import_module("c2pa")
    except ImportError:
        return TrainingMining("unread", url=url, problems=(_told("cawg-missing-package", "c2pa"),))
    try:
        # A manifest elsewhere and a list of revoked certificates stay where they are.
        settings = library.Settings.from_dict({"verify": {"remote_manifest_fetch": False, "ocsp_fetch": False}})
        with (
            library.Context(settings) as context,
            library.Reader(media_type, io.BytesIO(octets), context=context) as reader,
        ):
            told = reader.json()
    except Exception as error:  # noqa: BLE001  whatever a library says of hostile octets, they were not read
        return TrainingMining("broken", url=url, problems=(_told("cawg-unread", str(error)),))
    return parse_training_mining(told.encode("utf-8", "replace"), url=url)
