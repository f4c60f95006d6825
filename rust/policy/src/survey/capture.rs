//! What came where a robots.txt was asked for, and what it says to a panel of crawlers.
//!
//! Law: what could not be had or read prohibits, and is never told as a file that was read (section 9).

use std::sync::Arc;

use super::restriction::Traits;
pub use super::standing::Standing;
use super::{Panel, Surveyed};
use crate::dialect::Dialect;
use crate::fields::Kind;
use crate::limits::Limits;
use crate::places::to_u32;
use crate::policy::{Policy, State};
use crate::problems::Code;

/// What a status means, as `acap.retrieval.answers` tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    Read,
    Absent,
    Restricted,
    Unreachable,
}

impl Meaning {
    pub fn of_code(code: u8) -> Self {
        match code {
            0 => Self::Read,
            1 => Self::Absent,
            2 => Self::Restricted,
            _ => Self::Unreachable,
        }
    }
}

/// An answer to a request for a robots.txt.
#[derive(Clone, Copy, Debug)]
pub struct Capture<'a> {
    /// A URL of the site, if its text can be one.
    pub url: Option<&'a str>,
    /// None: it could not be had.
    pub octets: Option<&'a [u8]>,
    /// What the status means, and whether it is 401 or 403; a body without one was read.
    pub meaning: Option<(Meaning, bool)>,
    /// The octets are known not to be all.
    pub is_cut: bool,
    /// Microseconds since 1970 UTC.
    pub at: i64,
}

/// How captures are read.
#[derive(Clone, Debug)]
pub struct Manner {
    pub dialect: Dialect,
    pub limits: Option<Limits>,
    /// Of each code of a problem its severity: error, warning, info.
    pub severities: Box<[u8]>,
}

/// The fields that a file may have, by which its dialects are known.
pub const FIELDS: [&str; 13] = [
    "rep",
    "acap",
    "content-signal",
    "content-usage",
    "license",
    "robot-version",
    "noindex",
    "crawl-delay",
    "request-rate",
    "visit-time",
    "host",
    "clean-param",
    "sitemap",
];

const CRAWL_DELAY: u32 = 7;
const SITEMAP: u32 = 12;

/// What a capture is, and what it says.
#[derive(Clone, Debug)]
pub struct Judged {
    pub standing: Standing,
    /// A bit for each of [`FIELDS`].
    pub fields: u16,
    /// What divides it from other files that refuse as much.
    pub traits: Traits,
    /// A bit for each code of a problem.
    pub codes: u128,
    /// Number of problems by severity: errors, warnings, infos.
    pub problems: [u32; 3],
    pub surveyed: Surveyed,
}

impl Capture<'_> {
    /// What the capture says to each crawler of a panel.
    pub fn judge(&self, panel: &Panel, manner: &Manner) -> Judged {
        let (policy, standing) = self.read(manner);
        let fields = fields(&policy);
        let has = |place: u32| fields & 1u16.wrapping_shl(place) != 0;
        let mut judged = Judged {
            standing,
            fields,
            traits: Traits::of(&policy, has(CRAWL_DELAY), has(SITEMAP)),
            codes: 0,
            problems: [0; 3],
            surveyed: panel.survey(&policy, self.at),
        };
        if policy.state == State::Present {
            for (code, number) in policy.problem_numbers() {
                judged.count(code, number, manner);
            }
        }
        judged
    }

    /// The policy that it stands for.
    fn read(&self, manner: &Manner) -> (Policy, Standing) {
        let without = |state: State| Policy::without(self.url, manner.dialect, state);
        let octets = match (self.meaning, self.octets) {
            (None | Some((Meaning::Read, _)), Some(octets)) if !self.is_cut => octets,
            (None | Some((Meaning::Read, _)), octets) => {
                let standing = if octets.is_some() { Standing::Damaged } else { Standing::Unreachable };
                return (without(State::Unreachable), standing);
            }
            (Some((Meaning::Absent, is_forbidden)), _) => {
                let standing = if is_forbidden { Standing::Forbidden } else { Standing::Missing };
                return (without(State::Absent), standing);
            }
            (Some((Meaning::Restricted, _)), _) => return (without(State::Unreachable), Standing::Forbidden),
            (Some((Meaning::Unreachable, _)), _) => return (without(State::Unreachable), Standing::Unreachable),
        };
        let policy = Policy::read(Arc::from(octets), self.url, manner.dialect, manner.limits.clone());
        let standing = match () {
            () if policy.in_doubt() => Standing::Damaged,
            () if !policy.is_told() => Standing::Foreign,
            () => Standing::Read,
        };
        (policy, standing)
    }
}

impl Judged {
    fn count(&mut self, code: Code, more: usize, manner: &Manner) {
        let place = code as usize;
        self.codes |= 1u128.checked_shl(u32::try_from(place).unwrap_or(u32::MAX)).unwrap_or(0);
        let severity = manner.severities.get(place).copied().unwrap_or(0);
        if let Some(number) = self.problems.get_mut(usize::from(severity)) {
            *number = number.saturating_add(to_u32(more));
        }
    }
}

/// The fields that a policy has.
fn fields(policy: &Policy) -> u16 {
    let mut out = 0;
    for entry in &policy.table.entries {
        let place: u32 = match entry.kind {
            Kind::Agent | Kind::Allow | Kind::Disallow | Kind::CutAllow => 0,
            Kind::Acap | Kind::AcapComment => 1,
            Kind::ContentSignal | Kind::CutContentSignal => 2,
            Kind::ContentUsage | Kind::CutContentUsage => 3,
            Kind::License => 4,
            Kind::RobotVersion => 5,
            Kind::Noindex => 6,
            Kind::CrawlDelay => CRAWL_DELAY,
            Kind::RequestRate => 8,
            Kind::VisitTime => 9,
            Kind::Host => 10,
            Kind::CleanParam => 11,
            Kind::Sitemap => SITEMAP,
            Kind::Comment | Kind::Blank | Kind::Remark | Kind::Unknown | Kind::Text | Kind::Torn => continue,
        };
        out |= 1u16.wrapping_shl(place);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reach::Extent;
    use crate::usage;

    fn judged(octets: Option<&[u8]>, meaning: Option<(Meaning, bool)>, is_cut: bool) -> (Standing, Extent) {
        let panel = Panel::new(vec![vec!["a".to_owned()]], vec![usage::CRAWL]);
        let manner = Manner { dialect: Dialect::AUTO, limits: None, severities: Box::default() };
        let judged = Capture { url: None, octets, meaning, is_cut, at: 0 }.judge(&panel, &manner);
        (judged.standing, judged.surveyed.said[0].extent)
    }

    #[test]
    fn what_could_not_be_had_is_told_as_that_and_prohibits() {
        let text = Some(&b"User-agent: *\nAllow: /\n"[..]);
        let page = Some(&b"<html>Not found</html>"[..]);
        let (read, absent) = (Some((Meaning::Read, false)), Some((Meaning::Absent, false)));
        assert_eq!(judged(text, None, false), (Standing::Read, Extent::None));
        assert_eq!(judged(text, read, true), (Standing::Damaged, Extent::All));
        assert_eq!(judged(None, None, false), (Standing::Unreachable, Extent::All));
        assert_eq!(judged(None, read, false), (Standing::Unreachable, Extent::All));
        assert_eq!(judged(text, Some((Meaning::Unreachable, false)), false), (Standing::Unreachable, Extent::All));
        assert_eq!(judged(page, absent, false), (Standing::Missing, Extent::None));
        assert_eq!(judged(page, read, false), (Standing::Foreign, Extent::None));
        assert_eq!(judged(None, Some((Meaning::Absent, true)), false), (Standing::Forbidden, Extent::None));
        assert_eq!(judged(None, Some((Meaning::Restricted, true)), false), (Standing::Forbidden, Extent::All));
        assert_eq!(judged(Some(b"\x1F\x8B\x08\0"), read, false), (Standing::Damaged, Extent::All));
        assert_eq!(judged(Some(b""), read, false), (Standing::Read, Extent::None));
    }
}
