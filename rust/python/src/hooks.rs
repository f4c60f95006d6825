//! What Python binds once, so that native objects can answer with Python's types.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

static HOOKS: PyOnceLock<Hooks> = PyOnceLock::new();

pub(crate) struct Hooks {
    /// The members permitted, conditional, prohibited.
    pub(crate) outcomes: [Py<PyAny>; 3],
    /// (kind, decided, lost, prohibited_below, truncated) → Reason
    pub(crate) reason: Py<PyAny>,
    /// (name, value, usage or none) → Restriction
    pub(crate) restriction: Py<PyAny>,
    /// What a pickled decision is made with again.
    pub(crate) restore: Py<PyAny>,
}

impl Hooks {
    pub(crate) fn get(py: Python<'_>) -> PyResult<&Hooks> {
        HOOKS.get(py).ok_or_else(|| PyRuntimeError::new_err("import acap, not acap._native alone"))
    }

    pub(crate) fn outcome(py: Python<'_>, code: u8) -> PyResult<Py<PyAny>> {
        let hooks = Self::get(py)?;
        let [permitted, conditional, prohibited] = &hooks.outcomes;
        Ok(match code {
            0 => permitted.clone_ref(py),
            1 => conditional.clone_ref(py),
            _ => prohibited.clone_ref(py),
        })
    }
}

/// Binds the types that decisions answer with; the first call counts.
#[pyfunction]
pub(crate) fn bind(
    py: Python<'_>,
    outcomes: [Py<PyAny>; 3],
    reason: Py<PyAny>,
    restriction: Py<PyAny>,
    restore: Py<PyAny>,
) {
    let _ = HOOKS.set(py, Hooks { outcomes, reason, restriction, restore });
}

/// A tuple of already made objects.
pub(crate) fn tuple<'py>(py: Python<'py>, list: Vec<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, list)
}
