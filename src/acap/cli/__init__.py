"""The command line: `acap COMMAND`. A file a command; `main` starts it, `commands` lists them all."""

from __future__ import annotations
