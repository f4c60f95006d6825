"""A part of an audit: the resources of a part of the input become rows, and what they come to an account.

Workers do this, each in a process of its own; what they make is whole when it has its name.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from acap.archives.shelf import ArchiveShelf
from acap.audits.corpus import SCHEMA as CORPUS
from acap.audits.corpus import UsableText, batch_of, text_of
from acap.audits.inputs import InputPart, resources
from acap.audits.options import AuditOptions
from acap.audits.policies import ShelvedPolicies
from acap.audits.rows import INTERNAL, UNREADABLE, AuditedResource, Auditor
from acap.audits.summary import AuditSummary
from acap.retrieval.answers import Rules

_BATCH = 512  # rows that become columns at once
_GROUP = 32  # batches in a group of rows
_HELD = 32 * 2**20  # octets of responses in memory beside the one that is judged


_worker: dict[tuple[Path, datetime], ShelvedPolicies] = {}
"""The policies that a process has open."""


def audit_part(part: InputPart, out: Path, shelf: Path, now: datetime, options: AuditOptions) -> int:
    """Audits a part: its rows and its account are written. Gives how many rows it has."""
    key = shelf, now
    if key not in _worker:
        rules = Rules.of(options.dialect, forbidden=options.forbidden)
        _worker[key] = ShelvedPolicies(ArchiveShelf(shelf, is_shared=True), now, dialect=options.dialect, rules=rules)
    auditor = Auditor(
        _worker[key],
        crawler=options.crawler,
        usages=options.usages,
        purpose=options.purposes or None,
        at=options.at,
        missing=options.missing,
        now=now,
    )
    summary = AuditSummary()
    making = out.with_name(f"{out.name}.making{os.getpid()}")
    with pq.ParquetWriter(making, CORPUS if options.content else auditor.schema, compression="zstd") as writer:
        for group in _groups(_batches(part, auditor, options.content, summary)):
            writer.write_table(pa.Table.from_batches(group))
    sync(making)
    making.replace(out)
    put(out.with_suffix(".json"), json.dumps(summary.to_json()).encode())
    return summary.rows


def _batches(part: InputPart, auditor: Auditor, content: str | None, summary: AuditSummary) -> Iterator[pa.RecordBatch]:
    rows: list[tuple[Any, ...]] = []
    texts: list[UsableText] = []
    held = 0
    for resource in resources(part, summary.report):
        text = None
        try:
            if content is None:
                row = auditor.row(resource)
            else:
                row, text = text_of(auditor, resource, content)
            values = auditor.values(row)
        except Exception as error:  # noqa: BLE001 - a fault of ours is one row, which is prohibited
            summary.report(f"{part.path}: {resource.url}: internal error: {type(error).__name__}: {error}")
            row = auditor.refused(AuditedResource(resource.url, None), INTERNAL)
            values = auditor.values(row)
        summary.add(auditor.usages, row)
        if text is not None:
            summary.texts += 1
            texts.append(text)
        if row.error == UNREADABLE:
            summary.report(f"{part.path}: {resource.url}: {resource.unreadable}")
        rows.append(values)
        held += len(resource.octets or b"")
        if len(rows) >= _BATCH or held >= _HELD:
            yield batch_of(texts) if content else auditor.batch_of(rows)
            rows, texts, held = [], [], 0
    if rows:
        yield batch_of(texts) if content else auditor.batch_of(rows)


def _groups(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    held: list[pa.RecordBatch] = []
    for batch in batches:
        if batch.num_rows:
            held.append(batch)
        if len(held) >= _GROUP:
            yield held
            held = []
    if held:
        yield held


def put(path: Path, octets: bytes) -> None:
    """Writes a file whole or not at all."""
    making = path.with_name(f"{path.name}.making{os.getpid()}")
    making.write_bytes(octets)
    sync(making)
    making.replace(path)


def sync(path: Path) -> None:
    with path.open("rb") as stream:
        os.fsync(stream.fileno())
