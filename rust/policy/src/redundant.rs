//! Conventional lines that change no decision: without them every path is decided as with them.
//!
//! One search with its budget, and so one module. Lines are tried from the last to the first. A redundant line is left
//! out before the next is tried, so that all that are found can go together.

use std::collections::{HashMap, HashSet};

use crate::automaton::{Found, PatternTable, Query, Work};
use crate::decide::View;
use crate::decide::claims::{Claim, Claims, Sorted};
use crate::fields::Kind;
use crate::octets::canonical_path;
use crate::pattern::{contains, matches};
use crate::places::place_of;
use crate::places::{to_u32, to_usize};
use crate::policy::Policy;
use crate::rep::groups;
use crate::usage;

/// Why a line is redundant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Because {
    /// No URL has a path of that form.
    Unmatchable,
    /// Other lines say the same, or nothing says otherwise.
    Covered,
    /// Other lines win wherever it matches.
    Overridden,
}

/// A redundant line, as a place in the table of entries, and the lines that make it so.
#[derive(Clone, Debug)]
pub struct Redundant {
    pub entry: u32,
    pub because: Because,
    pub by: Vec<u32>,
}

/// The redundant lines among those that address some crawlers.
#[derive(Clone, Debug, Default)]
pub struct RedundantLines {
    /// In the order of lines.
    pub list: Vec<Redundant>,
    /// The number of lines that took too long to decide; they are not called redundant.
    pub undecided: usize,
}

/// Search steps per file.
const STEPS: usize = 1 << 18;
/// Search steps per question.
const ASKED: usize = 1 << 14;
/// Steps per file that need no search: comparing an octet, or considering a line.
const LOOKS: usize = 1 << 26;
/// Steps that considering one line costs, beside its octets.
const LOOK: usize = 4;
/// Octets compared per step where there is no `*`.
const AT_ONCE: usize = 16;
/// Steps that adding one pattern to a question costs.
const PUT: usize = 64;
/// At most this many lines are named as the reason why one is redundant.
const NAMED: usize = 4;

/// The conventional lines that are redundant for every crawler they address. A group keeps at least one line: without
/// any, its User-agent lines would belong to the next group.
pub fn redundant<'a>(policy: &Policy, views: impl Iterator<Item = &'a View>) -> RedundantLines {
    let mut out = RedundantLines::default();
    if !policy.dialect.precedence.is_by_length() || policy.truncated() {
        return out;
    }
    let mut searches_of: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut searches: Vec<Search<'_>> = Vec::new();
    let mut unknown: HashSet<u32> = HashSet::new();
    let mut work = Budget { looks: Work::of(LOOKS), searches: Work::of(STEPS) };
    for view in views {
        if view.rep.rules.is_empty() && !view.is_controlled() {
            continue;
        }
        let mut atoms = PatternTable::default();
        let claims = policy.claims(view, usage::CRAWL, None, &mut atoms, &mut work.looks);
        let of_tokens = policy.control_claims(view, &mut work.looks);
        for (rep, atoms, claims) in [(&view.rep, atoms, claims)].into_iter().chain(of_tokens) {
            let mut entries: Vec<u32> = rep.rules.iter().map(|rule| rule.entry).collect();
            entries.dedup();
            if claims.too_many || !rep.records.is_empty() {
                unknown.extend(entries);
                continue;
            }
            for entry in entries {
                searches_of.entry(entry).or_default().push(searches.len());
            }
            let sorted = claims.sorted(&atoms);
            let refusing = places_of(claims.list.iter().map(|claim| claim.entry));
            let permitting = places_of(claims.permitting.iter().copied().map(Some));
            searches.push(Search { policy, atoms, claims, sorted, refusing, permitting, undecided: 0 });
        }
    }
    let mut group_of: HashMap<u32, usize> = HashMap::new();
    let mut left: Vec<usize> = Vec::new();
    for group in groups(&policy.table.entries) {
        let rules = group.iter().filter(|entry| matches!(entry.kind, Kind::Allow | Kind::Disallow | Kind::CutAllow));
        let places: Vec<u32> = rules.map(|entry| to_u32(place_of(&policy.table.entries, entry))).collect();
        group_of.extend(places.iter().map(|place| (*place, left.len())));
        left.push(places.len());
    }
    let mut entries: Vec<u32> = searches_of.keys().copied().filter(|entry| !unknown.contains(entry)).collect();
    entries.sort_unstable();
    let mut gone: HashSet<u32> = HashSet::new();
    for entry in entries.into_iter().rev() {
        let Some(left) = group_of.get(&entry).and_then(|group| left.get_mut(*group)) else { continue };
        if *left < 2 {
            continue;
        }
        let mut found: Option<(Because, Vec<u32>)> = None;
        let redundant = searches_of.get(&entry).into_iter().flatten().all(|place| {
            let one = searches.get_mut(*place).and_then(|search| search.at(entry, &gone, &mut work));
            let is_redundant = one.is_some();
            // Of several reasons the weightiest is named.
            found = found.take().max(one);
            is_redundant
        });
        if let (true, Some((because, by))) = (redundant, found) {
            gone.insert(entry);
            *left = left.saturating_sub(1);
            out.list.push(Redundant { entry, because, by });
        }
    }
    out.list.reverse();
    out.undecided = searches.iter().fold(0, |sum, search| sum.saturating_add(search.undecided));
    out
}

/// How much may still be worked out for a file.
struct Budget {
    looks: Work,
    searches: Work,
}

impl Budget {
    fn is_over(&self) -> bool {
        self.looks.is_over() || self.searches.is_over()
    }

    /// Spends the cost of considering this many lines.
    fn look(&mut self, lines: usize) {
        self.looks.spend(lines.saturating_mul(LOOK));
    }

    /// Sets a pattern against a path, or another pattern.
    fn compare(&mut self, one: &[u8], other: &[u8]) {
        let octets = one.len().saturating_add(other.len());
        let wild = memchr::memchr(b'*', one).is_some();
        self.looks.spend(if wild { octets } else { octets.wrapping_div(AT_ONCE) }.saturating_add(LOOK));
    }
}

/// A claim as a clause of a query, with its line.
type Clause = (Option<u32>, (u32, Vec<u32>));

struct Search<'a> {
    policy: &'a Policy,
    atoms: PatternTable,
    claims: Claims,
    sorted: Sorted,
    /// For each line the claims and the rungs that are its.
    refusing: HashMap<u32, Vec<usize>>,
    permitting: HashMap<u32, Vec<usize>>,
    undecided: usize,
}

/// The places of each line in a list.
fn places_of(entries: impl Iterator<Item = Option<u32>>) -> HashMap<u32, Vec<usize>> {
    let mut out: HashMap<u32, Vec<usize>> = HashMap::new();
    for (place, entry) in entries.enumerate() {
        if let Some(entry) = entry {
            out.entry(entry).or_default().push(place);
        }
    }
    out
}

fn pattern_of(atoms: &PatternTable, atom: u32) -> &[u8] {
    atoms.patterns.get(to_usize(atom)).map_or(&[], |pattern| pattern)
}

/// Whether a claim still stands, and is not of the line that is tried.
fn stands(claim: &Claim, without: Option<u32>, gone: &HashSet<u32>) -> bool {
    claim.entry.is_none_or(|entry| Some(entry) != without && !gone.contains(&entry))
}

/// A place of the ladder, its atom, and the line that it is of.
#[derive(Clone, Copy)]
struct Rung {
    place: usize,
    atom: u32,
    line: u32,
}

impl Search<'_> {
    fn at(&mut self, entry: u32, gone: &HashSet<u32>, work: &mut Budget) -> Option<(Because, Vec<u32>)> {
        let refusing = self.refusing.get(&entry).cloned().unwrap_or_default();
        let rungs = self.permitting.get(&entry).cloned().unwrap_or_default();
        let patterns: Vec<u32> = refusing
            .iter()
            .filter_map(|place| self.claims.list.get(*place).map(|claim| claim.pattern))
            .chain(rungs.iter().filter_map(|rung| self.claims.ladder.get(*rung).copied()))
            .collect();
        if patterns.is_empty() {
            return None; // an empty value says nothing by design
        }
        if !patterns.iter().any(|pattern| own_path(self.pattern(*pattern)).is_some()) {
            let mut lives = false;
            for pattern in &patterns {
                lives |= self.search(Query::all_of(vec![*pattern]), work)?;
            }
            if !lives {
                return Some((Because::Unmatchable, Vec::new()));
            }
        }
        if refusing.is_empty() {
            self.permission(entry, &rungs, gone, work)
        } else {
            self.refusal(entry, &refusing, gone, work)
        }
    }

    /// Whether a path exists; none if the search gave up.
    fn search(&mut self, query: Query, work: &mut Budget) -> Option<bool> {
        let found = work.searches.part(ASKED, |part| {
            // To put the question costs as well.
            part.spend(query.never.len().saturating_add(query.clauses.len()).saturating_mul(PUT));
            query.shortest(&self.atoms, self.policy.dialect.form.domain(), part)
        });
        match found {
            Found::Path(_) => Some(true),
            Found::Nothing => Some(false),
            Found::TooMuch => self.count_undecided(),
        }
    }

    /// Counts a line as undecided, and finds nothing: the time is over.
    fn count_undecided<T>(&mut self) -> Option<T> {
        self.undecided = self.undecided.saturating_add(1);
        None
    }

    fn rung(&self, place: usize) -> Option<Rung> {
        let (atom, line) = self.claims.ladder.get(place).zip(self.claims.permitting.get(place))?;
        Some(Rung { place, atom: *atom, line: *line })
    }

    /// The rungs that are still there and can match what patterns match.
    fn rungs(&self, must: &[u32], gone: &HashSet<u32>, work: &mut Budget) -> Vec<Rung> {
        let near = self.claims.rungs_near(&self.sorted, &self.atoms, must).inspect(|_| work.look(1));
        near.filter_map(|(place, _)| self.rung(place)).filter(|rung| !gone.contains(&rung.line)).collect()
    }

    /// The claims that are still there, without those of a line, and can match what patterns match.
    fn near<'a>(
        &'a self,
        must: &'a [u32],
        without: Option<u32>,
        gone: &'a HashSet<u32>,
    ) -> impl Iterator<Item = &'a Claim> + 'a {
        let near = self.claims.near(&self.sorted, &self.atoms, must);
        near.filter(move |claim| stands(claim, without, gone))
    }

    /// The patterns that lift a claim where `must` matches: of the rungs, without those of one line.
    fn lifting(&self, claim: &Claim, must: &[u32], rungs: &[Rung], without: Option<u32>) -> Vec<u32> {
        let below = rungs.iter().filter(|rung| claim.rungs.contains(&rung.place));
        let others = claim.others.iter().copied().filter(|atom| self.atoms.concerns(must, *atom));
        below.filter(|rung| Some(rung.line) != without).map(|rung| rung.atom).chain(others).collect()
    }

    /// None of the claims but those of a line, and but `aside`, shall refuse what patterns match; each with its line.
    /// None: it is too much.
    fn clauses(
        &self,
        must: &[u32],
        rungs: &[Rung],
        without: Option<u32>,
        aside: Option<&Claim>,
        gone: &HashSet<u32>,
        work: &mut Budget,
    ) -> Option<Vec<Clause>> {
        let mut out = Vec::new();
        for claim in self.near(must, without, gone).filter(|claim| aside != Some(*claim)) {
            work.look(rungs.len().saturating_add(claim.others.len()).saturating_add(1));
            if work.is_over() {
                return None;
            }
            out.push((claim.entry, (claim.pattern, self.lifting(claim, must, rungs, None))));
        }
        Some(out)
    }

    fn pattern(&self, atom: u32) -> &[u8] {
        pattern_of(&self.atoms, atom)
    }

    /// Whether a path is refused when a line that refuses, or one that permits, is left out. None: it is too much.
    fn refused(
        &self,
        path: &[u8],
        without: Option<u32>,
        permitting: Option<u32>,
        gone: &HashSet<u32>,
        work: &mut Budget,
    ) -> Option<bool> {
        let matched = |atom: u32, work: &mut Budget| {
            let pattern = self.pattern(atom);
            work.compare(pattern, path);
            matches(pattern, path)
        };
        // The rungs of a ladder are sorted: what lifts its strongest claim lifts those below it.
        let mut highest: Vec<usize> = Vec::new();
        let is_last = |rung: usize| rung >= self.claims.last_ladder;
        for rung in self.sorted.ladder.over(path) {
            work.look(1);
            if work.is_over() {
                return None;
            }
            if highest.last().is_some_and(|held| is_last(*held) == is_last(rung)) {
                continue;
            }
            let line = self.claims.permitting.get(rung).copied();
            let there = line != permitting && !line.is_some_and(|line| gone.contains(&line));
            if there && self.claims.ladder.get(rung).is_some_and(|atom| matched(*atom, work)) {
                highest.push(rung);
                if is_last(rung) {
                    break;
                }
            }
        }
        for claim in self.sorted.list.over(path).into_iter().filter_map(|place| self.claims.list.get(place)) {
            work.look(1);
            if work.is_over() {
                return None;
            }
            if stands(claim, without, gone)
                && !highest.iter().any(|rung| claim.rungs.contains(rung))
                && matched(claim.pattern, work)
                && !claim.others.iter().any(|atom| matched(*atom, work))
            {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Answers without a search: a path made of the pattern's own letters, or one line that contains the pattern.
    fn quick(
        &self,
        entry: u32,
        place: usize,
        gone: &HashSet<u32>,
        work: &mut Budget,
    ) -> Option<Option<(Because, Vec<u32>)>> {
        let claim = self.claims.list.get(place)?;
        let pattern = self.pattern(claim.pattern);
        if let Some(path) = own_path(pattern)
            && self.refused(&path, None, None, gone, work)?
            && !self.refused(&path, Some(entry), None, gone, work)?
        {
            return Some(None);
        }
        let over = |atom: u32, work: &mut Budget| {
            work.compare(self.pattern(atom), pattern);
            contains(self.pattern(atom), pattern)
        };
        let beginning = self.atoms.head(claim.pattern);
        for rung in self.sorted.ladder.over(beginning).into_iter().filter(|rung| claim.rungs.contains(rung)) {
            if work.is_over() {
                return None;
            }
            if let Some(rung) = self.rung(rung)
                && !gone.contains(&rung.line)
                && over(rung.atom, work)
            {
                return Some(Some((Because::Overridden, vec![rung.line])));
            }
        }
        let must = [claim.pattern];
        let rungs = self.rungs(&must, gone, work);
        for other in self.sorted.list.over(beginning) {
            if work.is_over() {
                return None;
            }
            let Some((line, held)) = self.claims.list.get(other).and_then(|held| Some((held.entry?, held))) else {
                continue;
            };
            if line != entry && !gone.contains(&line) && over(held.pattern, work) {
                work.look(rungs.len().saturating_add(held.others.len()));
                if self.lifting(held, &must, &rungs, None).is_empty() {
                    return Some(Some((Because::Covered, vec![line])));
                }
            }
        }
        None
    }

    fn refusal(
        &mut self,
        entry: u32,
        places: &[usize],
        gone: &HashSet<u32>,
        work: &mut Budget,
    ) -> Option<(Because, Vec<u32>)> {
        if let [only] = places
            && let Some(seen) = self.quick(entry, *only, gone, work)
        {
            return seen;
        }
        if work.is_over() {
            return self.count_undecided();
        }
        for place in places {
            let claim = self.claims.list.get(*place)?;
            let must = vec![claim.pattern];
            let rungs = self.rungs(&must, gone, work);
            let never = self.lifting(claim, &must, &rungs, None);
            let Some(clauses) = self.clauses(&must, &rungs, Some(entry), None, gone, work) else {
                return self.count_undecided();
            };
            let query = Query {
                must: must.clone(),
                never: never.clone(),
                clauses: clauses.iter().map(|(_, clause)| clause.clone()).collect(),
            };
            if self.search(query, work)? {
                return None;
            }
            let alone = Query { must: must.clone(), never: never.clone(), clauses: Vec::new() };
            if self.search(alone, work)? {
                // One other line that refuses all of it, else all that refuse some of it.
                for (line, clause) in &clauses {
                    let query = Query { must: must.clone(), never: never.clone(), clauses: vec![clause.clone()] };
                    if let (false, Some(line)) = (self.search(query, work)?, line) {
                        return Some((Because::Covered, vec![*line]));
                    }
                }
                let by = clauses.iter().filter_map(|(line, _)| *line).take(NAMED).collect();
                return Some((Because::Covered, by));
            }
        }
        let claim = places.first().and_then(|place| self.claims.list.get(*place))?;
        let rungs =
            self.rungs(&[claim.pattern], gone, work).into_iter().filter(|rung| claim.rungs.contains(&rung.place));
        let by = rungs.map(|rung| rung.line).take(NAMED).collect();
        Some((Because::Overridden, by))
    }

    fn permission(
        &mut self,
        entry: u32,
        rungs: &[usize],
        gone: &HashSet<u32>,
        work: &mut Budget,
    ) -> Option<(Because, Vec<u32>)> {
        for rung in rungs {
            // A path of its own letters that would be refused without it, and is not with it.
            let path = self.claims.ladder.get(*rung).and_then(|atom| own_path(self.pattern(*atom)));
            if let Some(path) = path
                && self.refused(&path, None, None, gone, work) == Some(false)
                && self.refused(&path, None, Some(entry), gone, work) == Some(true)
            {
                return None;
            }
        }
        if work.is_over() {
            return self.count_undecided();
        }
        let (mut meets, mut overridden): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        let mut beside: HashSet<u32> = HashSet::new();
        for rung in rungs {
            let permitted = *self.claims.ladder.get(*rung)?;
            let near: Vec<Claim> = self.near(&[permitted], None, gone).cloned().collect();
            work.look(near.len());
            for claim in near {
                let must = vec![permitted, claim.pattern];
                work.compare(self.pattern(permitted), self.pattern(claim.pattern));
                if !self.atoms.plainly_meet(&must, self.policy.dialect.form.domain())
                    && !self.search(Query::all_of(must.clone()), work)?
                {
                    continue;
                }
                if !claim.rungs.contains(rung) {
                    overridden.extend(claim.entry);
                    continue;
                }
                meets.extend(claim.entry);
                let rungs = self.rungs(&must, gone, work);
                let never = self.lifting(&claim, &must, &rungs, Some(entry));
                let below = rungs.iter().filter(|rung| claim.rungs.contains(&rung.place));
                beside.extend(below.map(|rung| rung.line).filter(|line| *line != entry));
                // Each claim that this line lifts must be lifted, this one aside.
                let Some(clauses) = self.clauses(&must, &rungs, None, Some(&claim), gone, work) else {
                    return self.count_undecided();
                };
                let clauses = clauses.into_iter().map(|(_, clause)| clause).collect();
                if self.search(Query { must, never, clauses }, work)? {
                    return None;
                }
            }
        }
        if meets.is_empty() && !overridden.is_empty() {
            overridden.truncate(NAMED);
            return Some((Because::Overridden, overridden));
        }
        let mut by: Vec<u32> = beside.into_iter().collect();
        by.sort_unstable();
        by.truncate(NAMED);
        Some((Because::Covered, by))
    }
}

/// The path that a pattern matches if each `*` is empty; none if no URL has that path.
pub(crate) fn own_path(pattern: &[u8]) -> Option<Vec<u8>> {
    let body = pattern.strip_suffix(b"$").unwrap_or(pattern);
    let mut path: Vec<u8> = body.iter().copied().filter(|octet| *octet != b'*').collect();
    if path.first() != Some(&b'/') {
        path.insert(0, b'/');
    }
    (*canonical_path(&path) == *path && matches(pattern, &path)).then_some(path)
}

/// The number of the line at a place of the table of entries.
pub fn line_of(policy: &Policy, entry: u32) -> u32 {
    policy.table.entries.get(to_usize(entry)).map_or(0, |entry| entry.line)
}

#[cfg(test)]
mod tests;
