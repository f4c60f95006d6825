"""susbot as a reader of the open vectors: a checker of robots.txt that tells what each Content-Signal line says.

    vectors/run -- python3 vectors/readers/by_susbot.py

It tells lines, not verdicts: those of the group that it selects are put together here, the refusal first.
"""

from __future__ import annotations

import base64
import json
import re
import sys
from urllib.parse import urlsplit

import susbot

NAMES = {
    "search": ("index", "present-link", "present-snippet", "search"),
    "ai-input": ("ai-input",),
    "ai-train": ("ai-train", "ai-train-generative"),
}


def signals(text: str, names: list[str], path: str) -> dict[str, str]:
    """Each name with its value, as the lines of the selected group say."""
    analysis = susbot.Analysis(text)
    told = analysis.check_access(names, path)
    used = str(told.get("groupUsed") or "*").lower()
    ranges = [
        range(group["startLine"], group["endLine"] + 1)
        for group in analysis.report["groups"]
        if used in (agent.lower() for agent in group["userAgents"])
    ]
    found: dict[str, str] = {}
    for issue in analysis.issues:
        listed = re.search(r"\((.*?)\)", issue["message"])
        if issue["id"] == "parser.contentSignal" and listed and any(issue["line"] in lines for lines in ranges):
            for name, value in re.findall(r"([\w-]+)=(\w+)", listed[1]):
                found[name] = "no" if "no" in (value, found.get(name)) else value
    return found


for line in sys.stdin:
    question = json.loads(line)
    found = "unsupported"
    robots = question["input"].get("robots")
    if question["dialect"] == "content-signal" and robots is not None and "response" not in question["input"]:
        text = robots if isinstance(robots, str) else base64.b64decode(robots["base64"]).decode("utf-8", "replace")
        path = urlsplit(question["ask"]["url"])._replace(scheme="", netloc="").geturl()
        said = signals(text, question["ask"]["crawler"], path)
        values = {value for name, value in said.items() if question["ask"]["usage"] in NAMES.get(name, ())}
        found = "prohibited" if "no" in values else "permitted" if values else "silent"
    print(json.dumps({"id": question["id"], "answer": found}), flush=True)
