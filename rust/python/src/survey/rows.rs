//! Judgements as a table that goes out: of each capture a row for each crawler and usage.

use std::collections::HashMap;
use std::sync::Arc;

use acap_policy::batch::KINDS;
use acap_policy::reach::Extent;
use acap_policy::survey::SIGNALS;
use acap_policy::survey::capture::{FIELDS, Judged, Standing};
use arrow_array::builder::StringBuilder;
use arrow_array::types::{ArrowDictionaryKeyType, Int8Type, Int16Type, Int32Type};
use arrow_array::{
    DictionaryArray, Float64Array, PrimitiveArray, RecordBatch, StringArray, TimestampMicrosecondArray, UInt32Array,
};
use arrow_schema::ArrowError;

use super::columns::Columns;
use crate::arrow::{Column, OUTCOMES, batch};

/// Repeats each value of a list.
fn repeated<T: Copy>(values: impl Iterator<Item = T>, times: usize) -> Vec<T> {
    let mut out = Vec::with_capacity(values.size_hint().0 * times);
    for value in values {
        out.resize(out.len() + times, value);
    }
    out
}

/// A column of words by the codes of its rows.
fn coded<K: ArrowDictionaryKeyType>(
    name: &'static str,
    codes: Vec<K::Native>,
    words: impl IntoIterator<Item = impl AsRef<str>>,
) -> Result<Column, ArrowError> {
    let words = Arc::new(StringArray::from_iter_values(words));
    Ok((name, Arc::new(DictionaryArray::<K>::try_new(PrimitiveArray::from_iter_values(codes), words)?)))
}

/// The names of bits, beside each other.
fn named(bits: usize, names: &[&str]) -> String {
    let places = (0..names.len()).filter(|place| bits >> place & 1 == 1);
    places.filter_map(|place| names.get(place).copied()).collect::<Vec<_>>().join(" ")
}

/// The places of values among those that differ, and these.
fn distinct(values: impl Iterator<Item = u16>) -> (Vec<i32>, Vec<u16>) {
    let mut known: HashMap<u16, i32> = HashMap::new();
    let mut all = Vec::new();
    let places = values.map(|value| {
        *known.entry(value).or_insert_with(|| {
            all.push(value);
            i32::try_from(all.len() - 1).unwrap_or(0)
        })
    });
    (places.collect(), all)
}

/// What is said to each crawler, column by column.
#[derive(Default)]
struct SaidColumns {
    outcomes: Vec<i8>,
    extents: Vec<i8>,
    lines: Vec<u32>,
    kinds: Vec<i8>,
    signals: Vec<i8>,
}

impl SaidColumns {
    fn of(judged: &[Judged], crawlers: usize, usages: usize) -> Self {
        let count = judged.len() * crawlers * usages;
        let mut out = Self {
            outcomes: Vec::with_capacity(count),
            extents: Vec::with_capacity(count),
            lines: Vec::with_capacity(count),
            kinds: Vec::with_capacity(count),
            signals: Vec::with_capacity(count),
        };
        let code = |value: u8| i8::try_from(value).unwrap_or(0);
        for Judged { surveyed, .. } in judged {
            let mut others = surveyed.others.iter().peekable();
            for crawler in 0..crawlers {
                let other = others.next_if(|(of, _)| usize::try_from(*of) == Ok(crawler));
                for said in surveyed.of_class(other.map_or(0, |(_, class)| *class), usages) {
                    out.outcomes.push(code(said.row.outcome));
                    out.extents.push(said.extent as i8);
                    out.lines.push(said.row.line.unwrap_or(0));
                    out.kinds.push(code(said.row.kind));
                    out.signals.push(code(said.signals));
                }
            }
        }
        out
    }
}

/// `names` and `usage_names` are what the columns call crawlers and usages.
pub(super) fn rows(
    columns: &Columns,
    judged: &[Judged],
    names: &[String],
    usage_names: &[String],
) -> Result<RecordBatch, ArrowError> {
    let (files, crawlers, usages) = (judged.len(), names.len(), usage_names.len());
    let width = crawlers * usages;
    let said = SaidColumns::of(judged, crawlers, usages);
    let mut sites = StringBuilder::new();
    (0..files).for_each(|file| sites.append_option(columns.site(file)));
    let site_keys = (0..files).map(|file| columns.site(file).and_then(|_| i32::try_from(file).ok()));
    let site_keys: PrimitiveArray<Int32Type> = repeated(site_keys, width).into_iter().collect();
    let (field_keys, fields) = distinct(judged.iter().map(|one| one.fields));
    let crawler_keys: Vec<i16> = (0..width).map(|row| i16::try_from(row / usages.max(1)).unwrap_or(0)).collect();
    let usage_keys: Vec<i8> = (0..width).map(|row| i8::try_from(row % usages.max(1)).unwrap_or(0)).collect();
    let standings = repeated(judged.iter().map(|one| one.standing as i8), width);
    let number = |name: &'static str, of: fn(&Judged) -> u32| -> Column {
        (name, Arc::new(UInt32Array::from(repeated(judged.iter().map(of), width))))
    };
    let times = repeated((0..files).map(|file| columns.at(file)), width);
    let weights = repeated((0..files).map(|file| columns.weight(file)), width);
    let all: Vec<Column> = vec![
        ("site", Arc::new(DictionaryArray::try_new(site_keys, Arc::new(sites.finish()))?)),
        ("at", Arc::new(TimestampMicrosecondArray::from(times).with_timezone("UTC"))),
        coded::<Int16Type>("crawler", crawler_keys.repeat(files), names)?,
        coded::<Int8Type>("usage", usage_keys.repeat(files), usage_names)?,
        coded::<Int8Type>("outcome", said.outcomes, OUTCOMES)?,
        coded::<Int8Type>("extent", said.extents, Extent::NAMES)?,
        ("line", Arc::new(UInt32Array::from(said.lines))),
        coded::<Int8Type>("kind", said.kinds, KINDS.iter().map(|kind| kind.name()))?,
        coded::<Int8Type>("signals", said.signals, (0..1 << SIGNALS.len()).map(|bits| named(bits, &SIGNALS)))?,
        coded::<Int8Type>("standing", standings, Standing::NAMES)?,
        coded::<Int32Type>(
            "fields",
            repeated(field_keys.into_iter(), width),
            fields.iter().map(|bits| named(usize::from(*bits), &FIELDS)),
        )?,
        number("errors", |one| one.problems[0]),
        number("warnings", |one| one.problems[1]),
        number("infos", |one| one.problems[2]),
        ("weight", Arc::new(Float64Array::from(weights))),
    ];
    batch(all, &["site", "at", "weight"])
}
