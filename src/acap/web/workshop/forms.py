"""What a browser sends with a form: `multipart/form-data` and `application/x-www-form-urlencoded`, bounded.

Form data is read here and not by a package, because the whole of it is one text, some words, and at most one file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from starlette.requests import Request

MAX_TEXT = 2**20
"""Octets of one policy: twice what RFC 9309 2.5 asks for, less than the 8 MiB that the reader reads."""

MAX_BODY = 8 * MAX_TEXT
"""Octets of one request: two policies in percent-encoding, a file, and the rest of the form."""

_FIELDS = 2_000
_NAME = re.compile(rb'\bname="([^"]*)"', re.IGNORECASE)
_FILE = re.compile(rb'\bfilename="([^"]*)"', re.IGNORECASE)
_BOUNDARY = re.compile(r'boundary="?([^";,\s]{1,70})"?', re.IGNORECASE)


class TooLargeError(Exception):
    """More was sent than is taken; one sentence that says how much is."""


class FormError(Exception):
    """What was sent is no form."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was chosen: its name, and its octets."""

    name: str
    octets: bytes


@dataclass(frozen=True, slots=True)
class Form:
    """Every field by its name, the last value of each; all values of those that repeat; and the file, if any."""

    values: dict[str, str] = field(default_factory=dict)
    pairs: tuple[tuple[str, str], ...] = ()
    upload: Upload | None = None

    def __getitem__(self, name: str) -> str:
        return self.values.get(name, "")

    def without(self, *names: str) -> Form:
        """The same with some fields empty."""
        return Form({key: value for key, value in self.values.items() if key not in names}, self.pairs, self.upload)

    def all(self, name: str) -> list[str]:
        """All values of a field, in their order."""
        return [value for key, value in self.pairs if key == name]


async def form_of(request: Request) -> Form:
    """The form of a request. Raises TooLargeError and FormError."""
    octets = bytearray()
    async for chunk in request.stream():
        octets += chunk
        if len(octets) > MAX_BODY:
            raise TooLargeError(too_large("all that the page holds", MAX_BODY))
    kind = request.headers.get("content-type", "")
    if kind.startswith("multipart/form-data"):
        boundary = _BOUNDARY.search(kind)
        if boundary is None:
            raise FormError("the form has no boundary")
        pairs, upload = _parts(bytes(octets), boundary[1].encode("latin-1", "replace"))
    else:
        try:
            text = octets.decode("ascii", "replace")
            pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=_FIELDS, errors="replace")
        except ValueError as error:
            raise FormError("the form has too many fields") from error
        upload = None
    clean = tuple((name, _lines(value)) for name, value in pairs)
    return Form(dict(clean), clean, upload)


def too_large(what: str, limit: int) -> str:
    """The sentence for what is over a limit in octets."""
    return f"{what} is larger than {limit >> 20} MB and was refused; make it smaller"


def _lines(value: str) -> str:
    """Browsers send every line end of a text as CR LF; here it is LF alone."""
    return value.replace("\r\n", "\n").replace("\r", "\n")


def _parts(body: bytes, boundary: bytes) -> tuple[list[tuple[str, str]], Upload | None]:
    """The fields, and the first file that was chosen (RFC 7578)."""
    pairs: list[tuple[str, str]] = []
    upload: Upload | None = None
    pieces = (b"\r\n" + body).split(b"\r\n--" + boundary, _FIELDS + 2)
    if len(pieces) > _FIELDS + 2:
        raise FormError("the form has too many fields")
    for piece in pieces[1:-1]:
        head, blank, value = piece.partition(b"\r\n\r\n")
        name = _NAME.search(head)
        if not blank or name is None:
            raise FormError("a part of the form has no name")
        file = _FILE.search(head)
        if file is None:
            pairs.append((name[1].decode("utf-8", "replace"), value.decode("utf-8", "replace")))
        elif file[1] and upload is None:
            upload = Upload(file[1].decode("utf-8", "replace"), value)
    return pairs, upload
