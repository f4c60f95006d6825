//! What reading archives needs: members, and heads in which nothing is unusual.
//!
//! - [`member`]: the octets of a gzip member that is whole.
//! - [`head`]: the fields of a record, and the head of a response.
//!
//! These are short cuts. Whatever is large, odd or broken is left to the readers in Python, which know what it means; a
//! short cut gives what they would, or nothing.
//!
//! Time is linear in what is read and unpacked, memory is bounded by what is asked for, and nothing panics (the lints deny
//! every construct that could).

pub mod head;
pub mod member;
