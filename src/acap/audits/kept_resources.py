"""The resources of a part of an archive, in a file beside its policies: read once, and judged when these are all known.

    file    = packed of { line [octets] } end, as one frame of Zstandard
    of      = JSON of whose resources they are: version, path, span, profile, product tokens, whether there are texts,
              size and time of the file
    line    = JSON [kind, url, at, status, unread, digest, length, lacking], and behind a tab each headers, said, own
              as they are
    octets  = as many as `length` says: of a resource with statements the UTF-8 of its text, of others the body
    end     = JSON [kind, SHA-256 of all before it]

The laws of this module:

1. Of a resource is kept what its row needs: URL, instant, status, headers and the digest of its octets as evidence, and
   its statements for who asks (`acap.audits.kept_statements`), with all of its text where the usable text is asked
   for. Where more is needed its octets are kept instead, and it is judged as one that was read.
2. They are in the order of the archive, with the problems between them. One resource is in memory at a time.
3. The file has its name once it is whole, and is read whole or not at all: what has lost its end, or a bit, was
   changed, or is of another part or asker, is no such file. Nothing in it is run.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from types import UnionType
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa

import acap
from acap.archives.archive import MAX_OCTETS, ArchiveReader, Damage, Revisit
from acap.archives.capture import Capture
from acap.archives.response import HEAD_OCTETS
from acap.archives.shelf import sha256_of
from acap.audits.corpus import whole_text
from acap.audits.inputs import ArchiveResponses, InputPart, Report
from acap.audits.kept_statements import LONGEST, SILENT, StatementTexts, StatementWriter
from acap.audits.rows import AuditedResource, ResponseEvidence, carriers_of, url_asked
from acap.crawlers import as_crawler
from acap.restrictions import MUST_USE
from acap.robots import Asker

_LINE = 2 * (12 * HEAD_OCTETS + 2 * LONGEST)
"""Octets of a line: two heads, of which each character is an escape within one, and the statements."""

_PROBLEM, _STATED, _AGAIN, _END = range(4)
"""What a line is: words about what could not be read, a resource with its statements, one to be read again, the end."""

_KINDS: tuple[type | UnionType, ...] = (str, str | None, int | None, str, str | None, int | None, list)
"""Those of the values of a resource."""

_LIMITS = f'"{MUST_USE}"'
"""A text in the statements of a resource that names which part of it may be used."""

_NOTHING = b"", sha256_of(b"")
_TOGETHER = 1 << 16  # octets that are packed at once
_PACKING = "zstd"  # in a fifth of the time that gzip takes at its fastest, and smaller


class ResourceKeeping(NamedTuple):
    """The file that resources are kept in, who asks, and whether for the usable text (`texts`)."""

    file: Path
    crawler: Asker
    texts: bool = False


class KeptResource(NamedTuple):
    """A resource, and its statements as texts; None of one that has its octets.

    `text` is all text of one that has them, if that was kept; `lacking` are the extras without which not all of it was
    read.
    """

    resource: AuditedResource
    response_evidence: ResponseEvidence
    statements: StatementTexts | None
    text: str | None = None
    lacking: tuple[str, ...] = ()


class ResourceKeeper:
    """Keeps the resources of an archive while it is read for something else."""

    def __init__(self, part: InputPart, keeping: ResourceKeeping) -> None:
        """The file of `keeping` is made when the part is read (`reading`)."""
        # A corpus tells of what its texts hang on, and not where in a page that is said.
        self._writer = StatementWriter(keeping.crawler, with_lines=not keeping.texts)
        self._file, self._texts = keeping.file, keeping.texts
        self._of = [*_asked_of(part, keeping), *_print(part.path)]
        self._waiting, self._digest = bytearray(), sha256()
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

            def revisited(revisit: Revisit) -> None:
                responses.revisited(revisit)
                on_revisit(revisit)

            making = self._file.with_name(f"{self._file.name}.making{os.getpid()}")
            with pa.output_stream(making, compression=_PACKING) as out:
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

    def _keep(self, out: BinaryIO, resources: list[AuditedResource]) -> None:
        for resource in resources:
            evidence = ResponseEvidence.of(resource, self.digest_of)
            at = None if resource.at is None else resource.at.isoformat()
            if (own := self._statements_of(resource)) is not None:
                kind, (statements, octets, lacking) = _STATED, own
            else:
                kind, statements, octets, lacking = _AGAIN, SILENT, resource.octets, ()
            length = None if octets is None else len(octets)
            known = kind, resource.url, at, resource.status, resource.unread, evidence.content, length, lacking
            self._add(out, *known, texts=(evidence.headers, *statements))
            self._waiting += octets or b""

    def _statements_of(self, resource: AuditedResource) -> tuple[StatementTexts, bytes | None, tuple[str, ...]] | None:
        """The statements of a resource, its text, if that is to be kept, and which extras that lacks.

        None of one that is judged by its octets.

        One on which this fails is such a one, and fails there as it would alone.
        """
        try:
            if (url := url_asked(resource)) is None:
                return SILENT, None, ()
            carriers = carriers_of(resource, url)
            statements = self._writer.of(carriers)
            if statements is None or not self._texts:
                return None if statements is None else (statements, None, carriers.lacking)
            text = None if any(_LIMITS in stated for stated in statements) else whole_text(resource, carriers)
            return None if text is None else (statements, text.encode(), carriers.lacking)
        except Exception:  # noqa: BLE001 - as the account of the part has it
            return None

    def _add(self, out: BinaryIO, *line: Any, texts: tuple[str, ...] = ()) -> None:
        if len(self._waiting) >= _TOGETHER:
            self._write(out)
        self._waiting += _line_of(*line, texts=texts)

    def _write(self, out: BinaryIO) -> None:
        self._digest.update(self._waiting)
        out.write(self._waiting)
        self._waiting.clear()


class KeptError(Exception):
    """The file has not what was written."""


def kept_resources(keeping: ResourceKeeping, part: InputPart, report: Report) -> Iterator[KeptResource]:
    """The resources of a part that are kept in such a file for who asks, in order.

    Raises:
        KeptError: it is no such file; what was given before is to be forgotten.
    """
    try:
        with pa.input_stream(keeping.file, compression=_PACKING) as stream, io.BufferedReader(stream) as packed:
            lines = _KeptLines(packed)
            _check_whose(lines.line()[0], part, keeping)
            while True:
                line, texts = lines.line()
                if line[0] == _END:
                    break
                if line[0] == _PROBLEM:
                    _, problem = line
                    if not isinstance(problem, str):
                        raise ValueError("a problem of it has another form")
                    report(problem)
                else:
                    yield _resource(line, texts, lines)
            if line != [_END, lines.digest.hexdigest()] or packed.read(1):
                raise ValueError("it is not what was written")
    except Exception as error:
        raise KeptError(f"{keeping.file}: {error}") from error


class _KeptLines:
    """The lines and octets of a file of resources; `digest` is that of all before its end."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.digest = stream, sha256()

    def line(self) -> tuple[list[Any], list[str]]:
        """The values of a line, and the texts behind them."""
        read = self._stream.readline(_LINE)
        values, *texts = read.decode("ascii").removesuffix("\n").split("\t")
        line = json.loads(values)
        if not isinstance(line, list) or not line:
            raise ValueError("a line of it has another form")
        if line[0] != _END:
            self.digest.update(read)
        return line, texts

    def octets(self, length: int) -> bytes:
        read = self._stream.read(length)
        self.digest.update(read)
        return read


def _line_of(*line: Any, texts: tuple[str, ...] = ()) -> bytes:
    """Values as a line, with texts that are JSON themselves, and so have neither tabs nor line ends."""
    return ("\t".join((json.dumps(line), *texts)) + "\n").encode("ascii")


def _asked_of(part: InputPart, keeping: ResourceKeeping) -> list[Any]:
    """Whose resources are kept, and for whom: who asks is what `StatementWriter` knows of it."""
    asker = as_crawler(keeping.crawler)
    span = None if part.span is None else list(part.span)
    return [acap.__version__, str(part.path), span, asker.profile, list(asker.product_tokens), keeping.texts]


def _print(path: Path) -> list[int]:
    stat = path.stat()
    return [stat.st_size, stat.st_mtime_ns]


def _check_whose(values: list[Any], part: InputPart, keeping: ResourceKeeping) -> None:
    """Raises ValueError if these are not the resources of the part; one whose file is gone has those of before."""
    asked = _asked_of(part, keeping)
    with suppress(FileNotFoundError):
        asked += _print(part.path)
    if values[: len(asked)] != asked:
        raise ValueError("it has the resources of another part")


def _resource(line: list[Any], texts: list[str], stream: _KeptLines) -> KeptResource:
    kind, *values = line
    url, at, status, unread, digest, length, lacking = values
    headers, shared, own = texts
    if kind not in (_STATED, _AGAIN) or not all(map(isinstance, values, _KINDS)):
        raise ValueError("a line of it is no resource")
    evidence = ResponseEvidence(headers, digest)
    came = None if at is None else datetime.fromisoformat(at)
    resource = AuditedResource(url, came, status, unread=unread)
    octets = None if length is None else stream.octets(min(max(length, 0), MAX_OCTETS))
    if kind == _STATED:
        return KeptResource(
            resource, evidence, (shared, own), None if octets is None else octets.decode(), tuple(lacking)
        )
    pairs = tuple((name, value) for name, value in json.loads(headers))
    whole = resource._replace(headers=pairs, octets=octets)
    if ResponseEvidence.of(whole) != evidence:
        raise ValueError("the octets of a resource are not those of its digest")
    return KeptResource(whole, evidence, None)
