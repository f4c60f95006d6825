//! Many questions of one crawler at once: columns instead of objects.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use crate::decide::{Kind, Question, View};
use crate::octets::last_path_is_canonical;
use crate::policy::Policy;
use crate::resolution::Cite;
use crate::statement::Outcome;
use crate::url::{Fault, Url, after_origin, after_plain_origin, has_control, misshapen, unaskable};
use crate::usage::{self, Usage};

/// The URLs of a batch, in one text.
#[derive(Debug)]
pub struct Urls {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Urls {
    /// Room for `count` URLs of `octets` octets each.
    pub fn with_capacity(count: usize, octets: usize) -> Self {
        Self { text: Vec::with_capacity(count.saturating_mul(octets)), ends: Vec::with_capacity(count) }
    }

    pub fn push(&mut self, url: &[u8]) {
        self.text.extend_from_slice(url);
        self.ends.push(self.text.len());
    }

    /// The URL at a place, from 0.
    pub fn get(&self, place: usize) -> Option<&[u8]> {
        self.ends.get(place).and_then(|_| self.at(self.span(place)))
    }

    /// Where in the text the URL at a place is; nowhere if there is none.
    #[inline]
    pub(crate) fn span(&self, place: usize) -> Range<usize> {
        let start = place.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied()).unwrap_or(0);
        start..self.ends.get(place).copied().unwrap_or(start)
    }

    /// The text at a place of it.
    #[inline]
    pub(crate) fn at(&self, span: Range<usize>) -> Option<&[u8]> {
        self.text.get(span)
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let url = self.text.get(start..*end).unwrap_or(&[]);
            start = *end;
            url
        })
    }
}

impl<'u> FromIterator<&'u [u8]> for Urls {
    fn from_iter<I: IntoIterator<Item = &'u [u8]>>(all: I) -> Self {
        let mut urls = Self::with_capacity(0, 0);
        all.into_iter().for_each(|url| urls.push(url));
        urls
    }
}

/// One answer: outcome and kind by their codes, the line that decided, and whether restrictions hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// 0 permitted, 1 conditional, 2 prohibited.
    pub outcome: u8,
    /// None if no statement decided; 0 if it is of another file.
    pub line: Option<u32>,
    /// The place of the kind in [`KINDS`].
    pub kind: u8,
    pub stated: bool,
    pub restricted: bool,
}

impl Row {
    /// The strictest of the answers for several purposes or views, as a single decision has it.
    fn and(self, other: Self) -> Self {
        let is_stricter = other.outcome > self.outcome;
        let speaks = other.outcome == self.outcome && self.kind == SILENCE && other.kind != SILENCE;
        let line = match other.outcome.cmp(&self.outcome) {
            Ordering::Greater => other.line,
            Ordering::Equal => self.line.or(other.line),
            Ordering::Less => self.line,
        };
        let outcome = self.outcome.max(other.outcome);
        Self {
            outcome,
            line,
            kind: if is_stricter || speaks { other.kind } else { self.kind },
            stated: self.stated | other.stated,
            restricted: (self.restricted | other.restricted) && outcome != PROHIBITED.outcome,
        }
    }
}

/// What cannot be asked is not permitted.
pub(crate) const PROHIBITED: Row =
    Row { outcome: 2, line: None, kind: Kind::Unreachable as u8, stated: false, restricted: false };

const SILENCE: u8 = Kind::Silence as u8;

/// The columns of [`Row`]s, URL by URL and of each usage by usage.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    pub outcomes: Vec<u8>,
    pub lines: Vec<u32>,
    pub kinds: Vec<u8>,
    pub stated: Vec<u8>,
    pub restricted: Vec<u8>,
}

impl Rows {
    fn with_capacity(rows: usize) -> Self {
        Self {
            outcomes: Vec::with_capacity(rows),
            lines: Vec::with_capacity(rows),
            kinds: Vec::with_capacity(rows),
            stated: Vec::with_capacity(rows),
            restricted: Vec::with_capacity(rows),
        }
    }

    fn push(&mut self, row: Row) {
        self.outcomes.push(row.outcome);
        self.lines.push(row.line.unwrap_or(0));
        self.kinds.push(row.kind);
        self.stated.push(u8::from(row.stated));
        self.restricted.push(u8::from(row.restricted));
    }
}

/// Why a URL of a batch could not be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// Neither absolute nor a path, or not one that can be.
    NotAUrl(Fault),
    /// Of another scheme, host or port than the policy.
    OtherOrigin,
}

/// Whether what follows an authority does.
pub(crate) fn ends_authority(rest: &[u8]) -> bool {
    matches!(rest.first(), None | Some(b'/' | b'?' | b'#'))
}

/// What follows the authority of a URL, once its origin is known to be the policy's; a path is itself.
#[inline]
pub fn rest_of<'u>(policy: &Policy, url: &'u [u8]) -> Result<&'u [u8], Mistake> {
    check(policy, url, unaskable)?;
    rest(policy, url)
}

/// Whether a URL has what none may have. The widely used matcher takes any, and so does its dialect.
#[inline]
fn check(policy: &Policy, url: &[u8], fault: fn(&[u8]) -> Option<Fault>) -> Result<(), Mistake> {
    if policy.dialect.as_it_comes {
        return Ok(());
    }
    fault(url).map_or(Ok(()), |fault| Err(Mistake::NotAUrl(fault)))
}

#[inline]
fn rest<'u>(policy: &Policy, url: &'u [u8]) -> Result<&'u [u8], Mistake> {
    if ends_authority(url) {
        return Ok(url);
    }
    if let Some(origin) = policy.origin()
        && let Some(rest) = url.strip_prefix(origin)
        && ends_authority(rest)
    {
        return Ok(rest);
    }
    let Some(ours) = policy.origin() else { return after_origin(url).map_err(Mistake::NotAUrl) };
    let asked = Url::read(url).map_err(Mistake::NotAUrl)?;
    if *ours == *asked.origin() { Ok(asked.rest) } else { Err(Mistake::OtherOrigin) }
}

/// The path of a URL, where that is written as the policy compares it and the origin as nearly every one is; none where
/// a longer look is needed, at what may be no URL of this policy too.
#[inline]
pub(crate) fn path_as_written<'u>(policy: &Policy, view: &View, url: &'u [u8]) -> Option<&'u [u8]> {
    if !policy.dialect.form.is_canonical() || misshapen(url).is_some() {
        return None;
    }
    let path = match (policy.origin(), url) {
        (_, [b'/', ..]) => url,
        (Some(origin), _) => url.strip_prefix(origin)?,
        (None, _) => view.after_known_origin(url).or_else(|| {
            let rest = after_plain_origin(url)?;
            view.remember_origin(url.strip_suffix(rest).unwrap_or(&[]));
            Some(rest)
        })?,
    };
    // What is canonical begins with `/` and holds no control character, nor does what was taken off.
    last_path_is_canonical(url, path).then_some(path)
}

/// Answers for each URL and each usage: of several views and purposes the strictest. The mistake names the place of the
/// first URL that cannot be asked for.
pub fn decide(policy: &Policy, asked: &Asked<'_>, urls: &Urls, usages: &[Usage]) -> Result<Rows, (usize, Mistake)> {
    let mut rows = Rows::with_capacity(urls.ends.len().saturating_mul(usages.len()));
    // One pass over all URLs costs a fraction of one for each.
    let fault = if has_control(&urls.text) { unaskable } else { misshapen };
    let mut before: &[u8] = &[];
    for (place, url) in urls.iter().enumerate() {
        // Most URLs of a batch have the origin of the one before.
        check(policy, url, fault).map_err(|mistake| (place, mistake))?;
        let rest = match url.strip_prefix(before).filter(|rest| ends_authority(rest)) {
            Some(rest) => rest,
            None => {
                let rest = rest(policy, url).map_err(|mistake| (place, mistake))?;
                before = url.strip_suffix(rest).unwrap_or(&[]);
                rest
            }
        };
        let path = policy.dialect.form.path(rest, url);
        for usage in usages {
            rows.push(asked.row(policy, &path, *usage));
        }
    }
    Ok(rows)
}

/// Who asks, and for which purposes: every view is asked for each of them, and the strictest answer counts.
#[derive(Debug)]
pub struct Asked<'q> {
    /// One at least, or the answer is a prohibition.
    pub views: &'q [Arc<View>],
    /// None: without purpose.
    pub purposes: &'q [Option<&'q [u8]>],
    pub question: &'q Question<'q>,
}

impl Asked<'_> {
    /// The strictest answer of all views and purposes; nothing asked is prohibited.
    #[inline]
    pub(crate) fn row(&self, policy: &Policy, path: &[u8], usage: Usage) -> Row {
        match (self.views, self.purposes) {
            (_, []) => PROHIBITED,
            // Nearly every row is of one view.
            ([view], _) => self.row_of(policy, view, path, usage),
            (views, _) => {
                let rows = views.iter().map(|view| self.row_of(policy, view, path, usage));
                rows.reduce(Row::and).unwrap_or(PROHIBITED)
            }
        }
    }

    /// That of one view.
    #[inline]
    fn row_of(&self, policy: &Policy, view: &View, path: &[u8], usage: Usage) -> Row {
        // To a quick question the purpose does not matter.
        if let Some(row) = self.quick_row(policy, view, path, usage) {
            return row;
        }
        self.strictest(policy, view, path, usage)
    }

    fn strictest(&self, policy: &Policy, view: &View, path: &[u8], usage: Usage) -> Row {
        let rows = self.purposes.iter().map(|purpose| self.row_at_length(policy, view, *purpose, path, usage));
        rows.reduce(Row::and).unwrap_or(PROHIBITED)
    }

    /// The restrictions that hold beside an answer that does not prohibit, as `name=value`, each once.
    pub fn restrictions(&self, policy: &Policy, path: &[u8], usage: Usage) -> Vec<String> {
        let mut out = Vec::new();
        for view in self.views {
            for purpose in self.purposes {
                let question = Question { path, purpose: *purpose, ..self.question.clone() };
                for one in policy.answer(view, &question, usage, false).restrictions {
                    let text = format!("{}={}", one.name, one.value);
                    if !out.contains(&text) {
                        out.push(text);
                    }
                }
            }
        }
        out
    }

    /// The answer of a conventional rule alone; none where more may count.
    #[inline]
    fn quick_row(&self, policy: &Policy, view: &View, path: &[u8], usage: Usage) -> Option<Row> {
        let question = self.question;
        let is_quick =
            usage == usage::CRAWL && !question.for_use && question.elsewhere.is_empty() && question.silence.is_empty();
        if !is_quick {
            return None;
        }
        let (outcome, kind, rule) = policy.crawl_quickly(view, path)?;
        let line = rule.map(|rule| policy.line_of(Cite::Line(rule.entry)));
        let (outcome, kind) = (outcome_code(outcome), kind_code(kind));
        Some(Row { outcome, line, kind, stated: rule.is_some(), restricted: false })
    }

    fn row_at_length(&self, policy: &Policy, view: &View, purpose: Option<&[u8]>, path: &[u8], usage: Usage) -> Row {
        let question = self.question;
        let answer = policy.answer(view, &Question { path, purpose, ..question.clone() }, usage, false);
        Row {
            outcome: outcome_code(answer.outcome),
            line: answer.decided.first().map(|cite| policy.line_of(*cite)),
            kind: kind_code(answer.kind),
            stated: answer.stated,
            restricted: answer.outcome != Outcome::Prohibited && !answer.restrictions.is_empty(),
        }
    }
}

pub fn outcome_code(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Permitted => 0,
        Outcome::Conditional => 1,
        Outcome::Prohibited => 2,
    }
}

/// Every kind of reason, in the order of their codes.
pub const KINDS: [Kind; 15] = [
    Kind::Statement,
    Kind::Silence,
    Kind::CrawlProhibited,
    Kind::PreserveProhibited,
    Kind::Unreachable,
    Kind::Absent,
    Kind::ReferenceMissing,
    Kind::PolicyResource,
    Kind::Expired,
    Kind::NotHonoured,
    Kind::TakeDown,
    Kind::Truncated,
    Kind::Unreadable,
    Kind::ElementLevel,
    Kind::ControlToken,
];

/// The place in [`KINDS`].
pub(crate) fn kind_code(kind: Kind) -> u8 {
    kind as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_places() {
        for (place, kind) in KINDS.into_iter().enumerate() {
            assert_eq!(usize::from(kind_code(kind)), place);
        }
    }

    #[test]
    fn an_origin_is_compared_to_its_end() {
        let policy = Policy::read(b"".as_slice().into(), Some("http://a.b/"), crate::dialect::Dialect::AUTO, None);
        let views = [Arc::new(View::new(&policy, &["x"]))];
        let asked = Asked { views: &views, purposes: &[None], question: &Question::about(&[]) };
        let ask = |urls: &[&'static str]| {
            let urls = urls.iter().map(|url| url.as_bytes()).collect();
            decide(&policy, &asked, &urls, &[usage::CRAWL]).err()
        };
        assert_eq!(ask(&["http://a.b/x", "http://a.b", "HTTP://A.B:80?q", "HTTP://A.B:80#", "/x"]), None);
        for none in ["", "?q", "#a"] {
            assert_eq!(ask(&["http://a.b/x", none]), Some((1, Mistake::NotAUrl(Fault::NotAbsolute))));
        }
        assert_eq!(ask(&["http://a.b/x", "http://a.bc/x"]), Some((1, Mistake::OtherOrigin)));
        assert_eq!(ask(&["http://a.b/x", "http://a.b:8/x"]), Some((1, Mistake::OtherOrigin)));
        assert_eq!(ask(&["/x", "x"]), Some((1, Mistake::NotAUrl(Fault::NotAbsolute))));
    }
}
