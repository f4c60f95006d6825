//! A question put to a policy, and what the policy answers to it.

use std::sync::Arc;

use acap_policy::deciding::batch::rest_of;
use acap_policy::deciding::{self, Cite, CitedRestriction, Key, Kind, View, Viewed as Core, add_new};
use acap_policy::reading::Outcome;
use acap_policy::reading::usage::Usage;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::question::{self, Question, mistake};
use crate::statements::{AddressedStatements, Statements};

/// A question about one resource, which decisions on several usages have in common.
pub(crate) struct Asking {
    /// The policy as Python holds it.
    pub(crate) policy: Py<PyAny>,
    pub(crate) core: Arc<Core>,
    /// By the crawler's names, and by each further one of its User-Agent string that the policy names.
    views: Vec<Arc<View>>,
    pub(crate) url: Py<PyString>,
    /// The URL in the form in which the policy compares it.
    path: Vec<u8>,
    pub(crate) question: Arc<Question>,
    at: i64,
    /// Usages, and whether silence on them prohibits.
    silence: Vec<(Usage, bool)>,
    pub(crate) addressed: Arc<AddressedStatements>,
    /// Elements that are left out of what is permitted: usage, and the number by which `locate` knows the element.
    pub(crate) excluded: Vec<(Usage, u32)>,
    for_use: bool,
    /// The documents of the License lines are among the statements.
    licensed: bool,
    /// Tells line, column and element of a statement's place.
    pub(crate) locate: Option<Py<PyAny>>,
    /// The source of statements that name none.
    pub(crate) source: Option<String>,
}

impl Asking {
    /// `statements` are those of other readers.
    pub(crate) fn new(
        policy: &Bound<'_, PyAny>,
        (core, for_use): (&Arc<Core>, bool),
        url: &Bound<'_, PyString>,
        question: Arc<Question>,
        statements: Option<&Bound<'_, Statements>>,
    ) -> PyResult<Self> {
        let py = policy.py();
        let text = url.to_str()?;
        let rest = rest_of(core, text.as_bytes()).map_err(|what| mistake(core, text, what))?;
        let path = core.dialect.form.path(rest, text.as_bytes()).into_owned();
        let given = statements.map(Bound::get);
        let addressed = given.map_or_else(Arc::default, |given| given.addressed(py, core, &question.asker));
        Ok(Self {
            policy: policy.clone().unbind(),
            core: core.clone(),
            views: question.asker.views(core),
            url: url.clone().unbind(),
            path,
            at: question.instant(),
            silence: question::silence(core, &question.asker, &addressed.further)?,
            question,
            excluded: Vec::new(),
            for_use,
            licensed: given.is_some_and(|given| given.licensed),
            locate: given.and_then(|given| given.locate(py)),
            source: given.and_then(Statements::source),
            addressed,
        })
    }

    /// Whether the asker can work on elements.
    pub(crate) fn elements(&self) -> bool {
        self.question.asker.elements
    }

    /// The answer for every usage and purpose, the strictest of all (section 1).
    pub(crate) fn answer(&self, usages: &[Usage], trace: bool) -> Whole {
        let question = deciding::Question {
            path: &self.path,
            elsewhere: &self.addressed.elsewhere,
            for_use: self.for_use,
            licensed_elsewhere: self.licensed,
            ..self.question.core(self.at, &self.silence)
        };
        let purposes = self.question.each_purpose();
        answer(&self.core, &self.views, &question, &purposes, usages, &self.excluded, trace)
    }
}

/// Everything an answer says, of all usages and purposes together.
pub(crate) struct Whole {
    pub(crate) outcome: Outcome,
    pub(crate) kind: Kind,
    pub(crate) stated: bool,
    pub(crate) decided: Vec<Cite>,
    pub(crate) lost: Vec<(Cite, Key)>,
    pub(crate) restrictions: Vec<CitedRestriction>,
    /// Usages below those asked about that are prohibited.
    pub(crate) below: Vec<Usage>,
}

/// The restriction that leaves an element out of what is permitted.
pub(crate) const EXCLUDED_ELEMENT: &str = "excluded-element";

/// The strictest of the answers for every usage and purpose, to each of the views (section 1). What other readers found
/// is addressed to the first.
pub(crate) fn answer(
    core: &Core,
    views: &[Arc<View>],
    question: &deciding::Question<'_>,
    purposes: &[Option<&[u8]>],
    usages: &[Usage],
    excluded: &[(Usage, u32)],
    trace: bool,
) -> Whole {
    let questions: Vec<(&View, deciding::Question<'_>)> = views
        .iter()
        .zip([question.elsewhere].into_iter().chain(std::iter::repeat(&[][..])))
        .flat_map(|(view, elsewhere)| {
            let of = move |purpose: &Option<_>| deciding::Question { purpose: *purpose, elsewhere, ..question.clone() };
            purposes.iter().map(move |purpose| (&**view, of(purpose)))
        })
        .collect();
    let mut whole = Whole {
        outcome: Outcome::Permitted,
        kind: Kind::Silence,
        stated: false,
        decided: Vec::new(),
        lost: Vec::new(),
        restrictions: Vec::new(),
        below: Vec::new(),
    };
    let mut first = true;
    for usage in usages {
        for (view, question) in &questions {
            let one = core.answer(view, question, *usage, trace);
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
                extend_new(&mut whole.decided, one.decided);
                extend_new(&mut whole.lost, one.lost);
            }
            whole.stated |= one.stated;
            let part = (usages.len() > 1).then_some(*usage);
            add_new(
                &mut whole.restrictions,
                one.restrictions.into_iter().map(|restriction| CitedRestriction { part, ..restriction }).collect(),
            );
            let elements = excluded.iter().filter(|(of, _)| of == usage).map(|(_, number)| CitedRestriction {
                name: EXCLUDED_ELEMENT,
                value: number.to_string().into(),
                part,
                cite: Cite::NothingMatched,
            });
            add_new(&mut whole.restrictions, elements.collect());
            first = false;
        }
    }
    if whole.outcome == Outcome::Prohibited {
        whole.restrictions.clear();
    } else if trace {
        for usage in usages.iter().flat_map(|usage| usage.below()) {
            let prohibits = |(view, question): &(&View, deciding::Question<'_>)| {
                core.answer(view, question, usage, false).outcome == Outcome::Prohibited
            };
            if questions.iter().any(prohibits) && !whole.below.contains(&usage) {
                whole.below.push(usage);
            }
        }
    }
    whole
}

fn extend_new<T: PartialEq>(list: &mut Vec<T>, more: Vec<T>) {
    for one in more {
        if !list.contains(&one) {
            list.push(one);
        }
    }
}
