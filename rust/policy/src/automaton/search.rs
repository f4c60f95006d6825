//! The search for a shortest path, breadth first, through the states of all machines at once.

use std::collections::{HashMap, HashSet};

use super::domain::*;
use super::{DEAD, DONE, Machine, State};
use crate::lines::{to_u32, to_usize};

/// Machines, each once; numbers stand for them.
#[derive(Debug, Default)]
pub struct Atoms {
    pub list: Vec<Machine>,
    /// The pattern that each was made of.
    pub patterns: Vec<Box<[u8]>>,
    known: HashMap<Vec<Box<[u8]>>, u32>,
}

impl Atoms {
    /// The number of a machine; `pattern` is how it is shown.
    pub fn add(&mut self, machine: Machine, pattern: &[u8]) -> u32 {
        let identity: Vec<Box<[u8]>> = machine.identity().into_iter().map(Box::from).collect();
        let next = to_u32(self.list.len());
        let number = *self.known.entry(identity).or_insert(next);
        if number == next {
            self.list.push(machine);
            self.patterns.push(pattern.into());
        }
        number
    }

    pub fn pattern(&mut self, pattern: &[u8]) -> u32 {
        self.add(Machine::of_pattern(pattern), pattern)
    }

    pub fn get(&self, atom: u32) -> Option<&Machine> {
        self.list.get(to_usize(atom))
    }

    pub fn exclude(&self, a: u32, b: u32) -> bool {
        a != b && self.get(a).zip(self.get(b)).is_some_and(|(a, b)| a.excludes(b))
    }
}

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

/// One search may take so many steps, whatever is left.
const SEARCH: usize = 1 << 21;

/// What an atom is to a search: matching it helps, hurts, or both.
const HELPS: u8 = 1;
const HURTS: u8 = 2;

struct Node {
    parent: u32,
    octet: u8,
    domain: u8,
    states: Box<[State]>,
}

impl Query {
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
        work.spend(
            self.never
                .len()
                .saturating_add(self.clauses.iter().fold(0, |sum, (_, others)| sum.saturating_add(others.len())))
                .saturating_add(self.clauses.len()),
        );
        if work.0 == 0 {
            return Found::TooMuch;
        }
        if !self.simplify(atoms) {
            return Found::Nothing;
        }
        let most = work.0.min(SEARCH);
        let mut left = Work(most);
        let found = Search::new(&self, atoms, domain).run(&mut left);
        work.spend(most.saturating_sub(left.0));
        found
    }
}

struct Search<'a> {
    domain: Domain,
    machines: Vec<&'a Machine>,
    roles: Vec<u8>,
    must: Vec<usize>,
    never: Vec<usize>,
    clauses: Vec<(usize, Vec<usize>)>,
    /// For each machine the clauses it is in, unless it is wanted or unwanted by itself.
    within: Vec<Option<Vec<usize>>>,
    /// Whether a `?` is tried although no pattern asks for one: what a path may hold after it is more.
    queries: bool,
}

impl<'a> Search<'a> {
    fn new(query: &Query, atoms: &'a Atoms, domain: Domain) -> Self {
        let mut places: HashMap<u32, usize> = HashMap::new();
        let mut machines: Vec<&'a Machine> = Vec::new();
        let mut roles: Vec<u8> = Vec::new();
        let mut place_of = |atom: u32, role: u8| -> usize {
            let next = machines.len();
            let place = *places.entry(atom).or_insert(next);
            if place == next
                && let Some(machine) = atoms.get(atom)
            {
                machines.push(machine);
                roles.push(0);
            }
            if let Some(held) = roles.get_mut(place) {
                *held |= role;
            }
            place
        };
        let must: Vec<usize> = query.must.iter().map(|atom| place_of(*atom, HELPS)).collect();
        let never: Vec<usize> = query.never.iter().map(|atom| place_of(*atom, HURTS)).collect();
        let clauses: Vec<(usize, Vec<usize>)> = query
            .clauses
            .iter()
            .map(|(first, others)| {
                (place_of(*first, HURTS), others.iter().map(|other| place_of(*other, HELPS)).collect())
            })
            .collect();
        let mut within: Vec<Option<Vec<usize>>> = vec![Some(Vec::new()); machines.len()];
        for place in must.iter().chain(&never) {
            if let Some(held) = within.get_mut(*place) {
                *held = None;
            }
        }
        for (number, (first, others)) in clauses.iter().enumerate() {
            for place in std::iter::once(first).chain(others) {
                if let Some(Some(held)) = within.get_mut(*place) {
                    held.push(number);
                }
            }
        }
        let dotted = |machine: &&&Machine| {
            machine.literals.iter().enumerate().any(|(place, held)| {
                memchr::memmem::find(&held.text, b"/.").is_some() || (place > 0 && held.text.first() == Some(&b'.'))
            })
        };
        let queries = domain == Domain::Canonical && machines.iter().any(|machine| dotted(&machine));
        Self { domain, machines, roles, must, never, clauses, within, queries }
    }

    fn state(states: &[State], place: usize) -> State {
        states.get(place).copied().unwrap_or(DEAD)
    }

    /// Whether something may come of these states; what no longer matters is set to what leads furthest.
    fn settle(&self, states: &mut [State]) -> bool {
        if self.must.iter().any(|place| Self::state(states, *place) == DEAD)
            || self.never.iter().any(|place| Self::state(states, *place) == DONE)
        {
            return false;
        }
        let mut open = vec![true; self.clauses.len()];
        for ((first, others), open) in self.clauses.iter().zip(&mut open) {
            let state = Self::state(states, *first);
            if state == DEAD || others.iter().any(|other| Self::state(states, *other) == DONE) {
                *open = false;
            } else if state == DONE && others.iter().all(|other| Self::state(states, *other) == DEAD) {
                return false;
            }
        }
        for (place, within) in self.within.iter().enumerate() {
            let Some(within) = within else { continue };
            if within.iter().all(|number| open.get(*number) == Some(&false))
                && let Some(state) = states.get_mut(place)
            {
                match self.roles.get(place) {
                    Some(&HURTS) => *state = DEAD,
                    Some(&HELPS) => *state = DONE,
                    // What helps one clause and hurts another stays what it is.
                    _ => {}
                }
            }
        }
        true
    }

    fn is_found(&self, node: &Node) -> bool {
        let accepts = |place: usize| {
            self.machines.get(place).is_some_and(|machine| machine.accepts(Self::state(&node.states, place)))
        };
        self.domain.accepts(node.domain)
            && self.must.iter().all(|place| accepts(*place))
            && !self.never.iter().any(|place| accepts(*place))
            && self.clauses.iter().all(|(first, others)| !accepts(*first) || others.iter().any(|other| accepts(*other)))
    }

    /// The octets to go on with: each that a machine waits for, and one for all others.
    fn octets(&self, node: &Node) -> Vec<u8> {
        let mut out: Vec<u8> = Vec::new();
        if self.domain != Domain::Text && node.domain == START {
            return vec![b'/'];
        }
        if matches!(node.domain, ESCAPE | QUERY_ESCAPE | DIGIT..=39) {
            return b"0123456789ABCDEF".to_vec();
        }
        for (place, machine) in self.machines.iter().enumerate() {
            machine.expect(Self::state(&node.states, place), &mut out);
        }
        out.sort_unstable();
        out.dedup();
        let other = OTHERS.iter().find(|octet| {
            out.binary_search(octet).is_err() && matches!(self.domain.step(node.domain, **octet), PATH | QUERY)
        });
        match other {
            Some(octet) => out.push(*octet),
            None if !out.contains(&b'%') => out.push(b'%'),
            None => {}
        }
        if self.queries && node.domain != QUERY && !out.contains(&b'?') {
            out.push(b'?');
        }
        out
    }

    /// Whether the states of `a` lead to all that those of `b` lead to.
    fn leads_as_far(&self, a: &[State], b: &[State]) -> bool {
        self.machines.iter().zip(&self.roles).zip(a.iter().zip(b)).all(|((machine, role), (a, b))| match *role {
            HELPS => machine.included(*b, *a),
            HURTS => machine.included(*a, *b),
            _ => a == b,
        })
    }

    fn run(&self, work: &mut Work) -> Found {
        // What the longest beginning of a wanted pattern takes need not be searched for.
        let heads = self.must.iter().filter_map(|place| self.machines.get(*place)).map(|machine| machine.head().0);
        let head = heads.max_by_key(|head| head.len()).filter(|_| self.domain != Domain::Text).unwrap_or(&[]);
        work.spend(head.len().saturating_mul(self.machines.len()));
        let domain = head.iter().fold(START, |state, octet| self.domain.step(state, *octet));
        let along = |machine: &&Machine| head.iter().fold(machine.start(), |state, octet| machine.step(state, *octet));
        let mut states: Box<[State]> = self.machines.iter().map(along).collect();
        if domain == WRONG || !self.settle(&mut states) {
            return Found::Nothing;
        }
        // Of states in which the wanted machines stand alike, those of which none leads as far as another.
        let mut met: HashMap<(u8, Vec<State>), Vec<u32>> = HashMap::new();
        let mut nodes = vec![Node { parent: 0, octet: 0, domain, states }];
        let mut next = 0usize;
        while let Some(node) = nodes.get(next) {
            if self.is_found(node) {
                return Found::Path(path_to(head, &nodes, next));
            }
            let mut found: Vec<Node> = Vec::new();
            for octet in self.octets(node) {
                let domain = self.domain.step(node.domain, octet);
                if domain == WRONG {
                    continue;
                }
                work.spend(self.machines.len().saturating_add(1));
                let step = |(machine, state): (&&Machine, &State)| machine.step(*state, octet);
                let mut states: Box<[State]> = self.machines.iter().zip(&*node.states).map(step).collect();
                if self.settle(&mut states) {
                    found.push(Node { parent: to_u32(next), octet, domain, states });
                }
            }
            for node in found {
                let key = (node.domain, self.must.iter().map(|place| Self::state(&node.states, *place)).collect());
                let others = met.entry(key).or_default();
                let known = others.iter().any(|other| {
                    work.spend(self.machines.len());
                    nodes.get(to_usize(*other)).is_some_and(|other| self.leads_as_far(&other.states, &node.states))
                });
                if !known {
                    others.push(to_u32(nodes.len()));
                    nodes.push(node);
                }
            }
            if work.0 == 0 {
                return Found::TooMuch;
            }
            next = next.saturating_add(1);
        }
        Found::Nothing
    }
}

fn path_to(head: &[u8], nodes: &[Node], end: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = end;
    while let Some(node) = nodes.get(at).filter(|_| at != 0) {
        out.push(node.octet);
        at = to_usize(node.parent);
    }
    out.extend(head.iter().rev());
    out.reverse();
    out
}
