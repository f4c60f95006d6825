//! Looks at the text of a page before a tree is built of it.
//!
//! - [`cost`]: how much work the tree is at most, by the HTML standard's rules for building it.
//! - [`survey`]: what the text is seen not to have, so that most pages need not be searched.
//!
//! Time is linear in the text, and nothing panics (the lints deny every construct that could).

pub mod cost;
pub mod survey;
