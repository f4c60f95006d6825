//! The part of a policy that addresses one crawler: computed once, asked often.

use std::sync::OnceLock;

use super::addressed::{Address, Addressed, Records};
use super::always::Always;
use super::controls::{Control, ControlToken, of_operator};
use super::signals::Signals;
use crate::fields::Kind as LineKind;
use crate::file::File;
use crate::lines::Entry;
use crate::octets::is_name;
use crate::places::{Span, to_u32, to_usize};
use crate::policy::Policy;
use crate::rep::{self, Selection};
use crate::resolution::{Candidate, Cite, Tier};
use crate::restrictions::Restriction;
use crate::signals::Vocabulary;
use crate::statement::{Effect, Part, Purpose, Statement, Target};
use crate::usage::Usage;

/// The part of a policy that addresses one crawler.
#[derive(Debug)]
pub struct View {
    pub(super) names: Box<[Box<str>]>,
    /// Control tokens that are heard beside those of its operator.
    beside: Box<[&'static ControlToken]>,
    pub rep: Selection,
    /// What ACAP records say that are addressed to it.
    pub acap: Records,
    /// Paths of the resources that carry policy.
    always: Always,
    /// The Content-Signal, Content-Usage and License lines.
    pub(super) signals: Option<Box<Signals>>,
    /// The rules for the control tokens that it hears.
    pub(super) controls: Vec<Control>,
    /// What each of these tokens hears beside the rules.
    pub(super) told: Vec<(&'static ControlToken, Self)>,
    /// No ACAP field and no second reading concerns the crawler: the conventional rule alone decides.
    pub(super) plain: bool,
    /// The crawler asks by one name, of which every octet is a name's, and hears no control tokens beside.
    by_name: bool,
    /// The origin of the first URL that was asked about, of a policy that has none itself, if it is a name alone: the
    /// next ones nearly always begin with it.
    origin: OnceLock<Box<[u8]>>,
}

impl View {
    /// The documents that License lines name for the crawler, each with its line (RSL 1.0 4.4): those of its groups, or
    /// else those for every crawler.
    pub fn licences<'p>(&self, policy: &'p Policy) -> Vec<(&'p [u8], u32)> {
        let places = self.signals.iter().flat_map(|signals| &*signals.licences);
        let entries = places.filter_map(|place| policy.table.entries.get(to_usize(*place)));
        entries.map(|entry| (entry.value(policy.text()), entry.line)).collect()
    }

    /// The documents that they name for the control tokens of its operator beside those, each with its line and the
    /// usages that the token controls.
    pub fn controlled_licences<'p>(&self, policy: &'p Policy) -> Vec<(&'p [u8], u32, &'static [Usage])> {
        let of = |(token, heard): &(&'static ControlToken, Self)| {
            let licences = heard.licences(policy).into_iter();
            licences.map(|(document, line)| (document, line, token.usages)).collect::<Vec<_>>()
        };
        self.told.iter().flat_map(of).collect()
    }

    pub fn new<N: AsRef<str>>(policy: &Policy, names: &[N]) -> Self {
        Self::with_tokens(policy, names, &[])
    }

    /// Of a crawler that hears control tokens beside those of its operator.
    pub(crate) fn with_tokens<N: AsRef<str>>(policy: &Policy, names: &[N], beside: &[&'static ControlToken]) -> Self {
        let mut view = Self::empty(policy, names);
        view.beside = beside.into();
        view.by_name = beside.is_empty() && matches!(names, [name] if is_one_name(name.as_ref()));
        let octets: Vec<&[u8]> = names.iter().map(|name| name.as_ref().as_bytes()).collect();
        if !policy.ignores_rep() {
            view.rep = rep::select(policy.dialect, &policy.table, policy.text(), &octets);
        }
        if let Some(file) = &policy.acap {
            view.acap = Records::read(policy, file, &octets, Some(Address { named: false, lifts_nothing: false }));
        }
        if policy.dialect.vocabularies && (policy.table.signals || policy.table.licensed) {
            view.signals = Signals::read(policy, &octets);
        }
        let mut tokens = of_operator(policy, &view.names);
        let further = beside.iter().filter(|token| !tokens.iter().any(|own| own.name == token.name));
        tokens.extend(further.copied().collect::<Vec<_>>());
        view.controls = tokens.iter().filter_map(|token| Control::of(policy, token, &view.rep)).collect();
        view.told = tokens.iter().filter_map(|token| Some((*token, view.beside_rules(policy, token)?))).collect();
        view.plain = view.acap.statements.is_empty()
            && view.acap.requests.is_empty()
            && view.acap.missing.is_empty()
            && view.rep.records.is_empty()
            && view.rep.apart.is_empty()
            && !policy.in_doubt();
        view
    }

    fn empty<N: AsRef<str>>(policy: &Policy, names: &[N]) -> Self {
        Self {
            names: names.iter().map(|name| name.as_ref().into()).collect(),
            beside: Box::default(),
            rep: Selection::default(),
            acap: Records::default(),
            always: Always::of(policy),
            signals: None,
            controls: Vec::new(),
            told: Vec::new(),
            plain: false,
            by_name: false,
            origin: OnceLock::new(),
        }
    }

    /// What a control token hears beside the rules: the ACAP records that name it, and of its groups the signals, and
    /// the licences that are not the crawler's own. None if there is nothing of this that the crawler does not hear.
    fn beside_rules(&self, policy: &Policy, token: &ControlToken) -> Option<Self> {
        let name = token.name.as_bytes();
        let names_it = |file: &File| file.records.iter().any(|record| file.names_crawler(record, name));
        let acap = policy.acap.as_ref().filter(|file| names_it(file));
        let speaks = policy.table.signals || policy.table.licensed;
        let signals = if speaks && token.hears_groups(policy) { Signals::read(policy, &[name]) } else { None };
        let signals = signals.and_then(|signals| signals.beside(self.signals.as_deref()));
        if acap.is_none() && signals.is_none() {
            return None;
        }
        let mut view = Self::empty(policy, &[token.name]);
        view.signals = signals;
        if let Some(file) = acap {
            view.acap = Records::read(policy, file, &[name], None);
        }
        Some(view)
    }

    /// Whether a statement is for a purpose, or for a question without one.
    pub(super) fn is_for_purpose(&self, one: &Addressed, purpose: Option<&[u8]>) -> bool {
        one.audience.is_none_or(|place| self.has_audience(place, purpose))
    }

    fn has_audience(&self, audience: u32, purpose: Option<&[u8]>) -> bool {
        match (self.acap.audiences.get(to_usize(audience)), purpose) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(list), Some(asked)) => list.iter().any(|purpose| purpose.matches(asked)),
        }
    }

    /// The lines of the file itself that are addressed to the crawler: rules, also for control tokens, permissions and
    /// prohibitions; and whether each is for one of the purposes, or for questions without any.
    pub fn lines(&self, policy: &Policy, purposes: &[Vec<u8>]) -> Vec<(u32, bool)> {
        let names: Vec<&[u8]> = self.names.iter().map(|name| name.as_bytes()).collect();
        let (entries, text) = (&policy.table.entries, policy.text());
        let name = rep::addressed(policy.dialect, entries, text, &names);
        let groups =
            rep::addressed_groups(policy.dialect, entries, text, &names, name).filter(|_| !policy.ignores_rep());
        let is_rule = |entry: &&Entry| matches!(entry.kind, LineKind::Allow | LineKind::Disallow);
        let rules = groups.flatten().filter(is_rule).map(|entry| (entry.line, true));
        let fields = [self].into_iter().chain(self.heard_by_tokens()).flat_map(|view| {
            view.acap.statements.iter().filter(|one| one.file == 0).filter_map(|one| {
                let statement = policy.acap.as_ref()?.statements.get(to_usize(one.place))?;
                let is_for = match purposes {
                    [] => view.is_for_purpose(one, None),
                    asked => asked.iter().any(|purpose| view.is_for_purpose(one, Some(purpose))),
                };
                Some((statement.line, is_for))
            })
        });
        let controls = self.controls.iter().flat_map(|control| control.selection(&self.rep).rules.iter());
        let controls = controls.filter_map(|rule| Some((entries.get(to_usize(rule.entry))?.line, true)));
        rules.chain(controls).chain(fields).collect()
    }

    /// The control tokens whose rules may refuse what the crawler is not refused to crawl.
    pub(super) fn controlling(&self) -> impl Iterator<Item = &Control> {
        self.controls.iter().filter(|control| !control.adds_nothing(&self.rep, !self.acap.statements.is_empty()))
    }

    /// Whether a control token may refuse what the crawler is not refused to crawl.
    pub fn is_controlled(&self) -> bool {
        self.controlling().next().is_some() || !self.told.is_empty()
    }

    /// The names that the crawler answers to.
    pub(crate) fn names(&self) -> &[Box<str>] {
        &self.names
    }

    /// What follows the origin of a URL that begins with the one that is remembered.
    #[inline]
    pub(crate) fn after_known_origin<'u>(&self, url: &'u [u8]) -> Option<&'u [u8]> {
        url.strip_prefix(&**self.origin.get()?)
    }

    /// Remembers the origin of a URL, if it is the first.
    #[cold]
    pub(crate) fn remember_origin(&self, origin: &[u8]) {
        self.origin.get_or_init(|| origin.into());
    }

    /// Whether the conventional rule alone decides what may be crawled.
    pub(crate) fn is_plain(&self) -> bool {
        self.plain
    }

    /// Whether lines of a vocabulary address the crawler.
    pub(crate) fn hears(&self, vocabulary: Vocabulary) -> bool {
        self.signals.as_ref().is_some_and(|signals| signals.speaks(vocabulary))
    }

    /// Whether fields of ACAP records address the crawler.
    pub(crate) fn hears_records(&self) -> bool {
        !(self.acap.statements.is_empty() && self.acap.requests.is_empty() && self.acap.missing.is_empty())
    }

    /// Whether nothing but rules addresses the crawler: then what is refused to crawl is refused to every other usage,
    /// and nothing else is.
    pub(crate) fn hears_rules_alone(&self) -> bool {
        self.plain && self.signals.is_none() && !self.is_controlled()
    }

    /// What the control tokens hear that are about a usage.
    pub(super) fn told_on(&self, usage: Usage) -> impl Iterator<Item = &Self> {
        self.told.iter().filter(move |(token, _)| token.on(usage).is_some()).map(|(_, heard)| heard)
    }

    fn heard_by_tokens(&self) -> impl Iterator<Item = &Self> {
        self.told.iter().map(|(_, heard)| heard)
    }

    /// The sub-records with purposes that apply to a question, by their places.
    pub fn audiences_for(&self, purpose: Option<&[u8]>) -> Vec<u32> {
        let own = (0..to_u32(self.acap.audiences.len())).filter(|place| self.has_audience(*place, purpose));
        let of_token = |heard: &Self| [vec![u32::MAX], heard.audiences_for(purpose)].concat();
        own.chain(self.heard_by_tokens().flat_map(of_token)).collect()
    }

    /// Number of sub-records with purposes.
    pub fn audiences(&self) -> usize {
        self.heard_by_tokens().map(Self::audiences).fold(self.acap.audiences.len(), usize::saturating_add)
    }

    /// Calls `does` with the view reduced to the statements for one purpose.
    pub fn narrowed<T>(&mut self, purpose: Option<&[u8]>, does: impl FnOnce(&Self) -> T) -> T {
        if self.audiences() == 0 {
            return does(self);
        }
        let all = self.narrow(purpose);
        let of_tokens: Vec<Vec<Addressed>> = self.told.iter_mut().map(|(_, heard)| heard.narrow(purpose)).collect();
        let done = does(self);
        self.acap.statements = all;
        self.told.iter_mut().zip(of_tokens).for_each(|((_, heard), all)| heard.acap.statements = all);
        done
    }

    /// Keeps the statements for one purpose; all of them are returned.
    fn narrow(&mut self, purpose: Option<&[u8]>) -> Vec<Addressed> {
        let of_purpose = self.acap.statements.iter().filter(|one| self.is_for_purpose(one, purpose)).copied().collect();
        std::mem::replace(&mut self.acap.statements, of_purpose)
    }

    /// The purposes that a statement is for; none if it is for every purpose.
    pub(super) fn purposes_of(&self, one: &Addressed) -> Option<&[Purpose]> {
        one.audience.and_then(|place| self.acap.audiences.get(to_usize(place))).map(|purposes| &**purposes)
    }

    pub(super) fn list(&self, file: u32, qualifiers: Span) -> &[Restriction] {
        if qualifiers.is_empty() {
            return &[];
        }
        self.acap.restrictions.get(&(file, qualifiers)).map_or(&[], |list| list)
    }

    /// Crawlers with the same key get the same answers.
    pub fn key(&self) -> Vec<u64> {
        let mut out = self.rep.key();
        out.extend([u64::MAX, u64::from(self.acap.more_purposes)]);
        for one in &self.acap.statements {
            let audience = one.audience.map_or(u64::MAX, u64::from);
            out.extend([
                u64::from(one.file) << 32 | u64::from(one.place),
                u64::from(one.every_purpose) << 3
                    | u64::from(one.lifts_nothing) << 2
                    | u64::from(one.named) << 1
                    | u64::from(one.without_permissions),
                audience,
            ]);
        }
        out.push(u64::MAX);
        out.extend(self.acap.requests.iter().map(|(file, place)| u64::from(*file) << 32 | u64::from(*place)));
        out.push(u64::MAX);
        out.push(u64::from(to_u32(self.acap.missing.len())));
        out.push(u64::MAX);
        out.extend(self.signals.iter().flat_map(|signals| signals.entries().map(u64::from)));
        out.push(u64::MAX);
        out.extend(self.controlling().flat_map(|control| control.key(&self.rep)));
        for (token, heard) in &self.told {
            out.extend([u64::MAX].into_iter().chain(token.usages.iter().map(|usage| u64::from(usage.0))));
            out.extend([u64::MAX].into_iter().chain(heard.key()));
        }
        out
    }

    /// Whether the resource carries policy; its query is ignored.
    #[inline]
    pub(crate) fn may_always_fetch(&self, path: &[u8]) -> bool {
        self.always.has(path)
    }

    /// Paths of the resources that may always be fetched.
    pub(super) fn policy_paths(&self) -> impl Iterator<Item = &[u8]> {
        self.always.paths()
    }

    /// What a statement says of one of its usages, but for the pattern; none if it has no effect.
    pub(super) fn says(
        &self,
        file: &File,
        one: &Addressed,
        statement: &Statement,
        target: &Target,
    ) -> Option<Candidate<'_>> {
        let effect = file.effect(statement, target);
        let lists = match effect {
            Effect::Permits => file.qualifiers(statement, target).map(|list| self.list(one.file, list)),
            Effect::Prohibits => [&[][..]; 2],
        };
        let nothing = one.without_permissions
            || ((statement.lifts_nothing || one.lifts_nothing) && lists.iter().all(|list| list.is_empty()));
        (effect == Effect::Prohibits || !nothing).then(|| Candidate {
            tier: Tier::of(self.purposes_of(one).is_some() || one.every_purpose, one.named),
            part: Part::Site,
            usage: target.usage,
            effect,
            pattern: &[],
            conventional: false,
            lifts: effect == Effect::Permits && !statement.lifts_nothing && !one.lifts_nothing,
            firm: file.firmness(statement, target, one.lifts_nothing),
            restrictions: lists,
            cite: Cite::Statement { file: one.file, place: one.place, usage: target.usage, effect },
        })
    }

    /// Whether it is the view of a crawler that asks by this one name, which is a name and no more of a User-Agent string.
    #[inline]
    pub(crate) fn is_for_name(&self, name: &[u8]) -> bool {
        self.by_name && self.names.first().is_some_and(|held| held.as_bytes() == name)
    }

    pub(crate) fn is_for<N: AsRef<str>>(&self, names: &[N], beside: &[&'static ControlToken]) -> bool {
        let is_same = |(held, token): (&&ControlToken, &&ControlToken)| held.name == token.name;
        self.names.iter().map(|held| &**held).eq(names.iter().map(AsRef::as_ref))
            && self.beside.len() == beside.len()
            && self.beside.iter().zip(beside).all(is_same)
    }
}

fn is_one_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(is_name)
}

impl Policy {
    /// Whether a User-agent line names a crawler, or an ACAP record of this file or of what it refers to.
    pub fn names_crawler(&self, name: &str) -> bool {
        let names_it = |file: &File| file.records.iter().any(|record| file.names_crawler(record, name.as_bytes()));
        rep::addressed(self.dialect, &self.table.entries, self.text(), &[name]).is_some() || self.files().any(names_it)
    }
}
