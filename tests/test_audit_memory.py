"""An audit has a bounded part of the archives in memory, whatever they have of a site, and says what was too much."""

from __future__ import annotations

import gc
import hashlib
import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from acap.archives.shelf import ArchiveShelf, shelve
from acap.archives.timeline import Timeline
from acap.audits.policies import ShelvedPolicies, TablePolicies
from acap.audits.rows import AuditedResource, Auditor
from acap.audits.workers import workers
from acap.remembered import KeptBeside, KeptValues
from acap.robots import RobotsPolicy
from tests.command_line import acap as run
from tests.crawled import BEGIN, Came, record, site, write_warc
from tests.portions import portion

if TYPE_CHECKING:
    from collections.abc import Sequence

HOME, OTHER = site(0), site(1)
NOW = BEGIN + timedelta(days=100)
ALLOW = b"User-agent: *\nAllow: /\n"

_ASKING = """
import resource, sys
from datetime import timedelta
from pathlib import Path
from acap.archives.shelf import ArchiveShelf, Shelving
from acap.audits.policies import ShelvedPolicies
from acap.audits.rows import AuditedResource, Auditor
from tests.crawled import BEGIN
kind, file, room = sys.argv[1], sys.argv[2], int(sys.argv[3])
policies = ShelvedPolicies(ArchiveShelf(Path(file), is_shared=True), BEGIN + timedelta(days=100))
auditor = Auditor(policies, crawler="examplebot", now=BEGIN)
taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + room, taken + room))
sites = range(200) if kind == "sites" else range(1)
found = [auditor.row(AuditedResource(f"https://s{one}.example/p", BEGIN)).cells[0].outcome for one in sites]
print(*sorted(set(found)), len(policies.left_out))
"""


def captures(base: ArchiveShelf, count: int, key: str, body: str) -> None:
    """Fills a shelf with captures of one URL, made by SQLite itself: archives of that size take too long to read."""
    told = f'["{key}", ' + "%d" + ', 200, [], null, "", "", ""]'
    base._base.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
        " INSERT INTO event SELECT 0, i, 'capture', ?, '', '', NULL, NULL, NULL, printf(?, i * 1000000),"
        f" {body} FROM n",
        (count, key, told),
    )


@pytest.mark.skipif(sys.platform != "linux", reason="it limits the memory of a process, as Linux does")
@pytest.mark.portion
@pytest.mark.parametrize("kind", portion(["different", "many", "licence", "sites"], 2))
def test_no_archive_makes_an_audit_take_more_memory(tmp_path: Path, kind: str) -> None:
    """Half a million kilobytes of one robots.txt, 200,000 captures of it, 200 large files, as much of a document."""
    file = tmp_path / "shelf.sqlite"
    shelf = ArchiveShelf(file)
    if kind == "different":
        captures(shelf, 1000, f"{HOME}/robots.txt", "randomblob(500000)")
    elif kind == "many":
        captures(shelf, 200_000, f"{HOME}/robots.txt", "x'78'")
    elif kind == "licence":
        shelf.add(shelve(write_warc(tmp_path / "a.warc.gz", [said(f"{HOME}/robots.txt", ALLOW)]), 0, NOW))
        captures(shelf, 1000, f"{HOME}/ai.txt", "randomblob(500000)")
    else:
        large = [
            said(f"{site(one)}/robots.txt", ALLOW + b"Disallow: /%d\n" % one + b"# words\n" * 250_000)
            for one in range(200)
        ]
        shelf.add(shelve(write_warc(tmp_path / "a.warc.gz", large), 0, NOW))
    shelf.finish()
    shelf.close()
    room = 384 * 2**20
    came = subprocess.run(
        [sys.executable, "-c", _ASKING, kind, str(file), str(room)], capture_output=True, text=True, check=False
    )
    expected = {"sites": "permitted 0", "licence": "permitted 1"}.get(kind, "prohibited 1")
    assert (came.stdout.strip(), came.stderr) == (expected, "")


def said(url: str, body: bytes, hours: float = -24.0) -> Came:
    """What a site said."""
    return Came(url, body, hours, "text/plain")


LIMITS = ("_MOST_EVENTS", 5), ("_MOST_OCTETS", 1200), ("_UNPACKED", 120)


@pytest.mark.parametrize(("name", "most"), LIMITS)
def test_what_is_too_much_is_out_of_reach_and_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, most: int
) -> None:
    """One for a site, however many pages and parts ask about it; other sites stay as they are."""
    came = [said(f"{HOME}/robots.txt", ALLOW + b"# %d\n" % one, one / 10 - 40) for one in range(9)]
    came.append(said(f"{OTHER}/robots.txt", ALLOW))
    robots = write_warc(tmp_path / "robots.warc.gz", came)
    pages = [write_warc(tmp_path / f"{n}.warc.gz", [page(HOME, n), page(OTHER, n)]) for n in range(2)]
    assert asked(tmp_path, robots, pages) == ({"permitted"}, {"permitted"}, [])
    if name == "_UNPACKED":
        monkeypatch.setattr("acap.archives.shelf.ShelfReplay.__init__.__defaults__", ((), most))
    else:
        monkeypatch.setattr(f"acap.archives.shelf.{name}", most)
    of_home, of_other, problems = asked(tmp_path, robots, pages)
    assert (of_home, of_other) == ({"prohibited"}, {"permitted"})
    [problem] = problems
    assert problem.startswith(f"{HOME}/robots.txt: there are ")
    assert problem.endswith("too many to read at once, so it counts as out of reach; audit fewer archives together")


def page(home: str, number: int) -> Came:
    """A page of a site."""
    return Came(f"{home}/{number}", b"<p>A page.", number / 10)


def asked(directory: Path, robots: Path, pages: Sequence[Path]) -> tuple[set[str], set[str], list[str]]:
    """What the pages of both sites come to, with the problems."""
    out = directory / "o.parquet"
    told = run("audit", *pages, "--robots", robots, "-c", "examplebot", "-o", out, "--processes", "1", "--json")
    rows = pq.read_table(out).to_pylist()
    found = [{row["crawl_outcome"] for row in rows if row["url"].startswith(home)} for home in (HOME, OTHER)]
    return found[0], found[1], json.loads(told.out)["problems"]


def test_the_same_body_counts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A site that says the same for years is not too much."""
    monkeypatch.setattr("acap.archives.shelf._MOST_OCTETS", 4000)
    for changes, expected in ((0, "permitted"), (1, "prohibited")):
        words = [b"".join(hashlib.sha256(b"%d" % (n * 9 + one)).digest() for one in range(16)) for n in range(9)]
        came = [said(f"{HOME}/robots.txt", ALLOW + b"#" + words[n * changes].hex().encode(), n - 40) for n in range(9)]
        shelf = ArchiveShelf(":memory:")
        shelf.add(shelve(write_warc(tmp_path / "a.warc.gz", came), 0, NOW))
        shelf.finish()
        auditor = Auditor(ShelvedPolicies(shelf, NOW), crawler="examplebot", now=NOW)
        assert auditor.row(AuditedResource(f"{HOME}/p", BEGIN)).cells[0].outcome == expected


@pytest.mark.parametrize(("name", "most"), [("_ALWAYS", 2), ("_ALWAYS_OCTETS", 3 * len(ALLOW))])
def test_files_without_a_time_are_as_many_as_can_be_read(monkeypatch: pytest.MonkeyPatch, name: str, most: int) -> None:
    """Each has to permit, so that none may be left out."""
    table = pa.table({"url": [HOME] * 3, "robots": [ALLOW + b"#" * one for one in range(3)]})
    monkeypatch.setattr(f"acap.audits.policies.{name}", most)
    policies = TablePolicies(table, now=NOW)
    auditor = Auditor(policies, crawler="examplebot", now=NOW, missing="permitted")
    assert auditor.row(AuditedResource(f"{HOME}/p", BEGIN)).cells[0].outcome == "prohibited"
    assert list(policies.left_out) == [f"{HOME}/robots.txt"]


def test_damage_of_any_site_that_is_too_much_is_that_of_every_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was lost may have been each robots.txt, and each document beside it."""
    lost = record(said(f"{OTHER}/x", b"")).replace(b"Target-URI: https", b"Target-URI: hxxps")
    archive = tmp_path / "a.warc"
    archive.write_bytes(record(said(f"{HOME}/robots.txt", ALLOW, -1)) + (lost + record(page(OTHER, 0))) * 3)
    for most, expected in ((3, "permitted"), (2, "prohibited")):
        monkeypatch.setattr("acap.archives.shelf._MOST_OF_ANY", most)
        shelf = ArchiveShelf(":memory:")
        shelf.add(shelve(archive, 0, NOW))
        shelf.finish()
        policies = ShelvedPolicies(shelf, NOW)
        auditor = Auditor(policies, crawler="examplebot", now=NOW)
        found = auditor.row(AuditedResource(f"{HOME}/p", BEGIN - timedelta(minutes=90)))
        assert (found.cells[0].outcome, list(policies.left_out)) == (expected, ["*"] if most == 2 else [])


def test_what_is_kept_is_bounded_in_number_and_in_octets() -> None:
    """The oldest goes first, and the last one stays, however large it is."""
    kept: KeptValues[int, str] = KeptValues(3, 100)
    for number in range(5):
        kept.put(number, str(number), 10)
    assert [kept.get(number) for number in range(5)] == [None, None, "2", "3", "4"]
    kept.put(9, "large", 85)
    assert [kept.get(number) for number in (2, 3, 4, 9)] == [None, None, "4", "large"]
    kept.put(9, "larger", 1000)
    assert (kept.get(4), kept.get(9), len(kept), kept.octets) == (None, "larger", 1, 1000)
    beside: KeptBeside[int, bytes, int] = KeptBeside(3, 100)
    one, other = bytes(2), bytes(3)
    made = iter(range(9))
    assert [beside.of(1, owner, lambda: next(made), int) for owner in (one, one, other)] == [0, 0, 1]


def test_the_policies_in_memory_are_no_more_for_more_sites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing stays that was made of what has gone, whether or not anybody searched for garbage."""
    monkeypatch.setattr("acap.archives.shelved._HELD", 10)
    came = [said(f"{site(one)}/robots.txt", ALLOW + b"#%d\n" % one) for one in range(120)]
    shelf = ArchiveShelf(":memory:")
    shelf.add(shelve(write_warc(tmp_path / "a.warc.gz", came), 0, NOW))
    shelf.finish()
    policies = ShelvedPolicies(shelf, NOW)

    def held() -> int:
        return sum(isinstance(one, (RobotsPolicy, Timeline)) for one in gc.get_objects())

    def asked_about(sites: range) -> int:
        for one in sites:
            [policy] = policies.speaking(f"{site(one)}/p", BEGIN)
            assert policy.octets == ALLOW + b"#%d\n" % one
        return held() - before

    gc.collect()
    gc.disable()
    try:
        before = held()
        few, many = asked_about(range(30)), asked_about(range(120))
        assert few > 0
        assert many <= few + 12  # a half more or less
    finally:
        gc.enable()


def test_a_half_that_led_to_much_more_is_let_go_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is never full for its own sites; what is let go of is read again, and says the same."""
    monkeypatch.setattr("acap.archives.shelved._HELD", 2)
    led = [
        Came(f"{HOME}/robots.txt", b"", hours, "text/plain", 301, (("Location", f"/{hours}"),)) for hours in (-90, -30)
    ]
    ends = [said(f"{HOME}/{hours}", ALLOW, hours) for hours in (-90, -30)]
    others = [said(f"{site(one)}/robots.txt", ALLOW) for one in (1, 2)]
    shelf = ArchiveShelf(":memory:")
    shelf.add(shelve(write_warc(tmp_path / "a.warc.gz", [*led, *ends, *others]), 0, NOW))
    shelf.finish()
    policies = ShelvedPolicies(shelf, NOW)
    for hours in (-80, -20):
        [policy] = policies.speaking(f"{HOME}/p", BEGIN + timedelta(hours=hours))
        assert policy.octets == ALLOW
        policies.speaking(f"{site(1)}/p", BEGIN)
        assert policies._older is not None
        assert policies._older.timelines.has_read(f"{HOME}/robots.txt")
    assert policies._older is not None
    older = policies._older.timelines
    assert not older.is_overfull
    monkeypatch.setattr(older, "_room", (2, 2))
    [policy] = policies.speaking(f"{HOME}/p", BEGIN)
    assert (policy.octets, older.has_read(f"{HOME}/robots.txt")) == (ALLOW, False)


_BACKEND = "__import__('pyarrow').default_memory_pool().backend_name"
_STARTED = f"""
import sys
from acap.cli.main import main
sys.argv = ["acap", "--version"]
main({{}})
print({_BACKEND})
"""


def test_own_processes_alone_have_the_allocator_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrow's own takes huge pages, tens of megabytes for some thousand rows. Whoever chose one keeps it."""
    monkeypatch.delenv("ARROW_DEFAULT_MEMORY_POOL", raising=False)

    def started(arguments: str) -> str:
        script = _STARTED.format(arguments)
        return subprocess.check_output([sys.executable, "-c", script], text=True).splitlines()[-1]

    usual = subprocess.check_output([sys.executable, "-c", f"print({_BACKEND})"], text=True).strip()
    assert (started(""), started("sys.argv[1:]")) == ("system", usual)
    with workers(2) as pool:
        assert pool.submit(eval, _BACKEND).result() == "system"
    monkeypatch.setenv("ARROW_DEFAULT_MEMORY_POOL", usual)
    assert started("") == usual
