"""Texts written to make a reader slow, large or wrong: `TEXTS[name](n)` has n lines or octets, more or less."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

LINE = 16_000
"""Octets that fit in a line of the default limits."""


PEAK = """
import resource
import sys
from pathlib import Path
import acap

def peak():
    # Linux hands the peak that `getrusage` tells down from the process that started this one.
    status = Path("/proc/self/status")
    if status.exists():
        fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(fields["VmHWM"].split()[0]) * 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
"""
"""The beginning of a program that measures itself: `peak()` is the most memory it had, in octets."""


def lines(*parts: Iterable[str] | str) -> bytes:
    """Lines of several parts; a text is one line."""
    found = [line for part in parts for line in ([part] if isinstance(part, str) else part)]
    return "\n".join([*found, ""]).encode()


def numbered(form: str, n: int) -> list[str]:
    """The form n times, each with its number."""
    return [form.format(i) for i in range(n)]


def utf16(text: bytes, order: str) -> bytes:
    """UTF-16 with a byte order mark."""
    return {"le": b"\xff\xfe", "be": b"\xfe\xff"}[order] + text.decode().encode(f"utf-16-{order}")


def globs(n: int) -> list[str]:
    """Different patterns that all match a path of many `a`."""
    return [f"/{'a' * (i % 10)}*{'a' * (i // 10 % 100)}*{'a' * (i // 1000)}" for i in range(n)]


def patterns(n: int) -> str:
    """As many patterns as a line takes, some n of them in all."""
    return " ".join(numbered("/{}*", min(n, 2_000)))


def octets(n: int) -> bytes:
    """Any octets, the same each time."""
    return Random(9309).randbytes(n)


CONVENTIONAL = lines("User-agent: *", "Disallow: /a", "Allow: /a/b")
ACAP = lines("ACAP-crawler: *", "ACAP-disallow-crawl: /a", "ACAP-allow-crawl: /a/b")

OCTETS: dict[str, Callable[[int], bytes]] = {
    "nothing but LF": lambda n: b"\n" * n,
    "nothing but CR": lambda n: b"\r" * n,
    "nothing but NUL": lambda n: b"\0" * n,
    "nothing but a": lambda n: b"a" * n,
    "nothing but #": lambda n: b"#" * n,
    "nothing but percent": lambda n: b"%" * n,
    "nothing but 0xFF": lambda n: b"\xff" * n,
    "nothing but dashes of three octets": lambda n: "\u2014".encode() * (n // 3),
    "random": octets,
    "random UTF-16": lambda n: b"\xff\xfe" + octets(n),
    "random after a mark": lambda n: b"\xef\xbb\xbf" + octets(n),
    "half a mark": lambda n: b"\xef\xbb" + CONVENTIONAL * (n // len(CONVENTIONAL)),
    "UTF-16 little-endian": lambda n: utf16(CONVENTIONAL * (n // 80), "le"),
    "UTF-16 big-endian": lambda n: utf16(ACAP * (n // 120), "be"),
    "UTF-16 with half a character": lambda n: utf16(ACAP * (n // 120), "le") + b"\x0a",
    "UTF-16 with lone surrogates": lambda n: b"\xfe\xff" + b"\xd8\x00" * (n // 2),
    "one long line": lambda n: b"User-agent: *\nDisallow: /" + b"a" * n,
    "one long ACAP line": lambda n: b"ACAP-crawler: *\nACAP-disallow-crawl: /" + b"a" * n,
    "one long name": lambda n: b"a" * n + b": /",
    "one long crawler name": lambda n: b"User-agent: " + b"a" * n + b"\nDisallow: /\n",
    "one line of percent soup": lambda n: b"User-agent: *\nDisallow: /" + b"%4%%zz%2f%" * (n // 10),
    "one line of wildcards": lambda n: b"User-agent: *\nDisallow: /" + b"*a" * (n // 2) + b"b$",
    "one line of blanks": lambda n: b"User-agent: *\nDisallow:" + b" " * n + b"/",
}
"""Texts by octets."""

LINES: dict[str, Callable[[int], bytes]] = {
    "rules": lambda n: lines("User-agent: *", numbered("Disallow: /{}", n)),
    "rules with wildcards": lambda n: lines("User-agent: *", numbered("Disallow: /*a*b{}", n)),
    "nested rules": lambda n: lines("User-agent: *", (f"Disallow: /*{'a' * (i % 500)}*b" for i in range(n))),
    "agents": lambda n: lines(numbered("User-agent: a{}", n), ["Disallow: /a"] * n),
    "groups": lambda n: lines(["User-agent: bot", "Disallow: /a"] * n),
    "records of 2.1": lambda n: lines(["User-agent: *", "Disallow: /a", "User-agent: bot", "Robot-version: 2.1"] * n),
    "records of 2.0": lambda n: lines(["User-agent: bot", "Robot-version: 2.0", "Disallow: /*b", "Allow: /b*"] * n),
    "CR": lambda n: b"User-agent: *\rDisallow: /a\r" * n,
    "NULs": lambda n: b"User-agent: *\0\nDisallow: /\0a\n" * n,
    "unknown fields": lambda n: lines(numbered("field-{}: a", n)),
    "no fields": lambda n: lines(["a b c"] * n),
    "extensions": lambda n: lines(["Sitemap: a", "Request-rate: 1/5 0800-1200", "License: /a"] * n),
    "permissions and prohibitions": lambda n: lines(
        "ACAP-crawler: *", (f"ACAP-{verb}-crawl: {glob}" for glob in globs(n) for verb in ("allow", "disallow"))
    ),
    "prohibitions above permissions": lambda n: lines(
        "ACAP-crawler: *", ["ACAP-disallow-crawl: /"] * n, (f"ACAP-allow-crawl: {glob}" for glob in globs(n))
    ),
    "restrictions": lambda n: lines(
        "ACAP-crawler: *",
        (f"ACAP-allow-index: {glob} must-include-resource=/{i}" for i, glob in enumerate(globs(n))),
    ),
    "restrictions on a line": lambda n: lines(
        "ACAP-crawler: *",
        ["ACAP-allow-index: / " + " ".join(numbered("time-limit={}-days", 700))] * (n // 700 + 1),
    ),
    "purposes": lambda n: lines(
        numbered("ACAP-crawler: *\nACAP-usage-purpose: *p{}*\nACAP-disallow-crawl: /", n),
    ),
    "purposes of one field": lambda n: lines(
        "ACAP-crawler: *", numbered("ACAP-usage-purpose: *p{}*", n), ["ACAP-disallow-crawl: /a"] * n
    ),
    "ACAP records": lambda n: lines(
        numbered("ACAP-crawler: b{}\nACAP-disallow-crawl: /", n), "ACAP-crawler: bot", "ACAP-disallow-crawl: /"
    ),
    "crawler names": lambda n: lines(
        ["ACAP-crawler: " + "a," * (LINE // 2)] * (n // 500 + 1), ["ACAP-disallow-crawl: /a"] * n
    ),
    "composites": lambda n: lines(
        numbered("ACAP-qualified-usage: q{0} index time-limit={0}-days", n),
        (f"ACAP-composite-usage: c{i} (c{(i + 1) % n}) (q{i}) index u{i}" for i in range(n)),
        "ACAP-crawler: *",
        numbered("ACAP-allow-(c{}): /", n),
    ),
    "a composite": lambda n: lines(
        numbered("ACAP-qualified-usage: q{0} index time-limit={0}-days", 500),
        "ACAP-composite-usage: c " + " ".join(numbered("(q{})", 500)),
        "ACAP-crawler: *",
        ["ACAP-allow-(c): /", "ACAP-disallow-(c): /a"] * n,
    ),
    "a set": lambda n: lines(
        f"ACAP-resource-set: s {patterns(n)}",
        "ACAP-crawler: *",
        ["ACAP-allow-crawl: acap:resource-set:s", "ACAP-disallow-crawl: acap:resource-set:s"] * n,
    ),
    "a set that matches": lambda n: lines(
        "ACAP-resource-set: s " + " ".join("/" + "*" * i for i in range(1, 170)),
        "ACAP-crawler: *",
        ["ACAP-allow-crawl: acap:resource-set:s", "ACAP-disallow-crawl: acap:resource-set:s"] * n,
    ),
    "sets nobody defined": lambda n: lines(
        numbered("ACAP-resource-set: s{} /", n),
        "ACAP-crawler: *",
        numbered("ACAP-disallow-crawl: acap:resource-set:t{}", n),
    ),
    "sets beside prohibitions": lambda n: lines(
        numbered("ACAP-resource-set:{} /", 8 * n), "ACAP-crawler:a", ["ACAP-disallow-tdm:/"] * (8 * n)
    ),
    "a composite of usages nobody knows": lambda n: lines(
        "ACAP-ignore-conventional-records",
        "ACAP-composite-usage: c " + " ".join(numbered("u{}", min(n, 900))),
        "ACAP-crawler: *",
        ["ACAP-allow-(c): /", "ACAP-alow-(c): /"] * n,
    ),
    "usages nobody knows": lambda n: lines(
        "ACAP-crawler: *", numbered("ACAP-allow-u{}: /", n), numbered("ACAP-disallow-v{}: /", n)
    ),
    "usages nobody defined": lambda n: lines(
        numbered("ACAP-qualified-usage: q{} index", n), "ACAP-crawler: *", numbered("ACAP-allow-(u{}): /", n)
    ),
    "references": lambda n: lines(numbered("ACAP-crawler: *\nACAP-permissions-reference: /r{}", n)),
    "requests": lambda n: lines("ACAP-crawler: *", numbered("ACAP-request-take-down: /{}", n)),
    "patterns on a line": lambda n: lines(
        "ACAP-crawler: *", ["ACAP-disallow-crawl: " + "/a* " * (LINE // 4)] * (n // 2_000 + 1)
    ),
    "stray words": lambda n: lines(
        "ACAP-crawler: *", ["ACAP-allow-index: /" + " a" * (LINE // 2 - 20)] * (n // 2_000 + 1)
    ),
    "values that continue": lambda n: lines(
        "ACAP-crawler: *", ["ACAP-allow-index: / " + "q" * 8_000 + "=a," + " b," * 2_500] * (n // 500 + 1)
    ),
    "dashes": lambda n: lines(["ACAP" + "-" * LINE + "crawler: *"] * (n // 500 + 1)),
    "long dashes": lambda n: lines(["ACAP" + "\u2014" * (LINE // 3) + "crawler: *"] * (n // 500 + 1)),
    "versions": lambda n: lines(["##ACAP version=1.0", "ACAP-version: 1.1"] * n),
    "ACAP percent soup": lambda n: lines(
        "ACAP-crawler: *", ["ACAP-disallow-crawl: /" + "%4%%zz%2f%" * (LINE // 10 - 10)] * (n // 500 + 1)
    ),
}
"""Texts by lines."""

TEXTS = OCTETS | LINES

URLS: dict[str, str] = {
    "a long path": "/" + "a" * 65_000,
    "many segments": "/a" * 32_000,
    "a long query": "/?" + "a=%zz&" * 10_000,
    "percent soup": "/" + "%4%%zz%2f%" * 6_000,
    "escapes": "/" + "%61%2F%c3%BC" * 5_000,
    "dot segments": "/a/.." * 4_000 + "/../" * 5_000 + "b",
    "escaped dot segments": "/%2e%2E/.%2e" * 5_000,
    "dots": "/" + "." * 65_000,
    "wildcards": "/" + "*$" * 32_000,
    "outside the plane": "/" + "\U0001f577" * 16_000,
    "a fragment": "/#" + "/" * 65_000,
    "user information": "http://user:pass@host.example/a",
    "user information that looks like a host": "http://other.example@host.example:80/a",
    "a port with zeros": "http://host.example:" + "0" * 50_000 + "80/a",
    "no path": "http://host.example",
    "only a query": "http://host.example?a",
    "upper case": "HTTP://HOST.EXAMPLE/a",
}
"""URLs and paths that can be asked for at `http://host.example`."""

MISTAKES: dict[str, str] = {
    "a lone surrogate": "/\udc80",
    "another host": "http://host.example.evil/a",
    "another port": "http://host.example:8080/a",
    "another scheme": "https://host.example/a",
    "a NUL": "/a\0b\0",
    "a tab": "/a\tb",
    "a line end": "http://host.example/a\r\nb",
    "the last control": "/\x7f",
    "many at signs": "http://" + "@" * 50_000 + "host.example/a",
    "an octet too many": "/" + "a" * 65_536,
    "a host or a path": "//host.example/a",
    "a port that cannot be": "http://host.example:65536/a",
    "an address of IPv6": "http://[::1]/a",
    "a host with a NUL": "http://host.example\0/a",
    "no scheme": "host.example/a",
    "a relative path": "a/b",
    "a scheme without a host": "http:///a",
    "a script": "javascript:alert(1)",
    "colons": ":" * 100_000,
}
"""URLs that cannot be."""
