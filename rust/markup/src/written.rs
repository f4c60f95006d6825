//! The text of a page, read from its markup where its tree is as it is written, so that none has to be built.
//!
//! Most pages have their elements in each other as their tags say. Of those the standard's rules for building trees
//! (HTML 13.2.6) leave little to do: what a start tag ends, what an end tag ends on its way, where white space may be.
//! Whatever else a builder does (elements that it moves, copies, adds with an effect or ignores) ends the reading.
//!
//! Laws: the text is that of the tree, or none is given; the caller then builds it. What is open here is what a builder
//! has open. Time is linear, as the depth has a limit.

mod closing;
mod element;
mod references;

use memchr::memchr;

use crate::cost::names::{BRIDGE, FOREIGN, LEAVES, PART, RAW, ROOT, VOID};
use crate::cost::tokens::{Tag, after_angle, after_comment, end_of_text, tag};
use crate::text::{Kind, Lines};
use element::{
    BASE, BODY, FONT, FRAME, FRAMESET, HEAD, HTML, KEYGEN, LINK, LISTING, META, NOSCRIPT, Open, SCRIPT, SELECT,
    SELECTEDCONTENT, STYLE, TITLE,
};

/// Elements within each other; pages that people read have some twenty.
const DEPTH: usize = 256;

/// The text of a page; none where its markup alone does not tell what that is.
pub fn text(html: &str) -> Option<String> {
    // A builder drops or replaces NUL.
    if memchr(0, html.as_bytes()).is_some() {
        return None;
    }
    let mut reader = Reader { html, ..Reader::default() };
    while reader.at < html.len() {
        reader.step()?;
    }
    (reader.place == Place::AfterBody).then_some(reader.lines.text)
}

/// Where in a page the next tag stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Start,
    BeforeHead,
    Head,
    AfterHead,
    Body,
    /// Nothing but white space and comments.
    AfterBody,
}

#[derive(Default)]
struct Reader<'a> {
    html: &'a str,
    at: usize,
    place: Place,
    /// The elements around the place, within head or body.
    open: Vec<Open<'a>>,
    /// How many of them are not HTML.
    foreign: usize,
    /// Whether one of them is a SELECT.
    is_in_select: bool,
    lines: Lines,
}

impl<'a> Reader<'a> {
    /// Reads up to the next piece of markup, and it.
    fn step(&mut self) -> Option<()> {
        let html = self.html.as_bytes();
        let begin = self.at;
        let mut from = begin;
        // A `<` may be text.
        let at = loop {
            let found = memchr(b'<', html.get(from..)?).map_or(html.len(), |found| from.saturating_add(found));
            match html.get(found.saturating_add(1)..).unwrap_or(&[]) {
                [letter, ..] if letter.is_ascii_alphabetic() => break found,
                [b'!' | b'?', ..] | [b'/', b'a'..=b'z' | b'A'..=b'Z', ..] => break found,
                [b'/', ..] => return None,
                [] => {
                    if found < html.len() {
                        return None;
                    }
                    break found;
                }
                _ => from = found.saturating_add(1),
            }
        };
        self.text(self.html.get(begin..at)?)?;
        self.at = match html.get(at.saturating_add(1)..).unwrap_or(&[]) {
            [] => html.len(),
            [b'!', b'-', b'-', ..] => after_comment(html, at.saturating_add(4)),
            [b'!' | b'?', ..] if self.foreign > 0 => return None,
            [b'!' | b'?', ..] => after_angle(html, at),
            [b'/', ..] => {
                let tag = tag(html, at, at.saturating_add(2), |_, _| {});
                self.end(&Open::of(tag.name)?)?;
                tag.next
            }
            _ => self.start(at)?,
        };
        Some(())
    }

    /// A run of text.
    fn text(&mut self, text: &'a str) -> Option<()> {
        if text.is_empty() {
            return Some(());
        }
        let is_white = || text.bytes().all(|octet| matches!(octet, b' ' | b'\t' | b'\n' | b'\r' | 0x0c));
        let is_between = self.place != Place::Body || self.open.last().is_some_and(|top| top.is_of_table());
        if is_between {
            if !is_white() {
                return None;
            }
            self.lines.blank();
            return Some(());
        }
        references::read(&mut self.lines, text)
    }

    /// A start tag, and what it begins if that is text; gives where reading goes on.
    fn start(&mut self, at: usize) -> Option<usize> {
        let html = self.html.as_bytes();
        let mut alt: Option<&'a [u8]> = None;
        let tag = tag(html, at, at.saturating_add(1), |name, value| {
            if alt.is_none() && name.eq_ignore_ascii_case(b"alt") {
                alt = Some(value);
            }
        });
        let one = Open::of(tag.name)?;
        match self.place {
            Place::Body if self.foreign > 0 => self.start_foreign(one, tag.closed)?,
            Place::Body => self.start_in_body(one, tag.closed, alt)?,
            Place::Head => self.start_in_head(one)?,
            _ => return self.start_outside(one).map(|()| tag.next),
        }
        if self.foreign == 0 && one.nature & RAW != 0 { self.raw(one, &tag) } else { Some(tag.next) }
    }

    /// HTML, HEAD and BODY.
    fn start_outside(&mut self, one: Open<'a>) -> Option<()> {
        self.place = match (self.place, one.key) {
            (Place::Start, HTML) => Place::BeforeHead,
            (Place::BeforeHead, HEAD) => Place::Head,
            (Place::AfterHead, BODY) => Place::Body,
            _ => return None,
        };
        self.lines.line();
        Some(())
    }

    /// What may stand in the head (HTML 13.2.6.4.4), and in a NOSCRIPT of it.
    fn start_in_head(&mut self, one: Open<'a>) -> Option<()> {
        let is_alone = self.open.is_empty();
        match one.key {
            META | LINK | STYLE => Some(()),
            BASE | SCRIPT | TITLE if is_alone => Some(()),
            NOSCRIPT if is_alone => self.push(one),
            _ => None,
        }
    }

    /// SVG and MathML without what leads back to HTML.
    fn start_foreign(&mut self, one: Open<'a>, is_closed: bool) -> Option<()> {
        let leads_back = one.nature & (LEAVES | BRIDGE | RAW) != 0 || one.key == FONT;
        if leads_back || !matches!(one.kind, Kind::Inline | Kind::Foreign) {
            return None;
        }
        if is_closed { Some(()) } else { self.push_foreign(one) }
    }

    fn start_in_body(&mut self, one: Open<'a>, is_closed: bool, alt: Option<&'a [u8]>) -> Option<()> {
        // Of a LISTING a builder drops the first line end, and its text is no line of its own.
        let is_odd = matches!(one.key, FRAMESET | LISTING | SELECTEDCONTENT)
            || matches!(one.kind, Kind::Template | Kind::Unclear);
        if is_odd || one.nature & ROOT != 0 {
            return None;
        }
        if self.is_in_select {
            return self.start_in_select(one);
        }
        if one.nature & PART != 0 {
            return self.start_part(one);
        }
        let in_table = self.open.last().is_some_and(|top| top.is_of_table());
        if in_table {
            return matches!(one.key, SCRIPT | STYLE).then_some(());
        }
        self.close_before(one)?;
        if one.nature & FOREIGN != 0 {
            return if is_closed { Some(()) } else { self.push_foreign(one) };
        }
        match one.kind {
            Kind::Alt => self.alternative(alt),
            Kind::Break => {
                self.lines.line();
                Some(())
            }
            _ if one.nature & VOID != 0 => {
                let is_odd = one.kind != Kind::Void || matches!(one.key, FRAME | KEYGEN);
                (!is_odd).then_some(())
            }
            _ if one.nature & RAW != 0 => Some(()),
            _ => self.push(one),
        }
    }

    fn end(&mut self, one: &Open<'a>) -> Option<()> {
        match self.place {
            Place::Head if self.open.is_empty() => (one.key == HEAD).then(|| self.place = Place::AfterHead)?,
            Place::Head => self.end_top(one)?,
            Place::Body if one.key == BODY => {
                self.place = Place::AfterBody;
                self.lines.line();
            }
            Place::Body if self.foreign > 0 => self.end_top(one)?,
            Place::Body => self.end_in_body(one)?,
            Place::AfterBody => (one.key == HTML).then_some(())?,
            _ => return None,
        }
        Some(())
    }

    /// Ends the innermost element, which is of this name.
    fn end_top(&mut self, one: &Open<'a>) -> Option<()> {
        self.open.last().is_some_and(|top| top.name.same(&one.name)).then_some(())?;
        self.pop()
    }

    fn top(&self, key: u128) -> bool {
        self.open.last().is_some_and(|top| top.key == key)
    }

    fn push(&mut self, one: Open<'a>) -> Option<()> {
        (self.open.len() < DEPTH).then_some(())?;
        self.mark(one.kind);
        self.is_in_select |= one.key == SELECT;
        self.open.push(one);
        Some(())
    }

    fn push_foreign(&mut self, one: Open<'a>) -> Option<()> {
        self.foreign = self.foreign.saturating_add(1);
        self.push(Open { nature: one.nature | FOREIGN, ..one })
    }

    fn pop(&mut self) -> Option<()> {
        let one = self.open.pop()?;
        if one.nature & FOREIGN != 0 {
            self.foreign = self.foreign.saturating_sub(1);
        }
        self.is_in_select &= one.key != SELECT;
        self.mark(one.kind);
        Some(())
    }

    fn mark(&mut self, kind: Kind) {
        match kind {
            Kind::Block => self.lines.line(),
            Kind::Cell => self.lines.blank(),
            _ => {}
        }
    }

    fn alternative(&mut self, alt: Option<&'a [u8]>) -> Option<()> {
        if let Some(alt) = alt.filter(|alt| !alt.is_empty()) {
            self.lines.blank();
            references::read(&mut self.lines, std::str::from_utf8(alt).ok()?)?;
            self.lines.blank();
        }
        Some(())
    }

    /// An element whose content is text, which is one of the page in TITLE and TEXTAREA; gives what is behind it.
    fn raw(&mut self, one: Open<'a>, begun: &Tag<'a>) -> Option<usize> {
        let html = self.html.as_bytes();
        let end = end_of_text(html, begun.next, begun.name.written);
        let ends = html.get(end..)?;
        ends.starts_with(b"</").then_some(())?;
        if one.kind == Kind::Block {
            self.lines.line();
            references::read(&mut self.lines, self.html.get(begun.next..end)?)?;
            self.lines.line();
        }
        Some(tag(html, end, end.saturating_add(2), |_, _| {}).next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(body: &str) -> Option<String> {
        text(&format!("<!doctype html>\n<html><head><title>t</title></head>\n<body>{body}</body></html>\n"))
    }

    #[test]
    fn elements_that_are_in_each_other_have_their_text() {
        let found = of("<p>a <b>b</b>&amp;<p>c<ul><li>d<li><p>e</ul>f<br>g<img src=x alt='h &lt;'>i");
        assert_eq!(found.as_deref(), Some("t\na b&\nc\nd\ne\nf\ng h < i"));
        let found =
            of("<table><caption>a</caption><tr><td>b<td>c <tr><th><p>d</table>e<select><option>f<option>g</select>");
        assert_eq!(found.as_deref(), Some("t\na\nb c\nd\ne\nf\ng"));
        let found = of("<script>'<p>'</script><textarea><b>x</textarea><svg><g><path/></g></svg><!-- y --> a < b");
        assert_eq!(found.as_deref(), Some("t\n<b>x\na < b"));
        assert_eq!(of("a<svg><colgroup></colgroup>b</svg>").as_deref(), Some("t\nab"));
        assert_eq!(of("").as_deref(), Some("t"));
    }

    #[test]
    fn a_tree_that_is_another_one_has_to_be_built() {
        for odd in [
            "<b><p>a</b></p>",
            "<p><b>a</p>",
            "</p>",
            "</div>",
            "<a><a>",
            "<table>a</table>",
            "<table><td>a</table>",
            "<tr>",
            "<select><p></select>",
            "<svg><p></svg>",
            "<svg><desc></desc></svg>",
            "<template></template>",
            "<xmp></xmp>",
            "<frameset>",
            "<listing>\na</listing>",
            "<body>",
            "<script>",
            "<image>",
            "<p><table></table>",
            "</ a>",
            "&copy",
            "\0",
            "</body>a",
        ] {
            assert_eq!(of(odd), None, "{odd}");
        }
        assert_eq!(text("<p>a</p>"), None);
        assert_eq!(text(""), None);
        assert_eq!(of(&"<div>".repeat(300)), None);
    }
}
