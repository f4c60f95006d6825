//! What robots.txt files say to many crawlers: a table of captures in, rows and counts out.

mod columns;
mod rows;

use std::sync::{Mutex, PoisonError};

use acap_policy::proving::Work;
use acap_policy::proving::reach::{self, Extent, REACH_WORK};
use acap_policy::reading::usage::Usage;
use acap_policy::reading::{Policy as Read, State};
use acap_policy::surveying::{
    Capture, Changes, Count, FIELDS, Judged, MARKS, Manner, Panel as Crawlers, Period, Restriction, SIGNALS, Standing,
    Tally as Core, digest, mark,
};
use arrow_array::RecordBatchIterator;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict};

use self::columns::Columns;
use self::rows::rows;
use crate::arrow::capsule;
use crate::policy::{Policy, dialect_of, limits_of};
use crate::processors::on_all_processors;
use crate::question::{self, Prepared};

/// Crawlers and usages, and how files are read for them.
#[pyclass(frozen, module = "acap._native")]
pub(crate) struct Panel {
    crawlers: Crawlers,
    /// What the crawlers are called in rows.
    names: Vec<String>,
    usages: Vec<String>,
    /// Number of operators.
    operators: usize,
    manner: Manner,
    /// Of each status its meaning.
    meanings: Vec<u8>,
}

#[pymethods]
impl Panel {
    #[classattr]
    const STANDINGS: [&'static str; 6] = Standing::NAMES;
    #[classattr]
    const EXTENTS: [&'static str; 4] = Extent::NAMES;
    #[classattr]
    const RESTRICTIONS: [&'static str; 10] = Restriction::NAMES;
    #[classattr]
    const FIELDS: [&'static str; 13] = FIELDS;
    #[classattr]
    const SIGNALS: [&'static str; 4] = SIGNALS;
    #[classattr]
    const MARKS: [&'static str; 5] = MARKS;

    /// `crawlers` are askers, each with what it is called; `operators` are their places in it; `severities` are numbers by code, `meanings` codes by status.
    #[new]
    #[pyo3(signature = (crawlers, operators, usages, severities, meanings, dialect="auto", limits=None))]
    fn new(
        crawlers: Vec<(String, Bound<'_, PyAny>)>,
        operators: Vec<Vec<u32>>,
        usages: Vec<Bound<'_, PyAny>>,
        severities: Vec<u8>,
        meanings: Vec<u8>,
        dialect: &str,
        limits: Option<(usize, usize, usize, usize, usize, usize)>,
    ) -> PyResult<Self> {
        let dialect = dialect_of(dialect)?;
        let limits = limits_of(limits);
        let nothing = Read::without(None, dialect, State::Absent).into();
        let further = question::Further::new();
        let mut asked: Vec<Usage> = Vec::new();
        let mut names = Vec::new();
        for usage in usages {
            match question::usages(&nothing, Some(&usage), &further)? {
                question::Usages::One(usage) => {
                    names.push(usage.name().unwrap_or_default().to_owned());
                    asked.push(usage);
                }
                question::Usages::Parts(_) => {
                    return Err(PyValueError::new_err(format!("`{usage}` is several usages; name each of them")));
                }
            }
        }
        let mut called = Vec::new();
        let mut of_crawlers = Vec::new();
        for (name, asker) in crawlers {
            let asker = question::asker(&asker)?;
            if !asker.others.is_empty() || asker.names.is_empty() {
                return Err(PyValueError::new_err(format!(
                    "`{name}` names several crawlers, or none; write one name, as User-agent lines do"
                )));
            }
            called.push(name);
            of_crawlers.push(asker.names);
        }
        Ok(Self {
            operators: operators.len(),
            crawlers: Crawlers::new(of_crawlers, asked).with_operators(operators),
            names: called,
            usages: names,
            manner: Manner { dialect, limits, severities: severities.into() },
            meanings,
        })
    }

    /// Judges a table of captures: `site`, `robots`, and perhaps `status`, `cut`, `at` in microseconds and `weight`.
    fn judge(&self, py: Python<'_>, table: &Bound<'_, PyAny>, now: i64) -> PyResult<Judgements> {
        let columns = Columns::read(table)?;
        let captures = columns.captures(&self.meanings, now)?;
        let judged = on_all_processors(py, &captures, |(url, capture)| {
            Capture { url: url.as_deref(), ..*capture }.judge(&self.crawlers, &self.manner)
        })?;
        drop(captures);
        Ok(Judgements { columns, judged })
    }

    /// The rows of judgements, of each capture a row for each crawler and usage, as an Arrow stream.
    fn rows<'py>(&self, py: Python<'py>, judgements: &Judgements) -> PyResult<Bound<'py, PyCapsule>> {
        let cited = self.manner.dialect.cited;
        let made = py.detach(|| rows(&judgements.columns, &judgements.judged, &self.names, &self.usages, cited));
        let batch = made.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let schema = batch.schema();
        capsule(py, Box::new(RecordBatchIterator::new([Ok(batch)], schema)))
    }

    /// The records of judgements, by which two crawls are compared, in so many parts.
    fn marks<'py>(&self, py: Python<'py>, judgements: &Judgements, parts: u8) -> Vec<Bound<'py, PyBytes>> {
        let made = py.detach(|| {
            let mut out: Vec<Vec<u8>> = vec![Vec::new(); usize::from(parts.max(1))];
            for (place, judged) in judgements.judged.iter().enumerate() {
                let Some(site) = judgements.columns.site(place) else { continue };
                let site = digest(site.as_bytes());
                if let Some(part) = out.get_mut(usize::from(site[0] % parts.max(1))) {
                    let at = judgements.columns.at(place).unwrap_or(i64::MIN);
                    mark(part, site, at, judged, self.crawlers.crawlers(), self.usages.len());
                }
            }
            out
        });
        made.iter().map(|part| PyBytes::new(py, part)).collect()
    }
}

/// What captures say to the crawlers of a panel.
#[pyclass(frozen, module = "acap._native")]
pub(crate) struct Judgements {
    columns: Columns,
    judged: Vec<Judged>,
}

#[pymethods]
impl Judgements {
    fn __len__(&self) -> usize {
        self.judged.len()
    }
}

/// Counts of judgements by periods of time.
#[pyclass(frozen, module = "acap._native")]
pub(crate) struct Tally {
    core: Mutex<Core>,
    /// Months of a period; 0: time does not count.
    months: u32,
}

#[pymethods]
impl Tally {
    #[new]
    fn new(panel: &Panel, months: u32) -> Self {
        let all = panel.names.len() + panel.operators;
        Self { core: Mutex::new(Core::new(all, panel.usages.len())), months }
    }

    /// Counts judgements.
    fn add(&self, py: Python<'_>, judgements: &Judgements) {
        py.detach(|| {
            let mut core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
            for (row, judged) in judgements.judged.iter().enumerate() {
                let period = judgements.columns.at(row).filter(|_| self.months > 0).map(|at| self.period(at));
                core.add(judged, period, judgements.columns.weight(row).unwrap_or(0.0));
            }
        });
    }

    /// Of each period (its first month, counted from the year 0, or none) what was counted: captures and weights by
    /// standing, captures with each field, signal and problem, and (crawler, usage, (extent, standing,
    /// restriction), captures, weight) by places; none in place of the three for what asks for a licence for `/`.
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Vec<(Option<i64>, Bound<'py, PyDict>)>> {
        // No object of Python's is made while it is locked.
        let counted = py.detach(|| {
            let core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
            let row = |one: Count| (one.crawler, one.usage, one.cell, one.captures, one.weight);
            let of_period = |(period, held): (&Option<i64>, &Period)| {
                let codes = held.codes.clone();
                (*period, held.standings, held.fields, held.signals, codes, core.counts(held).map(row).collect())
            };
            core.periods.iter().map(of_period).collect::<Vec<Counted>>()
        });
        let dict = |(period, standings, fields, signals, codes, counts): Counted| {
            let dict = PyDict::new(py);
            dict.set_item("standings", standings.to_vec())?;
            dict.set_item("fields", fields.to_vec())?;
            dict.set_item("signals", signals.to_vec())?;
            dict.set_item("codes", codes)?;
            dict.set_item("counts", counts)?;
            Ok((period, dict))
        };
        counted.into_iter().map(dict).collect()
    }
}

/// (crawler, usage, (extent, standing, restriction), captures, weight)
type Cell = (usize, usize, Option<(u8, u8, u8)>, f64, f64);

/// What was counted of a period: standings, fields, signals, problems by code, cells.
type Counted =
    (Option<i64>, [(u64, f64); Standing::NAMES.len()], [u64; FIELDS.len()], [u64; SIGNALS.len()], Vec<u64>, Vec<Cell>);

impl Tally {
    /// The first month of the period of an instant, counted from the year 0.
    fn period(&self, at: i64) -> i64 {
        let months = i64::from(self.months.max(1));
        month_of(at.div_euclid(86_400_000_000)).div_euclid(months) * months
    }
}

/// The month of a day, counted from the year 0; the day from 1970.
fn month_of(day: i64) -> i64 {
    // Years begin in March here, so that the day that may be missing is the last.
    let day = day + 719_468;
    let (era, day) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    (era * 400 + year) * 12 + (5 * of_year + 2) / 153 + 2
}

/// How many sites went from each mark to each, of the same part of the records of two crawls: for each crawler and usage 25 numbers; then
/// the numbers of sites in both, only before, and only after.
#[pyfunction]
pub(crate) fn survey_changes(py: Python<'_>, panel: &Panel, before: &[u8], after: &[u8]) -> (Vec<Vec<u64>>, [u64; 3]) {
    let mut changes = Changes::new(panel.names.len(), panel.usages.len());
    py.detach(|| changes.add(before, after));
    let turns = changes.turns.iter().map(|rows| rows.iter().flatten().copied().collect()).collect();
    (turns, [changes.in_both, changes.gone, changes.new])
}

/// How much of a site a policy refuses to a crawler, with the path of a URL that is refused and of one that is not.
#[pyfunction]
pub(crate) fn policy_reach<'py>(
    py: Python<'py>,
    policy: &Bound<'py, Policy>,
    usage: &Bound<'py, PyAny>,
    question: &Bound<'py, Prepared>,
) -> PyResult<(&'static str, Option<Bound<'py, PyBytes>>, Option<Bound<'py, PyBytes>>)> {
    let core = &policy.get().core;
    let question = &question.get().0;
    let usages = question::usages(core, Some(usage), &question::Further::new())?;
    let (question::Usages::One(usage), Some(view)) = (usages, question.asker.views(core).into_iter().next()) else {
        return Err(PyValueError::new_err("a reach is of one usage"));
    };
    let asked = reach::Asked { policy: core, view: &view, usage, at: question.instant() };
    let found = reach::reach(asked, &mut Work::of(REACH_WORK));
    let octets = |path: Option<Vec<u8>>| path.map(|path| PyBytes::new(py, &core.dialect.form.domain().url(&path)));
    let name = Extent::NAMES.get(found.extent() as usize).copied().unwrap_or_default();
    Ok((name, octets(found.refused), octets(found.permitted)))
}
