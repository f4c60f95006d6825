"""What a resource says now: the words of its latest response, which speak for every version that is held of it.

A page is a resource with a history. What its latest response prohibits or restricts is so for its earlier versions too,
and it permits them nothing that they did not permit themselves.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from acap.harvest.passages import UNTOLD
from acap.pages.page import PagePolicy, parse_page
from acap.pages.skeleton import HEADERS

if TYPE_CHECKING:
    from datetime import datetime

    from acap.harvest.passages import Passages
    from acap.harvest.store.resources import Resource, Resources, Version
    from acap.restrictions import Facts
    from acap.retrieval.answers import Headers

_TYPE = "content-type"


@dataclass(frozen=True)
class Latest:
    """The words of a resource: of its last response with a usable body, and of the headers of a later one without.

    `version` is what that body brought, `facts` are those of that version.
    """

    version: Version
    facts: Facts
    heard: Headers = ()
    told: str = ""

    @cached_property
    def page(self) -> PagePolicy:
        """The last usable response, without its content."""
        version = self.version
        return parse_page(version.skeleton if version.is_html else None, url=version.url, headers=version.headers)

    @cached_property
    def headers(self) -> PagePolicy | None:
        """The headers of a later response without a usable body, as far as they say anything."""
        if not self.heard:
            return None
        # Whether a word about images is about the resource itself is told by its type.
        media = [one for one in self.version.headers if one[0].lower() == _TYPE]
        return parse_page(None, url=self.version.url, headers=(*media, *self.heard))

    @property
    def is_untold(self) -> bool:
        """Whether it says something in words that are not kept, so that nobody can tell what of earlier versions."""
        return self.told == UNTOLD

    def passages(self, number: int) -> Passages | None:
        """What text an element had, by its number among those that say something; None if that cannot be told."""
        return self._passages[number] if number < len(self._passages) else None

    @cached_property
    def _passages(self) -> list[Passages | None]:
        return [] if self.is_untold or not self.told else list(json.loads(self.told))


def latest_of(resources: Resources, resource: Resource, at: datetime | None = None) -> Latest | None:
    """What a resource says now; None if nothing of it was read yet. `at` as of `Resource.facts`."""
    version = None if resource.speaking is None else resources.version(resource.speaking)
    if version is None:
        return None
    return Latest(version, resource.facts(version, at), resource.heard, resource.passages)


def statements_of(headers: Headers) -> Headers:
    """The headers of a response that carry statements."""
    return tuple((name, value) for name, value in headers if name.lower() in HEADERS and name.lower() != _TYPE)
