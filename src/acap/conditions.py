"""Conditions: what somebody has to obtain before a conditional use is a permitted one (semantics, sections 1 and 8)."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Condition(NamedTuple):
    """What would satisfy a conditional statement, as far as its text says so; None and empty where it does not.

    `asks` is what has to be obtained: a licence, the right by payment, the consent of whoever holds it, or whatever
    `terms` that are written elsewhere demand. `licence` is the URL of a licence document, `server` where licences are
    given out, `policy` where the terms are. `payment` is the kind of payment in the words of its dialect, `amount` a
    decimal number as written, `currency` a code of ISO 4217. `contact` are URLs, `mailto:` and `tel:` among them.
    `text` are terms in words.
    """

    asks: Literal["licence", "payment", "consent", "terms"]
    licence: str | None = None
    server: str | None = None
    policy: str | None = None
    payment: str | None = None
    amount: str | None = None
    currency: str | None = None
    contact: tuple[str, ...] = ()
    text: str = ""

    @property
    def documents(self) -> tuple[str, ...]:
        """The URLs by one of which whoever holds the licence names it: of the licence, and of its server or its policy.

        Where a server gives out licences, to know the policy is not to have one.
        """
        return tuple(url for url in (self.licence, self.server or self.policy) if url)
