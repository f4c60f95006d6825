//! What a policy holds, in lists for Python's typed views.

use std::ops::Range;

use acap_policy::deciding::{Cite, GroupedLine, View, Viewed as Core, agents, grouped_lines};
use acap_policy::reading::signals::{self, ALL_USES, Vocabulary};
use acap_policy::reading::usage::TDM;
use acap_policy::reading::{self, Entry, File, Kind, Outcome, Problem, Record, Role, groups, kind_name};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::cite::{cite_line, cite_signal, cite_statement, line_at, whole_line_at};

/// (code, line, column, words, text of the line, octets that it is about)
pub(crate) type Found<'py> = (&'static str, u32, u32, Vec<String>, Bound<'py, PyString>, Option<(usize, usize)>);

/// (citation, crawlers, purposes, pattern, restrictions)
pub(crate) type Said<'py> =
    (Bound<'py, PyTuple>, Bound<'py, PyTuple>, Bound<'py, PyTuple>, String, Bound<'py, PyTuple>);

/// (kind, value, line, column, start, group)
pub(crate) type Other = (&'static str, String, u32, u32, u32, Option<u32>);

/// (what it is, start, end)
pub(crate) type Word = (&'static str, usize, usize);

/// (line, (kind, ACAP name, what it defines, guessed, cut), (start of the name, its end, start of the value, its end),
/// words, group or record, part of the record)
pub(crate) type Field = (
    u32,
    (&'static str, Option<String>, Option<String>, bool, bool),
    (usize, usize, usize, usize),
    Vec<Word>,
    Option<u32>,
    u32,
);

/// (visit windows, rates, delays, comments, rule of thumb)
pub(crate) type Manners =
    (Vec<(u32, u32, u32)>, Vec<(f64, f64, Option<(u32, u32)>, u32)>, Vec<(f64, u32)>, Vec<(String, u32)>, bool);

pub(crate) fn problems<'py>(py: Python<'py>, core: &Core) -> Vec<Found<'py>> {
    let text = core.text();
    let mut list = py.detach(|| core.problems());
    list.sort_by_key(|problem| (problem.place.line, problem.place.start));
    // All problems of a field share the text of its line.
    let mut last: Option<(u32, u32, Bound<'py, PyString>)> = None;
    let mut out = Vec::with_capacity(list.len());
    for Problem { code, place, words } in list {
        let (column, line) = match &last {
            Some((start, column, line)) if *start == place.start => (*column, line.clone()),
            _ => {
                let (line, column) = whole_line_at(text, place.start);
                (column, PyString::new(py, &line))
            }
        };
        last = Some((place.start, column, line.clone()));
        let span = place.span().map(|span| (span.start, span.end));
        out.push((code.name(), place.line, column, words, line, span));
    }
    out
}

/// At most this many ACAP statements are listed: with sets and composites a few lines can stand for millions.
const SHOWN: usize = 50_000;

/// The statements; those of one group or record share the tuple of its crawlers.
pub(crate) fn statements<'py>(py: Python<'py>, core: &Core) -> PyResult<Vec<Said<'py>>> {
    let text = core.text();
    let none = PyTuple::empty(py);
    let mut out = Vec::new();
    for group in groups(&core.table.entries) {
        let agents = group.iter().filter(|entry| entry.kind == Kind::Agent);
        let agents = PyTuple::new(py, agents.map(|entry| agent(entry, text)).collect::<Vec<_>>())?;
        for entry in group {
            let effect = match entry.kind {
                Kind::Allow => "permits",
                Kind::Disallow => "prohibits",
                _ => continue,
            };
            let cited = cite_line(core, entry.line, entry.start, effect, "crawl", core.dialect.cited);
            let pattern = String::from_utf8_lossy(entry.value(text)).into_owned();
            out.push((cited.into_pyobject(py)?, agents.clone(), none.clone(), pattern, none.clone()));
        }
    }
    let mut shown = 0;
    let files = 0..=u32::try_from(core.supplied().len()).unwrap_or(u32::MAX);
    for (number, file) in files.filter_map(|number| core.file(number).map(|file| (number, file))) {
        let crawlers =
            file.records.iter().map(|record| PyTuple::new(py, names(file, record))).collect::<PyResult<Vec<_>>>()?;
        let purposes = file
            .audiences
            .iter()
            .map(|audience| PyTuple::new(py, file.purposes(audience).collect::<Vec<_>>()))
            .collect::<PyResult<Vec<_>>>()?;
        for (place, statement) in file.statements.iter().enumerate() {
            let place = u32::try_from(place).unwrap_or(u32::MAX);
            let audience = statement.audience as usize;
            let record = file.audiences.get(audience).and_then(|audience| crawlers.get(audience.record as usize));
            // The rows of one field share what they have in common.
            for target in file.targets(statement) {
                let effect = file.effect(statement, target);
                let Some(cited) = cite_statement(core, number, place, target.usage, effect) else { continue };
                let cited = cited.into_pyobject(py)?;
                let restrictions = file.restrictions(statement, target);
                let restrictions = PyTuple::new(py, restrictions.iter().map(|one| (one.name(), &*one.value)))?;
                for pattern in file.patterns(statement) {
                    shown += 1;
                    if shown > SHOWN {
                        return Ok(out);
                    }
                    out.push((
                        cited.clone(),
                        record.unwrap_or(&none).clone(),
                        purposes.get(audience).unwrap_or(&none).clone(),
                        String::from_utf8_lossy(pattern).into_owned(),
                        restrictions.clone(),
                    ));
                }
            }
        }
    }
    Ok(out)
}

/// What lines of Content-Signal, Content-Usage and License say, in the dialect that heeds them, and to whom.
pub(crate) fn signals<'py>(py: Python<'py>, core: &Core) -> PyResult<Vec<Said<'py>>> {
    let (entries, text) = (&core.table.entries, core.text());
    let none = PyTuple::empty(py);
    let everybody = PyTuple::new(py, ["*"])?;
    let mut last: Option<(Range<usize>, Bound<'py, PyTuple>)> = None;
    let mut out = Vec::new();
    if !core.dialect.vocabularies {
        return Ok(out);
    }
    for GroupedLine { place, group } in grouped_lines(entries, text) {
        let Some(entry) = entries.get(place) else { continue };
        let (path, said) = match Vocabulary::of(entry.kind) {
            None if entry.len == 0 => continue,
            None => (None, vec![(TDM, Outcome::Conditional)]),
            Some(_) if entry.is_cut_signal() => {
                (None, ALL_USES.iter().map(|usage| (*usage, Outcome::Prohibited)).collect())
            }
            Some(vocabulary) => {
                let reading = signals::line(vocabulary, entry.value(text), core.dialect.by_letter);
                let outcome = |yes| if yes { Outcome::Permitted } else { Outcome::Prohibited };
                let all = reading.statement.all(vocabulary).map(|(usage, yes)| (usage, outcome(yes)));
                (reading.path, all.collect())
            }
        };
        // The lines of one group share its names.
        let crawlers = match (group, last.take()) {
            (None, _) => everybody.clone(),
            (Some(group), Some((known, crawlers))) if known == group => last.insert((group, crawlers)).1.clone(),
            (Some(group), _) => {
                let names = agents(entries, &group).map(|entry| agent(entry, text));
                let crawlers = PyTuple::new(py, names.collect::<Vec<_>>())?;
                last.insert((group, crawlers)).1.clone()
            }
        };
        let pattern = String::from_utf8_lossy(path.unwrap_or(b"/")).into_owned();
        for (usage, outcome) in said {
            let cited = cite_signal(core, entry, usage, outcome).into_pyobject(py)?;
            out.push((cited, crawlers.clone(), none.clone(), pattern.clone(), none.clone()));
        }
    }
    Ok(out)
}

fn kinds_of_lines(core: &Core) -> impl Iterator<Item = (reading::Line, Kind)> {
    let text = core.text();
    reading::Lines::new(text).map(|line| {
        let body = text.get(line.start..line.end).unwrap_or(&[]);
        let skip = if line.number == 1 { reading::skip_mark(body) } else { 0 };
        (line, reading::field(body.get(skip..).unwrap_or(&[]), core.line_manner()).kind)
    })
}

/// Whether a line is of one of the kinds.
pub(crate) fn has_line(core: &Core, kinds: &[String]) -> bool {
    kinds_of_lines(core).any(|(_, kind)| kinds.iter().any(|name| name == kind_name(kind)))
}

/// Where each line of the text begins, 8 octets a line in the machine's order; its kind, a place among the names; and
/// these.
pub(crate) fn outline(core: &Core) -> (Vec<u8>, Vec<u8>, Vec<&'static str>) {
    let (mut starts, mut kinds, mut names) = (Vec::new(), Vec::new(), Vec::new());
    // Most lines are of the kind of the one before.
    let mut last = None;
    for (line, kind) in kinds_of_lines(core) {
        let place = match last {
            Some((known, place)) if known == kind => place,
            _ => {
                let name = kind_name(kind);
                let place = names.iter().position(|known| *known == name).unwrap_or_else(|| {
                    names.push(name);
                    names.len().saturating_sub(1)
                });
                u8::try_from(place).unwrap_or(u8::MAX)
            }
        };
        last = Some((kind, place));
        starts.extend_from_slice(&u64::try_from(line.start).unwrap_or(u64::MAX).to_ne_bytes());
        kinds.push(place);
    }
    (starts, kinds, names)
}

/// Every field of the outline, in order.
pub(crate) fn fields(core: &Core) -> Vec<Field> {
    let text = core.text();
    let words = |words: Vec<(Role, Range<usize>)>| -> Vec<Word> {
        words.into_iter().map(|(role, Range { start, end })| (role_name(role), start, end)).collect()
    };
    let fields = reading::outline(text, &core.table.entries, &core.limits(), core.dialect);
    fields
        .into_iter()
        .map(|one| {
            let kind = kind_name(one.entry.kind);
            let known = (kind, one.acap, one.defines, one.guessed, one.entry.is_cut());
            let spans = (one.name.start, one.name.end, one.value.start, one.value.end);
            (one.entry.line, known, spans, words(one.words), one.within, one.part)
        })
        .collect()
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::Crawler => "crawler",
        Role::Purpose => "purpose",
        Role::Name => "name",
        Role::Usage => "usage",
        Role::Resource => "resource",
        Role::Qualifier => "qualifier",
        Role::Uri => "uri",
        Role::Version => "version",
    }
}

pub(crate) fn extensions(core: &Core) -> Vec<Other> {
    let text = core.text();
    reading::extensions(&core.table.entries)
        .into_iter()
        .map(|one| {
            let entry = one.entry;
            let (_, column) = line_at(text, entry.start);
            let value = String::from_utf8_lossy(entry.value(text)).into_owned();
            (kind_name(entry.kind), value, entry.line, column, entry.start, one.group)
        })
        .collect()
}

/// The crawlers that an agent line names: every one where something of the line is cut.
fn agent(entry: &Entry, text: &[u8]) -> String {
    if entry.is_cut() { "*".to_owned() } else { String::from_utf8_lossy(entry.value(text)).into_owned() }
}

/// Each name once, whatever its case.
pub(crate) fn crawlers(core: &Core) -> Vec<String> {
    let text = core.text();
    let agents = core.table.entries.iter().filter(|entry| entry.kind == Kind::Agent);
    let agents = agents.map(|entry| String::from_utf8_lossy(entry.value(text)).into_owned());
    let records = core.acap.iter().flat_map(|file| file.records.iter().flat_map(|record| names(file, record)));
    let mut seen = std::collections::HashSet::new();
    agents.chain(records).filter(|name| !name.is_empty() && seen.insert(name.to_ascii_lowercase())).collect()
}

/// Each pattern once.
pub(crate) fn purposes(core: &Core) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    core.acap
        .iter()
        .flat_map(|file| file.audiences.iter().flat_map(|audience| file.purposes(audience)))
        .filter(|purpose| seen.insert(*purpose))
        .map(str::to_owned)
        .collect()
}

/// (uri, line, missing)
pub(crate) fn references(core: &Core, view: &View) -> Vec<(String, u32, bool)> {
    let Some(file) = &core.acap else { return Vec::new() };
    let reference = |cite: &Cite| match cite {
        Cite::Reference(place) => file.references.get(*place as usize),
        _ => None,
    };
    let missing: std::collections::HashSet<&Cite> = view.acap.missing.iter().collect();
    let found = view.acap.references.iter().filter_map(|cite| reference(cite).map(|reference| (cite, reference)));
    found.map(|(cite, one)| (one.uri.to_string(), one.line, missing.contains(cite))).collect()
}

/// (take-down, path as written, line)
pub(crate) fn requests(core: &Core, view: &View) -> Vec<(bool, String, u32)> {
    let request = |(number, place): &(u32, u32)| {
        let file = core.file(*number)?;
        let request = file.requests.get(*place as usize)?;
        Some((request.take_down, file.written(request).to_owned(), request.line))
    };
    view.acap.requests.iter().filter_map(request).collect()
}

pub(crate) fn politeness(core: &Core, names: &[String]) -> Manners {
    let found = reading::politeness(core.dialect, &core.table.entries, core.text(), names);
    let rates = found
        .rates
        .iter()
        .map(|rate| (rate.documents, rate.seconds, rate.window.map(|window| (window.from, window.to)), rate.line))
        .collect();
    let visit = found.visit.iter().map(|(window, line)| (window.from, window.to, *line)).collect();
    (visit, rates, found.delays, found.comments, found.rule_of_thumb)
}

fn names(file: &File, record: &Record) -> Vec<String> {
    let any = record.any || record.cut;
    file.names(record).map(str::to_owned).chain(any.then(|| "*".to_owned())).collect()
}
