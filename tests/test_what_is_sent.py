"""What a client sends is what was asked about, whatever it adds by itself."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest
import requests

import acap
from acap.integrations.httpx import AskingTransport
from acap.integrations.requests import AskingAdapter, RefusedError, asking_session
from tests.loopback import Loopback, reply

POLICY = b"User-agent: *\nDisallow: /private\n"


def with_parameters(library: str) -> Any:
    """A client that adds a parameter to each URL."""
    if library == "httpx2":
        return httpx2.Client(params={"key": "z"})
    session = requests.Session()
    session.params = {"key": "z"}
    return session


@pytest.mark.parametrize("library", ["requests", "httpx2"])
def test_parameters_of_a_client_do_not_change_which_policy_is_asked_for(library: str) -> None:
    """Another document might be absent, and permit everything; and a key is nobody else's."""
    with Loopback(says={"/robots.txt": reply(200, POLICY)}) as site, with_parameters(library) as client:
        policy = acap.Retriever(client=client, crawler="examplebot", allow_private=True).robots(site.url("/"))
        assert (policy.state, policy.allows(site.url("/private"), "examplebot")) == ("present", False)
        assert site.targets == ["/robots.txt"]


def test_a_path_that_may_be_sent_with_fewer_slashes_is_asked_about_both_ways() -> None:
    """Some versions of requests send `/private` for `//private`."""
    with Loopback(says={"/robots.txt": reply(200, POLICY)}) as site:
        with asking_session("examplebot", allow_private=True) as session, pytest.raises(RefusedError):
            session.get(site.url("//private"))
        assert site.targets == ["/robots.txt"]


@pytest.mark.parametrize("asking", [AskingAdapter, AskingTransport])
def test_a_name_that_would_be_cut_is_refused_with_a_retriever_too(asking: Any) -> None:
    """The retriever has a name of its own, which says nothing of the name that is asked by."""
    with (
        acap.Retriever(crawler="examplebot") as retriever,
        pytest.raises(ValueError, match="not the name of a crawler"),
    ):
        asking("GPT Bot", retriever=retriever)
