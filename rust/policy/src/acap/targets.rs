//! The usages that a field names: one, or those of a local usage (P1 4.5.3).
//!
//! A usage that is not defined prohibits every other use. What a definition leaves in doubt prohibits.

use std::collections::HashSet;

use super::definitions::undivided;
use super::field::field;
use super::name::UsageName;
use super::reader::Reader;
use super::spelling::{divided, guess, nearest, prohibited};
use super::value::blanked;
use crate::lines::Entry;
use crate::places::{Span, to_u32, to_usize};
use crate::problems::Code;
use crate::restrictions::Qualifier;
use crate::statement::{Effect, Target};
use crate::usage::{self, EVERY, KNOWN, UNNAMED, Usage};

/// A part of a local usage: usage, effect, qualifiers as written.
pub(crate) type Part = (String, Effect, Vec<(String, String)>);

/// The meaning of a local usage that another carrier names.
#[derive(Clone, Debug, Default)]
pub struct Local {
    /// The text defines it, by this very name and for the text's version. Otherwise its known parts restrict and
    /// prohibit, but lift nothing.
    pub certain: bool,
    /// Whether a line defines it by this very name; for a permission, a line that need not be guessed. Asking about any
    /// other name is a mistake.
    pub defined: bool,
    pub parts: Vec<Part>,
}

impl Reader<'_> {
    /// `(ACAP-usage-name ["-" used-resource-type-name]) / local-usage-name` (P1 4.5.6)
    ///
    /// The usages of a field with this effect, as a place in the table of spans; none if the field has no effect.
    pub(super) fn targets(&mut self, about: &UsageName, effect: Effect) -> Option<u32> {
        let UsageName::Local(name) = about else {
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
            // The usage that should have been restricted is not known (our choice). A definition whose line had to be
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
        self.place = self.entries.get(to_usize(entry)).map_or(used, Entry::place);
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

    /// `qualified-usage-name 1*WSP ACAP-usage-name ["-" used-resource-type-name] 1*(1*WSP qualifier-specification)` (P1
    /// 4.5.6)
    ///
    /// The usages that a qualified usage defines.
    fn qualified(&mut self, place: usize, effect: Effect) -> Vec<Target> {
        let Some(local) = self.usages.get_mut(place) else { return Vec::new() };
        let (broken, qualifiers, entry) = (local.broken, local.qualifiers, local.entry);
        let reported = std::mem::replace(&mut local.reported, true);
        let (written, whole) = (local.base.of(self.text), local.whole);
        let base = UsageName::of_word(written);
        // Problems of the definition are reported at its line, and once.
        let used = self.place;
        self.place = self.entries.get(to_usize(entry)).map_or(used, Entry::place);
        self.place = self.place_of([written; 2]);
        self.problems.pause(reported);
        let targets: Vec<Target> = match effect {
            Effect::Permits if !broken => {
                let target = self.permitted(&base);
                let target = target.map(|usage| Target { usage, effect, conditional: false, qualifiers });
                target.into_iter().chain(base.nearly().into_iter().map(prohibits)).collect()
            }
            // A definition that cannot be interpreted prohibits.
            _ => {
                let whole = self.file.word(whole).to_owned();
                let mut usages = self.prohibited(&base);
                usages.extend(self.whole(&whole));
                usages.into_iter().map(prohibits).collect()
            }
        };
        if self.problems.are_kept()
            && !broken
            && let Some(target) = targets.first()
        {
            let kinds: Vec<Qualifier> =
                self.file.read_qualifiers(qualifiers).iter().map(|restriction| restriction.qualifier).collect();
            self.misplaced(target.usage, &kinds);
        }
        self.problems.pause(false);
        self.place = used;
        targets
    }

    /// `1*(1*WSP (ACAP-usage-name ["-" used-resource-type-name] / local-usage-name))` (P1 4.5.6)
    ///
    /// The usages of a composite usage, each once. Where a blank may have divided one constituent into two, that one is
    /// prohibited, and so are the two if they are known: either may be meant.
    fn composed(&mut self, entry: u32, name: &str, effect: Effect) -> Vec<Target> {
        let value = self.entries.get(to_usize(entry)).map_or(&[][..], |entry| entry.value(self.text));
        let mut seen: HashSet<Target> = HashSet::new();
        let mut out: Vec<Target> = Vec::new();
        let mut rest = blanked(field(value).value).skip(1).peekable();
        let mut before = String::new();
        while let Some(token) = rest.next() {
            let after = rest.peek().map(|next| undivided(token, next)).filter(|whole| !divided(whole).is_empty());
            let after = after.unwrap_or_default();
            let known = matches!(UsageName::of_word(token), UsageName::Known(_) | UsageName::Plural(_));
            let in_doubt = known && !(before.is_empty() && after.is_empty());
            let effect = if in_doubt { Effect::Prohibits } else { effect };
            let mut found = self.within([token; 2], |reader| reader.part(token, name, effect));
            found.extend(self.whole(&after).into_iter().map(prohibits));
            out.extend(found.into_iter().filter(|target| seen.insert(*target)));
            before = after;
        }
        out
    }

    /// `ACAP-usage-name ["-" used-resource-type-name] / local-usage-name`: the usages of a constituent of a composite;
    /// none if it has no effect.
    fn part(&mut self, token: &[u8], composite: &str, effect: Effect) -> Vec<Target> {
        let part = UsageName::of_word(token);
        let named = match &part {
            UsageName::Local(name) | UsageName::Unknown(name) => {
                self.definition(name).and_then(|place| Some((place, self.usages.get(place)?)))
            }
            _ => None,
        };
        // A composite is void within another. One whose line had to be guessed may be a definition of any kind.
        if effect == Effect::Prohibits && named.is_some_and(|(_, local)| local.composite && local.guessed) {
            return EVERY.iter().copied().map(prohibits).collect();
        }
        let named = named.filter(|(_, local)| !local.composite).map(|(place, _)| place);
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
            (UsageName::Local(name), None) => {
                self.problem(Code::AcapVoidConstituent, &[name, composite]);
                Vec::new()
            }
            _ if effect == Effect::Prohibits => self.prohibited(&part).into_iter().map(prohibits).collect(),
            _ => {
                let target = |usage| Target { usage, effect, conditional: false, qualifiers: Span::default() };
                let near = part.nearly().into_iter().map(prohibits);
                self.permitted(&part).map(target).into_iter().chain(near).collect()
            }
        }
    }

    /// The usages whose name a blank has divided into two words, given with one blank between them.
    fn whole(&mut self, joined: &str) -> Vec<Usage> {
        let usages = divided(joined);
        if let Some((code, read)) = guess(&usages, true).filter(|_| !usages.is_empty()) {
            self.problem(code, &[joined, &read]);
        }
        usages
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

    /// The usage of a permission; an unknown one is kept under its own name. None if the name is empty, or beyond the
    /// limit on such usages.
    fn permitted(&mut self, about: &UsageName) -> Option<Usage> {
        let name = match about {
            UsageName::Known(usage) => return Some(*usage),
            UsageName::Plural(usage) => {
                self.problem(Code::AcapPlural, &[usage.name().unwrap_or("")]);
                return Some(*usage);
            }
            UsageName::Unknown(name) | UsageName::Local(name) => name,
        };
        if self.problems.are_kept() {
            let near = nearest(name, KNOWN.iter().map(|row| row.name)).unwrap_or_default();
            self.problem(Code::AcapUnknownUsage, &[name, &near]);
        }
        if name.is_empty() { None } else { self.own_usage(name) }
    }

    /// The usages of a prohibition; an unknown name is read as section 5 of the semantics says.
    fn prohibited(&mut self, about: &UsageName) -> Vec<Usage> {
        let name = match about {
            UsageName::Known(usage) => return vec![*usage],
            UsageName::Plural(usage) => {
                self.problem(Code::AcapPlural, &[usage.name().unwrap_or("")]);
                return vec![*usage];
            }
            UsageName::Unknown(name) | UsageName::Local(name) => name,
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

    /// The usages that are prohibited in place of a local usage whose definition a limit cut; none if it is whole. The
    /// part that was cut may have been of a later version.
    pub(super) fn doubtful(&mut self, about: &UsageName) -> Option<u32> {
        let UsageName::Local(_) = about else { return None };
        if self.any_usage_cut {
            return Some(self.single(usage::ANY, Effect::Prohibits));
        }
        let local = self.definition_of(about).filter(|local| local.cut)?;
        let read = match UsageName::of_word(local.base.of(self.text)) {
            UsageName::Known(usage) | UsageName::Plural(usage) if !(local.composite || local.guessed) => usage,
            _ => usage::ANY,
        };
        let both = [read, usage::OTHER];
        Some(if self.is_of_old() && read != usage::ANY {
            self.run(&both)
        } else {
            self.single(read, Effect::Prohibits)
        })
    }

    /// `local-usage-name = "(" (qualified-usage-name / composite-usage-name) ")"` (P1 4.5.6)
    ///
    /// The meaning of a local usage that another carrier names.
    pub(super) fn local_elsewhere(&mut self, name: &str, effect: Effect) -> Local {
        let written = UsageName::Local(name.to_ascii_lowercase());
        let bare = self.bare(&written);
        let odd = bare.is_some();
        let about = bare.unwrap_or(written);
        let doubtful = self.doubtful(&about);
        let UsageName::Local(name) = &about else { return Local::default() };
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
        let certain = doubtful.is_some() || (defined && !nothing && !self.is_later(&about));
        let targets = self.file.span(made).of(&self.file.targets);
        let part = |target: &Target| {
            let effect = if effect == Effect::Prohibits { Effect::Prohibits } else { target.effect };
            let list = self.file.read_qualifiers(target.qualifiers);
            let qualifiers = list.iter().map(|one| (one.name().to_owned(), one.value.to_string())).collect();
            (self.file.usage_name(target.usage).to_owned(), effect, qualifiers)
        };
        Local { certain, defined, parts: targets.iter().map(part).collect() }
    }
}

/// The prohibition of a usage in place of a restriction of it.
fn prohibits(usage: Usage) -> Target {
    Target { usage, effect: Effect::Prohibits, conditional: true, qualifiers: Span::default() }
}
