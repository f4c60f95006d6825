//! The content of a META tag → statements (P2 2.2, 3).

use std::collections::BTreeSet;

use super::garbled::{is_garbled, is_purpose};
use super::mark::{body, is_blank, is_hidden, is_joint, is_quote, nearly_body, permissions, plain, shown, trim_end};
use super::reader::{Reader, TagStatement, nearly_local};
use super::words::{Segment, divided_usage, is_version, listed, unread, words_of};
use crate::acap::definitions::KNOWN_VERSIONS;
use crate::acap::letters::Letters;
use crate::acap::name::{Name, UsageName, somewhere, words as parts};
use crate::acap::value::qualifier_name;
use crate::file::restriction;
use crate::octets::unescape;
use crate::problems::Code;
use crate::restrictions::{self, Carrier, in_column};
use crate::statement::{Effect, is_every_purpose};
use crate::usage::Usage;

impl Reader {
    /// `version = "version" 1*WSP "1.1"` (P2 3), of any number
    pub(super) fn versions(&mut self, content: &str) {
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
    pub(super) fn tag_with_hidden(&mut self, content: &str) {
        let problems = self.tags.problems.len();
        for blank in ["", " "] {
            self.tag(&shown(content, blank));
        }
        self.tags.problems.truncate(problems);
    }

    /// ```text
    /// ACAP-meta-tag-content = "ACAP" 1*WSP (version / permission / prohibition)                 ; P2 3
    /// permission            = basic-permission / qualified-permission
    /// basic-permission      = [usage-purpose-pattern 1*WSP] "allow-" ACAP-usage-name ["-" used-resource-type-name]
    /// qualified-permission  = [usage-purpose-pattern 1*WSP] "allow-" ACAP-usage-name ["-" used-resource-type-name]
    ///                         1*(1*WSP qualifier-specification)
    /// prohibition           = [usage-purpose-pattern 1*WSP] "disallow-" ACAP-usage-name ["-" used-resource-type-name]
    /// ```
    pub(super) fn tag(&mut self, content: &str) {
        let Some(rest) = body(content) else {
            let (found, permissions) = (nearly_body(content), permissions(content));
            if found.is_some() || permissions.is_some() {
                let is_empty = found.as_ref().is_none_or(Vec::is_empty);
                self.problem(if is_empty { Code::AcapEmptyTag } else { Code::AcapNearlyTag }, &[]);
                let all = if is_empty { Vec::new() } else { listed(content) };
                found.iter().flatten().chain(&all).for_each(|about| self.prohibit(about, true));
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
        let first = self.tags.statements.len();
        if is_garbled(rest) {
            self.problem(Code::AcapGuessedField, &[rest, &UsageName::none().prohibition()]);
            self.prohibit(&UsageName::none(), true);
        }
        let (segments, purposes, versions) = self.segments(&words);
        let others = listed(rest);
        others.iter().for_each(|about| self.prohibit(about, segments.is_empty()));
        if segments.is_empty() {
            if versions == 0 || !purposes.is_empty() {
                self.problem(Code::AcapEmptyTag, &[]);
                self.hidden(first, &[rest.to_owned()], |_| true);
                if self.tags.statements.len() == first
                    && let Some(Name::Disallow(about)) = somewhere(&parts(plain(rest).as_bytes()))
                {
                    self.prohibit(&about, true);
                }
            }
            return;
        }
        if segments.len().saturating_add(versions).saturating_add(others.len()) > 1 {
            self.problem(Code::AcapSeveralStatements, &[]);
        }
        // Words between two statements may be the purposes of the second: they may narrow a permission, no prohibition.
        let mut before: Option<Vec<String>> = None;
        for segment in &segments {
            match (&before, segment.effect) {
                (None, Effect::Permits) => self.segment(segment, &purposes, false),
                (None, Effect::Prohibits) => {
                    self.segment(segment, &purposes, !purposes.iter().all(|word| is_purpose(word)));
                }
                (Some(words), Effect::Permits) => {
                    self.segment(segment, &words.iter().map(String::as_str).collect::<Vec<_>>(), false);
                }
                (Some(words), Effect::Prohibits) => {
                    self.segment(segment, &[], words.iter().any(|word| word.chars().any(char::is_alphanumeric)));
                }
            }
            before = Some(segment.stray());
        }
        // What is not a purpose may be a prohibition, whatever divides its verb from its usage.
        let odd: Vec<&str> = purposes.iter().copied().filter(|word| !is_purpose(word)).collect();
        if let Some(Name::Disallow(about)) = somewhere(&parts(plain(&odd.join(" ")).as_bytes())) {
            self.prohibit(&about, true);
        }
        let (own, texts) = unread(&purposes, &segments);
        self.hidden(first, &texts, |statement| statement.purpose.is_none());
        self.hidden(first, &[own], |_| true);
    }

    /// Adds the prohibitions that the letters of texts spell, unless a statement from the place `first` on that counts
    /// has them.
    fn hidden(&mut self, first: usize, texts: &[String], counts: impl Fn(&TagStatement) -> bool) {
        let said = self.since(first).iter().filter(|statement| counts(statement));
        let mut known: BTreeSet<Usage> = said.filter_map(TagStatement::prohibited).collect();
        for text in texts {
            for usage in Letters::of(text).prohibited() {
                if !known.insert(usage) {
                    continue;
                }
                let about = UsageName::Known(usage);
                self.problem(Code::AcapGuessedField, &[text, &about.prohibition()]);
                self.prohibit(&about, true);
            }
        }
    }

    /// Adds a statement. `doubted`: its purposes are not known.
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
                    Err(restrictions::QualifierError::LaterVersion) => {
                        later = true;
                        // A restriction of a later version that is known here holds; one that is not restricts nothing.
                        if restriction(text, Carrier { page: true, sets: true, others: false }).is_ok() {
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
        if let (UsageName::Local(name), Effect::Prohibits) = (&segment.about, segment.effect) {
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
        if let (UsageName::Unknown(name), true) = (&segment.about, effect != segment.effect)
            && let Some(whole) = divided_usage(name, &segment.rest)
        {
            // The next word may be the rest of its name.
            usages.extend(self.usages(&UsageName::Unknown(whole), effect));
        }
        if let Some(hidden) = purposes.iter().find(|purpose| is_hidden(purpose)) {
            match effect {
                Effect::Permits => self.problem(Code::AcapNearlyPermission, &[hidden]),
                Effect::Prohibits => self.problem(Code::AcapGuessedField, &[hidden, &segment.about.prohibition()]),
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
        let restricts = effect == Effect::Permits && !qualifiers.is_empty();
        let near = if restricts { segment.about.nearly() } else { Vec::new() };
        let near = near.into_iter().filter_map(|usage| usage.name()).map(|name| (name.to_owned(), false, false));
        let usages: Vec<(String, bool, bool)> =
            usages.into_iter().map(|(usage, local)| (usage, local, lifts)).chain(near).collect();
        let each: Vec<Option<String>> =
            if any { vec![None] } else { purposes.iter().map(|purpose| Some((*purpose).to_owned())).collect() };
        for purpose in each {
            for (usage, local, lifts) in &usages {
                self.tags.statements.push(TagStatement {
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

    /// `qualifier-specification = qualifier-type *WSP "=" *WSP qualifier-value` (P1 4.5.6)
    ///
    /// A qualifier; an error if it cannot be interpreted, or is of a later version. `sets`: it may be of version 1.1.
    fn qualifier(
        &mut self,
        text: &str,
        about: &UsageName,
        sets: bool,
    ) -> Result<(String, String), restrictions::QualifierError> {
        let Some(name) = qualifier_name(text.as_bytes()) else {
            self.problem(Code::AcapStrayText, &[text]);
            return Err(restrictions::QualifierError::UnknownName);
        };
        let value = text.get(name.len().saturating_add(1)..).unwrap_or("");
        let read = restriction(text, Carrier { page: true, sets, others: false });
        match &read {
            Ok(reading) => {
                let standard = reading.restriction.name();
                if reading.older {
                    self.problem(Code::AcapOlderWord, &[text, standard]);
                }
                if let UsageName::Known(usage) | UsageName::Plural(usage) = about
                    && !in_column(reading.restriction.qualifier, *usage)
                {
                    self.problem(Code::AcapMisplacedQualifier, &[standard, usage.name().unwrap_or("")]);
                }
            }
            Err(restrictions::QualifierError::LaterVersion) => {}
            Err(restrictions::QualifierError::UnknownName) => self.problem(Code::AcapUnknownQualifier, &[name]),
            Err(restrictions::QualifierError::BadValue) => self.problem(Code::AcapBadValue, &[name, &unescape(value)]),
        }
        read.map(|reading| (reading.restriction.name().to_owned(), reading.restriction.value.to_string()))
    }
}
