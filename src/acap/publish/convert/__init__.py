"""Convert: a policy said in another form, with the same answers, and with a note for whatever cannot be said there.

conversion = convert(octets, to="acap")
conversion.text
verify(conversion).verdict       # "equal": proved for every path and every crawler
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from acap.crawlers import each_crawler
from acap.publish.convert.conversion import TARGETS, Conversion, Note, OutOfTimeError, Target
from acap.publish.convert.from_page import from_page
from acap.publish.convert.proof import PATIENT_SECONDS, PATIENT_STEPS, SECONDS, STEPS, looser, verify
from acap.publish.convert.to_acap import to_acap
from acap.publish.convert.to_page import to_page
from acap.publish.convert.to_robots import to_robots
from acap.publish.convert.versions import to_version
from acap.publish.patterns import LateError, in_time
from acap.robots import RobotsPolicy, parse_robots

Kind: TypeAlias = Literal["robots", "page", "headers"]

_CUTS = frozenset({"packed-file", "cut-file", "overlong-line", "acap-too-much", "control-character"})


def convert(
    source: bytes | str | RobotsPolicy,
    to: Target,
    *,
    only: bool = False,
    kind: Kind = "robots",
    url: str | None = None,
    crawlers: str | Sequence[str] = (),
    crawl_only: bool = False,
    seconds: float = PATIENT_SECONDS,
) -> Conversion:
    """Converts a robots.txt, a page or the headers of a response.

    Args:
        source: the octets, text that is encoded as UTF-8, or a policy.
        to: `acap` adds to conventional lines what they say in ACAP terms; `acap-1.0` and `acap-1.1` declare and keep to
            that version; `robots` says what ACAP says about crawling in conventional lines, and as signals what these
            have words for; `meta` and `headers` say what robots.txt says about the page at `url`.
        only: with `acap`, the ACAP lines alone, without the conventional ones.
        kind: what the source is; of a page or headers ACAP fields about `url` are made.
        url: the page's URL or path.
        crawlers: with `meta` and `headers`, the crawlers to write for; all that are named, and any, by default.
            One is a name.
        crawl_only: with `robots`, what is answered about crawling alone is proved; a note tells each other statement
            that there are no words for. Without it such a prohibition or condition refuses the conversion.
        seconds: how long the conversion and its proof may take.

    A permission that the target cannot express is left out. That no answer is looser is proved before anything is
    returned; where that takes longer than what is left of `seconds`, `SECONDS` at most, the conversion is not `proved`,
    and a note says so.

    Raises:
        ValueError: an unknown target, a crawler's name that is empty or would be cut, `crawl_only` with another target
            than `robots`, a URL that is missing or wrong, a source that is not text, such as UTF-16, or of which a
            limit cuts something; a policy that cannot be said without permitting more, or within the limits.
        OutOfTimeError: a ValueError; the conversion takes too long.
    """
    octets = source.encode() if isinstance(source, str) else source if isinstance(source, bytes) else source.octets
    if to not in TARGETS:
        raise ValueError(f"unknown target `{to}`; known are {', '.join(TARGETS)}")
    if crawl_only and to != "robots":
        raise ValueError(f"only crawling can be converted to `robots`, not to `{to}`")
    about_a_page = kind != "robots" or to in ("meta", "headers")
    if not about_a_page and octets.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError("the file is UTF-16; save it as UTF-8 first (`acap lint --fix` does)")
    try:
        with in_time(seconds):
            if about_a_page:
                if url is None:
                    raise ValueError("statements about a page need its URL")
                return _about_a_page(octets, to, url, kind, each_crawler(crawlers))
            _whole(octets)
            return _proved(_rewritten(octets, to, only=only, crawl_only=crawl_only))
    except LateError:
        raise OutOfTimeError(
            f"converting to `{to}` takes longer than {seconds:.3g} seconds; make the file smaller first"
        ) from None


def _rewritten(octets: bytes, to: Target, *, only: bool, crawl_only: bool) -> Conversion:
    """A robots.txt in other lines. Raises LateError."""
    if to == "robots":
        return to_robots(octets, crawl_only=crawl_only)
    if to == "acap":
        return to_acap(octets, to, only=only)
    declared = to_version(octets, to)
    added = to_acap(declared.text, to, only=only)
    unchanged = added.alone is None
    notes = declared.notes if unchanged and declared.text != octets else (*declared.notes, *added.notes)
    return replace(added, notes=notes, to=to, original=octets)


def _whole(octets: bytes) -> None:
    """Refuses a file of which readers read only a part, or nothing: that cannot be said in other words."""
    policy = parse_robots(octets)
    if policy.truncated:
        cut = next((problem for problem in policy.problems if problem.code in _CUTS), None)
        if cut and cut.code == "packed-file":
            raise ValueError(cut.message)
        why = f"; line {cut.line}: {cut.message}" if cut else "; `acap lint` shows what is cut"
        raise ValueError(f"only part of the file is read{why}")


def _proved(conversion: Conversion) -> Conversion:
    """The conversion, noted as open where it could not be proved that no answer is looser. ValueError where one is."""
    if parse_robots(conversion.text).truncated:
        raise ValueError(
            f"cannot be expressed as `{conversion.to}` within the limits of readers; make the file smaller first"
        )
    comparison = verify(replace(conversion, alone=None), steps=PATIENT_STEPS)
    if (change := looser(comparison.changes)) is not None:
        where = f"line {change.before.line}: " if change.before.line else ""
        what = f"`{change.usages[0]}` of `{change.witness}` for `{change.crawlers[0]}`"
        raise ValueError(f"{where}{what} cannot be expressed as `{conversion.to}` without permitting more")
    notes = list(conversion.notes)
    if conversion.crawl_only:
        notes += _lost(conversion)
    elif comparison.changes and not any(note.loss for note in notes):
        notes.append(Note(0, f"{len(comparison.changes)} answers are stricter; `--verify` lists them", loss=True))
    if comparison.undecided:
        notes.append(Note(0, "proving that no answer is looser takes longer; `--verify` does it", loss=False))
    return replace(conversion, notes=tuple(notes), proved=not comparison.undecided)


def _lost(conversion: Conversion) -> Iterator[Note]:
    """What was prohibited or restricted of other usages and is no longer, where no note tells of its line yet."""
    noted = {note.line for note in conversion.notes if note.loss}
    comparison = verify(replace(conversion, crawl_only=False))
    for change in comparison.changes:
        if change.before.line not in noted and looser([change]) is not None:
            noted.add(change.before.line)
            usages = ", ".join(f"`{usage}`" for usage in change.usages)
            yield Note(
                change.before.line,
                f"{usages} of `{change.witness}` cannot be expressed together with the rest",
                loss=True,
            )
    if comparison.undecided:
        yield Note(0, "finding out whether more is lost takes longer", loss=True)


def _about_a_page(octets: bytes, to: Target, url: str, kind: Kind, crawlers: Sequence[str]) -> Conversion:
    if kind == "robots":
        _whole(octets)
        return to_page(octets, to, url, crawlers)
    if not to.startswith("acap"):
        raise ValueError(f"statements of a page can be converted to ACAP fields, not to `{to}`")
    return from_page(octets, to, url, kind)


__all__ = [
    "PATIENT_SECONDS",
    "PATIENT_STEPS",
    "SECONDS",
    "STEPS",
    "TARGETS",
    "Conversion",
    "Kind",
    "Note",
    "OutOfTimeError",
    "Target",
    "convert",
    "looser",
    "verify",
]
