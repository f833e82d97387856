-- In: the hash of a key, the most devices of a session, the device of the visitor or 0, its name, the hash of a cookie for a
-- visitor without a device. Out: the device is moved into the session of the key, and the key is deleted; there is no row if the
-- key did not work any more. The device remembers the session that it leaves, unless other devices share that one: they could not
-- remove it while it is away, and it would come back. A device remembers one session: if it has one already, and is the only device
-- of the session that it would leave, is_last is true and nothing changes, because nobody could open what is saved there.
-- The lock on devices makes those wait that leave a session at the same time.
-- Whoever changes the devices or the link of a session locks it first, the one with the lowest number before others: devices that
-- join each other would otherwise wait for each other.
WITH asked AS (SELECT {} AS key_hash, {} AS most, {} AS device, {} AS name, {} AS id_hash), locked AS (
    SELECT s.id FROM chess_web.sessions s, asked a
    WHERE s.id IN (SELECT i.session_id FROM chess_web.invitations i WHERE i.key_hash = a.key_hash
                   UNION SELECT d.session_id FROM chess_web.devices d WHERE d.id = a.device)
    ORDER BY s.id FOR NO KEY UPDATE OF s
), held AS (
    SELECT d.id, d.own FROM chess_web.devices d
    WHERE (SELECT count(*) FROM locked) > 0
      AND d.session_id = (SELECT v.session_id FROM chess_web.devices v JOIN asked a ON v.id = a.device) ORDER BY d.id FOR UPDATE
), stranding AS (
    SELECT h.id FROM held h JOIN asked a ON h.id = a.device
    WHERE h.own IS NOT NULL AND NOT EXISTS (SELECT FROM held o WHERE o.id <> h.id)
), used AS (
    DELETE FROM chess_web.invitations i USING asked a
    WHERE (SELECT count(*) FROM locked) > 0 AND NOT EXISTS (SELECT FROM stranding) AND i.key_hash = a.key_hash AND i.expires > now()
      AND (SELECT count(*) FROM chess_web.devices d WHERE d.session_id = i.session_id) < a.most
    RETURNING i.session_id
), moved AS (
    UPDATE chess_web.devices d SET session_id = u.session_id, name = a.name, joined = now(), seen = now(),
        own = coalesce(d.own, CASE WHEN NOT EXISTS (SELECT FROM held o WHERE o.id <> d.id)
                                   THEN d.session_id END)
    FROM used u, asked a WHERE d.id = a.device
    RETURNING d.id
), links AS (
    DELETE FROM chess_web.invitations i USING moved m WHERE i.device_id = m.id
), added AS (
    INSERT INTO chess_web.devices (session_id, name, id_hash)
    SELECT u.session_id, a.name, a.id_hash FROM used u, asked a WHERE NOT EXISTS (SELECT FROM moved)
    RETURNING id
)
SELECT false AS is_new, false AS is_last FROM moved
UNION ALL SELECT true, false FROM added
UNION ALL SELECT false, true FROM stranding
