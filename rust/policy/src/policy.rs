//! A policy: the octets of one robots.txt, and the tables read from them.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use crate::acap;
use crate::dialect::Dialect;
use crate::document::{Unreadable, is_told, unreadable, unreadable_as};
use crate::fields::{Kind, Manner};
use crate::file::File;
use crate::limits::{FILE_OCTETS_MOST, Limits};
use crate::lines::{self, Table};
use crate::places::{to_u32, to_usize};
use crate::problems::Problems;
use crate::statement::{Effect, Statement};
use crate::text::{Decoded, decode};
use crate::url::split_origin;
use crate::usage::{self, ANY, COMPOSITES, KNOWN, OTHER, Usage, made_up};

/// Whether there was a robots.txt to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Present,
    /// No instructions, as after a 404 (RFC 9309 2.3.1.3).
    Absent,
    /// Complete disallow, as after a 503 (RFC 9309 2.3.1.4).
    Unreachable,
}

/// The document of a reference; without octets its retrieval failed, which prohibits.
#[derive(Debug)]
pub struct Supplied {
    pub uri: Box<str>,
    pub octets: Option<Arc<[u8]>>,
    pub text: Arc<[u8]>,
    /// The records found; none if the resource cannot be read as permissions.
    pub file: Option<File>,
}

/// What most policies do not have.
#[derive(Clone, Debug, Default)]
struct Rare {
    /// The text, where it differs from the octets: decoded from UTF-16, or without a false mark of UTF-16.
    decoded: Option<Decoded>,
    limits: Option<Limits>,
    unreadable: Option<Unreadable>,
    /// The origin, where the URL does not begin with it.
    origin: Option<Box<[u8]>>,
    supplied: Vec<Arc<Supplied>>,
}

impl Rare {
    /// Nothing, where there is none of it.
    fn boxed(self) -> Option<Box<Self>> {
        let Self { decoded, limits, unreadable, origin, supplied } = &self;
        let has = decoded.is_some() || limits.is_some() || unreadable.is_some() || origin.is_some();
        (has || !supplied.is_empty()).then(|| Box::new(self))
    }
}

/// One robots.txt, read; a copy shares what was read. All that most files do not have is one word here.
#[derive(Clone, Debug)]
pub struct Policy {
    pub octets: Arc<[u8]>,
    pub dialect: Dialect,
    pub url: Option<Box<str>>,
    /// So many octets of the URL are its origin; none if that is written in another way, or there is none.
    origin_octets: u32,
    pub state: State,
    /// The file has more octets than the limit.
    too_large: bool,
    pub table: Arc<Table>,
    pub acap: Option<Arc<File>>,
    rare: Option<Box<Rare>>,
}

/// The limits given, or those of the dialect.
fn in_force(limits: Option<&Limits>, dialect: Dialect) -> Cow<'_, Limits> {
    match limits {
        // The widely used matcher has no limit but its line buffer, the last octet of which is the NUL.
        _ if dialect.as_it_comes => Cow::Owned(Limits {
            file_octets: usize::MAX,
            line_octets: crate::limits::LINE_OCTETS.saturating_sub(1),
            ..Limits::default()
        }),
        Some(limits) => Cow::Borrowed(limits),
        None => Cow::Owned(Limits::default()),
    }
}

/// Whether a name may mean any usage, as a limit cut its definition.
fn is_any(parts: &[acap::Part]) -> bool {
    parts.iter().any(|(name, ..)| ANY.name() == Some(name))
}

impl Policy {
    /// Reads octets. Never fails: any octets give a policy.
    pub fn read(octets: Arc<[u8]>, url: Option<&str>, dialect: Dialect, limits: Option<Limits>) -> Self {
        let given = in_force(limits.as_ref(), dialect);
        let decoded = if dialect.as_it_comes { None } else { decode(&octets, &given) };
        let too_large = octets.len() > given.octets_read();
        let text = decoded.as_ref().map_or(&*octets, |decoded| &decoded.text);
        let given = match decoded {
            // The limit counts octets of the file.
            Some(_) => Cow::Owned(Limits { file_octets: FILE_OCTETS_MOST, ..given.into_owned() }),
            None => given,
        };
        let mut table = lines::read(text, &given, dialect.manner);
        // Of octets that are no text nobody knows what they say.
        let judged = !too_large && !dialect.as_it_comes;
        let unreadable = judged.then(|| unreadable_as(&octets, text, table.holds)).flatten();
        if table.cut_names && dialect.versions.are_read() {
            // Who is addressed decides which of its readings a record has, and which signals apply.
            let by_agent = (dialect.vocabularies && (table.signals || table.licensed))
                || table.entries.iter().any(|entry| entry.kind == Kind::RobotVersion);
            let cut = table.entries.iter().position(|entry| entry.kind == Kind::Agent && entry.is_cut());
            table.torn = table.torn.or(cut.filter(|_| by_agent).map(to_u32));
        }
        let origin = url.and_then(|url| split_origin(url.as_bytes())).map(|(origin, _)| origin.into_boxed_slice());
        let as_written = |origin: &[u8]| url.is_some_and(|url| url.as_bytes().starts_with(origin));
        let origin_octets =
            origin.as_deref().filter(|origin| as_written(origin)).map_or(0, |origin| to_u32(origin.len()));
        let acap = table.acap.then(|| {
            Arc::new(acap::read(text, &table.entries, origin.as_deref(), &given, &[], &mut Problems::ignored()))
        });
        Self {
            too_large,
            dialect,
            url: url.map(Into::into),
            origin_octets,
            state: State::Present,
            table: Arc::new(table),
            acap,
            rare: Rare {
                decoded,
                limits,
                unreadable,
                origin: origin.filter(|_| origin_octets == 0),
                supplied: Vec::new(),
            }
            .boxed(),
            octets,
        }
    }

    /// The policy of a missing or unreachable robots.txt.
    pub fn without(url: Option<&str>, dialect: Dialect, state: State) -> Self {
        let mut policy = Self::read(Arc::from(&[][..]), url, dialect, None);
        policy.state = state;
        policy
    }

    /// The statement at a place.
    pub fn statement(&self, file: u32, place: u32) -> Option<&Statement> {
        self.file(file)?.statements.get(to_usize(place))
    }

    /// An ACAP file: 0 is the policy's own, then come the references in their order.
    pub fn file(&self, number: u32) -> Option<&File> {
        match to_usize(number).checked_sub(1) {
            None => self.acap.as_deref(),
            Some(place) => self.supplied().get(place)?.file.as_ref(),
        }
    }

    /// The documents of references, in the order in which they were supplied.
    pub fn supplied(&self) -> &[Arc<Supplied>] {
        self.rare.as_ref().map_or(&[], |rare| &rare.supplied)
    }

    /// The text that spans refer to.
    #[inline]
    pub fn text(&self) -> &[u8] {
        self.decoded().map_or(&*self.octets, |decoded| &*decoded.text)
    }

    #[inline]
    fn decoded(&self) -> Option<&Decoded> {
        self.rare.as_ref()?.decoded.as_ref()
    }

    /// Scheme, host and port of its URL, in one comparable form; none if it has none.
    #[inline]
    pub fn origin(&self) -> Option<&[u8]> {
        if self.origin_octets > 0 {
            return self.url.as_ref()?.as_bytes().get(..to_usize(self.origin_octets));
        }
        self.rare.as_ref()?.origin.as_deref()
    }

    /// The limits that it was read under, if they are not those of the dialect.
    pub fn limits_given(&self) -> Option<&Limits> {
        self.rare.as_ref()?.limits.as_ref()
    }

    /// Whether the text differs from the octets.
    pub fn is_decoded(&self) -> bool {
        self.decoded().is_some()
    }

    /// Whether the file begins with a mark of UTF-16, but is not UTF-16.
    pub(crate) fn has_false_mark(&self) -> bool {
        self.decoded().is_some_and(|decoded| decoded.false_mark)
    }

    /// The kind of the octets, if they are not text, and so may state anything.
    pub fn unreadable(&self) -> Option<Unreadable> {
        self.rare.as_ref()?.unreadable
    }

    /// Whether a line of the octets has a field of a robots.txt, or all are comments and blank lines.
    pub(crate) fn is_told(&self) -> bool {
        // Of a text without odd octets any User-agent line is such a line.
        let Table { entries, holds, .. } = &*self.table;
        let is_plain = holds.ascii && !holds.odd && !self.is_decoded();
        (is_plain && entries.iter().any(|entry| entry.kind == Kind::Agent)) || is_told(&self.octets)
    }

    /// Whether the file has more octets than the limit.
    pub(crate) fn is_too_large(&self) -> bool {
        self.too_large
    }

    /// The limits in force.
    pub fn limits(&self) -> Limits {
        in_force(self.limits_given(), self.dialect).into_owned()
    }

    /// Whether `ACAP-ignore-conventional-records` puts the conventional lines aside.
    pub(crate) fn ignores_rep(&self) -> bool {
        self.acap.as_ref().is_some_and(|file| file.ignore_conventional.is_some())
    }

    /// How the lines of this policy are taken apart.
    pub fn line_manner(&self) -> Manner {
        self.dialect.manner
    }

    /// The names of the local usages that the text defines.
    pub fn local_usages(&self) -> Vec<String> {
        match self.acap {
            Some(_) => acap::local_usages(self.text(), &self.table.entries, &self.limits()),
            None => Vec::new(),
        }
    }

    /// The meanings of local usages that pages name (section 7).
    pub fn locals(&self, names: &[(String, Effect)]) -> Vec<acap::Local> {
        let each = |local: acap::Local| {
            if !is_any(&local.parts) {
                return local;
            }
            let uses = KNOWN.iter().filter(|row| row.above.is_none());
            let parts = uses.map(|row| (row.name.to_owned(), Effect::Prohibits, Vec::new())).collect();
            acap::Local { parts, ..local }
        };
        self.defined(names).into_iter().map(each).collect()
    }

    fn defined(&self, names: &[(String, Effect)]) -> Vec<acap::Local> {
        acap::locals(self.text(), &self.table.entries, &self.limits(), names)
    }

    /// The usages of a name that the text defines, for questions on that name; none if it defines no such name, or if
    /// no constituent has an effect. An unknown constituent counts as `other`. A definition that a limit cut may mean
    /// every usage, and is prohibited ([`ANY`]).
    pub fn parts_of(&self, name: &str) -> Option<Vec<Usage>> {
        self.acap.as_ref()?;
        let found = self.defined(&[(name.to_owned(), Effect::Permits)]).into_iter().next();
        let found = found.filter(|local| local.certain && local.defined)?.parts;
        if is_any(&found) {
            return Some(vec![ANY]);
        }
        let mut parts = Vec::new();
        for (name, effect, _) in found {
            if let Some((_, known)) = COMPOSITES.iter().find(|(known, _)| *known == name) {
                parts.extend_from_slice(known);
                continue;
            }
            let part = Usage::known(&name).or_else(|| self.usage(&name)).unwrap_or(OTHER);
            parts.push(part);
            if effect == Effect::Prohibits {
                // The definition cannot be interpreted: every usage it may mean is asked.
                parts.extend(usage::known().filter(|below| part.covers(*below)));
            }
        }
        let mut seen = HashSet::new();
        parts.retain(|part| seen.insert(*part));
        (!parts.is_empty()).then_some(parts)
    }

    /// Whether a limit cut something that may have stated anything, or the file cannot be read: everything is
    /// prohibited then.
    #[inline]
    pub(crate) fn in_doubt(&self) -> bool {
        self.too_large || self.unreadable().is_some() || self.table.torn.is_some()
    }

    /// Whether a part is unread: a limit cut something, or the file is not text.
    pub fn truncated(&self) -> bool {
        self.unreadable().is_some() || self.is_cut()
    }

    /// Whether a limit cut something.
    pub fn is_cut(&self) -> bool {
        self.too_large || self.table.overlong || self.acap.as_ref().is_some_and(|file| file.too_much)
    }

    /// The same policy with signals read by the letter, or not.
    pub fn reading(&self, by_letter: bool) -> Self {
        Self { dialect: self.dialect.reading(by_letter), ..self.clone() }
    }

    /// The same policy with the document of a reference, or with a note that it could not be retrieved.
    pub fn with_reference(&self, uri: &str, octets: Option<Arc<[u8]>>) -> Self {
        let mut policy = self.clone();
        policy.rare.get_or_insert_default().supplied.retain(|one| &*one.uri != uri);
        let limits = policy.limits();
        let text: Arc<[u8]> = match &octets {
            Some(octets) => decode(octets, &limits).map_or_else(|| octets.clone(), |decoded| decoded.text),
            None => Arc::from(&[][..]),
        };
        // Nothing is certain in a file that is beyond the limit, or not text.
        let whole =
            octets.as_ref().is_some_and(|octets| octets.len() <= limits.octets_read() && unreadable(octets).is_none());
        let file = whole.then(|| policy.referenced(&text)).flatten();
        let supplied = Arc::new(Supplied { uri: uri.into(), octets, text, file });
        policy.rare.get_or_insert_default().supplied.push(supplied);
        policy
    }

    /// The ACAP files: the policy's own, and those of its references.
    pub(crate) fn files(&self) -> impl Iterator<Item = &File> {
        self.acap.as_deref().into_iter().chain(self.supplied().iter().filter_map(|one| one.file.as_ref()))
    }

    /// The names of usages that these files define themselves, in the order of their numbers.
    pub fn usages(&self) -> &[Box<str>] {
        // Each file begins with the names of the files that were read before it, in their order.
        self.files().map(|file| file.usages.as_slice()).max_by_key(|names| names.len()).unwrap_or(&[])
    }

    /// The usage of this lower-case name, if these files define it themselves and a statement is on it.
    pub fn usage(&self, name: &str) -> Option<Usage> {
        let usage = made_up(self.usages().iter().position(|held| &**held == name)?)?;
        self.files().any(|file| file.speaks_of(usage)).then_some(usage)
    }

    /// The name of a usage, known or of these files.
    pub fn usage_name(&self, usage: Usage) -> &str {
        let place = usize::from(usage.0).saturating_sub(KNOWN.len());
        usage.name().or_else(|| self.usages().get(place).map(|name| &**name)).unwrap_or("")
    }

    /// Reads the document of a reference: only its ACAP records, and only if it is text other than XML.
    fn referenced(&self, text: &[u8]) -> Option<File> {
        let start = lines::skip_mark(text);
        let body = text.get(start..).unwrap_or(&[]);
        if body.trim_ascii_start().first() == Some(&b'<') {
            return None;
        }
        let limits = self.limits();
        let limits = Limits { file_octets: FILE_OCTETS_MOST, ..limits };
        let table = lines::read(text, &limits, Dialect::AUTO.manner);
        if table.torn.is_some() {
            return None;
        }
        // Patterns apply to the referring site.
        let usages = self.usages();
        let file = acap::read(text, &table.entries, self.origin(), &limits, usages, &mut Problems::ignored());
        (!file.records.is_empty()).then_some(file)
    }

    /// Octets held, the text included, and what was supplied.
    pub fn memory(&self) -> usize {
        let entries = self.table.entries.len().saturating_mul(size_of::<lines::Entry>());
        let decoded = self.decoded().map_or(0, |decoded| decoded.text.len());
        let supplied =
            self.supplied().iter().flat_map(|one| [one.octets.as_ref().map_or(0, |it| it.len()), one.text.len()]);
        let files = self.files().map(File::memory);
        supplied
            .chain(files)
            .chain([self.octets.len(), entries, decoded])
            .fold(size_of::<Self>(), usize::saturating_add)
    }
}
