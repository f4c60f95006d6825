"""Durations and sizes as people write them."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import click

from acap.cli.io.failures import CallError

_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400}
_OCTETS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s*([smhd]?)", re.IGNORECASE | re.ASCII)
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE | re.ASCII)


def duration(text: str | float) -> float:
    """Seconds, from `90`, `90s`, `1.5h`, `2d`."""
    match = _DURATION.fullmatch(str(text).strip())
    if match is None:
        raise CallError(f"`{text}` is not a duration; write 90s, 30m, 2h or 1d")
    return float(match[1]) * _SECONDS[match[2].lower()]


if TYPE_CHECKING:
    _NumberType = click.ParamType[float]
else:
    _NumberType = click.ParamType  # click 8.2 and 8.3 take no type there


class Seconds(_NumberType):
    """A number of seconds, above 0."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number."""
        try:
            seconds = float(value)
        except ValueError:
            seconds = math.nan
        if not 0 < seconds < math.inf:
            self.fail(f"`{value}` is not a number of seconds above 0", param, ctx)
        return seconds


def octets(text: str | int) -> int:
    """Octets, from `500`, `500K`, `32M`, `2 GiB`; each step is 1,024."""
    match = _SIZE.fullmatch(str(text).strip())
    if match is None or float(match[1]) == 0:
        raise CallError(f"`{text}` is not a size; write 500K, 32M or 2G")
    return int(float(match[1]) * _OCTETS[match[2].lower()])


def octets_text(number: int) -> str:
    """A number of octets in few letters."""
    value = float(number)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} TiB"


def seconds_text(seconds: float) -> str:
    """A number of seconds in few letters."""
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s"
    hours, rest = divmod(whole, 3_600)
    return f"{hours} h {rest // 60} min" if hours else f"{rest // 60} min {rest % 60} s"
