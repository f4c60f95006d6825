//! An index over the rules of one crawler, for files with many.
//!
//! Prefixes are sorted, each with the place of its longest proper prefix, so that one binary search finds the longest
//! that begins a path. Patterns with a wildcard are found by the longest literal in them, all literals searched at once
//! (Aho–Corasick), and then matched; of one literal the strongest rule comes first.
//!
//! Precondition: the greatest key belongs to the longest pattern (RFC 9309 2.2.2).

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::conventional::{Rule, Selection};
use crate::lines::{to_u32, to_usize};

#[derive(Debug)]
pub struct Index {
    /// Sorted by pattern, one rule a pattern.
    prefixes: Vec<(Rule, Option<u32>)>,
    /// Sorted by what stands before the `$`.
    whole: Vec<Rule>,
    searcher: Option<AhoCorasick>,
    /// For each literal its rules, strongest first.
    by_literal: Vec<Vec<Rule>>,
    /// Wildcard rules without any literal.
    rest: Vec<Rule>,
}

/// Keeps the stronger of two rules; of equals the earlier one.
fn stronger(best: Option<Rule>, rule: Rule) -> Option<Rule> {
    match best {
        Some(held) if held.key > rule.key || (held.key == rule.key && held.entry <= rule.entry) => best,
        _ => Some(rule),
    }
}

impl Index {
    pub fn new(selection: &Selection, text: &[u8]) -> Self {
        let pattern = |rule: Rule| selection.pattern(text, rule);
        let mut plain: Vec<Rule> = Vec::new();
        let mut whole: Vec<Rule> = Vec::new();
        let mut rest: Vec<Rule> = Vec::new();
        let mut literals: Vec<&[u8]> = Vec::new();
        let mut places: HashMap<&[u8], usize> = HashMap::new();
        let mut by_literal: Vec<Vec<Rule>> = Vec::new();
        for rule in selection.rules.iter().copied() {
            let text = pattern(rule);
            if !rule.wild {
                plain.push(rule);
            } else if memchr::memchr(b'*', text).is_none() {
                whole.push(rule);
            } else {
                let body = text.strip_suffix(b"$").unwrap_or(text);
                // Of equally long literals the last: the first is `/` in most patterns.
                let literal = body.split(|byte| *byte == b'*').max_by_key(|part| part.len()).unwrap_or(&[]);
                if literal.is_empty() {
                    rest.push(rule);
                    continue;
                }
                let place = *places.entry(literal).or_insert_with(|| {
                    literals.push(literal);
                    by_literal.push(Vec::new());
                    literals.len().saturating_sub(1)
                });
                if let Some(rules) = by_literal.get_mut(place) {
                    rules.push(rule);
                }
            }
        }
        let strongest_first = |a: &Rule, b: &Rule| b.key.cmp(&a.key).then(a.entry.cmp(&b.entry));
        for rules in &mut by_literal {
            rules.sort_by(strongest_first);
            rules.dedup_by(|later, earlier| pattern(*later) == pattern(*earlier));
        }
        rest.sort_by(strongest_first);
        rest.truncate(1); // each of them matches everything
        for rules in [&mut plain, &mut whole] {
            rules.sort_by(|a, b| pattern(*a).cmp(pattern(*b)).then(strongest_first(a, b)));
            rules.dedup_by(|later, earlier| pattern(*later) == pattern(*earlier));
        }
        let mut prefixes: Vec<(Rule, Option<u32>)> = Vec::with_capacity(plain.len());
        for rule in plain {
            let mut up = prefixes.len().checked_sub(1);
            while let Some(place) = up {
                let Some((held, parent)) = prefixes.get(place) else { break };
                if pattern(rule).starts_with(pattern(*held)) {
                    break;
                }
                up = parent.map(to_usize);
            }
            prefixes.push((rule, up.map(to_u32)));
        }
        // A searcher that cannot be built leaves its rules to be looked at one by one.
        let searcher = AhoCorasick::builder().match_kind(MatchKind::Standard).build(&literals).ok();
        if searcher.is_none() {
            rest.extend(by_literal.drain(..).flatten());
            rest.sort_by(strongest_first);
        }
        Self { prefixes, whole, searcher, by_literal, rest }
    }

    pub fn decide(&self, selection: &Selection, text: &[u8], path: &[u8]) -> Option<Rule> {
        let pattern = |rule: Rule| selection.pattern(text, rule);
        let mut best: Option<Rule> = None;
        let mut at = self.prefixes.partition_point(|(rule, _)| pattern(*rule) <= path).checked_sub(1);
        while let Some((rule, parent)) = at.and_then(|place| self.prefixes.get(place)) {
            if path.starts_with(pattern(*rule)) {
                best = Some(*rule);
                break;
            }
            at = parent.map(to_usize);
        }
        let body = |rule: Rule| {
            let whole = pattern(rule);
            whole.strip_suffix(b"$").unwrap_or(whole)
        };
        if let Ok(place) = self.whole.binary_search_by(|rule| body(*rule).cmp(path)) {
            best = self.whole.get(place).map_or(best, |rule| stronger(best, *rule));
        }
        let try_all = |rules: &[Rule], best: &mut Option<Rule>| {
            for rule in rules {
                if best.is_some_and(|held| held.key > rule.key || (held.key == rule.key && held.entry <= rule.entry)) {
                    break;
                }
                if selection.rule_matches(text, *rule, path) {
                    *best = Some(*rule);
                    break;
                }
            }
        };
        try_all(&self.rest, &mut best);
        if let Some(searcher) = &self.searcher {
            // The same literal often occurs again; the last few are remembered.
            let mut seen = [usize::MAX; 8];
            let mut turn = 0usize;
            for found in searcher.find_overlapping_iter(path) {
                let literal = found.pattern().as_usize();
                if seen.contains(&literal) {
                    continue;
                }
                if let Some(slot) = seen.get_mut(turn & 7) {
                    *slot = literal;
                }
                turn = turn.wrapping_add(1);
                if let Some(rules) = self.by_literal.get(literal) {
                    try_all(rules, &mut best);
                }
            }
        }
        best
    }
}
