//! The rows of a table of robots.txt files: what each says of its site, or that it could not be asked.

use std::sync::Arc;

use acap_policy::reading::url::{self, Url};
use acap_policy::reading::{Dialect, State, is_robots};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::DataType;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrow::{octets, stream};
use crate::question;

/// Of a table without the columns that it needs so many are named.
const COLUMNS: usize = 20;

/// A robots.txt in a table.
pub(crate) struct RobotsRow {
    pub(crate) url: String,
    pub(crate) octets: Option<Arc<[u8]>>,
    pub(crate) state: State,
}

/// The rows of a table of robots.txt.
pub(crate) fn robots_rows(table: &Bound<'_, PyAny>, dialect: Dialect) -> PyResult<Vec<RobotsRow>> {
    let names = Names(table.py().import("acap.column_names")?.getattr("NAMES")?);
    let mut rows = Vec::new();
    for array in stream(table)? {
        let array = array.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let Some(columns) = array.as_struct_opt() else {
            return Err(PyValueError::new_err(
                "a table of policies has the columns `url` and `robots`; this is a column",
            ));
        };
        let urls = match names.column(columns, "url")? {
            None => names.column(columns, "site")?,
            found => found,
        };
        let (Some(urls), Some(robots)) = (urls, names.column(columns, "robots")?) else {
            let has: Vec<String> =
                columns.column_names().iter().take(COLUMNS).map(|name| format!("`{name}`")).collect();
            return Err(PyValueError::new_err(format!(
                "a table of policies has the columns `url` and `robots`; this one has {}",
                if has.is_empty() { "none".to_owned() } else { has.join(", ") }
            )));
        };
        let urls = octets(urls).ok_or_else(|| wrong("url", "texts"))?;
        let robots = octets(robots).ok_or_else(|| wrong("robots", "texts or octets"))?;
        let said = Said::of(columns, &names, dialect)?;
        for (place, (url, octets)) in urls.into_iter().zip(robots).enumerate() {
            let url = url.ok_or_else(|| wrong("url", "a URL in every row"))?;
            let url = String::from_utf8_lossy(url).into_owned();
            check_site(table.py(), &url, rows.len())?;
            if octets.is_some_and(is_text_of_octets) {
                return Err(wrong("robots", "texts or octets, not Python's text of octets: b'…'"));
            }
            rows.push(RobotsRow { url, octets: octets.map(Arc::from), state: said.state(place, octets)? });
        }
    }
    Ok(rows)
}

fn wrong(column: &str, what: &str) -> PyErr {
    PyValueError::new_err(format!("the column `{column}` must hold {what}"))
}

/// Whether a writer of CSV has made a text of octets, as Python shows them, in one line.
fn is_text_of_octets(text: &[u8]) -> bool {
    let inner = |mark: &[u8]| text.strip_prefix(b"b")?.strip_prefix(mark)?.strip_suffix(mark);
    inner(b"'").or_else(|| inner(b"\"")).is_some_and(|inner| !inner.contains(&b'\n') && !inner.contains(&b'\r'))
}

/// By which names each column goes: those of audits, which Python has.
struct Names<'py>(Bound<'py, PyAny>);

impl Names<'_> {
    /// The column of a thing, in whatever case and with blanks around its name.
    fn column<'t>(&self, columns: &'t StructArray, thing: &str) -> PyResult<Option<&'t ArrayRef>> {
        let mut first: Option<(String, &ArrayRef)> = None;
        for name in self.0.get_item(thing)?.extract::<Vec<String>>()? {
            let is_it = |field: &str| field.trim().eq_ignore_ascii_case(&name);
            for (_, column) in
                columns.column_names().into_iter().zip(columns.columns()).filter(|(field, _)| is_it(field))
            {
                match &first {
                    None => first = Some((name.clone(), column)),
                    Some((before, _)) if *before == name => {
                        return Err(PyValueError::new_err(format!(
                            "the table of policies has several columns `{name}`; leave the one that counts"
                        )));
                    }
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

/// What stands beside the URL of a page need not be the robots.txt of its site.
fn check_site(py: Python<'_>, url: &str, place: usize) -> PyResult<()> {
    let at_row = |why: &dyn std::fmt::Display| PyValueError::new_err(format!("row {place}: {why}"));
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

/// What a table says of its files beside their octets.
struct Said<'t> {
    states: Option<Vec<Option<&'t [u8]>>>,
    statuses: Option<Vec<Option<i64>>>,
    cuts: Option<Vec<bool>>,
    dialect: Dialect,
}

impl<'t> Said<'t> {
    fn of(columns: &'t StructArray, names: &Names<'_>, dialect: Dialect) -> PyResult<Self> {
        let states = names.column(columns, "state")?.map(|held| octets(held).ok_or_else(|| wrong("state", "texts")));
        let statuses = names
            .column(columns, "status")?
            .map(|held| numbers(held).ok_or_else(|| wrong("status", "whole numbers, as 200 and 404 are")));
        let cuts = names.column(columns, "cut")?.map(|held| truths(held).ok_or_else(|| wrong("cut", "truth values")));
        Ok(Self { states: states.transpose()?, statuses: statuses.transpose()?, cuts: cuts.transpose()?, dialect })
    }

    /// What a row comes to; where its parts contradict each other nothing is known.
    ///
    /// A robots.txt beside a row that says that there is none is heard, as it is no looser than none. Beside 401 or 403
    /// it is a contradiction: with some rules these restrict everything.
    fn state(&self, place: usize, octets: Option<&[u8]>) -> PyResult<State> {
        let of_state = match self.states.as_ref().map(|states| states.get(place).copied().flatten()) {
            None => None,
            Some(Some(b"present")) => Some(State::Present),
            Some(Some(b"absent")) => Some(State::Absent),
            Some(Some(b"unreachable") | None) => Some(State::Unreachable),
            Some(Some(_)) => return Err(wrong("state", "present, absent or unreachable")),
        };
        let status = self.statuses.as_ref().and_then(|statuses| statuses.get(place).copied().flatten());
        let of_status = status.map(|status| self.meant(status));
        let is_cut = self.cuts.as_ref().is_some_and(|cuts| cuts.get(place).copied().unwrap_or(true));
        let said = match (of_state, of_status) {
            _ if is_cut => State::Unreachable,
            (Some(state), Some(other)) if state != other => State::Unreachable,
            (state, other) => state.or(other).unwrap_or(State::Present),
        };
        Ok(match said {
            State::Absent if octets.is_some_and(|octets| !octets.trim_ascii().is_empty() && is_robots(octets)) => {
                match status {
                    Some(401 | 403) => State::Unreachable,
                    _ => State::Present,
                }
            }
            said => said,
        })
    }

    /// What a status means where a robots.txt was asked for, as `acap.retrieval.answers` has it.
    fn meant(&self, status: i64) -> State {
        match status {
            202 | 206 => State::Unreachable,
            200..=299 => State::Present,
            401 | 403 if self.dialect.retrieval.is_memo() => State::Unreachable,
            408 | 421 | 425 | 429 => State::Unreachable,
            400..=499 => State::Absent,
            _ => State::Unreachable,
        }
    }
}

/// Whole numbers, of any type that has them; 0, which is no status, for another number.
fn numbers(array: &ArrayRef) -> Option<Vec<Option<i64>>> {
    fn whole<T: ArrowPrimitiveType>(array: &ArrayRef) -> Option<Vec<Option<i64>>>
    where
        T::Native: TryInto<i64>,
    {
        Some(array.as_primitive_opt::<T>()?.iter().map(|one| one.map(|one| one.try_into().unwrap_or(0))).collect())
    }
    match array.data_type() {
        DataType::Null => Some(vec![None; array.len()]),
        DataType::Int8 => whole::<Int8Type>(array),
        DataType::Int16 => whole::<Int16Type>(array),
        DataType::Int32 => whole::<Int32Type>(array),
        DataType::Int64 => whole::<Int64Type>(array),
        DataType::UInt8 => whole::<UInt8Type>(array),
        DataType::UInt16 => whole::<UInt16Type>(array),
        DataType::UInt32 => whole::<UInt32Type>(array),
        DataType::UInt64 => whole::<UInt64Type>(array),
        // pandas has numbers with nulls among them as these, and a null as one that is no number.
        DataType::Float64 => {
            let of = |one: f64| (100..1000).find(|status| f64::from(*status) == one).map_or(0, i64::from);
            let floats = array.as_primitive_opt::<Float64Type>()?;
            Some(floats.iter().map(|one| one.filter(|one| !one.is_nan()).map(of)).collect())
        }
        _ => None,
    }
}

fn truths(array: &ArrayRef) -> Option<Vec<bool>> {
    match array.data_type() {
        DataType::Null => Some(vec![false; array.len()]),
        DataType::Boolean => Some(array.as_boolean_opt()?.iter().map(|one| one.unwrap_or(false)).collect()),
        _ => None,
    }
}
