-- One row for each conversation. Values are JSON.
CREATE TABLE IF NOT EXISTS conversations (
    id TEXT PRIMARY KEY,
    conversation TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The stream that clients read, with the events of failed turns.
CREATE TABLE IF NOT EXISTS events (
    conversation_id TEXT NOT NULL,
    chunk_id INTEGER NOT NULL,
    event TEXT NOT NULL,
    PRIMARY KEY (conversation_id, chunk_id)
) STRICT, WITHOUT ROWID;

-- The turns that are running, with the conversations before them, and what they have taken in. Times are milliseconds.
CREATE TABLE IF NOT EXISTS running (
    conversation_id TEXT PRIMARY KEY,
    token TEXT NOT NULL,
    owners INTEGER NOT NULL,
    first_chunk_id INTEGER NOT NULL,
    begun TEXT NOT NULL,
    at INTEGER NOT NULL,
    lease INTEGER NOT NULL,
    is_to_stop INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS inputs (
    conversation_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    input BLOB NOT NULL,
    PRIMARY KEY (conversation_id, position)
) STRICT, WITHOUT ROWID;
