"""The documentation cannot lie: generated pages are current, links lead somewhere, examples give what they show."""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Literal, get_origin

import pytest

import acap
from acap._native import default_limits
from acap.cli.commands import COMMANDS, cli
from acap.crawlers import PROFILES
from acap.explain import KEYS, KINDS, RESTRICTIONS
from acap.pages.addressees import NO_CRAWLERS
from acap.pages.html import MAX_CHARACTERS, MAX_COPIES, MAX_ELEMENTS, MAX_TAGS
from acap.pages.statements import MAX_KINDS
from acap.pages.words import WORDS
from acap.problems import CATALOGUE
from acap.publish.lint.catalogue import rules
from acap.restrictions import TABLE
from acap.usages import USAGES
from acap.web.workshop.deciding_lines import LEGEND
from tests import example_site
from tests.command_line import printed
from tests.test_project import modules
from tools import api, docs, examples, links
from tools import modules as pages
from tools.modules import MODULES
from tools.problem_examples import EXAMPLES

# Names that nobody has to look for: objects that others have as attributes, and what is inherited from.
RETURNED = (
    "Cited",
    "Decision",
    "Decisions",
    "Lost",
    "Outcome",
    "Problem",
    "Reason",
    "Restriction",
    "AnyRestriction",
    "Modification",
    "OtherRestriction",
    "Usage",
)

IGNORED = re.compile(r"acap: ignore(?:-file)?\[([\w-]+)\]")
DEFINED = re.compile(r"^ *def (\w+)", re.MULTILINE)
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TEXTS = {page.relative_to(links.ROOT).as_posix(): page.read_text(encoding="utf-8") for page in links.markdown_files()}


@pytest.mark.parametrize("name", docs.KEPT)
def test_a_generated_page_that_is_kept_is_current(name: str) -> None:
    assert (links.ROOT / name).read_text(encoding="utf-8") == docs.KEPT[name](), "`make docs` writes it"


def test_every_relative_link_leads_somewhere() -> None:
    """Those of the pages that are kept, and of the reference, which is built."""
    assert list(links.broken_links([*links.markdown_files(), *docs.build()])) == []


def test_a_page_that_is_kept_links_to_none_that_is_built() -> None:
    """On a forge the link would lead nowhere."""
    built = {links.ROOT / name for name in docs.BUILT}
    assert [page for page in links.markdown_files() for _, file in links.links(page) if file in built] == []


@cache
def defined() -> set[str]:
    """The names of all functions of the tests."""
    return {found for file in (links.ROOT / "tests").rglob("*.py") for found in DEFINED.findall(file.read_text())}


@pytest.mark.parametrize("name", TEXTS)
def test_a_test_that_a_page_names_is_there(name: str) -> None:
    """A promise names the file, the test or the check that holds it, as it is called."""
    files = set(re.findall(r"`(tests/[\w/.]+\.py)`", TEXTS[name]))
    assert [file for file in files if not (links.ROOT / file).is_file()] == []
    tests = set(re.findall(r"`(?:\w+\.)?((?:test|check)_\w+)`", TEXTS[name]))
    assert tests <= defined()


def test_every_page_of_docs_is_reached_from_its_index() -> None:
    reached, waiting = set[Path](), [links.ROOT / "docs/README.md"]
    while waiting:
        page = waiting.pop()
        if page not in reached:
            reached.add(page)
            waiting += [file for _, file in links.links(page) if file.suffix == ".md" and file.is_file()]
    assert [page for page in TEXTS if page.startswith("docs/") and links.ROOT / page not in reached] == []


@pytest.mark.parametrize("name", acap.__all__)
def test_a_public_name_says_what_it_is(name: str) -> None:
    thing = getattr(acap, name)
    assert not callable(thing) or get_origin(thing) is Literal or api.docstring(thing)


GLOSSARY = TEXTS["docs/glossary.md"]
WORDS_EXPLAINED = [
    word for line in GLOSSARY.splitlines() for word in re.findall(r"\*\*([\w -]+)\*\*", line.split(":")[0])
]


def test_the_glossary_is_short() -> None:
    assert 0 < len(WORDS_EXPLAINED) <= 45
    assert len(set(WORDS_EXPLAINED)) == len(WORDS_EXPLAINED)


@pytest.mark.parametrize("word", WORDS_EXPLAINED)
def test_a_word_of_the_glossary_is_used(word: str) -> None:
    assert re.search(rf"\b{word.rstrip('y')}", "\n".join(TEXTS.values()).replace(GLOSSARY, ""), re.IGNORECASE)


def texts_in(tree: ast.Module) -> Iterator[str]:
    """The literals of three words or more in a module, docstrings aside; the values in an f-string are `{}`."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)
        if id(node) not in docstrings and len(text.split()) >= 3:
            yield text


@cache
def texts_for_people() -> Mapping[str, str]:
    """What people read: the pages, the messages of readers, the rules of lint, explanations, help, literals."""
    fixes = (kind.fix or "" for kind in CATALOGUE.values())
    found = {name: text for name, text in TEXTS.items() if name == "README.md" or name.startswith("docs/")}
    found["problems"] = "\n".join([*(f"{kind.message}\n{kind.why}" for kind in CATALOGUE.values()), *fixes])
    found["rules of lint"] = "\n".join(f"{rule.summary}\n{rule.why}" for rule in rules().values())
    found["explanations"] = "\n".join([*KINDS.values(), *KEYS.values(), *RESTRICTIONS.values()])
    found["help"] = "\n".join(text for _, text in docs.command_helps(cli, "acap"))
    # Names of Python are names; what is said of them is text.
    found["modules"] = re.sub(r"```.*?```|`[^`\n]*`", "", pages.page(), flags=re.DOTALL)
    found["legend of the workshop"] = "\n".join(words for _, words in LEGEND)
    for file in (links.ROOT / "src/acap/web/templates").rglob("*.html"):
        written = file.read_text(encoding="utf-8")
        found[f"template {file.name}"] = re.sub(r"\{[%#{].*?[%#}]\}|<[^>]*>", "", written, flags=re.DOTALL)
    return found | {name: "\n".join(texts_in(tree)) for name, tree in modules().items()}


BANNED = [line.rpartition(" -> ")[::2] for line in (links.ROOT / "tests/banned_phrases.txt").read_text().splitlines()]


@pytest.mark.parametrize(("phrase", "better"), [one for one in BANNED if one[0] and not one[0].startswith("#")])
def test_no_text_for_people_has_a_private_phrase(phrase: str, better: str) -> None:
    found = {name: match[0] for name, text in texts_for_people().items() if (match := re.search(phrase, text))}
    assert found == {}, f"write: {better}"


def test_a_rule_that_an_example_ignores_is_there() -> None:
    """In pages, and in the comments and docstrings of the code."""
    code = {file.as_posix(): file.read_text(encoding="utf-8") for file in (links.ROOT / "src").rglob("*.py")}
    named = {word for text in [*TEXTS.values(), *code.values()] for word in IGNORED.findall(text)}
    assert named - {"code", "CODE", "mispelt-field"} <= set(rules())  # the last is the mistake in an example


@pytest.mark.parametrize("page", [page for page, text in TEXTS.items() if "page_policy(" in text])
def test_a_page_that_reads_pages_says_what_to_install_and_what_is_no_page(page: str) -> None:
    """The extra of the client alone does not read HTML, and the first 404 of a crawl is no page."""
    assert re.search(r"pip install 'acap\[([a-z]+,)*pages", TEXTS[page])
    assert "404" in TEXTS[page]
    assert "raises ValueError" in TEXTS[page]


def test_every_public_name_is_there_and_listed_once() -> None:
    assert len(set(acap.__all__)) == len(acap.__all__)
    assert [name for name in acap.__all__ if not hasattr(acap, name)] == []


@pytest.mark.parametrize("page", [page for page, text in TEXTS.items() if ">>>" in "".join(PYTHON.findall(text))])
def test_the_python_examples_of_a_page_give_what_they_show(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(links.ROOT)
    example_site.install(monkeypatch)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    names: dict[str, object] = {}
    report: list[str] = []
    for block in PYTHON.finditer(TEXTS[page]):
        line = TEXTS[page].count("\n", 0, block.start(1))
        test = doctest.DocTestParser().get_doctest(block[1], names, page, page, line)
        runner.run(test, out=report.append, clear_globs=False)
        names = test.globs
    assert not report, "".join(report)


@pytest.mark.parametrize("page", [page for page, text in TEXTS.items() if examples.CONSOLE.search(text)])
def test_the_console_examples_of_a_page_print_what_they_show(page: str) -> None:
    assert examples.refreshed(TEXTS[page], printed) == TEXTS[page], "`make docs` writes what they print"


HANDWRITTEN = "\n".join(text for name, text in TEXTS.items() if name not in docs.KEPT)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_shown_at_work_in_some_page(command: str) -> None:
    assert re.search(rf"^(?:\$ )?(?:.*\| )?acap {command}\b", HANDWRITTEN, re.MULTILINE)


@pytest.mark.parametrize("name", [name for name in acap.__all__ if name not in RETURNED])
def test_a_name_to_begin_with_is_explained_in_some_page(name: str) -> None:
    assert f"acap.{name}" in HANDWRITTEN


@pytest.mark.parametrize("name", MODULES)
def test_a_module_says_what_it_is(name: str) -> None:
    module = import_module(name)
    assert api.docstring(module)
    assert [word for word in MODULES[name] if not hasattr(module, word)] == []


def test_every_problem_has_an_example() -> None:
    assert set(EXAMPLES) == set(CATALOGUE)


def test_every_problem_says_why_and_what_to_do() -> None:
    """One that lint reports has the page of its rule; the others say both themselves."""
    silent = [code for code, kind in CATALOGUE.items() if code not in rules() and not (kind.why and kind.fix)]
    assert silent == []


@pytest.mark.parametrize(
    ("what", "words"),
    {
        "usages": USAGES,
        "dialects": acap.robots.DIALECTS,
        "limits": [f"{number:,}" for number in default_limits().values()],
        "restrictions": [*TABLE, "excluded-purpose", "excluded-element"],
        "profiles": PROFILES,
        "conventional words": WORDS,
        "names of META that are nobody's": sorted(NO_CRAWLERS),
        "limits on pages": [
            f"{number:,}" for number in (MAX_CHARACTERS, MAX_TAGS, MAX_ELEMENTS, MAX_KINDS, MAX_COPIES)
        ],
    }.items(),
)
def test_the_semantics_speak_of_all_there_is(what: str, words: Sequence[str]) -> None:
    assert [word for word in words if word not in TEXTS["docs/semantics.md"]] == [], what


def test_the_semantics_are_of_this_version() -> None:
    assert f"It describes version `{acap.SEMANTICS}`" in TEXTS["docs/semantics.md"]


@pytest.mark.parametrize(
    ("heading", "words"), [("Kinds of reason", KINDS), ("Keys a statement can lose by", KEYS)], ids=["kinds", "keys"]
)
def test_the_page_on_json_has_every_word_of_a_reason(heading: str, words: Mapping[str, str]) -> None:
    """The table under a heading has a row for each word, and says of it what an explanation says."""
    section = TEXTS["docs/reference/json.md"].split(f"### {heading}\n")[1].split("\n#")[0]
    assert dict(re.findall(r"^\| `([a-z-]+)` \| (.+) \|$", section, re.MULTILINE)) == dict(words)
