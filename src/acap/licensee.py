"""Whoever would use content, as licences and reservations ask for it (RSL 1.0 3.5, TDMRep 6; semantics, section 8)."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable

USERS = ("commercial", "non-commercial", "education", "government", "personal")
"""The classes of licensees that licences tell apart (RSL 1.0)."""

REUSES = ("immediate", "reference", "full")
"""What is done with content, the least first (Content-Signal, `use`): it is used once and not kept; it is indexed and
referred to, with an excerpt; anything."""


@dataclasses.dataclass(frozen=True, slots=True)
class Licensee:
    """The asker's side of licences and reservations. What is not known counts against it.

    `users` are the classes of `USERS` it belongs to, all of them if any is named; yet who names neither `commercial`
    nor `non-commercial` may be either.
    `country` is a code of ISO 3166-1 such as `DE`; one that ISO leaves to its users (`XX`, `ZZ`) becomes None.
    `payments` are the kinds of payment it is ready for, in the words of the dialect: what is offered for
    another kind alone is prohibited; None is any kind. `licences` are those it holds, each by the URL of its document,
    of its server, or of its policy if it has no server: what they made conditional is permitted. `reuse` is what it
    does with content, one of `REUSES`.
    `research`: it mines for scientific research (TDMRep 6, after Directive (EU) 2019/790 Art. 3).

    Raises:
        ValueError: an unknown class of licensees or reuse; a country that is no code of two letters.
    """

    users: frozenset[str] = frozenset()
    country: str | None = None
    payments: frozenset[str] | None = None
    licences: frozenset[str] = frozenset()
    reuse: str = "full"
    research: bool = False

    def __init__(
        self,
        *,
        users: str | Iterable[str] = (),
        country: str | None = None,
        payments: str | Iterable[str] | None = None,
        licences: str | Iterable[str] = (),
        reuse: str = "full",
        research: bool = False,
    ) -> None:
        classes = _names(users)
        if unknown := sorted(classes - set(USERS)):
            raise ValueError(f"users names the unknown class `{unknown[0]}`; known are {', '.join(USERS)}")
        if country is not None and not (len(country) == 2 and country.isascii() and country.isalpha()):
            raise ValueError(f"country `{country}` is no code of ISO 3166-1, such as DE")
        if reuse not in REUSES:
            raise ValueError(f"reuse `{reuse}` is none of {', '.join(REUSES)}")
        values = {
            "users": classes,
            "country": None if country is None or _OWN_CODE.fullmatch(country) else country.upper(),
            "payments": None if payments is None else _names(payments),
            "licences": frozenset((licences,) if isinstance(licences, str) else licences),
            "reuse": reuse,
            "research": research,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def pays(self, kind: str | None) -> bool:
        """Whether it is ready for a payment of a kind; None: of a kind that is not told."""
        return self.payments is None or (bool(self.payments) if kind is None else kind.lower() in self.payments)

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (self.users, self.country, self.payments, self.licences, self.reuse, self.research)


_OWN_CODE = re.compile("AA|Q[M-Z]|X[A-Z]|ZZ", re.IGNORECASE)
"""Codes that users of ISO 3166-1 assign themselves (8.1.3), `XX` above all: services that locate addresses say it of
those they cannot locate."""


def _names(names: str | Iterable[str]) -> frozenset[str]:
    return frozenset(name.strip().lower() for name in ((names,) if isinstance(names, str) else names))


def _restore(
    users: frozenset[str],
    country: str | None,
    payments: frozenset[str] | None,
    licences: frozenset[str],
    reuse: str,
    research: bool,
) -> Licensee:
    return Licensee(users=users, country=country, payments=payments, licences=licences, reuse=reuse, research=research)
