//! Dialects: ways of reading conventional lines, each a value.
//!
//! Everything in which dialects differ stands here: what each does as a value, and what each trait means, a file a trait.
//! No other module matches on a trait, it asks for what the trait gives; so a new dialect is a value in [`ALL`], a folder
//! of vectors, and a paragraph in the semantics, and a new kind of trait is found by the compiler, for no match here has
//! an arm for the rest.

mod agents;
mod form;
mod grouping;
mod precedence;
mod versions;

use std::ops::Deref;

pub(crate) use self::agents::Agents;
pub(crate) use self::form::PathForm;
pub(crate) use self::grouping::Grouping;
pub(crate) use self::precedence::{Precedence, key_of, widened};
pub(crate) use self::versions::Versions;

use crate::fields::Manner;

/// A dialect; a small handle that is copied.
#[derive(Clone, Copy, Debug)]
pub struct Dialect(&'static Traits);

/// What a dialect does.
#[derive(Debug)]
pub struct Traits {
    pub name: &'static str,
    /// The name under which its conventional lines are cited.
    pub cited: &'static str,
    pub grouping: Grouping,
    pub agents: Agents,
    pub form: PathForm,
    pub precedence: Precedence,
    pub versions: Versions,
    /// Lines of ACAP, Content-Signal, Content-Usage and License are read.
    pub vocabularies: bool,
    /// Content-Signal and Content-Usage say what their texts have them say, and no more.
    pub by_letter: bool,
    /// Octets are taken as they come: no encoding but UTF-8, no limits of ours, no judging what is a text, and any URL.
    pub as_it_comes: bool,
    /// How answers to a request for robots.txt are taken.
    pub retrieval: Retrieval,
    /// Paths of the resources that carry policy by their name, and so may always be fetched.
    pub policy_paths: &'static [&'static [u8]],
    /// How lines are taken apart.
    pub manner: Manner,
}

/// What an answer to a request for robots.txt means, and how long it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retrieval {
    /// RFC 9309 2.3 and 2.4.
    Rfc9309,
    /// 401 and 403 restrict everything; seven days, unless the answer says otherwise (K2 3.1, 3.4).
    Memo,
}

impl Retrieval {
    /// Whether answers mean what the memo of 1996 says.
    pub fn is_memo(self) -> bool {
        match self {
            Self::Rfc9309 => false,
            Self::Memo => true,
        }
    }
}

impl Traits {
    /// Whether groups, names, patterns and the rule that wins are those of RFC 9309, so that lines can be asked one by
    /// one, without a selection of them.
    pub(crate) fn asks_lines(&self) -> bool {
        self.form.is_canonical()
            && self.precedence.is_by_length()
            && self.agents.are_found_by_names()
            && !self.grouping.is_of_records()
            && !self.grouping.takes_every_name()
    }

    /// Whether the lines that a crawler follows depend on the one of its names alone that groups name first.
    pub(crate) fn divides_by_name(&self) -> bool {
        self.agents.are_found_by_names()
            && !self.grouping.is_of_records()
            && !self.grouping.takes_every_name()
            && !self.versions.replace_rules()
    }
}

impl Deref for Dialect {
    type Target = Traits;

    #[inline]
    fn deref(&self) -> &Traits {
        self.0
    }
}

impl PartialEq for Dialect {
    fn eq(&self, other: &Self) -> bool {
        (self.name, self.by_letter) == (other.name, other.by_letter)
    }
}

impl Eq for Dialect {}

const MODERN: Manner =
    Manner { nul_ends_line: false, cut_overlong: false, controls: true, unseen: true, acap: false, blanks: false };

impl Dialect {
    /// RFC 9309, and beside it ACAP, the 2.0.0 proposal and the signals of today.
    pub const AUTO: Self = Self(&Traits {
        name: "auto",
        versions: Versions::Beside,
        vocabularies: true,
        policy_paths: &[b"/robots.txt", b"/ai.txt", b"/.well-known/tdmrep.json"],
        manner: Manner { acap: true, ..MODERN },
        ..*Self::RFC9309.0
    });

    const AUTO_BY_LETTER: Self = Self(&Traits { by_letter: true, ..*Self::AUTO.0 });

    pub(crate) const RFC9309: Self = Self(&Traits {
        name: "rfc9309",
        cited: "rfc9309",
        grouping: Grouping::OfFirstName,
        agents: Agents::NameOrToken,
        form: PathForm::Canonical,
        precedence: Precedence::Longest,
        versions: Versions::Unread,
        vocabularies: false,
        by_letter: false,
        as_it_comes: false,
        retrieval: Retrieval::Rfc9309,
        policy_paths: &[b"/robots.txt"],
        manner: MODERN,
    });

    /// The widely used matcher, its departures from RFC 9309 included.
    pub(crate) const GOOGLE: Self = Self(&Traits {
        name: "google",
        cited: "google",
        grouping: Grouping::OfEveryName,
        agents: Agents::Token,
        form: PathForm::Google,
        as_it_comes: true,
        policy_paths: &[],
        manner: Manner { nul_ends_line: true, cut_overlong: true, controls: false, unseen: false, ..MODERN },
        ..*Self::RFC9309.0
    });

    /// The document of 1994.
    pub(crate) const REP_1994: Self = Self(&Traits {
        name: "rep-1994",
        cited: "rep-1994",
        grouping: Grouping::FirstRecord,
        agents: Agents::Containing,
        precedence: Precedence::Refusal,
        policy_paths: &[],
        manner: Manner { blanks: true, ..MODERN },
        ..*Self::RFC9309.0
    });

    /// The memo of 1996 (K2).
    pub(crate) const NOROBOTS_1996: Self = Self(&Traits {
        name: "norobots-1996",
        cited: "norobots-1996",
        form: PathForm::Decoded,
        precedence: Precedence::First,
        retrieval: Retrieval::Memo,
        policy_paths: &[b"/robots.txt"],
        ..*Self::REP_1994.0
    });

    /// The "2.0.0" proposal of 1996 (R2).
    pub(crate) const ROBOTS_2: Self =
        Self(&Traits { name: "robots-2.0", cited: "robots-2.0", versions: Versions::Instead, ..*Self::REP_1994.0 });

    /// The same with signals read by the letter, or not; of the dialects `auto` alone reads signals.
    pub fn reading(self, by_letter: bool) -> Self {
        match (self.vocabularies, by_letter) {
            (false, _) => self,
            (true, true) => Self::AUTO_BY_LETTER,
            (true, false) => Self::AUTO,
        }
    }

    /// Whether a resource carries policy by its path; the query is ignored.
    #[inline]
    pub(crate) fn carries_policy(self, path: &[u8]) -> bool {
        self.policy_paths.iter().any(|one| is_resource(one, path))
    }

    pub fn named(name: &str) -> Option<Self> {
        ALL.into_iter().find(|dialect| dialect.name == name)
    }
}

/// Whether a path is that of a resource, with any query.
#[inline]
pub(crate) fn is_resource(resource: &[u8], path: &[u8]) -> bool {
    // Most paths go another way from their second octet on.
    resource.get(1).is_none_or(|second| path.get(1) == Some(second))
        && path.strip_prefix(resource).is_some_and(|rest| matches!(rest.first(), None | Some(b'?')))
}

/// Every dialect, the default first.
pub const ALL: [Dialect; 6] =
    [Dialect::AUTO, Dialect::RFC9309, Dialect::GOOGLE, Dialect::REP_1994, Dialect::NOROBOTS_1996, Dialect::ROBOTS_2];

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::decide::View;
    use crate::policy::Policy;

    /// A line decides about the path that it writes, with or without an escape, in each order and each form.
    #[test]
    fn a_rule_is_compared_in_the_form_of_its_paths() {
        let file: Arc<[u8]> = Arc::from(&b"User-agent: *\nDisallow: /a b\nDisallow: /c%64\nDisallow: /\xc3\xa9\n"[..]);
        for precedence in [Precedence::Longest, Precedence::Refusal, Precedence::First] {
            for form in [PathForm::Canonical, PathForm::Google, PathForm::Decoded] {
                let traits = Traits { precedence, form, versions: Versions::Unread, ..*Dialect::RFC9309.0 };
                let dialect = Dialect(Box::leak(Box::new(traits)));
                let policy = Policy::read(Arc::clone(&file), None, dialect, None);
                let view = View::new(&policy, &["x"]);
                // The matcher of Google takes a path as it comes; only octets beyond ASCII are escaped.
                let as_it_comes = form == PathForm::Google;
                for path in if as_it_comes { ["/a b", "/c%64", "/%C3%A9"] } else { ["/a%20b", "/cd", "/%C3%A9"] } {
                    let form_of_path = dialect.form.path(path.as_bytes(), path.as_bytes());
                    let rule = view.rep.decide(policy.text(), &form_of_path);
                    assert!(rule.is_some(), "{precedence:?}, {form:?}: {path}");
                }
            }
        }
    }
}
