//! ACAP fields → records, sub-records and statements (P1 4, G 2).
//!
//! ```text
//! ACAP-record       = (1*named-crawler-identification-field / any-crawler-identification-field)
//!                     (permissions-reference-field / (permission-fields / ACAP-sub-record) *ACAP-sub-record)
//! permission-field  = "ACAP-allow-" ((ACAP-usage-name ["-" used-resource-type-name]) / local-usage-name) ":"
//!                     *WSP resource-specification *(1*WSP qualifier-specification) field-end     ; P1 4.5.6
//! ```
//!
//! Laws: a field that cannot be understood has no effect, except where that could loosen: then it prohibits.
//! Definitions count wherever they stand. No ACAP field ends or begins a conventional group.

mod definitions;
mod field;
mod letters;
mod outline;
mod spelling;
pub mod tag;
mod value;

use std::collections::{HashMap, HashSet};

use self::definitions::nearly_of;
pub use self::field::is_nearly_acap;
use self::field::*;
pub(crate) use self::field::{NameRead, cuts_crawlers, is_known, is_uri, may_be_marked, name_read, names_crawlers};
pub use self::outline::{Noted, Role, outline};
use self::spelling::{fold, nearest, nearly, slip};
pub(crate) use self::value::is_nearly_version;
use self::value::*;
pub use self::value::{unescape, version_of_comment};

use crate::controls::{ended, is_control};
pub use crate::file::File;
use crate::file::{Audience, Record, Reference, Request, Span, restriction};
use crate::limits::{self, Limits};
use crate::lines::{Entry, Kind, to_u32, to_usize};
use crate::octets::{canonical_path, canonical_pattern, is_space, leading_name};
use crate::problems::{Code, Problems};
use crate::restrictions::{self, Qualifier, Setting};
use crate::statement::{Effect, Firm, Statement, Target, is_every_purpose};
use crate::url::{authority, split_origin};
use crate::usage::{self, EVERY, KNOWN, UNNAMED, Usage};

/// The names of the usages that an unknown name may mean: it is a typo of one, or a word for several.
pub fn meant(name: &str) -> Vec<&'static str> {
    let near = spelling::closeness(name) < 2;
    let usages = if near { spelling::prohibited(name).map_or_else(Vec::new, |(usages, _)| usages) } else { Vec::new() };
    usages.into_iter().filter_map(Usage::name).collect()
}

/// The rest of an absolute URI after its authority.
struct Path<'t> {
    rest: &'t [u8],
    /// The authority can be read.
    is_sure: bool,
}

/// What follows the scheme, its `//` and everything up to a `/`, `?` or `#`; nothing where there is no such `//`, for then
/// nobody can tell where the path begins.
fn behind_authority(token: &[u8]) -> &[u8] {
    let from = memchr::memchr(b':', token).map_or(0, |at| at.saturating_add(1));
    let Some(after) = token.get(from..).unwrap_or(&[]).strip_prefix(b"//") else { return &[] };
    let end = memchr::memchr3(b'/', b'?', b'#', after).unwrap_or(after.len());
    after.get(end..).unwrap_or(&[])
}

/// The qualifiers of a field or definition, read.
#[derive(Clone, Debug, Default)]
struct Qualifiers {
    /// Those that restrict, as words of the file.
    list: Span,
    kinds: Vec<Qualifier>,
    /// One of them cannot be interpreted: the permission prohibits (P2 2.2.6).
    broken: bool,
    /// One of them is of a later version: the field lifts nothing.
    later: bool,
}

/// At most this many parts of a composite are checked for qualifiers that do not apply to them.
const PARTS: usize = 64;

/// A definition of a resource set.
struct Set {
    name: Span,
    /// The place of its line in the table of entries.
    entry: u32,
    resources: Span,
    /// Patterns whose host cannot be read: a prohibition of the set covers them, a permission does not.
    doubted: Span,
    /// Its line had to be guessed; what it says is not counted on.
    guessed: bool,
    /// A limit cut it.
    cut: bool,
}

/// A definition of a qualified or composite usage.
struct Definition {
    name: Span,
    entry: u32,
    composite: bool,
    /// The usage that a qualified usage qualifies, as written.
    base: Span,
    /// That and the next word, as a blank may have divided the name of a usage.
    whole: Span,
    qualifiers: Span,
    broken: bool,
    /// Its line had to be guessed; what it says is not counted on.
    guessed: bool,
    /// It uses a feature of a later version: permissions of it lift nothing.
    later: bool,
    /// A limit cut it, or a part of it.
    cut: bool,
    /// The usages of permissions and of prohibitions of it, once each has been worked out.
    permitted: Option<u32>,
    prohibited: Option<u32>,
    /// Its problems have been reported.
    told: bool,
}

impl Definition {
    /// Whether its meaning cannot be told.
    fn is_in_doubt(&self) -> bool {
        self.broken || self.guessed
    }

    /// The usages worked out for fields of this effect.
    fn made(&self, effect: Effect) -> Option<u32> {
        match effect {
            Effect::Permits => self.permitted,
            Effect::Prohibits => self.prohibited,
        }
    }

    fn make(&mut self, effect: Effect, made: u32) {
        match effect {
            Effect::Permits => self.permitted = Some(made),
            Effect::Prohibits => self.prohibited = Some(made),
        }
    }
}

/// Reads the ACAP fields of a text. `usages` are the names that were numbered in the files read before.
pub fn read(
    text: &[u8],
    entries: &[Entry],
    origin: Option<&[u8]>,
    limits: &Limits,
    usages: &[Box<str>],
    problems: &mut Problems,
) -> File {
    let mut reader = Reader::new(text, entries, origin, limits, usages, problems);
    for entry in entries.iter().filter(|entry| entry.kind == Kind::Acap) {
        reader.place = Place::of(entry);
        reader.entry(entry);
    }
    reader.unused();
    reader.beside_references();
    reader.beside_nothing();
    let mut file = reader.file;
    file.statements.shrink_to_fit();
    file.records.shrink_to_fit();
    file.audiences.shrink_to_fit();
    file.store.shrink_to_fit();
    file
}

/// A part of a local usage: usage, effect, qualifiers as written.
pub type Part = (String, Effect, Vec<(String, String)>);

/// The meaning of a local usage that another carrier names.
#[derive(Clone, Debug, Default)]
pub struct Local {
    /// Whether the text defines it, by this very name and for the text's version. Otherwise its known parts restrict
    /// and prohibit, but lift nothing.
    pub told: bool,
    /// Whether a line defines it by this very name; for a permission, a line that need not be guessed. Asking about any
    /// other name is a mistake.
    pub defined: bool,
    pub parts: Vec<Part>,
}

/// The names of the local usages that a text defines, as names are compared, in the order of their definitions.
pub fn local_usages(text: &[u8], entries: &[Entry], limits: &Limits) -> Vec<String> {
    let mut problems = Problems::unheard();
    let reader = Reader::new(text, entries, None, limits, &[], &mut problems);
    let mut defined: Vec<&Definition> = reader.usages.iter().collect();
    defined.sort_by_key(|usage| usage.entry);
    defined.iter().map(|usage| String::from_utf8_lossy(reader.file.octets(usage.name)).into_owned()).collect()
}

/// The meanings of local usages that other carriers name: the usages that fields of the text with these names would
/// have. Where a limit cut the definition, that is every usage.
pub fn locals(text: &[u8], entries: &[Entry], limits: &Limits, names: &[(String, Effect)]) -> Vec<Local> {
    let mut problems = Problems::unheard();
    let mut reader = Reader::new(text, entries, None, limits, &[], &mut problems);
    names.iter().map(|(name, effect)| reader.local_elsewhere(name, *effect)).collect()
}

impl<'a> Reader<'a> {
    /// A reader that knows the version, the directive and the definitions, which count wherever they stand.
    fn new(
        text: &'a [u8],
        entries: &'a [Entry],
        origin: Option<&'a [u8]>,
        limits: &'a Limits,
        usages: &[Box<str>],
        problems: &'a mut Problems,
    ) -> Self {
        let own = usages.iter().zip(0..).filter_map(|(name, place)| Some((name.clone(), usage::made_up(place)?)));
        let mut reader = Self {
            text,
            entries,
            origin,
            limits,
            problems,
            file: File { spans: vec![Span::default()], usages: usages.to_vec(), ..File::default() },
            most_usages: usages.len().saturating_add(limits::USAGES),
            usages: Vec::new(),
            sets: Vec::new(),
            any_set_cut: false,
            any_usage_cut: false,
            some_set_cut: false,
            everywhere: Span::default(),
            cut: false,
            own: own.collect(),
            singles: HashMap::new(),
            speaking: HashMap::new(),
            runs: HashMap::new(),
            suggestions: limits::SUGGESTIONS,
            guesses: limits::SUGGESTIONS,
            place: Place::default(),
            sub_records: 0,
            sub_guessed: false,
            fields: 0,
            sub_fields: 0,
            gathering: Gathering::Nothing,
            any_records: 0,
            record_place: Place::default(),
            purpose_place: Place::default(),
            ignoring: None,
        };
        let definitions = reader.survey();
        reader.define(&definitions);
        reader
    }
}

/// The names in the value of a crawler line.
fn crawler_words(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| is_space(*byte) || *byte == b',').filter(|word| !word.is_empty())
}

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    line: u32,
    start: u32,
}

impl Place {
    fn of(entry: &Entry) -> Self {
        Self { line: entry.line, start: entry.start }
    }
}

/// The run of lines that a further line of its kind would continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gathering {
    Nothing,
    Crawlers,
    Purposes,
    Fields,
}

struct Reader<'a> {
    text: &'a [u8],
    entries: &'a [Entry],
    origin: Option<&'a [u8]>,
    limits: &'a Limits,
    problems: &'a mut Problems,
    file: File,
    /// Sorted by name.
    usages: Vec<Definition>,
    /// Sorted by name.
    sets: Vec<Set>,
    /// A limit cut the name of a set: it may be any set. The same of a usage.
    any_set_cut: bool,
    any_usage_cut: bool,
    /// A limit cut the definition of a set, its name or what follows it.
    some_set_cut: bool,
    /// The pattern of every resource.
    everywhere: Span,
    /// A limit cut the current line.
    cut: bool,
    /// The numbers of the usages that the files define themselves.
    own: HashMap<Box<str>, Usage>,
    most_usages: usize,
    /// Runs of one usage.
    singles: HashMap<(Usage, Effect), u32>,
    /// Whether a run of usages contains one that is prohibited or restricted.
    speaking: HashMap<u32, bool>,
    /// Runs of several usages that are prohibited.
    runs: HashMap<Box<[Usage]>, u32>,
    /// Comparisons of misspelt names that are still allowed.
    suggestions: usize,
    /// Comparisons of undefined set names with defined ones that are still allowed.
    guesses: usize,
    place: Place,
    sub_records: usize,
    /// A purpose line of the sub-record had to be guessed: its permissions lift nothing.
    sub_guessed: bool,
    fields: usize,
    sub_fields: usize,
    gathering: Gathering,
    any_records: usize,
    /// Where the last record and the last purpose line stand.
    record_place: Place,
    purpose_place: Place,
    /// Where `ACAP-ignore-conventional-records` stands.
    ignoring: Option<Place>,
}

impl<'a> Reader<'a> {
    fn problem(&mut self, code: Code, words: &[&str]) {
        self.problems.add(code, self.place.line, self.place.start, words);
    }

    /// Whether a URI's host and port are this site's, or the site is unknown; its scheme is ignored.
    fn is_ours(&self, origin: &[u8]) -> bool {
        self.origin.is_none_or(|ours| authority(ours) == authority(origin))
    }

    fn setting(&self) -> Setting {
        // Element sets are of version 1.1.
        Setting { page: false, sets: !self.is_of_old(), others: false }
    }

    /// Whether the file declares version 1.0 or an earlier one; without a version, robots.txt may use all features.
    fn is_of_old(&self) -> bool {
        self.file.version.as_ref().is_some_and(|(version, _)| {
            let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
            (parts.next(), parts.next().unwrap_or(0)) <= (Some(1), 0)
        })
    }

    /// Reports permissions in a record that refers to another resource, which have no effect (P1 4.5.2).
    fn beside_references(&mut self) {
        if self.file.references.is_empty() || !self.problems.heard() {
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
                self.problems.add(Code::AcapPermissionBesideReference, statement.line, statement.start, &[]);
            }
        }
    }

    /// Decides whether conventional records are ignored: only where a permission replaces them (our choice: a
    /// prohibition must not switch off other prohibitions).
    fn beside_nothing(&mut self) {
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
                && !one.beyond
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

    /// The path of an absolute URI; none if it is of another authority. An authority that cannot be read may be ours:
    /// the path counts where it may be prohibited.
    fn path_of<'t>(&mut self, token: &'t [u8], may_prohibit: bool) -> Option<Path<'t>> {
        let text = || String::from_utf8_lossy(token).into_owned();
        match split_origin(token) {
            Some((origin, rest)) if self.is_ours(&origin) => Some(Path { rest, is_sure: true }),
            None if may_prohibit => {
                self.problem(Code::AcapUnreadableHost, &[&text()]);
                Some(Path { rest: behind_authority(token), is_sure: false })
            }
            _ => {
                self.problem(Code::AcapForeignResource, &[&text()]);
                None
            }
        }
    }

    /// The canonical pattern of a resource, and whether it is certainly of this site; none if it is empty or of another
    /// authority.
    fn resource(&mut self, token: &[u8]) -> Option<(Vec<u8>, bool)> {
        if is_uri(token) {
            let Path { rest, is_sure } = self.path_of(token, true)?;
            let mut path = Vec::with_capacity(rest.len().saturating_add(1));
            if rest.first() != Some(&b'/') {
                path.push(b'/');
            }
            path.extend_from_slice(rest);
            return Some((canonical_pattern(&path).into_owned(), is_sure));
        }
        if token.is_empty() || set_name(token).is_some() {
            return None;
        }
        if matches!(token.first(), Some(b'/' | b'*')) {
            return Some((canonical_pattern(token).into_owned(), true));
        }
        let text = String::from_utf8_lossy(token).into_owned();
        self.problem(Code::AcapRelativePattern, &[&text]);
        let mut path = vec![b'/'];
        path.extend_from_slice(token);
        Some((canonical_pattern(&path).into_owned(), true))
    }

    fn qualifiers<'t>(&mut self, list: impl Iterator<Item = &'t [u8]>) -> Qualifiers {
        let setting = self.setting();
        let mut out = Qualifiers::default();
        let (mut any, mut others) = (false, false);
        for token in list {
            let text = String::from_utf8_lossy(token).into_owned();
            let Some(name) = qualifier_name(token) else {
                self.problem(Code::AcapStrayText, &[&text]);
                out.broken = true;
                continue;
            };
            match restriction(&text, setting) {
                Ok(reading) => {
                    if reading.older {
                        self.problem(Code::AcapOlderWord, &[&text, reading.restriction.name()]);
                    }
                    if reading.restriction.qualifier == Qualifier::ProhibitedModification {
                        let is_any = restrictions::is_any_modification(&reading.restriction);
                        any |= is_any;
                        others |= !is_any;
                    }
                    out.kinds.push(reading.restriction.qualifier);
                    self.file.add(&mut out.list, text.as_bytes());
                }
                Err(restrictions::Refusal::LaterVersion) => {
                    out.later = true;
                    // A restriction of a later version that is known here holds; one that is not restricts nothing.
                    if let Ok(reading) = restriction(&text, Setting { sets: true, ..setting }) {
                        out.kinds.push(reading.restriction.qualifier);
                        self.file.add(&mut out.list, text.as_bytes());
                    }
                }
                Err(restrictions::Refusal::UnknownName) => {
                    self.problem(Code::AcapUnknownQualifier, &[name]);
                    out.broken = true;
                }
                Err(restrictions::Refusal::BadValue) => {
                    let value = unescape(text.get(name.len().saturating_add(1)..).unwrap_or(""));
                    self.problem(Code::AcapBadValue, &[name, &value]);
                    out.broken = true;
                }
            }
        }
        if any && others {
            self.problem(Code::AcapSwallowedModification, &[]);
        }
        out
    }

    /// Reads a line; the effect of a control character in its value depends on its field.
    fn entry(&mut self, entry: &Entry) -> Field<'a> {
        let line = entry.value(self.text);
        let mut field = field(line);
        self.cut = entry.is_cut();
        if entry.has_controls() && field.value.iter().any(|byte| is_control(*byte)) {
            match field.name {
                // The words are read one by one, and each ends at its control character.
                Name::Allow(_) | Name::Disallow(_) => {}
                Name::Crawler | Name::Purpose | Name::Reference | Name::Request { .. } => {
                    self.cut = true;
                    field.value = ended(field.value);
                }
                _ => field.value = ended(field.value),
            }
        }
        self.field(&field, name_read(line));
        field
    }

    fn field(&mut self, field: &Field<'_>, read: NameRead) {
        if field.tolerated {
            self.problem(Code::AcapHyphen, &[]);
        }
        if field.slipped && self.problems.heard() {
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
                    NameRead::Name => self.doubtful(about).or_else(|| self.targets(about, Effect::Prohibits)),
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

    fn unknown(&mut self, field: &Field<'_>) {
        let name = String::from_utf8_lossy(field.head).into_owned();
        let known = FIELDS.iter().map(|(known, _, _)| *known);
        let near = name.get(5..).and_then(|rest| nearest(rest, known)).map(|near| format!("ACAP-{near}"));
        self.problem(Code::AcapUnknownField, &[&name, &near.unwrap_or_default()]);
    }

    /// Reports a field whose name had to be guessed.
    fn guessed(&mut self, field: &Field<'_>) {
        let name = String::from_utf8_lossy(field.head).into_owned();
        match &field.name {
            Name::Allow(_) => self.problem(Code::AcapNearlyPermission, &[&name]),
            Name::Disallow(about) => {
                self.problem(Code::AcapGuessedField, &[&name, &format!("ACAP-{}", prohibition(about))]);
            }
            Name::IgnoreConventional | Name::Request { take_down: false } => self.unknown(field),
            other => {
                let known = FIELDS.iter().find(|(_, _, name)| name == other).map_or("", |(known, _, _)| *known);
                self.problem(Code::AcapGuessedField, &[&name, &format!("ACAP-{known}")]);
            }
        }
    }

    fn crawlers(&mut self, value: &[u8], guessed: bool) {
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
                let (word, name) =
                    (String::from_utf8_lossy(word).into_owned(), String::from_utf8_lossy(name).into_owned());
                self.problem(Code::AcapCrawlerName, &[&word, &name]);
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
    fn unused(&mut self) {
        let (code, place) = match self.gathering {
            Gathering::Crawlers => (Code::AcapEmptyRecord, self.record_place),
            Gathering::Purposes => (Code::AcapIdlePurpose, self.purpose_place),
            Gathering::Nothing | Gathering::Fields => return,
        };
        let here = std::mem::replace(&mut self.place, place);
        self.problem(code, &[]);
        self.place = here;
    }

    fn record(&self) -> u32 {
        to_u32(self.file.records.len().saturating_sub(1))
    }

    fn audience(&mut self) {
        let record = self.record();
        self.file.audiences.push(Audience { record, purposeless: true, ..Audience::default() });
        self.sub_fields = 0;
        self.sub_guessed = false;
    }

    fn purpose(&mut self, value: &[u8], guessed: bool) {
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
    fn end_crawlers(&mut self) {
        if self.gathering == Gathering::Crawlers {
            self.gathering = Gathering::Fields;
        }
    }

    fn reference(&mut self, value: &[u8]) {
        self.end_crawlers();
        let uri = String::from_utf8_lossy(value).into_owned();
        let (record, Place { line, start }) = (self.record(), self.place);
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

    fn request(&mut self, take_down: bool, value: &[u8]) {
        if self.gathering != Gathering::Crawlers
            && self.file.audiences.last().is_some_and(|last| !last.purposes.is_empty())
        {
            self.problem(Code::AcapRequestInSubRecord, &[]);
        }
        self.end_crawlers();
        let token = value.split(|byte| is_space(*byte)).next().unwrap_or(&[]);
        let text = String::from_utf8_lossy(token).into_owned();
        // Behind a scheme without `//` nobody can tell where the path begins.
        let untold = is_uri(token) && !is_absolute(token);
        if untold {
            self.problem(if take_down { Code::AcapUnreadableHost } else { Code::AcapForeignResource }, &[&text]);
        }
        if self.cut || untold {
            if take_down {
                let written = self.file.keep(text.as_bytes());
                let (record, Place { line, start }) = (self.record(), self.place);
                let path = Span::default();
                self.file.requests.push(Request { take_down, cut: true, record, line, start, path, written });
            }
            return;
        }
        let rest = if is_absolute(token) {
            let Some(Path { rest, .. }) = self.path_of(token, take_down) else { return };
            rest
        } else {
            token
        };
        if token.is_empty() {
            self.problem(Code::AcapEmptyResource, &[]);
            return;
        }
        if memchr::memchr(b'*', rest).is_some() || rest.last() == Some(&b'$') {
            self.problem(Code::AcapRequestWildcard, &[&text]);
        }
        let path = self.file.keep(&canonical_path(rest));
        let written = self.file.keep(text.as_bytes());
        let (record, Place { line, start }) = (self.record(), self.place);
        self.file.requests.push(Request { take_down, cut: false, record, line, start, path, written });
    }

    /// Counts a field; true if it is beyond a limit.
    fn beyond_limits(&mut self) -> bool {
        self.fields = self.fields.saturating_add(1);
        self.sub_fields = self.sub_fields.saturating_add(1);
        let beyond = self.file.records.len() > self.limits.records
            || self.sub_records > self.limits.sub_records
            || self.fields > self.limits.fields_per_record
            || (self.sub_records > 0 && self.sub_fields > self.limits.fields_per_sub_record);
        self.file.too_much |= beyond;
        beyond
    }

    fn statement(&mut self, about: &About, effect: Effect, field: &Field<'_>) {
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
        let beyond = beyond || (guessed && effect == Effect::Permits);
        // A permission with a control character lifts nothing; each word ends at its control character.
        let controlled = field.value.iter().any(|byte| is_control(*byte));
        let Value { mut resources, qualifiers, ended } = Value::read(field.value, &field.more, effect);
        // The name of the field can end in two places: which usage it prohibits cannot be told.
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
        if let (About::Local(name), Some(About::Local(meant))) = (about, &bare) {
            self.problem(Code::AcapUndefinedUsage, &[name, meant]);
        }
        let about = bare.as_ref().unwrap_or(about);
        let qualifiers = if effect == Effect::Prohibits {
            if !qualifiers.is_empty() {
                self.problem(Code::AcapQualifierOnProhibition, &[]);
            }
            Qualifiers::default()
        } else {
            self.qualifiers(qualifiers.iter().map(|word| &*word.text))
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
            if let Some(targets) = doubtful.or_else(|| self.targets(about, Effect::Prohibits)) {
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
        let void = later || controlled || bare_meant || (broken && (self.is_of_old() || !nearly_of(about).is_empty()));
        let beyond = beyond || (verb == Effect::Permits && void);
        if let Name::Disallow(About::Local(name)) = &field.name
            && self.local(name).is_some()
        {
            self.problem(Code::AcapProhibitedLocalUsage, &[name]);
        }
        let targets = self.targets(about, effect);
        // Restrictions of a misspelt usage also restrict the usages that may be meant.
        let near = if effect == Effect::Permits { nearly_of(about) } else { Vec::new() };
        let near: Vec<u32> = near.into_iter().map(|usage| self.single(usage, effect)).collect();
        if targets.is_none() && near.is_empty() {
            return;
        }
        let audience = to_u32(self.file.audiences.len().saturating_sub(1));
        let Place { line, start } = self.place;
        let resources_of = Span::default();
        let mut statement = Statement {
            effect,
            beyond,
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
        let near = near.into_iter().map(|targets| Statement { targets, beyond: true, ..statement });
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
            let (resources, beyond, firm) = (self.everywhere(), true, firm.max(Firm::InTier));
            all.iter().for_each(|statement| self.state(Statement { resources, beyond, firm, ..*statement }));
        }
    }

    /// The local usage that is meant where a parenthesis is misplaced and the name is no known usage; a prohibition
    /// means it only if it is defined.
    fn nearly_local(&self, about: &About, effect: Effect) -> Option<About> {
        let About::Unknown(name) = about else { return None };
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
        meant.then_some(About::Local(bare))
    }

    /// Adds a statement, unless it has no effect: a permission that lifts nothing and restricts nothing.
    fn state(&mut self, statement: Statement) {
        let speaks = |target: &Target| target.effect == Effect::Prohibits || !target.qualifiers.is_empty();
        let (file, run) = (&self.file, statement.targets);
        if statement.effect == Effect::Prohibits
            || !statement.beyond
            || statement.qualifiers != 0
            || *self.speaking.entry(run).or_insert_with(|| file.targets(&statement).iter().any(speaks))
        {
            self.file.statements.push(statement);
        }
    }

    /// The pattern of every resource, as a list.
    fn everywhere(&mut self) -> Span {
        if self.everywhere.is_empty() {
            let mut list = Span::default();
            self.file.add(&mut list, b"/");
            self.everywhere = list;
        }
        self.everywhere
    }

    /// Adds a prohibition of every resource that nothing lifts, in place of a statement that a limit cut.
    fn prohibit_everywhere(&mut self, targets: u32) {
        let audience = to_u32(self.file.audiences.len().saturating_sub(1));
        let (Place { line, start }, resources) = (self.place, self.everywhere());
        let effect = Effect::Prohibits;
        self.file.statements.push(Statement {
            effect,
            beyond: false,
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
    fn names_cut_set(&self, resources: &[Word<'_>]) -> bool {
        if !self.some_set_cut {
            return false;
        }
        let is_cut = |word: &Word<'_>| match set_name(&word.text) {
            Some(name) if !self.any_set_cut => {
                self.set(&name).and_then(|place| self.sets.get(place)).is_none_or(|set| set.cut)
            }
            Some(_) => true,
            None => is_untold(&word.text, word.cut),
        };
        resources.iter().any(is_cut)
    }

    /// The place of a span in the table of spans.
    fn span(&mut self, span: Span) -> u32 {
        if span.is_empty() {
            return 0;
        }
        self.file.spans.push(span);
        to_u32(self.file.spans.len().saturating_sub(1))
    }

    /// Reports the first qualifier that does not apply to a usage; true if there is one.
    fn misplaced(&mut self, usage: Usage, kinds: &[Qualifier]) -> bool {
        let Some(qualifier) = kinds.iter().find(|qualifier| !restrictions::in_column(**qualifier, usage)) else {
            return false;
        };
        let usage = self.file.usage_name(usage).to_owned();
        self.problem(Code::AcapMisplacedQualifier, &[qualifier.name(), &usage]);
        true
    }

    /// Reports that of a field, for the first of its usages with such a qualifier.
    fn misplaced_in(&mut self, statement: &Statement, kinds: &[Qualifier]) {
        if !self.problems.heard() || kinds.is_empty() {
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

    /// The lists of patterns of a field: its own, and one per set that it names; and whether one of these sets is not
    /// defined. In a prohibition an undefined set stands for the one it may be a typo of, else for every resource (our
    /// choice). `verb` is the effect as written; a permission that cannot be interpreted has another `effect`.
    fn resources(&mut self, all: &[Word<'_>], verb: Effect, effect: Effect) -> (Vec<Span>, bool) {
        if all.is_empty() {
            self.problem(Code::AcapEmptyResource, &[]);
        }
        let mut out = Vec::new();
        let mut own = Span::default();
        let mut undefined = false;
        for Word { text: token, cut, .. } in all {
            if is_untold(token, *cut) {
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
        out.push(own);
        (out, undefined)
    }

    /// The only defined set within one typo of a name; its digits must be the same.
    fn near_set(&mut self, name: &str) -> Option<usize> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::{Manner, read as read_lines};

    fn file(text: &str) -> File {
        let manner = Manner {
            nul_ends_line: false,
            cut_overlong: false,
            controls: true,
            unseen: true,
            acap: true,
            blanks: false,
        };
        let limits = Limits::default();
        let table = read_lines(text.as_bytes(), &limits, manner);
        read(text.as_bytes(), &table.entries, None, &limits, &[], &mut Problems::unheard())
    }

    fn only(line: &str) -> (Effect, String, String) {
        let file = file(&format!("ACAP-crawler: *\n{line}"));
        assert_eq!(file.statements.len(), 1, "{line}");
        let statement = &file.statements[0];
        let target = &file.targets(statement)[0];
        let pattern = file.patterns(statement).next().unwrap_or_default();
        let name = file.usage_name(target.usage).to_owned();
        (file.effect(statement, target), name, String::from_utf8_lossy(pattern).into_owned())
    }

    #[test]
    fn names_are_read_with_the_tolerance_of_real_files() {
        let permits = |usage: &str, pattern: &str| (Effect::Permits, usage.to_owned(), pattern.to_owned());
        assert_eq!(only("ACAP-allow preserve: /"), permits("preserve", "/"));
        assert_eq!(only("ACAP-allow-present-snippet /news/ max-length=20-words"), permits("present-snippet", "/news/"));
        assert_eq!(
            only("ACAP-allow-present\u{2014}-thumbnail: /news/*.htm$"),
            permits("present-thumbnail", "/news/*.htm$")
        );
        assert_eq!(only("acap-allow-present-links : news"), permits("present-link", "/news"));
        assert_eq!(only("ACAP-allow-index: http://a.example/b?c"), permits("index", "/b?c"));
    }

    #[test]
    fn doubt_prohibits() {
        let prohibits = |usage: &str| (Effect::Prohibits, usage.to_owned(), "/".to_owned());
        assert_eq!(only("ACAP-allow-index: / time-limit=until-2008-02-31"), prohibits("index"));
        assert_eq!(only("ACAP-disallow-present-snipet: /"), prohibits("present-snippet"));
        assert_eq!(only("ACAP-disallow-present-foo: /"), prohibits("present"));
        assert_eq!(only("ACAP-allow-(nowhere): /"), prohibits("other"));
        assert_eq!(only("ACAP-allow-index: / stray"), prohibits("index"));
    }

    #[test]
    fn a_value_continues_after_a_comma() {
        let file =
            file("ACAP-crawler: *\nACAP-allow-index: / must-use-resource = the-acap:idlist:a, b time-limit=3-days");
        let statement = &file.statements[0];
        let restrictions = file.restrictions(statement, &file.targets(statement)[0]);
        let values: Vec<&str> = restrictions.iter().map(|one| &*one.value).collect();
        assert_eq!(values, ["the-acap:idlist:a, b", "3-days"]);
    }
}
