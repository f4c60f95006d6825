//! What a prefilter at a path and at a pattern shows: most rules are passed over without touching their text.
//!
//! Invariant: a pattern that matches a path is never passed over.

/// What a prefilter at a path shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prefilter {
    /// The [`head`] of the path.
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

    /// Whether a pattern with such a mark may match: the path begins with its head, which ends so many bits before the
    /// end of the mark, or has all octets of its literals.
    #[inline]
    pub(crate) fn may_match(self, mark: u64, beyond: u8, wild: bool) -> bool {
        if wild { mark & !self.octets == 0 } else { (self.head ^ mark).wrapping_shr(u32::from(beyond)) == 0 }
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

/// How many bits of its [`head`] lie beyond a text; below 64, so that as many can be shifted out.
#[inline]
pub(crate) fn beyond(text: &[u8]) -> u8 {
    let octets = u8::try_from(text.len()).unwrap_or(u8::MAX).min(8);
    63u8.saturating_sub(octets.saturating_mul(8))
}

/// The first eight octets, the first in the highest place and zeros behind a shorter text, without the last bit.
#[inline]
fn head(text: &[u8]) -> u64 {
    let octets = match text.first_chunk::<8>() {
        Some(chunk) => u64::from_be_bytes(*chunk),
        None => {
            let mut chunk = [0; 8];
            chunk.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
            u64::from_be_bytes(chunk)
        }
    };
    octets >> 1
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
        let paths: [&[u8]; 8] = [
            b"",
            b"/",
            b"/a",
            b"/abcdefg",
            b"/abcdefghi",
            b"/abcdefghij",
            b"/xyz?c=d",
            b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
        ];
        for pattern in patterns {
            let wild = pattern.contains(&b'*') || pattern.ends_with(b"$");
            for path in paths {
                let may = Prefilter::at(path, wild).may_match(mark(pattern, wild), beyond(pattern), wild);
                assert!(may || !matches(pattern, path), "{pattern:?} {path:?}");
            }
        }
    }

    #[test]
    fn most_others_are() {
        let may = |pattern: &[u8], path, wild| {
            Prefilter::at(path, wild).may_match(mark(pattern, wild), beyond(pattern), wild)
        };
        assert!(!may(b"/private", b"/news", false));
        assert!(!may(b"/abc", b"/a", false));
        assert!(!may(b"/abcdefg", b"/abcdefh", false));
        assert!(!may(b"/*?q=", b"/news", true));
    }
}
