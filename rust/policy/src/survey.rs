//! What a policy says to many crawlers at once: who is refused how much of a site.
//!
//! Of thousands of files most name few crawlers, and the others hear the same. So crawlers are sorted into classes by
//! the groups that are for them; each class is asked once.
//!
//! Law: every answer is that of a crawler that asks alone. What shares a class has the same groups, the same control
//! tokens, and no ACAP record names it. Where a limit cut a name, each crawler is a class of its own.

pub(crate) mod capture;
pub(crate) mod changes;
mod heard;
mod plain;
pub(crate) mod restriction;
mod shapes;
mod standing;
pub(crate) mod tally;

use std::collections::HashMap;
use std::sync::Arc;

use self::heard::Groups;
pub use self::heard::{DIALECTS, Said};
use self::plain::Plain;
use self::shapes::Shapes;
use crate::automaton::Work;
use crate::batch::Asked as Batch;
use crate::decide::{Question, View, tokens_of};
use crate::fields::Kind;
use crate::places::{to_u32, to_usize};
use crate::policy::{Policy, State};
use crate::reach::{Asked, REACH_WORK, reach};
use crate::signals::Vocabulary;
use crate::usage::Usage;

/// Crawlers that are asked about, each by its names, and the usages.
#[derive(Debug)]
pub struct Panel {
    crawlers: Box<[Box<[String]>]>,
    usages: Box<[Usage]>,
    /// The places of names, in lower case.
    names: HashMap<Box<[u8]>, u32>,
    /// Of each name the crawlers that have it.
    bearers: Box<[Vec<u32>]>,
    /// Of each crawler the names, in their order.
    by_name: Box<[Vec<u32>]>,
    /// Of each crawler the crawlers with the same control tokens: the first of them.
    tokens: Box<[u32]>,
    /// Whether the crawler at a place has some.
    has_tokens: Box<[bool]>,
    /// The commonest of them.
    commonest: u32,
    /// The crawlers with others.
    uncommon: Box<[u32]>,
    shapes: Shapes,
    /// The crawlers of each operator, in their order.
    operators: Box<[Vec<u32>]>,
    /// Of each crawler its operator's place.
    operator_of: Box<[Option<u32>]>,
}

/// The vocabularies that speak of more than crawling.
pub const SIGNALS: [&str; 4] = ["content-signal", "content-usage", "license", "acap"];

/// What a policy says to all crawlers of a panel.
#[derive(Clone, Debug, Default)]
pub struct Surveyed {
    /// The classes that are not the first, by crawler.
    pub others: Box<[(u32, u32)]>,
    /// Of each class each usage.
    pub said: Box<[Said]>,
}

impl Surveyed {
    /// What a class is told, usage by usage.
    pub fn of_class(&self, class: u32, usages: usize) -> &[Said] {
        let start = to_usize(class).saturating_mul(usages);
        self.said.get(start..start.saturating_add(usages)).unwrap_or(&[])
    }
}

/// Crawlers that hear the same.
struct Class {
    /// One of them.
    crawler: u32,
    tokens: u32,
    groups: Groups,
    /// Conventional rules alone have a say.
    is_plain: bool,
}

impl Panel {
    pub fn new(crawlers: Vec<Vec<String>>, usages: Vec<Usage>) -> Self {
        let mut names: HashMap<Box<[u8]>, u32> = HashMap::new();
        let mut bearers: Vec<Vec<u32>> = Vec::new();
        let mut by_name = Vec::with_capacity(crawlers.len());
        for (crawler, of_crawler) in (0u32..).zip(&crawlers) {
            let mut places = Vec::with_capacity(of_crawler.len());
            for name in of_crawler {
                let next = to_u32(bearers.len());
                let place = *names.entry(name.to_ascii_lowercase().into_bytes().into()).or_insert(next);
                if place == next {
                    bearers.push(Vec::new());
                }
                if let Some(list) = bearers.get_mut(to_usize(place))
                    && list.last() != Some(&crawler)
                {
                    list.push(crawler);
                }
                places.push(place);
            }
            by_name.push(places);
        }
        let tokens_of_first = |names: &[String]| {
            let first = names.first().map_or("", String::as_str);
            let counts = |held: &Usage| usages.iter().any(|usage| held.covers(*usage));
            let tokens = tokens_of(first.as_bytes()).filter(|token| token.usages.iter().any(counts));
            tokens.map(|token| token.name).collect::<Vec<_>>()
        };
        let all: Vec<Vec<&str>> = crawlers.iter().map(|names| tokens_of_first(names)).collect();
        let same = |tokens: &Vec<&str>| to_u32(all.iter().position(|held| held == tokens).unwrap_or(0));
        let tokens: Box<[u32]> = all.iter().map(same).collect();
        let number = |place: &u32| tokens.iter().filter(|held| *held == place).count();
        let commonest = tokens.iter().copied().max_by_key(number).unwrap_or(0);
        let uncommon = (0u32..).zip(&tokens).filter(|(_, held)| **held != commonest).map(|(crawler, _)| crawler);
        let uncommon = uncommon.collect();
        let has_tokens = all.iter().map(|tokens| !tokens.is_empty()).collect();
        let shapes = Shapes::of(names.keys());
        Self {
            crawlers: crawlers.into_iter().map(Vec::into_boxed_slice).collect(),
            usages: usages.into(),
            names,
            bearers: bearers.into(),
            by_name: by_name.into(),
            tokens,
            has_tokens,
            commonest,
            uncommon,
            shapes,
            operators: Box::default(),
            operator_of: Box::default(),
        }
    }

    /// The same with operators, each by the places of its crawlers: behind the crawlers there is a place for each, which
    /// is told the strictest of what its crawlers are told.
    pub fn with_operators(self, operators: Vec<Vec<u32>>) -> Self {
        let mut operator_of = vec![None; self.crawlers.len()];
        for (operator, crawlers) in (0u32..).zip(&operators) {
            for crawler in crawlers {
                if let Some(place) = operator_of.get_mut(to_usize(*crawler)) {
                    *place = Some(operator);
                }
            }
        }
        Self { operators: operators.into(), operator_of: operator_of.into(), ..self }
    }

    pub fn usages(&self) -> &[Usage] {
        &self.usages
    }

    /// Number of crawlers.
    pub fn crawlers(&self) -> usize {
        self.crawlers.len()
    }

    /// What a policy says to each crawler at an instant, without purpose.
    pub fn survey(&self, policy: &Policy, at: i64) -> Surveyed {
        let mut work = Work::of(REACH_WORK);
        let mut said = Vec::new();
        let mut others: Vec<(u32, u32)> = Vec::new();
        match self.classes(policy) {
            Classes::One => self.ask(policy, 0, at, &mut work, &mut said),
            Classes::Each => {
                let all = 0..to_u32(self.crawlers.len());
                others.extend(all.clone().skip(1).map(|crawler| (crawler, crawler)));
                all.for_each(|crawler| self.ask(policy, crawler, at, &mut work, &mut said));
            }
            Classes::Some(classes, members, starts) => {
                others = members;
                for Class { crawler, groups, is_plain, .. } in classes {
                    match is_plain.then(|| Plain::read(policy, &groups, &starts)).flatten() {
                        Some(plain) => said.extend(self.usages.iter().map(|usage| plain.said(*usage))),
                        None => self.ask(policy, crawler, at, &mut work, &mut said),
                    }
                }
            }
        }
        self.add_operators(&mut others, &mut said);
        Surveyed { others: others.into(), said: said.into() }
    }

    /// Adds the operators of crawlers that are not told what most are.
    fn add_operators(&self, others: &mut Vec<(u32, u32)>, said: &mut Vec<Said>) {
        let usages = self.usages.len();
        let of_crawlers = others.len();
        let mut concerned: Vec<u32> = others
            .iter()
            .filter_map(|(crawler, _)| self.operator_of.get(to_usize(*crawler)).copied().flatten())
            .collect();
        concerned.sort_unstable();
        concerned.dedup();
        for operator in concerned {
            let crawlers = self.operators.get(to_usize(operator)).map_or(&[][..], Vec::as_slice);
            let known = others.get(..of_crawlers).unwrap_or(&[]);
            let class_of = |crawler: &u32| {
                let place = known.binary_search_by_key(crawler, |(of, _)| *of).ok();
                place.and_then(|place| known.get(place)).map_or(0, |(_, class)| *class)
            };
            let mut classes: Vec<u32> = crawlers.iter().map(class_of).collect();
            classes.sort_unstable();
            classes.dedup();
            let class = match *classes {
                [class] => class,
                _ => {
                    let class = to_u32(said.len().checked_div(usages).unwrap_or(0));
                    for usage in 0..usages {
                        let of = |class: &u32| said.get(to_usize(*class).saturating_mul(usages).saturating_add(usage));
                        let strictest = classes.iter().filter_map(of).max_by_key(|said| said.strictness()).copied();
                        said.extend(strictest);
                    }
                    class
                }
            };
            let place = to_u32(self.crawlers.len()).saturating_add(operator);
            others.extend((class != 0).then_some((place, class)));
        }
    }

    /// What a policy says to one crawler, by a view of it.
    fn ask(&self, policy: &Policy, crawler: u32, at: i64, work: &mut Work, said: &mut Vec<Said>) {
        let Some(names) = self.crawlers.get(to_usize(crawler)) else { return };
        let view = Arc::new(View::new(policy, names));
        let signals = speaking(policy, &view);
        for usage in &self.usages {
            let question = Question { at, ..Question::about(&[]) };
            let batch = Batch { views: std::slice::from_ref(&view), purposes: &[None], question: &question };
            let row = batch.row(policy, b"/", *usage);
            let asked = Asked { policy, view: &view, usage: *usage, at };
            let dialect = heard::dialect_of(policy, row.line);
            said.push(Said { row, extent: reach(asked, work).extent(), signals, dialect });
        }
    }

    fn classes(&self, policy: &Policy) -> Classes {
        if policy.state != State::Present || policy.in_doubt() {
            return Classes::One;
        }
        let cut_names = policy.table.cut_names || policy.files().any(|file| file.cut_names);
        if !policy.dialect.divides_by_name() || cut_names || !policy.supplied().is_empty() {
            return Classes::Each;
        }
        let heard = self.heard(policy);
        // Other vocabularies have groups of their own.
        let by_group = !policy.table.signals && !policy.table.licensed;
        let may_be_plain = heard.are_plain && Plain::may_read(policy);
        let (classes, members) = self.divided(&heard, &self.recorded(policy), by_group, may_be_plain);
        Classes::Some(classes, members, heard.starts)
    }

    /// The crawlers that ACAP records name.
    fn recorded(&self, policy: &Policy) -> Vec<u32> {
        let Some(file) = &policy.acap else { return Vec::new() };
        let names = file.records.iter().flat_map(|record| file.names(record));
        let places = names.filter_map(|name| self.names.get(name.to_ascii_lowercase().as_bytes()));
        let bearers = places.filter_map(|place| self.bearers.get(to_usize(*place)));
        let mut out: Vec<u32> = bearers.flatten().copied().collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Whom the groups of a policy address.
    fn heard(&self, policy: &Policy) -> Heard {
        let text = policy.text();
        let mut hits: Vec<(u32, u32)> = Vec::new();
        let mut any: Vec<u32> = Vec::new();
        let (mut starts, mut are_plain): (Vec<u32>, bool) = (Vec::new(), true);
        let mut lower: Vec<u8> = Vec::new();
        let (mut group, mut closed) = (0u32, true);
        for (place, entry) in (0u32..).zip(&policy.table.entries) {
            match entry.kind {
                Kind::Allow | Kind::Disallow => closed = true,
                Kind::CutAllow => (closed, are_plain) = (true, false),
                Kind::RobotVersion => are_plain = false,
                Kind::Agent => {
                    if std::mem::replace(&mut closed, false) {
                        group = group.saturating_add(1);
                        starts.push(place);
                    }
                    let value = entry.value(text);
                    if policy.dialect.agents.are_all(value) {
                        any.extend((any.last() != Some(&group)).then_some(group));
                    }
                    if value == b"*" {
                        continue;
                    }
                    for name in policy.dialect.agents.names(value).filter(|name| self.shapes.may_have(name)) {
                        lower.clear();
                        lower.extend(name.iter().map(u8::to_ascii_lowercase));
                        hits.extend(self.names.get(&*lower).map(|place| (*place, group)));
                    }
                }
                _ => {}
            }
        }
        hits.sort_unstable();
        hits.dedup();
        Heard { hits, any, starts, are_plain }
    }

    /// Crawlers by what they hear; what is said to those that are `alone` is said to no other.
    fn divided(
        &self,
        heard: &Heard,
        alone: &[u32],
        by_group: bool,
        may_be_plain: bool,
    ) -> (Vec<Class>, Vec<(u32, u32)>) {
        let hits = &*heard.hits;
        let groups_of = |name: u32| {
            let start = hits.partition_point(|(held, _)| *held < name);
            let of_name = hits.iter().skip(start).take_while(|(held, _)| *held == name);
            let list: Vec<u32> = of_name.map(|(_, group)| *group).collect();
            Groups { name: (!by_group).then_some(name), alone: None, is_named: true, list }
        };
        let of_any = Groups { list: heard.any.clone(), ..Groups::default() };
        let is_without_tokens =
            |tokens: u32| self.has_tokens.get(to_usize(tokens)).is_some_and(|has_tokens| !has_tokens);
        let mut classes: Vec<Class> = Vec::new();
        let mut members: Vec<(u32, u32)> = Vec::new();
        let is_hit = |name: &&u32| hits.binary_search_by_key(*name, |(held, _)| *held).is_ok();
        // Most crawlers have the first class: no group names them, and no token speaks for them.
        let mut apart: Vec<u32> = self.uncommon.iter().chain(alone).copied().collect();
        for of_name in hits.chunk_by(|a, b| a.0 == b.0) {
            let name = of_name.first().map_or(0, |(name, _)| *name);
            apart.extend(self.bearers.get(to_usize(name)).into_iter().flatten());
        }
        apart.sort_unstable();
        apart.dedup();
        let is_first = |crawler: &u32| apart.binary_search(crawler).is_err();
        if let Some(crawler) = (0..to_u32(self.crawlers.len())).find(is_first) {
            let tokens = self.commonest;
            let is_plain = may_be_plain && is_without_tokens(tokens);
            classes.push(Class { crawler, tokens, groups: of_any.clone(), is_plain });
        }
        for crawler in apart {
            let tokens = self.tokens.get(to_usize(crawler)).copied().unwrap_or(0);
            let first = self.by_name.get(to_usize(crawler)).into_iter().flatten().find(is_hit);
            let groups = first.map_or_else(|| of_any.clone(), |name| groups_of(*name));
            let groups = Groups { alone: alone.binary_search(&crawler).is_ok().then_some(crawler), ..groups };
            let known = classes.iter().position(|class| class.tokens == tokens && class.groups == groups);
            let place = known.unwrap_or(classes.len());
            if known.is_none() {
                let is_plain = may_be_plain && is_without_tokens(tokens);
                classes.push(Class { crawler, tokens, groups, is_plain });
            }
            if place > 0 {
                members.push((crawler, to_u32(place)));
            }
        }
        (classes, members)
    }
}

enum Classes {
    /// All hear the same.
    One,
    /// Each for itself.
    Each,
    /// The classes, the members of all but the first, and where each group begins by the places of entries.
    Some(Vec<Class>, Vec<(u32, u32)>, Vec<u32>),
}

/// Whom the groups of a policy address.
struct Heard {
    /// The names that User-agent lines address, each with its group, in the order of names.
    hits: Vec<(u32, u32)>,
    /// The groups for every crawler.
    any: Vec<u32>,
    /// Where each group begins, by the places of entries.
    starts: Vec<u32>,
    /// No line asks for a view.
    are_plain: bool,
}

/// The vocabularies that speak to a crawler.
fn speaking(policy: &Policy, view: &View) -> u8 {
    let bit = |speaks: bool, place: u8| u8::from(speaks).wrapping_shl(u32::from(place));
    bit(view.hears(Vocabulary::Signal), 0)
        | bit(view.hears(Vocabulary::Preference), 1)
        | bit(!view.licences(policy).is_empty(), 2)
        | bit(view.hears_records(), 3)
}

#[cfg(test)]
mod tests;
