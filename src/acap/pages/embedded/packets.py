"""XMP packets: where a file's are gathered, and how they are found where no container can be followed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from acap.pages.embedded.findings import Findings
from acap.pages.embedded.limits import MAX_PACKETS, MAX_PARTS, MAX_XMP_OCTETS

_BEGIN = re.compile(rb"<\?xpacket begin=|<x:xmpmeta[\s>]")
# What follows a cut packet may be anything, so this much of it has to do.
_CUT = 256 * 1024
_END = re.compile(rb"<\?xpacket end=|</x:xmpmeta\s*>")


@dataclass
class Packets:
    """The packets of one file, as many octets of them as are read; `extended` are those of JPEG by their GUID.

    `stray` are those that nothing in the file leads to: they prohibit, and permit nothing.
    """

    findings: Findings
    found: list[bytes] = field(default_factory=list)
    stray: list[bytes] = field(default_factory=list)
    extended: dict[str, bytes] = field(default_factory=dict)
    room: int = MAX_XMP_OCTETS

    @property
    def is_empty(self) -> bool:
        """Whether the file leads to none."""
        return not (self.found or self.extended)

    def add_stray(self, octets: bytes) -> None:
        """Keeps a packet that nothing leads to."""
        before = len(self.found)
        self.add(octets)
        self.stray += self.found[before:]
        del self.found[before:]

    def add(self, octets: bytes | bytearray | memoryview, guid: str | None = None) -> None:
        """Keeps a packet, or as much of it as there is room for, unless it is there already."""
        if len(octets) > self.room:
            self.findings.add("embedded-limit", f"there are over {MAX_XMP_OCTETS} octets of XMP")
        packet = bytes(octets[: self.room])
        self.room -= len(packet)  # a packet that comes again takes room as well: it took time
        if packet in self.found or packet in self.stray or not packet.strip(b"\0\t\n\r "):
            return
        if len(self.found) + len(self.stray) + len(self.extended) >= MAX_PACKETS:
            self.findings.add("embedded-limit", f"there are over {MAX_PACKETS} packets")
        elif guid is None:
            self.found.append(packet)
        else:
            self.extended[guid] = packet


def standing_openly(data: bytes) -> Iterator[bytes]:
    """The packets that stand in a file uncompressed and in UTF-8, found by their wrapper (XMP 1 7.3.2).

    Some may belong to a part of the file, a picture within a page for example, and some may be left from an earlier
    state: whoever reads them like this is in doubt anyway.
    """
    begin = _BEGIN.search(data)
    for _ in range(MAX_PARTS):
        if begin is None:
            return
        following = _BEGIN.search(data, begin.end())
        stop = len(data) if following is None else following.start()
        end = _END.search(data, begin.end(), stop)
        if end is None:
            stop = min(stop, begin.start() + _CUT)
        else:
            stop = end.end() if end[0].startswith(b"</") else end.start()
        packet = data[begin.start() : stop]
        if b"RDF" in packet:
            yield packet
        begin = following
