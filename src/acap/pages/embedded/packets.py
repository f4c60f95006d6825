"""XMP packets: where a file's are gathered, and how they are found where no container can be followed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from acap.pages.embedded.findings import Findings
from acap.pages.embedded.limits import MAX_PACKETS, MAX_PARTS, MAX_XMP_OCTETS
from acap.pages.embedded.xmp import Property

# What follows a cut packet may be anything, so this much of it has to do.
_CUT = 256 * 1024


class _Wrapper:
    """The wrapper of packets (XMP 1 7.3.2) in an encoding of `width` octets per character, in either byte order."""

    def __init__(self, width: int) -> None:
        self.width = width
        gap = b"\0" * (width - 1)
        self.names = tuple(gap.join(name[at : at + 1] for at in range(len(name))) for name in (b"xpacket", b"xmpmeta"))

        def wide(text: bytes) -> bytes:
            return gap.join(re.escape(text[at : at + 1]) for at in range(len(text))) + gap

        self.begin = re.compile(wide(b"<?xpacket begin") + b"=|" + wide(b"<x:xmpmeta") + rb"[\s>]")
        self.end = re.compile(wide(b"<?xpacket end") + b"=|" + wide(b"</x:xmpmeta") + rb"(?:\s" + gap + b")*>")

    def readings(self, data: bytes, start: int, stop: int) -> Iterator[bytes]:
        """The packet from its first `<` on: as one whose characters end in zeros, and as one where they begin so.

        Text that is not ASCII alone tells these apart, and a packet that is read in the wrong one is a doubt.
        """
        before = self.width - 1
        length = -(-(stop - start) // self.width) * self.width
        yield data[start : start + length]
        if before and start >= before and not data[start - before : start].strip(b"\0"):
            yield data[start - before : start - before + length]


_WRAPPERS = tuple(_Wrapper(width) for width in (1, 2, 4))
# The properties that can prohibit, in lower case: a packet without them says nothing that counts where it is stray.
_SPEAKING = (b"datamining", b"reservation")


@dataclass
class Packets:
    """The packets of one file, as many octets of them as are read; `extended` are those of JPEG by their GUID.

    `stray` are those that nothing in the file leads to: they prohibit, and permit nothing. `places` are where the
    others stand in the file, from and to, as far as they stand there openly. `stated` are properties that stand in the
    file without XMP. `has_manifest`: the file leads to a C2PA manifest.
    """

    findings: Findings
    linked: list[bytes] = field(default_factory=list)
    stray: list[bytes] = field(default_factory=list)
    stated: list[tuple[Property, ...]] = field(default_factory=list)
    has_manifest: bool = False
    places: list[tuple[int, int]] = field(default_factory=list)
    extended: dict[str, bytes] = field(default_factory=dict)
    room: int = MAX_XMP_OCTETS

    def add_strays(self, data: bytes) -> None:
        """Keeps the packets of a file that stand openly, that nothing leads to, and that may prohibit."""
        for packet in standing_openly(data, self.findings, self.places):
            if any(name in packet.translate(None, b"\0").lower() for name in _SPEAKING):
                self._keep(packet, self.stray)

    def add(self, octets: bytes | bytearray | memoryview, guid: str | None = None, *, at: int | None = None) -> None:
        """Keeps a packet, or as much of it as there is room for, unless it is there already; `at`: where it stands."""
        if at is not None:
            self.places.append((at, at + len(octets)))
        self._keep(octets, self.linked, guid)

    def _keep(self, octets: bytes | bytearray | memoryview, among: list[bytes], guid: str | None = None) -> None:
        if len(octets) > self.room:
            self.findings.add("embedded-limit", f"there are over {MAX_XMP_OCTETS} octets of XMP")
        packet = bytes(octets[: self.room])
        self.room -= len(packet)  # a packet that comes again takes room as well: it took time
        if packet in self.linked or packet in self.stray or not packet.strip(b"\0\t\n\r "):
            return
        if len(self.linked) + len(self.stray) + len(self.extended) >= MAX_PACKETS:
            self.findings.add("embedded-limit", f"there are over {MAX_PACKETS} packets")
        elif guid is None:
            among.append(packet)
        else:
            self.extended[guid] = packet


def standing_openly(data: bytes, findings: Findings, places: Iterable[tuple[int, int]] = ()) -> Iterator[bytes]:
    """The packets that stand in a file uncompressed, found by their wrapper, but for those that begin at these places.

    Some may belong to a part of the file, a picture within a page for example, and some may be left from an earlier
    state: nobody can tell.
    """
    for wrapper in _WRAPPERS:
        if any(name in data for name in wrapper.names):
            yield from _wrapped(data, wrapper, findings, sorted(places))


def _wrapped(data: bytes, wrapper: _Wrapper, findings: Findings, places: Sequence[tuple[int, int]]) -> Iterator[bytes]:
    begin = wrapper.begin.search(data)
    number, known = 0, 0
    for _ in range(MAX_PARTS):
        if begin is None:
            return
        following = wrapper.begin.search(data, begin.end())
        while number < len(places) and places[number][0] <= begin.start():
            known = max(known, places[number][1])
            number += 1
        if begin.start() >= known:
            stop = len(data) if following is None else following.start()
            end = wrapper.end.search(data, begin.end(), stop)
            if end is None:
                stop = min(stop, begin.start() + _CUT)
            else:
                stop = end.end() if end[0].startswith(b"<" + b"\0" * (wrapper.width - 1) + b"/") else end.start()
            for packet in wrapper.readings(data, begin.start(), stop):
                if b"RDF" in packet.translate(None, b"\0"):
                    yield packet
        begin = following
    if begin is not None:
        findings.add("embedded-limit", f"there are over {MAX_PARTS} beginnings of packets")
