//! Question → answer.
//!
//! Order: is there a policy at all, may the resource always be fetched, is a reference missing, is the resource taken
//! down, may it be crawled, may it be preserved where that is needed, and then the usage itself. Nothing is answered
//! better than crawl (G 2.4).

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::conventional::{self, Rule, Selection};
use crate::file::{File, Span};
use crate::limits::{CITED, COMPARISON, PURPOSES};
use crate::lines::{Kind as LineKind, to_u32, to_usize};
use crate::octets::{canonical_path, decoded_path, google_path, split_origin};
use crate::pattern::matches;
use crate::policy::{Dialect, Policy, State};
use crate::resolution::{self, Candidate, Cite, Effort, Finding, Held, Key, Tier, resolve};
use crate::restrictions::{Facts, Restriction};
use crate::statement::{Effect, Part, Purpose, Statement};
use crate::usage::{self, Usage};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
        }
    }
}

/// A statement of an ACAP file that is addressed to the crawler.
#[derive(Clone, Copy, Debug)]
struct Addressed {
    file: u32,
    place: u32,
    named: bool,
    /// Its permissions are void: the record refers to another resource.
    void: bool,
    /// The place of its purposes among those of the view; none if it is for every purpose.
    audience: Option<u32>,
}

/// What one crawler is told: computed once, asked often.
#[derive(Debug)]
pub struct View {
    names: Box<[Box<str>]>,
    pub rep: Selection,
    acap: Vec<Addressed>,
    /// Purposes of the sub-records that have any.
    audiences: Vec<Box<[Purpose]>>,
    /// What the lists of qualifiers of each file come to.
    restrictions: HashMap<(u32, Span), Box<[Restriction]>>,
    /// References that are missing or of no use.
    pub missing: Vec<Cite>,
    /// Every reference that concerns the crawler.
    pub references: Vec<Cite>,
    /// Action requests, each by its file and its place there.
    pub requests: Vec<(u32, u32)>,
    /// Patterns of the purposes that sub-records for this crawler are for, each once, and whether there are more.
    purposes: Vec<Purpose>,
    more_purposes: bool,
    dialect: Dialect,
    /// Paths of the resources that carry policy because the file says so.
    always: Box<[Box<[u8]>]>,
    /// No ACAP field and no second reading concerns the crawler: the conventional rule alone decides.
    plain: bool,
}

impl View {
    pub fn new<N: AsRef<str>>(policy: &Policy, names: &[N]) -> Self {
        let octets: Vec<&[u8]> = names.iter().map(|name| name.as_ref().as_bytes()).collect();
        let entries = &policy.table.entries;
        let ignored = policy.acap.as_ref().is_some_and(|file| file.ignore_conventional.is_some());
        let rep = if ignored {
            Selection::default()
        } else {
            conventional::select(policy.dialect, entries, policy.text(), &octets)
        };
        let mut view = Self {
            names: names.iter().map(|name| name.as_ref().into()).collect(),
            rep,
            acap: Vec::new(),
            audiences: Vec::new(),
            restrictions: HashMap::new(),
            missing: Vec::new(),
            references: Vec::new(),
            requests: Vec::new(),
            purposes: Vec::new(),
            more_purposes: false,
            dialect: policy.dialect,
            always: policy.policy_resources(),
            plain: true,
        };
        if let Some(file) = &policy.acap {
            view.read_acap(policy, file, &octets);
        }
        view.plain =
            view.acap.is_empty() && view.requests.is_empty() && view.missing.is_empty() && view.rep.records.is_empty();
        view
    }

    fn read_acap(&mut self, policy: &Policy, file: &File, names: &[&[u8]]) {
        let addressed = addressed(file, names, false);
        self.add_statements(file, 0, &addressed, |record| {
            file.records.get(to_usize(record)).is_some_and(|record| record.refers)
        });
        // Whether what a reference leads to is of use, by its place and by whether the record names the crawler.
        let mut looked: HashMap<(usize, bool), bool> = HashMap::new();
        for (place, reference) in file.references.iter().enumerate() {
            let Some(named) = addressed.get(to_usize(reference.record)).copied().flatten() else { continue };
            let cite = Cite::Reference(to_u32(place));
            self.references.push(cite);
            let found = policy.supplied.iter().position(|one| one.uri == reference.uri);
            let usable = found.and_then(|at| Some((at, policy.supplied.get(at)?.file.as_ref()?)));
            let useful = usable.is_some_and(|(at, other)| {
                *looked
                    .entry((at, named))
                    .or_insert_with(|| self.add_reference(other, to_u32(at.saturating_add(1)), named, names))
            });
            if !useful {
                self.missing.push(cite);
            }
        }
    }

    /// Adds what a referenced file says; false if an applicable record of it refers further (one level).
    fn add_reference(&mut self, file: &File, number: u32, named: bool, names: &[&[u8]]) -> bool {
        // The referring record's addressing stands for the referenced one's too (our choice).
        let addressed = addressed(file, names, named);
        if file.records.iter().zip(&addressed).any(|(record, to)| to.is_some() && record.refers) {
            return false;
        }
        self.add_statements(file, number, &addressed, |_| false);
        true
    }

    fn add_statements(&mut self, file: &File, number: u32, addressed: &[Option<bool>], void: impl Fn(u32) -> bool) {
        let of = |record: u32| addressed.get(to_usize(record)).copied().flatten();
        let mut hearing: Vec<Option<u32>> = Vec::with_capacity(file.audiences.len());
        let mut known: HashSet<Box<str>> = self.purposes.iter().map(|purpose| purpose.written.clone()).collect();
        for audience in &file.audiences {
            if audience.purposeless || of(audience.record).is_none() {
                hearing.push(None);
                continue;
            }
            let purposes: Box<[Purpose]> = file.purposes(audience).map(|written| Purpose::new(written, 0)).collect();
            for purpose in purposes.iter().filter(|purpose| !purpose.is_any()) {
                if self.more_purposes || known.contains(&purpose.written) {
                    continue;
                }
                if self.purposes.len() >= PURPOSES {
                    self.more_purposes = true;
                    continue;
                }
                known.insert(purpose.written.clone());
                self.purposes.push(purpose.clone());
            }
            hearing.push(Some(to_u32(self.audiences.len())));
            self.audiences.push(purposes);
        }
        let mut runs: HashSet<u32> = HashSet::new();
        for (place, statement) in file.statements.iter().enumerate() {
            let Some(audience) = file.audiences.get(to_usize(statement.audience)) else { continue };
            let Some(named) = of(audience.record) else { continue };
            if statement.effect == Effect::Permits {
                let own = [file.span(statement.qualifiers)];
                let first = runs.insert(statement.targets);
                let targets = file.targets(statement).iter().filter(|_| first).map(|target| target.qualifiers);
                for list in own.into_iter().chain(targets).filter(|list| !list.is_empty()) {
                    self.restrictions
                        .entry((number, list))
                        .or_insert_with(|| file.read_qualifiers(list).into_boxed_slice());
                }
            }
            let void = void(audience.record);
            let audience = hearing.get(to_usize(statement.audience)).copied().flatten();
            self.acap.push(Addressed { file: number, place: to_u32(place), named, void, audience });
        }
        for (place, request) in file.requests.iter().enumerate() {
            if of(request.record).is_some() {
                self.requests.push((number, to_u32(place)));
            }
        }
    }

    fn list(&self, file: u32, qualifiers: Span) -> &[Restriction] {
        if qualifiers.is_empty() {
            return &[];
        }
        self.restrictions.get(&(file, qualifiers)).map_or(&[], |list| list)
    }

    /// Whether the resource carries policy; its query does not matter.
    #[inline]
    fn may_always_fetch(&self, path: &[u8]) -> bool {
        let is = |one: &[u8]| path.strip_prefix(one).is_some_and(|rest| matches!(rest.first(), None | Some(b'?')));
        let by_its_name = match self.dialect {
            Dialect::Auto => is(b"/robots.txt") || is(b"/ai.txt") || is(b"/.well-known/tdmrep.json"),
            Dialect::Rfc9309 | Dialect::Norobots1996 => is(b"/robots.txt"),
            Dialect::Google | Dialect::Rep1994 | Dialect::Robots2 => false,
        };
        by_its_name || self.always.iter().any(|one| is(one))
    }

    pub fn is_for<N: AsRef<str>>(&self, names: &[N]) -> bool {
        self.names.len() == names.len() && self.names.iter().zip(names).all(|(held, name)| **held == *name.as_ref())
    }
}

/// For each record whether it names the crawler, or is addressed to any, or is not addressed to it at all. What is
/// addressed to any counts as `named` says.
fn addressed(file: &File, names: &[&[u8]], any: bool) -> Vec<Option<bool>> {
    let known = |name: &&&[u8]| file.records.iter().any(|record| file.names_crawler(record, name));
    let name = names.iter().find(known).copied();
    let of = |record| match name {
        Some(name) if file.names_crawler(record, name) => Some(true),
        _ => record.any.then_some(any),
    };
    file.records.iter().map(of).collect()
}

/// A statement that another reader found, about the resource asked for and addressed to the crawler.
#[derive(Clone, Debug)]
pub struct Elsewhere {
    /// Statements of one dialect are resolved together; 0 is ACAP, which joins robots.txt.
    pub dialect: u32,
    pub outcome: Outcome,
    pub usage: Usage,
    pub named: bool,
    pub purpose: Option<Purpose>,
    pub part: Part,
    pub restrictions: Box<[Restriction]>,
}

/// What is asked, of one usage at a time.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// In the form of the policy's dialect.
    pub path: &'a [u8],
    /// Folded; none asks without purpose.
    pub purpose: Option<&'a [u8]>,
    /// Microseconds since 1970 UTC.
    pub at: i64,
    pub facts: &'a Facts,
    /// Usages, and whether silence on them prohibits.
    pub silence: &'a [(Usage, bool)],
    /// Names of the restrictions the operator can keep; none means all.
    pub honours: Option<&'a [String]>,
    pub elsewhere: &'a [Elsewhere],
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
}

impl Answer {
    fn new(outcome: Outcome, kind: Kind, stated: bool) -> Self {
        Self { outcome, kind, stated, decided: Vec::new(), lost: Vec::new(), held: Vec::new() }
    }

    fn citing(mut self, cites: impl IntoIterator<Item = Cite>) -> Self {
        self.decided.extend(cites.into_iter().take(CITED));
        self
    }
}

/// The path of a URL, or a path, in the form in which a dialect compares it.
pub fn path_of(dialect: Dialect, rest: &[u8], url: &[u8]) -> Vec<u8> {
    form_of(dialect, rest, url).into_owned()
}

/// As [`path_of`], borrowed where nothing has to be rewritten.
#[inline]
pub fn form_of<'u>(dialect: Dialect, rest: &'u [u8], url: &'u [u8]) -> Cow<'u, [u8]> {
    match dialect {
        Dialect::Google => google_path(url),
        Dialect::Norobots1996 => {
            let canonical = canonical_path(rest);
            let end = memchr::memchr(b'?', &canonical).unwrap_or(canonical.len());
            Cow::Owned(decoded_path(canonical.get(..end).unwrap_or(&canonical)).into_owned())
        }
        _ => canonical_path(rest),
    }
}

impl Policy {
    /// Paths of the resources that carry policy because the file says so, and so may always be fetched.
    fn policy_resources(&self) -> Box<[Box<[u8]>]> {
        let mut out: Vec<Box<[u8]>> = Vec::new();
        if self.dialect == Dialect::Auto {
            let references = self.acap.iter().flat_map(|file| &file.references);
            out.extend(references.filter_map(|reference| self.own_path(reference.uri.as_bytes())));
            if self.table.licensed {
                let licences = self.table.entries.iter().filter(|entry| entry.kind == LineKind::License);
                out.extend(licences.filter_map(|entry| self.own_path(entry.value(self.text()))));
            }
        }
        out.into_boxed_slice()
    }

    /// The path of a URI of this policy's authority, or relative to its root.
    fn own_path(&self, uri: &[u8]) -> Option<Box<[u8]>> {
        let rest = match split_origin(uri) {
            Some((origin, rest)) if self.origin.as_deref().is_none_or(|ours| ours == origin.as_slice()) => rest,
            Some(_) => return None,
            None if uri.is_empty() => return None,
            None => uri,
        };
        let rooted: Vec<u8> = match rest.first() {
            None | Some(b'/' | b'?' | b'#') => rest.to_vec(),
            _ => [b"/", rest].concat(),
        };
        let canonical = canonical_path(&rooted);
        canonical.split(|byte| *byte == b'?').next().map(Box::from)
    }

    /// The statement at a place.
    pub fn statement(&self, file: u32, place: u32) -> Option<&Statement> {
        self.file(file)?.statements.get(to_usize(place))
    }

    /// An ACAP file: the policy's own, or of a reference.
    pub fn file(&self, number: u32) -> Option<&File> {
        match to_usize(number).checked_sub(1) {
            None => self.acap.as_deref(),
            Some(place) => self.supplied.get(place)?.file.as_ref(),
        }
    }

    /// The line a conventional rule decides with, or 0.
    #[inline]
    pub fn line_of(&self, cite: Cite) -> u32 {
        match cite {
            Cite::Line(entry) => self.table.entries.get(to_usize(entry)).map_or(0, |entry| entry.line),
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

    /// The short way: crawl, where the conventional rule alone decides. None where more has to be looked at.
    #[inline]
    pub fn crawl_quickly(&self, view: &View, path: &[u8]) -> Option<(Outcome, Kind, Option<Rule>)> {
        if !view.plain || self.state != State::Present {
            return None;
        }
        // What carries policy is permitted for another reason.
        if view.may_always_fetch(path) {
            return None;
        }
        Some(match view.rep.decide(self.text(), path) {
            Some(rule) if !rule.permits() && rule.key >= 2 => (Outcome::Prohibited, Kind::Statement, Some(rule)),
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
        if !view.missing.is_empty() {
            return Answer::new(Outcome::Prohibited, Kind::ReferenceMissing, true).citing(view.missing.iter().copied());
        }
        if matches!(usage, usage::INDEX | usage::PRESERVE) || usage.is_present() {
            let takes_down = |(file, place): &&(u32, u32)| {
                let request = |file: &File| {
                    let request = file.requests.get(to_usize(*place))?;
                    Some(request.take_down && file.path(request) == question.path)
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
        let mut course = Course { exact: &exact, effort: Effort::default(), over: None, lists: HashMap::new() };
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
                let mut first = self.own(view, question, needed, trace, &mut course);
                if first.outcome == Outcome::Prohibited {
                    first.kind = kind;
                    first.stated = true;
                    return first;
                }
                add_new(&mut carried, first.held);
            }
        }
        let mut answer = self.own(view, question, usage, trace, &mut course);
        if answer.outcome != Outcome::Prohibited {
            carried.append(&mut answer.held);
            let mut held = Vec::with_capacity(carried.len());
            add_new(&mut held, carried);
            answer.held = held;
        }
        answer
    }

    /// The answer from the statements on one usage and those above it, its dependencies aside.
    fn own<'a>(
        &'a self,
        view: &'a View,
        question: &'a Question<'a>,
        usage: Usage,
        trace: bool,
        course: &mut Course<'a>,
    ) -> Answer {
        let mut answer = self.robots(view, question, usage, trace, course);
        answer = combine(question, usage, answer);
        if !answer.stated && answer.outcome == Outcome::Permitted {
            let silent = silence_prohibits(question.silence, usage);
            if silent {
                return Answer::new(Outcome::Prohibited, Kind::Silence, false);
            }
            if self.state == State::Absent {
                answer.kind = Kind::Absent;
            }
        }
        answer
    }

    /// One verdict of ACAP and the Robots Exclusion Protocol.
    fn robots<'a>(
        &'a self,
        view: &'a View,
        question: &'a Question<'a>,
        usage: Usage,
        trace: bool,
        course: &mut Course<'a>,
    ) -> Answer {
        let conventional =
            if usage == usage::CRAWL { self.conventional(view, question.path, trace) } else { Conventional::default() };
        let told = self.told(view, question, usage, course);
        if let Some(cite) = course.over {
            // Too many to be weighed.
            let finding = Finding { prohibited: true, stated: true, decided: vec![cite], ..Finding::default() };
            return from_finding(finding, Vec::new());
        }
        let mut all = told.to(question.purpose, &mut course.effort);
        let acap = all.iter().any(Candidate::speaks);
        all.extend(conventional.refusals.iter().map(|(pattern, cite, named)| Candidate {
            tier: Tier::of(false, *named),
            part: Part::Site,
            usage: usage::CRAWL,
            effect: Effect::Prohibits,
            pattern,
            conventional: true,
            lifts: false,
            restrictions: [&[], &[]],
            cite: *cite,
        }));
        let mut held = Vec::new();
        let setting = resolution::Setting { usage, at: question.at, facts: question.facts, trace };
        let mut finding = resolve(&all, setting, &mut held, &mut course.effort);
        // Conventional lines speak once: of their refusals the strongest that stands is cited.
        let mut cited = false;
        let (decided, weaker): (Vec<Cite>, Vec<Cite>) = finding.decided.iter().partition(|cite| {
            let refusal = conventional.refusals.iter().any(|(_, held, _)| held == *cite);
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
        // A rule that permits is silence beside ACAP (section 5).
        let permits = conventional.permits.filter(|_| !acap && !finding.prohibited && conventional.refusals.is_empty());
        if let Some(cite) = permits {
            finding.stated = true;
            finding.decided.push(cite);
            finding.lost.extend(conventional.lost.iter().copied());
        }
        if !finding.prohibited && question.purpose.is_none() {
            let setting = resolution::Setting { trace: false, ..setting };
            excluded_purposes(view, &told, setting, &all, &mut held, &mut course.effort);
        }
        from_finding(finding, held)
    }

    /// The ACAP statements that apply, whatever their purposes: addressed, on the usage or above, matching the path; and
    /// those of the remainder, which speak where no others do (G 1.3).
    fn told<'a>(
        &'a self,
        view: &'a View,
        question: &'a Question<'a>,
        usage: Usage,
        course: &mut Course<'a>,
    ) -> Told<'a> {
        let own = self.on(view, question, course, |held| held.covers(usage));
        let always = own.iter().any(|one| one.purposes.is_none() && one.candidate.speaks());
        let rest = if always || !usage.in_remainder() {
            Vec::new()
        } else {
            self.on(view, question, course, |held| held == usage::OTHER)
        };
        Told { own, rest }
    }

    fn on<'a>(
        &'a self,
        view: &'a View,
        question: &'a Question<'a>,
        course: &mut Course<'a>,
        wanted: impl Fn(Usage) -> bool,
    ) -> Vec<Heard<'a>> {
        let mut out = Vec::new();
        for one in &view.acap {
            let Some(file) = self.file(one.file) else { continue };
            let Some(statement) = file.statements.get(to_usize(one.place)) else { continue };
            let targets = file.targets(statement);
            course.effort.spend(targets.len());
            let Some(first) = targets.iter().find(|target| wanted(target.usage)) else { continue };
            let (number, place) = (one.file, one.place);
            let cite = |usage: Usage, effect: Effect| Cite::Statement { file: number, place, usage, effect };
            let purposes =
                one.audience.and_then(|place| view.audiences.get(to_usize(place))).map(|purposes| &**purposes);
            let mut hear = |pattern: &'a [u8], effort: &mut Effort| {
                for target in targets.iter().filter(|target| wanted(target.usage)) {
                    let effect = file.effect(statement, target);
                    let lists = match effect {
                        Effect::Permits => file.qualifiers(statement, target).map(|list| view.list(one.file, list)),
                        Effect::Prohibits => [&[][..]; 2],
                    };
                    let nothing = one.void || (statement.beyond && lists.iter().all(|list| list.is_empty()));
                    if effect == Effect::Permits && nothing {
                        continue;
                    }
                    effort.spend(COMPARISON);
                    if effort.is_spent() {
                        return;
                    }
                    let candidate = Candidate {
                        tier: Tier::of(purposes.is_some(), one.named),
                        part: Part::Site,
                        usage: target.usage,
                        effect,
                        pattern,
                        conventional: false,
                        lifts: effect == Effect::Permits && !statement.beyond,
                        restrictions: lists,
                        cite: cite(target.usage, effect),
                    };
                    out.push(Heard { purposes, candidate });
                }
            };
            let matching = file.patterns(statement).filter(|pattern| matches(pattern, question.path));
            if statement.resources.len < LONG {
                matching.for_each(|pattern| hear(pattern, &mut course.effort));
            } else {
                let list =
                    course.lists.entry((one.file, statement.resources)).or_insert_with(|| matching.collect()).clone();
                list.iter().for_each(|pattern| hear(pattern, &mut course.effort));
            }
            if course.effort.is_spent() {
                course.over.get_or_insert(cite(first.usage, file.effect(statement, first)));
                return out;
            }
        }
        for (place, one) in
            question.elsewhere.iter().enumerate().filter(|(_, one)| one.dialect == 0 && wanted(one.usage))
        {
            let purposes = one.purpose.as_ref().filter(|purpose| !purpose.is_any()).map(std::slice::from_ref);
            let effect = if one.outcome == Outcome::Permitted { Effect::Permits } else { Effect::Prohibits };
            let candidate = Candidate {
                tier: Tier::of(purposes.is_some(), one.named),
                part: one.part,
                usage: one.usage,
                effect,
                pattern: course.exact,
                conventional: false,
                lifts: effect == Effect::Permits,
                restrictions: [&one.restrictions, &[]],
                cite: Cite::Elsewhere(to_u32(place)),
            };
            out.push(Heard { purposes, candidate });
        }
        out
    }

    /// What the Robots Exclusion Protocol says: the rule it selects, and where that refuses and ACAP fields could
    /// overcome it, every other rule that would refuse in its place. Else one more Disallow, longer but in an ACAP
    /// permission's eyes broader, could be the one that is overcome, and permit (our choice).
    fn conventional(&self, view: &View, path: &[u8], trace: bool) -> Conventional {
        let text = self.text();
        let mut out = Conventional::default();
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
            Some(rule) if !rule.permits() && rule.key >= 2 => {
                let mut refusing = vec![rule];
                if !view.acap.is_empty() {
                    let matching = |rule: &&Rule| view.rep.rule_matches(text, **rule, path);
                    let all = || view.rep.rules.iter().filter(matching);
                    let permitted = all().filter(|rule| rule.permits()).map(|rule| rule.key >> 1).max().unwrap_or(0);
                    let more = all()
                        .filter(|other| other.entry != rule.entry && !other.permits() && other.key >> 1 > permitted);
                    refusing.extend(more.copied());
                    refusing.sort_by_key(|rule| (std::cmp::Reverse(rule.key), rule.entry));
                }
                let refusal =
                    |rule: Rule| (view.rep.pattern(text, rule).to_vec(), Cite::Line(rule.entry), view.rep.named);
                out.refusals.extend(refusing.into_iter().map(refusal));
            }
            Some(rule) => out.permits = Some(Cite::Line(rule.entry)),
            None => {}
        }
        for record in &view.rep.records {
            let found = record.decide(path);
            let cite = found.entry.map_or(Cite::NothingMatched, Cite::Line);
            if trace {
                let others = record.others(path, found.entry).into_iter().map(|(entry, key)| (Cite::Line(entry), key));
                out.lost.extend(others.take(CITED.saturating_sub(out.lost.len())));
            }
            if found.refuses {
                let pattern = found.entry.and_then(|entry| record.pattern_of(entry)).unwrap_or_else(|| b"/".to_vec());
                out.refusals.push((pattern, cite, record.named));
            } else if found.entry.is_some() {
                out.permits.get_or_insert(cite);
            }
        }
        out
    }

    fn rule_key(&self, winner: Rule, loser: Rule) -> Key {
        match self.dialect {
            Dialect::Auto | Dialect::Rfc9309 | Dialect::Google => {
                if winner.key >> 1 != loser.key >> 1 {
                    Key::Length
                } else if winner.key != loser.key {
                    Key::AllowOnTie
                } else {
                    Key::Order
                }
            }
            _ => Key::Order,
        }
    }
}

/// Lists of patterns from this length on are matched once for a question: those of a set may be used often.
const LONG: u32 = 256;

/// What the answer to one question has come across.
struct Course<'a> {
    /// The pattern of nothing but the path.
    exact: &'a [u8],
    effort: Effort,
    /// The statement at which there was no effort left.
    over: Option<Cite>,
    /// The patterns that match, of long lists.
    lists: HashMap<(u32, Span), Rc<[&'a [u8]]>>,
}

/// An applicable statement, and the purposes it is for; none if it is for every purpose.
struct Heard<'a> {
    purposes: Option<&'a [Purpose]>,
    candidate: Candidate<'a>,
}

/// The statements on a usage, and those on the remainder.
struct Told<'a> {
    own: Vec<Heard<'a>>,
    rest: Vec<Heard<'a>>,
}

impl<'a> Told<'a> {
    /// What is said to a purpose, or without one.
    fn to(&self, purpose: Option<&[u8]>, effort: &mut Effort) -> Vec<Candidate<'a>> {
        let mut out = to_purpose(&self.own, purpose, effort);
        if !out.iter().any(Candidate::speaks) {
            out.extend(to_purpose(&self.rest, purpose, effort));
        }
        out
    }

    fn has_purposes(&self) -> bool {
        self.own.iter().chain(&self.rest).any(|one| one.purposes.is_some())
    }
}

fn to_purpose<'a>(list: &[Heard<'a>], purpose: Option<&[u8]>, effort: &mut Effort) -> Vec<Candidate<'a>> {
    // The statements of a sub-record stand together: its purposes are matched once.
    let mut last: Option<(&[Purpose], bool)> = None;
    let mut out = Vec::new();
    for one in list {
        let hears = match (one.purposes, purpose) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(purposes), Some(asked)) => match last {
                Some((held, hears)) if std::ptr::eq(held, purposes) => hears,
                _ => {
                    let hears = purposes.iter().any(|purpose| {
                        effort.spend(COMPARISON.saturating_add(purpose.folded().len()));
                        purpose.matches(asked)
                    });
                    last = Some((purposes, hears));
                    hears
                }
            },
        };
        effort.spend(1);
        if hears {
            out.push(one.candidate.clone());
        }
    }
    out
}

/// Purposes that would be prohibited, as restrictions of a permission that was asked for without purpose.
fn excluded_purposes(
    view: &View,
    told: &Told<'_>,
    setting: resolution::Setting<'_>,
    without: &[Candidate<'_>],
    held: &mut Vec<Held>,
    effort: &mut Effort,
) {
    if !told.has_purposes() {
        return;
    }
    let mut exclude = |written: &str, cite: Cite| {
        held.push(Held { name: EXCLUDED_PURPOSE, value: written.into(), part: None, cite });
    };
    for purpose in &view.purposes {
        let mut list = told.to(Some(purpose.folded()), effort);
        list.extend(without.iter().filter(|one| one.conventional).cloned());
        let finding = resolve(&list, setting, &mut Vec::new(), effort);
        if finding.prohibited || effort.is_spent() {
            exclude(&purpose.written, finding.decided.first().copied().unwrap_or(Cite::NothingMatched));
        }
    }
    if view.more_purposes {
        exclude("*", Cite::NothingMatched);
    }
}

/// The restriction that a question without purpose gets for a purpose that would be refused.
pub const EXCLUDED_PURPOSE: &str = "excluded-purpose";

/// What the conventional lines say to a question on crawl.
#[derive(Default)]
struct Conventional {
    /// What refuses, the strongest first: the pattern, and whether its group names the crawler.
    refusals: Vec<(Vec<u8>, Cite, bool)>,
    /// What permits, where nothing refuses.
    permits: Option<Cite>,
    lost: Vec<(Cite, Key)>,
}

/// What the operator takes silence on a usage for: as said of the nearest usage, then of the remainder.
fn silence_prohibits(silence: &[(Usage, bool)], usage: Usage) -> bool {
    let said = |usage: Usage| silence.iter().find(|(of, _)| *of == usage).map(|(_, prohibits)| *prohibits);
    let nearest = std::iter::successors(Some(usage), |usage| usage.parent()).find_map(said);
    nearest.or_else(|| usage.in_remainder().then(|| said(usage::OTHER)).flatten()).unwrap_or(false)
}

/// Adds the restrictions that are not yet among those held.
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
    Answer { outcome, kind, stated: finding.stated, decided: finding.decided, lost: finding.lost, held }
}

/// Adds the verdicts of the other dialects: prohibited over conditional over permitted over silent (section 8).
fn combine(question: &Question<'_>, usage: Usage, mut answer: Answer) -> Answer {
    let mut more = Vec::new();
    for (place, one) in question.elsewhere.iter().enumerate().filter(|(_, one)| one.dialect != 0) {
        let applies = one.usage.covers(usage)
            && match (&one.purpose, question.purpose) {
                (None, _) => true,
                (Some(pattern), asked) => pattern.is_any() || asked.is_some_and(|asked| pattern.matches(asked)),
            };
        if !applies {
            continue;
        }
        let cite = Cite::Elsewhere(to_u32(place));
        let spent = one.restrictions.iter().any(|restriction| restriction.is_over(usage, question.at, question.facts));
        let outcome = if spent { Outcome::Prohibited } else { one.outcome };
        if outcome > answer.outcome {
            let lost = std::mem::take(&mut answer.decided);
            answer.lost.extend(lost.into_iter().map(|cite| (cite, Key::Dialect)));
            answer.outcome = outcome;
            answer.kind = if spent { Kind::Expired } else { Kind::Statement };
            answer.decided.push(cite);
        } else if outcome == answer.outcome {
            answer.decided.push(cite);
            if answer.kind == Kind::Silence {
                answer.kind = Kind::Statement;
            }
        } else {
            answer.lost.push((cite, Key::Dialect));
        }
        answer.stated = true;
        let restricts = |one: &Restriction| Held { name: one.name(), value: one.value.clone(), part: None, cite };
        more.extend(one.restrictions.iter().map(restricts));
    }
    add_new(&mut answer.held, more);
    answer
}
