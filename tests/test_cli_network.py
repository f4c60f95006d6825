"""Commands that retrieve: each site is asked for its file, once; what fails is said in one line and never permits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.command_line import acap
from tests.loopback import Loopback, redirect, reply

TEXT = b"User-agent: *\nDisallow: /private/\nACAP-crawler: refbot\nACAP-permissions-reference: /terms.txt\n"
TERMS = b"ACAP-crawler: refbot\nACAP-allow-index: /\nACAP-disallow-index: /private/\n"

OWN = ["/robots.txt", "/.well-known/tdmrep.json", "/ai.txt"]


@pytest.fixture
def site() -> Iterator[Loopback]:
    with Loopback(says={"/robots.txt": reply(body=TEXT), "/terms.txt": reply(body=TERMS)}) as server:
        yield server


@pytest.fixture
def keep(tmp_path: Path) -> list[str | Path]:
    """The options that keep copies away from the user's own."""
    return ["--cache-dir", tmp_path / "cache", "--timeout", "5"]


def test_each_url_is_asked_of_its_own_site_and_each_site_once(site: Loopback, keep: list[str | Path]) -> None:
    with Loopback(address="127.0.0.2", says={"/robots.txt": reply(body=b"User-agent: *\nDisallow: /\n")}) as other:
        urls = [site.url("/a"), other.url("/a"), site.url("/private/"), other.url("/b")]
        result = acap("check", *keep, "-c", "a", "-u", "crawl", *urls)
        assert [line.split("\t")[0] for line in result.lines] == ["permitted", "prohibited", "prohibited", "prohibited"]
        assert (site.targets, other.targets) == (["/robots.txt"], ["/robots.txt"])


def test_we_send_our_own_name_not_that_of_the_crawler_asked_about(site: Loopback, keep: list[str | Path]) -> None:
    acap("check", *keep, "-c", "Googlebot", "--contact", "https://example.com/us", site.url("/"))
    assert site.asked[0].headers["user-agent"].startswith("acap/")
    assert "https://example.com/us" in site.asked[0].headers["user-agent"]


def test_the_user_agent_can_be_given(site: Loopback, keep: list[str | Path]) -> None:
    acap("check", *keep, "-c", "a", "--user-agent", "mine/1.0", site.url("/"))
    assert site.asked[0].headers["user-agent"] == "mine/1.0"


def test_a_second_call_goes_by_the_copy_and_refresh_asks_again(site: Loopback, keep: list[str | Path]) -> None:
    told = [acap("check", *keep, *options, "-c", "a", site.url("/")).err for options in ([], [], ["--refresh"])]
    assert sorted(site.targets) == sorted([*OWN, *OWN])
    copy = rf"acap: {re.escape(site.url())} is a copy of {datetime.now(UTC):%Y}-\d\d-\d\d \d\d:\d\d UTC; --refresh asks"
    assert [len(re.findall(copy, one)) for one in told] == [0, 1, 0]


def test_without_a_cache_every_call_asks(site: Loopback) -> None:
    for _ in range(2):
        acap("check", "--no-cache", "-c", "a", site.url("/"), site.url("/b"))
    assert sorted(site.targets) == sorted([*OWN, *OWN])


def test_documents_that_the_policy_refers_the_crawler_to_are_retrieved(site: Loopback, keep: list[str | Path]) -> None:
    result = acap(
        "check", *keep, "-c", "a", "-c", "refbot", "-u", "index", "--json", site.url("/x"), site.url("/private/")
    )
    found = [(item["crawler"], item["outcome"], item["reason"]["kind"]) for item in map(json.loads, result.lines)]
    assert found == [
        ("a", "permitted", "silence"),
        ("refbot", "permitted", "statement"),
        ("a", "prohibited", "crawl-prohibited"),
        ("refbot", "prohibited", "crawl-prohibited"),
    ]


def test_a_missing_document_leaves_the_answer_undetermined(site: Loopback, keep: list[str | Path]) -> None:
    site.says["/terms.txt"] = reply(500)
    result = acap("check", *keep, "-c", "refbot", "-u", "index", site.url("/x"))
    assert result.code == 3
    assert "/terms.txt cannot be retrieved" in result.error


def test_a_site_without_a_file_forbids_nothing(keep: list[str | Path]) -> None:
    with Loopback() as empty:
        result = acap("check", *keep, "-c", "a", "-u", "crawl", empty.url("/x"))
    assert (result.code, result.err) == (0, "")
    assert "\tabsent\t" in result.out


@pytest.mark.parametrize("command", ["check", "explain"])
def test_a_site_in_trouble_prohibits_ends_with_3_and_is_named_once(keep: list[str | Path], command: str) -> None:
    with Loopback(says={"/robots.txt": reply(503)}) as broken:
        result = acap(command, *keep, "-c", "a", "-u", "crawl", broken.url("/x"), broken.url("/y"))
    assert result.code == 3
    assert result.out.count("prohibited") == 2 * (2 if command == "explain" else 1)
    assert f"{broken.url()} cannot be retrieved: the answer was 503" in result.error


def test_a_host_that_is_not_there_is_one_line_even_when_quiet(keep: list[str | Path]) -> None:
    with Loopback() as gone:
        url = gone.url("/x")
    result = acap("check", "--quiet", *keep, "-c", "a", "-u", "crawl", url)
    assert (result.code, result.out) == (3, "")
    assert "cannot be retrieved" in result.error
    assert "Errno" not in result.err


def test_urls_of_standard_input_do_not_lead_into_a_private_network(site: Loopback, keep: list[str | Path]) -> None:
    given = f"{site.url('/x')}\n".encode()
    result = acap("check", *keep, "-c", "a", "-u", "crawl", "-", given=given)
    assert (result.code, site.targets) == (3, [])
    assert "--allow-private" in result.error
    assert acap("check", *keep, "--allow-private", "-c", "a", "-u", "crawl", "-", given=given).code == 0


def test_robots_may_be_the_url_of_a_site(site: Loopback, keep: list[str | Path]) -> None:
    result = acap(
        "check", *keep, "-c", "a", "-u", "crawl", "--robots", site.url("/some/page"), site.url("/private/"), "/x"
    )
    assert [line.split("\t")[0] for line in result.lines] == ["prohibited", "permitted"]
    assert site.targets == ["/robots.txt"]


def test_the_policy_of_one_site_does_not_answer_for_another(site: Loopback, keep: list[str | Path]) -> None:
    result = acap("check", *keep, "-c", "a", "--robots", site.url(), "https://example.com/")
    assert (result.code, result.out) == (2, "")
    assert "`https://example.com/` is not of" in result.error


def test_show_asks_the_site_of_a_url(site: Loopback, keep: list[str | Path]) -> None:
    result = acap("show", *keep, "-c", "refbot", site.url("/x"))
    assert result.code == 0
    assert "    line 2: must not crawl /private/ (Disallow)" in result.lines
    assert "    line 2 of /terms.txt: may index everything" in result.lines


@pytest.mark.parametrize(
    ("status", "code", "words"), [(404, 0, "nothing is forbidden"), (503, 3, "everything is prohibited")]
)
def test_show_says_what_the_lack_of_a_file_means(keep: list[str | Path], status: int, code: int, words: str) -> None:
    with Loopback(says={"/robots.txt": reply(status)}) as server:
        result = acap("show", *keep, server.url("/"))
    assert result.code == code
    assert words in result.out


@pytest.mark.parametrize("status", [401, 403])
def test_every_command_ends_with_3_where_a_forbidden_file_prohibits(
    keep: list[str | Path], tmp_path: Path, status: int
) -> None:
    """What the site says is known to nobody, whoever asks; without the option the same answer is no policy."""
    file = tmp_path / "robots.txt"
    file.write_bytes(TEXT)
    with Loopback(says={"/robots.txt": reply(status)}) as site:
        url = site.url("/x")
        for command in (
            ["check", "-c", "a", "-u", "crawl", url], ["explain", "-c", "a", "-u", "crawl", url],
            ["show", url], ["lint", "--no-config", url], ["fetch", site.url("/")], ["verify", url, file],
            ["compare", file, url],
        ):  # fmt: skip
            result = acap(*command, *keep, "--forbidden", "restricted")
            assert (command[0], result.code) == (command[0], 3)
            assert re.search(rf"cannot be retrieved: .*\b{status}\b", result.error)
            assert "nothing found" not in result.error
        for name in ("show", "lint"):
            assert acap(name, url, *keep, "--forbidden", "unavailable").code == 0


def test_fetch_prints_the_document_as_it_is(site: Loopback, keep: list[str | Path]) -> None:
    for url in (site.url(""), site.url("/"), site.url()):
        result = acap("fetch", *keep, url)
        assert (result.code, result.out, result.err) == (0, TEXT.decode(), "")
    assert site.targets == ["/robots.txt"]


def test_fetch_takes_any_policy_document(site: Loopback, keep: list[str | Path]) -> None:
    assert acap("fetch", *keep, site.url("/terms.txt")).out == TERMS.decode()


def test_fetch_writes_the_octets_to_a_file(site: Loopback, keep: list[str | Path], tmp_path: Path) -> None:
    site.says["/robots.txt"] = reply(body=b"\xff\xfe\r\n\x00")
    result = acap("fetch", *keep, "-o", tmp_path / "kept.txt", site.url())
    assert (result.code, result.out) == (0, "")
    assert (tmp_path / "kept.txt").read_bytes() == b"\xff\xfe\r\n\x00"


def test_fetch_json_holds_everything_that_was_said(site: Loopback, keep: list[str | Path]) -> None:
    site.says["/old"] = redirect("/robots.txt")
    found = json.loads(acap("fetch", *keep, "--json", site.url("/old")).out)
    assert (found["schema"], found["url"], found["final_url"]) == (1, site.url("/old"), site.url())
    assert (found["status"], found["meaning"], found["body"], found["body_base64"]) == (
        200,
        "read",
        TEXT.decode(),
        None,
    )
    assert [hop["status"] for hop in found["chain"]] == [302]


def test_fetch_json_holds_what_is_not_text_in_base64(site: Loopback, keep: list[str | Path]) -> None:
    site.says["/robots.txt"] = reply(body=b"\xff\xfe")
    found = json.loads(acap("fetch", *keep, "--json", site.url()).out)
    assert (found["body"], found["body_base64"]) == (None, "//4=")


@pytest.mark.parametrize("status", [404, 500])
def test_fetch_without_a_document_ends_with_3_and_writes_nothing(
    site: Loopback, keep: list[str | Path], tmp_path: Path, status: int
) -> None:
    site.says["/robots.txt"] = reply(status)
    result = acap("fetch", *keep, "-o", tmp_path / "kept.txt", site.url())
    assert (result.code, result.out) == (3, "")
    assert str(status) in result.error
    assert not (tmp_path / "kept.txt").exists()


def test_a_file_that_cannot_be_written_is_a_wrong_call(site: Loopback, keep: list[str | Path], tmp_path: Path) -> None:
    result = acap("fetch", *keep, "-o", tmp_path, site.url())
    assert result.code == 2
    assert "cannot be written" in result.error


def test_a_cache_that_cannot_be_used_is_a_wrong_call(site: Loopback, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    result = acap("check", "--cache-dir", tmp_path / "file", "-c", "a", site.url())
    assert result.code == 2
    assert "--cache-dir" in result.error


def test_the_usual_cache_failing_is_no_reason_to_stop(
    site: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setattr("acap.retrieval.store.default_path", lambda: tmp_path / "file" / "answers.sqlite3")
    result = acap("check", "-c", "a", "-u", "crawl", site.url("/x"))
    assert result.code == 0
    assert "continuing without it" in result.error


@pytest.mark.parametrize("options", [["--contact", "a(b"], ["--user-agent", ""], ["--user-agent", "ü"]])
def test_what_no_header_can_carry_is_a_wrong_call(site: Loopback, keep: list[str | Path], options: list[str]) -> None:
    result = acap("check", *keep, *options, "-c", "a", site.url())
    assert (result.code, result.out, site.targets) == (2, "", [])
    assert result.error


@pytest.mark.parametrize("command", ["check", "explain", "show", "verify"])
def test_what_401_and_403_mean_can_be_said(command: str) -> None:
    """Wherever a policy is retrieved, --forbidden says whether a 403 means no file or a site that keeps to itself."""
    with Loopback(says={"/robots.txt": reply(403)}) as server:
        for means, word in (("unavailable", "absent"), ("restricted", "restricted")):
            options = ["--forbidden", means, "--no-cache"]
            if command in ("check", "explain"):
                result = acap(command, "-c", "bot", server.url("/x"), *options)
                assert result.code == (0 if word == "absent" else 3), result
            elif command == "show":
                result = acap(command, server.url("/robots.txt"), *options)
                assert ("prohibited" in result.out) is (word == "restricted"), result
            else:
                assert acap(command, "--help").out.count("--forbidden") == 1
