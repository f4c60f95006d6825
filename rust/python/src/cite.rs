//! Statements as Python cites them.

use acap_policy::decide::Outcome;
use acap_policy::lines::{Entry, line_around, line_start};
use acap_policy::policy::{Dialect, Policy as Core};
use acap_policy::signals::Vocabulary;
use acap_policy::statement::Effect;
use acap_policy::usage::Usage;

use crate::question::Further;

/// (source, line, column, element, header, text, effect, usage, dialect) of a statement.
pub(crate) type Cited =
    (Option<String>, Option<u32>, Option<u32>, Option<String>, Option<String>, String, &'static str, String, String);

/// A file's line as it stands, and the column of a place in it, from 1, in characters.
pub(crate) fn line_at(text: &[u8], start: u32) -> (String, u32) {
    let place = usize::try_from(start).unwrap_or(usize::MAX).min(text.len());
    let (_, line) = line_around(text, place);
    let from = line_start(text, place);
    let before = text.get(from..place).unwrap_or(&[]);
    let column = String::from_utf8_lossy(before).chars().count().saturating_add(1);
    (String::from_utf8_lossy(line).into_owned(), u32::try_from(column).unwrap_or(u32::MAX))
}

/// A file's line without its end, and the column of a place in it, from 1, in characters.
pub(crate) fn whole_line_at(text: &[u8], start: u32) -> (String, u32) {
    let place = usize::try_from(start).unwrap_or(usize::MAX).min(text.len());
    let rest = text.get(line_start(text, place)..).unwrap_or(&[]);
    let line = rest.split(|octet| matches!(octet, b'\n' | b'\r')).next().unwrap_or(rest);
    let (_, column) = line_at(text, start);
    (String::from_utf8_lossy(line).into_owned(), column)
}

/// Where a field begins in its line: the first octet that is not white space.
fn field_start(text: &[u8], start: u32) -> u32 {
    let place = usize::try_from(start).unwrap_or(usize::MAX).min(text.len());
    u32::try_from(line_around(text, place).0).unwrap_or(u32::MAX)
}

/// The name by which a policy's own file is cited.
pub(crate) fn source_of(core: &Core) -> String {
    match &core.origin {
        Some(origin) => format!("{}/robots.txt", String::from_utf8_lossy(origin)),
        None => "robots.txt".to_owned(),
    }
}

fn effect_name(effect: Effect) -> &'static str {
    match effect {
        Effect::Permits => "permits",
        Effect::Prohibits => "prohibits",
    }
}

/// A statement of an ACAP file as Python cites it.
pub(crate) fn cite_statement(core: &Core, number: u32, place: u32, usage: Usage, effect: Effect) -> Option<Cited> {
    let file = core.file(number)?;
    let statement = core.statement(number, place)?;
    let (source, text) = source_and_text(core, number)?;
    let (line_text, column) = line_at(text, statement.start);
    Some((
        Some(source),
        Some(statement.line),
        Some(column),
        None,
        None,
        line_text,
        effect_name(effect),
        file.usage_name(usage).to_owned(),
        "acap".to_owned(),
    ))
}

/// A take-down request as Python cites it.
pub(crate) fn cite_request(core: &Core, number: u32, place: u32) -> Option<Cited> {
    let request = core.file(number)?.requests.get(usize::try_from(place).ok()?)?;
    let (source, text) = source_and_text(core, number)?;
    let (line_text, column) = line_at(text, request.start);
    let acap = "acap".to_owned();
    Some((Some(source), Some(request.line), Some(column), None, None, line_text, "prohibits", String::new(), acap))
}

fn source_and_text(core: &Core, number: u32) -> Option<(String, &[u8])> {
    match usize::try_from(number).ok()?.checked_sub(1) {
        None => Some((source_of(core), core.text())),
        Some(place) => core.supplied.get(place).map(|one| (one.uri.to_string(), &*one.text)),
    }
}

/// A line of the policy's own file as Python cites it.
pub(crate) fn cite_line(core: &Core, line: u32, start: u32, effect: &'static str, usage: &str, dialect: &str) -> Cited {
    let text = core.text();
    let (line_text, column) = line_at(text, field_start(text, start));
    (
        Some(source_of(core)),
        Some(line),
        Some(column),
        None,
        None,
        line_text,
        effect,
        usage.to_owned(),
        dialect.to_owned(),
    )
}

/// A line of Content-Signal, Content-Usage or License as Python cites it.
pub(crate) fn cite_signal(core: &Core, entry: &Entry, usage: Usage, outcome: Outcome) -> Cited {
    let effect = match outcome {
        Outcome::Permitted => "permits",
        Outcome::Conditional => "conditional",
        Outcome::Prohibited => "prohibits",
    };
    let dialect = Vocabulary::of(entry.kind).map_or("rsl", Vocabulary::dialect);
    cite_line(core, entry.line, entry.start, effect, core.usage_name(usage), dialect)
}

/// The name under which conventional lines of a dialect are cited.
pub(crate) fn conventional_name(dialect: Dialect) -> &'static str {
    dialect.cited
}

/// The name of a usage: a known one, one of the policy's files, or one of statements from elsewhere.
pub(crate) fn usage_name(core: &Core, further: &Further, usage: Usage) -> String {
    let other = || further.iter().find(|(_, number)| **number == usage).map(|(name, _)| name.clone());
    Some(core.usage_name(usage).to_owned()).filter(|name| !name.is_empty()).or_else(other).unwrap_or_default()
}
