//! ACAP fields → records, sub-records and statements (P1 4, G 2).
//!
//! ```text
//! ACAP-record       = (1*named-crawler-identification-field / any-crawler-identification-field)
//!                     (permissions-reference-field / (permission-fields / ACAP-sub-record) *ACAP-sub-record)
//! permission-field  = "ACAP-allow-" ((ACAP-usage-name ["-" used-resource-type-name]) / local-usage-name) ":"
//!                     *WSP resource-specification *(1*WSP qualifier-specification) field-end     ; P1 4.5.6
//! ```
//!
//! Laws: a field that cannot be understood has no effect, except where that could loosen: then it prohibits.
//! Definitions count wherever they stand. No ACAP field ends or begins a conventional group.

mod definitions;
pub(crate) mod field;
mod letters;
pub(crate) mod name;
mod outline;
mod reader;
mod records;
pub(crate) mod resource;
pub(crate) mod spelling;
mod statements;
pub(crate) mod tag;
mod targets;
mod value;

pub use self::name::normal_text;
pub use self::outline::Role;
pub(crate) use self::outline::{Noted, outline};
pub(crate) use self::targets::{Local, Part};
pub(crate) use self::value::version_of_comment;

use self::reader::{Definition, Reader};
use crate::fields::Kind;
use crate::file::File;
use crate::limits::Limits;
use crate::lines::Entry;
use crate::problems::Problems;
use crate::statement::Effect;
use crate::usage::Usage;

/// The names of the usages that an unknown name may mean: it is a typo of one, or a word for several.
pub fn meant(name: &str) -> Vec<&'static str> {
    let near = spelling::closeness(name) < 2;
    let usages = if near { spelling::prohibited(name).map_or_else(Vec::new, |(usages, _)| usages) } else { Vec::new() };
    usages.into_iter().filter_map(Usage::name).collect()
}

/// `ACAP-proposed-extension = *ignorable [ACAP-ignore-conventional-records] [ACAP-local-definitions] ACAP-records` (P1
/// 4.5.6), in any order.
///
/// Reads the ACAP fields of a text. `usages` are the names that were numbered in the files read before.
pub(crate) fn read(
    text: &[u8],
    entries: &[Entry],
    origin: Option<&[u8]>,
    limits: &Limits,
    usages: &[Box<str>],
    problems: &mut Problems,
) -> File {
    let mut reader = Reader::new(text, entries, origin, limits, usages, problems);
    for entry in entries.iter().filter(|entry| entry.kind == Kind::Acap) {
        reader.place = entry.place();
        reader.entry(entry);
    }
    reader.unused();
    reader.beside_references();
    reader.beside_nothing();
    let mut file = reader.file;
    file.statements.shrink_to_fit();
    file.records.shrink_to_fit();
    file.audiences.shrink_to_fit();
    file.store.shrink_to_fit();
    file
}

/// The names of the local usages that a text defines, as names are compared, in the order of their definitions.
pub(crate) fn local_usages(text: &[u8], entries: &[Entry], limits: &Limits) -> Vec<String> {
    let mut problems = Problems::ignored();
    let reader = Reader::new(text, entries, None, limits, &[], &mut problems);
    let mut defined: Vec<&Definition> = reader.usages.iter().collect();
    defined.sort_by_key(|usage| usage.entry);
    defined.iter().map(|usage| String::from_utf8_lossy(reader.file.octets(usage.name)).into_owned()).collect()
}

/// The meanings of local usages that other carriers name: the usages that fields of the text with these names would
/// have. Where a limit cut the definition, that is every usage.
pub(crate) fn locals(text: &[u8], entries: &[Entry], limits: &Limits, names: &[(String, Effect)]) -> Vec<Local> {
    let mut problems = Problems::ignored();
    let mut reader = Reader::new(text, entries, None, limits, &[], &mut problems);
    names.iter().map(|(name, effect)| reader.local_elsewhere(name, *effect)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::Manner;
    use crate::lines::read as read_lines;

    fn file(text: &str) -> File {
        let manner = Manner {
            nul_ends_line: false,
            cut_overlong: false,
            controls: true,
            unseen: true,
            acap: true,
            blanks: false,
        };
        let limits = Limits::default();
        let table = read_lines(text.as_bytes(), &limits, manner);
        read(text.as_bytes(), &table.entries, None, &limits, &[], &mut Problems::ignored())
    }

    fn only(line: &str) -> (Effect, String, String) {
        let file = file(&format!("ACAP-crawler: *\n{line}"));
        assert_eq!(file.statements.len(), 1, "{line}");
        let statement = &file.statements[0];
        let target = &file.targets(statement)[0];
        let pattern = file.patterns(statement).next().unwrap_or_default();
        let name = file.usage_name(target.usage).to_owned();
        (file.effect(statement, target), name, String::from_utf8_lossy(pattern).into_owned())
    }

    #[test]
    fn names_are_read_with_the_tolerance_of_real_files() {
        let permits = |usage: &str, pattern: &str| (Effect::Permits, usage.to_owned(), pattern.to_owned());
        assert_eq!(only("ACAP-allow preserve: /"), permits("preserve", "/"));
        assert_eq!(only("ACAP-allow-present-snippet /news/ max-length=20-words"), permits("present-snippet", "/news/"));
        assert_eq!(
            only("ACAP-allow-present\u{2014}-thumbnail: /news/*.htm$"),
            permits("present-thumbnail", "/news/*.htm$")
        );
        assert_eq!(only("acap-allow-present-links : news"), permits("present-link", "/news"));
        assert_eq!(only("ACAP-allow-index: http://a.example/b?c"), permits("index", "/b?c"));
    }

    #[test]
    fn doubt_prohibits() {
        let prohibits = |usage: &str| (Effect::Prohibits, usage.to_owned(), "/".to_owned());
        assert_eq!(only("ACAP-allow-index: / time-limit=until-2008-02-31"), prohibits("index"));
        assert_eq!(only("ACAP-disallow-present-snipet: /"), prohibits("present-snippet"));
        assert_eq!(only("ACAP-disallow-present-foo: /"), prohibits("present"));
        assert_eq!(only("ACAP-allow-(nowhere): /"), prohibits("other"));
        assert_eq!(only("ACAP-allow-index: / stray"), prohibits("index"));
    }

    #[test]
    fn a_value_continues_after_a_comma() {
        let file =
            file("ACAP-crawler: *\nACAP-allow-index: / must-use-resource = the-acap:idlist:a, b time-limit=3-days");
        let statement = &file.statements[0];
        let restrictions = file.restrictions(statement, &file.targets(statement)[0]);
        let values: Vec<&str> = restrictions.iter().map(|one| &*one.value).collect();
        assert_eq!(values, ["the-acap:idlist:a, b", "3-days"]);
    }
}
