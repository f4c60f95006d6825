//! Statements from elsewhere, and those of them that address one crawler: its questions come many at a time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acap_policy::deciding::{Elsewhere, Viewed as Core};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use crate::question::{self, Asker, Further};
use crate::statement::{Statement, addressed};

/// The statements that address one crawler, in the core's form and as they are cited.
#[derive(Debug, Default)]
pub(crate) struct AddressedStatements {
    pub(crate) elsewhere: Vec<Elsewhere>,
    pub(crate) cited: Vec<Py<Statement>>,
    /// Usages that only these statements name.
    pub(crate) further: Further,
}

impl AddressedStatements {
    fn new(py: Python<'_>, core: &Core, given: &Statements, asker: &Asker) -> Self {
        let usages = given.list.iter().map(|one| one.get().usage.to_lowercase());
        let further = question::further(core, usages.chain(given.usages.iter().map(|name| name.to_lowercase())));
        let mut dialects = Vec::new();
        let mut out = Self { further, ..Self::default() };
        for (one, to) in addressed(&given.list, &given.crawlers, &asker.names, &asker.others) {
            let usage = question::usage_of(core, &one.get().usage.to_lowercase(), &out.further);
            out.elsewhere.push(one.get().elsewhere(to, usage, &mut dialects));
            out.cited.push(one.clone_ref(py));
        }
        out
    }
}

struct Last {
    core: Arc<Core>,
    names: Vec<String>,
    others: Vec<String>,
    addressed: Arc<AddressedStatements>,
}

/// Statements that are asked about again and again; those for the last crawler are kept.
///
/// `usages` are further ones that may be asked about, `crawlers` further ones that ACAP names; `locate` gives line,
/// column and element of a statement's place. `licensed`: what the documents of License lines say is among them.
/// `source` is that of the statements that name none.
#[pyclass(frozen, module = "acap._native")]
pub(crate) struct Statements {
    list: Vec<Py<Statement>>,
    usages: Vec<String>,
    crawlers: Vec<String>,
    locate: Option<Py<PyAny>>,
    source: Option<String>,
    pub(crate) licensed: bool,
    last: Mutex<Option<Last>>,
}

#[pymethods]
impl Statements {
    #[new]
    #[pyo3(signature = (statements, usages=Vec::new(), crawlers=Vec::new(), locate=None, licensed=false))]
    fn new(
        statements: Vec<Py<Statement>>,
        usages: Vec<String>,
        crawlers: Vec<String>,
        locate: Option<Py<PyAny>>,
        licensed: bool,
    ) -> Self {
        Self { list: statements, usages, crawlers, locate, source: None, licensed, last: Mutex::new(None) }
    }

    /// The same of another source, whose places are its own.
    fn of_source(&self, py: Python<'_>, source: String, locate: Py<PyAny>) -> Self {
        Self {
            list: self.list.iter().map(|one| one.clone_ref(py)).collect(),
            usages: self.usages.clone(),
            crawlers: self.crawlers.clone(),
            locate: Some(locate),
            source: Some(source),
            licensed: self.licensed,
            last: Mutex::new(None),
        }
    }

    fn __len__(&self) -> usize {
        self.list.len()
    }
}

impl Statements {
    pub(crate) fn locate(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.locate.as_ref().map(|locate| locate.clone_ref(py))
    }

    pub(crate) fn source(&self) -> Option<String> {
        self.source.clone()
    }

    /// No object of Python's is made or goes while it is locked.
    fn last(&self, py: Python<'_>) -> MutexGuard<'_, Option<Last>> {
        self.last.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn addressed(&self, py: Python<'_>, core: &Arc<Core>, asker: &Asker) -> Arc<AddressedStatements> {
        let is_same =
            |last: &&Last| Arc::ptr_eq(&last.core, core) && last.names == asker.names && last.others == asker.others;
        if let Some(last) = self.last(py).as_ref().filter(is_same) {
            return last.addressed.clone();
        }
        let addressed = Arc::new(AddressedStatements::new(py, core, self, asker));
        let (names, others) = (asker.names.clone(), asker.others.clone());
        let last = Last { core: core.clone(), names, others, addressed: addressed.clone() };
        // What was kept goes when the lock does not hold any more, for Python may run then.
        let before = self.last(py).replace(last);
        drop(before);
        addressed
    }
}
