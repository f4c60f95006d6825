"""The files of a preset, by their paths: what a site serves at them, or puts into pages, pictures and its server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from ipaddress import AddressValueError, IPv4Address
from typing import NamedTuple
from urllib.parse import urlsplit
from xml.sax.saxutils import escape, quoteattr

from acap._native import absolute
from acap.crawler_list import as_of, known
from acap.dialects.rsl.document import NAMESPACE
from acap.dialects.tdmrep import TdmrepRule, write_tdmrep
from acap.pages.embedded.claims import VOCABULARY
from acap.pages.embedded.xmp import IPTC, PLUS
from acap.publish.acap_version import ACAP_VERSION
from acap.publish.crawlers import ANY, as_written, once
from acap.publish.presets.preset import PRESETS, Preset, PresetError, preset
from acap.publish.presets.retired import not_repeated, repeated
from acap.publish.presets.servers import configurations
from acap.robots import parse_robots

ROBOTS, AI_TXT, TDMREP = "robots.txt", "ai.txt", ".well-known/tdmrep.json"
LICENCE, HEAD, HEADERS = "license.xml", "head.html", "response.headers"
METADATA, CREDENTIALS = "metadata.xmp", "training-mining.json"

_BEGIN, _END = "# acap preset: begin ", "# acap preset: end"
_FIRST_LINE = re.compile(rf"^{_BEGIN}([a-z-]+), crawlers as of ([0-9-]+)\n".encode(), re.MULTILINE)
_LAST_LINE = re.compile(rf"^{_END}$\n?".encode(), re.MULTILINE)
_MARKER = re.compile(rf"^(?:{_BEGIN}|{_END})".encode(), re.MULTILINE)
BYTE_ORDER_MARK, _VERSION = b"\xef\xbb\xbf", f"##ACAP version={ACAP_VERSION}\n".encode()
_URL = re.compile(r"https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:[/?][A-Za-z0-9._~:/?@!&()*+,;=%-]*)?")


def preset_files(
    name: str, *, site: str | None = None, terms: str | None = None, kept: bytes = b""
) -> dict[str, bytes]:
    """The files of a preset, by their paths.

    Args:
        name: of the preset.
        site: the site's URL, so that carriers can refer to the licence document; None: none does.
        terms: the URL at which a licence is offered, for presets that have terms.
        kept: the site's robots.txt as it is. Its lines stay, but for the block of a preset, which is written anew.

    Raises:
        PresetError: an unknown preset; a URL that cannot be written; URLs that are missing, or have no place; a block
            that has been changed.
    """
    asked = preset(name)
    for what, url in (("site", site), ("terms", terms)):
        if url is not None and not _URL.fullmatch(url):
            raise PresetError(f"`{url}` is not a URL for {what}; write https://example.com, without blanks and quotes")
        if url is not None and not _has_host(url):
            raise PresetError(f"`{url}` is not a URL for {what}: it has no possible host, or no possible port")
    if asked.has_terms and (terms is None or site is None):
        raise PresetError(f"the preset {name} needs the site's URL, and the one at which a licence is offered")
    if terms is not None and not asked.has_terms:
        raise PresetError(f"the preset {name} has no terms: what it refuses is refused; leave out {terms}")
    licence = None if site is None else re.sub(r"(?<=[^:/])[/?].*", "", site) + f"/{LICENCE}"
    headers = tuple(_headers(asked, licence, terms))
    return {
        ROBOTS: _robots(asked, licence, without_block(kept)),
        **({AI_TXT: b"User-Agent: *\nDisallow: /\n"} if asked.ai_txt else {}),
        TDMREP: write_tdmrep([TdmrepRule("/", True, terms)]).encode(),
        LICENCE: _licence(asked, terms),
        HEAD: "".join(_tags(asked, licence, terms)).encode(),
        HEADERS: "".join(f"{key}: {value}\n" for key, value in headers).encode(),
        **configurations(headers),
        METADATA: _metadata(asked, terms),
        CREDENTIALS: _credentials(asked, terms),
    }


def without_block(robots: bytes) -> bytes:
    """A robots.txt without the block of a preset. Raises PresetError for a block that is not as it was written."""
    block = _preset_block_of(robots)
    if block is not None and _closed_in(block) is not None:
        before = robots[: block.start]
        robots = (before[:-1] if before.endswith(b"\n\n") else before) + robots[block.end :]
    if changed := _MARKER.search(robots):
        line = robots.count(b"\n", 0, changed.start()) + 1
        raise PresetError(
            f"the block of a preset at line {line} of robots.txt has been changed; remove it, or its comments"
        )
    return robots


def closed_by_block(robots: bytes) -> Sequence[str]:
    """The crawlers that the block of a preset in a robots.txt closes out."""
    block = _preset_block_of(robots)
    return () if block is None else _closed_in(block) or ()


class _PresetBlock(NamedTuple):
    """The block of a preset in a robots.txt: where it stands, whose it says it is, of which day, and what it has."""

    start: int
    end: int
    name: str
    day: str
    octets: bytes


def _preset_block_of(robots: bytes) -> _PresetBlock | None:
    """From the first line of a block to the next last line; where that is missing no other block has one either."""
    first = _FIRST_LINE.search(robots)
    last = None if first is None else _LAST_LINE.search(robots, first.end())
    if first is None or last is None:
        return None
    name, day = (group.decode() for group in first.groups())
    return _PresetBlock(first.start(), last.end(), name, day, robots[first.start() : last.end()])


def _closed_in(block: _PresetBlock) -> Sequence[str] | None:
    """The crawlers that a block closes out; None if a preset would not have written it so."""
    if block.name not in PRESETS:
        return None
    asked, text = PRESETS[block.name], block.octets.decode("utf-8", "replace")
    groups = [re.findall(r"^User-agent: (.+)$", group, re.MULTILINE) for group in text.split("\n\n")]
    closed, named = ([], groups[0]) if asked.closes is None else (groups[0], groups[1] if len(groups) > 1 else [])
    licence = re.search(r"^License: (.+)$", text, re.MULTILINE)
    written = _block(asked, block.day, closed, named, None if licence is None else licence[1])
    found = [(name, known(name)) for name in closed]
    ours = all(crawler is not None and crawler.name == name and asked.shuts(crawler) for name, crawler in found)
    return closed if ours and written.rstrip(b"\n") == block.octets.rstrip(b"\n") else None


def _has_host(url: str) -> bool:
    """Whether a crawler could ask for a URL: its port is one, and its host a name or the four numbers of an address."""
    try:
        absolute(url)
        host = urlsplit(url).hostname or ""
        if re.search(r"(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)\.?$", host):
            IPv4Address(host)
    except (ValueError, AddressValueError):
        return False
    return True


def own_lines(robots: bytes) -> bytes:
    """What of a robots.txt is the site's own: without the block of a preset, and what is written before it."""
    return without_block(robots).removeprefix(BYTE_ORDER_MARK).removeprefix(_VERSION).rstrip(b"\r\n")


def _robots(asked: Preset, licence: str | None, kept: bytes) -> bytes:
    """The block behind the lines that are kept: groups of one crawler are one group (RFC 9309 2.2.1)."""
    policy = parse_robots(kept)
    if licence is not None and (own := [one.line for one in policy.extensions if one.field == "License"]):
        raise PresetError(f"line {own[0]} of robots.txt refers to a licence already; remove it, or give no site")
    closed = [crawler.name for crawler in asked.closed]
    lower = [name.lower() for name in closed]
    named = as_written(once([ANY, *(name for group in policy.outline.groups for name in group.names)]), policy)
    if asked.acap and not policy.lines.kinds["##ACAP"]:
        mark = BYTE_ORDER_MARK if kept.startswith(BYTE_ORDER_MARK) else b""
        kept = mark + _VERSION + kept.removeprefix(mark)
    if kept:
        kept += b"\n" if kept.endswith(b"\n") else b"\n\n"
    others = repeated((name for name in named if name.lower() not in lower), not_repeated(asked, policy, named))
    return kept + _block(asked, str(as_of()), closed, others, licence)


def _block(asked: Preset, day: str, closed: Sequence[str], others: Sequence[str], licence: str | None) -> bytes:
    """The block of a preset, with the crawlers that it closes out and the others that the file names."""
    fields = [] if licence is None else [f"License: {licence}"]
    fields += [] if asked.signals is None else [f"Content-Signal: {asked.signals}"]
    fields += [] if asked.preferences is None else [f"Content-Usage: {asked.preferences}"]
    lines: list[str] = [f"{_BEGIN}{asked.name}, crawlers as of {day}"]
    if closed:
        lines += [*(f"User-agent: {name}" for name in closed), *fields, "Disallow: /", ""]
    # A rule that refuses nothing ends the group, and stands back behind every other rule of it.
    lines += [*(f"User-agent: {name}" for name in others), *fields, "Disallow:", ""]
    if asked.acap:
        lines += ["ACAP-crawler: *", *(f"ACAP-disallow-{usage}: /" for usage in asked.acap), ""]
    return "\n".join([*lines, _END, ""]).encode()


def _headers(asked: Preset, licence: str | None, terms: str | None) -> Iterator[tuple[str, str]]:
    if asked.preferences is not None:
        yield "Content-Usage", asked.preferences
    if asked.signals is not None:
        yield "Content-Signal", asked.signals
    yield "tdm-reservation", "1"
    if terms is not None:
        yield "tdm-policy", terms
    if asked.words is not None:
        yield "X-Robots-Tag", asked.words
    if licence is not None:
        yield "Link", f'<{licence}>; rel="license"; type="application/rsl+xml"'


def _tags(asked: Preset, licence: str | None, terms: str | None) -> Iterator[str]:
    if asked.words is not None:
        yield f'<meta name="robots" content="{asked.words}">\n'
    yield '<meta name="tdm-reservation" content="1">\n'
    if terms is not None:
        yield f'<meta name="tdm-policy" content={quoteattr(terms)}>\n'
    if licence is not None:
        yield f'<link rel="license" type="application/rsl+xml" href={quoteattr(licence)}>\n'


def _licence(asked: Preset, terms: str | None) -> bytes:
    licences = "".join(f"    <license>{one.format(escape(terms or ''))}</license>\n" for one in asked.licences)
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<rsl xmlns="{NAMESPACE}">\n  <content url="/">\n'
    return f"{head}{licences}  </content>\n</rsl>\n".encode()


def _metadata(asked: Preset, terms: str | None) -> bytes:
    """A packet of XMP, for the tools that put it into pictures and documents."""
    linked = ""
    if terms is not None:
        linked = (
            '\n   <Iptc4xmpExt:LinkedEncRightsExpr><rdf:Bag><rdf:li rdf:parseType="Resource">'
            f"<Iptc4xmpExt:LinkedRightsExpr>{escape(terms)}</Iptc4xmpExt:LinkedRightsExpr>"
            "</rdf:li></rdf:Bag></Iptc4xmpExt:LinkedEncRightsExpr>"
        )
    return f"""\
<x:xmpmeta xmlns:x="adobe:ns:meta/">
 <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description rdf:about="" xmlns:plus="{PLUS}" xmlns:Iptc4xmpExt="{IPTC}">
   <plus:DataMining>{VOCABULARY}{asked.plus}</plus:DataMining>{linked}
  </rdf:Description>
 </rdf:RDF>
</x:xmpmeta>
""".encode()


def _credentials(asked: Preset, terms: str | None) -> bytes:
    use = {"use": asked.use} if terms is None else {"use": asked.use, "constraint_info": terms}
    data = {"entries": {f"cawg.{entry}": use for entry in asked.entries}}
    return (json.dumps({"label": "cawg.training-mining", "data": data}, indent=2) + "\n").encode()
