//! Looks at the text of a page before a tree is built of it, and at what the tree is written out as.
//!
//! - [`cost`]: how much work the tree is at most, by the HTML standard's rules for building it.
//! - [`survey`]: what the text is seen not to have, so that most pages need not be searched.
//! - [`text`]: what people read of a tree that was built of it.
//!
//! Time is linear in the text, and nothing panics (the lints deny every construct that could).

pub mod cost;
pub mod survey;
pub mod text;
