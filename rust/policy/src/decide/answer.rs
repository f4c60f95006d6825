//! Question → answer: each test in its order, see [`super`].

use std::collections::HashMap;

use super::applicable::{EXCLUDED_PURPOSE, Scratch, excluded_purposes};
use super::question::{Answer, Kind, Question, add_new};
use super::refusals::Conventional;
use super::view::View;
use super::vocabularies::combine;
use crate::file::File;
use crate::limits::CITED;
use crate::places::to_usize;
use crate::policy::{Policy, State};
use crate::resolution::{self, Candidate, Cite, CitedRestriction, Effort, Finding, Key, Tier, resolve};
use crate::rules::Rule;
use crate::statement::{Effect, Firm, Outcome, Part};
use crate::usage::{self, Usage};

impl Policy {
    /// The line of the robots.txt that a citation points at; 0 if it points elsewhere.
    #[inline]
    pub fn line_of(&self, cite: Cite) -> u32 {
        match cite {
            Cite::Line(entry) | Cite::Signal { entry, .. } => {
                self.table.entries.get(to_usize(entry)).map_or(0, |entry| entry.line)
            }
            Cite::Statement { file: 0, place, .. } => self.statement(0, place).map_or(0, |statement| statement.line),
            Cite::Reference(place) => self
                .acap
                .as_ref()
                .and_then(|file| file.references.get(to_usize(place)))
                .map_or(0, |reference| reference.line),
            Cite::Request { file: 0, place } => {
                self.acap.as_ref().and_then(|file| file.requests.get(to_usize(place))).map_or(0, |request| request.line)
            }
            _ => 0,
        }
    }

    /// The quick path for crawl, where the conventional rule alone decides; none where the whole pipeline is needed.
    #[inline]
    pub fn crawl_quickly(&self, view: &View, path: &[u8]) -> Option<(Outcome, Kind, Option<Rule>)> {
        if !view.plain || self.state != State::Present {
            return None;
        }
        // A resource that carries policy is permitted for another reason.
        if view.may_always_fetch(path) {
            return None;
        }
        Some(match view.rep.decide(self.text(), path) {
            Some(rule) if rule.refuses() => (Outcome::Prohibited, Kind::Statement, Some(rule)),
            Some(rule) => (Outcome::Permitted, Kind::Statement, Some(rule)),
            None => (Outcome::Permitted, Kind::Silence, None),
        })
    }

    /// Answers a question on one usage.
    pub fn answer(&self, view: &View, question: &Question<'_>, usage: Usage, trace: bool) -> Answer {
        let mut answer = self.unfiltered(view, question, usage, trace);
        if answer.outcome != Outcome::Prohibited
            && let Some(honours) = question.honours
        {
            let kept = |held: &&CitedRestriction| {
                held.name != EXCLUDED_PURPOSE && !honours.iter().any(|name| name == held.name)
            };
            if let Some(broken) = answer.restrictions.iter().find(kept) {
                let cite = broken.cite;
                answer.outcome = Outcome::Prohibited;
                answer.kind = Kind::NotHonoured;
                answer.decided = vec![cite];
            }
        }
        if answer.outcome == Outcome::Prohibited {
            answer.restrictions.clear();
        }
        answer
    }

    fn unfiltered(&self, view: &View, question: &Question<'_>, usage: Usage, trace: bool) -> Answer {
        if usage == usage::CRAWL && view.may_always_fetch(question.path) {
            return Answer::new(Outcome::Permitted, Kind::PolicyResource, false);
        }
        if self.state == State::Unreachable {
            return Answer::new(Outcome::Prohibited, Kind::Unreachable, false);
        }
        if self.unreadable().is_some() {
            return Answer::new(Outcome::Prohibited, Kind::Unreadable, false);
        }
        if self.in_doubt() {
            let torn = self.table.torn.map(Cite::Line);
            return Answer::new(Outcome::Prohibited, Kind::Truncated, false).citing(torn);
        }
        if usage == usage::ANY {
            let cut = self.acap.as_ref().and_then(|file| file.cut_usage).map(Cite::Line);
            return Answer::new(Outcome::Prohibited, Kind::Truncated, false).citing(cut);
        }
        if !view.acap.missing.is_empty() {
            return Answer::new(Outcome::Prohibited, Kind::ReferenceMissing, true)
                .citing(view.acap.missing.iter().copied());
        }
        if usage.is_of_content() {
            let takes_down = |(file, place): &&(u32, u32)| {
                let request = |file: &File| {
                    let request = file.requests.get(to_usize(*place))?;
                    Some(request.take_down && (request.cut || file.path(request) == question.path))
                };
                self.file(*file).and_then(request) == Some(true)
            };
            let cite = |(file, place): &(u32, u32)| Cite::Request { file: *file, place: *place };
            let down: Vec<Cite> = view.acap.requests.iter().filter(takes_down).map(cite).take(CITED).collect();
            if !down.is_empty() {
                return Answer::new(Outcome::Prohibited, Kind::TakeDown, true).citing(down);
            }
        }
        // Only statements of other readers have it for their pattern.
        let exact = if question.elsewhere.is_empty() { Vec::new() } else { [question.path, b"$"].concat() };
        let mut scratch = Scratch { exact: &exact, effort: Effort::default(), over: None, lists: HashMap::new() };
        let mut carried: Vec<CitedRestriction> = Vec::new();
        let mut conditions: Vec<Cite> = Vec::new();
        if usage != usage::CRAWL {
            let needs = [
                (usage::CRAWL, true, Kind::CrawlProhibited),
                (usage::PRESERVE, usage.needs_preserve(), Kind::PreserveProhibited),
            ];
            for (needed, does, kind) in needs {
                if !does || (needed == usage::CRAWL && view.may_always_fetch(question.path)) {
                    continue;
                }
                let mut first = self.own(view, question, needed, trace, &mut scratch);
                if first.outcome == Outcome::Prohibited {
                    first.kind = kind;
                    return first;
                }
                if first.outcome == Outcome::Conditional {
                    conditions.extend(first.decided);
                }
                add_new(&mut carried, first.restrictions);
            }
        }
        let mut answer = self.own(view, question, usage, trace, &mut scratch);
        if answer.outcome != Outcome::Prohibited {
            carried.append(&mut answer.restrictions);
            let mut restrictions = Vec::with_capacity(carried.len());
            add_new(&mut restrictions, carried);
            answer.restrictions = restrictions;
            if !conditions.is_empty() {
                answer.needs(conditions);
            }
        }
        answer
    }

    /// The answer from the statements on one usage and those above it, without its dependencies.
    fn own<'a>(
        &'a self,
        view: &'a View,
        question: &'a Question<'a>,
        usage: Usage,
        trace: bool,
        scratch: &mut Scratch<'a>,
    ) -> Answer {
        let mut answer = self.robots(view, question, usage, trace, scratch);
        // A reservation, a licence and words that only restrict do not break silence.
        let mut silent = !answer.stated;
        silent &= !self.heed(view, question, usage, trace, &mut answer);
        silent &= !combine(self, question, usage, &mut answer);
        let of_element = |cite: &Cite| match cite {
            Cite::Elsewhere(place) => question.elsewhere.get(to_usize(*place)).is_some_and(|one| one.part.is_element()),
            _ => false,
        };
        let is_stated = answer.outcome == Outcome::Prohibited && answer.kind == Kind::Statement;
        if is_stated && !question.elements && answer.decided.iter().any(of_element) {
            answer.kind = Kind::ElementLevel;
        }
        if silent && answer.outcome != Outcome::Prohibited {
            if silence_prohibits(question.silence, usage) {
                return Answer::new(Outcome::Prohibited, Kind::Silence, false);
            }
            if !answer.stated && self.state == State::Absent {
                answer.kind = Kind::Absent;
            }
        }
        // A statement that only restricts counts as stated, but does not break silence.
        if answer.outcome == Outcome::Permitted && !answer.restricting.is_empty() {
            answer.stated = true;
            if matches!(answer.kind, Kind::Silence | Kind::Absent) {
                answer.kind = Kind::Statement;
            }
            for cite in std::mem::take(&mut answer.restricting) {
                if answer.decided.len() < CITED && !answer.decided.contains(&cite) {
                    answer.decided.push(cite);
                }
            }
        }
        answer
    }

    /// The joint verdict of ACAP and the Robots Exclusion Protocol.
    fn robots<'a>(
        &'a self,
        view: &'a View,
        question: &'a Question<'a>,
        usage: Usage,
        trace: bool,
        scratch: &mut Scratch<'a>,
    ) -> Answer {
        let mut conventional = if usage == usage::CRAWL {
            self.conventional(&view.rep, question.path, !view.acap.statements.is_empty(), trace)
        } else {
            Conventional::default()
        };
        let mut applicable = self.applicable(view, question, usage, scratch);
        if question.for_use && usage == usage::CRAWL {
            if !conventional.refusals.is_empty() {
                // A line that permits in one reading decides nothing where another reading refuses.
                conventional = Conventional::default();
            }
            applicable.put_aside(|one| one.part == Part::Site && one.effect == Effect::Prohibits);
        }
        if let Some(cite) = scratch.over {
            // Too many statements to compare.
            let finding = Finding { prohibited: true, stated: true, decided: vec![cite], ..Finding::default() };
            return from_finding(finding, Vec::new());
        }
        let mut all = applicable.to(question.purpose, &mut scratch.effort);
        let acap = all.iter().any(Candidate::speaks);
        all.extend(conventional.refusals.iter().map(|refusal| Candidate {
            tier: Tier::of(false, refusal.named),
            part: Part::Site,
            usage: usage::CRAWL,
            effect: Effect::Prohibits,
            pattern: &refusal.pattern,
            conventional: true,
            lifts: false,
            firm: if refusal.firm { Firm::Always } else { Firm::No },
            restrictions: [&[], &[]],
            cite: refusal.cite,
        }));
        let mut restrictions = Vec::new();
        let setting = resolution::Setting { usage, at: question.at, facts: question.facts, trace };
        let mut finding = resolve(&all, setting, &mut restrictions, &mut scratch.effort);
        // Conventional lines are cited once: the strongest refusal that stands.
        let mut cited = false;
        let (decided, weaker): (Vec<Cite>, Vec<Cite>) = finding.decided.iter().partition(|cite| {
            let refusal = conventional.refusals.iter().any(|refusal| refusal.cite == **cite);
            !refusal || !std::mem::replace(&mut cited, true)
        });
        finding.decided = decided;
        if cited && trace {
            finding.lost.extend(weaker.into_iter().map(|cite| (cite, Key::Length)));
            let named = |cite: &Cite, lost: &[(Cite, Key)]| lost.iter().any(|(held, _)| held == cite);
            for (cite, key) in &conventional.lost {
                if !finding.decided.contains(cite) && !named(cite, &finding.lost) {
                    finding.lost.push((*cite, *key));
                }
            }
        }
        // Beside an ACAP statement a rule that permits counts as silence (section 5).
        let permits = conventional.permits.filter(|_| !acap && !finding.prohibited && conventional.refusals.is_empty());
        if let Some(cite) = permits {
            finding.stated = true;
            finding.decided.push(cite);
            finding.lost.extend(conventional.lost.iter().copied());
        }
        if !finding.prohibited && question.purpose.is_none() {
            let setting = resolution::Setting { trace: false, ..setting };
            excluded_purposes(
                view,
                question.elsewhere,
                &applicable,
                setting,
                &all,
                &mut restrictions,
                &mut scratch.effort,
            );
        }
        from_finding(finding, restrictions)
    }
}

/// Whether the operator treats silence on a usage as a prohibition: the setting of the nearest usage counts, then that
/// of the remainder.
fn silence_prohibits(silence: &[(Usage, bool)], usage: Usage) -> bool {
    let setting = |usage: Usage| silence.iter().find(|(of, _)| *of == usage).map(|(_, prohibits)| *prohibits);
    let nearest = std::iter::successors(Some(usage), |usage| usage.parent()).find_map(setting);
    nearest.or_else(|| usage.in_remainder().then(|| setting(usage::OTHER)).flatten()).unwrap_or(false)
}

fn from_finding(finding: Finding, restrictions: Vec<CitedRestriction>) -> Answer {
    let outcome = if finding.prohibited { Outcome::Prohibited } else { Outcome::Permitted };
    let kind = match (finding.expired, finding.stated) {
        (true, _) => Kind::Expired,
        (false, true) => Kind::Statement,
        (false, false) => Kind::Silence,
    };
    let Finding { stated, decided, lost, restricting, .. } = finding;
    Answer { outcome, kind, stated, decided, lost, restrictions, restricting }
}
