//! Patterns with `*` and a final `$`: match, exact containment, the pilot draft's comparison (P1 4.5.1, 4.5.2.5.3).
//!
//! Nothing backtracks: a `*` takes the leftmost place where the next literal fits, which is as good as any other.

use memchr::memmem;

/// Needles up to this length are compared at each place of their first octet; beyond, a search with a linear bound.
const SHORT: usize = 8;

#[inline]
fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let Some((first, tail)) = needle.split_first() else { return Some(0) };
    if needle.len() > SHORT {
        return memmem::find(haystack, needle);
    }
    let mut from = 0usize;
    loop {
        let rest = haystack.get(from..)?;
        let at = from.saturating_add(memchr::memchr(*first, rest)?);
        let after = haystack.get(at.saturating_add(1)..)?;
        if after.starts_with(tail) {
            return Some(at);
        }
        from = at.saturating_add(1);
    }
}

/// Whether `glob`, in which only `*` is special, matches the whole text.
pub fn matches_whole(glob: &[u8], text: &[u8]) -> bool {
    match_from(glob, text, true)
}

/// Whether a pattern matches a path: from its first octet, as a prefix unless it ends in `$` (RFC 9309 2.2.3).
#[inline]
pub fn matches(pattern: &[u8], path: &[u8]) -> bool {
    match pattern.strip_suffix(b"$") {
        Some(body) => match_from(body, path, true),
        None => match_from(pattern, path, false),
    }
}

#[inline]
fn match_from(body: &[u8], text: &[u8], whole: bool) -> bool {
    let Some(star) = memchr::memchr(b'*', body) else {
        return if whole { text == body } else { text.starts_with(body) };
    };
    let (head, tail) = body.split_at(star);
    let Some(mut rest) = text.strip_prefix(head) else { return false };
    let mut segments = tail.get(1..).unwrap_or(&[]).split(|byte| *byte == b'*').peekable();
    while let Some(segment) = segments.next() {
        if whole && segments.peek().is_none() {
            return rest.ends_with(segment);
        }
        let Some(at) = find(rest, segment) else { return false };
        rest = rest.get(at.saturating_add(segment.len())..).unwrap_or(&[]);
    }
    true
}

/// The pattern as a glob over whole paths: the final `$` gone or a `*` appended, runs of `*` collapsed.
fn whole_form(pattern: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(pattern.len().saturating_add(1));
    let (body, open) = match pattern.strip_suffix(b"$") {
        Some(body) => (body, false),
        None => (pattern, true),
    };
    for byte in body.iter().copied().chain(open.then_some(b'*')) {
        if byte != b'*' || out.last() != Some(&b'*') {
            out.push(byte);
        }
    }
    out
}

/// Whether every path that `p` matches is matched by `q`: exact inclusion, for canonical patterns.
///
/// All paths start with `/`, so a `p` of the form `*X` stands for `/*X` and, if X begins with `/`, also for X. A `*` of
/// p is then one octet that equals no literal of q.
pub fn contains(q: &[u8], p: &[u8]) -> bool {
    if q == p {
        return true;
    }
    let q = whole_form(q);
    let p = whole_form(p);
    match p.strip_prefix(b"*") {
        None => matches_whole(&q, &p),
        Some(tail) => {
            let mut rooted = Vec::with_capacity(p.len().saturating_add(1));
            rooted.push(b'/');
            rooted.extend_from_slice(&p);
            matches_whole(&q, &rooted) && (tail.first() != Some(&b'/') || matches_whole(&q, tail))
        }
    }
}

/// How two sets of resources stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Same,
    Narrower,
    Broader,
    /// Neither contains the other, and the draft's comparison calls the first narrower.
    DraftNarrower,
    /// Neither contains the other, and the draft's comparison calls the second narrower.
    DraftBroader,
    Incomparable,
}

/// How the resources of pattern `a` stand to those of pattern `b`.
pub fn compare(a: &[u8], b: &[u8]) -> Relation {
    match (contains(b, a), contains(a, b)) {
        (true, true) => Relation::Same,
        (true, false) => Relation::Narrower,
        (false, true) => Relation::Broader,
        (false, false) => draft_comparison(a, b),
    }
}

/// The pilot draft's comparison, character by character (P1 4.5.2.5.3); it decides only where inclusion does not.
fn draft_comparison(a: &[u8], b: &[u8]) -> Relation {
    let mut left = a.iter().copied();
    let mut right = b.iter().copied();
    loop {
        let last = |rest: &std::iter::Copied<std::slice::Iter<'_, u8>>| rest.len() == 0;
        return match (left.next(), right.next()) {
            (None, None) => Relation::Incomparable,
            (None, Some(_)) => Relation::DraftBroader,
            (Some(_), None) => Relation::DraftNarrower,
            (Some(x), Some(y)) if x == y => continue,
            (Some(b'$'), Some(_)) if last(&left) => Relation::DraftBroader,
            (Some(_), Some(b'$')) if last(&right) => Relation::DraftNarrower,
            (Some(b'*'), Some(_)) => Relation::DraftBroader,
            (Some(_), Some(b'*')) => Relation::DraftNarrower,
            _ => Relation::Incomparable,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guides_patterns_nest() {
        assert!(contains(b"/", b"*.htm$"));
        assert!(!contains(b"*.htm$", b"/"));
        assert!(contains(b"/", b"/*"));
        assert!(contains(b"/*", b"*"));
        assert!(contains(b"/TEXTS/", b"/TEXTS/*.gif$"));
        assert!(!contains(b"/*/a", b"*/a"));
        assert_eq!(compare(b"/public/", b"/*.pdf"), Relation::DraftNarrower);
    }

    #[test]
    fn matching_needs_no_backtracking() {
        let path = vec![b'a'; 200_000];
        assert!(!matches(b"/*a*a*a*a*a*a*b", &path));
        assert!(matches(b"/a*c$", b"/abcbc"));
        assert!(!matches(b"/a*bc$", b"/abcb"));
        assert!(!matches(b"/ab*b$", b"/ab"));
    }
}
