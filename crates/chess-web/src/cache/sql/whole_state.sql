-- Out: one row with the state; none if the snapshot does not tell everything.
SELECT concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time(), pg_current_snapshot()) AS state
WHERE NOT pg_is_in_recovery() AND NOT EXISTS (SELECT FROM pg_foreign_table) AND NOT EXISTS (SELECT FROM pg_policy)
  AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')
