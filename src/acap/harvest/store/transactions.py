"""What both databases share: one caller at a time, and transactions that are all or nothing.

A transaction in which a statement failed, or one within it, cannot succeed any more, whoever caught the error: in
PostgreSQL by itself, and here for SQLite too, which would go on with half of it.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager

from acap.harvest.store.database import StoreError


class Transactions(ABC):
    """The base of a connection that takes its callers in turn."""

    place: str

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._depth = 0
        self._failed = False

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing; one within another is part of it."""
        with self._lock:
            is_outermost = self._depth == 0
            if is_outermost:
                self._failed = False
                try:
                    self._begin()
                except BaseException:  # it may have begun
                    self._roll_back()
                    raise
            self._depth += 1
            try:
                yield
                self._check_unfailed()
                if is_outermost:
                    self._commit()
            except BaseException:
                self._failed = True
                if is_outermost:
                    self._roll_back()
                raise
            finally:
                self._depth -= 1

    @contextmanager
    def _statement(self) -> Iterator[None]:
        """The turn of a caller with one statement, or of the transaction that it began."""
        with self._lock:
            if self._depth:
                self._check_unfailed()
            try:
                yield
            except BaseException:
                self._failed = True
                raise

    def _check_unfailed(self) -> None:
        if self._failed:
            raise StoreError(f"nothing of this was written to `{self.place}`: a part of the transaction had failed")

    def _check_outside(self) -> None:
        if self._depth:
            raise StoreError(f"`{self.place}` cannot be cleared within a transaction")

    @abstractmethod
    def _begin(self) -> None: ...

    @abstractmethod
    def _commit(self) -> None: ...

    @abstractmethod
    def _roll_back(self) -> None: ...
