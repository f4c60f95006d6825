//! Judgements as a table that goes out: of each capture a row for each crawler and usage.

use std::collections::HashMap;
use std::sync::Arc;

use acap_policy::deciding::batch::KINDS;
use acap_policy::proving::reach::Extent;
use acap_policy::surveying::{DIALECTS, FIELDS, Judged, Restriction, SIGNALS, Said, Standing};
use arrow_array::builder::StringBuilder;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Float64Type, Int8Type, Int16Type, Int32Type, TimestampMicrosecondType,
};
use arrow_array::{DictionaryArray, PrimitiveArray, RecordBatch, StringArray, UInt32Array};
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
    let codes = PrimitiveArray::<K>::try_new(codes.into(), None)?;
    Ok((name, Arc::new(DictionaryArray::try_new(codes, words)?)))
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
    dialects: Vec<i8>,
    restrictions: Vec<i8>,
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
            dialects: Vec::with_capacity(count),
            restrictions: Vec::with_capacity(count),
            signals: Vec::with_capacity(count),
        };
        for one in judged {
            let first = one.surveyed.of_class(0, usages);
            let mut next = 0;
            for (crawler, class) in &one.surveyed.others {
                let Some(crawler) = usize::try_from(*crawler).ok().filter(|crawler| *crawler < crawlers) else { break };
                out.push(one, first, crawler.saturating_sub(next));
                out.push(one, one.surveyed.of_class(*class, usages), 1);
                next = crawler + 1;
            }
            out.push(one, first, crawlers.saturating_sub(next));
        }
        out
    }

    /// What so many crawlers that stand beside each other are told, usage by usage. Most are told the same.
    fn push(&mut self, judged: &Judged, said: &[Said], crawlers: usize) {
        let code = |value: u8| i8::try_from(value).unwrap_or(0);
        let restriction = |said: &Said| judged.traits.restriction(judged.standing, said.extent) as i8;
        fill(&mut self.outcomes, said, crawlers, |said| code(said.row.outcome));
        fill(&mut self.extents, said, crawlers, |said| said.extent as i8);
        fill(&mut self.lines, said, crawlers, |said| said.row.line.unwrap_or(0));
        fill(&mut self.kinds, said, crawlers, |said| code(said.row.kind));
        fill(&mut self.dialects, said, crawlers, |said| code(said.dialect));
        fill(&mut self.restrictions, said, crawlers, restriction);
        fill(&mut self.signals, said, crawlers, |said| code(said.signals));
    }
}

/// Appends what is said of each usage, so many times.
fn fill<T: Copy>(column: &mut Vec<T>, said: &[Said], times: usize, of: impl Fn(&Said) -> T) {
    match said {
        [one] => column.resize(column.len() + times, of(one)),
        _ => (0..times).for_each(|_| column.extend(said.iter().map(&of))),
    }
}

/// A column of numbers, each so many times; some may be missing.
fn numbers<T: ArrowPrimitiveType>(
    values: impl Iterator<Item = Option<T::Native>> + Clone,
    times: usize,
) -> Result<PrimitiveArray<T>, ArrowError> {
    let is_whole = values.clone().all(|value| value.is_some());
    let there = (!is_whole).then(|| repeated(values.clone().map(|value| value.is_some()), times).into());
    PrimitiveArray::try_new(repeated(values.map(Option::unwrap_or_default), times).into(), there)
}

/// `names` and `usage_names` are what the columns call crawlers and usages, `cited` is what they call conventional rules.
pub(super) fn rows(
    columns: &Columns,
    judged: &[Judged],
    names: &[String],
    usage_names: &[String],
    cited: &'static str,
) -> Result<RecordBatch, ArrowError> {
    let (files, crawlers, usages) = (judged.len(), names.len(), usage_names.len());
    let width = crawlers * usages;
    let said = SaidColumns::of(judged, crawlers, usages);
    let mut sites = StringBuilder::new();
    (0..files).for_each(|file| sites.append_option(columns.site(file)));
    let site_keys = (0..files).map(|file| columns.site(file).and_then(|_| i32::try_from(file).ok()));
    let site_keys = numbers::<Int32Type>(site_keys, width)?;
    let (field_keys, fields) = distinct(judged.iter().map(|one| one.fields));
    let crawler_keys: Vec<i16> = (0..width).map(|row| i16::try_from(row / usages.max(1)).unwrap_or(0)).collect();
    let usage_keys: Vec<i8> = (0..width).map(|row| i8::try_from(row % usages.max(1)).unwrap_or(0)).collect();
    let standings = repeated(judged.iter().map(|one| one.standing as i8), width);
    let number = |name: &'static str, of: fn(&Judged) -> u32| -> Column {
        (name, Arc::new(UInt32Array::from(repeated(judged.iter().map(of), width))))
    };
    let times = numbers::<TimestampMicrosecondType>((0..files).map(|file| columns.at(file)), width)?;
    let weights = numbers::<Float64Type>((0..files).map(|file| columns.weight(file)), width)?;
    let all: Vec<Column> = vec![
        ("site", Arc::new(DictionaryArray::try_new(site_keys, Arc::new(sites.finish()))?)),
        ("at", Arc::new(times.with_timezone("UTC"))),
        coded::<Int16Type>("crawler", crawler_keys.repeat(files), names)?,
        coded::<Int8Type>("usage", usage_keys.repeat(files), usage_names)?,
        coded::<Int8Type>("outcome", said.outcomes, OUTCOMES)?,
        coded::<Int8Type>("extent", said.extents, Extent::NAMES)?,
        coded::<Int8Type>("restriction", said.restrictions, Restriction::NAMES)?,
        ("line", Arc::new(UInt32Array::from(said.lines))),
        coded::<Int8Type>("dialect", said.dialects, DIALECTS.map(|name| if name == "rep" { cited } else { name }))?,
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
        ("weight", Arc::new(weights)),
    ];
    batch(all, &["site", "at", "weight"])
}
