//! Statements as Python cites them.

use std::sync::Arc;

use acap_policy::deciding::{Cite, Viewed as Core};
use acap_policy::reading::signals::Vocabulary;
use acap_policy::reading::usage::Usage;
use acap_policy::reading::{Effect, Entry, Kind, Outcome, line_around, line_start};

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::asking::Asking;
use crate::question::Further;

/// A statement as Python cites it; to Python it is a tuple of the fields in their order.
#[derive(Default)]
pub(crate) struct Cited {
    source: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    element: Option<String>,
    header: Option<String>,
    text: String,
    effect: &'static str,
    usage: String,
    dialect: String,
    condition: Option<Condition>,
}

/// What would satisfy a conditional statement.
pub(crate) enum Condition {
    /// As whoever made the statement gave it.
    Given(Arc<Py<PyAny>>),
    /// The document of a `License` line.
    Licence(String),
}

impl<'py> IntoPyObject<'py> for Cited {
    type Target = PyTuple;
    type Output = Bound<'py, PyTuple>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let Self { source, line, column, element, header, text, effect, usage, dialect, condition } = self;
        let condition = match condition {
            None => None,
            Some(Condition::Given(given)) => Some(given.clone_ref(py)),
            Some(Condition::Licence(document)) => Some(document.into_pyobject(py)?.into_any().unbind()),
        };
        (source, line, column, element, header, text, effect, usage, dialect, condition).into_pyobject(py)
    }
}

/// A file's line as it stands, and the column of a place in it, from 1, in characters.
pub(crate) fn line_at(text: &[u8], start: u32) -> (String, u32) {
    let place = usize::try_from(start).unwrap_or(usize::MAX).min(text.len());
    let (_, line) = line_around(text, place);
    let from = line_start(text, place);
    let before = text.get(from..place).unwrap_or(&[]);
    let column = String::from_utf8_lossy(before).chars().count().saturating_add(1);
    (String::from_utf8_lossy(line).into_owned(), u32::try_from(column).unwrap_or(u32::MAX))
}

/// A file's line without its end, and the column of a place in it, from 1, in characters.
pub(crate) fn whole_line_at(text: &[u8], start: u32) -> (String, u32) {
    let place = usize::try_from(start).unwrap_or(usize::MAX).min(text.len());
    let rest = text.get(line_start(text, place)..).unwrap_or(&[]);
    let line = rest.split(|octet| matches!(octet, b'\n' | b'\r')).next().unwrap_or(rest);
    let (_, column) = line_at(text, start);
    (String::from_utf8_lossy(line).into_owned(), column)
}

/// Where a field begins in its line: the first octet that is not white space.
fn field_start(text: &[u8], start: u32) -> u32 {
    let place = usize::try_from(start).unwrap_or(usize::MAX).min(text.len());
    u32::try_from(line_around(text, place).0).unwrap_or(u32::MAX)
}

/// The name by which a policy's own file is cited.
fn source_of(core: &Core) -> String {
    match core.origin() {
        Some(origin) => format!("{}/robots.txt", String::from_utf8_lossy(origin)),
        None => "robots.txt".to_owned(),
    }
}

fn effect_name(effect: Effect) -> &'static str {
    match effect {
        Effect::Permits => "permits",
        Effect::Prohibits => "prohibits",
    }
}

/// What is cited where no line matched: the file as a whole.
fn nothing(core: &Core) -> Cited {
    Cited {
        source: Some(source_of(core)),
        effect: "prohibits",
        usage: "crawl".to_owned(),
        dialect: core.dialect.cited.to_owned(),
        ..Cited::default()
    }
}

/// What a decision cites; `asking` knows the statements from elsewhere.
pub(crate) fn cited(py: Python<'_>, core: &Core, asking: Option<&Asking>, cite: Cite) -> PyResult<Cited> {
    let found = match cite {
        Cite::Line(place) => core.table.entries.get(place as usize).map(|entry| cite_entry(core, entry)),
        Cite::Statement { file, place, usage, effect } => cite_statement(core, file, place, usage, effect),
        Cite::Reference(place) => {
            let found = core.acap.as_ref().and_then(|file| file.references.get(place as usize));
            found.map(|reference| cite_line(core, reference.line, reference.start, "prohibits", "", "acap"))
        }
        Cite::Request { file, place } => cite_request(core, file, place),
        Cite::Signal { entry, usage, outcome } => {
            let found = core.table.entries.get(entry as usize);
            found.map(|entry| cite_signal(core, entry, usage, outcome))
        }
        Cite::NothingMatched => None,
        Cite::Elsewhere(place) => asking.map(|asking| cite_elsewhere(py, asking, place)).transpose()?.flatten(),
    };
    Ok(found.unwrap_or_else(|| nothing(core)))
}

/// A line of the table of entries.
fn cite_entry(core: &Core, entry: &Entry) -> Cited {
    // An empty Disallow permits; one that a limit cut, and any other line, prohibits.
    let permits = match entry.kind {
        Kind::Allow => true,
        Kind::Disallow => entry.len == 0 && !entry.is_cut(),
        _ => false,
    };
    let effect = if permits { "permits" } else { "prohibits" };
    let (usage, dialect) = match entry.kind {
        Kind::Acap => ("", "acap"),
        _ => ("crawl", core.dialect.cited),
    };
    cite_line(core, entry.line, entry.start, effect, usage, dialect)
}

/// A statement of another reader.
fn cite_elsewhere(py: Python<'_>, asking: &Asking, place: u32) -> PyResult<Option<Cited>> {
    let Some(statement) = asking.addressed.cited.get(place as usize) else { return Ok(None) };
    let one = statement.get();
    let effect = match one.outcome.as_str() {
        _ if !asking.elements() && one.is_element() => "prohibits",
        "permitted" => "permits",
        "conditional" => "conditional",
        _ => "prohibits",
    };
    let (line, column, element) = one.whereabouts(py, asking.locate.as_ref())?;
    Ok(Some(Cited {
        source: one.source.clone().or_else(|| asking.source.clone()),
        line,
        column,
        element,
        header: one.header.clone(),
        text: one.text.clone(),
        effect,
        usage: one.usage.clone(),
        dialect: one.dialect.clone(),
        condition: one.condition.clone().map(Condition::Given),
    }))
}

/// A statement of an ACAP file.
pub(crate) fn cite_statement(core: &Core, number: u32, place: u32, usage: Usage, effect: Effect) -> Option<Cited> {
    let file = core.file(number)?;
    let statement = core.statement(number, place)?;
    let (source, text) = source_and_text(core, number)?;
    let (line_text, column) = line_at(text, statement.start);
    Some(Cited {
        source: Some(source),
        line: Some(statement.line),
        column: Some(column),
        text: line_text,
        effect: effect_name(effect),
        usage: file.usage_name(usage).to_owned(),
        dialect: "acap".to_owned(),
        ..Cited::default()
    })
}

/// A take-down request.
fn cite_request(core: &Core, number: u32, place: u32) -> Option<Cited> {
    let request = core.file(number)?.requests.get(usize::try_from(place).ok()?)?;
    let (source, text) = source_and_text(core, number)?;
    let (line_text, column) = line_at(text, request.start);
    Some(Cited {
        source: Some(source),
        line: Some(request.line),
        column: Some(column),
        text: line_text,
        effect: "prohibits",
        dialect: "acap".to_owned(),
        ..Cited::default()
    })
}

fn source_and_text(core: &Core, number: u32) -> Option<(String, &[u8])> {
    match usize::try_from(number).ok()?.checked_sub(1) {
        None => Some((source_of(core), core.text())),
        Some(place) => core.supplied().get(place).map(|one| (one.uri.to_string(), &*one.text)),
    }
}

/// A line of the policy's own file.
pub(crate) fn cite_line(core: &Core, line: u32, start: u32, effect: &'static str, usage: &str, dialect: &str) -> Cited {
    let text = core.text();
    let (line_text, column) = line_at(text, field_start(text, start));
    Cited {
        source: Some(source_of(core)),
        line: Some(line),
        column: Some(column),
        text: line_text,
        effect,
        usage: usage.to_owned(),
        dialect: dialect.to_owned(),
        ..Cited::default()
    }
}

/// A line of Content-Signal, Content-Usage or License, or one for a control token.
pub(crate) fn cite_signal(core: &Core, entry: &Entry, usage: Usage, outcome: Outcome) -> Cited {
    let effect = match outcome {
        Outcome::Permitted => "permits",
        Outcome::Conditional => "conditional",
        Outcome::Prohibited => "prohibits",
    };
    let dialect = match entry.kind {
        Kind::License => "rsl",
        kind => Vocabulary::of(kind).map_or("control-token", Vocabulary::dialect),
    };
    let document = || Condition::Licence(String::from_utf8_lossy(entry.value(core.text())).into_owned());
    let condition = (outcome == Outcome::Conditional).then(document);
    Cited { condition, ..cite_line(core, entry.line, entry.start, effect, core.usage_name(usage), dialect) }
}

/// The name of a usage: a known one, one of the policy's files, or one of statements from elsewhere.
pub(crate) fn usage_name(core: &Core, further: &Further, usage: Usage) -> String {
    let other = || further.iter().find(|(_, number)| **number == usage).map(|(name, _)| name.clone());
    Some(core.usage_name(usage).to_owned()).filter(|name| !name.is_empty()).or_else(other).unwrap_or_default()
}
