//! An element that is open, and the names that the reading asks for.

use crate::cost::names::{BUTTON, CELL, FOREIGN, HOST, PART, SCOPE};
use crate::cost::tokens::{Name, key};
use crate::text::Kind;

pub(super) const A: u128 = key(b"a");
pub(super) const BASE: u128 = key(b"base");
pub(super) const BODY: u128 = key(b"body");
pub(super) const BR: u128 = key(b"br");
pub(super) const BUTTON_KEY: u128 = key(b"button");
pub(super) const CAPTION: u128 = key(b"caption");
pub(super) const COL: u128 = key(b"col");
pub(super) const COLGROUP: u128 = key(b"colgroup");
pub(super) const DD: u128 = key(b"dd");
pub(super) const DT: u128 = key(b"dt");
pub(super) const FONT: u128 = key(b"font");
pub(super) const FORM: u128 = key(b"form");
pub(super) const FRAME: u128 = key(b"frame");
pub(super) const FRAMESET: u128 = key(b"frameset");
pub(super) const HEAD: u128 = key(b"head");
pub(super) const HTML: u128 = key(b"html");
pub(super) const KEYGEN: u128 = key(b"keygen");
pub(super) const LI: u128 = key(b"li");
pub(super) const LINK: u128 = key(b"link");
pub(super) const LISTING: u128 = key(b"listing");
pub(super) const META: u128 = key(b"meta");
pub(super) const NOBR: u128 = key(b"nobr");
pub(super) const NOSCRIPT: u128 = key(b"noscript");
pub(super) const OPTGROUP: u128 = key(b"optgroup");
pub(super) const OPTION: u128 = key(b"option");
pub(super) const P: u128 = key(b"p");
pub(super) const SCRIPT: u128 = key(b"script");
pub(super) const SELECT: u128 = key(b"select");
pub(super) const SELECTEDCONTENT: u128 = key(b"selectedcontent");
pub(super) const STYLE: u128 = key(b"style");
pub(super) const TABLE: u128 = key(b"table");
pub(super) const TBODY: u128 = key(b"tbody");
pub(super) const TD: u128 = key(b"td");
pub(super) const TFOOT: u128 = key(b"tfoot");
pub(super) const TH: u128 = key(b"th");
pub(super) const THEAD: u128 = key(b"thead");
pub(super) const TITLE: u128 = key(b"title");
pub(super) const TR: u128 = key(b"tr");

/// An element that is open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open<'a> {
    pub(super) name: Name<'a>,
    pub(super) key: u128,
    pub(super) nature: u32,
    pub(super) kind: Kind,
}

impl<'a> Open<'a> {
    /// What a name means; none of one that has signs by which a builder may take it for another one.
    pub(super) fn of(name: Name<'a>) -> Option<Self> {
        let is_plain = |octet: &u8| octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b':' | b'_');
        name.written.iter().all(is_plain).then_some(())?;
        // No longer name means anything.
        let kind = name.key.to_le_bytes().get(..name.written.len()).map_or(Kind::Inline, Kind::of);
        Some(Self { name, key: name.key, nature: name.nature, kind })
    }

    /// Whether a next tag may end it although it has no end tag of its own (HTML 13.2.6.2).
    pub(super) fn is_implied(self) -> bool {
        matches!(self.key, P | LI | DD | DT | OPTION | OPTGROUP)
    }

    /// Whether it ends a search for a P (HTML 13.2.4.2).
    pub(super) fn hides_p(self) -> bool {
        self.nature & (SCOPE | BUTTON | CELL | HOST | FOREIGN) != 0
    }

    pub(super) fn is_section(self) -> bool {
        matches!(self.key, TBODY | THEAD | TFOOT)
    }

    /// Whether text in it that is not white space would stand before the table.
    pub(super) fn is_of_table(self) -> bool {
        self.nature & (PART | CELL | FOREIGN) == PART || self.key == TABLE && self.nature & FOREIGN == 0
    }
}
