//! The refusals of a policy to one crawler, as sets of paths.
//!
//! A usage of a path is refused iff the path matches a prohibition, and no permission that overcomes that prohibition.
//! Which permission overcomes which prohibition does not depend on the path, so each prohibition is a [`Claim`]: the
//! paths of one pattern without those of others. Restrictions, the other part of a decision, depend on which of a few
//! permissions match. Claims of rules, fields, signals and control tokens are one module, for they share one budget.
//!
//! Law: for every path, [`Policy::answer`] prohibits iff a claim does, or restrictions cannot be met
//! (proven by the tests of [`crate::difference`], which try every short path).

use std::ops::Range;

use super::applicable::Wanted;
use super::controls::Control;
use super::view::View;
use crate::automaton::{PatternTable, PrefixIndex, Work};
use crate::limits::CLAIMED;
use crate::places::to_usize;
use crate::policy::{Policy, State};
use crate::rep::Selection;
use crate::resolution::{Candidate, Cite, Effort, Tier, overcomes};
use crate::rules::Rule;
use crate::statement::{Effect, Firm, Part};
use crate::usage::{self, Usage};

/// The paths of one pattern that a prohibition refuses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Claim {
    pub pattern: u32,
    /// Places of patterns on the ladder, the longer Allow lines; a path that matches any of them is not refused.
    pub rungs: Range<usize>,
    /// Further patterns; a path that matches any of them is not refused either.
    pub others: Vec<u32>,
    /// The place of its conventional line in the table of entries.
    pub entry: Option<u32>,
}

/// The refusals of a policy for one usage and purpose, including those of every usage it depends on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Claims {
    pub list: Vec<Claim>,
    /// Patterns of conventional lines that permit, the strongest first: a ladder of those for the crawler, then one for
    /// each control token.
    pub ladder: Vec<u32>,
    /// Where the last of them begins: that for a control token, if there is one beside the crawler's.
    pub last_ladder: usize,
    /// The places of those lines in the table of entries.
    pub permitting: Vec<u32>,
    /// Patterns on which the restrictions of a permission depend; none if there are no restrictions.
    pub restricting: Vec<u32>,
    /// Every ACAP statement and signal that was considered.
    pub cites: Vec<Cite>,
    /// There are too many statements to compare with each other.
    pub too_many: bool,
}

/// The claims and the rungs of the ladder, sorted by the prefix of the paths they match.
#[derive(Debug, Default)]
pub(crate) struct Sorted {
    pub list: PrefixIndex,
    pub ladder: PrefixIndex,
}

impl Claims {
    pub(crate) fn sorted(&self, atoms: &PatternTable) -> Sorted {
        let list = atoms.heads(self.list.iter().map(|claim| claim.pattern));
        Sorted { list, ladder: atoms.heads(self.ladder.iter().copied()) }
    }

    /// The claims that may refuse a path that all patterns of `must` match.
    pub(crate) fn near<'a>(
        &'a self,
        sorted: &'a Sorted,
        atoms: &'a PatternTable,
        must: &'a [u32],
    ) -> impl Iterator<Item = &'a Claim> + 'a {
        let near = sorted.list.near(atoms.beginning(must)).into_iter().filter_map(|place| self.list.get(place));
        near.filter(|claim| atoms.concerns(must, claim.pattern))
    }

    /// The rungs that may match a path that all patterns of `must` match, each with its atom.
    pub(crate) fn rungs_near<'a>(
        &'a self,
        sorted: &'a Sorted,
        atoms: &'a PatternTable,
        must: &'a [u32],
    ) -> impl Iterator<Item = (usize, u32)> + 'a {
        let near = sorted.ladder.near(atoms.beginning(must)).into_iter();
        near.filter_map(|rung| self.ladder.get(rung).map(|atom| (rung, *atom)))
            .filter(|(_, atom)| atoms.concerns(must, *atom))
    }
}

/// A statement that applies to the crawler on some path.
struct ApplicableStatement<'a> {
    candidate: Candidate<'a>,
    atom: u32,
}

/// Steps that comparing a permission with a prohibition costs.
const OVERCOMING: usize = 16;
/// At most this many lines per record of the 2.0.0 proposal are compared with each other.
const LINES: usize = 500;

impl Policy {
    /// What is refused to a crawler; `purpose` is folded.
    pub(crate) fn claims(
        &self,
        view: &View,
        usage: Usage,
        purpose: Option<&[u8]>,
        atoms: &mut PatternTable,
        work: &mut Work,
    ) -> Claims {
        let mut claiming = Claiming::new(self, view, purpose, atoms, work);
        claiming.all_of(usage);
        claiming.out
    }

    /// What each control token refuses, beside what is refused to crawl, with the lines for the token; none where that
    /// comes to what lines refuse by themselves.
    pub(crate) fn control_claims<'a>(
        &'a self,
        view: &'a View,
        work: &'a mut Work,
    ) -> impl Iterator<Item = (&'a Selection, PatternTable, Claims)> {
        view.controlling().filter(|_| !view.acap.statements.is_empty()).map(move |control| {
            let mut atoms = PatternTable::default();
            let mut claiming = Claiming::new(self, view, None, &mut atoms, work);
            claiming.add(usage::CRAWL);
            claiming.out.last_ladder = claiming.out.ladder.len();
            claiming.add_refusals(control.selection(&view.rep), &[]);
            let claims = claiming.out;
            (control.selection(&view.rep), atoms, claims)
        })
    }
}

impl View {
    /// The resources that may always be fetched.
    pub(crate) fn always(&self, atoms: &mut PatternTable) -> Vec<u32> {
        self.policy_paths().flat_map(|path| both_forms(path, atoms)).collect()
    }
}

/// Collects the claims on a crawler and a purpose.
struct Claiming<'a, 'w> {
    policy: &'a Policy,
    view: &'a View,
    purpose: Option<&'a [u8]>,
    /// What may always be fetched.
    always: Vec<u32>,
    atoms: &'w mut PatternTable,
    work: &'w mut Work,
    out: Claims,
}

impl<'a, 'w> Claiming<'a, 'w> {
    fn new(
        policy: &'a Policy,
        view: &'a View,
        purpose: Option<&'a [u8]>,
        atoms: &'w mut PatternTable,
        work: &'w mut Work,
    ) -> Self {
        let always = view.always(atoms);
        Self { policy, view, purpose, always, atoms, work, out: Claims::default() }
    }

    /// Adds the claims of a usage and of every usage it depends on.
    ///
    /// The steps are those of an answer, written a second time: an answer ends at the first step that prohibits its one
    /// path, and names it, while here each step refuses other paths and all are taken. What a step decides is shared:
    /// who is addressed, what a statement says, and what overcomes what.
    fn all_of(&mut self, usage: Usage) {
        let (policy, view) = (self.policy, self.view);
        let claim = |pattern: u32, others: Vec<u32>| Claim { pattern, rungs: 0..0, others, entry: None };
        let all = self.atoms.pattern(b"/");
        if policy.state == State::Unreachable || policy.in_doubt() || !view.acap.missing.is_empty() {
            let others = if usage == usage::CRAWL { self.always.clone() } else { Vec::new() };
            self.out.list.push(claim(all, others));
            return;
        }
        if usage.is_of_content() {
            for (file, place) in &view.acap.requests {
                let Some(file) = policy.file(*file) else { continue };
                let Some(request) = file.requests.get(to_usize(*place)).filter(|request| request.take_down) else {
                    continue;
                };
                let pattern = if request.cut { all } else { self.atoms.path(file.path(request)) };
                self.out.list.push(claim(pattern, Vec::new()));
            }
        }
        self.add(usage::CRAWL);
        if usage != usage::CRAWL {
            let needed = usage.needs_preserve().then_some(usage::PRESERVE);
            needed.into_iter().chain([usage]).for_each(|usage| self.add(usage));
            needed.into_iter().chain([usage]).for_each(|usage| self.add_signals(usage));
            view.controlling().for_each(|control| self.add_control(control, usage));
            for heard in view.told_on(usage) {
                self.view = heard;
                self.all_of(usage);
            }
            self.view = view;
        }
        self.out.too_many |= self.work.is_over();
        self.out.restricting.sort_unstable();
        self.out.restricting.dedup();
    }

    /// Adds the claims of the statements on one usage and those above it.
    fn add(&mut self, usage: Usage) {
        self.work.spend(self.view.acap.statements.len());
        let own = self.statements_on(|held| held.covers(usage));
        let rest = if usage.in_remainder() { self.statements_on(|held| held == usage::OTHER) } else { Vec::new() };
        self.out.cites.extend(own.iter().chain(&rest).map(|one| one.candidate.cite));
        let weight = own.len().saturating_add(rest.len());
        if self.out.too_many || weight > CLAIMED {
            self.out.too_many = true;
            return;
        }
        // What may always be fetched is not refused to crawl.
        let always = if usage == usage::CRAWL { &*self.always } else { &[] };
        let mut overcoming = |list: &[ApplicableStatement<'_>], prohibition: &Candidate<'_>| -> Vec<u32> {
            self.work.spend(list.len().saturating_mul(OVERCOMING));
            if self.work.is_over() {
                return Vec::new();
            }
            let lifting = list.iter().filter(|one| one.candidate.lifts);
            lifting
                .filter(|one| overcomes(&one.candidate, prohibition, &mut Effort::default()).is_some())
                .map(|one| one.atom)
                .collect()
        };
        let prohibits = |one: &&ApplicableStatement<'_>| one.candidate.effect == Effect::Prohibits;
        for one in own.iter().filter(prohibits) {
            let mut others = overcoming(&own, &one.candidate);
            others.extend_from_slice(always);
            self.out.list.push(Claim { pattern: one.atom, rungs: 0..0, others, entry: None });
        }
        // The remainder counts only where no other statement does.
        let speaking: Vec<u32> = own.iter().filter(|one| one.candidate.speaks()).map(|one| one.atom).collect();
        for one in rest.iter().filter(prohibits) {
            let mut others = overcoming(&rest, &one.candidate);
            others.extend_from_slice(&speaking);
            self.out.list.push(Claim { pattern: one.atom, rungs: 0..0, others, entry: None });
        }
        if usage == usage::CRAWL {
            self.add_refusals(&self.view.rep, &own);
        }
        let restricts = |one: &&ApplicableStatement<'_>| one.candidate.restrictions.iter().any(|list| !list.is_empty());
        let restricted: Vec<&ApplicableStatement<'_>> = own.iter().chain(&rest).filter(restricts).collect();
        if let Some(last) = restricted.iter().map(|one| one.candidate.tier).max() {
            // A permission of a stronger tier replaces the restricted one; any permission replaces one on the
            // remainder.
            let of_rest = rest.iter().any(|one| restricts(&one));
            // A permission that names a representation replaces a length on `present`.
            let names = |one: &Candidate<'_>| one.usage == usage && usage.has_no_length();
            let displaces = |one: &&ApplicableStatement<'_>| {
                one.candidate.lifts && (of_rest || one.candidate.tier < last || names(&one.candidate))
            };
            let restricting = own
                .iter()
                .filter(displaces)
                .chain(rest.iter().filter(|one| one.candidate.lifts && one.candidate.tier < last))
                .chain(restricted);
            self.out.restricting.extend(restricting.map(|one| one.atom));
            // What may always be fetched has no restriction.
            if usage == usage::CRAWL {
                self.out.restricting.extend_from_slice(&self.always);
            }
        }
    }

    /// Adds what a control token refuses for a usage; nothing lifts that.
    fn add_control(&mut self, control: &'a Control, usage: Usage) {
        let Some(held) = control.on(usage) else { return };
        let before = self.out.list.len();
        self.add_refusals(control.selection(&self.view.rep), &[]);
        let Claims { list, cites, .. } = &mut self.out;
        let lines = list.get(before..).unwrap_or(&[]).iter();
        cites.extend(lines.map(|claim| Control::cite(claim.entry.map_or(Cite::NothingMatched, Cite::Line), held)));
    }

    /// Adds the refusals of conventional lines, but for what ACAP statements lift.
    fn add_refusals(&mut self, rep: &'a Selection, acap: &[ApplicableStatement<'_>]) {
        let text = self.policy.text();
        let Self { always, atoms, work, out, .. } = self;
        let lifting: Vec<&ApplicableStatement<'_>> = acap.iter().filter(|one| one.candidate.lifts).collect();
        let rules = rep.rules.len();
        let first = out.ladder.len();
        if rules > CLAIMED || rules.saturating_mul(lifting.len()) > CLAIMED.saturating_mul(100) {
            out.too_many = true;
            return;
        }
        let mut lifted = |pattern: &[u8], named: bool, cite: Cite| -> Vec<u32> {
            work.spend(lifting.len().saturating_mul(OVERCOMING).saturating_add(1));
            if work.is_over() {
                return Vec::new();
            }
            let refusal = Candidate {
                tier: Tier::of(false, named),
                part: Part::Site,
                usage: usage::CRAWL,
                effect: Effect::Prohibits,
                pattern,
                conventional: true,
                lifts: false,
                firm: Firm::No,
                restrictions: [&[], &[]],
                cite,
            };
            let overcoming =
                |one: &&&ApplicableStatement<'_>| overcomes(&one.candidate, &refusal, &mut Effort::default()).is_some();
            lifting.iter().filter(overcoming).map(|one| one.atom).chain(always.iter().copied()).collect()
        };
        let mut rules: Vec<Rule> = rep.rules.to_vec();
        rules.sort_by_key(|rule| (std::cmp::Reverse(rule.key), rule.entry));
        for rule in rules {
            let pattern = rep.rules.pattern(text, rule);
            let atom = if rule.wild { atoms.pattern(pattern) } else { atoms.prefix(pattern) };
            if rule.permits() {
                out.ladder.push(atom);
                out.permitting.push(rule.entry);
            } else if rule.refuses() {
                let others = lifted(pattern, rep.named, Cite::Line(rule.entry));
                let rungs = first..out.ladder.len();
                out.list.push(Claim { pattern: atom, rungs, others, entry: Some(rule.entry) });
            }
        }
        for apart in &rep.apart {
            let others = match apart.firm {
                true => always.to_vec(),
                false => lifted(&apart.pattern, true, Cite::Line(apart.entry)),
            };
            let pattern = if apart.literal { atoms.prefix(&apart.pattern) } else { atoms.pattern(&apart.pattern) };
            out.list.push(Claim { pattern, rungs: 0..0, others, entry: Some(apart.entry) });
        }
        for record in &rep.records {
            if record.len() > LINES {
                out.too_many = true;
                return;
            }
            for refusal in record.refusals() {
                let cite = refusal.entry.map_or(Cite::NothingMatched, Cite::Line);
                let mut others = lifted(&refusal.pattern, record.named, cite);
                others.extend(refusal.but.into_iter().map(|machine| {
                    let shown = machine.pattern();
                    atoms.add(machine, &shown)
                }));
                let shown = refusal.machine.pattern();
                let pattern = atoms.add(refusal.machine, &shown);
                out.list.push(Claim { pattern, rungs: 0..0, others, entry: refusal.entry });
            }
        }
    }

    /// The ACAP statements addressed to the crawler, on the usages wanted and for the purpose, whatever the path.
    fn statements_on(&mut self, wanted: impl Fn(Usage) -> bool) -> Vec<ApplicableStatement<'a>> {
        let (policy, view) = (self.policy, self.view);
        let mut out = Vec::new();
        let mut wanted = Wanted::new(wanted);
        for one in &view.acap.statements {
            let Some(file) = policy.file(one.file) else { continue };
            let Some(statement) = file.statements.get(to_usize(one.place)) else { continue };
            if !view.is_for_purpose(one, self.purpose) {
                continue;
            }
            for target in wanted.of(one.file, file, statement).iter().filter(|target| wanted.is(target)) {
                let Some(stated) = view.says(file, one, statement, target) else { continue };
                for pattern in file.patterns(statement) {
                    if out.len() > CLAIMED {
                        self.out.too_many = true;
                        return out;
                    }
                    let candidate = Candidate { pattern, ..stated.clone() };
                    out.push(ApplicableStatement { atom: self.atoms.pattern(pattern), candidate });
                }
            }
        }
        out
    }

    /// Adds the refusals of Content-Signal and Content-Usage lines, and the paths that License lines may make
    /// conditional.
    fn add_signals(&mut self, usage: Usage) {
        let Self { atoms, work, out, .. } = self;
        let Some(signals) = &self.view.signals else { return };
        let before = out.cites.len();
        out.cites.extend(signals.cites(usage));
        work.spend(out.cites.len().saturating_sub(before));
        for refusal in signals.refusals(usage) {
            work.spend(refusal.but.len());
            out.too_many |= out.list.len() > CLAIMED || refusal.but.len() > CLAIMED;
            if out.too_many {
                return;
            }
            let others = refusal.but.into_iter().map(|pattern| atoms.pattern(pattern)).collect();
            out.list.push(Claim { pattern: atoms.pattern(refusal.pattern), rungs: 0..0, others, entry: None });
        }
        if signals.licenses(usage) {
            out.restricting.push(atoms.pattern(b"/"));
        }
    }
}

/// A resource without a query, and with one.
fn both_forms(path: &[u8], atoms: &mut PatternTable) -> [u32; 2] {
    [atoms.path(path), atoms.query(path)]
}
