"""How long something may still take, in words."""

from __future__ import annotations

_HOUR = 3600


def time_left(done: float, seconds: float) -> str:
    """What follows a share that was done in so many seconds; nothing where that tells nothing yet."""
    return f", about {duration(seconds * (1 - done) / done)} left" if 0 < done < 1 else ""


def duration(seconds: float) -> str:
    """Hours and minutes, or minutes and seconds."""
    whole = int(seconds)
    return f"{whole // _HOUR} h {whole % _HOUR // 60} min" if whole >= _HOUR else f"{whole // 60} min {whole % 60} s"
