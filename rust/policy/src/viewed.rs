//! A policy that remembers the views of the crawlers that asked last.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::batch::path_as_written;
use crate::decide::{ControlToken, Kind, View};
use crate::near::{LINES, Step};
use crate::policy::Policy;
use crate::statement::Outcome;

/// At most this many views are remembered, beside the first crawler's.
const VIEWS: usize = 15;

/// A policy with the views that were asked for.
#[derive(Debug)]
pub struct Viewed {
    policy: Policy,
    /// Whether a question came; the first needs no view.
    asked: AtomicBool,
    first: OnceLock<Arc<View>>,
    more: OnceLock<Box<Mutex<Vec<Arc<View>>>>>,
}

impl From<Policy> for Viewed {
    fn from(policy: Policy) -> Self {
        Self { policy, asked: AtomicBool::new(false), first: OnceLock::new(), more: OnceLock::new() }
    }
}

impl Deref for Viewed {
    type Target = Policy;

    #[inline]
    fn deref(&self) -> &Policy {
        &self.policy
    }
}

impl Viewed {
    /// The view of a crawler with these names; the last few views are remembered.
    pub fn view<N: AsRef<str>>(&self, names: &[N]) -> Arc<View> {
        self.view_with(names, &[])
    }

    /// The same, of a crawler that hears control tokens beside those of its operator.
    pub fn view_with<N: AsRef<str>>(&self, names: &[N], beside: &[&'static ControlToken]) -> Arc<View> {
        if let Some(view) = self.first.get() {
            if view.is_for(names, beside) {
                return view.clone();
            }
        } else {
            let view = Arc::new(View::with_tokens(&self.policy, names, beside));
            if self.first.set(view.clone()).is_ok() {
                return view;
            }
        }
        let mut more = self.more.get_or_init(Box::default).lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(view) = more.iter().find(|view| view.is_for(names, beside)) {
            return view.clone();
        }
        let view = Arc::new(View::with_tokens(&self.policy, names, beside));
        if more.len() >= VIEWS {
            more.remove(0);
        }
        more.push(view.clone());
        view
    }

    /// Whether a crawler of this one name may crawl a canonical path, and why; none where more than conventional rules
    /// decides. The first question is answered by the lines themselves: a policy that is asked once keeps no view.
    #[inline]
    pub fn crawl(&self, name: &str, path: &[u8]) -> Option<(Outcome, Kind)> {
        let by = |view: &View| self.policy.crawl_quickly(view, path).map(|(outcome, kind, _)| (outcome, kind));
        match self.first.get() {
            Some(view) if view.is_for(&[name], &[]) => return by(view),
            None if !self.asked.swap(true, Ordering::Relaxed) => {
                if let Some(answer) = self.policy.crawl_unselected(name.as_bytes(), path) {
                    return Some(answer);
                }
            }
            _ => {}
        }
        by(&self.view(&[name]))
    }

    /// Whether the crawler that asked first may crawl a URL, by the shortest way: it asks by the one name as it stands,
    /// the URL needs no rewriting, and a conventional rule alone decides. None where a longer way is needed.
    #[inline]
    pub fn allows_at_once(&self, crawler: &[u8], url: &[u8]) -> Option<bool> {
        let view = self.first.get().filter(|view| view.is_for_name(crawler))?;
        let path = path_as_written(&self.policy, view, url)?;
        self.policy.crawl_quickly(view, path).map(|(outcome, _, _)| outcome == Outcome::Permitted)
    }

    /// An octet that depends on all that lies so many steps from here; it has no meaning.
    #[inline]
    pub(crate) fn octet(&self, step: Step) -> u8 {
        let (policy, view) = (&self.policy, self.first.get());
        let first = |text: &[u8]| text.first().copied().unwrap_or(0);
        match step {
            Step::Itself => {
                let has = [view.is_some(), policy.origin().is_some(), policy.is_decoded()];
                has.iter().fold(policy.state as u8, |all, one| all ^ u8::from(*one))
            }
            Step::Parts => {
                let of_view = view.map_or(0, |view| u8::from(view.is_plain()) ^ u8::from(view.rep.rules.is_empty()));
                let texts = first(policy.origin().unwrap_or(&[])) ^ first(policy.text());
                of_view ^ texts ^ u8::from(policy.table.entries.is_empty())
            }
            Step::Lists => {
                let name = view.and_then(|view| view.names().first()).map_or(0, |name| u8::from(name.is_empty()));
                let rule = view.and_then(|view| view.rep.rules.first()).map_or(0, |rule| u8::from(rule.wild));
                name ^ rule ^ policy.table.entries.first().map_or(0, |entry| entry.kind as u8)
            }
            Step::Rules => view.map_or(0, |view| {
                let names = view.names().iter().fold(0, |all, name| all ^ first(name.as_bytes()));
                view.rep.rules.octets_apart(LINES).fold(names, |all, octet| all ^ octet)
            }),
        }
    }

    /// Octets held, the text included.
    pub fn memory(&self) -> usize {
        self.policy.memory().saturating_add(size_of::<Self>()).saturating_sub(size_of::<Policy>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;

    fn read(octets: &[u8], url: &str) -> Policy {
        Policy::read(octets.into(), Some(url), Dialect::AUTO, None)
    }

    #[test]
    fn a_policy_that_was_read_takes_little_beside_its_lines() {
        assert!(size_of::<Viewed>() <= 112 && size_of::<crate::lines::Entry>() == 12);
    }

    #[test]
    fn an_origin_is_the_same_however_its_url_is_written() {
        for url in
            ["https://a.example/robots.txt", "HTTPS://A.Example:443/", "https://u@a.example.", "https://a.example"]
        {
            let policy = read(b"", url);
            assert_eq!((policy.origin(), policy.url.as_deref()), (Some(b"https://a.example".as_slice()), Some(url)));
            assert_eq!(policy.reading(true).origin(), policy.origin());
        }
        assert_eq!(read(b"", "https:/a").origin(), None);
    }
}
