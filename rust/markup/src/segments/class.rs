//! What the rules of UAX #29 ask of a character.

/// Grapheme_Cluster_Break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cluster {
    Cr,
    Lf,
    Control,
    Extend,
    Joiner,
    RegionalIndicator,
    Prepend,
    SpacingMark,
    L,
    V,
    T,
    /// LV or LVT, as its place tells.
    Syllable,
    Lv,
    Lvt,
    Other,
}

/// Indic_Conjunct_Break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conjunct {
    Consonant,
    Extend,
    Linker,
    Other,
}

/// Word_Break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Cr,
    Lf,
    Newline,
    Extend,
    Joiner,
    RegionalIndicator,
    Format,
    Katakana,
    HebrewLetter,
    ALetter,
    SingleQuote,
    DoubleQuote,
    MidNumLet,
    MidLetter,
    MidNum,
    Numeric,
    ExtendNumLet,
    WSegSpace,
    Other,
}

/// The properties of a character; those of `letter` are the general categories L and N.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class {
    pub(super) cluster: Cluster,
    pub(super) conjunct: Conjunct,
    pub(super) word: Word,
    pub(super) pictograph: bool,
    pub(super) letter: bool,
}

/// A line of the table.
pub(super) const fn class(cluster: Cluster, conjunct: Conjunct, word: Word, pictograph: bool, letter: bool) -> Class {
    Class { cluster, conjunct, word, pictograph, letter }
}

impl Class {
    /// WB4: what goes with the character before it.
    pub(super) fn extends(self) -> bool {
        matches!(self.word, Word::Extend | Word::Format | Word::Joiner)
    }
}
