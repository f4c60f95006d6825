"""Texts that are heavy to lint and to compare, of any size, and what a command takes for them.

``python -m benchmarks.heavy COMMAND [OCTETS [SHAPE...]]`` runs ``acap lint`` (as text, then as JSON) or
``acap compare`` over each shape, in a process of its own, and prints its processor time, its largest memory and how
much it told.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import count, cycle
from pathlib import Path
from typing import NamedTuple

KIB, MIB = 1 << 10, 1 << 20
LIMIT = 120  # seconds of processor time
CALL = f"""
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_CPU, ({LIMIT}, {LIMIT}))
from acap.cli.main import main
code = main()
# What a process has inherited counts for the number of the operating system, so Linux is asked for its own.
status = Path("/proc/self/status")
fields = dict(line.split(":", 1) for line in status.read_text().splitlines()) if status.exists() else {{}}
most = fields.get("VmHWM") or f"{{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}} kB"
sys.stderr.write(f"\\n{{most.split()[0]}}")
sys.exit(code)
"""
HALF = 512 * KIB


def _filled(lines: Iterator[str], octets: int, head: str = "", end: str = "\n") -> bytes:
    """The head, and whole lines up to so many octets."""
    parts, left = [head.encode()], octets - len(head.encode())
    for line in lines:
        written = (line + end).encode()
        if len(written) > left:
            break
        parts.append(written)
        left -= len(written)
    return b"".join(parts)


def _each(*forms: str) -> Iterator[str]:
    """The forms in turn, `{}` being the number of the round."""
    return (form.replace("{}", str(number)) for number in count() for form in forms)


RULES = "User-agent: *\n"
FIELDS = "ACAP-crawler: *\n"


def _nested(octets: int) -> bytes:
    deep = ("Disallow: /" + "a/" * (number % 400) + f"{number // 400}" * (number >= 400) for number in count())
    return _filled(deep, octets, RULES)


def _nested_both(octets: int) -> bytes:
    deep = (f"{('Allow', 'Disallow')[number % 2]}: /" + "a/" * (number % 300) for number in count())
    return _filled(deep, octets, RULES)


def _qualified(octets: int) -> bytes:
    """1,000 qualified usages with a misplaced qualifier, a composite of all, and a use a line."""
    defined = [f"ACAP-qualified-usage: q{number} crawl max-length=9-chars\n" for number in range(1_000)]
    head = "".join(defined) + "ACAP-composite-usage: all " + " ".join(f"(q{n})" for n in range(1_000)) + "\n" + FIELDS
    return _filled(_each("ACAP-allow-(all): /{}"), octets, head)


def _composites(octets: int) -> bytes:
    defined = "ACAP-composite-usage: c{} index present-snippet present-extract present-thumbnail present-link"
    return _filled(_each(defined, "ACAP-crawler: a{}", "ACAP-allow-(c{}): /"), octets)


def _sets(octets: int) -> bytes:
    paths = " ".join(f"/{number}*" for number in range(500))
    return _filled(
        _each("ACAP-disallow-index: the-acap:resource-set:all"), octets, f"ACAP-resource-set: all {paths}\n{FIELDS}"
    )


def _utf_16(octets: int) -> bytes:
    return b"\xff\xfe" + _nested((octets - 2) // 2).decode().encode("utf-16-le")


def _known_crawlers(octets: int) -> bytes:
    from acap.crawler_list import known_crawlers

    names = cycle([one.name for one in known_crawlers()])
    return _filled(
        (line for name, n in zip(names, count()) for line in (f"User-agent: {name}", f"Disallow: /{n}")), octets
    )


SHAPES: dict[str, Callable[[int], bytes]] = {
    "ordinary": lambda n: _filled(
        _each("", "User-agent: bot-{}", "Disallow: /private/{}/", "Allow: /private/{}/press/", "Disallow: /*.pdf$"), n
    ),
    "ordinary rules": lambda n: _filled(
        _each("Disallow: /section-{}/private/", "Allow: /section-{}/a*.html$"), n, RULES
    ),
    "ordinary ACAP": lambda n: _filled(
        _each("ACAP-allow-index: /section-{}/", "ACAP-disallow-present-thumbnail: /section-{}/pictures/"), n, FIELDS
    ),
    "nested rules": _nested,
    "nested rules, Allow and Disallow": _nested_both,
    "rules that are the same": lambda n: _filled(_each("Disallow: /a"), n, RULES),
    "rules with wildcards": lambda n: _filled(_each("Disallow: /*{}*a", "Allow: /a*{}*"), n, RULES),
    "rules of many wildcards": lambda n: _filled(
        _each("Disallow: /" + "*a" * 60 + "{}$", "Allow: /" + "a*" * 60), n, RULES
    ),
    "rules that end in a dollar": lambda n: _filled(_each("Disallow: /{}$", "Disallow: /*{}$"), n, RULES),
    "many agents in a group": lambda n: _filled(_each("User-agent: a{}"), n - 13) + b"Disallow: /a\n",
    "many agents, a group each": lambda n: _filled(_each("User-agent: a{}", "Disallow: /{}"), n),
    "many agents, the same group": lambda n: _filled(_each("User-agent: a{}", "Disallow: /"), n),
    "agents in each other": lambda n: (
        _filled(("User-agent: " + "a" * (i % 500 + 1) for i in count()), n - 13) + b"Disallow: /a\n"
    ),
    "crawlers of the list": _known_crawlers,
    "crawlers nearly of the list": lambda n: _filled(_each("User-agent: Googelbot{}", "Disallow: /"), n),
    "one group in many pieces": lambda n: _filled(_each("User-agent: *", "Disallow: /{}"), n),
    "permissions": lambda n: _filled(_each("ACAP-allow-index: /{}"), n, FIELDS),
    "prohibitions": lambda n: _filled(_each("ACAP-disallow-index: /{}"), n, FIELDS),
    "permissions and prohibitions": lambda n: _filled(
        _each("ACAP-allow-crawl: /{}*a", "ACAP-disallow-crawl: /*{}"), n, FIELDS
    ),
    "restrictions": lambda n: _filled(_each("ACAP-allow-index: /{}* time-limit={}-days"), n, FIELDS),
    "restrictions that exclude each other": lambda n: _filled(
        _each(
            "ACAP-allow-present: / prohibited-context=within-user-frame",
            "ACAP-allow-present-snippet: /*{} max-length={}-chars",
        ),
        n,
        FIELDS,
    ),
    "ACAP records": lambda n: _filled(_each("ACAP-crawler: a{}", "ACAP-disallow-crawl: /{}"), n),
    "ACAP records and groups": lambda n: _filled(
        _each("User-agent: a{}", "Disallow: /{}", "ACAP-crawler: a{}", "ACAP-allow-crawl: /{}"), n
    ),
    "purposes": lambda n: _filled(
        _each("ACAP-usage-purpose: http://p.example/{}*", "ACAP-disallow-index: /{}"), n, FIELDS
    ),
    "usages that nobody defined": lambda n: _filled(_each("ACAP-allow-(u{}): /{}"), n, FIELDS),
    "usages that nobody knows": lambda n: _filled(_each("ACAP-disallow-u{}: /{}"), n, FIELDS),
    "sets that nobody defined": lambda n: _filled(_each("ACAP-disallow-index: the-acap:resource-set:s{}"), n, FIELDS),
    "fields that nobody knows": lambda n: _filled(_each("ACAP-u{}: /", "u{}: v"), n, FIELDS),
    "qualifiers that nobody knows": lambda n: _filled(_each("ACAP-allow-index: / q{}=1"), n, FIELDS),
    "qualified usages that cannot be": _qualified,
    "composite usages": _composites,
    "definitions that nobody uses": lambda n: _filled(
        _each("ACAP-qualified-usage: q{} index time-limit={}-days"), n, FIELDS
    ),
    "resource sets": _sets,
    "references": lambda n: _filled(_each("ACAP-crawler: a{}", "ACAP-permissions-reference: http://e.example/{}"), n),
    "take-downs": lambda n: _filled(_each("ACAP-request-take-down: /{}"), n, FIELDS),
    "UTF-16": _utf_16,
    "fields and nothing but LF": lambda n: _filled(
        _each(""), n, FIELDS + "".join(f"ACAP-allow-index: /{i}*\nACAP-disallow-index: /*{i}\n" for i in range(15))
    ),
    "rules, fields and nothing but LF": lambda n: _filled(
        _each(""), n, RULES + "Disallow: /x\n" + FIELDS + "".join(f"ACAP-allow-index: /{i}*\n" for i in range(15))
    ),
    "nothing but LF, then definitions": lambda n: (
        _filled(_each(""), n - 100, FIELDS + "ACAP-allow-index: /\n") + b"ACAP-resource-set: a /a\n" * 4
    ),
    "agents, then rules": lambda n: (
        _filled(_each("User-agent: a{}", ""), n // 2) + _filled(_each("Disallow: /{}"), n // 2)
    ),
    "nothing but LF": lambda n: b"\n" * n,
    "nothing but CR": lambda n: b"\r" * n,
    "nothing but CR and LF": lambda n: b"\r\n" * (n // 2),
    "nothing but blanks": lambda n: b" \n" * (n // 2),
    "nothing but #": lambda n: b"#\n" * (n // 2),
    "nothing but colons": lambda n: b":\n" * (n // 2),
    "nothing but letters": lambda n: b"a\n" * (n // 2),
    "nothing but NUL": lambda n: b"\0\n" * (n // 2),
    "nothing but 0xFF": lambda n: b"\xff\n" * (n // 2),
    "short lines": lambda n: _filled(_each("a:{}"), n),
    "short rules": lambda n: _filled(_each("Allow:/"), n, RULES),
    "empty rules": lambda n: _filled(_each("Disallow:"), n, RULES),
    "lines with CR": lambda n: _filled(_each("Disallow: /{}"), n, RULES, "\r"),
    "one long line": lambda n: b"a" * n,
    "one long comment": lambda n: b"#" * n,
    "one long crawler name": lambda n: b"User-agent: " + b"a" * (n - 26) + b"\nDisallow: /a\n",
    "one long ACAP crawler name": lambda n: b"ACAP-crawler: " + b"a" * (n - 40) + b"\nACAP-disallow-crawl: /\n",
    "one long rule": lambda n: b"User-agent: *\nDisallow: /" + b"a*" * ((n - 25) // 2),
    "crawler names of 16,000 octets": lambda n: _filled(_each("User-agent: " + "a" * 16_000 + "{}", "Disallow: /a"), n),
    "rules of 16,000 octets": lambda n: _filled(_each("Disallow: /" + "a*" * 8_000 + "{}"), n, RULES),
    "several crawlers on a line": lambda n: _filled(
        _each("User-agent: " + ", ".join(f"a{{}}-{i}" for i in range(900))), n
    ),
    "several patterns on a line": lambda n: _filled(
        _each("ACAP-disallow-index: " + " ".join(f"/{i}-{{}}" for i in range(900))), n, FIELDS
    ),
    "sitemaps": lambda n: _filled(_each("Sitemap: /{}.xml", "Sitemap: https://e.example/{}.xml"), n),
    "delays": lambda n: _filled(
        _each("User-agent: a{}", "Crawl-delay: {}", "Request-rate: 1/{}", "Visit-time: 0100 0200"), n
    ),
    "signals": lambda n: _filled(
        _each("Content-Signal: ai-train=no, search=yes", "Content-Usage: /{} train-ai=n"), n, RULES
    ),
    "licences": lambda n: _filled(_each("User-agent: a{}", "License: https://e.example/{}"), n),
    "misspelt fields": lambda n: _filled(_each("Disalow: /{}", "Useragent: b{}", "Alow: /{}"), n, RULES),
    "robots 2.0": lambda n: _filled(
        _each("User-agent: a{}", "Robot-version: 2.0.0", "Allow: /{}*", "Disallow: *{}"), n
    ),
    "comments that ignore": lambda n: _filled(_each("# acap: ignore[idle-statement]", "Disallow: /{}"), n, RULES),
    "invalid escapes": lambda n: _filled(_each("Disallow: /%%%{}%"), n, RULES),
    "a page": lambda n: _filled(_each('<p class="the-acap:disallow-index">a: {}</p>'), n, "<html>\n"),
}


class Taken(NamedTuple):
    """What a run took: seconds of processor time, MiB at most, octets printed, its exit code."""

    seconds: float
    mib: float
    printed: int
    code: int


def run(*arguments: str | Path) -> Taken:
    """A command of acap in a process of its own."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
        child = subprocess.Popen([sys.executable, "-c", CALL, *map(str, arguments)], stdout=out, stderr=said)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        printed = out.seek(0, os.SEEK_END)
        said.seek(0)
        most = said.read().rpartition(b"\n")[2]
    mib = int(most) / 1024 if most.isdigit() else used.ru_maxrss / 1024
    return Taken(used.ru_utime + used.ru_stime, mib, printed, child.returncode)


def main() -> None:
    command, octets = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else HALF
    with tempfile.TemporaryDirectory() as folder:
        old, new = Path(folder, "robots.txt"), Path(folder, "new.robots.txt")
        for name in sys.argv[3:] or SHAPES:
            text = SHAPES[name](octets)
            old.write_bytes(text)
            if command == "compare":
                # One line that is gone, in the middle.
                head, _, tail = text[len(text) // 2 :].partition(b"\n")
                new.write_bytes(text[: len(text) // 2 - len(head)] + tail)
                runs: dict[str, tuple[str | Path, ...]] = {"": ("compare", "--quiet", old, new)}
            else:
                runs = {"": ("lint", "--quiet", old), "json": ("lint", "--output-format", "json", old)}
            for kind, arguments in runs.items():
                taken = run(*arguments)
                line = f"{taken.seconds:8.2f} s {taken.mib:7.0f} MiB {taken.printed:10,} octets, ends with {taken.code}"
                print(f"{name:40} {kind:5} {line}", flush=True)


if __name__ == "__main__":
    main()
