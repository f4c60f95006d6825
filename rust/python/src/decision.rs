//! `Decision`: the outcome at once, the rest when someone asks.

use std::sync::Arc;

use acap_policy::batch::{outcome_code, rest_of};
use acap_policy::decide::{Answer, Kind, Outcome, Question, View, add_new, path_of};
use acap_policy::policy::Policy as Core;
use acap_policy::resolution::{Cite, Held, Key};
use acap_policy::restrictions::Facts;
use acap_policy::usage::{CRAWL, Usage};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::cite::{
    Cited, cite_line, cite_request, cite_signal, cite_statement, conventional_name, source_of, usage_name,
};
use crate::heard::Heard;
use crate::hooks::{Hooks, tuple};
use crate::policy::Policy;
use crate::question::Asked;

/// The version of the semantics that decisions follow; it changes when an answer may.
pub(crate) const SEMANTICS: &str = "3";

/// Whatever was asked beside URL, crawler and crawl.
pub(crate) struct Extra {
    pub(crate) purposes: Vec<Vec<u8>>,
    pub(crate) at: i64,
    pub(crate) facts: Facts,
    pub(crate) honours: Option<Vec<String>>,
    pub(crate) silence: Vec<(Usage, bool)>,
    pub(crate) heard: Arc<Heard>,
    /// Elements that are left out of what is permitted: usage, and the number by which `locate` knows the element.
    pub(crate) excluded: Vec<(Usage, u32)>,
    pub(crate) elements: bool,
    pub(crate) for_use: bool,
    /// Tells line, column and element of a statement's place.
    pub(crate) locate: Option<Py<PyAny>>,
    pub(crate) purpose: Option<Py<PyAny>>,
    pub(crate) instant: Option<Py<PyAny>>,
}

struct Live {
    policy: Py<Policy>,
    url: Py<PyString>,
    crawler: Py<PyAny>,
    view: Arc<View>,
    usages: Asked,
    usage: Option<Py<PyAny>>,
    extra: Arc<Extra>,
    outcome: Outcome,
    kind: Kind,
    stated: bool,
}

/// A decision made elsewhere or earlier: everything is at hand, nothing can be asked again.
struct Kept {
    fields: Py<PyDict>,
    outcome: u8,
}

enum Inner {
    Live(Box<Live>),
    Quick(Quick),
    Kept(Kept),
}

/// The commonest decision, in few words.
struct Quick {
    policy: Py<Policy>,
    url: Py<PyString>,
    crawler: Py<PyAny>,
    view: Arc<View>,
    outcome: Outcome,
    kind: Kind,
    stated: bool,
}

/// The answer to one question. `bool()` of it raises TypeError: ask `.permitted`.
#[pyclass(frozen, module = "acap._native")]
pub(crate) struct Decision {
    inner: Inner,
    /// Worked out when first asked for, once for all threads.
    restrictions: PyOnceLock<Py<PyTuple>>,
    reason: PyOnceLock<Py<PyAny>>,
}

/// Everything an answer says, of all parts and purposes together.
struct Whole {
    outcome: Outcome,
    kind: Kind,
    stated: bool,
    decided: Vec<Cite>,
    lost: Vec<(Cite, Key)>,
    held: Vec<Held>,
    below: Vec<Usage>,
}

/// The restriction that leaves an element out of what is permitted.
const EXCLUDED_ELEMENT: &str = "excluded-element";

static NO_FACTS: Facts =
    Facts { first_indexed: None, first_preserved: None, first_available: None, last_crawled: None };

fn question<'a>(path: &'a [u8], extra: Option<&'a Extra>, purpose: Option<&'a [u8]>) -> Question<'a> {
    match extra {
        None => Question {
            path,
            purpose,
            at: 0,
            facts: &NO_FACTS,
            silence: &[],
            honours: None,
            elsewhere: &[],
            elements: true,
            for_use: false,
        },
        Some(extra) => Question {
            path,
            purpose,
            at: extra.at,
            facts: &extra.facts,
            silence: &extra.silence,
            honours: extra.honours.as_deref(),
            elsewhere: &extra.heard.elsewhere,
            elements: extra.elements,
            for_use: extra.for_use,
        },
    }
}

/// Asks for every usage and purpose and keeps the strictest (section 1).
fn answer(core: &Core, view: &View, path: &[u8], usages: &Asked, extra: Option<&Extra>, trace: bool) -> Whole {
    let list = usages.list();
    let asked: Vec<Option<&[u8]>> = match extra {
        Some(extra) if !extra.purposes.is_empty() => {
            extra.purposes.iter().map(|purpose| Some(purpose.as_slice())).collect()
        }
        _ => vec![None],
    };
    let mut whole = Whole {
        outcome: Outcome::Permitted,
        kind: Kind::Silence,
        stated: false,
        decided: Vec::new(),
        lost: Vec::new(),
        held: Vec::new(),
        below: Vec::new(),
    };
    let mut first = true;
    for usage in list {
        for purpose in &asked {
            let one: Answer = core.answer(view, &question(path, extra, *purpose), *usage, trace);
            let stricter = one.outcome > whole.outcome;
            let better =
                one.outcome == whole.outcome && (first || (whole.kind == Kind::Silence && one.kind != Kind::Silence));
            if stricter {
                whole.decided.clear();
                whole.lost.clear();
            }
            if stricter || better {
                whole.outcome = one.outcome;
                whole.kind = one.kind;
            }
            if one.outcome == whole.outcome {
                for cite in one.decided {
                    if !whole.decided.contains(&cite) {
                        whole.decided.push(cite);
                    }
                }
                for pair in one.lost {
                    if !whole.lost.contains(&pair) {
                        whole.lost.push(pair);
                    }
                }
            }
            whole.stated |= one.stated;
            let part = (list.len() > 1).then_some(*usage);
            add_new(&mut whole.held, one.held.into_iter().map(|held| Held { part, ..held }).collect());
            let excluded = extra.into_iter().flat_map(|extra| &extra.excluded).filter(|(of, _)| of == usage);
            let held = excluded.map(|(_, number)| Held {
                name: EXCLUDED_ELEMENT,
                value: number.to_string().into(),
                part,
                cite: Cite::NothingMatched,
            });
            add_new(&mut whole.held, held.collect());
            first = false;
        }
    }
    if whole.outcome == Outcome::Prohibited {
        whole.held.clear();
    } else if trace {
        for usage in list.iter().flat_map(|usage| usage.below()) {
            let prohibited = asked.iter().any(|purpose| {
                core.answer(view, &question(path, extra, *purpose), usage, false).outcome == Outcome::Prohibited
            });
            if prohibited && !whole.below.contains(&usage) {
                whole.below.push(usage);
            }
        }
    }
    whole
}

impl Decision {
    #[inline]
    fn of(inner: Inner) -> Self {
        Self { inner, restrictions: PyOnceLock::new(), reason: PyOnceLock::new() }
    }

    #[inline]
    pub(crate) fn quick<'py>(
        policy: &Bound<'py, Policy>,
        url: &Bound<'py, PyString>,
        crawler: &Bound<'py, PyAny>,
        view: Arc<View>,
        outcome: Outcome,
        kind: Kind,
        stated: bool,
    ) -> Self {
        let quick = Quick {
            policy: policy.clone().unbind(),
            url: url.clone().unbind(),
            crawler: crawler.clone().unbind(),
            view,
            outcome,
            kind,
            stated,
        };
        Self::of(Inner::Quick(quick))
    }

    #[allow(clippy::too_many_arguments)]
    pub(crate) fn asked<'py>(
        policy: &Bound<'py, Policy>,
        url: &Bound<'py, PyString>,
        crawler: &Bound<'py, PyAny>,
        view: Arc<View>,
        usages: Asked,
        usage: Option<Py<PyAny>>,
        path: &[u8],
        extra: Arc<Extra>,
    ) -> Self {
        let core = &policy.get().core;
        let whole = answer(core, &view, path, &usages, Some(&extra), false);
        let live = Live {
            policy: policy.clone().unbind(),
            url: url.clone().unbind(),
            crawler: crawler.clone().unbind(),
            view,
            usages,
            usage,
            extra,
            outcome: whole.outcome,
            kind: whole.kind,
            stated: whole.stated,
        };
        Self::of(Inner::Live(Box::new(live)))
    }

    fn whole(&self, py: Python<'_>) -> PyResult<Option<Whole>> {
        let (policy, url, view, usages, extra) = match &self.inner {
            Inner::Kept(_) => return Ok(None),
            Inner::Quick(quick) => (&quick.policy, &quick.url, &quick.view, &Asked::One(CRAWL), None),
            Inner::Live(live) => (&live.policy, &live.url, &live.view, &live.usages, Some(&*live.extra)),
        };
        let core = &policy.get().core;
        let text = url.bind(py).to_str()?;
        let Ok(rest) = rest_of(core, text.as_bytes()) else { return Ok(None) };
        let path = path_of(core.dialect, rest, text.as_bytes());
        Ok(Some(answer(core, view, &path, usages, extra, true)))
    }

    fn parts(&self) -> Option<(&Py<Policy>, Option<&Extra>)> {
        match &self.inner {
            Inner::Kept(_) => None,
            Inner::Quick(quick) => Some((&quick.policy, None)),
            Inner::Live(live) => Some((&live.policy, Some(&*live.extra))),
        }
    }

    fn cited(py: Python<'_>, core: &Core, extra: Option<&Extra>, cite: Cite) -> PyResult<Cited> {
        let nothing = || {
            (
                Some(source_of(core)),
                None,
                None,
                None,
                None,
                String::new(),
                "prohibits",
                "crawl".to_owned(),
                conventional_name(core.dialect).to_owned(),
            )
        };
        Ok(match cite {
            Cite::Line(place) => match core.table.entries.get(place as usize) {
                Some(entry) => {
                    // An empty Disallow permits; one that a limit cut, and any other line, prohibits.
                    let permits = match entry.kind {
                        acap_policy::lines::Kind::Allow => true,
                        acap_policy::lines::Kind::Disallow => entry.len == 0 && !entry.is_cut(),
                        _ => false,
                    };
                    let effect = if permits { "permits" } else { "prohibits" };
                    let (usage, dialect) = match entry.kind {
                        acap_policy::lines::Kind::Acap => ("", "acap"),
                        _ => ("crawl", conventional_name(core.dialect)),
                    };
                    cite_line(core, entry.line, entry.start, effect, usage, dialect)
                }
                None => nothing(),
            },
            Cite::Statement { file, place, usage, effect } => {
                cite_statement(core, file, place, usage, effect).unwrap_or_else(nothing)
            }
            Cite::Reference(place) => {
                let found = core.acap.as_ref().and_then(|file| file.references.get(place as usize));
                match found {
                    Some(reference) => cite_line(core, reference.line, reference.start, "prohibits", "", "acap"),
                    None => nothing(),
                }
            }
            Cite::Request { file, place } => cite_request(core, file, place).unwrap_or_else(nothing),
            Cite::Signal { entry, usage, outcome } => match core.table.entries.get(entry as usize) {
                Some(entry) => cite_signal(core, entry, usage, outcome),
                None => nothing(),
            },
            Cite::NothingMatched => nothing(),
            Cite::Elsewhere(place) => match extra.and_then(|extra| extra.heard.cited.get(place as usize)) {
                Some(statement) => {
                    let one = statement.get();
                    let effect = match one.outcome.as_str() {
                        _ if extra.is_some_and(|extra| !extra.elements && one.is_element()) => "prohibits",
                        "permitted" => "permits",
                        "conditional" => "conditional",
                        _ => "prohibits",
                    };
                    let locate = extra.and_then(|extra| extra.locate.as_ref());
                    let (line, column, element) = one.whereabouts(py, locate)?;
                    (
                        one.source.clone(),
                        line,
                        column,
                        element,
                        one.header.clone(),
                        one.text.clone(),
                        effect,
                        one.usage.clone(),
                        one.dialect.clone(),
                    )
                }
                None => nothing(),
            },
        })
    }

    fn kept<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        match &self.inner {
            Inner::Kept(kept) => kept.fields.bind(py).get_item(name),
            _ => Ok(None),
        }
    }

    fn restricted<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        if let Some(kept) = self.kept(py, "restrictions")? {
            return Ok(kept.cast_into::<PyTuple>()?);
        }
        let make = Hooks::get(py)?.restriction.bind(py);
        let Some((policy, extra)) = self.parts() else { return tuple(py, Vec::new()) };
        let core = &policy.get().core;
        let name = |part: Usage| match extra {
            Some(extra) => usage_name(core, &extra.heard.further, part),
            None => core.usage_name(part).to_owned(),
        };
        let held = self.whole(py)?.map(|whole| whole.held).unwrap_or_default();
        let locate = extra.and_then(|extra| extra.locate.as_ref()).map(|locate| locate.bind(py));
        let value = |held: &Held| -> PyResult<String> {
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
        let Some((policy, extra)) = self.parts() else { return Ok(py.None()) };
        let core = &policy.get().core;
        let Some(whole) = self.whole(py)? else { return Ok(py.None()) };
        let decided: Vec<Cited> =
            whole.decided.iter().map(|cite| Self::cited(py, core, extra, *cite)).collect::<PyResult<_>>()?;
        let lost = |(cite, key): &(Cite, Key)| Ok((Self::cited(py, core, extra, *cite)?, key.name()));
        let lost: Vec<(Cited, &'static str)> = whole.lost.iter().map(lost).collect::<PyResult<_>>()?;
        let below: Vec<String> = whole.below.iter().map(|usage| core.usage_name(*usage).to_owned()).collect();
        Ok(make.call1((whole.kind.name(), decided, lost, below, core.is_cut()))?.unbind())
    }
}

#[pymethods]
impl Decision {
    #[getter]
    fn outcome(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Hooks::outcome(
            py,
            match &self.inner {
                Inner::Quick(quick) => outcome_code(quick.outcome),
                Inner::Live(live) => outcome_code(live.outcome),
                Inner::Kept(kept) => kept.outcome,
            },
        )
    }

    #[getter]
    fn permitted(&self) -> bool {
        match &self.inner {
            Inner::Quick(quick) => quick.outcome == Outcome::Permitted,
            Inner::Live(live) => live.outcome == Outcome::Permitted,
            Inner::Kept(kept) => kept.outcome == 0,
        }
    }

    #[getter]
    fn stated(&self, py: Python<'_>) -> PyResult<bool> {
        match &self.inner {
            Inner::Quick(quick) => Ok(quick.stated),
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

    #[getter]
    fn url<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(match &self.inner {
            Inner::Quick(quick) => Some(quick.url.bind(py).clone().into_any()),
            Inner::Live(live) => Some(live.url.bind(py).clone().into_any()),
            Inner::Kept(_) => self.kept(py, "url")?,
        })
    }

    #[getter]
    fn crawler<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(match &self.inner {
            Inner::Quick(quick) => Some(quick.crawler.bind(py).clone()),
            Inner::Live(live) => Some(live.crawler.bind(py).clone()),
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
            Inner::Live(live) => live.extra.purpose.as_ref().map(|purpose| purpose.bind(py).clone()),
            Inner::Kept(_) => self.kept(py, "purpose")?.filter(|value| !value.is_none()),
        })
    }

    /// The instant asked about; none if it was left to be now.
    #[getter]
    fn at<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(match &self.inner {
            Inner::Quick(_) => None,
            Inner::Live(live) => live.extra.instant.as_ref().map(|at| at.bind(py).clone()),
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
    fn policy(&self, py: Python<'_>) -> Option<Py<Policy>> {
        self.parts().map(|(policy, _)| policy.clone_ref(py))
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err("a Decision is neither true nor false; ask for .permitted"))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let outcome: String = self.outcome(py)?.bind(py).str()?.extract()?;
        let usage =
            self.usage(py)?.map(|usage| usage.str().map(|text| text.to_string())).transpose()?.unwrap_or_default();
        let url = self.url(py)?.map(|url| url.str().map(|text| text.to_string())).transpose()?.unwrap_or_default();
        Ok(format!("<Decision {outcome}: {usage} {url}>"))
    }

    /// (name, value, statement) of each restriction: which statement it is from. Of a decision made elsewhere what was
    /// kept with it.
    fn _held<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let nothing = || PyList::empty(py).into_any();
        let Some((policy, extra)) = self.parts() else { return Ok(self.kept(py, "held")?.unwrap_or_else(nothing)) };
        let core = &policy.get().core;
        let held = self.whole(py)?.map(|whole| whole.held).unwrap_or_default();
        let told = |one: &Held| Ok((one.name, one.value.to_string(), Self::cited(py, core, extra, one.cite)?));
        let told: Vec<(&str, String, Cited)> = held.iter().map(told).collect::<PyResult<_>>()?;
        Ok(told.into_pyobject(py)?.into_any())
    }

    fn _fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        if let Inner::Kept(kept) = &self.inner {
            return kept.fields.bind(py).copy();
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
        let outcome = fields.get_item("outcome")?;
        let mut code = 2;
        for candidate in 0..3u8 {
            let member = Hooks::outcome(py, candidate)?;
            if outcome.as_ref().is_some_and(|outcome| member.bind(py).eq(outcome).unwrap_or(false)) {
                code = candidate;
            }
        }
        Ok(Self::of(Inner::Kept(Kept { fields: fields.unbind(), outcome: code })))
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
