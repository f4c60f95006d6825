//! What is wrong with a policy: its encoding, its size, its lines, and what the readers of ACAP and signals report.

use std::borrow::Cow;

use crate::acap;
use crate::controls::is_control;
use crate::extensions::{is_unreadable, kind_name};
use crate::fields::{Kind, field};
use crate::limits::Limits;
use crate::lines::{Entry, Lines, common, line_around, skip_mark};
use crate::octets::trim;
use crate::places::{Place, Span, around, to_u32, to_usize};
use crate::policy::{Policy, State};
use crate::problems::{Code, Problem, Problems};
use crate::signals::{self, Vocabulary};

impl Policy {
    /// The problems that the readers found; computed on demand.
    pub fn problems(&self) -> Vec<Problem> {
        self.reported(Problems::kept()).into_list()
    }

    /// How many of these there are of each code.
    pub(crate) fn problem_numbers(&self) -> Vec<(Code, usize)> {
        self.reported(Problems::counted()).into_numbers()
    }

    fn reported(&self, mut problems: Problems) -> Problems {
        let is_plain = self.table.others_are_faultless && !self.is_decoded() && self.unreadable().is_none();
        if is_plain && !self.is_too_large() && self.has_faultless_rules() && self.is_told() {
            return problems;
        }
        let limits = self.limits();
        conventional(self, &limits, &mut problems);
        if self.acap.is_some() && self.unreadable().is_none() {
            acap::read(self.text(), &self.table.entries, self.origin(), &limits, &[], &mut problems);
        }
        problems
    }

    /// Whether no rule has a problem, nor a User-agent line, where each is spelt as usual.
    fn has_faultless_rules(&self) -> bool {
        let mut grouped = false;
        self.table.entries.iter().all(|entry| match entry.kind {
            Kind::Agent => {
                grouped = true;
                entry.len > 0
            }
            Kind::Allow | Kind::Disallow => grouped && is_pattern(entry.value(self.text())),
            _ => true,
        })
    }
}

/// Reports problems of the conventional lines, the encoding and the size.
fn conventional(policy: &Policy, limits: &Limits, problems: &mut Problems) {
    let text = policy.text();
    let whole = Place { line: 1, ..Place::default() };
    if policy.is_decoded() {
        let code = if policy.has_false_mark() { Code::FalseUtf16Mark } else { Code::DecodedUtf16 };
        problems.add(code, whole, &[]);
    }
    if matches!(skip_mark(text), 1 | 2) {
        problems.add(Code::PartialByteOrderMark, whole, &[]);
    }
    if let Some(what) = policy.unreadable() {
        problems.add(Code::PackedFile, whole, &[&what.to_string()]);
        // It has no lines.
        return;
    }
    if !policy.is_too_large() && policy.state == State::Present && !policy.is_told() {
        problems.add(Code::NoRobotsTxt, whole, &[]);
    }
    if policy.is_too_large() {
        let cut = policy.table.cut_at.map_or(text.len(), to_usize);
        let line = to_u32(memchr::memchr_iter(b'\n', text.get(..cut).unwrap_or(text)).count().saturating_add(1));
        let start = to_u32(cut);
        problems.add(
            Code::CutFile,
            Place { line, start, part: Span { start, len: to_u32(text.len()).saturating_sub(start) } },
            &[&policy.octets.len().to_string(), &limits.file_octets.to_string()],
        );
    }
    let end = policy.table.cut_at.map_or(text.len(), to_usize);
    // No octet of such a text is a problem.
    let holds = policy.table.holds;
    let is_known = policy.line_manner().controls && !holds.odd && !matches!(skip_mark(text), 1 | 2);
    let is_clean = is_known && (holds.ascii || std::str::from_utf8(text).is_ok());
    // Lines that were taken apart when the text was read are not looked at again.
    let mut known: &[Entry] = if is_clean { &policy.table.entries } else { &[] };
    let are_counted = problems.are_counted();
    let words = |octets| if are_counted { Cow::Borrowed("") } else { String::from_utf8_lossy(octets) };
    let has_wildcards = policy.dialect.precedence.has_wildcards();
    let mut grouped = false;
    // Fields that a group has once at most, each with whether it was seen.
    let mut once =
        [(Kind::VisitTime, Code::SecondVisitTime, false), (Kind::RobotVersion, Code::SecondRobotVersion, false)];
    let mut lines = Lines::new(text.get(..end).unwrap_or(text));
    loop {
        let (mut next, mut skipped) = (lines.next_number(), None);
        while let Some((entry, rest)) = known.split_first().filter(|(entry, _)| entry.line <= next) {
            if entry.line == next {
                match faultless_entry(entry, text, grouped && has_wildcards) {
                    Some(Faultless::Agent) => {
                        grouped = true;
                        once.iter_mut().for_each(|(_, _, seen)| *seen = false);
                    }
                    Some(Faultless::Other) => {}
                    None => break,
                }
                skipped = Some(entry);
                next = next.saturating_add(1);
            }
            known = rest;
        }
        if let Some(entry) = skipped {
            lines.skip_to(entry);
        }
        let Some(line) = lines.next() else { break };
        let skip = if line.number == 1 { skip_mark(text) } else { 0 };
        let Some(body) = text.get(line.start.saturating_add(skip)..line.end) else { continue };
        if is_clean && body.len() <= limits.line_octets {
            match faultless(body, grouped && has_wildcards) {
                Some(Faultless::Agent) => {
                    grouped = true;
                    once.iter_mut().for_each(|(_, _, seen)| *seen = false);
                    continue;
                }
                Some(Faultless::Other) => continue,
                None => {}
            }
        }
        let field = field(body, policy.line_manner());
        let [named, value] = [[field.name; 2], [field.value; 2]];
        let whole = [&[][..]; 2];
        let mut say = |code, parts, words: &[&str]| {
            if are_counted {
                return problems.add(code, Place::default(), &[]);
            }
            let (start, written) = line_around(text, line.start.saturating_add(skip));
            let parts = around(text, parts);
            let part = if parts.is_empty() { around(text, [written; 2]) } else { parts };
            problems.add(code, Place { line: line.number, start: to_u32(start), part }, words);
        };
        if body.len() > limits.line_octets {
            say(Code::OverlongLine, whole, &[&body.len().to_string(), &limits.line_octets.to_string()]);
        }
        if !is_clean && std::str::from_utf8(body).is_err() {
            say(Code::InvalidUtf8, whole, &[]);
        }
        if memchr::memchr(0, body).is_some() {
            say(Code::Nul, whole, &[]);
        }
        let controls = policy.line_manner().controls;
        if controls && body.iter().any(|byte| *byte != 0 && is_control(*byte)) {
            say(Code::ControlCharacter, whole, &[]);
        }
        let name = || words(field.name);
        if field.misspelt {
            say(Code::MisspeltField, named, &[&name(), kind_name(field.kind)]);
        }
        if field.no_colon && field.kind != Kind::Unknown {
            say(Code::MissingColon, named, &[&name()]);
        }
        if let Some((_, code, seen)) = once.iter_mut().find(|(kind, _, _)| *kind == field.kind)
            && std::mem::replace(seen, true)
        {
            say(*code, [field.name, field.value], &[]);
        }
        match field.kind {
            Kind::Agent => {
                grouped = true;
                once.iter_mut().for_each(|(_, _, seen)| *seen = false);
                if field.value.is_empty() {
                    say(Code::EmptyAgent, named, &[]);
                }
            }
            Kind::Allow | Kind::Disallow => {
                if !grouped {
                    say(Code::RuleBeforeAgent, [field.name, field.value], &[&name()]);
                }
                if has_wildcards && !is_pattern(field.value) {
                    let written = String::from_utf8_lossy(field.value);
                    let code = if written.contains("://") { Code::AbsoluteRule } else { Code::RelativePattern };
                    say(code, value, &[&written]);
                }
            }
            kind if is_unreadable(kind, field.value) => {
                say(Code::UnreadableValue, value, &[kind_name(kind), &words(field.value)]);
            }
            Kind::ContentSignal | Kind::ContentUsage => {
                let read = |vocabulary| signals::line(vocabulary, field.value, policy.dialect.by_letter);
                let notes = Vocabulary::of(field.kind).map(|vocabulary| read(vocabulary).notes);
                for (code, words) in notes.into_iter().flatten() {
                    say(code, value, &words.iter().map(String::as_str).collect::<Vec<_>>());
                }
            }
            Kind::Unknown => say(Code::UnknownField, named, &[&name()]),
            Kind::Text => say(Code::NoField, value, &[&words(field.value)]),
            _ => {}
        }
    }
}

/// A line of which nothing can be wrong.
enum Faultless {
    Agent,
    Other,
}

/// The same of a line that was taken apart; none for one that is not usual.
fn faultless_entry(entry: &Entry, text: &[u8], rules: bool) -> Option<Faultless> {
    if !entry.is_usual() {
        return None;
    }
    is_faultless(entry.kind, entry.value(text), rules)
}

/// Tells the commonest lines that are faultless; none for any other. `rules`: a rule is one, if its pattern is.
fn faultless(line: &[u8], rules: bool) -> Option<Faultless> {
    let first = line.first().filter(|octet| **octet != b'#');
    if first.is_none() {
        return Some(Faultless::Other);
    }
    let body = memchr::memchr(b'#', line).and_then(|at| line.get(..at)).unwrap_or(line);
    let (kind, value) = common(body)?;
    is_faultless(kind, trim(value), rules)
}

fn is_faultless(kind: Kind, value: &[u8], rules: bool) -> Option<Faultless> {
    match kind {
        Kind::Agent if !value.is_empty() => Some(Faultless::Agent),
        Kind::Sitemap => Some(Faultless::Other),
        Kind::Allow | Kind::Disallow if rules && is_pattern(value) => Some(Faultless::Other),
        _ => None,
    }
}

/// Whether the value of a rule is empty or begins as a pattern does.
fn is_pattern(value: &[u8]) -> bool {
    matches!(value.first(), None | Some(b'/' | b'*'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;

    /// The same octets read as a text of which nothing is known.
    fn at_length(text: &str) -> Vec<Problem> {
        let mut policy = Policy::read(text.as_bytes().into(), None, Dialect::AUTO, None);
        let table = std::sync::Arc::make_mut(&mut policy.table);
        table.others_are_faultless = false;
        (table.holds.ascii, table.holds.odd) = (false, true);
        policy.problems()
    }

    /// The number of each code.
    fn numbers(problems: &[Problem]) -> Vec<(Code, usize)> {
        let mut out: Vec<(Code, usize)> = Vec::new();
        for code in problems.iter().map(|problem| problem.code) {
            match out.iter_mut().find(|(held, _)| *held == code) {
                Some((_, number)) => *number = number.saturating_add(1),
                None => out.push((code, 1)),
            }
        }
        out
    }

    #[test]
    fn problems_beyond_the_limit_are_counted_as_they_are_listed() {
        let text = format!("User-agent: *\n{}## ACAP version=1.0\nACAP-bogus: x\n", "a: b\nc\n".repeat(5_001));
        let policy = Policy::read(text.as_bytes().into(), None, Dialect::AUTO, None);
        let mut listed = numbers(&policy.problems());
        let mut counted = policy.problem_numbers();
        assert!(counted.contains(&(Code::MoreOfThis, 2)), "{counted:?}");
        listed.sort_unstable();
        counted.sort_unstable();
        assert_eq!(counted, listed);
    }

    #[test]
    fn what_is_left_of_a_letter_behind_a_part_of_a_mark_is_no_utf_8() {
        for text in [&b"\xEF\xBB\xBE\nFoo: b"[..], b"\xEF\xBC\x9A: x\nUser-agent: *"] {
            let policy = Policy::read(text.into(), None, Dialect::AUTO, None);
            let codes: Vec<Code> = policy.problems().iter().map(|problem| problem.code).collect();
            assert!(codes.contains(&Code::InvalidUtf8), "{codes:?}");
        }
    }

    #[test]
    fn a_text_without_faults_is_told_from_others_as_it_is_read() {
        let lines = [
            "User-agent: *",
            "User-agent:",
            "User-agent: a # b",
            "Disallow: /",
            "Disallow:",
            "Disallow: a",
            "allow: *x$",
            "Disallow /x",
            "Dissallow: /y",
            "Allow: https://a.example/",
            "Sitemap: https://a.example/s.xml",
            "sitemap x",
            "site-map: /s",
            "Crawl-delay: 5",
            "Crawl-delay: x",
            "Crawl-delay:",
            "Host: a",
            "Clean-param: x /y",
            "Foo: b",
            "",
            " \t",
            "# c",
            "  # d",
            "## ACAP version=1.0",
            "words",
            "Visit-time: 1",
            "Robot-version: 2.0.0",
            "\u{e4}",
            "Content-Signal: ai-train=no",
            "Content-Usage: bogus",
            "License: x",
            "Noindex: /z",
            "\u{7f}Disallow: /",
            "# \u{e4}",
            "Disallow: /\u{e4}",
            "\u{a0}Disallow: /",
            "a\0",
        ]; // fmt: skip
        for first in lines {
            for second in lines {
                for text in [format!("{first}\n{second}"), format!("User-agent: x\r\n{first}\r{second}\n")] {
                    let policy = Policy::read(text.as_bytes().into(), None, Dialect::AUTO, None);
                    assert_eq!(policy.problems(), at_length(&text), "{text:?}");
                    assert_eq!(policy.problem_numbers(), numbers(&policy.problems()), "{text:?}");
                }
            }
        }
    }
}
