//! Which octet strings stand for URLs, or for purposes.

use crate::octets::{is_plain, is_unreserved};

/// Which octet strings are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Canonical path and query.
    Canonical,
    /// What the widely used matcher cuts out of a URL.
    Google,
    /// The decoded path of the 1996 memo.
    Decoded,
    /// Any text in lower case, for purposes.
    Text,
}

pub(super) const START: u8 = 0;
pub(super) const PATH: u8 = 1;
/// After a `/` of the path.
pub(super) const SLASH: u8 = 2;
pub(super) const DOT: u8 = 3;
pub(super) const DOTS: u8 = 4;
pub(super) const QUERY: u8 = 5;
pub(super) const ESCAPE: u8 = 6;
pub(super) const QUERY_ESCAPE: u8 = 7;
/// After `%` and a digit of the path, and after them of the query.
pub(super) const DIGIT: u8 = 8;
pub(super) const QUERY_DIGIT: u8 = 24;
pub(super) const WRONG: u8 = 255;

/// Octets that stand for any that no pattern names, the most readable first.
pub(super) const OTHERS: &[u8] = b"xyzabcdefghijklmnopqrstuvwXYZABCDEFGHIJKLMNOPQRSTUVW0123456789-_~!&'()+,;=:@[]";

fn hex_value(octet: u8) -> Option<u8> {
    match octet {
        b'0'..=b'9' => octet.checked_sub(b'0'),
        b'A'..=b'F' => octet.checked_sub(b'A').and_then(|value| value.checked_add(10)),
        _ => None,
    }
}

impl Domain {
    pub(super) fn step(self, state: u8, octet: u8) -> u8 {
        match self {
            _ if state == WRONG => WRONG,
            Self::Canonical => canonical_step(state, octet),
            Self::Google => match (state, octet) {
                (START, b'/') => PATH,
                (PATH, b'#') => WRONG,
                (PATH, 0x21..=0x7E) => PATH,
                _ => WRONG,
            },
            Self::Decoded => decoded_step(state, octet),
            Self::Text if octet.is_ascii_uppercase() || octet.is_ascii_control() => WRONG,
            Self::Text => PATH,
        }
    }

    pub(super) fn accepts(self, state: u8) -> bool {
        matches!(state, PATH | SLASH | QUERY)
    }

    /// The URL's path that has this form.
    pub fn url(self, path: &[u8]) -> Vec<u8> {
        match self {
            Self::Decoded => {
                let mut out = Vec::with_capacity(path.len());
                for octet in path {
                    if *octet == b'%' || *octet == b'/' || (is_plain(*octet) && *octet != b'?') {
                        out.push(*octet);
                    } else {
                        out.extend_from_slice(format!("%{octet:02X}").as_bytes());
                    }
                }
                out
            }
            _ => path.to_vec(),
        }
    }
}

fn segment_step(state: u8, octet: u8, plain: bool) -> u8 {
    match (state, octet) {
        (START, b'/') => SLASH,
        (START, _) => WRONG,
        (DOT | DOTS, b'/') => WRONG,
        (PATH | SLASH, b'/') => SLASH,
        (SLASH, b'.') => DOT,
        (DOT, b'.') => DOTS,
        (PATH | SLASH | DOT | DOTS, _) if plain => PATH,
        _ => WRONG,
    }
}

fn canonical_step(state: u8, octet: u8) -> u8 {
    match state {
        ESCAPE | QUERY_ESCAPE => match hex_value(octet) {
            Some(digit) if state == ESCAPE => DIGIT.saturating_add(digit),
            Some(digit) => QUERY_DIGIT.saturating_add(digit),
            None => WRONG,
        },
        DIGIT.. => {
            let (high, beyond) = match state.checked_sub(QUERY_DIGIT) {
                Some(high) => (high, QUERY),
                None => (state.saturating_sub(DIGIT), PATH),
            };
            match hex_value(octet) {
                Some(low) if !is_unreserved(high.wrapping_shl(4) | low) => beyond,
                _ => WRONG,
            }
        }
        QUERY => match octet {
            b'%' => QUERY_ESCAPE,
            _ if is_plain(octet) => QUERY,
            _ => WRONG,
        },
        _ => match octet {
            b'%' if state != START => ESCAPE,
            b'?' if matches!(state, PATH | SLASH) => QUERY,
            b'?' => WRONG,
            _ => segment_step(state, octet, is_plain(octet)),
        },
    }
}

/// `%` stays only in `%2F` and `%25`.
fn decoded_step(state: u8, octet: u8) -> u8 {
    match (state, octet) {
        (ESCAPE, b'2') => DIGIT,
        (DIGIT, b'5' | b'F') => PATH,
        (ESCAPE | DIGIT.., _) => WRONG,
        (START, b'%') => WRONG,
        (_, b'%') => ESCAPE,
        _ => segment_step(state, octet, true),
    }
}
