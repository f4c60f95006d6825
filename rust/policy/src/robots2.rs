//! The 2.0.0 proposal of 1996: versions, explicit and wildcard strings, their order.
//!
//! ```text
//! Robot-version: <version>     ; major.minor.revision, directly after the User-agent lines
//! Allow:    <explicit> | <regex>
//! Disallow: <explicit> | <regex>
//! ```
//!
//! An explicit Allow comes first, then Disallow, then a wildcard Allow. What matches nothing is refused if there is a
//! wildcard Allow, or Allow lines and no Disallow lines; otherwise allowed (our choice where the proposal says
//! "Discuss").

use std::collections::HashSet;

use crate::automaton::Machine;
use crate::fields::Kind;
use crate::limits::MATCHED;
use crate::lines::Entry;
use crate::octets::{canonical_literal, canonical_pattern};
use crate::pattern::matches_whole;
use crate::places::place_of;
use crate::places::to_u32;
use crate::prefilter::{octets, octets_mark};
use crate::resolution::Key;

/// The version a record names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    major: u32,
    minor: u32,
}

impl Version {
    /// "The version is a three part number, with each part separated by a period" (R2, Robot-version). The third may be
    /// missing.
    pub(crate) fn parse(value: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(value).ok()?;
        let mut parts = text.split('.').map(|part| {
            part.bytes().all(|byte| byte.is_ascii_digit()).then_some(part).and_then(|digits| digits.parse::<u32>().ok())
        });
        let major = parts.next()??;
        let minor = parts.next()??;
        if !parts.all(|part| part.is_some()) {
            return None;
        }
        Some(Self { major, minor })
    }

    /// "even numbers be 'stable' (or agreed upon) standards" (R2, Robot-version): to be obeyed, also above ours.
    pub(crate) fn is_stable(self) -> bool {
        self.major == 2 && self.minor.is_multiple_of(2)
    }

    /// "and odd numbers to be 'experimental'" (R2, Robot-version): the record is skipped and the default one used.
    pub(crate) fn is_experimental(self) -> bool {
        self.major == 2 && !self.minor.is_multiple_of(2)
    }
}

/// `Robot-version: <version> # 2.0.0`
///
/// The version of a record, if Robot-version directly follows its User-agent lines.
pub(crate) fn version_of(record: &[Entry], text: &[u8]) -> Option<Version> {
    let last = record.iter().rposition(|entry| entry.kind == Kind::Agent)?;
    let after = record.get(last.saturating_add(1)..)?;
    let version = after.iter().find(|entry| entry.kind == Kind::RobotVersion && entry.is_after_agent())?;
    Version::parse(version.value(text))
}

#[derive(Debug)]
struct Line {
    permits: bool,
    explicit: bool,
    glob: Vec<u8>,
    /// The octets that a path has to have for a glob with wildcards.
    mark: u64,
    entry: u32,
}

impl Line {
    fn new(permits: bool, explicit: bool, glob: Vec<u8>, entry: u32) -> Self {
        let mark = if explicit { 0 } else { octets_mark(&glob) };
        Self { permits, explicit, glob, mark, entry }
    }
}

/// A path that is asked for, with what the lines of all records look at.
#[derive(Debug)]
pub struct Asked<'a> {
    path: &'a [u8],
    /// What stands before the query.
    bare: &'a [u8],
    /// Those that it has.
    octets: u64,
    /// Globs that do not match it.
    missed: HashSet<&'a [u8]>,
    /// Octets that may still be looked at.
    left: usize,
}

impl<'a> Asked<'a> {
    /// `path` is canonical path and query.
    pub fn new(path: &'a [u8]) -> Self {
        let bare = path.split(|byte| *byte == b'?').next().unwrap_or(path);
        Self { path, bare, octets: octets(path), missed: HashSet::new(), left: MATCHED }
    }

    /// Whether a glob matches; none does once too much has been looked at.
    fn matches(&mut self, glob: &'a [u8], mark: u64) -> bool {
        if self.left == 0 || mark & !self.octets != 0 || self.missed.contains(glob) {
            return false;
        }
        self.left = self.left.saturating_sub(self.path.len());
        let matches = matches_whole(glob, self.path);
        if !matches {
            self.missed.insert(glob);
        }
        matches
    }
}

/// One record, read as the proposal does, or the default record, read as 1.0.0.
#[derive(Debug)]
pub struct VersionedRecord {
    lines: Vec<Line>,
    /// Without a match the record refuses.
    closed: bool,
    /// Lines are plain prefixes and only refuse.
    plain: bool,
    /// The record names the crawler; the default one does not.
    pub named: bool,
}

/// What a record says about a path: whether it refuses, and the line, or none if nothing matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    pub refuses: bool,
    pub entry: Option<u32>,
}

/// Paths that a record refuses.
#[derive(Clone, Debug)]
pub(crate) struct RecordRefusal {
    pub machine: Machine,
    /// The pattern that permissions are compared with.
    pub pattern: Vec<u8>,
    /// Not those that these match.
    pub but: Vec<Machine>,
    /// The place of the line in the table of entries; none where nothing matches.
    pub entry: Option<u32>,
}

impl VersionedRecord {
    /// ```text
    /// Allow: <explicit>    # 2.0.0
    /// Allow: <regex>       # 2.0.0
    /// Disallow: <explicit> # 2.0.0
    /// Disallow: <regex>    # 2.0.0
    /// ```
    ///
    /// Lines that a limit cut are read apart; with `permits_nothing` permissions count as lines and permit nothing.
    pub fn read(entries: &[Entry], record: &[Entry], text: &[u8], permits_nothing: bool) -> Self {
        let mut lines = Vec::new();
        for entry in record {
            let permits = match entry.kind {
                Kind::Allow => true,
                Kind::Disallow if !entry.is_cut() => false,
                _ => continue,
            };
            let value = entry.value(text);
            if value.is_empty() {
                continue;
            }
            let explicit = memchr::memchr(b'*', value).is_none();
            let glob = if explicit { canonical_literal(value) } else { canonical_wildcard(value) };
            lines.push(Line::new(permits, explicit, glob.into_owned(), to_u32(place_of(entries, entry))));
        }
        // One that was not read whole may have had a wildcard.
        let any_wild_allow = lines.iter().any(|line| line.permits && !line.explicit)
            || record
                .iter()
                .any(|entry| entry.kind == Kind::CutAllow || (permits_nothing && entry.kind == Kind::Allow));
        // Lines count as lines, also those that are empty or were too long.
        let allows = record.iter().any(|entry| matches!(entry.kind, Kind::Allow | Kind::CutAllow));
        let disallows = record.iter().any(|entry| entry.kind == Kind::Disallow);
        lines.retain(|line| !(permits_nothing && line.permits));
        Self { lines, closed: any_wild_allow || (allows && !disallows), plain: false, named: true }
    }

    /// `Disallow: <general> # 1.0.0`
    ///
    /// The default groups, in the 1.0.0 form that the proposal keeps for them.
    pub(crate) fn default_of<'a>(entries: &[Entry], groups: impl Iterator<Item = &'a [Entry]>, text: &[u8]) -> Self {
        let lines = groups
            .flatten()
            .filter(|entry| entry.kind == Kind::Disallow && entry.len > 0 && !entry.is_cut())
            .map(|entry| {
                let glob = canonical_literal(entry.value(text)).into_owned();
                Line::new(false, false, glob, to_u32(place_of(entries, entry)))
            })
            .collect();
        Self { lines, closed: false, plain: true, named: false }
    }

    /// "explicit allows have a higher precedence than a disallow rule. Disallow rules have a higher precedence than wild
    /// card/regular expression rules." (R2, Allow)
    pub fn decide<'a>(&'a self, asked: &mut Asked<'a>) -> Finding {
        let order: [fn(&&Line) -> bool; 3] =
            [|line| line.permits && line.explicit, |line| !line.permits, |line| line.permits && !line.explicit];
        for wanted in order {
            if let Some(line) = self.lines.iter().filter(wanted).find(|line| self.hits(line, asked)) {
                return Finding { refuses: !line.permits, entry: Some(line.entry) };
            }
        }
        // What could not be looked at may refuse.
        Finding { refuses: self.closed || asked.left == 0, entry: None }
    }

    /// The lines that match a path beside the one that decides.
    pub fn others<'a>(&'a self, asked: &mut Asked<'a>, decided: Option<u32>) -> Vec<(u32, Key)> {
        let explicit = self.lines.iter().any(|line| Some(line.entry) == decided && line.permits && line.explicit);
        let key = if explicit { Key::ExplicitAllow } else { Key::Order };
        let others = self.lines.iter().filter(|line| Some(line.entry) != decided);
        others.filter(|line| self.hits(line, asked)).map(|line| (line.entry, key)).collect()
    }

    fn hits<'a>(&'a self, line: &'a Line, asked: &mut Asked<'a>) -> bool {
        match (self.plain, line.explicit) {
            (true, _) => asked.path.starts_with(&line.glob),
            (false, true) => asked.bare == line.glob,
            (false, false) => asked.matches(&line.glob, line.mark),
        }
    }

    /// What the record refuses: for each line, and for what nothing matches, the paths, and those that are not refused
    /// by it because another line speaks first.
    pub(crate) fn refusals(&self) -> Vec<RecordRefusal> {
        let machines = |line: &Line| -> Vec<Machine> {
            match (self.plain, line.explicit) {
                (true, _) => vec![Machine::of_prefix(&line.glob)],
                // An explicit string is compared with the path alone, whatever query follows.
                (false, true) if line.glob.contains(&b'?') => Vec::new(),
                (false, true) => {
                    vec![Machine::of_path(&line.glob), Machine::of_prefix(&[&line.glob, &b"?"[..]].concat())]
                }
                (false, false) => vec![Machine::of_glob(&line.glob)],
            }
        };
        let mut before: Vec<Machine> =
            self.lines.iter().filter(|line| line.permits && line.explicit).flat_map(machines).collect();
        let mut out = Vec::new();
        for line in self.lines.iter().filter(|line| !line.permits) {
            let own = machines(line);
            let pattern = self.pattern_of(line.entry).unwrap_or_default();
            let refusal = |machine: Machine| RecordRefusal {
                machine,
                pattern: pattern.clone(),
                but: before.clone(),
                entry: Some(line.entry),
            };
            out.extend(own.clone().into_iter().map(refusal));
            before.extend(own);
        }
        if self.closed {
            before.extend(self.lines.iter().filter(|line| line.permits && !line.explicit).flat_map(machines));
            out.push(RecordRefusal {
                machine: Machine::of_prefix(b"/"),
                pattern: b"/".to_vec(),
                but: before,
                entry: None,
            });
        }
        out
    }

    /// The places of its lines in the table of entries.
    pub fn entries(&self) -> impl Iterator<Item = u32> {
        self.lines.iter().map(|line| line.entry)
    }

    /// How many lines it has that say something.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether no line says anything.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The lines, each with whether it permits and the pattern of the paths it matches in RFC 9309 terms.
    pub(crate) fn pattern_of(&self, entry: u32) -> Option<Vec<u8>> {
        let line = self.lines.iter().find(|line| line.entry == entry)?;
        let mut pattern = line.glob.clone();
        if !self.plain {
            pattern.push(b'$');
        }
        Some(pattern)
    }
}

/// "`<regex>` - the 2.0.0 wildcard/regular expression match string format" (R2)
///
/// It keeps its `*`, and a final `$` is an octet like any other here.
fn canonical_wildcard(value: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    match value.strip_suffix(b"$") {
        Some(body) => {
            let mut out = canonical_pattern(body).into_owned();
            out.extend_from_slice(b"%24");
            std::borrow::Cow::Owned(out)
        }
        None => canonical_pattern(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::policy::Policy;

    #[test]
    fn what_was_not_looked_at_refuses() {
        let text = b"User-agent: a\nRobot-version: 2.0\nDisallow: /*b\nDisallow: /*c\n";
        let view = crate::decide::View::new(&Policy::read(text.as_slice().into(), None, Dialect::AUTO, None), &["a"]);
        let record = view.rep.records.first().unwrap();
        let mut asked = Asked::new(b"/bbbc/d");
        assert!(!record.decide(&mut asked).refuses);
        let mut asked = Asked { left: 3, ..Asked::new(b"/bbbc/d") };
        assert_eq!(record.decide(&mut asked), Finding { refuses: true, entry: None });
    }
}
