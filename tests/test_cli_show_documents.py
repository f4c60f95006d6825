"""`acap show` of a document of another dialect: what it says of which paths, in plain words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import acap

TDMREP = """[
  {"location": "/news/open/", "tdm-reservation": 0},
  {"location": "/news/", "tdm-reservation": 1, "tdm-policy": "https://www.example.com/terms"}
]"""
RSL = (
    '<rsl xmlns="https://rslstandard.org/rsl"><content url="/">'
    '<license><prohibits type="usage">ai-train</prohibits></license></content></rsl>'
)


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        (
            "tdmrep.json",
            TDMREP,
            [
                "tdmrep.json (TDMRep)",
                "  any crawler",
                "    line 3: /news/ but not /news/open/: may only on terms mine text and data of it",
                "      policy=https://www.example.com/terms",
                "    line 2: /news/open/: may mine text and data of it",
            ],
        ),
        (
            "ai.txt",
            "User-Agent: GPTBot\nDisallow: /\nUser-Agent: *\nDisallow: *.jpg\n",
            [
                "ai.txt (Spawning)",
                "  GPTBot",
                "    line 2: / but not *.jpg; *.jpg: must not train AI models on it",
                "  any other crawler",
                "    line 4: *.jpg: must not train AI models on it",
            ],
        ),
        (
            "terms.xml",
            RSL,
            [
                "a licence document of RSL",
                "  any crawler",
                "    line 1: /: must not train AI models on it",
                "  so it is for anybody; for some users and countries it may say otherwise",
            ],
        ),
        ("tdmrep.json", "[]", ["tdmrep.json (TDMRep)", "  it says nothing, so nothing is forbidden here"]),
    ],
)
def test_a_document_is_told_in_plain_words(tmp_path: Path, name: str, text: str, lines: list[str]) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    result = acap("show", file)
    assert (result.code, result.err) == (0, "")
    assert result.lines == [f"{file}: {lines[0]}", *lines[1:]]


def test_one_that_cannot_be_read_is_told_with_its_problem(tmp_path: Path) -> None:
    """What it comes to is what every decision makes of it."""
    file = tmp_path / "license.rsl"
    file.write_text("<rsl", encoding="utf-8")
    result = acap("show", file)
    assert "    /: must not mine text and data of it" in result.lines
    assert any("[rsl-not-xml]" in line for line in result.lines)
