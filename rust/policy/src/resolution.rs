//! Who wins: conflict rules as data, and the one loop that applies them.
//!
//! Laws:
//! - A question is prohibited iff some applicable prohibition is not overcome by an applicable permission; so adding a
//!   prohibition never permits more, and the order of statements never matters.
//! - Which permission overcomes which prohibition is read off [`FAMILIES`] key by key; the key that separates them is the
//!   explanation.

use std::collections::BTreeMap;

use crate::decide::Outcome;
use crate::limits::{CITED, COMPARED, COMPARISON, DRAFTS_COMPARED};
use crate::pattern::{Relation, compare};
use crate::restrictions::{Facts, Qualifier, Restriction, TABLE, in_column, is_any_modification};
use crate::statement::{Effect, Firm, Part};
use crate::usage::{CRAWL, PRESENT, Usage};

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
    /// ACAP says something on the same usage in the same page (section 7).
    Acap,
    /// robots.txt and the response say different things in one vocabulary.
    Carrier,
    /// What prohibits could not be read whole, and this does not lift it.
    Cut,
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
            Self::Acap => "acap",
            Self::Carrier => "carrier",
            Self::Cut => "cut",
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
        keys: &[Key::Part, Key::Purpose, Key::CrawlerNamed, Key::Usage, Key::Resources, Key::DraftComparison],
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
    /// A statement of an ACAP file: 0 is the policy's own, then the references in their order; and which of its usages
    /// it is about, and what it does to that.
    Statement { file: u32, place: u32, usage: Usage, effect: Effect },
    /// `ACAP-permissions-reference`.
    Reference(u32),
    /// `ACAP-request-take-down`.
    Request { file: u32, place: u32 },
    /// Nothing matched, and the record refuses what nothing matches.
    NothingMatched,
    /// A line of Content-Signal, Content-Usage or License: its place in the table of entries, which of its usages it is
    /// about, and what it comes to for that.
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
    /// What the Robots Exclusion Protocol refuses; a permission on the same resources overcomes it too (G 2.1).
    pub conventional: bool,
    /// It may overcome a prohibition; a permission beyond a limit only restricts.
    pub lifts: bool,
    /// A prohibition that stands for what nobody can tell: less overcomes it, or nothing.
    pub firm: Firm,
    /// Of the definition of its usage, and its own.
    pub restrictions: [&'a [Restriction]; 2],
    pub cite: Cite,
}

impl<'a> Candidate<'a> {
    fn restrictions(&self) -> impl Iterator<Item = &'a Restriction> {
        self.restrictions.into_iter().flatten()
    }

    /// Whether it says more than what is restricted.
    pub fn speaks(&self) -> bool {
        self.lifts || self.effect == Effect::Prohibits
    }
}

/// How much may still be compared for a question ([`COMPARED`]). What can no longer be compared prohibits.
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
    match compare(a.pattern, b.pattern) {
        Relation::Narrower => Some(Key::Resources),
        Relation::Same if a.usage != b.usage => Some(Key::Usage),
        Relation::Same if b.conventional => Some(Key::Resources),
        Relation::DraftNarrower if a.usage == b.usage && !b.conventional => Some(Key::DraftComparison),
        _ => None,
    }
}

/// The key on which a permission overcomes a prohibition, if it does.
pub(crate) fn overcomes(a: &Candidate<'_>, p: &Candidate<'_>, effort: &mut Effort) -> Option<Key> {
    if withstands(p, a) {
        return None;
    }
    // What a page says cannot have been read where it may not be crawled (section 7).
    if p.usage == CRAWL && p.part == Part::Site && a.part != Part::Site {
        return None;
    }
    // The innermost part counts first (P2 2.2.8): nothing outside of it lifts what it prohibits.
    match a.part.cmp(&p.part) {
        std::cmp::Ordering::Greater => None,
        std::cmp::Ordering::Less => {
            let counts = a.tier <= p.tier && !self_declared(a, p);
            (counts && p.usage.covers(a.usage)).then_some(Key::Part)
        }
        std::cmp::Ordering::Equal if a.tier == p.tier => narrower(a, p, effort),
        std::cmp::Ordering::Equal => {
            // The same usages only (P1 4.1).
            let counts = a.tier < p.tier && !self_declared(a, p);
            (counts && p.usage.covers(a.usage)).then(|| tier_key(a.tier, p.tier))
        }
    }
}

/// Whether a prohibition in the place of what nobody can tell withstands a permission that might not lift that.
fn withstands(p: &Candidate<'_>, a: &Candidate<'_>) -> bool {
    match p.firm {
        Firm::No => false,
        Firm::InTier => a.part != p.part || a.tier >= p.tier,
        Firm::Always => true,
    }
}

/// A crawler declares its purposes itself, so what is said to a purpose lifts no refusal that names the crawler.
fn self_declared(a: &Candidate<'_>, p: &Candidate<'_>) -> bool {
    a.tier == Tier::Purpose && p.tier == Tier::Named
}

/// The key on which the first permission that can overcomes a prohibition; none where there was no effort left to look.
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

/// How a question came out among the candidates.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    pub prohibited: bool,
    pub expired: bool,
    pub stated: bool,
    pub decided: Vec<Cite>,
    pub lost: Vec<(Cite, Key)>,
    /// Permissions that lift nothing, of which something is restricted.
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

/// What a question on one usage is judged by.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    pub usage: Usage,
    pub at: i64,
    pub facts: &'a Facts,
    /// The losers are named; the outcome and the restrictions are the same without.
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
    // What only explains takes nothing from what decides.
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
    // Of each part the permissions of its first tier restrict, and what they restrict holds together.
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
        // Of a permission that inner ones replace nothing is left but what it alone restricts.
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
        // Without a trace the first is enough.
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

/// Of each part the first tier that permits.
fn first_tiers(lifting: &[&Candidate<'_>]) -> BTreeMap<Part, Tier> {
    let mut first: BTreeMap<Part, Tier> = BTreeMap::new();
    for one in lifting {
        first.entry(one.part).and_modify(|tier| *tier = one.tier.min(*tier)).or_insert(one.tier);
    }
    first
}

/// Whether an inner permission takes the place of one outside, on the same usage or above, in no earlier tier.
fn within(inner: &Candidate<'_>, outer: &Candidate<'_>) -> bool {
    inner.lifts && inner.part < outer.part && inner.tier <= outer.tier && outer.usage.covers(inner.usage)
}

/// The permissions within the outermost part that permits: in most questions there are none.
fn inner_ones<'c, 'a>(deciding: &[&'c Candidate<'a>]) -> Vec<&'c Candidate<'a>> {
    let outermost = deciding.iter().map(|one| one.part).max();
    deciding.iter().copied().filter(|one| one.lifts && Some(one.part) < outermost).collect()
}

/// The kinds of restrictions that inner permissions have in place of one outside; none if no inner one takes its place.
fn replacing(outer: &Candidate<'_>, inner: &[&Candidate<'_>], effort: &mut Effort) -> Option<Kinds> {
    effort.spend(inner.len());
    let mut replacing = inner.iter().filter(|one| within(one, outer)).peekable();
    replacing.peek().is_some().then(|| Kinds(replacing.fold(0, |kinds, one| kinds | Kinds::of(one).0)))
}

/// Which permission replaces which: the narrower the broader, unless by way of further ones it is broader as well.
///
/// Inclusion and the draft's comparison together can run in a circle; then none replaces another. Of a great many
/// permissions inclusion alone counts, so that more values hold together.
struct Order<'c, 'a> {
    list: &'c [&'c Candidate<'a>],
    /// For each permission those it is narrower than, a bit for each; none of a great many.
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

    /// For each permission the broader ones it leads to, step by step, by those that count.
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

/// Whether a permission of the same tier and part names a representation, which a length on `present` does not limit then.
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
        // What is beyond a limit neither replaces nor is replaced.
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
            // On `present` a length is one of texts (our choice); elsewhere it is kept where it stands.
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
            // Too many to tell what holds.
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
    // Nobody can use one resource and none but another.
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
