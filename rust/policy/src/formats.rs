//! What files of other formats begin with than texts (section 9 of the semantics).

use crate::octets::is_space;

/// A format of files, and what they begin with.
#[derive(Debug)]
pub struct Format {
    pub name: &'static str,
    /// It packs other files.
    pub packs: bool,
    /// No text begins so, whatever lines lie unpacked in the file.
    always: bool,
    first: &'static [u8],
    /// What stands at this place besides.
    then: (usize, &'static [u8]),
}

impl Format {
    fn begins(&self, octets: &[u8]) -> bool {
        octets.starts_with(self.first) && octets.get(self.then.0..).is_some_and(|rest| rest.starts_with(self.then.1))
    }
}

/// The format that octets begin as, if they show one that has a mark: at once, or behind blanks and marks of UTF-8.
pub fn format_of(octets: &[u8]) -> Option<&'static Format> {
    [octets, behind_blanks(octets)].iter().find_map(|octets| FORMATS.iter().find(|format| format.begins(octets)))
}

/// Whether octets may begin as a format: none that has a first octet begins with a letter that these texts do.
pub(crate) fn may_begin(octets: &[u8]) -> bool {
    let rest = behind_blanks(octets);
    let with_any = FORMATS.iter().take_while(|format| format.first.is_empty());
    let begins = |octets: &[u8]| with_any.clone().any(|format| format.begins(octets));
    !matches!(rest, [b'#' | b'A' | b'a' | b'C' | b'c' | b'D' | b'd' | b'S' | b's' | b'U' | b'u', ..])
        || begins(octets)
        || (rest.len() < octets.len() && begins(rest))
}

/// Whether octets begin as no text does, but as a packed file, whatever lines lie unpacked in it.
pub(crate) fn is_packed(octets: &[u8]) -> bool {
    let begins = |octets: &[u8]| FORMATS.iter().any(|format| format.always && format.begins(octets));
    let rest = behind_blanks(octets);
    begins(octets) || (rest.len() < octets.len() && begins(rest))
}

/// Octets behind what a server or an editor puts before a file: blanks, ends of lines, marks of UTF-8.
fn behind_blanks(octets: &[u8]) -> &[u8] {
    let mut rest = octets;
    loop {
        rest = match rest {
            [blank, more @ ..] if is_space(*blank) => more,
            [0xEF, 0xBB, 0xBF, more @ ..] => more,
            _ => return rest,
        };
    }
}

const fn format(name: &'static str, first: &'static [u8]) -> Format {
    Format { name, packs: false, always: false, first, then: (0, b"") }
}

const fn packed(name: &'static str, first: &'static [u8]) -> Format {
    Format { packs: true, ..format(name, first) }
}

const fn always(name: &'static str, first: &'static [u8]) -> Format {
    Format { always: true, ..packed(name, first) }
}

const fn besides(format: Format, then: (usize, &'static [u8])) -> Format {
    Format { then, ..format }
}

/// Those that may have any first octet come first.
const FORMATS: [Format; 56] = [
    besides(format("mp4", b""), (4, b"ftyp")),
    besides(always("zstandard", b""), (1, b"*M\x18")),
    besides(always("tar", b""), (257, b"ustar")),
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
    format("matroska", b"\x1AE\xDF\xA3"),
    format("mp3", b"ID3\x02"),
    format("mp3", b"ID3\x03"),
    format("mp3", b"ID3\x04"),
    format("ogg", b"OggS\0"),
    format("flac", b"fLaC"),
    always("zip", b"PK\x03\x04"),
    always("zip", b"PK\x05\x06"),
    always("zip", b"PK\x07\x08"),
    always("zip", b"PK00PK\x03\x04"),
    format("ole", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"),
    format("postscript", b"%!PS-Adobe-"),
    format("jpeg 2000", b"\0\0\0\x0CjP  \r\n\x87\n"),
    format("jpeg xl", b"\xFF\n"),
    format("jpeg xl", b"\0\0\0\x0CJXL "),
    always("gzip", b"\x1F\x8B\x08"),
    packed("gzip", b"\x1F\x8B"),
    always("compress", b"\x1F\x9D"),
    always("zstandard", b"(\xB5/\xFD"),
    besides(always("bzip2", b"BZh"), (4, b"1AY&SY")),
    packed("bzip2", b"BZh1"),
    packed("bzip2", b"BZh2"),
    packed("bzip2", b"BZh3"),
    packed("bzip2", b"BZh4"),
    packed("bzip2", b"BZh5"),
    packed("bzip2", b"BZh6"),
    packed("bzip2", b"BZh7"),
    packed("bzip2", b"BZh8"),
    packed("bzip2", b"BZh9"),
    always("xz", b"\xFD7zXZ\0"),
    always("lzip", b"LZIP\x01"),
    always("lz4", b"\x04\"M\x18"),
    always("lz4", b"\x02!L\x18"),
    always("snappy", b"\xFF\x06\0\0sNaPpY"),
    always("7z", b"7z\xBC\xAF'\x1C"),
    always("rar", b"Rar!\x1A\x07"),
    packed("zlib", b"x\x01"),
    packed("zlib", b"x\x9C"),
    packed("zlib", b"x\xDA"),
    packed("zlib", b"x^"),
];

#[cfg(test)]
mod tests {
    use super::{FORMATS, may_begin};

    #[test]
    fn every_format_may_begin_as_it_does() {
        assert!(FORMATS.is_sorted_by_key(|format| !format.first.is_empty()));
        let marks = FORMATS.iter().map(|format| format.first).filter(|first| !first.is_empty());
        assert!(marks.into_iter().all(|first| may_begin(first) && may_begin(&[b"\xEF\xBB\xBF\n", first].concat())));
        assert!(may_begin(b"Aaaaftyp") && may_begin(b"\n\nAaaaftyp"));
        assert!(!may_begin(b"\xEF\xBB\xBF\r\nUser-agent: *\n") && may_begin(b""));
    }
}
