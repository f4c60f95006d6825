"""A version with the decisions of now: by the current policy of its site, its own statements and the facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape

from acap.archives import Capture
from acap.decision import Decision
from acap.harvest.judgement import Judgement
from acap.harvest.latest import of_whole
from acap.harvest.resource import Resource, Version
from acap.pages.extraction import Content
from acap.pages.headers import PAGES
from acap.pages.page import PagePolicy, parse_page
from acap.restrictions import Modification, ResourceRestriction, Restriction
from acap.retrieval.locations import resolve, robots_url


class WithheldError(Exception):
    """Something may not be shown; the message says why, and becomes `Representation.why`."""


@dataclass
class Judged:
    """A version, its resource, the judgement of now and the copy; `policy` is the number of the current policy.

    `copy_fault` says why a copy that is kept cannot be read. `hidden` says why nothing of the resource is shown at all,
    whatever its publisher permits.
    """

    resource: Resource
    version: Version
    policy: int | None
    judgement: Judgement
    capture: Capture | None
    copy_fault: str | None = None
    hidden: str = ""
    _restrictions: dict[str, tuple[Restriction, ...]] = field(default_factory=dict)

    @property
    def is_current(self) -> bool:
        """Whether it is the version crawled last: the others are old ones (P1, footnote 3)."""
        return self.resource.current == self.version.id

    def usage(self, representation: str) -> str:
        """The usage that shows a `snippet`, `extract`, `thumbnail` or `copy` of this version."""
        if representation == "copy":
            return "present-currentcopy" if self.is_current else "present-oldcopy"
        return f"present-{representation}" if self.is_current else f"present-old{representation}"

    def decision(self, usage: str) -> Decision:
        """The decision of now."""
        return self.judgement.decisions[usage]

    def permits(self, usage: str) -> bool:
        """Whether a usage is permitted, under whatever restrictions."""
        return not self.hidden and self.judgement.permits(usage)

    @property
    def names(self) -> Mapping[str, str]:
        """Names of sources for texts that may not contain the URL of the page."""
        return {self.version.url: "the page", robots_url(self.version.url): "robots.txt"}

    @cached_property
    def page(self) -> PagePolicy | None:
        """The copy as a page; plain text too. None if no copy is at hand, or it is not text."""
        if self.capture is None:
            return None
        if self.judgement.text is not None:
            # It has no statements but its headers, and they count the same.
            return parse_page(
                f"<!doctype html><pre>\n{escape(self.judgement.text)}</pre>", url=self.version.url,
                headers=of_whole(self.version.headers),
            )  # fmt: skip
        return self.judgement.page if self.judgement.page.is_page else None

    @property
    def is_whole(self) -> bool:
        """Whether the copy has all that was crawled."""
        return self.capture is not None and self.capture.metadata.get("whole") is not False

    @property
    def is_html(self) -> bool:
        """Whether the copy is a page."""
        return self.page is not None and (self.version.media in PAGES or not self.version.media)

    def content(self, usage: str) -> Content:
        """The content that may be used in a way. There must be a page."""
        assert self.page is not None
        return self.page.content_for(usage, **self.judgement.question)

    def restrictions(self, usage: str) -> tuple[Restriction, ...]:
        """What a permission asks for: of the page, and of every part of it that may be used."""
        if usage not in self._restrictions:
            gathered = list(self.decision(usage).restrictions)
            if self.page is not None and self.page.has_parts and self.permits(usage):
                for piece in self.content(usage).pieces:
                    if piece.decision.permitted:
                        gathered += piece.decision.restrictions
            self._restrictions[usage] = tuple(dict.fromkeys(gathered))
        return self._restrictions[usage]

    def modifications(self, usage: str) -> frozenset[str]:
        """What may not be changed; `any` is all of it."""
        return frozenset(one.modification for one in self.restrictions(usage) if isinstance(one, Modification))

    def contexts(self, usage: str) -> frozenset[str]:
        """Where it may not be shown, or alone may be: `within-user-frame`, `within-original-frame`."""
        names = ("prohibited-context", "required-context")
        return frozenset(one.plain.lower() for one in self.restrictions(usage) if one.name in names)

    def must_use(self, usage: str) -> ResourceRestriction | None:
        """What alone may be used of the page, or in its place.

        Of several parts of the page it is the first: its content is what lies in all of them. Raises `WithheldError`
        where another resource must be used and something beside it: nothing is both.
        """
        restrictions = {
            restriction.value: restriction
            for restriction in self.decision(usage).restrictions
            if isinstance(restriction, ResourceRestriction) and restriction.name == "must-use-resource"
        }
        if len(restrictions) > 1 and any(restriction.uri is not None for restriction in restrictions.values()):
            raise WithheldError(
                f"no resource meets all the conditions together ({', '.join(map(str, restrictions.values()))})"
            )
        return next(iter(restrictions.values()), None)

    def must_include(self, usage: str) -> tuple[ResourceRestriction, ...]:
        """What has to be shown with it."""
        return tuple(
            restriction
            for restriction in self.restrictions(usage)
            if restriction.name == "must-include-resource" and isinstance(restriction, ResourceRestriction)
        )

    def resolved(self, uri: str) -> str | None:
        """The URL of another resource that the policy names; None if it is not http or https."""
        try:
            return resolve(self.version.url, uri)
        except ValueError:
            return None
