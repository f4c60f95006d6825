//! Question → answer.
//!
//! The order of the tests: the resource may always be fetched; there is a policy, and it can be read; no reference is
//! missing; the resource is not taken down; it may be crawled; it may be preserved, where the usage needs that; and
//! then the usage itself. No usage is answered better than crawl (G 2.4).

mod addressed;
mod always;
mod answer;
mod applicable;
pub(crate) mod claims;
mod controls;
mod question;
mod refusals;
mod signals;
mod view;
mod vocabularies;

pub(crate) use self::applicable::EXCLUDED_PURPOSE;
pub use self::controls::{CONTROL_TOKENS, ControlToken, tokens_of};
pub use self::question::{Answer, Elsewhere, Kind, Question, add_new};
pub use self::signals::{GroupedLine, agents, grouped_lines, signal_dialect};
pub use self::view::View;
