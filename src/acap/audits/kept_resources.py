"""The resources of a part of an archive, in a file beside its policies: read once, and judged when these are all known.

    file    = packed { line [octets] } end, as one gzip member
    line    = JSON [kind, url, at, status, headers, unread, digest, said, own, length]
    octets  = as many as `length` says
    end     = JSON null

The laws of this module:

1. Of a resource is kept what its row needs: URL, instant, status, headers and the digest of its octets as evidence, and
   what the asker hears of it (`acap.audits.hearing`). Where more is needed its octets are kept instead, and it is
   judged as one that was read.
2. They are in the order of the archive, with the problems between them. One resource is in memory at a time.
3. The file has its name once it is whole, and is read whole or not at all: what has lost its end, or a bit, is no such
   file. Nothing in it is run.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from acap.archives.archive import MAX_OCTETS, ArchiveReader, Damage, Revisit
from acap.archives.capture import Capture
from acap.archives.response import HEAD_OCTETS
from acap.archives.shelf import sha256_of
from acap.audits.hearing import LONGEST, SILENT, Heard, Hearing
from acap.audits.inputs import ArchiveResponses, Report
from acap.audits.rows import AuditedResource, ToldEvidence, carriers_of, url_asked
from acap.robots import Asker

_LINE = 2 * (12 * HEAD_OCTETS + 2 * LONGEST)
"""Octets of a line: two heads, of which each character is an escape within one, and what was heard."""

_PROBLEM, _HEARD, _AGAIN = range(3)
"""What a line is: words about what could not be read, a resource as it was heard, one that is to be read again."""

_NOTHING = b"", sha256_of(b"")
_TOGETHER = 1 << 16  # octets that are packed at once


class KeptResource(NamedTuple):
    """A resource, and what was heard of it; None of one that has its octets."""

    resource: AuditedResource
    told: ToldEvidence
    heard: Heard | None


class ResourceKeeper:
    """Keeps the resources of an archive while it is read for something else."""

    def __init__(self, file: Path, crawler: Asker) -> None:
        """`file` is made when an archive is read (`reading`)."""
        self._file, self._hearing = file, Hearing(crawler)
        self._waiting = bytearray()
        self._last: tuple[bytes, str] = _NOTHING

    def digest_of(self, octets: bytes) -> str:
        """SHA-256 of octets, which is known of the capture that was read last."""
        if octets is not self._last[0]:
            self._last = octets, sha256_of(octets)
        return self._last[1]

    def reading(self, read: ArchiveReader) -> ArchiveReader:
        """A reader that keeps what it reads: the file has its name when all is read.

        Raises OSError if it cannot be written.
        """

        def keeping(
            path: Path, *, on_problem: Callable[[Damage], None], on_revisit: Callable[[Revisit], None]
        ) -> Iterator[Capture]:
            responses = ArchiveResponses(lambda problem: self._add(out, _PROBLEM, problem))

            def damaged(damage: Damage) -> None:
                responses.damaged(damage)
                on_problem(damage)

            def revisited(one: Revisit) -> None:
                responses.revisited(one)
                on_revisit(one)

            making = self._file.with_name(f"{self._file.name}.making")
            with gzip.open(making, "wb", compresslevel=1) as out:
                for capture in read(path, on_problem=damaged, on_revisit=revisited):
                    self._keep(out, responses.taken(capture))
                    yield capture
                    self._last = _NOTHING
                self._keep(out, responses.taken(None))
                out.write(self._waiting + b"null\n")
            making.replace(self._file)

        return keeping

    def _keep(self, out: gzip.GzipFile, found: list[AuditedResource]) -> None:
        for one in found:
            told = ToldEvidence.of(one, self.digest_of)
            at = None if one.at is None else one.at.isoformat()
            known = one.url, at, one.status, told.headers, one.unread, told.content
            if (heard := self._hear(one)) is not None:
                self._add(out, _HEARD, *known, *heard, None)
            else:
                self._add(out, _AGAIN, *known, *SILENT, None if one.octets is None else len(one.octets))
                self._waiting += one.octets or b""

    def _hear(self, one: AuditedResource) -> Heard | None:
        """What is heard of a resource. One on which this fails is read again, and fails there as it would alone."""
        try:
            return SILENT if (url := url_asked(one)) is None else self._hearing.of(carriers_of(one, url))
        except Exception:  # noqa: BLE001 - as the account of the part has it
            return None

    def _add(self, out: gzip.GzipFile, *line: Any) -> None:
        if len(self._waiting) >= _TOGETHER:
            out.write(self._waiting)
            self._waiting.clear()
        self._waiting += json.dumps(line).encode() + b"\n"


class KeptError(Exception):
    """The file has not what was written."""


def kept_resources(file: Path, report: Report) -> Iterator[KeptResource]:
    """The resources of such a file, in order.

    Raises:
        KeptError: it is no such file; what was given before is to be forgotten.
    """
    try:
        with gzip.open(file, "rb") as stream:
            while (line := json.loads(stream.readline(_LINE))) is not None:
                if line[0] == _PROBLEM:
                    report(line[1])
                else:
                    yield _resource(line, stream)
            if stream.read(1):
                raise ValueError("there is more behind its end")
    except (OSError, EOFError, ValueError, TypeError, zlib.error) as error:
        raise KeptError(f"{file}: {error}") from error


def _resource(line: list[Any], stream: gzip.GzipFile) -> KeptResource:
    kind, url, at, status, headers, unread, digest, said, own, length = line
    told = ToldEvidence(headers, digest)
    came = None if at is None else datetime.fromisoformat(at)
    resource = AuditedResource(url, came, status, unread=unread)
    if kind == _HEARD:
        return KeptResource(resource, told, (said, own))
    pairs = tuple((name, value) for name, value in json.loads(headers))
    octets = None if length is None else stream.read(min(length, MAX_OCTETS))
    whole = resource._replace(headers=pairs, octets=octets)
    if ToldEvidence.of(whole) != told:
        raise ValueError("the octets of a resource are not those of its digest")
    return KeptResource(whole, told, None)
