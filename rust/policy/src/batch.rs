//! Many questions of one crawler at once: columns instead of objects.

use crate::decide::{Kind, Question, View, form_of};
use crate::policy::Policy;
use crate::resolution::Cite;
use crate::statement::Outcome;
use crate::url::{Fault, Url, after_origin, has_control, misshapen, unaskable};
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
        let start = match place.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.text.get(start..*self.ends.get(place)?)
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
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

/// One row an URL and usage, URL by URL.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// 0 permitted, 1 conditional, 2 prohibited.
    pub outcomes: Vec<u8>,
    /// The line that decided, 0 if none.
    pub lines: Vec<u32>,
    /// The place of the kind in its catalogue.
    pub kinds: Vec<u8>,
    pub stated: Vec<u8>,
    /// Whether restrictions hold.
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

    /// Keeps the stricter answer of each row.
    pub fn stricter(&mut self, other: &Self) {
        for (place, theirs) in other.outcomes.iter().enumerate() {
            let Some(ours) = self.outcomes.get_mut(place) else { return };
            if let (Some(held), Some(more)) = (self.restricted.get_mut(place), other.restricted.get(place))
                && theirs == ours
            {
                *held |= *more;
            }
            if theirs <= ours {
                continue;
            }
            *ours = *theirs;
            copy(&mut self.lines, &other.lines, place);
            copy(&mut self.kinds, &other.kinds, place);
            copy(&mut self.stated, &other.stated, place);
            copy(&mut self.restricted, &other.restricted, place);
        }
    }
}

fn copy<T: Copy>(to: &mut [T], from: &[T], place: usize) {
    if let (Some(to), Some(from)) = (to.get_mut(place), from.get(place)) {
        *to = *from;
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
fn ends_authority(rest: &[u8]) -> bool {
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
    if let Some(origin) = &policy.origin
        && let Some(rest) = url.strip_prefix(&**origin)
        && ends_authority(rest)
    {
        return Ok(rest);
    }
    let Some(ours) = &policy.origin else { return after_origin(url).map_err(Mistake::NotAUrl) };
    let asked = Url::read(url).map_err(Mistake::NotAUrl)?;
    if **ours == *asked.origin() { Ok(asked.rest) } else { Err(Mistake::OtherOrigin) }
}

/// Answers for each URL and each usage. The mistake names the place of the first URL that cannot be asked for.
pub fn decide(
    policy: &Policy,
    view: &View,
    urls: &Urls,
    usages: &[Usage],
    question: &Question<'_>,
) -> Result<Rows, (usize, Mistake)> {
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
        let path = form_of(policy.dialect, rest, url);
        for usage in usages {
            let quick = if *usage == usage::CRAWL
                && !question.for_use
                && question.elsewhere.is_empty()
                && question.silence.is_empty()
            {
                policy.crawl_quickly(view, &path)
            } else {
                None
            };
            let (outcome, kind, stated, line, restricted) = match quick {
                Some((outcome, kind, rule)) => {
                    let line = rule.map_or(0, |rule| policy.line_of(Cite::Line(rule.entry)));
                    (outcome, kind, rule.is_some(), line, false)
                }
                None => {
                    let asked = Question { path: &path, ..question.clone() };
                    let answer = policy.answer(view, &asked, *usage, false);
                    let line = answer.decided.first().map_or(0, |cite| policy.line_of(*cite));
                    (answer.outcome, answer.kind, answer.stated, line, !answer.restrictions.is_empty())
                }
            };
            rows.outcomes.push(outcome_code(outcome));
            rows.kinds.push(kind_code(kind));
            rows.stated.push(u8::from(stated));
            rows.lines.push(line);
            rows.restricted.push(u8::from(restricted));
        }
    }
    Ok(rows)
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
        let policy = Policy::read(b"".as_slice().into(), Some("http://a.b/"), crate::Dialect::AUTO, None);
        let view = View::new(&policy, &["x"]);
        let ask = |urls: &[&'static str]| {
            let urls = urls.iter().map(|url| url.as_bytes()).collect();
            decide(&policy, &view, &urls, &[usage::CRAWL], &Question::about(&[])).err()
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
