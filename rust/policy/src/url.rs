//! One definition of a URL, for questions, for policies and for retrieval (section 4 of the semantics).
//!
//! ```text
//! URL       = scheme "://" [ user "@" ] host [ ":" port ] rest      ; RFC 3986 3
//! host      = name / "[" IPv6 "]"
//! ```
//!
//! Hosts compare in their ASCII form (RFC 5891; UTS 46 says how people's spellings become it), without the dot that may end
//! a complete name (RFC 1034 3.1), and addresses in their shortest. What retrieval would not ask for is no URL: a control character anywhere, a host or a port that cannot be.
//! It is one module, since every answer about a URL rests on the same parts of it.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::limits::URL_OCTETS;
use crate::octets::{self, is_space};

/// Why a text is not a URL that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No absolute URL with an authority.
    NotAbsolute,
    /// A host that cannot be.
    Host,
    /// A port that cannot be.
    Port,
    /// A tab, a line end or another control character.
    Control(u8),
    /// The number of octets, which is more than [`URL_OCTETS`].
    TooLong(usize),
    /// `//x` without a scheme: a host (RFC 3986 4.2), or a path.
    HostOrPath,
}

/// An absolute URL with an authority, taken apart (RFC 3986 3); the user information is left out.
#[derive(Debug)]
pub struct Url<'u> {
    scheme: &'u [u8],
    host: Host<'u>,
    port: Option<u16>,
    /// What follows the authority.
    pub rest: &'u [u8],
}

#[derive(Debug)]
enum Host<'u> {
    /// ASCII, in any case, without the dot that ends a complete name.
    Plain(&'u [u8]),
    /// The ASCII form of another, likewise.
    Converted(String),
    Address(Ipv6Addr),
}

impl Host<'_> {
    fn is_own_machine(&self) -> bool {
        let name = match self {
            Self::Plain(name) => String::from_utf8_lossy(name).to_ascii_lowercase(),
            Self::Converted(name) => name.clone(),
            Self::Address(address) => return address.is_loopback(),
        };
        let is_loopback = || name.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback());
        name == "localhost" || name.ends_with(".localhost") || is_loopback()
    }
}

impl<'u> Url<'u> {
    /// Takes a text apart.
    pub fn read(text: &'u [u8]) -> Result<Self, Fault> {
        let (scheme, after) = scheme_and_rest(text)?;
        // Most authorities are a name alone.
        let (name, rest) = after.split_at(name_length(after));
        if matches!(rest.first(), None | Some(b'/' | b'?' | b'#')) && !name.is_empty() {
            return Ok(Self { scheme, host: Host::Plain(without_root(name)), port: None, rest });
        }
        let end = memchr::memchr3(b'/', b'?', b'#', after).unwrap_or(after.len());
        let (authority, rest) = after.split_at(end);
        if authority.is_empty() {
            return Err(Fault::NotAbsolute);
        }
        let (host, port) = host_and_port(without_user(authority)?)?;
        Ok(Self { scheme, host: self::host(host)?, port: self::port(port)?, rest })
    }

    /// Whether its scheme is http or https.
    pub fn is_of_web(&self) -> bool {
        self.is_http() || self.scheme.eq_ignore_ascii_case(b"https")
    }

    fn is_http(&self) -> bool {
        self.scheme.eq_ignore_ascii_case(b"http")
    }

    /// Scheme and host in lower case and ASCII, and the port if it is not the scheme's own.
    pub fn origin(&self) -> Vec<u8> {
        let mut out = self.scheme.to_ascii_lowercase();
        let usual = match out.as_slice() {
            b"http" => Some(80),
            b"https" => Some(443),
            _ => None,
        };
        out.extend_from_slice(b"://");
        match &self.host {
            Host::Plain(name) => out.extend(name.iter().map(u8::to_ascii_lowercase)),
            Host::Converted(name) => out.extend_from_slice(name.as_bytes()),
            Host::Address(address) => {
                out.push(b'[');
                out.extend_from_slice(shortest(*address).as_bytes());
                out.push(b']');
            }
        }
        if let Some(port) = self.port.filter(|port| Some(*port) != usual) {
            out.extend_from_slice(format!(":{port}").as_bytes());
        }
        out
    }
}

/// Whether what a text leads to may be changed on its way: plain http, but to the machine itself, which is an address of
/// loopback, or `localhost` (W3C Secure Contexts 3.1). It is plain too if it begins as such a URL and is none.
pub fn is_plain(text: &[u8]) -> bool {
    let written = text.iter().filter(|byte| **byte > b' ').take(5).map(u8::to_ascii_lowercase);
    written.eq(*b"http:") && !Url::read(text).is_ok_and(|url| url.host.is_own_machine())
}

/// Whether a text names a licence document as RSL 1.0 asks (4.4): by an absolute URL, and not of plain http (5.4).
pub fn is_association(text: &[u8]) -> bool {
    let is_clean = !has_control(text) && !text.iter().any(|octet| is_space(*octet));
    is_clean && Url::read(text).is_ok_and(|url| url.is_of_web()) && !is_plain(text)
}

/// Why nothing can be asked of a text, absolute or a path, whatever else it is; none if that has to be seen.
#[inline]
pub(crate) fn unaskable(text: &[u8]) -> Option<Fault> {
    misshapen(text).or_else(|| control(text))
}

/// The same of a text that holds no control character.
#[inline]
pub(crate) fn misshapen(text: &[u8]) -> Option<Fault> {
    match text {
        // Neither has a path of its own: it would be that of whatever URL it is relative to (RFC 3986 5.2.2).
        [] | [b'?' | b'#', ..] => Some(Fault::NotAbsolute),
        [b'/', b'/', ..] => Some(Fault::HostOrPath),
        _ => too_long(text),
    }
}

/// What a text has that no URL may have, whatever else it is.
#[inline]
pub fn refused(text: &[u8]) -> Option<Fault> {
    too_long(text).or_else(|| control(text))
}

fn too_long(text: &[u8]) -> Option<Fault> {
    (text.len() > URL_OCTETS).then_some(Fault::TooLong(text.len()))
}

fn is_control(byte: u8) -> bool {
    byte < 0x20 || byte == 0x7F
}

/// Whether a text holds a control character; in one pass without a branch, for nearly none does.
#[inline]
pub(crate) fn has_control(text: &[u8]) -> bool {
    text.iter().fold(false, |found, byte| found | is_control(*byte))
}

fn control(text: &[u8]) -> Option<Fault> {
    if !has_control(text) {
        return None;
    }
    text.iter().find(|byte| is_control(**byte)).map(|byte| Fault::Control(*byte))
}

/// The scheme, and what follows `://`.
#[inline]
fn scheme_and_rest(text: &[u8]) -> Result<(&[u8], &[u8]), Fault> {
    // Nearly every URL of a question begins so.
    if let Some(after) = text.strip_prefix(b"https://") {
        return Ok((b"https", after));
    }
    // No scheme holds a colon, so the first one ends it.
    let (scheme, after) = text.split_at(text.iter().position(|byte| *byte == b':').ok_or(Fault::NotAbsolute)?);
    let after = after.strip_prefix(b"://").ok_or(Fault::NotAbsolute)?;
    let well_formed = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    if well_formed { Ok((scheme, after)) } else { Err(Fault::NotAbsolute) }
}

fn without_user(authority: &[u8]) -> Result<&[u8], Fault> {
    let Some(at) = memchr::memchr(b'@', authority) else { return Ok(authority) };
    let (user, host) = authority.split_at(at);
    let host = host.get(1..).unwrap_or(&[]);
    // Readers disagree on which host such a one names.
    let unclear = host.contains(&b'@') || user.iter().any(|byte| matches!(byte, 0..=b' ' | b'\\' | 0x7F));
    if unclear { Err(Fault::Host) } else { Ok(host) }
}

fn host_and_port(text: &[u8]) -> Result<(&[u8], &[u8]), Fault> {
    let end = if text.first() == Some(&b'[') {
        memchr::memchr(b']', text).ok_or(Fault::Host)?.saturating_add(1)
    } else {
        memchr::memchr(b':', text).unwrap_or(text.len())
    };
    let (host, port) = text.split_at(end);
    match port.split_first() {
        None => Ok((host, port)),
        Some((b':', digits)) => Ok((host, digits)),
        Some(_) => Err(Fault::Host),
    }
}

fn port(digits: &[u8]) -> Result<Option<u16>, Fault> {
    if digits.is_empty() {
        return Ok(None);
    }
    let text = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let text = text.ok_or(Fault::Port)?.trim_start_matches('0');
    text.parse().map(Some).map_err(|_| Fault::Port)
}

/// Octets that a host outside ASCII may have: its ASCII form has at most 254, and each octet of that stands for four.
const HOST_OCTETS: usize = 1_024;

fn host(text: &[u8]) -> Result<Host<'_>, Fault> {
    if let Some(inner) = text.strip_prefix(b"[") {
        let inner = inner.strip_suffix(b"]").and_then(|inner| std::str::from_utf8(inner).ok()).ok_or(Fault::Host)?;
        return inner.parse().map(Host::Address).map_err(|_| Fault::Host);
    }
    if text.is_ascii() {
        return plain(text);
    }
    if text.len() > HOST_OCTETS {
        return Err(Fault::Host);
    }
    let name = idna::domain_to_ascii_cow(text, idna::AsciiDenyList::URL).map_err(|_| Fault::Host)?.into_owned();
    let dots = |letter: char| matches!(letter, '.' | '\u{3002}' | '\u{FF0E}' | '\u{FF61}'); // UTS 46 4, RFC 3490 3.1
    let written = std::str::from_utf8(text).map_err(|_| Fault::Host)?.split(dots);
    // A label that loses what it has outside ASCII (`①`) is another's in disguise; no registry has it (RFC 5891 4.2).
    let disguised = written.zip(name.split('.')).any(|(from, to)| !from.is_ascii() && !to.starts_with("xn--"));
    if !is_name(name.as_bytes()) || disguised {
        return Err(Fault::Host);
    }
    Ok(Host::Converted(name.strip_suffix('.').map(str::to_owned).unwrap_or(name)))
}

fn plain(name: &[u8]) -> Result<Host<'_>, Fault> {
    if is_name(name) { Ok(Host::Plain(without_root(name))) } else { Err(Fault::Host) }
}

/// A name without the dot that ends a complete one (RFC 1034 3.1): with it the same host is meant (our choice), and no
/// spelling may lead past the policy of a site.
fn without_root(name: &[u8]) -> &[u8] {
    name.strip_suffix(b".").unwrap_or(name)
}

/// RFC 1123 2.1, and the underscore that real hosts carry; one final dot is the root.
fn is_name(name: &[u8]) -> bool {
    !name.is_empty() && name_length(name) == name.len()
}

/// How many octets of a text are such a name from its beginning to where no octet of a name follows; none if its labels
/// are of no length that labels can have (RFC 1035 2.3.4).
#[inline]
fn name_length(text: &[u8]) -> usize {
    const LABEL: usize = 63;
    const NAME: usize = 254;
    // Where a dot would end an empty label.
    let (mut length, mut empty) = (0usize, 0usize);
    for byte in text {
        if !octets::is_name(*byte) {
            break;
        }
        if *byte == b'.' {
            if length == empty {
                return 0;
            }
            empty = length.wrapping_add(1);
        }
        length = length.wrapping_add(1);
    }
    // No label of a shorter name is too long.
    let is_long = |name: &[u8]| name.len() > NAME || name.split(|byte| *byte == b'.').any(|label| label.len() > LABEL);
    if length > LABEL && text.get(..length).is_some_and(is_long) { 0 } else { length }
}

/// An address of IPv6 in its one short form (RFC 5952 4), in hexadecimal throughout.
fn shortest(address: Ipv6Addr) -> String {
    match address.to_ipv4_mapped() {
        Some(mapped) => {
            let [a, b, c, d] = mapped.octets();
            format!("::ffff:{:x}:{:x}", u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]))
        }
        None => address.to_string(),
    }
}

/// What follows the authority of an absolute URL; none if it is none.
#[inline]
pub(crate) fn after_origin(url: &[u8]) -> Result<&[u8], Fault> {
    Url::read(url).map(|url| url.rest)
}

/// The same where the authority is a name alone, and the scheme one of the two that nearly every URL has; none of others.
#[inline]
pub(crate) fn after_plain_origin(url: &[u8]) -> Option<&[u8]> {
    let after = url.strip_prefix(b"https://").or_else(|| url.strip_prefix(b"http://"))?;
    let length = name_length(after);
    after.get(length..).filter(|rest| length > 0 && rest.first() == Some(&b'/'))
}

/// Scheme, host and port of an absolute URL, in one comparable form, and what follows them; none if it is none.
pub fn split_origin(url: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    Url::read(url).ok().map(|url| (url.origin(), url.rest))
}

/// Host and port of an origin.
pub(crate) fn authority(origin: &[u8]) -> &[u8] {
    let from = memchr::memmem::find(origin, b"://").map_or(0, |at| at.saturating_add(3));
    origin.get(from..).unwrap_or(origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(url: &str) -> Option<String> {
        split_origin(url.as_bytes()).map(|(origin, _)| String::from_utf8_lossy(&origin).into_owned())
    }

    #[test]
    fn origins_compare_without_default_port_and_user() {
        assert_eq!(origin("HTTPS://u:p@Example.COM:443/x").as_deref(), Some("https://example.com"));
        assert_eq!(origin("http://example.com:0443").as_deref(), Some("http://example.com:443"));
        assert_eq!(origin("http://example.com:?q").as_deref(), Some("http://example.com"));
        assert_eq!(origin("/a://b"), None);
    }

    #[test]
    fn the_dot_that_ends_a_complete_name_makes_no_other_host() {
        for written in ["a.example.", "A.Example.:443", "u@a.example.", "a。example。"] {
            assert_eq!(origin(&format!("https://{written}/x")).as_deref(), Some("https://a.example"), "{written}");
            assert_eq!(origin(&format!("https://{written}")).as_deref(), Some("https://a.example"), "{written}");
        }
        assert_eq!(origin("http://bücher。example。:8/").as_deref(), Some("http://xn--bcher-kva.example:8"));
        assert_eq!(origin("http://127.0.0.1./").as_deref(), Some("http://127.0.0.1"));
        for host in [".", "..", "a..", "a.example..", "。", "a。。"] {
            assert_eq!(origin(&format!("https://{host}/")), None, "{host}");
        }
    }

    #[test]
    fn hosts_compare_in_their_ascii_form() {
        for written in ["müller.example", "MÜLLER.example", "xn--mller-kva.example", "XN--MLLER-KVA.EXAMPLE"] {
            assert_eq!(origin(&format!("https://{written}/")).as_deref(), Some("https://xn--mller-kva.example"));
        }
        assert_eq!(origin("https://bücher。example/").as_deref(), Some("https://xn--bcher-kva.example"));
        for written in ["[2001:DB8:0:0:0:0:0:1]", "[2001:db8::1]", "[2001:0db8::0001]", "[2001:db8::0.0.0.1]"] {
            assert_eq!(origin(&format!("http://{written}:8080/")).as_deref(), Some("http://[2001:db8::1]:8080"));
        }
        assert_eq!(origin("http://[::FFFF:127.0.0.1]/").as_deref(), Some("http://[::ffff:7f00:1]"));
    }

    #[test]
    fn whatever_begins_as_plain_http_is_plain_but_to_the_machine_itself() {
        for url in [
            "http://e.com/h",
            "HTTP://e.com:x/h",
            "http://*.e.com/h",
            "http:///h",
            "http:h",
            " http://a@b@e.com/",
            "http://localhost:x/",
        ] {
            assert!(is_plain(url.as_bytes()) && !is_association(url.as_bytes()), "{url}");
        }
        for url in [
            "http://localhost:80/h",
            "http://127.0.0.1/h",
            "http://[::1]/h",
            "http://a.localhost./",
            "https://e.com/h;",
        ] {
            assert!(!is_plain(url.as_bytes()) && is_association(url.as_bytes()), "{url}");
        }
        for url in [
            "https:///h",
            "https://",
            "https://?x",
            "https://e.com:x/h",
            "https:h",
            "/h",
            "https://e.com/h h",
            "ftp://e.com/",
        ] {
            assert!(!is_plain(url.as_bytes()) && !is_association(url.as_bytes()), "{url}");
        }
    }

    #[test]
    fn what_cannot_be_retrieved_is_no_url() {
        for host in [
            "",
            "a..b",
            ".a",
            "a b",
            "a\\b",
            "a%62c",
            "[::1",
            "[::1]x",
            "[1.2.3.4]",
            "[fe80::1%25eth0]",
            "x:y",
            "a@b@c",
            "a\\@b",
            "xn--a@",
            "\u{FFFD}.example",
            "exa\u{00AD}",
            "x:0",
            "x:65536",
            "x:+1",
            "x:1 ",
        ] {
            let url = format!("http://{host}/");
            assert_eq!(origin(&url), None, "{url}");
        }
        assert_eq!(origin(&format!("http://{}/", "a".repeat(64))), None);
        assert_eq!(origin(&format!("http://{}/", "ü".repeat(600))), None);
        assert_eq!(refused(b"/a\tb"), Some(Fault::Control(b'\t')));
        for text in [b"".as_slice(), b"?q", b"#a", b"?", b"#"] {
            assert_eq!(unaskable(text), Some(Fault::NotAbsolute));
        }
        assert_eq!(unaskable(b"//x"), Some(Fault::HostOrPath));
        assert_eq!(unaskable(b"/?q"), None);
        assert_eq!(refused(b"/a b\xFF"), None);
        assert_eq!(refused(&vec![b'/'; URL_OCTETS]), None);
        assert_eq!(refused(&vec![b'/'; URL_OCTETS + 1]), Some(Fault::TooLong(URL_OCTETS + 1)));
    }
}
