//! Who asks: names out of User-Agent strings.

use std::collections::HashSet;
use std::sync::OnceLock;

use crate::limits::NAMES;
use crate::octets::{is_name, is_space};

/// Whether a text is a User-Agent string and not a name.
pub(crate) fn is_user_agent(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'/' | b'(' | b')' | b';') || is_space(byte))
}

/// Products of browsers' strings, and systems they run on, in the places where crawlers put their names.
const NO_CRAWLERS: [&str; 12] = [
    "Android",
    "Chrome",
    "Firefox",
    "iPhone",
    "Linux",
    "Macintosh",
    "Mozilla",
    "MSIE",
    "Safari",
    "Trident",
    "Windows",
    "X11",
];

/// The names of known crawlers in lower case, one a line, as `crawlers.json` has them.
pub(crate) const LISTED: &str = include_str!("crawlers.txt");

fn is_listed(name: &str) -> bool {
    static NAMES: OnceLock<HashSet<&'static str>> = OnceLock::new();
    NAMES.get_or_init(|| LISTED.lines().collect()).contains(&*name.to_ascii_lowercase())
}

/// The name a text asks for: itself, or the product that a User-Agent string puts forward.
///
/// The leading product, but for `(compatible; name/1.0`: phones' strings have that behind their own. Of a `Mozilla/…`
/// string the name after `compatible;` (or a `:` for the `;`), else the product of the last comment that has one, else the name after a `;`
/// behind the comments, else the first name of a known crawler, else none.
pub fn name_of(text: &str) -> Option<&str> {
    let text = text.trim_ascii();
    put_forward(text).or_else(|| listed_in(text).next())
}

/// The other names in a User-Agent string by which a policy may mean who sends it: the leading product, but for those of
/// browsers, and the names of known crawlers; each once. Of more than `NAMES` one more is told: too many.
pub fn other_names(text: &str) -> Vec<&str> {
    let text = text.trim_ascii();
    let mut out: Vec<&str> = Vec::new();
    if !is_user_agent(text) {
        return out;
    }
    let first = name_of(text);
    for name in named(text).into_iter().chain(listed_in(text)) {
        if out.len() > NAMES {
            break;
        }
        if ![first].into_iter().flatten().chain(out.iter().copied()).any(|known| known.eq_ignore_ascii_case(name)) {
            out.push(name);
        }
    }
    out
}

/// The names of known crawlers that stand in a string as a word, or as a product, behind whatever sign. `like Googlebot`
/// is another.
fn listed_in(text: &str) -> impl Iterator<Item = &str> {
    let mut before = "";
    const DIVIDING: &str = "()[];,\"'<>";
    let words = text.split(|letter: char| DIVIDING.contains(letter) || is_blank(letter));
    words.filter(|word| !word.is_empty()).filter_map(move |word| {
        let is_like = std::mem::replace(&mut before, word).eq_ignore_ascii_case("like");
        let begins = |letter: char| letter.is_ascii() && is_name(letter as u8);
        named(word.trim_start_matches(|letter| !begins(letter))).filter(|name| !is_like && is_listed(name))
    })
}

/// Whether a text is meant as a name, and only a part of it would count: it has a letter that no name has, nothing of a
/// User-Agent string but white space, and no known crawler stands in it. `*` is nobody's name.
pub fn is_cut(text: &str) -> bool {
    let text = text.trim_ascii();
    let is_string = text.bytes().any(|byte| matches!(byte, b'/' | b'(' | b')' | b';'));
    !(text.bytes().all(is_name) || is_string || text == "*" || is_listed(text) || listed_in(text).next().is_some())
}

fn put_forward(text: &str) -> Option<&str> {
    // As a line's name counts up to its first foreign octet, so does the name asked for.
    let leading = product(text);
    if !is_user_agent(text) {
        return leading;
    }
    let lower = text.to_ascii_lowercase();
    let behind_word = lower.match_indices("compatible").map(|(at, word)| at.saturating_add(word.len()));
    let mut compatible = behind_word
        .filter(|at| lower.get(*at..).is_some_and(|rest| rest.starts_with([';', ':'])))
        .map(|at| part(text, at.saturating_add(1)));
    if !leading.is_some_and(|name| name.eq_ignore_ascii_case("mozilla")) {
        return compatible.find_map(versioned).or(leading);
    }
    let mut comments = text.rmatch_indices('(').map(|(open, _)| until(text, open.saturating_add(1), &['(', ')']));
    let behind = until(text, text.rfind(')').map_or(0, |close| close.saturating_add(1)), &['(', '[']);
    compatible
        .find_map(named)
        .or_else(|| comments.find_map(|comment| comment.split([';', ',']).find_map(versioned)))
        .or_else(|| behind.split(';').skip(1).find_map(named))
}

/// The text from a place to the first of these marks.
fn until<'a>(text: &'a str, from: usize, marks: &[char]) -> &'a str {
    text.get(from..).and_then(|rest| rest.split(marks).next()).unwrap_or_default()
}

/// The part of a comment that begins at a place.
fn part(text: &str, from: usize) -> &str {
    until(text, from, &['(', ')', ';', ','])
}

/// The crawler that a part begins with; an address is none.
fn named(part: &str) -> Option<&str> {
    let name = product(part)?;
    let is_address = matches!(trimmed(part).as_bytes().get(name.len()), Some(b':' | b'@'));
    (!is_address && !NO_CRAWLERS.iter().any(|word| name.eq_ignore_ascii_case(word))).then_some(name)
}

/// The crawler that a part begins with, if it is written as a product is: `name/1.0`.
fn versioned(part: &str) -> Option<&str> {
    named(part).filter(|name| trimmed(part).as_bytes().get(name.len()) == Some(&b'/'))
}

fn product(text: &str) -> Option<&str> {
    let text = trimmed(text);
    let end = text.bytes().position(|byte| !is_name(byte)).unwrap_or(text.len());
    text.get(..end).filter(|name| !name.is_empty())
}

fn trimmed(text: &str) -> &str {
    text.trim_matches(is_blank)
}

fn is_blank(letter: char) -> bool {
    letter.is_ascii() && is_space(letter as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_strings_put_a_crawler_forward() {
        let cases = [
            ("mybot/1.0", Some("mybot")),
            ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", Some("Googlebot")),
            (
                "Mozilla/5.0 (Mac) AppleWebKit/605 (KHTML, like Gecko) Version/13 Safari/605 (Applebot/0.1; +http://x)",
                Some("Applebot"),
            ),
            ("Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.0; +https://x)", Some("GPTBot")),
            (
                "Mozilla/5.0 (X11; Linux; Storebot-Google/1.0) AppleWebKit/1 (KHTML, like Gecko)",
                Some("Storebot-Google"),
            ),
            ("Mozilla/5.0 (Linux; Android 5.0; SM-G900P Build/LRX21T) Safari/1; Bytespider", Some("Bytespider")),
            ("SAMSUNG-SGH-E250/1.0 (GUI) (compatible; Googlebot-Mobile/2.1; +http://x)", Some("Googlebot-Mobile")),
            ("Mozilla/5.0 (compatible; Linux x86_64; Mail.RU_Bot/2.0; +http://x)", Some("Mail.RU_Bot")),
            ("Mozilla/5.0 (compatible; a@b.example; https://x) (+http://x/y)", None),
            ("mybot/1.0 (compatible; Mozilla/5.0; https://x)", Some("mybot")),
            ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/1 Safari/537.36", None),
            ("Mozilla/5.0 (Windows NT 6.1) AppleWebKit/534+ (KHTML, like Gecko) BingPreview/1.0b", Some("BingPreview")),
            ("Mozilla/5.0 (X11; Linux) Gecko/1 like Googlebot", None),
            ("SearchBot1", Some("SearchBot1")),
            ("(compatible: Zorkbot/1.0)", Some("Zorkbot")),
            ("\"GPTBot/1.2\"", Some("GPTBot")),
            ("@GPTBot/1.2", Some("GPTBot")),
            ("\u{201C}GPTBot\u{201D}", Some("GPTBot")),
            ("'Zorkbot/1.0'", None),
            ("(me@gptbot.example)", None),
            ("*", None),
        ];
        for (text, name) in cases {
            assert_eq!(name_of(text), name, "{text}");
        }
    }

    #[test]
    fn a_name_that_would_be_cut_is_seen() {
        for text in ["shop bot!", "b\u{F6}t", "!!!", "shop*", "my crawler"] {
            assert!(is_cut(text), "{text}");
        }
        for text in ["*", " shopbot ", "shop-bot_2.x", "Kangaroo Bot", "GPTBot*", "\u{201C}GPTBot\u{201D}", "shop/1.0"]
        {
            assert!(!is_cut(text), "{text}");
        }
        for text in ["Embedly +support@embed.ly", "Mozilla/5.0 (X11; Linux)", "robot;Owler;x@owler-inc.com"] {
            assert!(!is_cut(text), "{text}");
        }
    }

    #[test]
    fn a_string_has_further_names() {
        let cases: [(&str, &[&str]); 7] = [
            ("GPTBot", &[]),
            ("GPTBot/1.2 (compatible; Other/1.0)", &["GPTBot"]),
            ("SAMSUNG-SGH-E250/1.0 (GUI) (compatible; Googlebot-Mobile/2.1; +http://x)", &["SAMSUNG-SGH-E250"]),
            ("Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)", &["Slurp"]),
            ("Mozilla/5.0 (compatible; Foo; GPTBot/1.2)", &["GPTBot"]),
            ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", &[]),
            ("FreshRSS/1.11.2 (Linux; https://freshrss.org) like Googlebot", &[]),
        ];
        for (text, names) in cases {
            assert_eq!(other_names(text), names, "{text}");
        }
    }

    #[test]
    fn a_name_that_is_repeated_counts_once() {
        let text = format!("Foo/1.0 ({}GPTBot)", "Bingbot; ".repeat(1_000));
        assert_eq!(other_names(&text), ["Bingbot", "GPTBot"]);
        let all = format!("Foo/1.0 ({})", LISTED.replace('\n', "; "));
        assert_eq!(other_names(&all).len(), NAMES + 1);
    }
}
