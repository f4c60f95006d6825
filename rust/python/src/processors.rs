//! Work on all processors: pieces of a list, of which each is done by whoever is free.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// At most so many of a list are done at once: some 100 µs of reading, so that nobody waits long for the last piece.
const PIECE: usize = 64;
/// Pieces of a short list for each processor.
const PIECES_EACH: usize = 8;

/// Does something with each of a list on all processors, without the GIL; the results stand in the order of the list.
pub(crate) fn on_all_processors<T: Sync, R: Send>(
    py: Python<'_>,
    list: &[T],
    act: impl Fn(&T) -> R + Sync,
) -> PyResult<Vec<R>> {
    on_all_processors_and_here(py, list, act, Ok)
}

/// The same, and each result is handed to `take` with the GIL, in any order: the caller takes what others have done,
/// and works beside them where nothing has been. An error of `take`, and Ctrl-C, end the work of all.
pub(crate) fn on_all_processors_and_here<T: Sync, R: Send, S>(
    py: Python<'_>,
    list: &[T],
    act: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(R) -> PyResult<S>,
) -> PyResult<Vec<S>> {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let size = list.len().div_ceil(processors.saturating_mul(PIECES_EACH)).clamp(1, PIECE);
    let pieces: Vec<&[T]> = list.chunks(size).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let place = next.fetch_add(1, Ordering::Relaxed);
        pieces.get(place).map(|piece| (place, piece.iter().map(&act).collect::<Vec<R>>()))
    };
    let mut taken: Vec<(usize, Vec<S>)> = Vec::with_capacity(pieces.len());
    let mut take = |(place, results): (usize, Vec<R>)| {
        taken.push((place, results.into_iter().map(&mut take).collect::<PyResult<_>>()?));
        py.check_signals()
    };
    let (sender, mut receiver) = mpsc::channel();
    thread::scope(|scope| {
        let mut running = Vec::new();
        for _ in 1..processors.min(pieces.len()) {
            let sender = sender.clone();
            running.push(scope.spawn(move || {
                while let Some(done) = work() {
                    if sender.send(done).is_err() {
                        return; // the caller wants no more
                    }
                }
            }));
        }
        drop(sender);
        let all = || {
            while let Some(done) = py.detach(work) {
                take(done)?;
                receiver.try_iter().try_for_each(&mut take)?;
            }
            loop {
                let waiting = receiver;
                let (back, done) = py.detach(move || {
                    let done = waiting.recv();
                    (waiting, done)
                });
                receiver = back;
                match done {
                    Ok(done) => take(done)?,
                    Err(mpsc::RecvError) => return Ok(()),
                }
            }
        };
        let result = all();
        next.store(pieces.len(), Ordering::Relaxed);
        let joined: Result<(), _> = running.into_iter().try_for_each(thread::ScopedJoinHandle::join);
        result.and(joined.map_err(|_| PyRuntimeError::new_err("a thread failed")))
    })?;
    taken.sort_unstable_by_key(|(place, _)| *place);
    Ok(taken.into_iter().flat_map(|(_, results)| results).collect())
}
