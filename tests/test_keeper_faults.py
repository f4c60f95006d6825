"""An error of ours at any step of judging and keeping a response hides what it may have prohibited."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from acap.clock import FixedClock
from acap.harvest.keeper import FAULT, Fetched, Keeper
from acap.harvest.operator import Operator
from acap.harvest.presentation import Presentation, snippet
from acap.harvest.proof import verify
from acap.harvest.store import Store, open_store
from acap.harvest.sweep import sweep
from acap.robots import RobotsPolicy, parse_robots

SITE = "https://news.example"
URL = f"{SITE}/a"
START = datetime(2026, 11, 21, 12, tzinfo=UTC)
LATER = START + timedelta(seconds=30)
HTML = ("Content-Type", "text/html")
TRIALS = 16
_KEEPING = ("keep", "_or_doubt", "flush")
_STEPS = ("acap.harvest.", "acap.carriers", "acap.pages.page", "acap.pages.statements")


def policy(text: bytes, at: datetime = START) -> RobotsPolicy:
    return parse_robots(text, url=f"{SITE}/robots.txt").with_evidence({"fetched_at": at.isoformat()})


OPEN = policy(b"User-agent: *\nDisallow:\n")


def fetched(
    body: bytes, *headers: tuple[str, str], status: int = 200, at: datetime = START, robots: RobotsPolicy = OPEN,
    url: str = URL,
) -> Fetched:  # fmt: skip
    decision = robots.decide(url, crawler="examplebot", at=at)
    return Fetched(url, at, status, headers, body, robots, decision)


@contextmanager
def prepared(directory: Path) -> Iterator[Store]:
    """A store that shows a page."""
    clock = FixedClock(LATER)
    with open_store(directory / "s.db", operator=Operator(("examplebot",)), clock=clock) as store, store.writing():
        keeper = Keeper(store)
        keeper.keep(fetched(b"<title>t</title><p>quorvanel words", HTML))
        keeper.flush()
        assert shown(store)
        yield store


def shown(store: Store) -> bool:
    """Whether anything of the page that was kept first is shown."""
    presentation = Presentation(store)
    for number, _ in store.database.search(["quorvanel"], 9, 0):
        judged = presentation.judged(number)
        if judged is not None and "quorvanel" in snippet(presentation, judged, "quorvanel").text:
            return True
    return False


class Fault:
    """An error in the step of a number, if there are so many: a step is a call of a function of ours."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.steps = 0
        self.was_ignored = False
        """Python ignores an error in a generator that it closes: nothing went wrong then."""

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Hears of a call."""
        if event != "call" or frame.f_code.co_name in _KEEPING:
            return
        if not str(frame.f_globals.get("__name__", "")).startswith(_STEPS):
            return
        self.steps += 1
        if self.steps == self.at:
            raise RuntimeError("a slip of ours")

    def __enter__(self) -> Fault:
        self._hook, sys.unraisablehook = sys.unraisablehook, self._ignored
        sys.setprofile(self)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        sys.unraisablehook = self._hook

    def _ignored(self, what: sys.UnraisableHookArgs) -> None:
        if isinstance(what.exc_value, RuntimeError) and self.steps >= self.at:
            self.was_ignored = True
        else:
            self._hook(what)


def taken(store: Store, newest: Fetched, at: int) -> tuple[Fault, list[str]]:
    """Takes a response in with an error at a step; the error, and what was noted."""
    keeper = Keeper(store)
    other = fetched(b"<p>Another page", HTML, at=LATER, url=f"{SITE}/b")
    with Fault(at) as fault:
        keeper.keep(newest)
        keeper.keep(other)
        keeper.flush()
    return fault, keeper.faults


NEWEST = {
    "META": fetched(b'<meta name=robots content="noindex, nosnippet"><p>quorvanel', HTML, at=LATER),
    "a header": fetched(b"<p>quorvanel", HTML, ("X-Robots-Tag", "noindex, nosnippet"), at=LATER),
    "a 304": fetched(b"", ("X-Robots-Tag", "noindex, nosnippet"), status=304, at=LATER),
    "an error": fetched(b"", ("X-Robots-Tag", "noindex, nosnippet"), status=503, at=LATER),
    "a redirect": fetched(b"", ("Location", "/b"), status=301, at=LATER),
}


@pytest.mark.parametrize("name", NEWEST)
def test_an_error_of_ours_at_any_step_hides_what_a_response_may_have_prohibited(name: str, tmp_path: Path) -> None:
    """Its headers are heard, or a doubt is; what else came is kept, and the ledger tells of it all."""
    steps = 0
    for directory in (tmp_path / "cold", tmp_path / "warm"):  # what is remembered of the first takes no steps again
        directory.mkdir()
        with prepared(directory) as store:
            fault, faults = taken(store, NEWEST[name], 0)
            assert not shown(store)
            assert faults == []
            steps = fault.steps
    for number, at in enumerate(range(1, steps, max(1, steps // TRIALS))):
        directory = tmp_path / str(number)
        directory.mkdir()
        with prepared(directory) as store:
            fault, faults = taken(store, NEWEST[name], at)
            assert not shown(store), at
            assert faults or fault.was_ignored, at
            assert verify(store).wrong == (), at
            other = store.resources.find(f"{SITE}/b")
            assert other is not None, at
            assert other.current is not None or FAULT in str(other.later_headers), at


@pytest.mark.parametrize("broken", ["carriers", "add"])
def test_where_nothing_can_be_noted_of_a_response_the_doubt_is(
    broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever keeps failing, what was shown of its URL is hidden."""

    def slip(*_: Any, **__: Any) -> Any:
        raise RuntimeError("a slip of ours")

    with prepared(tmp_path) as store:
        keeper = Keeper(store)
        with monkeypatch.context() as patch:
            if broken == "carriers":
                patch.setattr("acap.harvest.judgement.carriers", slip)
                patch.setattr("acap.harvest.keeper.plans_of_headers", slip)
            else:
                patch.setattr(store.resources, "add", slip)
            keeper.keep(NEWEST["META"])
            keeper.flush()
        assert len(keeper.faults) == 2
        assert not shown(store)
        assert verify(store).wrong == ()


def test_a_url_that_cannot_be_judged_is_shown_again_after_it_was(tmp_path: Path) -> None:
    """The doubt goes with the next response that is read."""
    with prepared(tmp_path) as store:
        taken(store, NEWEST["META"], 1)
        assert not shown(store)
        keeper = Keeper(store)
        keeper.keep(fetched(b"<title>t</title><p>quorvanel words", HTML, at=LATER))
        keeper.flush()
        assert shown(store)


def test_what_was_judged_by_an_older_policy_is_judged_by_the_newer_one(tmp_path: Path) -> None:
    """A slow answer to a request that was sent before its site said more."""
    clock = FixedClock(LATER)
    newer = policy(b"User-agent: *\nDisallow: /b\n", START + timedelta(seconds=20))
    with open_store(tmp_path / "s.db", operator=Operator(("examplebot",)), clock=clock) as store, store.writing():
        keeper = Keeper(store)
        keeper.keep(fetched(b"<p>words", HTML, at=START + timedelta(seconds=22), robots=newer))
        keeper.flush()
        keeper.keep(fetched(b"<p>words", HTML, at=LATER, url=f"{SITE}/b"))
        keeper.flush()
        sweep(store)
        held = [store.resources.version(number) for number, _ in store.database.search(["words"], 9, 0)]
        assert [version.url for version in held if version] == [URL]
        resource = store.resources.find(f"{SITE}/b")
        assert resource is not None
        assert store.resources.versions(resource.id, held=True) == []
        assert store.resources.due(LATER) == []
