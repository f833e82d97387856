-- In: a session, its device or 0, the hash of a key, minutes. Out: the key is that of the session's link; the earlier one stops
-- working. A session that has just begun has no device 0, and its only device is taken. The session is locked first, as in
-- join.sql, so that two devices cannot wait for each other.
WITH asked AS (SELECT {} AS session, {} AS device, {} AS key_hash, {} AS minutes), locked AS (
    SELECT s.id FROM chess_web.sessions s JOIN asked a ON s.id = a.session FOR NO KEY UPDATE OF s
)
INSERT INTO chess_web.invitations (session_id, device_id, key_hash, expires)
SELECT d.session_id, d.id, a.key_hash, now() + a.minutes * interval '1 minute' FROM chess_web.devices d JOIN asked a ON d.session_id = a.session
WHERE (SELECT count(*) FROM locked) > 0 ORDER BY d.id = a.device DESC LIMIT 1
ON CONFLICT (session_id) DO UPDATE SET device_id = excluded.device_id, key_hash = excluded.key_hash, expires = excluded.expires
RETURNING session_id
