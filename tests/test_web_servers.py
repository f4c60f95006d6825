"""nginx serves the blocks of docs/how-to/web-servers.md as they stand there, and acap finds what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import httpx2
import pytest

from tests.command_line import Result, acap
from tests.nginx import Nginx

PAGE = (Path(__file__).resolve().parent.parent / "docs/how-to/web-servers.md").read_text(encoding="utf-8")
EVERYTHING, SOME = (str(block) for block in re.findall(r"^```nginx\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
# What sites have beside it: a password, files that are hidden, an application that answers everything.
IN_THE_WAY = r"""
auth_basic news;
auth_basic_user_file /dev/null;
location ~ /\. { deny all; }
location ~ \.(txt|xml|json)$ { return 404; }
location /news/ { auth_basic off; }
location / { return 302 /login; }
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root" / "news").mkdir(parents=True)
    (tmp_path / "root" / "news" / "a.html").write_text("<p>news")
    (tmp_path / "root" / "a.pdf").write_bytes(b"%PDF-1.4\n")
    return tmp_path / "root"


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    assert acap("compose", "--preset", "no-ai-training", "-o", tmp_path / "policy").code == 0
    return tmp_path / "policy"


def lines(policy: Path) -> str:
    """The block of the page, with the folder where it is here."""
    assert EVERYTHING.count("/srv/policy") == 5
    return EVERYTHING.replace("/srv/policy", str(policy))


def verified(nginx: Nginx, policy: Path) -> Result:
    return acap("verify", "--no-cache", nginx.url("/news/a.html"), policy)


def test_a_site_serves_the_policy_past_what_is_in_the_way(root: Path, policy: Path) -> None:
    types = {
        "/robots.txt": "text/plain; charset=utf-8",
        "/ai.txt": "text/plain; charset=utf-8",
        "/.well-known/tdmrep.json": "application/json",
        "/license.xml": "application/rsl+xml",
    }
    # Of the types that systems ship with nginx.
    with Nginx(
        root, server=f"types {{ text/plain txt; application/json json; }}\n{lines(policy)}{IN_THE_WAY}"
    ) as nginx:
        result = verified(nginx, policy)
        assert (result.code, result.err) == (0, "")
        assert f"{nginx.url('/news/a.html')}: says what you mean" in result.out
        for path, declared in types.items():
            answer = httpx2.get(nginx.url(path))
            assert (answer.status_code, answer.headers["content-type"]) == (200, declared)
            assert answer.headers["cache-control"] == "max-age=3600"
            assert answer.headers["tdm-reservation"] == "1"


def test_a_return_in_the_server_block_comes_before_all_locations(root: Path, policy: Path) -> None:
    with Nginx(root, server=f"{lines(policy)}if ($uri != /login) {{ return 302 /login; }}") as nginx:
        (root / "login").write_text("<p>log in")
        result = verified(nginx, policy)
    assert result.code == 1
    assert f"a redirect led to {nginx.url('/login')}" in result.err


def test_a_location_with_a_header_of_its_own_sends_no_other(root: Path, policy: Path) -> None:
    location = "location /news/ { add_header X-Own 1; %s }"
    with Nginx(root, server=lines(policy) + location % "") as nginx:
        result = verified(nginx, policy)
        assert result.code == 1
        assert "says less than you mean" in result.out
    with Nginx(root, server=lines(policy) + location % f"include {policy}/nginx.conf;") as nginx:
        assert verified(nginx, policy).code == 0


def test_files_of_one_kind_say_it_and_others_do_not(root: Path) -> None:
    _, http, server = re.split(r"^# in the (?:http|server) block\n", SOME, flags=re.MULTILINE)
    with Nginx(root, http=http, server=server) as nginx:
        reserved = {
            path: httpx2.get(nginx.url(path)).headers.get("tdm-reservation") for path in ("/a.pdf", "/news/a.html")
        }
        assert reserved == {"/a.pdf": "1", "/news/a.html": None}
        asked = ("--crawler", "GPTBot", "--usage", "ai-train", "--page", nginx.url("/a.pdf"))
        result = acap("check", "--no-cache", *asked, nginx.url("/a.pdf"))
    assert result.code == 1
    assert "tdm-reservation" in result.out
