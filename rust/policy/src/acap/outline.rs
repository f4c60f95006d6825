//! The parts of each ACAP line, with their places, for tools that show or fix a file: the same reader, taking notes.

use std::iter::{once, repeat};
use std::ops::Range;

use super::field::Field;
use super::name::{FIELDS, Name, normal_text};
use super::reader::{Reader, crawler_words};
use super::value::{Value, blanked, pieces};
use crate::fields::Kind;
use crate::file::File;
use crate::limits::Limits;
use crate::lines::Entry;
use crate::places::{span, to_u32};
use crate::problems::Problems;
use crate::statement::Effect;

/// The role of a word in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Crawler,
    Purpose,
    /// The name that a definition defines.
    Name,
    Usage,
    Resource,
    Qualifier,
    /// The reference to the permissions of a record.
    Uri,
    Version,
}

/// The parts of an ACAP line; all places are octets of the text.
#[derive(Clone, Debug)]
pub(crate) struct Noted {
    /// The known name of the field without `acap-`: `disallow-index`, `allow-(q)`; none for an unknown field.
    pub field: Option<String>,
    /// The name that a definition defines, as names are compared.
    pub defines: Option<String>,
    /// The name had to be guessed.
    pub guessed: bool,
    pub name: Range<usize>,
    pub value: Range<usize>,
    /// The words in the order of the text. A resource that a comma divides is listed as a whole and in parts.
    pub words: Vec<(Role, Range<usize>)>,
    /// The number of its record, and of the part of it, both from 0: the part before the first purpose line is 0, then
    /// comes each sub-record.
    pub record: Option<(u32, u32)>,
}

/// Every ACAP field of a text, in order, with the place of its line among the entries.
pub(crate) fn outline(text: &[u8], entries: &[Entry], limits: &Limits) -> Vec<(usize, Noted)> {
    let mut problems = Problems::ignored();
    let mut reader = Reader::new(text, entries, None, limits, &[], &mut problems);
    let mut out = Vec::new();
    let (mut records, mut first) = (0, 0);
    for (place, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.kind == Kind::Acap) {
        reader.place = entry.place();
        let field = reader.entry(entry);
        let File { records: all, audiences, .. } = &reader.file;
        if records < all.len() {
            (records, first) = (all.len(), audiences.len());
        }
        let within = (to_u32(records.saturating_sub(1)), to_u32(audiences.len().saturating_sub(first)));
        let belongs = records > 0 && field.name.belongs();
        out.push((place, reader.noted(&field, belongs.then_some(within))));
    }
    out
}

impl Reader<'_> {
    /// The notes on the line that was read last.
    fn noted(&self, field: &Field<'_>, record: Option<(u32, u32)>) -> Noted {
        let span = |part: &[u8]| span(self.text, part);
        let mut words: Vec<(Role, Range<usize>)> = field
            .words()
            .into_iter()
            .filter(|(_, [first, _])| !first.is_empty())
            .map(|(role, [first, last])| (role, span(first).start..span(last).end))
            .collect();
        words.sort_by_key(|(_, span)| (span.start, span.end));
        words.dedup();
        Noted {
            defines: field.defines(),
            field: field.name.written(),
            guessed: field.slipped,
            name: span(field.head),
            value: span(field.value),
            words,
            record,
        }
    }
}

impl Name {
    /// The name as it is spelt, without `acap-`.
    fn written(&self) -> Option<String> {
        match self {
            Self::Allow(about) => Some(about.prohibition().split_off("dis".len())),
            Self::Disallow(about) => Some(about.prohibition()),
            Self::Unknown => None,
            other => FIELDS.iter().find(|(_, _, name)| name == other).map(|(name, _, _)| (*name).to_owned()),
        }
    }

    /// Whether a line of this field belongs to the record that it stands in.
    fn belongs(&self) -> bool {
        match self {
            Self::Crawler | Self::Purpose | Self::Allow(_) | Self::Disallow(_) | Self::Reference => true,
            Self::Request { .. } => true,
            Self::QualifiedUsage | Self::CompositeUsage | Self::ResourceSet => false,
            Self::IgnoreConventional | Self::Version | Self::Unknown => false,
        }
    }
}

impl<'t> Field<'t> {
    /// The words of the value: the role of each, and the first and the last token that it consists of.
    fn words(&self) -> Vec<(Role, [&'t [u8]; 2])> {
        let value = self.value;
        // Blanks around a `=` belong to what it makes, but for the name that stands before.
        let all = |roles: [Role; 3]| {
            let [name, first, more] = roles;
            let mut tokens = blanked(value);
            let named = tokens.next().map(|token| (name, [token; 2]));
            let rest = pieces(tokens).into_iter().zip(once(first).chain(repeat(more)));
            named.into_iter().chain(rest.map(|(piece, role)| (role, piece.ends))).collect()
        };
        match &self.name {
            Name::Allow(_) => self.terms(Effect::Permits),
            Name::Disallow(_) => self.terms(Effect::Prohibits),
            Name::Crawler => crawler_words(value).map(|word| (Role::Crawler, [word; 2])).collect(),
            Name::Purpose => vec![(Role::Purpose, [value.trim_ascii(); 2])],
            Name::Reference => vec![(Role::Uri, [value; 2])],
            Name::ResourceSet => all([Role::Name, Role::Resource, Role::Resource]),
            Name::CompositeUsage => all([Role::Name, Role::Usage, Role::Usage]),
            Name::QualifiedUsage => all([Role::Name, Role::Usage, Role::Qualifier]),
            Name::Request { .. } => blanked(value).take(1).map(|word| (Role::Resource, [word; 2])).collect(),
            Name::Version => blanked(value).take(1).map(|word| (Role::Version, [word; 2])).collect(),
            Name::IgnoreConventional | Name::Unknown => Vec::new(),
        }
    }

    fn defines(&self) -> Option<String> {
        let is_definition = matches!(self.name, Name::QualifiedUsage | Name::CompositeUsage | Name::ResourceSet);
        let name = blanked(self.value).next().filter(|_| is_definition)?;
        Some(normal_text(name))
    }

    /// The resources and qualifiers of a permission or prohibition.
    fn terms(&self, effect: Effect) -> Vec<(Role, [&'t [u8]; 2])> {
        let Value { resources, qualifiers, .. } = Value::read(self.value, &self.more, effect);
        let resources = resources.into_iter().map(|word| (Role::Resource, word.ends));
        resources.chain(qualifiers.into_iter().map(|word| (Role::Qualifier, word.ends))).collect()
    }
}
