//! Statements that other readers found: pages, headers, other dialects.

use acap_policy::decide::{Elsewhere, Outcome};
use acap_policy::restrictions::{self, Restriction, Setting};
use acap_policy::statement::{Part, Purpose};
use acap_policy::usage::{OTHER, Usage};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// One statement about the resource asked for.
///
/// `dialect` "acap" joins the robots.txt in one verdict; statements of any other dialect are resolved by themselves, the
/// most restrictive standing, and combined with the rest (prohibited over conditional over permitted over silent).
#[pyclass(frozen, module = "acap._native")]
pub(crate) struct Statement {
    #[pyo3(get)]
    pub(crate) dialect: String,
    #[pyo3(get)]
    pub(crate) usage: String,
    #[pyo3(get)]
    pub(crate) outcome: String,
    #[pyo3(get)]
    named: bool,
    #[pyo3(get)]
    purpose: Option<String>,
    #[pyo3(get)]
    part: String,
    #[pyo3(get)]
    restrictions: Vec<(String, String)>,
    #[pyo3(get)]
    pub(crate) source: Option<String>,
    #[pyo3(get)]
    pub(crate) line: Option<u32>,
    #[pyo3(get)]
    pub(crate) column: Option<u32>,
    #[pyo3(get)]
    pub(crate) element: Option<String>,
    #[pyo3(get)]
    pub(crate) header: Option<String>,
    #[pyo3(get)]
    pub(crate) text: String,
    outcome_value: Outcome,
    part_value: Part,
    restriction_values: Vec<Restriction>,
}

#[pymethods]
impl Statement {
    #[new]
    #[pyo3(signature = (*, dialect, usage, outcome, named=false, purpose=None, part="page", restrictions=Vec::new(), source=None, line=None, column=None, element=None, header=None, text=String::new()))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        dialect: String,
        usage: String,
        outcome: String,
        named: bool,
        purpose: Option<String>,
        part: &str,
        restrictions: Vec<(String, String)>,
        source: Option<String>,
        line: Option<u32>,
        column: Option<u32>,
        element: Option<String>,
        header: Option<String>,
        text: String,
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
        let part_value = match part {
            "element" => Part::Element,
            "page" => Part::Page,
            "site" => Part::Site,
            _ => return Err(PyValueError::new_err(format!("part `{part}` is none of element, page, site"))),
        };
        let setting = Setting { page: true, sets: true };
        let mut restriction_values = Vec::new();
        for (name, value) in &restrictions {
            match restrictions::read(name, value, setting) {
                Ok(reading) => restriction_values.push(reading.restriction),
                // A qualifier that cannot be interpreted prohibits (P2 2.2.6).
                Err(_) => outcome_value = Outcome::Prohibited,
            }
        }
        let part = part.to_owned();
        Ok(Self {
            dialect,
            usage,
            outcome,
            named,
            purpose,
            part,
            restrictions,
            source,
            line,
            column,
            element,
            header,
            text,
            outcome_value,
            part_value,
            restriction_values,
        })
    }

    fn __repr__(&self) -> String {
        format!("<Statement {} {} {} {:?}>", self.dialect, self.outcome, self.usage, self.text)
    }
}

impl Statement {
    /// The core's form; `dialects` numbers the names as they come, from 1; 0 is ACAP.
    ///
    /// A usage without a number can't be asked for; its prohibition is one of `other`.
    pub(crate) fn elsewhere(&self, usage: Option<Usage>, dialects: &mut Vec<String>) -> Elsewhere {
        let nobodys = if self.outcome_value == Outcome::Permitted { Usage(u16::MAX) } else { OTHER };
        let dialect = if self.dialect == "acap" {
            0
        } else {
            let place = dialects.iter().position(|name| *name == self.dialect).unwrap_or_else(|| {
                dialects.push(self.dialect.clone());
                dialects.len() - 1
            });
            u32::try_from(place + 1).unwrap_or(u32::MAX)
        };
        Elsewhere {
            dialect,
            outcome: self.outcome_value,
            usage: usage.unwrap_or(nobodys),
            named: self.named,
            purpose: self.purpose.as_deref().map(|purpose| Purpose::new(purpose, 0)),
            part: self.part_value,
            restrictions: self.restriction_values.clone().into_boxed_slice(),
        }
    }
}
