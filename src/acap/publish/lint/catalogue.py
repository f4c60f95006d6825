"""All rules, by code: each file in `rules` holds one, and bears its name; others are a problem with its doc, no more.

A file without `RULE`, or whose rule has another code than its name says, is a fault that nothing runs with.

Law: a rule whose code is that of a problem of the readers is on by default, and finds only where they report it. So it
need not be loaded before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType

from acap.problems import CATALOGUE
from acap.publish.lint import rules as _files
from acap.publish.lint.rule import Rule, of_problem

ALL = "ALL"


class UnknownRule(ValueError):  # noqa: N818  it is the caller's word that is unknown
    """A word that is no code of a rule, no beginning of one, and not `ALL`."""


@cache
def codes() -> tuple[str, ...]:
    """The code of every rule, in order."""
    here = (file for place in _files.__path__ for file in Path(place).iterdir())
    found = [file.stem.replace("_", "-") for file in here if file.suffix == ".py" and file.stem != "__init__"]
    return tuple(sorted([*found, *(code for code, kind in CATALOGUE.items() if kind.doc is not None)]))


@cache
def rule(code: str) -> Rule:
    """The rule of a code.

    Raises:
        TypeError: its file holds no rule, or one of another code.
    """
    if code in CATALOGUE and (doc := CATALOGUE[code].doc) is not None:
        return of_problem(code, **doc._asdict())
    name = code.replace("-", "_")
    loaded = getattr(import_module(f"{_files.__name__}.{name}"), "RULE", None)
    if not isinstance(loaded, Rule):
        raise TypeError(f"rules/{name}.py holds no `RULE`; it is to hold one `Rule`")
    if loaded.code != code:
        raise TypeError(f"rules/{name}.py holds `{loaded.code}`; name the file as the rule")
    return loaded


@cache
def rules() -> Mapping[str, Rule]:
    """Every rule by its code, in the order of codes. Raises TypeError as `rule` does."""
    return MappingProxyType({code: rule(code) for code in codes()})


@lru_cache
def codes_of(word: str) -> tuple[str, ...]:
    """The codes that a word of `select` or `ignore` stands for: a code, a beginning that ends with `-`, or `ALL`.

    Raises:
        UnknownRule: it stands for none.
    """
    known = codes()
    if word in known:
        return (word,)
    covered = known if word == ALL else tuple(code for code in known if word.endswith("-") and code.startswith(word))
    if not covered:
        raise UnknownRule(f"no rule `{word}`{nearest(word)}")
    return covered


def nearest(word: str) -> str:
    """The end of a message about an unknown code: the one that was meant, else where they are listed."""
    from difflib import get_close_matches

    close = get_close_matches(word.lower(), codes(), n=1, cutoff=0.6)
    return f"; did you mean `{close[0]}`?" if close else "; `acap rule` lists them"


def chosen(select: Iterable[str] | None = None, ignore: Iterable[str] = ()) -> tuple[str, ...]:
    """The codes to run, in the order of codes: those selected, else those on by default, less those ignored.

    Raises:
        UnknownRule: a word stands for no rule.
    """
    if select is None:
        wanted = {code for code in codes() if code in CATALOGUE or rule(code).default}
    else:
        wanted = {code for word in select for code in codes_of(word)}
    wanted.difference_update(code for word in ignore for code in codes_of(word))
    return tuple(code for code in codes() if code in wanted)
