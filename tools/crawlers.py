"""The list of known crawlers, refreshed from free lists: what changes is a diff to review, one crawler a line.

    make crawlers AI_ROBOTS=robots.json USER_AGENTS=crawler-user-agents.json

The lists are files, as their projects publish them: `robots.json` of ai.robots.txt, `crawler-user-agents.json` of
crawler-user-agents, both under the MIT licence. A crawler that a list has is marked with the list's name. One that is
new here is added if the list says what it is for; the others are told. A row without a page gets the first that a list
has of its operator, one whose path speaks of a crawler. Nothing else of a row changes, and no row goes: what operators
publish is ours to read.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "src" / "acap" / "crawlers.json"
NAMES = ROOT / "rust" / "policy" / "src" / "crawlers.txt"

SEEDS = {
    "ai.robots.txt": ("https://github.com/ai-robots-txt/ai.robots.txt", "MIT"),
    "crawler-user-agents": ("https://github.com/monperrus/crawler-user-agents", "MIT"),
}
"""The free lists: where each is, and its licence."""

PURPOSES = (
    ("ai-train", re.compile(r"\btrain|llm|dataset|language model", re.IGNORECASE)),
    (
        "ai-input",
        re.compile(r"assistant|\bagents?\b|answer|retriev|user.(prompt|initiated|request)|grounding", re.IGNORECASE),
    ),
    ("search", re.compile(r"search", re.IGNORECASE)),
    ("seo", re.compile(r"\bseo\b", re.IGNORECASE)),
    ("data", re.compile(r"scrap|data", re.IGNORECASE)),
)
"""A purpose by the words in which ai.robots.txt describes a crawler; the first two that are found count."""
_MOST = 2

Row = dict[str, Any]


def refreshed(
    held: Mapping[str, Any],
    ai_robots: Mapping[str, Mapping[str, str]],
    user_agents: Mapping[str, str | None],
    today: date,
) -> tuple[dict[str, Any], list[str]]:
    """The list with what the free lists say today, and the names that somebody has to look at.

    `user_agents` are the patterns of crawler-user-agents, each with its URL.
    """
    listed = {"ai.robots.txt": {name.lower(): name for name in ai_robots}}
    listed["crawler-user-agents"] = {name.lower(): name for name in map(product, user_agents) if name}
    rows: list[Row] = [dict(row) for row in held["crawlers"]]
    known = {row["name"].lower() for row in rows}
    unclear = []
    for name, told in ai_robots.items():
        if plain(name) in known:
            continue
        purposes = purposes_of(told.get("function", "")) or purposes_of(told.get("description", ""))
        operator = operator_of(told.get("operator", ""))
        if purposes and operator:
            page = {"page": found[1]} if (found := _LINK.match(told["operator"])) else {}
            rows.append({"name": name, "operator": operator, "for": purposes, **page})
        else:
            unclear.append(name)
    pages: dict[str, list[str]] = {}
    for name, told in ai_robots.items():
        pages.setdefault(name.lower(), []).extend(_LINKS.findall(f"{told.get('operator')} {told.get('respect')}"))
    for pattern, url in user_agents.items():
        pages.setdefault(product(pattern).lower(), []).append(url or "")
    for row in rows:
        linked = [url for url in pages.get(row["name"].lower(), ()) if is_page(url)]
        if linked and "page" not in row:
            row["page"] = linked[0]
        row.pop("seeds", None)
        if having := [seed for seed, names in listed.items() if row["name"].lower() in names]:
            row["seeds"] = having
    seeds = {
        name: {"url": url, "licence": licence, "date": today.isoformat()} for name, (url, licence) in SEEDS.items()
    }
    rows.sort(key=lambda row: row["name"].lower())
    changed = rows != held["crawlers"]
    as_of = today.isoformat() if changed else held["date"]
    return {**held, "date": as_of, "seeds": seeds, "crawlers": rows}, unclear


_LINK = re.compile(r"\[[^\]]*\]\((https?://[^)\s]+)\)")
_LINKS = re.compile(r"\]\((https?://[^)\s]+)\)")
_OF_CRAWLER = re.compile(r"bot|crawl|spider|scraping|user-agent|webmaster", re.IGNORECASE)
_OF_OTHERS = ("datadome.co", "imho.alex-kunz.com", "knownagents.com", "stackoverflow.com")
_PRODUCT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._ -]*")


def is_page(url: str) -> bool:
    """Whether a URL may be where an operator documents its crawler, as home pages and what others write are not."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or (parts.hostname or "").removeprefix("www.") in _OF_OTHERS:
        return False
    return _OF_CRAWLER.search(f"{parts.path}#{parts.fragment}") is not None


def product(pattern: str) -> str:
    """The name in a pattern of crawler-user-agents, `Googlebot\\/` say; empty if it is no plain name."""
    plain = re.sub(r"\\(.)", r"\1", pattern).strip("^$/ ")
    return plain if _PRODUCT.fullmatch(plain) else ""


def purposes_of(text: str) -> list[str]:
    """What a crawler is for, by how it is described."""
    return [name for name, words in PURPOSES if words.search(text)][:_MOST]


def operator_of(text: str) -> str:
    """The operator by name; empty where the list does not know."""
    name = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).strip()
    name = re.split(r", | \(| that |\. ", name)[0]
    return "" if not name or name.lower().startswith(("unclear", "unknown", "anyone", "http")) else name


def plain(name: str) -> str:
    """A name without its version, as the list has it."""
    return re.sub(r"[/ ]v?\d[\d.]*$", "", name).lower()


def written(found: Mapping[str, Any]) -> str:
    """The list as it is kept: one row a line, so that a diff shows crawlers."""
    lines = ["{", f'  "date": {json.dumps(found["date"])},']
    for name in ("seeds", "verification", "meant"):
        inner = ",\n".join(f"    {json.dumps(key)}: {_one(value)}" for key, value in found[name].items())
        lines.append(f'  "{name}": {{\n{inner}\n  }},')
    rows = ",\n".join(f"    {_one(row)}" for row in found["crawlers"])
    return "\n".join([*lines, f'  "crawlers": [\n{rows}\n  ]', "}", ""])


def _one(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def names(found: Mapping[str, Any]) -> str:
    """The names of a list as the native core looks for them in User-Agent strings."""
    return "".join(f"{name}\n" for name in sorted({one["name"].lower() for one in found["crawlers"]}))


def main() -> None:
    """Writes the list anew, and tells what somebody has to look at."""
    parser = argparse.ArgumentParser(prog="python -m tools.crawlers", description="Refresh the list of known crawlers.")
    parser.add_argument("ai_robots", type=Path, nargs="?", help="robots.json of ai.robots.txt")
    parser.add_argument("user_agents", type=Path, nargs="?", help="crawler-user-agents.json of crawler-user-agents")
    options = parser.parse_args()
    if options.user_agents is None:
        addresses = " and ".join(url for url, _ in SEEDS.values())
        parser.error(
            "nothing is fetched here; save robots.json and crawler-user-agents.json from "
            f"{addresses}, and call: make crawlers AI_ROBOTS=robots.json USER_AGENTS=crawler-user-agents.json"
        )
    held = json.loads(LIST.read_text(encoding="utf-8"))
    patterns = {one["pattern"]: one.get("url") for one in json.loads(options.user_agents.read_text(encoding="utf-8"))}
    ai_robots = json.loads(options.ai_robots.read_text(encoding="utf-8"))
    found, unclear = refreshed(held, ai_robots, patterns, datetime.now(UTC).date())
    LIST.write_text(written(found), encoding="utf-8")
    NAMES.write_text(names(found), encoding="utf-8")
    print(f"{len(found['crawlers']) - len(held['crawlers'])} crawlers are new; review `git diff {LIST.name}`")
    if unclear:
        print(f"of these the list does not say whose or what for: {', '.join(unclear)}")


if __name__ == "__main__":
    main()
