//! Lines → groups → the rules of one crawler, in every dialect of the Robots Exclusion Protocol.
//!
//! ```text
//! group = startgroupline *(startgroupline / emptyline) *(rule / emptyline)   ; RFC 9309 2.2
//! ```
//!
//! A dialect is a value: who is addressed, what a rule's pattern is, which key the strongest rule has. The strongest
//! rule that matches wins; no rule has the same key as a rule of the other effect, so one number decides.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::controls::is_control;
use crate::dialect::{Agents, Dialect, Grouping, PathForm, Precedence, Versions};
use crate::document::is_told;
use crate::extensions::{is_unreadable, kind_name};
use crate::index::Index;
use crate::limits::Limits;
use crate::lines::{Entry, Kind, Lines, Table, field, line_around, skip_mark, to_u32, to_usize};
use crate::octets::{
    canonical_as_it_stands, canonical_literal, canonical_pattern, decoded_path, google_pattern, is_space, leading_name,
    leading_token,
};
use crate::pattern::matches;
use crate::policy::{Policy, State};
use crate::prefilter::{Prefilter, mark};
use crate::problems::{Code, Problems};
use crate::robots2::{Record, Version, version_of};
use crate::signals::{self, Vocabulary};

/// A rule for one crawler. Its pattern is a span of the text, or of the arena when it had to be rewritten.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The summary of the pattern that a [`Prefilter`] is compared with.
    pub(crate) mark: u64,
    start: u32,
    len: u32,
    /// Twice the priority, and one more for a rule that permits; the greater key wins, and of equal keys the first.
    pub key: u32,
    /// The place of the line in the table of entries.
    pub entry: u32,
    rewritten: bool,
    /// The pattern has a `*` or a final `$`.
    pub wild: bool,
}

impl Rule {
    pub fn permits(self) -> bool {
        self.key & 1 == 1
    }

    /// Of rules that match the one with the greatest priority wins.
    pub fn priority(self) -> u32 {
        self.key >> 1
    }

    /// Whether it refuses what it matches; an empty Disallow refuses nothing.
    pub fn refuses(self) -> bool {
        !self.permits() && self.priority() > 0
    }

    /// Whether the pattern may match a path of which a prefilter was taken.
    #[inline]
    pub(crate) fn may_match(&self, prefilter: Prefilter) -> bool {
        prefilter.may_match(self.mark, self.len, self.wild)
    }
}

/// The conventional lines for one crawler.
#[derive(Debug, Default)]
pub struct Selection {
    /// The group names the crawler; otherwise it is the default group, or there is none.
    pub named: bool,
    /// The rules of the crawler's groups, in the order of the file.
    pub rules: Box<[Rule]>,
    arena: Box<[u8]>,
    /// Records of the 2.0.0 proposal that are read beside the rules, or instead of them.
    pub records: Vec<Record>,
    /// Lines that refuse beside the rules.
    pub apart: Vec<Apart>,
    /// Patterns are literal: no octet of them is special.
    literal: bool,
    /// Whether the greatest key belongs to the longest pattern, which an index may use.
    longest: bool,
    /// Whether a rule has a wildcard.
    wild: bool,
    index: OnceLock<Box<Index>>,
    work: AtomicU32,
}

/// Fewer rules than this are tried one by one.
const INDEX_FROM: usize = 128;
/// An index is built after this many questions that tried each rule: about what building one costs.
const INDEX_AFTER: u32 = 128;

impl Selection {
    /// The pattern as it is compared.
    #[inline]
    pub fn pattern<'a>(&'a self, text: &'a [u8], rule: Rule) -> &'a [u8] {
        let from = if rule.rewritten { &self.arena } else { text };
        let start = to_usize(rule.start);
        from.get(start..start.saturating_add(to_usize(rule.len))).unwrap_or(&[])
    }

    #[inline]
    pub fn rule_matches(&self, text: &[u8], rule: Rule, path: &[u8]) -> bool {
        let pattern = self.pattern(text, rule);
        if rule.wild { matches(pattern, path) } else { path.starts_with(pattern) }
    }

    /// The rule that decides about a path in the form of this dialect.
    #[inline]
    pub fn decide(&self, text: &[u8], path: &[u8]) -> Option<Rule> {
        if self.rules.len() >= INDEX_FROM && self.longest {
            if let Some(index) = self.index.get() {
                return index.decide(self, text, path);
            }
            let number = to_u32(self.rules.len());
            let done = self.work.fetch_add(1, Ordering::Relaxed);
            if done >= INDEX_AFTER && number > 0 {
                return self.index.get_or_init(|| Box::new(Index::new(self, text))).decide(self, text, path);
            }
        }
        self.scan(text, path)
    }

    pub(crate) fn scan(&self, text: &[u8], path: &[u8]) -> Option<Rule> {
        let prefilter = self.prefilter(path);
        let mut best: Option<&Rule> = None;
        let mut least = 0u32; // the least key that would win
        for rule in &self.rules {
            if rule.key >= least && rule.may_match(prefilter) && self.rule_matches(text, *rule, path) {
                best = Some(rule);
                least = rule.key.saturating_add(1);
            }
        }
        best.copied()
    }

    #[inline]
    pub(crate) fn prefilter(&self, path: &[u8]) -> Prefilter {
        Prefilter::at(path, self.wild)
    }

    /// Builds the index at once, for measuring and for long batches; without effect where none is of use.
    pub fn build_index(&self, text: &[u8]) {
        if self.rules.len() >= INDEX_FROM && self.longest {
            self.index.get_or_init(|| Box::new(Index::new(self, text)));
        }
    }

    /// Octets held beside the struct itself.
    pub fn memory(&self) -> usize {
        self.rules.len().saturating_mul(size_of::<Rule>()).saturating_add(self.arena.len())
    }
}

/// The groups of a file: each from its first User-agent line to the next that follows a rule.
///
/// A line of another kind between two User-agent lines does not end the run.
pub fn groups(entries: &[Entry]) -> impl Iterator<Item = &[Entry]> {
    let first = entries.iter().position(|entry| entry.kind == Kind::Agent).unwrap_or(entries.len());
    let mut rest = entries.get(first..).unwrap_or(&[]);
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut closed = false;
        let end = rest
            .iter()
            .position(|entry| match entry.kind {
                Kind::Allow | Kind::Disallow | Kind::CutAllow => {
                    closed = true;
                    false
                }
                Kind::Agent => closed,
                _ => false,
            })
            .unwrap_or(rest.len());
        let (group, after) = rest.split_at(end);
        rest = after;
        Some(group)
    })
}

/// The records of the older dialects, which a blank line ends too.
pub fn records(entries: &[Entry]) -> impl Iterator<Item = &[Entry]> {
    entries.split(|entry| entry.kind == Kind::Blank).flat_map(groups)
}

/// `*`, also when a blank and further text follow.
pub fn addresses_all(dialect: Dialect, value: &[u8]) -> bool {
    match value {
        [b'*'] => true,
        [b'*', next, ..] => is_space(*next) && dialect.agents != Agents::Containing,
        _ => false,
    }
}

/// The names by which a User-agent value is found: `*`, or the leading name, as it is written, and the product token that it
/// begins with (RFC 9309 2.2.1); the whole value where that may contain them. None if it names nobody.
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

/// Which groups concern a crawler: those that address the one of its `names` that [`addressed`] found, else the default.
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
pub fn heard<'a, N: AsRef<[u8]>>(
    dialect: Dialect,
    entries: &'a [Entry],
    text: &'a [u8],
    names: &'a [N],
    name: Option<&'a [u8]>,
) -> impl Iterator<Item = &'a [Entry]> {
    let concerns = concerns(dialect, text, names, name);
    let of_records = dialect.grouping.is_of_records();
    let every = (!of_records).then(|| groups(entries).filter(concerns)).into_iter().flatten();
    every.chain(of_records.then(|| records(entries).find(concerns)).flatten())
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
    let mut heard = heard(dialect, entries, text, names, name);
    // Where a limit cut a name, another than the first may not be the one to ask by.
    let weak = table.cut_names && name.is_some() && name != names.first().map(AsRef::as_ref);
    let rules = Vec::new();
    let mut making = Making { dialect, entries, text, weak, rules, arena: Vec::new(), apart: Vec::new() };
    let mut selection =
        Selection { named: name.is_some(), longest: dialect.precedence == Precedence::Longest, ..Selection::default() };
    selection.literal = !dialect.precedence.has_wildcards();
    match dialect.versions {
        Versions::Unread => heard.for_each(|group| making.group(group)),
        Versions::Beside => {
            let mut experimental = false;
            for group in heard {
                making.group(group);
                let version = version_of(group, text).filter(|_| name.is_some());
                if version.is_some_and(Version::is_stable) {
                    selection.records.push(Record::read(entries, group, text, weak));
                }
                experimental |= version.is_some_and(Version::is_experimental);
            }
            if experimental {
                groups(entries).filter(is_default).for_each(|group| making.cut_lines(group));
                selection.records.push(Record::default_of(entries, groups(entries).filter(is_default), text));
            }
        }
        Versions::Instead => match (name, heard.next()) {
            (Some(_), Some(record)) => match version_of(record, text) {
                Some(version) if version.is_stable() => {
                    making.cut_lines(record);
                    selection.records.push(Record::read(entries, record, text, weak));
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
        match dialect.grouping.is_of_records() {
            false => groups(entries).filter(led_by_cut).for_each(|group| making.refusals(group)),
            true => records(entries).filter(led_by_cut).for_each(|group| making.refusals(group)),
        }
    }
    selection.wild = making.rules.iter().any(|rule| rule.wild);
    selection.rules = making.rules.into_boxed_slice();
    selection.arena = making.arena.into_boxed_slice();
    selection.apart = making.apart;
    selection
}

struct Making<'a> {
    dialect: Dialect,
    entries: &'a [Entry],
    text: &'a [u8],
    /// Lines that permit are skipped.
    weak: bool,
    rules: Vec<Rule>,
    arena: Vec<u8>,
    apart: Vec<Apart>,
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
                Kind::Allow if !self.weak => self.rule(entry, true),
                Kind::Disallow if entry.is_cut() => self.apart(entry),
                Kind::Disallow => self.rule(entry, false),
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
        let pattern = match self.dialect.form {
            // In some records a `*` is literal, in others it is not: what stands before it is enough.
            _ if literal && firm => canonical_literal(value.split(|byte| *byte == b'*').next().unwrap_or(value)),
            PathForm::Decoded => Cow::Borrowed(value),
            _ if literal => canonical_literal(value),
            PathForm::Canonical | PathForm::Google => canonical_pattern(value),
        };
        let pattern: Box<[u8]> = match self.dialect.form {
            _ if pattern.is_empty() && firm => Box::from(&b"/"[..]),
            PathForm::Decoded => Box::from(&*decoded_path(&pattern)),
            PathForm::Canonical | PathForm::Google => Box::from(&*pattern),
        };
        if !pattern.is_empty() {
            let entry = to_u32(place_of(self.entries, entry));
            self.apart.push(Apart { pattern, entry, literal, firm });
        }
    }

    fn rule(&mut self, entry: &Entry, permits: bool) {
        let value = entry.value(self.text);
        let place = to_u32(place_of(self.entries, entry));
        match self.dialect.precedence {
            Precedence::Longest => {
                let (pattern, wild) = match (self.dialect.form, canonical_as_it_stands(value)) {
                    (_, Some(wild)) => (Cow::Borrowed(value), wild),
                    (PathForm::Google, None) => with_wildcards(google_pattern(value)),
                    (PathForm::Canonical | PathForm::Decoded, None) => with_wildcards(canonical_pattern(value)),
                };
                // A pattern with another beginning matches no path; an empty one matches all, with no priority.
                if !matches!(pattern.first(), None | Some(b'/' | b'*')) {
                    return;
                }
                let rewritten = matches!(pattern, Cow::Owned(_));
                let key = to_u32(pattern.len()).saturating_mul(2).saturating_add(u32::from(permits));
                self.push(entry, place, &pattern, rewritten, wild, key);
                if permits {
                    self.widened(entry, place, &pattern);
                }
            }
            Precedence::Refusal => {
                if permits {
                    return;
                }
                let pattern = canonical_literal(value);
                let rewritten = matches!(pattern, Cow::Owned(_));
                // An empty Disallow permits everything that no other line refuses.
                let key = if value.is_empty() { 1 } else { 2 };
                self.push(entry, place, &pattern, rewritten, false, key);
            }
            Precedence::First => {
                if value.is_empty() {
                    return;
                }
                let pattern = decoded_path(value);
                let rewritten = matches!(pattern, Cow::Owned(_));
                // The first line that matches wins (K2 3.2.2), so earlier lines have greater keys.
                let order = u32::MAX.wrapping_shr(2).saturating_sub(to_u32(self.rules.len()));
                let key = order.saturating_mul(2).saturating_add(u32::from(permits));
                self.push(entry, place, &pattern, rewritten, false, key);
            }
        }
    }

    /// `Allow: …/index.htm(l)` also permits the directory itself, as the widely used matcher does.
    fn widened(&mut self, entry: &Entry, place: u32, pattern: &[u8]) {
        let Some(slash) = memchr::memrchr(b'/', pattern) else { return };
        let (directory, file) = pattern.split_at(slash.saturating_add(1));
        if !file.starts_with(b"index.htm") {
            return;
        }
        let mut wide = directory.to_vec();
        wide.push(b'$');
        let key = to_u32(wide.len()).saturating_mul(2).saturating_add(1);
        self.push(entry, place, &wide, true, true, key);
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

/// Reports problems of the conventional lines, the encoding and the size.
pub fn report(policy: &Policy, limits: &Limits, problems: &mut Problems) {
    let text = policy.text();
    if policy.is_decoded() {
        let code = if policy.has_false_mark() { Code::FalseUtf16Mark } else { Code::DecodedUtf16 };
        problems.add(code, 1, 0, &[]);
    }
    if matches!(skip_mark(text), 1 | 2) {
        problems.add(Code::PartialByteOrderMark, 1, 0, &[]);
    }
    if let Some(what) = policy.unreadable() {
        problems.add(Code::PackedFile, 1, 0, &[&what.to_string()]);
        // It has no lines.
        return;
    }
    if !policy.is_beyond() && policy.state == State::Present && !is_told(&policy.octets) {
        problems.add(Code::NoRobotsTxt, 1, 0, &[]);
    }
    if policy.is_beyond() {
        let cut = policy.table.cut_at.unwrap_or(text.len());
        let line = to_u32(memchr::memchr_iter(b'\n', text.get(..cut).unwrap_or(text)).count().saturating_add(1));
        problems.add(
            Code::CutFile,
            line,
            to_u32(cut),
            &[&policy.octets.len().to_string(), &limits.file_octets.to_string()],
        );
    }
    let end = policy.table.cut_at.unwrap_or(text.len());
    let mut grouped = false;
    // Fields that a group has once at most, each with whether it was seen.
    let mut once =
        [(Kind::VisitTime, Code::SecondVisitTime, false), (Kind::RobotVersion, Code::SecondRobotVersion, false)];
    for line in Lines::new(text.get(..end).unwrap_or(text)) {
        let skip = if line.number == 1 { skip_mark(text) } else { 0 };
        let Some(body) = text.get(line.start.saturating_add(skip)..line.end) else { continue };
        let start = to_u32(line_around(text, line.start.saturating_add(skip)).0);
        let mut say = |code, words: &[&str]| problems.add(code, line.number, start, words);
        if body.len() > limits.line_octets {
            say(Code::OverlongLine, &[&body.len().to_string(), &limits.line_octets.to_string()]);
        }
        if std::str::from_utf8(body).is_err() {
            say(Code::InvalidUtf8, &[]);
        }
        if memchr::memchr(0, body).is_some() {
            say(Code::Nul, &[]);
        }
        let controls = policy.line_manner().controls;
        if controls && body.iter().any(|byte| *byte != 0 && is_control(*byte)) {
            say(Code::ControlCharacter, &[]);
        }
        let field = field(body, policy.line_manner());
        let name = String::from_utf8_lossy(field.name).into_owned();
        if field.misspelt {
            say(Code::MisspeltField, &[&name, kind_name(field.kind)]);
        }
        if field.no_colon && field.kind != Kind::Unknown {
            say(Code::MissingColon, &[&name]);
        }
        if let Some((_, code, seen)) = once.iter_mut().find(|(kind, _, _)| *kind == field.kind)
            && std::mem::replace(seen, true)
        {
            say(*code, &[]);
        }
        match field.kind {
            Kind::Agent => {
                grouped = true;
                once.iter_mut().for_each(|(_, _, seen)| *seen = false);
                if field.value.is_empty() {
                    say(Code::EmptyAgent, &[]);
                }
            }
            Kind::Allow | Kind::Disallow => {
                if !grouped {
                    say(Code::RuleBeforeAgent, &[&name]);
                }
                let value = String::from_utf8_lossy(field.value).into_owned();
                if policy.dialect.precedence.has_wildcards() && !matches!(field.value.first(), None | Some(b'/' | b'*'))
                {
                    let code = if value.contains("://") { Code::AbsoluteRule } else { Code::RelativePattern };
                    say(code, &[&value]);
                }
            }
            kind if is_unreadable(kind, field.value) => {
                say(Code::UnreadableValue, &[kind_name(kind), &String::from_utf8_lossy(field.value)]);
            }
            Kind::ContentSignal | Kind::ContentUsage => {
                let notes = Vocabulary::of(field.kind).map(|vocabulary| signals::line(vocabulary, field.value).notes);
                for (code, words) in notes.into_iter().flatten() {
                    say(code, &words.iter().map(String::as_str).collect::<Vec<_>>());
                }
            }
            Kind::Unknown => say(Code::UnknownField, &[&name]),
            Kind::Text => say(Code::NoField, &[&String::from_utf8_lossy(field.value)]),
            _ => {}
        }
    }
}

/// The place of an entry in the table that it is borrowed from.
pub fn place_of(entries: &[Entry], entry: &Entry) -> usize {
    let from = entries.as_ptr().addr();
    let at = std::ptr::from_ref(entry).addr();
    at.saturating_sub(from).checked_div(size_of::<Entry>()).unwrap_or(0)
}
