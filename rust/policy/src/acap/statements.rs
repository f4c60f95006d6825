//! Permission fields → statements (P1 4.5.6).

use super::field::Field;
use super::name::{Name, UsageName};
use super::reader::{Gathering, PARTS, Qualifiers, Reader};
use super::resource::{is_begun_uri, is_unclear, set_name};
use super::spelling::{fold, nearly, slip};
use super::value::{Value, Word};
use crate::controls::is_control;
use crate::places::{Place, Span, to_u32};
use crate::problems::Code;
use crate::restrictions::{self, Qualifier};
use crate::statement::{Effect, Firm, Statement, Target};
use crate::usage::{self, Usage};

impl Reader<'_> {
    /// ```text
    /// permission-field  = "ACAP-allow-" ((ACAP-usage-name ["-" used-resource-type-name]) / local-usage-name) ":" *WSP
    ///                     resource-specification *(1*WSP qualifier-specification) field-end    ; P1 4.5.6
    /// prohibition-field = "ACAP-disallow-" (ACAP-usage-name ["-" used-resource-type-name] ":" *WSP
    ///                     resource-specification field-end                     ; the draft closes no parenthesis
    /// ```
    pub(super) fn statement(&mut self, about: &UsageName, effect: Effect, field: &Field<'_>) {
        let local = self.nearly_local(about, effect);
        let parenthesis_slipped = local.is_some();
        let about = local.as_ref().unwrap_or(about);
        self.gathering = Gathering::Fields;
        let beyond = self.beyond_limits();
        if beyond {
            self.problem(Code::AcapTooMuch, &[]);
        }
        let guessed = parenthesis_slipped
            || field.slipped
            || self.sub_guessed
            || self.file.records.last().is_some_and(|record| record.guessed);
        let lifts_nothing = beyond || (guessed && effect == Effect::Permits);
        // A permission with a control character lifts nothing; each word ends at its control character.
        let controlled = field.value.iter().any(|byte| is_control(*byte));
        let Value { mut resources, qualifiers, ended } = Value::read(field.value, &field.more, effect);
        // The name of the field can end in two places: it may prohibit either usage.
        let mut firm = if field.ambiguous && effect == Effect::Prohibits { Firm::Always } else { Firm::No };
        if resources.is_empty() && field.vague && effect == Effect::Prohibits {
            resources.push(Word::everything());
            firm = firm.max(Firm::InTier);
        }
        // A resource that is cut at a control character may have been narrower.
        if effect == Effect::Prohibits && resources.iter().any(|word| word.cut) {
            firm = firm.max(Firm::InTier);
        }
        let bare = self.bare(about);
        let bare_meant = bare.is_some();
        if let (UsageName::Local(name), Some(UsageName::Local(meant))) = (about, &bare) {
            self.problems.add(Code::AcapUndefinedUsage, self.place_of([field.head; 2]), &[name, meant]);
        }
        let about = bare.as_ref().unwrap_or(about);
        let qualifiers = if effect == Effect::Prohibits {
            if !qualifiers.is_empty() {
                self.problem(Code::AcapQualifierOnProhibition, &[]);
            }
            Qualifiers::default()
        } else {
            self.qualifiers(qualifiers.iter().map(|word| (&*word.text, word.ends)))
        };
        let verb = effect;
        let broken = qualifiers.broken || (ended && verb == Effect::Permits);
        if broken {
            firm = firm.max(Firm::InTier);
            // It prohibits the resources that a prohibition with these words would.
            resources = Value::read(field.value, &field.more, Effect::Prohibits).resources;
        }
        let doubtful = self.doubtful(about);
        if doubtful.is_some() || self.names_cut_set(&resources) {
            // A limit cut a definition that the field uses.
            if let Some(targets) =
                doubtful.or_else(|| self.within([field.head; 2], |reader| reader.targets(about, Effect::Prohibits)))
            {
                self.prohibit_everywhere(targets);
            }
            return;
        }
        // A field that cannot be interpreted is a prohibition, and its usage is read as that of any prohibition.
        let effect = if broken { Effect::Prohibits } else { verb };
        let (resources, undefined) = self.resources(&resources, verb, effect);
        let later = qualifiers.later || self.is_later(about);
        if qualifiers.later || self.definition_of(about).is_some_and(|local| local.later && !local.is_in_doubt()) {
            self.problem(Code::AcapLaterVersion, &[]);
        }
        // As a permission it would lift nothing. A field that cannot be interpreted may be of a later version.
        let in_doubt =
            later || controlled || bare_meant || (broken && (self.is_of_old() || !about.nearly().is_empty()));
        let lifts_nothing = lifts_nothing || (verb == Effect::Permits && in_doubt);
        if let Name::Disallow(UsageName::Local(name)) = &field.name
            && self.local(name).is_some()
        {
            self.problems.add(Code::AcapProhibitedLocalUsage, self.place_of([field.head; 2]), &[name]);
        }
        let targets = self.within([field.head; 2], |reader| reader.targets(about, effect));
        // Restrictions of a misspelt usage also restrict the usages that may be meant.
        let near = if effect == Effect::Permits { about.nearly() } else { Vec::new() };
        let near: Vec<u32> = near.into_iter().map(|usage| self.single(usage, effect)).collect();
        if targets.is_none() && near.is_empty() {
            return;
        }
        let audience = to_u32(self.file.audiences.len().saturating_sub(1));
        let Place { line, start, .. } = self.place;
        let resources_of = Span::default();
        let mut statement = Statement {
            effect,
            lifts_nothing,
            firm,
            conditional: broken,
            targets: 0,
            qualifiers: 0,
            resources: resources_of,
            audience,
            line,
            start,
        };
        if effect == Effect::Permits {
            statement.qualifiers = self.span(qualifiers.list);
        }
        let own = targets.map(|targets| Statement { targets, ..statement });
        if effect == Effect::Permits
            && let Some(own) = &own
        {
            self.misplaced_in(own, &qualifiers.kinds);
        }
        let near = near.into_iter().map(|targets| Statement { targets, lifts_nothing: true, ..statement });
        // The name as written is not defined, only the one that may be meant: `other` is prohibited as well.
        let undefined_name = bare_meant.then(|| self.single(usage::OTHER, Effect::Prohibits));
        let others = undefined_name.map(|targets| Statement { targets, ..statement });
        let all: Vec<Statement> = own.into_iter().chain(near).chain(others).collect();
        for resources in resources.into_iter().filter(|resources| !resources.is_empty()) {
            all.iter().for_each(|statement| self.state(Statement { resources, ..*statement }));
        }
        if undefined {
            // The resources of an undefined set are unknown: the field counts for every resource, and lifts nothing
            // there.
            let (resources, lifts_nothing, firm) = (self.everywhere(), true, firm.max(Firm::InTier));
            all.iter().for_each(|statement| self.state(Statement { resources, lifts_nothing, firm, ..*statement }));
        }
    }

    /// The local usage that is meant where a parenthesis is misplaced and the name is no known usage; a prohibition
    /// means it only if it is defined.
    pub(super) fn nearly_local(&self, about: &UsageName, effect: Effect) -> Option<UsageName> {
        let UsageName::Unknown(name) = about else { return None };
        let trim = |name: &str| name.trim_matches(['(', ')', '-']).to_owned();
        let mut bare = trim(name);
        if self.definition(&bare).is_none() {
            // There may be a stray letter beside the parenthesis, or in its place.
            let mut letters = bare.chars();
            let _ = if name.starts_with('(') { letters.next_back() } else { letters.next() };
            let shorter = trim(letters.as_str());
            bare = if self.definition(&shorter).is_some() { shorter } else { bare };
        }
        let odd = !bare.is_empty() && (name.starts_with('(') || name.ends_with(')')) && nearly(name).is_empty();
        let meant = odd && (effect == Effect::Permits || self.definition(&bare).is_some());
        meant.then_some(UsageName::Local(bare))
    }

    /// Adds a statement, unless it has no effect: a permission that lifts nothing and restricts nothing.
    pub(super) fn state(&mut self, statement: Statement) {
        let speaks = |target: &Target| target.effect == Effect::Prohibits || !target.qualifiers.is_empty();
        let (file, run) = (&self.file, statement.targets);
        if statement.effect == Effect::Prohibits
            || !statement.lifts_nothing
            || statement.qualifiers != 0
            || *self.speaking.entry(run).or_insert_with(|| file.targets(&statement).iter().any(speaks))
        {
            self.file.statements.push(statement);
        }
    }

    /// The pattern of every resource, as a list.
    pub(super) fn everywhere(&mut self) -> Span {
        if self.everywhere.is_empty() {
            let mut list = Span::default();
            self.file.add(&mut list, b"/");
            self.everywhere = list;
        }
        self.everywhere
    }

    /// Adds a prohibition of every resource that nothing lifts, in place of a statement that a limit cut.
    pub(super) fn prohibit_everywhere(&mut self, targets: u32) {
        let audience = to_u32(self.file.audiences.len().saturating_sub(1));
        let (Place { line, start, .. }, resources) = (self.place, self.everywhere());
        let effect = Effect::Prohibits;
        self.file.statements.push(Statement {
            effect,
            lifts_nothing: false,
            firm: Firm::Always,
            conditional: false,
            targets,
            qualifiers: 0,
            resources,
            audience,
            line,
            start,
        });
    }

    /// Whether a limit cut the definition of a set that these resources name, or may name.
    pub(super) fn names_cut_set(&self, resources: &[Word<'_>]) -> bool {
        if !self.some_set_cut {
            return false;
        }
        let is_cut = |word: &Word<'_>| match set_name(&word.text) {
            Some(name) if !self.any_set_cut => {
                self.set(&name).and_then(|place| self.sets.get(place)).is_none_or(|set| set.cut)
            }
            Some(_) => true,
            None => is_unclear(&word.text, word.cut),
        };
        resources.iter().any(is_cut)
    }

    /// The place of a span in the table of spans.
    pub(super) fn span(&mut self, span: Span) -> u32 {
        if span.is_empty() {
            return 0;
        }
        self.file.spans.push(span);
        to_u32(self.file.spans.len().saturating_sub(1))
    }

    /// Reports the first qualifier that does not apply to a usage; true if there is one.
    pub(super) fn misplaced(&mut self, usage: Usage, kinds: &[Qualifier]) -> bool {
        let Some(qualifier) = kinds.iter().find(|qualifier| !restrictions::in_column(**qualifier, usage)) else {
            return false;
        };
        let usage = self.file.usage_name(usage).to_owned();
        self.problem(Code::AcapMisplacedQualifier, &[qualifier.name(), &usage]);
        true
    }

    /// Reports that of a field, for the first of its usages with such a qualifier.
    pub(super) fn misplaced_in(&mut self, statement: &Statement, kinds: &[Qualifier]) {
        if !self.problems.are_kept() || kinds.is_empty() {
            return;
        }
        let mut usages: Vec<Usage> = Vec::new();
        for target in self.file.targets(statement).iter().take(PARTS) {
            if target.effect == Effect::Permits && !usages.contains(&target.usage) {
                usages.push(target.usage);
            }
        }
        let _ = usages.into_iter().any(|usage| self.misplaced(usage, kinds));
    }

    /// `resource-specification = resource-path-pattern / ("acap:resource-set:" resource-set-name)` (P1 4.5.6)
    ///
    /// The lists of patterns of a field: its own, and one per set that it names; and whether one of these sets is not
    /// defined. In a prohibition an undefined set stands for the one it may be a typo of, else for every resource (our
    /// choice). `verb` is the effect as written; a permission that cannot be interpreted has another `effect`.
    pub(super) fn resources(&mut self, all: &[Word<'_>], verb: Effect, effect: Effect) -> (Vec<Span>, bool) {
        if all.is_empty() {
            self.problem(Code::AcapEmptyResource, &[]);
        }
        let mut out = Vec::new();
        let mut own = Span::default();
        let mut undefined = false;
        let line = self.place;
        for Word { text: token, cut, ends } in all {
            self.place = line;
            self.place = self.place_of(*ends);
            if is_unclear(token, *cut) {
                let text = String::from_utf8_lossy(token);
                if *cut && is_begun_uri(token) {
                    self.problem(Code::AcapUnreadableHost, &[&text]);
                } else {
                    self.problem(Code::AcapUndefinedSet, &[&text, "", "/"]);
                }
                undefined = true;
                continue;
            }
            let Some(name) = set_name(token) else {
                if let Some((pattern, is_sure)) = self.resource(token)
                    && (is_sure || effect == Effect::Prohibits)
                {
                    self.file.add(&mut own, &pattern);
                }
                continue;
            };
            let known = self.set(&name).and_then(|place| self.sets.get(place));
            if let Some(set) = known.filter(|set| !set.guessed) {
                out.push(set.resources);
                out.extend((effect == Effect::Prohibits).then_some(set.doubted));
                continue;
            }
            let meant = if verb == Effect::Prohibits && known.is_none() { self.near_set(&name) } else { None };
            let near = self.nearest(&name, |reader, place| reader.sets.get(place).map(|set| set.name));
            let read = match meant.and_then(|place| self.sets.get(place)) {
                Some(set) => {
                    out.extend([set.resources, set.doubted]);
                    self.file.word(set.name).to_owned()
                }
                None => {
                    undefined = true;
                    "/".to_owned()
                }
            };
            self.problem(Code::AcapUndefinedSet, &[&name, &near, &read]);
        }
        self.place = line;
        out.push(own);
        (out, undefined)
    }

    /// The only defined set within one typo of a name; its digits must be the same.
    pub(super) fn near_set(&mut self, name: &str) -> Option<usize> {
        let digits = |name: &str| -> String { name.chars().filter(char::is_ascii_digit).collect() };
        let folded = fold(name);
        let (mut found, mut several) = (None, false);
        for (place, set) in self.sets.iter().enumerate().take(self.guesses) {
            let other = self.file.word(set.name);
            if slip(&folded, &fold(other)) && digits(name) == digits(other) {
                // A set whose line had to be guessed may have any name.
                several |= set.guessed || found.is_some();
                found = Some(place);
            }
        }
        // Beyond the limit on comparisons there may be another.
        several |= self.sets.len() > self.guesses;
        self.guesses = self.guesses.saturating_sub(self.sets.len());
        found.filter(|_| !several)
    }
}
