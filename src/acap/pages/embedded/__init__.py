"""Rights metadata embedded in images and documents: PLUS Data Mining, TDM reservation, and licence facts.

Give the octets of a file to `parse_embedded`, and the `EmbeddedPolicy` it returns to `acap.decide` as one of `others`.
What needs the packages of the extra `images` is in doubt without them, and says so: `embedded-missing-package`.
"""

from __future__ import annotations

from acap.pages.embedded.claims import Claim
from acap.pages.embedded.licence import Licence, Licensor, Localised, Party, RightsExpression
from acap.pages.embedded.policy import EmbeddedPolicy, parse_embedded

__all__ = [
    "Claim",
    "EmbeddedPolicy",
    "Licence",
    "Licensor",
    "Localised",
    "Party",
    "RightsExpression",
    "parse_embedded",
]
