//! `Decisions`: the answers to many questions as columns.

use std::sync::Arc;

use acap_policy::batch::{KINDS, Rows, Urls};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Int8Array, RecordBatch, RecordBatchIterator, StringArray, UInt32Array,
};
use arrow_schema::{DataType, Field, Schema};
use pyo3::exceptions::{PyIndexError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList, PyTuple};

use crate::hooks::Hooks;

pub(crate) const OUTCOMES: [&str; 3] = ["permitted", "conditional", "prohibited"];

/// A column of few words: a code a row, or none, and the words that the codes stand for.
pub(crate) fn dictionary(codes: Vec<Option<i8>>, words: Vec<&str>) -> Result<ArrayRef, arrow_schema::ArrowError> {
    let words: ArrayRef = Arc::new(StringArray::from(words));
    Ok(Arc::new(DictionaryArray::<Int8Type>::try_new(Int8Array::from(codes), words)?))
}

/// The answers of one batch. Rows are URL by URL, and for each URL usage by usage.
#[pyclass(frozen, module = "acap._native")]
pub(crate) struct Decisions {
    pub(crate) rows: Rows,
    pub(crate) usages: Vec<String>,
    pub(crate) urls: Urls,
}

impl Decisions {
    fn place(&self, index: isize) -> PyResult<usize> {
        let length = self.rows.outcomes.len();
        let place = if index < 0 { index + isize::try_from(length).unwrap_or(isize::MAX) } else { index };
        usize::try_from(place).ok().filter(|place| *place < length).ok_or_else(|| PyIndexError::new_err("no such row"))
    }

    fn url(&self, row: usize) -> String {
        let place = row / self.usages.len().max(1);
        String::from_utf8_lossy(self.urls.get(place).unwrap_or(&[])).into_owned()
    }

    fn batch(&self) -> Result<RecordBatch, arrow_schema::ArrowError> {
        let count = self.rows.outcomes.len();
        let code = |value: u8| i8::try_from(value).ok();
        let width = self.usages.len().max(1);
        let usages = (0..count).map(|row| i8::try_from(row % width).ok()).collect();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("url", Arc::new(StringArray::from_iter_values((0..count).map(|row| self.url(row))))),
            ("usage", dictionary(usages, self.usages.iter().map(String::as_str).collect())?),
            ("outcome", dictionary(self.rows.outcomes.iter().map(|value| code(*value)).collect(), OUTCOMES.to_vec())?),
            (
                "kind",
                dictionary(
                    self.rows.kinds.iter().map(|value| code(*value)).collect(),
                    KINDS.iter().map(|kind| kind.name()).collect(),
                )?,
            ),
            ("stated", Arc::new(BooleanArray::from_iter(self.rows.stated.iter().map(|value| Some(*value != 0))))),
            (
                "restricted",
                Arc::new(BooleanArray::from_iter(self.rows.restricted.iter().map(|value| Some(*value != 0)))),
            ),
            ("line", Arc::new(UInt32Array::from(self.rows.lines.clone()))),
        ];
        let fields: Vec<Field> = columns
            .iter()
            .map(|(name, column)| Field::new(*name, DataType::clone(column.data_type()), false))
            .collect();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns.into_iter().map(|(_, column)| column).collect())
    }
}

#[pymethods]
impl Decisions {
    fn __len__(&self) -> usize {
        self.rows.outcomes.len()
    }

    /// (url, usage, outcome, kind, line or 0) of a row.
    fn __getitem__<'py>(&self, py: Python<'py>, index: isize) -> PyResult<Bound<'py, PyTuple>> {
        let row = self.place(index)?;
        let at = |column: &[u8]| column.get(row).copied().unwrap_or(0);
        let outcome = Hooks::outcome(py, at(&self.rows.outcomes))?;
        let kind = KINDS.get(usize::from(at(&self.rows.kinds))).map_or("", |kind| kind.name());
        let usage = self.usages.get(row % self.usages.len().max(1)).cloned().unwrap_or_default();
        let line = self.rows.lines.get(row).copied().unwrap_or(0);
        (self.url(row), usage, outcome, kind, line).into_pyobject(py)
    }

    #[getter]
    fn usages(&self, py: Python<'_>) -> PyResult<Py<PyTuple>> {
        Ok(PyTuple::new(py, &self.usages)?.unbind())
    }

    /// One octet a row: 0 permitted, 1 conditional, 2 prohibited.
    #[getter]
    fn outcomes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.rows.outcomes)
    }

    /// One bool a row.
    #[getter]
    fn permitted<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.rows.outcomes.iter().map(|code| *code == 0))
    }

    /// One bool a row: whether restrictions hold, which a single decision names.
    #[getter]
    fn restricted<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.rows.restricted.iter().map(|value| *value != 0))
    }

    /// The deciding line of each row as unsigned 32-bit numbers of the machine's order; 0 for none.
    #[getter]
    fn lines<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let octets: Vec<u8> = self.rows.lines.iter().flat_map(|line| line.to_ne_bytes()).collect();
        let view = py.import("builtins")?.getattr("memoryview")?.call1((PyBytes::new(py, &octets),))?;
        view.call_method1("cast", ("I",))
    }

    /// The columns url, usage, outcome, kind, stated, restricted, line as an Arrow stream, for anything that reads one.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema; // the protocol lets a producer keep its own schema
        let batch = self.batch().map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let schema = batch.schema();
        let reader = RecordBatchIterator::new([Ok(batch)], schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    fn __repr__(&self) -> String {
        format!("<Decisions: {} rows, usages {}>", self.rows.outcomes.len(), self.usages.join(", "))
    }
}
