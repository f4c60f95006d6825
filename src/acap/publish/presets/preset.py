"""What each preset says, carrier by carrier: a table. A carrier that has no word for it says nothing."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from acap.crawler_list import KnownCrawler, known_crawlers


class PresetError(ValueError):
    """A preset cannot be written, or what was written does not say what it should."""


class Preset(NamedTuple):
    """A meaning, and its words in each vocabulary.

    `usages` are those that no carrier of it permits, and `outcome` is what each makes of them. Crawlers that are
    for `closes`, and for no search, get groups of their own in robots.txt, which are closed. `signals`,
    `preferences` and `words` are values of Content-Signal, Content-Usage and X-Robots-Tag; `acap` usages of
    ACAP-disallow lines; `licences` are those of an RSL document for all paths; `plus` is the code of plus:DataMining;
    `entries` are those of a CAWG assertion that say `use`. In texts `{0}` is the URL of the terms. `notes` say what its
    words refuse beside what is meant.
    """

    name: str
    summary: str
    usages: tuple[str, ...]
    outcome: str
    notes: tuple[str, ...]
    has_terms: bool = False
    closes: str | None = None
    signals: str | None = None
    preferences: str | None = None
    words: str | None = None
    acap: tuple[str, ...] = ()
    ai_txt: bool = False
    licences: tuple[str, ...] = ()
    plus: str = ""
    entries: tuple[str, ...] = ()
    use: str = "notAllowed"

    @property
    def closed(self) -> tuple[KnownCrawler, ...]:
        """The crawlers that get a closed group: it would close a search too, where they have one."""
        return tuple(one for one in self.asking if self.shuts(one))

    def shuts(self, crawler: KnownCrawler) -> bool:
        """Whether a crawler comes for what it refuses, and for no search."""
        return self.closes in crawler.purposes and "search" not in crawler.purposes

    @property
    def asking(self) -> tuple[KnownCrawler, ...]:
        """The crawlers of the list that come for what it refuses, under a name that is in use."""
        return tuple(one for one in known_crawlers() if self.closes in one.purposes and not one.retired)


PRESETS: Mapping[str, Preset] = MappingProxyType({
    one.name: one
    for one in (
        Preset(
            "no-ai-training",
            "nobody may train AI models on the site; search is not touched",
            ("ai-train", "ai-train-generative"),
            "prohibited",
            (
                "TDMRep has no word for training alone: it reserves all text and data mining, AI answers included",
                "Google-Extended decides answers of Gemini as well as its training",
            ),
            closes="ai-train",
            signals="ai-train=no",
            preferences="train-ai=n",
            words="noai, noimageai",
            acap=("ai-train",),
            ai_txt=True,
            licences=('<prohibits type="usage">ai-train</prohibits>',),
            plus="DMI-PROHIBITED-AIMLTRAINING",
            entries=("ai_training", "ai_generative_training"),
        ),
        Preset(
            "licence-for-ai",
            "any use by AI needs a licence; search is not touched",
            ("ai-train", "ai-train-generative", "ai-input", "ai-index"),
            "conditional",
            (
                "Content-Signal, Content-Usage, ai.txt and noai have no word for a licence, so they are not written",
                "RSL has closed lists: what is neither search nor use by AI is refused, copies in a cache for example",
            ),
            has_terms=True,
            licences=(
                '<permits type="usage">search</permits>',
                '<permits type="usage">ai-all</permits><payment type="purchase"><custom>{0}</custom></payment>',
            ),
            plus="DMI-PROHIBITED-SEELINKEDRIGHTSEXPR",
            entries=("data_mining", "ai_inference", "ai_training", "ai_generative_training"),
            use="constrained",
        ),
    )
})  # fmt: skip
"""Every preset by its name."""


def preset(name: str) -> Preset:
    """The preset of a name.

    Raises:
        PresetError: there is none.
    """
    if name not in PRESETS:
        raise PresetError(f"unknown preset `{name}`; known are {', '.join(PRESETS)}")
    return PRESETS[name]
