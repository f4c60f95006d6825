"""Of rows that share a large value few are in memory at a time, whatever the type of their column."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from acap.audits.batches import Room, divided, octets_of_values, parquet_batches

_ROOM = 320 * 2**20
_READING = """
import resource, sys
from pathlib import Path
from acap.audits.inputs import InputPart, resources
from acap.audits.robots_captures import RobotsCaptures
command, file, room = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + room, taken + room))
if command == "survey":
    print(sum(batch.num_rows for batch in RobotsCaptures([file])))
else:
    form = "arrow" if file.suffix == ".arrow" else "parquet"
    problems = []
    print(sum(1 for _ in resources(InputPart(file, form, (0,)), problems.append)), *problems)
"""
_COLUMNS = {"audit": "content", "survey": "robots"}
_LARGE = "User-agent: *\nDisallow: /\n#" + "x" * (2 * 2**20)
_COUNT = 256
_HEADERS = pa.list_(pa.struct([("name", pa.string()), ("value", pa.string())]))
_KINDS = {
    "string": pa.string(), "large_string": pa.large_string(), "large_binary": pa.large_binary(),
    "string_view": pa.string_view(), "binary_view": pa.binary_view(), "headers": _HEADERS, "prefixes": pa.string(),
}  # fmt: skip


def shared(kind: str) -> pa.Array:
    """Rows of a value, all the same."""
    if kind == "headers":
        return pa.array([[{"name": "x-a", "value": _LARGE}]], _HEADERS).take(pa.array([0] * _COUNT))
    value = pa.scalar(_LARGE.encode() if "binary" in kind else _LARGE, _KINDS[kind])
    return pa.array([value.as_py()] * _COUNT, _KINDS[kind])


def written(folder: Path, kind: str, command: str) -> Path:
    """A small file of such rows, in one group."""
    columns = {"url": [f"https://a.example/{n}" for n in range(_COUNT)]}
    columns["headers" if kind == "headers" else _COLUMNS[command]] = shared(kind)
    options: dict[str, object] = {"use_dictionary": True, "dictionary_pagesize_limit": 2**30}
    if kind == "prefixes":
        options = {"use_dictionary": False, "column_encoding": {_COLUMNS[command]: "DELTA_BYTE_ARRAY"}}
    file = folder / f"{kind}.parquet"
    pq.write_table(pa.table(columns), file, compression="zstd", write_batch_size=8, **options)
    assert file.stat().st_size < 2**20
    return file


def rows_read(command: str, file: Path) -> tuple[str, str]:
    """What a process of little memory reads of a file."""
    asked = [sys.executable, "-c", _READING, command, str(file), str(_ROOM)]
    came = subprocess.run(asked, capture_output=True, text=True, check=False)
    return came.stdout.strip(), came.stderr[-300:]


@pytest.mark.skipif(sys.platform != "linux", reason="it limits the memory of a process, as Linux does")
@pytest.mark.parametrize(("command", "kind"), [
    ("audit", "large_string"), ("audit", "binary_view"), ("audit", "headers"), ("audit", "prefixes"),
    ("survey", "string"), ("survey", "large_binary"), ("survey", "string_view"), ("survey", "prefixes"),
])  # fmt: skip
def test_a_small_parquet_file_takes_little_memory(tmp_path: Path, kind: str, command: str) -> None:
    assert rows_read(command, written(tmp_path, kind, command)) == (str(_COUNT), "")


@pytest.mark.skipif(sys.platform != "linux", reason="it limits the memory of a process, as Linux does")
@pytest.mark.parametrize(("command", "kind"), [("audit", "view"), ("survey", "dictionary")])
def test_a_small_arrow_file_takes_little_memory(tmp_path: Path, kind: str, command: str) -> None:
    if kind == "view":
        # Length, first octets, and where the rest is: all are views of one text.
        views = struct.pack("<i4sii", len(_LARGE), _LARGE[:4].encode(), 0, 0) * _COUNT
        buffers = [None, pa.py_buffer(views), pa.py_buffer(_LARGE.encode())]
        values = pa.Array.from_buffers(pa.string_view(), _COUNT, buffers)
    else:
        values = pa.DictionaryArray.from_arrays(pa.array([0] * _COUNT, pa.int32()), pa.array([_LARGE]))
    table = pa.table({"url": ["https://a.example/"] * _COUNT, _COLUMNS[command]: values})
    with pa.ipc.new_file(tmp_path / "a.arrow", table.schema) as file:
        file.write_table(table)
    assert (tmp_path / "a.arrow").stat().st_size < 16 * 2**20
    assert rows_read(command, tmp_path / "a.arrow") == (str(_COUNT), "")


def test_values_of_a_large_fixed_size_are_refused_in_a_line(tmp_path: Path) -> None:
    """Arrow makes room for a thousand of them, whatever is asked for."""
    pq.write_table(
        pa.table({"url": ["https://a.example/"], "content": pa.array([b"x" * 2**20], pa.binary(2**20))}),
        tmp_path / "a.parquet",
    )
    said = r"^each value of the column `content` has 1,048,576 octets; write it as binary$"
    with pytest.raises(pa.ArrowInvalid, match=said):
        list(parquet_batches(tmp_path / "a.parquet", pq.read_metadata(tmp_path / "a.parquet"), Room(256, 2**27)))


@pytest.mark.parametrize("of", [pa.string(), pa.large_binary(), pa.string_view(), pa.binary_view()])
def test_octets_are_those_of_each_value_wherever_an_array_begins(of: pa.DataType) -> None:
    values = pa.array(["aaaa", None, "b" * 40, ""]).cast(pa.binary() if "binary" in str(of) else pa.string())
    array = pa.array(values.to_pylist(), of)
    assert octets_of_values(array[1:]).to_pylist() == [0, 40, 0]
    places = pa.array([2, None, 0, 2], pa.int8())
    assert octets_of_values(pa.DictionaryArray.from_arrays(places, array)).to_pylist() == [40, 0, 4, 40]
    batch = pa.record_batch({"a": pa.DictionaryArray.from_arrays(places, array)})
    assert [each.num_rows for each in divided(batch, Room(4, 41), ["a"])] == [3, 1]


def test_rows_come_in_their_order_whatever_groups_they_are_in(tmp_path: Path) -> None:
    """Groups with large values and groups without have batches of different sizes."""
    texts = ["x" * (100_000 if (n // 50) % 3 == 1 else 3) + str(n) for n in range(1000)]
    pq.write_table(pa.table({"a": range(1000), "b": texts}), tmp_path / "a.parquet", row_group_size=50)
    room, metadata = Room(64, 2**20), pq.read_metadata(tmp_path / "a.parquet")
    read = list(parquet_batches(tmp_path / "a.parquet", metadata, room, ["a", "b"]))
    assert [place for batch in read for place in batch["a"].to_pylist()] == list(range(1000))
    assert [text for batch in read for text in batch["b"].to_pylist()] == texts
    assert {batch.num_rows for batch in parquet_batches(tmp_path / "a.parquet", metadata, room, ["a"], [1, 3])} == {
        64,
        36,
    }
