"""A permission without restrictions, which does not lift those of a broader one."""

from __future__ import annotations

from collections.abc import Iterator

from acap import _native
from acap.problems import Example
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding, Related
from acap.publish.lint.rule import Rule
from acap.robots import PolicyStatement, url_at

MOST = 200  # permissions that are compared with each other


def check(document: Document) -> Iterator[Finding]:
    """A finding for each permission without restrictions for which those of a broader one in its record hold."""
    if not document.acap_fields:
        return
    permits = [
        statement
        for statement in document.statements
        if statement.cited.dialect == "acap" and statement.cited.effect == "permits"
    ]
    limited = [statement for statement in permits if statement.restrictions][:MOST]
    if not limited:
        return
    seen = set()
    for permission in [statement for statement in permits if not statement.restrictions][:MOST]:
        for other in limited:
            lifted = {name for name, _ in other.restrictions}
            if (
                permission.cited.line in seen
                or not _covers(other, permission)
                or not _holds(document, permission, lifted)
            ):
                continue
            seen.add(permission.cited.line)
            restrictions = ", ".join(f"`{name}={value}`" for name, value in other.restrictions)
            yield RULE.at_line(
                document,
                permission.cited.line or 0,
                f"{restrictions} of line {other.cited.line} applies here too; leaving it out does not lift it",
                help="give this permission its own value, or drop the restriction from the wider permission",
                related=(Related(other.cited.line or 0, "the restriction"),),
            )


def _covers(other: PolicyStatement, statement: PolicyStatement) -> bool:
    """Whether a permission is of the same record, purposes and usage as another line, and of its resources or more."""
    return (
        other.cited.line != statement.cited.line
        and other.crawlers == statement.crawlers
        and other.purposes == statement.purposes
        and other.cited.usage == statement.cited.usage
        and _native.contains(_pattern(statement), _pattern(other))
    )


def _pattern(statement: PolicyStatement) -> bytes:
    return _native.canonical_pattern(statement.pattern.encode())


def _holds(document: Document, statement: PolicyStatement, lifted: set[str]) -> bool:
    """Whether a decision on a resource of the permission has a restriction that it does not name."""
    path = (
        statement.pattern.replace("*", "/" if statement.pattern.startswith("*") else "x", 1)
        .replace("*", "x")
        .removesuffix("$")
    )
    crawler = next(iter(statement.crawlers), "*")
    if not path.startswith("/") or any("*" in purpose for purpose in statement.purposes):
        return False
    decision = document.policy.decide(
        url_at(document.policy, path),
        crawler="a-crawler-that-no-file-names" if crawler == "*" else crawler,
        usage=statement.cited.usage,
        purpose=statement.purposes[0] if statement.purposes else None,
        at=document.today,
    )
    return decision.permitted and not lifted.isdisjoint(restriction.name for restriction in decision.restrictions)


RULE = Rule(
    code="restriction-not-lifted",
    summary="a permission leaves out a restriction but does not lift it",
    severity="warning",
    why=(
        "All permissions that apply to a resource apply together, with their restrictions. A narrower one may give a "
        "restriction another value; leaving it out changes nothing. ACAP cannot say that a restriction does not apply."
    ),
    clause="P1 4.3, P2 2.2.8",
    examples=(
        Example(
            bad=(
                "ACAP-crawler: *\nACAP-allow-present-snippet: / max-length=100-chars\nACAP-allow-present-snippet: "
                "/press/\n"
            ),
            good=(
                "ACAP-crawler: *\nACAP-allow-present-snippet: / max-length=100-chars\nACAP-allow-present-snippet: "
                "/press/ max-length=9999-chars\n"
            ),
        ),
    ),
    check=check,
)
