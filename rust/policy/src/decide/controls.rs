//! Control tokens: names of robots.txt that no request carries, by which an operator asks what it may do with what its
//! crawlers fetch (Google-Extended, Applebot-Extended, YandexAdditional).
//!
//! What the groups for a token refuse it to crawl is refused to the operator's crawlers for the usages that the token
//! controls. So is what a crawler of its name would hear beside the rules: what signals and ACAP records refuse, and
//! what licences ask. Nothing lifts that, and it permits nothing.
//!
//! Law: of every other crawler, and of every other usage, no answer changes.

use super::refusals::Conventional;
use crate::policy::Policy;
use crate::rep::{self, Selection};
use crate::resolution::Cite;
use crate::statement::Outcome;
use crate::usage::{AI_INPUT, AI_TRAIN, Usage};

/// A control token, as its operator documents it; `crawlers.json` says where.
#[derive(Debug)]
pub struct ControlToken {
    pub name: &'static str,
    /// What it controls.
    pub usages: &'static [Usage],
    /// The crawlers of which it controls the content.
    pub crawlers: &'static [&'static str],
    /// Without a group of its own it obeys that for `*` (RFC 9309 2.2.1).
    pub obeys_any: bool,
}

impl ControlToken {
    /// Whether it controls what the crawler of this name fetches.
    fn is_of(&self, name: &[u8]) -> bool {
        self.crawlers.iter().any(|crawler| crawler.as_bytes().eq_ignore_ascii_case(name))
    }

    /// The usage for which it speaks on another.
    pub(super) fn on(&self, usage: Usage) -> Option<Usage> {
        self.usages.iter().find(|held| held.covers(usage)).copied()
    }

    /// Whether groups are for it: its own, one with a name that a limit cut, which may be its, or those for `*`.
    pub(super) fn hears_groups(&self, policy: &Policy) -> bool {
        self.obeys_any || policy.table.cut_names || self.has_group(policy)
    }

    fn has_group(&self, policy: &Policy) -> bool {
        rep::addressed(policy.dialect, &policy.table.entries, policy.text(), &[self.name]).is_some()
    }
}

/// Every control token, by name.
pub const CONTROL_TOKENS: [ControlToken; 4] = [
    ControlToken { name: "Applebot-Extended", usages: &[AI_TRAIN], crawlers: &["Applebot"], obeys_any: true },
    ControlToken {
        name: "Google-Extended",
        usages: &[AI_TRAIN, AI_INPUT],
        crawlers: &[
            "Googlebot",
            "Googlebot-Image",
            "Googlebot-Mobile",
            "Googlebot-News",
            "Googlebot-Video",
            "GoogleOther",
            "GoogleOther-Image",
            "GoogleOther-Video",
            "Storebot-Google",
        ],
        obeys_any: true,
    },
    ControlToken { name: "YandexAdditional", usages: &[AI_INPUT], crawlers: &["YandexBot"], obeys_any: false },
    ControlToken { name: "YandexAdditionalBot", usages: &[AI_INPUT], crawlers: &["YandexBot"], obeys_any: false },
];

/// The tokens that control what the crawler of this name fetches.
pub fn tokens_of(name: &[u8]) -> impl Iterator<Item = &'static ControlToken> {
    CONTROL_TOKENS.iter().filter(move |token| token.is_of(name))
}

/// The tokens that control what a crawler of these names fetches. The first name counts: a crawler that obeys the group
/// of another is not run by its operator.
pub(super) fn of_operator<N: AsRef<str>>(policy: &Policy, names: &[N]) -> Vec<&'static ControlToken> {
    let name = names.first().filter(|_| policy.dialect.vocabularies);
    name.into_iter().flat_map(|name| tokens_of(name.as_ref().as_bytes())).collect()
}

impl Policy {
    /// The tokens that the policy names, of those that control what crawlers of any of these names fetch.
    pub fn named_tokens<N: AsRef<str>>(&self, names: &[N]) -> Vec<&'static ControlToken> {
        let controls = |token: &&ControlToken| names.iter().any(|name| token.is_of(name.as_ref().as_bytes()));
        let tokens = CONTROL_TOKENS.iter().filter(|_| self.dialect.vocabularies);
        tokens.filter(controls).filter(|token| self.names_crawler(token.name)).collect()
    }
}

/// The rules for a control token.
#[derive(Debug)]
pub(super) struct Control {
    token: &'static ControlToken,
    /// None if they are those for the crawler.
    selection: Option<Selection>,
}

impl Control {
    pub(super) fn of(policy: &Policy, token: &'static ControlToken, own: &Selection) -> Option<Self> {
        if !token.hears_groups(policy) || policy.ignores_rep() {
            return None;
        }
        if !own.named && !token.has_group(policy) {
            return Some(Self { token, selection: None });
        }
        let selection = rep::select(policy.dialect, &policy.table, policy.text(), &[token.name]);
        let is_own = selection.key() == own.key();
        Some(Self { token, selection: Some(selection).filter(|_| !is_own) })
    }

    /// The usage for which it speaks on another.
    pub(super) fn on(&self, usage: Usage) -> Option<Usage> {
        self.token.on(usage)
    }

    /// The lines for the token, of a crawler with its own.
    pub(super) fn selection<'a>(&'a self, own: &'a Selection) -> &'a Selection {
        self.selection.as_ref().unwrap_or(own)
    }

    /// Whether its lines refuse nothing that is not refused to crawl; `acap`: ACAP statements may lift that.
    pub(super) fn adds_nothing(&self, own: &Selection, acap: bool) -> bool {
        !self.selection(own).may_refuse() || (self.selection.is_none() && !acap)
    }

    /// The line by which it refuses a usage of a path.
    pub(super) fn refusal(&self, policy: &Policy, own: &Selection, usage: Usage, path: &[u8]) -> Option<Cite> {
        let held = self.on(usage)?;
        let Conventional { refusals, .. } = policy.conventional(self.selection(own), path, false, false);
        refusals.first().map(|refusal| Self::cite(refusal.cite, held))
    }

    /// A conventional line, as it is cited for a usage.
    pub(super) fn cite(line: Cite, usage: Usage) -> Cite {
        match line {
            Cite::Line(entry) => Cite::Signal { entry, usage, outcome: Outcome::Prohibited },
            other => other,
        }
    }

    /// Crawlers with the same keys hear the same of it.
    pub(super) fn key(&self, own: &Selection) -> Vec<u64> {
        let usages = self.token.usages.iter().map(|usage| u64::from(usage.0));
        [u64::MAX].into_iter().chain(usages).chain([u64::MAX]).chain(self.selection(own).key()).collect()
    }
}
