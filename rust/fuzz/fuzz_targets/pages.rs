//! What pages carry is read whatever it is: contents of META tags, tokens of classes, markup. What is added to a tag
//! never makes it permit more.
//!
//! The input is taken as one page, and each of its lines as the content of a tag and as a token.

#![no_main]

use acap_markup::cost::cost;
use acap_markup::survey::survey;
use acap_markup::written;
use acap_policy::reading::Effect;
use acap_policy::reading::tag::{TagStatement, is_hidden, read};
use libfuzzer_sys::fuzz_target;

fn permitted(statements: Vec<TagStatement>) -> Vec<TagStatement> {
    statements.into_iter().filter(|one| one.effect == Effect::Permits).collect()
}

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    let found = survey(text.as_bytes());
    let counted = cost(text.as_bytes());
    assert!(found.metas as u64 <= counted.tags.saturating_add(text.len() as u64));
    assert!(written::text(&text).is_none_or(|found| found.len() <= text.len()));
    let tags = read(text.lines(), text.lines(), usize::MAX);
    assert!(tags.statements.iter().all(|one| one.effect == Effect::Permits || one.qualifiers.is_empty()));
    // A word would be the value of an open qualifier, or the usage of a statement that names none.
    // One reading is without the letters that nobody sees.
    let open = |line: &&str| {
        let line: String = line.chars().filter(|letter| !is_hidden(letter.encode_utf8(&mut [0; 4]))).collect();
        let line = line.trim_end_matches([' ', '\t', '\x0C', '\r', '\u{A0}']);
        let last = line.rsplit([' ', '\t', '\x0C', '\r', '\u{A0}', ',', ';']).next().unwrap_or("");
        let bare = last.trim_matches(|letter: char| !letter.is_alphanumeric()).to_ascii_lowercase();
        line.ends_with(['=', ',']) || bare.ends_with("allow")
    };
    for line in text.lines().filter(|line| !open(line)) {
        let alone = permitted(read(std::iter::once(line), std::iter::empty(), usize::MAX).statements);
        let stray = format!("{line} stray");
        let more = permitted(read(std::iter::once(stray.as_str()), std::iter::empty(), usize::MAX).statements);
        // After `allow` alone it is the name of a usage.
        let mut more = more.iter().filter(|one| !one.usage.contains("stray"));
        assert!(more.all(|one| alone.iter().any(|other| other.usage == one.usage)), "{line}");
    }
});
