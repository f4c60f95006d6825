//! Statements from elsewhere made ready for a crawler: questions of one crawler come many at a time.

use std::sync::{Arc, Mutex, PoisonError};

use acap_policy::decide::Elsewhere;
use acap_policy::policy::Policy as Core;
use pyo3::prelude::*;

use crate::question::{self, Further};
use crate::statement::{Statement, addressed};

/// What one crawler hears, in the core's form, and the statements it is cited from.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    pub(crate) elsewhere: Vec<Elsewhere>,
    pub(crate) cited: Vec<Py<Statement>>,
    /// Usages that only these statements name.
    pub(crate) further: Further,
}

impl Heard {
    pub(crate) fn new(
        py: Python<'_>,
        core: &Core,
        statements: &[Py<Statement>],
        names: &[String],
        known: &[String],
    ) -> Self {
        let usages = statements.iter().map(|one| one.get().usage.to_lowercase());
        let further = question::further(core, usages.chain(known.iter().map(|name| name.to_lowercase())));
        let mut dialects = Vec::new();
        let mut heard = Self { further, ..Self::default() };
        let statements = statements.iter().map(|one| one.clone_ref(py)).collect();
        for (one, named) in addressed(statements, names) {
            let usage = question::usage_of(core, &one.get().usage.to_lowercase(), &heard.further);
            heard.elsewhere.push(one.get().elsewhere(named, usage, &mut dialects));
            heard.cited.push(one);
        }
        heard
    }
}

struct Last {
    core: Arc<Core>,
    names: Vec<String>,
    heard: Arc<Heard>,
}

/// Statements that are asked about again and again; what the last crawler hears is kept.
#[pyclass(frozen, module = "acap._native")]
pub(crate) struct Statements {
    list: Vec<Py<Statement>>,
    last: Mutex<Option<Last>>,
}

#[pymethods]
impl Statements {
    #[new]
    fn new(list: Vec<Py<Statement>>) -> Self {
        Self { list, last: Mutex::new(None) }
    }

    fn __len__(&self) -> usize {
        self.list.len()
    }
}

impl Statements {
    pub(crate) fn heard(&self, py: Python<'_>, core: &Arc<Core>, names: &[String], known: &[String]) -> Arc<Heard> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last.as_ref().filter(|last| Arc::ptr_eq(&last.core, core) && last.names == names) {
            return last.heard.clone();
        }
        let heard = Arc::new(Heard::new(py, core, &self.list, names, known));
        *last = Some(Last { core: core.clone(), names: names.to_vec(), heard: heard.clone() });
        heard
    }
}
