//! Which groups a crawler follows, of those that address it.

/// Which groups a crawler follows, of those that address it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// All groups that name the first of its names that any names, as one (RFC 9309 2.2.1).
    OfFirstName,
    /// All groups that name any of its names.
    OfEveryName,
    /// The first record; a blank line ends one (K2 3.2).
    FirstRecord,
}

impl Grouping {
    /// Whether a blank line ends a record, of which one is followed.
    pub(crate) fn is_of_records(self) -> bool {
        match self {
            Self::OfFirstName | Self::OfEveryName => false,
            Self::FirstRecord => true,
        }
    }

    /// Whether a crawler follows the groups of all its names, not only those of the first that any group names.
    pub(crate) fn takes_every_name(self) -> bool {
        match self {
            Self::OfFirstName | Self::FirstRecord => false,
            Self::OfEveryName => true,
        }
    }
}
