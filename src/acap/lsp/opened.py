"""A document that an editor has open, as lint reads it."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Final

from lsprotocol.types import PositionEncodingKind

from acap.lsp.positions import Positions
from acap.problems import DocumentKind
from acap.publish.lint import baseline
from acap.publish.lint.catalogue import chosen
from acap.publish.lint.config import Config, ConfigError, nearest
from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.kinds import SNIFFED, is_robots, kind_of
from acap.publish.lint.run import all_findings

LANGUAGES: Final = ("robots-txt", "robotstxt", "robots")
"""What editors call the language of a robots.txt."""


class OpenDocument:
    """A text with the name of its file; `path` is None for one that was never saved.

    It is read if its name is that of a document of a site, or its `language` that of one; a text of another name may be
    anything. `failures` says in sentences what of the configuration or of acap itself keeps findings back.
    """

    def __init__(
        self,
        text: str,
        name: str,
        encoding: PositionEncodingKind | str,
        *,
        path: Path | None = None,
        language: str = "",
    ) -> None:
        self.name = name
        self.path = path
        self.failures: list[str] = []
        kind = kind_of(name, text[:SNIFFED].encode("utf-8", "replace"))
        self.is_read = kind is not None and (kind != "robots" or is_robots(name.lower()) or language in LANGUAGES)
        self.kind: DocumentKind = kind or "robots"
        # Whatever a page says of its encoding, an editor has decoded it.
        self.places = Positions(text, encoding, marked=self.kind == "page")

    @cached_property
    def config(self) -> Config:
        """The configuration that counts for the file; without it where it cannot be read."""
        if self.path is None:
            return Config()
        try:
            return nearest(self.path.parent)
        except ConfigError as error:
            self.failures.append(str(error))
            return Config()

    @cached_property
    def document(self) -> Document:
        """The document, with the robots.txt beside it if it is a page or another document of a site."""
        return Document(
            self.places.octets,
            self.name,
            self.kind,
            today=datetime.now(UTC),
            known_crawlers=self.config.crawlers,
        )

    @cached_property
    def codes(self) -> tuple[str, ...]:
        """The rules that run."""
        ignored = (*self.config.ignore, *(self.config.ignored_in(self.path) if self.path else ()))
        return chosen(self.config.select, ignored)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What lint finds; a rule that fails is told of, and keeps back no finding of another."""
        if not self.is_read:
            return ()
        findings, failed = all_findings(self.document, self.codes)
        self.failures += failed
        if self.config.baseline is None or self.path is None:
            return findings
        try:
            known = baseline.read(self.config.baseline)
        except (baseline.BaselineError, OSError) as error:
            self.failures.append(str(error))
            return findings
        source = baseline.source_in(self.config.baseline, str(self.path))
        return baseline.new(self.document, findings, known.get(source, Counter()))[0]
