//! `Decisions`: the answers to many questions as columns.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use acap_policy::deciding::batch::{KINDS, Rows, Urls};
use arrow_array::{RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::ArrowError;
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
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

/// outcomes, lines as little-endian numbers, kinds, stated, restricted
type Columns = (Vec<u8>, Vec<u8>, Vec<u8>, Vec<u8>, Vec<u8>);

/// Gives the rows of a batch, one after the other.
#[pyclass(frozen, module = "acap._native")]
pub(crate) struct DecisionsIterator {
    decisions: Py<Decisions>,
    next: AtomicUsize,
}

#[pymethods]
impl DecisionsIterator {
    const fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let decisions = self.decisions.get();
        let row = self.next.fetch_add(1, Ordering::Relaxed);
        if row < decisions.rows.outcomes.len() { decisions.row(py, row).map(Some) } else { Ok(None) }
    }

    fn __length_hint__(&self) -> usize {
        self.decisions.get().rows.outcomes.len().saturating_sub(self.next.load(Ordering::Relaxed))
    }
}

impl Decisions {
    fn place(&self, index: isize) -> PyResult<usize> {
        let length = self.rows.outcomes.len();
        let place = if index < 0 { index + isize::try_from(length).unwrap_or(isize::MAX) } else { index };
        usize::try_from(place).ok().filter(|place| *place < length).ok_or_else(|| PyIndexError::new_err("no such row"))
    }

    fn row<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyTuple>> {
        let at = |column: &[u8]| column.get(row).copied().unwrap_or(0);
        let outcome = Hooks::outcome(py, at(&self.rows.outcomes))?;
        let kind = KINDS.get(usize::from(at(&self.rows.kinds))).map_or("", |kind| kind.name());
        let usage = self.usages.get(row % self.usages.len().max(1)).cloned().unwrap_or_default();
        let line = self.rows.lines.get(row).copied().unwrap_or(0);
        (self.url(row), usage, outcome, kind, line).into_pyobject(py)
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
        self.row(py, self.place(index)?)
    }

    /// The rows in their order.
    fn __iter__(slf: Bound<'_, Self>) -> DecisionsIterator {
        DecisionsIterator { decisions: slf.unbind(), next: AtomicUsize::new(0) }
    }
    #[getter]
    fn usages(&self, py: Python<'_>) -> PyResult<Py<PyTuple>> {
        Ok(PyTuple::new(py, &self.usages)?.unbind())
    }

    /// The columns, from which the same is made again.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let this = slf.get();
        let octets = |column: &[u8]| PyBytes::new(py, column);
        let lines: Vec<u8> = this.rows.lines.iter().flat_map(|line| line.to_le_bytes()).collect();
        let columns = (
            octets(&this.rows.outcomes),
            octets(&lines),
            octets(&this.rows.kinds),
            octets(&this.rows.stated),
            octets(&this.rows.restricted),
        );
        let urls = PyList::new(py, this.urls.iter().map(String::from_utf8_lossy))?;
        let kinds = PyTuple::new(py, KINDS.iter().map(|kind| kind.name()))?;
        let made = slf.get_type().getattr("_kept")?;
        Ok((made, (urls, PyTuple::new(py, &this.usages)?, kinds, columns).into_pyobject(py)?))
    }

    /// A batch of the columns of another, whose kinds have these names.
    #[staticmethod]
    fn _kept(urls: Vec<String>, usages: Vec<String>, kinds: Vec<String>, columns: Columns) -> PyResult<Self> {
        let (outcomes, lines, kept, stated, restricted) = columns;
        let damaged = || PyValueError::new_err("the columns of these decisions are damaged");
        let place = |code: &u8| {
            let name = kinds.get(usize::from(*code))?;
            u8::try_from(KINDS.iter().position(|kind| kind.name() == name)?).ok()
        };
        let kinds: Vec<u8> = kept.iter().map(place).collect::<Option<_>>().ok_or_else(damaged)?;
        let (lines, rest) = lines.as_chunks::<4>();
        let lines: Vec<u32> = lines.iter().map(|line| u32::from_le_bytes(*line)).collect();
        let count = urls.len().saturating_mul(usages.len());
        let lengths = [outcomes.len(), kinds.len(), lines.len(), stated.len(), restricted.len()];
        if !rest.is_empty() || lengths.iter().any(|length| *length != count) {
            return Err(damaged());
        }
        let urls = urls.iter().map(String::as_bytes).collect();
        Ok(Self { rows: Rows { outcomes, lines, kinds, stated, restricted }, usages, urls })
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
