"""Documents of other dialects get one layout, and say what they said; what would lose something is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acap.problems import DocumentKind
from acap.publish.format_sources import format_source
from tests.command_line import ROOT, acap

RSL = """\
<?xml version='1.0'?><!-- ours --><rsl xmlns="https://rslstandard.org/rsl" xmlns:e='urn:e'><content url='/&amp;'
 lastmod="2026-01-01"><license><permits   type="usage">search
 e:x</permits><e:more a="&lt;"/></license><copyright/></content></rsl>"""
LAID = """\
<?xml version="1.0" encoding="UTF-8"?>
<!-- ours -->
<rsl xmlns="https://rslstandard.org/rsl" xmlns:e="urn:e">
  <content url="/&amp;" lastmod="2026-01-01">
    <license>
      <permits type="usage">search
 e:x</permits>
      <e:more a="&lt;"/>
    </license>
    <copyright/>
  </content>
</rsl>
"""


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("rsl", RSL, LAID),
        (
            "tdmrep",
            '\ufeff[{"tdm-reservation":1,"location":"/\\u00e9","note":[1.0,null]} ,\n{"location":"/"}]',
            '[\n  {"tdm-reservation": 1, "location": "/\\u00e9", "note": [1.0, null]},\n  {"location": "/"}\n]\n',
        ),
        ("ai-txt", "user-agent:*\r\n# all\r\ndisallow:*.jpg", "User-agent: *\n# all\nDisallow: *.jpg\n"),
    ],
)
def test_the_layout_changes_and_nothing_else(kind: DocumentKind, before: str, after: str) -> None:
    assert format_source(before.encode(), kind).decode() == after
    assert format_source(after.encode(), kind).decode() == after


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("rsl", RSL.replace("</license>", " and more</license>")),
        ("rsl", RSL.replace("<content", "<?a b?><content")),
        ("rsl", "<rsl>"),
        ("tdmrep", "{}"),
        ("tdmrep", '[{"location": "/", "location": "/a", "tdm-reservation": 1}]'),
        ("ai-txt", "- [Home](/)\n"),
        ("cawg", "{}"),
    ],
)
def test_what_would_lose_something_is_refused(kind: DocumentKind, text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        format_source(text.encode(), kind)


@pytest.mark.parametrize("kind", ["tdmrep", "ai-txt", "rsl"])
def test_every_vector_is_formatted_or_refused(kind: DocumentKind) -> None:
    done = 0
    for case in json.loads((ROOT / f"vectors/{kind}.json").read_text(encoding="utf-8"))["cases"]:
        text = case["input"].get("document", {}).get("body")
        if isinstance(text, str):
            try:
                format_source(text.encode(), kind)
                done += 1
            except ValueError:
                pass
    assert done > 10


def test_the_command_knows_the_dialects(tmp_path: Path) -> None:
    file = tmp_path / "license.xml"
    file.write_text(RSL)
    assert acap("format", "--check", file).code == 1
    assert acap("format", file).code == 0
    assert file.read_text() == LAID
