"""Which empty fields of a row of CSV are texts: one in quotation marks was there, and another one is a null.

The module `csv` does not tell them apart, so the octets of a row that has an empty field are looked at again. A writer
that puts everything into quotation marks may put a null there as well. So a text is empty where its row has a URL or a
site without them, or another field that is empty and without them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acap.column_names import NAMES, folded

_OF_FILE = frozenset(NAMES["robots"])
_OF_SITE = frozenset((*NAMES["url"], *NAMES["site"]))


def empty_texts(written: str, row: Sequence[str], names: Sequence[str], delimiter: str) -> list[str]:
    """The columns of robots.txt files that are empty texts in a row of CSV: `written` as it is in the file."""
    wanted = [place for place, name in enumerate(names) if folded(name) in _OF_FILE]
    if all(place >= len(row) or row[place] for place in wanted):
        return []
    fields = list(_fields(written.rstrip("\r\n"), delimiter))
    if [value for value, _ in fields] != list(row):
        return []  # nothing is sure of what is read in two ways
    sites = {place for place, name in enumerate(names) if folded(name) in _OF_SITE}
    tells = any(not quoted and (not value or place in sites) for place, (value, quoted) in enumerate(fields))
    return [names[place] for place in wanted if place < len(row) and fields[place] == ("", True)] if tells else []


def _fields(text: str, delimiter: str) -> Iterator[tuple[str, bool]]:
    """The fields of a row, each with whether it has quotation marks; up to what is none."""
    at = 0
    while True:
        if is_quoted := text.startswith('"', at):
            end = text.find('"', at + 1)
            while end >= 0 and text.startswith('"', end + 1):
                end = text.find('"', end + 2)
            if end < 0:
                return
            yield text[at + 1 : end].replace('""', '"'), is_quoted
            at = end + 1
        else:
            end = text.find(delimiter, at)
            end = len(text) if end < 0 else end
            yield text[at:end], is_quoted
            at = end
        if not text.startswith(delimiter, at):
            return
        at += 1
