"""`acap show`: what a robots.txt says, in plain words, with its problems."""

from __future__ import annotations

import click

from acap.cli.exits import Exit
from acap.cli.failures import Failure
from acap.cli.files import is_url
from acap.cli.network import Network
from acap.cli.options import DIALECT, PURPOSE, REFERENCE, Access, Asker, access_options, asker
from acap.cli.policies import file_policy, with_references
from acap.cli.portrait import portrait
from acap.cli.terminal import Terminal, pass_terminal, terminal_options
from acap.cli.urls import check_url


@click.command()
@click.argument("source", required=False, metavar="FILE|URL")
@click.option(
    "-c", "--crawler", "crawler", type=asker, metavar="NAME",
    help="Show only what concerns this crawler: a name, names in order or a User-Agent string.",
)  # fmt: skip
@PURPOSE
@DIALECT
@REFERENCE
@access_options
@terminal_options
@pass_terminal
def show(
    terminal: Terminal,
    source: str | None,
    crawler: Asker | None,
    purposes: tuple[str, ...],
    dialect: str,
    references: tuple[tuple[str, str], ...],
    access: Access,
) -> Exit:
    """What a robots.txt says, in plain words, with its problems.

    FILE is a file, or `-` for standard input; for a URL its site is asked. Ends with 3 if the policy is undetermined
    because it cannot be had.

    \b
    acap show robots.txt
    acap show --crawler Googlebot https://example.com
    """
    if not source:
        raise Failure("no FILE or URL given; name a robots.txt or a site")
    with Network(access, terminal, dialect) as network:
        if is_url(source):
            policy = network.policy(check_url(source, path_is_enough=False), crawler)
        else:
            policy = file_policy(source, dialect)
    policy = with_references(policy, references, all_of_it=True)
    terminal.tree(portrait(policy, source, crawler, purposes))
    return Exit.UNDETERMINED if policy.evidence.get("meaning") == "unreachable" else Exit.PERMITTED
