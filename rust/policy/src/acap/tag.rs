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
//! Laws: of what is written beside a permission nothing is passed over; what cannot be interpreted prohibits. What is
//! written beside a prohibition never narrows it.

use super::field::{About, about, normal};
use super::spelling::{guess, nearest, parts_of};
use super::value::{qualifier_name, tokens, unescape};
use crate::file::restriction;
use crate::problems::{Code, Problem};
use crate::restrictions::{self, Setting, in_column};
use crate::statement::Effect;
use crate::usage::{KNOWN, Usage};

/// What one tag or token says about a usage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The place of its tag among those given.
    pub place: usize,
    pub effect: Effect,
    /// The usage's name, or that of a local usage.
    pub usage: String,
    pub local: bool,
    pub purpose: Option<String>,
    /// Name and value, as written.
    pub qualifiers: Vec<(String, String)>,
}

/// What the tags of one page say.
#[derive(Debug, Default)]
pub struct Tags {
    pub version: Option<String>,
    pub said: Vec<Said>,
    /// The line of a problem is the place of its tag.
    pub problems: Vec<Problem>,
}

/// What follows the word `ACAP`; none if the content is no ACAP statement.
pub fn body(content: &str) -> Option<&str> {
    let content = content.trim_start_matches(is_blank);
    let head = content.get(..4).filter(|head| head.eq_ignore_ascii_case("acap"))?;
    let rest = content.get(head.len()..)?;
    let ends = rest.chars().next().is_none_or(|next| is_blank(next) || is_joint(next));
    ends.then_some(rest)
}

/// White space of HTML, and the no-break space.
fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\x0C' | '\r' | '\u{A0}')
}

/// What real pages put between `ACAP` and the statement.
fn is_joint(letter: char) -> bool {
    matches!(letter, ':' | '-' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

/// Reads the contents of META tags and the tokens of class attributes, in the order of the page.
///
/// The version is the first that any tag names, wherever it stands; without one it is 1.0 (P2 2.2.7).
pub fn read<'t>(contents: impl Iterator<Item = &'t str> + Clone, tokens: impl Iterator<Item = &'t str>) -> Tags {
    let mut reader = Reader { tags: Tags::default(), place: 0, sets: false };
    let mut count = 0usize;
    for (place, content) in contents.clone().enumerate() {
        reader.place = place;
        reader.versions(content);
        count = place.saturating_add(1);
    }
    reader.sets = reader.tags.version.as_deref().is_some_and(is_later);
    for (place, content) in contents.enumerate() {
        reader.place = place;
        reader.tag(content);
    }
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
}

/// A word with what follows it up to the next statement.
struct Segment<'w> {
    effect: Effect,
    about: About,
    rest: Vec<&'w str>,
}

impl Segment<'_> {
    /// Qualifiers, and what else stands there.
    fn tokens(&self) -> Vec<Vec<u8>> {
        tokens(self.rest.join(" ").as_bytes())
    }

    /// The words that belong to no qualifier.
    fn stray(&self) -> Vec<String> {
        let words = self.tokens().into_iter().filter(|token| qualifier_name(token).is_none());
        let words = words.map(|token| String::from_utf8_lossy(&token).trim_end_matches([',', ';']).to_owned());
        words.filter(|word| !word.is_empty()).collect()
    }
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
            match self.tags.version {
                None => self.tags.version = Some(number.to_owned()),
                Some(_) => self.problem(Code::AcapSecondVersion, &[number]),
            }
        }
    }

    fn tag(&mut self, content: &str) {
        let Some(rest) = body(content) else { return };
        if rest.chars().next().is_some_and(is_joint) {
            self.problem(Code::AcapHyphen, &[]);
        }
        let words: Vec<&str> = words_of(rest).collect();
        let mut purposes: Vec<&str> = Vec::new();
        let mut segments: Vec<Segment<'_>> = Vec::new();
        let mut versions = 0usize;
        let mut at = 0usize;
        while let Some(word) = words.get(at).copied() {
            at = at.saturating_add(1);
            if word.eq_ignore_ascii_case("version") && words.get(at).is_some_and(|next| is_version(trim_end(next))) {
                at = at.saturating_add(1);
                versions = versions.saturating_add(1);
                continue;
            }
            if let Some((effect, about, used)) = self.statement(word, words.get(at..).unwrap_or(&[])) {
                at = at.saturating_add(used);
                segments.push(Segment { effect, about, rest: Vec::new() });
                continue;
            }
            match segments.last_mut() {
                Some(segment) => segment.rest.push(word),
                None => purposes.extend(Some(word.trim_end_matches([',', ';'])).filter(|word| !word.is_empty())),
            }
        }
        if segments.is_empty() {
            if versions == 0 || !purposes.is_empty() {
                self.problem(Code::AcapEmptyTag, &[]);
            }
            return;
        }
        if segments.len().saturating_add(versions) > 1 {
            self.problem(Code::AcapSeveralStatements, &[]);
        }
        // Words between two statements may be the purposes of the second: they narrow a permission only.
        let mut before: Option<Vec<String>> = None;
        for segment in &segments {
            let own: Vec<&str> = match (&before, segment.effect) {
                (None, _) => purposes.clone(),
                (Some(words), Effect::Permits) => words.iter().map(String::as_str).collect(),
                (Some(_), Effect::Prohibits) => Vec::new(),
            };
            self.segment(segment, &own);
            before = Some(segment.stray());
        }
    }

    /// The statement that a word begins, and how many words after it belong to its name.
    fn statement(&mut self, word: &str, after: &[&str]) -> Option<(Effect, About, usize)> {
        /// Parts of the longest usage.
        const PARTS: usize = 3;
        let bare = trim_end(word);
        let head = normal(bare.as_bytes());
        let text = String::from_utf8_lossy(&head.text).into_owned();
        let (effect, rest) = match (text.strip_prefix("allow"), text.strip_prefix("disallow")) {
            (Some(rest), _) => (Effect::Permits, rest),
            (_, Some(rest)) => (Effect::Prohibits, rest),
            _ => return None,
        };
        let named = rest.strip_prefix('-').filter(|rest| !rest.is_empty());
        let ended = bare.len() < word.len();
        if let Some(rest) = named {
            if ended {
                self.problem(Code::AcapStrayText, &[word.get(bare.len()..).unwrap_or("")]);
            }
            if head.changed {
                self.problem(Code::AcapHyphen, &[]);
            }
            return Some((effect, about(rest), 0));
        }
        if !rest.trim_start_matches('-').is_empty() || ended {
            return None;
        }
        // `allow index`: blanks read as hyphens.
        let joined = |count: usize| -> Option<String> {
            let words = after.get(..count).filter(|words| !words.is_empty())?;
            let name = words.iter().map(|word| trim_end(word)).collect::<Vec<_>>().join("-");
            Some(String::from_utf8_lossy(&normal(name.as_bytes()).text).into_owned())
        };
        let known = (1..=PARTS).rev().find_map(|count| {
            let name = joined(count)?;
            matches!(about(&name), About::Known(_) | About::Plural(_) | About::Local(_))
                .then_some((about(&name), count))
        });
        let (about, used) = match known {
            Some(found) => found,
            None => (about(&joined(1)?), 1),
        };
        self.problem(Code::AcapHyphen, &[]);
        Some((effect, about, used))
    }

    fn segment(&mut self, segment: &Segment<'_>, purposes: &[&str]) {
        let mut qualifiers: Vec<(String, String)> = Vec::new();
        let mut broken = false;
        let usages = self.usages(&segment.about, segment.effect);
        let usage = usages.first().cloned().unwrap_or_default();
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
                match self.qualifier(text, &usage) {
                    Some(Ok(found)) => qualifiers.push(found),
                    Some(Err(())) => return,
                    None => broken = true,
                }
            }
        }
        let (usage, local) = usage;
        let effect = if broken { Effect::Prohibits } else { segment.effect };
        if effect == Effect::Prohibits {
            qualifiers.clear();
            if local && segment.effect == Effect::Prohibits {
                self.problem(Code::AcapProhibitedLocalUsage, &[&usage]);
            }
        }
        if purposes.len() > 1 {
            self.problem(Code::AcapStrayText, &[purposes.last().copied().unwrap_or("")]);
        }
        let any = purposes.is_empty() || purposes.contains(&"*");
        let each: Vec<Option<String>> =
            if any { vec![None] } else { purposes.iter().map(|purpose| Some((*purpose).to_owned())).collect() };
        for purpose in each {
            for (usage, local) in &usages {
                self.tags.said.push(Said {
                    place: self.place,
                    effect,
                    usage: usage.clone(),
                    local: *local,
                    purpose: purpose.clone(),
                    qualifiers: qualifiers.clone(),
                });
            }
        }
    }

    /// A qualifier; an error if it makes the statement void, none if it cannot be interpreted.
    fn qualifier(&mut self, text: &str, usage: &(String, bool)) -> Option<Result<(String, String), ()>> {
        let Some(name) = qualifier_name(text.as_bytes()) else {
            self.problem(Code::AcapStrayText, &[text]);
            return None;
        };
        let setting = Setting { page: true, sets: self.sets, others: false };
        let value = text.get(name.len().saturating_add(1)..).unwrap_or("");
        match restriction(text, setting) {
            Ok(reading) => {
                let standard = reading.restriction.name();
                if reading.older {
                    self.problem(Code::AcapOlderWord, &[text, standard]);
                }
                let known = Usage::known(&usage.0).filter(|_| !usage.1);
                if known.is_some_and(|known| !in_column(reading.restriction.qualifier, known)) {
                    self.problem(Code::AcapMisplacedQualifier, &[standard, &usage.0]);
                }
                Some(Ok((standard.to_owned(), reading.restriction.value.to_string())))
            }
            Err(restrictions::Refusal::LaterVersion) => {
                self.problem(Code::AcapLaterVersion, &[]);
                Some(Err(()))
            }
            Err(restrictions::Refusal::UnknownName) => {
                self.problem(Code::AcapUnknownQualifier, &[name]);
                None
            }
            Err(restrictions::Refusal::BadValue) => {
                self.problem(Code::AcapBadValue, &[name, &unescape(value)]);
                None
            }
        }
    }

    fn token(&mut self, token: &str) {
        let Some(rest) = class_token(token) else { return };
        // A no-break space divides no tokens, and yet nobody means it as part of a name.
        let head = normal(rest.replace('\u{A0}', " ").as_bytes());
        let text = String::from_utf8_lossy(&head.text).into_owned();
        let named = |prefix: &str| text.strip_prefix(prefix).filter(|rest| !rest.is_empty());
        let (effect, name) = match (named("allow-"), named("disallow-")) {
            (Some(name), _) => (Effect::Permits, name),
            (_, Some(name)) => (Effect::Prohibits, name),
            _ => {
                self.problem(Code::AcapClassToken, &[token]);
                return;
            }
        };
        if head.changed {
            self.problem(Code::AcapHyphen, &[]);
        }
        let about = about(name);
        for (usage, local) in self.usages(&about, effect) {
            if local && effect == Effect::Prohibits {
                self.problem(Code::AcapProhibitedLocalUsage, &[&usage]);
            }
            let said = Said { place: self.place, effect, usage, local, purpose: None, qualifiers: Vec::new() };
            self.tags.said.push(said);
        }
    }

    /// The usages meant, and whether each is a local one.
    fn usages(&mut self, about: &About, effect: Effect) -> Vec<(String, bool)> {
        match parts_of(about, effect) {
            Some(parts) => parts.iter().map(|part| (part.name().unwrap_or("").to_owned(), false)).collect(),
            None => vec![self.usage(about, effect)],
        }
    }

    /// The name of the usage meant, and whether it is a local one.
    fn usage(&mut self, about: &About, effect: Effect) -> (String, bool) {
        let known = |usage: Usage| usage.name().unwrap_or("").to_owned();
        match about {
            About::Known(usage) => (known(*usage), false),
            About::Plural(usage) => {
                self.problem(Code::AcapPlural, &[usage.name().unwrap_or("")]);
                (known(*usage), false)
            }
            About::Local(name) => (name.clone(), true),
            About::Unknown(name) => {
                if effect == Effect::Prohibits
                    && let Some(usage) = guess(name)
                {
                    self.problem(Code::AcapGuessedUsage, &[name, usage.name().unwrap_or("")]);
                    return (known(usage), false);
                }
                let near = nearest(name, KNOWN.iter().map(|(known, _)| *known)).unwrap_or_default();
                self.problem(Code::AcapUnknownUsage, &[name, &near]);
                (name.clone(), false)
            }
        }
    }
}

/// What follows the prefix in a token of a class attribute.
pub fn class_token(token: &str) -> Option<&str> {
    ["the-acap:", "acap:"].iter().find_map(|prefix| {
        let head = token.get(..prefix.len())?;
        head.eq_ignore_ascii_case(prefix).then(|| token.get(prefix.len()..)).flatten()
    })
}

fn words_of(rest: &str) -> impl Iterator<Item = &str> {
    let words = rest.trim_start_matches(is_joint).split(is_blank);
    words.flat_map(divided).filter(|word| !word.is_empty())
}

/// A word, divided behind each mark that a statement follows without a blank.
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

/// A word without the marks that stand after it.
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
        let tags = read(std::iter::once(content), std::iter::empty());
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
    fn element_sets_need_a_version() {
        let content = "ACAP allow-index must-use-resource=the-acap:idlist:a, b";
        assert!(said(content).is_empty());
        let tags = read([content, "ACAP Version 1.1"].into_iter(), std::iter::empty());
        assert_eq!(tags.said[0].qualifiers[0].1, "the-acap:idlist:a, b");
    }

    #[test]
    fn class_tokens_are_basic() {
        let tags =
            read(std::iter::empty(), ["The-ACAP:allow-(Mine)", "acap:disallow-indexes", "the-acap:x"].into_iter());
        let found: Vec<(Effect, &str, bool)> =
            tags.said.iter().map(|one| (one.effect, one.usage.as_str(), one.local)).collect();
        assert_eq!(found[0], (Effect::Permits, "mine", true));
        assert_eq!(found[1].0, Effect::Prohibits);
        assert_eq!(tags.problems.iter().filter(|one| one.code == Code::AcapClassToken).count(), 1);
    }
}
