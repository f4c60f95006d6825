//! How two policies differ for one crawler, purpose and usage: sets of paths, each with a shortest witness.
//!
//! Both policies refuse what their claims refuse ([`crate::decide::claims`]). A path that one newly refuses lies in the
//! set of a claim of the one and in no set of the other's; whether there is one is a search ([`crate::automaton`]).
//! Where neither refuses, restrictions can differ: they are asked for once for each set of permissions that can match
//! together.
//!
//! Law: nothing found and nothing undecided is a proof that every path is decided alike.

mod changes;
mod questions;

pub(crate) use self::changes::split;
pub use self::changes::{Change, Turn, purposes};
pub use self::questions::{Block, Questions};

#[cfg(test)]
pub(crate) use self::changes::Side;

#[cfg(test)]
pub(crate) mod tests;
