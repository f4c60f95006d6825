//! Differences against brute force: of small random policies every path up to a length is tried.
//!
//! `ROUNDS` says how many pairs of policies are compared.

use crate::automaton::{PatternTable, Work};
use crate::decide::{Question, View};
use crate::dialect::Dialect;
use crate::difference::changes::{Change, Differences, Side, of_claims};
use crate::limits::WORK;
use crate::octets::canonical_path;
use crate::pattern::matches;
use crate::policy::Policy;
use crate::statement::Outcome;
use crate::usage::{self, Usage};

/// What differs for one question.
pub(crate) fn differences(
    old: Side<'_>,
    new: Side<'_>,
    purpose: Option<&[u8]>,
    at: i64,
    left: &mut Work,
) -> Differences {
    let mut atoms = PatternTable::default();
    let before = old.policy.claims(old.view, old.usage, purpose, &mut atoms, left);
    let after = new.policy.claims(new.view, new.usage, purpose, &mut atoms, left);
    of_claims([old, new], purpose, at, &mut atoms, before, after, left)
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap().checked_rem(below).unwrap()
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    fn pattern(&mut self) -> String {
        let letters = ["a", "b", "a", "b", "/", "*", "*", ".", "?"];
        let body: String = (0..self.below(5)).map(|_| *self.of(&letters)).collect();
        let start = if self.below(5) == 0 { "*" } else { "/" };
        let end = if self.below(4) == 0 { "$" } else { "" };
        format!("{start}{body}{end}")
    }

    fn group(&mut self, out: &mut String) {
        let agents = ["*", "*", "bot", "bot", "Googlebot", "Google-Extended"];
        out.push_str(&format!("User-agent: {}\n", self.of(&agents)));
        if self.below(8) == 0 {
            out.push_str("Robot-version: 2.0.0\n");
        }
        for _ in 0..self.below(5) {
            let verb = if self.below(2) == 0 { "Allow" } else { "Disallow" };
            out.push_str(&format!("{verb}: {}\n", self.pattern()));
        }
    }

    fn record(&mut self, out: &mut String) {
        out.push_str(if self.below(2) == 0 { "ACAP-crawler: *\n" } else { "ACAP-crawler: bot\n" });
        let usages =
            ["crawl", "crawl", "crawl", "index", "preserve", "present", "present-snippet", "present-oldcopy", "other"];
        let qualifiers = [
            "max-length=5-chars",
            "max-length=7-words",
            "time-limit=3-days",
            "time-limit=until-2001-01-01",
            "must-use-resource=/x",
        ];
        for _ in 0..self.below(6) {
            if self.below(6) == 0 {
                out.push_str(if self.below(3) == 0 { "ACAP-usage-purpose: *\n" } else { "ACAP-usage-purpose: news\n" });
            }
            let usage = *self.of(&usages);
            let pattern = self.pattern();
            if self.below(2) == 0 {
                out.push_str(&format!("ACAP-disallow-{usage}: {pattern}\n"));
            } else if self.below(3) == 0 {
                out.push_str(&format!("ACAP-allow-{usage}: {pattern} {}\n", self.of(&qualifiers)));
            } else {
                out.push_str(&format!("ACAP-allow-{usage}: {pattern}\n"));
            }
        }
        if self.below(10) == 0 {
            out.push_str("ACAP-request-take-down: /a\n");
        }
    }

    fn policy(&mut self, acap: bool) -> String {
        let mut out = String::new();
        if acap && self.below(20) == 0 {
            out.push_str("ACAP-ignore-conventional-records\n");
        }
        for _ in 0..self.below(3) {
            self.group(&mut out);
        }
        for _ in 0..if acap { self.below(3) } else { 0 } {
            self.record(&mut out);
        }
        out
    }

    /// The same with a line more, a line less or a line otherwise.
    fn edited(&mut self, text: &str) -> String {
        let mut lines: Vec<&str> = text.lines().collect();
        let mut more = String::new();
        self.record(&mut more);
        self.group(&mut more);
        let new: Vec<&str> = more.lines().collect();
        let line = *self.of(&new);
        match self.below(3) {
            0 if !lines.is_empty() => {
                lines.remove(self.below(lines.len()));
            }
            1 if !lines.is_empty() => {
                let at = self.below(lines.len());
                lines[at] = line;
            }
            _ => lines.insert(self.below(lines.len().saturating_add(1)), line),
        }
        lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

fn all_paths(most: usize) -> Vec<Vec<u8>> {
    let mut out: Vec<Vec<u8>> = vec![b"/".to_vec()];
    let mut from = 0;
    for _ in 0..most {
        let end = out.len();
        for at in from..end {
            for letter in *b"ab/.?x" {
                let longer = [out[at].as_slice(), &[letter]].concat();
                out.push(longer);
            }
        }
        from = end;
    }
    for more in ["/robots.txt", "/robots.txt?a", "/robots.txta"] {
        out.push(more.as_bytes().to_vec());
    }
    out.retain(|path| &*canonical_path(path) == path.as_slice());
    out
}

type Verdict = (Outcome, Vec<(&'static str, Box<str>)>);

fn verdict(policy: &Policy, view: &View, usage: Usage, purpose: Option<&[u8]>, path: &[u8]) -> Verdict {
    let question = Question { purpose, at: 1_800_000_000_000_000, ..Question::about(path) };
    let answer = policy.answer(view, &question, usage, false);
    let mut held: Vec<_> = answer
        .restrictions
        .into_iter()
        .filter(|one| one.name != "excluded-purpose")
        .map(|one| (one.name, one.value))
        .collect();
    held.sort();
    (answer.outcome, held)
}

fn contains(change: &Change, path: &[u8]) -> bool {
    change.within.iter().all(|pattern| matches(pattern, path))
        && !change
            .without
            .iter()
            .any(|(first, others)| matches(first, path) && !others.iter().any(|other| matches(other, path)))
}

fn shown(changes: &[Change]) -> String {
    let text = |pattern: &Vec<u8>| String::from_utf8_lossy(pattern).into_owned();
    let list = |patterns: &[Vec<u8>]| patterns.iter().map(text).collect::<Vec<_>>().join(" ");
    let without = |change: &Change| {
        change
            .without
            .iter()
            .map(|(first, others)| format!("{} (not {})", text(first), list(others)))
            .collect::<Vec<_>>()
            .join(", ")
    };
    changes
        .iter()
        .map(|change| {
            format!(
                "{:?} {} less {} at {}\n",
                change.turn,
                list(&change.within),
                without(change),
                text(&change.witness)
            )
        })
        .collect()
}

#[test]
fn what_differs_is_what_trying_every_path_shows() {
    let rounds: u64 = std::env::var("ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(400);
    let paths = all_paths(4);
    let mut changes = 0;
    for round in 0..rounds {
        let mut dice = Dice(round * 7_919 + 1);
        let acap = dice.below(3) > 0;
        let old = dice.policy(acap);
        let new = if dice.below(3) == 0 { dice.policy(acap) } else { dice.edited(&old) };
        let read = |text: &str| Policy::read(text.as_bytes().into(), None, Dialect::AUTO, None);
        let (before, after) = (read(&old), read(&new));
        let names: &[&str] = &[*dice.of(&["bot", "other", "Googlebot"])];
        let usage = *dice.of(&[
            usage::CRAWL,
            usage::CRAWL,
            usage::INDEX,
            usage::PRESENT,
            usage::PRESENT_SNIPPET,
            usage::PRESENT_OLDCOPY,
            usage::AI_TRAIN,
            usage::AI_TRAIN,
        ]);
        let purpose: Option<&[u8]> = if dice.below(3) == 0 { Some(b"news") } else { None };
        let (one, other) = (View::new(&before, names), View::new(&after, names));
        let sides = [Side { policy: &before, view: &one, usage }, Side { policy: &after, view: &other, usage }];
        let found = differences(sides[0], sides[1], purpose, 1_800_000_000_000_000, &mut Work::of(WORK));
        let about = || {
            format!(
                "round {round}, {names:?} {} {purpose:?}\n--- old\n{old}--- new\n{new}--- {}",
                usage.name().unwrap(),
                shown(&found.changes)
            )
        };
        assert!(!found.undecided, "undecided: {}", about());
        changes += found.changes.len();
        for change in &found.changes {
            let was = verdict(&before, &one, usage, purpose, &change.witness);
            let is = verdict(&after, &other, usage, purpose, &change.witness);
            assert_ne!(was, is, "the witness is none: {}", about());
            assert!(contains(change, &change.witness), "the witness is not within: {}", about());
        }
        for path in &paths {
            let was = verdict(&before, &one, usage, purpose, path);
            let is = verdict(&after, &other, usage, purpose, path);
            let is_reported = found.changes.iter().any(|change| contains(change, path));
            let text = String::from_utf8_lossy(path);
            if was != is {
                assert!(is_reported, "{text} changes from {was:?} to {is:?}: {}", about());
                let reached = found
                    .changes
                    .iter()
                    .filter(|change| contains(change, path))
                    .any(|change| change.witness.len() <= path.len());
                assert!(reached, "{text} is shorter than the witness: {}", about());
            } else {
                assert!(!is_reported, "{text} stays {was:?}: {}", about());
            }
        }
    }
    assert!(changes as u64 > rounds / 4, "only {changes} changes in {rounds} rounds");
}
