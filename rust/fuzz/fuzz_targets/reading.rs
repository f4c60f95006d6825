//! Any octets give a policy in every dialect, whose parts can all be looked at; the lines give the text back, and every
//! span lies within it.

#![no_main]

use std::sync::Arc;

use acap_policy::deciding::View;
use acap_policy::reading::octets::{canonical_path, canonical_pattern};
use acap_policy::reading::{Dialect, Effect, Limits, Lines, Policy, extensions, line_around, politeness};
use libfuzzer_sys::fuzz_target;

const URL: &str = "https://example.org/robots.txt";
const NAMES: [&[&str]; 3] = [&["bot"], &["news-bot", "SearchBot1"], &[]];

fuzz_target!(|octets: &[u8]| {
    let octets: Arc<[u8]> = Arc::from(octets);
    let tight = Limits {
        file_octets: 300,
        line_octets: 30,
        records: 2,
        sub_records: 1,
        fields_per_record: 3,
        fields_per_sub_record: 2,
    };
    for dialect in acap_policy::reading::DIALECTS {
        for limits in [None, Some(tight.clone())] {
            look(&Policy::read(octets.clone(), Some(URL), dialect, limits));
        }
    }
    let policy = Policy::read(octets.clone(), None, Dialect::AUTO, None);
    let uris: Vec<String> = references(&policy);
    // What is referred to may be anything too, the file itself included.
    for uri in uris.iter().take(2) {
        for supplied in [None, Some(octets.clone())] {
            let supplied = policy.with_reference(uri, supplied);
            look(&supplied);
            let again =
                supplied.with_reference("/another.txt", Some(Arc::from(&b"ACAP-crawler: *\nACAP-allow-crawl: /"[..])));
            assert_eq!(references(&again), uris);
        }
    }
});

fn references(policy: &Policy) -> Vec<String> {
    policy.acap.iter().flat_map(|file| &file.references).map(|reference| reference.uri.to_string()).collect()
}

/// Looks at everything a policy can be asked for without a question.
fn look(policy: &Policy) {
    let text = policy.text();
    let mut at = 0;
    let mut lines = 0;
    for line in Lines::new(text) {
        assert_eq!(line.start, at);
        assert!(line.start <= line.end && line.end <= line.next);
        at = line.next;
        lines = line.number;
    }
    assert_eq!(at, text.len());
    if !policy.is_decoded() {
        assert_eq!(text, &*policy.octets);
    }
    assert!(!policy.truncated() || !policy.problems().is_empty());
    for problem in policy.problems() {
        assert!(problem.place.line <= lines, "{problem:?}");
        let start = problem.place.start as usize;
        assert!(start <= text.len(), "{problem:?}");
        line_around(text, start);
        let span = problem.place.span().unwrap_or(0..0);
        assert!(text.get(span).is_some(), "{problem:?}");
    }
    let mut line = 0;
    for entry in &policy.table.entries {
        assert!(entry.line > line, "entries are in the order of lines, one a line");
        line = entry.line;
        assert_eq!(entry.value(text).len(), usize::from(entry.len));
    }
    for extension in extensions(&policy.table.entries) {
        extension.entry.value(text);
    }
    for names in NAMES {
        let view = View::new(policy, names);
        view.rep.build_index(text);
        for rule in view.rep.rules.iter() {
            assert!((rule.entry as usize) < policy.table.entries.len());
            view.rep.rules.pattern(text, *rule);
        }
        let asked = politeness(policy.dialect, &policy.table.entries, text, names);
        assert!(asked.rates.iter().all(|rate| rate.documents > 0.0 && rate.seconds > 0.0));
        assert!(asked.delays.iter().all(|(delay, _)| *delay >= 0.0));
    }
    let Some(file) = &policy.acap else { return };
    for statement in &file.statements {
        let audience = &file.audiences[statement.audience as usize];
        assert!((audience.record as usize) < file.records.len());
        assert!(statement.start as usize <= text.len());
        assert!(!file.targets(statement).is_empty() && file.patterns(statement).next().is_some());
        for target in file.targets(statement) {
            assert!(!file.usage_name(target.usage).is_empty());
            let restrictions = file.restrictions(statement, target);
            assert!(restrictions.is_empty() || file.effect(statement, target) == Effect::Permits);
        }
        for pattern in file.patterns(statement) {
            assert_eq!(canonical_pattern(pattern), pattern);
        }
    }
    for request in &file.requests {
        assert!((request.record as usize) < file.records.len());
        let path = file.path(request);
        assert!(if request.cut { path.is_empty() } else { canonical_path(path) == path }, "{request:?}");
    }
    for record in &file.records {
        assert!(file.names(record).all(|name| file.names_crawler(record, name.as_bytes())));
    }
}
