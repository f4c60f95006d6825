"""Presets: one meaning, written into every carrier of a site and proved by reading all of it again.

files = preset_files("no-ai-training", site="https://example.com", kept=octets)
for row in proved("no-ai-training", files, kept=octets):
    print(row.carrier, row.usage, row.outcome)
"""

from __future__ import annotations

from acap.publish.presets.preset import PRESETS, Preset, PresetError, preset
from acap.publish.presets.proof import Proof, proved
from acap.publish.presets.writing import ROBOTS, own_lines, preset_files, without_block

__all__ = [
    "PRESETS",
    "ROBOTS",
    "Preset",
    "PresetError",
    "Proof",
    "own_lines",
    "preset",
    "preset_files",
    "proved",
    "without_block",
]
