"""What an exit code says, and how several answers make one."""

from __future__ import annotations

from enum import IntEnum

from acap.decision import Decision


class Exit(IntEnum):
    """The codes a command can end with; click's own 1 for a crash or Ctrl-C would read as prohibited."""

    PERMITTED = 0
    PROHIBITED = 1
    WRONG_CALL = 2
    UNDETERMINED = 3
    INTERNAL = 70  # EX_SOFTWARE of sysexits.h
    INTERRUPTED = 130  # 128 + SIGINT, as shells count
    READER_GONE = 141  # 128 + SIGPIPE: the reader of our output has gone before the last answer


# Prohibited only because the policy is not at hand: the site may well permit.
_UNKNOWN = frozenset({"unreachable", "reference-missing"})


def exit_for(decision: Decision) -> Exit:
    """The code for one answer.

    A refusal because crawl is refused counts as what refused crawl: nothing decides it but the policy's absence
    when no statement is cited.
    """
    if decision.outcome == "permitted":
        return Exit.PERMITTED
    if decision.outcome == "conditional" or decision.reason.kind in _UNKNOWN:
        return Exit.UNDETERMINED
    return Exit.PROHIBITED


class Tally:
    """The code for many answers: wrong call, else prohibited, else undetermined, else permitted."""

    _RANK = (Exit.PERMITTED, Exit.UNDETERMINED, Exit.PROHIBITED, Exit.WRONG_CALL)

    def __init__(self) -> None:
        self.code = Exit.PERMITTED

    def add(self, code: Exit) -> None:
        """Take one more answer in."""
        if self._RANK.index(code) > self._RANK.index(self.code):
            self.code = code
