//! Reads robots.txt and decides.
//!
//! octets → lines → records → statements → decision. Laws of this crate:
//!
//! - Any octets give a policy; reading never fails and never panics (the lints deny every construct that could).
//! - It returns indices, spans and codes, never sentences, and knows no Python.
//! - One canonical form of paths ([`octets`]), one matcher ([`pattern`]), one decide loop ([`resolution`]).
//! - Doubt prohibits.

pub mod acap;
pub mod automaton;
pub mod batch;
mod controls;
pub mod crawler;
mod cuts;
pub mod decide;
pub mod dialect;
pub mod difference;
pub mod document;
pub mod extensions;
pub mod fields;
pub mod file;
pub mod formats;
pub mod index;
pub mod limits;
pub mod lines;
pub mod octets;
mod origins;
pub mod outline;
pub mod pattern;
mod places;
pub mod policy;
mod prefilter;
pub mod problems;
pub mod reach;
pub mod redundant;
pub mod rep;
mod report;
pub mod resolution;
pub mod restrictions;
mod robots2;
mod rules;
pub mod signals;
pub mod statement;
pub mod survey;
pub mod table;
mod text;
mod unselected;
pub mod url;
pub mod usage;
pub mod viewed;

pub use dialect::Dialect;
pub use policy::Policy;
