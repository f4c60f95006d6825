//! Codes of what a reader found wrong; sentences are made elsewhere.

use std::collections::BTreeMap;

use crate::limits::PROBLEMS;
use crate::places::Place;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    MoreOfThis,
    MissingColon,
    MisspeltField,
    UnknownField,
    UnreadableValue,
    NoField,
    RuleBeforeAgent,
    EmptyAgent,
    RelativePattern,
    AbsoluteRule,
    NoRobotsTxt,
    PackedFile,
    CutFile,
    OverlongLine,
    PartialByteOrderMark,
    DecodedUtf16,
    InvalidUtf8,
    Nul,
    BadContentUsage,
    GuessedSignal,
    UnknownSignal,
    ControlCharacter,
    FalseUtf16Mark,
    AcapHyphen,
    AcapUnknownField,
    AcapBeforeCrawler,
    AcapCrawlerName,
    AcapNoCrawler,
    AcapSeveralCrawlers,
    AcapAnyBesideNames,
    AcapSeveralAny,
    AcapMisplacedDefinition,
    AcapBadDefinition,
    AcapDuplicateDefinition,
    AcapUndefinedUsage,
    AcapUndefinedSet,
    AcapVoidConstituent,
    AcapPlural,
    AcapUnknownUsage,
    AcapGuessedUsage,
    AcapEmptyPurpose,
    AcapEmptyResource,
    AcapForeignResource,
    AcapUnreadableHost,
    AcapRelativePattern,
    AcapQualifierOnProhibition,
    AcapUnknownQualifier,
    AcapBadValue,
    AcapMisplacedQualifier,
    AcapOlderWord,
    AcapLaterVersion,
    AcapStrayText,
    AcapProhibitedLocalUsage,
    AcapPermissionBesideReference,
    AcapReferenceOfWords,
    AcapRequestInSubRecord,
    AcapRequestWildcard,
    AcapTooMuch,
    AcapSecondVersion,
    AcapSeveralStatements,
    AcapEmptyTag,
    AcapClassToken,
    AcapGuessedField,
    AcapNearlyPermission,
    AcapUnknownProhibition,
    AcapBroadUsage,
    AcapIgnoreAlone,
    AcapUnknownVersion,
    AcapEmptyRecord,
    AcapIdlePurpose,
    AcapOddName,
    AcapSwallowedModification,
    AcapNearlyTag,
    SecondVisitTime,
    SecondRobotVersion,
}

impl Code {
    /// The stable name of the code.
    pub fn name(self) -> &'static str {
        match self {
            Self::MoreOfThis => "more-of-this",
            Self::MissingColon => "missing-colon",
            Self::MisspeltField => "misspelt-field",
            Self::UnknownField => "unknown-field",
            Self::UnreadableValue => "unreadable-value",
            Self::NoField => "no-field",
            Self::RuleBeforeAgent => "rule-before-agent",
            Self::EmptyAgent => "empty-agent",
            Self::RelativePattern => "relative-pattern",
            Self::AbsoluteRule => "absolute-rule",
            Self::NoRobotsTxt => "no-robots-txt",
            Self::PackedFile => "packed-file",
            Self::CutFile => "cut-file",
            Self::OverlongLine => "overlong-line",
            Self::PartialByteOrderMark => "partial-byte-order-mark",
            Self::DecodedUtf16 => "decoded-utf-16",
            Self::InvalidUtf8 => "invalid-utf-8",
            Self::Nul => "nul-octet",
            Self::BadContentUsage => "bad-content-usage",
            Self::GuessedSignal => "guessed-signal",
            Self::UnknownSignal => "unknown-signal",
            Self::ControlCharacter => "control-character",
            Self::FalseUtf16Mark => "false-utf-16-mark",
            Self::AcapHyphen => "acap-hyphen",
            Self::AcapUnknownField => "acap-unknown-field",
            Self::AcapBeforeCrawler => "acap-before-crawler",
            Self::AcapCrawlerName => "acap-crawler-name",
            Self::AcapNoCrawler => "acap-no-crawler",
            Self::AcapSeveralCrawlers => "acap-several-crawlers",
            Self::AcapAnyBesideNames => "acap-any-beside-names",
            Self::AcapSeveralAny => "acap-several-any-records",
            Self::AcapMisplacedDefinition => "acap-misplaced-definition",
            Self::AcapBadDefinition => "acap-bad-definition",
            Self::AcapDuplicateDefinition => "acap-duplicate-definition",
            Self::AcapUndefinedUsage => "acap-undefined-usage",
            Self::AcapUndefinedSet => "acap-undefined-set",
            Self::AcapVoidConstituent => "acap-void-constituent",
            Self::AcapPlural => "acap-plural",
            Self::AcapUnknownUsage => "acap-unknown-usage",
            Self::AcapGuessedUsage => "acap-guessed-usage",
            Self::AcapEmptyPurpose => "acap-empty-purpose",
            Self::AcapEmptyResource => "acap-empty-resource",
            Self::AcapForeignResource => "acap-foreign-resource",
            Self::AcapUnreadableHost => "acap-unreadable-host",
            Self::AcapRelativePattern => "acap-relative-pattern",
            Self::AcapQualifierOnProhibition => "acap-qualifier-on-prohibition",
            Self::AcapUnknownQualifier => "acap-unknown-qualifier",
            Self::AcapBadValue => "acap-bad-value",
            Self::AcapMisplacedQualifier => "acap-misplaced-qualifier",
            Self::AcapOlderWord => "acap-older-word",
            Self::AcapLaterVersion => "acap-later-version",
            Self::AcapStrayText => "acap-stray-text",
            Self::AcapProhibitedLocalUsage => "acap-prohibited-local-usage",
            Self::AcapPermissionBesideReference => "acap-permission-beside-reference",
            Self::AcapReferenceOfWords => "acap-reference-of-words",
            Self::AcapRequestInSubRecord => "acap-request-in-sub-record",
            Self::AcapRequestWildcard => "acap-request-wildcard",
            Self::AcapTooMuch => "acap-too-much",
            Self::AcapSecondVersion => "acap-second-version",
            Self::AcapSeveralStatements => "acap-several-statements",
            Self::AcapEmptyTag => "acap-empty-tag",
            Self::AcapClassToken => "acap-class-token",
            Self::AcapGuessedField => "acap-guessed-field",
            Self::AcapNearlyPermission => "acap-nearly-permission",
            Self::AcapUnknownProhibition => "acap-unknown-prohibition",
            Self::AcapBroadUsage => "acap-broad-usage",
            Self::AcapIgnoreAlone => "acap-ignore-alone",
            Self::AcapUnknownVersion => "acap-unknown-version",
            Self::AcapEmptyRecord => "acap-empty-record",
            Self::AcapIdlePurpose => "acap-idle-purpose",
            Self::AcapOddName => "acap-odd-name",
            Self::AcapSwallowedModification => "acap-swallowed-modification",
            Self::AcapNearlyTag => "acap-nearly-tag",
            Self::SecondVisitTime => "second-visit-time",
            Self::SecondRobotVersion => "second-robot-version",
        }
    }

    /// Every code, for the catalogue.
    pub const ALL: [Self; 75] = [
        Self::MoreOfThis,
        Self::MissingColon,
        Self::MisspeltField,
        Self::UnknownField,
        Self::UnreadableValue,
        Self::NoField,
        Self::RuleBeforeAgent,
        Self::EmptyAgent,
        Self::RelativePattern,
        Self::AbsoluteRule,
        Self::NoRobotsTxt,
        Self::PackedFile,
        Self::CutFile,
        Self::OverlongLine,
        Self::PartialByteOrderMark,
        Self::DecodedUtf16,
        Self::InvalidUtf8,
        Self::Nul,
        Self::BadContentUsage,
        Self::GuessedSignal,
        Self::UnknownSignal,
        Self::ControlCharacter,
        Self::FalseUtf16Mark,
        Self::AcapHyphen,
        Self::AcapUnknownField,
        Self::AcapBeforeCrawler,
        Self::AcapCrawlerName,
        Self::AcapNoCrawler,
        Self::AcapSeveralCrawlers,
        Self::AcapAnyBesideNames,
        Self::AcapSeveralAny,
        Self::AcapMisplacedDefinition,
        Self::AcapBadDefinition,
        Self::AcapDuplicateDefinition,
        Self::AcapUndefinedUsage,
        Self::AcapUndefinedSet,
        Self::AcapVoidConstituent,
        Self::AcapPlural,
        Self::AcapUnknownUsage,
        Self::AcapGuessedUsage,
        Self::AcapEmptyPurpose,
        Self::AcapEmptyResource,
        Self::AcapForeignResource,
        Self::AcapUnreadableHost,
        Self::AcapRelativePattern,
        Self::AcapQualifierOnProhibition,
        Self::AcapUnknownQualifier,
        Self::AcapBadValue,
        Self::AcapMisplacedQualifier,
        Self::AcapOlderWord,
        Self::AcapLaterVersion,
        Self::AcapStrayText,
        Self::AcapProhibitedLocalUsage,
        Self::AcapPermissionBesideReference,
        Self::AcapReferenceOfWords,
        Self::AcapRequestInSubRecord,
        Self::AcapRequestWildcard,
        Self::AcapTooMuch,
        Self::AcapSecondVersion,
        Self::AcapSeveralStatements,
        Self::AcapEmptyTag,
        Self::AcapClassToken,
        Self::AcapGuessedField,
        Self::AcapNearlyPermission,
        Self::AcapUnknownProhibition,
        Self::AcapBroadUsage,
        Self::AcapIgnoreAlone,
        Self::AcapUnknownVersion,
        Self::AcapEmptyRecord,
        Self::AcapIdlePurpose,
        Self::AcapOddName,
        Self::AcapSwallowedModification,
        Self::AcapNearlyTag,
        Self::SecondVisitTime,
        Self::SecondRobotVersion,
    ];
}

/// One finding: its code, where it is, and the words a message needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub code: Code,
    pub place: Place,
    pub words: Vec<String>,
}

/// Collects problems, or nothing when nobody asks.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    list: Option<Vec<Problem>>,
    /// Numbers are wanted, and no list.
    counted: bool,
    /// What is found now has been reported before.
    paused: bool,
    /// The number of each code.
    numbers: Vec<(Code, usize)>,
    /// Of each code, the place of the first problem beyond the limit.
    beyond: BTreeMap<Code, Place>,
}

impl Problems {
    pub(crate) fn kept() -> Self {
        Self { list: Some(Vec::new()), ..Self::default() }
    }

    pub(crate) fn counted() -> Self {
        Self { counted: true, ..Self::default() }
    }

    pub(crate) fn ignored() -> Self {
        Self::default()
    }

    pub(crate) fn are_kept(&self) -> bool {
        (self.list.is_some() || self.counted) && !self.paused
    }

    /// Whether nobody asks where problems are, nor for their words.
    pub(crate) fn are_counted(&self) -> bool {
        self.counted
    }

    /// Keeps nothing for a while, or keeps again.
    pub(crate) fn pause(&mut self, paused: bool) {
        self.paused = paused;
    }

    pub(crate) fn add(&mut self, code: Code, place: Place, words: &[&str]) {
        if !self.are_kept() {
            return;
        }
        if self.number_one_more(code) > PROBLEMS {
            self.beyond.entry(code).or_insert(place);
        } else if let Some(list) = &mut self.list {
            list.push(Problem { code, place, words: words.iter().map(|word| (*word).to_owned()).collect() });
        }
    }

    /// The number of a code, with one that was found now. Few codes are in one file.
    fn number_one_more(&mut self, code: Code) -> usize {
        if let Some((_, number)) = self.numbers.iter_mut().find(|(held, _)| *held == code) {
            *number = number.saturating_add(1);
            return *number;
        }
        self.numbers.push((code, 1));
        1
    }

    /// The number of each code among all problems, as [`Self::into_list`] has them.
    pub(crate) fn into_numbers(mut self) -> Vec<(Code, usize)> {
        for (_, number) in &mut self.numbers {
            *number = PROBLEMS.min(*number);
        }
        self.numbers.extend((!self.beyond.is_empty()).then_some((Code::MoreOfThis, self.beyond.len())));
        self.numbers
    }

    /// All problems; those of a code beyond the limit are one, with their number, where the first of them is.
    pub(crate) fn into_list(self) -> Vec<Problem> {
        let mut list = self.list.unwrap_or_default();
        list.extend(self.beyond.into_iter().map(|(code, place)| {
            let number = self.numbers.iter().find(|(held, _)| *held == code).map_or(0, |(_, number)| *number);
            let more = number.saturating_sub(PROBLEMS);
            Problem { code: Code::MoreOfThis, place, words: vec![code.name().to_owned(), more.to_string()] }
        }));
        list
    }
}
