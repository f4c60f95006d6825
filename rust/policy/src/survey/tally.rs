//! How many captures say what to whom, by periods of time.
//!
//! Memory is bounded: a table of numbers for each period, and at most [`PERIODS`] periods.

use std::collections::BTreeMap;

use super::Surveyed;
use super::capture::{FIELDS, Judged};
use super::restriction::{self, Restriction, Traits};
use super::standing::Standing;
use crate::batch::outcome_code;
use crate::places::to_usize;
use crate::problems::Code;
use crate::reach::Extent;
use crate::statement::Outcome;
use crate::survey::SIGNALS;

/// Periods that are counted apart: forty years of months. Captures of any further one count as those without a time.
pub(crate) const PERIODS: usize = 480;

const STANDINGS: usize = Standing::NAMES.len();
/// Standings, files that are read by their kinds.
const COLUMNS: usize = STANDINGS + restriction::KINDS - 1;
/// Numbers per crawler and usage: extents by columns, and the captures that ask for a licence for `/`.
const CELLS: usize = Extent::NAMES.len() * COLUMNS + 1;
const CONDITIONAL: usize = CELLS - 1;

/// Numbers of captures, or what they weigh.
type Cells = [f64; CELLS];

/// The captures of one period.
#[derive(Clone, Debug)]
pub struct Period {
    /// Captures by what came, and what they weigh.
    pub standings: [(u64, f64); STANDINGS],
    /// Captures with each of the fields.
    pub fields: [u64; FIELDS.len()],
    /// Captures in which each of the signals speaks to a crawler of the panel.
    pub signals: [u64; SIGNALS.len()],
    /// Captures with each of the problems.
    pub codes: Vec<u64>,
    /// Of each usage what the first class is told.
    base: Vec<Cells>,
    /// Of each crawler and usage how it differs from that.
    apart: Vec<Cells>,
    /// Of each crawler and usage what captures weigh.
    weights: Vec<Cells>,
}

/// Captures, or what they weigh, of one crawler and usage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Count {
    pub crawler: usize,
    pub usage: usize,
    /// Extent, standing and restriction by their codes; none: captures that ask for a licence for `/`.
    pub cell: Option<(u8, u8, u8)>,
    pub captures: f64,
    pub weight: f64,
}

/// All periods.
#[derive(Clone, Debug)]
pub struct Tally {
    crawlers: usize,
    usages: usize,
    pub periods: BTreeMap<Option<i64>, Period>,
}

impl Tally {
    pub fn new(crawlers: usize, usages: usize) -> Self {
        Self { crawlers, usages, periods: BTreeMap::new() }
    }

    /// Counts a capture of a period.
    pub fn add(&mut self, judged: &Judged, period: Option<i64>, weight: f64) {
        let (crawlers, usages) = (self.crawlers, self.usages);
        let period = period.filter(|period| self.periods.len() < PERIODS || self.periods.contains_key(&Some(*period)));
        let held = self.periods.entry(period).or_insert_with(|| Period::new(crawlers, usages));
        held.add(judged, usages);
        if let Some((_, total)) = held.standings.get_mut(judged.standing as usize).filter(|_| weight > 0.0) {
            *total += weight;
            held.weigh(judged, usages, weight);
        }
    }

    /// What was counted of a period.
    pub fn counts<'a>(&'a self, period: &'a Period) -> impl Iterator<Item = Count> + 'a {
        let each = (0..self.crawlers).flat_map(move |crawler| (0..self.usages).map(move |usage| (crawler, usage)));
        each.flat_map(move |(crawler, usage)| {
            let place = crawler.saturating_mul(self.usages).saturating_add(usage);
            let number = |list: &[Cells], place: usize, cell: usize| {
                list.get(place).and_then(|cells| cells.get(cell)).copied().unwrap_or(0.0)
            };
            (0..CELLS).filter_map(move |cell| {
                let captures = number(&period.base, usage, cell) + number(&period.apart, place, cell);
                let weight = number(&period.weights, place, cell);
                (captures != 0.0).then_some(Count { crawler, usage, cell: named(cell), captures, weight })
            })
        })
    }
}

/// The cell of an extent in a capture.
fn cell_of(extent: Extent, judged: &Judged) -> usize {
    let kind = if judged.standing == Standing::Read { judged.traits.kind(extent) } else { 0 };
    let column = if kind == 0 { judged.standing as usize } else { STANDINGS.saturating_add(kind).saturating_sub(1) };
    (extent as usize).saturating_mul(COLUMNS).saturating_add(column)
}

/// The codes of what a cell counts: extent, standing and restriction.
fn named(cell: usize) -> Option<(u8, u8, u8)> {
    let (extent, column) = (*Extent::ALL.get(cell.wrapping_div(COLUMNS))?, cell.wrapping_rem(COLUMNS));
    let kind = column.saturating_add(1).saturating_sub(STANDINGS);
    let standing = Standing::ALL.get(column).copied().unwrap_or(Standing::Read);
    let restriction: Restriction = Traits::of_kind(kind).restriction(standing, extent);
    Some((extent as u8, standing as u8, restriction as u8))
}

fn add(cells: Option<&mut Cells>, cell: usize, number: f64) {
    if let Some(held) = cells.and_then(|cells| cells.get_mut(cell)) {
        *held += number;
    }
}

impl Period {
    fn new(crawlers: usize, usages: usize) -> Self {
        let all = crawlers.saturating_mul(usages);
        Self {
            standings: [(0, 0.0); STANDINGS],
            fields: [0; FIELDS.len()],
            signals: [0; SIGNALS.len()],
            codes: vec![0; Code::ALL.len()],
            base: vec![[0.0; CELLS]; usages],
            apart: vec![[0.0; CELLS]; all],
            weights: vec![[0.0; CELLS]; all],
        }
    }

    fn add(&mut self, judged: &Judged, usages: usize) {
        let Judged { standing, fields, codes, surveyed, .. } = judged;
        if let Some((number, _)) = self.standings.get_mut(*standing as usize) {
            *number = number.saturating_add(1);
        }
        count_bits(&mut self.fields, u128::from(*fields));
        count_bits(&mut self.codes, *codes);
        let speaking = surveyed.said.iter().fold(0, |all, said| all | said.signals);
        count_bits(&mut self.signals, u128::from(speaking));
        let first = surveyed.said.get(..usages).unwrap_or(&[]);
        for (said, cells) in first.iter().zip(&mut self.base) {
            add(Some(cells), cell_of(said.extent, judged), 1.0);
            if is_conditional(said.row.outcome) {
                add(Some(cells), CONDITIONAL, 1.0);
            }
        }
        for (crawler, said) in others(surveyed, usages) {
            for (usage, (said, first)) in said.iter().zip(first).enumerate() {
                let place = crawler.saturating_mul(usages).saturating_add(usage);
                let (is, was) = (cell_of(said.extent, judged), cell_of(first.extent, judged));
                if is != was {
                    add(self.apart.get_mut(place), is, 1.0);
                    add(self.apart.get_mut(place), was, -1.0);
                }
                let is_more =
                    f64::from(is_conditional(said.row.outcome)) - f64::from(is_conditional(first.row.outcome));
                if is_more != 0.0 {
                    add(self.apart.get_mut(place), CONDITIONAL, is_more);
                }
            }
        }
    }

    fn weigh(&mut self, judged: &Judged, usages: usize, weight: f64) {
        let surveyed = &judged.surveyed;
        let mut named = others(surveyed, usages).peekable();
        for (crawler, cells) in self.weights.chunks_mut(usages.max(1)).enumerate() {
            let first = surveyed.said.get(..usages).unwrap_or(&[]);
            let said = named.next_if(|(of, _)| *of == crawler).map_or(first, |(_, said)| said);
            for (said, cells) in said.iter().zip(cells) {
                add(Some(&mut *cells), cell_of(said.extent, judged), weight);
                if is_conditional(said.row.outcome) {
                    add(Some(cells), CONDITIONAL, weight);
                }
            }
        }
    }
}

/// What is said to the crawlers that are not of the first class.
fn others(surveyed: &Surveyed, usages: usize) -> impl Iterator<Item = (usize, &[super::Said])> {
    surveyed.others.iter().map(move |(crawler, class)| (to_usize(*crawler), surveyed.of_class(*class, usages)))
}

fn is_conditional(outcome: u8) -> bool {
    outcome == outcome_code(Outcome::Conditional)
}

fn count_bits(numbers: &mut [u64], bits: u128) {
    let mut left = bits;
    while left != 0 {
        let place = usize::try_from(left.trailing_zeros()).unwrap_or(usize::MAX);
        if let Some(number) = numbers.get_mut(place) {
            *number = number.saturating_add(1);
        }
        left &= left.wrapping_sub(1);
    }
}
