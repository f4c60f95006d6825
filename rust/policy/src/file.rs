//! The ACAP fields of one file, read, in as little room as its text takes.
//!
//! Words lie in one store of octets and are named by spans. The patterns of a set and the usages of a definition are
//! kept once, however many fields use them: memory grows with the text, not with the statements that it stands for.

use std::collections::HashSet;
use std::sync::OnceLock;

use crate::octets::unescape;
use crate::places::{Span, to_u32, to_usize};
use crate::restrictions::{self, Carrier, Restriction};
use crate::statement::{Effect, Firm, Statement, Target};
use crate::usage::{KNOWN, Usage};

/// A record: the crawlers it is addressed to and what belongs to it as a whole.
#[derive(Clone, Copy, Debug, Default)]
pub struct Record {
    pub(crate) names: Span,
    pub any: bool,
    /// A limit cut a crawler line of it, or one names nobody: it addresses every crawler, and lifts nothing.
    pub cut: bool,
    /// Has an `ACAP-permissions-reference`.
    pub refers: bool,
    /// A crawler line of it had to be guessed: its permissions lift nothing.
    pub(crate) guessed: bool,
    pub line: u32,
}

/// `ACAP-permissions-reference`: the permissions of a record are in another resource (P1 4.5.2.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    pub uri: Box<str>,
    /// A limit cut the URI: nobody can supply it.
    pub cut: bool,
    pub record: u32,
    pub line: u32,
    pub start: u32,
}

/// A sub-record, or the part of a record before the first purpose line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Audience {
    pub record: u32,
    /// No purpose line, or one that says `*`.
    pub purposeless: bool,
    /// A limit cut a purpose line of it, or one names none: it is for every purpose, and lifts nothing.
    pub cut: bool,
    pub(crate) purposes: Span,
}

/// `ACAP-request-…` (P1 4.5.2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    pub take_down: bool,
    /// A limit cut the path, or nobody can tell where it begins: the request is about every resource.
    pub cut: bool,
    pub record: u32,
    pub line: u32,
    pub start: u32,
    pub(crate) path: Span,
    pub(crate) written: Span,
}

/// Everything read from the ACAP fields of one file.
#[derive(Clone, Debug, Default)]
pub struct File {
    pub version: Option<(Box<str>, u32)>,
    /// The line of `ACAP-ignore-conventional-records`.
    pub ignore_conventional: Option<u32>,
    pub records: Vec<Record>,
    pub references: Vec<Reference>,
    pub audiences: Vec<Audience>,
    pub statements: Vec<Statement>,
    pub(crate) targets: Vec<Target>,
    /// Runs of the targets and lists of qualifiers, shared by the statements that have them; the first is empty.
    pub(crate) spans: Vec<Span>,
    pub requests: Vec<Request>,
    /// Names of usages that files define, numbered after the known ones: those of files read before, then its own.
    pub usages: Vec<Box<str>>,
    pub(crate) store: Vec<u8>,
    /// Those of these usages that statements are on; computed on first use.
    pub(crate) spoken: OnceLock<HashSet<Usage>>,
    /// Whether a limit cut something.
    pub too_much: bool,
    /// Whether a limit cut a line that names crawlers, or one names nobody.
    pub cut_names: bool,
    /// The entry of the first definition of a usage that a limit cut.
    pub cut_usage: Option<u32>,
}

/// Between the words of a list: no line holds one.
const SEPARATOR: u8 = b'\n';

impl File {
    /// Octets held.
    pub(crate) fn memory(&self) -> usize {
        let names = self.usages.iter().map(|name| name.len()).chain(self.references.iter().map(|one| one.uri.len()));
        let tables = [
            size_of_val(self.records.as_slice()),
            size_of_val(self.references.as_slice()),
            size_of_val(self.audiences.as_slice()),
            size_of_val(self.statements.as_slice()),
            size_of_val(self.targets.as_slice()),
            size_of_val(self.spans.as_slice()),
            size_of_val(self.requests.as_slice()),
            size_of_val(self.usages.as_slice()),
            self.store.len(),
        ];
        names.chain(tables).fold(size_of::<Self>(), usize::saturating_add)
    }

    /// Whether a statement is on a usage that files define; permissions beside a reference have no effect.
    pub(crate) fn speaks_of(&self, usage: Usage) -> bool {
        self.spoken.get_or_init(|| self.made_up()).contains(&usage)
    }

    /// The usages that files define and statements are on. A run of usages is examined once, however many statements
    /// share it.
    fn made_up(&self) -> HashSet<Usage> {
        let (mut out, mut known) = (HashSet::new(), HashSet::new());
        for statement in &self.statements {
            let audience = self.audiences.get(to_usize(statement.audience));
            let refers =
                audience.and_then(|audience| self.records.get(to_usize(audience.record))).is_some_and(|one| one.refers);
            let without_effect = refers && statement.effect == Effect::Permits;
            if self.patterns(statement).next().is_some() && known.insert((statement.targets, without_effect)) {
                let says = |target: &&Target| !without_effect || target.effect == Effect::Prohibits;
                let usages = self.targets(statement).iter().filter(says).map(|target| target.usage);
                out.extend(usages.filter(|usage| usage.name().is_none()));
            }
        }
        out
    }

    pub fn usage_name(&self, usage: Usage) -> &str {
        match usage.name() {
            Some(name) => name,
            None => {
                let place = usize::from(usage.0).saturating_sub(KNOWN.len());
                self.usages.get(place).map_or("", |name| name)
            }
        }
    }

    pub(crate) fn octets(&self, span: Span) -> &[u8] {
        span.of(&self.store)
    }

    pub(crate) fn word(&self, span: Span) -> &str {
        // Words are stored from texts.
        std::str::from_utf8(self.octets(span)).unwrap_or("")
    }

    fn list(&self, span: Span) -> impl Iterator<Item = &[u8]> {
        self.octets(span).split(|octet| *octet == SEPARATOR).filter(|word| !word.is_empty())
    }

    fn words(&self, span: Span) -> impl Iterator<Item = &str> {
        self.list(span).map(|word| std::str::from_utf8(word).unwrap_or(""))
    }

    pub(crate) fn keep(&mut self, word: &[u8]) -> Span {
        let start = to_u32(self.store.len());
        self.store.extend_from_slice(word);
        Span { start, len: to_u32(word.len()) }
    }

    /// Adds a word to a list; a list that is not at the end of the store is copied there first.
    pub(crate) fn add(&mut self, list: &mut Span, word: &[u8]) {
        let end = to_usize(list.start).saturating_add(to_usize(list.len));
        if end != self.store.len() || list.is_empty() {
            let held = self.octets(*list).to_vec();
            *list = self.keep(&held);
        }
        self.store.extend_from_slice(word);
        self.store.push(SEPARATOR);
        list.len = to_u32(self.store.len()).saturating_sub(list.start);
    }

    /// The crawlers that a record names, as written.
    pub fn names(&self, record: &Record) -> impl Iterator<Item = &str> {
        self.words(record.names)
    }

    /// Whether a record names a crawler.
    pub fn names_crawler(&self, record: &Record, name: &[u8]) -> bool {
        self.list(record.names).any(|held| held.eq_ignore_ascii_case(name))
    }

    /// The purpose patterns of a sub-record, as written.
    pub fn purposes(&self, audience: &Audience) -> impl Iterator<Item = &str> {
        self.words(audience.purposes)
    }

    /// The canonical patterns of a statement.
    pub fn patterns(&self, statement: &Statement) -> impl Iterator<Item = &[u8]> {
        self.list(statement.resources)
    }

    /// The usages of a statement.
    pub fn targets(&self, statement: &Statement) -> &[Target] {
        self.span(statement.targets).of(&self.targets)
    }

    /// The effect of a statement on one of its usages.
    pub fn effect(&self, statement: &Statement, target: &Target) -> Effect {
        match statement.effect {
            Effect::Prohibits => Effect::Prohibits,
            Effect::Permits => target.effect,
        }
    }

    /// How firmly a statement prohibits one of its usages; a prohibition in place of a permission stands for a doubt.
    /// `lifts_nothing`: permissions of the record lift nothing.
    pub(crate) fn firmness(&self, statement: &Statement, target: &Target, lifts_nothing: bool) -> Firm {
        let (firm, conditional) = match (statement.effect, target.effect) {
            (Effect::Permits, Effect::Prohibits) => (Firm::InTier, target.conditional),
            _ => (statement.firm, statement.conditional),
        };
        if conditional && (statement.lifts_nothing || lifts_nothing) { Firm::Always } else { firm }
    }

    pub(crate) fn span(&self, place: u32) -> Span {
        self.spans.get(to_usize(place)).copied().unwrap_or_default()
    }

    /// The two lists of qualifiers that count for one usage of a statement: of its definition, and of the field.
    pub(crate) fn qualifiers(&self, statement: &Statement, target: &Target) -> [Span; 2] {
        [target.qualifiers, self.span(statement.qualifiers)]
    }

    /// The restrictions of one usage of a statement; a prohibition has none.
    pub fn restrictions(&self, statement: &Statement, target: &Target) -> Vec<Restriction> {
        match self.effect(statement, target) {
            Effect::Permits => {
                self.qualifiers(statement, target).iter().flat_map(|list| self.read_qualifiers(*list)).collect()
            }
            Effect::Prohibits => Vec::new(),
        }
    }

    pub(crate) fn read_qualifiers(&self, list: Span) -> Vec<Restriction> {
        // Qualifiers that could not be interpreted were not stored.
        let read = |token: &str| {
            restriction(token, Carrier { page: false, sets: true, others: false }).ok().map(|one| one.restriction)
        };
        self.words(list).filter_map(read).collect()
    }

    pub fn path<'a>(&'a self, request: &Request) -> &'a [u8] {
        self.octets(request.path)
    }

    pub fn written<'a>(&'a self, request: &Request) -> &'a str {
        self.word(request.written)
    }
}

/// Reads a qualifier with the characters that `%xnnnn` stands for, and keeps its value as written.
pub(crate) fn restriction(
    token: &str,
    setting: Carrier,
) -> Result<restrictions::Reading, restrictions::QualifierError> {
    let (name, written) = token.split_once('=').unwrap_or((token, ""));
    qualifier(name, written, setting)
}

/// Reads a qualifier that is given as name and value.
pub fn qualifier(
    name: &str,
    written: &str,
    setting: Carrier,
) -> Result<restrictions::Reading, restrictions::QualifierError> {
    let mut reading = restrictions::read(name, &unescape(written), setting)?;
    // With a second `=` it is unclear where the value begins; a value that begins with one is written `%x003D`.
    if written.starts_with('=') {
        return Err(restrictions::QualifierError::BadValue);
    }
    if !reading.older {
        reading.restriction.value = written.into();
    }
    Ok(reading)
}
