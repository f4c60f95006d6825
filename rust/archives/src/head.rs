//! Heads in which nothing is unusual: the fields of a record (WARC 1.1 4), status and headers of a response (RFC 9112).

use std::borrow::Cow;

const LONGEST_NAME: usize = 64;
const LINE_END: &[u8] = b"\r\n";

/// Names as they are written, and values, of the fields at the beginning, and how long they are with the blank line behind
/// them, at most `limit`. Each line ends in `end`; values are printable ASCII with single blanks between their words.
pub fn record_fields<'o>(octets: &'o [u8], end: &[u8], limit: usize) -> Option<(Vec<(&'o str, &'o str)>, usize)> {
    let mut fields = Vec::with_capacity(16);
    let mut lines = Lines::new(octets, limit);
    while let Some(line) = lines.next(end) {
        if line.is_empty() {
            return (!fields.is_empty()).then_some((fields, lines.taken));
        }
        let (name, value) = parted(line)?;
        let value = value.strip_prefix(' ').or_else(|| value.strip_prefix('\t')).unwrap_or(value);
        let is_plain = (1..=LONGEST_NAME).contains(&name.len())
            && name.bytes().all(|one| one.is_ascii_alphanumeric() || matches!(one, b'_' | b'-'))
            && value.bytes().all(|one| matches!(one, b' '..=b'~'))
            && !value.starts_with(' ')
            && !value.ends_with(' ')
            && !value.contains("  ");
        if !is_plain {
            return None;
        }
        fields.push((name, value));
    }
    None
}

/// The head of a response.
#[derive(Debug, PartialEq, Eq)]
pub struct Head<'o> {
    /// Its status.
    pub status: u16,
    /// The phrase beside that.
    pub reason: &'o str,
    /// Names and values, with single blanks between the words of a value.
    pub headers: Vec<(&'o str, Cow<'o, str>)>,
    /// Where the body begins.
    pub end: usize,
}

/// The head of the response at the beginning, of at most `limit` octets: printable ASCII and tabs, no folded line.
pub fn response_head(octets: &[u8], limit: usize) -> Option<Head<'_>> {
    let mut lines = Lines::new(octets, limit);
    let (status, reason) = status_of(lines.next(LINE_END)?)?;
    let mut headers = Vec::with_capacity(24);
    while let Some(line) = lines.next(LINE_END) {
        if line.is_empty() {
            return Some(Head { status, reason, headers, end: lines.taken });
        }
        let (name, value) = parted(line)?;
        if name.is_empty() || !name.bytes().all(is_token) {
            return None;
        }
        headers.push((name, words(value)));
    }
    None
}

/// `HTTP/1.1 200 OK` in its parts (RFC 9112 4).
fn status_of(line: &str) -> Option<(u16, &str)> {
    let rest = digits(line.strip_prefix("HTTP/")?)?;
    let rest = rest.strip_prefix('.').map_or(Some(rest), digits)?;
    let said = rest.trim_start_matches(BLANKS);
    let (status, reason) = said.split_at_checked(3)?;
    let is_status = said.len() < rest.len()
        && status.bytes().all(|one| one.is_ascii_digit())
        && (reason.is_empty() || reason.starts_with(BLANKS));
    is_status.then(|| status.parse().ok().map(|status| (status, reason.trim_matches(BLANKS)))).flatten()
}

/// What stands behind one or more digits.
fn digits(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|one: char| one.is_ascii_digit());
    (rest.len() < text.len()).then_some(rest)
}

const BLANKS: [char; 2] = [' ', '\t'];

fn words(value: &str) -> Cow<'_, str> {
    let value = value.trim_matches(BLANKS);
    if value.contains('\t') || value.contains("  ") {
        return Cow::Owned(value.split(BLANKS).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" "));
    }
    Cow::Borrowed(value)
}

/// A character of a name (RFC 9110 5.6.2).
fn is_token(one: u8) -> bool {
    one.is_ascii_alphanumeric() || b"!#$%&'*+.^_`|~-".contains(&one)
}

fn parted(line: &str) -> Option<(&str, &str)> {
    line.split_once(':')
}

/// Lines of printable ASCII and tabs.
struct Lines<'o> {
    octets: &'o [u8],
    taken: usize,
}

impl<'o> Lines<'o> {
    fn new(octets: &'o [u8], limit: usize) -> Self {
        Self { octets: octets.get(..limit).unwrap_or(octets), taken: 0 }
    }

    /// The next line without its end; none at the end, or if it has another octet or another end.
    fn next(&mut self, end: &[u8]) -> Option<&'o str> {
        let left = self.octets.get(self.taken..)?;
        let length = left.iter().position(|one| !matches!(one, b'\t' | b' '..=b'~'))?;
        let (line, behind) = left.split_at_checked(length)?;
        behind.starts_with(end).then_some(())?;
        self.taken = self.taken.checked_add(length)?.checked_add(end.len())?;
        str::from_utf8(line).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_end_at_the_blank_line() {
        let octets = b"WARC-Type: response\r\nX_y:\ta b\r\nNone:\r\n\r\nHTTP/1.1";
        let fields = vec![("WARC-Type", "response"), ("X_y", "a b"), ("None", "")];
        assert_eq!(record_fields(octets, LINE_END, 99), Some((fields, octets.len() - 8)));
        assert_eq!(record_fields(b"A: b\n\n", b"\n", 6), Some((vec![("A", "b")], 6)));
    }

    #[test]
    fn odd_fields_are_left_to_others() {
        for odd in [
            "",
            "\r\n",
            "A: b",
            "A: b\r\n",
            "A: b\r\r\n\r\n",
            "A: b\n\r\n",
            "A:  b\r\n\r\n",
            "A: b \r\n\r\n",
            "A: b  c\r\n\r\n",
            "A: b\tc\r\n\r\n",
            ": b\r\n\r\n",
            "A b\r\n\r\n",
            " A: b\r\n\r\n",
            "A: \u{e4}\r\n\r\n",
            "A.b: c\r\n\r\n",
            "A: \0\r\n\r\n",
        ] {
            assert_eq!(record_fields(odd.as_bytes(), LINE_END, 99), None, "{odd:?}");
        }
        assert_eq!(record_fields(b"A: b\r\n\r\n", LINE_END, 7), None);
        assert_eq!(record_fields(format!("{}: b\r\n\r\n", "a".repeat(65)).as_bytes(), LINE_END, 99), None);
    }

    #[test]
    fn a_head_has_status_phrase_and_headers() {
        let octets = b"HTTP/1.1 \t404  Not Found \r\nX~: \t a  b\tc \r\nNone:\r\n\r\nbody";
        let headers = vec![("X~", Cow::from("a b c")), ("None", Cow::from(""))];
        let head = Head { status: 404, reason: "Not Found", headers, end: octets.len() - 4 };
        assert_eq!(response_head(octets, 99), Some(head));
        let head = Head { status: 200, reason: "", headers: Vec::new(), end: 16 };
        assert_eq!(response_head(b"HTTP/2 200 \t\r\n\r\n", 99), Some(head));
    }

    #[test]
    fn odd_heads_are_left_to_others() {
        for odd in [
            "",
            "\r\n\r\n",
            "HTTP/1.1 200",
            "HTTP/1.1 200\r\n",
            "HTTP/1. 200\r\n\r\n",
            "HTTP/ 200\r\n\r\n",
            "HTTP/1200\r\n\r\n",
            "HTTP/1.1 20\r\n\r\n",
            "HTTP/1.1 2000\r\n\r\n",
            "HTTP/1.1 200-\r\n\r\n",
            "http/1 200\r\n\r\n",
            "HTTP/1 200\n\r\n",
            "HTTP/1 200\r\nA: b\n\r\n",
            "HTTP/1 200\r\nA : b\r\n\r\n",
            "HTTP/1 200\r\nA: b\r\n c\r\n\r\n",
            "HTTP/1 200\r\nA\r\n\r\n",
            "HTTP/1 200\r\n: b\r\n\r\n",
            "HTTP/1 200\r\nA: \u{e4}\r\n\r\n",
            "HTTP/1 200\r\nA: \u{b}\r\n\r\n",
        ] {
            assert_eq!(response_head(odd.as_bytes(), 99), None, "{odd:?}");
        }
        assert_eq!(response_head(b"HTTP/1 200\r\n\r\n", 13), None);
    }
}
