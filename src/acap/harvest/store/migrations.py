"""The tables of a store, as a list of migrations: a store is brought to the newest when it is opened.

A migration never changes once it is released; the next one is appended. `{blob}`, `{serial}` and `{key}` are types of
the database at hand. What only one of them needs is in `SQLITE` and `POSTGRESQL`, beside the migration of the same
number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

TABLES = (
    """
    CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);

    CREATE TABLE policies (
        id {serial}, url TEXT NOT NULL, fetched_at BIGINT NOT NULL, state TEXT NOT NULL, dialect TEXT NOT NULL,
        evidence TEXT NOT NULL, content TEXT NOT NULL
    );
    CREATE INDEX policies_by_url ON policies (url, fetched_at, id);
    CREATE TABLE documents (content TEXT PRIMARY KEY, octets {blob} NOT NULL, supplied TEXT NOT NULL);

    CREATE TABLE resources (
        id {serial}, url TEXT NOT NULL UNIQUE, site TEXT NOT NULL, current BIGINT, first_crawled BIGINT,
        last_crawled BIGINT, first_indexed BIGINT, first_preserved BIGINT, first_presented BIGINT, review_at BIGINT,
        speaking BIGINT, heard TEXT NOT NULL DEFAULT '[]', passages TEXT NOT NULL DEFAULT ''
    );
    CREATE INDEX resources_by_site ON resources (site);
    CREATE INDEX resources_by_review ON resources (review_at) WHERE review_at IS NOT NULL;

    CREATE TABLE versions (
        id {serial}, resource BIGINT NOT NULL, crawled_at BIGINT NOT NULL, confirmed_at BIGINT NOT NULL,
        succeeded_at BIGINT, status INT NOT NULL, headers TEXT NOT NULL, media TEXT NOT NULL, length BIGINT NOT NULL,
        sha256 TEXT NOT NULL, policy BIGINT NOT NULL, skeleton TEXT NOT NULL, decisions TEXT NOT NULL,
        is_indexed INT NOT NULL DEFAULT 0, terms TEXT NOT NULL DEFAULT '', parts TEXT NOT NULL DEFAULT '',
        file TEXT, start BIGINT, extent BIGINT
    );
    CREATE INDEX versions_by_resource ON versions (resource, id);
    CREATE INDEX versions_by_file ON versions (file) WHERE file IS NOT NULL;

    CREATE TABLE requirements (
        version BIGINT NOT NULL, usage TEXT NOT NULL, restriction TEXT NOT NULL, url TEXT NOT NULL,
        PRIMARY KEY (version, usage, restriction, url)
    );
    CREATE INDEX requirements_by_url ON requirements (url);

    CREATE TABLE files (name TEXT PRIMARY KEY, ending BIGINT NOT NULL);
    CREATE TABLE intents (id {serial}, what TEXT NOT NULL, detail TEXT NOT NULL);

    CREATE TABLE runs (
        id {serial}, started_at BIGINT NOT NULL, ended_at BIGINT, reason TEXT, options TEXT NOT NULL,
        seconds DOUBLE PRECISION NOT NULL DEFAULT 0, octets BIGINT NOT NULL DEFAULT 0
    );
    CREATE TABLE schedule (
        id {serial}, run BIGINT NOT NULL, url TEXT NOT NULL, site TEXT NOT NULL, depth INT NOT NULL,
        kind TEXT NOT NULL, due BIGINT NOT NULL, attempts INT NOT NULL DEFAULT 0, state TEXT NOT NULL, why TEXT,
        found_in TEXT, UNIQUE (run, url)
    );
    CREATE INDEX schedule_by_site ON schedule (run, state, site, depth, id);
    CREATE INDEX schedule_by_due ON schedule (run, state, due);

    CREATE TABLE requests (
        id {serial}, action TEXT NOT NULL, url TEXT NOT NULL, said_in TEXT NOT NULL, made_at BIGINT NOT NULL,
        done_at BIGINT, UNIQUE (action, url, said_in)
    );

    CREATE TABLE proven (name TEXT PRIMARY KEY, piece INT NOT NULL, told TEXT NOT NULL);
    CREATE INDEX proven_by_piece ON proven (piece);
    CREATE TABLE grounds (id {serial}, digest TEXT NOT NULL UNIQUE, told TEXT NOT NULL);

    CREATE TABLE ledger (
        seq {key}, at BIGINT NOT NULL, act TEXT NOT NULL, url TEXT NOT NULL, entry TEXT NOT NULL,
        hash TEXT NOT NULL
    );
    CREATE INDEX ledger_by_url ON ledger (url, seq);
    CREATE INDEX ledger_by_act ON ledger (act, seq);
    CREATE INDEX ledger_by_copy ON ledger (url, seq) WHERE act IN ('preserved', 'removed')
    """,
    """
    ALTER TABLE documents ADD COLUMN site TEXT NOT NULL DEFAULT '[]'
    """,
)

# The input is terms already (`store.terms`), so the tokenizer has only to cut at spaces. Their positions tell
# nothing, as they come in the order of the alphabet; without them (`detail=column`) nothing would be ranked.
SQLITE = (
    """
    CREATE VIRTUAL TABLE terms USING fts5(title, body, content='', contentless_delete=1, tokenize='ascii')
    """,
    "",
)
POSTGRESQL = (
    """
    CREATE TABLE terms (id BIGINT PRIMARY KEY, vector tsvector NOT NULL);
    CREATE INDEX terms_by_vector ON terms USING gin (vector)
    """,
    "",
)


FORGOTTEN = 2
"""Number of store forms before the first migration here. None is migrated: their ledgers prove less."""


def newest() -> int:
    """The form of a store with all migrations."""
    return FORGOTTEN + len(TABLES)


def statements(number: int, own: tuple[str, ...], **types: str) -> list[str]:
    """The statements of a migration."""
    scripts = (TABLES[number].format(**types), own[number])
    return [one.strip() for script in scripts for one in script.split(";") if one.strip()]


def differences(made: Mapping[tuple[str, str], object], present: Mapping[tuple[str, str], object]) -> Iterator[str]:
    """What of a database, by kind and name, is not as the migrations make it, a line each."""
    for key in sorted(made.keys() | present.keys()):
        what = f"{key[0]} `{key[1]}`"
        if key not in made:
            yield f"{what} is in the database, and this program did not make it"
        elif key not in present:
            yield f"{what} is gone from the database"
        elif made[key] != present[key]:
            yield f"{what} is not as it was made"
