"""How many examples the property tests try: few in a run of the tests, many in a soak."""

from __future__ import annotations

import os

from hypothesis import settings

soaked = int(os.environ.get("ACAP_EXAMPLES", "20000"))
settings.register_profile("quick", max_examples=100, deadline=None, derandomize=True)
settings.register_profile("soak", max_examples=soaked, deadline=None, print_blob=True)
settings.load_profile("quick")
