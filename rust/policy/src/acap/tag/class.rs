//! Tokens of class attributes → statements on elements (P2 2.2.5, 3).
//!
//! ```text
//! class-attribute-permission  = "the-acap:allow-" (ACAP-usage-name / local-usage-name)
//! class-attribute-prohibition = "the-acap:disallow-" ACAP-usage-name
//! ```

use super::mark::{is_blank, meant, nearly_marked, nearly_stated, permissions, plain};
use super::reader::{Reader, TagStatement, nearly_local};
use super::words::listed;
use crate::acap::letters::Letters;
use crate::acap::name::{Name, UsageName, normal, normal_text, somewhere, stated, words as parts};
use crate::problems::Code;
use crate::statement::Effect;
use crate::usage::Usage;

impl Reader {
    /// Reads a token, or two that a blank divides.
    pub(super) fn token(&mut self, token: &str) {
        let first = self.tags.statements.len();
        let joined: String = token.chars().filter(|letter| !SPACES.contains(letter)).collect();
        if joined.len() == token.len() {
            self.undivided(token);
            let is_free = self.since(first).iter().all(|one| one.effect == Effect::Permits);
            let known: Vec<Usage> = self.since(first).iter().filter_map(TagStatement::prohibited).collect();
            for about in behind_mark(token) {
                if is_free || meant(&about).iter().any(|usage| !known.contains(usage)) {
                    self.problem(Code::AcapGuessedField, &[token, &about.prohibition()]);
                    self.prohibit(&about, false);
                }
            }
        } else if is_whole(&joined) {
            // A blank divides the token: it never permits.
            self.problem(Code::AcapNearlyTag, &[]);
            class_token(&joined).and_then(prohibited).iter().for_each(|about| self.prohibit(about, false));
            class_token(&joined).and_then(permitted).iter().for_each(|about| self.nearly_permit(about));
        }
        let known: Vec<Usage> = self.since(first).iter().filter_map(TagStatement::prohibited).collect();
        for usage in Letters::of(token).whole().into_iter().filter(|usage| !known.contains(usage)) {
            self.problem(Code::AcapNearlyTag, &[]);
            self.prohibit(&UsageName::Known(usage), false);
        }
        let known: Vec<Usage> = self.since(first).iter().filter_map(|one| Usage::known(&one.usage)).collect();
        for usage in Letters::of(token).whole_permission().into_iter().filter(|usage| !known.contains(usage)) {
            self.problem(Code::AcapNearlyTag, &[]);
            self.nearly_permit(&UsageName::Known(usage));
        }
    }

    fn undivided(&mut self, token: &str) {
        let Some(rest) = class_token(token) else {
            nearly_token(token).iter().for_each(|about| {
                self.problem(Code::AcapNearlyTag, &[]);
                self.prohibit(about, false);
            });
            if let Some(about) = permissions(token).and_then(permitted) {
                self.problem(Code::AcapNearlyTag, &[]);
                self.nearly_permit(&about);
            }
            return;
        };
        // A no-break space does not divide tokens, but is never meant as part of a name.
        let rest = plain(rest);
        let head = normal(rest.as_bytes());
        let text = String::from_utf8_lossy(&head.text);
        let named = |prefix: &str| text.strip_prefix(prefix).filter(|rest| !rest.is_empty());
        let (effect, about) = match (named("allow-"), named("disallow-")) {
            (Some(name), _) => (Effect::Permits, UsageName::of(name)),
            (_, Some(name)) => (Effect::Prohibits, UsageName::of(name)),
            _ => match stated(&parts(rest.as_bytes()), true)
                .or_else(|| Some((somewhere(&parts(rest.as_bytes()))?, true)))
            {
                Some((Name::Disallow(usage), _)) => {
                    self.problem(Code::AcapGuessedField, &[token, &usage.prohibition()]);
                    (Effect::Prohibits, usage)
                }
                Some((Name::Allow(usage), _)) if usage.needs_no_guess() => {
                    self.problem(Code::AcapNearlyPermission, &[token]);
                    self.nearly_permit(&usage);
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
            let lifts = effect == Effect::Prohibits || nearly_local(&about).is_none();
            let statement = TagStatement { lifts, ..TagStatement::new(self.place, effect, usage, local) };
            self.tags.statements.push(statement);
        }
    }
}

/// What follows the `"the-acap:"` of a `class-attribute-permission` or `class-attribute-prohibition` (P2 3).
fn class_token(token: &str) -> Option<&str> {
    ["the-acap:", "acap:"].iter().find_map(|prefix| {
        let head = token.get(..prefix.len())?;
        head.eq_ignore_ascii_case(prefix).then(|| token.get(prefix.len()..)).flatten()
    })
}

/// The prohibitions of a token of a class attribute with a misspelt prefix.
fn nearly_token(token: &str) -> Vec<UsageName> {
    nearly_marked(token).map(|parts| nearly_stated(&parts)).unwrap_or_default()
}

/// The prohibitions behind an exact mark anywhere in a token, whatever signs divide them: a comma may stand for the
/// blank between two tokens. A no-break space does not.
fn behind_mark(token: &str) -> Vec<UsageName> {
    /// Octets in which single prohibitions are looked for; a verb in more prohibits everything.
    const LONGEST: usize = 1_000;
    const MARK: &[u8] = b"acap:";
    let place = token.as_bytes().windows(MARK.len()).position(|part| part.eq_ignore_ascii_case(MARK));
    let Some((before, rest)) = place.and_then(|place| token.split_at_checked(place)) else { return Vec::new() };
    if before.trim_end_matches(|letter: char| letter.is_alphanumeric() || letter == '-').ends_with(is_blank) {
        return Vec::new();
    }
    if rest.len() > LONGEST {
        let holds = rest.to_ascii_lowercase().contains("disallow");
        return if holds { vec![UsageName::none()] } else { Vec::new() };
    }
    let divides = |letter: char| !letter.is_alphanumeric() && !matches!(letter, '(' | ')');
    let mut found = nearly_stated(&parts(rest.replace(divides, " ").as_bytes()));
    if !found.is_empty() {
        found.extend(listed(&rest.replace(|letter: char| divides(letter) && letter != '-', ",")));
    }
    found
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
            || permissions(word).and_then(permitted).is_some()
            || !behind_mark(word).is_empty();
        if let Some(before) = before.filter(|_| !is_whole(word)) {
            let joined = format!("{before}{word}");
            let of_before = if is_whole(before) { Letters::of(before).whole() } else { Vec::new() };
            let permitted_before = || Letters::of(before).whole_permission();
            if Letters::of(&joined).whole().iter().any(|usage| !of_before.contains(usage))
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
    (permits && rest.len() > 6) || prohibited(rest).is_some_and(|about| about != UsageName::none())
}

/// The known or local usage of the permission after a mark.
fn permitted(rest: &str) -> Option<UsageName> {
    normal_text(rest.as_bytes()).strip_prefix("allow-").map(UsageName::of).filter(UsageName::needs_no_guess)
}

/// The usage of the prohibition after a mark.
fn prohibited(rest: &str) -> Option<UsageName> {
    normal_text(rest.as_bytes()).strip_prefix("disallow-").map(UsageName::of)
}
