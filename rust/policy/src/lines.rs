//! Octets → lines → the lines with a known field, with their spans.
//!
//! The text itself is the lossless line table: [`Lines`] walks it again whenever someone wants to see every line. What
//! reading keeps is one [`Entry`] of 12 octets for each line with a field that a reader knows. The walk and what it
//! keeps are one module, for an entry counts in the places of the walk.
//!
//! ```text
//! robotstxt = *(group / emptyline)    ; RFC 9309 2.2
//! EOL       = *WS [comment] NL
//! NL        = %x0D / %x0A / %x0D.0A
//! ```

use std::cell::Cell;

use crate::acap::spelling::is_nearly_version;
use crate::controls::{self, Holds};
use crate::cuts::{self, Cut};
use crate::fields::{Field, Kind, Manner, field};
use crate::limits::{LINE_OCTETS_MOST, Limits};
use crate::octets::{is_space, trim};
use crate::places::{Place, Span, offset, to_u32, to_usize};

/// The span of a value, its line and its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub start: u32,
    pub line: u32,
    pub len: u16,
    pub kind: Kind,
    flags: u8,
}

const AFTER_AGENT: u8 = 1;
const CUT: u8 = 2;
const CONTROLS: u8 = 4;
/// A control character cut the names of a crawler line of ACAP.
const CUT_NAMES: u8 = 8;
const USUAL: u8 = 16;

impl Entry {
    /// The line directly follows a User-agent line, blank lines and comments aside.
    pub fn is_after_agent(&self) -> bool {
        self.flags & AFTER_AGENT != 0
    }

    /// The line is whole, and spelt as [`common`] takes it apart.
    pub(crate) fn is_usual(&self) -> bool {
        self.flags & USUAL != 0
    }

    /// A limit cut the line, and more than a comment of it.
    pub fn is_cut(&self) -> bool {
        self.flags & CUT != 0
    }

    /// An ACAP line that holds a control character.
    pub fn has_controls(&self) -> bool {
        self.flags & CONTROLS != 0
    }

    /// Where a problem of the line is: its value, of an ACAP line the whole field.
    pub fn place(&self) -> Place {
        let part = Span { start: self.start, len: u32::from(self.len) };
        Place { line: self.line, start: self.start, part }
    }

    /// The octets of the value.
    #[inline]
    pub fn value<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        let start = to_usize(self.start);
        text.get(start..start.saturating_add(usize::from(self.len))).unwrap_or(&[])
    }

    /// Whether it is a signal that a limit cut.
    pub fn is_cut_signal(&self) -> bool {
        matches!(self.kind, Kind::CutContentSignal | Kind::CutContentUsage)
    }
}

/// The entries of one text, in the order of its lines.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub entries: Box<[Entry]>,
    /// Whether there is an ACAP field or comment.
    pub acap: bool,
    /// Whether there is a License field.
    pub licensed: bool,
    /// Whether there is a field of Content-Signal or Content-Usage.
    pub signals: bool,
    /// Where reading ended, if a limit ended it.
    pub cut_at: Option<u32>,
    /// Whether a limit cut a line, and more than a comment of it.
    pub overlong: bool,
    /// The place of a line that may have stated anything.
    pub torn: Option<u32>,
    /// Whether a limit cut a line that names crawlers.
    pub cut_names: bool,
    /// Whether every line is free of problems, rules and User-agent lines aside. What these say is not looked at; they
    /// are spelt as usual.
    pub others_are_faultless: bool,
    /// Which octets the text holds, where control characters count.
    pub holds: Holds,
}

/// One line as written.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    pub number: u32,
    pub start: usize,
    /// Without its end.
    pub end: usize,
    /// After its end (CR, LF or CRLF).
    pub next: usize,
}

/// Every line of a text, ends included; lossless.
#[derive(Debug)]
pub struct Lines<'a> {
    text: &'a [u8],
    at: usize,
    number: u32,
    done: bool,
}

impl<'a> Lines<'a> {
    pub fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, number: 0, done: false }
    }

    /// The number of the line that comes next.
    pub(crate) fn next_number(&self) -> u32 {
        self.number.saturating_add(1)
    }

    /// Goes on behind the line of an entry.
    pub(crate) fn skip_to(&mut self, entry: &Entry) {
        self.at = to_usize(entry.start).saturating_add(usize::from(entry.len));
        self.number = entry.line.saturating_sub(1);
        self.next();
    }
}

impl Iterator for Lines<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        let rest = self.text.get(self.at..).filter(|_| !self.done)?;
        self.number = self.number.saturating_add(1);
        let start = self.at;
        let (end, next) = match memchr::memchr2(b'\n', b'\r', rest) {
            None => {
                self.done = true;
                (self.text.len(), self.text.len())
            }
            Some(at) => {
                let end = start.saturating_add(at);
                let two = rest.get(at..).is_some_and(|tail| tail.starts_with(b"\r\n"));
                (end, end.saturating_add(if two { 2 } else { 1 }))
            }
        };
        self.at = next;
        Some(Line { number: self.number, start, end, next })
    }
}

#[inline]
fn eight(text: &[u8]) -> u64 {
    match text.first_chunk::<8>() {
        Some(chunk) => u64::from_le_bytes(*chunk) | 0x2020_2020_2020_2020,
        None => 0,
    }
}

const DISALLOW: u64 = u64::from_le_bytes(*b"disallow");
const SITEMAP: u64 = u64::from_le_bytes(*b"sitemap:");
const USER_AGE: u64 = u64::from_le_bytes(*b"user-age");
const ALLOW: u64 = u64::from_le_bytes([b'a', b'l', b'l', b'o', b'w', b':', 0, 0]);
const SIX: u64 = 0x0000_FFFF_FFFF_FFFF;

/// Takes apart only the commonest spellings: `Disallow:`, `Allow:`, `User-agent:`, `Sitemap:`.
///
/// Precondition: the general reading gives the same for these.
#[inline]
pub(crate) fn common(line: &[u8]) -> Option<(Kind, &[u8])> {
    let key = eight(line);
    if key == DISALLOW {
        return match line.get(8..)? {
            [b':', value @ ..] => Some((Kind::Disallow, value)),
            _ => None,
        };
    }
    if key & SIX == ALLOW && line.get(5) == Some(&b':') {
        return line.get(6..).map(|value| (Kind::Allow, value));
    }
    if key == USER_AGE {
        return match line.get(4..)? {
            [b'-', _, _, _, b'n' | b'N', b't' | b'T', b':', value @ ..] => Some((Kind::Agent, value)),
            _ => None,
        };
    }
    if key == SITEMAP {
        // The general reading places a value of blanks before them.
        return match line.get(7..)? {
            [b':', value @ ..] if value.last().is_some_and(|last| !is_space(*last)) => Some((Kind::Sitemap, value)),
            _ => None,
        };
    }
    None
}

/// Skips a byte order mark, also the beginning of one.
pub fn skip_mark(text: &[u8]) -> usize {
    text.iter().zip(b"\xEF\xBB\xBF").take_while(|(have, want)| have == want).count()
}

/// Where reading ends: the whole text, or after the last line that ends within the limit.
fn end_of_reading(text: &[u8], limits: &Limits) -> (usize, Option<usize>) {
    let most = limits.octets_read();
    match text.get(..most) {
        Some(head) if head.len() < text.len() => {
            // A line of which only the end lies beyond the limit is whole.
            let whole = match text.get(most) {
                Some(b'\n' | b'\r') => most,
                _ => memchr::memrchr2(b'\n', b'\r', head).map_or(0, |at| at.saturating_add(1)),
            };
            (whole, Some(whole))
        }
        _ => (text.len(), None),
    }
}

/// Room for entries that is kept from one text to the next: enough for 99 files in 100.
const ROOM_KEPT: usize = 4096;

thread_local! {
    /// A buffer for entries, so that a table is allocated in the right size at once.
    static ROOM: Cell<Vec<Entry>> = const { Cell::new(Vec::new()) };
}

/// Reads the lines of a text.
pub(crate) fn read(text: &[u8], limits: &Limits, manner: Manner) -> Table {
    let (end, cut_at) = end_of_reading(text, limits);
    let text = text.get(..end).unwrap_or(text);
    let longest = limits.line_octets.min(LINE_OCTETS_MOST);
    let holds = if manner.controls { controls::holds(text) } else { Holds::default() };
    let manner = Manner {
        nul_ends_line: manner.nul_ends_line && memchr::memchr(0, text).is_some(),
        controls: holds.odd,
        ..manner
    };
    let mut entries = ROOM.take();
    entries.clear();
    let others_are_faultless = holds.ascii && !holds.odd && cut_at.is_none();
    let table = Table { cut_at: cut_at.map(to_u32), holds, others_are_faultless, ..Table::default() };
    let mut reader = Reader { manner, longest, table, entries, last: Kind::Text };
    let is_usual = !manner.controls && !manner.nul_ends_line;
    let mut number = 0u32;
    let mut rest = text.get(skip_mark(text)..);
    while let Some(from) = rest {
        number = number.saturating_add(1);
        // One search finds the end of most lines and tells that there is no comment before it.
        let stop = memchr::memchr3(b'\n', b'\r', b'#', from);
        let comment = stop.filter(|at| from.get(*at) == Some(&b'#'));
        let end = match comment.and_then(|at| from.get(at..)) {
            Some(tail) => memchr::memchr2(b'\n', b'\r', tail).and_then(|more| stop?.checked_add(more)),
            None => stop,
        };
        let line = end.and_then(|end| from.get(..end)).unwrap_or(from);
        rest = end.and_then(|end| match from.get(end..)? {
            [b'\r', b'\n', after @ ..] | [_, after @ ..] => Some(after),
            [] => None,
        });
        let usual = if is_usual && line.len() <= longest {
            common(comment.and_then(|at| line.get(..at)).unwrap_or(line))
        } else {
            None
        };
        let (kind, value, flags) = match usual {
            Some((kind, value)) => (kind, trim(value), USUAL),
            None if line.is_empty() && !manner.blanks => continue,
            None => match reader.other(line) {
                Some(one) => one,
                None => continue,
            },
        };
        let after_agent = if reader.last == Kind::Agent { AFTER_AGENT } else { 0 };
        reader.entries.push(Entry {
            start: to_u32(offset(text, value)),
            line: number,
            len: u16::try_from(value.len()).unwrap_or(u16::MAX),
            kind,
            flags: flags | after_agent,
        });
        if !matches!(kind, Kind::Acap | Kind::AcapComment | Kind::Blank) {
            reader.last = kind;
        }
    }
    let Reader { mut table, entries, .. } = reader;
    if entries.capacity() <= ROOM_KEPT {
        table.entries = Box::from(entries.as_slice());
        ROOM.set(entries);
    } else {
        table.entries = entries.into_boxed_slice();
    }
    table
}

/// What a text was found to hold, line by line.
struct Reader {
    manner: Manner,
    longest: usize,
    table: Table,
    entries: Vec<Entry>,
    /// The kind of the last line, blank lines and comments aside.
    last: Kind,
}

impl Reader {
    /// Takes apart any line: kind, value, flags; none if it has no entry.
    fn other<'t>(&mut self, line: &'t [u8]) -> Option<(Kind, &'t [u8], u8)> {
        let manner = self.manner;
        let is_long = line.len() > self.longest;
        let over = is_long && !manner.cut_overlong;
        self.table.others_are_faultless &= !is_long;
        let mut line = if is_long { line.get(..self.longest).unwrap_or(line) } else { line };
        if manner.nul_ends_line {
            line = line.split(|byte| *byte == 0).next().unwrap_or(line);
        }
        let (kind, value, flags) = if over || manner.controls {
            unusual(line, manner, over)?
        } else {
            let first = line.first().copied().unwrap_or(b' ');
            if first == b'#' && !line.starts_with(b"##") && !(manner.acap && is_nearly_version(line)) {
                return None;
            }
            let field = field(line, manner);
            self.table.others_are_faultless &= is_faultless(&field);
            (field.kind, field.value, 0)
        };
        match kind {
            // One of several blank lines is enough to end a record.
            Kind::Blank if !manner.blanks || self.entries.last().is_some_and(|last| last.kind == Kind::Blank) => {
                return None;
            }
            Kind::Remark => return None,
            Kind::Text | Kind::Unknown => {
                self.last = kind;
                return None;
            }
            // Dialects that do not read these lines skip them.
            Kind::Acap if !manner.acap => return None,
            Kind::Acap | Kind::AcapComment => self.table.acap = true,
            Kind::License => self.table.licensed = true,
            Kind::ContentSignal | Kind::ContentUsage | Kind::CutContentSignal | Kind::CutContentUsage => {
                self.table.signals = true;
            }
            _ => {}
        }
        self.table.cut_names |= flags & CUT_NAMES != 0;
        if flags & CUT != 0 {
            self.table.overlong |= over || kind != Kind::Disallow;
            self.table.cut_names |=
                kind == Kind::Agent || (kind == Kind::Acap && crate::acap::field::names_crawlers(value));
            if kind == Kind::Torn {
                self.table.torn.get_or_insert(to_u32(self.entries.len()));
            }
        }
        Some((kind, value, flags))
    }
}

/// Whether nothing is wrong with a line of another field than those that most have.
fn is_faultless(field: &Field<'_>) -> bool {
    match field.kind {
        Kind::Blank | Kind::Remark => true,
        Kind::Sitemap | Kind::Host | Kind::CleanParam => !field.misspelt && !field.no_colon,
        Kind::CrawlDelay => {
            let is_number = !field.value.is_empty() && field.value.iter().all(u8::is_ascii_digit);
            is_number && !field.misspelt && !field.no_colon
        }
        _ => false,
    }
}

/// A line that a limit cut, or one of a text with control characters: kind, value, flags; none without an effect.
fn unusual(line: &[u8], manner: Manner, over: bool) -> Option<(Kind, &[u8], u8)> {
    let (field, mut flags) = match over.then(|| cuts::read(line, manner)) {
        Some(Cut::Nothing) => return None,
        Some(Cut::Field(kind, value)) => return Some((kind, value, CUT | controls_of(kind, value))),
        Some(Cut::Comment) | None => (field(line, manner), 0),
    };
    let value = match field.kind {
        // The text after a control character may have been a part of the value.
        Kind::License if controls::ended(field.value).len() < field.value.len() => {
            flags |= CUT;
            field.value
        }
        // A name that a control character cuts may be any name.
        Kind::Agent if controls::goes_on(line, offset(line, field.value).saturating_add(field.value.len())) => {
            flags |= CUT;
            field.value.get(..0).unwrap_or(field.value)
        }
        // A pattern that is cut at a control character may have been narrower.
        Kind::Disallow if controls::goes_on(line, offset(line, field.value).saturating_add(field.value.len())) => {
            flags |= CUT;
            cuts::pattern(field.value)
        }
        Kind::Acap if crate::acap::field::cuts_crawlers(field.value) => {
            flags |= CUT_NAMES;
            field.value
        }
        _ => field.value,
    };
    flags |= controls_of(field.kind, value);
    Some((field.kind, value, flags))
}

fn controls_of(kind: Kind, value: &[u8]) -> u8 {
    let has_controls =
        matches!(kind, Kind::Acap | Kind::AcapComment) && value.iter().any(|byte| controls::is_odd(*byte));
    if has_controls { CONTROLS } else { 0 }
}

/// Where the line around a place begins, behind a byte order mark: its columns count from there.
pub fn line_start(text: &[u8], at: usize) -> usize {
    let head = text.get(..at).unwrap_or(text);
    memchr::memrchr2(b'\n', b'\r', head).map_or_else(|| skip_mark(text).min(at), |end| end.saturating_add(1))
}

/// The line around a place, without its end and outer white space, and where it begins.
pub fn line_around(text: &[u8], at: usize) -> (usize, &[u8]) {
    let start = line_start(text, at);
    let rest = text.get(start..).unwrap_or(&[]);
    let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    let line = rest.get(..end).unwrap_or(rest);
    let indent = line.iter().position(|byte| !is_space(*byte)).unwrap_or(0);
    (start.saturating_add(indent), trim(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    const AUTO: Manner =
        Manner { nul_ends_line: false, cut_overlong: false, controls: true, unseen: true, acap: true, blanks: false };

    fn kinds(text: &[u8]) -> Vec<(u32, Kind)> {
        read(text, &Limits::default(), AUTO).entries.iter().map(|entry| (entry.line, entry.kind)).collect()
    }

    #[test]
    fn lines_end_in_cr_lf_or_both() {
        let text = b"User-agent: a\r\rDisallow: /\r\n\nAllow:/x\n";
        assert_eq!(kinds(text), [(1, Kind::Agent), (3, Kind::Disallow), (5, Kind::Allow)]);
    }

    #[test]
    fn the_short_way_reads_as_the_general_one() {
        for line in [
            "Disallow: /a # b",
            "DISALLOW:",
            "allow:/x",
            "Allow :/x",
            "user-agent: * #x",
            "disallow /x",
            "Disallowed: /",
            "Sitemap: https://a.example/b#c",
            "SITEMAP:/",
            "sitemap: ",
            "sitemap:",
            "sitemap : /x",
            "Sitemaps:/x",
        ] {
            let general = field(line.as_bytes(), AUTO);
            let table = read(line.as_bytes(), &Limits::default(), AUTO);
            let entry = table.entries[0];
            assert_eq!((entry.kind, entry.value(line.as_bytes())), (general.kind, general.value), "{line}");
            if entry.kind == Kind::Sitemap {
                assert_eq!(to_usize(entry.start), offset(line.as_bytes(), general.value), "{line}");
            }
        }
        assert_eq!(common(b"sitemap\x1A/x"), None, "no colon");
    }

    #[test]
    fn every_octet_is_in_one_line() {
        let text = b"a\r\nb\rc\n\n";
        let total: usize = Lines::new(text).map(|line| line.next - line.start).sum();
        assert_eq!(total, text.len());
    }
}
