"""The project keeps its promises about itself: tasks, version, extras, and what is in the tree."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions, requires
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

import acap
from tests.rust_modules import circles, graph

ROOT = Path(__file__).resolve().parent.parent
TASK = re.compile(r"^([a-z][a-z-]*):(?!=)(?:.*?## (.+))?", re.MULTILINE)
LOCK_NAMES = re.compile(r"(\.lock|-lock\.(json|ya?ml)|\.lockb|requirements.*\.txt)$", re.IGNORECASE)
INDEX_HOSTS = re.compile(r"crates\.io|pypi\.org|pythonhosted\.org|npmjs\.(org|com)|yarnpkg\.com")
EXTRA = re.compile(r"\bacap\[([a-z, ]+)\]")


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def kept_files() -> list[Path]:
    """The files of the tree that are kept, or would be if they were added."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    return sorted({ROOT / name for name in names if name and (ROOT / name).is_file()})


def toml(name: str) -> dict[str, Any]:
    return tomllib.loads(text(name))


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def imports(tree: ast.Module) -> Iterator[str]:
    """The packages that a module imports, in functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def distribution(requirement: str) -> str:
    """The normal name of what is required."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\s\[(<>=!~;]", requirement)[0]).lower()


DIVIDING = {"find", "index", "partition", "rfind", "rindex", "rpartition", "rsplit", "split"}
MATCHING = {"compile", "findall", "finditer", "fullmatch", "late", "match", "search", "split", "sub"}
ACAP_NAME = re.compile(r"(?:\(\?[a-z]+\)|\^|\\s[*+]?)*acap(?:-(?!\\d)|\[|\.|\\W|\Z)", re.IGNORECASE)
"""A regular expression that begins with the name of a field: `acap-`, and what may stand for its hyphen."""


def leading(node: ast.expr) -> str | bytes:
    """What a literal, or the beginning of one that is put together, says."""
    if isinstance(node, ast.JoinedStr):
        return leading(node.values[0]) if node.values else ""
    if isinstance(node, ast.BinOp):
        return leading(node.left)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes) else ""


SEPARATORS = {"#": "#", ":": ":", "\n": "lines", "\r\n": "lines", "\r": "lines"}
"""What divides a policy into its lines, and a line into its field, its value and its comment."""

DIVIDES_OTHER_TEXTS = {
    "URLs and hosts": {
        "acap.dialects.rsl.evaluation": "#",
        "acap.dialects.tdmrep": "#",
        "acap.harvest.crawl.scope": "#",
        "acap.retrieval.locations": "#",
        "acap.archives.warc": ":",
        "acap.audits.rows": ":",
        "acap.web.guard": ":",
    },
    "headers, and arguments and notes of the form `name: value`": {
        "acap.pages.headers": ":",
        "acap.audits.header_values": ":",
        "acap.archives.archive": ":",
        "acap.archives.response": ":",
        "acap.cli.io.options": ":",
        "acap.publish.cases.keys": ":",
        "acap.publish.convert.page_answers": "lines",
        "acap.archives.record": "lines",
        "acap.retrieval.body": "lines",
    },
    "one word of a value, which the outline has found": {"acap.restrictions": ":"},
    "what a person typed or drafted, a line each": {
        "acap.web.workshop.trying": "lines",
        "acap.web.workshop.keeping_cases": "lines",
        "acap.web.workshop.composing": "lines",
        "acap.publish.compose.blanks": "lines",
        "acap.publish.compose.starts": "lines",
        "acap.publish.compose.table": "lines",
        "acap.publish.compose.text": "lines",
    },
    "a text that is shown line by line, and not read": {
        "acap.web.workshop.presets": "lines",
        "acap.cli.io.wanted_folder": "lines",
        "acap.cli.io.terminal": "lines",
        "acap.cli.rule": "lines",
        "acap.publish.lint.diff": "lines",
        "acap.publish.lint.preview": "lines",
        "acap.publish.added_lines": "lines",
        "acap.publish.replacing": "lines",
        "acap.web.workshop.comparing": "lines",
        "acap.web.workshop.converting": "lines",
    },
    "other files: a sitemap, an archive, a book, the text of a page, the stub of the package, a browser's error": {
        "acap.harvest.crawl.sitemaps": "lines",
        "acap.audits.inputs": "lines",
        "acap.archives.members": "lines",
        "acap.pages.embedded.epub": ":",
        "acap.pages.places": "lines",
        "acap.harvest.judgement": "lines",
        "acap": "lines",
        "acap.harvest.thumbnails": "lines",
    },
}
"""Modules that divide a text at such a sign, by what they divide: it is no policy, or only its lines are shown."""


def divides_at(call: ast.Call) -> str | None:
    """The sign at which a call divides a text, if lines of a policy are divided at it; `lines`: at its line ends."""
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if method == "splitlines":
        return "lines"
    first = leading(call.args[0]) if call.args and method in DIVIDING else ""
    return SEPARATORS.get(first if isinstance(first, str) else first.decode("latin-1"))


def matches_a_field(call: ast.Call) -> bool:
    """Whether a call matches a regular expression that begins with an ACAP field."""
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    function = method or (call.func.id if isinstance(call.func, ast.Name) else "")
    first = leading(call.args[0]) if call.args else ""
    written = first if isinstance(first, str) else first.decode("latin-1")
    return function in MATCHING and ACAP_NAME.match(written) is not None


PYPROJECT = toml("pyproject.toml")
PROJECT = PYPROJECT["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
WORKSPACE = toml("Cargo.toml")["workspace"]
CRATES = [toml(f"{member}/Cargo.toml") for member in WORKSPACE["members"]]
TASKS = {match[1]: match[2] for match in TASK.finditer(text("Makefile"))}


def test_every_task_has_a_line_of_help() -> None:
    assert [task for task, line in TASKS.items() if not line] == []


def test_help_lists_every_task() -> None:
    help_ = ["make", "--no-print-directory", "help"]
    listing = subprocess.run(help_, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert re.findall(r"^  make ([a-z-]+)", listing, re.MULTILINE) == list(TASKS)


def test_no_task_can_be_shadowed_by_a_file_of_its_name() -> None:
    (phony,) = re.findall(r"^\.PHONY: (.+)", text("Makefile"), re.MULTILINE)
    assert phony.split() == list(TASKS)


@pytest.mark.parametrize("task", TASKS)
def test_contributing_names_the_task(task: str) -> None:
    assert re.search(rf"`make {task}( [A-Z]+=\S+)*`", text("CONTRIBUTING.md"))


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md"])
def test_a_page_names_only_tasks_there_are(page: str) -> None:
    assert set(re.findall(r"`make ([a-z-]+)", text(page))) <= set(TASKS)


def test_one_version_everywhere() -> None:
    crates = [crate["package"]["version"] for crate in CRATES]
    stated = [version for version in crates if version != {"workspace": True}]
    assert {acap.__version__, WORKSPACE["package"]["version"], *stated} == {PROJECT["version"]}


def test_the_changelog_tells_of_the_version() -> None:
    assert re.search(rf"^## {re.escape(PROJECT['version'])}\b", text("CHANGELOG.md"), re.MULTILINE)


def test_the_page_of_the_package_leads_to_nothing_that_only_the_repository_has() -> None:
    """The package index shows it, where a relative link is dead; the citation names the version."""
    page = text(PROJECT["readme"])
    assert re.findall(r"\]\((?!https://)", page) == []
    assert f"version: {PROJECT['version']}\n" in text("CITATION.cff")


def test_one_minimum_of_rust() -> None:
    minimum = WORKSPACE["package"]["rust-version"]
    assert re.search(rf"^rust_minor={minimum.removeprefix('1.')}\b", text("tools/make-venv"), re.MULTILINE)
    assert f"Rust {minimum}" in text("CONTRIBUTING.md")


def test_one_minimum_of_python() -> None:
    minimum = PROJECT["requires-python"].removeprefix(">=")
    assert PYPROJECT["tool"]["mypy"]["python_version"] == minimum
    assert PYPROJECT["tool"]["ruff"]["target-version"] == f"py{minimum.replace('.', '')}"
    assert f"Python {minimum}" in text("CONTRIBUTING.md")


def test_all_is_every_other_extra() -> None:
    (everything,) = EXTRAS["all"]
    assert everything == f"acap[{','.join(sorted(set(EXTRAS) - {'all'}))}]"


@pytest.mark.slow
def test_what_the_package_imports_is_a_dependency_or_of_an_extra() -> None:
    """Whoever installs the package and its extras has every package that its modules ask for."""
    imported = {name for tree in modules().values() for name in imports(tree)}
    others = imported - set(sys.stdlib_module_names) - {"acap"}
    installed = packages_distributions()
    known = {name: {distribution(each) for each in installed.get(name, [name])} for name in others}
    stated = {distribution(name) for names in (PROJECT["dependencies"], *EXTRAS.values()) for name in names}
    used = set[str]().union(*known.values()) & stated
    needed = {distribution(name) for direct in used for name in requires(direct) or ()}
    assert {name for name in others if not known[name] & (stated | needed)} == set()


def test_an_extra_named_in_a_page_exists() -> None:
    pages = [file.read_text(encoding="utf-8") for file in kept_files() if file.suffix == ".md"]
    named = {name.strip() for page in pages for names in EXTRA.findall(page) for name in names.split(",")}
    assert named <= set(EXTRAS)


@pytest.mark.parametrize("table", ["dependencies", "dev-dependencies", "build-dependencies"])
def test_direct_dependencies_of_the_core_are_exact(table: str) -> None:
    wanted = [(name, item) for crate in CRATES for name, item in crate.get(table, {}).items()]
    versions = {name: item if isinstance(item, str) else item.get("version") for name, item in wanted}
    assert {name: version for name, version in versions.items() if version and not version.startswith("=")} == {}


def test_tools_of_a_developer_are_exact() -> None:
    tools = PYPROJECT["dependency-groups"]["dev"]
    assert [tool for tool in tools if not re.fullmatch(r"[a-z0-9-]+(\[[a-z]+\])?==[0-9.]+", tool)] == []


def test_no_file_names_the_place_of_the_checkout() -> None:
    places = [place for place in (ROOT, Path.home()) if len(place.parts) > 2]
    pattern = re.compile("|".join(rf"{re.escape(place.as_posix())}(?![\w.-])" for place in places).encode())
    assert [file.relative_to(ROOT).as_posix() for file in kept_files() if pattern.search(file.read_bytes())] == []


def test_no_lock_file_names_the_host_of_an_index() -> None:
    locks = [file for file in kept_files() if LOCK_NAMES.search(file.name)]
    assert [lock.name for lock in locks if INDEX_HOSTS.search(lock.read_text("utf-8", "replace"))] == []


def test_the_core_has_no_sentences() -> None:
    """No string of the core, but in its own tests, has three words beside each other: sentences are made in Python."""
    found = []
    for file in sorted((ROOT / "rust/policy/src").rglob("*.rs")):
        if file.name == "tests.rs":
            continue
        code = file.read_text(encoding="utf-8").partition("#[cfg(test)]\nmod tests {")[0]
        code = re.sub(r"^\s*//.*$", "", code, flags=re.MULTILINE)
        strings = re.findall(r'"(?:[^"\\]|\\.)*"', re.sub(r"'(?:\\.|[^'\\])'", "", code))
        found += [(file.name, one) for one in strings if re.search(r"[A-Za-z]+[,.:;]? [A-Za-z]+[,.:;]? [A-Za-z]+", one)]
    assert found == []


@pytest.mark.parametrize("crate", ["archives", "markup", "policy", "python"])
def test_no_rust_modules_lead_to_each_other(crate: str) -> None:
    assert circles(graph(ROOT / "rust" / crate / "src")) == []


def test_a_circle_of_rust_modules_is_found(tmp_path: Path) -> None:
    (tmp_path / "outer.rs").write_text("mod inner;\nuse self::inner::{First, second::Third};\n")
    (tmp_path / "outer").mkdir()
    (tmp_path / "outer/inner.rs").write_text("use super::Fourth; // crate::other\n")
    (tmp_path / "other.rs").write_text("pub(super) fn one() {}\n#[cfg(test)]\nmod tests { use crate::outer; }\n")
    assert circles(graph(tmp_path)) == [{"outer", "outer::inner"}]


@pytest.mark.parametrize(
    "code",
    [
        'line.partition(b"#")',
        'octets.split(b"#", 1)',
        'field.find(b":")',
        'text.partition("#")',
        'text.split(":")',
        'text.split("\\n")',
        "octets.splitlines(keepends=True)",
        're.compile(rf"(?i)acap-(?:{NAMES})")',
        're.match(rb"(?i)\\s*acap.{1,3}crawler", octets)',
        'late(rb"\\s*ACAP" + DASHES + rb"crawler")',
        'late(r"\\s*acap[-\\s]+([^:]*)")',
    ],
)
def test_what_takes_a_line_apart_is_known(code: str) -> None:
    """Both the divisions and the expressions, as they are written."""
    (call,) = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call))
    assert divides_at(call) or matches_a_field(call)


def test_the_outline_alone_takes_the_lines_of_a_policy_apart() -> None:
    """What shows, checks or rewrites a robots.txt divides no text at line ends, `#` or `:`, and matches no field."""
    known = {(name, sign) for each in DIVIDES_OTHER_TEXTS.values() for name, sign in each.items()}
    found = {
        (name, divides_at(node) or "a name")
        for name, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and (divides_at(node) or matches_a_field(node))
    }
    assert found == known | {("acap.lines", "#")}


# --- the package's modules beside each other --------------------------------------------------------------------------


def module_name(file: Path) -> str:
    name = ".".join(file.relative_to(ROOT / "src").with_suffix("").parts)
    return name.removesuffix(".__init__")


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package by its name, parsed once for all who look at them."""
    files = sorted((ROOT / "src/acap").rglob("*.py"))
    return {module_name(file): ast.parse(file.read_text(encoding="utf-8")) for file in files}


PACKAGES = {module_name(file) for file in (ROOT / "src/acap").rglob("__init__.py")}


def used_modules(name: str) -> set[str]:
    """The modules that one imports anywhere, for its types alone too; of a package's modules those that it names."""
    used = set[str]()
    for node in ast.walk(modules()[name]):
        if isinstance(node, ast.Import):
            used.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{each.name}" for each in node.names}
            used.update(inner & modules().keys() or {node.module})
    return used & modules().keys() - PACKAGES - {name}


def test_no_modules_import_each_other_in_a_circle() -> None:
    """A module that imports none of the rest goes, and one that none of the rest imports; what remains is a circle.

    The list of a package's names, which imports its modules, is no part of one.
    """
    rest = {name: used_modules(name) for name in modules() if name not in PACKAGES}
    before = 0
    while len(rest) != before:
        before = len(rest)
        imported = set[str]().union(*rest.values())
        rest = {name: used & rest.keys() for name, used in rest.items() if name in imported and used & rest.keys()}
    assert rest == {}


TUPLE_METHODS = {"_asdict", "_fields", "_make", "_replace"}  # public, of every NamedTuple
THEIRS = {
    "acap.harvest.crawl.drive": {"_engine", "_slot"},  # Scrapy has no public way
    "acap.integrations.scrapy.downloader": {"_slot"},
    "acap.integrations.scrapy.pace": {"_jitter"},
}
"""Names of another project that a module takes although they are private."""


def private_names(tree: ast.Module) -> Iterator[tuple[bool, str]]:
    """Each private name of an attribute, and whether the module makes it itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner = ast.unparse(node.value)
            yield owner in ("self", "cls") or owner.startswith("_native"), node.attr
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield True, node.name
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield True, node.target.id


def test_no_module_takes_what_is_private_to_another() -> None:
    """A name that begins with an underscore is used where it is made."""
    found = {}
    for name, tree in modules().items():
        names = [(own, each) for own, each in private_names(tree) if each.startswith("_") and not each.endswith("__")]
        taken = {each for own, each in names if not own} - {each for own, each in names if own}
        if taken := taken - TUPLE_METHODS - THEIRS.get(name, set()):
            found[name] = taken
    assert found == {}


PUBLIC_TWICE = {
    "Record": "of an outline, and of a draft",
    "Resource": "what `must-use-resource` names in a page, and a row of a store",
    "Rule": "of lint, and of a draft",
    "Snippet": "of a page's text, and of a server's configuration",
    "SubRecord": "of an outline, and of a draft",
}
"""Public names that classes of two packages have, and what each names. This table may only get shorter."""


def test_no_two_modules_name_a_class_alike() -> None:
    places: dict[str, set[str]] = {}
    for name, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, set()).add(name)
    assert {name: found for name, found in places.items() if len(found) > 1 and name not in PUBLIC_TWICE} == {}


PRIVATE_WORDS = {"asked", "found", "heard", "held", "said", "told"}
"""Participles that say what happened to a thing, and not what it is: no function is named for one."""
PUBLIC_ALL_THE_SAME = ["acap.integrations.testing: asked()"]  # what users call
PRIVATE_CLASSES = {"Asked", "Carried", "Found", "Heard", "Held", "Said", "Told", "Voice"}
PRIVATE_MODULES = {"glance", "voices", *PRIVATE_WORDS}


def test_definitions_are_named_for_the_nouns_of_the_field() -> None:
    """No module, class or function of the package has a name that tells only its author what it is."""
    found = [name for name in modules() if name.rpartition(".")[2] in PRIVATE_MODULES]
    for name, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name.lstrip("_") in PRIVATE_CLASSES:
                found.append(f"{name}: class {node.name}")
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.lstrip("_") in PRIVATE_WORDS:
                found.append(f"{name}: {node.name}()")
    assert found == PUBLIC_ALL_THE_SAME


NO_NOUNS = {"heard", "meant", "said", "told", "unsaid", "untold"}
"""Words for what happened to a thing: no identifier has one of them, alone or beside others."""
NAMED_ALL_THE_SAME = {
    "_on_heard": "the account's method for the act `heard` of a ledger",
    "purposes_told_apart": "a function of the native core",
    "said_at": "a method of `SitePolicy`, which is public",
}
"""Identifiers that have such a word, and why they keep it. This table may only get shorter."""


def identifiers(tree: ast.Module) -> set[str]:
    """Every name in the code of a module: of variables, parameters, attributes, functions and classes."""
    return {
        name
        for node in ast.walk(tree)
        for field in ("id", "arg", "attr", "name", "asname")
        if isinstance(name := getattr(node, field, None), str)
    }


def test_names_say_what_a_thing_is() -> None:
    """A newcomer reads a name once: `statements` or `problems`, not that something was told."""
    has = re.compile(rf"(?<![a-z])(?:{'|'.join(sorted(NO_NOUNS))})(?![a-z])", re.IGNORECASE)
    met = {
        name
        for tree in modules().values()
        for name in identifiers(tree)
        if has.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).replace("_", " "))
    }
    assert met == NAMED_ALL_THE_SAME.keys()


INNER_IMPORTS = {
    "acap.cli.commands": 3,
    "acap.cli.compare": 1,
    "acap.cli.compose": 1,
    "acap.cli.format": 1,
    "acap.cli.io.deciding": 3,
    "acap.cli.io.linting": 2,
    "acap.cli.io.publisher_policies": 1,
    "acap.cli.io.network": 6,
    "acap.cli.io.pages": 1,
    "acap.cli.io.policies": 1,
    "acap.cli.main": 1,
    "acap.cli.serve": 3,
    "acap.cli.show": 2,
    "acap.crawlers": 1,
    "acap.harvest.crawl.run": 1,
    "acap.harvest.store.opening": 2,
    "acap.integrations.pytest": 2,
    "acap.pages.embedded.policy": 1,
    "acap.publish.lint.document": 2,
    "acap.publish.lint.kinds": 2,
    "acap.publish.saved_robots": 1,
    "acap.robots": 1,
}
"""How often a module imports another of the package within a function, for a reason that stands there: what that takes
to import, or an extra that need not be installed. These numbers may only get smaller."""

IMPORTS_FOR_TYPES = {
    "acap.schema",
    "acap.integrations.pytest",
    "acap.cli.io.deciding",
    "acap.cli.io.network",
    "acap.cli.io.pages",
    "acap.cli.io.policies",
    "acap.cli.io.terminal",
    "acap.explain",
    "acap.outline",
    "acap.pages.html",
    "acap.pages.links",
    "acap.pages.resource",
    "acap.publish.lint.document",
    "acap.publish.lint.rules.unheard_meta",
    "acap.publish.lint.strictness",
}
"""Modules that import names for their types alone. This set may only get smaller."""


def inner_imports(tree: ast.Module) -> int:
    """How many statements within functions import a module of the package."""
    within = {node for each in ast.walk(tree) if isinstance(each, FUNCTIONS) for node in ast.walk(each)}
    named = [node for node in within if isinstance(node, ast.ImportFrom | ast.Import)]
    return sum("acap" in imports(ast.Module([node], [])) for node in named)


def is_for_types(tree: ast.Module) -> bool:
    """Whether a module imports what only those need who check types."""
    guarded = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    return any(isinstance(node, ast.Import | ast.ImportFrom) for each in guarded for node in ast.walk(each))


def test_modules_are_imported_at_the_head_of_others() -> None:
    """What is imported late is known, for the start of a command or an extra that is missing, and grows no more."""
    assert {name: number for name, tree in modules().items() if (number := inner_imports(tree))} == INNER_IMPORTS
    assert {name for name, tree in modules().items() if is_for_types(tree)} == IMPORTS_FOR_TYPES


def test_an_import_within_a_function_is_found() -> None:
    code = """
def one() -> None:
    import acap.robots

    def inner() -> None:
        from acap.cli import main

import acap.usages
from json import loads
"""
    assert inner_imports(ast.parse(code)) == 2


LONG = 400  # lines, beyond which the head of a module says why it is one
WHY_LONG = re.compile(r"\b(?:one|the) module\b|\bone class\b|\bone table\b", re.IGNORECASE)


def head(file: Path) -> str:
    """What stands at the head of a module: its docstring, or its `//!` lines."""
    written = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        return ast.get_docstring(ast.parse(written)) or ""
    lines = takewhile(lambda line: line.startswith("//!"), written.split("\n"))
    return " ".join(line.removeprefix("//!").strip() for line in lines)


def test_a_long_module_says_at_its_head_why_it_is_one() -> None:
    """A file of tests aside, a module over 400 lines has a reason not to be two."""
    files = [*(ROOT / "src/acap").rglob("*.py"), *(ROOT / "rust").glob("*/src/**/*.rs")]
    long = [file for file in files if file.name != "tests.rs" and len(file.read_bytes().splitlines()) > LONG]
    silent = [file.relative_to(ROOT).as_posix() for file in long if not WHY_LONG.search(" ".join(head(file).split()))]
    assert silent == []


# --- the map ----------------------------------------------------------------------------------------------------------


ROOMS, _, REST = text("ARCHITECTURE.md").partition("\n## Laws\n")


def linked(page: str) -> set[str]:
    """The modules and packages that a page links, by their paths."""
    return set(re.findall(r"\]\((src/acap/[^)#]+?)/?\)", page))


def test_the_map_has_the_order_of_the_import_contract() -> None:
    section = REST.partition("\n## Direction of imports\n")[2].partition("\n## ")[0]
    (contract,) = PYPROJECT["tool"]["importlinter"]["contracts"]
    layers = [layer.replace("(", "").replace(")", "") for layer in contract["layers"]]
    assert re.findall(r"^    (.+)", section, re.MULTILINE) == [*layers, "_native"]


def test_the_first_table_of_the_map_has_every_room() -> None:
    rooms = {file for file in (ROOT / "src/acap").iterdir() if (file / "__init__.py").is_file()}
    rooms |= {file for file in (ROOT / "src/acap").glob("*.py") if not file.stem.startswith("__")}
    assert {file.relative_to(ROOT).as_posix() for file in rooms} - linked(ROOMS) == set()


def test_the_map_names_every_module_or_its_package() -> None:
    """Where half of the modules of a package have a place on the map, all of them have; of others the package has."""
    links = linked(ROOMS + REST)
    missing = []
    for package in sorted(file.parent for file in (ROOT / "src/acap").rglob("__init__.py")):
        names = {file.relative_to(ROOT).as_posix() for file in package.glob("*.py") if file.name != "__init__.py"}
        within = package.relative_to(ROOT)
        if len(names & links) * 2 >= len(names):
            missing += sorted(names - links)
        elif not {each.as_posix() for each in (within, *within.parents)} & links:
            missing.append(within.as_posix())
    assert missing == []


def test_the_map_links_only_what_is_there() -> None:
    assert [link for link in sorted(linked(ROOMS + REST)) if not (ROOT / link).exists()] == []


def test_what_is_tried_in_part_is_tried_whole_by_make_soak() -> None:
    """A test that tries a portion is marked with it, and `make soak` runs what is marked at length."""
    unmarked = []
    for file in sorted((ROOT / "tests").glob("test_*.py")):
        text = file.read_text(encoding="utf-8")
        if "pytestmark = pytest.mark.portion" in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                marks = [ast.unparse(one) for one in node.decorator_list]
                used = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
                if used & {"at_length", "portion", "corpus_in_part"} and "pytest.mark.portion" not in marks:
                    unmarked.append(f"{file.name}: {node.name}")
    assert unmarked == []
    soak = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nsoak:")[2].partition("\n\n")[0]
    assert "--hypothesis-profile=soak -m portion" in soak
