//! Names of ACAP fields and usages: how they are compared, and what a misspelt one states (P1 4.5.6).
//!
//! Real files write blanks and Unicode dashes for hyphens. A name is compared in its normal form; one that is unknown
//! may be a known one with a typo.

use super::spelling::{self, PROHIBITING, Verb, fold, may_permit, nearly, prohibited, slip, verb};
use crate::controls::is_control;
use crate::octets::is_space;
use crate::usage::Usage;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Name {
    Crawler,
    Purpose,
    Allow(UsageName),
    Disallow(UsageName),
    QualifiedUsage,
    CompositeUsage,
    ResourceSet,
    Reference,
    Request { take_down: bool },
    IgnoreConventional,
    Version,
    Unknown,
}

/// Fields other than permissions and prohibitions (P1 4.5.6; `version` of Part 1 V1.1), also folded.
pub(super) const FIELDS: [(&str, &str, Name); 10] = [
    ("crawler", "crawler", Name::Crawler),
    ("usage-purpose", "usagepurpose", Name::Purpose),
    ("qualified-usage", "qualifiedusage", Name::QualifiedUsage),
    ("composite-usage", "compositeusage", Name::CompositeUsage),
    ("resource-set", "resourceset", Name::ResourceSet),
    ("permissions-reference", "permissionsreference", Name::Reference),
    ("request-take-down", "requesttakedown", Name::Request { take_down: true }),
    ("request-re-crawl", "requestrecrawl", Name::Request { take_down: false }),
    ("ignore-conventional-records", "ignoreconventionalrecords", Name::IgnoreConventional),
    ("version", "version", Name::Version),
];

/// Most words of a known name.
pub(super) const WORDS: usize = 6;

/// Most words of a known usage.
pub(super) const USAGE_WORDS: usize = 3;

/// Most words that a mark falls into: `the-a-cap`.
pub(super) const MARK_WORDS: usize = 3;

/// Words of a verb that fell into several: `d-is-allow`.
const VERB_WORDS: usize = 3;

/// The verbs of statements.
pub(super) const VERBS: [&str; 2] = ["allow", "disallow"];

/// The usage that a permission or prohibition names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum UsageName {
    Known(Usage),
    Plural(Usage),
    Unknown(String),
    Local(String),
}

impl UsageName {
    /// `(ACAP-usage-name ["-" used-resource-type-name]) / local-usage-name`, in normal form (P1 4.5.6).
    ///
    /// `local-usage-name = "(" (qualified-usage-name / composite-usage-name) ")"`
    pub(super) fn of(name: &str) -> Self {
        if let Some(usage) = Usage::known(name) {
            return Self::Known(usage);
        }
        if let Some(usage) = Usage::of_plural(name) {
            return Self::Plural(usage);
        }
        match name.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            Some(local) if !local.contains(['(', ')']) => Self::Local(local.to_owned()),
            _ => Self::Unknown(name.to_owned()),
        }
    }

    /// The same, as it is written in a definition.
    pub(super) fn of_word(word: &[u8]) -> Self {
        Self::of(&normal_text(word))
    }

    /// No name at all: `disallow` alone.
    pub(super) fn none() -> Self {
        Self::Unknown(String::new())
    }

    /// The longest known usage that the first words name.
    pub(super) fn first(words: &[String]) -> Option<Self> {
        let named = |count: usize| Some(Self::of(&words.get(..count)?.join("-")));
        (1..=USAGE_WORDS).rev().filter_map(named).find(Self::needs_no_guess)
    }

    /// Whether it is a known usage or a local one.
    pub(super) fn needs_no_guess(&self) -> bool {
        !matches!(self, Self::Unknown(_))
    }

    /// Its prohibition, as it is written.
    pub(super) fn prohibition(&self) -> String {
        match self {
            Self::Known(usage) | Self::Plural(usage) => format!("disallow-{}", usage.name().unwrap_or("")),
            Self::Unknown(name) if name.is_empty() => "disallow".to_owned(),
            Self::Unknown(name) => format!("disallow-{name}"),
            Self::Local(name) => format!("disallow-({name})"),
        }
    }

    /// The known usages that an unknown name is one typo from.
    pub(super) fn nearly(&self) -> Vec<Usage> {
        match self {
            Self::Unknown(name) => nearly(name),
            _ => Vec::new(),
        }
    }

    /// Its distance from the nearest known usage: 0, 1 for one typo, or more.
    pub(super) fn closeness(&self) -> u8 {
        match self {
            Self::Unknown(name) => spelling::closeness(name),
            _ => 0,
        }
    }
}

/// `"ACAP-allow-" …`, `"ACAP-disallow-" …` or a name of [`FIELDS`] (P1 4.5.6), in normal form: the field, if it is a
/// known one.
pub(super) fn known(name: &[u8]) -> Option<Name> {
    let name = std::str::from_utf8(name.strip_prefix(b"acap-")?).ok()?;
    let usage = |rest: &str| Some(UsageName::of(rest)).filter(UsageName::needs_no_guess);
    if let Some((_, _, field)) = FIELDS.iter().find(|(known, _, _)| *known == name) {
        return Some(field.clone());
    }
    match (name.strip_prefix("allow-"), name.strip_prefix("disallow-")) {
        (Some(rest), _) => Some(Name::Allow(usage(rest)?)),
        (_, Some(rest)) => Some(Name::Disallow(usage(rest)?)),
        _ => None,
    }
}

/// Number of octets of the dash at the start of the text (U+2010–2015, U+2212, U+FE58, U+FE63, U+FF0D), or 0.
pub(super) fn dash(text: &[u8]) -> usize {
    match text {
        [b'-', ..] => 1,
        [0xE2, 0x80, 0x90..=0x95, ..] | [0xE2, 0x88, 0x92, ..] => 3,
        [0xEF, 0xB9, 0x98 | 0xA3, ..] | [0xEF, 0xBC, 0x8D, ..] => 3,
        _ => 0,
    }
}

/// Number of octets at the start of the text that folding removes.
pub(super) fn joints(text: &[u8]) -> usize {
    let mut at = 0usize;
    loop {
        let step = match text.get(at..).unwrap_or(&[]) {
            [b'_', ..] => 1,
            [byte, ..] if is_space(*byte) => 1,
            [0xC2, 0xA0, ..] => 2,
            rest => dash(rest),
        };
        if step == 0 {
            return at;
        }
        at = at.saturating_add(step);
    }
}

/// A text in lower case with each run of blanks and dashes as one hyphen, and the place where each of its octets ends.
pub(super) struct Normal {
    pub(super) text: Vec<u8>,
    pub(super) ends: Vec<usize>,
    pub(super) changed: bool,
}

pub(super) fn normal(source: &[u8]) -> Normal {
    let mut out =
        Normal { text: Vec::with_capacity(source.len()), ends: Vec::with_capacity(source.len()), changed: false };
    let mut at = 0usize;
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.first().is_some_and(|byte| is_control(*byte)) {
            at = at.saturating_add(1);
            out.changed = true;
            continue;
        }
        let mut run = 0usize;
        while let Some(tail) = rest.get(run..).filter(|tail| !tail.is_empty()) {
            let blank = |byte: &u8| is_space(*byte) || (run > 0 && is_control(*byte));
            let step = if tail.first().is_some_and(blank) { 1 } else { dash(tail) };
            if step == 0 {
                break;
            }
            run = run.saturating_add(step);
        }
        let byte = if run > 0 {
            out.changed |= run > 1 || rest.first() != Some(&b'-');
            at = at.saturating_add(run);
            b'-'
        } else {
            at = at.saturating_add(1);
            rest.first().map_or(b'-', u8::to_ascii_lowercase)
        };
        out.text.push(byte);
        out.ends.push(at);
    }
    out
}

/// A name in the form in which names are compared: in lower case, with each run of blanks and dashes as one hyphen.
pub fn normal_text(source: &[u8]) -> String {
    String::from_utf8_lossy(&normal(source).text).into_owned()
}

/// The words of a name, divided by blanks, dashes, `_` and colons, but not within parentheses; an unpaired parenthesis
/// is a letter.
pub(super) fn words(written: &[u8]) -> Vec<String> {
    let text = normal_text(written);
    let closes = |(open, _): &(usize, &str)| {
        let rest = text.get(open.saturating_add(1)..).unwrap_or("");
        rest.find(['(', ')']).and_then(|at| rest.get(at..)).is_some_and(|rest| rest.starts_with(')'))
    };
    let open = text.match_indices('(').find(closes).map_or(text.len(), |(open, _)| open);
    let (plain, local) = text.split_at_checked(open).unwrap_or((&text, ""));
    let mut out: Vec<String> =
        plain.split(['-', '_', ':']).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    if !local.is_empty() {
        out.push(local.trim_end_matches('-').to_owned());
    }
    out
}

/// The first words joined, for each number of words, with that number; up to the length that a name may have.
fn joined(words: &[String], most: usize) -> impl Iterator<Item = (usize, String)> + '_ {
    /// Most octets of a folded name with one typo, whose letter may have four.
    const LONGEST: usize = 40;
    let mut text = String::new();
    words.iter().take(most).enumerate().map_while(move |(place, word)| {
        text.push_str(word);
        (text.len() <= LONGEST).then(|| (place.saturating_add(1), text.clone()))
    })
}

/// Whether a line may begin with a misspelt mark: enough of its first letters are letters of the mark. Most lines of
/// unknown fields fail this quick test.
#[inline]
pub(super) fn nearly_marked(body: &[u8]) -> bool {
    let counts = |byte: &&u8| byte.is_ascii() && !is_space(**byte) && !matches!(byte, b'-' | b'_');
    let letters = || body.iter().filter(counts).map(u8::to_ascii_lowercase);
    letters().take(5).filter(|letter| matches!(letter, b'a' | b'c' | b'p')).count() >= 3
        || letters().take(8).filter(|letter| matches!(letter, b't' | b'h' | b'e' | b'a' | b'c' | b'p')).count() >= 6
}

/// Whether a line may begin with a mark, exact or misspelt, going by the part read before a limit cut it.
pub(crate) fn may_be_marked(read: &[u8]) -> bool {
    let counts = |byte: &&u8| byte.is_ascii() && !is_space(**byte) && !matches!(byte, b'-' | b'_');
    let missing = 8usize.saturating_sub(read.iter().filter(counts).count());
    nearly_marked(&[read, b"acapacap".get(..missing).unwrap_or(&[])].concat())
}

/// The words after the mark, and whether the mark is exact; it may be one typo from `ACAP` or `the-acap`.
pub(super) fn after_mark(words: &[String]) -> Option<(Vec<String>, bool)> {
    let rest = |count: usize| words.get(count..).unwrap_or(&[]).to_vec();
    if words.first().is_some_and(|word| word == "acap") {
        return Some((rest(1), true));
    }
    let exact = joined(words, MARK_WORDS).find(|(_, text)| text == "acap" || text == "theacap");
    let near = || joined(words, MARK_WORDS).find(|(_, text)| slip(text, "acap") || slip(text, "theacap"));
    if let Some((count, _)) = exact.or_else(near) {
        return Some((rest(count), false));
    }
    // The separator between mark and name is missing.
    joined(words, MARK_WORDS).find_map(|(count, text)| {
        let remainder = text.strip_prefix("acap").or_else(|| text.strip_prefix("theacap"))?;
        Some((std::iter::once(remainder.to_owned()).chain(rest(count)).collect(), false))
    })
}

/// The field that the words after a mark state, and whether it is guessed: a known one with up to one typo, or a verb
/// and a usage. `exact` is whether the mark is.
pub(super) fn stated(words: &[String], exact: bool) -> Option<(Name, bool)> {
    /// `re-quest-take-down`
    const PARTS: usize = 8;
    if let Some((_, whole)) = joined(words, PARTS).last().filter(|(count, _)| *count == words.len())
        && let Some((_, _, name)) = FIELDS.iter().find(|(_, known, _)| slip(&whole, known))
    {
        return Some((name.clone(), true));
    }
    // The separator between verb and usage is missing.
    let (first, rest) = words.split_first()?;
    let undivided = |verb: &str| -> Option<String> {
        let remainder = first.strip_prefix(verb).filter(|remainder| !remainder.is_empty())?;
        Some(std::iter::once(remainder).chain(rest.iter().map(String::as_str)).collect::<Vec<_>>().join("-"))
    };
    let usage = PROHIBITING.iter().find_map(|verb| undivided(verb));
    if let Some(usage) =
        usage.as_deref().filter(|usage| UsageName::of(usage).needs_no_guess() || prohibited(usage).is_some())
    {
        return Some((Name::Disallow(UsageName::of(usage)), true));
    }
    let named = |count: usize| UsageName::of(&words.get(count..).unwrap_or(&[]).join("-"));
    let verbs =
        joined(words, VERB_WORDS).filter_map(|(count, text)| verb(&text).map(|(verb, slips)| (slips, count, verb)));
    if let Some((_, count, verb)) = verbs.min_by_key(|(slips, count, _)| (*slips, *count)) {
        let sound = exact && words.len() > 1 && words.first().is_some_and(|word| word == "disallow");
        return Some(match verb {
            Verb::Disallow => (Name::Disallow(named(count)), !sound),
            Verb::Allow | Verb::NearlyAllow => (Name::Allow(named(count)), true),
        });
    }
    let usage = usage.map(|usage| Name::Disallow(UsageName::of(&usage)));
    Some((usage.or_else(|| Some(Name::Allow(UsageName::of(&undivided("allow")?))))?, true))
}

/// Whether an apparent prohibition may be a misspelt permission: `sallow`.
pub(super) fn is_either_verb(words: &[String]) -> bool {
    joined(words, VERB_WORDS).any(|(_, text)| may_permit(&text))
}

/// A prohibition by a verb anywhere among the words: of the usage after it, or of everything.
pub(super) fn somewhere(words: &[String]) -> Option<Name> {
    let place = words.iter().position(|word| matches!(verb(&fold(word)), Some((Verb::Disallow, _))))?;
    let after = words.get(place.saturating_add(1)..).unwrap_or(&[]);
    Some(Name::Disallow(UsageName::first(after).unwrap_or_else(UsageName::none)))
}

/// A name at most this far from a known one is read as that ([`UsageName::closeness`]).
pub(super) const NEAR: u8 = 1;
