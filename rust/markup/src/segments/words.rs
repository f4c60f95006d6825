//! Segments between word boundaries (UAX #29 4.1.1).

use super::class::Word;
use super::lookup::class_of;

/// The segments of a text.
#[derive(Debug)]
pub(super) struct Segments<'t> {
    text: &'t str,
    at: usize,
}

/// A segment: where it ends, in octets, and whether it is a word, which holds a letter or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) end: usize,
    pub(super) word: bool,
}

/// What a segment has been read up to, what extends it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Read {
    CarriageReturn,
    Line,
    Letter,
    Hebrew,
    /// A mark between letters.
    InsideLetters,
    Number,
    /// A mark between digits.
    InsideNumbers,
    Katakana,
    Connector,
    Space,
    HalfFlag,
    Other,
}

impl<'t> Segments<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self { text, at: 0 }
    }
}

impl Iterator for Segments<'_> {
    type Item = Segment;

    fn next(&mut self) -> Option<Segment> {
        let rest = self.text.get(self.at..)?;
        let mut letters = rest.chars();
        let first = class_of(letters.next()?);
        let (mut read, mut word) = (Read::first(first.word), first.letter);
        let (mut bare, mut joined) = (true, first.word == Word::Joiner);
        let mut after = letters.as_str();
        while let Some(letter) = letters.next() {
            let class = class_of(letter);
            if class.extends() && !matches!(read, Read::CarriageReturn | Read::Line) {
                bare = false; // WB4
            } else {
                let next = read.joins(class.word, bare, letters.as_str());
                // WB3c: nothing else joins a pictograph to what stands before it.
                let pictured = || (joined && class.pictograph).then(|| Read::first(class.word));
                let Some(next) = next.or_else(pictured) else { break };
                (read, bare) = (next, true);
            }
            word |= class.letter;
            joined = class.word == Word::Joiner;
            after = letters.as_str();
        }
        self.at = self.text.len().saturating_sub(after.len());
        Some(Segment { end: self.at, word })
    }
}

impl Read {
    /// A segment that begins.
    fn first(word: Word) -> Self {
        match word {
            Word::Cr => Self::CarriageReturn,
            Word::Lf | Word::Newline => Self::Line,
            Word::ALetter => Self::Letter,
            Word::HebrewLetter => Self::Hebrew,
            Word::Numeric => Self::Number,
            Word::Katakana => Self::Katakana,
            Word::ExtendNumLet => Self::Connector,
            Word::WSegSpace => Self::Space,
            Word::RegionalIndicator => Self::HalfFlag,
            _ => Self::Other,
        }
    }

    /// What has been read once the next character has joined the segment; none if it does not.
    fn joins(self, word: Word, bare: bool, rest: &str) -> Option<Self> {
        match (self, word) {
            (Self::CarriageReturn, Word::Lf) => Some(Self::Line), // WB3
            (Self::Space, Word::WSegSpace) if bare => Some(self), // WB3d
            (Self::Letter | Self::Hebrew, _) => self.joins_letters(word, rest),
            (Self::InsideLetters, Word::ALetter | Word::HebrewLetter) // WB7, WB7c
            | (Self::Number, Word::Numeric | Word::ALetter | Word::HebrewLetter | Word::ExtendNumLet) // WB8, WB10, WB13a
            | (Self::InsideNumbers, Word::Numeric) // WB11
            | (Self::Katakana, Word::Katakana | Word::ExtendNumLet) // WB13, WB13a
            | ( // WB13a, WB13b
                Self::Connector,
                Word::ExtendNumLet | Word::ALetter | Word::HebrewLetter | Word::Numeric | Word::Katakana,
            ) => Some(Self::first(word)),
            (Self::Number, Word::MidNum | Word::MidNumLet | Word::SingleQuote) => {
                (beyond(rest) == Some(Word::Numeric)).then_some(Self::InsideNumbers) // WB12
            }
            (Self::HalfFlag, Word::RegionalIndicator) => Some(Self::Other), // WB15, WB16
            _ => None,                                                      // WB999
        }
    }

    fn joins_letters(self, word: Word, rest: &str) -> Option<Self> {
        match word {
            // WB5, WB9, WB13a
            Word::ALetter | Word::HebrewLetter | Word::Numeric | Word::ExtendNumLet => Some(Self::first(word)),
            // WB6
            Word::MidLetter | Word::MidNumLet | Word::SingleQuote
                if matches!(beyond(rest), Some(Word::ALetter | Word::HebrewLetter)) =>
            {
                Some(Self::InsideLetters)
            }
            Word::SingleQuote if self == Self::Hebrew => Some(Self::Other), // WB7a
            Word::DoubleQuote if self == Self::Hebrew && beyond(rest) == Some(Word::HebrewLetter) => {
                Some(Self::InsideLetters) // WB7b
            }
            _ => None,
        }
    }
}

/// What comes behind what extends a mark.
fn beyond(rest: &str) -> Option<Word> {
    rest.chars().map(class_of).find(|class| !class.extends()).map(|class| class.word)
}
