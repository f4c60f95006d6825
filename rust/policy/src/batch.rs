//! Many questions of one crawler at once: columns instead of objects.

use crate::decide::{Kind, Outcome, Question, View, form_of};
use crate::octets::split_origin;
use crate::policy::Policy;
use crate::resolution::Cite;
use crate::usage::{self, Usage};

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
}

impl Rows {
    /// Keeps the stricter answer of each row.
    pub fn stricter(&mut self, other: &Self) {
        for (place, theirs) in other.outcomes.iter().enumerate() {
            let Some(ours) = self.outcomes.get_mut(place) else { return };
            if theirs <= ours {
                continue;
            }
            *ours = *theirs;
            copy(&mut self.lines, &other.lines, place);
            copy(&mut self.kinds, &other.kinds, place);
            copy(&mut self.stated, &other.stated, place);
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
    /// Neither absolute nor a path.
    NotAUrl,
    /// Of another scheme, host or port than the policy.
    OtherOrigin,
}

/// What follows the authority of a URL, once its origin is known to be the policy's; a path is itself.
#[inline]
pub fn rest_of<'u>(policy: &Policy, url: &'u [u8]) -> Result<&'u [u8], Mistake> {
    if matches!(url.first(), None | Some(b'/' | b'?' | b'#')) {
        return Ok(url);
    }
    if let Some(origin) = &policy.origin
        && let Some(rest) = url.strip_prefix(&**origin)
        && matches!(rest.first(), None | Some(b'/' | b'?' | b'#'))
    {
        return Ok(rest);
    }
    let (origin, rest) = split_origin(url).ok_or(Mistake::NotAUrl)?;
    match &policy.origin {
        Some(ours) if **ours != *origin => Err(Mistake::OtherOrigin),
        _ => Ok(rest),
    }
}

/// Answers for each URL and each usage. The mistake names the place of the first URL that cannot be asked for.
pub fn decide<'u>(
    policy: &Policy,
    view: &View,
    urls: impl Iterator<Item = &'u [u8]>,
    usages: &[Usage],
    question: &Question<'_>,
) -> Result<Rows, (usize, Mistake)> {
    let mut rows = Rows::default();
    for (place, url) in urls.enumerate() {
        let rest = rest_of(policy, url).map_err(|mistake| (place, mistake))?;
        let path = form_of(policy.dialect, rest, url);
        for usage in usages {
            let quick = if *usage == usage::CRAWL && question.elsewhere.is_empty() && question.silence.is_empty() {
                policy.crawl_quickly(view, &path)
            } else {
                None
            };
            let (outcome, kind, stated, line) = match quick {
                Some((outcome, kind, rule)) => {
                    let line = rule.map_or(0, |rule| policy.line_of(Cite::Line(rule.entry)));
                    (outcome, kind, rule.is_some(), line)
                }
                None => {
                    let asked = Question { path: &path, ..question.clone() };
                    let answer = policy.answer(view, &asked, *usage, false);
                    let line = answer.decided.first().map_or(0, |cite| policy.line_of(*cite));
                    (answer.outcome, answer.kind, answer.stated, line)
                }
            };
            rows.outcomes.push(outcome_code(outcome));
            rows.kinds.push(kind_code(kind));
            rows.stated.push(u8::from(stated));
            rows.lines.push(line);
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
pub const KINDS: [Kind; 11] = [
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
];

pub fn kind_code(kind: Kind) -> u8 {
    KINDS.iter().position(|known| *known == kind).and_then(|place| u8::try_from(place).ok()).unwrap_or(0)
}
