"""Laws of the harvest: whatever sites say and whatever happens, held is what the reference interpreter permits.

`ACAP_CASES` says how many histories are tried, `ACAP_SEED` where to begin.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from tests.property.histories import History
from tests.property.site_strategies import Crawl

CASES = int(os.environ.get("ACAP_CASES", "12"))
SEED = os.environ.get("ACAP_SEED", "1")
STEPS = (4, 8, 12, 20)
ANSWERS = (
    (200, ""), (200, ""), (200, ""), (200, "cut"), (0, "a timeout"), (206, "a part"), (304, ""), (503, ""), (429, ""),
    (402, ""), (403, ""), (404, ""), (301, ""), (451, ""),
)  # fmt: skip


def test_what_is_held_is_what_the_reference_permits(tmp_path: Path) -> None:
    """After every crawl and every sweep of a history the laws of `History` hold."""
    for number in range(CASES):
        with told(History(Random(f"{SEED}.{number}"), emptied(tmp_path / "held"))) as history:
            for _ in range(history.random.choice(STEPS)):
                history.step()
            history.sweep()


def test_a_harvest_that_was_killed_comes_to_the_same_end(tmp_path: Path) -> None:
    """A crawl or sweep that ends at any call of the store, and is done again, leaves what it would have left."""
    for number in range(CASES // 3):
        seed = f"{SEED}.killed.{number}"
        ends = []
        for kill_after in (None, Random(seed).randint(1, 60)):
            with told(History(Random(seed), emptied(tmp_path / "killed"))) as history:
                for _ in range(history.random.choice(STEPS[:3])):
                    history.step()
                last = history.drawn("crawl sweep")
                history.kill_after = kill_after
                last()
                history.kill_after = None
                history.sweep()
                ends.append(history.state())
                assert ends[-1] == ends[0]


@contextmanager
def told(history: History) -> Iterator[History]:
    """A history; a law that does not hold in it is told with its steps."""
    with history:
        try:
            yield history
        except BaseException as error:
            error.add_note("\n".join(history.told))
            raise


def emptied(directory: Path) -> Path:
    """A directory with nothing in it."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    return directory


def test_nothing_of_an_earlier_version_is_held_or_shown_that_the_page_prohibits_now(tmp_path: Path) -> None:
    """A page is corrected, or answers without a body that can be read: what it says now holds for all it said before.

    A response that was cut, is too large or in an unknown coding, or passes, is never looser than one that came whole.
    """
    for number in range(2 * CASES):
        with told(History(Random(f"{SEED}.remedy.{number}"), emptied(tmp_path / "remedy"))) as history:
            random = history.random
            history.say(random.choice((b"", b"", *history.texts)))
            path = history.paths[0]
            history.crawl(Crawl(path, 200, history.drawn_page(path)))
            for _ in range(random.choice((1, 1, 2, 3))):
                history.wait(random.choice((0.1, 1, 4)))
                status, unread = random.choice(ANSWERS)
                page, edit = history.drawn_page(path), random.randrange(2**32)
                history.crawl(Crawl(path, status, page, edit=edit, unread=unread))
                history.check_shown()
            history.sweep()
