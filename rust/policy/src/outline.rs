//! The outline of a text: what every line with a field holds, and which lines belong together, as the readers have it.
//!
//! ```text
//! text → fields, each with its name, value and words → groups (RFC 9309 2.1), records and their parts (P1 4.5)
//! ```
//!
//! Those who show, check or rewrite a file look here. No other place takes a line apart.

use std::ops::Range;

use crate::acap::{self, Noted, Role};
use crate::dialect::Dialect;
use crate::fields::{Kind, field};
use crate::limits::Limits;
use crate::lines::{Entry, line_around};
use crate::places::{offset, span, to_u32};
use crate::rep::groups;

/// A line with a field.
#[derive(Clone, Debug)]
pub struct Field {
    pub entry: Entry,
    /// Where the name and the value stand, as octets of the text.
    pub name: Range<usize>,
    pub value: Range<usize>,
    /// Of an ACAP field what it is, by its known name.
    pub acap: Option<String>,
    /// The name that a definition of ACAP gives, as names are compared.
    pub defines: Option<String>,
    /// The name is known by a slip alone, or had to be guessed.
    pub guessed: bool,
    pub words: Vec<(Role, Range<usize>)>,
    /// The group of conventional lines that it stands in, or the record that it belongs to, from 0; and of a record
    /// which part: the one before the first purpose line, or a sub-record.
    pub within: Option<u32>,
    pub part: u32,
}

/// Every field of a text, in its order.
pub fn outline(text: &[u8], entries: &[Entry], limits: &Limits, dialect: Dialect) -> Vec<Field> {
    let mut noted = acap::outline(text, entries, limits).into_iter().peekable();
    let within = groups_of(entries);
    let mut out = Vec::with_capacity(entries.len());
    for (place, entry) in entries.iter().enumerate() {
        match entry.kind {
            Kind::Acap => out.extend(noted.next_if(|(at, _)| *at == place).map(|(_, one)| acap_field(*entry, one))),
            Kind::Blank => {}
            _ => out.push(other_field(text, *entry, within.get(place).copied().flatten(), dialect)),
        }
    }
    out
}

fn acap_field(entry: Entry, noted: Noted) -> Field {
    let Noted { field, defines, guessed, name, value, words, record } = noted;
    let (within, part) = record.map_or((None, 0), |(record, part)| (Some(record), part));
    Field { entry, name, value, acap: field, defines, guessed, words, within, part }
}

fn other_field(text: &[u8], entry: Entry, within: Option<u32>, dialect: Dialect) -> Field {
    let value = entry.value(text);
    let (_, line) = line_around(text, offset(text, value));
    let read = field(line, dialect.manner);
    // An empty one is behind the colon, and not behind the blanks that follow.
    let start = offset(text, if value.is_empty() { read.value } else { value });
    let place = start..start.saturating_add(value.len());
    let name = if read.name.is_empty() { start..start } else { span(text, read.name) };
    let span = |part: &[u8]| span(text, part);
    let words = match entry.kind {
        Kind::Agent => dialect.agents.names(value).map(|name| (Role::Crawler, span(name))).collect(),
        Kind::AcapComment => {
            acap::version_of_comment(value).map(|word| (Role::Version, span(word))).into_iter().collect()
        }
        _ => Vec::new(),
    };
    Field { entry, name, value: place, acap: None, defines: None, guessed: read.misspelt, words, within, part: 0 }
}

/// The group of each entry; none before the first.
fn groups_of(entries: &[Entry]) -> Vec<Option<u32>> {
    let mut out = Vec::with_capacity(entries.len());
    out.resize(entries.iter().position(|entry| entry.kind == Kind::Agent).unwrap_or(entries.len()), None);
    for (number, group) in groups(entries).enumerate() {
        out.resize(out.len().saturating_add(group.len()), Some(to_u32(number)));
    }
    out
}
