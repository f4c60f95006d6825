//! Statements that other readers found: pages, headers, other dialects.

use std::sync::Arc;

use acap_policy::deciding::{Elsewhere, signal_dialect};
use acap_policy::reading::octets::leading_name;
use acap_policy::reading::signals::Vocabulary;
use acap_policy::reading::usage::{OTHER, UNNUMBERED, Usage};
use acap_policy::reading::{Carrier, Dialect, Firm, Outcome, Part, Purpose, Restriction, meant, qualifier};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Line, column, element.
type Whereabouts = (Option<u32>, Option<u32>, Option<String>);

/// One statement about the resource asked for.
///
/// `dialect` "acap" joins the robots.txt in one verdict; statements of any other dialect are resolved by themselves,
/// the most restrictive standing, and combined with the rest (prohibited over conditional over permitted over silent).
///
/// `crawler` is whom it is addressed to, none for any; to others it says nothing. `depth` is how deep an element lies
/// among the elements that say something: the deeper counts first. `yields`: it gives way to ACAP in the same page. A
/// permission without `lifts` says nothing but what it restricts. A `firm` prohibition stands in the place of a
/// permission that cannot be interpreted, and none of its tier lifts it. Whom a `doubted` one addresses, or for which
/// purpose, is unknown: nothing lifts it at all, nor ACAP in a `header`. `place` is a kind and a number by which
/// whoever made it can tell line and column later. `condition` is what would satisfy a conditional statement.
/// Of one dialect that is not ACAP only statements of the greatest `rank` count: later carriers replace earlier ones; and
/// an `exact` one speaks of its usage alone, and of none below that.
#[pyclass(frozen, module = "acap._native")]
#[derive(Clone)]
pub(crate) struct Statement {
    #[pyo3(get)]
    pub(crate) dialect: String,
    #[pyo3(get)]
    pub(crate) usage: String,
    #[pyo3(get)]
    pub(crate) outcome: String,
    #[pyo3(get)]
    pub(crate) crawler: Option<String>,
    #[pyo3(get)]
    named: bool,
    #[pyo3(get)]
    purpose: Option<String>,
    #[pyo3(get)]
    part: String,
    #[pyo3(get)]
    depth: u32,
    #[pyo3(get)]
    yields: bool,
    #[pyo3(get)]
    lifts: bool,
    #[pyo3(get)]
    firm: bool,
    #[pyo3(get)]
    doubted: bool,
    #[pyo3(get)]
    restrictions: Vec<(String, String)>,
    #[pyo3(get)]
    pub(crate) source: Option<String>,
    #[pyo3(get)]
    line: Option<u32>,
    #[pyo3(get)]
    column: Option<u32>,
    #[pyo3(get)]
    pub(crate) element: Option<String>,
    #[pyo3(get)]
    pub(crate) header: Option<String>,
    #[pyo3(get)]
    pub(crate) text: String,
    pub(crate) condition: Option<Arc<Py<PyAny>>>,
    #[pyo3(get)]
    rank: u32,
    #[pyo3(get)]
    exact: bool,
    outcome_value: Outcome,
    part_value: Part,
    restriction_values: Vec<Restriction>,
    #[pyo3(get)]
    pub(crate) place: Option<(String, u32)>,
}

#[pymethods]
impl Statement {
    #[new]
    #[pyo3(signature = (*, dialect, usage, outcome, crawler=None, named=false, purpose=None, part="page", depth=0, yields=false, lifts=true, firm=false, doubted=false, restrictions=Vec::new(), source=None, line=None, column=None, element=None, header=None, text=String::new(), place=None, condition=None, rank=0, exact=false))]
    #[allow(clippy::too_many_arguments)] // a keyword for each field of the class
    fn new(
        dialect: String,
        usage: String,
        outcome: String,
        crawler: Option<String>,
        named: bool,
        purpose: Option<String>,
        part: &str,
        depth: u32,
        yields: bool,
        lifts: bool,
        firm: bool,
        doubted: bool,
        restrictions: Vec<(String, String)>,
        source: Option<String>,
        line: Option<u32>,
        column: Option<u32>,
        element: Option<String>,
        header: Option<String>,
        text: String,
        place: Option<(String, u32)>,
        condition: Option<Py<PyAny>>,
        rank: u32,
        exact: bool,
    ) -> PyResult<Self> {
        let mut outcome_value = match outcome.as_str() {
            "permitted" => Outcome::Permitted,
            "conditional" => Outcome::Conditional,
            "prohibited" => Outcome::Prohibited,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "outcome `{outcome}` is none of permitted, conditional, prohibited"
                )));
            }
        };
        let lower = usage.to_lowercase();
        // Readers of ACAP state local usages as they are written, and guess at their slips themselves.
        if dialect != "acap" && Usage::known(&lower).or_else(|| Usage::of_plural(&lower)).is_none() {
            let meant = meant(&lower);
            if !meant.is_empty() {
                return Err(PyValueError::new_err(format!(
                    "unknown usage `{usage}`; did you mean `{}`?",
                    meant.join("`, `")
                )));
            }
        }
        let part_value = match part {
            "element" => Part::Element(u32::MAX - depth),
            "page" if dialect == "acap" && header.is_some() => Part::Header,
            "page" => Part::Page,
            "site" => Part::Site,
            _ => return Err(PyValueError::new_err(format!("part `{part}` is none of element, page, site"))),
        };
        let setting = Carrier { page: true, sets: true, others: dialect != "acap" };
        let mut restriction_values = Vec::new();
        for (name, value) in &restrictions {
            match qualifier(name, value, setting) {
                Ok(reading) => restriction_values.push(reading.restriction),
                // A qualifier that cannot be interpreted prohibits (P2 2.2.6).
                Err(_) => outcome_value = Outcome::Prohibited,
            }
        }
        let part = part.to_owned();
        Ok(Self {
            dialect,
            usage,
            crawler,
            named,
            purpose,
            part,
            depth,
            yields,
            lifts,
            firm: firm || (outcome_value == Outcome::Prohibited && outcome == "permitted"),
            doubted,
            restrictions,
            source,
            line,
            column,
            element,
            header,
            text,
            outcome,
            outcome_value,
            part_value,
            restriction_values,
            place,
            condition: condition.map(Arc::new),
            rank,
            exact,
        })
    }

    /// What would satisfy it, an `acap.Condition`; none where nothing has to be obtained, or it is unknown what.
    #[getter]
    fn condition(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.condition.as_ref().map(|condition| condition.clone_ref(py))
    }

    fn __repr__(&self) -> String {
        format!("<Statement {} {} {} {:?}>", self.dialect, self.outcome, self.usage, self.text)
    }
}

/// A statement with its line, column and element.
#[pyfunction]
pub(crate) fn located(
    statement: &Statement,
    line: Option<u32>,
    column: Option<u32>,
    element: Option<String>,
) -> Statement {
    Statement { line, column, element, ..statement.clone() }
}

/// The same statement of a source, or of none.
#[pyfunction]
pub(crate) fn of_source(statement: &Statement, source: Option<String>) -> Statement {
    Statement { source, ..statement.clone() }
}

/// What a conditional statement says to whoever has satisfied its condition.
#[pyfunction]
pub(crate) fn satisfied(statement: &Statement) -> Statement {
    let (outcome, outcome_value) = ("permitted".to_owned(), Outcome::Permitted);
    Statement { outcome, outcome_value, condition: None, ..statement.clone() }
}

/// What a statement says where it is unknown whether it stands in a page (semantics, section 7): it lifts nothing,
/// and gives way to nothing. What an element permits stays the element's; all else is the page's.
#[pyfunction]
pub(crate) fn of_open_page(statement: &Statement) -> Statement {
    let open = Statement { depth: 0, yields: false, lifts: false, place: None, ..statement.clone() };
    if !statement.is_element() {
        return open;
    }
    if statement.outcome == "permitted" {
        return Statement { restrictions: Vec::new(), restriction_values: Vec::new(), ..open };
    }
    Statement { part: "page".to_owned(), part_value: Part::Page, ..open }
}

impl Statement {
    /// The core's form; `dialects` numbers the names as they come, from 1; 0 is ACAP.
    ///
    /// A usage without a number can't be asked for; its prohibition is one of `other`.
    pub(crate) fn elsewhere(&self, to: Addressed, usage: Option<Usage>, dialects: &mut Vec<String>) -> Elsewhere {
        let nobodys = if self.outcome_value == Outcome::Permitted { UNNUMBERED } else { OTHER };
        let dialect = if self.dialect == "acap" {
            0
        } else if let Some(vocabulary) = Vocabulary::ALL.into_iter().find(|one| one.dialect() == self.dialect) {
            signal_dialect(vocabulary)
        } else {
            // One vocabulary, wherever it stands: of several values the strictest counts.
            let name = if matches!(&*self.dialect, "robots-meta" | "x-robots-tag") { "robots" } else { &*self.dialect };
            let place = dialects.iter().position(|known| known == name).unwrap_or_else(|| {
                dialects.push(name.to_owned());
                dialects.len() - 1
            });
            u32::try_from(place + 1).unwrap_or(u32::MAX)
        };
        Elsewhere {
            dialect,
            outcome: self.outcome_value,
            usage: usage.unwrap_or(nobodys),
            named: to != Addressed::All,
            purpose: self.purpose.as_deref().map(|purpose| Purpose::new(purpose, 0)),
            part: self.part_value,
            restrictions: self.restriction_values.clone().into_boxed_slice(),
            lifts: self.lifts && to != Addressed::ByOther,
            firm: match (self.doubted || to == Addressed::ByOther, self.firm) {
                (true, _) => Firm::Always,
                (false, true) => Firm::InTier,
                (false, false) => Firm::No,
            },
            yields: self.yields && to != Addressed::ByOther,
            rank: self.rank,
            exact: self.exact,
        }
    }

    pub(crate) fn is_element(&self) -> bool {
        self.part_value.is_element()
    }

    /// Whether one name is chosen among a crawler's; what only takes away counts under every name.
    fn is_chosen(&self) -> bool {
        self.dialect == "acap" && self.part_value != Part::Header
    }

    fn addresses(&self, name: &str) -> bool {
        let Some(written) = self.crawler.as_deref() else { return false };
        // ACAP knows names alone.
        if self.is_chosen() {
            is_name(written, name)
        } else {
            Dialect::AUTO.agents.address(written.as_bytes(), name.as_bytes())
        }
    }

    /// Line, column and element, worked out if they were not given.
    pub(crate) fn whereabouts(&self, py: Python<'_>, locate: Option<&Py<PyAny>>) -> PyResult<Whereabouts> {
        match (&self.place, locate, self.line) {
            (Some((kind, number)), Some(locate), None) => locate.call1(py, (kind, number))?.extract(py),
            _ => Ok((self.line, self.column, self.element.clone())),
        }
    }
}

/// Whether what is written for a crawler names it: a name is a leading run of `[A-Za-z0-9._-]` (semantics, section 4).
fn is_name(written: &str, name: &str) -> bool {
    leading_name(written.as_bytes()).eq_ignore_ascii_case(name.as_bytes())
}

/// How a statement is addressed to a crawler.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Addressed {
    /// To any.
    All,
    ByName,
    /// By a further name of its User-Agent string: it takes away, and lifts nothing.
    ByOther,
}

/// The statements that are addressed to a crawler of these names, or of one of `others`, and how each is.
///
/// Of ACAP's the first name counts that any of them names, or that is among `crawlers`; of other dialects, and of ACAP
/// in a header, every name does, for there negatives add up (our choice).
pub(crate) fn addressed<'s>(
    statements: &'s [Py<Statement>],
    crawlers: &[String],
    names: &[String],
    others: &[String],
) -> Vec<(&'s Py<Statement>, Addressed)> {
    let first = names.iter().find(|name| {
        crawlers.iter().any(|written| is_name(written, name))
            || statements.iter().any(|one| one.get().is_chosen() && one.get().addresses(name))
    });
    let how = |one: &Statement| match &one.crawler {
        None if one.named => Some(Addressed::ByName),
        None => Some(Addressed::All),
        Some(_) if one.is_chosen() && first.is_some_and(|name| one.addresses(name)) => Some(Addressed::ByName),
        Some(_) if !one.is_chosen() && names.iter().any(|name| one.addresses(name)) => Some(Addressed::ByName),
        Some(_) => others.iter().any(|name| one.addresses(name)).then_some(Addressed::ByOther),
    };
    statements.iter().filter_map(|one| how(one.get()).map(|how| (one, how))).collect()
}
