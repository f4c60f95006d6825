//! A line of an ACAP field, taken apart into its name and its value; its colon may be missing or misplaced.

use super::letters::begin_as_mark;
use super::name::{
    FIELDS, NEAR, Name, UsageName, WORDS, after_mark, is_either_verb, joints, known, nearly_marked, normal, somewhere,
    stated, words,
};
use super::resource::{begins_resource, is_marked};
use crate::controls::{ended, is_control, trimmed as trim, without};
use crate::octets::is_space;

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
    /// Ending elsewhere, the name is a prohibition of another usage: either may be meant.
    pub(super) ambiguous: bool,
}

impl<'a> Field<'a> {
    /// A field whose name is in its place and can end in one place only.
    fn new(name: Name, head: &'a [u8], value: &'a [u8]) -> Self {
        let (tolerated, slipped, vague, ambiguous) = (false, false, false, false);
        Self { name, head, value, tolerated, slipped, vague, more: Vec::new(), ambiguous }
    }
}

/// A name and a value, `"ACAP-…:" *WSP … field-end` in each field of P1 4.5.6.
///
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

/// `"ACAP-disallow-" (ACAP-usage-name ["-" used-resource-type-name] ":" …` (P1 4.5.6)
///
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
            let near = UsageName::of(&String::from_utf8_lossy(usage)).closeness() <= NEAR;
            field.slipped = permits && near;
            field.ambiguous = !permits && near;
        }
    }
    field
}

/// `":" *WSP` (P1 4.5.6), after a name that is misspelt.
///
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

/// The statement of a line whose name ends at a certain place.
struct Reading {
    end: usize,
    name: Name,
    slipped: bool,
    /// Distance of its name from the nearest known one.
    rank: u8,
}

/// `"ACAP-allow-" …`, `"ACAP-disallow-" …` or another name of P1 4.5.6, with typos, up to a certain place.
fn reading(body: &[u8], end: usize) -> Option<Reading> {
    let (rest, exact) = after_mark(&words(trim(body.get(..end)?)))?;
    let (name, slipped) = stated(&rest, exact)?;
    let rank = match &name {
        Name::Allow(about) | Name::Disallow(about) => about.closeness(),
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
        Name::Allow(UsageName::Unknown(_)) => one.rank <= NEAR && one.end != first,
        name => matches!(name, Name::Allow(_)),
    };
    let head = normal(part(first));
    let permitted = head.text.strip_prefix(b"acap-allow-").filter(|usage| !usage.is_empty());
    if let Some(usage) = permitted
        && !best.and_then(|place| readings.get(place)).is_some_and(known)
    {
        // An unknown usage is permitted under its own name.
        let name = Name::Allow(UsageName::of(&String::from_utf8_lossy(usage)));
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
        let all = *name == Name::Disallow(UsageName::Unknown("*".to_owned())) && value.is_empty();
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
    nearly_marked(body) && begin_as_mark(body) && field(body).name != Name::Unknown
}

/// Any field of P1 4.5.6 without its `":"`, or with one elsewhere: the field with the longest known name at the start
/// of the line.
fn longest_known(body: &[u8]) -> Option<Field<'_>> {
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
            UsageName::Unknown(_) => NameRead::Effect,
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

/// `"ACAP-crawler:" *WSP crawler-name field-end` (P1 4.5.6)
///
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
