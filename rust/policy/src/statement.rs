//! A statement: who, what for, which resources, effect, restrictions, origin.
//!
//! Every reader produces these, and one loop resolves them ([`crate::resolution`]).

use crate::pattern::matches_whole;
use crate::places::Span;
use crate::usage::Usage;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    Permitted,
    Conditional,
    Prohibited,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    Permits,
    Prohibits,
}

/// How firmly a prohibition stands: one with something in doubt is harder to overcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Firm {
    #[default]
    No,
    /// Its resources or its condition are in doubt: only permissions of an earlier tier of its own part lift it.
    InTier,
    /// A limit cut it, or its usage is in doubt: nothing lifts it.
    Always,
}

/// Where in a resource a statement stands; the innermost part counts first (P2 2.2.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// ACAP in a header, of which nothing lifts what it prohibits.
    Header,
    /// Counted from the inside: an element of a smaller number lies in one of a greater.
    Element(u32),
    Page,
    Site,
}

impl Part {
    pub fn is_element(self) -> bool {
        matches!(self, Self::Element(_))
    }
}

/// A usage purpose pattern (P1 4.5.2.4.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purpose {
    pub written: Box<str>,
    pub line: u32,
    folded: Box<[u8]>,
}

/// A letter without its case, as Unicode's simple folding has it: one for one (our choice beyond ASCII).
fn without_case(letter: char) -> char {
    /// Its capital is that of another letter.
    const DOTLESS: char = '\u{131}';
    fn only(mut letters: impl Iterator<Item = char>) -> Option<char> {
        letters.next().filter(|_| letters.next().is_none())
    }
    if letter.is_ascii() || letter == DOTLESS {
        return letter.to_ascii_lowercase();
    }
    let capital = only(letter.to_uppercase()).unwrap_or(letter);
    only(capital.to_lowercase()).unwrap_or(capital)
}

/// A purpose without case; an empty URI path is `/`.
pub fn fold_purpose(text: &str) -> Vec<u8> {
    let text = text.trim_ascii();
    let mut out = if text.is_ascii() {
        text.to_ascii_lowercase().into_bytes()
    } else {
        text.chars().map(without_case).collect::<String>().into_bytes()
    };
    if let Some(at) = memchr::memmem::find(&out, b"://") {
        let authority = out.get(at.saturating_add(3)..).unwrap_or(&[]);
        match authority.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')) {
            None => out.push(b'/'),
            Some(end) if authority.get(end) != Some(&b'/') => {
                let place = at.saturating_add(3).saturating_add(end).min(out.len());
                out.insert(place, b'/');
            }
            Some(_) => {}
        }
    }
    out
}

/// Whether a pattern is every purpose: `*`, however often, and the `$` that says nothing more.
pub(crate) fn is_every_purpose(written: &str) -> bool {
    let pattern = written.trim_ascii();
    let pattern = pattern.strip_suffix('$').unwrap_or(pattern);
    !pattern.is_empty() && pattern.bytes().all(|octet| octet == b'*')
}

impl Purpose {
    pub fn new(written: &str, line: u32) -> Self {
        // The whole purpose being matched, a final `$` says nothing more (P1 4.5.1).
        let pattern = written.trim_ascii();
        let pattern = pattern.strip_suffix('$').unwrap_or(pattern);
        Self { written: written.into(), line, folded: fold_purpose(pattern).into_boxed_slice() }
    }

    pub(crate) fn is_any(&self) -> bool {
        is_every_purpose(&self.written)
    }

    /// Whether the pattern matches the whole of a folded purpose.
    pub fn matches(&self, folded: &[u8]) -> bool {
        matches_whole(&self.folded, folded)
    }

    pub(crate) fn folded(&self) -> &[u8] {
        &self.folded
    }
}

/// What one field says. Whom it is addressed to is kept with its record; what its words are, with its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    pub effect: Effect,
    /// A permission that lifts nothing: beyond a limit, of a later version, or with a control character. What it
    /// restricts stays restricted.
    pub lifts_nothing: bool,
    pub firm: Firm,
    /// A prohibition in the place of a permission that cannot be interpreted. Where that would lift nothing, it would
    /// restrict in every tier, and so nothing lifts this.
    pub(crate) conditional: bool,
    /// The usages it speaks of: a place in the file's table of spans, which is a run of the file's targets.
    pub(crate) targets: u32,
    /// Its qualifiers: a place in the same table, which is a list of words.
    pub(crate) qualifiers: u32,
    /// Its canonical patterns, a list of words.
    pub(crate) resources: Span,
    /// The record, and the sub-record in it, as places in the file's table of audiences.
    pub audience: u32,
    pub line: u32,
    /// Where the line begins in the text.
    pub start: u32,
}

/// A usage that a field speaks of, once local definitions are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    pub usage: Usage,
    /// A qualified usage that cannot be interpreted prohibits, whatever the field does.
    pub effect: Effect,
    /// It prohibits in the place of a condition that cannot be interpreted ([`Statement::conditional`]).
    pub(crate) conditional: bool,
    /// The qualifiers of a qualified usage, a list of words.
    pub(crate) qualifiers: Span,
}
