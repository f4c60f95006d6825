"""The workshop in a real browser: every flow, by keyboard, on a phone, in light and dark, and what goes where."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # it has no types
from playwright.sync_api import Browser, Page, Route, expect

from acap.publish.cases import read_cases
from acap.web.workshop.app import workshop_app
from acap.web.workshop.views import VIEWS
from tests.chromium import opened
from tests.loopback import Loopback, reply
from tests.web_server import served
from tests.workshop_page import PLAIN, POLICY, line, pasted, show, written

TDMREP = '[\n {"location": "/news/", "tdm-reservation": 1, "tdm-policy": "https://www.example.com/terms"}\n]\n'
AGENTS = ("GPTBot", "ClaudeBot", "Googlebot", "meta-externalagent", "CCBot")
CLIPBOARD = ("clipboard-read", "clipboard-write")
LONG = f"/a{'-very-long-name-without-any-blank' * 9}.html"


# Every layout shift that no key of the user's was just before.
WATCHED = """() => {
  const told = ({ node }) => node?.outerHTML?.slice(0, 80) ?? node?.textContent;
  window.shifted = [];
  window.watching?.disconnect();
  window.watching = new PerformanceObserver((list) => {
    const found = list.getEntries().filter((one) => !one.hadRecentInput);
    window.shifted.push(...found.map((one) => [one.value, ...one.sources.map(told)]));
  });
  window.watching.observe({ type: "layout-shift" });
}"""


@pytest.fixture(scope="module")
def here() -> Iterator[str]:
    with served(workshop_app()) as address:
        yield address


def filled(page: Page, here: str) -> None:
    """A workshop with something in every view."""
    pasted(page, here, POLICY + f"Disallow: {LONG}\n")
    show(page, "compare")
    page.locator("details:has(#old) summary").click()
    page.locator("#old").fill(POLICY)
    page.locator("#old").blur()
    expect(page.locator("#result")).to_contain_text("Different")
    show(page, "try")
    page.locator("#urls").fill(f"/\n/private/a\n{LONG}\n/news/x.html\nno url")
    expect(page.locator(".answers > li")).to_have_count(5)
    show(page, "compose")
    page.locator("#compose-read").click()
    expect(page.locator(".rules > li").first).to_be_visible()
    show(page, "test")
    page.locator("#t_where").fill(f"/ {LONG}")
    page.locator("#case-add").click()
    expect(page.locator(".cases > li")).to_have_count(1)


def test_the_text_is_marked_where_it_is_edited(here: str, page: Page) -> None:
    """What a line decides stands in it without a button, changes with the question, and is said in words too."""
    pasted(page, here)
    expect(line(page, 2)).to_have_class(re.compile("is-prohibits"))
    expect(line(page, 2).locator(".line-says")).to_have_text("prohibits")
    page.get_by_label("Usage (what for)").select_option("index")
    expect(line(page, 8).locator(".line-says")).to_have_text("permits with time-limit=7-days")
    page.get_by_role("combobox", name="Crawler").fill("otherbot")
    expect(line(page, 12)).to_have_class(re.compile("is-prohibits"))
    expect(line(page, 4).locator(".cm-lintRange-warning")).to_contain_text("Disalow")
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+End")
    page.keyboard.type("Disallow: /more/\n", delay=5)
    expect(line(page, 14)).to_have_class(re.compile("is-prohibits"))
    assert page.locator("#text").input_value() == POLICY + "Disallow: /more/\n"
    expect(page.locator(".cm-content")).to_be_focused()
    assert "Disallow" not in page.locator("#view").inner_text()


def test_colours_are_never_alone(here: str, page: Page) -> None:
    """Each kind of line that has a ground has a word of its own, too, and its sign stands beside its number."""
    pasted(page, here)
    grounds = page.locator(".is-permits, .is-prohibits, .is-restricts, .is-vocabulary, .is-void").all()
    assert len(grounds) >= 3
    assert all(one.locator(".line-says").inner_text().strip() for one in grounds)
    signs = page.locator(".states-gutter .cm-gutterElement:visible").all_inner_texts()
    assert sum(bool(sign.strip()) for sign in signs) >= len(grounds)


def test_a_line_tells_what_it_says_to_whom(here: str, page: Page) -> None:
    """To who points at it, and below the text to who is in it with the cursor."""
    pasted(page, here)
    line(page, 8).hover(position={"x": 60, "y": 8})
    expect(page.locator(".line-answer")).to_contain_text("Any crawler may index /news/, for 7 days")
    page.mouse.move(1, 1)
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+Home")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#cursor-line")).to_contain_text("Line 2: ✕ prohibits")
    expect(page.locator("#cursor-line")).to_contain_text("No crawler may crawl /private/")


def test_findings_are_mended_where_they_stand(here: str, page: Page) -> None:
    """Pointing at one tells what is wrong, why, and mends it; what a fix did is one step back."""
    pasted(page, here)
    line(page, 4).locator(".cm-lintRange").first.hover()
    told = page.locator(".cm-tooltip-lint")
    expect(told).to_contain_text("Disalow is read as Disallow")
    expect(told.get_by_role("link", name="misspelt-field")).to_have_attribute("href", "/rules/misspelt-field")
    told.get_by_role("button").click()
    mended = POLICY.replace("Disalow", "Disallow")
    expect(page.locator("#text")).to_have_value(mended)
    expect(line(page, 4).locator(".cm-lintRange-warning")).to_have_count(0)
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+End")
    page.keyboard.type("# x")
    page.keyboard.press("Control+Z")
    expect(page.locator("#text")).to_have_value(mended)
    page.keyboard.press("Control+Z")
    expect(page.locator("#text")).to_have_value(POLICY)
    expect(line(page, 4).locator(".cm-lintRange-warning")).not_to_have_count(0)
    page.keyboard.press("Control+Y")
    expect(page.locator("#text")).to_have_value(mended)


def test_what_somebody_points_at_stays_while_more_is_found(here: str, page: Page) -> None:
    """A second answer about the same text waits until nobody reads a finding."""
    late: list[Route] = []

    def answered(route: Route) -> None:
        response = route.fetch()
        if "patient" in (route.request.post_data or ""):
            late.append(route)
            route.fulfill(response=response)
        else:
            route.fulfill(response=response, json={**response.json(), "pending": ["late"]})

    page.route("**/marks", answered)
    pasted(page, here)
    line(page, 4).locator(".cm-lintRange").first.hover()
    told = page.locator(".cm-tooltip-lint")
    expect(told).to_contain_text("Disalow is read as Disallow")
    for _ in range(50):
        if late:
            break
        page.wait_for_timeout(100)
    assert late
    page.wait_for_timeout(500)
    expect(told).to_be_visible()


def test_findings_are_reached_and_mended_with_keys(here: str, page: Page) -> None:
    """F8 leads from one to the next, Ctrl-. mends; the cursor stays in the text."""
    pasted(page, here, PLAIN)
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+Home")
    for _ in range(6):
        page.keyboard.press("F8")
        if "Disalow is read" in page.locator("#cursor-line").inner_text():
            break
        page.wait_for_timeout(600)
    expect(page.locator("#cursor-line")).to_contain_text("Disalow is read as Disallow")
    expect(page.locator("#fix-here")).to_be_visible()
    page.keyboard.press("Control+.")
    expect(page.locator("#text")).to_have_value(PLAIN.replace("Disalow", "Disallow"))
    expect(page.locator(".cm-content")).to_be_focused()
    page.keyboard.press("Control+Shift+M")
    expect(page.locator("#view.lint")).to_be_visible()
    expect(page.locator(".cm-content")).to_be_focused()


def test_only_what_is_new_is_marked_as_new(here: str, page: Page) -> None:
    """What was just typed brings a mark for its findings, until the next answer; those from before have none."""
    pasted(page, here)
    show(page, "lint")
    fresh = page.locator(".fresh:visible")
    expect(page.locator(".findings-gutter .warning").first).to_be_visible()
    expect(fresh).to_have_count(0)
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+Home")
    page.keyboard.type("Dissallow: /b\n")
    expect(line(page, 1).locator(".fresh")).to_have_text("new")
    expect(page.locator("#result .place", has_text="line 1 ").first.locator(".fresh")).to_have_text("new")
    expect(line(page, 5).locator(".fresh")).to_have_count(0)
    page.keyboard.press("Control+End")
    page.keyboard.type("# x")
    expect(fresh).to_have_count(0)


def test_what_moves_with_its_line_is_not_new(here: str, page: Page) -> None:
    """A text with another line above and others below comes back as one change, and what it had is known."""
    pasted(page, here, PLAIN)
    show(page, "lint")
    known = page.locator(".findings-gutter .warning")
    expect(known).to_have_count(1)

    def comes(route: Route) -> None:
        mended = f"##ACAP version=1.1\n{PLAIN}\nACAP-crawler: *\nACAP-disallow-index: /x\nDissallow: /y\n"
        form = (route.request.post_data_buffer or b"").replace(PLAIN.encode(), mended.encode())
        form = form.replace(PLAIN.replace("\n", "\r\n").encode(), mended.encode())
        route.continue_(post_data=form)

    page.route("**/do/format", comes)
    page.locator("#format").click()
    expect(page.locator("#text")).to_have_value(re.compile("##ACAP"))
    expect(known).to_have_count(2)
    expect(page.locator(".cm-line", has_text="Disalow").locator(".fresh")).to_have_count(0)
    expect(page.locator(".cm-line", has_text="Dissallow").locator(".fresh")).to_have_count(1)


def test_keys_of_the_editor_are_named_below_it(here: str, page: Page) -> None:
    """Who has a keyboard is told of the two keys; on a phone the line would only take room."""
    page.goto(f"{here}/")
    expect(page.locator("#keys")).to_have_text("F8 next finding Ctrl . its safe fix")
    page.set_viewport_size({"width": 390, "height": 800})
    expect(page.locator("#keys")).to_be_hidden()


def test_a_phone_shows_what_a_button_did(here: str, browser: Browser, script_errors: list[str]) -> None:
    """Where the result stands above the form, a button in the form leads to it; who only types stays at the field."""
    with opened(browser, script_errors, viewport=(390, 800)) as page:
        pasted(page, here)
        fields, result = (page.locator(one).bounding_box() for one in ("#crawler", "#result"))
        assert fields is not None
        assert result is not None
        assert fields["y"] < result["y"]
        show(page, "test")
        page.locator("#t_where").fill("/private/a /news/ /drafts/ /x")
        page.locator("#case-add").click()
        expect(page.locator(".cases > li")).to_have_count(1)
        expect(page.locator("#result .message").first).to_be_in_viewport()
        page.locator("#t_where").fill("")
        page.locator("#case-add").click()
        expect(page.locator("#t_where")).to_have_attribute("aria-invalid", "true")
        expect(page.locator("#t_where")).to_be_in_viewport()
        show(page, "compose")
        page.locator('.starts [name="start"]').first.click()
        expect(page.locator("#result .rules > li").first).to_be_visible()
        expect(page.locator("#result")).to_be_in_viewport()
        assert abs(page.locator("#result").evaluate("(one) => one.getBoundingClientRect().top")) < 60


def test_a_field_in_error_is_seen_and_moves_no_other(here: str, page: Page) -> None:
    """Its border has the colour of what is wrong, and the field beside it stays in line."""
    pasted(page, here)
    show(page, "test")
    before = page.locator("#t_crawler").bounding_box()
    page.locator("#case-add").click()
    expect(page.locator("#t_where")).to_have_attribute("aria-invalid", "true")
    after = page.locator("#t_crawler").bounding_box()
    assert before is not None
    assert after is not None
    assert (after["x"], after["y"]) == (before["x"], before["y"])
    border = page.locator("#t_where").evaluate("(one) => getComputedStyle(one).borderColor")
    assert border == page.locator("#t_where-wrong").evaluate("(one) => getComputedStyle(one).color")


def test_tabs_and_buttons_keep_their_places(here: str, browser: Browser, script_errors: list[str]) -> None:
    """The tab that is shown is no wider than before, and a button that says `Copied` pushes none aside."""
    with opened(browser, script_errors, permissions=CLIPBOARD) as page:
        pasted(page, here)

        def places() -> list[float]:
            found = page.locator("#tabs button, #tools button")
            return list(found.evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().x)"))

        before = places()
        page.locator("#copy").click()
        expect(page.locator("#copy")).to_have_text("Copied")
        assert places() == before
        show(page, "lint")
        assert places() == before


def test_what_was_done_is_said_for_a_while(here: str, page: Page) -> None:
    """A note of what was done goes by itself and covers nothing for long; what is wrong stays."""
    pasted(page, here, PLAIN)
    show(page, "lint")
    page.locator(".fix button").first.click()
    expect(page.locator("#notes .done")).to_be_visible()
    expect(page.locator("#notes .done")).to_have_count(0, timeout=9000)


def test_who_may_use_how_much_fits_beside_the_text(here: str, page: Page) -> None:
    """At 1280 pixels no column is cut, and no name is broken within a word."""
    page.set_viewport_size({"width": 1280, "height": 840})
    groups = "".join(f"User-agent: {name}\nDisallow: /{n}\n\n" for n, name in enumerate(AGENTS))
    pasted(page, here, f"{groups}User-agent: *\nDisallow: /private/\n")
    box = page.locator(".glance-box .scroll")
    expect(box).to_contain_text("AI input")
    assert box.evaluate("(one) => one.scrollWidth - one.clientWidth") == 0
    name = box.get_by_role("rowheader", name="meta-externalagent", exact=True)
    lines = "(one) => Math.round(one.clientHeight / parseFloat(getComputedStyle(one).lineHeight))"
    assert name.evaluate(lines) == 1


def test_a_text_that_arrives_is_seen_from_its_begin(here: str, page: Page) -> None:
    """Whoever pastes a long text reads it from the top."""
    page.goto(f"{here}/")
    written(page, "User-agent: *\n" + "".join(f"Disallow: /{n}/\n" for n in range(90)))
    expect(page.locator("#view .states")).to_be_visible()
    assert page.locator(".cm-scroller").evaluate("(one) => one.scrollTop") == 0


def test_what_a_fix_leaves_is_not_new(here: str, page: Page) -> None:
    """A finding that was there before stays known when another is mended; what lines come to stays until the answer."""
    page.goto(f"{here}/")
    page.locator("#example-here").click()
    remark = page.locator(".findings-gutter .info")
    expect(remark).to_have_count(1)
    show(page, "lint")
    marked = page.locator(".line-says").count()
    page.route("**/marks", lambda _: None)
    page.locator("#fix-all").click()
    expect(page.locator("#text")).to_have_value(re.compile("Disallow: /drafts/"))
    expect(remark).to_have_count(1)
    assert page.locator(".line-says").count() == marked
    page.unroute("**/marks")
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+End")
    with page.expect_response("**/marks"):
        page.keyboard.type("# x")
    expect(page.locator(".findings-gutter .warning")).to_have_count(0)
    expect(page.locator(".fresh")).to_have_count(0)


def test_what_is_typed_while_a_fix_is_made_is_kept(here: str, page: Page) -> None:
    """The fix lands in the text of now."""
    pasted(page, here)
    held: list[Route] = []
    page.route("**/do/fix", lambda route: held.append(route))
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+Home")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Control+.")
    page.keyboard.press("Control+Home")
    page.keyboard.type("# é\n", delay=1)
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    expect(page.locator("#text")).to_have_value("# é\n" + POLICY.replace("Disalow", "Disallow"))


@pytest.mark.parametrize("size", [(1280, 840), (360, 740)])
def test_nothing_moves_while_somebody_types(
    here: str, browser: Browser, script_errors: list[str], size: tuple[int, int]
) -> None:
    """Answers come beside the text, in every view, without a layout shift that is not what the key did."""
    with opened(browser, script_errors, viewport=size) as page:
        pasted(page, here)
        for name in ("policy", "try", "lint", "compare"):
            show(page, name)
            page.evaluate("scrollTo(0, 0)")
            page.locator(".cm-content").focus()
            page.keyboard.press("Control+Home")
            page.wait_for_timeout(700)  # what the press on the tab moved is over
            page.evaluate(WATCHED)
            for word in ("Dissallow: /x", "\nUser-agent: a", "\nDisallow: /y\n"):
                with page.expect_response(lambda answer: answer.request.headers.get("hx-target") == "result"):
                    page.keyboard.type(word)
                page.wait_for_timeout(700)
            assert page.evaluate("window.shifted") == [], name


def test_the_guard_keeps_fetches_out_of_private_networks(here: str, page: Page) -> None:
    """An address of this machine is refused with a sentence that says what would allow it; nothing is asked there."""
    with Loopback() as there:
        there.says["/robots.txt"] = reply(body=POLICY.encode())
        page.goto(f"{here}/")
        page.get_by_role("button", name="Fetch it from a site").click()
        page.get_by_label("From a site").fill(there.url("/"))
        page.keyboard.press("Enter")
        expect(page.locator("#where-wrong")).to_contain_text("acap serve --allow-private")
        expect(page.locator("#notes .message")).to_be_hidden()
        assert there.asked == []
        where = page.get_by_label("From a site")
        expect(where).to_have_value(there.url("/"))
        expect(where).to_have_attribute("aria-invalid", "true")
        expect(where).to_have_accessible_description(re.compile("cannot be retrieved"))
        expect(where).to_be_focused()
    assert page.locator("#text").input_value() == ""


def test_an_address_that_failed_stays_beside_a_text(here: str, page: Page) -> None:
    """The field with the address stays open and as it was, so that a slip can be mended."""
    pasted(page, here)
    page.get_by_text("Fetch, open, or load").click()
    page.get_by_label("From a site").fill("www.exmaple.invalid")
    page.keyboard.press("Enter")
    expect(page.locator("#where-wrong")).to_be_visible()
    expect(page.get_by_label("From a site")).to_have_value("www.exmaple.invalid")
    assert page.locator("#text").input_value() == POLICY


def test_a_mistake_in_an_answer_stands_at_its_field(here: str, page: Page) -> None:
    """It is marked for those who see and for those who hear the page, and goes when it is mended."""
    page.goto(f"{here}/compose")
    page.locator("[name='c_use_index'][value='may']").check(force=True)
    page.locator("#c_limit_0").select_option("time-limit")
    page.locator("#c_value_0").fill("7")
    value = page.locator("#c_value_0")
    expect(value).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#c_value_0-wrong")).to_be_visible()
    value.fill("7-days")
    expect(page.locator("#c_value_0-wrong")).to_have_count(0)
    expect(value).not_to_have_attribute("aria-invalid", "true")


def test_what_a_button_misses_is_said_at_its_field(here: str, page: Page) -> None:
    """The field is marked, has the focus, and says what to write; nothing else repeats it."""
    pasted(page, here)
    show(page, "test")
    page.locator("#case-add").click()
    where = page.get_by_label("Addresses")
    expect(where).to_be_focused()
    expect(where).to_have_attribute("aria-invalid", "true")
    expect(where).to_have_accessible_description(re.compile("write the addresses"))
    expect(page.locator("#notes .message")).to_be_hidden()
    show(page, "compose")
    page.locator("#start-licence").click()
    expect(page.locator("#s_terms")).to_be_focused()
    expect(page.locator("#s_terms-wrong")).to_contain_text("write the whole URL")


def test_a_preset_is_added_with_one_press(here: str, page: Page) -> None:
    """Each says what changes for whom before it is chosen; the lines of the text stay."""
    pasted(page, here, PLAIN)
    show(page, "compose")
    expect(page.locator(".starts li")).to_have_count(6)
    page.locator("#start-no-training").click()
    expect(page.locator("#notes")).to_contain_text("No AI training")
    expect(page.locator("#result")).to_contain_text("ACAP-disallow-ai-train: /")
    expect(page.locator("#result")).to_contain_text("Disallow: /private/")
    page.locator("#start-licence").click()
    expect(page.locator("#notes")).to_contain_text("write the whole URL")


def test_a_policy_is_fetched_where_it_may_be(page: Page) -> None:
    """With private networks allowed the site's robots.txt comes into the text and is coloured."""
    with Loopback() as there, served(workshop_app(allow_private=True)) as address:
        there.says["/robots.txt"] = reply(body=POLICY.encode())
        page.goto(f"{address}/")
        page.get_by_text("Fetch, open, or load").click()
        page.get_by_label("From a site").fill(there.url("/any/page.html"))
        page.get_by_role("button", name="Fetch", exact=True).click()
        expect(page.locator("#notes")).to_contain_text("Done fetched")
        assert page.locator("#text").input_value() == POLICY
        expect(page.locator("#text")).to_have_value(POLICY)
        expect(line(page, 2)).to_have_class(re.compile("is-prohibits"))
        assert there.targets == ["/robots.txt"]


def test_urls_are_tried(here: str, page: Page) -> None:
    """Outcomes come with each change; the reason and all usages unfold."""
    pasted(page, here)
    show(page, "try")
    page.locator("#urls").fill("/private/free/x\n/drafts/y")
    answers = page.locator(".answers > li")
    expect(answers.first.locator(".answer")).to_contain_text("permitted")
    page.get_by_label("Usage (what for)").select_option("index")
    expect(answers.nth(1).locator(".answer")).to_contain_text("prohibited")
    answers.nth(1).get_by_text("Why", exact=False).first.click()
    expect(answers.nth(1).locator(".tree").first).to_contain_text("robots.txt:7:1 ACAP-disallow-index: /drafts/")
    answers.nth(1).get_by_text("All usages", exact=False).first.click()
    expect(answers.nth(1).get_by_role("rowheader", name="ai-train", exact=True)).to_be_visible()


def test_a_finding_is_mended_and_undone(here: str, page: Page) -> None:
    """The fix changes the text and the list, and Undo changes both back."""
    pasted(page, here)
    show(page, "lint")
    finding = page.locator(".findings > li", has_text="misspelt-field")
    finding.get_by_role("button", name="Go to the line").click()
    assert page.evaluate("getSelection().toString()") == "Disalow: /typo/"
    finding.locator(".fix button").click()
    expect(page.locator("#text")).to_have_value(POLICY.replace("Disalow", "Disallow"))
    expect(finding).to_have_count(0)
    page.locator("#undo").click()
    expect(page.locator("#text")).to_have_value(POLICY)
    expect(finding).to_have_count(1)


def test_versions_are_compared(here: str, page: Page) -> None:
    """The text is kept as the old version, changed, and compared: in decisions, and line by line."""
    pasted(page, here)
    show(page, "compare")
    page.locator("#keep").click()
    expect(page.locator("#result")).to_contain_text("Equal")
    written(page, POLICY.replace("Disallow: /private/", "Disallow: /"))
    expect(page.locator("#result")).to_contain_text("Different")
    expect(page.locator(".changes")).to_contain_text("line 2: Disallow: /")
    expect(page.locator("tr.old code")).to_have_text("Disallow: /private/")
    expect(page.locator("tr.new code")).to_have_text("Disallow: /")


def test_a_policy_is_composed_with_a_preview_at_every_step(here: str, page: Page) -> None:
    """Each step changes the preview at once; the draft becomes the text."""
    page.goto(f"{here}/compose")
    page.get_by_label("To whom?").fill("searchbot")
    page.get_by_label("Which parts of the site?").fill("/news/")
    page.get_by_role("radiogroup", name="put it into a search index").get_by_label("may", exact=True).check()
    expect(page.locator(".new-rules li")).to_have_text("searchbot may index /news/")
    page.locator("#c_limit_0").select_option("time-limit")
    page.locator("#c_value_0").fill("soon")
    expect(page.locator("#result .message.error").first).to_contain_text("soon")
    page.locator("#c_value_0").fill("7-days")
    expect(page.locator(".new-rules li")).to_have_text("searchbot may index /news/, for 7 days")
    expect(page.locator(".preview")).to_contain_text("time-limit=7-days")
    page.get_by_role("button", name="Add this to the draft").click()
    expect(page.locator(".rules > li")).to_have_count(1)
    expect(page.get_by_label("To whom?")).to_have_value("*")
    page.get_by_role("button", name="Use the draft as the text").click()
    expect(page.locator("#text")).to_have_value(re.compile("ACAP-allow-index: /news/ time-limit=7-days"))
    show(page, "policy")
    page.get_by_role("combobox", name="Crawler").fill("searchbot")
    page.get_by_label("Usage (what for)").select_option("index")
    expect(page.locator(".is-restricts .line-says")).to_have_text("permits with time-limit=7-days")


def test_a_link_holds_the_state_and_tells_it_to_nobody(here: str, page: Page, browser: Browser) -> None:
    """In a fresh context the link brings text, question and view back; no request has a word of it, and all go here."""
    pasted(page, here, f"# grüße 🎈\n{POLICY}")
    page.get_by_role("combobox", name="Crawler").fill("otherbot")
    show(page, "try")
    page.locator("#urls").fill("/secret-path")
    expect(page.locator(".answers > li")).to_have_count(1)
    page.get_by_role("button", name="Link").click()
    expect(page.locator("#link-text")).to_have_value(re.compile("#s="))
    link = page.locator("#link-text").input_value()
    word = link.partition("#s=")[2]
    assert re.fullmatch(r"[A-Za-z0-9_-]+", word)
    errors: list[str] = []
    requests: list[str] = []
    with opened(browser, errors, fresh=True) as other:
        other.on("request", lambda request: requests.append(f"{request.url}\n{json.dumps(request.headers)}"))
        other.goto(link)
        expect(other.locator("#view.try")).to_be_visible()
        expect(other.locator(".answers > li")).to_contain_text("/secret-path")
        assert other.locator("#text").input_value() == f"# grüße 🎈\n{POLICY}"
        assert other.get_by_role("combobox", name="Crawler").input_value() == "otherbot"
        assert other.url == f"{here}/try"
        # It is kept over a reload, in this tab.
        other.reload()
        expect(other.locator(".answers > li")).to_contain_text("/secret-path")
        assert other.locator("#text").input_value() == f"# grüße 🎈\n{POLICY}"
    assert errors == []
    assert requests
    assert all(request.startswith(f"{here}/") for request in requests)
    assert not any(word[:20] in request or "secret" in request for request in requests)


@pytest.mark.parametrize("word", ["AAAA", "!!!", "", "q1ZKTC5RsgIA", "7cEBAQ"])
def test_a_damaged_link_says_so(here: str, page: Page, word: str) -> None:
    """Nothing of it is taken, and the page works on."""
    page.goto(f"{here}/#s={word}")
    expect(page.locator("#notes")).to_contain_text("this link cannot be opened")
    assert page.url == f"{here}/"
    page.get_by_role("button", name="Load the example").first.click()
    expect(page.locator(".is-permits").first).to_be_visible()


def test_a_link_that_unpacks_without_end_is_stopped(here: str, page: Page) -> None:
    """A small word that becomes many megabytes is refused before they are there."""
    import base64
    import zlib

    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    octets = packer.compress(b'{"v":1,"text":"' + b"a" * 80_000_000) + packer.flush()
    word = base64.urlsafe_b64encode(octets).decode().rstrip("=")
    page.goto(f"{here}/#s={word}")
    expect(page.locator("#notes")).to_contain_text("it holds more than the workshop takes")


def test_a_hostile_link_runs_nothing(here: str, page: Page) -> None:
    """What a link holds is text in fields, whatever it looks like."""
    import base64
    import zlib

    evil = "</textarea><img src=x onerror=\"document.title='pwned'\"><script>document.title='pwned'</script>"
    state = {
        "v": 1,
        "view": 'x"]',
        "text": evil,
        "crawler": evil,
        "urls": evil,
        "usage": evil,
        "draft": evil,
        "undo": evil,
    }
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    octets = packer.compress(json.dumps(state).encode()) + packer.flush()
    page.goto(f"{here}/#s={base64.urlsafe_b64encode(octets).decode().rstrip('=')}")
    expect(page.locator(".cm-line")).to_have_count(1)
    for name in VIEWS:
        show(page, name)
    assert page.locator("#text").input_value() == evil
    assert page.title() != "pwned"
    assert page.locator("main img[src]").count() == 0


def test_a_view_that_is_left_before_its_answer_came_is_no_error(here: str, page: Page) -> None:
    """A request that the next one replaces, and one that the page leaves unanswered, write nothing into the console."""
    pasted(page, here, POLICY)
    page.route("**/try", lambda _: None)
    page.locator("#tab-try").click()
    show(page, "lint")
    page.locator("#tab-try").click()
    page.goto("about:blank")


def test_the_result_is_copied_and_downloaded(here: str, browser: Browser, tmp_path: Path) -> None:
    """The clipboard and the file have exactly the text; a file opened in Latin-1 is downloaded as it was."""
    errors: list[str] = []
    with opened(browser, errors, permissions=CLIPBOARD) as page:
        pasted(page, here)
        page.get_by_role("button", name="Copy", exact=True).first.click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == POLICY
        octets = b"User-agent: *\r\nDisallow: /caf\xe9/\r\n"
        file = tmp_path / "robots.txt"
        file.write_bytes(octets)
        page.get_by_text("Fetch, open, or load").click()
        page.get_by_label("From a file", exact=True).set_input_files(file)
        expect(page.locator("#origin")).to_contain_text("ISO 8859-1")
        with page.expect_download() as download:
            page.get_by_role("button", name="Download", exact=True).click()
        assert download.value.suggested_filename == "robots.txt"
        assert Path(download.value.path()).read_bytes() == octets
    assert errors == []


def test_a_file_that_is_not_taken_leaves_the_page_working(here: str, page: Page, tmp_path: Path) -> None:
    """It is said, and what is typed after it is answered; so it is after a button that led nowhere."""
    large = tmp_path / "robots.txt"
    large.write_bytes(b"# x\n" * 300_000)
    page.goto(f"{here}/")
    page.get_by_label("From a file", exact=True).set_input_files(large)
    expect(page.locator("#notes")).to_contain_text("larger than 1 MB")
    # Pressed by a script, it never has the focus, and never loses it.
    page.evaluate("document.getElementById('open').click()")
    expect(page.locator("#notes")).to_contain_text("no file chosen")
    written(page, POLICY)
    expect(line(page, 2)).to_have_class(re.compile("is-prohibits"))
    assert page.locator("#text").input_value() == POLICY


def test_everything_can_be_done_with_the_keyboard(here: str, page: Page) -> None:
    """From the way past the frame to the tabs, the text, the question and a fix, with Tab and Enter alone."""
    page.goto(f"{here}/")
    page.get_by_text("Fetch, open, or load").focus()
    page.keyboard.press("Enter")
    page.locator("body").evaluate("(one) => { one.tabIndex = -1; one.focus(); }")
    reached = []
    for _ in range(19):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                """(({ id, className, innerText }) => id || className || innerText)(document.activeElement)"""
            )
        )
    tabs = [f"tab-{name}" for name in VIEWS]
    assert reached[: 2 + len(tabs)] == ["skip", "brand", *tabs]
    rest = [
        "kind", "Fetch, open, or load an example", "where", "fetch", "fetch-page", "file", "open", "site", "example",
        "cm-content",
    ]  # fmt: skip
    assert reached[2 + len(tabs) :][: len(rest)] == rest
    page.locator(".cm-content").focus()
    page.keyboard.type("User-agent: *\nDisalow: /a\n")
    expect(page.locator(".is-prohibits")).to_have_count(1)
    # The editor lets the Tab key go on.
    page.keyboard.press("Tab")
    expect(page.locator(".cm-content")).not_to_be_focused()
    page.locator("#tab-lint").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#view.lint")).to_be_visible()
    assert page.evaluate("document.activeElement.id") == "tab-lint"
    page.locator(".findings > li", has_text="misspelt-field").locator(".fix button").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#text")).to_have_value("User-agent: *\nDisallow: /a\n")
    # Enter in a field of the question asks, and does not press another button.
    show(page, "policy")
    page.get_by_role("combobox", name="Crawler").fill("somebot")
    page.keyboard.press("Enter")
    expect(page.locator("#result h3")).to_contain_text("somebot")
    assert page.url == f"{here}/"


def test_back_leads_to_the_view_before_with_the_text_of_now(here: str, page: Page) -> None:
    """A view has an address of its own; going back keeps the text."""
    pasted(page, here)
    show(page, "lint")
    assert page.url == f"{here}/lint"
    page.go_back()
    expect(page.locator("#view.policy")).to_be_visible()
    expect(page.locator("#text")).to_have_value(POLICY)


def test_it_works_without_scripts(here: str, browser: Browser) -> None:
    """Paste, look, try, mend, undo and compare are buttons of a form."""
    with opened(browser, [], java_script_enabled=False) as page:
        page.goto(f"{here}/")
        assert page.get_by_role("button", name="Link").count() == 0
        page.locator("#text").fill(POLICY)
        page.get_by_role("button", name="Update").click()
        assert "line 2 prohibits" in " ".join((page.locator(".states .prohibits").text_content() or "").split())
        assert page.locator(".cm-editor").count() == 0
        page.locator("#tab-try").click()
        assert page.locator("#text").input_value() == POLICY
        page.locator("#tab-lint").click()
        page.locator(".findings > li", has_text="misspelt-field").locator(".fix button").click()
        assert page.locator("#text").input_value() == POLICY.replace("Disalow", "Disallow")
        page.locator("#undo").click()
        assert page.locator("#text").input_value() == POLICY
        with page.expect_download() as download:
            page.get_by_role("button", name="Download", exact=True).click()
        assert Path(download.value.path()).read_bytes() == POLICY.encode()


def test_a_server_that_has_ended_is_told_of(page: Page, script_errors: list[str]) -> None:
    """The text stays in the page, and a sentence says what happened."""
    with served(workshop_app()) as address:
        pasted(page, address)
    written(page, f"{POLICY}\n# more\n")
    expect(page.locator("#notes")).to_contain_text("the workshop does not answer")
    assert page.locator("#text").input_value() == f"{POLICY}\n# more\n"
    script_errors.clear()


def test_every_view_is_accessible(here: str, page: Page) -> None:
    """Axe finds nothing in any view, empty or with everything unfolded; nor in the colours of the dark."""
    page.goto(f"{here}/")
    clean(page, "empty")
    filled(page, here)
    page.get_by_role("button", name="Link").click()
    for name in VIEWS:
        show(page, name)
        clean(page, name)


def clean(page: Page, what: str) -> None:
    """All rules of axe in light; in dark those about colours, as nothing else differs."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    colours = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
    for scheme, rules in (("light", {}), ("dark", colours)):
        # Without motion, so that no colour is halfway from one scheme to the other.
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]  # a `str` of a few
        found = Axe().run(page, options={"resultTypes": ["violations"], **rules})  # what is right is not described
        assert found.violations_count == 0, f"{what}, {scheme}: {found.generate_report()}"
    page.emulate_media(color_scheme="light")


def test_a_text_of_another_dialect_brings_its_own_views(here: str, browser: Browser) -> None:
    """While it is typed the page follows; a choice is kept over a reload, and comes with a link. All is accessible."""
    errors: list[str] = []
    with opened(browser, errors, permissions=CLIPBOARD) as page:
        page.goto(f"{here}/")
        written(page, TDMREP)
        expect(page.locator("#view-title")).to_have_text("What it says")
        expect(page.locator("#text-name")).to_have_text("tdmrep.json (TDMRep)")
        expect(page.locator("#kind option").first).to_have_text("tdmrep.json (TDMRep), as it looks")
        expect(page.locator(".portrait")).to_contain_text("line 2: /news/: may only on terms mine text and data of it")
        for name in VIEWS:
            show(page, name)
            clean(page, name)
        show(page, "try")
        page.locator("#usage").select_option("ai-train")
        expect(page.locator(".answers > li", has_text="/news/")).to_contain_text("needs consent to terms")
        written(page, "User-agent: *\nDisallow: /news/\n")
        expect(page.locator("#text-name")).to_have_text("robots.txt")
        expect(page.locator("#keep-cases")).to_be_visible()
        page.locator("#kind").focus()
        page.locator("#kind").select_option("ai-txt")
        expect(page.locator("#text-name")).to_have_text("ai.txt (Spawning)")
        expect(page.locator("#kind")).to_be_focused()
        expect(page.locator("#keep-cases")).to_have_count(0)
        page.reload()
        expect(page.locator("#text-name")).to_have_text("ai.txt (Spawning)")
        page.get_by_role("button", name="Link", exact=True).click()
        link = page.locator("#link-text")
        expect(link).to_have_value(re.compile("#s="))
        word = link.input_value()
        # What is pasted in the place of all of it is not said to be anything.
        page.evaluate("(text) => navigator.clipboard.writeText(text)", PLAIN)
        page.locator(".cm-content").focus()
        page.keyboard.press("Control+A")
        page.keyboard.press("Control+V")
        expect(page.locator("#text-name")).to_have_text("robots.txt")
        page.goto("about:blank")
        page.goto(word)
        expect(page.locator("#text-name")).to_have_text("ai.txt (Spawning)")
    with opened(browser, errors, viewport=(360, 740)) as page:
        page.goto(f"{here}/")
        written(page, TDMREP.replace("/news/", LONG))
        expect(page.locator("#view-title")).to_have_text("What it says")
        for name in VIEWS:
            show(page, name)
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, name
    assert errors == []


def test_every_view_fits_a_phone(here: str, browser: Browser, script_errors: list[str]) -> None:
    """At 360 pixels a tap on a tab leads to its view, and none scrolls sideways, whatever paths it has."""
    with opened(browser, script_errors, viewport=(360, 740)) as page:
        filled(page, here)
        for name in VIEWS:
            show(page, name)
            expect(page.locator("#view-title")).to_be_in_viewport()
            page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, name


def test_a_webmaster_gets_from_robots_txt_to_tested_acap(here: str, browser: Browser, tmp_path: Path) -> None:
    """The whole way by the page alone; every answer names a line, and no request goes anywhere but to the server."""
    errors: list[str] = []
    asked: list[str] = []
    with opened(browser, errors, permissions=CLIPBOARD) as page:
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{here}/")
        expect(page.locator("#result")).to_contain_text("See what your robots.txt really says")
        # What is pasted is kept to be compared with.
        page.evaluate("(text) => navigator.clipboard.writeText(text)", PLAIN)
        page.locator(".cm-content").focus()
        page.keyboard.press("Control+V")
        expect(line(page, 2)).to_have_class(re.compile("is-prohibits"))
        expect(page.locator("#where")).to_be_hidden()
        show(page, "try")
        page.locator("#take-urls").click()
        expect(page.locator("#urls")).to_have_value("/\n/private/\n/drafts/\n/x.pdf")
        answer = page.locator(".answers > li", has_text="/drafts/")
        expect(answer).to_contain_text("line 3: Disalow: /drafts/")
        answer.get_by_role("button", name="Go to line 3").click()
        assert page.evaluate("getSelection().toString()") == "Disalow: /drafts/"
        page.locator("#keep-cases").click()
        expect(page.locator("#result .message")).to_contain_text("all 4 checks")
        show(page, "lint")
        page.locator(".findings > li", has_text="misspelt-field").locator(".fix button").click()
        expect(page.locator("#text")).to_have_value(PLAIN.replace("Disalow", "Disallow"))
        show(page, "convert")
        expect(page.locator("#result")).to_contain_text("Proved")
        page.locator("#convert-use").click()
        expect(page.locator("#text")).to_have_value(re.compile("ACAP-disallow-crawl: /private/"))
        # The button has gone, and whoever goes on with keys is not at the top of the page again.
        expect(page.locator("#view-title")).to_be_focused()
        show(page, "compare")
        expect(page.locator("#result")).to_contain_text("Equal")
        show(page, "test")
        page.get_by_label("Addresses").fill("/drafts/a")
        page.get_by_label("Must be").select_option("permitted")
        page.get_by_label("Name").fill("drafts are open")
        page.keyboard.press("Enter")
        expect(page.locator("#result .message")).to_contain_text("1 of 5 checks")
        failed = page.locator(".cases > li", has_text="drafts are open")
        expect(failed).to_contain_text("expected permitted, decided prohibited")
        expect(failed).to_contain_text("ACAP-disallow-crawl: /drafts/")
        cases = page.locator("#cases")
        cases.fill(cases.input_value().replace('"/drafts/a"', '"/"'))
        expect(page.locator("#result .message")).to_contain_text("all 5 checks")
        for button, name in (("#download", "robots.txt"), ("#download-cases", "robots.acap.toml")):
            with page.expect_download() as download:
                page.locator(button).click()
            assert download.value.suggested_filename == name
            download.value.save_as(tmp_path / name)
        assert read_cases(tmp_path / "robots.acap.toml").cases[-1].name == "drafts are open"
        assert (tmp_path / "robots.txt").read_text() == page.locator("#text").input_value()
        show(page, "compose")
        page.locator("#compose-read").click()
        expect(page.locator(".rules > li").first).to_be_visible()
    assert errors == []
    assert [url for url in asked if not url.startswith((f"{here}/", f"blob:{here}/"))] == []


def test_a_long_text_is_typed_into_without_waiting(here: str, page: Page) -> None:
    """Of forty kilobytes every line can be reached and changed, and a key is on the page before any answer is."""
    text = "".join(
        f"User-agent: bot{number}\nDisallow: /{number}/*.pdf$\nAllow: /{number}/free/\n\n" for number in range(700)
    )
    assert len(text) > 40_000
    pasted(page, here, text)
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+End")
    page.route("**/marks", lambda _: None)
    page.keyboard.type("Disallow: /last")
    expect(page.locator(".cm-line").last).to_contain_text("Disallow: /last")
    assert page.locator("#text").input_value() == f"{text}Disallow: /last"
    page.keyboard.press("Control+F")
    page.keyboard.type("/77/free/")
    page.keyboard.press("Enter")
    expect(page.locator(".cm-searchMatch-selected")).to_be_in_viewport()
    clean(page, "the search")


def test_what_takes_long_is_said_and_can_be_stopped(here: str, page: Page) -> None:
    """The page works on while the server does; Stop gives it back, with the text as it was."""
    pasted(page, here)
    page.route("**/convert", lambda _: None)
    page.locator("#tab-convert").click()
    expect(page.locator("#working")).to_contain_text("Working on it")
    page.locator(".cm-content").press("Control+End")
    expect(page.get_by_role("progressbar")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#working")).to_be_hidden()
    expect(page.locator("#notes")).to_contain_text("stopped")
    expect(page.locator("#view-title")).to_be_focused()
    expect(page.locator("#view.policy")).to_be_visible()
    show(page, "lint")
    assert page.locator("#text").input_value() == POLICY
