"""The words cases are made of: few letters, many collisions, good values and bad ones.

A text is one word a line; blank words stand apart, in the tuples beside them.
"""

from __future__ import annotations

SITE = "http://site.example"


def words(text: str) -> tuple[str, ...]:
    """The words between blanks."""
    return tuple(text.split())


def lines(text: str) -> tuple[str, ...]:
    """The lines, without their indentation."""
    return tuple(line.strip() for line in text.strip().splitlines())


NAMES = words("bot Bot bot2 SearchBot1 news-bot bot_x b.ot")
CONTROLLED = tuple(
    words(names)
    for names in lines("""
        Googlebot Google-Extended
        Applebot applebot-extended
        YandexBot YandexAdditional
        YandexBot YandexAdditionalBot
    """)
)
AGENT_VALUES = (*lines("* all \n bot/1.0 \n mybot \n bot* \n *bot \n other bot"), "")
CRAWLER_VALUES = (*lines('bot, bot2 \n bot * \n SearchBot1/1.0 \n *bot \n (bot) \n "bot" \n bot2 “bot” \n @bot'), "")
CRAWLERS: tuple[str | tuple[str, ...], ...] = (
    *words("bot BOT bot2 searchbot1 SearchBot news-bot unnamed"),
    "bot/2.1 (+http://bot.example/)",
    "Mozilla/5.0 (compatible; SearchBot1/1.0; +http://bot.example/)",
    "Mozilla/5.0 (X11) Gecko/1 (bot2/0.1; +http://bot.example/)",
    "Mozilla/5.0 (X11; Linux)",
    "bot/1.0 (compatible; searchbot1/1.0)",
    "bot2/1.0 (compatible; Googlebot/2.1)",
    "Mozilla/5.0 (compatible; bot; Googlebot/2.1) Applebot/0.1 like GPTBot",
    "Mozilla/5.0 (X11; Linux) Chrome/1.0 Googlebot/2.1 Safari/1",
    "bot/1.0 Googlebot/2.1 Applebot/0.1 YandexBot/3.0",
    ("news-bot", "bot"),
    ("unnamed", "bot2", "bot"),
)

PATTERNS = words("""
    / /a /a/ /b /a/b /a/b.x /ab /a$ /$ /a/$ /a/b$ /b.x$
    * /* /** *$ *.x$ /*.x$ *.x /a*b /a**b /a* /*a *a *b */b /*/b$ *a*b *aa /*b /a*$ /a? /*? *?x /a?x=1 /a?*
    /%61 /%62$ /a%2fb /a%2F /%2e /a%2ab /a%24 /a$b /a$$ /a% /a%4 /%7Ea /~a /é /%c3%a9 /%C3%A9$
    /../a /a/../b /./a //a /a//b /a|b /{a} /[a] /A /index.html /a/index.htm /index.htm$ /robots.txt /ai.txt /ref.txt
""")
ODD_RESOURCES = (
    "",
    *words("$ a a/b %61 ?x *foo ** /a#b ftp://site.example/a http://site.example/a http://site.example/a/b?x"),
    *words("http://site.example https://site.example/b HTTP://SITE.example:80/*.x$ http://other.example/a"),
    *words("http://u@site.example/a http://site.example:8080/a http://*.site.example/a http:///a/b"),
    *words("https://site.example:0/a http://site..example http://s%69te.example?x"),
    *words(r"http:/a HTTPS:a http:\\site.example\a http: https:/a?x=1 http:/x://site.example/b"),
)
SETS = words("s t S loop none sets sats set-1 set2 guessed")
URLS = (
    *words("/ /a /a/ /b /a/b /a/b.x /ab /aab /a.x /b.x /a/b.x?x=1 /a?x=1 /a? /?x ?x /aXb /a/x/b /a/b/ /abab /ba /A"),
    *words("/~a /%7ea /%61 /%62 /a%2fb /a%2Fb /a*b /a%2ab /a$ /a%24 /a$b /a% /a%4 /a%zz /é /%c3%a9 /%C3%A9"),
    *words("/a/../b /a/./b /a/b/.. /.. /%2e%2e/a /a/%2E /a//b /a|b /a%7Cb /{a} /%7Ba%7D /[a] /%5Ba%5D /a%20b"),
    *words("/index.html /a/index.html /robots.txt /robots.txt?x /ai.txt /.well-known/tdmrep.json /ref.txt /p.txt"),
    *words("/licence.xml http://site.example/a http://site.example http://site.example/a/b.x#top"),
    *words("http://u:p@site.example:80/b http://site.example//a HTTP://SITE.example/a"),
    "/a b",
)
MISTAKEN_URLS = (
    *words("SITE.example/a //site.example/a //a http://site.example:0/ http://ｓite.example/a http://sïte.example/a"),
    *words("http://xn--ste-zma.example/a http://[::1]/a http://[0::1]:80/b http://a..b/ http://a_b.example/"),
    "/a\tb",
    "http://site.example/a\n",
    "/" + "a" * 65_536,
)

STANDARD = words("""
    crawl crawl follow index preserve present other present-original present-currentcopy present-oldcopy
    present-snippet present-extract present-thumbnail present-oldsnippet present-oldextract present-oldthumbnail
    present-link tdm ai-train ai-train-generative ai-input ai-index
""")
CONTROLLED_USES = words("ai-train ai-train-generative ai-input tdm")
FAMILIES = tuple(
    words(family)
    for family in lines("""
        index other preserve
        present present-snippet present-thumbnail other
        present present-currentcopy preserve
        present-oldcopy present-currentcopy preserve
        present present-link present-snippet index
        tdm ai-train ai-train-generative other
        tdm ai-input ai-index follow
        crawl follow index
    """)
)
STRANGE = words("""
    present-links present-snippets present-currentcopies present-oldcopys indx crawls folow present-snipet
    present-snipets present-frame index-full ai-train-more ai-foo print search other-things presents PRESENT-Original
    tdn crawl- s all any everything use ai train teleport iindex thumbnail present_link presentlink
""")
VERBS = words("deny block Forbid prohibit dissallow disalow diasllow disallowed dis-allow d-isallow")
LOCAL = words("q Q r frame c c2 loop undefined old dup")
ASKED: tuple[str | tuple[str, ...], ...] = (
    *STANDARD,
    *words("crawl index present-snippet present-currentcopy search search present-links CRAWL print indx"),
    *words("c q C2 (loop) old"),
    ("r", "crawl"),
    ("crawl", "index"),
    ("present-original", "follow", "present-original"),
)  # `print` and `indx` only a policy can know

PURPOSES = (
    "",
    "news sports",
    *words(
        "news News news$ news.* * *s *$ ** sports n*w* a$ http://a.b http://a.b$ http://a.b/ http://A.b/* http://* http://a.b?x"
    ),
)
ASKED_PURPOSES: tuple[str | tuple[str, ...] | None, ...] = (
    *(None, None, None, ("news", "sports"), ("sports", "none")),
    *words("news NEWS news.a sports other news.* * http://a.b http://a.b/ http://a.b/c http://a.b/?x http://x/ a$"),
)

QUALIFIERS = lines("""
    time-limit=until-recrawled
    time-limit=until-2025-06-30
    time-limit=until-2025-07-01
    time-limit=10-days
    time-limit=30-days
    time-limit=0-days
    TIME-LIMIT=30-Days
    time-limit=999999999-days
    time-limit = 10-days
    max-length=20-words
    max-length=150-chars
    max-length=150-CHARS
    max-length =20-words
    max-length=%x0031-words
    must-use-resource=/sum.txt
    must-use-resource= /sum.txt
    must-use-resource=http://x.example/
    must-use-resource=the-acap:extract:id:a
    must-use-resource=acap:extract:id:a
    must-use-resource=the-acap:extract:class:b
    must-use-resource=the-acap:idlist:a,
    must-use-resource=the-acap:classlist:a, b
    used-resource=/sum.txt
    must-include-resource=acap:credit:id:c
    must-include-resource=/logo
    must-include-resource=acap:text:/t
    prohibited-modification=any
    prohibited-modification=format
    prohibited-modification=STYLE
    prohibited-modification=translation
    prohibited-context=within-user-frame
    context=within-frame
    required-context=within-original-frame
    context=within-original-frame
""")
BAD_QUALIFIERS = lines("""
    time-limit=until-2025-02-30
    time-limit=soon
    time-limit=
    time-limit=1234567890-days
    time-limit=-days
    max-length=20
    max-length=x-words
    must-use-resource=acap:extract:x:a
    must-use-resource=the-acap:idlist:
    must-include-resource=acap:credit:
    must-include-resource=the-acap:image:x
    prohibited-modification=colour
    prohibited-context=within-frame
    context=outside
    location=http://site.example/a
    unknown=1
    =1
    target-condition=x
    ref=y
    stray
    (q)
    $
""")

RECORDS = lines("""
    Crawl-delay: 5
    Sitemap: /map.xml
    Content-Signal: ai-train=no
    Content-Usage: train-ai=n
    Host: x
    Request-rate: 1/5 0800-1200
    Visit-time: 0600 0845
    Comment: hello
    License: /licence.xml
    License: http://site.example/l.xml
    noindex: /a
    Unknown-field: x: y
    nonsense
""")
SIGNALS = lines("""
    Content-Signal: ai-train=no
    Content-Signal: ai-train=yes
    Content-Signal: search=yes, ai-train=no, use=reference
    Content-Signal: /a search=no,ai-input=yes
    Content-Signal: /a/ ai-train=yes, use=full
    Content-Signal: /*.x$ ai-input=no, ai-input=yes
    Content-Signal: /a/b use=immediate
    Content-Signal: use=no search = Yes
    Content-Signals: AI_Train=N; train-ai=false
    Content-Signal: ai-train: no, tdm=0
    Content-Signal: use=much, ai-train=perhaps, foo=no
    Content-Signal: /a
    content-signal:
    Content-Signal: ai-train=“no”, ai-input==no, search=no.
    Content-Signal: /a/b use=reference, search=“yes”
    Content-Usage: train-ai=n
    Content-Usage: train-ai=y
    Content-Usage: train-ai=«n», ai-use=-n-, search==y
    Content-Usage: /a train-ai=n, ai-use=y, search=n
    Content-Usage: /a/ train-ai=y;x=1, search=y
    Content-Usage: /%61/b$ ai-use=n
    Content-Usage: /a*b search=y
    Content-Usage: *.x train-ai=n
    Content-Usage: train-ai=n, train-ai=y
    Content-Usage: train-ai=y, Train-AI=n
    Content-Usage: train-ai = n
    Content-Usage: train-ai=?0, ai-use="no", search=(n)
    Content-Usage: ai-output=n, tdm=y
    Content-Usage: all=n
    Content-Usage: / train-ai=y,
    Content-Usage: ai-train=n
    License: http://site.example/l.xml
    License: https://site.example/l.xml
    License: https://site.example/l.xml x
    License: http://localhost:8000/l.xml
    License: /l.xml
    License:
""")
COMMENTS = (
    "",
    "",
    " ",
    "\t",
    *lines("# comment \n # ACAP-allow-crawl: / \n # \n ## ACAP version=1.0 \n ##acap version = 1.1 x"),
)
DIRECTIVES = lines("""
    ##ACAP version=1.1
    ##ACAP version=1.0 # pilot
    ##ACAP version=0.2
    ACAP-version: 1.1
    ACAP-version 1.0
    ACAP-ignore-conventional-records
    ACAP-ignore-conventional-records:
    acap ignore conventional records
    ACAP-ignore-conventional-record
    ACAP-versin: 1.1
""")
VERSION_LINES = (
    "##ACAP version=1.0",
    "##ACAP version=1.0",
    "ACAP-version: 1.0",
    "##ACAP version=1.1",
    "ACAP-vers\0ion: 1.0",
)
UNKNOWN_FIELDS = lines("""
    ACAP-nonsense: /
    ACAP-allow: /
    ACAP-disallow /
    ACAP:
    ACAP-
    ACAP-crawlers: bot
    ACAP disallow everything
    ACAP-we-block-index: /a
    ACAP-policy: we deny (q) /a
    “ACAP-disallow-index”: /a
    ACP-disallow-index: /a
    ACP-crawler: bot
    ACP-allow-index: /a
    the-acap:disallow-crawl: /b
    ACAP-disallow-index; /a
    ACAP-disallow-crwal /a
""")
ROBOT_VERSIONS = ("", "2.0.0 beta", *words("2.0.0 2.0.0 2.0 2.2.0 2.1.0 2.1.0 1.0.0 3.0.0 2 2.x"))
DASHES = ("-", "-", "\u2010", "\u2013", "\u2014", "\u2212", "\uff0d", " ", "--", " - ")
DEFINITIONS = lines("""
    ACAP-qualified-usage: q index time-limit=30-days
    ACAP-qualified-usage: q present max-length=20-words
    ACAP-qualified-usage: q
    ACAP-qualified-usage: r present-snippet max-length=20-words
    ACAP-qualified-usage: r /a time-limit=1-days
    ACAP-qualified-usage: frame present context=within-frame
    ACAP-qualified-usage: frame indx ref=1
    ACAP-qualified-usage: old preserve bogus=1
    ACAP-qualified-usage: old present-links time-limit=10-days
    ACAP-qualified-usage: dup crawl
    ACAP-qualified-usage: DUP index must-use-resource=the-acap:idlist:a
    ACAP-composite-usage: c index (q) present-link
    ACAP-composite-usage: c q
    ACAP-composite-usage: c2 crawl r
    ACAP-composite-usage: loop (loop)
    ACAP-composite-usage: loop (c) (undefined) present-snippets
    ACAP-composite-usage: q index preserve
    ACAP-composite-usage: undefined
    ACAP-resource-set: s /a /b*
    ACAP-resource-set: s *.x$
    ACAP-resource-set: S /
    ACAP-resource-set: t
    ACAP-resource-set: t b http://other.example/ acap:resource-set:s
    ACAP-resource-set: t /a$ /%61
    ACAP-resource-set: loop /a the-acap:resource-set:loop
    ACAP resource set s /b$
    ACAP-resource-set: sets /a
    ACAP-resource-set: set1 /b
    ACAP-resorce-set: guessed /a
    ACAP-resource-sets: s /b
    ACAP-qualified-usge: q index
    ACAP-compsite-usage: c2 (r)
""")
REFERENCES = words("/ref.txt /p.txt http://site.example/ref.txt http://other.example/p.txt")
REFERENCED = (
    "ACAP-crawler: *\nACAP-allow-crawl: /\nACAP-disallow-index: /a\n",
    "ACAP-crawler: bot\nACAP-allow-index: / time-limit=30-days\nACAP-crawler: *\nACAP-disallow-crawl: /b\n",
    "\ufeff\n\nACAP-crawler: *\nACAP-usage-purpose: news\nACAP-disallow-present: /\nACAP-request-take-down: /a\n",
    "ACAP-resource-set: s /b\nACAP-crawler: bot2\nACAP-disallow-crawl: acap:resource-set:s\nUser-agent: *\nDisallow: /",
    "User-agent: *\nDisallow: /a\n",
    " <policy/>",
    "<html>",
    "",
    "ACAP-crawler: *\n",
    "ACAP-crawler: *\nACAP-permissions-reference: /more.txt\n",
    "ACAP-crawler: bot\nACAP-permissions-reference: /more.txt\nACAP-crawler: *\nACAP-allow-crawl: /\n",
)
LIMITS = words("file_octets line_octets records sub_records fields_per_record fields_per_sub_record")
DIALECTS = words("rfc9309 google rep-1994 norobots-1996 robots-2.0")
FACTS = words("first_indexed first_preserved first_available last_crawled")
CONTROLS = (b"\x00", b"\x00", b"\x01", b"\x1b", b"\x1f", b"\x7f", b"\x0b", b"\x0c")
ODD_OCTETS = (b"\x00", b"\xff", b"\xc3", b"\xc2\xa0", b"-", b" ", b":", b"/", b"*", b"$", b"%", b"#", b"=", b"x")
