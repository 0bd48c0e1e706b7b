-- One row for each conversation, one for each of its messages; a shopping conversation has a session.
CREATE TABLE IF NOT EXISTS conversations (
    id TEXT PRIMARY KEY,
    assistant TEXT NOT NULL,
    -- The hidden context, a JSON object.
    context TEXT
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

-- What clients were told, turn by turn, failed turns too: whoever comes back is told it again. A turn that is on its way has
-- its reservation here: as many chunk ids as it may need, and, as its events, what is told if it never comes to its end.
CREATE TABLE IF NOT EXISTS told (
    conversation_id TEXT NOT NULL,
    first_chunk_id INTEGER NOT NULL,
    last_chunk_id INTEGER NOT NULL,
    -- The turn's events, a JSON array.
    events TEXT NOT NULL,
    -- What the conversation was before the turn: how many messages, context, session; a JSON object.
    before TEXT,
    PRIMARY KEY (conversation_id, last_chunk_id)
) STRICT, WITHOUT ROWID;
