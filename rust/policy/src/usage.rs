//! Usages and their hierarchy (P1 4.5.2.5.1, G 2.4; extensions below `other`).

/// A usage: a place in [`KNOWN`], or beyond its end a name that a file defines itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Usage(pub u16);

/// The name and the usage directly above.
pub const KNOWN: [(&str, Option<Usage>); 21] = [
    ("crawl", None),
    ("follow", None),
    ("index", None),
    ("preserve", None),
    ("present", None),
    ("present-original", Some(PRESENT)),
    ("present-currentcopy", Some(PRESENT)),
    ("present-oldcopy", Some(PRESENT)),
    ("present-snippet", Some(PRESENT)),
    ("present-extract", Some(PRESENT)),
    ("present-thumbnail", Some(PRESENT)),
    ("present-oldsnippet", Some(PRESENT)),
    ("present-oldextract", Some(PRESENT)),
    ("present-oldthumbnail", Some(PRESENT)),
    ("present-link", Some(PRESENT)),
    ("other", None),
    ("tdm", None),
    ("ai-train", Some(Usage(16))),
    ("ai-train-generative", Some(Usage(17))),
    ("ai-input", Some(Usage(16))),
    ("ai-index", Some(Usage(16))),
];

/// Names for several usages at once.
pub const COMPOSITES: [(&str, &[Usage]); 1] = [("search", &[INDEX, PRESENT_LINK, PRESENT_SNIPPET])];

pub const CRAWL: Usage = Usage(0);
pub const FOLLOW: Usage = Usage(1);
pub const INDEX: Usage = Usage(2);
pub const PRESERVE: Usage = Usage(3);
pub const PRESENT: Usage = Usage(4);
pub const PRESENT_ORIGINAL: Usage = Usage(5);
pub const PRESENT_CURRENTCOPY: Usage = Usage(6);
pub const PRESENT_OLDCOPY: Usage = Usage(7);
pub const PRESENT_SNIPPET: Usage = Usage(8);
pub const PRESENT_EXTRACT: Usage = Usage(9);
pub const PRESENT_THUMBNAIL: Usage = Usage(10);
pub const PRESENT_OLDSNIPPET: Usage = Usage(11);
pub const PRESENT_OLDEXTRACT: Usage = Usage(12);
pub const PRESENT_OLDTHUMBNAIL: Usage = Usage(13);
pub const PRESENT_LINK: Usage = Usage(14);
pub const OTHER: Usage = Usage(15);
pub const TDM: Usage = Usage(16);
pub const AI_TRAIN: Usage = Usage(17);
pub const AI_TRAIN_GENERATIVE: Usage = Usage(18);
pub const AI_INPUT: Usage = Usage(19);
pub const AI_INDEX: Usage = Usage(20);
/// Stands for every usage, where a limit cut the name of one.
pub const ANY: Usage = Usage(u16::MAX - 1);

/// All usages: those that have none above.
pub const EVERY: &[Usage] = &[CRAWL, FOLLOW, INDEX, PRESERVE, PRESENT, OTHER, TDM];

/// The usages that a prohibition of an unknown one covers beside it: those without a more specific name.
pub const UNNAMED: [Usage; 2] = [OTHER, TDM];

/// The n-th usage, from 0, that a file defines itself; none beyond the numbers that all files of a policy share.
pub fn made_up(place: usize) -> Option<Usage> {
    let number = u16::try_from(place.checked_add(KNOWN.len())?).ok()?;
    (number < FURTHER).then_some(Usage(number))
}

/// From this number on usages are the caller's.
pub const FURTHER: u16 = 50_000;

impl Usage {
    /// The known usage of this lower-case name.
    pub fn known(name: &str) -> Option<Self> {
        let place = KNOWN.iter().position(|(known, _)| *known == name)?;
        u16::try_from(place).ok().map(Self)
    }

    /// The representation whose plural this lower-case name is; it is read as the singular (G 4.10).
    pub fn of_plural(name: &str) -> Option<Self> {
        if !name.starts_with("present-") {
            return None;
        }
        match name.strip_suffix("copies") {
            Some(stem) => Self::known(&format!("{stem}copy")),
            None => Self::known(name.strip_suffix('s')?),
        }
    }

    /// The name, where the usage is a known one.
    pub fn name(self) -> Option<&'static str> {
        if self == ANY {
            return Some("*");
        }
        KNOWN.get(usize::from(self.0)).map(|(name, _)| *name)
    }

    /// The usage directly above.
    pub fn parent(self) -> Option<Self> {
        KNOWN.get(usize::from(self.0)).and_then(|(_, parent)| *parent)
    }

    /// Whether a statement on `self` counts for `below`: the same usage or one below it.
    pub fn covers(self, below: Self) -> bool {
        if self == ANY {
            return true;
        }
        let mut at = Some(below);
        while let Some(usage) = at {
            if usage == self {
                return true;
            }
            at = usage.parent();
        }
        false
    }

    /// The usage in vocabularies without a word for it: one that only a file, page or caller defines counts as `other`.
    pub fn elsewhere(self) -> Self {
        if self.name().is_some() { self } else { OTHER }
    }

    /// `present` or a representation.
    pub fn is_present(self) -> bool {
        PRESENT.covers(self)
    }

    /// Whether statements on the remainder `other` count for this usage where no others do; crawl and follow are acts
    /// of the crawler and not uses of content (our choice).
    pub fn in_remainder(self) -> bool {
        self.is_of_content() && self != OTHER
    }

    /// Whether this is a use of content, and no act of the crawler.
    pub fn is_of_content(self) -> bool {
        self != CRAWL && self != FOLLOW
    }

    /// Whether a length that is stated on `present` cannot be kept in this representation (our choice).
    pub fn has_no_length(self) -> bool {
        matches!(self, PRESENT_CURRENTCOPY | PRESENT_OLDCOPY | PRESENT_THUMBNAIL | PRESENT_OLDTHUMBNAIL)
    }

    /// Whether this presents a preserved copy, and so depends on `preserve` (our choice).
    pub fn needs_preserve(self) -> bool {
        matches!(
            self,
            PRESENT_CURRENTCOPY | PRESENT_OLDCOPY | PRESENT_OLDSNIPPET | PRESENT_OLDEXTRACT | PRESENT_OLDTHUMBNAIL
        )
    }

    /// The known usages below this one.
    pub fn below(self) -> impl Iterator<Item = Self> {
        (0..KNOWN.len())
            .filter_map(|place| u16::try_from(place).ok().map(Self))
            .filter(move |usage| *usage != self && self.covers(*usage))
    }
}
