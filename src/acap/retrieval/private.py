"""Files that hold what others published: their owner alone may read them, whatever the umask lets through."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FILE_MODE = 0o600
DIRECTORY_MODE = 0o700


def begin_private(path: Path) -> None:
    """Makes an empty file that its owner alone may read, to begin with; one that is there stays as it is.

    What SQLite keeps beside a database gets the mode of the database. What cannot be made is
    not: whoever opens the database says why.
    """
    with suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE))
