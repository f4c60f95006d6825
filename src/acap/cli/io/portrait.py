"""A policy as a tree of plain sentences: what each crawler may do, what else the file says, and its problems.

Each statement has its line, so that it can be found in the file. The tree is rendered as an explanation's is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, islice, takewhile

from acap._native import addresses, agent_names, crawler_name, matches, unreadable
from acap.cli.io.asking import CrawlerOption
from acap.crawler_list import known
from acap.explain import Node, Role, visible
from acap.plurals import plural
from acap.problems import of_the_whole
from acap.publish.lint.crawler_names import listing
from acap.publish.lint.document import Document
from acap.publish.problem_node import problem_node
from acap.publish.statement_node import statement_node
from acap.publish.unbound import UNREADING, unbound
from acap.publish.verdict import PolicyVerdict, verdict
from acap.robots import Line, PolicyStatement, Politeness, RobotsPolicy, Window, parse_robots

ANY = "*"
_NAMES = 8  # crawlers that head a section; of more the names stand below it
_WIDTH = 96
_EVERYTHING = ("/", "/*", "*")
_POLITENESS = frozenset({"Crawl-delay", "Request-rate", "Visit-time", "Comment"})
_REQUESTS = 10_000_000  # crawlers times lines: each crawler's requests are looked for in the whole file, 0.1 µs a line
_LINE_END = re.compile(rb"\r\n?|\n")
_FIELDS = {"content-signal": "Content-Signal", "content-usage": "Content-Usage", "rsl": "License"}
_RULES = {"permits": "Allow", "prohibits": "Disallow"}
_ANOTHER = re.compile(r"[,;\s]\s*[A-Za-z]")


def portrait(
    policy: RobotsPolicy, name: str, crawler: CrawlerOption | None = None, purposes: Sequence[str] = ()
) -> Node:
    """What the policy called `name` says; with a crawler or purposes only what concerns them."""
    if policy.evidence.get("meaning") in ("absent", "unreachable", "restricted"):
        return _no_file(policy, name)
    lines = _lines(policy)
    parts = [
        *_file_notes(policy),
        *_verdict(policy, name, crawler),
        *_sections(policy, crawler, purposes, len(lines)),
        *_listing("sitemaps", policy.sitemaps),
        *_listing("other fields (signals, sitemaps)", _others(policy)),
        *_problems(policy, lines),
    ]
    version = f", ACAP version {policy.version}" if policy.version else ""
    number = sum(1 for line in lines if line.octets)
    more = "more than " if policy.truncated and len(policy.text) > policy.limits.file_octets else ""
    title = f"{name}: {more}{plural(number, 'line')}{version}, read as {policy.dialect}"
    return Node(Role.SOURCE, visible(title), tuple(parts))


def _lines(policy: RobotsPolicy) -> Sequence[Line]:
    """The lines up to the one in which reading ends: of those behind it there may be millions."""
    text = policy.text if policy.truncated else b""
    end = _LINE_END.search(text, policy.limits.file_octets)
    return policy.lines if end is None else parse_robots(text[: end.end()], dialect=policy.dialect).lines


def _no_file(policy: RobotsPolicy, name: str) -> Node:
    meaning = policy.evidence["meaning"]
    status_text = f" (the answer was {status})" if (status := policy.evidence.get("status")) else ""
    if meaning == "absent":
        return Node(Role.PERMITTED, visible(f"{name}: no robots.txt{status_text}, so nothing is forbidden"))
    return Node(
        Role.PROHIBITED,
        visible(f"{name}: robots.txt cannot be retrieved{status_text}, so everything is prohibited for now"),
    )


def _file_notes(policy: RobotsPolicy) -> Iterator[Node]:
    if policy.truncated and (what := unreadable(policy.octets)):
        yield Node(Role.NOTE, f"the file is not text but {what}; it may prohibit anything, so everything is prohibited")
    elif policy.truncated:
        yield Node(Role.NOTE, "part of the file was cut; that part counts as the strictest it could be")
    if (line := policy.ignores_conventional) is not None:
        yield Node(Role.NOTE, f"line {line}: Allow and Disallow do not count (ACAP-ignore-conventional-records)")


def verdict_on(policy: RobotsPolicy, name: str, crawler: CrawlerOption | None = None) -> PolicyVerdict:
    """What is to be known first of the policy called `name`, to one crawler or to all."""
    document = Document(policy.octets, name, url=policy.url)
    return verdict(document, policy=policy, crawlers=None if crawler is None else [crawler.each_name[0]])


def _verdict(policy: RobotsPolicy, name: str, crawler: CrawlerOption | None) -> Iterator[Node]:
    """What is to be known first, and how much of the site each crawler may use."""
    if policy.truncated:
        return
    shown = verdict_on(policy, name, crawler)
    yield Node(Role.PROHIBITED if shown.instead else Role.STAGE, visible(shown.text))
    if names := unbound(policy, UNREADING if crawler is None else [crawler.each_name[0]]):
        does, it = ("do", "them") if len(names) > 1 else ("does", "it")
        text = f"{listing(names)} {does} not read ACAP, so its lines do not bind {it}"
        yield Node(Role.NOTE, f"{text}; `acap compose --preset no-ai-training` writes lines that bind AI crawlers")
    if shown.grid is not None:
        title = "how much of the site each crawler may use"
        yield Node(Role.SOURCE, title, quoted=tuple(map(visible, shown.grid.lines)))


# --- crawlers ---------------------------------------------------------------------------------------------------------


def _sections(
    policy: RobotsPolicy, crawler: CrawlerOption | None, purposes: Sequence[str], lines: int
) -> Iterator[Node]:
    """A section for all that is addressed to the same crawlers, in the order of the file."""
    sections: dict[tuple[str, ...], list[PolicyStatement]] = {}
    written: dict[tuple[str, ...], tuple[str, ...]] = {}
    signals = policy.signals
    # Lines before the first group are for crawlers that groups name, too.
    begin = next((line.number for line in policy.lines if line.kind == "User-agent"), 0) if signals else 0
    ahead = tuple(takewhile(lambda one: (one.cited.line or 0) < begin, signals))
    if ahead:
        yield Node(Role.SOURCE, "every crawler", tuple(_statements(ahead)))
    # The statements of one record share its crawlers, of which there may be many.
    found = (*policy.statements, *signals[len(ahead) :])
    for _, group in groupby(found, lambda statement: statement.crawlers):
        statements = list(group)
        key = tuple(name.lower() for name in statements[0].crawlers)
        sections.setdefault(key, []).extend(statements)
        written.setdefault(key, statements[0].crawlers)
    met = {name for key in sections for name in key}
    for name in policy.crawlers:
        if name.lower() not in met:
            sections[(name.lower(),)] = []
            written[(name.lower(),)] = (name,)
    shown = [key for key in sections if crawler is None or _concerns(key, crawler, policy.dialect)]
    named = [key for key in shown if ANY not in key]
    within = sum(map(len, shown)) * lines <= _REQUESTS
    if not within:
        yield Node(Role.NOTE, "too many crawlers to list the other requests to each; name one with --crawler")
    for key in shown:
        statements = [statement for statement in sections[key] if _for_purposes(statement, purposes)]
        asked = [name_asked for name in written[key] if (name_asked := ANY if name == ANY else crawler_name(name))]
        children = [*_statements(statements), *(_requests_of(policy, asked) if within else ())]
        if ANY in key and named and any(statement.cited.dialect != "acap" for statement in statements):
            children.append(Node(Role.NOTE, "Allow and Disallow here are for crawlers that no User-agent line names"))
        if children:
            agents = [_agent_name(name, policy.dialect) for name in written[key]]
            names = list(dict.fromkeys(_crawler(name) for name in agents))
            whom = f"{len(names)} crawlers" if len(names) > _NAMES else ", ".join(names) or "no crawler"
            if len(names) > _NAMES:
                children[:0] = [Node(Role.NOTE, visible(line)) for line in _columns(names)]
            for name, read in zip(written[key], agents, strict=True):
                if read != ANY and _ANOTHER.search(name.removeprefix(read)) and not _is_one_name(name):
                    children.append(Node(Role.NOTE, visible(f"`{name}` addresses only {read}: a line has one name")))
            yield Node(Role.SOURCE, visible(whom), tuple(children))
    if crawler is not None and not named:
        yield Node(Role.NOTE, visible(f"no statement names {crawler.label}; statements for any crawler apply"))


def _columns(names: Sequence[str]) -> Iterator[str]:
    """Names as the rows of a table, read from left to right."""
    width = min(max(map(len, names)), _WIDTH)
    number = max((_WIDTH + 2) // (width + 2), 1)
    rest = iter(names)
    while row := tuple(islice(rest, number)):
        yield "  ".join(name.ljust(width) for name in row).rstrip()


def _agent_name(agent: str, dialect: str) -> str:
    """The name that readers take of a crawler line; the old dialects look for names in all of it."""
    return next(iter(agent_names(agent, dialect)), agent)


def _is_one_name(name: str) -> bool:
    """Whether an operator documents the name as it is written, blanks included, such as `Kangaroo Bot`."""
    crawler = known(name)
    return crawler is not None and crawler.name.lower() == name.lower()


def _crawler(name: str) -> str:
    return "any crawler" if name == ANY else name


def _concerns(agents: Sequence[str], crawler: CrawlerOption, dialect: str) -> bool:
    """Whether lines addressed to these agents, in lower case, concern the crawler (semantics, section 4)."""
    wanted = [name.lower() for name in map(crawler_name, crawler.each_name) if name]
    return any(agent.startswith(ANY) or any(addresses(agent, name, dialect) for name in wanted) for agent in agents)


def _for_purposes(statement: PolicyStatement, purposes: Sequence[str]) -> bool:
    """Whether a statement speaks for one of the purposes; those without purpose speak for all."""
    if not purposes or not statement.purposes or ANY in statement.purposes:
        return True
    patterns = [b"/" + pattern.lower().encode() + b"$" for pattern in statement.purposes]
    return any(matches(pattern, b"/" + purpose.lower().encode()) for pattern in patterns for purpose in purposes)


def _statements(statements: Sequence[PolicyStatement]) -> Iterator[Node]:
    """Those without purpose, then a section for each set of purposes."""
    purposes = dict.fromkeys(statement.purposes for statement in statements)
    for purpose in sorted(purposes, key=bool):
        nodes = tuple(_policy_node(statement) for statement in statements if statement.purposes == purpose)
        if purpose:
            yield Node(Role.SOURCE, visible(f"for {' or '.join(purpose)}"), nodes)
        else:
            yield from nodes


def _policy_node(statement: PolicyStatement) -> Node:
    cited, pattern = statement.cited, statement.pattern
    if not pattern:
        # An empty rule; Disallow and Allow alike refuse nothing.
        return Node(Role.PERMITTED, f"line {cited.line}: may crawl everything (an empty rule)")
    resource = pattern if pattern not in _EVERYTHING else "anything" if cited.effect == "prohibits" else "everything"
    field = "" if cited.dialect == "acap" else f" ({_FIELDS.get(cited.dialect) or _RULES[cited.effect]})"
    return statement_node(cited, _place(statement), resource, statement.restrictions, field)


def _place(statement: PolicyStatement) -> str:
    """The line, with its document where that is not the policy's own file."""
    source = statement.cited.source or ""
    where = "" if source.endswith("robots.txt") else f" of {source}"
    return f"line {statement.cited.line}{where}"


# --- what is asked beside statements ----------------------------------------------------------------------------------


def _requests_of(policy: RobotsPolicy, crawlers: Sequence[str]) -> Iterator[Node]:
    """References, action requests and politeness of a section's crawlers, without those of any crawler."""
    anyone = dict.fromkeys(_requests(policy, ANY))
    requests: dict[Node, None] = {}
    for name in crawlers:
        for node in _requests(policy, name):
            if name == ANY or node not in anyone:
                requests[node] = None
    return iter(requests)


def _requests(policy: RobotsPolicy, crawler: str) -> Iterator[Node]:
    missing = policy.missing_references(crawler)
    for uri in policy.references(crawler):
        text = f"its permissions are in {uri}"
        if uri in missing:
            text += ", which is missing; until it is read, everything is prohibited"
        yield Node(Role.NOTE, visible(text))
    for request in policy.action_requests(crawler):
        asks = "take down" if request.action == "take-down" else "crawl again"
        yield Node(Role.NOTE, visible(f"line {request.line}: is asked to {asks} {request.path}"))
    for sentence in _manners(policy.politeness(crawler)):
        yield Node(Role.STAGE, visible(sentence))


def _manners(politeness: Politeness) -> Iterator[str]:
    for window in politeness.visit_times:
        yield f"is asked to visit only {_window(window)}"
    for rate in politeness.rates:
        when = f" {_window(rate.window)}" if rate.window else ""
        documents = "1 document" if rate.documents == 1 else f"{rate.documents:g} documents"
        yield f"is asked for at most {documents} in {rate.seconds:g} s{when}"
    for delay in politeness.delays:
        yield f"is asked to leave {delay:g} s between requests"
    if politeness.rule_of_thumb:
        yield "is encouraged to leave 10 s between requests, or twice the time the last one took"
    for comment in politeness.comments:
        yield f"is told: {comment}"


def _window(window: Window) -> str:
    start, end = (f"{minute // 60:02}:{minute % 60:02}" for minute in (window.start, window.end))
    return f"between {start} and {end} UTC"


# --- the rest of the file ---------------------------------------------------------------------------------------------


def _listing(title: str, texts: Sequence[str]) -> Iterator[Node]:
    if texts:
        yield Node(Role.SOURCE, title, tuple(Node(Role.STAGE, visible(text)) for text in texts))


def _others(policy: RobotsPolicy) -> list[str]:
    known, signal_lines = _POLITENESS | {"Sitemap"}, {signal.cited.line for signal in policy.signals}
    others = (
        extension
        for extension in policy.extensions
        if extension.field not in known and extension.line not in signal_lines
    )
    return [f"line {extension.line}: {extension.field}: {extension.value}" for extension in others]


def _problems(policy: RobotsPolicy, lines: Sequence[Line]) -> Iterator[Node]:
    if problems := of_the_whole(policy.problems):
        texts = [line.octets.decode(errors="replace").rstrip("\r\n") for line in lines]
        yield Node(Role.SOURCE, "problems", tuple(problem_node(problem, "the file", texts) for problem in problems))
