//! Formatting elements that were not closed, and how often a builder may copy them (HTML 13.2.4.3, 13.2.6.4.7).

use super::names::{HOST, REBUILDS, SCOPE};
use super::tokens::{Name, Tag};
use super::{Formatting, Land, MANY, REACH, REACH_BLOCKS, REACH_FORMATTING, Reader};

impl<'a> Reader<'a> {
    /// All formatting elements that may be missing are made again.
    pub(super) fn rebuild(&mut self) {
        if !self.dirty || self.safe >= self.formatting.len() {
            return;
        }
        self.dirty = false;
        self.stamp = self.stamp.wrapping_add(1);
        let mut number = u64::try_from(self.formatting.len().saturating_sub(self.safe)).unwrap_or(u64::MAX);
        let before = self.safe.checked_sub(1).and_then(|at| self.formatting.get(at)).map_or(0, |one| one.sum);
        let mut weight = self.formatting.last().map_or(0, |one| one.sum).saturating_sub(before);
        if self.formatting.len() > MANY {
            for one in self.formatting.get(self.counted..).unwrap_or(&[]) {
                let same = self.alike.entry(one.written).or_insert(0);
                *same = same.saturating_add(1);
                if *same <= 3 {
                    self.alike_weight = self.alike_weight.saturating_add(one.weight);
                    self.alike_number = self.alike_number.saturating_add(1);
                }
            }
            self.counted = self.formatting.len();
            number = number.min(self.alike_number);
            weight = weight.min(self.alike_weight);
        }
        self.cost.copies = self.cost.copies.saturating_add(weight);
        self.selected = self.selected.saturating_add(number);
        let open = u64::try_from(self.formatting.len()).unwrap_or(u64::MAX);
        let each = self.depth.saturating_add(open).saturating_add(self.most_attributes.saturating_pow(2));
        self.spend(number.saturating_mul(each));
    }

    pub(super) fn format(&mut self, tag: &Tag<'a>) {
        let size = u64::try_from(tag.written.len()).unwrap_or(u64::MAX);
        let weight = (tag.attributes >> 1).saturating_add(size >> 8).saturating_add(1);
        let sum = self.formatting.last().map_or(0, |last| last.sum).saturating_add(weight);
        let certain = self.land() == Land::Html && !self.blind() && tag.name.nature & REBUILDS != 0;
        self.formatting.push(Formatting { name: tag.name, written: tag.written, weight, sum });
        self.heaviest = self.heaviest.max(weight);
        self.most_attributes = self.most_attributes.max(tag.attributes);
        self.stamp = self.stamp.wrapping_add(1);
        // It is compared with those before it.
        let open = u64::try_from(self.formatting.len()).unwrap_or(u64::MAX);
        self.spend(open.saturating_mul(tag.attributes.saturating_pow(2).saturating_add(1)));
        if certain {
            self.safe = self.formatting.len();
        } else {
            self.dirty = true;
        }
    }

    /// The end of a formatting element, written or implied.
    pub(super) fn close_formatting(&mut self, name: Name<'a>) {
        let recent = self.formatting.iter().enumerate().rev().take(REACH_FORMATTING);
        let Some(index) = recent.into_iter().find(|(_, one)| one.name.same(&name)).map(|(index, _)| index) else {
            if self.formatting.len() > REACH_FORMATTING {
                self.adopt();
            }
            return;
        };
        let mut blocks = 0usize;
        let mut at = self.stack.len();
        let certain = !self.blind()
            && loop {
                let Some(below) = at.checked_sub(1) else { break true };
                let Some(open) = self.stack.get(below) else { break false };
                if open.land != Land::Html {
                    break false;
                }
                let floor = open.host.and_then(|host| self.stack.get(host)).map_or(0, |host| host.floor);
                if index >= open.before.max(floor) {
                    break true;
                }
                if !open.gone {
                    blocks = blocks.saturating_add(1);
                }
                if open.name.nature & (SCOPE | HOST) != 0
                    || blocks > REACH_BLOCKS
                    || self.stack.len().saturating_sub(below) > REACH
                {
                    break false;
                }
                at = below;
            };
        if !certain {
            self.adopt();
            return;
        }
        for open in self.stack.get_mut(at..).unwrap_or(&mut []) {
            open.before = open.before.saturating_sub(1);
            open.below = open.below.min(index);
        }
        self.forget(index);
        if blocks > 0 {
            let loops = u64::try_from(blocks).unwrap_or(u64::MAX);
            let inner = u64::try_from(self.formatting.len()).unwrap_or(u64::MAX).min(3).saturating_add(1);
            self.copy(loops.saturating_mul(inner));
        }
    }

    /// The adoption agency may do its most.
    pub(super) fn adopt(&mut self) {
        let inner = u64::try_from(self.formatting.len()).unwrap_or(u64::MAX).min(4);
        self.copy(inner.saturating_mul(8));
        self.doubt();
        self.stamp = self.stamp.wrapping_add(1);
    }

    pub(super) fn copy(&mut self, number: u64) {
        let open = u64::try_from(self.formatting.len()).unwrap_or(u64::MAX);
        let each = self.depth.saturating_add(open).saturating_add(self.most_attributes.saturating_pow(2));
        self.cost.copies = self.cost.copies.saturating_add(number.saturating_mul(self.heaviest));
        self.spend(number.saturating_mul(each));
        self.selected = self.selected.saturating_add(number);
    }

    /// A formatting element is closed.
    pub(super) fn forget(&mut self, index: usize) {
        if index >= self.formatting.len() {
            return;
        }
        let removed = self.formatting.remove(index);
        for one in self.formatting.get_mut(index..).unwrap_or(&mut []) {
            one.sum = one.sum.saturating_sub(removed.weight);
        }
        if index < self.counted {
            self.counted = self.counted.saturating_sub(1);
            if let Some(same) = self.alike.get_mut(removed.written) {
                if *same <= 3 {
                    self.alike_weight = self.alike_weight.saturating_sub(removed.weight);
                    self.alike_number = self.alike_number.saturating_sub(1);
                }
                *same = same.saturating_sub(1);
                if *same == 0 {
                    self.alike.remove(removed.written);
                }
            }
        }
        self.safe = self.safe.min(index);
        self.stamp = self.stamp.wrapping_add(1);
        self.dirty = true;
    }
}
