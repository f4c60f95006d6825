//! A policy: the octets of one robots.txt, what was read of them, and what each crawler was found to be told.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::acap;
use crate::conventional;
use crate::decide::View;
use crate::document::{Unreadable, unreadable, unreadable_as};
use crate::file::File;
use crate::limits::{FILE_OCTETS_MOST, Limits};
use crate::lines::{self, Kind, Lines, Manner, Table};
use crate::problems::{Problem, Problems};
use crate::statement::Effect;
use crate::url::split_origin;
use crate::usage::{ANY, COMPOSITES, KNOWN, OTHER, Usage, made_up};

/// A way of reading conventional lines. `Auto` alone reads ACAP lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    Auto,
    Rfc9309,
    Google,
    Rep1994,
    Norobots1996,
    Robots2,
}

impl Dialect {
    pub const ALL: [(&'static str, Self); 6] = [
        ("auto", Self::Auto),
        ("rfc9309", Self::Rfc9309),
        ("google", Self::Google),
        ("rep-1994", Self::Rep1994),
        ("norobots-1996", Self::Norobots1996),
        ("robots-2.0", Self::Robots2),
    ];

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, dialect)| *dialect)
    }

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, dialect)| *dialect == self).map_or("", |(name, _)| name)
    }

    /// Groups, the longest pattern, wildcards: RFC 9309 and what is like it.
    pub fn is_modern(self) -> bool {
        matches!(self, Self::Auto | Self::Rfc9309 | Self::Google)
    }

    /// Paths of the resources that carry policy by their name, and so may always be fetched.
    pub(crate) fn policy_paths(self) -> &'static [&'static [u8]] {
        match self {
            Self::Auto => &[b"/robots.txt", b"/ai.txt", b"/.well-known/tdmrep.json"],
            Self::Rfc9309 | Self::Norobots1996 => &[b"/robots.txt"],
            Self::Google | Self::Rep1994 | Self::Robots2 => &[],
        }
    }

    pub(crate) fn manner(self) -> Manner {
        Manner {
            nul_ends_line: self == Self::Google,
            cut_overlong: self == Self::Google,
            controls: self != Self::Google,
            unseen: self != Self::Google,
            acap: self == Self::Auto,
            blanks: !self.is_modern(),
        }
    }
}

/// Whether there was a robots.txt to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Present,
    /// No instructions: what a 404 means (RFC 9309 2.3.1.3).
    Absent,
    /// Complete disallow: what a 503 means (RFC 9309 2.3.1.4).
    Unreachable,
}

/// What a reference led to; without octets its retrieval failed, which prohibits.
#[derive(Debug)]
pub struct Supplied {
    pub uri: Box<str>,
    pub octets: Option<Arc<[u8]>>,
    pub text: Arc<[u8]>,
    /// The records found; none if the resource cannot be read as permissions.
    pub file: Option<acap::File>,
}

/// One robots.txt, read.
#[derive(Debug)]
pub struct Policy {
    pub octets: Arc<[u8]>,
    /// The text where it is not the octets: UTF-16 decoded, or without a false mark of it.
    decoded: Option<Decoded>,
    pub dialect: Dialect,
    pub limits: Option<Box<Limits>>,
    pub url: Option<Box<str>>,
    pub origin: Option<Box<[u8]>>,
    pub state: State,
    /// The file has more octets than the limit.
    beyond: bool,
    unreadable: Option<Unreadable>,
    pub table: Arc<Table>,
    pub acap: Option<Arc<acap::File>>,
    pub supplied: Vec<Arc<Supplied>>,
    views: Views,
}

#[derive(Debug, Default)]
struct Views {
    first: OnceLock<Arc<View>>,
    more: Mutex<Vec<Arc<View>>>,
}

/// So many crawlers beside the first are remembered with what they are told.
const VIEWS: usize = 15;

/// A text that is not its octets.
#[derive(Clone, Debug)]
struct Decoded {
    text: Arc<[u8]>,
    /// The mark was none of UTF-16, and was skipped.
    false_mark: bool,
}

/// UTF-16 with a byte order mark as UTF-8; an odd last octet is dropped.
///
/// The mark is skipped where the octets after it have a field as UTF-8 and none by the mark. Beyond the limit nothing is
/// read, and no part of a line.
fn decode(octets: &[u8], limits: &Limits) -> Option<Decoded> {
    let (big, all) = match octets {
        [0xFE, 0xFF, rest @ ..] => (true, rest),
        [0xFF, 0xFE, rest @ ..] => (false, rest),
        _ => return None,
    };
    let most = limits.file_octets.min(FILE_OCTETS_MOST).saturating_sub(2);
    let rest = all.get(..most).unwrap_or(all);
    let whole = |text: &[u8]| -> Arc<[u8]> {
        let ends = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let end = if rest.len() == all.len() { Some(text.len()) } else { text.iter().rposition(ends) };
        Arc::from(text.get(..end.unwrap_or(0)).unwrap_or(text))
    };
    let units = rest.as_chunks::<2>().0.iter().map(|pair| match big {
        true => u16::from_be_bytes(*pair),
        false => u16::from_le_bytes(*pair),
    });
    let text: String = char::decode_utf16(units).map(|letter| letter.unwrap_or('\u{FFFD}')).collect();
    let false_mark = has_field(rest) && !has_field(text.as_bytes());
    if false_mark {
        drop(text);
        return Some(Decoded { text: whole(rest), false_mark });
    }
    Some(Decoded { text: whole(text.as_bytes()), false_mark })
}

/// Whether a line of a text has a field that we know.
fn has_field(text: &[u8]) -> bool {
    let known = |line: lines::Line| {
        let field = lines::field(text.get(line.start..line.end).unwrap_or(&[]), Dialect::Auto.manner());
        match field.kind {
            Kind::Blank | Kind::Remark | Kind::AcapComment | Kind::Unknown | Kind::Text | Kind::Torn => false,
            Kind::Acap => acap::is_known(field.value),
            _ => true,
        }
    };
    Lines::new(text).any(known)
}

/// The text of octets: they themselves, or UTF-16 decoded.
pub(crate) fn text_of(octets: &[u8], dialect: Dialect) -> Cow<'_, [u8]> {
    let all = Limits { file_octets: usize::MAX, ..Limits::default() };
    let decoded = if dialect == Dialect::Google { None } else { decode(octets, &all) };
    decoded.map_or(Cow::Borrowed(octets), |decoded| Cow::Owned(decoded.text.to_vec()))
}

/// The limits given, or those of the dialect.
fn in_force(limits: Option<&Limits>, dialect: Dialect) -> Cow<'_, Limits> {
    match (limits, dialect) {
        // That matcher has no limit but its line buffer, the last octet of which is the NUL.
        (_, Dialect::Google) => Cow::Owned(Limits {
            file_octets: usize::MAX,
            line_octets: crate::limits::LINE_OCTETS.saturating_sub(1),
            ..Limits::default()
        }),
        (Some(limits), _) => Cow::Borrowed(limits),
        (None, _) => Cow::Owned(Limits::default()),
    }
}

/// Whether what a name stands for may be any usage, as a limit cut what would tell.
fn is_any(parts: &[acap::Part]) -> bool {
    parts.iter().any(|(name, ..)| ANY.name() == Some(name))
}

impl Policy {
    /// Reads octets. Never fails: any octets give a policy.
    pub fn read(octets: Arc<[u8]>, url: Option<&str>, dialect: Dialect, limits: Option<Limits>) -> Self {
        let given = in_force(limits.as_ref(), dialect);
        let decoded = if dialect == Dialect::Google { None } else { decode(&octets, &given) };
        let beyond = octets.len() > given.file_octets.min(FILE_OCTETS_MOST);
        let text = decoded.as_ref().map_or(&*octets, |decoded| &decoded.text);
        let given = match decoded {
            // The limit counts octets of the file.
            Some(_) => Cow::Owned(Limits { file_octets: FILE_OCTETS_MOST, ..given.into_owned() }),
            None => given,
        };
        let mut table = lines::read(text, &given, dialect.manner());
        // Of octets that are no text nobody knows what they say; Google reads whatever there is.
        let judged = !beyond && dialect != Dialect::Google;
        let unreadable = judged.then(|| unreadable_as(&octets, text, table.holds)).flatten();
        if table.cut_names && matches!(dialect, Dialect::Auto | Dialect::Robots2) {
            // Who is addressed decides which of its readings a record has, and whose signals are heard.
            let auto = dialect == Dialect::Auto;
            let by_agent = (auto && (table.signals || table.licensed))
                || table.entries.iter().any(|entry| entry.kind == Kind::RobotVersion);
            let cut = table.entries.iter().position(|entry| entry.kind == Kind::Agent && entry.is_cut());
            table.torn = table.torn.or(cut.filter(|_| by_agent).map(lines::to_u32));
        }
        let origin = url.and_then(|url| split_origin(url.as_bytes())).map(|(origin, _)| origin.into_boxed_slice());
        let acap = table.acap.then(|| {
            Arc::new(acap::read(text, &table.entries, origin.as_deref(), &given, &[], &mut Problems::unheard()))
        });
        Self {
            decoded,
            beyond,
            unreadable,
            dialect,
            url: url.map(Into::into),
            origin,
            state: State::Present,
            table: Arc::new(table),
            acap,
            supplied: Vec::new(),
            views: Views::default(),
            limits: limits.map(Box::new),
            octets,
        }
    }

    /// The policy that a missing or unreachable robots.txt stands for.
    pub fn without(url: Option<&str>, dialect: Dialect, state: State) -> Self {
        let mut policy = Self::read(Arc::from(&[][..]), url, dialect, None);
        policy.state = state;
        policy
    }

    /// The text that spans refer to.
    #[inline]
    pub fn text(&self) -> &[u8] {
        self.decoded.as_ref().map_or(&*self.octets, |decoded| &*decoded.text)
    }

    /// Whether the text is not the octets.
    pub fn is_decoded(&self) -> bool {
        self.decoded.is_some()
    }

    /// Whether the file begins with a mark of UTF-16 and is none.
    pub fn has_false_mark(&self) -> bool {
        self.decoded.as_ref().is_some_and(|decoded| decoded.false_mark)
    }

    /// What the octets are, if they are no text: they may say anything.
    pub fn unreadable(&self) -> Option<Unreadable> {
        self.unreadable
    }

    /// Whether the file has more octets than the limit.
    pub fn is_beyond(&self) -> bool {
        self.beyond
    }

    /// The limits in force.
    pub fn limits(&self) -> Limits {
        in_force(self.limits.as_deref(), self.dialect).into_owned()
    }

    /// How the lines of this policy are taken apart.
    pub fn line_manner(&self) -> Manner {
        self.dialect.manner()
    }

    /// Everything the readers found wrong; computed when asked for.
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = Problems::kept();
        let limits = self.limits();
        conventional::report(self, &limits, &mut problems);
        if self.acap.is_some() && self.unreadable.is_none() {
            acap::read(self.text(), &self.table.entries, self.origin.as_deref(), &limits, &[], &mut problems);
        }
        problems.into_list()
    }

    /// What local usages stand for that pages name (section 7).
    pub fn locals(&self, names: &[(String, Effect)]) -> Vec<acap::Local> {
        let each = |local: acap::Local| {
            if !is_any(&local.parts) {
                return local;
            }
            let uses = KNOWN.iter().filter(|(_, above)| above.is_none());
            let parts = uses.map(|(name, _)| ((*name).to_owned(), Effect::Prohibits, Vec::new())).collect();
            acap::Local { parts, ..local }
        };
        self.defined(names).into_iter().map(each).collect()
    }

    fn defined(&self, names: &[(String, Effect)]) -> Vec<acap::Local> {
        acap::locals(self.text(), &self.table.entries, &self.limits(), names)
    }

    /// The usages that a name stands for which the text defines, for whoever asks about it; none if it defines no such
    /// name, or if every constituent is void. A constituent that nobody knows is one of the other uses. Of one whose definition
    /// a limit cut nobody can tell: that is prohibited ([`ANY`]).
    pub fn parts_of(&self, name: &str) -> Option<Vec<Usage>> {
        self.acap.as_ref()?;
        let found = self.defined(&[(name.to_owned(), Effect::Permits)]).into_iter().next();
        let found = found.filter(|local| local.told && local.defined)?.parts;
        if is_any(&found) {
            return Some(vec![ANY]);
        }
        let mut parts = Vec::new();
        for (name, effect, _) in found {
            if let Some((_, known)) = COMPOSITES.iter().find(|(known, _)| *known == name) {
                parts.extend_from_slice(known);
                continue;
            }
            let part = Usage::known(&name).or_else(|| self.usage(&name)).unwrap_or(OTHER);
            parts.push(part);
            if effect == Effect::Prohibits {
                // What it stands for cannot be interpreted: all that it may be is asked.
                parts.extend(
                    KNOWN.iter().filter_map(|(name, _)| Usage::known(name)).filter(|below| part.covers(*below)),
                );
            }
        }
        let mut seen = HashSet::new();
        parts.retain(|part| seen.insert(*part));
        (!parts.is_empty()).then_some(parts)
    }

    /// Whether a limit cut what may have said anything, or nobody can read it: everything is prohibited then.
    #[inline]
    pub fn in_doubt(&self) -> bool {
        self.beyond || self.unreadable.is_some() || self.table.torn.is_some()
    }

    /// Whether not all is read: a limit cut something, or it is no text.
    pub fn truncated(&self) -> bool {
        self.unreadable.is_some() || self.is_cut()
    }

    /// Whether a limit cut something.
    pub fn is_cut(&self) -> bool {
        self.beyond || self.table.overlong || self.acap.as_ref().is_some_and(|file| file.too_much)
    }

    /// The same policy with the resource of a reference, or with the news that it could not be had.
    pub fn with_reference(&self, uri: &str, octets: Option<Arc<[u8]>>) -> Self {
        let mut policy = Self {
            octets: self.octets.clone(),
            decoded: self.decoded.clone(),
            dialect: self.dialect,
            limits: self.limits.clone(),
            url: self.url.clone(),
            origin: self.origin.clone(),
            state: self.state,
            beyond: self.beyond,
            unreadable: self.unreadable,
            table: self.table.clone(),
            acap: self.acap.clone(),
            supplied: self.supplied.iter().filter(|one| &*one.uri != uri).cloned().collect(),
            views: Views::default(),
        };
        let limits = policy.limits();
        let text: Arc<[u8]> = match &octets {
            Some(octets) => decode(octets, &limits).map_or_else(|| octets.clone(), |decoded| decoded.text),
            None => Arc::from(&[][..]),
        };
        // Of a file that is beyond the limit, or no text, nothing is sure.
        let most = limits.file_octets.min(FILE_OCTETS_MOST);
        let whole = octets.as_ref().is_some_and(|octets| octets.len() <= most && unreadable(octets).is_none());
        let file = whole.then(|| policy.referenced(&text)).flatten();
        policy.supplied.push(Arc::new(Supplied { uri: uri.into(), octets, text, file }));
        policy
    }

    /// The files there are: the policy's own, and those of its references.
    fn files(&self) -> impl Iterator<Item = &File> {
        self.acap.as_deref().into_iter().chain(self.supplied.iter().filter_map(|one| one.file.as_ref()))
    }

    /// The names of usages that only these files know, in the order of their numbers.
    pub fn usages(&self) -> &[Box<str>] {
        // Each file has the names of those that were read before it, in their order.
        self.files().map(|file| file.usages.as_slice()).max_by_key(|names| names.len()).unwrap_or(&[])
    }

    /// The usage of this lower-case name, if a statement of these files speaks of one that no dialect knows.
    pub fn usage(&self, name: &str) -> Option<Usage> {
        let usage = made_up(self.usages().iter().position(|held| &**held == name)?)?;
        self.files().any(|file| file.speaks_of(usage)).then_some(usage)
    }

    /// The name of a usage, known or of these files.
    pub fn usage_name(&self, usage: Usage) -> &str {
        let place = usize::from(usage.0).saturating_sub(KNOWN.len());
        usage.name().or_else(|| self.usages().get(place).map(|name| &**name)).unwrap_or("")
    }

    /// Reads what a reference led to: the ACAP records alone, of text that is not XML.
    fn referenced(&self, text: &[u8]) -> Option<acap::File> {
        let start = lines::skip_mark(text);
        let body = text.get(start..).unwrap_or(&[]);
        if body.trim_ascii_start().first() == Some(&b'<') {
            return None;
        }
        let limits = self.limits();
        let limits = Limits { file_octets: FILE_OCTETS_MOST, ..limits };
        let table = lines::read(text, &limits, Dialect::Auto.manner());
        if table.torn.is_some() {
            return None;
        }
        // Patterns apply to the referring site.
        let usages = self.usages();
        let file = acap::read(text, &table.entries, self.origin.as_deref(), &limits, usages, &mut Problems::unheard());
        (!file.records.is_empty()).then_some(file)
    }

    /// What a crawler of these names is told; the last few crawlers are remembered.
    pub fn view<N: AsRef<str>>(&self, names: &[N]) -> Arc<View> {
        if let Some(view) = self.views.first.get() {
            if view.is_for(names) {
                return view.clone();
            }
        } else {
            let view = Arc::new(View::new(self, names));
            if self.views.first.set(view.clone()).is_ok() {
                return view;
            }
        }
        let mut more = self.views.more.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(view) = more.iter().find(|view| view.is_for(names)) {
            return view.clone();
        }
        let view = Arc::new(View::new(self, names));
        if more.len() >= VIEWS {
            more.remove(0);
        }
        more.push(view.clone());
        view
    }

    /// Octets held, the text included.
    pub fn memory(&self) -> usize {
        let entries = self.table.entries.len().saturating_mul(size_of::<lines::Entry>());
        let decoded = self.decoded.as_ref().map_or(0, |decoded| decoded.text.len());
        size_of::<Self>().saturating_add(self.octets.len()).saturating_add(entries).saturating_add(decoded)
    }
}
