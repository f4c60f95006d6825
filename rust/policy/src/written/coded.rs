//! Octets that a writer of tables made a text of, as Python and Java show them; and lines that were made one.

use std::borrow::Cow;

use crate::fields::{is_acap, names};

/// The octets of Python's text of them; within, none where a text only looks like one.
pub(super) fn of_repr(text: &[u8]) -> Option<Option<Vec<u8>>> {
    let text = trimmed(text);
    is_like_python(text).then(|| unquoted(text).filter(|octets| !is_like_python(trimmed(octets))))
}

/// How texts of octets begin before a quotation mark in Python, and those of texts in its second version.
const QUOTING: [&[u8]; 6] = [b"b", b"u", b"r", b"br", b"rb", b"ur"];

/// What holds octets in Python, and in MongoDB's shell, before a parenthesis.
const HOLDING: [&[u8]; 8] =
    [b"bytes", b"bytearray", b"memoryview", b"array", b"binary", b"bindata", b"np.bytes_", b"np.str_"];

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

pub(super) fn hex_octet(high: u8, low: u8) -> Option<u8> {
    let digit = |one: u8| char::from(one).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)?.wrapping_shl(4) | digit(low)?)
}

/// Whether the ends of all lines of a text were written as characters.
pub(super) fn is_on_one_line(text: &[u8]) -> bool {
    !has_ends(text) && has_written_ends(text)
}

/// Whether octets begin as a response does that nobody took apart: with a line that tells its status.
pub fn is_response(octets: &[u8]) -> bool {
    let Some(rest) = octets.trim_ascii_start().strip_prefix(b"HTTP/") else { return false };
    let version = rest.iter().take_while(|octet| octet.is_ascii_digit() || **octet == b'.').count();
    let status = rest.get(version..).unwrap_or_default();
    let digits = status.trim_ascii_start().iter().take_while(|octet| octet.is_ascii_digit()).count();
    version > 0 && status.first().is_some_and(|octet| b" \t".contains(octet)) && digits == 3
}

/// Whether a text has lines, and they are not those that a site sent: with their ends written as characters beside real
/// ones, with `_x000D_` as files of Excel have it, as a list of texts, or within the markup in which a browser shows a
/// text.
pub(super) fn has_strange_lines(text: &[u8]) -> bool {
    let is_list = || {
        let inside = text.strip_prefix(b"[").and_then(|text| text.strip_suffix(b"]")).map(<[u8]>::trim_ascii_start);
        inside.and_then(<[u8]>::first).is_some_and(|first| matches!(first, b'"' | b'\''))
    };
    let is_shown = || text.starts_with(b"<") && mentions_behind_tag(text);
    let lines = || text.split(|octet| matches!(octet, b'\n' | b'\r')).map(<[u8]>::trim_ascii_end);
    let is_of_excel = |line: &[u8]| line.ends_with(b"_x000D_") || line.ends_with(b"_x000A_");
    // One alone may be the end of a path.
    let has_ends = |line: &&[u8]| line.contains(&b':') && (line.ends_with(br"\n") || line.ends_with(br"\r"));
    is_list()
        || is_shown()
        || (memchr::memmem::find(text, b"_x000").is_some() && lines().any(is_of_excel))
        || (memchr::memchr(b'\\', text).is_some() && lines().filter(has_ends).nth(1).is_some())
}

/// Whether the name of crawlers stands behind a tag in one line with it.
fn mentions_behind_tag(text: &[u8]) -> bool {
    const NAME: &[u8] = b"user-agent";
    memchr::memchr_iter(b'>', text).any(|place| {
        let behind = text.get(place.saturating_add(1)..).unwrap_or_default();
        let blanks = behind.iter().take_while(|octet| matches!(octet, b' ' | b'\t')).count().min(8);
        behind.get(blanks..).and_then(|rest| rest.get(..NAME.len())).is_some_and(|name| name.eq_ignore_ascii_case(NAME))
    })
}

fn has_ends(text: &[u8]) -> bool {
    memchr::memchr2(b'\n', b'\r', text).is_some()
}

fn has_written_ends(text: &[u8]) -> bool {
    behind_ends(text).next().is_some()
}

/// Whether the end of a line was written as characters in a header, with the name of another behind it, or nothing.
///
/// Most of what stands behind `\` in headers is a folder of Windows: `C:\new`.
pub fn has_written_header(text: &[u8]) -> bool {
    behind_ends(text).map(<[u8]>::trim_ascii_start).any(|rest| {
        let is_of_name = |octet: &u8| octet.is_ascii_alphanumeric() || b"!#$%&'*+.^_`|~-".contains(octet);
        let length = rest.iter().take_while(|octet| is_of_name(octet)).count();
        rest.is_empty() || rest.get(length..).is_some_and(|rest| rest.trim_ascii_start().starts_with(b":"))
    })
}

/// What stands behind each end of a line that was written as characters: `\n`, `\x0A` as DuckDB has it, `\012`, `\u000a`,
/// `\u{a}`.
fn behind_ends(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let written = memchr::memchr_iter(b'\\', text).filter_map(|place| text.get(place.saturating_add(1)..));
    written.filter_map(written_letter).filter(|(letter, _)| matches!(letter, 0x0A | 0x0D)).map(|(_, rest)| rest)
}

/// The number of the letter that is written behind `\`, in whatever way, and what stands behind it.
pub(super) fn written_letter(rest: &[u8]) -> Option<(u32, &[u8])> {
    let (kind, rest) = rest.split_first()?;
    let number = |digits: &[u8], base| u32::from_str_radix(std::str::from_utf8(digits).ok()?, base).ok();
    let hex = |most: usize| match rest.strip_prefix(b"{") {
        Some(inner) => {
            let length = inner.iter().take(LONGEST_NAME).position(|octet| *octet == b'}')?;
            Some((number(inner.get(..length)?, 16)?, inner.get(length.saturating_add(1)..)?))
        }
        None => Some((number(rest.get(..most)?, 16)?, rest.get(most..)?)),
    };
    match kind {
        b'n' | b'N' => Some((0x0A, rest)),
        b'r' | b'R' => Some((0x0D, rest)),
        b'x' | b'X' => hex(2),
        b'u' => hex(4),
        b'U' => hex(8).or_else(|| hex(4)),
        b'0'..=b'7' => {
            let length = rest.iter().take(2).take_while(|octet| matches!(octet, b'0'..=b'7')).count();
            Some((number(&[&[*kind], rest.get(..length)?].concat(), 8)?, rest.get(length..)?))
        }
        _ => None,
    }
}

/// Whether the lines of a robots.txt became one, with blanks or nothing between them: several fields stand in it. Or it is
/// within JSON, whatever lines that has.
pub(super) fn is_joined(text: &[u8]) -> bool {
    let is_json = matches!(text, [b'{' | b'[', ..]) && has_written_ends(text);
    (is_json || !has_ends(text)) && has_several_fields(text)
}

fn has_several_fields(text: &[u8]) -> bool {
    let is_field = |colon: &usize| {
        let before = text.get(..*colon).unwrap_or_default().trim_ascii_end();
        let is_name = |octet: &&u8| octet.is_ascii_alphanumeric() || **octet == b'-';
        let length = before.iter().rev().take(LONGEST_FIELD).take_while(is_name).count();
        let name = before.get(before.len().saturating_sub(length)..).unwrap_or_default().to_ascii_lowercase();
        is_acap(&name) || names().any(|(known, _)| name.ends_with(known))
    };
    memchr::memchr_iter(b':', text).filter(is_field).nth(1).is_some()
}

/// More octets than the name of any field has.
const LONGEST_FIELD: usize = 64;

/// Whether a text is in quotation marks, as one field of CSV or one text of JSON is, or begins with one.
pub(super) fn is_quoted(text: &[u8]) -> bool {
    matches!(text, [b'"' | b'\'', _, ..]) || text.starts_with("\u{201C}".as_bytes())
}

/// The octets of a text of UTF-8 that somebody read as Latin-1, by its mark, as requests does; within, none where it was
/// read as something else.
pub(super) fn of_latin(text: &[u8]) -> Option<Option<Cow<'_, [u8]>>> {
    text.starts_with("\u{EF}\u{BB}\u{BF}".as_bytes()).then(|| {
        let letters = std::str::from_utf8(text).ok()?.chars();
        letters.map(|letter| u8::try_from(letter).ok()).collect::<Option<Vec<u8>>>().map(Cow::Owned)
    })
}

/// Whether a text is what Java, JavaScript, C#, Python or a spreadsheet shows in the place of a value.
pub(super) fn is_of_object(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text.get(..text.len().min(LONGEST_OBJECT)).unwrap_or_default()) else {
        return false;
    };
    let within = |begin: &str, end: char| text.strip_prefix(begin).and_then(|rest| rest.strip_suffix(end));
    let is_name = |name: &str| {
        name.contains('.') && name.chars().all(|letter| letter.is_ascii_alphanumeric() || ".$_".contains(letter))
    };
    text.strip_suffix(']').and_then(|text| text.split_once('[')).is_some_and(|(name, _)| is_name(name))
        || within("[object ", ']').is_some_and(|name| name.chars().all(char::is_alphanumeric))
        || within("<Response [", '>').is_some()
        || text.starts_with("<Buffer ")
        || text.starts_with('{') && text.contains("$binary")
        || within("#", '!').or_else(|| within("#", '?')).is_some_and(|word| {
            !word.is_empty() && word.chars().all(|letter| letter.is_ascii_uppercase() || "/0".contains(letter))
        })
}

/// Whether a text is a list of numbers, as Java shows the beginning of octets.
pub(super) fn is_list_of_numbers(text: &[u8]) -> bool {
    let inner = text.strip_prefix(b"[").and_then(|text| text.strip_suffix(b"]"));
    let is_number = |part: &[u8]| std::str::from_utf8(part).is_ok_and(|part| part.trim().parse::<i16>().is_ok());
    inner.is_some_and(|inner| inner.split(|octet| *octet == b',').all(is_number))
}

/// Octets of what is shown of an object at most; what is longer is not looked at further.
const LONGEST_OBJECT: usize = 256;

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
