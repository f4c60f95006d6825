"""Laws of the harvest: whatever sites say and whatever happens, held is what the reference interpreter permits.

`ACAP_CASES` says how many histories are tried, `ACAP_SEED` where to begin.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tests.property.histories import History, Killed

CASES = int(os.environ.get("ACAP_CASES", "60"))
SEED = os.environ.get("ACAP_SEED", "1")


def place(directory: Path, name: str) -> Path:
    """A new directory of a history."""
    found = directory / name
    shutil.rmtree(found, ignore_errors=True)
    found.mkdir()
    return found


def test_what_is_held_is_what_the_reference_permits(tmp_path: Path) -> None:
    """After every step and every sweep the laws of `History` hold."""
    for number in range(CASES):
        seed = f"{SEED}.{number}"
        with History(Random(seed), place(tmp_path, "h")) as history:
            try:
                for _ in range(history.random.choice((4, 8, 16))):
                    history.step()
                    history.check()
                history.sweep()
                history.check()
            except BaseException as error:
                error.add_note(f"seed {seed!r}:\n" + "\n".join(history.told))
                raise


def test_a_harvest_that_was_killed_comes_to_the_same_end(tmp_path: Path) -> None:
    """A crawl or a sweep that fails at any call of the store, and is done again, leaves what it would have left."""
    for number in range(CASES):
        seed = f"{SEED}.killed.{number}"
        killed, other = place(tmp_path, "killed"), tmp_path / "other"
        with History(Random(seed), killed) as history:
            for _ in range(history.random.choice((2, 4, 8))):
                history.step()
        shutil.rmtree(other, ignore_errors=True)
        shutil.copytree(killed, other)
        ends = []
        for directory, call in ((other, None), (killed, Random(seed).randint(1, 40))):
            with replace(history, directory=directory).again(f"{seed}.last") as last:
                act = last.drawn_act()
                if call is not None:
                    with last.failing(call), pytest.raises(Killed):
                        act()
                        raise Killed
            with last.again(f"{seed}.last") as last:
                if call is not None:
                    last.drawn_act()()
                    last.random = Random(f"{seed}.after")
