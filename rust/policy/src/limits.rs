//! Every number that bounds reading, with its reason (P1 4.6, K2 5, RFC 9309 2.5).

/// Bounds on what is read of one robots.txt file. What a limit cuts is a problem and is named in every reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Octets of the file that are read; a cut last line is dropped.
    pub file_octets: usize,
    /// Octets of one line; a longer one is cut if it prohibits and dropped if it permits.
    pub line_octets: usize,
    /// ACAP records in a file; in later ones permissions are dropped and prohibitions kept.
    pub records: usize,
    /// Sub-records of one ACAP record, likewise.
    pub sub_records: usize,
    /// Fields of one ACAP record, likewise.
    pub fields_per_record: usize,
    /// Fields of one ACAP sub-record, likewise.
    pub fields_per_sub_record: usize,
}

/// RFC 9309 2.5 asks for at least 500 KiB; this is the next power of two.
pub const FILE_OCTETS: usize = 512 * 1024;
/// The line buffer of the most widely used matcher: eight times the longest URL of an old browser.
pub const LINE_OCTETS: usize = 2083 * 8;
/// Lengths of values are kept in 16 bits.
pub const LINE_OCTETS_MOST: usize = 65_535;
/// Positions are kept in 32 bits.
pub const FILE_OCTETS_MOST: usize = 0xFFFF_FFF0;
/// The largest real file with ACAP fields has 3 records; a generated one names some hundred crawlers.
pub const RECORDS: usize = 2_000;
/// A crawler serves a handful of services.
pub const SUB_RECORDS: usize = 100;
/// Half of the shortest fields that fit in [`FILE_OCTETS`].
pub const FIELDS_PER_RECORD: usize = 10_000;
/// As for a record: most records have no sub-records.
pub const FIELDS_PER_SUB_RECORD: usize = 10_000;

/// Permissions of one tier among which the draft's comparison is looked at for circles; real files have a handful.
pub const DRAFTS_COMPARED: usize = 64;

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
