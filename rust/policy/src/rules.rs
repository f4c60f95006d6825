//! The rules of one crawler, and the strongest of those that match a path.

use crate::pattern;
use crate::places::to_usize;
use crate::prefilter::{beginning, beginning_mark, octets, octets_mark};

/// A rule for one crawler. Its pattern is a span of the text, or of the arena when it had to be rewritten.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub(crate) start: u32,
    pub(crate) len: u32,
    /// Twice the priority, and one more for a rule that permits; the greater key wins, and of equal keys the first.
    pub key: u32,
    /// The place of the line in the table of entries.
    pub entry: u32,
    pub(crate) rewritten: bool,
    /// The pattern has a `*` or a final `$`.
    pub wild: bool,
}

impl Rule {
    pub fn permits(self) -> bool {
        self.key & 1 == 1
    }

    /// Of rules that match the one with the greatest priority wins.
    pub(crate) fn priority(self) -> u32 {
        self.key >> 1
    }

    /// Whether it refuses what it matches; an empty Disallow refuses nothing.
    pub(crate) fn refuses(self) -> bool {
        !self.permits() && self.priority() > 0
    }
}

/// So many rules a line of memory holds whole.
const OF_A_LINE: usize = 3;

/// Marks of rules that a path is compared with at once; [`NONE`] where there is no further rule.
#[derive(Clone, Copy, Debug)]
struct Block {
    marks: [[u32; AT_ONCE]; 2],
    /// The places of the rules.
    places: [u32; AT_ONCE],
}

/// So many numbers a processor compares at once.
const AT_ONCE: usize = 4;

/// A mark that nearly no path fits, and the place of no rule.
const NONE: u32 = u32::MAX;

impl Block {
    /// Blocks of marks with their places.
    fn all(marks: impl Iterator<Item = (u32, [u32; 2])>) -> Box<[Self]> {
        let mut blocks: Vec<Self> = Vec::new();
        for (number, (place, mark)) in marks.enumerate() {
            let lane = number % AT_ONCE;
            if lane == 0 {
                blocks.push(Self { marks: [[NONE; AT_ONCE]; 2], places: [NONE; AT_ONCE] });
            }
            let Some(block) = blocks.last_mut() else { continue };
            let [one, two] = &mut block.marks;
            let lanes = one.iter_mut().zip(two).zip(&mut block.places).nth(lane);
            lanes.into_iter().for_each(|((one, two), held)| ([*one, *two], *held) = (mark, place));
        }
        blocks.into_boxed_slice()
    }

    /// Hands on the places of the rules that may match: of their marks nothing is missing.
    #[inline]
    fn near(&self, missing: impl Fn(u32, u32) -> u32, mut look_at: impl FnMut(u32)) {
        let [one, two] = self.marks;
        let near = |lane: usize| match (one.get(lane), two.get(lane)) {
            (Some(one), Some(two)) => missing(*one, *two) == 0,
            _ => false,
        };
        // Without a branch for each, all are compared at once.
        if !(near(0) | near(1) | near(2) | near(3)) {
            return;
        }
        for (lane, place) in self.places.iter().enumerate() {
            if near(lane) {
                look_at(*place);
            }
        }
    }
}

/// Rules in the order of the file.
#[derive(Debug, Default)]
pub struct Rules {
    list: Box<[Rule]>,
    /// Patterns that had to be rewritten.
    arena: Box<[u8]>,
    /// Marks of the rules without a wildcard, and of those that have one: of most rules nothing else is looked at.
    plain: Box<[Block]>,
    wild: Box<[Block]>,
}

impl std::ops::Deref for Rules {
    type Target = [Rule];

    #[inline]
    fn deref(&self) -> &[Rule] {
        &self.list
    }
}

impl Rules {
    /// Rules of a text.
    pub(crate) fn new(list: Vec<Rule>, arena: Vec<u8>, text: &[u8]) -> Self {
        let mut rules = Self { list: list.into_boxed_slice(), arena: arena.into_boxed_slice(), ..Self::default() };
        let marked = |wild| {
            let of_kind = (0..).zip(&rules.list).filter(move |(_, rule)| rule.wild == wild);
            of_kind.map(|(place, rule)| (place, rules.pattern(text, *rule)))
        };
        let plain = Block::all(marked(false).map(|(place, pattern)| (place, beginning_mark(pattern))));
        let wild = Block::all(marked(true).map(|(place, pattern)| (place, halves(octets_mark(pattern)))));
        (rules.plain, rules.wild) = (plain, wild);
        rules
    }

    /// The pattern as it is compared.
    #[inline]
    pub fn pattern<'a>(&'a self, text: &'a [u8], rule: Rule) -> &'a [u8] {
        let from = if rule.rewritten { &self.arena } else { text };
        let start = to_usize(rule.start);
        from.get(start..start.saturating_add(to_usize(rule.len))).unwrap_or(&[])
    }

    #[inline]
    pub fn matches(&self, text: &[u8], rule: Rule, path: &[u8]) -> bool {
        let held = self.pattern(text, rule);
        if rule.wild { pattern::matches(held, path) } else { path.starts_with(held) }
    }

    pub(crate) fn scan(&self, text: &[u8], path: &[u8]) -> Option<Rule> {
        let mut best: Option<(&Rule, u32)> = None;
        let mut least = 0u32; // the least key that may win
        let mut look_at = |place: u32| {
            let Some(rule) = self.list.get(to_usize(place)).filter(|rule| rule.key >= least) else { return };
            let is_better = best.is_none_or(|(held, at)| rule.key > held.key || place < at);
            if is_better && self.matches(text, *rule, path) {
                best = Some((rule, place));
                least = rule.key;
            }
        };
        let beginning = beginning(path);
        for block in &self.plain {
            block.near(|mark, mask| (mark ^ beginning) & mask, &mut look_at);
        }
        if !self.wild.is_empty() {
            let [low, high] = halves(!octets(path));
            for block in &self.wild {
                block.near(|one, two| (one & low) | (two & high), &mut look_at);
            }
        }
        best.map(|(rule, _)| *rule)
    }

    /// An octet of each line of memory in which marks and rules stand, up to so many; what each is has no meaning.
    pub(crate) fn octets_apart(&self, most: usize) -> impl Iterator<Item = u8> {
        let blocks = self.plain.iter().chain(&self.wild).map(|block| block.places.contains(&0));
        let rules = self.list.iter().step_by(OF_A_LINE).map(|rule| rule.wild);
        blocks.take(most).chain(rules.take(most)).map(u8::from)
    }
}

/// Both halves of a number, the lower one first.
#[inline]
fn halves(number: u64) -> [u32; 2] {
    let half = |bits: u64| u32::try_from(bits & u64::from(u32::MAX)).unwrap_or(u32::MAX);
    [half(number), half(number.wrapping_shr(32))]
}
