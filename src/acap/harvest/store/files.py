"""What the database knows of the files with copies, and what is still to be done outside of it.

A transaction hides what is removed and leaves an intent; the intent goes after the octets. So a crash at any
instant leaves either the thing or the intent to remove it.
"""

from __future__ import annotations

from acap.harvest.store.database import Database

REWRITE, UNLINK, SCRUB = "rewrite", "unlink", "scrub"
"""Intents: a file has copies that must go; a file must go; the database has deleted octets that must go."""


class Files:
    """Files with copies, and intents."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def committed(self) -> dict[str, int]:
        """Each file that counts, and its length."""
        return {name: int(end) for name, end in self._database.rows("SELECT name, ending FROM files")}

    def commit(self, name: str, end: int) -> None:
        """A file counts up to an octet, at least: what counted already still does."""
        self._database.run(
            "INSERT INTO files (name, ending) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET ending = "
            "CASE WHEN files.ending > excluded.ending THEN files.ending ELSE excluded.ending END",
            (name, end),
        )

    def forget(self, name: str) -> None:
        """A file does not count any more."""
        self._database.run("DELETE FROM files WHERE name = ?", (name,))

    def intend(self, what: str, detail: str = "") -> None:
        """Leaves an intent, once."""
        if not self._database.rows("SELECT 1 FROM intents WHERE what = ? AND detail = ?", (what, detail)):
            self._database.run("INSERT INTO intents (what, detail) VALUES (?, ?)", (what, detail))

    def intents(self, what: str) -> list[str]:
        """The details of all intents of a kind."""
        return [detail for (detail,) in self._database.rows("SELECT detail FROM intents WHERE what = ?", (what,))]

    def done(self, what: str, detail: str = "") -> None:
        """An intent is carried out."""
        self._database.run("DELETE FROM intents WHERE what = ? AND detail = ?", (what, detail))
