//! The search for a shortest path, breadth first, through the states of all machines at once.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::domain::{DIGIT, Domain, ESCAPE, OTHERS, PATH, QUERY, QUERY_ESCAPE, START, WRONG};
use super::machine::{DEAD, DONE, Machine, State};
use super::pattern_table::PatternTable;
use super::query::{Found, Query, Work};
use crate::places::{to_u32, to_usize};

/// A new node is compared with at most this many earlier ones; the first ones lead furthest.
const LOOKED_AT: usize = 64;

/// Limit on the machine states that a search keeps, each some 16 octets.
const KEPT: usize = 1 << 25;
/// A node's own cost, counted in states.
const SET: usize = 8;

/// What an atom is to a search: matching it helps, hurts, or both.
const HELPS: u8 = 1;
const HURTS: u8 = 2;

/// The states of machines, in the order of their numbers. A machine without a state needs no more care: one that hurts
/// can no longer match, one that helps has matched or is no longer needed.
type States = Rc<[Stand]>;

/// A machine and its state in one number, for a list of numbers is hashed at once.
type Stand = u64;

fn stand(place: u32, state: State) -> Stand {
    u64::from(place) << u32::BITS | u64::from(state)
}

fn parts(stand: Stand) -> (u32, State) {
    let half = |of: u64| u32::try_from(of).unwrap_or(u32::MAX);
    (half(stand >> u32::BITS), half(stand & u64::from(u32::MAX)))
}

/// What settling works in, for it is done for every octet of every node.
#[derive(Default)]
struct Desk {
    /// States after an octet, in the order of machines.
    stepped: Vec<(u32, State)>,
    /// The state of every machine.
    now: Vec<State>,
    /// Of those that stepped: whether what it hurts is open.
    open: Vec<bool>,
    /// The round in which each machine was last needed by a clause that is open.
    needed: Vec<u32>,
    round: u32,
    /// The states that still matter.
    settled: Vec<Stand>,
}

struct Node {
    parent: u32,
    octet: u8,
    domain: u8,
    states: States,
}

pub(super) struct Search<'a> {
    domain: Domain,
    machines: Vec<&'a Machine>,
    roles: Vec<u8>,
    must: Vec<u32>,
    /// Whether a machine must not match.
    never: Vec<bool>,
    /// For each machine the clauses that it begins, by the others of which one has to match.
    begins: Vec<Vec<Box<[u32]>>>,
    /// Whether a machine is followed to the end: it must match, or it helps in one clause and hurts in another.
    kept: Vec<bool>,
    /// Whether a `?` is tried although no pattern has one: more octets may follow it.
    queries: bool,
}

impl<'a> Search<'a> {
    pub(super) fn new(query: &Query, atoms: &'a PatternTable, domain: Domain) -> Self {
        let mut places: HashMap<u32, u32> = HashMap::new();
        let mut machines: Vec<&'a Machine> = Vec::new();
        let mut roles: Vec<u8> = Vec::new();
        let mut place_of = |atom: u32, role: u8| -> u32 {
            let next = to_u32(machines.len());
            let place = *places.entry(atom).or_insert(next);
            if place == next
                && let Some(machine) = atoms.get(atom)
            {
                machines.push(machine);
                roles.push(0);
            }
            if let Some(held) = roles.get_mut(to_usize(place)) {
                *held |= role;
            }
            place
        };
        let must: Vec<u32> = query.must.iter().map(|atom| place_of(*atom, HELPS)).collect();
        let unwanted: Vec<u32> = query.never.iter().map(|atom| place_of(*atom, HURTS)).collect();
        let clauses: Vec<(u32, Box<[u32]>)> = query
            .clauses
            .iter()
            .map(|(first, others)| {
                (place_of(*first, HURTS), others.iter().map(|other| place_of(*other, HELPS)).collect())
            })
            .collect();
        let mut never = vec![false; machines.len()];
        let mut kept: Vec<bool> = roles.iter().map(|role| *role == HELPS | HURTS).collect();
        let mut begins: Vec<Vec<Box<[u32]>>> = vec![Vec::new(); machines.len()];
        for place in &unwanted {
            never.get_mut(to_usize(*place)).into_iter().for_each(|held| *held = true);
        }
        for place in &must {
            kept.get_mut(to_usize(*place)).into_iter().for_each(|held| *held = true);
        }
        for (first, others) in clauses {
            begins.get_mut(to_usize(first)).into_iter().for_each(|held| held.push(others.clone()));
        }
        let dotted = |machine: &&&Machine| {
            machine.literals.iter().enumerate().any(|(place, held)| {
                memchr::memmem::find(&held.text, b"/.").is_some() || (place > 0 && held.text.first() == Some(&b'.'))
            })
        };
        let queries = domain == Domain::Canonical && machines.iter().any(|machine| dotted(&machine));
        Self { domain, machines, roles, must, never, begins, kept, queries }
    }

    fn machine(&self, place: u32) -> Option<&Machine> {
        self.machines.get(to_usize(place)).copied()
    }

    fn helps(&self, place: u32) -> bool {
        self.roles.get(to_usize(place)).is_some_and(|role| role & HELPS != 0)
    }

    /// What it stands for that a machine has no state.
    fn absent(&self, place: u32) -> State {
        if self.helps(place) { DONE } else { DEAD }
    }

    /// The state of a machine.
    fn state(&self, states: &[Stand], place: u32) -> State {
        match states.binary_search_by_key(&place, |held| parts(*held).0) {
            Ok(at) => states.get(at).map_or(DEAD, |held| parts(*held).1),
            Err(_) => self.absent(place),
        }
    }

    fn desk(&self) -> Desk {
        let places = 0..to_u32(self.machines.len());
        let now: Vec<State> = places.map(|place| self.absent(place)).collect();
        Desk { needed: vec![0; now.len()], now, ..Desk::default() }
    }

    /// Leaves of the states that stepped those that still matter; false if they lead to no path.
    fn settle(&self, desk: &mut Desk) -> bool {
        desk.round = desk.round.saturating_add(1);
        for (place, state) in &desk.stepped {
            desk.now.get_mut(to_usize(*place)).into_iter().for_each(|held| *held = *state);
        }
        let leads = self.settled(desk);
        for (place, _) in &desk.stepped {
            desk.now.get_mut(to_usize(*place)).into_iter().for_each(|held| *held = self.absent(*place));
        }
        leads
    }

    fn settled(&self, Desk { stepped, now, open, needed, round, settled }: &mut Desk) -> bool {
        let state_of = |place: &u32| now.get(to_usize(*place)).copied().unwrap_or(DEAD);
        if self.must.iter().any(|place| state_of(place) == DEAD) {
            return false;
        }
        // What helps matters only to a clause that is open.
        open.clear();
        for (place, state) in &*stepped {
            let never = self.never.get(to_usize(*place)) == Some(&true);
            let mixed = self.roles.get(to_usize(*place)) == Some(&(HELPS | HURTS));
            if never && *state == DONE {
                return false;
            }
            let mut is_open = never || mixed;
            for others in self.begins.get(to_usize(*place)).into_iter().flatten().filter(|_| *state != DEAD) {
                if others.iter().any(|other| state_of(other) == DONE) {
                    continue;
                }
                if *state == DONE && others.iter().all(|other| state_of(other) == DEAD) {
                    return false;
                }
                is_open = true;
                for other in others {
                    needed.get_mut(to_usize(*other)).into_iter().for_each(|held| *held = *round);
                }
            }
            open.push(is_open);
        }
        settled.clear();
        for ((place, state), is_open) in stepped.iter().zip(&*open) {
            let matters = if self.helps(*place) {
                let kept = self.kept.get(to_usize(*place)) == Some(&true);
                let mixed = self.roles.get(to_usize(*place)) == Some(&(HELPS | HURTS));
                mixed || (*state != DONE && (kept || needed.get(to_usize(*place)) == Some(round)))
            } else {
                *state != DEAD && *is_open
            };
            if matters {
                settled.push(stand(*place, *state));
            }
        }
        true
    }

    fn is_found(&self, node: &Node) -> bool {
        let accepts = |place: u32| {
            let state = self.state(&node.states, place);
            self.machine(place).is_some_and(|machine| machine.accepts(state))
        };
        let holds = |held: &Stand| {
            let (place, _) = parts(*held);
            let hurts = || {
                self.never.get(to_usize(place)) == Some(&true)
                    || self
                        .begins
                        .get(to_usize(place))
                        .into_iter()
                        .flatten()
                        .any(|others| !others.iter().any(|other| accepts(*other)))
            };
            !accepts(place) || !hurts()
        };
        self.domain.accepts(node.domain)
            && self.must.iter().all(|place| accepts(*place))
            && node.states.iter().all(holds)
    }

    /// The octets to try next: each that a machine waits for, and one that stands for all others.
    fn octets(&self, node: &Node) -> Vec<u8> {
        let mut out: Vec<u8> = Vec::new();
        if self.domain != Domain::Text && node.domain == START {
            return vec![b'/'];
        }
        if matches!(node.domain, ESCAPE | QUERY_ESCAPE | DIGIT..=39) {
            return b"0123456789ABCDEF".to_vec();
        }
        for (place, state) in node.states.iter().copied().map(parts) {
            if let Some(machine) = self.machine(place) {
                machine.expect(state, &mut out);
            }
        }
        out.sort_unstable();
        out.dedup();
        let other = OTHERS.iter().find(|octet| {
            out.binary_search(octet).is_err() && matches!(self.domain.step(node.domain, **octet), PATH | QUERY)
        });
        match other {
            // First: what hurts is dead after it, and most else leads to no more.
            Some(octet) => out.insert(0, *octet),
            None if !out.contains(&b'%') => out.push(b'%'),
            None => {}
        }
        if self.queries && node.domain != QUERY && !out.contains(&b'?') {
            out.push(b'?');
        }
        out
    }

    /// Whether every path that `b` leads to is one that `a` leads to.
    fn leads_as_far(&self, a: &[Stand], b: &[Stand]) -> bool {
        let [mut left, mut right] = [a, b].map(|states| states.iter().copied().map(parts).peekable());
        loop {
            let place = match (left.peek(), right.peek()) {
                (None, None) => return true,
                (Some((one, _)), Some((other, _))) => *one.min(other),
                (Some((one, _)), None) | (None, Some((one, _))) => *one,
            };
            let absent = self.absent(place);
            let ours = left.next_if(|(held, _)| *held == place).map_or(absent, |(_, state)| state);
            let theirs = right.next_if(|(held, _)| *held == place).map_or(absent, |(_, state)| state);
            let (Some(machine), Some(role)) = (self.machine(place), self.roles.get(to_usize(place))) else {
                return false;
            };
            let as_far = match *role {
                HELPS => machine.included(theirs, ours),
                HURTS => machine.included(ours, theirs),
                _ => ours == theirs,
            };
            if !as_far {
                return false;
            }
        }
    }

    /// Searches, in at most `most` steps.
    pub(super) fn within(&self, most: usize, work: &mut Work) -> Found {
        work.part(most, |part| self.run(part))
    }

    fn run(&self, work: &mut Work) -> Found {
        // What the longest beginning of a wanted pattern takes need not be searched for.
        let heads = self.must.iter().filter_map(|place| self.machine(*place)).map(|machine| machine.head().0);
        let head = heads.max_by_key(|head| head.len()).filter(|_| self.domain != Domain::Text).unwrap_or(&[]);
        work.spend(self.machines.len());
        let domain = head.iter().fold(START, |state, octet| self.domain.step(state, *octet));
        let along = |machine: &Machine| {
            let mut state = machine.start();
            for octet in head {
                state = machine.step(state, *octet);
                if state <= DONE {
                    break;
                }
            }
            state
        };
        let mut desk = self.desk();
        desk.stepped.extend((0u32..).zip(&self.machines).map(|(place, machine)| (place, along(machine))));
        if !self.settle(&mut desk) || domain == WRONG {
            return Found::Nothing;
        }
        let states: States = Rc::from(&*desk.settled);
        // Of states in which the wanted machines stand alike, those of which none leads as far as another.
        let mut met: HashMap<(u8, Vec<State>), Vec<u32>> = HashMap::new();
        let mut same: HashSet<(u8, States)> = HashSet::from([(domain, states.clone())]);
        let mut kept = 0usize;
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
                work.spend(node.states.len().saturating_add(1));
                let step = |(place, state): (u32, State)| {
                    (place, self.machine(place).map_or(DEAD, |machine| machine.step(state, octet)))
                };
                desk.stepped.clear();
                desk.stepped.extend(node.states.iter().copied().map(parts).map(step));
                if self.settle(&mut desk) {
                    found.push(Node { parent: to_u32(next), octet, domain, states: Rc::from(&*desk.settled) });
                }
            }
            for node in found {
                if !same.insert((node.domain, node.states.clone())) {
                    continue;
                }
                kept = kept.saturating_add(node.states.len()).saturating_add(SET);
                let wanted = self.must.iter().map(|place| self.state(&node.states, *place)).collect();
                let others = met.entry((node.domain, wanted)).or_default();
                let known = others.iter().take(LOOKED_AT).any(|other| {
                    work.spend(node.states.len().saturating_add(1));
                    nodes.get(to_usize(*other)).is_some_and(|other| self.leads_as_far(&other.states, &node.states))
                });
                if !known {
                    others.push(to_u32(nodes.len()));
                    nodes.push(node);
                }
            }
            if work.is_over() || kept > KEPT {
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
