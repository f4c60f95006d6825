//! A table of policies, each of its own site, and questions about URLs of all of them.
//!
//! A URL whose site has no policy here, or that is no URL, is a row like any other: it is answered as the policy of an
//! unknown site says, and has its reason. So one bad URL among millions ends nothing, and permits nothing.

use std::collections::HashMap;
use std::sync::Arc;

use crate::batch::{Asked, PROHIBITED, Row, Rows, ends_authority};
use crate::decide::{Question, View, form_of};
use crate::places::{to_u32, to_usize};
use crate::url::{Fault, Url, unaskable};
use crate::usage::Usage;
use crate::viewed::Viewed;

/// Other spellings of origins that are remembered: `HTTPS://A.example:443`.
const SPELLINGS: usize = 65_536;

/// Why a URL is answered without a policy of its site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unasked {
    /// No text.
    Nothing,
    NotAUrl(Fault),
    /// The table has no policy of its site.
    NoPolicy,
}

impl Unasked {
    /// The names of the reasons, in the order of their codes.
    pub const NAMES: [&str; 7] =
        ["no-url", "no-policy", "not-absolute", "host", "port", "control-character", "too-long"];

    pub fn code(self) -> u8 {
        match self {
            Self::Nothing => 0,
            Self::NoPolicy => 1,
            Self::NotAUrl(Fault::NotAbsolute | Fault::HostOrPath) => 2,
            Self::NotAUrl(Fault::Host) => 3,
            Self::NotAUrl(Fault::Port) => 4,
            Self::NotAUrl(Fault::Control(_)) => 5,
            Self::NotAUrl(Fault::TooLong(_)) => 6,
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
    places: HashMap<Box<[u8]>, u32>,
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
        let mut places: HashMap<Box<[u8]>, u32> = HashMap::with_capacity(policies.len());
        for (place, policy) in policies.iter().enumerate() {
            let origin = policy.origin.as_deref().ok_or(NoTable::NoSite(place))?;
            if let Some(before) = places.insert(origin.into(), to_u32(place)) {
                return Err(NoTable::Twice(to_usize(before), place));
            }
        }
        Ok(Self { policies, places })
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
        let at = Site::None(Unasked::NoPolicy);
        let mut finder = Finder { table: self, spellings: HashMap::new(), before: &[], at };
        let sites: Vec<Site> = urls.iter().map(|url| finder.site(*url)).collect();
        // A policy and what it says to the asker are taken up once for all of its URLs.
        let mut order: Vec<(u32, u32)> = Vec::with_capacity(urls.len());
        let mut answers = Answers {
            rows: Rows::all(PROHIBITED, urls.len().saturating_mul(usages.len())),
            unasked: vec![None; urls.len()],
            policies: vec![None; urls.len()],
        };
        let none = to_u32(self.policies.len());
        for (place, site) in sites.iter().enumerate() {
            match site {
                Site::Of(policy) => order.push((*policy, to_u32(place))),
                Site::None(why) => {
                    if let Some(unasked) = answers.unasked.get_mut(place) {
                        *unasked = Some(*why);
                    }
                    if *why == Unasked::NoPolicy {
                        order.push((none, to_u32(place)));
                    }
                }
            }
        }
        if !order.is_sorted() {
            order.sort_unstable();
        }
        for of_one in order.chunk_by(|one, next| one.0 == next.0) {
            let Some(number) = of_one.first().map(|(number, _)| *number) else { continue };
            let own = self.policies.get(to_usize(number));
            let policy = own.map_or(missing, |policy| &**policy);
            let views = views(policy);
            let asked = Asked { views: &views, purposes, question };
            for place in of_one.iter().map(|(_, place)| to_usize(*place)) {
                let Some(url) = urls.get(place).copied().flatten() else { continue };
                let path = form_of(policy.dialect, rest_of(url), url);
                let begin = place.saturating_mul(usages.len());
                for (place, usage) in (begin..).zip(usages) {
                    let row = asked.row(policy, &path, *usage);
                    answers.rows.set(place, row);
                    note(place, row, policy, &asked, &path, *usage);
                }
                if own.is_some()
                    && let Some(policy) = answers.policies.get_mut(place)
                {
                    *policy = Some(number);
                }
            }
        }
        answers
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

/// Finds the policies of URLs; the origin of the one before is likely that of the next.
struct Finder<'t, 'u> {
    table: &'t PolicyTable,
    spellings: HashMap<Box<[u8]>, Site>,
    before: &'u [u8],
    at: Site,
}

impl<'u> Finder<'_, 'u> {
    fn site(&mut self, url: Option<&'u [u8]>) -> Site {
        let Some(url) = url else { return Site::None(Unasked::Nothing) };
        let site = self.of_origin(url);
        let policy = if let Site::Of(place) = site { self.table.policies.get(to_usize(place)) } else { None };
        // The widely used matcher takes any URL, and so does its dialect.
        let fault = if policy.is_some_and(|policy| policy.dialect.as_it_comes) { None } else { unaskable(url) };
        fault.map_or(site, |fault| Site::None(Unasked::NotAUrl(fault)))
    }

    fn of_origin(&mut self, url: &'u [u8]) -> Site {
        if !self.before.is_empty() && url.strip_prefix(self.before).is_some_and(ends_authority) {
            return self.at;
        }
        let Some(origin) = origin_length(url).and_then(|length| url.get(..length)) else {
            return Site::None(Unasked::NotAUrl(Fault::NotAbsolute));
        };
        self.before = origin;
        self.at = match self.table.places.get(origin) {
            Some(place) => Site::Of(*place),
            None => self.spelt(origin),
        };
        self.at
    }

    fn spelt(&mut self, origin: &[u8]) -> Site {
        if let Some(site) = self.spellings.get(origin) {
            return *site;
        }
        let site = match Url::read(origin) {
            Err(fault) => Site::None(Unasked::NotAUrl(fault)),
            Ok(url) => {
                let place = self.table.places.get(url.origin().as_slice());
                place.map_or(Site::None(Unasked::NoPolicy), |place| Site::Of(*place))
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
    use crate::{Dialect, Policy, usage};

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
        let of = ["", "", "", "no-policy", "", "no-url", "not-absolute", "control-character", "host", ""];
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
