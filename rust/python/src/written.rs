//! Values of tables, of Arrow or of Python, as the core reads them.

use std::borrow::Cow;

use acap_policy::reading::written::{self, Answer, Unreadable, Value};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, Float16Type, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_schema::DataType;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyEllipsis, PyList, PyString};

/// A value of an array.
pub(crate) fn cell(array: &dyn Array, place: usize) -> Value<'_> {
    fn number<T: ArrowPrimitiveType>(array: &dyn Array, place: usize) -> Value<'_>
    where
        T::Native: Into<f64>,
    {
        Value::Number(array.as_primitive::<T>().value(place).into())
    }
    if place >= array.len() || array.is_null(place) {
        return Value::None;
    }
    match array.data_type() {
        DataType::Null => Value::None,
        DataType::Utf8 => Value::Text(array.as_string::<i32>().value(place).as_bytes()),
        DataType::LargeUtf8 => Value::Text(array.as_string::<i64>().value(place).as_bytes()),
        DataType::Utf8View => Value::Text(array.as_string_view().value(place).as_bytes()),
        DataType::Binary => Value::Octets(array.as_binary::<i32>().value(place)),
        DataType::LargeBinary => Value::Octets(array.as_binary::<i64>().value(place)),
        DataType::BinaryView => Value::Octets(array.as_binary_view().value(place)),
        DataType::FixedSizeBinary(_) => Value::Octets(array.as_fixed_size_binary().value(place)),
        DataType::Boolean => Value::Truth(array.as_boolean().value(place)),
        DataType::Int8 => number::<Int8Type>(array, place),
        DataType::Int16 => number::<Int16Type>(array, place),
        DataType::Int32 => number::<Int32Type>(array, place),
        DataType::Int64 => Value::Number(array.as_primitive::<Int64Type>().value(place) as f64),
        DataType::UInt8 => number::<UInt8Type>(array, place),
        DataType::UInt16 => number::<UInt16Type>(array, place),
        DataType::UInt32 => number::<UInt32Type>(array, place),
        DataType::UInt64 => Value::Number(array.as_primitive::<UInt64Type>().value(place) as f64),
        DataType::Float32 => number::<Float32Type>(array, place),
        DataType::Float16 => number::<Float16Type>(array, place),
        DataType::Decimal32(_, scale) => scaled(array.as_primitive::<Decimal32Type>().value(place).into(), *scale),
        DataType::Decimal64(_, scale) => scaled(array.as_primitive::<Decimal64Type>().value(place).into(), *scale),
        DataType::Decimal128(_, scale) => scaled(array.as_primitive::<Decimal128Type>().value(place), *scale),
        DataType::Decimal256(_, scale) => {
            array.as_primitive::<Decimal256Type>().value(place).to_i128().map_or(Value::Other, |it| scaled(it, *scale))
        }
        DataType::Float64 => number::<Float64Type>(array, place),
        DataType::Dictionary(_, _) => {
            array.as_any_dictionary_opt().map_or(Value::Other, |words| match cell(words.keys(), place) {
                Value::Number(key) if key >= 0.0 => cell(words.values().as_ref(), key as usize),
                _ => Value::Other,
            })
        }
        _ => Value::Other,
    }
}

/// A decimal number of so many places.
fn scaled(number: i128, scale: i8) -> Value<'static> {
    Value::Number(number as f64 / 10f64.powi(scale.into()))
}

/// The type of the values of an array, whatever few words they are.
pub(crate) fn kind(array: &dyn Array) -> &DataType {
    match array.data_type() {
        DataType::Dictionary(_, words) => words,
        other => other,
    }
}

/// Whether an array has texts, or octets.
pub(crate) fn is_of_texts(array: &dyn Array) -> bool {
    use DataType::{Binary, BinaryView, FixedSizeBinary, LargeBinary, LargeUtf8, Null, Utf8, Utf8View};
    matches!(kind(array), Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView | FixedSizeBinary(_) | Null)
}

/// Whether an array has values that stand alone: texts, octets, numbers or truths.
pub(crate) fn is_of_words(array: &dyn Array) -> bool {
    is_of_texts(array) || kind(array).is_numeric() || *kind(array) == DataType::Boolean
}

/// A value of an array as an object of Python; what none of our readers takes is `...`.
pub(crate) fn object<'py>(py: Python<'py>, array: &dyn Array, place: usize) -> PyResult<Bound<'py, PyAny>> {
    let other = || PyEllipsis::get(py).to_owned().into_any();
    let list = |held: arrow_array::ArrayRef| -> PyResult<Bound<'py, PyAny>> {
        let each = (0..held.len()).map(|place| object(py, held.as_ref(), place)).collect::<PyResult<Vec<_>>>()?;
        Ok(PyList::new(py, each)?.into_any())
    };
    Ok(match (cell(array, place), array.data_type()) {
        (Value::None, _) => py.None().into_bound(py),
        (Value::Text(text), _) => PyString::new(py, &String::from_utf8_lossy(text)).into_any(),
        (Value::Octets(octets), _) => PyBytes::new(py, octets).into_any(),
        (Value::Truth(truth), _) => PyBool::new(py, truth).to_owned().into_any(),
        (Value::Number(number), _) if number.fract() == 0.0 => (number as i64).into_pyobject(py)?.into_any(),
        (Value::Number(_), _) => other(),
        (Value::Other, DataType::List(_)) => list(array.as_list::<i32>().value(place))?,
        (Value::Other, DataType::LargeList(_)) => list(array.as_list::<i64>().value(place))?,
        (Value::Other, DataType::FixedSizeList(_, _)) => list(array.as_fixed_size_list().value(place))?,
        (Value::Other, DataType::Map(_, _)) => {
            let entries = array.as_map().value(place);
            let [names, values] = entries.columns() else { return Ok(other()) };
            let pair = |place| -> PyResult<_> {
                Ok((object(py, names.as_ref(), place)?, object(py, values.as_ref(), place)?))
            };
            PyList::new(py, (0..entries.len()).map(pair).collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        (Value::Other, DataType::Struct(_)) => {
            let held = array.as_struct();
            let members = PyDict::new(py);
            for (name, values) in held.column_names().into_iter().zip(held.columns()) {
                members.set_item(name, object(py, values.as_ref(), place)?)?;
            }
            if members.len() < held.num_columns() { other() } else { members.into_any() }
        }
        (Value::Other, _) => other(),
    })
}

/// Reads a value of Python's.
fn read<T>(given: &Bound<'_, PyAny>, what: &str, read: impl FnOnce(Value<'_>) -> Result<T, Unreadable>) -> PyResult<T> {
    let found = if let Ok(text) = given.cast::<PyString>() {
        read(Value::Text(&octets_of(text)?))
    } else if let Ok(octets) = given.cast::<PyBytes>() {
        read(Value::Octets(octets.as_bytes()))
    } else if given.is_none() {
        read(Value::None)
    } else if let Ok(truth) = given.cast::<PyBool>() {
        read(Value::Truth(truth.is_true()))
    } else if given.ne(given)? {
        read(Value::Number(f64::NAN)) // also that of times, which is of a type of its own
    } else {
        read(given.extract().map_or(Value::Other, Value::Number))
    };
    found.map_err(|why| PyValueError::new_err(told(why, what)))
}

fn told(why: Unreadable, what: &str) -> String {
    let what = match why {
        Unreadable::Value => what,
        Unreadable::Octets => "octets",
        Unreadable::Lines => "the lines of a text",
    };
    format!("{what} cannot be read")
}

/// The UTF-8 of a text, and of half of a surrogate pair what it would have.
fn octets_of<'t>(text: &'t Bound<'_, PyString>) -> PyResult<Cow<'t, [u8]>> {
    if let Ok(text) = text.to_str() {
        return Ok(Cow::Borrowed(text.as_bytes()));
    }
    let octets = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
    Ok(Cow::Owned(octets.cast_into::<PyBytes>()?.as_bytes().to_vec()))
}

/// Octets as Python has them.
type Octets<'py> = Bound<'py, PyBytes>;

/// The octets of Python's text of them, which may be octets itself; None of another value. ValueError for what only looks
/// like one.
#[pyfunction]
pub(crate) fn octets_of_repr<'py>(py: Python<'py>, value: &Bound<'py, PyAny>) -> PyResult<Option<Octets<'py>>> {
    let found = if let Ok(octets) = value.cast::<PyBytes>() {
        written::of_repr(octets.as_bytes())
    } else {
        written::of_repr(&octets_of(value.cast::<PyString>()?)?)
    };
    let found = found.transpose();
    let found = found.map_err(|why| PyValueError::new_err(told(why, "")))?;
    Ok(found.map(|octets| PyBytes::new(py, &octets)))
}

/// Whether the text of a page is coded, so that a reader finds nothing in it.
#[pyfunction]
pub(crate) fn is_coded_page(text: &[u8]) -> bool {
    written::is_coded_page(text)
}

/// Whether JSON or the like has a page within it that is coded, as a site may serve it itself.
#[pyfunction]
pub(crate) fn has_page_within(text: &[u8]) -> bool {
    written::has_page_within(text)
}

/// Whether octets begin as a whole response does: with a line that tells its status, perhaps behind blanks.
#[pyfunction]
pub(crate) fn is_response(octets: &[u8]) -> bool {
    written::is_response(octets)
}

/// Whether the end of a line was written as characters in a header, and another may stand behind it.
#[pyfunction]
pub(crate) fn has_written_header(text: &Bound<'_, PyString>) -> PyResult<bool> {
    Ok(written::has_written_header(&octets_of(text)?))
}

/// The octets of a robots.txt as a table has it; None where there is no value. ValueError if they cannot be read.
#[pyfunction]
pub(crate) fn written_robots<'py>(py: Python<'py>, value: &Bound<'py, PyAny>) -> PyResult<Option<Octets<'py>>> {
    read(value, "a text", |value| Ok(written::robots(value)?.map(|octets| PyBytes::new(py, &octets))))
}

/// A status of HTTP as a table has it, None where there is no value. ValueError if it is none.
#[pyfunction]
pub(crate) fn written_status(value: &Bound<'_, PyAny>) -> PyResult<Option<u16>> {
    read(value, "a status", written::status)
}

/// The status that stands for a state as a table has it, None where there is no value. ValueError if it is none.
#[pyfunction]
pub(crate) fn written_state(value: &Bound<'_, PyAny>) -> PyResult<Option<u16>> {
    read(value, "a state", written::state)
}

/// A truth value as a table has it. ValueError if it is none.
#[pyfunction]
pub(crate) fn written_truth(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    read(value, "a truth value", written::truth)
}

/// What a row says that a site answered: the status, or 0 and in a word why nothing is known.
#[pyfunction]
pub(crate) fn robots_answer(
    octets: Option<&[u8]>,
    status: Option<u16>,
    state: Option<u16>,
    is_cut: bool,
    is_short: bool,
) -> (u16, &'static str) {
    match Answer::of(octets, status, state, is_cut, is_short) {
        Answer::Status(status) => (status, ""),
        Answer::OtherState => (0, "other-state"),
        Answer::Cut => (0, "cut"),
        Answer::Short => (0, "short"),
        Answer::None => (0, "none"),
        Answer::Refused => (0, "refused"),
    }
}
