//! The reader of the ACAP lines of one text: what it knows, and the words that every field has.

use std::collections::HashMap;

use super::field::{Field, field, name_read};
use super::name::Name;
use super::resource::{is_uri, set_name};
use super::value::qualifier_name;
use crate::controls::{ended, is_control};
use crate::file::{File, restriction};
use crate::limits::{self, Limits};
use crate::lines::Entry;
use crate::octets::{canonical_pattern, is_space, unescape};
use crate::places::{Place, Span, around};
use crate::problems::{Code, Problems};
use crate::restrictions::{self, Carrier, Qualifier};
use crate::statement::Effect;
use crate::url::{authority, split_origin};
use crate::usage::{self, Usage};

/// The rest of an absolute URI after its authority.
pub(super) struct Path<'t> {
    pub(super) rest: &'t [u8],
    /// The authority can be read.
    pub(super) is_sure: bool,
}

/// What follows the scheme, its `//` and everything up to a `/`, `?` or `#`; nothing where there is no such `//`, for
/// then nobody can tell where the path begins.
pub(super) fn behind_authority(token: &[u8]) -> &[u8] {
    let from = memchr::memchr(b':', token).map_or(0, |at| at.saturating_add(1));
    let Some(after) = token.get(from..).unwrap_or(&[]).strip_prefix(b"//") else { return &[] };
    let end = memchr::memchr3(b'/', b'?', b'#', after).unwrap_or(after.len());
    after.get(end..).unwrap_or(&[])
}

/// The qualifiers of a field or definition, read.
#[derive(Clone, Debug, Default)]
pub(super) struct Qualifiers {
    /// Those that restrict, as words of the file.
    pub(super) list: Span,
    pub(super) kinds: Vec<Qualifier>,
    /// One of them cannot be interpreted: the permission prohibits (P2 2.2.6).
    pub(super) broken: bool,
    /// One of them is of a later version: the field lifts nothing.
    pub(super) later: bool,
}

/// At most this many parts of a composite are checked for qualifiers that do not apply to them.
pub(super) const PARTS: usize = 64;

/// A definition of a resource set.
pub(super) struct Set {
    pub(super) name: Span,
    /// The place of its line in the table of entries.
    pub(super) entry: u32,
    pub(super) resources: Span,
    /// Patterns whose host cannot be read: a prohibition of the set covers them, a permission does not.
    pub(super) doubted: Span,
    /// Its line had to be guessed; what it says is not counted on.
    pub(super) guessed: bool,
    /// A limit cut it.
    pub(super) cut: bool,
}

/// A definition of a qualified or composite usage.
pub(super) struct Definition {
    pub(super) name: Span,
    pub(super) entry: u32,
    pub(super) composite: bool,
    /// The usage that a qualified usage qualifies, as a place in the text.
    pub(super) base: Span,
    /// That and the next word, as a blank may have divided the name of a usage.
    pub(super) whole: Span,
    pub(super) qualifiers: Span,
    pub(super) broken: bool,
    /// Its line had to be guessed; what it says is not counted on.
    pub(super) guessed: bool,
    /// It uses a feature of a later version: permissions of it lift nothing.
    pub(super) later: bool,
    /// A limit cut it, or a part of it.
    pub(super) cut: bool,
    /// The usages of permissions and of prohibitions of it, once each has been worked out.
    pub(super) permitted: Option<u32>,
    pub(super) prohibited: Option<u32>,
    /// Its problems have been reported.
    pub(super) reported: bool,
}

impl Definition {
    /// Whether its meaning is in doubt.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.broken || self.guessed
    }

    /// The usages worked out for fields of this effect.
    pub(super) fn made(&self, effect: Effect) -> Option<u32> {
        match effect {
            Effect::Permits => self.permitted,
            Effect::Prohibits => self.prohibited,
        }
    }

    pub(super) fn make(&mut self, effect: Effect, made: u32) {
        match effect {
            Effect::Permits => self.permitted = Some(made),
            Effect::Prohibits => self.prohibited = Some(made),
        }
    }
}

impl<'a> Reader<'a> {
    /// A reader that knows the version, the directive and the definitions, which count wherever they stand.
    pub(super) fn new(
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

/// `crawler-name = name-start-char *name-char` (P1 4.5.6)
///
/// The names in the value of a crawler line.
pub(super) fn crawler_words(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| is_space(*byte) || *byte == b',').filter(|word| !word.is_empty())
}

/// The run of lines that a further line of its kind would continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gathering {
    Nothing,
    Crawlers,
    Purposes,
    Fields,
}

pub(super) struct Reader<'a> {
    pub(super) text: &'a [u8],
    pub(super) entries: &'a [Entry],
    pub(super) origin: Option<&'a [u8]>,
    pub(super) limits: &'a Limits,
    pub(super) problems: &'a mut Problems,
    pub(super) file: File,
    /// Sorted by name.
    pub(super) usages: Vec<Definition>,
    /// Sorted by name.
    pub(super) sets: Vec<Set>,
    /// A limit cut the name of a set: it may be any set. The same of a usage.
    pub(super) any_set_cut: bool,
    pub(super) any_usage_cut: bool,
    /// A limit cut the definition of a set, its name or what follows it.
    pub(super) some_set_cut: bool,
    /// The pattern of every resource.
    pub(super) everywhere: Span,
    /// A limit cut the current line.
    pub(super) cut: bool,
    /// The numbers of the usages that the files define themselves.
    pub(super) own: HashMap<Box<str>, Usage>,
    pub(super) most_usages: usize,
    /// Runs of one usage.
    pub(super) singles: HashMap<(Usage, Effect), u32>,
    /// Whether a run of usages contains one that is prohibited or restricted.
    pub(super) speaking: HashMap<u32, bool>,
    /// Runs of several usages that are prohibited.
    pub(super) runs: HashMap<Box<[Usage]>, u32>,
    /// Comparisons of misspelt names that are still allowed.
    pub(super) suggestions: usize,
    /// Comparisons of undefined set names with defined ones that are still allowed.
    pub(super) guesses: usize,
    pub(super) place: Place,
    pub(super) sub_records: usize,
    /// A purpose line of the sub-record had to be guessed: its permissions lift nothing.
    pub(super) sub_guessed: bool,
    pub(super) fields: usize,
    pub(super) sub_fields: usize,
    pub(super) gathering: Gathering,
    pub(super) any_records: usize,
    /// Where the last record and the last purpose line stand.
    pub(super) record_place: Place,
    pub(super) purpose_place: Place,
    /// Where `ACAP-ignore-conventional-records` stands.
    pub(super) ignoring: Option<Place>,
}

impl<'a> Reader<'a> {
    pub(super) fn problem(&mut self, code: Code, words: &[&str]) {
        self.problems.add(code, self.place, words);
    }

    /// The place of a problem of a part of the current line: of what stands from one word to another.
    pub(super) fn place_of(&self, words: [&[u8]; 2]) -> Place {
        let part = around(self.text, words);
        if part.is_empty() { self.place } else { Place { part, ..self.place } }
    }

    /// What some work yields whose problems are of a part of the current line.
    pub(super) fn within<T>(&mut self, words: [&[u8]; 2], work: impl FnOnce(&mut Self) -> T) -> T {
        let line = self.place;
        self.place = self.place_of(words);
        let out = work(self);
        self.place = line;
        out
    }

    /// Whether a URI's host and port are this site's, or the site is unknown; its scheme is ignored.
    pub(super) fn is_ours(&self, origin: &[u8]) -> bool {
        self.origin.is_none_or(|ours| authority(ours) == authority(origin))
    }

    pub(super) fn setting(&self) -> Carrier {
        // Element sets are of version 1.1.
        Carrier { page: false, sets: !self.is_of_old(), others: false }
    }

    /// Whether the file declares version 1.0 or an earlier one; without a version, robots.txt may use all features.
    pub(super) fn is_of_old(&self) -> bool {
        self.file.version.as_ref().is_some_and(|(version, _)| {
            let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
            (parts.next(), parts.next().unwrap_or(0)) <= (Some(1), 0)
        })
    }

    /// The path of an absolute URI; none if it is of another authority. An authority that cannot be read may be ours:
    /// the path counts where it may be prohibited.
    pub(super) fn path_of<'t>(&mut self, token: &'t [u8], may_prohibit: bool) -> Option<Path<'t>> {
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

    /// `resource-path-pattern = relative-part` (P1 4.5.6)
    ///
    /// The canonical pattern of a resource, and whether it is certainly of this site; none if it is empty or of another
    /// authority.
    pub(super) fn resource(&mut self, token: &[u8]) -> Option<(Vec<u8>, bool)> {
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

    /// `qualifier-specification = qualifier-type *WSP "=" *WSP qualifier-value` (P1 4.5.6)
    ///
    /// Each with the first and the last token that it consists of.
    pub(super) fn qualifiers<'t>(&mut self, list: impl Iterator<Item = (&'t [u8], [&'t [u8]; 2])>) -> Qualifiers {
        let line = self.place;
        let setting = self.setting();
        let mut out = Qualifiers::default();
        let (mut any, mut others) = (false, false);
        for (token, ends) in list {
            self.place = line;
            self.place = self.place_of(ends);
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
                Err(restrictions::QualifierError::LaterVersion) => {
                    out.later = true;
                    // A restriction of a later version that is known here holds; one that is not restricts nothing.
                    if let Ok(reading) = restriction(&text, Carrier { sets: true, ..setting }) {
                        out.kinds.push(reading.restriction.qualifier);
                        self.file.add(&mut out.list, text.as_bytes());
                    }
                }
                Err(restrictions::QualifierError::UnknownName) => {
                    self.problem(Code::AcapUnknownQualifier, &[name]);
                    out.broken = true;
                }
                Err(restrictions::QualifierError::BadValue) => {
                    let value = unescape(text.get(name.len().saturating_add(1)..).unwrap_or(""));
                    self.problem(Code::AcapBadValue, &[name, &value]);
                    out.broken = true;
                }
            }
        }
        self.place = line;
        if any && others {
            self.problem(Code::AcapSwallowedModification, &[]);
        }
        out
    }

    /// Reads a line; the effect of a control character in its value depends on its field.
    pub(super) fn entry(&mut self, entry: &Entry) -> Field<'a> {
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
}
