"""A file gets other octets, all of them or none: whoever reads it sees the old file or the new one."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp


def replace_file(file: Path, octets: bytes) -> None:
    """Puts octets in a file's place; its mode stays, and a symbolic link goes on leading to it.

    Raises:
        OSError: it cannot be written; then the file is as it was.
    """
    place = file.resolve(strict=True)
    mode = place.stat().st_mode
    if not os.access(place, os.W_OK):
        # Replacing asks for the directory alone; a file that may not be written must not be.
        raise PermissionError(13, "Permission denied", str(place))
    handle, name = mkstemp(prefix=f".{place.name}.", dir=place.parent)
    try:
        with os.fdopen(handle, "wb") as opened:
            opened.write(octets)
            opened.flush()
            os.fsync(opened.fileno())
        Path(name).chmod(mode & 0o7777)
        Path(name).replace(place)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
