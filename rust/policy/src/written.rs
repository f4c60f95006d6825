//! Values of tables as their writers leave them: Python's text of octets, a word for no value, a number as a text.
//!
//! A value that is there and cannot be read is no absent one: it may have prohibited. Every reader of tables (audits,
//! tables of policies, surveys) reads them here, so that the same row says the same to all.

mod answer;
mod blanks;
mod coded;
mod codings;
mod escapes;
mod notes;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use self::coded::{
    has_strange_lines, is_joined, is_list_of_numbers, is_of_object, is_on_one_line, is_quoted, of_latin, trimmed,
};
use self::codings::is_coded;
use self::notes::{has_no_field, is_of_failure};

pub use self::answer::{Answer, meant};
pub use self::coded::{has_written_header, is_response};
pub use self::codings::is_coded_page;
pub use self::escapes::has_page_within;

/// A value of a table, of whatever type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    None,
    /// UTF-8, but for what is no character.
    Text(&'a [u8]),
    Octets(&'a [u8]),
    Number(f64),
    Truth(bool),
    /// Of another type: a list, a time.
    Other,
}

/// A value is there, and cannot be read: what of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It is another than the column has.
    Value,
    /// A text of octets that was cut, or is of an object.
    Octets,
    /// The ends of lines were written as characters, or are gone, or the text is in quotation marks.
    Lines,
}

type Read<T> = Result<T, Unreadable>;

/// The octets of a robots.txt, or the UTF-8 of its text; none where there is no value, or words stand in its place.
///
/// Octets came from the site as they are, so only what no site says is refused among them: Python's text of octets, and
/// a robots.txt in another coding.
pub fn robots(value: Value<'_>) -> Read<Option<Cow<'_, [u8]>>> {
    let (octets, is_text) = match value {
        Value::None => return Ok(None),
        Value::Number(number) if number.is_nan() => return Ok(None),
        Value::Text(text) => (text, true),
        Value::Octets(octets) => (octets, false),
        _ => return Err(Unreadable::Value),
    };
    if let Some(shown) = of_repr(octets) {
        return shown.and_then(|octets| plain(Cow::Owned(octets)));
    }
    if !is_text {
        return plain(Cow::Borrowed(octets));
    }
    let octets = of_latin(octets).unwrap_or(Some(Cow::Borrowed(octets))).ok_or(Unreadable::Octets)?;
    let text = trimmed(&octets);
    if NO_VALUE.iter().any(|word| text.eq_ignore_ascii_case(word)) || is_of_failure(text) {
        return Ok(None);
    }
    if is_on_one_line(text) || is_joined(text) || is_quoted(text) || has_strange_lines(text) {
        return Err(Unreadable::Lines);
    }
    if is_of_object(text) || is_list_of_numbers(text) {
        return Err(Unreadable::Octets);
    }
    let is_note = has_no_field(text);
    plain(octets).map(|octets| octets.filter(|_| !is_note))
}

/// Octets, unless they are others in a coding, or a whole response.
fn plain(octets: Cow<'_, [u8]>) -> Read<Option<Cow<'_, [u8]>>> {
    if is_coded(&octets) || is_response(&octets) { Err(Unreadable::Octets) } else { Ok(Some(octets)) }
}

/// A status of HTTP: a whole number from 100 to 999, or the text of one; none of `-`, as CDX has it, and of what is no
/// number, as pandas has null.
pub fn status(value: Value<'_>) -> Read<Option<u16>> {
    let number = match value {
        Value::None => return Ok(None),
        Value::Number(number) if number.is_nan() => return Ok(None),
        Value::Number(number) => number,
        Value::Text(text) | Value::Octets(text) => match trimmed(text) {
            b"" | b"-" => return Ok(None),
            text => std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).ok_or(Unreadable::Value)?,
        },
        Value::Truth(_) | Value::Other => return Err(Unreadable::Value),
    };
    let is_status = number.fract() == 0.0 && (100.0..1000.0).contains(&number);
    is_status.then_some(Some(number as u16)).ok_or(Unreadable::Value)
}

/// What may be said of a file in the place of a status, and the status that stands for it.
const STATES: [(&str, u16); 3] = [("present", 200), ("absent", 404), ("unreachable", 503)];

/// The status that stands for what is said of a file.
pub fn state(value: Value<'_>) -> Read<Option<u16>> {
    let word = match value {
        Value::None => return Ok(None),
        Value::Number(number) if number.is_nan() => return Ok(None),
        Value::Text(text) | Value::Octets(text) => trimmed(text),
        _ => return Err(Unreadable::Value),
    };
    if word.is_empty() {
        return Ok(None);
    }
    let found = STATES.iter().find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes()));
    found.map(|(_, status)| Some(*status)).ok_or(Unreadable::Value)
}

/// Whether something is so: a truth value, 0 or 1, or a text of one; not so where there is no value.
pub fn truth(value: Value<'_>) -> Read<bool> {
    match value {
        Value::None => Ok(false),
        Value::Truth(truth) => Ok(truth),
        Value::Number(number) if number.is_nan() || number == 0.0 => Ok(false),
        Value::Number(1.0) => Ok(true),
        Value::Text(text) | Value::Octets(text) => match trimmed(text).to_ascii_lowercase().as_slice() {
            b"" | b"false" | b"f" | b"0" | b"0.0" => Ok(false),
            b"true" | b"t" | b"1" | b"1.0" => Ok(true),
            _ => Err(Unreadable::Value),
        },
        Value::Number(_) | Value::Other => Err(Unreadable::Value),
    }
}

/// The octets of Python's text of them, `b'…'`; none of anything else.
///
/// What looks like such a text of a value and is none that is read, as one that was cut, cannot be read.
pub fn of_repr(text: &[u8]) -> Option<Read<Vec<u8>>> {
    coded::of_repr(text).map(|octets| octets.ok_or(Unreadable::Octets))
}

/// What writers of tables put where there is no value.
const NO_VALUE: [&[u8]; 14] = [
    b"none",
    b"null",
    b"nan",
    b"nat",
    b"<na>",
    b"n/a",
    b"#n/a",
    b"na",
    b"undefined",
    b"\\n",
    b"nil",
    b"(null)",
    b"[null]",
    b"-",
];
