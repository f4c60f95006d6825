"""Problems of licence documents of RSL. A table: an entry a problem."""

from __future__ import annotations

from acap.problems.kind import Doc, Example, Long, ProblemKind

_ROOT = '<rsl xmlns="https://rslstandard.org/rsl">'
_FREE = f'{_ROOT}\n<content url="/"><license/></content>\n</rsl>\n'
_SEARCH = '<permits type="usage">search</permits>'


def _of_document(summary: str, why: str, bad: str | Long, good: str) -> Doc:
    return Doc(summary, why, (Example(bad, good, kind="rsl"),), ("rsl",))


def _of_content(summary: str, why: str, bad: str, good: str) -> Doc:
    """A doc with two contents as examples."""
    whole = (f"{_ROOT}\n{content}\n</rsl>\n" for content in (bad, good))
    return _of_document(summary, why, *whole)


def _of_licence(summary: str, why: str, bad: str, good: str) -> Doc:
    """A doc with what two licenses say as examples."""
    contents = (f'<content url="/">\n <license>\n  {inner}\n </license>\n</content>' for inner in (bad, good))
    return _of_content(summary, why, *contents)


RSL = {
    "rsl-not-xml": ProblemKind(
        "error",
        "the licence document is not well-formed XML ({0}); it prohibits every use of content",
        "check it with an XML parser",
        "RSL 1.0 3",
        doc=_of_document(
            "the licence document is not well-formed XML",
            (
                "A document that is cut or not XML may have said anything after the fault. Without a valid document "
                "nothing is licensed."
            ),
            f'{_ROOT}\n<content url="/">\n',
            _FREE,
        ),
    ),
    "rsl-document-type": ProblemKind(
        "error",
        "the licence document declares a document type and is not read; it prohibits every use of content",
        "remove the DOCTYPE",
        "RSL 1.0 3",
        doc=_of_document(
            "the licence document declares a document type",
            (
                "A document type can define entities that expand without end or name files. RSL has none, so the "
                "document is refused."
            ),
            f"<!DOCTYPE rsl>\n{_FREE}",
            _FREE,
        ),
    ),
    "rsl-limit": ProblemKind(
        "error",
        "{0}, more than the limit; the licence document prohibits every use of content",
        "split the document",
        "RSL 1.0 3",
        doc=_of_document(
            "the licence document has more of something than is read",
            (
                "The number bounds time and memory; no known document comes near it. What was not read may prohibit "
                "anything."
            ),
            Long(_ROOT, "<content>", 100),
            _FREE,
        ),
    ),
    "rsl-namespace": ProblemKind(
        "error",
        "the root `{0}` in namespace `{1}` is not RSL; the document prohibits every use of content",
        'write <rsl xmlns="https://rslstandard.org/rsl">',
        "RSL 1.0 2.2",
        doc=_of_document(
            "the root element is not of RSL's namespace",
            (
                "The namespace decides what a document is, whatever its media type says. Without it nothing in the "
                "document has a meaning in RSL."
            ),
            '<rsl>\n<content url="/"><license/></content>\n</rsl>\n',
            _FREE,
        ),
    ),
    "rsl-no-content": ProblemKind(
        "error",
        "the licence document has no content element; nothing is licensed, and every use of content is prohibited",
        'add <content url="/"> with a license',
        "RSL 1.0 3.2",
        doc=_of_document(
            "the licence document has no content element",
            "A document needs at least one content element, which says for which paths its licenses are.",
            f"{_ROOT}\n</rsl>\n",
            _FREE,
        ),
    ),
    "rsl-no-licence": ProblemKind(
        "warning",
        "the content `{0}` has no license, so nothing is licensed but by its server",
        "add a license",
        "RSL 1.0 3.3",
        doc=_of_content(
            "a content has no license",
            (
                "RSL demands at least one license in each content. Some sites leave the terms to a licence server; "
                "then the server alone can license a use."
            ),
            '<content url="/"><terms>https://www.example.com/terms</terms></content>',
            f'<content url="/"><license>{_SEARCH}</license></content>',
        ),
    ),
    "rsl-unknown-element": ProblemKind(
        "error",
        "`{0}` in `{1}` is not an element of RSL; nothing in this `{1}` is permitted",
        "remove it, or give it a namespace of its own",
        "RSL 1.0 2.2",
        doc=_of_licence(
            "an element is not one of RSL",
            (
                "A document with an unknown element of RSL's own namespace does not conform. The element may restrict "
                "what stands beside it."
            ),
            f"{_SEARCH}<only>poems</only>",
            _SEARCH,
        ),
    ),
    "rsl-unknown-attribute": ProblemKind(
        "error",
        "`{0}` is not an attribute of `{1}`; nothing in this `{1}` is permitted",
        "remove it, or give it a namespace of its own",
        "RSL 1.0 3",
        doc=_of_content(
            "an attribute is not one of RSL",
            "It may be a condition with a typo in its name, such as the server.",
            f'<content url="/" title="Poems"><license>{_SEARCH}</license></content>',
            f'<content url="/"><license>{_SEARCH}</license></content>',
        ),
    ),
    "rsl-url": ProblemKind(
        "error",
        "`{0}` is not a pattern of paths; the content counts for the whole site and permits nothing",
        "write a path that begins with a slash",
        "RSL 1.0 3.3",
        doc=_of_content(
            "the url of a content is not a pattern of paths",
            (
                "Without a pattern the licenses may be meant for any resource, so they are heeded everywhere and "
                "grant nothing."
            ),
            f'<content url="poems"><license>{_SEARCH}</license></content>',
            f'<content url="/poems"><license>{_SEARCH}</license></content>',
        ),
    ),
    "rsl-fragment": ProblemKind(
        "error",
        "`{0}` has a fragment, which names no resource of its own; the content permits nothing",
        "write the path without it",
        "RFC 3986 3.5",
        doc=_of_content(
            "the url of a content has a fragment",
            "Nobody asks for a part of a resource, so what is prohibited of it is prohibited of the whole resource.",
            f'<content url="/poems#first"><license>{_SEARCH}</license></content>',
            f'<content url="/poems"><license>{_SEARCH}</license></content>',
        ),
    ),
    "rsl-absolute-url": ProblemKind(
        "info",
        "`{0}` is read as a path of its own site, and says nothing of others",
        "write the path alone",
        "RSL 1.0 3.3",
        doc=_of_content(
            "the url of a content has a scheme and a host",
            (
                "A content is about paths of the site that refers to the document. A URL of another site would say "
                "nothing here."
            ),
            f'<content url="https://www.example.com/poems/"><license>{_SEARCH}</license></content>',
            f'<content url="/poems/"><license>{_SEARCH}</license></content>',
        ),
    ),
    "rsl-max-age": ProblemKind(
        "warning",
        "`{0}` is not a number of days; the document is asked for again at once",
        "write a number of days",
        "RSL 1.0 3.1",
        doc=_of_document(
            "max-age is not a number of days",
            "The number of days says when the document has to be retrieved again.",
            _FREE.replace('">', '" max-age="a week">', 1),
            _FREE.replace('">', '" max-age="7">', 1),
        ),
    ),
    "rsl-list-type": ProblemKind(
        "error",
        "`{0}` has the type `{1}`, not usage, user or geo; its license permits nothing",
        "write usage, user or geo",
        "RSL 1.0 3.5",
        doc=_of_licence(
            "a list has a type that RSL does not have",
            "What the list names is unknown, and it may be whom or what the license leaves out.",
            '<permits type="purpose">search</permits>',
            _SEARCH,
        ),
    ),
    "rsl-repeated": ProblemKind(
        "warning",
        "`{0}` stands twice in one element; lists are read as one, and every payment is asked for",
        "write one",
        "RSL 1.0 3.5",
        doc=_of_licence(
            "an element that may stand once stands twice",
            "RSL allows one element of a kind and type. Other readers may heed the first or the last of them alone.",
            f'{_SEARCH}<permits type="usage">ai-input</permits>',
            '<permits type="usage">search ai-input</permits>',
        ),
    ),
    "rsl-comma-list": ProblemKind(
        "info",
        "the list `{0}` has commas, as in RSL 0.9; it is read as if they were blanks",
        "write blanks",
        "RSL 1.0 3.5",
        doc=_of_licence(
            "a list has commas",
            "RSL 1.0 separates tokens by blanks. A reader that knows no commas takes the list for one unknown token.",
            '<permits type="usage">search,ai-input</permits>',
            '<permits type="usage">search ai-input</permits>',
        ),
    ),
    "rsl-empty-list": ProblemKind(
        "warning",
        "`{0}` is empty: an empty list permits nothing and prohibits nothing",
        "name what is meant",
        "RSL 1.0 3.5",
        doc=_of_licence(
            "a list is empty",
            "An empty list of permits is a closed list: the license grants nothing of that type.",
            '<permits type="usage"/>',
            _SEARCH,
        ),
    ),
    "rsl-unknown-token": ProblemKind(
        "warning",
        "unknown {1} `{0}`: it permits nothing, and prohibits everything where it prohibits",
        "write a token of RSL 1.0",
        "RSL 1.0 3.5",
        doc=_of_licence(
            "a list has a token that RSL does not have",
            "What is not understood grants nothing. In a list of prohibits it may be anything.",
            '<permits type="usage">search quote</permits>',
            _SEARCH,
        ),
    ),
    "rsl-foreign-token": ProblemKind(
        "warning",
        "`{0}` belongs to another vocabulary: it permits nothing, and prohibits as `{1}` where it prohibits",
        "write `{1}`",
        "RSL 1.0 3.5",
        doc=_of_licence(
            "a list has a token of another vocabulary",
            (
                "Other vocabularies have similar names. Whoever writes one in prohibits evidently refuses; in permits "
                "it may mean more than RSL's own."
            ),
            '<prohibits type="usage">train-ai</prohibits>',
            '<prohibits type="usage">ai-train</prohibits>',
        ),
    ),
    "rsl-extension": ProblemKind(
        "info",
        "the extension `{0}` is unknown and ignored as a {1}; whom it may prohibit is prohibited",
        "add a token of RSL 1.0 that covers it",
        "RSL 1.0 3.5",
        doc=_of_licence(
            "a list has an extension that is not known",
            "Extensions mean something only to readers that know them.",
            '<prohibits type="usage">ext:speech</prohibits>',
            '<prohibits type="usage">ai-all</prohibits>',
        ),
    ),
    "rsl-contradiction": ProblemKind(
        "warning",
        "the license permits `{0}` and prohibits `{1}`; the prohibition stands",
        "remove one of them",
        "RSL 1.0 3.6",
        doc=_of_licence(
            "a license permits and prohibits the same",
            (
                "RSL lets the narrower scope win in one place and the prohibition in another. The prohibition is the "
                "safe reading."
            ),
            '<permits type="usage">ai-train</permits><prohibits type="usage">all</prohibits>',
            '<permits type="usage">ai-train</permits>',
        ),
    ),
    "rsl-unknown-payment": ProblemKind(
        "warning",
        "unknown payment `{0}`, so that nothing is permitted for it",
        "write one of the payments of RSL, such as purchase",
        "RSL 1.0 3.7",
        doc=_of_licence(
            "a payment has a type that RSL does not have",
            "A condition that is not understood cannot be met.",
            f'{_SEARCH}<payment type="barter"/>',
            f'{_SEARCH}<payment type="purchase"/>',
        ),
    ),
    "rsl-old-payment": ProblemKind(
        "info",
        "the payment `inference` of RSL 0.9 is read as `use`",
        "write `use`",
        "RSL 1.0 3.7",
        doc=_of_licence(
            "a payment has its name of RSL 0.9",
            "The word has changed since RSL 0.9.",
            f'{_SEARCH}<payment type="inference"/>',
            f'{_SEARCH}<payment type="use"/>',
        ),
    ),
    "rsl-unknown-type": ProblemKind(
        "info",
        "`{0}` has the unknown type `{1}` and decides nothing",
        "write warranty, disclaimer, attestation, contact or proof",
        "RSL 1.0 3.9",
        doc=_of_licence(
            "a legal statement has a type that RSL does not have",
            "Legal statements have five types in RSL; they decide no permission.",
            f'{_SEARCH}<legal type="license">https://www.example.com/terms</legal>',
            f'{_SEARCH}<legal type="contact">https://www.example.com/contact</legal>',
        ),
    ),
    "rsl-reporting": ProblemKind(
        "warning",
        "the profile `{0}` of reporting is unknown, so that nothing is permitted by this license",
        "ask the licensor, or add a license without reporting",
        "RSL 1.0 3.8",
        doc=_of_licence(
            "a license demands reports of a profile that is not known",
            "A license that demands reports is for those who can send them. No profile is known here.",
            f'{_SEARCH}<reporting type="audit" profile="https://www.example.com/audit"/>',
            _SEARCH,
        ),
    ),
}
