//! What the text of a page shows at a glance, so that most pages need not be looked through.
//!
//! Laws: what a tree can hold is mentioned in its text; the converse need not hold. A tree that is said to be simple
//! costs little, whatever the text is; one that is not said to be so may cost little all the same ([`crate::cost`]
//! tells).

use memchr::{memchr, memchr_iter, memchr3_iter, memmem};

/// What a page's text may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Upper bound on the number of META elements.
    pub metas: usize,
    /// A class attribute may have a token of ACAP's.
    pub acap: bool,
    /// One may have it only if some `<meta` begins no META element.
    pub acap_in_metas: bool,
    /// An element may have `data-nosnippet`.
    pub nosnippet: bool,
    /// There may be a TEMPLATE.
    pub templates: bool,
    /// The type of RSL's licences is mentioned.
    pub licences: bool,
    /// Building the tree costs little: too few tags for more.
    pub simple: bool,
}

/// Texts up to this length may be simple; the work of appending text before a table grows with its square.
const OCTETS: usize = 256 * 1024;
/// Most tags of a simple text: each may search a stack of all tags before it.
const TAGS: usize = 6_000;
/// Most elements that repairing the markup of a simple text may add.
const COPIES: usize = 1_000_000;
/// Of formatting elements without attributes three of each name are rebuilt (HTML 13.2.4.3).
const ALIKE: usize = 42;
/// Up to this length a tag has too few attributes to matter; they are compared with each other.
const LENGTH: usize = 4 * 1024;
/// Most comparisons of attributes for a simple text.
const COMPARED: usize = 100_000_000;

const FORMATTING: [&[u8]; 8] = [b"em", b"tt", b"big", b"code", b"font", b"small", b"strike", b"strong"];

/// A bit for each pair of octets behind a `<` that begins the name of a tag that matters; this one has it first.
fn first_of(octet: u8) -> u8 {
    match octet | 0x20 {
        b'm' => 1,
        b'b' => 2 | 16,
        b'i' | b'u' => 2,
        b's' => 2 | 64 | 128,
        b'e' => 4,
        b't' => 8 | 128,
        b'c' | b'f' => 32,
        _ => 0,
    }
}

/// The same of the octet behind it.
fn second_of(octet: u8) -> u8 {
    match octet {
        b'e' | b'E' => 1 | 128,
        b'\t' | b'\n' | 0x0C | b'\r' | b' ' | b'/' => 2,
        b'm' | b'M' => 4 | 64,
        b't' | b'T' => 8 | 64,
        b'i' | b'I' => 16,
        b'o' | b'O' => 32,
        _ => 0,
    }
}

pub fn survey(html: &[u8]) -> Survey {
    let mut found = Survey::default();
    let (mut tags, mut formatting, mut compared, mut last) = (0usize, 0usize, 0usize, 0usize);
    let (mut odd, mut verbs_of_metas) = (false, 0usize);
    for at in near_each_other(html, b'<') {
        tags = tags.saturating_add(1);
        if at.saturating_sub(last) > LENGTH {
            compared = compared.saturating_add(pairs(html.get(last..at).unwrap_or(&[])));
        }
        last = at;
        // Most tags are told apart by two letters.
        let Some([first, second, ..]) = html.get(at.saturating_add(1)..) else { continue };
        if first_of(*first) & second_of(*second) == 0 {
            continue;
        }
        match (first | 0x20, second | 0x20) {
            (b'm', b'e') if begins(html, at.saturating_add(1), b"meta") => {
                found.metas = found.metas.saturating_add(1);
                verbs_of_metas = verbs_of_metas.saturating_add(verbs_without_class(piece(html, at)));
            }
            (b'b' | b'i' | b'u' | b's', _) if ends_name(*second) => formatting = formatting.saturating_add(1),
            (b'e', b'm') | (b't', b't') | (b'b', b'i') | (b'c' | b'f', b'o') | (b's', b'm' | b't') => {
                let name = html.get(at.saturating_add(1)..).unwrap_or(&[]);
                formatting = formatting.saturating_add(usize::from(is_formatting(name)));
            }
            (b't', b'e') => found.templates |= begins(html, at.saturating_add(1), b"template"),
            (b's', b'e') => odd |= begins(html, at.saturating_add(1), b"selectedcontent"),
            _ => {}
        }
    }
    compared = compared.saturating_add(pairs(html.get(last..).unwrap_or(&[])));
    // A text may stand before and after each tag, and begin by rebuilding what is open.
    let copies = tags.saturating_mul(2).saturating_mul(formatting.saturating_add(ALIKE));
    found.simple = !odd && html.len() <= OCTETS && tags <= TAGS && copies <= COPIES && compared <= COMPARED;
    for at in memchr3_iter(b':', b'&', b'+', html) {
        match html.get(at..).unwrap_or(&[]) {
            [b'+', ..] => found.licences |= stands(html, b"rsl+xml", 3, at),
            // A letter of these words, of a verb too, may be written as a character reference. So may the colon.
            [b'&', b'#', number @ ..] if spells(number) => (found.acap, found.licences) = (true, true),
            [b'&', b'p', b'l', b'u', b's', b';', ..] => found.licences = true,
            // A colon may have changed places with the verb's first letter.
            _ if matches!(near(html, at.wrapping_sub(1)), b'p' | b'a') => {
                found.acap |= stands(html, b"acap", 4, at) || stands(html, b"acapa", 5, at);
            }
            _ => {}
        }
    }
    let is_nosnippet = |at: usize| near(html, at.wrapping_add(1)) == b'n' && stands(html, b"data-nosnippet", 4, at);
    found.nosnippet = memchr_iter(b'-', html).any(is_nosnippet);
    let verbs = verbs(html);
    // A META element in an option may be there twice.
    found.acap |= verbs > verbs_of_metas || (odd && verbs > 0);
    found.acap_in_metas = verbs > 0;
    found
}

/// Whether a word stands in octets.
pub fn mentions(octets: &[u8], word: &[u8]) -> bool {
    memmem::find(octets, word).is_some()
}

/// A text from a `<` up to the next.
fn piece(html: &[u8], at: usize) -> &[u8] {
    let tail = html.get(at..).unwrap_or(&[]);
    let end = memchr(b'<', tail.get(1..).unwrap_or(&[])).map_or(tail.len(), |length| length.saturating_add(1));
    tail.get(..end).unwrap_or(tail)
}

/// How often a verb stands in a text that a class token may have. Where its prefix has slipped, the verb has not.
fn verbs(text: &[u8]) -> usize {
    /// Octets examined together.
    const RUN: usize = 128;
    let is_low = |((first, second), third): ((&u8, &u8), &u8)| {
        (first | 0x20 == b'l') & (second | 0x20 == b'o') & (third | 0x20 == b'w')
    };
    let is_verb =
        |at: &usize| near(text, *at) == b'w' && (stands(text, b"allow-", 4, *at) || stands(text, b"isallow", 6, *at));
    let (seconds, thirds) = (text.get(1..).unwrap_or(&[]), text.get(2..).unwrap_or(&[]));
    let runs = text.chunks(RUN).zip(seconds.chunks(RUN)).zip(thirds.chunks(RUN)).zip((2usize..).step_by(RUN));
    runs.map(|(((first, second), third), from)| {
        // No run breaks off at the first one, so that many octets are compared at once.
        let is_any = first.iter().zip(second).zip(third).fold(false, |any, one| any | is_low(one));
        if is_any { (from..from.saturating_add(RUN)).filter(is_verb).count() } else { 0 }
    })
    .sum()
}

/// The places of an octet that is in every line of a text: eight octets are examined together.
fn near_each_other(text: &[u8], octet: u8) -> impl Iterator<Item = usize> + '_ {
    const LOW: u64 = u64::from_ne_bytes([0x7F; 8]);
    let wanted = u64::from_le_bytes([octet; 8]);
    let (words, rest) = text.as_chunks();
    let mut words = words.iter().copied().chain(std::iter::once(padded(rest)));
    let (mut found, mut behind) = (0u64, 0usize);
    std::iter::from_fn(move || {
        while found == 0 {
            let others = u64::from_le_bytes(words.next()?) ^ wanted;
            // The high bit of each octet that is zero.
            found = !((others & LOW).wrapping_add(LOW) | others | LOW);
            behind = behind.wrapping_add(8);
        }
        let place = found.trailing_zeros() / 8;
        found &= found.wrapping_sub(1);
        Some(behind.wrapping_sub(8).wrapping_add(place as usize))
    })
}

/// The last octets of a text, with zeros behind them.
fn padded(rest: &[u8]) -> [u8; 8] {
    let mut word = [0; 8];
    word.iter_mut().zip(rest).for_each(|(to, octet)| *to = *octet);
    word
}

/// The verbs of a tag that has no class attribute.
fn verbs_without_class(tag: &[u8]) -> usize {
    let has_class = || tag.windows(5).any(|word| word.eq_ignore_ascii_case(b"class"));
    match verbs(tag) {
        count if count > 0 && has_class() => 0,
        count => count,
    }
}

/// Comparisons of the attributes of a tag, if what stands between two `<` is one: each begins after white space, a
/// slash or a quotation mark.
fn pairs(between: &[u8]) -> usize {
    if between.len() <= LENGTH {
        return 0;
    }
    let begins = |octet: &&u8| ends_name(**octet) || matches!(octet, b'"' | b'\'');
    let count = between.iter().filter(begins).count();
    count.saturating_mul(count) / 2
}

/// What a name ends at that attributes may follow.
fn ends_name(octet: u8) -> bool {
    matches!(octet, b' ' | b'\t' | b'\n' | 0x0C | b'\r' | b'/')
}

/// Whether a formatting element begins that may have attributes; without them few are rebuilt. Those of one letter
/// aside.
fn is_formatting(name: &[u8]) -> bool {
    let known = FORMATTING.iter().find(|known| begins(name, 0, known));
    known.and_then(|known| name.get(known.len())).is_some_and(|next| ends_name(*next))
}

fn begins(text: &[u8], at: usize, word: &[u8]) -> bool {
    text.get(at..at.saturating_add(word.len())).is_some_and(|head| head.eq_ignore_ascii_case(word))
}

/// The octet at a place, of a letter in lower case: most words can be told by one beside what was found.
#[inline]
fn near(text: &[u8], at: usize) -> u8 {
    text.get(at).map_or(0, |octet| octet | 0x20)
}

/// Whether a word stands around a place, which is that many octets behind its beginning.
fn stands(text: &[u8], word: &[u8], before: usize, at: usize) -> bool {
    at.checked_sub(before).is_some_and(|at| begins(text, at, word))
}

/// Whether the number of a character reference is that of a letter or sign of the words that are looked for.
fn spells(text: &[u8]) -> bool {
    let (digits, base) = match text {
        [b'x' | b'X', rest @ ..] => (rest, 16),
        _ => (text, 10),
    };
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    let digits = digits.get(zeros..).unwrap_or(&[]);
    let length = digits.iter().take(4).take_while(|digit| char::from(**digit).is_digit(base)).count();
    let number = digits.get(..length).and_then(|digits| std::str::from_utf8(digits).ok());
    let number = number.and_then(|digits| u32::from_str_radix(digits, base).ok());
    let letter = number.and_then(char::from_u32);
    letter.is_some_and(|letter| letter.is_ascii_alphabetic() || matches!(letter, '+' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_tree_can_hold_is_mentioned() {
        let acap = |text: &str| survey(text.as_bytes()).acap;
        assert!(acap("<p class=the-ACAP:disallow-index>"));
        assert!(acap("<p class=x,the-acap:disallow-index>"));
        assert!(acap("<p class='the-&#97;cap:disallow-index'>"));
        assert!(acap("<p class='the-ac&#x00041;p:disallow-index'>"));
        assert!(acap("<p class='the-acap&colon;disallow-index'>"));
        assert!(acap("<p class='the-acp:dis&#97;ll&#x6f;w-index'>"));
        assert!(!acap("<p class=capable>&#8217;&#39;&#960;</p><meta content='ACAP allowed'>"));
        assert!(acap("<meta><p class='the-apca:disAllow-index'>"));
        assert!(acap("<meta class='the-apca:disallow-index'>"));
        assert!(acap("<p class='the-acapa:llow-index'>"));
        assert!(acap("<p class='the-acp:disaLLow-index'>"));
        let within = survey(b"<!-- <meta content='ACAP disallow-index'> --><p class=x>");
        assert!(!within.acap && within.acap_in_metas);
        assert!(survey(b"<Template>").templates && survey(b"type='application/RSL+xml'").licences);
        let licences = |text: &str| survey(text.as_bytes()).licences;
        assert!(licences("type='application/rsl&plus;xml'") && licences("type='application/rsl&#0043xml'"));
        assert!(licences("type='application/&#x52;sl+xml'") && !licences("type='application/rss&#39;+xml'"));
        assert!(survey(b"<p DATA-nosnippet>").nosnippet);
        assert!(!survey(b"data-snippet nosnippet").nosnippet);
        assert_eq!(survey(b"<meta><META x><!-- <metal> -->").metas, 3);
    }

    #[test]
    fn what_stands_anywhere_is_found() {
        for before in 0..300 {
            let text = format!("<{}disaLLow-index<x<", " ".repeat(before));
            let wanted = [0, before + 15, before + 17];
            assert_eq!((verbs(text.as_bytes()), text.len()), (1, before + 18));
            assert_eq!(near_each_other(text.as_bytes(), b'<').collect::<Vec<_>>(), wanted);
        }
        assert_eq!(near_each_other(&[b'<'; 21], b'<').collect::<Vec<_>>(), (0..21).collect::<Vec<_>>());
        let each = |text: &[u8]| near_each_other(text, b'<').count();
        assert_eq!((each(b""), each(b"<"), each(b"\xbc\x3d\x3b\x00\xff<;=")), (0, 1, 1));
        assert_eq!(verbs("allow-".repeat(100).as_bytes()), 100);
    }

    #[test]
    fn what_costs_much_is_not_simple() {
        let simple = |text: String| survey(text.as_bytes()).simple;
        assert!(simple("<p><b class=x>text</b> <a href=y>link</a></p>".repeat(200)));
        let fonts: String = (0..600).map(|number| format!("<font color={number}>")).collect();
        assert!(!simple(format!("<p>{fonts}{}", "<p>x".repeat(1_000))));
        assert!(!simple("<div>".repeat(10_000)));
        let attributes: String = (0..20_000).map(|number| format!(" a{number}")).collect();
        assert!(!simple(format!("<p x='>'{attributes}>")));
        assert!(!simple("<SelectedContent>".to_owned()));
    }
}
