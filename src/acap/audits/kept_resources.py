"""The resources of a part of an archive, in a file beside its policies: read once, and judged when these are all known.

    file    = packed of { line [octets] } end, as one gzip member
    of      = JSON of whose resources they are: version, path, size and time of the file, span, profile, product tokens
    line    = JSON [kind, url, at, status, headers, unread, digest, said, own, length]
    octets  = as many as `length` says
    end     = JSON [kind, BLAKE2b of all before it]

The laws of this module:

1. Of a resource is kept what its row needs: URL, instant, status, headers and the digest of its octets as evidence, and
   what the asker hears of it (`acap.audits.hearing`). Where more is needed its octets are kept instead, and it is
   judged as one that was read.
2. They are in the order of the archive, with the problems between them. One resource is in memory at a time.
3. The file has its name once it is whole, and is read whole or not at all: what has lost its end, or a bit, was
   changed, or is of another part or asker, is no such file. Nothing in it is run.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from types import UnionType
from typing import Any, NamedTuple

import acap
from acap.archives.archive import MAX_OCTETS, ArchiveReader, Damage, Revisit
from acap.archives.capture import Capture
from acap.archives.response import HEAD_OCTETS
from acap.archives.shelf import sha256_of
from acap.audits.hearing import LONGEST, SILENT, Heard, Hearing
from acap.audits.inputs import ArchiveResponses, InputPart, Report
from acap.audits.rows import AuditedResource, ToldEvidence, carriers_of, url_asked
from acap.crawlers import as_crawler
from acap.robots import Asker

_LINE = 2 * (12 * HEAD_OCTETS + 2 * LONGEST)
"""Octets of a line: two heads, of which each character is an escape within one, and what was heard."""

_PROBLEM, _HEARD, _AGAIN, _END = range(4)
"""What a line is: words about what could not be read, a resource as it was heard, one to be read again, the end."""

_KINDS: tuple[type | UnionType, ...] = (str, str | None, int | None, str, str, str | None, str, str, int | None)
"""Those of the values of a resource."""

_NOTHING = b"", sha256_of(b"")
_TOGETHER = 1 << 16  # octets that are packed at once


class KeptResource(NamedTuple):
    """A resource, and what was heard of it; None of one that has its octets."""

    resource: AuditedResource
    told: ToldEvidence
    heard: Heard | None


class ResourceKeeper:
    """Keeps the resources of an archive while it is read for something else."""

    def __init__(self, part: InputPart, file: Path, crawler: Asker) -> None:
        """`file` is made when the part is read (`reading`)."""
        self._file, self._hearing = file, Hearing(crawler)
        self._of = [*_asked_of(part, crawler), *_print(part.path)]
        self._waiting, self._digest = bytearray(), blake2b()
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

            making = self._file.with_name(f"{self._file.name}.making{os.getpid()}")
            with gzip.open(making, "wb", compresslevel=1) as out:
                self._add(out, *self._of)
                for capture in read(path, on_problem=damaged, on_revisit=revisited):
                    self._keep(out, responses.taken(capture))
                    yield capture
                    self._last = _NOTHING
                self._keep(out, responses.taken(None))
                self._write(out)
                out.write(_line_of(_END, self._digest.hexdigest()))
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
            self._write(out)
        self._waiting += _line_of(*line)

    def _write(self, out: gzip.GzipFile) -> None:
        self._digest.update(self._waiting)
        out.write(self._waiting)
        self._waiting.clear()


class KeptError(Exception):
    """The file has not what was written."""


def kept_resources(file: Path, part: InputPart, crawler: Asker, report: Report) -> Iterator[KeptResource]:
    """The resources of a part that are kept in such a file for who asks, in order.

    Raises:
        KeptError: it is no such file; what was given before is to be forgotten.
    """
    try:
        with gzip.open(file, "rb") as packed:
            stream = _KeptLines(packed)
            _check_whose(stream.line(), part, crawler)
            while (line := stream.line())[0] != _END:
                if line[0] == _PROBLEM:
                    _, problem = line
                    if not isinstance(problem, str):
                        raise ValueError("a problem of it has another form")
                    report(problem)
                else:
                    yield _resource(line, stream)
            if line != [_END, stream.digest.hexdigest()] or packed.read(1):
                raise ValueError("it is not what was written")
    except Exception as error:
        raise KeptError(f"{file}: {error}") from error


class _KeptLines:
    """The lines and octets of a file of resources; `digest` is that of all before its end."""

    def __init__(self, stream: gzip.GzipFile) -> None:
        self._stream, self.digest = stream, blake2b()

    def line(self) -> list[Any]:
        read = self._stream.readline(_LINE)
        line = json.loads(read)
        if not isinstance(line, list) or not line:
            raise ValueError("a line of it has another form")
        if line[0] != _END:
            self.digest.update(read)
        return line

    def octets(self, length: int) -> bytes:
        read = self._stream.read(length)
        self.digest.update(read)
        return read


def _line_of(*line: Any) -> bytes:
    return json.dumps(line).encode() + b"\n"


def _asked_of(part: InputPart, crawler: Asker) -> list[Any]:
    """Whose resources are kept, and for whom: who asks is what `Hearing` knows of it."""
    asker = as_crawler(crawler)
    span = None if part.span is None else list(part.span)
    return [acap.__version__, str(part.path), span, asker.profile, list(asker.product_tokens)]


def _print(path: Path) -> list[int]:
    told = path.stat()
    return [told.st_size, told.st_mtime_ns]


def _check_whose(told: list[Any], part: InputPart, crawler: Asker) -> None:
    """Raises ValueError if these are not the resources of the part; one whose file is gone has those of before."""
    asked = _asked_of(part, crawler)
    with suppress(FileNotFoundError):
        asked += _print(part.path)
    if told[: len(asked)] != asked:
        raise ValueError("it has the resources of another part")


def _resource(line: list[Any], stream: _KeptLines) -> KeptResource:
    kind, *values = line
    if kind not in (_HEARD, _AGAIN) or not all(isinstance(*one) for one in zip(values, _KINDS, strict=True)):
        raise ValueError("a line of it is no resource")
    url, at, status, headers, unread, digest, said, own, length = values
    told = ToldEvidence(headers, digest)
    came = None if at is None else datetime.fromisoformat(at)
    resource = AuditedResource(url, came, status, unread=unread)
    if kind == _HEARD:
        return KeptResource(resource, told, (said, own))
    pairs = tuple((name, value) for name, value in json.loads(headers))
    octets = None if length is None else stream.octets(min(max(length, 0), MAX_OCTETS))
    whole = resource._replace(headers=pairs, octets=octets)
    if ToldEvidence.of(whole) != told:
        raise ValueError("the octets of a resource are not those of its digest")
    return KeptResource(whole, told, None)
