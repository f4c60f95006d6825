"""A draft becomes the text of a robots.txt.

Order (P1 4.1): version, conventional lines, directive, definitions, records. Field names have the one spelling that the
specification gives. Law: what would be read as something else (a blank in a name, a `#` in a value, a line break
anywhere) is escaped where the grammar has an escape, and refused where it has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from acap.crawler_list import known, nearest
from acap.explain import visible
from acap.problems import Problem
from acap.publish.acap_version import ACAP_VERSION
from acap.publish.compose.conventional import conventional_lines
from acap.publish.compose.draft import ACTIONS, ANY, Draft, DraftError, LocalUsage, Record, Rule
from acap.publish.compose.sentences import described
from acap.robots import parse_robots

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_BLANK = r"[\s\x00-\x1f\x7f\x85\xa0]"
_RESOURCE = re.compile(r"[/*]|https?://|(the-)?acap:resource-set:", re.IGNORECASE)
_LATER = re.compile(r"(the-)?acap:(idlist|classlist|taglist):", re.IGNORECASE)

Lines = list[tuple[str, str]]
"""Lines with where in the draft each comes from; empty for what says nothing."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """What the reader finds wrong with a line of the draft's text; `origin` is where in the draft it stands."""

    origin: str
    problem: Problem


def robots_text(draft: Draft) -> str:
    """The text of a robots.txt that says what the draft means; octets that are no UTF-8 are surrogates in it.

    Raises:
        DraftError: something in it cannot be written.
    """
    return "".join(f"{line}\n" for line, _ in lines_of(draft))


def robots_octets(draft: Draft) -> bytes:
    """The same as octets, as they are to be written into a file."""
    return robots_text(draft).encode("utf-8", "surrogateescape")


def complaints(draft: Draft) -> tuple[Complaint, ...]:
    """What the reader finds wrong with the draft's own lines; what it finds in those that were kept is left out.

    Raises:
        DraftError: something in it cannot be written.
    """
    lines = lines_of(draft)
    octets = "".join(f"{line}\n" for line, _ in lines).encode("utf-8", "surrogateescape")
    problems = parse_robots(octets).problems
    origins = [origin for _, origin in lines]
    ours = ((origins[problem.line - 1], problem) for problem in problems if 0 < problem.line <= len(origins))
    return tuple(Complaint(origin, problem) for origin, problem in ours if origin)


def lines_of(draft: Draft) -> Lines:
    """Every line of the text with where in the draft it comes from.

    Raises:
        DraftError: something in the draft cannot be written.
    """
    acap = acap_lines(draft)
    blocks: list[Lines] = []
    ignore = draft.ignore_conventional
    kept = draft.kept.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    groups = _has_groups(kept)
    if kept:
        blocks.append([(line, "") for line in kept.split("\n")])
    if draft.conventional and not groups and acap:
        made, differs = conventional_lines("".join(f"{line}\n" for line, _ in acap))
        blocks.append([(line, "") for line in made])
        ignore = ignore or differs
    blocks.append([(f"Sitemap: {_url(one)}", "sitemaps") for one in draft.sitemaps])
    if ignore and any(rule.permits for _, _, rule in draft.rules()):
        # Without a permission the line counts for nothing: a prohibition switches no other one off.
        blocks.append([("ACAP-ignore-conventional-records", "ignore-conventional")])
    if acap:
        blocks = [[(f"##ACAP version={version(draft)}", "version")], *blocks, acap]
    out: Lines = []
    for block in filter(None, blocks):
        # The version and what follows it are the head of the file.
        out += [*([("", "")] if out and out[-1][1] != "version" else []), *block]
    return out


def _has_groups(kept: str) -> bool:
    """Whether kept lines have groups of conventional rules; lines of ACAP are none to keep."""
    policy = parse_robots(kept.encode("utf-8", "surrogateescape"))
    if "acap" in kept.lower():
        for line in policy.lines:
            if line.kind in ("ACAP", "##ACAP"):
                text = line.octets.decode("utf-8", "replace").strip()
                raise DraftError(f"`{text}` is an ACAP field; write it as a record", "lines")
    return bool(policy.crawlers)


def version(draft: Draft) -> str:
    """The version to declare: the latest, or that which the draft asks for, unless a feature needs a later one."""
    values = [value for _, _, rule in draft.rules() for _, value in rule.restrictions]
    values += [value for local in draft.local_usages for _, value in local.restrictions]
    needed = "1.1" if any(_LATER.match(value) for value in values) else "1.0"
    asked = draft.version or ACAP_VERSION
    if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,4})+", asked):
        raise DraftError(f"`{asked}` is not a version; write 1.0 or 1.1", "version")
    return max(needed, asked, key=lambda one: [int(part) for part in one.split(".")])


def acap_lines(draft: Draft) -> Lines:
    """The definitions and records."""
    out: Lines = []
    for resource_set in draft.resource_sets:
        patterns = " ".join(_resource(pattern, resource_set.origin) for pattern in resource_set.patterns)
        out += _notes(resource_set.notes)
        name = _name(resource_set.name, "resource set", resource_set.origin)
        out.append((f"ACAP-resource-set: {name} {patterns}", resource_set.origin or "definition"))
    parts = {usage.lower() for local in draft.local_usages for usage in local.usages}
    for local in draft.local_usages:
        line = _local(local, is_part=f"({local.name.lower()})" in parts)
        out += [*_notes(local.notes), (line, local.origin or "definition")]
    for record in draft.records:
        if record.sub_records or record.reference is not None or record.requests:
            out += [*([("", "")] if out else []), *_record(record, comments=draft.comments)]
    return out


def _local(local: LocalUsage, *, is_part: bool) -> str:
    """The line of a definition; what is a part of another is a qualified usage, for no other may be (P1 4.5.3.2)."""
    name = _name(local.name, "usage", local.origin)
    usages = [_usage(usage, local.origin) for usage in local.usages]
    if not usages:
        raise DraftError(f"the usage `{name}` stands for nothing; name a usage", local.origin)
    if len(usages) > 1 or not (local.restrictions or (is_part and not usages[0].startswith("("))):
        if local.restrictions:
            message = f"`{name}` stands for several usages, so it has no restrictions; define one for each"
            raise DraftError(message, local.origin)
        return f"ACAP-composite-usage: {name} {' '.join(usages)}"
    return f"ACAP-qualified-usage: {name} {usages[0]}{_qualifiers(local.restrictions, local.origin)}"


def _record(record: Record, *, comments: bool) -> Lines:
    out = _notes(record.notes)
    if comments:
        out += _notes(described(record))
    here = record.origin or "record"
    if not record.crawlers:
        raise DraftError("a record addresses no crawler; name one, or `*`", here)
    for number, name in enumerate(record.crawlers):
        place = _within(here, f"crawlers[{number}]")
        out.append((f"ACAP-crawler: {_crawler(name, place)}", place))
    if record.reference is not None:
        out.append((f"ACAP-permissions-reference: {_rest(record.reference, 'reference', here)}", here))
    for action, path in record.requests:
        if action not in ACTIONS:
            raise DraftError(f"unknown action `{action}`; known are {', '.join(ACTIONS)}", here)
        out.append((f"ACAP-request-{action}: {_resource(path, here)}", here))
    for part in sorted(record.sub_records, key=lambda one: bool(one.purposes)):
        if not part.rules:
            continue
        for number, purpose in enumerate(part.purposes):
            place = _within(part.origin or here, f"purposes[{number}]")
            out.append((f"ACAP-usage-purpose: {_purpose(purpose, place)}", place))
        for rule in part.rules:
            out += [*_notes(rule.notes), *((line, rule.origin or here) for line in rule_lines(rule))]
    return out


def rule_lines(rule: Rule) -> Iterator[str]:
    """The fields of a rule, one a resource.

    Raises:
        DraftError: it cannot be written.
    """
    usage = _usage(rule.usage, rule.origin)
    if not rule.permits and rule.restrictions:
        raise DraftError("a prohibition has no restrictions (P1 4.5.2.5.2); remove them, or permit", rule.origin)
    if not rule.resources:
        raise DraftError("the rule names no resource; write `/` for all", rule.origin)
    qualifiers = _qualifiers(rule.restrictions, rule.origin)
    for pattern in rule.resources:
        yield f"ACAP-{'allow' if rule.permits else 'disallow'}-{usage}: {_resource(pattern, rule.origin)}{qualifiers}"


def _notes(notes: tuple[str, ...]) -> Lines:
    return [(f"# {visible(line)}".rstrip(), "") for note in notes for line in re.split(r"[\r\n]+", note)]


def is_name(text: str) -> bool:
    """Whether a text can be the name of a usage, a set or a restriction."""
    return bool(_NAME.fullmatch(text))


def _name(text: str, what: str, origin: str) -> str:
    if not _NAME.fullmatch(text):
        raise DraftError(f"`{text}` is not a valid name of a {what}; write letters, digits, `-`, `_` and `.`", origin)
    return text


def _within(origin: str, key: str) -> str:
    """A key of what an origin is; a line of a file has none."""
    return origin if origin.startswith("line ") else f"{origin}.{key}"


_PRODUCT = re.compile(r"[A-Za-z0-9._-]+")


def crawler_problem(text: str) -> str | None:
    """What is wrong with the name of a crawler, and what to write; none if nothing is."""
    # A name of hyphens alone is one to the reader as well.
    if text == ANY or _PRODUCT.fullmatch(text):
        return None
    product, slash, _ = text.strip().partition("/")
    words = re.split(r"[\s,]+", text.strip())
    bare = re.sub(r"[^A-Za-z0-9._-]", "", text)
    crawler = known(bare)
    suggested = nearest(bare) if crawler is None else crawler.name
    if product.lower() == "mozilla" or "(" in text or ")" in text:
        advice = "write the name alone of a User-Agent string, such as Googlebot"
    elif slash and _PRODUCT.fullmatch(product):
        advice = f"write `{product}`, without a version"
    elif len(words) > 1 and all(map(_PRODUCT.fullmatch, words)):
        advice = f"write `{'` and `'.join(words)}`, each by itself"
    else:
        advice = f"did you mean `{suggested}`?" if suggested else "write letters, digits, `-`, `_` and `.`"
    return f"`{text}` is not a valid name of a crawler; {advice}"


def crawler_advice(text: str) -> str | None:
    """What to think of about a name that no known crawler has, and that is nearly one that a crawler has."""
    if text == ANY or known(text) is not None or (suggested := nearest(text)) is None:
        return None
    return f"no known crawler answers to the name `{text}`; did you mean `{suggested}`?"


def purpose_problem(text: str) -> str | None:
    """What is wrong with a purpose, and what to write; none if nothing is."""
    match = _STRAY.search(text.strip())
    if text.strip() and match is None:
        return None
    rest = text.strip()[: match.start()].strip() if match else ""
    advice = f"write `{rest}`" if rest else "write a name or a URL, without `#`"
    return f"`{text}` is not a valid purpose; {advice}"


_STRAY = re.compile(r"[#\r\n\x00-\x08\x0b-\x1f]")


def _crawler(text: str, origin: str) -> str:
    if (problem := crawler_problem(text)) is not None:
        raise DraftError(problem, origin)
    return text


def _purpose(text: str, origin: str) -> str:
    if (problem := purpose_problem(text)) is not None:
        raise DraftError(problem, origin)
    return text.strip()


def _usage(text: str, origin: str) -> str:
    local = re.fullmatch(r"\((.*)\)", text)
    return f"({_name(local[1], 'usage', origin)})" if local else _name(text, "usage", origin)


def _rest(text: str, what: str, origin: str) -> str:
    """A text that is the rest of its line, blanks in it included."""
    if not text.strip() or _STRAY.search(text.strip()):
        raise DraftError(f"`{text}` is not a valid {what}; write a name or a URL, without `#`", origin)
    return text.strip()


def _token(text: str, what: str, origin: str) -> str:
    if not text or re.search(rf"{_BLANK}|#", text):
        raise DraftError(f"`{text}` is not a valid {what}; write blanks and `#` as `%20` and `%23`", origin)
    return text


def _url(text: str) -> str:
    return _token(text, "URL of a sitemap", "sitemaps")


def _resource(pattern: str, origin: str) -> str:
    """A pattern whose `#` are written as a URL has them; a relative one from the root (P1 4.5.2.5.1).

    A blank is refused: nobody knows whether it parts two patterns or is of one.
    """
    if not pattern:
        raise DraftError("a pattern is empty; write `/` for all", origin)
    if re.search(_BLANK, pattern):
        raise DraftError(
            f"`{pattern}` has a blank; write each path by itself, and `%20` for a blank within a path", origin
        )
    return resource_text(pattern)


def resource_text(pattern: str) -> str:
    """A resource as a field has it; see `_resource`."""
    escaped = re.sub(rf"{_BLANK}|#", lambda found: _percent(found[0]), pattern)
    return escaped if _RESOURCE.match(escaped) else f"/{escaped}"


def _percent(letter: str) -> str:
    return "".join(f"%{octet:02X}" for octet in letter.encode("utf-8", "surrogateescape"))


def _qualifiers(restrictions: tuple[tuple[str, str], ...], origin: str) -> str:
    return "".join(f" {_name(name, 'restriction', origin)}={_escaped(value)}" for name, value in restrictions)


def _escaped(value: str) -> str:
    """A value with white space and `#` as `%xnnnn`, but for the blank after a comma of an element set (P1 4.5.6)."""
    unsafe = rf"(?P<next>,[ \t]+(?=\S))|{_BLANK}|#|[=,]$"
    return re.sub(unsafe, lambda found: ", " if found["next"] else f"%x{ord(found[0]):04X}", value)
