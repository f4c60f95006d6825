//! Control characters: dropped in names, trimmed from values, and what they do within one.
//!
//! They are the octets below 0x20 but for tab and line ends, and 0x7F; vertical tab and form feed are blanks. Within a
//! value the first ends it, and a permission is void. No line of a text without them comes here.

use crate::octets::is_space;

/// A control character.
#[inline]
pub(crate) fn is_control(byte: u8) -> bool {
    (byte < 0x20 && !is_space(byte)) || byte == 0x7F
}

/// A control character, or a blank that is no usual one.
#[inline]
pub(crate) fn is_odd(byte: u8) -> bool {
    (byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r')) || byte == 0x7F
}

/// Which octets a text holds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Holds {
    /// Control characters, or blanks that are no usual ones.
    pub odd: bool,
    /// Nothing but ASCII.
    pub ascii: bool,
}

/// Which octets a text holds.
pub(crate) fn holds(text: &[u8]) -> Holds {
    /// Octets examined together.
    const RUN: usize = 256;
    // One comparison finds the octets below 0x20, 0x7F and those above it; few runs have more of these than line ends.
    let may_be = |byte: u8| (byte.wrapping_add(1).cast_signed() < 0x21) & (byte != b'\n') & (byte != b'\r');
    let looked_at = |run: &&[u8]| run.iter().fold(false, |found, byte| found | may_be(*byte));
    text.chunks(RUN).filter(looked_at).fold(Holds { odd: false, ascii: true }, |held, run| Holds {
        odd: held.odd | run.iter().fold(false, |odd, byte| odd | is_odd(*byte)),
        ascii: held.ascii && run.is_ascii(),
    })
}

/// Cuts blanks and control characters from both ends.
pub(crate) fn trimmed(mut text: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = text {
        if !is_space(*first) && !is_control(*first) {
            break;
        }
        text = rest;
    }
    while let [rest @ .., last] = text {
        if !is_space(*last) && !is_control(*last) {
            break;
        }
        text = rest;
    }
    text
}

/// A value up to its first control character.
pub(crate) fn ended(value: &[u8]) -> &[u8] {
    match value.iter().position(|byte| is_control(*byte)) {
        Some(end) => trimmed(value.get(..end).unwrap_or(value)),
        None => value,
    }
}

/// Whether more of a value than blanks and control characters stands behind the place in its line where one of these
/// ended it, comments aside.
pub(crate) fn goes_on(line: &[u8], end: usize) -> bool {
    let rest = line.get(end..).unwrap_or(&[]);
    let rest = rest.split(|byte| *byte == b'#').next().unwrap_or(rest);
    !trimmed(rest).is_empty()
}

/// A text without its control characters.
pub(crate) fn without(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|byte| !is_control(*byte)).collect()
}
