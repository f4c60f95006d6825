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


OFFER = (
    '{"profile": "http://www.w3.org/ns/tdmrep", "@type": "Offer",\n'
    ' "permission": [{"action": "tdm:mine", "duty": [{"action": "obtainConsent"}]}]}'
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
        (
            "terms.json",
            OFFER,
            [
                "a policy of TDMRep",
                "  any crawler",
                "    /: may only on terms mine text and data of it",
                "      asks=consent",
                "      policy=FILE",
                "  so it is for anybody; for research it may say otherwise",
            ],
        ),
        (
            "training.json",
            '{"label": "cawg.training-mining", "data": {"entries": {"cawg.ai_training": {"use": "notAllowed"}}}}',
            ["an assertion of CAWG", "  any crawler", "    /: must not train AI models on it"],
        ),
        ("tdmrep.json", "[]", ["tdmrep.json (TDMRep)", "  it says nothing, so nothing is forbidden here"]),
    ],
)
def test_a_document_is_told_in_plain_words(tmp_path: Path, name: str, text: str, lines: list[str]) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    result = acap("show", file)
    assert (result.code, result.err) == (0, "")
    assert result.lines == [f"{file}: {lines[0]}", *(line.replace("FILE", str(file)) for line in lines[1:])]


def test_a_licence_document_refers_to_itself_by_the_name_of_its_file(tmp_path: Path) -> None:
    """No URL is invented for it."""
    file = tmp_path / "terms.rsl"
    paid = RSL.replace("prohibits", "permits").replace("</license>", '<payment type="purchase"/></license>')
    file.write_text(paid, encoding="utf-8")
    result = acap("show", file)
    assert f"      licence={file}" in result.lines
    assert "site.invalid" not in result.out


@pytest.mark.parametrize("name", ["head.html", "response.headers"])
def test_what_pages_say_is_shown_by_the_name_of_its_file(tmp_path: Path, name: str) -> None:
    """As `acap lint` takes it, and as with `--page`."""
    file = tmp_path / name
    file.write_text('<meta name="tdm-reservation" content="1">\n' if name == "head.html" else "tdm-reservation: 1\n")
    result = acap("show", file)
    assert (result.code, result.lines) == (0, acap("show", "--page", file).lines)
    assert "must not mine text and data of the page" in result.out
    assert acap("show", "--json", file).code == 0


def test_one_that_cannot_be_read_is_told_with_its_problem(tmp_path: Path) -> None:
    """What it comes to is what every decision makes of it."""
    file = tmp_path / "license.rsl"
    file.write_text("<rsl", encoding="utf-8")
    result = acap("show", file)
    (refused, *_) = (line for line in result.lines if line.startswith("    /: must not index it"))
    assert refused.endswith("or mine text and data of it")
    assert any("[rsl-not-xml]" in line for line in result.lines)
