//! A table of captures as it comes in.

use acap_policy::reading::url::{self, Url};
use acap_policy::surveying::{Capture, Meaning};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, PrimitiveArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrow::{octets, stream};

/// The status of a part of a document, whatever was asked for.
const PARTIAL: i64 = 206;

/// The columns of a table of captures, in arrays of some rows each.
pub(super) struct Columns {
    parts: Vec<Part>,
    /// Where each part begins.
    starts: Vec<usize>,
}

pub(super) struct Part {
    sites: Vec<Option<Box<str>>>,
    robots: ArrayRef,
    statuses: Option<PrimitiveArray<Int64Type>>,
    cuts: Option<BooleanArray>,
    times: Option<PrimitiveArray<Int64Type>>,
    weights: Option<Float64Array>,
}

/// The site that a URL or a name is of: the host in lower case, with the port unless it is one of the web's.
fn site_of(text: &[u8]) -> Box<str> {
    let text = String::from_utf8_lossy(text);
    // Most are a host as it stands.
    if text.bytes().all(|octet| matches!(octet, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-')) {
        return text.into();
    }
    let authority = text.split_once("://").map_or(&*text, |(_, rest)| rest);
    let authority = authority.split(['/', '?', '#']).next().unwrap_or(authority);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = host.strip_suffix(":443").or_else(|| host.strip_suffix(":80")).unwrap_or(host);
    host.to_ascii_lowercase().into()
}

impl Columns {
    pub(super) fn read(table: &Bound<'_, PyAny>) -> PyResult<Self> {
        let wrong = |column: &str| PyValueError::new_err(format!("the column `{column}` is of another type"));
        let (mut parts, mut starts, mut start) = (Vec::new(), Vec::new(), 0);
        for array in stream(table)? {
            let array = array.map_err(|error| PyValueError::new_err(error.to_string()))?;
            let columns = array.as_struct_opt().ok_or_else(|| wrong("site"))?;
            let column = |name: &str| columns.column_by_name(name);
            let of_octets = |name: &str| column(name).filter(|held| octets(held).is_some()).ok_or_else(|| wrong(name));
            let numbers = |name: &str| match column(name) {
                None => Ok(None),
                Some(held) => {
                    held.as_primitive_opt::<Int64Type>().map(|held| Some(held.clone())).ok_or_else(|| wrong(name))
                }
            };
            let sites =
                octets(of_octets("site")?).unwrap_or_default().into_iter().map(|site| site.map(site_of)).collect();
            let robots = of_octets("robots")?.clone();
            let cuts = column("cut").map(|held| held.as_boolean_opt().cloned().ok_or_else(|| wrong("cut")));
            let weights = column("weight")
                .map(|held| held.as_primitive_opt::<Float64Type>().cloned().ok_or_else(|| wrong("weight")));
            starts.push(start);
            start += robots.len();
            parts.push(Part {
                sites,
                robots,
                statuses: numbers("status")?,
                cuts: cuts.transpose()?,
                times: numbers("at")?,
                weights: weights.transpose()?,
            });
        }
        Ok(Self { parts, starts })
    }

    /// The part that a row is of, and its place there.
    fn part(&self, row: usize) -> Option<(&Part, usize)> {
        let number = self.starts.partition_point(|start| *start <= row).checked_sub(1)?;
        // An empty part begins where the next one does: the last that begins so has the row.
        Some((self.parts.get(number)?, row - self.starts.get(number)?))
    }

    pub(super) fn site(&self, row: usize) -> Option<&str> {
        let (part, place) = self.part(row)?;
        part.sites.get(place)?.as_deref()
    }

    pub(super) fn at(&self, row: usize) -> Option<i64> {
        let (part, place) = self.part(row)?;
        part.times.as_ref().filter(|times| times.is_valid(place)).map(|times| times.value(place))
    }

    pub(super) fn weight(&self, row: usize) -> Option<f64> {
        let (part, place) = self.part(row)?;
        let weight = part.weights.as_ref().filter(|held| held.is_valid(place)).map(|held| held.value(place));
        weight.filter(|weight| weight.is_finite() && *weight >= 0.0)
    }

    pub(super) fn captures(&self, meanings: &[u8], now: i64) -> PyResult<Vec<(Option<String>, Capture<'_>)>> {
        let mut out = Vec::new();
        for part in &self.parts {
            let wrong = |column: &str| PyValueError::new_err(format!("the column `{column}` is of another type"));
            let robots = octets(&part.robots).ok_or_else(|| wrong("robots"))?;
            for (place, (site, octets)) in part.sites.iter().zip(robots).enumerate() {
                let status = part.statuses.as_ref().filter(|held| held.is_valid(place)).map(|held| held.value(place));
                let meaning = status.map(|status| {
                    let code = usize::try_from(status).ok().and_then(|status| meanings.get(status));
                    (Meaning::of_code(code.copied().unwrap_or(u8::MAX)), matches!(status, 401 | 403))
                });
                let is_cut = status == Some(PARTIAL)
                    || part.cuts.as_ref().is_some_and(|held| held.is_valid(place) && held.value(place));
                let at = part.times.as_ref().filter(|held| held.is_valid(place)).map_or(now, |held| held.value(place));
                let url = site.as_deref().and_then(url_of);
                out.push((url, Capture { url: None, octets, meaning, is_cut, at }));
            }
        }
        Ok(out)
    }
}

/// A URL of a site of this name; none if no site can have it.
fn url_of(site: &str) -> Option<String> {
    let url = format!("https://{site}/");
    (url::refused(url.as_bytes()).is_none() && Url::read(url.as_bytes()).is_ok()).then_some(url)
}
