//! The sites of URLs: which policy of a table each of them is to be asked of.

use std::collections::HashMap;
use std::sync::Arc;

use crate::batch::ends_authority;
use crate::near;
use crate::origins::Origins;
use crate::places::to_usize;
use crate::url::{Fault, Url, unaskable};
use crate::viewed::Viewed;

/// So many rows are taken up together: what they need of memory stays beside the processor.
pub(crate) const TOGETHER: usize = 256;

/// Other spellings of origins that are remembered: `HTTPS://A.example:443`.
const SPELLINGS: usize = 65_536;

/// Why a URL is answered without a policy of its site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unasked {
    /// No text, or one that is no absolute URL.
    NoUrl,
    /// The table has no policy of its site.
    NoPolicy,
    Host,
    Port,
    ControlCharacter,
    TooLong,
}

impl Unasked {
    /// All of them, in the order of their codes.
    const ALL: [Self; 6] = [Self::NoUrl, Self::NoPolicy, Self::Host, Self::Port, Self::ControlCharacter, Self::TooLong];

    /// Their names, in the same order.
    pub const NAMES: [&str; 6] = ["no-url", "no-policy", "host", "port", "control-character", "too-long"];

    /// The place of its name.
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<Fault> for Unasked {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::NotAbsolute | Fault::HostOrPath => Self::NoUrl,
            Fault::Host => Self::Host,
            Fault::Port => Self::Port,
            Fault::Control(_) => Self::ControlCharacter,
            Fault::TooLong(_) => Self::TooLong,
        }
    }
}

/// Where a URL belongs: the place of a policy; or one of the greatest numbers, which tell why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Site(u32);

impl Site {
    /// The last place that a policy can have.
    const LAST: u32 = u32::MAX - 16;

    fn none(why: Unasked) -> Self {
        Self(u32::MAX.saturating_sub(u32::from(why.code())))
    }

    pub(crate) fn policy(self) -> Option<u32> {
        (self.0 <= Self::LAST).then_some(self.0)
    }

    /// The reason why there is none.
    pub(crate) fn unasked(self) -> Option<Unasked> {
        Unasked::ALL.get(to_usize(u32::MAX.saturating_sub(self.0))).copied()
    }

    /// A number by which those are told apart that a policy answers, be it the one for unknown sites.
    pub(crate) fn asked(self) -> Option<u32> {
        (self.0 <= Self::LAST || self == Self::none(Unasked::NoPolicy)).then_some(self.0)
    }
}

/// What follows the authority of a URL that was taken apart before.
pub(crate) fn rest_of(url: &[u8]) -> &[u8] {
    origin_length(url).and_then(|end| url.get(end..)).unwrap_or(&[])
}

/// How long scheme and authority are, as written.
fn origin_length(url: &[u8]) -> Option<usize> {
    let scheme = if url.starts_with(b"https:") { 5 } else { memchr::memchr(b':', url)? };
    let begin = scheme.saturating_add(3);
    let after = url.get(begin..)?;
    let length = memchr::memchr3(b'/', b'?', b'#', after).unwrap_or(after.len());
    Some(begin.saturating_add(length))
}

/// Finds the policies of URLs.
pub(crate) struct Finder<'t> {
    policies: &'t [Arc<Viewed>],
    origins: &'t Origins,
    spellings: HashMap<Box<[u8]>, Site>,
}

/// URLs that come one after the other and spell the same origin.
struct Run<'u> {
    /// Scheme and authority as written, be they none of an absolute URL: of `mailto:x/y` all of it. None where there is
    /// no colon, or fewer than two octets behind it.
    origin: Option<&'u [u8]>,
    hash: u64,
    urls: usize,
}

impl<'t> Finder<'t> {
    pub(crate) fn of(policies: &'t [Arc<Viewed>], origins: &'t Origins) -> Self {
        Self { policies, origins, spellings: HashMap::new() }
    }

    /// Where each URL belongs, in their order.
    pub(crate) fn sites(mut self, urls: &[Option<&[u8]>]) -> Vec<Site> {
        let mut sites = Vec::with_capacity(urls.len());
        let mut runs: Vec<Run<'_>> = Vec::with_capacity(TOGETHER);
        let mut slots = Vec::with_capacity(TOGETHER);
        let mut spans = Vec::with_capacity(TOGETHER);
        for together in urls.chunks(TOGETHER) {
            runs.clear();
            for url in together {
                match (runs.last_mut(), url) {
                    (Some(Run { origin: Some(origin), urls, .. }), Some(url))
                        if url.strip_prefix(*origin).is_some_and(ends_authority) =>
                    {
                        *urls = urls.saturating_add(1);
                    }
                    _ => {
                        let origin = url.and_then(|url| url.get(..origin_length(url)?));
                        runs.push(Run { origin, hash: origin.map_or(0, |origin| self.origins.hash(origin)), urls: 1 });
                    }
                }
            }
            // Each loop does one look-up, for those of many URLs wait for memory at once.
            slots.clear();
            slots.extend(runs.iter().map(|run| self.origins.first_slot(run.hash)));
            spans.clear();
            spans.extend(slots.iter().map(|slot| self.origins.span(*slot)));
            near::read(spans.iter().map(|span| self.origins.octet(span.start)));
            let mut left = together.iter();
            for ((run, slot), span) in runs.iter().zip(&slots).zip(&spans) {
                let of_run = run.origin.map(|origin| {
                    let near = self.origins.place_at(*slot, span.clone(), origin, run.hash);
                    near.map_or_else(|| self.of_origin(origin, run.hash), Site)
                });
                for url in left.by_ref().take(run.urls) {
                    sites.push(match (url, of_run) {
                        (None, _) => Site::none(Unasked::NoUrl),
                        (Some(url), None) => self.checked(url, Site::none(Unasked::NoUrl)),
                        (Some(url), Some(site)) => self.checked(url, site),
                    });
                }
            }
        }
        sites
    }

    #[inline]
    fn checked(&self, url: &[u8], site: Site) -> Site {
        let Some(fault) = unaskable(url) else { return site };
        let policy = site.policy().and_then(|place| self.policies.get(to_usize(place)));
        // The widely used matcher takes any URL, and so does its dialect.
        if policy.is_some_and(|policy| policy.dialect.as_it_comes) { site } else { Site::none(fault.into()) }
    }

    fn of_origin(&mut self, origin: &[u8], hash: u64) -> Site {
        if let Some(place) = self.origins.find(origin, hash) {
            return Site(place);
        }
        if let Some(site) = self.spellings.get(origin) {
            return *site;
        }
        let site = match Url::read(origin) {
            Err(fault) => Site::none(fault.into()),
            Ok(url) => {
                let place = self.origins.get(url.origin().as_slice());
                place.map_or(Site::none(Unasked::NoPolicy), Site)
            }
        };
        if self.spellings.len() >= SPELLINGS {
            self.spellings.clear();
        }
        self.spellings.insert(origin.into(), site);
        site
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_without_a_policy_tells_why() {
        for (place, why) in Unasked::ALL.into_iter().enumerate() {
            assert_eq!(usize::from(why.code()), place);
            assert_eq!((Site::none(why).policy(), Site::none(why).unasked()), (None, Some(why)));
        }
        for place in [0, Site::LAST] {
            assert_eq!((Site(place).policy(), Site(place).unasked()), (Some(place), None));
        }
    }
}
