//! The elements held open: a supersequence of any builder's stack (HTML 13.2.4.2).

use super::names::{BUTTON, CELL, HOST, LOOSE, SCOPE, SPECIAL};
use super::tokens::{Name, Tag};
use super::{
    APPLET, COL, COLGROUP, DD, DT, FORM, Found, LI, Land, MARQUEE, OBJECT, OPTION, Open, P, PARTS, REACH, Reader,
    SELECT, SHOWN, TABLE, TEMPLATE, TR,
};

impl<'a> Reader<'a> {
    pub(super) fn host(&self) -> Option<&Open<'a>> {
        self.stack.last().and_then(|top| top.host).and_then(|at| self.stack.get(at)).filter(|host| !host.gone)
    }

    /// Anything may have been closed.
    pub(super) fn doubt(&mut self) {
        self.safe = 0;
        self.unsure = self.stack.len();
        self.dirty = true;
    }

    pub(super) fn push(&mut self, name: Name<'a>, land: Land) {
        let at = self.stack.len();
        let nature = name.nature;
        let top = self.stack.last();
        let foreign = land != Land::Html;
        let host = if nature & HOST != 0 { Some(at) } else { top.and_then(|top| top.host) };
        let p = if name.key == P {
            Some(at)
        } else if foreign || nature & (SCOPE | BUTTON) != 0 {
            None
        } else {
            top.and_then(|top| top.p)
        };
        let stops = foreign || nature & (SPECIAL | LOOSE) == SPECIAL;
        let inherit = |link: fn(&Open<'a>) -> Option<usize>| if stops { None } else { top.and_then(link) };
        let item = if name.key == LI { Some(at) } else { inherit(|top| top.item) };
        let term = match name.key {
            DD | DT => Some(at),
            _ => inherit(|top| top.term),
        };
        if name.key == SELECT {
            if self.selects == 0 {
                self.selected = 0;
            }
            self.selects = self.selects.saturating_add(1);
        }
        if name.key == TEMPLATE {
            self.templates = self.templates.saturating_add(1);
        }
        if matches!(name.key, APPLET | MARQUEE | OBJECT | TEMPLATE) {
            self.markers = self.markers.saturating_add(1);
        }
        self.stack.push(Open {
            name,
            land,
            gone: false,
            below: self.safe,
            before: self.formatting.len(),
            stamp: self.stamp,
            node: self.selected,
            p,
            item,
            term,
            host,
            cell: 0,
            floor: 0,
        });
        self.depth = self.depth.saturating_add(if nature & HOST != 0 { PARTS } else { 1 });
    }

    /// Takes one element away.
    pub(super) fn take(&mut self, at: usize) {
        let below = if at < self.unsure { Some(0) } else { self.stack.get(at).map(|open| open.below) };
        let Some(open) = self.stack.get_mut(at) else { return };
        if open.gone {
            return;
        }
        open.gone = true;
        let name = open.name.key;
        let node = open.node;
        let host = open.name.nature & HOST != 0;
        self.safe = self.safe.min(below.unwrap_or(0));
        self.dirty = true;
        self.depth = self.depth.saturating_sub(if host { PARTS } else { 1 });
        if name == OPTION {
            self.mirror(node);
        }
        if name == SELECT {
            self.selects = self.selects.saturating_sub(1);
        }
        if name == TEMPLATE {
            self.templates = self.templates.saturating_sub(1);
        }
        if matches!(name, APPLET | MARQUEE | OBJECT | TEMPLATE) {
            self.markers = self.markers.saturating_sub(1);
        }
        if name == TEMPLATE && at.saturating_add(1) < self.stack.len() {
            // A table above it is closed too, and is still held here.
            self.astray = true;
        }
        while self.stack.last().is_some_and(|top| top.gone) {
            self.stack.pop();
        }
        self.unsure = self.unsure.min(self.stack.len());
        self.stuck = self.stuck.min(self.stack.len());
    }

    /// What an OPTION holds is shown a second time in a SELECTEDCONTENT.
    pub(super) fn mirror(&mut self, node: u64) {
        if self.mirrored && self.selects > 0 {
            let nodes = self.selected.saturating_sub(node).saturating_add(1);
            self.cost.copies = self.cost.copies.saturating_add(nodes);
            self.spend(self.selected.saturating_mul(SHOWN));
            self.selected = self.selected.saturating_add(nodes);
        }
    }

    /// Takes an element and all above it away.
    pub(super) fn take_from(&mut self, at: usize) {
        for above in (at..self.stack.len()).rev() {
            self.take(above);
        }
    }

    /// Takes the element away that a link leads to.
    pub(super) fn take_linked(&mut self, link: fn(&Open<'a>) -> Option<usize>) {
        if let Some(at) = self.stack.last().and_then(link) {
            self.take(at);
        }
    }

    /// Looks for an element down to what ends the search.
    pub(super) fn find(&self, wanted: impl Fn(&Open<'a>) -> bool, end: impl Fn(&Open<'a>) -> bool) -> Found {
        for (steps, (at, open)) in self.stack.iter().enumerate().rev().enumerate() {
            if open.gone {
                continue;
            }
            if open.land != Land::Html || steps > REACH {
                return Found::Doubt;
            }
            if wanted(open) {
                return if open.name.key == FORM && at < self.stuck { Found::Doubt } else { Found::At(at) };
            }
            if end(open) {
                return Found::Doubt;
            }
        }
        Found::Nowhere
    }

    /// What was known to be foreign may be closed.
    pub(super) fn estrange(&mut self) {
        for open in self.stack.iter_mut().rev() {
            if open.land != Land::Foreign && !open.gone {
                break;
            }
            open.land = Land::Unknown;
        }
    }

    /// A row, a cell or the like begins: what is in the table is closed.
    pub(super) fn part(&mut self, tag: &Tag<'a>, sure: bool) {
        if matches!(tag.name.key, COL | COLGROUP) && self.templates > 0 {
            // A column right in a template makes the builder ignore what follows.
            self.odd |= !sure || self.astray || self.host().is_none_or(|host| host.name.key == TEMPLATE);
        }
        if !sure || self.astray {
            self.doubt();
        }
        let Some(at) = self.stack.last().and_then(|top| top.host) else { return };
        if sure {
            self.clear(at);
        }
        let formatting = self.formatting.len();
        let key = if sure && tag.name.nature & CELL != 0 { tag.name.key } else { 0 };
        if let Some(host) = self.stack.get_mut(at) {
            host.cell = key;
            if tag.name.nature & CELL != 0 {
                host.floor = formatting;
            }
        }
        if sure && !self.astray {
            self.flow = 0;
        }
    }

    /// A part of a table begins or ends: what lies in the table is closed, and forgotten if it lies in a cell.
    pub(super) fn clear(&mut self, at: usize) {
        let below = if at < self.unsure { 0 } else { self.stack.get(at).map_or(0, |host| host.below) };
        self.safe = self.safe.min(below);
        self.dirty = true;
        if self.astray {
            return;
        }
        self.take_from(at.saturating_add(1));
        if let Some(host) = self.stack.get(at).filter(|host| host.cell != 0 && self.markers == 0) {
            let floor = host.floor;
            while self.formatting.len() > floor {
                self.forget(self.formatting.len().saturating_sub(1));
            }
            self.stamp = self.stamp.wrapping_add(1);
        }
    }

    /// The end of a row, a cell or the like.
    pub(super) fn end_of_part(&mut self, name: Name<'a>) {
        if self.astray {
            self.doubt();
        }
        let Some(at) = self.stack.last().and_then(|top| top.host) else { return };
        let Some(host) = self.stack.get(at) else { return };
        let closed = host.cell == name.key || name.key == TR && host.cell != 0 && host.name.key == TABLE;
        if host.cell != 0 && closed {
            self.clear(at);
        } else {
            self.doubt();
        }
        if let Some(host) = self.stack.get_mut(at) {
            host.cell = 0;
        }
    }
}
