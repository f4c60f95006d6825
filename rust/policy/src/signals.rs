//! What lines and headers of Content-Usage and Content-Signal say: names of uses, each wanted or not.
//!
//! ```text
//! content-usage  = [ path-pattern 1*WS ] sf-dictionary          ; draft-ietf-aipref-attach, RFC 9651
//! content-signal = [ path-pattern 1*WS ] signal *( "," signal ) ; contentsignals.org
//! signal         = name "=" value
//! ```
//!
//! Laws: reading never fails and is linear. What the text of a vocabulary calls unknown says nothing, unless it plainly
//! refuses: then it is read as the refusal, with a note (our choice). Read by the letter it says nothing then either.

pub(crate) mod dictionary;
mod vocabulary;

pub use self::vocabulary::{ALL_USES, Vocabulary};

use std::borrow::Cow;

use self::dictionary::Value;
use self::vocabulary::{BOUNDS, LABELS, USE};
use crate::controls::{is_control, is_odd, trimmed};
use crate::octets::trim;
use crate::problems::Code;
use crate::usage::Usage;

/// What a statement says of a usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    Prohibits,
    Permits,
    /// It sets no bound: it permits nothing, but removes the bound of a broader line.
    Lifts,
}

/// What one line or header says: two bits for each name (nothing, refused, permitted), and the bound of `use`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SignalStatement(u32);

const REFUSED: u32 = 1;

const PERMITTED: u32 = 2;

/// The values of `use`, which are the places of its bounds.
const IMMEDIATE: u32 = 1;

const REFERENCE: u32 = 2;

impl SignalStatement {
    fn at(self, name: usize) -> u32 {
        u32::try_from(name.saturating_mul(2)).ok().and_then(|shift| self.0.checked_shr(shift)).unwrap_or(0) & 3
    }

    fn put(&mut self, name: usize, value: u32) {
        let Ok(shift) = u32::try_from(name.saturating_mul(2)) else { return };
        let clear = 3u32.checked_shl(shift).unwrap_or(0);
        self.0 = (self.0 & !clear) | value.checked_shl(shift).unwrap_or(0);
    }

    /// Keeps the stricter of two values: the smaller one that is not 0.
    fn tighten(&mut self, name: usize, value: u32) {
        let held = self.at(name);
        if value != 0 && (held == 0 || value < held) {
            self.put(name, value);
        }
    }

    /// Drops everything but refusals.
    fn permit_nothing(&mut self) {
        for place in 0..=USE {
            let refuses = if place == USE { REFERENCE } else { REFUSED };
            if self.at(place) > refuses {
                self.put(place, 0);
            }
        }
    }

    pub(crate) fn is_nothing(self) -> bool {
        self.0 == 0
    }

    /// A line that was cut: it may have refused everything, and permits nothing.
    pub fn cut() -> Self {
        let mut out = Self::default();
        (0..LABELS.len()).for_each(|place| out.put(place, REFUSED));
        out
    }

    /// What it states of a usage: the name, the usage that this covers, and the word.
    pub fn on(self, vocabulary: Vocabulary, usage: Usage) -> impl Iterator<Item = (usize, Usage, Word)> {
        let usage = usage.elsewhere();
        let covering = move |list: &'static [Usage]| list.iter().copied().find(|held| held.covers(usage));
        let named = LABELS.iter().enumerate().filter_map(move |(place, label)| {
            let word = match self.at(place) {
                REFUSED => Word::Prohibits,
                PERMITTED => Word::Permits,
                _ => return None,
            };
            let usages = if label.is_of(vocabulary) { label.usages } else { label.lent };
            Some((place, covering(usages)?, word))
        });
        // A bound that refuses anything takes back no stricter one (our choice).
        let bound =
            to_place(self.at(USE)).and_then(|place| BOUNDS.get(place)).and_then(move |(_, beyond)| match beyond {
                [] => covering(ALL_USES).map(|held| (USE, held, Word::Lifts)),
                _ => covering(beyond).map(|held| (USE, held, Word::Prohibits)),
            });
        named.chain(bound)
    }

    /// Every usage that it refuses or permits.
    pub fn all(self, vocabulary: Vocabulary) -> impl Iterator<Item = (Usage, bool)> {
        let named = LABELS.iter().enumerate().flat_map(move |(place, label)| {
            let usages = if label.is_of(vocabulary) { label.usages } else { label.lent };
            let value = self.at(place);
            let usages = if value == REFUSED || value == PERMITTED { usages } else { &[] };
            usages.iter().map(move |usage| (*usage, value == PERMITTED))
        });
        let beyond = to_place(self.at(USE)).and_then(|place| BOUNDS.get(place)).map_or(&[][..], |(_, beyond)| *beyond);
        named.chain(beyond.iter().map(|usage| (*usage, false)))
    }
}

fn to_place(value: u32) -> Option<usize> {
    usize::try_from(value).ok()?.checked_sub(1)
}

/// A problem of a line: its code and its words.
pub(crate) type Note = (Code, Vec<String>);

/// A line of robots.txt, read.
#[derive(Debug)]
pub struct Reading<'a> {
    /// As written; none if the line is about every resource.
    pub path: Option<&'a [u8]>,
    pub statement: SignalStatement,
    pub notes: Vec<Note>,
    /// It has a control character: its permissions do not count, and nothing lifts its refusals.
    pub cut: bool,
}

/// `[ path-pattern 1*WS ] sf-dictionary`, or signals in its place: the value of a line of robots.txt.
pub fn line(vocabulary: Vocabulary, value: &[u8], by_letter: bool) -> Reading<'_> {
    let (path, rest) = match value.first() {
        Some(b'/') => {
            // A control character ends the path, and what stands behind it counts.
            let end = value.iter().position(|octet| *octet <= b' ' || *octet == 0x7F).unwrap_or(value.len());
            let (path, rest) = value.split_at(end);
            (Some(path), trimmed(rest))
        }
        _ => (None, value),
    };
    let mut notes = Vec::new();
    let statement = read(vocabulary, rest, by_letter, &mut notes);
    Reading { path, statement, notes, cut: !by_letter && value.iter().any(|octet| is_control(*octet)) }
}

/// Reads the lines of a header: joined, as HTTP means them, and, but by the letter, each by itself, as no line lifts
/// what another refuses. HTTP sends no control character (RFC 9110 5.5): with one nothing is permitted, and it may have
/// joined two lines.
pub fn header(vocabulary: Vocabulary, lines: &[&[u8]], by_letter: bool) -> (SignalStatement, Vec<Note>) {
    let divides = |octet: &u8| is_odd(*octet) || matches!(octet, b'\r' | b'\n');
    let parts: Vec<&[u8]> = lines.iter().flat_map(|line| line.split(divides)).collect();
    let mut notes = Vec::new();
    let mut statement = read(vocabulary, &lines.join(&b", "[..]), by_letter, &mut notes);
    if parts.len() > 1 && !by_letter {
        for line in &parts {
            let own = read(vocabulary, line, by_letter, &mut Vec::new());
            for name in 0..=USE {
                let value = own.at(name);
                // A bound is strictest alone; of a name only a refusal counts by itself.
                if value == REFUSED || name == USE {
                    statement.tighten(name, value);
                }
            }
        }
    }
    if parts.len() > lines.len() {
        statement.permit_nothing();
        if notes.is_empty() {
            let shown = String::from_utf8_lossy(&lines.join(&b", "[..])).into_owned();
            notes.push((Code::UnknownSignal, vec![shown, vocabulary.field().to_owned()]));
        }
    }
    (statement, notes)
}

fn read(vocabulary: Vocabulary, written: &[u8], by_letter: bool, notes: &mut Vec<Note>) -> SignalStatement {
    let text = &*if by_letter { Cow::Borrowed(written) } else { without_controls(written) };
    let shown = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
    let mut strange: Vec<(Code, String)> = Vec::new();
    let (strict, broken) = match vocabulary {
        Vocabulary::Signal => (strict_signals(text, &mut strange), false),
        Vocabulary::Preference => match dictionary::members(text) {
            Some(members) => (strict_preferences(&members, &mut strange), false),
            None => (SignalStatement::default(), true),
        },
    };
    let mut statement = strict;
    // What is not read by the letter counts where it plainly refuses, beside a permission of the same name too.
    for Pair { name, key, value, written } in pairs(text) {
        let written = || shown(written);
        let folded = folded(name);
        let (place, meant, usual) = if vocabulary == Vocabulary::Signal && folded == b"use" {
            let meant = bound_meant(value);
            (USE, meant, if meant == REFERENCE { "use=reference" } else { "use=immediate" }.to_owned())
        } else if let Some((place, label)) = LABELS.iter().enumerate().find(|(_, label)| label.may_be(&folded)) {
            (place, if refuses(value) { REFUSED } else { 0 }, label.refusal(vocabulary))
        } else {
            strange.push((Code::UnknownSignal, written()));
            continue;
        };
        // Of one key of a dictionary the last value counts (RFC 9651 4.2.2).
        let is_key = vocabulary == Vocabulary::Preference && LABELS.get(place).is_some_and(|label| label.has(key));
        let meant = if by_letter { 0 } else { meant };
        let decided = strict.at(place);
        if decided != 0 && (is_key || meant == 0 || decided <= meant) {
            continue;
        }
        if meant != 0 {
            statement.tighten(place, meant);
            let note = (Code::GuessedSignal, vec![written(), usual]);
            if !notes.contains(&note) {
                notes.push(note);
            }
        } else if !broken {
            let known =
                vocabulary == Vocabulary::Preference && LABELS.get(place).is_some_and(|one| one.is_of(vocabulary));
            strange.push((if known { Code::BadContentUsage } else { Code::UnknownSignal }, written()));
        }
    }
    if written.iter().any(|octet| is_control(*octet)) {
        statement.permit_nothing();
    }
    if broken {
        notes.push((Code::BadContentUsage, vec![shown(text), vocabulary.field().to_owned()]));
    } else if statement.is_nothing() && strange.is_empty() {
        strange.push((Code::UnknownSignal, shown(text)));
    }
    notes.extend(strange.into_iter().map(|(code, words)| (code, vec![words, vocabulary.field().to_owned()])));
    statement
}

/// The last value of a name counts (RFC 9651 4.2.2). A value other than the tokens `y` and `n` says nothing
/// (draft-ietf-aipref-vocab).
fn strict_preferences(members: &[(&[u8], Value<'_>)], strange: &mut Vec<(Code, String)>) -> SignalStatement {
    let mut statement = SignalStatement::default();
    for (name, value) in members {
        let known = LABELS.iter().position(|label| label.is_of(Vocabulary::Preference) && label.has(name));
        if let Some(place) = known {
            statement.put(
                place,
                match value {
                    Value::Token(b"n") => REFUSED,
                    Value::Token(b"y") => PERMITTED,
                    _ => 0,
                },
            );
        }
        if *value == Value::None {
            let code = if known.is_some() { Code::BadContentUsage } else { Code::UnknownSignal };
            strange.push((code, String::from_utf8_lossy(name).into_owned()));
        }
    }
    statement
}

/// `signal = name "=" value`, in any case; the stricter value of a name counts (our choice).
fn strict_signals(text: &[u8], strange: &mut Vec<(Code, String)>) -> SignalStatement {
    let mut statement = SignalStatement::default();
    for signal in text.split(|octet| *octet == b',').map(trim).filter(|_| !text.is_empty()) {
        if signal.is_empty() {
            strange.push((Code::UnknownSignal, ",".to_owned()));
            continue;
        }
        let Some(at) = memchr::memchr(b'=', signal) else {
            // A pair of another form is looked at once more.
            if memchr::memchr(b':', signal).is_none() {
                strange.push((Code::UnknownSignal, String::from_utf8_lossy(signal).into_owned()));
            }
            continue;
        };
        let (name, value) = signal.split_at(at);
        let (name, value) = (trim(name).to_ascii_lowercase(), trim(value.get(1..).unwrap_or(&[])));
        if name == b"use" {
            let bound = BOUNDS.iter().position(|(bound, _)| bound.eq_ignore_ascii_case(value));
            statement.tighten(USE, bound.and_then(|place| u32::try_from(place.saturating_add(1)).ok()).unwrap_or(0));
        } else if let Some(place) = LABELS.iter().position(|label| label.signal && label.has(&name)) {
            let value = match value.to_ascii_lowercase().as_slice() {
                b"no" => REFUSED,
                b"yes" => PERMITTED,
                _ => 0,
            };
            statement.tighten(place, value);
        }
    }
    statement
}

/// The text without control characters, which are invisible.
fn without_controls(text: &[u8]) -> Cow<'_, [u8]> {
    let is_control = |octet: u8| (octet < 0x20 && octet != b'\t') || octet == 0x7F;
    if text.iter().any(|octet| is_control(*octet)) {
        Cow::Owned(text.iter().copied().filter(|octet| !is_control(*octet)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

fn folded(name: &[u8]) -> Vec<u8> {
    name.iter().filter(|octet| octet.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect()
}

/// A name with a value, and the text from the one to the other.
struct Pair<'a> {
    /// It ends with a letter or digit.
    name: &'a [u8],
    /// The name with all its signs, as a dictionary has it.
    key: &'a [u8],
    value: &'a [u8],
    written: &'a [u8],
}

/// Names with values, with anything but letters, digits and commas between and around them: quotation marks of any
/// kind, or one `=` too many.
fn pairs(text: &[u8]) -> impl Iterator<Item = Pair<'_>> {
    let is_mark = |octet: &u8| matches!(octet, b'-' | b'_' | b'.' | b'*');
    let is_word = move |octet: &u8| octet.is_ascii_alphanumeric() || is_mark(octet);
    let divides = |octet: &u8| matches!(octet, b',' | b';' | b'=' | b':');
    let is_blank = |octet: &u8| matches!(octet, b' ' | b'\t');
    let is_letter = |octet: &u8| octet.is_ascii_alphanumeric();
    memchr::memchr2_iter(b'=', b':', text).filter_map(move |at| {
        let before = text.get(..at)?;
        // Signs between a name and its `=` are nothing; where no letter or digit stands before it, there is no name.
        let last = before.iter().rposition(|octet| is_letter(octet) || matches!(octet, b',' | b'=' | b':'))?;
        let (named, signs) = before.split_at_checked(last.saturating_add(1))?;
        let start = named.iter().rposition(|octet| !is_word(octet)).map_or(0, |at| at.saturating_add(1));
        let name = named.get(start..)?;
        let marks = signs.iter().take_while(|octet| is_mark(octet)).count();
        let key = before.get(start..named.len().saturating_add(marks))?;
        let behind = at.saturating_add(1);
        let after = text.get(behind..)?;
        let skip = match name.is_empty() {
            false => after.iter().position(|octet| is_letter(octet) || *octet == b','),
            true => Some(0),
        };
        let after = after.get(skip.unwrap_or(after.len())..)?;
        let length = after.iter().position(|octet| !is_word(octet)).unwrap_or(after.len());
        let (value, rest) = after.split_at_checked(length)?;
        let more =
            rest.iter().position(|octet| is_word(octet) || divides(octet) || is_blank(octet)).unwrap_or(rest.len());
        let stop = text.len().saturating_sub(rest.len()).saturating_add(more);
        let value =
            value.get(..value.iter().rposition(|octet| !is_mark(octet)).map_or(0, |at| at.saturating_add(1)))?;
        (!name.is_empty()).then_some(Pair { name, key, value, written: text.get(start..stop)?.trim_ascii_end() })
    })
}

/// Words that plainly refuse.
const REFUSALS: [&[u8]; 18] = [
    b"n",
    b"no",
    b"not",
    b"none",
    b"never",
    b"false",
    b"0",
    b"off",
    b"deny",
    b"denied",
    b"disallow",
    b"disallowed",
    b"forbid",
    b"forbidden",
    b"prohibit",
    b"prohibited",
    b"block",
    b"blocked",
];

/// The bound that a value of `use` plainly sets, however it is written; 0 for none.
fn bound_meant(value: &[u8]) -> u32 {
    if refuses(value) || value.eq_ignore_ascii_case(b"immediate") {
        IMMEDIATE
    } else if value.eq_ignore_ascii_case(b"reference") {
        REFERENCE
    } else {
        0
    }
}

fn refuses(value: &[u8]) -> bool {
    REFUSALS.iter().any(|refusal| refusal.eq_ignore_ascii_case(value))
}

#[cfg(test)]
mod tests;
