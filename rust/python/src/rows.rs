//! Answers as rows of Python, for who has no library that reads Arrow.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int32Type, UInt32Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, LargeStringArray, ListArray, RecordBatch, RecordBatchReader, StringArray,
    StringViewArray, UInt32Array,
};
use arrow_schema::{ArrowError, DataType};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyList, PyString, PyTuple};

/// Rows that are made as they are read: a tuple each, in the order of the columns.
#[pyclass(frozen, module = "acap._native")]
pub(crate) struct DecisionRows(Mutex<Reading>);

struct Reading {
    batches: Box<dyn RecordBatchReader + Send>,
    columns: Vec<Column>,
    next: usize,
    count: usize,
}

impl DecisionRows {
    pub(crate) fn of(batches: Box<dyn RecordBatchReader + Send>) -> Self {
        Self(Mutex::new(Reading { batches, columns: Vec::new(), next: 0, count: 0 }))
    }
}

#[pymethods]
impl DecisionRows {
    const fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let mut reading = self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        while reading.next == reading.count {
            let batches = &mut reading.batches;
            let Some(batch) = py.detach(|| batches.next()) else { return Ok(None) };
            let batch = batch.map_err(fault)?;
            reading.columns = columns(py, &batch)?;
            (reading.next, reading.count) = (0, batch.num_rows());
        }
        let row = reading.next;
        reading.next += 1;
        let values = reading.columns.iter().map(|column| column.value(py, row)).collect::<PyResult<Vec<_>>>()?;
        PyTuple::new(py, values).map(Some)
    }
}

/// Each different answer once, as a tuple in the order of the columns without that of the URL; and of each row the place
/// of its answer among them.
pub(crate) fn distinct<'py>(
    py: Python<'py>,
    mut batches: Box<dyn RecordBatchReader + Send>,
) -> PyResult<(Vec<Bound<'py, PyTuple>>, Vec<usize>)> {
    let (mut answers, mut rows) = (Vec::new(), Vec::new());
    let mut places: HashMap<Box<[u8]>, usize> = HashMap::new();
    let mut key = Vec::new();
    while let Some(batch) = py.detach(|| batches.next()) {
        let batch = batch.map_err(fault)?;
        let columns: Vec<Column> = columns(py, &batch)?.into_iter().skip(1).collect();
        for row in 0..batch.num_rows() {
            key.clear();
            for column in &columns {
                column.write(row, &mut key);
            }
            if let Some(place) = places.get(key.as_slice()) {
                rows.push(*place);
                continue;
            }
            rows.push(answers.len());
            places.insert(key.as_slice().into(), answers.len());
            let values = columns.iter().map(|column| column.value(py, row)).collect::<PyResult<Vec<_>>>()?;
            answers.push(PyTuple::new(py, values)?);
        }
    }
    Ok((answers, rows))
}

fn fault(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn columns(py: Python<'_>, batch: &RecordBatch) -> PyResult<Vec<Column>> {
    batch.columns().iter().map(|array| Column::of(py, array).map_err(fault)).collect()
}

/// The places of a column's words, whatever numbers they are.
fn places(keys: &dyn Array) -> Result<Vec<Option<usize>>, ArrowError> {
    Ok(match keys.data_type() {
        DataType::Int8 => keys.as_primitive::<Int8Type>().iter().map(|key| usize::try_from(key?).ok()).collect(),
        DataType::Int32 => keys.as_primitive::<Int32Type>().iter().map(|key| usize::try_from(key?).ok()).collect(),
        other => return Err(ArrowError::NotYetImplemented(format!("a word by {other}"))),
    })
}

enum Column {
    Texts(StringArray),
    LongTexts(LargeStringArray),
    Views(StringViewArray),
    Words(Vec<Option<usize>>, Vec<Py<PyString>>),
    Flags(BooleanArray),
    Numbers(UInt32Array),
    Lists(ListArray),
}

impl Column {
    fn of(py: Python<'_>, array: &ArrayRef) -> Result<Self, ArrowError> {
        Ok(match array.data_type() {
            DataType::Utf8 => Self::Texts(array.as_string().clone()),
            DataType::LargeUtf8 => Self::LongTexts(array.as_string().clone()),
            DataType::Utf8View => Self::Views(array.as_string_view().clone()),
            DataType::Boolean => Self::Flags(array.as_boolean().clone()),
            DataType::UInt32 => Self::Numbers(array.as_primitive::<UInt32Type>().clone()),
            DataType::List(_) => Self::Lists(array.as_list().clone()),
            DataType::Dictionary(..) => {
                let array = array.as_any_dictionary();
                let words = array.values().as_string::<i32>().iter();
                let words = words.map(|word| PyString::intern(py, word.unwrap_or_default()).unbind()).collect();
                Self::Words(places(array.keys())?, words)
            }
            other => return Err(ArrowError::NotYetImplemented(format!("a row of {other}"))),
        })
    }

    /// What tells the value of a row from others of the column.
    fn write(&self, row: usize, key: &mut Vec<u8>) {
        let is_valid = match self {
            Self::Texts(array) => array.is_valid(row),
            Self::LongTexts(array) => array.is_valid(row),
            Self::Views(array) => array.is_valid(row),
            Self::Words(places, _) => places.get(row).is_some_and(Option::is_some),
            Self::Flags(array) => array.is_valid(row),
            Self::Numbers(array) => array.is_valid(row),
            Self::Lists(array) => array.is_valid(row),
        };
        key.push(u8::from(is_valid));
        if !is_valid {
            return;
        }
        let mut text = |text: &str| {
            key.extend_from_slice(&text.len().to_ne_bytes());
            key.extend_from_slice(text.as_bytes());
        };
        match self {
            Self::Texts(array) => text(array.value(row)),
            Self::LongTexts(array) => text(array.value(row)),
            Self::Views(array) => text(array.value(row)),
            Self::Words(places, _) => {
                key.extend_from_slice(&places.get(row).copied().flatten().unwrap_or(usize::MAX).to_ne_bytes());
            }
            Self::Flags(array) => key.push(u8::from(array.value(row))),
            Self::Numbers(array) => key.extend_from_slice(&array.value(row).to_ne_bytes()),
            Self::Lists(array) => {
                key.extend_from_slice(&array.value_length(row).to_ne_bytes());
                if array.value_length(row) > 0 {
                    for one in array.value(row).as_string::<i32>() {
                        let one = one.unwrap_or_default();
                        key.extend_from_slice(&one.len().to_ne_bytes());
                        key.extend_from_slice(one.as_bytes());
                    }
                }
            }
        }
    }

    /// The value of a row; `None` where there is none.
    fn value<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyAny>> {
        let text = |text: &str| Ok(PyString::new(py, text).into_any());
        match self {
            Self::Texts(array) if array.is_valid(row) => text(array.value(row)),
            Self::LongTexts(array) if array.is_valid(row) => text(array.value(row)),
            Self::Views(array) if array.is_valid(row) => text(array.value(row)),
            Self::Words(places, words) => {
                let word = places.get(row).copied().flatten().and_then(|place| words.get(place));
                Ok(word.map_or_else(|| py.None().into_bound(py), |word| word.bind(py).clone().into_any()))
            }
            Self::Flags(array) if array.is_valid(row) => array.value(row).into_bound_py_any(py),
            Self::Numbers(array) if array.is_valid(row) => array.value(row).into_bound_py_any(py),
            Self::Lists(array) if array.is_valid(row) && array.value_length(row) == 0 => {
                Ok(PyList::empty(py).into_any())
            }
            Self::Lists(array) if array.is_valid(row) => {
                let texts = array.value(row);
                Ok(PyList::new(py, texts.as_string::<i32>().iter().map(Option::unwrap_or_default))?.into_any())
            }
            _ => Ok(py.None().into_bound(py)),
        }
    }
}
