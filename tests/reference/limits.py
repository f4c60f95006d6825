"""How much of a policy is read (P1 4.6, RFC 9309 2.5).

What a limit cuts off is replaced by the strictest that it may have been. Beyond a limit of number a prohibition stands,
a permission lifts none, and what it restricts stays restricted.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Octets of a file and of a line; records of a file; sub-records and fields of a record; fields of a sub-record."""

    file_octets: int = 8 * 1024 * 1024
    line_octets: int = 2083 * 8
    records: int = 2_000
    sub_records: int = 1_000
    fields_per_record: int = 10_000
    fields_per_sub_record: int = 10_000


GOOGLE_LINE_OCTETS = 2083 * 8 - 1  # its buffer has one more, for the closing zero
