//! Lines → groups → the rules of one crawler, in every dialect of the Robots Exclusion Protocol.
//!
//! ```text
//! group = startgroupline *(startgroupline / emptyline) *(rule / emptyline)   ; RFC 9309 2.2
//! ```
//!
//! A dialect is a value: who is addressed, what a rule's pattern is, which key the strongest rule has. The strongest
//! rule that matches wins; no rule has the same key as a rule of the other effect, so one number decides. Groups and
//! their selection are one module, as each step of both takes its trait from the dialect.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::dialect::{Agents, Dialect, Grouping, PathForm, Precedence, Versions};
use crate::fields::Kind;
use crate::index::Index;
use crate::lines::{Entry, Table};
use crate::octets::{
    canonical_as_it_stands, canonical_literal, canonical_pattern, decoded_path, google_pattern, is_space, leading_name,
    leading_token,
};
use crate::pattern::matches;
use crate::places::{place_of, to_u32};
use crate::prefilter::mark;
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
pub fn records(entries: &[Entry]) -> impl Iterator<Item = &[Entry]> {
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

/// `*`, also when a blank and further text follow.
pub fn addresses_all(dialect: Dialect, value: &[u8]) -> bool {
    match value {
        [b'*'] => true,
        [b'*', next, ..] => is_space(*next) && dialect.agents != Agents::Containing,
        _ => false,
    }
}

/// `product-token = identifier / "*"` (RFC 9309 2.2)
///
/// The names by which a User-agent value is found: `*`, or the leading name, as it is written, and the product token
/// that it begins with (RFC 9309 2.2.1); the whole value where that may contain them. None if it names nobody.
pub fn names(dialect: Dialect, value: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (name, token) = match dialect.agents {
        _ if addresses_all(dialect, value) => (value.get(..1).unwrap_or(value), &[][..]),
        Agents::Token => (leading_token(value), &[][..]),
        Agents::NameOrToken => (leading_name(value), leading_token(value)),
        Agents::Containing => (value, &[][..]),
    };
    let token = if token == name { &[] } else { token };
    [name, token].into_iter().filter(|name| !name.is_empty())
}

/// Whether a User-agent value addresses the crawler of this name.
pub fn addresses(dialect: Dialect, value: &[u8], name: &[u8]) -> bool {
    match dialect.agents {
        Agents::Token => leading_token(value).eq_ignore_ascii_case(name),
        Agents::NameOrToken => {
            // `SearchBot1` is found as it is written, and `bot1` still addresses `bot` (RFC 9309 2.2.1).
            value.first().map(u8::to_ascii_lowercase) == name.first().map(u8::to_ascii_lowercase)
                && (leading_name(value).eq_ignore_ascii_case(name) || leading_token(value).eq_ignore_ascii_case(name))
        }
        Agents::Containing => value.windows(name.len().max(1)).any(|window| window.eq_ignore_ascii_case(name)),
    }
}

/// The names of a group's User-agent lines.
pub fn agents<'a>(group: &'a [Entry], text: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    group.iter().filter(|entry| entry.kind == Kind::Agent).map(move |entry| entry.value(text))
}

/// The first of the names that any User-agent line addresses.
pub fn addressed<'n, N: AsRef<[u8]>>(
    dialect: Dialect,
    entries: &[Entry],
    text: &[u8],
    names: &'n [N],
) -> Option<&'n [u8]> {
    names
        .iter()
        .map(AsRef::as_ref)
        .find(|name| !name.is_empty() && agents(entries, text).any(|value| addresses(dialect, value, name)))
}

/// Whether a group is for the crawlers that no group names.
pub fn is_default(dialect: Dialect, group: &[Entry], text: &[u8]) -> bool {
    agents(group, text).any(|value| addresses_all(dialect, value))
}

/// Which groups concern a crawler: those that address the one of its `names` that [`addressed`] found, else the
/// default.
pub fn concerns<'a, N: AsRef<[u8]>>(
    dialect: Dialect,
    text: &'a [u8],
    names: &'a [N],
    name: Option<&'a [u8]>,
) -> impl Fn(&&[Entry]) -> bool + Copy {
    move |group| match name {
        Some(_) if dialect.grouping == Grouping::OfEveryName => {
            names.iter().any(|name| agents(group, text).any(|value| addresses(dialect, value, name.as_ref())))
        }
        Some(name) => agents(group, text).any(|value| addresses(dialect, value, name)),
        None => is_default(dialect, group, text),
    }
}

/// The groups that concern a crawler: of the modern dialects all that do, of the older ones the first record.
pub fn addressed_groups<'a, N: AsRef<[u8]>>(
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
pub fn select<N: AsRef<[u8]>>(dialect: Dialect, table: &Table, text: &[u8], names: &[N]) -> Selection {
    let entries = &*table.entries;
    let name = addressed(dialect, entries, text, names);
    let is_default = |group: &&[Entry]| is_default(dialect, group, text);
    let mut addressed_to = addressed_groups(dialect, entries, text, names, name);
    // Where a limit cut a name, another than the first may not be the one to ask by.
    let permits_nothing = table.cut_names && name.is_some() && name != names.first().map(AsRef::as_ref);
    let rules = Vec::new();
    let mut making = Making { dialect, entries, text, permits_nothing, rules, arena: Vec::new(), apart: Vec::new() };
    let mut selection =
        Selection { named: name.is_some(), longest: dialect.precedence == Precedence::Longest, ..Selection::default() };
    match dialect.versions {
        Versions::Unread => addressed_to.for_each(|group| making.group(group)),
        Versions::Beside => {
            let mut experimental = false;
            for group in addressed_to {
                making.group(group);
                let version = version_of(group, text).filter(|_| name.is_some());
                if version.is_some_and(Version::is_stable) {
                    selection.records.push(VersionedRecord::read(entries, group, text, permits_nothing));
                }
                experimental |= version.is_some_and(Version::is_experimental);
            }
            if experimental {
                groups(entries).filter(is_default).for_each(|group| making.cut_lines(group));
                selection.records.push(VersionedRecord::default_of(entries, groups(entries).filter(is_default), text));
            }
        }
        Versions::Instead => match (name, addressed_to.next()) {
            (Some(_), Some(record)) => match version_of(record, text) {
                Some(version) if version.is_stable() => {
                    making.cut_lines(record);
                    selection.records.push(VersionedRecord::read(entries, record, text, permits_nothing));
                }
                Some(version) if version.is_experimental() => {
                    selection.named = false;
                    records(entries).find(is_default).into_iter().for_each(|record| making.group(record));
                }
                _ => making.group(record),
            },
            (_, Some(record)) => making.group(record),
            (_, None) => {}
        },
    }
    if table.cut_names {
        let led_by_cut = |group: &&[Entry]| group.iter().any(|entry| entry.kind == Kind::Agent && entry.is_cut());
        runs(entries, dialect.grouping.is_of_records()).filter(led_by_cut).for_each(|group| making.refusals(group));
    }
    selection.rules = Rules::new(making.rules, making.arena);
    selection.apart = making.apart;
    selection
}

struct Making<'a> {
    dialect: Dialect,
    entries: &'a [Entry],
    text: &'a [u8],
    /// Lines that permit are skipped.
    permits_nothing: bool,
    rules: Vec<Rule>,
    arena: Vec<u8>,
    apart: Vec<Apart>,
}

/// Where the longest pattern wins, the key of a rule (`Rule::key`).
#[inline]
pub(crate) fn key_of(pattern: &[u8], permits: bool) -> u32 {
    to_u32(pattern.len()).saturating_mul(2).saturating_add(u32::from(permits))
}

/// `Allow: …/index.htm(l)` also permits the directory itself, as the widely used matcher does: the pattern for it.
pub(crate) fn widened(pattern: &[u8]) -> Option<Vec<u8>> {
    let (directory, file) = pattern.split_at(memchr::memrchr(b'/', pattern)?.saturating_add(1));
    file.starts_with(b"index.htm").then(|| [directory, b"$"].concat())
}

/// A pattern and whether it has a `*` or a final `$`.
fn with_wildcards(pattern: Cow<'_, [u8]>) -> (Cow<'_, [u8]>, bool) {
    let wild = memchr::memchr(b'*', &pattern).is_some() || pattern.last() == Some(&b'$');
    (pattern, wild)
}

impl Making<'_> {
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
        let pattern = match self.dialect.form {
            _ if literal => self.literal(value),
            PathForm::Decoded => decoded_path(value),
            PathForm::Canonical | PathForm::Google => canonical_pattern(value),
        };
        let pattern: Box<[u8]> = if pattern.is_empty() && firm { Box::from(&b"/"[..]) } else { Box::from(&*pattern) };
        if !pattern.is_empty() {
            let entry = to_u32(place_of(self.entries, entry));
            self.apart.push(Apart { pattern, entry, literal, firm });
        }
    }

    /// A value in which no octet is special, in the form in which the dialect compares paths.
    fn literal<'v>(&self, value: &'v [u8]) -> Cow<'v, [u8]> {
        match self.dialect.form {
            PathForm::Canonical => canonical_literal(value),
            PathForm::Decoded => decoded_path(value),
            PathForm::Google => google_pattern(value),
        }
    }

    fn rule(&mut self, entry: &Entry, permits: bool) {
        let value = entry.value(self.text);
        let place = to_u32(place_of(self.entries, entry));
        match self.dialect.precedence {
            Precedence::Longest => {
                let (pattern, wild) = match (self.dialect.form, canonical_as_it_stands(value)) {
                    (PathForm::Decoded, _) => with_wildcards(decoded_path(value)),
                    (_, Some(wild)) => (Cow::Borrowed(value), wild),
                    (PathForm::Google, None) => with_wildcards(google_pattern(value)),
                    (PathForm::Canonical, None) => with_wildcards(canonical_pattern(value)),
                };
                // A pattern with another beginning matches no path; an empty one matches all, with no priority.
                if !matches!(pattern.first(), None | Some(b'/' | b'*')) {
                    return;
                }
                let rewritten = matches!(pattern, Cow::Owned(_));
                self.push(entry, place, &pattern, rewritten, wild, key_of(&pattern, permits));
                if permits && let Some(wide) = widened(&pattern) {
                    self.push(entry, place, &wide, true, true, key_of(&wide, permits));
                }
            }
            Precedence::Refusal => {
                if permits {
                    return;
                }
                let pattern = self.literal(value);
                let rewritten = matches!(pattern, Cow::Owned(_));
                // An empty Disallow permits everything that no other line refuses.
                let key = if value.is_empty() { 1 } else { 2 };
                self.push(entry, place, &pattern, rewritten, false, key);
            }
            Precedence::First => {
                if value.is_empty() {
                    return;
                }
                let pattern = self.literal(value);
                let rewritten = matches!(pattern, Cow::Owned(_));
                // The first line that matches wins (K2 3.2.2), so earlier lines have greater keys.
                let order = u32::MAX.wrapping_shr(2).saturating_sub(to_u32(self.rules.len()));
                let key = order.saturating_mul(2).saturating_add(u32::from(permits));
                self.push(entry, place, &pattern, rewritten, false, key);
            }
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
        let mark = mark(pattern, wild);
        self.rules.push(Rule { mark, start, len: to_u32(pattern.len()), key, entry: place, rewritten, wild });
    }
}
