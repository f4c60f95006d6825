//! What Robot-version means (the proposal of 1996).

/// What Robot-version means (the proposal of 1996).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Versions {
    Unread,
    /// A record of version 2 is read both ways, and either refusal refuses.
    Beside,
    /// A record of version 2 is read as the proposal says.
    Instead,
}

impl Versions {
    /// Whether a record of version 2 is read as the proposal says, alone or both ways.
    pub(crate) fn are_read(self) -> bool {
        match self {
            Self::Unread => false,
            Self::Beside | Self::Instead => true,
        }
    }

    /// Whether the reading of the proposal replaces the usual one.
    pub fn replace_rules(self) -> bool {
        match self {
            Self::Unread | Self::Beside => false,
            Self::Instead => true,
        }
    }
}
