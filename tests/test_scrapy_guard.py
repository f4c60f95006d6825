"""Whole crawls with Scrapy that may not reach private networks, and crawls that keep policies in a file."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.loopback import Asked, Loopback, redirect, reply
from tests.scrapy_site import Case, Report, crawls

ADDON = {"acap.integrations.scrapy.Addon": 100}
PRIVATE = {
    "ADDONS": ADDON,
    "ACAP_CRAWLER": "mybot",
    "ACAP_ALLOW_PRIVATE": False,
    "ACAP_PRIVATE_HOSTS": ["localhost"],
}


@pytest.fixture(scope="module")
def guarded() -> Iterator[tuple[Loopback, Report]]:
    """One crawl by names and addresses that all lead to one server, of which `localhost` alone is opened."""
    with Loopback() as server, Loopback() as other:
        other.says["/robots.txt"] = redirect(server.url("/open"))
        for page in ("/open", "/named", "/literal"):
            server.says[page] = reply(body=b"<p>")
        server.says["/leads-in"] = redirect(server.url("/literal"))
        names = {"/open": "localhost", "/leads-in": "localhost", "/named": "rebound.example", "/odd": "0x7f.1"}
        starts = [server.url(path, host=host) for path, host in names.items()]
        starts += [server.url("/direct"), "http://[::1]:8000/", "http://192.168.0.1/", "file:///etc/hostname"]
        starts += ["http://localhost.example:25/", other.url("/lost", host="localhost")]
        report = crawls(
            {"guarded": Case(starts, PRIVATE)},
            process=PRIVATE,
            hosts={"rebound.example": "127.0.0.1", "localhost": "127.0.0.1"},
        )["guarded"]
        yield server, report


def test_a_host_that_is_opened_is_reached(guarded: tuple[Loopback, Report]) -> None:
    """ACAP_PRIVATE_HOSTS names hosts that may be private."""
    server, report = guarded
    assert report.urls == {server.url("/open", host="localhost")}


def test_an_address_is_refused_before_anything_is_sent(guarded: tuple[Loopback, Report]) -> None:
    """Private addresses in any spelling, local files and ports of other protocols, at first and after a redirect."""
    server, report = guarded
    urls = ["http://[::1]:8000/", "http://192.168.0.1/", "file:///etc/hostname", "http://localhost.example:25/"]
    urls += [server.url("/direct"), server.url("/literal"), server.url("/odd", host="0x7f.1")]
    assert {report.refusal(url)["error"] for url in urls} == {"AddressRefused"}
    assert not {"/direct", "/literal", "/odd"} & set(server.targets)


def test_a_name_is_judged_by_the_address_that_it_is_connected_to(guarded: tuple[Loopback, Report]) -> None:
    """A name that has come to mean a private address, in whatever cache, leads nowhere: its policy is out of reach."""
    server, report = guarded
    refusal = report.refusal(server.url("/named", host="rebound.example"))
    assert (refusal["error"], refusal["kind"]) == ("Refused", "unreachable")
    assert {asked.headers["host"] for asked in server.asked} == {f"localhost:{server.port}"}


def test_a_policy_is_not_sought_in_a_private_network(guarded: tuple[Loopback, Report]) -> None:
    """A robots.txt that redirects to a private address is out of reach."""
    server, report = guarded
    (refusal,) = [refusal for refusal in report.refused if refusal["url"].endswith("/lost")]
    assert (refusal["error"], refusal["kind"]) == ("Refused", "unreachable")
    assert server.targets.count("/open") == 1


def test_policies_are_kept_in_a_file(tmp_path: Path) -> None:
    """With ACAP_CACHE the next crawl asks for robots.txt only after a day, and then whether it has changed (B7)."""
    policy = b"User-agent: *\nDisallow: /private\n"

    def robots(connection: socket.socket, asked: Asked) -> None:
        known = asked.headers.get("if-none-match") == '"one"'
        connection.sendall(reply(304) if known else reply(body=policy, headers=[("ETag", '"one"')]))

    retrievals = []
    with Loopback() as server:
        server.says |= {"/robots.txt": robots, "/open": reply(body=b"<p>"), "/private": reply(body=b"<p>")}
        for clock in ("NOON", "NOON", "NEXT_NOON"):
            settings = {
                "ACAP_CRAWLER": "mybot",
                "ACAP_CACHE": str(tmp_path / "policies.sqlite3"),
                "ACAP_CLOCK": f"tests.scrapy_crawl.{clock}",
            }
            before = server.targets.count("/robots.txt")
            report = crawls({"kept": Case([server.url("/open"), server.url("/private")], settings)})["kept"]
            assert report.urls == {server.url("/open")}
            retrievals.append(server.targets.count("/robots.txt") - before)
        assert "if-none-match" in [asked for asked in server.asked if asked.target == "/robots.txt"][-1].headers
    assert retrievals == [1, 0, 1]
