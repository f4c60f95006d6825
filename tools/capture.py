"""Pictures of the command line at work: runs real commands on a terminal and saves what it shows as SVG.

``python -m tools.capture`` writes every picture of ``PICTURES`` to ``docs/images``;
``python -m tools.capture FILE.svg -- acap check …`` writes one of any command. The commands run in ``examples``, and
what they print is what the picture shows: nothing is drawn by hand.
"""

from __future__ import annotations

import argparse
import fcntl
import io
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import sysconfig
import termios
from pathlib import Path

from rich.ansi import AnsiDecoder
from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs/images"
COLUMNS = 100
ROWS = 60

# The pictures of the pages, each with the command line that it shows.
PICTURES: dict[str, str] = {
    "check": "acap check --robots publisher-policy/robots.txt --crawler examplebot https://www.example.com/news/today.html",
    "explain": "acap explain --robots publisher-policy/robots.txt --crawler partnerbot --usage preserve "
    "https://www.example.com/archive/1999.html",
    "show": "acap show --crawler partnerbot publisher-policy/robots.txt",
}

# A picture in a page loads nothing from elsewhere, so the fonts are those of the reader.
_FONT_FACE = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def terminal_output(command: list[str], columns: int = COLUMNS) -> str:
    """What the command shows on a terminal of so many columns, colours included; its exit code does not matter."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    environment = {
        "PATH": f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "HOME": os.environ.get("HOME", "/"),
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
    }
    process = subprocess.Popen(
        command, cwd=ROOT / "examples", env=environment, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    pieces: list[bytes] = []
    with os.fdopen(ours, "rb", buffering=0) as screen:
        while True:
            try:
                piece = screen.read(65_536)
            except OSError:  # Linux reports the end of a pseudo-terminal as an input error
                break
            if not piece:
                break
            pieces.append(piece)
    process.wait()
    return b"".join(pieces).decode().replace("\r\n", "\n")


def picture(typed: str, shown: str, name: str, columns: int = COLUMNS) -> str:
    """The SVG of a terminal in which `typed` was entered and `shown` came back."""
    console = Console(record=True, width=columns, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.assemble(("$ ", "bold green"), (typed, "bold")))
    for line in AnsiDecoder().decode(shown.rstrip("\n")):
        console.print(line)
    drawn = console.export_svg(title="acap", theme=DIMMED_MONOKAI, unique_id=f"acap-{name}")
    return _FONT_FACE.sub("", drawn)


def capture(file: Path, typed: str) -> None:
    """Runs the command line and writes its picture."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(picture(typed, terminal_output(shlex.split(typed)), file.stem), encoding="utf-8", newline="\n")
    print(f"wrote {file.relative_to(ROOT) if file.is_relative_to(ROOT) else file}")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.capture", description="Save what commands show as SVG.")
    parser.add_argument("file", nargs="?", type=Path, help="the picture to write; without it, all those of the pages")
    parser.add_argument("command", nargs="*", help="the command line that it shows, after `--`")
    given = parser.parse_args(arguments)
    if given.file is None:
        for name, typed in PICTURES.items():
            capture(IMAGES / f"{name}.svg", typed)
    elif given.command:
        capture(given.file.resolve(), shlex.join(given.command))
    else:
        parser.error("give the command after `--`")
    return 0


if __name__ == "__main__":
    sys.exit(main())
