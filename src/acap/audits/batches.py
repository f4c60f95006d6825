"""How much of a table is in memory at once, however little of a file its rows take.

Rows may share a value: a Parquet file has it once, in a dictionary or as a prefix, and so has Arrow in dictionaries and
views. A kilobyte of a file is then gigabytes of rows. So shared values stay shared, and where they cannot, a batch has
as few rows as their octets require.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

_RESERVED = 1024
"""Values of a fixed size that Arrow makes room for at once, however few are asked for."""

_LEAST = 16
"""Rows of a batch, however large the values might be. How long a value with a shared prefix is, only reading tells: it
may have all the octets of its column, but hardly ever has."""


class Room(NamedTuple):
    """The most that a batch has, but for its last row."""

    rows: int
    octets: int


class _Chunk(NamedTuple):
    """A column of a group of rows."""

    path: str
    octets: int  # as they are encoded
    leaves: int  # values of a row, on average; several in lists
    width: int  # octets of each value, if each has as many
    is_text: bool
    is_shared: bool  # rows may share its values in a dictionary
    has_prefixes: bool  # values may have prefixes that are in the file once
    is_delta: bool  # Arrow makes no dictionary of it

    def at_most(self, room: Room) -> int:
        """Octets that rows of a batch may have, if each of them has the largest value there might be."""
        return room.rows * self.leaves * (self.width or self.octets)


def parquet_batches(
    path: Path,
    metadata: pq.FileMetaData,
    room: Room,
    columns: Sequence[str] | None = None,
    groups: Sequence[int] | None = None,
) -> Iterator[pa.RecordBatch]:
    """Rows of a file in which large values that they share are dictionaries: of the columns and groups, or of all.

    `metadata` is that of the file, which whoever knows its columns has read.

    Raises:
        OSError, ArrowException: the file cannot be read, or values of a column are of a large fixed size.
    """
    read = range(metadata.num_row_groups) if groups is None else groups
    chunks = {number: list(_chunks(metadata, number, columns)) for number in read}
    counts = {number: metadata.row_group(number).num_rows for number in chunks}
    for chunk in (chunk for each in chunks.values() for chunk in each):
        if chunk.width * _RESERVED > room.octets:
            raise pa.ArrowInvalid(
                f"each value of the column `{chunk.path}` has {chunk.width:,} octets; write it as binary"
            )
    shared = _shared(chunks, room)
    rows = {number: _rows(each, counts[number], shared, room) for number, each in chunks.items()}
    with pq.ParquetFile(path, metadata=metadata, read_dictionary=shared, buffer_size=1 << 20, pre_buffer=False) as file:
        for most, numbers in groupby(chunks, key=rows.__getitem__):
            yield from file.iter_batches(batch_size=most, row_groups=list(numbers), columns=columns)


def _chunks(metadata: pq.FileMetaData, number: int, columns: Sequence[str] | None) -> Iterator[_Chunk]:
    group = metadata.row_group(number)
    for place in range(group.num_columns):
        column = group.column(place)
        path, kind = column.path_in_schema, metadata.schema.column(place)
        if columns is not None and not any(path == name or path.startswith(f"{name}.") for name in columns):
            continue
        is_text = kind.physical_type == "BYTE_ARRAY"
        yield _Chunk(
            path,
            max(1, column.total_uncompressed_size),
            -(-max(1, column.num_values) // max(1, group.num_rows)),
            0 if is_text else max(8, kind.length or 0),
            is_text,
            column.has_dictionary_page or any("DICTIONARY" in encoding for encoding in column.encodings),
            "DELTA_BYTE_ARRAY" in column.encodings,
            any(encoding.startswith("DELTA") for encoding in column.encodings),
        )


def _shared(chunks: Mapping[int, Iterable[_Chunk]], room: Room) -> list[str]:
    """The columns whose values are to be dictionaries."""
    shared: dict[str, None] = {}
    never = set()
    for chunk in (chunk for each in chunks.values() for chunk in each if chunk.is_text):
        if chunk.is_delta:
            never.add(chunk.path)
        elif chunk.is_shared and chunk.at_most(room) > room.octets:
            shared[chunk.path] = None
    return [path for path in shared if path not in never]


def _rows(chunks: Iterable[_Chunk], count: int, shared: Sequence[str], room: Room) -> int:
    """How many rows of a group a batch may have: a power of two, so that groups of a kind are read together."""
    plain = each = 0
    for chunk in chunks:
        if chunk.width or (chunk.path not in shared and (chunk.is_shared or chunk.has_prefixes)):
            each += chunk.leaves * (chunk.width or chunk.octets)
        else:
            plain += chunk.octets
    most = min(room.rows, room.octets // max(1, plain // max(1, count)))
    most = min(most, max(_LEAST, room.octets // max(1, each)))
    return 1 << max(1, most).bit_length() - 1


def divided(batch: pa.RecordBatch, room: Room, columns: Iterable[str]) -> Iterator[pa.RecordBatch]:
    """A batch in pieces, whose values in some columns take up the room at most if no row shares any."""
    names = list(columns)
    for start in range(0, batch.num_rows, room.rows):
        piece = batch.slice(start, room.rows)
        arrays = [piece.column(name) for name in names]
        if sum(array.nbytes for array in arrays) <= room.octets and not any(map(_is_sharing, arrays)):
            yield piece
        else:
            yield from _cut(piece, arrays, room.octets)


def _cut(batch: pa.RecordBatch, arrays: Iterable[pa.Array], most: int) -> Iterator[pa.RecordBatch]:
    start = held = 0
    for place, sizes in enumerate(zip(*(octets_of_values(array).to_pylist() for array in arrays), strict=True)):
        if held >= most:
            yield batch.slice(start, place - start)
            start, held = place, 0
        held += sum(sizes)
    yield batch.slice(start)


def _is_sharing(array: pa.Array) -> bool:
    return pa.types.is_dictionary(array.type) or is_view(array.type)


def is_view(kind: pa.DataType) -> bool:
    """Whether values of a type are views of octets, which others may have too."""
    return bool(pa.types.is_string_view(kind) or pa.types.is_binary_view(kind))


def octets_of_values(array: pa.Array) -> pa.Array:
    """How many octets each value has, though others may share them; of what is no text, none are counted."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        sizes = octets_of_values(array.dictionary).take(array.indices)
    elif is_view(kind):
        # Arrow has no function for these: each value is four numbers, of which the first is its length.
        numbers = memoryview(array.buffers()[1]).cast("B").cast("i")
        sizes = pa.array(numbers[4 * array.offset : 4 * (array.offset + len(array)) : 4].tolist(), pa.int64())
        sizes = pc.if_else(array.is_valid(), sizes, 0)
    elif any(is_kind(kind) for is_kind in _TEXTS):
        sizes = pc.binary_length(array)
    else:
        sizes = pa.repeat(0, len(array))
    return sizes.cast(pa.int64()).fill_null(0)


_TEXTS = (
    pa.types.is_string,
    pa.types.is_binary,
    pa.types.is_large_string,
    pa.types.is_large_binary,
    pa.types.is_fixed_size_binary,
)
