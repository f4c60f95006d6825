"""A store as a whole: the database, the files with copies beside it, and what keeps both in step.

The laws of this module:

1. A copy is written and synced before the transaction that makes it count; beyond what counts files are cut off.
2. What is removed is hidden by a transaction, which leaves an intent; `erase` carries intents out, and may be broken
   off and repeated at any instant.
3. One process writes at a time. Presenting writes too, but only to the ledger and first times, in short transactions.
4. A directory of copies belongs to one store: copies of another one would look as if they did not count.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from acap.archives import Capture
from acap.clock import Clock
from acap.harvest.account import text_digest
from acap.harvest.act import Act
from acap.harvest.copies import Copies, CopiesDamagedError, CopyMissingError, CopyUnreadableError, Place
from acap.harvest.operator import Operator
from acap.harvest.resource import Version
from acap.harvest.store.database import Database, StoreBusyError, StoreError, StoreFullError
from acap.harvest.store.files import REWRITE, SCRUB, UNLINK, Files
from acap.harvest.store.grounds import Grounds
from acap.harvest.store.ledger import Entry, Ledger
from acap.harvest.store.policies import PolicyShelf
from acap.harvest.store.proven import Proven
from acap.harvest.store.requests import Requests
from acap.harvest.store.resources import Resources
from acap.harvest.store.schedule import Schedule
from acap.retrieval.private import DIRECTORY_MODE, begin_private, open_regular

OWNER = "acap-store"
"""The file in a directory of copies that names the store they are of."""

_MARK_OCTETS = 1_024  # no number of a store is longer
_SCRUB_SHARE = 19
"""Where time is limited, the index is cleared again only after this many times as long as clearing it took."""


class Store:
    """A store that is open. It may be used from any thread; use it as a context manager."""

    def __init__(
        self,
        database: Database,
        copies: Copies,
        operator: Operator,
        clock: Clock,
        ledger: Ledger,
        identity: str,
        directory: Path,
    ) -> None:
        self.database = database
        self.copies = copies
        self.operator = operator
        self.clock = clock
        self.identity = identity
        self.policies = PolicyShelf(database)
        self.resources = Resources(database)
        self.schedule = Schedule(database)
        self.ledger = ledger
        self.proven = Proven(database, ledger)
        self.files = Files(database)
        self.grounds = Grounds(database)
        self.requests = Requests(database, self.ledger)
        self._directory = directory
        self._depth = 0
        self._scrubs_at = 0.0  # for those who have little time
        self._has_appended = False
        self._copy_details: dict[int, dict[str, Any]] = {}
        """By version, what entries will record of the copies kept in this transaction."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection."""
        self.database.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, in the database; if nothing, what was appended in it is cut off."""
        try:
            with self.database.transaction():
                self._depth += 1
                try:
                    yield
                finally:
                    self._depth -= 1
                    if not self._depth:
                        self._copy_details.clear()
        except BaseException:
            self.policies.forget_noted()
            self.grounds.forget()
            if self._has_appended and not self._depth:
                self.discard_uncommitted()
            raise
        if not self._depth:
            self._has_appended = False

    @contextmanager
    def writing(self, seconds: float | None = None) -> Iterator[None]:
        """The turn of the one writer; what a crash left is completed first, as far as `erase` gets within `seconds`.

        Raises StoreBusyError, StoreError.
        """
        with self.database.writing():
            self._own_directory()
            self.discard_uncommitted()
            self.erase(seconds)
            yield

    def _own_directory(self) -> None:
        """Marks the directory of copies as this store's. Raises StoreError if it is another one's."""
        mark = self._directory / OWNER
        with self._disk():
            try:
                with open_regular(mark) as file:
                    whose = file.read(_MARK_OCTETS).decode("ascii", "replace").strip()
            except FileNotFoundError:
                whose = "" if set(self.copies.files()) - self.files.committed().keys() else self.identity
                if whose:
                    self._directory.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
                    begin_private(mark)
                    mark.write_text(f"{self.identity}\n", encoding="ascii")
        if whose != self.identity:
            raise StoreError(f"`{self._directory}` holds copies of another store; name another directory with --copies")

    @property
    def is_marked(self) -> bool:
        """Whether the directory of copies has the mark of this store alone; without a mark it has no copies."""
        try:
            with open_regular(self._directory / OWNER) as mark:
                return mark.read(len(self.identity) + 2) == f"{self.identity}\n".encode()
        except FileNotFoundError:
            return not self.copies.files()
        except OSError:
            return False

    @contextmanager
    def _disk(self) -> Iterator[None]:
        """The errors of the disk with copies as those of stores."""
        try:
            yield
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise StoreFullError(
                    f"no room to write copies in `{self._directory}`; free some, then run the same command again"
                ) from error
            raise StoreError(f"copies in `{self._directory}` cannot be written: {error.strerror or error}") from error

    def append(self, captures: list[Capture]) -> list[Place]:
        """Writes copies and syncs them; they count once `commit_copies` is part of a transaction that succeeds.

        Raises StoreFullError, StoreError.
        """
        if not captures:
            return []
        self.database.check_turn()
        self._has_appended = True
        with self._disk():
            return self.copies.append(captures)

    def acts_of(self, act: Act) -> list[Act]:
        """An act about a page that showed several things as one act for each of them."""
        if "shown" not in act.detail:
            return [act]
        where = {"where": act.detail["where"]}
        versions = self.resources.by_versions([number for number, *_ in act.detail["shown"]])
        return [
            Act(
                act.act,
                act.at,
                version.url,
                usage,
                number,
                policy,
                decision,
                where if of is None else where | {"for": of},
            )
            for number, policy, ground in act.detail["shown"]
            if (version := versions.get(number)) is not None
            for usage, of, decision in self.grounds.uses(ground)
        ]

    def entries(self, url: str, *, acts: Sequence[str] = (), last: int | None = None) -> Iterator[Entry]:
        """Entries of one URL, those of pages on which something of it was shown with others included."""
        resource = self.resources.find(url)
        numbers = [] if resource is None else [version.id for version in self.resources.versions(resource.id)]
        return self.ledger.entries(url, versions=numbers, acts=acts, last=last)

    @property
    def octets(self) -> int:
        """How much room database and copies take."""
        return self.database.octets() + sum(self.files.committed().values())

    def read(self, version: Version) -> Capture:
        """The copy of a version, if it is the one of the ledger. Raises CopyMissingError, StoreError."""

        assert version.place is not None
        detail = self._copy_detail(version)
        digest = detail.get("copy")
        if not isinstance(digest, str):
            raise CopyMissingError(f"no entry of the ledger tells of a copy of version {version.id}")
        if detail.get("parts", "") != text_digest(version.parts):
            raise CopyMissingError(f"the ledger tells of a copy of version {version.id} that has other parts")
        return self.copies.read(version.place, digest)

    def tell_of_copy(self, version: int, detail: dict[str, Any]) -> None:
        """Sets what the entry of a copy will record, so that the copy can be read before the transaction ends."""
        self._copy_details[version] = detail

    def _copy_detail(self, version: Version) -> dict[str, Any]:
        """What the ledger records of the copy of a version; empty without an entry in the chain."""
        detail = self._copy_details.get(version.id) or self.ledger.copy_entry(version.url, version.id)
        if detail is not None:
            return detail
        proven = self.proven.of(f"version {version.id}")
        return proven if proven.get("url") == version.url else {}

    def commit_copies(self, places: list[Place]) -> None:
        """Makes appended copies count, in a transaction of the caller's."""
        ends: dict[str, int] = {}
        for place in places:
            ends[place.file] = max(ends.get(place.file, 0), place.offset + place.length)
        for name, end in ends.items():
            self.files.commit(name, end)

    def discard_uncommitted(self) -> None:
        """After a transaction that failed: cuts off what was appended for it. Raises StoreError."""
        committed = self.files.committed()
        self.database.check_turn()  # else these may be another writer's
        with self._disk(), suppress(CopiesDamagedError):  # `proof` reports copies that are lost
            self.copies.recover(committed)
        self._has_appended = False

    def hide_copy(self, version: int, place: Place) -> None:
        """Takes a copy out, in a transaction of the caller's; its octets go with `erase`."""
        self.resources.set_place(version, None)
        self.files.intend(REWRITE, place.file)

    def hide_terms(self, version: int) -> None:
        """Takes a version out of the index, in a transaction of the caller's; its terms go with `erase`."""
        self.resources.set_indexed(version, None)
        self.database.drop_terms([version])
        self.files.intend(SCRUB)

    def erase(self, seconds: float | None = None) -> bool:
        """Makes the octets go of all that is hidden: files are written anew without it, the index and log cleared.

        `seconds`: after which no other file is begun, one at least is done, and the index, which takes as long as it is
        large, is cleared only where that has not taken a twentieth of the time lately. False if something is left, also
        where a reader keeps the log open: it goes with a later call. Raises StoreError.
        """
        if self._depth:
            raise StoreError(f"`{self.database.place}` cannot be cleared within a transaction")
        self.database.check_turn()
        until = None if seconds is None else time.monotonic() + seconds
        unread: StoreError | None = None
        for what, step in ((REWRITE, self._rewrite), (UNLINK, self._unlink)):
            for name in self.files.intents(what):
                try:
                    step(name)
                except CopyUnreadableError as error:
                    # What the disk does not give now may be whole: it waits, and keeps nothing else from going.
                    unread = unread or StoreError(
                        f"{error}; what had to go of it is hidden, and goes with a later call"
                    )
                if until is not None and time.monotonic() >= until and self.has_files_to_erase:
                    return False
        done = self._scrub(patient=until is not None) if self.files.intents(SCRUB) else True
        if unread is not None:
            raise unread
        return done

    @property
    def has_files_to_erase(self) -> bool:
        """Whether files are left that `erase` has to write anew or to take away."""
        return bool(self.files.intents(REWRITE) or self.files.intents(UNLINK))

    def _scrub(self, *, patient: bool) -> bool:
        """Clears index and log of what was deleted; False if it has to wait."""
        begun = time.monotonic()
        if patient and begun < self._scrubs_at:
            return False
        try:
            self.database.scrub()
        except StoreBusyError:
            return False
        finally:
            ended = time.monotonic()
            self._scrubs_at = ended + _SCRUB_SHARE * (ended - begun)
        with self.transaction():
            self.files.done(SCRUB)
        return True

    def _unlink(self, name: str) -> None:
        """Takes a file with copies away."""
        with self._disk():
            self.copies.remove(name)
        with self.transaction():
            self.files.forget(name)
            self.files.done(UNLINK, name)

    def _rewrite(self, name: str) -> None:
        """Writes a file with copies anew; the old one stands until the new one counts.

        Raises CopyUnreadableError: nothing was changed, and it is unknown whether the copies that stay are there.
        """
        if name not in self.files.committed():
            with self.transaction():
                self.files.done(REWRITE, name)
            return
        places = self.resources.places(name)
        lost: list[Place] = []
        try:
            with self._disk():
                new, moves = self.copies.rewrite(name, places)
        except CopyUnreadableError:
            raise
        except CopyMissingError:
            # Lost copies must not keep those that have to go.
            lost = [place for place in places if not self._is_there(place)]
            with self._disk():
                new, moves = self.copies.rewrite(name, [place for place in places if place not in lost])
        with self.transaction():
            self._let_go(lost)
            self.resources.move(moves.items())
            if new is not None:
                self.files.commit(new, self.copies.end(new))
            self.files.done(REWRITE, name)
            self.files.intend(UNLINK, name)

    def _is_there(self, place: Place) -> bool:
        """Whether a copy is there as it was kept. Raises CopyUnreadableError."""
        digests = {self._copy_detail(version).get("copy") for version in self.resources.at_place(place)}
        digest = next((known for known in digests if isinstance(known, str)), None)
        try:
            self.copies.read(place, digest)
        except CopyUnreadableError:
            raise
        except CopyMissingError:
            return False
        return True

    def _let_go(self, lost: list[Place]) -> None:
        """Notes copies that are missing without a removal."""
        now = self.clock.now()
        acts = []
        for place in lost:
            for version in self.resources.at_place(place):
                self.resources.set_place(version.id, None)
                detail = {"reason": "the copy is damaged or missing"}
                acts.append(Act("removed", now, version.url, "preserve", version.id, detail=detail))
        self.ledger.append(acts)
