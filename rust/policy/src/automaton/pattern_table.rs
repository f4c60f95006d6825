//! Patterns by number.

use std::collections::HashMap;

use super::domain::{Domain, START};
use super::machine::Machine;
use super::prefix_index::PrefixIndex;
use crate::places::{to_u32, to_usize};

/// Machines, each once; numbers stand for them.
#[derive(Debug, Default)]
pub struct PatternTable {
    pub list: Vec<Machine>,
    /// The pattern that each was made of.
    pub patterns: Vec<Box<[u8]>>,
    known: HashMap<Vec<Box<[u8]>>, u32>,
    /// Machines by what they are made of, a place for each [`Make`].
    made: HashMap<Box<[u8]>, [Option<u32>; 4]>,
}

/// How a machine is made of a text.
#[derive(Clone, Copy, Debug)]
enum Make {
    Pattern,
    Prefix,
    Path,
    Query,
}

impl PatternTable {
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
        self.made(Make::Pattern, pattern, |atoms| atoms.add(Machine::of_pattern(pattern), pattern))
    }

    /// Of a literal that a path begins with.
    pub(crate) fn prefix(&mut self, prefix: &[u8]) -> u32 {
        self.made(Make::Prefix, prefix, |atoms| atoms.add(Machine::of_prefix(prefix), prefix))
    }

    /// Of a path that is matched alone.
    pub fn path(&mut self, path: &[u8]) -> u32 {
        self.made(Make::Path, path, |atoms| atoms.add(Machine::of_path(path), &[path, b"$"].concat()))
    }

    /// Of a path with any query.
    pub fn query(&mut self, path: &[u8]) -> u32 {
        self.made(Make::Query, path, |atoms| atoms.prefix(&[path, b"?"].concat()))
    }

    fn made(&mut self, make: Make, text: &[u8], makes: impl FnOnce(&mut Self) -> u32) -> u32 {
        if let Some(atom) = self.made.get(text).and_then(|made| made.get(make as usize).copied().flatten()) {
            return atom;
        }
        let atom = makes(self);
        let made = self.made.entry(Box::from(text)).or_default();
        made.get_mut(make as usize).into_iter().for_each(|place| *place = Some(atom));
        atom
    }

    pub fn get(&self, atom: u32) -> Option<&Machine> {
        self.list.get(to_usize(atom))
    }

    /// PatternTable by what their matches begin with, with their places in the list.
    pub(crate) fn heads(&self, list: impl Iterator<Item = u32>) -> PrefixIndex {
        PrefixIndex::new(list.filter_map(|atom| self.get(atom)))
    }

    /// What every match of an atom begins with.
    pub(crate) fn head(&self, atom: u32) -> &[u8] {
        self.get(atom).map_or(&[], |machine| machine.head().0)
    }

    /// The longest beginning of what all of these match.
    pub fn beginning(&self, must: &[u32]) -> &[u8] {
        must.iter().map(|atom| self.head(*atom)).max_by_key(|head| head.len()).unwrap_or_default()
    }

    /// Whether an atom may match what all of these match.
    pub fn concerns(&self, must: &[u32], atom: u32) -> bool {
        !must.iter().any(|one| self.exclude(*one, atom))
    }

    /// Whether an atom matches whatever begins with its head.
    pub(crate) fn is_prefix(&self, atom: u32) -> bool {
        self.get(atom).is_some_and(|machine| machine.literals.len() == 2 && !machine.ends())
    }

    pub(crate) fn exclude(&self, a: u32, b: u32) -> bool {
        a != b && self.get(a).zip(self.get(b)).is_some_and(|(a, b)| a.excludes(b))
    }

    /// Whether `a` matches all that `b` matches.
    pub(crate) fn covers(&self, a: u32, b: u32) -> bool {
        a == b || self.get(a).zip(self.get(b)).is_some_and(|(a, b)| a.covers(b))
    }

    /// Whether it is plain that one path matches all of these: that of their own letters, one after another.
    pub(crate) fn plainly_meet(&self, list: &[u32], domain: Domain) -> bool {
        let machines: Vec<&Machine> = list.iter().filter_map(|atom| self.get(*atom)).collect();
        let head = machines.iter().map(|machine| machine.head().0).max_by_key(|head| head.len()).unwrap_or_default();
        let rests = |ends: bool| machines.iter().filter(move |machine| machine.ends() == ends);
        let mut path = head.to_vec();
        path.extend(rests(false).chain(rests(true)).flat_map(|machine| machine.rest()));
        let reached = path.iter().fold(START, |state, octet| domain.step(state, *octet));
        domain.accepts(reached) && machines.iter().all(|machine| machine.matches(&path))
    }
}
