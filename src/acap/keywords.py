"""What callers are told who misspelt a keyword: the name that they called, and the keyword that they meant.

Python names the function that has the keywords. A class may inherit it from a private one, or hand its keywords on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, ParamSpec

P = ParamSpec("P")


def keywords_of(called: Callable[..., Any]) -> tuple[str, ...]:
    """The keywords of a function, or of a class's constructor."""
    function: Any = called.__init__ if isinstance(called, type) else called  # type: ignore[misc]
    code = getattr(function, "__wrapped__", function).__code__
    names = code.co_varnames[code.co_posonlyargcount : code.co_argcount + code.co_kwonlyargcount]
    return tuple(name for name in names if name != "self")


def check_keywords(called: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raises TypeError for a keyword that is not known, and names the one that was meant, else all of them."""
    names = sorted(known)
    for name in given:
        if name not in names:
            raise TypeError(f"{called} has no option `{name}`; {hint(name, names)}")


def hint(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: the nearest known one, the one that it is a part of, or all."""
    from difflib import get_close_matches  # of mistakes alone

    names, asked = list(known), word.lower()
    near = get_close_matches(asked, names, 1)
    near = near or [name for name in names if len(asked) > 2 and asked in name]
    return f"did you mean `{near[0]}`?" if near else f"known are {', '.join(names)}"


def for_heirs(init: Callable[P, None]) -> Callable[P, None]:
    """A constructor that other classes inherit: a mistake in its keywords names the class that was called."""
    known = keywords_of(init)

    @wraps(init)
    def checked(*given: P.args, **named: P.kwargs) -> None:
        check_keywords(type(given[0]).__name__, named, known)
        init(*given, **named)

    return checked
