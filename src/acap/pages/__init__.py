"""Pages: META tags, class attributes, headers, extraction; and rights that images and documents carry in themselves.

page = acap.parse_page(octets, url=url, headers=headers)
page.content_for("index", crawler="examplebot").text
"""

from __future__ import annotations
