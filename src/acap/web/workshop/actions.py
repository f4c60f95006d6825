"""The actions of the buttons: each takes the workspace, and gives it back changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from acap.explain import visible
from acap.web.workshop import composing, converting, keeping_cases, presets
from acap.web.workshop.fetching import fetched, fetched_page
from acap.web.workshop.formatting import formatted
from acap.web.workshop.linting import all_mended, mended
from acap.web.workshop.trying import suggested
from acap.web.workshop.workspace import Workspace

EXAMPLE = b"""\
##ACAP version=1.1

# What crawlers without ACAP read
User-agent: *
Disallow: /subscribers/
Allow: /subscribers/free/
Disalow: /drafts/
Crawl-delay: 5

User-agent: GPTBot
Disallow: /

# Everybody, in ACAP
ACAP-crawler: *
ACAP-disallow-crawl: /subscribers/
ACAP-allow-crawl: /subscribers/free/
ACAP-allow-index: /
ACAP-allow-index: /news/ time-limit=90-days
ACAP-disallow-preserve: /
ACAP-disallow-present: /
ACAP-allow-present-link: /
ACAP-allow-present-snippet: / max-length=160-chars
ACAP-disallow-ai-train: /

Sitemap: https://www.example.com/sitemap.xml
"""
"""A policy to look around with: two vocabularies, restrictions, and a word that is misspelt."""


class Action(Protocol):
    """What a button does. Raises TooLargeError."""

    def __call__(self, space: Workspace, *, allow_private: bool) -> Workspace:
        """The workspace after it."""


def _alone(action: Callable[[Workspace], Workspace]) -> Action:
    """An action that needs no network."""

    def does(space: Workspace, *, allow_private: bool) -> Workspace:
        del allow_private
        return action(space)

    return does


def _of_robots(action: Callable[[Workspace], Workspace]) -> Action:
    """An action on a robots.txt alone."""

    def does(space: Workspace) -> Workspace:
        if space.kind != "robots":
            return space.noted("error", f"this is for robots.txt, and the text is read as {space.called}")
        return action(space)

    return _alone(does)


def _fetch(space: Workspace, *, allow_private: bool) -> Workspace:
    result = fetched(space.form["where"], allow_private=allow_private)
    if result.octets is None:
        return replace(space.noted(result.level, result.text, "where"), fetch_failed=result.text)
    return space.loaded(result.octets, visible(result.url), site=result.url).noted(result.level, result.text)


def _fetch_page(space: Workspace, *, allow_private: bool) -> Workspace:
    try:
        asker = space.asker
    except ValueError as error:
        return space.noted("error", str(error))
    result = fetched_page(space.form["where"], asker, space.purposes, allow_private=allow_private)
    if result.octets is None:
        return replace(space.noted(result.level, result.text, "where"), fetch_failed=result.text)
    after = space.loaded(result.octets, visible(result.url), site=result.url, kind="page")
    return replace(after, urls=result.url).noted(result.level, result.text)


def _open(space: Workspace) -> Workspace:
    upload = space.form.upload
    if upload is None:
        return space.noted("error", "no file chosen; choose one first", "file")
    name = visible(upload.name[:200])
    return space.loaded(upload.octets, name, site="").noted("done", f"opened {name}: {len(upload.octets):,} octets")


def _example(space: Workspace) -> Workspace:
    after = space.loaded(EXAMPLE, "the example", site="")
    return replace(after, urls="/\n/news/today.html\n/subscribers/\n/subscribers/free/today.html")


def _fix(space: Workspace) -> Workspace:
    return mended(space, space.form["fix"])


def _keep(space: Workspace) -> Workspace:
    kept = replace(space, old=space.text, old_encoding=space.encoding, old_ends=space.ends)
    return kept.noted("done", "the current text is now the old version; your changes from here on are compared to it")


def _swap(space: Workspace) -> Workspace:
    after = space.changed(space.old, "exchanging the versions")
    return replace(
        after, old=space.text, old_encoding=space.encoding, old_ends=space.ends,
        encoding=space.old_encoding, ends=space.old_ends,
    )  # fmt: skip


ACTIONS: dict[str, Action] = {
    "fetch": _fetch,
    "fetch-page": _fetch_page,
    "open": _alone(_open),
    "example": _alone(_example),
    "undo": _alone(lambda space: space.back()),
    "fix": _alone(_fix),
    "fix-all": _alone(all_mended),
    "keep": _alone(_keep),
    "swap": _alone(_swap),
    "compose-new": _of_robots(composing.begun),
    "compose-read": _of_robots(composing.read),
    "compose-start": _of_robots(composing.with_start),
    "compose-add": _of_robots(composing.with_answers),
    "compose-remove": _of_robots(composing.without_rule),
    "compose-page": _of_robots(composing.with_page_rule),
    "compose-page-remove": _of_robots(composing.without_page_rule),
    "compose-use": _of_robots(composing.used),
    "preset-show": _of_robots(presets.chosen),
    "preset-use": _of_robots(presets.used),
    "format": _alone(formatted),
    "convert-use": _of_robots(converting.used),
    "urls": _alone(suggested),
    "case-add": _of_robots(keeping_cases.added),
    "case-remove": _of_robots(keeping_cases.removed),
    "cases-begin": _of_robots(keeping_cases.begun),
    "cases-keep": _of_robots(keeping_cases.kept),
    "utf-8": _alone(lambda space: replace(space, encoding="utf-8", ends="lf")),
}

LEADS_TO: dict[str, str] = {"cases-keep": "test"}
"""Actions whose result is shown in another view than the one with the button."""
