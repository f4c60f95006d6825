"""`acap status`: what a store holds, and how its last crawl ended. It writes nothing, and works while a crawl does."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from typing import Any

import click

from acap.cli.io.command import Command
from acap.cli.io.crawl_report import reason_text, show_unkept, table
from acap.cli.io.quantities import octets_text, seconds_text
from acap.cli.io.stores import STORE, opened
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.explain import visible
from acap.harvest.act import RE_CRAWL, REMOVAL, TAKE_DOWN
from acap.harvest.store import Run, Store
from acap.schema import SCHEMA

_SITES = 50
_UPCOMING = 10
_REQUESTS = (RE_CRAWL, TAKE_DOWN, REMOVAL)


@click.command(cls=Command)
@STORE
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
@terminal_options
@pass_terminal
def status(terminal: Terminal, store: str, as_json: bool) -> None:
    """What a store holds of each site, how its last crawl ended, and what ends next.

    \b
    # a store in a file
    acap status --store crawl.db
    # a store in a database, as JSON
    acap status --store postgresql://localhost/crawl --json
    """
    with opened(store) as opened_store:
        members = state(opened_store)
    if as_json:
        terminal.line(json.dumps({"schema": SCHEMA, **members}))
    elif not terminal.quiet:
        _show(terminal, store, members)


def state(store: Store) -> dict[str, Any]:
    """Everything that `acap status` tells, of types that `json.dumps` takes."""
    last = store.schedule.last()
    seq, head = store.ledger.head
    return {
        "at": store.clock.now().isoformat(),
        "store": {"id": store.identity, "operator": store.operator.to_json()},
        "held": store.resources.counts(),
        "sites": _sites(store),
        "unkept": [
            {"usage": usage, "why": why, "urls": urls} for (usage, why), urls in store.resources.unkept().most_common()
        ],
        "run": None if last is None else _run(store, last),
        "upcoming": [
            {"url": resource.url, "at": resource.review_at.isoformat()}
            for resource in store.resources.upcoming(_UPCOMING)
            if resource.review_at is not None
        ],
        "requests": {action: store.requests.open(action) for action in _REQUESTS},
        "ledger": {"entries": seq, "head": head},
    }


def _sites(store: Store) -> list[dict[str, Any]]:
    policies = {url.removesuffix("/robots.txt"): (at, state) for url, at, state in store.policies.sites()}
    counts = store.resources.by_site()
    sites = []
    for site in sorted(policies.keys() | counts.keys()):
        at, state = policies.get(site, (None, None))
        resources, indexed, preserved = counts.get(site, (0, 0, 0))
        sites.append(
            {
                "site": site,
                "policy": state,
                "policy_fetched_at": None if at is None else at.isoformat(),
                "held": resources,
                "indexed": indexed,
                "preserved": preserved,
            }
        )
    return sites


def _run(store: Store, run: Run) -> dict[str, Any]:
    due = None if run.ended_at is not None else store.schedule.next_due(run.id)
    return {
        "run": run.id,
        "started_at": run.started_at.isoformat(),
        "ended_at": _iso(run.ended_at),
        "reason": run.reason,
        "seconds": round(run.seconds, 3),
        "octets": run.octets,
        "counts": store.schedule.counts(run.id),
        "reasons": [{"state": state, "why": why, "urls": urls} for state, why, urls in store.schedule.reasons(run.id)],
        "next_at": _iso(due),
        "options": run.options,
    }


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


def _show(terminal: Terminal, where: str, status: dict[str, Any]) -> None:
    operator, held = status["store"]["operator"], status["held"]
    whose = ", ".join(operator["names"]) + (f" for {', '.join(operator['purposes'])}" if operator["purposes"] else "")
    whose += f", kept for {', '.join(operator['usages'])}" if operator["usages"] else ""
    whose += f", as {_licensee(operator['licensee'])}" if operator["licensee"] else ""
    terminal.line(f"{where}: the store of {visible(whose)}")
    terminal.line(
        f"held: {held['held']} resources of {held['known']} known, {held['indexed']} indexed, "
        f"{held['preserved']} preserved ({octets_text(held['octets'])})"
    )
    if status["sites"]:
        columns = ("site", "policy", "fetched", "indexed", "preserved")
        rows = [
            (
                site["site"], site["policy"] or "unknown", _short(site["policy_fetched_at"]) or "never",
                str(site["indexed"]), str(site["preserved"]),
            )
            for site in status["sites"][:_SITES]
        ]  # fmt: skip
        table(terminal, columns, rows)
        if len(status["sites"]) > _SITES:
            terminal.line(f"and {len(status['sites']) - _SITES} more sites (--json names them)")
    show_unkept(terminal, Counter({(one["usage"], one["why"]): one["urls"] for one in status["unkept"]}))
    _show_run(terminal, status["run"], status["at"])
    for one in status["upcoming"]:
        terminal.line(f"to be judged again {_short(one['at'])}: {one['url']}")
    for action, urls in status["requests"].items():
        if urls:
            terminal.line(f"{action}: {len(urls)} open, {urls[0]}{' …' if len(urls) > 1 else ''}")
    terminal.line(f"ledger: {status['ledger']['entries']} entries, head {status['ledger']['head']}")


def _licensee(licensee: dict[str, Any]) -> str:
    """What is known of a licensee, by the names of its members."""
    members = ((name, value) for name, value in licensee.items() if value not in (None, [], False))
    return "; ".join(f"{name} {', '.join(value) if isinstance(value, list) else value}" for name, value in members)


def _show_run(terminal: Terminal, run: dict[str, Any] | None, at: str) -> None:
    if run is None:
        terminal.line("never crawled")
        return
    counts = run["counts"]
    if run["ended_at"] is not None:
        how = f"ended {_short(run['ended_at'])} ({run['reason']})"
    else:
        how = "unfinished, the same `acap crawl` continues it"
        if run["next_at"] is not None and datetime.fromisoformat(run["next_at"]) > datetime.fromisoformat(at):
            how += f"; URLs wait until {_short(run['next_at'])}"
    terminal.line(
        f"run {run['run']}, begun {_short(run['started_at'])}, {how}: {counts['done']} crawled, {counts['refused']} "
        f"refused, {counts['failed']} failed, {counts['dropped']} dropped, {counts['waiting']} waiting; "
        f"{seconds_text(run['seconds'])}, {octets_text(run['octets'])}"
    )
    if run["reasons"]:
        rows = [(str(one["urls"]), one["state"], reason_text(one["why"])) for one in run["reasons"][:_SITES]]
        table(terminal, ("urls", "outcome", "why"), rows)


def _short(at: str | None) -> str:
    return "" if at is None else f"{at[:16].replace('T', ' ')} UTC"
