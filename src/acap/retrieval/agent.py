"""The User-Agent we send: the name that policies are searched for, and whom to write to."""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from acap.crawlers import Crawler, check_names
from acap.robots import Asker

_PRODUCT = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:/[!#$%&'*+.^_`|~0-9A-Za-z-]+)?")  # RFC 9110 10.1.5, 5.6.2
_FIELD = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")  # RFC 9110 5.5, ASCII only
_COMMENT = re.compile(r"[\x21-\x27\x2a-\x5b\x5d-\x7e]+(?: [\x21-\x27\x2a-\x5b\x5d-\x7e]+)*")  # RFC 9110 5.6.5, flat


def user_agent(crawler: Asker | None = None, contact: str | None = None) -> str:
    """The field's value: `acap/0.1.0 (+CONTACT)`, or `NAME (+CONTACT) acap/0.1.0` for a crawler.

    Of several names the first is sent: a crawler sends the name it scans for (K2 3.2.1). A crawler given by a whole
    User-Agent string, longer than one product, sends that. Raises ValueError for a name or contact that the
    field cannot carry, and for a name that would be cut.
    """
    if contact is not None and not _COMMENT.fullmatch(contact):
        raise ValueError(f"the contact `{contact}` must be a URL or address in ASCII, without parentheses")
    check_names(crawler)
    comment = f" (+{contact})" if contact else ""
    ours = f"acap/{_version()}"
    name = None if crawler is None else _first_name(crawler)
    if name is None or name == "*":
        return ours + comment
    if _PRODUCT.fullmatch(name):
        return f"{name}{comment} {ours}"
    if _FIELD.fullmatch(name):
        return name
    raise ValueError(f"the crawler's name `{name!a}` cannot be sent in a User-Agent; give `user_agent`")


def checked(user_agent: str) -> str:
    """The value itself. Raises ValueError if no header field can carry it."""
    if not _FIELD.fullmatch(user_agent):
        raise ValueError(f"the User-Agent `{user_agent!a}` must be printable ASCII, and not empty")
    return user_agent


def _first_name(crawler: Asker) -> str:
    if isinstance(crawler, str):
        return crawler.strip()
    names = crawler.names if isinstance(crawler, Crawler) else tuple(crawler)
    if not names:
        raise ValueError("the crawler has no name")
    return names[0].strip()


@cache
def _version() -> str:
    try:
        return version("acap")
    except PackageNotFoundError:  # run from a source tree
        return "0"
