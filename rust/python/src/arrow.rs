//! What comes in and goes out as Arrow: columns of texts, of anything that speaks its protocol, and those of answers.

use std::sync::Arc;

use acap_policy::deciding::batch::{KINDS, Rows};
use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    Array, ArrayReader, ArrayRef, BooleanArray, DictionaryArray, Int8Array, Int32Array, RecordBatch, RecordBatchReader,
    StringArray, UInt32Array, ffi, make_array, new_empty_array,
};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyString};

use crate::question::{at_place, url_text};

/// URLs that a thread answers together, at most. Of each site they are taken up at once, so that more of them cost less
/// each.
const TOGETHER: usize = 1 << 20;

/// Fewer URLs are not divided: starting a thread takes as long as answering some hundreds.
const DIVIDED: usize = 1 << 15;

/// Columns of a table without URLs that are named.
const TOLD: usize = 8;

/// The URLs that come in: arrays of texts, perhaps as the column `url` of others.
pub(crate) struct Urls {
    coming: Box<dyn Iterator<Item = Result<ArrayRef, ArrowError>> + Send>,
    data_type: DataType,
    /// What came and is not answered yet.
    here: Option<ArrayRef>,
}

impl Urls {
    pub(crate) fn of(urls: &Bound<'_, PyAny>) -> PyResult<Self> {
        if urls.cast::<PyString>().is_ok() || urls.cast::<PyBytes>().is_ok() {
            return Err(PyTypeError::new_err("urls must be many URLs, not one"));
        }
        if !urls.hasattr("__arrow_c_stream__")? {
            return if urls.hasattr("__arrow_c_array__")? { Self::array(urls) } else { Self::listed(urls) };
        }
        let reader = stream(urls)?;
        let (place, data_type) = texts_of(reader.field().data_type())?;
        let column = move |array: Result<ArrayRef, ArrowError>| array.map(|array| column_of(array, place));
        Ok(Self { coming: Box::new(reader.map(column)), data_type, here: None })
    }

    fn array(urls: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) =
            urls.call_method0("__arrow_c_array__")?.extract()?;
        let schema = schema.pointer_checked(Some(c"arrow_schema"))?;
        let array = array.pointer_checked(Some(c"arrow_array"))?;
        // As of a stream; the capsule of the schema keeps it.
        #[allow(unsafe_code)]
        let data = unsafe {
            ffi::from_ffi(
                ffi::FFI_ArrowArray::from_raw(array.as_ptr().cast()),
                schema.cast::<ffi::FFI_ArrowSchema>().as_ref(),
            )
        };
        let array = make_array(data.map_err(|error| PyValueError::new_err(error.to_string()))?);
        let (place, data_type) = texts_of(array.data_type())?;
        Ok(Self { coming: Box::new(std::iter::empty()), data_type, here: Some(column_of(array, place)) })
    }

    fn listed(urls: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut texts = StringBuilder::new();
        for (place, url) in urls.try_iter()?.enumerate() {
            let url = url?;
            if url.is_none() {
                texts.append_null();
                continue;
            }
            let at_place = |error| at_place(urls.py(), "urls", place, &error);
            texts.append_value(url_text(&url).map_err(at_place)?.to_str().map_err(at_place)?);
        }
        let array: ArrayRef = Arc::new(texts.finish());
        Ok(Self { coming: Box::new(std::iter::empty()), data_type: DataType::Utf8, here: Some(array) })
    }

    /// An array without URLs.
    pub(crate) fn none(&self) -> ArrayRef {
        new_empty_array(&self.data_type)
    }
}

impl Urls {
    /// What comes next, in pieces for so many threads, none of them empty; or one without URLs.
    pub(crate) fn pieces(&mut self, threads: usize) -> Option<Result<Vec<ArrayRef>, ArrowError>> {
        let all = match self.here.take() {
            Some(all) => all,
            None => match self.coming.next()? {
                Ok(all) => all,
                Err(error) => return Some(Err(error)),
            },
        };
        let each = all.len().div_ceil(threads.max(1)).clamp(DIVIDED, TOGETHER);
        let ends = (1..threads).map(|place| place * each).take_while(|end| *end < all.len());
        let begins: Vec<usize> = std::iter::once(0).chain(ends).collect();
        let length = |begin: usize| each.min(all.len() - begin);
        let done = begins.last().map_or(0, |begin| begin + length(*begin));
        self.here = (done < all.len()).then(|| all.slice(done, all.len() - done));
        Some(Ok(begins.into_iter().map(|begin| all.slice(begin, length(begin))).collect()))
    }
}

/// The arrays of whatever gives a stream of them.
pub(crate) fn stream(given: &Bound<'_, PyAny>) -> PyResult<ArrayStreamReader> {
    let capsule = given.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // The capsule holds a stream of the C interface, by its name; what is moved out of it is marked as released.
    #[allow(unsafe_code)]
    let reader = unsafe { ArrayStreamReader::from_raw(pointer.as_ptr().cast()) };
    reader.map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Where in an array the URLs are, if it has columns, and their type.
fn texts_of(data_type: &DataType) -> PyResult<(Option<usize>, DataType)> {
    let (place, data_type) = match data_type {
        DataType::Struct(fields) => match fields.find("url") {
            Some((place, field)) => (Some(place), field.data_type().clone()),
            None => {
                let names: Vec<_> = fields.iter().take(TOLD).map(|field| format!("`{}`", field.name())).collect();
                let has = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                return Err(PyValueError::new_err(format!("the table of URLs has no column `url`; it has {has}")));
            }
        },
        other => (None, other.clone()),
    };
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Ok((place, data_type)),
        other => Err(PyTypeError::new_err(format!("urls must be texts, not {other}"))),
    }
}

fn column_of(array: ArrayRef, place: Option<usize>) -> ArrayRef {
    place.map_or_else(|| array.clone(), |place| array.as_struct().column(place).clone())
}

/// Each text of an array, as octets; None if it holds something else.
pub(crate) fn octets(array: &ArrayRef) -> Option<Vec<Option<&[u8]>>> {
    Some(match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().map(|text| text.map(str::as_bytes)).collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().map(|text| text.map(str::as_bytes)).collect(),
        DataType::Utf8View => array.as_string_view().iter().map(|text| text.map(str::as_bytes)).collect(),
        DataType::Binary => array.as_binary::<i32>().iter().collect(),
        DataType::LargeBinary => array.as_binary::<i64>().iter().collect(),
        DataType::BinaryView => array.as_binary_view().iter().collect(),
        DataType::Null => vec![None; array.len()], // of a column without a value no library knows the type
        _ => return None,
    })
}

/// The words of the codes of outcomes.
pub(crate) const OUTCOMES: [&str; 3] = ["permitted", "conditional", "prohibited"];

/// A column and its name.
pub(crate) type Column = (&'static str, ArrayRef);

/// The columns of answers: url, usage, outcome, kind, stated, restricted, line. Rows are URL by URL, and for each URL
/// usage by usage; `has_kind` says which have a kind of reason.
pub(crate) fn answers(
    url: ArrayRef,
    usages: &[String],
    rows: &Rows,
    has_kind: impl Fn(usize) -> bool,
) -> Result<Vec<Column>, ArrowError> {
    let each = (0..rows.outcomes.len()).map(|row| Some(row % usages.len().max(1)));
    let outcomes = rows.outcomes.iter().map(|outcome| Some(usize::from(*outcome)));
    let kinds = rows.kinds.iter().enumerate().map(|(row, kind)| has_kind(row).then_some(usize::from(*kind)));
    let flags = |column: &[u8]| -> ArrayRef {
        Arc::new(column.iter().map(|value| Some(*value != 0)).collect::<BooleanArray>())
    };
    Ok(vec![
        ("url", url),
        ("usage", dictionary(each, usages.iter().map(String::as_str).collect())?),
        ("outcome", dictionary(outcomes, OUTCOMES.to_vec())?),
        ("kind", dictionary(kinds, KINDS.iter().map(|kind| kind.name()).collect())?),
        ("stated", flags(&rows.stated)),
        ("restricted", flags(&rows.restricted)),
        ("line", Arc::new(UInt32Array::from(rows.lines.clone()))),
    ])
}

/// A column of few words: the place of its word a row, or none, and the words. Places are octets where that is enough.
pub(crate) fn dictionary(
    places: impl Iterator<Item = Option<usize>>,
    words: Vec<&str>,
) -> Result<ArrayRef, ArrowError> {
    let is_short = i8::try_from(words.len()).is_ok();
    let words: ArrayRef = Arc::new(StringArray::from(words));
    if is_short {
        let keys: Int8Array = places.map(|place| i8::try_from(place?).ok()).collect();
        return Ok(Arc::new(DictionaryArray::<Int8Type>::try_new(keys, words)?));
    }
    let keys: Int32Array = places.map(|place| i32::try_from(place?).ok()).collect();
    Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(keys, words)?))
}

/// Columns as one table; those that are `nullable` may have gaps.
pub(crate) fn batch(columns: Vec<Column>, nullable: &[&str]) -> Result<RecordBatch, ArrowError> {
    let field = |(name, column): &Column| Field::new(*name, column.data_type().clone(), nullable.contains(name));
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    RecordBatch::try_new(Arc::new(schema), columns.into_iter().map(|(_, column)| column).collect())
}

/// A stream as Python hands it over.
pub(crate) fn capsule(py: Python<'_>, reader: Box<dyn RecordBatchReader + Send>) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
}
