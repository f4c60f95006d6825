//! What a glance at a path and at a pattern shows: most rules are passed over without touching their text.
//!
//! A pattern without a wildcard has to begin the path, so [beginnings](Beginning) are compared; the octets of the literals of
//! another have to occur in it, so [sets](octets) of octets are. Each is a number, that several can be compared at once.
//!
//! Invariant: a pattern that matches a path is never passed over.

/// What a path begins with, behind its `/`: of six octets the five lowest bits, those of the first octet uppermost.
#[inline]
pub(crate) fn beginning(text: &[u8]) -> u32 {
    packed(eight(text))
}

/// The beginning of a pattern without a wildcard, and the bits of it that a path has to have.
#[inline]
pub(crate) fn beginning_mark(pattern: &[u8]) -> [u32; 2] {
    let present = u32::try_from(pattern.len()).unwrap_or(u32::MAX).min(8).saturating_mul(8);
    [beginning(pattern), packed(!u64::MAX.checked_shr(present).unwrap_or(0))]
}

/// The five lowest bits of each octet but the first and the last.
#[inline]
fn packed(octets: u64) -> u32 {
    let six = octets.wrapping_shr(8);
    let pairs = (six.wrapping_shr(3) & 0x03E0_03E0_03E0) | (six & 0x001F_001F_001F);
    let all = (pairs & 0x3FF) | (pairs.wrapping_shr(6) & 0xF_FC00) | (pairs.wrapping_shr(12) & 0x3FF0_0000);
    u32::try_from(all).unwrap_or(u32::MAX)
}

/// The octets that occur in a path, one bit for all that are equal modulo 64.
#[inline]
pub(crate) fn octets(text: &[u8]) -> u64 {
    let all = |seen, part: &[u8]| part.iter().fold(seen, |seen, byte| seen | 1u64.wrapping_shl(u32::from(*byte)));
    // Of eight at a time the counting is done once.
    let (words, rest) = text.as_chunks::<8>();
    words.iter().fold(all(0, rest), |seen, word| all(seen, word))
}

/// The same of the literals of a pattern: a path has to have all of them.
#[inline]
pub(crate) fn octets_mark(pattern: &[u8]) -> u64 {
    let body = pattern.strip_suffix(b"$").unwrap_or(pattern);
    body.iter().filter(|byte| **byte != b'*').fold(0, |seen, byte| seen | 1u64.wrapping_shl(u32::from(*byte)))
}

/// A number whose order is that of texts, where it differs.
#[inline]
pub(crate) fn head(text: &[u8]) -> u64 {
    eight(text)
}

/// The first eight octets, the first in the highest place and zeros behind a shorter text.
#[inline]
fn eight(text: &[u8]) -> u64 {
    match text.first_chunk::<8>() {
        Some(chunk) => u64::from_be_bytes(*chunk),
        None => {
            let mut chunk = [0; 8];
            chunk.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
            u64::from_be_bytes(chunk)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::matches;

    fn may_match(pattern: &[u8], path: &[u8]) -> bool {
        if pattern.contains(&b'*') || pattern.ends_with(b"$") {
            return octets_mark(pattern) & !octets(path) == 0;
        }
        let [held, mask] = beginning_mark(pattern);
        (held ^ beginning(path)) & mask == 0
    }

    #[test]
    fn what_matches_is_never_passed_over() {
        let patterns: [&[u8]; 12] = [
            b"",
            b"/",
            b"/a",
            b"/abcdef",
            b"/abcdefg",
            b"/abcdefgh",
            b"/abcdefghi",
            b"*",
            b"/*c",
            b"*i$",
            b"/a*d*",
            b"x",
        ];
        let paths: [&[u8]; 9] = [
            b"",
            b"/",
            b"/a",
            b"/abcdefg",
            b"/abcdefghi",
            b"/abcdefghij",
            b"/xyz?c=d",
            b"xy",
            b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
        ];
        for pattern in patterns {
            for path in paths {
                assert!(may_match(pattern, path) || !matches(pattern, path), "{pattern:?} {path:?}");
            }
        }
    }

    #[test]
    fn most_others_are() {
        assert!(!may_match(b"/private", b"/news"));
        assert!(!may_match(b"/abc", b"/a"));
        assert!(!may_match(b"/abcdef", b"/abcdeg"));
        assert!(!may_match(b"/*?q=", b"/news"));
    }

    #[test]
    fn six_octets_behind_the_first_count() {
        for place in 1..=6 {
            let mut other = *b"/abcdefghi";
            *other.get_mut(place).unwrap() ^= 1;
            assert!(!may_match(b"/abcdefghi", &other), "{place}");
            let shorter = b"/abcdefghi".get(..place).unwrap();
            assert!(may_match(shorter, &other) && !may_match(b"/abcdefghi", shorter), "{place}");
        }
    }
}
