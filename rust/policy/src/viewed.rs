//! A policy that remembers the views of the crawlers that asked last.

use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::decide::{ControlToken, View};
use crate::policy::Policy;

/// At most this many views are remembered, beside the first crawler's.
const VIEWS: usize = 15;

/// A policy with the views that were asked for.
#[derive(Debug)]
pub struct Viewed {
    policy: Policy,
    first: OnceLock<Arc<View>>,
    more: Mutex<Vec<Arc<View>>>,
}

impl From<Policy> for Viewed {
    fn from(policy: Policy) -> Self {
        Self { policy, first: OnceLock::new(), more: Mutex::default() }
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
        let mut more = self.more.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// Octets held, the text included.
    pub fn memory(&self) -> usize {
        self.policy.memory().saturating_add(size_of::<Self>()).saturating_sub(size_of::<Policy>())
    }
}
