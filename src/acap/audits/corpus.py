"""The usable text of what is audited, for those who build data sets: nothing else leaves the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa

from acap.archives.site_documents import sources_of
from acap.audits.rows import AuditedResource, Auditor, AuditRow, evidence_columns, plain
from acap.carriers import Carriers
from acap.pages.encoding import decode
from acap.pages.extraction import content_for
from acap.pages.media_types import content_type
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
    row, found = auditor.judged(resource)
    cell = row.cells[auditor.usages.index(usage)]
    if found is None or resource.octets is None or cell.outcome != "permitted":
        return row, None
    text = _text(auditor, row, found, usage, resource.octets)
    return row, UsableText(row, text, cell.restrictions) if text.strip() else None


def _text(auditor: Auditor, row: AuditRow, found: Carriers, usage: str, octets: bytes) -> str:
    if found.form == "text":
        return decode(octets, content_type(row.resource.headers)).text
    if found.form not in ("page", "open"):
        return ""
    page, url = found.policy, canonical(row.resource.url)
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
    whole = next((one for one in contents if one.is_whole), None)
    texts = {(whole if whole is not None and one.is_whole else one).text for one in contents}
    return texts.pop() if len(texts) == 1 else ""


def batch_of(texts: Sequence[UsableText]) -> pa.RecordBatch:
    """Texts as a batch of Arrow with the columns of `SCHEMA`."""
    evidence = [evidence_columns(one.row) for one in texts]
    columns = [
        [plain(one.row.resource.url) for one in texts],
        [one.row.resource.at for one in texts],
        [plain(one.text) for one in texts],
        [list(one.restrictions) for one in texts],
        [digest for digest, _ in evidence],
        [digest for _, digest in evidence],
    ]
    arrays = [pa.array(values, kind) for values, kind in zip(columns, SCHEMA.types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)
