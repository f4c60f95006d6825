//! A table of policies, each of its own site, and questions about URLs of all of them.
//!
//! A URL whose site has no policy here, or that is no URL, is a row like any other: it is answered as the policy of an
//! unknown site says, and has its reason. So one bad URL among millions ends nothing, and permits nothing.

use std::collections::HashMap;
use std::sync::Arc;

use crate::batch::{Asked, PROHIBITED, Row, Rows, Urls, ends_authority};
use crate::decide::{Question, View};
use crate::origins::Origins;
use crate::places::{to_u32, to_usize};
use crate::url::{Fault, Url, unaskable};
use crate::usage::Usage;
use crate::viewed::Viewed;

/// Other spellings of origins that are remembered: `HTTPS://A.example:443`.
const SPELLINGS: usize = 65_536;

/// So many rows are taken up together: what they need of memory stays beside the processor.
const TOGETHER: usize = 256;

/// Why a URL is answered without a policy of its site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unasked {
    /// No text. A text that is no absolute URL has the same name: there is no URL.
    Nothing,
    NotAUrl(Fault),
    /// The table has no policy of its site.
    NoPolicy,
}

impl Unasked {
    /// The names of the reasons, in the order of their codes.
    pub const NAMES: [&str; 6] = ["no-url", "no-policy", "host", "port", "control-character", "too-long"];

    pub fn code(self) -> u8 {
        match self {
            Self::Nothing | Self::NotAUrl(Fault::NotAbsolute | Fault::HostOrPath) => 0,
            Self::NoPolicy => 1,
            Self::NotAUrl(Fault::Host) => 2,
            Self::NotAUrl(Fault::Port) => 3,
            Self::NotAUrl(Fault::Control(_)) => 4,
            Self::NotAUrl(Fault::TooLong(_)) => 5,
        }
    }

    pub fn name(self) -> &'static str {
        Self::NAMES.get(usize::from(self.code())).copied().unwrap_or_default()
    }
}

/// Policies by the origins of their sites.
#[derive(Debug)]
pub struct PolicyTable {
    policies: Vec<Arc<Viewed>>,
    origins: Origins,
}

/// Why a list of policies is no table: the place of one, and of the other of its site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTable {
    /// A policy is of no site.
    NoSite(usize),
    /// Two are of one site.
    Twice(usize, usize),
}

/// The answers for a list of URLs.
#[derive(Debug)]
pub struct Answers {
    pub rows: Rows,
    /// Of each URL, why it was answered without a policy of its site.
    pub unasked: Vec<Option<Unasked>>,
    /// Of each URL the place of the policy that answered.
    pub policies: Vec<Option<u32>>,
}

/// What is asked of every URL.
#[derive(Debug)]
pub struct Asking<'q> {
    pub usages: &'q [Usage],
    /// None: without purpose.
    pub purposes: &'q [Option<&'q [u8]>],
    pub question: &'q Question<'q>,
    /// The policy of a site that the table has none of.
    pub missing: &'q Viewed,
}

/// Where a URL belongs.
#[derive(Clone, Copy, Debug)]
enum Site {
    Of(u32),
    None(Unasked),
}

impl PolicyTable {
    pub fn new(policies: Vec<Arc<Viewed>>) -> Result<Self, NoTable> {
        let mut origins = Origins::for_many(policies.len());
        for (place, policy) in policies.iter().enumerate() {
            let origin = policy.origin.as_deref().ok_or(NoTable::NoSite(place))?;
            origins.insert(origin).map_err(|before| NoTable::Twice(to_usize(before), place))?;
        }
        Ok(Self { policies, origins })
    }

    pub fn policies(&self) -> &[Arc<Viewed>] {
        &self.policies
    }

    /// Answers for each URL, None where there is none, and each usage.
    ///
    /// `missing` answers for the sites that have no policy, `views` tells how a policy sees the asker. `note` is told of
    /// each answer: its place among the rows, the row, and what was asked of which policy.
    pub fn decide(
        &self,
        urls: &[Option<&[u8]>],
        asking: &Asking<'_>,
        views: impl Fn(&Viewed) -> Vec<Arc<View>>,
        mut note: impl FnMut(usize, Row, &Viewed, &Asked<'_>, &[u8], Usage),
    ) -> Answers {
        let Asking { usages, purposes, question, missing } = *asking;
        let mut answers = Answers {
            rows: Rows::all(PROHIBITED, urls.len().saturating_mul(usages.len())),
            unasked: vec![None; urls.len()],
            policies: vec![None; urls.len()],
        };
        let none = to_u32(self.policies.len());
        // A policy and what it says to the asker are taken up once for all of its URLs.
        let mut order: Vec<(u32, u32)> = Vec::with_capacity(urls.len());
        Finder::of(self).sites(urls, |place, site| match site {
            Site::Of(policy) => order.push((policy, to_u32(place))),
            Site::None(why) => {
                if let Some(unasked) = answers.unasked.get_mut(place) {
                    *unasked = Some(why);
                }
                if why == Unasked::NoPolicy {
                    order.push((none, to_u32(place)));
                }
            }
        });
        if !order.is_sorted() {
            order.sort_unstable();
        }
        let mut texts = Urls::with_capacity(0, 0);
        let mut rows: Vec<Row> = Vec::new();
        for together in order.chunks(TOGETHER) {
            // URLs and answers of a site lie far apart. They are copied in loops that do nothing else, for those wait for
            // many places of memory at once.
            texts.clear();
            together
                .iter()
                .for_each(|(_, place)| texts.push(urls.get(to_usize(*place)).copied().flatten().unwrap_or(&[])));
            let sites: Vec<_> = together.chunk_by(|one, next| one.0 == next.0).collect();
            let views: Vec<_> = sites.iter().map(|of_one| views(self.policy(of_one, missing))).collect();
            rows.clear();
            let mut texts = texts.iter();
            for (of_one, views) in sites.iter().zip(&views) {
                let policy = self.policy(of_one, missing);
                let asked = Asked { views, purposes, question };
                for ((_, place), url) in of_one.iter().zip(texts.by_ref()) {
                    let path = policy.dialect.form.path(rest_of(url), url);
                    let begin = to_usize(*place).saturating_mul(usages.len());
                    for (place, usage) in (begin..).zip(usages) {
                        let row = asked.row(policy, &path, *usage);
                        rows.push(row);
                        note(place, row, policy, &asked, &path, *usage);
                    }
                }
            }
            let begins = together.iter().map(|(_, place)| to_usize(*place).saturating_mul(usages.len()));
            let places = begins.flat_map(|begin| begin..begin.saturating_add(usages.len()));
            answers.rows.set_each(places.zip(rows.iter().copied()));
            for (policy, place) in together.iter().filter(|(policy, _)| *policy != none) {
                if let Some(of_url) = answers.policies.get_mut(to_usize(*place)) {
                    *of_url = Some(*policy);
                }
            }
        }
        answers
    }

    /// The policy of rows of one site.
    fn policy<'t>(&'t self, of_one: &[(u32, u32)], missing: &'t Viewed) -> &'t Viewed {
        let own = of_one.first().and_then(|(number, _)| self.policies.get(to_usize(*number)));
        own.map_or(missing, |policy| &**policy)
    }
}

/// What follows the authority of a URL that was taken apart before.
fn rest_of(url: &[u8]) -> &[u8] {
    origin_length(url).and_then(|end| url.get(end..)).unwrap_or(&[])
}

/// How long scheme and authority are, as written.
fn origin_length(url: &[u8]) -> Option<usize> {
    let begin = memchr::memchr(b':', url)?.saturating_add(3);
    let after = url.get(begin..)?;
    let length = memchr::memchr3(b'/', b'?', b'#', after).unwrap_or(after.len());
    Some(begin.saturating_add(length))
}

/// Finds the policies of URLs.
struct Finder<'t> {
    table: &'t PolicyTable,
    spellings: HashMap<Box<[u8]>, Site>,
}

/// A URL with its scheme and authority as written, and the hash of these.
struct Looked<'u> {
    url: &'u [u8],
    origin: &'u [u8],
    hash: u64,
}

impl<'t> Finder<'t> {
    fn of(table: &'t PolicyTable) -> Self {
        Self { table, spellings: HashMap::new() }
    }

    /// Tells of each URL where it belongs, in their order.
    fn sites<'u>(mut self, urls: &[Option<&'u [u8]>], mut tell: impl FnMut(usize, Site)) {
        // The origin of a URL is likely that of the one before.
        let (mut before, mut at): (&[u8], _) = (&[], Site::None(Unasked::NoPolicy));
        let mut looked: Vec<Option<Looked<'u>>> = Vec::with_capacity(TOGETHER);
        let mut place = 0usize;
        for together in urls.chunks(TOGETHER) {
            // Hashes first, then look-ups: those of many URLs wait for memory at once.
            let mut last: Option<(&[u8], u64)> = None;
            looked.clear();
            for url in together {
                let origin = url.and_then(|url| match last {
                    Some((origin, hash)) if url.strip_prefix(origin).is_some_and(ends_authority) => {
                        Some(Looked { url, origin, hash })
                    }
                    _ => {
                        let origin = url.get(..origin_length(url)?)?;
                        Some(Looked { url, origin, hash: self.table.origins.hash(origin) })
                    }
                });
                last = origin.as_ref().map(|one| (one.origin, one.hash)).or(last);
                looked.push(origin);
            }
            for (url, looked) in together.iter().zip(&looked) {
                let site = match (url, looked) {
                    (None, _) => Site::None(Unasked::Nothing),
                    (Some(url), None) => self.checked(url, Site::None(Unasked::NotAUrl(Fault::NotAbsolute))),
                    (Some(_), Some(Looked { url, origin, hash })) => {
                        if before != *origin {
                            (before, at) = (origin, self.of_origin(origin, *hash));
                        }
                        self.checked(url, at)
                    }
                };
                tell(place, site);
                place = place.saturating_add(1);
            }
        }
    }

    fn checked(&self, url: &[u8], site: Site) -> Site {
        let Some(fault) = unaskable(url) else { return site };
        let policy = if let Site::Of(place) = site { self.table.policies.get(to_usize(place)) } else { None };
        // The widely used matcher takes any URL, and so does its dialect.
        if policy.is_some_and(|policy| policy.dialect.as_it_comes) { site } else { Site::None(Unasked::NotAUrl(fault)) }
    }

    fn of_origin(&mut self, origin: &[u8], hash: u64) -> Site {
        match self.table.origins.find(origin, hash) {
            Some(place) => Site::Of(place),
            None => self.spelt(origin),
        }
    }

    fn spelt(&mut self, origin: &[u8]) -> Site {
        if let Some(site) = self.spellings.get(origin) {
            return *site;
        }
        let site = match Url::read(origin) {
            Err(fault) => Site::None(Unasked::NotAUrl(fault)),
            Ok(url) => {
                let place = self.table.origins.get(url.origin().as_slice());
                place.map_or(Site::None(Unasked::NoPolicy), Site::Of)
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
    use crate::dialect::Dialect;
    use crate::policy::Policy;
    use crate::usage;

    fn policy(text: &'static str, url: &str) -> Arc<Viewed> {
        Arc::new(Policy::read(text.as_bytes().into(), Some(url), Dialect::AUTO, None).into())
    }

    fn outcomes(table: &PolicyTable, urls: &[Option<&str>]) -> (Vec<u8>, Vec<&'static str>) {
        let urls: Vec<_> = urls.iter().map(|url| url.map(str::as_bytes)).collect();
        let missing = Policy::without(None, Dialect::AUTO, crate::policy::State::Unreachable).into();
        let views = |policy: &Viewed| vec![policy.view(&["bot"])];
        let question = Question::about(&[]);
        let asking = Asking { usages: &[usage::CRAWL], purposes: &[None], question: &question, missing: &missing };
        let found = table.decide(&urls, &asking, views, |_, _, _, _, _, _| ());
        (found.rows.outcomes, found.unasked.iter().map(|why| why.map_or("", Unasked::name)).collect())
    }

    #[test]
    fn every_url_is_asked_of_its_own_site() {
        let policies = vec![policy("User-agent: *\nDisallow: /a", "https://a.b/"), policy("", "http://c.d/")];
        let table = PolicyTable::new(policies).unwrap();
        let urls = [
            Some("http://c.d/a"),
            Some("https://a.b/a"),
            Some("HTTPS://A.B:443/b"),
            Some("https://a.b:8/b"),
            Some("https://a.b"),
            None,
            Some("/a"),
            Some("https://a.b/\n"),
            Some("https://a b/"),
            Some("https://user@a.b/a"),
        ];
        let (outcomes, reasons) = outcomes(&table, &urls);
        assert_eq!(outcomes, [0, 2, 0, 2, 0, 2, 2, 2, 2, 2]);
        let of = ["", "", "", "no-policy", "", "no-url", "no-url", "control-character", "host", ""];
        assert_eq!(reasons, of);
    }

    #[test]
    fn a_site_has_one_policy() {
        let (a, b) = (policy("", "https://a.b/"), policy("", "https://A.b:443/robots.txt"));
        assert_eq!(PolicyTable::new(vec![a.clone(), b]).err(), Some(NoTable::Twice(0, 1)));
        let nobody = Arc::new(Policy::read(b"".as_slice().into(), None, Dialect::AUTO, None).into());
        assert_eq!(PolicyTable::new(vec![a, nobody]).err(), Some(NoTable::NoSite(1)));
    }
}
