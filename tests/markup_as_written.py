"""Pages whose elements are in each other as their tags say, and pages that are nearly so."""

from __future__ import annotations

import random
from collections.abc import Sequence

FLOW = (
    "div", "p", "p", "ul", "ol", "li", "dl", "dt", "dd", "span", "a", "b", "i", "em", "strong", "font", "nobr",
    "code", "pre", "blockquote", "center", "section", "article", "header", "main", "figure", "figcaption", "details",
    "summary", "dialog", "search", "menu", "h1", "h2", "h3", "address", "fieldset", "legend", "form", "button",
    "label", "table", "tbody", "tr", "td", "th", "thead", "caption", "colgroup", "select", "option", "optgroup",
    "datalist", "noscript", "ruby", "rb", "rt", "rtc", "rp", "object", "marquee", "svg", "svg", "g", "path", "text",
    "math", "mi", "title", "textarea", "script", "style", "iframe", "noembed", "x-y", "a-custom-element-of-a-page",
    "a-custom-element-of-a-site", "video", "Div", "P", "listing", "dir", "hgroup", "s", "u", "small", "nav", "aside",
    "footer", "body", "head", "html", "frameset", "template", "xmp",
)  # fmt: skip
"""Names of elements with content."""

INSIDE = {
    "table": ("tr", "tr", "tbody", "thead", "tfoot", "caption", "colgroup", "col"), "tbody": ("tr",), "thead": ("tr",),
    "tr": ("td", "td", "th"), "ul": ("li",), "ol": ("li",), "dl": ("dt", "dd"), "select": ("option", "optgroup"),
    "optgroup": ("option",), "colgroup": ("col",), "svg": ("g", "path", "text", "circle", "use"), "g": ("path", "text"),
    "ruby": ("rb", "rt", "rtc", "rp"), "script": (), "style": (), "title": (), "textarea": (), "iframe": (),
}  # fmt: skip
"""What is mostly in some of them."""

VOID = (
    "<br>", "<hr>", "<img alt='an image'>", '<IMG SRC=a ALT="b &amp; c" alt=d>', "<img alt>",
    "<input alt=i type=text>", "<wbr>", "<area alt='a  b'>", "<link rel=x>", "<meta name=x>", "<base href=y>",
    "<embed>", "<source>", "<col>", "<param>", "<!-- a > comment -->", "<!doctype html>", "<?pi a?>",
    "<![CDATA[x]]>", "</br>", "</img>", "<path d='M0'/>", "<div/>", "<image alt=z>", "<keygen>", "<bgsound>",
    "<frame>", "<svg/>", "<script></script>", "<style>p > b {}</style>",
)  # fmt: skip
HEAD = (
    ("<title>A &amp; b</title>", "<meta charset=utf-8>", "<script>if (a < b) '</p>'</script>", "<style>p</style>", "\n",
     "<!---->", "<link href=x>", "<noscript><link href=y></noscript>", "<base href=z>", "<template></template>",
     "<noscript><img></noscript>"),
    (9, 9, 9, 9, 9, 9, 9, 9, 3, 1, 1),
)  # fmt: skip
"""What is in a head, with how often."""

TEXTS = (
    "words", " ", "\n", "  two  words ", "a &amp; b", "&nbsp;", "&eacute;&#x20ac;&#8217;", "a < b", "x&y", "&copy",
    "\r\n\t", "&#150;", "&notanentity;", "1 <2", "é\u3000日本", "&lt;p&gt;", "\x0c", "\x0b", "\x1c", "&#12;", "</ b>",
    "&", "<", "&#x85;",
)  # fmt: skip
ENDLESS = frozenset(
    {"p", "li", "dd", "dt", "td", "th", "tr", "tbody", "thead", "option", "optgroup", "rt", "rp", "colgroup"}
)


def page(draw: random.Random, odd: Sequence[str]) -> str:
    """A page; of some a piece is taken away, repeated or moved, or one of `odd` is put in."""
    inside = [piece for _ in range(draw.randrange(1, 5)) for piece in _element(draw, "body", 4)]
    if draw.random() < 0.2:
        tags = (f"<{'/' * draw.randrange(2)}{draw.choice(FLOW)}>" for _ in range(4))
        inside = draw.choices((*tags, *draw.choices(odd, k=3), *VOID, *TEXTS), k=draw.randrange(9))
    head = draw.choices(*HEAD, k=draw.randrange(5))
    pieces = ["<!DOCTYPE html>", "<html lang=en>", "<head>", *head, "</head>", "\n", "<body class=x>"]
    pieces += [*inside, "</body>", "\n", "</html>", "\n"]
    for _ in range(draw.choice((0, 0, 0, 1, 2))):
        at, other = draw.randrange(len(pieces)), draw.randrange(len(pieces))
        match draw.randrange(4):
            case 0:
                del pieces[at]
            case 1:
                pieces.insert(other, pieces[at])
            case 2:
                pieces[at], pieces[other] = pieces[other], pieces[at]
            case _:
                pieces.insert(at, draw.choice(odd))
    return "".join(pieces)


def _element(draw: random.Random, around: str, depth: int) -> list[str]:
    chance = draw.random()
    if chance < 0.3 and around not in ("table", "tr", "tbody"):
        return [draw.choice(TEXTS) if draw.random() < 0.5 else draw.choice(("words", " ", "more words "))]
    if chance < 0.4 and around in ("body", "div", "p", "td", "li", "svg", "head"):
        return [draw.choice(VOID)]
    usual = INSIDE.get(around)
    names = FLOW if usual is None or draw.random() < 0.05 else usual
    if not names or depth == 0:
        return ["x" if around not in ("table", "tr", "tbody", "select") else "\n"]
    name = draw.choice(names)
    if name == "col":
        return ["<col>"]
    within = [piece for _ in range(draw.randrange(4)) for piece in _element(draw, name, depth - 1)]
    attributes = draw.choice(("", "", " class='a b'", ' id="x>y"', " data-x=1 hidden", " alt=q"))
    end = "" if name in ENDLESS and draw.random() < 0.4 else draw.choice((f"</{name}>", f"</{name}>", f"</{name} >"))
    return [f"<{name}{attributes}>", *within, end]
