-- Rows as chess-pgn 0.2.0 stored them in a schema old, and what it made after a load with --index --dedupe.
INSERT INTO old.info VALUES ('schema version', '1'), ('created by', 'chess-pgn 0.2.0');
INSERT INTO old.sources (name, fingerprint, bytes, finished) VALUES ('old.pgn', '\x01', 100, now());
INSERT INTO old.players (name) VALUES ('A'), ('B'), ('C');
INSERT INTO old.games (source_offset, source_id, white_id, black_id, ply_count, result, tags, game) VALUES
    (0, 1, 1, 2, 2, '1-0', NULL, '1. e4 e5 1-0'),
    (30, 1, NULL, 3, 1, 'won', '{"Result": "lost"}', '1. d4 *'),
    (60, 1, NULL, NULL, 1, '?', NULL, '1. c4 1-0');
INSERT INTO old.pieces VALUES (1, 0, 100, true, '\x01', 4, 3, 1, 0);
INSERT INTO old.rejected (source_id, source_offset, line, number, ply, reason, text)
    VALUES (1, 90, 9, 4, 1, 'half-move 1, "e9": not a move in standard algebraic notation', '1. e9 *');
ALTER TABLE old.games ADD CONSTRAINT games_source_id_fkey FOREIGN KEY (source_id) REFERENCES old.sources,
    ADD CONSTRAINT games_white_id_fkey FOREIGN KEY (white_id) REFERENCES old.players;
CREATE INDEX games_ply_count_idx ON old.games USING btree (ply_count);
CREATE INDEX games_game_hash ON old.games USING hash (game);
CREATE VIEW old.mine AS SELECT id, white, ply_count FROM old.pgn_view;
