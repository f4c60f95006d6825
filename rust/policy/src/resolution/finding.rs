//! How the statements that apply to a question came out: what decided, what lost and on which key, what restricts.

use crate::limits::CITED;
use crate::restrictions::Facts;
use crate::statement::{Effect, Outcome};
use crate::usage::Usage;

/// What separates a winner from a loser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// One names the crawler, the other addresses any (P1 4.1).
    CrawlerNamed,
    /// One is for the purpose, the other for none (G 2.2).
    Purpose,
    /// One is about an inner part of the resource, which counts first (P2 2.2.8).
    Part,
    /// One is on a usage below the other's.
    Usage,
    /// The resources of one lie within the other's (P1 4.3, G 2.3).
    Resources,
    /// The draft's character-by-character comparison (P1 4.5.2.5.3).
    DraftComparison,
    /// No key separates them, and then the prohibition stands (P1 4.3, P2 2.2.8).
    Tie,
    /// The longer pattern (RFC 9309 2.2.2).
    Length,
    /// The rule that permits, of two equally long ones (RFC 9309 2.2.2).
    AllowOnTie,
    /// The earlier line.
    Order,
    /// An explicit Allow of the 2.0.0 proposal.
    ExplicitAllow,
    /// Another dialect refuses.
    Dialect,
    /// An ACAP statement of the same page is on the same usage (section 7).
    Acap,
    /// robots.txt and the response differ in one vocabulary.
    Carrier,
    /// The prohibition could not be read whole, and this permission does not lift it.
    Cut,
}

impl Key {
    pub const ALL: [Self; 15] = [
        Self::CrawlerNamed,
        Self::Purpose,
        Self::Part,
        Self::Usage,
        Self::Resources,
        Self::DraftComparison,
        Self::Tie,
        Self::Length,
        Self::AllowOnTie,
        Self::Order,
        Self::ExplicitAllow,
        Self::Dialect,
        Self::Acap,
        Self::Carrier,
        Self::Cut,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::CrawlerNamed => "crawler-named",
            Self::Purpose => "purpose",
            Self::Part => "part",
            Self::Usage => "usage",
            Self::Resources => "resources",
            Self::DraftComparison => "draft-comparison",
            Self::Tie => "tie",
            Self::Length => "length",
            Self::AllowOnTie => "allow-on-tie",
            Self::Order => "order",
            Self::ExplicitAllow => "explicit-allow",
            Self::Dialect => "dialect",
            Self::Acap => "acap",
            Self::Carrier => "carrier",
            Self::Cut => "cut",
        }
    }
}

/// Where a statement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cite {
    /// A conventional line: its place in the table of entries.
    Line(u32),
    /// A statement of an ACAP file: 0 is the policy's own, then the references in their order. With the one of its
    /// usages that it is cited for, and its effect on that usage.
    Statement { file: u32, place: u32, usage: Usage, effect: Effect },
    /// `ACAP-permissions-reference`.
    Reference(u32),
    /// `ACAP-request-take-down`.
    Request { file: u32, place: u32 },
    /// No line matched, and the record refuses what no line matches.
    NothingMatched,
    /// A line of Content-Signal, Content-Usage or License, or one for a control token: its place in the table of entries, the one of its usages
    /// that it is cited for, and its outcome for that usage.
    Signal { entry: u32, usage: Usage, outcome: Outcome },
    /// A statement made elsewhere: its place in the caller's list.
    Elsewhere(u32),
}

/// What the resolution of a question on one usage depends on, beside the candidates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting<'a> {
    pub usage: Usage,
    pub at: i64,
    pub facts: &'a Facts,
    /// Name the losers too; the outcome and the restrictions are the same without.
    pub trace: bool,
}

/// The result of resolving the candidates of a question.
#[derive(Clone, Debug, Default)]
pub(crate) struct Finding {
    pub prohibited: bool,
    pub expired: bool,
    pub stated: bool,
    pub decided: Vec<Cite>,
    pub lost: Vec<(Cite, Key)>,
    /// Permissions that may overcome nothing, but restrict.
    pub restricting: Vec<Cite>,
}

impl Finding {
    pub(super) fn decide(&mut self, cite: Cite) {
        if self.decided.len() < CITED && !self.decided.contains(&cite) {
            self.decided.push(cite);
        }
    }

    pub(super) fn lose(&mut self, cite: Cite, key: Key) {
        if self.lost.len() < CITED {
            self.lost.push((cite, key));
        }
    }
}

/// A restriction that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitedRestriction {
    pub name: &'static str,
    pub value: Box<str>,
    /// The part of a composite question it belongs to.
    pub part: Option<Usage>,
    pub cite: Cite,
}
