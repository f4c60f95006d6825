"""What is held for the use of a page alone goes with that use, whatever ends it, and not before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from acap.harvest import review
from acap.harvest.proof import verify
from tests.harvest import SITE
from tests.test_keeper import everywhere

if TYPE_CHECKING:
    from tests.harvest import Harvest

TEXT = (("Content-Type", "text/plain"),)
CREDIT = "must-include-resource=the-acap:credit:/priv/credit.html"


def acap(*lines: str) -> bytes:
    """A robots.txt that closes a folder."""
    return "\n".join(["ACAP-crawler: *", "ACAP-disallow-crawl: /priv/", *lines, ""]).encode()


def credited(harvest: Harvest, *lines: str) -> Harvest:
    """A harvest of a page, and of the credit that must be shown with it."""
    harvest.robots[SITE] = acap(*lines)
    harvest.crawl("/a", "<p>fog")
    assert harvest.crawl("/priv/credit.html", "<p>Quorvanel", for_use=True)
    harvest.sweep()
    assert len(harvest.copies("/priv/credit.html")) == 1
    return harvest


def supplied(harvest: Harvest, *lines: str) -> Harvest:
    """A harvest of a page that is found by the words of a closed resource."""
    harvest.robots[SITE] = acap("ACAP-allow-index: /a must-use-resource=/priv/a.txt", *lines)
    harvest.crawl("/a", "<p>secret")
    assert harvest.crawl("/priv/a.txt", "quorvanel", headers=TEXT, for_use=True)
    assert harvest.found("quorvanel") == {"/a"}
    assert harvest.copies("/priv/a.txt") == []
    return harvest


def is_gone(harvest: Harvest) -> bool:
    """Whether no octet of it is left, a second sweep does nothing, and ledger and store prove each other."""
    assert harvest.sweep().acts == []
    assert verify(harvest.store).wrong == ()
    return b"uorvanel" not in everywhere(harvest)


@pytest.mark.parametrize(
    "lines",
    [
        (f"ACAP-allow-present-snippet: /a {CREDIT} time-limit=10-days",),
        (f"ACAP-allow-present-snippet: /a {CREDIT}", "ACAP-allow-preserve: /priv/ time-limit=10-days"),
        (f"ACAP-allow-present-snippet: /a {CREDIT}", "ACAP-allow-present-snippet: /priv/ time-limit=10-days"),
        (
            f"ACAP-allow-present-snippet: /a {CREDIT}", "ACAP-allow-preserve: /a time-limit=10-days",
            "ACAP-allow-index: /a time-limit=10-days",
        ),
    ],
    ids=["the page may be shown so", "it may be kept", "it may be shown", "the page may be held"],
)  # fmt: skip
def test_a_time_limit_of_the_use_ends_it(harvest: Harvest, lines: tuple[str, ...]) -> None:
    """Whatever may be done for ten days only: after them the copy goes, and it goes by the first sweep."""
    credited(harvest, *lines)
    harvest.pass_days(9.9)
    harvest.sweep()
    assert len(harvest.copies("/priv/credit.html")) == 1
    harvest.pass_days(0.2)
    harvest.sweep()
    assert harvest.copies("/priv/credit.html") == []
    assert is_gone(harvest)


def test_days_of_words_count_from_when_they_were_first_had(harvest: Harvest) -> None:
    """Fetching them again begins their days no more anew than those of a page; what else the site says is no matter."""
    limit = "ACAP-allow-index: /priv/ time-limit=10-days"
    supplied(harvest, limit)
    harvest.pass_days(6)
    assert harvest.crawl("/priv/a.txt", "quorvanel anew", headers=TEXT, for_use=True)
    harvest.robots[SITE] = acap("ACAP-allow-index: /a must-use-resource=/priv/a.txt", limit, "ACAP-disallow-crawl: /x")
    harvest.crawl("/b")
    harvest.sweep()
    assert harvest.found("anew") == {"/a"}
    harvest.pass_days(5)
    harvest.sweep()
    assert harvest.found("anew") == set()
    assert is_gone(harvest)


@pytest.mark.parametrize("end", ["the page is gone", "the words are gone", "the words are closed to the index"])
def test_words_find_no_page_when_they_may_not(harvest: Harvest, end: str) -> None:
    """They leave the index with the page or by their own end."""
    supplied(harvest)
    if end == "the page is gone":
        harvest.crawl("/a", status=410)
    elif end == "the words are gone":
        harvest.crawl("/priv/a.txt", status=404, for_use=True)
    else:
        harvest.robots[SITE] = acap("ACAP-allow-index: /a must-use-resource=/priv/a.txt", "ACAP-disallow-index: /priv/")
        harvest.crawl("/b")
    harvest.sweep()
    assert harvest.found("quorvanel") == set()
    assert is_gone(harvest)


def test_no_more_than_some_pages_are_asked(harvest: Harvest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A site with pages without end that once named something costs no time without end: it is taken for not needed."""
    monkeypatch.setattr(review, "ASKED", 2)
    harvest.robots[SITE] = acap(f"ACAP-allow-present-snippet: / {CREDIT}")
    for path in ("/a", "/b", "/c"):
        harvest.crawl(path, "<p>fog")
    harvest.robots[SITE] = acap(f"ACAP-allow-present-snippet: /a {CREDIT}")
    assert not harvest.crawl("/priv/credit.html", "<p>Quorvanel", for_use=True)
    harvest.robots[SITE] = acap(f"ACAP-allow-present-snippet: /b {CREDIT}")
    assert harvest.crawl("/priv/credit.html", "<p>Quorvanel", for_use=True)


def test_a_site_out_of_reach_loses_nothing_that_is_used(harvest: Harvest) -> None:
    """What cannot be known destroys nothing, here too: the copy stays for when the site answers again."""
    credited(harvest, f"ACAP-allow-present-snippet: /a {CREDIT}")
    said, harvest.robots[SITE] = harvest.robots[SITE], None
    harvest.pass_days(40)
    harvest.crawl("/a")
    harvest.sweep()
    assert len(harvest.copies("/priv/credit.html")) == 1
    harvest.robots[SITE] = said
    harvest.crawl("/a", "<p>fog")
    harvest.sweep()
    assert len(harvest.copies("/priv/credit.html")) == 1


def test_of_a_changed_credit_the_old_copy_goes(harvest: Harvest) -> None:
    """No use needs an earlier version of it."""
    credited(harvest, f"ACAP-allow-present-snippet: /a {CREDIT}")
    assert harvest.crawl("/priv/credit.html", "<p>Babbage", for_use=True)
    harvest.sweep()
    assert harvest.copies("/priv/credit.html") == [b"<p>Babbage"]
    assert is_gone(harvest)


def test_an_old_copy_of_a_page_keeps_what_must_be_shown_with_it(harvest: Harvest) -> None:
    """Its snippets are shown too, and want the credit: it goes with the last of them."""
    credited(harvest, f"ACAP-allow-present-oldsnippet: /a {CREDIT}", f"ACAP-allow-present-snippet: /a {CREDIT}")
    harvest.crawl("/a", status=404)
    harvest.sweep()
    assert len(harvest.copies("/a")) == len(harvest.copies("/priv/credit.html")) == 1
    harvest.robots[SITE] = acap("ACAP-disallow-preserve: /a")
    harvest.crawl("/b")
    harvest.sweep()
    assert is_gone(harvest)
