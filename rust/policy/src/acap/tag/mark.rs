//! Is the content of a META tag an ACAP statement? The mark `ACAP` at its start may be misspelt, quoted, or divided by
//! invisible characters; then the content only prohibits (P2 3).

use crate::acap::letters::Letters;
use crate::acap::name::{MARK_WORDS, Name, USAGE_WORDS, UsageName, after_mark, somewhere, words as parts};
use crate::acap::spelling::{PROHIBITING, Verb, prohibited, slip, verb};
use crate::usage::Usage;

/// The content after the word `ACAP`; none if it is not an ACAP statement.
pub(super) fn body(content: &str) -> Option<&str> {
    let content = content.trim_start_matches(is_blank);
    let head = content.get(..4).filter(|head| head.eq_ignore_ascii_case("acap"))?;
    let rest = content.get(head.len()..)?;
    let ends = rest.chars().next().is_none_or(|next| is_blank(next) || is_joint(next));
    ends.then_some(rest)
}

/// Whether a content is an ACAP statement: true if its mark is exact, false if it is misspelt or quoted, none without
/// one. With a misspelt mark it can only prohibit, and its other words count as well.
pub fn is_tag(content: &str) -> Option<bool> {
    if body(content).is_some() {
        return Some(true);
    }
    let is_near = |content: &str| nearly_body(content).is_some() || permissions(content).is_some();
    let may_be = |blank: &str| {
        let meant = shown(content, blank);
        body(&meant).is_some() || is_near(&meant)
    };
    (is_near(content) || (is_hidden(content) && (may_be("") || may_be(" ")))).then_some(false)
}

/// The content after a misspelt mark, from its first permission on; none without a permission.
pub(super) fn permissions(content: &str) -> Option<&str> {
    /// Characters searched for the first permission.
    const LONGEST: usize = 1_000;
    const VERB: &str = "allow-";
    let head = content.char_indices().nth(LONGEST).and_then(|(end, _)| content.get(..end)).unwrap_or(content);
    let lower = head.to_ascii_lowercase();
    let begins = |place: usize| {
        let before = lower.get(..place).and_then(|before| before.chars().next_back());
        before.is_some_and(|before| !before.is_alphanumeric())
    };
    let place = lower.match_indices(VERB).map(|(place, _)| place).find(|place| begins(*place))?;
    let mut joined = String::new();
    let words = lower.get(..place)?.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_marked = words.take(MARK_WORDS).any(|word| {
        joined.push_str(word);
        ["acap", "theacap"].iter().any(|mark| joined == **mark || slip(&joined, mark))
    });
    is_marked.then(|| content.get(place..)).flatten()
}

/// The prohibitions of a content with a misspelt mark; none if it is not an ACAP statement.
pub(super) fn nearly_body(content: &str) -> Option<Vec<UsageName>> {
    let mut found = nearly_marked(&plain(content)).map(|parts| nearly_stated(&parts)).unwrap_or_default();
    let hidden = Letters::of(content).marked().unwrap_or_default();
    let known: Vec<Usage> = found.iter().flat_map(meant).collect();
    found.extend(hidden.into_iter().filter(|usage| !known.contains(usage)).map(UsageName::Known));
    // As the guide prints it (G 5.10): the mark is exact, but a statement in quotation marks never permits.
    let inner = content.trim_start_matches(is_blank);
    let quoted = body(inner.trim_start_matches(|letter| is_blank(letter) || is_quote(letter)))
        .filter(|_| inner.starts_with(is_quote));
    match quoted.map(|rest| somewhere(&parts(plain(rest).replace(is_quote, " ").as_bytes()))) {
        Some(Some(Name::Disallow(usage)))
            if found.is_empty()
                || meant(&usage).iter().any(|one| !found.iter().flat_map(meant).any(|all| all == *one)) =>
        {
            found.push(usage);
            Some(found)
        }
        quoted => (quoted.is_some() || !found.is_empty()).then_some(found),
    }
}

/// The known usages of a prohibition of this.
pub(super) fn meant(about: &UsageName) -> Vec<Usage> {
    match about {
        UsageName::Known(usage) | UsageName::Plural(usage) => vec![*usage],
        UsageName::Unknown(name) => prohibited(name).map(|(usages, _)| usages).unwrap_or_default(),
        UsageName::Local(_) => Vec::new(),
    }
}

/// The parts after a misspelt mark.
pub(super) fn nearly_marked(content: &str) -> Option<Vec<String>> {
    /// The first letters, among which a misspelt mark has a `c` or a `p`.
    const SHORTEST: usize = 7;
    /// Characters searched for the mark and what it prohibits.
    const LONGEST: usize = 1_000;
    let content = content.trim_start_matches(is_blank);
    let mut letters = content.chars().filter(|letter| letter.is_alphabetic()).take(SHORTEST);
    let likely = letters.any(|letter| matches!(letter, 'c' | 'C' | 'p' | 'P'));
    if !likely {
        return None;
    }
    let head = content.char_indices().nth(LONGEST).and_then(|(end, _)| content.get(..end)).unwrap_or(content);
    after_mark(&parts(head.as_bytes())).map(|(rest, _)| rest)
}

/// The prohibitions after a misspelt mark. Everything else must be exact, except the separators.
pub(super) fn nearly_stated(parts: &[String]) -> Vec<UsageName> {
    const VERB: [&str; 1] = ["disallow"];
    let mut out = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        let after = parts.get(place.saturating_add(1)..).unwrap_or(&[]);
        let joined = || format!("{part}{}", after.first().map_or("", |next| next));
        let is_verb =
            |word: &str| matches!(verb(word), Some((Verb::Disallow, 0 | 1))) && !PROHIBITING[1..].contains(&word);
        if is_verb(part) {
            out.push(first_named(after));
        } else if is_verb(&joined()) {
            out.push(first_named(after.get(1..).unwrap_or(&[])));
        } else if let Some(usage) = VERB.iter().find_map(|verb| part.strip_prefix(verb)) {
            let all: Vec<String> = std::iter::once(usage.to_owned()).chain(after.iter().cloned()).collect();
            out.push(first_named(&all));
        }
    }
    out
}

/// The usage that the first parts name: the longest known one, else the first part.
fn first_named(parts: &[String]) -> UsageName {
    let named = |count: usize| Some(UsageName::of(trim_end(&parts.get(..count)?.join("-"))));
    let known = (1..=USAGE_WORDS).rev().filter_map(named).find(UsageName::needs_no_guess);
    known.or_else(|| named(1)).unwrap_or_else(UsageName::none)
}

/// A text with all blanks as plain spaces, as the grammar has them.
pub(super) fn plain(text: &str) -> String {
    text.replace(is_blank, " ")
}

pub(super) fn is_quote(letter: char) -> bool {
    matches!(letter, '"' | '\'' | '\u{2018}'..='\u{201F}' | '\u{AB}' | '\u{BB}')
}

/// White space of HTML, and the no-break space.
pub(super) fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\x0C' | '\r' | '\u{A0}')
}

/// Whether real pages put a character between `ACAP` and the statement.
pub(super) fn is_joint(letter: char) -> bool {
    matches!(letter, ':' | '-' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

/// Whether a character hides a part of a name: a control character, or an invisible one. U+FFFD stands for NUL in HTML,
/// and for octets that could not be decoded.
fn is_unseen(letter: char) -> bool {
    let hides = matches!(letter, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{FFFD}');
    hides || (letter.is_control() && !is_blank(letter))
}

/// The octets of U+FEFF, as a header has them.
const OCTETS_OF_MARK: &str = "\u{EF}\u{BB}\u{BF}";

/// Whether a name or purpose has an invisible character, so that it may be another.
pub fn is_hidden(name: &str) -> bool {
    name.contains(is_unseen) || name.contains(OCTETS_OF_MARK)
}

/// A text with each invisible character replaced.
pub(super) fn shown(text: &str, by: &str) -> String {
    text.replace(OCTETS_OF_MARK, by).replace(is_unseen, by)
}

/// A word without the punctuation marks after it.
pub(super) fn trim_end(word: &str) -> &str {
    word.trim_end_matches([',', ';', ':'])
}
