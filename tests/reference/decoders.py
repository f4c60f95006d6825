"""Decoders of the Encoding standard: Python's, corrected where they differ from it. An oracle of the core's.

`webencodings` has all 228 labels of the standard, and Python a codec for each encoding. Corrections here:

- octets 0x80 to 0x9F that a `windows-` code page leaves open are control characters, and three more single octets;
- GBK is gb18030 with all its characters, of the 2022 edition; 0x80 is the euro sign;
- Japanese has the characters of NEC and IBM beside those of JIS X 0208;
- a pair of octets that is no character is one U+FFFD: what follows is not read from its second octet on.

Remaining differences: Big5 lacks 203 rare characters, and ISO-2022-JP the half-width katakana and some care for
malformed octets.
"""

from __future__ import annotations

import codecs
from functools import cache
from typing import Any

import webencodings

_REPLACEMENT = "\ufffd"
# Encodings of more than one octet a character, with Python's name for each.
MULTIPLE = {
    "UTF-8": "utf-8",
    "UTF-16LE": "utf-16-le",
    "UTF-16BE": "utf-16-be",
    "GBK": "gb18030",
    "gb18030": "gb18030",
    "Big5": "big5hkscs",
    "EUC-JP": "euc_jp",
    "ISO-2022-JP": "iso2022_jp",
    "Shift_JIS": "cp932",
    "EUC-KR": "cp949",
}
_ENCODES_REPLACEMENT = frozenset({"UTF-8", "UTF-16LE", "UTF-16BE", "GBK", "gb18030"})
_SINGLES = {"KOI8-U": {0xAE: "\u045e", 0xBE: "\u040e"}, "windows-1255": {0xCA: "\u05ba"}}
# The standard's character for a codec's character.
_CHINESE = str.maketrans(
    "\ue5e5\ue78d\ue78e\ue78f\ue790\ue791\ue792\ue793\ue794\ue795\ue796\ue7c7\u1e3f"
    "\ue81e\ue826\ue82b\ue82c\ue832\ue843\ue854\ue864",
    "\u3000\ufe10\ufe12\ufe11\ufe13\ufe14\ufe15\ufe16\ufe17\ufe18\ufe19\u1e3f\ue7c7"
    "\u9fb4\u9fb5\u9fb6\u9fb7\u9fb8\u9fb9\u9fba\u9fbb",
)
_JAPANESE = str.maketrans("\u301c\u2016\u2212\u00a2\u00a3\u00ac", "\uff5e\u2225\uff0d\uffe0\uffe1\uffe2")
_OTHERWISE: dict[str, dict[int, Any]] = {
    "GBK": _CHINESE,
    "gb18030": _CHINESE,
    "EUC-JP": _JAPANESE,
    "ISO-2022-JP": _JAPANESE,
    "Shift_JIS": dict.fromkeys(range(0xF8F0, 0xF8F4), _REPLACEMENT),  # octets that are no character
}
_PAIRS = range(0x81, 0xFF)
# The octets that begin a pair, for each codec that has pairs of octets above 0x7F.
_LEADS = {
    "gb18030": _PAIRS,
    "big5hkscs": _PAIRS,
    "cp949": _PAIRS,
    "cp932": (*range(0x81, 0xA0), *range(0xE0, 0xFD)),
    "euc_jp": (0x8E, 0x8F, *range(0xA1, 0xFF)),
}
_HANDLER = "tests.reference"


def _lookup(label: str) -> Any:
    return webencodings.lookup(label)


def encoding_of(label: str) -> str | None:
    """The name, in the standard's spelling, of the encoding that a label stands for (Encoding standard 4.2)."""
    found = _lookup(label) if label.isascii() else None
    if found is None:
        return None
    name = str(found.name)
    if name.startswith(("gb18030", "mac", "replacement", "windows-", "x-")):
        return name
    return {"big5": "Big5", "shift_jis": "Shift_JIS"}.get(name) or name.upper()


def text_of(octets: bytes, name: str) -> tuple[str, bool]:
    """The text of octets in an encoding, by its name, and whether malformed octets became U+FFFD."""
    if name == "replacement":  # one U+FFFD for any content
        return (_REPLACEMENT, True) if octets else ("", False)
    codec = MULTIPLE.get(name)
    if codec is None:
        text = codecs.charmap_decode(octets, "strict", _table(name))[0]
        return text, _REPLACEMENT in text
    text = octets.decode(codec, _HANDLER if codec in _LEADS or name in _OTHERWISE else "replace")
    if name in _OTHERWISE:
        text = text.translate(_OTHERWISE[name])
    return text, _REPLACEMENT in text and not (name in _ENCODES_REPLACEMENT and _well_formed(octets, codec))


@cache
def _table(name: str) -> str:
    """The 256 characters of an encoding of one octet a character."""
    encoding = _lookup(name)
    assert encoding is not None, name  # a name of the standard
    characters = [encoding.codec_info.decode(bytes([octet]), "replace")[0] for octet in range(256)]
    for octet in range(0x80, 0xA0) if name.startswith("windows-") else ():
        if characters[octet] == _REPLACEMENT:
            characters[octet] = chr(octet)
    for octet, character in _SINGLES.get(name, {}).items():
        characters[octet] = character
    return "".join(characters)


def _well_formed(octets: bytes, codec: str) -> bool:
    try:
        octets.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _mended(error: UnicodeError) -> tuple[str, int]:
    """The text of octets that a codec of pairs cannot read, and where to continue."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    octets, start, codec = error.object, error.start, error.encoding
    lead, trail = octets[start], octets[start + 1 : start + 4]
    end = start + 1
    if codec == "iso2022_jp":
        return (_jis0208(lead - 0x21, trail[0] - 0x21) if error.end - start == 2 else _REPLACEMENT), error.end
    if codec == "gb18030" and lead == 0x80:
        return "\u20ac", end
    if lead not in _LEADS[codec] or not trail:
        return _REPLACEMENT, end
    if codec == "gb18030" and trail[:1].isdigit():
        four = (len(trail) < 2 or trail[1] in _PAIRS) and (len(trail) < 3 or trail[2:].isdigit())
        return _REPLACEMENT, end + (len(trail) if four else 0)
    if trail[0] < 0x80:
        return _REPLACEMENT, end
    if codec == "euc_jp" and lead == 0x8F and trail[0] in range(0xA1, 0xFF):
        return _REPLACEMENT, end + (2 if len(trail) > 1 and trail[1] >= 0x80 else 1)
    return (_jis0208(lead - 0xA1, trail[0] - 0xA1) if codec == "euc_jp" else _REPLACEMENT), end + 1


def _jis0208(row: int, cell: int) -> str:
    """A character of the standard's index jis0208, all of which Shift_JIS has; U+FFFD if there is none."""
    if not (0 <= row < 94 and 0 <= cell < 94):
        return _REPLACEMENT
    lead, trail = divmod(row * 94 + cell, 188)
    pair = bytes([lead + (0x81 if lead < 0x1F else 0xC1), trail + (0x40 if trail < 0x3F else 0x41)])
    return pair.decode("cp932", "replace")[:1]


codecs.register_error(_HANDLER, _mended)
