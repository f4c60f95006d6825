//! `Decisions`: the answers to many questions as columns.

use std::sync::Arc;

use acap_policy::batch::{KINDS, Rows, Urls};
use arrow_array::{RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::ArrowError;
use pyo3::exceptions::{PyIndexError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList, PyTuple};

use crate::arrow;
use crate::hooks::Hooks;

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

    fn batch(&self) -> Result<RecordBatch, ArrowError> {
        let urls = (0..self.rows.outcomes.len()).map(|row| self.url(row));
        let url = Arc::new(StringArray::from_iter_values(urls));
        arrow::batch(arrow::answers(url, &self.usages, &self.rows, |_| true)?, &[])
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
        arrow::capsule(py, Box::new(RecordBatchIterator::new([Ok(batch)], schema)))
    }

    fn __repr__(&self) -> String {
        format!("<Decisions: {} rows, usages {}>", self.rows.outcomes.len(), self.usages.join(", "))
    }

    /// HTML for notebooks.
    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        slf.py().import("acap.notebook")?.getattr("html_of")?.call1((slf,))?.extract()
    }
}
