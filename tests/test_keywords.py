"""Who misspells a keyword is told what he called, and what he meant."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import acap
from acap.audits.retrieved_policies import RetrievedPolicies
from acap.integrations.aiohttp import AskingMiddleware
from acap.integrations.crawl4ai import PolicyRobotsParser
from acap.integrations.httpx import AskingTransport
from acap.integrations.requests import AskingAdapter
from acap.integrations.robotparser import RobotFileParser
from acap.keywords import check_keywords, for_heirs, keywords_of
from tools.modules import MODULES

OURS = Path(acap.__file__).parent


def public_classes() -> Iterator[Any]:
    """Every public class whose constructor is written in Python and ours, and takes keywords."""
    for module, names in {"acap": acap.__all__, **MODULES}.items():
        for name in names:
            found = getattr(import_module(module), name)
            code = getattr(inspect.unwrap(found.__init__), "__code__", None) if inspect.isclass(found) else None
            if code and code.co_kwonlyargcount and Path(code.co_filename).is_relative_to(OURS):
                yield pytest.param(found, id=f"{module}.{name}")


@pytest.mark.parametrize("public", list(public_classes()))
def test_a_wrong_keyword_names_the_class_that_was_called(public: Any) -> None:
    """Not a private class that it inherits its constructor from, nor one that it hands its keywords on to."""
    with pytest.raises(TypeError, match=rf"^{public.__name__}(\.__init__\(\) got an unexpected| has no option )"):
        public(**{"mis_spelt": 1, **dict.fromkeys(needed(public), "examplebot")})


def needed(public: Any) -> list[str]:
    """The parameters that a call has to have, so that it comes to its keywords."""
    variadic = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    found = inspect.signature(public).parameters.values()
    return [one.name for one in found if one.default is one.empty and one.kind not in variadic]


@pytest.mark.parametrize(
    "public",
    [
        *(acap.Retriever, acap.AsyncRetriever, acap.Site, acap.AsyncSite),
        *(RobotFileParser, PolicyRobotsParser, RetrievedPolicies, AskingTransport, AskingAdapter, AskingMiddleware),
    ],
)
def test_the_options_of_a_retriever_are_suggested_wherever_they_are_taken(public: Any) -> None:
    """The nearest one is named, whatever version of Python says so by itself."""
    with pytest.raises(TypeError, match=rf"^{public.__name__} has no option `contcat`; did you mean `contact`\?$"):
        public(contcat="bot@example.org", **dict.fromkeys(needed(public), "https://example.org/"))


def test_a_keyword_that_is_near_to_none_lists_all_of_them() -> None:
    """Who is far off sees what there is."""
    with pytest.raises(TypeError, match=r"^thing has no option `zzz`; known are colour, size$"):
        check_keywords("thing", ["size", "zzz"], ["size", "colour"])


def test_a_constructor_for_heirs_keeps_its_signature_and_names_the_heir() -> None:
    """Documentation and type checkers see what was written; a class of the caller's own is named as he called it."""

    class Base:
        @for_heirs
        def __init__(self, *, size: int = 1) -> None:
            self.size = size

    class Heir(Base):
        pass

    assert list(inspect.signature(Heir).parameters) == ["size"]
    assert keywords_of(Heir) == ("size",)
    assert Heir(size=2).size == 2
    with pytest.raises(TypeError, match=r"^Heir has no option `sise`; did you mean `size`\?$"):
        Heir(sise=2)  # type: ignore[call-arg]
