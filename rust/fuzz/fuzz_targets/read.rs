//! Any octets give a policy in every dialect, and its lines give the text back.

#![no_main]

use std::sync::Arc;

use acap_policy::lines::Lines;
use acap_policy::{Dialect, Policy};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|octets: &[u8]| {
    let octets: Arc<[u8]> = Arc::from(octets);
    for (_, dialect) in Dialect::ALL {
        let policy = Policy::read(octets.clone(), Some("https://example.org/robots.txt"), dialect, None);
        let mut at = 0;
        for line in Lines::new(policy.text()) {
            assert_eq!(line.start, at);
            assert!(line.start <= line.end && line.end <= line.next);
            at = line.next;
        }
        assert_eq!(at, policy.text().len());
        if !policy.is_decoded() {
            assert_eq!(policy.text(), &*octets);
        }
    }
});
