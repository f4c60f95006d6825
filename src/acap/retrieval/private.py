"""Files with what others published: only their owner may read them, whatever the umask permits.

Anything but a regular file in their place is not read: a FIFO would block its reader for ever.
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
# Windows has neither of the first two, and reads a file as text unless it is told otherwise.
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def begin_private(path: Path) -> None:
    """Makes an empty file that its owner alone may read, to begin with; one that is there stays as it is.

    What SQLite keeps beside a database gets the mode of the database. A file that cannot be made is
    left out: opening the database says why.
    """
    with suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE))


def open_regular(path: Path, *, links: bool = False) -> BinaryIO:
    """Opens a regular file to be read; `links`: by a symbolic link, too. Raises OSError if it is not one."""
    if not links and path.is_symlink() and not _NOFOLLOW:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    descriptor = os.open(path, _READ | (0 if links else _NOFOLLOW))
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, "it is not a regular file", str(path))
