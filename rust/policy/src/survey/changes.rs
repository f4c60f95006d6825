//! What became of sites between two crawls: none, some or all refused before, and after.
//!
//! A crawl is marked in records of one size, which stand in files, so that no crawl need be in memory as a whole: those
//! of a site are in the same file of both crawls, and two such files are compared at a time.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::Surveyed;
use super::capture::Judged;

/// What is marked of a site for a crawler and a usage: the extents, and that nothing is known of the site.
pub const MARKS: [&str; 5] = ["none", "some", "all", "undecided", "unknown"];
const UNKNOWN: u8 = 4;

/// Octets of a record before its marks: a digest of the site, and the time.
const HEAD: usize = 24;

/// How many sites went from a mark to another, by crawler and usage.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Of each crawler and usage, from each mark to each.
    pub turns: Vec<[[u64; MARKS.len()]; MARKS.len()]>,
    pub in_both: u64,
    /// Only before, and only after.
    pub gone: u64,
    pub new: u64,
}

/// A digest of a site, of which the first octet chooses the file.
pub fn digest(site: &[u8]) -> [u8; 16] {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        site.hash(&mut hasher);
        hasher.finish().to_le_bytes()
    };
    let mut out = [0; 16];
    out.iter_mut().zip(half(0).into_iter().chain(half(1))).for_each(|(place, octet)| *place = octet);
    out
}

/// Writes the record of a capture: its site, its time, and a mark for each crawler and usage.
pub fn mark(out: &mut Vec<u8>, site: [u8; 16], at: i64, judged: &Judged, crawlers: usize, usages: usize) {
    out.extend(site);
    out.extend(at.to_le_bytes());
    let Surveyed { others, said } = &judged.surveyed;
    let is_known = judged.standing.is_known();
    let mut named = others.iter().peekable();
    for crawler in 0..crawlers {
        let class = named.next_if(|(of, _)| usize::try_from(*of) == Ok(crawler)).map_or(0, |(_, class)| *class);
        let of_class = judged.surveyed.of_class(class, usages);
        let marks = of_class.iter().map(|said| if is_known { said.extent as u8 } else { UNKNOWN });
        out.extend(marks.chain(std::iter::repeat(UNKNOWN)).take(if said.is_empty() { 0 } else { usages }));
    }
}

impl Changes {
    pub fn new(crawlers: usize, usages: usize) -> Self {
        Self { turns: vec![Default::default(); crawlers.saturating_mul(usages)], ..Self::default() }
    }

    /// Counts the sites of two files of records. Of the captures of a site the last counts.
    pub fn add(&mut self, before: &[u8], after: &[u8]) {
        let length = self.turns.len().saturating_add(HEAD);
        let (before, after) = (last_of_each(before, length), last_of_each(after, length));
        for (site, (_, marks)) in &after {
            let Some((_, old)) = before.get(site) else {
                self.new = self.new.saturating_add(1);
                continue;
            };
            self.in_both = self.in_both.saturating_add(1);
            for ((was, is), turns) in old.iter().zip(*marks).zip(&mut self.turns) {
                let number = turns.get_mut(usize::from(*was)).and_then(|row| row.get_mut(usize::from(*is)));
                if let Some(number) = number {
                    *number = number.saturating_add(1);
                }
            }
        }
        let gone = before.keys().filter(|site| !after.contains_key(*site)).count();
        self.gone = self.gone.saturating_add(u64::try_from(gone).unwrap_or(u64::MAX));
    }
}

/// The last record of each site, with its time and its marks.
fn last_of_each(records: &[u8], length: usize) -> HashMap<&[u8], (i64, &[u8])> {
    let mut out: HashMap<&[u8], (i64, &[u8])> = HashMap::new();
    for record in records.chunks_exact(length.max(1)) {
        let Some((site, rest)) = record.split_at_checked(16) else { continue };
        let Some((at, marks)) = rest.split_first_chunk::<8>() else { continue };
        let at = i64::from_le_bytes(*at);
        let held = out.entry(site).or_insert((at, marks));
        if at >= held.0 {
            *held = (at, marks);
        }
    }
    out
}
