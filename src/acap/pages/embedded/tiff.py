"""TIFF and BigTIFF files: tag 700 of every directory (TIFF 6.0 2; XMP 3 1.1.6)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from acap.pages.embedded.limits import MAX_PARTS
from acap.pages.embedded.packets import Packets

_XMP = 700
# Octets of one value by type; XMP is BYTE or UNDEFINED, and some writers say ASCII or LONG.
_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 6: 1, 7: 1, 8: 2, 9: 4, 16: 8, 17: 8}


@dataclass(frozen=True)
class _Form:
    """How TIFF and BigTIFF lay out a directory, in `struct`'s words; `first` is where the first one's offset stands."""

    first: int
    number: str
    entry: str
    offset: str


_CLASSIC = _Form(4, "H", "HHI4s", "I")
_BIG = _Form(8, "Q", "HHQ8s", "Q")


def tiff(data: bytes, packets: Packets) -> None:
    """Reads the directories one after the other, each once; sub-directories are of other images."""
    order = "<" if data[:2] == b"II" else ">"
    form = _BIG if b"+" in data[2:4] else _CLASSIC
    number, entry, link = (struct.Struct(order + word) for word in (form.number, form.entry, form.offset))
    wrong = ""
    seen: set[int] = set()
    entries = 0
    try:
        (offset,) = link.unpack_from(data, form.first)
        wrong = "" if offset else "it has no directory"
        while offset:
            if offset in seen:
                wrong = "its directories form a loop"
                break
            seen.add(offset)
            (count,) = number.unpack_from(data, offset)
            begin = offset + number.size
            entries += count + 1
            if entries > MAX_PARTS:
                packets.findings.add("embedded-limit", f"there are over {MAX_PARTS} directory entries")
                break
            for place in range(begin, begin + count * entry.size, entry.size):
                tag, kind, values, value = entry.unpack_from(data, place)
                if tag == _XMP:
                    size = values * _SIZES.get(kind, 1)
                    start = place + entry.size - len(value) if size <= len(value) else link.unpack(value)[0]
                    packets.add(memoryview(data)[start : start + size], at=start)
                    if start + size > len(data):
                        wrong = "the XMP is cut off"
            (offset,) = link.unpack_from(data, begin + count * entry.size)
    except (OverflowError, struct.error):
        wrong = "it ends within a directory"
    if wrong:
        packets.findings.add("embedded-damaged-file", "TIFF", wrong)
