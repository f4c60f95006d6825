"""No site can lead us into a private network: which addresses are refused, and that the judged one is reached."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
import trustme

from acap.retrieval import AddressRefusedError, AsyncGuardedTransport, GuardedTransport, Passage, canonical, robots_url
from acap.retrieval import guard as guard_module
from acap.retrieval.addresses import is_odd_number, refusal
from acap.retrieval.locations import site
from acap.retrieval.transport import ADDRESS, PASSAGE
from tests.loopback import Loopback, reply

Get = Callable[..., tuple[int, str | None]]
ANYWHERE = Passage(private=True)


class Names:
    """A resolver that tells a name's addresses one time after the other, and counts how often it was asked."""

    def __init__(self, names: dict[str, list[list[str]]]) -> None:
        self.asked: list[str] = []
        self._names = names

    def __call__(self, host: str, _port: int) -> list[str]:
        self.asked.append(host)
        if host not in self._names:
            raise OSError("no such host")
        turns = self._names[host]
        return turns.pop(0) if len(turns) > 1 else turns[0]


@pytest.fixture(params=["sync", "async"])
def get(request: pytest.FixtureRequest) -> Get:
    """One GET through a transport, with the status and the address it came to."""

    def blocking(url: str, passage: Passage | None = None, **options: Any) -> tuple[int, str | None]:
        extensions: dict[str, Any] = {"timeout": {"connect": 1.0, "read": 1.0, "write": 1.0}}
        if passage is not None:
            extensions[PASSAGE] = passage
        asks = httpx2.Request("GET", url, extensions=extensions)
        if request.param == "sync":
            response = GuardedTransport(**options).handle_request(asks)
            response.read()
            return response.status_code, response.extensions[ADDRESS]

        async def task() -> tuple[int, str | None]:
            response = await AsyncGuardedTransport(**options).handle_async_request(asks)
            await response.aread()
            return response.status_code, response.extensions[ADDRESS]

        return asyncio.run(task())

    return blocking


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "100.64.0.1",
        "100.100.100.200",
        "127.0.0.1",
        "127.255.255.254",
        "168.63.129.16",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.8",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:a9fe:a9fe",
        "::ffff:0.0.0.0",
        "64:ff9b::127.0.0.1",
        "64:ff9b::a00:1",
        "64:ff9b:1::a00:1",
        "100::1",
        "2001::1",
        "2001:0:53aa:64c:0:0:f5ff:fffe",
        "2001:10::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "2002:a00:1::1",
        "3fff::1",
        "4000::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fe80::1%eth0",
        "2606:2800:220:1::1%eth0",
        "fec0::1",
        "ff02::1",
        "localhost",
        "",
        "127.1",
    ],
)
def test_addresses_outside_the_public_internet_are_refused(address: str) -> None:
    assert refusal(address)


@pytest.mark.parametrize(
    "address",
    [
        "93.184.216.34",
        "1.1.1.1",
        "100.63.255.255",
        "100.128.0.1",
        "172.15.255.255",
        "172.32.0.1",
        "192.0.1.1",
        "223.255.255.255",
        "2606:2800:220:1:248:1893:25c8:1946",
        "2001:200::1",
        "::ffff:93.184.216.34",
        "64:ff9b::5db8:d822",
        "2002:5db8:d822::1",
    ],
)
def test_public_addresses_are_not_refused(address: str) -> None:
    assert refusal(address) is None


@pytest.mark.parametrize(
    "host", ["2130706433", "0x7f000001", "0x7f.1", "127.1", "017700000001", "0177.0.0.1", "1.2.3.4."]
)
def test_odd_spellings_of_ipv4_are_recognised(host: str) -> None:
    assert is_odd_number(host)


@pytest.mark.parametrize("host", ["127.0.0.1", "a.1b", "1.example", "example", "0x7f.example", "::1"])
def test_names_and_dotted_quads_are_no_odd_spellings(host: str) -> None:
    assert not is_odd_number(host)


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("HTTP://Site.Example", "http://site.example/"),
        ("HTTPS://Site.Example:443/a", "https://site.example/a"),
        ("http://site.example:80/a?b#c", "http://site.example/a?b"),
        ("https://user:pw@site.example:8443/", "https://site.example:8443/"),
        ("http://good.example@127.0.0.1/", "http://127.0.0.1/"),
        ("http://[::FFFF:127.0.0.1]/", "http://[::ffff:7f00:1]/"),
        ("http://münchen.example/ü", "http://xn--mnchen-3ya.example/%C3%BC"),
        ("http://a_b.example./", "http://a_b.example/"),
        ("http://site.example/a b", "http://site.example/a%20b"),
    ],
)
def test_a_url_is_sent_in_one_form(url: str, sent: str) -> None:
    assert canonical(url) == sent


@pytest.mark.parametrize(
    "url",
    [
        "",
        "site.example",
        "//site.example/",
        "/path",
        "ftp://site.example/",
        "http:",
        "http://",
        "http:///x",
        "http://:80/",
        "http://a\\@127.0.0.1/",
        "http://a b/",
        "http://a\n/",
        " http://a/",
        "http://a:99999/",
        "http://a:0/",
        "http://a:x/",
        "http://[::1",
        "http://[1.2.3.4]/",
        "http://[fe80::1%25eth0]/",
        "http://a..b/",
        "http://a%2eb/",
        "http://*/",
        "http://@/",
        "mailto:a@b.example",
        "http://①.example/",
        f"http://{'a' * 64}.example/",
    ],
)
def test_what_is_no_http_url_with_a_host_is_the_callers_mistake(url: str) -> None:
    with pytest.raises(ValueError, match="`"):
        canonical(url)


@pytest.mark.parametrize(
    ("url", "at"),
    [
        ("https://Site.Example:443/a/b?c", "https://site.example/robots.txt"),
        ("http://u:p@site.example:8080", "http://site.example:8080/robots.txt"),
        ("http://MÜNCHEN.example:80/", "http://xn--mnchen-3ya.example/robots.txt"),
        ("http://[::1]:8000/x", "http://[::1]:8000/robots.txt"),
        ("http://site.example/a b\\c|\x00", "http://site.example/robots.txt"),
    ],
)
def test_the_policy_of_a_url_is_that_of_its_scheme_host_and_port(url: str, at: str) -> None:
    assert robots_url(url) == at


def test_http_and_https_of_a_host_are_one_site_and_other_ports_are_not() -> None:
    assert site("http://a.example/") == site("https://a.example/x")
    assert site("http://a.example/") != site("http://a.example:8080/")


def test_without_leave_nothing_private_is_reached(get: Get) -> None:
    with Loopback() as server, pytest.raises(AddressRefusedError, match="loopback"):
        get(server.url())
    assert server.asked == []


def test_a_private_address_is_reached_with_leave(get: Get) -> None:
    with Loopback(says={"/robots.txt": reply(200)}) as server:
        assert get(server.url(), ANYWHERE) == (200, "127.0.0.1")
        assert get(server.url(), allow_private=True) == (200, "127.0.0.1")


@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "127.1", "017700000001", "localhost", "[::ffff:127.0.0.1]"])
def test_no_spelling_gets_past(get: Get, host: str) -> None:
    with Loopback() as server, pytest.raises(AddressRefusedError):
        get(server.url(host=host))
    assert server.asked == []


def test_a_name_that_leads_inside_is_refused(get: Get) -> None:
    names = Names({"rebind.example": [["127.0.0.1", "10.0.0.1", "fe80::1%lo"]]})
    with pytest.raises(AddressRefusedError, match=r"127\.0\.0\.1.*10\.0\.0\.1"):
        get("http://rebind.example/", resolver=names)


def test_a_name_that_changes_its_mind_gains_nothing(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    """DNS rebinding: judged at one address, then at another one when connected. It is resolved once only."""
    monkeypatch.setattr(guard_module, "refusal", lambda address: None if address == "127.0.0.2" else "private")
    names = Names({"rebind.example": [["127.0.0.2"], ["127.0.0.3"]]})
    with Loopback("127.0.0.2", says={"/": reply(200)}) as outside, Loopback("127.0.0.3", port=outside.port) as inside:
        assert get(outside.url("/", host="rebind.example"), resolver=names) == (200, "127.0.0.2")
        assert names.asked == ["rebind.example"]
        assert outside.asked[0].headers["host"] == f"rebind.example:{outside.port}"
        with pytest.raises(AddressRefusedError):
            get(outside.url("/", host="rebind.example"), resolver=names)
    assert inside.asked == []


def test_only_the_admitted_addresses_of_a_name_are_tried(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard_module, "refusal", lambda address: None if address == "127.0.0.2" else "private")
    names = Names({"mixed.example": [["127.0.0.3", "127.0.0.2"]]})
    with Loopback("127.0.0.2", says={"/": reply(200)}) as outside, Loopback("127.0.0.3", port=outside.port) as inside:
        assert get(outside.url("/", host="mixed.example"), resolver=names) == (200, "127.0.0.2")
    assert inside.asked == []


def test_the_next_address_is_tried_if_one_does_not_answer(get: Get) -> None:
    names = Names({"two.example": [["127.0.0.3", "127.0.0.1"]]})
    with Loopback(says={"/": reply(200)}) as server:
        assert get(server.url("/", host="two.example"), ANYWHERE, resolver=names) == (200, "127.0.0.1")


def test_no_connection_is_kept_for_a_request_with_less_leave() -> None:
    with Loopback(says={"/": reply(200)}) as server:
        client = httpx2.Client(transport=GuardedTransport())
        assert client.get(server.url("/"), extensions={PASSAGE: ANYWHERE}).status_code == 200
        with pytest.raises(AddressRefusedError):
            client.get(server.url("/"))
        client.close()
    assert len(server.asked) == 1


def test_tls_is_spoken_with_the_name_and_not_with_the_address(get: Get) -> None:
    authority = trustme.CA()
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("site.example").configure_cert(serving)
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    names = Names({"site.example": [["127.0.0.1"]], "other.example": [["127.0.0.1"]]})
    with Loopback(tls=serving, says={"/": reply(200)}) as server:
        assert get(server.url("/", host="site.example"), ANYWHERE, resolver=names, tls=trusting)[0] == 200
        assert server.server_names == ["site.example"]
        with pytest.raises(httpx2.ConnectError, match=r"(?i)certificate"):
            get(server.url("/", host="other.example"), ANYWHERE, resolver=names, tls=trusting)
        with pytest.raises(httpx2.ConnectError, match=r"(?i)certificate"):
            get(server.url("/", host="site.example"), ANYWHERE, resolver=names)


@pytest.mark.parametrize("port", [22, 25, 143, 6000, 6667])
def test_ports_of_other_protocols_are_refused(get: Get, port: int) -> None:
    with pytest.raises(AddressRefusedError, match=f"port {port}"):
        get(f"http://mail.example:{port}/", resolver=Names({"mail.example": [["93.184.216.34"]]}))


def test_a_name_that_does_not_resolve_is_a_failed_connection(get: Get) -> None:
    with pytest.raises(httpx2.ConnectError, match="does not resolve"):
        get("http://nowhere.example/", resolver=Names({}))


def test_a_resolver_that_does_not_answer_is_not_waited_for(get: Get) -> None:
    def slow(_host: str, _port: int) -> list[str]:
        time.sleep(2.0)
        return ["127.0.0.1"]

    started = time.monotonic()
    with pytest.raises(httpx2.ConnectTimeout):
        get("http://slow.example/", Passage(deadline=started + 0.2), resolver=slow)
    assert time.monotonic() - started < 1.8


def test_the_environment_names_no_proxy(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    with Loopback(says={"/": reply(200)}) as server, Loopback() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url(""))
        assert get(server.url("/"), ANYWHERE)[0] == 200
    assert proxy.asked == []
