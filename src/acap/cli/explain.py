"""`acap explain`: why a crawler may or may not, as a tree: source, line, and why the line beat the others."""

from __future__ import annotations

import json
from collections.abc import Hashable

import click

from acap.cli.io.answers import UrlAnswer, answers
from acap.cli.io.asking import QuestionOptions, question_options
from acap.cli.io.command import Command
from acap.cli.io.exits import Exit, Tally
from acap.cli.io.options import JSON, PAGE, READING, SourceOptions, source_options
from acap.cli.io.terminal import Terminal, pass_terminal, terminal_options
from acap.decision import Decision
from acap.explain import tree
from acap.schema import decision_to_json


@click.command(cls=Command)
@click.argument("urls", nargs=-1, metavar="URL...|-")
@question_options
@PAGE
@source_options
@READING
@JSON
@terminal_options
@pass_terminal
def explain(
    terminal: Terminal, urls: tuple[str, ...], question: QuestionOptions, source: SourceOptions, as_json: bool
) -> Exit:
    """Why may this crawler use these URLs, or why not?

    Shows the statements that decide, with their place in the file, those that lost and by which rule, restrictions, and
    what is prohibited nevertheless. Without --usage it explains every usage, those with the same reason together, and
    crawl alone counts for the exit code.

    \b
    # ask the site
    acap explain --crawler Googlebot https://example.com/news/
    # by a file
    acap explain --robots robots.txt --crawler GPTBot --usage present-snippet https://example.com/
    # by what a page says of itself
    acap explain --page page.html --crawler GPTBot --usage index https://example.com/a.html
    # by a header of the response
    acap explain --header 'X-Robots-Tag: noai' --crawler GPTBot https://example.com/a.jpg
    """
    tally = Tally()
    printed = False
    for answer in answers(urls, question, source, terminal, tally):
        if terminal.quiet:
            continue
        if as_json:
            for decision in answer.decisions:
                terminal.line(json.dumps(decision_to_json(decision)))
            continue
        for group in _alike(answer):
            if printed:
                terminal.line("")
            printed = True
            terminal.tree(tree(group[0], [str(decision.usage) for decision in group], answer.names))
    return tally.code


def _alike(answer: UrlAnswer) -> list[list[Decision]]:
    """The decisions with the same outcome, restrictions and reason together, in the order of the first of each."""
    groups: dict[Hashable, list[Decision]] = {}
    for decision in answer.decisions:
        groups.setdefault((decision.outcome, decision.restrictions, decision.reason), []).append(decision)
    return list(groups.values())
