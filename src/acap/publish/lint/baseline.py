"""A baseline: the findings that a project knows of and does not want to hear of again, so that it hears of new ones.

A finding is known by its source, its code and the text of its line, so lines may move. What it holds is counted: two
known findings on lines of the same text are two, and a third is new. Those of a rule that are not listed are
known by their number and all of the text that they stand in: any of it may be where a new one is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding

VERSION = 1
Known = Counter[tuple[str, str]]
"""How often a code is known on lines of a text: the findings of one source."""


class BaselineError(ValueError):
    """A baseline that cannot be read, or is none."""


def source_in(baseline: Path, name: str) -> str:
    """The name of a document in a baseline: relative to the baseline's directory, with `/`."""
    if "://" in name or name == "-":
        return name
    home, file = baseline.parent.resolve(), Path(name).resolve()
    return file.relative_to(home).as_posix() if file.is_relative_to(home) else file.as_posix()


def fingerprint(document: Document, finding: Finding) -> str:
    """The text of a finding's line, blanks at its ends aside, as a short hash; of the document as a whole `-`."""
    from hashlib import sha256

    if not 0 < finding.line <= len(document.starts):
        return "-"
    # Kept: a line may have megabytes and thousands of findings.
    if finding.line not in document.prints:
        document.prints[finding.line] = sha256(document.line_octets(finding.line).strip()).hexdigest()[:16]
    return document.prints[finding.line]


def counted(document: Document, findings: Iterable[Finding]) -> Known:
    """The findings of a document as a baseline keeps them."""
    counts: Known = Counter()
    for finding in findings:
        counts[_key(document, finding)] += finding.counted[1]
    return counts


def _key(document: Document, finding: Finding) -> tuple[str, str]:
    """What a finding is known by."""
    if finding.stands_for is None:
        return finding.code, fingerprint(document, finding)
    return finding.stands_for[0], _rest(document, finding.line)


def _rest(document: Document, line: int) -> str:
    """All that stands on a line and below it, as a short hash."""
    from hashlib import sha256

    start = document.starts[line - 1] if 0 < line <= len(document.starts) else 0
    return sha256(document.text[start:]).hexdigest()[:16]


def new(document: Document, findings: Iterable[Finding], known: Known) -> tuple[tuple[Finding, ...], Known]:
    """The findings that are not known, and what is known and not found any more."""
    left = Counter(known)
    kept = []
    for finding in findings:
        key, number = _key(document, finding), finding.counted[1]
        if left[key] >= number:
            left[key] -= number
        else:
            kept.append(finding)
    return tuple(kept), +left


def read(file: Path) -> dict[str, Known]:
    """What is known, by source. Raises BaselineError."""
    import json

    try:
        content: Any = json.loads(file.read_bytes())
        if content["acap-baseline"] != VERSION:
            raise BaselineError(f"`{file}` is a baseline of another version; write it again with --write-baseline")
        by_source: dict[str, Known] = {}
        for entry in content["findings"]:
            known = by_source.setdefault(str(entry["source"]), Counter())
            known[str(entry["code"]), str(entry["line"])] += int(entry["count"])
    except FileNotFoundError as error:
        raise BaselineError(f"no baseline `{file}`; --write-baseline writes it") from error
    except OSError as error:
        raise BaselineError(f"`{file}` cannot be read: {error.strerror}") from error
    except BaselineError:
        raise
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BaselineError(f"`{file}` is not a baseline; write one with --write-baseline") from error
    return by_source


def written(known: Mapping[str, Known]) -> str:
    """The text of a baseline, an entry a line so that changes of it read well."""
    import json

    entries = [
        json.dumps({"source": source, "code": code, "line": line, "count": count})
        for source in sorted(known)
        for (code, line), count in sorted(known[source].items())
    ]
    listed = ",\n".join(f"    {entry}" for entry in entries)
    return (
        f'{{\n  "acap-baseline": {VERSION},\n  "findings": [{f"{chr(10)}{listed}{chr(10)}  " if listed else ""}]\n}}\n'
    )
