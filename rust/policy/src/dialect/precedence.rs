//! Which rule of those that match wins.

use crate::places::to_u32;
use crate::resolution::Key;
use crate::rules::Rule;

/// Which rule of those that match wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precedence {
    /// The longest pattern, and of equals the one that permits (RFC 9309 2.2.2). Patterns have wildcards.
    Longest,
    /// Whatever refuses; nothing permits but an empty Disallow. Patterns are literal.
    Refusal,
    /// The first line (K2 3.2.2). Patterns are literal.
    First,
}

impl Precedence {
    /// Whether `*` and a final `$` of a pattern are special.
    pub fn has_wildcards(self) -> bool {
        match self {
            Self::Longest => true,
            Self::Refusal | Self::First => false,
        }
    }

    /// Whether the greatest key belongs to the longest pattern.
    pub(crate) fn is_by_length(self) -> bool {
        match self {
            Self::Longest => true,
            Self::Refusal | Self::First => false,
        }
    }

    /// The key of a rule ([`Rule::key`]) that follows so many others; none for a line that is no rule.
    #[inline]
    pub(crate) fn key(self, value: &[u8], pattern: &[u8], permits: bool, others: usize) -> Option<u32> {
        match self {
            // A pattern with another beginning matches no path; an empty one matches all, with no priority.
            Self::Longest => matches!(pattern.first(), None | Some(b'/' | b'*')).then(|| key_of(pattern, permits)),
            Self::Refusal if permits => None,
            // An empty Disallow permits everything that no other line refuses.
            Self::Refusal => Some(if value.is_empty() { 1 } else { 2 }),
            Self::First if value.is_empty() => None,
            // Earlier lines have greater keys.
            Self::First => {
                let order = u32::MAX.wrapping_shr(2).saturating_sub(to_u32(others));
                Some(order.saturating_mul(2).saturating_add(u32::from(permits)))
            }
        }
    }

    /// A pattern that a rule that permits has beside its own, with its key.
    #[inline]
    pub(crate) fn widened(self, pattern: &[u8]) -> Option<(Vec<u8>, u32)> {
        match self {
            Self::Longest => widened(pattern).map(|wide| {
                let key = key_of(&wide, true);
                (wide, key)
            }),
            Self::Refusal | Self::First => None,
        }
    }

    /// The key on which a rule that matches lost.
    pub(crate) fn lost_on(self, winner: Rule, loser: Rule) -> Key {
        match self {
            Self::Longest if winner.priority() != loser.priority() => Key::Length,
            Self::Longest if winner.key != loser.key => Key::AllowOnTie,
            Self::Longest | Self::Refusal | Self::First => Key::Order,
        }
    }
}

/// Where the longest pattern wins, the key of a rule.
#[inline]
pub(crate) fn key_of(pattern: &[u8], permits: bool) -> u32 {
    to_u32(pattern.len()).saturating_mul(2).saturating_add(u32::from(permits))
}

/// `Allow: …/index.htm(l)` also permits the directory itself, as the widely used matcher does: the pattern for it.
pub(crate) fn widened(pattern: &[u8]) -> Option<Vec<u8>> {
    let (directory, file) = pattern.split_at(memchr::memrchr(b'/', pattern)?.saturating_add(1));
    file.starts_with(b"index.htm").then(|| [directory, b"$"].concat())
}
