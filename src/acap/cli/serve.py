"""`acap serve`: the publisher's workshop for a browser; with a store search, copies and the operator's page, too.

Or decisions for crawlers, a server of its own (`acap.cli.io.deciding`).
"""

from __future__ import annotations

import logging
import re
import signal
import socket
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import urlsplit

import click
import uvicorn
from click.core import ParameterSource
from starlette.applications import Starlette

from acap.cli.io.command import Command
from acap.cli.io.deciding import DecidingOptions, deciding_options, decision_server
from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError, missing_extra
from acap.cli.io.files import complete_file
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.harvest.system import why_no_store
from acap.logs import has_listener, listen
from acap.web.connections import server_of
from acap.web.guard import hosts_of
from acap.web.loopback import is_loopback
from acap.web.workshop.app import workshop_app

_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\.?|\[?[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*\]?")
"""A name in ASCII, as a Host header has it, or the literal of an address."""

_SECONDS = 5
"""Time for answers that are under way when the server has to end."""


@click.command(cls=Command)
@click.option(
    "--store", metavar="FILE|URL", shell_complete=complete_file, envvar="ACAP_STORE",
    help="The store to search: a file, or a database as postgresql://HOST/NAME.  [env: ACAP_STORE]",
)  # fmt: skip
@click.option("--host", metavar="ADDRESS", help="The address to listen on.  [default: 127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="0 takes a free one.")
@click.option(
    "--allow-host", multiple=True, metavar="NAME",
    help="A host name to answer to beside this machine's own, such as a proxy's; repeatable.",
)  # fmt: skip
@click.option("--allow-private", is_flag=True, help="Let it fetch from private networks, this machine included.")
@click.option(
    "--sweep-every", type=click.FloatRange(0), default=60.0, show_default=True, metavar="SECONDS",
    help="How often to delete what may not be held any longer. 0: never.",
)  # fmt: skip
@click.option("--thumbnails/--no-thumbnails", default=True, help="Make thumbnails, with Chromium.")
@click.option(
    "--browser", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE",
    help="The Chromium that makes thumbnails.  [default: the system's]",
)  # fmt: skip
@click.option(
    "--no-browser-sandbox",
    is_flag=True,
    help="Make thumbnails even if Chromium cannot use its sandbox, as for root.",
)
@click.option(
    "--translate-url", metavar="URL", help="Offer a translation of copies; {url} stands for the original's URL."
)
@deciding_options
@terminal_options
@pass_terminal
def serve(
    terminal: Terminal,
    store: str | None,
    host: str | None,
    port: int,
    allow_host: tuple[str, ...],
    allow_private: bool,
    sweep_every: float,
    thumbnails: bool,
    browser: Path | None,
    no_browser_sandbox: bool,
    translate_url: str | None,
    deciding: DecidingOptions,
) -> Exit:
    """Work on a policy in a browser; with a store, search it: links, snippets, thumbnails, copies.

    The workshop shows what each line of a robots.txt decides, tries URLs, lints, compares and writes policies. It keeps
    nothing, and nothing leaves this machine but a fetch that you ask for.

    With --store you search the store at /, and the workshop is at /workshop/. It shows every representation as its
    publisher permits at that moment, or the page says why not. The ledger gets an entry before it is sent. The
    operator's page is at /operator. Ctrl-C stops the server.

    With --decisions crawlers ask it instead, in batches, at /v1/decisions: may this crawler use these URLs, and in
    which ways? It retrieves the robots.txt of each site; /openapi.json describes it. Other machines have to bear a
    token.

    \b
    # the workshop
    acap serve
    # search in a store
    acap serve --store news.acap
    # on any free port, without thumbnails
    acap serve --store news.acap --port 0 --no-thumbnails
    # decisions for crawlers in other languages
    acap serve --decisions --host 0.0.0.0 --token-file tokens.txt
    """
    if translate_url is not None and (
        urlsplit(translate_url).scheme not in ("http", "https") or "{url}" not in translate_url
    ):
        raise CallError(f"`{translate_url}` is not the URL of a translation; give one with {{url}} in it")
    for name in allow_host:
        if not _HOST.fullmatch(name):
            raise CallError(f"`--allow-host {name}` is not a host name; give it without scheme, port and path")
    if deciding.wanted and click.get_current_context().get_parameter_source("store") is ParameterSource.ENVIRONMENT:
        store = None
    deciding.check(store=store is not None)
    host = host or "127.0.0.1"
    hosts = hosts_of(host, allow_host)
    with ExitStack() as stack:
        if deciding.wanted:
            server = decision_server(deciding, stack, terminal, host=host, hosts=hosts, allow_private=allow_private)
            listener = stack.enter_context(closing(_listener(host, port)))
            terminal.line(f"Serving decisions at {_address(listener)} (Ctrl-C stops it)")
            _run(server, listener)
            return Exit.PERMITTED
        if store is None:
            app, what = workshop_app(allow_private=allow_private, hosts=hosts), "the workshop"
        else:
            app, what = _search(
                stack, terminal, store, thumbnails=thumbnails, browser=browser, sandbox=not no_browser_sandbox,
                translate_url=translate_url, sweep_every=sweep_every, hosts=hosts, allow_private=allow_private,
            )  # fmt: skip
        listener = stack.enter_context(closing(_listener(host, port)))
        if not is_loopback(host):
            others = "can let the workshop fetch policies" if store is None else "sees the operator's page too"
            if allow_private:
                others += ", and can let the workshop fetch from your private networks"
            terminal.note(f"anyone who reaches this address {others}; there is no login")
        terminal.line(f"Serving {what} at {_address(listener)} (Ctrl-C stops it)")
        _run(server_of(app, ending_seconds=_SECONDS), listener)
    return Exit.PERMITTED


def _search(
    stack: ExitStack, terminal: Terminal, store: str, *, thumbnails: bool, browser: Path | None, sandbox: bool,
    translate_url: str | None, sweep_every: float, hosts: frozenset[str], allow_private: bool,
) -> tuple[Starlette, str]:  # fmt: skip
    """The search over a store, and what is served; `stack` closes it. Only a store needs what a crawl needs (0.2 s)."""
    if (why := why_no_store()) is not None:
        raise CallError(f"`--store` names a store, and {why}")
    try:
        from acap.cli.io.stores import opened
        from acap.harvest.thumbnails import Thumbnails, UnavailableError
        from acap.web.app import search_app
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] == "acap":
            raise
        raise missing_extra("crawl,web", "serve --store") from error
    kept = stack.enter_context(opened(store))
    renderer, unable = None, "thumbnails are turned off"
    if thumbnails:
        try:
            renderer = stack.enter_context(closing(Thumbnails(browser, sandbox=sandbox)))
        except UnavailableError as error:
            unable = str(error)
            terminal.note(unable)
    app = search_app(
        kept, thumbnails=renderer, unable=unable, translate_url=translate_url, sweep_every=sweep_every, hosts=hosts,
        allow_private=allow_private,
    )  # fmt: skip
    return app, str(kept.database.place)


def _listener(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises Failure."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(found[4][:2], family=found[0], backlog=128)
    except OSError as error:
        what = (error.strerror or str(error)).lower()
        raise CallError(f"cannot listen on {host}:{port}: {what}; name another --host or --port") from error


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _run(server: uvicorn.Server, listener: socket.socket) -> None:
    """Serves until SIGTERM, or until Ctrl-C, which goes on as KeyboardInterrupt."""
    if not has_listener():
        listen("text", logging.ERROR)  # an internal error of a service is told to whoever runs it
    # uvicorn answers both itself, and repeats them at its end. A signal that comes before that ends it, too.
    before = signal.signal(signal.SIGTERM, lambda *_: setattr(server, "should_exit", True))
    try:
        server.run(sockets=[listener])
    finally:
        signal.signal(signal.SIGTERM, before)
