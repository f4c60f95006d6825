"""`acap compare`: which decisions change from one policy to another?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from acap.cli.changes import tree
from acap.cli.exits import Exit
from acap.cli.failures import Failure
from acap.cli.files import is_url
from acap.cli.network import Network
from acap.cli.options import DIALECT, JSON, Access, access_options
from acap.cli.policies import file_policy
from acap.cli.terminal import Terminal, pass_terminal, terminal_options
from acap.cli.urls import STDIN, check_url

if TYPE_CHECKING:
    from datetime import datetime

    from acap.robots import RobotsPolicy


@click.command()
@click.argument("old", required=False, metavar="OLD")
@click.argument("new", required=False, metavar="NEW")
@click.option(
    "--crawler",
    "crawlers",
    multiple=True,
    metavar="NAME",
    help="Only this crawler; `*`: any that neither names. Repeatable.",
)
@click.option("--usage", "usages", multiple=True, metavar="NAME", help="Only this usage. Repeatable.")
@click.option("--purpose", "purposes", multiple=True, metavar="TEXT", help="Only this purpose. Repeatable.")
@click.option("--at", metavar="TIME", help="The instant of the questions, in ISO 8601.  [default: now]")
@DIALECT
@JSON
@access_options
@terminal_options
@pass_terminal
def compare(
    terminal: Terminal,
    old: str | None,
    new: str | None,
    crawlers: tuple[str, ...],
    usages: tuple[str, ...],
    purposes: tuple[str, ...],
    at: str | None,
    dialect: str,
    as_json: bool,
    access: Access,
) -> Exit:
    """Which decisions change from one policy to another?

    OLD and NEW are files, sites, or one of them `-` for standard input. Told are decisions, not lines: for which
    crawlers, purposes and usages which paths are decided otherwise, with a shortest path at which it shows. That
    nothing changes is proven over all paths, not tried on some.

    \b
    Ends with  0 if every decision stays,   1 if one changes,
               3 if that could not be worked out, or a site cannot be reached.

    \b
    acap compare robots.txt new-robots.txt
    acap compare https://example.com robots.txt
    git show HEAD:robots.txt | acap compare - robots.txt
    """
    if not old or not new:
        raise Failure("give two policies: acap compare OLD NEW")
    if old == new == STDIN:
        raise Failure("only one of the two can be read from standard input")
    from acap.publish.compare import NO_PURPOSE
    from acap.publish.compare import compare as compared

    instant = _instant(at)
    with Network(access, terminal, dialect) as network:
        before, after = (_policy(name, dialect, network) for name in (old, new))
    if any(one.evidence.get("meaning") == "unreachable" for one in (before, after)):
        return Exit.UNDETERMINED  # what the site answered has been said
    try:
        found = compared(
            _unbound(before),
            _unbound(after),
            crawlers=crawlers or None,
            usages=usages or None,
            purposes=[NO_PURPOSE if one == "" else one for one in purposes] or None,
            at=instant,
        )
    except ValueError as error:
        raise Failure(str(error)) from error
    if as_json:
        from acap.schema import comparison_to_json

        terminal.line(json.dumps(comparison_to_json(found, old=old, new=new)))
    else:
        terminal.tree(tree(found, old, new))
    return {"equal": Exit.PERMITTED, "different": Exit.PROHIBITED, "undecided": Exit.UNDETERMINED}[found.verdict]


def _policy(name: str, dialect: str, network: Network) -> RobotsPolicy:
    if is_url(name):
        return network.policy(check_url(name, path_is_enough=False), None)
    return file_policy(name, dialect)


def _unbound(policy: RobotsPolicy) -> RobotsPolicy:
    """The policy without its site: two sites are compared path by path."""
    from acap.robots import parse_robots

    if policy.url is None or policy._state != "present":
        return policy if policy.url is None else type(policy).absent(None, dialect=policy.dialect)
    return parse_robots(policy.octets, dialect=policy.dialect)


def _instant(text: str | None) -> datetime | None:
    """The instant that `--at` names. Raises `Failure`."""
    if text is None:
        return None
    from datetime import UTC, datetime

    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise Failure(f"`{text}` is no instant; write it as 2027-01-31 or 2027-01-31T12:00:00Z") from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)
