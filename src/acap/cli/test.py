"""`acap test`: does a policy decide as its publisher expects?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path

import click

from acap.cli.io.case_report import CheckedFile, by_case, show_case, show_coverage, show_json, show_summary
from acap.cli.io.command import Command
from acap.cli.io.exits import Exit, Tally
from acap.cli.io.failures import CallError
from acap.cli.io.files import complete_file, write_file
from acap.cli.io.network import Network
from acap.cli.io.options import FORBIDDEN, Access, Forbidden
from acap.cli.io.policies import file_policy
from acap.cli.io.publisher_policies import SitePolicies
from acap.cli.io.quantities import Seconds
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.plurals import plural
from acap.publish.cases import CasesError, Documents, FilePolicies, Policies, Result, check_file, read_cases
from acap.publish.cases.report import suite
from acap.publish.cases.starter import starter
from acap.publish.coverage import Coverage
from acap.publish.junit import junit

# The policy was not at hand, so that the answer says nothing about it.
_UNKNOWN = ("unreachable", "reference-missing")


@click.command(cls=Command)
@click.argument("files", nargs=-1, metavar="CASES.toml…", shell_complete=complete_file)
@click.option(
    "--live",
    is_flag=True,
    help="Ask the `site` of each file for its robots.txt and `documents`, and check these instead of the files.",
)
@click.option("--timeout", type=Seconds(), metavar="S", help="With --live: seconds to wait.")
@click.option("--allow-private", is_flag=True, help="With --live: the site may be in a private network.")
@FORBIDDEN
@click.option("--user-agent", metavar="TEXT", help="With --live: the whole User-Agent to send.")
@click.option("--coverage", is_flag=True, help="Report which lines of the robots.txt no check reaches.")
@click.option(
    "--fail-under", type=click.FloatRange(0, 100), metavar="N",
    help="Exit with 1 if less than N per cent of the lines are reached; implies --coverage.",
)  # fmt: skip
@click.option("--junit", metavar="FILE", shell_complete=complete_file, help="Also write the results as JUnit XML.")
@click.option("-v", "--verbose", is_flag=True, help="Report every check, also those that pass.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per check; see docs/how-to/test-your-policy.md.")
@click.option(
    "--init", "robots", metavar="ROBOTS", shell_complete=complete_file,
    help="Write a first file of cases for a robots.txt: what it decides today.",
)  # fmt: skip
@terminal_options
@pass_terminal
def test(
    terminal: Terminal,
    files: tuple[str, ...],
    live: bool,
    timeout: float | None,
    allow_private: bool,
    forbidden: Forbidden | None,
    user_agent: str | None,
    coverage: bool,
    fail_under: float | None,
    junit: str | None,
    verbose: bool,
    as_json: bool,
    robots: str | None,
) -> Exit:
    """Does a policy decide as its publisher expects?

    Each file holds cases: who asks for what, and the expected answer. The report names those that fail, with what was
    decided and which line decided it.

    \b
    # the cases of a file
    acap test policy.acap.toml
    # with what they cover, for a pipeline
    acap test --coverage --fail-under 90 --junit results.xml policy.acap.toml
    # against what the site serves
    acap test --live policy.acap.toml
    # begin with cases for a robots.txt
    acap test --init robots.txt

    Ends with 0 if all pass, 1 if some fail or the coverage is too low, 3 with --live if a policy cannot be retrieved.
    """
    if robots is not None:
        return _init(terminal, robots, files)
    if not files:
        raise CallError("no file of cases given; write one, or begin with: acap test --init robots.txt")
    if not live and (timeout is not None or allow_private or user_agent is not None or forbidden is not None):
        raise CallError(
            "--timeout, --allow-private, --forbidden and --user-agent need --live, because only it asks a site"
        )
    for name in files:
        if name.endswith("robots.txt"):
            raise CallError(f"`{name}` is a robots.txt; this writes cases for it: acap test --init {name}")
    covered: dict[str, Coverage] | None = {} if coverage or fail_under is not None else None
    access = Access(True, False, None, timeout, allow_private, None, user_agent, forbidden)
    checked = list(_checked_files(terminal, dict.fromkeys(files), access if live else None, covered))
    tally = Tally()
    for file in checked:
        for case, results in by_case(file):
            if as_json:
                show_json(terminal, file, results)
            else:
                show_case(terminal, file, case, results, verbose=verbose)
        tally.add(Exit.PROHIBITED if file.failed else Exit.UNDETERMINED if file.unknown else Exit.PERMITTED)
    if junit is not None:
        _write_junit(junit, checked)
    if not as_json:
        show_summary(terminal, checked)
    for name, reached in (covered or {}).items():
        show_coverage(terminal, name, reached, as_json=as_json)
        if fail_under is not None and reached.percent < fail_under:
            tally.add(Exit.PROHIBITED)
            terminal.error(
                f"{name}: {reached.percent:.1f} % of the lines are reached, and --fail-under is {fail_under:g}"
            )
    return tally.code


def _checked_files(
    terminal: Terminal, names: Iterable[str], access: Access | None, covered: dict[str, Coverage] | None
) -> Iterator[CheckedFile]:
    """Each file, read and checked; with `access` against what the sites serve. Raises `CallError`."""
    try:
        # A mistake in any file is reported before any site is asked.
        files = [read_cases(Path(name), name=name) for name in names]
        with nullcontext() if access is None else Network(access, terminal) as network:
            for file in files:
                policies: FilePolicies | SitePolicies
                if network is None:
                    policies, documents = FilePolicies(file), Documents(file)
                else:
                    policies = SitePolicies(file, network, terminal)
                    documents = policies.documents(file)
                results = check_file(file, policies, documents)
                lost = documents.unknown
                unknown = frozenset(id(one) for one in results if network is not None and _is_unknown(one, lost))
                if covered is not None:
                    known = [result for result in results if id(result) not in unknown]
                    _cover(covered, str(file.robots if network is None else file.site), policies, known)
                yield CheckedFile(file, results, unknown)
    except CasesError as error:
        raise CallError(str(error), code=Exit.UNDETERMINED if error.unknown else Exit.WRONG_CALL) from error


def _cover(covered: dict[str, Coverage], name: str, policies: Policies, results: Iterable[Result]) -> None:
    """Adds answers to the coverage of one robots.txt."""
    for result in results:
        policy = policies.find(result.check.crawler, result.case.dialect)
        covered.setdefault(name, Coverage()).add(policy, result.decision)


def _is_unknown(result: Result, lost: frozenset[str]) -> bool:
    """Whether what decides could not be retrieved, and the case does not expect that; `lost` are dialects of documents.

    What no other source prohibits a licence that could not be retrieved may prohibit, but for crawling.
    """
    decision = result.decision
    if decision.kind in _UNKNOWN:
        return result.case.expected.kind != decision.kind
    if any(one.dialect in lost and one.element is None and one.header is None for one in decision.reason.decided_by):
        return True
    return "rsl" in lost and decision.outcome != "prohibited" and result.check.usage not in ("crawl", "follow")


def _write_junit(name: str, checked: Sequence[CheckedFile]) -> None:
    text = junit(suite(file.file, file.results, file.unknown) for file in checked)
    write_file(Path(name), text.encode())


def _init(terminal: Terminal, robots: str, files: tuple[str, ...]) -> Exit:
    """Writes the first file of cases: beside the robots.txt, or where it is named. Raises `CallError`."""
    if robots == "-":
        raise CallError("--init needs a file, which the cases can name; save the robots.txt first")
    if len(files) > 1:
        raise CallError(f"--init writes one file, and {len(files)} are named")
    path = Path(robots)
    policy = file_policy(robots, "auto")
    target = Path(files[0]) if files else path.with_name(f"{path.stem}.acap.toml")
    if target.exists():  # reported before the work; the file is opened so that it cannot be overwritten
        raise CallError(f"`{target}` already exists; name another file, or remove it")
    text = starter(policy, _seen_from(path, target.parent), datetime.now(UTC))
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise CallError(f"`{target}` already exists; name another file, or remove it") from error
    except (OSError, ValueError) as error:
        raise CallError(f"`{target}` cannot be written: {getattr(error, 'strerror', None) or error}") from error
    terminal.line(f"{target}: {plural(text.count('[[case]]'), 'case')}; check them with: acap test {target}")
    if path.name == "robots.txt" and not files and path.resolve().parent != Path.cwd():
        terminal.note(f"whoever serves {path.parent} serves this file too; elsewhere: acap test --init {robots} FILE")
    return Exit.PERMITTED


def _seen_from(path: Path, folder: Path) -> str:
    """The path of a file as it is written in another folder."""
    there, here = path.resolve(), folder.resolve()
    common = next((parent for parent in (here, *here.parents) if there.is_relative_to(parent)), None)
    if common is None:  # another drive
        return there.as_posix()
    up = len(here.relative_to(common).parts)
    return "/".join([*[".."] * up, *there.relative_to(common).parts])
