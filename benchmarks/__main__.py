"""How many policies are read and how many questions decided in a second.

``python -m benchmarks`` makes policies and URLs from a fixed seed, so that two runs measure the same work, and prints
the best of several rounds: the one least disturbed by whatever else the machine does.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import acap

ROUNDS = 5
FILES = 2_000
URLS = 20_000
SITE = "https://example.org"
WORDS = ["news", "archive", "search", "images", "private", "tag", "2024", "print", "user", "api", "index.html", "story"]
CRAWLERS = ["*", "examplebot", "otherbot", "newsbot", "imagebot"]
USAGES = ["crawl", "index", "preserve", "present-snippet", "present-thumbnail", "follow"]


def path(draw: random.Random) -> str:
    return "/" + "/".join(draw.choices(WORDS, k=draw.randint(1, 4)))


def pattern(draw: random.Random) -> str:
    return path(draw) + draw.choice(["", "/", "*", "/*.html", "$", "/*/print"])


def conventional_file(draw: random.Random) -> bytes:
    """A robots.txt of the usual kind: some groups, some rules in each."""
    lines = []
    for name in draw.sample(CRAWLERS, k=draw.randint(1, 3)):
        verbs = draw.choices(["Disallow", "Allow"], weights=[2, 1], k=draw.randint(1, 25))
        lines += [f"User-agent: {name}", *(f"{verb}: {pattern(draw)}" for verb in verbs), ""]
    return "\n".join(lines).encode()


def acap_file(draw: random.Random) -> bytes:
    """The same with ACAP records behind it."""
    lines = ["##ACAP version=1.1", conventional_file(draw).decode()]
    for name in draw.sample(CRAWLERS, k=draw.randint(1, 3)):
        verbs = draw.choices(["allow", "disallow"], k=draw.randint(1, 25))
        lines += [
            f"ACAP-crawler: {name}",
            *(f"ACAP-{verb}-{draw.choice(USAGES)}: {pattern(draw)}" for verb in verbs),
            "",
        ]
    return "\n".join(lines).encode()


def best(work: Callable[[], object]) -> float:
    """The seconds of the fastest round."""
    rounds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        rounds.append(time.perf_counter() - start)
    return min(rounds)


def report(what: str, count: int, unit: str, work: Callable[[], object]) -> None:
    print(f"{what:<52}{count / best(work):>14,.0f} {unit}/s")


def measure(kind: str, files: list[bytes], urls: list[str]) -> None:
    some = urls[: len(urls) // 10]
    longest = acap.parse_robots(max(files, key=len))
    both = ("crawl", "index")
    report(f"read, {kind}", len(files), "files", lambda: [acap.parse_robots(file) for file in files])
    report(f"read, {kind}, many at once", len(files), "files", lambda: acap.parse_robots_many(files))
    report(
        f"decide crawl, {kind}",
        len(some),
        "decisions",
        lambda: [longest.decide(url, crawler="examplebot").outcome for url in some],
    )
    report(
        f"decide crawl and index, {kind}, many at once",
        len(urls) * len(both),
        "decisions",
        lambda: longest.decide_many(urls, crawler="examplebot", usages=both),
    )


def main() -> None:
    draw = random.Random(9309)
    urls = [SITE + path(draw) for _ in range(URLS)]
    measure("conventional", [conventional_file(draw) for _ in range(FILES)], urls)
    measure("ACAP", [acap_file(draw) for _ in range(FILES)], urls)
    hostile = acap.parse_robots(b"User-agent: *\nDisallow: /" + b"*a" * 1_000 + b"b\n")
    report(
        "decide, 1,000 wildcards, a path of 2,000 octets",
        10,
        "decisions",
        lambda: [hostile.decide("/" + "a" * 2_000, crawler="examplebot").outcome for _ in range(10)],
    )


if __name__ == "__main__":
    main()
