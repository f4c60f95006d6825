//! Python arguments → a question. The caller's mistakes are ValueErrors.
//!
//! Crawler, usages, purposes and time are one module: each is checked as it is read, and all of them are one value.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use acap_policy::deciding::batch::Mistake;
use acap_policy::deciding::{self, View, Viewed as Core};
use acap_policy::reading::url::Fault;
use acap_policy::reading::usage::{self, ANY, COMPOSITES, CRAWL, KNOWN, Usage};
use acap_policy::reading::{Facts, NAMES, URL_OCTETS, fold_purpose, is_cut, name_of, other_names};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

/// Letters that a misspelt usage has in common with the one that is meant.
const ENOUGH: usize = 3;
/// Characters of a misspelt usage that are compared.
const COMPARED: usize = 64;
/// Characters that a message shows of a URL.
const SHOWN: usize = 300;

/// The purposes of a question that has none: one question, not none.
pub(crate) const WITHOUT_PURPOSE: &[Option<&[u8]>] = &[None];

/// Who asks.
#[derive(Debug)]
pub(crate) struct Asker {
    pub(crate) names: Vec<String>,
    /// Further names that stand in User-Agent strings, in no order: what is said to one of them counts as well.
    pub(crate) others: Vec<String>,
    pub(crate) purposes: Vec<String>,
    pub(crate) honours: Option<Vec<String>>,
    pub(crate) silence: Vec<(String, bool)>,
    /// Whether it can work on elements (P2 2.2.6).
    pub(crate) elements: bool,
    /// The licences that it holds.
    pub(crate) licences: Vec<String>,
}

impl Asker {
    fn of(texts: &[impl AsRef<str>]) -> PyResult<Self> {
        let texts = || texts.iter().map(AsRef::as_ref);
        let mut others: Vec<String> = Vec::new();
        for name in texts().flat_map(other_names) {
            if !others.iter().any(|known| known.eq_ignore_ascii_case(name)) {
                others.push(name.to_owned());
            }
            if others.len() > NAMES {
                let message =
                    format!("the crawler's User-Agent string has more than {NAMES} further names of crawlers");
                return Err(PyValueError::new_err(message));
            }
        }
        Ok(Self {
            names: texts().filter_map(name_of).map(str::to_owned).collect(),
            others,
            purposes: Vec::new(),
            honours: None,
            silence: Vec::new(),
            elements: true,
            licences: Vec::new(),
        })
    }

    /// How a policy sees it: by its names, and by each further one that the policy names. Control tokens that it names
    /// speak to the operator of a further name as well.
    pub(crate) fn views(&self, core: &Core) -> Vec<Arc<View>> {
        let forward = core.view_with(&self.names, &core.named_tokens(&self.others));
        let others = self.others.iter().filter(|name| core.names_crawler(name));
        [forward].into_iter().chain(others.map(|name| core.view(&[name]))).collect()
    }
}

fn empty() -> PyErr {
    PyValueError::new_err("crawler is empty; give the name your crawler is addressed by")
}

/// Refuses a name of which only a part would count.
pub(crate) fn check_name(text: &str) -> PyResult<()> {
    if !is_cut(text) {
        return Ok(());
    }
    let heard = name_of(text).map_or_else(String::new, |name| format!(", of which only `{name}` would count"));
    Err(PyValueError::new_err(format!(
        "`{}` is not the name of a crawler{heard}; a name has letters, digits, `.`, `_` and `-` alone, and a whole \
         User-Agent string has its product, such as `{}/1.0`",
        shown(text.trim_ascii()),
        name_of(text).unwrap_or("examplebot"),
    )))
}

/// A URL as a text: of octets that are no UTF-8 each is written as `%XX`.
pub(crate) fn url_text<'py>(url: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    if let Ok(text) = url.cast::<PyString>() {
        return Ok(text.clone());
    }
    let Ok(octets) = url.cast::<PyBytes>() else {
        return Err(PyTypeError::new_err(format!("a URL is str or bytes, not {}", url.get_type().name()?)));
    };
    Ok(PyString::new(url.py(), &percent_written(octets.as_bytes())))
}

/// Octets as a text, those that are no UTF-8 as `%XX`.
pub(crate) fn percent_written(octets: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(octets) {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    for chunk in octets.utf8_chunks() {
        out.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|octet| out.push_str(&format!("%{octet:02X}")));
    }
    Cow::Owned(out)
}

/// What is wrong with one of several things that were given, with its place among them.
pub(crate) fn at_place(py: Python<'_>, what: &str, place: usize, error: &PyErr) -> PyErr {
    let message = format!("{what}[{place}]: {}", error.value(py));
    if error.is_instance_of::<PyTypeError>(py) { PyTypeError::new_err(message) } else { PyValueError::new_err(message) }
}

/// The one of two words for the same argument that was given.
pub(crate) fn either<'a, 'py>(
    usage: Option<&'a Bound<'py, PyAny>>,
    usages: Option<&'a Bound<'py, PyAny>>,
) -> PyResult<Option<&'a Bound<'py, PyAny>>> {
    if usage.is_some() && usages.is_some() {
        return Err(PyTypeError::new_err("`usage` and `usages` are the same argument; give one of them"));
    }
    Ok(usage.or(usages))
}

/// The beginning of a URL, on one line whatever it holds.
fn shown(url: &str) -> String {
    url.chars().take(SHOWN).flat_map(char::escape_debug).collect()
}

/// Why a text is not a URL, in one line.
pub(crate) fn no_url(url: &str, fault: Fault) -> PyErr {
    PyValueError::new_err(match fault {
        Fault::NotAbsolute => format!("`{}` is not an absolute URL; it needs a scheme and a host", shown(url)),
        Fault::Host => format!("the URL `{}` has no possible host", shown(url)),
        Fault::Port => format!("the URL `{}` has no possible port", shown(url)),
        Fault::Control(octet) => {
            format!("the URL `{}` has a control character, which none may have; write it as %{octet:02X}", shown(url))
        }
        Fault::TooLong(octets) => format!("the URL has {octets} octets; one may have {URL_OCTETS} at most"),
        Fault::HostOrPath => {
            format!(
                "`{}` could be a host or a path; put a scheme before it, or the scheme and host of the path",
                shown(url)
            )
        }
    })
}

/// A question but for its resource and usage: who asks, what for, when, and what is known of the resource.
pub(crate) struct Question {
    /// Crawler, purpose and time as they were given.
    pub(crate) crawler: Py<PyAny>,
    pub(crate) purpose: Option<Py<PyAny>>,
    pub(crate) at: Option<Py<PyAny>>,
    pub(crate) asker: Asker,
    /// Folded.
    pub(crate) purposes: Vec<Vec<u8>>,
    facts: Facts,
    instant: Option<i64>,
}

/// A question that Python asks more than once.
#[pyclass(frozen, name = "Question", module = "acap._native")]
pub(crate) struct Prepared(pub(crate) Arc<Question>);

#[pymethods]
impl Prepared {
    #[new]
    #[pyo3(signature = (crawler, purpose=None, at=None, facts=None))]
    fn new(
        crawler: &Bound<'_, PyAny>,
        purpose: Option<&Bound<'_, PyAny>>,
        at: Option<&Bound<'_, PyAny>>,
        facts: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self(Arc::new(Question::new(crawler, purpose, at, facts)?)))
    }
}

impl Question {
    pub(crate) fn new(
        crawler: &Bound<'_, PyAny>,
        purpose: Option<&Bound<'_, PyAny>>,
        at: Option<&Bound<'_, PyAny>>,
        facts: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let asker = asker(crawler)?;
        let purposes = match purpose {
            Some(purpose) => purposes(Some(purpose))?,
            None => asker.purposes.iter().map(|text| fold_purpose(text)).collect(),
        };
        Ok(Self {
            crawler: crawler.clone().unbind(),
            purpose: purpose.map(|purpose| purpose.clone().unbind()),
            at: at.map(|at| at.clone().unbind()),
            asker,
            purposes,
            facts: self::facts(facts)?,
            instant: at.map(instant).transpose()?,
        })
    }

    /// The instant asked about, in microseconds since 1970 UTC: the one given, or now.
    pub(crate) fn instant(&self) -> i64 {
        self.instant.unwrap_or_else(now)
    }

    /// The question as the core puts it, but for the path and the purpose.
    pub(crate) fn core<'q>(&'q self, at: i64, silence: &'q [(Usage, bool)]) -> deciding::Question<'q> {
        deciding::Question {
            at,
            facts: &self.facts,
            silence,
            honours: self.asker.honours.as_deref(),
            elements: self.asker.elements,
            licences: &self.asker.licences,
            ..deciding::Question::about(&[])
        }
    }

    /// Each purpose as the core asks for it, one at least: where nothing is asked, nothing prohibits.
    pub(crate) fn each_purpose(&self) -> Vec<Option<&[u8]>> {
        match self.purposes.as_slice() {
            [] => WITHOUT_PURPOSE.to_vec(),
            purposes => purposes.iter().map(|purpose| Some(purpose.as_slice())).collect(),
        }
    }
}

/// Why a URL cannot be asked of a policy.
pub(crate) fn mistake(core: &Core, url: &str, mistake: Mistake) -> PyErr {
    match mistake {
        Mistake::NotAUrl(Fault::NotAbsolute) => PyValueError::new_err(format!(
            "`{}` is neither an absolute URL nor a path; start it with a scheme or `/`",
            shown(url)
        )),
        Mistake::NotAUrl(fault) => no_url(url, fault),
        Mistake::OtherOrigin => {
            let ours = core.origin().map(String::from_utf8_lossy).unwrap_or_default();
            PyValueError::new_err(format!("`{}` is not of {ours}, for which alone this policy answers", shown(url)))
        }
    }
}

/// Reads a crawler: a name, a User-Agent string, a sequence of names, or an `acap.Crawler`.
pub(crate) fn asker(crawler: &Bound<'_, PyAny>) -> PyResult<Asker> {
    if let Ok(text) = crawler.cast::<PyString>() {
        let text = text.to_str()?;
        if text.trim().is_empty() {
            return Err(empty());
        }
        return Asker::of(&[text]);
    }
    let listed = match crawler.getattr("names") {
        Ok(names) => names,
        Err(_) => crawler.clone(),
    };
    let texts: Vec<String> = listed.extract().map_err(|_| {
        PyTypeError::new_err("crawler must be a name, a User-Agent string, a sequence of names or an acap.Crawler")
    })?;
    if texts.is_empty() || texts.iter().any(|text| text.trim().is_empty()) {
        return Err(empty());
    }
    if texts.len() > NAMES {
        let message = format!("a crawler asks by {NAMES} names at most, not by {}", texts.len());
        return Err(PyValueError::new_err(message));
    }
    let mut asker = Asker::of(&texts)?;
    if let Ok(purposes) = crawler.getattr("purposes") {
        asker.purposes = purposes.extract()?;
        asker.elements = crawler.getattr("elements")?.extract()?;
        let honours = crawler.getattr("honours")?;
        if !honours.is_none() {
            asker.honours = Some(honours.try_iter()?.map(|name| name?.extract()).collect::<PyResult<_>>()?);
        }
        for (usage, outcome) in crawler.getattr("silence")?.cast_into::<PyDict>()?.iter() {
            asker.silence.push((usage.extract()?, outcome.extract::<String>()? == "prohibited"));
        }
        let licensee = crawler.getattr("licensee")?;
        if !licensee.is_none() {
            asker.licences =
                licensee.getattr("licences")?.try_iter()?.map(|url| url?.extract()).collect::<PyResult<_>>()?;
        }
    }
    Ok(asker)
}

/// The usages a question is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Usages {
    One(Usage),
    /// Several; each restriction is marked with its part.
    Parts(Box<[Usage]>),
}

impl Usages {
    pub(crate) fn list(&self) -> &[Usage] {
        match self {
            Self::One(usage) => std::slice::from_ref(usage),
            Self::Parts(parts) => parts,
        }
    }
}

/// Reads a usage: a name, or a sequence of names.
pub(crate) fn usages(core: &Core, usage: Option<&Bound<'_, PyAny>>, more: &Further) -> PyResult<Usages> {
    let Some(usage) = usage else { return Ok(Usages::One(CRAWL)) };
    if let Ok(text) = usage.cast::<PyString>() {
        let text = text.to_str()?;
        if text == "crawl" {
            return Ok(Usages::One(CRAWL));
        }
        return one(core, text, more);
    }
    let names: Vec<String> =
        usage.extract().map_err(|_| PyTypeError::new_err("usage must be a name or a sequence of names"))?;
    if names.is_empty() {
        return Err(PyValueError::new_err("no usage was given"));
    }
    let mut parts = Vec::new();
    for name in &names {
        match one(core, name, more)? {
            Usages::One(usage) => parts.push(usage),
            Usages::Parts(several) => parts.extend(several),
        }
    }
    if let [only] = parts.as_slice() {
        return Ok(Usages::One(*only));
    }
    Ok(Usages::Parts(parts.into_boxed_slice()))
}

fn one(core: &Core, name: &str, more: &Further) -> PyResult<Usages> {
    let lower = name.trim().to_ascii_lowercase();
    if let Some((_, parts)) = COMPOSITES.iter().find(|(known, _)| *known == lower) {
        return Ok(Usages::Parts((*parts).into()));
    }
    let known = usage_of(core, &lower, more);
    // A name that the file defines is asked as the strictest of what it stands for, and of what is said of the name
    // itself.
    let standard = known.is_some_and(|usage| usage.name().is_some());
    let local = lower.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(&lower);
    if !standard && let Some(mut parts) = core.parts_of(local) {
        parts.extend(known.filter(|own| !parts.contains(own)));
        return Ok(match parts.as_slice() {
            [only] => Usages::One(*only),
            _ => Usages::Parts(parts.into_boxed_slice()),
        });
    }
    known.map(Usages::One).ok_or_else(|| {
        let known = KNOWN.iter().map(|row| row.name).chain(COMPOSITES.iter().map(|(known, _)| *known));
        let written: String = lower.replace('_', "-").chars().take(COMPARED).collect();
        let near = known.min_by_key(|known| (Reverse(shared(known, &written)), strsim(known, &written)));
        let near = near.unwrap_or("crawl");
        PyValueError::new_err(format!(
            "no dialect and no file at hand knows the usage `{name}`; did you mean `{near}`?"
        ))
    })
}

/// What silence means: by usage, composites part by part.
pub(crate) fn silence(core: &Core, asker: &Asker, more: &Further) -> PyResult<Vec<(Usage, bool)>> {
    let mut out = Vec::new();
    for (name, prohibits) in &asker.silence {
        for usage in one(core, name, more)?.list() {
            // What nobody can tell is silence on every usage where that prohibits, and on none where it permits.
            if *usage == ANY {
                out.extend(usage::known().filter(|_| *prohibits).map(|usage| (usage, true)));
            } else {
                out.push((*usage, *prohibits));
            }
        }
    }
    Ok(out)
}

/// The usage of a lower-case name: a known one, one of the file, or one of the further names given.
pub(crate) fn usage_of(core: &Core, name: &str, more: &Further) -> Option<Usage> {
    if let Some(usage) = Usage::known(name).or_else(|| Usage::of_plural(name)) {
        return Some(usage);
    }
    core.usage(name).or_else(|| more.get(name).copied())
}

/// Usages that only statements from elsewhere name.
pub(crate) type Further = HashMap<String, Usage>;

/// Numbers the usages that neither a dialect nor a file knows. Of a great many the last have none, and cannot be asked
/// for.
pub(crate) fn further(core: &Core, names: impl Iterator<Item = String>) -> Further {
    let mut out = Further::new();
    for name in names {
        if let Some(number) = usage::further(out.len())
            && usage_of(core, &name, &out).is_none()
        {
            out.insert(name, number);
        }
    }
    out
}

/// The length of the longest run that both have, if that is enough to tell.
fn shared(a: &str, b: &str) -> usize {
    let runs = (0..b.len()).flat_map(|start| (start.saturating_add(ENOUGH)..=b.len()).map(move |end| start..end));
    runs.filter(|run| b.get(run.clone()).is_some_and(|run| a.contains(run))).map(|run| run.len()).max().unwrap_or(0)
}

/// A rough distance, enough to name the nearest usage.
fn strsim(a: &str, b: &str) -> usize {
    let same = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let tail = a.bytes().rev().zip(b.bytes().rev()).take_while(|(x, y)| x == y).count();
    (a.len().max(b.len())).saturating_sub(same.max(tail)) + a.len().abs_diff(b.len())
}

/// Reads a purpose: none, a name or URI, or several.
pub(crate) fn purposes(purpose: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Vec<u8>>> {
    let Some(purpose) = purpose.filter(|purpose| !purpose.is_none()) else { return Ok(Vec::new()) };
    let texts: Vec<String> = match purpose.cast::<PyString>() {
        Ok(text) => vec![text.to_str()?.to_owned()],
        Err(_) => {
            purpose.extract().map_err(|_| PyTypeError::new_err("purpose must be a text or a sequence of texts"))?
        }
    };
    if texts.iter().any(|text| text.trim().is_empty()) {
        return Err(PyValueError::new_err("purpose is empty; leave it out to ask without purpose"));
    }
    Ok(texts.iter().map(|text| fold_purpose(text)).collect())
}

/// Microseconds since 1970 UTC of an aware datetime.
pub(crate) fn instant(at: &Bound<'_, PyAny>) -> PyResult<i64> {
    let offset = at.call_method0("utcoffset").map_err(|_| PyTypeError::new_err("a time must be a datetime"))?;
    if offset.is_none() {
        return Err(PyValueError::new_err(format!("the datetime `{at}` has no time zone; add one, UTC for example")));
    }
    let seconds: f64 = at.call_method0("timestamp")?.extract()?;
    #[allow(clippy::cast_possible_truncation)] // datetimes end in the year 9999
    Ok((seconds * 1_000_000.0).round() as i64)
}

/// Now, in microseconds since 1970 UTC.
pub(crate) fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// Reads an `acap.Facts`.
pub(crate) fn facts(facts: Option<&Bound<'_, PyAny>>) -> PyResult<Facts> {
    let Some(facts) = facts.filter(|facts| !facts.is_none()) else { return Ok(Facts::default()) };
    let read = |name: &str| -> PyResult<Option<i64>> {
        let value = facts.getattr(name).map_err(|_| {
            PyTypeError::new_err(format!("facts are an acap.Facts, as acap.Facts({name}=…) makes them"))
        })?;
        if value.is_none() { Ok(None) } else { instant(&value).map(Some) }
    };
    Ok(Facts {
        first_indexed: read("first_indexed")?,
        first_preserved: read("first_preserved")?,
        first_available: read("first_available")?,
        last_crawled: read("last_crawled")?,
    })
}
