"""Commands whose help has its options in groups, and its examples with captions below them.

A block of a docstring that begins with `# ` has the examples: a caption, and the call below it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import cleandoc
from types import MappingProxyType
from typing import Any, Final

import click

_ASKING: Final = "Asking a site"
_TERMINAL: Final = "On the terminal"
_SHARED: Mapping[str, str] = MappingProxyType({
    **dict.fromkeys(
        ("refresh", "no_cache", "cache_dir", "timeout", "allow_private", "forbidden", "contact", "user_agent"), _ASKING
    ),
    **dict.fromkeys(("quiet", "debug", "_click_default_help"), _TERMINAL),
})  # fmt: skip
"""The groups of options that many commands have."""
_BLOCK = "\b\n"


class Command(click.Command):
    """A command with groups of options: for each heading the names of their parameters."""

    def __init__(self, *arguments: Any, groups: Mapping[str, Sequence[str]] | None = None, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.groups = dict(groups or {})
        self._headings = {**_SHARED, **{name: heading for heading, names in self.groups.items() for name in names}}
        self._order = ["Options", *self.groups, _ASKING, _TERMINAL]

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The description, without the examples."""
        whole, self.help = self.help, self._parts()[0]
        try:
            super().format_help_text(ctx, formatter)
        finally:
            self.help = whole

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, each group under its heading."""
        sections: dict[str, list[tuple[str, str]]] = {heading: [] for heading in self._order}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                sections[self._headings.get(parameter.name or "", "Options")].append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The examples."""
        super().format_epilog(ctx, formatter)
        if examples := self._parts()[1]:
            with formatter.section("Examples"):
                formatter.write("  " + examples.replace("\n", "\n  ") + "\n")

    def _parts(self) -> tuple[str, str]:
        """The description and the examples."""
        blocks = cleandoc(self.help or "").split(f"\n\n{_BLOCK}")
        examples = [block for block in blocks[1:] if block.startswith("# ")]
        others = [block for block in blocks[1:] if not block.startswith("# ")]
        # What follows the examples is of the description.
        below = [rest for _, _, rest in (block.partition("\n\n") for block in examples) if rest]
        calls = "\n".join(block.partition("\n\n")[0] for block in examples)
        return "\n\n".join([blocks[0], *(f"{_BLOCK}{block}" for block in others), *below]), calls
