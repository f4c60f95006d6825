//! The changes between two policies for one crawler, purpose and usage.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::automaton::{Domain, Found, Machine, PatternTable, Query, Work};
use crate::decide::claims::{Claim, Claims, Sorted};
use crate::decide::{Answer, EXCLUDED_PURPOSE, Question, View};
use crate::limits::REGIONS;
use crate::pattern::contains;
use crate::places::to_usize;
use crate::policy::Policy;
use crate::statement::Outcome;
use crate::usage::Usage;

/// A policy as one crawler asks it about one usage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side<'a> {
    pub policy: &'a Policy,
    pub view: &'a View,
    pub usage: Usage,
}

/// What becomes of the decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    Prohibits,
    Permits,
    /// Restrictions differ, or what they come to.
    Restricts,
}

/// Paths that are decided otherwise: those that match all of `within`, without those that match the first pattern of
/// one of `without` and none of its others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub turn: Turn,
    pub within: Vec<Vec<u8>>,
    pub without: Vec<(Vec<u8>, Vec<Vec<u8>>)>,
    /// A shortest path, in the form in which the policies compare paths.
    pub path: Vec<u8>,
    /// The same, as a URL has it.
    pub witness: Vec<u8>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Differences {
    pub changes: Vec<Change>,
    /// Not everything could be worked out.
    pub undecided: bool,
}

/// Steps for telling purposes apart.
const PURPOSED: usize = 1 << 22;
/// At most this many patterns that a change leaves out are tested for whether they matter.
const SHOWN: usize = 64;
/// At most this many patterns per question; each takes four octets and is copied a few times.
const CLAUSES: usize = 1 << 22;
/// A change with up to this many clauses is simplified, to be read by people.
const DRAWN: usize = 256;
/// Steps for each such test.
const SHOWING: usize = 1 << 14;

/// What differs; both sides must be of dialects that compare paths in the same form. `left` is how much may be worked
/// out.
pub(super) fn of_claims(
    [old, new]: [Side<'_>; 2],
    purpose: Option<&[u8]>,
    at: i64,
    atoms: &mut PatternTable,
    before: Claims,
    after: Claims,
    left: &mut Work,
) -> Differences {
    if before.too_many
        || after.too_many
        || old.policy.dialect.form.domain() != new.policy.dialect.form.domain()
        || left.is_over()
    {
        return Differences { undecided: true, ..Differences::default() };
    }
    let all = atoms.pattern(b"/");
    let before = Refused { sorted: before.sorted(atoms), claims: before };
    let after = Refused { sorted: after.sorted(atoms), claims: after };
    let mut comparing = Comparing { old, new, purpose, at, atoms, all, work: *left, out: Differences::default() };
    comparing.refusals(&before, &after, Turn::Prohibits);
    comparing.refusals(&after, &before, Turn::Permits);
    let restricting = both(&before.claims.restricting, &after.claims.restricting);
    if !restricting.is_empty() {
        comparing.restrictions(&before, &after, &restricting);
    }
    *left = comparing.work;
    comparing.out
}

/// What one side refuses.
struct Refused {
    claims: Claims,
    sorted: Sorted,
}

impl Refused {
    /// The rungs of which a match can match a pattern too, each with its atom.
    fn rungs(&self, atoms: &PatternTable, pattern: u32) -> Vec<(usize, u32)> {
        self.claims.rungs_near(&self.sorted, atoms, &[pattern]).collect()
    }
}

/// The atoms of the rungs of a claim.
fn of_claim<'a>(rungs: &'a [(usize, u32)], claim: &'a Claim) -> impl Iterator<Item = u32> + 'a {
    rungs.iter().filter(|(rung, _)| claim.rungs.contains(rung)).map(|(_, atom)| *atom)
}

struct Comparing<'a> {
    old: Side<'a>,
    new: Side<'a>,
    purpose: Option<&'a [u8]>,
    at: i64,
    atoms: &'a PatternTable,
    /// What every path matches.
    all: u32,
    work: Work,
    out: Differences,
}

/// Outcome and restrictions, without what follows from the answers to other purposes.
type Verdict = (Outcome, Vec<(&'static str, Box<str>)>);

pub(super) fn answer(side: Side<'_>, purpose: Option<&[u8]>, at: i64, path: &[u8]) -> Answer {
    let question = Question { purpose, at, ..Question::about(path) };
    side.policy.answer(side.view, &question, side.usage, false)
}

/// What restricts an answer, in order.
pub(super) fn restricted(answer: Answer) -> Vec<(&'static str, Box<str>)> {
    let held = answer.restrictions.into_iter().filter(|one| one.name != EXCLUDED_PURPOSE);
    let mut list: Vec<_> = held.map(|one| (one.name, one.value)).collect();
    list.sort_unstable();
    list
}

impl Comparing<'_> {
    fn verdict(&self, side: Side<'_>, path: &[u8]) -> Verdict {
        let answer = answer(side, self.purpose, self.at, path);
        (answer.outcome, restricted(answer))
    }

    /// Paths that a claim of `there` refuses and none of `here`.
    fn refusals(&mut self, here: &Refused, there: &Refused, turn: Turn) {
        let mut known: HashMap<u32, Vec<&Claim>> = HashMap::new();
        for claim in &here.claims.list {
            known.entry(claim.pattern).or_default().push(claim);
        }
        let restricting: Vec<u32> = both(&here.claims.restricting, &there.claims.restricting);
        let mut asked: HashSet<(u32, Range<usize>, Vec<u32>)> = HashSet::new();
        for claim in &there.claims.list {
            if self.work.is_over() {
                self.out.undecided = true;
                return;
            }
            if !asked.insert((claim.pattern, claim.rungs.clone(), claim.others.clone())) {
                continue;
            }
            let concerns = |atom: &u32| !self.atoms.exclude(*atom, claim.pattern);
            let rungs = there.rungs(self.atoms, claim.pattern);
            // What may lift a claim is looked through for each of them, also where nothing has to be searched for then.
            self.work.spend(rungs.len().saturating_add(claim.others.len()).saturating_add(1));
            let lifting: Vec<u32> = of_claim(&rungs, claim).chain(claim.others.iter().copied()).collect();
            // A claim on the same pattern refuses as much, unless something lifts it that does not lift this one.
            if let Some(list) = known.get(&claim.pattern) {
                let lifts_this: HashSet<u32> = lifting.iter().copied().collect();
                let rungs = here.rungs(self.atoms, claim.pattern);
                self.work.spend(rungs.len().saturating_mul(list.len()));
                let within = |one: &&Claim| {
                    let others = one.others.iter().copied().filter(concerns);
                    of_claim(&rungs, one).chain(others).all(|atom| lifts_this.contains(&atom))
                };
                if list.iter().any(within) {
                    continue;
                }
            }
            let mut query = Query { must: vec![claim.pattern], never: lifting, clauses: Vec::new() };
            query.never.retain(concerns);
            if self.add_clauses(&mut query, claim.pattern, here) {
                self.settle(query, &restricting, turn);
            }
            if self.work.is_over() {
                self.out.undecided = true;
                return;
            }
        }
    }

    /// None of the claims shall refuse a match of the pattern. False: that is too much to ask at once.
    fn add_clauses(&mut self, query: &mut Query, pattern: u32, side: &Refused) -> bool {
        let atoms = self.atoms;
        let concerns = |atom: u32| !atoms.exclude(pattern, atom);
        let rungs = side.rungs(atoms, pattern);
        let mut size = 0usize;
        for claim in side.claims.near(&side.sorted, atoms, &[pattern]) {
            let others = claim.others.iter().copied().filter(|atom| concerns(*atom));
            let lifting: Vec<u32> = of_claim(&rungs, claim).chain(others).collect();
            size = size.saturating_add(lifting.len()).saturating_add(1);
            self.work.spend(lifting.len().saturating_add(1));
            if size > CLAUSES || self.work.is_over() {
                self.out.undecided = true;
                return false;
            }
            query.clauses.push((claim.pattern, lifting));
        }
        true
    }

    /// Looks for a path, and for one more in every set of paths that another set of permissions matches: what they
    /// restrict may come to a refusal. Tells what differs, all in one where all of it does so alike.
    fn settle(&mut self, query: Query, restricting: &[u32], turn: Turn) {
        let mut open = vec![query.clone()];
        let mut regions: Vec<(Query, Vec<u8>, Verdict, Verdict)> = Vec::new();
        let mut others = 0usize;
        while let Some(mut region) = open.pop() {
            let found = region.clone().shortest(self.atoms, self.old.policy.dialect.form.domain(), &mut self.work);
            let path = match found {
                Found::Nothing => continue,
                Found::Path(path) if regions.len().saturating_add(others) < REGIONS => path,
                _ => {
                    self.out.undecided = true;
                    break;
                }
            };
            split(self.atoms, &mut region, restricting, &path, &mut open);
            let (before, after) = (self.verdict(self.old, &path), self.verdict(self.new, &path));
            if before == after {
                others = others.saturating_add(1);
                // Where claims alone count and answers are the same, one of them is wrong.
                self.out.undecided |= restricting.is_empty() && turn != Turn::Restricts;
            } else {
                regions.push((region, path, before, after));
            }
        }
        let Some((_, path, before, after)) = regions.first() else { return };
        if others == 0 && regions.iter().all(|(_, _, was, is)| was == before && is == after) {
            let turn = turned(before, after);
            let path = path.clone();
            self.tell(query, turn, &path);
            return;
        }
        for (region, path, before, after) in regions {
            self.tell(region, turned(&before, &after), &path);
        }
    }

    /// Paths that neither refuses and on which restrictions differ.
    fn restrictions(&mut self, before: &Refused, after: &Refused, restricting: &[u32]) {
        let mut query = Query::all_of(vec![self.all]);
        if self.add_clauses(&mut query, self.all, before) && self.add_clauses(&mut query, self.all, after) {
            self.settle(query, restricting, Turn::Restricts);
        }
    }

    fn tell(&mut self, mut query: Query, turn: Turn, path: &[u8]) {
        query.simplify(self.atoms);
        self.draw(&mut query);
        let shown =
            |atom: &u32| self.atoms.patterns.get(to_usize(*atom)).map_or_else(Vec::new, |pattern| pattern.to_vec());
        let domain = self.old.policy.dialect.form.domain();
        let mut left = SHOWN;
        // Whether there are paths of the change that all of these match too.
        let mut matter = |more: &[u32]| {
            left = left.saturating_sub(1);
            let must: Vec<u32> = query.must.iter().chain(more).copied().collect();
            left == 0
                || self.atoms.plainly_meet(&must, domain)
                || Query::all_of(must).shortest(self.atoms, domain, &mut Work::of(SHOWING)) != Found::Nothing
        };
        let mut without: Vec<(Vec<u8>, Vec<Vec<u8>>)> = Vec::new();
        for atom in &query.never {
            if matter(&[*atom]) {
                without.push((shown(atom), Vec::new()));
            }
        }
        for (first, others) in &query.clauses {
            if matter(&[*first]) {
                let kept =
                    others.iter().filter(|other| !self.atoms.exclude(*first, **other) && matter(&[*first, **other]));
                without.push((shown(first), kept.map(shown).collect()));
            }
        }
        if domain == Domain::Canonical && without.len() <= SHOWN {
            // What lies within another set that is left out need not be named.
            let whole: Vec<Vec<u8>> =
                without.iter().filter(|(_, others)| others.is_empty()).map(|(first, _)| first.clone()).collect();
            let wider = |first: &[u8], others: &[Vec<u8>]| {
                whole.iter().any(|one| contains(one, first) && (!others.is_empty() || !contains(first, one)))
            };
            without.retain(|(first, others)| !wider(first, others));
        }
        // Of patterns that contain one another the narrowest says it all.
        let patterns: Vec<Vec<u8>> = query.must.iter().map(shown).collect();
        let wider = |(place, pattern): &(usize, &Vec<u8>)| {
            let narrower = |(other, held): (usize, &Vec<u8>)| {
                other != *place && contains(pattern, held) && (other < *place || !contains(held, pattern))
            };
            domain == Domain::Canonical && patterns.iter().enumerate().any(narrower)
        };
        let within =
            patterns.iter().enumerate().filter(|one| !wider(one)).map(|(_, pattern)| pattern.clone()).collect();
        let change = Change { turn, within, without, path: path.to_vec(), witness: domain.url(path) };
        if !self.out.changes.contains(&change) {
            self.out.changes.push(change);
        }
    }

    /// Draws what follows from patterns that contain one another, so that less has to be shown.
    fn draw(&self, query: &mut Query) {
        if self.old.policy.dialect.form.domain() != Domain::Canonical || query.clauses.len() > DRAWN {
            return;
        }
        let pattern = |atom: u32| self.atoms.patterns.get(to_usize(atom)).map_or(&b""[..], |pattern| pattern);
        for _ in 0..SHOWN {
            let must = query.must.clone();
            let holds = |atom: u32| must.iter().any(|one| contains(pattern(atom), pattern(*one)));
            query.clauses.retain(|(_, others)| !others.iter().any(|other| holds(*other)));
            let found = query.clauses.iter().position(|(first, others)| others.len() == 1 && holds(*first));
            let Some(place) = found else { return };
            let (_, others) = query.clauses.swap_remove(place);
            query.must.extend(others);
            query.simplify(self.atoms);
        }
    }
}

fn turned(before: &Verdict, after: &Verdict) -> Turn {
    match (before.0, after.0) {
        (Outcome::Permitted, Outcome::Prohibited) => Turn::Prohibits,
        (Outcome::Prohibited, Outcome::Permitted) => Turn::Permits,
        _ => Turn::Restricts,
    }
}

fn both(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut out: Vec<u32> = a.iter().chain(b).copied().collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// Narrows a query to what matches those of the patterns that one path matches; the rest is left for later.
pub(crate) fn split(atoms: &PatternTable, query: &mut Query, patterns: &[u32], path: &[u8], open: &mut Vec<Query>) {
    for atom in patterns {
        if query.must.contains(atom) || query.never.contains(atom) {
            continue;
        }
        let mut other = query.clone();
        if atoms.get(*atom).is_some_and(|machine| machine.matches(path)) {
            other.never.push(*atom);
            query.must.push(*atom);
        } else {
            other.must.push(*atom);
            query.never.push(*atom);
        }
        open.push(other);
    }
}

/// Purposes that the purpose patterns tell apart and that are none of `known`, a shortest text for each set of patterns
/// that match together; none at all for a set of none. `more` says that there are more than were named.
pub fn purposes(patterns: &[&[u8]], known: &[&[u8]], most: usize) -> (Vec<Vec<u8>>, bool) {
    let mut atoms = PatternTable::default();
    let mut add = |pattern: &&[u8]| atoms.add(Machine::of_glob(pattern), pattern);
    let numbers: Vec<u32> = patterns.iter().map(&mut add).collect();
    let never: Vec<u32> = known.iter().map(&mut add).collect();
    let mut out: Vec<Vec<u8>> = Vec::new();
    let mut open = vec![Query { never, ..Query::default() }];
    let mut work = Work::of(PURPOSED);
    while let Some(query) = open.pop() {
        if out.len() > most {
            return (out, true);
        }
        match query.clone().shortest(&atoms, Domain::Text, &mut work) {
            Found::Nothing => continue,
            Found::TooMuch => return (out, true),
            Found::Path(text) => {
                let mut region = query;
                split(&atoms, &mut region, &numbers, &text, &mut open);
                if !region.must.is_empty() {
                    out.push(text);
                }
            }
        }
    }
    (out, false)
}
