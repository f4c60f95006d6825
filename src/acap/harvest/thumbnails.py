"""Small pictures of copies, rendered by a Chromium of the system from octets that are kept.

The laws of this module:

1. Only the given octets are rendered. Scripts do not run, and every other request is refused, so no server learns that
   a copy was viewed.
2. Pictures are kept in memory only, so that nothing has to be deleted; their key is the content, so that content which
   may no longer be shown is not found.
"""

from __future__ import annotations

import os
import queue
import shutil
import threading
from collections import OrderedDict
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Route

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless_shell")
"""Names of the browser on different systems."""

WIDTH, HEIGHT = 320, 240
"""Size of a picture in pixels; the page is laid out `_SCALE` times as wide."""

KEPT = 200
"""At most this many pictures are kept in memory."""

_SCALE = 2.5
_SECONDS = 10.0
_HERE = "http://copy.invalid/"
_POLICY = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:"
_IMAGE = (
    "<!doctype html><style>html,body{margin:0;height:100%;background:#fff}"
    "img{display:block;width:100%;height:100%;object-fit:contain}</style><img src='/image' alt=''>"
)
_ARGUMENTS = (
    "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run", "--dns-prefetch-disable", "--host-resolver-rules=MAP * ~NOTFOUND",
)  # fmt: skip


class UnavailableError(Exception):
    """Thumbnails are not available; one sentence that says why."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A small picture, and its media type."""

    octets: bytes
    media: str = "image/png"


def find_browser(program: Path | None = None) -> Path:
    """The browser: the one named, or the first that the system has. Raises UnavailableError."""
    if program is not None:
        if not os.access(program, os.X_OK):
            raise UnavailableError(f"there is no program `{program}`")
        return program
    for name in PROGRAMS:
        if path := shutil.which(name):
            return Path(path)
    raise UnavailableError("no thumbnails are made here: no Chromium is installed")


class Thumbnails:
    """Renders pictures, one after the other, in a browser that is started by the first one. Close it at the end.

    Args:
        program: the browser; by default that of the system.
        sandbox: whether the browser has to keep what it shows in its own sandbox, which it cannot where root starts it.

    Raises:
        UnavailableError: there is no browser, or playwright is not installed.
    """

    def __init__(self, program: Path | None = None, *, sandbox: bool = True) -> None:
        if find_spec("playwright") is None:
            raise UnavailableError("no thumbnails are made here: playwright is not installed (acap[screenshots])")
        self._program = find_browser(program)
        if sandbox and hasattr(os, "geteuid") and os.geteuid() == 0:
            raise UnavailableError("no thumbnails are made here: a browser that root starts has no sandbox")
        self._sandbox = sandbox
        self._wanted: queue.Queue[tuple[bytes, str, Future[Picture]] | None] = queue.Queue()
        self._kept: OrderedDict[str, Picture] = OrderedDict()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False

    def render(self, octets: bytes, content_type: str) -> Picture:
        """The picture of a page, a text or an image. Raises UnavailableError if none came of it in time."""
        key = sha256(content_type.encode() + b"\0" + octets).hexdigest()
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            if self._closed:
                raise UnavailableError("no thumbnails are made any more")
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="thumbnails", daemon=True)
                self._thread.start()
        made: Future[Picture] = Future()
        self._wanted.put((octets, content_type, made))
        try:
            picture = made.result(timeout=2 * _SECONDS)
        except Late as error:
            made.cancel()
            raise UnavailableError("the browser took too long") from error
        with self._lock:
            self._kept[key] = picture
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return picture

    def close(self) -> None:
        """Ends the browser and forgets every picture; once more does nothing."""
        with self._lock:
            self._closed = True
            self._kept.clear()
            thread, self._thread = self._thread, None
        if thread is not None:
            self._wanted.put(None)
            thread.join(timeout=_SECONDS)

    def _work(self) -> None:
        """Renders in a thread of its own: playwright's objects belong to the thread that made them."""
        from playwright.sync_api import Error, sync_playwright

        with sync_playwright() as playwright:
            browser: Browser | None = None
            while (asked := self._wanted.get()) is not None:
                octets, content_type, made = asked
                if not made.set_running_or_notify_cancel():
                    continue
                try:
                    if browser is None or not browser.is_connected():
                        browser = playwright.chromium.launch(
                            executable_path=self._program, args=list(_ARGUMENTS), chromium_sandbox=self._sandbox
                        )
                    made.set_result(_picture(browser, octets, content_type))
                except Error as error:
                    made.set_exception(UnavailableError(f"the browser failed: {str(error).splitlines()[0]}"))
            if browser is not None:
                browser.close()


def _picture(browser: Browser, octets: bytes, content_type: str) -> Picture:
    is_image = content_type.startswith("image/")

    def answer(route: Route) -> None:
        url = route.request.url
        if url == _HERE and route.request.is_navigation_request():
            body, media = (_IMAGE, "text/html") if is_image else (octets, content_type)
            guards: dict[str, Any] = {"Content-Security-Policy": _POLICY, "X-Content-Type-Options": "nosniff"}
            route.fulfill(status=200, body=body, headers={"Content-Type": media, **({} if is_image else guards)})
        elif is_image and url == f"{_HERE}image":
            route.fulfill(status=200, body=octets, headers={"Content-Type": content_type})
        else:
            route.abort()

    context = browser.new_context(
        java_script_enabled=False, offline=True, accept_downloads=False, service_workers="block",
        viewport={"width": int(WIDTH * _SCALE), "height": int(HEIGHT * _SCALE)}, device_scale_factor=1 / _SCALE,
        color_scheme="light",
    )  # fmt: skip
    try:
        context.route("**/*", answer)
        page = context.new_page()
        page.goto(_HERE, wait_until="load", timeout=_SECONDS * 1000)
        octets = page.screenshot(type="png", animations="disabled", timeout=_SECONDS * 1000)
        return Picture(octets)
    finally:
        context.close()
