"""Plots of a survey as SVG, drawn with the colours of the page that they stand in.

Each plot has a text in its place for who cannot see it, and its numbers stand in a table beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from acap.audits.survey_counts import SurveyCount

_WIDTH = 760
_LABEL = 190  # room for names
_BAR, _GAP = 16, 6
_EXTENTS = ("all", "some", "undecided", "none")
_SERIES = 6
"""Lines in a plot over time; more could not be told apart."""


class Series(NamedTuple):
    """A line of a plot over time: shares from 0 to 1, one for each period."""

    name: str
    shares: tuple[float, ...]


def bars(counts: Sequence[SurveyCount], title: str, *, weighed: bool = False) -> str:
    """A bar for each crawler: which share is refused all, some or nothing; what had no file is hatched."""
    height = len(counts) * (_BAR + _GAP) + 30
    scale = (_WIDTH - _LABEL - 60) / 100
    parts = [_grid(height, scale)]
    for place, count in enumerate(counts):
        top = place * (_BAR + _GAP) + 4
        parts.append(_text(_LABEL - 8, top + 12, count.name, anchor="end"))
        left = float(_LABEL)
        for extent in _EXTENTS:
            part = count.extents[extent]
            whole = (count.weight if weighed else count.captures) or 1
            counted, unread = (part.weight, part.unread_weight) if weighed else (part.captures, part.unread)
            label = f"{count.name}: {extent} {counted / whole:.1%}"
            for share, hatched in (((counted - unread) / whole, False), (unread / whole, True)):
                width = share * 100 * scale
                if width > 0:
                    what = f"{label}, of which without a file {share:.1%}" if hatched else label
                    parts.append(_rect(left, top, width, extent, what, hatched=hatched))
                    left += width
        all_ = count.weight_share("all") if weighed else count.share("all")
        parts.append(_text(_WIDTH - 52, top + 12, f"{all_:.1%}"))
    return _svg(height, title, parts)


def lines(series: Sequence[Series], periods: Sequence[str], title: str) -> str:
    """A line for each crawler: the share that is refused all, by period."""
    height, bottom, top = 300, 250, 14
    drawn = series[:_SERIES]
    most = max((share for line in drawn for share in line.shares), default=0)
    ceiling = next(step for step in (0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0) if most <= step + 1e-9)
    left, right = 52.0, _WIDTH - 170.0
    step = (right - left) / max(1, len(periods) - 1)

    def at(place: int, share: float) -> tuple[float, float]:
        return left + place * step, bottom - share / ceiling * (bottom - top)

    parts = []
    for tick in range(5):
        share = ceiling * tick / 4
        _, y = at(0, share)
        parts.append(f'<line class="grid" x1="{left:.0f}" x2="{right:.0f}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(_text(left - 6, y + 4, f"{share:.0%}" if ceiling >= 0.2 else f"{share:.1%}", anchor="end"))
    every = max(1, len(periods) // 8)
    for place, period in enumerate(periods):
        if place % every == 0:
            parts.append(_text(at(place, 0)[0], bottom + 18, period, anchor="middle"))
    for number, line in enumerate(drawn):
        points = [at(place, share) for place, share in enumerate(line.shares)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline class="line s{number}" points="{path}"/>')
        parts += [
            f'<circle class="dot s{number}" cx="{x:.1f}" cy="{y:.1f}" r="2.5">'
            f"<title>{escape(f'{line.name}, {periods[place]}: {line.shares[place]:.1%}')}</title></circle>"
            for place, (x, y) in enumerate(points)
        ]
    # The names stand at the ends of their lines, one under another where these are near.
    ends = sorted((at(0, line.shares[-1])[1], number, line.name) for number, line in enumerate(drawn) if line.shares)
    last = -20.0
    for y, number, name in ends:
        last = max(y, last + 15)
        parts.append(f'<text class="name s{number}" x="{right + 8:.0f}" y="{last + 4:.1f}">{escape(name)}</text>')
    return _svg(max(height, int(last) + 20), title, parts)


def _grid(height: int, scale: float) -> str:
    out = []
    for share in (0, 25, 50, 75, 100):
        x = _LABEL + share * scale
        out.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{height - 22}"/>')
        out.append(_text(x, height - 6, f"{share}%", anchor="middle"))
    return "".join(out)


def _rect(x: float, y: float, width: float, extent: str, what: str, *, hatched: bool) -> str:
    box = f'x="{x:.1f}" y="{y}" width="{width:.2f}" height="{_BAR}"'
    over = f'<rect {box} fill="url(#hatch)"/>' if hatched else ""
    return f'<g><title>{escape(what)}</title><rect class="{extent}" {box}/>{over}</g>'


def _text(x: float, y: float, text: str, *, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(height: int, title: str, parts: Sequence[str]) -> str:
    hatch = (
        '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<line class="hatch" x1="0" y1="0" x2="0" y2="6"/></pattern></defs>'
    )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(title, quote=True)}">'
        f"<title>{escape(title)}</title>{hatch}{''.join(parts)}</svg>"
    )
