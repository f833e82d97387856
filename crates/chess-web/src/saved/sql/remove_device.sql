-- In: the session of the visitor, a device. Out: the device is moved back to its own session, or deleted if it has none. The
-- session's link is deleted, because the removed device may know it. If no other device would be left, is_last is true and nothing
-- changes. There is no row if the session has no such device.
-- The lock on devices makes those wait that remove each other: the second one does not see the first any more, and stays. The
-- session is locked before, as in join.sql.
WITH asked AS (SELECT {} AS session), locked AS (
    SELECT s.id FROM chess_web.sessions s JOIN asked a ON s.id = a.session FOR NO KEY UPDATE OF s
), held AS (
    SELECT d.id, d.own, d.session_id FROM chess_web.devices d JOIN asked a ON d.session_id = a.session
    WHERE (SELECT count(*) FROM locked) > 0 ORDER BY d.id FOR UPDATE OF d
), leaving AS (
    SELECT h.id, h.own, h.session_id, NOT EXISTS (SELECT FROM held o WHERE o.id <> h.id) AS is_last FROM held h WHERE h.id = {}
), back AS (
    UPDATE chess_web.devices d SET session_id = l.own, own = NULL, joined = now()
    FROM leaving l WHERE d.id = l.id AND l.own IS NOT NULL AND NOT l.is_last
), gone AS (
    DELETE FROM chess_web.devices d USING leaving l WHERE d.id = l.id AND l.own IS NULL AND NOT l.is_last
), links AS (
    DELETE FROM chess_web.invitations i USING leaving l WHERE i.session_id = l.session_id AND NOT l.is_last
)
SELECT is_last FROM leaving
