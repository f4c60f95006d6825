"""datadiligence as a reader of the open vectors: of these dialects it reads the header of TDMRep.

vectors/run -- python3 vectors/readers/by_datadiligence.py
"""

from __future__ import annotations

import contextlib
import json
import sys

with contextlib.redirect_stdout(sys.stderr):  # Its import prints a line.
    from datadiligence.rules import TDMRepHeader

RULE = TDMRepHeader()

for line in sys.stdin:
    question = json.loads(line)
    found = "unsupported"
    headers = question["input"].get("response", {}).get("headers")
    if question["dialect"] == "tdmrep" and headers and set(question["input"]) == {"response"}:
        # A later line of a name takes the place of an earlier one, as in the dictionaries that it is given.
        given = {name.lower(): value for name, value in headers}
        # It answers yes or no. A yes to `0` is a permission, and to anything else silence.
        yes = "permitted" if given.get(RULE.HEADER_NAME, "").strip() == "0" else "silent"
        found = yes if RULE.is_allowed(headers=given) else "prohibited"
    print(json.dumps({"id": question["id"], "answer": found}), flush=True)
