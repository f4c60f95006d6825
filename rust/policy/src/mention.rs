//! What the text of a page mentions: found without reading it, so that most pages need not be looked through for it.
//!
//! Law: what a tree can hold is mentioned in its text; the converse need not hold.

use memchr::{memchr_iter, memchr2_iter, memmem};

/// What a page's text may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    /// At most so many META elements.
    pub metas: usize,
    /// A class attribute may have a token of ACAP's.
    pub acap: bool,
    /// An element may have `data-nosnippet`.
    pub nosnippet: bool,
}

pub fn mentions(html: &[u8]) -> Mentions {
    let mut found = Mentions::default();
    found.metas = memchr_iter(b'<', html).filter(|at| begins(html, at.saturating_add(1), b"meta")).count();
    for at in memchr2_iter(b'p', b'P', html) {
        // The colon after it may be a character reference too.
        let ends = matches!(html.get(at.saturating_add(1)), Some(b':' | b'&'));
        found.acap |= ends && at.checked_sub(3).is_some_and(|start| begins(html, start, b"acap"));
        found.nosnippet |= at.checked_sub(10).is_some_and(|start| begins(html, start, b"data-nosnippet"));
    }
    // A letter of `acap` may be written as a character reference.
    found.acap |= memmem::find_iter(html, b"&#").any(|at| spells(html.get(at.saturating_add(2)..).unwrap_or(&[])));
    found
}

fn begins(text: &[u8], at: usize, word: &[u8]) -> bool {
    text.get(at..at.saturating_add(word.len())).is_some_and(|head| head.eq_ignore_ascii_case(word))
}

/// Whether the number of a character reference is one of a letter of `acap`.
fn spells(text: &[u8]) -> bool {
    let (digits, base) = match text {
        [b'x' | b'X', rest @ ..] => (rest, 16),
        _ => (text, 10),
    };
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    let digits = digits.get(zeros..).unwrap_or(&[]);
    let length = digits.iter().take(4).take_while(|digit| char::from(**digit).is_digit(base)).count();
    let number = digits.get(..length).and_then(|digits| std::str::from_utf8(digits).ok());
    let number = number.and_then(|digits| u32::from_str_radix(digits, base).ok());
    number.and_then(char::from_u32).is_some_and(|letter| matches!(letter.to_ascii_lowercase(), 'a' | 'c' | 'p'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_tree_can_hold_is_mentioned() {
        let acap = |text: &str| mentions(text.as_bytes()).acap;
        assert!(acap("<p class=the-ACAP:disallow-index>"));
        assert!(acap("<p class='the-&#97;cap:disallow-index'>"));
        assert!(acap("<p class='the-ac&#x00041;p:disallow-index'>"));
        assert!(acap("<p class='the-acap&colon;disallow-index'>"));
        assert!(!acap("<p class=capable>&#8217;&#39;&#960;</p><meta content='ACAP allow-index'>"));
        assert!(mentions(b"<p DATA-nosnippet>").nosnippet);
        assert!(!mentions(b"data-snippet nosnippet").nosnippet);
        assert_eq!(mentions(b"<meta><META x><!-- <metal> -->").metas, 3);
    }
}
