"""Questions on a terminal, with arrow keys; `<` goes back, and Ctrl-C ends it all."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import questionary
from rich.table import Table
from rich.text import Text

from acap.cli.io.terminal import Terminal
from acap.explain import STYLES, Role, visible
from acap.publish.compose import Row
from acap.publish.compose.sentences import restriction
from acap.publish.compose.talk import BackError, Choice

_BACK = "<"
_GO_BACK = "go back"
_MODALS = {"permitted": "may", "conditional": "with a licence", "prohibited": "must not"}


class TerminalPrompter:
    """An `Prompter` of the terminal at hand; Ctrl-C raises KeyboardInterrupt."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    def choose(self, question: str, choices: Sequence[Choice], default: str | None = None) -> str:
        """As `Prompter`."""
        listed = [*self._listed(choices), questionary.Choice(_GO_BACK, _BACK)]
        choice = questionary.select(visible(question), choices=listed, default=default).unsafe_ask()
        if choice == _BACK:
            raise BackError
        return str(choice)

    def choose_many(self, question: str, choices: Sequence[Choice], chosen: Sequence[str] = ()) -> tuple[str, ...]:
        """As `Prompter`."""
        listed = [*self._listed(choices, chosen), questionary.Choice(_GO_BACK, _BACK)]
        picked = questionary.checkbox(
            visible(question), choices=listed, instruction="(space marks, enter goes on)"
        ).unsafe_ask()
        if _BACK in picked:
            raise BackError
        return tuple(map(str, picked))

    def write(self, question: str, default: str, check: Callable[[str], str | None]) -> str:
        """As `Prompter`."""

        def validate(text: str) -> bool | str:
            return True if text.strip() == _BACK else visible(check(text) or "") or True

        message = f"{visible(question)} ({_BACK} goes back):"
        answer = str(questionary.text(message, default=default, validate=validate).unsafe_ask())
        if answer.strip() == _BACK:
            raise BackError
        return answer

    def tell(self, lines: Sequence[str]) -> None:
        """As `Prompter`."""
        for line in lines:
            self._terminal.line(visible(line))

    def show(self, title: str, rows: Sequence[Row]) -> None:
        """As `Prompter`: a row for each page and crawler, a column for each usage."""
        usages = list(dict.fromkeys(row.usage for row in rows))
        lines: dict[tuple[str, str], dict[str, Row]] = {}
        for row in rows:
            who = "any other crawler" if row.crawler == "*" else row.crawler
            lines.setdefault((row.url, who if row.purpose is None else f"{who}, {row.purpose}"), {})[row.usage] = row
        if not self._terminal.rich:
            self._terminal.line(visible(title))
            for (url, who), row_of in lines.items():
                cells = ", ".join(f"{usage}: {_words(row_of[usage])}" for usage in usages)
                self._terminal.line(visible(f"  {url} {who}: {cells}"))
            return
        table = Table(title=Text(visible(title), "bold"), title_justify="left", box=None, padding=(0, 1))
        for heading in ("page", "crawler", *usages):
            table.add_column(heading, overflow="fold")
        for (url, who), row_of in lines.items():
            colored = [Text(_words(row_of[usage]), STYLES[Role(row_of[usage].outcome)]) for usage in usages]
            table.add_row(Text(visible(url)), Text(visible(who)), *colored)
        self._terminal.show(table)

    @staticmethod
    def _listed(choices: Sequence[Choice], chosen: Sequence[str] = ()) -> list[questionary.Choice]:
        return [
            questionary.Choice(visible(choice.label), choice.value, checked=choice.value in chosen)
            for choice in choices
        ]


def _words(row: Row) -> str:
    """`may, for 7 days`."""
    pairs = (one.partition("=") for one in row.restrictions)
    return visible(", ".join([_MODALS[row.outcome], *(restriction(name, value) for name, _, value in pairs)]))
