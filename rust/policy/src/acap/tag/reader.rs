//! The reader of the tags and tokens of one page: what it has read, and what every statement needs.

use crate::acap::name::UsageName;
use crate::acap::spelling::{guess, nearest, nearly, prohibited};
use crate::limits;
use crate::places::{Place, to_u32};
use crate::problems::{Code, Problem};
use crate::statement::Effect;
use crate::usage::{KNOWN, UNNAMED, Usage};

/// A statement of a tag or token on one usage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagStatement {
    /// The place of its tag in the list that was given.
    pub place: usize,
    pub effect: Effect,
    /// The usage's name, or that of a local usage.
    pub usage: String,
    pub local: bool,
    pub purpose: Option<String>,
    /// Name and value, as written.
    pub qualifiers: Vec<(String, String)>,
    /// Whether a permission may overcome a prohibition. One with a feature of a later version may not, it only
    /// restricts.
    pub lifts: bool,
    /// A prohibition in place of a permission that cannot be interpreted: no permission of its tier lifts it.
    pub firm: bool,
    /// Its purpose is not known, so it is for every one, or it may have been of a later version: nothing lifts its
    /// prohibition.
    pub doubted: bool,
}

impl TagStatement {
    /// A statement for every purpose and without qualifiers.
    pub(super) fn new(place: usize, effect: Effect, usage: String, local: bool) -> Self {
        let (purpose, qualifiers) = (None, Vec::new());
        Self { place, effect, usage, local, purpose, qualifiers, lifts: true, firm: false, doubted: false }
    }

    /// The known usage that it prohibits.
    pub(super) fn prohibited(&self) -> Option<Usage> {
        Usage::known(&self.usage).filter(|_| self.effect == Effect::Prohibits && !self.local)
    }
}

/// The statements of the tags of one page.
#[derive(Debug, Default)]
pub struct Tags {
    pub version: Option<String>,
    pub statements: Vec<TagStatement>,
    /// The line of a problem is the place of its tag.
    pub problems: Vec<Problem>,
}

pub(super) struct Reader {
    pub(super) tags: Tags,
    /// The place of the current tag or token.
    pub(super) place: usize,
    /// The page is of version 1.1, which has element sets.
    pub(super) sets: bool,
    /// Statements after which no more tags are read.
    pub(super) most: usize,
    /// Comparisons of misspelt names that are still allowed.
    suggestions: usize,
    /// The current tag has an invisible character: its purpose is not known, and it permits nothing.
    pub(super) doubted: bool,
}

impl Reader {
    pub(super) fn new(most: usize) -> Self {
        let (tags, suggestions) = (Tags::default(), limits::SUGGESTIONS);
        Self { tags, place: 0, sets: false, most, suggestions, doubted: false }
    }

    pub(super) fn problem(&mut self, code: Code, words: &[&str]) {
        let place = Place { line: to_u32(self.place), ..Place::default() };
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        self.tags.problems.push(Problem { code, place, words });
    }

    /// Prohibits a usage for every purpose. `doubted`: it may have been meant for some purposes only.
    pub(super) fn prohibit(&mut self, about: &UsageName, doubted: bool) {
        for (usage, local) in self.usages(about, Effect::Prohibits) {
            let doubted = doubted || self.doubted;
            let statement = TagStatement { doubted, ..TagStatement::new(self.place, Effect::Prohibits, usage, local) };
            self.tags.statements.push(statement);
        }
    }

    /// Adds a permission of an element with a typo: it lifts nothing, and prohibits for those who cannot work on
    /// elements.
    pub(super) fn nearly_permit(&mut self, about: &UsageName) {
        for (usage, local) in self.usages(about, Effect::Permits) {
            let permission = TagStatement::new(self.place, Effect::Permits, usage, local);
            self.tags.statements.push(TagStatement { lifts: false, ..permission });
        }
    }

    /// The statements from a place on.
    pub(super) fn since(&self, first: usize) -> &[TagStatement] {
        self.tags.statements.get(first..).unwrap_or(&[])
    }

    /// The usages that are meant, and whether each is a local one.
    pub(super) fn usages(&mut self, about: &UsageName, effect: Effect) -> Vec<(String, bool)> {
        // Only the site's robots.txt tells whether that local usage is defined: a prohibition covers it, and the usage
        // as written too.
        match nearly_local(about) {
            Some(name) if effect == Effect::Permits => vec![(name.to_owned(), true)],
            Some(name) => {
                let mut all = self.plain_usages(about, effect);
                all.push((name.to_owned(), true));
                all
            }
            None => self.plain_usages(about, effect),
        }
    }

    fn plain_usages(&mut self, about: &UsageName, effect: Effect) -> Vec<(String, bool)> {
        let known = |usage: &Usage| (usage.name().unwrap_or("").to_owned(), false);
        let name = match about {
            UsageName::Known(usage) => return vec![known(usage)],
            UsageName::Plural(usage) => {
                self.problem(Code::AcapPlural, &[usage.name().unwrap_or("")]);
                return vec![known(usage)];
            }
            UsageName::Local(name) => return vec![(name.clone(), true)],
            UsageName::Unknown(name) => name,
        };
        if effect == Effect::Permits {
            let left = self.suggestions.min(KNOWN.len());
            self.suggestions = self.suggestions.saturating_sub(left);
            let near = nearest(name, KNOWN.iter().take(left).map(|row| row.name)).unwrap_or_default();
            self.problem(Code::AcapUnknownUsage, &[name, &near]);
            return vec![(name.clone(), false)];
        }
        if let Some((usages, guessed)) = prohibited(name) {
            if let Some((code, read)) = guess(&usages, guessed) {
                self.problem(code, &[name, &read]);
            }
            return usages.iter().map(known).collect();
        }
        self.problem(Code::AcapUnknownProhibition, &[name]);
        std::iter::once((name.clone(), false)).chain(UNNAMED.iter().map(known)).collect()
    }
}

/// The name of the local usage that is meant where a parenthesis is misplaced; a permission of it lifts nothing.
pub(super) fn nearly_local(about: &UsageName) -> Option<&str> {
    let UsageName::Unknown(name) = about else { return None };
    let bare = name.trim_matches(['(', ')', '-']);
    let odd = !bare.is_empty() && (name.starts_with('(') || name.ends_with(')')) && nearly(name).is_empty();
    odd.then_some(bare)
}
