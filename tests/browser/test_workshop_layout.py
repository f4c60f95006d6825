"""Where things stand in the workshop, and that they stay there: results in view, no cut words, no page that jumps."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from acap.web.workshop.app import workshop_app
from acap.web.workshop.views import VIEWS
from tests.web_server import served
from tests.workshop_page import PLAIN, POLICY, pasted, show, written

DESK, LAPTOP, PHONE = (1280, 840), (1280, 800), (390, 800)
UNREAD = "ACAP-crawler: *\nACAP-disallow-ai-train: /\n"

# Every layout shift, also one that follows a key.
SHIFTED = """() => {
  window.shifts = [];
  const watch = new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map((one) => one.value)));
  watch.observe({ type: "layout-shift" });
}"""
# How much of the longest option of a select its field has no room for; one that wraps has the room of its lines.
CUT = """(all) => all.filter((one) => one.offsetParent !== null).map((one) => {
  const { width } = one.getBoundingClientRect();
  const { whiteSpace, fontSize } = getComputedStyle(one);
  const copy = one.cloneNode(true);
  copy.removeAttribute("id");
  copy.style.cssText = "position: absolute; width: max-content; max-width: none; min-width: 0; white-space: pre";
  one.after(copy);
  const needed = copy.getBoundingClientRect().width;
  copy.remove();
  const more = whiteSpace === "normal" ? Math.floor(one.clientHeight / (1.3 * parseFloat(fontSize))) - 1 : 0;
  return [one.id, needed - width - more * (width - 90)];
}).filter(([, missing]) => missing > 1)"""


@pytest.fixture(scope="module")
def here() -> Iterator[str]:
    with served(workshop_app()) as address:
        yield address


@pytest.fixture(params=[LAPTOP, PHONE], ids=["laptop", "phone"])
def sized(request: pytest.FixtureRequest, page: Page) -> Page:
    width, height = request.param
    page.set_viewport_size({"width": width, "height": height})
    return page


def test_the_files_of_a_card_are_shown_where_they_stand(here: str, sized: Page) -> None:
    """The result of the first card of Compose is scrolled to, whether it stands beside or above."""
    pasted(sized, here, PLAIN)
    show(sized, "compose")
    sized.locator("[name='card']").first.click()
    expect(sized.locator("#result")).to_contain_text("Every carrier says so")
    assert abs(sized.locator("#result").evaluate("(one) => one.getBoundingClientRect().top")) < 60


def test_a_result_that_is_seen_is_not_scrolled_to(here: str, page: Page) -> None:
    """Beside the questions of Compose both the button and what came of it are in view when an answer is added."""
    page.set_viewport_size({"width": 1280, "height": 800})
    pasted(page, here, PLAIN)
    show(page, "compose")
    page.locator("[name='c_use_index'][value='may']").check(force=True)
    page.locator("#compose-add").scroll_into_view_if_needed()
    page.locator("#compose-add").click()
    expect(page.locator(".rules > li").first).to_be_visible()
    expect(page.locator("#result")).to_be_in_viewport()
    expect(page.locator("#compose-add")).to_be_in_viewport()


def test_a_paste_moves_nothing(here: str, sized: Page) -> None:
    """All shifts together are small, those that follow the key included."""
    sized.goto(f"{here}/")
    expect(sized.locator("#at-cursor")).to_be_visible()
    sized.evaluate(SHIFTED)
    written(sized, POLICY * 3)
    expect(sized.locator("#view .states")).to_be_visible()
    sized.wait_for_timeout(1500)
    assert sum(sized.evaluate("window.shifts")) < 0.1


def test_ways_to_a_text_are_a_press_away(here: str, sized: Page) -> None:
    """They are folded until somebody wants them; the empty page leads to the field."""
    sized.goto(f"{here}/")
    expect(sized.locator("#where")).to_be_hidden()
    sized.get_by_role("button", name="Fetch it from a site").click()
    expect(sized.locator("#where")).to_be_focused()
    expect(sized.locator("#where")).to_be_in_viewport()
    with sized.expect_file_chooser():
        sized.get_by_role("button", name="Open a file").click()


def test_words_say_where_things_stand(here: str, page: Page) -> None:
    """A form that stands above the result on a desk stands below it on a phone, and the page says so."""
    for (width, height), case, effect in (
        (DESK, "above", "beside the questions"),
        (PHONE, "below", "above the presets"),
    ):
        page.set_viewport_size({"width": width, "height": height})
        pasted(page, here, PLAIN)
        show(page, "test")
        assert f"Add one {case}" in page.locator("#result").inner_text()
        form, result = (page.locator(one).bounding_box() for one in ("#t_where", "#result"))
        assert form is not None
        assert result is not None
        assert (form["y"] < result["y"]) == (case == "above")
        show(page, "compose")
        assert f"The effect of the draft is shown {effect}." in page.locator("#view").inner_text()


def test_a_phone_cuts_no_column_and_no_choice(here: str, page: Page) -> None:
    """Who may use how much fits, and every select shows its longest option."""
    page.set_viewport_size({"width": 390, "height": 800})
    agents = ("GPTBot", "ClaudeBot", "Googlebot", "meta-externalagent", "CCBot", "Google-Extended")
    groups = "".join(f"User-agent: {name}\nDisallow: /{n}\n\n" for n, name in enumerate(agents))
    pasted(page, here, f"{groups}User-agent: *\nDisallow: /private/\n")
    box = page.locator(".glance-box .scroll")
    expect(box).to_contain_text("AI input")
    assert box.evaluate("(one) => one.scrollWidth - one.clientWidth") == 0
    for name in VIEWS:
        show(page, name)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.locator("select").evaluate_all(CUT) == [], name


def test_a_fix_is_undone_where_it_was_made(here: str, sized: Page) -> None:
    """The note that says what was done has a button that takes it back; a note that changed nothing has none."""
    pasted(sized, here, PLAIN)
    show(sized, "lint")
    sized.locator(".fix button").first.click()
    undo = sized.locator("#notes .undoes")
    expect(undo).to_be_in_viewport()
    undo.click()
    expect(sized.locator("#text")).to_have_value(PLAIN)
    expect(sized.locator("#notes")).to_contain_text("undone")
    expect(undo).to_have_count(0)


def test_keys_of_the_editor_are_not_named_without_it(here: str, page: Page) -> None:
    """Compose has no editor, and no hint on its keys."""
    pasted(page, here, PLAIN)
    expect(page.locator("#keys")).to_be_visible()
    show(page, "compose")
    expect(page.locator("#keys")).to_be_hidden()


def test_changes_that_are_alike_are_one_card(here: str, page: Page) -> None:
    """A hundred crawlers with a group each are told once, and so are the paths that one of them is told.

    Where many crawlers are told of many paths, one card has all of it.
    """
    names = [f"bot{number}" for number in range(100)]
    closed = "".join(f"User-agent: {name}\nDisallow: /\n\n" for name in names)
    written_now = f"{closed}User-agent: other\n" + "".join(f"Disallow: /{number}/\n" for number in range(30))
    pasted(page, here, "User-agent: *\nAllow: /\n")
    show(page, "compare")
    page.locator("#keep").click()
    expect(page.locator("#result")).to_contain_text("Equal")
    written(page, written_now)
    expect(page.locator("#result")).to_contain_text("Different")
    cards = page.locator(".changes > li")
    expect(cards).to_have_count(2)
    expect(cards.first).to_contain_text("and 92 more")
    expect(cards.first).to_contain_text("line 2: Disallow: /; so do lines 5, 8")
    expect(cards.last.locator("h3 .places")).to_have_text("at 30 places")
    expect(cards.last.locator(".alike > li:visible")).to_have_count(8)
    expect(page.locator("tr.new").first).to_be_hidden()
    own = "".join(f"User-agent: {name}\nDisallow: /{name}/\n\n" for name in names)
    written(page, own)
    expect(cards).to_have_count(1)
    expect(cards.locator("h3 .places")).to_have_text("at 100 places")


def test_who_does_not_read_acap_is_said_beside_what_it_says(here: str, page: Page) -> None:
    """Under the verdict, at the line, and below the text; not where a line that they read says the same."""
    pasted(page, here, UNREAD)
    for name in ("policy", "lint"):
        show(page, name)
        expect(page.locator("#result .unread")).to_contain_text("GPTBot and ClaudeBot do not read ACAP")
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+End")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#cursor-line")).to_contain_text("Googlebot does not read ACAP")
    written(page, "User-agent: *\nDisallow: /a\n\nACAP-crawler: *\nACAP-disallow-crawl: /a\n")
    expect(page.locator("#result .unread")).to_have_count(0)
