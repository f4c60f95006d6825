"""The `[policy]` table of a site's `acap.toml`, with a plain word for whatever is wrong with it."""

from __future__ import annotations

import tomllib

from acap.cli.failures import Failure
from acap.cli.files import read_file
from acap.publish.compose import Draft, DraftError, draft_from_toml


def read_policy_table(name: str) -> Draft:
    """The draft of the table in a file, `-` for standard input. Raises `Failure`."""
    octets = read_file(name, what="TOML file", example="acap.toml")
    try:
        found = tomllib.loads(octets.decode())
    except UnicodeDecodeError as error:
        raise Failure(f"`{name}` is not UTF-8; save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise Failure(f"`{name}` is not TOML: {error}") from error
    if "policy" not in found:
        raise Failure(f"`{name}` has no [policy] table; make one from a robots.txt: acap compose robots.txt --toml")
    try:
        return draft_from_toml(found["policy"])
    except DraftError as error:
        raise Failure(f"`{name}`: {error}") from error
