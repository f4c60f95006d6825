"""ai.txt (Spawning, 2023): which files of a site may not be used for training, in the grammar of robots.txt.

    file = parse_ai_txt(octets, url="https://example.com/ai.txt")
    acap.decide("https://example.com/a.jpg", crawler="examplebot", usage="ai-train", others=[file])

Four other things have that name, and servers answer with a page for what they do not have: `state` tells which it is.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from typing import Literal

from acap._native import Statement, absolute, canonical_path, canonical_pattern, matches
from acap.crawlers import Crawler
from acap.dialects.well_known import PASSING, brings_document, is_page, octets_of, site
from acap.outline import Field
from acap.problems import Problem, problem
from acap.robots import RobotsPolicy, parse_robots

DIALECT = "ai-txt"
USAGE = "ai-train"
MAX_OCTETS = 1024 * 1024
"""Most octets of a file; what the generator of Spawning writes has about five thousand."""

# `*.jpg`, `/*.jpg`, `*.jpg$`: an extension, and not whatever has its letters somewhere behind a dot.
_EXTENSION = re.compile(r"/?\*(?:\.[A-Za-z0-9]{1,20}){1,3}\$?")


@dataclasses.dataclass(frozen=True, slots=True)
class AiTxt:
    """A site's ai.txt, read: an `acap.Source`. Made by `parse_ai_txt`.

    `state` is `read`; `none` where the site has none; `foreign` where something else stands there, which says nothing;
    `unknown` where it could not be retrieved or read: then training is prohibited. `sure`: nothing in it is of another
    form; otherwise it permits nothing.
    """

    url: str
    state: Literal["read", "none", "foreign", "unknown"]
    sure: bool = True
    problems: tuple[Problem, ...] = ()
    policy: RobotsPolicy | None = None

    @property
    def dialect(self) -> str:
        """The name of its dialect."""
        return DIALECT

    def statements(self, url: str) -> tuple[Statement, ...]:
        """What it says of a resource to a crawler that no group names."""
        return tuple(self._statements(url, ()))

    def statements_for(self, url: str, crawler: Crawler) -> tuple[Statement, ...]:
        """What the groups of a crawler say of a resource; without one, those for every crawler (RFC 9309 2.2.1)."""
        return tuple(self._statements(url, crawler.product_tokens))

    def to_text(self) -> str:
        """A file that says the same: groups and rules, without comments."""
        if self.state == "unknown":
            return "User-Agent: *\nDisallow: /\n"
        if self.policy is None:
            return ""
        lines = [f"{field.kind}: {field.value}" for field in self.policy.outline.fields if field.kind in _KINDS]
        # A line that is none keeps what is not sure from permitting.
        return "\n".join([*lines, *([] if self.sure else ["(not sure)"]), ""])

    def _statements(self, url: str, names: Sequence[str]) -> Iterator[Statement]:
        if site(url) not in (None, site(self.url)):
            return
        if self.state == "unknown":
            text = next((one.message for one in self.problems if one.severity == "error"), "")
            yield Statement(dialect=DIALECT, usage=USAGE, outcome="prohibited", source=self.url, text=text)
        if self.policy is None:
            return
        decided = _strongest(_rules_for(self.policy, names), canonical_path(url.encode("utf-8", "replace")))
        if decided is None or (decided.kind == "Allow" and not self.sure):
            return
        yield Statement(
            dialect=DIALECT,
            usage=USAGE,
            outcome="permitted" if decided.kind == "Allow" else "prohibited",
            source=self.url,
            line=decided.line,
            column=1,
            text=f"{decided.name}: {decided.value}"[:200],
        )


_KINDS = ("User-agent", "Allow", "Disallow")


def parse_ai_txt(octets: bytes | str | None, *, url: str, content_type: str | None = None, status: int = 200) -> AiTxt:
    """Reads a site's /ai.txt. No content makes it raise.

    Args:
        octets: the body of the answer, or its text; None if there was none.
        url: of the file, for its site.
        content_type: the type that the answer declares, if any.
        status: of the answer. 4xx is an absent file, as for robots.txt; any other that brings no whole file is unknown.

    Raises:
        ValueError: the URL has no scheme or no host.
        TypeError: octets are neither bytes, nor str, nor None.
    """
    octets = octets_of(octets, "an ai.txt")
    absolute(url)

    def problem_of(code: str, *words: str) -> tuple[Problem, ...]:
        return (problem(code, 0, 0, words, ""),)

    if 400 <= status < 500 and status not in PASSING:
        return AiTxt(url, "none")
    if octets is None or not brings_document(status):
        return AiTxt(
            url, "unknown", problems=problem_of("ai-txt-unread", f"status {status}" if octets else "no answer")
        )
    if len(octets) > MAX_OCTETS:
        return AiTxt(url, "unknown", problems=problem_of("ai-txt-unread", f"it has more than {MAX_OCTETS} octets"))
    if is_page(octets):
        return AiTxt(url, "foreign", problems=problem_of("ai-txt-foreign", "an HTML page"))
    policy = parse_robots(octets, url=url)
    if policy.truncated:
        return AiTxt(url, "unknown", problems=problem_of("ai-txt-unread", "it is packed, or too long a line"))
    rules = policy.outline.rules
    if not rules:
        if not octets.strip(b" \t\r\n"):
            return AiTxt(url, "read", policy=policy)
        return AiTxt(url, "foreign", problems=problem_of("ai-txt-foreign", content_type or "another text"))
    odd = [(one.line, one.column, one.text) for one in policy.problems if one.code in _OTHER_FORMS]
    # A signal or a licence beside the rules may refuse what they permit.
    odd += [(field.line, 1, field.value) for field in policy.outline.fields if field.kind not in _PLAIN]
    problems = tuple(problem("ai-txt-mixed", line, column, (), text) for line, column, text in sorted(odd)[:1])
    return AiTxt(url, "read", not odd, problems, policy)


_PLAIN = (*_KINDS, "Sitemap", "Crawl-delay")
_OTHER_FORMS = ("unknown-field", "no-field", "missing-colon", "nul-octet", "control-character", "invalid-utf-8")


def _rules_for(policy: RobotsPolicy, names: Sequence[str]) -> Iterator[Field]:
    """The rules that a crawler of these names obeys; those before every group are for all, and only prohibit."""
    groups = [({name.lower() for name in group.names}, group.rules) for group in policy.outline.groups]
    addressed = {name for named, _ in groups for name in named}
    first = next((name for name in map(str.lower, names) if name in addressed), "*")
    grouped: set[int] = set()
    for named, rules in groups:
        grouped |= {field.line for field in rules}
        if first in named:
            yield from rules
    for field in policy.outline.rules:
        if field.line not in grouped and field.kind == "Disallow":
            yield field


def _strongest(rules: Iterator[Field], path: bytes) -> Field | None:
    """The rule with the longest pattern that matches, a permission before a prohibition (RFC 9309 2.2.2)."""
    best: tuple[int, bool, int] | None = None
    decided = None
    for field in rules:
        pattern = canonical_pattern(field.value.encode("utf-8", "replace"))
        if field.cut:
            pattern = b"/"
        if not pattern or not _applies(field.value, pattern, path):
            continue
        strength = (len(pattern), field.kind == "Allow", -field.line)
        if best is None or strength > best:
            best, decided = strength, field
    return decided


def _applies(value: str, pattern: bytes, path: bytes) -> bool:
    """Whether a rule is about a path; an extension is that of the last segment, in any case."""
    if _EXTENSION.fullmatch(value) is None:
        return matches(pattern if pattern.startswith((b"/", b"*")) else b"/" + pattern, path)
    last = path.partition(b"?")[0].rpartition(b"/")[2]
    return last.lower().endswith(value.strip("/*$").lower().encode())
