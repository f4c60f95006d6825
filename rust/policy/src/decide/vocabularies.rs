//! The verdicts of signals, pages and files beside that of robots.txt: prohibited over conditional over permitted over
//! silent (section 8).

use std::collections::{HashMap, HashSet};

use super::question::{Answer, Elsewhere, Kind, Question, add_new};
use super::signals::{Verdict, dialect_of, may_license};
use super::view::View;
use crate::limits::CITED;
use crate::places::{to_u32, to_usize};
use crate::policy::Policy;
use crate::resolution::{Cite, CitedRestriction, Key};
use crate::restrictions::{Measure, Qualifier};
use crate::signals::Vocabulary;
use crate::statement::{Outcome, Part, Purpose};
use crate::usage::{self, Usage};

/// The usages on which ACAP statements of the page itself are for every purpose, and whether those name the crawler.
/// Conventional words on these usages give way to them.
///
/// A prohibition counts only where ACAP prohibits in the end. Otherwise the permission of an element could lift it, and
/// with it what conventional words prohibit.
fn silenced(question: &Question<'_>, prohibited: bool) -> HashSet<(Usage, bool)> {
    if !question.elsewhere.iter().any(|one| one.yields) {
        return HashSet::new();
    }
    let every = |one: &&Elsewhere| one.purpose.as_ref().is_none_or(Purpose::is_any);
    let counts = |one: &&Elsewhere| {
        let stands = if one.outcome == Outcome::Permitted { one.lifts } else { prohibited };
        one.dialect == 0 && one.part == Part::Page && stands
    };
    let acap = question.elsewhere.iter().filter(counts);
    acap.filter(every).map(|one| (one.usage, one.named)).collect()
}

/// Adds the verdicts of the other dialects: prohibited over conditional over permitted over silent (section 8). Whether
/// one of them permits.
pub(super) fn combine(policy: &Policy, question: &Question<'_>, usage: Usage, answer: &mut Answer) -> bool {
    // The dialects that permit, and those that would only on a condition: these do not permit.
    let mut permitting: Vec<u32> = Vec::new();
    let mut conditional: Vec<u32> = Vec::new();
    let mut more: Vec<CitedRestriction> = Vec::new();
    let mut smallest: HashMap<(u32, Qualifier, Measure), (i64, usize)> = HashMap::new();
    let silenced = silenced(question, answer.outcome == Outcome::Prohibited);
    // Statements of one such dialect have no keys that separate them: the stricter stands.
    let between = |one: &Elsewhere, other: Cite| match other {
        Cite::Elsewhere(place)
            if question.elsewhere.get(to_usize(place)).is_some_and(|held| held.dialect == one.dialect) =>
        {
            Key::Tie
        }
        Cite::Signal { entry, .. } if dialect_of(policy, entry) == Some(one.dialect) => Key::Carrier,
        _ => Key::Dialect,
    };
    let applies = |one: &Elsewhere| {
        one.dialect != 0
            && (if one.exact {
                one.usage == usage || one.usage == usage.elsewhere()
            } else {
                one.usage.covers(usage) || one.usage.covers(usage.elsewhere())
            })
            && match (&one.purpose, question.purpose) {
                (None, _) => true,
                (Some(pattern), asked) => pattern.is_any() || asked.is_some_and(|asked| pattern.matches(asked)),
            }
    };
    // A statement that lifts nothing is in doubt: it replaces none, and none replaces it.
    let mut greatest: HashMap<u32, u32> = HashMap::new();
    for one in question.elsewhere.iter().filter(|one| one.rank > 0 && one.lifts && applies(one)) {
        let held = greatest.entry(one.dialect).or_default();
        *held = one.rank.max(*held);
    }
    for (place, one) in question.elsewhere.iter().enumerate().filter(|(_, one)| applies(one)) {
        let cite = Cite::Elsewhere(to_u32(place));
        if one.lifts && greatest.get(&one.dialect).is_some_and(|greatest| one.rank < *greatest) {
            if answer.lost.len() < CITED {
                answer.lost.push((cite, Key::Carrier));
            }
            continue;
        }
        if one.yields && one.part == Part::Page && silenced.contains(&(one.usage, one.named)) {
            if answer.lost.len() < CITED {
                answer.lost.push((cite, Key::Acap));
            }
            continue;
        }
        let spent = one.restrictions.iter().any(|restriction| restriction.is_over(usage, question.at, question.facts));
        let outcome = if spent { Outcome::Prohibited } else { one.outcome(question.elements) };
        let dialects = if outcome == Outcome::Permitted { &mut permitting } else { &mut conditional };
        if (one.lifts || outcome != Outcome::Permitted) && !dialects.contains(&one.dialect) {
            dialects.push(one.dialect);
        }
        if outcome > answer.outcome {
            let lost = std::mem::take(&mut answer.decided);
            answer.lost.extend(lost.into_iter().map(|cite| (cite, between(one, cite))));
            answer.lost.truncate(CITED);
            answer.outcome = outcome;
            answer.kind = if spent { Kind::Expired } else { Kind::Statement };
            answer.decided.push(cite);
        } else if outcome == answer.outcome {
            if answer.decided.len() < CITED {
                answer.decided.push(cite);
            }
            if answer.kind == Kind::Silence {
                answer.kind = Kind::Statement;
            }
        } else if answer.lost.len() < CITED {
            let key = answer.decided.first().map_or(Key::Dialect, |decided| between(one, *decided));
            answer.lost.push((cite, key));
        }
        answer.stated = true;
        for restriction in &one.restrictions {
            let held =
                CitedRestriction { name: restriction.name(), value: restriction.value.clone(), part: None, cite };
            // The strictest of comparable values of one dialect stands.
            if let Some((measure, amount)) = restriction.measure() {
                let known =
                    smallest.entry((one.dialect, restriction.qualifier, measure)).or_insert((amount, more.len()));
                if let Some(kept) = more.get_mut(known.1) {
                    if amount < known.0 {
                        known.0 = amount;
                        *kept = held;
                    }
                    continue;
                }
            }
            more.push(held);
        }
    }
    add_new(&mut answer.restrictions, more);
    permitting.iter().any(|dialect| !conditional.contains(dialect))
}

impl Policy {
    /// Adds the verdicts of signals and control tokens: prohibited over conditional over permitted over silent
    /// (section 8). Whether one of them permits.
    pub(super) fn heed(
        &self,
        view: &View,
        question: &Question<'_>,
        usage: Usage,
        trace: bool,
        answer: &mut Answer,
    ) -> bool {
        let mut permits = false;
        // What carries policy may always be fetched, and no line for a token is about it.
        let counts = !view.may_always_fetch(question.path);
        let controls = view.controls.iter().filter(|_| counts);
        for cite in controls.filter_map(|control| control.refusal(self, &view.rep, usage, question.path)) {
            let refusal = Verdict { outcome: Outcome::Prohibited, decided: vec![cite], lost: Vec::new() };
            add(answer, refusal, Kind::ControlToken);
        }
        if let Some(signals) = &view.signals {
            for vocabulary in [Vocabulary::Signal, Vocabulary::Preference] {
                let refused = || !self.conventional(&view.rep, question.path, false, false).refusals.is_empty();
                if let Some(verdict) = signals.verdict(vocabulary, usage, question.path, refused, trace) {
                    permits |= verdict.outcome == Outcome::Permitted && !verdict.decided.is_empty();
                    add(answer, verdict, Kind::Statement);
                }
            }
            if signals.licenses(usage) && !question.licensed_elsewhere {
                let is_held = |entry: &u32| {
                    let entry =
                        self.table.entries.get(to_usize(*entry)).filter(|entry| may_license(entry, self.text()));
                    let document = entry.map(|entry| entry.value(self.text()));
                    question.licences.iter().any(|held| document == Some(held.as_bytes()))
                };
                let missing: Vec<u32> = signals.licences.iter().filter(|entry| !is_held(entry)).copied().collect();
                // Every licence must permit, so one that is missing makes the use conditional.
                let (outcome, entries) = match &*missing {
                    [] => (Outcome::Permitted, &*signals.licences),
                    missing => (Outcome::Conditional, missing),
                };
                let cite = |entry: &u32| Cite::Signal { entry: *entry, usage: usage::TDM, outcome };
                let licensed = Verdict { outcome, decided: entries.iter().map(cite).collect(), lost: Vec::new() };
                add(answer, licensed, Kind::Statement);
                permits |= outcome == Outcome::Permitted;
            }
        }
        // Of what a token is told counts what the file itself says.
        let alone = || Question { silence: &[], honours: None, elsewhere: &[], for_use: false, ..question.clone() };
        for heard in view.told_on(usage).filter(|_| counts) {
            add_told(answer, self.answer(heard, &alone(), usage, trace));
        }
        permits
    }
}

/// Adds what a control token is told: what it is refused, or asked for. A permission counts for nothing but for what it
/// asks to be kept.
fn add_told(answer: &mut Answer, mut told: Answer) {
    if told.outcome == Outcome::Permitted {
        if !told.restrictions.is_empty() {
            answer.restricting.append(&mut told.decided);
        }
    } else {
        // What the crawler itself hears decides by its own name.
        if told.outcome <= answer.outcome {
            told.lost.clear();
            told.decided.retain(|cite| !answer.decided.contains(cite));
        }
        let Answer { outcome, decided, lost, .. } = told;
        add(answer, Verdict { outcome, decided, lost }, Kind::ControlToken);
    }
    add_new(&mut answer.restrictions, told.restrictions);
}

/// Adds the verdict of one vocabulary to the answer of the others; `kind` is the reason where it decides alone.
fn add(answer: &mut Answer, mut verdict: Verdict, kind: Kind) {
    if verdict.decided.is_empty() && verdict.outcome <= answer.outcome {
        // Its statements on the usage have all lost.
        answer.lost.append(&mut verdict.lost);
        answer.lost.truncate(CITED);
        return;
    }
    answer.stated = true;
    if verdict.outcome > answer.outcome {
        let lost = std::mem::take(&mut answer.decided);
        answer.lost.extend(lost.into_iter().map(|cite| (cite, Key::Dialect)));
        answer.outcome = verdict.outcome;
        answer.kind = kind;
        answer.decided = verdict.decided;
    } else if verdict.outcome == answer.outcome {
        answer.decided.append(&mut verdict.decided);
        if answer.kind == Kind::Silence {
            answer.kind = Kind::Statement;
        }
    } else {
        answer.lost.extend(verdict.decided.into_iter().map(|cite| (cite, Key::Dialect)));
    }
    answer.lost.append(&mut verdict.lost);
    answer.decided.truncate(CITED);
    answer.lost.truncate(CITED);
}
