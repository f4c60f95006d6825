"""RSL 1.0: which licence documents are about a resource, and what holds while one is unknown."""

from __future__ import annotations

import pickle
from typing import Any, cast

import pytest

import acap
from acap.dialects.rsl.document import NAMESPACE
from acap.sites.licences import LostLicences

SITE = "https://www.example.com"
HERE = f"{SITE}/a"
RSL = 'rel="license"; type="application/rsl+xml"'
Given = dict[str, bytes | str | acap.RslDocument | None]


def document(within: str, url: str = "/") -> str:
    return f'<rsl xmlns="{NAMESPACE}"><content url="{url}"><license>{within}</license></content></rsl>'


ALL = '<permits type="usage">all</permits>'
PERMITS = document(ALL)
PROHIBITS = document('<prohibits type="usage">all</prohibits>')
PAID = document('<permits type="usage">all</permits><payment type="crawl"/>')


def robots(text: str) -> acap.RobotsPolicy:
    return acap.parse_robots(text.encode(), url=f"{SITE}/robots.txt")


def asked(
    text: str, documents: Given, *, usage: str = "ai-train", crawler: str = "bot", page: acap.PagePolicy | None = None
) -> acap.Decision:
    policy = robots(text)
    others = [acap.RslLicences(robots=policy, documents=documents)]
    return acap.decide(HERE, crawler=crawler, usage=usage, robots=policy, page=page, others=others)


LINES = f"License: {SITE}/all.xml\nUser-agent: bot\nAllow: /\nLicense: {SITE}/bot.xml\n"


def test_the_documents_of_a_group_replace_those_of_the_file() -> None:
    documents: Given = {f"{SITE}/all.xml": PROHIBITS, f"{SITE}/bot.xml": PERMITS}
    assert asked(LINES, documents).permitted
    assert asked(LINES, documents, crawler="other").outcome == "prohibited"


@pytest.mark.parametrize("broken", [None, b"", b"<rsl", b"<html>"])
def test_a_document_that_could_not_be_read_prohibits_every_use_and_brings_no_other_back(broken: bytes | None) -> None:
    documents: Given = {f"{SITE}/all.xml": PERMITS, f"{SITE}/bot.xml": broken}
    decision = asked(LINES, documents)
    assert decision.outcome == "prohibited"
    assert decision.reason.decided_by[0].dialect == "rsl"
    for usage in ("index", "preserve", "present-original", "other", "tdm"):
        assert asked(LINES, documents, usage=usage).outcome == "prohibited"
    assert asked(LINES, documents, usage="crawl").permitted
    assert asked(LINES, documents, usage="follow").permitted


def test_a_value_that_refers_to_nothing_replaces_nothing() -> None:
    """A name of terms is no document: mining is conditional on it, and those of the file are heard."""
    text = LINES.replace(f"{SITE}/bot.xml", "CC BY 4.0")
    given: Given = {f"{SITE}/all.xml": PROHIBITS}
    assert asked(text, given, usage="index").outcome == "prohibited"
    given = {f"{SITE}/all.xml": PERMITS}
    assert asked(text, given, usage="index").permitted
    assert asked(text, given).outcome == "conditional"
    assert acap.RslLicences(robots=robots(text)).missing("bot") == (f"{SITE}/all.xml",)
    assert asked("User-agent: *\nLicense: CC BY 4.0\n", {}, usage="index").permitted


def test_a_document_that_is_not_given_is_a_condition_and_is_missing() -> None:
    policy = robots(LINES)
    source = acap.RslLicences(robots=policy)
    assert source.missing("bot") == (f"{SITE}/bot.xml",)
    assert asked(LINES, {}).conditions == (acap.Condition("licence", licence=f"{SITE}/bot.xml"),)
    assert asked(LINES, {}, usage="index").outcome == asked(LINES, {}, usage="preserve").outcome == "prohibited"
    assert acap.RslLicences(robots=policy, documents={f"{SITE}/bot.xml": None}).missing("bot") == ()


def test_a_scheme_is_missing_in_lower_case_however_it_is_written() -> None:
    """The document is asked for once, and given by either of its names."""
    page = page_with('<link rel="license" type="application/rsl+xml" href="HTTP://www.example.com/l.xml">')
    written = f"License: {SITE.replace('https', 'Https')}/l.xml\nLicense: HTTP://www.example.com/l.xml\n"
    policy = robots(written + "User-agent: *\nAllow: /\n")
    urls = (f"{SITE}/l.xml", "http://www.example.com/l.xml")
    assert acap.RslLicences(robots=policy, page=page).missing("bot") == urls
    for first, second in (urls, (f"{SITE}/l.xml", "HTTP://www.example.com/l.xml")):
        given = dict.fromkeys((first, second), PROHIBITS)
        assert acap.RslLicences(robots=policy, page=page, documents=given).missing("bot") == ()


def test_every_document_must_permit() -> None:
    text = f"License: {SITE}/a.xml\nLicense: {SITE}/b.xml\n"
    assert asked(text, {f"{SITE}/a.xml": PERMITS, f"{SITE}/b.xml": PERMITS}).permitted
    assert asked(text, {f"{SITE}/a.xml": PERMITS, f"{SITE}/b.xml": PAID}).outcome == "conditional"
    assert asked(text, {f"{SITE}/a.xml": PAID, f"{SITE}/b.xml": PROHIBITS}).outcome == "prohibited"
    assert asked(text, {f"{SITE}/a.xml": PERMITS}).outcome == "conditional"


REFUSES_TRAINING = document('<prohibits type="usage">ai-train</prohibits>')


@pytest.mark.parametrize("name", ["/own.xml", "own.xml", "//www.example.com/own.xml"])
def test_a_license_line_without_an_absolute_url_restricts_and_licenses_nothing(name: str) -> None:
    """RSL 1.0 4.4 asks for an absolute URI; what is no such line replaces none of the file either."""
    own = f"{SITE}/own.xml"
    for given in (PERMITS, PAID):
        assert asked(f"License: {name}\n", {own: given}).outcome == "prohibited"
        assert asked(f"License: {name}\n", {own: given}, usage="index").outcome == "prohibited"
        for both in (f"License: {name}\nLicense: {own}\n", f"License: {own}\nLicense: {name}\n"):
            assert asked(both, {own: given}).outcome == "prohibited"
    assert asked(f"License: {name}\n", {own: REFUSES_TRAINING}).outcome == "prohibited"
    assert asked(f"License: {name}\n", {own: REFUSES_TRAINING}, usage="index").permitted
    assert asked(f"License: {name}\n", {}).outcome == "conditional"
    group = LINES.replace(f"{SITE}/bot.xml", name)
    assert asked(group, {f"{SITE}/all.xml": PROHIBITS, own: REFUSES_TRAINING}, usage="index").outcome == "prohibited"
    assert asked(group, {f"{SITE}/all.xml": PERMITS, own: REFUSES_TRAINING}, usage="index").permitted


@pytest.mark.parametrize(
    "line",
    [
        *("CC BY 4.0", "/own.xml", "//www.example.com/own.xml", "x", "\x01y", "x" * 9000),
        *("http://www.example.com/own.xml", "https://", f"{SITE}/own.xml {SITE}/own.xml"),
    ],
)
@pytest.mark.parametrize("name", [f"{SITE}/all.xml", "/all.xml", "//www.example.com/all.xml"])
def test_a_further_license_line_that_replaces_none_never_loosens(name: str, line: str) -> None:
    """What the document of another one prohibits holds, whatever stands in the group, and before the groups."""
    given: Given = {f"{SITE}/all.xml": PROHIBITS, f"{SITE}/own.xml": PERMITS}
    lost: Given = {f"{SITE}/all.xml": None}
    for text in (
        f"License: {name}\n\nUser-agent: bot\nLicense: {line}\n",
        f"License: {name}\nLicense: {line}\n\nUser-agent: bot\nAllow: /\n",
        f"User-agent: bot\nLicense: {name}\nLicense: {line}\n",
        f"User-agent: bot\r\nLicense: {line}\r\nAllow: /\r\n\r\nLicense: {name}\r\n",
    ):
        for usage in ("index", "ai-train", "preserve"):
            for known in (given, lost):
                assert asked(text, known, usage=usage).outcome == "prohibited"
        assert LostLicences(robots(text), frozenset()).statements_for(HERE, acap.Crawler("bot"))


def test_octets_that_are_no_text_hide_no_other_license_line() -> None:
    """Lines stay apart, however many octets a value has."""
    octets = b"User-agent: bot\nLicense: \xff\xff\xff\nLicense: \xff x\nAllow: /\n\nLicense: /all.xml\n"
    policy = acap.parse_robots(octets, url=f"{SITE}/robots.txt")
    assert [line for _, line in policy.licences("bot")] == [2, 3, 6]


PLAIN = "http://www.example.com"


@pytest.mark.parametrize("url", [f"{PLAIN}/l.xml", "HTTP://www.example.com:80/l.xml", "http://127.0.0.1@example.com/"])
def test_a_document_of_plain_http_restricts_and_licenses_nothing(url: str) -> None:
    """RSL 1.0 asks for https; on the way of plain http anybody may have written terms of their own."""
    for given in (PERMITS, PAID):
        assert asked(f"License: {url}\n", {url: given}).outcome == "prohibited"
    assert asked(f"License: {url}\n", {url: REFUSES_TRAINING}).outcome == "prohibited"
    assert asked(f"License: {url}\n", {url: REFUSES_TRAINING}, usage="index").permitted
    # Where a document came from counts, by whatever URL it was asked for.
    came = acap.parse_rsl(PERMITS, url=url)
    assert asked(f"License: {SITE}/l.xml\n", {f"{SITE}/l.xml": came}).outcome == "prohibited"
    page = page_with(f'<link rel="license" type="application/rsl+xml" href="{url}">')
    assert asked(SITEWIDE, {f"{SITE}/all.xml": PERMITS, url: PERMITS}, page=page).outcome == "prohibited"
    (refused,) = {one.text for one in came.statements(HERE)}
    assert refused == "a licence document that comes by plain http licenses nothing"


def test_what_a_page_of_plain_http_holds_itself_licenses_nothing() -> None:
    script = f'<script type="application/rsl+xml">{document(ALL, url="")}</script>'
    for site, outcome in ((SITE, "permitted"), (PLAIN, "prohibited")):
        page = acap.parse_page(f"<!doctype html><head>{script}", url=f"{site}/a")
        for others in ([acap.RslLicences(page=page)], [acap.RslLicences(answer=document(ALL, url=""))]):
            decision = acap.decide(f"{site}/a", crawler="bot", usage="ai-train", page=page, others=others)
            assert decision.outcome == outcome


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.8.0.1:8000", "[::1]", "[::1]:8000", "localhost", "LOCALHOST:80", "a.localhost."]
)
def test_http_to_one_s_own_machine_may_license(host: str) -> None:
    """As for browsers (W3C Secure Contexts 3.1): nobody is on the way. So a site can be tried before it is served."""
    url = f"http://{host}/l.xml"
    assert asked(f"License: {url}\n", {url: PERMITS}).permitted


@pytest.mark.parametrize("host", ["10.0.0.1", "127.0.0.1.example.com", "localhost.example", "[::2]", "0177.0.0.1"])
def test_no_other_machine_is_one_s_own(host: str) -> None:
    url = f"http://{host}/l.xml"
    assert asked(f"License: {url}\n", {url: PERMITS}).outcome == "prohibited"


SITEWIDE = f"User-agent: *\nAllow: /\nLicense: {SITE}/all.xml\n"


def page_with(html: str = "", link: str | None = None) -> acap.PagePolicy:
    headers = [] if link is None else [("Link", f"<{link}>; {RSL}")]
    return acap.parse_page(f"<!doctype html><title>A</title>{html}", url=HERE, headers=headers)


HEAD = '<link rel="license" type="application/rsl+xml" href="/page.xml">'
PAGES = {
    "header": page_with(link="/page.xml"),
    "head": page_with(HEAD),
}


@pytest.mark.parametrize("name", PAGES)
def test_what_a_page_refers_to_comes_before_what_its_site_refers_to(name: str) -> None:
    page = PAGES[name]
    given: Given = {f"{SITE}/all.xml": PROHIBITS, f"{SITE}/page.xml": PERMITS}
    assert asked(SITEWIDE, given, page=page).permitted
    assert asked(SITEWIDE, given).outcome == "prohibited"
    given = {f"{SITE}/all.xml": PERMITS, f"{SITE}/page.xml": PROHIBITS}
    assert asked(SITEWIDE, given, page=page).outcome == "prohibited"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_s_document_that_could_not_be_read_replaces_nothing(name: str) -> None:
    page = PAGES[name]
    unread: tuple[Given, ...] = ({}, {f"{SITE}/page.xml": None}, {f"{SITE}/page.xml": "<rsl"})
    for lost in unread:
        given: Given = {f"{SITE}/all.xml": PROHIBITS, **lost}
        assert asked(SITEWIDE, given, page=page, usage="index").outcome == "prohibited"
        given = {f"{SITE}/all.xml": PERMITS, **lost}
        assert asked(SITEWIDE, given, page=page).outcome == ("prohibited" if lost else "conditional")


def test_where_the_page_says_nothing_its_site_speaks() -> None:
    given: Given = {
        f"{SITE}/all.xml": PROHIBITS,
        f"{SITE}/page.xml": document('<prohibits type="usage">search</prohibits>'),
    }
    assert asked(SITEWIDE, given, page=page_with(HEAD)).outcome == "prohibited"


def test_the_scope_of_what_a_page_refers_to_is_the_page() -> None:
    linked = document('<permits type="usage">all</permits>', url="")
    assert asked("", {f"{SITE}/page.xml": linked}, page=page_with(HEAD)).permitted
    assert asked(SITEWIDE, {f"{SITE}/all.xml": linked}).outcome == "prohibited"
    elsewhere = document('<prohibits type="usage">all</prohibits>', url="/elsewhere")
    assert asked("", {f"{SITE}/page.xml": elsewhere}, page=page_with(HEAD)).permitted


def test_a_reference_within_the_body_permits_nothing_for_the_page() -> None:
    body = page_with(f"<body><div>{HEAD}</div>")
    given: Given = {f"{SITE}/all.xml": PROHIBITS, f"{SITE}/page.xml": PERMITS}
    assert asked(SITEWIDE, given, page=body).outcome == "prohibited"
    given = {f"{SITE}/all.xml": PERMITS, f"{SITE}/page.xml": PROHIBITS}
    assert asked(SITEWIDE, given, page=body).outcome == "prohibited"


def test_a_script_may_name_its_document_as_a_link_does() -> None:
    named = '<script type="application/rsl+xml" src="/page.xml">'
    for html in (
        f"{named}</script>",
        f"<base href='/'>{named} \n</script>",
        named.replace("/page", "page") + "</script>",
    ):
        page = page_with(html)
        assert acap.RslLicences(page=page).missing("bot") == (f"{SITE}/page.xml",)
        assert asked("", {f"{SITE}/page.xml": PROHIBITS}, page=page, usage="index").outcome == "prohibited"
        assert asked("", {f"{SITE}/page.xml": PERMITS}, page=page).permitted
        assert asked("", {f"{SITE}/page.xml": None}, page=page, usage="index").outcome == "prohibited"
        assert asked("", {}, page=page).outcome == "conditional"
    page = page_with(f"{named}{PROHIBITS}</script>")
    assert asked("", {f"{SITE}/page.xml": PERMITS}, page=page).outcome == "prohibited"
    page = page_with(f"{named}{PERMITS}</script>")
    assert asked("", {f"{SITE}/page.xml": PROHIBITS}, page=page).outcome == "prohibited"
    for none in ("src", "src=''", "src=' '"):
        page = page_with(f"<script type='application/rsl+xml' {none}></script>")
        assert acap.RslLicences(page=page).missing("bot") == ()
        assert asked("", {}, page=page, usage="index").outcome == "prohibited"


def test_a_script_has_one_content() -> None:
    def script(text: str) -> acap.PagePolicy:
        return page_with(f'<script type="application/rsl+xml">{text}</script>')

    one = document('<permits type="usage">all</permits>', url="")
    assert asked("", {}, page=script(one)).permitted
    two = one.replace("</rsl>", '<content url=""/></rsl>')
    assert asked("", {}, page=script(two)).outcome == "prohibited"
    assert asked("", {}, page=script(one[:-6])).outcome == "prohibited"


def test_an_answer_may_carry_the_terms() -> None:
    source = acap.RslLicences(answer=PAID)
    assert acap.decide(HERE, crawler="bot", usage="ai-train", others=[source]).conditions[0].payment == "crawl"


def test_the_source_pickles_and_says_how_long_it_holds() -> None:
    week = PERMITS.replace("<rsl ", '<rsl max-age="7" ')
    source = acap.RslLicences(robots=robots(SITEWIDE), documents={f"{SITE}/all.xml": week, f"{SITE}/b.xml": PERMITS})
    assert source.max_age == 7
    assert pickle.loads(pickle.dumps(source)).documents == source.documents
    assert {one.dialect for one in source.statements(HERE)} == {"rsl"}
    with pytest.raises(TypeError, match="parse_robots"):
        acap.RslLicences(robots=cast(Any, b""))


def test_without_documents_a_page_s_reference_is_the_condition_that_it_was() -> None:
    decision = acap.decide(HERE, crawler="bot", usage="ai-train", page=page_with(HEAD))
    assert decision.outcome == "conditional"


def test_documents_speak_only_in_the_place_of_lines_that_were_read() -> None:
    policy = robots(SITEWIDE)
    elsewhere = acap.parse_robots(b"User-agent: *\nAllow: /\n", url="https://other.example/robots.txt")
    for source in (acap.RslLicences(), acap.RslLicences(robots=elsewhere)):
        for page in (None, page_with()):
            decision = acap.decide(HERE, crawler="bot", usage="ai-train", robots=policy, page=page, others=[source])
            assert decision.outcome == "conditional"


def test_a_page_of_another_site_says_nothing_of_this_one() -> None:
    page = acap.parse_page(f"<!doctype html>{HEAD}", url="https://evil.example/a")
    given: Given = {f"{SITE}/all.xml": PROHIBITS, "https://evil.example/page.xml": PERMITS}
    policy = robots(SITEWIDE)
    source = acap.RslLicences(robots=policy, documents=given, page=page)
    assert acap.decide(HERE, crawler="bot", usage="ai-train", robots=policy, others=[source]).outcome == "prohibited"


@pytest.mark.parametrize(
    ("anchor", "expected"),
    [("", "permitted"), (HERE, "permitted"), ("https://other.example/", "prohibited"), ("#x", "prohibited")],
)
def test_a_link_header_with_an_anchor_elsewhere_permits_nothing_for_the_page(anchor: str, expected: str) -> None:
    headers = [("Link", f'</page.xml>; {RSL}; anchor="{anchor}"')]
    page = acap.parse_page("<!doctype html><title>A</title>", url=HERE, headers=headers)
    given: Given = {f"{SITE}/all.xml": PROHIBITS, f"{SITE}/page.xml": PERMITS}
    assert asked(SITEWIDE, given, page=page).outcome == expected


LINK = '<link rel="license" type="application/rsl+xml" href="{}">'


def read_page(head: str, body: str = "") -> acap.PagePolicy:
    return acap.parse_page(f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>", url=HERE)


def test_a_link_is_relative_to_the_base_of_its_page() -> None:
    documents: Given = {f"{SITE}/x/l.xml": PROHIBITS, f"{SITE}/l.xml": PERMITS}
    for base in ("/x/", f"{SITE}/x/y", "x/", " /x/ "):
        page = read_page(f'<base href="{base}">' + LINK.format("l.xml"))
        assert acap.RslLicences(page=page).missing("bot") == (f"{SITE}/x/l.xml",)
        assert asked("", documents, page=page).outcome == "prohibited"
        assert asked("", documents, page=page.skeleton()).outcome == "prohibited"
    assert asked("", documents, page=read_page('<base href="//[">' + LINK.format("l.xml"))).permitted


def test_readings_of_a_page_that_differ_in_the_base_permit_nothing() -> None:
    """What XML reads as a script that ends at once HTML reads to its end tag."""
    text = (
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><script/><base href="/x/"/><script></script>'
        f"{LINK.format('l.xml').replace('>', '/>')}</head><body/></html>"
    )
    page = acap.parse_page(text, url=HERE, headers={"content-type": "application/xhtml+xml"})
    documents: Given = {f"{SITE}/x/l.xml": PERMITS, f"{SITE}/l.xml": PERMITS}
    assert not any(one.is_whole for one in page.licence_references())
    assert asked(f"License: {SITE}/none.xml", documents, page=page).outcome == "conditional"


def test_a_reference_of_a_part_is_one_in_the_skeleton_too() -> None:
    page = read_page("", f"<div>{LINK.format('/l.xml')}</div>")
    documents: Given = {f"{SITE}/l.xml": PERMITS, f"{SITE}/p.xml": PAID}
    for each in (page, page.skeleton()):
        assert asked(f"License: {SITE}/p.xml", documents, page=each).outcome == "conditional"


def test_more_references_than_are_read_prohibit() -> None:
    """The last of them may have prohibited; one that comes again is read once."""
    documents: Given = {f"{SITE}/l.xml": PERMITS, f"{SITE}/no.xml": PROHIBITS}
    same = LINK.format("/l.xml") * 2_000
    assert asked("", documents, page=read_page(same)).permitted
    assert asked("", documents, page=read_page(same + LINK.format("/no.xml"))).outcome == "prohibited"
    page = read_page("".join(LINK.format(f"/l.xml#{number}") for number in range(1_001)))
    assert "page-too-much" in [problem.code for problem in page.problems]
    for each in (page, page.skeleton()):
        assert asked("", documents, usage="index", page=each).outcome == "prohibited"


@pytest.mark.parametrize("url", ["https:///x", f"{SITE}:99999/", f"{SITE}:x/", "https://[/", "https://a b/"])
def test_a_url_that_cannot_be_understood_is_of_everything_and_grants_nothing(url: str) -> None:
    for within in ('<prohibits type="usage">all</prohibits>', '<permits type="usage">all</permits>'):
        read = acap.parse_rsl(document(within, url), url=f"{SITE}/l.xml")
        assert "rsl-url" in [problem.code for problem in read.problems]
        assert acap.decide(HERE, crawler="bot", usage="ai-train", others=[read]).outcome == "prohibited"


def test_a_dot_behind_the_host_leaves_the_site_the_same() -> None:
    read = acap.parse_rsl(document('<prohibits type="usage">all</prohibits>', f"{SITE}/"), url=f"{SITE}/l.xml")
    for here in (HERE, "https://www.example.com./a"):
        assert acap.decide(here, crawler="bot", usage="ai-train", others=[read]).outcome == "prohibited"


OF_TOKEN = f"User-agent: Googlebot\nAllow: /\n\nUser-agent: Google-Extended\nLicense: {SITE}/l.xml\n"


@pytest.mark.parametrize(
    ("given", "outcome"),
    [
        ({}, "conditional"),
        ({f"{SITE}/l.xml": PERMITS}, "permitted"),
        ({f"{SITE}/l.xml": PROHIBITS}, "prohibited"),
        ({f"{SITE}/l.xml": None}, "prohibited"),
    ],
)
def test_the_document_of_a_control_token_decides_on_what_the_token_controls(given: Given, outcome: str) -> None:
    for usage in ("ai-train", "ai-train-generative", "ai-input"):
        assert asked(OF_TOKEN, given, usage=usage, crawler="Googlebot").outcome == outcome
    for usage in ("index", "ai-index", "preserve", "crawl"):
        assert asked(OF_TOKEN, given, usage=usage, crawler="Googlebot").permitted
    assert asked(OF_TOKEN, given, crawler="GPTBot").permitted
    policy = robots(OF_TOKEN)
    missing = acap.RslLicences(robots=policy, documents=given).missing("Googlebot")
    assert missing == (() if given else (f"{SITE}/l.xml",))
    assert policy.controlled_licences("Googlebot") == ((f"{SITE}/l.xml", 5, ("ai-train", "ai-input")),)


@pytest.mark.parametrize("line", ["CC BY 4.0", "/own.xml", "http://www.example.com/own.xml"])
def test_each_control_token_hears_the_file_beside_a_line_that_replaces_none(line: str) -> None:
    """Whatever absolute URL the group of another token has, or of the crawler."""
    text = (
        f"License: /all.xml\n\nUser-agent: Applebot\nLicense: {SITE}/l.xml\n\nUser-agent: Applebot-Extended\n"
        f"License: {line}\n"
    )
    given: Given = {f"{SITE}/all.xml": PROHIBITS, f"{SITE}/l.xml": PERMITS, f"{SITE}/own.xml": PERMITS}
    assert asked(text, given, crawler="Applebot").outcome == "prohibited"
    assert asked(text, given, crawler="Applebot", usage="index").permitted


def test_the_licence_for_everybody_is_one_of_a_token_without_a_group() -> None:
    text = f"User-agent: *\nLicense: {SITE}/l.xml\n\nUser-agent: Googlebot\nAllow: /\n"
    assert asked(text, {f"{SITE}/l.xml": PROHIBITS}, crawler="Googlebot").outcome == "prohibited"
    assert asked(text, {f"{SITE}/l.xml": PROHIBITS}, crawler="Googlebot", usage="index").permitted
    lost = LostLicences(robots(text), frozenset()).statements_for(HERE, acap.Crawler("Googlebot"))
    assert {(one.usage, one.outcome) for one in lost} == {("ai-train", "prohibited"), ("ai-input", "prohibited")}


@pytest.mark.parametrize("given", ["bare", "not given", "given"])
@pytest.mark.parametrize(
    ("value", "licensed"),
    [
        (f"{SITE}/l.xml", True),
        ("http://localhost/l.xml", True),
        ("http://www.example.com/l.xml", False),
        ("http://www.example.com:x/l.xml", False),
        ("https:///l.xml", False),
        ("https://", False),
        ("/l.xml", False),
    ],
)
def test_a_licence_that_is_held_counts_only_where_the_line_can_license(
    value: str, given: str, *, licensed: bool
) -> None:
    """Not to fetch the document does not loosen."""
    for held in (value, f"{SITE}{value}"):
        policy = robots(f"License: {value}\nUser-agent: *\nAllow: /\n")
        documents = {value: PAID, held: PAID} if given == "given" else {}
        others = [] if given == "bare" else [acap.RslLicences(robots=policy, documents=documents)]
        asker = acap.Crawler("bot", licensee=acap.Licensee(licences=[held]))
        found = acap.decide(HERE, crawler=asker, usage="ai-train", robots=policy, others=others)
        assert found.permitted == (licensed and held == value)


def test_a_url_is_asked_for_as_a_license_line_writes_it() -> None:
    for value in (f"{SITE}/l.xml;", f"{SITE}/l.xml?", f"{SITE}/l.xml,", "https:///l.xml"):
        assert acap.RslLicences(robots=robots(f"License: {value}\n")).missing("bot") == (value,)
    decision = asked(f"License: {SITE}/l.xml;\n", {f"{SITE}/l.xml": PERMITS})
    assert str(decision.outcome) == "conditional"
    for value in ("https:///l.xml", "https://", "https://?x"):
        for name in (value, f"{SITE}/l.xml", f"{SITE}/robots.txt", f"{SITE}/robots.txt?x"):
            assert not asked(f"License: {value}\n", {name: PERMITS}).permitted
