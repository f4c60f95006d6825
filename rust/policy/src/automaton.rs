//! Sets of paths: what several patterns match and what others do not, followed through all paths at once.
//!
//! A pattern becomes a machine ([`Machine`]), and a search follows several machines through all paths at once.
//!
//! Laws:
//! - Only paths that are the canonical form of a URL count ([`Domain`]): `/a/../b` matches nothing.
//! - What is found is a shortest path; "nothing" is a proof. Work is bounded, and what exceeds it is reported.
//! - The search drops a set of states where an earlier one leads to as much: each language of the one is included in
//!   that of the other ([`Machine::included`]). So prohibitions that do not matter cost little.

mod domain;
mod machine;
mod pattern_table;
mod prefix_index;
mod query;
mod search;
mod shortest;

pub use self::domain::Domain;
pub use self::machine::Machine;
pub use self::pattern_table::PatternTable;
pub(crate) use self::prefix_index::PrefixIndex;
pub use self::query::{Found, Query, Work};

#[cfg(test)]
mod tests;
