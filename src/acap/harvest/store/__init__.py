"""What a harvest keeps: resources, versions, policies, decisions, schedule, index and ledger, in one database."""

from __future__ import annotations

from acap.harvest.act import Act
from acap.harvest.resource import Resource, Version
from acap.harvest.store.database import StoreBusyError, StoreError, StoreFullError
from acap.harvest.store.ledger import Entry, Ledger, Verified
from acap.harvest.store.opening import open_store
from acap.harvest.store.schedule import Run, Schedule
from acap.harvest.store.store import Store
from acap.harvest.task import Task, Wanted

__all__ = [
    "Act",
    "Entry",
    "Ledger",
    "Resource",
    "Run",
    "Schedule",
    "Store",
    "StoreBusyError",
    "StoreError",
    "StoreFullError",
    "Task",
    "Verified",
    "Version",
    "Wanted",
    "open_store",
]
