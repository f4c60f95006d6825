"""The language server, asked by a client over its standard input and output as an editor asks it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient

import acap
from acap.lsp.completing import CONVENTIONAL
from acap.lsp.positions import Positions
from acap.publish.format import format_robots
from acap.publish.line_words import line_sentences
from acap.publish.lint.document import Document

T = TypeVar("T")
_WAIT = 30.0

TEXT = """\
User-agent: *
Disalow: /drafts/
Disallow: /search

ACAP-resource-set: news /news/ /nachrichten/
ACAP-qualified-usage: brief present-snippet max-length=30-words
ACAP-crawler: examplebot
ACAP-disallow-index: the-acap:resource-set:news
ACAP-allow-(brief): /
"""


class Editor(LanguageClient):
    """A client that keeps what the server tells of documents."""

    def __init__(self) -> None:
        super().__init__("editor", "1")
        self.told: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.messages: list[str] = []

        @self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]
        def publish(given: types.PublishDiagnosticsParams) -> None:
            self.told.put_nowait(given)

        @self.feature(types.WINDOW_SHOW_MESSAGE)  # type: ignore[untyped-decorator]
        def message(given: types.ShowMessageParams) -> None:
            self.messages.append(given.message)

    async def diagnostics(self) -> list[types.Diagnostic]:
        """What is told next."""
        return list((await asyncio.wait_for(self.told.get(), _WAIT)).diagnostics)

    async def open(self, file: Path, text: str, language: str = "robots-txt") -> types.TextDocumentIdentifier:
        """Opens a document."""
        item = types.TextDocumentItem(file.as_uri(), language, 1, text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return types.TextDocumentIdentifier(item.uri)


@asynccontextmanager
async def editor(encoding: types.PositionEncodingKind = types.PositionEncodingKind.Utf16) -> AsyncIterator[Editor]:
    client = Editor()
    await client.start_io(sys.executable, "-m", "acap", "lsp")
    general = types.GeneralClientCapabilities(position_encodings=[encoding])
    found = await client.initialize_async(types.InitializeParams(types.ClientCapabilities(general=general)))
    assert found.capabilities.position_encoding in (encoding, None)
    client.initialized(types.InitializedParams())
    try:
        yield client
    finally:
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()  # type: ignore[no-untyped-call]


def after(text: str, edits: list[types.TextEdit]) -> str:
    """A text after the edits that an editor makes, by a reading of places of our own."""
    lines = [*text.splitlines(keepends=True), ""]

    def index(place: types.Position) -> int:
        units = lines[place.line].encode("utf-16-le")[: 2 * place.character]
        return sum(map(len, lines[: place.line])) + len(units.decode("utf-16-le"))

    for edit in sorted(edits, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True):
        text = text[: index(edit.range.start)] + edit.new_text + text[index(edit.range.end) :]
    return text


def run(session: Callable[[], Any]) -> None:
    asyncio.run(asyncio.wait_for(session(), 2 * _WAIT))


def test_findings_are_told_fixed_and_taken_back(tmp_path: Path) -> None:
    """What lint finds stands at its octets, a safe fix mends it, and closing the document takes it back."""

    async def session() -> None:
        async with editor() as client:
            document = await client.open(tmp_path / "robots.txt", TEXT)
            (found,) = [one for one in await client.diagnostics() if one.code == "misspelt-field"]
            assert found.range == types.Range(types.Position(1, 0), types.Position(1, 17))
            assert (found.source, found.severity) == ("acap", types.DiagnosticSeverity.Warning)
            context = types.CodeActionContext([found])
            actions = await client.text_document_code_action_async(
                types.CodeActionParams(document, found.range, context)
            )
            titles = {one.title: one for one in actions or [] if isinstance(one, types.CodeAction)}
            assert set(titles) == {"write `Disallow`", "fix all that can be fixed without permitting more"}
            for action in titles.values():
                assert action.edit is not None
                assert action.edit.changes is not None
                assert "\nDisallow: /drafts/\n" in after(TEXT, list(action.edit.changes[document.uri]))
            client.text_document_did_close(types.DidCloseTextDocumentParams(document))
            assert await client.diagnostics() == []

    run(session)


def test_what_is_typed_is_linted_when_the_typing_stops(tmp_path: Path) -> None:
    """Findings are those of the last text; those of texts in between may be told or not."""

    async def session() -> None:
        async with editor() as client:
            document = await client.open(tmp_path / "robots.txt", TEXT)
            for version in range(2, 40):
                text = TEXT.replace("Disalow", "Disallow") if version == 39 else TEXT[: 40 + version]
                change = [types.TextDocumentContentChangeWholeDocument(text)]
                named = types.VersionedTextDocumentIdentifier(version, document.uri)
                client.text_document_did_change(types.DidChangeTextDocumentParams(named, change))
            while (told := await asyncio.wait_for(client.told.get(), _WAIT)).version != 39:
                pass
            assert "misspelt-field" not in {one.code for one in told.diagnostics}

    run(session)


def test_a_hover_says_what_a_line_is_to_whom(tmp_path: Path) -> None:
    """Sentences of the statements, then what is wrong with the line and why."""

    async def session() -> None:
        async with editor() as client:
            document = await client.open(tmp_path / "robots.txt", TEXT)

            async def hover(line: int) -> str:
                found = await client.text_document_hover_async(types.HoverParams(document, types.Position(line, 3)))
                return (
                    "" if found is None or not isinstance(found.contents, types.MarkupContent) else found.contents.value
                )

            assert await hover(0) == "- **any other crawler** may use all but /drafts/, /search: every usage"
            assert await hover(2) == "- **No crawler** may crawl /search"
            assert "**warning**" in await hover(1)
            assert "examplebot** must not index" in await hover(7)
            assert await hover(3) == ""

    run(session)


def test_a_group_for_any_crawler_is_not_said_to_be_for_one_with_its_own() -> None:
    """Beside a group with a name the rules of `*` are those of any other crawler; ACAP records for `*` are for all."""
    own = b"\nUser-agent: Googlebot\nAllow: /b\n"
    text = b"User-agent: *\nDisallow: /a\nACAP-crawler: *\nACAP-disallow-index: /c\n"

    def told(octets: bytes, line: int) -> list[tuple[str, str]]:
        return [(one.who, one.what) for one in line_sentences(Document(octets, "robots.txt", "robots"), line)]

    assert told(text + own, 2) == [("No other crawler", "may crawl /a")]
    assert told(text, 2) == [("No crawler", "may crawl /a")]
    assert told(text + own, 4) == told(text, 4) == [("No crawler", "may index /c")]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", {"User-agent: ", "ACAP-disallow-ai-train: "}),
        ("Disa", {"Disallow: "}),
        ("User-agent: Goo", {"Googlebot", "*"}),
        ("ACAP-crawler: ", {"GPTBot"}),
        ("Content-Signal: ", {"ai-train=no"}),
        ("ACAP-disallow-index: ", {"the-acap:resource-set:news"}),
        ("ACAP-allow-index: / ", {"time-limit=", "the-acap:resource-set:news"}),
    ],
)
def test_what_may_be_written_is_offered(tmp_path: Path, line: str, expected: set[str]) -> None:
    """Fields at the begin of a line, and what the field takes behind it; each takes the place of the word begun."""

    async def session() -> None:
        async with editor() as client:
            text = f"{TEXT}{line}"
            document = await client.open(tmp_path / "robots.txt", text)
            place = types.Position(TEXT.count("\n"), len(line))
            found = await client.text_document_completion_async(types.CompletionParams(document, place))
            assert isinstance(found, list)
            items = {one.text_edit.new_text: one for one in found if isinstance(one.text_edit, types.TextEdit)}
            assert expected <= set(items)
            for name in expected:
                edit = items[name].text_edit
                assert isinstance(edit, types.TextEdit)
                begun = line.rpartition(" ")[2] if ":" in line else line
                assert after(text, [edit]) == text.removesuffix(begun) + name

    run(session)


def test_definitions_are_found_and_the_text_is_laid_out(tmp_path: Path) -> None:
    """A set and a usage lead to the lines that define them; the layout is that of `acap format`."""

    async def session() -> None:
        async with editor() as client:
            text = TEXT.replace("Disallow: /search", "disallow :/search")
            document = await client.open(tmp_path / "robots.txt", text)

            async def line_of(line: int, character: int) -> int | None:
                asked = types.DefinitionParams(document, types.Position(line, character))
                found = await client.text_document_definition_async(asked)
                return found.range.start.line if isinstance(found, types.Location) else None

            assert await line_of(7, 45) == 4
            assert await line_of(8, 14) == 5
            assert await line_of(0, 3) is None
            options = types.FormattingOptions(4, True)
            edits = await client.text_document_formatting_async(types.DocumentFormattingParams(document, options))
            assert after(text, list(edits or [])).encode() == format_robots(text.encode())

    run(session)


def test_a_project_says_which_rules_run(tmp_path: Path) -> None:
    """The nearest configuration counts, one that cannot be read is told once, and a saved one is read anew."""

    async def session() -> None:
        async with editor() as client:
            config = tmp_path / "acap.toml"
            config.write_text("[lint]\nignore = ['misspelt-field']\n")
            await client.open(tmp_path / "robots.txt", TEXT)
            assert "misspelt-field" not in {one.code for one in await client.diagnostics()}
            config.write_text("[lint]\nignoring = 1\n")
            saved = types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(config.as_uri()))
            client.text_document_did_save(saved)
            assert "misspelt-field" in {one.code for one in await client.diagnostics()}
            assert ["unknown key" in one for one in client.messages] == [True]

    run(session)


def test_other_documents_and_hostile_texts_are_answered(tmp_path: Path) -> None:
    """A page in whatever encoding it names, a tdmrep.json, a text of odd characters have theirs; notes have none."""

    async def session() -> None:
        async with editor() as client:
            page = '<meta charset="latin-1"><p>ü🤖<meta name="robots" content="noindx">\n'
            await client.open(tmp_path / "a.html", page)
            (found,) = [one for one in await client.diagnostics() if one.code == "page-unknown-word"]
            assert found.range.start.line == 0
            await client.open(tmp_path / "tdmrep.json", '[{"location": "/", "tdm-reservation": 7}]')
            assert await client.diagnostics()
            await client.open(tmp_path / "notes.txt", "call back: tomorrow\n", "plaintext")
            assert await client.diagnostics() == []
            await client.open(tmp_path / "untitled", "Disalow: /\n")
            assert await client.diagnostics()
            odd = "\ufeffUser-agent: \U0001f916\0\r\rDisallow: \u2028/\r\n"
            await client.open(tmp_path / "robots.txt", odd * 2_000)
            assert await client.diagnostics()

    run(session)


@pytest.mark.parametrize("encoding", list(types.PositionEncodingKind))
@pytest.mark.parametrize("marked", [False, True])
def test_places_are_the_same_there_and_back(encoding: types.PositionEncodingKind, marked: bool) -> None:
    """Every octet that begins a character has a position that leads back to it; a position beyond is the end."""
    text = "a\r\nü🤖b\r\n\rz\n"
    places = Positions(text, encoding, marked=marked)
    at = 3 if marked else 0
    for letter in text:
        if letter not in "\r\n":
            assert places.octet(places.position(at)) == at
        at += len(letter.encode())
    assert places.octet(types.Position(1, 99)) == places.octets.index(b"b") + 1
    assert places.octet(types.Position(99, 0)) == len(places.octets)


def test_the_fields_that_are_offered_are_fields() -> None:
    """A reader knows each of them."""
    for name in CONVENTIONAL:
        text = f"User-agent: *\n{name}: https://example.com/\n"
        assert "unknown-field" not in {one.code for one in acap.parse_robots(text).problems}, name
