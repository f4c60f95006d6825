"""The implementations that others use, by `peers.toml`: the table of them, and whether one has a newer release."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

MANIFEST = Path(__file__).with_name("peers.toml")
PATIENCE = 120  # seconds for an answer of a registry
ABILITIES = {
    "keeps": "keeps what it read",
    "wildcards": "wildcards",
    "reasons": "reasons",
    "acap": "ACAP",
}
POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>peers</groupId><artifactId>peers</artifactId><version>1</version><dependencies><dependency>
<groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>
</dependency></dependencies></project>
"""
MAVEN = "org.codehaus.mojo:versions-maven-plugin:2.18.0:display-dependency-updates"


@dataclasses.dataclass(frozen=True, slots=True)
class Peer:
    """One implementation: the version that is measured, how it is had, and what it can do.

    `measured` tells whether `make bench` measures it, where its language is there. `registry` is whose
    client knows its releases as `package`; empty for none.
    """

    name: str
    language: str
    version: str
    install: str
    registry: str = ""
    package: str = ""
    measured: bool = False
    keeps: bool = False
    wildcards: bool = False
    reasons: bool = False
    acap: bool = False

    @property
    def abilities(self) -> str:
        """What it can do, in words."""
        return ", ".join(words for name, words in ABILITIES.items() if getattr(self, name)) or "-"


def peers() -> list[Peer]:
    """All of them, acap first."""
    return [Peer(**one) for one in tomllib.loads(MANIFEST.read_text(encoding="utf-8"))["peer"]]


def newest(peer: Peer) -> str | None:
    """The newest release that its registry knows; None where none can be asked, or does not answer."""
    commands = {
        "pip": [sys.executable, "-m", "pip", "index", "versions", peer.package],
        "npm": ["npm", "view", peer.package, "version"],
        "cargo": ["cargo", "info", peer.package],
        "maven": ["mvn", "--batch-mode", MAVEN],
    }
    command = commands.get(peer.registry)
    if command is None or not shutil.which(command[0]):
        return None
    with tempfile.TemporaryDirectory() as folder:
        if peer.registry == "maven":
            Path(folder, "pom.xml").write_text(POM.format(*peer.package.split(":"), peer.version), encoding="utf-8")
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, cwd=folder, check=True)
        except (OSError, subprocess.SubprocessError):
            return None
    return told(peer, done.stdout)


def told(peer: Peer, printed: str) -> str | None:
    """The release in what the client of a registry printed."""
    patterns = {
        "pip": r"^\S+ \(([^)]+)\)",
        "npm": r"^(\d\S*)$",
        "cargo": r"^version: (?:.*\(latest (\S+)\)|(\S+))",
        "maven": rf"{re.escape(peer.package)} \.* *\S+ -> (\S+)",
    }
    found = re.search(patterns[peer.registry], printed, re.MULTILINE)
    if found is None:
        # The client of Maven names what has a newer release, and nothing else.
        return peer.version if peer.registry == "maven" and "BUILD SUCCESS" in printed else None
    return next(group for group in found.groups() if group)


def report() -> Iterator[str]:
    """A line for each peer: its version, and what its registry says."""
    for peer in peers():
        release = newest(peer)
        if not peer.registry:
            says = "no registry"
        elif release is None:
            says = f"{peer.registry} does not answer"
        else:
            says = "newest" if release == peer.version else f"{release} is newer"
        yield f"{peer.name:<20} {peer.language:<16} {peer.version:<24} {says}"
