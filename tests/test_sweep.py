"""What may not be held any longer goes, when it must and not before; a second sweep does nothing more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from acap.harvest.removal import remove
from tests.harvest import HTML, SITE, Harvest
from tests.test_keeper import everywhere

if TYPE_CHECKING:
    pass

PAGE = "<p>The ferry quorvanel sails."


def acap(*lines: str) -> bytes:
    """A robots.txt with one record for any crawler."""
    return "\n".join(["ACAP-crawler: *", "ACAP-allow-crawl: /", *lines, ""]).encode()


@pytest.mark.parametrize(
    ("limit", "before", "after"),
    [("30-days", 29.9, 0.2), ("until-2026-11-15", 14.4, 0.2), ("0-days", 0, 0)],
)
def test_a_time_limit_ends_what_is_held(harvest: Harvest, limit: str, before: float, after: float) -> None:
    """Index and copy stand until the time is over, and then nothing of them is left in any file."""
    harvest.robots[SITE] = acap(f"ACAP-allow-index: / time-limit={limit}", f"ACAP-allow-preserve: / time-limit={limit}")
    harvest.crawl("/a", PAGE)
    harvest.pass_days(before)
    assert harvest.sweep().acts == []
    if after:
        assert harvest.found("quorvanel") == {"/a"}
    harvest.pass_days(after)
    acts = harvest.sweep().acts
    assert [f"{act.act} {act.usage}" for act in acts] == (["removed index", "removed preserve"] if after else [])
    assert harvest.found("quorvanel") == set()
    assert harvest.copies("/a") == []
    assert b"quorvanel" not in everywhere(harvest)
    assert harvest.sweep().acts == []
    assert harvest.store.ledger.verify().wrong == ()


def test_days_count_from_the_first_time(harvest: Harvest) -> None:
    """Crawling a page again does not begin its days anew."""
    harvest.robots[SITE] = acap("ACAP-allow-index: / time-limit=30-days", "ACAP-disallow-preserve: /")
    harvest.crawl("/a", PAGE)
    harvest.pass_days(20)
    harvest.crawl("/a", "<p>quorvanel changed")
    assert harvest.found("changed") == {"/a"}
    harvest.pass_days(11)
    harvest.sweep()
    assert harvest.found("changed") == set()
    harvest.crawl("/a", "<p>quorvanel changed once more")
    assert harvest.found("changed") == set()


def test_until_recrawled_ends_with_the_next_crawl(harvest: Harvest) -> None:
    """The copy of a version that may be kept until recrawled goes with the next version, which is kept in its turn."""
    harvest.robots[SITE] = acap("ACAP-allow-preserve: / time-limit=until-recrawled")
    harvest.crawl("/a", "<p>zembrilop")
    harvest.pass_days(400)
    assert harvest.sweep().acts == []
    harvest.crawl("/a", "<p>second")
    assert harvest.copies("/a") == [b"<p>second"]
    harvest.store.erase()
    assert b"zembrilop" not in everywhere(harvest)


def test_unavailable_after(harvest: Harvest) -> None:
    """What a page says of its end in the conventional way counts too."""
    harvest.crawl("/a", PAGE, headers=(*HTML, ("X-Robots-Tag", "unavailable_after: 2026-11-20T00:00:00Z")))
    harvest.pass_days(18)
    assert harvest.sweep().acts == []
    harvest.pass_days(1)
    harvest.sweep()
    assert harvest.found("quorvanel") == set()


def test_a_part_with_an_end_of_its_own(harvest: Harvest) -> None:
    """An element whose permission ends leaves the index, and the rest of the page stays in it."""
    harvest.robots[SITE] = acap("ACAP-qualified-usage: briefly index time-limit=5-days")
    harvest.crawl("/a", "<p>lasting <span class='the-acap:allow-(briefly)'>passing</span>")
    assert harvest.found("passing") == {"/a"}
    harvest.pass_days(6)
    harvest.sweep()
    assert harvest.found("passing") == set()
    assert harvest.found("lasting") == {"/a"}


def test_a_changed_policy_reaches_everything_of_its_site(harvest: Harvest) -> None:
    """When a site says something new, what is held of other pages is judged by it too."""
    for name in "abc":
        harvest.crawl(f"/{name}", f"<p>word {name}word")
    harvest.robots[SITE] = acap("ACAP-disallow-index: /a", "ACAP-disallow-preserve: /b")
    harvest.crawl("/c", "<p>word cword")
    swept = harvest.sweep()
    assert swept.counts == {("removed", "index"): 1, ("removed", "preserve"): 1}
    assert harvest.found("word") == {"/b", "/c"}
    assert harvest.copies("/b") == []
    assert len(harvest.copies("/a")) == 1
    assert harvest.sweep().reviewed == 0


def test_a_prohibited_crawl_ends_what_was_held(harvest: Harvest) -> None:
    """What may not be crawled any more may not be held: every usage needs crawl (G 2.4)."""
    harvest.crawl("/a", PAGE)
    harvest.robots[SITE] = b"User-agent: *\nDisallow: /\n"
    harvest.crawl("/a", PAGE)
    harvest.sweep()
    assert harvest.found("quorvanel") == set()
    assert harvest.copies("/a") == []
    assert b"quorvanel" not in everywhere(harvest)


def test_a_site_out_of_reach_keeps_what_is_held(harvest: Harvest) -> None:
    """A robots.txt that cannot be had refuses crawls, and destroys nothing."""
    harvest.crawl("/a", PAGE)
    harvest.robots[SITE] = None
    assert not harvest.crawl("/a", PAGE)
    harvest.pass_days(40)
    harvest.sweep()
    assert len(harvest.copies("/a")) == 1


def test_a_take_down_is_carried_out(harvest: Harvest) -> None:
    """A resource that its site asks to be taken down goes with the next sweep (P1 4.5.2.3)."""
    harvest.crawl("/a", PAGE)
    harvest.crawl("/b", "<p>other")
    harvest.robots[SITE] = acap("ACAP-request-take-down: /a")
    harvest.crawl("/b", "<p>other")
    harvest.sweep()
    assert harvest.found("quorvanel") == set()
    assert harvest.copies("/a") == []
    assert harvest.found("other") == {"/b"}
    assert harvest.store.requests.open("take-down") == []


def test_a_re_crawl_is_asked_for_once(harvest: Harvest) -> None:
    """A request to crawl again is noted for the next crawl, once for as long as the policy says the same."""
    harvest.robots[SITE] = acap("ACAP-request-re-crawl: /a")
    harvest.crawl("/b", PAGE)
    assert harvest.store.requests.open("re-crawl") == [f"{SITE}/a"]
    harvest.store.requests.done("re-crawl", f"{SITE}/a", harvest.clock.now())
    harvest.crawl("/c", PAGE)
    assert harvest.store.requests.open("re-crawl") == []


def test_only_the_index_is_left_and_another_part_may_be_indexed(harvest: Harvest) -> None:
    """Without a copy a page whose usable part changes leaves the index, and is to be crawled again."""
    harvest.robots[SITE] = acap("ACAP-disallow-preserve: /")
    harvest.crawl("/a", "<p id=lead>summary<p>rest")
    harvest.robots[SITE] = acap(
        "ACAP-disallow-preserve: /", "ACAP-allow-index: / must-use-resource=the-acap:extract:id:lead"
    )
    harvest.crawl("/b", PAGE)
    harvest.sweep()
    assert harvest.found("summary") == set()
    assert harvest.store.requests.open("re-crawl") == [f"{SITE}/a"]


def test_a_copy_is_reduced_to_what_may_be_preserved(harvest: Harvest) -> None:
    """A part that may not be preserved any more leaves the copy, and its octets the file."""
    harvest.robots[SITE] = acap("ACAP-qualified-usage: short preserve time-limit=5-days")
    harvest.crawl("/a", "<p>lasting <b class='the-acap:allow-(short)'>passing</b>")
    harvest.pass_days(6)
    harvest.sweep()
    (copy,) = harvest.copies("/a")
    assert b"lasting" in copy
    assert b"passing" not in copy
    assert b">passing<" not in everywhere(harvest)


def test_what_the_operator_removes_stays_removed(harvest: Harvest) -> None:
    """A removal takes index and copies, and says so in the ledger; other pages stay."""
    harvest.crawl("/a", PAGE)
    harvest.crawl("/b", "<p>other")
    remove(harvest.store, f"{SITE}/a", why="letter of 1 November")
    assert harvest.found("quorvanel") == set()
    assert b"quorvanel" not in everywhere(harvest)
    assert harvest.found("other") == {"/b"}
    assert harvest.store.requests.is_removed(f"{SITE}/a")
    assert harvest.acts("/a")[-2:] == ["removed index", "removed preserve"]
    assert remove(harvest.store, f"{SITE}/a") == []


def test_a_copy_without_a_part_stays_one(harvest: Harvest) -> None:
    """What a copy leaves out does not become usable because the copy has it no more: nothing changes."""
    harvest.crawl("/a", "<p>lasting<p class='the-acap:disallow-preserve the-acap:disallow-index'>passing")
    before = harvest.acts("/a")
    harvest.pass_days(1)
    harvest.crawl("/a", status=304)
    harvest.robots[SITE] = acap("ACAP-allow-preserve: / time-limit=90-days")
    harvest.crawl("/b", PAGE)
    harvest.sweep()
    assert harvest.acts("/a") == [*before, "crawled crawl"]
    resource = harvest.store.resources.find(f"{SITE}/a")
    assert resource is not None
    (version,) = harvest.store.resources.versions(resource.id)
    assert version.place is not None
    assert harvest.store.copies.read(version.place).metadata["whole"] is False
