"""The server: what an editor asks and tells, and what it is answered.

Laws:

1. Typing waits for nothing: lint runs in a thread, a moment after the last change, and its findings are told only of
   the text that is open then.
2. A fault of ours is a message in the editor's log, and costs no other answer.
3. A fix is offered as what it is: one that may change what is permitted says so, and is never made with the others.
"""

from __future__ import annotations

import asyncio
import contextlib
from functools import partial
from pathlib import Path
from typing import Final

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

import acap
from acap.lsp.completing import completions
from acap.lsp.defining import definition_of
from acap.lsp.hovering import hover_text
from acap.lsp.opened import OpenDocument
from acap.publish.format import format_robots
from acap.publish.format_sources import format_source
from acap.publish.lint.config import FILES, forget
from acap.publish.lint.finding import Finding, Fix
from acap.publish.lint.fixing import fix

PAUSE: Final = 0.2
"""Seconds without a change after which lint runs."""

_SEVERITIES: Final = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
_FIX_ALL: Final = types.CodeActionKind.SourceFixAll
_FORMATTED: Final = ("tdmrep", "ai-txt", "rsl")


class PolicyServer(LanguageServer):
    """A language server for robots.txt and the other documents in which a site states its policy."""

    def __init__(self) -> None:
        super().__init__("acap", acap.__version__)
        self._known: dict[str, OpenDocument] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._shown_failures: set[str] = set()

    def opened(self, uri: str) -> OpenDocument:
        """The document as it is now."""
        source = self.workspace.get_text_document(uri)
        known = self._known.get(uri)
        if known is None or known.places.text != source.source:
            path = to_fs_path(uri)
            name = (uri if path is None else path).replace("\\", "/").rpartition("/")[2]
            encoding = self.workspace.position_encoding or types.PositionEncodingKind.Utf16
            known = OpenDocument(
                source.source,
                name,
                encoding,
                path=None if path is None else Path(path),
                language=source.language_id or "",
            )
            self._known[uri] = known
        return known

    def closed(self, uri: str) -> None:
        """Forgets a document, and takes back what was told of it."""
        self._known.pop(uri, None)
        if (task := self._tasks.pop(uri, None)) is not None:
            task.cancel()
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def lint_soon(self, uri: str, pause: float = PAUSE) -> None:
        """Lints a document when nothing more was typed."""
        if (task := self._tasks.get(uri)) is not None:
            task.cancel()
        self._tasks[uri] = asyncio.get_running_loop().create_task(self._lint(uri, pause))

    def lint_all(self) -> None:
        """Lints every open document anew, by the configuration of now."""
        forget()
        self._known.clear()
        for uri in list(self._tasks):
            self.lint_soon(uri, 0)

    async def _lint(self, uri: str, pause: float) -> None:
        await asyncio.sleep(pause)
        opened = self.opened(uri)
        diagnostics = await asyncio.to_thread(lambda: [diagnostic(opened, uri, finding) for finding in opened.findings])
        for failure in opened.failures:
            self.say(failure)
        if self._known.get(uri) is opened:
            version = self.workspace.get_text_document(uri).version
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics, version))

    def say(self, failure: str) -> None:
        """Tells once, where people look, what keeps findings back."""
        if failure not in self._shown_failures:
            self._shown_failures.add(failure)
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"acap: {failure}"))


def diagnostic(opened: OpenDocument, uri: str, finding: Finding) -> types.Diagnostic:
    """A finding as editors show it."""
    places = opened.places
    where = places.range(finding.start, finding.end)
    if where.start == where.end:
        where = places.of_line(where.start.line)
    related = [
        types.DiagnosticRelatedInformation(types.Location(uri, places.of_line(max(one.line - 1, 0))), one.message)
        for one in finding.related
    ]
    help_ = f"; {finding.help}" if finding.help else ""
    return types.Diagnostic(
        where,
        f"{finding.message}{help_}",
        _SEVERITIES[finding.severity],
        code=finding.code,
        source="acap",
        related_information=related or None,
        tags=[types.DiagnosticTag.Unnecessary] if finding.code == "idle-statement" else None,
    )


def edits_of(opened: OpenDocument, given: Fix) -> list[types.TextEdit]:
    """A fix as edits of the text."""
    return [
        types.TextEdit(opened.places.range(edit.start, edit.end), edit.octets.decode("utf-8", "replace"))
        for edit in given.edits
    ]


def actions(opened: OpenDocument, uri: str, within: types.Range, only: list[str] | None) -> list[types.CodeAction]:
    """The fixes of the findings in a range, and all safe ones as one."""
    offered: list[types.CodeAction] = []
    if not opened.document.editable and opened.kind != "page":
        return offered
    for finding in opened.findings if _wanted(types.CodeActionKind.QuickFix, only) else ():
        shown = diagnostic(opened, uri, finding)
        if finding.fix is None or not _touch(shown.range, within):
            continue
        safe = "" if finding.fix.safe else " (may change what is permitted)"
        edit = types.WorkspaceEdit(changes={uri: edits_of(opened, finding.fix)})
        offered.append(
            types.CodeAction(
                f"{finding.fix.title}{safe}",
                types.CodeActionKind.QuickFix,
                [shown],
                is_preferred=finding.fix.safe,
                edit=edit,
            )
        )
    is_fixable = any(one.fix is not None and one.fix.safe for one in opened.findings)
    if is_fixable and opened.kind == "robots" and _wanted(_FIX_ALL, only):
        mended = fix(opened.document, opened.codes)
        text = mended.document.octets.decode("utf-8", "replace")
        if text != opened.places.text:
            edit = types.WorkspaceEdit(changes={uri: [types.TextEdit(opened.places.whole(), text)]})
            offered.append(types.CodeAction("fix all that can be fixed without permitting more", _FIX_ALL, edit=edit))
    return offered


def _wanted(kind: str, only: list[str] | None) -> bool:
    return not only or any(kind == one or kind.startswith(f"{one}.") for one in only)


def _touch(own: types.Range, other: types.Range) -> bool:
    return own.start.line <= other.end.line and other.start.line <= own.end.line


def completion_items(opened: OpenDocument, position: types.Position, word: types.Range) -> list[types.CompletionItem]:
    """What may stand at a position; each takes the place of the word that was begun there."""
    items = []
    for number, completion in enumerate(
        sorted(completions(opened, opened.places.before(position)), key=lambda one: one.rank)
    ):
        items.append(
            types.CompletionItem(
                completion.text.rstrip(": "),
                kind=completion.kind,
                detail=completion.about or None,
                sort_text=f"{number:04}",
                filter_text=completion.text,
                text_edit=types.TextEdit(word, completion.text),
            )
        )
    return items


def word_at(opened: OpenDocument, position: types.Position) -> types.Range:
    """From the begin of the word in which a position is, up to the position."""
    before = opened.places.before(position)
    begin = max(before.rfind(sign) for sign in " \t:,") + 1
    if (name := before.rfind("the-acap")) >= 0 and " " not in before[name:]:
        begin = name  # the names of sets have colons
    end = opened.places.octet(position)
    return types.Range(opened.places.position(end - len(before[begin:].encode("utf-8", "replace"))), position)


def layout(opened: OpenDocument) -> list[types.TextEdit]:
    """The layout of `acap format`, as an edit of the whole text. Raises ValueError where it has none."""
    if opened.kind == "robots":
        octets = format_robots(opened.places.octets)
    elif opened.kind in _FORMATTED:
        octets = format_source(opened.places.octets, opened.kind)
    else:
        return []
    text = octets.decode("utf-8", "replace")
    return [] if text == opened.places.text else [types.TextEdit(opened.places.whole(), text)]


def policy_server() -> PolicyServer:
    """The server with all that it answers."""
    server = PolicyServer()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def did_open(given: types.DidOpenTextDocumentParams) -> None:
        server.lint_soon(given.text_document.uri, 0)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def did_change(given: types.DidChangeTextDocumentParams) -> None:
        server.lint_soon(given.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def did_save(given: types.DidSaveTextDocumentParams) -> None:
        if given.text_document.uri.rpartition("/")[2] in FILES:
            server.lint_all()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def did_change_files(_given: types.DidChangeWatchedFilesParams) -> None:
        server.lint_all()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def did_close(given: types.DidCloseTextDocumentParams) -> None:
        server.closed(given.text_document.uri)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, _FIX_ALL]),
    )
    async def code_action(given: types.CodeActionParams) -> list[types.CodeAction]:
        opened, only = server.opened(given.text_document.uri), given.context.only
        asked = partial(actions, opened, given.text_document.uri, given.range, list(only) if only else None)
        return await asyncio.to_thread(asked)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(given: types.HoverParams) -> types.Hover | None:
        opened = server.opened(given.text_document.uri)
        text = await asyncio.to_thread(hover_text, opened, given.position.line)
        if not text:
            return None
        content = types.MarkupContent(types.MarkupKind.Markdown, text)
        return types.Hover(content, opened.places.of_line(given.position.line))

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["-", ":", " ", "="]))
    async def completion(given: types.CompletionParams) -> list[types.CompletionItem]:
        opened = server.opened(given.text_document.uri)
        return completion_items(opened, given.position, word_at(opened, given.position))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(given: types.DefinitionParams) -> types.Location | None:
        opened = server.opened(given.text_document.uri)
        found = definition_of(opened, opened.places.octet(given.position))
        return None if found is None else types.Location(given.text_document.uri, opened.places.range(*found))

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    async def formatting(given: types.DocumentFormattingParams) -> list[types.TextEdit]:
        opened = server.opened(given.text_document.uri)
        try:
            return await asyncio.to_thread(layout, opened)
        except ValueError as error:
            server.say(f"{opened.name} is not laid out: {error}")
            return []

    return server


def serve() -> None:
    """Answers on standard input and output until the editor is gone."""
    with contextlib.suppress(BrokenPipeError):
        policy_server().start_io()
