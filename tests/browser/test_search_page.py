"""The search application in a real browser: nothing hostile runs, nothing leaves, and everybody can use it."""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # it has no types
from PIL import Image
from playwright.sync_api import Browser, Dialog, Page

from acap.harvest.thumbnails import HEIGHT, WIDTH, Thumbnails
from acap.web.app import search_app
from tests.chromium import opened
from tests.loopback import Loopback, reply
from tests.searched import Searchable, acap, article, searchable
from tests.web_server import served

TEXT = "The fog lay over the harbour. The ferries waited until noon. Nobody saw the lighthouse that day. "
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
)


@pytest.fixture
def harvested(tmp_path: Path) -> Iterator[Searchable]:
    with searchable(tmp_path / "news.acap") as made:
        yield made


@pytest.fixture
def here(harvested: Searchable) -> Iterator[str]:
    with served(search_app(harvested.store)) as address:
        yield address


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, int]]]:
    """A server over a store with something of everything, for tests that only look; and the numbers of its pages."""
    with searchable(tmp_path_factory.mktemp("filled") / "news.acap") as made:
        versions = fill(made)
        with served(search_app(made.store)) as address:
            yield address, versions


def fill(harvested: Searchable) -> dict[str, int]:
    """A store with something of everything that pages show."""
    harvested.says(
        acap(
            "ACAP-allow-present-snippet: /short* max-length=5-words",
            "ACAP-disallow-present-snippet: /silent*",
            "ACAP-disallow-present-link: /nameless*",
            "ACAP-disallow-present-currentcopy: /silent*",
            "ACAP-allow-present-currentcopy: /alone* prohibited-modification=any",
            "ACAP-allow-present: /credited* must-include-resource=the-acap:credit:id:by",
            "ACAP-disallow-preserve: /unkept*",
            "ACAP-allow-index: /short* time-limit=30-days",
        )
    )
    versions = {}
    harvested.keep("/short.html", article("An older fog", TEXT))
    harvested.clock.advance(timedelta(days=1))
    for name in ("short", "silent", "nameless", "alone", "unkept"):
        versions[name] = harvested.keep(f"/{name}.html", article(f"The {name} fog of the harbour", TEXT * 4))
    credit = f'{TEXT}<p id=by>By <a href="/ada">Ada</a></p>'
    versions["credited"] = harvested.keep("/credited.html", article("Fog with a credit", credit))
    long = f"/a{'-very-long-name-without-any-blank' * 8}.html"
    versions["long"] = harvested.keep(long, article("Fog" + "o" * 90, "fog " + "g" * 300))
    harvested.says(None, "https://down.example")
    harvested.refuse("https://down.example/")
    return versions


def paths(versions: dict[str, int]) -> list[str]:
    """Every kind of page."""
    return [
        "/",
        "/?q=fog",
        "/?q=nothing",
        f"/items/{versions['short']}?q=fog",
        f"/why/{versions['silent']}/present-snippet",
        f"/copies/{versions['credited']}?q=fog",
        "/operator",
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_accessible(filled: tuple[str, dict[str, int]], browser: Browser, scheme: Any) -> None:
    """Axe finds nothing on any page, in light or in dark, with the reasons unfolded."""
    here, versions = filled
    with opened(browser, [], color_scheme=scheme) as page:
        # What is right in light can be wrong in dark by its colours alone, and three pages have all of them.
        for path in paths(versions) if scheme == "light" else ("/?q=fog", *paths(versions)[-2:]):
            page.goto(here + path)
            for summary in page.locator("summary").all():
                summary.click()
            found = Axe().run(page)
            assert found.violations_count == 0, f"{path}: {found.generate_report()}"


def test_pages_fit_a_phone(filled: tuple[str, dict[str, int]], browser: Browser, script_errors: list[str]) -> None:
    """At 360 pixels no page scrolls sideways, whatever names and words it has."""
    here, versions = filled
    with opened(browser, script_errors, viewport=(360, 740)) as page:
        for path in paths(versions):
            page.goto(here + path)
            for summary in page.locator("summary").all():
                summary.click()
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, path


def test_everything_can_be_reached_with_the_keyboard(filled: tuple[str, dict[str, int]], page: Page) -> None:
    """Tab goes from the way past the frame through the question to the results, in the order in which they stand."""
    here, _ = filled
    page.goto(f"{here}/?q=silent")
    reached = []
    for _ in range(10):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.innerText || document.activeElement.name"))
    assert [text.split("\n")[0].split(" of ")[0] for text in reached] == [
        "To the content", "acap", "q", "Search", "Search", "Operator", "Workshop", "The silent fog", "Preview", "More",
    ]  # fmt: skip
    page.keyboard.press("Tab")
    assert not page.get_by_text("ACAP-disallow-present-snippet").is_visible()
    page.keyboard.press("Enter")
    assert page.get_by_text("ACAP-disallow-present-snippet").is_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/why/**")
    assert page.get_by_role("heading", level=1).inner_text() == "The snippet is withheld"


def test_somebody_searches_and_reads_a_copy(filled: tuple[str, dict[str, int]], page: Page) -> None:
    """From the question to a result with its credit, to the copy in its frame, with words marked on demand."""
    here, _ = filled
    page.goto(here)
    page.get_by_role("searchbox").fill("credit")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?q=credit")
    result = page.locator("article")
    assert result.count() == 1
    assert result.get_by_role("link", name="By Ada").get_attribute("href") == "https://www.example.com/ada"
    result.get_by_role("link", name="Copy").click()
    page.wait_for_url("**/copies/*")
    frame = page.frame_locator("iframe.copy")
    assert frame.get_by_role("heading", name="Fog with a credit").is_visible()
    assert frame.locator("mark").count() == 0
    page.get_by_role("link", name="Mark").click()
    page.wait_for_url("**marked=1")
    assert frame.locator("mark").first.inner_text() == "credit"
    assert page.locator(".banner").get_by_role("link", name="By Ada").is_visible()


HOSTILE = """<!doctype html><html><head><title>fog &lt;script&gt;document.title='pwned'&lt;/script&gt;</title>
<meta http-equiv="refresh" content="0;url={there}/refresh">
<link rel="stylesheet" href="{there}/style.css"><link rel="preload" href="{there}/preload.js" as="script">
<link rel="prefetch" href="{there}/prefetch"><link rel="icon" href="{there}/icon.png">
<link rel="preconnect" href="{there}"><link rel="dns-prefetch" href="{there}">
<link rel="manifest" href="{there}/manifest"><base href="{there}/base/">
<style>@import "{there}/import.css"; body {{ background: url({there}/background.png) }}
@font-face {{ font-family: f; src: url({there}/font.woff2) }} p {{ font-family: f }}</style>
<script src="{there}/script.js"></script><script>parent.postMessage('pwned', '*'); fetch('{there}/fetch')</script>
</head><body onload="new Image().src='{there}/onload'"><p>fog</p>
<img src="{there}/image.png" srcset="{there}/set.png 2x" onerror="alert(1)"><iframe src="{there}/frame"></iframe>
<iframe srcdoc="<script>top.location='{there}/top'</script>"></iframe><object data="{there}/object"></object>
<embed src="{there}/embed"><video src="{there}/video" poster="{there}/poster" autoplay></video>
<audio src="{there}/audio" autoplay></audio><svg><image href="{there}/svg.png"/><script>alert(2)</script></svg>
<form action="{there}/form" method=post><button id=send>send</button></form>
<a id=js href="javascript:alert(3)">x</a>
<a id=top href="{there}/out" target=_top ping="{there}/ping">out</a>
<img src="data:image/png;base64,{png}" id=own alt=own width=9 height=9></body></html>"""


@pytest.mark.parametrize("alone", [False, True])
def test_a_hostile_copy_runs_nothing_and_asks_for_nothing(
    harvested: Searchable, here: str, page: Page, script_errors: list[str], alone: bool
) -> None:
    """Framed or alone, a copy runs no script, sends no form and loads nothing from anywhere but its own octets."""
    asked: list[str] = []
    page.on("requestfinished", lambda request: asked.append(request.url))

    def dismiss(dialog: Dialog) -> None:
        asked.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("dialog", dismiss)
    with Loopback() as there:
        octets = HOSTILE.format(there=there.url(""), png=b64encode(PNG).decode())
        restriction = " prohibited-context=within-user-frame" if alone else ""
        harvested.says(acap(f"ACAP-allow-present: /{restriction}"))
        version = harvested.keep("/a.html", octets)
        page.goto(f"{here}/?q=fog")
        assert page.get_by_role("link", name="fog <script>").is_visible()
        page.goto(f"{here}/copies/{version}")
        copy = page.main_frame if alone else page.frames[1]
        assert copy.locator("p").inner_text() == "fog"
        assert copy.locator("#own").evaluate("image => image.naturalWidth") == 1
        # Alone, a link leads where it says, for that is what whoever follows it wants.
        for name in ("send", "js", *(() if alone else ("top",))):
            copy.locator(f"#{name}").dispatch_event("click")
        page.wait_for_timeout(400)
        assert page.url == f"{here}/copies/{version}"
        assert there.targets == []
        # A frame that is refused may have been connected to ahead; in a frame of ours not even that.
        assert alone or there._open == []
    assert [url for url in asked if not url.startswith((here, "data:"))] == []
    assert page.title() != "pwned"
    # The browser says what it refused; that is what is wanted.
    assert any("sandbox" in error.lower() or "content security policy" in error.lower() for error in script_errors)
    script_errors.clear()


def test_nobody_frames_our_pages(harvested: Searchable, here: str, page: Page, script_errors: list[str]) -> None:
    """Another site that puts a page of ours, or a copy, into its frame shows nothing of it."""
    versions = fill(harvested)
    inner = ("/operator", "/?q=fog", f"/copies/{versions['alone']}", f"/copies/{versions['credited']}/content")
    frames = "".join(f'<iframe src="{here}{path}"></iframe>' for path in inner).encode()
    with Loopback() as there:
        there.says["/"] = reply(body=b"<!doctype html>" + frames, headers=[("Content-Type", "text/html")])
        page.goto(there.url("/"), wait_until="load")
        texts = [frame.locator("body").inner_text() for frame in page.frames[1:]]
    assert len(texts) == len(inner)
    assert not any("fog" in text.lower() or "ledger" in text.lower() for text in texts)
    script_errors.clear()


def test_a_changed_policy_is_seen_with_the_next_look(harvested: Searchable, here: str, page: Page) -> None:
    """Going back shows no page from the past: it is asked for again, and decided again."""
    harvested.says(acap())
    harvested.keep("/a.html", article("Fog in the harbour", TEXT))
    page.goto(f"{here}/?q=fog")
    assert page.get_by_text("The fog lay over the harbour.").is_visible()
    page.goto(f"{here}/operator")
    harvested.says(acap("ACAP-disallow-present-snippet: /"))
    page.go_back()
    assert page.get_by_text("The snippet is withheld.").is_visible()
    assert page.get_by_text("The fog lay").count() == 0


def test_the_operator_verifies_with_one_press(filled: tuple[str, dict[str, int]], page: Page) -> None:
    """The button says that the ledger is whole, and that all is kept that it tells of."""
    here, _ = filled
    page.goto(f"{here}/operator")
    page.get_by_role("button", name="Verify the ledger").click()
    assert page.get_by_role("status").get_by_text("whole").is_visible()
    assert page.get_by_text("all that is kept is as they tell").is_visible()


def test_thumbnails_are_rendered_from_the_copy_alone(harvested: Searchable, chromium: Path, browser: Browser) -> None:
    """A page, a text and an image become small pictures; what a page would load is never asked for."""
    script = "<script>document.body.style.background = 'red'</script>"
    with Loopback() as there, closing(Thumbnails(chromium, sandbox=False)) as thumbnails:
        harvested.says(acap())
        loads = f'<img src="{there.url("/i.png")}"><link rel=stylesheet href="{there.url("/s.css")}">'
        blue = article("Fog", f"{TEXT}{script}{loads}", "<style>body{background:#00f}</style>")
        versions = [
            harvested.keep("/a.html", blue),
            harvested.keep("/a.txt", "fog", media="text/plain"),
            harvested.keep("/a.png", PNG, media="image/png"),
        ]
        errors: list[str] = []
        with served(search_app(harvested.store, thumbnails=thumbnails)) as here, opened(browser, errors) as page:
            images = []
            for version in versions:
                answer = page.request.get(f"{here}/thumbnails/{version}")
                assert answer.headers["content-type"] == "image/png"
                images.append(Image.open(io.BytesIO(answer.body())).convert("RGB"))
            page.goto(f"{here}/?q=fog", wait_until="networkidle")
            shown = page.locator("img.thumbnail").evaluate_all("images => images.map(image => image.naturalWidth)")
        assert there.targets == []
    assert [image.size for image in images] == [(WIDTH, HEIGHT)] * 3
    assert images[0].getpixel((WIDTH - 2, HEIGHT - 2)) == (0, 0, 255)
    assert images[1].getpixel((WIDTH - 2, HEIGHT - 2)) == (255, 255, 255)
    assert shown == [WIDTH, WIDTH]
    assert errors == []
    uses = [
        act.url
        for entry in harvested.store.ledger.entries(acts=("presented",))
        for act in harvested.store.acts_of(entry.act)
        if "thumb" in act.usage
    ]
    assert len(uses) == 5
