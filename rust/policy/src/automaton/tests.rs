use super::machine::State;
use super::*;
use crate::pattern::{contains, matches};
use crate::places::to_u32;

fn texts(letters: &[u8], count: usize, most: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut state = seed;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap().checked_rem(below).unwrap()
    };
    (0..count).map(|_| (0..next(most.saturating_add(1))).map(|_| letters[next(letters.len())]).collect()).collect()
}

fn all_paths(letters: &[u8], most: usize) -> Vec<Vec<u8>> {
    let mut out = vec![b"/".to_vec()];
    let mut from = 0;
    for _ in 0..most {
        let end = out.len();
        for at in from..end {
            for letter in letters {
                let mut longer = out[at].clone();
                longer.push(*letter);
                out.push(longer);
            }
        }
        from = end;
    }
    out.retain(|path| &*crate::octets::canonical_path(path) == path.as_slice());
    out
}

#[test]
fn a_machine_matches_as_its_pattern_does() {
    for pattern in texts(b"aab/*$", 400, 7, 1) {
        let machine = Machine::of_pattern(&pattern);
        for path in texts(b"aab/", 60, 9, 2) {
            assert_eq!(machine.matches(&path), matches(&pattern, &path), "{pattern:?} {path:?}");
        }
    }
}

#[test]
fn inclusion_of_states_is_inclusion_of_what_follows() {
    for glob in texts(b"aab*", 60, 7, 3) {
        let machine = Machine::of_glob(&glob);
        let states: Vec<State> = (0..to_u32(machine.owners.len() + 2)).collect();
        for a in &states {
            for b in states.iter().filter(|b| machine.included(*a, **b)) {
                for rest in texts(b"ab", 80, 8, 4) {
                    let accepts = |from: State| {
                        machine.accepts(rest.iter().fold(from, |state, octet| machine.step(state, *octet)))
                    };
                    assert!(!accepts(*a) || accepts(*b), "{glob:?} {a} {b} {rest:?}");
                }
            }
        }
    }
}

#[test]
fn a_search_finds_what_trying_every_path_finds() {
    let paths = all_paths(b"ab/.?x", 5);
    let mut numbers = 5u64;
    let mut pick = |below: usize| {
        numbers = numbers.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(numbers >> 33).unwrap() % below
    };
    let rounds = std::env::var("ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(600);
    for round in 0..rounds {
        let mut atoms = PatternTable::default();
        let rooted = |text: Vec<u8>| if text.first() == Some(&b'*') { text } else { [b"/", text.as_slice()].concat() };
        // A `$` within a pattern is a letter that no path of these has.
        let ended = |text: Vec<u8>| text.strip_prefix(b"/").map_or_else(|| text.clone(), |text| [text, b"$"].concat());
        let patterns: Vec<Vec<u8>> = texts(b"ab/.*", 9, 5, round + 10).into_iter().map(ended).map(rooted).collect();
        let numbers: Vec<u32> =
            patterns.iter().map(|pattern| atoms.pattern(&crate::octets::canonical_pattern(pattern))).collect();
        let some = |pick: &mut dyn FnMut(usize) -> usize, most: usize| -> Vec<u32> {
            (0..pick(most + 1)).map(|_| numbers[pick(numbers.len())]).collect()
        };
        let query = Query {
            must: some(&mut pick, 2),
            never: some(&mut pick, 2),
            clauses: (0..pick(6)).map(|_| (numbers[pick(numbers.len())], some(&mut pick, 3))).collect(),
        };
        let holds = |path: &[u8]| {
            let matched = |atom: &u32| atoms.list[*atom as usize].matches(path);
            query.must.iter().all(matched)
                && !query.never.iter().any(matched)
                && query.clauses.iter().all(|(first, others)| !matched(first) || others.iter().any(matched))
        };
        let shortest = paths.iter().find(|path| holds(path));
        let mut work = Work::of(1 << 22);
        let whole = query.clone().shortest(&atoms, Domain::Canonical, &mut work);
        for found in [whole, query.clone().divided(&atoms, Domain::Canonical, 64, &mut work)] {
            match found {
                Found::Path(path) => {
                    assert!(holds(&path), "{path:?} {query:?} {patterns:?}");
                    assert_eq!(&*crate::octets::canonical_path(&path), path.as_slice());
                    let least = shortest.map_or(7, Vec::len);
                    assert_eq!(path.len().min(7), least, "{path:?} {patterns:?} {query:?}");
                }
                Found::Nothing => assert_eq!(shortest, None, "{patterns:?} {query:?}"),
                Found::TooMuch => panic!("{patterns:?} {query:?}"),
            }
        }
    }
}

#[test]
fn heads_find_what_comparing_all_finds() {
    for round in 0..200 {
        let patterns = texts(b"aab*$", 12, 4, round);
        let machines: Vec<Machine> = patterns.iter().map(|pattern| Machine::of_pattern(pattern)).collect();
        let heads = PrefixIndex::new(machines.iter());
        for text in texts(b"aab", 12, 4, round + 1_000) {
            let over = |head: &[u8]| text.starts_with(head);
            let near = |head: &[u8]| over(head) || head.starts_with(&text);
            let all = |wanted: &dyn Fn(&[u8]) -> bool| -> Vec<usize> {
                (0..machines.len()).filter(|place| wanted(machines[*place].head().0)).collect()
            };
            assert_eq!((heads.over(&text), heads.near(&text)), (all(&over), all(&near)), "{patterns:?} {text:?}");
        }
    }
}

#[test]
fn inclusion_agrees_with_the_pattern_algebra() {
    let rooted = |text: Vec<u8>| if text.first() == Some(&b'*') { text } else { [b"/", text.as_slice()].concat() };
    let list: Vec<Vec<u8>> = texts(b"ab*$", 60, 5, 7).into_iter().map(rooted).collect();
    for a in &list {
        for b in &list {
            let (a, b) = (crate::octets::canonical_pattern(a), crate::octets::canonical_pattern(b));
            let mut atoms = PatternTable::default();
            let (one, other) = (atoms.pattern(&a), atoms.pattern(&b));
            // Every path begins with `/`, which a pattern that begins with `*` does not say.
            let covers = atoms.covers(other, one);
            assert!(covers == contains(&b, &a) || (!covers && a.starts_with(b"*")), "{a:?} {b:?}");
            let query = Query { must: vec![one], never: vec![other], clauses: Vec::new() };
            let found = query.shortest(&atoms, Domain::Canonical, &mut Work::of(1 << 22));
            assert_eq!(found == Found::Nothing, contains(&b, &a), "{a:?} {b:?} {found:?}");
        }
    }
}
