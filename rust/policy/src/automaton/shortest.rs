//! A query is answered whole where that is cheap; otherwise it is divided, and the parts are answered.

use super::domain::Domain;
use super::pattern_table::PatternTable;
use super::query::{Found, Query, Work};
use super::search::Search;

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
