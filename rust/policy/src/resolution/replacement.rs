//! Which permission replaces which, and the restrictions that hold together (section 5, rule 4).

use super::candidate::{Candidate, Effort, narrower};
use super::finding::{Cite, CitedRestriction, Finding, Key, Setting};
use crate::limits::{COMPARISON, DRAFTS_COMPARED};
use crate::octets::unescape;
use crate::restrictions::{Qualifier, Restriction, TABLE, in_column, is_any_modification};
use crate::usage::{PRESENT, Usage};

/// Whether an inner permission replaces an outer one, which is on the same usage or one above, and in no earlier tier.
fn within(inner: &Candidate<'_>, outer: &Candidate<'_>) -> bool {
    inner.lifts && inner.part < outer.part && inner.tier <= outer.tier && outer.usage.covers(inner.usage)
}

/// The permissions inside of the outermost part that permits: most questions have none.
pub(super) fn inner_ones<'c, 'a>(deciding: &[&'c Candidate<'a>]) -> Vec<&'c Candidate<'a>> {
    let outermost = deciding.iter().map(|one| one.part).max();
    deciding.iter().copied().filter(|one| one.lifts && Some(one.part) < outermost).collect()
}

/// The kinds of restrictions of the inner permissions that replace an outer one; none if none does.
pub(super) fn replacing(outer: &Candidate<'_>, inner: &[&Candidate<'_>], effort: &mut Effort) -> Option<Kinds> {
    effort.spend(inner.len());
    let mut replacing = inner.iter().filter(|one| within(one, outer)).peekable();
    replacing.peek().is_some().then(|| Kinds(replacing.fold(0, |kinds, one| kinds | Kinds::of(one).0)))
}

/// Which permission replaces which: the narrower one replaces the broader one, unless a chain of further ones leads
/// back.
///
/// Inclusion and the draft's comparison together can form a circle; in a circle none replaces another. Above
/// [`DRAFTS_COMPARED`] permissions only inclusion counts, so that more restrictions hold together.
pub(super) struct Order<'c, 'a> {
    list: &'c [&'c Candidate<'a>],
    /// For each permission the set of those it is narrower than, one bit each; none above [`DRAFTS_COMPARED`].
    broader: Option<Vec<u64>>,
}

fn bit(place: usize) -> u64 {
    1u64.wrapping_shl(u32::try_from(place).unwrap_or(u32::MAX))
}

impl<'c, 'a> Order<'c, 'a> {
    pub(super) fn of(list: &'c [&'c Candidate<'a>], effort: &mut Effort) -> Self {
        let broader = (list.len() <= DRAFTS_COMPARED).then(|| {
            let mut than = |one: &Candidate<'_>| {
                let others = list.iter().enumerate();
                let others =
                    others.filter(|(_, other)| one.part == other.part && narrower(one, other, effort).is_some());
                others.fold(0, |bits, (place, _)| bits | bit(place))
            };
            list.iter().map(|one| than(one)).collect()
        });
        Self { list, broader }
    }

    /// For each permission the broader ones that a chain of counting permissions leads to.
    pub(super) fn leads(&self, counts: &dyn Fn(usize) -> bool) -> Vec<u64> {
        let Some(broader) = &self.broader else { return Vec::new() };
        let counted = (0..broader.len()).filter(|place| counts(*place)).fold(0, |bits, place| bits | bit(place));
        let mut leads: Vec<u64> = broader.iter().map(|bits| bits & counted).collect();
        for (through, via) in (0..leads.len()).map(|place| (place, bit(place))) {
            let further = leads.get(through).copied().unwrap_or(0);
            leads.iter_mut().filter(|bits| **bits & via != 0).for_each(|bits| *bits |= further);
        }
        leads
    }

    /// The key on which one of those that count replaces the permission at a place.
    pub(super) fn replaced(
        &self,
        place: usize,
        counts: &dyn Fn(usize) -> bool,
        leads: &[u64],
        effort: &mut Effort,
    ) -> Option<Key> {
        let replaced = self.list.get(place)?;
        let mut others = self.list.iter().enumerate().filter(|(other, _)| counts(*other));
        match &self.broader {
            None => others
                .filter(|(_, other)| other.part == replaced.part)
                .find_map(|(_, other)| narrower(other, replaced, effort).filter(|key| *key != Key::DraftComparison)),
            Some(broader) => {
                let circle = leads.get(place).copied().unwrap_or(0);
                let (_, other) = others.find(|(other, _)| {
                    broader.get(*other).is_some_and(|bits| bits & bit(place) != 0) && circle & bit(*other) == 0
                })?;
                narrower(other, replaced, effort)
            }
        }
    }
}

/// A set of kinds of restrictions.
#[derive(Clone, Copy)]
pub(super) struct Kinds(u32);

impl Kinds {
    pub(super) fn of(one: &Candidate<'_>) -> Self {
        Self(one.restrictions().fold(0, |kinds, restriction| kinds | Self::bit(restriction.qualifier)))
    }

    pub(super) fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    fn bit(qualifier: Qualifier) -> u32 {
        1u32.wrapping_shl(qualifier as u32)
    }

    fn has(self, qualifier: Qualifier) -> bool {
        self.0 & Self::bit(qualifier) != 0
    }
}

/// Whether a permission of the same tier and part names the representation, which a length on `present` then does not
/// limit.
fn is_named(lifting: &[&Candidate<'_>], permission: &Candidate<'_>, usage: Usage) -> bool {
    lifting.iter().any(|one| one.usage == usage && one.tier == permission.tier && one.part == permission.part)
}

/// Collects the restrictions of the deciding permissions (section 5, rule 4).
pub(super) fn impose(
    deciding: &[&Candidate<'_>],
    lifting: &[&Candidate<'_>],
    setting: Setting<'_>,
    restrictions: &mut Vec<CitedRestriction>,
    out: &mut Finding,
    effort: &mut Effort,
) {
    let Setting { usage, at, facts, .. } = setting;
    let order = Order::of(deciding, effort);
    let kinds: Vec<Kinds> = deciding.iter().map(|one| Kinds::of(one)).collect();
    let of_kind = |place: usize, qualifier: Qualifier| {
        // A permission beyond a limit neither replaces another nor is replaced.
        deciding.get(place).is_some_and(|one| one.lifts) && kinds.get(place).is_some_and(|kinds| kinds.has(qualifier))
    };
    let all = TABLE.iter().map(|row| row.qualifier);
    let leads: Vec<(Qualifier, Vec<u64>)> =
        all.map(|qualifier| (qualifier, order.leads(&|place| of_kind(place, qualifier)))).collect();
    let inner = inner_ones(deciding);
    let mut mine: Vec<(&Restriction, Vec<Cite>)> = Vec::new();
    // Permissions with a length that cannot be kept.
    let mut unkept: Vec<Cite> = Vec::new();
    for (place, permission) in deciding.iter().enumerate() {
        let of_inner = Some(permission).filter(|one| one.lifts).and_then(|one| replacing(one, &inner, effort));
        let mut replaced = of_inner.unwrap_or(Kinds(0));
        for (qualifier, leads) in leads.iter().filter(|(qualifier, _)| of_kind(place, *qualifier)) {
            if order.replaced(place, &|other| of_kind(other, *qualifier), leads, effort).is_some() {
                replaced.0 |= Kinds::bit(*qualifier);
            }
        }
        for restriction in permission.restrictions() {
            let qualifier = restriction.qualifier;
            // On `present` a length limits texts only (our choice); on other usages it applies as it stands.
            let of_texts = qualifier == Qualifier::MaxLength && permission.usage == PRESENT;
            if replaced.has(qualifier) || (of_texts && !in_column(qualifier, usage)) {
                if !replaced.has(qualifier) && usage.has_no_length() && !is_named(lifting, permission, usage) {
                    unkept.push(permission.cite);
                }
                continue;
            }
            let known = mine.iter_mut().find(|(held, _)| {
                effort.spend(COMPARISON.saturating_add(held.value.len()).saturating_add(restriction.value.len()));
                held.qualifier == qualifier && same_value(held, restriction)
            });
            match known {
                Some((_, cites)) => cites.push(permission.cite),
                None => mine.push((restriction, vec![permission.cite])),
            }
            if effort.is_spent() {
                break;
            }
        }
        if effort.is_spent() {
            // There are too many to tell which restrictions hold.
            out.prohibited = true;
            out.decided = vec![permission.cite];
            return;
        }
    }
    if !unkept.is_empty() {
        out.prohibited = true;
        out.stated = true;
        unkept.into_iter().for_each(|cite| out.decide(cite));
        return;
    }
    if mine.iter().any(|(restriction, _)| is_any_modification(restriction)) {
        mine.retain(|(restriction, _)| {
            restriction.qualifier != Qualifier::ProhibitedModification || is_any_modification(restriction)
        });
    }
    // Nobody can use one resource only, and another one only.
    let musts = || mine.iter().filter(|(restriction, _)| restriction.qualifier == Qualifier::MustUseResource);
    if musts().nth(1).is_some() {
        out.prohibited = true;
        out.stated = true;
        musts().flat_map(|(_, cites)| cites).for_each(|cite| out.decide(*cite));
        return;
    }
    let over = || mine.iter().filter(|(restriction, _)| restriction.is_over(usage, at, facts));
    if over().next().is_some() {
        out.prohibited = true;
        out.stated = true;
        out.expired = true;
        over().flat_map(|(_, cites)| cites).for_each(|cite| out.decide(*cite));
        return;
    }
    for (restriction, cites) in mine {
        let Some(cite) = cites.first().copied() else { continue };
        restrictions.push(CitedRestriction {
            name: restriction.name(),
            value: restriction.value.clone(),
            part: None,
            cite,
        });
    }
}

/// `acap:` and `the-acap:` are the same prefix.
fn same_value(a: &Restriction, b: &Restriction) -> bool {
    let bare = |value: &str| -> String {
        let value = unescape(value);
        let lower = value.to_ascii_lowercase();
        let skip =
            ["the-acap:", "acap:"].iter().find(|prefix| lower.starts_with(**prefix)).map_or(0, |prefix| prefix.len());
        if skip > 0 { format!("acap:{}", value.get(skip..).unwrap_or("")) } else { value }
    };
    match a.qualifier {
        Qualifier::MustUseResource | Qualifier::MustIncludeResource | Qualifier::Location => {
            bare(&a.value) == bare(&b.value)
        }
        _ => unescape(&a.value).eq_ignore_ascii_case(&unescape(&b.value)),
    }
}
