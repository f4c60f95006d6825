//! ACAP statements of a page's META tags and class attributes, for Python's readers.

use acap_markup::{metas, survey as glance, text, written};
use acap_policy::reading::signals::{self, Vocabulary};
use acap_policy::reading::{Effect, tag};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// (place, permits, usage, local, purpose, qualifiers, lifts, firm, doubted)
type Statement = (usize, bool, String, bool, Option<String>, Vec<(String, String)>, bool, bool, bool);
/// (code, place, words)
type TagProblem = (&'static str, u32, Vec<String>);

/// (metas, acap, acap_in_metas, nosnippet, templates, licences, simple)
type Survey = (usize, bool, bool, bool, bool, bool, bool);

/// What the text of a page may hold, in the order of `Survey` in `acap.pages.html`.
#[pyfunction]
pub(crate) fn survey(html: &str) -> Survey {
    let found = glance::survey(html.as_bytes());
    let glance::Survey { metas, acap, acap_in_metas, nosnippet, templates, licences, simple } = found;
    (metas, acap, acap_in_metas, nosnippet, templates, licences, simple)
}

/// Name, content and place of each META element of a text that has at most so many, if all are in a plain head.
#[pyfunction]
pub(crate) fn plain_metas(html: &str, count: usize) -> Option<Vec<(&str, &str, usize)>> {
    let found = metas::metas(html, count)?;
    Some(found.into_iter().map(|one| (one.name, one.content, one.at)).collect())
}

/// Whether a word stands in octets: of many octets in a fraction of the time that Python takes.
#[pyfunction]
pub(crate) fn mentions(octets: &[u8], word: &[u8]) -> bool {
    glance::mentions(octets, word)
}

/// The text of a tree that is written out as HTML; none where that does not tell.
#[pyfunction]
pub(crate) fn text_of(py: Python<'_>, html: &str) -> Option<String> {
    py.detach(|| text::text(html))
}

/// The text of a page whose tree is as it is written; none where its markup does not tell.
#[pyfunction]
pub(crate) fn text_as_written(py: Python<'_>, html: &str) -> Option<String> {
    py.detach(|| written::text(html))
}

/// Whether the content of a META tag is an ACAP statement: true, or false where only a slip in its mark makes it one.
#[pyfunction]
pub(crate) fn is_tag(content: &str) -> Option<bool> {
    tag::is_tag(content)
}

/// Whether something in the name of a crawler cannot be seen, so that nobody can tell whose it is.
#[pyfunction]
pub(crate) fn is_hidden(name: &str) -> bool {
    tag::is_hidden(name)
}

/// The tokens of ACAP in the value of a class attribute, if only by a slip; two that a blank divides are one.
#[pyfunction]
pub(crate) fn class_tokens(value: &str) -> Vec<String> {
    tag::class_tokens(value)
}

/// Whether a conventional statement that was written for a crawler addresses the one of this name.
#[pyfunction]
#[pyo3(signature = (written, name, dialect="auto"))]
pub(crate) fn addresses(written: &str, name: &str, dialect: &str) -> PyResult<bool> {
    Ok(crate::policy::dialect_of(dialect)?.agents.address(written.as_bytes(), name.as_bytes()))
}

/// Reads contents of META tags, up to `most` statements and one more, then tokens of class attributes; places count
/// through both lists.
#[pyfunction]
#[pyo3(signature = (contents, tokens, most=usize::MAX), text_signature = "(contents, tokens, most=...)")]
pub(crate) fn read_tags(
    contents: Vec<String>,
    tokens: Vec<String>,
    most: usize,
) -> (Option<String>, Vec<Statement>, Vec<TagProblem>) {
    let tags = tag::read(contents.iter().map(String::as_str), tokens.iter().map(String::as_str), most);
    let statement = |one: tag::TagStatement| {
        let permits = one.effect == Effect::Permits;
        (one.place, permits, one.usage, one.local, one.purpose, one.qualifiers, one.lifts, one.firm, one.doubted)
    };
    let found = |one: acap_policy::reading::Problem| (one.code.name(), one.place.line, one.words);
    (tags.version, tags.statements.into_iter().map(statement).collect(), tags.problems.into_iter().map(found).collect())
}

/// (usage, permits)
type Preference = (&'static str, bool);

/// Reads the lines of a header of Content-Signal or Content-Usage: what it says, and the codes and words of problems.
#[pyfunction]
#[pyo3(signature = (name, lines, by_letter=false))]
pub(crate) fn read_signals(
    name: &str,
    lines: Vec<Vec<u8>>,
    by_letter: bool,
) -> PyResult<(Vec<Preference>, Vec<(&'static str, Vec<String>)>)> {
    let vocabulary = Vocabulary::ALL.into_iter().find(|one| one.dialect() == name);
    let vocabulary = vocabulary.ok_or_else(|| PyValueError::new_err(format!("`{name}` is not a header of signals")))?;
    let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
    let (signals, notes) = signals::header(vocabulary, &lines, by_letter);
    let uses = signals.all(vocabulary).filter_map(|(usage, permits)| Some((usage.name()?, permits))).collect();
    Ok((uses, notes.into_iter().map(|(code, words)| (code.name(), words)).collect()))
}
