"""Chromium, driven by playwright: one process for the whole run, a context for each test, no name resolved."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

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
        loop = LentLoop()
        loop.take()
        try:
            yield browser, loop
        finally:
            loop.give()
            browser.close()


@contextmanager
def opened(browser: Browser, errors: list[str], **options: Any) -> Iterator[Page]:
    """A page in a context of its own; `errors` gets every error of its scripts and of its console."""
    with browser.new_context(**options) as context:
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        yield page
