//! Question → answer.
//!
//! The order of the tests: the resource may always be fetched; there is a policy, and it can be read; no reference is
//! missing; the resource is not taken down; it may be crawled; it may be preserved, where the usage needs that; and
//! then the usage itself. No usage is answered better than crawl (G 2.4).

pub mod claims;
mod hearing;
mod signals;
mod view;

use self::hearing::*;
pub use self::signals::{Voice, agents, signal_dialect, voices};
pub use self::view::View;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::dialect::{PathForm, Precedence};
use crate::file::{File, Span};
use crate::limits::{CITED, COMPARISON, PURPOSES};
use crate::lines::{Kind as LineKind, to_u32, to_usize};
use crate::octets::{canonical_path, decoded_path, google_path};
use crate::pattern::matches;
use crate::policy::{Dialect, Policy, State};
use crate::rep::{self, Rule, Selection};
use crate::resolution::{self, Candidate, Cite, Effort, Finding, Held, Key, Tier, resolve};
use crate::restrictions::{Facts, Measure, Qualifier, Restriction};
use crate::robots2::Asked;
use crate::statement::{Effect, Firm, Part, Purpose, Statement, Target};
use crate::url::{authority, split_origin};
use crate::usage::{self, Usage};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    Permitted,
    Conditional,
    Prohibited,
}

/// What kind of reason an answer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Statement,
    Silence,
    CrawlProhibited,
    PreserveProhibited,
    Unreachable,
    Absent,
    ReferenceMissing,
    PolicyResource,
    Expired,
    NotHonoured,
    TakeDown,
    /// A limit cut something that may have prohibited anything.
    Truncated,
    /// The file is not text, and may prohibit anything.
    Unreadable,
    /// An element's statement, and the asker cannot work on elements (P2 2.2.6).
    ElementLevel,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Statement => "statement",
            Self::Silence => "silence",
            Self::CrawlProhibited => "crawl-prohibited",
            Self::PreserveProhibited => "preserve-prohibited",
            Self::Unreachable => "unreachable",
            Self::Absent => "absent",
            Self::ReferenceMissing => "reference-missing",
            Self::PolicyResource => "policy-resource",
            Self::Expired => "expired",
            Self::NotHonoured => "not-honoured",
            Self::TakeDown => "take-down",
            Self::Truncated => "truncated",
            Self::Unreadable => "unreadable",
            Self::ElementLevel => "element-level",
        }
    }
}

/// A statement that another reader found, about the resource asked for and addressed to the crawler.
#[derive(Clone, Debug)]
pub struct Elsewhere {
    /// Statements of one dialect are resolved together: 0 is ACAP, resolved with robots.txt; signals have the number of
    /// [`signal_dialect`].
    pub dialect: u32,
    pub outcome: Outcome,
    pub usage: Usage,
    pub named: bool,
    pub purpose: Option<Purpose>,
    pub part: Part,
    pub restrictions: Box<[Restriction]>,
    /// Whether a permission may overcome a prohibition; one that may not only restricts.
    pub lifts: bool,
    /// How firmly it prohibits: a prohibition may stand for a permission whose condition, addressee or purpose cannot
    /// be interpreted.
    pub firm: Firm,
    /// It gives way to an ACAP statement of the same page on exactly the same usage, in the same tier (section 7).
    pub yields: bool,
}

impl Elsewhere {
    /// Its outcome; for an asker that cannot work on elements, every statement of an element prohibits (P2 2.2.6).
    fn outcome(&self, elements: bool) -> Outcome {
        if self.part.is_element() && !elements { Outcome::Prohibited } else { self.outcome }
    }
}

/// A question; it is answered for one usage at a time.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// In the form of the policy's dialect.
    pub path: &'a [u8],
    /// Folded; none for a question without purpose.
    pub purpose: Option<&'a [u8]>,
    /// Microseconds since 1970 UTC.
    pub at: i64,
    pub facts: &'a Facts,
    /// Usages, and whether silence on them prohibits.
    pub silence: &'a [(Usage, bool)],
    /// Names of the restrictions the operator can keep; none means all.
    pub honours: Option<&'a [String]>,
    pub elsewhere: &'a [Elsewhere],
    /// Whether the asker can work on elements.
    pub elements: bool,
    /// The question is about a resource that must be used or included, for that use. It may be fetched even where
    /// robots.txt prohibits crawling (section 5); everything else stands, and so does what the resource itself says.
    pub for_use: bool,
}

impl<'a> Question<'a> {
    /// A question about a path by an asker that keeps every restriction and knows nothing more.
    pub fn about(path: &'a [u8]) -> Self {
        Self {
            path,
            purpose: None,
            at: 0,
            facts: &Facts::UNKNOWN,
            silence: &[],
            honours: None,
            elsewhere: &[],
            elements: true,
            for_use: false,
        }
    }
}

/// The answer to a question on one usage.
#[derive(Clone, Debug)]
pub struct Answer {
    pub outcome: Outcome,
    pub kind: Kind,
    pub stated: bool,
    pub decided: Vec<Cite>,
    pub lost: Vec<(Cite, Key)>,
    pub held: Vec<Held>,
    /// Permissions that may overcome nothing, but restrict.
    restricting: Vec<Cite>,
}

impl Answer {
    fn new(outcome: Outcome, kind: Kind, stated: bool) -> Self {
        Self { outcome, kind, stated, decided: Vec::new(), lost: Vec::new(), held: Vec::new(), restricting: Vec::new() }
    }

    fn citing(mut self, cites: impl IntoIterator<Item = Cite>) -> Self {
        self.decided.extend(cites.into_iter().take(CITED));
        self
    }
}

/// The path of a URL, or a path, in the form that a dialect compares.
pub fn path_of(dialect: Dialect, rest: &[u8], url: &[u8]) -> Vec<u8> {
    form_of(dialect, rest, url).into_owned()
}

/// As [`path_of`], but borrowed where nothing has to be rewritten.
#[inline]
pub fn form_of<'u>(dialect: Dialect, rest: &'u [u8], url: &'u [u8]) -> Cow<'u, [u8]> {
    match dialect.form {
        PathForm::Google => google_path(url),
        PathForm::Decoded => {
            let canonical = canonical_path(rest);
            let end = memchr::memchr(b'?', &canonical).unwrap_or(canonical.len());
            Cow::Owned(decoded_path(canonical.get(..end).unwrap_or(&canonical)).into_owned())
        }
        PathForm::Canonical => canonical_path(rest),
    }
}

impl Policy {
    /// The statement at a place.
    pub fn statement(&self, file: u32, place: u32) -> Option<&Statement> {
        self.file(file)?.statements.get(to_usize(place))
    }

    /// An ACAP file: 0 is the policy's own, then come the references in their order.
    pub fn file(&self, number: u32) -> Option<&File> {
        match to_usize(number).checked_sub(1) {
            None => self.acap.as_deref(),
            Some(place) => self.supplied.get(place)?.file.as_ref(),
        }
    }

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
            let kept = |held: &&Held| held.name != EXCLUDED_PURPOSE && !honours.iter().any(|name| name == held.name);
            if let Some(broken) = answer.held.iter().find(kept) {
                let cite = broken.cite;
                answer.outcome = Outcome::Prohibited;
                answer.kind = Kind::NotHonoured;
                answer.decided = vec![cite];
            }
        }
        if answer.outcome == Outcome::Prohibited {
            answer.held.clear();
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
        if !view.missing.is_empty() {
            return Answer::new(Outcome::Prohibited, Kind::ReferenceMissing, true).citing(view.missing.iter().copied());
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
            let down: Vec<Cite> = view.requests.iter().filter(takes_down).map(cite).take(CITED).collect();
            if !down.is_empty() {
                return Answer::new(Outcome::Prohibited, Kind::TakeDown, true).citing(down);
            }
        }
        let exact: Vec<u8> = question.path.iter().copied().chain([b'$']).collect();
        let mut scratch = Scratch { exact: &exact, effort: Effort::default(), over: None, lists: HashMap::new() };
        let mut carried: Vec<Held> = Vec::new();
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
                add_new(&mut carried, first.held);
            }
        }
        let mut answer = self.own(view, question, usage, trace, &mut scratch);
        if answer.outcome != Outcome::Prohibited {
            carried.append(&mut answer.held);
            let mut held = Vec::with_capacity(carried.len());
            add_new(&mut held, carried);
            answer.held = held;
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
        let told = answer.outcome == Outcome::Prohibited && answer.kind == Kind::Statement;
        if told && !question.elements && answer.decided.iter().any(of_element) {
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
        let mut conventional =
            if usage == usage::CRAWL { self.conventional(view, question.path, trace) } else { Conventional::default() };
        let mut told = self.told(view, question, usage, scratch);
        if question.for_use && usage == usage::CRAWL {
            if !conventional.refusals.is_empty() {
                // A line that permits in one reading decides nothing where another reading refuses.
                conventional = Conventional::default();
            }
            told.put_aside(|one| one.part == Part::Site && one.effect == Effect::Prohibits);
        }
        if let Some(cite) = scratch.over {
            // Too many statements to compare.
            let finding = Finding { prohibited: true, stated: true, decided: vec![cite], ..Finding::default() };
            return from_finding(finding, Vec::new());
        }
        let mut all = told.to(question.purpose, &mut scratch.effort);
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
        let mut held = Vec::new();
        let setting = resolution::Setting { usage, at: question.at, facts: question.facts, trace };
        let mut finding = resolve(&all, setting, &mut held, &mut scratch.effort);
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
            excluded_purposes(view, question.elsewhere, &told, setting, &all, &mut held, &mut scratch.effort);
        }
        from_finding(finding, held)
    }

    /// The verdict of the Robots Exclusion Protocol: the rule it selects. Where that rule refuses and ACAP fields could
    /// overcome it, every other rule that would refuse in its place is added: otherwise one more Disallow, longer but
    /// broader than an ACAP permission, could be selected and overcome, and so permit (our choice).
    fn conventional(&self, view: &View, path: &[u8], trace: bool) -> Conventional {
        let text = self.text();
        let mut out = Conventional::default();
        for apart in view.rep.apart.iter().filter(|apart| apart.matches(path)) {
            let (pattern, cite) = (apart.pattern.to_vec(), Cite::Line(apart.entry));
            out.refusals.push(Refusal { pattern, cite, named: true, firm: apart.firm });
        }
        let selected = view.rep.decide(text, path);
        if let Some(winner) = selected
            && trace
        {
            let others = view.rep.rules.iter().filter(|other| other.entry != winner.entry);
            let matching = others.filter(|other| view.rep.rule_matches(text, **other, path));
            let lost = matching.map(|other| (Cite::Line(other.entry), self.rule_key(winner, *other)));
            out.lost = lost.take(CITED).collect();
        }
        match selected {
            Some(rule) if rule.refuses() => {
                let mut refusing = vec![rule];
                if !view.acap.is_empty() {
                    let matching = |rule: &&Rule| view.rep.rule_matches(text, **rule, path);
                    let all = || view.rep.rules.iter().filter(matching);
                    let permitted = all().filter(|rule| rule.permits()).map(|rule| rule.priority()).max().unwrap_or(0);
                    let more = all()
                        .filter(|other| other.entry != rule.entry && !other.permits() && other.priority() > permitted);
                    refusing.extend(more.copied());
                    refusing.sort_by_key(|rule| (std::cmp::Reverse(rule.key), rule.entry));
                }
                let refusal = |rule: Rule| Refusal {
                    pattern: view.rep.pattern(text, rule).to_vec(),
                    cite: Cite::Line(rule.entry),
                    named: view.rep.named,
                    firm: false,
                };
                out.refusals.extend(refusing.into_iter().map(refusal));
            }
            Some(rule) => out.permits = Some(Cite::Line(rule.entry)),
            None => {}
        }
        if view.rep.records.is_empty() {
            return out;
        }
        let mut asked = Asked::new(path);
        for record in &view.rep.records {
            let found = record.decide(&mut asked);
            let cite = found.entry.map_or(Cite::NothingMatched, Cite::Line);
            if trace {
                let others =
                    record.others(&mut asked, found.entry).into_iter().map(|(entry, key)| (Cite::Line(entry), key));
                out.lost.extend(others.take(CITED.saturating_sub(out.lost.len())));
            }
            if found.refuses {
                let pattern = found.entry.and_then(|entry| record.pattern_of(entry)).unwrap_or_else(|| b"/".to_vec());
                out.refusals.push(Refusal { pattern, cite, named: record.named, firm: false });
            } else if found.entry.is_some() {
                out.permits.get_or_insert(cite);
            }
        }
        out
    }

    fn rule_key(&self, winner: Rule, loser: Rule) -> Key {
        match self.dialect.precedence {
            Precedence::Longest => {
                if winner.priority() != loser.priority() {
                    Key::Length
                } else if winner.key != loser.key {
                    Key::AllowOnTie
                } else {
                    Key::Order
                }
            }
            Precedence::Refusal | Precedence::First => Key::Order,
        }
    }
}

/// The restriction of a question without purpose: a purpose that would be refused.
pub const EXCLUDED_PURPOSE: &str = "excluded-purpose";

/// The verdict of the conventional lines on crawl.
#[derive(Default)]
struct Conventional {
    /// The refusals, the strongest first.
    refusals: Vec<Refusal>,
    /// The line that permits, where none refuses.
    permits: Option<Cite>,
    lost: Vec<(Cite, Key)>,
}

/// A conventional line that refuses.
struct Refusal {
    pattern: Vec<u8>,
    cite: Cite,
    /// Its group names the crawler.
    named: bool,
    /// A limit cut it: nothing lifts it.
    firm: bool,
}

/// Whether the operator treats silence on a usage as a prohibition: the setting of the nearest usage counts, then that
/// of the remainder.
fn silence_prohibits(silence: &[(Usage, bool)], usage: Usage) -> bool {
    let said = |usage: Usage| silence.iter().find(|(of, _)| *of == usage).map(|(_, prohibits)| *prohibits);
    let nearest = std::iter::successors(Some(usage), |usage| usage.parent()).find_map(said);
    nearest.or_else(|| usage.in_remainder().then(|| said(usage::OTHER)).flatten()).unwrap_or(false)
}

/// Adds the restrictions that are not among `held` yet.
pub fn add_new(held: &mut Vec<Held>, more: Vec<Held>) {
    if more.is_empty() {
        return;
    }
    let what = |one: &Held| (one.name, one.value.clone(), one.part);
    let mut known: HashSet<_> = held.iter().map(what).collect();
    held.extend(more.into_iter().filter(|one| known.insert(what(one))));
}

fn from_finding(finding: Finding, held: Vec<Held>) -> Answer {
    let outcome = if finding.prohibited { Outcome::Prohibited } else { Outcome::Permitted };
    let kind = match (finding.expired, finding.stated) {
        (true, _) => Kind::Expired,
        (false, true) => Kind::Statement,
        (false, false) => Kind::Silence,
    };
    let Finding { stated, decided, lost, restricting, .. } = finding;
    Answer { outcome, kind, stated, decided, lost, held, restricting }
}

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

/// Adds the verdicts of the other dialects: prohibited over conditional over permitted over silent (section 8). Whether one
/// of them permits.
fn combine(policy: &Policy, question: &Question<'_>, usage: Usage, answer: &mut Answer) -> bool {
    let mut permits = false;
    let mut more: Vec<Held> = Vec::new();
    let mut smallest: HashMap<(u32, Qualifier, Measure), (i64, usize)> = HashMap::new();
    let silenced = silenced(question, answer.outcome == Outcome::Prohibited);
    // Statements of one such dialect have no keys that separate them: the stricter stands.
    let between = |one: &Elsewhere, other: Cite| match other {
        Cite::Elsewhere(place)
            if question.elsewhere.get(to_usize(place)).is_some_and(|held| held.dialect == one.dialect) =>
        {
            Key::Tie
        }
        Cite::Signal { entry, .. } if self::signals::dialect_of(policy, entry) == Some(one.dialect) => Key::Carrier,
        _ => Key::Dialect,
    };
    for (place, one) in question.elsewhere.iter().enumerate().filter(|(_, one)| one.dialect != 0) {
        let applies = (one.usage.covers(usage) || one.usage.covers(usage.elsewhere()))
            && match (&one.purpose, question.purpose) {
                (None, _) => true,
                (Some(pattern), asked) => pattern.is_any() || asked.is_some_and(|asked| pattern.matches(asked)),
            };
        if !applies {
            continue;
        }
        let cite = Cite::Elsewhere(to_u32(place));
        if one.yields && one.part == Part::Page && silenced.contains(&(one.usage, one.named)) {
            if answer.lost.len() < CITED {
                answer.lost.push((cite, Key::Acap));
            }
            continue;
        }
        let spent = one.restrictions.iter().any(|restriction| restriction.is_over(usage, question.at, question.facts));
        let outcome = if spent { Outcome::Prohibited } else { one.outcome(question.elements) };
        permits |= one.lifts && outcome == Outcome::Permitted;
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
            let held = Held { name: restriction.name(), value: restriction.value.clone(), part: None, cite };
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
    add_new(&mut answer.held, more);
    permits
}
