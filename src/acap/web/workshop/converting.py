"""A policy in another form: the result, what it cannot express, and the proof that it gives the same answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from acap.explain import visible
from acap.publish.compare import Comparison
from acap.publish.convert import Conversion, Target, convert, verify
from acap.web.workshop.comparing import DiffRow, changed_lines
from acap.web.workshop.forms import Form
from acap.web.workshop.linting import text_of
from acap.web.workshop.workspace import Workspace

FORMS: dict[str, str] = {
    "acap": "ACAP beside the conventional lines",
    "acap-1.0": "ACAP 1.0",
    "acap-1.1": "ACAP 1.1",
    "robots": "conventional lines, from ACAP",
    "meta": "META tags of one page",
    "headers": "headers of one page",
}
"""What a policy can be converted to, in words."""

_OF_PAGES = ("meta", "headers")
_LINES = 2_000
_SECONDS = 5.0
"""Time for each of these: the conversion, with the proof that nothing is looser, and both proofs that are shown."""


@dataclass(frozen=True, slots=True)
class ConversionRequest:
    """What is asked for: the form, whether ACAP shall stand alone, and the page's URL."""

    into: str
    only: bool
    url: str

    @property
    def of_page(self) -> bool:
        """Whether the result is for a page and no robots.txt."""
        return self.into in _OF_PAGES


@dataclass(frozen=True, slots=True)
class Converted:
    """The result: notes with their lines, the proof, the text, and the lines in which it differs from the one before.

    Of a page all its lines are shown, for none of them stands in the text.
    """

    notes: tuple[tuple[int, str, bool], ...]
    proof: Comparison | None
    unproved: str
    text: str
    lines: tuple[str, ...]
    more_lines: int
    rows: tuple[DiffRow, ...]
    same: bool


def wanted_of(form: Form) -> ConversionRequest:
    """What the fields say."""
    into = form["into"] if form["into"] in FORMS else "acap"
    return ConversionRequest(into, form["into_only"] == "on", form["into_url"].strip()[:2000] or "/")


def converted(space: Workspace, wanted: ConversionRequest) -> Converted:
    """The text in another form. Raises ValueError, with a sentence for people."""
    conversion = _conversion(space, wanted)
    proof: Comparison | None = None
    unproved = ""
    try:
        proof = verify(conversion, seconds=_SECONDS)
    except (ValueError, NotImplementedError) as error:
        unproved = str(error)
    text = conversion.text.decode(space.encoding, "replace")
    lines = text.splitlines() if wanted.of_page else []
    return Converted(
        tuple((note.line, visible(note.message), note.loss) for note in conversion.notes),
        proof,
        unproved,
        text,
        tuple(visible(line) for line in lines[:_LINES]),
        max(len(lines) - _LINES, 0),
        () if wanted.of_page else changed_lines(space.text, text_of(conversion.text, space.encoding)),
        conversion.text == conversion.original,
    )


def used(space: Workspace) -> Workspace:
    """The workspace with the result in place of the text."""
    wanted = wanted_of(space.form)
    try:
        conversion = _conversion(space, wanted)
    except ValueError as error:
        return space.noted("error", str(error))
    if wanted.of_page:
        return space.noted(
            "error", "the result is for a page, not a robots.txt; copy it into the page or the server's files"
        )
    if conversion.text == space.octets:
        return space.noted("done", "the text is already in that form")
    what = f"converting to {FORMS[wanted.into]}"
    after = replace(space.changed(text_of(conversion.text, space.encoding), what), old=space.text)
    after = replace(after, old_encoding=space.encoding, old_ends=space.ends)
    return after.noted("done", "the result is now the text, and the previous text is the old version")


def _conversion(space: Workspace, wanted: ConversionRequest) -> Conversion:
    only = wanted.only and wanted.into == "acap"
    url = wanted.url if wanted.of_page else None
    conversion = convert(space.octets, cast("Target", wanted.into), only=only, url=url, seconds=_SECONDS)
    if not conversion.proved:
        raise ValueError("proving that no answer is looser takes longer; `acap convert --verify` does it")
    return conversion
