"""A page as its readers see it: ACAP in META tags and class attributes, conventional words, headers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from .crawler import agent_line_is_default
from .page_html import Element, read_elements, read_xml
from .page_statements import Said, hides, read_classes, read_meta, read_tag
from .page_words import BLANKS, KNOWN, Word, bare, is_conventional, read_words
from .signals import Preference, of_headers
from .tdmrep import is_nearly_reservation
from .text import ascii_lower

Headers = Mapping[str, str] | Iterable[tuple[str, str]]
MARKED = r"(?P<mark>(?<![0-9A-Za-z])(?<!the-)ACAP(?![0-9A-Za-z]))"
MARK_IN_HEADER = re.compile(
    r"(?:(?:^|(?<=[ \t\n\f\r\xa0,;]))([^ \t\n\f\r\xa0,;:]+)[ \t\n\f\r\xa0]*:[ \t\n\f\r\xa0]*)?" + MARKED,
    re.IGNORECASE,
)
AGENT = re.compile(r"[ \t\n\f\r\v\xa0]*([^ \t\n\f\r\v\xa0:]+)[ \t\n\f\r\v\xa0]*:[ \t\n\f\r\v\xa0]*")
MARK = re.compile(MARKED, re.IGNORECASE)
PROSE = {"application-name", "author", "color-scheme", "copyright", "description", "format-detection", "generator",
         "keywords", "rating", "referrer", "theme-color", "title", "viewport"}  # fmt: skip


@dataclass(frozen=True)
class Page:
    """A page: its URL if known, whether it is an image, what its parts say, and its elements in document order.

    `named` are the crawlers that its ACAP tags name, whatever they say; it hides names if nobody can tell whom one
    names.
    """

    url: str | None
    is_image: bool
    version: str | None
    version_in_headers: str | None
    named: frozenset[str]
    hides_names: bool
    tags: tuple[Said, ...]
    in_headers: tuple[Said, ...]
    classes: tuple[Said, ...]
    words: tuple[Word, ...]
    elements: tuple[Element, ...]
    xml: Page | None = None
    well_formed: bool = True
    preferences: tuple[Preference, ...] = ()
    licensed: bool = False
    mining: tuple[tuple[str, str], ...] = ()
    mining_headers: tuple[tuple[str, str], ...] = ()

    @property
    def divided(self) -> bool:
        """Whether it is known what elements with statements hold: both readings have the same text in the same ones."""
        return self.xml is None or self.held() == self.xml.held()

    def held(self) -> list[tuple[str, bool, str]]:
        """What elements with statements say and hold."""
        speaking = {id(said.element) for said in self.classes} | {id(element) for element in self.nosnippet}
        return [
            (element.attributes.get("class", ""), "data-nosnippet" in element.attributes, element.text)
            for element in self.elements
            if id(element) in speaking
        ]

    @property
    def nosnippet(self) -> list[Element]:
        """The elements with `data-nosnippet`, whatever its value."""
        return [element for element in self.elements if "data-nosnippet" in element.attributes]

    @property
    def version_number(self) -> tuple[int, int]:
        """The ACAP version; 1.0 if none is stated (P2 2.2.7)."""
        return number_of(self.version)


def number_of(version: str | None) -> tuple[int, int]:
    """The number of a version; 1.0 if none is stated (P2 2.2.7)."""
    major, minor, *_ = (version or "1.0").split(".")
    return int(major), int(minor)


def read_page(html: bytes | str | None, *, url: str | None = None, headers: Headers = ()) -> Page:
    """Read a page, or the headers alone of a resource that is none. Never fails on content."""
    pairs = list(headers.items()) if isinstance(headers, Mapping) else list(headers)
    content_type = next((value for name, value in pairs if ascii_lower(name) == "content-type"), "")
    elements = read_elements(html, charset_of(content_type)) if html is not None else []
    page = page_of(elements, pairs, content_type, url, is_page=html is not None)
    text = html.decode("utf-8", "replace") if isinstance(html, bytes) else html
    media = content_type.partition(";")[0].strip().lower()
    is_xml = media.endswith(("/xml", "+xml")) or (not media and (text or "").lstrip().startswith("<?xml"))
    found = read_xml(text) if text is not None and is_xml else None
    if found is None:
        return page
    elements, well_formed = found
    xml = page_of(elements, pairs, content_type, url, is_page=True)
    return replace(page, xml=replace(xml, well_formed=well_formed), well_formed=well_formed)


def page_of(
    elements: list[Element], pairs: list[tuple[str, str]], content_type: str, url: str | None, *, is_page: bool
) -> Page:
    """A page of these elements."""
    version = None
    named: set[str] = set()
    hides_names = False
    tags: list[Said] = []
    words: list[Word] = []
    in_headers: list[Said] = []
    version_in_headers = None
    for element in elements:
        if element.tag != "meta" or element.in_template:
            continue
        name, content, tag = read_meta(element.attributes)
        if not {"name", "content"} <= set(element.attributes) and not tag:
            continue
        if not name.strip(BLANKS):
            continue
        if tag:
            tags += tag.said
            named |= {tag.addressee} if tag.addressee is not None else set()
            hides_names = hides_names or hides(name)
            version = version or tag.version
        label = ascii_lower(name.strip(BLANKS))
        is_sure = tag is not None and tag.is_sure
        for part in [] if is_sure or label in PROSE or ":" in label else marked_within(content, bool(tag)):
            within = read_tag(name, part)
            in_headers += within.said if within else ()
        label = bare(label).strip(BLANKS)
        to = None if label == "robots" or agent_line_is_default(label) else label
        found = list(read_words(content, to, is_header=False))
        words += found if is_conventional(label, found) else []
    for name, value in pairs:
        if ascii_lower(name) == "x-robots-tag":
            before, *marked = parted_at_marks(value)
            in_headers += nearly_marked(before)
            found = list(read_words(before, None, is_header=True))
            for addressee, content in marked:
                agent = found[-1].addressee if found and addressee is None else addressee
                tag = read_tag(agent or "robots", content)
                in_headers += tag.said if tag else ()
                version_in_headers = version_in_headers or (tag.version if tag else None)
                found += [word for word in read_words(content, agent, is_header=True) if word.name in KNOWN]
            words += found
    return Page(
        url=url,
        is_image=content_type.lower().startswith("image/") or (not is_page and not content_type),
        version=version,
        version_in_headers=version_in_headers,
        named=frozenset(named),
        hides_names=hides_names,
        tags=tuple(tags),
        in_headers=tuple(in_headers),
        classes=tuple(said for element in elements for said in read_classes(element)),
        words=tuple(words),
        elements=tuple(elements),
        preferences=tuple(of_headers(pairs)),
        licensed=any(is_licensing(name, value) for name, value in pairs) or any(map(licenses, elements)),
        mining=tuple(filter(None, map(of_mining, elements))),
        mining_headers=tuple(filter(None, (mining_word(name, value) for name, value in pairs))),
    )


def parted_at_marks(value: str) -> tuple[Any, ...]:
    """What stands in a header before the first mark of ACAP; then of each mark the name before its colon, and what
    follows up to the next."""
    found = list(MARK_IN_HEADER.finditer(value))
    ends = [*(each.start() for each in found), len(value)]
    names = [found_[1] and ascii_lower(found_[1]) for found_ in found]
    contents = [value[each.start("mark") : end].rstrip(" \t,;") for each, end in zip(found, ends[1:], strict=True)]
    said = [({"*": "robots"}.get(name, name), content) for name, content in zip(names, contents, strict=True)]
    return (value[: ends[0]], *said)


def is_nearly_tag(content: str) -> bool:
    """Whether only a slip in its mark makes a text a tag of ACAP."""
    tag = read_tag("robots", content)
    return tag is not None and not tag.is_sure


def nearly_marked(value: str) -> list[Said]:
    """What a header prohibits under a mark that has slipped: each speaks of what follows up to the next."""
    marked: list[tuple[str, int, int]] = []
    for piece in re.finditer("[^,;]+", value):
        agent = AGENT.match(piece[0])
        name, end = (agent[1], agent.end()) if agent else ("robots", 0)
        if is_nearly_tag(piece[0]):
            marked.append(("robots", piece.start(), piece.start()))
        elif is_nearly_tag(piece[0][end:]):
            marked.append(("robots" if name == "*" else name, piece.start(), piece.start() + end))
    found: list[Said] = []
    for (name, _, begin), end in zip(marked, [*(start for _, start, _ in marked[1:]), len(value)], strict=False):
        tag = read_tag(name, value[begin:end].rstrip(" \t,;"))
        found += tag.said if tag else ()
    if not marked:
        tag = read_tag("robots", value)  # a comma stands within it
        found += tag.said if tag and not tag.is_sure else ()
    return found


def marked_within(content: str, is_near: bool) -> list[str]:
    """What is marked as ACAP in a META tag behind something else: it restricts, and lifts nothing."""
    starts = [each.start() for each in MARK.finditer(content)]
    starts = [start for start in starts if not is_near or any(map(str.isalnum, content[:start]))]
    ends = [*starts[1:], len(content)]
    return [content[start:end].rstrip(" \t,;") for start, end in zip(starts, ends, strict=False)]


MINING = ("tdm-reservation", "tdm-policy")


def mining_of(page: Page, file: str = "silent") -> str | None:
    """What file, headers and META elements come to for mining, the later over the earlier (TDMRep 6.7); None: silence.

    Each carrier is a reservation, `1`, `0` or none, and its policies: each good or not. Of the file it is the verdict.
    """
    metas = list(page.mining)
    lifting = metas
    if page.xml is not None:
        lifting = [one for one in metas if one in page.xml.mining] if page.xml.well_formed else []
        metas += page.xml.mining
    outcome, known = None if file == "silent" else file, ""
    terms = [True] if file == "conditional" else []
    for carrier, sure in ((list(page.mining_headers), True), (metas, False)):
        values = [
            [part.strip() for part in value.split(",") if part.strip()]
            for name, value in carrier
            if name == "tdm-reservation"
        ]
        ones = any(part != "0" for parts in values for part in parts)
        firm = carrier if sure else lifting
        zeros = any(name == "tdm-reservation" and value.strip(" ,") for name, value in firm)
        own = [is_url(value, page.url) for name, value in firm if name == "tdm-policy" and value.strip()]
        said = "1" if ones else "0" if zeros else ""
        terms = terms if said == "0" else own or terms
        known = said or known
        if said or (own and outcome in ("conditional", "prohibited")):
            outcome = "permitted" if known == "0" else "conditional" if terms and all(terms) else "prohibited"
    return outcome


def is_url(written: str, base: str | None) -> bool:
    """Whether a policy is an absolute URL, or a reference of a page whose URL is known; or several, between commas."""
    whole = r"https?://[A-Za-z0-9.-]+(?:[/?#][!#-;=?-\[\]_a-z~]*)?"
    parts = written.split(",")
    one = re.fullmatch(whole, written.strip(), re.IGNORECASE)
    path = base is not None and re.fullmatch(r"(?:\.{0,2}/|\?)[!#-;=?-\[\]_a-z~]*", written.strip(), re.IGNORECASE)
    return bool(one or path) or (len(parts) > 1 and all(is_url(part, base) for part in parts))


def is_licensing(name: str, value: str) -> bool:
    """Whether a header licenses mining (RSL)."""
    return ascii_lower(name) == "link" and any(map(is_licence, links(value)))


def of_mining(element: Element) -> tuple[str, str] | None:
    """The name and content of a META element of TDMRep."""
    if element.in_template or element.tag != "meta":
        return None
    return mining_word(element.attributes.get("name", "").strip(), element.attributes.get("content", "").strip())


def mining_word(name: str, value: str) -> tuple[str, str] | None:
    """A word of TDMRep and its value; what is almost a reservation is one, if it reserves."""
    word = ascii_lower(name)
    reserves = any(part.strip() not in ("", "0") for part in value.split(","))
    if word not in MINING and is_nearly_reservation(name) and reserves:
        word = "tdm-reservation"
    return (word, value) if word in MINING else None


def links(value: str) -> list[str]:
    """The links of a header; what stands in quotes, with a backslash before a quote of it, is of one of them.

    Where quotes do not end, each word may be a parameter's.
    """
    quoted = re.sub(r'"(?:[^"\\]|\\.)*"', lambda one: one[0].replace("<", " ").replace(";", " "), value)
    if re.sub(r'"(?:[^"\\]|\\.)*"', "", value).count('"'):
        return ["<>" + value.replace('"', "")]
    return quoted.split("<")[1:]


def is_licence(link: str) -> bool:
    """Whether a link's parameters make it a licence of RSL (RFC 8288)."""
    written = (one.partition("=") for one in link.partition(">")[2].rstrip(", ").split(";"))
    parameters = {ascii_lower(key.strip()): ascii_lower(value.strip().strip('"')) for key, _, value in written}
    return "license" in parameters.get("rel", "").split() and parameters.get("type", "") == "application/rsl+xml"


def licenses(element: Element) -> bool:
    """Whether a LINK or SCRIPT element licenses mining."""
    attributes = element.attributes
    if element.in_template:
        return False
    if element.tag == "script":
        return ascii_lower(attributes.get("type", "")).startswith("application/rsl+xml")
    is_link = element.tag == "link" and "license" in ascii_lower(attributes.get("rel", "")).split()
    return is_link and ascii_lower(attributes.get("type", "")).startswith("application/rsl+xml")


def charset_of(content_type: str) -> str | None:
    """The charset parameter of a media type; None if it has none."""
    for parameter in content_type.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if ascii_lower(name.strip()) == "charset":
            return value.strip().strip('"') or None
    return None
