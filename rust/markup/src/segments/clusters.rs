//! Boundaries between user-perceived characters: extended grapheme clusters (UAX #29 3.1.1).

use std::str::CharIndices;

use super::class::{Class, Cluster, Conjunct};
use super::lookup::class_of;

/// The ends of the clusters of a text, in octets.
#[derive(Debug)]
pub(super) struct Clusters<'t> {
    letters: CharIndices<'t>,
    length: usize,
    before: Option<Before>,
    ended: bool,
}

/// What stands before a place, as far as the rules look back.
#[derive(Clone, Copy, Debug)]
struct Before {
    cluster: Cluster,
    /// A linker of a conjunct, and nothing but what extends it.
    links: bool,
    picture: Picture,
    /// An odd number of regional indicators.
    half_flag: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Picture {
    None,
    /// A pictograph, and nothing but what extends it.
    Seen,
    /// A joiner after one.
    Joined,
}

impl<'t> Clusters<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self { letters: text.char_indices(), length: text.len(), before: None, ended: text.is_empty() }
    }
}

impl Iterator for Clusters<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        for (at, letter) in self.letters.by_ref() {
            let class = class_of(letter);
            let before = self.before;
            self.before = Some(Before::after(before, class));
            if before.is_some_and(|before| before.breaks(class)) {
                return Some(at);
            }
        }
        (!std::mem::replace(&mut self.ended, true)).then_some(self.length)
    }
}

impl Before {
    fn after(before: Option<Self>, class: Class) -> Self {
        let Class { cluster, conjunct, pictograph, .. } = class;
        let links = before.is_some_and(|before| before.links);
        let picture = before.map_or(Picture::None, |before| before.picture);
        let half_flag = before.is_some_and(|before| before.half_flag);
        Self {
            cluster,
            links: conjunct == Conjunct::Linker || (links && conjunct == Conjunct::Extend),
            picture: match cluster {
                _ if pictograph => Picture::Seen,
                Cluster::Extend if picture == Picture::Seen => Picture::Seen,
                Cluster::Joiner if picture == Picture::Seen => Picture::Joined,
                _ => Picture::None,
            },
            half_flag: cluster == Cluster::RegionalIndicator && !half_flag,
        }
    }

    /// Whether there is a boundary before what comes.
    fn breaks(self, next: Class) -> bool {
        use Cluster::{Control, Cr, Extend, Joiner, L, Lf, Lv, Lvt, Prepend, RegionalIndicator, SpacingMark, T, V};
        match (self.cluster, next.cluster) {
            (Cr, Lf) => false,                                                // GB3
            (Cr | Lf | Control, _) | (_, Cr | Lf | Control) => true,          // GB4, GB5
            (L, L | V | Lv | Lvt) | (Lv | V, V | T) | (Lvt | T, T) => false,  // GB6, GB7, GB8
            (_, Extend | Joiner | SpacingMark) | (Prepend, _) => false,       // GB9, GB9a, GB9b
            _ if self.links && next.conjunct == Conjunct::Consonant => false, // GB9c
            _ if self.picture == Picture::Joined && next.pictograph => false, // GB11
            (RegionalIndicator, RegionalIndicator) => !self.half_flag,        // GB12, GB13
            _ => true,                                                        // GB999
        }
    }
}
