"""Chromium, driven by playwright: one process for the whole run, a tab for each test, no name resolved."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

ARGUMENTS = [
    "--no-sandbox",  # it refuses root otherwise; only pages of our own are shown
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-proxy-server",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]


class LentLoop:
    """The event loop on which playwright's blocking interface runs.

    Playwright leaves it marked as the running loop of the thread until it is stopped, so that `asyncio.run` of any
    later test would be refused. Here it is marked only while a test has a page.
    """

    def __init__(self) -> None:
        self._loop = asyncio.events._get_running_loop()

    def give(self) -> None:
        """To playwright."""
        asyncio.events._set_running_loop(self._loop)

    def take(self) -> None:
        """From playwright: others may run theirs."""
        asyncio.events._set_running_loop(None)


@contextmanager
def started(program: Path) -> Iterator[tuple[Browser, LentLoop]]:
    """A browser, and its loop, which is taken from it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        browser.new_context().new_page()  # an empty tab: without one, what a context has read goes with its last page
        loop = LentLoop()
        loop.take()
        try:
            yield browser, loop
        finally:
            loop.give()
            browser.close()


@contextmanager
def opened(
    browser: Browser,
    errors: list[str],
    *,
    fresh: bool = False,
    viewport: tuple[int, int] = (1280, 720),
    color_scheme: Literal["light", "dark"] = "light",
    permissions: Sequence[str] = (),
    **options: Any,
) -> Iterator[Page]:
    """A page in a tab of its own, without cookies; `errors` gets every error of its scripts and of its console.

    The context is the first of the browser, which has read our scripts and styles before: to start another takes longer
    than most tests. One of its own has a page that is to be `fresh`, or that has other `options` of a context.
    """
    with ExitStack() as ended:
        context = ended.enter_context(browser.new_context(**options)) if fresh or options else browser.contexts[0]
        before = context.pages
        page = context.new_page()
        ended.callback(_left, context, before)
        page.set_viewport_size({"width": viewport[0], "height": viewport[1]})
        page.emulate_media(color_scheme=color_scheme)
        context.grant_permissions(permissions)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        yield page


def _left(context: BrowserContext, before: list[Page]) -> None:
    """Takes from a context what a test brought."""
    for page in context.pages:
        if page not in before:
            page.close()
    context.clear_cookies()
    context.clear_permissions()
