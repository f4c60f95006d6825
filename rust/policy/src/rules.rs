//! The rules of one crawler, and the strongest of those that match a path.

use crate::pattern;
use crate::places::to_usize;
use crate::prefilter::Prefilter;

/// A rule for one crawler. Its pattern is a span of the text, or of the arena when it had to be rewritten.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The summary of the pattern that a [`Prefilter`] is compared with.
    pub(crate) mark: u64,
    pub(crate) start: u32,
    pub(crate) len: u32,
    /// Twice the priority, and one more for a rule that permits; the greater key wins, and of equal keys the first.
    pub key: u32,
    /// The place of the line in the table of entries.
    pub entry: u32,
    /// How much of the mark lies [beyond](crate::prefilter::beyond) the pattern.
    pub(crate) beyond: u8,
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

    /// Whether the pattern may match a path of which a prefilter was taken.
    #[inline]
    pub(crate) fn may_match(&self, prefilter: Prefilter) -> bool {
        prefilter.may_match(self.mark, self.beyond, self.wild)
    }
}

/// Rules in the order of the file.
#[derive(Debug, Default)]
pub struct Rules {
    list: Box<[Rule]>,
    /// Patterns that had to be rewritten.
    arena: Box<[u8]>,
    /// Whether a rule has a wildcard.
    wild: bool,
}

impl std::ops::Deref for Rules {
    type Target = [Rule];

    #[inline]
    fn deref(&self) -> &[Rule] {
        &self.list
    }
}

impl Rules {
    pub(crate) fn new(list: Vec<Rule>, arena: Vec<u8>) -> Self {
        let wild = list.iter().any(|rule| rule.wild);
        Self { list: list.into_boxed_slice(), arena: arena.into_boxed_slice(), wild }
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
        let prefilter = self.prefilter(path);
        let mut best: Option<&Rule> = None;
        let mut least = 0u32; // the least key that would win
        for rule in &self.list {
            // What most rules fail comes first.
            if rule.may_match(prefilter) && rule.key >= least && self.matches(text, *rule, path) {
                best = Some(rule);
                least = rule.key.saturating_add(1);
            }
        }
        best.copied()
    }

    #[inline]
    pub(crate) fn prefilter(&self, path: &[u8]) -> Prefilter {
        Prefilter::at(path, self.wild)
    }
}
