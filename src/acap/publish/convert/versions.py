"""ACAP 1.0 and 1.1: the version line, and the fields that one version reads and the other ignores.

A field that the other version would ignore never makes anything looser: a permission becomes a prohibition. So does one
that only restricted, as a field of a later version does. A field that it would begin to read becomes a comment.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from acap.publish.convert.conversion import Conversion, Note, Target
from acap.robots import Line, PolicyStatement, RobotsPolicy, parse_robots

Meanings = list[tuple[object, ...]]


def to_version(octets: bytes, to: Target) -> Conversion:
    """The same policy, declared as another version of ACAP."""
    wanted = to.removeprefix("acap-")
    policy = parse_robots(octets)
    lines = policy.lines
    declared = _declare(policy, wanted)
    before, was_later = _by_line(octets)
    after, is_later = _by_line(b"".join(declared), wanted if policy.version is None else None)
    notes: list[Note] = []
    out = list(declared)
    for line in lines:
        number = line.number
        same = _meanings(before[number]) == _meanings(after[number]) and (number in was_later) == (number in is_later)
        if line.kind != "ACAP" or same:
            continue
        text, note = _instead(line, before[number], wanted, restricts=number in was_later)
        out[line.number - 1] = text
        notes.append(note)
    text = b"".join(out)
    if policy.version is None and any(line.kind == "ACAP" for line in lines):
        text = _after_mark(text, f"##ACAP version={wanted}\n".encode())
    elif policy.version not in (None, wanted):
        notes.append(Note(0, f"ACAP version {policy.version} became {wanted}"))
    return Conversion(text, tuple(notes), to, octets)


def _after_mark(text: bytes, line: bytes) -> bytes:
    mark = b"\xef\xbb\xbf"
    return mark + line + text[len(mark) :] if text.startswith(mark) else line + text


def _declare(policy: RobotsPolicy, wanted: str) -> list[bytes]:
    """All lines, with the wanted version in those that declare one."""
    lines = policy.lines
    out = [line.octets for line in lines]
    declared = False
    for field in policy.outline.fields:
        version = next((word.span for word in field.words if word.role == "version"), None)
        if version is None:
            continue
        place = field.line - 1
        octets, start = out[place], lines.starts[place]
        if wanted == "1.0" and field.kind == "ACAP":
            # The field exists from version 1.1 on, the comment in every version.
            end = octets[len(octets.rstrip(b"\r\n")) :]
            out[place] = (b"" if declared else b"##ACAP version=1.0") + end
        else:
            out[place] = octets[: version.start - start] + wanted.encode() + octets[version.end - start :]
        declared = True
    return out


def _by_line(octets: bytes, version: str | None = None) -> tuple[Mapping[int, list[PolicyStatement]], set[int]]:
    """The ACAP statements of each line, and the lines whose permissions lift nothing, as they are of a later version.

    `version`: as if it were declared on a line of its own at the end.
    """
    statements: dict[int, list[PolicyStatement]] = defaultdict(list)
    if version is not None:
        octets += f"\n##ACAP version={version}\n".encode()
    policy = parse_robots(octets)
    for statement in policy.statements:
        if statement.cited.dialect == "acap":
            statements[statement.cited.line or 0].append(statement)
    return statements, {problem.line for problem in policy.problems if problem.code == "acap-later-version"}


def _meanings(statements: list[PolicyStatement]) -> Meanings:
    return [
        (statement.cited.effect, statement.cited.usage, statement.pattern, statement.restrictions)
        for statement in statements
    ]


def _instead(line: Line, statements: list[PolicyStatement], wanted: str, *, restricts: bool) -> tuple[bytes, Note]:
    """The replacement of a line that the wanted version reads differently; one that `restricts` lifted nothing."""
    end = line.octets[len(line.octets.rstrip(b"\r\n")) :] or b"\n"
    body = line.octets.strip()
    if not statements:
        message = f"version {wanted} would read a line that was ignored before; it became a comment"
        return b"# " + body + end, Note(line.number, message)
    fields: dict[str, list[str]] = {}
    loss = False
    for statement in statements:
        name, qualifiers = f"ACAP-disallow-{statement.cited.usage}", ""
        if statement.cited.effect == "permits":
            kept = [_plainer(name, value) for name, value in statement.restrictions]
            if all(kept) and not restricts:
                name, qualifiers = f"ACAP-allow-{statement.cited.usage}", " ".join(map(str, kept))
            else:
                loss = True
        fields.setdefault(f"{name}|{qualifiers}", []).append(statement.pattern)
    written = []
    for field, patterns in fields.items():
        name, _, qualifiers = field.partition("|")
        written.append(f"{name}: {' '.join(dict.fromkeys(patterns))} {qualifiers}".strip().encode())
    what = (
        "is prohibited, because that version cannot express its limits"
        if loss
        else "is written in the words of that version"
    )
    message = f"version {wanted} ignores this field; what it permits {what}"
    if restricts:
        message = (
            f"in version {wanted} this field would permit, where it only restricted before; its usage is prohibited"
        )
    return end.join(written) + end, Note(line.number, message, loss)


def in_words_of_1_0(restriction: str) -> str:
    """A restriction as `name=value`, in words of version 1.0 where there are any."""
    name, _, value = restriction.partition("=")
    return _plainer(name, value) or restriction


def _plainer(name: str, value: str) -> str | None:
    """A qualifier in words of version 1.0; None if there are none: a set of one id is an id."""
    match = re.fullmatch(r"(?i)(the-)?acap:idlist:\s*([^,\s]+)", value)
    if match:
        return f"{name}=the-acap:extract:id:{match[2]}"
    if re.match(r"(?i)(the-)?acap:(id|class|tag)list:", value) or name in ("target-condition", "ref"):
        return None
    return f"{name}={value}"
