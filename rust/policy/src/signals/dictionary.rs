//! A Dictionary of RFC 9651: its keys, each with the token that is its value, or with another value.
//!
//! ```text
//! sf-dictionary = dict-member *( OWS "," OWS dict-member )     ; RFC 9651 3.2, parsed as 4.2.2 says
//! dict-member   = member-key ( parameters / ( "=" member-value ))
//! ```
//!
//! What fails to parse is not a dictionary; parameters are parsed and dropped.

/// The value of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Token(&'a [u8]),
    /// A value of another type: a number, a string, a list.
    Other,
    /// A key alone, which is a Boolean.
    None,
}

/// The members in their order, duplicates included; none if the text is not a dictionary.
pub(crate) fn members(text: &[u8]) -> Option<Vec<(&[u8], Value<'_>)>> {
    let mut parser = Parser { rest: text };
    parser.skip(b" ");
    let mut out = Vec::new();
    while !parser.rest.is_empty() {
        let key = parser.key()?;
        let value = match parser.take(b'=') {
            true if parser.rest.first() == Some(&b'(') => parser.inner_list()?,
            true => parser.item()?,
            false => {
                parser.parameters()?;
                Value::None
            }
        };
        out.push((key, value));
        parser.skip(b" \t");
        if parser.rest.is_empty() {
            break;
        }
        if !parser.take(b',') {
            return None;
        }
        parser.skip(b" \t");
        if parser.rest.is_empty() {
            return None;
        }
    }
    Some(out)
}

struct Parser<'a> {
    rest: &'a [u8],
}

impl<'a> Parser<'a> {
    fn skip(&mut self, octets: &[u8]) {
        let end = self.rest.iter().position(|octet| !octets.contains(octet)).unwrap_or(self.rest.len());
        self.rest = self.rest.get(end..).unwrap_or(&[]);
    }

    fn take(&mut self, octet: u8) -> bool {
        match self.rest.split_first() {
            Some((first, rest)) if *first == octet => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    /// The octets up to the first of another kind.
    fn run(&mut self, kind: impl Fn(u8) -> bool) -> &'a [u8] {
        let end = self.rest.iter().position(|octet| !kind(*octet)).unwrap_or(self.rest.len());
        let (run, rest) = self.rest.split_at(end);
        self.rest = rest;
        run
    }

    /// RFC 9651 4.2.3.3.
    fn key(&mut self) -> Option<&'a [u8]> {
        let first = *self.rest.first()?;
        if !(first.is_ascii_lowercase() || first == b'*') {
            return None;
        }
        Some(self.run(|octet| {
            octet.is_ascii_lowercase() || octet.is_ascii_digit() || matches!(octet, b'_' | b'-' | b'.' | b'*')
        }))
    }

    /// RFC 9651 4.2.3.
    fn item(&mut self) -> Option<Value<'a>> {
        let value = self.bare()?;
        self.parameters()?;
        Some(value)
    }

    /// RFC 9651 4.2.1.2.
    fn inner_list(&mut self) -> Option<Value<'a>> {
        self.take(b'(');
        loop {
            self.skip(b" ");
            if self.take(b')') {
                self.parameters()?;
                return Some(Value::Other);
            }
            self.item()?;
            if !matches!(self.rest.first(), Some(b' ' | b')')) {
                return None;
            }
        }
    }

    /// RFC 9651 4.2.3.2.
    fn parameters(&mut self) -> Option<()> {
        while self.take(b';') {
            self.skip(b" ");
            self.key()?;
            if self.take(b'=') {
                self.bare()?;
            }
        }
        Some(())
    }

    /// RFC 9651 4.2.3.1.
    fn bare(&mut self) -> Option<Value<'a>> {
        match *self.rest.first()? {
            b'-' | b'0'..=b'9' => self.number().map(|_| Value::Other),
            b'"' => self.string(),
            b'*' | b'a'..=b'z' | b'A'..=b'Z' => Some(Value::Token(self.run(is_token))),
            b':' => {
                self.take(b':');
                self.run(|octet| octet.is_ascii_alphanumeric() || matches!(octet, b'+' | b'/' | b'='));
                self.take(b':').then_some(Value::Other)
            }
            b'?' => {
                self.take(b'?');
                (self.take(b'0') || self.take(b'1')).then_some(Value::Other)
            }
            b'@' => {
                self.take(b'@');
                self.number()?.then_some(Value::Other)
            }
            b'%' => self.display(),
            _ => None,
        }
    }

    /// Whether the number is whole (RFC 9651 4.2.4).
    fn number(&mut self) -> Option<bool> {
        self.take(b'-');
        let digits = self.run(|octet| octet.is_ascii_digit()).len();
        if !self.rest.starts_with(b".") {
            return (1..=15).contains(&digits).then_some(true);
        }
        self.take(b'.');
        let fraction = self.run(|octet| octet.is_ascii_digit()).len();
        ((1..=12).contains(&digits) && (1..=3).contains(&fraction)).then_some(false)
    }

    /// RFC 9651 4.2.5.
    fn string(&mut self) -> Option<Value<'a>> {
        self.take(b'"');
        loop {
            let (first, rest) = self.rest.split_first()?;
            self.rest = rest;
            match first {
                b'"' => return Some(Value::Other),
                b'\\' if !(self.take(b'"') || self.take(b'\\')) => return None,
                b'\\' | 0x20..=0x7E => {}
                _ => return None,
            }
        }
    }

    /// RFC 9651 4.2.10: escapes have two lower-case digits, and what they come to is UTF-8.
    fn display(&mut self) -> Option<Value<'a>> {
        self.take(b'%');
        if !self.take(b'"') {
            return None;
        }
        let mut octets = Vec::new();
        loop {
            let (first, rest) = self.rest.split_first()?;
            self.rest = rest;
            match first {
                b'"' => return std::str::from_utf8(&octets).ok().map(|_| Value::Other),
                b'%' => {
                    let (digits, rest) = self.rest.split_at_checked(2)?;
                    let plain = digits.iter().all(|octet| matches!(octet, b'0'..=b'9' | b'a'..=b'f'));
                    let digits = std::str::from_utf8(digits).ok().filter(|_| plain)?;
                    octets.push(u8::from_str_radix(digits, 16).ok()?);
                    self.rest = rest;
                }
                0x20..=0x7E => octets.push(*first),
                _ => return None,
            }
        }
    }
}

/// RFC 9651 3.3.4.
fn is_token(octet: u8) -> bool {
    octet.is_ascii_alphanumeric()
        || matches!(
            octet,
            b'!' | b'#'
                | b'$'
                | b'%'
                | b'&'
                | b'\''
                | b'*'
                | b'+'
                | b'-'
                | b'.'
                | b'^'
                | b'_'
                | b'`'
                | b'|'
                | b'~'
                | b':'
                | b'/'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_told_from_everything_else() {
        let text = b"a=n, b=y;x=\"q\", c, d=?0, e=(y n);z, f=\"n\", g=1.5, h=:YQ==:, i=@1, j=%\"%c3%a9\"";
        let found = members(text).expect("a dictionary");
        let tokens: Vec<_> = found
            .iter()
            .filter(|(_, value)| matches!(value, Value::Token(_)))
            .map(|(key, value)| (*key, *value))
            .collect();
        assert_eq!(found.len(), 10);
        assert_eq!(tokens, [(&b"a"[..], Value::Token(b"n")), (&b"b"[..], Value::Token(b"y"))]);
        assert_eq!(members(b""), Some(Vec::new()));
        assert_eq!(members(b"a=n \t, b=y ").map(|list| list.len()), Some(2));
    }

    #[test]
    fn a_slip_spoils_the_whole() {
        for text in [
            "A=n",
            "a=n,",
            "a=n, ,b=y",
            "a =n",
            "a= n",
            "a=n b=y",
            "a=n;",
            "a=",
            "=n",
            "a=(n",
            "a=(n,y)",
            "a=\"n",
            "a=n\u{1}",
            "\ta=n",
            "a=1234567890123456",
            "a=1.",
            "a=:x",
            "a=?2",
            "a=@1.5",
            "a=%\"%C3\"",
            "a=%\"%ff\"",
            "/x a=n",
            "a:n",
        ] {
            assert_eq!(members(text.as_bytes()), None, "{text}");
        }
    }
}
