//! What is wrong with a policy: its encoding, its size, its lines, and what the readers of ACAP and signals report.

use crate::acap;
use crate::controls::is_control;
use crate::document::is_told;
use crate::extensions::{is_unreadable, kind_name};
use crate::fields::{Kind, field};
use crate::limits::Limits;
use crate::lines::{Lines, line_around, skip_mark};
use crate::places::{Place, Span, around, to_u32};
use crate::policy::{Policy, State};
use crate::problems::{Code, Problem, Problems};
use crate::signals::{self, Vocabulary};

impl Policy {
    /// The problems that the readers found; computed on demand.
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = Problems::kept();
        let limits = self.limits();
        conventional(self, &limits, &mut problems);
        if self.acap.is_some() && self.unreadable().is_none() {
            acap::read(self.text(), &self.table.entries, self.origin.as_deref(), &limits, &[], &mut problems);
        }
        problems.into_list()
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
    if !policy.is_too_large() && policy.state == State::Present && !is_told(&policy.octets) {
        problems.add(Code::NoRobotsTxt, whole, &[]);
    }
    if policy.is_too_large() {
        let cut = policy.table.cut_at.unwrap_or(text.len());
        let line = to_u32(memchr::memchr_iter(b'\n', text.get(..cut).unwrap_or(text)).count().saturating_add(1));
        let start = to_u32(cut);
        problems.add(
            Code::CutFile,
            Place { line, start, part: Span { start, len: to_u32(text.len()).saturating_sub(start) } },
            &[&policy.octets.len().to_string(), &limits.file_octets.to_string()],
        );
    }
    let end = policy.table.cut_at.unwrap_or(text.len());
    let mut grouped = false;
    // Fields that a group has once at most, each with whether it was seen.
    let mut once =
        [(Kind::VisitTime, Code::SecondVisitTime, false), (Kind::RobotVersion, Code::SecondRobotVersion, false)];
    for line in Lines::new(text.get(..end).unwrap_or(text)) {
        let skip = if line.number == 1 { skip_mark(text) } else { 0 };
        let Some(body) = text.get(line.start.saturating_add(skip)..line.end) else { continue };
        let (start, written) = line_around(text, line.start.saturating_add(skip));
        let field = field(body, policy.line_manner());
        let [whole, named, value] = [[written; 2], [field.name; 2], [field.value; 2]];
        let mut say = |code, parts, words: &[&str]| {
            let parts = around(text, parts);
            let part = if parts.is_empty() { around(text, whole) } else { parts };
            problems.add(code, Place { line: line.number, start: to_u32(start), part }, words);
        };
        if body.len() > limits.line_octets {
            say(Code::OverlongLine, whole, &[&body.len().to_string(), &limits.line_octets.to_string()]);
        }
        if std::str::from_utf8(body).is_err() {
            say(Code::InvalidUtf8, whole, &[]);
        }
        if memchr::memchr(0, body).is_some() {
            say(Code::Nul, whole, &[]);
        }
        let controls = policy.line_manner().controls;
        if controls && body.iter().any(|byte| *byte != 0 && is_control(*byte)) {
            say(Code::ControlCharacter, whole, &[]);
        }
        let name = String::from_utf8_lossy(field.name).into_owned();
        if field.misspelt {
            say(Code::MisspeltField, named, &[&name, kind_name(field.kind)]);
        }
        if field.no_colon && field.kind != Kind::Unknown {
            say(Code::MissingColon, named, &[&name]);
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
                    say(Code::RuleBeforeAgent, [field.name, field.value], &[&name]);
                }
                let written = String::from_utf8_lossy(field.value);
                if policy.dialect.precedence.has_wildcards() && !matches!(field.value.first(), None | Some(b'/' | b'*'))
                {
                    let code = if written.contains("://") { Code::AbsoluteRule } else { Code::RelativePattern };
                    say(code, value, &[&written]);
                }
            }
            kind if is_unreadable(kind, field.value) => {
                say(Code::UnreadableValue, value, &[kind_name(kind), &String::from_utf8_lossy(field.value)]);
            }
            Kind::ContentSignal | Kind::ContentUsage => {
                let read = |vocabulary| signals::line(vocabulary, field.value, policy.dialect.by_letter);
                let notes = Vocabulary::of(field.kind).map(|vocabulary| read(vocabulary).notes);
                for (code, words) in notes.into_iter().flatten() {
                    say(code, value, &words.iter().map(String::as_str).collect::<Vec<_>>());
                }
            }
            Kind::Unknown => say(Code::UnknownField, named, &[&name]),
            Kind::Text => say(Code::NoField, value, &[&String::from_utf8_lossy(field.value)]),
            _ => {}
        }
    }
}
