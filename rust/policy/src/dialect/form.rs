//! The form in which paths and patterns are compared.

use std::borrow::Cow;

use crate::automaton::Domain;
use crate::octets::{
    canonical_as_it_stands, canonical_literal, canonical_path, canonical_pattern, decoded_path, google_path,
    google_pattern,
};

/// The form in which paths and patterns are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathForm {
    /// The one canonical form.
    Canonical,
    /// What the widely used matcher makes of a URL and of a pattern.
    Google,
    /// The path without query, decoded but for `/` (K2 3.2.2).
    Decoded,
}

impl PathForm {
    pub fn name(self) -> &'static str {
        match self {
            Self::Canonical => "canonical",
            Self::Google => "google",
            Self::Decoded => "decoded",
        }
    }

    /// The octet strings that stand for URLs.
    pub fn domain(self) -> Domain {
        match self {
            Self::Canonical => Domain::Canonical,
            Self::Google => Domain::Google,
            Self::Decoded => Domain::Decoded,
        }
    }

    /// The path of a URL, or a path; `rest` is what follows the origin. Borrowed where nothing has to be rewritten.
    #[inline]
    pub fn path<'u>(self, rest: &'u [u8], url: &'u [u8]) -> Cow<'u, [u8]> {
        match self {
            Self::Canonical => canonical_path(rest),
            Self::Google => google_path(url),
            Self::Decoded => {
                let canonical = canonical_path(rest);
                let end = memchr::memchr(b'?', &canonical).unwrap_or(canonical.len());
                Cow::Owned(decoded_path(canonical.get(..end).unwrap_or(&canonical)).into_owned())
            }
        }
    }

    /// Whether a path that is canonical has this form.
    #[inline]
    pub(crate) fn is_canonical(self) -> bool {
        match self {
            Self::Canonical => true,
            Self::Google | Self::Decoded => false,
        }
    }

    /// A value with wildcards as a pattern, and whether it has any: a `*` or a final `$`.
    #[inline]
    pub(crate) fn pattern(self, value: &[u8]) -> (Cow<'_, [u8]>, bool) {
        match (self, canonical_as_it_stands(value)) {
            (Self::Canonical | Self::Google, Some(wild)) => (Cow::Borrowed(value), wild),
            (Self::Canonical, None) => with_wildcards(canonical_pattern(value)),
            (Self::Google, None) => with_wildcards(google_pattern(value)),
            (Self::Decoded, _) => with_wildcards(decoded_path(value)),
        }
    }

    /// A value in which no octet is special as a pattern.
    pub(crate) fn literal(self, value: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Self::Canonical => canonical_literal(value),
            Self::Google => google_pattern(value),
            Self::Decoded => decoded_path(value),
        }
    }
}

fn with_wildcards(pattern: Cow<'_, [u8]>) -> (Cow<'_, [u8]>, bool) {
    let wild = memchr::memchr(b'*', &pattern).is_some() || pattern.last() == Some(&b'$');
    (pattern, wild)
}
