//! How much of a site a crawler is refused: nothing, some paths, or all of them.
//!
//! A path is looked for that is refused, and one that is not and carries no policy. Most files show both at once: a
//! line refuses its own path, and `/` is permitted. Where no such path shows, sets of paths decide
//! ([`crate::automaton`]).
//!
//! Laws:
//! - Of every path that is named, [`Policy::answer`] says the same.
//! - "None" and "all" are proofs; what could not be worked out is undecided, and never "none".
//! - Resources that carry policy make no site open: what refuses all else refuses all. A path that only adds to one of
//!   theirs counts as it (our choice): `Allow: /robots.txt` permits `/robots.txt.bak`, and nobody means that.

use crate::automaton::{Found, PatternTable, Query, Work};
use crate::decide::claims::Claims;
use crate::decide::{Question, View};
use crate::difference::split;
use crate::limits::REGIONS;
use crate::policy::{Policy, State};
use crate::redundant::own_path;
use crate::rules::Rule;
use crate::statement::Outcome;
use crate::usage::{self, Usage};

/// How much of a site is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// No path.
    None,
    /// Some path, and another is not.
    Some,
    /// Every path but for resources that carry policy.
    All,
    /// Not everything could be worked out.
    Undecided,
}

impl Extent {
    /// The names, in the order of their codes.
    pub const NAMES: [&str; 4] = ["none", "some", "all", "undecided"];

    pub const ALL: [Self; 4] = [Self::None, Self::Some, Self::All, Self::Undecided];
}

/// What is refused to a crawler, with a path for each of what there is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// A path that is refused, in the form in which the policy compares paths.
    pub refused: Option<Vec<u8>>,
    /// A path that is not, of a resource that carries no policy.
    pub permitted: Option<Vec<u8>>,
    /// Why one of them is not there is not known.
    pub undecided: bool,
}

impl Reach {
    pub fn extent(&self) -> Extent {
        match (&self.refused, &self.permitted) {
            (Some(_), Some(_)) => Extent::Some,
            _ if self.undecided => Extent::Undecided,
            (None, _) => Extent::None,
            (Some(_), None) => Extent::All,
        }
    }
}

/// How much may be worked out for a file: a few milliseconds.
pub const REACH_WORK: usize = 1 << 20;
/// Paths that are tried for each of both, before sets decide.
const TRIED: usize = 32;
/// Rules that are tried in the time of one step.
const AT_ONCE: usize = 4;
/// Patterns that may have to be looked at for one question, as in a comparison.
const CLAUSES: usize = 1 << 18;
/// A path that few lines name.
const ELSEWHERE: &[u8] = b"/x";

/// Who asks, about which usage, when.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    pub policy: &'a Policy,
    pub view: &'a View,
    pub usage: Usage,
    /// Microseconds since 1970 UTC.
    pub at: i64,
}

/// What is refused to a crawler for a usage, without purpose.
pub fn reach(asked: Asked<'_>, work: &mut Work) -> Reach {
    // What rules alone refuse, they refuse to every usage alike.
    let usage = if asked.view.hears_rules_alone() { usage::CRAWL } else { asked.usage };
    let mut looking = Looking { asked: Asked { usage, ..asked }, out: Reach::default() };
    looking.look_at(b"/", work);
    looking.try_own_paths(work);
    if !looking.is_complete() && !looking.is_proven_by_rules() {
        looking.search(work);
    }
    looking.out
}

/// Whether a rule matches every path.
pub(crate) fn is_universal(pattern: &[u8]) -> bool {
    matches!(pattern, b"/" | b"*" | b"/*")
}

/// A claim as a clause of a query: what matches the first pattern and none of the others is refused.
type Clause = (u32, Vec<u32>);

struct Looking<'a> {
    asked: Asked<'a>,
    out: Reach,
}

impl Looking<'_> {
    fn is_complete(&self) -> bool {
        self.out.refused.is_some() && self.out.permitted.is_some()
    }

    fn rules(&self) -> &[Rule] {
        &self.asked.view.rep.rules
    }

    fn is_refused(&self, path: &[u8], work: &mut Work) -> bool {
        let Asked { policy, view, usage, at } = self.asked;
        work.spend(self.rules().len().wrapping_div(AT_ONCE).saturating_add(1));
        if usage == usage::CRAWL
            && let Some((outcome, ..)) = policy.crawl_quickly(view, path)
        {
            return outcome == Outcome::Prohibited;
        }
        let question = Question { at, ..Question::about(path) };
        policy.answer(view, &question, usage, false).outcome == Outcome::Prohibited
    }

    fn carries_policy(&self, path: &[u8]) -> bool {
        let Asked { policy, view, .. } = self.asked;
        view.may_always_fetch(path) || policy.dialect.policy_paths.iter().any(|held| path.starts_with(held))
    }

    /// Keeps a path as what it is, if one of its kind is wanted.
    fn look_at(&mut self, path: &[u8], work: &mut Work) {
        if self.is_refused(path, work) {
            self.out.refused.get_or_insert_with(|| path.to_vec());
        } else if !self.carries_policy(path) {
            self.out.permitted.get_or_insert_with(|| path.to_vec());
        }
    }

    /// Tries the paths that lines spell: those that refuse, or those that permit, whatever is wanted.
    fn try_own_paths(&mut self, work: &mut Work) {
        if self.out.permitted.is_none() {
            self.look_at(ELSEWHERE, work);
        }
        let Asked { policy, view, .. } = self.asked;
        let wants_refusal = self.out.refused.is_none();
        let wanted = view.rep.rules.iter().filter(|rule| if wants_refusal { rule.refuses() } else { rule.permits() });
        for rule in wanted.take(TRIED) {
            if self.is_complete() || work.is_over() {
                return;
            }
            if let Some(path) = own_path(view.rep.rules.pattern(policy.text(), *rule)) {
                self.look_at(&policy.dialect.form.path(&path, &path), work);
            }
        }
    }

    /// Whether the rules show why one of the paths is not there, where they alone decide.
    fn is_proven_by_rules(&self) -> bool {
        let Asked { policy, view, usage, .. } = self.asked;
        if usage != usage::CRAWL || !view.is_plain() || policy.state == State::Unreachable {
            return false;
        }
        if self.out.refused.is_none() {
            return !view.rep.may_refuse();
        }
        let refuses_all = |rule: &Rule| rule.refuses() && is_universal(view.rep.rules.pattern(policy.text(), *rule));
        !self.rules().iter().any(|rule| rule.permits()) && self.rules().iter().any(refuses_all)
    }

    /// Looks for the path that is missing among all.
    fn search(&mut self, work: &mut Work) {
        let Asked { policy, view, usage, .. } = self.asked;
        let mut atoms = PatternTable::default();
        let claims = policy.claims(view, usage, None, &mut atoms, work);
        let all = atoms.pattern(b"/");
        let mut always = view.always(&mut atoms);
        always.extend(policy.dialect.policy_paths.iter().map(|path| atoms.prefix(path)));
        let clauses = clauses(&claims, &atoms, work);
        let Some(clauses) = clauses.filter(|_| !claims.too_many) else {
            self.out.undecided = true;
            return;
        };
        let searching = Searching { atoms: &atoms, all, always: &always, restricting: &claims.restricting };
        if self.out.refused.is_none() {
            self.search_refused(&searching, &clauses, work);
        }
        if self.out.permitted.is_none() {
            self.search_permitted(&searching, clauses, work);
        }
        self.out.undecided |= work.is_over();
    }

    fn search_refused(&mut self, searching: &Searching<'_>, clauses: &[Clause], work: &mut Work) {
        for (pattern, lifting) in clauses {
            let query = Query { must: vec![*pattern], never: lifting.clone(), clauses: Vec::new() };
            self.settle(searching, query, &[], Wanted::Refused, work);
            if self.out.refused.is_some() || self.out.undecided {
                return;
            }
        }
        // Restrictions that cannot be met refuse as well.
        if !searching.restricting.is_empty() {
            let query = Query { clauses: clauses.to_vec(), ..Query::all_of(vec![searching.all]) };
            self.settle(searching, query, searching.restricting, Wanted::Refused, work);
        }
    }

    fn search_permitted(&mut self, searching: &Searching<'_>, clauses: Vec<Clause>, work: &mut Work) {
        let Searching { atoms, all, always, .. } = *searching;
        let refuses_all = |(pattern, lifting): &Clause| {
            atoms.covers(*pattern, all) && lifting.iter().all(|atom| always.contains(atom))
        };
        if clauses.iter().any(refuses_all) {
            return;
        }
        let query = Query { must: vec![all], never: always.to_vec(), clauses };
        self.settle(searching, query, searching.restricting, Wanted::Permitted, work);
    }

    /// Looks for a path in each set of paths that the same permissions with restrictions match, until one is as it is
    /// wanted.
    fn settle(
        &mut self,
        searching: &Searching<'_>,
        query: Query,
        restricting: &[u32],
        wanted: Wanted,
        work: &mut Work,
    ) {
        let mut open = vec![query];
        for _ in 0..REGIONS {
            let Some(mut region) = open.pop() else { return };
            let path = match region.clone().shortest(searching.atoms, self.asked.policy.dialect.form.domain(), work) {
                Found::Nothing => continue,
                Found::TooMuch => break,
                Found::Path(path) => path,
            };
            self.look_at(&path, work);
            let found = match wanted {
                Wanted::Refused => &self.out.refused,
                Wanted::Permitted => &self.out.permitted,
            };
            if found.is_some() {
                return;
            }
            if restricting.is_empty() {
                break; // a claim or the answer is wrong
            }
            split(searching.atoms, &mut region, restricting, &path, &mut open);
        }
        self.out.undecided = true;
    }
}

/// What is looked for.
#[derive(Clone, Copy)]
enum Wanted {
    Refused,
    Permitted,
}

struct Searching<'a> {
    atoms: &'a PatternTable,
    /// What every path matches.
    all: u32,
    /// The resources that carry policy.
    always: &'a [u32],
    restricting: &'a [u32],
}

/// The claims, each with what lifts it; none if that is too much.
fn clauses(claims: &Claims, atoms: &PatternTable, work: &mut Work) -> Option<Vec<Clause>> {
    let mut size = 0usize;
    let mut out = Vec::with_capacity(claims.list.len());
    for claim in &claims.list {
        let rungs = claims.ladder.get(claim.rungs.clone()).unwrap_or(&[]);
        work.spend(rungs.len().saturating_add(claim.others.len()).saturating_add(1));
        let lifting: Vec<u32> =
            rungs.iter().chain(&claim.others).copied().filter(|atom| !atoms.exclude(claim.pattern, *atom)).collect();
        size = size.saturating_add(lifting.len()).saturating_add(1);
        if size > CLAUSES || work.is_over() {
            return None;
        }
        out.push((claim.pattern, lifting));
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;

    fn reached(text: &'static str, usage: Usage) -> Reach {
        let policy = Policy::read(text.as_bytes().into(), Some("https://a.example/"), Dialect::AUTO, None);
        let view = View::new(&policy, &["bot"]);
        let asked = Asked { policy: &policy, view: &view, usage, at: 0 };
        reach(asked, &mut Work::of(REACH_WORK))
    }

    fn extent(text: &'static str) -> Extent {
        reached(text, usage::CRAWL).extent()
    }

    #[test]
    fn what_refuses_no_path_refuses_nothing() {
        for text in [
            "",
            "User-agent: *\nDisallow:\n",
            "User-agent: other\nDisallow: /\n",
            "User-agent: *\nDisallow: /a\nAllow: /a\n",
            "User-agent: *\nDisallow: /a/../b\nAllow: /a*\nAllow: /b\n",
            "User-agent: *\nDisallow: /robots.txt$\n",
        ] {
            assert_eq!(extent(text), Extent::None, "{text}");
        }
    }

    #[test]
    fn what_permits_only_resources_that_carry_policy_refuses_all() {
        for text in [
            "User-agent: *\nDisallow: /\n",
            "User-agent: *\nDisallow: *\nAllow: /robots.txt\n",
            "User-agent: *\nDisallow: /\nAllow: /robots.txt$\nAllow: /a/../x\n",
            "User-agent: *\nDisallow: /a\nDisallow: /*\n",
            "User-agent: *\nDisallow: /\nAllow: /ab*c\nDisallow: /ab*c\nDisallow: /ab*cd\nDisallow: /*b*c*\n",
            "ACAP-crawler: *\nACAP-disallow-crawl: /\n",
            "ACAP-crawler: *\nACAP-allow-crawl: / must-use-resource=nonsense:x\nACAP-disallow-crawl: /\n",
        ] {
            assert_eq!(extent(text), Extent::All, "{text}");
        }
    }

    #[test]
    fn both_paths_are_named_where_some_are_refused() {
        let found = reached("User-agent: *\nDisallow: /\nAllow: /a/*/b$\n", usage::CRAWL);
        assert_eq!(found.refused.as_deref(), Some(&b"/"[..]));
        assert!(found.permitted.is_some_and(|path| path.starts_with(b"/a/")));
        let found = reached("User-agent: *\nDisallow: /*?\n", usage::CRAWL);
        assert_eq!((found.extent(), found.permitted.as_deref()), (Extent::Some, Some(&b"/"[..])));
    }

    #[test]
    fn signals_refuse_usages() {
        let text = "User-agent: *\nContent-Signal: ai-train=no\nDisallow: /a\n";
        assert_eq!(reached(text, usage::AI_TRAIN).extent(), Extent::All);
        assert_eq!(reached(text, usage::INDEX).extent(), Extent::Some);
        assert_eq!(reached(text, usage::CRAWL).extent(), Extent::Some);
    }

    #[test]
    fn what_cannot_be_worked_out_is_undecided() {
        let text = "User-agent: *\nDisallow: /a\nAllow: /a\n";
        let policy = Policy::read(text.as_bytes().into(), None, Dialect::AUTO, None);
        let view = View::new(&policy, &["bot"]);
        let asked = Asked { policy: &policy, view: &view, usage: usage::CRAWL, at: 0 };
        assert_eq!(reach(asked, &mut Work::of(0)).extent(), Extent::Undecided);
    }
}
