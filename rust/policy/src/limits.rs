//! Every number that bounds reading, with its reason (P1 4.6, K2 5, RFC 9309 2.5).

/// Bounds on what is read of one robots.txt file. What a limit cuts is a problem and is named in every reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Octets of the file; a larger one prohibits everything.
    pub file_octets: usize,
    /// Octets of one line; what is cut of a longer one is replaced by the strictest that it may have been.
    pub line_octets: usize,
    /// ACAP records in a file; in later ones prohibitions are kept, and permissions only restrict.
    pub records: usize,
    /// Sub-records of one ACAP record, likewise.
    pub sub_records: usize,
    /// Fields of one ACAP record, likewise.
    pub fields_per_record: usize,
    /// Fields of one ACAP sub-record, likewise.
    pub fields_per_sub_record: usize,
}

/// RFC 9309 2.5 asks for at least 500 KiB. Reading is linear and takes milliseconds; of 11,054 real files none is as
/// large.
pub(crate) const FILE_OCTETS: usize = 8 * 1024 * 1024;
/// The line buffer of the most widely used matcher: eight times the longest URL of an old browser.
pub(crate) const LINE_OCTETS: usize = 2083 * 8;
/// Lengths of values are kept in 16 bits.
pub(crate) const LINE_OCTETS_MOST: usize = 65_535;
/// Positions are kept in 32 bits, also in what is stored of a text, whose octets may each become an escape of three.
pub(crate) const FILE_OCTETS_MOST: usize = 0x4000_0000;
/// The largest real file with ACAP fields has 3 records; a generated one names some hundred crawlers.
pub(crate) const RECORDS: usize = 2_000;
/// A crawler serves a handful of services; no file of 24 KiB has room for more.
pub(crate) const SUB_RECORDS: usize = 1_000;
/// The largest real record has some hundred; a generated one has a field for each page of a section.
pub(crate) const FIELDS_PER_RECORD: usize = 10_000;
/// As for a record: most records have no sub-records.
pub(crate) const FIELDS_PER_SUB_RECORD: usize = 10_000;
/// Octets per URL of a question; the HTTP client takes no more. A longer one is the caller's mistake.
pub const URL_OCTETS: usize = 65_536;
/// Usages per file that no other file knows; no real one has ten. Beyond, a permission says nothing and a prohibition
/// is one of `other`.
pub(crate) const USAGES: usize = 1_000;
/// Names per file that are compared with misspelt ones, to suggest the nearest; beyond, nothing is suggested.
pub(crate) const SUGGESTIONS: usize = 20_000;
/// Purpose patterns per question without a purpose; beyond, any purpose counts as excluded.
pub(crate) const PURPOSES: usize = 256;
/// Names per crawler that asks; known crawlers have up to four. More are the caller's error: each is searched for in
/// every record.
pub const NAMES: usize = 64;
/// Problems reported per code; a real file has a hundred. Of more, the number is reported.
pub const PROBLEMS: usize = 5_000;
/// Deciding statements per reason, and losing statements per reason: people read it.
pub(crate) const CITED: usize = 256;
/// Octets of literals per index; the largest real file has a tenth of it. Beyond, rules with wildcards are tried one by
/// one.
pub(crate) const LITERAL_OCTETS: usize = 256 * 1024;
/// Octets of patterns and values compared per question on one usage: some two hundred permissions and
/// as many prohibitions of one URL, each with each. A question that takes more is prohibited.
pub(crate) const COMPARED: usize = 1 << 23;
/// Octets of a path compared per question with wildcard lines of the 2.0.0 proposal: a hundred thousand different
/// lines and a URL of 2 KB. A path that takes more is refused.
pub(crate) const MATCHED: usize = 1 << 28;
/// Cost of one comparison, beside its octets.
pub(crate) const COMPARISON: usize = 64;

/// Candidates per crawler, purpose and usage in a comparison of policies; the largest real
/// file has a tenth of it. Beyond, the comparison is undecided.
pub(crate) const CLAIMED: usize = 20_000;
/// Sets of permissions with restrictions per crawler, purpose and usage; likewise.
pub(crate) const REGIONS: usize = 2_048;
/// Steps per comparison of policies, some seconds; likewise.
pub const WORK: usize = 1 << 29;

/// Permissions per tier among which the draft's comparison is searched for circles; real files have a handful.
pub(crate) const DRAFTS_COMPARED: usize = 64;

impl Limits {
    /// Octets of a file that are read; what lies beyond is cut.
    pub(crate) fn octets_read(&self) -> usize {
        self.file_octets.min(FILE_OCTETS_MOST)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_octets: FILE_OCTETS,
            line_octets: LINE_OCTETS,
            records: RECORDS,
            sub_records: SUB_RECORDS,
            fields_per_record: FIELDS_PER_RECORD,
            fields_per_sub_record: FIELDS_PER_SUB_RECORD,
        }
    }
}
