"""A site that nobody prepared: documentation as pydoc writes it, behind nginx, under policies of the wild.

Its pages say nothing to crawlers. Directories are named so that the patterns of the policies bite.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import httpx2
import pytest

from acap.clock import FixedClock
from acap.harvest.store import open_store
from acap.harvest.sweep import sweep
from tests.courier import TODAY, Served
from tests.crawl_process import ROOT, Crawl, crawl_all
from tests.nginx import Nginx
from tests.proofs import Proof
from tests.reference.page_hearing import Site
from tests.served_pages import Chronicle, path_of

MODULES = re.findall(
    r"\S+",
    """
    abc bisect cmd code codeop colorsys contextvars copy copyreg csv errno filecmp fileinput fnmatch getopt getpass
    glob graphlib heapq hmac json json.tool keyword linecache netrc numbers opcode pprint queue reprlib rlcompleter
    sched secrets shlex stringprep struct tabnanny textwrap timeit token tomllib uuid wave zipapp
""",
)
DIRECTORIES = re.findall(
    r"\S+",
    """
    docs news sport nieuws site search sponsored sponsored-features tablet tablet/morning-edition unsorted Labs is
    Membership/Memberzone suppdata
""",
)
FRONT = """<!DOCTYPE html>
<title>Documentation</title>
<p>Also <a href="/7380.html">a number</a>, <a href="/news/article.ece">an article</a>,
<a href="/docs/?startindex=20">a list</a>, <a href="/is">a directory</a>, <a href="/gone.html">nothing</a>.
"""
SERVER = r"location ~ \.ece$ { default_type text/html; }"
REAL = ROOT / "tests/vectors/real/files"
EXAMPLES = ROOT / "examples"
RESEARCH = "http://acap2.exalead.com"


@dataclass(frozen=True)
class Case:
    """A policy, who crawls under it, and how many versions are indexed and preserved; `robots` None: there is none."""

    crawler: str
    robots: Path | None
    held: tuple[int, int]
    purpose: str | None = None
    server: str = SERVER
    is_reachable: bool = True


INDEPENDENT = EXAMPLES / "independent.ie/robots.txt"
PERSGROEP = EXAMPLES / "persgroep/robots.txt"
CASES = {
    "Googlebot, independent.ie": Case("Googlebot", REAL / "www.independent.ie.robots.txt", (36, 36)),
    "ia_archiver, independent.ie": Case("ia_archiver", INDEPENDENT, (0, 0)),
    "ExaBotAcap12, persgroep": Case("ExaBotAcap12", PERSGROEP, (55, 59), purpose=RESEARCH),
    "AnyBot, persgroep": Case("AnyBot", REAL / "acap.persgroep.be.robots.txt", (59, 59)),
    "AnyBot, rsc.org": Case("AnyBot", REAL / "www.rsc.org.robots.txt", (51, 51)),
    "gsa-crawler, rsc.org": Case("gsa-crawler", REAL / "www.rsc.org.robots.txt", (0, 0)),
    "AnyBot, no robots.txt": Case("AnyBot", None, (63, 63)),
    "AnyBot, 503": Case("AnyBot", None, (0, 0), server="location = /robots.txt { return 503; }", is_reachable=False),
}


@dataclass
class Documentation:
    """What a server of the site answers, asked without regard to its policy."""

    url: str
    is_reachable: bool
    served: dict[str, Served] = field(default_factory=dict)

    @cached_property
    def site(self) -> Site | None:
        """Its policy for the interpreter."""
        robots = self.served["/robots.txt"]
        if not self.is_reachable:
            return None
        return Site.read(robots.octets if robots.status == 200 else b"", robots.url)

    def ask_all(self) -> None:
        """Asks for the front page and for all that any page leads to, and for robots.txt."""
        waiting = ["/", "/robots.txt"]
        with httpx2.Client(base_url=self.url) as client:
            while waiting:
                path = waiting.pop()
                if path in self.served:
                    continue
                answer = client.get(path)
                headers = [(name.lower(), value) for name, value in answer.headers.multi_items()]
                served = self.served[path] = Served(path, self.url + path, answer.status_code, headers, answer.content)
                found = re.findall(r'href="([^"]*)"', answer.text) if served.is_page else []
                found += [value for name, value in headers if name == "location"]
                urls = [urldefrag(urljoin(self.url + path, reference))[0] for reference in found]
                waiting += [path_of(url) for url in urls if url.startswith(self.url + "/")]


@dataclass
class Trial:
    """A case that was carried out: what was crawled, held and found wrong, and again after 101 days."""

    case: Case
    where: Path
    documentation: Documentation
    asked: list[str]
    report: dict[str, object]
    crawled: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    reach: tuple[set[str], set[str]] = field(default_factory=lambda: (set(), set()))
    held: tuple[int, int] = (0, 0)
    faults: list[str] = field(default_factory=list)
    faults_later: list[str] = field(default_factory=list)
    swept: set[tuple[str, str]] = field(default_factory=set)

    def prove(self) -> None:
        """Reads the ledger beside the interpreter; sweeps after 101 days, and reads on."""
        clock = FixedClock(TODAY)
        with open_store(self.where, clock=clock) as store:
            proof = Proof(store, Chronicle([(TODAY, self.documentation)]))
            self.faults = proof.faults() + proof.undone(TODAY)
            self.crawled, self.refused = set(map(path_of, proof.crawled)), set(map(path_of, proof.refused))
            fetched, refused = proof.reach([f"{self.documentation.url}/"], TODAY)
            self.reach = set(map(path_of, fetched)), set(map(path_of, refused))
            self.held = len(proof.held["index"]), len(proof.held["preserve"])
            clock.set(TODAY + timedelta(days=101))
            with store.writing():
                self.swept = {(act.act, act.usage) for act in sweep(store).acts}
            self.faults_later = proof.faults() + proof.undone(clock.now())


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of the site: a page a module, the directories in turn, as links lead to them."""
    written = tmp_path_factory.mktemp("written")
    subprocess.run(
        [sys.executable, "-m", "pydoc", "-w", *MODULES], check=True, cwd=written, stdout=subprocess.DEVNULL, timeout=60
    )
    root = tmp_path_factory.mktemp("documentation")
    places = {f"{name}.html": DIRECTORIES[at % len(DIRECTORIES)] for at, name in enumerate(MODULES)}
    for directory in DIRECTORIES:
        (root / directory).mkdir(parents=True, exist_ok=True)
        (root / directory / "index.html").write_text(_list(root, directory, places), "utf-8")
    for file, directory in places.items():
        page = (written / file).read_text("utf-8")
        # pydoc takes all to lie in one directory.
        page = re.sub(r'href="([\w.]+\.html)', lambda link: f'href="/{places.get(link[1], "docs")}/{link[1]}', page)
        (root / directory / file).write_text(page, "utf-8")
    (root / "7380.html").write_text("<!DOCTYPE html><title>A number</title><p>7380", "utf-8")
    (root / "news" / "article.ece").write_text("<!DOCTYPE html><title>An article</title><p>Words.", "utf-8")
    links = "".join(f'<p><a href="/{directory}/">{directory}</a>\n' for directory in DIRECTORIES)
    (root / "index.html").write_text(FRONT + links, "utf-8")
    return root


def _list(root: Path, directory: str, places: dict[str, str]) -> str:
    files = [file for file, place in places.items() if place == directory]
    assert files, root
    return f"<!DOCTYPE html><title>{directory}</title>" + "".join(f'<p><a href="{file}">{file}</a>\n' for file in files)


@pytest.fixture(scope="module")
def trials(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Trial]]:
    """Every case, crawled."""
    directory = tmp_path_factory.mktemp("stores")
    with ExitStack() as stack:
        servers = {
            name: stack.enter_context(
                Nginx(root, None if case.robots is None else case.robots.read_bytes(), server=case.server)
            )
            for name, case in CASES.items()
        }
        crawls = {
            name: Crawl(
                str(directory / f"{number}.db"),
                (servers[name].url(),),
                TODAY,
                (case.crawler,),
                () if case.purpose is None else (case.purpose,),
                options={"attempts": 1},
            )
            for number, (name, case) in enumerate(CASES.items())
        }
        names = list(CASES)
        reports: dict[str, dict[str, object]] = {}
        for few in (names[at : at + 3] for at in range(0, len(names), 3)):
            reports |= dict(zip(few, crawl_all(*(crawls[name] for name in few)), strict=True))
        found = {}
        for name, case in CASES.items():
            asked = servers[name].requests(case.crawler)
            documentation = Documentation(servers[name].url("").removesuffix("/"), case.is_reachable)
            documentation.ask_all()
            found[name] = Trial(case, Path(crawls[name].where), documentation, asked, reports[name])
            found[name].prove()
        yield found


@pytest.fixture(params=CASES)
def trial(request: pytest.FixtureRequest, trials: dict[str, Trial]) -> Trial:
    """One case."""
    return trials[request.param]


def test_every_act_stands_up(trial: Trial) -> None:
    """Each act is what the interpreter says, nothing that may be held is left out, and so many things are."""
    assert trial.faults == []
    assert trial.held == trial.case.held
    assert trial.crawled | trial.refused


def test_what_is_over_goes(trial: Trial) -> None:
    """After 100 days, where a policy names them, copies go and nothing else does."""
    is_limited = trial.case.robots is not None and b"time-limit" in trial.case.robots.read_bytes()
    assert trial.swept == ({("removed", "preserve")} if is_limited else set())
    assert trial.faults_later == []


def test_all_is_fetched_that_may_be_and_nothing_else(trial: Trial) -> None:
    """What links lead to was crawled or refused as the interpreter says."""
    assert (trial.crawled, trial.refused) == trial.reach
    assert trial.report["ended"]
    assert trial.report["faults"] == []


def test_the_server_was_asked_for_nothing_else(trial: Trial) -> None:
    """The server's log has each act of crawling once, robots.txt, and no other request."""
    asked = [path for path in trial.asked if path != "/robots.txt"]
    assert sorted(asked) == sorted(trial.crawled)
    assert "/robots.txt" in trial.asked
    assert trial.refused.isdisjoint(asked)


def test_the_patterns_bite(trials: dict[str, Trial]) -> None:
    """URLs of each kind that the policies name are refused, and those beside them are not."""
    google = trials["Googlebot, independent.ie"]
    assert google.refused >= {
        "/search/", "/sponsored/", "/sponsored-features/", "/tablet/", "/tablet/morning-edition/", "/unsorted/",
        "/7380.html", "/news/article.ece", "/docs/?startindex=20",
    }  # fmt: skip
    assert google.crawled >= {"/", "/news/", "/docs/", "/Labs/", "/site/", "/gone.html"}
    assert trials["ia_archiver, independent.ie"].refused == {"/"}
    assert {path.split("/")[1] for path in trials["AnyBot, persgroep"].refused} == {"site"}
    assert trials["AnyBot, rsc.org"].refused >= {"/Labs/", "/is/", "/Membership/Memberzone/"}
    assert trials["gsa-crawler, rsc.org"].refused == {"/"}
    assert trials["AnyBot, no robots.txt"].refused == set()
    assert (trials["AnyBot, 503"].refused, trials["AnyBot, 503"].crawled) == ({"/"}, set())


def test_nobody_knows_what_an_unreachable_site_says(trials: dict[str, Trial]) -> None:
    """With 503 for robots.txt one refusal is told, with that reason, and nothing is held."""
    trial = trials["AnyBot, 503"]
    with open_store(trial.where) as store:
        (entry,) = store.ledger.entries()
        assert entry.act.decision is not None
        assert (entry.act.act, entry.act.decision["kind"]) == ("refused", "unreachable")
        assert store.resources.counts()["held"] == 0
    assert set(trial.asked) == {"/robots.txt"}


def test_sport_alone_has_snippets_and_news_no_index(trials: dict[str, Trial]) -> None:
    """What the file of persgroep says to its one crawler for its one purpose comes out in what is held."""
    trial = trials["ExaBotAcap12, persgroep"]
    with open_store(trial.where) as store:
        indexed = _places(entry.act.url for entry in store.ledger.entries(acts=["indexed"]))
        preserved = _places(entry.act.url for entry in store.ledger.entries(acts=["preserved"]))
    assert "nieuws" not in indexed
    assert {"sport", "nieuws"} <= preserved
    assert "sport" in indexed


def _places(urls: Iterator[str] | Sequence[str]) -> set[str]:
    return {path_of(url).split("/")[1] for url in urls}
