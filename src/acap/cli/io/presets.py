"""`acap compose --preset`: the files of a preset are proved, and only then written or listed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path

from acap.cli.io.exits import Exit
from acap.cli.io.failures import CallError, missing_extra
from acap.cli.io.files import read_file, write_file
from acap.cli.io.policies import file_policy
from acap.cli.io.terminal import Terminal
from acap.publish.compose.starts import STARTS, clash
from acap.publish.presets import PRESETS, ROBOTS, PresetError, own_lines, preset, preset_files, proved
from acap.publish.presets.writing import HEAD

_LINK = re.compile(rb'<link rel="license" [^\n]*href="([^"\n]+)/license\.xml">\n')
"""What `--site` adds to the META tags."""


def folder_preset(names: Sequence[str]) -> str | None:
    """The preset among these that writes a folder.

    Raises:
        CallError: one is unknown, or two do not go together.
    """
    known = (*STARTS, *PRESETS)
    for name in names:
        if name not in known:
            close = get_close_matches(name.lower(), known, n=1, cutoff=0.6)
            advice = f"did you mean `{close[0]}`? " if close else ""
            raise CallError(f"unknown preset `{name}`; {advice}known are {', '.join(known)}")
    folder = next((name for name in names if name in PRESETS), None)
    if folder is None:
        if found := clash(STARTS[name] for name in names):
            one, other, usage = found
            raise CallError(
                f"`--preset {one}` and `--preset {other}` say different things of {usage}; take one of them"
            )
        return None
    if {*names} != {folder}:
        lines = " ".join(f"--preset {name}" for name in names if name in STARTS)
        first = f"; write the other to the file first: acap compose {lines} robots.txt -o robots.txt" if lines else ""
        raise CallError(f"`--preset {folder}` writes a folder, and is a call of its own{first}")
    return folder


def compose_preset(
    terminal: Terminal,
    name: str,
    file: str | None,
    folder: Path | None,
    *,
    site: str | None,
    terms: str | None,
    check: bool,
) -> Exit:
    """Writes a preset to a folder, or lists its files. Its block goes behind the robots.txt of FILE, or of the folder.

    Raises `CallError` if the proof fails, a file would be lost or cannot be written; then nothing is written.
    """
    if folder is not None and str(folder) == "-":
        folder = None
    if check and folder is None:
        raise CallError("`--check` compares with a folder; name it with --output FOLDER")
    if folder is not None and folder.exists() and not folder.is_dir():
        raise CallError(f"`{folder}` is a file, and a preset is several; name a folder")
    there = None if folder is None or not (folder / ROBOTS).exists() else str(folder / ROBOTS)
    begun = file or there
    kept = b"" if begun is None else file_policy(begun, "auto").octets
    try:
        if preset(name).has_terms and None in (site, terms):
            raise CallError(f"--preset {name} needs `--site URL`, and `--terms URL`, at which a licence is offered")
        if find_spec("lxml") is None:  # the metadata would be unknown, and the proof would say so of search engines
            raise ImportError("lxml")
        files = preset_files(name, site=site, terms=terms, kept=kept)
        proof = proved(name, files, kept=kept)
        if begun != there and there is not None and own_lines(file_policy(there, "auto").octets) != own_lines(kept):
            raise CallError(f"`{there}` has other lines than {begun}; remove it, or write to another folder")
    except PresetError as error:
        raise CallError(str(error)) from error
    except ImportError as error:
        raise missing_extra("pages,images", "compose --preset") from error
    for answer in dict.fromkeys((row.file, row.usage, row.outcome) for row in proof):
        rows = [row for row in proof if (row.file, row.usage, row.outcome) == answer]
        if rows[0].carrier == "groups":
            shut = f"{rows[0].crawlers} crawlers that train may not crawl"
            terminal.note(f"proved: {ROBOTS}: {shut}; any other may as before")
        else:
            terminal.note("proved: {}: {} is {} ({})".format(*answer, ", ".join(row.carrier for row in rows)))
    asked = max(row.crawlers for row in proof)
    terminal.note(
        f"proved: this holds for {f'{asked} known crawlers and ' if asked else ''}any other; search is as before"
    )
    for note in preset(name).notes:
        terminal.note(note)
    if folder is None:
        for path, octets in files.items():
            terminal.document(f"==> {path} <==\n".encode() + octets + b"\n")
        return Exit.PERMITTED
    differing = [path for path, octets in files.items() if _octets(folder / path) != octets]
    head = _octets(folder / HEAD) or b""
    if site is None and (link := _LINK.search(head)) and head.replace(link[0], b"") == files[HEAD]:
        home = link[1].decode("utf-8", "replace")
        raise CallError(f"`{folder / HEAD}` was written with `--site`; add `--site {home}`")
    if check:
        for path in differing:
            is_there = (folder / path).exists()
            removed = "remove it, and " if is_there and path != ROBOTS else ""
            what = f"differs from the preset; {removed}write it again" if is_there else "is not there; write it"
            terminal.error(f"`{folder / path}` {what} without --check")
        return Exit.PROHIBITED if differing else Exit.PERMITTED
    for path in differing:
        if path != ROBOTS and (folder / path).exists():
            raise CallError(f"`{folder / path}` says something else; remove it, or write to another folder")
    _write(folder, {path: files[path] for path in sorted(differing, key=ROBOTS.__eq__)})
    for path in differing:
        terminal.note(f"written: {folder / path}")
    return Exit.PERMITTED


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    """All files or none: all but the last, which may replace one, are new."""
    new: list[Path] = []
    try:
        for place in (folder / path for path in files):
            if place.is_symlink() and not place.exists():
                raise CallError(f"`{place}` is a link to nothing; remove it")
            try:
                place.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise CallError(f"`{place.parent}` cannot be a folder: {error.strerror}") from error
        for path, octets in files.items():
            there = (folder / path).exists()
            write_file(folder / path, octets)
            if not there:
                new.append(folder / path)
    except CallError:
        for place in new:
            place.unlink(missing_ok=True)
        raise


def _octets(path: Path) -> bytes | None:
    return read_file(str(path)) if path.is_file() else None
