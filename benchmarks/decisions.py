"""The decision service under load: its processor time, how long requests take at half of what it can, and its memory.

Everything is on the loopback interface: sites that serve real files of the corpus, each at an address of its own, the
service as a process, and this program, which asks. Answers are compared with the verdicts of the corpus.

``python -m benchmarks.decisions [SECONDS]`` prints what it measures; the long run takes so many seconds (330).
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import random
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import cycle
from operator import eq
from pathlib import Path

from benchmarks import corpus
from benchmarks.corpus import CRAWLER, SITE, File

SITES = 500
URLS = 1_000  # of a batch: fifty sites with twenty URLs each
SMALL = 250  # of a batch at half load: what a crawler asks that does not want to wait
CLOSED = 2  # connections that ask again as soon as they are answered
SECONDS = 20.0  # of each of the short runs
ROUNDS = 5  # into which the first run is divided
LONG = 330.0
KILLS = 5
OBJECTS, READ = 400_000, 50_000  # of a loop that takes as long as a request, and how many of them it reads
GOAL = 200_000.0  # decisions a second of processor time
GOAL_MILLISECONDS = 20.0  # of 99 in 100 requests at half load
GOAL_GROWTH = 1.05  # of the memory from the first minute of the long run to its end
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclasses.dataclass(frozen=True, slots=True)
class Measured:
    """What was found. Speeds are decisions a second, times milliseconds, memory octets."""

    sites: int
    urls: int
    agreement: float
    speeds: list[float]
    by_clock: list[float]
    small: int
    offered: float
    asking: float
    """The share of a processor that this program took at half load."""
    took: list[list[float]]
    """Of each round at half load: the median, of 99 in 100, the greatest."""
    took_long: list[float]
    stalls: list[float]
    """The same of a loop that reads memory, while nobody asks anything."""
    minutes: float
    decided: int
    memory: dict[str, int]
    kills: dict[str, int]


class Server:
    """The service as a process."""

    def __init__(self, process: asyncio.subprocess.Process, port: int) -> None:
        self.process = process
        self.port = port

    def seconds(self) -> float:
        """Its processor time so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def octets(self) -> int:
        """Its resident memory."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * _PAGE


@asynccontextmanager
async def serving(port: int = 0) -> AsyncIterator[Server]:
    """A service that is killed in the end."""
    command = ("-m", "acap.cli.main", "serve", "--decisions", "--allow-private", "--port", str(port))
    process = await asyncio.create_subprocess_exec(sys.executable, *command, stdout=asyncio.subprocess.PIPE)
    try:
        assert process.stdout is not None
        found = re.search(rb":(\d+)/", await process.stdout.readline())
        assert found is not None
        yield Server(process, int(found[1]))
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


class Connection:
    """A connection that asks; what it is told is read whole."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, body: bytes) -> tuple[int, bytes]:
        """The status and the body of an answer. Raises OSError or EOFError where none comes."""
        if self._streams is not None and self._streams[0].at_eof():  # it was idle for too long
            self.close()
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 20)
        reader, writer = self._streams
        head = "POST /v1/decisions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        told = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", told)
        assert length is not None
        return int(told.split(b" ", 2)[1]), await reader.readexactly(int(length[1]))

    def close(self) -> None:
        """Ends it."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


@dataclasses.dataclass(frozen=True, slots=True)
class Load:
    """Batches, and of each the verdicts of the corpus."""

    bodies: list[bytes]
    allowed: list[list[bool]]

    @classmethod
    def of(cls, files: list[File], hosts: list[str], count: int) -> Load:
        """Batches over the sites at the hosts, in an order that is the same each time."""
        draw = random.Random(9309)
        bodies, allowed = [], []
        for _ in range(40):
            urls: list[str] = []
            verdicts: list[bool] = []
            for place in draw.sample(range(len(files)), len(files)):
                urls += (hosts[place] + url.removeprefix(SITE) for url in files[place].urls)
                verdicts += files[place].allowed
                if len(urls) >= count:
                    break
            bodies.append(json.dumps({"crawler": CRAWLER, "urls": urls[:count]}).encode())
            allowed.append(verdicts[:count])
        return cls(bodies, allowed)


@asynccontextmanager
async def sites(files: list[File]) -> AsyncIterator[list[str]]:
    """Serves each file at an address of its own; their URLs without a path."""
    by_address = {f"127.1.{number // 250}.{number % 250 + 1}": file for number, file in enumerate(files)}

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, EOFError):
            await reader.readuntil(b"\r\n\r\n")
            octets = by_address[writer.get_extra_info("sockname")[0]].octets
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(octets) + octets)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, list(by_address), 8099)
    async with server:
        yield [f"http://{address}:8099" for address in by_address]


async def agreement(connection: Connection, load: Load) -> tuple[float, list[list[bool]]]:
    """The share of answers that are those of the corpus, once every policy is known; and which permit, by batches."""
    same, count, permitted = 0, 0, list[list[bool]]()
    for _ in range(2):
        same, count, permitted = 0, 0, []
        for body, allowed in zip(load.bodies, load.allowed, strict=True):
            status, told = await connection.ask(body)
            assert status == 200, told
            rows = json.loads(told)["answers"]
            permitted.append([row["outcome"] == "permitted" for row in rows])
            same += sum(map(eq, permitted[-1], allowed))
            count += len(rows)
    return same / count, permitted


async def closed(server: Server, load: Load, seconds: float) -> tuple[float, float]:
    """Decisions a second of the server's processor time, and by the clock, while some connections never rest."""
    bodies = cycle(load.bodies)
    until, began, used, answered = time.monotonic() + seconds, time.monotonic(), server.seconds(), 0

    async def work() -> None:
        nonlocal answered
        connection = Connection(server.port)
        while time.monotonic() < until:
            status, _ = await connection.ask(next(bodies))
            assert status == 200
            answered += len(load.allowed[0])
        connection.close()

    await asyncio.gather(*(work() for _ in range(CLOSED)))
    return answered / (server.seconds() - used), answered / (time.monotonic() - began)


async def opened(server: Server, load: Load, rate: float, seconds: float, minute: list[int]) -> list[float]:
    """How long requests took, in seconds, that come at random at a rate, whether those before are answered or not.

    The time is from when a request was due. `minute` gets the server's memory, once a second.
    """
    draw, bodies, took = random.Random(9309), cycle(load.bodies), list[float]()
    free: list[Connection] = []
    under_way: set[asyncio.Task[None]] = set()

    async def work(due: float) -> None:
        connection = free.pop() if free else Connection(server.port)
        status, _ = await connection.ask(next(bodies))
        assert status == 200
        took.append(time.monotonic() - due)
        free.append(connection)

    due = began = time.monotonic()
    while (due := due + draw.expovariate(rate)) < began + seconds:
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        task = asyncio.create_task(work(due))
        under_way.add(task)
        task.add_done_callback(under_way.discard)
        if len(minute) < time.monotonic() - began:
            minute.append(server.octets())
    await asyncio.gather(*under_way)
    for connection in free:
        connection.close()
    return took


async def killed(load: Load, permitted: list[list[bool]]) -> dict[str, int]:
    """Kills the service under load and starts it again: how many requests were answered whole, failed, or were wrong.

    An answer is wrong if a row is missing, or permits what was not `permitted` before.
    """
    results: Counter[str] = Counter()
    async with serving() as server:
        port = server.port
    done = asyncio.Event()

    async def work() -> None:
        connection = Connection(port)
        while not done.is_set():
            place = random.randrange(len(load.bodies))
            try:
                status, told = await asyncio.wait_for(connection.ask(load.bodies[place]), 10)
                rows = json.loads(told)["answers"] if status == 200 else []
            except (OSError, EOFError, ValueError, TimeoutError):
                results["failed"] += 1
                connection.close()
                await asyncio.sleep(0.02)
                continue
            right = len(rows) == URLS and all(
                may or row["outcome"] != "permitted" for row, may in zip(rows, permitted[place], strict=True)
            )
            results["whole" if right else "wrong"] += 1
        connection.close()

    tasks = [asyncio.create_task(work()) for _ in range(4)]
    for _ in range(KILLS):
        async with serving(port) as server:
            before = results["whole"]
            while results["whole"] < before + 20:
                await asyncio.sleep(0.01)
            server.process.kill()
            await server.process.wait()
    done.set()
    await asyncio.gather(*tasks)
    return {"times": KILLS, **{name: results[name] for name in ("whole", "failed", "wrong")}}


async def run(long: float) -> Measured:
    """Measures everything."""
    files = [file for file in corpus.load() if len(file.urls) == 20][:SITES]
    async with sites(files) as hosts:
        load, small = Load.of(files, hosts, URLS), Load.of(files, hosts, SMALL)
        async with serving() as server:
            connection = Connection(server.port)
            agrees, permitted = await agreement(connection, load)
            connection.close()
            rounds = [await closed(server, load, SECONDS / ROUNDS) for _ in range(ROUNDS)]
            rate = (await closed(server, small, SECONDS / ROUNDS))[0] / 2 / SMALL
            own = time.process_time()
            took = [times(await opened(server, small, rate, SECONDS / ROUNDS, [])) for _ in range(ROUNDS)]
            own = (time.process_time() - own) / SECONDS
            memory: list[int] = []
            many = await opened(server, small, rate, long, memory)
        stalls = times(stalled())
        kills = await killed(load, permitted)
    first = memory[min(60, len(memory) // 2) :]
    return Measured(
        len(files), URLS, agrees, [one for one, _ in rounds], [one for _, one in rounds],
        SMALL, rate * SMALL, own, took, times(many), stalls,
        long / 60, len(many) * SMALL,
        {
            "after a minute": first[0], "least": min(first), "greatest": max(first),
            "in the end": statistics.median_low(first[-10:]),
        },
        kills,
    )  # fmt: skip


def stalled() -> list[float]:
    """How long a loop over objects that lie far apart takes, again and again, in seconds: what the machine adds."""
    objects = [f"{number}" for number in range(OBJECTS)]
    orders = cycle([random.sample(objects, READ) for _ in range(8)])
    took: list[float] = []
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        began = time.perf_counter()
        for one in next(orders):
            len(one)
        took.append(time.perf_counter() - began)
    return took


def times(took: list[float]) -> list[float]:
    """The median, that of 99 in 100, and the greatest, in milliseconds."""
    took = sorted(took)
    return [took[place] * 1e3 for place in (len(took) // 2, int(len(took) * 0.99), -1)]


def measure(long: float = LONG) -> Measured:
    """Runs all of it."""
    return asyncio.run(run(long))


def main() -> None:
    found = measure(float(sys.argv[1]) if len(sys.argv) > 1 else LONG)
    print(json.dumps(dataclasses.asdict(found), indent=1))


if __name__ == "__main__":
    main()
