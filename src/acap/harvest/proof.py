"""Proof that the ledger is whole, and that the store has what the ledger records.

A change of the ledger breaks its chain of hashes. A change of the store is found by comparing it with the ledger:
entries have digests of every response as it was read, every policy, the words of the index, the octets of the copies,
first times and requests. A store alone cannot show that it was restored to an earlier state as a whole, or that ledger
and store were forged together: that needs a head that was noted elsewhere. Schedule, runs and the times of the next
review are not proven.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path

from acap.explain import visible
from acap.harvest.account import Account, requirements_digest, terms_digest, text_digest
from acap.harvest.act import Act
from acap.harvest.copies import CopyMissingError
from acap.harvest.export import verify_parts
from acap.harvest.resource import Resource, Version
from acap.harvest.store import Store
from acap.harvest.store.database import Database, Row, StoreBusyError, StoreError, rows_by_key
from acap.harvest.store.files import REWRITE, UNLINK
from acap.harvest.store.ledger import BEGINS, OF_STORE, UNREADABLE, Verified, start_of
from acap.harvest.store.proven import KEPT_AS
from acap.harvest.store.store import OWNER
from acap.harvest.values import microseconds
from acap.retrieval.locations import site_of

_GIVES = {"indexed": "index", "preserved": "preserve"}
_ATTEMPTS = 3
_PAUSE = 0.5  # seconds: enough to write a file anew

# Columns with JSON, compared as text: each as it was written.
_WRITTEN = {"about": "value", "versions": "headers, decisions", "resources": "heard"}
_READ_AT_ONCE = 500
_ABOUT = {*OF_STORE, BEGINS, KEPT_AS}
_UNFOUNDED = (
    "SELECT id FROM versions WHERE resource NOT IN (SELECT id FROM resources) OR is_indexed NOT IN (0, 1) "
    "OR (is_indexed = 0 AND terms <> '') "
    "OR (file IS NULL AND (start IS NOT NULL OR extent IS NOT NULL OR parts <> '')) ORDER BY id"
)
_UNCITED = "SELECT content FROM documents WHERE content NOT IN (SELECT content FROM policies) ORDER BY content"


def verify(
    store: Store, expect_head: str | None = None, *, quick: bool = False, exported: Path | None = None
) -> Verified:
    """Verifies the ledger, as `Ledger.verify` does, and compares it with the store. Raises StoreBusyError.

    `quick`: the chain of hashes alone. `exported`: the directory with the entries that left the store, which are
    verified too; without them a head that was noted before those left is not found.
    """
    verified = Verified(0, "", ())

    def look() -> list[str]:
        nonlocal verified
        left = None if exported is None else verify_parts(store, exported, expect_head)
        problems = [] if left is None else list(left.wrong)
        noted = None if left is not None and left.is_met else expect_head
        if quick:
            verified = store.ledger.verify(noted)
            return problems
        problems += store.proven.wrong(None if left is None else left.account)
        account = store.proven.account()
        unknown: list[str] = []

        def enter(act: Act) -> None:
            try:
                account.enter(act)
            except UNREADABLE:
                unknown.append(f"an entry of {act.act} {act.url} cannot be interpreted")

        verified = store.ledger.verify(noted, enter)
        return [*problems, *unknown, *_presence(store), *_contents(store, account)]

    problems = _lasting(store, look)
    # The messages quote data that may be damaged or forged; each stays one line.
    return Verified(verified.entries, verified.head, tuple(map(visible, (*verified.wrong, *problems))))


def differences(store: Store) -> list[str]:
    """Differences between ledger, versions, index and files with copies, a line each: whether each thing exists."""
    return _lasting(store, lambda: _presence(store))


def _lasting(store: Store, look: Callable[[], list[str]]) -> list[str]:
    """Differences that last: those that a writer makes between two looks do not count."""
    problems: list[str] = []
    for attempt in range(_ATTEMPTS):
        head = store.ledger.head
        try:
            now = look()
        except StoreBusyError:
            raise
        except (StoreError, AssertionError, *UNREADABLE) as error:
            return [f"the store cannot be compared: {error}"]
        problems = now if not attempt else [one for one in problems if one in now]
        is_going = store.has_files_to_erase
        if not problems or (store.ledger.head == head and not is_going):
            break
        if is_going and attempt + 1 < _ATTEMPTS:
            time.sleep(_PAUSE)
    return problems


def _going(store: Store) -> set[str]:
    """Files that still have copies which were deleted from the store."""
    return {*store.files.intents(REWRITE), *store.files.intents(UNLINK)}


def _presence(store: Store) -> list[str]:
    entered: dict[str, dict[int, str]] = {"index": {}, "preserve": {}}
    for name, facts in store.proven.account().named("version"):
        for usage, fact in (("index", "terms"), ("preserve", "copy")):
            if fact in facts:
                entered[usage][int(name)] = str(facts.get("url"))
    for entry in store.ledger.entries(acts=(*_GIVES, "removed")):
        act = entry.act
        if act.version is None:
            continue
        if act.act == "removed":
            entered.get(act.usage, {}).pop(act.version, None)
        else:
            entered[_GIVES[act.act]][act.version] = act.url
    problems: list[str] = []
    held = {usage: store.resources.kept_for(usage) for usage in entered}
    for usage, where in (("index", "indexed"), ("preserve", "preserved")):
        is_there, is_entered = held[usage], entered[usage]
        problems += (
            f"version {number} of {is_there[number]} is {where}, and no entry says so"
            for number in sorted(is_there.keys() - is_entered.keys())
        )
        problems += (
            f"version {number} of {is_entered[number]} is not {where}, and no entry says it was removed"
            for number in sorted(is_entered.keys() - is_there.keys())
        )
        problems += (
            f"version {number} of {is_entered[number]} is filed under {is_there[number]}"
            for number in sorted(is_entered.keys() & is_there.keys())
            if is_entered[number] != is_there[number]
        )
    terms = store.database.indexed()
    problems += (
        f"version {number} is indexed, and the index has no words of it"
        for number in sorted(held["index"].keys() - terms)
    )
    problems += (
        f"the index has words of version {number}, which is not indexed"
        for number in sorted(terms - held["index"].keys())
    )
    return [*problems, *_short_files(store)]


def _short_files(store: Store) -> list[str]:
    problems = []
    for name, end in sorted(store.files.committed().items()):
        try:
            octets = store.copies.end(name)
        except CopyMissingError as error:
            problems.append(str(error))
        else:
            if octets < end:
                problems.append(f"`{name}` has {octets} octets of {end}: copies are lost")
    return problems


def _contents(store: Store, account: Account) -> Iterator[str]:
    """Contents of the store that differ from the account."""
    yield from store.database.altered()
    yield from _about(store)
    yield from _written(store)
    yield from _versions(store, account)
    yield from _resources(store, account)
    yield from _policies(store, account)
    yield from _grounds(store, account)
    yield from _requests(store, account)
    yield from _files(store)


def _about(store: Store) -> Iterator[str]:
    about: dict[str, str] = dict(store.database.rows("SELECT name, value FROM about"))
    yield from (f"`{name}` is an unknown property of the store" for name in sorted(about.keys() - _ABOUT))
    if start_of(about) != store.ledger.start:
        yield "the identity of the store, its operator or the place of its copies was changed"


def _written(store: Store) -> Iterator[str]:
    for table, columns in _WRITTEN.items():
        for name, *texts in _texts(store.database, table, columns):
            if any(json.dumps(json.loads(text)) != text for text in texts):
                yield f"`{name}` in {table} is not as it is written"


def _texts(database: Database, table: str, columns: str) -> Iterable[Row]:
    if table == "about":  # of a few rows
        return database.rows(f"SELECT name, {columns} FROM about ORDER BY name")  # noqa: S608  the values are parameters; all else is our own text
    sql = f"SELECT id, {columns} FROM {table} WHERE id > ? ORDER BY id LIMIT {_READ_AT_ONCE}"  # noqa: S608  the values are parameters; all else is our own text
    return rows_by_key(database, lambda last: database.rows(sql, (last,)), 0)


def _versions(store: Store, account: Account) -> Iterator[str]:
    terms, texts = store.database.terms_digests(), store.database.indexed()
    seen = set()
    for version in store.resources.every_version():
        which = f"version {version.id} of {version.url}"
        seen.add(str(version.id))
        entered = account.version(version.id) or {}
        if entered.get("said") != version.digest:
            yield f"{which}: its headers, skeleton or decisions are not those that were entered"
        if entered.get("succeeded") != _microseconds(version.succeeded_at):
            yield f"{which}: the time of its successor differs from the entries"
        if version.is_indexed and entered.get("terms") != terms_digest(terms.get(version.id, ""), version.terms):
            yield f"{which}: the index has other words of it than were entered"
        if version.place is not None:
            yield from _copy(store, version, which, entered)
    for name, _ in account.named("version"):
        if name not in seen:
            yield f"version {name} of the entries is missing"
    yield from (f"the index has words of text {number}, which it does not list" for number in terms.keys() - texts)
    yield from (f"version {number} has impossible values" for (number,) in store.database.rows(_UNFOUNDED))
    required = {number: requirements_digest(one) for number, one in store.resources.requirements().items()}
    entered_requirements = {int(name): one["requires"] for name, one in account.named("version") if "requires" in one}
    yield from (
        f"the requirements of version {number} differ from the entries"
        for number in sorted(required.keys() | entered_requirements.keys())
        if required.get(number) != entered_requirements.get(number)
    )


def _copy(store: Store, version: Version, which: str, entered: dict[str, object]) -> Iterator[str]:
    assert version.place is not None
    if entered.get("parts") != text_digest(version.parts):
        yield f"{which}: its copy has other parts than were entered"
    try:
        digest = store.copies.digest(version.place)
    except CopyMissingError as error:
        yield f"{which}: {error}"
    else:
        if entered.get("copy") != digest:
            yield f"{which}: its copy is not the one that was kept"


def _resources(store: Store, account: Account) -> Iterator[str]:
    seen = set()
    for resource in store.resources.every():
        seen.add(resource.url)
        entered = account.resource(resource.url) or {}
        wrong = [name for name, value in _facts(resource).items() if entered.get(name) != value]
        texts = {"heard": resource.later_headers_text, "passages": resource.passages}
        wrong += [name for name, text in texts.items() if entered.get(name, "") != text_digest(text)]
        if resource.site != site_of(resource.url):
            wrong.append("site")
        if wrong:
            yield f"{resource.url}: {', '.join(wrong)} differs from the entries"
    yield from (f"{url} of the entries is missing" for url, _ in account.named("resource") if url not in seen)


def _facts(resource: Resource) -> dict[str, object]:
    times = {
        "first_crawled": resource.first_crawled, "last_crawled": resource.last_crawled,
        "first_indexed": resource.first_indexed, "first_preserved": resource.first_preserved,
        "first_presented": resource.first_presented,
    }  # fmt: skip
    facts: dict[str, object] = {name: _microseconds(at) for name, at in times.items()}
    return facts | {"current": resource.current, "speaking": resource.speaking}


def _policies(store: Store, account: Account) -> Iterator[str]:
    entered = {name: one.get("document") for name, one in account.named("policy")}
    yield from _entered(entered, store.policies.digests(), "policy {}")
    yield from (f"document {content} is of no policy" for (content,) in store.database.rows(_UNCITED))


def _grounds(store: Store, account: Account) -> Iterator[str]:
    entered = {name: one.get("told") for name, one in account.named("ground")}
    yield from _entered(entered, store.grounds.digests(), "ground {}")


def _entered(entered: dict[str, object], held: Iterable[tuple[int, str]], called: str) -> Iterator[str]:
    """Rows with another digest than their entries have, and rows that are gone."""
    for number, digest in held:
        if entered.pop(str(number), None) != digest:
            yield f"{called.format(number)} is not the one that was entered"
    yield from (f"{called.format(number)} of the entries is missing" for number in entered)


def _requests(store: Store, account: Account) -> Iterator[str]:
    entered = {name: (one["made_at"], one["done_at"]) for name, one in account.named("request")}
    for action, url, stated_in, *times in store.requests.every():
        if entered.pop(account.request(action, url, stated_in), None) != tuple(times):
            yield f"the request of {action} of {url} differs from the entries"
    yield from (f"a request that was not settled is missing: {name}" for name in entered)


def _files(store: Store) -> Iterator[str]:
    """Files that do not belong to the store, and octets that belong to no copy."""
    committed = store.files.committed()
    going = _going(store)
    if not store.is_marked:
        yield f"`{OWNER}` beside the copies names another store"
    for name in [one for one in store.copies.others() if one != OWNER]:
        yield f"`{name}` beside the copies does not belong to this store"
    there = set(store.copies.files())
    for name in sorted(there - committed.keys()):
        yield f"`{name}` beside the copies has no copies that count"
    for name in sorted(committed.keys() & going):
        yield f"`{name}` has copies that were deleted: the next writer removes them"
    for name in sorted(committed.keys() - going):
        places = store.resources.places(name)
        try:
            at = store.copies.first_octet(name)
            end = store.copies.end(name)
        except CopyMissingError as error:
            if name in there:  # else it is reported as lost
                yield str(error)
            continue
        for place in dict.fromkeys(places):
            if place.offset != at:
                yield f"`{name}` has octets at {at} that belong to no copy"
            at = place.offset + place.length
        if at < end:
            yield f"`{name}` has octets at {at} that belong to no copy"
        if at != committed[name]:
            yield f"`{name}` counts up to octet {committed[name]}, and its copies up to {at}"


def _microseconds(at: datetime | None) -> int | None:
    return None if at is None else microseconds(at)
