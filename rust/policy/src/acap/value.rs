//! Values of ACAP fields: tokens, qualifiers, escapes (P1 4.5.6).

use super::field::{begins, begins_pattern, begins_resource, divides_set, is_absolute, is_marked, is_untold};
use super::spelling::{fold, slip};
use crate::controls::{ended, is_control, trimmed, without};
use crate::cuts;
use crate::octets::{is_space, leading_name};
use crate::restrictions;
use crate::statement::Effect;

/// Tokens of a value; blanks around a `=` belong to the qualifier it makes, and a blank after a comma continues it.
pub(super) fn tokens(value: &[u8]) -> Vec<Vec<u8>> {
    continued(pieces(blanked(value)), |_| true)
}

/// What blanks divide a value into.
pub(super) fn blanked(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| is_space(*byte)).filter(|token| !token.is_empty())
}

/// The same, but for blanks around a `=`.
pub(super) fn pieces<'t>(tokens: impl Iterator<Item = &'t [u8]>) -> Vec<Vec<u8>> {
    let mut out: Vec<Vec<u8>> = Vec::new();
    for token in tokens {
        match out.last_mut().filter(|last| !begins_resource(last)) {
            Some(last) if last.last() == Some(&b'=') || token.first() == Some(&b'=') => last.extend_from_slice(token),
            _ => out.push(token.to_vec()),
        }
    }
    out
}

/// The pieces, those made one that a comma divides in the value of a qualifier, as far as such a value takes them.
pub(super) fn continued(all: Vec<Vec<u8>>, takes: impl Fn(&[u8]) -> bool) -> Vec<Vec<u8>> {
    if !all.iter().any(|piece| piece.last() == Some(&b',')) {
        return all;
    }
    let mut out: Vec<Vec<u8>> = Vec::new();
    // A qualifier grows, and is not looked through again each time.
    let mut qualifies = false;
    for piece in all {
        match out.last_mut() {
            Some(last) if qualifies && last.last() == Some(&b',') && takes(&piece) => {
                last.push(b' ');
                last.extend_from_slice(&piece);
            }
            _ => {
                qualifies = !begins_resource(&piece) && qualifier_name(&without(&piece)).is_some();
                out.push(piece);
            }
        }
    }
    out
}

/// A word of a permission or prohibition.
pub(super) struct Word {
    pub(super) text: Vec<u8>,
    /// It ended at a control character.
    pub(super) cut: bool,
}

impl Word {
    /// A word up to its first control character, those before it left out. The name of a qualifier has none.
    fn of(token: &[u8]) -> Self {
        let text = trimmed(token);
        let whole = ended(text);
        if whole.len() == text.len() {
            return Self { text: text.to_vec(), cut: false };
        }
        let name = memchr::memchr(b'=', text).and_then(|end| text.split_at_checked(end));
        match name.map(|(name, value)| (without(name), trimmed(value.get(1..).unwrap_or(&[])))) {
            Some((name, value)) if is_qualifiers(&name) => {
                Self { text: [&name, &b"="[..], ended(value)].concat(), cut: ended(value).len() < value.len() }
            }
            // It may have gone on, so its end is no anchor.
            _ => {
                let left = cuts::pattern(whole);
                Self { text: if left.is_empty() { b"/".to_vec() } else { left.to_vec() }, cut: true }
            }
        }
    }

    /// Whether it is a qualifier that we know, and no resource.
    pub(super) fn is_known_qualifier(&self) -> bool {
        !begins_resource(&self.text) && qualifier_name(&self.text).is_some_and(restrictions::is_name)
    }

    /// Whether a word of a prohibition, after the first, names resources, if nobody can tell which: what is no qualifier.
    pub(super) fn names_resources(&self) -> bool {
        begins_pattern(&self.text)
            || is_marked(&self.text)
            || is_untold(&self.text, self.cut)
            || memchr::memchr(b'=', &self.text).is_none()
            || is_absolute(&self.text)
    }

    /// The resources that a comma or semicolon divides it into, before another or at its end; none without one. Where it was
    /// cut, the last may have gone on.
    pub(super) fn parted(&self) -> Vec<Word> {
        let ends = self.text.iter().enumerate().filter(|(_, byte)| matches!(byte, b',' | b';'));
        let ends = ends.map(|(place, _)| place).filter(|place| {
            let rest = self.text.get(place.saturating_add(1)..).unwrap_or(&[]);
            rest.is_empty() || begins_resource(rest) || (self.cut && is_untold(rest, true))
        });
        let mut out = Vec::new();
        let mut from = 0usize;
        for end in ends.chain([self.text.len()]) {
            let part = self.text.get(from..end).unwrap_or(&[]);
            from = end.saturating_add(1);
            let cut = self.cut && end == self.text.len();
            if (!part.is_empty() || cut) && part.len() < self.text.len() {
                out.push(Word { text: part.to_vec(), cut });
            }
        }
        out
    }
}

fn is_qualifiers(name: &[u8]) -> bool {
    std::str::from_utf8(name).is_ok_and(restrictions::is_name)
}

/// What the value of a permission or prohibition comes to.
pub(super) struct Value {
    pub(super) resources: Vec<Word>,
    /// What is no resource.
    pub(super) qualifiers: Vec<Vec<u8>>,
    /// A control character ends one of these: nobody knows the rest.
    pub(super) ended: bool,
}

impl Value {
    /// Reads a value as that of a permission or prohibition; `more` are values that it may have besides, for its name may
    /// end elsewhere.
    pub(super) fn read(value: &[u8], more: &[&[u8]], effect: Effect) -> Self {
        let mut all = value_words(value, effect).into_iter().peekable();
        let mut out = Self { resources: Vec::new(), qualifiers: Vec::new(), ended: false };
        if !all.peek().is_some_and(Word::is_known_qualifier) {
            out.resources.extend(all.next());
        }
        for word in all {
            let names = match effect {
                Effect::Prohibits => word.names_resources(),
                Effect::Permits => begins_pattern(&word.text) && !is_nearly_qualifier(&word.text),
            };
            if names {
                out.resources.push(word);
            } else {
                out.ended |= word.cut;
                out.qualifiers.push(word.text);
            }
        }
        // A comma ends a resource, or is a part of it.
        if effect == Effect::Prohibits {
            let parted: Vec<Word> = out.resources.iter().flat_map(Word::parted).collect();
            out.resources.extend(parted);
        }
        let more = more.iter().flat_map(|value| value_words(value, effect).into_iter().enumerate());
        out.resources.extend(more.filter(|(place, word)| *place == 0 || word.names_resources()).map(|(_, word)| word));
        out
    }
}

/// The words of a permission or prohibition. In a prohibition what begins as resources do continues no qualifier, and the
/// first word is a resource but for a qualifier that we know.
pub(super) fn value_words(value: &[u8], effect: Effect) -> Vec<Word> {
    let mut rest = whole_prefixes(pieces(blanked(value)));
    let first = rest.first().map(|first| Word::of(first));
    let resource = first.filter(|first| !first.is_known_qualifier());
    if resource.is_some() {
        rest.remove(0);
    }
    let rest = continued(rest, |piece| effect == Effect::Permits || !begins_pattern(piece));
    let words = resource.into_iter().chain(rest.iter().map(|piece| Word::of(piece)));
    words.filter(|word| !word.text.is_empty()).collect()
}

/// The tokens, those made one that a blank in the prefix of a resource set has divided.
fn whole_prefixes(mut all: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut divided = (1..all.len()).rev().filter(|place| {
        all.get(place.saturating_sub(1)).zip(all.get(*place)).is_some_and(|(one, next)| divides_set(one, next))
    });
    if let Some(place) = divided.next() {
        let next = all.remove(place);
        if let Some(token) = all.get_mut(place.saturating_sub(1)) {
            token.extend_from_slice(&next);
        }
    }
    all
}

/// Whether what looks like a pattern is a qualifier by a slip in its name: `/time-limit=5-days`.
pub(super) fn is_nearly_qualifier(token: &[u8]) -> bool {
    /// Octets of the longest name that has slipped.
    const LONGEST: usize = 32;
    let name = memchr::memchr(b'=', token).filter(|end| *end <= LONGEST).and_then(|end| token.get(..end));
    name.is_some_and(|name| {
        let folded = fold(&String::from_utf8_lossy(name));
        restrictions::names().any(|known| slip(&folded, &fold(known)))
    })
}

/// The name before the `=` of a qualifier.
pub(super) fn qualifier_name(token: &[u8]) -> Option<&str> {
    let end = memchr::memchr(b'=', token)?;
    let name = std::str::from_utf8(token.get(..end)?).ok()?;
    (!name.is_empty() && name.bytes().all(|byte| leading_name(&[byte]).len() == 1)).then_some(name)
}

/// Replaces `%xnnnn` by the character it stands for (P1 4.5.6).
pub fn unescape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find("%x").or_else(|| rest.find("%X")) {
        let (head, tail) = rest.split_at(at);
        out.push_str(head);
        let digits = tail.get(2..6).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32) {
            Some(letter) => {
                out.push(letter);
                rest = tail.get(6..).unwrap_or("");
            }
            None => {
                out.push_str(tail.get(..2).unwrap_or(""));
                rest = tail.get(2..).unwrap_or("");
            }
        }
    }
    out.push_str(rest);
    out
}

/// The letter after `ACAP`, by which most fields can be told apart.
pub(super) fn initial(line: &[u8]) -> u8 {
    let letters = line.iter().filter(|byte| !is_control(**byte));
    let letter = letters.skip(4).find(|byte| !is_space(**byte) && **byte != b'-' && byte.is_ascii());
    letter.map_or(0, u8::to_ascii_lowercase)
}

/// Whether a line begins as those fields do that say nothing of others, and so need not be looked at before them.
pub(super) fn is_plain(line: &[u8]) -> bool {
    const PLAIN: [&str; 5] = ["allow-", "disallow-", "usage-purpose", "permissions-", "crawler"];
    begins(line, "acap-") && PLAIN.iter().any(|name| line.get(5..).is_some_and(|rest| begins(rest, name)))
}

/// The version of a `##ACAP version=n.m` line.
pub(super) fn commented_version(line: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(line).to_ascii_lowercase();
    let rest = text.strip_prefix("##")?.trim_ascii_start().strip_prefix("acap")?;
    let named = rest.starts_with(|letter: char| letter.is_ascii_whitespace()).then(|| rest.trim_ascii_start())?;
    let rest = named.strip_prefix("version")?.trim_ascii_start().strip_prefix('=')?.trim_ascii_start();
    rest.split(|letter: char| letter.is_ascii_whitespace() || letter == '#').next().map(str::to_owned)
}

/// Whether a line is by its letters the line of a version, within one slip: `#ACAP version=1.0`, `ACAP-version=1.0`.
pub(crate) fn is_nearly_version(line: &[u8]) -> bool {
    const KEYWORD: &str = "acapversion";
    /// Signs that may stand before the version, blanks among them.
    const LONGEST: usize = 64;
    let rest = line.iter().position(|byte| *byte != b'#' && !is_space(*byte));
    let rest = rest.and_then(|start| line.get(start..)).unwrap_or(&[]);
    // Most comments are done with at this: a slip leaves one of the first two letters in its place or beside it.
    let may_begin = |place: usize| matches!(rest.get(place), Some(b'a' | b'A' | b'c' | b'C'));
    if rest.first().is_some_and(u8::is_ascii_alphanumeric) && !may_begin(0) && !may_begin(1) {
        return false;
    }
    let first = rest.iter().take(5).filter(|byte| matches!(byte.to_ascii_lowercase(), b'a' | b'c' | b'p')).count();
    if first < 3 {
        return false;
    }
    let head = rest.get(..LONGEST.min(rest.len())).unwrap_or(rest);
    let digit = |place: usize| rest.get(place).is_some_and(u8::is_ascii_digit);
    let begins = |place: usize| {
        let dot = (place..rest.len()).find(|place| !digit(*place)).filter(|dot| *dot > place)?;
        (rest.get(dot) == Some(&b'.') && digit(dot.saturating_add(1))).then_some(place)
    };
    let Some(number) = (0..head.len()).find_map(begins) else { return false };
    let text = String::from_utf8_lossy(rest.get(..number).unwrap_or(rest)).into_owned();
    let letters = text.chars().filter(|letter| letter.is_alphanumeric());
    slip(&letters.map(|letter| letter.to_ascii_lowercase()).collect::<String>(), KEYWORD)
}
