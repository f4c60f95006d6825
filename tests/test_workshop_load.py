"""The workshop under load: two heavy answers at once, each with a deadline, and a word to whoever has to wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import anyio
import pytest
from starlette.testclient import TestClient

from acap.web.workshop import app as workshop
from acap.web.workshop.heavy import AT_ONCE, LIGHT, BusyError, Heavy, is_heavy
from acap.web.workshop.views import VIEWS
from acap.web.workshop.workspace import Workspace
from tests.workshop_form import HERE, OURS

LONG = "User-agent: *\n" + "Disallow: /a\n" * 1_000
FORM = {"view": "policy", "urls": "/"}


class Gate:
    """Work that goes on until it is let go, and counts how much of it there is at once."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self._lock = threading.Lock()
        self.now = self.most = self.begun = 0

    def work(self) -> str:
        with self._lock:
            self.now += 1
            self.begun += 1
            self.most = max(self.most, self.now)
        self.open.wait(20)
        with self._lock:
            self.now -= 1
        return "done"


def test_no_more_than_two_are_worked_out_whoever_gives_up() -> None:
    """Whoever waits too long is told so in time; what was begun keeps its place until it ends."""
    gate, heavy = Gate(), Heavy(deadline=0.3)
    told: list[str] = []

    async def ask() -> None:
        try:
            told.append(await heavy.run(gate.work))
        except BusyError as error:
            told.append(f"{error}")

    async def all_at_once() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(6):
                group.start_soon(ask)

    begun = time.monotonic()
    anyio.run(all_at_once)
    assert time.monotonic() - begun < 5
    assert len(told) == 6
    assert sum("takes longer" in one for one in told) == AT_ONCE
    assert sum("the server is busy" in one for one in told) == 6 - AT_ONCE
    told.clear()
    anyio.run(ask)
    assert "the server is busy" in told[0]
    gate.open.set()
    while gate.now:
        time.sleep(0.01)
    told.clear()
    anyio.run(ask)
    assert told == ["done"]
    assert gate.most == AT_ONCE


def test_what_nobody_waits_for_is_not_begun() -> None:
    """Whoever stops before a place is free, or between two pieces of work, takes no place with what is left."""
    gate, heavy = Gate(), Heavy(at_once=1, deadline=20)
    stopped = anyio.Event()
    told: list[str] = []

    async def is_stopped() -> bool:
        return stopped.is_set()

    async def ask() -> None:
        try:
            told.append(await heavy.run(gate.work, is_stopped))
        except BusyError as error:
            told.append(f"{error}")

    async def stopping() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            while not gate.begun:
                await anyio.sleep(0.01)
            group.start_soon(ask)
            await anyio.sleep(0.2)
            stopped.set()
            await anyio.sleep(0.2)
            gate.open.set()
        await ask()

    anyio.run(stopping)
    assert told == ["the request is gone", "done", "the request is gone"]
    assert gate.begun == 1


def test_a_place_is_given_back_when_work_fails() -> None:
    """An error in the work is the asker's to see, and the next one finds a place."""
    heavy = Heavy(at_once=1, deadline=5)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            anyio.run(heavy.run, lambda: 1 // 0)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    """The view of a policy takes until the gate opens; the deadline is short."""
    gate = Gate()

    def values(space: Workspace) -> dict[str, Any]:
        if is_heavy(space):
            gate.work()
        return VIEWS["policy"].values(space)

    slowly = {name: replace(view, values=values) if name == "policy" else view for name, view in VIEWS.items()}
    monkeypatch.setattr(workshop, "VIEWS", slowly)
    monkeypatch.setattr(workshop, "Heavy", lambda at_once=AT_ONCE: Heavy(at_once, deadline=1.5))
    yield gate
    gate.open.set()


def test_a_slow_text_is_answered_in_time_and_others_are_served(slow: Gate) -> None:
    """Of five long texts none is waited for; each is answered with 503 and Retry-After, and a short one as ever."""
    with TestClient(workshop.workshop_app(), base_url=HERE) as client, ThreadPoolExecutor(5) as pool:

        def post(text: str) -> Any:
            return client.post("/", data={**FORM, "text": text}, headers=OURS)

        answers = list(pool.map(post, [LONG] * 5))
        assert [answer.status_code for answer in answers] == [503] * 5
        assert all(int(answer.headers["retry-after"]) >= 1 for answer in answers)
        assert any("takes longer than" in answer.text for answer in answers)
        assert slow.begun <= AT_ONCE
        assert post("User-agent: *\n").status_code == 200
        slow.open.set()
        assert any(post(LONG).status_code == 200 for _ in range(10))


@pytest.mark.usefixtures("slow")
def test_a_script_gets_the_message_beside_what_is_there() -> None:
    """The form that is being edited stays as it is."""
    with TestClient(workshop.workshop_app(), base_url=HERE) as client:
        answer = client.post("/", data={**FORM, "text": LONG}, headers={**OURS, "hx-request": "true"})
        assert answer.headers["hx-retarget"] == "#notes"
        assert "takes longer than" in answer.text
    assert len(LONG) > LIGHT
