//! Who wins: conflict rules as data, and the one loop that applies them.
//!
//! Laws:
//! - A question is prohibited iff some applicable prohibition is not overcome by an applicable permission; so adding a
//!   prohibition never permits more, and the order of statements never matters.
//! - Which permission overcomes which prohibition is read off [`FAMILIES`] key by key; the key that separates them is the
//!   explanation.

use crate::limits::DRAFTS_COMPARED;
use crate::pattern::{Relation, compare};
use crate::restrictions::{Facts, Qualifier, Restriction, in_column};
use crate::statement::{Effect, Part};
use crate::usage::{PRESENT, Usage};

/// What separates a winner from a loser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// One names the crawler, the other addresses any (P1 4.1).
    CrawlerNamed,
    /// One is for the purpose, the other for none (G 2.2).
    Purpose,
    /// The inner part of the resource counts first (P2 2.2.8).
    Part,
    /// A usage below the other's.
    Usage,
    /// Resources within the other's (P1 4.3, G 2.3).
    Resources,
    /// The draft's character-by-character comparison (P1 4.5.2.5.3).
    DraftComparison,
    /// Nothing separates them, and then the prohibition stands (P1 4.3, P2 2.2.8).
    Tie,
    /// The longer pattern (RFC 9309 2.2.2).
    Length,
    /// Of equals the rule that permits (RFC 9309 2.2.2).
    AllowOnTie,
    /// The earlier line.
    Order,
    /// An explicit Allow of the 2.0.0 proposal.
    ExplicitAllow,
    /// Another dialect refuses.
    Dialect,
}

impl Key {
    pub fn name(self) -> &'static str {
        match self {
            Self::CrawlerNamed => "crawler-named",
            Self::Purpose => "purpose",
            Self::Part => "part",
            Self::Usage => "usage",
            Self::Resources => "resources",
            Self::DraftComparison => "draft-comparison",
            Self::Tie => "tie",
            Self::Length => "length",
            Self::AllowOnTie => "allow-on-tie",
            Self::Order => "order",
            Self::ExplicitAllow => "explicit-allow",
            Self::Dialect => "dialect",
        }
    }
}

/// Which statement of two on the same footing stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    Prohibits,
    Permits,
    Earlier,
}

/// The conflict rule of a family of statements: its keys in order, what a tie does, what silence does.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    pub name: &'static str,
    pub keys: &'static [Key],
    pub tie: Tie,
    pub silence: Effect,
}

/// Every family this crate resolves. The conventional ones are compiled into one number a rule when a crawler's rules
/// are selected ([`crate::conventional`]), the greatest of which wins.
pub const FAMILIES: [Family; 7] = [
    Family {
        name: "acap",
        keys: &[Key::Purpose, Key::CrawlerNamed, Key::Part, Key::Usage, Key::Resources, Key::DraftComparison],
        tie: Tie::Prohibits,
        silence: Effect::Permits,
    },
    Family { name: "rfc9309", keys: &[Key::Length], tie: Tie::Permits, silence: Effect::Permits },
    Family { name: "google", keys: &[Key::Length], tie: Tie::Permits, silence: Effect::Permits },
    Family { name: "rep-1994", keys: &[], tie: Tie::Prohibits, silence: Effect::Permits },
    Family { name: "norobots-1996", keys: &[Key::Order], tie: Tie::Earlier, silence: Effect::Permits },
    Family { name: "robots-2.0", keys: &[Key::ExplicitAllow], tie: Tie::Prohibits, silence: Effect::Permits },
    Family { name: "most-restrictive", keys: &[], tie: Tie::Prohibits, silence: Effect::Permits },
];

/// The tiers of section 5: purpose matches and crawler named, purpose matches, crawler named, neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    PurposeAndNamed,
    Purpose,
    Named,
    Any,
}

impl Tier {
    pub fn of(purpose: bool, named: bool) -> Self {
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

/// Where a statement is to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cite {
    /// A conventional line: its place in the table of entries.
    Line(u32),
    /// A statement of an ACAP file: 0 is the policy's own, then the references in their order.
    Statement { file: u32, place: u32 },
    /// `ACAP-permissions-reference`: record and place in it.
    Reference { record: u32, place: u32 },
    /// `ACAP-request-take-down`.
    Request { file: u32, place: u32 },
    /// Nothing matched, and the record refuses what nothing matches.
    NothingMatched,
    /// A statement made elsewhere: its place in the caller's list.
    Elsewhere(u32),
}

/// An applicable statement.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    pub tier: Tier,
    pub part: Part,
    pub usage: Usage,
    pub effect: Effect,
    pub pattern: &'a [u8],
    /// What the Robots Exclusion Protocol refuses; a permission on the same resources overcomes it too (G 2.1).
    pub conventional: bool,
    pub restrictions: &'a [Restriction],
    pub cite: Cite,
}

/// The key on which `a` is narrower than `b`, if it is.
fn narrower(a: &Candidate<'_>, b: &Candidate<'_>) -> Option<Key> {
    if !b.usage.covers(a.usage) {
        return None;
    }
    match compare(a.pattern, b.pattern) {
        Relation::Narrower => Some(Key::Resources),
        Relation::Same if a.usage != b.usage => Some(Key::Usage),
        Relation::Same if b.conventional => Some(Key::Resources),
        Relation::DraftNarrower if a.usage == b.usage && !b.conventional => Some(Key::DraftComparison),
        _ => None,
    }
}

/// The key on which a permission overcomes a prohibition, if it does.
fn overcomes(a: &Candidate<'_>, p: &Candidate<'_>) -> Option<Key> {
    match a.tier.cmp(&p.tier) {
        std::cmp::Ordering::Less => {
            // The same usages only (P1 4.1); a crawler declares its purposes itself, so they lift no refusal that names
            // it; and a page that names the crawler does not lift an element's prohibition.
            let same_usages = p.usage.covers(a.usage);
            let self_declared = a.tier == Tier::Purpose && p.tier == Tier::Named;
            let element = p.part == Part::Element && a.part != Part::Element;
            (same_usages && !self_declared && !element).then(|| tier_key(a.tier, p.tier))
        }
        std::cmp::Ordering::Equal => match a.part.cmp(&p.part) {
            std::cmp::Ordering::Less => p.usage.covers(a.usage).then_some(Key::Part),
            std::cmp::Ordering::Equal => narrower(a, p),
            std::cmp::Ordering::Greater => None,
        },
        std::cmp::Ordering::Greater => None,
    }
}

fn tier_key(first: Tier, second: Tier) -> Key {
    if first.has_purpose() == second.has_purpose() { Key::CrawlerNamed } else { Key::Purpose }
}

/// Why the permission `a` did not overcome the standing prohibition `p`.
fn lost_on(a: &Candidate<'_>, p: &Candidate<'_>) -> Key {
    if p.tier < a.tier {
        return tier_key(p.tier, a.tier);
    }
    if a.tier < p.tier {
        return if p.usage.covers(a.usage) { Key::CrawlerNamed } else { Key::Usage };
    }
    if p.part < a.part {
        return Key::Part;
    }
    narrower(p, a).unwrap_or(Key::Tie)
}

/// How a question came out among the candidates.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    pub prohibited: bool,
    pub expired: bool,
    pub stated: bool,
    pub decided: Vec<Cite>,
    pub lost: Vec<(Cite, Key)>,
}

/// A restriction that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    pub name: &'static str,
    pub value: Box<str>,
    /// The part of a composite question it belongs to.
    pub part: Option<Usage>,
    pub cite: Cite,
}

/// Applies the rules to the applicable statements on one usage.
///
/// With `trace` the losers are named; the outcome and the restrictions are the same without.
pub fn resolve(
    list: &[Candidate<'_>],
    usage: Usage,
    at: i64,
    facts: &Facts,
    held: &mut Vec<Held>,
    trace: bool,
) -> Finding {
    let mut out = Finding { stated: !list.is_empty(), ..Finding::default() };
    let permissions: Vec<&Candidate<'_>> = list.iter().filter(|one| one.effect == Effect::Permits).collect();
    for prohibition in list.iter().filter(|one| one.effect == Effect::Prohibits) {
        match permissions.iter().find_map(|permission| overcomes(permission, prohibition)) {
            Some(key) => {
                if trace {
                    out.lost.push((prohibition.cite, key));
                }
            }
            None => {
                out.prohibited = true;
                out.decided.push(prohibition.cite);
                if !trace {
                    return out;
                }
            }
        }
    }
    if out.prohibited {
        if let Some(standing) =
            list.iter().find(|one| out.decided.contains(&one.cite) && one.effect == Effect::Prohibits)
        {
            let losers = permissions.iter().map(|permission| (permission.cite, lost_on(permission, standing)));
            out.lost.extend(losers);
        }
        return out;
    }
    let Some(first) = permissions.iter().map(|one| one.tier).min() else { return out };
    // An inner permission overrides outer ones on its usage and above (P2 2.2.8).
    let deciding: Vec<&Candidate<'_>> = permissions
        .iter()
        .copied()
        .filter(|one| one.tier == first)
        .filter(|one| {
            !permissions
                .iter()
                .any(|inner| inner.tier == first && inner.part < one.part && one.usage.covers(inner.usage))
        })
        .collect();
    let replacement = Replacement::of(&deciding);
    hold(&deciding, &replacement, usage, at, facts, held, &mut out);
    if out.prohibited {
        return out;
    }
    for (place, permission) in deciding.iter().enumerate() {
        match replacement.replaced(place, &|_| true) {
            Some(key) if trace => out.lost.push((permission.cite, key)),
            Some(_) => {}
            None => out.decided.push(permission.cite),
        }
    }
    if trace {
        let later = permissions.iter().filter(|one| one.tier != first);
        out.lost.extend(later.map(|one| (one.cite, tier_key(first, one.tier))));
        let outer = |one: &&&Candidate<'_>| one.tier == first && !out.decided.contains(&one.cite);
        let outer: Vec<Cite> = permissions.iter().filter(outer).map(|one| one.cite).collect();
        let known: Vec<Cite> = out.lost.iter().map(|(cite, _)| *cite).collect();
        out.lost.extend(outer.into_iter().filter(|cite| !known.contains(cite)).map(|cite| (cite, Key::Part)));
    }
    out
}

/// Which permission is narrower than which, where neither is, by way of further ones, broader as well.
///
/// Inclusion and the draft's comparison together can run in a circle; then none replaces another. Of a great many
/// permissions inclusion alone counts, so that more values hold together.
struct Replacement {
    size: usize,
    narrower: Vec<Option<Key>>,
}

impl Replacement {
    fn of(list: &[&Candidate<'_>]) -> Self {
        let size = list.len();
        let drafts = size <= DRAFTS_COMPARED;
        let mut narrower_than = Vec::with_capacity(size.saturating_mul(size));
        for one in list {
            for other in list {
                let key = narrower(one, other).filter(|key| drafts || *key != Key::DraftComparison);
                narrower_than.push(key);
            }
        }
        Self { size, narrower: narrower_than }
    }

    fn key(&self, one: usize, other: usize) -> Option<Key> {
        self.narrower.get(one.saturating_mul(self.size).saturating_add(other)).copied().flatten()
    }

    /// The key on which `one` replaces `other`, among those that `counts` names.
    fn replaces(&self, one: usize, other: usize, counts: &dyn Fn(usize) -> bool) -> Option<Key> {
        let key = self.key(one, other)?;
        if self.size > DRAFTS_COMPARED {
            return Some(key);
        }
        let mut reached = vec![other];
        let mut at = 0usize;
        while let Some(from) = reached.get(at).copied() {
            if from == one {
                return None;
            }
            let next = (0..self.size).filter(|next| counts(*next) && self.key(from, *next).is_some());
            let new: Vec<usize> = next.filter(|next| !reached.contains(next)).collect();
            reached.extend(new);
            at = at.saturating_add(1);
        }
        Some(key)
    }

    /// The key on which any of those that count replaces `other`.
    fn replaced(&self, other: usize, counts: &dyn Fn(usize) -> bool) -> Option<Key> {
        (0..self.size).filter(|one| counts(*one)).find_map(|one| self.replaces(one, other, counts))
    }
}

/// Collects the restrictions of the deciding permissions (section 5, rule 4).
fn hold(
    deciding: &[&Candidate<'_>],
    replacement: &Replacement,
    usage: Usage,
    at: i64,
    facts: &Facts,
    held: &mut Vec<Held>,
    out: &mut Finding,
) {
    if deciding.iter().all(|one| one.restrictions.is_empty()) {
        return;
    }
    let has =
        |one: &Candidate<'_>, qualifier: Qualifier| one.restrictions.iter().any(|held| held.qualifier == qualifier);
    let mut mine: Vec<(&Restriction, Cite)> = Vec::new();
    for (place, permission) in deciding.iter().enumerate() {
        for restriction in permission.restrictions {
            let qualifier = restriction.qualifier;
            // On `present` a length is one of texts (our choice); elsewhere it is kept where it stands.
            if qualifier == Qualifier::MaxLength && permission.usage == PRESENT && !in_column(qualifier, usage) {
                continue;
            }
            let counts = |other: usize| deciding.get(other).is_some_and(|other| has(other, qualifier));
            let replaced = replacement.replaced(place, &counts).is_some();
            let known = mine.iter().any(|(held, _)| held.qualifier == qualifier && same_value(held, restriction));
            if !replaced && !known {
                mine.push((restriction, permission.cite));
            }
        }
    }
    let any = |restriction: &Restriction| {
        restriction.qualifier == Qualifier::ProhibitedModification && restriction.value.eq_ignore_ascii_case("any")
    };
    if mine.iter().any(|(restriction, _)| any(restriction)) {
        mine.retain(|(restriction, _)| restriction.qualifier != Qualifier::ProhibitedModification || any(restriction));
    }
    // Nobody can use one resource and none but another.
    let mut musts = mine.iter().filter(|(restriction, _)| restriction.qualifier == Qualifier::MustUseResource);
    if let (Some((_, one)), Some((_, other))) = (musts.next(), musts.next()) {
        out.prohibited = true;
        out.decided = vec![*one];
        if one != other {
            out.decided.push(*other);
        }
        return;
    }
    for (_, cite) in mine.iter().filter(|(restriction, _)| restriction.is_over(usage, at, facts)) {
        if !out.expired {
            out.prohibited = true;
            out.expired = true;
            out.decided.clear();
        }
        if !out.decided.contains(cite) {
            out.decided.push(*cite);
        }
    }
    if out.expired {
        return;
    }
    for (restriction, cite) in mine {
        held.push(Held { name: restriction.name(), value: restriction.value.clone(), part: None, cite });
    }
}

/// `acap:` and `the-acap:` are the same prefix.
fn same_value(a: &Restriction, b: &Restriction) -> bool {
    let bare = |value: &str| -> String {
        let value = crate::acap::unescape(value);
        let lower = value.to_ascii_lowercase();
        let skip =
            ["the-acap:", "acap:"].iter().find(|prefix| lower.starts_with(**prefix)).map_or(0, |prefix| prefix.len());
        if skip > 0 { format!("acap:{}", value.get(skip..).unwrap_or("")) } else { value }
    };
    match a.qualifier {
        Qualifier::MustUseResource | Qualifier::MustIncludeResource | Qualifier::Location => {
            bare(&a.value) == bare(&b.value)
        }
        _ => crate::acap::unescape(&a.value).eq_ignore_ascii_case(&crate::acap::unescape(&b.value)),
    }
}
