"""Problems of pages and of the headers of a response. A table: an entry a problem."""

from __future__ import annotations

from acap.problems.kind import Doc, Example, Long, ProblemKind

PAGES = {
    "page-local-usage": ProblemKind(
        "info",
        "`({0})` means what the site's robots.txt defines; without a definition there, this prohibits",
        "define it there",
        "P2 3",
        Doc(
            summary="a page uses a usage of the robots.txt, which was not checked with it",
            why=(
                "`allow-(name)` in a META tag or a class means what a line `ACAP-qualified-usage: name …` or "
                "`ACAP-composite-usage: name …` of the site's robots.txt defines. Without that line the meaning is "
                "unknown, so a META tag prohibits every other use of the page, and a class every use of its "
                "element. Lint the page together with the robots.txt beside or above it: then a name is reported "
                "only if it is not defined."
            ),
            examples=(
                Example(
                    bad='<p class="the-acap:allow-(quotation)">Text</p>\n',
                    good='<p class="the-acap:allow-present-snippet">Text</p>\n',
                    kind="page",
                ),
            ),
            kinds=("page", "headers"),
        ),
    ),
    "page-unknown-word": ProblemKind(
        "info",
        "unknown word `{0}`",
        None,
        "Google, robots meta tag",
    ),
    "page-bad-value": ProblemKind(
        "warning",
        "`{1}` has no readable value for {0} and is ignored",
        None,
        "Google, robots meta tag",
        Doc(
            summary="a word for robots has no readable value",
            why=(
                "`max-snippet` and `max-video-preview` take a number (-1 for no limit), `max-image-preview` takes "
                "none, standard or large, `unavailable_after` a date such as 2030-06-25. With another value, or "
                "none, a search engine ignores the word and shows as much as it likes. Write a valid value."
            ),
            examples=(
                Example(
                    bad='<meta name="robots" content="max-snippet:short">\n',
                    good='<meta name="robots" content="max-snippet:50">\n',
                    kind="page",
                ),
                Example(
                    bad="X-Robots-Tag: unavailable_after: next summer\n",
                    good="X-Robots-Tag: unavailable_after: 2030-06-25\n",
                    kind="headers",
                ),
            ),
            kinds=("page", "headers"),
        ),
    ),
    "page-value-unasked": ProblemKind(
        "warning",
        "`{0}` takes no value; the text after the colon is read as a separate word",
        "write `{0}` alone",
        "Google, robots meta tag",
    ),
    "page-tdm-value": ProblemKind(
        "warning",
        "`{0}` is neither 0 nor 1; rights count as reserved",
        "write 1 or 0",
        "TDMRep 6.2",
        Doc(
            summary="a TDM reservation has a value other than 0 and 1",
            why=(
                "`tdm-reservation`, a header or a META tag, is `1` where rights to text and data mining are "
                "reserved, and `0` where they are not. Any other value counts as `1` here; others ignore it."
            ),
            examples=(
                Example(
                    bad='<meta name="tdm-reservation" content="yes">\n',
                    good='<meta name="tdm-reservation" content="1">\n',
                    kind="page",
                ),
            ),
            kinds=("page", "headers"),
        ),
    ),
    "page-tdm-name": ProblemKind(
        "warning",
        "`{0}` is almost `tdm-reservation`: it counts where it reserves; others ignore it",
        "write `tdm-reservation`",
        "TDMRep 6.2",
        Doc(
            summary="a header or META tag resembles a TDM reservation",
            why=(
                "Other readers do not see a name that is written differently. Here a guess may reserve, but it takes "
                "nothing back."
            ),
            examples=(
                Example(
                    bad='<meta name="tdm_reservation" content="1">\n',
                    good='<meta name="tdm-reservation" content="1">\n',
                    kind="page",
                ),
            ),
            kinds=("page", "headers"),
        ),
    ),
    "page-tdm-policy": ProblemKind(
        "warning",
        "`{0}` is not a URL, so rights are reserved without a way to obtain them",
        "write an absolute URL",
        "TDMRep 5.2",
        Doc(
            summary="a TDM policy is not a URL",
            why=(
                "`tdm-policy`, a header or a META tag, is where the terms are on which rights can be obtained. Without "
                "one that can be found a reservation is a plain prohibition."
            ),
            examples=(
                Example(
                    bad='<meta name="tdm-reservation" content="1">\n<meta name="tdm-policy" content="ask us">\n',
                    good='<meta name="tdm-reservation" content="1">\n'
                    '<meta name="tdm-policy" content="https://www.example.com/policies/1">\n',
                    kind="page",
                ),
            ),
            kinds=("page", "headers"),
        ),
    ),
    "page-semicolon": ProblemKind(
        "warning",
        "most crawlers do not separate words at `;`",
        "put commas between words",
        "Google, robots meta tag",
    ),
    "page-unknown-zone": ProblemKind(
        "warning",
        "unknown time zone `{0}`; the earliest possible instant counts",
        "write the time in UTC",
        "RFC 9110 5.6.7",
        Doc(
            summary="a date has an ambiguous or unknown time zone",
            why=(
                "Abbreviations of time zones are ambiguous (BRT, IST and CST each mean several), and few programs "
                "know most of them. The earliest possible instant counts here, so a page may leave the index up to "
                "a day early; other readers may ignore the date. Write UTC, or an offset: 2030-06-25T15:00:00-03:00."
            ),
            examples=(
                Example(
                    bad="X-Robots-Tag: unavailable_after: 25 Jun 2030 15:00:00 BRT\n",
                    good="X-Robots-Tag: unavailable_after: 25 Jun 2030 18:00:00 UTC\n",
                    kind="headers",
                ),
                Example(
                    bad='<meta name="robots" content="unavailable_after: 25 Jun 2030 15:00:00 BRT">\n',
                    good='<meta name="robots" content="unavailable_after: 2030-06-25T15:00:00-03:00">\n',
                    kind="page",
                ),
            ),
            kinds=("page", "headers"),
        ),
    ),
    "page-undocumented-word": ProblemKind(
        "info",
        "`{0}` is read as `noai`, though it is undocumented",
        "add `noai`",
        "DeviantArt, noai",
        Doc(
            summary="a word is in use but not documented",
            why=(
                "Some sites write `noml` against machine learning. No vendor says that it reads the word. Here it "
                "is read as `noai`, which DeviantArt proposed and some programs that collect images respect. Keep "
                "it if you like, and add words that crawlers read: `noai`, and in robots.txt the names of the "
                "crawlers that collect for training, or `Content-Usage: train-ai=n`."
            ),
            examples=(
                Example(
                    bad='<meta name="robots" content="noml">\n',
                    good='<meta name="robots" content="noai">\n',
                    kind="page",
                ),
                Example(
                    bad="X-Robots-Tag: noml\n",
                    good="X-Robots-Tag: noai\n",
                    kind="headers",
                ),
            ),
            kinds=("page", "headers"),
        ),
    ),
    "page-tag-name": ProblemKind(
        "error",
        "`{0}` names no crawler: the tag's prohibitions apply to every crawler, its permissions to none",
        "write `robots` for every crawler, or the name of one",
        "P2 2.2.1",
        Doc(
            summary="a META tag names no crawler",
            why=(
                "The name of a META tag is `robots`, which is for every crawler, or the name of one. `*` addresses "
                "all crawlers in robots.txt, but none in a page. The author meant some crawler, so the tag's "
                "prohibitions apply to every crawler here, and its permissions do not count."
            ),
            examples=(
                Example(
                    bad='<meta name="*" content="ACAP disallow-index">\n',
                    good='<meta name="robots" content="ACAP disallow-index">\n',
                    kind="page",
                ),
            ),
            kinds=("page",),
        ),
    ),
    "page-acap-header": ProblemKind(
        "warning",
        "ACAP is not defined for headers: prohibitions here count, permissions do not",
        "say it in a META tag of the page",
        "P2 2.2",
        Doc(
            summary="a header is marked as ACAP, which is not defined for headers",
            why=(
                "ACAP speaks in robots.txt, in META tags and in class attributes. A header `X-Robots-Tag: ACAP …` "
                "is outside the specification, and most crawlers find no word of theirs in it. Its prohibitions "
                "count here; its permissions do not. Say it in a META tag of the page, or in the usual words of the "
                "header."
            ),
            examples=(
                Example(
                    bad="X-Robots-Tag: ACAP disallow-present\n",
                    good="X-Robots-Tag: noindex\n",
                    kind="headers",
                ),
            ),
            kinds=("headers",),
        ),
    ),
    "page-ill-formed": ProblemKind(
        "error",
        "the page is well-formed XML only up to here: {0}; prohibitions count, permissions do not",
        "close every open element, and write `&amp;` for `&`",
        "Semantics, XHTML",
        Doc(
            summary="the page is XML but not well-formed",
            why=(
                "Browsers stop at the first fault of a page that is served as XML, and show an error or what came "
                "before. The meaning of the rest is uncertain, so prohibitions count, read as XML up to the fault "
                "and as HTML, and permissions do not. Close every element, quote attributes, write `&amp;` for `&`; "
                "or serve the page as `text/html`."
            ),
            examples=(
                Example(
                    bad='<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml">\n<p>a<br></p>\n</html>\n',
                    good='<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml">\n<p>a<br/></p>\n</html>\n',
                    kind="page",
                ),
            ),
            kinds=("page",),
        ),
    ),
    "page-two-readings": ProblemKind(
        "warning",
        "read as XML, the elements hold other text than read as HTML; a statement on one applies to the whole page",
        "write `<p></p>` for `<p/>`, and nest elements as HTML does",
        "Semantics, XHTML",
        Doc(
            summary="read as XML and as HTML, the marked elements of a page hold different text",
            why=(
                "An HTML reader may read an XHTML page, and takes `<p/>` for an element that stays open. If the two "
                "disagree on what a marked element holds, a statement on it applies to the whole page. Write "
                "`<p></p>`, and nest elements as HTML does."
            ),
            examples=(
                Example(
                    bad=(
                        '<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><body>\n'
                        '<p class="the-acap:disallow-index"/>a\n</body></html>\n'
                    ),
                    good=(
                        '<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><body>\n'
                        '<p class="the-acap:disallow-index">b</p>a\n</body></html>\n'
                    ),
                    kind="page",
                ),
            ),
            kinds=("page",),
        ),
    ),
    "page-cut": ProblemKind(
        "error",
        "only {1} of {0} characters were read; every use is prohibited",
        "make the page smaller",
        "Semantics, What cannot be read",
        Doc(
            summary="the page is longer than the limit",
            why=(
                "No reader takes in a page of so many megabytes. The part beyond the limit may prohibit anything, "
                "so the page is treated as if it prohibited everything. Search engines read even less, and decide "
                "by that. Divide the page, and keep its META tags in the head."
            ),
            examples=(
                Example(
                    bad=Long("<p>", "a", 33_554_432),
                    good="<p>aaa",
                    kind="page",
                ),
            ),
            kinds=("page",),
        ),
    ),
    "page-entangled": ProblemKind(
        "error",
        "the markup is too entangled to build its tree; every use is prohibited",
        "close elements where they end",
        "Semantics, What cannot be read",
    ),
    "page-not-read": ProblemKind(
        "error",
        "the page was not read: {0}; every use is prohibited",
        "give the page as a browser gets it, and install what reads it",
        "Semantics, What cannot be read",
        Doc(
            summary="the page or the saved response is not read: it is partial, an error, or compressed",
            why=(
                "The saved response is an error, breaks off, is partial by its `Content-Range`, has fewer octets "
                "than its `Content-Length`, or is still compressed. The missing part may prohibit anything, so "
                "every use is prohibited, and nothing in the file was checked. Save the whole response again."
            ),
            examples=(
                Example(
                    bad="HTTP/1.1 503 Service Unavailable\nX-Robots-Tag: noindex\n\n",
                    good="HTTP/1.1 200 OK\nX-Robots-Tag: noindex\n\n",
                    kind="headers",
                ),
                Example(
                    bad="X-Robots-Tag: noi",
                    good="X-Robots-Tag: noindex\n",
                    kind="headers",
                ),
            ),
            kinds=("page", "headers"),
        ),
    ),
    "page-too-much": ProblemKind(
        "error",
        "there are more than {0} {1}; every use is prohibited",
        "state once what holds for many",
        "Semantics, What cannot be read",
        Doc(
            summary="the page has more statements than are read",
            why=(
                "A page usually has a handful of META statements. One with thousands, or with statements on tens of "
                "thousands of elements, is not read; because any of them may prohibit, everything is prohibited. "
                "State a rule for many once: in one tag for all robots, or on the element around the others."
            ),
            examples=(
                Example(
                    bad=Long("", '<p class="the-acap:disallow-index">x</p>\n', 20_001),
                    good='<body class="the-acap:disallow-index">\n<p>x</p>\n',
                    kind="page",
                ),
            ),
            kinds=("page", "headers"),
        ),
    ),
}
