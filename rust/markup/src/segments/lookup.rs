//! The class of a character.

use super::class::{Class, Cluster, Conjunct, Word, class};
use super::table::{CLASSES, RUNS};

const LETTER: Class = class(Cluster::Other, Conjunct::Other, Word::ALetter, false, true);
const SPACE: Class = class(Cluster::Other, Conjunct::Other, Word::WSegSpace, false, false);

/// What the rules ask of a character.
pub(super) fn class_of(letter: char) -> Class {
    match letter {
        'a'..='z' | 'A'..='Z' => LETTER, // most of most texts
        ' ' => SPACE,
        _ => looked_up(letter),
    }
}

fn looked_up(letter: char) -> Class {
    let code = u32::from(letter);
    let after = RUNS.partition_point(|run| run >> 8 <= code);
    let run = after.checked_sub(1).and_then(|at| RUNS.get(at));
    let place = run.map_or(0, |run| usize::from(run.to_le_bytes()[0]));
    let found = CLASSES.get(place).copied().unwrap_or(LETTER);
    if found.cluster == Cluster::Syllable { Class { cluster: syllable(code), ..found } } else { found }
}

/// Each 28th syllable of Hangul, from U+AC00 on, ends in a vowel.
fn syllable(code: u32) -> Cluster {
    if code.wrapping_sub(0xAC00).is_multiple_of(28) { Cluster::Lv } else { Cluster::Lvt }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_no_look_is_as_in_the_table() {
        for letter in ('a'..='z').chain('A'..='Z').chain([' ']) {
            assert_eq!(class_of(letter), looked_up(letter));
        }
    }
}
