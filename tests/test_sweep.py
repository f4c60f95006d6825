"""What may not be held any longer goes, when it must and not before; a second sweep does nothing more."""

from __future__ import annotations

import socket
import time
from unittest.mock import patch

import pytest

from acap.harvest.presentation import Presentation
from acap.harvest.proof import verify
from acap.harvest.removal import remove
from acap.harvest.sweep import sweep
from tests.harvest import HTML, SITE, Harvest
from tests.portions import at_length
from tests.test_keeper import everywhere

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


def test_a_sweep_reaches_no_network(harvest: Harvest, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends, reduces and judges anew by what is held, a site out of reach and an old policy included."""
    ended = acap("ACAP-allow-preserve: / time-limit=5-days", "ACAP-allow-index: / must-use-resource=/terms")
    harvest.robots[SITE] = ended
    harvest.crawl("/a", PAGE + '<a href="/b">b</a>')
    harvest.crawl("/terms", "<p>terms")
    harvest.robots[SITE] = None
    harvest.crawl("/b", PAGE)
    harvest.pass_days(40)
    reached: list[object] = []

    def refuse(*_arguments: object, **_options: object) -> socket.socket:
        reached.append(_arguments)
        raise OSError("no network")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    acts = harvest.sweep().acts
    assert {(act.act, act.usage) for act in acts} >= {("removed", "preserve")}
    assert reached == []


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
    """A request to crawl again is noted for the next crawl, once for as long as the policy has it."""
    harvest.crawl("/a", PAGE)
    for wanted, line in ((True, "# 1"), (False, "# 2"), (False, ""), (True, "# 3")):
        harvest.pass_days(1)
        harvest.robots[SITE] = acap("ACAP-request-re-crawl: /a", line) if line else acap()
        harvest.crawl("/b", PAGE)
        assert harvest.store.requests.open("re-crawl") == ([f"{SITE}/a"] if wanted else [])
        harvest.store.requests.done("re-crawl", f"{SITE}/a", harvest.clock.now())
    assert verify(harvest.store).wrong == ()


@pytest.mark.portion
def test_requests_without_number_cost_little_and_let_nothing_stay(harvest: Harvest) -> None:
    """Of URLs that nobody knows none is noted, and an octet more asks for nothing anew; what is held goes.

    Five thousand URLs that nobody knows are named, in `make soak` twenty thousand.
    """
    held = [f"/{number}" for number in range(1_200)]
    for path in held:
        harvest.store.resources.touch(SITE + path, SITE, harvest.clock.now())
    harvest.crawl("/held", PAGE)
    lines = [f"ACAP-request-take-down: /x{number}" for number in range(20_000 if at_length() else 5_000)]
    lines += [f"ACAP-request-take-down: {path}" for path in (*held, "/held")]
    harvest.robots[SITE] = acap(*lines)
    entries = len(list(harvest.store.ledger.entries()))
    begun = time.process_time()
    harvest.crawl("/b", "<p>other")
    swept = sweep(harvest.store, seconds=0.5)
    assert time.process_time() - begun < 20
    assert swept.reviewed
    resource = harvest.store.resources.find(f"{SITE}/held")
    assert resource is not None
    assert resource.current is not None
    judged = Presentation(harvest.store).judged(resource.current)
    assert judged is None or not judged.permits("present-link")
    while swept.is_cut:
        swept = sweep(harvest.store, seconds=0.5)
    assert harvest.copies("/held") == []
    assert harvest.found("quorvanel") == set()
    assert harvest.store.requests.open("take-down") == []
    made = len(list(harvest.store.ledger.entries())) - entries
    assert 2_000 < made < 2_020  # requested and settled
    for number in range(3):
        harvest.pass_days(1)
        harvest.robots[SITE] = acap(*lines, f"# {number}")
        harvest.crawl("/b", "<p>other")
        harvest.sweep()
    assert len(list(harvest.store.ledger.entries())) - entries < made + 20


def test_a_sweep_that_is_out_of_time_settles_the_rest_later(harvest: Harvest) -> None:
    """Requests are settled some at a time, and within the time of the sweep."""
    for number in range(1_100):
        harvest.store.requests.make("take-down", f"{SITE}/{number}", "test", harvest.clock.now())
    first = sweep(harvest.store, seconds=0.0)
    assert first.is_cut
    assert len(harvest.store.requests.open("take-down")) == 600
    assert not harvest.sweep().is_cut
    assert harvest.store.requests.open("take-down") == []


def test_a_sweep_that_is_out_of_time_erases_the_rest_later(harvest: Harvest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A site that closes itself empties many files: each sweep does some of them, and says that it is not done."""
    monkeypatch.setattr(harvest.store.copies, "_rotate", 1)
    for number in range(5):
        harvest.crawl(f"/{number}", PAGE)
    harvest.robots[SITE] = acap("ACAP-disallow-preserve: /")
    harvest.crawl("/other", PAGE)
    sweeps = [sweep(harvest.store, seconds=0.0)]
    while sweeps[-1].is_cut:
        sweeps.append(sweep(harvest.store, seconds=0.0))
    assert len(sweeps) >= 5
    assert [one.erased for one in sweeps] == [False] * (len(sweeps) - 1) + [True]
    assert harvest.store.copies.files() == []


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


def test_a_copy_that_is_reduced_by_a_crawl_counts(harvest: Harvest) -> None:
    """An old copy written anew while a new one is stored is not cut off as if nobody had counted it."""
    harvest.robots[SITE] = acap("ACAP-qualified-usage: short preserve time-limit=5-days")
    harvest.crawl("/a", "<p>lasting <b class='the-acap:allow-(short)'>passing</b>")
    harvest.pass_days(6)
    harvest.crawl("/a", "<p>new")
    harvest.store.discard_uncommitted()
    new, old = harvest.copies("/a")
    assert new == b"<p>new"
    assert b"lasting" in old
    assert b"passing" not in old


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


def test_a_server_in_trouble_stops_no_time(harvest: Harvest) -> None:
    """After a 503 a time limit ends when it would have, and a changed policy reaches the page."""
    harvest.robots[SITE] = acap("ACAP-allow-index: / time-limit=10-days", "ACAP-allow-preserve: /")
    harvest.crawl("/a", PAGE)
    harvest.crawl("/a", "trouble", status=503)
    harvest.pass_days(11)
    assert harvest.sweep().counts == {("removed", "index"): 1}
    harvest.robots[SITE] = acap("ACAP-disallow-index: /", "ACAP-disallow-preserve: /")
    harvest.crawl("/a", "trouble", status=503)
    assert harvest.sweep().counts == {("removed", "preserve"): 1}


def test_a_permitted_part_of_a_prohibited_one_ends(harvest: Harvest) -> None:
    """An element that may be used within one that may not leaves index and copy when its permission ends."""
    harvest.robots[SITE] = acap(
        "ACAP-qualified-usage: brief index time-limit=5-days",
        "ACAP-qualified-usage: short preserve time-limit=5-days",
        "ACAP-composite-usage: both (brief) (short)",
    )
    harvest.crawl(
        "/a",
        "<p>lasting<div class='the-acap:disallow-index the-acap:disallow-preserve'>secret"
        "<b class='the-acap:allow-(both)'>passing</b></div>",
    )
    assert harvest.found("lasting passing") == {"/a"}
    assert b"secret" not in everywhere(harvest)
    assert b"passing" in harvest.copies("/a")[0]
    harvest.pass_days(6)
    harvest.sweep()
    assert harvest.found("lasting") == {"/a"}
    assert harvest.found("passing") == set()
    assert b"passing" not in everywhere(harvest)


def test_days_count_from_a_sweep_that_indexed_first(harvest: Harvest) -> None:
    """What a sweep indexes from a copy, for the site has changed its mind, ends as what a crawl indexed."""
    harvest.robots[SITE] = acap("ACAP-disallow-index: /")
    harvest.crawl("/a", PAGE)
    harvest.pass_days(1)
    harvest.robots[SITE] = acap("ACAP-allow-index: / time-limit=10-days")
    harvest.crawl("/b", status=404)
    harvest.sweep()
    assert harvest.found("quorvanel") == {"/a"}
    harvest.pass_days(9.9)
    assert harvest.sweep().acts == []
    harvest.pass_days(0.2)
    assert harvest.sweep().counts == {("removed", "index"): 1}


def test_a_sweep_indexes_nothing_for_no_days(harvest: Harvest) -> None:
    """`0-days` is over when it begins, also where the copy is at hand."""
    harvest.robots[SITE] = acap("ACAP-disallow-index: /")
    harvest.crawl("/a", PAGE)
    harvest.robots[SITE] = acap("ACAP-allow-index: / time-limit=0-days")
    harvest.crawl("/b", status=404)
    assert harvest.sweep().acts == []


def test_an_element_without_a_copy_ends_after_another_review(harvest: Harvest) -> None:
    """The end of a part of an indexed page is known as long as the page is, with its text at hand or without."""
    robots = ("ACAP-disallow-preserve: /", "ACAP-qualified-usage: brief index time-limit=5-days")
    harvest.robots[SITE] = acap(*robots)
    harvest.crawl("/a", "<p>lasting<p class='the-acap:allow-(brief)'>passing")
    harvest.pass_days(1)
    harvest.robots[SITE] = acap(*robots, "ACAP-disallow-present: /")
    harvest.crawl("/b", status=404)
    harvest.sweep()
    assert harvest.found("passing") == {"/a"}
    harvest.pass_days(5)
    harvest.sweep()
    assert harvest.found("passing") == set()


def test_a_local_usage_that_requires_a_part_reaches_elements(harvest: Harvest) -> None:
    """If a definition comes to require a part of the page, what lies outside of it leaves the index."""
    harvest.robots[SITE] = acap("ACAP-qualified-usage: q index")
    harvest.crawl("/a", "<p>open<p class='the-acap:allow-(q)'>outer<p id=lead class='the-acap:allow-(q)'>inner")
    harvest.robots[SITE] = acap("ACAP-qualified-usage: q index must-use-resource=the-acap:extract:id:lead")
    harvest.crawl("/b", status=404)
    harvest.sweep()
    assert harvest.found("open inner") == {"/a"}
    assert harvest.found("outer") == set()


def test_what_is_left_out_of_a_copy_still_speaks_for_what_lies_within(harvest: Harvest) -> None:
    """A copy without an element is judged by the element's statements too."""
    harvest.crawl(
        "/a",
        "<p>open<div class='the-acap:disallow-index the-acap:disallow-preserve'>outer"
        "<b class='the-acap:allow-preserve'>within</b></div>",
    )
    (copy,) = harvest.copies("/a")
    assert b"within" in copy
    assert harvest.found("within") == set()
    harvest.robots[SITE] = acap("ACAP-disallow-index: /")
    harvest.crawl("/b", status=404)
    harvest.sweep()
    harvest.robots[SITE] = acap()
    harvest.crawl("/b", status=404)
    harvest.sweep()
    assert harvest.found("open") == {"/a"}
    assert harvest.found("within") == set()


def test_tags_that_a_copy_leaves_out_still_speak(harvest: Harvest) -> None:
    """A copy of a part of a page is judged by the page's META elements, which do not lie in the part."""
    harvest.robots[SITE] = acap("ACAP-allow-preserve: / must-use-resource=the-acap:extract:id:lead")
    harvest.crawl("/a", "<meta name=robots content='ACAP disallow-index'><p id=lead>summary<p>secret")
    (copy,) = harvest.copies("/a")
    assert b"summary" in copy
    assert b"secret" not in copy
    harvest.robots[SITE] = acap(
        "ACAP-allow-preserve: / must-use-resource=the-acap:extract:id:lead", "ACAP-allow-index: /"
    )
    harvest.crawl("/b", status=404)
    harvest.sweep()
    assert harvest.found("summary") == set()
    assert len(harvest.copies("/a")) == 1


def test_what_a_sweep_could_not_index_comes_back_with_the_page(harvest: Harvest) -> None:
    """A copy has not all of a page, so neither has an index made of it; the next crawl brings the rest."""
    page = "<p>open<p class='the-acap:disallow-preserve'>rest"
    harvest.crawl("/a", page)
    assert harvest.found("open rest") == {"/a"}
    for lines in (["ACAP-disallow-index: /"], []):
        harvest.robots[SITE] = acap(*lines)
        harvest.crawl("/b", status=404)
        harvest.sweep()
    assert harvest.found("open") == {"/a"}
    assert harvest.found("rest") == set()
    harvest.crawl("/a", page)
    assert harvest.found("open rest") == {"/a"}


# Another resource that must be used


REQUIRES = ("ACAP-allow-index: /a must-use-resource=/a.txt", "ACAP-allow-index: /a.txt$")
TEXT = (("Content-Type", "text/plain"),)


@pytest.fixture
def supplied(harvest: Harvest) -> Harvest:
    """A harvest of a page that is found by the words of another resource."""
    harvest.robots[SITE] = acap(*REQUIRES)
    harvest.crawl("/a", "<p>secret")
    harvest.crawl("/a.txt", "synopsis", headers=TEXT)
    assert harvest.found("synopsis") == {"/a", "/a.txt"}
    return harvest


def test_a_required_resource_that_changed_is_indexed_as_it_is_now(supplied: Harvest) -> None:
    """Its old words find the page no more."""
    supplied.crawl("/a.txt", "abstract", headers=TEXT)
    assert supplied.found("synopsis") == set()
    assert supplied.found("abstract") == {"/a", "/a.txt"}
    supplied.sweep()
    assert supplied.acts("/a")[-2:] == ["removed index", "indexed index"]


def test_what_a_resource_supplies_to_a_page_that_came_with_it_does_not_outlive_that(harvest: Harvest) -> None:
    """Written at once, the words come to the version before, as their entry tells, and go with it in the same write."""
    harvest.robots[SITE] = acap(*REQUIRES, "ACAP-disallow-preserve: /")
    harvest.crawl("/a", "<p>secret")
    with patch.object(harvest.keeper, "flush"):
        harvest.crawl("/a.txt", "synopsis", headers=TEXT)
        harvest.crawl("/a", "<p class='the-acap:disallow-index'>another")
    harvest.keeper.flush()
    assert harvest.found("synopsis") == {"/a.txt"}
    assert harvest.found("another") == set()
    acts = [(one.act, one.version) for one in harvest.entries("/a") if one.act in ("crawled", "indexed", "removed")]
    (_, old), (_, supplied), (_, new), (_, removed) = acts
    assert [act for act, _ in acts] == ["crawled", "indexed", "crawled", "removed"]
    assert old == supplied == removed != new
    assert verify(harvest.store).wrong == ()


@pytest.mark.parametrize("end", ["header", "not found", "policy", "time", "removal"])
def test_a_required_resource_that_may_not_be_indexed_finds_no_page(supplied: Harvest, end: str) -> None:
    """Whatever ends its index, its words are then those of no other page either."""
    if end == "header":
        supplied.crawl("/a.txt", "synopsis", headers=(*TEXT, ("X-Robots-Tag", "noindex")))
    elif end == "not found":
        supplied.crawl("/a.txt", status=404)
    elif end == "removal":
        remove(supplied.store, f"{SITE}/a.txt")
    else:
        limit = " time-limit=10-days" if end == "time" else ""
        said = f"ACAP-allow-index: /a.txt${limit}" if limit else "ACAP-disallow-index: /a.txt$"
        supplied.robots[SITE] = acap(REQUIRES[0], said)
        supplied.crawl("/b", status=404)
        supplied.sweep()
        supplied.pass_days(11)
    supplied.sweep()
    assert supplied.found("synopsis") == set()
    assert (b"synopsis" in everywhere(supplied)) == (end != "removal")  # its copy stays where it may


def test_a_required_resource_brings_no_removed_page_back(supplied: Harvest) -> None:
    """A page that the operator removed is not indexed by what it required."""
    remove(supplied.store, f"{SITE}/a")
    supplied.crawl("/a.txt", "abstract", headers=TEXT)
    assert supplied.found("abstract") == {"/a.txt"}


def test_a_resource_that_is_required_no_more_supplies_nothing(supplied: Harvest) -> None:
    """Its words are not those of a page that may be indexed itself, or not at all."""
    supplied.robots[SITE] = acap("ACAP-disallow-index: /a$", "ACAP-allow-index: /a.txt$")
    supplied.crawl("/a", "<p>secret")
    supplied.robots[SITE] = acap("ACAP-allow-index: /a", "ACAP-disallow-preserve: /a$")
    supplied.crawl("/a.txt", "abstract", headers=TEXT)
    assert supplied.found("abstract") == {"/a.txt"}


def test_a_page_that_comes_to_require_another_resource_is_supplied(harvest: Harvest) -> None:
    """Also if the page itself is as it was when the site said nothing of it."""
    harvest.crawl("/a", "<p>secret")
    harvest.robots[SITE] = acap(*REQUIRES)
    harvest.crawl("/b", status=404)
    harvest.sweep()
    assert harvest.found("secret") == set()
    harvest.crawl("/a.txt", "synopsis", headers=TEXT)
    assert harvest.found("synopsis") == {"/a", "/a.txt"}


def test_a_site_out_of_reach_loses_no_page_that_requires_another(harvest: Harvest) -> None:
    """A page of a site that is silent for long stays as it is when what it requires is crawled."""
    other = "https://other.example"
    harvest.robots[SITE] = acap(f"ACAP-allow-index: /a must-use-resource={other}/a.txt")
    harvest.crawl("/a", "<p>secret")
    harvest.crawl("/a.txt", "synopsis", headers=TEXT, site=other)
    harvest.robots[SITE] = None
    harvest.pass_days(40)
    harvest.crawl("/b")
    harvest.crawl("/a.txt", "abstract", headers=TEXT, site=other)
    assert "/a" in harvest.found("synopsis")
