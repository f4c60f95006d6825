//! Whether a crawler may crawl a path, by the lines themselves: what a policy is asked that was not asked before.
//!
//! A [`Selection`](crate::rep::Selection) costs more than such a question, in time and in memory, and most policies are
//! asked once. Here most lines are passed over at the first octet in which they differ from the path.
//!
//! Law: what is answered here is what the view of the crawler would answer; what a view has beside rules of Allow and
//! Disallow lines is left to it.

use crate::decide::Kind as Why;
use crate::dialect::{key_of, widened};
use crate::fields::Kind;
use crate::octets::{canonical_pattern, is_plain};
use crate::pattern::matches;
use crate::policy::{Policy, State};
use crate::statement::Outcome;

/// What the strongest line that matches says; none where no line matches.
type Strongest = Option<u32>;

impl Policy {
    /// Whether a crawler of this one name may crawl a canonical path. None where that takes a view.
    pub(crate) fn crawl_unselected(&self, name: &[u8], path: &[u8]) -> Option<(Outcome, Why)> {
        if !self.rules_alone() || name.is_empty() || self.dialect.carries_policy(path) {
            return None;
        }
        let text = self.text();
        let mut strongest: Strongest = None;
        // Of the whole file: a group names the crawler. Of this group: it does, or it is for all.
        let (mut named, mut names_it, mut is_default, mut closed) = (false, false, false, true);
        for entry in &*self.table.entries {
            match entry.kind {
                Kind::Agent => {
                    if std::mem::take(&mut closed) {
                        (names_it, is_default) = (false, false);
                    }
                    let value = entry.value(text);
                    if self.dialect.agents.address(value, name) {
                        names_it = true;
                        if !std::mem::replace(&mut named, true) {
                            strongest = None;
                        }
                    }
                    is_default |= self.dialect.agents.are_all(value);
                }
                Kind::Allow | Kind::Disallow => {
                    closed = true;
                    if names_it || (is_default && !named) {
                        if entry.is_cut() {
                            return None;
                        }
                        strongest = strongest.max(weight(entry.value(text), entry.kind == Kind::Allow, path));
                    }
                }
                Kind::CutAllow => closed = true,
                Kind::RobotVersion => return None,
                _ => {}
            }
        }
        Some(match strongest {
            // An empty Disallow refuses nothing.
            Some(key) if key > 0 && key & 1 == 0 => (Outcome::Prohibited, Why::Statement),
            Some(_) => (Outcome::Permitted, Why::Statement),
            None => (Outcome::Permitted, Why::Silence),
        })
    }

    /// Whether a crawler hears nothing but groups of Allow and Disallow lines, which nothing makes doubtful.
    fn rules_alone(&self) -> bool {
        self.state == State::Present
            && !self.in_doubt()
            && !self.table.cut_names
            && !self.table.licensed
            && self.acap.is_none()
            && self.supplied().is_empty()
            && self.dialect.asks_lines()
    }
}

/// The key of a line if it matches the path; see `Rule::key`.
#[inline]
fn weight(value: &[u8], permits: bool, path: &[u8]) -> Strongest {
    let mut octets = path.iter();
    for held in value {
        if !is_plain(*held) {
            return weight_in_full(value, permits, path);
        }
        // A plain octet of a pattern stands for itself, whatever follows it.
        match octets.next() {
            Some(byte) if byte == held => {}
            // `Allow: /index.html` permits `/` too.
            None if permits => return weight_in_full(value, permits, path),
            _ => return None,
        }
    }
    Some(key_of(value, permits))
}

#[inline(never)]
fn weight_in_full(value: &[u8], permits: bool, path: &[u8]) -> Strongest {
    let pattern = canonical_pattern(value);
    if !matches!(pattern.first(), None | Some(b'/' | b'*')) {
        return None;
    }
    let of = |pattern: &[u8]| matches(pattern, path).then(|| key_of(pattern, permits));
    let wide = if permits { widened(&pattern) } else { None };
    of(&pattern).max(wide.and_then(|wide| of(&wide)))
}

#[cfg(test)]
mod tests {
    use crate::decide::View;
    use crate::dialect::Dialect;
    use crate::policy::Policy;

    #[test]
    fn lines_say_what_a_view_says() {
        let files = [
            "",
            "Disallow: /\n",
            "User-agent: *\nDisallow: /\n\nUser-agent: bot\nDisallow:\n",
            "User-agent: bot\nDisallow: /a\nUser-agent: *\nDisallow: /b\nUser-agent: BOT\nAllow: /a/b\n",
            "User-agent: *\nAllow: /c/\nUser-agent: bot/1.0\nCrawl-delay: 1\nUser-agent: x\nDisallow: /*c$\n",
            "User-agent: *\nDisallow: /\nAllow: /index.html\nAllow: /a/index.htm\nAllow: /a*/index.htm\n",
            "User-agent: *\nDisallow: /%61\nDisallow: /b$\nDisallow: *.gif\nDisallow: a\nDisallow: %2Fa\n",
            "User-agent: *\nDisallow: /\nAllow: /$\nAllow: /ü\nAllow: /%c3%bc%\nAllow: /a b\nAllow: /a$b\n",
            "User-agent: bot\nDisallow: /a\nAllow: /a\nDisallow: /a/b?c=\nAllow: /robots.txt/\n",
            "User-agent: bot\nRobot-version: 2.0.0\nDisallow: /a\n",
            "User-agent: bot\nContent-Signal: search=no\nDisallow: /a\nLicense: /a\n",
            "User-agent: *\nACAP-crawler: *\nACAP-disallow-crawl: /a\n",
            "User-agent: *\nDisallow: /a\0b\nDisallow: /c\x01\n",
            "<html>Disallow: /</html>",
        ];
        let paths = [
            "/",
            "/a",
            "/a/",
            "/a/b",
            "/a/b?c=d",
            "/b",
            "/bc",
            "/c",
            "/c/",
            "/x.gif",
            "/robots.txt",
            "/ai.txt?a",
            "/%C3%BC",
            "/%C3%BC%25",
            "/a%20b",
            "/a%24b",
            "/robots.txt/a",
        ];
        let mut answered = 0u32;
        for file in files {
            for dialect in crate::dialect::ALL {
                let policy = Policy::read(file.as_bytes().into(), None, dialect, None);
                for name in ["bot", "x", "other", "1bot"] {
                    let view = View::new(&policy, &[name]);
                    for path in paths {
                        let said = policy.crawl_unselected(name.as_bytes(), path.as_bytes());
                        answered = answered.saturating_add(u32::from(said.is_some()));
                        let held =
                            policy.crawl_quickly(&view, path.as_bytes()).map(|(outcome, kind, _)| (outcome, kind));
                        assert!(said.is_none() || said == held, "{file:?} {name} {path}: {said:?} {held:?}");
                    }
                }
            }
        }
        assert!(answered > 500, "{answered}");
    }

    #[test]
    fn what_needs_a_view_is_left_to_it() {
        for file in [
            "User-agent: bot\nLicense: /a\n",
            "User-agent: bot\nRobot-version: 2.0.0\nDisallow: /a\n",
            "ACAP-crawler: *\nACAP-disallow-crawl: /a\n",
        ] {
            let policy = Policy::read(file.as_bytes().into(), None, Dialect::AUTO, None);
            assert_eq!(policy.crawl_unselected(b"bot", b"/a"), None, "{file}");
        }
    }
}
