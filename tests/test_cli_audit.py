"""`acap audit` is a group with a default part: what is not the name of another one is its argument."""

from __future__ import annotations

import sys
from types import ModuleType

import click
import pytest

from acap.cli import audit
from acap.cli.commands import COMMANDS, CommandEntry
from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError
from tests.command_line import Result, acap, completed


@pytest.fixture(autouse=True)
def parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two parts that print their arguments, in the place of those that there are."""

    @click.command()
    @click.argument("arguments", nargs=-1)
    @click.option("--sort", "sorts", is_flag=True)
    def audit_pages(arguments: tuple[str, ...], sorts: bool) -> Exit:
        click.echo(f"pages {' '.join(sorted(arguments) if sorts else arguments)}")
        return Exit.PERMITTED

    @click.command()
    @click.argument("arguments", nargs=-1)
    def survey(arguments: tuple[str, ...]) -> Exit:
        click.echo(f"robots {' '.join(arguments)}")
        return Exit.PERMITTED

    for name, command in {"audit_pages": audit_pages, "survey": survey}.items():
        module = ModuleType(f"acap.cli.{name}")
        setattr(module, name, command)
        monkeypatch.setitem(sys.modules, f"acap.cli.{name}", module)
    monkeypatch.setattr(audit, "PARTS", {name: CommandEntry(f"The {name}.") for name in ("pages", "robots")})
    monkeypatch.setitem(COMMANDS, "audit", CommandEntry("A group."))
    monkeypatch.setitem(COMMANDS, "survey", CommandEntry("A survey."))


@pytest.mark.parametrize(
    ("asked", "called"),
    [
        (["robots", "a"], "robots a"),
        (["a", "robots"], "pages a robots"),
        (["--sort", "b", "a"], "pages a b"),
        (["pages", "robots"], "pages robots"),
        (["./robots"], "pages ./robots"),
    ],
)
def test_what_names_no_part_is_an_argument_of_the_default_one(asked: list[str], called: str) -> None:
    assert acap("audit", *asked) == Result(0, f"{called}\n", "")


def test_the_part_robots_is_the_command_survey() -> None:
    assert acap("audit", "robots", "a", "b") == acap("survey", "a", "b") == Result(0, "robots a b\n", "")


def test_help_is_that_of_the_default_part_with_the_others_below() -> None:
    told = acap("audit", "--help")
    assert told.code == 0
    assert told.out.startswith("Usage: acap audit [OPTIONS] [ARGUMENTS]...\n")
    assert told.out.index("--sort") < told.out.index("The robots.")


def test_help_names_the_parts_where_the_default_one_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it needs may be missing; `acap audit --help` is no wrong call for that."""

    def imported(*_: object) -> None:
        raise CallError("the command `audit pages` needs more")

    monkeypatch.setattr(audit, "imported", imported)
    told = acap("audit", "--help")
    assert (told.code, told.err) == (0, "")
    assert "The robots." in told.out


def test_a_wrong_option_is_one_of_the_default_part() -> None:
    told = acap("audit", "--sor")
    assert (told.code, told.err) == (
        2,
        "acap: no option `--sor`; did you mean `--sort`? (see `acap audit pages --help`)\n",
    )


def test_parts_files_and_options_of_the_default_part_are_completed() -> None:
    assert completed("acap audit ro")[0] == "robots"
    assert completed("acap audit --so") == ["--sort"]
    assert completed("acap audit x --so") == ["--sort"]


def test_without_a_default_part_an_unknown_one_is_a_wrong_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(audit.PARTS, "pages")
    told = acap("audit", "robot")
    assert (told.code, told.err) == (2, "acap: no part `robot` of `acap audit`; did you mean `robots`?\n")
