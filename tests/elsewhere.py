"""A process that lacks what only POSIX has, for `tests/test_platforms.py`: its modules, and names of `os` and `signal`.

`python -m tests.elsewhere imports` imports every module that must do without; other arguments are those of `acap`.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

MODULES = frozenset({"fcntl", "grp", "pwd", "resource", "syslog", "termios", "tty"})
OF_OS = (
    *("O_CLOEXEC", "O_DIRECTORY", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK", "fchmod", "fchown", "fork", "getegid"),
    *("geteuid", "getgid", "getpgid", "getuid", "getxattr", "killpg", "listxattr", "mkfifo", "nice"),
    *("sched_getaffinity", "setsid", "setxattr", "statvfs", "sysconf"),
)
OF_SIGNAL = ("SIGHUP", "SIGKILL", "SIGPIPE", "SIGUSR1", "SIGALRM", "pthread_sigmask", "setitimer")

NO_PART = (
    *("acap.harvest", "acap.integrations.scrapy", "acap.web.app", "acap.web.copies", "acap.web.operator"),
    "acap.integrations.datatrove",
)
"""What works on a store, in Scrapy, or in a library that itself imports what only POSIX has."""


class Without(MetaPathFinder):
    """Finds none of the modules of POSIX."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Raises ModuleNotFoundError for them."""
        del path, target
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def leave() -> None:
    """Takes away what is not everywhere."""
    for name in MODULES & sys.modules.keys():
        del sys.modules[name]
    sys.meta_path.insert(0, Without())
    for module, names in ((os, OF_OS), (signal, OF_SIGNAL)):
        for name in names:
            if hasattr(module, name):
                delattr(module, name)


def main(arguments: list[str]) -> int:
    """The exit code."""
    # Libraries have their own branches by the name of the system, which is not changed here.
    for library in ("anyio", "asyncio", "click", "httpx2", "multiprocessing.pool", "platformdirs", "rich.console"):
        import_module(library)
    leave()
    import_module("acap.harvest.system").__dict__["NAME"] = "nt"
    if arguments == ["imports"]:
        root = Path(import_module("acap").__path__[0])
        for file in sorted(root.rglob("*.py")):
            name = "acap." + ".".join(file.relative_to(root).with_suffix("").parts)
            name = name.removesuffix(".__init__")
            if not name.startswith(NO_PART) and name != "acap.__main__":
                try:
                    import_module(name)
                except ImportError as error:
                    if (error.name or "").partition(".")[0] in MODULES or error.name is None:
                        sys.stdout.write(f"{name}: {error}\n")
        return 0
    return int(import_module("acap.cli.main").main(arguments))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
