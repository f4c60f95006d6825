//! The origins of a table of policies, by which a URL finds the policy of its site.
//!
//! What a look-up compares lies together, for a table of many sites does not fit into the memory beside a processor. The
//! hash is asked for by itself, so that the look-ups of many URLs can wait for memory at once. It is SipHash
//! with a key that is drawn anew for each table: nobody can choose origins that share their slots. Sums of keyed products
//! take less time, but what they save is less than a twentieth of a row's.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::Range;

use crate::batch::Urls;
use crate::places::{to_u32, to_usize};

/// Origins, each with its place.
#[derive(Debug)]
pub(crate) struct Origins {
    keys: RandomState,
    /// Half of a hash, and the place after the origin's own; 0 where there is none. A power of two, half of them empty.
    slots: Box<[(u32, u32)]>,
    texts: Urls,
}

impl Origins {
    pub(crate) fn for_many(count: usize) -> Self {
        let room = count.saturating_mul(2).checked_next_power_of_two().unwrap_or(usize::MAX);
        let texts = Urls::with_capacity(count, 0);
        Self { keys: RandomState::new(), slots: vec![(0, 0); room.max(2)].into_boxed_slice(), texts }
    }

    pub(crate) fn hash(&self, origin: &[u8]) -> u64 {
        let mut hasher = self.keys.build_hasher();
        hasher.write(origin);
        hasher.finish()
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
    fn a_table_of_none_finds_none() {
        assert_eq!(Origins::for_many(0).get(b"https://a.b"), None);
    }
}
