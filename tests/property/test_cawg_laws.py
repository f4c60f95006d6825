"""Laws of what manifests say of training and mining: both readings agree, and no damage loosens.

`ACAP_EXAMPLES` says how many manifests are tried, `ACAP_SEED` where to begin.
"""

from __future__ import annotations

import copy
import json
import os
from random import Random
from typing import Any

import acap
from tests.reference.cawg import ORDER, USES, answer

EXAMPLES = int(os.environ.get("ACAP_EXAMPLES", "120"))
SEED = os.environ.get("ACAP_SEED", "1")
USED = ("tdm", "ai-train", "ai-train-generative", "ai-input", "ai-index", "index", "crawl")
LENIENCE = {word: place for place, word in enumerate((*ORDER, "silent"))}
NAMES = (*(f"cawg.{key}" for key in USES), *(f"c2pa.{key}" for key in USES))
ODD_NAMES = ("cawg.ai_agents", "com.example.dreams", "data_mining", "CAWG.AI-Training", "org.example.ai_inference", "x")
LABELS = ("cawg.training-mining", "c2pa.training-mining")
ODD_LABELS = ("cawg.training-mining__1", "CAWG.training-mining.v2", "c2pa.actions", "cawg.training-minning")
FINE, WRONG = {"code": "assertion.dataHash.match"}, {"code": "assertion.dataHash.mismatch"}
STATUSES: tuple[Any, ...] = (
    *(None, [], {}, [FINE], {"success": [FINE], "failure": []}, {"activeManifest": {"informational": [WRONG]}}),
    *(
        [WRONG],
        [FINE, "x"],
        "x",
        [{}],
        {"failure": "x"},
        [{"Code": "x.match"}],
        [{"code": None}],
        [{**FINE, "success": False}],
        {"activeManifest": {"success": [FINE, WRONG], "failure": []}},
    ),
    {
        "activeManifest": {},
        "ingredientDeltas": [{"ingredientAssertionURI": "x", "validationDeltas": {"failure": [WRONG]}}],
    },
)
FORMS = ("store", "manifest", "assertion", "entries", "by-label", "detailed", "list", "odd")


def an_entry(random: Random, *, odd: bool = True) -> Any:
    if odd and random.random() < 0.1:
        return random.choice(("notAllowed", None, [], {}, True, {"used": "allowed"}))
    use: Any = random.choice(("allowed", "allowed", "notAllowed", "constrained", "constrained", "Allowed", True, None))
    entry = {"use": use}
    if random.random() < 0.4:
        name = random.choice(("constraint_info", "constraints_info", "constraint-info"))
        entry[name] = random.choice(("ask", "ask us", "", " ", None, ["ask"], 1))
    if odd and random.random() < 0.1:
        entry["unheard"] = random.choice(("", None, "x", {}))
    return entry


def some_entries(random: Random, *, odd: bool = True) -> dict[str, Any]:
    names = (*NAMES, *ODD_NAMES) if odd else NAMES
    return {name: an_entry(random, odd=odd) for name in random.sample(names, random.choice((0, 1, 1, 2, 3)))}


def an_assertion(random: Random) -> dict[str, Any]:
    label = random.choice((*LABELS, *LABELS, *ODD_LABELS))
    data: Any = {"entries": some_entries(random)}
    if random.random() < 0.05:
        data = random.choice((some_entries(random), [], None, "x"))
    return {"label": label, "data": data}


def a_manifest(random: Random, form: str = "") -> Any:
    """A manifest in one of the forms that readers give, or one that none does."""
    found = unjudged(random, form or random.choice(FORMS))
    if random.random() < 0.3:
        name = random.choice(("validation_status", "validationStatus", "validation_results", "validation_state"))
        told = random.choice(("Valid", "Invalid", None)) if name == "validation_state" else random.choice(STATUSES)
        random.choice(members(found) or [{}])[name] = copy.deepcopy(told)
    return found


def unjudged(random: Random, form: str) -> Any:
    listed = [an_assertion(random) for _ in range(random.choice((0, 1, 1, 2)))]
    match form:
        case "store":
            inner = ("manifest", "manifest", "detailed", "by-label")
            return {
                "active_manifest": random.choice("ab"),
                "manifests": {name: a_manifest(random, random.choice(inner)) for name in random.choice(("a", "ab"))},
                "validation_state": random.choice(("Valid", "Trusted", "Invalid", None)),
            }
        case "manifest":
            return {"title": "a.jpg", "assertions": listed}
        case "assertion":
            return an_assertion(random)
        case "entries":
            return {"entries": some_entries(random)}
        case "by-label":
            return {one["label"]: one["data"] for one in listed}
        case "detailed":
            return {"claim": {}, "assertion_store": {one["label"]: one["data"] for one in listed}}
        case "list":
            return listed
    more = random.choice(("entries", "manifests", "label", "assertion_store", "assertionz", "data"))
    return {random.choice(("assertions", "assertionz")): listed, more: random.choice(({}, [], some_entries(random)))}


def answers(found: acap.TrainingMining) -> dict[str, str]:
    decisions = acap.decide_each("/a.jpg", crawler="bot", usages=USED, others=[found])
    return {usage: str(one.outcome) if one.stated else "silent" for usage, one in decisions.items()}


def of(value: Any) -> dict[str, str]:
    return answers(acap.parse_training_mining(json.dumps(value).encode()))


def rounds(name: str, share: int = 1) -> list[Random]:
    return [Random(f"{name} {SEED} {number}") for number in range(max(1, EXAMPLES // share))]


def assert_not_looser(before: dict[str, str], after: dict[str, str], what: object) -> None:
    for usage, word in before.items():
        is_granted = word in ("permitted", "silent")
        assert LENIENCE[after[usage]] <= LENIENCE["silent" if is_granted else word], (usage, word, after[usage], what)


def test_both_readings_of_a_manifest_agree() -> None:
    for random in rounds("agree"):
        value = a_manifest(random)
        assert of(value) == {usage: answer(value, usage) for usage in USED}, json.dumps(value)
        if isinstance(value, dict):
            assert answers(acap.parse_training_mining(value)) == of(value)


def test_one_octet_changed_takes_back_nothing() -> None:
    for random in rounds("octet"):
        form = random.choice(("entries", "assertions", "store"))
        value: Any = {"entries": some_entries(random, odd=False)}
        if form != "entries":
            value = {"assertions": [{"label": random.choice(LABELS), "data": value}]}
        if form == "store":
            value = {"active_manifest": "a", "manifests": {"a": value}, "validation_state": "Valid"}
        octets = bytearray(json.dumps(value).encode())
        octets[random.randrange(len(octets))] = random.choice((random.randrange(256), *b'a{}[]",:._'))
        damaged = answers(acap.parse_training_mining(bytes(octets)))
        assert_not_looser(of(value), damaged, bytes(octets))


def test_of_a_cut_manifest_nothing_is_granted() -> None:
    for random in rounds("cut"):
        octets = json.dumps(a_manifest(random)).encode()
        found = answers(acap.parse_training_mining(octets[: random.randrange(len(octets))]))
        assert {usage for usage, word in found.items() if word != "prohibited"} == {"index", "crawl"}


def members(value: Any) -> list[dict[str, Any]]:
    """Every object within a value, itself among them."""
    if isinstance(value, list):
        return [found for one in value for found in members(one)]
    return [value, *(found for one in value.values() for found in members(one))] if isinstance(value, dict) else []


def test_a_refusal_more_never_loosens() -> None:
    for random in rounds("more"):
        value = a_manifest(random)
        more = copy.deepcopy(value)
        if objects := members(more):
            random.choice(objects)[random.choice((*NAMES, "cawg.ai_agents"))] = {"use": "notAllowed"}
            assert_not_looser(of(value), of(more), json.dumps(more))


def test_members_that_nobody_knows_grant_nothing() -> None:
    for random in rounds("unknown"):
        value = a_manifest(random)
        more = copy.deepcopy(value)
        if objects := members(more):
            random.choice(objects)["unheard"] = random.choice(("allowed", {"use": "allowed"}, [], {"entries": {}}))
            before, after = of(value), of(more)
            assert_not_looser(before, after, json.dumps(more))
            assert [use for use in USED if after[use] == "permitted" != before[use]] == [], json.dumps(more)


def test_what_is_written_says_the_same() -> None:
    for random in rounds("written"):
        found = acap.parse_training_mining(json.dumps(a_manifest(random)).encode())
        again = acap.parse_training_mining(found.to_text().encode())
        assert answers(again) == answers(found)
        assert again.to_text() == found.to_text()


def test_any_octets_give_a_value_and_problems() -> None:
    for random in rounds("octets"):
        octets = bytearray(json.dumps(a_manifest(random)).encode())
        for _ in range(random.choice((3, 20))):
            octets[random.randrange(len(octets))] = random.randrange(256)
        found = acap.parse_training_mining(bytes(octets))
        answers(found)
        assert all(str(problem).isprintable() for problem in found.problems)
