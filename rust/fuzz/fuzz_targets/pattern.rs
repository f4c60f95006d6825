//! Matching agrees with a table that tries everything; a pattern that contains another matches whatever that one
//! matches; the canonical form is its own canonical form.
//!
//! The input is two patterns and a path, each but the last with a line end.

#![no_main]

use acap_policy::octets::{canonical_path, canonical_pattern};
use acap_policy::pattern::{Relation, compare, contains, matches};
use libfuzzer_sys::fuzz_target;

/// Whether a pattern matches a path, by the table of all pairs of their beginnings.
fn matches_by_table(pattern: &[u8], path: &[u8]) -> bool {
    let (body, whole) = match pattern.strip_suffix(b"$") {
        Some(body) => (body, true),
        None => (pattern, false),
    };
    let mut reached = vec![false; path.len() + 1];
    reached[0] = true;
    for octet in body {
        let mut next = vec![false; path.len() + 1];
        for at in 0..=path.len() {
            next[at] = match octet {
                b'*' => reached[at] || (at > 0 && next[at - 1]),
                _ => at > 0 && reached[at - 1] && path[at - 1] == *octet,
            };
        }
        reached = next;
    }
    if whole { reached[path.len()] } else { reached.contains(&true) }
}

fuzz_target!(|input: &[u8]| {
    if input.len() > 4_000 {
        return;
    }
    let mut parts = input.splitn(3, |octet| *octet == b'\n');
    let (Some(a), Some(b), Some(path)) = (parts.next(), parts.next(), parts.next()) else { return };
    let (a, b) = (canonical_pattern(a), canonical_pattern(b));
    let path = canonical_path(path);
    assert_eq!(canonical_pattern(&a), a);
    assert_eq!(canonical_path(&path), path);
    for pattern in [&a, &b] {
        assert_eq!(matches(pattern, &path), matches_by_table(pattern, &path));
        assert!(contains(pattern, pattern));
    }
    if contains(&a, &b) && matches(&b, &path) {
        assert!(matches(&a, &path));
    }
    let turned = match compare(&b, &a) {
        Relation::Narrower => Relation::Broader,
        Relation::Broader => Relation::Narrower,
        Relation::DraftNarrower => Relation::DraftBroader,
        Relation::DraftBroader => Relation::DraftNarrower,
        same => same,
    };
    assert_eq!(compare(&a, &b), turned);
});
