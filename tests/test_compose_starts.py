"""Presets to begin a draft with: each says what it promises, in the terminal and in the draft."""

from __future__ import annotations

from pathlib import Path

import pytest

import acap as package
from acap.publish.compose import Draft, DraftError, complaints, draft_from_robots, robots_octets
from acap.publish.compose.contrary import contrary_lines
from acap.publish.compose.starts import STARTS, begun
from acap.publish.convert import convert
from acap.publish.unbound import UNREADING, unbound
from acap.usages import PARENTS
from tests.command_line import acap

_TERMS = "https://www.example.com/license.xml"
_SHOWN = {usage for usage in PARENTS if usage.startswith("present")}

OUTCOMES = {
    "no-training": {"prohibited": {"ai-train", "ai-train-generative"}},
    "quote": {"prohibited": _SHOWN - {"present-link", "present-snippet", "present-extract"} | {"preserve"}},
    "snippet-200": {
        "prohibited": _SHOWN - {"present-link", "present-snippet"},
        "limited": {"present-snippet"},
    },
    "licence": {"conditional": {"tdm", "ai-train", "ai-train-generative", "ai-input", "ai-index"}},
    "archive-year": {
        "limited": {"preserve", "present-currentcopy", *(usage for usage in PARENTS if usage.startswith("present-old"))}
    },
}
"""Usages that a preset changes, by what becomes of them; every other stays permitted.

What is shown out of a kept copy may be shown as long as that is kept.
"""


@pytest.mark.parametrize("name", STARTS)
def test_a_preset_says_what_it_promises_and_nothing_else(name: str) -> None:
    """Every usage is asked about; the text has no complaint of its reader."""
    draft = begun(STARTS[name], Draft(), terms=_TERMS)
    policy = package.parse_robots(robots_octets(draft), url="https://www.example.com/robots.txt")
    assert complaints(draft) == ()
    promised = {usage: outcome for outcome, usages in OUTCOMES[name].items() for usage in usages}
    for usage in PARENTS:
        decision = policy.decide("/news/a.html", crawler="anybot", usage=usage)
        limited = "limited" if decision.restrictions else str(decision.outcome)
        assert limited == promised.get(usage, "permitted"), usage
    assert [target for target, _ in policy.licences("anybot")] == ([_TERMS] if name == "licence" else [])


def test_presets_add_to_what_is_there() -> None:
    """Two presets and the lines of a file stand side by side; a licence is named once."""
    draft = draft_from_robots(b"User-agent: *\nDisallow: /a/\n")
    for name in ("no-training", "archive-year", "licence", "licence"):
        draft = begun(STARTS[name], draft, terms=_TERMS)
    text = robots_octets(draft).decode()
    assert "Disallow: /a/" in text
    assert "ACAP-disallow-ai-train: /" in text
    assert "ACAP-allow-preserve: / time-limit=365-days" in text
    assert text.count(f"License: {_TERMS}") == 1


@pytest.mark.parametrize("terms", [None, "", "/license.xml", "ftp://www.example.com/", "https://a.example/ b"])
def test_a_licence_needs_the_whole_url_of_its_document(terms: str | None) -> None:
    with pytest.raises(DraftError, match="write the whole URL"):
        begun(STARTS["licence"], Draft(), terms=terms)


def test_the_terminal_writes_a_preset_and_says_what_changes_for_whom(tmp_path: Path) -> None:
    found = acap("compose", "--preset", "quote")
    assert found.code == 0
    assert "ACAP-allow-present-snippet: /" in found.lines
    assert "acap: caches and archives: must not keep copies, and so show none" in found.err
    file = tmp_path / "robots.txt"
    file.write_bytes(b"User-agent: *\nDisallow: /a/\n")
    acap("compose", "--preset", "no-training", file, "-o", file)
    assert b"Disallow: /a/" in file.read_bytes()
    assert b"ACAP-disallow-ai-train: /" in file.read_bytes()
    wrong = acap("compose", "--preset", "licence")
    assert wrong.code == 2
    assert "name it with --terms" in wrong.err


def test_one_version_of_acap_is_written() -> None:
    """Drafts and conversions declare the same."""
    draft = robots_octets(begun(STARTS["quote"], Draft()))
    made = convert(b"User-agent: *\nDisallow: /a\n", "acap").text
    assert draft.splitlines()[0] == b"##ACAP version=1.1"
    assert b"##ACAP version=1.1" in made.splitlines()


def test_a_line_that_stands_against_a_preset_is_named(tmp_path: Path) -> None:
    """A permission of the file, and a prohibition where the preset permits; not a line that is stricter."""
    file = tmp_path / "robots.txt"
    file.write_bytes(b"ACAP-crawler: Googlebot\nACAP-allow-preserve: /\nUser-agent: *\nDisallow: /p/\n")
    against = (
        "acap: line 2, `ACAP-allow-preserve: /`, stands against the preset: Googlebot, Googlebot-Image and "
        "Applebot may preserve copies of / but not /p/; remove the line if that is not meant"
    )
    told = acap("compose", "--preset", "quote", file).err.splitlines()
    assert [line for line in told if "stands against" in line] == [against]
    file.write_bytes(b"ACAP-crawler: *\nACAP-disallow-preserve: /o/\nACAP-allow-preserve: /n/ time-limit=7-days\n")
    told = acap("compose", "--preset", "archive-year", file).err.splitlines()
    assert [line.partition(",")[0] for line in told if "stands against" in line] == ["acap: line 2", "acap: line 3"]
    file.write_bytes(b"ACAP-crawler: Googlebot\nACAP-disallow-preserve: /\n")
    assert "stands against" not in acap("compose", "--preset", "quote", file).err


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("ACAP-crawler: *\nACAP-disallow-ai-train: /\n", UNREADING),
        ("ACAP-crawler: gptbot\nACAP-disallow-index: /a\n", ("GPTBot",)),
        ("ACAP-crawler: *\nACAP-allow-index: /\n", ()),
        ("User-agent: *\nDisallow: /a\n\nACAP-crawler: *\nACAP-disallow-crawl: /a\n", ()),
        ("User-agent: GPTBot\nDisallow: /\n\nACAP-crawler: GPTBot\nACAP-disallow-ai-train: /\n", ()),
        ("ACAP-crawler: examplebot\nACAP-disallow-crawl: /\n", ()),
        ("", ()),
    ],
)
def test_who_is_told_by_acap_alone_is_known(text: str, names: tuple[str, ...]) -> None:
    """Large crawlers do not read it; where lines that they read say the same, nothing is missing."""
    assert unbound(package.parse_robots(text.encode())) == names


def test_lines_of_one_preset_do_not_stand_against_it() -> None:
    for start in STARTS.values():
        assert contrary_lines(start, begun(start, Draft(), terms=_TERMS), terms=_TERMS) == ()


@pytest.mark.parametrize("name", STARTS)
def test_a_preset_of_acap_alone_says_what_large_crawlers_need(name: str) -> None:
    """Google and OpenAI document no ACAP; what a preset says in conventional lines needs no such word."""
    only_acap = not begun(STARTS[name], Draft(), terms=_TERMS).kept
    told = acap("compose", "--preset", name, "--terms", _TERMS).err
    assert ("do not read ACAP" in told) == only_acap
    assert STARTS[name].elsewhere in told


def test_several_presets_are_added_and_none_takes_back_what_another_says(tmp_path: Path) -> None:
    """The last did without a word, as if it were alone."""
    file = tmp_path / "robots.txt"
    file.write_bytes(b"User-agent: *\nDisallow: /a/\n")
    found = acap("compose", "--preset", "quote", "--preset", "no-training", file)
    assert {"ACAP-disallow-preserve: /", "ACAP-disallow-ai-train: /", "Disallow: /a/"} <= {*found.lines}
    told = found.err.splitlines()
    assert "acap: makers of AI models: must not train on the site, generative models included" in told
    assert "acap: search engines: may index, link and show snippets and extracts, but no page as a whole" in told
    assert [line for line in told if "nothing changes" in line] == [
        "acap: AI answers: nothing changes: a page may still be read to answer a question"
    ]
    assert acap("compose", "--preset", "no-training", "--preset", "quote", file).code == 0


@pytest.mark.parametrize(
    ("one", "other", "usage"),
    [("quote", "archive-year", "preserve"), ("snippet-200", "quote", "present-snippet")],
)
def test_presets_that_say_different_things_do_not_go_together(one: str, other: str, usage: str) -> None:
    """What one promises the other would take back."""
    told = acap("compose", "--preset", one, "--preset", other).wrong_call
    assert f"`--preset {one}` and `--preset {other}` say different things of {usage}" in told


def test_a_preset_that_writes_a_folder_is_a_call_of_its_own(tmp_path: Path) -> None:
    """The other goes into the file first."""
    told = acap("compose", "--preset", "quote", "--preset", "no-ai-training", "-o", tmp_path / "public").wrong_call
    assert "acap compose --preset quote robots.txt -o robots.txt" in told
    assert "a call of its own" in acap("compose", "--preset", "no-ai-training", "--preset", "licence-for-ai").wrong_call
    assert not (tmp_path / "public").exists()
