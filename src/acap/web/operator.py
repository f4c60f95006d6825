"""The operator's page: what is held, what goes next, what was refused and removed, and the ledger."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from acap.explain import KINDS
from acap.harvest import proof
from acap.harvest.store import Act, Entry, Store, Verified
from acap.web.guard import is_ours
from acap.web.pages import page
from acap.web.serving import serving_of

VERIFIED_OCTETS = 32 << 20
"""The largest store that is verified here, database and copies: that takes some seconds, and more would take long."""

_LOOKED_AT = 500  # refusals
_LISTED = 15
_STATES = {"present": "read", "absent": "none", "unreachable": "unreachable"}


@dataclass
class RefusalGroup:
    """Refusals with one reason: usage, what it is, the statement that decided, how often, and the last URLs."""

    usage: str
    kind: str
    statement: str
    source: str
    count: int = 0
    urls: list[str] = field(default_factory=list)
    last: datetime | None = None


def operator(request: Request) -> Response:
    """The page."""
    return _page(request)


def verify(request: Request) -> Response:
    """The page, with the ledger compared with all that is kept, where that is little enough."""
    if not is_ours(request.headers):
        return PlainTextResponse("only the operator's own page may ask for this\n", status_code=403)
    store = serving_of(request).store
    if store.octets > VERIFIED_OCTETS:
        return _page(request, is_too_large=True)
    return _page(request, proof.verify(store))


def _page(request: Request, verified: Verified | None = None, *, is_too_large: bool = False) -> Response:
    serving = serving_of(request)
    store = serving.store
    now = store.clock.now()
    entries, head = store.ledger.head
    run = store.schedule.last()
    return page(
        "operator.html",
        query="",
        here="operator",
        operator=store.operator,
        place=store.database.place,
        now=now,
        counts=store.resources.counts(),
        sites=sorted(store.resources.by_site().items(), key=lambda one: (-one[1][0], one[0]))[:_LISTED],
        policies=_policies(store, now),
        upcoming=store.resources.upcoming(_LISTED),
        refused=refusals(store.ledger.entries(acts=("refused",), last=_LOOKED_AT)),
        refusals=store.ledger.count("refused"),
        removed=[_removed(entry) for entry in store.ledger.entries(acts=("removed",), last=_LISTED)][::-1],
        presented=store.ledger.count("presented"),
        run=run,
        run_counts=store.schedule.counts(run.id) if run is not None else {},
        run_reasons=store.schedule.reasons(run.id)[:_LISTED] if run is not None else [],
        entries=entries,
        head=head,
        verified=verified,
        too_large=f"{VERIFIED_OCTETS >> 20} MiB" if is_too_large else "",
        sweeping=serving.sweeping,
        thumbnails=serving.no_thumbnails(),
    )


def refusals(entries: Iterable[Entry]) -> list[RefusalGroup]:
    """Refusals by reason, the most frequent first."""
    groups: dict[tuple[str, str, str, str], RefusalGroup] = {}
    for entry in entries:
        act = entry.act
        decision = act.decision or {}
        cited: dict[str, Any] = next(iter(decision.get("statements", ())), {})
        kind = str(decision.get("kind", ""))
        where = str(cited.get("source") or "")
        line = cited.get("line")
        source = f"{where}:{line}" if line else where
        key = (act.usage, kind, str(cited.get("text", "")), source)
        # That a statement decides is plain where one is quoted.
        words = "" if kind == "statement" and key[2] else KINDS.get(kind, kind)
        group = groups.setdefault(key, RefusalGroup(act.usage, words, key[2], source))
        group.count += 1
        group.last = act.at
        if act.url not in group.urls:
            group.urls = [act.url, *group.urls][:3]
    return sorted(groups.values(), key=lambda one: -one.count)[:_LISTED]


def _removed(entry: Entry) -> tuple[Act, str]:
    """An act of removal, and why it was done."""
    act = entry.act
    if act.detail.get("by") == "operator":
        why = str(act.detail.get("why") or "")
        return act, f"by the operator{': ' if why else ''}{why}"
    if act.detail.get("succeeded"):
        return act, "a newer version replaced it"
    if act.detail.get("reason"):
        return act, str(act.detail["reason"])
    decision = act.decision or {}
    cited: dict[str, Any] = next(iter(decision.get("statements", ())), {})
    kind, text = str(decision.get("kind")), str(cited.get("text") or "")
    words = KINDS.get(kind, "")
    if kind == "statement" and text:
        return act, text
    return act, f"{words}: {text}" if text else words


def _policies(store: Store, now: datetime) -> list[list[Any]]:
    """Each robots.txt: URL, when it was last asked for, what came of it, and what that means."""
    out = []
    for url, at, state in store.policies.sites():
        speaking = store.policies.speaking(url, now)
        is_silent = speaking is not None and speaking[1].state == "unreachable"
        meaning = ""
        if is_silent:
            until = "can be reached" if state == "unreachable" else "answers again"
            meaning = f"nothing of this site is presented until it {until}"
        elif state == "unreachable":
            meaning = "the last readable one applies, for 30 days at most"
        elif state == "absent":
            meaning = "nothing is forbidden"
        needs_look = is_silent or state == "unreachable"
        out.append((not needs_look, url, at, _STATES.get(state, state), meaning))
    # What needs a look comes first.
    return [row for _, *row in sorted(out)[:100]]
