"""What a text is: a robots.txt, or a document of another dialect.

Law: what may be a robots.txt is one, until somebody says otherwise. A name tells, as it tells `acap lint`. Without one
a text is something else only where it could not be meant as a robots.txt: a page that says nothing of its use may be an
error page in the place of one, and behind the head of a response one may stand.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from acap.problems import DocumentKind
from acap.publish.document_portrait import NAMES
from acap.publish.lint.kinds import is_robots, kind_of, kind_of_text

KINDS: Mapping[DocumentKind, str] = MappingProxyType(
    {
        "robots": "robots.txt",
        **{kind: called for kind, (called, _) in NAMES.items()},
        "headers": "response headers",
        "page": "a page",
    }
)
"""What a text can be, in words."""

FILES: Mapping[DocumentKind, str] = MappingProxyType(
    {
        "robots": "robots.txt",
        **{kind: path.rpartition("/")[2] for kind, (_, path) in NAMES.items()},
        "headers": "response.headers",
        "page": "page.html",
    }
)
"""The name of a file with such a text."""

OF_ONE_URL: tuple[DocumentKind, ...] = ("page", "headers")
"""Kinds of texts that speak of the one resource that they came with."""


def kind_of_file(name: str, octets: bytes) -> DocumentKind:
    """What a file is, by its name, else by what it says."""
    kind = kind_of(name, octets) or "robots"
    lowered = name.lower().rpartition("/")[2]
    is_named = is_robots(lowered) or kind_of(name, b"") != "robots" or kind != kind_of("", octets)
    return kind if is_named else kind_of_text(octets)
