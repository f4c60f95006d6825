//! What kind of restriction a file puts on a crawler, in the classes of "Consent in Crisis" (Longpre and others, 2024).
//!
//! The extent is proved for the crawler. What divides "none" and "some" further is of the file, as in the program of that
//! study: a Crawl-delay or a Sitemap line anywhere, a Disallow line with a query, one of a directory by its name.

use super::standing::Standing;
use crate::fields::Kind;
use crate::policy::Policy;
use crate::reach::Extent;

/// The classes, in the order of their strictness; the last two are ours, for what the study does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restriction {
    /// No robots.txt was there.
    NoFile,
    Nothing,
    Sitemap,
    CrawlDelay,
    Other,
    PrivateDirectories,
    Pattern,
    Full,
    /// Not worked out in bounded time.
    Undecided,
    /// Damaged or out of reach: it is not known what the site says.
    Unknown,
}

impl Restriction {
    /// The names, in the order of their codes.
    pub const NAMES: [&str; 10] = [
        "no-file",
        "nothing",
        "sitemap",
        "crawl-delay",
        "other",
        "private-directories",
        "pattern",
        "full",
        "undecided",
        "unknown",
    ];
}

/// Beginnings of paths by which the study knows a private directory.
const PRIVATE: [&[u8]; 3] = [b"/admin", b"/private", b"/confidential"];

/// What divides files that refuse nothing, and files that refuse something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    none: Restriction,
    some: Restriction,
}

impl Traits {
    /// Of a file that is not there, or has neither.
    pub const PLAIN: Self = Self { none: Restriction::Nothing, some: Restriction::Other };

    pub(super) fn of(policy: &Policy, has_delay: bool, has_sitemap: bool) -> Self {
        let none = match (has_delay, has_sitemap) {
            (true, _) => Restriction::CrawlDelay,
            (false, true) => Restriction::Sitemap,
            (false, false) => Restriction::Nothing,
        };
        let text = policy.text();
        let values = || {
            let lines = policy.table.entries.iter().filter(|entry| entry.kind == Kind::Disallow);
            lines.map(|entry| entry.value(text)).filter(|value| value.first() == Some(&b'/'))
        };
        // Most files have no query, and say so at once.
        let has_query =
            memchr::memchr(b'?', text).is_some() && values().any(|value| memchr::memchr(b'?', value).is_some());
        // The second letter tells most others.
        let may_be = |value: &[u8]| matches!(value.get(1), Some(b'a' | b'p' | b'c'));
        let is_private = |value: &[u8]| may_be(value) && PRIVATE.iter().any(|beginning| value.starts_with(beginning));
        let some = match () {
            () if has_query => Restriction::Pattern,
            () if values().any(is_private) => Restriction::PrivateDirectories,
            () => Restriction::Other,
        };
        Self { none, some }
    }

    /// The class of what is refused to a crawler.
    pub fn restriction(self, standing: Standing, extent: Extent) -> Restriction {
        match (standing, extent) {
            (Standing::Damaged | Standing::Unreachable, _) => Restriction::Unknown,
            (Standing::Missing | Standing::Forbidden | Standing::Foreign, _) => Restriction::NoFile,
            (Standing::Read, Extent::None) => self.none,
            (Standing::Read, Extent::Some) => self.some,
            (Standing::Read, Extent::All) => Restriction::Full,
            (Standing::Read, Extent::Undecided) => Restriction::Undecided,
        }
    }

    /// Which of the three kinds of files this is, for an extent.
    pub(super) fn kind(self, extent: Extent) -> usize {
        match extent {
            Extent::None => (self.none as usize).saturating_sub(Restriction::Nothing as usize),
            Extent::Some => (self.some as usize).saturating_sub(Restriction::Other as usize),
            Extent::All | Extent::Undecided => 0,
        }
    }

    /// The traits of files of a kind: what [`Traits::kind`] gives for them is the kind.
    pub(super) fn of_kind(kind: usize) -> Self {
        match kind {
            0 => Self::PLAIN,
            1 => Self { none: Restriction::Sitemap, some: Restriction::PrivateDirectories },
            _ => Self { none: Restriction::CrawlDelay, some: Restriction::Pattern },
        }
    }
}

/// Kinds of files that are read.
pub(super) const KINDS: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;

    fn of(text: &'static str) -> Traits {
        let policy = Policy::read(text.as_bytes().into(), None, Dialect::AUTO, None);
        let has = |kind: Kind| policy.table.entries.iter().any(|entry| entry.kind == kind);
        Traits::of(&policy, has(Kind::CrawlDelay), has(Kind::Sitemap))
    }

    #[test]
    fn a_file_is_of_the_first_class_that_fits() {
        let some = |text| of(text).restriction(Standing::Read, Extent::Some);
        let none = |text| of(text).restriction(Standing::Read, Extent::None);
        assert_eq!(some("User-agent: *\nDisallow: /a\nDisallow: /private\nDisallow: /b?c\n"), Restriction::Pattern);
        assert_eq!(
            some("User-agent: *\nDisallow: /b # why?\nDisallow: /administrator\n"),
            Restriction::PrivateDirectories
        );
        assert_eq!(some("User-agent: *\nDisallow: *?\nAllow: /private\n"), Restriction::Other);
        assert_eq!(
            none("User-agent: *\nDisallow:\nSitemap: https://a.example/s\nCrawl-delay: 1\n"),
            Restriction::CrawlDelay
        );
        assert_eq!(none("User-agent: *\nDisallow:\nSitemap: https://a.example/s\n"), Restriction::Sitemap);
        assert_eq!(none("User-agent: *\nDisallow:\n# Sitemap: none\n"), Restriction::Nothing);
    }

    #[test]
    fn what_was_not_read_has_no_restriction_of_its_own() {
        let of = |standing, extent| Traits::PLAIN.restriction(standing, extent);
        assert_eq!(of(Standing::Missing, Extent::None), Restriction::NoFile);
        assert_eq!(of(Standing::Forbidden, Extent::All), Restriction::NoFile);
        assert_eq!(of(Standing::Foreign, Extent::None), Restriction::NoFile);
        assert_eq!(of(Standing::Damaged, Extent::All), Restriction::Unknown);
        assert_eq!(of(Standing::Unreachable, Extent::All), Restriction::Unknown);
        assert_eq!(of(Standing::Read, Extent::All), Restriction::Full);
    }

    #[test]
    fn a_kind_stands_for_its_class() {
        for (kind, extent) in (0..KINDS).flat_map(|kind| [(kind, Extent::None), (kind, Extent::Some)]) {
            assert_eq!(Traits::of_kind(kind).kind(extent), kind);
        }
    }
}
