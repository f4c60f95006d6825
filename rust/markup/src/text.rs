//! The text of a page, read from its tree as the parser writes it out: white space collapsed, a line for each block,
//! images as their `alt`.
//!
//! A tree that is written out is easier to read than a page. Each element that is not void has its end tag, each value
//! of an attribute stands in quotes, and what is text in it is escaped (HTML 13.3). Few elements are written so that
//! nobody can tell what was markup in them.
//!
//! Laws: the text is that of the tree, or none is given; the caller then walks over the tree. Time is linear.

mod lines;

use memchr::memchr;
use memchr::memmem::find;

pub(crate) use lines::{Lines, is_blank};

/// What an element does to the text around it and in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A line of its own.
    Block,
    /// Blanks around it.
    Cell,
    /// A line ends at it, and it has no content.
    Break,
    /// Its `alt` is text.
    Alt,
    /// Neither content nor effect.
    Void,
    /// Its content is another document's.
    Template,
    /// Its content is no text of the page, and is written as it is.
    Raw,
    /// Not HTML: what is void here has an end tag there, and what is raw is written otherwise.
    Foreign,
    /// Its content is text, and is written as it is; or it has no end.
    Unclear,
    Inline,
}

impl Kind {
    pub(crate) fn of(name: &[u8]) -> Self {
        match name {
            b"address" | b"article" | b"aside" | b"blockquote" | b"body" | b"caption" | b"center" | b"dd"
            | b"details" | b"dialog" | b"dir" | b"div" | b"dl" | b"dt" | b"fieldset" | b"figcaption" | b"figure"
            | b"footer" | b"form" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"head" | b"header" | b"hgroup"
            | b"html" | b"legend" | b"li" | b"main" | b"menu" | b"nav" | b"ol" | b"optgroup" | b"option" | b"p"
            | b"pre" | b"search" | b"section" | b"select" | b"summary" | b"table" | b"tbody" | b"textarea"
            | b"tfoot" | b"thead" | b"title" | b"tr" | b"ul" => Self::Block,
            b"td" | b"th" => Self::Cell,
            b"br" | b"hr" => Self::Break,
            b"img" | b"area" | b"input" => Self::Alt,
            b"base" | b"basefont" | b"bgsound" | b"col" | b"embed" | b"frame" | b"keygen" | b"link" | b"meta"
            | b"param" | b"source" | b"track" | b"wbr" => Self::Void,
            b"template" => Self::Template,
            b"script" | b"style" | b"iframe" | b"noembed" | b"noframes" => Self::Raw,
            b"svg" | b"math" => Self::Foreign,
            b"xmp" | b"plaintext" => Self::Unclear,
            _ => Self::Inline,
        }
    }
}

/// The text of a tree that is written out as HTML from its root; none where that does not tell.
pub fn text(html: &str) -> Option<String> {
    let mut reader = Reader { html, ..Reader::default() };
    while reader.at < html.len() {
        reader.step()?;
        // Of a tree there is one root, which ends where its text does.
        (reader.at == html.len() || !reader.open.is_empty()).then_some(())?;
    }
    reader.open.is_empty().then_some(reader.lines.text)
}

#[derive(Default)]
struct Reader<'a> {
    html: &'a str,
    at: usize,
    /// The elements around the place.
    open: Vec<(&'a [u8], Kind)>,
    /// How many of them are templates, and how many are not HTML.
    templates: usize,
    foreign: usize,
    lines: Lines,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a [u8] {
        self.html.as_bytes().get(self.at..).unwrap_or(&[])
    }

    fn skip(&mut self, octets: usize) {
        self.at = self.at.saturating_add(octets);
    }

    /// Reads up to the next tag or comment, and it.
    fn step(&mut self) -> Option<()> {
        if !self.rest().starts_with(b"<") {
            let before = memchr(b'<', self.rest())?;
            let text = self.html.get(self.at..self.at.saturating_add(before))?;
            if self.templates == 0 {
                self.escaped(text)?;
            }
            self.skip(before);
        }
        match self.rest() {
            [_, b'/', ..] => self.end(),
            [_, b'!', b'-', b'-', rest @ ..] => {
                self.skip(find(rest, b"-->")?.saturating_add(b"<!---->".len()));
                Some(())
            }
            [_, letter, ..] if letter.is_ascii_alphabetic() => self.begin(),
            _ => None,
        }
    }

    fn begin(&mut self) -> Option<()> {
        self.skip(1);
        let rest = self.rest();
        let name = rest.get(..rest.iter().position(|octet| matches!(octet, b' ' | b'>'))?)?;
        self.skip(name.len());
        let kind = Kind::of(name);
        let alt = self.attributes(kind == Kind::Alt)?;
        let is_html = self.foreign == 0;
        match kind {
            Kind::Unclear => return None,
            Kind::Break | Kind::Alt | Kind::Void if !is_html => return None,
            Kind::Raw if !is_html => return None,
            Kind::Break | Kind::Void | Kind::Alt => {
                self.mark(kind);
                if let Some(alt) = alt.filter(|alt| !alt.is_empty() && self.templates == 0) {
                    self.lines.blank();
                    self.escaped(alt)?;
                    self.lines.blank();
                }
                return Some(());
            }
            Kind::Raw => return self.raw(name),
            Kind::Template => self.templates = self.templates.saturating_add(1),
            Kind::Foreign => self.foreign = self.foreign.saturating_add(1),
            Kind::Block | Kind::Cell | Kind::Inline => self.mark(kind),
        }
        self.open.push((name, kind));
        Some(())
    }

    /// Reads the attributes of a tag, and its end; the value of `alt`, if it is `wanted`.
    fn attributes(&mut self, wanted: bool) -> Option<Option<&'a str>> {
        let mut alt = None;
        loop {
            match self.rest() {
                [b'>', ..] => {
                    self.skip(1);
                    return Some(alt);
                }
                // A name may begin with an equals sign, and has none behind that.
                [b' ', _, rest @ ..] => {
                    let more = rest.iter().position(|octet| *octet == b'=')?;
                    let is_alt = wanted && more == 2 && self.rest().starts_with(b" alt");
                    let value = rest.get(more..)?.strip_prefix(b"=\"")?;
                    let length = memchr(b'"', value)?;
                    self.skip(more.saturating_add(b" x=\"".len()));
                    if is_alt {
                        alt = Some(self.html.get(self.at..self.at.saturating_add(length))?);
                    }
                    self.skip(length.saturating_add(1));
                }
                _ => return None,
            }
        }
    }

    /// Skips what is written as it is, and its end tag, which cannot stand in it.
    fn raw(&mut self, name: &[u8]) -> Option<()> {
        let rest = self.rest();
        let mut end = 0usize;
        loop {
            end = end.saturating_add(find(rest.get(end..)?, b"</")?);
            let behind = rest.get(end.saturating_add(2)..)?;
            if behind.starts_with(name) && behind.get(name.len()) == Some(&b'>') {
                break;
            }
            end = end.saturating_add(2);
        }
        // But in a script it can, behind both of these (HTML 13.2.5.27).
        let content = rest.get(..end)?;
        if name == b"script" && find(content, b"<!--").is_some() && mentions_script(content) {
            return None;
        }
        self.skip(end.saturating_add(name.len()).saturating_add(b"</>".len()));
        Some(())
    }

    fn end(&mut self) -> Option<()> {
        let (name, kind) = self.open.pop()?;
        let tag = self.rest().get(2..)?;
        (tag.starts_with(name) && tag.get(name.len()) == Some(&b'>')).then_some(())?;
        self.skip(name.len().saturating_add(b"</>".len()));
        match kind {
            Kind::Template => self.templates = self.templates.saturating_sub(1),
            Kind::Foreign => self.foreign = self.foreign.saturating_sub(1),
            _ => self.mark(kind),
        }
        Some(())
    }

    fn mark(&mut self, kind: Kind) {
        match kind {
            _ if self.templates > 0 => {}
            Kind::Block | Kind::Break => self.lines.line(),
            Kind::Cell => self.lines.blank(),
            _ => {}
        }
    }

    /// Adds a text or a value, of which these alone are escaped (HTML 13.3).
    fn escaped(&mut self, text: &str) -> Option<()> {
        let mut left = self.lines.add(text);
        while !left.is_empty() {
            let found = [("&amp;", "&"), ("&nbsp;", "\u{a0}"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\"")]
                .into_iter()
                .find_map(|(written, meant)| Some((left.strip_prefix(written)?, meant)));
            let (behind, meant) = found?;
            match meant {
                "\u{a0}" => self.lines.blank(),
                _ => self.lines.words(meant),
            }
            left = self.lines.add(behind);
        }
        Some(())
    }
}

fn mentions_script(content: &[u8]) -> bool {
    memchr::memchr_iter(b'<', content).any(|at| {
        let name = content.get(at.saturating_add(1)..at.saturating_add(b"<script".len()));
        name.is_some_and(|name| name.eq_ignore_ascii_case(b"script"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(body: &str) -> Option<String> {
        text(&format!("<html><head></head><body>{body}</body></html>"))
    }

    #[test]
    fn blocks_are_lines_and_white_space_is_one_blank() {
        let found = of("<p>a  <b>b</b>c\n</p><!-- - > <p> --><p class=\"x > y\">d<br>e</p><hr>f<td>g</td>h");
        assert_eq!(found.as_deref(), Some("a bc\nd\ne\nf g h"));
        assert_eq!(of("").as_deref(), Some(""));
        assert_eq!(of("a\u{1c}b\u{3000}c&nbsp;d&amp;lt;e&lt;&gt;\"").as_deref(), Some("a b c d&lt;e<>\""));
    }

    #[test]
    fn blanks_are_found_at_any_place() {
        for before in 0..20 {
            let words = "abcdefg hijk lm nop qrstuvwxyz".get(..before).unwrap();
            for (gap, meant) in [("  ", " "), ("\n", " "), (" &amp; ", " & "), ("\u{2003}", " "), ("\u{e9}", "\u{e9}")]
            {
                let found = of(&format!("<p>{words}x{gap}y z and more words here  .</p>"));
                assert_eq!(found, Some(format!("{words}x{meant}y z and more words here .")));
            }
        }
    }

    #[test]
    fn images_are_their_alternatives() {
        let found = of(
            "a<img src=\"x\" alt=\"b&quot;&amp;\">c<img alt=\"\">d<img alt=\" \">e<b alt=\"f\"></b><img xalt=\"g\">",
        );
        assert_eq!(found.as_deref(), Some("a b\"& cd e"));
    }

    #[test]
    fn names_of_attributes_may_have_any_signs() {
        assert_eq!(of("<p =a=\"b>c\" \"=\"<b>\" '=\"\">d</p>").as_deref(), Some("d"));
    }

    #[test]
    fn what_is_no_text_is_left_out() {
        let found = of("a<script>if (b</c/.x) \"</s\"<!-- </script><style></p></style><template><p>d</p></template>e");
        assert_eq!(found.as_deref(), Some("ae"));
        assert_eq!(of("<svg width=\"1\"><title>a</title><path d=\"b\"></path></svg>c").as_deref(), Some("a\nc"));
    }

    #[test]
    fn where_it_cannot_be_told_none_is_given() {
        for unclear in [
            "<xmp><b></xmp>",
            "<plaintext><b></plaintext>",
            "<svg><style>a</style></svg>",
            "<svg><input></svg>",
            "<script><!--<script></script>a<script>--></script>",
            "<p>a",
            "a</b>",
            "<p a>",
            "<!doctype>",
            "<?p?>",
            "a&b",
            "< p>",
            "</body></html><p></p><html><body>",
            "<!-- ",
            "<script>",
        ] {
            assert_eq!(of(unclear), None, "{unclear}");
        }
    }
}
