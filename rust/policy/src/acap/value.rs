//! Values of ACAP fields: tokens, qualifiers, escapes (P1 4.5.6).

use super::field::{begins, begins_resource};
use crate::controls::is_control;
use crate::octets::{is_space, leading_name};

/// Tokens of a value; blanks around a `=` belong to the qualifier it makes, and a blank after a comma continues it.
pub(super) fn tokens(value: &[u8]) -> Vec<Vec<u8>> {
    let mut out: Vec<Vec<u8>> = Vec::new();
    // Whether the last token begins as a qualifier does: it grows, and is not looked through again each time.
    let mut qualifies = false;
    for token in value.split(|byte| is_space(*byte)).filter(|token| !token.is_empty()) {
        let last = out.last_mut().filter(|last| !begins_resource(last));
        match last {
            Some(last) if last.last() == Some(&b'=') || token.first() == Some(&b'=') => last.extend_from_slice(token),
            Some(last) if qualifies && last.last() == Some(&b',') => {
                last.push(b' ');
                last.extend_from_slice(token);
                continue;
            }
            _ => {
                out.push(token.to_vec());
                qualifies = false;
            }
        }
        qualifies = qualifies || out.last().is_some_and(|last| qualifier_name(last).is_some());
    }
    out
}

/// The name before the `=` of a qualifier.
pub(super) fn qualifier_name(token: &[u8]) -> Option<&str> {
    let end = memchr::memchr(b'=', token)?;
    let name = std::str::from_utf8(token.get(..end)?).ok()?;
    (!name.is_empty() && name.bytes().all(|byte| leading_name(&[byte]).len() == 1)).then_some(name)
}

/// Replaces `%xnnnn` by the character it stands for (P1 4.5.6).
pub fn unescape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find("%x").or_else(|| rest.find("%X")) {
        let (head, tail) = rest.split_at(at);
        out.push_str(head);
        let digits = tail.get(2..6).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32) {
            Some(letter) => {
                out.push(letter);
                rest = tail.get(6..).unwrap_or("");
            }
            None => {
                out.push_str(tail.get(..2).unwrap_or(""));
                rest = tail.get(2..).unwrap_or("");
            }
        }
    }
    out.push_str(rest);
    out
}

/// The letter after `ACAP`, by which most fields can be told apart.
pub(super) fn initial(line: &[u8]) -> u8 {
    let letters = line.iter().filter(|byte| !is_control(**byte));
    let letter = letters.skip(4).find(|byte| !is_space(**byte) && **byte != b'-' && byte.is_ascii());
    letter.map_or(0, u8::to_ascii_lowercase)
}

/// Whether a line begins as those fields do that say nothing of others, and so need not be looked at before them.
pub(super) fn is_plain(line: &[u8]) -> bool {
    const PLAIN: [&str; 5] = ["allow-", "disallow-", "usage-purpose", "permissions-", "crawler"];
    begins(line, "acap-") && PLAIN.iter().any(|name| line.get(5..).is_some_and(|rest| begins(rest, name)))
}

/// The version of a `##ACAP version=n.m` line.
pub(super) fn commented_version(line: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(line).to_ascii_lowercase();
    let rest = text.strip_prefix("##")?.trim_ascii_start().strip_prefix("acap")?;
    let named = rest.starts_with(|letter: char| letter.is_ascii_whitespace()).then(|| rest.trim_ascii_start())?;
    let rest = named.strip_prefix("version")?.trim_ascii_start().strip_prefix('=')?.trim_ascii_start();
    rest.split(|letter: char| letter.is_ascii_whitespace() || letter == '#').next().map(str::to_owned)
}
