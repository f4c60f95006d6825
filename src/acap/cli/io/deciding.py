"""The decision service for `acap serve --decisions`: its options, its tokens, its cache."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from acap.cli.io.failures import CallError
from acap.cli.io.files import complete_file, read_file
from acap.cli.io.options import DIALECT, FORBIDDEN, Forbidden, in_order
from acap.cli.io.quantities import Seconds
from acap.cli.io.terminal import Terminal
from acap.web.loopback import is_loopback

if TYPE_CHECKING:  # of the extra `web`
    import uvicorn

TOKEN = "ACAP_DECISIONS_TOKEN"  # noqa: S105  the name of a variable
SHORTEST_TOKEN = 16  # characters; of random letters and digits that is more than anybody can try
_ENDING_SECONDS = 5
_FILES = 8_192  # connections and retrievals at once, and some room; systems begin with 1,024 or 256


class DecidingOptions(NamedTuple):
    """Whether decisions are served, to whom, and how policies are retrieved."""

    wanted: bool
    token_file: str | None
    cache_dir: Path | None
    timeout: float | None
    contact: str | None
    user_agent: str | None
    dialect: str | None
    forbidden: Forbidden | None

    def check(self, *, store: bool) -> None:
        """Raises `CallError` for options that do not go together; `store`: one is to be searched."""
        if self.wanted and store:
            raise CallError("`--decisions` and `--store` are two servers; start each on a port of its own")
        names = ("token-file", "cache-dir", "timeout", "contact", "user-agent", "dialect", "forbidden")
        given = [name for name, value in zip(names, self[1:], strict=True) if value is not None]
        if given and not self.wanted:
            raise CallError(f"`--{given[0]}` is for the decision service; give --decisions, too")


def deciding_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of the decision service; the command takes `deciding`."""

    @wraps(command)
    def gathered(
        *args: Any, decisions: bool, token_file: str | None, cache_dir: Path | None, timeout: float | None,
        contact: str | None, user_agent: str | None, dialect: str, forbidden: Forbidden | None, **rest: Any,
    ) -> Any:  # fmt: skip
        source = click.get_current_context().get_parameter_source("dialect")
        given = None if source is ParameterSource.DEFAULT else dialect
        options = DecidingOptions(decisions, token_file, cache_dir, timeout, contact, user_agent, given, forbidden)
        return command(*args, deciding=options, **rest)

    return in_order(
        click.option("--decisions", is_flag=True, help="Serve decisions to crawlers instead: batches over HTTP."),
        click.option(
            "--token-file", metavar="FILE", shell_complete=complete_file,
            help=f"Answer only requests that bear a token of this file, one per line.  [env: {TOKEN}, one token]",
        ),
        click.option(
            "--cache-dir", type=click.Path(path_type=Path, file_okay=False), metavar="D",
            help="Where copies of policies are kept.  [default: in memory]",
        ),
        click.option("--timeout", type=Seconds(), metavar="S", help="Seconds to wait for a site's answer."),
        click.option("--contact", metavar="TEXT", help="Your URL or e-mail address, put into the User-Agent."),
        click.option("--user-agent", metavar="TEXT", help="The whole User-Agent to send."),
        DIALECT,
        FORBIDDEN,
    )(gathered)  # fmt: skip


def decision_server(
    options: DecidingOptions, stack: ExitStack, terminal: Terminal, *, host: str, hosts: frozenset[str],
    allow_private: bool,
) -> uvicorn.Server:  # fmt: skip
    """The server of decisions; `stack` closes its cache. Raises `CallError`."""
    # 0.14 s, and packages of the extra `web`: what serves no decisions does without both.
    from acap.retrieval import CacheError, SqliteCache, user_agent
    from acap.web.decisions import app as decisions
    from acap.web.decisions.bounds import FETCH_SECONDS, SWITCH_SECONDS

    tokens = _tokens(options.token_file, terminal)
    if not tokens and not is_loopback(host):
        raise CallError(f"`--host {host}` lets other machines ask; give tokens with --token-file or {TOKEN}")
    try:
        agent = user_agent(contact=options.contact) if options.user_agent is None else options.user_agent
        cache = None if options.cache_dir is None else SqliteCache(options.cache_dir / "answers.sqlite3")
        if cache is not None:
            stack.callback(cache.close)
        app = decisions.decisions_app(
            cache=cache, tokens=tokens, hosts=hosts, allow_private=allow_private, user_agent=agent,
            timeout=options.timeout or FETCH_SECONDS, dialect=options.dialect or "auto", forbidden=options.forbidden,
        )  # fmt: skip
    except (CacheError, ValueError) as error:
        raise CallError(str(error)) from error
    open_files()
    sys.setswitchinterval(SWITCH_SECONDS)
    return decisions.decision_server(app, ending_seconds=_ENDING_SECONDS)


def _tokens(file: str | None, terminal: Terminal) -> list[str]:
    """The tokens of a file, or that of the environment. Raises `CallError`."""
    if file is None:
        tokens, where = os.environ.get(TOKEN, "").split(), TOKEN
    else:
        try:
            tokens, where = read_file(file, what="tokens", example="tokens.txt").decode("ascii").split(), file
        except UnicodeDecodeError as error:
            raise CallError(f"`{file}` has a token that is not ASCII; use letters and digits") from error
        if not tokens:
            raise CallError(f"`{file}` has no token; write one into it, such as the output of: openssl rand -hex 24")
        with suppress(OSError):
            if Path(file).stat().st_mode & 0o044:
                terminal.note(f"others on this machine can read the tokens in {file}; chmod 600 keeps them to you")
    if any(len(token) < SHORTEST_TOKEN for token in tokens):
        raise CallError(f"a token of {where} has fewer than {SHORTEST_TOKEN} characters; take: openssl rand -hex 24")
    return tokens


def open_files() -> None:
    """Lets the process have a file for each connection, as far as the system permits."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
