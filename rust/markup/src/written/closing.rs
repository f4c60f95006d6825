//! What tags end: items, paragraphs, parts of tables. Where something else would end with them, the reading ends.

use super::Reader;
use super::element::{
    A, BR, BUTTON_KEY, CAPTION, COL, COLGROUP, DD, DT, FORM, LI, NOBR, OPTGROUP, OPTION, Open, P, SELECT, TABLE, TBODY,
    TD, TFOOT, TH, THEAD, TR,
};
use crate::cost::names::{BLOCK, CELL, CLOSES_P, HEADING, LOOSE, MAY_CLOSE, PART, SPECIAL, VOID};

impl<'a> Reader<'a> {
    /// Ends what a start tag ends, or gives none where that takes more than a look.
    pub(super) fn close_before(&mut self, one: Open<'a>) -> Option<()> {
        let is_open = |key: u128| self.open.iter().any(|open| open.key == key);
        let is_again = match one.key {
            A | NOBR | BUTTON_KEY | FORM => is_open(one.key),
            OPTGROUP => true,
            // A part of a RUBY, which ends what may end without a tag.
            _ if one.nature == MAY_CLOSE && one.key != OPTION => self.open.last().is_some_and(|top| top.is_implied()),
            _ => one.nature & HEADING != 0 && self.open.last().is_some_and(|top| top.nature & HEADING != 0),
        };
        if is_again {
            return None;
        }
        match one.key {
            LI => self.close_item(|open| open.key == LI)?,
            DD | DT => self.close_item(|open| matches!(open.key, DD | DT))?,
            OPTION if self.top(OPTION) => self.pop()?,
            _ => {}
        }
        let may_close_p = one.nature & CLOSES_P != 0 || matches!(one.key, FORM | TABLE);
        let is_unsure = one.nature & (CLOSES_P | BLOCK) == BLOCK && one.nature & MAY_CLOSE != 0;
        let p = self.open.iter().rposition(|open| open.key == P || open.hides_p());
        match p.filter(|at| self.open.get(*at).is_some_and(|open| open.key == P)) {
            Some(at) if may_close_p && !matches!(one.key, FORM | TABLE) => self.close_to(at),
            Some(_) if may_close_p || is_unsure && one.key != BUTTON_KEY && one.key != SELECT => None,
            _ => Some(()),
        }
    }

    /// Ends the item that a next one of its list ends.
    pub(super) fn close_item(&mut self, is_item: impl Fn(&Open<'_>) -> bool) -> Option<()> {
        let ends = |open: &Open<'_>| is_item(open) || open.nature & SPECIAL != 0 && open.nature & LOOSE == 0;
        match self.open.iter().rposition(ends) {
            Some(at) if self.open.get(at).is_some_and(&is_item) => self.close_to(at),
            _ => Some(()),
        }
    }

    /// Ends an element, if nothing is in it but what ends with it.
    pub(super) fn close_to(&mut self, at: usize) -> Option<()> {
        self.open.get(at.saturating_add(1)..)?.iter().all(|open| open.is_implied()).then_some(())?;
        while self.open.len() > at {
            self.pop()?;
        }
        Some(())
    }

    pub(super) fn start_in_select(&mut self, one: Open<'a>) -> Option<()> {
        let top = self.open.last()?.key;
        match one.key {
            OPTION if top == OPTION => self.pop()?,
            OPTGROUP if matches!(top, OPTION | OPTGROUP) => {
                self.pop()?;
                if top == OPTION && self.open.last()?.key == OPTGROUP {
                    self.pop()?;
                }
            }
            OPTION | OPTGROUP => {}
            _ => return None,
        }
        self.push(one)
    }

    /// A row, a cell or another part of a table.
    pub(super) fn start_part(&mut self, one: Open<'a>) -> Option<()> {
        self.close_cell()?;
        let is_section = one.is_section();
        if (is_section || one.key == TR) && self.top(TR) {
            self.pop()?;
        }
        if is_section && self.open.last()?.is_section() {
            self.pop()?;
        }
        if one.key != COL && self.top(COLGROUP) {
            self.pop()?;
        }
        let top = *self.open.last()?;
        let is_placed = match one.key {
            TD | TH => top.key == TR,
            TR => top.is_section() || top.key == TABLE,
            COL => return matches!(top.key, COLGROUP | TABLE).then_some(()),
            _ => top.key == TABLE,
        };
        if is_placed { self.push(one) } else { None }
    }

    /// Ends a cell that is open, if nothing is in it but what ends with it.
    pub(super) fn close_cell(&mut self) -> Option<()> {
        while self.open.last().is_some_and(|top| top.is_implied()) {
            self.pop()?;
        }
        if self.open.last().is_some_and(|top| matches!(top.key, TD | TH)) {
            self.pop()?;
        }
        Some(())
    }

    pub(super) fn end_in_body(&mut self, one: &Open<'a>) -> Option<()> {
        match one.key {
            SELECT => {
                let at = self.open.iter().rposition(|open| open.key == SELECT)?;
                return self.close_to(at);
            }
            _ if self.is_in_select => {
                if one.key == OPTGROUP && self.top(OPTION) {
                    self.pop()?;
                }
            }
            TR | TBODY | THEAD | TFOOT | TABLE => {
                self.close_cell()?;
                if one.key != TR && self.top(TR) {
                    self.pop()?;
                }
                if one.key == TABLE && self.open.last()?.nature & PART != 0 && !self.top(CAPTION) {
                    self.pop()?;
                }
            }
            // Without an element to end they do nothing, but for one.
            _ if one.nature & VOID != 0 => return (one.key != BR && one.nature & PART == 0).then_some(()),
            _ => {
                let is_sure = one.nature & MAY_CLOSE == 0 || one.nature & HEADING != 0 || one.key == FORM;
                let is_block = one.nature & (BLOCK | HEADING | CELL) != 0 || one.is_implied() || one.key == FORM;
                while is_sure && is_block && self.open.last()?.is_implied() && !self.top(one.key) {
                    self.pop()?;
                }
            }
        }
        self.end_top(one)
    }
}
