//! Text in the making: its words with a blank or a line end between them.

use crate::cost::tokens::{repeat, zero};

/// Text in the making.
#[derive(Default)]
pub(crate) struct Lines {
    pub(crate) text: String,
    gap: Gap,
}

/// What stands before the next word.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    Nothing,
    Blank,
    Line,
}

impl Lines {
    pub(crate) fn line(&mut self) {
        self.gap = Gap::Line;
    }

    pub(crate) fn blank(&mut self) {
        self.gap = self.gap.max(Gap::Blank);
    }

    /// Adds a text up to its first `&`, and gives the rest.
    pub(crate) fn add<'a>(&mut self, text: &'a str) -> &'a str {
        let mut left = text;
        loop {
            let words = left.trim_start_matches(is_blank);
            if words.len() < left.len() {
                self.blank();
            }
            let Some((as_it_is, behind)) = words.split_at_checked(even(words)) else { return "" };
            if as_it_is.is_empty() {
                return behind;
            }
            self.words(as_it_is);
            left = behind;
        }
    }

    pub(crate) fn words(&mut self, words: &str) {
        if !self.text.is_empty() {
            match self.gap {
                Gap::Nothing => {}
                Gap::Blank => self.text.push(' '),
                Gap::Line => self.text.push('\n'),
            }
        }
        self.gap = Gap::Nothing;
        self.text.push_str(words);
    }
}

/// How far a text can be taken as it is: words without `&`, each with one blank behind it but for the last.
fn even(text: &str) -> usize {
    let octets = text.as_bytes();
    // Behind the last word, and behind what was looked at.
    let (mut end, mut at) = (0usize, 0usize);
    loop {
        while let Some(chunk) = octets.get(at..).and_then(<[u8]>::first_chunk) {
            let Some(is_blank_last) = plain(u64::from_le_bytes(*chunk), end < at) else { break };
            at = at.saturating_add(chunk.len());
            end = at.saturating_sub(usize::from(is_blank_last));
        }
        for octet in octets.get(at..).unwrap_or(&[]).iter().take(8) {
            match octet {
                b' ' if end < at => return end,
                b' ' => {}
                b'&' | ..=0x1f => return end,
                // With these the blanks begin that are not ASCII.
                0xc2 | 0xe1..=0xe3 if text.get(at..).is_some_and(|rest| rest.starts_with(is_blank)) => return end,
                _ => end = at.saturating_add(1),
            }
            at = at.saturating_add(1);
        }
        if at >= octets.len() {
            return end;
        }
    }
}

/// Whether the last of eight octets is a blank; none where they are not surely letters and signs of ASCII with single
/// blanks, without `&`.
fn plain(octets: u64, behind_blank: bool) -> Option<bool> {
    let blanks = zero(octets ^ repeat(b' '));
    let others = octets | octets.wrapping_sub(repeat(b' ')) | zero(octets ^ repeat(b'&'));
    let is_plain = others & repeat(0x80) == 0 && blanks & (blanks << 8 | u64::from(behind_blank) << 7) == 0;
    is_plain.then_some(blanks >> 63 != 0)
}

/// White space as Python divides texts by it: of Unicode's bidirectional types B, S and WS, or of its category Zs.
pub(crate) fn is_blank(letter: char) -> bool {
    match letter {
        ' ' => true,
        '!'..='\u{7f}' => false,
        '\u{1c}'..='\u{1f}' => true,
        _ => letter.is_whitespace(),
    }
}
