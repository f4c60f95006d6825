//! The rows of a table of robots.txt files: what each says of its site, or that it could not be asked.

use std::borrow::Cow;
use std::sync::Arc;

use acap_policy::reading::url::{self, Url};
use acap_policy::reading::written::{self, Answer, Unreadable, Value};
use acap_policy::reading::{Dialect, State};
use arrow_array::builder::{BooleanBuilder, Int64Builder, LargeBinaryBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatchIterator, StructArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};

use crate::arrow::{batch, capsule, stream};
use crate::question;
use crate::written::{cell, is_of_texts, is_of_words, object};

/// Of a table without the columns that it needs so many are named.
const COLUMNS: usize = 20;

/// A robots.txt in a table, at a URL of its site; a row that names a host is one of two sites.
pub(crate) struct RobotsRow {
    pub(crate) url: String,
    pub(crate) octets: Option<Arc<[u8]>>,
    pub(crate) state: State,
    pub(crate) row: u32,
}

/// The rows of a table of robots.txt; those of further sites come last.
pub(crate) fn robots_rows(table: &Bound<'_, PyAny>, dialect: Dialect) -> PyResult<Vec<RobotsRow>> {
    let py = table.py();
    let names = Names::of(py)?;
    let (mut rows, mut further, mut row) = (Vec::new(), Vec::new(), 0);
    for array in stream(table)? {
        let array = array.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let Some(columns) = array.as_struct_opt() else {
            return Err(PyValueError::new_err(
                "a table of policies has the columns `url` and `robots`; this is a column",
            ));
        };
        let (urls, sites) = (names.column(columns, "url")?, names.column(columns, "site")?);
        let robots = names.column(columns, "robots")?;
        let (Some(first), Some(robots)) = (urls.or(sites), robots) else { return Err(missing(columns)) };
        if !is_of_texts(first) || sites.is_some_and(|sites| !is_of_texts(sites)) {
            return Err(wrong("url", "texts"));
        }
        let column = |thing: &str| names.column(columns, thing);
        let said = Said::of(py, robots, column, false)?;
        for place in 0..columns.len() {
            let named = [urls, sites].into_iter().flatten().find_map(|column| text(cell(column, place)));
            let named = named.ok_or_else(|| wrong("url", "a URL in every row"))?;
            let (url, other) = sites_named(py, named.trim(), row)?;
            let found = said.row(place)?;
            let state = found.state(dialect);
            let octets = found.octets.filter(|_| state == State::Present).map(Arc::from);
            further.extend(other.map(|url| RobotsRow { url, octets: octets.clone(), state, row }));
            rows.push(RobotsRow { url, octets, state, row });
            row = row.saturating_add(1);
        }
    }
    rows.append(&mut further);
    Ok(rows)
}

fn wrong(column: &str, what: &str) -> PyErr {
    PyValueError::new_err(format!("the column `{column}` must hold {what}"))
}

fn missing(columns: &StructArray) -> PyErr {
    let has: Vec<String> = columns.column_names().iter().take(COLUMNS).map(|name| format!("`{name}`")).collect();
    PyValueError::new_err(format!(
        "a table of policies has the columns `url` and `robots`; this one has {}",
        if has.is_empty() { "none".to_owned() } else { has.join(", ") }
    ))
}

fn text(value: Value<'_>) -> Option<Cow<'_, str>> {
    match value {
        Value::Text(text) | Value::Octets(text) => Some(String::from_utf8_lossy(text)),
        _ => None,
    }
}

/// By which names each column goes: those of audits, which Python has.
struct Names<'py> {
    names: Bound<'py, PyAny>,
    folded: Bound<'py, PyAny>,
}

impl<'py> Names<'py> {
    fn of(py: Python<'py>) -> PyResult<Self> {
        let module = py.import("acap.column_names")?;
        Ok(Self { names: module.getattr("NAMES")?, folded: module.getattr("folded")? })
    }

    /// The column of a thing, however its name is written.
    fn column<'t>(&self, columns: &'t StructArray, thing: &str) -> PyResult<Option<&'t ArrayRef>> {
        let mut first: Option<(String, &ArrayRef)> = None;
        let folded = |name: &&str| self.folded.call1((*name,))?.extract::<String>();
        let present = columns.column_names().iter().map(folded).collect::<PyResult<Vec<_>>>()?;
        for name in self.names.get_item(thing)?.extract::<Vec<String>>()? {
            for (_, column) in present.iter().zip(columns.columns()).filter(|(field, _)| **field == name) {
                match &first {
                    None => first = Some((name.clone(), column)),
                    Some((before, _)) if *before == name => {
                        return Err(PyValueError::new_err(format!(
                            "the table of policies has several columns `{name}`; leave the one that counts"
                        )));
                    }
                    // A host and its domain are no contradiction.
                    Some(_) if thing == "site" => (),
                    Some((before, _)) => {
                        return Err(PyValueError::new_err(format!(
                            "the table of policies has the columns `{before}` and `{name}` for one thing; leave the one \
                             that counts"
                        )));
                    }
                }
            }
        }
        Ok(first.map(|(_, column)| column))
    }
}

/// The URL of the site that a row names; of a host alone, whose schemes it does not tell, those of two.
///
/// What stands beside the URL of a page need not be the robots.txt of its site.
fn sites_named(py: Python<'_>, named: &str, row: u32) -> PyResult<(String, Option<String>)> {
    // Of `mailto:` a host could be made.
    if named.contains("://") || named.is_empty() || named.contains('@') {
        check_site(py, named, row)?;
        return Ok((named.to_owned(), None));
    }
    check_site(py, &format!("https://{named}"), row)?;
    let host = named.split(['/', '?', '#']).next().unwrap_or(named);
    Ok((format!("https://{host}/"), Some(format!("http://{host}/"))))
}

fn check_site(py: Python<'_>, url: &str, row: u32) -> PyResult<()> {
    let at_row = |why: &dyn std::fmt::Display| PyValueError::new_err(format!("row {row}: {why}"));
    let read = match url::refused(url.as_bytes()) {
        Some(fault) => Err(fault),
        None => Url::read(url.as_bytes()),
    };
    match read {
        Err(fault) => Err(at_row(question::no_url(url, fault).value(py))),
        Ok(read) if matches!(read.rest, b"" | b"/" | b"/robots.txt") => Ok(()),
        // Other spellings of these are rare.
        Ok(_) => match py.import("acap.retrieval.locations")?.getattr("site_named")?.call1((url,)) {
            Err(error) if error.is_instance_of::<PyValueError>(py) => Err(at_row(error.value(py))),
            other => other.map(drop),
        },
    }
}

/// What a table says of its files.
struct Said<'t, 'py> {
    py: Python<'py>,
    robots: &'t ArrayRef,
    status: Option<&'t ArrayRef>,
    state: Option<&'t ArrayRef>,
    cut: Option<&'t ArrayRef>,
    /// Headers, and what reads them.
    headers: Option<(&'t ArrayRef, Bound<'py, PyAny>)>,
    /// Octets are those of texts, of which not all are UTF-8.
    are_texts: bool,
}

/// What a row says: the octets of its file, and what the site answered; none where a value cannot be read.
struct SaidRow<'t> {
    octets: Option<Cow<'t, [u8]>>,
    answer: Result<Answer, Doubt>,
}

/// Which value of a row cannot be read.
enum Doubt {
    File,
    Beside,
}

impl<'t, 'py> Said<'t, 'py> {
    fn of(
        py: Python<'py>,
        robots: &'t ArrayRef,
        column: impl Fn(&str) -> PyResult<Option<&'t ArrayRef>>,
        are_texts: bool,
    ) -> PyResult<Self> {
        let words = |name: &str, what: &str| match column(name)? {
            Some(held) if !is_of_words(held) => Err(wrong(name, what)),
            held => Ok(held),
        };
        if !is_of_texts(robots) {
            return Err(wrong("robots", "texts or octets"));
        }
        Ok(Self {
            py,
            robots,
            status: words("status", "whole numbers, as 200 and 404 are")?,
            state: words("state", "present, absent or unreachable")?,
            cut: words("cut", "truth values")?,
            headers: match column("headers")? {
                Some(held) => Some((held, py.import("acap.audits.header_values")?.getattr("robots_evidence")?)),
                None => None,
            },
            are_texts,
        })
    }

    fn cell(&self, column: Option<&'t ArrayRef>, place: usize) -> Value<'t> {
        match column.map_or(Value::None, |column| cell(column, place)) {
            Value::Octets(text) if self.are_texts => Value::Text(text),
            other => other,
        }
    }

    fn row(&self, place: usize) -> PyResult<SaidRow<'t>> {
        let Ok(octets) = written::robots(self.cell(Some(self.robots), place)) else {
            return Ok(SaidRow { octets: None, answer: Err(Doubt::File) });
        };
        let answer = match self.beside(place) {
            Err(_) => Err(Doubt::Beside),
            Ok((status, state, is_cut)) => {
                let size = octets.as_deref().map_or(0, <[u8]>::len);
                match self.heard(place, size)? {
                    None => Err(Doubt::Beside),
                    Some((Some(led), _)) if status.is_some_and(|status| status != led) => Err(Doubt::Beside),
                    Some((led, is_short)) => Ok(Answer::of(octets.as_deref(), status.or(led), state, is_cut, is_short)),
                }
            }
        };
        Ok(SaidRow { octets, answer })
    }

    fn beside(&self, place: usize) -> Result<(Option<u16>, Option<u16>, bool), Unreadable> {
        let status = written::status(self.cell(self.status, place))?;
        let state = written::state(self.cell(self.state, place))?;
        Ok((status, state, written::truth(self.cell(self.cut, place))?))
    }

    /// The status that headers lead with, and whether by them so many octets are not all; None if they cannot be read.
    fn heard(&self, place: usize, size: usize) -> PyResult<Option<(Option<u16>, bool)>> {
        let Some((headers, hearing)) = &self.headers else { return Ok(Some((None, false))) };
        let given = match cell(headers, place) {
            Value::None => return Ok(Some((None, false))),
            Value::Octets(text) if self.are_texts => {
                PyBytes::new(self.py, text).call_method1("decode", ("utf-8", "surrogateescape"))?
            }
            _ => object(self.py, headers, place)?,
        };
        match hearing.call1((given, size)) {
            Err(error) if error.is_instance_of::<PyValueError>(self.py) => Ok(None),
            Err(error) => Err(error),
            Ok(told) => Ok(Some(told.extract::<(Option<u16>, String)>().map(|(led, why)| (led, !why.is_empty()))?)),
        }
    }
}

impl SaidRow<'_> {
    /// What the row comes to; where its parts contradict each other, or cannot be read, nothing is known.
    fn state(&self, dialect: Dialect) -> State {
        match self.answer {
            Ok(Answer::Status(status)) => written::meant(status, dialect.retrieval.is_memo()),
            _ => State::Unreachable,
        }
    }
}

/// Of a batch of captures the columns that a survey takes: `robots`, `status` and `cut`, out of `robots`, and perhaps
/// `status`, `state`, `cut` and `headers`. `are_texts`: what has octets has those of texts.
#[pyfunction]
pub(crate) fn robots_values<'py>(table: &Bound<'py, PyAny>, are_texts: bool) -> PyResult<Bound<'py, PyCapsule>> {
    let py = table.py();
    let (mut files, mut statuses, mut cuts) = (LargeBinaryBuilder::new(), Int64Builder::new(), BooleanBuilder::new());
    for array in stream(table)? {
        let array = array.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let columns = array.as_struct_opt().ok_or_else(|| wrong("robots", "texts or octets"))?;
        let column = |name: &str| Ok(columns.column_by_name(name));
        let robots = columns.column_by_name("robots").ok_or_else(|| wrong("robots", "texts or octets"))?;
        let said = Said::of(py, robots, column, are_texts)?;
        for place in 0..columns.len() {
            let found = said.row(place)?;
            let (status, is_cut) = match found.answer {
                Ok(Answer::Status(status)) => (Some(status), false),
                Ok(Answer::None) => (None, false),
                Ok(Answer::Cut | Answer::Short) | Err(Doubt::File) => (None, true),
                Ok(Answer::OtherState | Answer::Refused) | Err(Doubt::Beside) => (Some(UNREACHABLE), false),
            };
            // What is cut was there.
            let octets = found.octets.as_deref().or(is_cut.then_some(&[]));
            files.append_option(octets);
            statuses.append_option(status.map(i64::from));
            cuts.append_value(is_cut);
        }
    }
    let columns: Vec<crate::arrow::Column> = vec![
        ("robots", Arc::new(files.finish())),
        ("status", Arc::new(statuses.finish())),
        ("cut", Arc::new(cuts.finish())),
    ];
    let made = batch(columns, &["robots", "status"]).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let schema = made.schema();
    capsule(py, Box::new(RecordBatchIterator::new([Ok(made)], schema)))
}

/// The status that stands for a site of which nothing is known.
const UNREACHABLE: u16 = 503;
