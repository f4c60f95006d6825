//! What came where a robots.txt was asked for, as a class of captures.

/// What came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// A robots.txt, be it empty.
    Read,
    /// None, as after a 404: no instructions.
    Missing,
    /// None, after a 401 or 403: what the caller says.
    Forbidden,
    /// Another text, an error page for example: no instructions.
    Foreign,
    /// Octets that are no text, or a file that is not whole: everything is prohibited.
    Damaged,
    /// Nothing is known: everything is prohibited.
    Unreachable,
}

impl Standing {
    /// The names, in the order of their codes.
    pub const NAMES: [&str; 6] = ["read", "missing", "forbidden", "foreign", "damaged", "unreachable"];

    pub const ALL: [Self; 6] =
        [Self::Read, Self::Missing, Self::Forbidden, Self::Foreign, Self::Damaged, Self::Unreachable];

    /// Whether the site said what it permits: a file that was read, or that there is none. Another text says nothing.
    pub fn is_known(self) -> bool {
        !matches!(self, Self::Foreign | Self::Damaged | Self::Unreachable)
    }
}
