"""A slip in a keyword never loosens: what prohibits still does, and what permits never permits by it.

A slip is one insertion, deletion, replacement or exchange of neighbours. Keywords are the mark, the verb, the names of
fields, usages and qualifiers; names, paths, purposes and values are none. A sample of all slips with the printable
characters is tried, by `ACAP_SEED`; under the profile `soak` every one. A `#` is none of them: it begins a comment.
"""

from __future__ import annotations

import html
import os
import re
import string
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import acap
from tests import reference
from tests.portions import at_length
from tests.property.vocabulary import STANDARD
from tests.reference.page import read_page
from tests.reference.page_hearing import Site
from tests.reference.page_resolution import PageCrawler, decide_page
from tests.reference.slips import fold, slips
from tests.reference.usages import COMPOSITES, USAGES, plurals

LETTERS = "".join(sorted({*string.ascii_lowercase, *string.digits, *string.punctuation, " ", "\xa0", "é"} - {"#"}))
PRINTABLE = "".join(map(chr, range(0x20, 0x7F))) + "\té"
DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015"
CONTROL = b"\x00"
SITE = "http://site.example"
USAGES_ASKED = tuple(dict.fromkeys((*STANDARD, "search")))
Answer = tuple[bool, frozenset[tuple[str, str]]]
Asked = tuple[str, str | None, str, str]
Answers = dict[Asked, Answer]
Engine = Callable[..., Answers]
ROBOTS_ASKED: tuple[Asked, ...] = tuple(product(("bot", "other"), (None, "news"), USAGES_ASKED, ("/a", "/b")))


def slips_of(keyword: str, letters: str = LETTERS) -> Iterator[str]:
    """The texts one slip from a keyword, by one of so many letters."""
    for at, letter in enumerate(keyword):
        yield keyword[:at] + keyword[at + 1 :]
        yield from (keyword[:at] + odd + keyword[at + 1 :] for odd in letters if odd != letter)
        if at and letter != keyword[at - 1]:
            yield keyword[: at - 1] + letter + keyword[at - 1] + keyword[at + 1 :]
    for at in range(len(keyword) + 1):
        yield from (keyword[:at] + odd + keyword[at:] for odd in letters)


def test_one_slip_is_counted_as_many_are() -> None:
    """Whether one slip makes one word the other is told without counting slips, of all words of four letters."""
    words = ["".join(letters) for length in range(5) for letters in product("abc", repeat=length)]
    for one, other in product(words, repeat=2):
        assert reference.slips.slipped(one, other) == (slips(one, other) <= 1), (one, other)


def some_slips(keyword: str, every: int = 17, letters: str = LETTERS) -> list[str]:
    """One in so many of the texts one slip from a keyword; all of them where laws are tried at length.

    Those that begin as a resource does are always among them, those that end a name too early, and those that end with
    the `s` of the plural, a `=` or a `:`.
    """
    found = list(slips_of(keyword, letters))
    chosen = Random(f"{os.environ.get('ACAP_SEED', '1')} {keyword}")
    if at_length():
        return found
    longer = [keyword + letter for letter in "s=:"]
    misleading = [one for one in found if one[:1] in ("/", "*") or one.replace(":", "-") == keyword or one in longer]
    return list(dict.fromkeys([*misleading, *chosen.sample(found, len(found) // every)]))


def by_native(text: str | bytes, asked: Iterable[Asked] = ROBOTS_ASKED) -> Answers:
    """What a robots.txt says to two crawlers, for a purpose or none, on each usage of two paths."""
    policy = acap.parse_robots(text, url=f"{SITE}/robots.txt")
    found: Answers = {}
    for crawler, purpose, usage, path in asked:
        decision = policy.decide(path, crawler=crawler, usage=usage, purpose=purpose)
        held = frozenset((each.name, each.value) for each in decision.restrictions)
        found[crawler, purpose, usage, path] = decision.permitted, held
    return found


FEW_ASKED: tuple[Asked, ...] = tuple(("bot", "news", one, "/a") for one in ("crawl", "index", "present-snippet", "tdm"))


def by_reference(text: str | bytes, asked: Iterable[Asked] = FEW_ASKED) -> Answers:
    """The same of the other engine, of fewer usages."""
    policy = reference.read(text, url=f"{SITE}/robots.txt")
    found: Answers = {}
    for crawler, purpose, usage, path in asked:
        decision = reference.decide(policy, path, crawler=crawler, usage=usage, purpose=purpose)
        held = frozenset((each[0], each[1]) for each in decision.restrictions)
        found[crawler, purpose, usage, path] = decision.outcome == "permitted", held
    return found


def is_looser(answer: Answer, than: Answer) -> bool:
    """Whether an answer permits what another does not, or restricts less."""
    return answer[0] and not (than[0] and than[1] <= answer[1])


def prohibited(answers: Answers) -> list[Asked]:
    """What was asked and is not permitted: of all else no answer permits more."""
    return [asked for asked, (permitted, _) in answers.items() if not permitted]


def bounded(answers: Answers) -> list[Asked]:
    """What was asked and is not permitted without restrictions: of all else no answer is looser."""
    return [asked for asked, answer in answers.items() if answer != (True, frozenset())]


IGNORING = "ACAP-ignore-conventional-records"
PROHIBITIONS = {
    **{f"ACAP-disallow-{usage}": "ACAP-crawler: *\n{}: /a\n" for usage in (*STANDARD[1:], *COMPOSITES)},
    **{f"ACAP-allow-{usage}": "ACAP-crawler: *\n{}: /a foo=bar\n" for usage in STANDARD[1:]},
    "ACAP-crawler": "ACAP-crawler: other\nACAP-allow-index: /\n{}: bot\nACAP-disallow-index: /a\n",
    "acap-crawler": "ACAP-crawler: other\n{}: bot\nACAP-disallow-index: /a\n",
    "ACAP-Crawler": "ACAP-crawler: bot\nACAP-alow-index: /\n{}: other\nACAP-disallow-follow: /\n",
    "ACAP-usage-purpose": "ACAP-crawler: *\n{}: news\nACAP-disallow-present: /\n",
    "ACAP-permissions-reference": "ACAP-crawler: *\n{}: /ref.txt\n",
    "ACAP-request-take-down": "ACAP-crawler: *\n{}: /a\n",
    "ACAP-request-re-crawl": (
        "ACAP-crawler: *\nACAP-disallow-index: /\nACAP-crawler: bot\n{}: /a\n"
        "ACAP-crawler: other\nACAP-allow-index: /a\n"
    ),
    "ACAP-resource-set": (
        "ACAP-resource-set: st /b\n{}: s /a\nACAP-resource-set: s /b\n"
        "ACAP-crawler: *\nACAP-disallow-index: the-acap:resource-set:s\n"
    ),
    "the-acap:resource-set": "ACAP-resource-set: s /a\nACAP-crawler: *\nACAP-disallow-index: {}:s\n",
    "acap:resource-set": "ACAP-resource-set: s /a\nACAP-crawler: *\nACAP-disallow-index: {}:s\n",
    "ACAP-qualified-usage": "{}: q index time-limit=1-days\nACAP-crawler: *\nACAP-disallow-(q): /a\n",
    "ACAP-composite-usage": "{}: c index preserve\nACAP-crawler: *\nACAP-disallow-(c): /a\n",
    "index": "ACAP-qualified-usage: q {} time-limit=1-days\nACAP-crawler: *\nACAP-disallow-(q): /a\n",
    "preserve": "ACAP-composite-usage: c index {}\nACAP-crawler: *\nACAP-disallow-(c): /a\n",
    "ACAP-version": (
        "{}: 1.0\nACAP-crawler: *\nACAP-disallow-index: /\nACAP-allow-index: /a must-use-resource=the-acap:idlist:x\n"
    ),
}
"""Each keyword in a text that prohibits by it."""

PERMISSIONS = {
    **{
        f"ACAP-allow-{usage}": f"ACAP-crawler: *\nACAP-disallow-{usage}: /\n{{}}: /a time-limit=10-days\n"
        for usage in STANDARD[1:]
    },
    "ACAP-allow-present-snippet": "ACAP-crawler: *\nACAP-disallow-present: /\n{}: /a max-length=20-words\n",
    "ACAP-allow-follow": (
        "ACAP-crawler: *\nACAP-disallow-index: /\nACAP-crawler: bot\n{}: /a\n"
        "ACAP-crawler: other\nACAP-allow-index: /a\n"
    ),
    "ACAP-allow-(q)": (
        "ACAP-qualified-usage: q index time-limit=1-days\nACAP-crawler: *\nACAP-disallow-index: /\n{}: /a\n"
    ),
    "allow-present-snippet": "ACAP-crawler: *\nACAP-disallow-present: /\nACAP-{} /a max-length=20-words\n",
    "time-limit": "ACAP-crawler: *\nACAP-disallow-index: /\nACAP-allow-index: /a {}=10-days\n",
    "must-use-resource": "ACAP-crawler: *\nACAP-allow-index: /\nACAP-allow-index: /a {}=/sum.txt\n",
    IGNORING: "User-agent: *\nDisallow: /\n{}\nACAP-crawler: *\nACAP-allow-index: /\n",
    "ACAP-crawler": "ACAP-crawler: *\nACAP-disallow-index: /\n{}: bot\nACAP-allow-index: /a\n",
    "ACAP-usage-purpose": "ACAP-crawler: *\nACAP-disallow-index: /\n{}: news\nACAP-allow-index: /a\n",
    "acap-usage-purpose": "ACAP-crawler: *\nACAP-disallow-index: /\nACAP-crawler: *\n{}: news\nACAP-allow-index: /\n",
    "ACAP-resource-set": (
        "{}: s /a\nACAP-crawler: *\nACAP-disallow-index: /\nACAP-allow-index: the-acap:resource-set:s\n"
    ),
    "ACAP-qualified-usage": (
        "{}: q index time-limit=1-days\nACAP-crawler: *\nACAP-disallow-index: /\nACAP-allow-(q): /a\n"
    ),
}
"""Each keyword in a text that permits by it."""

ENGINES = pytest.mark.parametrize(("engine", "every"), [(by_native, 251), (by_reference, 997)])


@ENGINES
@pytest.mark.parametrize("keyword", PROHIBITIONS)
def test_a_slip_in_a_prohibition_of_robots_txt_prohibits_as_much(engine: Engine, every: int, keyword: str) -> None:
    """A text with one slip in a keyword of a prohibition prohibits at least what the right one prohibits."""
    spaced = PROHIBITIONS[keyword]
    right = engine(spaced.format(keyword))
    assert not all(permitted for permitted, _ in right.values()) or engine is by_reference
    for number, slipped in enumerate(some_slips(keyword, every)):
        text = spaced if number % 2 else spaced.replace("{}: ", "{}:")
        answers = engine(text.format(slipped), prohibited(right))
        looser = [asked for asked, (permitted, _) in answers.items() if permitted]
        assert not looser, (text.format(slipped), looser)


@ENGINES
@pytest.mark.parametrize("keyword", PERMISSIONS)
def test_a_slip_in_a_permission_of_robots_txt_never_permits(engine: Engine, every: int, keyword: str) -> None:
    """One slip in a keyword of a permission is no looser than the text without the line.

    Where it is read as the right one (by its dashes, by the plural, by a colon that need not be there), it is no looser
    than that.
    """
    spaced = PERMISSIONS[keyword]
    right = engine(spaced.format(keyword))
    without = engine("".join(line for line in spaced.splitlines(keepends=True) if "{}" not in line))
    for number, slipped in enumerate(some_slips(keyword, every)):
        text = spaced if number % 2 else spaced.replace("{}: ", "{}:")
        answers = engine(text.format(slipped), bounded(without))
        is_plural = keyword.removeprefix("ACAP-").startswith("allow-present-") and slipped == keyword + "s"
        is_right = is_plural or fold(slipped) == fold(keyword) or slipped in (f"{IGNORING}:", "allow-present-snippet:")
        looser = [
            asked
            for asked, answer in answers.items()
            if is_looser(answer, without[asked]) and not (is_right and not is_looser(answer, right[asked]))
        ]
        assert not looser, (text.format(slipped), looser)


def controlled(keyword: str, every: int) -> Iterator[tuple[bytes, bool]]:
    """A keyword with a control character at some octet, some with a long dash; whether that stands within the dash."""
    chosen = Random(f"{os.environ.get('ACAP_SEED', '1')} {keyword}")
    hyphens = [at for at, letter in enumerate(keyword) if letter == "-"]
    found = []
    for dash in DASHES:
        for hyphen in hyphens or [len(keyword)]:
            octets = (keyword[:hyphen] + dash + keyword[hyphen + 1 :] if hyphens else keyword).encode()
            within = range(hyphen + 1, hyphen + len(dash.encode()))
            found += [(octets[:at] + CONTROL + octets[at:], at in within) for at in range(len(octets) + 1)]
    divided = [one for one in found if one[1]]
    yield from dict.fromkeys([*chosen.sample(divided, len(divided) // 6), *chosen.sample(found, len(found) // every)])


@ENGINES
@pytest.mark.parametrize("keyword", PROHIBITIONS)
def test_a_control_character_in_a_prohibition_prohibits_as_much(engine: Engine, every: int, keyword: str) -> None:
    """Wherever in a keyword a control character stands, within a dash of several octets too, as much is prohibited."""
    spaced = PROHIBITIONS[keyword]
    right = engine(spaced.format(keyword))
    for odd, _ in controlled(keyword, every):
        answers = engine(spaced.encode().replace(b"{}", odd), prohibited(right))
        looser = [asked for asked, (permitted, _) in answers.items() if permitted]
        assert not looser, (odd, looser)


@ENGINES
@pytest.mark.parametrize("keyword", PERMISSIONS)
def test_a_control_character_in_a_permission_never_permits_more(engine: Engine, every: int, keyword: str) -> None:
    """A permission with a control character in a keyword is no looser than the right one; where the control character
    stands within a dash, no looser than the text without the line."""
    spaced = PERMISSIONS[keyword]
    right = engine(spaced.format(keyword))
    without = engine("".join(line for line in spaced.splitlines(keepends=True) if "{}" not in line))
    for odd, is_divided in controlled(keyword, every):
        answers = engine(spaced.encode().replace(b"{}", odd), bounded(without))
        looser = [
            asked
            for asked, answer in answers.items()
            if is_looser(answer, without[asked]) and (is_divided or is_looser(answer, right[asked]))
        ]
        assert not looser, (odd, looser)


@pytest.mark.parametrize("field", ["ACAP-disallow-index: ", "ACCP-disallow-indx index ", "AC-AP-disallow-(q):"])
def test_both_engines_find_a_set_behind_a_control_character_within_a_dash(field: str) -> None:
    """The prefix of a set with a slip in its mark, and a control character at any octet, is alike to both."""
    for slipped in some_slips("the-acap", 307):
        for odd, _ in controlled(f"{slipped}:resource-set:s", 97):
            text = b"ACAP-resource-set: s /a\nACAP-crawler: *\n" + field.encode() + odd + b"\n"
            ours, theirs = by_native(text, FEW_ASKED), by_reference(text)
            assert all(ours[asked][0] == answer[0] for asked, answer in theirs.items()), text


ASKED_OF_REFERENCE = ("index", "present-snippet", "tdm")
Headers = dict[str, str]


def of_page(
    page: str, headers: Headers | None = None, robots: str | None = None, asked: Iterable[str] = USAGES_ASKED
) -> dict[str, bool]:
    """Whether a page permits each usage that is asked."""
    policy = acap.parse_page(f"<!doctype html>{page}<p>x", url=f"{SITE}/a", headers=headers or {})
    site = None if robots is None else acap.parse_robots(robots, url=f"{SITE}/robots.txt")
    return {
        one: acap.decide(f"{SITE}/a", crawler="bot", usage=one, page=policy, robots=site).permitted for one in asked
    }


def of_page_by_reference(
    page: str, headers: Headers | None = None, robots: str | None = None, asked: Iterable[str] = ASKED_OF_REFERENCE
) -> dict[str, bool]:
    """The same of the other engine, of fewer usages."""
    read = read_page(f"<!doctype html>{page}<p>x", url=f"{SITE}/a", headers=headers or {})
    site = None if robots is None else Site.read(robots.encode(), f"{SITE}/robots.txt")
    asker = PageCrawler(("bot",))
    return {
        one: decide_page(read, f"{SITE}/a", crawler=asker, usage=one, site=site).outcome == "permitted" for one in asked
    }


PAGE_ENGINES = pytest.mark.parametrize(("engine", "every"), [(of_page, 16), (of_page_by_reference, 240)])


def refused(answers: dict[str, bool]) -> list[str]:
    """The usages that are not permitted: of all others no answer permits more."""
    return [one for one, permitted in answers.items() if not permitted]


def written(content: str, name: str = "robots") -> str:
    """A META tag."""
    return f'<meta name="{name}" content="{html.escape(content)}">'


def assert_prohibits_as_much(engine: Any, keyword: str, every: int, *asked: Callable[[str], Any]) -> None:
    """With any one slip, each way to say it prohibits what it does without."""
    for ask in asked:
        right = engine(*ask(keyword))
        assert not all(right.values())
        for slipped in some_slips(keyword, every, PRINTABLE):
            answers = engine(*ask(slipped), asked=refused(right))
            assert not any(answers.values()), (slipped, ask(slipped), answers)


@PAGE_ENGINES
@pytest.mark.parametrize("usage", STANDARD[1:])
def test_a_slip_in_a_prohibition_of_a_meta_tag_or_a_header_prohibits_as_much(
    engine: Any, every: int, usage: str
) -> None:
    """With one slip in a keyword, any sign that can be typed among them, META tag and header prohibit what they did."""
    if engine is of_page or usage in ASKED_OF_REFERENCE:
        few = every * (1 if usage == "index" else 6)
        assert_prohibits_as_much(
            engine, f"ACAP disallow-{usage}", few, lambda said: (written(said),), lambda said: ("", in_header(said))
        )


def in_header(said: str) -> Headers:
    """A header that says what a META tag of ACAP says."""
    return {"X-Robots-Tag": said.encode("ascii", "ignore").decode()}


WIDE = "\x85\xa0\u1680\u2000\u2003\u2005\u200a\u2028\u2029\u202f\u205f\u2060\u3000\ufffd"


@PAGE_ENGINES
@pytest.mark.parametrize("keyword", ["noindex", "nosnippet", "none", "max-snippet: 0"])
def test_a_blank_as_octets_in_a_header_never_loosens_its_word(engine: Any, every: int, keyword: str) -> None:
    """A blank of several octets, as a server sends it, around a word of a header: as much is prohibited."""
    right = engine("", {"X-Robots-Tag": keyword})
    assert not all(right.values())
    for blank in WIDE[:: 1 if every < 100 else 3]:
        octets = blank.encode().decode("latin-1")
        for value in (keyword + octets, octets + keyword, f"{keyword}{octets}, all", f"bot:{octets}{keyword}{octets}"):
            assert not any(engine("", {"X-Robots-Tag": value}, asked=refused(right)).values()), value


headers_with_blanks = st.lists(
    st.one_of(
        st.sampled_from(
            ("noindex", "nosnippet", "none", "bot", ":", ",", "all", "max-snippet:5", "unavailable_after:")
        ),
        st.sampled_from(("25 Jun 2010", "no", "index", "x", "\xc2", "\xe2\x80", " ")),
        st.sampled_from(WIDE).map(lambda blank: blank.encode().decode("latin-1")),
    ),
    max_size=7,
).map("".join)


@given(headers_with_blanks)
def test_blanks_as_octets_are_read_as_the_characters(value: str) -> None:
    """A header says the same whether a blank came as a character or as its octets."""
    decoded = value
    for blank in WIDE:
        decoded = decoded.replace(blank.encode().decode("latin-1"), blank)
    assert of_page("", {"X-Robots-Tag": value}) == of_page("", {"X-Robots-Tag": decoded})


@PAGE_ENGINES
def test_a_mark_behind_other_words_prohibits_with_a_slip_too(engine: Any, every: int) -> None:
    """`noarchive, ACAP disallow-index` prohibits in a META tag as in a header, whatever one slip makes of it."""
    assert_prohibits_as_much(
        engine,
        "ACAP disallow-index",
        3 * every,
        lambda said: (written(f"follow, {said}"),),
        lambda said: ("", in_header(f"bot: {said}")),
    )


@PAGE_ENGINES
@pytest.mark.parametrize("usage", ["index", "present", "present-snippet", "tdm"])
def test_a_slip_in_a_permission_of_a_meta_tag_never_permits(engine: Any, every: int, usage: str) -> None:
    """Beside a prohibition of the same usage a permission with one slip in a keyword lifts nothing of another."""
    robots = f"ACAP-crawler: *\nACAP-disallow-{usage}: /\n"

    asked = refused(engine(written(""), None, robots))

    def permitted(content: str) -> set[str]:
        answers = engine(written(content), None, robots, asked)
        return {one for one, is_permitted in answers.items() if is_permitted}

    right = permitted(f"ACAP allow-{usage}")
    for slipped in some_slips(f"ACAP allow-{usage}", 4 * every, PRINTABLE):
        assert permitted(slipped) <= right, slipped
    for name, value in (("time-limit", "10-days"), ("prohibited-modification", "any"), ("must-use-resource", "/s")):
        for slipped in some_slips(name, 6 * every, PRINTABLE):
            if slipped.strip(" \t,;").lower() != name:
                said = permitted(f"ACAP allow-{usage} {slipped}={value}")
                # The purpose of another is no purpose of ours.
                assert not said, slipped


def slipped_tag(random: Random) -> str:
    """A content of ACAP of some words, with several slips."""
    words = ["allow", "disallow", "allow-", "disallow-", "*", "stray", "time-limit=3-days", "foo=bar", "block", "dis"]
    said = [f"{verb}-{usage}" for verb in ("allow", "disallow") for usage in ("index", "follow", "tdm", "(q)", "indx")]
    text = "ACAP "
    for _ in range(random.randint(1, 4)):
        text += random.choice(said if random.random() < 0.7 else words)
        text += random.choice((" ", " ", ", ", ",", ";", " ,"))
    for _ in range(random.randint(0, 3)):
        at = random.randrange(len("ACAP "), len(text) + 1)
        text = text[:at] + random.choice((*",;. -:=x'\"(al", "")) + text[at + random.randrange(2) :]
    return text


@PAGE_ENGINES
def test_a_prohibition_behind_slips_prohibits_every_question(engine: Any, every: int) -> None:
    """A usage that a tag disallows as it should is prohibited whatever stands before, but for a name: a purpose."""
    random = Random(f"{os.environ.get('ACAP_SEED', '1')} tags")
    for _ in range(32_000 // every // 4):
        content = slipped_tag(random)
        purposed = re.match(r"ACAP [\W]*(?:stray|block|\w*(?<!allow)[ ,;.])", content)
        for usage in re.findall(r"(?<=[ ,;])disallow-(index|tdm)(?=[ ,;]|\Z)", "" if purposed else content):
            assert not engine(written(content))[usage], content


BEGUN: tuple[str, ...] = (
    "disallow-{}",
    "disallow {}",
    "dis allow-{}",
    "dissallow-{}",
    "disallow_{}=x",
    "({})",
    "x=disallow-{}",
    "{}",
)
BEGUN += ("(disallow-{})", "news disallow-{}", "deny-{}", "allow-{}", "disallow-all, {}", "AACP disallow-{}")


@pytest.mark.parametrize("mark", ["ACAP ", "ACAP", "AACP "])
def test_a_prohibition_more_in_a_tag_never_permits_more(mark: str) -> None:
    """What a tag prohibits it prohibits with a further prohibition at its end, too, however it is written."""
    for begun, usage, joint, more in product(
        BEGUN, ("index", "follow"), (" ", ", ", " ,", ";"), ("index", "follow", "all")
    ):
        content = mark + begun.format(usage)
        answers = of_page(written(content))
        longer = of_page(written(f"{content}{joint}disallow-{more}"))
        assert not [one for one in refused(answers) if longer[one]], (content, joint, more)


@pytest.mark.parametrize("joint", [",", ";", ",the-acap:", "/the-acap:"])
def test_a_prohibition_more_in_a_token_never_permits_more(joint: str) -> None:
    """The links below an element are refused with a further prohibition in its token, too."""
    for usage, more in product(("follow", "all", "present"), ("follow", "preserve", "all")):
        html = f'<p class="the-acap:disallow-{usage}{joint}disallow-{more}"><a href="/x">x</a>'
        (link,) = acap.parse_page(html, url=f"{SITE}/a").links(crawler="bot")
        assert link.decision.permitted == (usage == "present" and more == "preserve"), html


@pytest.mark.parametrize("usage", ["index", "present", "present-snippet", "tdm"])
def test_a_slip_in_a_prohibition_of_a_class_prohibits_as_much(usage: str) -> None:
    """With one slip in a keyword, a blank among them, a token of a class leaves out at least what it should."""
    for prefix in ("the-acap:", "acap:"):
        right = of_class(f"{prefix}disallow-{usage}")
        assert usage not in right
        others = [one for one in USAGES_ASKED if one not in right]
        for slipped in some_slips(f"{prefix}disallow-{usage}", 41, PRINTABLE):
            assert not of_class(slipped, others), slipped


def of_class(token: str, asked: Iterable[str] = USAGES_ASKED) -> set[str]:
    """The usages, of those asked, for which an element with a token in its class may be used."""
    page = f'<!doctype html><body><div class="{html.escape(token)}">secret</div>'
    policy = acap.parse_page(page, url=f"{SITE}/a")
    return {one for one in asked if "secret" in policy.content_for(one, crawler="bot").text}


def test_a_slip_in_a_class_excludes_in_the_other_engine_too() -> None:
    """The reference leaves the element out as well, so that a crawler without elements has the page prohibited."""
    for slipped in some_slips("the-acap:disallow-index", 30, PRINTABLE):
        page = read_page(f'<!doctype html><body><div class="{html.escape(slipped)}">secret</div>', url=f"{SITE}/a")
        asker = PageCrawler(("bot",), elements=False)
        assert decide_page(page, f"{SITE}/a", crawler=asker, usage="index").outcome == "prohibited", slipped


def test_a_slip_in_a_permission_of_a_class_never_permits() -> None:
    """Within an element that is left out a token with one slip in a permission brings nothing back."""
    for slipped in some_slips("the-acap:allow-index", 6, PRINTABLE):
        page = f'<!doctype html><body><div class="the-acap:disallow-index"><p class="{html.escape(slipped)}">secret'
        text = acap.parse_page(page, url=f"{SITE}/a").content_for("index", crawler="bot").text
        assert "secret" not in text or fold(slipped) == "theacap:allowindex", slipped


def test_no_text_is_one_slip_from_two_usages() -> None:
    """Known usages are at least three slips apart; `aindex` and `iindex` alone are near two, and prohibit both."""
    forms = {fold(form): usage for usage in (*USAGES, *COMPOSITES) for form in (usage, *plurals(usage))}
    near = {
        frozenset((forms[one], forms[other]))
        for one, other in combinations(forms, 2)
        if forms[one] != forms[other] and abs(len(one) - len(other)) <= 2 and slips(one, other) <= 2
    }
    assert near == {frozenset(("index", "ai-index"))}
    for name in ("aindex", "iindex"):
        policy = acap.parse_robots(f"ACAP-crawler: *\nACAP-disallow-{name}: /\n")
        assert not any(policy.decide("/", crawler="bot", usage=usage).permitted for usage in ("index", "ai-index"))
