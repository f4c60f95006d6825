"""What commands share: options, files, the network, what they print, and how they end."""

from __future__ import annotations
