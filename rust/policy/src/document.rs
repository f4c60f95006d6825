//! Whether a document is a robots.txt at all (section 9 of the semantics).

use std::fmt;

use crate::controls::{self, Holds, is_control};
use crate::cuts::names_that_decide;
use crate::dialect::Dialect;
use crate::fields::{Field, Kind, Manner, field};
use crate::formats::{format_of, is_packed, may_begin};
use crate::lines::{Lines, skip_mark};
use crate::text::text_of;

/// Whether octets are a robots.txt: they have a line with a field of one, or nothing but comments and blank lines.
///
/// What a site answers with in place of the file (an error page, JSON, the words of a gateway) has none. Nor is what
/// [is no text](unreadable) one, whatever lines lie unpacked in it. Every limit aside, and as `auto` reads, so that one
/// answer serves all dialects.
pub fn is_robots(octets: &[u8]) -> bool {
    document_kind(octets) == DocumentKind::Robots
}

/// What octets are, by one look at them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    /// [A robots.txt](is_robots).
    Robots,
    /// [No text](unreadable).
    Unreadable,
    /// A text that is no robots.txt: a page, JSON, words.
    Other,
}

/// What octets are: a robots.txt, no text, or another text.
pub fn document_kind(octets: &[u8]) -> DocumentKind {
    let text = text_of(octets, Dialect::AUTO);
    let shown = match look(octets, &text, controls::holds(&text)) {
        Err(_) => return DocumentKind::Unreadable,
        Ok(shown) => shown.unwrap_or_else(|| begins(without_mark(&text), true)),
    };
    if shown == Begins::AsRobots { DocumentKind::Robots } else { DocumentKind::Other }
}

/// Whether a line of octets has a field of a robots.txt, or all are comments and blank lines.
pub(crate) fn is_told(octets: &[u8]) -> bool {
    let text = text_of(octets, Dialect::AUTO);
    let body = without_mark(&text);
    begins(body, are_words(body, controls::holds(&text))) == Begins::AsRobots
}

/// What octets are, if they are neither a robots.txt nor any other text: packed in a coding that nobody named, or
/// binary. They may say anything; an error page and JSON are text, and say nothing.
pub fn unreadable(octets: &[u8]) -> Option<Unreadable> {
    let text = text_of(octets, Dialect::AUTO);
    unreadable_as(octets, &text, controls::holds(&text))
}

/// The same of octets whose text is known, and which octets that holds.
pub(crate) fn unreadable_as(octets: &[u8], text: &[u8], holds: Holds) -> Option<Unreadable> {
    look(octets, text, holds).err()
}

/// What octets are that are no text; otherwise what their text shows, as far as that was looked at.
fn look(octets: &[u8], text: &[u8], holds: Holds) -> Result<Option<Begins>, Unreadable> {
    let text = without_mark(text);
    let words = are_words(text, holds);
    // Almost every file: no format begins so.
    if words && !may_begin(octets) {
        return Ok(None);
    }
    let packed = is_packed(octets) || (holds.odd && (is_wide(text) || has_noise(text)));
    let begins = begins(text, words);
    if begins == Begins::AsRobots && !packed {
        return Ok(Some(begins));
    }
    if let Some(format) = format_of(octets) {
        return Err(if format.packs { Unreadable::Packed(format.name) } else { Unreadable::Format(format.name) });
    }
    let is_text = words || !is_no_text(text);
    if packed || begins == Begins::Glued || !is_text { Err(Unreadable::Binary) } else { Ok(Some(begins)) }
}

/// Whether a text is words in a known encoding, without control characters; of what was skipped as a mark, or a part of
/// one, the rest has to be words as well.
fn are_words(text: &[u8], holds: Holds) -> bool {
    !holds.odd && (holds.ascii || std::str::from_utf8(text).is_ok())
}

fn without_mark(text: &[u8]) -> &[u8] {
    text.get(skip_mark(text)..).unwrap_or(text)
}

/// What a text shows up to its first field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begins {
    /// A field, or nothing but comments and blank lines.
    AsRobots,
    /// The name of a field behind what is no text, and none before it: the head of a packed file hides the field.
    Glued,
    Otherwise,
}

/// What a text shows; `words`: [it is nothing but these](are_words).
fn begins(text: &[u8], words: bool) -> Begins {
    let auto = Dialect::AUTO.manner;
    let manner = Manner { controls: auto.controls && !words, ..auto };
    let mut empty = true;
    for line in Lines::new(text) {
        let body = text.get(line.start..line.end).unwrap_or(&[]);
        if words && is_tag(body) {
            empty = false;
            continue;
        }
        let field = field(body, manner);
        match field.kind {
            Kind::Remark => {}
            // Control characters alone are no text at all.
            Kind::Blank => empty &= !body.iter().any(|octet| is_control(*octet)),
            _ if is_known(&field) => return Begins::AsRobots,
            _ if !words && is_glued(body) => return Begins::Glued,
            _ => empty = false,
        }
    }
    // What packs a file may be a `#`, and comments in no encoding are none.
    if empty && !(text.iter().copied().any(is_binary) && std::str::from_utf8(text).is_err()) {
        return Begins::AsRobots;
    }
    Begins::Otherwise
}

/// Whether a line begins as most lines of a page do: a `<` and a letter or sign behind which no mark of ACAP goes on, not
/// even with the `<` in place of one of its letters. Such a line has no field.
fn is_tag(line: &[u8]) -> bool {
    match line.trim_ascii_start() {
        [b'<', next, ..] => {
            next.is_ascii_graphic()
                && !matches!(next.to_ascii_lowercase(), b'a' | b'c' | b'h' | b't' | b'-' | b'_' | b':')
        }
        _ => false,
    }
}

/// Whether the name of a field stands in a line behind control characters or octets that are no UTF-8.
fn is_glued(line: &[u8]) -> bool {
    let clean = |head: &[u8]| std::str::from_utf8(head).is_ok() && !head.iter().any(|octet| is_control(*octet));
    if clean(line) {
        return false;
    }
    let line = line.to_ascii_lowercase();
    names_that_decide().chain([&b"acap"[..]]).any(|name| {
        // The last place has all noise before it that any has.
        memchr::memmem::rfind(&line, name).is_some_and(|at| !clean(line.get(..at).unwrap_or(&[])))
    })
}

/// Whether more than a quarter of a text are NUL, up to three at a time: letters of several octets each have them. More
/// in a row are padding.
fn is_wide(text: &[u8]) -> bool {
    const ONE_IN: usize = 4;
    let (mut nuls, mut all, mut rest) = (0usize, 0usize, text);
    while let Some(run) = memchr::memchr(0, rest).and_then(|at| rest.get(at..)) {
        let length = run.iter().position(|octet| *octet != 0).unwrap_or(run.len());
        nuls = nuls.saturating_add(if length < ONE_IN { length } else { 0 });
        all = all.saturating_add(length);
        rest = run.get(length..).unwrap_or(&[]);
    }
    let ends = memchr::memchr2_iter(b'\n', b'\r', text).count();
    let others = text.len().saturating_sub(all);
    nuls.saturating_mul(ONE_IN) > nuls.saturating_add(others).saturating_sub(ends)
}

/// Whether a line of a text, comments aside, has two octets that no text has and is not UTF-8 without them: so are
/// packed files, and no words in an old encoding.
fn has_noise(text: &[u8]) -> bool {
    let noisy = |line: &[u8]| {
        let line = line.split(|octet| *octet == b'#').next().unwrap_or(line);
        line.iter().filter(|octet| is_binary(**octet)).nth(1).is_some()
            && std::str::from_utf8(&controls::without(line)).is_err()
    };
    std::str::from_utf8(text).is_err() && text.split(|octet| matches!(octet, b'\n' | b'\r')).any(noisy)
}

/// Whether a text without a field is none: it has a NUL or many octets that are in no text; or it is not UTF-8, few of
/// it is ASCII, and an octet that is in no text is in it or nothing of it is markup.
fn is_no_text(text: &[u8]) -> bool {
    let binary = text.iter().filter(|octet| is_binary(**octet)).count();
    let many = binary >= FEW && binary.saturating_mul(ONE_IN) > text.len();
    many || memchr::memchr(0, text).is_some()
        || (std::str::from_utf8(text).is_err() && is_odd(text) && (binary > 0 || !has_markup(text)))
}

/// Whether more than one octet in five are in no text of ASCII. Words in old encodings of Latin letters have fewer.
fn is_odd(text: &[u8]) -> bool {
    const ONE_IN: usize = 5;
    text.iter().filter(|octet| is_binary(**octet) || !octet.is_ascii()).count().saturating_mul(ONE_IN) > text.len()
}

/// Whether a text has what may be a tag: pages in old encodings do.
fn has_markup(text: &[u8]) -> bool {
    let opens = |at: &usize| {
        let next = text.get(at.saturating_add(1));
        next.is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, b'!' | b'?' | b'/'))
    };
    let open = memchr::memchr_iter(b'<', text).find(opens);
    open.is_some_and(|at| text.get(at..).is_some_and(|rest| memchr::memchr(b'>', rest).is_some()))
}

/// What octets are that are no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// Packed with a format of this name.
    Packed(&'static str),
    /// A file of a format of this name.
    Format(&'static str),
    Binary,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packed(name) => write!(to, "packed with {name}"),
            Self::Format(name) => write!(to, "in format {name}"),
            Self::Binary => to.write_str("binary"),
        }
    }
}

/// Fewest binary octets that make a document binary.
const FEW: usize = 8;
/// More than one octet in this many must be binary as well.
const ONE_IN: usize = 64;

/// Whether an octet is in no text: a "binary data byte" (MIME Sniffing standard, 3).
fn is_binary(octet: u8) -> bool {
    matches!(octet, 0..=8 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F)
}

/// Whether a field is one of those that a robots.txt has, and no sentence that begins as its name does.
fn is_known(field: &Field<'_>) -> bool {
    match field.kind {
        Kind::Acap => crate::acap::field::is_known(field.value),
        Kind::AcapComment | Kind::Agent => true,
        Kind::Blank | Kind::Remark | Kind::Unknown | Kind::Text => false,
        // `Allowed memory size of 134217728 bytes exhausted: …`, `Host unreachable`
        Kind::Allow | Kind::CutAllow | Kind::Disallow | Kind::Sitemap | Kind::CrawlDelay => !field.name.contains(&b' '),
        _ => !field.no_colon,
    }
}

#[cfg(test)]
mod tests {
    use super::{Dialect, field, is_known, is_robots, is_tag, unreadable};

    #[test]
    fn a_line_with_a_field_or_no_line_at_all_makes_a_robots_txt() {
        for text in [
            "",
            "\n\r\n",
            "# nothing here\n",
            "\u{FEFF}User-agent: *",
            "<html>\nSitemap: https://h.example/s.xml\n",
            "disallow /a",
            "useragent: a",
            "ACAP-crawler: *",
            "##ACAP version=1.0",
            "Content-Signal: ai-train=no",
            "Crawl-delay: 3",
        ] {
            assert!(is_robots(text.as_bytes()), "{text}");
        }
        assert!(is_robots(b"\xFF\xFEU\0s\0e\0r\0-\0a\0g\0e\0n\0t\0:\0*\0"));
    }

    #[test]
    fn a_tag_is_a_line_without_a_field() {
        let marks = ["acap", "the-acap", "cap", "heacap", "dacap", "pcap", "/acap", "!acap", "user-agent", "disallow"];
        for line in marks.iter().flat_map(|mark| ["<", " <", "\t< ", "<-", "<:"].map(|tag| [tag, mark].concat())) {
            let line = line + "-disallow-index: /";
            assert!(!is_tag(line.as_bytes()) || !is_known(&field(line.as_bytes(), Dialect::AUTO.manner)), "{line}");
        }
        assert!(is_tag(b"  <p class=\"acap\">") && is_tag(b"</div>") && !is_tag(b"<cap-disallow-index: /"));
    }

    #[test]
    fn what_sites_send_in_its_place_makes_none() {
        for text in [
            "Unauthorized",
            "{\"error\": \"not found\"}",
            "<!DOCTYPE html>\n<html><title>Please log in</title>\n<p>Allow cookies: they help</p></html>\n",
            "Allowed memory size of 134217728 bytes exhausted: tried to allocate 8 bytes",
            "Allowed memory: 1\u{1}2",
            "Host unreachable",
            "  x\n# with a comment\n",
            "\0\0\0\0",
            "\u{1}\u{2}\n",
            "\n\u{1A}",
        ] {
            assert!(!is_robots(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn what_no_reader_of_texts_can_read_is_found() {
        for (octets, why) in [
            (&b"\x1F\x8B\x08rest"[..], "packed with gzip"),
            (b"BZh91AY", "packed with bzip2"),
            (b"PK\x03\x04\nDisallow: /a\n", "packed with zip"),
            (b"x\x9Cyz", "packed with zlib"),
            (b"%PDF-1.7\n", "in format pdf"),
            (b"a\0b", "binary"),
            (b"\xEF\xBF\xBDUser-agent: *\nDisallow: /\n", "binary"),
            (b"\xEF\xBC\x8DDisallow: /\n", "binary"),
            (b"\x01\x02\x03\x04\x05\x06\x07\x08 and more", "binary"),
        ] {
            assert_eq!(unreadable(octets).map(|what| what.to_string()).as_deref(), Some(why));
        }
        for octets in [
            &b""[..],
            b"# a comment\0",
            b"Unauthorized",
            b"{\"error\": \"\x01\"}",
            b"x\x9C\nDisallow: /a\n",
            b"\xFF\xFEo\0k\0",
            b"\n\x1A",
        ] {
            assert_eq!(unreadable(octets), None, "{octets:?}");
        }
    }
}
