use super::*;
use crate::usage::CRAWL;
use crate::usage::{
    AI_INPUT, AI_TRAIN_GENERATIVE, INDEX, PRESENT_CURRENTCOPY, PRESENT_LINK, PRESENT_SNIPPET, PRESERVE,
};

fn stated(vocabulary: Vocabulary, value: &str) -> Vec<(&'static str, bool)> {
    line(vocabulary, value.as_bytes(), false)
        .statement
        .all(vocabulary)
        .filter_map(|(usage, yes)| Some((usage.name()?, yes)))
        .collect()
}

fn codes(vocabulary: Vocabulary, value: &str) -> Vec<&'static str> {
    line(vocabulary, value.as_bytes(), false).notes.iter().map(|(code, _)| code.name()).collect()
}

#[test]
fn names_of_each_vocabulary_speak_of_their_usages() {
    use Vocabulary::{Preference, Signal};
    assert_eq!(stated(Preference, "train-ai=n, ai-use=y"), [("ai-train-generative", false), ("ai-input", true)]);
    assert_eq!(
        stated(Signal, "ai-train=no,ai-input=yes"),
        [("ai-train", false), ("ai-input", true), ("ai-index", true)]
    );
    assert_eq!(
        stated(Preference, "/a search=n"),
        [("index", false), ("present-link", false), ("present-snippet", false)]
    );
    assert_eq!(line(Preference, b"/a\tsearch=n", false).path, Some(&b"/a"[..]));
    assert_eq!(codes(Signal, "Search=YES, ai-train = no"), [""; 0]);
}

#[test]
fn what_plainly_refuses_is_a_refusal_and_a_note() {
    use Vocabulary::{Preference, Signal};
    for value in
        ["train-ai=no", "Train-AI=n", "train-ai=?0", "train-ai=n,", "train-ai = n", "train-ai=\"n\"", "train_ai=0"]
    {
        assert_eq!(stated(Preference, value), [("ai-train-generative", false)], "{value}");
        assert!(codes(Preference, value).contains(&"guessed-signal"), "{value}");
    }
    assert_eq!(stated(Preference, "ai-output=n"), [("ai-input", false), ("ai-index", false)]);
    assert_eq!(stated(Preference, "tdm=n"), [("tdm", false)]);
    for value in ["ai-train=n", "ai-train=false", "ai-train=0", "search=yes ai-train=no", "ai-train: no", "train-ai=no"]
    {
        assert!(stated(Signal, value).contains(&("ai-train", false)), "{value}");
    }
    for value in ["“no”", "=no", "no.", ":no", "«No»;", " [ no ]", "-no-", "\u{a0}no\u{200b}"] {
        let (written, quoted) = (format!("ai-train={value}"), format!("„ai-train“={value}"));
        assert_eq!(stated(Signal, &written), [("ai-train", false)], "{value}");
        assert_eq!(stated(Signal, &quoted), [("ai-train", false)], "{value}");
        assert_eq!(codes(Signal, &written), ["guessed-signal"], "{value}");
    }
    let notes = line(Signal, "ai-train==„no“, search=yes".as_bytes(), false).notes;
    assert_eq!(notes, [(Code::GuessedSignal, vec!["ai-train==„no“".to_owned(), "ai-train=no".to_owned()])]);
    for value in ["“yes”", "=yes", "yes.", "+", "", ", no", "nothing", "n.o"] {
        assert!(stated(Signal, &format!("ai-train={value}")).is_empty(), "{value}");
    }
    assert!(stated(Preference, "train-ai=maybe, ai-output=y, Search=y").is_empty());
    assert_eq!(codes(Preference, "train-ai=maybe, foo=n"), ["bad-content-usage", "unknown-signal"]);
}

#[test]
fn of_a_name_given_twice_the_last_counts_here_and_the_stricter_there() {
    assert_eq!(stated(Vocabulary::Preference, "train-ai=n, train-ai=y"), [("ai-train-generative", true)]);
    assert_eq!(stated(Vocabulary::Signal, "ai-train=no, ai-train=yes"), [("ai-train", false)]);
    let lines: [&[u8]; 2] = [b"train-ai=n", b"train-ai=y"];
    let (both, _) = header(Vocabulary::Preference, &lines, false);
    assert_eq!(both.all(Vocabulary::Preference).next(), Some((AI_TRAIN_GENERATIVE, false)));
}

#[test]
fn a_bound_refuses_what_lies_beyond_it() {
    let refused = |value: &str, usage| {
        let statement = line(Vocabulary::Signal, value.as_bytes(), false).statement;
        statement.on(Vocabulary::Signal, usage).any(|(_, _, word)| word == Word::Prohibits)
    };
    for usage in [INDEX, PRESENT_LINK, PRESENT_SNIPPET] {
        assert!(refused("use=immediate", usage) && !refused("use=reference", usage) && !refused("use=full", usage));
    }
    for usage in [PRESERVE, PRESENT_CURRENTCOPY, AI_INPUT, AI_TRAIN_GENERATIVE] {
        assert!(refused("use=immediate", usage) && refused("use=reference", usage) && !refused("use=full", usage));
    }
    assert!(!refused("use=immediate", CRAWL));
}

#[test]
fn what_is_cut_refuses_all_that_a_name_speaks_of() {
    let cut = SignalStatement::cut();
    assert!(cut.all(Vocabulary::Preference).all(|(_, yes)| !yes));
    assert!(cut.on(Vocabulary::Preference, AI_INPUT).next().is_some());
}

#[test]
fn by_the_letter_what_a_text_calls_unknown_says_nothing() {
    let said = [(Vocabulary::Preference, "Train-AI=n"), (Vocabulary::Signal, "ai-train=false, search=no.")];
    for (vocabulary, value) in said {
        let [careful, letter] = [false, true].map(|by_letter| line(vocabulary, value.as_bytes(), by_letter));
        assert!(!careful.statement.is_nothing() && letter.statement.is_nothing());
        assert!(!careful.notes.is_empty() && !letter.notes.is_empty());
    }
}
