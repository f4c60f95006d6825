"""Files that hold what others published: their owner alone may read them, whatever the umask lets through.

What lies in their place and is no regular file is not read: a FIFO would keep whoever opens it for ever.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

FILE_MODE = 0o600
DIRECTORY_MODE = 0o700


def begin_private(path: Path) -> None:
    """Makes an empty file that its owner alone may read, to begin with; one that is there stays as it is.

    What SQLite keeps beside a database gets the mode of the database. What cannot be made is
    not: whoever opens the database says why.
    """
    with suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE))


def open_regular(path: Path, *, links: bool = False) -> BinaryIO:
    """Opens a regular file to be read; `links`: by a symbolic link, too. Raises OSError for what is none."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | (0 if links else os.O_NOFOLLOW))
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, "it is no regular file", str(path))
