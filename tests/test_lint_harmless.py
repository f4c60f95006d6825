"""A finding whose correction would change nothing is mere information; any other stays as bad as it is."""

from __future__ import annotations

import re

import pytest

from acap.problems import Severity
from acap.publish.lint import harmless
from acap.publish.lint.catalogue import rules
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.fixing import applied
from acap.publish.lint.harmless import HARMLESS
from acap.publish.lint.run import findings_of, lint
from acap.robots import parse_robots

STAR = "User-agent: *\n"
BLOCK = "# BEGIN Cloudflare Managed content\nUser-agent: *\nContent-Signal: ai-train=no\nAllow: /\n"
BLOCK += "# END Cloudflare Managed Content\n\n"


def document(text: str) -> Document:
    return Document(text.encode(), "robots.txt")


def found(code: str, text: str) -> tuple[Finding, ...]:
    return findings_of(rules()[code], document(text))


PROVED: list[tuple[str, str]] = [
    ("relative-pattern", STAR + "Disallow: /a.exe\nDisallow: a.exe\n"),
    ("relative-pattern", STAR + "Disallow: /\nDisallow: a.exe\n"),
    ("relative-pattern", STAR + "Disallow: robots.txt\n"),
    ("relative-pattern", STAR + "Disallow: /b/\nAllow: sitemap.xml\n"),
    ("relative-pattern", "User-agent: Googlebot\nAllow: .css\n\n" + STAR + "Disallow: /b/\n"),
    ("relative-pattern", STAR + "Disallow: /*?\nDisallow: ?a=\n"),
    ("relative-pattern", STAR + "Disallow: /a\nDisallow: Disallow: /a\n"),
    ("absolute-rule", STAR + "Allow: https://example.org/\nDisallow: /b/\n"),
    ("absolute-rule", STAR + "Allow: https://example.org/a/\nDisallow: /b/\n"),
    ("allow-only-group", STAR + "Disallow: /a/\n\nUser-agent: ExampleBot\nAllow: /a/\n"),
    ("backslash-in-pattern", STAR + "Disallow: /*a=b\\*\nDisallow: /*a=*\n"),
    ("missing-colon", STAR + "Disallow: /\nDisallow /a/\n"),
    ("blank-in-pattern", STAR + "Disallow: /a/\nDisallow: /a/My File.pdf\n"),
    ("relative-pattern", STAR + "Disallow: /a\nDisallow:: /a/\n"),
    ("misspelt-field", STAR + "Disallow: /\nDisalow: /a/\n"),
    ("misspelt-field", STAR + "Disallow: /a/\n\u200bUser-agent: *\nDisallow: /b/\n"),
    ("misspelt-field", "User-agent: a\n\u200bDisallow: /\n\nUser-agent: b\nDisallow: /\n"),
    ("misspelt-crawler", "User-agent: Gogglebot\nDisallow: /a/\n\n" + STAR + "Disallow: /a/\n"),
    ("user-agent-string", STAR + "User-agent: Mozilla/5.0 (compatible; ExampleBot)\nDisallow: /a/\n"),
    ("user-agent-string", "User-agent: bullseye/1.0\nUser-agent: Mozilla/4.0 (compatible; BullsEye)\nDisallow: /\n"),
    ("rule-before-agent", "Disallow: /a/\n" + STAR + "Disallow: /a\n"),
    ("rule-on-agent-line", STAR + "Allow: /\n\nUser-agent: ExampleBot Allow: /\n"),
    ("several-paths-on-a-line", STAR + "Disallow: /\nDisallow: /a/ /b/\n"),
    ("star-in-braces", STAR + "Disallow: /\nDisallow: /{*}\n"),
    ("comment-in-pattern", STAR + "Allow: /l?s&#x3D;p\nDisallow: /b/\n"),
]


@pytest.mark.parametrize(("code", "text"), PROVED)
def test_a_correction_that_changes_nothing_is_information_and_says_so(code: str, text: str) -> None:
    assert [(one.severity, one.message.endswith(HARMLESS)) for one in found(code, text)] == [("info", True)]
    assert rules()[code].weighs


HARMFUL: list[tuple[str, str, list[Severity]]] = [
    ("relative-pattern", STAR + "Disallow: /a.exe\nDisallow: b.exe\n", ["error"]),
    ("relative-pattern", STAR + "Disallow: /b/\nAllow: b/c.xml\n", ["error"]),
    ("relative-pattern", STAR + "Disallow: /b/\nAllow: .css\n", ["error"]),
    ("relative-pattern", STAR + "Disallow: /login?\nDisallow: login?\n", ["error"]),
    ("relative-pattern", STAR + "Disallow: Allow: /a\n", ["error"]),
    ("absolute-rule", STAR + "Allow: https://example.org/\nDisallow: /\n", ["warning"]),
    ("absolute-rule", STAR + "Disallow: /\nDisallow: https://example.org/\n", ["warning"]),
    ("allow-only-group", STAR + "Disallow: /a/\nDisallow: /b/\n\nUser-agent: ExampleBot\nAllow: /a/\n", ["warning"]),
    ("backslash-in-pattern", STAR + "Disallow: /*a=b\\*\nDisallow: /*b=*\n", ["warning"]),
    ("backslash-in-pattern", STAR + "Disallow: /a\\\\|b\nDisallow: /a\n", ["warning"]),
    ("missing-colon", STAR + "Disallow: /a/b/\nDisallow /a/\n", ["warning"]),
    ("blank-in-pattern", STAR + "Disallow: /b/\nDisallow: /a/My File.pdf\n", ["warning"]),
    # Twins, of which each says what the other does.
    ("blank-in-pattern", STAR + "Disallow: /a b/\nDisallow: /a b/\n", ["warning", "warning"]),
    ("relative-pattern", STAR + "Disallow: a.exe\nDisallow: a.exe\n", ["error", "error"]),
    # What one crawler skips as a misspelt line it may need for the other.
    ("missing-colon", STAR + "Disalow: /a/\nDisallow /a/\n", ["warning"]),
    ("misspelt-field", "Useragent: a\nDisallow: /\n\nUseragent: *\nDisallow: /\n", ["warning", "warning"]),
    ("misspelt-crawler", "User-agent: Gogglebot\nDisallow: /a/\n\n" + STAR + "Disallow: /b/\n", ["warning"]),
    # Decisions are the same, and the pace is not.
    ("misspelt-crawler", "User-agent: Gogglebot\nDisallow:\nCrawl-delay: 9\n\n" + STAR + "Disallow:\n", ["warning"]),
    ("misspelt-field", "User-agent: a\nUseragent: b\nCrawl-delay: 9\n", ["warning"]),
    ("user-agent-string", "User-agent: Mozilla/5.0 (compatible; ExampleBot)\nDisallow: /a/\n", ["warning"]),
    (
        "user-agent-string",
        "User-agent: Mozilla/5.0\nUser-agent: Mozilla/5.0 (Windows)\nDisallow: /a/\n",
        ["warning"] * 2,
    ),
    ("rule-before-agent", "Disallow: /a\n" + STAR + "Disallow: /a/\n", ["error"]),
    ("rule-before-agent", "Allow: /a/b/\nDisallow: /a/\n" + STAR + "Disallow: /c/\n", ["error", "error"]),
    ("rule-on-agent-line", STAR + "Allow: /\n\nUser-agent: ExampleBot Disallow: /\n", ["error"]),
    ("rule-on-agent-line", "User-agent: * Disallow: User-agent: b Disallow: /\n", ["error"]),
    ("several-paths-on-a-line", STAR + "Disallow: /a/ /b/\n", ["error"]),
    ("comment-in-pattern", STAR + "Disallow: /l?s&#x3D;p\n", ["warning"]),
]


@pytest.mark.parametrize(("code", "text", "expected"), HARMFUL)
def test_a_correction_that_changes_something_keeps_its_severity(code: str, text: str, expected: list[Severity]) -> None:
    told = found(code, text)
    assert [one.severity for one in told] == expected
    assert not any(one.message.endswith(HARMLESS) for one in told)


def test_a_sitemap_that_is_not_announced_is_no_harmless_one() -> None:
    """It decides nothing, and yet nobody finds it."""
    (told,) = found("misspelt-field", STAR + "Disallow:\nSite-map: https://example.com/s.xml\n")
    assert told.severity == "warning"


def test_no_more_is_tried_than_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not tried stays as bad as it is."""
    text = STAR + "Disallow: /\n" + "".join(f"Disallow: {letter}/\n" for letter in "abc")
    monkeypatch.setattr(harmless, "PROOFS", 2)
    assert [one.severity for one in found("relative-pattern", text)] == ["info", "info", "error"]
    monkeypatch.setattr(harmless, "OCTETS", len(text))
    assert [one.severity for one in found("relative-pattern", text)] == ["info", "error", "error"]
    monkeypatch.setattr(harmless, "STEPS", 0)
    assert [one.severity for one in found("relative-pattern", text)] == ["error"] * 3


SPEAKS: list[tuple[str, str, Severity, str, str | None]] = [
    ("misspelt-field", STAR + "Disallow:\n\u200dUser-agent: a\nDisallow: /\n", "warning", "U+200D", "`User-agent`"),
    ("misspelt-crawler", "User-agent: Yahoo! Slurp\nDisallow: /\n", "info", "with `Slurp` is enough", "`Slurp`"),
    ("user-agent-string", "User-agent: Mozilla/5.0 (compatible; Konqueror/3.5) (Exabot-Thumbnails)\nDisallow: /\n",
     "warning", "`Mozilla`", "`Exabot-Thumbnails`"),
    ("user-agent-string", "User-agent: Rome Client (a)\nUser-agent: Rome Client\nDisallow: /\n", "info", "Rome", None),
    ("comment-in-pattern", STAR + "Disallow: /l?s&#x3D;p\n", "warning", "`&#x3D;` is HTML for `=`", "write `/l?s=p`"),
    ("comment-in-pattern", STAR + "Disallow: /shop/admin#\n", "info", "`/shop/admin`", None),
    ("comment-in-pattern", STAR + "Disallow: /a.pdf#11\n", "info", "`/a.pdf`", None),
    ("comment-in-pattern", STAR + "Disallow: /app#!/a\n", "warning", "`/app`", None),
    ("comment-in-pattern", STAR + "Disallow: /*.aspx#a\n", "warning", "`/*.aspx`", None),
    ("dollar-inside-pattern", STAR + "Disallow: /$1f-a$/x\nDisallow: /$1f-a$/y\n", "info", "1 more rules", "if URLs"),
    ("dollar-inside-pattern", STAR + "Disallow: /^custom$/\n", "warning", "`/^custom$/`", None),
    ("lifted-block", BLOCK + "User-agent: a\nDisallow: /\n", "info", "ai-train", "repeat"),
    ("relative-pattern", STAR + "Disallow: image_gallery?\n", "error", "no path", "`/*image_gallery?`, or `/image_"),
    ("several-paths-on-a-line", STAR + "Allow: /Disallow: /b/\n", "error", "second field",
     "`Allow: /` and `Disallow: /b/`"),
    ("wildcard-in-crawler-name", "User-agent: Google-Extended{*}\nDisallow: /\n", "info", "`Google-Extended`",
     "write `Google-Extended`"),
    ("wildcard-in-crawler-name", "User-agent: *msnbot*\nDisallow: /\n", "warning", "no crawler", "write `msnbot`"),
    ("relative-pattern", STAR + "Disallow:: /a\n", "error", "no path", "remove the second colon"),
    ("relative-pattern", STAR + "Disallow: : /a Disallow: /b\n", "error", "no path", "remove the second colon"),
    ("no-field", "robots.txt generated by www.example.com\n" + STAR + "Disallow: /\n", "info", "not a field", None),
    ("no-field", "robots may not crawl, says robots.txt\n" + STAR + "Disallow: /\n", "warning", "not a field", None),
    ("unknown-field", STAR + "Disallow: /w\n(or use Disallow: /w-* for all)\n", "info", "unknown", None),
    ("unknown-field", "<begin content>\n" + STAR + "Disallow: /w\n", "info", "unknown", None),
    ("absolute-rule", STAR + "Disallow: https://example.org/\n", "warning", "no path", "if it is for that host"),
    ("packed-file", "\x00\x01\x02\x03" * 30, "error", "most crawlers find no rule", None),
]  # fmt: skip


@pytest.mark.parametrize(("code", "text", "severity", "says", "leads"), SPEAKS)
def test_a_finding_names_the_cause_and_the_way_out(
    code: str, text: str, severity: Severity, says: str, leads: str | None
) -> None:
    (told,) = found(code, text)
    assert told.severity == severity
    assert says in told.message
    assert leads is None or leads in (told.help or "")


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("misspelt-crawler", "User-agent: ICCrawler\nDisallow: /\n"),
        ("allow-only-group", STAR + "Disallow: /a/\n\nUser-agent: Google\nAllow: /b/\n"),
        ("several-paths-on-a-line", STAR + "Disallow: /shallow:1\n"),
        ("lifted-block", BLOCK + STAR + "Disallow: /a/\n"),
    ],
)
def test_a_rule_keeps_quiet(code: str, text: str) -> None:
    """ICCrawler is a crawler of its own, no crawler is called Google, and a colon alone makes no field."""
    assert found(code, text) == ()


def test_a_managed_block_that_is_lifted_in_earnest_is_a_warning() -> None:
    (told,) = found("lifted-block", BLOCK + "User-agent: a\nDisallow: /p/\n")
    assert told.severity == "warning"


@pytest.mark.parametrize("text", ["{\\rtf1\\ansi\nUser-agent: *\\\nDisallow: /*.jpg$\\\n}", "\x00\x01\r\x02a" * 30])
def test_of_what_is_no_text_nothing_else_is_told(text: str) -> None:
    """RTF and binary files: their backslashes and line ends are no mistakes of a robots.txt."""
    (told,) = lint(document(text))
    assert told.code in ("rich-text", "packed-file")


DOUBTFUL = [
    STAR + "Disallow: /a/Disallow: /b/\n",
    STAR + "Allow: /Disallow: /b/\n",
    STAR + "Disallow: /a,/b\n",
    STAR + "Disallow: login?\n",
    STAR + "Disallow: Disallow:/x\n",
    STAR + "Disallow:: /x\n",
]


@pytest.mark.parametrize("text", DOUBTFUL)
def test_a_fix_of_what_may_be_meant_otherwise_is_not_safe(text: str) -> None:
    given = document(text)
    told = [
        one for code in ("several-paths-on-a-line", "relative-pattern") for one in findings_of(rules()[code], given)
    ]
    assert told
    assert not any(one.fix.safe for one in told if one.fix)


def test_two_fields_on_a_line_become_two_lines() -> None:
    given = document(STAR + "Disallow: /a/Disallow: /b/\nAllow: /Disallow: /c/\n")
    octets, _ = applied(given, findings_of(rules()["several-paths-on-a-line"], given))
    assert octets.decode() == STAR + "Disallow: /a/\nDisallow: /b/\nAllow: /\nDisallow: /c/\n"


def test_the_fix_of_a_harmless_finding_changes_no_decision() -> None:
    """Asked path by path, of what the texts name."""
    for code, text in PROVED:
        given = document(text)
        octets, mended = applied(given, found(code, text))
        policies = (parse_robots(given.octets), parse_robots(octets))
        paths = ["/", "/x", *(f"/{word.strip('/*')}" for word in re.findall(r"\S+", text))]
        for path in paths if mended and code not in ("misspelt-crawler", "user-agent-string") else ():
            for name in ("other", "Googlebot", "ExampleBot", "a", "b"):
                one, other = (each.decide(path, crawler=name, usage="crawl").outcome for each in policies)
                assert one == other, (code, path, name)
