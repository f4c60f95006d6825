//! Values of ACAP fields: tokens, qualifiers, escapes (P1 4.5.6).

use std::borrow::Cow;

use super::resource::{begins, begins_pattern, begins_resource, divides_set, is_marked, is_unclear, is_uri};
use super::spelling::{fold, slip};
use crate::controls::{ended, is_control, trimmed, without};
use crate::cuts;
use crate::octets::{is_space, leading_name};
use crate::places::offset;
use crate::restrictions;
use crate::statement::Effect;

/// A token of a value, or several joined again.
#[derive(Clone)]
pub(super) struct Piece<'t> {
    pub(super) text: Cow<'t, [u8]>,
    /// The first and the last token that it was joined from.
    pub(super) ends: [&'t [u8]; 2],
}

impl<'t> Piece<'t> {
    fn of(token: &'t [u8]) -> Self {
        Self { text: Cow::Borrowed(token), ends: [token; 2] }
    }

    /// Joins the next token to it.
    fn push(&mut self, between: &[u8], next: &Self) {
        let text = self.text.to_mut();
        text.extend_from_slice(between);
        text.extend_from_slice(&next.text);
        self.ends[1] = next.ends[1];
    }
}

/// The tokens of a value, with those of one qualifier joined: around its `=`, and after a comma.
pub(super) fn tokens(value: &[u8]) -> Vec<Vec<u8>> {
    continued(pieces(blanked(value)), |_| true).into_iter().map(|piece| piece.text.into_owned()).collect()
}

/// The tokens of a value, divided by blanks.
pub(super) fn blanked(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| is_space(*byte)).filter(|token| !token.is_empty())
}

/// The tokens, joined where only blanks around a `=` divide them.
pub(super) fn pieces<'t>(tokens: impl Iterator<Item = &'t [u8]>) -> Vec<Piece<'t>> {
    let mut out: Vec<Piece<'t>> = Vec::new();
    for token in tokens {
        match out.last_mut().filter(|last| !begins_resource(&last.text)) {
            Some(last) if last.text.last() == Some(&b'=') || token.first() == Some(&b'=') => {
                last.push(b"", &Piece::of(token));
            }
            _ => out.push(Piece::of(token)),
        }
    }
    out
}

/// The pieces, joined where a comma in the value of a qualifier divides them, as far as `takes` allows.
pub(super) fn continued<'t>(all: Vec<Piece<'t>>, takes: impl Fn(&[u8]) -> bool) -> Vec<Piece<'t>> {
    if !all.iter().any(|piece| piece.text.last() == Some(&b',')) {
        return all;
    }
    let mut out: Vec<Piece<'t>> = Vec::new();
    // Remembered, so that a growing qualifier is not examined again each time.
    let mut qualifies = false;
    for piece in all {
        match out.last_mut() {
            Some(last) if qualifies && last.text.last() == Some(&b',') && takes(&piece.text) => last.push(b" ", &piece),
            _ => {
                qualifies = !begins_resource(&piece.text) && qualifier_name(&without(&piece.text)).is_some();
                out.push(piece);
            }
        }
    }
    out
}

/// A word of a permission or prohibition.
#[derive(Clone)]
pub(super) struct Word<'t> {
    pub(super) text: Cow<'t, [u8]>,
    /// It ended at a control character.
    pub(super) cut: bool,
    /// The first and the last token that it consists of; empty for a word that is not written.
    pub(super) ends: [&'t [u8]; 2],
}

impl<'t> Word<'t> {
    /// A word up to its first control character, without any before it. From the name of a qualifier they are removed.
    fn of(piece: Piece<'t>) -> Self {
        let Piece { text: token, ends } = piece;
        let text = trimmed(&token);
        let whole = ended(text);
        if whole.len() == text.len() {
            let text = match token {
                Cow::Borrowed(token) => Cow::Borrowed(trimmed(token)),
                Cow::Owned(token) if text.len() == token.len() => Cow::Owned(token),
                Cow::Owned(_) => Cow::Owned(text.to_vec()),
            };
            return Self { text, cut: false, ends };
        }
        let name = memchr::memchr(b'=', text).and_then(|end| text.split_at_checked(end));
        match name.map(|(name, value)| (without(name), trimmed(value.get(1..).unwrap_or(&[])))) {
            Some((name, value)) if is_qualifiers(&name) => {
                let text = [&name, &b"="[..], ended(value)].concat();
                Self { text: Cow::Owned(text), cut: ended(value).len() < value.len(), ends }
            }
            // The word may have continued, so its end is no anchor.
            _ => {
                let left = cuts::pattern(whole);
                let left = if left.is_empty() { b"/".to_vec() } else { left.to_vec() };
                Self { text: Cow::Owned(left), cut: true, ends }
            }
        }
    }

    /// The word for every resource, where none is written.
    pub(super) fn everything() -> Self {
        Self { text: Cow::Borrowed(b"/"), cut: false, ends: [&[]; 2] }
    }

    /// Whether it is a known qualifier, and not a resource.
    pub(super) fn is_known_qualifier(&self) -> bool {
        !begins_resource(&self.text) && qualifier_name(&self.text).is_some_and(restrictions::is_name)
    }

    /// Whether a word of a prohibition, after the first, names resources, even if it is unknown which: whether
    /// it is not a qualifier.
    pub(super) fn names_resources(&self) -> bool {
        begins_pattern(&self.text)
            || is_marked(&self.text)
            || is_unclear(&self.text, self.cut)
            || memchr::memchr(b'=', &self.text).is_none()
            || is_uri(&self.text)
    }

    /// The resources that commas or semicolons divide it into, where another resource or the end follows; none without
    /// such a sign. Before a star the sign is part of the pattern, as in real files. The last part of a word that was
    /// cut may have continued.
    pub(super) fn parted(&self) -> Vec<Self> {
        let ends = self.text.iter().enumerate().filter(|(_, byte)| matches!(byte, b',' | b';'));
        let ends = ends.map(|(place, _)| place).filter(|place| {
            let rest = self.text.get(place.saturating_add(1)..).unwrap_or(&[]);
            let divides = begins_resource(rest) && rest.first() != Some(&b'*');
            rest.is_empty() || divides || (self.cut && is_unclear(rest, true))
        });
        let mut out = Vec::new();
        let mut from = 0usize;
        for end in ends.chain([self.text.len()]) {
            let part = self.text.get(from..end).unwrap_or(&[]);
            from = end.saturating_add(1);
            let cut = self.cut && end == self.text.len();
            if (!part.is_empty() || cut) && part.len() < self.text.len() {
                // A part of a word that was rewritten has the place of the whole.
                let (text, ends) = match &self.text {
                    Cow::Borrowed(text) => {
                        let part = text.get(offset(text, part)..).and_then(|rest| rest.get(..part.len()));
                        (Cow::Borrowed(part.unwrap_or(text)), [part.unwrap_or(text); 2])
                    }
                    Cow::Owned(_) => (Cow::Owned(part.to_vec()), self.ends),
                };
                out.push(Self { text, cut, ends });
            }
        }
        out
    }
}

fn is_qualifiers(name: &[u8]) -> bool {
    std::str::from_utf8(name).is_ok_and(restrictions::is_name)
}

/// The value of a permission or prohibition, read.
pub(super) struct Value<'t> {
    pub(super) resources: Vec<Word<'t>>,
    /// The words that are not resources.
    pub(super) qualifiers: Vec<Word<'t>>,
    /// A control character ends one of these, and the rest of it is unknown.
    pub(super) ended: bool,
}

impl<'t> Value<'t> {
    /// `resource-specification *(1*WSP qualifier-specification)` of a permission, `resource-specification` of a
    /// prohibition (P1 4.5.6)
    ///
    /// Reads the value of a permission or prohibition; `more` are further possible values, where its name may end in
    /// several places.
    pub(super) fn read(value: &'t [u8], more: &[&'t [u8]], effect: Effect) -> Self {
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
                out.qualifiers.push(word);
            }
        }
        // A comma may divide resources, or be part of one: a prohibition covers both readings.
        if effect == Effect::Prohibits {
            let parted: Vec<Word> = out.resources.iter().flat_map(Word::parted).collect();
            out.resources.extend(parted);
        }
        let more = more.iter().flat_map(|value| value_words(value, effect).into_iter().enumerate());
        out.resources.extend(more.filter(|(place, word)| *place == 0 || word.names_resources()).map(|(_, word)| word));
        out
    }
}

/// The words of a permission or prohibition. In a prohibition a word that begins like a resource does not continue a
/// qualifier. The first word is a resource, unless it is a known qualifier.
pub(super) fn value_words(value: &[u8], effect: Effect) -> Vec<Word<'_>> {
    let mut rest = whole_prefixes(pieces(blanked(value)));
    let first = rest.first().map(|first| Word::of(first.clone()));
    let resource = first.filter(|first| !first.is_known_qualifier());
    if resource.is_some() {
        rest.remove(0);
    }
    let rest = continued(rest, |piece| effect == Effect::Permits || !begins_pattern(piece));
    let words = resource.into_iter().chain(rest.into_iter().map(Word::of));
    words.filter(|word| !word.text.is_empty()).collect()
}

/// The tokens, joined where a blank within the prefix of a resource set divides them.
fn whole_prefixes(mut all: Vec<Piece<'_>>) -> Vec<Piece<'_>> {
    let mut divided = (1..all.len()).rev().filter(|place| {
        all.get(place.saturating_sub(1))
            .zip(all.get(*place))
            .is_some_and(|(one, next)| divides_set(&one.text, &next.text))
    });
    if let Some(place) = divided.next() {
        let next = all.remove(place);
        if let Some(token) = all.get_mut(place.saturating_sub(1)) {
            token.push(b"", &next);
        }
    }
    all
}

/// Whether an apparent pattern is a qualifier with a typo in its name: `/time-limit=5-days`.
pub(super) fn is_nearly_qualifier(token: &[u8]) -> bool {
    /// Octets of the longest name with a typo.
    const LONGEST: usize = 32;
    let name = memchr::memchr(b'=', token).filter(|end| *end <= LONGEST).and_then(|end| token.get(..end));
    name.is_some_and(|name| {
        let folded = fold(&String::from_utf8_lossy(name));
        restrictions::names().any(|known| slip(&folded, &fold(known)))
    })
}

/// `qualifier-type = name-start-char *name-char`: the name before the `=` of a qualifier (P1 4.5.6).
pub(super) fn qualifier_name(token: &[u8]) -> Option<&str> {
    let end = memchr::memchr(b'=', token)?;
    let name = std::str::from_utf8(token.get(..end)?).ok()?;
    (!name.is_empty() && name.bytes().all(|byte| leading_name(&[byte]).len() == 1)).then_some(name)
}

/// The letter after `ACAP-`, which tells most fields apart.
pub(super) fn initial(line: &[u8]) -> u8 {
    let letters = line.iter().filter(|byte| !is_control(**byte));
    let letter = letters.skip(4).find(|byte| !is_space(**byte) && **byte != b'-' && byte.is_ascii());
    letter.map_or(0, u8::to_ascii_lowercase)
}

/// Whether a line begins like a field that does not affect others, and so need not be read before them.
pub(super) fn is_plain(line: &[u8]) -> bool {
    const PLAIN: [&str; 5] = ["allow-", "disallow-", "usage-purpose", "permissions-", "crawler"];
    begins(line, "acap-") && PLAIN.iter().any(|name| line.get(5..).is_some_and(|rest| begins(rest, name)))
}

/// The version of a `##ACAP version=xxx` line (P1 4.5.4).
pub(super) fn commented_version(line: &[u8]) -> Option<String> {
    version_of_comment(line).map(|version| String::from_utf8_lossy(version).to_ascii_lowercase())
}

/// That version, as a part of the line.
pub(crate) fn version_of_comment(line: &[u8]) -> Option<&[u8]> {
    let after = |text: &'_ [u8], word: &[u8]| {
        text.get(..word.len()).filter(|head| head.eq_ignore_ascii_case(word)).map(<[u8]>::len)
    };
    let rest = line.strip_prefix(b"##")?.trim_ascii_start();
    let rest = rest.get(after(rest, b"acap")?..)?;
    let rest = rest.first().filter(|octet| octet.is_ascii_whitespace()).map(|_| rest.trim_ascii_start())?;
    let rest = rest.get(after(rest, b"version")?..)?.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    rest.split(|octet| octet.is_ascii_whitespace() || *octet == b'#').next()
}
