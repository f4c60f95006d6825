//! What is asked of the search, what it finds, and how much it may work.

use std::collections::HashSet;
use std::time::Instant;

use super::pattern_table::PatternTable;

/// What a path has to match: all of `must`, none of `never`, and of each clause one of the others if it matches the
/// first.
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

/// How much may still be worked out: steps of machines, some eight nanoseconds each, and an instant at which it is
/// over.
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

    pub(crate) fn spend(&mut self, steps: usize) {
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

    pub(crate) fn is_over(&self) -> bool {
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

impl Query {
    pub fn all_of(must: Vec<u32>) -> Self {
        Self { must, ..Self::default() }
    }

    /// Leaves out what cannot matter where all of `must` match, and draws what follows at once; false if nothing is
    /// left.
    pub(crate) fn simplify(&mut self, atoms: &PatternTable) -> bool {
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
}
