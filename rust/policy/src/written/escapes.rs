//! Pages whose quotation marks, brackets or blanks were written as something else, as texts of JSON, Python and CSV have
//! them.
//!
//! A reader of pages finds neither an element nor an attribute there, and so nothing that prohibits. A page that a site
//! serves has such marks too, in its scripts. But what was written as a whole has no quotation mark that stands for
//! itself: behind the first one nothing is looked for.

use super::blanks::{self, RAW, has_written_blank, is_meta, is_written_in};
use super::coded::{is_on_one_line, trimmed, written_letter};

/// Whether the quotation marks or brackets of a page were written as something else, or the blanks of its tags.
pub(super) fn is_escaped(text: &[u8]) -> bool {
    let Some(start) = memchr::memchr(b'<', text) else {
        let inner = unwrapped(text);
        return (begins(inner, &BRACKETS) && has_written_element(inner)) || has_meta(written_tags(text, &BRACKETS));
    };
    let lead = text.get(..start).unwrap_or_default();
    let (is_page, is_alone) = (unwrapped(lead).is_empty(), lead.is_empty());
    let is_quoted = |value: &&[u8]| value.starts_with(b"\"") || value.starts_with(b"\\\"");
    let mut values = values(text).filter(is_quoted);
    (is_page && first_value(text).is_some_and(is_written))
        || (is_page && !is_alone && tags(text).any(has_written_value))
        || is_escaped_in(before_own(text, b'"'), b'"', is_page)
        || (has_written_apostrophe(text) && is_escaped_in(before_own(text, b'\''), b'\'', is_page))
        || ((is_page || !has_value_mark(text)) && has_written_blank(text, is_page))
        || (!is_alone && is_on_one_line(text) && values.next().is_some_and(is_written) && values.all(is_written))
}

/// Whether JSON, or a value of Python, has within it a META element or a whole page whose quotation marks, or blanks, were
/// written as something else.
///
/// A site may serve this itself. Who knows that it does has to say so.
pub fn has_page_within(text: &[u8]) -> bool {
    let text = trimmed(text);
    let brackets = BRACKETS.get(..IN_JSON).unwrap_or_default();
    let each = || tags(text).chain(written_tags(text, brackets));
    has_value_mark(text)
        && (has_meta(each())
            || each().any(|tag| is_meta(tag) && is_written_in(tag))
            || (each().any(|tag| begins(tag, &PAGES)) && each().any(has_written_value)))
}

/// Whether a text begins as JSON, or a value of Python, does.
fn has_value_mark(text: &[u8]) -> bool {
    matches!(text, [b'{' | b'[' | b'(' | b'"' | b'\'', ..])
}

/// What stands behind the marks and the written blanks with which a value of a program begins.
fn unwrapped(mut text: &[u8]) -> &[u8] {
    while let Some((first, rest)) = text.split_first() {
        text = match first {
            b'[' | b'(' | b'"' | b'\'' | b' ' | b'\t' | b'\r' | b'\n' => rest,
            b'\\' => match written_letter(rest) {
                Some((letter, rest)) if letter <= 0x20 || letter == 0xFEFF => rest,
                _ if begins(text, &BRACKETS) => return text,
                _ => rest.strip_prefix(b"t").unwrap_or(rest),
            },
            _ => return text,
        };
    }
    text
}

/// Whether a META element has a quotation mark that was written as something else.
fn has_meta<'t>(mut tags: impl Iterator<Item = &'t [u8]>) -> bool {
    tags.any(|tag| is_meta(tag) && has_written_value(tag))
}

/// The tags of a text without their brackets: of what is none, too.
fn tags(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|octet| *octet == b'<').skip(1).map(tag_of)
}

/// The same of those whose bracket is written in one of these ways.
fn written_tags<'t>(text: &'t [u8], brackets: &'t [&'t [u8]]) -> impl Iterator<Item = &'t [u8]> {
    let marks = memchr::memchr3_iter(b'\\', b'&', b'%', text);
    let mut places = marks.filter(|place| text.get(*place..).is_some_and(|rest| begins(rest, brackets))).peekable();
    std::iter::from_fn(move || {
        let part = text.get(places.next()?..places.peek().copied().unwrap_or(text.len()))?;
        let bracket = brackets.iter().find(|bracket| begins(part, &[bracket]))?;
        part.get(bracket.len()..).map(tag_of)
    })
}

fn tag_of(text: &[u8]) -> &[u8] {
    text.get(..memchr::memchr2(b'<', b'>', text).unwrap_or(text.len())).unwrap_or_default()
}

/// What stands behind each `=`.
fn values(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    memchr::memchr_iter(b'=', text).filter_map(|place| text.get(place.saturating_add(1)..))
}

fn has_written_value(tag: &[u8]) -> bool {
    values(tag).map(<[u8]>::trim_ascii_start).any(is_written)
}

/// Whether a tag has one of these quotation marks that was written as something else. `any`: whatever its name; without
/// it, that of a META element.
fn is_escaped_in(mut rest: &[u8], mark: u8, any: bool) -> bool {
    while let Some(place) = memchr::memchr(b'<', rest) {
        rest = rest.get(place.saturating_add(1)..).unwrap_or_default();
        let tag = tag_of(rest);
        let mut values = values(tag).map(<[u8]>::trim_ascii_start);
        if (any || is_meta(tag))
            && tag.first().is_some_and(u8::is_ascii_alphabetic)
            && values.any(|value| is_written_as(value, mark))
        {
            return true;
        }
        rest = match RAW.iter().find(|name| begins(tag, &[name])) {
            Some(name) => behind_raw(rest, name),
            None => rest.get(tag.len()..).unwrap_or_default(),
        };
    }
    false
}

/// What begins with the end of a script: one in a text of JavaScript may be `<\/script>`.
fn behind_raw<'t>(text: &'t [u8], name: &[u8]) -> &'t [u8] {
    let mut ends = memchr::memchr_iter(b'<', text).filter_map(|place| text.get(place..)).filter(|rest| {
        let rest = rest.strip_prefix(b"</").or_else(|| rest.strip_prefix(br"<\/"));
        rest.is_some_and(|rest| begins(rest, &[name]))
    });
    ends.next().and_then(|rest| rest.get(1..)).unwrap_or_default()
}

/// What stands before the first quotation mark that is for itself.
fn before_own(text: &[u8], mark: u8) -> &[u8] {
    let mut from = 0usize;
    while let Some(found) = text.get(from..).and_then(|rest| memchr::memchr(mark, rest)) {
        let place = from.saturating_add(found);
        let (is_own, run) = mark_at(text, place, mark);
        if is_own {
            return text.get(..place).unwrap_or_default();
        }
        from = place.saturating_add(run);
    }
    text
}

/// Whether quotation marks at a place are for themselves, neither behind `\` nor doubled; and how many there are.
fn mark_at(text: &[u8], place: usize, mark: u8) -> (bool, usize) {
    let run = text.iter().skip(place).take_while(|octet| **octet == mark).count();
    let is_behind = place.checked_sub(1).and_then(|before| text.get(before)) == Some(&b'\\');
    (run % 2 == 1 && !is_behind, run)
}

/// Whether the first apostrophe of a text was written as something else.
fn has_written_apostrophe(text: &[u8]) -> bool {
    memchr::memchr(b'\'', text).is_some_and(|place| !mark_at(text, place, b'\'').0)
}

fn begins(text: &[u8], words: &[&[u8]]) -> bool {
    words.iter().any(|word| blanks::begins(text, word))
}

/// Whether an element of a page is among the first, its bracket written as something else.
fn has_written_element(text: &[u8]) -> bool {
    let head = text.get(..text.len().min(LONGEST_BEGINNING)).unwrap_or_default();
    written_tags(head, &BRACKETS).any(|tag| begins(tag, &ELEMENTS))
}

/// The value of the first attribute of a page, and what stands behind it in its tag; none behind the first script.
fn first_value(text: &[u8]) -> Option<&[u8]> {
    for part in text.split(|octet| *octet == b'<').skip(1).filter(|part| !part.starts_with(b"!")) {
        let tag = part.get(..memchr::memchr(b'>', part).unwrap_or(part.len()))?;
        if let Some(place) = memchr::memchr(b'=', tag) {
            return tag.get(place.saturating_add(1)..);
        }
        if begins(tag, &RAW) {
            return None;
        }
    }
    None
}

/// Whether the quotation mark before the value of an attribute was written as something else.
fn is_written(value: &[u8]) -> bool {
    is_written_as(value, b'"') || is_written_as(value, b'\'')
}

fn is_written_as(value: &[u8], mark: u8) -> bool {
    let is_it = if mark == b'"' { begins(value, &QUOTATION_MARKS) } else { value.starts_with(br"\'") };
    is_it || is_doubled(value, mark)
}

/// Whether an attribute's value is in quotation marks that were doubled, as CSV and SQL have them: `""robots""`. Two that
/// are empty may stand side by side, too: `a=""b=""`.
fn is_doubled(value: &[u8], mark: u8) -> bool {
    let inner = value.strip_prefix(&[mark, mark]).filter(|inner| inner.first().is_some_and(u8::is_ascii_alphanumeric));
    inner.is_some_and(|inner| {
        let end = memchr::memchr2(mark, b'>', inner).unwrap_or(inner.len());
        inner
            .split_at_checked(end)
            .is_some_and(|(value, rest)| !value.ends_with(b"=") && rest.starts_with(&[mark, mark]))
    })
}

/// How a quotation mark is written where it cannot stand itself.
const QUOTATION_MARKS: [&[u8]; 8] = [b"\\\"", b"\\\\", b"\\u002", b"\\x2", b"\\04", b"&quot;", b"&#3", b"%22"];

/// How `<` is; first those of JSON and of programs.
const BRACKETS: [&[u8]; 7] = [b"\\u003c", b"\\x3c", b"\\074", b"&lt;", b"&#60;", b"&#x3c;", b"%3c"];

/// How many of them.
const IN_JSON: usize = 3;

/// What a page begins with.
const ELEMENTS: [&[u8]; 6] = [b"!doctype", b"html", b"head", b"meta", b"body", b"title"];

/// What a whole page alone has.
const PAGES: [&[u8]; 2] = [b"!doctype", b"html"];

/// Octets in which an element of a page stands that says what it is.
const LONGEST_BEGINNING: usize = 4096;
