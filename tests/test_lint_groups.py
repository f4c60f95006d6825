"""What lint says of groups: who no longer hears the group of any crawler, and who is named in it for nothing."""

from __future__ import annotations

from time import process_time

import pytest

from acap.publish.lint.document import Document
from acap.publish.lint.finding import Finding
from acap.publish.lint.fixing import fix
from acap.publish.lint.run import lint
from acap.publish.presets.writing import preset_files

_ANY = "User-agent: *\nDisallow: /cgi-bin/\nDisallow: /private/\n"


def found(text: str, *codes: str, prepended: bytes | None = None) -> list[Finding]:
    return list(lint(Document(text.encode(), "robots.txt", prepended=prepended), select=codes))


def test_who_adds_a_rule_to_those_of_any_crawler_is_told_what_it_loses() -> None:
    """The commonest misunderstanding: a group replaces that of `*`, and its lost rules are named with their lines."""
    (one,) = found(f"{_ANY}\nUser-agent: Googlebot\nDisallow: /search\n", "rules-not-repeated")
    assert one.message == (
        "`Googlebot` has this group, and so no longer hears 2 rules of `*`: `/cgi-bin/` and `/private/`"
    )
    assert [related.line for related in one.related] == [2, 3]
    assert one.line == 5


def test_its_fix_repeats_the_rules_and_prohibits_more() -> None:
    """Nobody but the author knows whether that was meant, so it is not safe; it keeps line ends."""
    text = f"{_ANY}\nUser-agent: Googlebot\nDisallow: /search".replace("\n", "\r\n")
    document = Document(text.encode(), "robots.txt")
    assert not fix(document, ["rules-not-repeated"]).mended
    done = fix(document, ["rules-not-repeated"], unsafe=True).document.octets
    assert done.endswith(b"\r\nDisallow: /search\r\nDisallow: /cgi-bin/\r\nDisallow: /private/")


@pytest.mark.parametrize(
    "group",
    [
        "User-agent: Googlebot\nDisallow:\n",
        "User-agent: Googlebot\nAllow: /\nDisallow: /search\n",
        "User-agent: Googlebot\nDisallow: /\n",
        "User-agent: Googlebot\nDisallow: /private/\n",
        "User-agent: AdsBot-Google\nDisallow: /search\n",
        "# allow this bot to crawl more\nUser-agent: Googlebot\nDisallow: /search\n",
    ],
)
def test_what_looks_like_a_choice_is_not_told(group: str) -> None:
    """Who lets a crawler in, keeps it out, or repeats some rules of many has chosen; some never hear `*`."""
    assert not found(f"{_ANY}\n{group}", "rules-not-repeated")


def test_a_copy_of_at_least_half_of_the_rules_is_told() -> None:
    """Eight of sixteen rules are a copy that has grown old."""
    rules = [f"Disallow: /{letter}/\n" for letter in "abcdefghijklmnop"]
    (one,) = found(
        f"User-agent: *\n{''.join(rules)}\nUser-agent: Googlebot\n{''.join(rules[:8])}", "rules-not-repeated"
    )
    assert one.message.startswith("the group of `Googlebot` repeats the rules of `*` except `/i/`, `/j/`")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("User-agent: GPTBot\nUser-agent: *\nDisallow: /a\n", "`GPTBot`"),
        ("User-agent: *\nUser-agent: AdsBot-Google\nDisallow: /a\n", None),
        ("User-agent: *\nUser-agent: GPTBot\nDisallow: /a\n\nUser-agent: GPTBot\nDisallow: /b\n", None),
        ("User-agent: *\nUser-agent: Applebot\nDisallow: /a\n\nUser-agent: Googlebot\nDisallow: /b\n", None),
        ("User-agent: *\nUser-agent: Applebot\nDisallow: /a\n", "`Applebot`"),
    ],
)
def test_a_name_beside_any_is_told_where_it_changes_nothing(text: str, named: str | None) -> None:
    """It changes something for who never hears `*`, has a second group, or would follow that of another crawler."""
    messages = [one.message for one in found(text, "named-beside-any")]
    assert messages == ([] if named is None else [f"naming {named} changes nothing: it shares the group of `*`"])


@pytest.mark.parametrize("crawler", ["*", "Googlebot"])
def test_a_rule_with_its_crawler_on_one_line_is_told_apart(crawler: str) -> None:
    """`* Disallow: /b` is not a typo of a field: the help says which two lines were meant."""
    (one,) = found(f"User-agent: a\n{crawler} disallow: /b\nAllow: /\n", "unknown-field")
    assert one.help == f"write `User-agent: {crawler}` on a line of its own, and the `Disallow` below it"
    (other,) = found("User-agent: a\nplease disallow: /b\n", "unknown-field")
    assert "User-agent" not in (other.help or "")


def test_a_block_that_the_site_lifts_is_told_once_for_each_crawler() -> None:
    """The line of the site is named, with that of the block, whether the block is in the file or given beside it."""
    block = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /tmp/\n"
    origin = "User-agent: GPTBot\nAllow: /\n\nUser-agent: Bingbot\nDisallow: /x\n"
    beside = found(origin, "lifted-block", prepended=block.encode())
    assert [one.line for one in beside] == [2, 4]
    assert "lifts `Disallow: /` of the managed block for GPTBot: crawl is permitted" in beside[0].message
    assert "which follows its own group and hears no other" in beside[1].message
    whole = found(
        f"# BEGIN Cloudflare Managed content\n{block}# END Cloudflare Managed Content\n{origin}", "lifted-block"
    )
    assert [one.line for one in whole] == [9, 11]
    assert not found(f"# END Cloudflare Managed Content\n{origin}", "lifted-block")


def test_a_group_that_merges_with_that_of_any_crawler_lacks_nothing() -> None:
    """Groups of one crawler merge: who shares the group of `*` hears its rules, and who has two groups hears both."""
    shared = "User-agent: *\nUser-agent: Googlebot\nDisallow: /private/\n\nUser-agent: Googlebot\nDisallow: /search\n"
    assert not found(shared, "rules-not-repeated")
    assert not found(f"{_ANY}{shared}", "rules-not-repeated")
    two = "\nUser-agent: Googlebot\nDisallow: /search\n\nUser-agent: Googlebot/2.1\nDisallow: /cgi-bin/\n"
    assert not found(f"{_ANY}{two}", "rules-not-repeated")
    (one,) = found(f"{_ANY}{two.replace('/cgi-bin/', '/b')}", "rules-not-repeated")
    assert (one.line, [related.line for related in one.related]) == (8, [2, 3])


def test_of_a_group_with_one_that_shares_that_of_any_crawler_the_others_are_told() -> None:
    text = "User-agent: *\nUser-agent: Googlebot\nDisallow: /a\n\nUser-agent: Googlebot\nUser-agent: Bingbot\n"
    (one,) = found(f"{text}Disallow: /b\n", "rules-not-repeated")
    assert one.message == "`Bingbot` has this group, and so no longer hears a rule of `*`: `/a`"


@pytest.mark.slow
def test_many_groups_beside_many_rules_of_any_crawler_take_no_time() -> None:
    """Each would be compared with each; no site has so many."""
    text = "User-agent: *\n" + "".join(f"Disallow: /a{number}\n" for number in range(4_000))
    text += "".join(f"User-agent: b{number}\nDisallow: /c\n" for number in range(4_000))
    begun = process_time()
    assert found(text, "rules-not-repeated")
    assert process_time() - begun < 8, "a minute before it was bounded"


def test_lines_that_join_groups_name_the_first_line_of_the_group() -> None:
    """`the group begins here` is said of its first User-agent line, not of the last before the blank."""
    text = "User-agent: a\nCrawl-delay: 1\n\nUser-agent: b\nCrawl-delay: 1\n\nUser-agent: c\nDisallow: /\n"
    told = found(text, "joined-groups")
    assert [(one.line, [related.line for related in one.related]) for one in told] == [(4, [1]), (7, [1])]


@pytest.mark.parametrize(
    "text",
    [
        "User-agent: a\nDisallow: /\n\nUser-agent: a\nDisallow: /b\n",
        "User-agent: a\nDisallow: /b\nDisallow: /c\n\nUser-agent: a\nDisallow: /c\n",
        "User-agent: a\nDisallow: /b\n\nUser-agent: a\nContent-Signal: ai-train=no\nDisallow:\n",
        "User-agent: a\nAllow: /b\n\nUser-agent: a\nAllow: /c\n",
    ],
)
def test_a_second_group_that_adds_nothing_to_the_first_is_not_told(text: str) -> None:
    """Who follows the first alone misses nothing; signals are heard by those who merge groups."""
    assert not found(text, "several-groups-for-one-crawler")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Disallow: /", "Allow: /b"),
        ("Disallow: /\nAllow: /b", "Disallow: /b/c"),
        ("Disallow: /", "Crawl-delay: 9\nDisallow: /"),
        ("Disallow:", "Disallow: /b"),
    ],
)
def test_a_second_group_that_adds_something_is_told(first: str, second: str) -> None:
    (one,) = found(f"User-agent: a\n{first}\n\nUser-agent: A\n{second}\n", "several-groups-for-one-crawler")
    assert "`A` already has a group at line 1; crawlers merge them" in one.message


def test_what_a_preset_writes_beside_groups_of_a_file_is_told_once_with_its_places() -> None:
    """The block names every crawler that trains in one group; a remark for each would be twenty about one cause."""
    own = "".join(f"User-agent: {name}\nDisallow: /a\n\n" for name in ("CCBot", "GPTBot", "ClaudeBot", "*"))
    own += "User-agent: Bytespider\nDisallow: /\n\n"
    text = preset_files("no-ai-training", kept=own.encode(), site="https://example.com/")["robots.txt"].decode()
    (one,) = found(text, "several-groups-for-one-crawler")
    assert one.message.startswith("`CCBot`, `ClaudeBot` and `GPTBot` already have groups, the first at line ")
    lines = text.splitlines()
    assert lines[one.line - 1] == "User-agent: CCBot"
    named = ["User-agent: CCBot", "User-agent: ClaudeBot", "User-agent: GPTBot"]
    assert [lines[related.line - 1] for related in one.related] == named
    assert all(related.line < one.line for related in one.related)
