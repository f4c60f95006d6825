//! Octets in another coding: in Base64, in hexadecimal digits, as numbers; packed ones in these too; and pages whose
//! quotation marks were written as something else.

use super::coded::{hex_octet, is_of_object, is_on_one_line, is_response, of_repr, trimmed};
use crate::document::is_robots;

/// Whether octets are a robots.txt in another coding.
pub(super) fn is_coded(text: &[u8]) -> bool {
    holds(text, &|octets| octets.contains(&b':') && is_robots(octets), DEEPEST)
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
    let found = [of_hex(inner), of_base64(inner), of_numbers(inner), of_percents(inner)];
    found.iter().flatten().any(|octets| is_packed(octets) || is_so(octets) || holds(octets, is_so, left))
}

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

/// Whether octets are packed, by those that such begin with.
fn is_packed(octets: &[u8]) -> bool {
    PACKED.iter().any(|begin| octets.starts_with(begin))
}

/// The first octets of gzip, zlib, bzip2, Zstandard and xz.
const PACKED: [&[u8]; 7] =
    [b"\x1F\x8B\x08", b"\x78\x9C", b"\x78\xDA", b"\x78\x01", b"BZh", b"\x28\xB5\x2F\xFD", b"\xFD7zXZ"];

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

/// The octets of a text in Base64, whatever its lines.
fn of_base64(text: &[u8]) -> Option<Vec<u8>> {
    let may_be = |octet: &u8| octet.is_ascii_alphanumeric() || b"+-/_=\r\n".contains(octet);
    // Nearly every text says so in its first words.
    if text.len() < SHORTEST || !text.iter().all(may_be) {
        return None;
    }
    let mut out = Vec::new();
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

/// The octets of a list of numbers, `[85, 115, …]`, as JSON and Java have it, and Node within `{"type":"Buffer", …}`.
fn of_numbers(text: &[u8]) -> Option<Vec<u8>> {
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

/// Whether the quotation marks or brackets of a page were written as something else.
fn is_escaped(text: &[u8]) -> bool {
    let behind = |place: usize| text.get(place.saturating_add(1)..).unwrap_or_default();
    let Some(start) = memchr::memchr(b'<', text) else {
        let length = text.iter().take_while(|octet| b"[\"'".contains(octet)).count();
        return text.get(length..).is_some_and(|inner| begins(inner, &BRACKETS) && has_written_element(inner));
    };
    // What is served so itself, as JSON, has such marks anywhere; a page has none in its first tags.
    if text.iter().take(start).all(|octet| b"[\"'\\".contains(octet)) {
        return first_value(text).is_some_and(is_written);
    }
    let is_quoted = |place: &usize| behind(*place).starts_with(b"\"") || behind(*place).starts_with(b"\\\"");
    let mut values = memchr::memchr_iter(b'=', text).filter(is_quoted).map(behind);
    is_on_one_line(text) && values.next().is_some_and(is_written) && values.all(is_written)
}

fn begins(text: &[u8], words: &[&[u8]]) -> bool {
    words.iter().any(|word| text.get(..word.len()).is_some_and(|text| text.eq_ignore_ascii_case(word)))
}

/// Whether an element of a page is among the first, its bracket written as something else.
fn has_written_element(text: &[u8]) -> bool {
    let head = text.get(..text.len().min(LONGEST_BEGINNING)).unwrap_or_default();
    let starts = memchr::memchr3_iter(b'\\', b'&', b'%', head).filter_map(|place| text.get(place..));
    let mut inner = starts.filter_map(|rest| {
        let bracket = BRACKETS.iter().find(|bracket| begins(rest, &[bracket]))?;
        rest.get(bracket.len()..)
    });
    inner.any(|rest| begins(rest, &ELEMENTS))
}

/// The value of the first attribute of a page, and what stands behind it in its tag; none behind the first script.
fn first_value(text: &[u8]) -> Option<&[u8]> {
    for part in text.split(|octet| *octet == b'<').skip(1).filter(|part| !part.starts_with(b"!")) {
        let tag = part.get(..memchr::memchr(b'>', part).unwrap_or(part.len()))?;
        if let Some(place) = memchr::memchr(b'=', tag) {
            return tag.get(place.saturating_add(1)..);
        }
        if begins(tag, &[b"script", b"style"]) {
            return None;
        }
    }
    None
}

/// Whether the quotation mark before the value of an attribute was written as something else.
fn is_written(value: &[u8]) -> bool {
    begins(value, &QUOTATION_MARKS) || is_doubled(value)
}

/// Whether an attribute's value is in quotation marks that were doubled, as CSV has them: `""robots""`.
fn is_doubled(value: &[u8]) -> bool {
    let inner = value.strip_prefix(b"\"\"").filter(|inner| inner.first().is_some_and(u8::is_ascii_alphanumeric));
    inner.is_some_and(|inner| {
        let end = memchr::memchr2(b'"', b'>', inner).unwrap_or(inner.len());
        inner.get(end..).is_some_and(|rest| rest.starts_with(b"\"\""))
    })
}

/// How a quotation mark is written where it cannot stand itself.
const QUOTATION_MARKS: [&[u8]; 9] = [b"\\\"", b"\\'", b"\\\\", b"\\u002", b"\\x2", b"\\04", b"&quot;", b"&#3", b"%22"];

/// How `<` is.
const BRACKETS: [&[u8]; 7] = [b"\\u003c", b"\\x3c", b"\\074", b"&lt;", b"&#60;", b"&#x3c;", b"%3c"];

/// What a page begins with.
const ELEMENTS: [&[u8]; 6] = [b"!doctype", b"html", b"head", b"meta", b"body", b"title"];

/// Octets in which an element of a page stands that says what it is.
const LONGEST_BEGINNING: usize = 4096;
