"""Policies that limits cut, at every place where they can: in names, values, definitions, between words.

A case is one of `strategies.generate` with lines of every kind added, blanks put between words, and limits so small
that they bite.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.property import strategies
from tests.property import vocabulary as words
from tests.property.strategies import Case, Line, Palette, Question, plain

NAMES = ("line_octets", "file_octets", "records", "sub_records", "fields_per_record", "fields_per_sub_record")
VERSIONS = ("##ACAP version=1.0", "##ACAP version=1.1", "ACAP-version: 1.0", "ACAP-version: 1.1 # note")
DIRECTIVES = ("ACAP-ignore-conventional-records", "Robot-version: 2.0.0", "Robot-version: 2.1", "License: /b")
USED = (
    "ACAP-allow-print: {pattern}",
    "ACAP-allow-({local}): {pattern}",
    "ACAP-disallow-({local}): {pattern}",
    "ACAP-allow-{usage}: acap:resource-set:{set}",
    "ACAP-disallow-{usage}: acap:resource-set:{set} {pattern}",
)
MARK = "¦"
TEMPTED_USAGES = ("preserve", "present-snippet", "follow", "other")
TEMPTATIONS = (
    "User-agent: bot\nDisallow: {short}¦{rest}\n\nACAP-crawler: bot\nACAP-allow-crawl: {short}",
    "ACAP-crawler: *\nACAP-disallow-crawl: {short}¦{rest}\nACAP-allow-crawl: {short}",
    "User-agent: *\nDisallow: {short}\nAllow: {short}¦{rest}",
    "ACAP-crawler: bot¦2\nACAP-allow-index: /\n\nACAP-crawler: *\nACAP-disallow-index: /",
    "ACAP-crawler: bot¦2\nACAP-allow-follow: /\n\nACAP-crawler: news-bot\nACAP-disallow-index: /",
    "User-agent: bot¦2\nAllow: /\n\nUser-agent: *\nDisallow: /",
    "User-agent: bot¦2\nAllow: /\n\nUser-agent: news-bot\nDisallow: /",
    "User-agent: bot¦2\nDisallow: /",
    (
        "ACAP-crawler: bo¦t\nACAP-allow-follow: /\n\nACAP-crawler: *\nACAP-disallow-index: /\n\n"
        "ACAP-crawler: news-bot\nACAP-allow-index: /"
    ),
    "User-agent: bot\nRobot-version: ¦2.0.0\nAllow: /a",
    "User-agent: *\nDisallow: /a$¦b",
    "User-agent: *\nDisallow: /a%6¦1",
    "User-agent: bot\nRobot-version: 2.0¦.0\nAllow: {short}\nDisallow: *b",
    *(
        f"##ACAP vers¦ion={version}\nACAP-crawler: *\nACAP-{field}: /\n"
        "ACAP-allow-index: /a must-use-resource=the-acap:idlist:a"
        for version in ("1.0", "1.1")
        for field in ("disallow-index", "allow-index")
    ),
    "ACAP-qualified-usage: q¦x index time-limit=1-days\n\nACAP-crawler: *\nACAP-disallow-(qx): /\nACAP-allow-index: /",
    (
        "ACAP-qualified-usage: q index ¦time-limit=1-days\n\n"
        "ACAP-crawler: *\nACAP-disallow-index: /\nACAP-allow-(q): {short}"
    ),
    "ACAP-composite-usage: c index ¦preserve\n\nACAP-crawler: *\nACAP-disallow-(c): /\nACAP-allow-preserve: /",
    (
        "ACAP-qualified-usage: q ind¦ex\n\nACAP-composite-usage: c follow (q)\n\n"
        "ACAP-crawler: *\nACAP-disallow-(c): /\nACAP-allow-index: /"
    ),
    (
        "ACAP-qualified-usage: q index ti¦me-limit=1-days\n\nACAP-composite-usage: c follow (q)\n\n"
        "ACAP-crawler: *\nACAP-disallow-other: /\nACAP-allow-(c): /"
    ),
    *(
        f"##ACAP version=1.0\n\nACAP-qualified-usage: q index must-use-resource=¦the-acap:idlist:a\n\n{more}"
        for more in (
            "ACAP-crawler: *\nACAP-allow-(q): /",
            "ACAP-composite-usage: c preserve (q)\n\nACAP-crawler: *\nACAP-allow-(c): /\nACAP-disallow-preserve: /",
        )
    ),
    "ACAP-resource-set: s /b {short}¦{rest}\n\nACAP-crawler: *\nACAP-disallow-index: acap:resource-set:s",
    (
        "ACAP-resource-set: s {short}¦{rest}\n\n"
        "ACAP-crawler: *\nACAP-disallow-index: /\nACAP-allow-index: acap:resource-set:s"
    ),
    "ACAP-resource-set: s¦x /a\n\nACAP-crawler: *\nACAP-disallow-index: acap:resource-set:sx\nACAP-allow-index: /a",
    "ACAP-crawler: *\nACAP-disallow-index: /\nACAP-usage-purpose: news¦x\nACAP-allow-index: /",
    "ACAP-crawler: *\nACAP-usage-purpose: n¦ews\nACAP-disallow-index: {short}",
    "ACAP-crawler: *\nACAP-request-take-down: {short}¦{rest}",
    "ACAP-crawler: *\nACAP-permissions-reference: /r¦ef.txt",
    "User-agent: *\nDisallow: /\n\nACAP-ignore-conventional-records¦-not\n\nACAP-crawler: *\nACAP-allow-index: /",
    "User-agent: *\nContent-Signal: ai-train=yes¦, ai-train=no",
    "User-agent: *\nContent-Signal: {short}¦{rest} ai-train=no\nContent-Signal: {short} ai-train=yes",
    "User-agent: *\nContent-Usage: /¦ search=n\nContent-Usage: {short} search=y",
    "License: ¦http://site.example/l.xml",
)
"""Texts in which a limit, at the mark, could make one line say what another takes for more; blocks in any order."""


def generate(random: Random) -> Case:
    """One case; the same for the same state of `random`."""
    if random.random() < 0.2:
        return tempted(random)
    case = strategies.generate(random)
    if case.dialect == "google":
        case = replace(case, dialect="auto")  # that one has no limits of ours
    lines = list(case.lines)
    palette = Palette.drawn(random)
    for _ in range(random.choice((0, 1, 2, 3))):
        lines.insert(random.randint(0, len(lines)), plain(sentence(random, palette)))
    lines = [stretched(random, line) if random.random() < 0.3 else line for line in lines]
    case = replace(case, lines=tuple(lines))
    asked = [*case.questions, *(question(random, case, palette) for _ in range(4))]
    asked = [with_names(random, each) if random.random() < 0.4 else each for each in asked]
    return replace(case, questions=tuple(asked), limits=limits(random, case))


def sentence(random: Random, palette: Palette) -> str:
    """A line of a kind that a cut changes in its own way."""
    kind = random.choice((VERSIONS, DIRECTIVES, words.DEFINITIONS, words.DEFINITIONS, USED, USED, USED))
    return random.choice(kind).format(
        local=random.choice(words.LOCAL),
        pattern=random.choice(palette.patterns),
        set=random.choice(words.SETS),
        usage=random.choice(palette.usages),
    )


def stretched(random: Random, line: Line) -> Line:
    """The line with a run of blanks at its start, at a blank or around its colon; sometimes with a comment."""
    places = [0, *(at for at, octet in enumerate(line.octets) if octet in b" :"), *(line.octets.find(b":") + 1,) * 2]
    at = random.choice([place for place in places if place >= 0])
    blanks = b" " * random.choice((4, 12, 40))
    comment = random.choice((b"", b"", b"", b" # a comment that may be cut"))
    return Line(line.octets[:at] + blanks + line.octets[at:] + comment, line.kind)


def tempted(random: Random) -> Case:
    """The text of `TEMPTATIONS`, the line with the mark as long before it as the limit, and no other line longer."""
    written = random.choice(TEMPTATIONS).format(
        short=random.choice(("/", "/a")), rest=random.choice(("b", "/b", "*b$"))
    )
    blocks = written.split("\n\n")
    random.shuffle(blocks)
    texts = "\n".join(blocks).split("\n")
    whole = [text.replace(MARK, "") for text in texts]
    most = max(len(text.partition(MARK)[0]) for text in texts) + random.choice((0, 1, 8))
    at = next(number for number, text in enumerate(texts) if MARK in text)
    blanks = " " * (most - texts[at].index(MARK))
    colon = texts[at].find(":") + 1
    start = random.choice((0, colon if 0 < colon < texts[at].index(MARK) else 0))
    whole[at] = whole[at][:start] + blanks + whole[at][start:]
    names = ("bot", "bot2", "unnamed", ("bot", "news-bot"), ("news-bot", "bot2"))
    asked = [
        Question(url, random.choice(names), usage, random.choice((None, "news")))
        for url in random.sample(("/a", "/ab", "/a/b", "/a$b", "/aa"), 2)
        for usage in ("crawl", "index", "ai-train", random.choice(TEMPTED_USAGES))
    ]
    return Case(lines=tuple(map(plain, whole)), questions=tuple(asked), limits={"line_octets": most})


def question(random: Random, case: Case, palette: Palette) -> Question:
    """A question on something that the case has words for."""
    written = [word.decode("utf-8", "replace") for line in case.lines for word in line.octets.split()]
    paths = [word for word in written if word.startswith("/")] or ["/"]
    crawler = random.choice([*(name for name in palette.names if name != "*"), *words.NAMES])
    purpose = random.choice((None, None, *(each for each in palette.purposes if each)))
    usage = random.choice(("crawl", "print", *palette.usages, *words.ASKED))
    return Question(strategies.path_of(random, random.choice(paths)), crawler, usage, purpose)


def with_names(random: Random, asked: Question) -> Question:
    """The question by a crawler with several names."""
    names = asked.crawler if isinstance(asked.crawler, tuple) else (asked.crawler,)
    more = random.sample(words.NAMES, random.choice((1, 1, 2)))
    together = [*names, *more]
    random.shuffle(together)
    return replace(asked, crawler=tuple(together))


def limits(random: Random, case: Case) -> dict[str, int]:
    """One limit that bites, of lines more often than not; sometimes two."""
    drawn = random.choices(NAMES, weights=(12, 1, 1, 1, 1, 1), k=random.choice((1, 1, 1, 2)))
    lengths = [len(line.octets) for line in case.lines] or [1]
    most = {
        "line_octets": random.choice((random.randint(1, 40), max(1, random.choice(lengths) - random.randint(1, 12)))),
        "file_octets": random.randint(0, len(case.octets) + 2),
    }
    return {name: most.get(name, random.randint(0, 2)) for name in drawn}
