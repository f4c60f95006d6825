//! What Python's reader of archives asks: gzip members, and heads in which nothing is unusual.

use acap_archives::{head, member};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

/// The octets of the gzip member that begins at a place, and where it ends. None, and how far it was read, of one that is
/// broken, unpacks to more than `most` octets, or goes on behind the last octet.
#[pyfunction]
pub(crate) fn gzip_member<'p>(
    py: Python<'p>,
    octets: &[u8],
    start: usize,
    most: usize,
) -> (Option<Bound<'p, PyBytes>>, usize) {
    let packed = octets.get(start..).unwrap_or_default();
    let (unpacked, read) = py.detach(|| member::member(packed, most));
    (unpacked.map(|found| PyBytes::new(py, &found)), start.saturating_add(read))
}

/// The fields of a record that begin at a place, by lower-case names, and where they end, after at most `limit` octets.
/// None if anything is unusual, or a name is repeated.
#[pyfunction]
pub(crate) fn record_fields<'p>(
    py: Python<'p>,
    octets: &[u8],
    start: usize,
    end: &[u8],
    limit: usize,
) -> PyResult<Option<(Bound<'p, PyDict>, usize)>> {
    let Some((found, length)) = head::record_fields(octets.get(start..).unwrap_or_default(), end, limit) else {
        return Ok(None);
    };
    let fields = PyDict::new(py);
    for (name, value) in &found {
        fields.set_item(name.to_ascii_lowercase(), value)?;
    }
    Ok((fields.len() == found.len()).then(|| (fields, start.saturating_add(length))))
}

/// Status, phrase and headers of a response, and where its body begins, after at most `limit` octets. None if anything is
/// unusual.
#[pyfunction]
pub(crate) fn response_head<'p>(
    py: Python<'p>,
    octets: &'p [u8],
    limit: usize,
) -> PyResult<Option<(u16, &'p str, Bound<'p, PyTuple>, usize)>> {
    let Some(head) = head::response_head(octets, limit) else {
        return Ok(None);
    };
    Ok(Some((head.status, head.reason, PyTuple::new(py, head.headers)?, head.end)))
}
