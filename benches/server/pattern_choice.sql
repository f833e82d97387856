-- In: the table games (id, game); the variable runs.
-- Out: with an index of patterns, for the examples of docs/patterns.md and others: the estimated rows, the plan with
-- default settings, its time and that of the other plan, and the number of candidates of the index. Its size and
-- build time: patterns.sql.
CREATE SCHEMA pattern_choice;
SET search_path = pattern_choice, public;
\ir measure.sql
CREATE TABLE packed AS SELECT id, game FROM public.games ORDER BY id;
CREATE INDEX packed_patterns ON packed USING gin (game chessgame_pattern_ops);
VACUUM ANALYZE;

CREATE TABLE wish (no serial, name text, condition text);
INSERT INTO wish (name, condition)
SELECT pattern, format('game @@ %L', pattern) FROM unnest(ARRAY[
    'flip(isolated(Pd))', 'Pd4 Pa2 Pb3 Pf2 Pg2 Ph2 and P = 6', 'flip(B = 2 and N = 0 and b = 1 and n = 1)', 'flip(KRPPvKR)',
    'flip(imbalance Pv for 4)', 'flip(Q = q and R = r and P = p and B = 2 and N = 0 and b = 0 and n = 2 for 2)',
    'flip(Q = 2 and R = 0 and q = 1 and r = 2)', 'isolated(Pa)', 'rank(R7, R7)',
    'flip(Rx[bn] directly axR then within 2 R + 1 = r and [BN] = [bn] + 1 for 8)',
    'flip(Bxph7 and check directly kxh7 directly N-g5 and check)',
    'board(rnbqkb1r/pp1p1ppp/4pn2/2pP4/2P5/2N5/PP2PPPP/R1BQKBNR) then P-e5 directly pd-e5 directly P-f5 then N-e4',
    'board(r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/2N2N2/PPPP1PPP/R1BQK2R) then Bc4 then Bf3', 'oppositebishops and [QRNqrn] = 0',
    'flip(mirror(KRP4vKRP3 and [Pp][a-d] = 0 for 4))', 'KR[BN]P*vKR[BN]P*', 'flip(Nd5 and not [bn] attacks d5)',
    'flip(mirror(B[light] = 1 and B[dark] = 0 and N = 0 and b = 0 and n = 1 and P[light] >= P[dark] + 3))',
    'flip(K[b1,c1] and k[g8,h8])', 'Pe4 Pd3 Nf3 Pg3 Bg2 Kg1 Rf1 and move = 5..7', 'flip(Rc[open])',
    'flip(Pc4 Pe4 and Pd = 0 and pc = 0 and pd and not pd5)', 'rxNc3 directly Pxc3', 'flip(mirror(K-h1 then R-g1 then P-g4))',
    'flip(btm and mate and N attacks k and not k attacks [_A])',
    'Pc3 Pd4 Pe3 Pf4 Kg1', 'pa6 Bb3 Nf3', 'Nd5', 'mate', '[Pp]-.=[RBNrbn]', 'O-O-O', 'KRP*vKRP*']) AS pattern;
INSERT INTO wish (name, condition) SELECT 'hasMaterial ' || material, format('hasMaterial(game, %L)', material)
FROM unnest('{KRPPPvKRPPP,KRPvKR}'::text[]) AS material;
CREATE TABLE plan AS
SELECT wish.*, query, (plan #>> '{0,Plan,Plans,0,Plan Rows}')::bigint AS estimated, picked(plan)
FROM wish, format('SELECT count(*) FROM packed WHERE %s', condition) AS query, LATERAL explained(query) AS plan;
SET enable_seqscan = off;
CREATE TABLE left_by_index AS
SELECT no, (jsonb_path_query_first(plan, 'strict $.** ? (@."Node Type" == "Bitmap Index Scan")') ->> 'Actual Rows')::numeric::bigint AS candidates,
       (jsonb_path_query_first(plan, 'strict $.** ? (@."Node Type" == "Bitmap Index Scan")') ->> 'Plan Rows')::bigint AS expected
FROM plan AS p, LATERAL explained(p.query, 'ANALYZE, TIMING OFF, FORMAT JSON') AS plan;
RESET enable_seqscan;

INSERT INTO questions (subject, method, settings, statement)
SELECT no, way, setting, query FROM plan JOIN left_by_index USING (no),
    (VALUES ('scan', 'enable_bitmapscan=off'), ('index', 'enable_seqscan=off')) AS v (way, setting)
WHERE way = 'scan' OR candidates IS NOT NULL ORDER BY no, way;
CALL ask(:runs);
CALL require_same_answers();

-- "slower than" is the factor by which the chosen plan is slower than the other one
SELECT name AS wish, s.answer AS games, estimated, candidates, expected AS "candidates expected", picked, round(i.ms, 2) AS "index, ms",
       round(s.ms, 2) AS "scan, ms", CASE WHEN i.ms IS NOT NULL THEN round(s.ms / i.ms, 1) END AS "x",
       CASE WHEN i.ms IS NOT NULL AND (picked = 'index') <> (i.ms < s.ms) THEN round(greatest(i.ms / s.ms, s.ms / i.ms), 2) END AS "wrong by"
FROM plan JOIN left_by_index USING (no) JOIN answer_times AS s ON s.subject = no::text AND s.method = 'scan'
LEFT JOIN answer_times AS i ON i.subject = no::text AND i.method = 'index' ORDER BY no;
DROP SCHEMA pattern_choice CASCADE;
