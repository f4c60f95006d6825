//! The one canonical form of paths and patterns (RFC 9309 2.2.2, RFC 3986 2 and 6.2.2), with the classes of octets that
//! every form shares: one module, because each form is a walk along these classes.
//!
//! Octets outside the URI grammar are percent-encoded, escapes of unreserved characters decoded, other escapes
//! upper-cased, a `%` without two hex digits is `%25`. Of a URL dot segments are removed after decoding, the fragment
//! is dropped, an empty path is `/`. A literal `$` or `*` of the URL, and a `$` inside a pattern, equal `%24` and
//! `%2A`.

use std::borrow::Cow;

const URI: u8 = 1; // may stand in a path or query as it is
const UNRESERVED: u8 = 2;
const PLAIN_PATTERN: u8 = 4; // needs no thought in a pattern
const HEX: u8 = 8;
const NAME: u8 = 16; // [A-Za-z0-9._-]
const TOKEN: u8 = 32; // RFC 9309 product token: [A-Za-z_-]
const SPACE: u8 = 64;

const CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0u8; 256];
    let mut octet = 0usize;
    #[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]
    // at compile time
    while octet < 256 {
        let byte = octet as u8;
        let mut class = 0;
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            class |= URI | UNRESERVED | PLAIN_PATTERN;
        }
        if matches!(
            byte,
            b':' | b'/' | b'?' | b'[' | b']' | b'@' | b'!' | b'&' | b'\'' | b'(' | b')' | b'+' | b',' | b';' | b'='
        ) {
            class |= URI | PLAIN_PATTERN;
        }
        if byte == b'*' {
            class |= PLAIN_PATTERN;
        }
        if byte.is_ascii_hexdigit() {
            class |= HEX;
        }
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_') {
            class |= NAME;
        }
        if byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_') {
            class |= TOKEN;
        }
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C) {
            class |= SPACE;
        }
        table[octet] = class;
        octet += 1;
    }
    table
}

#[inline]
fn classes_of(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(0)
}

#[inline]
fn is(byte: u8, class: u8) -> bool {
    classes_of(byte) & class != 0
}

/// ASCII white space, as the widely used matcher trims it.
#[inline]
pub(crate) fn is_space(byte: u8) -> bool {
    is(byte, SPACE)
}

/// `[A-Za-z0-9._-]`: what a crawler name is made of.
#[inline]
pub(crate) fn is_name(byte: u8) -> bool {
    is(byte, NAME)
}

/// Whether an octet stands for itself in a canonical path or query.
#[inline]
pub(crate) fn is_plain(byte: u8) -> bool {
    is(byte, URI)
}

/// Unreserved octets (RFC 3986 2.3) are never escaped in a canonical path.
#[inline]
pub(crate) fn is_unreserved(byte: u8) -> bool {
    is(byte, UNRESERVED)
}

/// Cuts white space from both ends.
#[inline]
pub(crate) fn trim(mut text: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = text {
        if !is_space(*first) {
            break;
        }
        text = rest;
    }
    while let [rest @ .., last] = text {
        if !is_space(*last) {
            break;
        }
        text = rest;
    }
    text
}

/// The leading `*name-char`, `name-char = ALPHA / DIGIT / "-" / "_" / "."` (P1 4.5.6).
pub fn leading_name(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| !is(*byte, NAME)).unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}

/// The leading `identifier = 1*(%x2D / %x41-5A / %x5F / %x61-7A)` of a product token (RFC 9309 2.2).
pub(crate) fn leading_token(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| !is(*byte, TOKEN)).unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}

fn hex(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => byte.wrapping_sub(b'0'),
        b'a'..=b'f' => byte.wrapping_sub(b'a').wrapping_add(10),
        b'A'..=b'F' => byte.wrapping_sub(b'A').wrapping_add(10),
        _ => 0,
    }
}

fn push_escape(out: &mut Vec<u8>, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push(b'%');
    for digit in [byte >> 4, byte & 15] {
        out.push(DIGITS.get(usize::from(digit)).copied().unwrap_or(b'0'));
    }
}

/// Whether a pattern is canonical as it stands, and if so whether it has a wildcard: a `*` or a final `$`.
#[inline]
pub(crate) fn canonical_as_it_stands(pattern: &[u8]) -> Option<bool> {
    let body = pattern.strip_suffix(b"$").unwrap_or(pattern);
    let classes = body.iter().fold(u8::MAX, |classes, byte| classes & classes_of(*byte));
    // A `*` alone is plain in a pattern and not in a path.
    let wild = classes & URI == 0 || body.len() < pattern.len();
    (classes & PLAIN_PATTERN != 0).then_some(wild)
}

/// The canonical form of a rule's pattern; `*` and a final `$` keep their meaning.
pub fn canonical_pattern(pattern: &[u8]) -> Cow<'_, [u8]> {
    if canonical_as_it_stands(pattern).is_some() {
        return Cow::Borrowed(pattern);
    }
    let (body, anchor) = match pattern.strip_suffix(b"$") {
        Some(body) => (body, true),
        None => (pattern, false),
    };
    let mut out = Vec::with_capacity(pattern.len().saturating_add(8));
    canonical_into(&mut out, body, b"*");
    if anchor {
        out.push(b'$');
    }
    Cow::Owned(out)
}

/// The canonical form of a literal path in a rule: nothing in it is a wildcard.
pub fn canonical_literal(path: &[u8]) -> Cow<'_, [u8]> {
    if path.iter().all(|byte| is(*byte, URI)) {
        return Cow::Borrowed(path);
    }
    let mut out = Vec::with_capacity(path.len().saturating_add(8));
    canonical_into(&mut out, path, b"");
    Cow::Owned(out)
}

fn canonical_into(out: &mut Vec<u8>, text: &[u8], keep: &[u8]) {
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first == b'%' {
            match (escaped_after(after), after.get(2..)) {
                (Some(byte), Some(beyond)) => {
                    if is(byte, UNRESERVED) {
                        out.push(byte);
                    } else {
                        push_escape(out, byte);
                    }
                    rest = beyond;
                }
                _ => out.extend_from_slice(b"%25"),
            }
        } else if is(*first, URI) || keep.contains(first) {
            out.push(*first);
        } else {
            push_escape(out, *first);
        }
    }
}

fn escaped_after(text: &[u8]) -> Option<u8> {
    match text {
        [high, low, ..] if is(*high, HEX) && is(*low, HEX) => Some(hex(*high) << 4 | hex(*low)),
        _ => None,
    }
}

/// Octets that a processor looks at together.
const RUN: usize = 16;
const RUN_AND_ONE: usize = 17;

/// Whether a path and query is canonical as it stands; false also where a closer look would say yes.
#[inline]
pub(crate) fn path_is_canonical(path: &[u8]) -> bool {
    path.first() == Some(&b'/') && has_canonical_octets(path)
}

/// The same of the path and query that end a URL, of which what stands before them is plain.
#[inline]
pub(crate) fn last_path_is_canonical(url: &[u8], path: &[u8]) -> bool {
    // Many paths are shorter than what is looked at together, and few URLs.
    let looked_at = match url.last_chunk::<RUN_AND_ONE>() {
        Some(last) if path.len() <= RUN => last,
        _ => path,
    };
    path.first() == Some(&b'/') && has_canonical_octets(looked_at)
}

/// Whether the octets behind the first one are plain and begin no segment of dots; false also where a closer look would
/// say yes. Not inlined, where its runs might be looked at octet by octet.
#[inline(never)]
fn has_canonical_octets(text: &[u8]) -> bool {
    let Some(last) = text.last_chunk::<RUN_AND_ONE>() else {
        let mut before = text.first().copied().unwrap_or(0);
        return text.iter().skip(1).fold(true, |plain, octet| {
            let is_plain = is(*octet, URI) & !begins_dots(before, *octet);
            before = *octet;
            plain & is_plain
        });
    };
    let mut rest = text;
    while let Some(run) = rest.first_chunk::<RUN_AND_ONE>() {
        if !is_canonical_run(run) {
            return false;
        }
        rest = rest.get(RUN..).unwrap_or(&[]);
    }
    // The last run overlaps the one before it, so that no octet is looked at alone.
    rest.len() <= 1 || is_canonical_run(last)
}

/// The same of a run and the octet before it; without a branch, so that its octets are looked at together.
#[inline]
fn is_canonical_run(run: &[u8; RUN_AND_ONE]) -> bool {
    let mut odd = false;
    for place in 0..RUN {
        let at = |place: usize| run.get(place).copied().unwrap_or(0);
        let (one, next) = (at(place), at(place.wrapping_add(1)));
        odd |= !is_surely_plain(next) | begins_dots(one, next);
    }
    !odd
}

/// Whether a segment of dots may begin with two octets.
#[inline]
fn begins_dots(one: u8, next: u8) -> bool {
    (one == b'/') & (next == b'.')
}

/// Whether an octet is [plain](is_plain), by comparisons that many octets share; `!` is plain as well.
#[inline]
fn is_surely_plain(byte: u8) -> bool {
    let ranges =
        (byte.cast_signed() > b'%'.cast_signed()) & ((byte.cast_signed() <= b'z'.cast_signed()) | (byte == b'~'));
    // `<` and `>`, `\\` and `^` are alike but for this bit.
    ranges & (byte != b'*') & (byte | 2 != b'>') & (byte | 2 != b'^') & (byte != b'`')
}

/// The canonical path and query of what follows the authority of a URL.
///
/// `rest` starts with `/`, `?`, `#` or is empty.
pub fn canonical_path(rest: &[u8]) -> Cow<'_, [u8]> {
    if path_is_canonical(rest) {
        return Cow::Borrowed(rest);
    }
    let rest = match memchr::memchr(b'#', rest) {
        Some(end) => rest.get(..end).unwrap_or(rest),
        None => rest,
    };
    let (path, query) = match memchr::memchr(b'?', rest) {
        Some(at) => rest.split_at(at),
        None => (rest, &[][..]),
    };
    let mut out = Vec::with_capacity(rest.len().saturating_add(8));
    if path.first() != Some(&b'/') {
        out.push(b'/');
    }
    canonical_into(&mut out, path, b"");
    let mut out = remove_dot_segments(out);
    canonical_into(&mut out, query, b"");
    Cow::Owned(out)
}

/// What follows the authority of a URL, its path without dot segments and nothing else changed.
pub fn without_dot_segments(rest: &[u8]) -> Vec<u8> {
    let (path, more) = rest.split_at(memchr::memchr2(b'?', b'#', rest).unwrap_or(rest.len()));
    let mut out = if path.is_empty() { Vec::new() } else { remove_dot_segments(path.to_vec()) };
    out.extend_from_slice(more);
    out
}

/// How many dots a segment of a path is, `%2E` being one (RFC 3986 6.2.2.3); 0 if it is another segment.
fn dots(segment: &[u8]) -> usize {
    let (mut rest, mut found) = (segment, 0usize);
    while let [b'.', after @ ..] | [b'%', b'2', b'E' | b'e', after @ ..] = rest {
        rest = after;
        found = found.saturating_add(1);
    }
    if rest.is_empty() && found <= 2 { found } else { 0 }
}

/// RFC 3986 5.2.4 for a path that starts with `/`.
fn remove_dot_segments(path: Vec<u8>) -> Vec<u8> {
    let mut beginnings = path.iter().zip(path.get(1..).unwrap_or(&[]));
    if !beginnings.any(|(a, b)| *a == b'/' && matches!(b, b'.' | b'%')) {
        return path;
    }
    let mut out: Vec<u8> = Vec::with_capacity(path.len());
    let body = path.strip_prefix(b"/").unwrap_or(&path);
    let mut segments = body.split(|byte| *byte == b'/').peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match dots(segment) {
            1 => {
                if last {
                    out.push(b'/');
                }
            }
            2 => {
                let cut = memchr::memrchr(b'/', &out).unwrap_or(0);
                out.truncate(cut);
                if last {
                    out.push(b'/');
                }
            }
            _ => {
                out.push(b'/');
                out.extend_from_slice(segment);
            }
        }
    }
    if out.is_empty() {
        out.push(b'/');
    }
    out
}

/// The path as the K2 memo compares it (3.2.2): escapes decoded unless they encode `/`.
///
/// `%` stays `%25`, so that two paths become equal only when the memo calls them equal.
pub fn decoded_path(path: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'%', path).is_none() {
        return Cow::Borrowed(path);
    }
    let mut out = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match (*first, escaped_after(after)) {
            (b'%', Some(byte)) => {
                rest = after.get(2..).unwrap_or(&[]);
                match byte {
                    b'/' | b'%' => push_escape(&mut out, byte),
                    _ => out.push(byte),
                }
            }
            (b'%', None) => push_escape(&mut out, b'%'),
            _ => out.push(*first),
        }
    }
    Cow::Owned(out)
}

/// A rule's pattern as the widely used matcher compares it: octets from 0x80 percent-encoded, escapes upper-cased.
pub fn google_pattern(pattern: &[u8]) -> Cow<'_, [u8]> {
    let mut change = false;
    let mut rest = pattern;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first >= 0x80 {
            change = true;
        } else if *first == b'%' && escaped_after(after).is_some() {
            change |= after.iter().take(2).any(u8::is_ascii_lowercase);
            rest = after.get(2..).unwrap_or(&[]);
        }
    }
    if !change {
        return Cow::Borrowed(pattern);
    }
    let mut out = Vec::with_capacity(pattern.len().saturating_add(8));
    let mut rest = pattern;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first >= 0x80 {
            push_escape(&mut out, *first);
        } else if let (b'%', Some(byte)) = (*first, escaped_after(after)) {
            push_escape(&mut out, byte);
            rest = after.get(2..).unwrap_or(&[]);
        } else {
            out.push(*first);
        }
    }
    Cow::Owned(out)
}

/// The path, parameters and query as the widely used matcher cuts them out of a URL.
pub fn google_path(url: &[u8]) -> Cow<'_, [u8]> {
    let any = |from: usize| -> Option<usize> {
        let tail = url.get(from..)?;
        memchr::memchr3(b'/', b'?', b';', tail).map(|at| at.saturating_add(from))
    };
    let start: usize = if url.starts_with(b"//") { 2 } else { 0 };
    let early = any(start).unwrap_or(usize::MAX);
    let scheme = url
        .get(start..)
        .and_then(|tail| memchr::memmem::find(tail, b"://"))
        .map(|at| at.saturating_add(start))
        .filter(|at| early >= *at);
    let authority = scheme.map_or(start, |at| at.saturating_add(3));
    let Some(path_start) = any(authority) else { return Cow::Borrowed(b"/") };
    let hash =
        url.get(start..).and_then(|tail| memchr::memchr(b'#', tail)).map_or(url.len(), |at| at.saturating_add(start));
    if hash < path_start {
        return Cow::Borrowed(b"/");
    }
    let path = url.get(path_start..hash).unwrap_or(&[]);
    // The matcher hands the path on as a C string.
    let path = path.split(|byte| *byte == 0).next().unwrap_or(&[]);
    if path.first() == Some(&b'/') {
        return Cow::Borrowed(path);
    }
    let mut out = Vec::with_capacity(path.len().saturating_add(1));
    out.push(b'/');
    out.extend_from_slice(path);
    Cow::Owned(out)
}

/// Replaces `%xnnnn` by the character it stands for (P1 4.5.6).
pub(crate) fn unescape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find("%x").or_else(|| rest.find("%X")) {
        let (head, tail) = rest.split_at(at);
        out.push_str(head);
        let digits = tail.get(2..6).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32) {
            Some(letter) => {
                out.push(letter);
                rest = tail.get(6..).unwrap_or("");
            }
            None => {
                out.push_str(tail.get(..2).unwrap_or(""));
                rest = tail.get(2..).unwrap_or("");
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_looked_at_in_runs_as_octet_by_octet() {
        for byte in 0..=u8::MAX {
            assert!(!is_surely_plain(byte) || is_plain(byte), "{byte:#04x}");
            assert!(is_surely_plain(byte) || !is_plain(byte) || byte == b'!', "{byte:#04x}");
        }
        for length in 1..70usize {
            let path = [b"/".as_slice(), &b"a".repeat(length - 1)].concat();
            assert!(path_is_canonical(&path), "{length}");
            for place in 0..length {
                for odd in [b'%', b'#', b' ', b'*', 0x7F, 0xC3] {
                    let mut other = path.clone();
                    *other.get_mut(place).unwrap() = odd;
                    assert!(!path_is_canonical(&other), "{odd:#04x} at {place} of {length}");
                }
                let mut dots = path.clone();
                *dots.get_mut(place).unwrap() = b'/';
                if let Some(after) = dots.get_mut(place + 1) {
                    *after = b'.';
                    assert!(!path_is_canonical(&dots), "dots at {place} of {length}");
                }
            }
        }
    }

    #[test]
    fn a_canonical_path_stays_as_it_is() {
        for path in ["/", "/a?b=/../c", "/%2F%24%2A", "/a/..%2F", "/%25zz"] {
            let once = canonical_path(path.as_bytes()).into_owned();
            assert_eq!(canonical_path(&once).into_owned(), once, "{path}");
        }
    }

    #[test]
    fn dot_segments_go_after_decoding() {
        assert_eq!(&*canonical_path(b"/a/%2e%2E/b/./c/.."), b"/b/");
        assert_eq!(&*canonical_path(b"/../../x"), b"/x");
        assert_eq!(&*canonical_path(b"/a?x=/../b"), b"/a?x=/../b");
        assert_eq!(&*canonical_path(b"?q#f"), b"/?q");
        assert_eq!(&*canonical_path(b""), b"/");
        for (rest, left) in [
            ("/a/.", "/a/"),
            ("/a/%2e%2E/b/.%2e?/../%2e#/..", "/?/../%2e#/.."),
            ("//.", "//"),
            ("/a//../b", "/a/b"),
            ("/%zz/%2e./\u{fc}|%7e/...", "/\u{fc}|%7e/..."),
            ("?x/..", "?x/.."),
            ("", ""),
        ] {
            assert_eq!(String::from_utf8_lossy(&without_dot_segments(rest.as_bytes())), left);
        }
    }

    #[test]
    fn a_dollar_inside_a_pattern_is_a_literal() {
        assert_eq!(&*canonical_pattern(b"/a$b*$"), b"/a%24b*$");
        assert_eq!(&*canonical_pattern("/ü%7e%2f% ".as_bytes()), b"/%C3%BC~%2F%25%20");
    }
}
