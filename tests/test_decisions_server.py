"""The decision service as a process: its command, its end, kills under load, and connections that are hostile."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import acap as command
from tests.decision_process import TOKEN, DecisionProcess, decision_process, ended, outcomes
from tests.loopback import Asked, Loopback, reply

POLICY = b"User-agent: *\nDisallow: /private/\n"


@pytest.fixture(scope="module")
def site() -> Iterator[Loopback]:
    with Loopback(says={"/robots.txt": reply(body=POLICY)}) as made:
        yield made


@pytest.fixture(scope="module")
def service() -> Iterator[DecisionProcess]:
    with decision_process() as made:
        yield made


def asked(*urls: str, **more: Any) -> dict[str, Any]:
    return {"crawler": "bot", "urls": urls, **more}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_it_answers_what_it_took_and_ends_quietly(site: Loopback, number: signal.Signals, code: int) -> None:
    """Who waits for a site when the signal comes is answered at once, with what is known and errors that prohibit."""

    def silent(connection: socket.socket, _: Asked) -> None:
        connection.recv(1)

    with Loopback(says={"/robots.txt": silent}) as other, decision_process() as service:
        assert service.post(asked(site.url("/a")))[0] == 200
        found: list[tuple[int, Any]] = []
        question = asked(site.url("/a"), other.url("/"), deadline_ms=25_000)
        thread = threading.Thread(target=lambda: found.append(service.post(question)))
        thread.start()
        while not other.asked:
            time.sleep(0.01)
        began = time.monotonic()
        assert ended(service.running, number) == (code, b"", b"")
        assert time.monotonic() - began < 20
        thread.join()
    (status, document) = found[0]
    assert status == 200
    rows = [(row["outcome"], row["error"]) for row in document["answers"]]
    assert rows == [("permitted", None), ("prohibited", "ending")]


def test_a_kill_under_load_loses_no_question_in_silence(site: Loopback, tmp_path: Path) -> None:
    """Killed and started again, each question is answered whole and rightly, or its client sees an error."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    listener.close()
    results: Counter[str] = Counter()
    stop = threading.Event()
    question = asked(*(site.url(path) for path in ("/private/a", "/b") * 50), usages=["crawl", "follow"])

    def load() -> None:
        service = DecisionProcess(None, port)  # type: ignore[arg-type]  # it only asks
        while not stop.is_set():
            try:
                status, document = service.post(question, timeout=10)
            except (OSError, http.client.HTTPException, ValueError):
                results["error"] += 1
                time.sleep(0.01)
                continue
            if status != 200:
                results[f"{status}"] += 1
                continue
            whole = [row["url"] for row in document["answers"]] == [url for url in question["urls"] for _ in range(2)]
            right = all(row["outcome"] == "prohibited" or "/private/" not in row["url"] for row in document["answers"])
            results["whole" if whole and right else "wrong"] += 1

    threads = [threading.Thread(target=load) for _ in range(4)]
    with ExitStack() as stack:
        for thread in threads:
            thread.start()
        stack.callback(stop.set)
        for _ in range(2):
            with decision_process("--cache-dir", str(tmp_path), port=port) as service:
                answered = results["whole"]
                while results["whole"] < answered + 10:
                    time.sleep(0.01)
                service.running.kill()
                service.running.wait()
    for thread in threads:
        thread.join()
    assert results["wrong"] == 0
    assert results["whole"] >= 20
    assert results["error"] >= 1


def test_other_machines_have_to_bear_a_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address that others reach is not served without tokens, and a token that can be guessed is none."""
    monkeypatch.delenv("ACAP_DECISIONS_TOKEN", raising=False)
    for host in ("0.0.0.0", "::", "192.0.2.1"):
        found = command("serve", "--decisions", "--host", host, "--port", "0")
        assert "lets other machines ask; give tokens with --token-file" in found.wrong_call
    tokens = tmp_path / "tokens.txt"
    for content, words in (
        (b"", "has no token"),
        (b"secret\n", "fewer than 16 characters"),
        ("größer-als-sechzehn-zeichen".encode(), "is not ASCII"),
    ):
        tokens.write_bytes(content)
        found = command("serve", "--decisions", "--token-file", str(tokens), "--port", "0")
        assert (found.code, words in found.err) == (2, True), found.err
    assert command("serve", "--decisions", "--token-file", str(tmp_path / "none")).code == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--decisions", "--store", "news.acap"), "are two servers"),
        (("--token-file", "tokens.txt"), "`--token-file` is for the decision service"),
        (("--cache-dir", "copies"), "`--cache-dir` is for the decision service"),
        (("--forbidden", "restricted"), "`--forbidden` is for the decision service"),
        (("--dialect", "rfc9309"), "`--dialect` is for the decision service"),
        (("--decisions", "--contact", "(me)"), "without parentheses"),
        (("--decisions", "--timeout", "0"), "above 0"),
        (("--decisions", "--host", "256.1.1.1"), "give tokens"),
    ],
)
def test_the_command_says_what_is_wrong_in_one_line(arguments: tuple[str, ...], words: str) -> None:
    """Options that do not go together, or are for another server, are a wrong call."""
    found = command("serve", *arguments)
    assert (found.code, found.out, words in found.error) == (2, "", True), found.err


def test_policies_are_read_as_the_operator_says() -> None:
    """--dialect and --forbidden mean what they mean to other commands."""
    robots = reply(200, b"User-agent: *\nAllow: /a\nDisallow: /a/b\n")
    with Loopback(says={"/robots.txt": reply(403)}) as closed, Loopback(says={"/robots.txt": robots}) as ordered:
        question = asked(closed.url("/a/b"), ordered.url("/a/b"))
        found = []
        for arguments in ((), ("--dialect", "norobots-1996"), ("--forbidden", "restricted")):
            with decision_process(*arguments) as service:
                found.append(outcomes(service.post(question)[1]["answers"]))
    assert found == [["permitted", "prohibited"], ["prohibited", "permitted"], ["prohibited", "prohibited"]]


def test_a_store_of_the_environment_does_not_get_in_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """`ACAP_STORE` is for other commands; decisions are served all the same."""
    monkeypatch.setenv("ACAP_STORE", "nothing.acap")
    with decision_process() as service:
        assert service.post(asked())[0] == 200


def test_tokens_are_taken_from_a_file(tmp_path: Path) -> None:
    """One a line; a file that others can read is told of, and the token of the environment counts no more."""
    tokens = tmp_path / "tokens.txt"
    tokens.write_text("another-token-0123456789\n\nyet-another-token-0123456789\n")
    tokens.chmod(0o644)
    with decision_process("--token-file", str(tokens)) as service:
        assert service.post(asked())[0] == 401
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
        connection.request("GET", "/metrics", headers={"Authorization": "Bearer yet-another-token-0123456789"})
        assert connection.getresponse().status == 200
        connection.close()
        code, _, err = ended(service.running, signal.SIGTERM)
        assert (code, b"others on this machine can read" in err) == (0, True)


# --- Hostile connections ----------------------------------------------------------------------------------------------


def raw(service: DecisionProcess, octets: bytes, *, end: bool = False) -> bytes:
    """What a connection answers to octets, until it is closed or says nothing more."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=30) as connection, suppress(ConnectionError):
        connection.sendall(octets)
        if end:
            connection.shutdown(socket.SHUT_WR)
        found = b""
        while not re.search(rb"\r\n\r\n.*\n", found, re.DOTALL) and (more := connection.recv(1 << 16)):
            found += more
        return found
    return b""


HEAD = (
    b"POST /v1/decisions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Authorization: Bearer " + TOKEN.encode() + b"\r\n"
)


@pytest.mark.parametrize(
    ("request_octets", "status"),
    [
        (HEAD + b"Content-Length: 99999999999\r\n\r\n", b"413"),
        (HEAD + b"Content-Length: 5000000\r\n\r\n{", b"413"),
        (HEAD + b"Content-Length: -1\r\n\r\n", b"400"),
        (HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", b"400"),
        (HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", b"400"),
        (HEAD + b"Transfer-Encoding: gzip\r\n\r\n", b"501"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"400001\r\n" + b" " * 0x400001 + b"\r\n", b"413"),
        (HEAD + b"Host: 127.0.0.1\r\n\r\n", b"400"),
        (b"POST /v1/decisions HTTP/1.1\r\n\r\n", b"400"),
        (b"POST http://evil.example/v1/decisions HTTP/1.1\r\nHost: evil.example\r\n\r\n", b"421"),
        (b"POST /v1/decisions HTTP/1.0\r\n\r\n", b"421"),
        (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 200_000, b"400"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(100) + b"\r\n\r\n", b"400"),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"421"),
    ],
)
def test_what_is_not_a_request_gets_no_decision(service: DecisionProcess, request_octets: bytes, status: bytes) -> None:
    """Lengths that lie or contradict each other, other protocols and other hosts are refused, and the server lives."""
    found = raw(service, request_octets)
    # A client that still sends when it is refused may see its connection end instead.
    assert found.split(b" ", 2)[1:2] in ([], [status], [b"400"]), found[:200]
    assert b"permitted" not in found
    assert service.post(asked())[0] == 200


SECOND = HEAD + b"Content-Length: 29\r\n\r\n" + b'{"crawler": "b", "urls": [5]}'
"""A whole request, which would be answered by a row."""


@pytest.mark.parametrize(
    "smuggling",
    [
        HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        HEAD + b"Content-Length: 0\r\nContent-Length: %d\r\n\r\n" % len(SECOND),
        HEAD + b"Content-Length: 0, %d\r\n\r\n" % len(SECOND),
        HEAD + b"Content-Length : 0\r\n\r\n",
        HEAD + b"Content-Length: +0\r\n\r\n",
        HEAD + b"Content-Length: 0x0\r\n\r\n",
        HEAD + b"Content-Length: 0_0\r\n\r\n",
        HEAD + b"Content-Length: \r\n\r\n",
        HEAD + b"Transfer-Encoding: identity\r\n\r\n",
        HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
        HEAD + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        HEAD + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        HEAD + b"Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n",
        HEAD + b" Transfer-Encoding: chunked\r\nContent-Length : 0\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n-0\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n+0\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"0" * 100 + b"\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX0\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n\r\n0\r\n\r\n",
    ],
)
def test_a_request_of_two_lengths_hides_no_second_one(service: DecisionProcess, smuggling: bytes) -> None:
    """Whatever a proxy before the service takes for its end, the service answers no request that stands behind it."""
    found = everything(service, smuggling + SECOND)
    assert found.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 501 ")), found[:200]
    assert (found.count(b"HTTP/1.1"), b"no-url" in found) == (1, False), found[:400]


def everything(service: DecisionProcess, octets: bytes) -> bytes:
    """All that a connection answers, until the service ends it."""
    found = b""
    with socket.create_connection(("127.0.0.1", service.port), timeout=30) as connection, suppress(ConnectionError):
        connection.sendall(octets)
        while more := connection.recv(1 << 16):
            found += more
    return found


@pytest.mark.parametrize("chunk", [b"1d;a=b\r\n", b'1D;a="0"\r\n', b"0001d\r\n"])
def test_chunks_with_extensions_are_one_body(service: DecisionProcess, chunk: bytes) -> None:
    """An extension is no length; the request behind the last chunk is the next one (RFC 9112 7.1.1)."""
    body = SECOND.rpartition(b"\r\n\r\n")[2]
    one = HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunk + body + b"\r\n0;x\r\nX: y\r\n\r\n"
    found = everything(service, one + SECOND.replace(b"Host:", b"Connection: close\r\nHost:"))
    assert (found.count(b"HTTP/1.1 200 "), found.count(b"no-url")) == (2, 2), found[:400]


def test_requests_that_never_end_keep_nobody_waiting(service: DecisionProcess, site: Loopback) -> None:
    """Hundreds of connections that stop in a head or a body take no place from others."""
    with ExitStack() as stack:
        for number in range(300):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", service.port), timeout=30))
            connection.sendall(HEAD + (b"Content-Length: 100\r\n\r\n{" if number % 2 else b"X: "))
        began = time.monotonic()
        status, document = service.post(asked(site.url("/b"), site.url("/private/")))
        assert time.monotonic() - began < 10
        assert (status, outcomes(document["answers"])) == (200, ["permitted", "prohibited"])


def test_a_client_that_goes_away_takes_nothing_with_it(service: DecisionProcess, site: Loopback) -> None:
    """Connections that end in the middle of a request, or before its answer, leave nothing held."""
    body = json.dumps(asked(*[site.url("/b")] * 5_000)).encode()
    for sent in (body[:1_000], body):
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", service.port), timeout=30) as connection:
                connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + sent)
    until = time.monotonic() + 30
    while time.monotonic() < until:
        found = raw(service, HEAD.replace(b"POST /v1/decisions", b"GET /metrics") + b"\r\n")
        if b"acap_held_octets 0\n" in found and b"acap_requests_under_way 0\n" in found:
            break
        time.sleep(0.05)
    else:
        pytest.fail("something is still held")


def test_a_hostile_policy_keeps_only_its_own_questions_waiting(service: DecisionProcess, site: Loopback) -> None:
    """While eight megabytes of the most expensive lines are read and asked, others are answered."""
    heavy = b"ACAP-crawler: *\n" + b"".join(
        b"ACAP-composite-usage: c%d index present-snippet\nACAP-disallow-(c%d): /*%d*a\n" % (n, n, n)
        for n in range(40_000)
    )
    with Loopback(says={"/robots.txt": reply(body=heavy)}) as other:
        found: list[tuple[int, Any]] = []
        question = asked(*[other.url(f"/{'a' * 1_000}{n}") for n in range(500)], usages=["index"], deadline_ms=1_500)
        thread = threading.Thread(target=lambda: found.append(service.post(question)))
        thread.start()
        answered = 0
        while thread.is_alive():
            status, document = service.post(asked(site.url("/b")))
            assert (status, outcomes(document["answers"])) == (200, ["permitted"])
            answered += 1
        thread.join()
    assert answered > 10
    assert (found[0][0], {row["outcome"] for row in found[0][1]["answers"]}) in (
        (200, {"permitted"}), (200, {"prohibited"}), (200, {"permitted", "prohibited"}),
    )  # fmt: skip


def test_the_process_may_have_a_file_for_each_connection() -> None:
    """Where processes begin with 256 files, the service lets itself have more, as far as the system permits."""
    narrow = 'ulimit -Sn 256; exec "$@"'
    running = subprocess.Popen(
        ["sh", "-c", narrow, "sh", sys.executable, "-m", "acap.cli.main", "serve", "--decisions", "--port", "0"],
        stdout=subprocess.PIPE,
    )
    with running:
        assert running.stdout is not None
        assert b"Serving decisions" in running.stdout.readline()
        limits = Path(f"/proc/{running.pid}/limits")
        if limits.exists():
            (line,) = (line for line in limits.read_text().splitlines() if line.startswith("Max open files"))
            assert int(line.split()[3]) > 256
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=60)
