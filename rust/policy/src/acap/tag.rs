//! ACAP statements in the pages themselves: META tags and class attributes (P2 2.2, 3).
//!
//! Laws: no word beside a permission is ignored, and one that cannot be interpreted makes it a prohibition. No word
//! beside a prohibition narrows it.

mod class;
mod content;
mod garbled;
mod mark;
mod reader;
mod words;

pub use self::class::class_tokens;
pub use self::mark::{is_hidden, is_tag};
pub use self::reader::TagStatement;
pub(crate) use self::reader::Tags;

use self::reader::Reader;

/// Reads the contents of META tags and the tokens of class attributes, in the order of the page.
///
/// The version is the first that any tag names, wherever it stands; without one it is 1.0 (P2 2.2.7). No more tags are
/// read once there are more than `most` statements.
pub fn read<'t>(
    contents: impl Iterator<Item = &'t str> + Clone,
    tokens: impl Iterator<Item = &'t str>,
    most: usize,
) -> Tags {
    let mut reader = Reader::new(most);
    let mut count = 0usize;
    for (place, content) in contents.clone().enumerate() {
        reader.place = place;
        reader.versions(content);
        count = place.saturating_add(1);
    }
    reader.sets = reader.tags.version.as_deref().is_some_and(is_later);
    for (place, content) in contents.enumerate() {
        if reader.tags.statements.len() > most {
            break;
        }
        reader.doubted = is_hidden(content);
        reader.place = place;
        reader.tag(content);
        if reader.doubted {
            reader.tag_with_hidden(content);
        }
    }
    reader.doubted = false;
    for (place, token) in tokens.enumerate() {
        reader.place = count.saturating_add(place);
        reader.token(token);
    }
    reader.tags
}

/// Whether a version is later than 1.0.
fn is_later(version: &str) -> bool {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(u32::MAX));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) > (1, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problems::Code;
    use crate::statement::Effect;

    fn stated(content: &str) -> Vec<(Effect, String, Option<String>, Vec<(String, String)>)> {
        let tags = read(std::iter::once(content), std::iter::empty(), usize::MAX);
        tags.statements.into_iter().map(|one| (one.effect, one.usage, one.purpose, one.qualifiers)).collect()
    }

    fn plain(effect: Effect, usage: &str) -> (Effect, String, Option<String>, Vec<(String, String)>) {
        (effect, usage.to_owned(), None, Vec::new())
    }

    #[test]
    fn the_grammar_of_part_2_is_read() {
        assert_eq!(stated("ACAP allow-index"), [plain(Effect::Permits, "index")]);
        assert_eq!(stated("acap\n disallow-present-snippets "), [plain(Effect::Prohibits, "present-snippet")]);
        let (effect, usage, purpose, qualifiers) =
            stated("ACAP news.search.com allow-index time-limit = until-recrawled").remove(0);
        assert_eq!((effect, usage.as_str(), purpose.as_deref()), (Effect::Permits, "index", Some("news.search.com")));
        assert_eq!(qualifiers, [("time-limit".to_owned(), "until-recrawled".to_owned())]);
        assert!(stated("ACAPULCO allow-index").is_empty());
        assert!(stated("ACAP version 1.1").is_empty());
    }

    #[test]
    fn nothing_beside_a_permission_is_passed_over() {
        assert_eq!(stated("ACAP allow-index stray"), [plain(Effect::Prohibits, "index")]);
        assert_eq!(
            stated("ACAP allow-index time-limit=3-days, disallow-follow"),
            [
                (Effect::Permits, "index".into(), None, vec![("time-limit".into(), "3-days".into())]),
                plain(Effect::Prohibits, "follow")
            ]
        );
        assert_eq!(
            stated("ACAP allow-index news disallow-follow"),
            [plain(Effect::Prohibits, "index"), plain(Effect::Prohibits, "follow")]
        );
        assert_eq!(stated("ACAP disallow index"), [plain(Effect::Prohibits, "index")]);
        assert_eq!(stated("ACAP news, disallow-index").remove(0).2.as_deref(), Some("news"));
        assert_eq!(stated("ACAP-disallow-index: /"), [plain(Effect::Prohibits, "index")]);
    }

    #[test]
    fn element_sets_need_a_version_to_lift_anything() {
        let content = "ACAP allow-index must-use-resource=the-acap:idlist:a, b";
        for (version, lifts) in [("ACAP Version 1.0", false), ("ACAP Version 1.1", true)] {
            let tags = read([content, version].into_iter(), std::iter::empty(), usize::MAX);
            assert_eq!(tags.statements[0].qualifiers[0].1, "the-acap:idlist:a, b");
            assert_eq!(tags.statements[0].lifts, lifts);
        }
        assert!(stated("ACAP allow-index ref=x").is_empty());
    }

    #[test]
    fn class_tokens_are_basic() {
        let tags = read(
            std::iter::empty(),
            ["The-ACAP:allow-(Mine)", "acap:disallow-indexes", "the-acap:x"].into_iter(),
            usize::MAX,
        );
        let found: Vec<(Effect, &str, bool)> =
            tags.statements.iter().map(|one| (one.effect, one.usage.as_str(), one.local)).collect();
        assert_eq!(found[0], (Effect::Permits, "mine", true));
        assert_eq!(found[1].0, Effect::Prohibits);
        assert_eq!(tags.problems.iter().filter(|one| one.code == Code::AcapClassToken).count(), 1);
    }
}
