//! Restrictions: the qualifiers of ACAP as a table, and time (P1 4.5.3.1, G 2.5). One module, for a row of the table
//! names the form of its values, and their readers are short.

use self::Column::{Any, From, Only};
use crate::usage::{
    AI_INPUT, AI_TRAIN, INDEX, PRESENT, PRESENT_CURRENTCOPY, PRESENT_EXTRACT, PRESENT_OLDCOPY, PRESENT_OLDEXTRACT,
    PRESENT_OLDSNIPPET, PRESENT_OLDTHUMBNAIL, PRESENT_ORIGINAL, PRESENT_SNIPPET, PRESENT_THUMBNAIL, PRESERVE, Usage,
};

/// Which usages a qualifier is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// The usage itself.
    Only(Usage),
    /// The usage and every one below it.
    From(Usage),
    Any,
}

/// The grammar of a qualifier's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `until-recrawled`, `until-YYYY-MM-DD`, `N-days`
    Time,
    /// `N-chars`, `N-words`
    Length,
    /// A URI, or `the-acap:` and what follows in this list.
    Resource(&'static [(&'static str, bool)]),
    /// One of these words.
    Words(&'static [&'static str]),
    /// A URI; in pages only.
    Page,
    /// A number.
    Number,
}

/// One row of the table.
#[derive(Debug)]
pub struct Row {
    pub name: &'static str,
    pub qualifier: Qualifier,
    pub form: Form,
    pub columns: &'static [Column],
    /// A qualifier of ACAP; the others stand for words of other dialects that restrict.
    pub acap: bool,
}

/// What may be used or included of the page itself; true: an element set, of version 1.1.
const PARTS: &[(&str, bool)] = &[
    ("extract:id:", false),
    ("extract:class:", false),
    ("extract:meta:", false),
    ("idlist:", true),
    ("classlist:", true),
    ("taglist:", true),
];
const KINDS: &[(&str, bool)] = &[("credit:", false), ("link:", false), ("icon:", false), ("text:", false)];

/// A row for each qualifier: its kind, its name, the form of its values, the usages it is for, and `acap` if it is
/// ACAP's.
macro_rules! qualifiers {
    ($($kind:ident $name:literal $form:expr, [$($column:expr),*] $($acap:ident)?;)*) => {
        /// The kinds of qualifier. Everything else the table says of them is in [`TABLE`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Qualifier { $($kind,)* }
        pub const TABLE: &[Row] = &[$(Row {
            name: $name,
            qualifier: Qualifier::$kind,
            form: $form,
            columns: &[$($column),*],
            acap: qualifiers!(@$($acap)?),
        },)*];
    };
    (@) => { false };
    (@acap) => { true };
}

qualifiers! {
    TimeLimit "time-limit" Form::Time, [Only(INDEX), Only(PRESERVE), From(PRESENT)] acap;
    MaxLength "max-length" Form::Length,
        [Only(PRESENT), Only(PRESENT_SNIPPET), Only(PRESENT_EXTRACT), Only(PRESENT_OLDSNIPPET),
            Only(PRESENT_OLDEXTRACT)] acap;
    MustUseResource "must-use-resource" Form::Resource(PARTS), [Only(INDEX), From(PRESENT)] acap;
    MustIncludeResource "must-include-resource" Form::Resource(KINDS), [From(PRESENT)] acap;
    ProhibitedModification "prohibited-modification"
        Form::Words(&["any", "format", "style", "translation", "annotation"]),
        [Only(PRESENT), Only(PRESENT_ORIGINAL), Only(PRESENT_CURRENTCOPY), Only(PRESENT_OLDCOPY)] acap;
    ProhibitedContext "prohibited-context" Form::Words(&["within-user-frame"]),
        [Only(PRESENT_ORIGINAL), Only(PRESENT_CURRENTCOPY), Only(PRESENT_OLDCOPY)] acap;
    RequiredContext "required-context" Form::Words(&["within-original-frame"]),
        [Only(PRESENT_ORIGINAL), Only(PRESENT_CURRENTCOPY), Only(PRESENT_OLDCOPY)] acap;
    Location "location" Form::Page, [Any] acap;
    MaxImagePreview "max-image-preview" Form::Words(&["standard"]),
        [Only(PRESENT_THUMBNAIL), Only(PRESENT_OLDTHUMBNAIL)];
    MaxVideoPreview "max-video-preview" Form::Number, [From(PRESENT)];
    ExcludedMedia "excluded-media" Form::Words(&["image"]), [Only(INDEX), From(AI_TRAIN)];
    ContentLimit "content-limit" Form::Words(&["url-title-snippet"]), [From(AI_TRAIN), Only(AI_INPUT)];
    Attribution "attribution" Form::Words(&["credit-and-link"]), [Any];
    Contribution "contribution" Form::Words(&["in-good-faith"]), [Any];
}

impl Qualifier {
    fn row(self) -> Option<&'static Row> {
        TABLE.get(self as usize)
    }

    pub fn name(self) -> &'static str {
        self.row().map_or("", |row| row.name)
    }
}

/// When a permission ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    None,
    /// Expires at this instant, in microseconds since 1970 UTC.
    Until(i64),
    /// Expires this many microseconds after the first use.
    After(i64),
    Recrawled,
}

/// One restriction of a permission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restriction {
    pub qualifier: Qualifier,
    /// As written.
    pub value: Box<str>,
    pub limit: Limit,
}

/// What a value is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Measure {
    Chars,
    Words,
    Seconds,
    Until,
    After,
}

/// Why a qualifier does not restrict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QualifierError {
    UnknownName,
    BadValue,
    /// A feature of a version later than the file declares.
    LaterVersion,
}

/// How a qualifier was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    pub restriction: Restriction,
    /// An older word was used.
    pub older: bool,
}

/// What may stand where a qualifier is written.
#[derive(Clone, Copy, Debug)]
pub struct Carrier {
    /// `location` may stand here.
    pub page: bool,
    /// Features of version 1.1 may be used.
    pub sets: bool,
    /// Words of other dialects may stand here, and instants beside dates.
    pub others: bool,
}

/// The names of qualifiers, older words included.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let older = ["used-resource", "context", "target-condition", "ref"];
    TABLE.iter().filter(|row| row.acap).map(|row| row.name).chain(older)
}

/// Whether this is one of them.
pub(crate) fn is_name(name: &str) -> bool {
    names().any(|known| known.eq_ignore_ascii_case(name))
}

/// `"acap:resource-set:" resource-set-name` (P1 4.5.6): what follows the scheme of such a URI.
fn acap(value: &str) -> Option<&str> {
    ["the-acap:", "acap:"].iter().find_map(|prefix| {
        let head = value.get(..prefix.len())?;
        head.eq_ignore_ascii_case(prefix).then(|| value.get(prefix.len()..)).flatten()
    })
}

/// `qualifier-specification = qualifier-type *WSP "=" *WSP qualifier-value` (P1 4.5.6)
///
/// Reads a qualifier, which the table knows or an older word names.
pub(crate) fn read(name: &str, value: &str, setting: Carrier) -> Result<Reading, QualifierError> {
    let lower = name.to_ascii_lowercase();
    let (standard, word, older) = match (lower.as_str(), value.to_ascii_lowercase().as_str()) {
        ("used-resource", _) => ("must-use-resource", None, true),
        ("context", "within-frame" | "within-user-frame") => ("prohibited-context", Some("within-user-frame"), true),
        ("context", "within-original-frame") => ("required-context", Some("within-original-frame"), true),
        ("target-condition" | "ref", _) if !setting.sets => return Err(QualifierError::LaterVersion),
        _ => (lower.as_str(), None, false),
    };
    let known = |row: &&Row| row.name == standard && (row.acap || setting.others);
    let row = TABLE.iter().find(known).ok_or(QualifierError::UnknownName)?;
    let text = word.unwrap_or(value);
    let limit = check(row.form, text, setting)?;
    Ok(Reading { restriction: Restriction { qualifier: row.qualifier, value: text.into(), limit }, older })
}

/// ```text
/// qualifier-value = 1*VCHAR                                      ; P1 4.5.6
/// max-length      = n "-chars" / n "-words"                      ; the table of P1 4.5.3.1, and so each form
/// ```
fn check(form: Form, value: &str, setting: Carrier) -> Result<Limit, QualifierError> {
    let lower = value.to_ascii_lowercase();
    match form {
        Form::Time => {
            let instant = || setting.others.then(|| until_instant(&lower)).flatten();
            time_limit(&lower).or_else(instant).ok_or(QualifierError::BadValue)
        }
        Form::Number => number(&lower).map(|_| Limit::None).ok_or(QualifierError::BadValue),
        Form::Length => {
            let digits = lower.strip_suffix("-chars").or_else(|| lower.strip_suffix("-words"));
            digits.and_then(number).map(|_| Limit::None).ok_or(QualifierError::BadValue)
        }
        Form::Words(words) => {
            if words.contains(&lower.as_str()) {
                Ok(Limit::None)
            } else {
                Err(QualifierError::BadValue)
            }
        }
        Form::Page => {
            if setting.page && !value.is_empty() {
                Ok(Limit::None)
            } else {
                Err(QualifierError::BadValue)
            }
        }
        Form::Resource(parts) => {
            if value.is_empty() {
                return Err(QualifierError::BadValue);
            }
            let Some(rest) = acap(value) else { return Ok(Limit::None) };
            let fits = parts
                .iter()
                .find(|(part, _)| rest.get(..part.len()).is_some_and(|head| head.eq_ignore_ascii_case(part)));
            match fits {
                Some((_, true)) if !setting.sets => Err(QualifierError::LaterVersion),
                Some((part, _)) if rest.len() > part.len() => Ok(Limit::None),
                _ => Err(QualifierError::BadValue),
            }
        }
    }
}

/// One to nine digits.
fn number(digits: &str) -> Option<i64> {
    let sound = (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    if sound { digits.parse().ok() } else { None }
}

pub(crate) const DAY: i64 = 86_400_000_000;

/// `"until-recrawled"`, `"until-YYYY-MM-DD"` or `"n-days"` (P1 4.5.3.1)
fn time_limit(value: &str) -> Option<Limit> {
    if value == "until-recrawled" {
        return Some(Limit::Recrawled);
    }
    if let Some(days) = value.strip_suffix("-days") {
        return number(days).map(|days| Limit::After(days.saturating_mul(DAY)));
    }
    let mut parts = value.strip_prefix("until-")?.split('-');
    let mut part = |len: usize| parts.next().filter(|text| text.len() == len).and_then(number);
    let (year, month, day) = (part(4)?, part(2)?, part(2)?);
    if parts.next().is_some() {
        return None;
    }
    // Over from the start of the following day, UTC (our choice).
    days_from_civil(year, month, day).map(|days| Limit::Until(days.saturating_add(1).saturating_mul(DAY)))
}

/// `until-YYYY-MM-DDTHH:MM:SSZ`: over from that instant on.
fn until_instant(value: &str) -> Option<Limit> {
    let (date, time) = value.strip_prefix("until-")?.strip_suffix('z')?.split_once('t')?;
    let field = |text: &str, from: usize, to: usize| text.get(from..to).and_then(number);
    let shape = |text: &str, mark: u8, places: [usize; 2], len: usize| {
        text.len() == len && places.iter().all(|place| text.as_bytes().get(*place) == Some(&mark))
    };
    if !shape(date, b'-', [4, 7], 10) || !shape(time, b':', [2, 5], 8) {
        return None;
    }
    let days = days_from_civil(field(date, 0, 4)?, field(date, 5, 7)?, field(date, 8, 10)?)?;
    let (hour, minute, second) = (field(time, 0, 2)?, field(time, 3, 5)?, field(time, 6, 8)?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds = hour.saturating_mul(3600).saturating_add(minute.saturating_mul(60)).saturating_add(second);
    Some(Limit::Until(days.saturating_mul(DAY).saturating_add(seconds.saturating_mul(1_000_000))))
}

/// Days since 1970-01-01 of a date of the Gregorian calendar; none if there is no such date.
fn days_from_civil(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0);
    let longest = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        _ => return None,
    };
    if year < 1 || !(1..=longest).contains(&day) {
        return None;
    }
    let shifted = if month <= 2 { year.saturating_sub(1) } else { year };
    let era = shifted.div_euclid(400);
    let of_era = shifted.rem_euclid(400);
    let from_march = month.saturating_add(9).rem_euclid(12);
    let day_of_year =
        from_march.saturating_mul(153).saturating_add(2).div_euclid(5).saturating_add(day).saturating_sub(1);
    let day_of_era = of_era
        .saturating_mul(365)
        .saturating_add(of_era.div_euclid(4))
        .saturating_sub(of_era.div_euclid(100))
        .saturating_add(day_of_year);
    Some(era.saturating_mul(146_097).saturating_add(day_of_era).saturating_sub(719_468))
}

/// What the operator knows about a resource, each in microseconds since 1970 UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    pub first_indexed: Option<i64>,
    pub first_preserved: Option<i64>,
    /// First available to be presented: when first crawled unless the caller knows better (our choice).
    pub first_available: Option<i64>,
    pub last_crawled: Option<i64>,
}

impl Facts {
    pub(crate) const UNKNOWN: Self =
        Self { first_indexed: None, first_preserved: None, first_available: None, last_crawled: None };

    fn first(&self, usage: Usage) -> Option<i64> {
        match usage {
            INDEX => self.first_indexed,
            PRESERVE => self.first_preserved,
            other if other.is_present() => self.first_available,
            _ => None,
        }
    }
}

impl Restriction {
    pub fn name(&self) -> &'static str {
        self.qualifier.name()
    }

    /// What the value is measured in, where values of a kind can be compared: the smaller is the stricter.
    pub(crate) fn measure(&self) -> Option<(Measure, i64)> {
        let lower = self.value.to_ascii_lowercase();
        let with = |measure: Measure, digits: &str| number(digits).map(|amount| (measure, amount));
        match (self.qualifier, self.limit) {
            (Qualifier::MaxLength, _) => match (lower.strip_suffix("-chars"), lower.strip_suffix("-words")) {
                (Some(digits), _) => with(Measure::Chars, digits),
                (_, Some(digits)) => with(Measure::Words, digits),
                _ => None,
            },
            (Qualifier::MaxVideoPreview, _) => with(Measure::Seconds, &lower),
            (Qualifier::TimeLimit, Limit::Until(end)) => Some((Measure::Until, end)),
            (Qualifier::TimeLimit, Limit::After(span)) => Some((Measure::After, span)),
            _ => None,
        }
    }

    /// Whether the time for this usage is over.
    pub(crate) fn is_over(&self, usage: Usage, at: i64, facts: &Facts) -> bool {
        match self.limit {
            Limit::None => false,
            Limit::Until(end) => at >= end,
            Limit::After(span) => facts.first(usage).is_some_and(|first| at >= first.saturating_add(span)),
            Limit::Recrawled => match (facts.first(usage), facts.last_crawled) {
                (Some(first), Some(last)) => last > first,
                _ => false,
            },
        }
    }
}

/// Whether a restriction swallows every other prohibited modification.
pub(crate) fn is_any_modification(restriction: &Restriction) -> bool {
    restriction.qualifier == Qualifier::ProhibitedModification && restriction.value.eq_ignore_ascii_case("any")
}

/// Whether the table has the qualifier for this usage.
pub(crate) fn in_column(qualifier: Qualifier, usage: Usage) -> bool {
    qualifier.row().into_iter().flat_map(|row| row.columns).any(|column| match column {
        Any => true,
        Only(only) => *only == usage,
        From(top) => top.covers(usage),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SITE: Carrier = Carrier { page: false, sets: true, others: false };
    const ELSEWHERE: Carrier = Carrier { others: true, ..SITE };

    #[test]
    fn instants_are_for_other_dialects() {
        let end = |value: &str| read("time-limit", value, ELSEWHERE).map(|reading| reading.restriction.limit);
        assert_eq!(end("until-1970-01-01T00:00:01Z"), Ok(Limit::Until(1_000_000)));
        assert_eq!(end("until-1970-01-01T24:00:00Z"), Err(QualifierError::BadValue));
        assert_eq!(read("time-limit", "until-1970-01-01T00:00:01Z", SITE), Err(QualifierError::BadValue));
        assert_eq!(read("excluded-media", "image", SITE), Err(QualifierError::UnknownName));
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(days_from_civil(1970, 1, 1), Some(0));
        assert_eq!(days_from_civil(2008, 3, 1), Some(13_939));
        assert_eq!(days_from_civil(2100, 2, 29), None);
        assert_eq!(time_limit("until-2008-02-30"), None);
    }

    #[test]
    fn older_words_are_read() {
        let reading = read("context", "within-frame", SITE).map(|reading| (reading.restriction.name(), reading.older));
        assert_eq!(reading, Ok(("prohibited-context", true)));
        assert_eq!(read("location", "http://a/", SITE), Err(QualifierError::BadValue));
        assert_eq!(read("time-period", "permanently", SITE), Err(QualifierError::UnknownName));
    }
}
