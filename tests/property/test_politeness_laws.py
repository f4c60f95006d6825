"""The law of politeness: the native core and the reference interpreter report the same.

`ACAP_CASES` says how many files are tried, `ACAP_SEED` where to begin.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from random import Random

from acap.robots import DIALECTS
from tests.vector_engines import Native, Pace, Reference
from tests.vector_files import VECTORS, Policy, Table

CASES = int(os.environ.get("ACAP_CASES", "250"))
SEED = os.environ.get("ACAP_SEED", "1")

NUMBERS = ("1", "3", "60", "0", "00", "2.5", ".5", "5.", ".", "1.5.2", "1e3", "+2", "-1", "inf", "\u00b2", "", "9" * 14)
CLOCKS = ("0000", "0800", "2359", "2400", "2430", "2460", "0960", "900", "08:00", "")
BLANKS = ("", "", "", "", " ", "\t", "  ", "\x0b", "\x0c")
AGENTS = ("alpha", "beta", "*", "alpha/2.0", "ALPHA")
CRAWLERS = ("alpha", "beta", "other")
INSTANTS = tuple(datetime(2026, 1, 5, hour, minute, tzinfo=UTC) for hour, minute in ((0, 0), (7, 59), (8, 0), (23, 59)))


def window(random: Random) -> str:
    between = random.choice((" ", "-", " - ", "--", "", "\t", "to"))
    return random.choice(CLOCKS) + between + random.choice(CLOCKS)


def line(random: Random) -> str:
    """A line, well written or nearly so."""

    def blank() -> str:
        return random.choice(BLANKS)

    match random.randrange(8):
        case 0 | 1:
            return f"User-agent: {random.choice(AGENTS)}"
        case 2:
            return f"Crawl-delay:{blank()}{random.choice(NUMBERS)}{blank()}"
        case 3 | 4:
            rate = f"{random.choice(NUMBERS)}{blank()}/{blank()}{random.choice(NUMBERS)}"
            part = window(random) if random.random() < 0.4 else ""
            return f"Request-rate: {rate}{blank()}{random.choice('  smhdSMHDx')}{blank()}{part}"
        case 5:
            return f"Visit-time:{blank()}{window(random)}{blank()}"
        case 6:
            return random.choice(
                ("Robot-version: 2.0.0", "Robot-version: 2.1.0", "Comment: hello", "Disallow: /a", "Allow: /")
            )
        case _:
            return random.choice(("", "# c", "Sitemap: /s", "foo"))


def paces(table: Table, dialect: str) -> list[list[Pace]]:
    """What both engines report, to each crawler, at each instant and at none."""
    policy = Policy("generated", table, VECTORS)
    return [
        [engine(policy, dialect).pace(crawler, at) for crawler in CRAWLERS for at in (None, *INSTANTS)]
        for engine in (Native, Reference)
    ]


def test_both_engines_report_the_same_politeness() -> None:
    """Rates, delays, times of visit and comments are the same for every crawler in every dialect."""
    for number in range(CASES):
        random = Random(f"{SEED}.{number}")
        text = "\n".join(line(random) for _ in range(random.randint(2, 8)))
        native, reference = paces({"robots": text}, random.choice(DIALECTS))
        assert native == reference, text
