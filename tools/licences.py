"""The licences of the crates that are compiled into the native core: THIRD-PARTY.txt, which every wheel carries.

`make licences` writes it from what cargo resolves for the systems that wheels are built for. Macros and build scripts
are left out, for nothing of them is in the core. Where a crate offers Apache-2.0 it is taken under it, else under MIT:
the text of Apache-2.0 is acap's own LICENSE, and every other text stands in the file once.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "THIRD-PARTY.txt"
TARGETS = (
    "x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl",
    "x86_64-apple-darwin", "aarch64-apple-darwin", "x86_64-pc-windows-msvc",
)  # fmt: skip
"""What the workflow `release` builds wheels for."""

MARKS = {
    "Apache-2.0": "Apache License",
    "BSD-2-Clause": "Redistributions of source code",
    "BSD-3-Clause": "Neither the name of",
    "MIT": "Permission is hereby granted, free of charge",
    "Unicode-3.0": "UNICODE LICENSE V3",
    "Zlib": "This software is provided 'as-is'",
}
"""Each licence that is taken, the preferred first where one is to be chosen, with words that only its text has."""

HEAD = """\
Third-party software in acap

The native core is compiled from the crates below, each with its licence. Where a crate offers a choice, acap takes
it under Apache-2.0 if that is offered, else under MIT. The text of Apache-2.0 is in the file LICENSE; the others follow
the list, with the notices that come with a crate. Rust's standard library is a part of the core too: it is copyright
The Rust Project Contributors, and offered under MIT OR Apache-2.0.

htmx and CodeMirror, which the pages of `acap serve` use, have their licences beside them in acap/web/static.
"""


class LicenceError(Exception):
    """A crate whose licence nobody chose, or that lacks its text."""


@dataclass(frozen=True, slots=True)
class Crate:
    name: str
    licence: str
    """The SPDX expression that the crate declares."""
    folder: Path

    def texts(self) -> Iterator[str]:
        """What has to go with the core beside LICENSE: texts of licences, and notices."""
        files = sorted(
            one for one in self.folder.iterdir() if re.match(r"(?i)(un)?licen[cs]e|copying|notice", one.name)
        )
        read = {one.name: normal(one.read_text(encoding="utf-8")) for one in files}
        for licence in taken(self.licence):
            found = [text for text in read.values() if MARKS[licence] in text and MARKS["Apache-2.0"] not in text[:200]]
            if licence != "Apache-2.0" and not found:
                raise LicenceError(f"crate `{self.name}` has no text of {licence}; add it to tools/licences.py")
            yield from found[:1] if licence != "Apache-2.0" else ()
        yield from (text for name, text in read.items() if name.lower().startswith("notice"))


def taken(expression: str) -> list[str]:
    """The licences under which a crate is taken: of a choice the first that `MARKS` has."""
    out = []
    for part in expression.split(" AND "):
        offered = part.strip(" ()").split(" OR ")
        chosen = next((one for one in ("Apache-2.0", "MIT", *MARKS) if one in offered), None)
        if chosen is None:
            raise LicenceError(f"nobody chose a licence of `{expression}`; add one to MARKS of tools/licences.py")
        out.append(chosen)
    return out


def normal(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def crates(targets: Sequence[str] = TARGETS) -> list[Crate]:
    """Every crate that is compiled into the core for one of these systems, by name."""
    packages = json.loads(cargo("metadata", "--format-version=1"))["packages"]
    folders = {(one["name"], one["version"]): Path(one["manifest_path"]).parent for one in packages if one["source"]}
    compiled = cargo(
        *("tree", "--package=acap-python", "--edges=normal,no-proc-macro", "--prefix=none", "--format={p}|{l}"),
        *(f"--target={one}" for one in targets),
    )
    found = {}
    for name, version, licence in re.findall(r"^(\S+) v([^\s|]+)[^|\n]*\|(.*?)(?: \(\*\))?$", compiled, re.MULTILINE):
        if folder := folders.get((name, version)):
            found[name] = Crate(name, licence.replace("/", " OR "), folder)
    return [found[name] for name in sorted(found)]


def cargo(*command: str) -> str:
    return subprocess.run(["cargo", *command, "--quiet"], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def listed(text: str) -> dict[str, str]:
    """The crates of the file, each with its licence."""
    return dict(re.findall(r"^- ([\w-]+): (.+)$", text, re.MULTILINE))


def page(of: Sequence[Crate]) -> str:
    users: dict[str, list[str]] = {}
    for crate in of:
        for text in crate.texts():
            users.setdefault(text, []).append(crate.name)
    parts = [HEAD, "".join(f"- {one.name}: {one.licence}\n" for one in of)]
    parts += [f"{'-' * 80}\n{', '.join(dict.fromkeys(names))}\n\n{text}\n" for text, names in users.items()]
    return "\n".join(parts)


if __name__ == "__main__":
    FILE.write_text(page(crates()), encoding="utf-8")
