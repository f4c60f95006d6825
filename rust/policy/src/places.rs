//! Places in a text and in a table, in 32 bits.

use std::ops::Range;

/// A run of a store or of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl Span {
    pub(crate) fn is_empty(self) -> bool {
        self.len == 0
    }

    pub(crate) fn of<T>(self, table: &[T]) -> &[T] {
        let start = to_usize(self.start);
        table.get(start..start.saturating_add(to_usize(self.len))).unwrap_or(&[])
    }
}

#[inline]
pub(crate) fn to_usize(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[inline]
pub(crate) fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Where a part of a text begins in it.
#[inline]
pub(crate) fn offset(text: &[u8], part: &[u8]) -> usize {
    // Both are of one allocation; the difference of the addresses is the offset.
    part.as_ptr().addr().saturating_sub(text.as_ptr().addr()).min(text.len())
}

/// The place of a part of a text in it.
pub(crate) fn span(text: &[u8], part: &[u8]) -> Range<usize> {
    let start = offset(text, part);
    start..start.saturating_add(part.len())
}

/// Where a problem of a text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub line: u32,
    /// The octet at which the line begins.
    pub start: u32,
    /// The octets that the problem is about: a word, a name, or the whole field.
    pub(crate) part: Span,
}

impl Place {
    /// The octets that the problem is about; none if it is about the text as a whole.
    pub fn span(self) -> Option<Range<usize>> {
        let start = to_usize(self.part.start);
        (!self.part.is_empty()).then(|| start..start.saturating_add(to_usize(self.part.len)))
    }
}

/// What stands in a text from the first of some parts of it to the last. A part that is not of the text, because it was
/// rewritten, does not count.
pub(crate) fn around(text: &[u8], parts: [&[u8]; 2]) -> Span {
    let from = text.as_ptr().addr();
    let places = parts.map(|part| {
        let start = part.as_ptr().addr().checked_sub(from)?;
        let end = start.checked_add(part.len()).filter(|end| *end <= text.len())?;
        Some((to_u32(start), to_u32(end)))
    });
    let start = places.iter().flatten().map(|(start, _)| *start).min().unwrap_or_default();
    let end = places.iter().flatten().map(|(_, end)| *end).max().unwrap_or_default();
    Span { start, len: end.saturating_sub(start) }
}

/// The place of an entry in the table that it is borrowed from.
pub(crate) fn place_of<T>(table: &[T], entry: &T) -> usize {
    let from = table.as_ptr().addr();
    let at = std::ptr::from_ref(entry).addr();
    at.saturating_sub(from).checked_div(size_of::<T>()).unwrap_or(0)
}
