//! Who asks: names out of User-Agent strings.

use crate::octets::{is_name, is_space, trim};

/// Whether a text is a User-Agent string and not a name.
pub(crate) fn is_user_agent(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'/' | b'(' | b')' | b';') || is_space(byte))
}

/// The name a text asks for: itself, or the product that a User-Agent string puts forward.
///
/// The leading product name; of a `Mozilla/…` string the name after `compatible;`, else the first product of the last
/// comment, else none.
pub fn name_of(text: &str) -> Option<&str> {
    let text = text.trim_ascii();
    if !is_user_agent(text) {
        // As a line's name counts up to its first foreign octet, so does the name asked for.
        return product(text);
    }
    let leading = product(text);
    if !leading.is_some_and(|name| name.eq_ignore_ascii_case("mozilla")) {
        return leading;
    }
    let lower = text.to_ascii_lowercase();
    if let Some(at) = lower.find("compatible;") {
        let after = text.get(at.saturating_add("compatible;".len())..)?;
        if let Some(name) = product(after) {
            return Some(name);
        }
    }
    let open = text.rfind('(')?;
    let comment = text.get(open.saturating_add(1)..)?.split(')').next()?;
    comment.split([';', ',', ' ']).find(|word| word.contains('/')).and_then(product)
}

fn product(text: &str) -> Option<&str> {
    let text = std::str::from_utf8(trim(text.as_bytes())).ok()?;
    let end = text.bytes().position(|byte| !is_name(byte)).unwrap_or(text.len());
    text.get(..end).filter(|name| !name.is_empty())
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
            ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/1 Safari/537.36", None),
            ("SearchBot1", Some("SearchBot1")),
            ("*", None),
        ];
        for (text, name) in cases {
            assert_eq!(name_of(text), name, "{text}");
        }
    }
}
