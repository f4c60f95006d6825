"""A licence document as octets, as RSL 1.0 has it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from acap.dialects.rsl.document import NAMESPACE, RslContent, RslLicence, RslPayment, RslTokens
from acap.dialects.rsl.policy import RslDocument
from acap.dialects.rsl.reading import MAX_AGE

# XML 1.0 2.2 has no such characters, however they are written.
_NO_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def write_rsl(document: RslDocument) -> bytes:
    """A licence document as octets; read again it is equal.

    Raises:
        ValueError: the document has something that was not interpreted, is a feed, or has a character that XML does not
            have.
    """
    contents = document.contents
    if not document.is_whole or any(one.doubted or any(each.doubted for each in one.licences) for one in contents):
        raise ValueError("the document has something that was not interpreted; what it means cannot be written")
    if any(content.item is not None for content in contents):
        raise ValueError("the document is a feed; outside of it a licence would be about more than its item")
    age = () if document.max_age == MAX_AGE else (("max-age", str(document.max_age)),)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        _opened("rsl", (("xmlns", NAMESPACE), *age)),
        *(f"  {line}" for content in contents for line in _content(content)),
        "</rsl>\n",
    ]
    text = "\n".join(lines)
    if _NO_CHARACTER.search(text):
        raise ValueError("the document has a character that XML does not have")
    return text.encode()


def _content(content: RslContent) -> Iterator[str]:
    own = (
        ("url", content.url),
        ("server", content.server),
        ("encrypted", "true" if content.encrypted else None),
        ("lastmod", content.lastmod),
    )
    yield _opened("content", own)
    for licence in content.licences:
        yield from (f"  {line}" for line in _licence(licence))
    for contact in content.contacts:
        name = "contactEmail" if contact.startswith("mailto:") else "contactUrl"
        yield f"  {_element('copyright', '', ((name, contact),))}"
    if content.terms is not None:
        yield f"  {_element('terms', content.terms)}"
    yield "</content>"


def _licence(licence: RslLicence) -> Iterator[str]:
    yield "<license>"
    parts = [*_lists("permits", licence.permits), *_lists("prohibits", licence.prohibits)]
    for payment in licence.payments:
        parts += _payment(payment)
    for report in licence.reporting:
        own = (("type", report.type), ("profile", report.profile), ("endpoint", report.endpoint))
        parts.append(_element("reporting", "", own))
    parts += [_element("legal", legal.text, (("type", legal.type),)) for legal in licence.legal]
    yield from (f"  {line}" for line in parts)
    yield "</license>"


def _lists(name: str, tokens: RslTokens) -> Iterator[str]:
    for kind, found in (("usage", tokens.usage), ("user", tokens.user), ("geo", tokens.geo)):
        if found is not None:
            yield _element(name, " ".join(found), (("type", kind),))


def _payment(payment: RslPayment) -> list[str]:
    parts = [
        *(_element("standard", text) for text in payment.standard),
        *(_element("custom", text) for text in payment.custom),
        *(_element("accepts", "", (("type", text),)) for text in payment.accepts),
    ]
    if payment.amount is not None:
        parts.append(_element("amount", payment.amount, (("currency", payment.currency),)))
    if not parts:
        return [_element("payment", "", (("type", payment.type),))]
    return [_opened("payment", (("type", payment.type),)), *(f"  {part}" for part in parts), "</payment>"]


def _opened(name: str, attributes: Iterable[tuple[str, str | None]]) -> str:
    return (
        "<" + " ".join([name, *(f"{key}={quoteattr(value)}" for key, value in attributes if value is not None)]) + ">"
    )


def _element(name: str, text: str, attributes: Iterable[tuple[str, str | None]] = ()) -> str:
    opened = _opened(name, attributes)
    return f"{opened}{escape(text, {chr(13): '&#13;'})}</{name}>" if text else f"{opened[:-1]}/>"


__all__ = ["write_rsl"]
