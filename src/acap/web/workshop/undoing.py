"""Taking back what a button changed: one small edit for each change, carried by the form itself.

An edit says what the text must be before it is taken back, by a hash, so that it never lands in another text.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Any

_STEPS = 30
_CHARACTERS = 2**18


@dataclass(frozen=True, slots=True)
class Step:
    """`of` is the hash of the text that was made; its characters from `at` up to `end` were `was`.

    `kind` is what the text before was said to be.
    """

    of: str
    at: int
    end: int
    was: str
    what: str
    kind: str = ""


def recorded(history: str, before: str, after: str, what: str, kind: str = "") -> str:
    """The history with one more step, the newest first; the oldest go where it grows too long."""
    if before == after:
        return history
    at = _shared(before, after)
    tail = _shared(before[at:][::-1], after[at:][::-1])
    step = Step(_hash(after), at, len(after) - tail, before[at : len(before) - tail], what, kind)
    kept: list[Step] = []
    room = _CHARACTERS
    for past in (step, *_steps(history)):
        room -= len(past.was) + 100
        if room < 0 or len(kept) == _STEPS:
            break
        kept.append(past)
    return json.dumps([asdict(one) for one in kept])


def newest(history: str, text: str) -> Step | None:
    """The step that can be taken back from this text, if there is one."""
    steps = _steps(history)
    return steps[0] if steps and steps[0].of == _hash(text) else None


def undone(history: str, text: str) -> tuple[str, str, Step | None]:
    """The text before the newest step, the history without it, and that step."""
    step = newest(history, text)
    if step is None:
        return text, history, None
    rest = _steps(history)[1:]
    return text[: step.at] + step.was + text[step.end :], json.dumps([asdict(one) for one in rest]), step


def _shared(text: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    low, high = 0, min(len(text), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if text[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _steps(history: str) -> list[Step]:
    """The history that a form carries; empty if it is not one."""
    try:
        members = json.loads(history or "[]")
    except (ValueError, RecursionError):
        return []
    if not isinstance(members, list) or not all(isinstance(one, dict) for one in members):
        return []
    return [Step(**one) for one in members] if all(map(_is_step, members)) else []


def _is_step(members: dict[str, Any]) -> bool:
    kinds = {"of": str, "at": int, "end": int, "was": str, "what": str, "kind": str}
    if members.keys() != kinds.keys() or not all(isinstance(members[name], kind) for name, kind in kinds.items()):
        return False
    return bool(0 <= members["at"] <= members["end"])
