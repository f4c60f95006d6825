"""A page is a resource with a history: what it says now holds for every version that is held of it."""

from __future__ import annotations

import pytest

from acap.harvest.presentation import Presentation, copy, extract, link, original, snippet
from tests.harvest import HTML, SITE, Harvest
from tests.test_keeper import everywhere

PAGE = "<title>Harbour</title><p>The quorvanel sails today.<p>The captain is called zembrilop and drinks."


def shown(harvest: Harvest, path: str = "/a") -> dict[int, list[str]]:
    """What is shown of each version that is held, the newest first."""
    resource = harvest.store.resources.find(SITE + path)
    assert resource is not None
    presentation = Presentation(harvest.store)
    found = {}
    for version in harvest.store.resources.versions(resource.id, held=True):
        judged = presentation.judged(version.id)
        assert judged is not None
        made = [make(presentation, judged) for make in (link, original, snippet, extract)]
        made.append(copy(presentation, judged).representation)
        found[version.id] = [one.usage.removeprefix("present-") for one in made if one.is_shown]
    return found


def test_a_page_that_is_corrected_takes_its_mistake_back(harvest: Harvest) -> None:
    """META of the new version prohibits preserving: the old copy goes with it, octets included."""
    harvest.crawl("/a", PAGE)
    head = '<meta name=robots content="ACAP disallow-preserve"><meta name=robots content="ACAP disallow-present">'
    harvest.crawl("/a", f"{head}<p>corrected")
    harvest.sweep()
    assert harvest.copies("/a") == []
    assert b"quorvanel" not in everywhere(harvest)


@pytest.mark.parametrize("status", [200, 304, 404, 503])
def test_a_header_of_whatever_answer_holds_for_all_versions(harvest: Harvest, status: int) -> None:
    """Also of one without a usable body, and where the octets are the same."""
    harvest.crawl("/a", "<p>an older one")
    harvest.crawl("/a", PAGE)
    harvest.crawl("/a", PAGE if status == 200 else "", status=status, headers=(*HTML, ("X-Robots-Tag", "noarchive")))
    assert all("oldcopy" not in one and "currentcopy" not in one for one in shown(harvest).values())


def test_the_same_octets_with_stricter_words_are_the_same_version(harvest: Harvest) -> None:
    """No second version is made of them, and what was permitted of the first is not shown any more."""
    harvest.crawl("/a", PAGE)
    harvest.crawl("/a", PAGE, headers=(*HTML, ("X-Robots-Tag", "noindex, nosnippet")))
    resource = harvest.store.resources.find(f"{SITE}/a")
    assert resource is not None
    (version,) = harvest.store.resources.versions(resource.id)
    assert harvest.found("quorvanel") == set()
    assert "snippet" not in shown(harvest)[version.id]


@pytest.mark.parametrize("usage", ["oldcopy", "oldsnippet", "oldextract"])
def test_what_a_page_says_of_its_older_versions_is_heard(harvest: Harvest, usage: str) -> None:
    """`disallow-present-oldcopy` of a page cannot mean anything else than the versions before it."""
    harvest.crawl("/a", PAGE)
    harvest.crawl("/a", f'<meta name=robots content="ACAP disallow-present-{usage}"><p>new')
    new, old = shown(harvest).values()
    assert usage not in old
    assert len(old) == 4
    assert len(new) == 5


@pytest.mark.parametrize("usage", ["link", "original"])
@pytest.mark.parametrize("now", [False, True])
def test_a_link_and_the_original_have_one_answer(harvest: Harvest, usage: str, now: bool) -> None:
    """They are of the resource: its latest response is asked, whatever version leads there."""
    meta = f'<meta name=robots content="ACAP disallow-present-{usage}">'
    harvest.crawl("/a", PAGE if now else meta + PAGE)
    harvest.crawl("/a", f"{meta}<p>new" if now else "<p>new")
    new, old = shown(harvest).values()
    assert (usage in new) == (usage in old) == (not now)


def test_an_element_of_the_page_takes_its_text_from_older_versions(harvest: Harvest) -> None:
    """A version that holds what an element now prohibits goes as a whole; one that does not stays."""
    harvest.crawl("/a", "<p>nothing of it")
    harvest.crawl("/a", PAGE)
    harvest.crawl("/a", PAGE.replace("<p>The captain", "<p class='the-acap:disallow-preserve'>The captain"))
    harvest.sweep()
    new, old = harvest.copies("/a")
    assert b"quorvanel" in new
    assert old == b"<p>nothing of it"
    assert b"captain is called zembrilop" not in everywhere(harvest)


def test_an_element_prohibits_a_version_of_which_no_copy_is_kept(harvest: Harvest) -> None:
    """Nobody can tell whether that one has its text; one of which a copy is kept has not, and stays permitted."""
    for path, meta in (("/a", "<meta name=robots content='ACAP disallow-preserve'>"), ("/b", "")):
        harvest.crawl(path, f"{meta}<p>nothing of it")
        harvest.crawl(path, "<p class='the-acap:disallow-index'>an element")
        (removed,) = [one for one in harvest.entries(path, SITE) if (one.act, one.usage) == ("removed", "index")]
        assert removed.decision is not None
        assert (removed.decision["outcome"] == "prohibited") == (path == "/a")


def test_an_element_may_be_edited_and_still_takes_its_text(harvest: Harvest) -> None:
    """Its text need not be the same from end to end."""
    harvest.crawl("/a", PAGE)
    harvest.crawl("/a", "<div class='the-acap:disallow-present-oldcopy'>The captain is called zembrilop!</div>")
    assert "oldcopy" not in list(shown(harvest).values())[1]


def test_an_element_without_text_takes_every_older_version(harvest: Harvest) -> None:
    """Whether an older version has it cannot be told, so it is taken for having it."""
    harvest.crawl("/a", PAGE)
    harvest.crawl("/a", "<p>new<div class='the-acap:disallow-preserve'><svg></svg></div>")
    harvest.sweep()
    assert len(harvest.copies("/a")) == 1


def test_words_of_a_page_outlive_a_failure(harvest: Harvest) -> None:
    """What the last page said holds while the server answers 404 or 503; its next page may lift it."""
    harvest.crawl("/a", PAGE)
    harvest.crawl("/a", "<meta name=robots content='ACAP disallow-present-oldcopy'><p>new")
    for status in (503, 404):
        harvest.crawl("/a", status=status)
        assert all("oldcopy" not in one for one in shown(harvest).values())
    harvest.crawl("/a", "<p>newer")
    assert "oldcopy" in list(shown(harvest).values())[-1]


def test_a_permission_of_the_page_gives_an_older_version_nothing(harvest: Harvest) -> None:
    """The latest response can only take away: what a version said itself holds too."""
    harvest.crawl("/a", f"<meta name=robots content='ACAP disallow-present-oldcopy'>{PAGE}")
    harvest.crawl("/a", "<meta name=robots content='ACAP allow-present-oldcopy'><p>new")
    assert "oldcopy" not in list(shown(harvest).values())[1]


def test_a_limit_of_the_page_limits_older_versions(harvest: Harvest) -> None:
    """A restriction of the latest response is one of every version: here of how long, and of how much."""
    harvest.crawl("/a", PAGE)
    harvest.crawl(
        "/a",
        "<meta name=robots content='ACAP allow-present-oldsnippet max-length=2-words'>"
        "<meta name=robots content='ACAP allow-preserve time-limit=5-days'><p>new",
    )
    presentation = Presentation(harvest.store)
    judged = presentation.judged(1)
    assert judged is not None
    assert len(snippet(presentation, judged).text.split()) == 2
    harvest.pass_days(6)
    assert harvest.sweep().counts["removed", "preserve"] == 2


# At the moment of use


def test_a_copy_whose_time_is_over_shows_nothing_before_it_is_swept(harvest: Harvest) -> None:
    """Neither title nor snippet, extract or copy comes of it."""
    harvest.robots[SITE] = b"ACAP-crawler: *\nACAP-allow-preserve: / time-limit=5-days\nACAP-allow-crawl: /\n"
    harvest.crawl("/a", PAGE)
    (before,) = shown(harvest).values()
    assert before == ["link", "original", "snippet", "extract", "currentcopy"]
    harvest.pass_days(6)
    (after,) = shown(harvest).values()
    assert after == ["link", "original"]
    presentation = Presentation(harvest.store)
    judged = presentation.judged(1)
    assert judged is not None
    assert link(presentation, judged).text == ""


def test_a_part_whose_time_is_over_is_shown_nowhere_before_it_is_swept(harvest: Harvest) -> None:
    """The rest of the page still is."""
    harvest.robots[SITE] = (
        b"ACAP-crawler: *\nACAP-qualified-usage: short preserve time-limit=5-days\nACAP-allow-crawl: /\n"
    )
    harvest.crawl("/a", "<p>lasting <b class='the-acap:allow-(short)'>passing</b>")
    harvest.pass_days(6)
    presentation = Presentation(harvest.store)
    judged = presentation.judged(1)
    assert judged is not None
    assert snippet(presentation, judged).text == "lasting"
    assert b"passing" not in copy(presentation, judged).octets()


def test_legal_reasons_hide_what_is_held(harvest: Harvest) -> None:
    """Of a page that answers 451 nothing is shown, until it answers otherwise."""
    harvest.crawl("/a", PAGE)
    harvest.crawl("/a", status=451)
    assert shown(harvest) == {1: []}
    harvest.crawl("/a", PAGE)
    assert shown(harvest)[1]


@pytest.mark.parametrize("after", [404, 301, 503, 206])
def test_only_a_page_that_can_be_read_ends_legal_reasons(harvest: Harvest, after: int) -> None:
    """That a page which answered 451 is gone, or moved, or out of order, lets nothing of it be shown again."""
    harvest.crawl("/a", PAGE)
    harvest.crawl("/a", status=451)
    harvest.crawl("/a", status=after)
    assert shown(harvest) == {1: []}


@pytest.mark.parametrize("passing", [503, 429, 206, 304])
def test_a_passing_answer_lifts_nothing(harvest: Harvest, passing: int) -> None:
    """What the headers of an answer prohibited holds until another one that lasts says less."""
    harvest.crawl("/a", PAGE)
    harvest.crawl("/a", status=403, headers=(*HTML, ("X-Robots-Tag", "nosnippet")))
    before = shown(harvest)
    assert "oldsnippet" not in before[1]
    harvest.crawl("/a", status=passing)
    assert "oldsnippet" not in shown(harvest)[1]
    harvest.crawl("/a", status=503, headers=(*HTML, ("X-Robots-Tag", "noarchive")))
    assert "oldcopy" not in shown(harvest)[1]
    harvest.crawl("/a", "<p>new")
    assert "oldsnippet" in list(shown(harvest).values())[-1]


@pytest.mark.parametrize("header", [("X-Robots-Tag", "noindex"), ("Content-Signal", "search=no")])
def test_headers_of_a_body_that_could_not_be_read_are_heard(harvest: Harvest, header: tuple[str, str]) -> None:
    """What they prohibit goes; for what the body may have said nothing is shown, and nothing goes."""
    harvest.crawl("/a", PAGE)
    harvest.crawl("/a", unread="cut")
    assert shown(harvest) == {1: []}
    assert harvest.found("quorvanel") == {"/a"}
    harvest.crawl("/a", unread="cut", headers=(*HTML, header))
    assert harvest.found("quorvanel") == set()
    harvest.crawl("/a", PAGE)
    assert harvest.found("quorvanel") == {"/a"}
    assert shown(harvest)[1]


def test_a_304_takes_no_statement_of_its_page_back(harvest: Harvest) -> None:
    """A header that says less in a 304 than in the response that it confirms does not count."""
    harvest.crawl("/a", PAGE, headers=(*HTML, ("Content-Signal", "search=no")))
    harvest.crawl("/a", status=304, headers=(("Content-Signal", "search=yes"),))
    assert "link" not in shown(harvest)[1]


def test_headers_without_end_hide_the_page(harvest: Harvest) -> None:
    """Failures that each say something else are heard up to a limit, and beyond it doubt speaks."""
    harvest.crawl("/a", PAGE)
    for number in range(40):
        harvest.crawl("/a", status=503, headers=(("X-Robots-Tag", f"max-snippet:{number + 100}, {'x' * 1_000}"),))
    resource = harvest.store.resources.find(f"{SITE}/a")
    assert resource is not None
    assert len(resource.later_headers_text) < 40_000
    assert shown(harvest) == {1: []}


@pytest.mark.parametrize("asked", [False, True])
def test_of_a_site_not_heard_of_for_thirty_days_nothing_is_shown(harvest: Harvest, asked: bool) -> None:
    """Whether it was asked and did not answer, or nobody asked; what is held stays held."""
    harvest.crawl("/a", PAGE)
    harvest.pass_days(29.9)
    assert shown(harvest)[1]
    harvest.pass_days(0.2)
    if asked:
        harvest.robots[SITE] = None
        harvest.crawl("/a", PAGE)
    assert shown(harvest) == {1: []}
    harvest.sweep()
    assert len(harvest.copies("/a")) == 1


def test_the_time_limits_of_a_silent_site_go_on(harvest: Harvest) -> None:
    """What it last said ends what it limited, also after thirty days."""
    harvest.robots[SITE] = b"ACAP-crawler: *\nACAP-allow-preserve: / time-limit=40-days\nACAP-allow-crawl: /\n"
    harvest.crawl("/a", PAGE)
    harvest.pass_days(41)
    assert harvest.sweep().counts["removed", "preserve"] == 1


def test_a_clock_that_was_fast_silences_no_site(harvest: Harvest) -> None:
    """What a site says after the clock was put right is its last word, and what is held is judged by it."""
    harvest.pass_days(0.01)
    harvest.crawl("/a", PAGE)
    harvest.pass_days(-0.01)
    assert shown(harvest) == {1: []}
    harvest.robots[SITE] = b"User-agent: *\nDisallow: /\n"
    harvest.crawl("/a", PAGE)
    harvest.pass_days(0.02)
    harvest.sweep()
    assert harvest.copies("/a") == []


def test_a_title_is_content(harvest: Harvest) -> None:
    """Where a link alone is permitted the URL stands for the title."""
    harvest.robots[SITE] = (
        b"ACAP-crawler: *\nACAP-disallow-present: /\nACAP-allow-present-link: /\nACAP-allow-crawl: /\n"
    )
    harvest.crawl("/a", PAGE)
    presentation = Presentation(harvest.store)
    judged = presentation.judged(1)
    assert judged is not None
    shown = link(presentation, judged)
    assert (shown.text, shown.url) == ("", f"{SITE}/a")
