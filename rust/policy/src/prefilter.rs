//! What a prefilter at a path and at a pattern shows: most rules are passed over without touching their text.
//!
//! Invariant: a pattern that matches a path is never passed over.

/// What a prefilter at a path shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prefilter {
    /// The first eight octets, the first in the highest place, zeros behind a shorter path.
    pub(crate) head: u64,
    /// The octets that occur, one bit for all that are equal modulo 64.
    octets: u64,
}

impl Prefilter {
    /// At a path; without wildcards the octets that occur do not matter.
    #[inline]
    pub(crate) fn at(path: &[u8], wildcards: bool) -> Self {
        Self { head: head(path), octets: if wildcards { octets(path) } else { 0 } }
    }

    /// Whether a pattern of `len` octets may match: the path begins with its head, or has all octets of its literals.
    #[inline]
    pub(crate) fn may_match(self, mark: u64, len: u32, wild: bool) -> bool {
        if wild {
            return mark & !self.octets == 0;
        }
        let beyond = u64::BITS.saturating_sub(len.saturating_mul(8));
        (self.head ^ mark).checked_shr(beyond).unwrap_or(0) == 0
    }
}

/// What is remembered of a pattern: its head, or with wildcards the octets of its literals.
#[inline]
pub(crate) fn mark(pattern: &[u8], wild: bool) -> u64 {
    if !wild {
        return head(pattern);
    }
    let body = pattern.strip_suffix(b"$").unwrap_or(pattern);
    body.iter().filter(|byte| **byte != b'*').fold(0, |seen, byte| seen | 1u64.wrapping_shl(u32::from(*byte)))
}

#[inline]
fn head(text: &[u8]) -> u64 {
    match text.first_chunk::<8>() {
        Some(chunk) => u64::from_be_bytes(*chunk),
        None => {
            let mut chunk = [0; 8];
            chunk.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
            u64::from_be_bytes(chunk)
        }
    }
}

#[inline]
fn octets(text: &[u8]) -> u64 {
    text.iter().fold(0, |seen, byte| seen | 1u64.wrapping_shl(u32::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::matches;

    #[test]
    fn what_matches_is_never_passed_over() {
        let patterns: [&[u8]; 10] =
            [b"", b"/", b"/a", b"/abcdefg", b"/abcdefgh", b"/abcdefghi", b"*", b"/*c", b"*i$", b"/a*d*"];
        let paths: [&[u8]; 6] = [b"/", b"/a", b"/abcdefg", b"/abcdefghi", b"/abcdefghij", b"/xyz?c=d"];
        for pattern in patterns {
            let wild = pattern.contains(&b'*') || pattern.ends_with(b"$");
            for path in paths {
                let may = Prefilter::at(path, wild).may_match(
                    mark(pattern, wild),
                    u32::try_from(pattern.len()).unwrap(),
                    wild,
                );
                assert!(may || !matches(pattern, path), "{pattern:?} {path:?}");
            }
        }
    }

    #[test]
    fn most_others_are() {
        assert!(!Prefilter::at(b"/news", false).may_match(mark(b"/private", false), 8, false));
        assert!(!Prefilter::at(b"/a", false).may_match(mark(b"/abc", false), 4, false));
        assert!(!Prefilter::at(b"/news", true).may_match(mark(b"/*?q=", true), 5, true));
    }
}
