"""A preset in every carrier, beside the text: its files, proved."""

from __future__ import annotations

from typing import NamedTuple

from acap.explain import visible
from acap.publish.presets import preset_files, proved
from acap.publish.presets.preset import PRESETS, PresetError, preset
from acap.web.workshop.linting import text_of
from acap.web.workshop.workspace import Workspace


class PresetShown(NamedTuple):
    """The files of a preset with their texts, and what its words refuse beside what is meant; or what is wrong."""

    files: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    wrong: str = ""


def shown(space: Workspace) -> PresetShown:
    """The files of the preset that the form names, with the text as the site's robots.txt."""
    try:
        files = _files(space)
    except PresetError as error:
        return PresetShown(wrong=str(error))
    texts = (
        (path, "\n".join(map(visible, octets.decode("utf-8", "replace").split("\n")))) for path, octets in files.items()
    )
    return PresetShown(tuple(texts), PRESETS[space.form["preset"]].notes)


def used(space: Workspace) -> Workspace:
    """With the preset's robots.txt in place of the text."""
    try:
        octets = _files(space)["robots.txt"]
    except PresetError as error:
        return space.noted("error", str(error))
    after = space.changed(text_of(octets, space.encoding), f"using the preset {space.form['preset']}")
    return after.noted("done", "its block stands behind your lines; put up the other files too")


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
