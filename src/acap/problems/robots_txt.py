"""Problems of a robots.txt, but for its ACAP fields. A table: an entry a problem."""

from __future__ import annotations

from acap.problems.kind import Doc, Example, Long, ProblemKind

ROBOTS_TXT = {
    "more-of-this": ProblemKind(
        "info",
        "{1} more problems `{0}` are not listed",
        "fix the first ones, then check again",
    ),
    "missing-colon": ProblemKind(
        "warning",
        "`{0}` has no colon",
        "write `{0}:`",
        "RFC 9309 2.2",
    ),
    "misspelt-field": ProblemKind(
        "warning",
        "`{0}` is read as `{1}`",
        "write `{1}`",
        "RFC 9309 2.2",
    ),
    "unknown-field": ProblemKind(
        "warning",
        "unknown field `{0}`",
        None,
        "RFC 9309 2.2.4",
    ),
    "unreadable-value": ProblemKind(
        "warning",
        "`{1}` cannot be read as {0} and is ignored",
        None,
        "R2 Request-rate",
    ),
    "no-field": ProblemKind(
        "warning",
        "`{0}` is not a field and is ignored",
        "put `#` before a comment",
        "RFC 9309 2.2",
    ),
    "rule-before-agent": ProblemKind(
        "error",
        "`{0}` stands before the first User-agent line and applies to no crawler",
        "put `User-agent: *` above it",
        "RFC 9309 2.2.1",
    ),
    "empty-agent": ProblemKind(
        "error",
        "the User-agent line names no crawler",
        "name a crawler, or `*`",
        "RFC 9309 2.2.1",
    ),
    "relative-pattern": ProblemKind(
        "error",
        "`{0}` matches no path",
        "start it with `/`: `/{0}`",
        "RFC 9309 2.2.2",
    ),
    "absolute-rule": ProblemKind(
        "warning",
        "`{0}` is a URL and matches no path",
        "write the path alone",
        "RFC 9309 2.2.2",
    ),
    "no-robots-txt": ProblemKind(
        "error",
        "this is not a robots.txt: none of its lines is a field",
        "serve the robots.txt itself, or answer with 404 if there is none",
        "RFC 9309 2.3",
        Doc(
            summary="the file has text, but no line is a field of a robots.txt",
            why=(
                "Some servers answer a request for robots.txt with status 200 and an error page, a login page, JSON "
                "or a gateway message. Most crawlers find no rules in it and treat everything as allowed; others "
                "keep using the previous file, for a month at most. A 404 says plainly that there is no file."
            ),
            examples=(
                Example(
                    bad="Unauthorized\n",
                    good="User-agent: *\nDisallow:\n",
                ),
                Example(
                    bad='{"error": "not found"}\n',
                    good="# nothing is prohibited here\n",
                ),
            ),
        ),
    ),
    "packed-file": ProblemKind(
        "error",
        "the file is {0} and cannot be read; acap prohibits everything, most crawlers find no rule and crawl all",
        "serve it as text, and declare any compression in Content-Encoding",
        "RFC 9309 2.3",
        Doc(
            summary="the file is compressed or binary and cannot be read",
            why=(
                "The server sends `robots.txt.gz` as it lies on the disk, or compresses the file without saying so "
                "in `Content-Encoding`. Crawlers find no known line in it and treat the whole site as open. The "
                "file may prohibit anything, so acap prohibits everything. Serve the file uncompressed, or "
                "declare its coding."
            ),
            examples=(
                Example(
                    bad=b"\x1f\x8b\x08\x00 and so on",
                    good="User-agent: *\nDisallow: /private/\n",
                ),
                Example(
                    bad=b"%PDF-1.7\n",
                    good="# nothing is prohibited here\n",
                ),
            ),
        ),
    ),
    "cut-file": ProblemKind(
        "error",
        "the file has {0} octets, more than the limit of {1}, so everything is prohibited",
        "make the file smaller",
        "RFC 9309 2.5",
        Doc(
            summary="the file is longer than the limit",
            why=(
                "RFC 9309 asks crawlers to read at least the first 500 kibibytes of a robots.txt; Google reads that "
                "much and ignores the rest. Here the limit is 8 MiB, and a larger file prohibits everything, "
                "because its end might. Lists of single pages make files that long: prohibit directories, use `*`, "
                "or keep pages out with a META tag. Put the most important rules at the top."
            ),
            examples=(
                Example(
                    bad=Long("User-agent: *\n", "Disallow: /archive/page-of-one-year.html\n", 210_000),
                    good="User-agent: *\nDisallow: /archive/\n",
                ),
            ),
        ),
    ),
    "overlong-line": ProblemKind(
        "error",
        "only {1} of the line's {0} octets are read; the rest counts as the strictest it could be",
        "shorten it",
        "P1 4.6",
        Doc(
            summary="a line is longer than readers keep",
            why=(
                "Readers limit how much of a line they keep: 16,664 octets here, as in Google's matcher. A rule cut "
                "short is another rule, because a shorter path matches more. So a cut prohibition prohibits more "
                "than you wrote, a cut Allow line permits nothing, and a cut ACAP permission prohibits. No URL is "
                "that long; usually the line ends are missing, or many rules stand on one line."
            ),
            examples=(
                Example(
                    bad=Long("User-agent: *\nDisallow: /\nAllow: /", "a", 20_000),
                    good="User-agent: *\nDisallow: /\nAllow: /aaa\n",
                ),
            ),
        ),
    ),
    "partial-byte-order-mark": ProblemKind(
        "warning",
        "the file begins with part of a byte order mark",
        "save it as UTF-8",
        "RFC 9309 2.3",
    ),
    "decoded-utf-16": ProblemKind(
        "warning",
        "the file is UTF-16, which many crawlers cannot read",
        "save it as UTF-8",
        "RFC 9309 2.3",
    ),
    "invalid-utf-8": ProblemKind(
        "info",
        "the line is not UTF-8; its octets are compared as they are",
        "save it as UTF-8",
        "RFC 9309 2.2",
    ),
    "nul-octet": ProblemKind(
        "warning",
        "the line contains a NUL, where some crawlers stop reading it",
        "remove it",
        "RFC 9309 2.2",
    ),
    "bad-content-usage": ProblemKind(
        "error",
        "`{0}` cannot be read; only what plainly refuses counts",
        "write names in lower case, each with `=y` or `=n`, commas between them and no blank around `=`",
        "RFC 9651 3.2",
        Doc(
            summary="a Content-Usage line is not a valid dictionary",
            why=(
                "The value of Content-Usage is a dictionary of RFC 9651, with a strict syntax: one typo makes the "
                "whole line invalid. A careful reader still respects what the line plainly refuses, but nothing "
                "that it permits; others ignore the line."
            ),
            examples=(
                Example(
                    bad="User-agent: *\nContent-Usage: Train-AI = n\nAllow: /\n",
                    good="User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n",
                ),
                Example(
                    bad="User-agent: *\nContent-Usage: train-ai=n, search=y,\nAllow: /\n",
                    good="User-agent: *\nContent-Usage: train-ai=n, search=y\nAllow: /\n",
                ),
            ),
            kinds=("robots", "headers"),
        ),
    ),
    "guessed-signal": ProblemKind(
        "error",
        "`{0}` is not a word of its vocabulary; it is read as a refusal",
        "write `{1}`",
        "Semantics, Signals",
        Doc(
            summary="a refusal is not written in the words of its vocabulary",
            why=(
                "Content-Usage has the values `y` and `n`, Content-Signal `yes` and `no`, and each has its own "
                "names; earlier drafts had others. Strictly, any other word states no preference. A plain refusal "
                "still counts here, but most crawlers will ignore it."
            ),
            examples=(
                Example(
                    bad="User-agent: *\nContent-Usage: train-ai=no\nAllow: /\n",
                    good="User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n",
                ),
                Example(
                    bad="User-agent: *\nContent-Signal: search=yes, ai-train=false\nAllow: /\n",
                    good="User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n",
                ),
                Example(
                    bad="User-agent: *\nContent-Signal: train-ai=no\nAllow: /\n",
                    good="User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n",
                ),
            ),
            kinds=("robots", "headers"),
        ),
    ),
    "unknown-signal": ProblemKind(
        "warning",
        "`{0}` has no meaning in {1} and is ignored",
        None,
        "contentsignals.org",
        Doc(
            summary="a content signal or its value is unknown",
            why=(
                "A Content-Signal line is a list of `search`, `ai-input` and `ai-train`, each `yes` or `no`, and "
                "lately `use`, which is `immediate`, `reference` or `full`. A Content-Usage line has `train-ai`, "
                "`ai-use` and `search`, each `y` or `n`. Any other name or value grants nothing. A plain refusal, "
                "such as `ai-train=false`, still counts as a refusal."
            ),
            examples=(
                Example(
                    bad="User-agent: *\nContent-Signal: search=yes, ai-train=perhaps\nAllow: /\n",
                    good="User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n",
                ),
                Example(
                    bad="User-agent: *\nContent-Usage: flavour=y\nAllow: /\n",
                    good="User-agent: *\nContent-Usage: train-ai=n\nAllow: /\n",
                ),
            ),
            kinds=("robots", "headers"),
        ),
    ),
    "control-character": ProblemKind(
        "warning",
        "the line contains a control character, which ends the value and cancels a permission",
        "remove it",
        "RFC 9309 2.2",
        Doc(
            summary="a line contains a control character",
            why=(
                "RFC 9309 (2.2) allows none in a rule, and crawlers read such a line in their own ways: some end it "
                "there, others count the octet as part of the path. So a prohibition ends at it, and a permission "
                "has no effect."
            ),
            examples=(
                Example(
                    bad="User-agent: *\nDisallow: /private\x01/a\n",
                    good="User-agent: *\nDisallow: /private/a\n",
                ),
            ),
        ),
    ),
    "false-utf-16-mark": ProblemKind(
        "warning",
        "the file begins with the byte order mark of UTF-16 but is not UTF-16; the mark is skipped",
        "save it as UTF-8",
        "RFC 9309 2.3",
        Doc(
            summary="the file begins with the byte order mark of UTF-16 but is not UTF-16",
            why=(
                "A crawler that trusts the mark reads only meaningless characters and treats everything as "
                "permitted. The mark is skipped here. Save the file as UTF-8, without a mark."
            ),
            examples=(
                Example(
                    bad=b"\xff\xfeUser-agent: *\nDisallow: /private/\n",
                    good="User-agent: *\nDisallow: /private/\n",
                ),
            ),
        ),
    ),
    "second-visit-time": ProblemKind(
        "warning",
        "the group already has a Visit-time",
        "keep one of them",
        "R2 Visit-time",
        Doc(
            summary="a group has a second Visit-time",
            why=(
                "A group asks crawlers to come at one time of the day. Readers differ on which of two lines counts. "
                "Keep one."
            ),
            examples=(
                Example(
                    bad="User-agent: *\nVisit-time: 0000-0600\nVisit-time: 1200-1300\nDisallow:\n",
                    good="User-agent: *\nVisit-time: 0000-0600\nDisallow:\n",
                ),
            ),
        ),
    ),
    "second-robot-version": ProblemKind(
        "warning",
        "the group already has a Robot-version",
        "keep one of them",
        "R2 Robot-version",
        Doc(
            summary="a group has a second Robot-version",
            why=(
                "`Robot-version` says by which proposal of 1996 a group is to be read, and directly follows its "
                "User- agent lines. A second one has no effect. Keep one."
            ),
            examples=(
                Example(
                    bad="User-agent: *\nRobot-version: 1.0\nRobot-version: 2.0\nDisallow:\n",
                    good="User-agent: *\nRobot-version: 1.0\nDisallow:\n",
                ),
            ),
        ),
    ),
}
