"""The answer of a server as a carrier: what a status and its headers say of fetching the resource.

    asked = parse_response(402, headers=[("crawler-price", "USD 0.01")], url="https://example.com/a")
    asked.statements("https://example.com/a")[0].condition.amount   # "0.01"

No standard says what they permit (our choice): a payment wall is a condition of crawling, with its price; a demand for
a licence or a signature is one as well; a refusal, a challenge and an error of paying prohibit. None of them is a
permission to ask again under another name. What any answer to robots.txt itself means is RFC 9309's
(`acap.retrieval.answers`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from acap.conditions import Condition
from acap.problems import Problem, legible, problem
from acap.statement import Statement

REFUSALS = {401: "Unauthorized", 403: "Forbidden", 451: "Unavailable For Legal Reasons"}
"""Statuses by which a server refuses a resource to who asked (RFC 9110 15.5, RFC 7725)."""

PAYMENT_REQUIRED = 402

_DIALECT = "response"
_NOT_PAID = {400: "Bad Request", 502: "Bad Gateway"}
"""Statuses that refuse who tried to pay, if `crawler-error` says so (Cloudflare, pay per crawl)."""
# `USD 0.01`: a code of ISO 4217 and a decimal number (Cloudflare, pay per crawl).
_PRICE = re.compile(r"([A-Z]{3})\s+(\d{1,12}(?:\.\d{1,12})?)", re.IGNORECASE)
# A scheme begins a challenge; before `=` the word is a parameter of the one before (RFC 9110 11.6.1).
_LICENSE = re.compile(r"(?:^|,)\s*License(?=\s|,|\Z)(?!\s*=)", re.IGNORECASE)
# A member of a dictionary whose value is a list of what has to be signed, with its last tag (RFC 9421 5.1, RFC 9651
# 3.2). Of each string there is only left whether it is empty, the tag of Web Bot Auth or another.
_SIGNATURE = re.compile(r"""(?:^|,)\s*[a-z*][a-z0-9_.*-]*=\(\s*"[^()]*\)[^,]*;\s*tag(?![a-z0-9_.*-])=?([^,;\s]*)""")
_TAG = '"web-bot-auth"'
# What a quoted string says is nobody's scheme; one without an end goes on to the end.
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_SHOWN = 200  # characters of a value


@dataclass(frozen=True, slots=True)
class ResponsePolicy:
    """What one answer says: a `Source` for decisions. `status` is its own, `url` where it is from, if given."""

    url: str | None
    status: int
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    found: tuple[Statement, ...] = field(compare=False)
    problems: tuple[Problem, ...] = field(compare=False)

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (self.status, self.headers, self.url)

    @property
    def dialect(self) -> str:
        """The dialect of its statements."""
        return _DIALECT

    def statements(self, url: str) -> tuple[Statement, ...]:  # noqa: ARG002  it is of one answer
        """The statement of the answer on crawling; none where it says nothing of it."""
        return self.found


def parse_response(status: int, *, headers: Iterable[tuple[str, str]] = (), url: str | None = None) -> ResponsePolicy:
    """Reads what an answer says of fetching the resource; never raises on content.

    Args:
        status: the status of the answer.
        headers: pairs of name and value.
        url: the resource's own URL; None if it is unknown.
    """
    headers = tuple(headers)
    given: dict[str, list[str]] = {}
    for name, value in headers:
        given.setdefault(name.strip().lower(), []).append(legible(value))
    problems: list[Problem] = []
    statement = _statement(status, given, url, problems)
    return ResponsePolicy(url, status, headers, () if statement is None else (statement,), tuple(problems))


def _restore(status: int, headers: tuple[tuple[str, str], ...], url: str | None) -> ResponsePolicy:
    return parse_response(status, headers=headers, url=url)


def _statement(status: int, given: dict[str, list[str]], url: str | None, problems: list[Problem]) -> Statement | None:
    if status < 400:
        # On a success a price is what an origin tells its CDN, and a charge is the receipt of what was paid.
        return None
    if any(value.lower() == "challenge" for value in given.get("cf-mitigated", ())):
        return _stated("prohibited", f"{status}, cf-mitigated: challenge", url, header="cf-mitigated")
    if status == PAYMENT_REQUIRED:
        return _payment(given, url, problems)
    licences = [value for value in given.get("www-authenticate", ()) if _LICENSE.search(_QUOTED.sub("", value))]
    if status == 401 and licences:
        terms = ", ".join(licences)[:_SHOWN]
        return _stated("conditional", f"401, {terms}", url, "WWW-Authenticate", Condition("licence", text=terms))
    if status in REFUSALS and any(map(_asks_to_sign, given.get("accept-signature", ()))):
        condition = Condition("terms", text="signed requests (Web Bot Auth)")
        return _stated("conditional", f"{status} {REFUSALS[status]}", url, "Accept-Signature", condition)
    errors = given.get("crawler-error", ()) if status in (403, *_NOT_PAID) else ()
    if status in REFUSALS or errors:
        text = f"{status} {REFUSALS.get(status) or _NOT_PAID[status]}{_shown('crawler-error', errors)}"
        return _stated("prohibited", text, url, "crawler-error" if errors else None)
    return None


def _asks_to_sign(value: str) -> bool:
    """Whether an `Accept-Signature` asks for a signature of Web Bot Auth, and names what is signed."""
    strings = _QUOTED.sub(lambda found: _TAG if found[0] == _TAG else '"s"' if found[0] != '""' else "", value)
    return any(match[1] == _TAG for match in _SIGNATURE.finditer(strings))


def _shown(name: str, values: Sequence[str]) -> str:
    """The first value of a header, behind another text."""
    return "".join(f", {name}: {value[:_SHOWN]}" for value in values[:1])


def _payment(given: dict[str, list[str]], url: str | None, problems: list[Problem]) -> Statement:
    prices = given.get("crawler-price", [])
    text = "402 Payment Required" + _shown("crawler-price", prices)
    text += _shown("crawler-error", given.get("crawler-error", ()))
    read = [match for price in prices if (match := _PRICE.fullmatch(price))]
    if len(read) != len(prices) or len({found[0].upper() for found in read}) > 1:
        problems.append(problem("response-price", 0, 0, (", ".join(prices)[:_SHOWN],), text))
        read = []
    currency, amount = (read[0][1].upper(), read[0][2]) if read else (None, None)
    condition = Condition("payment", payment="crawl", amount=amount, currency=currency)
    return _stated("conditional", text, url, "crawler-price" if prices else None, condition)


def _stated(
    outcome: str, text: str, url: str | None, header: str | None = None, condition: Condition | None = None
) -> Statement:
    return Statement(
        dialect=_DIALECT,
        usage="crawl",
        outcome=outcome,
        source=url or _DIALECT,
        header=header,
        text=text,
        condition=condition,
    )
