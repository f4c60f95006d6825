//! ACAP fields → records, sub-records and statements (P1 4, G 2).
//!
//! ```text
//! ACAP-record       = (1*named-crawler-identification-field / any-crawler-identification-field)
//!                     (permissions-reference-field / (permission-fields / ACAP-sub-record) *ACAP-sub-record)
//! permission-field  = "ACAP-allow-" ((ACAP-usage-name ["-" used-resource-type-name]) / local-usage-name) ":"
//!                     *WSP resource-specification *(1*WSP qualifier-specification) field-end     ; P1 4.5.6
//! ```
//!
//! Laws: what cannot be understood is void, except where it could loosen: then it prohibits. Definitions count wherever
//! they stand. Nothing here ends or begins a conventional group.

use std::collections::HashMap;

use crate::limits::Limits;
use crate::lines::{Entry, Kind, to_u32, to_usize};
use crate::octets::{canonical_path, canonical_pattern, is_space, leading_name, split_origin, trim};
use crate::problems::{Code, Problems};
use crate::restrictions::{self, Restriction, Setting};
use crate::statement::{Effect, Part, Purpose, Statement};
use crate::usage::{self, KNOWN, Usage};

/// A record: the crawlers it is addressed to and what belongs to it as a whole.
#[derive(Clone, Debug, Default)]
pub struct Record {
    pub names: Vec<Box<str>>,
    pub any: bool,
    pub line: u32,
    pub references: Vec<Reference>,
}

impl Record {
    pub fn names_crawler(&self, name: &[u8]) -> bool {
        self.names.iter().any(|held| held.as_bytes().eq_ignore_ascii_case(name))
    }
}

/// `ACAP-permissions-reference`: the permissions are in another resource (P1 4.5.2.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    pub uri: Box<str>,
    pub line: u32,
    pub start: u32,
}

/// A sub-record, or the part of a record before the first purpose line.
#[derive(Clone, Debug, Default)]
pub struct Audience {
    pub record: u32,
    pub purposes: Vec<Purpose>,
    /// No purpose line, or one that says `*`.
    pub purposeless: bool,
}

/// `ACAP-request-…` (P1 4.5.2.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub take_down: bool,
    pub record: u32,
    pub path: Box<[u8]>,
    pub written: Box<str>,
    pub line: u32,
    pub start: u32,
}

/// Everything the ACAP fields of one file say.
#[derive(Clone, Debug, Default)]
pub struct File {
    pub version: Option<(Box<str>, u32)>,
    /// The line of `ACAP-ignore-conventional-records`.
    pub ignore_conventional: Option<u32>,
    pub records: Vec<Record>,
    pub audiences: Vec<Audience>,
    pub statements: Vec<Statement>,
    pub requests: Vec<Request>,
    /// Names of usages that only this file knows, numbered after the known ones.
    pub usages: Vec<Box<str>>,
    /// Whether a limit cut something.
    pub too_much: bool,
}

impl File {
    /// The usage of this lower-case name, if the file knows one of its own.
    pub fn usage(&self, name: &str) -> Option<Usage> {
        let place = self.usages.iter().position(|held| &**held == name)?;
        u16::try_from(place.saturating_add(KNOWN.len())).ok().map(Usage)
    }

    pub fn usage_name(&self, usage: Usage) -> &str {
        match usage.name() {
            Some(name) => name,
            None => {
                let place = usize::from(usage.0).saturating_sub(KNOWN.len());
                self.usages.get(place).map_or("", |name| name)
            }
        }
    }

    fn intern(&mut self, name: &str) -> Usage {
        if let Some(usage) = self.usage(name) {
            return usage;
        }
        let number = u16::try_from(self.usages.len().saturating_add(KNOWN.len())).unwrap_or(u16::MAX);
        if number < u16::MAX {
            self.usages.push(name.into());
        }
        Usage(number)
    }
}

/// What a field of permission or prohibition is about.
#[derive(Clone, Debug, PartialEq, Eq)]
enum About {
    Known(Usage),
    Plural(Usage),
    Unknown(String),
    Local(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    Crawler,
    Purpose,
    Allow(About),
    Disallow(About),
    QualifiedUsage,
    CompositeUsage,
    ResourceSet,
    Reference,
    Request { take_down: bool },
    IgnoreConventional,
    Version,
    Unknown,
}

/// A field taken apart: its name, its value, and whether the name needed tolerance.
struct Field<'a> {
    name: Name,
    /// The name as it stands.
    head: &'a [u8],
    value: &'a [u8],
    tolerated: bool,
}

/// A dash at the start of the text: how many octets it has (U+2010–2015, U+2212, U+FE58, U+FE63, U+FF0D).
fn dash(text: &[u8]) -> usize {
    match text {
        [b'-', ..] => 1,
        [0xE2, 0x80, 0x90..=0x95, ..] | [0xE2, 0x88, 0x92, ..] => 3,
        [0xEF, 0xB9, 0x98 | 0xA3, ..] | [0xEF, 0xBC, 0x8D, ..] => 3,
        _ => 0,
    }
}

/// Text in lower case in which each run of blanks and dashes is one hyphen, and where each octet of it ended.
struct Normal {
    text: Vec<u8>,
    ends: Vec<usize>,
    changed: bool,
}

fn normal(source: &[u8]) -> Normal {
    let mut out =
        Normal { text: Vec::with_capacity(source.len()), ends: Vec::with_capacity(source.len()), changed: false };
    let mut at = 0usize;
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        let mut run = 0usize;
        while let Some(tail) = rest.get(run..).filter(|tail| !tail.is_empty()) {
            let step = if tail.first().is_some_and(|byte| is_space(*byte)) { 1 } else { dash(tail) };
            if step == 0 {
                break;
            }
            run = run.saturating_add(step);
        }
        let byte = if run > 0 {
            out.changed |= run > 1 || rest.first() != Some(&b'-');
            at = at.saturating_add(run);
            b'-'
        } else {
            at = at.saturating_add(1);
            rest.first().map_or(b'-', u8::to_ascii_lowercase)
        };
        out.text.push(byte);
        out.ends.push(at);
    }
    out
}

fn about(name: &str) -> About {
    if let Some(usage) = Usage::known(name) {
        return About::Known(usage);
    }
    if let Some(usage) = Usage::of_plural(name) {
        return About::Plural(usage);
    }
    match name.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(local) if !local.is_empty() => About::Local(local.trim_matches('-').to_owned()),
        _ => About::Unknown(name.to_owned()),
    }
}

/// The field of a normalised name, if it is a known one.
fn known(name: &[u8]) -> Option<Name> {
    let name = std::str::from_utf8(name.strip_prefix(b"acap-")?).ok()?;
    let usage = |rest: &str| match about(rest) {
        About::Unknown(_) => None,
        other => Some(other),
    };
    if let Some((_, field)) = FIELDS.iter().find(|(known, _)| *known == name) {
        return Some(field.clone());
    }
    match (name.strip_prefix("allow-"), name.strip_prefix("disallow-")) {
        (Some(rest), _) => Some(Name::Allow(usage(rest)?)),
        (_, Some(rest)) => Some(Name::Disallow(usage(rest)?)),
        _ => None,
    }
}

/// Fields other than permissions and prohibitions (P1 4.5.6; `version` of Part 1 V1.1).
const FIELDS: [(&str, Name); 10] = [
    ("crawler", Name::Crawler),
    ("usage-purpose", Name::Purpose),
    ("qualified-usage", Name::QualifiedUsage),
    ("composite-usage", Name::CompositeUsage),
    ("resource-set", Name::ResourceSet),
    ("permissions-reference", Name::Reference),
    ("request-take-down", Name::Request { take_down: true }),
    ("request-re-crawl", Name::Request { take_down: false }),
    ("ignore-conventional-records", Name::IgnoreConventional),
    ("version", Name::Version),
];

/// No known name has more words.
const WORDS: usize = 6;

fn field(body: &[u8]) -> Field<'_> {
    let colon = memchr::memchr(b':', body).unwrap_or(body.len());
    let written = trim(body.get(..colon).unwrap_or(body));
    let head = normal(written);
    let after = body.get(colon.saturating_add(1)..).unwrap_or(&[]);
    if let Some(name) = known(&head.text) {
        let tolerated = head.changed || (colon == body.len() && name != Name::IgnoreConventional);
        return Field { name, head: written, value: trim(after), tolerated };
    }
    if let Some(field) = longest_known(body) {
        return field;
    }
    let text = String::from_utf8_lossy(&head.text);
    let unknown = |rest: &str| About::Unknown(rest.to_owned());
    let name = match (text.strip_prefix("acap-allow-"), text.strip_prefix("acap-disallow-")) {
        (Some(rest), _) if !rest.is_empty() => Name::Allow(unknown(rest)),
        (_, Some(rest)) if !rest.is_empty() => Name::Disallow(unknown(rest)),
        _ => Name::Unknown,
    };
    Field { name, head: written, value: trim(after), tolerated: head.changed }
}

/// The longest known name at the start of a line whose colon is missing or stands elsewhere.
fn longest_known(body: &[u8]) -> Option<Field<'_>> {
    let whole = normal(body);
    let mut ends: Vec<usize> = Vec::new();
    let mut words = 0usize;
    for (place, byte) in whole.text.iter().enumerate() {
        match byte {
            b'-' => {
                words = words.saturating_add(1);
                ends.push(place);
            }
            b':' | b'/' | b'*' => {
                ends.push(place);
                break;
            }
            _ => {}
        }
        if words > WORDS {
            break;
        }
    }
    if words <= WORDS {
        ends.push(whole.text.len());
    }
    // A local name may hold anything up to its parenthesis.
    if let Some(close) = memchr::memchr(b')', &whole.text) {
        ends.push(close.saturating_add(1));
        ends.sort_unstable();
        ends.dedup();
    }
    ends.iter().rev().find_map(|end| {
        let name = known(whole.text.get(..*end)?)?;
        let from = end.checked_sub(1).and_then(|last| whole.ends.get(last)).copied()?;
        let rest = body.get(from..)?;
        let boundary = rest.first().is_none_or(|byte| is_space(*byte) || matches!(byte, b':' | b'/' | b'*'));
        let value = trim(rest);
        let value = trim(value.strip_prefix(b":").unwrap_or(value));
        let fits = match name {
            Name::Allow(_) | Name::Disallow(_) => value.is_empty() || begins_resource(value),
            _ => true,
        };
        (boundary && fits).then_some(Field { name, head: body.get(..from)?, value, tolerated: true })
    })
}

/// Whether a text is the permission of something, or a definition that a cut could loosen; such a line is dropped when it
/// is too long.
pub fn permits(body: &[u8]) -> bool {
    matches!(field(body).name, Name::Allow(_) | Name::QualifiedUsage | Name::CompositeUsage)
}

fn begins(text: &[u8], prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix.as_bytes()))
}

const SETS: [&str; 2] = ["acap:resource-set:", "the-acap:resource-set:"];

fn set_name(token: &[u8]) -> Option<String> {
    let prefix = SETS.iter().find(|prefix| begins(token, prefix))?;
    let name = token.get(prefix.len()..)?;
    Some(String::from_utf8_lossy(name).to_ascii_lowercase())
}

fn is_absolute(token: &[u8]) -> bool {
    begins(token, "http://") || begins(token, "https://")
}

fn begins_pattern(token: &[u8]) -> bool {
    matches!(token.first(), Some(b'/' | b'*')) || SETS.iter().any(|prefix| begins(token, prefix))
}

fn begins_resource(value: &[u8]) -> bool {
    begins_pattern(value) || is_absolute(value)
}

/// Host and port of an origin.
fn authority(origin: &[u8]) -> &[u8] {
    let from = memchr::memmem::find(origin, b"://").map_or(0, |at| at.saturating_add(3));
    origin.get(from..).unwrap_or(origin)
}

/// Tokens of a value; blanks around a `=` belong to the qualifier it makes, and a blank after a comma continues it.
fn tokens(value: &[u8]) -> Vec<Vec<u8>> {
    let mut out: Vec<Vec<u8>> = Vec::new();
    for token in value.split(|byte| is_space(*byte)).filter(|token| !token.is_empty()) {
        let joins = out.last().is_some_and(|last| {
            let open = last.last() == Some(&b'=') || token.first() == Some(&b'=');
            open && !begins_resource(last)
        });
        let continues = out
            .last()
            .is_some_and(|last| last.last() == Some(&b',') && qualifier_name(last).is_some() && !begins_resource(last));
        match out.last_mut() {
            Some(last) if joins => last.extend_from_slice(token),
            Some(last) if continues => {
                last.push(b' ');
                last.extend_from_slice(token);
            }
            _ => out.push(token.to_vec()),
        }
    }
    out
}

/// The name before the `=` of a qualifier.
fn qualifier_name(token: &[u8]) -> Option<&str> {
    let end = memchr::memchr(b'=', token)?;
    let name = std::str::from_utf8(token.get(..end)?).ok()?;
    (!name.is_empty() && name.bytes().all(|byte| leading_name(&[byte]).len() == 1)).then_some(name)
}

/// Replaces `%xnnnn` by the character it stands for (P1 4.5.6).
pub fn unescape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find("%x").or_else(|| rest.find("%X")) {
        let (head, tail) = rest.split_at(at);
        out.push_str(head);
        let digits = tail.get(2..6).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32) {
            Some(letter) => {
                out.push(letter);
                rest = tail.get(6..).unwrap_or("");
            }
            None => {
                out.push_str(tail.get(..2).unwrap_or(""));
                rest = tail.get(2..).unwrap_or("");
            }
        }
    }
    out.push_str(rest);
    out
}

/// What qualifiers come to.
#[derive(Clone, Debug, Default)]
struct Qualifiers {
    restrictions: Vec<Restriction>,
    /// One of them cannot be interpreted: the permission prohibits (P2 2.2.6).
    broken: bool,
    /// One of them is of a later version: the field is void.
    later: bool,
}

#[derive(Clone, Debug)]
enum Definition {
    Qualified { base: About, qualifiers: Qualifiers },
    Composite { parts: Vec<About> },
}

/// One usage that a field speaks of once local definitions are resolved.
struct Target {
    usage: Usage,
    restrictions: Vec<Restriction>,
    effect: Effect,
}

/// Reads the ACAP fields of a text.
pub fn read(text: &[u8], entries: &[Entry], origin: Option<&[u8]>, limits: &Limits, problems: &mut Problems) -> File {
    let mut reader = Reader {
        text,
        origin,
        limits,
        problems,
        file: File::default(),
        usages: HashMap::new(),
        sets: HashMap::new(),
        place: Place::default(),
        sub_records: 0,
        fields: 0,
        sub_fields: 0,
        gathering: Gathering::Nothing,
        any_records: 0,
    };
    let fields: Vec<(&Entry, Field<'_>)> = entries
        .iter()
        .filter(|entry| entry.kind == Kind::Acap)
        .map(|entry| (entry, field(entry.value(text))))
        .collect();
    reader.version(entries, &fields);
    for (entry, field) in &fields {
        reader.place = Place::of(entry);
        reader.define(field);
    }
    for (entry, field) in &fields {
        reader.place = Place::of(entry);
        reader.field(field);
    }
    reader.beside_references();
    reader.file
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

/// What the next line of its kind would continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gathering {
    Nothing,
    Crawlers,
    Purposes,
    Fields,
}

struct Reader<'a> {
    text: &'a [u8],
    origin: Option<&'a [u8]>,
    limits: &'a Limits,
    problems: &'a mut Problems,
    file: File,
    usages: HashMap<String, Definition>,
    sets: HashMap<String, Vec<Vec<u8>>>,
    place: Place,
    sub_records: usize,
    fields: usize,
    sub_fields: usize,
    gathering: Gathering,
    any_records: usize,
}

impl Reader<'_> {
    fn problem(&mut self, code: Code, words: &[&str]) {
        self.problems.add(code, self.place.line, self.place.start, words);
    }

    /// Whether a URI's host and port are this site's, or the site is unknown; its scheme does not matter.
    fn is_ours(&self, origin: &[u8]) -> bool {
        self.origin.is_none_or(|ours| authority(ours) == authority(origin))
    }

    fn setting(&self) -> Setting {
        // Element sets are of version 1.1; no version is no restriction in robots.txt.
        let sets = self.file.version.as_ref().is_none_or(|(version, _)| {
            let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
            (parts.next(), parts.next().unwrap_or(0)) > (Some(1), 0)
        });
        Setting { page: false, sets }
    }

    /// Permissions in a record that refers to another resource are void (P1 4.5.2).
    fn beside_references(&mut self) {
        let refers = |audience: u32| {
            let record = self.file.audiences.get(to_usize(audience)).map(|audience| audience.record)?;
            self.file.records.get(to_usize(record)).map(|record| !record.references.is_empty())
        };
        for statement in &self.file.statements {
            if statement.effect == Effect::Permits && refers(statement.audience) == Some(true) {
                self.problems.add(Code::AcapPermissionBesideReference, statement.line, statement.start, &[]);
            }
        }
    }

    fn version(&mut self, entries: &[Entry], fields: &[(&Entry, Field<'_>)]) {
        let comments = entries.iter().filter(|entry| entry.kind == Kind::AcapComment).filter_map(|entry| {
            let text = String::from_utf8_lossy(entry.value(self.text)).to_ascii_lowercase();
            let rest = text.strip_prefix("##")?.trim_start().strip_prefix("acap")?.trim_start();
            let rest = rest.strip_prefix("version")?.trim_start().strip_prefix('=')?.trim_start();
            let version = rest.split(|letter: char| letter.is_whitespace() || letter == '#').next()?;
            Some((entry, version.to_owned()))
        });
        let named = fields.iter().filter(|(_, field)| field.name == Name::Version).map(|(entry, field)| {
            let value = String::from_utf8_lossy(field.value);
            (*entry, value.split_whitespace().next().unwrap_or("").to_owned())
        });
        let numbered = |version: &str| {
            let sound = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            version.split('.').all(sound)
        };
        let mut all: Vec<(&Entry, String)> = comments.chain(named).filter(|(_, version)| numbered(version)).collect();
        all.sort_by_key(|(entry, _)| entry.line);
        let mut all = all.into_iter();
        self.file.version = all.next().map(|(entry, version)| (version.into(), entry.line));
        for (entry, version) in all {
            self.place = Place::of(entry);
            self.problem(Code::AcapSecondVersion, &[&version]);
        }
    }

    fn define(&mut self, field: &Field<'_>) {
        if field.name == Name::IgnoreConventional {
            self.file.ignore_conventional.get_or_insert(self.place.line);
            return;
        }
        if !matches!(field.name, Name::QualifiedUsage | Name::CompositeUsage | Name::ResourceSet) {
            return;
        }
        let all = tokens(field.value);
        let mut rest = all.iter();
        let name = rest.next().map(|name| String::from_utf8_lossy(name).to_ascii_lowercase()).unwrap_or_default();
        if name.is_empty() || rest.len() == 0 {
            self.problem(Code::AcapBadDefinition, &[]);
            return;
        }
        let taken = match field.name {
            Name::ResourceSet => self.sets.contains_key(&name),
            _ => self.usages.contains_key(&name),
        };
        if taken {
            self.problem(Code::AcapDuplicateDefinition, &[&name]);
            return;
        }
        match field.name {
            Name::QualifiedUsage => {
                let base = rest.next().map(|token| constituent(token)).unwrap_or(About::Unknown(String::new()));
                let qualifiers = self.qualifiers(rest.map(Vec::as_slice));
                if qualifiers.later {
                    self.problem(Code::AcapLaterVersion, &[&name]);
                    return;
                }
                self.usages.insert(name, Definition::Qualified { base, qualifiers });
            }
            Name::CompositeUsage => {
                let parts = rest.map(|token| constituent(token)).collect();
                self.usages.insert(name, Definition::Composite { parts });
            }
            _ => {
                let patterns = rest.filter_map(|token| self.resource(token)).collect();
                self.sets.insert(name, patterns);
            }
        }
    }

    /// The canonical pattern a resource stands for; none if it is empty or of another authority.
    fn resource(&mut self, token: &[u8]) -> Option<Vec<u8>> {
        if is_absolute(token) {
            let (origin, rest) = split_origin(token)?;
            if !self.is_ours(&origin) {
                let text = String::from_utf8_lossy(token).into_owned();
                self.problem(Code::AcapForeignResource, &[&text]);
                return None;
            }
            let mut path = Vec::with_capacity(rest.len().saturating_add(1));
            if rest.first() != Some(&b'/') {
                path.push(b'/');
            }
            path.extend_from_slice(rest);
            return Some(canonical_pattern(&path).into_owned());
        }
        if token.is_empty() || set_name(token).is_some() {
            return None;
        }
        if matches!(token.first(), Some(b'/' | b'*')) {
            return Some(canonical_pattern(token).into_owned());
        }
        let text = String::from_utf8_lossy(token).into_owned();
        self.problem(Code::AcapRelativePattern, &[&text]);
        let mut path = vec![b'/'];
        path.extend_from_slice(token);
        Some(canonical_pattern(&path).into_owned())
    }

    fn qualifiers<'t>(&mut self, list: impl Iterator<Item = &'t [u8]>) -> Qualifiers {
        let setting = self.setting();
        let mut out = Qualifiers::default();
        for token in list {
            let text = String::from_utf8_lossy(token).into_owned();
            let Some(name) = qualifier_name(token) else {
                self.problem(Code::AcapStrayText, &[&text]);
                out.broken = true;
                continue;
            };
            // Read with the characters that `%xnnnn` stands for, kept as written.
            let written = text.get(name.len().saturating_add(1)..).unwrap_or("");
            let value = unescape(written);
            match restrictions::read(name, &value, setting) {
                Ok(mut reading) => {
                    if !reading.older {
                        reading.restriction.value = written.into();
                    }
                    if reading.older {
                        self.problem(Code::AcapOlderWord, &[&text, reading.restriction.name()]);
                    }
                    out.restrictions.push(reading.restriction);
                }
                Err(restrictions::Refusal::LaterVersion) => out.later = true,
                Err(restrictions::Refusal::UnknownName) => {
                    self.problem(Code::AcapUnknownQualifier, &[name]);
                    out.broken = true;
                }
                Err(restrictions::Refusal::BadValue) => {
                    self.problem(Code::AcapBadValue, &[name, &value]);
                    out.broken = true;
                }
            }
        }
        out
    }

    fn field(&mut self, field: &Field<'_>) {
        if field.tolerated {
            self.problem(Code::AcapHyphen, &[]);
        }
        match &field.name {
            Name::Crawler => self.crawlers(field.value),
            Name::Unknown => {
                let name = String::from_utf8_lossy(field.head).into_owned();
                let known = FIELDS.iter().map(|(known, _)| *known);
                let near = name.get(5..).and_then(|rest| nearest(rest, known)).map(|near| format!("ACAP-{near}"));
                self.problem(Code::AcapUnknownField, &[&name, &near.unwrap_or_default()]);
            }
            Name::Version | Name::IgnoreConventional => {}
            Name::QualifiedUsage | Name::CompositeUsage | Name::ResourceSet => {
                if !self.file.records.is_empty() {
                    self.problem(Code::AcapMisplacedDefinition, &[]);
                }
            }
            _ if self.file.records.is_empty() => self.problem(Code::AcapBeforeCrawler, &[]),
            Name::Purpose => self.purpose(field.value),
            Name::Allow(about) => self.statement(about, Effect::Permits, field.value),
            Name::Disallow(about) => self.statement(about, Effect::Prohibits, field.value),
            Name::Reference => self.reference(field.value),
            Name::Request { take_down } => self.request(*take_down, field.value),
        }
    }

    fn crawlers(&mut self, value: &[u8]) {
        let mut names: Vec<Box<str>> = Vec::new();
        let mut any = false;
        let mut count = 0usize;
        for word in value.split(|byte| is_space(*byte) || *byte == b',').filter(|word| !word.is_empty()) {
            count = count.saturating_add(1);
            if word == b"*" {
                any = true;
                continue;
            }
            let name = leading_name(word);
            if name.len() < word.len() {
                let (word, name) =
                    (String::from_utf8_lossy(word).into_owned(), String::from_utf8_lossy(name).into_owned());
                self.problem(Code::AcapCrawlerName, &[&word, &name]);
            }
            if !name.is_empty() {
                names.push(String::from_utf8_lossy(name).into());
            }
        }
        if count == 0 {
            self.problem(Code::AcapNoCrawler, &[]);
        }
        if count > 1 {
            self.problem(Code::AcapSeveralCrawlers, &[]);
        }
        if self.gathering == Gathering::Crawlers {
            if let Some(record) = self.file.records.last_mut() {
                let beside = (record.any && !names.is_empty()) || (any && !record.names.is_empty());
                record.names.extend(names);
                record.any |= any;
                if beside {
                    self.problem(Code::AcapAnyBesideNames, &[]);
                }
            }
            return;
        }
        if any {
            self.any_records = self.any_records.saturating_add(1);
            if self.any_records > 1 {
                self.problem(Code::AcapSeveralAny, &[]);
            }
            if !names.is_empty() {
                self.problem(Code::AcapAnyBesideNames, &[]);
            }
        }
        self.file.records.push(Record { names, any, line: self.place.line, references: Vec::new() });
        self.audience(Vec::new());
        self.gathering = Gathering::Crawlers;
        self.sub_records = 0;
        self.fields = 0;
    }

    fn record(&self) -> u32 {
        to_u32(self.file.records.len().saturating_sub(1))
    }

    fn audience(&mut self, purposes: Vec<Purpose>) {
        let purposeless = purposes.is_empty();
        let record = self.record();
        self.file.audiences.push(Audience { record, purposes, purposeless });
        self.sub_fields = 0;
    }

    fn purpose(&mut self, value: &[u8]) {
        let text = String::from_utf8_lossy(value);
        if text.trim().is_empty() {
            self.problem(Code::AcapEmptyPurpose, &[]);
            // It names nothing, and yet a crawler line after it begins another record.
            if self.gathering == Gathering::Crawlers {
                self.gathering = Gathering::Fields;
            }
            return;
        }
        let purpose = Purpose::new(text.trim(), self.place.line);
        if self.gathering != Gathering::Purposes {
            self.audience(Vec::new());
            if let Some(audience) = self.file.audiences.last_mut() {
                audience.purposeless = false;
            }
            self.sub_records = self.sub_records.saturating_add(1);
            self.gathering = Gathering::Purposes;
        }
        if let Some(audience) = self.file.audiences.last_mut() {
            audience.purposeless |= purpose.is_any();
            audience.purposes.push(purpose);
        }
    }

    fn reference(&mut self, value: &[u8]) {
        self.gathering = Gathering::Fields;
        let uri = String::from_utf8_lossy(value).into_owned();
        let reference = Reference { uri: uri.into(), line: self.place.line, start: self.place.start };
        if let Some(record) = self.file.records.last_mut() {
            record.references.push(reference);
        }
    }

    fn request(&mut self, take_down: bool, value: &[u8]) {
        if self.gathering != Gathering::Crawlers
            && self.file.audiences.last().is_some_and(|last| !last.purposes.is_empty())
        {
            self.problem(Code::AcapRequestInSubRecord, &[]);
        }
        self.gathering = Gathering::Fields;
        let token = value.split(|byte| is_space(*byte)).next().unwrap_or(&[]);
        let text = String::from_utf8_lossy(token).into_owned();
        let rest = if is_absolute(token) {
            match split_origin(token) {
                Some((origin, rest)) if self.is_ours(&origin) => rest,
                _ => {
                    self.problem(Code::AcapForeignResource, &[&text]);
                    return;
                }
            }
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
        let path = canonical_path(rest).into_owned().into_boxed_slice();
        let record = self.record();
        let Place { line, start } = self.place;
        self.file.requests.push(Request { take_down, record, path, written: text.into(), line, start });
    }

    /// Counts a field; whether it is beyond a limit.
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

    fn statement(&mut self, about: &About, effect: Effect, value: &[u8]) {
        self.gathering = Gathering::Fields;
        let beyond = self.beyond_limits();
        if beyond {
            self.problem(Code::AcapTooMuch, &[]);
        }
        let all = tokens(value);
        let mut rest = all.iter().map(Vec::as_slice).peekable();
        let mut resources: Vec<&[u8]> = Vec::new();
        let first_is_qualifier = rest
            .peek()
            .is_some_and(|token| !begins_resource(token) && qualifier_name(token).is_some_and(restrictions::is_name));
        if !first_is_qualifier {
            resources.extend(rest.next());
        }
        let mut qualifiers: Vec<&[u8]> = Vec::new();
        for token in rest {
            if begins_pattern(token) {
                resources.push(token);
            } else {
                qualifiers.push(token);
            }
        }
        let patterns = self.patterns(&resources);
        let qualifiers = if effect == Effect::Prohibits {
            if !qualifiers.is_empty() {
                self.problem(Code::AcapQualifierOnProhibition, &[]);
            }
            Qualifiers::default()
        } else {
            self.qualifiers(qualifiers.into_iter())
        };
        if qualifiers.later {
            self.problem(Code::AcapLaterVersion, &[]);
            return;
        }
        let mut targets = self.targets(about, effect, &qualifiers);
        if beyond {
            // What permits is dropped, what prohibits is kept.
            targets.retain(|target| target.effect == Effect::Prohibits);
        }
        for target in &targets {
            let foreign = target
                .restrictions
                .iter()
                .find(|restriction| !restrictions::in_column(restriction.qualifier, target.usage))
                .map(Restriction::name);
            if let Some(name) = foreign {
                let usage = self.file.usage_name(target.usage).to_owned();
                self.problem(Code::AcapMisplacedQualifier, &[name, &usage]);
            }
        }
        let audience = to_u32(self.file.audiences.len().saturating_sub(1));
        let Place { line, start } = self.place;
        for target in targets {
            for pattern in &patterns {
                self.file.statements.push(Statement {
                    effect: target.effect,
                    usage: target.usage,
                    pattern: pattern.clone().into_boxed_slice(),
                    restrictions: target.restrictions.clone().into_boxed_slice(),
                    audience,
                    line,
                    start,
                    part: Part::Site,
                });
            }
        }
    }

    fn patterns(&mut self, resources: &[&[u8]]) -> Vec<Vec<u8>> {
        if resources.is_empty() {
            self.problem(Code::AcapEmptyResource, &[]);
        }
        let mut out = Vec::new();
        for token in resources {
            match set_name(token) {
                Some(name) => match self.sets.get(&name) {
                    Some(patterns) => out.extend(patterns.iter().cloned()),
                    None => {
                        let near = nearest(&name, self.sets.keys().map(String::as_str)).unwrap_or_default();
                        self.problem(Code::AcapUndefinedSet, &[&name, &near]);
                    }
                },
                None => out.extend(self.resource(token)),
            }
        }
        out
    }

    fn targets(&mut self, about: &About, effect: Effect, qualifiers: &Qualifiers) -> Vec<Target> {
        let About::Local(name) = about else {
            let usage = self.usage(about, effect);
            return vec![target(usage, effect, &[], qualifiers, false)];
        };
        let Some(definition) = self.usages.get(name).cloned() else {
            let near = nearest(name, self.usages.keys().map(String::as_str)).unwrap_or_default();
            self.problem(Code::AcapUndefinedUsage, &[name, &near]);
            // We cannot tell what should have been limited (our choice).
            return vec![target(usage::OTHER, Effect::Prohibits, &[], &Qualifiers::default(), false)];
        };
        if effect == Effect::Prohibits {
            self.problem(Code::AcapProhibitedLocalUsage, &[name]);
        }
        match definition {
            Definition::Qualified { base, qualifiers: own } => vec![self.qualified(&base, &own, effect, qualifiers)],
            Definition::Composite { parts } => {
                let mut out = Vec::new();
                for part in parts {
                    let local = match &part {
                        About::Local(local) | About::Unknown(local) => self.usages.get(local).cloned(),
                        _ => None,
                    };
                    match (part, local) {
                        (_, Some(Definition::Qualified { base, qualifiers: own })) => {
                            out.push(self.qualified(&base, &own, effect, qualifiers));
                        }
                        (About::Local(local), _) => self.problem(Code::AcapVoidConstituent, &[&local, name]),
                        (part, _) => {
                            let usage = self.usage(&part, effect);
                            out.push(target(usage, effect, &[], qualifiers, false));
                        }
                    }
                }
                out
            }
        }
    }

    fn qualified(&mut self, base: &About, own: &Qualifiers, effect: Effect, qualifiers: &Qualifiers) -> Target {
        // What cannot be interpreted prohibits, and a prohibition's unknown name is read as a known one near it.
        let usage = self.usage(base, effect);
        target(usage, effect, &own.restrictions, qualifiers, own.broken)
    }

    /// The usage a field speaks of; an unknown one is read as section 5 of the semantics says.
    fn usage(&mut self, about: &About, effect: Effect) -> Usage {
        let name = match about {
            About::Known(usage) => return *usage,
            About::Plural(usage) => {
                self.problem(Code::AcapPlural, &[usage.name().unwrap_or("")]);
                return *usage;
            }
            About::Unknown(name) | About::Local(name) => name,
        };
        if effect == Effect::Prohibits
            && let Some(usage) = guess(name)
        {
            self.problem(Code::AcapGuessedUsage, &[name, usage.name().unwrap_or("")]);
            return usage;
        }
        let near = nearest(name, KNOWN.iter().map(|(known, _)| *known)).unwrap_or_default();
        self.problem(Code::AcapUnknownUsage, &[name, &near]);
        self.file.intern(name)
    }
}

fn target(usage: Usage, effect: Effect, own: &[Restriction], qualifiers: &Qualifiers, broken: bool) -> Target {
    if effect == Effect::Prohibits || broken || qualifiers.broken {
        return Target { usage, restrictions: Vec::new(), effect: Effect::Prohibits };
    }
    let restrictions = own.iter().chain(&qualifiers.restrictions).cloned().collect();
    Target { usage, restrictions, effect }
}

/// A usage in a definition.
fn constituent(token: &[u8]) -> About {
    let name = String::from_utf8_lossy(&normal(token).text).into_owned();
    about(&name)
}

/// The known usage a misspelt prohibition is read as: the only one at edit distance one, else the nearest above.
fn guess(name: &str) -> Option<Usage> {
    let usages = || (0..KNOWN.len()).filter_map(|place| u16::try_from(place).ok().map(Usage));
    let singular = match name.strip_suffix('s') {
        Some(stem) if name.starts_with("present-") => stem,
        _ => name,
    };
    let near =
        |usage: &Usage| usage.name().is_some_and(|known| distance_one(name, known) || distance_one(singular, known));
    let mut near = usages().filter(near);
    if let (Some(only), None) = (near.next(), near.next()) {
        return Some(only);
    }
    usages()
        .filter(|usage| {
            usage.name().is_some_and(|known| name.strip_prefix(known).is_some_and(|rest| rest.starts_with('-')))
        })
        .max_by_key(|usage| usage.name().map_or(0, str::len))
}

/// Whether one insertion, deletion or substitution makes one text the other.
fn distance_one(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len().abs_diff(b.len()) > 1 || a == b {
        return false;
    }
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let tail = |text: &[u8], skip: usize| text.get(same.saturating_add(skip)..).map(<[u8]>::to_vec);
    match a.len().cmp(&b.len()) {
        std::cmp::Ordering::Equal => tail(a, 1) == tail(b, 1),
        std::cmp::Ordering::Less => tail(a, 0) == tail(b, 1),
        std::cmp::Ordering::Greater => tail(a, 1) == tail(b, 0),
    }
}

/// The name nearest to a misspelt one, for a suggestion.
fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    let near = known.map(|other| (distance(name, other), other)).min()?;
    let far = name.len().checked_div(3).unwrap_or(0).saturating_add(1);
    (near.0 <= far).then(|| near.1.to_owned())
}

/// Edit distance, of the first 64 octets.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<u8>, Vec<u8>) = (a.bytes().take(64).collect(), b.bytes().take(64).collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut last = i;
        let mut left = i.saturating_add(1);
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (y, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let value =
                last.saturating_add(usize::from(x != y)).min(left.saturating_add(1)).min(cell.saturating_add(1));
            last = *cell;
            *cell = value;
            left = value;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::{Manner, read as read_lines};

    fn file(text: &str) -> File {
        let manner = Manner { nul_ends_line: false, cut_overlong: false, acap: true, blanks: false };
        let limits = Limits::default();
        let table = read_lines(text.as_bytes(), &limits, manner);
        read(text.as_bytes(), &table.entries, None, &limits, &mut Problems::unheard())
    }

    fn only(line: &str) -> (Effect, String, String) {
        let file = file(&format!("ACAP-crawler: *\n{line}"));
        assert_eq!(file.statements.len(), 1, "{line}");
        let statement = &file.statements[0];
        let name = file.usage_name(statement.usage).to_owned();
        (statement.effect, name, String::from_utf8_lossy(&statement.pattern).into_owned())
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
        assert_eq!(only("acap-allow-present-links : x"), permits("present-link", "/x"));
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
        let values: Vec<&str> = file.statements[0].restrictions.iter().map(|one| &*one.value).collect();
        assert_eq!(values, ["the-acap:idlist:a, b", "3-days"]);
    }
}
