//! Questions about the URLs of many sites: Arrow in, Arrow out.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use acap_policy::deciding::batch::{Asked, Row};
use acap_policy::deciding::{Answers, Asking, NoTable, PolicyTable as Table, Unasked, Viewed as Core};
use acap_policy::reading::usage::Usage;
use acap_policy::reading::{Dialect, Policy as Read, State};
use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, LargeStringArray, RecordBatch, RecordBatchReader, UInt32Array};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::arrow::{self, Urls, octets};
use crate::cite::line_at;
use crate::policy::{Policy, dialect_of, limits_of};
use crate::processors::on_all_processors;
use crate::question::{self, Prepared, Question};
use crate::robots_rows::{RobotsRow, robots_rows};
use crate::rows::{self, DecisionRows};

/// Columns that are made where they are asked for.
const RULE: &str = "rule";
const RESTRICTIONS: &str = "restrictions";

/// Policies by their sites.
#[pyclass(frozen, module = "acap._native")]
pub(crate) struct PolicyTable {
    table: Arc<Table>,
    /// Of each policy of a table the row that it is of; none where their places are the same.
    rows: Option<Arc<[u32]>>,
}

#[pymethods]
impl PolicyTable {
    /// Why a row is answered without a policy of its site.
    #[classattr]
    const ERRORS: [&'static str; 6] = Unasked::NAMES;

    #[new]
    fn new(policies: &Bound<'_, PyAny>) -> PyResult<Self> {
        if is_table(policies)? {
            return Err(PyTypeError::new_err(
                "PolicyTable takes policies, and this is a table; PolicyTable.read reads one with the columns `url` and \
                 `robots`",
            ));
        }
        let mut cores = Vec::new();
        for (place, policy) in policies.try_iter()?.enumerate() {
            let policy = policy?;
            let Ok(policy) = policy.cast::<Policy>() else {
                return Err(PyTypeError::new_err(format!(
                    "policies[{place}] is no RobotsPolicy; parse_robots makes one"
                )));
            };
            let policy = policy.get();
            if policy.for_use {
                return Err(PyValueError::new_err(format!("policies[{place}] is one for use; ask it by `decide`")));
            }
            cores.push(policy.core.clone());
        }
        Self::of(cores, None)
    }

    /// Reads a table of robots.txt: the columns `url`, a URL of the site or its host, which speaks for https and http, and
    /// `robots`, the octets or the text, null where the site could not be asked; perhaps `state` (present, absent or
    /// unreachable), `status`, `headers`, and `cut`, whether octets are missing. A value that cannot be read counts as a
    /// site that could not be asked.
    #[staticmethod]
    #[pyo3(signature = (table, dialect="auto", limits=None))]
    fn read(
        py: Python<'_>,
        table: &Bound<'_, PyAny>,
        dialect: &str,
        limits: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let dialect = dialect_of(dialect)?;
        let limits = limits_of(limits.map(|limits| limits.call_method0("_numbers")?.extract()).transpose()?);
        if !is_table(table)? {
            return Err(PyTypeError::new_err(format!(
                "PolicyTable.read takes a table of Arrow, and not {}; read a file first, as \
                 pyarrow.parquet.read_table(path) does",
                table.get_type().name()?
            )));
        }
        let rows = robots_rows(table, dialect)?;
        let read = |row: &RobotsRow| {
            let policy = match (row.state, &row.octets) {
                (State::Present, Some(octets)) => Read::read(octets.clone(), Some(&row.url), dialect, limits.clone()),
                (State::Absent, _) => Read::without(Some(&row.url), dialect, State::Absent),
                _ => Read::without(Some(&row.url), dialect, State::Unreachable),
            };
            Arc::new(Core::from(policy))
        };
        let is_plain = rows.is_sorted_by(|one, next| one.row < next.row);
        let places = (!is_plain).then(|| rows.iter().map(|row| row.row).collect());
        Self::of(on_all_processors(py, &rows, read)?, places)
    }

    fn __len__(&self) -> usize {
        self.table.policies().len()
    }

    fn __repr__(&self) -> String {
        let sites = self.table.policies().len();
        format!("<PolicyTable: {sites} site{}>", if sites == 1 { "" } else { "s" })
    }

    /// The answers for URLs; `acap.decide_table` says what each argument is.
    fn decide(
        &self,
        urls: &Bound<'_, PyAny>,
        usages: &Bound<'_, PyAny>,
        question: &Bound<'_, Prepared>,
        missing: &str,
        columns: Vec<String>,
    ) -> PyResult<DecisionStream> {
        let state = if missing == "permitted" { State::Absent } else { State::Unreachable };
        let missing = Core::from(Read::without(None, Dialect::AUTO, state));
        let asked = question.get().0.clone();
        let further = question::Further::new();
        let usages = question::usages(&missing, Some(usages), &further)?;
        let silence = question::silence(&missing, &asked.asker, &further)?;
        let has = |name: &str| columns.iter().any(|column| column == name);
        let urls = Urls::of(urls)?;
        let deciding = Deciding {
            table: self.table.clone(),
            rows: self.rows.clone(),
            names: usages.list().iter().map(|usage| missing.usage_name(*usage).to_owned()).collect(),
            usages: usages.list().to_vec(),
            missing,
            instant: asked.instant(),
            question: asked,
            silence,
            with_rule: has(RULE),
            with_restrictions: has(RESTRICTIONS),
        };
        let empty = deciding.batch(&urls.none()).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let batches = Batches { urls, deciding, made: VecDeque::new(), schema: empty.schema() };
        Ok(DecisionStream(Mutex::new(Some(Box::new(batches)))))
    }
}

impl PolicyTable {
    fn of(cores: Vec<Arc<Core>>, rows: Option<Arc<[u32]>>) -> PyResult<Self> {
        let row = |place: usize| rows.as_ref().and_then(|rows| rows.get(place)).map_or(place, |row| *row as usize);
        let origin = |place: usize| {
            let policy = cores.get(place);
            policy.and_then(|policy| policy.origin()).map(String::from_utf8_lossy).unwrap_or_default()
        };
        match Table::new(cores.clone()) {
            Ok(table) => Ok(Self { table: Arc::new(table), rows }),
            Err(NoTable::NoSite(place)) => {
                Err(PyValueError::new_err(format!("policies[{place}] is of no site; give `url` where it is read")))
            }
            Err(NoTable::Twice(first, second)) => Err(PyValueError::new_err(format!(
                "policies[{}] and policies[{}] are both of {}; give the one that counts",
                row(first),
                row(second),
                origin(second)
            ))),
        }
    }
}

/// The answers, made as they are read.
#[pyclass(frozen, module = "acap._native")]
pub(crate) struct DecisionStream(Mutex<Option<Box<Batches>>>);

#[pymethods]
impl DecisionStream {
    /// The rows as an Arrow stream, for anything that reads one; once.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema; // the protocol lets a producer keep its own schema
        arrow::capsule(py, self.take()?)
    }

    /// The rows as tuples in the order of the columns, without a library of Arrow; once.
    fn __iter__(&self) -> PyResult<DecisionRows> {
        Ok(DecisionRows::of(self.take()?))
    }

    /// Each different answer once, as a tuple in the order of the columns without `url`; and of each row the place of its
    /// answer among them; once. Many URLs share few answers.
    fn distinct<'py>(&self, py: Python<'py>) -> PyResult<(Vec<Bound<'py, PyTuple>>, Vec<usize>)> {
        rows::distinct(py, self.take()?)
    }

    fn __repr__(&self) -> String {
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            None => "<DecisionStream: read>".to_owned(),
            Some(batches) => {
                let names: Vec<&str> = batches.schema.fields().iter().map(|field| field.name().as_str()).collect();
                format!("<DecisionStream: columns {}; read it once, as by pyarrow.table(stream)>", names.join(", "))
            }
        }
    }
}

impl DecisionStream {
    fn take(&self) -> PyResult<Box<Batches>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or_else(|| {
            PyValueError::new_err("the stream was read before; read it into a table to look at it again")
        })
    }
}

/// Whether something is a table of Arrow.
fn is_table(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    given.hasattr("__arrow_c_stream__")
}

/// What is asked of every URL.
struct Deciding {
    table: Arc<Table>,
    rows: Option<Arc<[u32]>>,
    question: Arc<Question>,
    usages: Vec<Usage>,
    names: Vec<String>,
    silence: Vec<(Usage, bool)>,
    instant: i64,
    missing: Core,
    with_rule: bool,
    with_restrictions: bool,
}

impl Deciding {
    /// The answers to each piece, of several on a processor each.
    fn batches(&self, pieces: &[ArrayRef]) -> Vec<Result<RecordBatch, ArrowError>> {
        let Some((first, others)) = pieces.split_first() else { return Vec::new() };
        std::thread::scope(|scope| {
            let others: Vec<_> = others.iter().map(|urls| scope.spawn(|| self.batch(urls))).collect();
            let failed = |_| Err(ArrowError::ComputeError("a thread failed".to_owned()));
            let first = self.batch(first);
            std::iter::once(first).chain(others.into_iter().map(|one| one.join().unwrap_or_else(failed))).collect()
        })
    }

    fn batch(&self, urls: &ArrayRef) -> Result<RecordBatch, ArrowError> {
        let texts = octets(urls).unwrap_or_default();
        let purposes = self.question.each_purpose();
        let question = self.question.core(self.instant, &self.silence);
        let asking = Asking { usages: &self.usages, purposes: &purposes, question: &question, missing: &self.missing };
        let mut beside = Beside::default();
        let note = |place: usize, row: Row, policy: &Core, asked: &Asked<'_>, path: &[u8], usage: Usage| {
            if self.with_restrictions && row.restricted {
                beside.restrictions.push((place, asked.restrictions(policy, path, usage)));
            }
            if let Some(line) = row.line.filter(|line| self.with_rule && *line > 0) {
                beside.rules.push((place, rule(policy, line)));
            }
        };
        let answers = self.table.decide(&texts, &asking, |policy| self.question.asker.views(policy), note);
        self.columns(urls, &texts, answers, beside)
    }

    fn columns(
        &self,
        urls: &ArrayRef,
        texts: &[Option<&[u8]>],
        answers: Answers,
        mut beside: Beside,
    ) -> Result<RecordBatch, ArrowError> {
        let rows = &answers.rows;
        let (width, count) = (self.usages.len(), rows.outcomes.len());
        let of_row = |row: usize| row / width.max(1);
        let url: ArrayRef = if width == 1 {
            urls.clone()
        } else {
            let texts = (0..count).map(|row| texts.get(of_row(row)).copied().flatten().map(String::from_utf8_lossy));
            Arc::new(LargeStringArray::from_iter(texts))
        };
        let why = |row: usize| answers.unasked(of_row(row));
        // What could not be asked of any policy has no kind of reason.
        let has_kind = |row| why(row).is_none_or(|why| why == Unasked::NoPolicy);
        let place = |policy: u32| match &self.rows {
            Some(rows) => rows.get(policy as usize).copied().unwrap_or(policy),
            None => policy,
        };
        let policies = (0..count).map(|row| answers.policy(of_row(row)).map(place));
        let errors = (0..count).map(|row| why(row).map(|why| usize::from(why.code())));
        let mut columns = arrow::answers(url, &self.names, rows, has_kind)?;
        columns.push(("policy", Arc::new(policies.collect::<UInt32Array>())));
        columns.push(("error", arrow::dictionary(errors, Unasked::NAMES.to_vec())?));
        if self.with_rule {
            columns.push((RULE, beside.rules(count)));
        }
        if self.with_restrictions {
            columns.push((RESTRICTIONS, beside.restrictions(count)));
        }
        arrow::batch(columns, &["url", "kind", "policy", "error", RULE])
    }
}

/// The answers, batch by batch.
struct Batches {
    urls: Urls,
    deciding: Deciding,
    /// What was answered with the batch that was read last.
    made: VecDeque<Result<RecordBatch, ArrowError>>,
    schema: SchemaRef,
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.made.is_empty() {
            let threads = std::thread::available_parallelism().map_or(1, usize::from);
            match self.urls.pieces(threads)? {
                Ok(pieces) => self.made.extend(self.deciding.batches(&pieces)),
                Err(error) => return Some(Err(error)),
            }
        }
        self.made.pop_front()
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// What some rows have beside their answers, by the places of the rows.
#[derive(Default)]
struct Beside {
    rules: Vec<(usize, String)>,
    restrictions: Vec<(usize, Vec<String>)>,
}

impl Beside {
    fn rules(&mut self, count: usize) -> ArrayRef {
        self.rules.sort_unstable();
        let mut out = StringBuilder::new();
        let mut next = self.rules.iter().peekable();
        for row in 0..count {
            out.append_option(next.next_if(|(place, _)| *place == row).map(|(_, text)| text));
        }
        Arc::new(out.finish())
    }

    fn restrictions(&mut self, count: usize) -> ArrayRef {
        self.restrictions.sort_unstable();
        let mut out = ListBuilder::new(StringBuilder::new());
        let mut next = self.restrictions.iter().peekable();
        for row in 0..count {
            for text in next.next_if(|(place, _)| *place == row).map_or(&[][..], |(_, texts)| texts) {
                out.values().append_value(text);
            }
            out.append(true);
        }
        Arc::new(out.finish())
    }
}

/// The text of a line that decided.
fn rule(policy: &Core, line: u32) -> String {
    let entries = &policy.table.entries;
    let place = entries.partition_point(|entry| entry.line < line);
    let entry = entries.get(place).filter(|entry| entry.line == line);
    entry.map_or_else(String::new, |entry| line_at(policy.text(), entry.start).0)
}
