"""What somebody who types into the workshop waits for: each of its answers for a text of 40 KB.

``python -m benchmarks.workshop`` prints the processor time of each, by one core; the least of some rounds, for other
work on the machine only adds to it. Nothing is compared: the page of the workshop says that each takes some 0.3
seconds at most.
"""

from __future__ import annotations

import time

from starlette.testclient import TestClient

from acap.publish.convert import convert
from acap.web.workshop.app import workshop_app
from acap.web.workshop.views import VIEWS
from benchmarks import corpus

SIZE = 40_000
ROUNDS = 3
HERE = "http://127.0.0.1:8080"
_SCRIPT = {"Origin": HERE, "hx-request": "true", "hx-target": "result"}


def texts(size: int = SIZE) -> dict[str, str]:
    """A text of conventional lines, and one that says them in ACAP too."""
    lines = corpus.generated(size // 25, 6).octets.decode()
    both = convert(lines[: size // 3].encode(), "acap").text.decode()
    return {"conventional lines": _whole(lines, size), "ACAP beside them": _whole(both, size)}


def _whole(text: str, size: int) -> str:
    return text[: text.rfind("\n", 0, size) + 1]


def measure(text: str, rounds: int = ROUNDS) -> dict[str, float]:
    """Seconds of the processor for each answer, by its path: marks, a line, and every view while somebody types."""
    form = {
        "text": text,
        "old": text.replace("Disallow", "Allow", 1),
        "shown_kind": "robots",
        "at_line": "1",
        "urls": "/\n/news/",
    }
    paths = ("/marks", "/line", *("/" if name == "policy" else f"/{name}" for name in VIEWS))
    found = dict.fromkeys(paths, float("inf"))
    with TestClient(workshop_app(), base_url=HERE) as client:
        for _ in range(rounds):
            for path in paths:
                begun = time.process_time()
                client.post(path, data=form, headers=_SCRIPT).raise_for_status()
                found[path] = min(found[path], time.process_time() - begun)
    return found


def main() -> None:
    """Prints the times."""
    for name, text in texts().items():
        print(f"{name}, {len(text):,} characters, {text.count(chr(10)):,} lines")
        for path, seconds in measure(text).items():
            print(f"  {path:10} {seconds * 1000:6.0f} ms")


if __name__ == "__main__":
    main()
