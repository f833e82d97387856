-- In: a new session of a user who may read /proc of the server's process; the extension. Out: the KiB of the process's memory,
-- and of those the ones that no other process shares, before and after the first call of a function of the extension, and the
-- times of that call and of the next.
SELECT pg_backend_pid() AS pid \gset
\setenv BACKEND :pid
\! awk '/^Pss:/ { pss = $2 } /^Private_Dirty:/ { own = $2 } END { print "KiB:", pss, own }' /proc/$BACKEND/smaps_rollup
\timing on
SELECT plyCount('1. e4 e5') \g /dev/null
\timing off
\! awk '/^Pss:/ { pss = $2 } /^Private_Dirty:/ { own = $2 } END { print "KiB:", pss, own }' /proc/$BACKEND/smaps_rollup
\timing on
SELECT plyCount('1. e4 e5') \g /dev/null
