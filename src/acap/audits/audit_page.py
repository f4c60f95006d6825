"""An audit as one page of HTML: the answers to each usage as bars, with what gave them. It loads and runs nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from types import MappingProxyType

from acap.audits.html_page import html_page
from acap.audits.rows import ERRORS, NO_POLICY
from acap.audits.summary import AuditSummary
from acap.decision import Outcome
from acap.explain import visible
from acap.plurals import plural

_STYLE = """
:root { color-scheme: light dark; --back: #fff; --text: #1d2429; --soft: #5b666e; --rule: #d9dfe3;
  --permitted: #2f7d5b; --conditional: #b07d12; --prohibited: #a4361f; --plain: #4c7899; }
@media (prefers-color-scheme: dark) { :root { --back: #14181b; --text: #e4e9ec; --soft: #9aa7b0; --rule: #333c43;
  --permitted: #5fbf93; --conditional: #d9a441; --prohibited: #e0684d; --plain: #7fb0d6; } }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 4rem; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; } h2 { margin-top: 2.5rem; font-size: 1.2rem; } h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
.soft { color: var(--soft); } .time { white-space: nowrap; } .scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; }
th, td { padding: .2rem .7rem .2rem 0; text-align: right; border-bottom: 1px solid var(--rule); font-weight: normal; }
th, td { white-space: nowrap; } th:first-child { text-align: left; }
td.bar { width: 60%; min-width: 6rem; text-align: left; }
svg { display: block; width: 100%; height: 1rem; } .permitted { fill: var(--permitted); }
.conditional { fill: var(--conditional); } .prohibited { fill: var(--prohibited); } .plain { fill: var(--plain); }
"""

_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "Reasons": "Why an answer is what it is: a statement, that nobody said anything (silence), no file (absent) …",
        "Dialects that decided": "The vocabulary of the statement that decided; page is the response itself, such as "
        "one with the status 404, which nobody may use.",
        "Carriers that decided": "Where that statement stood: in robots.txt, in a header, in the page, which is here "
        "whatever came in answer to its URL …",
    }
)
"""What tables are about, by their titles."""


def audit_page(summary: AuditSummary, asked: Mapping[str, str], *, is_partial: bool = False) -> str:
    """The page of a summary; `asked` are the words of the question with their values."""
    body = "\n".join(_body(summary, asked, is_partial=is_partial))
    return html_page("Audit of a crawl", _STYLE, body)


def _body(summary: AuditSummary, asked: Mapping[str, str], *, is_partial: bool) -> Iterator[str]:
    yield f"<h1>{plural(summary.rows, 'page')}</h1>"
    if is_partial:
        yield "<p><strong>This audit was stopped: it covers a part of its input.</strong></p>"
    question = (f"{escape(name)}: {_unbroken(escape(visible(value)))}" for name, value in asked.items())
    yield f'<p class="soft">{" · ".join(question)}</p>'
    rows = [(usage, summary.outcomes(usage)) for usage in summary.usages()]
    yield _table("What each usage comes to", (_outcomes_row(usage, counts) for usage, counts in rows))
    explained: set[str] = set()
    for usage in summary.usages():
        hanging = summary.hanging(usage)
        yield f"<h2>{escape(usage)}</h2>"
        yield (
            f"<p>{_share(hanging['silence'], summary.rows)} of the answers hang on what silence means "
            f"(silence and absent), {_share(hanging['missing'], summary.rows)} on what is decided "
            "where no policy is known.</p>"
        )
        for below, count in summary.excepted(usage).items():
            yield f"<p>Permitted, but for {escape(below)}, which is below it: {count:,} of them.</p>"
        for title, counts in (
            ("Reasons", summary.reasons(usage)),
            ("Dialects that decided", summary.dialects(usage)),
            ("Carriers that decided", summary.carriers(usage)),
        ):
            if counts:
                yield _counts(title, counts, summary.rows, words="" if title in explained else _WORDS[title])
                explained.add(title)
    yield "<h2>The rest</h2>"
    ages = {name: summary.ages[name] for name in summary.age_names() if summary.ages[name]}
    if ages:
        yield _counts("Days from the policy to the page", ages, summary.rows)
    for title, of in (
        ("Pages without a policy", {NO_POLICY}),
        ("Rows with an error", ERRORS.keys() - {NO_POLICY}),
    ):
        if counts := {f"{name}: {ERRORS[name]}": count for name, count in summary.errors.most_common() if name in of}:
            yield _counts(title, counts, summary.rows)
    if summary.hints:
        yield f"<h3>What was not known</h3><ul>{''.join(f'<li>{escape(hint)}</li>' for hint in summary.hints)}</ul>"
    if summary.unread:
        yield f"<h3>{plural(summary.unread, 'record')} could not be read</h3><ul>"
        yield from (f"<li>{escape(visible(problem))}</li>" for problem in summary.problems)
        yield "</ul>"


def _table(title: str, rows: Iterable[str], words: str = "") -> str:
    note = f'<p class="soft">{escape(words)}</p>' if words else ""
    return f'<h3>{title}</h3>{note}<div class="scroll"><table>{"".join(rows)}</table></div>'


def _counts(title: str, counts: Mapping[str, int], total: int, *, words: str = "") -> str:
    return _table(title, (_count_row(name, count, total) for name, count in counts.items()), words)


def _unbroken(markup: str) -> str:
    """Markup in which no line ends within a time."""
    return re.sub(r"\d{4}-\d\d-\d\dT\S+", r'<span class="time">\g<0></span>', markup)


def _count_row(name: str, count: int, total: int) -> str:
    drawn = _bar(0, count, total, "plain")
    bar = f'<svg viewBox="0 0 100 1" preserveAspectRatio="none" role="presentation">{drawn}</svg>'
    return (
        f'<tr><th>{escape(name)}</th><td>{count:,}</td><td>{_share(count, total)}</td><td class="bar">{bar}</td></tr>'
    )


def _outcomes_row(usage: str, counts: Mapping[str, int]) -> str:
    total, begin, bars = sum(counts.values()), 0, ""
    for outcome in Outcome:
        bars += _bar(begin, counts[outcome], total, str(outcome))
        begin += counts[outcome]
    words = ", ".join(f"{counts[outcome]:,} {outcome}" for outcome in Outcome if counts[outcome])
    picture = f'<svg viewBox="0 0 100 1" preserveAspectRatio="none" role="img" aria-label="{words}">{bars}</svg>'
    return f'<tr><th>{escape(usage)}</th><td>{words}</td><td class="bar">{picture}</td></tr>'


def _bar(begin: int, count: int, total: int, kind: str) -> str:
    scale = 100 / max(total, 1)
    return f'<rect class="{kind}" x="{begin * scale:.3f}" width="{count * scale:.3f}" height="1"/>' if count else ""


def _share(count: int, total: int) -> str:
    return f"{100 * count / max(total, 1):.1f} %"
