"""Protego as a reader of the open vectors: it reads no signals, and robots.txt alone; ai.txt has that grammar.

vectors/run -- python3 vectors/readers/by_protego.py
"""

from __future__ import annotations

import base64
import json
import sys
from urllib.parse import urlsplit

from protego import Protego

for line in sys.stdin:
    question = json.loads(line)
    found = "unsupported"
    if question["dialect"] == "ai-txt" and "body" in question["input"].get("document", {}):
        body = question["input"]["document"]["body"]
        text = body if isinstance(body, str) else base64.b64decode(body["base64"]).decode("utf-8", "replace")
        path = urlsplit(question["ask"]["url"])._replace(scheme="", netloc="").geturl()
        found = "silent" if Protego.parse(text).can_fetch(path, question["ask"]["crawler"][0]) else "prohibited"
    print(json.dumps({"id": question["id"], "answer": found}), flush=True)
