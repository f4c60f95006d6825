//! What is asked of the search.

use std::collections::HashSet;

use super::search::Search;
use super::{Atoms, Domain};

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

/// How much may still be worked out, in steps of machines.
#[derive(Clone, Copy, Debug)]
pub struct Work(pub usize);

impl Work {
    pub fn spend(&mut self, steps: usize) {
        self.0 = self.0.saturating_sub(steps);
    }
}

/// So often a path may be found that does what it should not; then all of the query is searched for at once.
const ROUNDS: usize = 64;
/// So many steps are taken with all of a query at once, before it is taken up step by step.
const AT_ONCE: usize = 1 << 14;
/// One search may take so many steps, and more if it is less than this part of what is left.
const SEARCH: usize = 1 << 25;
const PART: usize = 4;

impl Query {
    pub fn all_of(must: Vec<u32>) -> Self {
        Self { must, ..Self::default() }
    }

    /// Leaves out what cannot matter where all of `must` match, and draws what follows at once; false if nothing is left.
    pub fn simplify(&mut self, atoms: &Atoms) -> bool {
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
    pub fn shortest(mut self, atoms: &Atoms, domain: Domain, work: &mut Work) -> Found {
        let size = self.clauses.iter().fold(self.never.len(), |sum, (_, others)| sum.saturating_add(others.len()));
        work.spend(size.saturating_add(self.clauses.len()));
        if work.0 == 0 {
            return Found::TooMuch;
        }
        if !self.simplify(atoms) {
            return Found::Nothing;
        }
        // Most queries are small; of the others most parts never matter.
        let mut found = Found::TooMuch;
        for at_once in [true, false] {
            let most = work.0.min(if at_once { AT_ONCE } else { SEARCH.max(work.0.wrapping_div(PART)) });
            let mut left = Work(most);
            found = if at_once {
                Search::new(&self, atoms, domain).run(&mut left)
            } else {
                self.step_by_step(atoms, domain, &mut left)
            };
            work.spend(most.saturating_sub(left.0));
            if found != Found::TooMuch {
                break;
            }
        }
        found
    }

    /// Takes up what the path has to avoid when one is found that does not. A shortest path of a part of the query that
    /// fulfils all of it is a shortest of all.
    fn step_by_step(&self, atoms: &Atoms, domain: Domain, work: &mut Work) -> Found {
        let mut part = Self::all_of(self.must.clone());
        let (mut never, mut clauses) = (self.never.clone(), self.clauses.clone());
        for round in 0..=ROUNDS {
            if round == ROUNDS {
                part.never.append(&mut never);
                part.clauses.append(&mut clauses);
            }
            let path = match Search::new(&part, atoms, domain).run(work) {
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
