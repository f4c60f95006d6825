"""`acap sweep`, `acap remove` and `acap ledger`: what may not be held goes, and the ledger proves it."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from acap.harvest.store import open_store
from tests.command_line import Result, acap, on_terminal
from tests.harvest import SITE, START, Harvest

ROBOTS = b"""\
User-agent: *
Disallow: /closed/

ACAP-crawler: *
ACAP-allow-index: /
ACAP-allow-preserve: /news/ time-limit=7-days
ACAP-disallow-preserve: /
"""
NEWS, PAGE = f"{SITE}/news/a.html", f"{SITE}/b.html"
HTML = "<html><head><title>{0}</title></head><body><p>{0} words</p></body></html>"


@pytest.fixture
def store(store_place: Path | str, tmp_path: Path) -> Path | str:
    """A store with a page whose copy may be kept for a week, and one of which none may be."""
    with Harvest(store_place, tmp_path, robots={SITE: ROBOTS}) as harvest:
        harvest.crawl("/news/a.html", HTML.format("zeppelin"))
        harvest.crawl("/b.html", HTML.format("balloon"))
        assert not harvest.crawl("/closed/")
    return store_place


def run(command: str, store: Path | str, *arguments: str) -> Result:
    return acap(command, "--store", store, *arguments)


def after(days: float) -> str:
    return (START + timedelta(days=days)).isoformat()


# acap ledger


def test_the_ledger_is_a_line_an_entry(store: Path | str) -> None:
    """Number, time, act, usage, URL, the statement that decided, restrictions, between tabs."""
    result = run("ledger", store)
    rows = [line.split("\t") for line in result.lines]
    assert (result.code, result.err) == (0, "")
    assert [[row[0], *row[2:5]] for row in rows] == [
        ["1", "crawled", "crawl", NEWS],
        ["2", "indexed", "index", NEWS],
        ["3", "preserved", "preserve", NEWS],
        ["4", "crawled", "crawl", PAGE],
        ["5", "indexed", "index", PAGE],
        ["6", "refused", "preserve", PAGE],
        ["7", "refused", "crawl", f"{SITE}/closed/"],
    ]
    assert {row[1] for row in rows} == {"2026-11-01T12:00:00Z"}
    assert rows[2][5:] == [
        f"{SITE}/robots.txt:6 ACAP-allow-preserve: /news/ time-limit=7-days", "time-limit=7-days"
    ]  # fmt: skip
    assert rows[6][5:] == [f"{SITE}/robots.txt:2 Disallow: /closed/", "-"]
    assert {len(row) for row in rows} == {7}


def test_entries_of_a_url_or_an_act(store: Path | str) -> None:
    """A URL in any form of it, some acts, the last so many."""
    assert [line.split("\t")[0] for line in run("ledger", store, "HTTPS://NEWS.example/b.html#part").lines] == list(
        "456"
    )
    assert [line.split("\t")[0] for line in run("ledger", store, "--act", "refused").lines] == ["6", "7"]
    assert [line.split("\t")[0] for line in run("ledger", store, "--act", "refused", "--last", "1").lines] == ["7"]
    nothing = run("ledger", store, "https://other.example/")
    assert (nothing.code, nothing.out) == (0, "")
    assert nothing.err == "acap: the ledger has no such entries of https://other.example/\n"


def test_entries_as_json_have_everything(store: Path | str) -> None:
    """One object a line, with the hash."""
    told = [json.loads(line) for line in run("ledger", store, "--json").lines]
    assert [one["seq"] for one in told] == [1, 2, 3, 4, 5, 6, 7]
    assert told[2]["decision"]["restrictions"] == ["time-limit=7-days"]
    assert told[2]["at"] == "2026-11-01T12:00:00+00:00"
    assert all(len(one["hash"]) == 64 for one in told)
    assert len({one["schema"] for one in told}) == 1


def test_a_whole_ledger_is_verified(store: Path | str) -> None:
    """With its number of entries and its head, which the next verification meets."""
    result = run("ledger", store, "--verify")
    assert result.code == 0
    assert result.lines[0] == "entries\t7"
    head = result.lines[1].removeprefix("head\t")
    assert run("ledger", store, "--expect-head", head.upper()).code == 0
    assert json.loads(run("ledger", store, "--verify", "--json").out) | {"schema": 0} == {
        "schema": 0, "entries": 7, "head": head, "wrong": []
    }  # fmt: skip


def test_a_changed_ledger_ends_with_1(store: Path | str) -> None:
    """With a line for each thing that is wrong, and also if only the noted head is missing."""
    head = run("ledger", store, "--verify").lines[1].removeprefix("head\t")
    with open_store(store) as opened:
        opened.database.run("DELETE FROM ledger WHERE seq = 7")
    assert run("ledger", store, "--verify").code == 0
    cut = run("ledger", store, "--verify", "--expect-head", head)
    assert cut.code == 1
    assert cut.lines[-1].startswith(f"wrong\tno entry has the hash {head}")
    with open_store(store) as opened:
        opened.database.run("UPDATE ledger SET entry = replace(entry, 'time-limit', 'no-limit') WHERE seq = 3")
    changed = run("ledger", store, "--verify")
    assert changed.code == 1
    assert "wrong\tentry 3 does not continue the chain: it or one before it was changed" in changed.lines
    assert json.loads(run("ledger", store, "--verify", "--json").out)["wrong"] != []


def test_what_is_held_without_an_entry_ends_with_1(store: Path | str) -> None:
    """The ledger may be whole and yet not tell what is there."""
    with open_store(store) as opened:
        opened.database.run("UPDATE versions SET is_indexed = 0 WHERE id = 2")
    result = run("ledger", store, "--verify")
    assert result.code == 1
    assert f"wrong\tversion 2 of {PAGE} is not indexed, and no entry says it was removed" in result.lines


WRONG = {
    ("ledger", "--verify", "https://news.example/"): "--verify checks all entries; remove URL, --act and --last",
    ("ledger", "--expect-head", "5e0c"): "`5e0c` is not the hash of an entry; give the 64 digits that --verify printed",
    ("ledger", "--act", "eaten"): "invalid value for `--act`",
    ("ledger", "news.example/a"): "`news.example/a` has no scheme; did you mean `https://news.example/a`?",
    ("ledger", "--last", "0"): "invalid value for `--last`",
    ("remove",): "no URL given; name what to delete",
    ("remove", "https://[x"): "",
    ("remove", "--readmit", "--why", "x", NEWS): "--why is for a deletion; remove it with --readmit",
    ("sweep", "--at", "soon"): "`--at soon` is not a date or time",
}


@pytest.mark.parametrize("call", WRONG)
def test_a_wrong_call_is_one_line(store: Path | str, call: tuple[str, ...]) -> None:
    """And ends with 2, with nothing changed."""
    result = run(call[0], store, *call[1:])
    assert (result.code, result.out, len(result.err.splitlines())) == (2, "", 1)
    assert WRONG[call] in result.err
    assert run("ledger", store, "--verify").lines[0] == "entries\t7"


@pytest.mark.parametrize("command", [("ledger",), ("ledger", "--verify"), ("sweep",), ("remove", NEWS)])
def test_without_a_store_there_is_one_line(tmp_path: Path, command: tuple[str, ...]) -> None:
    """Nothing is made."""
    result = run(command[0], tmp_path / "missing", *command[1:])
    assert (result.code, result.out) == (2, "")
    assert (
        result.err
        == f"acap: there is no store `{tmp_path / 'missing'}`; `acap crawl` or `acap import --crawler` makes one\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [("sweep",), ("remove", NEWS)])
def test_who_writes_is_waited_for_by_the_user(store: Path | str, command: tuple[str, ...]) -> None:
    """While a crawl has the turn to write, one line says so; the ledger can be read."""
    with open_store(store) as opened, opened.writing():
        result = run(command[0], store, *command[1:])
        assert (result.code, len(result.err.splitlines())) == (2, 1)
        assert "is being written by another crawl, sweep, import or removal; wait for its end" in result.err
        assert run("ledger", store, "--verify").code == 0


# acap sweep


def test_a_sweep_lets_go_of_what_is_over(store: Path | str) -> None:
    """It says what went and why; the second one finds nothing."""
    early = run("sweep", store, "--at", after(6))
    assert (early.code, early.out) == (0, "")
    result = run("sweep", store, "--at", after(7.1))
    assert result.code == 0
    [row] = [line.split("\t") for line in result.lines]
    assert row[1:4] == ["removed", "preserve", NEWS]
    assert "time-limit=7-days" in row[4]
    assert result.err == "acap: 1 resource checked; removed (preserve) 1\n"
    again = run("sweep", store, "--at", after(7.1))
    assert (again.code, again.out, again.err) == (0, "", "acap: 0 resources checked; nothing to do\n")
    assert run("ledger", store, "--verify").code == 0
    with open_store(store) as opened:
        assert opened.copies.files() == []


def test_a_dry_run_changes_nothing(store: Path | str) -> None:
    """It says the same as the sweep would."""
    dry = run("sweep", store, "--at", after(8), "--dry-run")
    assert dry.err == "acap: 1 resource checked; would be removed (preserve) 1\n"
    assert run("ledger", store, "--verify").lines[0] == "entries\t7"
    assert dry.out == run("sweep", store, "--at", after(8)).out != ""


def test_a_sweep_as_json(store: Path | str) -> None:
    """One object with every act."""
    told = json.loads(run("sweep", store, "--at", after(8), "--json").out)
    assert (told["reviewed"], told["erased"], told["dry_run"], told["at"]) == (1, True, False, after(8))
    assert [(act["act"], act["usage"], act["url"]) for act in told["acts"]] == [("removed", "preserve", NEWS)]


def test_octets_that_a_reader_keeps_are_told_of(store: Path | str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They go with the next sweep."""
    import apsw
    import psycopg

    from acap.harvest.store import sqlite

    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    if isinstance(store, str):
        reader = psycopg.connect(store)
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT count(*) FROM terms")
        end = reader.close
    else:
        connection = apsw.Connection(str(store))
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM terms").fetchall()
        end = connection.close
    result = run("remove", store, NEWS)
    assert "the next `acap sweep` erases the octets of what was removed" in result.err
    end()
    assert "octets" not in run("sweep", store).err
    with open_store(store) as opened:
        assert opened.files.intents("scrub") == []


# acap remove


def test_a_removal_lets_go_of_everything(store: Path | str, tmp_path: Path) -> None:
    """Words and copy are gone, the ledger says by whom and why, and the URL is not crawled again."""
    result = run("remove", store, "--why", "letter of\n3 May", NEWS, f"{SITE}/unknown")
    assert result.code == 0
    assert [line.split("\t")[1:5] for line in result.lines] == [
        ["removed", "index", NEWS, "the operator: letter of\\x0a3 May"],
        ["removed", "preserve", NEWS, "the operator: letter of\\x0a3 May"],
    ]
    assert result.err == "acap: 2 URLs will not be crawled again; the store held something of 1\n"
    with open_store(store) as opened:
        assert opened.database.search(["zeppelin"], 9, 0) == []
        assert opened.copies.files() == []
        assert opened.requests.is_removed(NEWS)
        assert opened.requests.is_removed(f"{SITE}/unknown")
    assert run("ledger", store, "--verify").code == 0
    if isinstance(store, Path):
        assert b"zeppelin" not in b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


def test_a_url_that_is_readmitted_may_be_crawled_again(store: Path | str) -> None:
    """What was held of it stays away."""
    run("remove", store, NEWS)
    result = run("remove", store, "--readmit", NEWS)
    assert (result.code, result.out, result.err) == (0, "", "acap: 1 URL may be crawled again\n")
    with open_store(store) as opened:
        assert not opened.requests.is_removed(NEWS)
        assert opened.database.search(["zeppelin"], 9, 0) == []


def test_a_removal_of_what_was_not_held_says_so(store: Path | str) -> None:
    told = [run("remove", store, *urls).err for urls in ([f"{SITE}/x"], [f"{SITE}/y", f"{SITE}/z"])]
    assert told == [
        "acap: 1 URL will not be crawled again; the store held nothing of it\n",
        "acap: 2 URLs will not be crawled again; the store held nothing of them\n",
    ]


def test_a_removal_as_json(store: Path | str) -> None:
    """One object with every act."""
    told = json.loads(run("remove", store, "--json", NEWS).out)
    assert told["urls"] == [NEWS]
    assert told["erased"] is True
    assert [(act["usage"], act["detail"]) for act in told["acts"]] == [
        ("index", {"by": "operator"}), ("preserve", {"by": "operator"}),
    ]  # fmt: skip


# On a terminal


def test_a_terminal_gets_a_table(tmp_path: Path) -> None:
    """With headings, and without tabs."""
    with Harvest(tmp_path / "x", tmp_path, robots={SITE: ROBOTS}) as harvest:
        harvest.crawl("/news/a.html", HTML.format("zeppelin"))
    shown = on_terminal("ledger", "--store", tmp_path / "x", columns=120)
    assert "decided by" in shown
    assert "preserved" in shown
    assert "\t" not in shown
    swept = on_terminal("sweep", "--store", tmp_path / "x", "--at", after(9), "--dry-run", columns=120)
    assert "decided by" in swept


@pytest.mark.parametrize("command", ["ledger", "sweep", "remove"])
def test_quiet_says_nothing(store: Path | str, command: str) -> None:
    """The exit code does."""
    result = run(command, store, "--quiet", *([NEWS] if command == "remove" else []))
    assert (result.code, result.out, result.err) == (0, "", "")


def test_exported_files_that_are_not_there_are_a_wrong_call(store: Path | str, tmp_path: Path) -> None:
    """One line names the directory that is missing."""
    told = run("ledger", store, "--verify", "--exported", str(tmp_path / "nowhere"))
    assert (told.code, told.out, told.err.count("\n")) == (2, "", 1)
    assert "no directory" in told.err
    assert "--export" in told.err
