"""Without its extras acap imports, and whatever needs one says in a sentence how to install it."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from keyword import iskeyword
from pathlib import Path

import pytest

import acap
from acap.cli.commands import COMMANDS

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]

BLOCKED = """
import sys
from importlib.abc import MetaPathFinder

class Blocked(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in PACKAGES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

PACKAGES = set(sys.argv[1].split())
sys.meta_path.insert(0, Blocked())
"""
PACKAGES = (
    "aiohttp apsw c2pa datatrove fastwarc httpx jinja2 loguru lxml playwright psycopg pyarrow pygls pypdf"
    " questionary requests scrapy selectolax starlette twisted urllib3 uvicorn warcio watchfiles zstandard"
)


def without(packages: str, program: str) -> str:
    """What a program prints where packages are not installed."""
    call = [sys.executable, "-W", "error", "-c", BLOCKED + program, packages]
    ran = subprocess.run(call, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_every_name_is_there_without_any_extra() -> None:
    found = without(
        PACKAGES,
        """
import acap
print(sum(hasattr(acap, name) for name in acap.__all__), len(acap.__all__))
exec("from acap import *")
print(acap.parse_robots("User-agent: *\\nDisallow: /").decide("/", crawler="bot").outcome)
try:
    acap.no_such_name
except AttributeError as error:
    print(error)
""",
    )
    count = len(acap.__all__)
    assert found == f"{count} {count}\nprohibited\nmodule `acap` has no attribute `no_such_name`\n"


def test_to_import_acap_loads_nothing_that_takes_time() -> None:
    """A name's module is imported when the name is asked for; the package itself needs no `typing` and no core."""
    source = str(Path(acap.__file__).parent.parent)
    program = f"import sys; sys.path.insert(0, {source!r}); import acap; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    assert "acap" in done.stdout.split()
    assert {"acap._native", "click", "httpx2", "re", "typing"}.isdisjoint(done.stdout.split())


@pytest.mark.parametrize(
    ("call", "package", "extra"),
    [
        ("acap.audit(None, None, crawler='bot')", "pyarrow", "audit"),
        ("acap.BatchAuditor(None, crawler='bot')", "pyarrow", "audit"),
        ("acap.survey('robots.parquet')", "pyarrow", "audit"),
        ("acap.parse_page('<p>', url=None)", "selectolax", "pages"),
    ],
)
def test_what_needs_an_extra_says_in_one_sentence_how_to_install_it(call: str, package: str, extra: str) -> None:
    program = f"import acap\ntry:\n    {call}\nexcept ImportError as error:\n    print(error)\n"
    (said,) = without(PACKAGES, program).splitlines()
    assert package in said
    assert said.endswith(f"pip install 'acap[{extra}]'")


def test_pages_need_one_package() -> None:
    """What only tests compare the core with is imported nowhere else: encodings, URLs, characters and words."""
    program = """
import acap
html = "<meta charset=shift_jis><p><a href='//m&uuml;ller.example'>\u3042 b</a>".encode("shift_jis")
page = acap.parse_page(html, url="http://host.example/")
(link,) = page.links(crawler="bot")
print(page.encoding, link.url, ascii(page.snippet(length=1, crawler="bot").text))
"""
    found = without("can_ada html5lib regex webencodings", program)
    assert found == "Shift_JIS http://xn--mller-kva.example/ '\\u3042'\n"


def test_a_class_whose_extra_is_missing_has_no_instances() -> None:
    program = "import acap\nprint(isinstance(acap, acap.BatchAuditor), acap.BatchAuditor.__doc__)\n"
    said = "`acap.BatchAuditor` needs `pyarrow`, which is not installed; pip install 'acap[audit]'"
    assert without(PACKAGES, program) == f"False {said}\n"


def test_a_module_of_ours_that_is_missing_is_told_as_it_is() -> None:
    """No extra would bring it."""
    program = """
sys.modules["acap.audits.rows"] = None
import acap
try:
    acap.audit
except ImportError as error:
    print(error)
"""
    assert without("", program) == "import of acap.audits.rows halted; None in sys.modules\n"


EXTRA_OF = {name: entry.extra for name, entry in {**COMMANDS, "audit_pages": COMMANDS["audit"]}.items()}


@pytest.mark.parametrize("extra", sorted({extra or "" for extra in EXTRA_OF.values()}))
def test_a_command_needs_its_extra_and_no_other(extra: str) -> None:
    """Each command is imported where only acap and the extra that it names are installed, with what these need."""
    has = {*brought(PROJECT["dependencies"]), *brought([f"acap[{extra}]"] if extra else [])}
    others = {*brought(["acap[all]"])} - has
    absent = [name for name, owners in packages_distributions().items() if {*map(normal, owners)} <= others]
    assert others
    assert absent
    commands = [
        f"acap.cli.{name}{'_' * iskeyword(name)}" for name, needed in EXTRA_OF.items() if (needed or "") == extra
    ]
    assert without(" ".join(absent), f"import {', '.join(commands)}") == ""


def brought(requirements: Iterable[str]) -> set[str]:
    """The packages that these requirements bring, and those that they need in turn, where they are installed."""
    out = set[str]()
    open_ = [*requirements]
    while open_:
        requirement, _, marker = open_.pop().partition(";")
        name, extras = normal(re.split(r"[\s\[(<>=!~]", requirement)[0]), re.findall(r"\[(.+?)\]", requirement)
        if "extra ==" in marker:
            continue
        if name == "acap":
            open_ += [one for each in extras[0].split(",") for one in PROJECT["optional-dependencies"][each]]
        elif name not in out:
            out.add(name)
            with suppress(PackageNotFoundError):
                open_ += requires(name) or ()
    return out


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
