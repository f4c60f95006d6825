//! Who wins among the statements that apply to a question.
//!
//! Laws:
//! - A question is prohibited iff some applicable prohibition is not overcome by an applicable permission; so adding a
//!   prohibition never permits more, and the order of statements never matters.
//! - A permission overcomes a prohibition by the first of these keys on which they differ: the part of the resource,
//!   the purpose, the crawler named, the resources, the usage, the comparison of the draft; if by none, the prohibition
//!   stands. That key is the explanation.
//! - Conventional rules have one number each, made when a crawler's rules are selected ([`crate::rep`]): the
//!   greatest wins.

mod candidate;
mod finding;
mod replacement;

pub use self::candidate::narrower_resources;
pub(crate) use self::candidate::{Candidate, Effort, Tier, overcomes};
pub use self::finding::{Cite, CitedRestriction, Key};
pub(crate) use self::finding::{Finding, Setting};

use std::collections::BTreeMap;

use self::candidate::{lost_on, tier_key};
use self::replacement::{Kinds, Order, impose, inner_ones, replacing};
use crate::limits::CITED;
use crate::restrictions::{Qualifier, in_column};
use crate::statement::{Effect, Part};
use crate::usage::PRESENT;

/// Applies the rules to the applicable statements on one usage.
///
/// At most [`CITED`] statements are named as deciding, and as many as having lost.
pub(crate) fn resolve(
    list: &[Candidate<'_>],
    setting: Setting<'_>,
    restrictions: &mut Vec<CitedRestriction>,
    effort: &mut Effort,
) -> Finding {
    let mut out = Finding { stated: list.iter().any(Candidate::speaks), ..Finding::default() };
    let permissions: Vec<&Candidate<'_>> = list.iter().filter(|one| one.effect == Effect::Permits).collect();
    let lifting: Vec<&Candidate<'_>> = permissions.iter().copied().filter(|one| one.lifts).collect();
    let mut standing: Option<&Candidate<'_>> = None;
    for prohibition in list.iter().filter(|one| one.effect == Effect::Prohibits) {
        if let Some(key) = overcome(&lifting, prohibition, effort) {
            out.lose(prohibition.cite, key);
            continue;
        }
        out.prohibited = true;
        out.decide(prohibition.cite);
        standing.get_or_insert(prohibition);
        if !setting.trace {
            return out;
        }
    }
    // Explaining has an effort of its own, so that a trace never changes an outcome.
    let mut explaining = Effort::default();
    if let Some(standing) = standing {
        for permission in permissions.iter().take_while(|_| setting.trace) {
            if out.lost.len() >= CITED {
                break;
            }
            out.lose(permission.cite, lost_on(permission, standing, &mut explaining));
        }
        return out;
    }
    // The permissions of the first tier of each part restrict, and all their restrictions hold together.
    let first = first_tiers(&lifting);
    let deciding: Vec<&Candidate<'_>> =
        permissions.iter().copied().filter(|one| !one.lifts || first.get(&one.part) == Some(&one.tier)).collect();
    if deciding.iter().any(|one| one.restrictions().next().is_some()) {
        impose(&deciding, &lifting, setting, restrictions, &mut out, effort);
    }
    if !out.prohibited {
        explain(&lifting, &deciding, &first, setting, &mut out, &mut explaining);
        let bears = |one: &&&Candidate<'_>| {
            one.restrictions().any(|held| {
                let of_texts = held.qualifier == Qualifier::MaxLength && one.usage == PRESENT;
                !of_texts || in_column(held.qualifier, setting.usage)
            })
        };
        out.restricting = deciding.iter().filter(|one| !one.lifts).filter(bears).map(|one| one.cite).collect();
    }
    out
}

/// The key on which some permission, the first that can, overcomes a prohibition; none if none does, or the effort is
/// spent.
fn overcome(lifting: &[&Candidate<'_>], p: &Candidate<'_>, effort: &mut Effort) -> Option<Key> {
    for permission in lifting {
        let key = overcomes(permission, p, effort);
        if effort.is_spent() {
            return None;
        }
        if key.is_some() {
            return key;
        }
    }
    None
}

/// Names the permissions that decided, and with a trace those that lost.
fn explain(
    lifting: &[&Candidate<'_>],
    deciding: &[&Candidate<'_>],
    first: &BTreeMap<Part, Tier>,
    setting: Setting<'_>,
    out: &mut Finding,
    effort: &mut Effort,
) {
    if let ([only], [_]) = (deciding, lifting) {
        out.decide(only.cite);
        return;
    }
    let order = Order::of(deciding, effort);
    let lifts = |place: usize| deciding.get(place).is_some_and(|one| one.lifts);
    let leads = order.leads(&lifts);
    let inner = inner_ones(deciding);
    for (place, permission) in deciding.iter().enumerate().filter(|(_, one)| one.lifts) {
        // A permission that inner ones replace decides only if it has kinds of restrictions that they have not.
        let kinds = replacing(permission, &inner, effort);
        let key = if kinds.is_some_and(|kinds| Kinds::of(permission).is_within(kinds)) {
            Some(Key::Part)
        } else {
            order.replaced(place, &lifts, &leads, effort)
        };
        match key {
            Some(key) => out.lose(permission.cite, key),
            None => out.decide(permission.cite),
        }
        // Without a trace one deciding permission is enough.
        let enough = if setting.trace { effort.is_spent() } else { !out.decided.is_empty() };
        if enough {
            break;
        }
    }
    if !setting.trace {
        return;
    }
    for permission in lifting {
        match first.get(&permission.part) {
            Some(first) if permission.tier != *first => out.lose(permission.cite, tier_key(*first, permission.tier)),
            _ => {}
        }
        if out.lost.len() >= CITED {
            break;
        }
    }
}

/// The first tier that permits, for each part.
fn first_tiers(lifting: &[&Candidate<'_>]) -> BTreeMap<Part, Tier> {
    let mut first: BTreeMap<Part, Tier> = BTreeMap::new();
    for one in lifting {
        first.entry(one.part).and_modify(|tier| *tier = one.tier.min(*tier)).or_insert(one.tier);
    }
    first
}
