//! How much work the tree of a page may be, before anyone builds it.
//!
//! HTML's tree construction searches the stack of open elements at most tags, and copies formatting elements into each
//! block that follows an unclosed one; both grow with the square of the page and worse. [`cost`] bounds them in one
//! pass. It is one module, as every rule of the standard changes the same counters. Laws:
//!
//! - What a builder has open is always among what is held open here, in the same order. An end tag takes one element
//!   away here, and only if every builder that has it open closes it at this tag; in doubt it stays.
//! - Tokens are those of the standard. Where the state of the tree decides what is a tag and is not known, both
//!   readings are followed until they meet; if they do not meet, whatever looks like a tag counts.
//! - Formatting elements are held apart. How many of them lie for certain below what is closed tells how many may be
//!   copied next.
//! - Linear time; memory within a constant times the depth.

mod formatting;
pub(crate) mod names;
mod stack;
pub(crate) mod tokens;

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use names::{BLOCK, BRIDGE, BUTTON, CLOSES_P, FOREIGN, FORMATTING, HEADING, HOST, LEAVES, LIST, MAY_CLOSE, PART, RAW};
use names::{REBUILDS, ROOT, SCOPE, SPECIAL, VOID};
use tokens::{Name, Tag, after_angle, after_cdata, after_comment, end_of_text, key, tag};

/// What a page costs at most, to a constant factor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Steps of searches along open elements, attributes, names and options, and of moving text; some 2 to 5 ns each.
    pub steps: u64,
    /// Elements made beyond those written, and what takes as much memory; some 400 octets each.
    pub copies: u64,
    /// Start tags.
    pub tags: u64,
}

/// Depth to which the element of an end tag is searched for; what lies deeper stays open.
const REACH: usize = 64;
/// At most this many formatting elements are compared with an end tag.
const REACH_FORMATTING: usize = 16;
/// An end tag closes a formatting element across at most this many open elements.
const REACH_BLOCKS: usize = 4;
/// Above this number of open formatting elements, those written alike count as three.
const MANY: usize = 16;
/// Places for names that were seen.
const PLACES: usize = 4096;
/// Chains of a builder's table of names.
const CHAINS: usize = 128;
/// Cost of a step along such a chain, whose parts lie apart in memory.
const CHAIN_STEP: u64 = 16;
/// Steps that a builder takes for each node it visits or copies for a SELECTEDCONTENT.
const SHOWN: u64 = 20;
/// Depth of a table with a body, a row and a cell.
const PARTS: u64 = 4;
/// Octets moved per step.
const MOVED: u64 = 8;
/// Octets whose moving leaves as much unused memory as one copied element takes.
const LOST: u64 = 2048;

const A: u128 = key(b"a");
const APPLET: u128 = key(b"applet");
const MARQUEE: u128 = key(b"marquee");
const OBJECT: u128 = key(b"object");
const BR: u128 = key(b"br");
const COL: u128 = key(b"col");
const COLGROUP: u128 = key(b"colgroup");
const DD: u128 = key(b"dd");
const DT: u128 = key(b"dt");
const FONT: u128 = key(b"font");
const FORM: u128 = key(b"form");
const FRAME: u128 = key(b"frame");
const FRAMESET: u128 = key(b"frameset");
const LI: u128 = key(b"li");
const NOBR: u128 = key(b"nobr");
const OPTGROUP: u128 = key(b"optgroup");
const OPTION: u128 = key(b"option");
const P: u128 = key(b"p");
const SCRIPT: u128 = key(b"script");
const SELECT: u128 = key(b"select");
const SELECTEDCONTENT: u128 = key(b"selectedcontent");
const SUP: u128 = key(b"sup");
const TABLE: u128 = key(b"table");
const TEMPLATE: u128 = key(b"template");
const TR: u128 = key(b"tr");

/// What is known of an element's namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Land {
    Html,
    Foreign,
    Unknown,
}

/// An element held open.
#[derive(Clone, Copy, Debug)]
struct Open<'a> {
    name: Name<'a>,
    land: Land,
    /// Taken away while others lay above it.
    gone: bool,
    /// Number of formatting elements that certainly lie below it.
    below: usize,
    /// Number of formatting elements that were open when it was opened.
    before: usize,
    /// When it was opened, in changes of formatting elements.
    stamp: u64,
    /// When it was opened, in nodes of the outermost SELECT.
    node: u64,
    /// The P in button scope, the list item, the description item that a next one closes; TABLE or TEMPLATE.
    p: Option<usize>,
    item: Option<usize>,
    term: Option<usize>,
    host: Option<usize>,
    /// Of a host: the name of its open cell, or 0.
    cell: u128,
    /// Of a host: the number of formatting elements outside of it.
    floor: usize,
}

/// A formatting element that was not closed.
#[derive(Clone, Copy, Debug)]
struct Formatting<'a> {
    name: Name<'a>,
    written: &'a [u8],
    weight: u64,
    /// Of this and all before it.
    sum: u64,
}

/// What a search for an element found.
enum Found {
    At(usize),
    /// There is none.
    Nowhere,
    /// Nobody knows, or something forbids.
    Doubt,
}

struct Reader<'a> {
    html: &'a [u8],
    cost: Cost,
    stack: Vec<Open<'a>>,
    depth: u64,
    formatting: Vec<Formatting<'a>>,
    /// Number of formatting elements, from the first, that lie where `below` says.
    safe: usize,
    /// Number of elements, from the bottom of the stack, whose `below` says nothing.
    unsure: usize,
    /// Number of elements, from the bottom of the stack, among which an end tag no longer closes a FORM.
    stuck: usize,
    /// Something may have been closed since formatting elements were brought back.
    dirty: bool,
    stamp: u64,
    heaviest: u64,
    most_attributes: u64,
    alike: HashMap<&'a [u8], u64>,
    /// Number of formatting elements, from the first, that are counted in `alike`.
    counted: usize,
    /// Weight and number of those, with at most three that are written alike.
    alike_weight: u64,
    alike_number: u64,
    /// Nested tables or foreign content leave in doubt in which table a cell is.
    astray: bool,
    /// Frames, or columns in a template: elements may be ignored.
    odd: bool,
    templates: u64,
    /// Elements that begin a list of formatting elements of their own, cells aside.
    markers: u64,
    selects: u64,
    /// Nodes since the outermost SELECT.
    selected: u64,
    /// There is a SELECTEDCONTENT; a SELECT in a SELECT, perhaps.
    mirrored: bool,
    nested: bool,
    root_attributes: u64,
    /// Octets of text that may be in one node: of the flow, and before a table.
    flow: u64,
    before_table: u64,
    /// The other reading takes everything up to here for text.
    other: Option<usize>,
    seen: Vec<u64>,
    chains: Vec<u64>,
    keys: (u64, u64),
}

/// A bound of the work that a page's tree is.
pub fn cost(html: &[u8]) -> Cost {
    let mut reader = Reader::new(html);
    reader.read();
    reader.cost
}

impl<'a> Reader<'a> {
    fn new(html: &'a [u8]) -> Self {
        Self {
            html,
            cost: Cost::default(),
            stack: Vec::with_capacity(64),
            depth: 0,
            formatting: Vec::new(),
            safe: 0,
            unsure: 0,
            stuck: 0,
            dirty: false,
            stamp: 0,
            heaviest: 0,
            most_attributes: 0,
            alike: HashMap::new(),
            counted: 0,
            alike_weight: 0,
            alike_number: 0,
            astray: false,
            odd: false,
            templates: 0,
            markers: 0,
            selects: 0,
            selected: 0,
            mirrored: false,
            nested: false,
            root_attributes: 0,
            flow: 0,
            before_table: 0,
            other: None,
            seen: Vec::new(),
            chains: Vec::new(),
            keys: (0, 0),
        }
    }

    fn read(&mut self) {
        let html = self.html;
        let mut at = 0usize;
        let mut text = 0usize;
        while let Some(found) = memchr::memchr(b'<', html.get(at..).unwrap_or(&[])) {
            let start = at.saturating_add(found);
            let after = start.saturating_add(1);
            let (next, known) = match html.get(after) {
                Some(b'!' | b'?') => (after, true),
                Some(b'/') => (after, html.get(start.saturating_add(2)).is_some()),
                Some(byte) => (after, byte.is_ascii_alphabetic()),
                None => (after, false),
            };
            if !known {
                at = next;
                continue;
            }
            if let Some(end) = self.other {
                if start > end {
                    self.lost(end);
                    return;
                }
                if start == end {
                    self.other = None;
                }
            }
            self.text(html.get(text..start).unwrap_or(&[]));
            self.step();
            at = match self.markup(start) {
                Some(next) => next,
                None => {
                    self.lost(after);
                    return;
                }
            };
            text = at;
        }
        self.text(html.get(text..).unwrap_or(&[]));
        if let Some(end) = self.other.filter(|end| *end < html.len()) {
            self.lost(end);
        }
        if self.mirrored {
            for at in (0..self.stack.len()).rev() {
                self.take(at);
            }
        }
    }

    /// One search along everything open.
    fn step(&mut self) {
        let open = u64::try_from(self.formatting.len()).unwrap_or(u64::MAX);
        self.spend(self.depth.saturating_add(open).saturating_add(1));
    }

    fn spend(&mut self, steps: u64) {
        self.cost.steps = self.cost.steps.saturating_add(steps);
    }

    fn land(&self) -> Land {
        self.stack.last().map_or(Land::Html, |top| top.land)
    }

    /// One piece of markup; none if it can be read in ways that part.
    fn markup(&mut self, start: usize) -> Option<usize> {
        let html = self.html;
        let after = start.saturating_add(1);
        let two = start.saturating_add(2);
        let tail = html.get(after..).unwrap_or(&[]);
        match tail {
            [b'!', b'-', b'-', ..] => Some(after_comment(html, start.saturating_add(4))),
            [b'!', b'[', b'C', b'D', b'A', b'T', b'A', b'[', ..] => {
                let long = after_cdata(html, start.saturating_add(9));
                let short = after_angle(html, after);
                match self.land() {
                    Land::Html => Some(short),
                    Land::Foreign => Some(long),
                    Land::Unknown if self.other.is_some() => None,
                    Land::Unknown => {
                        let plain = html.get(short..long).is_none_or(|between| memchr::memchr(b'<', between).is_none());
                        plain.then_some(long.max(short))
                    }
                }
            }
            [b'/', b'>', ..] => Some(start.saturating_add(3)),
            [b'/', letter, ..] if letter.is_ascii_alphabetic() => {
                let tag = self.tag(start, two);
                self.end(&tag);
                Some(tag.next)
            }
            [b'!' | b'?' | b'/', ..] => Some(after_angle(html, after)),
            _ => {
                let tag = self.tag(start, after);
                self.cost.tags = self.cost.tags.saturating_add(1);
                self.start(&tag)
            }
        }
    }

    fn tag(&mut self, start: usize, name_at: usize) -> Tag<'a> {
        let html = self.html;
        let tag = tag(html, start, name_at, |name, _| {
            if !names::common(name) {
                self.name(name);
            }
        });
        if tag.name.nature == REBUILDS {
            self.name(tag.name.written);
        }
        // Attributes are compared with each other.
        self.spend(tag.attributes.saturating_mul(tag.attributes));
        tag
    }

    /// A name that a builder may have to look for in a chain.
    fn name(&mut self, name: &[u8]) {
        if self.seen.is_empty() {
            self.seen = vec![0; PLACES];
            self.chains = vec![0; CHAINS];
            let state = RandomState::new();
            self.keys = (state.hash_one(0u8) | 1, state.hash_one(1u8) | 1);
        }
        let mut chain = 0u32;
        let mut sum = self.keys.1;
        for byte in name {
            let byte = byte.to_ascii_lowercase();
            chain = chain.wrapping_add(u32::from(byte));
            chain = chain.wrapping_add(chain << 10);
            chain ^= chain >> 6;
            let wide = u128::from(sum ^ u64::from(byte)).wrapping_mul(u128::from(self.keys.0));
            sum = (wide as u64) ^ ((wide >> 64) as u64);
        }
        chain = chain.wrapping_add(chain << 3);
        chain ^= chain >> 11;
        chain = chain.wrapping_add(chain << 15);
        let mut length = 0u64;
        if let Some(place) = self.chains.get_mut(chain as usize % CHAINS) {
            if let Some(seen) = self.seen.get_mut(sum as usize % PLACES).filter(|seen| **seen != sum) {
                *seen = sum;
                *place = place.saturating_add(1);
            }
            length = *place;
        }
        self.spend(length.saturating_mul(CHAIN_STEP));
    }

    /// A run of text.
    fn text(&mut self, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
        self.selected = self.selected.saturating_add(1);
        self.step();
        // A builder drops NUL.
        let blank = || text.iter().all(|byte| matches!(byte, 0 | b' ' | b'\t' | b'\n' | b'\r' | 0x0C));
        // Text joins the text before it, which is moved.
        let mut moved = self.flow;
        if self.host().is_some_and(|host| self.astray || host.cell == 0 && !blank()) {
            moved = moved.saturating_add(self.before_table);
            self.before_table = self.before_table.saturating_add(length);
        }
        self.flow = self.flow.saturating_add(length);
        self.moved(moved);
        if self.safe < self.formatting.len() {
            self.rebuild();
            if self.land() == Land::Html && self.other.is_none() && !self.odd && !blank() {
                self.safe = self.formatting.len();
            }
        }
    }

    fn moved(&mut self, octets: u64) {
        self.spend(octets.checked_div(MOVED).unwrap_or(0));
        // A short text is moved within its place.
        if octets > 256 {
            self.cost.copies = self.cost.copies.saturating_add(octets.checked_div(LOST).unwrap_or(0));
        }
    }

    /// No end tag can be trusted to close anything.
    fn blind(&self) -> bool {
        self.odd || self.other.is_some()
    }

    /// A start tag; where reading goes on, none if nobody knows.
    fn start(&mut self, tag: &Tag<'a>) -> Option<usize> {
        let name = tag.name;
        let nature = name.nature;
        self.selected = self.selected.saturating_add(1);
        self.rebuild();
        if self.land() == Land::Foreign {
            if nature & LEAVES != 0 && !self.blind() {
                while self.land() == Land::Foreign {
                    self.take(self.stack.len().saturating_sub(1));
                }
            } else {
                return self.foreign_start(tag);
            }
        }
        let html = self.land() == Land::Html;
        let sure = html && !self.blind();
        if sure && nature & (FORMATTING | REBUILDS) == REBUILDS {
            self.safe = self.formatting.len();
        }
        if nature & ROOT != 0 {
            self.root_attributes = self.root_attributes.saturating_add(tag.attributes);
            self.spend(self.root_attributes.saturating_mul(tag.attributes));
        }
        if sure && nature & (PART | ROOT) == 0 && !matches!(name.key, FORM | FRAME | FRAMESET) {
            self.flow = 0;
            if self.stack.last().is_none_or(|top| top.host.is_none()) {
                self.before_table = 0;
            }
        }
        if name.key == SELECT {
            self.nested |= self.selects > 0 || !html;
        }
        self.mirrored |= name.key == SELECTEDCONTENT;
        if self.mirrored && self.nested {
            // Each shows the content of the others, over and over.
            self.cost.steps = u64::MAX;
        }
        if nature & MAY_CLOSE != 0 && !self.formatting.is_empty() {
            self.doubt();
        }
        if sure {
            if name.key == LI {
                self.take_linked(|top| top.item);
            } else if matches!(name.key, DD | DT) {
                self.take_linked(|top| top.term);
            }
            if nature & CLOSES_P != 0 {
                self.take_linked(|top| top.p);
            }
        }
        if nature & PART != 0 {
            self.part(tag, sure);
        }
        if nature & RAW != 0 {
            return self.raw(tag, sure);
        }
        if !html {
            // What is void in HTML is not in SVG, and the other way round.
            if nature & (VOID | LEAVES) != VOID | LEAVES {
                self.push(name, Land::Unknown);
            }
            if nature & LEAVES != 0 {
                self.doubt();
            }
            if nature & HOST != 0 {
                self.astray = true;
            }
            if nature & FORMATTING != 0 {
                self.format(tag);
            }
            return Some(tag.next);
        }
        match name.key {
            OPTION | OPTGROUP | SELECTEDCONTENT => {
                // A builder walks over all options at each.
                self.spend(if self.selects > 0 {
                    self.selected.saturating_mul(if self.mirrored { SHOWN } else { 4 })
                } else {
                    0
                });
            }
            FRAMESET => self.odd = true,
            TABLE if self.host().is_some_and(|host| host.name.key == TABLE && host.cell == 0) => self.astray = true,
            _ => {}
        }
        if nature & FORMATTING != 0 {
            if matches!(name.key, A | NOBR) {
                self.close_formatting(name);
            }
            self.format(tag);
        } else if nature & FOREIGN != 0 {
            let known = sure && self.selects == 0;
            if !tag.closed || !known {
                self.push(name, if known { Land::Foreign } else { Land::Unknown });
            }
        } else if nature & (VOID | PART | ROOT) == 0 {
            if matches!(name.key, OPTION | OPTGROUP) && sure {
                let stamp = self.stamp;
                if self.stack.last().is_some_and(|top| top.name.key == OPTION && top.stamp == stamp) {
                    self.take(self.stack.len().saturating_sub(1));
                }
            }
            self.push(name, Land::Html);
        }
        Some(tag.next)
    }

    /// A start tag in SVG or MathML that stays there.
    fn foreign_start(&mut self, tag: &Tag<'a>) -> Option<usize> {
        let name = tag.name;
        if self.blind() || name.nature & (LEAVES | BRIDGE | ROOT) != 0 || matches!(name.key, FONT | SUP) {
            if name.nature & BRIDGE == 0 || self.blind() {
                self.estrange();
                self.doubt();
                if name.nature & FORMATTING != 0 {
                    self.format(tag);
                }
                if name.nature & HOST != 0 {
                    self.astray = true;
                }
            }
            self.push(name, Land::Unknown);
        } else if !tag.closed {
            self.push(name, Land::Foreign);
        }
        if !self.blind() {
            self.flow = 0;
        }
        Some(tag.next)
    }

    /// An element whose content is text.
    fn raw(&mut self, tag: &Tag<'a>, sure: bool) -> Option<usize> {
        let name = tag.name;
        let end = end_of_text(self.html, tag.next, name.written);
        if sure && (self.selects == 0 || name.key == SCRIPT) {
            return Some(end);
        }
        if self.other.is_some() {
            return None;
        }
        self.push(name, Land::Unknown);
        self.other = Some(end);
        Some(tag.next)
    }

    fn end(&mut self, tag: &Tag<'a>) {
        let name = tag.name;
        if matches!(name.key, P | BR) {
            // Without its start tag it makes an element.
            self.cost.tags = self.cost.tags.saturating_add(1);
            self.rebuild();
        }
        if name.nature & (VOID | RAW) != 0 && name.key != BR && self.land() == Land::Html {
            return;
        }
        if self.blind() || name.doubtful() {
            self.hold(name);
            return;
        }
        let html = self.land() == Land::Html;
        if !html {
            self.foreign_end(name);
            return;
        }
        let nature = name.nature;
        if nature & FORMATTING != 0 {
            self.close_formatting(name);
            return;
        }
        if nature & PART != 0 {
            self.end_of_part(name);
            return;
        }
        if nature & ROOT != 0 || name.key == BR {
            return;
        }
        let same = |open: &Open<'a>| open.name.same(&name);
        let found = match name.key {
            P => self.find(same, |open| open.name.nature & (SCOPE | BUTTON) != 0),
            LI => self.find(same, |open| open.name.nature & (SCOPE | LIST) != 0),
            DD | DT | FORM => self.find(same, |open| open.name.nature & SCOPE != 0),
            TABLE => self.find(same, |open| open.name.key == TEMPLATE),
            TEMPLATE => self.find(same, |_| false),
            FRAMESET => Found::Doubt,
            _ if nature & HEADING != 0 => {
                self.find(|open| open.name.nature & HEADING != 0, |open| open.name.nature & SCOPE != 0)
            }
            _ if nature & BLOCK != 0 => self.find(same, |open| open.name.nature & SCOPE != 0),
            _ => self.find(same, |open| open.name.nature & SPECIAL != 0),
        };
        match found {
            Found::At(at) if name.key == TABLE => {
                self.clear(at);
                self.take(at);
            }
            Found::At(at) => self.take(at),
            Found::Nowhere => {}
            Found::Doubt => self.hold(name),
        }
    }

    /// An end tag that takes nothing away here and may close things all the same.
    fn hold(&mut self, name: Name<'a>) {
        self.doubt();
        if name.key == FORM {
            self.stuck = self.stack.len();
        }
        if name.nature & FORMATTING != 0 {
            self.adopt();
        }
        if name.nature & (HOST | PART) != 0 {
            self.astray = true;
        }
    }

    /// An end tag in SVG or MathML.
    fn foreign_end(&mut self, name: Name<'a>) {
        let top = self.stack.len().saturating_sub(1);
        if self.land() == Land::Foreign && !matches!(name.key, P | BR) {
            let inside =
                self.stack.iter().enumerate().rev().take(REACH).take_while(|(_, one)| one.land == Land::Foreign);
            if let Some((at, _)) = inside.into_iter().find(|(_, one)| one.name.same(&name)) {
                self.take_from(at);
                return;
            }
        }
        let known =
            self.stack.last().is_some_and(|one| one.name.same(&name)) && !(name.key == FORM && top < self.stuck);
        if self.land() == Land::Unknown && known {
            self.take(top);
            return;
        }
        self.estrange();
        self.hold(name);
    }

    /// From here on whatever looks like a start tag counts as one that is never closed.
    fn lost(&mut self, begin: usize) {
        let mut words = 0u64;
        let mut at = begin;
        loop {
            let tail = self.html.get(at..).unwrap_or(&[]);
            let length = memchr::memchr(b'<', tail).unwrap_or(tail.len());
            let piece = tail.get(..length).unwrap_or(tail);
            // Each word may be an attribute of a name not seen before, or a text of its own.
            let spaces = piece
                .iter()
                .filter(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C | b'/' | b'"' | b'\''))
                .count();
            let here = u64::try_from(spaces).unwrap_or(u64::MAX).saturating_add(1);
            words = words.saturating_add(here);
            self.spend(
                here.saturating_mul(here).saturating_add(here.saturating_mul(words.checked_div(MOVED).unwrap_or(0))),
            );
            let size = u64::try_from(piece.len()).unwrap_or(u64::MAX);
            self.flow = self.flow.saturating_add(size);
            self.moved(self.flow);
            if length == tail.len() {
                return;
            }
            at = at.saturating_add(length).saturating_add(1);
            self.depth = self.depth.saturating_add(1);
            self.selected = self.selected.saturating_add(2);
            self.cost.tags = self.cost.tags.saturating_add(1);
            self.most_attributes = self.most_attributes.max(here);
            self.step();
            self.spend(if self.selects > 0 { self.selected.saturating_mul(4) } else { 0 });
            let open = u64::try_from(self.formatting.len()).unwrap_or(u64::MAX);
            self.cost.copies = self.cost.copies.saturating_add(open.saturating_mul(self.heaviest));
            let name_at = self.html.get(at..).unwrap_or(&[]);
            if name_at.first().is_some_and(u8::is_ascii_alphabetic) {
                let name = Name::first(name_at.get(..24).unwrap_or(name_at));
                if name.nature & FORMATTING != 0 {
                    let weight = (here >> 1).saturating_add(size >> 8).saturating_add(1);
                    self.heaviest = self.heaviest.max(weight);
                    self.formatting.push(Formatting { name, written: &[], weight, sum: 0 });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: &[(&str, usize)]) -> Cost {
        cost(parts.iter().map(|(part, times)| part.repeat(*times)).collect::<String>().as_bytes())
    }

    #[test]
    fn what_nests_costs_its_square() {
        for unit in [
            "<div>",
            "<x-y>",
            "<ul><li>",
            "<li><dd>",
            "<table><tr><td>",
            "<svg><g>",
            "<b>",
            "<div><!--</div>-->",
            "<div x='</div>'>",
            "<div><!--><p></p><!---></p>",
            "<div><script><!--<script></script></div></script>",
            "<div><table><td></div></table>",
            "<svg><style><g></style>",
            "<form><table><td></form></td></table></form>",
            "<template><col><div></div>",
        ] {
            let (once, twice) = (of(&[(unit, 1_000)]), of(&[(unit, 2_000)]));
            assert!(twice.steps > 900_000 && twice.steps > once.steps * 3, "{unit} {once:?} {twice:?}");
        }
    }

    #[test]
    fn what_closes_itself_costs_its_length() {
        for unit in [
            "<p>x",
            "<li>x",
            "<dt>x<dd>y",
            "<p><b class=x>x</b></p>",
            "<a href=x>y<div>z</div></a>",
            "<br><img src=x>",
            "<option>x",
            "<p>a<!-- <div> -->b",
            "<script>if (a<b) c = '<div>';</script>",
            "<svg><title>x</title><path d=M/></svg>",
            "<h1>x</h1><form><input></form>",
            "<table><tr><td><font color=red><b>x<td><p>y<tr><th>z</table>",
            "<table><tr><td>x<div>y</td></tr></table>",
        ] {
            let cost = of(&[(unit, 2_000)]);
            assert!(cost.steps < 500_000 && cost.copies <= 4_000, "{unit} {cost:?}");
        }
    }

    #[test]
    fn unclosed_formatting_is_copied_into_each_block() {
        let fonts: String = (0..100).map(|color| format!("<font color={color}>")).collect();
        for block in ["<p>x", "<div>x</div>", "<li></br>", "<table><td>x</table>"] {
            let cost = cost(format!("<p>{fonts}{}", block.repeat(100)).as_bytes());
            assert!(cost.copies >= 100 * 99, "{block} {cost:?}");
        }
        // Of elements written alike three are copied.
        assert!(of(&[("<p>", 1), ("<b>", 1_000), ("<p>x", 100)]).copies <= 100 * 3);
    }

    #[test]
    fn attributes_and_names_are_compared_with_each_other() {
        let attributes: String = (0..3_000).map(|number| format!(" a{number}")).collect();
        assert!(cost(format!("<p{attributes}>").as_bytes()).steps >= 9_000_000);
        let names: String = (0..30_000).map(|number| format!("<x{number}></x{number}>")).collect();
        assert!(cost(names.as_bytes()).steps >= 30_000 * 30_000 / 2 / 128);
    }

    #[test]
    fn a_name_in_capitals_and_a_long_name_close_as_written_otherwise() {
        for unit in ["<DIV></div>", "<a-name-longer-than-sixteen></A-name-longer-than-SIXTEEN>", "<dIV\n></Div\t>"] {
            assert!(of(&[(unit, 1_000)]).steps < 60_000, "{unit}");
        }
        assert!(of(&[("<a-name-longer-than-sixteen></a-name-longer-than-sixteem>", 1_000)]).steps > 400_000);
    }

    #[test]
    fn any_octets_give_a_cost() {
        for text in ["<", "</", "<!", "<!--", "<a", "<a b='", "<p/", "<script>", "<svg><![CDATA[", "</p", "<a =>"] {
            assert!(cost(text.as_bytes()).steps < 100, "{text}");
        }
        assert_eq!(cost(b""), Cost::default());
    }
}
