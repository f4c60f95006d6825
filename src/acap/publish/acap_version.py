"""The version of ACAP that a new policy declares, whoever writes it: conversions, drafts and presets."""

from __future__ import annotations

from typing import Final

ACAP_VERSION: Final = "1.1"
