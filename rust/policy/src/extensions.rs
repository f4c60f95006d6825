//! Lines that are neither of the Robots Exclusion Protocol nor of ACAP, kept with their spans and group, and what they
//! ask of a crawler's manners.
//!
//! None of them begins or ends a group. Politeness is reported and never part of an outcome.

use crate::dialect::Dialect;
use crate::fields::Kind;
use crate::lines::Entry;
use crate::rep::{addressed, addressed_groups, is_default, records};
use crate::robots2::{Version, version_of};

/// A line that is neither of the Robots Exclusion Protocol nor of ACAP: Sitemap, Crawl-delay, a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    pub entry: Entry,
    /// The number of the group it stands in, from 0; none before the first group.
    pub group: Option<u32>,
}

/// Whether lines of this kind are such lines.
pub(crate) fn is_extension(kind: Kind) -> bool {
    !matches!(
        kind,
        Kind::Agent
            | Kind::Allow
            | Kind::Disallow
            | Kind::CutAllow
            | Kind::Acap
            | Kind::AcapComment
            | Kind::Blank
            | Kind::Remark
            | Kind::Unknown
            | Kind::Text
            | Kind::Torn
    )
}

/// The name of a kind, as the field is usually spelt.
pub fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Agent => "User-agent",
        Kind::Allow | Kind::CutAllow => "Allow",
        Kind::Disallow => "Disallow",
        Kind::Sitemap => "Sitemap",
        Kind::CrawlDelay => "Crawl-delay",
        Kind::RequestRate => "Request-rate",
        Kind::VisitTime => "Visit-time",
        Kind::Comment => "Comment",
        Kind::RobotVersion => "Robot-version",
        Kind::Host => "Host",
        Kind::CleanParam => "Clean-param",
        Kind::Noindex => "Noindex",
        Kind::ContentSignal | Kind::CutContentSignal => "Content-Signal",
        Kind::ContentUsage | Kind::CutContentUsage => "Content-Usage",
        Kind::License => "License",
        Kind::Acap => "ACAP",
        Kind::AcapComment => "##ACAP",
        Kind::Blank => "blank",
        Kind::Remark => "comment",
        Kind::Unknown => "unknown",
        Kind::Text | Kind::Torn => "text",
    }
}

/// Every such line with its group.
pub fn extensions(entries: &[Entry]) -> Vec<Extension> {
    let mut out = Vec::new();
    let mut group: Option<u32> = None;
    let mut closed = true;
    for entry in entries {
        match entry.kind {
            Kind::Agent if closed => {
                group = Some(group.map_or(0, |number| number.saturating_add(1)));
                closed = false;
            }
            Kind::Allow | Kind::Disallow | Kind::CutAllow => closed = group.is_some() || closed,
            kind if is_extension(kind) => out.push(Extension { entry: *entry, group }),
            _ => {}
        }
    }
    out
}

/// A window of the day in minutes, UTC; it may cross midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub from: u32,
    pub to: u32,
}

/// A rate: a number of documents per number of seconds, within a window of the day or always.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    pub documents: f64,
    pub seconds: f64,
    pub window: Option<Window>,
    pub line: u32,
}

/// What a crawler is asked to keep to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Politeness {
    pub visit: Vec<(Window, u32)>,
    pub rates: Vec<Rate>,
    pub delays: Vec<(f64, u32)>,
    pub comments: Vec<(String, u32)>,
    /// Only the 2.0.0 proposal's rule of thumb applies: the slower of 10 s and twice the fetch time, encouraged.
    pub rule_of_thumb: bool,
}

/// A blank inside a value: no line end is left there.
const fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\x0B' | '\x0C')
}

/// Reads digits with or without a point among, before or after them, and nothing else.
fn number(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    plain.then(|| text.parse::<f64>().ok()).flatten().filter(|value| value.is_finite())
}

/// Reads `HHMM`, up to 2400, as minutes.
fn clock(text: &str) -> Option<u32> {
    if text.len() != 4 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let hours: u32 = text.get(..2)?.parse().ok()?;
    let minutes: u32 = text.get(2..)?.parse().ok()?;
    let all = hours.saturating_mul(60).saturating_add(minutes);
    (minutes < 60 && all <= 24 * 60).then_some(all)
}

/// Reads `HHMM HHMM` or `HHMM-HHMM`, blanks around the hyphen.
fn window(text: &str) -> Option<Window> {
    let text = text.trim_matches(is_blank);
    let (from, rest) = (text.get(..4)?, text.get(4..)?);
    let to = rest.trim_start_matches(is_blank);
    let to = to.strip_prefix('-').map_or(to, |after| after.trim_start_matches(is_blank));
    (to.len() < rest.len()).then_some(Window { from: clock(from)?, to: clock(to)? })
}

/// Reads `n/t[smhd] [window]`, blanks around the stroke and before the unit; that is optional, and then it is seconds.
fn rate(text: &str, line: u32) -> Option<Rate> {
    let (documents, rest) = text.trim_matches(is_blank).split_once('/')?;
    let rest = rest.trim_start_matches(is_blank);
    let tail = rest.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    let time = rest.strip_suffix(tail)?;
    let unit = tail.trim_start_matches(is_blank);
    let mut letters = unit.chars();
    let factor = match letters.next().map(|letter| letter.to_ascii_lowercase()) {
        Some('s') => Some(1.0),
        Some('m') => Some(60.0),
        Some('h') => Some(3_600.0),
        Some('d') => Some(86_400.0),
        _ => None,
    };
    let tail = if factor.is_some() { letters.as_str() } else { tail };
    if !tail.is_empty() && !tail.starts_with(is_blank) {
        return None;
    }
    let window = match tail.trim_matches(is_blank) {
        "" => None,
        tail => Some(window(tail)?),
    };
    let above_zero = |value: &f64| *value > 0.0 && value.is_finite();
    Some(Rate {
        documents: number(documents.trim_end_matches(is_blank)).filter(above_zero)?,
        seconds: number(time).map(|time| time * factor.unwrap_or(1.0)).filter(above_zero)?,
        window,
        line,
    })
}

/// Whether the value of a line of politeness, or a version, cannot be read; such a line asks nothing.
pub(crate) fn is_unreadable(kind: Kind, value: &[u8]) -> bool {
    let text = String::from_utf8_lossy(value);
    match kind {
        Kind::VisitTime => window(&text).is_none(),
        Kind::RequestRate => rate(&text, 0).is_none(),
        Kind::CrawlDelay => delay(&text).is_none(),
        Kind::RobotVersion => Version::parse(value).is_none(),
        _ => false,
    }
}

/// Reads seconds.
fn delay(text: &str) -> Option<f64> {
    number(text.trim_matches(is_blank))
}

/// Collects the manners asked of a crawler: of the groups that name it, else of the default groups.
pub fn politeness<N: AsRef<[u8]>>(dialect: Dialect, entries: &[Entry], text: &[u8], names: &[N]) -> Politeness {
    let is_default = |group: &&[Entry]| is_default(dialect, group, text);
    let name = addressed(dialect, entries, text, names);
    let mut named = name.is_some();
    let mut chosen: Vec<&[Entry]> = addressed_groups(dialect, entries, text, names, name).collect();
    let is_experimental = |group: &&[Entry]| version_of(group, text).is_some_and(Version::is_experimental);
    if dialect.versions.replace_rules() && named && chosen.first().is_some_and(is_experimental) {
        named = false;
        chosen = records(entries).find(is_default).into_iter().collect();
    }
    let mut out = Politeness::default();
    for entry in chosen.iter().copied().flatten() {
        let value = String::from_utf8_lossy(entry.value(text));
        match entry.kind {
            Kind::VisitTime => out.visit.extend(window(&value).map(|window| (window, entry.line))),
            Kind::RequestRate => out.rates.extend(rate(&value, entry.line)),
            Kind::CrawlDelay => out.delays.extend(delay(&value).map(|delay| (delay, entry.line))),
            Kind::Comment => out.comments.push((value.into_owned(), entry.line)),
            _ => {}
        }
    }
    let is_stable = |group: &&[Entry]| version_of(group, text).is_some_and(Version::is_stable);
    let versioned = named && chosen.iter().any(is_stable);
    out.rule_of_thumb = dialect.versions.are_read() && versioned && out.rates.is_empty() && out.delays.is_empty();
    out
}
