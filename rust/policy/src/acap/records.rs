//! Fields → records and sub-records: whom they address, for which purposes, and what they refer to (P1 4.5.2).

use std::collections::{HashMap, HashSet};

use super::field::{Field, NameRead};
use super::name::{FIELDS, Name};
use super::reader::{Gathering, Path, Reader, crawler_words};
use super::resource::{is_absolute, is_uri};
use super::spelling::nearest;
use crate::file::{Audience, Record, Reference, Request};
use crate::lines::Entry;
use crate::octets::{canonical_path, is_space, leading_name};
use crate::places::{Place, Span, to_u32, to_usize};
use crate::problems::Code;
use crate::statement::{Effect, Statement, Target, is_every_purpose};
use crate::usage;

impl Reader<'_> {
    /// Reports permissions in a record that refers to another resource, which have no effect (P1 4.5.2).
    pub(super) fn beside_references(&mut self) {
        if self.file.references.is_empty() || !self.problems.are_kept() {
            return;
        }
        let refers = |audience: u32| {
            let record = self.file.audiences.get(to_usize(audience)).map(|audience| audience.record)?;
            self.file.records.get(to_usize(record)).map(|record| record.refers)
        };
        // Each run of usages is examined once.
        let mut permitting: HashMap<u32, bool> = HashMap::new();
        for statement in self.file.statements.iter().filter(|one| one.effect == Effect::Permits) {
            let permits = |target: &Target| target.effect == Effect::Permits;
            let any = || self.file.targets(statement).iter().any(permits);
            if refers(statement.audience) == Some(true) && *permitting.entry(statement.targets).or_insert_with(any) {
                let entry = self.entries.binary_search_by_key(&statement.start, |entry| entry.start);
                let place = entry.ok().and_then(|at| self.entries.get(at)).map_or(Place::default(), Entry::place);
                self.problems.add(Code::AcapPermissionBesideReference, place, &[]);
            }
        }
    }

    /// Decides whether conventional records are ignored: only where a permission replaces them (our choice: a
    /// prohibition must not switch off other prohibitions).
    pub(super) fn beside_nothing(&mut self) {
        let Some(place) = self.ignoring else { return };
        let file = &self.file;
        let refers = |audience: u32| {
            let audience = file.audiences.get(to_usize(audience))?;
            let record = file.records.get(to_usize(audience.record))?;
            // Permissions under a line that was cut lift nothing.
            Some(record.refers || record.cut || audience.cut)
        };
        let known = |target: &Target| target.effect == Effect::Permits && target.usage.name().is_some();
        // Each run of usages is examined once.
        let mut looked: HashSet<u32> = HashSet::new();
        let mut permits = |one: &Statement| {
            one.effect == Effect::Permits
                && !one.lifts_nothing
                && refers(one.audience) == Some(false)
                && looked.insert(one.targets)
                && file.targets(one).iter().any(known)
        };
        if file.statements.iter().any(&mut permits) {
            self.file.ignore_conventional = Some(place.line);
            return;
        }
        self.place = place;
        self.problem(Code::AcapIgnoreAlone, &[]);
    }

    pub(super) fn field(&mut self, field: &Field<'_>, read: NameRead) {
        if field.tolerated {
            self.problem(Code::AcapHyphen, &[]);
        }
        if field.slipped && self.problems.are_kept() {
            self.guessed(field);
        }
        let slipped = field.slipped;
        match &field.name {
            Name::Crawler => self.crawlers(field.value, slipped),
            Name::Unknown => self.unknown(field),
            Name::Version | Name::IgnoreConventional => {}
            Name::QualifiedUsage | Name::CompositeUsage | Name::ResourceSet => {
                if !self.file.records.is_empty() {
                    self.problem(Code::AcapMisplacedDefinition, &[]);
                }
            }
            _ if self.file.records.is_empty() => self.problem(Code::AcapBeforeCrawler, &[]),
            Name::Purpose => self.purpose(field.value, slipped),
            Name::Allow(about) | Name::Disallow(about) if self.cut => {
                self.gathering = Gathering::Fields;
                self.beyond_limits();
                let bare = self.bare(about);
                let about = bare.as_ref().unwrap_or(about);
                let targets = match read {
                    NameRead::Name => self
                        .doubtful(about)
                        .or_else(|| self.within([field.head; 2], |reader| reader.targets(about, Effect::Prohibits))),
                    _ => Some(self.single(usage::ANY, Effect::Prohibits)),
                };
                if let Some(targets) = targets {
                    self.prohibit_everywhere(targets);
                }
            }
            Name::Allow(about) => self.statement(about, Effect::Permits, field),
            Name::Disallow(about) => self.statement(about, Effect::Prohibits, field),
            Name::Reference => self.reference(field.value),
            // It prohibits nothing, but a crawler line after it begins another record.
            Name::Request { take_down: false } if slipped => self.end_crawlers(),
            Name::Request { take_down } => self.request(*take_down, field.value),
        }
    }

    pub(super) fn unknown(&mut self, field: &Field<'_>) {
        let name = String::from_utf8_lossy(field.head).into_owned();
        let known = FIELDS.iter().map(|(known, _, _)| *known);
        let near = name.get(5..).and_then(|rest| nearest(rest, known)).map(|near| format!("ACAP-{near}"));
        self.problems.add(Code::AcapUnknownField, self.place_of([field.head; 2]), &[&name, &near.unwrap_or_default()]);
    }

    /// Reports a field whose name had to be guessed.
    pub(super) fn guessed(&mut self, field: &Field<'_>) {
        let place = self.place_of([field.head; 2]);
        let name = String::from_utf8_lossy(field.head).into_owned();
        match &field.name {
            Name::Allow(_) => self.problems.add(Code::AcapNearlyPermission, place, &[&name]),
            Name::Disallow(about) => {
                let read = format!("ACAP-{}", about.prohibition());
                self.problems.add(Code::AcapGuessedField, place, &[&name, &read]);
            }
            Name::IgnoreConventional | Name::Request { take_down: false } => self.unknown(field),
            other => {
                let known = FIELDS.iter().find(|(_, _, name)| name == other).map_or("", |(known, _, _)| *known);
                self.problems.add(Code::AcapGuessedField, place, &[&name, &format!("ACAP-{known}")]);
            }
        }
    }

    /// `named-crawler-identification-field = "ACAP-crawler:" *WSP crawler-name field-end`
    ///
    /// `any-crawler-identification-field = "ACAP-crawler:" *WSP "*" field-end` (P1 4.5.6)
    pub(super) fn crawlers(&mut self, value: &[u8], guessed: bool) {
        // A crawler line begins a record unless it follows another crawler line.
        let begins = self.gathering != Gathering::Crawlers;
        let mut record = match self.file.records.last().copied() {
            Some(record) if !begins => record,
            _ => Record { line: self.place.line, ..Record::default() },
        };
        let before = record;
        let (mut any, mut named) = (false, false);
        let mut count = 0usize;
        let mut words: Vec<&[u8]> = crawler_words(value).collect();
        if self.cut {
            record.cut = true;
            self.file.cut_names = true;
            // The last name may continue after the cut.
            words.pop();
        }
        let mut unread = false;
        for word in words {
            count = count.saturating_add(1);
            if word == b"*" {
                any = true;
                continue;
            }
            let name = leading_name(word);
            if name.is_empty() {
                unread = true;
                continue;
            }
            if name.len() < word.len() {
                let words = [word, name].map(String::from_utf8_lossy);
                self.problems.add(Code::AcapCrawlerName, self.place_of([word; 2]), &[&words[0], &words[1]]);
            }
            named = true;
            self.file.add(&mut record.names, name);
        }
        record.any |= any;
        record.guessed |= guessed;
        if unread || (count == 0 && !self.cut) {
            // It may have been any name.
            record.cut = true;
            self.file.cut_names = true;
            self.problem(Code::AcapNoCrawler, &[]);
        }
        if count > 1 {
            self.problem(Code::AcapSeveralCrawlers, &[]);
        }
        if begins {
            self.unused();
            self.record_place = self.place;
        }
        if begins && any {
            self.any_records = self.any_records.saturating_add(1);
            if self.any_records > 1 {
                self.problem(Code::AcapSeveralAny, &[]);
            }
        }
        if (named && record.any) || (any && !before.names.is_empty()) {
            self.problem(Code::AcapAnyBesideNames, &[]);
        }
        if !begins {
            if let Some(last) = self.file.records.last_mut() {
                *last = record;
            }
            return;
        }
        self.file.records.push(record);
        self.audience();
        self.gathering = Gathering::Crawlers;
        self.sub_records = 0;
        self.fields = 0;
    }

    /// Reports a record without a field, and a sub-record without a statement, once it has ended.
    pub(super) fn unused(&mut self) {
        let (code, place) = match self.gathering {
            Gathering::Crawlers => (Code::AcapEmptyRecord, self.record_place),
            Gathering::Purposes => (Code::AcapIdlePurpose, self.purpose_place),
            Gathering::Nothing | Gathering::Fields => return,
        };
        let here = std::mem::replace(&mut self.place, place);
        self.problem(code, &[]);
        self.place = here;
    }

    pub(super) fn record(&self) -> u32 {
        to_u32(self.file.records.len().saturating_sub(1))
    }

    pub(super) fn audience(&mut self) {
        let record = self.record();
        self.file.audiences.push(Audience { record, purposeless: true, ..Audience::default() });
        self.sub_fields = 0;
        self.sub_guessed = false;
    }

    /// `usage-purpose-pattern-field = "ACAP-usage-purpose:" *WSP (name / URI-pattern) field-end` (P1 4.5.6)
    pub(super) fn purpose(&mut self, value: &[u8], guessed: bool) {
        let text = String::from_utf8_lossy(value);
        let text = text.trim_ascii();
        // It may have been any purpose.
        let unread = text.is_empty() && !self.cut;
        if unread {
            self.problem(Code::AcapEmptyPurpose, &[]);
        }
        let begins = self.gathering != Gathering::Purposes;
        self.purpose_place = self.place;
        if begins {
            self.audience();
            self.sub_records = self.sub_records.saturating_add(1);
            self.gathering = Gathering::Purposes;
        }
        self.sub_guessed |= guessed;
        let Some(mut audience) = self.file.audiences.last().copied() else { return };
        if self.cut || unread {
            audience.cut = true;
            audience.purposeless &= !begins;
        } else {
            self.file.add(&mut audience.purposes, text.as_bytes());
            audience.purposeless = is_every_purpose(text) || (audience.purposeless && !begins);
        }
        if let Some(last) = self.file.audiences.last_mut() {
            *last = audience;
        }
    }

    /// Ends the run of crawler lines; purpose lines gather until a permission or prohibition.
    pub(super) fn end_crawlers(&mut self) {
        if self.gathering == Gathering::Crawlers {
            self.gathering = Gathering::Fields;
        }
    }

    /// `permissions-reference-field = "ACAP-permissions-reference:" *WSP (URI / relative-part) field-end` (P1
    /// 4.5.6)
    pub(super) fn reference(&mut self, value: &[u8]) {
        self.end_crawlers();
        let uri = String::from_utf8_lossy(value).into_owned();
        let (record, Place { line, start, .. }) = (self.record(), self.place);
        // Several words leave open which one is the reference; without a word there is none.
        let several = value.iter().any(|byte| is_space(*byte));
        if (several || value.is_empty()) && !self.cut {
            self.problem(Code::AcapReferenceOfWords, &[&uri]);
        }
        let cut = self.cut || several;
        self.file.references.push(Reference { uri: uri.into(), cut, record, line, start });
        if let Some(record) = self.file.records.last_mut() {
            record.refers = true;
        }
    }

    /// `action-request-field = "ACAP-request-" action-name ":" *WSP relative-part field-end` (P1 4.5.6)
    ///
    /// `action-name = "take-down" / "re-crawl"`
    pub(super) fn request(&mut self, take_down: bool, value: &[u8]) {
        if self.gathering != Gathering::Crawlers
            && self.file.audiences.last().is_some_and(|last| !last.purposes.is_empty())
        {
            self.problem(Code::AcapRequestInSubRecord, &[]);
        }
        self.end_crawlers();
        let token = value.split(|byte| is_space(*byte)).next().unwrap_or(&[]);
        let text = String::from_utf8_lossy(token).into_owned();
        // Behind a scheme without `//` nobody can tell where the path begins.
        let unclear = is_uri(token) && !is_absolute(token);
        if unclear {
            let code = if take_down { Code::AcapUnreadableHost } else { Code::AcapForeignResource };
            self.problems.add(code, self.place_of([token; 2]), &[&text]);
        }
        if self.cut || unclear {
            if take_down {
                let written = self.file.keep(text.as_bytes());
                let (record, Place { line, start, .. }) = (self.record(), self.place);
                let path = Span::default();
                self.file.requests.push(Request { take_down, cut: true, record, line, start, path, written });
            }
            return;
        }
        let rest = if is_absolute(token) {
            let Some(Path { rest, .. }) = self.within([token; 2], |reader| reader.path_of(token, take_down)) else {
                return;
            };
            rest
        } else {
            token
        };
        if token.is_empty() {
            self.problem(Code::AcapEmptyResource, &[]);
            return;
        }
        if memchr::memchr(b'*', rest).is_some() || rest.last() == Some(&b'$') {
            self.problems.add(Code::AcapRequestWildcard, self.place_of([token; 2]), &[&text]);
        }
        let path = self.file.keep(&canonical_path(rest));
        let written = self.file.keep(text.as_bytes());
        let (record, Place { line, start, .. }) = (self.record(), self.place);
        self.file.requests.push(Request { take_down, cut: false, record, line, start, path, written });
    }

    /// Counts a field; true if it is beyond a limit.
    pub(super) fn beyond_limits(&mut self) -> bool {
        self.fields = self.fields.saturating_add(1);
        self.sub_fields = self.sub_fields.saturating_add(1);
        let beyond = self.file.records.len() > self.limits.records
            || self.sub_records > self.limits.sub_records
            || self.fields > self.limits.fields_per_record
            || (self.sub_records > 0 && self.sub_fields > self.limits.fields_per_sub_record);
        self.file.too_much |= beyond;
        beyond
    }
}
