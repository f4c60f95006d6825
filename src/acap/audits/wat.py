"""WAT files: what Common Crawl keeps of its responses beside their text: headers, META tags and links of the head."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from acap.archives.members import Feed, gzip_members, is_gzip, pieces
from acap.archives.splits import opened_part
from acap.archives.warc import records
from acap.audits.columns import instant_of
from acap.audits.header_values import headers_of
from acap.audits.rows import AuditedResource
from acap.audits.written import status_of
from acap.json_members import members
from acap.pages.headers import PAGES, media_type
from acap.retrieval.locations import canonical

_NAME = re.compile(r"[A-Za-z_:][A-Za-z0-9_:.-]*")
_MOST = 64 * 2**20  # octets of a record


def read_wat(
    path: Path, report: Callable[[str], None], span: tuple[int, int] | None = None
) -> Iterator[AuditedResource]:
    """The responses of a WAT file. Of a page it has the META tags and links; its elements are not heard.

    `span` is as `part` of `read_warc`.

    Raises:
        OSError: the file cannot be opened.
    """

    begin = 0 if span is None else span[0]

    def damaged(offset: int, message: str, *_: Any, **__: Any) -> None:
        report(f"{path}: octet {begin + offset}: {message}")

    with opened_part(path, span) as stream:
        is_packed = is_gzip(stream)
        feeds = gzip_members(stream, damaged) if is_packed else iter([(0, Feed(pieces(stream)))])
        for offset, record in records(feeds, damaged, _MOST, is_packed=is_packed):
            if record is None or record.kind != "metadata":
                continue
            try:
                envelope = json.loads(record.block, object_pairs_hook=members)["Envelope"]
                resource = _resource(envelope)
            except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
                report(f"{path}: octet {begin + offset}: the metadata cannot be read ({type(error).__name__})")
                # It may have been of a response, and what it said is lost.
                resource = _lost(record.fields.get("warc-target-uri", ""))
            if resource is not None:
                yield resource


def _resource(envelope: Mapping[str, Any]) -> AuditedResource | None:
    about = envelope["WARC-Header-Metadata"]
    if about.get("WARC-Type") not in ("response", "revisit"):
        return None
    answer = envelope.get("Payload-Metadata", {}).get("HTTP-Response-Metadata", {})
    status = status_of(answer.get("Response-Message", {}).get("Status"))
    headers = _without_lengths(headers_of(answer.get("Headers", {})))
    page = answer.get("HTML-Metadata")
    url, at = str(about["WARC-Target-URI"]), instant_of(about.get("WARC-Date"))
    why = ""
    if about["WARC-Type"] == "revisit":
        why = "its octets are in another record"
    elif "WARC-Truncated" in about:
        why = "the record was cut when it was made"
    elif page is None and media_type(headers) in ("", *PAGES):
        why = "the metadata has nothing of its page"
    if why:
        return AuditedResource(url, at, status, headers, b"", unread=why)
    return AuditedResource(url, at, status, headers, None if page is None else _head(page.get("Head") or {}))


def _lost(url: str) -> AuditedResource | None:
    """What is known of a page whose metadata cannot be read; None without the URL of one."""
    try:
        return AuditedResource(canonical(url), None, unreadable="its metadata cannot be read")
    except ValueError:
        return None


def _head(head: Mapping[str, Any]) -> bytes:
    """The head of a page with these tags."""
    tags = [("meta", attributes) for attributes in head.get("Metas", ())]
    tags += [("link", {"href": attributes.get("url", ""), **attributes}) for attributes in head.get("Link", ())]
    lines = [f"<{name}{_attributes(attributes)}>" for name, attributes in tags]
    return "\n".join(("<!doctype html>", "<title></title>", *lines)).encode("utf-8", "surrogatepass")


def _attributes(attributes: Mapping[str, Any]) -> str:
    return "".join(f' {name}="{escape(str(value))}"' for name, value in attributes.items() if _NAME.fullmatch(name))


def _without_lengths(headers: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Headers without those that say how long the body was, or how it was coded: it is not here."""
    gone = {"content-length", "content-encoding", "transfer-encoding"}
    return tuple(header for header in headers if header[0].lower() not in gone)
