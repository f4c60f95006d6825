//! Every question on every usage has an answer, the same each time; the short way agrees with the long one, and nothing
//! is answered better than crawl.
//!
//! The input is a path, a line end, a crawler's name, a line end, and the robots.txt.

#![no_main]

use std::sync::Arc;

use acap_policy::decide::{Outcome, Question, path_of};
use acap_policy::restrictions::Facts;
use acap_policy::usage::{CRAWL, KNOWN, Usage};
use acap_policy::{Dialect, Policy};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let mut parts = input.splitn(3, |octet| *octet == b'\n');
    let (Some(path), Some(name), Some(text)) = (parts.next(), parts.next(), parts.next()) else { return };
    let Ok(name) = std::str::from_utf8(name) else { return };
    let rest = [b"/", path].concat();
    let facts = Facts::default();
    for (_, dialect) in Dialect::ALL {
        let policy = Policy::read(Arc::from(text), Some("https://example.org/robots.txt"), dialect, None);
        let view = policy.view(&[name]);
        let path = path_of(dialect, &rest, &rest);
        let question = Question {
            path: &path,
            purpose: None,
            at: 1_700_000_000_000_000,
            facts: &facts,
            silence: &[],
            honours: None,
            elsewhere: &[],
        };
        let crawl = policy.answer(&view, &question, CRAWL, true);
        if let Some((outcome, kind, _)) = policy.crawl_quickly(&view, &path) {
            assert_eq!((outcome, kind), (crawl.outcome, crawl.kind), "{dialect:?}");
        }
        for place in 0..KNOWN.len() {
            let usage = Usage(u16::try_from(place).unwrap());
            let answer = policy.answer(&view, &question, usage, true);
            let again = policy.answer(&view, &question, usage, false);
            assert_eq!((answer.outcome, answer.kind), (again.outcome, again.kind), "{dialect:?} {usage:?}");
            if crawl.outcome == Outcome::Prohibited {
                assert_eq!(answer.outcome, Outcome::Prohibited, "{dialect:?} {usage:?}");
            }
            for cite in answer.decided {
                policy.line_of(cite);
            }
        }
    }
});
