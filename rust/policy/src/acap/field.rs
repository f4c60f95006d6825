//! Names of ACAP fields, with the tolerance of real files: blanks and Unicode dashes for hyphens, a colon forgotten.

use crate::octets::{is_space, trim};
use crate::usage::Usage;

/// What a field of permission or prohibition is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum About {
    Known(Usage),
    Plural(Usage),
    Unknown(String),
    Local(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Name {
    Crawler,
    Purpose,
    Allow(About),
    Disallow(About),
    QualifiedUsage,
    CompositeUsage,
    ResourceSet,
    Reference,
    Request { take_down: bool },
    IgnoreConventional,
    Version,
    Unknown,
}

/// A field taken apart: its name, its value, and whether the name needed tolerance.
pub(super) struct Field<'a> {
    pub(super) name: Name,
    /// The name as it stands.
    pub(super) head: &'a [u8],
    pub(super) value: &'a [u8],
    pub(super) tolerated: bool,
}

/// A dash at the start of the text: how many octets it has (U+2010–2015, U+2212, U+FE58, U+FE63, U+FF0D).
pub(super) fn dash(text: &[u8]) -> usize {
    match text {
        [b'-', ..] => 1,
        [0xE2, 0x80, 0x90..=0x95, ..] | [0xE2, 0x88, 0x92, ..] => 3,
        [0xEF, 0xB9, 0x98 | 0xA3, ..] | [0xEF, 0xBC, 0x8D, ..] => 3,
        _ => 0,
    }
}

/// Text in lower case in which each run of blanks and dashes is one hyphen, and where each octet of it ended.
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
        let mut run = 0usize;
        while let Some(tail) = rest.get(run..).filter(|tail| !tail.is_empty()) {
            let step = if tail.first().is_some_and(|byte| is_space(*byte)) { 1 } else { dash(tail) };
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

pub(super) fn about(name: &str) -> About {
    if let Some(usage) = Usage::known(name) {
        return About::Known(usage);
    }
    if let Some(usage) = Usage::of_plural(name) {
        return About::Plural(usage);
    }
    match name.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(local) if !local.contains(['(', ')']) => About::Local(local.trim_matches('-').to_owned()),
        _ => About::Unknown(name.to_owned()),
    }
}

/// The field of a normalised name, if it is a known one.
pub(super) fn known(name: &[u8]) -> Option<Name> {
    let name = std::str::from_utf8(name.strip_prefix(b"acap-")?).ok()?;
    let usage = |rest: &str| match about(rest) {
        About::Unknown(_) => None,
        other => Some(other),
    };
    if let Some((_, field)) = FIELDS.iter().find(|(known, _)| *known == name) {
        return Some(field.clone());
    }
    match (name.strip_prefix("allow-"), name.strip_prefix("disallow-")) {
        (Some(rest), _) => Some(Name::Allow(usage(rest)?)),
        (_, Some(rest)) => Some(Name::Disallow(usage(rest)?)),
        _ => None,
    }
}

/// Fields other than permissions and prohibitions (P1 4.5.6; `version` of Part 1 V1.1).
pub(super) const FIELDS: [(&str, Name); 10] = [
    ("crawler", Name::Crawler),
    ("usage-purpose", Name::Purpose),
    ("qualified-usage", Name::QualifiedUsage),
    ("composite-usage", Name::CompositeUsage),
    ("resource-set", Name::ResourceSet),
    ("permissions-reference", Name::Reference),
    ("request-take-down", Name::Request { take_down: true }),
    ("request-re-crawl", Name::Request { take_down: false }),
    ("ignore-conventional-records", Name::IgnoreConventional),
    ("version", Name::Version),
];

/// No known name has more words.
pub(super) const WORDS: usize = 6;

pub(super) fn field(body: &[u8]) -> Field<'_> {
    let colon = memchr::memchr(b':', body).unwrap_or(body.len());
    let written = trim(body.get(..colon).unwrap_or(body));
    let head = normal(written);
    let after = body.get(colon.saturating_add(1)..).unwrap_or(&[]);
    if let Some(name) = known(&head.text) {
        let tolerated = head.changed || (colon == body.len() && name != Name::IgnoreConventional);
        return Field { name, head: written, value: trim(after), tolerated };
    }
    if let Some(field) = longest_known(body) {
        return field;
    }
    let text = String::from_utf8_lossy(&head.text);
    let name = match (text.strip_prefix("acap-allow-"), text.strip_prefix("acap-disallow-")) {
        (Some(rest), _) if !rest.is_empty() => Name::Allow(about(rest)),
        (_, Some(rest)) if !rest.is_empty() => Name::Disallow(about(rest)),
        _ => Name::Unknown,
    };
    Field { name, head: written, value: trim(after), tolerated: head.changed }
}

/// The longest known name at the start of a line whose colon is missing or stands elsewhere.
pub(super) fn longest_known(body: &[u8]) -> Option<Field<'_>> {
    let whole = normal(body);
    let mut ends: Vec<usize> = Vec::new();
    let mut words = 0usize;
    for (place, byte) in whole.text.iter().enumerate() {
        match byte {
            b'-' => {
                words = words.saturating_add(1);
                ends.push(place);
            }
            b':' | b'/' | b'*' => {
                ends.push(place);
                break;
            }
            _ => {}
        }
        if words > WORDS {
            break;
        }
    }
    if words <= WORDS {
        ends.push(whole.text.len());
    }
    // A local name may hold anything up to its parenthesis.
    if let Some(close) = memchr::memchr(b')', &whole.text) {
        ends.push(close.saturating_add(1));
        ends.sort_unstable();
        ends.dedup();
    }
    ends.iter().rev().find_map(|end| {
        let name = known(whole.text.get(..*end)?)?;
        let from = end.checked_sub(1).and_then(|last| whole.ends.get(last)).copied()?;
        let rest = body.get(from..)?;
        let boundary = rest.first().is_none_or(|byte| is_space(*byte) || matches!(byte, b':' | b'/' | b'*'));
        let value = trim(rest);
        let value = trim(value.strip_prefix(b":").unwrap_or(value));
        let fits = match name {
            Name::Allow(_) | Name::Disallow(_) => value.is_empty() || begins_resource(value),
            _ => true,
        };
        (boundary && fits).then_some(Field { name, head: body.get(..from)?, value, tolerated: true })
    })
}

/// Whether a text is the permission of something, or a definition that a cut could loosen; such a line is dropped when it
/// is too long.
pub fn permits(body: &[u8]) -> bool {
    matches!(field(body).name, Name::Allow(_) | Name::QualifiedUsage | Name::CompositeUsage)
}

pub(super) fn begins(text: &[u8], prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix.as_bytes()))
}

pub(super) const SETS: [&str; 2] = ["acap:resource-set:", "the-acap:resource-set:"];

pub(super) fn set_name(token: &[u8]) -> Option<String> {
    let prefix = SETS.iter().find(|prefix| begins(token, prefix))?;
    let name = token.get(prefix.len()..)?;
    Some(String::from_utf8_lossy(name).to_ascii_lowercase())
}

pub(super) fn is_absolute(token: &[u8]) -> bool {
    begins(token, "http://") || begins(token, "https://")
}

pub(super) fn begins_pattern(token: &[u8]) -> bool {
    matches!(token.first(), Some(b'/' | b'*')) || SETS.iter().any(|prefix| begins(token, prefix))
}

pub(super) fn begins_resource(value: &[u8]) -> bool {
    begins_pattern(value) || is_absolute(value)
}

/// A usage in a definition.
pub(super) fn constituent(token: &[u8]) -> About {
    let name = String::from_utf8_lossy(&normal(token).text).into_owned();
    about(&name)
}
