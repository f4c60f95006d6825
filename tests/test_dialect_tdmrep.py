"""What TDMRep's file, policies and later carriers say; the open vectors have the rest."""

from __future__ import annotations

import json
import pickle
from time import perf_counter

import pytest

import acap
from acap.dialects.tdmrep import MAX_OCTETS, MAX_RULES
from tests import embedded_files as files

URL = "https://www.example.com/.well-known/tdmrep.json"
HERE = "https://www.example.com/a"
POLICY = "https://www.example.com/policies/1"
RESERVED = f'[{{"location": "/", "tdm-reservation": 1, "tdm-policy": "{POLICY}"}}]'.encode()


def read(octets: bytes | None, status: int = 200) -> acap.TdmrepFile:
    return acap.parse_tdmrep(octets, url=URL, status=status)


def codes(file: acap.TdmrepFile) -> list[str]:
    return [problem.code for problem in file.problems]


def asked(*others: acap.TdmrepFile | acap.EmbeddedPolicy, licensee: acap.Licensee | None = None, **headers: str) -> str:
    page = acap.parse_page(None, url=HERE, headers={name.replace("_", "-"): value for name, value in headers.items()})
    crawler = acap.Crawler("examplebot", licensee=licensee)
    return str(acap.decide(HERE, crawler=crawler, usage="ai-train", page=page, others=others).outcome)


def test_a_rule_that_decides_is_cited_with_its_line() -> None:
    file = read(b'[\n  {"location": "/b", "tdm-reservation": 0},\r\n  {"location": "/", "tdm-reservation": 1}\n]')
    (statement,) = file.statements(HERE)
    assert (statement.outcome, statement.line, statement.column) == ("prohibited", 3, 3)
    assert (statement.source, statement.text) == (URL, '{"location": "/", "tdm-reservation": 1}')


def test_a_file_says_nothing_of_another_site() -> None:
    assert read(RESERVED).statements("https://www.example.org/a") == ()
    assert read(None).statements("https://www.example.org/a") == ()
    assert len(read(RESERVED).statements("/a")) == 1


@pytest.mark.parametrize(
    ("octets", "code"),
    [
        (None, "tdmrep-not-had"),
        (b"", "tdmrep-not-json"),
        (b"{}", "tdmrep-not-array"),
        (b"1", "tdmrep-not-array"),
        (b"[1", "tdmrep-not-json"),
        (b"[] x", "tdmrep-not-json"),
        (b"[\xff]", "tdmrep-not-json"),
        (b"[Infinity]", "tdmrep-not-json"),
        (b'["' + b"\\" * 1001 + b"]", "tdmrep-not-json"),
        (b"[" * 100_000, "tdmrep-not-json"),
        (b'[{"a":' * 50_000, "tdmrep-not-json"),
        (b" " * (MAX_OCTETS + 1), "tdmrep-too-much"),
        (b"[" + b"0," * MAX_RULES + b"0]", "tdmrep-too-much"),
        (b'[[{"location": "/", "tdm-reservation": 0}]]', "tdmrep-rule"),
        (b'[{"location": "/", "tdm-reservation": 0}, "/"]', "tdmrep-rule"),
    ],
    ids=repr,
)
def test_what_is_not_read_reserves_everything(octets: bytes | None, code: str) -> None:
    begin = perf_counter()
    file = read(octets)
    assert (codes(file), file.state, asked(file)) == ([code], "unknown", "prohibited")
    assert perf_counter() - begin < 10


def test_ten_megabytes_and_many_rules_take_bounded_time() -> None:
    begin = perf_counter()
    assert read(b"[" + b'{"location":"/","tdm-reservation":1},' * 280_000).state == "unknown"
    rule = b'{"location":"/*a*b*c*d","tdm-reservation":1},'
    file = read(b"[" + rule * (MAX_RULES - 1) + rule[:-1] + b"]")
    assert (file.state, len(file.rules), file.statements("/" + "a" * 1000)) == ("read", MAX_RULES, ())
    assert perf_counter() - begin < 30


def test_comments_before_a_page_are_read_once() -> None:
    """However many there are, and whether or not a page is behind them."""
    begin = perf_counter()
    for comments, end in ((b"<!---->" * 100_000, b""), (b"<!-- " * 100_000, b"-->"), (b"<!-- -->\n" * 50_000, b" ")):
        page = comments + end + b"<html>"
        assert (read(comments).state, acap.parse_tdm_policy(comments).state) == ("unknown", "unknown")
        assert (read(page).state, acap.parse_tdm_policy(page).state) == ("none", "human")
    assert perf_counter() - begin < 10


@pytest.mark.parametrize(
    ("written", "resolved"),
    [
        ("/p.json", "https://o.example/p.json"),
        ("./p.json", "https://o.example/s/p.json"),
        ("../p.json", "https://o.example/p.json"),
        ("?a", "https://o.example/s/t?a"),
        ("//x.example/p.json", "https://x.example/p.json"),
        ("p.json", None),
        ("www.example.com/terms", None),
        (".json", None),
    ],
)
def test_a_relative_policy_is_of_where_the_file_came_from(written: str, resolved: str | None) -> None:
    """RFC 3986 5.1.3; what may be a host or a word is no reference."""
    octets = json.dumps([{"location": "/", "tdm-reservation": 1, "tdm-policy": written}]).encode()
    file = acap.parse_tdmrep(
        octets, url="https://www.example.com/.well-known/tdmrep.json", base_url="https://o.example/s/t"
    )
    assert [rule.policy for rule in file.rules] == [resolved]
    assert [one.source for one in file.statements(HERE)] == [file.url]
    page = acap.parse_page("", url="https://o.example/s/t", headers={"tdm-reservation": "1", "tdm-policy": written})
    decision = acap.decide("https://o.example/s/t", crawler="examplebot", usage="tdm", page=page)
    assert [one.policy for one in decision.conditions] == ([resolved] if resolved else [])


def test_a_dot_behind_the_host_leaves_the_site_the_same() -> None:
    for here in ("https://www.example.com./a", "https://www.example.com.:443/a", "https://WWW.EXAMPLE.COM./a"):
        assert [one.outcome for one in read(RESERVED).statements(here)] == ["conditional"]
    assert read(RESERVED).statements("https://www.example.com.org/a") == ()
    dotted = acap.parse_tdmrep(RESERVED, url="https://www.example.com./.well-known/tdmrep.json")
    assert len(dotted.statements(HERE)) == 1


def test_half_a_character_is_no_location_and_no_policy() -> None:
    file = read(b'[{"location": "/\\ud800", "tdm-reservation": 1, "tdm-policy": "https://e.com/\\ud800"}]')
    assert (codes(file), asked(file)) == (["tdmrep-location", "tdmrep-policy"], "prohibited")


@pytest.mark.parametrize(
    "key",
    ["tdm-reservaton", "tdm-reservations", "tdmreservation", "tdmReservation", "reservation", "tdm-reserved",
     "tdm-reserve", "reserved", "tdm\u2011reservation", "tdm.reservation", "tmd-reservation"],
)  # fmt: skip
def test_a_key_that_is_near_reserves_and_never_permits(key: str) -> None:
    for says, outcome in ((1, "prohibited"), (0, "permitted"), ("0", "permitted")):
        file = read(json.dumps([{"location": "/", key: says}], ensure_ascii=False).encode())
        assert asked(file) == outcome
        assert "tdmrep-key-near" in codes(file)
        # What permits is the silence of the file, not the key.
        assert len(file.statements(HERE)) == (says == 1)


def test_a_key_that_is_near_makes_no_reservation_narrower_or_milder() -> None:
    place, terms = read(b'[{"locations": "/b", "tdm-reservation": 1}]'), read(RESERVED.replace(b"-policy", b"-polices"))
    assert (asked(place), codes(place)) == ("prohibited", ["tdmrep-key-near", "tdmrep-location"])
    assert (asked(terms), codes(terms)) == ("prohibited", ["tdmrep-key-near"])
    assert not read(b'[{"location": "/", "tdm-reservation": 0, "policy": "x"}]').statements(HERE)
    assert asked(read(b'[{"location": "/", "tdm-reservation": 0, "tdm-reservations": 1}]')) == "prohibited"


@pytest.mark.parametrize("key", ["tdm", "comment", "local", "observation", "tdm-version", "x" * 10**6])
def test_a_key_that_is_not_near_changes_nothing(key: str) -> None:
    file = read(json.dumps([{"location": "/", "tdm-reservation": 0, key: 1}]).encode())
    assert (codes(file), len(file.statements(HERE))) == ([], 1)


def test_an_order_in_which_length_differs_is_told() -> None:
    def told(*rules: tuple[str, int]) -> list[str]:
        return codes(read(json.dumps([{"location": one, "tdm-reservation": says} for one, says in rules]).encode()))

    assert told(("/", 1), ("/a/", 0)) == ["tdmrep-order"]
    assert told(("/a/", 0), ("/", 1)) == told(("/", 1), ("/a/", 1)) == told(("/a/", 0), ("/bcd", 1)) == []
    assert told(("/*.x", 0), ("/a/bcd", 1)) == ["tdmrep-order"]


def test_carriers_replace_each_other_in_their_order() -> None:
    """File, header, META element, metadata of a PDF."""
    pdf = acap.parse_embedded(files.pdf(files.packet("<tdm:reservation>0</tdm:reservation>")))
    assert asked(read(RESERVED)) == "conditional"
    assert asked(read(RESERVED), tdm_reservation="0") == "permitted"
    assert asked(read(None), tdm_reservation="0") == "permitted"
    assert asked(pdf, tdm_reservation="1") == "permitted"
    page = acap.parse_page(
        '<meta name="tdm-reservation" content="1">', url=HERE, headers={"tdm-reservation": "0", "tdm-policy": POLICY}
    )
    decision = acap.decide(HERE, crawler="examplebot", usage="tdm", page=page, others=[read(RESERVED)])
    assert [lost.key for lost in decision.reason.lost] == ["carrier", "carrier"]


def test_what_a_picture_permits_takes_no_reservation_back() -> None:
    """The text names EPUB and PDF; XMP in a picture is read as theirs by our choice."""
    picture = acap.parse_embedded(files.jpeg(files.packet("<tdm:reservation>0</tdm:reservation>")))
    assert (asked(picture), asked(picture, tdm_reservation="1")) == ("permitted", "prohibited")


def test_a_reservation_takes_the_policy_of_the_carrier_before() -> None:
    held = acap.Licensee(licences=[POLICY])
    pdf = acap.parse_embedded(files.pdf(files.packet("<tdm:reservation>1</tdm:reservation>")))
    assert asked(read(RESERVED), tdm_reservation="1") == asked(pdf, read(RESERVED)) == "conditional"
    assert asked(read(RESERVED), tdm_reservation="1", licensee=held) == "permitted"
    assert asked(pdf, read(RESERVED), licensee=held) == "permitted"
    assert asked(read(RESERVED), tdm_reservation="1", tdm_policy="ask us") == "prohibited"
    assert asked(tdm_reservation="1", tdm_policy=POLICY, licensee=held) == "permitted"


def test_terms_go_through_every_carrier_that_reserves() -> None:
    """What a header took from the file, a META element takes from the header."""
    tag = '<meta name="tdm-reservation" content="1">'
    page = acap.parse_page(f"<!doctype html>{tag}<p>x", url=HERE, headers={"tdm-reservation": "1"})
    decision = acap.decide(HERE, crawler="examplebot", usage="tdm", page=page, others=[read(RESERVED)])
    assert [one.policy for one in decision.conditions] == [POLICY]


def test_a_broken_page_takes_no_reservation_back() -> None:
    """What lifts nothing does not replace what a header reserves."""
    broken = "<html xmlns='http://www.w3.org/1999/xhtml'><head><meta name='tdm-reservation' content='0'/></head><p>"
    headers = {"content-type": "application/xhtml+xml", "tdm-reservation": "1"}
    page = acap.parse_page(broken, url=HERE, headers=headers)
    assert acap.decide(HERE, crawler="examplebot", usage="tdm", page=page).outcome == "prohibited"


@pytest.mark.parametrize("around", ["<div>{}</div>", "<svg>{}</svg>", "<noscript>{}</noscript>", "<p>{}"])
def test_a_meta_element_in_the_body_only_reserves(around: str) -> None:
    """Whoever may write in the body may not take back what the publisher reserves, nor name other terms."""

    def outcome(head: str, body: str, **headers: str) -> str:
        text = f"<!DOCTYPE html><html><head>{head}</head><body>{around.format(body)}</body></html>"
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        page = acap.parse_page(text, url=HERE, headers=given)
        decided = [acap.decide(HERE, crawler="bot", usage="tdm", page=one) for one in (page, page.skeleton())]
        assert decided[0].outcome == decided[1].outcome
        return str(decided[0].outcome)

    reserves, lifts = (f'<meta name="tdm-reservation" content="{value}">' for value in "10")
    names = f'<meta name="tdm-policy" content="{POLICY}">'
    assert outcome("", lifts, tdm_reservation="1") == "prohibited"
    assert outcome("", names, tdm_reservation="1") == outcome(reserves, names) == "prohibited"
    assert outcome("", reserves, tdm_reservation="0") == outcome(lifts, reserves) == "prohibited"
    assert outcome(lifts, "", tdm_reservation="1") == outcome(lifts, lifts, tdm_reservation="1") == "permitted"
    assert outcome(reserves + names, lifts) == "conditional"


def test_supplied_policies_count_for_every_carrier_that_names_them() -> None:
    free = b'{"@type": "Offer", "profile": "http://www.w3.org/ns/tdmrep", "permission": {"action": "tdm:mine"}}'
    silent, held = read(b"[]"), acap.Licensee(licences=[POLICY])
    pdf = acap.parse_embedded(
        files.pdf(files.packet(f"<tdm:reservation>1</tdm:reservation><tdm:policy>{POLICY}</tdm:policy>"))
    )
    for policy, expected in ((free, "permitted"), (None, "prohibited")):
        for file in (read(RESERVED), silent, read(None, 404)):
            known = file.with_policies({POLICY: policy})
            assert asked(known, tdm_reservation="1", tdm_policy=POLICY) == expected
            assert asked(known, tdm_reservation="1", tdm_policy=POLICY, licensee=held) == expected
            assert asked(known, pdf) == expected
        assert asked(read(RESERVED).with_policies({POLICY: policy}), tdm_reservation="1") == expected
    other = "https://www.example.com/policies/2"
    known = read(RESERVED).with_policies({POLICY: free, other: None})
    assert asked(known, tdm_policy=other) == asked(known, tdm_policy="ask us") == "prohibited"
    assert asked(read(None), tdm_policy=POLICY) == "prohibited"


def test_a_policy_says_whom_to_ask() -> None:
    policy = {
        "profile": "http://www.w3.org/ns/tdmrep",
        "@type": "Offer",
        "uid": POLICY,
        "assigner": {
            "vcard:hasEmail": "mailto:tdm@example.com",
            "vcard:hasURL": {"@id": "https://www.example.com/tdm"},
            "vcard:hasTelephone": "call us",
        },
        "permission": [{"action": "tdm:mine", "duty": [{"action": "obtainConsent"}, {"action": "compensate"}]}],
    }
    octets = json.dumps(policy).encode()
    read_policy = acap.parse_tdm_policy(octets)
    assert (read_policy.state, read_policy.uid, read_policy.problems) == ("read", POLICY, ())
    file = read(RESERVED).with_policies({POLICY: octets})
    decision = acap.decide(HERE, crawler="examplebot", usage="tdm", others=[file])
    assert [one.asks for one in decision.conditions] == ["consent", "payment"]
    assert {one.contact for one in decision.conditions} == {("mailto:tdm@example.com", "https://www.example.com/tdm")}


@pytest.mark.parametrize("octets", [None, b"", b"{", b"[]", b'{"a":' * 100_000, b'{"uid": 1, "uid": 2}', b"{} {}"])
def test_a_policy_that_is_not_read_offers_nothing(octets: bytes | None) -> None:
    file = read(RESERVED).with_policies({POLICY: octets})
    assert (codes(file), asked(file)) == (["tdmrep-terms-unread"], "prohibited")


def test_a_file_pickles_and_is_written_as_it_is_read() -> None:
    file = read(b'[{"location": "/a*$", "tdm-reservation": 0}, {"location": "/", "tdm-reservation": true}]')
    assert pickle.loads(pickle.dumps(file)) == file
    assert read(file.to_text().encode()).rules == file.rules
    assert read(read(None).to_text().encode()).statements("/a")[0].outcome == "prohibited"
    assert read(read(None, 404).to_text().encode()).statements("/a") == ()


@pytest.mark.parametrize("octets", [["text"], bytearray(b"[]"), 1])
def test_what_is_no_octets_is_the_callers_mistake(octets: object) -> None:
    with pytest.raises(TypeError):
        acap.parse_tdmrep(octets, url=URL)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        acap.parse_tdm_policy(octets)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        acap.parse_tdmrep(b"[]", url="/tdmrep.json")


@pytest.mark.parametrize("status", [202, 206])
@pytest.mark.parametrize("octets", [b"[]", b'[{"location": "/", "tdm-reservation": 0}]', b"<html>", b""])
def test_the_body_of_an_answer_that_brings_no_whole_file_is_not_read(octets: bytes, status: int) -> None:
    """It may come later, or is a part: what it leaves out may reserve."""
    file = read(octets, status)
    assert (file.state, file.rules) == ("unknown", ())
    assert {one.outcome for one in file.statements("/a")} == {"prohibited"}
