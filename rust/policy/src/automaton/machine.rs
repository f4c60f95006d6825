//! A pattern as a machine that reads a path octet by octet.
//!
//! Of a `*` the leftmost place where the next literal fits is as good as any other, so each state stands for one place
//! in one literal, and there are as many states as octets.

use crate::places::{to_u32, to_usize};

/// A state of a machine: [`DEAD`], [`DONE`], or a place in a literal.
pub(super) type State = u32;

/// Nothing that follows can match.
pub(super) const DEAD: State = 0;
/// Whatever follows matches.
pub(super) const DONE: State = 1;

/// A literal between two `*`.
#[derive(Clone, Debug)]
pub(super) struct Literal {
    pub(super) text: Box<[u8]>,
    /// For each octet the length of the longest proper border of the text up to it (Knuth, Morris, Pratt).
    borders: Box<[u32]>,
    /// The state of its first octet.
    first: State,
}

/// A pattern as a machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The first is anchored at the start, the last at the end; an empty last one takes whatever follows.
    pub(super) literals: Box<[Literal]>,
    /// For each state from 2 on the literal it is a place of.
    pub(super) owners: Box<[u32]>,
}

fn borders(text: &[u8]) -> Box<[u32]> {
    let mut out: Vec<u32> = Vec::with_capacity(text.len());
    let mut length = 0usize;
    for (at, octet) in text.iter().enumerate() {
        if at > 0 {
            while length > 0 && text.get(length) != Some(octet) {
                length = length.checked_sub(1).and_then(|last| out.get(last)).copied().map_or(0, to_usize);
            }
            if text.get(length) == Some(octet) {
                length = length.saturating_add(1);
            }
        }
        out.push(to_u32(length));
    }
    out.into_boxed_slice()
}

impl Machine {
    /// Of a pattern: `*` and a final `$` are special, without `$` it is a prefix (RFC 9309 2.2.3).
    pub fn of_pattern(pattern: &[u8]) -> Self {
        match pattern.strip_suffix(b"$") {
            Some(body) => Self::of_glob(body),
            None => Self::of_glob(&[pattern, b"*"].concat()),
        }
    }

    /// Of a literal that a path begins with.
    pub(crate) fn of_prefix(prefix: &[u8]) -> Self {
        Self::of_literals(&[prefix, b""])
    }

    /// Of a path that is matched alone.
    pub(crate) fn of_path(path: &[u8]) -> Self {
        Self::of_literals(&[path])
    }

    /// Of a text in which only `*` is special, and which is matched as a whole.
    pub(crate) fn of_glob(glob: &[u8]) -> Self {
        let literals: Vec<&[u8]> = glob.split(|octet| *octet == b'*').collect();
        Self::of_literals(&literals)
    }

    fn of_literals(texts: &[&[u8]]) -> Self {
        let last = texts.len().saturating_sub(1);
        let kept = texts.iter().enumerate().filter(|(place, text)| *place == 0 || *place == last || !text.is_empty());
        let texts: Vec<&[u8]> = kept.map(|(_, text)| *text).collect();
        let last = texts.len().saturating_sub(1);
        let mut literals = Vec::with_capacity(texts.len());
        let mut owners: Vec<u32> = Vec::new();
        for (place, text) in texts.iter().enumerate() {
            let first = to_u32(owners.len().saturating_add(2));
            // At the end of the last literal there is one more state: the path may end there.
            let ends = place == last && (place == 0 || !text.is_empty());
            let states = text.len().saturating_add(usize::from(ends));
            owners.extend(std::iter::repeat_n(to_u32(place), states));
            literals.push(Literal { text: Box::from(*text), borders: borders(text), first });
        }
        Self { literals: literals.into_boxed_slice(), owners: owners.into_boxed_slice() }
    }

    /// How it is written as a pattern.
    pub fn pattern(&self) -> Vec<u8> {
        let texts: Vec<&[u8]> = self.literals.iter().map(|literal| &*literal.text).collect();
        match texts.split_last() {
            Some((last, texts)) if last.is_empty() && !texts.is_empty() => texts.join(&b'*'),
            _ => [texts.join(&b'*').as_slice(), b"$"].concat(),
        }
    }

    /// The same machine, if the same paths are matched in the same way.
    pub(super) fn identity(&self) -> Vec<&[u8]> {
        self.literals.iter().map(|literal| &*literal.text).collect()
    }

    fn is_last(&self, literal: usize) -> bool {
        literal.saturating_add(1) == self.literals.len()
    }

    fn enter(&self, literal: usize) -> State {
        match self.literals.get(literal) {
            None => DEAD,
            Some(held) if held.text.is_empty() && literal > 0 => DONE,
            Some(held) if held.text.is_empty() && !self.is_last(literal) => self.enter(literal.saturating_add(1)),
            Some(held) => held.first,
        }
    }

    /// The state before the first octet.
    pub fn start(&self) -> State {
        self.enter(0)
    }

    /// The number of a literal and the place in it.
    fn place(&self, state: State) -> Option<(usize, &Literal, usize)> {
        let owner = to_usize(*self.owners.get(to_usize(state).checked_sub(2)?)?);
        let literal = self.literals.get(owner)?;
        Some((owner, literal, to_usize(state.checked_sub(literal.first)?)))
    }

    /// The state after an octet.
    pub(crate) fn step(&self, state: State, octet: u8) -> State {
        if state <= DONE {
            return state;
        }
        let Some((number, literal, mut at)) = self.place(state) else { return DEAD };
        let text = &literal.text;
        if number == 0 {
            if text.get(at) != Some(&octet) {
                return DEAD;
            }
            let next = at.saturating_add(1);
            return if next == text.len() && !self.is_last(0) { self.enter(1) } else { state.saturating_add(1) };
        }
        let border = |at: usize| at.checked_sub(1).and_then(|at| literal.borders.get(at)).copied().map_or(0, to_usize);
        if at == text.len() {
            at = border(at);
        }
        loop {
            if text.get(at) == Some(&octet) {
                at = at.saturating_add(1);
                break;
            }
            if at == 0 {
                break;
            }
            at = border(at);
        }
        if at == text.len() && !self.is_last(number) {
            self.enter(number.saturating_add(1))
        } else {
            literal.first.saturating_add(to_u32(at))
        }
    }

    /// Whether a path that ends here is matched.
    pub(crate) fn accepts(&self, state: State) -> bool {
        state == DONE
            || self.place(state).is_some_and(|(number, literal, at)| self.is_last(number) && at == literal.text.len())
    }

    /// Whether a path is matched.
    pub fn matches(&self, path: &[u8]) -> bool {
        self.accepts(path.iter().fold(self.start(), |state, octet| self.step(state, *octet)))
    }

    /// Adds the octets after which the next state depends on which it was.
    pub(super) fn expect(&self, state: State, out: &mut Vec<u8>) {
        let Some((number, literal, mut at)) = self.place(state) else { return };
        let border = |at: usize| at.checked_sub(1).and_then(|at| literal.borders.get(at)).copied().map_or(0, to_usize);
        if at == literal.text.len() {
            if number == 0 {
                return;
            }
            at = border(at);
        }
        loop {
            out.extend(literal.text.get(at));
            if number == 0 || at == 0 {
                return;
            }
            at = border(at);
        }
    }

    /// Whether everything that matches from `a` on matches from `b` on.
    pub fn included(&self, a: State, b: State) -> bool {
        if a == b || a == DEAD || b == DONE {
            return true;
        }
        let (Some((first, literal, at)), Some((second, _, to))) = (self.place(a), self.place(b)) else {
            return false;
        };
        if first != second {
            return first < second;
        }
        // In one literal a place leads to what the places lead to that it falls back to.
        let mut fall = to;
        while fall > at {
            fall = fall.checked_sub(1).and_then(|last| literal.borders.get(last)).copied().map_or(0, to_usize);
        }
        first > 0 && fall == at
    }

    /// What every match begins with, and whether a match is that and nothing more.
    pub(crate) fn head(&self) -> (&[u8], bool) {
        (self.literals.first().map_or(&[], |literal| &literal.text), self.literals.len() == 1)
    }

    /// The octets of all literals but the first.
    pub(super) fn rest(&self) -> impl Iterator<Item = u8> + '_ {
        self.literals.iter().skip(1).flat_map(|literal| literal.text.iter().copied())
    }

    /// Whether a match ends as the pattern does.
    pub(super) fn ends(&self) -> bool {
        self.literals.len() == 1 || self.literals.last().is_some_and(|last| !last.text.is_empty())
    }

    /// Whether this one matches all that the other matches: it does if it matches the other with an octet for each `*`
    /// that it does not hold itself.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        let held = |octet: u8| self.literals.iter().any(|literal| memchr::memchr(octet, &literal.text).is_some());
        let Some(any) = (0..=u8::MAX).find(|octet| !held(*octet)) else { return false };
        let mut state = self.start();
        for (place, literal) in other.literals.iter().enumerate() {
            let star = (place > 0).then_some(any);
            for octet in star.into_iter().chain(literal.text.iter().copied()) {
                state = self.step(state, octet);
            }
        }
        self.accepts(state)
    }

    /// Whether the beginnings of two machines exclude each other.
    pub(crate) fn excludes(&self, other: &Self) -> bool {
        let ((a, whole_a), (b, whole_b)) = (self.head(), other.head());
        if a.len() <= b.len() {
            !b.starts_with(a) || (whole_a && a.len() < b.len())
        } else {
            !a.starts_with(b) || whole_b
        }
    }
}
