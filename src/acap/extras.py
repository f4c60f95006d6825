"""What public names are while the extra that they need is not installed: their call says how to install it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

_EXTRAS: Mapping[str, str] = {
    "lxml": "images",
    "pyarrow": "audit",
    "pypdf": "images",
    "selectolax": "pages",
    "zstandard": "audit",
}
"""The extra that brings a package, by the name under which it is imported."""


def stand_in(name: str, error: ModuleNotFoundError) -> type | Callable[..., NoReturn]:
    """A class or a function in the place of `acap.NAME`, whose call raises the error in a sentence.

    Raises:
        ModuleNotFoundError: the error itself, where no extra brings what is missing.
    """
    package = (error.name or "").partition(".")[0]
    if package not in _EXTRAS:
        raise error
    sentence = f"`acap.{name}` needs `{package}`, which is not installed; pip install 'acap[{_EXTRAS[package]}]'"

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise ModuleNotFoundError(sentence, name=error.name)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = sentence
    return type(name, (), {"__new__": refuse, "__doc__": sentence}) if name[0].isupper() else refuse
