//! The Content-Signal, Content-Usage and License lines for one crawler, and the verdict of each vocabulary on a
//! resource.
//!
//! Groups are those of RFC 9309, but for signals each of these lines also ends the run of User-agent lines, as a rule
//! does (our choice; draft-ietf-aipref-attach says so of its own lines). Lines before the first group are for every
//! crawler.
//!
//! Laws: within a vocabulary and a name, the statement with the longest path stands, and of equally long ones the
//! refusal. Only a longer path under the same name lifts a refusal, so one more refusal never permits. A permission
//! counts only on the longest path of its vocabulary, whatever that names, and where no Disallow refuses; else it is
//! silence. No verdict loosens another's.

use std::collections::HashMap;
use std::ops::Range;

use crate::fields::Kind as LineKind;
use crate::limits::CITED;
use crate::lines::{Entry, Line, Lines, line_start};
use crate::octets::{canonical_pattern, is_space};
use crate::pattern::matches;
use crate::places::{to_u32, to_usize};
use crate::policy::Policy;
use crate::rep;
use crate::resolution::{Cite, Key};
use crate::signals::{self, SignalStatement, Vocabulary, Word};
use crate::statement::Outcome;
use crate::url::is_association;
use crate::usage::{self, Usage};

/// A line of Content-Signal or Content-Usage.
#[derive(Debug)]
struct SignalLine {
    vocabulary: Vocabulary,
    statement: SignalStatement,
    /// Canonical; empty for all resources.
    pattern: Box<[u8]>,
    /// A limit or a control character cut it: nothing lifts what it may have refused, and it permits nothing.
    cut: bool,
    entry: u32,
}

impl SignalLine {
    /// Its words on a usage.
    fn on(&self, usage: Usage) -> impl Iterator<Item = (usize, Usage, Word)> {
        let cut = self.cut;
        self.statement.on(self.vocabulary, usage).filter(move |(.., word)| !cut || *word == Word::Prohibits)
    }

    fn length(&self) -> usize {
        if self.cut { usize::MAX } else { self.pattern.len() }
    }
}

/// A line of Content-Signal, Content-Usage or License: its place in the table of entries, and the run of entries with
/// the User-agent lines of its group; none if it is for every crawler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupedLine {
    pub place: usize,
    pub group: Option<Range<usize>>,
}

/// The lines of Content-Signal, Content-Usage and License, each with its group.
pub fn grouped_lines<'a>(entries: &'a [Entry], text: &'a [u8]) -> impl Iterator<Item = GroupedLine> + 'a {
    let last_agent = entries.iter().rposition(|entry| entry.kind == LineKind::Agent).unwrap_or(0);
    let mut group: Option<Range<usize>> = None;
    let mut closed = true;
    // A License line after the last group, set apart from it, is for the whole file: publishers write it so and mean
    // that (our choice).
    let mut apart = false;
    entries.iter().enumerate().filter_map(move |(place, entry)| {
        match entry.kind {
            LineKind::Agent => {
                let start = group.as_ref().filter(|_| !closed).map_or(place, |group| group.start);
                (group, closed) = (Some(start..place.saturating_add(1)), false);
                return None;
            }
            LineKind::Allow | LineKind::Disallow | LineKind::CutAllow => {
                closed = true;
                return None;
            }
            LineKind::License => {
                let before = place.checked_sub(1).and_then(|place| entries.get(place)).map(|entry| entry.kind);
                apart &= before == Some(LineKind::License);
                apart |= place > last_agent && stands_apart(entries, place, text);
            }
            kind if Vocabulary::of(kind).is_some() => {}
            _ => return None,
        }
        closed = true;
        let is_global = entry.kind == LineKind::License && apart;
        Some(GroupedLine { place, group: group.clone().filter(|_| !is_global) })
    })
}

/// The User-agent lines of a group.
pub fn agents<'a>(entries: &'a [Entry], group: &Range<usize>) -> impl Iterator<Item = &'a Entry> {
    entries.get(group.clone()).unwrap_or(&[]).iter().filter(|entry| entry.kind == LineKind::Agent)
}

/// The lines of these vocabularies that address one crawler.
#[derive(Debug)]
pub(super) struct Signals {
    lines: Box<[SignalLine]>,
    /// The longest path selects one line for all names, and what may not be fetched has no preference
    /// (draft-ietf-aipref-attach).
    by_letter: bool,
    /// License lines, by their places in the table of entries.
    pub(super) licences: Box<[u32]>,
}

/// The verdict of a vocabulary on one usage and resource.
pub(super) struct Verdict {
    pub(super) outcome: Outcome,
    pub(super) decided: Vec<Cite>,
    pub(super) lost: Vec<(Cite, Key)>,
}

/// The paths that a line refuses: those of its pattern without those of the patterns that lift it.
pub(super) struct SignalRefusal<'a> {
    pub(super) pattern: &'a [u8],
    pub(super) but: Vec<&'a [u8]>,
}

impl Signals {
    /// None where no such line concerns the crawler.
    pub(super) fn read(policy: &Policy, names: &[&[u8]]) -> Option<Box<Self>> {
        let (entries, text) = (&policy.table.entries, policy.text());
        let name = rep::addressed(policy.dialect, entries, text, names);
        let addresses = |value: &[u8]| match name {
            Some(name) => policy.dialect.agents.address(value, name),
            None => policy.dialect.agents.are_all(value),
        };
        let mut lines = Vec::new();
        // License lines for every crawler, and those of the crawler's groups.
        let (mut global, mut own): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        let mut last: Option<(Range<usize>, bool)> = None;
        for GroupedLine { place, group } in grouped_lines(entries, text) {
            let is_global = group.is_none();
            let concerned = group.is_none_or(|group| match &last {
                Some((known, concerned)) if *known == group => *concerned,
                _ => {
                    let concerned = agents(entries, &group).any(|entry| addresses(entry.value(text)));
                    last = Some((group, concerned));
                    concerned
                }
            });
            let Some(entry) = entries.get(place).filter(|_| concerned) else { continue };
            let Some(vocabulary) = Vocabulary::of(entry.kind) else {
                if entry.len > 0 || entry.is_cut() {
                    if is_global { &mut global } else { &mut own }.push(to_u32(place));
                }
                continue;
            };
            let cut = entry.is_cut_signal();
            let by_letter = policy.dialect.by_letter;
            if by_letter && !is_by_letter(vocabulary, is_global, entry, text) {
                continue;
            }
            let (path, statement, cut) = if cut {
                (None, SignalStatement::cut(), cut)
            } else {
                let reading = signals::line(vocabulary, entry.value(text), by_letter);
                (reading.path, reading.statement, reading.cut)
            };
            // A line without words is kept too: it may have the longest path that matches.
            let pattern = canonical_pattern(path.unwrap_or(&[])).into_owned().into_boxed_slice();
            lines.push(SignalLine { vocabulary, statement, pattern, cut, entry: to_u32(place) });
        }
        // Lines of the groups replace the former (RSL 1.0 4.4), if one of them can license at all (our choice).
        let replaces = |place: &u32| {
            entries.get(to_usize(*place)).is_some_and(|one| !one.is_cut() && is_association(one.value(text)))
        };
        let licences = if own.iter().any(replaces) {
            own
        } else {
            let mut all = [global, own].concat();
            all.sort_unstable();
            all
        };
        (!lines.is_empty() || !licences.is_empty())
            .then(|| Self {
                lines: lines.into_boxed_slice(),
                by_letter: policy.dialect.by_letter,
                licences: licences.into_boxed_slice(),
            })
            .map(Box::new)
    }

    /// Those of a control token beside those of a crawler: all but its licences; none if they are the same.
    ///
    /// By the letter what is refused to crawl has no preference, so that the same lines may say less to the crawler.
    pub(super) fn beside(mut self: Box<Self>, own: Option<&Self>) -> Option<Box<Self>> {
        let Some(own) = own else { return Some(self) };
        if self.entries().eq(own.entries()) && !self.by_letter {
            return None;
        }
        self.licences = self.licences.iter().filter(|entry| !own.licences.contains(entry)).copied().collect();
        Some(self)
    }

    /// The places of the lines; crawlers with the same places get the same verdicts.
    pub(super) fn entries(&self) -> impl Iterator<Item = u32> + '_ {
        self.lines.iter().map(|one| one.entry).chain(self.licences.iter().copied())
    }

    /// Whether a line of a vocabulary is among them.
    pub(super) fn speaks(&self, vocabulary: Vocabulary) -> bool {
        self.lines.iter().any(|one| one.vocabulary == vocabulary)
    }

    /// Whether a License line makes a usage conditional: a licence is for text and data mining, and all usages below
    /// it.
    pub(super) fn licenses(&self, usage: Usage) -> bool {
        !self.licences.is_empty() && usage::TDM.covers(usage)
    }

    /// Every line on a usage.
    pub(super) fn cites(&self, usage: Usage) -> Vec<Cite> {
        let licences = if usage::TDM.covers(usage) { &*self.licences } else { &[] };
        let licence = |entry: &u32| Cite::Signal { entry: *entry, usage: usage::TDM, outcome: Outcome::Conditional };
        let lines = self.lines.iter().flat_map(|one| {
            one.on(usage).map(|(_, held, word)| {
                let outcome = if word == Word::Prohibits { Outcome::Prohibited } else { Outcome::Permitted };
                Cite::Signal { entry: one.entry, usage: held, outcome }
            })
        });
        lines.chain(licences.iter().map(licence)).collect()
    }

    /// The refusals on a usage, as sets of paths.
    pub(super) fn refusals(&self, usage: Usage) -> Vec<SignalRefusal<'_>> {
        let on = |one: &SignalLine| one.on(usage).collect::<Vec<_>>();
        let mut lifting: HashMap<(Vocabulary, usize), Vec<&[u8]>> = HashMap::new();
        for one in &self.lines {
            for (name, ..) in on(one).iter().filter(|(.., word)| *word != Word::Prohibits) {
                lifting.entry((one.vocabulary, *name)).or_default().push(&one.pattern);
            }
        }
        let selecting = if self.by_letter { &*self.lines } else { &[] };
        let mut out = Vec::new();
        for one in &self.lines {
            for (name, ..) in on(one).iter().filter(|(.., word)| *word == Word::Prohibits) {
                let longer = lifting.get(&(one.vocabulary, *name)).into_iter().flatten().copied();
                let of_vocabulary = selecting.iter().filter(|other| other.vocabulary == one.vocabulary);
                let others = longer.chain(of_vocabulary.map(|other| &*other.pattern));
                let but = others.filter(|pattern| pattern.len() > one.length()).collect();
                out.push(SignalRefusal { pattern: everywhere(&one.pattern), but });
            }
        }
        out
    }

    /// The verdict of the lines of a vocabulary; none if none of them is on the usage and matches the path. `refused`
    /// tells whether a Disallow refuses the path.
    pub(super) fn verdict(
        &self,
        vocabulary: Vocabulary,
        usage: Usage,
        path: &[u8],
        refused: impl Fn() -> bool,
        trace: bool,
    ) -> Option<Verdict> {
        struct ApplicableStatement {
            name: usize,
            length: usize,
            word: Word,
            cite: Cite,
        }
        let mut applicable: Vec<ApplicableStatement> = Vec::new();
        for one in self.lines.iter().filter(|one| one.vocabulary == vocabulary) {
            let mut matched = None;
            for (name, held, word) in one.on(usage) {
                if *matched.get_or_insert_with(|| matches(everywhere(&one.pattern), path)) {
                    let outcome = if word == Word::Prohibits { Outcome::Prohibited } else { Outcome::Permitted };
                    let cite = Cite::Signal { entry: one.entry, usage: held, outcome };
                    applicable.push(ApplicableStatement { name, length: one.length(), word, cite });
                }
            }
        }
        if self.by_letter {
            if vocabulary == Vocabulary::Preference && refused() {
                return None;
            }
            let of_vocabulary = self.lines.iter().filter(|one| one.vocabulary == vocabulary);
            let matching = of_vocabulary.filter(|one| matches(everywhere(&one.pattern), path));
            let longest = matching.map(SignalLine::length).max();
            applicable.retain(|one| Some(one.length) == longest);
        }
        if applicable.is_empty() {
            return None;
        }
        // The first statement of each name stands: the longest path, and of equals the refusal. The others have lost.
        let refuses_not = |one: &ApplicableStatement| one.word != Word::Prohibits;
        applicable.sort_by_key(|one| (one.name, std::cmp::Reverse(one.length), refuses_not(one)));
        let mut out = Verdict { outcome: Outcome::Permitted, decided: Vec::new(), lost: Vec::new() };
        let (mut refusing, mut permitting): (Vec<Cite>, Vec<(usize, Cite)>) = (Vec::new(), Vec::new());
        for of_name in applicable.chunk_by(|a, b| a.name == b.name) {
            let Some(first) = of_name.first() else { continue };
            for one in of_name {
                if one.length == first.length && one.word == first.word {
                    match one.word {
                        Word::Prohibits => refusing.push(one.cite),
                        Word::Permits => permitting.push((one.length, one.cite)),
                        Word::Lifts => {}
                    }
                } else if one.word != Word::Lifts && trace && out.lost.len() < CITED {
                    out.lost.push((one.cite, if one.length < first.length { Key::Length } else { Key::Tie }));
                }
            }
        }
        if !refusing.is_empty() {
            out.outcome = Outcome::Prohibited;
            out.decided = refusing;
            out.lost.extend(permitting.into_iter().map(|(_, cite)| (cite, Key::Tie)));
        } else if let Some(longest) = permitting.iter().map(|(length, _)| *length).max() {
            if refused() {
                out.lost.extend(permitting.into_iter().map(|(_, cite)| (cite, Key::Dialect)));
            } else {
                let more = |one: &&SignalLine| one.vocabulary == vocabulary && one.length() > longest;
                let longer = self.lines.iter().filter(more).any(|one| matches(everywhere(&one.pattern), path));
                for (length, cite) in permitting {
                    if length == longest && !longer {
                        out.decided.push(cite);
                    } else {
                        out.lost.push((cite, Key::Length));
                    }
                }
            }
        }
        out.decided.dedup();
        Some(out)
    }
}

/// Whether a line counts by the letter: its field is spelt as its text has it, and it is in a group, as the draft has
/// every rule.
fn is_by_letter(vocabulary: Vocabulary, is_global: bool, entry: &Entry, text: &[u8]) -> bool {
    let start = to_usize(entry.start);
    let written = text.get(line_start(text, start)..start).unwrap_or(&[]);
    let name = written.split(|octet| *octet == b':').next().unwrap_or(written);
    name.trim_ascii().eq_ignore_ascii_case(vocabulary.field().as_bytes())
        && !(is_global && vocabulary == Vocabulary::Preference)
}

/// Whether there may be a licence to hold under a License line: its document can license, or it has the name of terms
/// (`CC BY 4.0`), which is no reference.
pub(super) fn may_license(entry: &Entry, text: &[u8]) -> bool {
    let value = entry.value(text);
    let is_name = value.iter().any(|octet| is_space(*octet))
        && !value.starts_with(b"/")
        && memchr::memmem::find(value, b"://").is_none();
    !entry.is_cut() && (is_name || is_association(value))
}

/// The number of a vocabulary among the dialects of [`Elsewhere`](super::Elsewhere).
pub fn signal_dialect(vocabulary: Vocabulary) -> u32 {
    match vocabulary {
        Vocabulary::Signal => u32::MAX,
        Vocabulary::Preference => u32::MAX.saturating_sub(1),
    }
}

/// That number for the vocabulary of a line.
pub(super) fn dialect_of(policy: &Policy, entry: u32) -> Option<u32> {
    let entry = policy.table.entries.get(to_usize(entry))?;
    Vocabulary::of(entry.kind).map(signal_dialect)
}

/// The pattern as it is matched: an empty one matches every path.
fn everywhere(pattern: &[u8]) -> &[u8] {
    if pattern.is_empty() { b"/" } else { pattern }
}

/// Whether a blank line or a Sitemap line stands above a line.
fn stands_apart(entries: &[Entry], place: usize, text: &[u8]) -> bool {
    let before = place.checked_sub(1).and_then(|place| entries.get(place));
    let (Some(before), Some(entry)) = (before, entries.get(place)) else { return true };
    let from = to_usize(before.start).saturating_add(usize::from(before.len));
    let between = text.get(from..to_usize(entry.start)).unwrap_or(&[]);
    let is_blank = |line: Line| between.get(line.start..line.end).is_some_and(|line| line.trim_ascii().is_empty());
    before.kind == LineKind::Sitemap || Lines::new(between).skip(1).any(is_blank)
}
