"""The search application, with the workshop beside it: routes, what they share, and the sweep that runs beside them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.convertors import Convertor, register_url_convertor
from starlette.middleware import Middleware
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from acap.harvest.store import Store, StoreBusyError, StoreError
from acap.harvest.sweep import sweep
from acap.harvest.thumbnails import Thumbnails
from acap.web import copies, operator, search
from acap.web.guard import Guard
from acap.web.loopback import LOOPBACK
from acap.web.serving import Serving, Sweeping, not_found, presented, unavailable
from acap.web.workshop.app import STATIC, workshop_mount


class _Number(Convertor[int]):
    """A number in a path: what no database can hold leads nowhere."""

    regex = "[0-9]{1,18}"

    def convert(self, value: str) -> int:
        """The number."""
        return int(value)

    def to_string(self, value: int) -> str:
        """Its digits."""
        return str(value)


register_url_convertor("number", _Number())


def search_app(
    store: Store,
    *,
    thumbnails: Thumbnails | None = None,
    unable: str = "",
    translate_url: str | None = None,
    sweep_every: float = 0.0,
    hosts: frozenset[str] = LOOPBACK,
    allow_private: bool = False,
) -> Starlette:
    """The application over a store, by the store's clock. Store and thumbnails stay the caller's to close.

    Args:
        store: what is searched.
        thumbnails: renders pictures; without it there are none, and `unable` says why.
        unable: why there are no thumbnails.
        translate_url: leads to a translation; `{url}` in it stands for the URL of the original. Without it none is
            offered.
        sweep_every: seconds from one sweep to the next; 0: none is made here.
        hosts: the host names that are answered to.
        allow_private: whether the workshop fetches from private networks.
    """
    serving = Serving(store, thumbnails, unable, translate_url, Sweeping(sweep_every))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        task = asyncio.create_task(_sweeping(serving)) if sweep_every else None
        try:
            yield
        finally:
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    app = Starlette(
        routes=[
            Route("/", presented("results", search.search)),
            Route("/items/{version:number}", presented("item", search.item)),
            Route("/why/{version:number}/{usage}", presented("reason", search.why)),
            Route("/copies/{version:number}", presented("copy", copies.framed)),
            Route("/copies/{version:number}/content", presented("copy", copies.content)),
            Route("/thumbnails/{version:number}", presented("thumbnail", copies.small)),
            Route("/included/{version:number}/{usage}/{image:number}", presented("included", copies.included_image)),
            Route("/original/{version:number}", presented("original", copies.live)),
            Route("/operator", operator.operator),
            Route("/operator/verify", operator.verify, methods=["POST"]),
            Route("/robots.txt", search.robots),
            Mount("/static", StaticFiles(directory=STATIC)),
            workshop_mount("/workshop", allow_private=allow_private, search=True),
        ],
        middleware=[Middleware(Guard, hosts=hosts)],
        exception_handlers={404: not_found, 405: not_found, StoreError: unavailable},
        lifespan=lifespan,
    )
    app.state.serving = serving
    return app


_SWEEP_SECONDS, _PAUSE = 5.0, 1.0
"""How long a sweep keeps the turn to write, and how long others get it before the sweep goes on."""


async def _sweeping(serving: Serving) -> None:
    """A sweep now and then, unless another program is writing: then it waits for its next time.

    One that is not done in its time lets others write before it goes on.
    """
    while True:
        is_cut = await run_in_threadpool(sweep_once, serving, _SWEEP_SECONDS)
        await asyncio.sleep(min(_PAUSE, serving.sweeping.every) if is_cut else serving.sweeping.every)


def sweep_once(serving: Serving, seconds: float | None = None) -> bool:
    """One sweep, and what came of it; whether it has to go on."""
    state = serving.sweeping
    try:
        with serving.store.writing(seconds):
            swept = sweep(serving.store, seconds=seconds)
    except StoreBusyError:
        state.fault = "another program is writing; it sweeps too, or the next sweep will"
    except StoreError as error:
        state.fault = str(error)
    else:
        state.at, state.fault = serving.store.clock.now(), ""
        state.reviewed += swept.reviewed
        state.removed += sum(1 for act in swept.acts if act.act == "removed")
        return swept.is_cut
    return False
