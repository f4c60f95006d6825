//! The names that a misspelt name may mean.
//!
//! A **typo**, or slip, is one insertion, deletion, replacement or exchange of neighbours. Names are compared folded:
//! in lower case, without blanks, `_` and dashes. Laws: a prohibition with a typo prohibits at least what the right
//! word does; a permission with a typo never permits.

use crate::octets::is_space;
use crate::problems::Code;
use crate::usage::{self, COMPOSITES, EVERY, Usage};
use std::sync::LazyLock;

/// The usages that a prohibition of this name covers, and whether the name had to be guessed; none if no known usage
/// may be meant. `name` is in lower case, with hyphens.
pub(super) fn prohibited(name: &str) -> Option<(Vec<Usage>, bool)> {
    if let Some(usages) = several(name) {
        return Some((usages.to_vec(), COMPOSITES.iter().all(|(known, _)| *known != name)));
    }
    let folded = fold(name);
    if let Some(usages) = several(&folded) {
        return Some((usages.to_vec(), true));
    }
    let near = near(&folded);
    if !near.is_empty() {
        return Some((near, true));
    }
    // The nearest one above.
    let above = usage::known().filter(|usage| {
        usage.name().is_some_and(|known| name.strip_prefix(known).is_some_and(|rest| rest.starts_with('-')))
    });
    above.max_by_key(|usage| usage.name().map_or(0, str::len)).map(|usage| (vec![usage], true))
}

/// Distance of a usage name from the known ones: 0 known, 1 one typo away, 2 below a known one or missing, 3 none of
/// these.
pub(super) fn closeness(name: &str) -> u8 {
    let folded = fold(name);
    let known = |name: &str| !name.is_empty() && several(name).is_some();
    match prohibited(name) {
        _ if known(name) || known(&folded) => 0,
        _ if !name.is_empty() && !near(&folded).is_empty() => 1,
        Some(_) => 2,
        None => 3,
    }
}

/// The usages of a prohibition that names several by one word (our choice: the guide has no such words).
fn several(name: &str) -> Option<&'static [Usage]> {
    match name {
        "" | "all" | "any" | "everything" | "use" | "*" => Some(EVERY.as_slice()),
        "ai" | "train" => Some(&[usage::AI_TRAIN, usage::AI_INPUT, usage::AI_INDEX]),
        _ => COMPOSITES.iter().find(|(known, _)| *known == name).map(|(_, parts)| *parts),
    }
}

/// The known usages that are one typo from an unknown one: restrictions of that apply to these too.
pub(super) fn nearly(name: &str) -> Vec<Usage> {
    let folded = fold(name);
    if name.is_empty() || several(name).is_some() || several(&folded).is_some() {
        return Vec::new();
    }
    near_usages(&folded)
}

/// The usages one typo from a folded name: both `index` and `ai-index` for `aindex`.
fn near(folded: &str) -> Vec<Usage> {
    let mut out = near_usages(folded);
    for (name, parts) in COMPOSITES {
        if slip(folded, name) {
            out.extend(parts);
        }
    }
    out
}

/// The usages whose name a blank has divided into these words, inserted or in place of a letter.
pub(super) fn divided(words: &str) -> Vec<Usage> {
    let folded = fold(words);
    if folded.is_empty() {
        return Vec::new();
    }
    let is = |text: &str, known: &str| text == known || (text.len() < known.len() && slip(text, known));
    let mut out = usages_as(&folded, is);
    for (name, parts) in COMPOSITES {
        if is(&folded, name) {
            out.extend(parts);
        }
    }
    out
}

fn near_usages(folded: &str) -> Vec<Usage> {
    usages_as(folded, slip)
}

/// The usages with a name or plural, folded, that `is` accepts for a text.
fn usages_as(folded: &str, is: impl Fn(&str, &str) -> bool) -> Vec<Usage> {
    let close = |one: &&Folded| is(folded, &one.name) || one.plural.as_ref().is_some_and(|many| is(folded, many));
    FOLDED.iter().filter(close).map(|one| one.usage).collect()
}

/// A known usage with its folded name; representations have a plural too.
pub(super) struct Folded {
    pub(super) usage: Usage,
    pub(super) name: String,
    pub(super) plural: Option<String>,
}

/// The known usages in their order.
pub(super) static FOLDED: LazyLock<Vec<Folded>> = LazyLock::new(|| {
    let folded = |usage: Usage| {
        let written = usage.name().unwrap_or("");
        let name = fold(written);
        let plural = written.starts_with("present-").then(|| match name.strip_suffix("copy") {
            Some(stem) => format!("{stem}copies"),
            None => format!("{name}s"),
        });
        Folded { usage, name, plural }
    };
    usage::known().map(folded).collect()
});

/// Whether folding removes a character: a blank, `_` or a dash.
fn is_joint(letter: char) -> bool {
    matches!(
        letter,
        ' ' | '\t' | '\x0B' | '\x0C' | '\u{A0}' | '_' | '-' | '\u{2010}'
            ..='\u{2015}' | '\u{2212}' | '\u{FE58}' | '\u{FE63}' | '\u{FF0D}'
    )
}

/// A name as it is compared: in lower case, without blanks, `_` and dashes.
pub(super) fn fold(name: &str) -> String {
    name.chars().filter(|letter| !is_joint(*letter)).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// Whether two texts are equal, or one typo apart.
pub(super) fn slip(a: &str, b: &str) -> bool {
    if a.len().abs_diff(b.len()) > char::MAX.len_utf8() {
        return false;
    }
    // Equal octets are equal letters, up to the last whole letter.
    let same = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let same = (0..=same).rev().find(|end| a.is_char_boundary(*end)).unwrap_or(0);
    let (a, b) = (a.get(same..).unwrap_or(""), b.get(same..).unwrap_or(""));
    let same = a.bytes().rev().zip(b.bytes().rev()).take_while(|(x, y)| x == y).count();
    let begin = |count: &usize| a.is_char_boundary(a.len().saturating_sub(*count));
    let same = (0..=same).rev().find(begin).unwrap_or(0);
    let head = |text: &str| -> [Option<char>; 3] {
        let mut letters = text.get(..text.len().saturating_sub(same)).unwrap_or("").chars();
        [letters.next(), letters.next(), letters.next()]
    };
    match (head(a), head(b)) {
        ([_, None, _], [_, None, _]) => true,
        ([first, second, None], [third, fourth, None]) => first == fourth && second == third,
        _ => false,
    }
}

/// A word in the place of the verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Allow,
    /// One typo from `allow`: it permits nothing.
    NearlyAllow,
    Disallow,
}

/// Words that prohibit; so do words within two typos of the first.
pub(super) const PROHIBITING: [&str; 5] = ["disallow", "deny", "forbid", "prohibit", "block"];

/// The verb of a folded word, and the number of typos in it.
pub(super) fn verb(word: &str) -> Option<(Verb, usize)> {
    let [disallow, ..] = PROHIBITING;
    if word == "allow" {
        return Some((Verb::Allow, 0));
    }
    if PROHIBITING.contains(&word) {
        return Some((Verb::Disallow, 0));
    }
    // Between 6 and 10 letters, some of which may have four octets.
    if (6..=16).contains(&word.len()) {
        let slips = slips(word, disallow);
        if slips <= 2 {
            return Some((Verb::Disallow, slips));
        }
    }
    slip(word, "allow").then_some((Verb::NearlyAllow, 1))
}

/// Whether a folded word that counts as `disallow` with two typos may also be `allow` with one.
pub(super) fn may_permit(word: &str) -> bool {
    matches!(verb(word), Some((Verb::Disallow, 2))) && slip(word, "allow")
}

/// The number of typos from one short text to another, with no letter changed twice.
fn slips(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    let mut last: Option<char> = None;
    for (i, x) in a.chars().enumerate() {
        let mut next: Vec<usize> = Vec::with_capacity(row.len());
        next.push(i.saturating_add(1));
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], place: usize| row.get(place).copied().unwrap_or(usize::MAX);
            let right = j.saturating_add(1);
            let mut least = at(&row, j).saturating_add(usize::from(x != *y));
            least = least.min(at(&row, right).saturating_add(1)).min(at(&next, j).saturating_add(1));
            let exchanged = j.checked_sub(1).filter(|left| last == Some(*y) && b.get(*left) == Some(&x));
            if let Some(left) = exchanged {
                least = least.min(at(&before, left).saturating_add(1));
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
        last = Some(x);
    }
    row.last().copied().unwrap_or(0)
}

/// The name nearest to a misspelt one, for a suggestion.
pub(super) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    let near = known.map(|other| (distance(name, other), other)).min()?;
    let far = name.len().checked_div(3).unwrap_or(0).saturating_add(1);
    (near.0 <= far).then(|| near.1.to_owned())
}

/// The problem of a prohibition that is read as one of these usages, and the usages in words; none if the name is
/// known.
pub(super) fn guess(usages: &[Usage], guessed: bool) -> Option<(Code, String)> {
    if usages == EVERY.as_slice() {
        return Some((Code::AcapBroadUsage, "every use".to_owned()));
    }
    let names: Vec<&str> = usages.iter().filter_map(|usage| usage.name()).collect();
    match names.as_slice() {
        _ if !guessed => None,
        [only] => Some((Code::AcapGuessedUsage, (*only).to_owned())),
        _ => Some((Code::AcapBroadUsage, names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))),
    }
}

/// Edit distance, of the first 64 octets.
pub(super) fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<u8>, Vec<u8>) = (a.bytes().take(64).collect(), b.bytes().take(64).collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut last = i;
        let mut left = i.saturating_add(1);
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (y, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let value =
                last.saturating_add(usize::from(x != y)).min(left.saturating_add(1)).min(cell.saturating_add(1));
            last = *cell;
            *cell = value;
            left = value;
        }
    }
    row.last().copied().unwrap_or(0)
}

/// Whether the letters of a line are those of a version line, with at most one typo: `#ACAP version=1.0`.
#[inline]
pub(crate) fn is_nearly_version(line: &[u8]) -> bool {
    let rest = line.iter().position(|byte| *byte != b'#' && !is_space(*byte));
    let rest = rest.and_then(|start| line.get(start..)).unwrap_or(&[]);
    // A quick test that most comments fail: one typo leaves one of the first two letters in its place or beside it.
    let may_begin = |place: usize| matches!(rest.get(place), Some(b'a' | b'A' | b'c' | b'C'));
    if rest.first().is_some_and(u8::is_ascii_alphanumeric) && !may_begin(0) && !may_begin(1) {
        return false;
    }
    is_nearly_bare_version(rest)
}

/// The same of a comment without the signs and blanks before it.
fn is_nearly_bare_version(rest: &[u8]) -> bool {
    const KEYWORD: &str = "acapversion";
    /// Octets searched for the version number.
    const LONGEST: usize = 64;
    let first = rest.iter().take(5).filter(|byte| matches!(byte.to_ascii_lowercase(), b'a' | b'c' | b'p')).count();
    if first < 3 {
        return false;
    }
    let head = rest.get(..LONGEST.min(rest.len())).unwrap_or(rest);
    let digit = |place: usize| rest.get(place).is_some_and(u8::is_ascii_digit);
    let begins = |place: usize| {
        let dot = (place..rest.len()).find(|place| !digit(*place)).filter(|dot| *dot > place)?;
        (rest.get(dot) == Some(&b'.') && digit(dot.saturating_add(1))).then_some(place)
    };
    let Some(number) = (0..head.len()).find_map(begins) else { return false };
    let text = String::from_utf8_lossy(rest.get(..number).unwrap_or(rest)).into_owned();
    let letters = text.chars().filter(|letter| letter.is_alphanumeric());
    slip(&letters.map(|letter| letter.to_ascii_lowercase()).collect::<String>(), KEYWORD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_one_of_four() {
        for slipped in ["indx", "iindex", "indey", "idnex", "index", "nidex", "inde", "indexé", "ändex"] {
            assert!(slip(slipped, "index") && slip("index", slipped), "{slipped}");
        }
        for other in ["inx", "indexes", "nidxe", "xedni", "", "ixdne"] {
            assert!(!slip(other, "index") && !slip("index", other), "{other}");
        }
    }

    #[test]
    fn what_prohibits_is_within_two_slips() {
        for word in
            ["disallow", "dissallow", "disalow", "disallowed", "diasllow", "sallow", "ds-allow", "idsallwo", "deny"]
        {
            assert!(matches!(verb(&fold(word)), Some((Verb::Disallow, _))), "{word}");
        }
        assert_eq!(verb("allow"), Some((Verb::Allow, 0)));
        assert_eq!(verb("alow"), Some((Verb::NearlyAllow, 1)));
        assert_eq!(verb("permit"), None);
    }
}
