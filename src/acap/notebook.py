"""What notebooks show of decisions, policies and surveys: HTML, which follows the theme of the notebook.

The laws of this module:

1. Whatever comes from files and pages is escaped, and its control characters are shown (`visible`).
2. Nothing is decided or read; of long values the beginning is shown, with how much there is.
3. Colours are translucent, and the text is that of the page: both themes can be read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice
from typing import Any

from acap.decision import Decision, Decisions
from acap.explain import Node, Role, tree
from acap.lines import Lines
from acap.problems.visible import visible

ROWS = 20
"""Rows of a batch that are shown."""

LINES = 40
"""Lines of a policy that are shown."""

_WIDTH = 400
"""Characters of a value that are shown."""

_BADGES = {Role.PERMITTED: "46,160,67", Role.CONDITIONAL: "210,153,34", Role.PROHIBITED: "218,54,51"}
_CELL = "text-align:left;padding:.15em .8em .15em 0;vertical-align:top"
_FAINT = "opacity:.65"


def decision_html(decision: Decision) -> str:
    """A decision: its outcome, and why, as a list of lists."""
    return f'<div class="acap-decision">{_node(tree(decision))}</div>'


def decisions_html(decisions: Decisions) -> str:
    """A batch: how many rows have which outcome, and the first of them."""
    outcomes = Counter(decisions.outcomes)
    parts = [f"{_number(len(decisions))} decisions"]
    parts += [f"{_number(outcomes[rank])} {badge(role)}" for rank, role in enumerate(_BADGES) if outcomes[rank]]
    rows = (
        [_text(url), escape(usage), badge(Role(outcome)), escape(kind), str(line) if line else ""]
        for url, usage, outcome, kind, line in (decisions[place] for place in range(min(ROWS, len(decisions))))
    )
    return table(("url", "usage", "outcome", "kind", "line"), rows, " · ".join(parts), len(decisions))


def policy_html(url: str | None, state: str, lines: Lines, problems: int) -> str:
    """A policy: whose it is, and its first lines with their numbers."""
    # Behind the last line end there is a line without octets.
    whole = len(lines) - (len(lines) > 0 and not lines[-1].octets)
    parts = [f"<b>{_text(url or 'robots.txt')}</b>", escape(state), f"{_number(whole)} lines"]
    if problems:
        parts.append(f"{_number(problems)} problems")
    shown = (
        (one.number, one.octets.decode("utf-8", "replace").rstrip("\r\n")) for one in islice(lines, min(LINES, whole))
    )
    rows = ([str(number), f"<code>{_text(line)}</code>"] for number, line in shown)
    return table((), rows, " · ".join(parts), whole)


def shares_html(name: str, usage: str, shares: Sequence[tuple[str, float, float]]) -> str:
    """Of each name which share of captures refuses all of the site, and some of it; as bars."""
    rows = ([_text(one), _bar(refused, some), _percent(refused), _percent(some)] for one, refused, some in shares)
    caption = f"share of captures that refuse <b>{escape(usage)}</b>"
    return table((name, "", "all", "some"), islice(rows, ROWS), caption, len(shares))


def badge(role: Role) -> str:
    """An outcome, on its colour."""
    colour = _BADGES[role]
    return (
        f'<span style="background:rgba({colour},.22);border:1px solid rgba({colour},.6);border-radius:.4em;'
        f'padding:0 .4em;white-space:nowrap">{escape(role)}</span>'
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str, whole: int) -> str:
    """A table of cells that are HTML already; `whole` is how many rows there are."""
    shown = ["".join(f'<td style="{_CELL}">{cell}</td>' for cell in row) for row in rows]
    heads = "".join(f'<th scope="col" style="{_CELL}">{escape(name)}</th>' for name in head)
    body = "".join(f"<tr>{row}</tr>" for row in shown)
    more = f'<div style="{_FAINT}">and {_number(whole - len(shown))} more</div>' if whole > len(shown) else ""
    top = f"<thead><tr>{heads}</tr></thead>" if head else ""
    return f'<div class="acap-table"><div>{caption}</div><table>{top}<tbody>{body}</tbody></table>{more}</div>'


def _node(node: Node) -> str:
    text = _text(node.text)
    if node.role in _BADGES:
        text = f"{badge(node.role)} {_text(node.text.removeprefix(f'{node.role}: '))}"
    elif node.role is Role.STATEMENT:
        text = f"<code>{text}</code>"
    elif node.role in (Role.WHY, Role.NOTE):
        text = f'<span style="{_FAINT}">{text}</span>'
    quoted = "".join(f"<br><code>{_text(line)}</code>" for line in node.quoted)
    inner = "".join(f"<li>{_node(child)}</li>" for child in node.children[:ROWS])
    if len(node.children) > ROWS:
        inner += f"<li>and {_number(len(node.children) - ROWS)} more</li>"
    return text + quoted + (f'<ul style="margin:.2em 0">{inner}</ul>' if inner else "")


def _bar(refused: float, some: float) -> str:
    parts = "".join(
        f'<span style="display:inline-block;height:.8em;width:{share * 12:.2f}em;background:rgba({colour})"></span>'
        for share, colour in ((refused, "218,54,51,.75"), (some, "210,153,34,.55"))
    )
    return f'<span aria-hidden="true" style="display:inline-block;width:12em">{parts}</span>'


def _text(text: str) -> str:
    shown = text if len(text) <= _WIDTH else f"{text[:_WIDTH]}… ({_number(len(text))} characters)"
    return escape(visible(shown))


def _percent(share: float) -> str:
    return f"{share * 100:.1f}%"


def _number(number: int) -> str:
    return f"{number:,}"


def html_of(value: Any) -> str:
    """The HTML of a decision or a batch. Called back by the native core."""
    return decisions_html(value) if hasattr(value, "outcomes") else decision_html(value)
