-- One row for each conversation, one for each of its messages; a shopping conversation has a session.
CREATE TABLE IF NOT EXISTS conversations (
    id TEXT PRIMARY KEY,
    assistant TEXT NOT NULL,
    -- The hidden context, a JSON object.
    context TEXT NOT NULL DEFAULT '{}'
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS messages (
    conversation_id TEXT NOT NULL REFERENCES conversations (id),
    position INTEGER NOT NULL,
    role TEXT NOT NULL,
    -- The message's blocks, a JSON array.
    content TEXT NOT NULL,
    PRIMARY KEY (conversation_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS sessions (
    conversation_id TEXT PRIMARY KEY REFERENCES conversations (id),
    intent_l1 TEXT NOT NULL,
    intent_l2 TEXT NOT NULL,
    intent_l3 TEXT NOT NULL,
    is_product_related INTEGER NOT NULL,
    domain TEXT,
    product_intent TEXT,
    -- For each slot its message, type, options and answer, a JSON object.
    contextual_questions TEXT NOT NULL,
    -- The original query, what is missing, what is fulfilled, and what is asked, a JSON object.
    assessment TEXT NOT NULL
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
