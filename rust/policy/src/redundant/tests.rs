//! Of small random policies: without all redundant lines nothing is decided otherwise, and without any further line
//! something is.

use super::*;
use crate::dialect::Dialect;
use crate::difference::Side;
use crate::difference::tests::differences;
use crate::limits::WORK;

struct Dice(u64);

impl Dice {
    fn below(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap().checked_rem(below).unwrap()
    }

    fn policy(&mut self) -> Vec<String> {
        let mut out = Vec::new();
        for _ in 0..self.below(3) {
            out.push(format!(
                "User-agent: {}",
                ["*", "*", "bot", "bot", "Googlebot", "Google-Extended"][self.below(6)]
            ));
            for _ in 0..self.below(6) {
                let verb = if self.below(2) == 0 { "Allow" } else { "Disallow" };
                let body: String = (0..self.below(5)).map(|_| ["a", "b", "/", "*", "a", "b"][self.below(6)]).collect();
                let end = if self.below(5) == 0 { "$" } else { "" };
                out.push(format!("{verb}: /{body}{end}"));
            }
        }
        if self.below(3) == 0 {
            out.push("ACAP-crawler: *".to_owned());
            out.push("ACAP-allow-crawl: /a/b".to_owned());
            out.push("ACAP-disallow-crawl: /b*".to_owned());
        }
        out
    }
}

const NAMES: [&str; 4] = ["bot", "other", "Googlebot", "Google-Extended"];

fn read(lines: &[String]) -> Policy {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    Policy::read(text.as_bytes().into(), None, Dialect::AUTO, None)
}

fn alike(a: &Policy, b: &Policy) -> bool {
    let asked = NAMES.into_iter().flat_map(|name| [(name, usage::CRAWL), (name, usage::AI_TRAIN)]);
    asked.into_iter().all(|(name, usage)| {
        let (one, other) = (View::new(a, &[name]), View::new(b, &[name]));
        let side = |policy, view| Side { policy, view, usage };
        let found = differences(side(a, &one), side(b, &other), None, 0, &mut Work::of(WORK));
        assert!(!found.undecided);
        found.changes.is_empty()
    })
}

#[test]
fn redundant_lines_can_go_and_no_others() {
    let rounds: u64 = std::env::var("ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_500);
    let mut removed = 0;
    for round in 0..rounds {
        let mut dice = Dice(round.wrapping_mul(31).wrapping_add(5));
        let lines = dice.policy();
        let policy = read(&lines);
        let views: Vec<_> = NAMES.iter().map(|name| View::new(&policy, &[*name])).collect();
        let found = redundant(&policy, views.iter());
        assert_eq!(found.undecided, 0);
        let gone: Vec<usize> =
            found.list.iter().map(|one| to_usize(line_of(&policy, one.entry)).checked_sub(1).unwrap()).collect();
        removed += gone.len();
        let less: Vec<String> =
            lines.iter().enumerate().filter(|(place, _)| !gone.contains(place)).map(|(_, line)| line.clone()).collect();
        let reduced = read(&less);
        assert!(alike(&policy, &reduced), "round {round}: {lines:?} without {gone:?}");
        // A line that stays was looked at without the redundant ones after it.
        let is_rule = |line: &String| line.contains("llow: /") && !line.starts_with("ACAP");
        for (place, line) in lines.iter().enumerate().filter(|(place, line)| !gone.contains(place) && is_rule(line)) {
            // An empty rule in its place keeps the group.
            let emptied = |also: Option<usize>| -> Vec<String> {
                let empty = |at: usize| Some(at) == also || (at > place && gone.contains(&at));
                let one = |(at, line): (usize, &String)| if empty(at) { "Disallow:".to_owned() } else { line.clone() };
                lines.iter().enumerate().map(one).collect()
            };
            let there = |at: &usize| *at < place || !gone.contains(at);
            let rule = |at: &usize| lines.get(*at).is_some_and(is_rule);
            let after = (place.saturating_add(1)..lines.len()).take_while(rule).any(|at| there(&at));
            let before = (0..place).rev().take_while(rule).any(|at| there(&at));
            let matters = !alike(&read(&emptied(None)), &read(&emptied(Some(place))));
            assert!(matters || !(before || after), "round {round}: {lines:?}, {line} is redundant without {gone:?}");
        }
    }
    assert!(removed > 100, "only {removed} lines");
}
