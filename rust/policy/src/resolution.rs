//! Who wins among the statements that apply to a question.
//!
//! Laws:
//! - A question is prohibited iff some applicable prohibition is not overcome by an applicable permission; so adding a
//!   prohibition never permits more, and the order of statements never matters.
//! - A permission overcomes a prohibition by the first of these keys on which they differ: the part of the resource, the
//!   purpose, the crawler named, the resources, the comparison of the draft; if by none, the prohibition stands. That key is
//!   the explanation.
//! - Conventional rules have one number each, made when a crawler's rules are selected ([`crate::rep`]): the
//!   greatest wins.

use std::collections::BTreeMap;

use crate::limits::{CITED, COMPARED, COMPARISON, DRAFTS_COMPARED};
use crate::pattern::{Relation, compare};
use crate::restrictions::{Facts, Qualifier, Restriction, TABLE, in_column, is_any_modification};
use crate::statement::Outcome;
use crate::statement::{Effect, Firm, Part};
use crate::usage::{CRAWL, PRESENT, Usage};

/// What separates a winner from a loser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// One names the crawler, the other addresses any (P1 4.1).
    CrawlerNamed,
    /// One is for the purpose, the other for none (G 2.2).
    Purpose,
    /// One is about an inner part of the resource, which counts first (P2 2.2.8).
    Part,
    /// One is on a usage below the other's.
    Usage,
    /// The resources of one lie within the other's (P1 4.3, G 2.3).
    Resources,
    /// The draft's character-by-character comparison (P1 4.5.2.5.3).
    DraftComparison,
    /// No key separates them, and then the prohibition stands (P1 4.3, P2 2.2.8).
    Tie,
    /// The longer pattern (RFC 9309 2.2.2).
    Length,
    /// The rule that permits, of two equally long ones (RFC 9309 2.2.2).
    AllowOnTie,
    /// The earlier line.
    Order,
    /// An explicit Allow of the 2.0.0 proposal.
    ExplicitAllow,
    /// Another dialect refuses.
    Dialect,
    /// An ACAP statement of the same page is on the same usage (section 7).
    Acap,
    /// robots.txt and the response differ in one vocabulary.
    Carrier,
    /// The prohibition could not be read whole, and this permission does not lift it.
    Cut,
}

impl Key {
    pub const ALL: [Self; 15] = [
        Self::CrawlerNamed,
        Self::Purpose,
        Self::Part,
        Self::Usage,
        Self::Resources,
        Self::DraftComparison,
        Self::Tie,
        Self::Length,
        Self::AllowOnTie,
        Self::Order,
        Self::ExplicitAllow,
        Self::Dialect,
        Self::Acap,
        Self::Carrier,
        Self::Cut,
    ];

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
            Self::Acap => "acap",
            Self::Carrier => "carrier",
            Self::Cut => "cut",
        }
    }
}

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

/// Where a statement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cite {
    /// A conventional line: its place in the table of entries.
    Line(u32),
    /// A statement of an ACAP file: 0 is the policy's own, then the references in their order. With the one of its
    /// usages that it is cited for, and its effect on that usage.
    Statement { file: u32, place: u32, usage: Usage, effect: Effect },
    /// `ACAP-permissions-reference`.
    Reference(u32),
    /// `ACAP-request-take-down`.
    Request { file: u32, place: u32 },
    /// No line matched, and the record refuses what no line matches.
    NothingMatched,
    /// A line of Content-Signal, Content-Usage or License: its place in the table of entries, the one of its usages
    /// that it is cited for, and its outcome for that usage.
    Signal { entry: u32, usage: Usage, outcome: Outcome },
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
    /// It is a refusal of the Robots Exclusion Protocol; a permission on the same resources overcomes it too (G 2.1).
    pub conventional: bool,
    /// It may overcome a prohibition; a permission beyond a limit only restricts.
    pub lifts: bool,
    /// How firmly a prohibition stands where something in it cannot be told: fewer permissions overcome it, or none.
    pub firm: Firm,
    /// The restrictions of the definition of its usage, and its own.
    pub restrictions: [&'a [Restriction]; 2],
    pub cite: Cite,
}

impl<'a> Candidate<'a> {
    fn restrictions(&self) -> impl Iterator<Item = &'a Restriction> {
        self.restrictions.into_iter().flatten()
    }

    /// Whether it does more than restrict.
    pub fn speaks(&self) -> bool {
        self.lifts || self.effect == Effect::Prohibits
    }
}

/// How much may still be compared for a question, from [`COMPARED`] down. Where that is spent, the answer is a
/// prohibition.
#[derive(Clone, Copy, Debug)]
pub struct Effort(usize);

impl Default for Effort {
    fn default() -> Self {
        Self(COMPARED)
    }
}

impl Effort {
    pub fn spend(&mut self, octets: usize) {
        self.0 = self.0.saturating_sub(octets);
    }

    pub fn is_spent(&self) -> bool {
        self.0 == 0
    }
}

/// The key on which `a` is narrower than `b`, if it is.
fn narrower(a: &Candidate<'_>, b: &Candidate<'_>, effort: &mut Effort) -> Option<Key> {
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

/// Whether a prohibition in which something cannot be told withstands a permission, which might not lift what was
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

fn tier_key(first: Tier, second: Tier) -> Key {
    if first.has_purpose() == second.has_purpose() { Key::CrawlerNamed } else { Key::Purpose }
}

/// Why the permission `a` did not overcome the standing prohibition `p`.
fn lost_on(a: &Candidate<'_>, p: &Candidate<'_>, effort: &mut Effort) -> Key {
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

/// The result of resolving the candidates of a question.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    pub prohibited: bool,
    pub expired: bool,
    pub stated: bool,
    pub decided: Vec<Cite>,
    pub lost: Vec<(Cite, Key)>,
    /// Permissions that may overcome nothing, but restrict.
    pub restricting: Vec<Cite>,
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

impl Finding {
    fn decide(&mut self, cite: Cite) {
        if self.decided.len() < CITED && !self.decided.contains(&cite) {
            self.decided.push(cite);
        }
    }

    fn lose(&mut self, cite: Cite, key: Key) {
        if self.lost.len() < CITED {
            self.lost.push((cite, key));
        }
    }
}

/// What the resolution of a question on one usage depends on, beside the candidates.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    pub usage: Usage,
    pub at: i64,
    pub facts: &'a Facts,
    /// Name the losers too; the outcome and the restrictions are the same without.
    pub trace: bool,
}

/// Applies the rules to the applicable statements on one usage.
///
/// At most [`CITED`] statements are named as deciding, and as many as having lost.
pub fn resolve(list: &[Candidate<'_>], setting: Setting<'_>, held: &mut Vec<Held>, effort: &mut Effort) -> Finding {
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
        hold(&deciding, &lifting, setting, held, &mut out, effort);
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
        let key = if kinds.is_some_and(|kinds| Kinds::of(permission).0 & !kinds.0 == 0) {
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

/// Whether an inner permission replaces an outer one, which is on the same usage or one above, and in no earlier tier.
fn within(inner: &Candidate<'_>, outer: &Candidate<'_>) -> bool {
    inner.lifts && inner.part < outer.part && inner.tier <= outer.tier && outer.usage.covers(inner.usage)
}

/// The permissions inside of the outermost part that permits: most questions have none.
fn inner_ones<'c, 'a>(deciding: &[&'c Candidate<'a>]) -> Vec<&'c Candidate<'a>> {
    let outermost = deciding.iter().map(|one| one.part).max();
    deciding.iter().copied().filter(|one| one.lifts && Some(one.part) < outermost).collect()
}

/// The kinds of restrictions of the inner permissions that replace an outer one; none if none does.
fn replacing(outer: &Candidate<'_>, inner: &[&Candidate<'_>], effort: &mut Effort) -> Option<Kinds> {
    effort.spend(inner.len());
    let mut replacing = inner.iter().filter(|one| within(one, outer)).peekable();
    replacing.peek().is_some().then(|| Kinds(replacing.fold(0, |kinds, one| kinds | Kinds::of(one).0)))
}

/// Which permission replaces which: the narrower one replaces the broader one, unless a chain of further ones leads
/// back.
///
/// Inclusion and the draft's comparison together can form a circle; in a circle none replaces another. Above
/// [`DRAFTS_COMPARED`] permissions only inclusion counts, so that more restrictions hold together.
struct Order<'c, 'a> {
    list: &'c [&'c Candidate<'a>],
    /// For each permission the set of those it is narrower than, one bit each; none above [`DRAFTS_COMPARED`].
    broader: Option<Vec<u64>>,
}

fn bit(place: usize) -> u64 {
    1u64.wrapping_shl(u32::try_from(place).unwrap_or(u32::MAX))
}

impl<'c, 'a> Order<'c, 'a> {
    fn of(list: &'c [&'c Candidate<'a>], effort: &mut Effort) -> Self {
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
    fn leads(&self, counts: &dyn Fn(usize) -> bool) -> Vec<u64> {
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
    fn replaced(
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
struct Kinds(u32);

impl Kinds {
    fn of(one: &Candidate<'_>) -> Self {
        Self(one.restrictions().fold(0, |kinds, restriction| kinds | Self::bit(restriction.qualifier)))
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
fn hold(
    deciding: &[&Candidate<'_>],
    lifting: &[&Candidate<'_>],
    setting: Setting<'_>,
    held: &mut Vec<Held>,
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
        held.push(Held { name: restriction.name(), value: restriction.value.clone(), part: None, cite });
    }
}

/// `acap:` and `the-acap:` are the same prefix.
fn same_value(a: &Restriction, b: &Restriction) -> bool {
    let bare = |value: &str| -> String {
        let value = crate::octets::unescape(value);
        let lower = value.to_ascii_lowercase();
        let skip =
            ["the-acap:", "acap:"].iter().find(|prefix| lower.starts_with(**prefix)).map_or(0, |prefix| prefix.len());
        if skip > 0 { format!("acap:{}", value.get(skip..).unwrap_or("")) } else { value }
    };
    match a.qualifier {
        Qualifier::MustUseResource | Qualifier::MustIncludeResource | Qualifier::Location => {
            bare(&a.value) == bare(&b.value)
        }
        _ => crate::octets::unescape(&a.value).eq_ignore_ascii_case(&crate::octets::unescape(&b.value)),
    }
}
