"""What is presented of what was crawled: only what the publisher permits now, with all that the permission asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from acap.harvest.copies import CopyMissingError
from acap.harvest.presentation import (
    ChangedError,
    Copy,
    Judged,
    Presentation,
    Representation,
    State,
    copy,
    extract,
    link,
    original,
    snippet,
    thumbnail,
)
from acap.harvest.presentation.copies import marked
from acap.harvest.store import StoreError
from tests.searched import SITE, Searchable, acap, article, searchable

TEXT = "The fog lay over the harbour. The ferries waited until noon. Nobody saw the lighthouse that day."
PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)


@pytest.fixture
def harvested(tmp_path: Path) -> Iterator[Searchable]:
    with searchable(tmp_path / "news.acap") as made:
        yield made


def judged(harvested: Searchable, version: int) -> tuple[Presentation, Judged]:
    presentation = Presentation(harvested.store)
    found = presentation.judged(version)
    assert found is not None
    return presentation, found


def page(harvested: Searchable, *policy: str, content: str = "", url: str = "/a.html") -> tuple[Presentation, Judged]:
    """A page that was kept under a policy, as it is judged now."""
    harvested.says(acap(*policy))
    return judged(harvested, harvested.keep(url, content or article("Fog in the harbour", TEXT)))


def test_what_nobody_restricts_is_shown(harvested: Searchable) -> None:
    """Where a site says nothing, a page has its title as the link, a passage, a longer one, and its copy as it came."""
    presentation, it = page(harvested)
    assert link(presentation, it).text == "Fog in the harbour"
    assert link(presentation, it).url == f"{SITE}/a.html"
    assert snippet(presentation, it, "ferries").text.startswith("The ferries waited until noon.")
    assert extract(presentation, it).text == TEXT
    assert original(presentation, it).is_shown
    shown = copy(presentation, it)
    assert (shown.is_framed, shown.is_exact, shown.may_annotate, shown.may_translate) == (True, True, True, True)
    assert shown.octets() == article("Fog in the harbour", TEXT).encode()


@pytest.mark.parametrize(
    ("usage", "make"),
    [
        ("present-link", link),
        ("present-snippet", snippet),
        ("present-extract", extract),
        ("present-thumbnail", thumbnail),
        ("present-original", original),
        ("present-currentcopy", lambda *one: copy(*one).representation),
    ],
)
def test_what_is_prohibited_is_withheld_with_the_statement_that_says_so(
    harvested: Searchable, usage: str, make: object
) -> None:
    """A representation that the site prohibits is withheld, and the reason cites the line; the others are shown."""
    presentation, it = page(harvested, f"ACAP-disallow-{usage}: /")
    assert callable(make)
    one = make(presentation, it)
    assert (one.state, one.usage, one.text, one.url, one.uses) == (State.WITHHELD, usage, "", None, ())
    assert one.why == f"robots.txt:3:1 ACAP-disallow-{usage}: /"
    others = [link(presentation, it), snippet(presentation, it), extract(presentation, it), original(presentation, it)]
    assert all(other.is_shown for other in others if other.usage != usage)


def test_the_reason_does_not_tell_a_url_that_may_not_be_shown(harvested: Searchable) -> None:
    """Why a link is withheld by the page itself is said without the page's URL."""
    presentation, it = page(
        harvested, content=article("Fog", TEXT, '<meta name="robots" content="ACAP disallow-present-link">')
    )
    one = link(presentation, it)
    assert one.is_withheld
    assert "a.html" not in one.why
    assert one.why.startswith("the page")


def test_nothing_is_decided_before_now(harvested: Searchable) -> None:
    """A policy that came after the page was kept decides, and so does the end of a time limit."""
    version = page(harvested, "ACAP-allow-present-snippet: / time-limit=3-days")[1].version.id
    assert snippet(*judged(harvested, version)).is_shown
    harvested.clock.advance(timedelta(days=3))
    late = snippet(*judged(harvested, version))
    assert late.is_withheld
    assert late.decision.reason.kind == "expired"
    harvested.says(acap("ACAP-disallow-present: /"))
    presentation, it = judged(harvested, version)
    assert [link(presentation, it).state, copy(presentation, it).representation.state] == [State.WITHHELD] * 2


def test_a_site_that_cannot_be_reached_is_withheld_after_thirty_days(harvested: Searchable) -> None:
    """While a site is unreachable its last policy speaks for 30 days; then nothing of it is shown."""
    version = page(harvested)[1].version.id
    harvested.says(None)
    harvested.clock.advance(timedelta(days=30))
    assert link(*judged(harvested, version)).is_shown
    harvested.clock.advance(timedelta(minutes=1))
    presentation, it = judged(harvested, version)
    shown = [link(presentation, it), snippet(presentation, it), original(presentation, it)]
    assert {one.state for one in (*shown, copy(presentation, it).representation)} == {State.WITHHELD}
    assert "could not be retrieved" in shown[0].why


def test_a_page_of_which_no_copy_may_be_kept_is_a_link_by_its_url(harvested: Searchable) -> None:
    """Without a copy there is neither title nor snippet, for the index gives no text, and its own words still speak."""
    presentation, it = page(harvested, "ACAP-disallow-preserve: /")
    assert it.version.is_indexed
    assert link(presentation, it).text == ""
    assert snippet(presentation, it, "fog").is_withheld
    assert snippet(presentation, it, "fog").why.startswith("no copy is kept: robots.txt:3:1")
    assert copy(presentation, it).representation.is_withheld
    presentation, it = page(
        harvested, "ACAP-disallow-preserve: /", url="/b.html",
        content=article("Fog", TEXT, '<meta name="robots" content="ACAP disallow-present-link">'),
    )  # fmt: skip
    assert it.capture is None
    assert link(presentation, it).is_withheld


def test_a_copy_that_cannot_be_read_shows_nothing(harvested: Searchable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the file of a copy is damaged, what would come from it is not at hand."""

    def fails(*_: object) -> object:
        raise CopyMissingError("the copy is damaged")

    version = page(harvested)[1].version.id
    monkeypatch.setattr(harvested.store.copies, "read", fails)
    presentation, it = judged(harvested, version)
    assert snippet(presentation, it).state is State.MISSING
    assert copy(presentation, it).representation.why == "the copy of it cannot be read"


@pytest.mark.parametrize(
    ("limit", "shown"),
    [("3-words", "The fog lay"), ("7-chars", "The fog"), ("1-words", "The")],
)
def test_a_snippet_has_no_more_than_its_publisher_permits(harvested: Searchable, limit: str, shown: str) -> None:
    """The longest snippet is as long as the permission says, in words or characters, without dots at its end."""
    it = page(
        harvested, f"ACAP-allow-present-snippet: / max-length={limit}",
        content=f"<!doctype html><body><p>{TEXT}</p>",
    )  # fmt: skip
    one = snippet(*it)
    assert (one.text, one.is_cut) == (shown, False)


def test_the_publishers_own_text_is_the_snippet(harvested: Searchable) -> None:
    """What must be used is used, whatever was looked for (G 5.10)."""
    it = page(
        harvested, "ACAP-allow-present-snippet: / must-use-resource=the-acap:extract:meta:teaser",
        content=article("Fog", TEXT, '<meta name="teaser" content="All about fog.">'),
    )  # fmt: skip
    one = snippet(*it, "ferries")
    assert (one.text, one.is_publishers) == ("All about fog.", True)
    missing = page(
        harvested, "ACAP-allow-present-snippet: / must-use-resource=the-acap:extract:meta:teaser", url="/b.html"
    )
    assert snippet(*missing).is_withheld


def test_the_text_of_another_resource_is_used_as_its_own_policy_permits(harvested: Searchable) -> None:
    """A snippet from another resource comes from its own copy, within both limits, and both are noted as presented."""
    harvested.says(acap("ACAP-allow-present-snippet: / max-length=4-words"), "https://teasers.example")
    harvested.keep("https://teasers.example/fog.txt", "Fog: all of it, in one place.", media="text/plain")
    policy = "ACAP-allow-present-snippet: / must-use-resource=https://teasers.example/fog.txt"
    presentation, it = page(harvested, policy)
    one = snippet(presentation, it)
    assert one.text == "Fog: all of it,"
    assert [use.judged.version.url for use in one.uses] == [f"{SITE}/a.html", "https://teasers.example/fog.txt"]
    presentation, it = page(harvested, f"{policy} max-length=2-words")
    assert snippet(presentation, it).text == "Fog: all"
    harvested.says(acap("ACAP-disallow-present: /"), "https://teasers.example")
    assert snippet(*judged(harvested, it.version.id)).is_withheld


def test_a_required_resource_without_a_copy_withholds(harvested: Searchable) -> None:
    """A snippet that must come from a resource that is not held is withheld; a link may lead to it all the same."""
    policy = [f"ACAP-allow-present-{what}: / must-use-resource=/teaser.html" for what in ("snippet", "link")]
    presentation, it = page(harvested, *policy)
    assert snippet(presentation, it).is_withheld
    assert link(presentation, it).url == f"{SITE}/teaser.html"


@pytest.mark.parametrize(
    ("value", "text", "url"),
    [
        ("credit:id:by", "By Ada", f"{SITE}/ada"),
        ("text:class:by", "By Ada", None),
        ("link:id:by", "By Ada", f"{SITE}/ada"),
        ("credit:meta:by", "By Grace", None),
        ("link:meta:home", "https://courier.example/", "https://courier.example/"),
        ("link:https://courier.example/", "https://courier.example/", "https://courier.example/"),
        ("credit:https://courier.example/", "https://courier.example/", "https://courier.example/"),
    ],
)
def test_what_must_be_included_is_shown_with_it(harvested: Searchable, value: str, text: str, url: str | None) -> None:
    """A credit, a text or a link of the page or of elsewhere comes with the representation that requires it."""
    it = page(
        harvested, f"ACAP-allow-present-snippet: / must-include-resource=the-acap:{value}",
        content=article(
            "Fog", f'{TEXT}<p id=by class=by>By <a href="/ada">Ada</a></p>',
            '<meta name=by content="By Grace"><meta name=home content="https://courier.example/">',
        ),
    )  # fmt: skip
    [included] = snippet(*it).included
    assert (included.text, included.url) == (text, url)
    assert link(*it).included == ()


@pytest.mark.parametrize(
    "value",
    [
        "credit:id:nowhere", "text:meta:nowhere", "icon:https://courier.example/logo.png", "icon:id:by",
        "link:class:plain", "credit:javascript:alert(1)", "link:meta:evil",
    ],
)  # fmt: skip
def test_what_must_be_included_and_is_not_at_hand_withholds(harvested: Searchable, value: str) -> None:
    """A required part that the page does not have, an image that is not held, or what is no link, withholds."""
    it = page(
        harvested, f"ACAP-allow-present-snippet: / must-include-resource=the-acap:{value}",
        content=article(
            "Fog", f"{TEXT}<p id=by>By Ada</p><p class=plain>no link</p>",
            '<meta name=evil content="javascript:alert(1)">',
        ),
    )  # fmt: skip
    one = snippet(*it)
    assert (one.is_withheld, one.text) == (True, "")
    assert "missing" in one.why


def test_a_credit_that_may_not_be_used_itself_withholds(harvested: Searchable) -> None:
    """A required credit within an element that prohibits the usage cannot be shown, so nothing is."""
    it = page(
        harvested, "ACAP-allow-present-snippet: / must-include-resource=the-acap:credit:id:by",
        content=article("Fog", f'{TEXT}<p class="the-acap:disallow-present-snippet" id=by>By Ada</p>'),
    )  # fmt: skip
    assert snippet(*it).is_withheld


def test_a_required_icon_comes_from_its_own_copy(harvested: Searchable) -> None:
    """An icon is the held copy of an image, as long as its own site permits."""
    harvested.says(acap(), "https://courier.example")
    icon = harvested.keep("https://courier.example/logo.png", PNG, media="image/png")
    presentation, it = page(
        harvested, "ACAP-allow-present: / must-include-resource=the-acap:icon:https://courier.example/logo.png"
    )
    assert [one.image for one in link(presentation, it).included] == [icon]
    harvested.says(acap("ACAP-disallow-present-thumbnail: /"), "https://courier.example")
    assert link(*judged(harvested, it.version.id)).is_withheld


def test_a_thumbnail_is_the_publishers_where_it_must_be(harvested: Searchable) -> None:
    """The image that must be used is used without any browser; without a copy of it there is no thumbnail."""
    picture = harvested.keep("/fog.png", PNG, media="image/png")
    presentation, it = page(harvested, "ACAP-allow-present-thumbnail: / must-use-resource=/fog.png")
    assert thumbnail(presentation, it, "no browser").is_withheld  # the image may not use another one either
    presentation, it = page(harvested, "ACAP-allow-present-thumbnail: /*.html must-use-resource=/fog.png")
    assert thumbnail(presentation, it, "no browser").image == picture
    presentation, it = page(harvested, "ACAP-allow-present-thumbnail: /*.html must-use-resource=/other.png")
    assert thumbnail(presentation, it).is_withheld


def test_without_a_browser_a_thumbnail_is_not_at_hand(harvested: Searchable) -> None:
    """Why no thumbnail can be made is said, and is no one's prohibition."""
    presentation, it = page(harvested)
    one = thumbnail(presentation, it, "no Chromium")
    assert (one.state, one.why) == (State.MISSING, "no Chromium")
    assert thumbnail(presentation, it).is_shown


def test_the_words_of_max_image_preview_decide_on_thumbnails(harvested: Searchable) -> None:
    """`none` withholds the thumbnail; `standard` permits the only size there is."""
    for word, state in (("none", State.WITHHELD), ("standard", State.SHOWN)):
        content = article("Fog", TEXT, f'<meta name="robots" content="max-image-preview:{word}">')
        assert thumbnail(*page(harvested, content=content, url=f"/{word}.html")).state is state


@pytest.mark.parametrize(
    ("restriction", "framed", "exact_only"),
    [
        ("prohibited-modification=any", False, True),
        ("prohibited-modification=annotation", False, False),
        ("prohibited-modification=format", True, True),
        ("prohibited-modification=style", True, True),
        ("prohibited-modification=translation", True, False),
        ("prohibited-context=within-user-frame", False, False),
    ],
)
def test_a_copy_is_shown_as_its_publisher_wants(
    harvested: Searchable, restriction: str, framed: bool, exact_only: bool
) -> None:
    """Each restriction turns off what it speaks of: the frame, marks, translation, copies without parts."""
    presentation, it = page(harvested, f"ACAP-allow-present-currentcopy: / {restriction}")
    shown = copy(presentation, it)
    assert shown.representation.is_shown
    assert (shown.is_framed, shown.is_exact) == (framed, True)
    assert shown.may_translate == (framed and "translation" not in restriction)
    assert shown.may_annotate == (restriction == "prohibited-modification=translation")
    assert (b"<mark>" in shown.octets(["fog"])) == shown.may_annotate
    partly = page(
        harvested, f"ACAP-allow-present-currentcopy: / {restriction}", url="/b.html",
        content=article("Fog", f'{TEXT}<p class="the-acap:disallow-present-currentcopy">secret</p>'),
    )  # fmt: skip
    less = copy(*partly)
    assert less.representation.is_shown is not exact_only
    if less.representation.is_shown:
        assert b"secret" not in less.octets()


def test_a_copy_within_its_original_frame_alone_is_withheld(harvested: Searchable) -> None:
    """A copy is never in its original context, so what requires that is not shown."""
    presentation, it = page(harvested, "ACAP-allow-present: / required-context=within-original-frame")
    assert copy(presentation, it).representation.is_withheld
    assert original(presentation, it).is_withheld
    assert link(presentation, it).is_shown


def test_a_copy_without_parts_is_withheld_where_nothing_may_be_changed(harvested: Searchable) -> None:
    """A copy that was kept without some elements is no copy as it came."""
    secret = '<p class="the-acap:disallow-preserve">secret</p>'
    presentation, it = page(
        harvested, "ACAP-allow-present-currentcopy: / prohibited-modification=style",
        content=article("Fog", TEXT + secret),
    )  # fmt: skip
    assert it.capture is not None
    assert b"secret" not in it.capture.body
    assert copy(presentation, it).representation.is_withheld
    presentation, it = page(harvested, content=article("Fog", TEXT + secret), url="/b.html")
    shown = copy(presentation, it)
    assert (shown.representation.is_shown, shown.is_exact, shown.charset) == (True, False, "utf-8")


def test_a_copy_without_parts_is_read_as_it_was_written(harvested: Searchable) -> None:
    """What is kept of a page in another encoding is read again as the same words, so its own words still prohibit."""
    content = article(
        "Fög", f'{TEXT}<p class="the-acap:disallow-preserve">secret</p>',
        '<meta name="robots" content="ACAP disallow-present-snippet">',
    )  # fmt: skip
    harvested.says(acap())
    version = harvested.keep("/a.html", content.encode("utf-16"), media="text/html; charset=utf-16")
    presentation, it = judged(harvested, version)
    assert not it.is_whole
    assert link(presentation, it).text == "Fög"
    assert snippet(presentation, it).is_withheld


def test_a_credit_stands_in_the_copy_or_beside_it(harvested: Searchable) -> None:
    """A copy that is shown alone has its credit in itself, or it is withheld."""
    content = article("Fog", f"{TEXT}<p id=by>By Ada</p>")
    alone = "prohibited-context=within-user-frame"
    inside = page(
        harvested, f"ACAP-allow-present-currentcopy: / {alone} must-include-resource=the-acap:credit:id:by",
        content=content,
    )  # fmt: skip
    assert copy(*inside).representation.is_shown
    beside = "must-include-resource=the-acap:link:https://courier.example/"
    outside = page(harvested, f"ACAP-allow-present-currentcopy: / {alone} {beside}", content=content, url="/b.html")
    assert copy(*outside).representation.is_withheld
    framed = page(harvested, f"ACAP-allow-present-currentcopy: / {beside}", content=content, url="/c.html")
    assert copy(*framed).representation.is_shown


def test_a_credit_elsewhere_in_the_page_is_not_in_a_part_of_it(harvested: Searchable) -> None:
    """A copy that is shown alone and has but one element of the page does not have the credit beside that."""
    it = page(
        harvested,
        "ACAP-allow-present-currentcopy: / prohibited-context=within-user-frame "
        "must-use-resource=the-acap:extract:id:text must-include-resource=the-acap:credit:id:by",
        content=article("Fog", f"<p id=text>{TEXT}</p><p id=by>By Ada</p>"),
    )
    assert copy(*it).representation.is_withheld


@pytest.mark.parametrize(
    ("usage", "make"),
    [
        ("link", link),
        ("snippet", snippet),
        ("thumbnail", thumbnail),
        ("original", original),
        ("currentcopy", lambda *one: copy(*one).representation),
    ],
)
@pytest.mark.parametrize(
    ("crawled", "used"), [("/fog", "/mist"), ("/fog", "the-acap:extract:id:lead"), ("the-acap:extract:id:lead", "/fog")]
)
def test_beside_another_resource_nothing_else_can_be_what_must_be_used(
    harvested: Searchable, usage: str, make: Callable[..., Representation], crawled: str, used: str
) -> None:
    """Where crawling requires one thing and the usage another, and one is another resource, nothing is shown."""
    octets, media = (PNG, "image/png") if usage == "thumbnail" else (b"<p>Thick.", "text/html")
    for url in ("/fog", "/mist"):
        harvested.keep(url, octets, media=media)
    version = harvested.keep("/a.html", article("Fog", f"<p id=lead>Lead.</p><p>{TEXT}</p>"))
    crawl = f"ACAP-allow-crawl: /a.html must-use-resource={crawled}"
    permission = f"ACAP-allow-present-{usage}: /a.html must-use-resource="
    harvested.says(acap(permission + "/fog"))
    assert make(*judged(harvested, version)).is_shown
    harvested.says(acap(crawl, permission + used))
    assert not make(*judged(harvested, version)).is_shown


def test_of_several_parts_that_must_be_used_what_lies_in_all_is_shown(harvested: Searchable) -> None:
    """A link, a snippet and a copy have what lies in the part for crawling and in that of the usage, and no more."""
    lines = [
        "ACAP-allow-crawl: / must-use-resource=the-acap:extract:id:lead",
        *(f"ACAP-allow-present-{one}: / must-use-resource=the-acap:extract:id:{{id}}" for one in ("link", "snippet")),
        "ACAP-allow-present-currentcopy: / must-use-resource=the-acap:extract:id:{id}",
    ]
    content = article("Fog", "<div id=lead>Outer. <p id=inner>Inner.</p></div><p id=apart>Apart.</p>")
    inner = page(harvested, *(line.format(id="inner") for line in lines), content=content)
    assert link(*inner).text == snippet(*inner).text == "Inner."
    assert b"Inner." in copy(*inner).octets()
    assert b"Outer." not in copy(*inner).octets()
    apart = page(harvested, *(line.format(id="apart") for line in lines), content=content, url="/b.html")
    assert link(*apart).is_withheld
    assert snippet(*apart).is_withheld
    assert copy(*apart).representation.is_withheld


@pytest.mark.parametrize(("usage", "make"), [("thumbnail", thumbnail), ("currentcopy", copy)])
def test_of_a_picture_no_part_can_be_used(
    harvested: Searchable, usage: str, make: Callable[..., Representation | Copy]
) -> None:
    """What must be a part of a page is in no picture, so nothing of that is shown."""
    harvested.says(acap(f"ACAP-allow-present-{usage}: / must-use-resource=the-acap:extract:id:lead"))
    made = make(*judged(harvested, harvested.keep("/fog.png", PNG, media="image/png")))
    assert (made.representation if isinstance(made, Copy) else made).is_withheld


@pytest.mark.parametrize("what", ["must-use-resource=", "must-include-resource=the-acap:link:"])
def test_a_required_link_does_not_lead_where_none_may(harvested: Searchable, what: str) -> None:
    """What is known of the other site's policy counts for the link as well."""
    presentation, it = page(harvested, f"ACAP-allow-present-link: / {what}https://courier.example/")
    assert link(presentation, it).is_shown
    harvested.says(acap("ACAP-disallow-present-link: /"), "https://courier.example")
    assert link(*judged(harvested, it.version.id)).is_withheld


def test_an_older_version_has_usages_of_its_own(harvested: Searchable) -> None:
    """What is not the newest is an old copy, with its own permissions (P1, footnote 3)."""
    harvested.says(acap("ACAP-disallow-present-oldcopy: /", "ACAP-disallow-present-oldextract: /"))
    old = harvested.keep("/a.html", article("Fog", TEXT))
    harvested.clock.advance(timedelta(days=1))
    new = harvested.keep("/a.html", article("Fog lifts", TEXT))
    presentation, it = judged(harvested, new)
    [before] = presentation.older(it)
    assert before.version.id == old
    assert copy(presentation, it).representation.usage == "present-currentcopy"
    assert copy(presentation, before).representation.usage == "present-oldcopy"
    assert copy(presentation, before).representation.is_withheld
    assert snippet(presentation, before).is_shown
    assert extract(presentation, before).is_withheld


def test_another_resource_stands_in_for_a_copy(harvested: Searchable) -> None:
    """Where another resource must be used, its copy is shown as both permit."""
    harvested.says(acap("ACAP-allow-present-currentcopy: / prohibited-modification=any"), "https://light.example")
    harvested.keep("https://light.example/a", article("Light", "A lighter page."))
    policy = "ACAP-allow-present-currentcopy: / must-use-resource=https://light.example/a"
    shown = copy(*page(harvested, policy))
    assert b"A lighter page." in shown.octets()
    assert not shown.is_framed
    harvested.says(acap("ACAP-disallow-present: /"), "https://light.example")
    assert copy(*page(harvested, policy)).representation.is_withheld


def test_what_the_operator_took_out_is_not_shown(harvested: Searchable) -> None:
    """A URL that the operator removed is shown in no way, even while something of it is held."""
    version = page(harvested)[1].version.id
    with harvested.store.writing(), harvested.store.transaction():
        harvested.store.requests.make("removal", f"{SITE}/a.html", "", harvested.clock.now())
    presentation, it = judged(harvested, version)
    assert link(presentation, it).why == "the operator removed it"
    assert copy(presentation, it).representation.is_withheld


def test_the_ledger_tells_what_was_shown_and_why(harvested: Searchable) -> None:
    """Each resource and usage shown is an act with version, policy and decision; what is withheld is none."""
    presentation, it = page(harvested, "ACAP-disallow-present-snippet: /", "ACAP-allow-present-link: /")
    presentation.note(link(presentation, it), snippet(presentation, it))
    presentation.enter("results")
    [act] = [entry.act for entry in harvested.store.ledger.entries(acts=("presented",))]
    assert (act.url, act.usage, act.version, act.policy) == (it.version.url, "present-link", it.version.id, it.policy)
    assert act.at == harvested.clock.now()
    assert act.decision is not None
    assert act.decision["outcome"] == "permitted"
    assert act.decision["statements"][0]["text"] == "ACAP-allow-present-link: /"
    assert act.detail == {"where": "results"}
    resource = harvested.store.resources.find(it.version.url)
    assert resource is not None
    assert resource.first_presented == harvested.clock.now()
    presentation.enter("results")
    assert harvested.store.ledger.count("presented") == 1


def test_what_changed_since_it_was_looked_at_is_looked_at_again(harvested: Searchable) -> None:
    """Between decision and entry a new policy, a removed copy or a newer version each undo the page."""

    def looked_at() -> Presentation:
        presentation, it = judged(harvested, version)
        presentation.note(link(presentation, it))
        return presentation

    version = page(harvested)[1].version.id
    presentation = looked_at()
    harvested.says(acap("ACAP-disallow-present: /nothing"))
    with pytest.raises(ChangedError):
        presentation.enter("results")
    presentation = looked_at()
    place = harvested.store.resources.version(version)
    assert place is not None
    assert place.place is not None
    with harvested.store.transaction():
        harvested.store.hide_copy(version, place.place)
    with pytest.raises(ChangedError):
        presentation.enter("results")
    presentation = looked_at()
    harvested.keep("/a.html", article("Fog lifts", TEXT))
    with pytest.raises(ChangedError):
        presentation.enter("results")
    assert harvested.store.ledger.count("presented") == 0


def test_what_cannot_be_entered_is_an_error(harvested: Searchable) -> None:
    """A database that takes no entry raises, so that nothing is sent."""
    presentation, it = page(harvested)
    presentation.note(link(presentation, it))
    harvested.store.database.run("PRAGMA query_only = ON")
    with pytest.raises(StoreError):
        presentation.enter("results")


def test_marks_stand_in_text_alone() -> None:
    """Words are marked in text, never in tags, references, styles or titles."""
    html = '<title>amp</title><style>amp{}</style><p class="amp">amp &amp; AMP clamp</p><textarea>amp</textarea>'
    assert marked(html, ["amp"]) == html.replace(">amp &amp; AMP ", "><mark>amp</mark> &amp; <mark>AMP</mark> ")
    assert marked(html, []) == html


_CRAWL = ("ACAP-disallow-crawl: /", "ACAP-allow-crawl: /$", "ACAP-allow-crawl: /news/")
GUIDE = {
    "4.10": (
        (*_CRAWL, "ACAP-allow-index: /news/", "ACAP-allow-preserve: /news/", "ACAP-disallow-present: /news/",
         "ACAP-allow-present-snippet: /news/*.htm$", "ACAP-allow-present-thumbnail: /news/*.htm$",
         "ACAP-allow-present-links: /news/*.htm$"),
        {"link", "snippet", "thumbnail"},
    ),
    "4.11": (
        (*_CRAWL, "ACAP-allow-present: /news/", "ACAP-disallow-present-thumbnail: /news/"),
        {"link", "snippet", "extract", "original", "copy", "older copy"},
    ),
    "4.13": (
        (*_CRAWL, "ACAP-allow-present: /news/", "ACAP-disallow-present-currentcopy: /news/",
         "ACAP-disallow-present-oldcopy: /news/", "ACAP-disallow-present-original: /news/",
         "ACAP-allow-present-original: /news/*.htm$", "ACAP-allow-present-original: /news/*.html$"),
        {"link", "snippet", "extract", "thumbnail", "original"},
    ),
    "4.14": (
        ("ACAP-allow-crawl: /news/", "ACAP-allow-present: /news/", "ACAP-disallow-present-oldcopy: /news/"),
        {"link", "snippet", "extract", "thumbnail", "original", "copy"},
    ),
    "5.15": (
        ("ACAP-allow-crawl: /", "ACAP-allow-present-currentcopy: / prohibited-context=within-user-frame"),
        {"link", "snippet", "extract", "thumbnail", "original", "copy", "older copy"},
    ),
    "5.16": (
        ("ACAP-allow-crawl: /", "ACAP-allow-present-original: / required-context=within-original-frame"),
        {"link", "snippet", "extract", "thumbnail", "copy", "older copy"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("example", GUIDE)
def test_the_examples_of_the_guide_are_kept(harvested: Searchable, example: str) -> None:
    """Under each of the guide's policies exactly what it describes is shown."""
    policy, shown = GUIDE[example]
    harvested.says(acap(*policy))
    harvested.keep("/news/a.htm", article("Fog", TEXT))
    harvested.clock.advance(timedelta(days=1))
    presentation, it = judged(harvested, harvested.keep("/news/a.htm", article("Fog lifts", TEXT)))
    [old] = presentation.older(it)
    made = {
        "link": link(presentation, it),
        "snippet": snippet(presentation, it),
        "extract": extract(presentation, it),
        "thumbnail": thumbnail(presentation, it),
        "original": original(presentation, it),
        "copy": copy(presentation, it).representation,
        "older copy": copy(presentation, old).representation,
    }
    assert {name for name, one in made.items() if one.is_shown} == shown
    assert all(one.is_withheld for one in made.values() if not one.is_shown)


@pytest.mark.parametrize(
    ("example", "content", "shown"),
    [
        ("4.12", '<META NAME="robots" CONTENT="ACAP disallow-present-snippet">', None),
        ("5.9", '<META name="robots" content="ACAP allow-present-snippet max-length=2-words">', "The fog"),
        (
            "5.10",
            (
                '<META name="snippet" content="This is the snippet text to be presented"><META name="robots" '
                'content="ACAP allow-present-snippet must-use-resource=the-acap:extract:meta:snippet">'
            ),
            "This is the snippet text to be presented",
        ),
    ],
)
def test_the_guides_examples_in_pages_are_kept(
    harvested: Searchable, example: str, content: str, shown: str | None
) -> None:
    """META tags of the guide give the snippet that it describes, or none."""
    one = snippet(*page(harvested, content=article("Fog", TEXT, content)), "fog")
    assert (one.text if one.is_shown else None) == shown, example


def test_plain_text_is_shown_as_text(harvested: Searchable) -> None:
    """A text file has snippets and copies, and markup in it is text."""
    harvested.says(acap())
    version = harvested.keep("/a.txt", "<b>Fog</b> & harbour", media="text/plain; charset=iso-8859-1")
    presentation, it = judged(harvested, version)
    assert snippet(presentation, it).text == "<b>Fog</b> & harbour"
    shown: Copy = copy(presentation, it)
    assert (shown.media, shown.charset, shown.octets()) == ("text/plain", "iso-8859-1", b"<b>Fog</b> & harbour")


def test_every_representation_says_why_it_is_not_shown(harvested: Searchable) -> None:
    """Whatever is not shown has a sentence that says why."""
    presentation, it = page(harvested, "ACAP-disallow-present: /", "ACAP-disallow-preserve: /")
    made: list[Representation] = [make(presentation, it) for make in (link, snippet, extract, original)]
    made += [thumbnail(presentation, it), copy(presentation, it).representation]
    assert all(not one.is_shown and one.why for one in made)
