"""Of each response what may be kept is kept, and nothing else."""

from __future__ import annotations

import zlib
from datetime import timedelta
from unittest.mock import patch

import pytest

from acap.harvest.keeper import Fetched
from acap.harvest.latest import withheld
from tests.embedded_files import png
from tests.harvest import HTML, SITE, Harvest

PAGE = "<!doctype html><title>Harbour</title><body><p>The ferry quorvanel sails <a href=/b>today</a>."


def everywhere(harvest: Harvest) -> bytes:
    """All octets that are kept, with the records of copies unpacked."""
    out = [harvest.octets()]
    for file in harvest.directory.rglob("*.warc.gz"):
        rest = file.read_bytes()
        while rest:
            member = zlib.decompressobj(zlib.MAX_WBITS | 16)
            out.append(member.decompress(rest))
            rest = member.unused_data
    return b"".join(out)


def test_what_is_permitted_is_indexed_and_preserved(harvest: Harvest) -> None:
    """Silence permits: the page is found by its words, its copy has its octets, and its links may be followed."""
    harvest.crawl("/a", PAGE)
    assert harvest.found("quorvanel") == {"/a"}
    assert harvest.found("Harbour") == {"/a"}
    assert harvest.copies("/a") == [PAGE.encode()]
    assert harvest.last is not None
    assert harvest.last.links == [f"{SITE}/b"]
    assert harvest.acts("/a") == ["crawled crawl", "indexed index", "preserved preserve"]
    assert harvest.store.ledger.verify().wrong == ()


def test_a_refusal_keeps_nothing_and_tells_the_line(harvest: Harvest) -> None:
    """Of a URL that may not be crawled the ledger alone knows, with the line that prohibits it."""
    harvest.robots[SITE] = b"User-agent: *\nDisallow: /a\n"
    assert not harvest.crawl("/a", PAGE)
    (act,) = harvest.entries("/a")
    assert act.act == "refused"
    assert act.decision is not None
    assert act.decision["statements"][0]["line"] == 2
    assert b"quorvanel" not in everywhere(harvest)


@pytest.mark.parametrize(
    ("robots", "head", "headers"),
    [
        (b"ACAP-crawler: *\nACAP-disallow-preserve: /\nACAP-allow-index: /\n", "", ()),
        (b"", '<meta name=robots content="ACAP disallow-preserve">', ()),
        (b"", '<meta name=searchbot content="ACAP disallow-preserve">', (("X-Robots-Tag", "nosnippet"),)),
    ],
)
def test_index_without_preserve_keeps_no_readable_text(
    harvest: Harvest, robots: bytes, head: str, headers: tuple[tuple[str, str], ...]
) -> None:
    """Where a page may be indexed and not preserved, it is found, and its sentences are nowhere."""
    harvest.robots[SITE] = robots
    harvest.crawl("/a", f"{head}<p>The ferry quorvanel sails past zembrilop rocks.", headers=(*HTML, *headers))
    assert harvest.found("quorvanel rocks") == {"/a"}
    assert harvest.copies("/a") == []
    assert harvest.acts("/a") == ["crawled crawl", "indexed index", "refused preserve"]
    kept = everywhere(harvest)
    assert b"quorvanel sails" not in kept
    assert b"past zembrilop" not in kept


def test_preserve_without_index(harvest: Harvest) -> None:
    """Where a page may be preserved and not indexed, it is not found."""
    harvest.crawl("/a", PAGE, headers=(*HTML, ("X-Robots-Tag", "noindex"), ("X-Robots-Tag", "nofollow")))
    assert harvest.found("quorvanel") == set()
    assert len(harvest.copies("/a")) == 1
    assert harvest.last is not None
    assert harvest.last.links == []
    assert "refused index" in harvest.acts("/a")
    assert "refused follow" in harvest.acts("/a")


def test_elements_that_may_not_be_used_are_left_out(harvest: Harvest) -> None:
    """An element that may not be indexed is not found; one that may not be preserved is not in the copy."""
    page = (
        "<title>t</title><p>open <span class='the-acap:disallow-index'>hidden</span>"
        "<span class='the-acap:disallow-preserve'>fleeting</span>"
    )
    harvest.crawl("/a", page)
    assert harvest.found("open") == {"/a"}
    assert harvest.found("hidden") == set()
    assert harvest.found("fleeting") == {"/a"}
    (copy,) = harvest.copies("/a")
    assert b"hidden" in copy
    assert b"fleeting" not in copy
    assert b"fleeting</span>" not in everywhere(harvest)


def test_only_what_must_be_used_is_indexed(harvest: Harvest) -> None:
    """Of a page whose permission names an extract, the index has that and nothing else."""
    harvest.robots[SITE] = (
        b"ACAP-crawler: *\nACAP-allow-index: / must-use-resource=the-acap:extract:id:lead\nACAP-allow-crawl: /\n"
    )
    harvest.crawl("/a", "<p id=lead>summary<p>secret")
    assert harvest.found("summary") == {"/a"}
    assert harvest.found("secret") == set()


def test_what_must_be_used_by_crawl_and_by_the_usage_itself_holds_together(harvest: Harvest) -> None:
    """What lies in one of two required parts, and not in the other, is neither indexed nor preserved."""
    harvest.robots[SITE] = (
        b"ACAP-crawler: *\nACAP-allow-crawl: / must-use-resource=the-acap:extract:class:open\n"
        b"ACAP-allow-index: / must-use-resource=the-acap:extract:id:lead\n"
        b"ACAP-allow-preserve: / must-use-resource=the-acap:extract:id:lead\n"
    )
    harvest.crawl("/a", "<div class=open>outer<div id=lead>summary</div></div><p>secret")
    assert harvest.found("summary") == {"/a"}
    assert harvest.found("outer") == harvest.found("secret") == set()
    assert b"summary" in everywhere(harvest)
    assert b"outer" not in everywhere(harvest)


def test_another_resource_that_must_be_used_supplies_the_text(harvest: Harvest) -> None:
    """A page for which another resource must be used is found by that one's words, once it was crawled."""
    harvest.robots[SITE] = (
        b"ACAP-crawler: *\nACAP-allow-index: /a must-use-resource=/a.txt\nACAP-allow-index: /a.txt$\n"
        b"ACAP-allow-crawl: /\n"
    )
    harvest.crawl("/a", "<p>secret")
    assert harvest.found("secret") == set()
    assert harvest.last is not None
    assert harvest.last.required == [f"{SITE}/a.txt"]
    harvest.crawl("/a.txt", "synopsis", headers=(("Content-Type", "text/plain"),))
    assert harvest.found("synopsis") == {"/a", "/a.txt"}
    harvest.crawl("/c", "<p>x")
    assert harvest.sweep().acts == []


@pytest.mark.parametrize("order", [("/a", "/a.txt"), ("/a.txt", "/a")])
def test_what_must_be_used_supplies_the_text_to_what_is_written_with_it(harvest: Harvest, order: list[str]) -> None:
    """A page and the resource that must be used for it may be written at once, in either order."""
    harvest.robots[SITE] = b"ACAP-crawler: *\nACAP-allow-index: /a$ must-use-resource=/a.txt\nACAP-allow-crawl: /\n"
    bodies = {"/a": ("<p>secret", HTML), "/a.txt": ("synopsis", (("Content-Type", "text/plain"),))}
    with patch.object(harvest.keeper, "flush"):
        for path in order:
            harvest.crawl(path, bodies[path][0], headers=bodies[path][1])
    harvest.keeper.flush()
    assert harvest.found("synopsis") == {"/a", "/a.txt"}
    assert harvest.found("secret") == set()


def test_a_smaller_copy_supplies_the_text_that_it_has(harvest: Harvest) -> None:
    """What must be used for a page may be used in part only: the page is found by that part, from then on."""
    crawl = b"ACAP-crawler: *\nACAP-allow-crawl: /\nACAP-allow-index: /a$ must-use-resource=/s\n"
    part = b"ACAP-allow-%b: /s must-use-resource=the-acap:extract:id:lead\n"
    harvest.robots[SITE] = crawl
    harvest.crawl("/s", "<p id=lead>synopsis</p><p>zembrilop</p>")
    harvest.crawl("/a", "<p>secret")
    assert harvest.found("zembrilop") == {"/a", "/s"}
    harvest.robots[SITE] = crawl + part % b"index" + part % b"preserve"
    harvest.crawl("/s", status=304, headers=())
    assert harvest.found("synopsis") == {"/a", "/s"}
    assert harvest.found("zembrilop") == set()
    harvest.sweep()
    assert harvest.found("synopsis") == {"/a", "/s"}
    assert b"zembrilop" not in everywhere(harvest)


def test_crawled_again_unchanged_changes_nothing(harvest: Harvest) -> None:
    """A page that is as it was is crawled, and neither indexed nor preserved once more."""
    harvest.crawl("/a", PAGE)
    harvest.pass_days(1)
    harvest.crawl("/a", PAGE)
    assert harvest.acts("/a")[3:] == ["crawled crawl"]
    assert len(harvest.copies("/a")) == 1


def test_a_new_version_takes_the_place_of_the_old_in_the_index(harvest: Harvest) -> None:
    """A changed page is found by its new words alone; both copies stay."""
    harvest.crawl("/a", "<p>oldword")
    harvest.pass_days(1)
    harvest.crawl("/a", "<p>newword")
    assert harvest.found("oldword") == set()
    assert harvest.found("newword") == {"/a"}
    assert harvest.copies("/a") == [b"<p>newword", b"<p>oldword"]
    assert harvest.acts("/a")[3:] == ["crawled crawl", "indexed index", "preserved preserve", "removed index"]


def test_a_page_that_is_gone_is_not_found_any_more(harvest: Harvest) -> None:
    """After a 404 the page is out of the index; copies whose permission has no end stay."""
    harvest.crawl("/a", PAGE)
    harvest.crawl("/a", "not here", status=404)
    assert harvest.found("quorvanel") == set()
    assert len(harvest.copies("/a")) == 1
    assert b"not here" not in everywhere(harvest)


@pytest.mark.parametrize("status", [202, 503])
def test_a_server_in_trouble_changes_nothing(harvest: Harvest, status: int) -> None:
    """A 503 says nothing of what is held, and a 202 is no answer yet; in its body stands no page."""
    harvest.crawl("/a", PAGE)
    harvest.crawl("/a", "trouble", status=status)
    assert harvest.found("quorvanel") == {"/a"}
    assert harvest.found("trouble") == set()
    assert len(harvest.copies("/a")) == 1


TERMS = '<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>{}</license></content></rsl>'


@pytest.mark.parametrize(
    ("status", "says", "is_kept"),
    [
        (402, "no terms", True),
        (402, TERMS.format('<permits type="usage">all</permits>'), True),
        (402, TERMS.format('<prohibits type="usage">all</prohibits>'), False),
        (402, TERMS.format('<permits type="usage">all</permits><payment type="purchase"/>'), False),
        (402, TERMS.format("<permits"), False),
        (401, TERMS.format('<permits type="usage">all</permits>'), True),
        (401, TERMS.format('<prohibits type="usage">all</prohibits>'), False),
        (403, TERMS.format('<prohibits type="usage">all</prohibits>'), True),
    ],
)
def test_terms_in_the_body_of_an_answer_withdraw_what_is_held(
    harvest: Harvest, status: int, says: str, is_kept: bool
) -> None:
    """They are about the resource, and permit nothing that the answer itself refuses; a page that comes ends them."""
    harvest.crawl("/a", PAGE)
    harvest.crawl("/a", says, status=status, headers=(("Content-Type", "application/rsl+xml"),))
    assert len(harvest.copies("/a")) == is_kept
    assert (harvest.found("quorvanel") == {"/a"}) is (status == 402 and is_kept)
    assert harvest.store.ledger.verify().wrong == ()
    harvest.crawl("/a", PAGE)
    assert (bool(harvest.copies("/a")), harvest.found("quorvanel")) == (True, {"/a"})


def test_a_body_that_may_have_had_terms_and_was_not_read_shows_nothing(harvest: Harvest) -> None:
    harvest.crawl("/a", PAGE)
    harvest.crawl("/a", status=401, unread="it is cut")
    resource = harvest.store.resources.find(f"{SITE}/a")
    assert resource is not None
    assert withheld(resource).endswith("it is cut")
    assert len(harvest.copies("/a")) == 1


def test_not_modified_is_judged_by_the_policy_of_now(harvest: Harvest) -> None:
    """A 304 confirms the version; if its site prohibits it by then, it goes."""
    harvest.crawl("/a", PAGE)
    harvest.pass_days(1)
    harvest.crawl("/a", status=304, headers=())
    assert harvest.found("quorvanel") == {"/a"}
    assert harvest.last is not None
    assert harvest.last.links == [f"{SITE}/b"]
    harvest.robots[SITE] = b"ACAP-crawler: *\nACAP-disallow-index: /\nACAP-allow-preserve: /\n"
    harvest.crawl("/a", status=304, headers=())
    assert harvest.found("quorvanel") == set()
    assert len(harvest.copies("/a")) == 1


def test_a_failed_transaction_leaves_nothing(harvest: Harvest, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the database fails, copies that were written for it are cut off again."""

    def fail(_: object) -> None:
        raise OSError("gone")

    with monkeypatch.context() as patched:
        patched.setattr(harvest.store.ledger, "append", fail)
        with pytest.raises(OSError, match="gone"):
            harvest.crawl("/a", PAGE)
    assert harvest.acts() == []
    assert b"quorvanel" not in everywhere(harvest)
    harvest.keeper.flush()
    assert harvest.acts("/a") == ["crawled crawl", "indexed index", "preserved preserve"]
    assert harvest.copies("/a") == [PAGE.encode()]


def test_an_image_keeps_to_what_its_metadata_and_headers_say(harvest: Harvest) -> None:
    """A file that is no page is preserved unless its headers prohibit it; it has no text for the index."""
    harvest.crawl("/i.png", png(), headers=(("Content-Type", "image/png"),))
    harvest.crawl("/j.png", png(), headers=(("Content-Type", "image/png"), ("X-Robots-Tag", "noarchive")))
    assert harvest.copies("/i.png") == [png()]
    assert harvest.acts("/i.png") == ["crawled crawl", "preserved preserve"]


def test_a_page_by_whatever_name_is_read_as_one(harvest: Harvest) -> None:
    """What a browser may take for a page speaks for itself, whatever its type is called."""
    html = (
        "<html xmlns='http://www.w3.org/1999/xhtml'><head><meta name='robots' content='ACAP disallow-preserve'/></head>"
    )
    for number, media in enumerate(("application/xml", "text/xml; charset=utf-8", "html", "unknown/unknown", "")):
        headers = (("Content-Type", media),) if media else ()
        harvest.crawl(f"/{number}", f"{html}<body><p>quorvanel</p></body></html>", headers=headers)
        assert harvest.copies(f"/{number}") == []


def test_a_copy_goes_when_nothing_of_it_may_be_preserved(harvest: Harvest) -> None:
    """A page that is as it was, and of which the site says that something else must be preserved, loses its copy."""
    harvest.crawl("/a", PAGE)
    harvest.robots[SITE] = b"ACAP-crawler: *\nACAP-allow-preserve: / must-use-resource=/other\nACAP-allow-crawl: /\n"
    harvest.crawl("/a", PAGE)
    assert harvest.copies("/a") == []
    assert harvest.acts("/a")[-1] == "removed preserve"


def test_a_text_has_no_parts_that_could_be_used(harvest: Harvest) -> None:
    """Where an element must be used, a text without elements is not indexed."""
    harvest.robots[SITE] = (
        b"ACAP-crawler: *\nACAP-allow-index: / must-use-resource=the-acap:extract:id:lead\nACAP-allow-crawl: /\n"
    )
    harvest.crawl("/a", "quorvanel", headers=(("Content-Type", "text/plain"),))
    assert harvest.found("quorvanel") == set()


def test_the_same_octets_of_another_type_are_another_version(harvest: Harvest) -> None:
    """What is text and not a page any more is read as text."""
    harvest.crawl("/a", "<p>quorvanel<!--hidden-->")
    harvest.crawl("/a", "<p>quorvanel<!--hidden-->", headers=(("Content-Type", "text/plain"),))
    assert harvest.found("hidden") == {"/a"}
    assert len(harvest.copies("/a")) == 2


def test_not_modified_with_other_headers_gives_no_links(harvest: Harvest) -> None:
    """The headers of a 304 count for the links of the page that it confirms."""
    harvest.crawl("/a", PAGE)
    harvest.crawl("/a", status=304, headers=(("X-Robots-Tag", "nofollow"),))
    assert harvest.last is not None
    assert harvest.last.links == []


def test_an_older_capture_is_recrawled_by_a_newer_one(harvest: Harvest) -> None:
    """Of two captures that are taken in at once the older one is not held until it is recrawled."""
    harvest.robots[SITE] = b"ACAP-crawler: *\nACAP-allow-preserve: / time-limit=until-recrawled\nACAP-allow-crawl: /\n"
    robots, now = harvest.policy(), harvest.clock.now()
    for days, octets in ((20, b"<p>zembrilop"), (10, b"<p>second")):
        decision = robots.decide(f"{SITE}/a", crawler=harvest.store.operator.crawler, at=now)
        captured_at = now - timedelta(days=days)
        harvest.keeper.keep(
            Fetched(f"{SITE}/a", now, 200, HTML, octets, robots, decision, origin="x", captured_at=captured_at)
        )
        harvest.keeper.flush()
    harvest.sweep()
    assert harvest.copies("/a") == [b"<p>second"]
    assert b"zembrilop" not in everywhere(harvest)


def test_what_was_heard_since_a_capture_judges_it(harvest: Harvest) -> None:
    """A failure that came after an archive's capture prohibits keeping it, from the first moment on."""
    harvest.crawl("/a", "<p>first")
    harvest.pass_days(2)
    harvest.crawl("/a", status=503, headers=(*HTML, ("X-Robots-Tag", "ACAP disallow-preserve")))
    robots, now = harvest.policy(), harvest.clock.now()
    decision = robots.decide(f"{SITE}/a", crawler=harvest.store.operator.crawler, at=now)
    captured_at = now - timedelta(days=1)
    harvest.keeper.keep(
        Fetched(f"{SITE}/a", now, 200, HTML, b"<p>zembrilop", robots, decision, origin="x", captured_at=captured_at)
    )
    harvest.keeper.flush()
    assert harvest.copies("/a") == []
    assert b"<p>zembrilop" not in everywhere(harvest)
