//! What a crawler hears: the groups for it, and what it is told.

use crate::batch::Row;
use crate::fields::Kind;
use crate::policy::Policy;
use crate::reach::Extent;

/// What a policy says to a crawler about a usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    /// About `/`.
    pub row: Row,
    pub extent: Extent,
    /// The vocabularies that speak to the crawler, by their places in [`super::SIGNALS`].
    pub signals: u8,
    /// Of the line that decides about `/`, by its place in [`DIALECTS`].
    pub dialect: u8,
}

/// The dialects of lines; without a line there is none. The second is cited as the policy's own.
pub const DIALECTS: [&str; 6] = ["", "rep", "acap", "content-signal", "content-usage", "rsl"];
/// That of conventional rules.
pub(super) const REP: u8 = 1;

/// The place in [`DIALECTS`] of the line with a number.
pub(super) fn dialect_of(policy: &Policy, line: Option<u32>) -> u8 {
    let Some(line) = line else { return 0 };
    let entries = &policy.table.entries;
    let place = entries.partition_point(|entry| entry.line < line);
    match entries.get(place).filter(|entry| entry.line == line).map(|entry| entry.kind) {
        Some(Kind::Acap | Kind::AcapComment) => 2,
        Some(Kind::ContentSignal | Kind::CutContentSignal) => 3,
        Some(Kind::ContentUsage | Kind::CutContentUsage) => 4,
        Some(Kind::License) => 5,
        _ => REP,
    }
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
