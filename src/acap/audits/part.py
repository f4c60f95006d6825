"""A part of an audit: the resources of a part of the input become rows, and what they come to an account.

Workers do this, each in a process of its own; what they make is whole when it has its name.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from acap.archives.shelf import ArchiveShelf
from acap.audits.corpus import SCHEMA as CORPUS
from acap.audits.corpus import NeedsOctetsError, UsableText, batch_of, kept_text_of, text_of
from acap.audits.inputs import InputPart, resources
from acap.audits.kept_resources import KeptResource, ResourceKeeping, kept_resources
from acap.audits.kept_statements import KeptPages
from acap.audits.options import AuditOptions
from acap.audits.policies import ShelvedPolicies
from acap.audits.rows import ERRORS, INTERNAL, NO_URL, UNREADABLE, AuditedResource, Auditor, AuditRow
from acap.audits.summary import AuditSummary
from acap.retrieval.answers import Rules

_BATCH = 512  # rows that become columns at once
_GROUP = 32  # batches in a group of rows
_HELD = 32 * 2**20  # octets of responses in memory beside the one that is judged

_PART = "part"
"""The name of what rows and their account say of the part that they are of."""

_worker: dict[tuple[Path, datetime], ShelvedPolicies] = {}
"""The policies that a process has open."""


def audit_part(
    part: InputPart, out: Path, shelf: Path, now: datetime, options: AuditOptions, kept: Path | None = None
) -> int:
    """Audits a part: its rows and its account are written. Gives how many rows it has.

    `kept` has its resources if there is such a file (`acap.audits.kept_resources`), which then is removed; what is not
    there is read.
    """
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
    making = out.with_name(f"{out.name}.making{os.getpid()}")
    judging = _written(making, part, auditor, options, kept if kept is not None and kept.exists() else None)
    sync(making)
    making.replace(out)
    # All of this process: what another part came upon was not read again for this one.
    judging.summary.left_out |= _worker[key].left_out
    put(out.with_suffix(".json"), json.dumps({**judging.summary.to_json(), _PART: _name_of(part)}).encode())
    if kept is not None:
        kept.unlink(missing_ok=True)
    return judging.summary.rows


def forget_policies(shelf: Path, now: datetime) -> None:
    """Lets go of the policies of an audit, if this process has them open: what follows needs none."""
    if (known := _worker.pop((shelf, now), None)) is not None:
        known.let_go()


def _written(file: Path, part: InputPart, auditor: Auditor, options: AuditOptions, kept: Path | None) -> _Judging:
    """Writes the rows of a part by what is kept of it; where anything fails on that, as where there is nothing."""
    if kept is not None:
        with suppress(Exception):  # what is no fault of the kept file fails again below
            judging = _Judging(part, auditor, options)
            judging.write(file, kept)
            return judging
    judging = _Judging(part, auditor, options)
    judging.write(file, None)
    return judging


def account_of(part: InputPart, rows: Path, *, content: bool) -> AuditSummary | None:
    """The account of a part that is done: it and as many rows as it tells are there, and of this part. Else None."""
    try:
        account = json.loads(rows.with_suffix(".json").read_text(encoding="utf-8"))
        summary = AuditSummary.from_json(account)
        with pq.ParquetFile(rows) as file:
            count, about = file.metadata.num_rows, file.schema_arrow.metadata or {}
        is_own = account[_PART] == about[_PART.encode()].decode() == _name_of(part)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, pa.ArrowException):
        return None
    return summary if is_own and count == (summary.texts if content else summary.rows) else None


def _name_of(part: InputPart) -> str:
    """What tells a part from the others of an audit."""
    return json.dumps([str(part.path), part.groups, part.span])


class _Judging:
    """A part on its way to rows, and its account."""

    def __init__(self, part: InputPart, auditor: Auditor, options: AuditOptions) -> None:
        self._part, self._auditor, self._content, self._crawler = part, auditor, options.content, options.crawler
        self._pages = KeptPages()
        self.summary = AuditSummary()

    def write(self, file: Path, kept: Path | None) -> None:
        """Writes the rows of the resources of the part, or of those that are kept of it."""
        schema = (CORPUS if self._content else self._auditor.schema).with_metadata({_PART: _name_of(self._part)})
        with pq.ParquetWriter(file, schema, compression="zstd") as writer:
            for group in _groups(self._batches(kept)):
                writer.write_table(pa.Table.from_batches(group))

    def _batches(self, kept: Path | None) -> Iterator[pa.RecordBatch]:
        auditor, summary = self._auditor, self.summary
        rows: list[tuple[Any, ...]] = []  # of the usable text nobody needs their values
        texts: list[UsableText] = []
        held = 0
        for given in self._resources(kept):
            resource = given if isinstance(given, AuditedResource) else given.resource
            text = None
            try:
                row, text = self._judged(given)
                values = () if self._content else auditor.values(row)
            except NeedsOctetsError:
                raise  # the part is read again
            except Exception as error:  # noqa: BLE001 - a fault of ours is one row, which is prohibited
                self._report(resource, f"internal error: {type(error).__name__}: {error}")
                row = auditor.refused(AuditedResource(resource.url, None), INTERNAL)
                values = () if self._content else auditor.values(row)
            summary.add(auditor.usages, row)
            if text is not None:
                summary.texts += 1
                texts.append(text)
                held += len(text.text)
            if row.error == UNREADABLE:
                self._report(resource, resource.unreadable)
            if row.error == NO_URL:
                self._report(resource, ERRORS[NO_URL])
            rows.append(values)
            held += len(resource.octets or b"")
            if len(rows) >= _BATCH or held >= _HELD:
                yield self._batch(rows, texts)
                rows, texts, held = [], [], 0
        if rows:
            yield self._batch(rows, texts)

    def _resources(self, kept: Path | None) -> Iterator[AuditedResource | KeptResource]:
        report = self.summary.report
        if kept is None:
            return resources(self._part, report)
        return kept_resources(ResourceKeeping(kept, self._crawler, self._content is not None), self._part, report)

    def _judged(self, given: AuditedResource | KeptResource) -> tuple[AuditRow, UsableText | None]:
        auditor = self._auditor
        if isinstance(given, AuditedResource):
            return (auditor.row(given), None) if self._content is None else text_of(auditor, given, self._content)
        if (statements := given.statements) is None:
            return self._judged(given.resource)
        row = auditor.judged_as_kept(
            given.resource, lambda url: self._pages.read(statements, url), given.response_evidence
        )
        if given.lacking:
            row = row._replace(lacking=given.lacking)
        usage, text = self._content, given.text
        return row, None if usage is None or text is None else kept_text_of(row, text, usage, auditor.usages)

    def _report(self, resource: AuditedResource, why: str) -> None:
        self.summary.report(f"{self._part.path}: {resource.url}: {why}")

    def _batch(self, rows: list[tuple[Any, ...]], texts: list[UsableText]) -> pa.RecordBatch:
        return batch_of(texts) if self._content else self._auditor.batch_of(rows)


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
