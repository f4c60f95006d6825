//! Prohibitions recognised by their letters alone, whatever a typo has inserted, divided or joined (semantics 1, law
//! c).
//!
//! Laws: every text that is one typo from a mark, a verb and a usage is found, whether the typo is in a letter, a sign
//! or a blank. The statements found here only prohibit. The work is linear in the text.

use super::spelling::{FOLDED, fold, slip};
use crate::usage::{COMPOSITES, Usage};
use std::sync::LazyLock;

const VERB: &str = "disallow";
const PERMITTING: &str = "allow";
const MARKS: [&str; 2] = ["acap", "theacap"];
/// Stands for any letter beyond ASCII. No keyword has it, and it is one octet, so that places are octets.
const ODD: char = '?';

/// The letters and digits of a text in lower case, and where words begin in them.
pub(super) struct Letters {
    text: String,
    begins: Vec<usize>,
    /// Number of signs that no keyword has.
    signs: usize,
}

impl Letters {
    pub(super) fn of(text: &str) -> Self {
        let mut out = Self { text: String::with_capacity(text.len()), begins: Vec::new(), signs: 0 };
        let mut within = false;
        for letter in text.chars() {
            let counts = letter.is_alphanumeric();
            if counts && !within {
                out.begins.push(out.text.len());
            }
            if counts {
                out.text.push(if letter.is_ascii() { letter.to_ascii_lowercase() } else { ODD });
            }
            within = counts;
            out.signs = out.signs.saturating_add(usize::from(!counts && !matches!(letter, '-' | ':' | '_' | ' ')));
        }
        out
    }

    /// Whether it may contain a verb of prohibition, exact or misspelt: a quick test that most texts fail.
    fn may_prohibit(&self) -> bool {
        ["disa", "llow", "dislalow"].iter().any(|half| self.text.contains(half))
    }

    /// The usages prohibited after the first word that begins like a mark, with at most one typo; none without such a
    /// word.
    pub(super) fn marked(&self) -> Option<Vec<Usage>> {
        if !self.may_prohibit() {
            return None;
        }
        let starts = |rest: &str| MARKS.iter().any(|mark| begins(rest, mark));
        let place = self.begins.iter().copied().find(|place| self.text.get(*place..).is_some_and(starts))?;
        let found = prohibited(self.text.get(place..)?);
        (!found.is_empty()).then_some(found)
    }

    /// The known usages that it prohibits, wherever their verbs stand.
    pub(super) fn prohibited(&self) -> Vec<Usage> {
        if self.may_prohibit() { prohibited(&self.text) } else { Vec::new() }
    }

    /// The usages that it prohibits if it is nothing but a mark, a verb and a usage, with at most one typo in all.
    pub(super) fn whole(&self) -> Vec<Usage> {
        if self.may_prohibit() { self.among(&PROHIBITED) } else { Vec::new() }
    }

    /// The usages that it permits if it is nothing but a mark, a verb and a usage, with at most one typo.
    pub(super) fn whole_permission(&self) -> Vec<Usage> {
        // One typo leaves either the mark or the verb intact.
        let may_permit = self.text.contains(PERMITTING) || MARKS.iter().any(|mark| self.text.starts_with(mark));
        if may_permit { self.among(&PERMITTED) } else { Vec::new() }
    }

    /// The usages of the forms that it equals, or is one typo from.
    fn among(&self, forms: &[Form]) -> Vec<Usage> {
        /// Longer texts match no form.
        const LONGEST: usize = 40;
        if self.text.len() > LONGEST {
            return Vec::new();
        }
        let is = |form: &str| {
            // A sign may replace the missing letter; beside another typo it would be a second one.
            let signs = usize::from(self.text.len() < form.len());
            let may_be = self.text.len().abs_diff(form.len()) <= 1;
            may_be && (self.text == form || (self.signs <= signs && slip(&self.text, form)))
        };
        let found = forms.iter().filter(|(form, _)| is(form));
        let mut out: Vec<Usage> = found.flat_map(|(_, usages)| usages.iter().copied()).collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Whether it begins with one of these names, with at most one typo.
    pub(super) fn begins_as<'n>(&self, mut names: impl Iterator<Item = &'n str>) -> bool {
        names.any(|name| begins(&self.text, &fold(name)))
    }

    /// Whether it is an exact mark, and nothing else.
    pub(super) fn is_mark(&self) -> bool {
        MARKS.contains(&self.text.as_str())
    }
}

/// Whether the letters and signs of a line begin as a mark does, with at most one typo. What divides words is left out,
/// and so is what is not ASCII: a letter less is one typo, and where one was inserted it is none.
pub(super) fn begin_as_mark(line: &[u8]) -> bool {
    /// Letters of the longer mark with one more.
    const LONGEST: usize = 8;
    let counts = |octet: &&u8| octet.is_ascii_graphic() && !matches!(octet, b'-' | b'_' | b':');
    let letters: String =
        line.iter().filter(counts).take(LONGEST).map(|octet| char::from(octet.to_ascii_lowercase())).collect();
    MARKS.iter().any(|mark| begins(&letters, mark))
}

/// Whether a text begins with a word, with at most one typo. Both are letters, digits and signs of ASCII.
fn begins(text: &str, word: &str) -> bool {
    let (text, word) = (text.as_bytes(), word.as_bytes());
    let same = text.iter().zip(word).take_while(|(a, b)| a == b).count();
    let (text, word) = (text.get(same..).unwrap_or(&[]), word.get(same..).unwrap_or(&[]));
    let missing = word.get(1..).unwrap_or(&[]);
    let rest = text.get(1..).unwrap_or(&[]);
    let exchanged = || match (text, word) {
        ([a, b, text @ ..], [c, d, word @ ..]) => a == d && b == c && text.starts_with(word),
        _ => false,
    };
    missing.is_empty()
        || text.starts_with(missing)
        || rest.starts_with(missing)
        || rest.starts_with(word)
        || exchanged()
}

/// A folded prohibition or permission, and its usages.
type Form = (String, Vec<Usage>);

/// Each prohibition, plurals too.
static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| forms(VERB));

fn forms(verb: &str) -> Vec<Form> {
    let known = FOLDED.iter().flat_map(|one| {
        let names = std::iter::once(&one.name).chain(&one.plural);
        names.map(|name| (name.clone(), vec![one.usage]))
    });
    let several = COMPOSITES.iter().map(|(name, parts)| (fold(name), parts.to_vec()));
    known.chain(several).map(|(name, usages)| (format!("{verb}{name}"), usages)).collect()
}

/// Each prohibition after each mark.
static PROHIBITED: LazyLock<Vec<Form>> = LazyLock::new(|| marked(&FORMS));
/// Each permission after each mark.
static PERMITTED: LazyLock<Vec<Form>> = LazyLock::new(|| marked(&forms(PERMITTING)));

fn marked(forms: &[Form]) -> Vec<Form> {
    let marked = |(form, usages): &Form| MARKS.map(|mark| (format!("{mark}{form}"), usages.clone()));
    forms.iter().flat_map(marked).collect()
}

fn prohibited(text: &str) -> Vec<Usage> {
    let mut out = Vec::new();
    let mut at = 0usize;
    let rest = |at: usize| text.get(at..).unwrap_or("");
    while at < text.len() {
        // An exact verb counts before a misspelt one that begins a letter earlier or later.
        let exact = (0..=1).map(|more| at.saturating_add(more)).find(|at| rest(*at).starts_with(VERB));
        let place = exact.unwrap_or(at);
        if exact.is_none() && !begins(rest(place), VERB) {
            at = at.saturating_add(1);
            continue;
        }
        let near: Vec<&Form> = FORMS.iter().filter(|(form, _)| begins(rest(place), form)).collect();
        // `present` is not meant where `present-link` is.
        let longest = |form: &str| !near.iter().any(|(other, _)| other.len() > form.len() && other.starts_with(form));
        out.extend(near.iter().filter(|(form, _)| longest(form)).flat_map(|(_, usages)| usages));
        at = place.saturating_add(VERB.len().saturating_sub(1));
    }
    out.sort_unstable();
    out.dedup();
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acap::name::{after_mark, words};
    use crate::usage::{AI_INDEX, FOLLOW, INDEX, PRESENT, PRESENT_SNIPPET};

    #[test]
    fn letters_tell_what_signs_hide() {
        for text in
            ["ACAP (disallow-index", "AC,AP disallow=index", "x: ACA, dis allow (index)", "the-acap: disallowindex"]
        {
            assert_eq!(Letters::of(text).marked(), Some(vec![INDEX]), "{text}");
        }
        for text in ["disallow-index", "ACAP allow-index", "map of disarray", "ACAP disallow-me"] {
            assert_eq!(Letters::of(text).marked(), None, "{text}");
        }
    }

    #[test]
    fn a_word_is_begun_by_one_slip_as_slips_are_counted() {
        const LETTERS: [&str; 3] = ["a", "b", "x"];
        let mut texts = vec![String::new()];
        for _ in 0..6 {
            let longer = texts.iter().flat_map(|text| LETTERS.iter().map(move |letter| format!("{text}{letter}")));
            texts = std::iter::once(String::new()).chain(longer).collect();
        }
        for word in ["abba", "aab", "abab"] {
            for text in &texts {
                let ends = word.len() - 1..=word.len() + 1;
                let counted = ends.filter_map(|end| text.get(..end)).any(|head| slip(head, word));
                assert_eq!(begins(text, word), counted, "{text} {word}");
            }
        }
    }

    #[test]
    fn every_line_with_a_mark_begins_as_one() {
        const INSERTED: [&str; 10] = ["", "a", "C", "x", "é", ":", "-", " ", "(", "\u{2011}"];
        fn put(text: &str, from: usize, on: usize, inserted: &str) -> Option<String> {
            Some([text.get(..from)?, inserted, text.get(on..)?].concat())
        }
        for mark in MARKS {
            let edited = (0..=mark.len())
                .flat_map(|from| (from..=from + 2).flat_map(move |on| INSERTED.map(|text| put(mark, from, on, text))));
            let exchanged = (1..mark.len()).map(|at| {
                let mut letters = mark.to_owned().into_bytes();
                letters.swap(at - 1, at);
                String::from_utf8(letters).ok()
            });
            for text in edited.chain(exchanged).flatten() {
                for line in (0..=text.len()).flat_map(|at| INSERTED.map(|inserted| put(&text, at, at, inserted))) {
                    let Some(line) = line.map(|mark| mark + "-disallow-index: /") else { continue };
                    let is_marked = after_mark(&words(line.as_bytes())).is_some();
                    assert!(!is_marked || begin_as_mark(line.as_bytes()), "{line}");
                }
            }
        }
        assert!(!begin_as_mark(b"<p class=\"acap\">"));
    }

    #[test]
    fn the_longest_usage_is_meant() {
        let found = |text: &str| Letters::of(text).prohibited();
        assert_eq!(found("disallow-present-snipet"), [PRESENT_SNIPPET]);
        assert_eq!(found("xdisallow-present, disallow-follow"), [FOLLOW, PRESENT]);
        assert_eq!(found("disallow-aindex"), [INDEX, AI_INDEX]);
        assert_eq!(Letters::of("the-acap:dis(allow-index").whole(), [INDEX]);
        assert!(Letters::of("the-acap:disallow-index-it").whole().is_empty());
    }
}
