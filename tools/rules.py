"""The page on the rules of lint, from the rules themselves."""

from __future__ import annotations

from collections.abc import Iterator

from tools.catalogues import bullets

KINDS = {
    "robots": "robots.txt",
    "page": "pages",
    "headers": "headers",
    "tdmrep": "tdmrep.json",
    "tdm-policy": "policies of TDMRep",
    "ai-txt": "ai.txt",
    "rsl": "licence documents of RSL",
    "cawg": "assertions of CAWG",
}
SEVERITIES = {
    "error": "what was meant is not in force, or something stricter is",
    "warning": "it is ignored, read in one way where others may read it in another, or hardly what was meant",
    "info": "worth knowing; it does not count for the exit code, unless `--strict` is given",
}
FIXES = {
    "safe": "`--fix`; it permits nothing more",
    "unsafe": "`--fix --unsafe-fixes`; it may change what is permitted",
    None: "by hand",
}

ABOUT = """\
What [`acap lint`](../../docs/how-to/lint.md) finds. `acap rule CODE` shows the same on a terminal.
The codes are stable."""


def page() -> str:
    """Every rule by its code: what it finds, why, and what is to be written instead."""
    from acap.publish.lint.catalogue import rules

    known = rules()
    parts = ["# Rules", ABOUT]
    for severity, meaning in SEVERITIES.items():
        linked = ", ".join(f"[{code}](#{code})" for code, rule in known.items() if rule.severity == severity)
        parts.append(f"**{severity}**, {meaning}: {linked}.")
    for code in known:
        parts += _rule(code)
    return "\n\n".join(parts) + "\n"


def _rule(code: str) -> Iterator[str]:
    from acap.cli.rule import change
    from acap.publish.lint.catalogue import rules
    from acap.publish.lint.rule import legible

    rule = rules()[code]
    yield f"## {code}"
    yield f"{rule.summary[:1].upper()}{rule.summary[1:]}."
    yield rule.why
    facts = [
        f"{rule.severity}, in {', '.join(KINDS[kind] for kind in rule.kinds)}",
        f"fix: {FIXES[rule.fix]}",
    ]
    if rule.weighs:
        facts.append("information, if the correction is proved to change no decision as the file stands")
    if rule.clause:
        facts.append(f"source: {rule.clause}")
    if not rule.default:
        facts.append("it runs only if it is selected")
    yield "\n".join(bullets(facts))
    for example in rule.examples:
        yield f"Wrong:\n\n{_block(legible(example.bad))}"
        if example.fixed is None:
            yield f"Right:\n\n{_block(legible(example.good))}"
        else:
            yield f"Fixed:\n\n{_block(change(example), 'diff')}"


def _block(text: str, language: str = "text") -> str:
    """A block of code, whose fence is longer than any in it; control characters are shown as escapes."""
    from acap.explain import visible

    lines = "\n".join(visible(line).rstrip() for line in text.splitlines())
    fence = "`" * (4 if "```" in lines else 3)
    return f"{fence}{language}\n{lines}\n{fence}"
