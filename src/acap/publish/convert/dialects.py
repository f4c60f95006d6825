"""From one dialect to another: Content-Signal, Content-Usage, TDMRep, RSL, ai.txt.

    conversion = convert_dialect(octets, "tdmrep", "content-signal", beside=True)
    conversion.text

Laws. The result is read again, and on no path it permits what the original does not, nor is silent where the original
refuses, unless the original stays `beside` it; then each such use is noted. Patterns are paths with or without a `$` at
their end: a path for each of them, and for what is beyond it, shows all paths there are. Other patterns are refused.
Rules of crawling are no part of it, and stay in robots.txt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args
from xml.sax.saxutils import quoteattr

from acap._native import canonical_pattern
from acap.combine import decide_each
from acap.decision import Decision
from acap.dialects.ai_txt import AiTxt, parse_ai_txt
from acap.dialects.rsl.document import NAMESPACE
from acap.dialects.rsl.policy import RslDocument, parse_rsl
from acap.dialects.tdmrep import TdmrepFile, TdmrepRule, parse_tdmrep, write_tdmrep
from acap.outline import USES
from acap.problems import DocumentKind
from acap.publish.contradictions import ASKER, lines_of
from acap.publish.convert.conversion import Note
from acap.robots import RobotsPolicy, parse_robots
from acap.statement import Source
from acap.usages import COMPOSITES, PARENTS, below

DialectTarget = Literal["content-signal", "content-usage", "tdmrep", "rsl", "ai-txt"]
DIALECT_TARGETS: tuple[DialectTarget, ...] = get_args(DialectTarget)
MOST_PATTERNS = 200
"""Most patterns; each is tried with each. Real documents have fewer than a hundred."""

_SITE = "https://site.invalid"
_USAGES = tuple(usage for usage in PARENTS if usage not in ("crawl", "follow"))
_TRAIN = ("ai-train", *below("ai-train"))
_TDM = ("tdm", *below("tdm"))
_WORDS: Mapping[DialectTarget, Mapping[str, tuple[str, ...]]] = MappingProxyType({
    "content-signal": {"search": COMPOSITES["search"], "ai-input": ("ai-input",), "ai-train": _TRAIN},
    "content-usage": {
        "train-ai": ("ai-train-generative",), "ai-use": ("ai-input",), "search": COMPOSITES["search"],
    },
    "tdmrep": {"tdm": _TDM},
    "rsl": {
        "ai-train": _TRAIN, "ai-input": ("ai-input",), "ai-index": ("ai-index",), "ai-all": _TDM,
        "search": COMPOSITES["search"],
    },
    "ai-txt": {"ai-train": _TRAIN},
})  # fmt: skip
"""The words of each dialect, and the usages that each covers."""

Effect = Literal["permits", "restricted", "conditional", "prohibits"]
Values = Mapping[str, bool]
"""Words with whether they permit."""


class _Verdict(NamedTuple):
    """What is said of a usage; `restricted` is a permission that is not whole. None: nothing is."""

    effect: Effect | None
    line: int = 0
    policy: str | None = None


Verdicts = Mapping[str, _Verdict]


class DialectConversion(NamedTuple):
    """A document in another dialect: its text, and what it says otherwise than the original."""

    text: bytes
    notes: tuple[Note, ...]
    to: DialectTarget


class _Part(NamedTuple):
    """Paths under one pattern and no longer one: the pattern, what is said there, and the words for it."""

    pattern: str
    verdicts: Verdicts
    words: Values


def convert_dialect(octets: bytes, kind: DocumentKind, to: DialectTarget, *, beside: bool = False) -> DialectConversion:
    """Says in one dialect what a document of another says to any crawler.

    Args:
        octets: the document.
        kind: what it is: `robots`, of which lines of signals and of ACAP are taken, `tdmrep`, `rsl` or `ai-txt`.
        to: the dialect. Of Content-Signal and Content-Usage the result is a group for a robots.txt.
        beside: the original stays in place, so that what has no word in the dialect may be left to it.

    Raises:
        ValueError: it cannot be read as such a document, has patterns that are refused, or cannot be said in the
            dialect without permitting more.
    """
    source = _source(octets, kind)
    written = dict.fromkeys(["/", *_patterns(source)])
    patterns = list(dict.fromkeys(canonical_pattern(one.encode()).decode() for one in written))
    if len(patterns) > MOST_PATTERNS:
        raise ValueError(f"it has {len(patterns)} patterns, more than {MOST_PATTERNS}; make it shorter first")
    if odd := next((one for one in patterns if not one.startswith("/") or "*" in one or "$" in one[:-1]), None):
        raise ValueError(f"`{odd}` cannot be proved in another dialect; write paths that begin with / and have no *")
    samples = {pattern: _sample(pattern, patterns) for pattern in patterns}
    verdicts = {pattern: _verdicts(source, path) for pattern, path in samples.items()}
    parts = [_Part(pattern, verdicts[pattern], _words(verdicts[pattern], to)) for pattern in patterns]
    if not any(part.words for part in parts):
        raise ValueError(f"cannot be expressed as `{to}`: it has no word for anything in it")
    text = _WRITERS[to](parts).encode()
    made = _source(text, _KINDS[to])
    notes = [note for part in parts for note in _differences(part, _verdicts(made, samples[part.pattern]), to)]
    notes += _of_some(source)
    if not beside and (lost := next((note for note in notes if note.loss), None)):
        raise ValueError(f"cannot be expressed as `{to}`: {lost.message}; --beside leaves it to the original")
    return DialectConversion(text, tuple(dict.fromkeys(notes)), to)


_KINDS: Mapping[DialectTarget, DocumentKind] = MappingProxyType({
    "content-signal": "robots", "content-usage": "robots", "tdmrep": "tdmrep", "rsl": "rsl", "ai-txt": "ai-txt",
})  # fmt: skip


def _source(octets: bytes, kind: DocumentKind) -> RobotsPolicy | Source:
    """The document, read as a whole."""
    source: RobotsPolicy | Source
    whole = True
    if kind == "robots":
        policy = parse_robots(octets)
        source, whole = lines_of(policy, *USES), not policy.truncated
    elif kind == "tdmrep":
        source = file = parse_tdmrep(octets, url=f"{_SITE}/.well-known/tdmrep.json")
        whole = file.state == "read"
    elif kind == "rsl":
        source = document = parse_rsl(octets, url=f"{_SITE}/license.xml")
        whole = document.is_whole
    elif kind == "ai-txt":
        source = text = parse_ai_txt(octets, url=f"{_SITE}/ai.txt")
        whole = text.state == "read"
    else:
        raise ValueError(f"a document of the kind `{kind}` cannot be said in another dialect")
    if not whole:
        raise ValueError("it cannot be read as a whole; `acap lint` shows what is wrong")
    return source


def _patterns(source: RobotsPolicy | Source) -> Iterator[str]:
    patterns: Iterable[str] = ()
    if isinstance(source, RobotsPolicy):
        patterns = [extension.value.split()[0] for extension in source.extensions if extension.value.startswith("/")]
        patterns += [statement.pattern for statement in source.statements]
    elif isinstance(source, TdmrepFile):
        patterns = ("/" if rule.location is None else rule.location for rule in source.rules)
    elif isinstance(source, RslDocument):
        patterns = (content.url for content in source.contents)
    elif isinstance(source, AiTxt) and source.policy is not None:
        patterns = (field.value for field in source.policy.outline.rules)
    for pattern in patterns:
        yield pattern.rstrip("*") or "/"


def _sample(pattern: str, patterns: Sequence[str]) -> str:
    """A path that a pattern matches, and none that is longer."""
    if pattern.endswith("$"):
        return pattern[:-1]
    beyond = (f"{pattern}{letter}" for letter in "~abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    sample = next((path for path in beyond if not any(one.startswith(path) for one in patterns)), None)
    if sample is None:
        raise ValueError(f"too many patterns below `{pattern}`")
    return sample


def _verdicts(source: RobotsPolicy | Source, path: str) -> Verdicts:
    """What a document says of a path to any crawler."""
    robots, others = (source, ()) if isinstance(source, RobotsPolicy) else (None, (source,))
    decisions = decide_each(f"{_SITE}{path}", crawler=ASKER, usages=_USAGES, robots=robots, others=others)
    return {usage: _verdict(decision) for usage, decision in decisions.items()}


def _verdict(decision: Decision) -> _Verdict:
    if decision.reason.kind != "statement" or not decision.reason.decided_by:
        return _Verdict(None)
    cited = decision.reason.decided_by[0]
    effect: Effect = "restricted" if decision.permitted and decision.restrictions else _EFFECTS[decision.outcome]
    policy = cited.condition.policy or cited.condition.licence if cited.condition else None
    return _Verdict(effect, cited.line or 0, policy)


_EFFECTS: Mapping[str, Effect] = MappingProxyType({
    "permitted": "permits", "conditional": "conditional", "prohibited": "prohibits",
})  # fmt: skip
_REFUSALS = ("prohibits", "conditional")


def _words(verdicts: Verdicts, to: DialectTarget) -> Values:
    """The words for what is said: those that cover nothing else, then the narrowest that cover the rest of refusals."""
    refused = {usage for usage, one in verdicts.items() if one.effect in _REFUSALS}
    permitted = {usage for usage, one in verdicts.items() if one.effect == "permits"}
    words: dict[str, bool] = {}
    for word, covers in _WORDS[to].items():
        if refused.issuperset(covers):
            words[word] = False
        elif permitted.issuperset(covers):
            words[word] = True
    covered = {usage for word, permits in words.items() if not permits for usage in _WORDS[to][word]}
    for usage in sorted(refused - covered):
        fitting = [word for word, covers in _WORDS[to].items() if usage in covers]
        if fitting:
            words[min(fitting, key=lambda word: len(_WORDS[to][word]))] = False
    return words


def _differences(part: _Part, made: Verdicts, to: DialectTarget) -> Iterator[Note]:
    """What the result says of the paths of a pattern otherwise than the original. ValueError where it permits more."""
    where = "" if part.pattern == "/" else f" at {part.pattern}"
    noted: dict[tuple[int, str, bool], list[str]] = {}
    for usage, before in part.verdicts.items():
        was, is_ = before.effect, made[usage].effect
        if is_ in ("permits", "restricted") and was != "permits":
            raise ValueError(f"cannot be expressed as `{to}` without permitting {usage}{where}")
        if was == "prohibits" and is_ == "conditional":
            raise ValueError(f"cannot be expressed as `{to}` without terms for {usage}{where}")
        note = _OTHERWISE.get((was, is_))
        if note is not None:
            noted.setdefault((before.line, *note), []).append(usage)
    for (line, message, loss), usages in noted.items():
        yield Note(line, message.format(f"{', '.join(usages)}{where}"), loss=loss)


_NO_WORD = ("it has no word for the refusal of {0}", True)
_STRICTER = ("{0}: refused as well, for it has no narrower word", False)
_OTHERWISE: Mapping[tuple[Effect | None, Effect | None], tuple[str, bool]] = MappingProxyType({
    ("prohibits", None): _NO_WORD,
    ("conditional", None): _NO_WORD,
    ("restricted", None): ("it has no word for the restrictions of {0}", True),
    ("conditional", "prohibits"): ("{0}: refused, and the terms are not said", False),
    (None, "prohibits"): _STRICTER,
    (None, "conditional"): _STRICTER,
    ("permits", "prohibits"): _STRICTER,
    ("permits", "conditional"): _STRICTER,
    ("restricted", "prohibits"): _STRICTER,
    ("restricted", "conditional"): _STRICTER,
    ("permits", None): ("the permission of {0} is not said", False),
})  # fmt: skip
"""What is noted of an effect that became another, and whether it is lost."""


def _of_some(source: RobotsPolicy | Source) -> Iterator[Note]:
    """Groups for crawlers by name, and statements for purposes: they are for nobody else."""
    robots = source.policy if isinstance(source, AiTxt) else source
    if isinstance(robots, RobotsPolicy):
        named = [name for group in robots.outline.groups for name in group.names if name != "*"]
        named += [name for statement in robots.statements for name in statement.crawlers if name != "*"]
        if named:
            yield Note(0, f"what is said to {named[0]} alone is left out", loss=True)
        if robots.purposes:
            yield Note(0, f"what is said for the purpose {robots.purposes[0]} is left out", loss=True)


def _signals(field: str, yes: str, no: str) -> Callable[[Sequence[_Part]], str]:
    def written(parts: Sequence[_Part]) -> str:
        lines = ["User-agent: *"]
        for pattern, _, words in parts:
            values = ", ".join(f"{word}={yes if permits else no}" for word, permits in words.items())
            lines += [f"{field}: {'' if pattern == '/' else f'{pattern} '}{values}"] if values else []
        return "\n".join([*lines, "Disallow:", ""])

    return written


def _tdmrep(parts: Sequence[_Part]) -> str:
    """Rules, the narrowest first: the first that matches decides (TDMRep 6.1)."""
    rules = []
    for pattern, verdicts, words in sorted(parts, key=lambda part: -len(part.pattern)):
        if "tdm" in words:
            policies = {verdict.policy for verdict in verdicts.values() if verdict.effect in _REFUSALS}
            policy = policies.pop() if len(policies) == 1 else None
            rules.append(TdmrepRule(pattern, not words["tdm"], policy))
    return write_tdmrep(rules)


def _rsl(parts: Sequence[_Part]) -> str:
    """Contents that prohibit; a list of permits would be closed, and refuse what the original does not."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<rsl xmlns="{NAMESPACE}">']
    for pattern, _, words in parts:
        refused = " ".join(word for word, permits in words.items() if not permits)
        licence = f'<license><prohibits type="usage">{refused}</prohibits></license>' if refused else "<license/>"
        lines.append(f"  <content url={quoteattr(pattern)}>{licence}</content>")
    return "\n".join([*lines, "</rsl>", ""])


def _ai_txt(parts: Sequence[_Part]) -> str:
    rules = (f"{'Allow' if part.words['ai-train'] else 'Disallow'}: {part.pattern}" for part in parts if part.words)
    return "\n".join(["User-Agent: *", *rules, ""])


_WRITERS: Mapping[DialectTarget, Callable[[Sequence[_Part]], str]] = MappingProxyType(
    {
        "content-signal": _signals("Content-Signal", "yes", "no"),
        "content-usage": _signals("Content-Usage", "y", "n"),
        "tdmrep": _tdmrep,
        "rsl": _rsl,
        "ai-txt": _ai_txt,
    }
)
