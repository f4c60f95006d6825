//! Question → answer.
//!
//! Order: is there a policy at all, may the resource always be fetched, is a reference missing, is the resource taken
//! down, may it be crawled, may it be preserved where that is needed, and then the usage itself. Nothing is answered
//! better than crawl (G 2.4).

use std::borrow::Cow;

use crate::conventional::{self, Rule, Selection};
use crate::lines::{Kind as LineKind, to_u32, to_usize};
use crate::octets::{canonical_path, decoded_path, google_path, split_origin};
use crate::pattern::matches;
use crate::policy::{Dialect, Policy, State};
use crate::resolution::{Candidate, Cite, Finding, Held, Key, Tier, resolve};
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
}

/// What one crawler is told: computed once, asked often.
#[derive(Debug)]
pub struct View {
    names: Box<[Box<str>]>,
    pub rep: Selection,
    acap: Vec<Addressed>,
    /// References that are missing or of no use.
    pub missing: Vec<Cite>,
    /// Every reference that concerns the crawler.
    pub references: Vec<Cite>,
    /// Action requests, each by its file and its place there.
    pub requests: Vec<(u32, u32)>,
    /// Patterns of the purposes that sub-records for this crawler are for.
    purposes: Vec<Purpose>,
    /// Paths of the resources that carry policy.
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
            missing: Vec::new(),
            references: Vec::new(),
            requests: Vec::new(),
            purposes: Vec::new(),
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

    fn read_acap(&mut self, policy: &Policy, file: &crate::acap::File, names: &[&[u8]]) {
        let known = |name: &&&[u8]| file.records.iter().any(|record| record.names_crawler(name));
        let name = names.iter().find(known).copied();
        // For each record whether it names the crawler, or is addressed to any, or is not addressed to it at all.
        let addressed: Vec<Option<bool>> = file
            .records
            .iter()
            .map(|record| match name {
                Some(name) if record.names_crawler(name) => Some(true),
                _ => record.any.then_some(false),
            })
            .collect();
        let of = |record: u32| addressed.get(to_usize(record)).copied().flatten();
        self.add_statements(file, 0, of, |record| {
            file.records.get(to_usize(record)).is_some_and(|record| !record.references.is_empty())
        });
        for (number, record) in file.records.iter().enumerate() {
            let Some(named) = of(to_u32(number)) else { continue };
            for (place, reference) in record.references.iter().enumerate() {
                let cite = Cite::Reference { record: to_u32(number), place: to_u32(place) };
                self.references.push(cite);
                let found = policy.supplied.iter().position(|one| one.uri == reference.uri);
                let usable = found.and_then(|at| Some((at, policy.supplied.get(at)?.file.as_ref()?)));
                match usable {
                    Some((at, other)) => {
                        if !self.add_reference(other, to_u32(at.saturating_add(1)), named, names) {
                            self.missing.push(cite);
                        }
                    }
                    None => self.missing.push(cite),
                }
            }
        }
    }

    /// Adds what a referenced file says; false if an applicable record of it refers further (one level).
    fn add_reference(&mut self, file: &crate::acap::File, number: u32, named: bool, names: &[&[u8]]) -> bool {
        let known = |name: &&&[u8]| file.records.iter().any(|record| record.names_crawler(name));
        let name = names.iter().find(known).copied();
        let of = |record: u32| {
            let record = file.records.get(to_usize(record))?;
            match name {
                // The referring record's addressing stands for the referenced one's too (our choice).
                Some(name) if record.names_crawler(name) => Some(true),
                _ => record.any.then_some(named),
            }
        };
        let refers =
            |number: u32| file.records.get(to_usize(number)).is_some_and(|record| !record.references.is_empty());
        let records = to_u32(file.records.len());
        if (0..records).any(|record| of(record).is_some() && refers(record)) {
            return false;
        }
        self.add_statements(file, number, of, |_| false);
        true
    }

    fn add_statements(
        &mut self,
        file: &crate::acap::File,
        number: u32,
        addressed: impl Fn(u32) -> Option<bool>,
        void: impl Fn(u32) -> bool,
    ) {
        for (place, statement) in file.statements.iter().enumerate() {
            let Some(audience) = file.audiences.get(to_usize(statement.audience)) else { continue };
            let Some(named) = addressed(audience.record) else { continue };
            if statement.effect == Effect::Permits && void(audience.record) {
                continue;
            }
            self.acap.push(Addressed { file: number, place: to_u32(place), named });
        }
        for (place, request) in file.requests.iter().enumerate() {
            if addressed(request.record).is_some() {
                self.requests.push((number, to_u32(place)));
            }
        }
        for audience in &file.audiences {
            if audience.purposeless || addressed(audience.record).is_none() {
                continue;
            }
            for purpose in &audience.purposes {
                if !self.purposes.iter().any(|held| held.written == purpose.written) {
                    self.purposes.push(purpose.clone());
                }
            }
        }
    }

    /// Whether the resource carries policy; its query does not matter.
    #[inline]
    fn may_always_fetch(&self, path: &[u8]) -> bool {
        self.always
            .iter()
            .any(|one| path.strip_prefix(&**one).is_some_and(|rest| matches!(rest.first(), None | Some(b'?'))))
    }

    pub fn is_for<N: AsRef<str>>(&self, names: &[N]) -> bool {
        self.names.len() == names.len() && self.names.iter().zip(names).all(|(held, name)| **held == *name.as_ref())
    }
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
        self.decided.extend(cites);
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
    /// Paths of the resources that carry policy, and so may always be fetched.
    fn policy_resources(&self) -> Box<[Box<[u8]>]> {
        let mut out: Vec<Box<[u8]>> = Vec::new();
        if matches!(self.dialect, Dialect::Auto | Dialect::Rfc9309 | Dialect::Norobots1996) {
            out.push(Box::from(&b"/robots.txt"[..]));
        }
        if self.dialect == Dialect::Auto {
            out.push(Box::from(&b"/.well-known/tdmrep.json"[..]));
            out.push(Box::from(&b"/ai.txt"[..]));
            let references = self.acap.iter().flat_map(|file| &file.records).flat_map(|record| &record.references);
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
            Some((origin, rest)) if self.origin.as_deref() == Some(origin.as_slice()) => rest,
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
    pub fn file(&self, number: u32) -> Option<&crate::acap::File> {
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
            Cite::Statement { file: 0, place } => self.statement(0, place).map_or(0, |statement| statement.line),
            Cite::Reference { record, place } => self
                .acap
                .as_ref()
                .and_then(|file| file.records.get(to_usize(record))?.references.get(to_usize(place)))
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
            let down = view.requests.iter().find(|(file, place)| {
                self.file(*file)
                    .and_then(|file| file.requests.get(to_usize(*place)))
                    .is_some_and(|request| request.take_down && *request.path == *question.path)
            });
            if let Some((file, place)) = down {
                let cite = Cite::Request { file: *file, place: *place };
                return Answer::new(Outcome::Prohibited, Kind::TakeDown, true).citing([cite]);
            }
        }
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
                let mut first = self.own(view, question, needed, trace);
                if first.outcome == Outcome::Prohibited {
                    first.kind = kind;
                    first.stated = true;
                    return first;
                }
                add_new(&mut carried, first.held);
            }
        }
        let mut answer = self.own(view, question, usage, trace);
        if answer.outcome != Outcome::Prohibited {
            carried.append(&mut answer.held);
            let mut held = Vec::with_capacity(carried.len());
            add_new(&mut held, carried);
            answer.held = held;
        }
        answer
    }

    /// The answer from the statements on one usage and those above it, its dependencies aside.
    fn own(&self, view: &View, question: &Question<'_>, usage: Usage, trace: bool) -> Answer {
        let mut answer = self.robots(view, question, usage, trace);
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
    fn robots(&self, view: &View, question: &Question<'_>, usage: Usage, trace: bool) -> Answer {
        let conventional =
            if usage == usage::CRAWL { self.conventional(view, question.path, trace) } else { Conventional::default() };
        let exact: Vec<u8> = question.path.iter().copied().chain([b'$']).collect();
        let mut all = self.candidates(view, question, usage, &exact);
        let acap = all.len();
        all.extend(conventional.refusals.iter().map(|(pattern, cite, named)| Candidate {
            tier: Tier::of(false, *named),
            part: Part::Site,
            usage: usage::CRAWL,
            effect: Effect::Prohibits,
            pattern,
            conventional: true,
            restrictions: &[],
            cite: *cite,
        }));
        let mut held = Vec::new();
        let mut finding = resolve(&all, usage, question.at, question.facts, &mut held, trace);
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
        if let (0, Some(cite), true) = (acap, conventional.permits, conventional.refusals.is_empty()) {
            finding.stated = true;
            finding.decided.push(cite);
            finding.lost.extend(conventional.lost.iter().copied());
        }
        if !finding.prohibited && question.purpose.is_none() {
            self.excluded_purposes(view, question, usage, &exact, &all, &mut held);
        }
        from_finding(finding, held)
    }

    /// Purposes that would be prohibited, as restrictions of a permission that was asked for without purpose.
    fn excluded_purposes(
        &self,
        view: &View,
        question: &Question<'_>,
        usage: Usage,
        exact: &[u8],
        without: &[Candidate<'_>],
        held: &mut Vec<Held>,
    ) {
        for purpose in &view.purposes {
            if purpose.is_any() {
                continue;
            }
            let asked = Question { purpose: Some(purpose.folded()), ..question.clone() };
            let mut list = self.candidates(view, &asked, usage, exact);
            list.extend(without.iter().filter(|one| one.conventional).cloned());
            let finding = resolve(&list, usage, question.at, question.facts, &mut Vec::new(), false);
            if finding.prohibited {
                let cite = finding.decided.first().copied().unwrap_or(Cite::NothingMatched);
                held.push(Held { name: EXCLUDED_PURPOSE, value: purpose.written.clone(), part: None, cite });
            }
        }
    }

    /// The ACAP statements that apply: addressed, for the purpose, on the usage or above, matching the path.
    fn candidates<'a>(
        &'a self,
        view: &'a View,
        question: &Question<'a>,
        usage: Usage,
        exact: &'a [u8],
    ) -> Vec<Candidate<'a>> {
        let list = self.on(view, question, exact, |held| held.covers(usage));
        // `other` speaks where nothing else does (G 1.3).
        if list.is_empty() && usage.in_remainder() {
            return self.on(view, question, exact, |held| held == usage::OTHER);
        }
        list
    }

    fn on<'a>(
        &'a self,
        view: &'a View,
        question: &Question<'a>,
        exact: &'a [u8],
        wanted: impl Fn(Usage) -> bool,
    ) -> Vec<Candidate<'a>> {
        let mut out = Vec::new();
        for one in &view.acap {
            let Some(file) = self.file(one.file) else { continue };
            let Some(statement) = file.statements.get(to_usize(one.place)) else { continue };
            if !wanted(statement.usage) {
                continue;
            }
            let Some(audience) = file.audiences.get(to_usize(statement.audience)) else { continue };
            let purpose = if audience.purposeless {
                false
            } else {
                match question.purpose {
                    Some(asked) if audience.purposes.iter().any(|purpose| purpose.matches(asked)) => true,
                    _ => continue,
                }
            };
            if !matches(&statement.pattern, question.path) {
                continue;
            }
            out.push(Candidate {
                tier: Tier::of(purpose, one.named),
                part: statement.part,
                usage: statement.usage,
                effect: statement.effect,
                pattern: &statement.pattern,
                conventional: false,
                restrictions: &statement.restrictions,
                cite: Cite::Statement { file: one.file, place: one.place },
            });
        }
        for (place, one) in
            question.elsewhere.iter().enumerate().filter(|(_, one)| one.dialect == 0 && wanted(one.usage))
        {
            let purpose = match (&one.purpose, question.purpose) {
                (None, _) => false,
                (Some(pattern), _) if pattern.is_any() => false,
                (Some(pattern), Some(asked)) if pattern.matches(asked) => true,
                _ => continue,
            };
            out.push(Candidate {
                tier: Tier::of(purpose, one.named),
                part: one.part,
                usage: one.usage,
                effect: if one.outcome == Outcome::Permitted { Effect::Permits } else { Effect::Prohibits },
                pattern: exact,
                conventional: false,
                restrictions: &one.restrictions,
                cite: Cite::Elsewhere(to_u32(place)),
            });
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
            out.lost = matching.map(|other| (Cite::Line(other.entry), self.rule_key(winner, *other))).collect();
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
                out.lost
                    .extend(record.others(path, found.entry).into_iter().map(|(entry, key)| (Cite::Line(entry), key)));
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

fn add_new(held: &mut Vec<Held>, more: Vec<Held>) {
    for one in more {
        if !held.iter().any(|have| have.name == one.name && have.value == one.value && have.part == one.part) {
            held.push(one);
        }
    }
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
        for restriction in &one.restrictions {
            let held = Held { name: restriction.name(), value: restriction.value.clone(), part: None, cite };
            add_new(&mut answer.held, vec![held]);
        }
    }
    answer
}
