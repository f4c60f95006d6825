"""A robots.txt in a file: bare, or with the head of the response it came in, as `curl -i` saves it."""

from __future__ import annotations

from acap.robots import Limits, RobotsPolicy, parse_robots


def robots_in(
    octets: bytes, *, url: str | None = None, dialect: str = "auto", limits: Limits | None = None
) -> RobotsPolicy:
    """The policy in a file, which has lines of the body alone.

    `evidence` of one that came without a body has its `meaning`, the `status` if there was one, and as `doubt` why it
    is not known, if it is not.

    Raises:
        ValueError, TypeError: as `acap.parse_robots`.
    """
    if not is_response(octets):
        return parse_robots(octets, url=url, dialect=dialect, limits=limits)
    # Loading the client of HTTP, of which the table of the retrieval is a part, takes 0.12 s: more than `acap format`.
    from acap.publish.saved_response import policy_of

    return policy_of(octets, url=url, dialect=dialect, limits=limits)


def is_response(octets: bytes) -> bool:
    """Whether octets begin as a response, by the law of `pages.saved`; cheap, for every file is asked."""
    begun = octets[:64].lstrip(b"\xef\xbb\xbf \t\r\n\v\f")
    if not begun and octets[64:]:
        begun = octets.lstrip(b"\xef\xbb\xbf \t\r\n\v\f")
    return begun[:5].upper() == b"HTTP/" and begun[5:6].isdigit()
