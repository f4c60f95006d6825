"""The usable text of what is audited, for those who build data sets: nothing else leaves the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa

from acap.archives.site_documents import sources_of
from acap.audits.rows import AuditedResource, Auditor, AuditRow, evidence_columns, plain
from acap.carriers import Carriers
from acap.pages.encoding import decode
from acap.pages.extraction import content_for, whole_text_of
from acap.pages.media_types import content_type
from acap.restrictions import MUST_USE
from acap.retrieval.locations import canonical

SCHEMA = pa.schema(
    [
        pa.field("url", pa.string()),
        pa.field("fetch_time", pa.timestamp("us", tz="UTC")),
        pa.field("text", pa.string()),
        pa.field("restrictions", pa.list_(pa.string())),
        pa.field("policy_digest", pa.string()),
        pa.field("evidence", pa.string()),
    ]
)
"""The columns of a corpus; who uses a text keeps its restrictions."""


class UsableText(NamedTuple):
    """The text of a resource that a usage may use, with the restrictions that its use is under."""

    row: AuditRow
    text: str
    restrictions: tuple[str, ...]


def text_of(auditor: Auditor, resource: AuditedResource, usage: str) -> tuple[AuditRow, UsableText | None]:
    """The row of a resource, and its text; None where the usage may use none of it.

    Of a page only the elements that may be used have their text here (P2 2.2.6). A text without markup is used as a
    whole. If several policies speak and do not agree on the text, there is none.
    """
    row, carriers = auditor.judged(resource)
    cell = row.cells[auditor.usages.index(usage)]
    if carriers is None or resource.octets is None or cell.outcome != "permitted":
        return row, None
    text = _text(auditor, row, carriers, usage, resource.octets)
    return row, UsableText(row, text, cell.restrictions) if text.strip() else None


def whole_text(resource: AuditedResource, carriers: Carriers) -> str | None:
    """All text of a resource that is kept, for a usage that may use all of it; None where that takes its octets.

    So it is where nothing decides that there is a page, or where more than the page speaks.
    """
    if carriers.form == "open" or (carriers.form == "page" and carriers.others):
        return None
    if carriers.form == "text":
        return decode(resource.octets or b"", content_type(resource.headers)).text
    return whole_text_of(carriers.page.carried.document) if carriers.form == "page" else ""


def kept_text_of(row: AuditRow, text: str, usage: str, usages: Sequence[str]) -> UsableText | None:
    """The text of a resource whose row was judged by kept statements, by all text of it; None where none may be used.

    Raises:
        NeedsOctetsError: a policy says which part of it may be used, which is found in its octets alone.
    """
    cell = row.cells[usages.index(usage)]
    if cell.outcome != "permitted" or not text.strip():
        return None
    if any(restriction.name == MUST_USE for answers in row.answers for restriction in answers[usage].restrictions):
        raise NeedsOctetsError(row.resource.url)
    return UsableText(row, text, cell.restrictions)


class NeedsOctetsError(Exception):
    """The kept statements of a resource are not enough to tell its text."""


def _text(auditor: Auditor, row: AuditRow, carriers: Carriers, usage: str, octets: bytes) -> str:
    if carriers.form == "text":
        return decode(octets, content_type(row.resource.headers)).text
    if carriers.form not in ("page", "open"):
        return ""
    page, url = carriers.policy, canonical(row.resource.url)
    contents = [
        content_for(
            page.asking(
                crawler=auditor.crawler,
                purpose=auditor.purpose,
                at=row.at,
                robots=policy,
                others=sources_of(policy),
                url=url,
            ),
            usage,
        )
        for policy in row.policies
    ]
    # The text of a whole page is the same for all of them, and is read once.
    whole = next((content for content in contents if content.is_whole), None)
    texts = {(whole if whole is not None and content.is_whole else content).text for content in contents}
    return texts.pop() if len(texts) == 1 else ""


def batch_of(texts: Sequence[UsableText]) -> pa.RecordBatch:
    """Texts as a batch of Arrow with the columns of `SCHEMA`."""
    evidence = [evidence_columns(text.row) for text in texts]
    columns = [
        [plain(text.row.resource.url) for text in texts],
        [text.row.resource.at for text in texts],
        [plain(text.text) for text in texts],
        [list(text.restrictions) for text in texts],
        [digest for digest, _ in evidence],
        [digest for _, digest in evidence],
    ]
    arrays = [pa.array(values, kind) for values, kind in zip(columns, SCHEMA.types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)
