"""Octets go where a file's name leads: a regular file is replaced, all of it or nothing; anything else is written to.

A device, a FIFO and a descriptor such as `/dev/stdout` stay what they are. A replaced file keeps its mode, its owner
and its extended attributes, and every symbolic and hard link goes on leading to it.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from contextlib import suppress
from pathlib import Path

from acap.explain import visible

_LINKS = 40  # most symbolic links followed in a row, as in Linux
_DESCRIPTORS = re.compile(r"/dev/fd|/proc/(?:self|\d+)/fd")


def write_file(file: Path, octets: bytes) -> None:
    """Puts octets where `file` leads; a regular file need not be there.

    Whoever reads a regular file sees the old octets or the new ones. Only where it cannot be replaced without losing
    its owner, its attributes or another name of it, or where its directory takes no further file, the new octets are
    written over the old ones, which are put back if that fails.

    Raises:
        OSError: it cannot be written; then a regular file is as it was.
        ValueError: the name holds a NUL.
    """
    descriptor = _descriptor(file)
    if descriptor is not None:
        # Opening it anew would lose the position up to which others have written.
        opened = os.dup(descriptor)
    else:
        try:
            opened = os.open(file, os.O_WRONLY | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0))
        except FileNotFoundError:
            # The missing target of a link is created, as by any program that opens it.
            _replace(file.resolve(), octets, None)
            return
    try:
        about = os.fstat(opened)
        if descriptor is not None or not stat.S_ISREG(about.st_mode):
            _put(opened, _shown(octets) if os.isatty(opened) else octets)
            return
    finally:
        os.close(opened)
    place = file.resolve(strict=True)
    if about.st_nlink > 1:
        _overwrite(place, octets)
        return
    try:
        _replace(place, octets, about)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EBUSY, errno.EROFS, errno.ENOTSUP):
            raise
        # Another user's file, a directory that takes no new file, or a mounted file.
        _overwrite(place, octets)


def _descriptor(file: Path) -> int | None:
    """The open descriptor of this process that a name leads to: `/dev/stdout`, `/dev/fd/3`."""
    for _ in range(_LINKS):
        folder = file.parent.resolve()
        if file.name.isdecimal() and _DESCRIPTORS.fullmatch(str(folder)):
            ours = folder.name == "fd" and str(folder.parent) in ("/dev", "/proc/self", f"/proc/{os.getpid()}")
            return int(file.name) if ours else None
        try:
            target = file.readlink()
        except OSError:
            return None
        file = folder / target
    return None


def _replace(place: Path, octets: bytes, about: os.stat_result | None) -> None:
    """Writes a file beside the old one and renames it, with the old one's owner, attributes and mode."""
    begun = place.with_name(f".acap-{os.urandom(8).hex()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    opened = os.open(begun, flags, 0o666 if about is None else 0o600)
    try:
        try:
            _put(opened, octets)
            if about is not None:
                _keep(opened, place, about)
            os.fsync(opened)
        finally:
            os.close(opened)
        begun.replace(place)
    except BaseException:
        with suppress(OSError):
            begun.unlink()
        raise


def _keep(opened: int, place: Path, about: os.stat_result) -> None:
    """Gives a new file the owner, attributes and mode of the old one. Raises OSError if it may not have them."""
    if hasattr(os, "fchown"):
        mine = os.fstat(opened)
        if (mine.st_uid, mine.st_gid) != (about.st_uid, about.st_gid):
            os.fchown(opened, about.st_uid, about.st_gid)
    if hasattr(os, "listxattr"):
        for name in _attributes(place):
            os.setxattr(opened, name, os.getxattr(place, name))
    if hasattr(os, "fchmod"):
        os.fchmod(opened, stat.S_IMODE(about.st_mode))


def _attributes(place: Path) -> list[str]:
    """The extended attributes of a file, access lists among them; none where the file system has no such thing."""
    try:
        return os.listxattr(place)
    except OSError as error:
        if error.errno in (errno.ENOTSUP, errno.ENOSYS):
            return []
        raise


def _overwrite(place: Path, octets: bytes) -> None:
    """Overwrites a file; its old octets are restored if that fails."""
    with place.open("r+b") as opened:
        old = opened.read()
        try:
            _fill(opened.fileno(), octets)
        except BaseException:
            with suppress(OSError):
                _fill(opened.fileno(), old)
            raise


def _fill(opened: int, octets: bytes) -> None:
    os.lseek(opened, 0, os.SEEK_SET)
    _put(opened, octets)
    os.ftruncate(opened, len(octets))
    os.fsync(opened)


def _put(opened: int, octets: bytes) -> None:
    """Writes all octets, in as many calls as needed."""
    left = memoryview(octets)
    while left:
        left = left[os.write(opened, left) :]


def _shown(octets: bytes) -> bytes:
    """A document for a terminal: control characters are shown and not obeyed."""
    lines = octets.decode(errors="replace").splitlines()
    return "".join(f"{visible(line)}\n" for line in lines).encode()
