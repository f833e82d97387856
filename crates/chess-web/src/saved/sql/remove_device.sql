-- In: a device, the session of the visitor. Out: the device is moved back to its own session, or deleted if it has none. The
-- session's link is deleted, because the removed device may know it. If no other device would be left, is_last is true and nothing
-- changes. There is no row if the session has no such device.
WITH asked AS (SELECT {} AS device, {} AS session), leaving AS (
    SELECT d.id, d.own, d.session_id, NOT EXISTS (SELECT FROM chess_web.devices o WHERE o.session_id = d.session_id AND o.id <> d.id) AS is_last
    FROM chess_web.devices d JOIN asked a ON d.id = a.device AND d.session_id = a.session
), back AS (
    UPDATE chess_web.devices d SET session_id = l.own, own = NULL, joined = now()
    FROM leaving l WHERE d.id = l.id AND l.own IS NOT NULL AND NOT l.is_last
), gone AS (
    DELETE FROM chess_web.devices d USING leaving l WHERE d.id = l.id AND l.own IS NULL AND NOT l.is_last
), links AS (
    DELETE FROM chess_web.invitations i USING leaving l WHERE i.session_id = l.session_id AND NOT l.is_last
)
SELECT is_last FROM leaving
