"""Laws of TDMRep's file, asked of the package and of its reference: `ACAP_EXAMPLES` says how many files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acap
from tests import embedded_files
from tests.reference import tdmrep as reference

EXAMPLES = int(os.environ.get("ACAP_EXAMPLES", "100"))
SITE = "https://www.example.com"
URL = f"{SITE}/.well-known/tdmrep.json"
PATHS = ("/", "/a", "/a/b", "/ab?c", "/%61/é", "/a%2Fb")
LOOSE = ("prohibited", "conditional", "silent", "permitted")

locations = st.sampled_from(
    (
        "/",
        "/a",
        "/a/",
        "/a*b",
        "/a$",
        "*",
        "*b",
        "a",
        "",
        "/%61",
        "/é",
        f"{SITE}/a",
        "https://www.example.org/",
        "//x/a",
        "http://www.example.com/a",
        "//www.example.com./a#b",
        "https://www.example.com:x/",
        "https:///a",
        "www.example.com:443/",
        "/a#b",
        "//[",
    )
)
values: st.SearchStrategy[object] = st.sampled_from(
    (0, 1, 0, 1, 0, 1, "0", "1", " 1", True, False, None, 2, 1.0, 0.0, -1, 10**30, [], {}, "yes")
)
policies = st.sampled_from(
    ("https://www.example.com/p", "/p", "./p", "../p?q", "?p", ".p", "p", "", "https://", 1, None, "ask us")
)
RESERVATIONS = ("tdm-reservation",) * 4 + ("tdm_reservation", "tdm-reservaton", "TDMReservations", "reserved")
members = st.one_of(
    st.tuples(
        st.sampled_from(("location", "location", "Location", "loction", "x")),
        st.one_of(locations, st.none(), st.just(1)),
    ),
    st.tuples(st.sampled_from(RESERVATIONS), values),
    st.tuples(st.sampled_from(("tdm-policy", "tdm-policy", "TDM-Policy", "tdm-polices")), policies),
)
plain = st.tuples(locations, st.sampled_from((0, 1)), policies).map(
    lambda one: [("location", one[0]), ("tdm-reservation", one[1]), ("tdm-policy", one[2])]
)
rules = st.one_of(plain, plain, st.lists(members, max_size=4), st.just(None))


def text_of(rule: list[tuple[str, object]] | None) -> str:
    """A rule with its members in order, twice where they are."""
    if rule is None:
        return '"/"'
    return "{" + ", ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in rule) + "}"


files = st.lists(rules, max_size=4).map(lambda found: ("[" + ",\n".join(map(text_of, found)) + "]").encode())


def says(octets: bytes | None, path: str, status: int = 200) -> tuple[str, str | None]:
    found = acap.parse_tdmrep(octets, url=URL, status=status).statements(path)
    if not found:
        return "silent", None
    (statement,) = found
    return statement.outcome, statement.condition.policy if statement.condition else None


@settings(max_examples=EXAMPLES)
@given(files, st.sampled_from((200, 200, 204, 301, 403, 404, 410, 500)))
def test_both_interpreters_agree(octets: bytes, status: int) -> None:
    for path in PATHS:
        assert says(octets, path, status) == reference.verdict(octets, status, SITE, path)


@settings(max_examples=EXAMPLES)
@given(files, st.integers(0, 10**6), st.integers(0, 255))
def test_they_agree_on_damaged_files_too(octets: bytes, at: int, octet: int) -> None:
    """One octet is another, or all behind it is cut."""
    at %= len(octets)
    for damaged in (octets[:at] + bytes([octet]) + octets[at + 1 :], octets[:at]):
        for path in PATHS:
            assert says(damaged, path) == reference.verdict(damaged, 200, SITE, path), damaged


@settings(max_examples=EXAMPLES)
@given(files, locations, st.integers(0, 3))
def test_a_reservation_more_never_loosens(octets: bytes, location: str, at: int) -> None:
    """Wherever it stands; only its own policy may take the place of another."""
    found = json.loads(octets, object_pairs_hook=lambda pairs: pairs)
    more = text_of([("location", location), ("tdm-reservation", 1)])
    written = [text_of(one) if isinstance(one, list) else '"/"' for one in found]
    added = ("[" + ",".join([*written[:at], more, *written[at:]]) + "]").encode()
    for path in PATHS:
        assert LOOSE.index(says(added, path)[0]) <= LOOSE.index(says(octets, path)[0])


@settings(max_examples=EXAMPLES)
@given(files)
def test_a_file_that_is_written_says_the_same(octets: bytes) -> None:
    file = acap.parse_tdmrep(octets, url=URL)
    written = file.to_text().encode()
    for path in PATHS:
        assert says(written, path) == says(octets, path)
    assert acap.parse_tdmrep(written, url=URL).to_text().encode() == written


@settings(max_examples=EXAMPLES)
@given(files, st.sampled_from(("1", "0", "yes", "")), st.sampled_from(("", "https://www.example.com/q", "ask us")))
def test_a_header_replaces_of_the_file_what_it_says(octets: bytes, value: str, policy: str) -> None:
    headers = [("tdm-reservation", value), ("tdm-policy", policy)]
    file = acap.parse_tdmrep(octets, url=URL)
    page = acap.parse_page(None, url=f"{SITE}/a", headers=headers)
    with_it = acap.decide(f"{SITE}/a", crawler="bot", usage="tdm", page=page, others=[file])
    without = acap.decide(f"{SITE}/a", crawler="bot", usage="tdm", others=[file])
    if value == "0":
        assert with_it.outcome == "permitted"
    elif not value:
        expected = {str(without.outcome)}
        if policy and without.outcome != "permitted":  # A policy is a property of its own (6.7).
            expected = {"conditional", str(without.outcome)} if policy.startswith("https:") else {"prohibited"}
        assert with_it.outcome in expected
    else:
        known = policy.startswith("https:") or (not policy and without.outcome == "conditional")
        assert with_it.outcome == ("conditional" if known else "prohibited")


def slipped(name: str, at: int, letter: str, slip: str) -> str:
    """A name with a slip."""
    at %= len(name)
    behind = {"more": letter + name[at:], "less": name[at + 1 :], "other": letter + name[at + 1 :]}
    return name[:at] + behind.get(slip, name[at : at + 2][::-1] + name[at + 2 :])


def of_page(name: str, value: str) -> tuple[acap.PagePolicy, list[acap.Source]]:
    return acap.parse_page(f'<!DOCTYPE html><head><meta name="{name}" content="{value}">', url=f"{SITE}/a"), []


def of_header(name: str, value: str) -> tuple[acap.PagePolicy, list[acap.Source]]:
    return acap.parse_page(None, url=f"{SITE}/a", headers=[(name, value)]), []


def of_file(octets: bytes) -> tuple[None, list[acap.Source]]:
    return None, [acap.parse_embedded(octets, url=f"{SITE}/a")]


def of_rule(name: str, value: str) -> tuple[None, list[acap.Source]]:
    says = {"location": "/", name: int(value) if value in "01" else value}
    return None, [acap.parse_tdmrep(json.dumps([says]).encode(), url=URL)]


CARRIERS: dict[str, tuple[str, Callable[[str, str], tuple[acap.PagePolicy | None, list[acap.Source]]]]] = {
    "file": ("tdm-reservation", of_rule),
    "header": ("tdm-reservation", of_header),
    "META": ("tdm-reservation", of_page),
    "EPUB 3": (
        "reservation",
        lambda name, value: of_file(embedded_files.epub(f'<meta property="tdm:{name}">{value}</meta>')),
    ),
    "EPUB 2": (
        "reservation",
        lambda name, value: of_file(embedded_files.epub(f'<meta name="tdm:{name}" content="{value}"/>')),
    ),
    "XMP": ("reservation", lambda name, value: of_file(embedded_files.packet(f"<tdm:{name}>{value}</tdm:{name}>"))),
    "PDF": (
        "reservation",
        lambda name, value: of_file(embedded_files.pdf(embedded_files.packet(f"<tdm:{name}>{value}</tdm:{name}>"))),
    ),
}
"""What reads a reservation, by carrier, and its name there."""


@settings(max_examples=EXAMPLES)
@given(
    st.sampled_from(sorted(CARRIERS)),
    st.integers(0, 20),
    st.sampled_from("aetmr"),
    st.sampled_from(("more", "less", "other", "exchanged", "none")),
    st.sampled_from(("1", "0", "yes", "2", "true")),
)
def test_every_carrier_reserves_with_the_same_leniency(
    carrier: str, at: int, letter: str, slip: str, value: str
) -> None:
    """Any value but 0 reserves, whatever slip its name has; what has a slip permits nothing."""
    name, read = CARRIERS[carrier]
    written = name if slip == "none" else slipped(name, at, letter, slip)
    page, others = read(written, value)
    decision = acap.decide(f"{SITE}/a", crawler="bot", usage="tdm", page=page, others=others)
    if value != "0":
        assert decision.outcome == "prohibited"
    else:
        assert (decision.outcome, decision.stated) == ("permitted", written == name)


@pytest.mark.parametrize("seed", range(max(1, EXAMPLES // 100)))
def test_any_octets_give_a_value(seed: int) -> None:
    random = Random(seed)
    for _ in range(50):
        octets = bytes(random.choices(b'[]{},:"01tdm-reservation location\\\xff\xfe\x00', k=random.randrange(60)))
        file, policy = acap.parse_tdmrep(octets, url=URL), acap.parse_tdm_policy(octets)
        assert says(octets, "/a")[0] in LOOSE
        assert [one for one in (*file.problems, *policy.problems) if not one.message] == []


POLICY = json.dumps(
    {
        "@type": "Offer",
        "profile": "http://www.w3.org/ns/tdmrep",
        "permission": [
            {"action": "tdm:mine", "duty": [{"action": "obtainConsent"}]},
            {
                "action": "tdm:mine",
                "constraint": [{"leftOperand": "purpose", "operator": "eq", "rightOperand": "tdm:research"}],
            },
        ],
    }
).encode()


@settings(max_examples=EXAMPLES)
@given(st.integers(0, len(POLICY) - 1), st.integers(0, 127), st.booleans(), st.booleans())
def test_a_damaged_policy_permits_nothing(at: int, octet: int, research: bool, cut: bool) -> None:
    """It has a duty for everybody: whichever octet is another, nobody is permitted."""
    damaged = POLICY[:at] if cut else POLICY[:at] + bytes([octet]) + POLICY[at + 1 :]
    found = acap.parse_tdm_policy(damaged).verdicts("https://www.example.com/p", acap.Licensee(research=research))
    assert {outcome for outcome, _ in found} <= {"conditional", "prohibited"}


FREE: dict[str, object] = {
    "@context": ["http://www.w3.org/ns/odrl.jsonld", "http://www.w3.org/ns/tdmrep.jsonld"],
    "@type": "Offer",
    "profile": "http://www.w3.org/ns/tdmrep",
    "permission": [
        {
            "action": {"@id": "tdm:mine"},
            "constraint": [{"leftOperand": "purpose", "operator": "eq", "rightOperand": {"@id": "tdm:research"}}],
        }
    ],
}
# An assigner says whom to ask, and the text of a name nothing.
SAID = ("@context", "@type", "type", "@id", "uid", "profile", "assigner", "permission", "duty", "constraint", "action")


def objects(value: object) -> list[dict[str, object]]:
    """Every object within a value, itself among them."""
    if isinstance(value, dict):
        return [value, *(found for member in value.values() for found in objects(member))]
    return [found for member in value for found in objects(member)] if isinstance(value, list) else []


@settings(max_examples=EXAMPLES)
@given(
    st.integers(0, 10),
    st.one_of(
        st.sampled_from(("odrl:prohibition", "inheritFrom", "refinement", "unit", "target")), st.text(max_size=5)
    ),
    st.sampled_from((None, 1, "x", [], {}, [{"action": "tdm:mine"}])),
)
def test_a_member_that_is_not_of_the_profile_grants_nothing(at: int, name: str, value: object) -> None:
    """Wherever it stands."""
    research = acap.Licensee(research=True)
    policy = json.loads(json.dumps(FREE))
    assert acap.parse_tdm_policy(json.dumps(policy).encode()).verdicts("x", research) == (("permitted", None),)
    within = objects(policy)
    if name not in SAID:
        within[at % len(within)][name] = value
        assert acap.parse_tdm_policy(json.dumps(policy).encode()).verdicts("x", research)[0][0] != "permitted"


NAMES = [str(FREE["profile"]), "tdm:mine", "tdm:research", "Offer", "purpose", "eq", "http://www.w3.org/ns/odrl.jsonld"]


@settings(max_examples=EXAMPLES)
@given(st.sampled_from(NAMES), st.text(min_size=1, max_size=3), st.integers(0, 40))
def test_a_name_that_is_another_grants_nothing(name: str, more: str, at: int) -> None:
    written = json.dumps(FREE).replace(json.dumps(name), json.dumps(name[:at] + more + name[at:]))
    found = acap.parse_tdm_policy(written.encode()).verdicts("x", acap.Licensee(research=True))
    assert found[0][0] != "permitted"
