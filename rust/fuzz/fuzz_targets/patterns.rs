//! Matching agrees with a table that tries everything; a pattern contains another exactly if it matches the witnesses
//! of that one; a canonical form is its own canonical form.
//!
//! The input is two patterns and a path, each but the last with a line end.

#![no_main]

use acap_policy::proving::Machine;
use acap_policy::reading::octets::{
    canonical_literal, canonical_path, canonical_pattern, decoded_path, google_path, google_pattern,
};
use acap_policy::reading::pattern::{Relation, compare, contains, matches, matches_whole};
use libfuzzer_sys::fuzz_target;

/// Whether a glob matches the beginning of a text, or all of it, by the table of all pairs of their beginnings.
fn by_table(glob: &[u8], text: &[u8], whole: bool) -> bool {
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    for octet in glob {
        let mut next = vec![false; text.len() + 1];
        for at in 0..=text.len() {
            next[at] = match octet {
                b'*' => reached[at] || (at > 0 && next[at - 1]),
                _ => at > 0 && reached[at - 1] && text[at - 1] == *octet,
            };
        }
        reached = next;
    }
    if whole { reached[text.len()] } else { reached.contains(&true) }
}

fn matches_by_table(pattern: &[u8], path: &[u8]) -> bool {
    match pattern.strip_suffix(b"$") {
        Some(body) => by_table(body, path, true),
        None => by_table(pattern, path, false),
    }
}

/// The pattern with each `*` replaced, and the end left open by the same; None if that is no path.
fn filled(pattern: &[u8], filling: &[u8]) -> Option<Vec<u8>> {
    let (body, open) = match pattern.strip_suffix(b"$") {
        Some(body) => (body, false),
        None => (pattern, true),
    };
    let mut out = Vec::new();
    for octet in body {
        match octet {
            b'*' => out.extend_from_slice(filling),
            _ => out.push(*octet),
        }
    }
    if open {
        out.extend_from_slice(filling);
    }
    (out.first() == Some(&b'/')).then_some(out)
}

fuzz_target!(|input: &[u8]| {
    if input.len() > 4_000 {
        return;
    }
    let mut parts = input.splitn(3, |octet| *octet == b'\n');
    let (Some(a), Some(b), Some(path)) = (parts.next(), parts.next(), parts.next()) else { return };
    for raw in [a, b, path] {
        let once = canonical_literal(raw);
        assert_eq!(canonical_literal(&once), once);
        let once = google_pattern(raw);
        assert_eq!(google_pattern(&once), once);
        assert_eq!(google_path(raw).first(), Some(&b'/'));
        let once = canonical_path(raw);
        assert_eq!(once.first(), Some(&b'/'));
        assert_eq!(canonical_path(&once), once);
        decoded_path(raw);
    }
    let (a, b) = (canonical_pattern(a), canonical_pattern(b));
    let path = canonical_path(path);
    for pattern in [&a, &b] {
        assert_eq!(canonical_pattern(pattern), *pattern);
        assert_eq!(matches(pattern, &path), matches_by_table(pattern, &path));
        assert_eq!(matches_whole(pattern, &path), by_table(pattern, &path, true));
        assert_eq!(Machine::of_pattern(pattern).matches(&path), matches(pattern, &path));
    }
    relations(&a, &b, &path);
});

fn relations(a: &[u8], b: &[u8], path: &[u8]) {
    // As ACAP has them: all others are void or get a `/`.
    let sound = |pattern: &[u8]| matches!(pattern.first(), Some(b'/' | b'*'));
    if !sound(a) || !sound(b) {
        return;
    }
    for pattern in [a, b] {
        assert!(contains(pattern, pattern));
        assert!(contains(b"/", pattern) && contains(b"*", pattern));
    }
    // One octet that `a` does not hold stands for whatever a `*` of `b` may be.
    let strange = (1..=u8::MAX).find(|octet| !a.contains(octet)).unwrap();
    let mut witnesses: Vec<Vec<u8>> = filled(b, &[strange]).into_iter().collect();
    if b.starts_with(b"*") {
        let tail = &b[b.iter().take_while(|octet| **octet == b'*').count()..];
        let rooted = [b"/*", tail].concat();
        witnesses = [&rooted[..], tail].iter().filter_map(|pattern| filled(pattern, &[strange])).collect();
    }
    for witness in &witnesses {
        assert!(matches_by_table(b, witness), "{witness:?}");
    }
    let within = contains(a, b);
    assert_eq!(within, witnesses.iter().all(|witness| matches_by_table(a, witness)), "{within}");
    for filling in [&b""[..], b"/", path] {
        if let Some(path) = filled(b, filling) {
            assert!(matches(b, &path));
            assert!(!within || matches(a, &path));
        }
    }
    assert!(!within || !matches(b, path) || matches(a, path));
    let turned = match compare(b, a) {
        Relation::Narrower => Relation::Broader,
        Relation::Broader => Relation::Narrower,
        Relation::DraftNarrower => Relation::DraftBroader,
        Relation::DraftBroader => Relation::DraftNarrower,
        same => same,
    };
    assert_eq!(compare(a, b), turned);
    assert_eq!(compare(a, a), Relation::Same);
}
