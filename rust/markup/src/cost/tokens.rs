//! Tokens of HTML, as the standard's tokenizer finds them (HTML 13.2.5).

use super::names;

/// A name in lower case with its meaning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'a> {
    pub(crate) written: &'a [u8],
    /// The first octets in lower case.
    pub(crate) key: u128,
    pub(crate) nature: u32,
}

/// The key of a name of at most 16 octets.
pub(crate) const fn key(name: &[u8]) -> u128 {
    let mut out = 0u128;
    let mut rest = name;
    while let Some((last, head)) = rest.split_last() {
        out = out << 8 | *last as u128;
        rest = head;
    }
    out
}

impl<'a> Name<'a> {
    /// The name that a text begins with.
    #[inline]
    pub(crate) fn first(text: &'a [u8]) -> Self {
        if let Some(chunk) = text.first_chunk::<8>() {
            let octets = u64::from_le_bytes(*chunk);
            let ends = zero(octets ^ repeat(b'>')) | zero(octets ^ repeat(b' ')) | zero(octets ^ repeat(b'/'));
            let length = ends.trailing_zeros() >> 3;
            let kept = 1u64.checked_shl(length << 3).map_or(0, |end| end.wrapping_sub(1));
            // Neither capital nor control: all octets have this bit.
            if ends != 0 && octets & kept & repeat(0x20) == kept & repeat(0x20) {
                let length = length as usize;
                let written = text.get(..length).unwrap_or(text);
                return Self { written, key: u128::from(octets & kept), nature: names::nature(written) };
            }
        }
        let length = text.iter().position(|byte| ends_name(*byte)).unwrap_or(text.len());
        Self::new(text.get(..length).unwrap_or(text))
    }

    fn new(written: &'a [u8]) -> Self {
        let mut lower = [0u8; 16];
        for (to, from) in lower.iter_mut().zip(written) {
            *to = from.to_ascii_lowercase();
        }
        let nature = names::nature(lower.get(..written.len()).unwrap_or(written));
        Self { written, key: u128::from_le_bytes(lower), nature }
    }

    pub(crate) fn same(&self, other: &Self) -> bool {
        self.key == other.key
            && self.written.len() == other.written.len()
            && (self.written.len() <= 16 || self.written.eq_ignore_ascii_case(other.written))
    }

    /// Whether builders may hold it for another one: octets that they replace.
    pub(crate) fn doubtful(&self) -> bool {
        self.written.iter().any(|byte| *byte == 0 || *byte >= 0x80)
    }
}

/// A start tag or an end tag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag<'a> {
    pub(crate) name: Name<'a>,
    /// All of it, from `<` to `>`.
    pub(crate) written: &'a [u8],
    pub(crate) attributes: u64,
    /// It ends in `/>`.
    pub(crate) closed: bool,
    /// Where reading goes on.
    pub(crate) next: usize,
}

pub(crate) const fn repeat(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// The high bit of the first octet that is zero, and perhaps of some after it.
pub(crate) const fn zero(octets: u64) -> u64 {
    octets.wrapping_sub(repeat(1)) & !octets & repeat(0x80)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

fn ends_name(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b'/' | b'>')
}

fn rest(html: &[u8], at: usize) -> &[u8] {
    html.get(at..).unwrap_or(&[])
}

/// After the next `>`.
pub(crate) fn after_angle(html: &[u8], at: usize) -> usize {
    memchr::memchr(b'>', rest(html, at)).map_or(html.len(), |found| at.saturating_add(found).saturating_add(1))
}

/// The tag whose name begins at a place; each attribute is shown, its name and its value as written.
pub(crate) fn tag<'a>(
    html: &'a [u8],
    start: usize,
    name_at: usize,
    mut attribute: impl FnMut(&'a [u8], &'a [u8]),
) -> Tag<'a> {
    let name = Name::first(rest(html, name_at));
    let mut at = name_at.saturating_add(name.written.len());
    let mut attributes = 0u64;
    let mut closed = false;
    while let Some(byte) = html.get(at) {
        match byte {
            b'>' => {
                at = at.saturating_add(1);
                break;
            }
            b'/' => {
                closed = html.get(at.saturating_add(1)) == Some(&b'>');
                at = at.saturating_add(1);
            }
            byte if is_space(*byte) => at = at.saturating_add(1),
            _ => {
                let tail = rest(html, at);
                // A `=` in front is part of the name.
                let length = tail
                    .iter()
                    .skip(1)
                    .position(|byte| ends_name(*byte) || *byte == b'=')
                    .map_or(tail.len(), |found| found.saturating_add(1));
                let (value, next) = value(html, at.saturating_add(length));
                attribute(tail.get(..length).unwrap_or(tail), value);
                attributes = attributes.saturating_add(1);
                at = next;
            }
        }
    }
    Tag { name, written: html.get(start..at).unwrap_or(&[]), attributes, closed, next: at }
}

/// The value that may follow an attribute's name, and where reading goes on.
fn value(html: &[u8], at: usize) -> (&[u8], usize) {
    let skip = |at: usize| {
        let tail = rest(html, at);
        at.saturating_add(tail.iter().position(|byte| !is_space(*byte)).unwrap_or(tail.len()))
    };
    let equals = skip(at);
    if html.get(equals) != Some(&b'=') {
        return (&[], equals);
    }
    let begin = skip(equals.saturating_add(1));
    match html.get(begin) {
        Some(quote @ (b'"' | b'\'')) => {
            let inside = begin.saturating_add(1);
            let tail = rest(html, inside);
            let length = memchr::memchr(*quote, tail).unwrap_or(tail.len());
            let next = inside.saturating_add(length).saturating_add(1).min(html.len());
            (tail.get(..length).unwrap_or(tail), next)
        }
        Some(b'>') | None => (&[], begin),
        Some(_) => {
            let tail = rest(html, begin);
            let end = tail.iter().position(|byte| is_space(*byte) || *byte == b'>').unwrap_or(tail.len());
            (tail.get(..end).unwrap_or(tail), begin.saturating_add(end))
        }
    }
}

/// After the comment whose content begins at a place.
pub(crate) fn after_comment(html: &[u8], begin: usize) -> usize {
    let tail = rest(html, begin);
    if tail.starts_with(b">") {
        return begin.saturating_add(1);
    }
    if tail.starts_with(b"->") {
        return begin.saturating_add(2);
    }
    for found in memchr::memchr_iter(b'>', tail) {
        let content = tail.get(..found).unwrap_or(tail);
        if content.ends_with(b"--") || content.ends_with(b"--!") {
            return begin.saturating_add(found).saturating_add(1);
        }
    }
    html.len()
}

/// After the CDATA section whose content begins at a place.
pub(crate) fn after_cdata(html: &[u8], begin: usize) -> usize {
    memchr::memmem::find(rest(html, begin), b"]]>")
        .map_or(html.len(), |found| begin.saturating_add(found).saturating_add(3))
}

/// Whether a text goes on with a name and with what ends a name.
fn has_name(text: &[u8], name: &[u8]) -> bool {
    text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name))
        && text.get(name.len()).is_some_and(|byte| ends_name(*byte))
}

/// Where the end tag of an element begins whose content is text.
pub(crate) fn end_of_text(html: &[u8], begin: usize, name: &[u8]) -> usize {
    if name.eq_ignore_ascii_case(b"plaintext") {
        return html.len();
    }
    let tail = rest(html, begin);
    let script = name.eq_ignore_ascii_case(b"script");
    // 0: script data; 1: escaped; 2: double escaped.
    let mut depth = 0u8;
    let mut from = 0usize;
    while let Some(found) = memchr::memchr2(b'<', b'>', rest(tail, from)) {
        let at = from.saturating_add(found);
        let after = rest(tail, at.saturating_add(1));
        from = at.saturating_add(1);
        if tail.get(at) == Some(&b'>') {
            if depth > 0 && tail.get(..at).is_some_and(|head| head.ends_with(b"--")) {
                depth = 0;
            }
        } else if let Some(closing) = after.strip_prefix(b"/") {
            if has_name(closing, name) {
                if depth < 2 {
                    return begin.saturating_add(at);
                }
                depth = 1;
            }
        } else if script && depth == 0 && after.starts_with(b"!--") {
            depth = 1;
        } else if depth == 1 && has_name(after, b"script") {
            depth = 2;
        }
    }
    html.len()
}
