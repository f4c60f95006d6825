"""The schedule: which URLs a run has to fetch, in which order, and what became of each.

A URL is done in the transaction that records its result; so after a crash URLs under way are fetched again, and
nothing that was recorded is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from acap.harvest.store.database import Database
from acap.harvest.task import Task, Wanted
from acap.harvest.values import instant, microseconds

STATES = ("waiting", "done", "refused", "failed", "dropped")


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a crawl; `options` are those of the call. `seconds` and `octets` are what it took so far."""

    id: int
    started_at: datetime
    ended_at: datetime | None
    reason: str | None
    options: dict[str, Any]
    seconds: float
    octets: int


class Schedule:
    """Runs and their URLs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, options: dict[str, Any], at: datetime) -> Run:
        """A new run."""
        rows = self._database.rows(
            "INSERT INTO runs (started_at, options) VALUES (?, ?) RETURNING id",
            (microseconds(at), json.dumps(options, sort_keys=True)),
        )
        return self.run(int(rows[0][0]))

    def run(self, number: int) -> Run:
        """A run by its number."""
        row = self._database.rows(f"{_RUN} WHERE id = ?", (number,))[0]
        return _run(*row)

    def last(self) -> Run | None:
        """The last run; it is unfinished while `ended_at` is None."""
        rows = self._database.rows(f"{_RUN} ORDER BY id DESC LIMIT 1")
        return _run(*rows[0]) if rows else None

    def end(self, run: int, at: datetime, reason: str) -> None:
        """The run is over: nothing is left of it to fetch, or a limit is reached."""
        self._database.run("UPDATE runs SET ended_at = ?, reason = ? WHERE id = ?", (microseconds(at), reason, run))

    def spend(self, run: int, seconds: float, octets: int) -> None:
        """Adds to what the run took."""
        self._database.run(
            "UPDATE runs SET seconds = seconds + ?, octets = octets + ? WHERE id = ?", (seconds, octets, run)
        )

    def add(self, run: int, wanted: Iterable[Wanted], at: datetime) -> None:
        """Puts URLs on the schedule that are not there yet; a URL found nearer keeps its turn."""
        now = microseconds(at)
        self._database.many(
            "INSERT INTO schedule (run, url, site, depth, kind, due, state, found_in) "
            "VALUES (?, ?, ?, ?, ?, ?, 'waiting', ?) ON CONFLICT (run, url) DO NOTHING",
            ((run, one.url, one.site, one.depth, one.kind, now, one.found_in) for one in wanted),
        )

    def reopen(self, run: int, wanted: Iterable[Wanted], at: datetime) -> None:
        """Gives URLs that were refused another turn, once: a page was read since that requires them."""
        self._database.many(
            "UPDATE schedule SET state = 'waiting', kind = 'resource', why = NULL, attempts = 0, due = ?, found_in = ? "
            "WHERE run = ? AND url = ? AND state = 'refused' AND kind <> 'resource'",
            ((microseconds(at), one.found_in, run, one.url) for one in wanted),
        )

    def waiting(self, run: int, site: str, at: datetime, limit: int, after: tuple[int, int] = (-1, -1)) -> list[Task]:
        """URLs of a site whose time has come, the nearest first; those after a depth and number."""
        rows = self._database.rows(
            "SELECT id, url, site, depth, kind, attempts, found_in FROM schedule WHERE run = ? AND state = 'waiting' "
            "AND site = ? AND due <= ? AND (depth > ? OR (depth = ? AND id > ?)) ORDER BY depth, id LIMIT ?",
            (run, site, microseconds(at), after[0], after[0], after[1], limit),
        )
        return [Task(*row) for row in rows]

    def sites(self, run: int, at: datetime) -> list[str]:
        """Sites with URLs whose time has come, the one with the nearest first."""
        rows = self._database.rows(
            "SELECT site FROM schedule WHERE run = ? AND state = 'waiting' AND due <= ? GROUP BY site "
            "ORDER BY min(depth), min(id)",
            (run, microseconds(at)),
        )
        return [site for (site,) in rows]

    def next_due(self, run: int) -> datetime | None:
        """When the next URL is due; None if none is waiting."""
        return instant(
            self._database.rows("SELECT min(due) FROM schedule WHERE run = ? AND state = 'waiting'", (run,))[0][0]
        )

    def close(self, task: int, state: str, why: str | None = None) -> None:
        """Sets the state of a URL: one of `STATES` but `waiting`. The first one stays."""
        self._database.run(
            "UPDATE schedule SET state = ?, why = ? WHERE id = ? AND state = 'waiting'", (state, why, task)
        )

    def postpone(self, task: int, due: datetime, why: str, *, attempt: bool = True) -> None:
        """The URL gets another turn; `attempt`: this one counts as an attempt."""
        self._database.run(
            "UPDATE schedule SET due = ?, why = ?, attempts = attempts + ? WHERE id = ? AND state = 'waiting'",
            (microseconds(due), why, int(attempt), task),
        )

    def drop_waiting(self, run: int, why: str) -> None:
        """No URL of the run gets a turn any more."""
        self._database.run(
            "UPDATE schedule SET state = 'dropped', why = ? WHERE run = ? AND state = 'waiting'", (why, run)
        )

    def counts(self, run: int) -> dict[str, int]:
        """How many URLs are in each of `STATES`."""
        rows = self._database.rows("SELECT state, count(*) FROM schedule WHERE run = ? GROUP BY state", (run,))
        counted = {state: int(number) for state, number in rows}
        return {state: counted.get(state, 0) for state in STATES}

    def sites_of(self, run: int) -> list[str]:
        """All sites of a run, but those that have required resources only; whatever the state of their URLs."""
        rows = self._database.rows("SELECT DISTINCT site FROM schedule WHERE run = ? AND kind <> 'resource'", (run,))
        return [site for (site,) in rows]

    def by_site(self, run: int) -> dict[str, dict[str, int]]:
        """How many URLs of each site are in each state."""
        counted: dict[str, dict[str, int]] = {}
        for site, state, number in self._database.rows(
            "SELECT site, state, count(*) FROM schedule WHERE run = ? GROUP BY site, state", (run,)
        ):
            counted.setdefault(site, {})[state] = int(number)
        return counted

    def reasons(self, run: int) -> list[tuple[str, str, int]]:
        """State, reason and number of the URLs that are not simply done."""
        rows = self._database.rows(
            "SELECT state, coalesce(why, ''), count(*) FROM schedule WHERE run = ? AND why IS NOT NULL "
            "GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2",
            (run,),
        )
        return [(state, why, int(number)) for state, why, number in rows]


_RUN = "SELECT id, started_at, ended_at, reason, options, seconds, octets FROM runs"


def _run(
    number: int, started: int, ended: int | None, reason: str | None, options: str, seconds: float, octets: int
) -> Run:
    started_at = instant(started)
    assert started_at is not None
    return Run(number, started_at, instant(ended), reason, json.loads(options), float(seconds), int(octets))
