"""The documentation as a site: one folder that a browser reads without a network, search included.

``python -m tools.site stage`` gathers in build/site-source what the site is built from: the pages that docs/README.md
leads to, the reference, pictures, and the configuration, whose navigation is the headings and lists of docs/README.md.
mkdocs builds build/site/VERSION from it. ``python -m tools.site finish`` checks what was built: every link leads
somewhere, and nothing is loaded from another host. Then it lists the versions that lie there, for the menu of versions,
and leads build/site/index.html to this one. Exit 0 without findings, otherwise 1.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tools import docs
from tools.links import FENCE, HEADING, LINK, ROOT, links, prose, slugs

FIRST = ROOT / "docs/README.md"
SOURCE, SITE = ROOT / "build/site-source", ROOT / "build/site"
# What the navigation has beside the lists of the first page: a page that is kept links to none that is built.
REFERENCE = {
    "Commands": "reference/commands.md",
    "Python names": "reference/api.md",
    "Python modules": "reference/modules.md",
    "Rules of lint": "reference/rules.md",
    "Problems": "reference/problems.md",
    "Promises and their tests": "reference/promises.md",
}
EXAMPLES = {"robots.txt", "acap.toml"}  # files of examples that a browser shows
OWN = ("site.css", "iframe-worker.js")
SWITCHES = [
    {"media": "(prefers-color-scheme)", "toggle": {"icon": "material/brightness-auto", "name": "Always light"}},
    {
        "media": "(prefers-color-scheme: light)",
        "scheme": "default",
        "primary": "indigo",
        "toggle": {"icon": "material/brightness-7", "name": "Always dark"},
    },
    {
        "media": "(prefers-color-scheme: dark)",
        "scheme": "slate",
        "primary": "indigo",
        "toggle": {"icon": "material/brightness-4", "name": "As the system is"},
    },
]

Nav = list[str | dict[str, "str | Nav"]]


def place(file: Path) -> str:
    """Where a file of the repository lies in the site."""
    if file == FIRST:
        return "index.md"
    name = file.relative_to(ROOT).as_posix()
    if "/" not in name:
        return f"project/{name.lower()}"
    return re.sub(r"^(docs|build)/", "", name)


def published(file: Path) -> bool:
    """Whether a link to a file is kept: its page is of the site, or it is a picture or an example."""
    if not file.is_file() or ROOT not in file.parents:
        return False
    return file.suffix == ".md" or file.relative_to(ROOT).parts[0] == "docs" or file.name in EXAMPLES


def gathered() -> set[Path]:
    """The first page, the reference, and every file that a link leads to from there."""
    found, waiting = set[Path](), [FIRST, *docs.build()]
    while waiting:
        file = waiting.pop()
        if file not in found and published(file):
            found.add(file)
            if file.suffix == ".md":
                waiting += [target for _, target in links(file)]
    return found


def staged(file: Path) -> str:
    """The text of a page for the site: links to where files lie there, headings with the anchors that links name."""
    text = file.read_text(encoding="utf-8")
    ready, done = list[str](), 0
    names = slugs(text)
    here = place(file)

    def link(match: re.Match[str]) -> str:
        target = match[1] or match[2]
        if urlsplit(target).scheme or target.startswith("#"):
            return match[0]
        path, _, anchor = target.partition("#")
        aim = (file.parent / path).resolve()
        if not published(aim):  # code, of which the site has no page: its name stays
            return re.sub(r"^!?\[(.*)\]\(.*\)$", r"\1", match[0], flags=re.DOTALL)
        moved = os.path.relpath(place(aim), Path(here).parent)
        start, end = match.span(1 if match[1] else 2)
        return (
            match.string[match.start() : start]
            + moved
            + (f"#{anchor}" if anchor else "")
            + match.string[end : match.end()]
        )

    def prose_of(part: str) -> str:
        part = LINK.sub(link, part)
        part = HEADING.sub(lambda match: f"{match[0]} {{#{next(names)}}}", part)
        return re.sub(r"^( +)(?=- )", r"\1\1", part, flags=re.MULTILINE)

    for fence in FENCE.finditer(text):
        ready += [prose_of(text[done : fence.start()]), fence[0]]
        done = fence.end()
    return "".join([*ready, prose_of(text[done:])])


def navigation() -> Nav:
    """The headings of the first page with the pages of their lists; each page where it is named first."""
    nav: Nav = [{"acap": "index.md"}]
    seen = {"index.md"}
    section: Nav = nav
    sections: dict[str, Nav] = {}
    for line in prose(FIRST).splitlines():
        if heading := re.match(r"(##|###) (.+)", line):
            below: Nav = []
            (nav if heading[1] == "##" else sections["##"]).append({heading[2]: below})
            section = sections[heading[1]] = below
        elif (entry := re.match(r"- \**\[([^\]]+)\]\(([^)#:]+\.md)\)", line)) and (
            where := place((FIRST.parent / entry[2]).resolve())
        ) not in seen:
            seen.add(where)
            section.append({entry[1].replace("`", ""): where})
        if line == "## Reference":
            section += [{title: page} for title, page in REFERENCE.items()]
    return [entry for entry in nav if isinstance(entry, str) or all(entry.values())]


def version() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def configuration() -> dict[str, object]:
    return {
        "site_name": f"acap {version()}",
        "site_description": "Read what sites, pages and files say to crawlers, and decide what one of them may do.",
        "docs_dir": "pages",
        "site_dir": str(SITE / version()),
        "use_directory_urls": False,
        "strict": True,
        "nav": navigation(),
        "theme": {
            "name": "material",
            "font": False,
            "palette": SWITCHES,
            "icon": {"logo": "material/robot-outline"},
            "features": [
                "content.code.copy",
                "navigation.footer",
                "navigation.tabs",
                "navigation.top",
                "search.highlight",
                "toc.follow",
            ],
        },
        "plugins": ["search", "offline"],
        "markdown_extensions": [
            "attr_list",
            "tables",
            "pymdownx.superfences",
            "pymdownx.highlight",
            {"toc": {"permalink": True, "toc_depth": 3}},
        ],
        "extra": {"generator": False, "polyfills": ["iframe-worker.js"], "version": {"provider": "mike"}},
        "extra_css": ["site.css"],
        "validation": {"nav": {"omitted_files": "ignore"}},
    }


def stage(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for file in gathered():
        target = folder / "pages" / place(file)
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".md":
            target.write_text(staged(file), encoding="utf-8")
        else:
            shutil.copyfile(file, target)
    for own in OWN:
        shutil.copyfile(ROOT / "tools" / own, folder / "pages" / own)
    (folder / "mkdocs.yml").write_text(json.dumps(configuration(), indent=1), encoding="utf-8")  # JSON is YAML


class Page(HTMLParser):
    """The anchors of a page, where its links lead, and what it loads."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.anchors, self.leads, self.loads = {""}, list[str](), list[str]()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors |= {name for name in (given.get("id"), given.get("name")) if name}
        if tag == "a" and (target := given.get("href")):
            self.leads.append(target)
        loaded = given.get("href") if tag == "link" and given.get("rel") != "canonical" else given.get("src")
        if loaded:
            self.loads.append(loaded)


def findings(folder: Path) -> Iterator[str]:
    """What is wrong with the pages of a folder."""
    pages = {file.resolve(): Page(file) for file in sorted(folder.rglob("*.html"))}
    if not pages:
        yield f"{folder}: no page was built"
    for file, page in pages.items():
        name = file.relative_to(folder.resolve())
        yield from (f"{name}: loads `{target}` from another host" for target in page.loads if urlsplit(target).netloc)
        if name.name == "404.html":  # its links hold wherever it is served, not on a disk
            continue
        for target in (*page.leads, *page.loads):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            aim = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if not aim.is_file():
                yield f"{name}: `{target}` leads to no file"
            elif aim in pages and unquote(parts.fragment) not in pages[aim].anchors:
                yield f"{name}: `{target}` leads to no heading"
    for sheet in folder.rglob("*.css"):
        if found := re.search(
            r"(?:url\(['\"]?|@import ['\"])(?:https?:)?//[^)'\"]+", sheet.read_text(encoding="utf-8")
        ):
            yield f"{sheet.relative_to(folder)}: loads `{found[0]}` from another host"


def finish() -> Iterator[str]:
    """What is wrong with this version of the site; it is then the one that the folder of versions leads to."""
    yield from findings(SITE / version())
    there = [folder.name for folder in SITE.iterdir() if folder.is_dir()]
    there.sort(key=lambda name: [int(part) for part in re.findall(r"\d+", name)], reverse=True)
    listed = [{"version": name, "title": name, "aliases": []} for name in there]
    (SITE / "versions.json").write_text(json.dumps(listed), encoding="utf-8")
    lead = f'<!doctype html><title>acap</title><meta http-equiv="refresh" content="0; url={version()}/index.html">\n'
    (SITE / "index.html").write_text(lead, encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.site", description="Prepare the site of documents; check it."
    )
    parser.add_argument("step", choices=["stage", "finish"])
    if parser.parse_args(arguments).step == "stage":
        stage(SOURCE)
        return 0
    found = list(finish())
    print(
        "\n".join(found)
        or "build/site/index.html is written; every link leads somewhere, and it loads nothing from another host"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
