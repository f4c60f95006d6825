//! Comparing policies, and what follows from the lines of one.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use acap_policy::automaton::{Atoms, Domain, Found, Query, Work};
use acap_policy::difference::{self, Side, Turn};
use acap_policy::idle::{self, Because};
use acap_policy::limits::WORK;
use acap_policy::statement::fold_purpose;
use acap_policy::usage::{FURTHER, Usage};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::policy::Policy;
use crate::question;

/// (what becomes of the decisions, patterns within, patterns without with those that are within again, witness)
type Change<'py> =
    (&'static str, Vec<Bound<'py, PyBytes>>, Vec<(Bound<'py, PyBytes>, Vec<Bound<'py, PyBytes>>)>, Bound<'py, PyBytes>);

/// What differs between two policies for one crawler, usage and purpose; whether something is undecided; and how much of
/// `work` is left.
#[pyfunction]
#[pyo3(signature = (old, new, *, crawler, usage, purpose=None, at=None, work=WORK))]
pub(crate) fn differences<'py>(
    py: Python<'py>,
    old: &Bound<'py, Policy>,
    new: &Bound<'py, Policy>,
    crawler: &Bound<'py, PyAny>,
    usage: &str,
    purpose: Option<&str>,
    at: Option<&Bound<'py, PyAny>>,
    work: usize,
) -> PyResult<(Vec<Change<'py>>, bool, usize)> {
    let (before, after) = (&*old.get().core, &*new.get().core);
    if before.domain() != after.domain() {
        return Err(PyValueError::new_err("the two dialects do not compare paths in the same form"));
    }
    let asker = question::asker(crawler)?;
    let usage_in = |core| question::usage_of(core, usage, &question::Further::new()).unwrap_or(Usage(FURTHER));
    let purpose = purpose.map(fold_purpose);
    let at = at.filter(|at| !at.is_none()).map(question::instant).transpose()?.unwrap_or_else(question::now);
    let mut left = Work(work);
    let found = py.detach(|| {
        let (one, other) = (before.view(&asker.names), after.view(&asker.names));
        let side = |policy, view| Side { policy, view, usage: usage_in(policy) };
        difference::differences(side(before, &one), side(after, &other), purpose.as_deref(), at, &mut left)
    });
    let octets = |text: &Vec<u8>| PyBytes::new(py, text);
    let change = |one: &difference::Change| {
        let turn = match one.turn {
            Turn::Prohibits => "prohibits",
            Turn::Permits => "permits",
            Turn::Restricts => "restricts",
        };
        let without =
            one.without.iter().map(|(first, others)| (octets(first), others.iter().map(octets).collect())).collect();
        (turn, one.within.iter().map(octets).collect(), without, octets(&one.witness))
    };
    Ok((found.changes.iter().map(change).collect(), found.undecided, left.0))
}

/// A number that two crawlers share only if the policy tells them the same.
#[pyfunction]
pub(crate) fn told(policy: &Bound<'_, Policy>, crawler: &Bound<'_, PyAny>) -> PyResult<u128> {
    let asker = question::asker(crawler)?;
    let key = policy.get().core.view(&asker.names).key();
    let half = |seed: u64| {
        let mut hasher = DefaultHasher::new();
        (seed, &key).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    Ok(half(1) << 64 | half(2))
}

/// Conventional lines that change no decision of any of these crawlers: line, why, the lines that make it so; and how many
/// questions took too long.
#[pyfunction]
pub(crate) fn idle_lines(
    py: Python<'_>,
    policy: &Bound<'_, Policy>,
    crawlers: Vec<Vec<String>>,
) -> (Vec<(u32, &'static str, Vec<u32>)>, usize) {
    let core = &*policy.get().core;
    py.detach(|| {
        let views: Vec<_> = crawlers.iter().map(|names| acap_policy::decide::View::new(core, names)).collect();
        let found = idle::idle(core, views.iter());
        let line = |entry: u32| idle::line_of(core, entry);
        let told = found.list.iter().map(|one| {
            let because = match one.because {
                Because::Unmatchable => "unmatchable",
                Because::Covered => "covered",
                Because::Overridden => "overridden",
            };
            (line(one.entry), because, one.by.iter().map(|entry| line(*entry)).collect())
        });
        (told.collect(), found.undecided)
    })
}

/// A purpose for each set of purpose patterns that can match together; and whether there are more.
#[pyfunction]
pub(crate) fn purposes_told_apart<'py>(
    py: Python<'py>,
    patterns: Vec<Vec<u8>>,
    most: usize,
) -> (Vec<Bound<'py, PyBytes>>, bool) {
    let list: Vec<&[u8]> = patterns.iter().map(Vec::as_slice).collect();
    let (found, more) = py.detach(|| difference::purposes(&list, most));
    (found.iter().map(|text| PyBytes::new(py, text)).collect(), more)
}

/// A shortest path that all patterns match; none if there is none, or none was found in the time there is.
#[pyfunction]
pub(crate) fn meeting<'py>(py: Python<'py>, patterns: Vec<Vec<u8>>) -> Option<Bound<'py, PyBytes>> {
    let mut atoms = Atoms::default();
    let must = patterns.iter().map(|pattern| atoms.pattern(pattern)).collect();
    match Query::all_of(must).shortest(&atoms, Domain::Canonical, &mut Work(WORK)) {
        Found::Path(path) => Some(PyBytes::new(py, &path)),
        Found::Nothing | Found::TooMuch => None,
    }
}

/// A purpose, or a pattern of purposes, in the form in which it is compared.
#[pyfunction]
pub(crate) fn folded_purpose<'py>(py: Python<'py>, purpose: &str) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &fold_purpose(purpose))
}
