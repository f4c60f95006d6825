"""Runs `acap` for tests, each call in a process of its own: this one has everything imported, and forks.

Each line of standard input is a call as JSON: its arguments, and files for what it prints. The answer is the exit code.
"""

from __future__ import annotations

import json
import os
import sys

import scrapy.crawler  # noqa: F401  imported once for all calls; no reactor is installed by that

import acap.cli.crawl
import acap.cli.import_
import acap.harvest.crawl.scheduler
import acap.harvest.crawl.spider
import acap.harvest.store.sqlite  # noqa: F401
from acap.cli.main import main


def serve() -> None:
    """Answers until standard input ends."""
    for line in sys.stdin:
        call = json.loads(line)
        child = os.fork()
        if child == 0:
            _be_the_command(call)
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _be_the_command(call: dict[str, object]) -> None:
    arguments = call["arguments"]
    assert isinstance(arguments, list)
    for descriptor, name in ((0, os.devnull), (1, call["out"]), (2, call["err"])):
        file = os.open(str(name), os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, descriptor)
    code = main([str(argument) for argument in arguments])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    serve()
