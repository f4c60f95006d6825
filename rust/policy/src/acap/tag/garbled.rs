//! A content with several slips: what it prohibits is unknown, so it prohibits everything.

use super::mark::{is_blank, is_joint, is_quote, trim_end};
use crate::acap::name::{Name, UsageName, VERBS, normal_text, stated, words as parts};
use crate::restrictions;

const MARKS: [char; 2] = [',', ';'];

/// Whether what follows the mark has more slips than one; that a comma stands before a word is one, however often.
pub(super) fn is_garbled(rest: &str) -> bool {
    let words = rest.trim_start_matches(|letter| is_joint(letter) || is_blank(letter)).split(is_blank);
    let mut words = words.filter(|word| !word.is_empty()).peekable();
    let (mut slips, mut leads) = (0usize, false);
    while let Some(word) = words.next() {
        leads = leads || trim_end(word).starts_with(MARKS);
        // A blank for the hyphen is none.
        let is_verb = VERBS.iter().any(|verb| word.eq_ignore_ascii_case(verb));
        if !(is_verb && words.peek().is_some_and(|next| !next.starts_with(MARKS))) {
            slips = slips.saturating_add(slips_of(trim_end(word)));
        }
    }
    slips.saturating_add(usize::from(leads)) > 1
}

/// The slips of a word without the marks behind it: its pieces that are near to a statement and none, or may be a part
/// of one; the marks between pieces, unless they are a list of usages; and values of what has none.
fn slips_of(word: &str) -> usize {
    let value = word.split_once('=');
    if value.is_some_and(|(name, _)| is_qualifier(&normal_text(name.as_bytes()))) {
        return 0;
    }
    let pieces = || word.split(MARKS).filter(|piece| !piece.is_empty());
    if pieces().next().is_none() {
        return 1;
    }
    let marks = word.trim_start_matches(MARKS).matches(MARKS).count();
    let is_empty = |piece: &str| marks > 0 && !piece.contains(char::is_alphanumeric);
    let is_listed = |piece: &str| UsageName::of(&normal_text(piece.as_bytes())).needs_no_guess() || is_statement(piece);
    let odd = pieces().filter(|piece| is_odd(piece) || is_empty(piece)).count();
    let valued = pieces().filter_map(|piece| piece.split_once('=')).filter(|(name, _)| is_statement(name)).count();
    let marks = if pieces().all(is_listed) { 0 } else { marks };
    let leads = usize::from(word.starts_with(MARKS) && value.is_some());
    odd.saturating_add(marks).saturating_add(valued).saturating_add(leads)
}

/// Whether a word before a statement may be a purpose, and is no slip.
pub(super) fn is_purpose(word: &str) -> bool {
    !(is_odd(word) || word.contains([',', ';', '=', '(']) || word.to_ascii_lowercase().contains("allow"))
}

/// Whether a word is near to a statement and none, or may be a part of one.
fn is_odd(word: &str) -> bool {
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    let text = normal_text(name.as_bytes());
    if is_qualifier(&text) {
        return false;
    }
    if VERBS.iter().any(|verb| text.strip_prefix(verb).is_some_and(|rest| rest.starts_with('-'))) {
        return name.len() < word.len() || !is_statement(name);
    }
    let letters: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    let is_part = !letters.is_empty() && "disallow".contains(&letters);
    let names = || stated(&parts(name.as_bytes()), true);
    name.contains(is_quote) || is_part || matches!(names(), Some((Name::Allow(_) | Name::Disallow(_), _)))
}

/// Whether a word is a statement as it should be, of whatever usage.
fn is_statement(word: &str) -> bool {
    let text = normal_text(word.as_bytes());
    let usage = VERBS.iter().find_map(|verb| text.strip_prefix(verb)?.strip_prefix('-'));
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '(' | ')');
    usage.is_some_and(|usage| !usage.is_empty() && usage.chars().all(is_name))
}

fn is_qualifier(name: &str) -> bool {
    restrictions::TABLE.iter().any(|row| row.name == name)
}
