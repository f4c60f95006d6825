//! What is asked of the search.

use std::collections::HashSet;
use std::time::Instant;

use super::search::Search;
use super::{Domain, PatternTable};

/// What a path has to match: all of `must`, none of `never`, and of each clause one of the others if it matches the first.
#[derive(Clone, Debug, Default)]
pub struct Query {
    pub must: Vec<u32>,
    pub never: Vec<u32>,
    pub clauses: Vec<(u32, Vec<u32>)>,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    Path(Vec<u8>),
    Nothing,
    TooMuch,
}

/// How much may still be worked out: steps of machines, some eight nanoseconds each, and an instant at which it is over.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    left: usize,
    until: Option<Instant>,
    /// Steps left until the clock is read again.
    unlooked: usize,
}

impl Work {
    pub fn of(steps: usize) -> Self {
        Self { left: steps, until: None, unlooked: CLOCK }
    }

    pub fn until(self, instant: Option<Instant>) -> Self {
        Self { until: instant, unlooked: 0, ..self }
    }

    pub fn spend(&mut self, steps: usize) {
        self.left = self.left.saturating_sub(steps);
        let Some(until) = self.until else { return };
        self.unlooked = self.unlooked.saturating_sub(steps);
        if self.unlooked == 0 {
            self.unlooked = CLOCK;
            if Instant::now() >= until {
                self.left = 0;
            }
        }
    }

    pub fn left(&self) -> usize {
        self.left
    }

    pub fn is_over(&self) -> bool {
        self.left == 0
    }

    /// Does something with a part of it, which is spent then.
    pub fn part<T>(&mut self, most: usize, does: impl FnOnce(&mut Self) -> T) -> T {
        let given = self.left.min(most);
        let mut part = Self { left: given, ..*self };
        let done = does(&mut part);
        // Whoever is out of time has nothing left.
        let over = part.until.is_some_and(|until| part.left == 0 && Instant::now() >= until);
        self.unlooked = part.unlooked;
        self.left = if over { 0 } else { self.left.saturating_sub(given.saturating_sub(part.left)) };
        done
    }
}

/// Steps between two readings of the clock: less than a millisecond.
const CLOCK: usize = 1 << 16;

/// Rounds of adding a pattern that the path found violates; after them the whole query is searched for at once.
const ROUNDS: usize = 64;
/// Steps spent on a whole query before it is divided. Tests divide small ones too.
const AT_ONCE: usize = if cfg!(test) { 1 << 6 } else { 1 << 14 };
/// Depth to which a query is divided, and its parts again.
const DEPTH: usize = 64;
/// Steps spent on adding patterns round by round, before a query is divided by how a path can begin.
const STEPS: usize = if cfg!(test) { 1 << 8 } else { 1 << 20 };
/// Steps that one search may always take.
const SEARCH: usize = 1 << 25;
/// A search may take one part in this many of the steps left, where that is more than [`SEARCH`].
const PART: usize = 4;

impl Query {
    pub fn all_of(must: Vec<u32>) -> Self {
        Self { must, ..Self::default() }
    }

    /// Leaves out what cannot matter where all of `must` match, and draws what follows at once; false if nothing is left.
    pub fn simplify(&mut self, atoms: &PatternTable) -> bool {
        loop {
            self.must.sort_unstable();
            self.must.dedup();
            let must = self.must.clone();
            let excluded = |atom: u32| must.iter().any(|one| atoms.exclude(*one, atom));
            if must.iter().any(|one| excluded(*one)) {
                return false;
            }
            self.never.retain(|atom| !excluded(*atom));
            let mut never: HashSet<u32> = self.never.iter().copied().collect();
            let given: HashSet<u32> = must.iter().copied().collect();
            let held = |(first, others): &(u32, Vec<u32>)| {
                excluded(*first) || others.iter().any(|other| given.contains(other))
            };
            self.clauses.retain(|clause| !held(clause));
            loop {
                let before = never.len();
                self.clauses.retain_mut(|(first, others)| {
                    if never.contains(first) {
                        return false;
                    }
                    others.retain(|other| !excluded(*other) && !never.contains(other));
                    if others.is_empty() {
                        never.insert(*first);
                    }
                    !others.is_empty()
                });
                if never.len() == before {
                    break;
                }
            }
            self.never = never.into_iter().collect();
            self.never.sort_unstable();
            if must.iter().any(|one| self.never.binary_search(one).is_ok()) {
                return false;
            }
            // What is wanted needs one other, and there is only one.
            let more = self.clauses.iter().filter(|(first, _)| given.contains(first));
            let more: Vec<u32> = more
                .filter_map(|(_, others)| if let [only] = others.as_slice() { Some(*only) } else { None })
                .collect();
            if more.is_empty() {
                return true;
            }
            self.must.extend(more);
        }
    }

    /// A shortest path, if there is one.
    pub fn shortest(self, atoms: &PatternTable, domain: Domain, work: &mut Work) -> Found {
        self.search(atoms, domain, DEPTH, work)
    }

    fn search(mut self, atoms: &PatternTable, domain: Domain, depth: usize, work: &mut Work) -> Found {
        work.spend(self.size().saturating_add(self.clauses.len()));
        if work.is_over() {
            return Found::TooMuch;
        }
        if !self.simplify(atoms) {
            return Found::Nothing;
        }
        // Most queries are small; of the others most parts never matter.
        match Search::new(&self, atoms, domain).within(AT_ONCE, work) {
            Found::TooMuch => self.divided(atoms, domain, depth, work),
            found => found,
        }
    }

    /// Divides the query: by what a path can match that has to match one of several, or else by how it can begin.
    pub(super) fn divided(mut self, atoms: &PatternTable, domain: Domain, depth: usize, work: &mut Work) -> Found {
        if !self.narrow(atoms, work) {
            return Found::Nothing;
        }
        let open = self.clauses.iter().enumerate().filter(|(_, (first, _))| self.gives(atoms, *first));
        let fewest = open.min_by_key(|(_, (_, others))| others.len()).map(|(place, _)| place);
        let mut shortest = Shortest::default();
        let below = depth.checked_sub(1);
        if let (Some(place), Some(below)) = (fewest, below) {
            let (_, others) = self.clauses.swap_remove(place);
            for other in others {
                if !shortest.add(self.with(other).search(atoms, domain, below, work)) {
                    return Found::TooMuch;
                }
            }
            return shortest.found();
        }
        match self.step_by_step(atoms, domain, STEPS, work) {
            Found::TooMuch => {}
            found => return found,
        }
        let divides = |first: u32| below.is_some() && atoms.is_prefix(first);
        let (plain, open): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.clauses).into_iter().partition(|(first, _)| divides(*first));
        self.clauses = open;
        for place in 0..plain.len() {
            let (earlier, later) = plain.split_at(place);
            let Some(((first, others), later)) = later.split_first() else { break };
            let mut part = self.with(*first);
            part.never.extend(earlier.iter().map(|(first, _)| *first));
            part.clauses.extend(later.iter().cloned().chain([(*first, others.clone())]));
            if !shortest.add(part.search(atoms, domain, below.unwrap_or_default(), work)) {
                return Found::TooMuch;
            }
        }
        self.never.extend(plain.into_iter().map(|(first, _)| first));
        let most = SEARCH.max(work.left().wrapping_div(PART));
        if shortest.add(self.step_by_step(atoms, domain, most, work)) { shortest.found() } else { Found::TooMuch }
    }

    /// How much a path has to avoid, with what lifts it.
    fn size(&self) -> usize {
        self.clauses.iter().fold(self.never.len(), |sum, (_, others)| sum.saturating_add(others.len()))
    }

    /// The same, of paths that an atom matches.
    fn with(&self, atom: u32) -> Self {
        let mut part = self.clone();
        part.must.push(atom);
        part
    }

    /// Whether whatever matches all of `must` matches an atom, as one of them shows.
    fn gives(&self, atoms: &PatternTable, atom: u32) -> bool {
        self.must.iter().any(|one| atoms.covers(atom, *one))
    }

    /// As [`Self::simplify`], by what the patterns contain as well.
    fn narrow(&mut self, atoms: &PatternTable, work: &mut Work) -> bool {
        while self.simplify(atoms) {
            work.spend(self.size().saturating_mul(self.must.len().saturating_add(self.never.len())));
            if work.is_over() {
                return true;
            }
            if self.never.iter().any(|atom| self.gives(atoms, *atom)) {
                return false;
            }
            let before = (self.must.len(), self.never.len());
            let barred: Vec<u32> = self.never.clone();
            let barred = |atom: u32| barred.iter().any(|one| atoms.covers(*one, atom));
            let mut needed: Vec<u32> = Vec::new();
            let mut refused: Vec<u32> = Vec::new();
            let mut clauses = std::mem::take(&mut self.clauses);
            clauses.retain_mut(|(first, others)| {
                if barred(*first) || others.iter().any(|other| self.gives(atoms, *other)) {
                    return false;
                }
                others.retain(|other| !barred(*other));
                match others.as_slice() {
                    [] => refused.push(*first),
                    [only] if self.gives(atoms, *first) => needed.push(*only),
                    _ => return true,
                }
                false
            });
            self.clauses = clauses;
            self.must.extend(needed);
            self.never.extend(refused);
            if before == (self.must.len(), self.never.len()) {
                return true;
            }
        }
        false
    }

    /// Takes up what the path has to avoid when one is found that does not. A shortest path of a part of the query that
    /// fulfils all of it is a shortest of all.
    fn step_by_step(&self, atoms: &PatternTable, domain: Domain, most: usize, work: &mut Work) -> Found {
        let (mut never, mut clauses) = (self.never.clone(), self.clauses.clone());
        let mut part = Self::all_of(self.must.clone());
        for round in 0..=ROUNDS {
            if round == ROUNDS {
                part.never.append(&mut never);
                part.clauses.append(&mut clauses);
            }
            let path = match Search::new(&part, atoms, domain).within(most, work) {
                Found::Path(path) => path,
                other => return other,
            };
            work.spend(never.len().saturating_add(clauses.len()).saturating_mul(path.len()));
            let matched = |atom: &u32| atoms.get(*atom).is_some_and(|machine| machine.matches(&path));
            let before = part.never.len().saturating_add(part.clauses.len());
            never.retain(|atom| {
                let hurts = matched(atom);
                part.never.extend(hurts.then_some(*atom));
                !hurts
            });
            clauses.retain(|clause| {
                let hurts = matched(&clause.0) && !clause.1.iter().any(matched);
                part.clauses.extend(hurts.then(|| clause.clone()));
                !hurts
            });
            if part.never.len().saturating_add(part.clauses.len()) == before {
                return Found::Path(path);
            }
        }
        Found::TooMuch
    }
}

/// The shortest of the paths that the parts of a query have.
#[derive(Default)]
struct Shortest(Option<Vec<u8>>);

impl Shortest {
    /// Takes what a part has; false if that is not known.
    fn add(&mut self, found: Found) -> bool {
        if let Found::Path(path) = &found
            && self.0.as_ref().is_none_or(|held| (path.len(), path) < (held.len(), held))
        {
            self.0 = Some(path.clone());
        }
        found != Found::TooMuch
    }

    fn found(self) -> Found {
        self.0.map_or(Found::Nothing, Found::Path)
    }
}
