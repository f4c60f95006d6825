"""What a response comes to: `judge`, a function from values to a value.

It needs no store and no crawl, so a worker of any engine can call it (tests/test_judge.py). `harvest.plan` makes
changes of a conclusion, and `harvest.commit` carries them out.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from acap.harvest.judgement import KEPT, PRESENT, USAGES, Judgement, ResourceState, Response
from acap.harvest.passages import UNKNOWN, passages_of
from acap.harvest.uses import Exemption, refusal
from acap.robots import RobotsPolicy, parse_robots
from acap.usages import COMPOSITES, PARENTS, above

_REMEMBERED = 1024  # policies
_RESTRICTING = frozenset({"crawl", "preserve", "other", "present", *PRESENT})
"""Usages whose prohibition by another source than the page counts for earlier versions too."""


@dataclass(frozen=True, slots=True)
class Leads:
    """Where a response leads: to links that may be followed, and to resources that it requires.

    `refused` is the number of links that may not be followed; `named` are those of them that a statement names, each
    with that statement. `requirements` are usage, restriction and URL of each required resource; `wanted` are those
    that the site itself names for a use that needs more than their URL.
    """

    links: tuple[str, ...]
    refused: int
    named: tuple[tuple[str, str], ...]
    requirements: tuple[tuple[str, str, str], ...]
    wanted: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What a response comes to: plain values, which any process can make and any other can plan by.

    - `media`, and of a response that just came `sha256` and `skeleton`: the version that it brings.
    - `record`: the decisions in the form of the ledger, by usage. Those on `follow`, `index` and `preserve` are whole,
      and those on usages of the operator.
    - `parts` and `required`: by usage, the parts that may be kept and the resources that the permission requires.
    - `named`: required resources that the site itself names for the index.
    - `words`: title and text that the index may hold; `supply`: those that it may hold for other pages.
    - `copy`: the octets that may be preserved, and whether they are all. Each is None if there are none.
    - `exceeds`: the copy of the version has a part that may not be preserved now.
    - `end`: when the first permission ends.
    - `exemption`: as in the state. `usable`: the usages that are permitted apart from robots.txt, if that closes the
      resource to crawling.
    - `leads` and `passages`: of a response that just came.
    """

    url: str
    media: str
    sha256: str
    skeleton: str
    record: dict[str, Any]
    parts: dict[str, str]
    required: dict[str, list[tuple[str, str]]]
    named: frozenset[str]
    words: tuple[str, str] | None
    supply: tuple[str, str] | None
    copy: tuple[bytes, bool] | None
    exceeds: bool
    end: datetime | None
    exemption: Exemption | None
    usable: frozenset[str] | None
    leads: Leads | None
    passages: str

    def permits(self, usage: str) -> bool:
        """Whether `follow`, `index` or `preserve` is permitted, under whatever restrictions."""
        return bool(self.record[usage]["outcome"] == "permitted")

    @property
    def needs_supply(self) -> bool:
        """Whether the index takes the text of another resource in place of that of the version."""
        return self.words is None and self.permits("index") and bool(self.required["index"])


def judge(response: Response, state: ResourceState) -> Conclusion:
    """What may be done with a response (P1 4.5.3). A function of its arguments alone: any process can call it.

    Args:
        response: one that just came, or a version that is kept.
        state: what is known of its resource.

    ```python
    >>> from datetime import UTC, datetime
    >>> import acap
    >>> from acap.harvest.conclusion import judge
    >>> from acap.harvest.judgement import ResourceState, Response
    >>> now = datetime(2026, 11, 23, tzinfo=UTC)
    >>> robots = acap.parse_robots(b"ACAP-crawler: *\\nACAP-disallow-preserve: /", url="https://www.example.com/robots.txt")
    >>> headers = (("Content-Type", "text/html"),)
    >>> page = b"<title>Tides</title><p>High tide is at noon."
    >>> response = Response("https://www.example.com/a", now, acap.Crawler("examplebot"), robots, headers, page)
    >>> conclusion = judge(response, ResourceState(acap.Facts(now, now, now)))
    >>> conclusion.words, conclusion.copy
    (('Tides', 'High tide is at noon.'), None)

    ```
    """
    judgement, octets, version = Judgement.of(response, state), response.octets, response.version
    page, is_new = judgement.page, version is None
    exceeds = version is not None and octets is not None and judgement.exceeds("preserve", version.parts)
    words = judgement.index_text() if state.is_current and octets is not None else None
    is_closed = (
        state.is_current
        and state.may_serve
        and refusal(response.robots, response.url, response.crawler, response.at) is not None
    )
    in_use = judgement.in_use or (judgement.for_use() if is_closed else None)
    required = {usage: judgement.required(usage) for usage in KEPT}
    record = {usage: judgement.recorded(usage) for usage in dict.fromkeys(("follow", *KEPT, *response.usages))}
    return Conclusion(
        response.url,
        judgement.media,
        hashlib.sha256(octets).hexdigest() if is_new and octets is not None else "",
        str(page.skeleton().html) if is_new and page.is_page and not page.is_silent else "",
        {**record, "present": {usage: str(judgement.decisions[usage].outcome) for usage in PRESENT}},
        {usage: judgement.parts(usage) for usage in KEPT},
        required,
        frozenset(naming.url for naming in judgement.namings("index")) if required["index"] else frozenset(),
        words,
        words if judgement.in_use is None or not is_new else judgement.in_use.index_text(),
        judgement.copy_octets() if is_new or exceeds else None,
        exceeds,
        judgement.expires(),
        state.exemption,
        None if in_use is None else frozenset(usage for usage in USAGES if in_use.permits(usage)),
        leads_of(judgement) if is_new else None,
        _passages(judgement) if is_new else "",
    )


def leads_of(judgement: Judgement) -> Leads:
    """Where a response leads."""
    permitted, refused, named = judgement.targets()
    page, usages = judgement.page, ("index", *PRESENT)
    # Most pages and policies have no statement that names another resource.
    may_require = (
        not page.is_silent
        or any("resource" in value.lower() for _, value in page.headers)
        or _names_resources(judgement.response.robots)
    )
    required = ((usage, *one) for usage in usages for one in judgement.required(usage)) if may_require else ()
    requirements = tuple(dict.fromkeys(required))
    of = dict.fromkeys(usage for usage, _, _ in requirements)
    wanted = frozenset(naming.url for usage in of for naming in judgement.namings(usage) if naming.own)
    return Leads(tuple(permitted), refused, tuple(named), requirements, wanted)


@lru_cache(maxsize=_REMEMBERED)
def _names_resources(robots: RobotsPolicy) -> bool:
    """Whether a policy, with its references, names other resources."""
    # `must-use-resource`, `must-include-resource`, the older `used-resource`
    policies = (robots, *(parse_robots(data) for _, data in robots.supplied if data is not None))
    fields = (field for policy in policies for field in policy.outline.acap)
    return any("resource" in text.lower() for field in fields for text in field.texts("qualifier"))


def _passages(judgement: Judgement) -> str:
    """The passages of the elements with statements, as earlier versions of a known resource may contain them."""
    url, aims = judgement.response.url, judgement.response.usages
    beside = {statement.usage for source in judgement.others for statement in source.statements(url)}
    parts = {part for usage in aims for part in (usage, *COMPOSITES.get(usage, ()))}
    restricting = _RESTRICTING.union(parts, *(above(part) for part in parts if part in PARENTS))
    if not beside.isdisjoint(restricting):
        return UNKNOWN
    is_known = judgement.state.resource is not None
    return passages_of(judgement.asking) if is_known and judgement.page.has_parts else ""
