//! A short cut of reading archives gives what is whole, and needs all of it: less of the input gives nothing, more of it
//! the same.
//!
//! The input is taken as a gzip member, as fields of a record, and as the head of a response.

#![no_main]

use acap_archives::head::{record_fields, response_head};
use acap_archives::member::member;
use libfuzzer_sys::fuzz_target;

const MOST: usize = 1 << 16;

fuzz_target!(|input: &[u8]| {
    let (unpacked, end) = member(input, MOST);
    assert!(end <= input.len());
    if let Some(unpacked) = unpacked {
        assert!(unpacked.len() <= MOST);
        assert_eq!(member(&input[..end - 1], MOST), (None, end - 1));
        if !unpacked.is_empty() {
            assert_eq!(member(input, unpacked.len() - 1).0, None);
        }
        assert_eq!(member(&input[..end], MOST), (Some(unpacked), end));
    }
    for line_end in [b"\r\n".as_slice(), b"\n"] {
        if let Some((fields, length)) = record_fields(input, line_end, MOST) {
            assert!(input[..length].ends_with(line_end));
            assert_eq!(record_fields(&input[..length - 1], line_end, MOST), None);
            assert_eq!(record_fields(input, line_end, length - 1), None);
            assert_eq!(record_fields(input, line_end, length), Some((fields, length)));
        }
    }
    if let Some(head) = response_head(input, MOST) {
        assert!(head.status < 1000 && input[..head.end].ends_with(b"\r\n\r\n"));
        assert_eq!(response_head(&input[..head.end - 1], MOST), None);
        assert_eq!(response_head(input, head.end - 1), None);
        assert_eq!(response_head(&input[..head.end], MOST), Some(head));
    }
});
