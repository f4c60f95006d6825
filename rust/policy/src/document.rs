//! Whether a document is a robots.txt at all (section 9 of the semantics).

use crate::controls::is_control;
use crate::lines::{Field, Kind, Lines, field, skip_mark};
use crate::policy::{Dialect, text_of};

/// Whether octets are a robots.txt: they have a line with a field of one, or nothing but comments and blank lines.
///
/// What a site answers with in place of the file (an error page, JSON, the words of a gateway) has none. Every limit
/// aside, and as `auto` reads, so that one answer serves all dialects.
pub fn is_robots(octets: &[u8]) -> bool {
    let text = text_of(octets, Dialect::Auto);
    let manner = Dialect::Auto.manner();
    let mut empty = true;
    for line in Lines::new(&text) {
        let body = text.get(line.start..line.end).unwrap_or(&[]);
        let skip = if line.number == 1 { skip_mark(body) } else { 0 };
        let field = field(body.get(skip..).unwrap_or(&[]), manner);
        match field.kind {
            Kind::Remark => {}
            // Control characters alone are no text at all.
            Kind::Blank => empty &= !body.iter().any(|octet| is_control(*octet)),
            _ if is_known(&field) => return true,
            _ => empty = false,
        }
    }
    empty
}

/// Whether a field is one of those that a robots.txt has, and no sentence that begins as its name does.
fn is_known(field: &Field<'_>) -> bool {
    match field.kind {
        Kind::Acap | Kind::AcapComment | Kind::Agent => true,
        Kind::Blank | Kind::Remark | Kind::Unknown | Kind::Text => false,
        // `Allowed memory size of 134217728 bytes exhausted: …`, `Host unreachable`
        Kind::Allow | Kind::Disallow | Kind::Sitemap | Kind::CrawlDelay => !field.name.contains(&b' '),
        _ => !field.no_colon,
    }
}

#[cfg(test)]
mod tests {
    use super::is_robots;

    #[test]
    fn a_line_with_a_field_or_no_line_at_all_makes_a_robots_txt() {
        for text in [
            "",
            "\n\r\n",
            "# nothing here\n",
            "\u{FEFF}User-agent: *",
            "<html>\nSitemap: https://h.example/s.xml\n",
            "disallow /a",
            "useragent: a",
            "ACAP-crawler: *",
            "##ACAP version=1.0",
            "Content-Signal: ai-train=no",
            "Crawl-delay: 3",
        ] {
            assert!(is_robots(text.as_bytes()), "{text}");
        }
        assert!(is_robots(b"\xFF\xFEU\0s\0e\0r\0-\0a\0g\0e\0n\0t\0:\0*\0"));
    }

    #[test]
    fn what_sites_send_in_its_place_makes_none() {
        for text in [
            "Unauthorized",
            "{\"error\": \"not found\"}",
            "<!DOCTYPE html>\n<html><title>Please log in</title>\n<p>Allow cookies: they help</p></html>\n",
            "Allowed memory size of 134217728 bytes exhausted: tried to allocate 8 bytes",
            "Host unreachable",
            "  x\n# with a comment\n",
            "\0\0\0\0",
            "\u{1}\u{2}\n",
            "\n\u{1A}",
        ] {
            assert!(!is_robots(text.as_bytes()), "{text}");
        }
    }
}
