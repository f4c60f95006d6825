//! Lines of other vocabularies, kept with their spans and group, and what they ask of a crawler's manners.
//!
//! None of them begins or ends a group. Politeness is reported and never part of an outcome.

use crate::conventional::{addressed, addresses, addresses_all, groups};
use crate::lines::{Entry, Kind};
use crate::policy::Dialect;
use crate::robots2::{Version, version_of};

/// A line of another vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    pub entry: Entry,
    /// The number of the group it stands in, from 0; none before the first group.
    pub group: Option<u32>,
}

/// Whether lines of this kind are of another vocabulary.
pub fn is_extension(kind: Kind) -> bool {
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

/// Every line of another vocabulary with its group.
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

/// A rate: so many documents in so many seconds, in a window or always.
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

/// Reads `HHMM HHMM` or `HHMM-HHMM`.
fn window(text: &str) -> Option<Window> {
    let mut parts =
        text.split(|letter: char| letter == '-' || letter.is_ascii_whitespace()).filter(|part| !part.is_empty());
    let mut minute = || -> Option<u32> {
        let part = parts.next()?;
        if part.len() != 4 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let hours: u32 = part.get(..2)?.parse().ok()?;
        let minutes: u32 = part.get(2..)?.parse().ok()?;
        (hours <= 24 && minutes < 60).then(|| hours.saturating_mul(60).saturating_add(minutes))
    };
    let (from, to) = (minute()?, minute()?);
    parts.next().is_none().then_some(Window { from, to })
}

/// Reads `n/t[smhd] [window]`; the unit is optional and is seconds.
fn rate(text: &str, line: u32) -> Option<Rate> {
    let text = text.trim_ascii();
    let (head, tail) = text.split_once(|letter: char| letter.is_ascii_whitespace()).unwrap_or((text, ""));
    let (documents, time) = head.split_once('/')?;
    let unit = time.bytes().last()?;
    let (digits, factor) = match unit.to_ascii_lowercase() {
        b's' => (time.get(..time.len().saturating_sub(1))?, 1.0),
        b'm' => (time.get(..time.len().saturating_sub(1))?, 60.0),
        b'h' => (time.get(..time.len().saturating_sub(1))?, 3_600.0),
        b'd' => (time.get(..time.len().saturating_sub(1))?, 86_400.0),
        _ => (time, 1.0),
    };
    let number = |text: &str| {
        let sound =
            !text.is_empty() && text.len() <= 12 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        sound.then(|| text.parse::<f64>().ok()).flatten().filter(|value| *value > 0.0 && value.is_finite())
    };
    let window = match tail.trim_ascii() {
        "" => None,
        tail => Some(window(tail)?),
    };
    Some(Rate {
        documents: number(documents.trim_ascii())?,
        seconds: number(digits.trim_ascii())? * factor,
        window,
        line,
    })
}

/// Whether the value of a line of politeness, or a version, cannot be read; such a line asks nothing.
pub fn is_unreadable(kind: Kind, value: &[u8]) -> bool {
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
    text.trim_ascii().parse::<f64>().ok().filter(|value| *value >= 0.0 && value.is_finite())
}

/// Collects the manners asked of a crawler: of the groups that name it, else of the default groups.
pub fn politeness<N: AsRef<[u8]>>(dialect: Dialect, entries: &[Entry], text: &[u8], names: &[N]) -> Politeness {
    let name = addressed(dialect, entries, text, names);
    let mut out = Politeness::default();
    let mut versioned = false;
    for group in groups(entries) {
        let concerns = group.iter().filter(|entry| entry.kind == Kind::Agent).any(|entry| {
            let value = entry.value(text);
            match name {
                Some(name) => addresses(dialect, value, name),
                None => addresses_all(dialect, value),
            }
        });
        if !concerns {
            continue;
        }
        versioned |= name.is_some() && version_of(group, text).is_some_and(|version| version.is_stable());
        for entry in group {
            let value = String::from_utf8_lossy(entry.value(text));
            match entry.kind {
                Kind::VisitTime => out.visit.extend(window(&value).map(|window| (window, entry.line))),
                Kind::RequestRate => out.rates.extend(rate(&value, entry.line)),
                Kind::CrawlDelay => {
                    out.delays.extend(delay(&value).map(|delay| (delay, entry.line)));
                }
                Kind::Comment => out.comments.push((value.into_owned(), entry.line)),
                _ => {}
            }
        }
        if !dialect.is_modern() {
            break;
        }
    }
    let knows_versions = matches!(dialect, Dialect::Auto | Dialect::Robots2);
    out.rule_of_thumb = knows_versions && versioned && out.rates.is_empty() && out.delays.is_empty();
    out
}
