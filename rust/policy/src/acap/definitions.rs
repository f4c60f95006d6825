//! Local definitions: qualified usages, composite usages, resource sets, and the usages of a field that uses them
//! (P1 4.5.3).
//!
//! The first definition of a name counts, wherever it stands. A usage that is not defined prohibits every other use.

use std::collections::HashSet;

use super::field::{About, Name, constituent, field, is_untold, normal_text};
use super::reader::{Definition, Place, Qualifiers, Reader, Set};
use super::spelling::is_nearly_version;
use super::spelling::{divided, nearest, nearly, prohibited};
use super::value::{blanked, commented_version, continued, initial, is_plain, pieces};
use crate::controls::{ended, without};
use crate::fields::Kind;
use crate::octets::leading_name;
use crate::places::{Span, to_u32, to_usize};
use crate::problems::Code;
use crate::restrictions::Qualifier;
use crate::statement::{Effect, Target};
use crate::usage::{self, EVERY, KNOWN, UNNAMED, Usage};

/// The published versions: that of the pilot (G A.2.1), and those of the two parts (P2 2.2.7).
pub(super) const KNOWN_VERSIONS: [&str; 3] = ["0.2", "1.0", "1.1"];

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

impl Reader<'_> {
    /// Reads the lines that count wherever they stand: the version and the directive. Returns the places of the
    /// definitions.
    pub(super) fn survey(&mut self) -> Vec<u32> {
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

    /// `ACAP-local-definition = qualified-usage-definition-field / composite-usage-definition-field /
    /// resource-set-definition-field`; the first one of a name counts.
    pub(super) fn define(&mut self, definitions: &[u32]) {
        let entries = self.entries;
        let mut sets: Vec<Set> = Vec::new();
        let mut usages: Vec<Definition> = Vec::new();
        for number in definitions {
            let Some(entry) = entries.get(to_usize(*number)) else { continue };
            self.place = Place::of(entry);
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
                // A member that cannot be told may be any resource.
                let guessed = guessed || rest.clone().any(|token| is_untold(token, false));
                for token in rest {
                    match self.resource(token) {
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
                base = self.file.keep(written);
                let joined = rest.clone().next().map(|next| undivided(written, next)).unwrap_or_default();
                if !divided(&joined).is_empty() {
                    whole = self.file.keep(joined.as_bytes());
                }
                own = self.qualifiers(continued(pieces(rest), |_| true).iter().map(|piece| &*piece.text));
                if own.later {
                    let name = self.file.word(name).to_owned();
                    self.problem(Code::AcapLaterVersion, &[&name]);
                }
            }
            let Qualifiers { list: qualifiers, broken, later, .. } = own;
            // A definition that cannot be interpreted, or is misspelt, may be of a later version.
            let later = later || ((broken || guessed) && self.is_of_old());
            let entry = *number;
            let (permitted, prohibited, told) = (None, None, false);
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
                told,
            });
        }
        self.sets = self.standing(sets, |set| (set.name, set.entry));
        self.usages = self.standing(usages, |usage| (usage.name, usage.entry));
        self.some_set_cut = self.any_set_cut || self.sets.iter().any(|set| set.cut);
        self.infect();
    }

    /// Marks a composite usage as cut, or as of a later version, if one of its parts is.
    fn infect(&mut self) {
        if !self.usages.iter().any(|local| local.cut || local.later) {
            return;
        }
        for place in 0..self.usages.len() {
            let Some(local) = self.usages.get(place).filter(|local| local.composite) else { continue };
            let value = self.entries.get(to_usize(local.entry)).map_or(&[][..], |entry| entry.value(self.text));
            let (mut cut, mut later) = (local.cut, local.later);
            for token in blanked(field(value).value).skip(1) {
                let part = match constituent(token) {
                    About::Local(name) | About::Unknown(name) => self.definition(&name),
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

    pub(super) fn definition_of(&self, about: &About) -> Option<&Definition> {
        let About::Local(name) = about else { return None };
        self.definition(name).and_then(|place| self.usages.get(place))
    }

    /// The local usage that an undefined name may mean: the defined one that the name is without the dashes and blanks
    /// around it.
    pub(super) fn bare(&self, about: &About) -> Option<About> {
        let About::Local(name) = about else { return None };
        let bare = name.trim_matches('-');
        let is_meant = self.definition(name).is_none() && self.definition(bare).is_some();
        is_meant.then(|| About::Local(bare.to_owned()))
    }

    /// Whether the definition of a usage needs a feature of a later version, or may need one.
    pub(super) fn is_later(&self, about: &About) -> bool {
        self.definition_of(about).is_some_and(|local| local.later)
    }

    /// The usages that are prohibited in place of a local usage whose definition a limit cut; none if it is whole. The
    /// part that was cut may have been of a later version.
    pub(super) fn doubtful(&mut self, about: &About) -> Option<u32> {
        let About::Local(_) = about else { return None };
        if self.any_usage_cut {
            return Some(self.single(usage::ANY, Effect::Prohibits));
        }
        let local = self.definition_of(about).filter(|local| local.cut)?;
        let read = match constituent(self.file.octets(local.base)) {
            About::Known(usage) | About::Plural(usage) if !(local.composite || local.guessed) => usage,
            _ => usage::ANY,
        };
        let both = [read, usage::OTHER];
        Some(if self.is_of_old() && read != usage::ANY {
            self.run(&both)
        } else {
            self.single(read, Effect::Prohibits)
        })
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
            self.place = Place::of(entry);
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

    /// The meaning of a local usage that another carrier names.
    pub(super) fn local_elsewhere(&mut self, name: &str, effect: Effect) -> Local {
        let written = About::Local(name.to_ascii_lowercase());
        let bare = self.bare(&written);
        let odd = bare.is_some();
        let about = bare.unwrap_or(written);
        let doubtful = self.doubtful(&about);
        let About::Local(name) = &about else { return Local::default() };
        if doubtful.is_none() && self.definition(name).is_none() {
            return Local::default();
        }
        let found = match effect {
            Effect::Permits => self.local(name),
            Effect::Prohibits => self.definition(name),
        };
        let defined = found.is_some() && !odd;
        let made = doubtful.or_else(|| self.targets(&about, effect)).unwrap_or(0);
        // Every part of the definition has no effect.
        let nothing = doubtful.is_none() && made == self.single(usage::OTHER, Effect::Prohibits);
        let told = doubtful.is_some() || (defined && !nothing && !self.is_later(&about));
        let targets = self.file.span(made).of(&self.file.targets);
        let part = |target: &Target| {
            let effect = if effect == Effect::Prohibits { Effect::Prohibits } else { target.effect };
            let list = self.file.read_qualifiers(target.qualifiers);
            let qualifiers = list.iter().map(|one| (one.name().to_owned(), one.value.to_string())).collect();
            (self.file.usage_name(target.usage).to_owned(), effect, qualifiers)
        };
        Local { told, defined, parts: targets.iter().map(part).collect() }
    }

    /// The usages of a field with this effect, as a place in the table of spans; none if the field has no effect.
    pub(super) fn targets(&mut self, about: &About, effect: Effect) -> Option<u32> {
        let About::Local(name) = about else {
            return match effect {
                Effect::Permits => {
                    let usage = self.permitted(about)?;
                    Some(self.single(usage, effect))
                }
                Effect::Prohibits => {
                    let usages = self.prohibited(about);
                    Some(self.run(&usages))
                }
            };
        };
        let Some((place, local)) = self.local(name).and_then(|place| Some((place, self.usages.get(place)?))) else {
            let near = self.nearest(name, |reader, place| reader.usages.get(place).map(|usage| usage.name));
            self.problem(Code::AcapUndefinedUsage, &[name, &near]);
            // The usage that should have been restricted cannot be told (our choice). A definition whose line had to be
            // guessed may be of any usage, and first of those it names.
            let guessed = self.definition(name);
            let known = guessed.and_then(|place| self.usages.get(place)).and_then(|local| local.made(effect));
            if known.is_some() {
                return known;
            }
            let mut usages = guessed.map(|place| self.as_read(place)).unwrap_or_default();
            match effect {
                Effect::Prohibits if guessed.is_some() => usages.extend(EVERY.iter()),
                _ => usages.push(usage::OTHER),
            }
            let made = self.run(&usages);
            if let Some(local) = guessed.and_then(|place| self.usages.get_mut(place)) {
                local.make(effect, made);
            }
            return Some(made);
        };
        let known = local.made(effect);
        let (entry, composite) = (local.entry, local.composite);
        if known.is_some() {
            return known;
        }
        // Problems of a definition are reported at its line, and once.
        let used = self.place;
        self.place = self.entries.get(to_usize(entry)).map_or(used, Place::of);
        let start = to_u32(self.file.targets.len());
        if composite {
            let targets = self.composed(entry, name, effect);
            self.file.targets.extend(targets);
        } else {
            let targets = self.qualified(place, effect);
            self.file.targets.extend(targets);
            if self.is_later(about) {
                // In the version of the file that name is not defined.
                let (usage, effect) = (usage::OTHER, Effect::Prohibits);
                self.file.targets.push(Target { usage, effect, conditional: false, qualifiers: Span::default() });
            }
        }
        self.place = used;
        let len = to_u32(self.file.targets.len()).saturating_sub(start);
        // A definition in which no part has an effect counts as none.
        let made = if len == 0 { self.single(usage::OTHER, Effect::Prohibits) } else { self.span(Span { start, len }) };
        if let Some(local) = self.usages.get_mut(place) {
            local.make(effect, made);
        }
        Some(made)
    }

    /// The usages of a definition whose line had to be guessed, as far as it can be read, each once.
    fn as_read(&mut self, place: usize) -> Vec<Usage> {
        let Some(local) = self.usages.get(place) else { return Vec::new() };
        if !local.composite {
            return self.qualified(place, Effect::Prohibits).iter().map(|target| target.usage).collect();
        }
        let (entry, name) = (local.entry, self.file.word(local.name).to_owned());
        self.composed(entry, &name, Effect::Prohibits).iter().map(|target| target.usage).collect()
    }

    /// The usages of a composite usage, each once. Where a blank may have divided one constituent into two, that one is
    /// prohibited, and so are the two if they are known: it cannot be told which was meant.
    fn composed(&mut self, entry: u32, name: &str, effect: Effect) -> Vec<Target> {
        let value = self.entries.get(to_usize(entry)).map_or(&[][..], |entry| entry.value(self.text));
        let mut seen: HashSet<Target> = HashSet::new();
        let mut out: Vec<Target> = Vec::new();
        let mut rest = blanked(field(value).value).skip(1).peekable();
        let mut before = String::new();
        while let Some(token) = rest.next() {
            let after = rest.peek().map(|next| undivided(token, next)).filter(|whole| !divided(whole).is_empty());
            let after = after.unwrap_or_default();
            let known = matches!(constituent(token), About::Known(_) | About::Plural(_));
            let in_doubt = known && !(before.is_empty() && after.is_empty());
            let mut found = self.part(token, name, if in_doubt { Effect::Prohibits } else { effect });
            found.extend(self.whole(&after).into_iter().map(prohibits));
            out.extend(found.into_iter().filter(|target| seen.insert(*target)));
            before = after;
        }
        out
    }

    /// The usages whose name a blank has divided into two words, given with one blank between them.
    fn whole(&mut self, joined: &str) -> Vec<Usage> {
        let usages = divided(joined);
        if let Some((code, read)) = guess(&usages, true).filter(|_| !usages.is_empty()) {
            self.problem(code, &[joined, &read]);
        }
        usages
    }

    /// A run of one usage.
    pub(super) fn single(&mut self, usage: Usage, effect: Effect) -> u32 {
        if let Some(made) = self.singles.get(&(usage, effect)) {
            return *made;
        }
        let start = to_u32(self.file.targets.len());
        self.file.targets.push(Target { usage, effect, conditional: false, qualifiers: Span::default() });
        let made = self.span(Span { start, len: 1 });
        self.singles.insert((usage, effect), made);
        made
    }

    /// A run of usages that are prohibited.
    fn run(&mut self, usages: &[Usage]) -> u32 {
        if let [only] = usages {
            return self.single(*only, Effect::Prohibits);
        }
        if let Some(made) = self.runs.get(usages) {
            return *made;
        }
        let start = to_u32(self.file.targets.len());
        self.file.targets.extend(usages.iter().copied().map(prohibits));
        let made = self.span(Span { start, len: to_u32(usages.len()) });
        self.runs.insert(usages.into(), made);
        made
    }

    /// The usages that a qualified usage defines.
    fn qualified(&mut self, place: usize, effect: Effect) -> Vec<Target> {
        let Some(local) = self.usages.get_mut(place) else { return Vec::new() };
        let (broken, qualifiers, entry) = (local.broken, local.qualifiers, local.entry);
        let told = std::mem::replace(&mut local.told, true);
        let (base, whole) = (constituent(self.file.octets(local.base)), local.whole);
        // Problems of the definition are reported at its line, and once.
        let used = self.place;
        self.place = self.entries.get(to_usize(entry)).map_or(used, Place::of);
        self.problems.hush(told);
        let targets: Vec<Target> = match effect {
            Effect::Permits if !broken => {
                let target = self.permitted(&base);
                let target = target.map(|usage| Target { usage, effect, conditional: false, qualifiers });
                target.into_iter().chain(nearly_of(&base).into_iter().map(prohibits)).collect()
            }
            // A definition that cannot be interpreted prohibits.
            _ => {
                let whole = self.file.word(whole).to_owned();
                let mut usages = self.prohibited(&base);
                usages.extend(self.whole(&whole));
                usages.into_iter().map(prohibits).collect()
            }
        };
        if self.problems.heard()
            && !broken
            && let Some(target) = targets.first()
        {
            let kinds: Vec<Qualifier> =
                self.file.read_qualifiers(qualifiers).iter().map(|restriction| restriction.qualifier).collect();
            self.misplaced(target.usage, &kinds);
        }
        self.problems.hush(false);
        self.place = used;
        targets
    }

    /// `ACAP-usage-name ["-" used-resource-type-name] / local-usage-name`: the usages of a constituent of a composite; none
    /// if it has no effect.
    fn part(&mut self, token: &[u8], composite: &str, effect: Effect) -> Vec<Target> {
        let part = constituent(token);
        let named = match &part {
            About::Local(name) | About::Unknown(name) => {
                self.definition(name).filter(|place| self.usages.get(*place).is_some_and(|local| !local.composite))
            }
            _ => None,
        };
        match (&part, named) {
            // The usages that a permission would restrict are prohibited.
            (_, Some(place)) if self.usages.get(place).is_some_and(|local| local.guessed) => {
                let mut all = self.qualified(place, Effect::Prohibits);
                if effect == Effect::Prohibits {
                    all.extend(EVERY.iter().copied().map(prohibits));
                }
                all
            }
            (_, Some(place)) => self.qualified(place, effect),
            (About::Local(name), None) => {
                self.problem(Code::AcapVoidConstituent, &[name, composite]);
                Vec::new()
            }
            _ if effect == Effect::Prohibits => self.prohibited(&part).into_iter().map(prohibits).collect(),
            _ => {
                let target = |usage| Target { usage, effect, conditional: false, qualifiers: Span::default() };
                let near = nearly_of(&part).into_iter().map(prohibits);
                self.permitted(&part).map(target).into_iter().chain(near).collect()
            }
        }
    }

    /// The usage of this name that the file defines itself; none beyond the limit on such usages.
    fn own_usage(&mut self, name: &str) -> Option<Usage> {
        if let Some(usage) = self.own.get(name) {
            return Some(*usage);
        }
        let number = self.file.usages.len();
        let Some(usage) = usage::made_up(number).filter(|_| number < self.most_usages) else {
            self.file.too_much = true;
            self.problem(Code::AcapTooMuch, &[]);
            return None;
        };
        self.file.usages.push(name.into());
        self.own.insert(name.into(), usage);
        Some(usage)
    }

    /// The usage of a permission; an unknown one is kept under its own name. None if the name is empty, or beyond the
    /// limit on such usages.
    fn permitted(&mut self, about: &About) -> Option<Usage> {
        let name = match about {
            About::Known(usage) => return Some(*usage),
            About::Plural(usage) => {
                self.problem(Code::AcapPlural, &[usage.name().unwrap_or("")]);
                return Some(*usage);
            }
            About::Unknown(name) | About::Local(name) => name,
        };
        if self.problems.heard() {
            let near = nearest(name, KNOWN.iter().map(|row| row.name)).unwrap_or_default();
            self.problem(Code::AcapUnknownUsage, &[name, &near]);
        }
        if name.is_empty() { None } else { self.own_usage(name) }
    }

    /// The usages of a prohibition; an unknown name is read as section 5 of the semantics says.
    fn prohibited(&mut self, about: &About) -> Vec<Usage> {
        let name = match about {
            About::Known(usage) => return vec![*usage],
            About::Plural(usage) => {
                self.problem(Code::AcapPlural, &[usage.name().unwrap_or("")]);
                return vec![*usage];
            }
            About::Unknown(name) | About::Local(name) => name,
        };
        if let Some((usages, guessed)) = prohibited(name) {
            if let Some((code, read)) = guess(&usages, guessed) {
                self.problem(code, &[name, &read]);
            }
            return usages;
        }
        self.problem(Code::AcapUnknownProhibition, &[name]);
        self.own_usage(name).into_iter().chain(UNNAMED).collect()
    }

    /// The defined name nearest to a misspelt one, for a suggestion.
    pub(super) fn nearest(&mut self, name: &str, defined: impl Fn(&Self, usize) -> Option<Span>) -> String {
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

/// Two words with a blank between them, in lower case; empty if they are longer than any usage.
fn undivided(one: &[u8], next: &[u8]) -> String {
    const LONGEST: usize = 64;
    if one.len().saturating_add(next.len()) > LONGEST {
        return String::new();
    }
    let [one, next] = [one, next].map(normal_text);
    format!("{one} {next}")
}

/// The known usages that are one typo from a usage in a definition; they are prohibited where they would be restricted.
pub(super) fn nearly_of(about: &About) -> Vec<Usage> {
    match about {
        About::Unknown(name) => nearly(name),
        _ => Vec::new(),
    }
}

/// The prohibition of a usage in place of a restriction of it.
fn prohibits(usage: Usage) -> Target {
    Target { usage, effect: Effect::Prohibits, conditional: true, qualifiers: Span::default() }
}

/// The problem of a prohibition that is read as one of these usages, and the usages in words; none if the name is
/// known.
pub(super) fn guess(usages: &[Usage], guessed: bool) -> Option<(Code, String)> {
    if usages == EVERY.as_slice() {
        return Some((Code::AcapBroadUsage, "every use".to_owned()));
    }
    let names: Vec<&str> = usages.iter().filter_map(|usage| usage.name()).collect();
    match names.as_slice() {
        _ if !guessed => None,
        [only] => Some((Code::AcapGuessedUsage, (*only).to_owned())),
        _ => Some((Code::AcapBroadUsage, names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))),
    }
}
