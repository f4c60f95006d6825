"""A tree of elements to contents and their licences: lenient in reading, strict in granting (RSL 1.0 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from acap.dialects.rsl.document import (
    LEGAL,
    NAMESPACE,
    PAYMENTS,
    USAGES,
    RslContent,
    RslLegal,
    RslLicence,
    RslPayment,
    RslReporting,
    RslTokens,
)
from acap.dialects.rsl.evaluation import ALIASES, EXTENSION, is_path, is_something, says_where, without_fragment
from acap.dialects.rsl.tree import Tree, XmlNode
from acap.dialects.spelling import one_slip
from acap.licensee import USERS
from acap.problems import Problem, legible, problem

MAX_AGE = 30
"""The days for which a document and its association hold where it names none (RSL 1.0 3.1)."""

_TYPES = ("usage", "user", "geo")
_ATTRIBUTES = {
    "rsl": ("max-age", "version"),
    "content": ("url", "server", "encrypted", "lastmod"),
    "permits": ("type",),
    "prohibits": ("type",),
    "payment": ("type",),
    "amount": ("currency",),
    "accepts": ("type",),
    "reporting": ("type", "profile", "endpoint"),
    "legal": ("type",),
    "copyright": ("type", "contactEmail", "contactUrl"),
    "alternate": ("type",),
}
_CHILDREN = {
    "rsl": ("content",),
    "content": ("license", "alternate", "schema", "copyright", "terms"),
    "license": ("permits", "prohibits", "payment", "reporting", "legal"),
    "payment": ("standard", "custom", "amount", "accepts"),
}
_NAMES = {name for names in _CHILDREN.values() for name in names}
_FEEDS = ("rss", "RDF", "feed")
_ITEMS = ("item", "entry")


class LicenceReader:
    """Reads one document: `contents`, `max_age`, `is_whole`, and what is wrong."""

    def __init__(self, octets: bytes | str) -> None:
        self.contents: tuple[RslContent, ...] = ()
        self.max_age = MAX_AGE
        self._found: list[Problem] = []
        tree = Tree(octets)
        self.is_whole = tree.failure is None
        if tree.failure is not None:
            code, words, line, column = tree.failure
            self._found.append(problem(code, line, column, words, ""))
        if tree.root is not None:
            self._root(tree.root)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong, in the order of places."""
        return tuple(sorted(self._found, key=lambda one: (one.line, one.column)))

    def _tell(self, code: str, node: XmlNode, *words: str, text: str = "") -> None:
        self._found.append(problem(code, node.line, node.column, [legible(word[:80]) for word in words], text[:80]))

    def _root(self, root: XmlNode) -> None:
        if root.is_ours and root.name == "rsl":
            self._document(root)
        elif root.name in _FEEDS:
            self._feed(root)
        else:
            self.is_whole = False
            self._tell("rsl-namespace", root, root.name, root.space or "no namespace")
        if self.is_whole and not self.contents:
            self.is_whole = False
            self._tell("rsl-no-content", root)

    def _document(self, root: XmlNode) -> None:
        # What is not understood may be a content, and about any path.
        self.is_whole = not self._doubts(root) and self.is_whole
        doubted = not self.is_whole
        age = root.attributes.get("max-age")
        if age is not None:
            self.max_age = _days(age)
            if not _PLAIN_DAYS.fullmatch(age.strip()):
                self._tell("rsl-max-age", root, age)
        self.contents = tuple(self._content(node, doubted=doubted) for node in root.named("content"))

    def _feed(self, root: XmlNode) -> None:
        """The contents of a feed's items; each grants for what its item links to alone (RSL 1.0 4.7)."""
        waiting: list[tuple[XmlNode, str | None]] = [(root, None)]
        children: list[tuple[XmlNode, str | None]] = []
        while waiting:
            node, link = waiting.pop()
            if node.name in _ITEMS and not node.is_ours:
                link = _exactly(_link(node))
            for child in reversed(node.children):
                if child.is_ours and child.name == "content":
                    children.append((child, link))
                    continue
                waiting.append((child, link))
                if child.is_ours:
                    # It may be a content, and about any path.
                    self.is_whole = False
                    self._tell("rsl-unknown-element", child, child.name, root.name)
        self.contents = tuple(self._content(node, doubted=not self.is_whole, item=link) for node, link in children)

    def _doubts(self, node: XmlNode) -> bool:
        """Whether an element has something of RSL's namespace that is not RSL: nothing is granted within it."""
        strange = sorted(node.attributes.keys() - set(_ATTRIBUTES.get(node.name, ())))
        for name in strange:
            self._tell("rsl-unknown-attribute", node, name, node.name)
        known = _CHILDREN.get(node.name, ())
        unknown = [child for child in node.children if child.is_ours and child.name not in known]
        for child in unknown:
            self._tell("rsl-unknown-element", child, child.name, node.name)
        astray = next(_astray(node), None)
        if astray is not None:
            self._tell("rsl-unknown-element", astray, astray.name, node.name)
        return bool(unknown or strange or astray)

    def _content(self, node: XmlNode, *, doubted: bool, item: str | None = None) -> RslContent:
        doubted |= self._doubts(node)
        url = node.attributes.get("url")
        written = (url or "").strip()
        written = written or item or ""
        if is_path(written) and "#" in written:
            # A fragment names no resource of its own (RFC 3986 3.5); whoever grants a part has not granted the whole.
            doubted = True
            self._tell("rsl-fragment", node, written)
        if url is None or not (says_where(written) or not written):
            doubted = True
            self._tell("rsl-url", node, written)
        elif written and not is_path(written) and not item:
            self._tell("rsl-absolute-url", node, written)
        licences = tuple(self._licence(child) for child in node.named("license"))
        if not licences:
            self._tell("rsl-no-licence", node, written)
        for name in ("alternate", "schema", "copyright", "terms"):
            for child in node.named(name):
                doubted |= self._doubts(child)
        encrypted = node.attributes.get("encrypted", "false").strip().lower()
        return RslContent(
            url=written,
            licences=licences,
            server=node.attributes["server"].strip() if "server" in node.attributes else None,
            encrypted=encrypted not in ("false", "0"),
            lastmod=node.attributes.get("lastmod"),
            contacts=tuple(dict.fromkeys(_contacts(node.named("copyright")))),
            terms=next((child.text for child in node.named("terms") if child.text), None),
            item=item,
            doubted=doubted,
            line=node.line,
            column=node.column,
        )

    def _licence(self, node: XmlNode) -> RslLicence:
        doubted = self._doubts(node)
        for child in node.children:
            if child.is_ours and child.name in _CHILDREN["license"]:
                doubted |= self._doubts(child)
                for below in child.children:
                    doubted |= below.is_ours and self._doubts(below)
        permits, unclear = self._tokens(node.named("permits"))
        prohibits, more_unclear = self._tokens(node.named("prohibits"))
        payments = node.named("payment")
        if len(payments) > 1:
            self._tell("rsl-repeated", payments[1], "payment")
        for report in node.named("reporting"):
            self._tell("rsl-reporting", report, report.attributes.get("profile", ""))
        for legal in node.named("legal"):
            if legal.attributes.get("type") not in LEGAL:
                self._tell("rsl-unknown-type", legal, "legal", legal.attributes.get("type", ""))
        self._contradicts(node, permits, prohibits)
        return RslLicence(
            permits=permits,
            prohibits=prohibits,
            payments=tuple(map(self._payment, payments)),
            reporting=tuple(map(_reporting, node.named("reporting"))),
            legal=tuple(RslLegal(one.attributes.get("type", ""), one.text) for one in node.named("legal")),
            doubted=doubted or unclear or more_unclear,
            line=node.line,
            column=node.column,
        )

    def _tokens(self, nodes: Sequence[XmlNode]) -> tuple[RslTokens, bool]:
        """What the lists of one kind name, by type, and whether a type could not be interpreted."""
        by_kind: dict[str, dict[str, None]] = {}
        unclear = False
        for node in nodes:
            kind = node.attributes.get("type", "").strip()
            if kind not in _TYPES:
                unclear = True
                self._tell("rsl-list-type", node, node.name, kind)
                continue
            if kind in by_kind:
                self._tell("rsl-repeated", node, f"{node.name} {kind}")
            for child in node.children:
                # Some of the list may stand in it.
                unclear = True
                if not child.is_ours:
                    self._tell("rsl-unknown-element", child, child.name, node.name)
            if "," in node.text:
                self._tell("rsl-comma-list", node, node.text, text=node.text)
            tokens = tuple(dict.fromkeys(node.text.replace(",", " ").split()))
            if not tokens:
                self._tell("rsl-empty-list", node, node.name)
            self._check(node, kind, tokens)
            by_kind.setdefault(kind, {}).update(dict.fromkeys(tokens))
        return RslTokens(**{kind: tuple(tokens) for kind, tokens in by_kind.items()}), unclear

    def _check(self, node: XmlNode, kind: str, tokens: tuple[str, ...]) -> None:
        """Tells the first token of a list that RSL does not know."""
        known = {"usage": USAGES, "user": USERS}.get(kind)
        for token in tokens:
            is_known = token in known if known else len(token) == 2 and token.isascii() and token.isupper()
            if is_known:
                continue
            if kind == "usage" and token.lower() in ALIASES:
                self._tell("rsl-foreign-token", node, token, ALIASES[token.lower()], text=token)
            else:
                self._tell(
                    "rsl-extension" if EXTENSION.fullmatch(token) else "rsl-unknown-token",
                    node,
                    token,
                    kind,
                    text=token,
                )
            return

    def _contradicts(self, node: XmlNode, permits: RslTokens, prohibits: RslTokens) -> None:
        """Tells of a use that one licence permits and prohibits (RSL 1.0 3.6)."""
        wide = {"all": USAGES, "ai-all": ("ai-all", "ai-train", "ai-input", "ai-index")}
        refusing = {token: refused for refused in prohibits.usage or () for token in wide.get(refused, (refused,))}
        for token in permits.usage or ():
            if token in refusing:
                self._tell("rsl-contradiction", node, token, refusing[token])
                return

    def _payment(self, node: XmlNode) -> RslPayment:
        kind = node.attributes.get("type", "").strip()
        if kind == "inference":
            self._tell("rsl-old-payment", node)
            kind = "use"
        elif kind not in PAYMENTS:
            self._tell("rsl-unknown-payment", node, kind)
        amounts = node.named("amount")
        if len(amounts) > 1:
            self._tell("rsl-repeated", amounts[1], "amount")
        # Of several the one that is something: a zero beside it must not make the use free.
        amount = max(amounts, key=lambda one: is_something(one.text), default=None)
        return RslPayment(
            type=kind,
            amount=None if amount is None else amount.text,
            currency=None if amount is None else amount.attributes.get("currency"),
            standard=tuple(one.text for one in node.named("standard") if one.text),
            custom=tuple(one.text for one in node.named("custom") if one.text),
            accepts=tuple(one.attributes.get("type", one.text) for one in node.named("accepts")),
        )


def max_age_of(octets: bytes) -> int:
    """The `max_age` of a document, of which no more than the first element is read."""
    root = Tree(octets, elements=1).root
    is_licence = root is not None and root.is_ours and root.name == "rsl"
    written = root.attributes.get("max-age") if root is not None and is_licence else None
    return MAX_AGE if written is None else _days(written)


def _days(written: str) -> int:
    """The days of `max-age`; none of what is no number of days, for it may be any."""
    plain = written.strip()
    return int(plain) if _PLAIN_DAYS.fullmatch(plain) else 0


_PLAIN_DAYS = re.compile("[0-9]{1,7}")


def _astray(node: XmlNode) -> Iterator[XmlNode]:
    """What an element has of RSL where RSL has nothing: in elements of others, or with a slip in the namespace."""
    waiting = [child for child in node.children if not child.is_ours]
    while waiting:
        element = waiting.pop()
        name, space = element.name.lower(), element.space.lower().strip().rstrip("/#").replace("http://", "https://")
        is_near = space in ("", NAMESPACE) or one_slip(space.replace("//www.", "//"), NAMESPACE)
        if element.is_ours or name == "prohibits" or (is_near and name in _NAMES):
            yield element
        waiting += element.children


def _reporting(node: XmlNode) -> RslReporting:
    own = node.attributes
    return RslReporting(own.get("type", ""), own.get("profile"), own.get("endpoint"))


def _contacts(nodes: Sequence[XmlNode]) -> Iterator[str]:
    for node in nodes:
        if email := node.attributes.get("contactEmail", "").strip():
            yield email if ":" in email else f"mailto:{email}"
        if url := node.attributes.get("contactUrl", "").strip():
            yield url


def _link(item: XmlNode) -> str:
    """Where an item of a feed links to by its own format; empty if that is nowhere, or to several places.

    A `link` of another format, or one with a relation other than `alternate`, is no place of the item (RFC 4287 4.2.7).
    """
    targets = {
        link.attributes.get("href", link.text).strip()
        for link in item.children
        if (link.name, link.space) == ("link", item.space)
        and link.attributes.get("rel", "alternate").strip().lower() == "alternate"
    }
    return targets.pop() if len(targets) == 1 else ""


def _exactly(url: str) -> str:
    """The pattern of one URL alone; empty of none."""
    plain = without_fragment(url).replace("*", "%2A").replace("$", "%24")
    return f"{plain}$" if url else ""


__all__ = ["MAX_AGE", "NAMESPACE", "LicenceReader", "max_age_of"]
