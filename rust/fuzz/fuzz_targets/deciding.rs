//! Laws of deciding, for any policy and question:
//!
//! - the long way (with its trace), the short way and the batch give the same answer; nothing is answered better than
//!   crawl; an index finds what looking at every rule finds;
//! - one more prohibition never permits more, nor does a limit; the order of rules does not matter.
//!
//! The input is a question in numbers (see [`Asked`]), then a path, a line end, and the robots.txt.

#![no_main]

use std::collections::BTreeSet;
use std::sync::Arc;

use acap_policy::deciding::batch::{self, outcome_code};
use acap_policy::deciding::{Answer, Index, Question, Selection, View};
use acap_policy::reading::usage::{CRAWL, KNOWN, UNNUMBERED, Usage};
use acap_policy::reading::{Dialect, Facts, Kind, Limits, Lines, Outcome, Policy, RESTRICTIONS, fold_purpose};
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;

const URL: &str = "https://example.org/robots.txt";
const NAMES: [&str; 4] = ["bot", "SearchBot1", "news-bot", "nobody"];
const PURPOSES: [&str; 4] = ["news", "http://a.b", "news sports", "x"];
/// What references may lead to.
const REFERENCED: [Option<&str>; 4] = [
    Some("ACAP-crawler: *\nACAP-allow-index: / time-limit=9-days\nACAP-allow-print: /a\nACAP-disallow-own: /\n"),
    Some("ACAP-crawler: bot\nACAP-usage-purpose: news\nACAP-disallow-present: /\nACAP-request-take-down: /a\n"),
    Some("<html>"),
    None,
];
/// 2025-06-30T12:00Z.
const NOON: i64 = 1_751_284_800_000_000;
const HOUR: i64 = 3_600_000_000;

/// The question, and what is changed in the policy.
#[derive(Arbitrary, Debug)]
struct Asked {
    dialect: u8,
    crawler: u8,
    usage: u8,
    /// 0 asks without purpose.
    purpose: u8,
    hours: i16,
    /// Days before noon, of each fact; 0 is unknown.
    facts: [u8; 4],
    silence: u8,
    /// Bits of the restrictions that can be kept; 0 is all.
    honours: u8,
    /// Where a prohibition is added, and which.
    place: u8,
    added: u8,
    limits: u8,
}

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    asked: Asked,
    text: &'a [u8],
}

fuzz_target!(|input: Input<'_>| {
    let Some(end) = input.text.iter().position(|octet| *octet == b'\n') else { return };
    let (path, text) = (&input.text[..end], &input.text[end + 1..]);
    let asking = Asking::new(&input.asked, path, text);
    let policy = asking.read(text, None);
    let (view, before) = asking.ask(&policy);
    alike(&asking, &policy, &view);
    if policy.table.cut_at.is_some() || policy.is_decoded() {
        return;
    }
    let narrow = input.asked.limits;
    let tight = Limits {
        records: usize::from(narrow & 3),
        sub_records: usize::from(narrow >> 2 & 3),
        fields_per_record: usize::from(narrow >> 4 & 3),
        fields_per_sub_record: usize::from(narrow >> 6),
        ..Limits::default()
    };
    let limited = asking.read(text, Some(tight.clone()));
    let (_, under_limits) = asking.ask(&limited);
    never_better(&before, &under_limits, "limits");
    if let Some(more) = asking.with_prohibition(&policy, text) {
        let (more_view, after) = asking.ask(&asking.read(&more, None));
        // The 2.0.0 proposal opens a record that has a Disallow.
        if view.rep.records.is_empty() && more_view.rep.records.is_empty() && !asking.dialect.versions.replace_rules() {
            never_better(&before, &after, "a prohibition");
            never_better(&under_limits, &asking.ask(&asking.read(&more, Some(tight))).1, "a prohibition under limits");
        }
    }
    if let Some(other) = asking.turned(&policy, text) {
        let (_, after) = asking.ask(&asking.read(&other, None));
        assert_eq!((before.outcome, before.kind, before.stated), (after.outcome, after.kind, after.stated));
        assert_eq!(names(&before), names(&after));
    }
});

fn names(answer: &Answer) -> BTreeSet<&str> {
    answer.restrictions.iter().map(|held| held.name).collect()
}

/// What stands after is no more permissive than what stood before.
fn never_better(before: &Answer, after: &Answer, why: &str) {
    assert!(after.outcome >= before.outcome, "{why}: {before:?} {after:?}");
    if after.outcome != Outcome::Prohibited {
        for held in &before.restrictions {
            // Who may modify nothing may not change the format.
            let stricter = |value: &str| value == &*held.value || value.eq_ignore_ascii_case("any");
            assert!(
                after.restrictions.iter().any(|other| other.name == held.name && stricter(&other.value)),
                "{why}: {before:?} {after:?}"
            );
        }
    }
}

/// A question that can be put to several policies.
struct Asking {
    dialect: Dialect,
    name: String,
    usage: String,
    purpose: Option<Vec<u8>>,
    path: Vec<u8>,
    at: i64,
    facts: Facts,
    silence: Vec<(Usage, bool)>,
    honours: Option<Vec<String>>,
    place: usize,
    added: u8,
}

fn pick<T: Clone>(list: &[T], number: u8) -> T {
    list[usize::from(number) % list.len()].clone()
}

impl Asking {
    fn new(asked: &Asked, path: &[u8], text: &[u8]) -> Self {
        let dialect = pick(&acap_policy::reading::DIALECTS, asked.dialect);
        let policy = Policy::read(Arc::from(text), Some(URL), dialect, None);
        let mut crawlers: Vec<String> = NAMES.iter().map(ToString::to_string).collect();
        let mut purposes: Vec<String> = PURPOSES.iter().map(ToString::to_string).collect();
        let mut usages: Vec<String> = KNOWN.iter().map(|row| row.name.to_owned()).collect();
        for entry in policy.table.entries.iter().filter(|entry| entry.kind == Kind::Agent).take(100) {
            crawlers.push(String::from_utf8_lossy(entry.value(policy.text())).into_owned());
        }
        if let Some(file) = &policy.acap {
            crawlers.extend(file.records.iter().flat_map(|record| file.names(record)).take(100).map(str::to_owned));
            let written = file.audiences.iter().flat_map(|audience| file.purposes(audience));
            purposes.extend(written.take(100).map(str::to_owned));
            usages.extend(file.usages.iter().take(100).map(ToString::to_string));
        }
        let fact = |days: u8| (days > 0).then(|| NOON - i64::from(days) * 24 * HOUR);
        let [first_indexed, first_preserved, first_available, last_crawled] = asked.facts.map(fact);
        let kept = |bits: u8| {
            let rows = RESTRICTIONS.iter().enumerate().filter(|(place, _)| bits >> (place % 8) & 1 == 1);
            rows.map(|(_, row)| row.name.to_owned()).collect()
        };
        Self {
            dialect,
            name: pick(&crawlers, asked.crawler),
            usage: pick(&usages, asked.usage),
            purpose: (asked.purpose > 0).then(|| fold_purpose(&pick(&purposes, asked.purpose))),
            // A URL with a control character is refused before it is compared.
            path: [b'/'].into_iter().chain(path.iter().copied().filter(|octet| !octet.is_ascii_control())).collect(),
            at: NOON + i64::from(asked.hours) * HOUR,
            facts: Facts { first_indexed, first_preserved, first_available, last_crawled },
            silence: if asked.silence == 0 {
                Vec::new()
            } else {
                vec![(Usage(u16::from(asked.silence) % KNOWN.len() as u16), asked.silence < 128)]
            },
            honours: (asked.honours > 0).then(|| kept(asked.honours)),
            place: usize::from(asked.place),
            added: asked.added,
        }
    }

    /// Reads a policy, and what it refers to.
    fn read(&self, text: &[u8], limits: Option<Limits>) -> Policy {
        let mut policy = Policy::read(Arc::from(text), Some(URL), self.dialect, limits);
        let uris: Vec<String> =
            policy.acap.iter().flat_map(|file| &file.references).map(|one| one.uri.to_string()).collect();
        for (number, uri) in uris.iter().take(3).enumerate() {
            let led_to = pick(&REFERENCED, self.added.wrapping_add(number as u8));
            policy = policy.with_reference(uri, led_to.map(|text| Arc::from(text.as_bytes())));
        }
        policy
    }

    fn usage_in(&self, policy: &Policy) -> Usage {
        let own = || policy.usage(&self.usage);
        Usage::known(&self.usage).or_else(own).unwrap_or(UNNUMBERED)
    }

    fn question<'a>(&'a self, path: &'a [u8]) -> Question<'a> {
        Question {
            purpose: self.purpose.as_deref(),
            at: self.at,
            facts: &self.facts,
            silence: &self.silence,
            honours: self.honours.as_deref(),
            ..Question::about(path)
        }
    }

    fn ask(&self, policy: &Policy) -> (Arc<View>, Answer) {
        let view = Arc::new(View::new(policy, &[&self.name]));
        let path = self.dialect.form.path(&self.path, &self.path).into_owned();
        let answer = policy.answer(&view, &self.question(&path), self.usage_in(policy), true);
        (view, answer)
    }

    /// The lines that can be followed by a rule of their kind: those of conventional rules, and those of statements.
    fn rules(&self, policy: &Policy) -> Vec<(u32, bool)> {
        let is_rule = |kind: Kind| matches!(kind, Kind::Allow | Kind::Disallow);
        let mut grouped = false;
        let mut out = BTreeSet::new();
        for entry in &policy.table.entries {
            grouped |= entry.kind == Kind::Agent;
            if grouped && is_rule(entry.kind) {
                out.insert((entry.line, false));
            }
        }
        let statements = policy.acap.iter().flat_map(|file| &file.statements);
        out.extend(statements.map(|statement| (statement.line, true)));
        out.into_iter().collect()
    }

    /// The text with a prohibition after one of its rules.
    fn with_prohibition(&self, policy: &Policy, text: &[u8]) -> Option<Vec<u8>> {
        let rules = self.rules(policy);
        let (number, acap) = *rules.get(self.place % rules.len().max(1))?;
        let line = Lines::new(text).find(|line| line.number == number)?;
        let path = self.dialect.form.path(&self.path, &self.path).into_owned();
        let pattern = match self.added & 7 {
            0 => path,
            1 => b"/".to_vec(),
            2 => b"*".to_vec(),
            3 => [&path, &b"$"[..]].concat(),
            4 => [&path, &b"*"[..]].concat(),
            5 => [b"*", &path[path.len() / 2..]].concat(),
            6 => path[..path.len() / 2 + 1].to_vec(),
            _ => b"/another".to_vec(),
        };
        let mut more = text[..line.end].to_vec();
        more.push(b'\n');
        if acap {
            let usage = if self.added & 8 == 0 { &self.usage } else { KNOWN[usize::from(self.added >> 4)].name };
            more.extend_from_slice(format!("ACAP-disallow-{usage}: ").as_bytes());
        } else {
            more.extend_from_slice(b"Disallow: ");
        }
        more.extend_from_slice(&pattern);
        more.extend_from_slice(&text[line.end..]);
        Some(more)
    }

    /// The text with two rules that follow each other in the other order, where order cannot matter.
    fn turned(&self, policy: &Policy, text: &[u8]) -> Option<Vec<u8>> {
        if !self.dialect.precedence.has_wildcards() {
            return None;
        }
        let rules = self.rules(policy);
        let pairs: Vec<u32> = rules
            .windows(2)
            .filter(|pair| pair[0].0 + 1 == pair[1].0 && pair[0].1 == pair[1].1)
            .map(|pair| pair[0].0)
            .collect();
        let number = *pairs.get(self.place % pairs.len().max(1))?;
        let first = Lines::new(text).find(|line| line.number == number)?;
        let second = Lines::new(text).find(|line| line.number == number + 1)?;
        if number == 1 {
            return None; // a byte order mark stays where it is
        }
        Some(
            [
                &text[..first.start],
                &text[second.start..second.end],
                &text[first.end..second.start],
                &text[first.start..first.end],
                &text[second.end..],
            ]
            .concat(),
        )
    }
}

/// Every way to the answer gives the same one, for every usage.
fn alike(asking: &Asking, policy: &Policy, view: &Arc<View>) {
    let path = asking.dialect.form.path(&asking.path, &asking.path).into_owned();
    index_finds_all(&view.rep, policy.text(), &path, policy.dialect);
    let question = asking.question(&path);
    let crawl = policy.answer(view, &question, CRAWL, true);
    if let Some((outcome, kind, rule)) = policy.crawl_quickly(view, &path)
        && asking.silence.is_empty()
    {
        assert_eq!((outcome, kind, rule.is_some()), (crawl.outcome, crawl.kind, crawl.stated));
    }
    let usages: Vec<Usage> = (0..KNOWN.len() as u16).map(Usage).chain([asking.usage_in(policy)]).collect();
    let purposes = [question.purpose];
    let asked = batch::Asked { views: std::slice::from_ref(view), purposes: &purposes, question: &question };
    let rows = batch::decide(policy, &asked, &[&asking.path[..]].into_iter().collect(), &usages);
    // A path may be too long, or begin as a host does: one question and a batch refuse the same.
    let refused = batch::rest_of(policy, &asking.path).err().map(|mistake| (0, mistake));
    assert_eq!(rows.as_ref().err(), refused.as_ref());
    let Ok(rows) = rows else { return };
    for (row, usage) in usages.iter().enumerate() {
        let long = policy.answer(view, &question, *usage, true);
        let short = policy.answer(view, &question, *usage, false);
        assert_eq!((long.outcome, long.kind, long.stated), (short.outcome, short.kind, short.stated), "{usage:?}");
        assert_eq!(long.restrictions.len(), short.restrictions.len());
        assert!(long.restrictions.iter().zip(&short.restrictions).all(|(a, b)| a.name == b.name && a.value == b.value));
        assert_eq!((rows.outcomes[row], rows.stated[row] != 0), (outcome_code(long.outcome), long.stated));
        if crawl.outcome == Outcome::Prohibited {
            assert_eq!(long.outcome, Outcome::Prohibited, "{usage:?}");
        }
        // What a licence would permit has its restrictions, too.
        assert!(long.outcome != Outcome::Prohibited || long.restrictions.is_empty());
        for cite in long.decided.iter().chain(long.lost.iter().map(|(cite, _)| cite)) {
            policy.line_of(*cite);
        }
    }
}

fn index_finds_all(selection: &Selection, text: &[u8], path: &[u8], dialect: Dialect) {
    if !dialect.precedence.has_wildcards() {
        return;
    }
    let rules = &selection.rules;
    let matching = rules.iter().filter(|rule| rules.matches(text, **rule, path));
    let best = matching.max_by_key(|rule| (rule.key, std::cmp::Reverse(rule.entry))).map(|rule| (rule.key, rule.entry));
    let indexed = Index::new(rules, text).decide(rules, text, path).map(|rule| (rule.key, rule.entry));
    assert_eq!(indexed, best);
    assert_eq!(selection.decide(text, path).map(|rule| (rule.key, rule.entry)), best);
}
