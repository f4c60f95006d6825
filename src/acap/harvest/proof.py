"""Proof: the ledger is whole, and what it says is held is what is held.

Whoever changes the ledger breaks its chain of hashes; whoever changes what is held, beside it, is found out by
comparing both. What nobody can find out from a store alone is that its last entries were cut off together with what
they tell of: for that somebody has to have noted a head.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from acap.harvest.copies import CopyMissingError
from acap.harvest.store.database import StoreBusyError, StoreError
from acap.harvest.store.ledger import Verified

if TYPE_CHECKING:
    from acap.harvest.store import Store

_GIVES = {"indexed": "index", "preserved": "preserve"}
_ATTEMPTS = 3


def verify(store: Store, expect_head: str | None = None) -> Verified:
    """Verifies the ledger, as `Ledger.verify` does, and compares it with index and copies. Raises StoreBusyError."""
    verified = store.ledger.verify(expect_head)
    return Verified(verified.entries, verified.head, (*verified.wrong, *differences(store)))


def differences(store: Store) -> list[str]:
    """What differs between ledger, versions, index and files with copies, a line each."""
    found: list[str] = []
    for attempt in range(_ATTEMPTS):
        head = store.ledger.head
        try:
            now = [*_differences(store), *_short_files(store)]
        except StoreBusyError:
            raise
        except StoreError as error:
            return [f"what is held cannot be compared: {error}"]
        # Somebody who writes meanwhile makes differences that are none; what is wrong stays.
        found = now if not attempt else [one for one in found if one in now]
        if not found or store.ledger.head == head:
            break
    return found


def _differences(store: Store) -> list[str]:
    told: dict[str, dict[int, str]] = {"index": {}, "preserve": {}}
    for entry in store.ledger.entries(acts=(*_GIVES, "removed")):
        act = entry.act
        if act.version is None:
            continue
        if act.act == "removed":
            told.get(act.usage, {}).pop(act.version, None)
        else:
            told[_GIVES[act.act]][act.version] = act.url
    found: list[str] = []
    held = {usage: store.resources.held(usage) for usage in told}
    for usage, where in (("index", "indexed"), ("preserve", "preserved")):
        is_there, is_told = held[usage], told[usage]
        found += (
            f"version {one} of {is_there[one]} is {where}, and no entry says so"
            for one in sorted(is_there.keys() - is_told.keys())
        )
        found += (
            f"version {one} of {is_told[one]} is not {where}, and no entry says it was removed"
            for one in sorted(is_told.keys() - is_there.keys())
        )
        found += (
            f"version {one} of {is_told[one]} is filed under {is_there[one]}"
            for one in sorted(is_told.keys() & is_there.keys())
            if is_told[one] != is_there[one]
        )
    terms = store.database.indexed()
    found += (
        f"version {one} is indexed, and the index has no words of it" for one in sorted(held["index"].keys() - terms)
    )
    found += (
        f"the index has words of version {one}, which is not indexed" for one in sorted(terms - held["index"].keys())
    )
    return found


def _short_files(store: Store) -> list[str]:
    found = []
    for name, end in sorted(store.files.committed().items()):
        try:
            octets = store.copies.end(name)
        except CopyMissingError as error:
            found.append(str(error))
        else:
            if octets < end:
                found.append(f"`{name}` has {octets} octets of {end}: copies are lost")
    return found
