"""The workshop's application: a page for each view, and the actions of its buttons.

A view shows the whole workspace of its request; an action changes the workspace and shows the view that it was asked
from. A browser with a script gets the part of the page that changes, any other the page.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from acap.publish.lint.catalogue import rules
from acap.publish.lint.rule import legible
from acap.web.guard import Guard
from acap.web.loopback import LOOPBACK
from acap.web.pages import page
from acap.web.workshop.actions import ACTIONS, LEADS_TO
from acap.web.workshop.forms import FormError, TooLargeError, form_of
from acap.web.workshop.heavy import BusyError, Heavy, is_heavy
from acap.web.workshop.keeping_cases import NAME as CASES_NAME
from acap.web.workshop.marking import line_sentences_json, marks
from acap.web.workshop.recognising import FILES
from acap.web.workshop.same_origin import SameOrigin, page_policy
from acap.web.workshop.views import VIEWS, View, kind_fields
from acap.web.workshop.workspace import Notice, Workspace

STATIC = Path(__file__).parent.parent / "static"

T = TypeVar("T")
Handler = Callable[["Request"], Any]


def workshop_app(*, allow_private: bool = False, hosts: frozenset[str] = LOOPBACK) -> Starlette:
    """The workshop alone, at the root of a server.

    Args:
        allow_private: whether it fetches from private networks.
        hosts: the host names that are answered to.
    """
    return Starlette(
        routes=[
            Route("/robots.txt", _robots),
            Mount("/static", StaticFiles(directory=STATIC)),
            workshop_mount("", allow_private=allow_private, search=False),
        ],
        middleware=[Middleware(Guard, hosts=hosts)],
    )


def workshop_mount(path: str, *, allow_private: bool, search: bool) -> Mount:
    """The workshop at a path of another application; `search`: that has a search and an operator's page to go to."""
    app = Starlette(
        routes=[
            *(Route(_path(view), _shown(view), methods=["GET", "POST"]) for view in VIEWS.values()),
            Route("/do/{action}", _done, methods=["POST"]),
            Route("/marks", _marking(marks), methods=["POST"]),
            Route("/line", _marking(line_sentences_json), methods=["POST"]),
            Route("/rules/{code}", _rule),
            Route("/download", _download, methods=["POST"]),
            Route("/download/cases", _download_cases, methods=["POST"]),
        ],
        middleware=[Middleware(SameOrigin)],
        exception_handlers={
            404: _not_found,
            405: _not_found,
            500: _failed,
            TooLargeError: _too_large,
            FormError: _no_form,
            BusyError: _busy,
        },
    )
    app.state.allow_private = allow_private
    app.state.search = search
    app.state.heavy = Heavy()
    app.state.marking = Heavy(1)
    return Mount(path, app)


def _path(view: View) -> str:
    return "/" if view.name == "policy" else f"/{view.name}"


def _shown(view: View) -> Handler:
    """A view of the workspace that was sent, or of an empty one."""

    async def show(request: Request) -> Response:
        workspace = Workspace.of(await form_of(request)) if request.method == "POST" else Workspace()
        if request.headers.get("hx-target") == "result":
            workspace = replace(workspace, typing=workspace.form["patient"] != "on")
        return await _worked(request, workspace, lambda: _page(request, view, workspace))

    return show


def _marking(tell: Callable[[Workspace], dict[str, Any]]) -> Handler:
    """What the editor asks for while somebody is typing. It has a place of its own, and waits for no view."""

    async def answer(request: Request) -> Response:
        form = await form_of(request)
        workspace = replace(Workspace.of(form), typing=form["patient"] != "on")

        def work() -> dict[str, Any]:
            return tell(workspace.checked())

        if is_heavy(workspace):
            return JSONResponse(await request.app.state.marking.run(work, request.is_disconnected))
        return JSONResponse(await run_in_threadpool(work))

    return answer


_FIXES = {
    "safe": "one press makes it; that permits nothing more",
    "unsafe": "one press makes it; that may change what is permitted",
    None: "by hand",
}


async def _rule(request: Request) -> Response:
    """What a rule of lint finds, why that matters, and what to write instead."""
    rule = rules().get(request.path_params["code"])
    if rule is None:
        return _not_found(request)
    examples = [(legible(example.bad), legible(example.good)) for example in rule.examples]
    return page(
        "workshop/rule.html", rule=rule, examples=examples, fix=_FIXES[rule.fix], search=request.app.state.search,
        query="", here="workshop",
    )  # fmt: skip


async def _done(request: Request) -> Response:
    """The workspace after an action, in the view that it was asked from or that it leads to."""
    action = ACTIONS.get(request.path_params["action"])
    if action is None:
        return _not_found(request)
    form = await form_of(request)
    workspace = Workspace.of(form).dated()
    allow_private = request.app.state.allow_private
    after = await _worked(request, workspace, lambda: action(workspace, allow_private=allow_private))
    if request.path_params["action"] != "undo":
        after = after.offering_undo(workspace.text)
    view = VIEWS.get(LEADS_TO.get(request.path_params["action"], form["view"]), VIEWS["policy"])
    return await _worked(request, after, lambda: _page(request, view, after, everything=True))


async def _worked(request: Request, workspace: Workspace, work: Callable[[], T]) -> T:
    """The result of work on a workspace, out of the way of other requests. Raises BusyError where it takes too long."""
    if is_heavy(workspace):
        heavy: Heavy = request.app.state.heavy
        return await heavy.run(work, request.is_disconnected)
    return await run_in_threadpool(work)


async def _download(request: Request) -> Response:
    """The text as a file, with the octets that it stands for."""
    workspace = Workspace.of(await form_of(request))
    name = FILES[await _worked(request, workspace, lambda: workspace.kind)]
    return Response(
        workspace.octets,
        media_type="text/plain; charset=utf-8" if workspace.encoding == "utf-8" else "text/plain; charset=iso-8859-1",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


async def _download_cases(request: Request) -> Response:
    """The cases as a file for `acap test`."""
    workspace = Workspace.of(await form_of(request))
    return Response(
        workspace.cases.encode("utf-8", "replace"),
        media_type="application/toml",
        headers={"content-disposition": f'attachment; filename="{CASES_NAME}"'},
    )


def _page(request: Request, view: View, workspace: Workspace, *, everything: bool = False) -> Response:
    """A view as a page, or as the part of a page that a script puts in its place.

    `everything`: the form has changed and not only what is shown of it.
    """
    checked = workspace.checked()
    values = view.values(checked) if view.takes(checked.kind) else {}
    checked = values.pop("workspace", checked)
    part = request.headers.get("hx-request") == "true"
    nonce = secrets.token_urlsafe(16)
    headers = {"content-security-policy": page_policy(nonce)}
    if part:
        headers = {}
        if not everything and checked.typing and workspace.form["shown_kind"] != checked.kind:
            # A text of another kind has another view, and not only another result in it.
            headers |= {"hx-retarget": "#view", "hx-reswap": "outerHTML", "hx-reselect": "#view"}
        url = _url(request, view)
        if _path_of(request.headers.get("hx-current-url", "")) != url:
            headers["hx-push-url"] = url
    return page(
        "workshop/part.html" if part else "workshop/page.html",
        headers=headers,
        nonce=nonce,
        everything=everything,
        space=checked,
        view=view,
        views=tuple(VIEWS.values()),
        root=request.scope.get("root_path", ""),
        search=request.app.state.search,
        query="",
        here="workshop",
        **kind_fields(checked),
        **values,
    )


def _path_of(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:
        return ""


def _url(request: Request, view: View) -> str:
    return f"{request.scope.get('root_path', '')}{_path(view)}"


def _notice(
    request: Request, status: int, title: str, text: str, headers: Mapping[str, str] = MappingProxyType({})
) -> Response:
    """One sentence instead of a page; a script puts it above what is there, which stays as it is."""
    if request.headers.get("hx-request") == "true":
        given = {"hx-retarget": "#notes", "hx-reswap": "outerHTML", **headers}
        return page("workshop/notes.html", headers=given, notes=[Notice("error", text)], oob=False)
    return page("notice.html", status, headers=headers, title=title, text=text, query="", here="")


def _too_large(request: Request, error: Exception) -> Response:
    return _notice(request, 413, "Too large", f"{error}")


def _busy(request: Request, error: Exception) -> Response:
    retry = error.retry if isinstance(error, BusyError) else 1
    return _notice(request, 503, "Not now", f"{error}", {"retry-after": f"{retry}"})


def _no_form(request: Request, error: Exception) -> Response:
    return _notice(request, 400, "Not understood", f"the request cannot be read: {error}")


def _failed(request: Request, error: Exception) -> Response:
    what = f"internal error in acap ({type(error).__name__}); please report it with the text that causes it"
    return _notice(request, 500, "Internal error", what)


def _not_found(request: Request, _: Exception | None = None) -> Response:
    return _notice(request, 404, "Nothing here", "There is no such page.")


def _robots(_: Request) -> Response:
    return PlainTextResponse("User-agent: *\nDisallow: /\n")
