//! Tags of pages whose blanks were written as something else: `<meta\nname="robots">` with the characters `\n`, as databases
//! export texts whose quotation marks they leave.
//!
//! A reader of pages finds no META element there, or another attribute. A page that is as its author wrote it has such
//! characters in scripts and in quotation marks; without marks it may have the path of a file: `src=images\new.gif`. So they
//! count outside of these alone, and in elements other than META only where an attribute is behind them.

use super::coded::written_letter;

/// Whether a tag has a blank that was written as something else. `any`: whatever its name; without it, that of a META
/// element.
pub(super) fn has_written_blank(text: &[u8], any: bool) -> bool {
    if !may_have(text) {
        return false;
    }
    // Where each `/` was written as something else, that of the end of a script was, too.
    let end: &[u8] = if memchr::memmem::find(text, b"</").is_some() { b"</" } else { br"<\/" };
    let mut rest = text;
    while let Some(place) = memchr::memchr(b'<', rest) {
        rest = rest.get(place.saturating_add(1)..).unwrap_or_default();
        if !rest.first().is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let tag = Tag::of(rest);
        if tag.is_written && (any || is_meta(rest)) {
            return true;
        }
        let inner = rest.get(..tag.length).unwrap_or_default();
        rest = rest.get(tag.length..).unwrap_or_default();
        // In XHTML such a script has no end.
        if let Some(name) = RAW.iter().find(|name| begins(inner, name)).filter(|_| !inner.ends_with(b"/")) {
            rest = behind_raw(rest, end, name);
        }
    }
    false
}

/// The same of what stands behind the bracket of one tag.
pub(super) fn is_written_in(tag: &[u8]) -> bool {
    may_have(tag) && Tag::of(tag).is_written
}

/// Whether it is worth looking.
fn may_have(text: &[u8]) -> bool {
    memchr::memchr_iter(b'\\', text).any(|place| blank(text.get(place..).unwrap_or_default()).is_some())
        || memchr::memmem::find(text, b"_x000").is_some()
}

pub(super) fn is_meta(tag: &[u8]) -> bool {
    begins(tag, b"meta") && !tag.get(4).is_some_and(|octet| octet.is_ascii_alphanumeric() || *octet == b'-')
}

/// What a tag is, by what stands behind its bracket.
struct Tag {
    /// How many octets it has, without the bracket that ends it.
    length: usize,
    /// Whether a blank of it was written as something else.
    is_written: bool,
}

impl Tag {
    /// That at the beginning. A quotation mark without another to end it is none.
    fn of(text: &[u8]) -> Self {
        let name = text.iter().take_while(|octet| octet.is_ascii_alphanumeric()).count();
        let is_meta = is_meta(text);
        let mut rest = text.get(name..).unwrap_or_default();
        let mut is_behind_equals = false;
        let mut is_written = false;
        while let Some((first, behind)) = rest.split_first() {
            if let Some(next) = blank(rest) {
                rest = behind_blanks(next);
                let is_value = is_behind_equals && matches!(rest, [b'"' | b'\'', ..]);
                is_written |= is_meta || is_value || begins_attribute(rest, name > 1);
                continue;
            }
            rest = behind;
            match first {
                b'<' | b'>' => {
                    return Self { length: text.len().saturating_sub(behind.len()).saturating_sub(1), is_written };
                }
                b'"' | b'\'' if is_behind_equals => {
                    if let Some((value, behind)) =
                        memchr::memchr(*first, behind).and_then(|end| behind.split_at_checked(end))
                    {
                        is_written |= is_meta && has_written_word(value);
                        rest = behind.get(1..).unwrap_or_default();
                    }
                    is_behind_equals = false;
                }
                _ => is_behind_equals = *first == b'=' || (is_behind_equals && first.is_ascii_whitespace()),
            }
        }
        Self { length: text.len(), is_written }
    }
}

/// What stands behind a blank that was written as something else, where a text begins with one.
fn blank(text: &[u8]) -> Option<&[u8]> {
    match text {
        // As MySQL has it in files, and Redshift.
        [b'\\', b't' | b'f' | b'\t' | b'\n' | b'\r', rest @ ..] => Some(rest),
        [b'\\', rest @ ..] => written_letter(rest).filter(|(letter, _)| is_blank(*letter)).map(|(_, rest)| rest),
        [b'_', b'x', b'0', b'0', b'0', digit, b'_', rest @ ..] if b"9ADad".contains(digit) => Some(rest),
        _ => None,
    }
}

/// Whether the letter of a number is a blank of HTML.
fn is_blank(letter: u32) -> bool {
    matches!(letter, 0x09 | 0x0A | 0x0C | 0x0D | 0x20)
}

fn behind_blanks(mut text: &[u8]) -> &[u8] {
    loop {
        text = text.trim_ascii_start();
        match blank(text) {
            Some(rest) => text = rest,
            None => return text,
        }
    }
}

/// Whether a text begins with the name of an attribute and its `=`. `is_long`: the name of its element is so long that it is
/// no sign of a formula, `a<b\nu=c`; behind others a quotation mark has to follow.
fn begins_attribute(text: &[u8], is_long: bool) -> bool {
    let is_of_name = |octet: &&u8| octet.is_ascii_alphanumeric() || b"_:.-".contains(octet);
    let length = text.iter().take(LONGEST_NAME).take_while(is_of_name).count();
    let value = text.get(length..).map(behind_blanks).and_then(|rest| rest.strip_prefix(b"="));
    text.first().is_some_and(u8::is_ascii_alphabetic)
        && value.is_some_and(|value| is_long || matches!(behind_blanks(value), [b'"' | b'\'', ..]))
}

/// Octets of the name of an attribute at most.
const LONGEST_NAME: usize = 64;

/// Whether a word that prohibits stands beside such a blank in the value of an attribute: a reader finds another word.
fn has_written_word(value: &[u8]) -> bool {
    let is_word = |text: &[u8]| WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
    let is_of_word = |octet: &&u8| octet.is_ascii_alphabetic();
    let mut rest = value;
    while let Some(place) = memchr::memchr2(b'\\', b'_', rest) {
        let (before, written) = rest.split_at_checked(place).unwrap_or_default();
        let Some(behind) = blank(written).map(behind_blanks) else {
            rest = written.get(1..).unwrap_or_default();
            continue;
        };
        let run = before.iter().rev().take(LONGEST_NAME).take_while(is_of_word).count();
        let next = behind.iter().take(LONGEST_NAME).take_while(is_of_word).count();
        if is_word(before.get(before.len().saturating_sub(run)..).unwrap_or_default())
            || is_word(behind.get(..next).unwrap_or_default())
            || begins(behind, b"max-")
        {
            return true;
        }
        rest = behind;
    }
    false
}

/// Words of robots META elements that prohibit.
const WORDS: [&[u8]; 12] = [
    b"noindex",
    b"nofollow",
    b"none",
    b"noarchive",
    b"nocache",
    b"nosnippet",
    b"noimageindex",
    b"noimageai",
    b"noai",
    b"noml",
    b"notranslate",
    b"unavailable",
];

/// What begins with the end of a script.
fn behind_raw<'t>(text: &'t [u8], end: &[u8], name: &[u8]) -> &'t [u8] {
    let mut places = memchr::memmem::find_iter(text, end).filter_map(|place| text.get(place..));
    places.find(|rest| rest.get(end.len()..).is_some_and(|rest| begins(rest, name))).unwrap_or_default()
}

/// Whether a text begins with a word, whatever its case.
pub(super) fn begins(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len()).is_some_and(|text| text.eq_ignore_ascii_case(word))
}

/// Elements without elements in them.
pub(super) const RAW: [&[u8]; 2] = [b"script", b"style"];
