"""An index of patterns finds those that contain another as a comparison with each does, in a fraction of the work."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acap import _native
from acap.publish import containing
from acap.publish.containing import PatternIndex

PATTERNS = st.builds(
    lambda begins, body, ends: begins + body + ends,
    st.sampled_from(["/", "*", "/a", "*/", ""]),
    st.text(alphabet="/ab*?", max_size=6),
    st.sampled_from(["", "$", "*", "*$"]),
).map(lambda one: _native.canonical_pattern(one.encode()).decode())


@given(st.lists(PATTERNS, max_size=12), PATTERNS)
def test_what_contains_a_pattern_is_found_as_if_all_were_compared(patterns: list[str], asked: str) -> None:
    found = {one for one in patterns if _native.contains(asked.encode(), one.encode())}
    assert set(PatternIndex(patterns).containing(asked)) == found


@pytest.mark.parametrize("form", ["/section{}/", "/*?*page{}=", "/s{}/*.pdf$"])
def test_patterns_that_begin_or_go_on_otherwise_are_not_compared(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Counting:
        calls = 0

        @classmethod
        def contains(cls, pattern: bytes, other: bytes) -> bool:
            cls.calls += 1
            return _native.contains(pattern, other)

    monkeypatch.setattr(containing, "_native", Counting)
    patterns = [form.format(number) for number in range(1_000, 2_200)]
    index = PatternIndex(patterns)
    assert [list(index.containing(one)) for one in patterns] == [[one] for one in patterns]
    assert Counting.calls == len(patterns)
