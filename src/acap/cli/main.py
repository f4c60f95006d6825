"""The start of `acap`. Nothing is imported here before `main` runs, so that Ctrl-C ends even the start quietly."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code of the command in `arguments` (default: those of the process)."""
    if arguments is None:
        # Arrow's own allocator takes huge pages, of which tables of few rows fill little. Before Arrow is imported.
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    # A start makes many objects and no garbage.
    gc.set_threshold(20_000, *gc.get_threshold()[1:])
    try:
        from acap.cli.io.call import run  # here, so that an interruption of the start is answered too

        return run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        return 130
    finally:
        if arguments is None:
            # The process ends, and gives everything back: nobody need search it for garbage.
            gc.freeze()


if __name__ == "__main__":
    sys.exit(main())
