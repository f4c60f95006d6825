//! The records of ACAP files that are addressed to a crawler: its own file's, and those of the files it refers to
//! (P1 4.5.2.2).

use std::collections::{HashMap, HashSet};

use crate::file::File;
use crate::limits::PURPOSES;
use crate::places::{Span, to_u32, to_usize};
use crate::policy::Policy;
use crate::resolution::Cite;
use crate::restrictions::Restriction;
use crate::statement::{Effect, Purpose};

/// A statement of an ACAP file that is addressed to the crawler.
#[derive(Clone, Copy, Debug)]
pub(super) struct Addressed {
    pub(super) file: u32,
    pub(super) place: u32,
    pub(super) named: bool,
    /// Its permissions have no effect: the record refers to another resource.
    pub(super) without_permissions: bool,
    /// The index of its purposes in [`Records::audiences`]; none if it is for every purpose.
    pub(super) audience: Option<u32>,
    /// Its permissions lift nothing: the line with its crawler or purpose was cut, or is unreadable.
    pub(super) lifts_nothing: bool,
    /// A purpose was cut, or is empty: the statement is for every purpose, and for a question without one.
    pub(super) every_purpose: bool,
}

/// How a record is addressed to a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Address {
    pub(super) named: bool,
    /// Permissions lift nothing.
    pub(super) lifts_nothing: bool,
}

/// What the records that are addressed to a crawler say.
#[derive(Debug, Default)]
pub struct Records {
    pub(super) statements: Vec<Addressed>,
    /// The purposes of each sub-record that has any.
    pub(super) audiences: Vec<Box<[Purpose]>>,
    /// The restrictions that each list of qualifiers means, by file and span.
    pub(super) restrictions: HashMap<(u32, Span), Box<[Restriction]>>,
    /// References that are missing or unusable.
    pub missing: Vec<Cite>,
    /// Every reference that concerns the crawler.
    pub references: Vec<Cite>,
    /// Action requests, each by its file and its place there.
    pub requests: Vec<(u32, u32)>,
    /// The purpose patterns of the sub-records for this crawler, each once.
    pub(super) purposes: Vec<Purpose>,
    /// There are more of them than are kept.
    pub(super) more_purposes: bool,
}

impl Records {
    /// `any` is how a record for any crawler addresses this one; none if it does not.
    pub(super) fn read(policy: &Policy, file: &File, names: &[&[u8]], any: Option<Address>) -> Self {
        let mut this = Self::default();
        let cut_names = policy.table.cut_names || file.cut_names;
        let addressed = addressed(file, names, any, cut_names);
        this.add_statements(file, 0, &addressed, |record| {
            file.records.get(to_usize(record)).is_some_and(|record| record.refers)
        });
        let supplied: HashMap<&str, usize> =
            policy.supplied().iter().zip(0..).map(|(one, at)| (&*one.uri, at)).collect();
        // Whether a referenced file is usable, by its place and by how the record addresses the crawler.
        let mut looked: HashMap<(usize, Address), bool> = HashMap::new();
        for (place, reference) in file.references.iter().enumerate() {
            let Some(address) = addressed.get(to_usize(reference.record)).copied().flatten() else { continue };
            let cite = Cite::Reference(to_u32(place));
            if reference.cut {
                this.missing.push(cite);
                continue;
            }
            this.references.push(cite);
            let found = supplied.get(&*reference.uri).copied();
            let usable = found.and_then(|at| Some((at, policy.supplied().get(at)?.file.as_ref()?)));
            let useful = usable.is_some_and(|(at, other)| {
                *looked
                    .entry((at, address))
                    .or_insert_with(|| this.add_reference(other, to_u32(at.saturating_add(1)), address, names))
            });
            if !useful {
                this.missing.push(cite);
            }
        }
        this
    }

    /// Adds the statements of a referenced file; false if a record of it that applies refers further (one level only).
    fn add_reference(&mut self, file: &File, number: u32, address: Address, names: &[&[u8]]) -> bool {
        // A referenced record for any crawler is addressed as the referring record is (our choice).
        let mut addressed = addressed(file, names, Some(address), file.cut_names);
        addressed.iter_mut().flatten().for_each(|one| one.lifts_nothing |= address.lifts_nothing);
        if file.records.iter().zip(&addressed).any(|(record, to)| to.is_some() && record.refers) {
            return false;
        }
        self.add_statements(file, number, &addressed, |_| false);
        true
    }

    fn add_statements(
        &mut self,
        file: &File,
        number: u32,
        addressed: &[Option<Address>],
        without_permissions: impl Fn(u32) -> bool,
    ) {
        let of = |record: u32| addressed.get(to_usize(record)).copied().flatten();
        let mut hearing: Vec<Option<u32>> = Vec::with_capacity(file.audiences.len());
        let mut known: HashSet<Box<str>> = self.purposes.iter().map(|purpose| purpose.written.clone()).collect();
        for audience in &file.audiences {
            if audience.purposeless || audience.cut || of(audience.record).is_none() {
                hearing.push(None);
                continue;
            }
            let purposes: Box<[Purpose]> = file.purposes(audience).map(|written| Purpose::new(written, 0)).collect();
            for purpose in purposes.iter().filter(|purpose| !purpose.is_any()) {
                if self.more_purposes || known.contains(&purpose.written) {
                    continue;
                }
                if self.purposes.len() >= PURPOSES {
                    self.more_purposes = true;
                    continue;
                }
                known.insert(purpose.written.clone());
                self.purposes.push(purpose.clone());
            }
            hearing.push(Some(to_u32(self.audiences.len())));
            self.audiences.push(purposes);
        }
        let mut runs: HashSet<u32> = HashSet::new();
        for (place, statement) in file.statements.iter().enumerate() {
            let Some(audience) = file.audiences.get(to_usize(statement.audience)) else { continue };
            let Some(Address { named, lifts_nothing }) = of(audience.record) else { continue };
            let every_purpose = audience.cut;
            if statement.effect == Effect::Permits {
                let own = [file.span(statement.qualifiers)];
                let first = runs.insert(statement.targets);
                let targets = file.targets(statement).iter().filter(|_| first).map(|target| target.qualifiers);
                for list in own.into_iter().chain(targets).filter(|list| !list.is_empty()) {
                    self.restrictions
                        .entry((number, list))
                        .or_insert_with(|| file.read_qualifiers(list).into_boxed_slice());
                }
            }
            let without_permissions = without_permissions(audience.record);
            let audience = hearing.get(to_usize(statement.audience)).copied().flatten();
            let lifts_nothing = lifts_nothing || every_purpose;
            let place = to_u32(place);
            self.statements.push(Addressed {
                file: number,
                place,
                named,
                without_permissions,
                audience,
                lifts_nothing,
                every_purpose,
            });
        }
        for (place, request) in file.requests.iter().enumerate() {
            if of(request.record).is_some() {
                self.requests.push((number, to_u32(place)));
            }
        }
    }
}

/// How each record addresses the crawler, if at all; `any` is how a record for any crawler does.
///
/// A record with a name that was cut, or is unreadable, addresses every crawler, and lifts nothing. Where a name was
/// cut, another of the crawler's names than the first may not be the one to ask by: permissions under it lift nothing
/// either.
fn addressed(file: &File, names: &[&[u8]], any: Option<Address>, cut_names: bool) -> Vec<Option<Address>> {
    let known = |name: &&&[u8]| file.records.iter().any(|record| file.names_crawler(record, name));
    let name = names.iter().find(known).copied();
    let lifts_nothing = cut_names && name != names.first().copied();
    let of = |record: &crate::file::Record| match name {
        _ if record.cut => Some(Address { named: true, lifts_nothing: true }),
        Some(name) if file.names_crawler(record, name) => Some(Address { named: true, lifts_nothing }),
        _ => any.filter(|_| record.any),
    };
    file.records.iter().map(of).collect()
}
