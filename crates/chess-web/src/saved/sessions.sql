-- In: the schema chess_web. Out: its tables, which hold what visitors save. Existing tables stay as they are. The script needs
-- neither the extension nor the tables of chess-pgn, so that sessions can be in another database.

CREATE TABLE IF NOT EXISTS chess_web.sessions (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    created timestamptz NOT NULL DEFAULT now(),
    seen    timestamptz NOT NULL DEFAULT now(),
    expires timestamptz NOT NULL DEFAULT now() + interval '1 year'
);

CREATE TABLE IF NOT EXISTS chess_web.devices (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_id bigint NOT NULL REFERENCES chess_web.sessions ON DELETE CASCADE,
    own        bigint REFERENCES chess_web.sessions ON DELETE SET NULL,
    name       text NOT NULL DEFAULT '',
    id_hash    bytea NOT NULL UNIQUE CHECK (octet_length(id_hash) = 32),
    joined     timestamptz NOT NULL DEFAULT now(),
    seen       timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE chess_web.devices IS 'browsers, each with the session that it uses';
COMMENT ON COLUMN chess_web.devices.own IS 'the session that the browser had before it joined that of another one, and has again when it leaves';
COMMENT ON COLUMN chess_web.devices.id_hash IS 'SHA-256 of the cookie: a reader of this table cannot make a cookie';
CREATE INDEX IF NOT EXISTS devices_session_id_idx ON chess_web.devices (session_id);
CREATE INDEX IF NOT EXISTS devices_own_idx ON chess_web.devices (own);

CREATE TABLE IF NOT EXISTS chess_web.invitations (
    session_id bigint PRIMARY KEY REFERENCES chess_web.sessions ON DELETE CASCADE,
    device_id  bigint NOT NULL REFERENCES chess_web.devices ON DELETE CASCADE,
    key_hash   bytea NOT NULL UNIQUE CHECK (octet_length(key_hash) = 32),
    expires    timestamptz NOT NULL
);
COMMENT ON TABLE chess_web.invitations IS 'links by which one more device joins a session, each once';
COMMENT ON COLUMN chess_web.invitations.key_hash IS 'SHA-256 of the key in the link';
CREATE INDEX IF NOT EXISTS invitations_device_id_idx ON chess_web.invitations (device_id);

-- Until version 0.4.0 a session was one browser, and had its cookie.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'chess_web.sessions'::regclass AND attname = 'id_hash' AND NOT attisdropped) THEN
        INSERT INTO chess_web.devices (session_id, id_hash, joined, seen) SELECT id, id_hash, created, seen FROM chess_web.sessions;
        ALTER TABLE chess_web.sessions DROP COLUMN id_hash;
    END IF;
END
$$;

CREATE TABLE IF NOT EXISTS chess_web.views (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_id bigint NOT NULL REFERENCES chess_web.sessions ON DELETE CASCADE,
    name       text NOT NULL,
    url        text NOT NULL,
    updated    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS views_session_id_idx ON chess_web.views (session_id);

CREATE TABLE IF NOT EXISTS chess_web.notebooks (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_id bigint NOT NULL REFERENCES chess_web.sessions ON DELETE CASCADE,
    name       text NOT NULL,
    color      text CHECK (color IN ('white', 'black')),
    updated    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS notebooks_session_id_idx ON chess_web.notebooks (session_id);

CREATE TABLE IF NOT EXISTS chess_web.notebook_nodes (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    notebook_id bigint NOT NULL REFERENCES chess_web.notebooks ON DELETE CASCADE,
    parent      bigint REFERENCES chess_web.notebook_nodes ON DELETE CASCADE,
    uci         text,
    fen         text NOT NULL,
    note        text NOT NULL DEFAULT '',
    glyph       smallint,
    CHECK ((parent IS NULL) = (uci IS NULL)),
    UNIQUE (notebook_id, parent, uci)
);
COMMENT ON COLUMN chess_web.notebook_nodes.uci IS 'the move that leads here from parent; NULL for the root';
CREATE INDEX IF NOT EXISTS notebook_nodes_parent_idx ON chess_web.notebook_nodes (parent);

CREATE TABLE IF NOT EXISTS chess_web.boards (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_id bigint NOT NULL REFERENCES chess_web.sessions ON DELETE CASCADE,
    name       text NOT NULL,
    pgn        text NOT NULL,
    updated    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS boards_session_id_idx ON chess_web.boards (session_id);
ALTER TABLE chess_web.boards ADD COLUMN IF NOT EXISTS origin text;
COMMENT ON COLUMN chess_web.boards.origin IS 'the id, on the page, of the stored game that the board began with';
ALTER TABLE chess_web.boards ADD COLUMN IF NOT EXISTS key text;
COMMENT ON COLUMN chess_web.boards.key IS 'what the client that wrote it last calls itself: it knows the board although an answer was lost';
CREATE UNIQUE INDEX IF NOT EXISTS boards_session_id_key_idx ON chess_web.boards (session_id, key) WHERE key IS NOT NULL;

ALTER TABLE chess_web.notebook_nodes ADD COLUMN IF NOT EXISTS glyphs smallint[] NOT NULL DEFAULT ARRAY[]::smallint[];
COMMENT ON COLUMN chess_web.notebook_nodes.glyphs IS 'glyphs after the first one';

CREATE TABLE IF NOT EXISTS chess_web.notebook_changes (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    notebook_id bigint NOT NULL REFERENCES chess_web.notebooks ON DELETE CASCADE,
    made        timestamptz NOT NULL DEFAULT now(),
    added       bigint[] NOT NULL DEFAULT ARRAY[]::bigint[],
    before      jsonb NOT NULL DEFAULT jsonb_build_object()
);
COMMENT ON TABLE chess_web.notebook_changes IS 'the last changes of notebooks, each with what undoes it';
COMMENT ON COLUMN chess_web.notebook_changes.added IS 'the nodes that the change added';
COMMENT ON COLUMN chess_web.notebook_changes.before IS
    'the nodes that it deleted (removed) and those that it changed (changed) as they were, the name and the color before';
CREATE INDEX IF NOT EXISTS notebook_changes_notebook_id_idx ON chess_web.notebook_changes (notebook_id, id);

CREATE TABLE IF NOT EXISTS chess_web.shares (
    key         text PRIMARY KEY,
    notebook_id bigint UNIQUE REFERENCES chess_web.notebooks ON DELETE CASCADE,
    board_id    bigint UNIQUE REFERENCES chess_web.boards ON DELETE CASCADE,
    CHECK (num_nonnulls(notebook_id, board_id) = 1)
);
COMMENT ON TABLE chess_web.shares IS 'links by which others may read and copy a notebook or a board';

CREATE TABLE IF NOT EXISTS chess_web.training (
    notebook_id bigint NOT NULL REFERENCES chess_web.notebooks ON DELETE CASCADE,
    position    text NOT NULL,
    stability   float8 NOT NULL CHECK (stability > 0),
    difficulty  float8 NOT NULL CHECK (difficulty BETWEEN 1 AND 10),
    answered    timestamptz NOT NULL DEFAULT now(),
    due         timestamptz NOT NULL,
    PRIMARY KEY (notebook_id, position)
);
COMMENT ON TABLE chess_web.training IS 'what is remembered of the positions of a notebook';
COMMENT ON COLUMN chess_web.training.position IS 'the first four fields of the FEN, en passant only where a pawn can take';
COMMENT ON COLUMN chess_web.training.stability IS 'after how many days the chance to remember is nine in ten';
ALTER TABLE chess_web.training ADD COLUMN IF NOT EXISTS keys text[] NOT NULL DEFAULT ARRAY[]::text[];
COMMENT ON COLUMN chess_web.training.keys IS 'the keys of the last answers, the latest first: an answer that comes again is not stored again';
