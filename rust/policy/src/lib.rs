//! Reads robots.txt and decides.
//!
//! octets → lines → records → statements → decision. Laws of this crate:
//!
//! - Any octets give a policy; reading never fails and never panics (the lints deny every construct that could).
//! - It returns indices, spans and codes, never sentences, and knows no Python.
//! - One canonical form of paths ([`octets`]), one matcher ([`pattern`]), one decide loop ([`resolution`]).
//! - Doubt prohibits.

mod acap;
mod automaton;
mod batch;
mod controls;
mod crawler;
mod cuts;
mod decide;
mod dialect;
mod difference;
mod document;
mod extensions;
mod fields;
mod file;
mod finder;
mod formats;
mod index;
mod limits;
mod lines;
mod near;
mod octets;
mod origins;
mod outline;
mod pattern;
mod places;
mod policy;
mod prefilter;
mod problems;
mod reach;
mod redundant;
mod rep;
mod report;
mod resolution;
mod restrictions;
mod robots2;
mod rules;
mod signals;
mod statement;
mod survey;
mod table;
mod text;
mod unselected;
mod url;
mod usage;
mod viewed;
mod written;

/// Octets of a robots.txt or of a tag → statements, an outline, problems; the words that all of these share.
pub mod reading {
    pub use crate::acap::{Role, meant, normal_text};
    pub use crate::crawler::{is_cut, name_of, other_names};
    pub use crate::dialect::{ALL as DIALECTS, Dialect};
    pub use crate::document::{DocumentKind, document_kind, is_robots, unreadable};
    pub use crate::extensions::{extensions, kind_name, politeness};
    pub use crate::fields::{Kind, field};
    pub use crate::file::{File, Record, qualifier};
    pub use crate::formats::format_of;
    pub use crate::limits::{Limits, NAMES, PROBLEMS, URL_OCTETS};
    pub use crate::lines::{Entry, Line, Lines, line_around, line_start, skip_mark};
    pub use crate::outline::outline;
    pub use crate::policy::{Policy, State};
    pub use crate::problems::{Code, Problem};
    pub use crate::rep::groups;
    pub use crate::restrictions::{Carrier, Column, Facts, Form, Restriction, TABLE as RESTRICTIONS};
    pub use crate::statement::{Effect, Firm, Outcome, Part, Purpose, fold_purpose};

    /// The forms of paths and patterns.
    pub mod octets {
        pub use crate::octets::{
            canonical_literal, canonical_path, canonical_pattern, decoded_path, google_path, google_pattern,
            leading_name, without_dot_segments,
        };
    }

    /// Does a pattern match, does one contain another.
    pub mod pattern {
        pub use crate::pattern::{Relation, compare, contains, matches, matches_whole};
    }

    /// Content-Usage and Content-Signal, as lines and as headers.
    pub mod signals {
        pub use crate::signals::{ALL_USES, Vocabulary, header, line};
    }

    /// META tags and class tokens of ACAP.
    pub mod tag {
        pub use crate::acap::tag::{TagStatement, class_tokens, is_hidden, is_tag, read};
    }

    /// What a URL is, and of which site.
    pub mod url {
        pub use crate::url::{Fault, Url, is_association, is_plain, refused, split_origin};
    }

    /// Values of tables as their writers leave them, and what a row says that a site answered.
    pub mod written {
        pub use crate::written::{
            Answer, Unreadable, Value, has_page_within, has_written_header, is_coded_page, is_response, meant, of_repr,
            robots, state, status, truth,
        };
    }

    /// Usages, and which lies above which.
    pub mod usage {
        pub use crate::usage::{ANY, COMPOSITES, CRAWL, KNOWN, OTHER, TDM, UNNUMBERED, Usage, further, known};
    }
}

/// Statements and a question → a decision with its reason; for one question, for a batch, for the sites of a table.
pub mod deciding {
    pub use crate::decide::{
        Answer, CONTROL_TOKENS, ControlToken, Elsewhere, GroupedLine, Kind, Question, View, add_new, agents,
        grouped_lines, signal_dialect, tokens_of,
    };
    pub use crate::finder::Unasked;
    pub use crate::index::Index;
    pub use crate::rep::Selection;
    pub use crate::resolution::{Cite, CitedRestriction, Key, narrower_resources};
    pub use crate::table::{Answers, Asking, NoTable, PolicyTable};
    pub use crate::viewed::Viewed;

    /// Many questions at once.
    pub mod batch {
        pub use crate::batch::{Asked, KINDS, Mistake, Row, Rows, Urls, decide, outcome_code, rest_of};
    }
}

/// Sets of paths: what differs between two policies, which lines are redundant, how much is refused.
pub mod proving {
    pub use crate::automaton::{Domain, Found, Machine, PatternTable, Query, Work};
    pub use crate::limits::WORK;

    /// What differs between two policies.
    pub mod difference {
        pub use crate::difference::{Block, Change, Questions, Turn, purposes};
    }

    /// How much of a site is refused.
    pub mod reach {
        pub use crate::reach::{Asked, Extent, REACH_WORK, reach};
    }

    /// Lines that change no decision.
    pub mod redundant {
        pub use crate::redundant::{Because, line_of, redundant};
    }
}

/// What captures of robots.txt say to many crawlers, and how that is counted.
pub mod surveying {
    pub use crate::survey::capture::{Capture, FIELDS, Judged, Manner, Meaning, Standing};
    pub use crate::survey::changes::{Changes, MARKS, digest, mark};
    pub use crate::survey::restriction::Restriction;
    pub use crate::survey::tally::{Count, Period, Tally};
    pub use crate::survey::{DIALECTS, Panel, SIGNALS, Said};
}
