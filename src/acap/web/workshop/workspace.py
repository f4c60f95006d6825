"""The workspace: everything that is on the table, as a form carries it from page to page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any
from urllib.parse import urljoin

from acap.crawler_list import crawler_names
from acap.crawlers import check_names
from acap.problems import DocumentKind
from acap.publish.document_portrait import NAMES
from acap.publish.lint.kinds import kind_of_text
from acap.publish.unbound import unbound
from acap.robots import Asker, RobotsPolicy, parse_robots
from acap.usages import COMPOSITES, PARENTS
from acap.web.workshop.deciding_lines import UsageQuestion
from acap.web.workshop.encoding import ENDS, octets_of, opened
from acap.web.workshop.forms import MAX_TEXT, Form, TooLargeError, too_large
from acap.web.workshop.recognising import KINDS, OF_ONE_URL, kind_of_file
from acap.web.workshop.undoing import newest, recorded, undone

CRAWLER = "Googlebot"
"""The crawler until another one is named."""

URLS = "/\n/news/\n/private/page.html"

_LONG = 24_000
"""Characters of both texts above which they are compared only on request, by a button."""

_WORD = 300
"""Characters of a name, a purpose, a URL."""

_ENCODINGS = ("utf-8", "latin-1")
_CARRIED: dict[str, tuple[str, ...]] = {
    "encoding": _ENCODINGS,
    "ends": tuple(ENDS),
    "old_encoding": _ENCODINGS,
    "old_ends": tuple(ENDS),
    "undo": (),
    "source": (),
    "named_kind": tuple(KINDS),
}
"""Fields that go with the texts and are never typed, with their possible values."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence: the result of an action, or what was wrong. `level`: `done`, `warning` or `error`.

    `field` is the one in which it was wrong, where it stands if the page has that field; else above the page. `undoes`:
    it changed the text, and has a button that takes that back.
    """

    level: str
    text: str
    field: str = ""
    undoes: bool = False


@dataclass(frozen=True)
class Workspace:
    """Two texts, a question, and what belongs to them.

    `text` is what is worked on; `old` is what it is compared with; `cases` is what is expected of it, in TOML. `site`
    is where the policy stands, if known. `form` has what single pages ask for beside. `named_kind` is what somebody, or
    the name of a file, said that the text is; empty: it is what it looks like.
    `typing`: somebody is just typing, so nothing that takes long is done. `fetch_failed` is why nothing was fetched.
    """

    text: str = ""
    old: str = ""
    crawler: str = CRAWLER
    purpose: str = ""
    usage: str = "crawl"
    at: str = ""
    urls: str = URLS
    cases: str = ""
    site: str = ""
    encoding: str = "utf-8"
    ends: str = "lf"
    old_encoding: str = "utf-8"
    old_ends: str = "lf"
    undo: str = ""
    source: str = ""
    named_kind: str = ""
    form: Form = field(default_factory=Form)
    notes: tuple[Notice, ...] = ()
    typing: bool = False
    fetch_failed: str = ""

    @classmethod
    def of(cls, form: Form) -> Workspace:
        """The workspace that a form carries. Raises TooLargeError."""
        for name, what in (("text", "the text"), ("old", "the old version"), ("cases", "the file of cases")):
            if len(form[name].encode("utf-8", "replace")) > MAX_TEXT:
                raise TooLargeError(too_large(what, MAX_TEXT))
        given = form.values
        asked = ("crawler", "purpose", "usage", "at", "site")
        words: dict[str, Any] = {name: given[name].strip()[:_WORD] for name in asked if name in given}
        words |= {
            name: given[name]
            for name, known in _CARRIED.items()
            if given.get(name) and (not known or given[name] in known)
        }
        notes: tuple[Notice, ...] = ()
        if words.get("encoding") == "latin-1" and not _is_latin(form["text"]):
            words["encoding"] = "utf-8"
            notes = (Notice("warning", "the text has letters that ISO 8859-1 does not have; it is UTF-8 now"),)
        return cls(
            text=form["text"],
            old=form["old"],
            urls=given.get("urls", URLS)[: 200 * _WORD],
            cases=form["cases"],
            form=form,
            notes=notes,
            **words,
        )

    # --- the texts ----------------------------------------------------------------------------------------------------

    @property
    def octets(self) -> bytes:
        """The octets of the text."""
        return octets_of(self.text, self.encoding, self.ends)

    @property
    def old_octets(self) -> bytes:
        """The octets of the old version."""
        return octets_of(self.old, self.old_encoding, self.old_ends)

    @property
    def kind(self) -> DocumentKind:
        """What the text is."""
        return next((kind for kind in KINDS if kind == self.named_kind), None) or self.looks

    @cached_property
    def looks(self) -> DocumentKind:
        """What the text looks like."""
        return kind_of_text(self.octets) if self.text else "robots"

    @property
    def document_url(self) -> str | None:
        """The URL of the text itself, if it follows from that of its site; of a page it does not."""
        if self.kind in OF_ONE_URL or self.address is None:
            return None
        return urljoin(self.address, NAMES[self.kind][1]) if self.kind in ("tdmrep", "ai-txt") else self.address

    @property
    def called(self) -> str:
        """What the text is, in words."""
        return KINDS[self.kind]

    @cached_property
    def policy(self) -> RobotsPolicy:
        """What a robots.txt says; of another document what an empty one says."""
        return parse_robots(self.octets if self.kind == "robots" else b"", url=self.address)

    @cached_property
    def unbound(self) -> tuple[str, ...]:
        """Large crawlers to which ACAP alone says something, which they do not read."""
        return unbound(self.policy)

    @cached_property
    def old_policy(self) -> RobotsPolicy:
        """What the old version says."""
        return parse_robots(self.old_octets, url=self.address)

    @cached_property
    def address(self) -> str | None:
        """The URL of the policy, if the site is known and is one."""
        if not self.site:
            return None
        try:
            parse_robots(b"", url=self.site)
        except ValueError:
            return None
        return self.site

    def changed(self, text: str, what: str) -> Workspace:
        """The same with another text, which can be taken back; `what` was done."""
        return replace(self, text=text, undo=recorded(self.undo, self.text, text, what, self.named_kind))

    def loaded(
        self, octets: bytes, source: str, *, site: str | None = None, kind: DocumentKind | None = None
    ) -> Workspace:
        """The same with a text that was opened or fetched. It is the old version, too: what follows are changes to it.

        `kind` is what it is, if that is known beside its name. Raises TooLargeError.
        """
        if len(octets) > MAX_TEXT:
            raise TooLargeError(too_large(f"`{source}`", MAX_TEXT))
        text = opened(octets)
        notes = tuple(Notice("warning", text) for text in text.notes)
        octets = octets_of(text.text, text.encoding, text.ends)
        kind = kind or kind_of_file(source, octets)
        if kind != "robots":
            notes += (Notice("done", f"read as {KINDS[kind]}; if it is something else, choose so above the text"),)
        return replace(
            self.changed(text.text, f"opening {source}"),
            old=text.text, encoding=text.encoding, ends=text.ends, old_encoding=text.encoding, old_ends=text.ends,
            source=source, site=self.site if site is None else site, notes=self.notes + notes,
            named_kind="" if kind_of_text(octets) == kind else kind,
        )  # fmt: skip

    @property
    def undoable(self) -> str | None:
        """What can be taken back, in words."""
        step = newest(self.undo, self.text)
        return None if step is None else step.what

    def back(self) -> Workspace:
        """The same without the newest change that a button made."""
        text, history, step = undone(self.undo, self.text)
        if step is None:
            return self.noted("done", "there is nothing to undo: you changed the text by hand since")
        return replace(self, text=text, undo=history, named_kind=step.kind).noted("done", f"undone: {step.what}")

    def noted(self, level: str, text: str, field: str = "") -> Workspace:
        """The same with a notice; `field` is the one that it is about."""
        return replace(self, notes=(*self.notes, Notice(level, text, field)))

    def offering_undo(self, before: str) -> Workspace:
        """The same with a way back at the notice of what changed the text from `before`, if there is one."""
        done = [place for place, note in enumerate(self.notes) if note.level == "done"]
        if not before or self.text == before or self.undoable is None or not done:
            return self
        notes = list(self.notes)
        notes[done[-1]] = replace(notes[done[-1]], undoes=True)
        return replace(self, notes=tuple(notes))

    @property
    def waits(self) -> bool:
        """Whether slow work on long texts waits for a button."""
        return self.typing and len(self.text) + len(self.old) > _LONG

    # --- the question -------------------------------------------------------------------------------------------------

    @property
    def asker(self) -> Asker:
        """The crawler: names in order with commas between, or a User-Agent string, which keeps its commas.

        A known crawler that obeys the group of another where it has none of its own is asked about so.
        Raises ValueError for a name of which only a part would count.
        """
        names = crawler_names(self.crawler) or crawler_names(CRAWLER)
        check_names(names)
        return names

    @property
    def purposes(self) -> str | tuple[str, ...] | None:
        """The purposes asked for; all of several must be permitted."""
        found = tuple(name for piece in self.purpose.split(",") if (name := piece.strip()))
        return found if len(found) > 1 else found[0] if found else None

    @property
    def instant(self) -> datetime | None:
        """The instant asked about. Raises ValueError if the text is not one."""
        if not self.at:
            return None
        try:
            at = datetime.fromisoformat(self.at)
        except ValueError as error:
            raise ValueError(f"`{self.at}` is not a date; write one such as 2026-11-20") from error
        return at if at.tzinfo else at.replace(tzinfo=UTC)

    @property
    def question(self) -> UsageQuestion:
        """The question about a URL. Raises ValueError as `instant` does."""
        return UsageQuestion(self.asker, self.usage.lower(), self.purposes, self.instant)

    def dated(self) -> Workspace:
        """The same with an instant that is one, or none; a notice says what was wrong."""
        try:
            _ = self.instant
        except ValueError as error:
            return replace(self, at="").noted("error", str(error), "at")
        return self

    def checked(self) -> Workspace:
        """The same with a question that can be asked; a notice says what could not be."""
        workspace = self
        if self.usage.lower() not in known_usages(self.policy):
            workspace = replace(workspace, usage="crawl").noted(
                "error", f"unknown usage `{self.usage}`; using crawl", "usage"
            )
        workspace = workspace.dated()
        if self.site and self.address is None:
            workspace = workspace.noted(
                "error", f"`{self.site}` is not the URL of a site; write one such as https://example.com/", "site"
            )
        return workspace


def _is_latin(text: str) -> bool:
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        return False
    return True


def known_usages(policy: RobotsPolicy) -> Mapping[str, tuple[str, ...]]:
    """Every usage that can be asked about, with its parts if it is composite; those that only the file names last."""
    none: tuple[str, ...] = ()
    return dict.fromkeys(PARENTS, none) | dict(COMPOSITES) | dict.fromkeys(policy.unknown_usages, none)
