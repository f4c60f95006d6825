//! The META elements of a page whose head is written plainly, so that no tree has to be built for them.
//!
//! In such a head stand META, LINK, BASE, TITLE, STYLE and SCRIPT alone, each with a tag that every reader takes apart
//! alike: its attributes divided by white space, their values in quotes or of letters alone. What a tag is worth that is
//! written otherwise is told by the tree.
//!
//! Laws: they are those of the tree, in its order, each where its tag begins, or none are given. Name and content are taken
//! as written: where `stated` of `src/acap/pages/html.py` would change anything, none are given. Time is linear.

use memchr::{memchr, memmem};

use crate::cost::tokens::after_comment;
use crate::text::is_blank;

/// A META element: its name and its content, either of which may be empty, and where its tag begins, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta<'a> {
    pub name: &'a str,
    pub content: &'a str,
    pub at: usize,
}

/// The META elements of a text that has at most so many, all of them in the head. None where that cannot be told.
pub fn metas(html: &str, count: usize) -> Option<Vec<Meta<'_>>> {
    let mut found = Vec::with_capacity(count.min(FEW));
    if count == 0 {
        return Some(found);
    }
    let mut head = Head { html, at: 0 };
    head.begin(b"html")?;
    head.begin(b"head")?;
    let (mut octets, mut characters) = (0usize, 0usize);
    while found.len() < count {
        let begin = head.markup()?;
        let name = head.name()?;
        let tag = head.tag()?;
        match name.to_ascii_lowercase().as_slice() {
            b"meta" => {
                characters = characters.saturating_add(html.get(octets..begin)?.chars().count());
                octets = begin;
                found.push(Meta { name: plain(tag.name)?, content: plain(tag.content)?, at: characters });
                // The question with which `stated` begins; it goes on to take these apart.
                let is_odd =
                    tag.name.contains(is_quote) || tag.content.trim_start_matches(is_blank).starts_with(is_quote);
                (!is_odd).then_some(())?;
            }
            b"link" | b"base" => {}
            b"title" | b"style" | b"script" if !tag.is_closed => head.skip_text(name)?,
            _ => return None,
        }
    }
    Some(found)
}

/// So many have room from the beginning.
const FEW: usize = 32;

/// A value that says what is written.
fn plain(value: &str) -> Option<&str> {
    (!value.contains(['&', '\0', '\r'])).then_some(value)
}

/// Quotation marks, those that are `QUOTES` in `src/acap/pages/html.py`: what stands in those that HTML does not know may
/// be several attributes.
fn is_quote(letter: char) -> bool {
    matches!(letter, '"' | '\'' | '\u{ab}' | '\u{bb}' | '\u{2018}'..='\u{201f}')
}

fn is_space(octet: u8) -> bool {
    matches!(octet, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

/// Octets that names of elements and attributes have, and values without quotation marks.
fn is_of_name(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'_' | b'.' | b':')
}

/// The first `name` and `content` of a tag.
#[derive(Default)]
struct Tag<'a> {
    name: &'a str,
    content: &'a str,
    /// It ends in `/>`.
    is_closed: bool,
}

struct Head<'a> {
    html: &'a str,
    at: usize,
}

impl<'a> Head<'a> {
    fn rest(&self) -> &'a [u8] {
        self.html.as_bytes().get(self.at..).unwrap_or(&[])
    }

    fn skip(&mut self, octets: usize) {
        self.at = self.at.saturating_add(octets);
    }

    /// Takes octets of a kind.
    fn take(&mut self, is_wanted: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.iter().position(|octet| !is_wanted(*octet)).unwrap_or(rest.len());
        let begin = self.at;
        self.skip(length);
        self.html.get(begin..self.at).unwrap_or_default()
    }

    /// Passes white space and comments; gives where the next tag begins, and stands behind its `<`.
    fn markup(&mut self) -> Option<usize> {
        loop {
            self.take(is_space);
            match self.rest() {
                [b'<', b'!', b'-', b'-', ..] => {
                    self.at = after_comment(self.html.as_bytes(), self.at.saturating_add(b"<!--".len()));
                }
                [b'<', ..] => {
                    let begin = self.at;
                    self.skip(1);
                    return Some(begin);
                }
                _ => return None,
            }
        }
    }

    /// The name of the element whose tag begins.
    fn name(&mut self) -> Option<&'a [u8]> {
        let name = self.take(is_of_name).as_bytes();
        name.first()?.is_ascii_alphabetic().then_some(name)
    }

    /// The start tag of an element, behind the doctype, if there is one.
    fn begin(&mut self, wanted: &[u8]) -> Option<()> {
        self.markup()?;
        if let [b'!', letter, ..] = self.rest() {
            letter.is_ascii_alphabetic().then_some(())?;
            let rest = self.rest();
            let length = memchr(b'>', rest)?;
            memchr(b'<', rest.get(..length)?).is_none().then_some(())?;
            self.skip(length.saturating_add(1));
            self.markup()?;
        }
        self.name()?.eq_ignore_ascii_case(wanted).then_some(())?;
        (!self.tag()?.is_closed).then_some(())
    }

    /// What is behind the name of a tag.
    fn tag(&mut self) -> Option<Tag<'a>> {
        let mut tag = Tag::default();
        let (mut has_name, mut has_content) = (false, false);
        loop {
            let is_apart = !self.take(is_space).is_empty();
            match self.rest() {
                [b'>', ..] => {
                    self.skip(1);
                    return Some(tag);
                }
                [b'/', b'>', ..] => {
                    self.skip(2);
                    return Some(Tag { is_closed: true, ..tag });
                }
                [octet, ..] if is_apart && is_of_name(*octet) => {}
                _ => return None,
            }
            let name = self.take(is_of_name);
            let value = if self.rest().starts_with(b"=") { self.value()? } else { "" };
            if name.eq_ignore_ascii_case("name") && !has_name {
                (tag.name, has_name) = (value, true);
            } else if name.eq_ignore_ascii_case("content") && !has_content {
                (tag.content, has_content) = (value, true);
            }
        }
    }

    /// The value behind an equals sign.
    fn value(&mut self) -> Option<&'a str> {
        self.skip(1);
        let rest = self.rest();
        match rest.first()? {
            quote @ (b'"' | b'\'') => {
                let length = memchr(*quote, rest.get(1..)?)?;
                let begin = self.at.saturating_add(1);
                let end = begin.saturating_add(length);
                self.at = end.saturating_add(1);
                self.html.get(begin..end)
            }
            _ => {
                let value = self.take(is_of_name);
                let is_ended = self.rest().first().is_some_and(|octet| is_space(*octet) || *octet == b'>');
                (is_ended && !value.is_empty()).then_some(value)
            }
        }
    }

    /// Passes the content of an element that is text, and its end tag.
    fn skip_text(&mut self, name: &[u8]) -> Option<()> {
        let rest = self.rest();
        let is_end = |at: &usize| {
            let written = rest.get(at.saturating_add(2)..).and_then(|behind| behind.get(..name.len()));
            written.is_some_and(|written| written.eq_ignore_ascii_case(name))
        };
        let end = memmem::find_iter(rest, b"</").find(is_end)?;
        // In a script it may be of another one, behind this.
        let content = rest.get(..end)?;
        (!name.eq_ignore_ascii_case(b"script") || memmem::find(content, b"<!--").is_none()).then_some(())?;
        self.skip(end.saturating_add(2).saturating_add(name.len()));
        self.rest().starts_with(b">").then(|| self.skip(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(head: &str, count: usize) -> Option<Vec<(&str, &str, usize)>> {
        let html = format!("<!doctype html>\n<html lang=en><head>{head}");
        let found = metas(Box::leak(html.into_boxed_str()), count)?;
        Some(found.into_iter().map(|one| (one.name, one.content, one.at)).collect())
    }

    #[test]
    fn metas_of_a_plain_head_are_told() {
        let before = "<!doctype html>\n<html lang=en><head>".len();
        let found = of("<meta charset=utf-8><title>\u{e9}</title><META NAME='a b' content=\"c>\nd\" name=e />", 2);
        assert_eq!(found, Some(vec![("", "", before), ("a b", "c>\nd", before + 36)]));
        let found = of("<!-- <a> --><script src=x>'<p>'</SCRIPT>\n<style></style><meta name=a>", 1);
        assert_eq!(found.map(|found| found.len()), Some(1));
        assert_eq!(of("<p>", 0), Some(vec![]));
        assert_eq!(
            of("<link rel=x href='y'><base href=z><meta content='it\u{2019}s'>", 1).map(|found| found.len()),
            Some(1)
        );
    }

    #[test]
    fn what_may_be_another_element_is_left_to_the_tree() {
        for odd in [
            "",
            "a<meta name=b>",
            "<p><meta name=b>",
            "</head><meta name=b>",
            "<noscript><meta name=b></noscript>",
            "<template><meta name=b></template>",
            "<meta name=&#97;>",
            "<meta name='a&amp;'>",
            "<meta name='a\0'>",
            "<meta name='a\r\n'>",
            "<meta name=a content=b/>",
            "<meta name=a/content=b>",
            "<meta name='a'content=b>",
            "<meta name = a>",
            "<meta name='a",
            "<meta name=a content='\u{201c}ACAP'>",
            "<meta name=a content=' \u{2003}\u{ab}ACAP'>",
            "<meta name='\"a' content=b>",
            "<meta name=\u{201c}a>",
            "<metal>",
            "<script/><meta>",
            "<script><!--</script><meta>",
            "<title></title ><meta>",
            "<title></titles></title><meta>",
            "<title><meta name=a>",
            "<!x><meta>",
        ] {
            assert_eq!(of(odd, 1), None, "{odd}");
        }
        for odd in ["<meta>", "<html><meta>", "<head><meta>", "<html><head/><meta>", "<!doctype <meta><html><head>"] {
            assert_eq!(metas(odd, 1), None, "{odd}");
        }
    }
}
