//! A table of policies, each of its own site, and questions about URLs of all of them.
//!
//! A URL whose site has no policy here, or that is no URL, is a row like any other: it is answered as the policy of an
//! unknown site says, and has its reason. So one bad URL among millions ends nothing, and permits nothing.

use std::sync::Arc;

use crate::batch::{Asked, PROHIBITED, Row, Rows, ends_authority};
use crate::decide::{Question, View};
use crate::finder::{Finder, Site, TOGETHER, Unasked, rest_of};
use crate::near;
use crate::origins::Origins;
use crate::places::{to_u32, to_usize};
use crate::usage::Usage;
use crate::viewed::Viewed;

/// Rows of a site that come one after the other are taken up at once. If those that do are fewer than this on average,
/// rows are sorted by their sites before.
const TAKEN_UP: usize = 8;

/// So few rows are sorted as any list is.
const FEW: usize = 2048;

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
    sites: Vec<Site>,
}

impl Answers {
    /// The place of the policy that answered a URL.
    pub fn policy(&self, url: usize) -> Option<u32> {
        self.sites.get(url)?.policy()
    }

    /// Why a URL was answered without a policy of its site.
    pub fn unasked(&self, url: usize) -> Option<Unasked> {
        self.sites.get(url)?.unasked()
    }
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

impl PolicyTable {
    pub fn new(policies: Vec<Arc<Viewed>>) -> Result<Self, NoTable> {
        let mut origins = Origins::for_many(policies.len());
        for (place, policy) in policies.iter().enumerate() {
            let origin = policy.origin().ok_or(NoTable::NoSite(place))?;
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
        let sites = Finder::of(&self.policies, &self.origins).sites(urls);
        let mut rows = PackedRows::all(PROHIBITED, urls.len().saturating_mul(usages.len()));
        let mut texts: Vec<&[u8]> = Vec::with_capacity(TOGETHER);
        // A policy and what it says to the asker are taken up once for all of its URLs.
        for together in by_site(&sites, self.policies.len()).chunks(TOGETHER) {
            // URLs of a site lie far apart.
            texts.clear();
            texts
                .extend(together.iter().map(|(_, place)| urls.get(to_usize(*place)).copied().flatten().unwrap_or(&[])));
            near::read(
                texts.iter().flat_map(|text| [text.first(), text.last()]).map(|octet| octet.copied().unwrap_or(0)),
            );
            let of_sites: Vec<_> = together.chunk_by(|one, next| one.0 == next.0).collect();
            near::read_by_steps(of_sites.iter().map(|of_one| self.policy(of_one, missing)), Viewed::octet);
            let views: Vec<_> = of_sites.iter().map(|of_one| views(self.policy(of_one, missing))).collect();
            let mut texts = texts.iter();
            for (of_one, views) in of_sites.iter().zip(&views) {
                let policy = self.policy(of_one, missing);
                let asked = Asked { views, purposes, question };
                let origin = policy.origin().unwrap_or(&[]);
                for ((_, place), url) in of_one.iter().zip(texts.by_ref()) {
                    // Most URLs spell their origin as the policy does.
                    let rest = url.strip_prefix(origin).filter(|rest| ends_authority(rest) && !origin.is_empty());
                    let path = policy.dialect.form.path(rest.unwrap_or_else(|| rest_of(url)), url);
                    let begin = to_usize(*place).saturating_mul(usages.len());
                    for (place, usage) in (begin..).zip(usages) {
                        let row = asked.row(policy, &path, *usage);
                        rows.set(place, row);
                        note(place, row, policy, &asked, &path, *usage);
                    }
                }
            }
        }
        Answers { rows: rows.unpacked(), sites }
    }

    /// The policy of rows of one site.
    fn policy<'t>(&'t self, of_one: &[(u32, u32)], missing: &'t Viewed) -> &'t Viewed {
        let own = of_one.first().and_then(|(number, _)| self.policies.get(to_usize(*number)));
        own.map_or(missing, |policy| &**policy)
    }
}

/// Rows of which each is one number: to set one that lies elsewhere costs one look at memory.
struct PackedRows(Vec<u64>);

impl PackedRows {
    /// Rows that are all alike.
    fn all(row: Row, count: usize) -> Self {
        Self(vec![packed(row); count])
    }

    #[inline]
    fn set(&mut self, place: usize, row: Row) {
        if let Some(held) = self.0.get_mut(place) {
            *held = packed(row);
        }
    }

    fn unpacked(&self) -> Rows {
        let octet =
            |place: usize| self.0.iter().map(move |row| row.to_le_bytes().get(place).copied().unwrap_or(0)).collect();
        let line = |row: &u64| u32::try_from(row.wrapping_shr(32)).unwrap_or(0);
        Rows {
            outcomes: octet(0),
            lines: self.0.iter().map(line).collect(),
            kinds: octet(1),
            stated: octet(2),
            restricted: octet(3),
        }
    }
}

#[inline]
fn packed(row: Row) -> u64 {
    let [a, b, c, d] = row.line.unwrap_or(0).to_le_bytes();
    u64::from_le_bytes([row.outcome, row.kind, u8::from(row.stated), u8::from(row.restricted), a, b, c, d])
}

/// The rows that are asked of a policy, by the places of their URLs, with those of a site together.
fn by_site(sites: &[Site], policies: usize) -> Vec<(u32, u32)> {
    let last = to_u32(policies);
    let mut order: Vec<(u32, u32)> = Vec::with_capacity(sites.len());
    order.extend((0u32..).zip(sites).filter_map(|(place, site)| Some((site.asked()?.min(last), place))));
    let comings = order.chunk_by(|one, next| one.0 == next.0).count();
    if comings.saturating_mul(TAKEN_UP) > order.len() {
        sort_by_first(&mut order, last);
    }
    order
}

/// Sorts pairs by their first number, which is `most` at most; those with the same stay in their order.
fn sort_by_first(pairs: &mut Vec<(u32, u32)>, most: u32) {
    const DIGIT: u32 = 11;
    if pairs.len() < FEW {
        pairs.sort_by_key(|pair| pair.0);
        return;
    }
    let mut other = vec![(0, 0); pairs.len()];
    let mut shift = 0u32;
    while shift < u32::BITS.saturating_sub(most.leading_zeros()) {
        let digit = |number: u32| to_usize(number.wrapping_shr(shift) & 1u32.wrapping_shl(DIGIT).wrapping_sub(1));
        let mut ends = vec![0usize; 1usize.wrapping_shl(DIGIT)];
        for (number, _) in &*pairs {
            if let Some(count) = ends.get_mut(digit(*number)) {
                *count = count.wrapping_add(1);
            }
        }
        let mut before = 0usize;
        for end in &mut ends {
            before = before.wrapping_add(std::mem::replace(end, before));
        }
        for pair in &*pairs {
            if let Some(next) = ends.get_mut(digit(pair.0)) {
                if let Some(held) = other.get_mut(*next) {
                    *held = *pair;
                }
                *next = next.wrapping_add(1);
            }
        }
        std::mem::swap(pairs, &mut other);
        shift = shift.saturating_add(DIGIT);
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
        let reason = |place| found.unasked(place).map_or("", |why| Unasked::NAMES[usize::from(why.code())]);
        let reasons = (0..urls.len()).map(reason).collect();
        (found.rows.outcomes, reasons)
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
            Some("mailto:x/y"),
            Some("x:y"),
        ];
        let (outcomes, reasons) = outcomes(&table, &urls);
        assert_eq!(outcomes, [0, 2, 0, 2, 0, 2, 2, 2, 2, 2, 2, 2]);
        let of = ["", "", "", "no-policy", "", "no-url", "no-url", "control-character", "host", "", "no-url", "no-url"];
        assert_eq!(reasons, of);
    }

    #[test]
    fn urls_in_any_order_are_answered_as_in_that_of_their_sites() {
        let site = |number: u64| format!("https://site-{number}.example");
        let texts = ["User-agent: *\nDisallow: /a", "User-agent: *\nDisallow: /b", ""];
        let policies = (0..3_000u64).zip(texts.iter().cycle()).map(|(number, text)| policy(text, &site(number)));
        let table = PolicyTable::new(policies.collect()).unwrap();
        // Beside 3,000 sites of the table there are 100 others; the factor brings their URLs out of order.
        let number = |place: u64| place * 7_919 % 3_100;
        let urls: Vec<String> =
            (0..9_300).map(|place| site(number(place)) + ["/a", "/b", "/c"][place as usize % 3]).collect();
        let mut wanted = Vec::new();
        for place in 0..9_300 {
            let is_refused = number(place) >= 3_000 || (number(place) % 3 == place % 3 && place % 3 < 2);
            wanted.push(if is_refused { 2 } else { 0 });
        }
        let asked: Vec<_> = urls.iter().map(|url| Some(url.as_str())).collect();
        assert_eq!(outcomes(&table, &asked).0, wanted);
        let mut places: Vec<usize> = (0..asked.len()).collect();
        places.sort_by_key(|place| number(*place as u64));
        let sorted: Vec<_> = places.iter().map(|place| asked[*place]).collect();
        let found = outcomes(&table, &sorted).0;
        assert!(places.iter().zip(found).all(|(place, outcome)| wanted[*place] == outcome));
    }

    #[test]
    fn pairs_with_the_same_number_stay_in_their_order() {
        for (count, most) in
            [(0u32, 0), (10, 5), (5_000, 0), (5_000, 7), (5_000, 2_047), (5_000, 2_048), (50_000, u32::MAX)]
        {
            let number = |place: u32| place.wrapping_mul(2_654_435_761).checked_rem(most).unwrap_or(0);
            let ascending: Vec<(u32, u32)> = (0..count).map(|place| (number(place), place)).collect();
            // The second numbers descend too, so that nobody takes them for a part of the order.
            let descending: Vec<(u32, u32)> = (0..count).map(|place| (number(place), count - place)).collect();
            for mut pairs in [ascending, descending] {
                let mut sorted = pairs.clone();
                sorted.sort_by_key(|pair| pair.0);
                sort_by_first(&mut pairs, most);
                assert_eq!(pairs, sorted, "{count} {most}");
            }
        }
    }

    #[test]
    fn a_site_has_one_policy() {
        let (a, b) = (policy("", "https://a.b/"), policy("", "https://A.b:443/robots.txt"));
        assert_eq!(PolicyTable::new(vec![a.clone(), b]).err(), Some(NoTable::Twice(0, 1)));
        let nobody = Arc::new(Policy::read(b"".as_slice().into(), None, Dialect::AUTO, None).into());
        assert_eq!(PolicyTable::new(vec![a, nobody]).err(), Some(NoTable::NoSite(1)));
    }
}
