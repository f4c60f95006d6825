"""Pages to be harmed, the ways to harm them, and pages and headers written to make a reader slow or large."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from tests.page_vectors import page_vectors
from tests.portions import at_length

Headers = list[tuple[str, str]]

NEWS = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Ferry to R&uuml;gen</title>
<meta name="description" content="A ferry &amp; its timetable">
<meta name="robots" content="ACAP Version 1.1"><meta name="robots" content="ACAP news allow-index time-limit=30-days">
<meta name="robots" content="ACAP disallow-present-thumbnail"><meta name="robots" content="max-snippet:50, noarchive">
<meta name="NewsBot" content="ACAP allow-present-snippet max-length=20-words">
<link rel="canonical" href="/news/a.html"><script type="application/ld+json">{"articleBody": "<p>x</p>"}</script>
<style>p::before { content: "x" }</style></head>
<body class="wide the-acap:disallow-tdm"><!-- head -->
<header id="top"><a href="/">Home</a> <a rel="nofollow" href="/ad">Ad</a></header>
<article id="a" class="the-acap:disallow-index">Outer <p class="the-acap:allow-index">Inner <b>bold</b></p>
<table><tr><td data-nosnippet>Price</td><td>12</td></tr></table><img src="/p.png" alt="A ferry"></article>
<noscript><p class="acap:disallow-follow"><a href="/n">n</a></p></noscript>
<select><option>One<option class="the-acap:allow-(brief)">Two</select><textarea>free</textarea>
<svg><title>drawing</title><g class="the-acap:disallow-present"><text>t</text></g></svg>
<template><p>later</p></template>
<iframe src="/frame" srcdoc="&lt;p&gt;"></iframe><footer>&copy; 2025</footer></body></html>
"""
OLD = """<HTML><HEAD><META NAME=ROBOTS CONTENT="NOINDEX,FOLLOW"><BASE HREF=/old/><TITLE>Old</TITLE>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=iso-8859-1"></HEAD><BODY BGCOLOR=white>
<FONT CLASS=the-acap:disallow-present-snippet>Caf\xe9<TABLE><TR><TD>One<TD><P>Two</TABLE></FONT>
<UL><LI>a<LI><A HREF=b.html>b</A></UL><CENTER><B><I>mis</B>nested</I></CENTER><XMP><b></XMP></BODY></HTML>
"""
FRAMES = """<html><head><meta name="robots" content="unavailable_after: 25 Jun 2031 15:00:00 PST, nosnippet"></head>
<frameset cols="1,2"><frame src="a.html" class="the-acap:disallow-follow"><frame src="b.html">
<noframes>No</noframes></frameset></html>
"""
SHAPES = (NEWS, OLD, FRAMES)

PIECES = (
    *(
        "<",
        ">",
        "</",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "&",
        "&#0;",
        "&#xD800;",
        '"',
        "'",
        "=",
        "\0",
        "\ufffd",
        "\u00a0",
        "\r",
    ),
    *(
        "<p>",
        "</p>",
        "<table>",
        "</table>",
        "<select>",
        "<svg>",
        "<math>",
        "<template>",
        "</template>",
        "<script>",
        "<title>",
    ),
    *(
        "<plaintext>",
        "<textarea>",
        "<noscript>",
        "<body>",
        "<html>",
        "<head>",
        "<form>",
        "<a href='//['>",
        "<base href='x:'>",
    ),
    *(
        '<p class="the-acap:disallow-index">',
        "<div data-nosnippet>",
        '<meta name="robots" content="ACAP disallow-index">',
    ),
    *('<meta name=robots content="ACAP allow-index location=//[">', '<meta name=robots content="ACAP allow-(x) x=%x">'),
    *(
        '<b class="acap:allow-',
        "<frameset>",
        '<meta name="robots" content="ACAP Version 9',
        "<!doctype html>",
        "\ud800",
        "é漢",
    ),
    *(
        '<meta name=robots content="unavailable_after: 9999-12-31T23:59:59-23:59">',
        '<meta charset="utf-7">',
        "<image>",
        "</br>",
    ),
)
VALUES = (
    *(
        "noindex",
        "newsbot: noindex, nosnippet",
        ": , : ,",
        "unavailable_after: never",
        "max-snippet: 99999999999999999999",
    ),
    *(
        "\0",
        "é\ufffd",
        "otherbot:",
        "none; all",
        "noindex\udce9",
        "unavailable_after: Mon, 31 Feb 2030 25:61:61 XYZ",
        "*: noarchive",
        "a" * 5_000,
    ),
)


def sources() -> list[str]:
    """Pages as they are before they are harmed: ours, and those of the vectors."""
    found = list(SHAPES) * 50
    for vector in page_vectors():
        if "html" in vector.table:
            found.append(vector.table["html"])
    return found


def harmed(random: Random, pages: list[str]) -> str:
    """A page cut, spliced, doubled, nested in itself or with strange pieces put in; the same for the same random."""
    text = random.choice(pages)
    for _ in range(random.randint(1, 6)):
        start, end = sorted(random.randint(0, len(text)) for _ in range(2))
        end = min(end, start + random.choice((1, 10, 200, 5_000)))
        how = random.randrange(6)
        if how == 0:
            text = text[:start] + text[end:]
        elif how == 1:
            other = random.choice(pages)
            at = random.randint(0, len(other))
            text = text[:start] + other[at : at + 500] + text[end:]
        elif how == 2:
            text = text[:end] + text[start:end] * random.choice((1, 2, 20)) + text[end:]
        elif how == 3:
            text = text[:start] + random.choice(PIECES) * random.choice((1, 1, 3, 50)) + text[start:]
        elif how == 4:
            text = (
                text[:start]
                + "".join(chr(ord(letter) ^ random.choice((1, 2, 32))) for letter in text[start:end])
                + text[end:]
            )
        else:
            text = text[:start] + text[:20_000] + text[start:]
        text = text[:60_000]
    return text


def octets_of(random: Random, text: str) -> bytes:
    """The page in some encoding, some of its octets flipped."""
    octets = bytearray(text.encode(random.choice(("utf-8", "utf-8", "latin-1", "utf-16", "shift_jis")), "replace"))
    for _ in range(random.choice((0, 1, 5, 50)) if octets else 0):
        octets[random.randrange(len(octets))] ^= 1 << random.randrange(8)
    return bytes(octets)


def headers_of(random: Random) -> Headers:
    """Headers, most of them strange."""
    found = [("X-Robots-Tag", random.choice(VALUES)) for _ in range(random.choice((0, 0, 1, 3)))]
    types = ("text/html; charset=utf-8", "text/html; charset=x", "", ";;charset", "image/png", 'text/html; charset="')
    return [*found, ("Content-Type", random.choice(types)), ("", "x"), ("X-ROBOTS-TAG ", "")][: random.randint(0, 6)]


GAP = re.compile("(?<=>)(?=<)")


def with_a_gap_filled(random: Random, text: str) -> str:
    """The page with a comment or white space between two of its tags."""
    gaps = [found.start() for found in GAP.finditer(text)]
    if not gaps:
        return text
    at = random.choice(gaps)
    return (
        text[:at]
        + random.choice((" ", "\n\t", "<!-- x -->", "<!---->", '<!-- <meta name="robots" content="noindex"> -->'))
        + text[at:]
    )


def tags(form: str, n: int) -> str:
    """Markup n times, each with its number."""
    return "".join(form.format(i) for i in range(n))


TOKEN = 'class="the-acap:disallow-index"'
BOMBS: dict[str, Callable[[], str]] = {
    "formatting elements": lambda: "<p>" + tags("<font color={}>", 1_200) + "<p>x" * 1_200,
    "nested div": lambda: "<div>" * 40_000 + "x",
    "attributes": lambda: f"<p {tags('a{}=1 ', 100_000)}>x",
    "META tags": lambda: tags('<meta name=robots content="ACAP disallow-u{}">', 100_000) + "x",
    "META tags of crawlers": lambda: tags('<meta name=bot{} content="noindex">', 100_000) + "x",
    "one META tag again and again": lambda: '<meta name=robots content="noarchive">' * 100_000 + "x",
    "statements in one META tag": lambda: f'<meta name=robots content="{"ACAP disallow-index " * 5_000}">x',
    "words in one META tag": lambda: f'<meta name=robots content="{"noarchive, " * 100_000}">x',
    "class tokens": lambda: f'<p class="{tags("acap:disallow-u{} ", 100_000)}">x',
    "one class token again and again": lambda: f'<p class="{"acap:disallow-index " * 100_000}">x',
    "nested elements with tokens": lambda: f"<div {TOKEN}>" * 50_000 + "x",
    "fewer nested elements with tokens": lambda: (
        f"<div {TOKEN}><div class='acap:allow-index'>x" * (8_000 if at_length() else 3_000)
    ),
    "elements with tokens": lambda: f"<p {TOKEN}>x" * 50_000,
    "kinds of tokens": lambda: tags("<p class='acap:disallow-u{}'>x", 5_000),
    "nosnippet": lambda: "<p data-nosnippet>x" * 50_000,
    "unavailable_after": lambda: f'<meta name=robots content="{"unavailable_after: 2040-01-01, " * 100_000}">x',
    "dates": lambda: f'<meta name=robots content="{tags("unavailable_after: {:04}-01-01, ", 9_999)}">x',
    "nothing but <": lambda: "<" * 1_000_000,
    "nothing but <a": lambda: "<a" * 500_000,
    "nothing but <!--": lambda: "<!--" * 250_000,
    "quotes": lambda: '<meta name=robots content="ACAP disallow-follow">' + '<a "' * 100_000 + "'",
    "tables": lambda: "<table><tr><td>x" * 15_000,
    "selects": lambda: "<select><option>x" * 50_000,
    "links": lambda: "<a href=x>x" * 20_000,
    "end tags": lambda: "</p>" * 200_000,
    "drawings": lambda: "<svg><g>x" * 40_000,
}
LIMITED = {
    "formatting elements": "page-entangled",
    "nested div": "page-entangled",
    "attributes": "page-entangled",
    "quotes": "page-entangled",
    "tables": "page-entangled",
    "selects": "page-entangled",
    "drawings": "page-entangled",
    "statements in one META tag": "page-too-much",
    "one META tag again and again": "page-too-much",
    "words in one META tag": "page-too-much",
    "unavailable_after": "page-too-much",
    "dates": "page-too-much",
    "one class token again and again": "page-too-much",
    "META tags": "page-too-much",
    "META tags of crawlers": "page-too-much",
    "class tokens": "page-too-much",
    "nested elements with tokens": "page-entangled",
    "elements with tokens": "page-too-much",
    "kinds of tokens": "page-too-much",
    "nosnippet": "page-too-much",
}
"""The bombs of which a limit makes everything prohibited, and the code of the problem."""

HEADERS: dict[str, Callable[[], Headers]] = {
    "words": lambda: [("X-Robots-Tag", "noarchive, " * 90_000)],
    "dates": lambda: [("X-Robots-Tag", "unavailable_after: 2040-01-01, " * 30_000)],
    "agents": lambda: [("X-Robots-Tag", tags("bot{}: noindex, ", 50_000))],
    "numbers": lambda: [("X-Robots-Tag", tags("max-snippet: {}, ", 50_000))],
    "lines": lambda: [("X-Robots-Tag", "nofollow")] * 50_000,
    "colons": lambda: [("X-Robots-Tag", ":" * 1_000_000)],
    "blanks": lambda: [("X-Robots-Tag", "a" + " " * 1_000_000 + ":")],
    "one word": lambda: [("X-Robots-Tag", "a" * 1_000_000)],
    "charsets": lambda: [("Content-Type", "text/html" + ";charset=" * 100_000)],
    "quotes": lambda: [("Content-Type", 'text/html;charset="' + '\\"' * 500_000)],
}
