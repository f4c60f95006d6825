//! Local definitions: qualified usages, composite usages and resource sets (P1 4.5.3).
//!
//! The first definition of a name counts, wherever it stands.

use super::field::field;
use super::name::{Name, UsageName, normal_text};
use super::reader::{Definition, Qualifiers, Reader, Set};
use super::resource::is_unclear;
use super::spelling::{divided, is_nearly_version, nearest};
use super::value::{blanked, commented_version, continued, initial, is_plain, pieces};
use crate::controls::{ended, without};
use crate::fields::Kind;
use crate::octets::leading_name;
use crate::places::{Span, around, to_u32, to_usize};
use crate::problems::Code;

/// The published versions: that of the pilot (G A.2.1), and those of the two parts (P2 2.2.7).
pub(super) const KNOWN_VERSIONS: [&str; 3] = ["0.2", "1.0", "1.1"];

impl Reader<'_> {
    /// `ACAP-ignore-conventional-records = "ACAP-ignore-conventional-records" field-end` (P1 4.5.6), and `##ACAP
    /// version=xxx` (P1 4.5.4)
    ///
    /// Reads the lines that count wherever they stand: the version and the directive. Returns the places of the
    /// definitions.
    pub(super) fn survey(&mut self) -> Vec<u32> {
        let mut definitions = Vec::new();
        let (mut fields, mut crawlers, mut purposes) = (0usize, 0usize, 0usize);
        for (place, entry) in self.entries.iter().enumerate() {
            self.place = entry.place();
            let value = entry.value(self.text);
            let initial = if entry.kind == Kind::Acap { initial(value) } else { 0 };
            match initial {
                b'a' | b'd' => fields = fields.saturating_add(1),
                b'c' => crawlers = crawlers.saturating_add(1),
                b'u' => purposes = purposes.saturating_add(1),
                _ => {}
            }
            match entry.kind {
                // A version line that a limit cut counts as 1.0.
                Kind::AcapComment if entry.is_cut() => self.version("1.0"),
                Kind::AcapComment => {
                    let bare = without(value);
                    if let Some(version) = commented_version(&bare) {
                        self.version(&version);
                    } else if is_nearly_version(&bare) {
                        self.version("1.0");
                    }
                }
                // Crawlers, permissions, prohibitions, purposes and references are read later.
                Kind::Acap if !is_plain(value) => {
                    let field = field(value);
                    match field.name {
                        // A version that had to be guessed, or was cut, counts as 1.0.
                        Name::Version if field.slipped || entry.is_cut() || ended(field.value) != field.value => {
                            self.version("1.0");
                        }
                        Name::Version => {
                            let version = String::from_utf8_lossy(field.value);
                            self.version(version.split_ascii_whitespace().next().unwrap_or(""));
                        }
                        // A directive that may be a misspelt version counts as version 1.0.
                        Name::Unknown if is_nearly_version(&without(value)) => self.version("1.0"),
                        Name::IgnoreConventional if entry.is_cut() || ended(field.value) != field.value => {}
                        Name::IgnoreConventional if !field.slipped => {
                            self.ignoring.get_or_insert(self.place);
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
        // Reserved at once, so that no table has to be moved.
        self.file.statements.reserve_exact(fields);
        self.file.records.reserve_exact(crawlers);
        self.file.audiences.reserve_exact(crawlers.saturating_add(purposes));
        definitions
    }

    pub(super) fn version(&mut self, version: &str) {
        let sound = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let is_version = version.contains('.') && version.split('.').all(sound);
        if !KNOWN_VERSIONS.contains(&version) {
            self.problem(Code::AcapUnknownVersion, &[version]);
        }
        // A version that cannot be read counts as 1.0.
        let version = if is_version { version } else { "1.0" };
        if self.file.version.is_some() {
            self.problem(Code::AcapSecondVersion, &[version]);
        } else {
            self.file.version = Some((version.into(), self.place.line));
        }
    }

    /// ```text
    /// ACAP-local-definition            = qualified-usage-definition-field / composite-usage-definition-field /
    ///                                    resource-set-definition-field                             ; P1 4.5.6
    /// qualified-usage-definition-field = "ACAP-qualified-usage:" *WSP qualified-usage-name 1*WSP ACAP-usage-name
    ///                                    ["-" used-resource-type-name] 1*(1*WSP qualifier-specification) field-end
    /// composite-usage-definition-field = "ACAP-composite-usage:" *WSP composite-usage-name 1*(1*WSP (ACAP-usage-name
    ///                                    ["-" used-resource-type-name] / local-usage-name)) field-end
    /// resource-set-definition-field    = "ACAP-resource-set:" *WSP resource-set-name 1*(1*WSP resource-path-pattern)
    ///                                    field-end
    /// ```
    ///
    /// The first definition of a name counts.
    pub(super) fn define(&mut self, definitions: &[u32]) {
        let entries = self.entries;
        let mut sets: Vec<Set> = Vec::new();
        let mut usages: Vec<Definition> = Vec::new();
        for number in definitions {
            let Some(entry) = entries.get(to_usize(*number)) else { continue };
            self.place = entry.place();
            let field = field(entry.value(self.text));
            let value = ended(field.value);
            let cut = entry.is_cut() || value.len() < field.value.len();
            let mut all: Vec<&[u8]> = blanked(value).collect();
            if cut {
                if field.name != Name::ResourceSet {
                    self.file.cut_usage.get_or_insert(*number);
                }
                // The last word may continue after the cut.
                all.pop();
                if all.is_empty() {
                    match field.name {
                        Name::ResourceSet => self.any_set_cut = true,
                        _ => self.any_usage_cut = true,
                    }
                    continue;
                }
            }
            let mut rest = all.iter().copied();
            let name = rest.next().map(normal_text).unwrap_or_default();
            if name.is_empty() || (rest.len() == 0 && !cut) {
                self.problem(Code::AcapBadDefinition, &[]);
                continue;
            }
            if !name.bytes().all(|byte| leading_name(&[byte]).len() == 1) {
                self.problem(Code::AcapOddName, &[&name]);
            }
            let name = self.file.keep(name.as_bytes());
            let guessed = field.slipped;
            if field.name == Name::ResourceSet {
                let (mut resources, mut doubted) = (Span::default(), Span::default());
                let mut doubts = Vec::new();
                // An unclear member may be any resource.
                let guessed = guessed || rest.clone().any(|token| is_unclear(token, false));
                for token in rest {
                    match self.within([token; 2], |reader| reader.resource(token)) {
                        Some((pattern, true)) => self.file.add(&mut resources, &pattern),
                        Some((pattern, false)) => doubts.push(pattern),
                        None => {}
                    }
                }
                doubts.iter().for_each(|pattern| self.file.add(&mut doubted, pattern));
                sets.push(Set { name, entry: *number, resources, doubted, guessed, cut });
                continue;
            }
            let composite = field.name == Name::CompositeUsage;
            let mut own = Qualifiers::default();
            let (mut base, mut whole) = (Span::default(), Span::default());
            if !composite {
                let written = rest.next().unwrap_or(&[]);
                base = around(self.text, [written; 2]);
                let joined = rest.clone().next().map(|next| undivided(written, next)).unwrap_or_default();
                if !divided(&joined).is_empty() {
                    whole = self.file.keep(joined.as_bytes());
                }
                own = self.qualifiers(continued(pieces(rest), |_| true).iter().map(|piece| (&*piece.text, piece.ends)));
                if own.later {
                    let name = self.file.word(name).to_owned();
                    self.problem(Code::AcapLaterVersion, &[&name]);
                }
            }
            let Qualifiers { list: qualifiers, broken, later, .. } = own;
            // A definition that cannot be interpreted, or is misspelt, may be of a later version.
            let later = later || ((broken || guessed) && self.is_of_old());
            let entry = *number;
            let (permitted, prohibited, reported) = (None, None, false);
            usages.push(Definition {
                name,
                entry,
                composite,
                base,
                whole,
                qualifiers,
                broken,
                guessed,
                later,
                cut,
                permitted,
                prohibited,
                reported,
            });
        }
        self.sets = self.standing(sets, |set| (set.name, set.entry));
        self.usages = self.standing(usages, |usage| (usage.name, usage.entry));
        self.some_set_cut = self.any_set_cut || self.sets.iter().any(|set| set.cut);
        self.doubt_composites();
    }

    /// Marks a composite usage as cut, or as of a later version, if one of its parts is.
    fn doubt_composites(&mut self) {
        if !self.usages.iter().any(|local| local.cut || local.later) {
            return;
        }
        for place in 0..self.usages.len() {
            let Some(local) = self.usages.get(place).filter(|local| local.composite) else { continue };
            let value = self.entries.get(to_usize(local.entry)).map_or(&[][..], |entry| entry.value(self.text));
            let (mut cut, mut later) = (local.cut, local.later);
            for token in blanked(field(value).value).skip(1) {
                let part = match UsageName::of_word(token) {
                    UsageName::Local(name) | UsageName::Unknown(name) => self.definition(&name),
                    _ => None,
                };
                let part = part.and_then(|place| self.usages.get(place)).filter(|part| !part.composite);
                cut |= part.is_some_and(|part| part.cut);
                later |= part.is_some_and(|part| part.later);
            }
            if let Some(local) = self.usages.get_mut(place) {
                (local.cut, local.later) = (cut, later);
            }
        }
    }

    /// The first definition of each name, sorted by name.
    pub(super) fn standing<T>(&mut self, mut list: Vec<T>, of: impl Fn(&T) -> (Span, u32)) -> Vec<T> {
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
            self.place = entry.place();
            let name = self.file.word(name).to_owned();
            self.problem(Code::AcapDuplicateDefinition, &[&name]);
        }
        list
    }

    /// The place of a set's definition.
    pub(super) fn set(&self, name: &str) -> Option<usize> {
        self.sets.binary_search_by(|set| self.file.octets(set.name).cmp(name.as_bytes())).ok()
    }

    /// The place of a local usage's definition.
    pub(super) fn definition(&self, name: &str) -> Option<usize> {
        self.usages.binary_search_by(|usage| self.file.octets(usage.name).cmp(name.as_bytes())).ok()
    }

    /// The place of a local usage's definition, if its line did not have to be guessed.
    pub(super) fn local(&self, name: &str) -> Option<usize> {
        self.definition(name).filter(|place| self.usages.get(*place).is_some_and(|local| !local.guessed))
    }

    pub(super) fn definition_of(&self, about: &UsageName) -> Option<&Definition> {
        let UsageName::Local(name) = about else { return None };
        self.definition(name).and_then(|place| self.usages.get(place))
    }

    /// The local usage that an undefined name may mean: the defined one that the name is without the dashes and blanks
    /// around it.
    pub(super) fn bare(&self, about: &UsageName) -> Option<UsageName> {
        let UsageName::Local(name) = about else { return None };
        let bare = name.trim_matches('-');
        let is_meant = self.definition(name).is_none() && self.definition(bare).is_some();
        is_meant.then(|| UsageName::Local(bare.to_owned()))
    }

    /// Whether the definition of a usage needs a feature of a later version, or may need one.
    pub(super) fn is_later(&self, about: &UsageName) -> bool {
        self.definition_of(about).is_some_and(|local| local.later)
    }

    /// The defined name nearest to a misspelt one, for a suggestion.
    pub(super) fn nearest(&mut self, name: &str, defined: impl Fn(&Self, usize) -> Option<Span>) -> String {
        if !self.problems.are_kept() {
            return String::new();
        }
        let names = (0..self.suggestions).map_while(|place| Some(self.file.word(defined(self, place)?)));
        let mut looked = 0usize;
        let near = nearest(name, names.inspect(|_| looked = looked.saturating_add(1))).unwrap_or_default();
        self.suggestions = self.suggestions.saturating_sub(looked);
        near
    }
}

/// Two words with a blank between them, in lower case; empty if they are longer than any usage.
pub(super) fn undivided(one: &[u8], next: &[u8]) -> String {
    const LONGEST: usize = 64;
    if one.len().saturating_add(next.len()) > LONGEST {
        return String::new();
    }
    let [one, next] = [one, next].map(normal_text);
    format!("{one} {next}")
}
