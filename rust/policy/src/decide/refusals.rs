//! The verdict of the Robots Exclusion Protocol on crawl.

use crate::limits::CITED;
use crate::policy::Policy;
use crate::rep::Selection;
use crate::resolution::{Cite, Key};
use crate::robots2::Asked;
use crate::rules::Rule;

/// The verdict of the conventional lines on crawl.
#[derive(Default)]
pub(super) struct Conventional {
    /// The refusals, the strongest first.
    pub(super) refusals: Vec<Refusal>,
    /// The line that permits, where none refuses.
    pub(super) permits: Option<Cite>,
    pub(super) lost: Vec<(Cite, Key)>,
}

/// A conventional line that refuses.
pub(super) struct Refusal {
    pub(super) pattern: Vec<u8>,
    pub(super) cite: Cite,
    /// Its group names the crawler.
    pub(super) named: bool,
    /// A limit cut it: nothing lifts it.
    pub(super) firm: bool,
}

impl Policy {
    /// The verdict of the Robots Exclusion Protocol: the rule it selects. Where that rule refuses and ACAP fields could
    /// overcome it, every other rule that would refuse in its place is added: otherwise one more Disallow, longer but
    /// broader than an ACAP permission, could be selected and overcome, and so permit (our choice).
    pub(super) fn conventional(&self, rep: &Selection, path: &[u8], acap: bool, trace: bool) -> Conventional {
        let text = self.text();
        let mut out = Conventional::default();
        for apart in rep.apart.iter().filter(|apart| apart.matches(path)) {
            let (pattern, cite) = (apart.pattern.to_vec(), Cite::Line(apart.entry));
            out.refusals.push(Refusal { pattern, cite, named: true, firm: apart.firm });
        }
        let selected = rep.decide(text, path);
        if let Some(winner) = selected
            && trace
        {
            let others = rep.rules.iter().filter(|other| other.entry != winner.entry);
            let matching = others.filter(|other| rep.rules.matches(text, **other, path));
            let lost = matching.map(|other| (Cite::Line(other.entry), self.dialect.precedence.lost_on(winner, *other)));
            out.lost = lost.take(CITED).collect();
        }
        match selected {
            Some(rule) if rule.refuses() => {
                let mut refusing = vec![rule];
                if acap {
                    let matching = |rule: &&Rule| rep.rules.matches(text, **rule, path);
                    let all = || rep.rules.iter().filter(matching);
                    let permitted = all().filter(|rule| rule.permits()).map(|rule| rule.priority()).max().unwrap_or(0);
                    let more = all()
                        .filter(|other| other.entry != rule.entry && !other.permits() && other.priority() > permitted);
                    refusing.extend(more.copied());
                    refusing.sort_by_key(|rule| (std::cmp::Reverse(rule.key), rule.entry));
                }
                let refusal = |rule: Rule| Refusal {
                    pattern: rep.rules.pattern(text, rule).to_vec(),
                    cite: Cite::Line(rule.entry),
                    named: rep.named,
                    firm: false,
                };
                out.refusals.extend(refusing.into_iter().map(refusal));
            }
            Some(rule) => out.permits = Some(Cite::Line(rule.entry)),
            None => {}
        }
        if rep.records.is_empty() {
            return out;
        }
        let mut asked = Asked::new(path);
        for record in &rep.records {
            let found = record.decide(&mut asked);
            let cite = found.entry.map_or(Cite::NothingMatched, Cite::Line);
            if trace {
                let others =
                    record.others(&mut asked, found.entry).into_iter().map(|(entry, key)| (Cite::Line(entry), key));
                out.lost.extend(others.take(CITED.saturating_sub(out.lost.len())));
            }
            if found.refuses {
                let pattern = found.entry.and_then(|entry| record.pattern_of(entry)).unwrap_or_else(|| b"/".to_vec());
                out.refusals.push(Refusal { pattern, cite, named: record.named, firm: false });
            } else if found.entry.is_some() {
                out.permits.get_or_insert(cite);
            }
        }
        out
    }
}
