//! Comparing policies, and what follows from the lines of one.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::time::{Duration, Instant};

use acap_policy::deciding::tokens_of;
use acap_policy::proving::difference::{self, Questions, Turn};
use acap_policy::proving::redundant::{self, Because};
use acap_policy::proving::{Domain, Found, PatternTable, Query, WORK, Work};
use acap_policy::reading::fold_purpose;
use acap_policy::reading::usage::{UNNUMBERED, Usage};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::policy::Policy;
use crate::question::{self, Prepared};

/// (what becomes of the decisions, patterns within, patterns without with those that are within again, witness)
type Change<'py> =
    (&'static str, Vec<Bound<'py, PyBytes>>, Vec<(Bound<'py, PyBytes>, Vec<Bound<'py, PyBytes>>)>, Bound<'py, PyBytes>);

/// Crawlers, purposes and usages: each of the one is asked about with each of the others.
type Asked<'py> = (Vec<Bound<'py, PyAny>>, Vec<Option<String>>, Vec<String>);

/// Places of crawlers and of purposes, each among the lists that come beside, and of usages.
type Block = (u32, u32, Vec<u32>);

/// Classes of crawlers, sets of purposes, changes each with the questions it concerns, questions that are undecided,
/// whether there was no time for all.
type Answers<'py> = (Vec<Vec<u32>>, Vec<Vec<u32>>, Vec<(Change<'py>, Vec<Block>)>, Vec<Block>, bool);

/// Microseconds between two checks for an interruption of the caller.
const INTERRUPTED: u128 = 50_000;

/// What differs between two policies in their answers to `questions`; `work` is how many steps may be taken, and
/// `seconds` how long.
#[pyfunction]
#[pyo3(signature = (old, new, questions, *, at=None, work=WORK, seconds=None))]
pub(crate) fn differences<'py>(
    py: Python<'py>,
    old: &Bound<'py, Policy>,
    new: &Bound<'py, Policy>,
    questions: Asked<'py>,
    at: Option<&Bound<'py, PyAny>>,
    work: usize,
    seconds: Option<f64>,
) -> PyResult<Answers<'py>> {
    let (crawlers, purposes, usages) = questions;
    let (before, after) = (&*old.get().core, &*new.get().core);
    if before.dialect.form.domain() != after.dialect.form.domain() {
        return Err(PyValueError::new_err("the two dialects do not compare paths in the same form"));
    }
    let start = Instant::now();
    let until = seconds.and_then(|seconds| start.checked_add(Duration::try_from_secs_f64(seconds).ok()?));
    let asking = crawlers.iter().map(|crawler| Ok(question::asker(crawler)?.names)).collect::<PyResult<Vec<_>>>()?;
    let usage_in = |core, usage: &str| question::usage_of(core, usage, &question::Further::new()).unwrap_or(UNNUMBERED);
    let usages: Vec<[Usage; 2]> =
        usages.iter().map(|usage| [before, after].map(|core| usage_in(core, usage))).collect();
    let purposes: Vec<_> = purposes.iter().map(|purpose| purpose.as_deref().map(fold_purpose)).collect();
    let at = at.map(question::instant).transpose()?.unwrap_or_else(question::now);
    let questions = Questions { old: before, new: after, crawlers: &asking, purposes: &purposes, usages: &usages, at };
    let mut interrupted: PyResult<()> = Ok(());
    let mut looked = start;
    let answers = py.detach(|| {
        let goes_on = || {
            if looked.elapsed().as_micros() < INTERRUPTED {
                return true;
            }
            looked = Instant::now();
            interrupted = Python::attach(|py| py.check_signals());
            interrupted.is_ok()
        };
        questions.ask(&mut Work::of(work).until(until), goes_on)
    });
    interrupted?;
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
    let blocks = |list: Vec<difference::Block>| {
        list.into_iter().map(|block| (block.crawlers, block.purposes, block.usages)).collect::<Vec<Block>>()
    };
    let differences = answers.differences.into_iter().map(|one| (change(&one.change), blocks(one.asked))).collect();
    Ok((answers.crawlers, answers.purposes, differences, blocks(answers.undecided), answers.over))
}

/// A number that two crawlers share only if the policy tells them the same.
#[pyfunction]
pub(crate) fn audience_key(policy: &Bound<'_, Policy>, crawler: &Bound<'_, PyAny>) -> PyResult<u128> {
    let asker = question::asker(crawler)?;
    let views = asker.views(&policy.get().core);
    let key: Vec<Vec<u64>> = views.iter().map(|view| view.key()).collect();
    let half = |seed: u64| {
        let mut hasher = DefaultHasher::new();
        (seed, &key).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    Ok(half(1) << 64 | half(2))
}

/// Whether a control token may refuse what a crawler is not refused to crawl.
#[pyfunction]
pub(crate) fn is_controlled(policy: &Bound<'_, Policy>, crawler: &Bound<'_, PyAny>) -> PyResult<bool> {
    let asker = question::asker(crawler)?;
    let has_token = |name: &String| tokens_of(name.as_bytes()).next().is_some();
    let is_operated = asker.names.iter().take(1).chain(&asker.others).any(has_token);
    Ok(is_operated && asker.views(&policy.get().core).iter().any(|view| view.is_controlled()))
}

/// The lines that are addressed to a crawler, and whether each is for its purpose.
#[pyfunction]
pub(crate) fn addressed_lines(policy: &Bound<'_, Policy>, question: &Bound<'_, Prepared>) -> Vec<(u32, bool)> {
    let (core, question) = (&*policy.get().core, &question.get().0);
    let views = question.asker.views(core);
    views.iter().flat_map(|view| view.lines(core, &question.purposes)).collect()
}

/// Conventional lines that change no decision of any of these crawlers: line, why, the lines that make it so; and how
/// many questions took too long.
#[pyfunction]
pub(crate) fn redundant_lines(
    py: Python<'_>,
    policy: &Bound<'_, Policy>,
    crawlers: Vec<Vec<String>>,
) -> (Vec<(u32, &'static str, Vec<u32>)>, usize) {
    let core = &*policy.get().core;
    py.detach(|| {
        let views: Vec<_> = crawlers.iter().map(|names| acap_policy::deciding::View::new(core, names)).collect();
        let found = redundant::redundant(core, views.iter());
        let line = |entry: u32| redundant::line_of(core, entry);
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

/// A purpose for each set of purpose patterns that can match together, and is none of `known`; and whether there are
/// more.
#[pyfunction]
pub(crate) fn purposes_told_apart<'py>(
    py: Python<'py>,
    patterns: Vec<Vec<u8>>,
    known: Vec<Vec<u8>>,
    most: usize,
) -> (Vec<Bound<'py, PyBytes>>, bool) {
    let list: Vec<&[u8]> = patterns.iter().map(Vec::as_slice).collect();
    let known: Vec<&[u8]> = known.iter().map(Vec::as_slice).collect();
    let (found, more) = py.detach(|| difference::purposes(&list, &known, most));
    (found.iter().map(|text| PyBytes::new(py, text)).collect(), more)
}

/// A shortest path that all patterns match; none if there is none, or none was found in the time there is.
#[pyfunction]
pub(crate) fn meeting<'py>(py: Python<'py>, patterns: Vec<Vec<u8>>) -> Option<Bound<'py, PyBytes>> {
    let mut atoms = PatternTable::default();
    let must = patterns.iter().map(|pattern| atoms.pattern(pattern)).collect();
    match Query::all_of(must).shortest(&atoms, Domain::Canonical, &mut Work::of(WORK)) {
        Found::Path(path) => Some(PyBytes::new(py, &path)),
        Found::Nothing | Found::TooMuch => None,
    }
}

/// A purpose, or a pattern of purposes, in the form in which it is compared.
#[pyfunction]
pub(crate) fn folded_purpose<'py>(py: Python<'py>, purpose: &str) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &fold_purpose(purpose))
}
