//! What a policy holds, in lists for Python's typed views.

use acap_policy::acap;
use acap_policy::conventional::groups;
use acap_policy::decide::View;
use acap_policy::extensions::{self, kind_name};
use acap_policy::lines::{self, Kind};
use acap_policy::policy::Policy as Core;
use acap_policy::resolution::Cite;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::cite::{Cited, cite_line, cite_statement, conventional_name, line_at, whole_line_at};

/// (code, line, column, words, text of the line)
pub(crate) type Found = (&'static str, u32, u32, Vec<String>, String);

/// (citation, crawlers, purposes, pattern, restrictions)
pub(crate) type Said<'py> = (Cited, Bound<'py, PyTuple>, Bound<'py, PyTuple>, String, Vec<(&'static str, String)>);

/// (kind, value, line, column, start, group)
pub(crate) type Other = (&'static str, String, u32, u32, u32, Option<u32>);

/// (visit windows, rates, delays, comments, rule of thumb)
pub(crate) type Manners =
    (Vec<(u32, u32, u32)>, Vec<(f64, f64, Option<(u32, u32)>, u32)>, Vec<(f64, u32)>, Vec<(String, u32)>, bool);

pub(crate) fn problems(core: &Core) -> Vec<Found> {
    let text = core.text();
    let mut list = core.problems();
    list.sort_by_key(|problem| (problem.line, problem.start));
    list.into_iter()
        .map(|problem| {
            let (line, column) = whole_line_at(text, problem.start);
            (problem.code.name(), problem.line, column, problem.words, line)
        })
        .collect()
}

/// The statements; those of one group or record share the tuple of its crawlers.
pub(crate) fn statements<'py>(py: Python<'py>, core: &Core) -> PyResult<Vec<Said<'py>>> {
    let text = core.text();
    let none = PyTuple::empty(py);
    let mut out = Vec::new();
    for group in groups(&core.table.entries) {
        let agents = group.iter().filter(|entry| entry.kind == Kind::Agent);
        let agents: Vec<String> = agents.map(|entry| String::from_utf8_lossy(entry.value(text)).into_owned()).collect();
        let agents = PyTuple::new(py, agents)?;
        for entry in group {
            let effect = match entry.kind {
                Kind::Allow => "permits",
                Kind::Disallow => "prohibits",
                _ => continue,
            };
            let cited = cite_line(core, entry.line, entry.start, effect, "crawl", conventional_name(core.dialect));
            let pattern = String::from_utf8_lossy(entry.value(text)).into_owned();
            out.push((cited, agents.clone(), none.clone(), pattern, Vec::new()));
        }
    }
    let files = 0..=u32::try_from(core.supplied.len()).unwrap_or(u32::MAX);
    for (number, file) in files.filter_map(|number| core.file(number).map(|file| (number, file))) {
        let crawlers =
            file.records.iter().map(|record| PyTuple::new(py, names(record))).collect::<PyResult<Vec<_>>>()?;
        let purposes = file
            .audiences
            .iter()
            .map(|audience| PyTuple::new(py, audience.purposes.iter().map(|purpose| &*purpose.written)))
            .collect::<PyResult<Vec<_>>>()?;
        for (place, statement) in file.statements.iter().enumerate() {
            let Some(cited) = cite_statement(core, number, u32::try_from(place).unwrap_or(u32::MAX)) else { continue };
            let audience = statement.audience as usize;
            let record = file.audiences.get(audience).and_then(|audience| crawlers.get(audience.record as usize));
            let pattern = String::from_utf8_lossy(&statement.pattern).into_owned();
            let restrictions = statement.restrictions.iter().map(|one| (one.name(), one.value.to_string())).collect();
            out.push((
                cited,
                record.unwrap_or(&none).clone(),
                purposes.get(audience).unwrap_or(&none).clone(),
                pattern,
                restrictions,
            ));
        }
    }
    Ok(out)
}

pub(crate) fn lines(core: &Core) -> Vec<(u32, usize, usize, usize, &'static str)> {
    let text = core.text();
    lines::Lines::new(text)
        .map(|line| {
            let body = text.get(line.start..line.end).unwrap_or(&[]);
            let skip = if line.number == 1 { lines::skip_mark(body) } else { 0 };
            let field = lines::field(body.get(skip..).unwrap_or(&[]), core.line_manner());
            (line.number, line.start, line.end, line.next, kind_name(field.kind))
        })
        .collect()
}

pub(crate) fn extensions(core: &Core) -> Vec<Other> {
    let text = core.text();
    extensions::extensions(&core.table.entries)
        .into_iter()
        .map(|one| {
            let entry = one.entry;
            let (_, column) = line_at(text, entry.start);
            let value = String::from_utf8_lossy(entry.value(text)).into_owned();
            (kind_name(entry.kind), value, entry.line, column, entry.start, one.group)
        })
        .collect()
}

/// Each name once, whatever its case.
pub(crate) fn crawlers(core: &Core) -> Vec<String> {
    let text = core.text();
    let agents = core.table.entries.iter().filter(|entry| entry.kind == Kind::Agent);
    let agents = agents.map(|entry| String::from_utf8_lossy(entry.value(text)).into_owned());
    let records = core.acap.iter().flat_map(|file| &file.records).flat_map(names);
    let mut seen = std::collections::HashSet::new();
    agents.chain(records).filter(|name| !name.is_empty() && seen.insert(name.to_ascii_lowercase())).collect()
}

/// Each pattern once.
pub(crate) fn purposes(core: &Core) -> Vec<String> {
    let audiences = core.acap.iter().flat_map(|file| &file.audiences);
    let mut seen = std::collections::HashSet::new();
    audiences
        .flat_map(|audience| &audience.purposes)
        .map(|purpose| purpose.written.to_string())
        .filter(|purpose| seen.insert(purpose.clone()))
        .collect()
}

/// (uri, line, missing)
pub(crate) fn references(core: &Core, view: &View) -> Vec<(String, u32, bool)> {
    let Some(file) = &core.acap else { return Vec::new() };
    let reference = |cite: &Cite| match cite {
        Cite::Reference { record, place } => file.records.get(*record as usize)?.references.get(*place as usize),
        _ => None,
    };
    let found = view.references.iter().filter_map(|cite| reference(cite).map(|reference| (cite, reference)));
    found.map(|(cite, one)| (one.uri.to_string(), one.line, view.missing.contains(cite))).collect()
}

/// (take-down, path as written, line)
pub(crate) fn requests(core: &Core, view: &View) -> Vec<(bool, String, u32)> {
    let request = |(file, place): &(u32, u32)| core.file(*file)?.requests.get(*place as usize);
    let found = view.requests.iter().filter_map(request);
    found.map(|request| (request.take_down, request.written.to_string(), request.line)).collect()
}

pub(crate) fn politeness(core: &Core, names: &[String]) -> Manners {
    let found = extensions::politeness(core.dialect, &core.table.entries, core.text(), names);
    let rates = found
        .rates
        .iter()
        .map(|rate| (rate.documents, rate.seconds, rate.window.map(|window| (window.from, window.to)), rate.line))
        .collect();
    let visit = found.visit.iter().map(|(window, line)| (window.from, window.to, *line)).collect();
    (visit, rates, found.delays, found.comments, found.rule_of_thumb)
}

fn names(record: &acap::Record) -> Vec<String> {
    record.names.iter().map(ToString::to_string).chain(record.any.then(|| "*".to_owned())).collect()
}
