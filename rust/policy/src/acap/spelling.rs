//! What a misspelt name may have meant.

use super::field::About;
use crate::statement::Effect;
use crate::usage::{COMPOSITES, KNOWN, Usage};

/// The usages that the prohibition of a composite one, `search`, is about: all its parts, for it knows no other usage of
/// that name.
pub(super) fn parts_of(about: &About, effect: Effect) -> Option<&'static [Usage]> {
    let About::Unknown(name) = about else { return None };
    let (_, parts) = COMPOSITES.iter().find(|(known, _)| effect == Effect::Prohibits && known == name)?;
    Some(parts)
}

/// The known usage a misspelt prohibition is read as: the only one at edit distance one, else the nearest above.
pub(super) fn guess(name: &str) -> Option<Usage> {
    let usages = || (0..KNOWN.len()).filter_map(|place| u16::try_from(place).ok().map(Usage));
    let singular = match name.strip_suffix('s') {
        Some(stem) if name.starts_with("present-") => stem,
        _ => name,
    };
    let near =
        |usage: &Usage| usage.name().is_some_and(|known| distance_one(name, known) || distance_one(singular, known));
    let mut near = usages().filter(near);
    if let (Some(only), None) = (near.next(), near.next()) {
        return Some(only);
    }
    usages()
        .filter(|usage| {
            usage.name().is_some_and(|known| name.strip_prefix(known).is_some_and(|rest| rest.starts_with('-')))
        })
        .max_by_key(|usage| usage.name().map_or(0, str::len))
}

/// Whether one insertion, deletion or substitution makes one text the other.
pub(super) fn distance_one(a: &str, b: &str) -> bool {
    if a == b || a.len().abs_diff(b.len()) > char::MAX.len_utf8() {
        return false;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let same = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let tail = |text: &[char], skip: usize| text.get(same.saturating_add(skip)..).map(<[char]>::to_vec);
    match (a.len(), b.len()) {
        (x, y) if x == y => tail(&a, 1) == tail(&b, 1),
        (x, y) if x.saturating_add(1) == y => tail(&a, 0) == tail(&b, 1),
        (x, y) if x == y.saturating_add(1) => tail(&a, 1) == tail(&b, 0),
        _ => false,
    }
}

/// The name nearest to a misspelt one, for a suggestion.
pub(super) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    let near = known.map(|other| (distance(name, other), other)).min()?;
    let far = name.len().checked_div(3).unwrap_or(0).saturating_add(1);
    (near.0 <= far).then(|| near.1.to_owned())
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
