//! A line → its field: the name, by which its kind is known, and the value.

use crate::acap::field::is_nearly_acap;
use crate::acap::spelling::is_nearly_version;
use crate::controls::{ended, is_odd, trimmed, without};
use crate::octets::{is_space, trim};

/// The kind of a line's field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    Agent,
    Allow,
    Disallow,
    /// An Allow that was not read whole: it permits nothing, but counts as a line of its group.
    CutAllow,
    Sitemap,
    CrawlDelay,
    RequestRate,
    VisitTime,
    Comment,
    RobotVersion,
    Host,
    CleanParam,
    Noindex,
    ContentSignal,
    ContentUsage,
    /// A Content-Signal line that was too long: the part that was cut may have refused anything.
    CutContentSignal,
    /// A Content-Usage line, likewise.
    CutContentUsage,
    License,
    /// A line of an ACAP field; the span is the whole field.
    Acap,
    /// `##ACAP …`; the span is the whole line.
    AcapComment,
    /// White space only; kept where blank lines end records.
    Blank,
    /// A comment only.
    Remark,
    /// An unknown field.
    Unknown,
    /// No field at all.
    Text,
    /// A line that a limit cut before its field was known: it may be any field.
    Torn,
}

/// Names of conventional and other fields. A field is known by the beginning of its name, in any case, as the widely
/// used matcher reads it; the first row that fits counts.
const NAMES: [(&[u8], Kind, bool); 26] = [
    (b"sitemap", Kind::Sitemap, false),
    (b"site-map", Kind::Sitemap, true),
    (b"user-agent", Kind::Agent, false),
    (b"useragent", Kind::Agent, true),
    (b"user agent", Kind::Agent, true),
    (b"allow", Kind::Allow, false),
    (b"disallow", Kind::Disallow, false),
    (b"dissallow", Kind::Disallow, true),
    (b"dissalow", Kind::Disallow, true),
    (b"disalow", Kind::Disallow, true),
    (b"diasllow", Kind::Disallow, true),
    (b"disallaw", Kind::Disallow, true),
    (b"crawl-delay", Kind::CrawlDelay, false),
    (b"crawldelay", Kind::CrawlDelay, true),
    (b"request-rate", Kind::RequestRate, false),
    (b"visit-time", Kind::VisitTime, false),
    (b"comment", Kind::Comment, false),
    (b"robot-version", Kind::RobotVersion, false),
    (b"host", Kind::Host, false),
    (b"clean-param", Kind::CleanParam, false),
    (b"noindex", Kind::Noindex, false),
    (b"content-signal", Kind::ContentSignal, false),
    (b"content-signals", Kind::ContentSignal, true),
    (b"content-usage", Kind::ContentUsage, false),
    (b"license", Kind::License, false),
    (b"licence", Kind::License, true),
];

/// The rows of [`NAMES`] that may be known by their beginning; the others must be the whole name.
const BY_BEGINNING: usize = 12;

/// Whether one of [`NAMES`] begins with a letter; few lines of pages do.
#[inline]
fn begins_name(first: u8) -> bool {
    matches!(first | 0x20, b'a' | b'c' | b'd' | b'h' | b'l' | b'n' | b'r' | b's' | b'u' | b'v')
}

/// How lines are read.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// A NUL ends what is read of a line, as in a C string.
    pub nul_ends_line: bool,
    /// The part of a line that a limit cuts is ignored.
    pub cut_overlong: bool,
    /// Control characters are dropped in names and end values; vertical tab and form feed are blanks.
    pub controls: bool,
    /// Invisible characters before a name are not part of it.
    pub unseen: bool,
    /// ACAP lines are kept, and are not conventional fields.
    pub acap: bool,
    /// Blank lines are kept.
    pub blanks: bool,
}

/// A line taken apart.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    pub kind: Kind,
    pub name: &'a [u8],
    /// The value, or the whole field for ACAP lines.
    pub value: &'a [u8],
    /// A colon is missing.
    pub no_colon: bool,
    /// The name is a known misspelling.
    pub misspelt: bool,
}

impl<'a> Field<'a> {
    /// A line without a name of its own, or an ACAP line, whose name its own reader finds.
    fn unnamed(kind: Kind, value: &'a [u8]) -> Self {
        Self { kind, name: &[], value, no_colon: false, misspelt: false }
    }
}

/// ```text
/// startgroupline = *WS "user-agent" *WS ":" *WS product-token EOL                              ; RFC 9309 2.2
/// rule           = *WS ("allow" / "disallow") *WS ":" *WS (path-pattern / empty-pattern) EOL
/// comment        = "#" *(UTF8-char-noctl / WS / "#")
/// ```
///
/// Takes one line apart, which is without its end and already cut. A colon may be missing.
pub fn field(line: &[u8], manner: Manner) -> Field<'_> {
    if manner.controls && line.iter().any(|byte| is_odd(*byte)) {
        return with_controls(line, manner);
    }
    let trimmed = trim(line);
    if trimmed.is_empty() {
        return Field::unnamed(Kind::Blank, trimmed);
    }
    if trimmed.first() == Some(&b'#') {
        let acap = manner.acap && is_acap_comment(trimmed);
        return Field::unnamed(if acap { Kind::AcapComment } else { Kind::Remark }, trimmed);
    }
    let body = match memchr::memchr(b'#', trimmed) {
        Some(at) => trim(trimmed.get(..at).unwrap_or(trimmed)),
        None => trimmed,
    };
    if is_acap(body) {
        return Field::unnamed(Kind::Acap, body);
    }
    let (name, value, no_colon) = match memchr::memchr(b':', body) {
        Some(at) => {
            (trim(body.get(..at).unwrap_or(body)), trim(body.get(at.saturating_add(1)..).unwrap_or(&[])), false)
        }
        None => {
            // Exactly two words count as a field whose colon was forgotten.
            let Some(at) = memchr::memchr2(b' ', b'\t', body) else { return Field::unnamed(Kind::Text, body) };
            let tail = body.get(at..).unwrap_or(&[]);
            let skip = tail.iter().position(|byte| !matches!(byte, b' ' | b'\t')).unwrap_or(0);
            let value = tail.get(skip..).unwrap_or(&[]);
            if memchr::memchr2(b' ', b'\t', value).is_some() {
                return Field::unnamed(Kind::Text, body);
            }
            (trim(body.get(..at).unwrap_or(body)), trim(value), true)
        }
    };
    let (kind, misspelt) = kind_of(name);
    if kind == Kind::Unknown && manner.acap && is_nearly_acap(body) {
        return Field::unnamed(Kind::Acap, body);
    }
    if name.is_empty() {
        return Field::unnamed(Kind::Text, body);
    }
    if manner.unseen && kind == Kind::Unknown {
        return behind_unseen(Field { kind, name, value, no_colon, misspelt });
    }
    Field { kind, name, value, no_colon, misspelt }
}

/// The field, with its name read without invisible characters before it; a permission so written is none.
pub(crate) fn behind_unseen(field: Field<'_>) -> Field<'_> {
    match kind_seen(field.name) {
        Kind::Unknown => field,
        Kind::Allow => {
            Field { kind: Kind::CutAllow, value: field.value.get(..0).unwrap_or(&[]), misspelt: true, ..field }
        }
        kind => Field { kind, misspelt: true, ..field },
    }
}

/// The kind of a name without invisible characters before it; only for fields that take part in decisions.
pub(crate) fn kind_seen(name: &[u8]) -> Kind {
    let seen = without_unseen(name);
    match kind_of(seen).0 {
        kind @ (Kind::Agent
        | Kind::Allow
        | Kind::Disallow
        | Kind::ContentSignal
        | Kind::ContentUsage
        | Kind::License)
            if seen.len() < name.len() =>
        {
            kind
        }
        _ => Kind::Unknown,
    }
}

/// A name without the invisible characters before it: no-break spaces (one of Latin-1 too), soft hyphens, marks of
/// direction and of byte order, joiners; and without a part of one at the end, where a limit cut it.
pub(crate) fn without_unseen(name: &[u8]) -> &[u8] {
    let mut rest = name;
    loop {
        rest = match rest {
            [0xC2, 0xA0 | 0xAD, more @ ..]
            | [0xE2, 0x80, 0x8B..=0x8F | 0xA8..=0xAF, more @ ..]
            | [0xE2, 0x81, 0xA0..=0xAF, more @ ..]
            | [0xEF, 0xBB, 0xBF, more @ ..]
            | [0xA0, more @ ..] => more,
            [0xC2 | 0xE2 | 0xEF] | [0xE2, 0x80 | 0x81] | [0xEF, 0xBB] => &[],
            [blank, more @ ..] if is_space(*blank) => more,
            _ => return rest,
        };
    }
}

/// The names of fields, each with its kind.
pub(crate) fn names() -> impl Iterator<Item = (&'static [u8], Kind)> {
    NAMES.iter().map(|(name, kind, _)| (*name, *kind))
}

pub(crate) fn kind_of(name: &[u8]) -> (Kind, bool) {
    let Some(first) = name.first().map(u8::to_ascii_lowercase).filter(|first| begins_name(*first)) else {
        return (Kind::Unknown, false);
    };
    for (row, (known, kind, misspelt)) in NAMES.iter().enumerate() {
        let begins = known.first() == Some(&first)
            && name.get(..known.len()).is_some_and(|head| head.eq_ignore_ascii_case(known));
        if begins && (row < BY_BEGINNING || name.len() == known.len()) {
            return (*kind, *misspelt);
        }
    }
    (Kind::Unknown, false)
}

/// `ACAP` and a hyphen, a blank or the beginning of a Unicode dash.
#[inline]
pub(crate) fn is_acap(line: &[u8]) -> bool {
    match line {
        [a, c, b, p, dash, ..] => {
            [*a, *c, *b, *p].eq_ignore_ascii_case(b"acap")
                && matches!(dash, b'-' | b' ' | b'\t' | 0x0B | 0x0C | 0xE2 | 0xEF)
        }
        _ => false,
    }
}

pub(crate) fn is_acap_comment(line: &[u8]) -> bool {
    let exact = line.strip_prefix(b"##").and_then(|rest| trim(rest).get(..4));
    exact.is_some_and(|head| head.eq_ignore_ascii_case(b"acap")) || is_nearly_version(line)
}

/// Takes a line apart that may hold control characters.
fn with_controls<'a>(line: &'a [u8], manner: Manner) -> Field<'a> {
    let all = trimmed(line);
    if all.is_empty() {
        return Field::unnamed(Kind::Blank, all);
    }
    if all.first() == Some(&b'#') {
        let acap = manner.acap && is_acap_comment(&without(all));
        return Field::unnamed(if acap { Kind::AcapComment } else { Kind::Remark }, all);
    }
    let body = trimmed(all.split(|byte| *byte == b'#').next().unwrap_or(all));
    if manner.acap && is_acap(&without(body)) {
        return Field::unnamed(Kind::Acap, body);
    }
    let (name, value, no_colon) = match memchr::memchr(b':', body) {
        Some(at) => (body.get(..at).unwrap_or(body), body.get(at.saturating_add(1)..).unwrap_or(&[]), false),
        None => {
            let mut words = body.split(|byte| is_space(*byte)).map(trimmed).filter(|word: &&[u8]| !word.is_empty());
            match (words.next(), words.next(), words.next()) {
                (Some(name), Some(value), None) => (name, value, true),
                _ => return Field::unnamed(Kind::Text, body),
            }
        }
    };
    let (name, value) = (trimmed(name), trimmed(value));
    let bare = without(name);
    let (kind, misspelt) = kind_of(&bare);
    if kind == Kind::Unknown && manner.acap && is_nearly_acap(&without(body)) {
        return Field::unnamed(Kind::Acap, body);
    }
    if bare.is_empty() {
        return Field::unnamed(Kind::Text, body);
    }
    let (kind, misspelt) = match (kind, kind_seen(&bare)) {
        (Kind::Unknown, seen) if seen != Kind::Unknown => (seen, true),
        _ => (kind, misspelt),
    };
    let end = ended(value);
    match kind {
        Kind::Allow if end.len() < value.len() || bare.first().is_some_and(|octet| *octet >= 0x80) => {
            Field { kind: Kind::CutAllow, name, value: value.get(..0).unwrap_or(value), no_colon, misspelt }
        }
        // Their own reader judges what is odd.
        Kind::License | Kind::ContentSignal | Kind::ContentUsage => Field { kind, name, value, no_colon, misspelt },
        _ => Field { kind, name, value: end, no_colon, misspelt },
    }
}

#[cfg(test)]
mod tests {
    use super::{NAMES, begins_name};

    #[test]
    fn every_name_begins_as_names_do() {
        for (name, ..) in NAMES {
            assert!(name.first().is_some_and(|first| begins_name(*first)), "{}", name.escape_ascii());
        }
    }
}
