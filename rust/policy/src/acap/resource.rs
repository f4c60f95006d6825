//! The resources that a word of a field names (P1 4.5.6).
//!
//! ```text
//! resource-specification = resource-path-pattern / ("acap:resource-set:" resource-set-name)
//! resource-path-pattern  = relative-part
//! ```
//!
//! Real files also write absolute URIs, and `the-acap:` (P2 3) for `acap:`.

use super::name::{joints, nearly_marked};

/// Whether a value begins as a `resource-specification` does, or with a URI.
pub(super) fn begins_resource(value: &[u8]) -> bool {
    begins_pattern(value) || is_absolute(value)
}

/// Whether a word begins as a `resource-specification` does, a URI aside.
pub(super) fn begins_pattern(token: &[u8]) -> bool {
    matches!(token.first(), Some(b'/' | b'*'))
        || SETS.iter().any(|prefix| begins(token, prefix))
        || is_nearly_set(token)
}

const SCHEMES: [&str; 2] = ["http://", "https://"];

pub(super) fn is_absolute(token: &[u8]) -> bool {
    SCHEMES.iter().any(|scheme| begins(token, scheme))
}

/// Whether a resource is a URI, of a known host or not: `http:/a`.
pub(crate) fn is_uri(token: &[u8]) -> bool {
    SCHEMES.iter().any(|scheme| begins(token, scheme.trim_end_matches('/')))
}

/// Whether a word that was cut may be an absolute URI of any host: it ends before the path.
pub(super) fn is_begun_uri(token: &[u8]) -> bool {
    SCHEMES.iter().any(|scheme| match token.get(scheme.len()..) {
        Some(rest) => begins(token, scheme) && !rest.iter().any(|byte| matches!(byte, b'/' | b'?')),
        None => scheme.get(..token.len()).is_some_and(|head| begins(token, head)),
    })
}

pub(super) const SETS: [&str; 2] = ["acap:resource-set:", "the-acap:resource-set:"];

/// These prefixes, folded.
const FOLDED_SETS: [&str; 2] = ["acap:resourceset:", "theacap:resourceset:"];

/// `"acap:resource-set:" resource-set-name` (P1 4.5.6): the name.
pub(super) fn set_name(token: &[u8]) -> Option<String> {
    let prefix = SETS.iter().find(|prefix| begins(token, prefix))?;
    let name = token.get(prefix.len()..)?;
    Some(String::from_utf8_lossy(name).to_ascii_lowercase())
}

/// Whether a token names a resource set with a misspelt prefix: no other resource begins so.
///
/// It examines no more letters than a prefix has, whatever blanks, `_` and dashes stand between them.
pub(super) fn is_nearly_set(token: &[u8]) -> bool {
    if !nearly_marked(token) || SETS.iter().any(|prefix| begins(token, prefix)) {
        return false;
    }
    let folded = folded_head(token);
    FOLDED_SETS.iter().any(|prefix| begins_nearly(&folded, prefix))
}

/// The start of a token, folded, at least up to the length of the longest prefix of a set with a typo.
fn folded_head(token: &[u8]) -> String {
    /// Octets of that prefix, and of one stray letter.
    const LONGEST: usize = 28;
    let mut out = String::with_capacity(LONGEST.saturating_add(char::MAX.len_utf8()));
    let mut rest = token;
    while let Some(first) = rest.first().filter(|_| out.len() < LONGEST) {
        let joints = joints(rest);
        let used = if joints > 0 {
            joints
        } else if first.is_ascii() {
            out.push(char::from(first.to_ascii_lowercase()));
            1
        } else {
            let head = rest.get(..char::MAX.len_utf8()).unwrap_or(rest);
            let chunk = head.utf8_chunks().next();
            let letter = chunk.as_ref().and_then(|chunk| chunk.valid().chars().next());
            out.push(letter.unwrap_or(char::REPLACEMENT_CHARACTER));
            letter.map_or_else(|| chunk.map_or(1, |chunk| chunk.invalid().len()), char::len_utf8)
        };
        rest = rest.get(used..).unwrap_or(&[]);
    }
    out
}

/// Whether a text begins with a word, with at most one typo.
fn begins_nearly(text: &str, word: &str) -> bool {
    let same: usize = text.chars().zip(word.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let (text, word) = (text.get(same..).unwrap_or(""), word.get(same..).unwrap_or(""));
    /// A text without its first letter.
    fn tail(text: &str) -> &str {
        let mut letters = text.chars();
        let _ = letters.next();
        letters.as_str()
    }
    let (rest, missing) = (tail(text), tail(word));
    let exchanged = || {
        let at = |text: &str, place: usize| text.chars().nth(place);
        at(text, 0) == at(word, 1) && at(text, 1) == at(word, 0) && tail(rest).starts_with(tail(missing))
    };
    missing.is_empty()
        || text.starts_with(missing)
        || rest.starts_with(missing)
        || rest.starts_with(word)
        || exchanged()
}

/// Whether a token has the mark of ACAP; where a resource is expected, it may stand for any resource.
pub(super) fn is_marked(token: &[u8]) -> bool {
    begins(token, "acap:") || begins(token, "the-acap:")
}

/// Whether it is not known which resources a token names: it is a mark without the name of a set, or was cut before
/// or within that name, or was cut within a URI before its path.
pub(super) fn is_unclear(token: &[u8], cut: bool) -> bool {
    let named = set_name(token);
    let begun = || {
        let read = folded_head(token);
        // A character that was cut shows as one replacement character.
        let read = read.strip_suffix(char::REPLACEMENT_CHARACTER).unwrap_or(&read);
        FOLDED_SETS.iter().any(|set| set.starts_with(read))
    };
    is_nearly_set(token)
        || (is_marked(token) && named.as_ref().is_none_or(String::is_empty))
        || (cut && (named.is_some() || begun() || is_begun_uri(token)))
}

/// Whether a blank between two tokens divides the prefix of a resource set, or replaces a letter of it.
pub(super) fn divides_set(token: &[u8], next: &[u8]) -> bool {
    SETS.iter().any(|prefix| divides(prefix, &String::from_utf8_lossy(token), &String::from_utf8_lossy(next)))
}

/// Whether a word and the next one are the beginning and the rest of a text, divided by a blank or with one for a
/// letter.
pub(super) fn divides(whole: &str, word: &str, next: &str) -> bool {
    if word.is_empty() || word.len() >= whole.len() || !begins(whole.as_bytes(), word) {
        return false;
    }
    let ends = |skip: usize| {
        let tail = whole.get(word.len().saturating_add(skip)..).unwrap_or("");
        !tail.is_empty() && begins(next.as_bytes(), tail)
    };
    ends(0) || ends(1)
}

pub(super) fn begins(text: &[u8], prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acap::spelling::{fold, slip};

    #[test]
    fn a_prefix_is_begun_by_one_slip_as_slips_are_counted() {
        const LETTERS: [&str; 4] = ["a", ":", "x", "é"];
        let word = "a:xa:";
        let mut texts = vec![String::new()];
        for _ in 0..6 {
            let longer = texts.iter().flat_map(|text| LETTERS.iter().map(move |letter| format!("{text}{letter}")));
            texts = std::iter::once(String::new()).chain(longer).collect();
        }
        for text in texts {
            let ends = word.len() - 1..=word.len() + 4;
            let counted = ends.filter_map(|end| text.get(..end)).any(|head| slip(head, word));
            assert_eq!(begins_nearly(&text, word), counted, "{text}");
        }
    }

    #[test]
    fn the_prefixes_of_sets_are_folded() {
        assert_eq!(SETS.map(fold), FOLDED_SETS);
        assert_eq!(folded_head("A\u{2011}c \u{E9}_\u{A0}\u{4E9C}".as_bytes()), "ac\u{E9}\u{4E9C}");
        assert_eq!(folded_head(b"a\xE2\x80 \xFFb"), "a\u{FFFD}\u{FFFD}b");
    }
}
