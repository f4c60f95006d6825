//! What Python's readers of pages ask beside tags: encodings, URLs of links, characters and words.

use std::borrow::Cow;

use acap_markup::{encoding, link, segments};
use pyo3::exceptions::PyLookupError;
use pyo3::prelude::*;

/// The name, in the Encoding standard's spelling, of the encoding that a label stands for; none of other labels.
#[pyfunction]
pub(crate) fn encoding_of(label: &str) -> Option<&'static str> {
    encoding::encoding_of(label)
}

/// The text of octets in an encoding, by its name, and whether malformed octets became U+FFFD.
#[pyfunction]
pub(crate) fn decode<'o>(py: Python<'_>, octets: &'o [u8], name: &str) -> PyResult<(Cow<'o, str>, bool)> {
    let decoded = py.detach(|| encoding::decode(octets, name));
    decoded.ok_or_else(|| PyLookupError::new_err(format!("`{name}` is not an encoding")))
}

/// The URL of a reference in a document, written out as browsers do; none if it is none.
#[pyfunction]
pub(crate) fn resolve(base: &str, reference: &str) -> Option<String> {
    link::resolve(base, reference)
}

/// How many user-perceived characters a text has.
#[pyfunction]
pub(crate) fn count_chars(py: Python<'_>, text: &str) -> usize {
    py.detach(|| segments::count_chars(text))
}

/// How many words a text has.
#[pyfunction]
pub(crate) fn count_words(py: Python<'_>, text: &str) -> usize {
    py.detach(|| segments::count_words(text))
}

/// Where the first so many user-perceived characters end, in code points; none if the text has no more.
#[pyfunction]
pub(crate) fn end_of_chars(py: Python<'_>, text: &str, amount: usize) -> Option<usize> {
    py.detach(|| segments::end_of_chars(text, amount).map(|end| code_points(text, end)))
}

/// Where the first so many words end, with what hangs on the last, in code points; none if the text has no more. Beside
/// it: whether that would be so whatever followed the text.
#[pyfunction]
pub(crate) fn end_of_words(py: Python<'_>, text: &str, amount: usize) -> Option<(usize, bool)> {
    py.detach(|| segments::end_of_words(text, amount).map(|(end, certain)| (code_points(text, end), certain)))
}

fn code_points(text: &str, end: usize) -> usize {
    text.get(..end).unwrap_or(text).chars().count()
}

/// The version of Unicode by which characters and words are counted.
#[pyfunction]
pub(crate) fn unicode_version() -> &'static str {
    segments::UNICODE
}
