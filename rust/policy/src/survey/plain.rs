//! What conventional rules alone say, told without making a view of them: most files are so simple.
//!
//! Precondition: no other vocabulary, no version and no limit has a say, and the rule with the longest pattern wins.
//!
//! Law: what is told here is what [`super::Panel::survey`] tells by a view, and what is not plain is left to that.

use std::borrow::Cow;

use super::heard::{Groups, REP, Said};
use crate::batch::{Row, kind_code, outcome_code};
use crate::decide::Kind as Reason;
use crate::fields::Kind;
use crate::lines::Entry;
use crate::pattern::matches;
use crate::places::to_usize;
use crate::policy::Policy;
use crate::reach::{Extent, is_universal};
use crate::redundant::own_path;
use crate::statement::Outcome;
use crate::usage::{self, Usage};

/// Lines that are tried for one that refuses or permits its own path.
const TRIED: usize = 8;

/// What rules say about crawling.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain {
    /// The line that decides about `/`.
    line: Option<u32>,
    is_refused: bool,
    extent: Extent,
}

impl Plain {
    /// Whether files of a policy can be told so at all.
    pub(super) fn may_read(policy: &Policy) -> bool {
        let (dialect, table) = (policy.dialect, &policy.table);
        dialect.asks_lines() && !(table.signals || table.licensed || policy.acap.is_some() || policy.is_cut())
    }

    /// None where a view is needed.
    pub(super) fn read(policy: &Policy, groups: &Groups, starts: &[u32]) -> Option<Self> {
        let rules = Rules { policy, groups, starts };
        let (mut refuses, mut permits) = (false, false);
        let mut winner: Option<Line<'_>> = None;
        for entry in rules.entries() {
            if entry.is_cut() {
                return None;
            }
            let is_permission = entry.kind == Kind::Allow;
            let value = entry.value(policy.text());
            // It permits its directory too.
            if is_permission && has_index(value) {
                return None;
            }
            if begins_otherwise(value, b"/") {
                refuses |= !is_permission;
                permits |= is_permission;
                continue;
            }
            let line = Line::read(policy, entry);
            refuses |= !line.permits && line.counts();
            permits |= line.permits && line.counts();
            if line.matches(b"/") && line.wins(winner.as_ref()) {
                winner = Some(line);
            }
        }
        let is_refused = winner.as_ref().is_some_and(Line::refuses);
        let is_shown = || rules.shows(!is_refused, if is_refused { refuses } else { permits }).then_some(Extent::Some);
        let extent = match is_refused {
            false if !refuses => Extent::None,
            true if !permits && winner.as_ref().is_some_and(|line| is_universal(&line.pattern)) => Extent::All,
            _ => is_shown()?,
        };
        Some(Self { line: winner.map(|line| line.number), is_refused, extent })
    }

    /// The same as what is said about a usage.
    pub(super) fn said(&self, usage: Usage) -> Said {
        let Self { line, is_refused, extent } = *self;
        let is_crawl = usage == usage::CRAWL;
        let line = line.filter(|_| is_crawl || is_refused);
        let kind = match line {
            None => Reason::Silence,
            Some(_) if is_crawl => Reason::Statement,
            Some(_) => Reason::CrawlProhibited,
        };
        let outcome = if is_refused { Outcome::Prohibited } else { Outcome::Permitted };
        let stated = line.is_some();
        let row = Row { outcome: outcome_code(outcome), line, kind: kind_code(kind), stated, restricted: false };
        Said { row, extent, signals: 0, dialect: if stated { REP } else { 0 } }
    }
}

/// The rules of groups.
struct Rules<'a> {
    policy: &'a Policy,
    groups: &'a Groups,
    /// Where each group begins, by the places of entries.
    starts: &'a [u32],
}

impl<'a> Rules<'a> {
    /// Their lines.
    fn entries(&self) -> impl Iterator<Item = &'a Entry> {
        let (entries, starts, groups) = (&*self.policy.table.entries, self.starts, self.groups);
        let start = |group: usize| starts.get(group).map_or(entries.len(), |start| to_usize(*start));
        let of_group = move |group: &u32| {
            let end = to_usize(*group);
            end.checked_sub(1).and_then(|group| entries.get(start(group)..start(end))).unwrap_or(&[])
        };
        let is_rule = |entry: &&Entry| matches!(entry.kind, Kind::Allow | Kind::Disallow);
        groups.list.iter().flat_map(of_group).filter(is_rule)
    }

    /// The lines of one side.
    fn of_side(&self, permits: bool) -> impl Iterator<Item = &'a Entry> {
        self.entries().filter(move |entry| (entry.kind == Kind::Allow) == permits)
    }

    fn refuse(&self, path: &[u8]) -> bool {
        let mut winner: Option<Line<'_>> = None;
        let text = self.policy.text();
        let near = self.entries().filter(|entry| !begins_otherwise(entry.value(text), path));
        for line in near.map(|entry| Line::read(self.policy, entry)) {
            if line.wins(winner.as_ref()) && line.matches(path) {
                winner = Some(line);
            }
        }
        winner.is_some_and(|line| line.refuses())
    }

    /// Whether a line that refuses, or one that permits, does so to its own path, of a resource that carries no policy.
    /// `is_contested`: a line of the other side may match something.
    fn shows(&self, refusal: bool, is_contested: bool) -> bool {
        let carries_policy = |path: &[u8]| self.policy.dialect.policy_paths.iter().any(|held| path.starts_with(held));
        let lines = self.of_side(!refusal).map(|entry| Line::read(self.policy, entry)).filter(Line::counts);
        lines.take(TRIED).any(|line| {
            let path = own_path(&line.pattern).filter(|path| !carries_policy(path));
            path.is_some_and(|path| {
                // The line matches its own path: its side wins unless a line of the other side wins over it.
                let is_beaten = is_contested && self.is_beaten(&line, &path);
                !is_beaten || self.refuse(&path) == refusal
            })
        })
    }

    /// Whether a line of the other side wins over a line where both match.
    fn is_beaten(&self, line: &Line<'_>, path: &[u8]) -> bool {
        let near = self.of_side(!line.permits).filter(|entry| !begins_otherwise(entry.value(self.policy.text()), path));
        near.map(|entry| Line::read(self.policy, entry)).any(|other| other.wins(Some(line)) && other.matches(path))
    }
}

/// Whether a pattern names the index of a directory.
fn has_index(value: &[u8]) -> bool {
    const INDEX: &[u8] = b"/index.htm";
    value.len() >= INDEX.len() && memchr::memchr(b'x', value).is_some() && memchr::memmem::find(value, INDEX).is_some()
}

/// Whether a pattern begins with `/` and a letter or digit that does not follow the `/` of a path: it cannot match it.
fn begins_otherwise(value: &[u8], path: &[u8]) -> bool {
    match value {
        [b'/', second, ..] => second.is_ascii_alphanumeric() && path.get(1) != Some(second),
        _ => false,
    }
}

/// A rule.
struct Line<'a> {
    pattern: Cow<'a, [u8]>,
    permits: bool,
    wild: bool,
    number: u32,
}

impl<'a> Line<'a> {
    fn read(policy: &'a Policy, entry: &Entry) -> Self {
        let value = entry.value(policy.text());
        let (pattern, wild) = policy.dialect.form.pattern(value);
        Self { pattern, permits: entry.kind == Kind::Allow, wild, number: entry.line }
    }

    /// Whether it has weight: an empty pattern has none, and one with another beginning matches no path.
    fn counts(&self) -> bool {
        matches!(self.pattern.first(), Some(b'/' | b'*'))
    }

    fn refuses(&self) -> bool {
        !self.permits && !self.pattern.is_empty()
    }

    /// Whether it wins over an earlier line, where both match.
    fn wins(&self, other: Option<&Self>) -> bool {
        let key = |line: &Self| (line.pattern.len(), line.permits);
        other.is_none_or(|other| key(self) > key(other))
    }

    fn matches(&self, path: &[u8]) -> bool {
        if !self.wild {
            return path.starts_with(&self.pattern);
        }
        self.counts() && matches(&self.pattern, path)
    }
}
