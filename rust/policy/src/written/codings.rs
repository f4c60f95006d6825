//! Octets in another coding: in Base64, Base32 or Base85, in hexadecimal digits, as numbers; packed ones in these too.

use super::coded::{hex_octet, is_of_object, is_response, of_repr, trimmed};
use super::escapes::is_escaped;
use crate::document::is_robots;

/// Whether octets are a robots.txt in another coding, or JSON with a text that is one.
pub(super) fn is_coded(text: &[u8]) -> bool {
    let is_it = |text: &[u8]| holds(text, &|octets| octets.contains(&b':') && is_robots(octets), DEEPEST);
    let is_json = || matches!(text.trim_ascii_start(), [b'{' | b'[', ..]);
    is_it(text) || is_json() && text.split(|octet| matches!(octet, b'"' | b'\'')).any(is_it)
}

/// Whether octets are those of a page in such a coding, a whole response, or a page that was written as a text of Python,
/// of JSON or of CSV: `name=\"robots\"`.
///
/// A reader of pages finds neither an element nor an attribute there, and so nothing that prohibits.
pub fn is_coded_page(text: &[u8]) -> bool {
    let text = trimmed(text);
    is_of_object(text)
        || is_response(text)
        || of_repr(text).is_some()
        || holds(text, &|octets| octets.contains(&b'<') && octets.contains(&b'>'), DEEPEST)
        || is_escaped(text)
}

/// How often octets are looked for in others: in a text of Base64 in Base64.
const DEEPEST: u8 = 3;

/// Whether octets have others in a coding, of which something is so, or which are packed.
fn holds(text: &[u8], is_so: &dyn Fn(&[u8]) -> bool, deepest: u8) -> bool {
    let Some(left) = deepest.checked_sub(1) else { return false };
    let inner = unwrapped(trimmed(text));
    let holds_it = |octets: Vec<u8>| is_packed(&octets) || is_so(&octets) || holds(&octets, is_so, left);
    let is_whole = deepest == DEEPEST; // nobody has the rare ones within another
    USUAL.iter().chain(RARE.iter().filter(|_| is_whole)).any(|octets_of| octets_of(inner).is_some_and(&holds_it))
}

/// What has the octets of a text in a coding; none if it is in another.
type Reader = fn(&[u8]) -> Option<Vec<u8>>;

const USUAL: [Reader; 4] = [of_hex, of_base64, of_numbers, of_percents];
const RARE: [Reader; 4] = [of_base32, of_base32hex, of_ascii85, of_base85];

/// A text without what says in which coding it is: `X'…'` of SQL, `data:…;base64,`, `"…"`.
fn unwrapped(text: &[u8]) -> &[u8] {
    let Some((first, rest)) = text.split_first() else { return text };
    let rest = if matches!(first, b'x' | b'X') { rest } else { text };
    let inner = |mark: u8| rest.strip_prefix(&[mark]).and_then(|rest| rest.strip_suffix(&[mark]));
    if let Some(inner) = inner(b'\'').or_else(|| inner(b'"')) {
        return inner;
    }
    let head = text.get(..text.len().min(LONGEST_HEAD)).unwrap_or_default();
    let is_named = head.get(..4).is_some_and(|name| [b"data", b"base"].iter().any(|it| name.eq_ignore_ascii_case(*it)));
    if !is_named {
        return text;
    }
    let end = head.windows(BASE64.len()).position(|part| part.eq_ignore_ascii_case(BASE64));
    let behind = end.and_then(|end| text.get(end.saturating_add(BASE64.len())..));
    behind.and_then(|rest| rest.strip_prefix(b",").or_else(|| rest.strip_prefix(b":"))).unwrap_or(text)
}

const BASE64: &[u8] = b"base64";

/// Octets of what names a coding, with a media type, at most.
const LONGEST_HEAD: usize = 128;

/// Whether octets are packed, by those that gzip, zlib, bzip2, Zstandard and xz begin with.
fn is_packed(octets: &[u8]) -> bool {
    matches!(
        octets,
        [0x1F, 0x8B, 0x08, ..]
            | [0x78, 0x9C | 0xDA | 0x01, ..]
            | [b'B', b'Z', b'h', ..]
            | [0x28, 0xB5, 0x2F, 0xFD, ..]
            | [0xFD, b'7', b'z', b'X', ..]
    )
}

/// Nothing shorter in a coding matters.
const SHORTEST: usize = 16;

/// The octets of hexadecimal digits, whatever stands between pairs of them: `\x55\x73`, `55 73`, `0x55, 0x73`, `55:73`.
fn of_hex(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((first, behind)) = rest.split_first() {
        rest = match rest {
            [b'\\' | b'0', b'x' | b'X', inner @ ..] => inner,
            [high, low, inner @ ..] if high.is_ascii_hexdigit() => {
                out.push(hex_octet(*high, *low)?);
                inner
            }
            [one] if one.is_ascii_hexdigit() => behind, // it was cut
            _ if b" ,:-\t\r\n".contains(first) => behind,
            _ => return None,
        };
    }
    (text.len() >= SHORTEST).then_some(out)
}

/// The octets of a text in Base64, whatever its lines, whose ends may be written as characters.
///
/// Words with blanks between them may look like one: what such have is a text, or packed.
fn of_base64(text: &[u8]) -> Option<Vec<u8>> {
    let may_be = |octet: &u8| octet.is_ascii_alphanumeric() || b"+-/_=\r\n \t\\".contains(octet);
    // Nearly every text says so in its first words.
    if text.len() < SHORTEST || !text.iter().all(may_be) {
        return None;
    }
    let mut digits = Bits::new(6);
    let mut rest = text.iter().copied();
    let mut is_loose = false;
    while let Some(octet) = rest.next() {
        digits.push(match octet {
            b'A'..=b'Z' => octet.wrapping_sub(b'A'),
            b'a'..=b'z' => octet.wrapping_sub(b'a').wrapping_add(26),
            b'0'..=b'9' => octet.wrapping_sub(b'0').wrapping_add(52),
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' | b'\r' | b'\n' => continue,
            b' ' | b'\t' => {
                is_loose = true;
                continue;
            }
            b'\\' if matches!(rest.next(), Some(b'r' | b'n')) => {
                is_loose = true;
                continue;
            }
            _ => return None,
        });
    }
    Some(digits.octets).filter(|octets| !is_loose || is_sound(octets))
}

/// Octets out of digits of so many bits.
struct Bits {
    size: u32,
    held: u32,
    bits: u32,
    octets: Vec<u8>,
}

impl Bits {
    const fn new(size: u32) -> Self {
        Self { size, held: 0, bits: 0, octets: Vec::new() }
    }

    fn push(&mut self, digit: u8) {
        self.held = self.held.wrapping_shl(self.size) | u32::from(digit);
        self.bits = self.bits.wrapping_add(self.size);
        if self.bits >= 8 {
            self.bits = self.bits.wrapping_sub(8);
            self.octets.extend(u8::try_from(self.held.wrapping_shr(self.bits) & 0xFF));
        }
    }
}

/// Whether octets are a text, which may be cut, or packed: whatever else comes out of a coding was not in it.
fn is_sound(octets: &[u8]) -> bool {
    let is_of_text = |octet: &u8| *octet >= b' ' && *octet != 0x7F || matches!(octet, b'\t' | b'\n' | b'\r' | 0x0C);
    let is_cut = || std::str::from_utf8(octets).err().is_none_or(|error| error.error_len().is_none());
    is_packed(octets) || octets.iter().all(is_of_text) && is_cut()
}

/// The octets of a text in Base32.
fn of_base32(text: &[u8]) -> Option<Vec<u8>> {
    of_eights(text, |octet| match octet.to_ascii_uppercase() {
        letter @ b'A'..=b'Z' => Some(letter.wrapping_sub(b'A')),
        letter @ b'2'..=b'7' => Some(letter.wrapping_sub(b'2').wrapping_add(26)),
        _ => None,
    })
}

/// The octets of a text in the Base32 that goes on from the digits of numbers.
fn of_base32hex(text: &[u8]) -> Option<Vec<u8>> {
    of_eights(text, |octet| match octet.to_ascii_uppercase() {
        letter @ b'0'..=b'9' => Some(letter.wrapping_sub(b'0')),
        letter @ b'A'..=b'V' => Some(letter.wrapping_sub(b'A').wrapping_add(10)),
        _ => None,
    })
}

/// The octets of a text in ASCII85, as PostScript has it.
fn of_ascii85(text: &[u8]) -> Option<Vec<u8>> {
    let text = text.strip_prefix(b"<~").unwrap_or(text);
    of_fives(text.strip_suffix(b"~>").unwrap_or(text), digit_of_ascii85)
}

/// The octets of a text in Base85, as Git has it.
fn of_base85(text: &[u8]) -> Option<Vec<u8>> {
    of_fives(text, digit_of_base85)
}

/// The octets of digits, of which eight are five octets. Nearly every text says in the first of them that it has none.
fn of_eights(text: &[u8], digit: impl Fn(u8) -> Option<u8>) -> Option<Vec<u8>> {
    let head = text.get(..SHORTEST)?.get(..8)?;
    let first = head.iter().try_fold(0u64, |held, octet| Some(held.wrapping_shl(5) | u64::from(digit(*octet)?)))?;
    if !is_sound(first.to_be_bytes().get(3..)?) {
        return None;
    }
    let padding = text.iter().rev().take_while(|octet| **octet == b'=').count();
    let mut found = Bits::new(5);
    for octet in of_lines(text.get(..text.len().checked_sub(padding)?)?) {
        found.push(digit(octet)?);
    }
    Some(found.octets).filter(|octets| is_sound(octets))
}

/// The octets of digits, of which five are four octets. Nearly every text says in the first of them that it has none.
fn of_fives(text: &[u8], digit: impl Fn(u8) -> Option<u8>) -> Option<Vec<u8>> {
    let more = |held: u64, octet: u8| Some(held.wrapping_mul(85).wrapping_add(digit(octet)?.into()));
    let four = |held: u64| u32::try_from(held).ok().map(u32::to_be_bytes);
    let head = text.get(..SHORTEST)?.get(..5)?;
    if !is_sound(&four(head.iter().try_fold(0, |held, octet| more(held, *octet))?)?) {
        return None;
    }
    let mut out = Vec::new();
    let (mut held, mut count) = (0u64, 0usize);
    for octet in of_lines(text) {
        held = more(held, octet)?;
        count = count.wrapping_add(1);
        if count == 5 {
            out.extend_from_slice(&four(held)?);
            (held, count) = (0, 0);
        }
    }
    if let Some(octets) = count.checked_sub(1) {
        // The greatest digit stands where none is.
        (count..5).for_each(|_| held = held.wrapping_mul(85).wrapping_add(84));
        out.extend_from_slice(four(held)?.get(..octets)?);
    }
    Some(out).filter(|octets| is_sound(octets))
}

/// The octets of a text without blanks and ends of lines.
fn of_lines(text: &[u8]) -> impl Iterator<Item = u8> {
    text.iter().copied().filter(|octet| !matches!(octet, b' ' | b'\t' | b'\r' | b'\n'))
}

/// The value of a digit of ASCII85, as PostScript has it.
fn digit_of_ascii85(octet: u8) -> Option<u8> {
    octet.checked_sub(b'!').filter(|digit| *digit < 85)
}

/// The value of a digit of Base85, as Git has it.
fn digit_of_base85(octet: u8) -> Option<u8> {
    match octet {
        b'0'..=b'9' => Some(octet.wrapping_sub(b'0')),
        b'A'..=b'Z' => Some(octet.wrapping_sub(b'A').wrapping_add(10)),
        b'a'..=b'z' => Some(octet.wrapping_sub(b'a').wrapping_add(36)),
        _ => {
            let place = b"!#$%&()*+-;<=>?@^_`{|}~".iter().position(|one| *one == octet)?;
            u8::try_from(place).ok().map(|place| place.wrapping_add(62))
        }
    }
}

/// The octets of a list of numbers, `[85, 115, …]`, as JSON and Java have it, and Node within `{"type":"Buffer", …}`.
fn of_numbers(text: &[u8]) -> Option<Vec<u8>> {
    // Nearly every text says so in its first letter.
    if text.first().is_none_or(|octet| !octet.is_ascii_digit() && !b"[](){}, \t\r\n+-".contains(octet)) {
        return None;
    }
    let is_held =
        text.starts_with(b"{") && text.get(..text.len().min(LONGEST_HEAD))?.windows(6).any(|it| it == b"Buffer");
    let inner = if is_held { text.get(memchr::memchr(b'[', text)?..)? } else { text };
    let mut out = Vec::new();
    for part in inner.split(|octet| b"[](){}, \t\r\n".contains(octet)).filter(|part| !part.is_empty()) {
        let number: i16 = std::str::from_utf8(part).ok()?.parse().ok()?;
        out.push(if number < 0 { i8::try_from(number).ok()?.cast_unsigned() } else { u8::try_from(number).ok()? });
    }
    (text.len() >= SHORTEST).then_some(out)
}

/// The octets of a text for URLs: `Disallow%3A+%2F`.
fn of_percents(text: &[u8]) -> Option<Vec<u8>> {
    let is_plain = |octet: &u8| octet.is_ascii_graphic() && !b":<>\"\\".contains(octet);
    if !text.iter().all(is_plain) || memchr::memchr(b'%', text).is_none() {
        return None;
    }
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((first, behind)) = rest.split_first() {
        rest = match behind {
            [high, low, behind @ ..] if *first == b'%' => {
                out.push(hex_octet(*high, *low)?);
                behind
            }
            _ => {
                out.push(if *first == b'+' { b' ' } else { *first });
                behind
            }
        };
    }
    Some(out)
}
