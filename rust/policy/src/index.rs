//! An index over the rules of one crawler, for files with many.
//!
//! Prefixes are sorted, each with the place of its longest proper prefix, so that one binary search finds the longest
//! that begins a path. Patterns with a wildcard are looked at one by one, the strongest first, as long as they are few.
//! Many are found by the longest literal in them, all literals searched at once (Aho–Corasick), and then matched; of
//! one literal the strongest rule comes first.
//!
//! Precondition: the greatest key belongs to the longest pattern (RFC 9309 2.2.2).

use std::cmp::Ordering;
use std::collections::HashMap;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::limits::LITERAL_OCTETS;
use crate::places::{to_u32, to_usize};
use crate::prefilter::{head, octets, octets_mark};
use crate::rules::{Rule, Rules};

/// Up to this many patterns with a wildcard are tried one by one; a prefilter rules most of them out.
const FEW: usize = 64;
/// So many literals have a searcher of their own: where some begin others, making one takes the square of their number.
const LITERALS: usize = 2048;

#[derive(Debug)]
pub struct Index {
    /// Sorted by pattern, one rule a pattern.
    prefixes: Vec<Prefix>,
    /// Sorted by what stands before the `$`.
    whole: Vec<Rule>,
    /// Wildcard rules to be looked at one by one, strongest first.
    few: Vec<Wild>,
    /// Each for so many [literals](LITERALS), in their order.
    searchers: Vec<AhoCorasick>,
    /// For each literal its rules, strongest first.
    by_literal: Vec<Vec<Wild>>,
}

#[derive(Debug)]
struct Prefix {
    /// The [`head`] of the pattern.
    head: u64,
    rule: Rule,
    /// The place of the longest other that begins it.
    parent: Option<u32>,
}

/// A rule with a wildcard, and the [octets](octets_mark) that a path has to have.
#[derive(Clone, Copy, Debug)]
struct Wild {
    octets: u64,
    rule: Rule,
}

/// The greater key first; of equals the earlier line.
fn strongest_first(a: &Rule, b: &Rule) -> Ordering {
    b.key.cmp(&a.key).then(a.entry.cmp(&b.entry))
}

/// Keeps the stronger of two rules.
fn stronger(best: Option<Rule>, rule: Rule) -> Option<Rule> {
    best.filter(|held| strongest_first(held, &rule).is_le()).or(Some(rule))
}

/// What stands before a final `$`.
fn body(pattern: &[u8]) -> &[u8] {
    pattern.strip_suffix(b"$").unwrap_or(pattern)
}

impl Index {
    pub fn new(rules: &Rules, text: &[u8]) -> Self {
        let pattern = |rule: &Rule| rules.pattern(text, *rule);
        let (wild, mut plain): (Vec<Rule>, Vec<Rule>) = rules.iter().copied().partition(|rule| rule.wild);
        let (mut starred, mut whole): (Vec<Rule>, Vec<Rule>) =
            wild.into_iter().partition(|rule| memchr::memchr(b'*', pattern(rule)).is_some());
        for rules in [&mut plain, &mut whole] {
            rules.sort_by(|a, b| body(pattern(a)).cmp(body(pattern(b))).then(strongest_first(a, b)));
            rules.dedup_by(|later, earlier| pattern(later) == pattern(earlier));
        }
        let mut prefixes: Vec<Prefix> = Vec::with_capacity(plain.len());
        for rule in plain {
            let mut up = prefixes.len().checked_sub(1);
            while let Some(place) = up {
                let Some(held) = prefixes.get(place) else { break };
                if pattern(&rule).starts_with(pattern(&held.rule)) {
                    break;
                }
                up = held.parent.map(to_usize);
            }
            prefixes.push(Prefix { head: head(pattern(&rule)), rule, parent: up.map(to_u32) });
        }
        starred.sort_by(strongest_first);
        let few = starred.into_iter().map(|rule| Wild { octets: octets_mark(pattern(&rule)), rule }).collect();
        let mut index = Self { prefixes, whole, few, searchers: Vec::new(), by_literal: Vec::new() };
        if index.few.len() > FEW {
            index.search_literals(pattern);
        }
        index
    }

    /// Has the literals of the wildcard rules searched for together.
    fn search_literals<'a>(&mut self, pattern: impl Fn(&Rule) -> &'a [u8]) {
        let mut literals: Vec<&[u8]> = Vec::new();
        let mut places: HashMap<&[u8], usize> = HashMap::new();
        let mut by_literal: Vec<Vec<Wild>> = Vec::new();
        let mut without: Vec<Wild> = Vec::new();
        for wild in &self.few {
            // Of equally long literals the last: the first is `/` in most patterns.
            let parts = body(pattern(&wild.rule)).split(|byte| *byte == b'*');
            let literal = parts.max_by_key(|part| part.len()).unwrap_or(&[]);
            if literal.is_empty() {
                without.push(*wild);
                continue;
            }
            let place = *places.entry(literal).or_insert_with(|| {
                literals.push(literal);
                by_literal.push(Vec::new());
                literals.len().saturating_sub(1)
            });
            if let Some(rules) = by_literal.get_mut(place) {
                rules.push(*wild);
            }
        }
        // Without a searcher the rules are looked at one by one; it takes some fifty times what it searches for.
        let octets = literals.iter().fold(0usize, |sum, literal| sum.saturating_add(literal.len()));
        if octets > LITERAL_OCTETS {
            return;
        }
        let searcher = |literals| AhoCorasick::builder().match_kind(MatchKind::Standard).build(literals);
        if let Ok(searchers) = literals.chunks(LITERALS).map(searcher).collect() {
            for rules in &mut by_literal {
                rules.dedup_by(|later, earlier| pattern(&later.rule) == pattern(&earlier.rule));
            }
            self.searchers = searchers;
            self.by_literal = by_literal;
            self.few = without;
        }
    }

    pub fn decide(&self, rules: &Rules, text: &[u8], path: &[u8]) -> Option<Rule> {
        let pattern = |rule: &Rule| rules.pattern(text, *rule);
        let head_of_path = head(path);
        // The order of heads is the order of patterns, where heads differ.
        let order = |one: &Prefix| one.head.cmp(&head_of_path).then_with(|| pattern(&one.rule).cmp(path));
        let mut best: Option<Rule> = None;
        let mut at = self.prefixes.partition_point(|one| order(one).is_le()).checked_sub(1);
        while let Some(one) = at.and_then(|place| self.prefixes.get(place)) {
            if path.starts_with(pattern(&one.rule)) {
                best = Some(one.rule);
                break;
            }
            at = one.parent.map(to_usize);
        }
        if let Ok(place) = self.whole.binary_search_by(|rule| body(pattern(rule)).cmp(path)) {
            best = self.whole.get(place).map_or(best, |rule| stronger(best, *rule));
        }
        let missing = if self.few.is_empty() && self.searchers.is_empty() { 0 } else { !octets(path) };
        let try_all = |list: &[Wild], best: &mut Option<Rule>| {
            for Wild { octets, rule } in list {
                if best.is_some_and(|held| strongest_first(&held, rule).is_le()) {
                    break;
                }
                if octets & missing == 0 && rules.matches(text, *rule, path) {
                    *best = Some(*rule);
                    break;
                }
            }
        };
        try_all(&self.few, &mut best);
        // The same literal often occurs again; the last few are remembered.
        let mut seen = [usize::MAX; 8];
        let mut turn = 0usize;
        // Where literals lie in one another or take turns, looking at every rule once is quicker.
        let mut steps = path.len().saturating_add(rules.len());
        let mut rules_left = rules.len();
        for (searcher, lists) in self.searchers.iter().zip(self.by_literal.chunks(LITERALS)) {
            for found in searcher.find_overlapping_iter(path) {
                steps = steps.saturating_sub(1);
                if steps == 0 {
                    return rules.scan(text, path);
                }
                let literal = found.pattern().as_usize();
                if seen.contains(&literal) {
                    continue;
                }
                if let Some(slot) = seen.get_mut(turn & 7) {
                    *slot = literal;
                }
                turn = turn.wrapping_add(1);
                if let Some(list) = lists.get(literal) {
                    if list.len() > rules_left {
                        return rules.scan(text, path);
                    }
                    rules_left = rules_left.saturating_sub(list.len());
                    try_all(list, &mut best);
                }
            }
            seen = [usize::MAX; 8];
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::Dialect;
    use crate::policy::Policy;

    /// Texts of a few letters, so that many begin, hold and equal one another.
    fn texts(letters: &[u8], count: usize) -> Vec<String> {
        let mut state = 9309u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap().checked_rem(below).unwrap()
        };
        let mut text = || -> String { (0..next(9)).map(|_| char::from(letters[next(letters.len())])).collect() };
        (0..count).map(|_| format!("/{}", text())).collect()
    }

    #[test]
    fn the_index_decides_as_looking_at_every_rule_does() {
        for letters in [b"ab/!".as_slice(), b"ab/*!", b"abcdefgh*"] {
            let rules: Vec<String> = texts(letters, 600)
                .iter()
                .enumerate()
                .map(|(place, text)| {
                    let verb = if place % 3 == 0 { "Allow" } else { "Disallow" };
                    let from = if place % 5 == 0 { "*" } else { "" };
                    let to = if place % 7 == 0 { "$" } else { "" };
                    format!("{verb}: {from}{text}{to}\n")
                })
                .collect();
            let file = format!("User-agent: *\n{}", rules.concat());
            let policy = Policy::read(file.as_bytes().into(), None, Dialect::AUTO, None);
            let (one_by_one, indexed) =
                (crate::decide::View::new(&policy, &["a"]), crate::decide::View::new(&policy, &["b"]));
            indexed.rep.build_index(policy.text());
            let paths = texts(&letters.iter().copied().filter(|letter| *letter != b'*').collect::<Vec<u8>>(), 100);
            for path in &paths {
                let decided = |view: &crate::decide::View| {
                    view.rep.decide(policy.text(), path.as_bytes()).map(|rule| (rule.entry, rule.key))
                };
                let rules = &one_by_one.rep.rules;
                let matching = rules.iter().filter(|rule| rules.matches(policy.text(), **rule, path.as_bytes()));
                // Of equal keys the first.
                let strongest = matching.rev().max_by_key(|rule| rule.key).map(|rule| (rule.entry, rule.key));
                assert_eq!(decided(&one_by_one), strongest, "{path} {letters:?}");
                assert_eq!(decided(&indexed), decided(&one_by_one), "{path} {letters:?}");
            }
        }
    }
    #[test]
    fn many_literals_are_searched_in_parts_that_decide_as_one() {
        let lines: Vec<String> = (0..3 * super::LITERALS)
            .map(|place| format!("{}: /*b{place}\n", if place % 3 == 0 { "Allow" } else { "Disallow" }))
            .collect();
        let file = format!("User-agent: *\n{}", lines.concat());
        let policy = Policy::read(file.as_bytes().into(), None, Dialect::AUTO, None);
        let view = crate::decide::View::new(&policy, &["a"]);
        let rules = &view.rep.rules;
        let index = super::Index::new(rules, policy.text());
        assert_eq!(index.searchers.len(), 3);
        for path in ["/b", "/b1", "/b2047", "/b2048x", "/ab4096/b5", "/b6143b9", "/b99999", "/x"] {
            let decided = |rule: Option<super::Rule>| rule.map(|rule| (rule.entry, rule.key));
            let expected = decided(rules.scan(policy.text(), path.as_bytes()));
            assert_eq!(decided(index.decide(rules, policy.text(), path.as_bytes())), expected, "{path}");
        }
    }
}
