//! What is wrong with a policy: its encoding, its size, its lines, and what the readers of other vocabularies report.

use crate::acap;
use crate::controls::is_control;
use crate::document::is_told;
use crate::extensions::{is_unreadable, kind_name};
use crate::fields::{Kind, field};
use crate::limits::Limits;
use crate::lines::{Lines, line_around, skip_mark};
use crate::places::to_u32;
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
    if policy.is_decoded() {
        let code = if policy.has_false_mark() { Code::FalseUtf16Mark } else { Code::DecodedUtf16 };
        problems.add(code, 1, 0, &[]);
    }
    if matches!(skip_mark(text), 1 | 2) {
        problems.add(Code::PartialByteOrderMark, 1, 0, &[]);
    }
    if let Some(what) = policy.unreadable() {
        problems.add(Code::PackedFile, 1, 0, &[&what.to_string()]);
        // It has no lines.
        return;
    }
    if !policy.is_beyond() && policy.state == State::Present && !is_told(&policy.octets) {
        problems.add(Code::NoRobotsTxt, 1, 0, &[]);
    }
    if policy.is_beyond() {
        let cut = policy.table.cut_at.unwrap_or(text.len());
        let line = to_u32(memchr::memchr_iter(b'\n', text.get(..cut).unwrap_or(text)).count().saturating_add(1));
        problems.add(
            Code::CutFile,
            line,
            to_u32(cut),
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
        let start = to_u32(line_around(text, line.start.saturating_add(skip)).0);
        let mut say = |code, words: &[&str]| problems.add(code, line.number, start, words);
        if body.len() > limits.line_octets {
            say(Code::OverlongLine, &[&body.len().to_string(), &limits.line_octets.to_string()]);
        }
        if std::str::from_utf8(body).is_err() {
            say(Code::InvalidUtf8, &[]);
        }
        if memchr::memchr(0, body).is_some() {
            say(Code::Nul, &[]);
        }
        let controls = policy.line_manner().controls;
        if controls && body.iter().any(|byte| *byte != 0 && is_control(*byte)) {
            say(Code::ControlCharacter, &[]);
        }
        let field = field(body, policy.line_manner());
        let name = String::from_utf8_lossy(field.name).into_owned();
        if field.misspelt {
            say(Code::MisspeltField, &[&name, kind_name(field.kind)]);
        }
        if field.no_colon && field.kind != Kind::Unknown {
            say(Code::MissingColon, &[&name]);
        }
        if let Some((_, code, seen)) = once.iter_mut().find(|(kind, _, _)| *kind == field.kind)
            && std::mem::replace(seen, true)
        {
            say(*code, &[]);
        }
        match field.kind {
            Kind::Agent => {
                grouped = true;
                once.iter_mut().for_each(|(_, _, seen)| *seen = false);
                if field.value.is_empty() {
                    say(Code::EmptyAgent, &[]);
                }
            }
            Kind::Allow | Kind::Disallow => {
                if !grouped {
                    say(Code::RuleBeforeAgent, &[&name]);
                }
                let value = String::from_utf8_lossy(field.value).into_owned();
                if policy.dialect.precedence.has_wildcards() && !matches!(field.value.first(), None | Some(b'/' | b'*'))
                {
                    let code = if value.contains("://") { Code::AbsoluteRule } else { Code::RelativePattern };
                    say(code, &[&value]);
                }
            }
            kind if is_unreadable(kind, field.value) => {
                say(Code::UnreadableValue, &[kind_name(kind), &String::from_utf8_lossy(field.value)]);
            }
            Kind::ContentSignal | Kind::ContentUsage => {
                let notes = Vocabulary::of(field.kind).map(|vocabulary| signals::line(vocabulary, field.value).notes);
                for (code, words) in notes.into_iter().flatten() {
                    say(code, &words.iter().map(String::as_str).collect::<Vec<_>>());
                }
            }
            Kind::Unknown => say(Code::UnknownField, &[&name]),
            Kind::Text => say(Code::NoField, &[&String::from_utf8_lossy(field.value)]),
            _ => {}
        }
    }
}
