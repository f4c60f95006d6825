"""acap as a reader of the open vectors: one question a line on standard input, one answer a line on standard output.

    vectors/run -- python3 vectors/readers/by_acap.py
    vectors/run --column strict --dialect aipref --dialect content-signal -- python3 vectors/readers/by_acap.py strict

The second reads signals by the letter of their texts; the other dialects have one reading.

A dialect is a function of `DIALECTS`, from the question to its verdict.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable, Iterable
from typing import Any

import acap
from acap.robots import Reading
from acap.statement import Source
from acap.usages import COMPOSITES

Question = dict[str, Any]
STRICTEST_FIRST = ("prohibited", "conditional", "permitted")
OUTCOMES = {"prohibits": "prohibited", "conditional": "conditional", "permits": "permitted"}


def answer(question: Question, reading: Reading = "careful") -> dict[str, Any]:
    """The answer to a question, as the protocol has it."""
    found: dict[str, Any] = {"id": question["id"], "answer": "unsupported"}
    if verdict := DIALECTS.get(question["dialect"]):
        found.update(verdict({**question, "reading": reading}))
    return found


def octets(given: str | dict[str, str] | None) -> bytes | None:
    """Octets as a question has them."""
    if given is None or isinstance(given, str):
        return None if given is None else given.encode("utf-8")
    return base64.b64decode(given["base64"])


def crawler(ask: dict[str, Any]) -> acap.Crawler:
    """Who asks."""
    licensee = acap.Licensee(**ask["licensee"]) if "licensee" in ask else None
    return acap.Crawler(*ask["crawler"], licensee=licensee)


def strictest(outcomes: Iterable[str]) -> str:
    """What several statements on one usage come to; `silent` if there is none."""
    given = set(outcomes)
    return next((outcome for outcome in STRICTEST_FIRST if outcome in given), "silent")


def of_parts(usage: str, verdict: Callable[[str], str]) -> str:
    """The answer on a usage, or on a composite one from its parts: permitted only if all are."""
    parts = [verdict(part) for part in COMPOSITES.get(usage, (usage,))]
    refused = strictest(parts)
    return "silent" if refused == "permitted" and "silent" in parts else refused


def signals(dialect: str) -> Callable[[Question], dict[str, Any]]:
    """Lines of robots.txt and headers: the dialect's part in what `acap.decide` cites."""

    def verdict(question: Question) -> dict[str, Any]:
        given, ask = question["input"], question["ask"]
        url, who = ask["url"], crawler(ask)
        robots = octets(given.get("robots"))
        policy = None
        if robots is not None:
            site, path = url[: url.index("/", 8)], url[url.index("/", 8) :]
            # Whether it may be fetched is not asked: ACAP permits that here, and says nothing of other usages.
            opened = f"\nACAP-crawler: {ask['crawler'][0]}\nACAP-allow-crawl: {literal(path)}$\n"
            text = robots + opened.encode("utf-8")
            policy = acap.parse_robots(text, url=site + "/robots.txt", reading=question["reading"])
        response = given.get("response", {})
        page = None
        if "response" in given:
            headers = [(name, value) for name, value in response.get("headers", [])]
            page = acap.parse_page(octets(response.get("body")), url=url, headers=headers, reading=question["reading"])

        def asked(usage: str) -> str:
            reason = acap.decide(url, crawler=who, usage=usage, robots=policy, page=page).reason
            return strictest(OUTCOMES[one.effect] for one in reason.decided_by if one.dialect == dialect)

        return {"answer": of_parts(ask["usage"], asked)}

    return verdict


def literal(path: str) -> str:
    """A path as a pattern that means itself."""
    return path.replace("*", "%2A").replace("$", "%24")


def document(read: Callable[[Question], Source]) -> Callable[[Question], dict[str, Any]]:
    """A document of its own: what the source that is read of it comes to."""

    def verdict(question: Question) -> dict[str, Any]:
        ask, source = question["ask"], read(question)
        given = question["input"].get("response")
        page = None
        if given is not None:
            headers = [(name, value) for name, value in given.get("headers", [])]
            page = acap.parse_page(octets(given.get("body")), url=ask["url"], headers=headers)
        conditions: list[acap.Condition] = []

        def asked(usage: str) -> str:
            decision = acap.decide(ask["url"], crawler=crawler(ask), usage=usage, page=page, others=[source])
            conditions.extend(decision.conditions)
            return str(decision.outcome) if decision.stated else "silent"

        found: dict[str, Any] = {"answer": of_parts(ask["usage"], asked)}
        if conditions:
            found["condition"] = {
                key: value for key, value in conditions[0]._asdict().items() if value not in (None, "", ())
            }
        return found

    return verdict


def tdmrep(question: Question) -> acap.TdmrepFile:
    """The file, with those of its policies that can be had."""
    given = question["input"].get("document", {"status": 404})
    url = given.get("url", question["ask"]["url"][: question["ask"]["url"].index("/", 8)] + "/.well-known/tdmrep.json")
    file = acap.parse_tdmrep(octets(given.get("body")), url=url, status=given.get("status", 200))
    policies = {one["url"]: octets(one.get("body")) for one in question["input"].get("documents", [])}
    return file.with_policies(policies) if policies else file


def ai_txt(question: Question) -> acap.AiTxt:
    """The file of the site."""
    given, url = question["input"]["document"], question["ask"]["url"]
    site = url[: url.index("/", 8)]
    return acap.parse_ai_txt(octets(given.get("body")), url=f"{site}/ai.txt", status=given.get("status", 200))


def cawg(question: Question) -> acap.TrainingMining:
    """The manifest, as its reader gives it in JSON."""
    return acap.parse_training_mining(octets(question["input"]["document"].get("body")) or b"")


def rsl(question: Question) -> dict[str, Any]:
    """A licence document, or those that robots.txt and a response refer to."""
    given, ask = question["input"], question["ask"]
    url, who = ask["url"], crawler(ask)
    if "document" in given:
        one = given["document"]
        source: acap.Source = acap.parse_rsl(octets(one.get("body")) or b"", url=one.get("url"))
    else:
        robots, response = octets(given.get("robots")), given.get("response", {})
        policy = None if robots is None else acap.parse_robots(robots, url=url[: url.index("/", 8)] + "/robots.txt")
        body, is_answer = octets(response.get("body")), response.get("status") in (401, 402)
        headers = [(name, value) for name, value in response.get("headers", [])]
        page = acap.parse_page(None if is_answer else body, url=url, headers=headers)
        documents: dict[str, Any] = {one["url"]: octets(one.get("body")) for one in given.get("documents", [])}
        answer = body if is_answer else None
        source = acap.RslLicences(robots=policy, documents=documents, page=page, answer=answer)
        documents.update(dict.fromkeys(source.missing(who)))
        source = acap.RslLicences(robots=policy, documents=documents, page=page, answer=answer)
    found: dict[str, Any] = {}

    def asked(usage: str) -> str:
        decision = acap.decide(url, crawler=who, usage=usage, others=[source])
        found["restrictions"] = [[one.name, one.value] for one in decision.restrictions]
        for condition in decision.conditions[:1]:
            found["condition"] = {key: value for key, value in condition._asdict().items() if value}
        return str(decision.outcome) if decision.stated else "silent"

    return {"answer": of_parts(ask["usage"], asked), **found}


DIALECTS: dict[str, Callable[[Question], dict[str, Any]]] = {
    "aipref": signals("content-usage"),
    "content-signal": signals("content-signal"),
    "rsl": rsl,
    "tdmrep": document(tdmrep),
    "ai-txt": document(ai_txt),
    "cawg": document(cawg),
}


def main(lines: Iterable[str], reading: Reading) -> None:
    """Answers each line."""
    for line in lines:
        print(json.dumps(answer(json.loads(line), reading)), flush=True)


if __name__ == "__main__":
    main(sys.stdin, "strict" if sys.argv[1:] == ["strict"] else "careful")
