//! All questions about two policies at once: those that hear the same are asked once.
//!
//! Crawlers that both policies tell the same are one. To one crawler the purposes are one that the same sub-records are
//! for. And what differs follows from the claims of both sides alone where no restriction is stated ([`Claims`]), so
//! crawlers, purposes and usages with equal claims have one answer; of each of them only the witnesses are asked for
//! again.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use super::changes::{Change, Differences, Side, answer, of_claims, restricted};
use crate::automaton::{PatternTable, Work};
use crate::decide::View;
use crate::decide::claims::{Claim, Claims};
use crate::places::to_u32;
use crate::policy::Policy;
use crate::resolution::Cite;
use crate::statement::Outcome;
use crate::usage::{self, Usage};

/// What is asked: each crawler for each purpose about each usage.
#[derive(Debug)]
pub struct Questions<'a> {
    pub old: &'a Policy,
    pub new: &'a Policy,
    /// The names by which each crawler asks.
    pub crawlers: &'a [Vec<String>],
    /// Folded; none asks without purpose.
    pub purposes: &'a [Option<Vec<u8>>],
    /// Each as the one and as the other policy knows it.
    pub usages: &'a [[Usage; 2]],
    /// Microseconds since 1970 UTC.
    pub at: i64,
}

/// Questions of a class of crawlers, for a set of purposes, about some usages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Places in [`Answers::crawlers`] and [`Answers::purposes`].
    pub crawlers: u32,
    pub purposes: u32,
    /// Places among the usages asked about.
    pub usages: Vec<u32>,
}

/// A change, and the questions that it concerns; at its witness both policies give all of them the same answers.
#[derive(Clone, Debug)]
pub struct Difference {
    pub change: Change,
    pub asked: Vec<Block>,
}

#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// Crawlers that each policy treats alike, by their places among those asked about.
    pub crawlers: Vec<Vec<u32>>,
    /// Purposes that go together, likewise.
    pub purposes: Vec<Vec<u32>>,
    pub differences: Vec<Difference>,
    /// Questions that could not be worked out.
    pub undecided: Vec<Block>,
    /// There was no time for all crawlers and purposes.
    pub over: bool,
}

/// Steps that a question costs beside the search.
const QUESTION: usize = 64;

/// What both policies say at a witness; what one says is outcome, kind, the first statement that decided, restrictions.
type Answered = [(Outcome, &'static str, Option<Cite>, Vec<(&'static str, Box<str>)>); 2];

fn digest(of: &impl Hash) -> u128 {
    let half = |seed: u64| {
        let mut hasher = DefaultHasher::new();
        (seed, of).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}

/// What two claims must share to refuse the same.
fn refused(claims: &Claims) -> (&[Claim], &[u32]) {
    (&claims.list, &claims.ladder)
}

/// And what they must share for the same statements to refuse it.
fn grounds(claims: &Claims) -> (&[Claim], &[u32], &[Cite]) {
    (&claims.list, &claims.permitting, &claims.cites)
}

/// What becomes of a question: changes by their places among the differences, and whether something is undecided.
type Fate = Rc<(Vec<usize>, bool)>;

struct Asking<'q, 'w> {
    questions: &'q Questions<'q>,
    atoms: PatternTable,
    work: &'w mut Work,
    out: Answers,
    /// What differs, by the claims of both sides.
    known: HashMap<u128, Rc<Differences>>,
    /// What becomes of questions, by the statements that the claims are of as well.
    fates: HashMap<u128, Fate>,
    /// The places of differences, by change and answers.
    places: HashMap<u128, usize>,
    /// For what both sides say of a set of purposes, what becomes of a question on each usage.
    by_statements: HashMap<u128, Rc<[Fate]>>,
    purposes: HashMap<Vec<u32>, u32>,
}

impl Questions<'_> {
    /// Asks as long as there is work left, and `goes_on` says so.
    pub fn ask(&self, work: &mut Work, mut goes_on: impl FnMut() -> bool) -> Answers {
        let mut asking = Asking {
            questions: self,
            atoms: PatternTable::default(),
            work,
            out: Answers::default(),
            known: HashMap::new(),
            fates: HashMap::new(),
            places: HashMap::new(),
            by_statements: HashMap::new(),
            purposes: HashMap::new(),
        };
        let mut classes: HashMap<u128, usize> = HashMap::new();
        for (place, names) in (0u32..).zip(self.crawlers) {
            // For each: comparing what applies to two crawlers takes as long as the file is.
            if asking.work.is_over() || !goes_on() {
                asking.out.over = true;
                break;
            }
            let mut views = [View::new(self.old, names), View::new(self.new, names)];
            let size = |policy: &Policy| policy.table.entries.len();
            asking.work.spend(size(self.old).saturating_add(size(self.new)).saturating_add(QUESTION));
            let key = digest(&views.each_ref().map(View::key));
            if let Some(members) = classes.get(&key).and_then(|class| asking.out.crawlers.get_mut(*class)) {
                members.push(place);
                continue;
            }
            classes.insert(key, asking.out.crawlers.len());
            asking.out.crawlers.push(vec![place]);
            asking.crawler(&mut views, &mut goes_on);
        }
        asking.out
    }
}

impl Asking<'_, '_> {
    /// Asks for one class of crawlers, the last one.
    fn crawler(&mut self, [old, new]: &mut [View; 2], goes_on: &mut impl FnMut() -> bool) {
        let class = to_u32(self.out.crawlers.len().saturating_sub(1));
        // Purposes for which the same sub-records are.
        let mut groups: Vec<Vec<u32>> = Vec::new();
        let mut by_audiences: HashMap<u128, usize> = HashMap::new();
        for (place, purpose) in (0u32..).zip(self.questions.purposes) {
            let audiences = [&*old, &*new].map(|view| {
                self.work.spend(view.audiences().saturating_add(1));
                view.audiences_for(purpose.as_deref())
            });
            // A question without purpose is never taken for one with a purpose here.
            let next = groups.len();
            let group = *by_audiences.entry(digest(&(purpose.is_none(), audiences))).or_insert(next);
            match groups.get_mut(group) {
                Some(members) => members.push(place),
                None => groups.push(vec![place]),
            }
            if self.work.is_over() {
                self.out.over = true;
                return;
            }
        }
        for group in groups {
            if self.work.is_over() || !goes_on() {
                self.out.over = true;
                return;
            }
            let first = group.first().and_then(|place| self.questions.purposes.get(usize::try_from(*place).ok()?));
            let purpose = first.and_then(|purpose| purpose.as_deref());
            let next = to_u32(self.out.purposes.len());
            let number = *self.purposes.entry(group.clone()).or_insert(next);
            if number == next {
                self.out.purposes.push(group);
            }
            old.narrowed(purpose, |old| new.narrowed(purpose, |new| self.purpose([old, new], purpose, class, number)));
        }
    }

    /// Asks about every usage for one set of purposes.
    fn purpose(&mut self, views: [&View; 2], purpose: Option<&[u8]>, class: u32, purposes: u32) {
        let keys = views.map(View::key);
        self.work.spend(keys.iter().fold(QUESTION, |sum, key| sum.saturating_add(key.len())));
        let key = digest(&(purpose.is_none(), keys));
        let found = match self.by_statements.get(&key) {
            Some(found) => found.clone(),
            None => {
                let questions = self.questions;
                // What rules alone refuse, they refuse to all usages beside crawl alike.
                let alike = views.iter().all(|view| view.hears_rules_alone());
                let mut shared: Option<Fate> = None;
                let mut ask = |usages: &[Usage; 2]| {
                    if !alike || usages.iter().any(|usage| [usage::CRAWL, usage::ANY].contains(usage)) {
                        return self.question(views, purpose, *usages);
                    }
                    shared.get_or_insert_with(|| self.question(views, purpose, *usages)).clone()
                };
                let found: Rc<[Fate]> = questions.usages.iter().map(&mut ask).collect();
                self.by_statements.insert(key, found.clone());
                found
            }
        };
        let mut by_change: HashMap<Option<usize>, Vec<u32>> = HashMap::new();
        for (place, fate) in (0u32..).zip(&*found) {
            let (changes, undecided) = &**fate;
            for change in changes {
                by_change.entry(Some(*change)).or_default().push(place);
            }
            if *undecided {
                by_change.entry(None).or_default().push(place);
            }
        }
        for (change, usages) in by_change {
            let block = Block { crawlers: class, purposes, usages };
            match change {
                None => self.out.undecided.push(block),
                Some(place) => {
                    if let Some(difference) = self.out.differences.get_mut(place) {
                        difference.asked.push(block);
                    }
                }
            }
        }
    }

    fn question(&mut self, [old, new]: [&View; 2], purpose: Option<&[u8]>, usages: [Usage; 2]) -> Fate {
        let before = Side { policy: self.questions.old, view: old, usage: usages[0] };
        let after = Side { policy: self.questions.new, view: new, usage: usages[1] };
        let at = self.questions.at;
        let sides = [before, after];
        self.work.spend(QUESTION);
        if self.work.is_over() {
            return Rc::new((Vec::new(), true));
        }
        let claims = sides.map(|side| side.policy.claims(side.view, side.usage, purpose, &mut self.atoms, self.work));
        let size = |claims: &Claims| {
            claims
                .list
                .iter()
                .fold(claims.ladder.len(), |sum, one| sum.saturating_add(one.others.len()).saturating_add(1))
        };
        self.work.spend(claims.iter().fold(0, |sum, one| size(one).saturating_add(sum)));
        let plain = claims.iter().all(|one| one.restricting.is_empty() && !one.too_many);
        let mut fate = None;
        let mut key = None;
        if plain {
            // Conventional lines that permit are cited for crawl alone.
            let crawl = usages.map(|usage| usage == usage::CRAWL);
            let whole = digest(&(crawl, claims.each_ref().map(|one| (refused(one), grounds(one)))));
            if let Some(known) = self.fates.get(&whole) {
                return known.clone();
            }
            fate = Some(whole);
            key = Some(digest(&claims.each_ref().map(refused)));
        }
        let found = match key.and_then(|key| self.known.get(&key)) {
            Some(found) => found.clone(),
            None => {
                let [one, other] = claims;
                let found = Rc::new(of_claims(sides, purpose, at, &mut self.atoms, one, other, self.work));
                if let Some(key) = key.filter(|_| !found.undecided) {
                    self.known.insert(key, found.clone());
                }
                found
            }
        };
        let mut undecided = found.undecided;
        let mut places = Vec::new();
        for change in &found.changes {
            let answered: Answered = sides.map(|side| {
                let answer = answer(side, purpose, at, &change.path);
                let cite = answer.decided.first().copied();
                (answer.outcome, answer.kind.name(), cite, restricted(answer))
            });
            let [one, other] = &answered;
            if (one.0, &one.3) == (other.0, &other.3) {
                undecided = true;
                continue;
            }
            let same = (&change.within, &change.without, &change.witness);
            let next = self.out.differences.len();
            let place = *self.places.entry(digest(&(same, &answered))).or_insert(next);
            if place == next {
                self.out.differences.push(Difference { change: change.clone(), asked: Vec::new() });
            }
            places.push(place);
        }
        let found = Rc::new((places, undecided));
        if let Some(fate) = fate.filter(|_| !undecided) {
            self.fates.insert(fate, found.clone());
        }
        found
    }
}
