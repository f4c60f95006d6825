//! The vocabularies of Content-Signal and Content-Usage: their names of uses, by revision, and the usages that each
//! means.

use crate::fields::Kind;
use crate::usage::{
    AI_INDEX, AI_INPUT, AI_TRAIN, AI_TRAIN_GENERATIVE, INDEX, OTHER, PRESENT, PRESENT_CURRENTCOPY, PRESENT_LINK,
    PRESENT_OLDCOPY, PRESENT_OLDTHUMBNAIL, PRESENT_ORIGINAL, PRESENT_SNIPPET, PRESENT_THUMBNAIL, PRESERVE, TDM, Usage,
};

/// The vocabularies that are read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Vocabulary {
    /// Content-Signal, contentsignals.org.
    Signal,
    /// Content-Usage, draft-ietf-aipref-vocab.
    Preference,
}

impl Vocabulary {
    /// The vocabulary of a line.
    pub fn of(kind: Kind) -> Option<Self> {
        match kind {
            Kind::ContentSignal | Kind::CutContentSignal => Some(Self::Signal),
            Kind::ContentUsage | Kind::CutContentUsage => Some(Self::Preference),
            _ => None,
        }
    }

    /// The field, as it is usually spelt.
    pub fn field(self) -> &'static str {
        match self {
            Self::Signal => "Content-Signal",
            Self::Preference => "Content-Usage",
        }
    }

    pub const ALL: [Self; 2] = [Self::Signal, Self::Preference];

    /// The name under which its statements are cited.
    pub fn dialect(self) -> &'static str {
        match self {
            Self::Signal => "content-signal",
            Self::Preference => "content-usage",
        }
    }

    /// The value that refuses.
    fn no(self) -> &'static str {
        match self {
            Self::Signal => "no",
            Self::Preference => "n",
        }
    }
}

/// The revision of draft-ietf-aipref-vocab whose names count.
const REVISION: u8 = 8;

/// A name of a use.
#[derive(Debug)]
pub(super) struct Label {
    pub name: &'static str,
    /// Other names with the same force; the draft says of `ai-use` that its name may be refined.
    pub aliases: &'static [&'static str],
    /// The revisions of draft-ietf-aipref-vocab that know it.
    pub revisions: &'static [u8],
    /// Content-Signal knows it.
    pub signal: bool,
    /// What it speaks of.
    pub usages: &'static [Usage],
    /// What it refuses when a line borrows it from another vocabulary or an earlier draft: the broader of its meanings.
    pub lent: &'static [Usage],
    /// How Content-Usage and Content-Signal say it today.
    today: [&'static str; 2],
}

/// Every name that a draft of either vocabulary has had.
pub(super) const LABELS: [Label; 13] = [
    label("search", &[1, 2, 3, 4, 5, 6, 7, 8], true, SEARCH, SEARCH, ["search", "search"]),
    label("train-ai", &[2, 3, 4, 5, 6, 7, 8], false, GENERATIVE, &[AI_TRAIN], TRAIN),
    label("ai-use", &[2, 8], false, &[AI_INPUT], INPUT, FEED),
    label("ai-train", &[], true, &[AI_TRAIN], &[AI_TRAIN], TRAIN),
    label("ai-input", &[], true, INPUT, INPUT, FEED),
    label("tdm", &[1], false, &[TDM], &[TDM], ["train-ai=n, ai-use", "ai-train=no, ai-input"]),
    label("ai", &[1], false, &[AI_TRAIN], &[AI_TRAIN], TRAIN),
    label("genai", &[1], false, GENERATIVE, GENERATIVE, TRAIN),
    label("inference", &[1], false, &[AI_INPUT], INPUT, FEED),
    label("train-genai", &[2, 3], false, GENERATIVE, GENERATIVE, TRAIN),
    label("ai-output", &[4], false, &[AI_INPUT], INPUT, FEED),
    label("all", &[2], false, ALL_USES, ALL_USES, ALL),
    label("bots", &[3, 4], false, ALL_USES, ALL_USES, ALL),
];

const fn label(
    name: &'static str,
    revisions: &'static [u8],
    signal: bool,
    usages: &'static [Usage],
    lent: &'static [Usage],
    today: [&'static str; 2],
) -> Label {
    Label { name, aliases: &[], revisions, signal, usages, lent, today }
}

const TRAIN: [&str; 2] = ["train-ai", "ai-train"];

const FEED: [&str; 2] = ["ai-use", "ai-input"];

const ALL: [&str; 2] = ["train-ai=n, ai-use=n, search", "ai-train=no, ai-input=no, search"];

impl Label {
    /// Whether a vocabulary defines it, as of the revision that counts.
    pub(crate) fn is_of(&self, vocabulary: Vocabulary) -> bool {
        match vocabulary {
            Vocabulary::Signal => self.signal,
            Vocabulary::Preference => self.revisions.contains(&REVISION),
        }
    }

    pub(super) fn has(&self, name: &[u8]) -> bool {
        self.name.as_bytes() == name || self.aliases.iter().any(|alias| alias.as_bytes() == name)
    }

    /// How a vocabulary refuses it today.
    pub(super) fn refusal(&self, vocabulary: Vocabulary) -> String {
        let [preference, signal] = self.today;
        match vocabulary {
            _ if self.is_of(vocabulary) => format!("{}={}", self.name, vocabulary.no()),
            Vocabulary::Preference => format!("{preference}={}", vocabulary.no()),
            Vocabulary::Signal => format!("{signal}={}", vocabulary.no()),
        }
    }

    /// Whether a name that was written loosely can only be this: without case, hyphens and underscores.
    pub(super) fn may_be(&self, folded: &[u8]) -> bool {
        let is = |name: &str| name.bytes().filter(|octet| *octet != b'-').eq(folded.iter().copied());
        is(self.name) || self.aliases.iter().any(|alias| is(alias))
    }
}

const GENERATIVE: &[Usage] = &[AI_TRAIN_GENERATIVE];

const SEARCH: &[Usage] = &[INDEX, PRESENT_LINK, PRESENT_SNIPPET];

/// Every use of content; crawl and follow are acts of the crawler.
pub const ALL_USES: &[Usage] = &[INDEX, PRESERVE, PRESENT, OTHER, TDM];

/// What goes beyond index, link and excerpt.
const BEYOND_REFERENCE: &[Usage] = &[
    PRESERVE,
    PRESENT_ORIGINAL,
    PRESENT_CURRENTCOPY,
    PRESENT_OLDCOPY,
    PRESENT_THUMBNAIL,
    PRESENT_OLDTHUMBNAIL,
    OTHER,
    TDM,
];

/// `ai-input` feeds content to a model; the store from which it is fed is part of that (our choice).
const INPUT: &[Usage] = &[AI_INPUT, AI_INDEX];

/// The bounds of `use`, from the strictest: what is refused, and whether a line says so (contentsignals.org,
/// 2026-07-01).
pub(super) const BOUNDS: [(&[u8], &[Usage]); 3] =
    [(b"immediate", ALL_USES), (b"reference", BEYOND_REFERENCE), (b"full", &[])];

/// The place of `use`: after all labels.
pub(super) const USE: usize = LABELS.len();
