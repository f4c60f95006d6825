"""The clients of `examples/clients`, compiled and run: they permit what the service permits, and nothing without it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.decision_process import TOKEN, decision_process
from tests.loopback import Loopback, reply

CLIENTS = Path(__file__).resolve().parent.parent / "examples/clients"
POLICY = b"User-agent: *\nDisallow: /private/\nACAP-crawler: *\nACAP-allow-index: / time-limit=5-days\n"
URLS = ("http://a.example/1", "http://a.example/2")
LATER = 20.0  # seconds for which a server hangs: longer than a client waits


def program(name: str) -> str:
    """The path of a program. Where it is missing the test is skipped with its reason."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is missing")
    return found


def go(folder: Path) -> list[str]:
    """The client in Go, built and vetted."""
    tool, source = program("go"), CLIENTS / "go"
    stale = subprocess.run([tool, "list", "-f", "{{.Stale}}", "net/http"], cwd=source, capture_output=True, text=True)
    if stale.stdout.strip() != "false" and os.environ.get("CI") != "true":
        pytest.skip("the build cache of Go is cold, and filling it takes a minute: go build net/http")
    for command in (("vet", "./..."), ("build", "-o", str(folder / "ask"), "./cmd/ask")):
        done = subprocess.run([tool, *command], cwd=source, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
    written = subprocess.run(
        [str(Path(tool).with_name("gofmt")), "-l", "."], cwd=source, capture_output=True, text=True
    )
    assert written.stdout == ""
    return [str(folder / "ask")]


def java(folder: Path) -> list[str]:
    """The client in Java, compiled without a warning."""
    sources = sorted(map(str, (CLIENTS / "java").glob("*.java")))
    command = [program("javac"), "-Xlint:all", "-Werror", "--release", "17", "-d", str(folder), *sources]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return [program("java"), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", str(folder), "DecisionFilter"]


@pytest.fixture(scope="module", params=[go, java], ids=["go", "java"])
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command that asks, without its arguments."""
    make: Callable[[Path], list[str]] = request.param
    return make(tmp_path_factory.mktemp("client"))


def started(client: list[str], service: str, usages: str, urls: tuple[str, ...]) -> subprocess.Popen[str]:
    """A client that asks about URLs."""
    running = subprocess.Popen(
        [*client, service, "bot", usages], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env={**os.environ, "ACAP_DECISIONS_TOKEN": TOKEN},
    )  # fmt: skip
    assert running.stdin is not None
    with suppress(BrokenPipeError):
        running.stdin.write("\n".join(urls) + "\n")
        running.stdin.close()
    running.stdin = None
    return running


def permissions(running: subprocess.Popen[str]) -> list[list[str]]:
    """What a client printed: whether a URL is permitted, the URL, and its restrictions."""
    out, _ = running.communicate(timeout=60)
    return [line.split("\t") for line in out.splitlines()]


def test_a_client_permits_what_the_service_permits(client: list[str]) -> None:
    """Each URL has the answer of its site, in more than one request, and the restrictions stand beside it."""
    with Loopback(says={"/robots.txt": reply(body=POLICY)}) as site, decision_process() as service:
        odd = ("http://127.0.0.1:9/", "nothing", "", site.url("/größe?ä=\\u00fc&b=<\"'>"))
        urls = tuple(site.url(f"/{'private' if n % 3 else 'open'}/{n}") for n in range(1_200)) + odd
        found = permissions(started(client, service.url, "crawl,index", urls))
        assert [url for _, url, _ in found] == list(urls)
        expected = ["true" if "/open/" in url or "größe" in url else "false" for url in urls]
        assert [may for may, _, _ in found] == expected
        assert found[0][2] == "time-limit=5-days"
        assert service.running.poll() is None


def row(url: Any, **more: Any) -> dict[str, Any]:
    known: dict[str, Any] = {"kind": None, "line": None, "rule": None, "restrictions": [], "age": 1, "stale": False}
    return {"url": url, "usage": "crawl", "outcome": "permitted", **known, "error": None, "retry_after": None, **more}


def answer(rows: Any, **more: Any) -> bytes:
    return json.dumps({"usages": ["crawl"], "answers": rows, **more}).encode()


def good(urls: list[str]) -> bytes:
    return answer([row(url) for url in urls])


def each(**more: Any) -> Callable[[list[str]], bytes]:
    """Every row permits, but for what is given."""
    return lambda urls: answer([row(url, **more) for url in urls])


BROKEN: dict[str, Callable[[list[str]], bytes]] = {
    **dict.fromkeys(("500", "503", "401", "404", "307", "204", "cut", "silent", "slow", "gone"), good),
    "nothing": lambda _: b"",
    "no JSON": lambda _: b"<html>permitted</html>",
    "cut JSON": lambda urls: good(urls)[:-3],
    "more than JSON": lambda urls: good(urls) + b"x",
    "not UTF-8": lambda urls: good(urls).replace(b'"rule": null', b'"rule": "\xff"'),
    "deep": lambda _: b"[" * 100_000,
    "null": lambda _: b"null",
    "a list": lambda _: b"[]",
    "no rows": lambda _: answer([]),
    "null rows": lambda _: answer(None),
    "a row that is missing": lambda urls: answer([row(url) for url in urls[1:]]),
    "a row too many": lambda urls: answer([row(url) for url in (*urls, urls[0])]),
    "rows in another order": lambda urls: answer([row(url) for url in urls[::-1]]),
    "rows of other URLs": lambda urls: answer([row(f"{url}0") for url in urls]),
    "one row of another URL": lambda urls: answer([row(url) for url in (*urls[:-1], urls[0])]),
    "rows without URL": lambda urls: answer([row(None) for _ in urls]),
    "another usage": lambda urls: answer([row(url, usage="index") for url in urls], usages=["index"]),
    "a usage that is not the row's": each(usage="index"),
    "no usages": lambda urls: answer([row(url) for url in urls], usages=[]),
    "an error beside it": each(error="deadline"),
    "conditional": each(outcome="conditional"),
    "prohibited": each(outcome="prohibited"),
    "another word": each(outcome="Permitted"),
    "no outcome": each(outcome=None),
    "another type": each(outcome=True),
}
PART = 1_000  # URLs that the clients put into a request


class Broken(BaseHTTPRequestHandler):
    """Answers the part of a number as the name at that place says, and what comes after them rightly."""

    protocol_version = "HTTP/1.1"
    names: tuple[str, ...] = ()
    ending = threading.Event()

    def do_POST(self) -> None:
        """Takes the question whole first."""
        urls = json.loads(self.rfile.read(int(self.headers["content-length"])))["urls"]
        number = int(urls[0].split("/")[3])
        name = self.names[number] if number < len(self.names) else "good"
        self.close_connection = name in ("cut", "silent", "slow", "gone")
        if name == "silent":
            self.ending.wait(LATER)
        if name in ("silent", "gone"):
            return
        body = BROKEN.get(name, good)(urls)
        self.send_response(int(name) if name.isdecimal() else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Location", "/elsewhere/v1/decisions")
        self.send_header("Content-Length", str(0 if name == "204" else len(body) + (name == "cut")))
        self.end_headers()
        if name == "slow":
            for octet in body:
                if self.ending.wait(0.1):
                    return
                self.wfile.write(bytes([octet]))
        elif name != "204":
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


def test_a_client_permits_nothing_without_an_answer(client: list[str]) -> None:
    """Whatever comes in its place, and if nothing comes at all, no URL of that request is permitted; the next is."""
    Broken.names = tuple(BROKEN)
    Broken.ending.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Broken)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        urls = tuple(f"http://a.example/{part}/{n}" for part in range(len(BROKEN) + 1) for n in range(PART))
        began = time.monotonic()
        found = permissions(started(client, f"http://127.0.0.1:{server.server_address[1]}", "crawl", urls))
        assert time.monotonic() - began < 2 * LATER
    finally:
        Broken.ending.set()
        server.shutdown()
        server.server_close()
        thread.join()
    assert [url for _, url, _ in found] == list(urls)
    parts = [{may for may, _, _ in found[begin : begin + PART]} for begin in range(0, len(found), PART)]
    assert dict(zip((*BROKEN, "good"), parts, strict=True)) == {name: {"false"} for name in BROKEN} | {"good": {"true"}}
    nobody = started(client, "http://127.0.0.1:9", "crawl", URLS)
    assert [may for may, _, _ in permissions(nobody)] == ["false"] * 2
