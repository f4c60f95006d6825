"""A definition that lint calls unused decides nothing: without its line every answer is as it was."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given

from acap import parse_robots
from acap.publish.lint.catalogue import rule
from acap.publish.lint.document import Document

RULE = rule("unused-definition")
USED = [
    ("ACAP-resource-set: s /a/ /b/", "ACAP-disallow-index: the-acap:resource-set:s"),
    ("ACAP-resource-set: s /a/ /b/", "ACAP-disallow-index: /x,the-acap:resource-set:s"),
    ("ACAP-resource-set: s /a/ /b/", "ACAP-allow-index: / acap:resource-set:s"),
    ("ACAP-qualified-usage: q index time-limit=5-days", "ACAP-disallow-(q): /"),
    ("ACAP-qualified-usage: (q) present max-length=5-chars", "ACAP-allow-(q): /"),
    ("ACAP-qualified-usage: index present-snippet max-length=20-words", "ACAP-disallow-(index): /"),
    ("ACAP-composite-usage: q index preserve", "ACAP-composite-usage: z (q) present\nACAP-disallow-(z): /"),
]
CHARACTERS = st.sampled_from(" :-(),;.\u00a0\u2010_'\"#\tSs=*\x01")


@st.composite
def damaged(draw: st.DrawFn, text: str) -> str:
    """A text in which up to three characters are others, or gone, or more."""
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(CHARACTERS | st.just("")) + text[at + draw(st.integers(0, 1)) :]
    return text


@given(st.sampled_from(USED).flatmap(lambda pair: st.tuples(damaged(pair[0]), damaged(pair[1]))))
def test_an_unused_definition_decides_nothing(pair: tuple[str, str]) -> None:
    definition, use = pair
    text = f"##ACAP version=1.1\n{definition}\nACAP-crawler: *\n{use}\n"
    if not any(finding.line == 2 for finding in RULE.check(Document(text.encode(), "robots.txt"))):
        return
    without = text.replace(f"{definition}\n", "#\n", 1)
    for usage in ("index", "preserve", "present", "other", "follow"):
        for path in ("/", "/a/1", "/b/1", "/x", "/s"):
            answers = [parse_robots(each).decide(path, crawler="z", usage=usage) for each in (text, without)]
            assert len({(answer.outcome, answer.restrictions) for answer in answers}) == 1
