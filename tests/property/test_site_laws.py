"""One site has one policy, however its URL is spelled: whoever looks for it finds it, or refuses the spelling."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from random import Random

import httpx2
import pyarrow as pa
import pytest

import acap
from acap.audits.policies import TablePolicies
from acap.audits.surt import surt_key
from acap.dialects.well_known import site
from acap.harvest.crawl.scope import host_of, plain
from acap.integrations.robots_checker import RobotsTxtComplianceChecker
from acap.retrieval import MemoryCache
from acap.retrieval.locations import canonical, host_elsewhere, robots_url, site_named
from acap.web.decisions.service import _sites
from tests.reference.canonical import origin

SEED = os.environ.get("ACAP_PROPERTY_SEED", "sites")
CASES = 200
WALL = "User-agent: *\nDisallow: /\n"
NOON = datetime(2026, 11, 28, 12, tzinfo=UTC)
HOSTS = {
    "a.example": ("a.example", "A.Example", "a\u3002example", "a\uff0eexample"),
    "xn--bcher-kva.example": (
        "b\u00fccher.example",
        "B\u00dcCHER.example",
        "bu\u0308cher.example",
        "XN--BCHER-KVA.example",
    ),
    "a_b-c.d.example": ("a_b-c.d.example", "A_B-c.D\uff61example"),
    "192.0.2.7": ("192.0.2.7", "192\u30020.2.7"),
    "[2001:db8::1]": ("[2001:DB8:0:0:0:0:0:1]", "[2001:db8::0.0.0.1]", "[2001:db8::1]"),
}
"""Hosts, and spellings of each."""

DOUBTFUL = (
    "\uff41.example",
    "a%2eexample",
    "a.example\\",
    "a..example",
    "\u24d0.example",
    "a.example.\u3002",
    " a.example",
)
"""What others may read as `a.example`, and is refused."""


def spelled(random: Random, host: str, scheme: str) -> str:
    """An origin of the host, in one of very many spellings."""
    name = random.choice(HOSTS[host])
    if not host.startswith("["):
        name += random.choice(("", ".", "", ".", "\u3002"))
    port = {"https": "443", "http": "80"}[scheme]
    user = random.choice(("", "", "u@", "u:p@", "a.example@", ":@"))
    scheme = random.choice((scheme, scheme.upper(), scheme.title()))
    return f"{scheme}://{user}{name}{random.choice(('', '', ':', f':{port}', f':0{port}'))}"


def is_permitted(decide: Callable[[], bool]) -> bool:
    """Whether it is permitted; what is refused is not."""
    try:
        return decide()
    except ValueError:
        return False


def of_table(policies: object, url: str) -> bool:
    stream = acap.decide_table([url], policies, crawler="bot", missing="permitted")  # type: ignore[arg-type]
    return bool(pa.table(stream)["outcome"].to_pylist() == ["permitted"])


def retrieved(url: str) -> bool:
    def answer(request: httpx2.Request) -> httpx2.Response:
        is_file = str(request.url) in FILES and request.headers["Host"].rstrip(".") == request.headers["Host"]
        return httpx2.Response(200 if is_file else 404, text=WALL)

    client = httpx2.Client(transport=httpx2.MockTransport(answer))
    with acap.Retriever(crawler="bot", client=client, cache=MemoryCache()) as retriever:
        return retriever.robots(url).decide(url, crawler="bot").permitted


FILES = {f"{scheme}://{host}/robots.txt" for scheme in ("https", "http") for host in HOSTS}


def lookups(written: str, asked: str) -> dict[str, Callable[[], bool]]:
    """What each says of a page, of whose site it has a policy that prohibits everything, beside another spelling."""
    page = f"{asked}/page?q"
    policy = acap.parse_robots(WALL.encode(), url=written)
    table = pa.table({"url": [f"{written}/robots.txt"], "robots": [WALL]})
    host = written.partition("://")[2].rpartition("@")[2]
    hosts = pa.table({"site": [host], "robots": [WALL]})
    at_any_time = {"crawler": "bot", "missing": "permitted"}

    def audited(policies: object) -> bool:
        (row,) = acap.audit(pa.table({"url": [page]}), policies, **at_any_time).to_pylist()  # type: ignore[arg-type]
        return bool(row["crawl_outcome"] == "permitted")

    def checked(name: str) -> bool:
        checker = RobotsTxtComplianceChecker(robots={name: WALL}, missing="permitted")
        return checker.is_compliant(page) == "Compliant"

    return {
        "decide": lambda: policy.decide(page, crawler="bot").permitted,
        "decide_table": lambda: of_table([policy], page),
        "a table of files": lambda: of_table(table, page),
        "an audit by URL": lambda: audited(table),
        "an audit by site": lambda: audited(pa.table({"site": [written], "robots": [WALL]})),
        "an audit by host": lambda: audited(hosts),
        "a shelf": lambda: TablePolicies(table, now=NOON).speaking(page, NOON) == (),
        "robots-checker by domain": lambda: checked(host),
        "robots-checker by URL": lambda: checked(written),
        "the retriever": lambda: retrieved(page),
        "the decision service": lambda: _sites([page]) != [site_named(written)],
        "a Host header": lambda: host_elsewhere(page, [host]) is not None,
        "documents": lambda: site(page) != site(written),
        "a crawl": lambda: plain(page) != canonical(page) or host_of(canonical(page)) != host_of(canonical(written)),
        "Common Crawl's keys": lambda: surt_key(page) != surt_key(f"{written}/page?q"),
    }


@pytest.mark.parametrize("number", range(CASES))
def test_every_spelling_finds_the_policy_of_its_site(number: int) -> None:
    random = Random(f"{SEED}.{number}")
    host, scheme = random.choice(list(HOSTS)), random.choice(("https", "http"))
    written, asked = spelled(random, host, scheme), spelled(random, host, scheme)
    assert robots_url(written) == robots_url(asked) == f"{scheme}://{host}/robots.txt"
    assert origin(written) == origin(asked)
    if host.startswith("["):  # a table of hosts has no addresses of IPv6 with other spellings of their port
        written = asked
    permitted = [name for name, decide in lookups(written, asked).items() if is_permitted(decide)]
    assert permitted == [], (written, asked)


@pytest.mark.parametrize("host", DOUBTFUL)
def test_what_is_no_host_is_refused_by_each(host: str) -> None:
    """Nothing reads another host out of it than the rest."""
    url = f"https://{host}/"
    with pytest.raises(ValueError):
        robots_url(url)
    policy = acap.parse_robots(WALL.encode(), url="https://a.example/")
    assert not is_permitted(lambda: policy.decide(url, crawler="bot").permitted)
    assert not of_table([policy], url)
    assert _sites([url]) == [None]
    checker = RobotsTxtComplianceChecker(robots={"a.example": WALL}, missing="permitted")
    assert checker.is_compliant(url) == "NonCompliant"
    (row,) = acap.audit(
        pa.table({"url": [url]}),
        pa.table({"site": ["a.example"], "robots": [WALL]}),
        crawler="bot",
        missing="permitted",
    ).to_pylist()
    assert row["crawl_outcome"] == "prohibited"
