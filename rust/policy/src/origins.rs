//! The origins of a table of policies, by which a URL finds the policy of its site.
//!
//! What a look-up compares lies together, for a table of many sites does not fit into the memory beside a processor. The
//! hash is asked for by itself, so that the look-ups of many URLs can wait for memory at once. Its key is drawn anew for
//! each table: nobody can choose origins that share their slots.

use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use crate::batch::Urls;
use crate::places::{to_u32, to_usize};

/// Origins, each with its place.
#[derive(Debug)]
pub(crate) struct Origins {
    keys: Keys,
    /// Half of a hash, and the place after the origin's own; 0 where there is none. A power of two, half of them empty.
    slots: Box<[(u32, u32)]>,
    texts: Urls,
}

impl Origins {
    pub(crate) fn for_many(count: usize) -> Self {
        let room = count.saturating_mul(2).checked_next_power_of_two().unwrap_or(usize::MAX);
        let texts = Urls::with_capacity(count, 0);
        Self { keys: Keys::drawn(), slots: vec![(0, 0); room.max(2)].into_boxed_slice(), texts }
    }

    pub(crate) fn hash(&self, origin: &[u8]) -> u64 {
        self.keys.hash(origin)
    }

    /// What stands in the first slot that an origin with a hash may have.
    #[inline]
    pub(crate) fn first_slot(&self, hash: u64) -> (u32, u32) {
        let last = self.slots.len().saturating_sub(1);
        self.slots.get(to_usize(half(hash)) & last).copied().unwrap_or((0, 0))
    }

    /// Where the origin of a slot stands.
    #[inline]
    pub(crate) fn span(&self, slot: (u32, u32)) -> Range<usize> {
        slot.1.checked_sub(1).map_or(0..0, |place| self.texts.span(to_usize(place)))
    }

    /// The octet at a place of all texts.
    #[inline]
    pub(crate) fn octet(&self, place: usize) -> u8 {
        self.texts.at(place..place.saturating_add(1)).and_then(<[u8]>::first).copied().unwrap_or(0)
    }

    /// The place of an origin with a hash, if it is that of the slot, which stands there.
    #[inline]
    pub(crate) fn place_at(&self, slot: (u32, u32), span: Range<usize>, origin: &[u8], hash: u64) -> Option<u32> {
        let is_same = slot.0 == half(hash.rotate_right(32)) && self.texts.at(span) == Some(origin);
        slot.1.checked_sub(1).filter(|_| is_same)
    }

    /// The slots that an origin with a hash may have, in order.
    fn slots(&self, hash: u64) -> impl Iterator<Item = usize> {
        let last = self.slots.len().saturating_sub(1);
        (0..self.slots.len()).map(move |step| to_usize(half(hash)).wrapping_add(step) & last)
    }

    /// Gives an origin the next place; the place that it has, if it has one.
    pub(crate) fn insert(&mut self, origin: &[u8]) -> Result<(), u32> {
        let hash = self.hash(origin);
        if let Some(place) = self.find(origin, hash) {
            return Err(place);
        }
        let free = self.slots(hash).find(|slot| self.slots.get(*slot).is_some_and(|(_, place)| *place == 0));
        self.texts.push(origin);
        if let Some(slot) = free.and_then(|free| self.slots.get_mut(free)) {
            *slot = (half(hash.rotate_right(32)), to_u32(self.texts.len()));
        }
        Ok(())
    }

    /// The place of an origin with a hash.
    pub(crate) fn find(&self, origin: &[u8], hash: u64) -> Option<u32> {
        let other = half(hash.rotate_right(32));
        for slot in self.slots(hash) {
            let (kept, after) = *self.slots.get(slot)?;
            let place = after.checked_sub(1)?;
            if kept == other && self.texts.get(to_usize(place)) == Some(origin) {
                return Some(place);
            }
        }
        None
    }

    pub(crate) fn get(&self, origin: &[u8]) -> Option<u32> {
        self.find(origin, self.hash(origin))
    }
}

/// Octets of origins that are hashed by products; nearly none has more.
const SHORT: usize = 128;

/// The keys of a hash: the sum of products of the octets, sixteen at a time, each half with a key of its own added (NH
/// of RFC 4418 5.2, in words of 64 bits). Of two texts the sums are the same for hardly any keys.
#[derive(Debug)]
struct Keys {
    words: [(u64, u64); SHORT / 16],
    last: (u64, u64),
    beyond: RandomState,
}

impl Keys {
    fn drawn() -> Self {
        let beyond = RandomState::new();
        let word = |number: usize| beyond.hash_one(number);
        let pair = |number: usize| (word(number), word(number.wrapping_add(1 << 16)));
        Self { words: std::array::from_fn(pair), last: pair(SHORT), beyond }
    }

    #[inline]
    fn hash(&self, text: &[u8]) -> u64 {
        if text.len() > SHORT {
            return self.beyond.hash_one(text);
        }
        let mut keys = self.words.iter();
        let mut sum = u128::from(u64::try_from(text.len()).unwrap_or(u64::MAX));
        let mut add = |part: &[u8; 16]| {
            let (first, second) = keys.next().copied().unwrap_or(self.last);
            let part = u128::from_le_bytes(*part);
            let [low, high] = [part, part.wrapping_shr(64)].map(lower);
            sum = sum.wrapping_add(product(low.wrapping_add(first), high.wrapping_add(second)));
        };
        let (parts, rest) = text.as_chunks::<16>();
        parts.iter().for_each(&mut add);
        match text.last_chunk::<16>() {
            _ if rest.is_empty() => {}
            // The last sixteen stand for the rest, which ends with them.
            Some(last) => add(last),
            None => {
                let mut part = [0; 16];
                part.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
                add(&part);
            }
        }
        let mixed = product(lower(sum) ^ self.last.0, lower(sum.wrapping_shr(64)) ^ self.last.1);
        lower(mixed) ^ lower(mixed.wrapping_shr(64))
    }
}

fn product(one: u64, other: u64) -> u128 {
    u128::from(one).wrapping_mul(u128::from(other))
}

fn lower(number: u128) -> u64 {
    u64::try_from(number & u128::from(u64::MAX)).unwrap_or(0)
}

/// The lower half.
fn half(hash: u64) -> u32 {
    u32::try_from(hash & u64::from(u32::MAX)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_origin_is_found_at_its_own_place_and_no_other_is() {
        let named = |number: u32| format!("https://site-{number}.example").into_bytes();
        let mut origins = Origins::for_many(1_000);
        for number in 0..1_000 {
            assert_eq!(origins.insert(&named(number)), Ok(()));
        }
        for number in 0..1_000 {
            assert_eq!(origins.get(&named(number)), Some(number));
            assert_eq!(origins.insert(&named(number)), Err(number));
        }
        for number in 1_000..9_000 {
            assert_eq!(origins.get(&named(number)), None);
        }
    }

    #[test]
    fn texts_of_all_lengths_have_hashes_of_their_own() {
        let keys = Keys::drawn();
        let mut seen = std::collections::HashSet::new();
        for length in 0..300usize {
            let text = vec![0u8; length];
            assert!(seen.insert(keys.hash(&text)), "{length}");
            for place in 0..length {
                let mut other = text.clone();
                other[place] = 1;
                assert!(seen.insert(keys.hash(&other)), "{length} {place}");
                assert_eq!(keys.hash(&other), keys.hash(&other.clone()));
            }
        }
    }

    #[test]
    fn a_table_of_none_finds_none() {
        assert_eq!(Origins::for_many(0).get(b"https://a.b"), None);
    }
}
