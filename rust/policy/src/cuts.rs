//! What a limit cut of a line is replaced by the strictest that it may have been (P1 4.6).
//!
//! A line of which the rest can only be comment is whole. Of any other the field is known by what was read, or not at
//! all: then the line may have been any.

use crate::acap::field::{NameRead, name_read};
use crate::acap::name::may_be_marked;
use crate::controls::{ended, trimmed, without};
use crate::fields::{Kind, Manner, is_acap, is_acap_comment, kind_of, kind_seen, names, without_unseen};
use crate::places::offset;

/// What is left of a line that a limit cut.
pub(crate) enum Cut<'a> {
    /// Only comment was cut.
    Comment,
    /// A field of which something was cut; its value as far as it counts.
    Field(Kind, &'a [u8]),
    Nothing,
}

/// What is left of a line of which `line` was read, up to the limit.
pub(crate) fn read(line: &[u8], manner: Manner) -> Cut<'_> {
    let all = trimmed(line);
    if all.first() == Some(&b'#') {
        return if manner.acap { comment(all) } else { Cut::Comment };
    }
    if memchr::memchr(b'#', all).is_some() {
        return Cut::Comment;
    }
    let bare = without(all);
    if is_acap(&bare) {
        // Blanks after a name tell that it is whole.
        let from = line.get(offset(line, all)..).unwrap_or(all);
        return match name_read(from) {
            _ if !manner.acap => Cut::Nothing,
            NameRead::Nothing => Cut::Field(Kind::Torn, all),
            NameRead::Effect | NameRead::Name => Cut::Field(Kind::Acap, all),
        };
    }
    let nothing = all.get(..0).unwrap_or(all);
    if manner.acap && kind_of(&bare).0 == Kind::Unknown && may_be_marked(&bare) {
        return Cut::Field(Kind::Torn, all);
    }
    let kind = |name: &[u8]| match kind_of(name).0 {
        Kind::Unknown => kind_seen(name),
        kind => kind,
    };
    match memchr::memchr(b':', all) {
        Some(at) => {
            let name = without(trimmed(all.get(..at).unwrap_or(all)));
            let value = trimmed(all.get(at.saturating_add(1)..).unwrap_or(nothing));
            match kind(&name) {
                Kind::Agent => Cut::Field(Kind::Agent, nothing),
                Kind::Allow => Cut::Field(Kind::CutAllow, nothing),
                Kind::Disallow => Cut::Field(Kind::Disallow, pattern(ended(value))),
                Kind::ContentSignal => Cut::Field(Kind::CutContentSignal, value),
                Kind::ContentUsage => Cut::Field(Kind::CutContentUsage, value),
                // Each version reads the lines after it in another way.
                Kind::RobotVersion => Cut::Field(Kind::Torn, all),
                kind => Cut::Field(kind, value),
            }
        }
        None if kind(&bare) == Kind::Disallow => Cut::Field(Kind::Disallow, nothing),
        None if may_decide(without_unseen(&bare)) => Cut::Field(Kind::Torn, all),
        None => Cut::Field(Kind::Text, all),
    }
}

/// A pattern as far as it was read: no part of an escape at the cut, and no `$` that could be taken for an anchor.
pub(crate) fn pattern(value: &[u8]) -> &[u8] {
    let mut value = value;
    loop {
        value = match value {
            [rest @ .., b'%' | b'$'] => rest,
            [rest @ .., b'%', digit] if digit.is_ascii_hexdigit() => rest,
            _ => return trimmed(value),
        };
    }
}

/// A comment that may be the beginning of `##ACAP version=n.m`.
fn comment(all: &[u8]) -> Cut<'_> {
    let bare = without(all);
    let rest = match bare.as_slice() {
        b"#" => Some(&[][..]),
        other => other.strip_prefix(b"##"),
    };
    let rest = rest.map(trimmed).filter(|rest| memchr::memchr(b'#', rest).is_none());
    let may_be = rest.is_some_and(|rest| begins_with(b"acap", rest)) || (rest.is_some() && is_acap_comment(&bare));
    if may_be { Cut::Field(Kind::AcapComment, all) } else { Cut::Comment }
}

/// Whether a word begins with what was read of it, in any case.
fn begins_with(word: &[u8], read: &[u8]) -> bool {
    word.get(..read.len()).is_some_and(|head| head.eq_ignore_ascii_case(read))
}

/// Whether what was read, without a colon, may be of a field that takes part in decisions.
fn may_decide(read: &[u8]) -> bool {
    names_that_decide().any(|name| begins_with(name, read) || begins_with(read, name))
}

/// The names of the fields that take part in decisions.
pub(crate) fn names_that_decide() -> impl Iterator<Item = &'static [u8]> {
    let decides = |kind: Kind| {
        matches!(
            kind,
            Kind::Agent
                | Kind::Allow
                | Kind::Disallow
                | Kind::RobotVersion
                | Kind::ContentSignal
                | Kind::ContentUsage
                | Kind::License
        )
    };
    names().filter(move |(_, kind)| decides(*kind)).map(|(name, _)| name)
}
