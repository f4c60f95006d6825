"""What is held for the use of a page alone goes with that use, whatever ends it, and not before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from acap.harvest import review
from acap.harvest.crawl.options import CrawlOptions
from acap.harvest.crawl.session import Session
from acap.harvest.keeper import Fetched
from acap.harvest.proof import verify
from acap.harvest.removal import remove
from tests.harvest import HTML, SITE, Harvest
from tests.test_keeper import everywhere

if TYPE_CHECKING:
    from pathlib import Path

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


def test_a_page_that_names_it_no_more_lets_it_go(store_place: Path | str, tmp_path: Path) -> None:
    """Crawled again, it needs nothing; what it needed goes with the next sweep, whether it was asked for or not."""
    with Harvest(store_place, tmp_path) as harvest:
        harvest.robots[SITE] = acap()
        named = f'<meta name="robots" content="ACAP allow-present-snippet {CREDIT}">'
        harvest.crawl("/a", f"{named}<p>fog")
        harvest.crawl("/b", f"{named}<p>rain")
        assert harvest.crawl("/priv/credit.html", "<p>Quorvanel", for_use=True)
        for path, copies in (("/a", 1), ("/b", 0)):
            harvest.crawl(path, "<p>sun")
            harvest.pass_days(1)
            harvest.sweep()
            assert len(harvest.copies("/priv/credit.html")) == copies
            assert verify(harvest.store).wrong == ()
        assert not harvest.crawl("/priv/credit.html", "<p>Quorvanel", for_use=True)


def test_what_was_looked_at_before_its_page_goes_by_the_same_sweep(harvest: Harvest) -> None:
    """A page that leaves the index because another part of it may be indexed now needs nothing until it is back."""
    lines = (f"ACAP-allow-present-snippet: /a {CREDIT}", "ACAP-disallow-preserve: /a")
    harvest.robots[SITE] = b"ACAP-crawler: *\nACAP-disallow-preserve: /priv/\n"
    harvest.crawl("/priv/credit.html", "<p>Quorvanel")
    harvest.robots[SITE] = acap(*lines, "ACAP-allow-index: /a must-use-resource=the-acap:extract:id:x")
    harvest.crawl("/a", "<p id=x>fog<p id=y>rain")
    assert harvest.crawl("/priv/credit.html", "<p>Quorvanel", for_use=True)
    harvest.sweep()
    assert len(harvest.copies("/priv/credit.html")) == 1
    harvest.robots[SITE] = acap(*lines, "ACAP-allow-index: /a must-use-resource=the-acap:extract:id:y")
    harvest.crawl("/b", status=404)
    harvest.sweep()
    assert harvest.found("fog rain") == set()
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


def test_what_the_operator_removed_or_its_site_withholds_is_had_for_no_use(harvest: Harvest) -> None:
    """Neither a closed resource that was removed, nor one for a page that is withheld by law (451)."""
    harvest.robots[SITE] = acap(f"ACAP-allow-present-oldsnippet: / {CREDIT}", f"ACAP-allow-present-snippet: / {CREDIT}")
    harvest.crawl("/a", "<p>fog")
    remove(harvest.store, f"{SITE}/priv/credit.html")
    assert not harvest.crawl("/priv/credit.html", "<p>Quorvanel", for_use=True)
    harvest.store.requests.readmit(f"{SITE}/priv/credit.html", harvest.clock.now())
    assert harvest.crawl("/priv/credit.html", "<p>Quorvanel", for_use=True)
    harvest.crawl("/a", status=451)
    assert not harvest.crawl("/priv/credit.html", "<p>Quorvanel", for_use=True)
    harvest.sweep()
    assert len(harvest.copies("/a")) == len(harvest.copies("/priv/credit.html")) == 1
    remove(harvest.store, f"{SITE}/a")
    assert is_gone(harvest)


def test_what_could_not_be_read_ends_no_use(harvest: Harvest) -> None:
    """Of a page whose last body was cut nothing is shown, so nothing is fetched for it; what it needs stays."""
    credited(harvest, f"ACAP-allow-present-snippet: /a {CREDIT}")
    harvest.crawl("/a", unread="the body ended before its end")
    assert not harvest.crawl("/priv/credit.html", "<p>Quorvanel", for_use=True)
    harvest.sweep()
    assert len(harvest.copies("/a")) == len(harvest.copies("/priv/credit.html")) == 1


def test_words_are_had_for_no_page_that_was_removed(harvest: Harvest) -> None:
    """A page that waits for them is never indexed."""
    harvest.robots[SITE] = acap("ACAP-allow-index: /a must-use-resource=/priv/a.txt")
    harvest.crawl("/a", "<p>secret")
    remove(harvest.store, f"{SITE}/a")
    assert not harvest.crawl("/priv/a.txt", "quorvanel", headers=TEXT, for_use=True)


def test_in_a_crawl_what_a_page_needs_is_neither_missed_nor_lost(harvest: Harvest) -> None:
    """Asked for before the page is written, it is opened; refused while the page was read, it has another turn."""
    run = harvest.store.schedule.begin({}, harvest.clock.now())
    session = Session(harvest.store, run, (f"{SITE}/",), CrawlOptions(delay=0))
    closed = f"{SITE}/priv/credit.html"
    session.want([closed], 1, None)
    session.flush()
    harvest.robots[SITE] = acap()
    named = f'<meta name="robots" content="ACAP allow-present-snippet {CREDIT}">'
    policy, now = harvest.policy(), harvest.clock.now()
    decision = policy.decide(f"{SITE}/a", crawler=harvest.store.operator.crawler, at=now)
    kept = session.keeper.keep(Fetched(f"{SITE}/a", now, 200, HTML, f"{named}<p>fog".encode(), policy, decision))
    task = session.frontier.next()
    assert task is not None
    assert session.exemption(closed, policy) is None
    session.name(kept.named, 1, f"{SITE}/a")
    assert session.exemption(closed, policy) is not None
    refused = policy.decide(closed, crawler=harvest.store.operator.crawler, at=now)
    session.keeper.refuse(closed, refused, policy, now, task)
    session.refused(task)
    session.decided(task)
    session.flush()
    [again] = harvest.store.schedule.waiting(run.id, SITE, now, 9)
    assert (again.url, again.kind, again.found_in) == (closed, "resource", f"{SITE}/a")
    session.keeper.refuse(closed, refused, policy, now, again)
    session.refused(again)
    session.flush()
    assert harvest.store.schedule.waiting(run.id, SITE, now, 9) == []


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
