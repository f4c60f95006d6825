"""Questions and answers as Arrow IPC streams, where pyarrow is installed.

A stream of strangers is hostile: one that is compressed may be a thousand times as large as it came, so it is refused,
and what its buffers say is validated before a text is taken out.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from functools import cache
from types import ModuleType

from acap.web.decisions.answers import Rows
from acap.web.decisions.bounds import ROWS
from acap.web.decisions.questions import NotAnsweredError, Questions, questions

MEDIA_TYPE = "application/vnd.apache.arrow.stream"

_EARLIER_CODEC = b"ARROW:experimental_compression"


@cache
def pyarrow() -> ModuleType | None:
    """The library, if it is installed."""
    try:
        import pyarrow
        import pyarrow.ipc
    except ModuleNotFoundError:
        return None
    module: ModuleType = pyarrow
    return module


def from_arrow(body: bytes, asked: Mapping[str, list[str]]) -> Questions:
    """The questions of a stream with a column `url`; who asks for what is in `asked`, as `from_query` gives it.

    Raises NotAnsweredError.
    """
    library = pyarrow()
    assert library is not None
    try:
        urls = _urls(library, body)
    except (library.ArrowException, ValueError, KeyError, TypeError, struct.error, IndexError, OSError) as error:
        message = " ".join(str(error).split())[:200]
        raise NotAnsweredError(
            400, f"the body is not an Arrow IPC stream with texts in a column `url`: {message}"
        ) from None
    deadline = asked.get("deadline_ms", [""])[0]
    if deadline and not (deadline.isascii() and deadline.isdigit() and len(deadline) < 10):
        raise NotAnsweredError(400, "`deadline_ms` must be a positive number of milliseconds")
    return questions(
        asked.get("crawler"), asked.get("usages"), asked.get("purpose"), urls, int(deadline) if deadline else None
    )


def _urls(library: ModuleType, body: bytes) -> list[str | None]:
    """The texts of the column. Raises what a broken stream makes pyarrow or `struct` raise."""
    messages = library.ipc.MessageReader.open_stream(body)
    while True:
        try:
            message = messages.read_next_message()
        except StopIteration:
            break
        if message.type not in ("schema", "record batch"):
            raise ValueError(f"it has a message of the type `{message.type}`, and only texts are read")
        if message.type == "record batch" and _is_compressed(message.metadata.to_pybytes()):
            raise ValueError("its buffers are compressed; send them as they are")
    urls: list[str | None] = []
    with library.ipc.open_stream(body) as reader:
        place = reader.schema.get_field_index("url")
        if place < 0 or reader.schema.field(place).type not in (library.string(), library.large_string()):
            raise ValueError("there is no column `url` of the type string or large_string")
        for batch in reader:
            batch.validate(full=True)
            if len(urls) + batch.num_rows > ROWS:
                raise NotAnsweredError(413, f"more than {ROWS} URLs; ask in parts")
            urls += batch.column(place).to_pylist()
    return urls


def _is_compressed(metadata: bytes) -> bool:
    """Whether a record batch says that its buffers are compressed: field 3 of its table (Message.fbs, RecordBatch).

    Arrow 0.17 named the codec in the custom metadata of the message, and pyarrow still believes that.
    """
    if _EARLIER_CODEC in metadata:
        return True
    message = struct.unpack_from("<I", metadata)[0]
    header = _field(metadata, message, 2)
    if header is None:
        raise ValueError("a record batch has no header")
    batch = header + struct.unpack_from("<I", metadata, header)[0]
    return _field(metadata, batch, 3) is not None


def _field(metadata: bytes, table: int, number: int) -> int | None:
    """Where a field of a table of FlatBuffers is, None if it has none."""
    names = table - struct.unpack_from("<i", metadata, table)[0]
    if names < 0:
        raise ValueError("a table is not whole")
    length = struct.unpack_from("<H", metadata, names)[0]
    entry = 4 + 2 * number
    offset = struct.unpack_from("<H", metadata, names + entry)[0] if entry + 2 <= length else 0
    return table + offset if offset else None


def to_arrow(_: Questions, rows: Rows) -> bytes:
    """The answers as a stream."""
    library = pyarrow()
    assert library is not None
    text, number = library.string(), library.int64()
    types = {
        "usage": text, "outcome": text, "kind": text, "line": number, "rule": text,
        "restrictions": library.list_(text), "age": number, "stale": library.bool_(), "error": text,
        "retry_after": number,
    }  # fmt: skip
    places = library.array(rows.places, library.int32())
    urls = [url for url in rows.urls for _ in range(rows.width)] if rows.width > 1 else rows.urls
    columns = {"url": library.array(urls, text)}
    for name, type_ in types.items():
        columns[name] = library.array([getattr(answer, name) for answer in rows.distinct], type_).take(places)
    table = library.table(columns)
    sink = library.BufferOutputStream()
    with library.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    octets: bytes = sink.getvalue().to_pybytes()
    return octets
