//! The words of a META tag's content → segments: each a statement's effect and usage, with the words after it.

use std::collections::BTreeSet;

use super::mark::{is_blank, is_joint, is_quote, trim_end};
use super::reader::Reader;
use crate::acap::letters::Letters;
use crate::acap::name::{
    Name, USAGE_WORDS, UsageName, VERBS, is_either_verb, normal, normal_text, stated, words as parts,
};
use crate::acap::resource::divides;
use crate::acap::spelling::{PROHIBITING, prohibited};
use crate::acap::value::{qualifier_name, tokens};
use crate::file::restriction;
use crate::problems::Code;
use crate::restrictions::{self, Carrier};
use crate::statement::Effect;

/// A statement with the words after it, up to the next statement.
pub(super) struct Segment<'w> {
    pub(super) effect: Effect,
    pub(super) about: UsageName,
    /// It is a misspelt permission, which lifts nothing, or a prohibition that may be one.
    pub(super) slipped: bool,
    /// The words that name effect and usage.
    pub(super) words: Vec<&'w str>,
    pub(super) rest: Vec<&'w str>,
}

/// A statement that a word begins.
struct Begun {
    effect: Effect,
    about: UsageName,
    /// Number of words after it that belong to its name.
    used: usize,
    /// It is a misspelt permission, or a prohibition that may be one.
    slipped: bool,
}

impl Begun {
    fn new(effect: Effect, about: UsageName, used: usize) -> Self {
        Self { effect, about, used, slipped: false }
    }
}

impl Segment<'_> {
    /// The qualifiers and other words after it.
    pub(super) fn tokens(&self) -> Vec<Vec<u8>> {
        tokens(self.rest.join(" ").as_bytes())
    }

    /// The words that belong to no qualifier.
    pub(super) fn stray(&self) -> Vec<String> {
        let words = self.tokens().into_iter().filter(|token| qualifier_name(token).is_none());
        let words = words.map(|token| String::from_utf8_lossy(&token).trim_end_matches([',', ';']).to_owned());
        words.filter(|word| !word.is_empty()).collect()
    }

    /// The words that are not exact qualifiers.
    fn strange(&self) -> Vec<String> {
        let read = Carrier { page: true, sets: true, others: false };
        let texts = self.tokens().into_iter().map(|token| String::from_utf8_lossy(&token).into_owned());
        texts.filter(|text| restriction(text.trim_end_matches([',', ';']), read).is_err()).collect()
    }
}

/// The words that are not exact qualifiers, in the order of the tag: a typo may have hidden a prohibition among them.
/// The text with the first statement, which alone may be a prohibition for a purpose, and the others.
///
/// Each statement begins a new text, as it spells nothing together with the word before it, unless the two are a
/// divided `disallow`.
pub(super) fn unread(purposes: &[&str], segments: &[Segment<'_>]) -> (String, Vec<String>) {
    let letters = |word: Option<&str>| word.unwrap_or("").chars().filter(|letter| letter.is_alphanumeric()).collect();
    let mut texts = Vec::new();
    let mut text: Vec<String> = purposes.iter().map(|word| (*word).to_owned()).collect();
    let mut begins_anew = false;
    for (place, segment) in segments.iter().enumerate() {
        let before: String = letters(text.last().map(String::as_str));
        let begins: String = letters(segment.words.first().copied());
        if !divides("disallow", &before, &begins) {
            texts.push(std::mem::take(&mut text).join(" "));
            begins_anew = begins_anew || place == 0;
        }
        text.extend(segment.words.iter().map(|word| (*word).to_owned()));
        text.extend(segment.strange());
    }
    texts.push(text.join(" "));
    let own = texts.remove(usize::from(begins_anew));
    texts.extend(segments.first().map(|segment| segment.strange().join(" ")));
    (own, texts)
}

impl Reader {
    /// `ACAP-meta-tag-content = "ACAP" 1*WSP (version / permission / prohibition)` (P2 3), without its mark
    ///
    /// The statements among words, the purposes before the first one, and the number of versions.
    pub(super) fn segments<'w>(&mut self, words: &[&'w str]) -> (Vec<Segment<'w>>, Vec<&'w str>, usize) {
        let mut purposes: Vec<&str> = Vec::new();
        let mut segments: Vec<Segment<'_>> = Vec::new();
        let mut versions = 0usize;
        let mut at = 0usize;
        // Each prohibition is a statement, whatever follows it.
        let mut prohibitions = 0usize;
        while let Some(word) = words.get(at).copied().filter(|_| prohibitions <= self.most) {
            at = at.saturating_add(1);
            if word.eq_ignore_ascii_case("version") && words.get(at).is_some_and(|next| is_version(trim_end(next))) {
                at = at.saturating_add(1);
                versions = versions.saturating_add(1);
                continue;
            }
            let after = words.get(at..).unwrap_or(&[]);
            let permits = segments.last().is_some_and(|last| last.effect == Effect::Permits);
            if let Some(used) = Some(nearly_qualifier(word, after)).filter(|used| permits && *used > 0) {
                let from = at.saturating_sub(1);
                at = from.saturating_add(used);
                let all = words.get(from..at).unwrap_or(&[]);
                segments.last_mut().into_iter().for_each(|segment| segment.rest.extend(all));
                continue;
            }
            if let Some(Begun { effect, about, used, slipped }) = self.statement(word, after, segments.is_empty()) {
                at = at.saturating_add(used);
                prohibitions = prohibitions.saturating_add(usize::from(effect == Effect::Prohibits));
                let words = std::iter::once(word).chain(after.iter().copied().take(used)).collect();
                segments.push(Segment { effect, about, slipped, words, rest: Vec::new() });
                continue;
            }
            match segments.last_mut() {
                Some(segment) => segment.rest.push(word),
                // Commas and semicolons alone are a slip, which a permission must not overlook.
                None => {
                    let bare = word.trim_end_matches([',', ';']);
                    purposes.push(if bare.is_empty() { word } else { bare });
                }
            }
        }
        (segments, purposes, versions)
    }

    /// `"allow-" ACAP-usage-name ["-" used-resource-type-name]`, or with `"disallow-"` (P2 3)
    ///
    /// The statement that a word begins. `due`: it would be the first of the tag.
    fn statement(&mut self, word: &str, after: &[&str], due: bool) -> Option<Begun> {
        let bare = trim_end(word);
        let lower = bare.to_ascii_lowercase();
        let verbs = ["disallow-", "disallow=", "allow="];
        if bare.contains('=') && !verbs.iter().any(|verb| lower.starts_with(verb)) {
            // Before the first statement the word is not a qualifier.
            return match stated(&parts(bare.trim_matches(is_quote).as_bytes()), true).filter(|_| due)?.0 {
                Name::Allow(usage) => self.nearly_allowed(bare, usage, after),
                _ => None,
            };
        }
        let ended = bare.len() < word.len();
        let head = normal(bare.as_bytes());
        let text = String::from_utf8_lossy(&head.text).into_owned();
        let (effect, rest) = match (text.strip_prefix("allow"), text.strip_prefix("disallow")) {
            // `dis allow-index`: a blank divides the verb.
            _ if !ended && after.first().is_some_and(|next| divides("disallow", &text, next)) => {
                return self.divided(&text, after);
            }
            _ if !ended && after.first().is_some_and(|next| divides("allow", &text, next)) => {
                return self.divided(&text, after);
            }
            (Some(rest), _) => (Effect::Permits, rest),
            (_, Some(rest)) => (Effect::Prohibits, rest),
            _ => return self.slipped(bare, after, due),
        };
        let named = rest.strip_prefix('-').filter(|rest| !rest.is_empty());
        if let Some(rest) = named {
            if ended {
                self.problem(Code::AcapStrayText, &[word.get(bare.len()..).unwrap_or("")]);
            }
            if head.changed {
                self.problem(Code::AcapHyphen, &[]);
            }
            if effect == Effect::Prohibits
                && let Some(whole) = divided_usage(rest, after)
            {
                return Some(Begun::new(effect, UsageName::Unknown(whole), 1));
            }
            return Some(Begun::new(effect, UsageName::of(rest), 0));
        }
        if !rest.trim_start_matches('-').is_empty() || (ended && effect == Effect::Permits) {
            return self.slipped(bare, after, due);
        }
        // `allow index`: blanks read as hyphens.
        match following(after) {
            Some((about, used)) => {
                // `allow- index` has a blank too many, and a slip never permits.
                let slipped = effect == Effect::Permits && !rest.is_empty();
                match slipped {
                    true => self.problem(Code::AcapNearlyPermission, &[word]),
                    false => self.problem(Code::AcapHyphen, &[]),
                }
                Some(Begun { slipped, ..Begun::new(effect, about, used) })
            }
            None if effect == Effect::Prohibits => Some(Begun::new(effect, UsageName::none(), 0)),
            None => None,
        }
    }

    /// The statement whose verb a blank divides.
    fn divided(&mut self, text: &str, after: &[&str]) -> Option<Begun> {
        let whole = format!("{text}{}", trim_end(after.first()?));
        let found = self.slipped(&whole, after.get(1..).unwrap_or(&[]), true)?;
        Some(Begun { used: found.used.saturating_add(1), ..found })
    }

    /// The statement that a misspelt word begins (section 5, Fallback); `allow` alone permits.
    fn slipped(&mut self, word: &str, after: &[&str], due: bool) -> Option<Begun> {
        /// The length of the shortest verb, with a typo: `alow`.
        const SHORTEST: usize = 4;
        if word.len() < SHORTEST {
            return None;
        }
        let parts = parts(word.trim_matches(is_quote).as_bytes());
        let usage = match stated(&parts, true)?.0 {
            Name::Disallow(usage) => usage,
            Name::Allow(usage) => return self.nearly_allowed(word, usage, after),
            _ => return None,
        };
        let nameless = usage == UsageName::none();
        let (usage, used) = match following(after).filter(|_| nameless) {
            Some(found) => found,
            None => (usage, 0),
        };
        // A word like `block` may be an id in a list.
        let is_word = nameless && parts.first().is_some_and(|first| PROHIBITING[1..].contains(&first.as_str()));
        let (usage, used) = match usage {
            UsageName::Unknown(_) if is_word && !due => return None,
            // The words after it are prose.
            UsageName::Unknown(_) if is_word => (UsageName::none(), 0),
            usage => (usage, used),
        };
        self.problem(Code::AcapGuessedField, &[word, &usage.prohibition()]);
        Some(Begun { effect: Effect::Prohibits, about: usage, used, slipped: is_either_verb(&parts) })
    }

    /// A misspelt permission of a known usage, or of one near to it: it lifts nothing, but its restrictions hold.
    fn nearly_allowed(&mut self, word: &str, usage: UsageName, after: &[&str]) -> Option<Begun> {
        let nameless = usage == UsageName::none();
        let (about, used) = if nameless { following(after)? } else { (usage, 0) };
        if !about.needs_no_guess() && about.nearly().is_empty() {
            return None;
        }
        self.problem(Code::AcapNearlyPermission, &[word]);
        Some(Begun { effect: Effect::Permits, about, used, slipped: true })
    }
}

/// The usages behind the first comma or semicolon of each prohibition, which are prohibited too: `disallow-index,
/// preserve`. Words that are no usage end no list, a permission does.
///
/// A word may belong to the next statement all the same.
pub(super) fn listed(rest: &str) -> Vec<UsageName> {
    let mut names: BTreeSet<String> = BTreeSet::new();
    let (mut prohibits, mut lists) = (false, false);
    let mut before = String::new();
    // The last words since a mark.
    let mut words: Vec<String> = Vec::new();
    for piece in rest.split(is_blank).flat_map(|word| word.split_inclusive([',', ';'])) {
        let letters = |letter: char| letter.is_alphanumeric() || matches!(letter, '(' | ')');
        let word = normal_text(piece.trim_matches(|letter| !letters(letter)).as_bytes());
        if !word.is_empty() {
            let named = stated(&parts(word.as_bytes()), true).map(|(name, _)| name);
            let is_divided = VERBS.iter().any(|verb| divides(verb, &before, &word));
            let begins = is_divided || word.contains("disallow") || matches!(named, Some(Name::Disallow(_)));
            if begins || word.starts_with("allow") || matches!(named, Some(Name::Allow(_))) {
                (prohibits, lists) = (begins, false);
            } else if lists {
                words.push(word.clone());
                let runs =
                    (1..=USAGE_WORDS.min(words.len())).filter_map(|count| words.get(words.len().checked_sub(count)?..));
                names.extend(runs.map(|run| run.join("-")).filter(|name| is_usage(name)));
                words.drain(..words.len().saturating_sub(USAGE_WORDS));
            }
            before = word;
        }
        if piece.ends_with([',', ';']) {
            lists = prohibits;
            words.clear();
        }
    }
    names.iter().map(|name| UsageName::of(name)).collect()
}

/// Whether a name is that of a usage, if only by a guess.
fn is_usage(name: &str) -> bool {
    UsageName::of(name).needs_no_guess() || prohibited(name).is_some()
}

/// The number of words that are a qualifier with a misspelt name, which could be taken for a verb of prohibition; 0 if
/// they are not, or are an exact prohibition.
fn nearly_qualifier(word: &str, after: &[&str]) -> usize {
    /// Parts of the longest name.
    const PARTS: usize = 3;
    let exact = normal(trim_end(word).as_bytes());
    if exact.text.starts_with(b"disallow") || exact.text.starts_with(b"allow") {
        return 0;
    }
    let mut text = word.to_owned();
    for count in 1..=PARTS {
        if text.contains('=') || count == PARTS || count > after.len() {
            let names = restrictions::TABLE.iter().map(|row| row.name).filter(|name| name.starts_with("prohibit"));
            return if Letters::of(&text).begins_as(names) { count } else { 0 };
        }
        text.push_str(after.get(count.saturating_sub(1)).copied().unwrap_or(""));
    }
    0
}

/// The usage that a blank divides, where the word before the blank is not a usage itself.
pub(super) fn divided_usage(name: &str, after: &[&str]) -> Option<String> {
    if is_usage(name) {
        return None;
    }
    let whole = format!("{name}{}", normal_text(trim_end(after.first()?).as_bytes()));
    prohibited(&whole).map(|_| whole)
}

/// The usage that the words after a verb name, and the number of its words: the longest known one, else the first word.
fn following(after: &[&str]) -> Option<(UsageName, usize)> {
    let joined = |count: usize| -> Option<String> {
        let words = after.get(..count).filter(|words| !words.is_empty())?;
        Some(normal_text(trim_end(&words.join("-")).as_bytes()))
    };
    let named = |count: usize| Some((UsageName::of(&joined(count)?), count));
    (1..=USAGE_WORDS).rev().filter_map(named).find(|(about, _)| about.needs_no_guess()).or_else(|| named(1))
}

pub(super) fn words_of(rest: &str) -> impl Iterator<Item = &str> {
    let words = rest.trim_start_matches(|letter| is_joint(letter) || is_blank(letter)).split(is_blank);
    words.flat_map(divided).filter(|word| !word.is_empty())
}

/// A word, divided after each mark that a statement follows without a blank, and after each in a statement.
fn divided(word: &str) -> impl Iterator<Item = &str> {
    let begins = |rest: &str| {
        VERBS.iter().any(|verb| rest.get(..verb.len()).is_some_and(|head| head.eq_ignore_ascii_case(verb)))
    };
    let mut rest = Some(word);
    let mut behind = false;
    std::iter::from_fn(move || {
        let text = rest?;
        let mut marks = text.match_indices([',', ';']).map(|(at, _)| at.saturating_add(1)).peekable();
        behind = behind || (marks.peek().is_some() && is_statement(text));
        let ends = |tail: &str| !tail.starts_with([',', ';']) && (behind || begins(tail));
        let cut = marks.find(|at| text.get(*at..).is_some_and(ends));
        let (head, tail) = cut.and_then(|at| text.split_at_checked(at)).map_or((text, None), |(a, b)| (a, Some(b)));
        rest = tail;
        Some(head)
    })
}

/// Whether a word begins as an exact statement does; its first letters tell, so that a long word is not read again.
fn is_statement(word: &str) -> bool {
    const LETTERS: usize = 64;
    let end = word.char_indices().nth(LETTERS).map_or(word.len(), |(at, _)| at);
    let text = normal_text(word.get(..end).unwrap_or(word).as_bytes());
    text.starts_with("allow-") || text.starts_with("disallow-")
}

pub(super) fn is_version(word: &str) -> bool {
    let sound = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    word.contains('.') && word.split('.').all(sound)
}
