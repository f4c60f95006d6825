"""What an extension touches is what ARCHITECTURE says: each is put into a copy of the tree, built, and used."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXTENSIONS = tomllib.loads((ROOT / "tests/extensions.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Tree:
    """A copy of the sources with every extension in it, and its native core."""

    place: Path

    def acap(self, *arguments: str, policy: str = "") -> str:
        """What a command prints, with the copy in place of the package, and `robots.txt` where it runs."""
        (self.place / "robots.txt").write_text(policy, encoding="utf-8")
        known = {**os.environ, "PYTHONPATH": str(self.place / "src")}
        command = [sys.executable, "-m", "acap", *arguments]
        done = subprocess.run(command, cwd=self.place, env=known, capture_output=True, text=True)
        assert "Traceback" not in done.stderr, done.stderr
        return done.stdout.strip()

    def asked(self, command: str, policy: str, *options: str) -> str:
        """What `check` or `explain` says of /a."""
        return self.acap(command, "/a", "--robots", "robots.txt", "--crawler", "x", *options, policy=policy)


def extend(place: Path, name: str) -> None:
    """Puts an extension into a copy: files that are new, and lines that come behind others or in place of them."""
    for edit in EXTENSIONS[name]:
        file = place / edit["file"]
        if "behind" not in edit and "instead" not in edit:
            assert not file.exists()
            file.write_text(edit["text"], encoding="utf-8")
            continue
        before = file.read_text(encoding="utf-8")
        anchor = edit.get("behind") or edit["instead"]
        assert before.count(anchor) == 1, f"{edit['file']} has no such place any more: {anchor!r}"
        text = edit["text"] if "instead" in edit else anchor + edit["text"]
        file.write_text(before.replace(anchor, text), encoding="utf-8")


@pytest.fixture(scope="module")
def tree() -> Tree:
    """One copy with all of them, built once, beside what `make setup` builds: crates of others are built for both."""
    built = ROOT / "target"
    place = built / "extended"
    shutil.rmtree(place, ignore_errors=True)
    for name in ("rust", "src"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("target", "__pycache__", "*.so"))
    for name in ("Cargo.toml", "Cargo.lock"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, place)
    for name in EXTENSIONS:
        extend(place, name)
    # Cargo goes by times: a file that is extended is as old as the newer of what it was and of the extensions.
    newest = (ROOT / "tests/extensions.toml").stat().st_mtime
    for name in {edit["file"] for edits in EXTENSIONS.values() for edit in edits}:
        before = ROOT / name
        at = max(newest, before.stat().st_mtime if before.exists() else 0)
        os.utime(place / name, (at, at))
    known = {**os.environ, "PYO3_PYTHON": sys.executable, "CARGO_TARGET_DIR": str(built)}
    if configured := sorted((built / "maturin").glob("pyo3-config-*.txt")):
        known["PYO3_CONFIG_FILE"] = str(configured[-1])  # as `make setup` had it: without, PyO3 is built again
    if sys.platform == "darwin":
        known["RUSTFLAGS"] = "-C link-arg=-undefined -C link-arg=dynamic_lookup"
    plain = [
        f"--config=profile.quick.package.acap-{crate}.opt-level=0"
        for crate in ("archives", "markup", "policy", "python")
    ]
    command = ["cargo", "build", "--quiet", "--package", "acap-python", "--profile", "quick", *plain]
    subprocess.run(command, cwd=place, env=known, check=True)
    (library,) = [file for file in (built / "quick").glob("lib_native.*") if file.suffix in (".so", ".dylib")]
    shutil.copy(library, place / "src/acap/_native.abi3.so")
    return Tree(place)


def test_a_rule_of_lint_is_a_file(tree: Tree) -> None:
    """It is in the catalogue, tells why, and finds."""
    assert "extinct since 1681" in tree.acap("rule", "dodo")
    assert "[dodo]" in tree.acap("lint", "robots.txt", policy="User-agent: dodo\nDisallow: /\n")


def test_a_command_is_a_file_and_a_row(tree: Tree) -> None:
    """It is in the help, and runs."""
    assert "Say dodo." in tree.acap("--help")
    assert tree.acap("dodo") == "dodo"


def test_a_usage_is_a_row_of_the_core_and_a_row_of_words(tree: Tree) -> None:
    """It is asked for by its name, decided and explained; it stands between others, which keep their meaning."""
    policy = "ACAP-crawler: *\nACAP-disallow-translate: /a\nACAP-allow-index: /\n"
    assert "translate" in tree.asked("explain", policy, "--usage", "translate")
    assert "prohibited" in tree.asked("check", policy, "--usage", "translate")
    assert "prohibited" not in tree.asked("check", policy, "--usage", "index")


def test_a_restriction_is_a_row_of_the_core_and_a_row_of_words(tree: Tree) -> None:
    """It is read, and told in words."""
    policy = "ACAP-crawler: *\nACAP-allow-index: / readers=few\n"
    assert "readers=few: only so many may read it" in tree.asked("explain", policy, "--usage", "index")


def test_a_dialect_is_a_value(tree: Tree) -> None:
    """It is offered by the command line, and decides by its own traits: here the first line that matches wins."""
    policy = "User-agent: *\nAllow: /\nDisallow: /a\n"
    assert "prohibited" not in tree.asked("check", policy, "--dialect", "dodo-1681")
    assert "prohibited" in tree.asked("check", policy, "--dialect", "rfc9309")


TOUCHED: dict[str, int] = {"rule": 1, "command": 2, "usage": 2, "restriction": 2, "dialect": 1}


@pytest.mark.parametrize("name", EXTENSIONS)
def test_an_extension_touches_no_more_files_than_it_is_said_to(name: str) -> None:
    """ARCHITECTURE has the same numbers, beside the vectors and the reference interpreter."""
    assert len({edit["file"] for edit in EXTENSIONS[name]}) == TOUCHED[name]
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert f"| {NAMES[name]} | {TOUCHED[name]} |" in page


NAMES = {
    "rule": "a rule of lint",
    "command": "a command",
    "usage": "a usage",
    "restriction": "a restriction",
    "dialect": "a dialect of robots.txt",
}
