//! Gzip members, unpacked whole (RFC 1952).
//!
//! A member that is whole and small is taken at once. Of another one nothing is said but how far it was read: what of it
//! counts, and why it is broken, is told by one reader alone, which reads it in pieces.

use zlib_rs::{Inflate, InflateFlush, Status};

const GZIP: u8 = 16 + 15; // a header and a trailer of gzip, and the greatest window
const FIRST: usize = 4096; // octets unpacked before there is more room
const MORE: usize = 4; // so many times the room

/// The octets of the gzip member at the beginning, and its length (RFC 1952 2.2).
///
/// Without octets: it is broken, unpacks to more than `most` octets, or goes on behind what is given; the number is how
/// much of it was read then, all that is given if it goes on.
pub fn member(packed: &[u8], most: usize) -> (Option<Vec<u8>>, usize) {
    let mut inflate = Inflate::new(true, GZIP);
    let mut out = Vec::new();
    loop {
        let (read, written) = (position(inflate.total_in()), position(inflate.total_out()));
        if written == out.len() {
            if written >= most {
                return (None, read);
            }
            out.resize(out.len().saturating_mul(MORE).clamp(FIRST.min(most), most), 0);
        }
        let (Some(left), Some(room)) = (packed.get(read..), out.get_mut(written..)) else {
            return (None, read);
        };
        match inflate.decompress(left, room, InflateFlush::NoFlush) {
            Ok(Status::StreamEnd) => {
                out.truncate(position(inflate.total_out()));
                return (Some(out), position(inflate.total_in()));
            }
            Ok(_) if position(inflate.total_out()) == out.len() => {}
            Ok(_) | Err(_) => return (None, position(inflate.total_in())),
        }
    }
}

fn position(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `hello` in a block that is stored (RFC 1951 3.2.4), and an octet behind it.
    const HELLO: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x01\x05\0\xfa\xffhello\x86\xa6\x10\x36\x05\0\0\0!";

    #[test]
    fn a_whole_member_is_unpacked_to_its_end() {
        assert_eq!(member(HELLO, 5), (Some(b"hello".to_vec()), HELLO.len() - 1));
    }

    #[test]
    fn a_member_that_goes_on_was_read_to_the_end() {
        for length in 0..HELLO.len() - 1 {
            assert_eq!(member(&HELLO[..length], 9), (None, length));
        }
    }

    #[test]
    fn a_broken_member_has_no_octets() {
        for at in (0..4).chain(10..HELLO.len() - 1) {
            let mut broken = HELLO.to_vec();
            broken[at] ^= 0x06;
            assert_eq!(member(&broken, 9).0, None, "{at}");
        }
    }

    #[test]
    fn a_large_member_has_no_octets() {
        assert_eq!(member(HELLO, 4).0, None);
        assert_eq!(member(HELLO, 0).0, None);
    }
}
