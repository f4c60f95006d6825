"""What manifests say of training and mining; the open vectors have the rest."""

from __future__ import annotations

import json
import pickle
import sys
from types import ModuleType
from typing import Any

import pytest

import acap
from tests import embedded_files as files

MANIFEST = b"jumdc2pa\x00\x11\x00\x10\x80\x00\x00\xaa\x00\x38\x9b\x71"
STORE = {
    "active_manifest": "a",
    "validation_state": "Trusted",
    "manifests": {
        "a": {
            "assertions": [
                {"label": "cawg.training-mining", "data": {"entries": {"cawg.ai_training": {"use": "allowed"}}}}
            ]
        }
    },
}


def asked(found: acap.TrainingMining, usage: str = "ai-train") -> tuple[str, bool]:
    decision = acap.decide("/a.jpg", crawler="examplebot", usage=usage, others=[found])
    return str(decision.outcome), decision.stated


@pytest.mark.parametrize(
    "given",
    [
        STORE,
        STORE["manifests"]["a"],  # type: ignore[index]
        STORE["manifests"]["a"]["assertions"][0],  # type: ignore[index]
        {"entries": {"cawg.ai_training": {"use": "allowed"}}},
        {"cawg.training-mining": {"entries": {"cawg.ai_training": {"use": "allowed"}}}},
    ],
    ids=["store", "manifest", "assertion", "data", "labels"],
)
def test_every_form_is_read(given: dict[str, Any]) -> None:
    for found in (acap.parse_training_mining(given), acap.parse_training_mining(json.dumps(given).encode())):
        assert (found.state, found.problems, asked(found)) == ("read", (), ("permitted", True))
        assert acap.parse_training_mining(found.to_text().encode()) == found
        assert pickle.loads(pickle.dumps(found)) == found


@pytest.mark.parametrize(
    "octets",
    [
        *(b"", b"{", b"[]", b"1", b"\xff", b'{"a": NaN}', b'{"manifests": 1}', b"[" * 100_000, b'{"a":' * 100_000),
        *(b" " * 3_000_000, b'{"assertions": [1]}', b'{"a": 1, "a": 2}', b'{"manifests": {"a": 1}}'),
    ],
    ids=repr,
)
def test_what_is_not_read_prohibits_or_says_nothing(octets: bytes) -> None:
    found = acap.parse_training_mining(octets)
    assert asked(found) == (("permitted", False) if octets == b"[]" else ("prohibited", True))
    assert acap.parse_training_mining(found.to_text().encode()).statements("/")[0:1] == () or found.state != "read"


REFUSED = {"label": "cawg.training-mining", "data": {"entries": {"cawg.data_mining": {"use": "notAllowed"}}}}


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"assertions": [REFUSED], "entries": {}},
        {"assertions": [REFUSED], "manifests": {}},
        {"assertions": [], "label": "a", "data": REFUSED},
        {"assertionz": [REFUSED]},
        {"title": "a.jpg", "ingredients": [{"manifest": {"assertions": [REFUSED]}}], "assertions": []},
        {"assertions": [{**REFUSED, "label": "cawg.training-minning"}]},
        {"manifests": {}},
        {"active_manifest": "a", "manifests": {"b": {"assertions": []}}},
        {"active_manifest": "a", "manifests": {"a": {"claim": {}}}, "validation_state": "Valid"},
        {
            "active_manifest": "a",
            "manifests": {"a": {"claim": {}, "assertion_store": {REFUSED["label"]: REFUSED["data"]}}},
            "validation_state": "Valid",
        },
    ],
)
def test_no_form_around_an_entry_hides_what_it_does_not_allow(given: dict[str, Any]) -> None:
    for found in (acap.parse_training_mining(given), acap.parse_training_mining(json.dumps(given).encode())):
        assert asked(found, "tdm") == ("prohibited", True)


def test_what_is_allowed_beside_what_nobody_knows_is_not_allowed() -> None:
    for more, expected in (({}, "conditional"), ({"unless": "x"}, "prohibited"), ({"unless": None}, "conditional")):
        entry = {"use": "allowed", "constraint_info": "ask", **more}
        found = acap.parse_training_mining({"entries": {"cawg.ai_training": entry}})
        assert (asked(found), found.problems[0].code) == ((expected, True), "cawg-allowed-beside")


def test_what_is_allowed_is_that_use_alone() -> None:
    found = acap.parse_training_mining(STORE)
    assert asked(found) == ("permitted", True)
    assert asked(found, "ai-train-generative") == ("permitted", False)


@pytest.mark.slow
def test_values_that_hold_themselves_or_are_deep_are_read_to_an_end() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    loop: dict[str, Any] = {"assertions": [REFUSED]}
    loop["itself"] = loop
    entry = {"cawg.data_mining": {"use": deep, "constraint_info": deep}}
    for given in ({"entries": {**entry, "cawg.ai_training": deep}}, {"entries": deep, "x": deep}, loop):
        assert asked(acap.parse_training_mining(given), "tdm") == ("prohibited", True)
    many = b'{"entries": {"cawg.data_mining": {"use": ' + b"9" * 1_000_000 + b"}}}"
    assert asked(acap.parse_training_mining(many), "tdm") == ("prohibited", True)


@pytest.mark.parametrize("mark", ["\\ud800", "\\u001b[31m", "\\u009b", "\\u202e"])
def test_what_is_no_text_is_told_as_such(mark: str) -> None:
    entries = (
        f'"cawg.data_mining": {{"use": "constrained", "constraint_info": "a{mark}"}}, "{mark}": {{"use": "{mark}"}}'
    )
    found = acap.parse_training_mining(f'{{"entries": {{{entries}}}}}'.encode())
    assert asked(found, "tdm") == ("prohibited", True)
    assert found.entries[0].constraint.startswith("a\ufffd")
    assert all(problem.message.isprintable() for problem in found.problems)
    assert acap.parse_training_mining(found.to_text().encode()).statements("/")


def library(told: object) -> ModuleType:
    """The package `c2pa`, as far as it is used: a reader that tells this, or fails."""

    class Opened:
        def __init__(self, *given: object, **options: object) -> None: ...

        def __enter__(self) -> Opened:
            return self

        def __exit__(self, *error: object) -> None: ...

        @staticmethod
        def from_dict(settings: dict[str, dict[str, bool]]) -> None:
            assert settings["verify"]["remote_manifest_fetch"] is False

        def json(self) -> str:
            if isinstance(told, Exception):
                raise told
            return json.dumps(told)

    module: Any = ModuleType("c2pa")
    module.Settings = module.Context = module.Reader = Opened
    return module  # type: ignore[no-any-return]


def test_a_file_is_read_where_the_package_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "c2pa", library(STORE))
    assert asked(acap.read_manifest(b"\xff\xd8" + MANIFEST)) == ("permitted", True)
    assert acap.read_manifest(b"\xff\xd8").statements("/") == ()
    monkeypatch.setitem(sys.modules, "c2pa", library(RuntimeError("no JPEG")))
    found = acap.read_manifest(MANIFEST)
    assert (found.problems[0].code, asked(found)) == ("cawg-unread", ("prohibited", True))


def test_without_the_package_mining_is_conditional(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "c2pa", None)
    found = acap.read_manifest(MANIFEST)
    assert (found.problems[0].code, asked(found)) == ("cawg-missing-package", ("conditional", True))
    for mark in (
        b"\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81",
        b"<</AFRelationship/C2PA_Manifest>>",
    ):
        assert asked(acap.read_manifest(b"\0\0\0 uuid" + mark)) == ("conditional", True)


BOX = b"\0\0\0\x60jumb\0\0\0\x1e" + MANIFEST + b"\3c2pa\0"
CHANGED = BOX.replace(b"c2pa\x00\x11", b"c2pb\x00\x11")
IN_JPEG, IN_PNG = files.jpeg(), files.png()
FILES = {
    "JPEG": IN_JPEG[:2] + files.segment(0xEB, b"JP\0\1\0\0\0\1" + BOX) + IN_JPEG[2:],
    "JPEG, in pieces": IN_JPEG[:2]
    + b"".join(
        files.segment(0xEB, b"JP\0\1" + bytes((0, 0, 0, at // 4)) + BOX[:8] + BOX[at : at + 4])
        for at in range(8, len(BOX), 4)
    )
    + IN_JPEG[2:],
    "PNG": IN_PNG[:33] + files.chunk(b"caBX", BOX) + IN_PNG[33:],
    "PNG, with an octet changed": IN_PNG[:33] + files.chunk(b"caBX", CHANGED) + IN_PNG[33:],
    "WebP": files.webp(BOX, name=b"C2PA"),
    "TIFF": files.tiff(files.packet("")) + BOX,
    "XMP": files.packet("") + BOX,
}


@pytest.mark.parametrize("octets", FILES.values(), ids=FILES)
def test_metadata_of_a_file_has_what_its_manifest_says(octets: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "c2pa", library({**STORE, "more": REFUSED}))
    found = acap.parse_embedded(octets, url="https://www.example.com/a")
    assert found.mining is not None
    assert {(one.dialect, one.usage, one.outcome) for one in found.statements("/a")} >= {
        ("cawg", "tdm", "prohibited"),
        ("cawg", "ai-train", "permitted"),
    }
    monkeypatch.setitem(sys.modules, "c2pa", library({**STORE, "validation_state": "Invalid"}))
    found = acap.parse_embedded(octets)
    assert [one for one in found.statements("/a") if one.dialect == "cawg"] == []
    assert "cawg-invalid" in {one.code for one in found.problems}


@pytest.mark.parametrize("octets", FILES.values(), ids=FILES)
def test_a_manifest_that_cannot_be_read_is_in_doubt(octets: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    for given, outcome, code in (
        (library(RuntimeError("broken")), "prohibited", "cawg-unread"),
        (None, "conditional", "embedded-manifest"),
    ):
        monkeypatch.setitem(sys.modules, "c2pa", given)
        found = acap.parse_embedded(octets)
        assert code in {one.code for one in found.problems}
        said = {(one.usage, one.outcome) for one in found.statements("/a") if one.dialect in ("cawg", "c2pa")}
        assert said == {("tdm", outcome)}


def test_no_licence_that_is_held_stands_for_a_manifest_that_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "c2pa", None)
    asker = acap.Crawler("bot", licensee=acap.Licensee(licences=["https://www.example.com/a", ""]))
    decision = acap.decide("/a", crawler=asker, usage="tdm", others=[acap.parse_embedded(FILES["PNG"])])
    assert (decision.outcome, decision.conditions[0].asks) == ("conditional", "terms")


def test_a_picture_without_a_manifest_needs_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "c2pa", library(RuntimeError("not asked")))
    for octets in (IN_JPEG, IN_PNG, files.webp(), files.tiff(files.packet(""))):
        found = acap.parse_embedded(octets)
        assert (found.mining, found.problems) == (None, ())


def test_what_is_neither_is_the_callers_mistake() -> None:
    with pytest.raises(TypeError):
        acap.parse_training_mining(1)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        acap.read_manifest("x")  # type: ignore[arg-type]
