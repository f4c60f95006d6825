"""What stands in the place of a site's document and says nothing: a page of a login, an empty body, another text.

The laws of this module:

1. Where something was said before, what says nothing counts as a failure: the good copy stands in, for as long as one
   does while a site cannot be reached, and then the document is unknown.
2. A document that cannot be read is not foreign. It may be meant to prohibit, so its doubt counts at once. So does that
   of a page with a licence in it, where a licence document was. A page is a policy of TDMRep too, for people.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from acap import _native
from acap.dialects.ai_txt import parse_ai_txt
from acap.dialects.well_known import AI_TXT_PATH, TDMREP_PATH, is_page
from acap.retrieval.locations import ROBOTS_PATH, normal, site_of

Kind: TypeAlias = Literal["robots.txt", "tdmrep.json", "ai.txt", "licence", "tdm-policy", "reference"]

REFERRED: tuple[Kind, ...] = ("licence", "tdm-policy", "reference")
"""The kinds that stand wherever another document says."""

_RSL = b"rslstandard.org/rsl"

_PLACES: Mapping[str, Kind] = {ROBOTS_PATH: "robots.txt", TDMREP_PATH: "tdmrep.json", AI_TXT_PATH: "ai.txt"}


def is_foreign(kind: Kind, octets: bytes) -> bool:
    """Whether something else came in the place of a document of a kind. An empty robots.txt is one (RFC 9309 2.2)."""
    if kind == "robots.txt":
        return not _native.is_robots(octets)
    if kind == "tdm-policy":
        return not octets.strip()
    if is_page(octets) or not octets.strip():
        return kind != "licence" or not _native.mentions(octets.replace(b"\0", b""), _RSL)
    return kind == "ai.txt" and parse_ai_txt(octets, url="https://site.invalid/ai.txt").state == "foreign"


def kind_at(url: str) -> Kind | None:
    """The kind of a site's own documents, by the place of a URL, whatever it is wanted for and however it is spelled.

    Raises ValueError for what is none.
    """
    return _PLACES.get(normal(url).removeprefix(site_of(url)))


def counts_as_failure(kind: Kind, octets: bytes, copy: bytes | None) -> bool:
    """Whether a document that came is no answer: something else, where a copy is known that is not."""
    return copy is not None and is_foreign(kind, octets) and not is_foreign(kind, copy)
