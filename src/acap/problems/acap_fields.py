"""Problems of ACAP fields, in a robots.txt or in a page; long, as it is one table with an entry for each problem."""

from __future__ import annotations

from acap.problems.kind import Doc, Example, Long, ProblemKind

ACAP_FIELDS = {
    "acap-hyphen": ProblemKind(
        "warning",
        "the field name is understood, but is not spelt as ACAP spells it",
        "write hyphens and a colon",
        "P1 4.5.6",
    ),
    "acap-unknown-field": ProblemKind(
        "error",
        "`{0}` is not an ACAP field and is ignored",
        "did you mean `{1}`?",
        "P1 4.5.6",
    ),
    "acap-before-crawler": ProblemKind(
        "error",
        "the field stands before the first ACAP-crawler line and has no effect",
        "put `ACAP-crawler: *` above it",
        "P1 4.5.2",
    ),
    "acap-crawler-name": ProblemKind(
        "warning",
        "`{0}` is not a valid crawler name; it is read as `{1}`",
        "write `{1}`",
        "P1 4.5.6",
    ),
    "acap-no-crawler": ProblemKind(
        "error",
        "the line names no readable crawler: prohibitions of its record apply to every crawler, permissions to none",
        "name one with letters, digits, `.`, `_` and `-`, or write `*`",
        "P1 4.5.2.1",
        Doc(
            summary="an ACAP-crawler line names no crawler, or one that cannot be read",
            why=(
                "A crawler's name in ACAP consists of letters, digits, dots, hyphens and underscores. If a line has "
                "no name, or one in quotation marks, it is unknown whom it addresses. Prohibitions of its record "
                "then apply to every crawler here, and permissions do not count. Most crawlers skip the record. "
                "Write `ACAP-crawler: *` for all crawlers, or the bare name."
            ),
            examples=(
                Example(
                    bad="ACAP-crawler:\nACAP-disallow-index: /private/\n",
                    good="ACAP-crawler: *\nACAP-disallow-index: /private/\n",
                ),
                Example(
                    bad='ACAP-crawler: "ExampleBot"\nACAP-disallow-index: /private/\n',
                    good="ACAP-crawler: ExampleBot\nACAP-disallow-index: /private/\n",
                ),
            ),
        ),
    ),
    "acap-several-crawlers": ProblemKind(
        "warning",
        "the line names several crawlers",
        "give each a line of its own",
        "P1 4.5.2.1",
    ),
    "acap-any-beside-names": ProblemKind(
        "warning",
        "`*` stands beside named crawlers",
        "give `*` a record of its own",
        "P1 4.5.2.1",
        Doc(
            summary="`*` stands beside named crawlers in one record",
            why=(
                "A record addresses either any crawler or the crawlers it names. The difference matters: a "
                "statement to a crawler by name outranks a statement to any. A record for both is read here as "
                "both, so the named crawlers get everything twice, with two ranks. If you mean all crawlers, remove "
                "the names; if the named ones get more, give them a record of their own."
            ),
            examples=(
                Example(
                    bad="ACAP-crawler: *\nACAP-crawler: SearchBot1\nACAP-allow-crawl: /\n",
                    good="ACAP-crawler: *\nACAP-allow-crawl: /\n",
                ),
            ),
        ),
    ),
    "acap-several-any-records": ProblemKind(
        "info",
        "a second record addresses any crawler; the two are merged",
        None,
        "P1 4.2",
        Doc(
            summary="more than one record addresses any crawler",
            why=(
                "ACAP expects one record for any crawler; two or more are merged here, and each of their lines "
                "counts. Another reader may take only the first or the last. Put everything for all crawlers under "
                "one `ACAP-crawler: *` line."
            ),
            examples=(
                Example(
                    bad="ACAP-crawler: *\nACAP-allow-crawl: /\n\nACAP-crawler: *\nACAP-disallow-index: /drafts/\n",
                    good="ACAP-crawler: *\nACAP-allow-crawl: /\nACAP-disallow-index: /drafts/\n",
                ),
            ),
        ),
    ),
    "acap-misplaced-definition": ProblemKind(
        "info",
        "the definition stands after the first record",
        "move it above the records",
        "P1 4.1",
    ),
    "acap-bad-definition": ProblemKind(
        "error",
        "the definition has no name or no content, so it has no effect",
        None,
        "P1 4.5.3",
        Doc(
            summary="a definition has no name or no content",
            why=(
                "A definition is a name and what it stands for: `ACAP-resource-set: images /*.gif$`. Without either "
                "it has no effect, and neither have the lines that use the name. A permission of an undefined usage "
                "even prohibits other uses, because its limits are unknown. Complete the definition, or remove it "
                "with the lines that use it."
            ),
            examples=(
                Example(
                    bad="ACAP-resource-set: open\nACAP-crawler: *\nACAP-allow-crawl: /\n",
                    good="ACAP-resource-set: open /news/\nACAP-crawler: *\nACAP-allow-crawl: /\n",
                ),
            ),
        ),
    ),
    "acap-duplicate-definition": ProblemKind(
        "error",
        "`{0}` is already defined; the first definition counts",
        "give it another name",
        "P1 4.5.6",
        Doc(
            summary="a name is defined a second time",
            why=(
                "If a name is defined twice, the first definition counts and the second is ignored, with every path "
                "and limit in it. Paths that the second was to add are missing from the set. Put all of them into "
                "one definition, or give the second another name and use that."
            ),
            examples=(
                Example(
                    bad=(
                        "ACAP-resource-set: open /news/\nACAP-resource-set: open /sport/\nACAP-crawler: *\n"
                        "ACAP-allow-crawl: the-acap:resource-set:open\n"
                    ),
                    good=(
                        "ACAP-resource-set: open /news/ /sport/\nACAP-crawler: *\n"
                        "ACAP-allow-crawl: the-acap:resource-set:open\n"
                    ),
                ),
            ),
        ),
    ),
    "acap-undefined-usage": ProblemKind(
        "error",
        "the usage `({0})` is not defined; `other` is prohibited instead",
        "did you mean `({1})`?",
        "P1 4.5.3",
    ),
    "acap-undefined-set": ProblemKind(
        "error",
        "the resource set `{0}` is not defined; a prohibition covers `{2}`, a permission has no effect",
        "did you mean `{1}`?",
        "P1 4.5.3.3",
    ),
    "acap-void-constituent": ProblemKind(
        "error",
        "`({0})` in `{1}` is not a defined qualified usage and is left out",
        None,
        "P1 4.5.3.2",
        Doc(
            summary="a part of a composite usage is not a defined qualified usage",
            why=(
                "A composite usage lists standard usages (`index`) and qualified usages of the same file, in "
                "parentheses. A part that is not defined, or is itself a composite, is left out: a permission "
                "permits less than it lists, and a prohibition prohibits less. Define the part with an "
                "`ACAP-qualified-usage:` line."
            ),
            examples=(
                Example(
                    bad="ACAP-composite-usage: archive index (short-copy)\nACAP-crawler: *\nACAP-allow-(archive): /\n",
                    good=(
                        "ACAP-qualified-usage: short-copy preserve time-limit=7-days\n"
                        "ACAP-composite-usage: archive index (short-copy)\nACAP-crawler: *\n"
                        "ACAP-allow-(archive): /\n"
                    ),
                ),
            ),
        ),
    ),
    "acap-plural": ProblemKind(
        "info",
        "the plural is read as `{0}`",
        "write `{0}`",
        "G 4.10",
    ),
    "acap-unknown-usage": ProblemKind(
        "error",
        "unknown usage `{0}`; the permission permits no other usage",
        "did you mean `{1}`?",
        "P1 4.5.2.5.1",
    ),
    "acap-guessed-usage": ProblemKind(
        "error",
        "unknown usage `{0}`; the prohibition is read as one of `{1}`",
        "write `{1}`",
        "P2 2.2.6",
    ),
    "acap-empty-purpose": ProblemKind(
        "error",
        "the line names no purpose: prohibitions below it apply to every purpose, permissions to none",
        "name a purpose, or remove the line",
        "P1 4.5.2.4.1",
    ),
    "acap-empty-resource": ProblemKind(
        "error",
        "the field names no resource, so it has no effect",
        "name a path, `/` for all",
        "P1 4.5.2.5.1",
        Doc(
            summary="a permission, prohibition or request names no resource",
            why=(
                "In robots.txt an empty Disallow forbids nothing. ACAP has no such convention: each field names the "
                "resource it is about, and a field without a resource has no effect. A prohibition without a path "
                "therefore protects nothing. Write `/` for the whole site, or the paths that you mean."
            ),
            examples=(
                Example(
                    bad="ACAP-crawler: *\nACAP-disallow-index:\n",
                    good="ACAP-crawler: *\nACAP-disallow-index: /\n",
                ),
            ),
        ),
    ),
    "acap-foreign-resource": ProblemKind(
        "error",
        "`{0}` is not on this site, so the field has no effect on it",
        None,
        "P1 4.5.2.5.1",
        Doc(
            summary="a field names a resource that is not on this site",
            why=(
                "A robots.txt speaks only for its own host and port, not even for another name of the same site. A "
                "permission or prohibition for another host has no effect there. Put the line into the robots.txt "
                "of that host; here, write paths."
            ),
            examples=(
                Example(
                    bad="ACAP-crawler: *\nACAP-request-re-crawl: http:///news/mistake.html\n",
                    good="ACAP-crawler: *\nACAP-request-re-crawl: /news/mistake.html\n",
                ),
            ),
        ),
    ),
    "acap-unreadable-host": ProblemKind(
        "error",
        "the host of `{0}` cannot be read: a prohibition applies to this site, a permission has no effect",
        "write the path alone",
        "P1 4.5.2.5.1",
        Doc(
            summary="a field names a resource whose host cannot be read",
            why=(
                "A host has no wildcard, no empty label and no escape, and a port is a number below 65,536. The "
                "author may have meant this host, so a prohibition applies to the path here; a permission has no "
                "effect. A robots.txt speaks only for its own host and port: write paths."
            ),
            examples=(
                Example(
                    bad="ACAP-crawler: *\nACAP-disallow-crawl: http://*.example.com/private/\n",
                    good="ACAP-crawler: *\nACAP-disallow-crawl: /private/\n",
                ),
            ),
        ),
    ),
    "acap-relative-pattern": ProblemKind(
        "warning",
        "`{0}` is read relative to the root",
        "start it with `/`: `/{0}`",
        "P1 4.5.2.5.1",
    ),
    "acap-qualifier-on-prohibition": ProblemKind(
        "warning",
        "a prohibition takes no qualifier; the qualifier is ignored",
        "remove it",
        "P1 4.5.2.5.2",
    ),
    "acap-unknown-qualifier": ProblemKind(
        "error",
        "unknown qualifier `{0}`; the permission is read as a prohibition",
        None,
        "P2 2.2.6",
        Doc(
            summary="a permission with an unknown qualifier prohibits",
            why=(
                "A qualifier limits a permission. A crawler that does not understand the limit must not act on the "
                "permission: by the standard it reads the line as a prohibition of that usage. So one unknown word "
                "turns `allow` into `disallow` for those resources. Known are `time-limit`, `max-length`, "
                "`must-use-resource`, `must-include-resource`, `prohibited-modification`, `prohibited-context`, "
                "`required-context` and, in pages, `location`."
            ),
            examples=(
                Example(
                    bad="ACAP-crawler: *\nACAP-allow-index: / max-age=7-days\n",
                    good="ACAP-crawler: *\nACAP-allow-index: / time-limit=7-days\n",
                ),
                Example(
                    bad='<meta name="robots" content="ACAP allow-index max-age=7-days">\n',
                    good='<meta name="robots" content="ACAP allow-index time-limit=7-days">\n',
                    kind="page",
                ),
            ),
            kinds=("robots", "page", "headers"),
        ),
    ),
    "acap-bad-value": ProblemKind(
        "error",
        "`{1}` is not a valid value of `{0}`; the permission is read as a prohibition",
        None,
        "P2 2.2.6",
    ),
    "acap-misplaced-qualifier": ProblemKind(
        "warning",
        "`{0}` does not apply to `{1}`; it is kept as a restriction",
        None,
        "P1 4.5.3.1",
        Doc(
            summary="a qualifier limits a usage that it does not apply to",
            why=(
                "Each qualifier belongs to certain usages: a time limit says how long something may be indexed, "
                "kept or shown, and has no meaning for crawling. Here it stays a restriction that a crawler has to "
                "respect. Others may read the permission as a prohibition, or ignore the limit. Put the qualifier "
                "on the usage that it limits."
            ),
            examples=(
                Example(
                    bad="ACAP-crawler: *\nACAP-allow-crawl: / time-limit=7-days\n",
                    good="ACAP-crawler: *\nACAP-allow-crawl: /\nACAP-allow-preserve: / time-limit=7-days\n",
                ),
                Example(
                    bad='<meta name="robots" content="ACAP allow-follow time-limit=7-days">\n',
                    good='<meta name="robots" content="ACAP allow-index time-limit=7-days">\n',
                    kind="page",
                ),
            ),
            kinds=("robots", "page", "headers"),
        ),
    ),
    "acap-older-word": ProblemKind(
        "warning",
        "`{0}` is an older word for `{1}`",
        "write `{1}`",
        "P1 4.5.3.1",
    ),
    "acap-later-version": ProblemKind(
        "error",
        "the line uses a feature of a later version than declared: its permission has no effect, its restrictions hold",
        "declare `##ACAP version=1.1`",
        "P2 2.2.7",
        Doc(
            summary="a field uses a feature of a later version than declared",
            why=(
                "Lists of elements (`the-acap:idlist:…`), `target-condition` and `ref` came with version 1.1. A "
                "robots.txt that declares 1.0, or a page that declares nothing, says that it does not use them. A "
                "permission that uses them anyway has no effect, but its restrictions hold; other statements then "
                "decide about the usage. Declare 1.1: `##ACAP version=1.1` in the robots.txt, `ACAP Version 1.1` in "
                "a META tag of the page."
            ),
            examples=(
                Example(
                    bad=(
                        "##ACAP version=1.0\nACAP-crawler: *\n"
                        "ACAP-allow-index: / must-use-resource=the-acap:idlist:lead,body\n"
                    ),
                    good=(
                        "##ACAP version=1.1\nACAP-crawler: *\n"
                        "ACAP-allow-index: / must-use-resource=the-acap:idlist:lead,body\n"
                    ),
                ),
                Example(
                    bad='<meta name="robots" content="ACAP allow-index must-use-resource=the-acap:idlist:lead,body">\n',
                    good=(
                        '<meta name="robots" content="ACAP Version 1.1">\n<meta name="robots" content="ACAP '
                        'allow-index must-use-resource=the-acap:idlist:lead,body">\n'
                    ),
                    kind="page",
                ),
            ),
            kinds=("robots", "page", "headers"),
        ),
    ),
    "acap-stray-text": ProblemKind(
        "error",
        "`{0}` is not a qualifier; the permission is read as a prohibition",
        "put `#` before a comment",
        "P2 2.2.6",
        Doc(
            summary="a statement is followed by text that is not a qualifier",
            why=(
                "Only qualifiers may follow the resource, each a name, `=` and a value. Any other word may be meant "
                "as a limit, and an unreadable limit turns a permission into a prohibition; it does not narrow a "
                "prohibition. If it is a note for people, put `#` before it in a robots.txt, and remove it from a "
                "META tag. If it is an exception, write a separate prohibition."
            ),
            examples=(
                Example(
                    bad="ACAP-crawler: *\nACAP-allow-index: / except images\n",
                    good="ACAP-crawler: *\nACAP-allow-index: / # see the next line\nACAP-disallow-index: /images/\n",
                ),
                Example(
                    bad='<meta name="robots" content="ACAP allow-index please">\n',
                    good='<meta name="robots" content="ACAP allow-index">\n',
                    kind="page",
                ),
            ),
            kinds=("robots", "page", "headers"),
        ),
    ),
    "acap-prohibited-local-usage": ProblemKind(
        "warning",
        "a prohibition cannot name `({0})`; it prohibits the usages that the name stands for",
        None,
        "P1 4.5.2.5.2",
        Doc(
            summary="a prohibition names a local usage",
            why=(
                "Names in parentheses stand for usages with limits. A prohibition has no limits, and the standard "
                "says in one place that it cannot use such names. Here it prohibits the usages themselves: if "
                "`short-copy` stands for `preserve time-limit=7-days`, keeping any copy is prohibited, not only for "
                "a week. Other crawlers may skip the line. Name the usage: `ACAP-disallow-preserve`."
            ),
            examples=(
                Example(
                    bad=(
                        "ACAP-qualified-usage: short-copy preserve time-limit=7-days\nACAP-crawler: *\n"
                        "ACAP-disallow-(short-copy): /\n"
                    ),
                    good="ACAP-crawler: *\nACAP-disallow-preserve: /\n",
                ),
                Example(
                    bad='<p class="the-acap:disallow-(short-copy)">Text</p>\n',
                    good='<p class="the-acap:disallow-preserve">Text</p>\n',
                    kind="page",
                ),
            ),
            kinds=("robots", "page", "headers"),
        ),
    ),
    "acap-permission-beside-reference": ProblemKind(
        "warning",
        "the record refers to another resource, so this permission has no effect",
        None,
        "P1 4.5.2",
        Doc(
            summary="a permission stands in a record that refers to another resource",
            why=(
                "`ACAP-permissions-reference` says that the record's permissions are in another file. Permissions "
                "beside it have no effect: until a crawler has read that file, everything is prohibited to it. "
                "Prohibitions beside it count. Move the permission into the other file, or remove the reference."
            ),
            examples=(
                Example(
                    bad=(
                        "ACAP-crawler: partnerbot\nACAP-permissions-reference: /partner/robots.txt\n"
                        "ACAP-allow-crawl: /\n"
                    ),
                    good="ACAP-crawler: partnerbot\nACAP-permissions-reference: /partner/robots.txt\n",
                ),
            ),
        ),
    ),
    "acap-reference-of-words": ProblemKind(
        "error",
        "`{0}` is not one URI, so it names no document and everything is prohibited",
        "write one URI, with `%20` for a blank",
        "P1 4.5.2.2",
        Doc(
            summary="a reference to another file has several words, or none",
            why=(
                "`ACAP-permissions-reference` names one file, by its URI. With several words, or none, it is "
                "unknown which file is meant. So no file is read, and everything stays prohibited to the crawlers "
                "of the record. Write a line for each file, and `%20` where a blank belongs to a name."
            ),
            examples=(
                Example(
                    bad="ACAP-crawler: partnerbot\nACAP-permissions-reference: /partner/robots.txt /partner/more.txt\n",
                    good=(
                        "ACAP-crawler: partnerbot\nACAP-permissions-reference: /partner/robots.txt\n"
                        "ACAP-permissions-reference: /partner/more.txt\n"
                    ),
                ),
            ),
        ),
    ),
    "acap-request-in-sub-record": ProblemKind(
        "warning",
        "an action request belongs before the purposes",
        None,
        "P1 4.5.2.4",
        Doc(
            summary="an action request stands below a purpose",
            why=(
                "Requests to take something down, or to crawl it again, address a crawler whatever its purpose, so "
                "they belong before the first ACAP-usage-purpose line of the record. Below one, the request still "
                "counts here for every purpose. Another crawler may apply it to that purpose only, or skip it. Move "
                "it up."
            ),
            examples=(
                Example(
                    bad=(
                        "ACAP-crawler: *\nACAP-usage-purpose: news\nACAP-allow-crawl: /\n"
                        "ACAP-request-take-down: /news/mistake.html\n"
                    ),
                    good=(
                        "ACAP-crawler: *\nACAP-request-take-down: /news/mistake.html\nACAP-usage-purpose: news\n"
                        "ACAP-allow-crawl: /\n"
                    ),
                ),
            ),
        ),
    ),
    "acap-request-wildcard": ProblemKind(
        "warning",
        "`{0}` is read as one resource; wildcards have no meaning here",
        None,
        "P1 4.5.2.3",
        Doc(
            summary="an action request has a wildcard, which has no meaning there",
            why=(
                "A request to take down, or to crawl again, names one resource. `*` and `$` count as characters of "
                "its path, and hardly any page has such a path, so nothing is taken down. Write one request for "
                "each page. To keep crawlers from a whole directory, write prohibitions: `ACAP-disallow-index: "
                "/news/`."
            ),
            examples=(
                Example(
                    bad="ACAP-crawler: *\nACAP-request-re-crawl: /news/*\n",
                    good="ACAP-crawler: *\nACAP-request-re-crawl: /news/today.html\n",
                ),
            ),
        ),
    ),
    "acap-too-much": ProblemKind(
        "error",
        "a limit was reached: prohibitions still count, permissions do not",
        None,
        "P1 4.6",
        Doc(
            summary="the file has more ACAP fields or records than are read",
            why=(
                "Readers limit the records of a file and the fields of a record, as ACAP allows. Beyond the limit "
                "prohibitions still count, but permissions do not, so some of your permissions are lost. Gather "
                "paths in an `ACAP-resource-set`, and use `*` in place of lists of pages."
            ),
            examples=(
                Example(
                    bad=Long("ACAP-crawler: *\n", "ACAP-allow-index: /a\n", 10_001),
                    good="ACAP-crawler: *\nACAP-allow-index: /a\n",
                ),
            ),
        ),
    ),
    "acap-second-version": ProblemKind(
        "warning",
        "version {0} is ignored; the first one counts",
        None,
        "P1 4.5.4",
    ),
    "acap-several-statements": ProblemKind(
        "info",
        "the tag holds several statements; each is read",
        "give each a tag of its own",
        "P2 3",
    ),
    "acap-empty-tag": ProblemKind(
        "error",
        "the tag is marked as ACAP, but nothing in it is understood",
        "write `ACAP allow-…` or `ACAP disallow-…`",
        "P2 2.2",
        Doc(
            summary="a META tag is marked as ACAP, but nothing in it is understood",
            why=(
                "`ACAP` at the beginning of the content says that an ACAP statement follows: `allow-…`, "
                "`disallow-…` or a version. Search engines that do not read ACAP find no word of theirs in it "
                "either, so the tag protects nothing. `ACAP no-index` mixes the two languages: write `ACAP "
                "disallow-index` in one tag, and `noindex` in another."
            ),
            examples=(
                Example(
                    bad='<meta name="robots" content="ACAP no-index">\n',
                    good='<meta name="robots" content="ACAP disallow-index">\n',
                    kind="page",
                ),
            ),
            kinds=("page", "headers"),
        ),
    ),
    "acap-class-token": ProblemKind(
        "error",
        "`{0}` neither allows nor disallows and is ignored",
        "write `the-acap:disallow-…`",
        "P2 2.2.5",
        Doc(
            summary="a class begins with `the-acap:` but neither allows nor disallows",
            why=(
                "Classes such as `the-acap:disallow-index` mark elements of a page. A class with that prefix and "
                "any other word is ignored, and crawlers use the element like the rest of the page. Write "
                "`the-acap:disallow-` or `the-acap:allow-` and a usage."
            ),
            examples=(
                Example(
                    bad='<p class="the-acap:noindex">Text</p>\n',
                    good='<p class="the-acap:disallow-index">Text</p>\n',
                    kind="page",
                ),
            ),
            kinds=("page",),
        ),
    ),
    "acap-guessed-field": ProblemKind(
        "error",
        "`{0}` is not an ACAP field; it is read as `{1}`",
        "write `{1}`",
        "P2 2.2.6",
    ),
    "acap-nearly-permission": ProblemKind(
        "error",
        "`{0}` is misspelt, so it permits nothing; its restrictions hold",
        None,
        "P2 2.2.6",
        Doc(
            summary="a misspelt permission permits nothing",
            why=(
                "Only `allow` permits. `ACAP-alow-index` may be a permission, but that is not certain, so it lifts "
                "no prohibition; its restrictions still hold. Write the field as the standard spells it."
            ),
            examples=(
                Example(
                    bad="ACAP-crawler: *\nACAP-alow-index: /\n",
                    good="ACAP-crawler: *\nACAP-allow-index: /\n",
                ),
            ),
            kinds=("robots", "page", "headers"),
        ),
    ),
    "acap-nearly-tag": ProblemKind(
        "error",
        "the mark of ACAP is misspelt; prohibitions count, permissions do not",
        "write `ACAP`",
        "P2 2.2.6",
        Doc(
            summary="the mark of a tag or class is one letter off that of ACAP",
            why=(
                "`ACP disallow-index` in a META tag, or a class `the-acp:disallow-index`, is a typo: its "
                "prohibitions count here, its permissions do not. Other readers see words that they do not know. "
                "Begin with `ACAP` in a tag, and with `the-acap:` in a class."
            ),
            examples=(
                Example(
                    bad='<meta name="robots" content="ACP disallow-index">\n',
                    good='<meta name="robots" content="ACAP disallow-index">\n',
                    kind="page",
                ),
            ),
            kinds=("page", "headers"),
        ),
    ),
    "acap-unknown-prohibition": ProblemKind(
        "error",
        "unknown usage `{0}`; the prohibition also covers `other` and every extension",
        None,
        "P2 2.2.6",
        Doc(
            summary="a prohibition names an unknown usage",
            why=(
                "ACAP's usages are `crawl`, `follow`, `index`, `preserve`, `present` with its kinds "
                "(`present-snippet`, …) and `other`. A prohibition of any other word is kept under that word. It "
                "also counts for `other` and for text and data mining, because it may have meant one of these. "
                "Write a usage of the standard."
            ),
            examples=(
                Example(
                    bad="ACAP-crawler: *\nACAP-disallow-screenshots: /\n",
                    good="ACAP-crawler: *\nACAP-disallow-present-thumbnail: /\n",
                ),
                Example(
                    bad='<meta name="robots" content="ACAP disallow-screenshots">\n',
                    good='<meta name="robots" content="ACAP disallow-present-thumbnail">\n',
                    kind="page",
                ),
            ),
            kinds=("robots", "page", "headers"),
        ),
    ),
    "acap-broad-usage": ProblemKind(
        "error",
        "`{0}` is not a usage; the prohibition is read as one of {1}",
        "name the usages",
        "P1 4.5.2.5.1",
        Doc(
            summary="a prohibition names no usage, or a word for several",
            why=(
                "The standard has no word for every use. `ACAP-disallow-all`, and a prohibition that names no usage "
                "at all, are read as prohibitions of every use, `ai` and `train` as one of training, input and "
                "indexing for models. Other readers skip the line. Name each usage on a line of its own."
            ),
            examples=(
                Example(
                    bad="ACAP-crawler: *\nACAP-disallow-everything: /drafts/\n",
                    good="ACAP-crawler: *\nACAP-disallow-crawl: /drafts/\n",
                ),
                Example(
                    bad='<meta name="robots" content="ACAP disallow-all">\n',
                    good='<meta name="robots" content="ACAP disallow-index">\n',
                    kind="page",
                ),
            ),
            kinds=("robots", "page", "headers"),
        ),
    ),
    "acap-ignore-alone": ProblemKind(
        "error",
        "no ACAP permission takes the place of the conventional records, so they count",
        "write the ACAP permissions, or remove the line",
        "P1 4.5.5",
        Doc(
            summary="conventional records are to be ignored, but no ACAP permission takes their place",
            why=(
                "`ACAP-ignore-conventional-records` says that Allow and Disallow do not count for a crawler that "
                "reads ACAP. If the file has no ACAP permission, nothing takes their place. A typo must not open "
                "the site, so they count. Write the permissions, or remove the line."
            ),
            examples=(
                Example(
                    bad="ACAP-ignore-conventional-records\nACAP-crawler: *\nACAP-disallow-index: /drafts/\n",
                    good=(
                        "ACAP-ignore-conventional-records\nACAP-crawler: *\nACAP-disallow-index: /drafts/\n"
                        "ACAP-allow-crawl: /\n"
                    ),
                ),
            ),
        ),
    ),
    "acap-unknown-version": ProblemKind(
        "warning",
        "`{0}` is not a known version of ACAP",
        "write `1.0` or `1.1`",
        "P2 2.2.7",
        Doc(
            summary="an unknown ACAP version is declared",
            why=(
                "There are versions 1.0 and 1.1 of ACAP, and 0.2 of its pilot. Any other is a mistake; it counts as "
                "later than 1.0 if it is greater. Declare the version whose features you use."
            ),
            examples=(
                Example(
                    bad="ACAP-version: 3.0\nACAP-crawler: *\nACAP-allow-crawl: /\n",
                    good="ACAP-version: 1.1\nACAP-crawler: *\nACAP-allow-crawl: /\n",
                ),
                Example(
                    bad='<meta name="robots" content="ACAP Version 3.0">\n',
                    good='<meta name="robots" content="ACAP Version 1.1">\n',
                    kind="page",
                ),
            ),
            kinds=("robots", "page", "headers"),
        ),
    ),
    "acap-empty-record": ProblemKind(
        "warning",
        "the record names crawlers but says nothing to them",
        "add its fields, or remove it",
        "P1 4.5.6",
        Doc(
            summary="a record names crawlers but says nothing to them",
            why=(
                "A record begins with `ACAP-crawler` lines, and its permissions and prohibitions follow. This one "
                "has none: someone forgot them, or left the crawler lines behind. Add the fields, or remove the "
                "lines."
            ),
            examples=(
                Example(
                    bad="ACAP-crawler: *\nACAP-allow-crawl: /\nACAP-crawler: SearchBot1\n",
                    good="ACAP-crawler: *\nACAP-allow-crawl: /\n",
                ),
            ),
        ),
    ),
    "acap-idle-purpose": ProblemKind(
        "warning",
        "nothing is permitted or prohibited for this purpose",
        "add it, or remove the line",
        "P1 4.5.2.4.1",
        Doc(
            summary="a purpose is named, but nothing is permitted or prohibited for it",
            why=(
                "The permissions and prohibitions after an `ACAP-usage-purpose` line are for that purpose. None "
                "follows this one, so this purpose has the same rules as every other. Add its fields, or remove the "
                "line."
            ),
            examples=(
                Example(
                    bad="ACAP-crawler: *\nACAP-allow-crawl: /\nACAP-usage-purpose: news\n",
                    good="ACAP-crawler: *\nACAP-allow-crawl: /\n",
                ),
            ),
        ),
    ),
    "acap-odd-name": ProblemKind(
        "warning",
        "`{0}` is not a valid name, so crawlers may not find it",
        "use letters, digits, `.`, `_` and `-`",
        "P1 4.5.6",
        Doc(
            summary="a definition has a name that the specification does not allow",
            why=(
                "Names of sets and usages consist of letters, digits, `.`, `_` and `-`. In most cases the author "
                "forgot the name, so the first path is read as the name, and fields that use the set find nothing. "
                "Give the definition a name."
            ),
            examples=(
                Example(
                    bad="ACAP-resource-set: /news/ /sport/\nACAP-crawler: *\nACAP-allow-crawl: /\n",
                    good="ACAP-resource-set: news /news/ /sport/\nACAP-crawler: *\nACAP-allow-crawl: /\n",
                ),
            ),
        ),
    ),
    "acap-swallowed-modification": ProblemKind(
        "warning",
        "`any` already prohibits every modification; naming another adds nothing",
        "keep `any` alone",
        "P1 4.5.3.1",
        Doc(
            summary="`prohibited-modification=any` stands beside another modification",
            why=(
                "`any` prohibits every modification of what is presented, so `format` or `style` beside it adds "
                "nothing; perhaps you meant only these. Keep `any` alone, or name those that you mean."
            ),
            examples=(
                Example(
                    bad=(
                        "ACAP-crawler: *\n"
                        "ACAP-allow-present: / prohibited-modification=any prohibited-modification=style\n"
                    ),
                    good="ACAP-crawler: *\nACAP-allow-present: / prohibited-modification=any\n",
                ),
                Example(
                    bad=(
                        '<meta name="robots" content="ACAP allow-present prohibited-modification=any '
                        'prohibited-modification=style">\n'
                    ),
                    good='<meta name="robots" content="ACAP allow-present prohibited-modification=any">\n',
                    kind="page",
                ),
            ),
            kinds=("robots", "page", "headers"),
        ),
    ),
}
