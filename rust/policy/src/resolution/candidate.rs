//! An applicable statement, and which permission overcomes which prohibition.

use super::finding::{Cite, Key};
use crate::limits::{COMPARED, COMPARISON};
use crate::pattern::{Relation, compare};
use crate::restrictions::Restriction;
use crate::statement::{Effect, Firm, Part};
use crate::usage::{CRAWL, Usage};

/// The tiers of section 5: purpose matches and crawler named, purpose matches, crawler named, neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tier {
    PurposeAndNamed,
    Purpose,
    Named,
    Any,
}

impl Tier {
    pub(crate) fn of(purpose: bool, named: bool) -> Self {
        match (purpose, named) {
            (true, true) => Self::PurposeAndNamed,
            (true, false) => Self::Purpose,
            (false, true) => Self::Named,
            (false, false) => Self::Any,
        }
    }

    fn has_purpose(self) -> bool {
        self <= Self::Purpose
    }
}

/// An applicable statement.
#[derive(Clone, Debug)]
pub(crate) struct Candidate<'a> {
    pub tier: Tier,
    pub part: Part,
    pub usage: Usage,
    pub effect: Effect,
    pub pattern: &'a [u8],
    /// It is a refusal of the Robots Exclusion Protocol; a permission on the same resources overcomes it too (G 2.1).
    pub conventional: bool,
    /// It may overcome a prohibition; a permission beyond a limit only restricts.
    pub lifts: bool,
    /// How firmly a prohibition stands where something in it is in doubt: fewer permissions overcome it, or none.
    pub firm: Firm,
    /// The restrictions of the definition of its usage, and its own.
    pub restrictions: [&'a [Restriction]; 2],
    pub cite: Cite,
}

impl<'a> Candidate<'a> {
    pub(super) fn restrictions(&self) -> impl Iterator<Item = &'a Restriction> {
        self.restrictions.into_iter().flatten()
    }

    /// Whether it does more than restrict.
    pub(crate) fn speaks(&self) -> bool {
        self.lifts || self.effect == Effect::Prohibits
    }
}

/// How much may still be compared for a question, from [`COMPARED`] down. Where that is spent, the answer is a
/// prohibition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort(usize);

impl Default for Effort {
    fn default() -> Self {
        Self(COMPARED)
    }
}

impl Effort {
    pub(crate) fn spend(&mut self, octets: usize) {
        self.0 = self.0.saturating_sub(octets);
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.0 == 0
    }
}

/// The key on which a permission overcomes a prohibition, if it does.
pub(crate) fn overcomes(a: &Candidate<'_>, p: &Candidate<'_>, effort: &mut Effort) -> Option<Key> {
    if withstands(p, a) {
        return None;
    }
    // Where crawling is prohibited, the page, and so its permission, cannot have been read (section 7).
    if p.usage == CRAWL && p.part == Part::Site && a.part != Part::Site {
        return None;
    }
    // The innermost part counts first (P2 2.2.8): no permission outside of it lifts its prohibition.
    match a.part.cmp(&p.part) {
        std::cmp::Ordering::Greater => None,
        std::cmp::Ordering::Less => {
            let counts = a.tier <= p.tier && !self_declared(a, p);
            (counts && p.usage.covers(a.usage)).then_some(Key::Part)
        }
        std::cmp::Ordering::Equal if a.tier == p.tier => narrower(a, p, effort),
        std::cmp::Ordering::Equal => {
            // A stronger tier counts for the same usages only (P1 4.1).
            let counts = a.tier < p.tier && !self_declared(a, p);
            (counts && p.usage.covers(a.usage)).then(|| tier_key(a.tier, p.tier))
        }
    }
}

/// The key on which `a` is narrower than `b`, if it is.
pub(super) fn narrower(a: &Candidate<'_>, b: &Candidate<'_>, effort: &mut Effort) -> Option<Key> {
    effort.spend(1);
    if effort.is_spent() || !b.usage.covers(a.usage) {
        return None;
    }
    effort.spend(COMPARISON.saturating_add(a.pattern.len()).saturating_add(b.pattern.len()));
    if a.usage == b.usage {
        return narrower_resources(a.pattern, b.pattern, b.conventional);
    }
    match compare(a.pattern, b.pattern) {
        Relation::Narrower => Some(Key::Resources),
        Relation::Same => Some(Key::Usage),
        _ => None,
    }
}

/// The key on which a permission overcomes a prohibition of the same usage and tier, by their resources alone.
pub fn narrower_resources(permission: &[u8], prohibition: &[u8], conventional: bool) -> Option<Key> {
    match compare(permission, prohibition) {
        Relation::Narrower => Some(Key::Resources),
        Relation::Same if conventional => Some(Key::Resources),
        Relation::DraftNarrower if !conventional => Some(Key::DraftComparison),
        _ => None,
    }
}

/// Whether a prohibition in which something is in doubt withstands a permission, which might not lift what was
/// meant.
fn withstands(p: &Candidate<'_>, a: &Candidate<'_>) -> bool {
    match p.firm {
        Firm::No => false,
        Firm::InTier => a.part != p.part || a.tier >= p.tier,
        Firm::Always => true,
    }
}

/// Whether the permission is for a purpose, and the prohibition names the crawler. A crawler declares its purposes
/// itself, so such a permission lifts no such prohibition.
fn self_declared(a: &Candidate<'_>, p: &Candidate<'_>) -> bool {
    a.tier == Tier::Purpose && p.tier == Tier::Named
}

pub(super) fn tier_key(first: Tier, second: Tier) -> Key {
    if first.has_purpose() == second.has_purpose() { Key::CrawlerNamed } else { Key::Purpose }
}

/// Why the permission `a` did not overcome the standing prohibition `p`.
pub(super) fn lost_on(a: &Candidate<'_>, p: &Candidate<'_>, effort: &mut Effort) -> Key {
    if p.firm == Firm::Always {
        return Key::Cut;
    }
    if p.part < a.part {
        return Key::Part;
    }
    if p.tier < a.tier {
        return tier_key(p.tier, a.tier);
    }
    if !p.usage.covers(a.usage) && (a.part, a.tier) != (p.part, p.tier) {
        return Key::Usage;
    }
    if self_declared(a, p) {
        return Key::CrawlerNamed;
    }
    match p.firm {
        Firm::No => narrower(p, a, effort).unwrap_or(Key::Tie),
        _ => Key::Cut,
    }
}
