//! A policy that remembers the views of the crawlers that asked last.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::batch::path_as_written;
use crate::decide::{ControlToken, Kind, View};
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
        let path = path_as_written(&self.policy, url)?;
        self.policy.crawl_quickly(view, path).map(|(outcome, _, _)| outcome == Outcome::Permitted)
    }

    /// An octet that depends on what stands in the policy itself; like those that follow it has no meaning. Who asks many
    /// policies reads them first, for what is read lies beside the processor then.
    #[inline]
    pub(crate) fn octet_of_itself(&self) -> u8 {
        let has = [self.first.get().is_some(), self.policy.origin.is_some(), self.policy.is_decoded()];
        has.iter().fold(self.policy.state as u8, |all, one| all ^ u8::from(*one))
    }

    /// The same of what that points to.
    #[inline]
    pub(crate) fn octet_of_its_parts(&self) -> u8 {
        let texts = [self.policy.origin.as_deref().unwrap_or(&[]), self.policy.text()];
        let octet = texts.iter().fold(0, |all, text| all ^ text.first().copied().unwrap_or(0));
        let view = self.first.get().map_or(0, |view| u8::from(view.is_plain()) ^ u8::from(view.rep.rules.is_empty()));
        octet ^ view ^ u8::from(self.policy.table.entries.is_empty())
    }

    /// The same of the lists in these.
    #[inline]
    pub(crate) fn octet_of_its_lists(&self) -> u8 {
        let view = self.first.get().map_or(0, |view| u8::from(view.is_without_name()) ^ view.rep.rules.octet());
        view ^ self.policy.table.entries.first().map_or(0, |entry| entry.kind as u8)
    }

    /// The same of the lines of memory in which the rules stand.
    #[inline]
    pub(crate) fn octet_of_its_rules(&self) -> u8 {
        self.first.get().map_or(0, |view| view.octet_of_names() ^ view.rep.rules.octets())
    }

    /// Octets held, the text included.
    pub fn memory(&self) -> usize {
        self.policy.memory().saturating_add(size_of::<Self>()).saturating_sub(size_of::<Policy>())
    }
}
