//! The resources that carry policy: they may always be fetched.

use crate::dialect::{Dialect, is_resource};
use crate::fields::Kind;
use crate::lines::Entry;
use crate::octets::canonical_path;
use crate::policy::Policy;
use crate::url::{authority, split_origin};

/// Paths of the resources that carry policy by their names, or as the file says.
#[derive(Debug)]
pub(super) struct Always {
    dialect: Dialect,
    /// Those that the file names.
    named: Box<[Box<[u8]>]>,
    /// The second octets of all, a bit for those that are equal modulo 64: most paths go another way there.
    seconds: u64,
}

/// The bit of an octet in a set of octets.
#[inline]
fn bit_of(octet: u8) -> u64 {
    1u64.wrapping_shl(u32::from(octet))
}

impl Always {
    pub(super) fn of(policy: &Policy) -> Self {
        let mut always = Self { dialect: policy.dialect, named: policy.policy_resources(), seconds: 0 };
        // A path of one octet begins every path.
        let bit = |path: &[u8]| path.get(1).map_or(u64::MAX, |second| bit_of(*second));
        always.seconds = always.paths().fold(0, |seconds, path| seconds | bit(path));
        always
    }

    /// Whether a path is that of one of them; its query is ignored.
    #[inline]
    pub(super) fn has(&self, path: &[u8]) -> bool {
        let second = bit_of(path.get(1).copied().unwrap_or(0));
        self.seconds & second != 0 && self.has_beginning(path)
    }

    fn has_beginning(&self, path: &[u8]) -> bool {
        self.dialect.carries_policy(path) || self.named.iter().any(|one| is_resource(one, path))
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &[u8]> {
        self.dialect.policy_paths.iter().copied().chain(self.named.iter().map(|path| &**path))
    }
}

impl Policy {
    /// Paths of the resources that the file names as carrying policy.
    fn policy_resources(&self) -> Box<[Box<[u8]>]> {
        let mut out: Vec<Box<[u8]>> = Vec::new();
        if self.dialect.vocabularies {
            let references = self.acap.iter().flat_map(|file| &file.references).filter(|reference| !reference.cut);
            out.extend(references.filter_map(|reference| self.own_path(reference.uri.as_bytes())));
            if self.table.licensed {
                let is_licence = |entry: &&Entry| entry.kind == Kind::License && !entry.is_cut();
                let licences = self.table.entries.iter().filter(is_licence);
                out.extend(licences.filter_map(|entry| self.own_path(entry.value(self.text()))));
            }
        }
        out.into_boxed_slice()
    }

    /// The path of a URI of this policy's authority, or relative to its root.
    fn own_path(&self, uri: &[u8]) -> Option<Box<[u8]>> {
        let rest = match split_origin(uri) {
            Some((origin, rest)) if self.origin().is_none_or(|ours| authority(ours) == authority(&origin)) => rest,
            Some(_) => return None,
            // One that cannot be read may be of any site.
            None if uri.is_empty() || crate::acap::resource::is_uri(uri) => return None,
            None => uri,
        };
        let rooted: Vec<u8> = match rest.first() {
            None | Some(b'/' | b'?' | b'#') => rest.to_vec(),
            _ => [b"/", rest].concat(),
        };
        let canonical = canonical_path(&rooted);
        canonical.split(|byte| *byte == b'?').next().map(Box::from)
    }
}
