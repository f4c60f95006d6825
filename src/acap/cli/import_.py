"""`acap import`: take WARC files into a store; what is in them is judged as what a crawl fetches."""

from __future__ import annotations

import json
from pathlib import Path

import click

from acap.archives.site_documents import SiteDocuments, documents_of, may_decide, with_documents
from acap.cli.io.asking import CRAWLER, PURPOSE, CrawlerOption
from acap.cli.io.command import Command
from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError
from acap.cli.io.options import DIALECT, FORBIDDEN, Forbidden
from acap.cli.io.stores import COPIES, KEPT_FOR, LICENSEE, STORE, licensee_of, opened
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.harvest.crawl.known_policies import KnownPolicies
from acap.harvest.import_policies import Missing
from acap.harvest.importing import Imported, files_in, import_warc
from acap.harvest.operator import Operator
from acap.harvest.store import Store
from acap.plurals import plural
from acap.retrieval import Retriever
from acap.retrieval.private import open_regular
from acap.robots import RobotsPolicy
from acap.schema import SCHEMA
from acap.sites.gathering import gather

_DAMAGES = 20


@click.command("import", cls=Command)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@STORE
@CRAWLER
@PURPOSE
@KEPT_FOR
@LICENSEE
@COPIES
@DIALECT
@FORBIDDEN
@click.option("--contact", metavar="TEXT", help="Your URL or e-mail address, put into the User-Agent.")
@click.option("--fetch-policies", is_flag=True, help="Ask each site for its current policy.")
@click.option(
    "--missing",
    type=click.Choice(["prohibited", "permitted", "now"]),
    default="prohibited",
    show_default=True,
    help="What decides on crawling if the archives have no robots.txt of the time; `now`: the one that is fetched.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
@terminal_options
@pass_terminal
def import_(
    terminal: Terminal,
    files: tuple[Path, ...],
    store: str,
    crawler: CrawlerOption | None,
    purposes: tuple[str, ...],
    usages: tuple[str, ...],
    licensee: Path | None,
    copies: Path | None,
    dialect: str,
    forbidden: Forbidden | None,
    contact: str | None,
    fetch_policies: bool,
    missing: Missing,
    as_json: bool,
) -> Exit:
    """Import WARC files into a store, as policies permit. A directory stands for the archives in it.

    The robots.txt of that time in the archives decides whether a page may have been crawled: one of the 30 days before
    it, or of the day after. Without one nothing is imported: add the archive with its robots.txt to the same call, or
    say with --missing what decides. The newest known robots.txt decides whether the page may be indexed and preserved;
    --fetch-policies asks the site. --crawler makes a new store. Importing the same files again changes nothing.

    \b
    # an archive into a store
    acap import crawl.warc.gz --store crawl.db
    # archives without robots.txt files: ask the sites
    acap import archives/ --store new.db --crawler examplebot --fetch-policies --missing now

    \b
    Ends with  0 if something is imported, or was before,
               1 if everything was refused,
               2 on a wrong call, or if the store cannot be written,
               3 if a file is damaged (its readable part is imported), or no policy is known.
    """
    if not files:
        raise CallError("no file given; name a WARC file, or a directory with some")
    if missing == "now" and not fetch_policies:
        raise CallError("`--missing now` needs the current policies; add --fetch-policies")
    paths = _checked(files)
    operator = None
    if crawler is not None:
        operator = Operator(
            crawler.each_name, purposes, contact, dialect, forbidden, usages=usages, licensee=licensee_of(licensee)
        )
    elif purposes or forbidden or usages or licensee:
        given = {"--purpose": purposes, "--forbidden": forbidden, "--for": usages, "--licensee": licensee}
        option = next(name for name, value in given.items() if value)
        raise CallError(f"{option} belongs to a crawler; name it with --crawler, or remove both")
    with opened(store, operator=operator, copies=copies) as held, held.writing():
        if forbidden not in (None, held.operator.forbidden):
            was = held.operator.forbidden or "not set"
            raise CallError(f"the store was made with --forbidden {was}, not {forbidden}; name another store")
        imported = _import(terminal, held, paths, fetch_policies=fetch_policies, missing=missing)
    _show(terminal, imported, as_json=as_json)
    return exit_of(imported)


def _checked(files: tuple[Path, ...]) -> list[Path]:
    """The files, each of which can be opened. Raises `CallError`."""
    for file in files:
        if not file.exists():
            raise CallError(f"no file `{file}`; check the path")
    paths = list(files_in(files))
    if not paths:
        raise CallError(f"`{files[0]}` has no WARC files; their names end with .warc or .warc.gz")
    for file in paths:
        try:
            with open_regular(file, links=True):  # each is read twice
                pass
        except OSError as error:
            raise CallError(f"`{file}` cannot be read: {error.strerror}") from error
    return paths


def _import(terminal: Terminal, store: Store, files: list[Path], *, fetch_policies: bool, missing: Missing) -> Imported:
    if not fetch_policies:
        with terminal.progress("reading archives"):
            return import_warc(store, files, missing=missing)
    operator = store.operator
    with Retriever(
        crawler=operator.crawler,
        contact=operator.contact,
        dialect=operator.dialect,
        forbidden=operator.forbidden,
        cache=KnownPolicies(store.policies),
        clock=store.clock,
    ) as retriever:

        def fetch(url: str) -> RobotsPolicy:
            robots = retriever.robots(url)
            if not may_decide(robots, operator.usages):
                return robots
            site_policy = retriever.gather(gather(retriever, url, crawlers=(operator.crawler,)))
            last = store.policies.last(url)
            before = (None if last is None else documents_of(last[1])) or SiteDocuments()
            documents = SiteDocuments.of_site(site_policy).after(before, store.clock.now())
            return with_documents(robots, documents.with_pages(before.of_pages))

        with terminal.progress("reading archives"):
            return import_warc(store, files, fetch_policy=fetch, missing=missing)


def _show(terminal: Terminal, imported: Imported, *, as_json: bool) -> None:
    if as_json:
        terminal.line(json.dumps({"schema": SCHEMA, **imported.to_json()}))
    else:
        counts = imported.counts
        summary = f"{plural(imported.captures, 'capture')}, {imported.kept} imported"
        summary += f" ({counts['index', 'permitted']} may be indexed, {counts['preserve', 'permitted']} preserved)"
        terminal.line(f"{summary}, {sum(imported.refused.values())} refused, {sum(imported.passed.values())} skipped")
        for kind, number in imported.refused.most_common():
            terminal.line(f"{number} refused: {kind}")
        for why, number in imported.passed.most_common():
            terminal.line(f"{number} skipped: {why}")
    for site in sorted(imported.sites_without_policy)[:_DAMAGES]:
        terminal.note(
            f"no robots.txt of {site} is known for the time of some captures; they are skipped (see --missing)"
        )
    shown = [one for place, one in enumerate(imported.damages) if place < _DAMAGES or one.is_end]
    for damage in shown:
        terminal.error(f"{damage}; {'what follows' if damage.is_end else 'it'} is left out")
    if (more := imported.damaged - len(shown)) > 0:
        terminal.error(f"and {more} more damage{'' if more == 1 else 's'} (--json names the first thousand)")


def exit_of(imported: Imported) -> Exit:
    """The code for what became of the files."""
    if imported.damages or imported.sites_without_policy:
        return Exit.UNDETERMINED
    if imported.refused and not imported.kept and not imported.passed["taken in before"]:
        return Exit.UNDETERMINED if set(imported.refused) == {"unreachable"} else Exit.PROHIBITED
    return Exit.PERMITTED
