//! What a crawler hears: the groups for it, and what it is told.

use crate::batch::Row;
use crate::reach::Extent;

/// What a policy says to a crawler about a usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    /// About `/`.
    pub row: Row,
    pub extent: Extent,
    /// The vocabularies that speak to the crawler, by their places in [`super::SIGNALS`].
    pub signals: u8,
}

impl Said {
    /// What is not worked out may be all.
    pub(super) fn strictness(&self) -> (u8, u8) {
        let extent = match self.extent {
            Extent::None => 0,
            Extent::Some => 1,
            Extent::Undecided => 2,
            Extent::All => 3,
        };
        (extent, self.row.outcome)
    }
}

/// The groups that address a name, or those for every crawler, in their order; the name where more than groups counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Groups {
    pub(super) name: Option<u32>,
    /// The crawler, if records name it.
    pub(super) alone: Option<u32>,
    pub(super) is_named: bool,
    pub(super) list: Vec<u32>,
}
