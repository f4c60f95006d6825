"""The dialogue: what many sites mean, or the five steps of the guide (G 2), which are crawlers to restrictions.

Laws. A step is a question: from the answers so far it gives the answers now and the next step; it changes nothing, so
going back is removing the last item of a list. A `Prompter` asks the questions; nothing here knows terminals. Plain
words come first, ACAP's term after them in parentheses. It is one module, for each question names what may follow it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from acap.explain import RESTRICTIONS
from acap.publish.compose.blanks import blank_problem, listed, several_problem
from acap.publish.compose.contrary import contrary_lines
from acap.publish.compose.draft import ANY, SERVERS, SET, Draft, DraftError, PageRule, Rule
from acap.publish.compose.pages import word_problem
from acap.publish.compose.preview import preview
from acap.publish.compose.sentences import addressed, audience, sentence
from acap.publish.compose.starts import STARTS, Start, begun
from acap.publish.compose.talk import BackError, Choice, Prompter, Talk, pattern_of, rule_problem, without
from acap.publish.compose.text import crawler_problem, purpose_problem
from acap.restrictions import TABLE
from acap.robots import NO_ROBOTS
from acap.usages import PARENTS, above

USAGES: tuple[Choice, ...] = (
    Choice("crawl", "fetch it at all (crawl)"),
    Choice("follow", "follow its links (follow)"),
    Choice("index", "put it into a search index (index)"),
    Choice("preserve", "keep a copy of it (preserve)"),
    Choice("present", "show it to people in any form (present)"),
    Choice("present-snippet", "show snippets of it (present-snippet)"),
    Choice("present-thumbnail", "show small pictures of it (present-thumbnail)"),
    Choice("present-link", "show links to it (present-link)"),
    Choice("present-currentcopy", "show the copy that they keep (present-currentcopy)"),
    Choice("present-oldcopy", "show older copies (present-oldcopy)"),
    Choice("present-original", "show the original, fetched from your site (present-original)"),
    Choice("ai-train", "train AI models with it (ai-train)"),
    Choice("ai-input", "give it to AI models as input (ai-input)"),
    Choice("other", "use it in any other way (other)"),
)

LIMITS: dict[str, str] = {
    "time-limit": "for some time (time-limit)",
    "max-length": "up to a length (max-length)",
    "must-use-resource": "with another text or page in its place (must-use-resource)",
    "must-include-resource": "together with a credit or the like (must-include-resource)",
    "prohibited-modification": "without changing it (prohibited-modification)",
    "prohibited-context": "not in a frame of their own (prohibited-context)",
    "required-context": "only in the frame it has on your site (required-context)",
}

_EXAMPLES = {
    "time": "7-days, until-2027-03-01 or until-recrawled",
    "length": "20-words or 150-chars",
    "resource": "/teaser.html, or the-acap:extract:class:abstract for a part of the page",
}


Step: TypeAlias = Callable[[Talk, Prompter], "tuple[Talk, Step | None]"]


def converse(prompter: Prompter, draft: Draft, file: str, *, asks_file: bool = True) -> Talk:
    """The draft that a dialogue gives, and the file for its text; KeyboardInterrupt ends it without them.

    `file` is the default; `asks_file` says whether the dialogue asks for another one.
    """
    talk = Talk(draft, file=file, asks_file=asks_file)
    step: Step | None = _start
    history: list[tuple[Step, Talk]] = []
    while step is not None:
        try:
            now, following = step(talk, prompter)
        except BackError:
            if history:
                step, talk = history.pop()
            continue
        history.append((step, talk))
        # An answer that only leads to the second half of its question has nothing new to show.
        leads_on = following in _HALVES or (step is _more and following is _where)
        nothing_new = step is _samples and not any(True for _ in now.draft.rules())
        if step in _PREVIEWED and not leads_on and not nothing_new:
            _show(prompter, _PREVIEWED[step], now)
        talk, step = now, following
    return talk


def _show(prompter: Prompter, title: str, talk: Talk) -> None:
    draft = talk.tentative
    purposes = [name.replace(ANY, "x") for name in talk.purposes]
    crawlers = talk.crawlers or draft.crawlers or (ANY,)
    prompter.show(title, preview(draft, crawlers=crawlers, purposes=purposes))


# --- the questions ----------------------------------------------------------------------------------------------------


def _start(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    return _preset(talk, prompter, "What do you want to say?", _samples)


def _another(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    return _preset(talk, prompter, "What do you want to say as well?", _menu)


def _preset(talk: Talk, prompter: Prompter, question: str, following: Step) -> tuple[Talk, Step | None]:
    """What many sites mean, each with what changes for whom; or what the steps say."""
    for start in STARTS.values():
        prompter.tell([f"{start.title} ({start.name})", *(f"  {who}: {what}" for who, what in start.changes)])
    choices = [Choice(start.name, start.title) for start in STARTS.values()]
    own = "nothing of these" if following is _menu else "something else: I say it in five steps"
    chosen = prompter.choose(question, [*choices, Choice("own", own)], "own")
    if chosen == "own":
        return talk, following
    start = STARTS[chosen]
    if start.has_terms:
        return replace(talk, asked=chosen), _terms if following is _samples else _more_terms
    return _with_preset(talk, prompter, start, None), following


def _terms(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    return _licensed(talk, prompter), _samples


def _more_terms(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    return _licensed(talk, prompter), _menu


def _licensed(talk: Talk, prompter: Prompter) -> Talk:
    start = STARTS[talk.asked]

    def wrong(text: str) -> str | None:
        try:
            begun(start, talk.draft, terms=text.strip())
        except DraftError as error:
            return error.message
        return None

    terms = prompter.write("The whole URL of your licence document", "", wrong).strip()
    return _with_preset(talk, prompter, start, terms)


def _with_preset(talk: Talk, prompter: Prompter, start: Start, terms: str | None) -> Talk:
    draft = begun(start, talk.draft, terms=terms)
    prompter.tell([*contrary_lines(start, draft, terms=terms), *filter(None, (start.elsewhere,))])
    return replace(talk.only(draft), asked=start.name)


def _samples(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    text = prompter.write(
        "Which pages should the preview show? Paths or URLs, with blanks between",
        " ".join(talk.draft.samples) or "/",
        lambda text: next((_no_url(one) for one in listed(text) if _no_url(one)), None),
    )
    now = replace(talk, draft=replace(talk.draft, samples=listed(text) or ("/",)))
    return now, _menu if talk.draft.records or talk.draft.pages or talk.asked in STARTS else _who


def _no_url(text: str) -> str | None:
    if not text.startswith(("/", "http://", "https://")):
        return f"`{text}` is neither a path nor a URL; write /news/a.html"
    try:
        NO_ROBOTS.decide(text, crawler=ANY)
    except ValueError as error:
        return str(error)
    return None


def _menu(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    rules = any(True for _ in talk.draft.rules())
    choices = [Choice("add", "say what crawlers may and must not do")]
    choices += [Choice("preset", "add what many sites mean")]
    choices += [Choice("remove", "take something out")] if rules else []
    choices += [Choice("page", "state terms of pages or files in META tags and headers")]
    choices += [Choice("done", "finish and write the files")]
    done = "done" if talk.draft.records or talk.draft.pages or talk.draft.kept else "add"
    last = _server if talk.draft.pages else _file if talk.asks_file else None
    steps: dict[str, Step | None] = {"add": _who, "preset": _another, "remove": _remove, "page": _pattern, "done": last}
    return talk.only(talk.draft), steps[prompter.choose("What now?", choices, done)]


def _server(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    choices = [Choice(name, name) for name in SERVERS]
    found = prompter.choose("Which web server will send the headers?", choices, talk.draft.server)
    return replace(talk, draft=replace(talk.draft, server=found)), _file if talk.asks_file else None


def _file(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    text = prompter.write(
        "Where should the robots.txt go? `-` prints it", talk.file, lambda text: None if text.strip() else "name a file"
    )
    now = replace(talk, file=text.strip())
    return now, _overwrite if now.file != talk.file and Path(now.file).exists() else None


def _overwrite(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    choices = [Choice("no", "no, name another file"), Choice("yes", "yes, replace it")]
    return talk, None if prompter.choose(f"There is a file {talk.file}. Replace it?", choices, "no") == "yes" else _file


def _remove(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    choices = [
        Choice(str(number), " ".join(addressed(audience(record.crawlers, part.purposes), rule)))
        for number, (record, part, rule) in enumerate(talk.draft.rules())
    ]
    gone = prompter.choose_many("What should be removed?", choices)
    return replace(talk, draft=without(talk.draft, [int(one) for one in gone])), _menu


def _who(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    choices = [Choice("any", "to every crawler (`*`)"), Choice("named", "to crawlers that I name")]
    if prompter.choose("Step 1, crawlers: which crawlers do you address?", choices, "any") == "any":
        return replace(talk, crawlers=(ANY,)), _why
    return replace(talk, crawlers=()), _names


def _names(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    text = prompter.write(
        "Their names, with blanks between, such as Googlebot GPTBot", " ".join(talk.crawlers), _no_names
    )
    return replace(talk, crawlers=listed(text)), _why


def _no_names(text: str) -> str | None:
    names = listed(text)
    if not names or ANY in names:
        return "name one crawler at least"
    return next(filter(None, map(crawler_problem, names)), None)


def _why(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    choices = [
        Choice("any", "whatever they use it for"),
        Choice("some", "for some services of theirs only (usage purposes)"),
    ]
    if prompter.choose("Step 2, purposes: for which of their services?", choices, "any") == "any":
        return replace(talk, purposes=()), _where
    return talk, _purposes


def _purposes(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    def no_purposes(text: str) -> str | None:
        names = listed(text)
        return next(filter(None, map(purpose_problem, names)), None) if names else "name one purpose at least"

    text = prompter.write(
        "Their labels or web addresses, with blanks between; `*` stands for anything",
        " ".join(talk.purposes),
        no_purposes,
    )
    return replace(talk, purposes=listed(text)), _where


def _where(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    choices = [
        Choice("all", "the whole site (`/`)"),
        Choice("directory", "a directory and all below it"),
        Choice("page", "one page"),
        Choice("kind", "files of a kind, by how their names end"),
        *(
            Choice(f"{SET}{resource_set.name}", f"the set {resource_set.name}: {' '.join(resource_set.patterns)}")
            for resource_set in talk.draft.resource_sets
        ),
        Choice("pattern", "a pattern with `*` and `$`"),
    ]
    chosen = prompter.choose("Step 3, content: which part of the site?", choices, "all")
    if chosen == "all" or chosen.startswith(SET):
        return replace(talk, resources=(*talk.resources, "/" if chosen == "all" else chosen)), _more
    return replace(talk, asked=chosen), _place


_PLACES = {
    "directory": "Its path, such as /news/",
    "page": "Its path, such as /index.html",
    "kind": "How their names end, such as .pdf",
    "pattern": "The pattern, such as /public/*.html$",
}


def _place(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    text = prompter.write(_PLACES[talk.asked], "", lambda text: _no_place(talk, text))
    return replace(talk, resources=(*talk.resources, *_patterns(talk, text))), _more


def _patterns(talk: Talk, text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(pattern_of(talk.asked, one) for one in listed(text)))


def _no_place(talk: Talk, text: str) -> str | None:
    if not listed(text):
        return "write a path"
    if talk.asked != "kind" and (asked := blank_problem(text)) is not None:
        return asked
    return rule_problem(talk.draft, Rule(True, "crawl", _patterns(talk, text)))


def _more(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    places = ", ".join(talk.resources)
    choices = [Choice("done", "that is all"), Choice("more", "another part as well")]
    return talk, _where if prompter.choose(f"The rules apply to {places}", choices, "done") == "more" else _prohibit


def _prohibit(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    chosen = prompter.choose_many("Step 4, usages: what must they not do with it?", _usages(talk), talk.prohibited)
    return replace(talk, prohibited=chosen, permitted=(), limits=()), _permit


def _permit(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    choices = [usage for usage in _usages(talk) if usage.value not in talk.prohibited]
    question = (
        "What do you expressly permit? Whatever you do not mention is permitted too; choose a usage here to make an "
        "exception, or to set a limit"
    )
    chosen = prompter.choose_many(question, choices, talk.permitted)
    now = replace(talk, permitted=chosen, limits=())
    return _to_limits(now, chosen) if now.rules else (talk.only(talk.draft), _menu)


def _usages(talk: Talk) -> list[Choice]:
    own = (
        Choice(f"({usage.name})", f"what you call {usage.name}: {' '.join(usage.usages)}")
        for usage in talk.draft.local_usages
    )
    return [*USAGES, *own]


def _to_limits(talk: Talk, usages: Sequence[str]) -> tuple[Talk, Step | None]:
    """The question on the first usage that can be restricted further; a step of its own, so that one can go back."""
    for usage in usages:
        if _limits_for(talk, usage):
            return replace(talk, asked=usage), _limit
    return talk, _settle


def _limits_for(talk: Talk, usage: str) -> list[str]:
    limits = dict(talk.limits_of(usage))
    return [name for name in LIMITS if _is_for(name, usage) and name not in limits]


def _limit(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    usage = talk.asked
    choices = [Choice("none", "with nothing more" if talk.limits_of(usage) else "without a limit")]
    choices += [Choice(name, LIMITS[name]) for name in _limits_for(talk, usage)]
    words = next((choice.label for choice in _usages(talk) if choice.value == usage), usage)
    chosen = prompter.choose(f"Step 5, restrictions: they may {words}", choices, "none")
    if chosen != "none":
        return replace(talk, asked=f"{usage} {chosen}"), _limit_value
    return _to_limits(talk, talk.permitted[talk.permitted.index(usage) + 1 :])


def _is_for(name: str, usage: str) -> bool:
    """Whether a restriction is for a usage (semantics, section 6)."""
    for name_of_usage in TABLE[name].usages:
        base = name_of_usage.removesuffix("…")
        is_below = name_of_usage.endswith("…") and usage in PARENTS and base in above(usage)
        if usage in (name_of_usage, base) or is_below:
            return True
    return False


def _limit_value(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    usage, _, name = talk.asked.partition(" ")
    row = TABLE[name]

    def rule_with(value: str) -> Rule:
        return Rule(True, usage, ("/",), ((name, value),))

    if row.form == "words":
        value = row.words[0]
        if len(row.words) > 1:
            value = prompter.choose(f"{RESTRICTIONS[name]}:", [Choice(word, word) for word in row.words], value)
    else:
        question = f"{RESTRICTIONS[name].capitalize()}: {_EXAMPLES[row.form]}"
        value = prompter.write(question, "", lambda text: rule_problem(talk.draft, rule_with(text.strip()))).strip()
    now = replace(talk, limits=(*talk.limits, (usage, name, value)))
    return _to_limits(now, now.permitted[now.permitted.index(usage) :])


def _settle(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    sentences = "; ".join(sentence(rule) for rule in talk.rules)
    choices = [Choice("yes", "yes"), Choice("no", "no, discard it")]
    asked = prompter.choose(f"{audience(talk.crawlers, talk.purposes)} {sentences}. Is that right?", choices, "yes")
    return talk.only(talk.tentative if asked == "yes" else talk.draft), _menu


def _pattern(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    text = prompter.write(
        "Which pages or files? A path, or a pattern such as /drafts/*.pdf$", talk.pattern, _no_pattern
    )
    return replace(talk, pattern=text.strip()), _words


def _no_pattern(text: str) -> str | None:
    if not text.strip().startswith(("/", ANY)):
        return "start it with `/`"
    return blank_problem(text) or several_problem(text)


PAGE_WORDS: tuple[Choice, ...] = (
    Choice("noindex", "keep it out of search indexes and results (noindex)"),
    Choice("nofollow", "do not follow its links (nofollow)"),
    Choice("noarchive", "show no copies of it (noarchive)"),
    Choice("nosnippet", "show no snippets of it (nosnippet)"),
    Choice("noimageindex", "keep its images out of search indexes (noimageindex)"),
    Choice("noai", "train no AI models with it (noai)"),
    Choice("own", "something else, which I write"),
)


def _words(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    chosen = prompter.choose_many(f"What should {talk.pattern} say to every crawler?", PAGE_WORDS)
    if "own" in chosen:
        return replace(talk, prohibited=tuple(one for one in chosen if one != "own")), _own_words
    return _with_page(talk, chosen), _menu


def _own_words(talk: Talk, prompter: Prompter) -> tuple[Talk, Step | None]:
    def wrong(text: str) -> str | None:
        return next((problem for word in listed(text) if (problem := word_problem(word))), None)

    text = prompter.write("The words, with blanks between, such as max-snippet:20", "", wrong)
    return _with_page(talk, (*talk.prohibited, *listed(text))), _menu


def _with_page(talk: Talk, words: tuple[str, ...]) -> Talk:
    if not words:
        return talk.only(talk.draft)
    page = PageRule(talk.pattern, words=tuple(dict.fromkeys(words)))
    return talk.only(replace(talk.draft, pages=(*talk.draft.pages, page)))


_HALVES = (_names, _purposes, _own_words, _terms, _more_terms)
"""Steps that complete the answer to the question before."""

_PREVIEWED: dict[Step, str] = {
    _who: "To these crawlers so far",
    _names: "To these crawlers so far",
    _purposes: "For these purposes so far",
    _why: "For these purposes so far",
    _more: "With this content so far",
    _permit: "With these usages",
    _limit_value: "With this restriction",
    _settle: "The policy so far",
    _remove: "The policy so far",
    _own_words: "The policy so far",
    _samples: "The policy so far",
    _another: "The policy so far",
    _more_terms: "The policy so far",
    _words: "The policy so far",
}
