//! The text of octets, by the [Encoding standard](https://encoding.spec.whatwg.org/).

use std::borrow::Cow;

use encoding_rs::Encoding;

/// The name of the encoding that a label stands for, as the standard spells it (4.2, "get an encoding").
pub fn encoding_of(label: &str) -> Option<&'static str> {
    Encoding::for_label(label.as_bytes()).map(Encoding::name)
}

/// The text of octets in an encoding, by its name, and whether malformed octets became U+FFFD (6, "decode without BOM
/// handling"); none if nothing has that name.
pub fn decode<'o>(octets: &'o [u8], name: &str) -> Option<(Cow<'o, str>, bool)> {
    Encoding::for_label(name.as_bytes()).map(|encoding| encoding.decode_without_bom_handling(octets))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_name_encodings_as_the_standard_spells_them() {
        for (label, name) in
            [(" LATIN1\t", "windows-1252"), ("gb2312", "GBK"), ("utf-16", "UTF-16LE"), ("hz-gb-2312", "replacement")]
        {
            assert_eq!(encoding_of(label), Some(name));
            assert_eq!(encoding_of(name), Some(name));
        }
        for label in ["", "utf-7", "utf-32", "\u{2003}utf-8"] {
            assert_eq!(encoding_of(label), None);
        }
    }

    #[test]
    fn what_is_malformed_is_replaced_and_told() {
        assert_eq!(decode(b"\x81", "windows-1252"), Some((Cow::Borrowed("\u{81}"), false)));
        assert_eq!(decode(b"\x84\x31\xa4\x37", "gb18030"), Some((Cow::Borrowed("\u{fffd}"), false)));
        assert_eq!(decode(b"a\xffb", "UTF-8"), Some((Cow::Borrowed("a\u{fffd}b"), true)));
        assert_eq!(decode(b"ab", "replacement"), Some((Cow::Borrowed("\u{fffd}"), true)));
        assert_eq!(decode(b"", "replacement"), Some((Cow::Borrowed(""), false)));
        assert_eq!(decode(b"\xef\xbb\xbfa", "UTF-8"), Some((Cow::Borrowed("\u{feff}a"), false)));
        assert_eq!(decode(b"a", "utf-7"), None);
    }
}
