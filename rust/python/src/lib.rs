//! `acap._native`: the policy core for Python. No logic of policy lives here.
//!
//! Classes are frozen and safe to share between threads; batches release the GIL. Sentences, typed views and everything
//! else that speaks is Python's; what it needs to be called back with is bound once ([`hooks`]).

mod archives;
mod arrow;
mod asking;
mod cite;
mod decision;
mod decisions;
mod differences;
mod hooks;
mod pages;
mod policy;
mod processors;
mod question;
mod robots_rows;
mod rows;
mod statement;
mod statements;
mod survey;
mod table;
mod tags;
mod views;
mod written;

use std::borrow::Cow;

use acap_markup::cost;
use acap_policy::deciding::{self, CONTROL_TOKENS, ControlToken, Key};
use acap_policy::reading::usage::{COMPOSITES, KNOWN, Usage};
use acap_policy::reading::{
    self, Code, Column, DIALECTS, Dialect, DocumentKind, Form, PROBLEMS, RESTRICTIONS, octets, pattern, url,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

/// Whether every path that `p` matches is matched by `q`, for canonical patterns.
#[pyfunction]
fn contains(p: &[u8], q: &[u8]) -> bool {
    pattern::contains(q, p)
}

/// Whether a canonical pattern matches a canonical path.
#[pyfunction]
fn matches(pattern: &[u8], path: &[u8]) -> bool {
    pattern::matches(pattern, path)
}

/// How the resources of one canonical pattern stand to another's.
#[pyfunction]
fn compare(a: &[u8], b: &[u8]) -> &'static str {
    match pattern::compare(a, b) {
        pattern::Relation::Same => "same",
        pattern::Relation::Narrower => "narrower",
        pattern::Relation::Broader => "broader",
        pattern::Relation::DraftNarrower => "draft-narrower",
        pattern::Relation::DraftBroader => "draft-broader",
        pattern::Relation::Incomparable => "incomparable",
    }
}

/// Whether a permission overcomes a prohibition of the same usage and tier, by their resources alone.
#[pyfunction]
#[pyo3(signature = (permission, prohibition, conventional=false))]
fn overcomes(permission: &[u8], prohibition: &[u8], conventional: bool) -> bool {
    deciding::narrower_resources(permission, prohibition, conventional).is_some()
}

/// The canonical form of a rule's pattern.
#[pyfunction]
fn canonical_pattern<'py>(py: Python<'py>, pattern: &[u8]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &octets::canonical_pattern(pattern))
}

/// The path and query of a URL or path in the form in which a dialect compares them.
#[pyfunction]
#[pyo3(signature = (url, dialect="auto"))]
fn canonical_path<'py>(py: Python<'py>, url: &[u8], dialect: &str) -> PyResult<Bound<'py, PyBytes>> {
    let rest = match url.first() {
        Some(b'/') | None => url,
        _ => url::split_origin(url).map_or(url, |(_, rest)| rest),
    };
    Ok(PyBytes::new(py, &policy::dialect_of(dialect)?.form.path(rest, url)))
}

/// Scheme, host and port of an absolute URL in one comparable form; none if it has none.
#[pyfunction]
fn origin(url: &str) -> Option<String> {
    url::split_origin(url.as_bytes()).map(|(origin, _)| String::from_utf8_lossy(&origin).into_owned())
}

/// Whether what a URL leads to may be changed on its way: plain http, but to the machine itself.
#[pyfunction]
fn is_plain(url: &str) -> bool {
    url::is_plain(url.as_bytes())
}

/// Whether a text names a licence document as RSL asks: by an absolute URL, and not of plain http.
#[pyfunction]
fn is_association(url: &str) -> bool {
    url::is_association(url.as_bytes())
}

/// Scheme, host and port of an absolute URL in one comparable form, and what follows them, without dot segments.
/// ValueError for what is not a URL.
#[pyfunction]
fn absolute(written: &str) -> PyResult<(String, String)> {
    let octets = written.as_bytes();
    let read = url::refused(octets).map_or_else(|| url::Url::read(octets), Err);
    let read = read.map_err(|fault| question::no_url(written, fault))?;
    let text = |octets: Vec<u8>| String::from_utf8_lossy(&octets).into_owned();
    Ok((text(read.origin()), text(octets::without_dot_segments(read.rest))))
}

/// Whether octets are a robots.txt: a line of them has a field of one, or none has anything but a comment.
#[pyfunction]
fn is_robots(py: Python<'_>, octets: &[u8]) -> bool {
    py.detach(|| reading::is_robots(octets))
}

/// What octets are: `robots.txt`, `unreadable`, or `other`, which is any other text.
#[pyfunction]
fn document_kind(py: Python<'_>, octets: &[u8]) -> &'static str {
    match py.detach(|| reading::document_kind(octets)) {
        DocumentKind::Robots => "robots.txt",
        DocumentKind::Unreadable => "unreadable",
        DocumentKind::Other => "other",
    }
}

/// What octets are, if they are neither a robots.txt nor any other text.
#[pyfunction]
fn unreadable(py: Python<'_>, octets: &[u8]) -> Option<String> {
    py.detach(|| reading::unreadable(octets)).map(|what| what.to_string())
}

/// The name of the format that octets begin as, empty if they show none that has a mark.
#[pyfunction]
fn format_of(octets: &[u8]) -> &'static str {
    reading::format_of(octets).map_or("", |format| format.name)
}

/// A URL as a text: of octets that are no UTF-8 each is written as `%XX`.
#[pyfunction]
fn url_text<'py>(url: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    question::url_text(url)
}

/// Raises ValueError for a name of a crawler of which only a part would count.
#[pyfunction]
fn check_name(text: &str) -> PyResult<()> {
    question::check_name(text)
}

/// The name that a User-Agent string puts forward, or the name itself; none for one that names nobody.
#[pyfunction]
fn crawler_name(text: &str) -> Option<&str> {
    reading::name_of(text)
}

/// The other names in a User-Agent string: what a policy says to one of them counts as well.
#[pyfunction]
fn other_names(text: &str) -> Vec<&str> {
    reading::other_names(text)
}

/// The names by which a dialect finds a User-agent value: `*`, or the leading name and the product token that it begins
/// with.
#[pyfunction]
#[pyo3(signature = (value, dialect="auto"))]
fn agent_names(value: &str, dialect: &str) -> PyResult<Vec<String>> {
    let names = policy::dialect_of(dialect)?.agents.names(value.as_bytes());
    Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

/// Each dialect: its name, the form of its paths, whether answers to a request for robots.txt mean what the memo of
/// 1996 says, whether it reads other vocabularies, and the paths that may always be fetched.
#[pyfunction]
fn dialects() -> Vec<(&'static str, &'static str, bool, bool, Vec<Cow<'static, str>>)> {
    let row = |one: Dialect| {
        let paths = one.policy_paths.iter().map(|path| String::from_utf8_lossy(path)).collect();
        (one.name, one.form.name(), one.retrieval.is_memo(), one.vocabularies, paths)
    };
    DIALECTS.into_iter().map(row).collect()
}

/// Each known usage with the usage directly above it.
#[pyfunction]
fn usages() -> Vec<(&'static str, Option<&'static str>)> {
    KNOWN.iter().map(|row| (row.name, row.above.and_then(Usage::name))).collect()
}

/// Each composite usage with its parts.
#[pyfunction]
fn composites() -> Vec<(&'static str, Vec<&'static str>)> {
    COMPOSITES.iter().map(|(name, parts)| (*name, parts.iter().filter_map(|part| part.name()).collect())).collect()
}

/// (name, usages, crawlers, whether it obeys the group for `*`)
type Token = (&'static str, Vec<&'static str>, Vec<&'static str>, bool);

/// Each control token.
#[pyfunction]
fn control_tokens() -> Vec<Token> {
    let row = |one: &ControlToken| {
        let usages = one.usages.iter().filter_map(|usage| usage.name()).collect();
        (one.name, usages, one.crawlers.to_vec(), one.obeys_any)
    };
    CONTROL_TOKENS.iter().map(row).collect()
}

/// (name, form of the values, words or parts, usages, whether it is ACAP's)
type Row = (&'static str, &'static str, Vec<&'static str>, Vec<String>, bool);

/// The name of a set or a usage in the form in which names are compared.
#[pyfunction]
fn folded_name(name: &str) -> String {
    reading::normal_text(name.as_bytes())
}

/// The table of restrictions.
#[pyfunction]
fn restriction_table() -> Vec<Row> {
    RESTRICTIONS
        .iter()
        .map(|row| {
            let (form, words) = match row.form {
                Form::Time => ("time", Vec::new()),
                Form::Length => ("length", Vec::new()),
                Form::Resource(parts) => ("resource", parts.iter().map(|(part, _)| *part).collect()),
                Form::Words(words) => ("words", words.to_vec()),
                Form::Page => ("page", Vec::new()),
                Form::Number => ("number", Vec::new()),
            };
            let name = |usage: Usage| usage.name().unwrap_or("");
            let columns = row
                .columns
                .iter()
                .map(|column| match column {
                    Column::Any => "*".to_owned(),
                    Column::Only(usage) => name(*usage).to_owned(),
                    Column::From(usage) => format!("{}…", name(*usage)),
                })
                .collect();
            (row.name, form, words, columns, row.acap)
        })
        .collect()
}

/// The names of the keys by which statements win.
#[pyfunction]
fn keys() -> Vec<&'static str> {
    Key::ALL.iter().map(|key| key.name()).collect()
}

/// What the tree of a page costs at most: steps of searching, elements copied, tags.
#[pyfunction]
fn tree_cost(html: &str) -> (u64, u64, u64) {
    let cost = cost::cost(html.as_bytes());
    (cost.steps, cost.copies, cost.tags)
}

/// The codes of all problems a reader can find.
#[pyfunction]
fn problem_codes() -> Vec<&'static str> {
    Code::ALL.iter().map(|code| code.name()).collect()
}

/// The limits in force when none are given, by name.
#[pyfunction]
fn default_limits(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let limits = reading::Limits::default();
    let out = PyDict::new(py);
    out.set_item("file_octets", limits.file_octets)?;
    out.set_item("line_octets", limits.line_octets)?;
    out.set_item("records", limits.records)?;
    out.set_item("sub_records", limits.sub_records)?;
    out.set_item("fields_per_record", limits.fields_per_record)?;
    out.set_item("fields_per_sub_record", limits.fields_per_sub_record)?;
    Ok(out)
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<policy::Policy>()?;
    module.add_class::<policy::Reading>()?;
    module.add_class::<question::Prepared>()?;
    module.add_class::<decision::Decision>()?;
    module.add_class::<decisions::Decisions>()?;
    module.add_class::<decisions::DecisionsIterator>()?;
    module.add_class::<statement::Statement>()?;
    module.add_class::<statements::Statements>()?;
    module.add_class::<survey::Judgements>()?;
    module.add_class::<survey::Panel>()?;
    module.add_class::<survey::Tally>()?;
    module.add_class::<table::PolicyTable>()?;
    module.add_class::<rows::DecisionRows>()?;
    module.add_class::<table::DecisionStream>()?;
    for function in [
        wrap_pyfunction!(contains, module)?,
        wrap_pyfunction!(matches, module)?,
        wrap_pyfunction!(compare, module)?,
        wrap_pyfunction!(overcomes, module)?,
        wrap_pyfunction!(canonical_pattern, module)?,
        wrap_pyfunction!(canonical_path, module)?,
        wrap_pyfunction!(origin, module)?,
        wrap_pyfunction!(is_association, module)?,
        wrap_pyfunction!(is_plain, module)?,
        wrap_pyfunction!(absolute, module)?,
        wrap_pyfunction!(is_robots, module)?,
        wrap_pyfunction!(document_kind, module)?,
        wrap_pyfunction!(unreadable, module)?,
        wrap_pyfunction!(format_of, module)?,
        wrap_pyfunction!(agent_names, module)?,
        wrap_pyfunction!(dialects, module)?,
        wrap_pyfunction!(check_name, module)?,
        wrap_pyfunction!(url_text, module)?,
        wrap_pyfunction!(crawler_name, module)?,
        wrap_pyfunction!(other_names, module)?,
        wrap_pyfunction!(usages, module)?,
        wrap_pyfunction!(composites, module)?,
        wrap_pyfunction!(control_tokens, module)?,
        wrap_pyfunction!(folded_name, module)?,
        wrap_pyfunction!(restriction_table, module)?,
        wrap_pyfunction!(keys, module)?,
        wrap_pyfunction!(problem_codes, module)?,
        wrap_pyfunction!(default_limits, module)?,
        wrap_pyfunction!(tree_cost, module)?,
        wrap_pyfunction!(archives::gzip_member, module)?,
        wrap_pyfunction!(archives::record_fields, module)?,
        wrap_pyfunction!(archives::response_head, module)?,
        wrap_pyfunction!(differences::differences, module)?,
        wrap_pyfunction!(differences::addressed_lines, module)?,
        wrap_pyfunction!(differences::audience_key, module)?,
        wrap_pyfunction!(differences::is_controlled, module)?,
        wrap_pyfunction!(differences::meeting, module)?,
        wrap_pyfunction!(differences::redundant_lines, module)?,
        wrap_pyfunction!(differences::purposes_told_apart, module)?,
        wrap_pyfunction!(differences::folded_purpose, module)?,
        wrap_pyfunction!(hooks::bind, module)?,
        wrap_pyfunction!(pages::count_chars, module)?,
        wrap_pyfunction!(pages::count_words, module)?,
        wrap_pyfunction!(pages::decode, module)?,
        wrap_pyfunction!(pages::encoding_of, module)?,
        wrap_pyfunction!(pages::end_of_chars, module)?,
        wrap_pyfunction!(pages::end_of_words, module)?,
        wrap_pyfunction!(pages::resolve, module)?,
        wrap_pyfunction!(pages::unicode_version, module)?,
        wrap_pyfunction!(policy::decide_each, module)?,
        wrap_pyfunction!(policy::decide_with, module)?,
        wrap_pyfunction!(policy::read_many, module)?,
        wrap_pyfunction!(robots_rows::robots_values, module)?,
        wrap_pyfunction!(statement::located, module)?,
        wrap_pyfunction!(statement::of_open_page, module)?,
        wrap_pyfunction!(statement::of_source, module)?,
        wrap_pyfunction!(statement::satisfied, module)?,
        wrap_pyfunction!(survey::policy_reach, module)?,
        wrap_pyfunction!(survey::survey_changes, module)?,
        wrap_pyfunction!(tags::addresses, module)?,
        wrap_pyfunction!(tags::survey, module)?,
        wrap_pyfunction!(tags::mentions, module)?,
        wrap_pyfunction!(tags::plain_metas, module)?,
        wrap_pyfunction!(tags::text_of, module)?,
        wrap_pyfunction!(tags::text_as_written, module)?,
        wrap_pyfunction!(tags::is_tag, module)?,
        wrap_pyfunction!(tags::class_tokens, module)?,
        wrap_pyfunction!(tags::read_tags, module)?,
        wrap_pyfunction!(tags::is_hidden, module)?,
        wrap_pyfunction!(tags::read_signals, module)?,
        wrap_pyfunction!(written::has_page_within, module)?,
        wrap_pyfunction!(written::has_written_header, module)?,
        wrap_pyfunction!(written::is_coded_page, module)?,
        wrap_pyfunction!(written::is_response, module)?,
        wrap_pyfunction!(written::octets_of_repr, module)?,
        wrap_pyfunction!(written::robots_answer, module)?,
        wrap_pyfunction!(written::written_robots, module)?,
        wrap_pyfunction!(written::written_state, module)?,
        wrap_pyfunction!(written::written_status, module)?,
        wrap_pyfunction!(written::written_truth, module)?,
    ] {
        module.add_function(function)?;
    }
    let dialects = DIALECTS.iter().map(|dialect| dialect.name);
    module.add("PROBLEMS", PROBLEMS)?;
    module.add("SEMANTICS", decision::SEMANTICS)?;
    module.add("DIALECTS", PyList::new(module.py(), dialects)?)?;
    Ok(())
}
