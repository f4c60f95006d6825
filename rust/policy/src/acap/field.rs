//! Names of ACAP fields, with the tolerance that real files need: blanks and Unicode dashes for hyphens, no colon.

use super::spelling::{self, PROHIBITING, Verb, fold, may_permit, prohibited, slip, verb};
use crate::controls::{ended, is_control, trimmed as trim, without};
use crate::octets::is_space;
use crate::usage::Usage;

/// The usage that a permission or prohibition names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum About {
    Known(Usage),
    Plural(Usage),
    Unknown(String),
    Local(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Name {
    Crawler,
    Purpose,
    Allow(About),
    Disallow(About),
    QualifiedUsage,
    CompositeUsage,
    ResourceSet,
    Reference,
    Request { take_down: bool },
    IgnoreConventional,
    Version,
    Unknown,
}

/// The parts of a field: its name, its value, and how the name was found.
pub(super) struct Field<'a> {
    pub(super) name: Name,
    /// The name as written.
    pub(super) head: &'a [u8],
    pub(super) value: &'a [u8],
    pub(super) tolerated: bool,
    /// The name had to be guessed; a permission then permits nothing.
    pub(super) slipped: bool,
    /// It need not name a resource: a prohibition without one covers every resource.
    pub(super) vague: bool,
    /// Further possible values, where its name may end in several places.
    pub(super) more: Vec<&'a [u8]>,
    /// Ending elsewhere, the name is a prohibition of another usage: which usage is meant cannot be told.
    pub(super) ambiguous: bool,
}

impl<'a> Field<'a> {
    /// A field whose name is in its place and can end in one place only.
    fn new(name: Name, head: &'a [u8], value: &'a [u8]) -> Self {
        let (tolerated, slipped, vague, ambiguous) = (false, false, false, false);
        Self { name, head, value, tolerated, slipped, vague, more: Vec::new(), ambiguous }
    }
}

/// Number of octets of the dash at the start of the text (U+2010–2015, U+2212, U+FE58, U+FE63, U+FF0D), or 0.
pub(super) fn dash(text: &[u8]) -> usize {
    match text {
        [b'-', ..] => 1,
        [0xE2, 0x80, 0x90..=0x95, ..] | [0xE2, 0x88, 0x92, ..] => 3,
        [0xEF, 0xB9, 0x98 | 0xA3, ..] | [0xEF, 0xBC, 0x8D, ..] => 3,
        _ => 0,
    }
}

/// Number of octets at the start of the text that folding removes.
fn joints(text: &[u8]) -> usize {
    let mut at = 0usize;
    loop {
        let step = match text.get(at..).unwrap_or(&[]) {
            [b'_', ..] => 1,
            [byte, ..] if is_space(*byte) => 1,
            [0xC2, 0xA0, ..] => 2,
            rest => dash(rest),
        };
        if step == 0 {
            return at;
        }
        at = at.saturating_add(step);
    }
}

/// A text in lower case with each run of blanks and dashes as one hyphen, and the place where each of its octets ends.
pub(super) struct Normal {
    pub(super) text: Vec<u8>,
    pub(super) ends: Vec<usize>,
    pub(super) changed: bool,
}

pub(super) fn normal(source: &[u8]) -> Normal {
    let mut out =
        Normal { text: Vec::with_capacity(source.len()), ends: Vec::with_capacity(source.len()), changed: false };
    let mut at = 0usize;
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.first().is_some_and(|byte| is_control(*byte)) {
            at = at.saturating_add(1);
            out.changed = true;
            continue;
        }
        let mut run = 0usize;
        while let Some(tail) = rest.get(run..).filter(|tail| !tail.is_empty()) {
            let blank = |byte: &u8| is_space(*byte) || (run > 0 && is_control(*byte));
            let step = if tail.first().is_some_and(blank) { 1 } else { dash(tail) };
            if step == 0 {
                break;
            }
            run = run.saturating_add(step);
        }
        let byte = if run > 0 {
            out.changed |= run > 1 || rest.first() != Some(&b'-');
            at = at.saturating_add(run);
            b'-'
        } else {
            at = at.saturating_add(1);
            rest.first().map_or(b'-', u8::to_ascii_lowercase)
        };
        out.text.push(byte);
        out.ends.push(at);
    }
    out
}

/// A name in the form in which names are compared: in lower case, with each run of blanks and dashes as one hyphen.
pub fn normal_text(source: &[u8]) -> String {
    String::from_utf8_lossy(&normal(source).text).into_owned()
}

pub(super) fn about(name: &str) -> About {
    if let Some(usage) = Usage::known(name) {
        return About::Known(usage);
    }
    if let Some(usage) = Usage::of_plural(name) {
        return About::Plural(usage);
    }
    match name.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(local) if !local.contains(['(', ')']) => About::Local(local.to_owned()),
        _ => About::Unknown(name.to_owned()),
    }
}

/// The prohibition of a usage, as it is written.
pub(super) fn prohibition(about: &About) -> String {
    match about {
        About::Known(usage) | About::Plural(usage) => format!("disallow-{}", usage.name().unwrap_or("")),
        About::Unknown(name) if name.is_empty() => "disallow".to_owned(),
        About::Unknown(name) => format!("disallow-{name}"),
        About::Local(name) => format!("disallow-({name})"),
    }
}

/// The field of a normalised name, if it is a known one.
pub(super) fn known(name: &[u8]) -> Option<Name> {
    let name = std::str::from_utf8(name.strip_prefix(b"acap-")?).ok()?;
    let usage = |rest: &str| match about(rest) {
        About::Unknown(_) => None,
        other => Some(other),
    };
    if let Some((_, _, field)) = FIELDS.iter().find(|(known, _, _)| *known == name) {
        return Some(field.clone());
    }
    match (name.strip_prefix("allow-"), name.strip_prefix("disallow-")) {
        (Some(rest), _) => Some(Name::Allow(usage(rest)?)),
        (_, Some(rest)) => Some(Name::Disallow(usage(rest)?)),
        _ => None,
    }
}

/// Fields other than permissions and prohibitions (P1 4.5.6; `version` of Part 1 V1.1), also folded.
pub(super) const FIELDS: [(&str, &str, Name); 10] = [
    ("crawler", "crawler", Name::Crawler),
    ("usage-purpose", "usagepurpose", Name::Purpose),
    ("qualified-usage", "qualifiedusage", Name::QualifiedUsage),
    ("composite-usage", "compositeusage", Name::CompositeUsage),
    ("resource-set", "resourceset", Name::ResourceSet),
    ("permissions-reference", "permissionsreference", Name::Reference),
    ("request-take-down", "requesttakedown", Name::Request { take_down: true }),
    ("request-re-crawl", "requestrecrawl", Name::Request { take_down: false }),
    ("ignore-conventional-records", "ignoreconventionalrecords", Name::IgnoreConventional),
    ("version", "version", Name::Version),
];

/// Most words of a known name.
pub(super) const WORDS: usize = 6;

/// Takes a line apart as if it had no control characters; head and values are given with theirs.
pub(super) fn field(body: &[u8]) -> Field<'_> {
    if !body.iter().any(|byte| is_control(*byte)) {
        return plain_field(body);
    }
    let body = trim(body);
    let bare = without(body);
    let found = plain_field(&bare);
    let places: Vec<usize> =
        body.iter().enumerate().filter(|(_, byte)| !is_control(**byte)).map(|(place, _)| place).collect();
    // Every value extends to the end of the line.
    let written = |value: &[u8]| {
        let start = places.get(bare.len().saturating_sub(value.len())).copied().unwrap_or(body.len());
        trim(body.get(start..).unwrap_or(&[]))
    };
    let end = places.get(found.head.len()).copied().unwrap_or(body.len());
    let head = trim(body.get(..end).unwrap_or(body));
    Field {
        head,
        // A dash that exists only without a control character within it is guessed.
        slipped: found.slipped || has_divided(head),
        value: written(found.value),
        more: found.more.iter().map(|value| written(value)).collect(),
        name: found.name,
        ..found
    }
}

/// Whether a control character divides the octets of another character.
fn has_divided(text: &[u8]) -> bool {
    let mut begun = false;
    text.split(|byte| is_control(*byte)).filter(|piece| !piece.is_empty()).any(|piece| {
        let mut chunks = piece.utf8_chunks();
        let first = chunks.next();
        let goes_on = first.as_ref().is_some_and(|chunk| chunk.valid().is_empty());
        let divided = begun && goes_on;
        begun = chunks.last().or(first).is_some_and(|chunk| !chunk.invalid().is_empty());
        divided
    })
}

fn plain_field(body: &[u8]) -> Field<'_> {
    let colon = memchr::memchr(b':', body).unwrap_or(body.len());
    let written = trim(body.get(..colon).unwrap_or(body));
    let head = normal(written);
    let Some(name) = known(&head.text) else {
        return longest_known(body).unwrap_or_else(|| misread(body));
    };
    let no_colon = colon == body.len();
    let tolerated = head.changed || (no_colon && name != Name::IgnoreConventional);
    let after = trim(body.get(colon.saturating_add(1).min(body.len())..).unwrap_or(body));
    let value = without_colons(after);
    let slipped = value.len() < after.len();
    let head = if slipped { trim(body.get(..colon.saturating_add(1)).unwrap_or(body)) } else { written };
    beside_name(Field { tolerated, slipped, vague: no_colon, ..Field::new(name, head, value) }, body)
}

/// A value without leading colons.
fn without_colons(mut value: &[u8]) -> &[u8] {
    while let Some(rest) = value.strip_prefix(b":") {
        value = trim(rest);
    }
    value
}

/// A permission or prohibition whose name may continue after its colon: `ACAP-disallow-present:snippet:/a`.
///
/// Such a prohibition also covers what the longer name means, and such a permission lifts nothing.
fn beside_name<'a>(mut field: Field<'a>, body: &'a [u8]) -> Field<'a> {
    let permits = match field.name {
        Name::Allow(_) => true,
        Name::Disallow(_) => false,
        _ => return field,
    };
    if field.slipped || field.value.is_empty() || begins_resource(field.value) || is_marked(field.value) {
        return field;
    }
    let (ends, _) = ends(body);
    match ends.get(1).copied() {
        // Another colon precedes a resource, or the end.
        Some(end) if body.get(end) == Some(&b':') => {
            let near = reading(body, end).filter(|one| one.rank <= NEAR);
            field.slipped |= permits || near.is_some();
            field.ambiguous = !permits && near.as_ref().is_some_and(|one| one.name != field.name);
            field.more.extend(near.map(|_| value_from(body, end)));
        }
        _ => {
            let word = field.value.split(|byte| is_space(*byte)).next().unwrap_or(&[]);
            let whole = normal(&[field.head, b"-", word].concat());
            let verb: &[u8] = if permits { b"acap-allow-" } else { b"acap-disallow-" };
            let usage = whole.text.strip_prefix(verb).unwrap_or(&[]);
            let near = closeness(&about(&String::from_utf8_lossy(usage))) <= NEAR;
            field.slipped = permits && near;
            field.ambiguous = !permits && near;
        }
    }
    field
}

/// Where the name of a misspelt field may end: at each of the first colons, and before a resource or at the end of the
/// line. The second value is where it ends if a resource follows it without a blank.
fn ends(body: &[u8]) -> (Vec<usize>, Option<usize>) {
    /// At most this many colons are tried as the end of the name.
    const COLONS: usize = 2;
    let mut out = Vec::new();
    let mut close = None;
    let mut before = b':';
    let mut begun = false;
    // Up to here there are only octets that folding removes, and no set after them.
    let mut settled = 0usize;
    for (place, byte) in body.iter().enumerate() {
        let begins_word = begun && (is_space(before) || before == b':');
        begun |= !is_space(*byte) && *byte != b':';
        if begins_word && place >= settled {
            let rest = body.get(place..).unwrap_or(&[]);
            if begins_resource(rest) {
                out.push(place);
                return (out, close);
            }
            settled = place.saturating_add(joints(rest));
        }
        if matches!(byte, b'/' | b'*') && place > 0 && close.is_none() {
            close = Some(place);
        }
        if *byte == b':' && out.len() < COLONS {
            out.push(place);
        }
        if !is_control(*byte) {
            before = *byte;
        }
    }
    out.push(body.len());
    (out, close)
}

/// The words of a name, divided by blanks, dashes, `_` and colons, but not within parentheses; an unpaired parenthesis
/// is a letter.
pub(super) fn words(written: &[u8]) -> Vec<String> {
    let text = normal_text(written);
    let closes = |(open, _): &(usize, &str)| {
        let rest = text.get(open.saturating_add(1)..).unwrap_or("");
        rest.find(['(', ')']).and_then(|at| rest.get(at..)).is_some_and(|rest| rest.starts_with(')'))
    };
    let open = text.match_indices('(').find(closes).map_or(text.len(), |(open, _)| open);
    let (plain, local) = text.split_at_checked(open).unwrap_or((&text, ""));
    let mut out: Vec<String> =
        plain.split(['-', '_', ':']).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    if !local.is_empty() {
        out.push(local.trim_end_matches('-').to_owned());
    }
    out
}

/// The first words joined, for each number of words, with that number; up to the length that a name may have.
fn joined(words: &[String], most: usize) -> impl Iterator<Item = (usize, String)> + '_ {
    /// Most octets of a folded name with one typo, whose letter may have four.
    const LONGEST: usize = 40;
    let mut text = String::new();
    words.iter().take(most).enumerate().map_while(move |(place, word)| {
        text.push_str(word);
        (text.len() <= LONGEST).then(|| (place.saturating_add(1), text.clone()))
    })
}

/// The words after the mark, and whether the mark is exact; it may be one typo from `ACAP` or `the-acap`.
pub(super) fn after_mark(words: &[String]) -> Option<(Vec<String>, bool)> {
    /// `the-a-cap`
    const PARTS: usize = 3;
    let rest = |count: usize| words.get(count..).unwrap_or(&[]).to_vec();
    if words.first().is_some_and(|word| word == "acap") {
        return Some((rest(1), true));
    }
    let exact = joined(words, PARTS).find(|(_, text)| text == "acap" || text == "theacap");
    let near = || joined(words, PARTS).find(|(_, text)| slip(text, "acap") || slip(text, "theacap"));
    if let Some((count, _)) = exact.or_else(near) {
        return Some((rest(count), false));
    }
    // The separator between mark and name is missing.
    joined(words, PARTS).find_map(|(count, text)| {
        let remainder = text.strip_prefix("acap").or_else(|| text.strip_prefix("theacap"))?;
        Some((std::iter::once(remainder.to_owned()).chain(rest(count)).collect(), false))
    })
}

/// The field that the words after a mark state, and whether it is guessed: a known one with up to one typo, or a verb
/// and a usage. `exact` is whether the mark is.
pub(super) fn stated(words: &[String], exact: bool) -> Option<(Name, bool)> {
    /// `re-quest-take-down`, `d-is-allow`
    const PARTS: usize = 8;
    const VERB: usize = 3;
    if let Some((_, whole)) = joined(words, PARTS).last().filter(|(count, _)| *count == words.len())
        && let Some((_, _, name)) = FIELDS.iter().find(|(_, known, _)| slip(&whole, known))
    {
        return Some((name.clone(), true));
    }
    // The separator between verb and usage is missing.
    let (first, rest) = words.split_first()?;
    let undivided = |verb: &str| -> Option<String> {
        let remainder = first.strip_prefix(verb).filter(|remainder| !remainder.is_empty())?;
        Some(std::iter::once(remainder).chain(rest.iter().map(String::as_str)).collect::<Vec<_>>().join("-"))
    };
    let usage = PROHIBITING.iter().find_map(|verb| undivided(verb));
    if let Some(usage) =
        usage.as_deref().filter(|usage| !matches!(about(usage), About::Unknown(_)) || prohibited(usage).is_some())
    {
        return Some((Name::Disallow(about(usage)), true));
    }
    let named = |count: usize| about(&words.get(count..).unwrap_or(&[]).join("-"));
    let verbs = joined(words, VERB).filter_map(|(count, text)| verb(&text).map(|(verb, slips)| (slips, count, verb)));
    if let Some((_, count, verb)) = verbs.min_by_key(|(slips, count, _)| (*slips, *count)) {
        let sound = exact && words.len() > 1 && words.first().is_some_and(|word| word == "disallow");
        return Some(match verb {
            Verb::Disallow => (Name::Disallow(named(count)), !sound),
            Verb::Allow | Verb::NearlyAllow => (Name::Allow(named(count)), true),
        });
    }
    let usage = usage.map(|usage| Name::Disallow(about(&usage)));
    Some((usage.or_else(|| Some(Name::Allow(about(&undivided("allow")?))))?, true))
}

/// Whether an apparent prohibition may be a misspelt permission: `sallow`.
pub(super) fn is_either_verb(words: &[String]) -> bool {
    const VERB: usize = 3;
    joined(words, VERB).any(|(_, text)| may_permit(&text))
}

/// A prohibition by a verb anywhere among the words: of the usage after it, or of everything.
pub(super) fn somewhere(words: &[String]) -> Option<Name> {
    /// Parts of the longest usage.
    const PARTS: usize = 3;
    let place = words.iter().position(|word| matches!(verb(&fold(word)), Some((Verb::Disallow, _))))?;
    let after = words.get(place.saturating_add(1)..).unwrap_or(&[]);
    let known = (1..=PARTS.min(after.len())).rev().find_map(|count| {
        let usage = about(&after.get(..count)?.join("-"));
        (!matches!(usage, About::Unknown(_))).then_some(usage)
    });
    Some(Name::Disallow(known.unwrap_or_else(|| About::Unknown(String::new()))))
}

/// A name at most this far from a known one is read as that ([`closeness`]).
const NEAR: u8 = 1;

/// Distance of a usage from the nearest known one: 0, 1 for one typo, or more.
fn closeness(about: &About) -> u8 {
    match about {
        About::Unknown(name) => spelling::closeness(name),
        _ => 0,
    }
}

/// The statement of a line whose name ends at a certain place.
struct Reading {
    end: usize,
    name: Name,
    slipped: bool,
    /// Distance of its name from the nearest known one.
    rank: u8,
}

fn reading(body: &[u8], end: usize) -> Option<Reading> {
    let (rest, exact) = after_mark(&words(trim(body.get(..end)?)))?;
    let (name, slipped) = stated(&rest, exact)?;
    let rank = match &name {
        Name::Allow(about) | Name::Disallow(about) => closeness(about),
        other => u8::from(!FIELDS.iter().any(|(_, folded, name)| name == other && *folded == rest.concat())),
    };
    Some(Reading { end, name, slipped: slipped || !exact, rank })
}

/// The value after the end of a name.
fn value_from(body: &[u8], end: usize) -> &[u8] {
    without_colons(trim(body.get(end..).unwrap_or(&[])))
}

/// The statements of a line without a colon before its value, whose name may end at each of the first blanks.
fn ended_by_blank(body: &[u8], end: usize) -> impl Iterator<Item = Reading> + '_ {
    let head = body.get(..end).unwrap_or(body);
    let blanks = head.iter().enumerate().filter(|(_, byte)| is_space(**byte)).map(|(place, _)| place);
    let none = memchr::memchr(b':', head).is_some();
    let found = blanks.take(if none { 0 } else { WORDS }).filter_map(|place| reading(body, place));
    found.filter(|one| !matches!(one.name, Name::Allow(_) | Name::Disallow(_)))
}

/// A field whose name is not known (section 5, Fallback). Of the places where the name may end, the one counts that
/// makes it nearest to a known name.
fn misread(body: &[u8]) -> Field<'_> {
    let (ends, close) = ends(body);
    let part = |end: usize| trim(body.get(..end).unwrap_or(body));
    let first = ends.first().copied().unwrap_or(body.len());
    let last = ends.last().copied().unwrap_or(body.len());
    let mut readings: Vec<Reading> = ends.iter().filter_map(|end| reading(body, *end)).collect();
    readings.extend(ended_by_blank(body, last));
    let mut best = (0..readings.len()).min_by_key(|place| readings.get(*place).map(|one| one.rank));
    if let Some(found) = close.and_then(|end| reading(body, end)) {
        let held = best.and_then(|place| readings.get(place));
        let stays = held
            .is_some_and(|one| one.rank <= found.rank || (one.rank <= NEAR && !value_from(body, one.end).is_empty()));
        if !stays {
            best = Some(readings.len());
        }
        readings.push(found);
    }
    // Another reading may be near to a known usage where this one is unknown.
    let known = |one: &Reading| match &one.name {
        Name::Allow(About::Unknown(_)) => one.rank <= NEAR && one.end != first,
        name => matches!(name, Name::Allow(_)),
    };
    let head = normal(part(first));
    let permitted = head.text.strip_prefix(b"acap-allow-").filter(|usage| !usage.is_empty());
    if let Some(usage) = permitted
        && !best.and_then(|place| readings.get(place)).is_some_and(known)
    {
        // An unknown usage is permitted under its own name.
        let name = Name::Allow(about(&String::from_utf8_lossy(usage)));
        let (head, tolerated, value) = (part(first), head.changed, value_from(body, first));
        let near = |one: &&Reading| one.end != first && one.rank <= NEAR && matches!(one.name, Name::Allow(_));
        let more: Vec<&[u8]> = readings.iter().filter(near).map(|one| value_from(body, one.end)).collect();
        let (slipped, vague) = (!more.is_empty(), first == body.len());
        return Field { tolerated, slipped, vague, more, ..Field::new(name, head, value) };
    }
    if let Some(place) = best
        && let Some(Reading { end, name, slipped, .. }) = readings.get(place)
    {
        let value = value_from(body, *end);
        // Every possible value of a prohibition counts, and every possible value of a permission restricts.
        let alike = |one: &Name| match name {
            Name::Disallow(_) => matches!(one, Name::Disallow(_)),
            Name::Allow(_) => matches!(one, Name::Allow(_)),
            _ => false,
        };
        let others = readings.iter().filter(|one| one.end != *end && alike(&one.name));
        let mut more: Vec<&[u8]> =
            others.map(|one| value_from(body, one.end)).filter(|other| *other != value).collect();
        let is_other = |one: &Reading| alike(&one.name) && one.rank <= NEAR && one.name != *name;
        let ambiguous = matches!(name, Name::Disallow(_))
            && (readings.iter().any(is_other)
                || after_mark(&words(part(*end))).is_some_and(|(rest, _)| is_either_verb(&rest)));
        // The `*` may be the resource.
        let all = *name == Name::Disallow(About::Unknown("*".to_owned())) && value.is_empty();
        if all {
            more.clear();
        }
        let (slipped, vague) = (*slipped || *end != first, *end == body.len() || all);
        let head = normal(part(*end));
        let tolerated = !slipped && (head.changed || !head.text.starts_with(b"acap-disallow-"));
        return Field { tolerated, slipped, vague, more, ambiguous, ..Field::new(name.clone(), part(*end), value) };
    }
    let found = after_mark(&words(part(last))).filter(|(_, exact)| *exact).and_then(|(rest, _)| somewhere(&rest));
    let (name, end) = found.map_or((Name::Unknown, first), |name| (name, last));
    let guessed = name != Name::Unknown;
    let value = value_from(body, end);
    Field { slipped: guessed, vague: guessed, ..Field::new(name, part(end), value) }
}

/// Whether a line without the mark of ACAP is an ACAP field with a typo in its mark.
pub(crate) fn is_nearly_acap(body: &[u8]) -> bool {
    nearly_marked(body) && field(body).name != Name::Unknown
}

/// Whether a line may begin with a misspelt mark: enough of its first letters are letters of the mark. Most lines of
/// unknown fields fail this quick test.
#[inline]
fn nearly_marked(body: &[u8]) -> bool {
    let counts = |byte: &&u8| byte.is_ascii() && !is_space(**byte) && !matches!(byte, b'-' | b'_');
    let letters = || body.iter().filter(counts).map(u8::to_ascii_lowercase);
    letters().take(5).filter(|letter| matches!(letter, b'a' | b'c' | b'p')).count() >= 3
        || letters().take(8).filter(|letter| matches!(letter, b't' | b'h' | b'e' | b'a' | b'c' | b'p')).count() >= 6
}

/// Whether a line may begin with a mark, exact or misspelt, going by the part read before a limit cut it.
pub(crate) fn may_be_marked(read: &[u8]) -> bool {
    let counts = |byte: &&u8| byte.is_ascii() && !is_space(**byte) && !matches!(byte, b'-' | b'_');
    let missing = 8usize.saturating_sub(read.iter().filter(counts).count());
    nearly_marked(&[read, b"acapacap".get(..missing).unwrap_or(&[])].concat())
}

/// The field with the longest known name at the start of a line whose colon is missing or misplaced.
pub(super) fn longest_known(body: &[u8]) -> Option<Field<'_>> {
    let whole = normal(body);
    let mut ends: Vec<usize> = Vec::new();
    let mut words = 0usize;
    for (place, byte) in whole.text.iter().enumerate() {
        match byte {
            b'-' => {
                words = words.saturating_add(1);
                ends.push(place);
            }
            b':' | b'/' | b'*' => {
                ends.push(place);
                break;
            }
            _ => {}
        }
        if words > WORDS {
            break;
        }
    }
    if words <= WORDS {
        ends.push(whole.text.len());
    }
    // A local name may contain anything up to its parenthesis.
    if let Some(close) = memchr::memchr(b')', &whole.text) {
        ends.push(close.saturating_add(1));
        ends.sort_unstable();
        ends.dedup();
    }
    ends.iter().rev().find_map(|end| {
        let name = known(whole.text.get(..*end)?)?;
        let from = end.checked_sub(1).and_then(|last| whole.ends.get(last)).copied()?;
        let rest = body.get(from..)?;
        let boundary = rest.first().is_none_or(|byte| is_space(*byte) || *byte == b':');
        let value = without_colons(trim(rest));
        let fits = match name {
            Name::Allow(_) | Name::Disallow(_) => value.is_empty() || begins_resource(value),
            _ => true,
        };
        let vague = from == body.len();
        let head = body.get(..from)?;
        (boundary && fits).then(|| Field { tolerated: true, vague, ..Field::new(name, head, value) })
    })
}

/// How much of the name of a field was read before a limit cut its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameRead {
    Nothing,
    /// Its effect is known, but not its usage.
    Effect,
    Name,
}

/// How much of the name is known of a line that ends at the cut.
pub(crate) fn name_read(line: &[u8]) -> NameRead {
    let colon = memchr::memchr(b':', line).is_some();
    let field = field(trim(line));
    let begun = normal(&without(trim(line))).text;
    let effect = |verb: &[u8]| begun.strip_prefix(verb).is_some_and(|usage| !usage.is_empty());
    let (permits, prohibits) = (effect(b"acap-allow-"), effect(b"acap-disallow-"));
    match &field.name {
        _ if field.slipped && (permits || prohibits) => NameRead::Effect,
        _ if field.slipped => NameRead::Nothing,
        // `block` or `disallow_` for `disallow-` is a guess as well.
        Name::Disallow(_) if !prohibits => NameRead::Nothing,
        Name::Unknown => NameRead::Nothing,
        Name::Allow(about) | Name::Disallow(about) => match about {
            About::Unknown(_) => NameRead::Effect,
            _ if known(&normal(&without(field.head)).text).is_none() => NameRead::Effect,
            _ if colon || begins_resource(field.value) => NameRead::Name,
            _ => NameRead::Effect,
        },
        _ => {
            let after = line.get(field.head.len()..).unwrap_or(&[]);
            let ended = colon || after.iter().any(|byte| is_space(*byte));
            if ended { NameRead::Name } else { NameRead::Nothing }
        }
    }
}

/// Whether a line is a known ACAP field.
pub(crate) fn is_known(line: &[u8]) -> bool {
    field(line).name != Name::Unknown
}

/// Whether a line names crawlers, and a control character cuts them.
pub(crate) fn cuts_crawlers(line: &[u8]) -> bool {
    if !line.iter().any(|byte| is_control(*byte)) {
        return false;
    }
    let field = field(line);
    field.name == Name::Crawler && ended(field.value).len() < field.value.len()
}

/// Whether a line names crawlers.
pub(crate) fn names_crawlers(line: &[u8]) -> bool {
    field(line).name == Name::Crawler
}

pub(super) fn begins(text: &[u8], prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix.as_bytes()))
}

pub(super) const SETS: [&str; 2] = ["acap:resource-set:", "the-acap:resource-set:"];

/// These prefixes, folded.
const FOLDED_SETS: [&str; 2] = ["acap:resourceset:", "theacap:resourceset:"];

pub(super) fn set_name(token: &[u8]) -> Option<String> {
    let prefix = SETS.iter().find(|prefix| begins(token, prefix))?;
    let name = token.get(prefix.len()..)?;
    Some(String::from_utf8_lossy(name).to_ascii_lowercase())
}

/// Whether a token names a resource set with a misspelt prefix: no other resource begins so.
///
/// It examines no more letters than a prefix has, whatever blanks, `_` and dashes stand between them.
pub(super) fn is_nearly_set(token: &[u8]) -> bool {
    if !nearly_marked(token) || SETS.iter().any(|prefix| begins(token, prefix)) {
        return false;
    }
    let folded = folded_head(token);
    FOLDED_SETS.iter().any(|prefix| begins_nearly(&folded, prefix))
}

/// The start of a token, folded, at least up to the length of the longest prefix of a set with a typo.
fn folded_head(token: &[u8]) -> String {
    /// Octets of that prefix, and of one stray letter.
    const LONGEST: usize = 28;
    let mut out = String::with_capacity(LONGEST.saturating_add(char::MAX.len_utf8()));
    let mut rest = token;
    while let Some(first) = rest.first().filter(|_| out.len() < LONGEST) {
        let joints = joints(rest);
        let used = if joints > 0 {
            joints
        } else if first.is_ascii() {
            out.push(char::from(first.to_ascii_lowercase()));
            1
        } else {
            let head = rest.get(..char::MAX.len_utf8()).unwrap_or(rest);
            let chunk = head.utf8_chunks().next();
            let letter = chunk.as_ref().and_then(|chunk| chunk.valid().chars().next());
            out.push(letter.unwrap_or(char::REPLACEMENT_CHARACTER));
            letter.map_or_else(|| chunk.map_or(1, |chunk| chunk.invalid().len()), char::len_utf8)
        };
        rest = rest.get(used..).unwrap_or(&[]);
    }
    out
}

/// Whether a text begins with a word, with at most one typo.
fn begins_nearly(text: &str, word: &str) -> bool {
    let same: usize = text.chars().zip(word.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let (text, word) = (text.get(same..).unwrap_or(""), word.get(same..).unwrap_or(""));
    /// A text without its first letter.
    fn tail(text: &str) -> &str {
        let mut letters = text.chars();
        let _ = letters.next();
        letters.as_str()
    }
    let (rest, missing) = (tail(text), tail(word));
    let exchanged = || {
        let at = |text: &str, place: usize| text.chars().nth(place);
        at(text, 0) == at(word, 1) && at(text, 1) == at(word, 0) && tail(rest).starts_with(tail(missing))
    };
    missing.is_empty()
        || text.starts_with(missing)
        || rest.starts_with(missing)
        || rest.starts_with(word)
        || exchanged()
}

/// Whether a token has the mark of ACAP; where a resource is expected, it may stand for any resource.
pub(super) fn is_marked(token: &[u8]) -> bool {
    begins(token, "acap:") || begins(token, "the-acap:")
}

/// Whether the resources that a token names cannot be told: it is a mark without the name of a set, or was cut before
/// or within that name, or was cut within a URI before its path.
pub(super) fn is_untold(token: &[u8], cut: bool) -> bool {
    let named = set_name(token);
    let begun = || {
        let read = folded_head(token);
        // A character that was cut shows as one replacement character.
        let read = read.strip_suffix(char::REPLACEMENT_CHARACTER).unwrap_or(&read);
        FOLDED_SETS.iter().any(|set| set.starts_with(read))
    };
    is_nearly_set(token)
        || (is_marked(token) && named.as_ref().is_none_or(String::is_empty))
        || (cut && (named.is_some() || begun() || is_begun_uri(token)))
}

/// Whether a word that was cut may be an absolute URI of any host: it ends before the path.
pub(super) fn is_begun_uri(token: &[u8]) -> bool {
    SCHEMES.iter().any(|scheme| match token.get(scheme.len()..) {
        Some(rest) => begins(token, scheme) && !rest.iter().any(|byte| matches!(byte, b'/' | b'?')),
        None => scheme.get(..token.len()).is_some_and(|head| begins(token, head)),
    })
}

/// Whether a blank between two tokens divides the prefix of a resource set, or replaces a letter of it.
pub(super) fn divides_set(token: &[u8], next: &[u8]) -> bool {
    SETS.iter().any(|prefix| divides(prefix, &String::from_utf8_lossy(token), &String::from_utf8_lossy(next)))
}

/// Whether a word and the next one are the beginning and the rest of a text, divided by a blank or with one for a
/// letter.
pub(super) fn divides(whole: &str, word: &str, next: &str) -> bool {
    if word.is_empty() || word.len() >= whole.len() || !begins(whole.as_bytes(), word) {
        return false;
    }
    let ends = |skip: usize| {
        let tail = whole.get(word.len().saturating_add(skip)..).unwrap_or("");
        !tail.is_empty() && begins(next.as_bytes(), tail)
    };
    ends(0) || ends(1)
}

const SCHEMES: [&str; 2] = ["http://", "https://"];

pub(super) fn is_absolute(token: &[u8]) -> bool {
    SCHEMES.iter().any(|scheme| begins(token, scheme))
}

/// Whether a resource is a URI, of a host that can be told or not: `http:/a`.
pub(crate) fn is_uri(token: &[u8]) -> bool {
    SCHEMES.iter().any(|scheme| begins(token, scheme.trim_end_matches('/')))
}

pub(super) fn begins_pattern(token: &[u8]) -> bool {
    matches!(token.first(), Some(b'/' | b'*'))
        || SETS.iter().any(|prefix| begins(token, prefix))
        || is_nearly_set(token)
}

pub(super) fn begins_resource(value: &[u8]) -> bool {
    begins_pattern(value) || is_absolute(value)
}

/// A usage in a definition.
pub(super) fn constituent(token: &[u8]) -> About {
    let name = normal_text(token);
    about(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_begun_by_one_slip_as_slips_are_counted() {
        const LETTERS: [&str; 4] = ["a", ":", "x", "é"];
        let word = "a:xa:";
        let mut texts = vec![String::new()];
        for _ in 0..6 {
            let longer = texts.iter().flat_map(|text| LETTERS.iter().map(move |letter| format!("{text}{letter}")));
            texts = std::iter::once(String::new()).chain(longer).collect();
        }
        for text in texts {
            let ends = word.len() - 1..=word.len() + 4;
            let counted = ends.filter_map(|end| text.get(..end)).any(|head| slip(head, word));
            assert_eq!(begins_nearly(&text, word), counted, "{text}");
        }
    }

    #[test]
    fn the_prefixes_of_sets_are_folded() {
        assert_eq!(SETS.map(fold), FOLDED_SETS);
        assert_eq!(folded_head("A\u{2011}c \u{E9}_\u{A0}\u{4E9C}".as_bytes()), "ac\u{E9}\u{4E9C}");
        assert_eq!(folded_head(b"a\xE2\x80 \xFFb"), "a\u{FFFD}\u{FFFD}b");
    }
}
