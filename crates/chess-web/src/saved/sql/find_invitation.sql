-- In: the hash of a key, the session of the visitor. Out: the device that made the link, the number of devices in its session, the
-- number of objects saved there, whether the visitor belongs to it, and the number of objects in the visitor's own session. There
-- is no row if the key is unknown or too old.
WITH asked AS (SELECT {} AS key_hash, {} AS own)
SELECT d.name AS device, i.session_id = a.own AS joined,
       (SELECT count(*) FROM chess_web.devices o WHERE o.session_id = i.session_id) AS devices,
       (SELECT count(*) FROM chess_web.notebooks o WHERE o.session_id = i.session_id) AS notebooks,
       (SELECT count(*) FROM chess_web.boards o WHERE o.session_id = i.session_id) AS boards,
       (SELECT count(*) FROM chess_web.views o WHERE o.session_id = i.session_id) AS filters,
       (SELECT count(*) FROM chess_web.notebooks o WHERE o.session_id = a.own) AS own_notebooks,
       (SELECT count(*) FROM chess_web.boards o WHERE o.session_id = a.own) AS own_boards,
       (SELECT count(*) FROM chess_web.views o WHERE o.session_id = a.own) AS own_filters
FROM asked a JOIN chess_web.invitations i ON i.key_hash = a.key_hash AND i.expires > now() JOIN chess_web.devices d ON d.id = i.device_id
