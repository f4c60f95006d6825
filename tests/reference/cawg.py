"""CAWG 1.1 and C2PA 1.x on training and mining read a second time, from the text: slow and obvious; one word a use.

A manifest is a value, as JSON has it. Nothing is shared with the package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

USES = {
    "data_mining": "tdm",
    "ai_inference": "ai-input",
    "ai_training": "ai-train",
    "ai_generative_training": "ai-train-generative",
}
ABOVE = {
    "tdm": [],
    "ai-input": ["tdm"],
    "ai-index": ["tdm"],
    "ai-train": ["tdm"],
    "ai-train-generative": ["ai-train", "tdm"],
}
ORDER = ("prohibited", "conditional", "permitted")
LABEL = re.compile(r"(cawg|c2pa)\.training-mining(\.v[^_]*)?(__.*)?", re.IGNORECASE)
THIS_VERSION = re.compile(r"(cawg|c2pa)\.training-mining(__[1-9][0-9]*)?")
GOOD_ENDS = ("match", "validated", "trusted", "accessible", "insideValidity", "notRevoked")


class Doubt(Exception):  # noqa: N818  it is an answer
    """Something is not of the form."""


def answer(manifest: Any, usage: str) -> str:
    """What a manifest says of a use, or `silent`."""
    try:
        granted, refused = grants(manifest), [*refusals(manifest), *slips(manifest)]
    except Doubt:
        return "prohibited" if usage in ABOVE else "silent"
    said = [word for use, word in granted if use == usage]
    said += [word for use, word in refused if use == usage or use in ABOVE.get(usage, ())]
    return next((word for word in ORDER if word in said), "silent")


def assertions(manifest: Any) -> list[tuple[str, Any]]:
    """The labels and data of one manifest's assertions."""
    found: Any = manifest
    if isinstance(manifest, list):
        pass
    elif not isinstance(manifest, dict):
        raise Doubt
    elif "assertions" in manifest:
        found = manifest["assertions"]
    elif "entries" in manifest:
        return [("cawg.training-mining", manifest)]
    elif "label" in manifest and "data" in manifest:
        found = [manifest]
    else:
        is_by_label = any(LABEL.fullmatch(label) for label in manifest)
        store = manifest.get("assertion_store", manifest if is_by_label else None)
        if not isinstance(store, dict):
            raise Doubt
        return list(store.items())
    if not isinstance(found, list):
        raise Doubt
    if not all(isinstance(one, dict) and isinstance(one.get("label"), str) for one in found):
        raise Doubt
    return [(one["label"], one.get("data")) for one in found]


def manifests(value: Any) -> Iterator[tuple[Any, bool]]:
    """The manifests of a store, and whether each may grant: it is the active one, and somebody found it valid."""
    if not isinstance(value, dict) or "manifests" not in value:
        yield value, True
        return
    store = value["manifests"]
    if not isinstance(store, dict) or value.get("active_manifest") not in store:
        raise Doubt
    for name, manifest in store.items():
        yield manifest, value.get("validation_state") in ("Valid", "Trusted") and name == value.get("active_manifest")


def entries(value: Any) -> Iterator[tuple[str, str, Any, bool]]:
    """The prefix of the assertion, the name of the entry, the entry, and whether it may grant."""
    for manifest, sound in manifests(value):
        for label, data in assertions(manifest):
            if LABEL.fullmatch(label) is None:
                continue
            if not isinstance(data, dict) or not isinstance(data.get("entries"), dict):
                raise Doubt
            for name, entry in data["entries"].items():
                yield label[:4].lower(), name, entry, sound and THIS_VERSION.fullmatch(label) is not None


def grants(value: Any) -> list[tuple[str, str]]:
    """What is allowed: by the exact name, and by nothing else in the entry."""
    return [
        (USES[key], "permitted")
        for prefix, name, entry, sound in entries(value)
        for key in USES
        if sound and not has_failed(value) and not is_faulty(value)
        if name == f"{prefix}.{key}" and entry_word(entry) == "permitted"
    ]


def has_failed(value: Any) -> bool:
    """Whether anything stands under the name of a failure, wherever."""
    if isinstance(value, list):
        return any(map(has_failed, value))
    for name, found in value.items() if isinstance(value, dict) else ():
        plain = re.sub("[ _-]", "", name.lower()).removeprefix("validation")
        if (plain in ("failure", "failures", "error", "errors") and found not in (None, [], {})) or has_failed(found):
            return True
    return False


def is_faulty(value: Any) -> bool:
    """Whether anything in a value tells that a manifest is not in order."""
    if isinstance(value, list):
        return any(map(is_faulty, value))
    for name, found in value.items() if isinstance(value, dict) else ():
        match re.sub("[ _-]", "", name.lower()):
            case "validationstate":
                if found not in (None, "Valid", "Trusted"):
                    return True
            case "validationstatus" | "validationstatuses" | "validationresult" | "validationresults":
                if found not in (None, [], {}) and is_failure(found):
                    return True
            case _ if is_faulty(found):
                return True
    return False


def is_failure(told: Any) -> bool:
    """Whether statuses tell of a failure, or of something that nobody knows."""
    if isinstance(told, list):
        return any(one in ([], {}) or is_failure(one) for one in told)
    if not isinstance(told, dict):
        return True
    groups = ("activemanifest", "ingredientdeltas", "validationdeltas", "failure")
    within = {name.replace("_", "").lower(): one for name, one in told.items() if name != "informational"}
    if "code" in told:
        code = str(told["code"])
        is_good = code == "signingCredential.untrusted" or ("." in code and code.split(".")[-1] in GOOD_ENDS)
        if not is_good or (told.get("success") is not None and told["success"] is not True):
            return True
    elif within and not any(name in (*groups, "success") for name in within):
        return True
    if any(name in groups and one is not None and not isinstance(one, (dict, list)) for name, one in within.items()):
        return True
    return any(is_failure(one) for one in within.values() if isinstance(one, (dict, list)))


def slips(value: Any) -> Iterator[tuple[str, str]]:
    """What entries refuse that nobody knows: of the reserved prefixes, or without any."""
    for _, name, entry, _ in entries(value):
        is_custom = "." in name and not name.lower().startswith(("cawg.", "c2pa."))
        if loose(name) not in USES and not is_custom and entry_word(entry) != "permitted":
            yield "tdm", entry_word(entry)
        elif loose(name) in USES and entry_word(entry) != "permitted":
            yield USES[loose(name)], entry_word(entry)


def refusals(value: Any) -> Iterator[tuple[str, str]]:
    """What any entry refuses that has a use, wherever it stands."""
    if isinstance(value, list):
        for one in value:
            yield from refusals(one)
    if isinstance(value, dict):
        for name, entry in value.items():
            if loose(name) in USES and isinstance(entry, dict) and "use" in entry and entry_word(entry) != "permitted":
                yield USES[loose(name)], entry_word(entry)
            yield from refusals(entry)


def loose(name: str) -> str:
    """The last part of a name, in small letters and with underscores."""
    return name.split(".")[-1].lower().replace("-", "_")


def entry_word(entry: Any) -> str:
    """What an entry comes to."""
    if not isinstance(entry, dict):
        return "prohibited"
    more = {key: one for key, one in entry.items() if key != "use" and one is not None and one != "" and one != " "}
    told = [one for key, one in more.items() if key in ("constraint_info", "constraints_info")]
    has_terms = bool(told) and all(isinstance(one, str) for one in told)
    match entry.get("use"):
        case "allowed" if not more:
            return "permitted"
        case "allowed" if len(told) == len(more) and has_terms:
            return "conditional"
        case "constrained" if has_terms:
            return "conditional"
    return "prohibited"
