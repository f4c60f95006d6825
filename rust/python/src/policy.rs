//! `Policy`: what `acap.robots.RobotsPolicy` extends; one module, as the methods of a class are one block.

use std::borrow::Cow;
use std::sync::Arc;

use acap_policy::deciding::batch::{self, Mistake, Urls, rest_of};
use acap_policy::deciding::{self, Viewed as Core};
use acap_policy::reading::url::{self, Url};
use acap_policy::reading::usage::Usage;
use acap_policy::reading::{
    Dialect, Effect, Limits, NAMES, Outcome, Policy as Read, State, is_cut, name_of, other_names,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMapping, PyMemoryView, PyString, PyTuple};

use crate::asking::Asking;
use crate::decision::{Decision, Quick};
use crate::decisions::Decisions;
use crate::processors::on_all_processors_and_here;
use crate::question::{self, Prepared, Question};
use crate::statements::Statements;
use crate::views;

/// Files from this size are read without the GIL.
const LARGE: usize = 64 * 1024;
/// A batch reserves room for at most this many URLs.
const ROOM: usize = 16 * 1024;
/// Octets reserved per URL; the mean one is shorter.
const URL_OCTETS: usize = 64;

/// A policy that was read and is not yet an object of Python's class.
#[pyclass(frozen, module = "acap._native")]
pub(crate) struct Reading {
    core: Arc<Core>,
    for_use: bool,
}

impl Reading {
    fn of(policy: Read) -> Self {
        Self { core: Arc::new(policy.into()), for_use: false }
    }
}

/// A robots.txt, read.
#[pyclass(frozen, subclass, module = "acap._native")]
pub(crate) struct Policy {
    pub(crate) core: Arc<Core>,
    evidence: Option<Py<PyAny>>,
    /// It is asked about resources that must be used or included, for that use.
    pub(crate) for_use: bool,
}

/// (usage, permits, qualifiers)
type LocalPart = (String, bool, Vec<(String, String)>);

type LimitNumbers = (usize, usize, usize, usize, usize, usize);

/// (starts, kinds, names of kinds)
type Outline<'py> = (Bound<'py, PyAny>, Bound<'py, PyBytes>, Vec<&'static str>);

pub(crate) fn limits_of(numbers: Option<LimitNumbers>) -> Option<Limits> {
    numbers.map(|(file_octets, line_octets, records, sub_records, fields_per_record, fields_per_sub_record)| Limits {
        file_octets,
        line_octets,
        records,
        sub_records,
        fields_per_record,
        fields_per_sub_record,
    })
}

pub(crate) fn dialect_of(name: &str) -> PyResult<Dialect> {
    Dialect::named(name).ok_or_else(|| {
        let known: Vec<&str> = acap_policy::reading::DIALECTS.iter().map(|dialect| dialect.name).collect();
        PyValueError::new_err(format!("dialect `{name}` is none of {}", known.join(", ")))
    })
}

fn check_url(url: Option<&str>) -> PyResult<()> {
    let Some(url) = url else { return Ok(()) };
    let octets = url.as_bytes();
    match url::refused(octets).or_else(|| Url::read(octets).err()) {
        Some(fault) => Err(question::no_url(url, fault)),
        None => Ok(()),
    }
}

impl Policy {
    fn asking(
        slf: &Bound<'_, Self>,
        url: &Bound<'_, PyString>,
        question: Arc<Question>,
        statements: Option<&Bound<'_, Statements>>,
    ) -> PyResult<Asking> {
        let policy = slf.get();
        Asking::new(slf.as_any(), (&policy.core, policy.for_use), url, question, statements)
    }

    /// The name by which a crawler asks, where it is the only one that the policy may mean.
    fn only_name<'c>(core: &Core, asked: &'c str) -> Option<&'c str> {
        let others = other_names(asked);
        let name = name_of(asked).filter(|name| name.len() == asked.len() || !is_cut(asked))?;
        (others.len() <= NAMES && !others.iter().any(|other| core.names_crawler(other))).then_some(name)
    }

    fn decision(asking: Arc<Asking>, usage: Option<&Bound<'_, PyAny>>) -> PyResult<Decision> {
        let usages = question::usages(&asking.core, usage, &asking.addressed.further)?;
        Ok(Decision::new(asking, usages, usage.map(|usage| usage.clone().unbind())))
    }
}

#[pymethods]
impl Policy {
    #[new]
    #[pyo3(signature = (data, url=None, dialect="auto", limits=None, evidence=None))]
    fn new(
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        url: Option<&str>,
        dialect: &str,
        limits: Option<LimitNumbers>,
        evidence: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        if let Ok(reading) = data.cast::<Reading>() {
            let reading = reading.get();
            return Ok(Self { core: reading.core.clone(), evidence, for_use: reading.for_use });
        }
        let octets: Arc<[u8]> = Arc::from(&*octets_of(data)?);
        let dialect = dialect_of(dialect)?;
        check_url(url)?;
        let limits = limits_of(limits);
        let core = if octets.len() < LARGE {
            Read::read(octets, url, dialect, limits)
        } else {
            py.detach(|| Read::read(octets, url, dialect, limits))
        };
        Ok(Self { core: Arc::new(core.into()), evidence, for_use: false })
    }

    /// What a missing or unreachable robots.txt stands for.
    #[staticmethod]
    fn _without(url: Option<&str>, dialect: &str, unreachable: bool) -> PyResult<Reading> {
        check_url(url)?;
        let state = if unreachable { State::Unreachable } else { State::Absent };
        Ok(Reading::of(Read::without(url, dialect_of(dialect)?, state)))
    }

    fn _with_reference(&self, py: Python<'_>, uri: &str, data: Option<&[u8]>) -> Reading {
        let octets: Option<Arc<[u8]>> = data.map(Arc::from);
        let core = py.detach(|| self.core.with_reference(uri, octets));
        Reading { core: Arc::new(core.into()), for_use: self.for_use }
    }

    /// The same with signals read by the letter, or not.
    fn _read_by_letter(&self, by_letter: bool) -> Reading {
        Reading { core: Arc::new(self.core.reading(by_letter).into()), for_use: self.for_use }
    }

    #[getter]
    fn _is_by_letter(&self) -> bool {
        self.core.dialect.by_letter
    }

    #[getter]
    fn _reading(&self) -> Reading {
        Reading { core: self.core.clone(), for_use: self.for_use }
    }

    /// The same, to be asked about a resource that must be used or included, for that use: what it prohibits of
    /// crawling is put aside (section 5).
    fn _put_aside(&self) -> Reading {
        Reading { core: self.core.clone(), for_use: true }
    }

    #[getter]
    fn _is_for_use(&self) -> bool {
        self.for_use
    }

    #[getter]
    fn octets<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.core.octets)
    }

    #[getter]
    fn url(&self) -> Option<&str> {
        self.core.url.as_deref()
    }

    #[getter]
    fn dialect(&self) -> &'static str {
        self.core.dialect.name
    }

    #[getter]
    fn truncated(&self) -> bool {
        self.core.truncated()
    }

    #[getter]
    fn version(&self) -> Option<&str> {
        self.core.acap.as_ref()?.version.as_ref().map(|(version, _)| &**version)
    }

    #[getter]
    fn _evidence(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.evidence.as_ref().map(|evidence| evidence.clone_ref(py))
    }

    #[getter]
    fn _state(&self) -> &'static str {
        match self.core.state {
            State::Present => "present",
            State::Absent => "absent",
            State::Unreachable => "unreachable",
        }
    }

    #[getter]
    fn _limits(&self) -> Option<LimitNumbers> {
        self.core.limits_given().map(|limits| {
            (
                limits.file_octets,
                limits.line_octets,
                limits.records,
                limits.sub_records,
                limits.fields_per_record,
                limits.fields_per_sub_record,
            )
        })
    }

    /// (uri, octets or none) of the references supplied.
    #[getter]
    fn _supplied<'py>(&self, py: Python<'py>) -> Vec<(String, Option<Bound<'py, PyBytes>>)> {
        let octets = |octets: &Arc<[u8]>| PyBytes::new(py, octets);
        self.core.supplied().iter().map(|one| (one.uri.to_string(), one.octets.as_ref().map(octets))).collect()
    }

    /// Octets held in memory, the text included.
    #[getter]
    fn _memory(&self) -> usize {
        self.core.memory()
    }

    /// (code, line, column, words, text of the line, octets that it is about) of each problem, in the order of lines.
    fn _problems<'py>(&self, py: Python<'py>) -> Vec<views::Found<'py>> {
        views::problems(py, &self.core)
    }

    /// Every statement: the citation, the crawlers, the purposes, the pattern and the restrictions.
    fn _statements<'py>(&self, py: Python<'py>) -> PyResult<Vec<views::Said<'py>>> {
        views::statements(py, &self.core)
    }

    /// What signals say, in the same form.
    fn _signals<'py>(&self, py: Python<'py>) -> PyResult<Vec<views::Said<'py>>> {
        views::signals(py, &self.core)
    }

    /// Where each line of the text begins, as unsigned 64-bit numbers of the machine's order; the kind of each, an
    /// octet that is a place in a list; and that list, of names.
    fn _outline<'py>(&self, py: Python<'py>) -> PyResult<Outline<'py>> {
        let (starts, kinds, names) = py.detach(|| views::outline(&self.core));
        let view = PyMemoryView::from(&PyBytes::new(py, &starts))?.call_method1("cast", ("Q",))?;
        Ok((view, PyBytes::new(py, &kinds), names))
    }

    /// Every line with a field: `views::Field`.
    fn _fields(&self, py: Python<'_>) -> Vec<views::Field> {
        py.detach(|| views::fields(&self.core))
    }

    /// Whether a line is of one of these kinds.
    fn _has_line(&self, py: Python<'_>, kinds: Vec<String>) -> bool {
        py.detach(|| views::has_line(&self.core, &kinds))
    }

    /// Whether a License line was read: else nobody is told of a licence.
    #[getter]
    fn _has_licences(&self) -> bool {
        self.core.table.licensed
    }

    /// The text that lines are spans of: the octets, or UTF-16 decoded.
    fn _text<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.core.text())
    }

    /// (kind, value, line, column, start, group) of each line of another vocabulary.
    fn _extensions(&self) -> Vec<views::Other> {
        views::extensions(&self.core)
    }

    /// Names of crawlers as written, those of groups before those of records; `*` where any is addressed.
    #[getter]
    fn crawlers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, views::crawlers(&self.core))
    }

    /// Purpose patterns as written.
    #[getter]
    fn purposes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, views::purposes(&self.core))
    }

    /// Usages that only this file knows, or one it refers to.
    #[getter]
    fn unknown_usages<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.core.usages().iter().map(|name| &**name).collect::<Vec<_>>())
    }

    /// The line of `ACAP-ignore-conventional-records`, if the file says so.
    #[getter]
    fn ignores_conventional(&self) -> Option<u32> {
        self.core.acap.as_ref()?.ignore_conventional
    }

    /// (uri, line, missing) of each reference that concerns a crawler.
    fn _references(&self, crawler: &Bound<'_, PyAny>) -> PyResult<Vec<(String, u32, bool)>> {
        let views = question::asker(crawler)?.views(&self.core);
        Ok(views.iter().flat_map(|view| views::references(&self.core, view)).collect())
    }

    /// (URL of the document, line) of each License line that speaks to a crawler, by any name of its User-Agent string.
    fn _licences(&self, crawler: &Bound<'_, PyAny>) -> PyResult<Vec<(String, u32)>> {
        let views = question::asker(crawler)?.views(&self.core);
        let found = views.iter().flat_map(|view| view.licences(&self.core));
        Ok(found.map(|(url, line)| (String::from_utf8_lossy(url).into_owned(), line)).collect())
    }

    /// The same of the control tokens of its operator, beside those, and the usages that the token controls.
    fn _controlled_licences(&self, crawler: &Bound<'_, PyAny>) -> PyResult<Vec<(String, u32, Vec<&'static str>)>> {
        let views = question::asker(crawler)?.views(&self.core);
        let found = views.iter().flat_map(|view| view.controlled_licences(&self.core));
        let named = |usages: &[Usage]| usages.iter().filter_map(|usage| usage.name()).collect();
        let shown = |url: &[u8]| String::from_utf8_lossy(url).into_owned();
        Ok(found.map(|(url, line, usages)| (shown(url), line, named(usages))).collect())
    }

    /// (take-down, path as written, line) of each action request that concerns a crawler.
    fn _action_requests(&self, crawler: &Bound<'_, PyAny>) -> PyResult<Vec<(bool, String, u32)>> {
        let views = question::asker(crawler)?.views(&self.core);
        Ok(views.iter().flat_map(|view| views::requests(&self.core, view)).collect())
    }

    /// (visit windows, rates, delays, comments, rule of thumb) for a crawler.
    fn _politeness(&self, crawler: &Bound<'_, PyAny>) -> PyResult<views::Manners> {
        Ok(views::politeness(&self.core, &question::asker(crawler)?.names))
    }

    /// Builds the index over the rules for a crawler now; a decision builds it when it pays.
    fn _build_index(&self, crawler: &Bound<'_, PyAny>) -> PyResult<()> {
        let asker = question::asker(crawler)?;
        self.core.view(&asker.names).rep.build_index(self.core.text());
        Ok(())
    }

    /// Whether a crawler may crawl a URL, and no more; see `acap.robots.RobotsPolicy`.
    #[pyo3(text_signature = "($self, /, url, crawler)")]
    fn allows(slf: &Bound<'_, Self>, url: &Bound<'_, PyAny>, crawler: &Bound<'_, PyAny>) -> PyResult<bool> {
        let policy = slf.get();
        let octets;
        let url = match url.cast::<PyString>() {
            Ok(text) => text,
            Err(_) => {
                octets = question::url_text(url)?;
                &octets
            }
        };
        let name = crawler.cast::<PyString>().ok();
        // What has no octets, a lone surrogate, is no URL.
        let text = url.to_str().ok();
        if let (Some(text), Some(name), false) = (text, name, policy.for_use) {
            let (name, url) = (name.to_str()?, text.as_bytes());
            if let Some(allowed) = policy.core.allows_at_once(name.as_bytes(), url) {
                return Ok(allowed);
            }
            if let Some(name) = Self::only_name(&policy.core, name)
                && let Ok(rest) = rest_of(&policy.core, url)
                && let Some((outcome, _)) = policy.core.crawl(name, &policy.core.dialect.form.path(rest, url))
            {
                return Ok(outcome == Outcome::Permitted);
            }
        }
        let question = Arc::new(Question::new(crawler, None, None, None)?);
        // What cannot be asked about is not permitted.
        if text.is_none_or(|text| rest_of(&policy.core, text.as_bytes()).is_err()) {
            return Ok(false);
        }
        Ok(Self::decision(Arc::new(Self::asking(slf, url, question, None)?), None)?.permitted())
    }

    /// Decides one question (P1 4, RFC 9309 2.2); see `acap.robots.RobotsPolicy`.
    #[pyo3(
        signature = (url, *, crawler, usage=None, purpose=None, at=None, facts=None),
        text_signature = "($self, /, url, *, crawler, usage='crawl', purpose=None, at=None, facts=None)"
    )]
    fn decide<'py>(
        slf: &Bound<'py, Self>,
        url: &Bound<'py, PyAny>,
        crawler: &Bound<'py, PyAny>,
        usage: Option<&Bound<'py, PyAny>>,
        purpose: Option<&Bound<'py, PyAny>>,
        at: Option<&Bound<'py, PyAny>>,
        facts: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Decision> {
        let octets;
        let url = match url.cast::<PyString>() {
            Ok(text) => text,
            Err(_) => {
                octets = question::url_text(url)?;
                &octets
            }
        };
        // The commonest question by the shortest way: may this crawler crawl, where no ACAP field concerns it?
        if !slf.get().for_use
            && purpose.is_none()
            && at.is_none()
            && facts.is_none()
            && let Ok(name) = crawler.cast::<PyString>()
        {
            let core = &slf.get().core;
            let crawl = match usage {
                None => true,
                Some(usage) => {
                    usage.cast::<PyString>().is_ok_and(|usage| usage.to_str().is_ok_and(|usage| usage == "crawl"))
                }
            };
            if let Some(name) = Self::only_name(core, name.to_str()?).filter(|_| crawl) {
                let text = url.to_str()?;
                let rest = rest_of(core, text.as_bytes()).map_err(|what| question::mistake(core, text, what))?;
                if let Some((outcome, kind)) = core.crawl(name, &core.dialect.form.path(rest, text.as_bytes())) {
                    let quick = Quick {
                        policy: slf.as_any().clone().unbind(),
                        core: core.clone(),
                        url: url.clone().unbind(),
                        crawler: crawler.clone().unbind(),
                        kind,
                    };
                    return Ok(Decision::quick(outcome, quick));
                }
            }
        }
        let question = Arc::new(Question::new(crawler, purpose, at, facts)?);
        Self::decision(Arc::new(Self::asking(slf, url, question, None)?), usage)
    }

    /// The names of the local usages that the file defines, as names are compared.
    fn _local_usages(&self) -> Vec<String> {
        self.core.local_usages()
    }

    /// What local usages stand for that a page names: for each name, with whether it is permitted, whether it is
    /// defined here so that its permissions lift anything, and (usage, permits, qualifiers) of its parts.
    fn _locals(&self, names: Vec<(String, bool)>) -> Vec<(bool, Vec<LocalPart>)> {
        let effect = |permits| if permits { Effect::Permits } else { Effect::Prohibits };
        let names: Vec<_> = names.into_iter().map(|(name, permits)| (name, effect(permits))).collect();
        let part = |(usage, effect, qualifiers)| (usage, effect == Effect::Permits, qualifiers);
        let found = self.core.locals(&names).into_iter();
        found.map(|local| (local.certain, local.parts.into_iter().map(part).collect())).collect()
    }

    /// The usages that a name stands for which the file defines; none if it defines no such name.
    fn _parts_of(&self, name: &str) -> Option<Vec<String>> {
        let parts = self.core.parts_of(&name.to_ascii_lowercase())?;
        Some(parts.into_iter().map(|part| self.core.usage_name(part).to_owned()).collect())
    }

    /// Decides many URLs for one crawler and any number of usages, without the GIL.
    #[pyo3(
        signature = (urls, *, crawler, usage=None, purpose=None, at=None, facts=None, usages=None),
        text_signature = "($self, /, urls, *, crawler, usage='crawl', purpose=None, at=None, facts=None, usages=None)"
    )]
    fn decide_many<'py>(
        slf: &Bound<'py, Self>,
        urls: &Bound<'py, PyAny>,
        crawler: &Bound<'py, PyAny>,
        usage: Option<&Bound<'py, PyAny>>,
        purpose: Option<&Bound<'py, PyAny>>,
        at: Option<&Bound<'py, PyAny>>,
        facts: Option<&Bound<'py, PyAny>>,
        usages: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Decisions> {
        let py = slf.py();
        let core = &slf.get().core;
        let for_use = slf.get().for_use;
        if urls.cast::<PyString>().is_ok() || urls.cast::<PyBytes>().is_ok() {
            return Err(PyTypeError::new_err("urls must be a sequence of URLs, not one URL"));
        }
        let count = urls.len().unwrap_or(0).min(ROOM);
        let mut batch = Urls::with_capacity(count, URL_OCTETS);
        for (place, url) in urls.try_iter()?.enumerate() {
            let url = url?;
            let at_place = |error| question::at_place(py, "urls", place, &error);
            match url.cast::<PyString>() {
                Ok(text) => batch.push(text.to_str().map_err(at_place)?.as_bytes()),
                Err(_) => batch.push(question::url_text(&url).map_err(at_place)?.to_str()?.as_bytes()),
            }
        }
        let asked = Question::new(crawler, purpose, at, facts)?;
        let usages = question::usages(core, question::either(usage, usages)?, &question::Further::new())?;
        let silence = question::silence(core, &asked.asker, &question::Further::new())?;
        let views = asked.asker.views(core);
        let purposes = asked.each_purpose();
        let question = deciding::Question { for_use, ..asked.core(asked.instant(), &silence) };
        let asked = batch::Asked { views: &views, purposes: &purposes, question: &question };
        let rows = py.detach(|| batch::decide(core, &asked, &batch, usages.list())).map_err(
            |(place, what): (usize, Mistake)| {
                let error = question::mistake(core, &String::from_utf8_lossy(batch.get(place).unwrap_or(&[])), what);
                question::at_place(py, "urls", place, &error)
            },
        )?;
        let usages = usages.list().iter().map(|usage| core.usage_name(*usage).to_owned()).collect();
        Ok(Decisions { rows, usages, urls: batch })
    }
}

/// Decides with statements that other readers found about the resource; `excluded` are elements that are left out of
/// what is permitted: usage, and the number by which `locate` knows the element.
#[pyfunction]
#[pyo3(signature = (policy, url, usage, question, statements, excluded=Vec::new()))]
pub(crate) fn decide_with(
    policy: &Bound<'_, Policy>,
    url: &Bound<'_, PyString>,
    usage: &Bound<'_, PyAny>,
    question: &Bound<'_, Prepared>,
    statements: &Bound<'_, Statements>,
    excluded: Vec<(String, u32)>,
) -> PyResult<Decision> {
    let mut asking = Policy::asking(policy, url, question.get().0.clone(), Some(statements))?;
    let further = &asking.addressed.further;
    let left_out = |(name, number): (String, u32)| Some((question::usage_of(&asking.core, &name, further)?, number));
    asking.excluded = excluded.into_iter().filter_map(left_out).collect();
    Policy::decision(Arc::new(asking), Some(usage))
}

/// Decides each of several usages with statements that other readers found.
#[pyfunction]
pub(crate) fn decide_each<'py>(
    policy: &Bound<'py, Policy>,
    url: &Bound<'py, PyString>,
    usages: Vec<Bound<'py, PyAny>>,
    question: &Bound<'_, Prepared>,
    statements: &Bound<'py, Statements>,
) -> PyResult<Vec<Decision>> {
    let asking = Arc::new(Policy::asking(policy, url, question.get().0.clone(), Some(statements))?);
    usages.iter().map(|usage| Policy::decision(asking.clone(), Some(usage))).collect()
}

/// One of many files: its octets or text, perhaps with the URL of its site.
fn file_of<'py>(item: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Option<String>)> {
    let is_text = |data: &Bound<'_, PyAny>| data.is_instance_of::<PyBytes>() || data.is_instance_of::<PyString>();
    if is_text(item) {
        return Ok((item.clone(), None));
    }
    let (data, url) =
        item.extract::<(Bound<'py, PyAny>, Option<String>)>().ok().filter(|(data, _)| is_text(data)).ok_or_else(
            || PyTypeError::new_err("a file is its octets or text, or a tuple of these and a URL or None"),
        )?;
    check_url(url.as_deref())?;
    Ok((data, url))
}

/// The octets of a file. Lone surrogates have none; they are read as the replacement character.
fn octets_of<'a>(data: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
    if let Ok(octets) = data.cast::<PyBytes>() {
        return Ok(Cow::Borrowed(octets.as_bytes()));
    }
    let text = data.cast::<PyString>().map_err(|_| PyTypeError::new_err("robots.txt must be bytes or str"))?;
    Ok(match text.to_string_lossy() {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    })
}

/// Reads many files at once, on as many threads as the machine has processors, without the GIL; and makes an object of
/// each, while others are read.
#[pyfunction]
#[pyo3(signature = (items, make, dialect, limits=None))]
pub(crate) fn read_many<'py>(
    py: Python<'py>,
    items: &Bound<'py, PyAny>,
    make: &Bound<'py, PyAny>,
    dialect: &str,
    limits: Option<LimitNumbers>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let dialect = dialect_of(dialect)?;
    let limits = limits_of(limits);
    if items.is_instance_of::<PyString>() || items.is_instance_of::<PyBytes>() || items.cast::<PyMapping>().is_ok() {
        let text = "items must be a list of files: octets, or tuples of octets and a URL; this is";
        return Err(PyTypeError::new_err(format!("{text} one {}", items.get_type().name()?)));
    }
    let mut given = Vec::new();
    for (place, item) in items.try_iter()?.enumerate() {
        given.push(file_of(&item?).map_err(|error| question::at_place(py, "items", place, &error))?);
    }
    // Each thread copies the octets of its own files.
    let files: Vec<(Cow<'_, [u8]>, Option<&str>)> =
        given.iter().map(|(data, url)| Ok((octets_of(data)?, url.as_deref()))).collect::<PyResult<_>>()?;
    let read = |(octets, url): &(Cow<'_, [u8]>, Option<&str>)| {
        Arc::new(Core::from(Read::read(Arc::from(&**octets), *url, dialect, limits.clone())))
    };
    on_all_processors_and_here(py, &files, read, |core| make.call1((Reading { core, for_use: false },)))
}
