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

use std::collections::{HashMap, HashSet};

pub use crate::file::File;
use crate::file::{Audience, Record, Reference, Request, Span, restriction};
use crate::limits::{self, Limits};
use crate::lines::{Entry, Kind, to_u32, to_usize};
use crate::octets::{canonical_path, canonical_pattern, is_space, leading_name, split_origin, trim};
use crate::problems::{Code, Problems};
use crate::restrictions::{self, Qualifier, Setting};
use crate::statement::{Effect, Statement, Target};
use crate::usage::{self, KNOWN, Usage};

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
        Some(local) if !local.is_empty() && !local.contains(['(', ')']) => {
            About::Local(local.trim_matches('-').to_owned())
        }
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
    // Whether the last token begins as a qualifier does: it grows, and is not looked through again each time.
    let mut qualifies = false;
    for token in value.split(|byte| is_space(*byte)).filter(|token| !token.is_empty()) {
        let last = out.last_mut().filter(|last| !begins_resource(last));
        match last {
            Some(last) if last.last() == Some(&b'=') || token.first() == Some(&b'=') => last.extend_from_slice(token),
            Some(last) if qualifies && last.last() == Some(&b',') => {
                last.push(b' ');
                last.extend_from_slice(token);
                continue;
            }
            _ => {
                out.push(token.to_vec());
                qualifies = false;
            }
        }
        qualifies = qualifies || out.last().is_some_and(|last| qualifier_name(last).is_some());
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
    /// Those that restrict, as words of the file.
    list: Span,
    kinds: Vec<Qualifier>,
    /// One of them cannot be interpreted: the permission prohibits (P2 2.2.6).
    broken: bool,
    /// One of them is of a later version: the field is void.
    later: bool,
}

/// A definition of a resource set.
struct Set {
    name: Span,
    /// The place of its line in the table of entries.
    entry: u32,
    resources: Span,
}

/// A definition of a qualified or composite usage.
struct Local {
    name: Span,
    entry: u32,
    composite: bool,
    /// The usage that a qualified usage qualifies, as written.
    base: Span,
    qualifiers: Span,
    broken: bool,
    /// What permissions and prohibitions of it speak of, each once it has been worked out.
    permitted: Option<u32>,
    prohibited: Option<u32>,
}

/// Reads the ACAP fields of a text. `usages` are the names that files read before have numbered.
pub fn read(
    text: &[u8],
    entries: &[Entry],
    origin: Option<&[u8]>,
    limits: &Limits,
    usages: &[Box<str>],
    problems: &mut Problems,
) -> File {
    let numbered = |(place, name): (usize, &str)| {
        let number = u16::try_from(place.saturating_add(KNOWN.len())).unwrap_or(u16::MAX);
        (name.into(), Usage(number))
    };
    let mut reader = Reader {
        text,
        entries,
        origin,
        limits,
        problems,
        file: File { spans: vec![Span::default()], usages: usages.to_vec(), ..File::default() },
        usages: Vec::new(),
        sets: Vec::new(),
        own: usages.iter().map(|name| &**name).enumerate().map(numbered).collect(),
        singles: HashMap::new(),
        suggestions: limits::SUGGESTIONS,
        place: Place::default(),
        sub_records: 0,
        fields: 0,
        sub_fields: 0,
        gathering: Gathering::Nothing,
        any_records: 0,
    };
    let definitions = reader.survey();
    reader.define(&definitions);
    for entry in entries.iter().filter(|entry| entry.kind == Kind::Acap) {
        reader.place = Place::of(entry);
        reader.field(&field(entry.value(text)));
    }
    reader.beside_references();
    let mut file = reader.file;
    file.statements.shrink_to_fit();
    file.records.shrink_to_fit();
    file.audiences.shrink_to_fit();
    file.store.shrink_to_fit();
    file
}

/// The letter after `ACAP`, by which most fields can be told apart.
fn initial(line: &[u8]) -> u8 {
    let letter = line.iter().skip(4).find(|byte| !is_space(**byte) && **byte != b'-' && byte.is_ascii());
    letter.map_or(0, u8::to_ascii_lowercase)
}

/// The version of a `##ACAP version=n.m` line.
fn commented_version(line: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(line).to_ascii_lowercase();
    let rest = text.strip_prefix("##")?.trim_start().strip_prefix("acap")?.trim_start();
    let rest = rest.strip_prefix("version")?.trim_start().strip_prefix('=')?.trim_start();
    rest.split(|letter: char| letter.is_whitespace() || letter == '#').next().map(str::to_owned)
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
    entries: &'a [Entry],
    origin: Option<&'a [u8]>,
    limits: &'a Limits,
    problems: &'a mut Problems,
    file: File,
    /// Sorted by name.
    usages: Vec<Local>,
    /// Sorted by name.
    sets: Vec<Set>,
    /// The numbers of the usages that only this file knows.
    own: HashMap<Box<str>, Usage>,
    /// Runs of one usage.
    singles: HashMap<(Usage, Effect), u32>,
    /// So many names may still be compared with misspelt ones.
    suggestions: usize,
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
        if self.file.references.is_empty() || !self.problems.heard() {
            return;
        }
        let refers = |audience: u32| {
            let record = self.file.audiences.get(to_usize(audience)).map(|audience| audience.record)?;
            self.file.records.get(to_usize(record)).map(|record| record.refers)
        };
        for statement in &self.file.statements {
            let permits = |target: &Target| self.file.effect(statement, target) == Effect::Permits;
            if refers(statement.audience) == Some(true) && self.file.targets(statement).iter().any(permits) {
                self.problems.add(Code::AcapPermissionBesideReference, statement.line, statement.start, &[]);
            }
        }
    }

    /// Reads what counts wherever it stands: the version and the directive. Returns the places of the definitions.
    fn survey(&mut self) -> Vec<u32> {
        let mut definitions = Vec::new();
        let (mut fields, mut crawlers, mut purposes) = (0usize, 0usize, 0usize);
        for (place, entry) in self.entries.iter().enumerate() {
            self.place = Place::of(entry);
            let value = entry.value(self.text);
            let initial = if entry.kind == Kind::Acap { initial(value) } else { 0 };
            match initial {
                b'a' | b'd' => fields = fields.saturating_add(1),
                b'c' => crawlers = crawlers.saturating_add(1),
                b'u' => purposes = purposes.saturating_add(1),
                _ => {}
            }
            match entry.kind {
                Kind::AcapComment => {
                    if let Some(version) = commented_version(value) {
                        self.version(&version);
                    }
                }
                // Permissions, prohibitions, purposes and references are read later.
                Kind::Acap if !matches!(initial, b'a' | b'd' | b'u' | b'p') => {
                    let field = field(value);
                    match field.name {
                        Name::Version => {
                            let version = String::from_utf8_lossy(field.value);
                            self.version(version.split_whitespace().next().unwrap_or(""));
                        }
                        Name::IgnoreConventional => {
                            self.file.ignore_conventional.get_or_insert(entry.line);
                        }
                        Name::QualifiedUsage | Name::CompositeUsage | Name::ResourceSet => {
                            definitions.push(to_u32(place));
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        // Room at once, so that no table has to be moved.
        self.file.statements.reserve_exact(fields);
        self.file.records.reserve_exact(crawlers);
        self.file.audiences.reserve_exact(crawlers.saturating_add(purposes));
        definitions
    }

    fn version(&mut self, version: &str) {
        let sound = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !version.split('.').all(sound) {
            return;
        }
        if self.file.version.is_some() {
            self.problem(Code::AcapSecondVersion, &[version]);
        } else {
            self.file.version = Some((version.into(), self.place.line));
        }
    }

    /// Reads the definitions; the first of a name stands.
    fn define(&mut self, definitions: &[u32]) {
        let entries = self.entries;
        let mut sets: Vec<Set> = Vec::new();
        let mut usages: Vec<Local> = Vec::new();
        for number in definitions {
            let Some(entry) = entries.get(to_usize(*number)) else { continue };
            self.place = Place::of(entry);
            let field = field(entry.value(self.text));
            let all = tokens(field.value);
            let mut rest = all.iter();
            let name = rest.next().map(|name| String::from_utf8_lossy(name).to_ascii_lowercase()).unwrap_or_default();
            if name.is_empty() || rest.len() == 0 {
                self.problem(Code::AcapBadDefinition, &[]);
                continue;
            }
            let name = self.file.keep(name.as_bytes());
            if field.name == Name::ResourceSet {
                let mut resources = Span::default();
                for token in rest {
                    if let Some(pattern) = self.resource(token) {
                        self.file.add(&mut resources, &pattern);
                    }
                }
                sets.push(Set { name, entry: *number, resources });
                continue;
            }
            let composite = field.name == Name::CompositeUsage;
            let mut own = Qualifiers::default();
            let mut base = Span::default();
            if !composite {
                base = self.file.keep(rest.next().map_or(&[][..], Vec::as_slice));
                own = self.qualifiers(rest.map(Vec::as_slice));
                if own.later {
                    let name = self.file.word(name).to_owned();
                    self.problem(Code::AcapLaterVersion, &[&name]);
                    continue;
                }
            }
            let Qualifiers { list: qualifiers, broken, .. } = own;
            let (permitted, prohibited) = (None, None);
            usages.push(Local { name, entry: *number, composite, base, qualifiers, broken, permitted, prohibited });
        }
        self.sets = self.standing(sets, |set| (set.name, set.entry));
        self.usages = self.standing(usages, |usage| (usage.name, usage.entry));
    }

    /// The first definition of each name, sorted by name.
    fn standing<T>(&mut self, mut list: Vec<T>, of: impl Fn(&T) -> (Span, u32)) -> Vec<T> {
        let name = |one: &T| self.file.octets(of(one).0);
        list.sort_unstable_by(|a, b| name(a).cmp(name(b)).then(of(a).1.cmp(&of(b).1)));
        let mut more = Vec::new();
        list.dedup_by(|later, earlier| {
            let same = name(later) == name(earlier);
            if same {
                more.push(of(later));
            }
            same
        });
        for (name, entry) in more {
            let Some(entry) = self.entries.get(to_usize(entry)) else { continue };
            self.place = Place::of(entry);
            let name = self.file.word(name).to_owned();
            self.problem(Code::AcapDuplicateDefinition, &[&name]);
        }
        list
    }

    /// The place of a set's definition.
    fn set(&self, name: &str) -> Option<usize> {
        self.sets.binary_search_by(|set| self.file.octets(set.name).cmp(name.as_bytes())).ok()
    }

    /// The place of a local usage's definition.
    fn local(&self, name: &str) -> Option<usize> {
        self.usages.binary_search_by(|usage| self.file.octets(usage.name).cmp(name.as_bytes())).ok()
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
            match restriction(&text, setting) {
                Ok(reading) => {
                    if reading.older {
                        self.problem(Code::AcapOlderWord, &[&text, reading.restriction.name()]);
                    }
                    out.kinds.push(reading.restriction.qualifier);
                    self.file.add(&mut out.list, text.as_bytes());
                }
                Err(restrictions::Refusal::LaterVersion) => out.later = true,
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
        // A crawler line after something else begins a record.
        let begins = self.gathering != Gathering::Crawlers;
        let mut record = match self.file.records.last().copied() {
            Some(record) if !begins => record,
            _ => Record { line: self.place.line, ..Record::default() },
        };
        let before = record;
        let (mut any, mut named) = (false, false);
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
                named = true;
                self.file.add(&mut record.names, name);
            }
        }
        record.any |= any;
        if count == 0 {
            self.problem(Code::AcapNoCrawler, &[]);
        }
        if count > 1 {
            self.problem(Code::AcapSeveralCrawlers, &[]);
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

    fn record(&self) -> u32 {
        to_u32(self.file.records.len().saturating_sub(1))
    }

    fn audience(&mut self) {
        let record = self.record();
        self.file.audiences.push(Audience { record, purposeless: true, purposes: Span::default() });
        self.sub_fields = 0;
    }

    fn purpose(&mut self, value: &[u8]) {
        let text = String::from_utf8_lossy(value);
        if text.trim().is_empty() {
            self.problem(Code::AcapEmptyPurpose, &[]);
            // It names nothing, and yet a crawler line after it begins another record.
            self.end_crawlers();
            return;
        }
        let text = text.trim();
        let begins = self.gathering != Gathering::Purposes;
        if begins {
            self.audience();
            self.sub_records = self.sub_records.saturating_add(1);
            self.gathering = Gathering::Purposes;
        }
        let Some(mut audience) = self.file.audiences.last().copied() else { return };
        self.file.add(&mut audience.purposes, text.as_bytes());
        audience.purposeless = text == "*" || (audience.purposeless && !begins);
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
        self.file.references.push(Reference { uri: uri.into(), record, line, start });
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
        let path = self.file.keep(&canonical_path(rest));
        let written = self.file.keep(text.as_bytes());
        let (record, Place { line, start }) = (self.record(), self.place);
        self.file.requests.push(Request { take_down, record, line, start, path, written });
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
        let resources = self.resources(&resources);
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
        let Some(targets) = self.targets(about, effect) else { return };
        let effect = if qualifiers.broken { Effect::Prohibits } else { effect };
        let audience = to_u32(self.file.audiences.len().saturating_sub(1));
        let Place { line, start } = self.place;
        let mut statement =
            Statement { effect, beyond, targets, qualifiers: 0, resources: Span::default(), audience, line, start };
        if effect == Effect::Permits {
            statement.qualifiers = self.span(qualifiers.list);
            self.misplaced(&statement, &qualifiers.kinds);
            let speaks = |target: &Target| target.effect == Effect::Prohibits || !target.qualifiers.is_empty();
            if beyond && qualifiers.list.is_empty() && !self.file.targets(&statement).iter().any(speaks) {
                return;
            }
        }
        let some = resources.into_iter().filter(|resources| !resources.is_empty());
        self.file.statements.extend(some.map(|resources| Statement { resources, ..statement }));
    }

    /// The place of a span in the table of spans.
    fn span(&mut self, span: Span) -> u32 {
        if span.is_empty() {
            return 0;
        }
        self.file.spans.push(span);
        to_u32(self.file.spans.len().saturating_sub(1))
    }

    /// Names a qualifier that is not for the usage it stands at, for each usage.
    fn misplaced(&mut self, statement: &Statement, kinds: &[Qualifier]) {
        /// Of a composite so many parts are looked at.
        const PARTS: usize = 64;
        if !self.problems.heard() {
            return;
        }
        for target in self.file.targets(statement).iter().take(PARTS).copied().collect::<Vec<_>>() {
            if target.effect == Effect::Prohibits {
                continue;
            }
            let own = self.file.read_qualifiers(target.qualifiers);
            let mut all = own.iter().map(|restriction| restriction.qualifier).chain(kinds.iter().copied());
            if let Some(qualifier) = all.find(|qualifier| !restrictions::in_column(*qualifier, target.usage)) {
                let usage = self.file.usage_name(target.usage).to_owned();
                self.problem(Code::AcapMisplacedQualifier, &[qualifier.name(), &usage]);
            }
        }
    }

    /// Lists of patterns: that of the field itself, and that of each set it names.
    fn resources(&mut self, tokens: &[&[u8]]) -> Vec<Span> {
        if tokens.is_empty() {
            self.problem(Code::AcapEmptyResource, &[]);
        }
        let mut out = Vec::new();
        let mut own = Span::default();
        for token in tokens {
            match set_name(token) {
                Some(name) => match self.set(&name).and_then(|place| self.sets.get(place)) {
                    Some(set) => out.push(set.resources),
                    None => {
                        let near = self.nearest(&name, |reader, place| reader.sets.get(place).map(|set| set.name));
                        self.problem(Code::AcapUndefinedSet, &[&name, &near]);
                    }
                },
                None => {
                    if let Some(pattern) = self.resource(token) {
                        self.file.add(&mut own, &pattern);
                    }
                }
            }
        }
        out.push(own);
        out
    }

    /// The usages that a field of this effect speaks of, as a place in the table of spans; none if it is void.
    fn targets(&mut self, about: &About, effect: Effect) -> Option<u32> {
        let About::Local(name) = about else {
            let usage = self.usage(about, effect)?;
            return Some(self.single(usage, effect));
        };
        let Some((place, local)) = self.local(name).and_then(|place| Some((place, self.usages.get(place)?))) else {
            let near = self.nearest(name, |reader, place| reader.usages.get(place).map(|usage| usage.name));
            self.problem(Code::AcapUndefinedUsage, &[name, &near]);
            // We cannot tell what should have been limited (our choice).
            return Some(self.single(usage::OTHER, Effect::Prohibits));
        };
        let known = if effect == Effect::Permits { local.permitted } else { local.prohibited };
        let (entry, composite) = (local.entry, local.composite);
        if effect == Effect::Prohibits {
            self.problem(Code::AcapProhibitedLocalUsage, &[name]);
        }
        if known.is_some() {
            return known.filter(|made| *made > 0);
        }
        let start = to_u32(self.file.targets.len());
        if composite {
            let value = self.entries.get(to_usize(entry)).map_or(&[][..], |entry| entry.value(self.text));
            let mut seen: HashSet<Target> = HashSet::new();
            for token in tokens(field(value).value).iter().skip(1) {
                let target = self.part(token, name, effect).filter(|target| seen.insert(*target));
                self.file.targets.extend(target);
            }
        } else {
            let target = self.qualified(place, effect);
            self.file.targets.extend(target);
        }
        let len = to_u32(self.file.targets.len()).saturating_sub(start);
        let made = self.span(Span { start, len });
        if let Some(local) = self.usages.get_mut(place) {
            match effect {
                Effect::Permits => local.permitted = Some(made),
                Effect::Prohibits => local.prohibited = Some(made),
            }
        }
        // The first span is empty: every part is void.
        (made > 0).then_some(made)
    }

    /// A run of one usage.
    fn single(&mut self, usage: Usage, effect: Effect) -> u32 {
        if let Some(made) = self.singles.get(&(usage, effect)) {
            return *made;
        }
        let start = to_u32(self.file.targets.len());
        self.file.targets.push(Target { usage, effect, qualifiers: Span::default() });
        let made = self.span(Span { start, len: 1 });
        self.singles.insert((usage, effect), made);
        made
    }

    /// The usage that a qualified usage defines.
    fn qualified(&mut self, place: usize, effect: Effect) -> Option<Target> {
        // What cannot be interpreted prohibits, and a prohibition's unknown name is read as a known one near it.
        let base = constituent(self.file.octets(self.usages.get(place)?.base));
        let usage = self.usage(&base, effect)?;
        let local = self.usages.get(place)?;
        if effect == Effect::Prohibits || local.broken {
            return Some(Target { usage, effect: Effect::Prohibits, qualifiers: Span::default() });
        }
        Some(Target { usage, effect, qualifiers: local.qualifiers })
    }

    /// The usage that a constituent of a composite stands for; none if it is void.
    fn part(&mut self, token: &[u8], composite: &str, effect: Effect) -> Option<Target> {
        let part = constituent(token);
        let named = match &part {
            About::Local(name) | About::Unknown(name) => self.local(name),
            _ => None,
        };
        let is_qualified = |place: &usize| self.usages.get(*place).is_some_and(|local| !local.composite);
        match (&part, named.filter(is_qualified)) {
            (_, Some(place)) => self.qualified(place, effect),
            (About::Local(name), None) => {
                self.problem(Code::AcapVoidConstituent, &[name, composite]);
                None
            }
            _ => {
                let usage = self.usage(&part, effect)?;
                Some(Target { usage, effect, qualifiers: Span::default() })
            }
        }
    }

    /// The usage a field speaks of; an unknown one is read as section 5 of the semantics says. None if a file makes up
    /// more than the limit: a permission of one more permits nothing.
    fn usage(&mut self, about: &About, effect: Effect) -> Option<Usage> {
        let name = match about {
            About::Known(usage) => return Some(*usage),
            About::Plural(usage) => {
                self.problem(Code::AcapPlural, &[usage.name().unwrap_or("")]);
                return Some(*usage);
            }
            About::Unknown(name) | About::Local(name) => name,
        };
        if effect == Effect::Prohibits
            && let Some(usage) = guess(name)
        {
            self.problem(Code::AcapGuessedUsage, &[name, usage.name().unwrap_or("")]);
            return Some(usage);
        }
        if self.problems.heard() {
            let near = nearest(name, KNOWN.iter().map(|(known, _)| *known)).unwrap_or_default();
            self.problem(Code::AcapUnknownUsage, &[name, &near]);
        }
        if let Some(usage) = self.own.get(name.as_str()) {
            return Some(*usage);
        }
        let number = self.file.usages.len();
        if number >= limits::USAGES {
            self.file.too_much = true;
            self.problem(Code::AcapTooMuch, &[]);
            return (effect == Effect::Prohibits).then_some(usage::OTHER);
        }
        let usage = Usage(u16::try_from(number.saturating_add(KNOWN.len())).unwrap_or(u16::MAX));
        self.file.usages.push(name.as_str().into());
        self.own.insert(name.as_str().into(), usage);
        Some(usage)
    }

    /// The defined name nearest to a misspelt one, for a suggestion.
    fn nearest(&mut self, name: &str, defined: impl Fn(&Self, usize) -> Option<Span>) -> String {
        if !self.problems.heard() {
            return String::new();
        }
        let names = (0..self.suggestions).map_while(|place| Some(self.file.word(defined(self, place)?)));
        let mut looked = 0usize;
        let near = nearest(name, names.inspect(|_| looked = looked.saturating_add(1))).unwrap_or_default();
        self.suggestions = self.suggestions.saturating_sub(looked);
        near
    }
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
    if a == b || a.len().abs_diff(b.len()) > char::MAX.len_utf8() {
        return false;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let same = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let tail = |text: &[char], skip: usize| text.get(same.saturating_add(skip)..).map(<[char]>::to_vec);
    match (a.len(), b.len()) {
        (x, y) if x == y => tail(&a, 1) == tail(&b, 1),
        (x, y) if x.saturating_add(1) == y => tail(&a, 0) == tail(&b, 1),
        (x, y) if x == y.saturating_add(1) => tail(&a, 1) == tail(&b, 0),
        _ => false,
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
        let statement = &file.statements[0];
        let restrictions = file.restrictions(statement, &file.targets(statement)[0]);
        let values: Vec<&str> = restrictions.iter().map(|one| &*one.value).collect();
        assert_eq!(values, ["the-acap:idlist:a, b", "3-days"]);
    }
}
