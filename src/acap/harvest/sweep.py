"""The sweep: deletes what may no longer be kept (P1 4.5.3.1, G 2.5.1).

It examines every resource that is due: its time limit is over, its site has a new policy, its take-down was requested,
or it was refused when crawled again. A second sweep at the same instant finds nothing to do.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from acap.harvest.act import TAKE_DOWN, Act
from acap.harvest.commit import commit
from acap.harvest.review import Review
from acap.harvest.store import Store

_SETTLED = 500
"""URLs per transaction whose requests are settled."""


@dataclass
class Swept:
    """The result of a sweep: the number of resources examined, and its acts.

    `erased`: no octets of deleted copies are left. `is_cut`: its time was up before every due resource was examined, or
    before every file with deleted copies was written anew.
    """

    reviewed: int = 0
    acts: list[Act] = field(default_factory=list)
    erased: bool = True
    is_cut: bool = False

    @property
    def counts(self) -> Counter[tuple[str, str]]:
        """The number of acts, by act and usage."""
        return Counter((act.act, act.usage) for act in self.acts)


class _UndoneError(Exception):
    """Ends the transaction of a dry run."""


def sweep(
    store: Store,
    at: datetime | None = None,
    *,
    dry: bool = False,
    seconds: float | None = None,
    on_act: Callable[[Act], None] | None = None,
) -> Swept:
    """Judges every due resource again, at an instant that is now by default; the caller has the turn to write.

    `dry`: only reports what would be done. It is done and undone in one transaction, so other writers wait for it.
    `seconds`: time after which no further resource is examined and no further request settled; octets of deleted copies
    are erased for as long again. At least one resource and one file is completed. After a sweep that `is_cut` the next
    one continues. Each resource is a transaction of its own, so a sweep can be interrupted anywhere.

    Raises:
        StoreError: the store cannot be written.
    """
    now = at or store.clock.now()
    swept = Swept()
    until = None if seconds is None else time.monotonic() + seconds
    if dry:
        try:
            with store.transaction():
                _look(store, now, swept, until, on_act)
                raise _UndoneError
        except _UndoneError:
            store.discard_uncommitted()
        return swept
    _look(store, now, swept, until, on_act)
    _end(store, now, swept, until)
    swept.erased = store.erase(seconds)
    swept.is_cut |= seconds is not None and store.has_files_to_erase
    return swept


def _look(store: Store, now: datetime, swept: Swept, until: float | None, on_act: Callable[[Act], None] | None) -> None:
    """Judges every due resource."""
    seen: set[int] = set()
    again: set[int] | None = None
    while not swept.is_cut:
        due = [resource for resource in store.resources.due(now, 500 + len(seen)) if resource.id not in seen]
        if not due and again is None:
            # A resource that an examined page used may no longer be needed.
            again = {resource.id for resource in store.resources.due(now, 500 + len(seen))}
            seen -= again
            continue
        if not due:
            break
        for resource in due:
            if until is not None and seen and time.monotonic() > until:
                swept.is_cut = True
                break
            seen.add(resource.id)
            acts = commit(store, Review(store, now).resource(resource))
            swept.reviewed += 1
            swept.acts += acts
            if on_act is not None:
                for act in acts:
                    on_act(act)


def _end(store: Store, now: datetime, swept: Swept, until: float | None) -> None:
    """Marks take-downs as carried out, once every due resource was examined."""
    while not swept.is_cut and store.requests.settle(TAKE_DOWN, now, _SETTLED) == _SETTLED:
        swept.is_cut = until is not None and time.monotonic() > until
