"""A preset in every carrier, beside the text: its files, proved."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from acap.explain import visible
from acap.publish.compose.starts import STARTS
from acap.publish.presets import preset_files, proved
from acap.publish.presets.preset import PRESETS, PresetError, preset
from acap.web.workshop.comparing import DiffRow, changed_lines
from acap.web.workshop.linting import text_of
from acap.web.workshop.workspace import Workspace


class PresetShown(NamedTuple):
    """The files of a preset with their texts, and what its words refuse beside what is meant; or what is wrong.

    `changed` are the lines in which its robots.txt differs from the text; `same`: in none.
    """

    files: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    wrong: str = ""
    changed: tuple[DiffRow, ...] = ()
    same: bool = False


class Card(NamedTuple):
    """A preset as it is offered: its name, what it is called, and pairs of who and what changes for them."""

    name: str
    title: str
    changes: tuple[tuple[str, str], ...]


_NAMED = ("GPTBot", "ClaudeBot")


def card() -> Card:
    """The preset that most sites look for, which is offered first: no AI training, said to everyone."""
    start = STARTS["no-training"]
    asked = PRESETS[start.everywhere]
    others = len(asked.closed) - len(_NAMED)
    changes = (
        (f"{', '.join(_NAMED)} and {others} more that train", "must not fetch the site, in the lines that they read"),
        ("every other crawler", "must not train: said in Content-Signal, Content-Usage (AIPREF) and ACAP"),
        ("search engines", "nothing changes: they may index, link and quote"),
        ("AI answers", "of Gemini end as well, for Google-Extended decides both"),
    )
    return Card(asked.name, start.title, changes)


def shown(space: Workspace) -> PresetShown:
    """The files of the preset that the form names, with the text as the site's robots.txt."""
    try:
        files = _files(space)
    except PresetError as error:
        return PresetShown(wrong=str(error))
    texts = (
        (path, "\n".join(map(visible, octets.decode("utf-8", "replace").split("\n")))) for path, octets in files.items()
    )
    robots = text_of(files["robots.txt"], space.encoding)
    changed = changed_lines(space.text, robots)
    return PresetShown(tuple(texts), PRESETS[space.form["preset"]].notes, "", changed, robots == space.text)


def chosen(space: Workspace) -> Workspace:
    """With the preset of a card as the one that is shown."""
    values = {**space.form.values, "preset": space.form["card"]}
    return replace(space, form=replace(space.form, values=values))


def used(space: Workspace) -> Workspace:
    """With the preset's robots.txt in place of the text."""
    try:
        octets = _files(space)["robots.txt"]
    except PresetError as error:
        return space.noted("error", str(error))
    after = space.changed(text_of(octets, space.encoding), f"using the preset {space.form['preset']}")
    return after.noted("done", "the lines of the preset now follow your own; put up its other files too")


def _files(space: Workspace) -> dict[str, bytes]:
    """The files, proved. Raises PresetError."""
    form = space.form
    name = preset(form["preset"]).name
    site, terms = (form[field].strip() or None for field in ("p_site", "p_terms"))
    files = preset_files(name, site=site, terms=terms, kept=space.octets)
    try:
        proved(name, files, kept=space.octets)
    except ImportError as error:
        raise PresetError(
            f"the proof reads pages and metadata, for which the server lacks packages: {error}"
        ) from error
    return files
