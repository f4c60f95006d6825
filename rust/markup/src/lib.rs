//! What pages need beside the tree that is built of them: before it, of its links, and of its text.
//!
//! - [`encoding`]: the text of octets, by the Encoding standard.
//! - [`cost`]: how much work the tree is at most, by the HTML standard's rules for building it.
//! - [`survey`]: what the text is seen not to have, so that most pages need not be searched.
//! - [`metas`]: the META elements of a plain head, without its tree.
//! - [`link`]: where a link leads, by the URL standard.
//! - [`text`]: what people read of a tree that was built of it.
//! - [`written`]: the same of a page whose tree is as its markup says, without that tree.
//! - [`segments`]: the characters and words of a text as people count them.
//!
//! Time is linear in the text, and nothing panics (the lints deny every construct that could).

pub mod cost;
pub mod encoding;
pub mod link;
pub mod metas;
pub mod segments;
pub mod survey;
pub mod text;
pub mod written;
