//! User-perceived characters and words of a text, as Unicode segments text (UAX #29).
//!
//! A character is an extended grapheme cluster. A word is a segment between word boundaries that holds a letter or a
//! number. Time is linear, and no more of the text is read than the answer needs. Rules and properties are those of
//! [`UNICODE`], which no crate has yet.

mod class;
mod clusters;
mod lookup;
mod table;
mod words;

use std::iter::Peekable;

pub use table::UNICODE;

use clusters::Clusters;
use words::Segments;

/// How many user-perceived characters a text has.
pub fn count_chars(text: &str) -> usize {
    Clusters::of(text).count()
}

/// How many words a text has.
pub fn count_words(text: &str) -> usize {
    Segments::of(text).filter(|segment| segment.word).count()
}

/// The octet at which the first so many user-perceived characters end; none if the text has no more.
pub fn end_of_chars(text: &str, amount: usize) -> Option<usize> {
    let mut clusters = Clusters::of(text);
    let end = match amount.checked_sub(1) {
        None => 0,
        Some(skipped) => clusters.nth(skipped)?,
    };
    clusters.next().map(|_| end)
}

/// The octet at which the first so many words end, with what hangs on the last of them; none if the text has no more.
///
/// What hangs on a word stands between it and the next white space. Beside it: whether the answer would be the same
/// whatever followed the text.
pub fn end_of_words(text: &str, amount: usize) -> Option<(usize, bool)> {
    let (mut left, mut start, mut cut) = (amount, 0, 0);
    let mut hangs = false;
    for (end, words) in Whole::of(text) {
        let Some(rest) = left.checked_sub(words) else {
            return Some((cut, end < text.len()));
        };
        left = rest;
        hangs = words > 0 || (hangs && !begins_with_space(text.get(start..end).unwrap_or_default()));
        if hangs {
            cut = end;
        }
        start = end;
    }
    None
}

/// White space as Python's `str.isspace` has it: with the four separators of ASCII.
fn begins_with_space(text: &str) -> bool {
    text.chars().next().is_some_and(|letter| letter.is_whitespace() || matches!(letter, '\x1C'..='\x1F'))
}

/// Segments, joined where a cluster goes on: the end of each, and the number of words that it holds.
struct Whole<'t> {
    segments: Segments<'t>,
    clusters: Peekable<Clusters<'t>>,
}

impl<'t> Whole<'t> {
    fn of(text: &'t str) -> Self {
        Self { segments: Segments::of(text), clusters: Clusters::of(text).peekable() }
    }
}

impl Iterator for Whole<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        let mut words: usize = 0;
        for segment in self.segments.by_ref() {
            words = words.saturating_add(usize::from(segment.word));
            while self.clusters.next_if(|end| *end < segment.end).is_some() {}
            if self.clusters.next_if_eq(&segment.end).is_some() {
                return Some((segment.end, words));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str, ends: impl Iterator<Item = usize>) -> Vec<&str> {
        let mut start = 0;
        ends.map(|end| text.get(std::mem::replace(&mut start, end)..end).unwrap()).collect()
    }

    /// The lines of a break test of the Unicode Character Database, each with the ends of its parts.
    fn breaks(test: &str) -> Vec<(String, Vec<usize>)> {
        let code = |code: &str| char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap();
        let line = |line: &str| {
            let (mut text, mut ends) = (String::new(), Vec::new());
            for part in line.split('\u{F7}').filter(|part| !part.trim().is_empty()) {
                text.extend(part.split_whitespace().filter(|one| *one != "\u{D7}").map(code));
                ends.push(text.len());
            }
            (text, ends)
        };
        test.lines().filter(|line| !line.starts_with('#')).map(line).collect()
    }

    #[test]
    fn boundaries_are_those_of_unicode() {
        let clusters = breaks(include_str!("../../../tests/vectors/text/grapheme-breaks.txt"));
        let words = breaks(include_str!("../../../tests/vectors/text/word-breaks.txt"));
        assert!(clusters.len() > 400 && words.len() > 1400);
        for (text, ends) in clusters {
            assert_eq!(Clusters::of(&text).collect::<Vec<_>>(), ends, "{text:?}");
        }
        for (text, ends) in words {
            assert_eq!(Segments::of(&text).map(|one| one.end).collect::<Vec<_>>(), ends, "{text:?}");
        }
    }

    #[test]
    fn characters_are_those_that_people_see() {
        let text =
            "e\u{301}\r\n\u{1F1F8}\u{1F1EA}\u{1F1F8}\u{AC00}\u{11A8}\u{1F469}\u{200D}\u{1F467}\u{915}\u{94D}\u{924}";
        let seen = [
            "e\u{301}",
            "\r\n",
            "\u{1F1F8}\u{1F1EA}",
            "\u{1F1F8}",
            "\u{AC00}\u{11A8}",
            "\u{1F469}\u{200D}\u{1F467}",
            "\u{915}\u{94D}\u{924}",
        ];
        assert_eq!(parts(text, Clusters::of(text)), seen);
        assert_eq!((count_chars(text), count_chars("")), (7, 0));
    }

    #[test]
    fn words_go_together_as_people_read_them() {
        let text = "can't 3.14, a_b\r\n\u{5E6}\u{5D4}\"\u{5DC} \u{6F22}\u{5B57} \u{30AB}\u{30BF}";
        let read = [
            "can't",
            " ",
            "3.14",
            ",",
            " ",
            "a_b",
            "\r\n",
            "\u{5E6}\u{5D4}\"\u{5DC}",
            " ",
            "\u{6F22}",
            "\u{5B57}",
            " ",
            "\u{30AB}\u{30BF}",
        ];
        assert_eq!(parts(text, Segments::of(text).map(|one| one.end)), read);
        assert_eq!((count_words(text), count_words("")), (7, 0));
    }

    #[test]
    fn what_is_cut_ends_with_a_whole_part() {
        assert_eq!(end_of_chars("e\u{301}e\u{301}", 1), Some(3));
        assert_eq!(end_of_chars("ab", 0), Some(0));
        assert_eq!(end_of_chars("ab", 2), None);
        assert_eq!(end_of_words("one, (two) three.", 1), Some((4, true)));
        assert_eq!(end_of_words("one, (two) three", 2), Some((10, false)));
        assert_eq!(end_of_words("one two", 2), None);
        assert_eq!(end_of_words("\u{E01}\u{E33}", 1), Some((0, false)));
    }
}
