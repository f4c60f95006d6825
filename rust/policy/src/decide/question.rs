//! What is asked, and what is answered.

use std::collections::HashSet;

use crate::limits::CITED;
use crate::resolution::{Cite, CitedRestriction, Key};
use crate::restrictions::{Facts, Restriction};
use crate::statement::{Firm, Outcome, Part, Purpose};
use crate::usage::Usage;

/// What kind of reason an answer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Statement,
    Silence,
    CrawlProhibited,
    PreserveProhibited,
    Unreachable,
    Absent,
    ReferenceMissing,
    PolicyResource,
    Expired,
    NotHonoured,
    TakeDown,
    /// A limit cut something that may have prohibited anything.
    Truncated,
    /// The file is not text, and may prohibit anything.
    Unreadable,
    /// An element's statement, and the asker cannot work on elements (P2 2.2.6).
    ElementLevel,
    /// A control token of the crawler's operator.
    ControlToken,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Statement => "statement",
            Self::Silence => "silence",
            Self::CrawlProhibited => "crawl-prohibited",
            Self::PreserveProhibited => "preserve-prohibited",
            Self::Unreachable => "unreachable",
            Self::Absent => "absent",
            Self::ReferenceMissing => "reference-missing",
            Self::PolicyResource => "policy-resource",
            Self::Expired => "expired",
            Self::NotHonoured => "not-honoured",
            Self::TakeDown => "take-down",
            Self::Truncated => "truncated",
            Self::Unreadable => "unreadable",
            Self::ElementLevel => "element-level",
            Self::ControlToken => "control-token",
        }
    }
}

/// A statement that another reader found, about the resource asked for and addressed to the crawler.
#[derive(Clone, Debug)]
pub struct Elsewhere {
    /// Statements of one dialect are resolved together: 0 is ACAP, resolved with robots.txt; signals have the number of
    /// [`signal_dialect`].
    pub dialect: u32,
    pub outcome: Outcome,
    pub usage: Usage,
    pub named: bool,
    pub purpose: Option<Purpose>,
    pub part: Part,
    pub restrictions: Box<[Restriction]>,
    /// Whether a permission may overcome a prohibition; one that may not only restricts.
    pub lifts: bool,
    /// How firmly it prohibits: a prohibition may stand for a permission whose condition, addressee or purpose cannot
    /// be interpreted.
    pub firm: Firm,
    /// It gives way to an ACAP statement of the same page on exactly the same usage, in the same tier (section 7).
    pub yields: bool,
    /// Of one dialect that is not ACAP the statements of the greatest rank count: a later carrier replaces an earlier
    /// one.
    pub rank: u32,
    /// It speaks of its usage alone, and of none below that.
    pub exact: bool,
}

impl Elsewhere {
    /// Its outcome; for an asker that cannot work on elements, every statement of an element prohibits (P2 2.2.6).
    pub(super) fn outcome(&self, elements: bool) -> Outcome {
        if self.part.is_element() && !elements { Outcome::Prohibited } else { self.outcome }
    }
}

/// A question; it is answered for one usage at a time.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// In the form of the policy's dialect.
    pub path: &'a [u8],
    /// Folded; none for a question without purpose.
    pub purpose: Option<&'a [u8]>,
    /// Microseconds since 1970 UTC.
    pub at: i64,
    pub facts: &'a Facts,
    /// Usages, and whether silence on them prohibits.
    pub silence: &'a [(Usage, bool)],
    /// Names of the restrictions the operator can keep; none means all.
    pub honours: Option<&'a [String]>,
    pub elsewhere: &'a [Elsewhere],
    /// Whether the asker can work on elements.
    pub elements: bool,
    /// The question is about a resource that must be used or included, for that use. It may be fetched even where
    /// robots.txt prohibits crawling (section 5); everything else stands, and so does what the resource itself says.
    pub for_use: bool,
    /// The licences that the asker holds, by the URLs of their documents.
    pub licences: &'a [String],
    /// The documents of the License lines are among `elsewhere`, and speak in their place.
    pub licensed_elsewhere: bool,
}

impl<'a> Question<'a> {
    /// A question about a path by an asker that keeps every restriction and knows nothing more.
    pub fn about(path: &'a [u8]) -> Self {
        Self {
            path,
            purpose: None,
            at: 0,
            facts: &Facts::UNKNOWN,
            silence: &[],
            honours: None,
            elsewhere: &[],
            elements: true,
            for_use: false,
            licences: &[],
            licensed_elsewhere: false,
        }
    }
}

/// The answer to a question on one usage.
#[derive(Clone, Debug)]
pub struct Answer {
    pub outcome: Outcome,
    pub kind: Kind,
    pub stated: bool,
    pub decided: Vec<Cite>,
    pub lost: Vec<(Cite, Key)>,
    pub restrictions: Vec<CitedRestriction>,
    /// Permissions that may overcome nothing, but restrict.
    pub(super) restricting: Vec<Cite>,
}

impl Answer {
    pub(super) fn new(outcome: Outcome, kind: Kind, stated: bool) -> Self {
        Self {
            outcome,
            kind,
            stated,
            decided: Vec::new(),
            lost: Vec::new(),
            restrictions: Vec::new(),
            restricting: Vec::new(),
        }
    }

    /// Makes it conditional by what the conditions of a usage that it needs are from.
    pub(super) fn needs(&mut self, conditions: Vec<Cite>) {
        if self.outcome == Outcome::Permitted {
            let permitted = std::mem::take(&mut self.decided);
            self.lost.extend(permitted.into_iter().map(|cite| (cite, Key::Dialect)));
            self.lost.truncate(CITED);
        }
        self.outcome = Outcome::Conditional;
        self.kind = Kind::Statement;
        self.stated = true;
        let new: Vec<Cite> = conditions.into_iter().filter(|cite| !self.decided.contains(cite)).collect();
        self.decided.extend(new);
        self.decided.truncate(CITED);
    }

    pub(super) fn citing(mut self, cites: impl IntoIterator<Item = Cite>) -> Self {
        self.decided.extend(cites.into_iter().take(CITED));
        self
    }
}

/// Adds the restrictions that are not among `restrictions` yet.
pub fn add_new(restrictions: &mut Vec<CitedRestriction>, more: Vec<CitedRestriction>) {
    if more.is_empty() {
        return;
    }
    let what = |one: &CitedRestriction| (one.name, one.value.clone(), one.part);
    let mut known: HashSet<_> = restrictions.iter().map(what).collect();
    restrictions.extend(more.into_iter().filter(|one| known.insert(what(one))));
}
