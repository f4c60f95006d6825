"""How a person writes the names of one crawler is read alike wherever it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from acap.cli.io.asking import asker
from acap.cli.io.failures import CallError
from acap.crawler_list import crawler_names
from acap.publish.cases import CaseFile, CasesError
from acap.publish.cases.file import parse_cases
from acap.web.workshop.forms import Form
from acap.web.workshop.keeping_cases import added
from acap.web.workshop.workspace import Workspace


def parsed(text: str) -> CaseFile:
    return parse_cases(text.encode(), Path("cases.toml"), name="cases.toml")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Googlebot-News", ("Googlebot-News", "Googlebot")),
        (" Googlebot-News , ", ("Googlebot-News", "Googlebot")),
        ("Googlebot-News, otherbot", ("Googlebot-News", "otherbot")),
        ("Mozilla/5.0 (KHTML, like Gecko; a, b)", ("Mozilla/5.0 (KHTML, like Gecko; a, b)",)),
        (" , ", ()),
    ],
)
def test_every_door_takes_the_names_of_one_crawler_alike(text: str, names: tuple[str, ...]) -> None:
    """On the command line, in a file of cases and in the workshop, which asks for Googlebot where none is named."""
    assert crawler_names(text) == names
    assert Workspace(crawler=text).asker == (names or ("Googlebot",))
    cases = f'robots = "r"\n[[case]]\npath = "/"\ncrawler = "{text}"\nexpect = "permitted"\n'
    if names:
        assert asker(text).each_name == names
        assert parsed(cases).cases[0].crawlers == (text.strip(),)
    else:
        for refused in (lambda: asker(text), lambda: parsed(cases)):
            with pytest.raises((CallError, CasesError)):
                refused()


def test_a_case_of_the_workshop_is_about_a_user_agent_string_as_a_whole() -> None:
    fields = {"t_where": "/", "t_crawler": "Mozilla/5.0 (KHTML, like Gecko)", "t_expect": "permitted"}
    assert 'crawler = "Mozilla/5.0 (KHTML, like Gecko)"' in added(Workspace(form=Form(fields))).cases
