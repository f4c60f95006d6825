"""What is tried here as a file of cases for `acap test`: what is decided now is what shall be decided later."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acap.decision import Decision
    from acap.robots import RobotsPolicy
    from acap.web.workshop.deciding_lines import Question

_URL = re.compile(r"https?://[^/?#]", re.IGNORECASE)


def cases_text(policy: RobotsPolicy, question: Question, urls: Sequence[str]) -> str:
    """The file, named for `robots.txt`: a case for each URL that can be asked about, and purpose; empty without one."""
    crawler = question.crawler
    names = crawler if isinstance(crawler, str) else ",".join(crawler) if isinstance(crawler, tuple) else ""
    parts = [f'robots = "robots.txt"\ncrawler = {_text(names)}\nusage = {_text(question.usage)}\n']
    if question.at is not None:
        parts[0] += f"at = {question.at.isoformat()}\n"
    purposes = question.purpose if isinstance(question.purpose, tuple) else (question.purpose,)
    for url in dict.fromkeys(urls):
        if not (url.startswith("/") or _URL.match(url)):
            continue
        for purpose in purposes:
            try:
                decision = policy.decide(
                    url, crawler=question.crawler, usage=question.usage, purpose=purpose, at=question.at
                )
            except ValueError:
                continue
            parts.append(_case(url, purpose, decision))
    return "\n".join(parts) if len(parts) > 1 else ""


def _case(url: str, purpose: str | None, decision: Decision) -> str:
    key = "path" if url.startswith("/") else "url"
    lines = ["[[case]]", f"{key} = {_text(url)}", f"expect = {_text(str(decision.outcome))}"]
    if purpose is not None:
        lines.insert(2, f"purpose = {_text(purpose)}")
    held: dict[str, list[str]] = defaultdict(list)
    for one in decision.restrictions:
        held[one.name].append(one.value)
    if held:
        said = ", ".join(f"{name} = {_list(values)}" for name, values in held.items())
        lines.append(f"restrictions = {{ {said} }}")
    return "\n".join([*lines, ""])


def _text(value: str) -> str:
    """A basic string of TOML: as one of JSON, but for a character that only TOML wants escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(values: Sequence[str]) -> str:
    return _text(values[0]) if len(values) == 1 else f"[{', '.join(map(_text, values))}]"
