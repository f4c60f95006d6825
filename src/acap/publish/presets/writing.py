"""The files of a preset, by their paths: what a site serves at them, or puts into pages, pictures and its server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from acap.dialects.rsl.document import NAMESPACE
from acap.dialects.tdmrep import TdmrepRule, write_tdmrep
from acap.known_crawlers import as_of
from acap.pages.embedded.claims import VOCABULARY
from acap.pages.embedded.xmp import IPTC, PLUS
from acap.publish.crawlers import ANY, once
from acap.publish.presets.preset import Preset, PresetError, preset
from acap.publish.presets.servers import configurations
from acap.robots import parse_robots

ROBOTS, AI_TXT, TDMREP = "robots.txt", "ai.txt", ".well-known/tdmrep.json"
LICENCE, HEAD, HEADERS = "license.xml", "head.html", "response.headers"
METADATA, CREDENTIALS = "metadata.xmp", "training-mining.json"

_BEGIN, _END = b"# acap preset: begin ", b"# acap preset: end\n"
_MARK = b"\xef\xbb\xbf"
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
        PresetError: an unknown preset; a URL that cannot be written; URLs that are missing, or have no place.
    """
    asked = preset(name)
    for what, url in (("site", site), ("terms", terms)):
        if url is not None and not _URL.fullmatch(url):
            raise PresetError(f"`{url}` is not a URL for {what}; write https://example.com, without blanks and quotes")
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
    """A robots.txt without the block of a preset."""
    begin = robots.find(_BEGIN)
    end = robots.find(_END, begin)
    if begin < 0 or end < 0:
        return robots
    return robots[:begin].removesuffix(b"\n") + robots[end + len(_END) :]


def _robots(asked: Preset, licence: str | None, kept: bytes) -> bytes:
    """The block behind the lines that are kept: groups of one crawler are one group (RFC 9309 2.2.1)."""
    policy = parse_robots(kept)
    if licence is not None and (own := [one.line for one in policy.extensions if one.field == "License"]):
        raise PresetError(f"line {own[0]} of robots.txt refers to a licence already; remove it, or give no site")
    fields = [] if licence is None else [f"License: {licence}"]
    fields += [] if asked.signals is None else [f"Content-Signal: {asked.signals}"]
    fields += [] if asked.preferences is None else [f"Content-Usage: {asked.preferences}"]
    closed = [one.name for one in asked.closed]
    lower = [name.lower() for name in closed]
    named = once([ANY, *(name for group in policy.outline.groups for name in group.names)])
    lines: list[str] = [f"{_BEGIN.decode()}{asked.name}, crawlers as of {as_of()}"]
    if closed:
        lines += [*(f"User-agent: {name}" for name in closed), *fields, "Disallow: /", ""]
    # A rule that refuses nothing ends the group, and stands back behind every other rule of it.
    lines += [*(f"User-agent: {name}" for name in named if name.lower() not in lower), *fields, "Disallow:", ""]
    if asked.acap:
        lines += ["ACAP-crawler: *", *(f"ACAP-disallow-{usage}: /" for usage in asked.acap), ""]
        if not policy.lines.kinds["##ACAP"]:
            mark = _MARK if kept.startswith(_MARK) else b""
            kept = mark + b"##ACAP version=1.0\n" + kept.removeprefix(mark)
    if kept:
        kept += b"\n" if kept.endswith(b"\n") else b"\n\n"
    return kept + "\n".join([*lines, ""]).encode() + _END


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
