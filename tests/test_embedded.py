"""Rights metadata in images and documents: where it stands, what it says, and what follows from it."""

from __future__ import annotations

import pickle
import subprocess
import sys
from io import BytesIO
from typing import Any

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

import acap
from acap.pages.embedded import EmbeddedPolicy, Licence, parse_embedded
from tests import embedded_files as files

URL = "https://www.example.com/a.jpg"
Said = list[tuple[str, str, str]]
EVERYTHING: Said = [("plus", "tdm", "prohibited"), ("plus", "index", "prohibited")]


def said(policy: EmbeddedPolicy) -> Said:
    return [(one.dialect, one.usage, one.outcome) for one in policy.claims]


def codes(policy: EmbeddedPolicy) -> list[str]:
    return [problem.code for problem in policy.problems]


def mined(code: str, more: str = "") -> EmbeddedPolicy:
    return parse_embedded(files.packet(f"<plus:DataMining>{code}</plus:DataMining>{more}"))


@pytest.mark.parametrize("container", files.CONTAINERS)
def test_a_packet_is_read_wherever_it_stands(container: str) -> None:
    """Each format and each variant of it gives the same statements, and nothing is wrong with it."""
    policy = parse_embedded(files.CONTAINERS[container](files.data_mining("DMI-PROHIBITED")))
    assert (policy.format, said(policy), policy.problems) == (container.split(",")[0], EVERYTHING, ())


@pytest.mark.parametrize("container", files.CONTAINERS)
def test_a_permission_stands_in_a_sound_file(container: str) -> None:
    """What is allowed in a file without fault is permitted."""
    assert said(parse_embedded(files.CONTAINERS[container](files.data_mining("DMI-ALLOWED")))) == [
        ("plus", "tdm", "permitted")
    ]


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_what_an_imaging_library_writes_is_read(form: str) -> None:
    """The builders of these tests are not alone: files by Pillow, with pixels, give the same."""
    octets = files.data_mining("DMI-PROHIBITED-AIMLTRAINING")
    file, text = BytesIO(), PngInfo()
    text.add_itxt("XML:com.adobe.xmp", octets.decode(), zip=True)
    options: dict[str, dict[str, Any]] = {"PNG": {"pnginfo": text}, "TIFF": {"tiffinfo": {700: octets}}}
    Image.new("RGB", (64, 64)).save(file, form, **options.get(form, {"xmp": octets}))
    policy = parse_embedded(file.getvalue())
    assert (said(policy), policy.problems) == ([("plus", "ai-train", "prohibited")], ())


def test_a_sound_file_without_metadata_says_nothing() -> None:
    """No metadata is silence, and no fault."""
    for data in (files.jpeg(), files.png(), files.webp(), files.tiff(b" " * 16), files.pdf(b" ")):
        policy = parse_embedded(data)
        assert (said(policy), policy.problems, policy.licence) == ([], (), Licence()), policy.format


MAPPING: dict[str, Said] = {
    "DMI-UNSPECIFIED": [],
    "DMI-ALLOWED": [("plus", "tdm", "permitted")],
    "DMI-PROHIBITED-AIMLTRAINING": [("plus", "ai-train", "prohibited")],
    "DMI-PROHIBITED-GENAIMLTRAINING": [("plus", "ai-train-generative", "prohibited")],
    "DMI-PROHIBITED-EXCEPTSEARCHENGINEINDEXING": [("plus", "tdm", "prohibited")],
    "DMI-PROHIBITED": EVERYTHING,
}


@pytest.mark.parametrize("code", MAPPING)
def test_a_value_of_data_mining_says_what_the_vocabulary_says(code: str) -> None:
    """Each of the PLUS codes that stand by themselves, as the URI it should be."""
    policy = mined(files.VOCABULARY + code)
    assert (said(policy), policy.problems) == (MAPPING[code], ())
    assert policy.licence.data_mining == (files.VOCABULARY + code,)


def expressions(name: str, fields: str) -> str:
    """An IPTC property with one rights expression."""
    item = f'<rdf:li rdf:parseType="Resource">{fields}</rdf:li>'
    return f"<Iptc4xmpExt:{name}><rdf:Bag>{item}</rdf:Bag></Iptc4xmpExt:{name}>"


CONSTRAINT = '<rdf:Alt><rdf:li xml:lang="en">Research only</rdf:li></rdf:Alt>'
EMBEDDED = "<Iptc4xmpExt:EncRightsExpr>{}</Iptc4xmpExt:EncRightsExpr>"
LINKED = '<Iptc4xmpExt:LinkedRightsExpr rdf:resource="https://example.com/o.json"/>'


@pytest.mark.parametrize(
    ("code", "more", "text"),
    [
        (
            "DMI-PROHIBITED-SEECONSTRAINT",
            f"<plus:OtherConstraints>{CONSTRAINT}</plus:OtherConstraints>",
            "plus:OtherConstraints Research only",
        ),
        (
            "DMI-PROHIBITED-SEEEMBEDDEDRIGHTSEXPR",
            expressions("EmbdEncRightsExpr", EMBEDDED),
            "Iptc4xmpExt:EmbdEncRightsExpr {}",
        ),
        (
            "DMI-PROHIBITED-SEELINKEDRIGHTSEXPR",
            expressions("LinkedEncRightsExpr", LINKED),
            "Iptc4xmpExt:LinkedEncRightsExpr https://example.com/o.json",
        ),
    ],
)
def test_a_value_that_refers_to_terms_is_conditional_on_them(code: str, more: str, text: str) -> None:
    """The statement names what has to be looked at; without it, there is nothing to meet and it prohibits."""
    (statement,) = mined(files.VOCABULARY + code, more).statements(URL)
    assert (statement.usage, statement.outcome) == ("tdm", "conditional")
    assert statement.text == f"plus:DataMining {files.VOCABULARY}{code}; {text}"
    alone = mined(files.VOCABULARY + code)
    assert (said(alone), codes(alone)) == ([("plus", "tdm", "prohibited")], ["embedded-nothing-to-see"])


@pytest.mark.parametrize(
    ("written", "expected", "noted"),
    [
        ("DMI-PROHIBITED", EVERYTHING, ["embedded-bare-code"]),
        (" DMI-ALLOWED\n", [("plus", "tdm", "permitted")], ["embedded-bare-code"]),
        (f"{files.VOCABULARY}dmi-Prohibited", EVERYTHING, ["embedded-code-case"]),
        ("https://ns.useplus.org/LDF/vocab/DMI-PROHIBITED", EVERYTHING, ["embedded-vocabulary-uri"]),
        ("https://ns.useplus.org/ldf/vocab/DMI-ALLOWED", [("plus", "tdm", "permitted")], ["embedded-vocabulary-uri"]),
        ("plus:DMI-PROHIBITED", EVERYTHING, ["embedded-vocabulary-uri"]),
    ],
)
def test_a_slip_in_a_value_is_read_with_a_note(written: str, expected: Said, noted: list[str]) -> None:
    """A bare code, another case, or another spelling of the vocabulary's URI is still what it means."""
    policy = mined(written)
    assert (said(policy), codes(policy)) == (expected, noted)
    assert {problem.severity for problem in policy.problems} == {"info"}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (f"{files.VOCABULARY}DMI-PROHIBITED-ONTUESDAYS", EVERYTHING),
        ("Prohibited for AI training", EVERYTHING),
        (f"{files.VOCABULARY}DMI-ALLOWED-ONTUESDAYS", [("plus", "tdm", "prohibited")]),
        ("https://example.com/vocab/DMI-ALLOWED", [("plus", "tdm", "prohibited")]),
        ("no", [("plus", "tdm", "prohibited")]),
    ],
)
def test_an_unknown_value_prohibits(written: str, expected: Said) -> None:
    """Doubt never permits: a value nobody knows is about data mining all the same."""
    policy = mined(written)
    assert (said(policy), codes(policy)) == (expected, ["embedded-unknown-value"])


def test_an_empty_value_says_nothing() -> None:
    """A property without a value is remarked upon, and is silence."""
    policy = mined("")
    assert (said(policy), codes(policy)) == ([], ["embedded-empty-value"])


@pytest.mark.parametrize(
    ("value", "policy", "expected", "noted"),
    [
        ("1", None, [("tdmrep", "tdm", "prohibited")], []),
        ("1", "https://example.com/tdm", [("tdmrep", "tdm", "conditional")], []),
        ("0", None, [("tdmrep", "tdm", "permitted")], []),
        ("0", "https://example.com/tdm", [("tdmrep", "tdm", "permitted")], []),
        ("yes", None, [("tdmrep", "tdm", "prohibited")], ["embedded-tdm-value"]),
        ("", "https://example.com/tdm", [], ["embedded-tdm-value", "embedded-tdm-policy-alone"]),
    ],
)
@pytest.mark.parametrize("container", ["pdf", "jpeg"])
def test_a_tdm_reservation_says_what_its_protocol_says(
    container: str, value: str, policy: str | None, expected: Said, noted: list[str]
) -> None:
    """What is not 0 is conditional on the policy, or prohibits where there is none; 0 permits; nothing is unset."""
    found = parse_embedded(files.CONTAINERS[container](files.reserved(value, policy)))
    assert (said(found), codes(found)) == (expected, noted)
    if expected and value == "1" and policy:
        assert found.statements(URL)[0].text == "tdm:reservation 1; tdm:policy https://example.com/tdm"


@pytest.mark.parametrize("uri", ["http://www.w3.org/ns/tdmrep", "http://www.w3.org/ns/tdmrep#"])
def test_the_namespace_of_tdm_is_read_in_its_other_spellings(uri: str) -> None:
    """EPUB has the namespace with #, and people forget the slash. What is reserved so is; nothing is lifted."""
    octets = files.packet("<t:reservation>1</t:reservation>", namespaces={"t": uri})
    policy = parse_embedded(octets)
    assert (said(policy), codes(policy)) == ([("tdmrep", "tdm", "prohibited")], ["embedded-namespace"])
    free = files.packet("<t:reservation>0</t:reservation>", namespaces={"t": uri})
    assert said(parse_embedded(free)) == []


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("tdm:reservaton", "embedded-property-near"),
        ("tdm:tdm-reservation", "embedded-property-near"),
        ("tdm:reserved", "embedded-property-near"),
        ("tdm:Reservation", "embedded-property-case"),
        ("t:reservation", "embedded-namespace"),
    ],
)
def test_a_reservation_that_is_not_written_exactly_replaces_no_other_carrier(name: str, code: str) -> None:
    """It reserves; its terms do not take the place of a plain no, and its 0 is nothing."""
    slipped = {"t": "http://www.w3.org/ns/tdmrp/"}
    terms = "<tdm:policy>https://example.com/tdm</tdm:policy>"
    found = parse_embedded(files.pdf(files.packet(f"<{name}>1</{name}>{terms}", namespaces=slipped)))
    assert (said(found), codes(found)) == ([("tdmrep", "tdm", "conditional")], [code])
    free = parse_embedded(files.pdf(files.packet(f"<{name}>0</{name}>", namespaces=slipped)))
    assert (said(free), codes(free)) == ([], [code])
    site = acap.parse_tdmrep(
        b'[{"location": "/", "tdm-reservation": 1}]', url="https://www.example.com/.well-known/tdmrep.json"
    )
    for one, outcome in ((found, "prohibited"), (parse_embedded(files.pdf(files.reserved("0"))), "permitted")):
        assert acap.decide(URL, crawler="a", usage="tdm", others=[site, one]).outcome == outcome


@pytest.mark.parametrize("name", ["tdm:policies", "tdm:version", "tdm:observation", "dc:reservation"])
def test_a_property_that_is_not_almost_a_reservation_says_nothing(name: str) -> None:
    found = parse_embedded(files.packet(f"<{name}>1</{name}>"))
    assert (said(found), codes(found)) == ([], [])


def test_a_property_in_another_case_is_read_with_a_note() -> None:
    """plus:datamining was meant to say something."""
    policy = parse_embedded(files.packet(f"<plus:datamining>{files.VOCABULARY}DMI-PROHIBITED</plus:datamining>"))
    assert (said(policy), codes(policy)) == (EVERYTHING, ["embedded-property-case"])


@pytest.mark.parametrize("builder", ["jpeg", "png", "webp", "tiff"])
def test_of_two_packets_both_are_read(builder: str) -> None:
    """A permission in one packet does not lift a prohibition in the other, whichever comes first."""
    pair = [files.data_mining("DMI-ALLOWED"), files.data_mining("DMI-PROHIBITED")]
    for packets in (pair, pair[::-1]):
        policy = parse_embedded(getattr(files, builder)(*packets))
        decision = acap.decide(URL, crawler="a", usage="ai-train", others=[policy])
        assert (len(policy.claims), policy.problems, str(decision.outcome)) == (3, (), "prohibited")


def test_a_packet_that_is_there_twice_speaks_once() -> None:
    """The same words again add no statement."""
    octets = files.data_mining("DMI-PROHIBITED")
    assert said(parse_embedded(files.jpeg(octets, octets + b" "))) == EVERYTHING


def test_decisions_take_the_policy_as_a_source() -> None:
    """What is prohibited is so with all below it, the rest is left alone, and the reason has the words."""
    policy = parse_embedded(files.jpeg(files.data_mining("DMI-PROHIBITED-AIMLTRAINING")), url=URL)
    assert isinstance(policy, acap.Source)
    assert policy.dialect == "embedded"
    outcomes = {}
    for usage in ("ai-train", "ai-train-generative", "index", "tdm"):
        decision = acap.decide(URL, crawler="a", usage=usage, others=[policy])
        outcomes[usage] = str(decision.outcome)
    assert outcomes == {
        "ai-train": "prohibited", "ai-train-generative": "prohibited", "index": "permitted", "tdm": "permitted",
    }  # fmt: skip
    (cited,) = acap.decide(URL, crawler="a", usage="ai-train", others=[policy]).reason.decided_by
    assert cited.source == URL
    assert cited.text == f"plus:DataMining {files.VOCABULARY}DMI-PROHIBITED-AIMLTRAINING"
    assert mined("DMI-PROHIBITED").statements(URL)[0].source == "embedded metadata"


def test_a_policy_is_a_value() -> None:
    """Two readings of the same file are equal, hash alike and survive pickling; of another file they differ."""
    data = files.jpeg(files.data_mining("DMI-PROHIBITED"))
    policy = parse_embedded(data, url=URL)
    assert pickle.loads(pickle.dumps(policy)) == policy == parse_embedded(data, url=URL)
    assert len({policy, parse_embedded(data, url=URL), parse_embedded(files.jpeg(), url=URL)}) == 2


@pytest.mark.parametrize("package", ["lxml", "pypdf"])
def test_a_missing_package_is_a_doubt_that_names_its_extra(package: str) -> None:
    """What cannot be read for want of it prohibits; whoever installed less is told in one line what to install."""
    octets = files.pdf(files.data_mining("DMI-ALLOWED")) if package == "pypdf" else files.jpeg(files.reserved("0"))
    script = (
        f"import sys\nsys.modules[{package!r}] = None\nimport acap\n"
        f"policy = acap.parse_embedded({octets!r})\n"
        "asked = {'crawler': 'a', 'others': [policy]}\n"
        "print(*(acap.decide('/', usage=usage, **asked).outcome for usage in ('tdm', 'index', 'preserve')))\n"
        "print(*(f'{one.code} {one.fix}' for one in policy.problems))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines() == [
        "prohibited prohibited permitted",
        "embedded-missing-package pip install 'acap[images]'",
    ]
