"""An audit of files: cut into parts, judged by several processes, resumed where it was stopped.

Each part is read for what it says of sites first, and its resources are judged when that of all parts is known, since
a policy may stand behind the page that it speaks for. Of an archive the first reading keeps what they are judged by
(`acap.audits.kept_resources`), for the usable text (`--content`) their text too; other parts are read again.

The laws of this module:

1. A part is done once its account lies beside its rows, and both are of that part and of as many rows; both are written
   under other names first. So a kill at any moment leaves whole parts, and the same call goes on with the others.
2. The result has the rows in the order of the input, whatever processes there were and however often it was resumed.
3. The instant of an audit is that of its first start, or that at which the last site was asked: a resumed one has the
   same answers.
4. A fault of ours is one row, which is prohibited, and a problem.
5. Where a part of an archive begins is guessed, and proved by the part before it: from the first one that is not whole
   the rest of its file is one part. So parts have the rows of the file.
6. What is kept of the resources of a part has its name before the part counts as read, and goes once its rows are
   there. Where it is missing, or is not what was written, the part is read again.
7. One process at a time works on an output (`acap.audits.output_lock`). Whatever is not whole has a name with its
   number, and what a killed one was at has other names than what the next one writes.
8. What was stopped is written as far as it went, and says that it is partial; a finished result stays until there is
   another (`acap.audits.result`).

Most of the module is one class, as each step of a job goes on where the one before it left its files.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from shlex import quote
from typing import Final, Literal

import acap
from acap.archives.shelf import ArchiveShelf, ShelfEdges, ShelvedParts
from acap.audits.corpus import SCHEMA as CORPUS
from acap.audits.fetching import Unanswered, fetch, fetched_archive, sites_in, together, unknown
from acap.audits.inputs import PARTS, POLICY_FORMS, InputError, InputPart, files_of, form_of, parts_of
from acap.audits.kept_policies import (
    ShelvedPart,
    shelf_has_robots,
    shelf_problems,
    shelve_file,
    shelve_part,
)
from acap.audits.kept_resources import ResourceKeeping
from acap.audits.options import AuditOptions, FetchOptions
from acap.audits.output_lock import LOCK, locked
from acap.audits.part import account_of, audit_part, forget_policies, put, sync
from acap.audits.policies import ShelvedPolicies
from acap.audits.result import PARTIAL, PARTIAL_FILES, note_part, place_of_part, print_of, write_result
from acap.audits.rows import schema_of
from acap.audits.summary import AuditSummary
from acap.audits.workers import each_done, end, processors, workers
from acap.retrieval.answers import Rules

_CLAIM = "audit.json"
_CUTS = "cuts.json"
_SHELF = "shelf.sqlite"
_JUDGING = 2  # times what it takes to read a part for its policies, if it is read again
_KEEPING = 2  # times the same, where the reading keeps what the resources are judged by
_KEEPING_TEXTS = 2.4  # and their texts
_JUDGING_KEPT = 0.4
_REST: Final = 999_999
"""The place of the rest of a file, from the first part that is not whole."""


@dataclass(frozen=True, slots=True)
class AuditProgress:
    """How far an audit is: `step` is what it does; parts of all, and rows so far.

    `done` and `left` are work of this call, in octets to read and to judge; `before` was done by others. While sites
    are asked, `asked` and `of_sites` count them.
    """

    step: Literal["policies", "sites", "resources"]
    parts: int
    of_parts: int
    rows: int
    before: int
    done: int
    left: int
    asked: int = 0
    of_sites: int = 0

    @property
    def share(self) -> float:
        """How much of the whole is done."""
        total = self.before + self.done + self.left
        return (self.before + self.done) / total if total else 1.0


class Job:
    """An audit of some files into one.

    Args:
        inputs: files and directories to audit.
        robots: files with policies alone: archives, or tables as `TablePolicies` takes them.
        out: the Parquet file to write. Beside it, in a directory of its name and `.parts`, is what is done of it.
        options: what is asked.
        processes: how many work; all processors, if not given. One is this process itself.

    Raises:
        InputError: an input that cannot be used; parts of another audit are in the place of these.
        OSError: a file cannot be opened.
    """

    def __init__(
        self, inputs: Sequence[Path], robots: Sequence[Path], out: Path, options: AuditOptions, processes: int = 0
    ) -> None:
        self.files = files_of(inputs, out)
        self._inputs = frozenset(self.files)
        given = [*self.files, *(file for file in robots if file.is_file())]
        _check_name(out)
        _check_output(out, given)
        if options.fetch is not None:
            _check_output(fetched_archive(out), given)
        self.out = out
        self.written: Path | None = None
        """The file that `run` wrote: the output, or a part beside it where something else stands there; None: none."""
        self.has_robots = False
        """Whether `run` found a robots.txt of any site."""
        self.unanswered: Unanswered | None = None
        """Which sites that `run` asked are out of reach; None: it asked none."""
        self.options = self._asked = options
        self.processes = processes or processors()
        self.parts = parts_of(self.files)
        self.directory = out.with_name(out.name + PARTS)
        archives = (file for file in self.files if form_of(file) == "archive")
        self._policy_files = list(dict.fromkeys((*files_of(robots, out, POLICY_FORMS), *archives)))
        cut = (file for file in self.files if form_of(file) == "wat")
        beside = parts_of(
            file for file in self._policy_files if form_of(file) == "archive" and file not in set(self.files)
        )
        known: dict[Path, list[InputPart]] = {}
        for part in (*self.parts, *beside):
            known.setdefault(part.path, []).append(part)
        self._plan = {
            path: known[path] if form_of(path) in ("archive", "wat") else [InputPart(path, form_of(path) or "csv")]
            for path in dict.fromkeys((*self._policy_files, *cut))
            if form_of(path) != "wat" or len(known[path]) > 1
        }
        self.now = datetime.now(UTC)
        is_past = options.at is not None and options.at < self.now and not (self.directory / _CLAIM).exists()
        if options.fetch is not None and is_past:
            raise InputError("--fetch asks what sites say now, and --at is in the past; leave one of them out")

    @property
    def has_policies(self) -> bool:
        """Whether anything was given that may have policies of sites, or sites are asked."""
        return bool(self._policy_files) or self.options.fetch is not None

    def run(self, on_progress: Callable[[AuditProgress], None] = lambda _: None) -> tuple[AuditSummary, bool]:
        """Audits what is left to do. Gives the summary of all, and whether it is whole.

        An interrupt (SIGINT) stops it; what is done is written then, and kept.

        Raises:
            InputError, OSError: as the class; another process works on this output.
        """
        with locked(self.directory):
            return self._run(on_progress)

    def _run(self, on_progress: Callable[[AuditProgress], None]) -> tuple[AuditSummary, bool]:
        self._progress = AuditProgress("policies", 0, len(self.parts), 0, 0, 0, 0)
        self._claim()
        interrupted = False
        with self._pool() as pool:
            try:
                self._fill_shelf(pool, on_progress)
                self._settle()
                self._audit(pool, on_progress)
            except BaseException as error:
                end(pool)
                if isinstance(error, InputError):
                    self._clear()  # nothing is done yet, and the same call may have other files
                if not isinstance(error, KeyboardInterrupt):
                    raise
                interrupted = True
        forget_policies(self.directory / _SHELF, self.now)
        summary, whole = self._written(is_stopped=interrupted)
        if whole:
            self._clear()
        return summary, whole

    def _claim(self) -> None:
        """Begins the audit, or goes on with it; parts of another one are left alone."""
        claim = {
            "options": self.options.to_json(),
            "version": acap.__version__,
            "inputs": [print_of(path) for path in self.files],
            "policies": [print_of(path) for path in self._policy_files],
            "parts": [[str(part.path), *part.groups, part.span] for part in self.parts],
        }
        claim = json.loads(json.dumps(claim))
        manifest = self.directory / _CLAIM
        if manifest.exists():
            known = json.loads(manifest.read_text(encoding="utf-8"))
            if known.get("audit") != claim:
                raise InputError(
                    f"{self.directory}: it has parts of another audit; finish that one with its own call, or remove "
                    f"them with: rm -r {quote(str(self.directory))}"
                )
            self.now = datetime.fromisoformat(known["now"])
            for left in self.directory.glob("*.making*"):  # a process was killed
                left.unlink(missing_ok=True)
            return
        if any(entry.name != LOCK for entry in self.directory.iterdir()):
            raise InputError(f"{self.directory}: there is something else in the place of the parts; move it away")
        put(manifest, json.dumps({"audit": claim, "now": self.now.isoformat()}, indent=1).encode())

    def _clear(self) -> None:
        """Removes the parts, and nothing that an audit does not make."""
        for pattern in (
            "[0-9]*.parquet",
            "[0-9]*.json",
            "policies-*",
            "resources-*",
            "*.making*",
            _SHELF,
            _CUTS,
            "fetched.*",
            self._fetched_archive.name,
            PARTIAL_FILES,
            _CLAIM,
        ):
            for file in self.directory.glob(pattern):
                file.unlink(missing_ok=True)

    def _pool(self) -> Executor:
        return workers(self.processes)

    def _fill_shelf(self, pool: Executor, on_progress: Callable[[AuditProgress], None]) -> None:
        """Reads what the files say of sites, once."""
        shelf_file, making = self.directory / _SHELF, self.directory / f"shelf.making{os.getpid()}"
        if not shelf_file.exists():
            self._shelve_parts(pool, on_progress)
            making.unlink(missing_ok=True)
            shelf = ArchiveShelf(making)
            whole = {path: self._placed(shelf, number, path) for number, path in enumerate(self._plan)}
            shelf.finish()
            put(self.directory / _CUTS, json.dumps([[str(path), count] for path, count in whole.items()]).encode())
            self._cut()
            if self.options.fetch is not None:
                self._fetch(self.options.fetch, pool, shelf, on_progress)
            shelf.close()
            sync(making)
            making.replace(shelf_file)
            for piece in self.directory.glob("policies-*"):
                piece.unlink()
        self._cut()

    def _cut(self) -> None:
        """Takes the parts as they were found to be."""
        whole = {Path(path): count for path, count in json.loads((self.directory / _CUTS).read_text(encoding="utf-8"))}
        parts: dict[Path, list[InputPart]] = {}
        for part in self.parts:
            parts.setdefault(part.path, []).append(part)
        self.parts = [
            part for path, of_file in parts.items() for part in _counting(of_file, whole.get(path, len(of_file)))
        ]

    def _shelve_parts(self, pool: Executor, on_progress: Callable[[AuditProgress], None]) -> None:
        """Reads the parts of all files for their policies; then the rest of those with a part that is not whole."""
        parts = [
            (number, place, part)
            for number, of_file in enumerate(self._plan.values())
            for place, part in enumerate(of_file)
        ]
        judging = sum(map(self._to_judge, self.parts))
        octets = {piece: self._to_read(piece[2]) for piece in parts}
        known = {piece for piece in parts if self._is_read(*piece[:2])}
        before = sum(octets[piece] for piece in known)
        left = sum(octets.values()) - before
        self._progress = replace(self._progress, before=before, left=left + judging)
        on_progress(self._progress)
        for piece, shelved in self._each_of(pool, [piece for piece in parts if piece not in known]):
            self._note(shelved, piece)
            done = octets[piece]
            self._progress = replace(self._progress, done=self._progress.done + done, left=self._progress.left - done)
            on_progress(self._progress)
        rests = [
            (number, _REST, of_file[count - 1].with_rest)
            for number, of_file in enumerate(self._plan.values())
            if (count := self._count(number, of_file)) < len(of_file) and not self._is_read(number, _REST)
        ]
        for piece, shelved in self._each_of(pool, rests):
            self._note(shelved, piece)

    def _each_of(
        self, pool: Executor, parts: Iterable[tuple[int, int, InputPart]]
    ) -> Iterator[tuple[tuple[int, int, InputPart], ShelvedPart]]:
        """Parts as they are read for their policies: the number of the file, and the place of the part in it."""
        pieces = {
            pool.submit(
                shelve_part, part, number, self.now, self._piece(number, place), self._keeping(part, number, place)
            ): (number, place, part)
            for number, place, part in parts
        }
        return ((pieces[future], future.result()) for future in each_done(pieces))

    def _note(self, shelved: ShelvedPart, piece: tuple[int, int, InputPart]) -> None:
        put(self._piece_account(*piece[:2]), json.dumps([shelved.is_whole, list(shelved.edges)]).encode())

    def _shelved(self, number: int, place: int) -> ShelvedPart:
        is_whole, edges = json.loads(self._piece_account(number, place).read_text(encoding="utf-8"))
        return ShelvedPart(is_whole, ShelfEdges(*edges))

    def _count(self, number: int, parts: list[InputPart]) -> int:
        """How many parts of a file count, the last of which has the rest of it."""
        broken = (place for place in range(len(parts)) if not self._shelved(number, place).is_whole)
        return min(next(broken, len(parts)) + 1, len(parts))

    def _placed(self, shelf: ArchiveShelf, number: int, path: Path) -> int:
        """Puts what the parts of a file say on the shelf; gives how many of them count."""
        of_file = self._plan[path]
        count = self._count(number, of_file)
        parts = ShelvedParts(shelf, self.now)
        for place in range(count):
            at = _REST if place == count - 1 and count < len(of_file) else place
            parts.add(self._piece(number, at), self._shelved(number, at).edges)
        return count

    def _piece(self, number: int, place: int) -> Path:
        return self.directory / f"policies-{number:06d}-{place:06d}.sqlite"

    def _is_read(self, number: int, place: int) -> bool:
        return self._piece_account(number, place).exists() and self._piece(number, place).exists()

    def _kept_of_parts(self) -> Iterator[Path | None]:
        """Where the resources of each part are kept, if they are: the parts are those of files as they were cut."""
        numbers = {path: number for number, path in enumerate(self._plan)}
        for path, parts in groupby(self.parts, key=lambda part: part.path):
            of_file = list(parts)
            is_cut = path in self._plan and len(of_file) < len(self._plan[path])
            for place, part in enumerate(of_file):
                at = _REST if is_cut and place == len(of_file) - 1 else place
                yield self._kept(numbers[path], at) if self._keeps(part) else None

    def _kept(self, number: int, place: int) -> Path:
        return self.directory / f"resources-{number:06d}-{place:06d}.zst"

    def _keeps(self, part: InputPart) -> bool:
        """Whether the first reading of a part keeps its resources."""
        return part.form == "archive" and part.path in self._inputs

    def _keeping(self, part: InputPart, number: int, place: int) -> ResourceKeeping | None:
        options = self.options
        kept = self._kept(number, place)
        return ResourceKeeping(kept, options.crawler, options.content is not None) if self._keeps(part) else None

    def _to_read(self, part: InputPart) -> int:
        """What reading a part for its policies is of the whole work, in octets."""
        keeping = _KEEPING if self.options.content is None else _KEEPING_TEXTS
        return int(_octets(part) * (keeping if self._keeps(part) else 1))

    def _to_judge(self, part: InputPart) -> int:
        """The same of its resources."""
        return int(part.octets * (_JUDGING_KEPT if self._keeps(part) else _JUDGING))

    def _piece_account(self, number: int, place: int) -> Path:
        return self._piece(number, place).with_suffix(".json")

    def _fetch(
        self,
        options: FetchOptions,
        pool: Executor,
        shelf: ArchiveShelf,
        on_progress: Callable[[AuditProgress], None],
    ) -> None:
        """Asks sites for what the shelf does not have, and adds it."""
        pieces = {pool.submit(sites_in, part): number for number, part in enumerate(self.parts)}
        by_part = dict(sorted((pieces[future], future.result()) for future in each_done(pieces)))
        policies = self._policies(shelf)
        sites = unknown(together(by_part.values()), shelf, policies, self.now)
        archive = self._fetched_archive
        at, unanswered = fetch(
            sites,
            self.directory / "fetched.sqlite",
            archive,
            options,
            rules={"dialect": self.options.dialect, "forbidden": self.options.forbidden},
            on_progress=lambda asked, of: on_progress(replace(self._progress, step="sites", asked=asked, of_sites=of)),
        )
        piece = shelve_file(archive, len(self._plan), at, self.directory / f"fetched.making{os.getpid()}")
        shelf.take(piece)
        piece.unlink()
        put(self.directory / "fetched.json", json.dumps({"at": at.isoformat(), "unanswered": unanswered}).encode())

    @property
    def _fetched_archive(self) -> Path:
        """The archive of what sites said, until the result is finished: an earlier result keeps its own."""
        return self.directory / fetched_archive(self.out).name

    def _settle(self) -> None:
        """Fixes the instant that is asked about: of what was fetched now, now."""
        if self.options.fetch is not None:
            fetched = json.loads((self.directory / "fetched.json").read_text(encoding="utf-8"))
            self.now = datetime.fromisoformat(fetched["at"])
            self.unanswered = Unanswered(*fetched["unanswered"])
            self._asked = replace(self.options, at=self.options.at or self.now)

    def _policies(self, shelf: ArchiveShelf) -> ShelvedPolicies:
        options = self.options
        rules = Rules.of(options.dialect, forbidden=options.forbidden)
        return ShelvedPolicies(shelf, self.now, dialect=options.dialect, rules=rules)

    def _audit(self, pool: Executor, on_progress: Callable[[AuditProgress], None]) -> None:
        finished = self._done()
        octets = [self._to_judge(part) for part in self.parts]
        judged = sum(octets[number] for number in finished)
        rows = sum(account.rows for account in finished.values())
        before = sum(self._to_read(part) for of_file in self._plan.values() for part in of_file) - self._progress.done
        progress = self._progress = AuditProgress(
            "resources",
            len(finished),
            len(self.parts),
            rows,
            before + judged,
            self._progress.done,
            sum(octets) - judged,
        )
        shelf = self.directory / _SHELF
        left = [number for number in range(len(self.parts)) if number not in finished]
        kept = dict(enumerate(self._kept_of_parts()))
        pieces = {
            pool.submit(
                audit_part, self.parts[number], self._rows(number), shelf, self.now, self._asked, kept.get(number)
            ): number
            for number in left
        }
        on_progress(progress)
        for future in each_done(pieces):
            done = octets[pieces[future]]
            progress = replace(
                progress,
                parts=progress.parts + 1,
                rows=progress.rows + future.result(),
                done=progress.done + done,
                left=progress.left - done,
            )
            on_progress(progress)

    def _written(self, *, is_stopped: bool) -> tuple[AuditSummary, bool]:
        """Writes the parts that are done as one file."""
        summary, whole = AuditSummary(), not is_stopped
        if (shelf := self.directory / _SHELF).exists():
            self.has_robots = shelf_has_robots(shelf)
            for problem in shelf_problems(shelf):
                summary.report(problem)
        content = self.options.content is not None
        schema = CORPUS if content else schema_of(self.options.usages)
        done = self._done()
        whole = whole and len(done) == len(self.parts)
        for account in done.values():
            summary.merge(account)
        summary.settle()
        if not whole and not done:
            self._leave_nothing()
            return summary, False
        self.written = self.out if whole else place_of_part(self.out, self.directory)
        about = {**self._asked.to_json(), PARTIAL: not whole}
        write_result(self.written, schema, about, map(self._rows, done), self.directory)
        # Behind the result: if that cannot be written, the one that stays keeps its own.
        if whole and self._fetched_archive.exists():
            self._fetched_archive.replace(fetched_archive(self.out))
        if not whole and self.written == self.out:
            note_part(self.out, self.directory)
        return summary, whole

    def _leave_nothing(self) -> None:
        """Removes the parts of an audit that was stopped before it had anything that the next call can use."""
        if not any(any(self.directory.glob(pattern)) for pattern in ("policies-*.json", "fetched.sqlite", _SHELF)):
            self._clear()

    def _rows(self, number: int) -> Path:
        return self.directory / f"{number:06d}.parquet"

    def _done(self) -> dict[int, AuditSummary]:
        """The parts that are done, in order, each with its account."""
        content = self.options.content is not None
        accounts = (
            (number, account_of(part, self._rows(number), content=content)) for number, part in enumerate(self.parts)
        )
        return {number: account for number, account in accounts if account is not None}


def _octets(part: InputPart) -> int:
    """How much there is to read of a part for its policies."""
    return part.octets or part.path.stat().st_size


def _counting(parts: list[InputPart], count: int) -> list[InputPart]:
    """The parts of a file of which so many count."""
    return parts if count == len(parts) else [*parts[: count - 1], parts[count - 1].with_rest]


def _check_name(out: Path) -> None:
    """Raises InputError if the output has a name that is not one of Parquet."""
    if out.suffix.lower() not in (".parquet", ".pq"):
        raise InputError(f"{out}: an audit writes Parquet alone; name the output {out.with_suffix('.parquet').name}")


def _check_output(out: Path, inputs: Iterable[Path]) -> None:
    """Raises InputError if the output would replace what is read."""
    if out.exists() and any(file.exists() and out.samefile(file) for file in inputs):
        raise InputError(f"{out}: it is one of the inputs; name another file to write")
