//! Octets that a writer of tables made a text of: as Python and Java show them, in Base64, in hexadecimal digits; and
//! lines that were made one.

use crate::document::is_robots;
use crate::fields::{is_acap, names};

/// The octets of Python's text of them; within, none where a text only looks like one.
pub(super) fn of_repr(text: &[u8]) -> Option<Option<Vec<u8>>> {
    let text = trimmed(text);
    is_like_python(text).then(|| unquoted(text).filter(|octets| !is_like_python(trimmed(octets))))
}

/// How texts of octets begin before a quotation mark in Python, and those of texts in its second version.
const QUOTING: [&[u8]; 6] = [b"b", b"u", b"r", b"br", b"rb", b"ur"];

/// What holds octets in Python, before a parenthesis.
const HOLDING: [&[u8]; 7] = [b"bytes", b"bytearray", b"memoryview", b"array", b"binary", b"np.bytes_", b"np.str_"];

/// Whether a text is one that Python, or Java, shows of a value.
fn is_like_python(text: &[u8]) -> bool {
    let is_of = |words: &[&[u8]], name: &[u8]| words.iter().any(|word| name.eq_ignore_ascii_case(word));
    let is_name = |octet: &u8| octet.is_ascii_alphanumeric() || matches!(octet, b'_' | b'.');
    let length = text.iter().take(LONGEST_NAME).take_while(|octet| is_name(octet)).count();
    let Some((name, rest)) = text.split_at_checked(length) else { return false };
    match rest.first() {
        Some(b'\'' | b'"') => is_of(&QUOTING, name),
        Some(b'(') => is_of(&HOLDING, name),
        Some(b'<') if name.is_empty() => is_address(rest),
        Some(b'[') if name.is_empty() => rest.strip_prefix(b"[B@").is_some_and(is_hex),
        _ => false,
    }
}

/// Octets of the longest of these names.
const LONGEST_NAME: usize = 16;

/// Whether a text is of an object by its address: `<memory at 0x7f01>`.
fn is_address(text: &[u8]) -> bool {
    let inner = text.strip_prefix(b"<").and_then(|text| text.strip_suffix(b">"));
    let Some(inner) = inner.filter(|inner| !inner.iter().any(|octet| b"<>\r\n".contains(octet))) else { return false };
    let place = inner.windows(ADDRESS.len()).rposition(|part| part.eq_ignore_ascii_case(ADDRESS));
    place.and_then(|place| inner.get(place.saturating_add(ADDRESS.len())..)).is_some_and(is_hex)
}

const ADDRESS: &[u8] = b" at 0x";

fn is_hex(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_hexdigit)
}

/// The octets of `b'…'` as Python writes them, in one line.
fn unquoted(text: &[u8]) -> Option<Vec<u8>> {
    let (mark, inner) = text.strip_prefix(b"b")?.split_first()?;
    let inner = inner.strip_suffix(&[*mark]).filter(|_| matches!(mark, b'\'' | b'"'))?;
    let mut out = Vec::with_capacity(inner.len());
    let mut rest = inner.iter().copied();
    while let Some(octet) = rest.next() {
        out.push(match octet {
            b'\\' => match rest.next()? {
                one @ (b'\\' | b'\'' | b'"') => one,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'x' => hex_octet(rest.next()?, rest.next()?)?,
                _ => return None,
            },
            b'\r' | b'\n' | 0x80.. => return None,
            one if one == *mark => return None,
            one => one,
        });
    }
    Some(out)
}

fn hex_octet(high: u8, low: u8) -> Option<u8> {
    let digit = |one: u8| char::from(one).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)?.wrapping_shl(4) | digit(low)?)
}

/// Whether the ends of the lines of a text were written as characters: `\n`, `\x0A` as DuckDB has it, `\012`.
pub(super) fn is_on_one_line(text: &[u8]) -> bool {
    let has_ends = text.iter().any(|octet| matches!(octet, b'\n' | b'\r'));
    let is_end = |place: usize| {
        let rest = text.get(place.saturating_add(1)..).unwrap_or_default();
        WRITTEN_ENDS.iter().any(|end| rest.get(..end.len()).is_some_and(|rest| rest.eq_ignore_ascii_case(end)))
    };
    !has_ends && memchr::memchr_iter(b'\\', text).any(is_end)
}

/// How ends of lines are written behind `\`.
const WRITTEN_ENDS: [&[u8]; 8] = [b"n", b"r", b"x0a", b"x0d", b"012", b"015", b"u000a", b"u000d"];

/// Whether the lines of a robots.txt became one, with blanks or nothing between them: several fields stand in it.
pub(super) fn is_joined(text: &[u8]) -> bool {
    let is_field = |colon: &usize| {
        let before = text.get(..*colon).unwrap_or_default().trim_ascii_end();
        let is_name = |octet: &&u8| octet.is_ascii_alphanumeric() || **octet == b'-';
        let length = before.iter().rev().take(LONGEST_FIELD).take_while(is_name).count();
        let name = before.get(before.len().saturating_sub(length)..).unwrap_or_default().to_ascii_lowercase();
        is_acap(&name) || names().any(|(known, _)| name.ends_with(known))
    };
    !text.iter().any(|octet| matches!(octet, b'\n' | b'\r'))
        && memchr::memchr_iter(b':', text).filter(is_field).nth(1).is_some()
}

/// More octets than the name of any field has.
const LONGEST_FIELD: usize = 64;

/// Whether a text is in quotation marks, as one field of CSV or one text of JSON is.
pub(super) fn is_quoted(text: &[u8]) -> bool {
    matches!(text, [b'"', .., b'"'] | [b'\'', .., b'\''])
}

/// Whether a text is a robots.txt in Base64, as databases write octets into JSON, or in hexadecimal digits, as into CSV.
pub(super) fn is_coded(text: &[u8]) -> bool {
    let is_file = |octets: &Vec<u8>| octets.contains(&b':') && is_robots(octets);
    is_one_word(text) && [of_hex(text), of_base64(text)].iter().flatten().any(is_file)
}

/// Whether a text has neither a blank nor a colon, as octets in such a coding have not, whatever their lines: almost every
/// other soon has one.
fn is_one_word(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(|octet| octet.is_ascii_alphanumeric() || b"\\+/-_=\r\n".contains(octet))
}

/// Whether the text of a page is one in such a coding, or one that was written as a text within JSON: `name=\"robots\"`.
///
/// A reader of pages finds neither an element nor an attribute there, and so nothing that prohibits.
pub fn is_coded_page(text: &[u8]) -> bool {
    let text = trimmed(text);
    if is_one_word(text) {
        let is_markup = |octets: &Vec<u8>| octets.contains(&b'<') && octets.contains(&b'>');
        return text.len() >= SHORTEST_PAGE && [of_hex(text), of_base64(text)].iter().flatten().any(is_markup);
    }
    let is_escaped = |place: usize| text.get(place.saturating_add(1)..).is_some_and(|rest| rest.starts_with(b"\\\""));
    let mut values = memchr::memchr_iter(b'=', text).filter(|place| {
        text.get(place.saturating_add(1)..).is_some_and(|rest| rest.starts_with(b"\"") || rest.starts_with(b"\\\""))
    });
    is_on_one_line(text) && values.next().is_some_and(is_escaped) && values.all(is_escaped)
}

/// No page whose coding matters is shorter.
const SHORTEST_PAGE: usize = 16;

fn of_hex(text: &[u8]) -> Option<Vec<u8>> {
    let begins: [&[u8]; 3] = [b"\\x", b"0x", b"0X"];
    let digits = begins.iter().find_map(|begin| text.strip_prefix(*begin)).unwrap_or(text);
    // The last one is alone where a text was cut.
    let (pairs, _) = digits.as_chunks::<2>();
    pairs.iter().map(|[high, low]| hex_octet(*high, *low)).collect()
}

fn of_base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let (mut held, mut bits) = (0u32, 0u32);
    for octet in text.iter().copied().filter(|octet| !b"=\r\n".contains(octet)) {
        let digit = match octet {
            b'A'..=b'Z' => octet.wrapping_sub(b'A'),
            b'a'..=b'z' => octet.wrapping_sub(b'a').wrapping_add(26),
            b'0'..=b'9' => octet.wrapping_sub(b'0').wrapping_add(52),
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        held = held.wrapping_shl(6) | u32::from(digit);
        bits = bits.wrapping_add(6);
        if bits >= 8 {
            bits = bits.wrapping_sub(8);
            out.extend(u8::try_from(held.wrapping_shr(bits) & 0xFF));
        }
    }
    Some(out)
}

/// A text without blanks around it.
pub(super) fn trimmed(mut text: &[u8]) -> &[u8] {
    while let Some(rest) = first(text).filter(|(letter, _)| is_blank(*letter)).map(|(_, rest)| rest) {
        text = rest;
    }
    while let Some(rest) = last(text).filter(|(letter, _)| is_blank(*letter)).map(|(_, rest)| rest) {
        text = rest;
    }
    text
}

fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '\u{1C}'..='\u{1F}' | '\u{FEFF}')
}

/// Octets of a letter at most.
const LETTER: usize = 4;

fn first(text: &[u8]) -> Option<(char, &[u8])> {
    let head = text.get(..LETTER.min(text.len()))?;
    let letter = head.utf8_chunks().next()?.valid().chars().next()?;
    Some((letter, text.get(letter.len_utf8()..)?))
}

fn last(text: &[u8]) -> Option<(char, &[u8])> {
    let begin = text.iter().rev().take(LETTER).position(|octet| octet & 0xC0 != 0x80)?.saturating_add(1);
    let (rest, letter) = text.split_at_checked(text.len().checked_sub(begin)?)?;
    Some((std::str::from_utf8(letter).ok()?.chars().next()?, rest))
}
