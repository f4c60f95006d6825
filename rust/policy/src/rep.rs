//! Lines → groups → the rules of one crawler, in every dialect of the Robots Exclusion Protocol.
//!
//! ```text
//! group = startgroupline *(startgroupline / emptyline) *(rule / emptyline)   ; RFC 9309 2.2
//! ```
//!
//! The dialect tells who is addressed, what a rule's pattern is, and which key it has ([`crate::dialect`]). The strongest
//! rule that matches wins; no rule has the same key as a rule of the other effect, so one number decides.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::dialect::Dialect;
use crate::fields::Kind;
use crate::index::Index;
use crate::lines::{Entry, Table};
use crate::pattern::matches;
use crate::places::{place_of, to_u32};
use crate::robots2::{Version, VersionedRecord, version_of};
use crate::rules::{Rule, Rules};

/// The conventional lines for one crawler.
#[derive(Debug, Default)]
pub struct Selection {
    /// The group names the crawler; otherwise it is the default group, or there is none.
    pub named: bool,
    /// The rules of the crawler's groups, in the order of the file.
    pub rules: Rules,
    /// Records of the 2.0.0 proposal that are read beside the rules, or instead of them.
    pub records: Vec<VersionedRecord>,
    /// Lines that refuse beside the rules.
    pub apart: Vec<Apart>,
    /// Whether the greatest key belongs to the longest pattern, which an index may use.
    longest: bool,
    index: OnceLock<Box<Index>>,
    work: AtomicU32,
}

/// Fewer rules than this are tried one by one.
const INDEX_FROM: usize = 128;
/// An index is built after this many questions that tried each rule: about what building one costs.
const INDEX_AFTER: u32 = 128;

impl Selection {
    /// The rule that decides about a path in the form of this dialect.
    #[inline]
    pub fn decide(&self, text: &[u8], path: &[u8]) -> Option<Rule> {
        if self.rules.len() >= INDEX_FROM && self.longest {
            if let Some(index) = self.index.get() {
                return index.decide(&self.rules, text, path);
            }
            let done = self.work.fetch_add(1, Ordering::Relaxed);
            if done >= INDEX_AFTER {
                return self.index.get_or_init(|| Box::new(Index::new(&self.rules, text))).decide(
                    &self.rules,
                    text,
                    path,
                );
            }
        }
        self.rules.scan(text, path)
    }

    /// Whether there is a line that refuses.
    pub(crate) fn may_refuse(&self) -> bool {
        !self.apart.is_empty() || !self.records.is_empty() || self.rules.iter().any(|rule| rule.refuses())
    }

    /// Selections with the same key decide alike.
    pub(crate) fn key(&self) -> Vec<u64> {
        let mut out = vec![u64::from(self.named)];
        out.extend(self.rules.iter().map(|rule| u64::from(rule.entry) << 32 | u64::from(rule.key)));
        out.push(u64::MAX);
        out.extend(self.apart.iter().map(|apart| u64::from(apart.entry) << 1 | u64::from(apart.firm)));
        out.push(u64::MAX);
        let records = self.records.iter();
        out.extend(
            records.flat_map(|record| record.entries().map(u64::from).chain([u64::from(record.named), u64::MAX])),
        );
        out
    }

    /// Builds the index at once, for measuring and for long batches; without effect where none is of use.
    pub fn build_index(&self, text: &[u8]) {
        if self.rules.len() >= INDEX_FROM && self.longest {
            self.index.get_or_init(|| Box::new(Index::new(&self.rules, text)));
        }
    }
}

/// The groups of a file: each from its first User-agent line to the next that follows a rule.
///
/// A line of another kind between two User-agent lines does not end the run.
pub fn groups(entries: &[Entry]) -> impl Iterator<Item = &[Entry]> {
    runs(entries, false)
}

/// The records of the older dialects, which a blank line ends too.
pub(crate) fn records(entries: &[Entry]) -> impl Iterator<Item = &[Entry]> {
    runs(entries, true)
}

fn runs(entries: &[Entry], blank_ends: bool) -> impl Iterator<Item = &[Entry]> {
    let mut rest = entries;
    std::iter::from_fn(move || {
        let first = rest.iter().position(|entry| entry.kind == Kind::Agent)?;
        rest = rest.get(first..)?;
        let mut closed = false;
        let end = rest
            .iter()
            .position(|entry| match entry.kind {
                Kind::Allow | Kind::Disallow | Kind::CutAllow => {
                    closed = true;
                    false
                }
                Kind::Agent => closed,
                Kind::Blank => blank_ends,
                _ => false,
            })
            .unwrap_or(rest.len());
        let (group, after) = rest.split_at(end);
        rest = after;
        Some(group)
    })
}

/// The names of a group's User-agent lines.
pub(crate) fn agents<'a>(group: &'a [Entry], text: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    group.iter().filter(|entry| entry.kind == Kind::Agent).map(move |entry| entry.value(text))
}

/// The first of the names that any User-agent line addresses.
pub(crate) fn addressed<'n, N: AsRef<[u8]>>(
    dialect: Dialect,
    entries: &[Entry],
    text: &[u8],
    names: &'n [N],
) -> Option<&'n [u8]> {
    names
        .iter()
        .map(AsRef::as_ref)
        .find(|name| !name.is_empty() && agents(entries, text).any(|value| dialect.agents.address(value, name)))
}

/// Whether a group is for the crawlers that no group names.
pub(crate) fn is_default(dialect: Dialect, group: &[Entry], text: &[u8]) -> bool {
    agents(group, text).any(|value| dialect.agents.are_all(value))
}

/// Which groups concern a crawler: those that address the one of its `names` that [`addressed`] found, else the
/// default.
pub(crate) fn concerns<'a, N: AsRef<[u8]>>(
    dialect: Dialect,
    text: &'a [u8],
    names: &'a [N],
    name: Option<&'a [u8]>,
) -> impl Fn(&&[Entry]) -> bool + Copy {
    move |group| match name {
        Some(_) if dialect.grouping.takes_every_name() => {
            names.iter().any(|name| agents(group, text).any(|value| dialect.agents.address(value, name.as_ref())))
        }
        Some(name) => agents(group, text).any(|value| dialect.agents.address(value, name)),
        None => is_default(dialect, group, text),
    }
}

/// The groups that concern a crawler: of the modern dialects all that do, of the older ones the first record.
pub(crate) fn addressed_groups<'a, N: AsRef<[u8]>>(
    dialect: Dialect,
    entries: &'a [Entry],
    text: &'a [u8],
    names: &'a [N],
    name: Option<&'a [u8]>,
) -> impl Iterator<Item = &'a [Entry]> {
    let of_records = dialect.grouping.is_of_records();
    let most = if of_records { 1 } else { usize::MAX };
    runs(entries, of_records).filter(concerns(dialect, text, names, name)).take(most)
}

/// A conventional line that refuses beside the rules, whatever they permit: one that a limit cut, or one under a
/// User-agent line that a limit cut.
#[derive(Clone, Debug)]
pub struct Apart {
    pub pattern: Box<[u8]>,
    /// The place of the line in the table of entries.
    pub entry: u32,
    /// No octet of the pattern is special.
    pub literal: bool,
    /// The line itself was cut: nothing lifts it.
    pub firm: bool,
}

impl Apart {
    pub fn matches(&self, path: &[u8]) -> bool {
        if self.literal { path.starts_with(&self.pattern) } else { matches(&self.pattern, path) }
    }
}

/// Selects the lines of a file for a crawler.
pub(crate) fn select<N: AsRef<[u8]>>(dialect: Dialect, table: &Table, text: &[u8], names: &[N]) -> Selection {
    let entries = &*table.entries;
    let name = addressed(dialect, entries, text, names);
    let mut addressed_to = addressed_groups(dialect, entries, text, names, name);
    let mut selecting = Selecting {
        dialect,
        entries,
        text,
        named: name.is_some(),
        // Where a limit cut a name, another than the first may not be the one to ask by.
        permits_nothing: table.cut_names && name.is_some() && name != names.first().map(AsRef::as_ref),
        rules: Vec::new(),
        arena: Vec::new(),
        apart: Vec::new(),
        records: Vec::new(),
    };
    if dialect.versions.replace_rules() {
        addressed_to.next().into_iter().for_each(|record| selecting.instead(record));
    } else if dialect.versions.are_read() {
        selecting.beside(addressed_to);
    } else {
        addressed_to.for_each(|group| selecting.group(group));
    }
    if table.cut_names {
        let led_by_cut = |group: &&[Entry]| group.iter().any(|entry| entry.kind == Kind::Agent && entry.is_cut());
        runs(entries, dialect.grouping.is_of_records()).filter(led_by_cut).for_each(|group| selecting.refusals(group));
    }
    Selection {
        named: selecting.named,
        rules: Rules::new(selecting.rules, selecting.arena, text),
        records: selecting.records,
        apart: selecting.apart,
        longest: dialect.precedence.is_by_length(),
        ..Selection::default()
    }
}

struct Selecting<'a> {
    dialect: Dialect,
    entries: &'a [Entry],
    text: &'a [u8],
    named: bool,
    /// Lines that permit are skipped.
    permits_nothing: bool,
    rules: Vec<Rule>,
    arena: Vec<u8>,
    apart: Vec<Apart>,
    records: Vec<VersionedRecord>,
}

impl Selecting<'_> {
    /// Groups of which those of version 2 are read both ways.
    fn beside<'g>(&mut self, groups_of_crawler: impl Iterator<Item = &'g [Entry]>) {
        let mut experimental = false;
        for group in groups_of_crawler {
            self.group(group);
            let version = version_of(group, self.text).filter(|_| self.named);
            if version.is_some_and(Version::is_stable) {
                self.versioned(group);
            }
            experimental |= version.is_some_and(Version::is_experimental);
        }
        if experimental {
            let (dialect, entries, text) = (self.dialect, self.entries, self.text);
            let defaults = || groups(entries).filter(|group| is_default(dialect, group, text));
            defaults().for_each(|group| self.cut_lines(group));
            self.records.push(VersionedRecord::default_of(entries, defaults(), text));
        }
    }

    /// A record that is read as the proposal says if it is of version 2.
    fn instead(&mut self, record: &[Entry]) {
        match version_of(record, self.text).filter(|_| self.named) {
            Some(version) if version.is_stable() => {
                self.cut_lines(record);
                self.versioned(record);
            }
            Some(version) if version.is_experimental() => {
                self.named = false;
                let default = records(self.entries).find(|group| is_default(self.dialect, group, self.text));
                default.into_iter().for_each(|record| self.group(record));
            }
            _ => self.group(record),
        }
    }

    fn versioned(&mut self, record: &[Entry]) {
        self.records.push(VersionedRecord::read(self.entries, record, self.text, self.permits_nothing));
    }

    fn group(&mut self, group: &[Entry]) {
        // Lines under a User-agent line that a limit cut are taken separately, for every crawler.
        if group.iter().any(|entry| entry.kind == Kind::Agent && entry.is_cut()) {
            return;
        }
        self.rules.reserve(group.len());
        for entry in group {
            match entry.kind {
                Kind::Allow if self.permits_nothing => {}
                Kind::Disallow if entry.is_cut() => self.apart(entry),
                Kind::Allow | Kind::Disallow => self.rule(entry, entry.kind == Kind::Allow),
                _ => {}
            }
        }
    }

    /// The lines of a group that a limit cut.
    fn cut_lines(&mut self, group: &[Entry]) {
        group.iter().filter(|entry| entry.kind == Kind::Disallow && entry.is_cut()).for_each(|entry| self.apart(entry));
    }

    /// The lines of a group that refuse.
    fn refusals(&mut self, group: &[Entry]) {
        group.iter().filter(|entry| entry.kind == Kind::Disallow).for_each(|entry| self.apart(entry));
    }

    /// A line that refuses by itself.
    fn apart(&mut self, entry: &Entry) {
        let firm = entry.is_cut();
        let value = entry.value(self.text);
        let literal = !self.dialect.precedence.has_wildcards();
        // In some records a `*` is literal, in others it is not: what stands before it is enough.
        let value = if literal && firm { value.split(|byte| *byte == b'*').next().unwrap_or(value) } else { value };
        let form = self.dialect.form;
        let pattern = if literal { form.literal(value) } else { form.pattern(value).0 };
        let pattern: Box<[u8]> = if pattern.is_empty() && firm { Box::from(&b"/"[..]) } else { Box::from(&*pattern) };
        if !pattern.is_empty() {
            let entry = to_u32(place_of(self.entries, entry));
            self.apart.push(Apart { pattern, entry, literal, firm });
        }
    }

    fn rule(&mut self, entry: &Entry, permits: bool) {
        let value = entry.value(self.text);
        let (form, precedence) = (self.dialect.form, self.dialect.precedence);
        let (pattern, wild) =
            if precedence.has_wildcards() { form.pattern(value) } else { (form.literal(value), false) };
        let Some(key) = precedence.key(value, &pattern, permits, self.rules.len()) else { return };
        let place = to_u32(place_of(self.entries, entry));
        self.push(entry, place, &pattern, matches!(pattern, Cow::Owned(_)), wild, key);
        if permits && let Some((wide, key)) = precedence.widened(&pattern) {
            self.push(entry, place, &wide, true, true, key);
        }
    }

    fn push(&mut self, entry: &Entry, place: u32, pattern: &[u8], rewritten: bool, wild: bool, key: u32) {
        let start = if rewritten {
            let start = to_u32(self.arena.len());
            self.arena.extend_from_slice(pattern);
            start
        } else {
            entry.start
        };
        self.rules.push(Rule { start, len: to_u32(pattern.len()), key, entry: place, rewritten, wild });
    }
}
