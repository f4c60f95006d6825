"""Pictures of the workshop: Chromium works on the example in each view, and what it then shows is saved as PNG.

``python -m tools.pictures`` writes those of ``docs/images``; ``python -m tools.pictures FOLDER`` writes to a folder, to
be looked at, what the dark shows and a phone too.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from acap.web.workshop.app import workshop_app
from tests.chromium import ARGUMENTS, opened
from tests.programs import programs
from tests.web_server import served
from tools.capture import IMAGES

DESK, PHONE = (1280, 840), (360, 740)
_COLOURS = 128


def _read(page: Page) -> None:
    page.locator("#usage").select_option("index")
    page.locator(".is-restricts .line-says").first.wait_for()


def _lint(page: Page) -> None:
    _show(page, "lint")
    page.locator(".cm-lintRange-warning").first.hover()
    page.locator(".cm-tooltip-lint").wait_for()


def _changed(page: Page) -> None:
    """The example with two changes, so that it can be compared."""
    for number, before, after in ((18, "90-days", "30-days"), (5, "/subscribers/", "/members/")):
        page.locator(".cm-line").nth(number - 1).click(position={"x": 20, "y": 8})
        page.keyboard.press("End")
        for _ in before:
            page.keyboard.press("Backspace")
        with page.expect_response(lambda answer: answer.request.headers.get("hx-target") == "result"):
            page.keyboard.type(after)
    page.wait_for_load_state("networkidle")


def _compare(page: Page) -> None:
    _changed(page)
    _show(page, "compare")


def _compose(page: Page) -> None:
    _show(page, "compose")
    page.get_by_label("Which parts of the site?").fill("/news/")
    page.get_by_role("radiogroup", name="put it into a search index").get_by_label("may", exact=True).check()
    page.locator("#c_limit_0").select_option("time-limit")
    page.locator("#c_value_0").fill("7-days")
    page.locator(".preview").get_by_text("time-limit=7-days").first.wait_for()


def _test(page: Page) -> None:
    _changed(page)
    _show(page, "test")
    cases = (
        ("/subscribers/", "Googlebot", "crawl", "prohibited", "subscribers only"),
        ("/", "GPTBot", "ai-train", "prohibited", "no training"),
        ("/news/today.html", "Googlebot", "index", "permitted", "news stay in the index"),
    )
    for number, (where, crawler, usage, outcome, name) in enumerate(cases, 1):
        page.locator("#t_where").fill(where)
        page.locator("[name=t_crawler]").fill(crawler)
        page.locator("[name=t_usage]").select_option(usage)
        page.locator("[name=t_expect]").select_option(outcome)
        page.locator("[name=t_name]").fill(name)
        page.locator("#case-add").click()
        page.locator(f".cases > li:nth-child({number})").wait_for()


VIEWS: dict[str, Callable[[Page], None]] = {
    "read": _read, "lint": _lint, "compare": _compare, "compose": _compose, "test": _test,
}  # fmt: skip


def _show(page: Page, view: str) -> None:
    page.locator(f"#tab-{view}").click()
    page.wait_for_selector(f"#view.{view}")


def picture(browser: Browser, address: str, view: str, size: tuple[int, int], scheme: Any) -> bytes:
    """What a view shows of the example."""
    errors: list[str] = []
    width, height = size
    with opened(browser, errors, viewport=size, color_scheme=scheme, reduced_motion="reduce") as page:
        page.goto(f"{address}/")
        page.locator("#example-here").click()
        page.locator(".cm-line .line-says").first.wait_for()
        VIEWS[view](page)
        page.wait_for_load_state("networkidle")
        page.locator("#notes > *").evaluate_all("(all) => all.forEach((one) => one.remove())")
        page.evaluate("window.scrollTo(0, 0)")
        if view != "lint":  # there the mouse is on a finding
            page.mouse.move(width - 1, height - 1)
        octets = page.screenshot(full_page=size == PHONE, animations="disabled")
    if errors:
        sys.exit(f"{view}: {errors}")
    return octets


def write(file: Path, octets: bytes) -> None:
    """Writes a picture in few colours, a third of the octets."""
    Image.open(io.BytesIO(octets)).convert("RGB").quantize(_COLOURS).save(file, optimize=True)
    print(f"wrote {file}")


def main() -> int:
    """Writes the pictures."""
    parser = argparse.ArgumentParser(prog="python -m tools.pictures", description="Save what the workshop shows.")
    parser.add_argument("folder", nargs="?", type=Path, help="where to; without it, the pictures of docs/images")
    folder: Path | None = parser.parse_args().folder
    program = programs()["chromium"]
    if program is None:
        parser.error("Chromium is missing; tools/system-programs tells how to get it")
    with sync_playwright() as playwright, served(workshop_app()) as address:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        for view in VIEWS:
            if folder is None:
                write(IMAGES / f"workshop-{view}.png", picture(browser, address, view, DESK, "light"))
                continue
            for name, size in (("desk", DESK), ("phone", PHONE)):
                for scheme in ("light", "dark"):
                    write(folder / f"{view}-{name}-{scheme}.png", picture(browser, address, view, size, scheme))
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
