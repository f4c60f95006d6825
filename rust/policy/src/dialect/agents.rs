//! Whom a User-agent value addresses.

use crate::octets::{is_space, leading_name, leading_token};

/// Whom a User-agent value addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agents {
    /// The leading product token (RFC 9309 2.2.1).
    Token,
    /// The leading name as it is written, or its product token.
    NameOrToken,
    /// Every crawler whose name it contains (K2 3.2.1, and the document of 1994).
    Containing,
}

impl Agents {
    /// Whether a value addresses every crawler: `*`, also when a blank and further text follow.
    pub fn are_all(self, value: &[u8]) -> bool {
        match self {
            Self::Token | Self::NameOrToken => match value {
                [b'*', rest @ ..] => rest.first().is_none_or(|next| is_space(*next)),
                _ => false,
            },
            Self::Containing => value == b"*",
        }
    }

    /// `product-token = identifier / "*"` (RFC 9309 2.2)
    ///
    /// The names by which a value is found: `*`, or the leading name, as it is written, and the product token that it
    /// begins with (RFC 9309 2.2.1); the whole value where that may contain them. None if it names nobody.
    pub fn names(self, value: &[u8]) -> impl Iterator<Item = &[u8]> {
        let (name, token) = match self {
            _ if self.are_all(value) => (value.get(..1).unwrap_or(value), &[][..]),
            Self::Token => (leading_token(value), &[][..]),
            Self::NameOrToken => (leading_name(value), leading_token(value)),
            Self::Containing => (value, &[][..]),
        };
        let token = if token == name { &[] } else { token };
        [name, token].into_iter().filter(|name| !name.is_empty())
    }

    /// Whether a value addresses the crawler of this name.
    pub fn address(self, value: &[u8], name: &[u8]) -> bool {
        match self {
            Self::Token => leading_token(value).eq_ignore_ascii_case(name),
            Self::NameOrToken => {
                // `SearchBot1` is found as it is written, and `bot1` still addresses `bot` (RFC 9309 2.2.1).
                value.first().map(u8::to_ascii_lowercase) == name.first().map(u8::to_ascii_lowercase)
                    && (leading_name(value).eq_ignore_ascii_case(name)
                        || leading_token(value).eq_ignore_ascii_case(name))
            }
            Self::Containing => value.windows(name.len().max(1)).any(|window| window.eq_ignore_ascii_case(name)),
        }
    }

    /// Whether a value addresses no crawlers but those that bear one of its [`names`](Self::names).
    pub(crate) fn are_found_by_names(self) -> bool {
        match self {
            Self::Token | Self::NameOrToken => true,
            Self::Containing => false,
        }
    }
}
