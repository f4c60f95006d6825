//! Where a link leads, by the [URL standard](https://url.spec.whatwg.org/), as browsers follow it.

use url::Url;

/// The URL of a reference in a document (4.4, "URL parsing"), written out; none if it is none. A base that is no URL
/// counts as none, so that only what is absolute leads anywhere.
pub fn resolve(base: &str, reference: &str) -> Option<String> {
    let base = Url::parse(base).ok();
    let found = Url::options().base_url(base.as_ref()).parse(reference).ok();
    found.or_else(|| beside(base.as_ref()?, reference)).map(String::from)
}

/// The URL of `///host`: a site that is named without a scheme may have any number of slashes, of either kind, before
/// it (4.4, "special authority ignore slashes state"). The crate sees that after a scheme alone.
fn beside(base: &Url, reference: &str) -> Option<Url> {
    let written = reference.trim_start_matches(|letter| letter <= ' ');
    let mut seen = written.chars().filter(|letter| !matches!(letter, '\t' | '\n' | '\r'));
    let names_site = (0..2).all(|_| matches!(seen.next(), Some('/' | '\\')));
    let of_web = matches!(base.scheme(), "http" | "https");
    if names_site && of_web { Url::parse(&format!("{}:{written}", base.scheme())).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_lead_where_browsers_go() {
        let base = "http://a.example/b/c?d#e";
        for (reference, leads) in [
            (" ../\tx\n", "http://a.example/x"),
            ("\\\\B.example\\y", "http://b.example/y"),
            ("?q='", "http://a.example/b/c?q=%27"),
            ("http:z", "http://a.example/b/z"),
            ("//0x7f.1/", "http://127.0.0.1/"),
            (" /\\\t/x/y", "http://x/y"),
            ("////x", "http://x/"),
            ("//m\u{fc}ller.example", "http://xn--mller-kva.example/"),
            ("", "http://a.example/b/c?d"),
            ("mailto:a b", "mailto:a b"),
        ] {
            assert_eq!(resolve(base, reference).as_deref(), Some(leads), "{reference}");
        }
        for reference in ["http://a b/", "http://[::1", "http://a:65536/", "http://%00/"] {
            assert_eq!(resolve(base, reference), None, "{reference}");
        }
        assert_eq!(resolve("", "a"), None);
        assert_eq!(resolve("data:,x", "#a").as_deref(), Some("data:,x#a"));
        assert_eq!(resolve("/b", "HTTP://A.example").as_deref(), Some("http://a.example/"));
    }
}
