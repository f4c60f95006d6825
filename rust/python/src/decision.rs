//! `Decision`: the outcome at once, the rest when someone asks.

use std::sync::Arc;

use acap_policy::deciding::batch::{outcome_code, rest_of};
use acap_policy::deciding::{self, Cite, CitedRestriction, Key, Kind, Viewed as Core};
use acap_policy::reading::usage::{CRAWL, Usage};
use acap_policy::reading::{Outcome, name_of};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};

use crate::asking::{Asking, EXCLUDED_ELEMENT, Whole, answer};
use crate::cite::{Cited, cited, usage_name};
use crate::hooks::{Hooks, tuple};
use crate::question::{Usages, WITHOUT_PURPOSE};

/// The version of the semantics that decisions follow; it changes when an answer may.
pub(crate) const SEMANTICS: &str = "3";

/// The answer to one question. `bool()` of it raises TypeError: ask `.permitted`.
#[pyclass(frozen, module = "acap._native")]
pub(crate) struct Decision {
    outcome: Outcome,
    inner: Inner,
    /// Worked out when first asked for, once for all threads.
    restrictions: PyOnceLock<Py<PyTuple>>,
    reason: PyOnceLock<Py<PyAny>>,
}

enum Inner {
    Quick(Quick),
    Live(Live),
    /// The fields of a decision made elsewhere or earlier: everything is at hand, nothing can be asked again.
    Kept(Py<PyDict>),
}

/// The commonest decision, in few words: on crawl, for a crawler of one name.
pub(crate) struct Quick {
    pub(crate) policy: Py<PyAny>,
    pub(crate) core: Arc<Core>,
    pub(crate) url: Py<PyString>,
    pub(crate) crawler: Py<PyAny>,
    pub(crate) kind: Kind,
}

struct Live {
    asking: Arc<Asking>,
    usages: Usages,
    /// As it was given; none for crawl.
    usage: Option<Py<PyAny>>,
    kind: Kind,
    stated: bool,
}

impl Decision {
    #[inline]
    fn of(outcome: Outcome, inner: Inner) -> Self {
        Self { outcome, inner, restrictions: PyOnceLock::new(), reason: PyOnceLock::new() }
    }

    #[inline]
    pub(crate) fn quick(outcome: Outcome, quick: Quick) -> Self {
        Self::of(outcome, Inner::Quick(quick))
    }

    pub(crate) fn new(asking: Arc<Asking>, usages: Usages, usage: Option<Py<PyAny>>) -> Self {
        let Whole { outcome, kind, stated, .. } = asking.answer(usages.list(), false);
        Self::of(outcome, Inner::Live(Live { asking, usages, usage, kind, stated }))
    }

    fn whole(&self, py: Python<'_>, trace: bool) -> PyResult<Option<Whole>> {
        match &self.inner {
            Inner::Kept(_) => Ok(None),
            Inner::Live(live) => Ok(Some(live.asking.answer(live.usages.list(), trace))),
            Inner::Quick(Quick { core, url, crawler, .. }) => {
                let text = url.bind(py).to_str()?.as_bytes();
                let Some(name) = name_of(crawler.bind(py).cast::<PyString>()?.to_str()?) else { return Ok(None) };
                let Ok(rest) = rest_of(core, text) else { return Ok(None) };
                let path = core.dialect.form.path(rest, text);
                Ok(Some(answer(
                    core,
                    &[core.view(&[name])],
                    &deciding::Question::about(&path),
                    WITHOUT_PURPOSE,
                    &[CRAWL],
                    &[],
                    trace,
                )))
            }
        }
    }

    /// The policy's core, and the question if it was no quick one.
    fn parts(&self) -> Option<(&Core, Option<&Asking>)> {
        match &self.inner {
            Inner::Kept(_) => None,
            Inner::Quick(quick) => Some((&quick.core, None)),
            Inner::Live(live) => Some((&live.asking.core, Some(&live.asking))),
        }
    }

    fn kept<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        match &self.inner {
            Inner::Kept(fields) => fields.bind(py).get_item(name),
            _ => Ok(None),
        }
    }

    fn restricted<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        if let Some(kept) = self.kept(py, "restrictions")? {
            return Ok(kept.cast_into::<PyTuple>()?);
        }
        if self.outcome == Outcome::Prohibited {
            return tuple(py, Vec::new());
        }
        let make = Hooks::get(py)?.restriction.bind(py);
        let Some((core, asking)) = self.parts() else { return tuple(py, Vec::new()) };
        let name = |part: Usage| match asking {
            Some(asking) => usage_name(core, &asking.addressed.further, part),
            None => core.usage_name(part).to_owned(),
        };
        let held = self.whole(py, false)?.map(|whole| whole.restrictions).unwrap_or_default();
        let locate = asking.and_then(|asking| asking.locate.as_ref()).map(|locate| locate.bind(py));
        let value = |held: &CitedRestriction| -> PyResult<String> {
            match (locate, held.value.parse::<u32>()) {
                (Some(locate), Ok(number)) if held.name == EXCLUDED_ELEMENT => {
                    locate.call1(("locator", number))?.get_item(2)?.extract()
                }
                _ => Ok(held.value.to_string()),
            }
        };
        let made = held
            .iter()
            .map(|held| make.call1((held.name, value(held)?, held.part.map(name))))
            .collect::<PyResult<Vec<_>>>()?;
        tuple(py, made)
    }

    fn reasoned(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if let Some(kept) = self.kept(py, "reason")? {
            return Ok(kept.unbind());
        }
        let make = Hooks::get(py)?.reason.bind(py);
        let Some((core, asking)) = self.parts() else { return Ok(py.None()) };
        let Some(whole) = self.whole(py, true)? else { return Ok(py.None()) };
        let decided: Vec<Cited> =
            whole.decided.iter().map(|cite| cited(py, core, asking, *cite)).collect::<PyResult<_>>()?;
        let lost = |(cite, key): &(Cite, Key)| Ok((cited(py, core, asking, *cite)?, key.name()));
        let lost: Vec<(Cited, &'static str)> = whole.lost.iter().map(lost).collect::<PyResult<_>>()?;
        let below: Vec<String> = whole.below.iter().map(|usage| core.usage_name(*usage).to_owned()).collect();
        Ok(make.call1((whole.kind.name(), decided, lost, below, core.is_cut()))?.unbind())
    }
}

#[pymethods]
impl Decision {
    #[getter]
    fn outcome(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Hooks::outcome(py, outcome_code(self.outcome))
    }

    #[getter]
    pub(crate) fn permitted(&self) -> bool {
        self.outcome == Outcome::Permitted
    }

    #[getter]
    fn stated(&self, py: Python<'_>) -> PyResult<bool> {
        match &self.inner {
            Inner::Quick(quick) => Ok(quick.kind == Kind::Statement),
            Inner::Live(live) => Ok(live.stated),
            Inner::Kept(_) => self.kept(py, "stated")?.map_or(Ok(false), |value| value.extract()),
        }
    }

    /// The kind of reason, without building the reason.
    #[getter]
    fn kind<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.inner {
            Inner::Quick(quick) => Ok(PyString::new(py, quick.kind.name()).into_any()),
            Inner::Live(live) => Ok(PyString::new(py, live.kind.name()).into_any()),
            Inner::Kept(_) => Ok(self.reason(py)?.bind(py).getattr("kind")?),
        }
    }

    #[getter]
    fn restrictions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let made = self.restrictions.get_or_try_init(py, || self.restricted(py).map(Bound::unbind))?;
        Ok(made.bind(py).clone())
    }

    #[getter]
    fn reason(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.reason.get_or_try_init(py, || self.reasoned(py))?.clone_ref(py))
    }

    /// What would satisfy the conditions of a conditional decision, each once; empty where there is none to satisfy.
    #[getter]
    fn conditions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let mut out: Vec<Bound<'py, PyAny>> = Vec::new();
        if self.outcome == Outcome::Conditional {
            for cited in self.reason(py)?.bind(py).getattr("decided_by")?.try_iter()? {
                let condition = cited?.getattr("condition")?;
                if !condition.is_none() && !out.iter().any(|known| known.eq(&condition).unwrap_or(false)) {
                    out.push(condition);
                }
            }
        }
        tuple(py, out)
    }

    #[getter]
    fn url<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(match &self.inner {
            Inner::Quick(quick) => Some(quick.url.bind(py).clone().into_any()),
            Inner::Live(live) => Some(live.asking.url.bind(py).clone().into_any()),
            Inner::Kept(_) => self.kept(py, "url")?,
        })
    }

    #[getter]
    fn crawler<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(match &self.inner {
            Inner::Quick(quick) => Some(quick.crawler.bind(py).clone()),
            Inner::Live(live) => Some(live.asking.question.crawler.bind(py).clone()),
            Inner::Kept(_) => self.kept(py, "crawler")?,
        })
    }

    #[getter]
    fn usage<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let crawl = || PyString::new(py, "crawl").into_any();
        Ok(match &self.inner {
            Inner::Quick(_) => Some(crawl()),
            Inner::Live(live) => {
                let usage = live.usage.as_ref();
                Some(usage.map_or_else(crawl, |usage| usage.bind(py).clone()))
            }
            Inner::Kept(_) => self.kept(py, "usage")?,
        })
    }

    #[getter]
    fn purpose<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(match &self.inner {
            Inner::Quick(_) => None,
            Inner::Live(live) => live.asking.question.purpose.as_ref().map(|purpose| purpose.bind(py).clone()),
            Inner::Kept(_) => self.kept(py, "purpose")?.filter(|value| !value.is_none()),
        })
    }

    /// The instant asked about; none if it was left to be now.
    #[getter]
    fn at<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(match &self.inner {
            Inner::Quick(_) => None,
            Inner::Live(live) => live.asking.question.at.as_ref().map(|at| at.bind(py).clone()),
            Inner::Kept(_) => self.kept(py, "at")?.filter(|value| !value.is_none()),
        })
    }

    /// The version of the semantics that it follows.
    #[getter]
    fn semantics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.kept(py, "semantics")?.unwrap_or_else(|| PyString::new(py, SEMANTICS).into_any()))
    }

    /// The policy that decided; none once the decision has been pickled.
    #[getter]
    fn policy(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        match &self.inner {
            Inner::Quick(quick) => Some(quick.policy.clone_ref(py)),
            Inner::Live(live) => Some(live.asking.policy.clone_ref(py)),
            Inner::Kept(_) => None,
        }
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err("a Decision is neither true nor false; ask for .permitted"))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        slf.py().import("acap.explain")?.getattr("brief")?.call1((slf,))?.extract()
    }

    /// The decision of types that `json.dumps` takes.
    fn to_json<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("acap.schema")?.getattr("decision_to_json")?.call1((slf,))
    }

    /// The restrictions of one class.
    fn limits<'py>(&self, py: Python<'py>, kind: &Bound<'py, PyType>) -> PyResult<Bound<'py, PyTuple>> {
        let mut out = Vec::new();
        for one in self.restrictions(py)? {
            if one.is_instance(kind)? {
                out.push(one);
            }
        }
        tuple(py, out)
    }

    /// HTML for notebooks.
    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        slf.py().import("acap.notebook")?.getattr("html_of")?.call1((slf,))?.extract()
    }

    /// (name, value, statement) of each restriction: which statement it is from. Of a decision made elsewhere what was
    /// kept with it.
    fn _held<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let nothing = || PyList::empty(py).into_any();
        let Some((core, asking)) = self.parts() else { return Ok(self.kept(py, "held")?.unwrap_or_else(nothing)) };
        let held = self.whole(py, false)?.map(|whole| whole.restrictions).unwrap_or_default();
        let list = |one: &CitedRestriction| Ok((one.name, one.value.to_string(), cited(py, core, asking, one.cite)?));
        let list: Vec<(&str, String, Cited)> = held.iter().map(list).collect::<PyResult<_>>()?;
        Ok(list.into_pyobject(py)?.into_any())
    }

    /// The first statement that decided, if one did, whether there are restrictions, and the usages below that are
    /// prohibited, without building the reason; none of a decision made elsewhere.
    fn _first(&self, py: Python<'_>) -> PyResult<Option<(Option<Cited>, bool, Vec<String>)>> {
        let (Some((core, asking)), Some(whole)) = (self.parts(), self.whole(py, true)?) else { return Ok(None) };
        let first = whole.decided.first().map(|cite| cited(py, core, asking, *cite)).transpose()?;
        let is_restricted = self.outcome != Outcome::Prohibited && !whole.restrictions.is_empty();
        let below = whole.below.iter().map(|usage| core.usage_name(*usage).to_owned()).collect();
        Ok(Some((first, is_restricted, below)))
    }

    fn _fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        if let Inner::Kept(fields) = &self.inner {
            return fields.bind(py).copy();
        }
        let out = PyDict::new(py);
        out.set_item("outcome", self.outcome(py)?)?;
        out.set_item("stated", self.stated(py)?)?;
        out.set_item("restrictions", self.restrictions(py)?)?;
        out.set_item("reason", self.reason(py)?)?;
        out.set_item("url", self.url(py)?)?;
        out.set_item("crawler", self.crawler(py)?)?;
        out.set_item("usage", self.usage(py)?)?;
        out.set_item("purpose", self.purpose(py)?)?;
        out.set_item("at", self.at(py)?)?;
        out.set_item("semantics", SEMANTICS)?;
        Ok(out)
    }

    /// A decision from the fields of another.
    #[staticmethod]
    fn _kept(py: Python<'_>, fields: Bound<'_, PyDict>) -> PyResult<Self> {
        let given = fields.get_item("outcome")?;
        let mut outcome = Outcome::Prohibited;
        for candidate in [Outcome::Permitted, Outcome::Conditional] {
            let member = Hooks::outcome(py, outcome_code(candidate))?;
            if given.as_ref().is_some_and(|given| member.bind(py).eq(given).unwrap_or(false)) {
                outcome = candidate;
            }
        }
        Ok(Self::of(outcome, Inner::Kept(fields.unbind())))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Py<PyAny>, (Bound<'py, PyDict>,))> {
        Ok((Hooks::get(py)?.restore.clone_ref(py), (self._fields(py)?,)))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        match other.cast::<Decision>() {
            Ok(other) => self._fields(py)?.eq(other.get()._fields(py)?),
            Err(_) => Ok(false),
        }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        let url = self.url(py)?.map_or(Ok(0), |url| url.hash())?;
        Ok(url ^ isize::from(self.permitted()))
    }
}
