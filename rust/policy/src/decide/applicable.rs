//! The applicable statements: addressed to the crawler, on the usage or one above, about the resource, for the purpose.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::question::{Elsewhere, Question};
use super::view::View;
use crate::file::File;
use crate::limits::{COMPARISON, PURPOSES};
use crate::pattern::matches;
use crate::places::{Span, to_u32, to_usize};
use crate::policy::Policy;
use crate::resolution::{self, Candidate, Cite, CitedRestriction, Effort, Tier, resolve};
use crate::statement::{Effect, Outcome, Purpose, Statement, Target};
use crate::usage::{self, Usage};

/// The restriction of a question without purpose: a purpose that would be refused.
pub(crate) const EXCLUDED_PURPOSE: &str = "excluded-purpose";

/// A list of patterns of at least this length is matched once per question: many statements may share that of a set.
pub(super) const LONG: u32 = 256;

/// A run of usages of at least this length is filtered once per question: many statements may share that of a
/// definition.
const MANY: usize = 16;

/// The usages that are asked about.
pub(super) struct Wanted<F> {
    is: F,
    /// The wanted usages of long runs, by file and place.
    runs: HashMap<(u32, u32), Rc<[Target]>>,
}

/// Usages of a statement: all of a short run, only the wanted ones of a long run.
pub(super) enum Run<'a> {
    Short(&'a [Target]),
    Long(Rc<[Target]>),
}

impl std::ops::Deref for Run<'_> {
    type Target = [Target];

    fn deref(&self) -> &[Target] {
        match self {
            Self::Short(all) => all,
            Self::Long(wanted) => wanted,
        }
    }
}

impl<F: Fn(Usage) -> bool> Wanted<F> {
    pub(super) fn new(is: F) -> Self {
        Self { is, runs: HashMap::new() }
    }

    pub(super) fn of<'a>(&mut self, number: u32, file: &'a File, statement: &Statement) -> Run<'a> {
        let all = file.targets(statement);
        if all.len() < MANY {
            return Run::Short(all);
        }
        let wanted = || all.iter().filter(|target| (self.is)(target.usage)).copied().collect();
        Run::Long(self.runs.entry((number, statement.targets)).or_insert_with(wanted).clone())
    }

    pub(super) fn is(&self, target: &Target) -> bool {
        (self.is)(target.usage)
    }
}

/// Working state of one answer: remaining effort, cached matches.
pub(super) struct Scratch<'a> {
    /// The pattern that matches the path alone.
    pub(super) exact: &'a [u8],
    pub(super) effort: Effort,
    /// The statement at which the effort was spent.
    pub(super) over: Option<Cite>,
    /// The matching patterns of long lists, by file and span.
    pub(super) lists: HashMap<(u32, Span), Rc<[&'a [u8]]>>,
}

/// An applicable statement with the purposes it is for; none if it is for every purpose.
pub(super) struct ApplicableStatement<'a> {
    pub(super) purposes: Option<&'a [Purpose]>,
    pub(super) candidate: Candidate<'a>,
}

/// The applicable statements on a usage, and those on the remainder, in their order.
pub(super) struct Applicable<'a> {
    usage: Usage,
    list: Vec<ApplicableStatement<'a>>,
}

impl<'a> Applicable<'a> {
    /// The statements for a purpose, or for a question without one.
    pub(super) fn to(&self, purpose: Option<&[u8]>, effort: &mut Effort) -> Vec<Candidate<'a>> {
        let mut out = to_purpose(&self.list, purpose, effort);
        // A statement on the remainder counts only where no other statement of its part, or of an inner one, does.
        let is_own = |one: &Candidate<'_>| one.usage.covers(self.usage);
        let inner = out.iter().filter(|one| is_own(one) && one.speaks()).map(|one| one.part).min();
        out.retain(|one| is_own(one) || inner.is_none_or(|inner| one.part < inner));
        out
    }

    /// Removes statements.
    pub(super) fn put_aside(&mut self, is_aside: impl Fn(&Candidate<'_>) -> bool) {
        self.list.retain(|one| !is_aside(&one.candidate));
    }

    pub(super) fn has_purposes(&self) -> bool {
        self.list.iter().any(|one| one.purposes.is_some())
    }
}

pub(super) fn to_purpose<'a>(
    list: &[ApplicableStatement<'a>],
    purpose: Option<&[u8]>,
    effort: &mut Effort,
) -> Vec<Candidate<'a>> {
    // The statements of a sub-record are adjacent, so its purposes are matched once.
    let mut last: Option<(&[Purpose], bool)> = None;
    let mut out = Vec::new();
    for one in list {
        let is_for = match (one.purposes, purpose) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(purposes), Some(asked)) => match last {
                Some((held, is_for)) if std::ptr::eq(held, purposes) => is_for,
                _ => {
                    let is_for = purposes.iter().any(|purpose| {
                        effort.spend(COMPARISON.saturating_add(purpose.folded().len()));
                        purpose.matches(asked)
                    });
                    last = Some((purposes, is_for));
                    is_for
                }
            },
        };
        effort.spend(1);
        if is_for {
            out.push(one.candidate.clone());
        }
    }
    out
}

/// Adds a restriction for each purpose that would be prohibited, where the question has no purpose.
pub(super) fn excluded_purposes(
    view: &View,
    elsewhere: &[Elsewhere],
    applicable: &Applicable<'_>,
    setting: resolution::Setting<'_>,
    without: &[Candidate<'_>],
    restrictions: &mut Vec<CitedRestriction>,
    effort: &mut Effort,
) {
    if !applicable.has_purposes() {
        return;
    }
    let mut exclude = |written: &str, cite: Cite| {
        restrictions.push(CitedRestriction { name: EXCLUDED_PURPOSE, value: written.into(), part: None, cite });
    };
    let mut known: HashSet<&str> = view.acap.purposes.iter().map(|purpose| &*purpose.written).collect();
    let others = elsewhere.iter().filter(|one| one.dialect == 0).filter_map(|one| one.purpose.as_ref());
    let mut others = others.filter(|purpose| !purpose.is_any() && known.insert(&purpose.written));
    let others_too: Vec<&Purpose> = others.by_ref().take(PURPOSES).collect();
    let more = view.acap.more_purposes || others.next().is_some();
    for purpose in view.acap.purposes.iter().chain(others_too) {
        if effort.is_spent() {
            exclude(&purpose.written, Cite::NothingMatched);
            continue;
        }
        let mut list = applicable.to(Some(purpose.folded()), effort);
        list.extend(without.iter().filter(|one| one.conventional).cloned());
        let finding = resolve(&list, setting, &mut Vec::new(), effort);
        if finding.prohibited || effort.is_spent() {
            exclude(&purpose.written, finding.decided.first().copied().unwrap_or(Cite::NothingMatched));
        }
    }
    if more {
        exclude("*", Cite::NothingMatched);
    }
}

impl Policy {
    /// The ACAP statements that apply, for whatever purpose: addressed to the crawler, on the usage or one above,
    /// matching the path; and those on the remainder, which count only where no others do (G 1.3).
    pub(super) fn applicable<'a>(
        &'a self,
        view: &'a View,
        question: &'a Question<'a>,
        usage: Usage,
        scratch: &mut Scratch<'a>,
    ) -> Applicable<'a> {
        let wanted = |held: Usage| held.covers(usage) || (usage.in_remainder() && held == usage::OTHER);
        let mut list = self.on(view, question, scratch, wanted);
        list.extend(elsewhere(question, scratch.exact, wanted));
        Applicable { usage, list }
    }

    fn on<'a>(
        &'a self,
        view: &'a View,
        question: &'a Question<'a>,
        scratch: &mut Scratch<'a>,
        wanted: impl Fn(Usage) -> bool,
    ) -> Vec<ApplicableStatement<'a>> {
        let mut out = Vec::new();
        let mut wanted = Wanted::new(wanted);
        for one in &view.acap.statements {
            let Some(file) = self.file(one.file) else { continue };
            let Some(statement) = file.statements.get(to_usize(one.place)) else { continue };
            let targets = wanted.of(one.file, file, statement);
            scratch.effort.spend(targets.len());
            let Some(first) = targets.iter().find(|target| wanted.is(target)) else { continue };
            let (number, place) = (one.file, one.place);
            let cite = |usage: Usage, effect: Effect| Cite::Statement { file: number, place, usage, effect };
            let purposes = view.purposes_of(one);
            let mut add = |pattern: &'a [u8], effort: &mut Effort| {
                for target in targets.iter().filter(|target| wanted.is(target)) {
                    let Some(stated) = view.says(file, one, statement, target) else { continue };
                    effort.spend(COMPARISON);
                    if effort.is_spent() {
                        return;
                    }
                    out.push(ApplicableStatement { purposes, candidate: Candidate { pattern, ..stated } });
                }
            };
            let matching = file.patterns(statement).filter(|pattern| matches(pattern, question.path));
            if statement.resources.len < LONG {
                matching.for_each(|pattern| add(pattern, &mut scratch.effort));
            } else {
                let list =
                    scratch.lists.entry((one.file, statement.resources)).or_insert_with(|| matching.collect()).clone();
                list.iter().for_each(|pattern| add(pattern, &mut scratch.effort));
            }
            if scratch.effort.is_spent() {
                scratch.over.get_or_insert(cite(first.usage, file.effect(statement, first)));
                return out;
            }
        }
        out
    }
}

/// The ACAP statements of other readers, on the wanted usages.
fn elsewhere<'a>(
    question: &'a Question<'a>,
    exact: &'a [u8],
    wanted: impl Fn(Usage) -> bool,
) -> Vec<ApplicableStatement<'a>> {
    let found = question.elsewhere.iter().enumerate().filter(|(_, one)| one.dialect == 0 && wanted(one.usage));
    let statements = found.map(|(place, one)| {
        let purposes = one.purpose.as_ref().filter(|purpose| !purpose.is_any()).map(std::slice::from_ref);
        let permits = one.outcome(question.elements) == Outcome::Permitted;
        let effect = if permits { Effect::Permits } else { Effect::Prohibits };
        let candidate = Candidate {
            tier: Tier::of(purposes.is_some(), one.named),
            part: one.part,
            usage: one.usage,
            effect,
            pattern: exact,
            conventional: false,
            lifts: permits && one.lifts,
            firm: one.firm,
            restrictions: [&one.restrictions, &[]],
            cite: Cite::Elsewhere(to_u32(place)),
        };
        ApplicableStatement { purposes, candidate }
    });
    statements.collect()
}
