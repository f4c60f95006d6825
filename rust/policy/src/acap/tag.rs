//! ACAP statements in the pages themselves: META tags and class attributes (P2 2.2, 3).
//!
//! ```text
//! ACAP-meta-tag-content       = "ACAP" 1*WSP (version / permission / prohibition)
//! version                     = "version" 1*WSP "1.1"
//! qualified-permission        = [usage-purpose-pattern 1*WSP] "allow-" ACAP-usage-name ["-" used-resource-type-name]
//!                               1*(1*WSP qualifier-specification)
//! prohibition                 = [usage-purpose-pattern 1*WSP] "disallow-" ACAP-usage-name ["-" used-resource-type-name]
//! class-attribute-permission  = "the-acap:allow-" (ACAP-usage-name / local-usage-name)
//! class-attribute-prohibition = "the-acap:disallow-" ACAP-usage-name
//! ```
//!
//! Laws: no word beside a permission is ignored, and one that cannot be interpreted makes it a prohibition. No word
//! beside a prohibition narrows it.

use super::definitions::{KNOWN_VERSIONS, guess};
use super::field::{About, Name, about, after_mark, divides, is_either_verb, normal};
use super::field::{prohibition, somewhere, stated, words as parts};
use super::letters::Letters;
use super::spelling::{PROHIBITING, Verb, nearest, nearly, prohibited, slip, verb};
use super::value::{qualifier_name, tokens};
use crate::file::restriction;
use crate::limits;
use crate::octets::unescape;
use crate::problems::{Code, Problem};
use crate::restrictions::{self, Setting, in_column};
use crate::statement::{Effect, is_every_purpose};
use crate::usage::{KNOWN, UNNAMED, Usage};
use std::collections::BTreeSet;

/// A statement of a tag or token on one usage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
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
    /// A prohibition in place of a permission that cannot be interpreted: no other permission lifts it.
    pub firm: bool,
    /// Its purpose cannot be told, so it is for every one, or it may have been of a later version: nothing lifts its
    /// prohibition.
    pub doubted: bool,
}

/// The statements of the tags of one page.
#[derive(Debug, Default)]
pub struct Tags {
    pub version: Option<String>,
    pub said: Vec<Said>,
    /// The line of a problem is the place of its tag.
    pub problems: Vec<Problem>,
}

/// The content after the word `ACAP`; none if it is no ACAP statement.
pub fn body(content: &str) -> Option<&str> {
    let content = content.trim_start_matches(is_blank);
    let head = content.get(..4).filter(|head| head.eq_ignore_ascii_case("acap"))?;
    let rest = content.get(head.len()..)?;
    let ends = rest.chars().next().is_none_or(|next| is_blank(next) || is_joint(next));
    ends.then_some(rest)
}

/// Whether a content is an ACAP statement: true if its mark is exact, false if it is misspelt or quoted, none without
/// one. With a misspelt mark it can only prohibit, and its other words count as well.
pub fn is_tag(content: &str) -> Option<bool> {
    if body(content).is_some() {
        return Some(true);
    }
    let is_near = |content: &str| nearly_body(content).is_some() || permissions(content).is_some();
    let may_be = |blank: &str| {
        let meant = shown(content, blank);
        body(&meant).is_some() || is_near(&meant)
    };
    (is_near(content) || (is_hidden(content) && (may_be("") || may_be(" ")))).then_some(false)
}

/// The content after a misspelt mark, from its first permission on; none without a permission.
fn permissions(content: &str) -> Option<&str> {
    /// Characters searched for the first permission.
    const LONGEST: usize = 1_000;
    /// The most parts a mark can fall into: `the a cap`.
    const PARTS: usize = 3;
    const VERB: &str = "allow-";
    let head = content.char_indices().nth(LONGEST).and_then(|(end, _)| content.get(..end)).unwrap_or(content);
    let lower = head.to_ascii_lowercase();
    let begins = |place: usize| {
        let before = lower.get(..place).and_then(|before| before.chars().next_back());
        before.is_some_and(|before| !before.is_alphanumeric())
    };
    let place = lower.match_indices(VERB).map(|(place, _)| place).find(|place| begins(*place))?;
    let mut joined = String::new();
    let words = lower.get(..place)?.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_marked = words.take(PARTS).any(|word| {
        joined.push_str(word);
        ["acap", "theacap"].iter().any(|mark| joined == **mark || slip(&joined, mark))
    });
    is_marked.then(|| content.get(place..)).flatten()
}

/// The prohibitions of a content with a misspelt mark; none if it is no ACAP statement.
fn nearly_body(content: &str) -> Option<Vec<About>> {
    let mut found = nearly_marked(&plain(content)).map(|parts| nearly_stated(&parts)).unwrap_or_default();
    let hidden = Letters::of(content).marked().unwrap_or_default();
    let told: Vec<Usage> = found.iter().flat_map(meant).collect();
    found.extend(hidden.into_iter().filter(|usage| !told.contains(usage)).map(About::Known));
    // As the guide prints it (G 5.10): the mark is exact, but a statement in quotation marks never permits.
    let inner = content.trim_start_matches(is_blank);
    let quoted = body(inner.trim_start_matches(|letter| is_blank(letter) || is_quote(letter)))
        .filter(|_| inner.starts_with(is_quote));
    match quoted.map(|rest| somewhere(&parts(plain(rest).replace(is_quote, " ").as_bytes()))) {
        Some(Some(Name::Disallow(usage))) if found.is_empty() => Some(vec![usage]),
        quoted => (quoted.is_some() || !found.is_empty()).then_some(found),
    }
}

/// The known usages of a prohibition of this.
fn meant(about: &About) -> Vec<Usage> {
    match about {
        About::Known(usage) | About::Plural(usage) => vec![*usage],
        About::Unknown(name) => prohibited(name).map(|(usages, _)| usages).unwrap_or_default(),
        About::Local(_) => Vec::new(),
    }
}

/// The parts after a misspelt mark.
fn nearly_marked(content: &str) -> Option<Vec<String>> {
    /// The first letters, among which a misspelt mark has a `c` or a `p`.
    const SHORTEST: usize = 7;
    /// Characters searched for the mark and what it prohibits.
    const LONGEST: usize = 1_000;
    let content = content.trim_start_matches(is_blank);
    let mut letters = content.chars().filter(|letter| letter.is_alphabetic()).take(SHORTEST);
    let likely = letters.any(|letter| matches!(letter, 'c' | 'C' | 'p' | 'P'));
    if !likely {
        return None;
    }
    let head = content.char_indices().nth(LONGEST).and_then(|(end, _)| content.get(..end)).unwrap_or(content);
    after_mark(&parts(head.as_bytes())).map(|(rest, _)| rest)
}

/// A text with all blanks as plain spaces, as the grammar has them.
fn plain(text: &str) -> String {
    text.replace(is_blank, " ")
}

/// The prohibitions after a misspelt mark. Everything else must be exact, except the separators.
fn nearly_stated(parts: &[String]) -> Vec<About> {
    const VERB: [&str; 1] = ["disallow"];
    let mut out = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        let after = parts.get(place.saturating_add(1)..).unwrap_or(&[]);
        let joined = || format!("{part}{}", after.first().map_or("", |next| next));
        let is_verb =
            |word: &str| matches!(verb(word), Some((Verb::Disallow, 0 | 1))) && !PROHIBITING[1..].contains(&word);
        if is_verb(part) {
            out.push(first_named(after));
        } else if is_verb(&joined()) {
            out.push(first_named(after.get(1..).unwrap_or(&[])));
        } else if let Some(usage) = VERB.iter().find_map(|verb| part.strip_prefix(verb)) {
            let all: Vec<String> = std::iter::once(usage.to_owned()).chain(after.iter().cloned()).collect();
            out.push(first_named(&all));
        }
    }
    out
}

/// The usage that the first parts name: the longest known one, else the first part.
fn first_named(parts: &[String]) -> About {
    /// Parts of the longest usage.
    const PARTS: usize = 3;
    let known = (1..=PARTS).rev().find_map(|count| {
        let usage = about(&parts.get(..count)?.join("-"));
        (!matches!(usage, About::Unknown(_))).then_some(usage)
    });
    known.unwrap_or_else(|| About::Unknown(parts.first().cloned().unwrap_or_default()))
}

fn is_quote(letter: char) -> bool {
    matches!(letter, '"' | '\'' | '\u{2018}'..='\u{201F}' | '\u{AB}' | '\u{BB}')
}

/// White space of HTML, and the no-break space.
fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\x0C' | '\r' | '\u{A0}')
}

/// Whether a character hides a part of a name: a control character, or an invisible one. U+FFFD stands for NUL in HTML,
/// and for octets that could not be decoded.
fn is_unseen(letter: char) -> bool {
    let hides = matches!(letter, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{FFFD}');
    hides || (letter.is_control() && !is_blank(letter))
}

/// A text with each invisible character replaced.
fn shown(text: &str, by: &str) -> String {
    text.replace(OCTETS_OF_MARK, by).replace(is_unseen, by)
}

/// The octets of U+FEFF, as a header has them.
const OCTETS_OF_MARK: &str = "\u{EF}\u{BB}\u{BF}";

/// Whether a name or purpose has an invisible character, so that it cannot be told.
pub fn is_hidden(name: &str) -> bool {
    name.contains(is_unseen) || name.contains(OCTETS_OF_MARK)
}

/// Whether real pages put a character between `ACAP` and the statement.
fn is_joint(letter: char) -> bool {
    matches!(letter, ':' | '-' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

/// Reads the contents of META tags and the tokens of class attributes, in the order of the page.
///
/// The version is the first that any tag names, wherever it stands; without one it is 1.0 (P2 2.2.7). No more tags are
/// read once there are more than `most` statements.
pub fn read<'t>(
    contents: impl Iterator<Item = &'t str> + Clone,
    tokens: impl Iterator<Item = &'t str>,
    most: usize,
) -> Tags {
    let (tags, suggestions) = (Tags::default(), limits::SUGGESTIONS);
    let mut reader = Reader { tags, place: 0, sets: false, most, suggestions, doubted: false };
    let mut count = 0usize;
    for (place, content) in contents.clone().enumerate() {
        reader.place = place;
        reader.versions(content);
        count = place.saturating_add(1);
    }
    reader.sets = reader.tags.version.as_deref().is_some_and(is_later);
    for (place, content) in contents.enumerate() {
        if reader.tags.said.len() > most {
            break;
        }
        reader.doubted = is_hidden(content);
        reader.place = place;
        reader.tag(content);
        if reader.doubted {
            reader.tag_with_hidden(content);
        }
    }
    reader.doubted = false;
    for (place, token) in tokens.enumerate() {
        reader.place = count.saturating_add(place);
        reader.token(token);
    }
    reader.tags
}

/// Whether a version is later than 1.0.
fn is_later(version: &str) -> bool {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(u32::MAX));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) > (1, 0)
}

struct Reader {
    tags: Tags,
    place: usize,
    sets: bool,
    most: usize,
    /// Comparisons of misspelt names that are still allowed.
    suggestions: usize,
    /// The current tag has an invisible character: its purpose cannot be told, and it permits nothing.
    doubted: bool,
}

/// A statement with the words after it, up to the next statement.
struct Segment<'w> {
    effect: Effect,
    about: About,
    /// It is a misspelt permission, which lifts nothing, or a prohibition that may be one.
    slipped: bool,
    /// The words that name effect and usage.
    words: Vec<&'w str>,
    rest: Vec<&'w str>,
}

/// A statement that a word begins.
struct Begun {
    effect: Effect,
    about: About,
    /// Number of words after it that belong to its name.
    used: usize,
    /// It is a misspelt permission, or a prohibition that may be one.
    slipped: bool,
}

impl Begun {
    fn new(effect: Effect, about: About, used: usize) -> Self {
        Self { effect, about, used, slipped: false }
    }
}

impl Segment<'_> {
    /// The qualifiers and other words after it.
    fn tokens(&self) -> Vec<Vec<u8>> {
        tokens(self.rest.join(" ").as_bytes())
    }

    /// The words that belong to no qualifier.
    fn stray(&self) -> Vec<String> {
        let words = self.tokens().into_iter().filter(|token| qualifier_name(token).is_none());
        let words = words.map(|token| String::from_utf8_lossy(&token).trim_end_matches([',', ';']).to_owned());
        words.filter(|word| !word.is_empty()).collect()
    }

    /// The words that are not exact qualifiers.
    fn strange(&self) -> Vec<String> {
        let read = Setting { page: true, sets: true, others: false };
        let texts = self.tokens().into_iter().map(|token| String::from_utf8_lossy(&token).into_owned());
        texts.filter(|text| restriction(text.trim_end_matches([',', ';']), read).is_err()).collect()
    }
}

/// The words that are not exact qualifiers, in the order of the tag: a typo may have hidden a prohibition among them.
///
/// Each statement begins a new text, as it spells nothing together with the word before it, unless the two are a
/// divided `disallow`.
fn unread(purposes: &[&str], segments: &[Segment<'_>]) -> Vec<String> {
    let letters = |word: Option<&str>| word.unwrap_or("").chars().filter(|letter| letter.is_alphanumeric()).collect();
    let mut texts = Vec::new();
    let mut text: Vec<String> = purposes.iter().map(|word| (*word).to_owned()).collect();
    for segment in segments {
        let before: String = letters(text.last().map(String::as_str));
        let begins: String = letters(segment.words.first().copied());
        if !divides("disallow", &before, &begins) {
            texts.push(std::mem::take(&mut text).join(" "));
        }
        text.extend(segment.words.iter().map(|word| (*word).to_owned()));
        text.extend(segment.strange());
    }
    texts.push(text.join(" "));
    texts
}

impl Reader {
    fn problem(&mut self, code: Code, words: &[&str]) {
        let line = u32::try_from(self.place).unwrap_or(u32::MAX);
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        self.tags.problems.push(Problem { code, line, start: 0, words });
    }

    fn versions(&mut self, content: &str) {
        let Some(rest) = body(content) else { return };
        let mut words = words_of(rest).peekable();
        while let Some(word) = words.next() {
            if !word.eq_ignore_ascii_case("version") {
                continue;
            }
            let Some(number) = words.peek().map(|next| trim_end(next)).filter(|next| is_version(next)) else {
                continue;
            };
            if !KNOWN_VERSIONS.contains(&number) {
                self.problem(Code::AcapUnknownVersion, &[number]);
            }
            match self.tags.version {
                None => self.tags.version = Some(number.to_owned()),
                Some(_) => self.problem(Code::AcapSecondVersion, &[number]),
            }
        }
    }

    /// Reads a tag with an invisible character in the two ways it may be meant: without the character, and with a blank
    /// in its place. It prohibits and restricts what either reading does.
    fn tag_with_hidden(&mut self, content: &str) {
        let problems = self.tags.problems.len();
        for blank in ["", " "] {
            self.tag(&shown(content, blank));
        }
        self.tags.problems.truncate(problems);
    }

    fn tag(&mut self, content: &str) {
        let Some(rest) = body(content) else {
            let (found, permissions) = (nearly_body(content), permissions(content));
            if found.is_some() || permissions.is_some() {
                let is_empty = found.as_ref().is_none_or(Vec::is_empty);
                self.problem(if is_empty { Code::AcapEmptyTag } else { Code::AcapNearlyTag }, &[]);
                found.iter().flatten().for_each(|about| self.prohibit(about, true));
            }
            if let Some(permissions) = permissions {
                // Quotation marks around the whole are not part of the last value.
                let text = plain(permissions).replace(is_quote, " ");
                let words: Vec<&str> = words_of(&text).collect();
                let (segments, ..) = self.segments(&words);
                for segment in segments.iter().filter(|segment| segment.effect == Effect::Permits) {
                    self.segment(segment, &[], true);
                }
            }
            return;
        };
        if rest.trim_start_matches(is_blank).chars().next().is_some_and(is_joint) {
            self.problem(Code::AcapHyphen, &[]);
        }
        let words: Vec<&str> = words_of(rest).collect();
        let first = self.tags.said.len();
        let (segments, purposes, versions) = self.segments(&words);
        if segments.is_empty() {
            if versions == 0 || !purposes.is_empty() {
                self.problem(Code::AcapEmptyTag, &[]);
                self.hidden(first, &[rest.to_owned()]);
                if self.tags.said.len() == first
                    && let Some(Name::Disallow(about)) = somewhere(&parts(plain(rest).as_bytes()))
                {
                    self.prohibit(&about, true);
                }
            }
            return;
        }
        if segments.len().saturating_add(versions) > 1 {
            self.problem(Code::AcapSeveralStatements, &[]);
        }
        // Words between two statements may be the purposes of the second: they may narrow a permission, no prohibition.
        let mut before: Option<Vec<String>> = None;
        for segment in &segments {
            match (&before, segment.effect) {
                (None, _) => self.segment(segment, &purposes, false),
                (Some(words), Effect::Permits) => {
                    self.segment(segment, &words.iter().map(String::as_str).collect::<Vec<_>>(), false);
                }
                (Some(words), Effect::Prohibits) => {
                    self.segment(segment, &[], words.iter().any(|word| word.chars().any(char::is_alphanumeric)));
                }
            }
            before = Some(segment.stray());
        }
        self.hidden(first, &unread(&purposes, &segments));
    }

    /// The statements among words, the purposes before the first one, and the number of versions.
    fn segments<'w>(&mut self, words: &[&'w str]) -> (Vec<Segment<'w>>, Vec<&'w str>, usize) {
        let mut purposes: Vec<&str> = Vec::new();
        let mut segments: Vec<Segment<'_>> = Vec::new();
        let mut versions = 0usize;
        let mut at = 0usize;
        // Each prohibition is a statement, whatever follows it.
        let mut prohibitions = 0usize;
        while let Some(word) = words.get(at).copied().filter(|_| prohibitions <= self.most) {
            at = at.saturating_add(1);
            if word.eq_ignore_ascii_case("version") && words.get(at).is_some_and(|next| is_version(trim_end(next))) {
                at = at.saturating_add(1);
                versions = versions.saturating_add(1);
                continue;
            }
            let after = words.get(at..).unwrap_or(&[]);
            let permits = segments.last().is_some_and(|last| last.effect == Effect::Permits);
            if let Some(used) = Some(nearly_qualifier(word, after)).filter(|used| permits && *used > 0) {
                let from = at.saturating_sub(1);
                at = from.saturating_add(used);
                let all = words.get(from..at).unwrap_or(&[]);
                segments.last_mut().into_iter().for_each(|segment| segment.rest.extend(all));
                continue;
            }
            if let Some(Begun { effect, about, used, slipped }) = self.statement(word, after, segments.is_empty()) {
                at = at.saturating_add(used);
                prohibitions = prohibitions.saturating_add(usize::from(effect == Effect::Prohibits));
                let words = std::iter::once(word).chain(after.iter().copied().take(used)).collect();
                segments.push(Segment { effect, about, slipped, words, rest: Vec::new() });
                continue;
            }
            match segments.last_mut() {
                Some(segment) => segment.rest.push(word),
                None => purposes.extend(Some(word.trim_end_matches([',', ';'])).filter(|word| !word.is_empty())),
            }
        }
        (segments, purposes, versions)
    }

    /// Adds the prohibitions that the letters of texts spell, unless a statement from the place `first` on has them.
    fn hidden(&mut self, first: usize, texts: &[String]) {
        let said = self.tags.said.get(first..).unwrap_or(&[]);
        let mut told: BTreeSet<Usage> = said
            .iter()
            .filter(|one| one.effect == Effect::Prohibits && !one.local)
            .filter_map(|one| Usage::known(&one.usage))
            .collect();
        for text in texts {
            for usage in Letters::of(text).prohibited() {
                if !told.insert(usage) {
                    continue;
                }
                let about = About::Known(usage);
                self.problem(Code::AcapGuessedField, &[text, &prohibition(&about)]);
                self.prohibit(&about, true);
            }
        }
    }

    /// The statement that a word begins. `due`: it would be the first of the tag.
    fn statement(&mut self, word: &str, after: &[&str], due: bool) -> Option<Begun> {
        let bare = trim_end(word);
        let lower = bare.to_ascii_lowercase();
        let verbs = ["disallow-", "disallow=", "allow="];
        if bare.contains('=') && !verbs.iter().any(|verb| lower.starts_with(verb)) {
            // Before the first statement the word is not a qualifier.
            return match stated(&parts(bare.trim_matches(is_quote).as_bytes()), true).filter(|_| due)?.0 {
                Name::Allow(usage) => self.nearly_allowed(bare, usage, after),
                _ => None,
            };
        }
        let ended = bare.len() < word.len();
        let head = normal(bare.as_bytes());
        let text = String::from_utf8_lossy(&head.text).into_owned();
        let (effect, rest) = match (text.strip_prefix("allow"), text.strip_prefix("disallow")) {
            // `dis allow-index`: a blank divides the verb.
            _ if !ended && after.first().is_some_and(|next| divides("disallow", &text, next)) => {
                return self.divided(&text, after);
            }
            _ if !ended && after.first().is_some_and(|next| divides("allow", &text, next)) => {
                return self.divided(&text, after);
            }
            (Some(rest), _) => (Effect::Permits, rest),
            (_, Some(rest)) => (Effect::Prohibits, rest),
            _ => return self.slipped(bare, after, due),
        };
        let named = rest.strip_prefix('-').filter(|rest| !rest.is_empty());
        if let Some(rest) = named {
            if ended {
                self.problem(Code::AcapStrayText, &[word.get(bare.len()..).unwrap_or("")]);
            }
            if head.changed {
                self.problem(Code::AcapHyphen, &[]);
            }
            if effect == Effect::Prohibits
                && let Some(whole) = divided_usage(rest, after)
            {
                return Some(Begun::new(effect, About::Unknown(whole), 1));
            }
            return Some(Begun::new(effect, about(rest), 0));
        }
        if !rest.trim_start_matches('-').is_empty() || (ended && effect == Effect::Permits) {
            return self.slipped(bare, after, due);
        }
        // `allow index`: blanks read as hyphens.
        match following(after) {
            Some((about, used)) => {
                self.problem(Code::AcapHyphen, &[]);
                Some(Begun::new(effect, about, used))
            }
            None if effect == Effect::Prohibits => Some(Begun::new(effect, About::Unknown(String::new()), 0)),
            None => None,
        }
    }

    /// The statement whose verb a blank divides.
    fn divided(&mut self, text: &str, after: &[&str]) -> Option<Begun> {
        let whole = format!("{text}{}", after.first()?);
        let found = self.slipped(&whole, after.get(1..).unwrap_or(&[]), true)?;
        Some(Begun { used: found.used.saturating_add(1), ..found })
    }

    /// The statement that a misspelt word begins (section 5, Fallback); `allow` alone permits.
    fn slipped(&mut self, word: &str, after: &[&str], due: bool) -> Option<Begun> {
        /// The length of the shortest verb, with a typo: `alow`.
        const SHORTEST: usize = 4;
        if word.len() < SHORTEST {
            return None;
        }
        let parts = parts(word.trim_matches(is_quote).as_bytes());
        let usage = match stated(&parts, true)?.0 {
            Name::Disallow(usage) => usage,
            Name::Allow(usage) => return self.nearly_allowed(word, usage, after),
            _ => return None,
        };
        let nameless = usage == About::Unknown(String::new());
        let (usage, used) = match following(after).filter(|_| nameless) {
            Some(found) => found,
            None => (usage, 0),
        };
        // A word like `block` may be an id in a list.
        let is_word = nameless && parts.first().is_some_and(|first| PROHIBITING[1..].contains(&first.as_str()));
        let (usage, used) = match usage {
            About::Unknown(_) if is_word && !due => return None,
            // The words after it are prose.
            About::Unknown(_) if is_word => (About::Unknown(String::new()), 0),
            usage => (usage, used),
        };
        self.problem(Code::AcapGuessedField, &[word, &prohibition(&usage)]);
        Some(Begun { effect: Effect::Prohibits, about: usage, used, slipped: is_either_verb(&parts) })
    }

    /// A misspelt permission of a known usage, or of one near to it: it lifts nothing, but its restrictions hold.
    fn nearly_allowed(&mut self, word: &str, usage: About, after: &[&str]) -> Option<Begun> {
        let nameless = usage == About::Unknown(String::new());
        let (about, used) = if nameless { following(after)? } else { (usage, 0) };
        if matches!(&about, About::Unknown(name) if nearly(name).is_empty()) {
            return None;
        }
        self.problem(Code::AcapNearlyPermission, &[word]);
        Some(Begun { effect: Effect::Permits, about, used, slipped: true })
    }

    /// Prohibits a usage for every purpose. `doubted`: it may have been meant for some purposes only.
    fn prohibit(&mut self, about: &About, doubted: bool) {
        for (usage, local) in self.usages(about, Effect::Prohibits) {
            let place = self.place;
            let effect = Effect::Prohibits;
            let (purpose, qualifiers, lifts, firm) = (None, Vec::new(), true, false);
            let doubted = doubted || self.doubted;
            self.tags.said.push(Said { place, effect, usage, local, purpose, qualifiers, lifts, firm, doubted });
        }
    }

    /// Adds a statement. `doubted`: its purposes cannot be told.
    fn segment(&mut self, segment: &Segment<'_>, purposes: &[&str], doubted: bool) {
        let mut qualifiers: Vec<(String, String)> = Vec::new();
        let (mut broken, mut later) = (false, false);
        let all = segment.tokens();
        if segment.effect == Effect::Prohibits {
            if all.iter().any(|token| qualifier_name(token).is_some()) {
                self.problem(Code::AcapQualifierOnProhibition, &[]);
            }
            let stray = all.iter().find(|token| qualifier_name(token).is_none());
            if let Some(stray) = stray {
                self.problem(Code::AcapStrayText, &[&String::from_utf8_lossy(stray)]);
            }
        } else {
            for token in &all {
                let text = String::from_utf8_lossy(token).into_owned();
                let text = text.trim_end_matches([',', ';']);
                if text.is_empty() {
                    continue;
                }
                let sets = self.sets;
                match self.qualifier(text, &segment.about, sets) {
                    Ok(found) => qualifiers.push(found),
                    Err(restrictions::Refusal::LaterVersion) => {
                        later = true;
                        // A restriction of a later version that is known here holds; one that is not restricts nothing.
                        if restriction(text, Setting { page: true, sets: true, others: false }).is_ok() {
                            qualifiers.extend(self.qualifier(text, &segment.about, true));
                        }
                    }
                    Err(_) => broken = true,
                }
            }
        }
        if later {
            self.problem(Code::AcapLaterVersion, &[]);
        }
        let modifications = || qualifiers.iter().filter(|(name, _)| name == "prohibited-modification");
        if modifications().nth(1).is_some() && modifications().any(|(_, value)| value.eq_ignore_ascii_case("any")) {
            self.problem(Code::AcapSwallowedModification, &[]);
        }
        if let (About::Local(name), Effect::Prohibits) = (&segment.about, segment.effect) {
            self.problem(Code::AcapProhibitedLocalUsage, &[name]);
        }
        // A word without letter and digit is not a purpose.
        let odd =
            purposes.iter().find(|purpose| !is_every_purpose(purpose) && !purpose.chars().any(char::is_alphanumeric));
        if let Some(odd) = odd {
            self.problem(Code::AcapStrayText, &[odd]);
        }
        // A statement that cannot be interpreted is a prohibition, and its usage is read as that of any prohibition.
        let effect = if broken || odd.is_some() { Effect::Prohibits } else { segment.effect };
        let mut usages = self.usages(&segment.about, effect);
        if let (About::Unknown(name), true) = (&segment.about, effect != segment.effect)
            && let Some(whole) = divided_usage(name, &segment.rest)
        {
            // The next word may be the rest of its name.
            usages.extend(self.usages(&About::Unknown(whole), effect));
        }
        if let Some(hidden) = purposes.iter().find(|purpose| is_hidden(purpose)) {
            match effect {
                Effect::Permits => self.problem(Code::AcapNearlyPermission, &[hidden]),
                Effect::Prohibits => self.problem(Code::AcapGuessedField, &[hidden, &prohibition(&segment.about)]),
            }
        }
        // A statement that cannot be interpreted may be of a later version, and would then have restricted in every
        // tier.
        let unliftable = (broken || odd.is_some()) && !self.sets;
        let doubted = doubted || self.doubted;
        let named: Vec<&str> =
            purposes.iter().copied().filter(|purpose| purpose.chars().any(char::is_alphanumeric)).collect();
        let any = doubted || purposes.iter().any(|purpose| is_every_purpose(purpose)) || named.is_empty();
        let purposes = named;
        if effect == Effect::Prohibits {
            qualifiers.clear();
        }
        if purposes.len() > 1 {
            self.problem(Code::AcapStrayText, &[purposes.last().copied().unwrap_or("")]);
        }
        let slipped = segment.slipped || nearly_local(&segment.about).is_some();
        let lifts = !(later || slipped || doubted) || effect == Effect::Prohibits;
        let firm = effect != segment.effect || (segment.slipped && effect == Effect::Prohibits);
        if !lifts && !usages.iter().any(|(_, local)| *local) && qualifiers.is_empty() {
            return;
        }
        // Restrictions of a misspelt usage also restrict the usages that may be meant.
        let near = match &segment.about {
            About::Unknown(name) if effect == Effect::Permits && !qualifiers.is_empty() => nearly(name),
            _ => Vec::new(),
        };
        let near = near.into_iter().filter_map(|usage| usage.name()).map(|name| (name.to_owned(), false, false));
        let usages: Vec<(String, bool, bool)> =
            usages.into_iter().map(|(usage, local)| (usage, local, lifts)).chain(near).collect();
        let each: Vec<Option<String>> =
            if any { vec![None] } else { purposes.iter().map(|purpose| Some((*purpose).to_owned())).collect() };
        for purpose in each {
            for (usage, local, lifts) in &usages {
                self.tags.said.push(Said {
                    place: self.place,
                    effect,
                    usage: usage.clone(),
                    local: *local,
                    purpose: purpose.clone(),
                    qualifiers: qualifiers.clone(),
                    lifts: *lifts,
                    firm,
                    doubted: doubted || unliftable,
                });
            }
        }
    }

    /// A qualifier; an error if it cannot be interpreted, or is of a later version. `sets`: it may be of version 1.1.
    fn qualifier(&mut self, text: &str, about: &About, sets: bool) -> Result<(String, String), restrictions::Refusal> {
        let Some(name) = qualifier_name(text.as_bytes()) else {
            self.problem(Code::AcapStrayText, &[text]);
            return Err(restrictions::Refusal::UnknownName);
        };
        let value = text.get(name.len().saturating_add(1)..).unwrap_or("");
        let read = restriction(text, Setting { page: true, sets, others: false });
        match &read {
            Ok(reading) => {
                let standard = reading.restriction.name();
                if reading.older {
                    self.problem(Code::AcapOlderWord, &[text, standard]);
                }
                if let About::Known(usage) | About::Plural(usage) = about
                    && !in_column(reading.restriction.qualifier, *usage)
                {
                    self.problem(Code::AcapMisplacedQualifier, &[standard, usage.name().unwrap_or("")]);
                }
            }
            Err(restrictions::Refusal::LaterVersion) => {}
            Err(restrictions::Refusal::UnknownName) => self.problem(Code::AcapUnknownQualifier, &[name]),
            Err(restrictions::Refusal::BadValue) => self.problem(Code::AcapBadValue, &[name, &unescape(value)]),
        }
        read.map(|reading| (reading.restriction.name().to_owned(), reading.restriction.value.to_string()))
    }

    fn token(&mut self, token: &str) {
        let first = self.tags.said.len();
        let joined: String = token.chars().filter(|letter| !SPACES.contains(letter)).collect();
        if joined.len() == token.len() {
            self.one_token(token);
        } else if is_whole(&joined) {
            // A blank divides the token: it never permits.
            self.problem(Code::AcapNearlyTag, &[]);
            class_token(&joined).and_then(about_of).iter().for_each(|about| self.prohibit(about, false));
            permitted(&joined).iter().for_each(|about| self.name(about));
        }
        let said = self.tags.said.get(first..).unwrap_or(&[]);
        let told: Vec<Usage> = said
            .iter()
            .filter(|one| one.effect == Effect::Prohibits && !one.local)
            .filter_map(|one| Usage::known(&one.usage))
            .collect();
        for usage in Letters::of(token).whole().into_iter().filter(|usage| !told.contains(usage)) {
            self.problem(Code::AcapNearlyTag, &[]);
            self.prohibit(&About::Known(usage), false);
        }
        let permitted = Letters::of(token).whole_permission();
        let said = self.tags.said.get(first..).unwrap_or(&[]);
        let told: Vec<Usage> = said.iter().filter_map(|one| Usage::known(&one.usage)).collect();
        for usage in permitted.into_iter().filter(|usage| !told.contains(usage)) {
            self.problem(Code::AcapNearlyTag, &[]);
            self.name(&About::Known(usage));
        }
    }

    fn one_token(&mut self, token: &str) {
        let Some(rest) = class_token(token) else {
            nearly_token(token).iter().for_each(|about| {
                self.problem(Code::AcapNearlyTag, &[]);
                self.prohibit(about, false);
            });
            if let Some(about) = permissions(token).and_then(permitted_of) {
                self.problem(Code::AcapNearlyTag, &[]);
                self.name(&about);
            }
            return;
        };
        // A no-break space does not divide tokens, but is never meant as part of a name.
        let rest = plain(rest);
        let head = normal(rest.as_bytes());
        let text = String::from_utf8_lossy(&head.text).into_owned();
        let named = |prefix: &str| text.strip_prefix(prefix).filter(|rest| !rest.is_empty());
        let (effect, about) = match (named("allow-"), named("disallow-")) {
            (Some(name), _) => (Effect::Permits, about(name)),
            (_, Some(name)) => (Effect::Prohibits, about(name)),
            _ => match stated(&parts(rest.as_bytes()), true)
                .or_else(|| Some((somewhere(&parts(rest.as_bytes()))?, true)))
            {
                Some((Name::Disallow(usage), _)) => {
                    self.problem(Code::AcapGuessedField, &[token, &prohibition(&usage)]);
                    (Effect::Prohibits, usage)
                }
                Some((Name::Allow(usage), _)) if is_known(&usage) => {
                    self.problem(Code::AcapNearlyPermission, &[token]);
                    self.name(&usage);
                    return;
                }
                _ => {
                    self.problem(Code::AcapClassToken, &[token]);
                    return;
                }
            },
        };
        if head.changed {
            self.problem(Code::AcapHyphen, &[]);
        }
        for (usage, local) in self.usages(&about, effect) {
            if local && effect == Effect::Prohibits {
                self.problem(Code::AcapProhibitedLocalUsage, &[&usage]);
            }
            let (purpose, qualifiers) = (None, Vec::new());
            let (place, firm, doubted) = (self.place, false, false);
            let lifts = effect == Effect::Prohibits || nearly_local(&about).is_none();
            let said = Said { place, effect, usage, local, purpose, qualifiers, lifts, firm, doubted };
            self.tags.said.push(said);
        }
    }

    /// Adds a permission of an element with a typo: it lifts nothing, and prohibits for those who cannot work on
    /// elements.
    fn name(&mut self, about: &About) {
        for (usage, local) in self.usages(about, Effect::Permits) {
            let (place, effect, purpose, qualifiers) = (self.place, Effect::Permits, None, Vec::new());
            let (lifts, firm, doubted) = (false, false, false);
            self.tags.said.push(Said { place, effect, usage, local, purpose, qualifiers, lifts, firm, doubted });
        }
    }

    /// The usages that are meant, and whether each is a local one.
    fn usages(&mut self, about: &About, effect: Effect) -> Vec<(String, bool)> {
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

    fn plain_usages(&mut self, about: &About, effect: Effect) -> Vec<(String, bool)> {
        let known = |usage: &Usage| (usage.name().unwrap_or("").to_owned(), false);
        let name = match about {
            About::Known(usage) => return vec![known(usage)],
            About::Plural(usage) => {
                self.problem(Code::AcapPlural, &[usage.name().unwrap_or("")]);
                return vec![known(usage)];
            }
            About::Local(name) => return vec![(name.clone(), true)],
            About::Unknown(name) => name,
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
fn nearly_local(about: &About) -> Option<&str> {
    let About::Unknown(name) = about else { return None };
    let bare = name.trim_matches(['(', ')', '-']);
    let odd = !bare.is_empty() && (name.starts_with('(') || name.ends_with(')')) && nearly(name).is_empty();
    odd.then_some(bare)
}

/// The number of words that are a qualifier with a misspelt name, which could be taken for a verb of prohibition; 0 if
/// they are not, or are an exact prohibition.
fn nearly_qualifier(word: &str, after: &[&str]) -> usize {
    /// Parts of the longest name.
    const PARTS: usize = 3;
    let exact = normal(trim_end(word).as_bytes());
    if exact.text.starts_with(b"disallow") || exact.text.starts_with(b"allow") {
        return 0;
    }
    let mut text = word.to_owned();
    for count in 1..=PARTS {
        if text.contains('=') || count == PARTS || count > after.len() {
            let names = restrictions::TABLE.iter().map(|row| row.name).filter(|name| name.starts_with("prohibit"));
            return if Letters::of(&text).begins_as(names) { count } else { 0 };
        }
        text.push_str(after.get(count.saturating_sub(1)).copied().unwrap_or(""));
    }
    0
}

/// The usage that a blank divides, where the word before the blank is not a usage itself.
fn divided_usage(name: &str, after: &[&str]) -> Option<String> {
    if !matches!(about(name), About::Unknown(_)) || prohibited(name).is_some() {
        return None;
    }
    let whole = format!("{name}{}", String::from_utf8_lossy(&normal(trim_end(after.first()?).as_bytes()).text));
    prohibited(&whole).map(|_| whole)
}

/// The usage that the words after a verb name, and the number of its words: the longest known one, else the first word.
fn following(after: &[&str]) -> Option<(About, usize)> {
    /// Parts of the longest usage.
    const PARTS: usize = 3;
    let joined = |count: usize| -> Option<String> {
        let words = after.get(..count).filter(|words| !words.is_empty())?;
        let name = words.iter().map(|word| trim_end(word)).collect::<Vec<_>>().join("-");
        Some(String::from_utf8_lossy(&normal(name.as_bytes()).text).into_owned())
    };
    let known = (1..=PARTS).rev().find_map(|count| {
        let name = joined(count)?;
        matches!(about(&name), About::Known(_) | About::Plural(_) | About::Local(_)).then_some((about(&name), count))
    });
    known.or_else(|| Some((about(&joined(1)?), 1)))
}

/// `class-attribute-prohibition = "the-acap:disallow-" ACAP-usage-name`: what follows `the-acap:` in a token of a class
/// attribute.
pub fn class_token(token: &str) -> Option<&str> {
    ["the-acap:", "acap:"].iter().find_map(|prefix| {
        let head = token.get(..prefix.len())?;
        head.eq_ignore_ascii_case(prefix).then(|| token.get(prefix.len()..)).flatten()
    })
}

/// The prohibitions of a token of a class attribute with a misspelt prefix.
fn nearly_token(token: &str) -> Vec<About> {
    nearly_marked(token).map(|parts| nearly_stated(&parts)).unwrap_or_default()
}

/// White space of HTML, which divides the tokens of a class attribute.
const SPACES: [char; 5] = [' ', '\t', '\n', '\x0C', '\r'];

/// The ACAP tokens in a class attribute, exact or misspelt; two tokens that a blank divides are one, with the blank in
/// it.
pub fn class_tokens(value: &str) -> Vec<String> {
    let words: Vec<&str> = value.split(SPACES).filter(|word| !word.is_empty()).collect();
    let mut out = Vec::new();
    let mut before: Option<&str> = None;
    for word in words {
        let own = class_token(word).is_some()
            || !nearly_token(word).is_empty()
            || !Letters::of(word).whole().is_empty()
            || !Letters::of(word).whole_permission().is_empty()
            || permissions(word).and_then(permitted_of).is_some();
        if let Some(before) = before.filter(|_| !is_whole(word)) {
            let joined = format!("{before}{word}");
            let told = if is_whole(before) { Letters::of(before).whole() } else { Vec::new() };
            let permitted_before = || Letters::of(before).whole_permission();
            if Letters::of(&joined).whole().iter().any(|usage| !told.contains(usage))
                || (Letters::of(before).is_mark() && is_whole(&joined))
                || Letters::of(&joined).whole_permission().iter().any(|usage| !permitted_before().contains(usage))
            {
                out.push(format!("{before} {word}"));
            }
        }
        if own {
            out.push(word.to_owned());
        }
        before = Some(word);
    }
    out
}

/// Whether a token of a class attribute is an exact prohibition or permission, of any usage.
fn is_whole(token: &str) -> bool {
    let Some(rest) = class_token(token) else { return false };
    let permits = rest.get(..6).is_some_and(|verb| verb.eq_ignore_ascii_case("allow-"));
    (permits && rest.len() > 6) || about_of(rest).is_some_and(|about| about != About::Unknown(String::new()))
}

/// The known usage of an exact permission in a token.
fn permitted(token: &str) -> Option<About> {
    class_token(token).and_then(permitted_of)
}

/// The known usage of an exact permission, given without its mark.
fn permitted_of(rest: &str) -> Option<About> {
    let text = String::from_utf8_lossy(&normal(rest.as_bytes()).text).into_owned();
    text.strip_prefix("allow-").map(about).filter(is_known)
}

/// Whether a usage is known or local, and so needs no guess.
fn is_known(about: &About) -> bool {
    !matches!(about, About::Unknown(_))
}

/// The usage of the prohibition after a mark.
fn about_of(rest: &str) -> Option<About> {
    let text = String::from_utf8_lossy(&normal(rest.as_bytes()).text).into_owned();
    text.strip_prefix("disallow-").map(about)
}

fn words_of(rest: &str) -> impl Iterator<Item = &str> {
    let words = rest.trim_start_matches(|letter| is_joint(letter) || is_blank(letter)).split(is_blank);
    words.flat_map(divided).filter(|word| !word.is_empty())
}

/// A word, divided after each mark that a statement follows without a blank.
fn divided(word: &str) -> impl Iterator<Item = &str> {
    let begins = |rest: &str| {
        ["allow", "disallow"]
            .iter()
            .any(|verb| rest.get(..verb.len()).is_some_and(|head| head.eq_ignore_ascii_case(verb)))
    };
    let mut rest = Some(word);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut marks = text.match_indices([',', ';']).map(|(at, _)| at.saturating_add(1));
        let cut = marks.find(|at| text.get(*at..).is_some_and(begins));
        let (head, tail) = cut.and_then(|at| text.split_at_checked(at)).map_or((text, None), |(a, b)| (a, Some(b)));
        rest = tail;
        Some(head)
    })
}

/// A word without the punctuation marks after it.
fn trim_end(word: &str) -> &str {
    word.trim_end_matches([',', ';', ':'])
}

fn is_version(word: &str) -> bool {
    let sound = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    word.contains('.') && word.split('.').all(sound)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(content: &str) -> Vec<(Effect, String, Option<String>, Vec<(String, String)>)> {
        let tags = read(std::iter::once(content), std::iter::empty(), usize::MAX);
        tags.said.into_iter().map(|one| (one.effect, one.usage, one.purpose, one.qualifiers)).collect()
    }

    fn plain(effect: Effect, usage: &str) -> (Effect, String, Option<String>, Vec<(String, String)>) {
        (effect, usage.to_owned(), None, Vec::new())
    }

    #[test]
    fn the_grammar_of_part_2_is_read() {
        assert_eq!(said("ACAP allow-index"), [plain(Effect::Permits, "index")]);
        assert_eq!(said("acap\n disallow-present-snippets "), [plain(Effect::Prohibits, "present-snippet")]);
        let (effect, usage, purpose, qualifiers) =
            said("ACAP news.search.com allow-index time-limit = until-recrawled").remove(0);
        assert_eq!((effect, usage.as_str(), purpose.as_deref()), (Effect::Permits, "index", Some("news.search.com")));
        assert_eq!(qualifiers, [("time-limit".to_owned(), "until-recrawled".to_owned())]);
        assert!(said("ACAPULCO allow-index").is_empty());
        assert!(said("ACAP version 1.1").is_empty());
    }

    #[test]
    fn nothing_beside_a_permission_is_passed_over() {
        assert_eq!(said("ACAP allow-index stray"), [plain(Effect::Prohibits, "index")]);
        assert_eq!(
            said("ACAP allow-index time-limit=3-days, disallow-follow"),
            [
                (Effect::Permits, "index".into(), None, vec![("time-limit".into(), "3-days".into())]),
                plain(Effect::Prohibits, "follow")
            ]
        );
        assert_eq!(
            said("ACAP allow-index news disallow-follow"),
            [plain(Effect::Prohibits, "index"), plain(Effect::Prohibits, "follow")]
        );
        assert_eq!(said("ACAP disallow index"), [plain(Effect::Prohibits, "index")]);
        assert_eq!(said("ACAP news, disallow-index").remove(0).2.as_deref(), Some("news"));
        assert_eq!(said("ACAP-disallow-index: /"), [plain(Effect::Prohibits, "index")]);
    }

    #[test]
    fn element_sets_need_a_version_to_lift_anything() {
        let content = "ACAP allow-index must-use-resource=the-acap:idlist:a, b";
        for (version, lifts) in [("ACAP Version 1.0", false), ("ACAP Version 1.1", true)] {
            let tags = read([content, version].into_iter(), std::iter::empty(), usize::MAX);
            assert_eq!(tags.said[0].qualifiers[0].1, "the-acap:idlist:a, b");
            assert_eq!(tags.said[0].lifts, lifts);
        }
        assert!(said("ACAP allow-index ref=x").is_empty());
    }

    #[test]
    fn class_tokens_are_basic() {
        let tags = read(
            std::iter::empty(),
            ["The-ACAP:allow-(Mine)", "acap:disallow-indexes", "the-acap:x"].into_iter(),
            usize::MAX,
        );
        let found: Vec<(Effect, &str, bool)> =
            tags.said.iter().map(|one| (one.effect, one.usage.as_str(), one.local)).collect();
        assert_eq!(found[0], (Effect::Permits, "mine", true));
        assert_eq!(found[1].0, Effect::Prohibits);
        assert_eq!(tags.problems.iter().filter(|one| one.code == Code::AcapClassToken).count(), 1);
    }
}
