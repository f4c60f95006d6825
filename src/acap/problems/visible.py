"""Foreign text, shown: nothing of it reaches a terminal or a log as anything but a sign."""

from __future__ import annotations

# Marks and overrides of direction and of the end of a line.
_UNSAFE = (0x61C, 0x2028, 0x2029, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF)
_SHOWN = {
    code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    for code in (*range(0x20), *range(0x7F, 0xA0), *_UNSAFE)
} | {0x09: " "}
_UNSEEN = {code: shown for code, shown in _SHOWN.items() if code not in (0x09, 0x0A)}


def visible(text: str) -> str:
    """The text with every control, direction and line-separating character written as an escape; a tab is a blank."""
    return text if text.isprintable() else _whole(text.translate(_SHOWN))


def unseen(text: str) -> str:
    """The text with every such character as an escape, but for tabs and line feeds: those are the writer's own."""
    return text if text.isprintable() else _whole(text.translate(_UNSEEN))


def _whole(text: str) -> str:
    """The text with halves of characters, which no encoding has, as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()
