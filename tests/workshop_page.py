"""The page of the workshop as a test uses it: texts to work on, and what somebody does with them."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

POLICY = """\
User-agent: *
Disallow: /private/
Allow: /private/free/
Disalow: /typo/

ACAP-crawler: *
ACAP-disallow-index: /drafts/
ACAP-allow-index: /news/ time-limit=7-days
ACAP-disallow-preserve: /

ACAP-crawler: otherbot
ACAP-disallow-crawl: /
Sitemap: https://www.example.com/sitemap.xml
"""
PLAIN = "User-agent: *\nDisallow: /private/\nDisalow: /drafts/\nDisallow: /*.pdf$\n"


def written(page: Page, text: str) -> None:
    """Puts a text into the editor in the place of what is there, as somebody does who pastes it."""
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+A")
    page.locator(".cm-content").evaluate(
        """(there, text) => {
          const data = new DataTransfer();
          data.setData("text/plain", text);
          there.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
        }""",
        text,
    )
    expect(page.locator("#text")).to_have_value(text)


def line(page: Page, number: int) -> Locator:
    """A line of the text, from 1, as the editor shows it."""
    return page.locator(".cm-content > .cm-line").nth(number - 1)


def pasted(page: Page, here: str, text: str = POLICY) -> None:
    """A workshop with a text, which shows what its lines decide."""
    page.goto(f"{here}/")
    written(page, text)
    expect(page.locator("#view .states")).to_be_visible()
    expect(page.locator(".states-gutter .sign").nth(1)).to_be_attached()


def show(page: Page, view: str) -> None:
    """Presses the tab of a view."""
    page.locator(f"#tab-{view}").click()
    expect(page.locator(f"#view.{view}")).to_be_visible()
