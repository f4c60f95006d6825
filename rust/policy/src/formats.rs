//! What files of other formats begin with than texts (section 9 of the semantics).

/// A format of files, and what they begin with.
#[derive(Debug)]
pub struct Format {
    pub name: &'static str,
    /// It packs other files.
    pub packs: bool,
    first: &'static [u8],
    /// What stands at this place besides.
    then: (usize, &'static [u8]),
}

/// The format that octets begin as, if they show one that has a mark.
pub fn format_of(octets: &[u8]) -> Option<&'static Format> {
    let stands = |at: usize, mark: &[u8]| octets.get(at..).is_some_and(|rest| rest.starts_with(mark));
    FORMATS.iter().find(|format| octets.starts_with(format.first) && stands(format.then.0, format.then.1))
}

/// Whether octets begin as no text does, but as a packed file, whatever lines lie unpacked in it.
pub fn is_packed(octets: &[u8]) -> bool {
    PACKED.iter().any(|mark| octets.starts_with(mark))
        || octets.strip_prefix(b"BZh").is_some_and(|rest| {
            rest.first().is_some_and(|size| matches!(size, b'1'..=b'9')) && rest.get(1..7) == Some(b"1AY&SY")
        })
}

const PACKED: [&[u8]; 4] = [b"\x1F\x8B\x08", b"\x28\xB5\x2F\xFD", b"\xFD7zXZ\0", b"PK\x03\x04"];

const fn format(name: &'static str, first: &'static [u8]) -> Format {
    Format { name, packs: false, first, then: (0, b"") }
}

const fn packed(name: &'static str, first: &'static [u8]) -> Format {
    Format { name, packs: true, first, then: (0, b"") }
}

const fn besides(format: Format, then: (usize, &'static [u8])) -> Format {
    Format { then, ..format }
}

const FORMATS: [Format; 42] = [
    format("jpeg", b"\xFF\xD8\xFF"),
    format("png", b"\x89PNG\r\n\x1A\n"),
    besides(format("webp", b"RIFF"), (8, b"WEBP")),
    format("tiff", b"II*\0"),
    format("tiff", b"II+\0"),
    format("tiff", b"MM\0*"),
    format("tiff", b"MM\0+"),
    format("pdf", b"%PDF-"),
    format("gif", b"GIF87a"),
    format("gif", b"GIF89a"),
    besides(format("bmp", b"BM"), (6, b"\0\0\0\0")),
    besides(format("avi", b"RIFF"), (8, b"AVI ")),
    besides(format("wave", b"RIFF"), (8, b"WAVE")),
    besides(format("mp4", b""), (4, b"ftyp")),
    format("matroska", b"\x1AE\xDF\xA3"),
    format("mp3", b"ID3\x02"),
    format("mp3", b"ID3\x03"),
    format("mp3", b"ID3\x04"),
    format("ogg", b"OggS\0"),
    format("flac", b"fLaC"),
    packed("zip", b"PK\x03\x04"),
    format("ole", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"),
    format("postscript", b"%!PS-Adobe-"),
    format("jpeg 2000", b"\0\0\0\x0CjP  \r\n\x87\n"),
    format("jpeg xl", b"\xFF\n"),
    format("jpeg xl", b"\0\0\0\x0CJXL "),
    packed("gzip", b"\x1F\x8B"),
    packed("zstandard", b"(\xB5/\xFD"),
    packed("bzip2", b"BZh1"),
    packed("bzip2", b"BZh2"),
    packed("bzip2", b"BZh3"),
    packed("bzip2", b"BZh4"),
    packed("bzip2", b"BZh5"),
    packed("bzip2", b"BZh6"),
    packed("bzip2", b"BZh7"),
    packed("bzip2", b"BZh8"),
    packed("bzip2", b"BZh9"),
    packed("xz", b"\xFD7zXZ\0"),
    packed("zlib", b"x\x01"),
    packed("zlib", b"x\x9C"),
    packed("zlib", b"x\xDA"),
    packed("zlib", b"x^"),
];
