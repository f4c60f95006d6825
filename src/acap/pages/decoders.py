"""Encodings of the Encoding standard: their names by label, and the text of octets in them. The native core decodes."""

from __future__ import annotations

from acap import _native


def encoding_of(label: str) -> str | None:
    """The name, in the standard's spelling, of the encoding that a label stands for (Encoding standard 4.2)."""
    return _native.encoding_of(label) if label.isascii() else None


def text_of(octets: bytes, name: str) -> tuple[str, bool]:
    """The text of octets in an encoding, by its name, and whether malformed octets became U+FFFD."""
    return _native.decode(octets, name)
