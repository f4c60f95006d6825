"""The pages on problems and on restrictions, from the catalogues of the package."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tools import api
from tools.problem_examples import EXAMPLES

SEVERITIES = {
    "error": "what was meant is not in force, or something stricter is",
    "warning": "it is ignored, or read in one way where others may read it in another",
    "info": "worth knowing, and nothing that must be fixed",
}

# The values of each form, in words; what a row of the table adds to them is in `values`.
FORMS = {
    "time": (
        "`until-recrawled`",
        "`until-YYYY-MM-DD`",
        "`N-days`",
        "of conventional words also `until-YYYY-MM-DDTHH:MM:SSZ`",
    ),
    "length": ("`N-chars`", "`N-words`"),
    "resource": ("a URI",),
    "words": (),
    "page": ("the URL of the page itself",),
    "number": ("a number",),
}

ABOUT_PROBLEMS = """\
What readers find wrong in a robots.txt, a page, a header or the metadata of a file. Reading never fails: each of these
is in `problems` of the [`RobotsPolicy`](api.md#robotspolicy), [`PagePolicy`](api.md#pagepolicy) or
[`EmbeddedPolicy`](api.md#embeddedpolicy), and the rest counts all the same. Codes that begin with `page-` are found in
pages and headers, those with `embedded-` in metadata, those with `acap-` in robots.txt and pages.
[How to read problems](../../docs/how-to/read-problems.md) says what to do with them. The codes are stable.

Of metadata the examples show the properties, or say what the file is."""

ABOUT_RESTRICTIONS = """\
What a permission can be subject to: the qualifiers of ACAP (P1 4.5.3.1, G 2.5), what
[conventional words](../semantics.md#conventional-words) and [licences](../dialects/rsl.md) restrict to, and what is
excluded from a permission.
The classes are in `acap.restrictions`.
[Purposes and restrictions](../how-to/purposes-and-restrictions.md) shows how to keep them;
[the semantics](../semantics.md#restrictions) say which hold, and when one is over."""

ABOUT_OTHERS = "No qualifier of ACAP: a conventional word says it, or a licence."

ABOUT_EXCLUDED = {
    "excluded-purpose": """\
Not for this purpose.

No policy writes it. A permission that was asked for without a purpose has one for each purpose that the policy
prohibits, with the pattern as its value. Every crawler is taken to honour it.""",
    "excluded-element": """\
Leave this part of the page out.

No policy writes it. The permission of a page has one for each element that may not be used, with the element's
[locator](../semantics.md#class-attributes-and-elements) as its value; `PagePolicy.content_for` leaves them out. Every
crawler is taken to honour it; one that cannot says `Crawler(elements=False)`, and gets a prohibition instead.""",
}


def problems() -> str:
    """Every problem by its code, with an example and what the readers say of it."""
    from acap.problems import CATALOGUE

    codes = {
        severity: [code for code, kind in CATALOGUE.items() if kind.severity == severity] for severity in SEVERITIES
    }
    parts = [
        "# Problems",
        ABOUT_PROBLEMS,
    ]
    for severity, meaning in SEVERITIES.items():
        linked = ", ".join(f"[{code}](#{code})" for code in codes[severity])
        parts.append(f"**{severity}**, {meaning}: {linked}.")
    for code, kind in CATALOGUE.items():
        example = EXAMPLES[code]
        found = example.problem(code)
        says = f"{example.place(found)}, {found.severity}: {found.message}"
        parts += [
            f"## {code}",
            f"```text\n{example.text()}\n```",
            f"{says} ({kind.clause})." if kind.clause else f"{says}.",
            *([kind.why] if kind.why else []),
        ]
        if found.fix:
            parts.append(f"Fix: {found.fix}" if found.fix.endswith("?") else f"Fix: {found.fix}.")
    return "\n\n".join(parts) + "\n"


def restrictions() -> str:
    """Every restriction with its values, the usages it is for, and its class."""
    from acap.explain import RESTRICTIONS
    from acap.restrictions import TABLE, Restriction, restriction

    parts = [
        "# Restrictions",
        ABOUT_RESTRICTIONS,
        "Each has `name`, `value` as written, `usage` (the part of a question about several, or none), and:",
        *bullets(attributes(Restriction)),
    ]
    for row in TABLE.values():
        cls = type(restriction(row.name, ""))
        parts += [
            f"## {row.name}",
            sentence(RESTRICTIONS[row.name]),
            *([] if row.acap else [ABOUT_OTHERS]),
            *bullets(
                [
                    f"values: {'; '.join(values(row.form, row.words))}",
                    f"for: {', '.join(usages(row.usages, acap=row.acap))}",
                ]
            ),
        ]
        if own := [line for line in attributes(cls) if line not in attributes(Restriction)]:
            parts += [f"A `{cls.__name__}`:", *bullets(own)]
    for name, about in ABOUT_EXCLUDED.items():
        parts += [f"## {name}", about]
    return "\n\n".join(parts) + "\n"


def values(form: str, words: tuple[str, ...]) -> Iterator[str]:
    """The values of a row as they are written in a policy."""
    yield from FORMS[form]
    for word in words:
        if form != "resource":
            yield f"`{word}`"
        elif word.endswith("list:"):
            yield f"`the-acap:{word}NAME, NAME`"
        elif word.startswith("extract:"):
            yield f"`the-acap:{word}NAME`"
        else:
            yield f"`the-acap:{word}` and a URI or `id:NAME`, `class:NAME`, `meta:NAME`"


def usages(written: tuple[str, ...], *, acap: bool) -> Iterator[str]:
    """The usages of a row; `…` at the end stands for those below."""
    for usage in written:
        if usage == "*":
            yield "every usage, in pages" if acap else "every usage"
        else:
            name = usage.removesuffix("…")
            yield f"`{name}`" if name == usage else f"`{name}` and each kind of it"


def attributes(cls: type) -> list[str]:
    lines = (api.attribute(cls, name, node) for name, node in api.members(cls).items())
    return [line.removeprefix("- ") for line in lines if line]


def bullets(lines: Iterable[str]) -> list[str]:
    """The lines as one list, or nothing."""
    listed = "\n".join(f"- {line}" for line in lines)
    return [listed] if listed else []


def sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
