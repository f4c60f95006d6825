//! Usages and their hierarchy (P1 4.5.2.5.1, G 2.4; extensions below `other`).

use std::sync::LazyLock;

/// A usage: a place in [`KNOWN`], or beyond its end a name that a file defines itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Usage(pub u16);

/// What is known of a usage.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub name: &'static str,
    /// The usage directly above.
    pub above: Option<Usage>,
    /// It presents a preserved copy.
    of_copy: bool,
    /// A length that is stated on `present` cannot be kept in it.
    without_length: bool,
}

/// A row for each usage: the constant, the name, the usage directly above, and what else is true of it.
macro_rules! usages {
    ($($constant:ident $name:literal $(below $above:ident)? $([$($truth:ident)+])?;)*) => {
        #[allow(clippy::upper_case_acronyms, non_camel_case_types)]
        enum Place { $($constant,)* }
        // Some have names outside of the crate.
        $(#[allow(unreachable_pub)] pub const $constant: Usage = Usage(Place::$constant as u16);)*
        pub const KNOWN: &[Row] = &[$(Row {
            $($($truth: true,)+)?
            ..row($name, usages!(@above $($above)?))
        },)*];
    };
    (@above) => { None };
    (@above $above:ident) => { Some($above) };
}

const fn row(name: &'static str, above: Option<Usage>) -> Row {
    Row { name, above, of_copy: false, without_length: false }
}

usages! {
    CRAWL "crawl";
    FOLLOW "follow";
    INDEX "index";
    PRESERVE "preserve";
    PRESENT "present";
    PRESENT_ORIGINAL "present-original" below PRESENT;
    PRESENT_CURRENTCOPY "present-currentcopy" below PRESENT [of_copy without_length];
    PRESENT_OLDCOPY "present-oldcopy" below PRESENT [of_copy without_length];
    PRESENT_SNIPPET "present-snippet" below PRESENT;
    PRESENT_EXTRACT "present-extract" below PRESENT;
    PRESENT_THUMBNAIL "present-thumbnail" below PRESENT [without_length];
    PRESENT_OLDSNIPPET "present-oldsnippet" below PRESENT [of_copy];
    PRESENT_OLDEXTRACT "present-oldextract" below PRESENT [of_copy];
    PRESENT_OLDTHUMBNAIL "present-oldthumbnail" below PRESENT [of_copy without_length];
    PRESENT_LINK "present-link" below PRESENT;
    OTHER "other";
    TDM "tdm";
    AI_TRAIN "ai-train" below TDM;
    AI_TRAIN_GENERATIVE "ai-train-generative" below AI_TRAIN;
    AI_INPUT "ai-input" below TDM;
    AI_INDEX "ai-index" below TDM;
}

/// Names for several usages at once.
pub const COMPOSITES: [(&str, &[Usage]); 1] = [("search", &[INDEX, PRESENT_LINK, PRESENT_SNIPPET])];

/// Stands for every usage, where a limit cut the name of one.
pub const ANY: Usage = Usage(u16::MAX - 1);

/// All usages: those that have none above.
pub(crate) static EVERY: LazyLock<Vec<Usage>> =
    LazyLock::new(|| known().filter(|usage| usage.parent().is_none()).collect());

/// The usages that a prohibition of an unknown one covers beside it: those without a more specific name.
pub(crate) const UNNAMED: [Usage; 2] = [OTHER, TDM];

/// Every known usage.
pub fn known() -> impl Iterator<Item = Usage> {
    (0..KNOWN.len()).filter_map(|place| u16::try_from(place).ok().map(Usage))
}

/// The n-th usage, from 0, that a file defines itself; none beyond the numbers that all files of a policy share.
pub(crate) fn made_up(place: usize) -> Option<Usage> {
    let number = u16::try_from(place.checked_add(KNOWN.len())?).ok()?;
    (number < FURTHER).then_some(Usage(number))
}

/// The n-th usage, from 0, that only the caller names; none beyond the numbers that there are.
pub fn further(place: usize) -> Option<Usage> {
    let number = u16::try_from(place).ok()?.checked_add(FURTHER)?;
    (number < ANY.0).then_some(Usage(number))
}

/// From this number on usages are the caller's.
const FURTHER: u16 = 50_000;

/// What cannot be asked for, as no number is left.
pub const UNNUMBERED: Usage = Usage(u16::MAX);

impl Usage {
    /// The known usage of this lower-case name.
    pub fn known(name: &str) -> Option<Self> {
        known().zip(KNOWN).find(|(_, row)| row.name == name).map(|(usage, _)| usage)
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

    #[inline]
    fn row(self) -> Option<&'static Row> {
        KNOWN.get(usize::from(self.0))
    }

    /// The name, where the usage is a known one.
    pub fn name(self) -> Option<&'static str> {
        if self == ANY { Some("*") } else { self.row().map(|row| row.name) }
    }

    /// The usage directly above.
    pub(crate) fn parent(self) -> Option<Self> {
        self.row().and_then(|row| row.above)
    }

    /// Whether a statement on `self` counts for `below`: the same usage or one below it.
    pub(crate) fn covers(self, below: Self) -> bool {
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
    pub(crate) fn is_present(self) -> bool {
        PRESENT.covers(self)
    }

    /// Whether statements on the remainder `other` count for this usage where no others do; crawl and follow are acts
    /// of the crawler and not uses of content (our choice).
    pub(crate) fn in_remainder(self) -> bool {
        self.is_of_content() && self != OTHER
    }

    /// Whether this is a use of content, and no act of the crawler.
    pub(crate) fn is_of_content(self) -> bool {
        self != CRAWL && self != FOLLOW
    }

    /// Whether a length that is stated on `present` cannot be kept in this representation (our choice).
    pub(crate) fn has_no_length(self) -> bool {
        self.row().is_some_and(|row| row.without_length)
    }

    /// Whether this presents a preserved copy, and so depends on `preserve` (our choice).
    pub(crate) fn needs_preserve(self) -> bool {
        self.row().is_some_and(|row| row.of_copy)
    }

    /// The known usages below this one.
    pub fn below(self) -> impl Iterator<Item = Self> {
        known().filter(move |usage| *usage != self && self.covers(*usage))
    }
}
