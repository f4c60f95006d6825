"""RSL 1.0: what licence documents say, to whom, and what is not granted where something is wrong."""

from __future__ import annotations

import codecs
import pickle
import time
import warnings
from typing import Any, cast

import pytest

import acap
from acap.dialects.rsl.document import NAMESPACE
from acap.dialects.rsl.reading import max_age_of
from acap.dialects.rsl.tree import MAX_ATTRIBUTES, MAX_DEPTH, MAX_ELEMENTS, MAX_OCTETS

SITE = "https://www.example.com"
HERE = f"{SITE}/licence.xml"


def document(contents: str) -> acap.RslDocument:
    return acap.parse_rsl(f'<rsl xmlns="{NAMESPACE}">{contents}</rsl>', url=HERE)


def licence(within: str, *, content: str = 'url="/"') -> acap.RslDocument:
    return document(f"<content {content}><license>{within}</license></content>")


def permits(tokens: str, kind: str = "usage") -> str:
    return f'<permits type="{kind}">{tokens}</permits>'


def prohibits(tokens: str, kind: str = "usage") -> str:
    return f'<prohibits type="{kind}">{tokens}</prohibits>'


def asked(found: acap.RslDocument, usage: str, url: str = f"{SITE}/a/b", **licensee: Any) -> acap.Decision:
    crawler = acap.Crawler("bot", licensee=acap.Licensee(**licensee) if licensee else None)
    return acap.decide(url, crawler=crawler, usage=usage, others=[found])


def outcome(found: acap.RslDocument, usage: str, url: str = f"{SITE}/a/b", **licensee: Any) -> str:
    decision = asked(found, usage, url, **licensee)
    return str(decision.outcome) if decision.stated else "silent"


def codes(found: acap.RslDocument) -> set[str]:
    return {each.code for each in found.problems}


@pytest.mark.parametrize(
    ("tokens", "granted", "refused"),
    [
        ("search", ("index", "present-link", "present-snippet", "search"), ("preserve", "ai-input", "tdm", "other")),
        ("ai-train", ("ai-train", "ai-train-generative"), ("ai-input", "tdm", "search")),
        ("ai-all", ("ai-train-generative", "ai-input", "ai-index"), ("tdm", "index")),
        ("all", ("tdm", "ai-train", "search", "preserve", "present-oldcopy", "other"), ()),
        ("", (), ("search", "tdm", "ai-train", "other")),
        ("train-ai Search ext:all", (), ("search", "tdm", "ai-train", "other")),
    ],
)
def test_what_is_permitted_is_a_closed_list(tokens: str, granted: tuple[str, ...], refused: tuple[str, ...]) -> None:
    found = licence(permits(tokens))
    assert {usage: outcome(found, usage) for usage in (*granted, *refused)} == {
        **dict.fromkeys(granted, "permitted"),
        **dict.fromkeys(refused, "prohibited"),
    }
    assert outcome(found, "crawl") == outcome(found, "follow") == "silent"


@pytest.mark.parametrize(
    ("tokens", "refused", "silent"),
    [
        ("ai-train", ("ai-train", "ai-train-generative"), ("ai-input", "tdm", "search", "preserve")),
        ("ai-all", ("ai-train", "ai-input", "ai-index", "tdm"), ("index", "preserve")),
        ("all", ("search", "tdm", "preserve", "other"), ("crawl", "follow")),
        ("train-ai", ("ai-train-generative",), ("ai-input",)),
        ("AI-Train", ("ai-train",), ("ai-input",)),
        ("ai-trian", ("ai-train", "index"), ()),
        ("tdm", ("ai-train", "index"), ()),
        ("ext:speech", (), ("ai-train", "index")),
        ("all!ext:speech", ("ai-train", "index"), ()),
        (":", ("ai-train", "index"), ()),
        ("rsl:ai-train", ("ai-train",), ("ai-input", "index")),
        ("ext:ALL", ("ai-train", "index"), ()),
    ],
)
def test_what_is_prohibited_leaves_the_rest_open(
    tokens: str, refused: tuple[str, ...], silent: tuple[str, ...]
) -> None:
    found = licence(prohibits(tokens))
    assert {usage: outcome(found, usage) for usage in (*refused, *silent)} == {
        **dict.fromkeys(refused, "prohibited"),
        **dict.fromkeys(silent, "silent"),
    }


def test_a_narrower_permission_does_not_lift_a_prohibition_in_its_licence() -> None:
    found = licence(permits("ai-train") + prohibits("all"))
    assert outcome(found, "ai-train") == "prohibited"
    assert codes(found) == {"rsl-contradiction"}


def test_the_narrower_path_decides_use_by_use() -> None:
    found = document(
        f'<content url="/"><license>{permits("search")}</license></content>'
        f'<content url="/a/"><license>{permits("ai-train")}</license></content>'
        f'<content url="/a/b$"><license>{prohibits("search")}</license></content>'
    )
    assert outcome(found, "search", "/c") == "permitted"
    assert outcome(found, "search", "/a/c") == "prohibited"
    assert outcome(found, "ai-train", "/a/c") == outcome(found, "ai-train", "/a/b") == "permitted"
    assert outcome(found, "index", "/a/b") == "prohibited"


@pytest.mark.parametrize("written", ["", 'url="a"', 'urn="/a/"', 'url=""', 'url="https:///a/"'])
def test_what_does_not_say_where_it_is_may_be_narrower_than_any(written: str) -> None:
    found = document(
        f"<content {written}><license>{prohibits('search')}</license></content>"
        f'<content url="/a/b"><license>{permits("all")}</license></content>'
    )
    assert outcome(found, "ai-train") == outcome(found, "index") == "prohibited"


def test_of_patterns_that_overlap_both_must_permit() -> None:
    found = document(
        f'<content url="/a/*"><license>{permits("all")}</license></content>'
        f'<content url="/*.pdf"><license>{prohibits("ai-train")}</license></content>'
    )
    assert outcome(found, "ai-train", "/a/b.pdf") == "prohibited"
    assert outcome(found, "ai-train", "/a/b") == "permitted"


def test_licences_of_one_path_are_distinct_terms_and_each_that_names_a_use_must_permit_it() -> None:
    free = f"<license>{permits('search ai-input')}</license>"
    paid = f'<license>{permits("ai-train")}<payment type="training"/></license>'
    found = document(f'<content url="/">{free}{paid}</content>')
    assert [outcome(found, usage) for usage in ("search", "ai-train", "ai-index")] == [
        "permitted",
        "conditional",
        "prohibited",
    ]
    for more, expected in (
        (f"<license>{prohibits('search')}</license>", "prohibited"),
        (f'<license>{permits("search")}<payment type="crawl"/></license>', "conditional"),
        (f'<license>{permits("search")}<payment type="barter"/></license>', "prohibited"),
    ):
        assert outcome(document(f'<content url="/">{free}{paid}{more}</content>'), "index") == expected


OUTERMOST = ("GF", "GP", "MF", "MQ", "RE", "YT", "AX", "EA", "IC")


@pytest.mark.parametrize(
    ("written", "licensee", "expected"),
    [
        (permits("personal education", "user"), {}, "prohibited"),
        (permits("personal education", "user"), {"users": "education"}, "permitted"),
        (permits("personal education", "user"), {"users": ["education", "commercial"]}, "prohibited"),
        (prohibits("commercial", "user"), {}, "prohibited"),
        (prohibits("commercial", "user"), {"users": "education"}, "prohibited"),
        (prohibits("non-commercial", "user"), {"users": "education"}, "prohibited"),
        (prohibits("commercial", "user"), {"users": ["education", "non-commercial"]}, "permitted"),
        (permits("education", "user"), {"users": ["education", "non-commercial"]}, "permitted"),
        (permits("non-commercial", "user"), {"users": ["education", "non-commercial"]}, "prohibited"),
        (permits("commercial", "user"), {"users": ["commercial", "non-commercial"]}, "prohibited"),
        (prohibits("commercial", "user"), {"users": ["education", "commercial"]}, "prohibited"),
        (prohibits("startups", "user"), {"users": "education"}, "prohibited"),
        (permits("EU US", "geo"), {"country": "DE"}, "permitted"),
        (permits("EU US", "geo"), {"country": "GB"}, "prohibited"),
        (permits("EU US", "geo"), {}, "prohibited"),
        (prohibits("eu", "geo"), {"country": "FR"}, "prohibited"),
        (prohibits("UK", "geo"), {"country": "GB"}, "prohibited"),
        (prohibits("EL", "geo"), {"country": "GR"}, "prohibited"),
        (permits("EL", "geo"), {"country": "GR"}, "prohibited"),
        *((prohibits("EU", "geo"), {"country": code}, "prohibited") for code in OUTERMOST),
        *((permits("EU FR FI ES", "geo"), {"country": code}, "prohibited") for code in OUTERMOST),
        *((prohibits(place, "geo"), {"country": "RE"}, "prohibited") for place in ("RE", "FR")),
        (prohibits("RE", "geo"), {"country": "FR"}, "prohibited"),
        (prohibits("RE", "geo"), {"country": "EU"}, "prohibited"),
        (prohibits("AX", "geo"), {"country": "RE"}, "permitted"),
        *((prohibits("EU", "geo"), {"country": code}, "prohibited") for code in ("AA", "QM", "qz", "XA", "XX", "ZZ")),
        (permits("XK", "geo"), {"country": "XK"}, "prohibited"),
        (prohibits("EU", "geo"), {"country": "QA"}, "permitted"),
        (prohibits("CN", "geo"), {"country": "FR"}, "permitted"),
        (prohibits("CN", "geo"), {}, "prohibited"),
        (prohibits("Mars", "geo"), {"country": "FR"}, "prohibited"),
    ],
)
def test_what_is_unknown_of_the_asker_counts_against_it(written: str, licensee: Any, expected: str) -> None:
    assert outcome(licence(permits("all") + written), "ai-train", **licensee) == expected


@pytest.mark.parametrize(
    ("payment", "expected"),
    [
        ("", "permitted"),
        ('<payment type="free"/>', "permitted"),
        ('<payment type="attribution"/>', "permitted"),
        ('<payment type="contribution"/>', "permitted"),
        ('<payment type="free"><amount currency="USD">0.00</amount></payment>', "permitted"),
        ('<payment type="free"><amount currency="USD">5</amount></payment>', "conditional"),
        ('<payment type="attribution"><amount>?</amount></payment>', "conditional"),
        *((f'<payment type="{kind}"/>', "conditional") for kind in ("purchase", "subscription", "training", "crawl")),
        *(
            (f'<payment type="free"><amount>{amount}</amount></payment>', "conditional")
            for amount in (".", "0.", "0e0", "-0", "0_0", "\u0660", "\uff11\uff10", "1", "")
        ),
        ('<payment type="free"><amount>0</amount><amount>0e0</amount></payment>', "conditional"),
        ('<payment type="free" amount="5"/>', "prohibited"),
        ('<payment type="contribution"><amount>10</amount></payment>', "conditional"),
        ('<payment type="inference"/>', "conditional"),
        ('<payment type="Purchase"/>', "conditional"),
        ('<payment type="Free"/>', "prohibited"),
        ("<payment/>", "prohibited"),
        ('<payment type="free"/><payment type="use"/>', "conditional"),
        ('<reporting type="audit" profile="https://a.example/"/>', "prohibited"),
    ],
)
def test_payments_are_free_restrictions_or_conditions(payment: str, expected: str) -> None:
    assert outcome(licence(permits("all") + payment), "ai-train") == expected


def test_what_has_to_be_credited_is_a_restriction() -> None:
    found = licence(permits("all") + '<payment type="attribution"/><payment type="contribution"/>')
    decision = asked(found, "index")
    assert [str(each) for each in decision.restrictions] == [
        "attribution=credit-and-link",
        "contribution=in-good-faith",
    ]
    careless = acap.Crawler("bot", honours=["time-limit"])
    assert acap.decide("/a", crawler=careless, usage="index", others=[found]).outcome == "prohibited"


def test_a_payment_names_its_terms() -> None:
    found = document(
        '<content url="/" server="https://olp.example/"><license><permits type="usage">ai-train</permits>'
        '<payment type="training"><amount currency="USD">10.00</amount><custom>https://a.example/terms</custom>'
        '<accepts type="application/x402+json"/></payment></license>'
        '<copyright type="organization" contactEmail="a@a.example" contactUrl="https://a.example/"/></content>'
    )
    assert asked(found, "ai-train").conditions == (
        acap.Condition(
            "payment",
            licence=HERE,
            server="https://olp.example/",
            policy="https://a.example/terms",
            payment="training",
            amount="10.00",
            currency="USD",
            contact=("mailto:a@a.example", "https://a.example/"),
            text="accepts application/x402+json",
        ),
    )
    assert outcome(found, "ai-train", payments=["use"]) == "prohibited"
    assert outcome(found, "ai-train", payments=["training"]) == "conditional"
    assert outcome(found, "ai-train", licences=["https://olp.example/"]) == "permitted"


def test_of_several_payments_each_has_to_be_made() -> None:
    one, other = (f'<payment type="use"><standard>https://{name}.example/</standard></payment>' for name in "ab")
    found = licence(permits("all") + one + other)
    assert [each.policy for each in asked(found, "ai-train").conditions] == ["https://a.example/", "https://b.example/"]
    for held in ("https://a.example/", "https://b.example/"):
        assert outcome(found, "ai-train", licences=[held]) == "conditional"
    assert outcome(found, "ai-train", licences=["https://a.example/", "https://b.example/"]) == "permitted"


@pytest.mark.parametrize(
    ("content", "held", "expected"),
    [
        ('server="https://olp.example/" encrypted="true"', "https://c.example/l", "conditional"),
        ('server="https://olp.example/"', "https://c.example/l", "conditional"),
        ('encrypted="true"', "https://c.example/l", "conditional"),
        ('server="https://olp.example/" encrypted="true"', "https://olp.example/", "permitted"),
        ("", "https://c.example/l", "permitted"),
        ("", HERE, "permitted"),
    ],
)
def test_who_knows_the_terms_holds_no_token_of_a_server(content: str, held: str, expected: str) -> None:
    payment = '<payment type="purchase"><standard>https://c.example/l</standard><amount>1</amount></payment>'
    assert (
        outcome(licence(permits("all") + payment, content=f'url="/" {content}'), "index", licences=[held]) == expected
    )


def test_a_server_gives_tokens_even_for_what_is_free() -> None:
    found = licence(
        permits("ai-train") + '<payment type="attribution"/>', content='url="/" server="https://olp.example/"'
    )
    decision = asked(found, "ai-train")
    assert decision.outcome == "conditional"
    assert decision.conditions[0].asks == "licence"
    assert outcome(licence(permits("all"), content='url="/" encrypted="true"'), "index") == "conditional"


FOREIGN_LIST = '<prohibits type="usage"><b xmlns="x">all</b></prohibits>'


@pytest.mark.parametrize(
    "written",
    [
        f'<rsl xmlns="{NAMESPACE}"><meta/><content url="/"><license>{permits("all")}</license></content></rsl>',
        f'<rsl xmlns="{NAMESPACE}"><content url="/"><only/><license>{permits("all")}</license></content></rsl>',
        f'<rsl xmlns="{NAMESPACE}"><content url="/"><license>{permits("all")}<only/></license></content></rsl>',
        f'<rsl xmlns="{NAMESPACE}"><content url="/"><license>{permits("all<only/>")}</license></content></rsl>',
        f'<rsl xmlns="{NAMESPACE}"><content url="/"><license>{permits("all", "purpose")}</license></content></rsl>',
        f'<rsl xmlns="{NAMESPACE}"><content><license>{permits("all")}</license></content></rsl>',
        f'<rsl xmlns="{NAMESPACE}"><content url="/"><license>{permits("all")}{FOREIGN_LIST}</license></content></rsl>',
        f'<rsl xmlns="{NAMESPACE}"><license>{prohibits("all")}</license><content url="/zz"/></rsl>',
        *(
            f'<rsl xmlns="{NAMESPACE}"><content url="{url}"><license>{permits("all")}</license></content></rsl>'
            for url in ("https:///a", "https://www.example.com:99999/", "https://www.example.com:x/")
        ),
        f'<rsl xmlns="{NAMESPACE}"><content url="a"><license>{permits("all")}</license></content></rsl>',
        f'<rsl xmlns="{NAMESPACE}"><content url="//x/a"><license>{permits("all")}</license></content></rsl>',
        f'<rsl xmlns="{NAMESPACE}"><content url="/"><license>{permits("all")}</license></content>',
        f'<rsl xmlns="{NAMESPACE}/"><content url="/"><license>{permits("all")}</license></content></rsl>',
        f'<rsl xmlns="{NAMESPACE}"/>',
        f'<!DOCTYPE rsl><rsl xmlns="{NAMESPACE}"><content url="/"><license>{permits("all")}</license></content></rsl>',
        "",
        "<!doctype html><title>Not found</title>",
        "\ufeff{}",
    ],
)
def test_what_is_not_understood_grants_nothing(written: str) -> None:
    found = acap.parse_rsl(written, url=HERE)
    assert outcome(found, "ai-train") == outcome(found, "tdm") == "prohibited"
    assert any(each.severity == "error" for each in found.problems)
    assert acap.parse_rsl(written.encode(), url=HERE) == found


def test_what_is_prohibited_before_a_fault_stays_prohibited() -> None:
    whole = f'<rsl xmlns="{NAMESPACE}"><content url="/"><license>{prohibits("all")}</license></content>'
    assert outcome(acap.parse_rsl(whole), "index", "/a") == "prohibited"


def test_what_belongs_to_another_namespace_is_ignored_with_its_contents() -> None:
    foreign = '<x:more xmlns:x="urn:x"><permits xmlns="urn:x" type="usage">all</permits></x:more>'
    assert outcome(licence(permits("search") + foreign), "index") == "permitted"
    assert outcome(licence(permits("search") + foreign), "tdm") == "prohibited"


def test_urls_of_the_site_are_paths_and_those_of_others_say_nothing() -> None:
    found = licence(permits("search"), content=f'url="{SITE}/a/"')
    assert outcome(found, "index") == "permitted"
    assert outcome(found, "index", f"{SITE}/c") == "silent"
    assert outcome(found, "index", "https://other.example/a/") == "silent"
    assert outcome(found, "index", "http://www.example.com/a/") == "permitted"
    assert outcome(found, "index", "https://www.example.com./a/") == "permitted"
    full = licence(prohibits("all"), content='url="https://www.example.com.:8080/"')
    assert outcome(full, "index", "https://www.example.com:8080/") == "prohibited"
    assert outcome(licence(prohibits("all"), content='url="https://other.example"'), "index") == "silent"
    assert outcome(licence(permits("all"), content='url=""'), "ai-train") == "prohibited"


def test_a_content_without_a_licence_licenses_nothing_but_by_its_server() -> None:
    assert outcome(document('<content url="/"/>'), "ai-train") == "prohibited"
    assert outcome(document('<content url="/" server="https://olp.example/"/>'), "ai-train") == "conditional"
    assert outcome(licence('<payment type="purchase"/>'), "ai-train") == "conditional"


def test_lists_with_commas_and_repeated_lists_are_read() -> None:
    found = licence(permits("search,ai-input") + permits("ai-index"))
    assert [outcome(found, usage) for usage in ("index", "ai-input", "ai-index", "ai-train")] == [
        "permitted",
        "permitted",
        "permitted",
        "prohibited",
    ]
    assert codes(found) == {"rsl-comma-list", "rsl-repeated"}


def test_items_of_a_feed_have_licences_of_their_own() -> None:
    feed = (
        f'<rss xmlns:rsl="{NAMESPACE}"><channel><item><link>{SITE}/a</link><rsl:content url="">'
        '<rsl:license><rsl:permits type="usage">all</rsl:permits></rsl:license></rsl:content></item>'
        f'<item><link>{SITE}/b</link><rsl:content url="https://other.example/"><rsl:license/></rsl:content></item>'
        "</channel></rss>"
    )
    found = acap.parse_rsl(feed, url=f"{SITE}/feed.xml")
    assert outcome(found, "ai-train", f"{SITE}/a") == "permitted"
    assert outcome(found, "ai-train", f"{SITE}/ab") == "silent"


ATOM = 'xmlns="http://www.w3.org/2005/Atom"'


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        (f"<link>{SITE}/a</link>", "prohibited"),
        (f'<link {ATOM} href="{SITE}/z"/><link>{SITE}/a</link>', "prohibited"),
        (f'<link {ATOM} rel="self" href="{SITE}/a"/><link>{SITE}/z</link>', "silent"),
        (f'<link {ATOM} href="{SITE}/a"/><link>{SITE}/z</link>', "silent"),
        (f"<link>{SITE}/z</link><link>{SITE}/y</link>", "prohibited"),
        ("", "prohibited"),
    ],
)
def test_an_item_is_about_what_its_own_format_links_to(links: str, expected: str) -> None:
    content = f'<content xmlns="{NAMESPACE}" url=""><license>{prohibits("all")}</license></content>'
    found = acap.parse_rsl(f"<rss><channel><item>{links}{content}</item></channel></rss>", url=f"{SITE}/feed.xml")
    assert outcome(found, "ai-train", f"{SITE}/a") == expected


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        (f'<link rel="self" href="{SITE}/z"/><link rel="Alternate" href="{SITE}/a"/>', "prohibited"),
        (f'<link rel="enclosure" href="{SITE}/z"/><link href="{SITE}/a"/>', "prohibited"),
        (f'<link rel="self" href="{SITE}/z"/>', "prohibited"),
        (f'<link rel="self" href="{SITE}/a"/><link href="{SITE}/z"/>', "silent"),
    ],
)
def test_an_entry_is_about_its_alternate(links: str, expected: str) -> None:
    content = f'<content xmlns="{NAMESPACE}" url=""><license>{prohibits("all")}</license></content>'
    found = acap.parse_rsl(f"<feed {ATOM}><entry>{links}{content}</entry></feed>", url=f"{SITE}/feed.xml")
    assert outcome(found, "ai-train", f"{SITE}/a") == expected


@pytest.mark.parametrize("written", ["", "/", "/*", "/a", "https://www.example.com/a", "https://other.example/a"])
@pytest.mark.parametrize(
    ("link", "of"),
    [
        ("/b", SITE),
        (f"{SITE}/b", SITE),
        ("https://other.example/a", SITE),
        ("", SITE),
        (f"{SITE}/a", "https://other.example"),
    ],
)
def test_an_item_permits_nothing_beside_what_it_links_to_on_the_site_of_its_feed(
    written: str, link: str, of: str
) -> None:
    content = f'<content xmlns="{NAMESPACE}" url="{written}"><license>{permits("all")}</license></content>'
    feed = f"<rss><channel><item><link>{link}</link>{content}</item></channel></rss>"
    found = acap.parse_rsl(feed, url=f"{of}/feed.xml")
    for url in (f"{SITE}/a", "https://other.example/a"):
        assert outcome(found, "ai-train", url) != "permitted"


def test_an_item_permits_what_it_links_to_and_prohibits_as_far_as_its_url_reaches() -> None:
    content = f'<content xmlns="{NAMESPACE}" url="/"><license>{{}}</license></content>'
    feed = f"<rss><channel><item><link>{SITE}/a</link>{content}</item></channel></rss>"
    found = acap.parse_rsl(feed.format(permits("all")), url=f"{SITE}/feed.xml")
    assert [outcome(found, "ai-train", f"{SITE}/{path}") for path in "ab"] == ["permitted", "prohibited"]
    found = acap.parse_rsl(feed.format(prohibits("all")), url=f"{SITE}/feed.xml")
    assert [outcome(found, "index", f"{SITE}/{path}") for path in "ab"] == ["prohibited"] * 2
    with pytest.raises(ValueError, match="feed"):
        acap.write_rsl(found)


def test_what_is_not_rsl_in_a_feed_may_be_about_any_path() -> None:
    grants = f'<rsl:content url=""><rsl:license>{permits("all")}</rsl:license></rsl:content>'.replace(
        "permits", "rsl:permits"
    )
    for place in ("<channel>{}<item>", "<channel><item>{}"):
        start = place.format(f'<rsl:contenu url="/"><rsl:license>{prohibits("all")}</rsl:license></rsl:contenu>')
        feed = f'<rss xmlns:rsl="{NAMESPACE}">{start}<link>{SITE}/a</link>{grants}</item></channel></rss>'
        found = acap.parse_rsl(feed, url=f"{SITE}/feed.xml")
        assert outcome(found, "ai-train", f"{SITE}/a") == outcome(found, "ai-train", f"{SITE}/b") == "prohibited"
        assert codes(found) == {"rsl-unknown-element"}


def test_a_document_holds_for_thirty_days_or_as_it_says() -> None:
    """What is no number of days may be none."""
    assert document('<content url="/"/>').max_age == 30
    week = acap.parse_rsl(f'<rsl xmlns="{NAMESPACE}" max-age="7"><content url="/"/></rsl>')
    assert week.max_age == 7
    assert acap.parse_rsl(f'<rsl xmlns="{NAMESPACE}" max-age="-1"><content url="/"/></rsl>').max_age == 0


MANY_ATTRIBUTES = " ".join(f'a{n}=""' for n in range(MAX_ATTRIBUTES + 1))
BOMB = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))


@pytest.mark.parametrize(
    "octets",
    [
        f'<!DOCTYPE rsl [<!ENTITY a0 "all">{BOMB}]><rsl xmlns="{NAMESPACE}">&a11;</rsl>'.encode(),
        f'<!DOCTYPE rsl SYSTEM "file:///etc/passwd"><rsl xmlns="{NAMESPACE}"/>'.encode(),
        f'<rsl xmlns="{NAMESPACE}">'.encode() + b"<content>" * (MAX_DEPTH + 1),
        f'<rsl xmlns="{NAMESPACE}">'.encode() + b"<content/>" * (MAX_ELEMENTS + 1) + b"</rsl>",
        f'<rsl xmlns="{NAMESPACE}" {MANY_ATTRIBUTES}/>'.encode(),
        f'<rsl xmlns="{NAMESPACE}">'.encode() + b" " * MAX_OCTETS + b"</rsl>",
        f'<rsl xmlns="{NAMESPACE}">'.encode() + b"<a>" * 3_000_000,
        b'<?xml version="1.0" encoding="rot13"?><rsl/>',
        b'<?xml version="1.0" encoding="utf-7"?><rsl/>',
        b'<?xml version="1.0" encoding="unicode_escape"?><rsl/>',
        b"\xff\xfe<\0r\0",
        b"\0" * 100,
    ],
)
def test_hostile_documents_are_refused_with_a_problem(octets: bytes) -> None:
    found = acap.parse_rsl(octets, url=HERE)
    assert outcome(found, "ai-train") == "prohibited"
    assert [each.severity for each in found.problems].count("error") >= 1


def test_the_name_of_an_encoding_is_not_looked_for_among_codecs() -> None:
    asked_for: list[str] = []
    search = asked_for.append
    codecs.register(search)
    try:
        for name in ("an-unheard-of-name", "windows-1252"):
            octets = (
                f'<?xml version="1.0" encoding="{name}"?><rsl xmlns="{NAMESPACE}"><content url="/"/></rsl>'.encode()
            )
            assert codes(acap.parse_rsl(octets)) >= {"rsl-not-xml"}
    finally:
        codecs.unregister(search)
    assert asked_for == []


@pytest.mark.parametrize("encoding", ["unicode_escape", "utf-7", "UTF-16", "utf_8", "idna"])
def test_no_encoding_makes_python_warn(encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><rsl xmlns="{NAMESPACE}"><content url="/"/></rsl>'
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for octets in (text, text.encode(), text.encode("utf-16")):
            assert outcome(acap.parse_rsl(octets), "ai-train", "/a") == "prohibited"


def test_what_a_terminal_would_obey_is_not_told() -> None:
    found = licence(permits("all") + '<payment type="use"><amount>&#x9b;31m</amount><custom>\u202ea</custom></payment>')
    (condition,) = asked(found, "ai-train").conditions
    assert (condition.amount, condition.text) == ("\ufffd31m", "\ufffda")
    odd = licence(prohibits("&#x9b;\u202e"))
    assert all(each.message.isprintable() for each in odd.problems)
    assert asked(odd, "ai-train").reason.decided_by[0].text == "prohibits usage \ufffd\ufffd"


def test_lists_of_many_tokens_take_no_longer_than_they_are_long() -> None:
    tokens = " ".join(f"t{n}" for n in range(40_000))
    lists = permits(tokens) + prohibits(tokens) + permits("a") * 8_000
    started = time.process_time()
    assert outcome(licence(lists), "ai-train") == "prohibited"
    assert time.process_time() - started < 2


def test_what_is_not_rsl_beside_a_content_may_be_about_any_path() -> None:
    found = document(
        f'<contenu url="/"><license>{prohibits("all")}</license></contenu>'
        f'<content url="/zz"><license>{permits("all")}</license></content>'
    )
    assert outcome(found, "ai-train") == outcome(found, "ai-train", "/zz") == "prohibited"


@pytest.mark.parametrize("attribute", ["servar", "Server", "r:server"])
def test_an_attribute_that_is_not_rsl_may_be_a_condition(attribute: str) -> None:
    found = licence(permits("all"), content=f'url="/" xmlns:r="{NAMESPACE}" {attribute}="https://olp.example/"')
    assert outcome(found, "ai-train") == "prohibited"
    assert codes(found) == {"rsl-unknown-attribute"}


def test_many_contents_for_one_path_take_no_longer_than_they_are_many() -> None:
    many = "".join(f'<content url="/{"*" * n}a"><license/></content>' for n in range(500))
    found = document(many + f'<content url="/"><license>{prohibits("all")}</license></content>')
    assert outcome(found, "index", "/a") == "prohibited"


def test_what_is_written_is_read_again() -> None:
    found = document(
        f'<content url="/a&amp;b/*" server="https://olp.example/" encrypted="true" lastmod="2026-01-01"><license>'
        f"{permits('search')}{prohibits('commercial', 'user')}{permits('EU', 'geo')}"
        '<payment type="purchase"><standard>https://a.example/</standard><custom>call us</custom>'
        '<amount currency="EUR">1</amount><accepts type="a/b"/></payment>'
        '<reporting type="audit" profile="https://a.example/"/><legal type="warranty">ownership</legal></license>'
        '<license/><copyright contactEmail="a@a.example"/><terms>&lt;all&gt;</terms></content>'
    )
    assert acap.parse_rsl(acap.write_rsl(found), url=HERE) == found
    assert pickle.loads(pickle.dumps(found)) == found
    with pytest.raises(ValueError, match="not interpreted"):
        acap.write_rsl(licence("<only/>"))


def test_what_is_no_document_is_the_callers_mistake() -> None:
    with pytest.raises(TypeError, match="bytes"):
        acap.parse_rsl(cast(Any, None))


@pytest.mark.parametrize(
    "root",
    [
        f'<rsl xmlns="{NAMESPACE}" max-age=" 7 ">',
        f'<rsl xmlns="{NAMESPACE}" max-age="0">',
        f'<rsl xmlns="{NAMESPACE}">',
        f'<rsl xmlns="{NAMESPACE}" max-age="-1">',
        f'<r:rsl xmlns:r="{NAMESPACE}" max-age="3">',
        '<rsl max-age="3">',
        f'<rsl xmlns="{NAMESPACE}" max-age="12345678">',
        '<!DOCTYPE rsl><rsl max-age="3">',
        "<rss max-age='3'>",
        "",
        f'<?xml version="1.0"?><!-- a --><rsl xmlns="{NAMESPACE}" max-age="9999999">',
        f'<rsl xmlns="{NAMESPACE}" max-age="3',
    ],
)
def test_the_days_of_a_document_are_read_without_the_rest_of_it(root: str) -> None:
    for behind in ("", "<content/>" * 3, "</rsl>", "<content url='/'><license/></content></rsl>"):
        octets = f"{root}{behind}".encode()
        assert max_age_of(octets) == acap.parse_rsl(octets).max_age
