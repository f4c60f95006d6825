//! First letters and lengths of names, by which most names that no crawler of a panel has are told without a search.

/// Of each first letter the lengths of the names that begin with it.
#[derive(Debug)]
pub(super) struct Shapes {
    lengths: Box<[u64]>,
}

/// The longest length that is told apart.
const LONGEST: usize = 63;

impl Shapes {
    /// Of names in lower case.
    pub(super) fn of<'a>(names: impl Iterator<Item = &'a Box<[u8]>>) -> Self {
        let mut lengths = vec![0u64; 256].into_boxed_slice();
        for name in names {
            if let Some(held) = name.first().and_then(|first| lengths.get_mut(usize::from(*first))) {
                *held |= bit(name);
            }
        }
        Self { lengths }
    }

    /// Whether one of the names may be this one in lower case.
    pub(super) fn may_have(&self, name: &[u8]) -> bool {
        let first = name.first().map(|first| usize::from(first.to_ascii_lowercase()));
        first.and_then(|first| self.lengths.get(first)).is_some_and(|lengths| lengths & bit(name) != 0)
    }
}

fn bit(name: &[u8]) -> u64 {
    1u64.wrapping_shl(u32::try_from(name.len().min(LONGEST)).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_their_shapes_and_most_others_have_none_of_them() {
        let long = "x".repeat(100).into_bytes();
        let names: Vec<Box<[u8]>> = vec![b"gptbot".as_slice().into(), long.as_slice().into()];
        let shapes = Shapes::of(names.iter());
        assert!(shapes.may_have(b"GPTBot") && shapes.may_have(&long) && shapes.may_have(b"gabcde"));
        assert!(!shapes.may_have(b"gptbots") && !shapes.may_have(b"bot") && !shapes.may_have(b""));
        assert!(!shapes.may_have(&long[..62]));
    }
}
