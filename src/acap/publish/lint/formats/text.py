"""Findings for people: a line that editors can follow, then the source with a caret under what is meant.

    robots.txt:3:1: warning: `Dissalow` is read as `Disallow` [misspelt-field]
        3 | Dissalow: /private/
          | ^^^^^^^^^^^^^^^^^^^
          = help: write `Disallow` (--fix does it)

Findings of one cause are one, with its places.

What a document says is hostile: no control character of it reaches a terminal, and no line is wider than the terminal
because of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from unicodedata import combining, east_asian_width

import click

from acap.explain import visible
from acap.plurals import plural
from acap.publish.lint.causes import causes, places_text
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Fix
from acap.publish.lint.formats import Style
from acap.publish.lint.preview import preview

COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}
_GUTTER = 5  # columns of a line's number
_NARROWEST = 40
_PLACES = 2  # further places of a cause that are quoted; of more the numbers of their lines
_CHANGED = 6  # lines that a fix of several places takes away, and as many that it puts in their place
_RANGES = 12  # lines, or ranges of them, that are numbered; of more the number
_CUT = "…"
_FAR = 4_000  # octets of a line that are looked at on each side of the caret; no terminal shows more


def whole(parts: Iterable[str], _style: Style) -> Iterator[str]:
    """The parts, an empty line between those of two findings."""
    first = True
    for part in parts:
        if part:
            yield part if first else f"\n{part}"
            first = False


def part(document: Document, findings: Sequence[Finding], style: Style) -> str:
    """The findings of one document."""
    return "\n".join(f"{chr(10).join(_lines(document, cause, style))}\n" for cause in causes(findings))


def headline(document: Document, finding: Finding) -> tuple[str, str, str]:
    """Place, message and code of a finding, none of them with a control character."""
    place = f"{visible(document.name)}:{finding.line}:{finding.column}" if finding.line else visible(document.name)
    return place, visible(finding.message), finding.code


def _lines(document: Document, cause: Sequence[Finding], style: Style) -> Iterator[str]:
    finding, *others = cause
    place, message, code = headline(document, finding)
    colour = COLOURS[finding.severity]
    severity = _styled(finding.severity, style, fg=colour, bold=True)
    number = f", {places_text([visible(one.message) for one in cause])}" if others else ""
    yield f"{_styled(place, style, bold=True)}: {severity}: {message}{number} {_styled(f'[{code}]', style, dim=True)}"
    blank = " " * _GUTTER
    if finding.line:
        yield from _excerpt(document, finding.line, finding.start, finding.end, style, "^", colour)
    for other in others[:_PLACES]:
        label = visible(other.message) if other.message != finding.message else ""
        yield from _excerpt(document, other.line, other.start, other.end, style, "^", colour, label)
    if rest := others[_PLACES:]:
        yield f"{blank} {_bar('=', style)} and at {_line_numbers([one.line for one in rest])}"
    for related in finding.related:
        if 0 < related.line <= len(document.starts):
            start, end = document.bounds(related.line)
            yield from _excerpt(document, related.line, start, end, style, "-", "blue", visible(related.message))
        else:
            yield f"{blank} {_bar('=', style)} {visible(related.message)}"
    fix = finding.fix
    help_ = finding.help or (fix.title if fix else None)
    if help_:
        how = "" if fix is None else " (--fix does it)" if fix.safe else " (--fix --unsafe-fixes does it)"
        yield f"{blank} {_bar('=', style)} help: {visible(help_)}{_styled(how, style, dim=True)}"
    if fix is not None and len(fix.edits) > 1:
        yield from _changes(document, fix, style)
    if finding.witness is not None:
        yield f"{blank} {_bar('=', style)} for example: {visible(finding.witness)}"


def _changes(document: Document, fix: Fix, style: Style) -> Iterator[str]:
    """What a fix of several places makes of each, of which help cannot say all."""
    shown = preview(document, fix, most=_CHANGED)
    room = max(style.columns - _GUTTER - 3, _NARROWEST)
    for hunk in shown.hunks if shown else ():
        for sign, colour, lines in (("-", "red", hunk.before), ("+", "green", hunk.after)):
            for number, line in enumerate(lines, hunk.line):
                text = line if width(line) <= room else f"{_first(line, room - 1)}{_CUT}"
                yield f"{number:>{_GUTTER}} {_styled(f'{sign} {text}', style, fg=colour)}"
    if shown and shown.more:
        yield f"{' ' * _GUTTER} {_bar('=', style)} and {plural(shown.more, 'more line')}"


def _line_numbers(lines: Sequence[int]) -> str:
    """Lines in words, those that follow each other as a range."""
    ranges: list[list[int]] = []
    for line in sorted(set(lines)):
        if ranges and line == ranges[-1][-1] + 1:
            ranges[-1] = [ranges[-1][0], line]
        else:
            ranges.append([line])
    texts = ["-".join(map(str, one)) for one in ranges[:_RANGES]]
    more = f" and {len(ranges) - _RANGES} more" if len(ranges) > _RANGES else ""
    return f"line{'s' if len(ranges) > 1 or len(ranges[0]) > 1 else ''} {', '.join(texts)}{more}"


def _styled(text: str, style: Style, **how: object) -> str:
    return click.style(text, **how) if style.colour and text else text  # type: ignore[arg-type]  # `how` has what `style` takes


def _bar(sign: str, style: Style) -> str:
    return _styled(sign, style, fg="blue", bold=True)


def _excerpt(
    document: Document, line: int, start: int, end: int, style: Style, mark: str, colour: str, label: str = ""
) -> Iterator[str]:
    """The line with a mark below the octets from `start` to `end`, as much of it as there is room for."""
    first, last = document.bounds(line)
    begin = min(max(start, first), last)
    stop = min(max(end, begin), last)
    # A line may have megabytes: what lies far from the mark is not looked at.
    before = _shown(document.text[max(begin - _FAR, first) : begin])
    marked = _shown(document.text[begin : min(stop, begin + _FAR)])
    after = _shown(document.text[stop : min(stop + _FAR, last)])
    room = max(style.columns - _GUTTER - 3, _NARROWEST)
    if width(before) + width(marked) + width(after) > room:
        left = _last(before, max(room - width(marked) - min(width(after), room // 4), room // 4))
        if left != before:
            before = _CUT + left[1:]
        rest = room - width(before)
        if width(marked) > rest:
            marked, after = _first(marked, rest - 1), _CUT
        elif width(marked) + width(after) > rest:
            after = _first(after, rest - width(marked) - 1) + _CUT
    yield f"{line:>{_GUTTER}} {_bar('|', style)} {before}{marked}{after}".rstrip()
    under = _styled(mark * max(width(marked), 1) + (f" {label}" if label else ""), style, fg=colour, bold=True)
    yield f"{' ' * _GUTTER} {_bar('|', style)} {' ' * width(before)}{under}"


def _shown(octets: bytes) -> str:
    return visible(octets.decode("utf-8", "backslashreplace"))


def width(text: str) -> int:
    """The columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def _first(text: str, columns: int) -> str:
    """As much of the beginning as fits."""
    while text and width(text) > columns:
        text = text[: -max((width(text) - columns) // 2, 1)]
    return text


def _last(text: str, columns: int) -> str:
    """As much of the end as fits."""
    while text and width(text) > columns:
        text = text[max((width(text) - columns) // 2, 1) :]
    return text
