"""The documents of a site: which there are, and what it means where one of them could not be retrieved.

| document | 404, 410 | other 4xx | 202, 5xx, 408, 421, 425, 429, no answer, cut, refused by us | cannot be read |
|---|---|---|---|---|
| robots.txt | says nothing | says nothing | prohibits everything | prohibits everything |
| tdmrep.json | says nothing | prohibits mining | prohibits mining | prohibits mining; a page: says nothing |
| ai.txt | says nothing | says nothing | prohibits training | prohibits training; another text: says nothing |
| a licence document | prohibits use | prohibits use | prohibits use | prohibits use |
| a policy of tdmrep.json | prohibits mining what it is about | the same | the same | the same; a page: conditional |
| a reference of ACAP | prohibits everything | prohibits everything | prohibits everything | what it says |
| the page | prohibits its use | a price or a refusal, else prohibits its use | prohibits its use | prohibits its use |

A good copy of each but the page stands in for up to thirty days while the site cannot be reached (RFC 9309 2.3.1.4),
and while something else stands in its place: a page, no content, another text (`acap.retrieval.foreign`). A page in the
place of a policy of tdmrep.json is a policy, and counts at once. A good copy of a licence document stands in for its
`max-age` at most (`acap.retrieval.freshness`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias

from acap.dialects.well_known import is_plain
from acap.problems import Problem
from acap.retrieval import foreign
from acap.retrieval.retrieved import Retrieved

Kind: TypeAlias = foreign.Kind | Literal["page"]
State: TypeAlias = Literal["read", "none", "foreign", "unknown"]

DOUBTS: Mapping[Kind, str] = {
    "robots.txt": "everything is prohibited",
    "tdmrep.json": "mining is prohibited",
    "ai.txt": "training is prohibited",
    "licence": "every use of content is prohibited to whom it is for",
    "tdm-policy": "mining what it is about is prohibited",
    "reference": "everything is prohibited to whom it is for",
    "page": "every use of it is prohibited",
}
"""What follows of a document of each kind that is `unknown`."""


@dataclass(frozen=True, slots=True)
class SiteDocument:
    """One document of a site, with the evidence of it.

    `state` is `read`; `none` where there is none; `foreign` where something else stands there, which says nothing;
    `unknown` where it could not be retrieved or read, which is a doubt. `why` is the reason of its state, in a few
    words. `referred_by` is the URL of the document that refers to it. `retrieved` is None where it was not asked for.
    `problems` are what its reader found wrong in it.
    """

    kind: Kind
    url: str
    state: State
    why: str = ""
    referred_by: str | None = None
    retrieved: Retrieved | None = field(default=None, repr=False)
    problems: tuple[Problem, ...] = field(default=(), repr=False)

    @property
    def expires_at(self) -> datetime | None:
        """When it is to be asked for again; None if it was not asked for."""
        return None if self.retrieved is None else self.retrieved.expires_at

    @property
    def evidence(self) -> dict[str, Any] | None:
        """All that came with it, as `Retrieved.evidence` has it; None if it was not asked for."""
        return None if self.retrieved is None else self.retrieved.evidence

    @property
    def doubt(self) -> str:
        """What follows of its not being known; empty if it is."""
        return DOUBTS[self.kind] if self.state == "unknown" else ""


def octets_of(retrieved: Retrieved) -> bytes | None:
    """The whole of a document; None if it could not be retrieved."""
    answer = retrieved.answer
    return answer.octets if answer.is_success and answer.cut_at is None else None


def came_from(url: str, evidence: Mapping[str, Any]) -> str:
    """Where a document came from, for its reader: its URL, or that of plain http to which a redirect led."""
    passed = (*(hop["url"] for hop in evidence.get("chain") or ()), evidence.get("final_url"))
    return next(filter(is_plain, passed), url)


def why_not(retrieved: Retrieved) -> str:
    """Why a document could not be retrieved; empty if it could."""
    answer = retrieved.answer
    if answer.failure is not None:
        return answer.failure.text
    if answer.cut_at is not None:
        return f"it has more than {answer.cut_at} octets"
    if (what := answer.unreadable) is not None:
        return f"what came cannot be read, for it is {what}"
    return "" if octets_of(retrieved) is not None else f"the answer was {answer.status}"
