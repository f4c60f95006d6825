//! Octets → text: UTF-16 is decoded, everything else is read as it stands.

use std::borrow::Cow;
use std::sync::Arc;

use crate::dialect::Dialect;
use crate::fields::{Kind, field};
use crate::limits::Limits;
use crate::lines::{Line, Lines};

/// A text that differs from its octets.
#[derive(Clone, Debug)]
pub(crate) struct Decoded {
    pub(crate) text: Arc<[u8]>,
    /// The mark was not one of UTF-16, and was skipped.
    pub(crate) false_mark: bool,
}

/// UTF-16 with a byte order mark as UTF-8; an odd last octet is dropped.
///
/// The mark is skipped where the octets after it have a field as UTF-8 and none by the mark. Beyond the limit nothing
/// is read, and no part of a line.
pub(crate) fn decode(octets: &[u8], limits: &Limits) -> Option<Decoded> {
    let (big, all) = match octets {
        [0xFE, 0xFF, rest @ ..] => (true, rest),
        [0xFF, 0xFE, rest @ ..] => (false, rest),
        _ => return None,
    };
    let most = limits.octets_read().saturating_sub(2);
    let rest = all.get(..most).unwrap_or(all);
    let whole = |text: &[u8]| -> Arc<[u8]> {
        let ends = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let end = if rest.len() == all.len() { Some(text.len()) } else { text.iter().rposition(ends) };
        Arc::from(text.get(..end.unwrap_or(0)).unwrap_or(text))
    };
    let units = rest.as_chunks::<2>().0.iter().map(|pair| match big {
        true => u16::from_be_bytes(*pair),
        false => u16::from_le_bytes(*pair),
    });
    let text: String = char::decode_utf16(units).map(|letter| letter.unwrap_or('\u{FFFD}')).collect();
    let false_mark = has_field(rest) && !has_field(text.as_bytes());
    if false_mark {
        drop(text);
        return Some(Decoded { text: whole(rest), false_mark });
    }
    Some(Decoded { text: whole(text.as_bytes()), false_mark })
}

/// Whether a line of a text has a known field.
fn has_field(text: &[u8]) -> bool {
    let known = |line: Line| {
        let field = field(text.get(line.start..line.end).unwrap_or(&[]), Dialect::AUTO.manner);
        match field.kind {
            Kind::Blank | Kind::Remark | Kind::AcapComment | Kind::Unknown | Kind::Text | Kind::Torn => false,
            Kind::Acap => crate::acap::field::is_known(field.value),
            _ => true,
        }
    };
    Lines::new(text).any(known)
}

/// The text of octets: the octets themselves, or decoded from UTF-16.
pub(crate) fn text_of(octets: &[u8], dialect: Dialect) -> Cow<'_, [u8]> {
    let all = Limits { file_octets: usize::MAX, ..Limits::default() };
    let decoded = if dialect.as_it_comes { None } else { decode(octets, &all) };
    decoded.map_or(Cow::Borrowed(octets), |decoded| Cow::Owned(decoded.text.to_vec()))
}
