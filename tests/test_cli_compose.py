"""`acap compose` asks in plain words and writes what was answered, or takes it all from a table."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from acap.cli.compose import SERVERS as CLI_SERVERS
from acap.cli.compose import finish
from acap.cli.io.terminal import Terminal
from acap.publish.compose import SERVERS, Draft, Row, draft_from_robots, draft_from_toml, robots_text
from acap.publish.compose.dialogue import LIMITS, USAGES, converse
from acap.publish.compose.starts import STARTS, begun
from acap.publish.compose.talk import BackError, Choice, Talk
from acap.publish.presets.preset import PRESETS
from acap.restrictions import TABLE
from acap.robots import parse_robots
from acap.usages import PARENTS
from tests.command_line import Result, acap, environment, process

TABLE_TEXT = """\
[policy]
samples = ["/news/a.html", "/private/"]

[[policy.record]]
crawlers = ["*"]
permit = [{ usage = "index", resources = ["/news/"], time-limit = "7-days" }]
prohibit = [{ usage = "crawl", resources = ["/private/"] }]

[[policy.page]]
pattern = "/drafts/"
words = ["noindex"]
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "acap.toml"
    file.write_text(TABLE_TEXT, encoding="utf-8")
    return file


# --- the dialogue -----------------------------------------------------------------------------------------------------

BACK = object()
Answer = str | tuple[str, ...] | object


@dataclass
class Scripted:
    """Gives answers in order; a text is checked as a terminal would, and each question is remembered."""

    answers: list[Answer]
    questions: list[str] = field(default_factory=list)
    shown: list[tuple[str, Sequence[Row]]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def _next(self, question: str) -> Answer:
        self.questions.append(question)
        answer = self.answers.pop(0)
        if answer is BACK:
            raise BackError
        if answer is KeyboardInterrupt:
            raise KeyboardInterrupt
        return answer

    def choose(self, question: str, choices: Sequence[Choice], default: str | None = None) -> str:
        answer = self._next(question)
        assert answer in [one.value for one in choices], (question, answer, choices)
        assert default is None or default in [one.value for one in choices]
        return str(answer)

    def choose_many(self, question: str, choices: Sequence[Choice], chosen: Sequence[str] = ()) -> tuple[str, ...]:
        answer = self._next(question)
        assert isinstance(answer, tuple)
        assert set(chosen) <= {one.value for one in choices}
        assert set(answer) <= {one.value for one in choices}, (question, answer, choices)
        return answer

    def write(self, question: str, default: str, check: Callable[[str], str | None]) -> str:
        while True:
            answer = str(self._next(question)) or default
            problem = check(answer)
            if problem is None:
                return answer
            self.refused.append(problem)

    def show(self, title: str, rows: Sequence[Row]) -> None:
        self.shown.append((title, rows))

    def tell(self, lines: Sequence[str]) -> None:
        self.told += lines


WHOLE = [
    "/news/a.html /x", "any", "any", "directory", "news", "done",
    ("preserve",), ("index",), "time-limit", "7-days", "none",
]  # fmt: skip
"""Answers: to any crawler, for any purpose, of /news/: no copies, and an index for 7 days."""


def held(*answers: Answer, draft: Draft | None = None, file: str = "-") -> tuple[Talk, Scripted]:
    """What comes of a dialogue that begins with no preset, and who held it; every answer was asked for."""
    asker = Scripted(["own", *answers])
    talk = converse(asker, draft or Draft(), file, asks_file=False)
    assert asker.answers == []
    return talk, asker


def test_five_steps_make_a_policy() -> None:
    """From scratch: crawlers, purposes, content, usages, restrictions."""
    talk, asker = held(*WHOLE, "yes", "done")
    assert [line for line in robots_text(talk.draft).splitlines() if not line.startswith("#")] == [
        "ACAP-crawler: *",
        "ACAP-disallow-preserve: /news/",
        "ACAP-allow-index: /news/ time-limit=7-days",
    ]
    steps = dict.fromkeys(question.split(",")[0] for question in asker.questions if question.startswith("Step"))
    assert list(steps) == ["Step 1", "Step 2", "Step 3", "Step 4", "Step 5"]


def test_each_step_shows_what_crawlers_may_do_with_the_samples() -> None:
    """What is shown is decided by the engine on the text composed so far, with the rules that are being made."""
    talk, asker = held(*WHOLE, "yes", "done")
    assert len(asker.shown) == 6
    assert {row.url for row in asker.shown[-1][1]} == {"/news/a.html", "/x"}
    policy = parse_robots(robots_text(talk.draft))
    for row in asker.shown[-1][1]:
        found = policy.decide(row.url, crawler="anybody", usage=row.usage)
        assert (row.outcome, row.restrictions) == (found.outcome, tuple(map(str, found.restrictions)))
    before = {(row.url, row.usage): row.outcome for row in asker.shown[2][1]}
    after = {(row.url, row.usage): row.outcome for row in asker.shown[3][1]}
    assert (before["/news/a.html", "preserve"], after["/news/a.html", "preserve"]) == ("permitted", "prohibited")


def test_named_crawlers_purposes_and_several_parts() -> None:
    """Names and purposes are asked for, and content until that is all."""
    talk, _ = held(
        "/", "named", "ABot, BBot", "some", "news.* images.*", "kind", "pdf", "more", "page", "/a.html", "done",
        ("crawl",), (), "yes", "done",
    )  # fmt: skip
    (record,) = talk.draft.records
    (part,) = record.sub_records
    assert (record.crawlers, part.purposes) == (("ABot", "BBot"), ("news.*", "images.*"))
    assert [(rule.permits, rule.usage, rule.resources) for rule in part.rules] == [
        (False, "crawl", ("/*.pdf$", "/a.html$"))
    ]


def test_a_wrong_answer_is_refused_with_what_the_reader_says_of_it() -> None:
    """The same table decides that reads the file in the end."""
    answers = [*WHOLE[:-2], "soon", "until-2027-02-30", "until-2027-03-01", "none", "yes", "done"]
    talk, asker = held(*answers)
    assert len(asker.refused) == 2
    assert "`soon` is not a valid value of `time-limit`" in asker.refused[0]
    assert "until-2027-03-01" in robots_text(talk.draft)


def test_one_rule_divides_crawlers_purposes_and_paths() -> None:
    """Blanks and commas divide; a path keeps a comma within it, and a blank that may be within one is asked about."""
    talk, asker = held(
        "/a, /b,c", "named", "ABot,BBot CBot,", "some", "news.*, images.*", "directory", "/my news/", "/my /news/,2/",
        "done", ("crawl",), (), "yes", "done",
    )  # fmt: skip
    (record,) = talk.draft.records
    (part,) = record.sub_records
    assert talk.draft.samples == ("/a", "/b,c")
    assert (record.crawlers, part.purposes) == (("ABot", "BBot", "CBot"), ("news.*", "images.*"))
    assert part.rules[0].resources == ("/my/", "/news/,2/")
    assert asker.refused == ["`/my news/` has a blank; write `/my%20news/` for one path, or `/my /news/` for two"]


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("GPTBot/1.2", "write `GPTBot`"),
        ("Mozilla/5.0", "write the name alone"),
        ("Google+bot", "did you mean `Googlebot`?"),
        ("Ä", "write letters, digits"),
        ("Googlebot Bingbot", "write `Googlebot` and `Bingbot`, each by itself"),
    ],
)
def test_a_mistake_in_a_name_is_told_at_its_field_with_what_to_write(name: str, fix: str, tmp_path: Path) -> None:
    file = tmp_path / "acap.toml"
    file.write_text(f'[[policy.record]]\ncrawlers = ["ABot", "{name}"]\nprohibit = ["crawl"]\n', encoding="utf-8")
    told = acap("compose", "--from", file).err
    assert f"policy.record[0].crawlers[1]: `{name}` " in told
    assert fix in told


def test_a_mistake_in_a_purpose_is_told_at_its_field_and_a_name_nearly_known_is_noted(tmp_path: Path) -> None:
    file = tmp_path / "acap.toml"
    text = '[[policy.record]]\ncrawlers = ["Googelbot"]\npurposes = ["news", "a#b"]\nprohibit = ["crawl"]\n'
    file.write_text(text, encoding="utf-8")
    assert "policy.record[0].purposes[1]: `a#b` is not a valid purpose; write `a`" in (
        acap("compose", "--from", file).err
    )
    file.write_text(text.replace("#", ""), encoding="utf-8")
    found = acap("compose", "--from", file)
    assert found.code == 0
    assert "policy.record[0].crawlers[0]: no known crawler answers to the name `Googelbot`" in found.err


def test_names_that_cannot_be_written_are_refused() -> None:
    """A crawler's name has no blank, slash or line break; a purpose no `#`; a path begins with a slash."""
    _, asker = held(
        "news", "/", "named", "", "A/1.0", "*", "ABot", "some", " ", "a#b", "news", "pattern", "", "news/", "done",
        ("index",), (), "yes", "done",
    )  # fmt: skip
    assert len(asker.refused) == 7


@pytest.mark.parametrize("steps", range(1, 11))
def test_going_back_asks_the_question_before_again(steps: int) -> None:
    """From any question one can go back any number of questions, answer again, and nothing of the first way stays."""
    first = ["/y", "any", "any", "all", "done", ("follow",), ("present",), "max-length", "9-words", "none"]
    talk, asker = held(*first[:steps], *[BACK] * steps, *WHOLE, "yes", "done")
    straight, _ = held(*WHOLE, "yes", "done")
    assert talk.draft == straight.draft
    asked = asker.questions[1 : 2 * steps + 1]
    assert asked[steps + 1 :] == asked[1:steps][::-1]


def test_going_back_at_the_first_question_asks_it_again() -> None:
    """There is nothing before it."""
    asker = Scripted([BACK, "own", *WHOLE, "yes", "done"])
    converse(asker, Draft(), "-", asks_file=False)
    assert asker.questions[0] == asker.questions[1]


@pytest.mark.parametrize("name", STARTS)
def test_the_first_question_offers_what_many_sites_mean(name: str) -> None:
    """Each is told with what changes for whom; one is taken as it is, and the five steps stand behind it."""
    start = STARTS[name]
    terms = "https://www.example.com/license.xml"
    asker = Scripted([name, *(["no", terms] if start.has_terms else []), "/news/", "done"])
    talk = converse(asker, Draft(), "-", asks_file=False)
    assert asker.answers == []
    assert talk.draft == replace(begun(start, Draft(), terms=terms), samples=("/news/",))
    for one in STARTS.values():
        place = asker.told.index(f"{one.title} ({one.name})")
        told = asker.told[place + 1 : place + 1 + len(one.changes)]
        assert told == [f"  {who}: {what}" for who, what in one.changes]
    assert start.elsewhere in (*asker.told, "")


def test_a_preset_of_the_dialogue_adds_to_the_file_and_names_what_stands_against_it() -> None:
    """The menu offers them again, so that two can be said."""
    text = b"ACAP-crawler: Googlebot\nACAP-allow-preserve: /\n"
    asker = Scripted(["quote", "/", "preset", "no-training", "done"])
    talk = converse(asker, draft_from_robots(text), "-", asks_file=False)
    written = robots_text(talk.draft)
    for line in ("ACAP-allow-preserve: /", "ACAP-disallow-preserve: /", "ACAP-disallow-ai-train: /"):
        assert line in written.splitlines()
    assert any(line.startswith("line 2, `ACAP-allow-preserve: /`, stands against") for line in asker.told)
    assert [title for title, _ in asker.shown] == ["The policy so far"] * 2


def test_a_wrong_name_of_a_preset_lists_all() -> None:
    (line,) = acap("compose", "--preset", "qoute").err.splitlines()
    assert "did you mean `quote`?" in line
    for name in (*STARTS, *PRESETS):
        assert name in line


def test_what_is_not_to_be_is_left_out() -> None:
    """The last question of the five steps is whether it shall be so."""
    talk, _ = held(*WHOLE, "no", "add", "any", "any", "all", "done", ("crawl",), (), "yes", "done")
    assert [rule.usage for _, _, rule in talk.draft.rules()] == ["crawl"]


def test_a_step_that_says_nothing_adds_nothing() -> None:
    """Neither permission nor prohibition leads back to the beginning."""
    talk, _ = held("/", "any", "any", "all", "done", (), (), "add", *WHOLE[1:], "yes", "done")
    assert len(talk.draft.records) == 1


def test_an_existing_file_is_gone_on_with() -> None:
    """Rules are added to its records, and taken out of them; the rest stays."""
    text = b"User-agent: *\nDisallow: /old/\n\nACAP-crawler: *\nACAP-disallow-crawl: /a/\nACAP-disallow-index: /b/\n"
    talk, asker = held("/", "remove", ("0",), "add", *WHOLE[1:], "yes", "done", draft=draft_from_robots(text))
    written = robots_text(talk.draft)
    assert "Disallow: /old/" in written
    assert "ACAP-disallow-crawl" not in written
    assert written.count("ACAP-crawler: *") == 1
    assert "ACAP-disallow-index: /b/" in written
    assert asker.questions[2] == "What now?"


def test_pages_get_words() -> None:
    """META tags and headers for pages and files of a pattern, in words that are known."""
    talk, asker = held(
        "/drafts/a", "any", "any", "all", "done", ("other",), (), "yes", "page", "drafts", "/drafts/",
        ("noindex", "own"), "foo", "max-snippet:20", "done", "caddy",
    )  # fmt: skip
    (page,) = talk.draft.pages
    assert (page.pattern, page.words, talk.draft.server) == ("/drafts/", ("noindex", "max-snippet:20"), "caddy")
    assert [row.outcome for row in asker.shown[-1][1] if row.usage == "index"] == ["prohibited"]
    assert len(asker.refused) == 2


def test_sets_and_usages_of_the_file_can_be_chosen() -> None:
    """What the author has named is offered by its name."""
    text = b"ACAP-resource-set: pics /*.png$\nACAP-qualified-usage: brief preserve time-limit=2-days\n"
    text += b"ACAP-crawler: *\nACAP-allow-crawl: /\n"
    talk, _ = held(
        "/", "add", "any", "any", "the-acap:resource-set:pics", "done", (), ("(brief)",), "yes", "done",
        draft=draft_from_robots(text),
    )  # fmt: skip
    assert "ACAP-allow-(brief): the-acap:resource-set:pics" in robots_text(talk.draft)


def test_the_file_is_asked_for_and_another_one_is_not_overwritten_unasked(tmp_path: Path) -> None:
    """A file of that name is replaced only where that is said."""
    there, free = tmp_path / "there.txt", tmp_path / "free.txt"
    there.write_text("old", encoding="utf-8")
    asker = Scripted(["own", *WHOLE, "yes", "done", str(there), "no", str(free)])
    assert finish(Terminal(quiet=True), asker, Draft(), None, None) == 0
    assert (there.read_text(encoding="utf-8"), free.read_text(encoding="utf-8")[:6]) == ("old", "##ACAP")
    asker = Scripted(["own", *WHOLE, "yes", "done", str(there), "yes"])
    finish(Terminal(quiet=True), asker, Draft(), None, None)
    assert there.read_text(encoding="utf-8").startswith("##ACAP")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["free.txt", "there.txt"]


@pytest.mark.parametrize("place", range(len(WHOLE) + 3))
def test_an_interruption_writes_nothing(place: int, tmp_path: Path) -> None:
    """At whatever question Ctrl-C comes, the file is as it was."""
    file = tmp_path / "robots.txt"
    file.write_text("User-agent: *\n", encoding="utf-8")
    asker = Scripted([*["own", *WHOLE, "yes", "done"][:place], KeyboardInterrupt])
    with pytest.raises(KeyboardInterrupt):
        finish(Terminal(), asker, Draft(), str(file), file)
    assert file.read_text(encoding="utf-8") == "User-agent: *\n"
    assert list(tmp_path.iterdir()) == [file]


def test_every_word_of_the_dialogue_is_one_of_the_engine() -> None:
    """Usages and restrictions that are offered are known, and those that pages alone have are not offered."""
    assert {one.value for one in USAGES} <= set(PARENTS)
    assert set(LIMITS) == {name for name, row in TABLE.items() if row.acap and row.form != "page"}
    assert CLI_SERVERS == SERVERS


# --- a real terminal --------------------------------------------------------------------------------------------------


@dataclass
class Typist:
    """A terminal of 100 columns with `acap compose` in it."""

    arguments: Sequence[str]
    folder: Path
    seen: str = ""

    def __enter__(self) -> Typist:
        self._ours, theirs = pty.openpty()
        import fcntl
        import struct
        import termios

        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 140, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "acap.cli.main", "compose", *self.arguments],
            stdin=theirs, stdout=theirs, stderr=theirs, cwd=self.folder, start_new_session=True,
            env=environment(TERM="xterm", PROMPT_TOOLKIT_NO_CPR="1", NO_COLOR="1"),
        )  # fmt: skip
        os.close(theirs)
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)
        os.close(self._ours)

    def until(self, text: str) -> None:
        """Waits for a text on the terminal; what came before it is forgotten."""
        end = time.monotonic() + 30
        while text not in self.seen:
            assert time.monotonic() < end, f"`{text}` does not come: {self.seen[-2000:]}"
            assert self._read(1.0) or self.process.poll() is None, f"`{text}` does not come: {self.seen[-2000:]}"
        self.seen = self.seen.partition(text)[2]

    def _read(self, seconds: float) -> bool:
        if not select.select([self._ours], [], [], seconds)[0]:
            return False
        try:
            came = os.read(self._ours, 65536)
        except OSError:  # the other end has been closed
            return False
        self.seen += came.decode(errors="replace")
        return bool(came)

    def type(self, keys: str) -> None:
        """Keys, as a terminal sends them."""
        os.write(self._ours, keys.encode())

    def end(self) -> int:
        """What the command ends with; what it still says is read."""
        while self._read(5.0):
            pass
        return self.process.wait(30)


def test_the_dialogue_at_a_real_terminal_writes_a_file(tmp_path: Path) -> None:
    """Arrow keys choose, space marks, enter goes on, `<` goes back; the preview stands between the questions."""
    with Typist(["-o", "robots.txt"], tmp_path) as typist:
        typist.until("caches and archives: must not keep copies")
        typist.until("What do you want to say?")
        typist.type("\r")
        typist.until("Which pages should the preview show")
        typist.type("\x15a.html\r")
        typist.until("neither a path nor a URL")
        typist.type("\x15/news/a.html\r")
        typist.until("which crawlers do you address?")
        typist.type("\x1b[B\r")
        typist.until("Their names")
        typist.type("<\r")
        typist.until("which crawlers do you address?")
        typist.type("\r")
        typist.until("To these crawlers so far")
        typist.until("any other crawler")
        typist.until("for which of their services?")
        typist.type("\r")
        typist.until("which part of the site?")
        typist.type("\r")
        typist.until("The rules apply to /")
        typist.type("\r")
        typist.until("what must they not do with it?")
        typist.type("\x1b[B\x1b[B \r")
        typist.until("expressly permit?")
        typist.type("\r")
        typist.until("must not")
        typist.until("Is that right?")
        typist.type("\r")
        typist.until("What now?")
        typist.type("\r")
        assert typist.end() == 0
    assert "ACAP-disallow-index: /\n" in (tmp_path / "robots.txt").read_text(encoding="utf-8")


def test_ctrl_c_at_a_real_terminal_ends_with_130_and_writes_nothing(tmp_path: Path) -> None:
    """No line of a traceback, and no file."""
    with Typist([], tmp_path) as typist:
        typist.until("What do you want to say?")
        typist.type("\r")
        typist.until("Which pages should the preview show")
        typist.type("\r")
        typist.until("which crawlers do you address?")
        typist.type("\x03")
        assert typist.end() == 130
    assert "Traceback" not in typist.seen
    assert list(tmp_path.iterdir()) == []


def test_without_a_terminal_nothing_is_asked() -> None:
    """The message names the way that asks nothing."""
    result = acap("compose")
    assert (result.code, result.out) == (2, "")
    assert "use --from acap.toml" in result.err
    with process("compose") as started:
        out, err = started.communicate(b"", timeout=60)
    assert (started.returncode, out, b"Traceback" in err) == (2, b"", False)


# --- from a table -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [(), ("--toml",), ("--headers", "nginx"), ("--meta", "/drafts/a.html")])
def test_quiet_leaves_the_document(table: Path, form: tuple[str, ...]) -> None:
    """What was asked for is printed all the same; a preview, which is no document, is not."""
    told = acap("compose", "--from", table, *form)
    assert told.out
    assert acap("compose", "--quiet", "--from", table, *form) == Result(told.code, told.out, "")
    assert acap("compose", "--quiet", "--from", table, "--preview", "--sample", "/") == Result(0, "", "")


def test_a_table_becomes_a_file(table: Path, tmp_path: Path) -> None:
    """Printed, or written with --output in the place of what was there, with the mode that it had."""
    printed = acap("compose", "--from", table)
    meant = robots_text(draft_from_toml(tomllib.loads(TABLE_TEXT)["policy"]))
    assert (printed.code, printed.out, printed.err) == (0, meant, "")
    file = tmp_path / "robots.txt"
    assert acap("compose", "--from", table, "-o", file).code == 0
    assert (file.read_text(encoding="utf-8"), file.stat().st_mode & 0o444) == (meant, 0o444)
    file.write_text("old", encoding="utf-8")
    file.chmod(0o640)
    assert acap("compose", "--from", table, "-o", file).code == 0
    assert (file.read_text(encoding="utf-8"), file.stat().st_mode & 0o777) == (meant, 0o640)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["acap.toml", "robots.txt"]


def test_check_says_whether_a_file_is_what_the_table_says(table: Path, tmp_path: Path) -> None:
    """For pipelines: nothing is written."""
    file = tmp_path / "robots.txt"
    missing = acap("compose", "--from", table, "-o", file, "--check")
    assert (missing.code, file.exists()) == (1, False)
    acap("compose", "--from", table, "-o", file)
    assert acap("compose", "--from", table, "-o", file, "--check").code == 0
    file.write_text("old", encoding="utf-8")
    other = acap("compose", "--from", table, "-o", file, "--check")
    assert (other.code, file.read_text(encoding="utf-8")) == (1, "old")
    assert "differs from the policy" in other.err


def test_headers_tags_preview_and_the_table_itself(table: Path) -> None:
    """Each is printed alone."""
    assert "map $request_uri" in acap("compose", "--from", table, "--headers", "nginx").out
    assert "vars_regexp" in acap("compose", "--from", table, "--headers", "Caddy").out
    tags = acap("compose", "--from", table, "--meta", "https://example.com/drafts/a")
    assert tags.out == '<meta name="robots" content="noindex">\n'
    rows = [line.split("\t") for line in acap("compose", "--from", table, "--preview").lines]
    assert [row[:5] for row in rows if row[1] == "index"] == [
        ["permitted", "index", "*", "/news/a.html", "time-limit=7-days"],
        ["prohibited", "index", "*", "/private/", "-"],
    ]
    asked = acap("compose", "--from", table, "--preview", "--sample", "/drafts/x")
    assert "prohibited\tindex\t*\t/drafts/x\t-\t" in asked.out
    again = acap("compose", "--from", table, "--toml").out
    assert draft_from_toml(tomllib.loads(again)["policy"]) == draft_from_toml(tomllib.loads(TABLE_TEXT)["policy"])


def test_a_robots_txt_becomes_a_table(tmp_path: Path) -> None:
    """The way into version control, without a terminal."""
    file = tmp_path / "robots.txt"
    file.write_text("ACAP-crawler: *\nACAP-disallow-index: /a/\n", encoding="utf-8")
    result = acap("compose", file, "--toml")
    assert result.code == 0
    draft = draft_from_toml(tomllib.loads(result.out)["policy"])
    assert [(rule.usage, rule.resources) for _, _, rule in draft.rules()] == [("index", ("/a/",))]


def test_options_overrule_the_table(table: Path) -> None:
    """Comments and lines for other crawlers can be left out."""
    result = acap("compose", "--from", table, "--no-comments", "--no-conventional")
    assert "User-agent" not in result.out
    assert "# " not in result.out


def test_warnings_are_told_and_do_not_stop(tmp_path: Path) -> None:
    """What the reader would warn of is a line on standard error."""
    file = tmp_path / "acap.toml"
    file.write_text(
        "[[policy.record]]\ncrawlers = ['*']\npermit = [{ usage = 'follow', time-limit = '7-days' }]\n",
        encoding="utf-8",
    )
    result = acap("compose", "--from", file)
    assert result.code == 0
    assert result.err == (
        "acap: policy.record[0].permit[0]: warning: `time-limit` does not apply to `follow`; "
        "it is kept as a restriction\n"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no file"),
        ("x = ", "is not TOML"),
        ("[lint]\n", "has no [policy] table"),
        ("[policy]\nrecords = 1", "policy: unknown key `records`; did you mean `record`?"),
        (
            "[[policy.record]]\ncrawlers = ['*']\npermit = [{ usage = 'index', time-limit = 'soon' }]",
            "policy.record[0].permit[0]: `soon` is not a valid value of `time-limit`",
        ),
        ("[policy]\nlines = '\udce9'", "is not UTF-8"),
    ],
)
def test_a_mistake_in_a_table_is_one_line(text: str | None, message: str, tmp_path: Path) -> None:
    """With the file, the path of the key, and what to do."""
    file = tmp_path / "acap.toml"
    if text is not None:
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
    result = acap("compose", "--from", file)
    assert (result.code, result.out, len(result.err.splitlines())) == (2, "", 1)
    assert message in result.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--headers", "iis"], "unknown server `iis`"),
        (["--from", "a.toml", "--toml", "--preview"], "ask for one"),
        (["--from", "a.toml", "--check"], "name it with --output"),
        (["robots.txt", "--from", "a.toml"], "not both"),
        (["--headers", "nginx"], "name it with --from"),
        (["--preview"], "name it with --from"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments: list[str], message: str) -> None:
    """In one line."""
    result = acap("compose", *arguments)
    assert (result.code, len(result.err.splitlines())) == (2, 1)
    assert message in result.err


def test_a_file_that_cannot_be_written_is_a_line(table: Path, tmp_path: Path) -> None:
    """Nothing stays of the attempt."""
    result = acap("compose", "--from", table, "-o", tmp_path / "none" / "robots.txt")
    assert (result.code, len(result.err.splitlines())) == (2, 1)
    assert "cannot be written" in result.err
