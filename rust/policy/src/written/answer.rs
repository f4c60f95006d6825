//! What a row of a table says that a site answered when it was asked for its robots.txt.

use crate::document::is_robots;
use crate::policy::State;

/// The answer of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It answered so, with the octets of the row.
    Status(u16),
    /// The status and the state differ in kind.
    OtherState,
    /// A part of the file is there.
    Cut,
    /// A part of it is there by what its headers say.
    Short,
    /// It could not be asked.
    None,
    /// A robots.txt stands beside 401 or 403.
    Refused,
}

impl Answer {
    /// That of the parts of a row. `is_short`: the headers say that the file has more octets.
    pub fn of(octets: Option<&[u8]>, status: Option<u16>, state: Option<u16>, is_cut: bool, is_short: bool) -> Self {
        let kind = |status: u16| status.checked_div(100);
        let said = match (status, state) {
            (Some(status), Some(state)) if kind(status) != kind(state) => return Self::OtherState,
            _ if is_cut => return Self::Cut,
            (Some(status), _) | (None, Some(status)) => status,
            (None, None) if octets.is_some() => 200,
            (None, None) => return Self::None,
        };
        match said {
            ..300 if octets.is_none() => Self::None,
            ..300 if is_short => Self::Short,
            _ => Self::beside(said, octets),
        }
    }

    /// The status that counts beside a text: a robots.txt is heard where it is said that there is none.
    ///
    /// Our choice: it is no looser than none. Beside 401 and 403, which may restrict everything, nothing is known.
    fn beside(status: u16, octets: Option<&[u8]>) -> Self {
        let is_file = || octets.is_some_and(|octets| !octets.trim_ascii().is_empty() && is_robots(octets));
        match status {
            400..500 if !TRANSIENT.contains(&status) && is_file() => match status {
                401 | 403 => Self::Refused,
                _ => Self::Status(200),
            },
            _ => Self::Status(status),
        }
    }
}

/// Statuses of one exchange alone, which say nothing of the file, as `acap.retrieval.answers` has them.
const TRANSIENT: [u16; 4] = [408, 421, 425, 429];

/// What a status means where a robots.txt was asked for, as `acap.retrieval.answers` has it.
///
/// `is_memo`: 401 and 403 restrict everything.
pub fn meant(status: u16, is_memo: bool) -> State {
    match status {
        202 | 206 => State::Unreachable,
        200..300 => State::Present,
        401 | 403 if is_memo => State::Unreachable,
        400..500 if !TRANSIENT.contains(&status) => State::Absent,
        _ => State::Unreachable,
    }
}
