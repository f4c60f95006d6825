//! Words that stand in tables in the place of a robots.txt: notes of failed requests, and other lines without a field.

use crate::document::{DocumentKind, document_kind, is_robots};

/// Words of which one is in what writers of tables put where a request failed: `ReadTimeout`, `HTTP error 503`.
const FAILURES: [&[u8]; 32] = [
    b"bad gateway",
    b"broken pipe",
    b"cannot connect",
    b"cannot resolve",
    b"could not",
    b"couldn't",
    b"disconnected",
    b"econn",
    b"ehostunreach",
    b"enotfound",
    b"err_",
    b"errno",
    b"error",
    b"etimedout",
    b"exception",
    b"fail",
    b"getaddrinfo",
    b"handshake",
    b"many requests",
    b"max retries",
    b"no route",
    b"not known",
    b"refused",
    b"reset by",
    b"time out",
    b"timed out",
    b"timeout",
    b"unable to",
    b"unavailable",
    b"unknown host",
    b"unreachable",
    b"unresolved",
];

/// How texts of a failure begin that have several lines, or signs of markup.
const BEGINNINGS: [&[u8]; 3] = [b"traceback (", b"<urlopen ", b"<class '"];

/// Octets of the longest text that is taken for a note of a failure.
pub(super) const LONGEST_NOTE: usize = 2048;

/// Statuses of a server that failed, or of one exchange alone.
const FAILED: [u16; 4] = [408, 421, 425, 429];

/// Whether a text is a line that says that a request failed, and no robots.txt.
///
/// A site may have answered so itself. Our choice: a cell cannot tell that, and no file is there in either case.
pub(super) fn is_of_failure(text: &[u8]) -> bool {
    let begins = |head: &&[u8]| text.get(..head.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(head));
    if BEGINNINGS.iter().any(begins) {
        return true;
    }
    text.len() <= LONGEST_NOTE
        && memchr::memchr2(b'\n', b'\r', text).is_none()
        && !text.starts_with(b"<")
        && !is_robots(text)
        && (has_any(&text.to_ascii_lowercase(), &FAILURES) || is_of_status(text))
}

fn has_any(text: &[u8], words: &[&[u8]]) -> bool {
    words.iter().any(|word| memchr::memmem::find(text, word).is_some())
}

/// Whether a text is a line without a field, and neither a comment nor markup: `unknown`, `404`, a path.
///
/// Our choice: who wrote the table may have put it there, and then it is not known what the site says. Of what a site
/// served so itself RFC 9309 has that it restricts nothing; that is known of octets, and taken so of several lines.
pub(super) fn has_no_field(text: &[u8]) -> bool {
    let is_behind_scheme =
        |place: usize| text.get(place.saturating_add(1)..).is_some_and(|rest| rest.starts_with(b"//"));
    !text.is_empty()
        && memchr::memchr2(b'\n', b'\r', text).is_none()
        && memchr::memchr_iter(b':', text).all(is_behind_scheme)
        && (!text.starts_with(b"<") || is_word_in_brackets(text))
        && document_kind(text) == DocumentKind::Other
}

/// Whether a text is a word as some programs show that there is no value: `<empty>`.
fn is_word_in_brackets(text: &[u8]) -> bool {
    let inner = text.strip_prefix(b"<").and_then(|text| text.strip_suffix(b">"));
    inner.is_some_and(|inner| inner.iter().all(|octet| octet.is_ascii_alphanumeric() || matches!(octet, b' ' | b'_')))
}

/// Whether a text begins with the status of a failure: `503`, `HTTP 502 Bad Gateway`.
fn is_of_status(text: &[u8]) -> bool {
    let head = text.get(..4).filter(|head| head.eq_ignore_ascii_case(b"http")).map_or(0, <[u8]>::len);
    let rest = text.get(head..).unwrap_or_default().trim_ascii_start();
    let digits = rest.iter().take_while(|octet| octet.is_ascii_digit()).count();
    let number = rest.get(..digits).filter(|digits| digits.len() == 3);
    let status = number.and_then(|digits| std::str::from_utf8(digits).ok()?.parse::<u16>().ok());
    status.is_some_and(|status| (500..600).contains(&status) || FAILED.contains(&status))
}
