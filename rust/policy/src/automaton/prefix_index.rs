//! Patterns by what their matches begin with.

use super::machine::Machine;

/// The heads of some machines ([`Machine::head`]), each with the place of its machine, in the order of octets.
#[derive(Clone, Debug, Default)]
pub(crate) struct PrefixIndex {
    sorted: Vec<(Box<[u8]>, usize)>,
}

impl PrefixIndex {
    pub(crate) fn new<'a>(machines: impl Iterator<Item = &'a Machine>) -> Self {
        let mut sorted: Vec<(Box<[u8]>, usize)> =
            machines.enumerate().map(|(place, machine)| (machine.head().0.into(), place)).collect();
        sorted.sort_unstable();
        Self { sorted }
    }

    /// The places, in their order, of those that may match something that begins with a text: their heads begin with
    /// it, or it begins with them.
    pub(crate) fn near(&self, text: &[u8]) -> Vec<usize> {
        self.found(text, true)
    }

    /// The places, in their order, of those that may match all that begins with a text: it begins with their heads.
    pub(crate) fn over(&self, text: &[u8]) -> Vec<usize> {
        self.found(text, false)
    }

    fn found(&self, text: &[u8], beyond: bool) -> Vec<usize> {
        let mut out: Vec<usize> = Vec::new();
        let mut range = self.sorted.as_slice();
        for (at, octet) in text.iter().enumerate() {
            // All in the range begin as the text does up to here; what ends here comes first.
            let ended = range.partition_point(|(head, _)| head.len() == at);
            out.extend(range.iter().take(ended).map(|(_, place)| *place));
            let before = range.partition_point(|(head, _)| head.get(at).is_none_or(|held| held < octet));
            let to = range.partition_point(|(head, _)| head.get(at).is_none_or(|held| held <= octet));
            range = range.get(before..to).unwrap_or(&[]);
            if range.is_empty() {
                break;
            }
        }
        let ended = if beyond { range.len() } else { range.partition_point(|(head, _)| head.len() == text.len()) };
        out.extend(range.iter().take(ended).map(|(_, place)| *place));
        out.sort_unstable();
        out
    }
}
