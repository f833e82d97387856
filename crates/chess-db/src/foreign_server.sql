-- In: after roles.sql: $2, the name of a foreign server. Out: whether it belongs to postgres_fdw, whether it runs functions of the
-- extension, and its owner, if that role is not trusted: it says which server is asked and what is read from it.
SELECT w.fdwname = 'postgres_fdw',
       EXISTS (SELECT FROM unnest(s.srvoptions) o, string_to_table(substr(o, 12), ',') e
               WHERE o LIKE 'extensions=%' AND btrim(e) = 'chess'),
       CASE WHEN s.srvowner NOT IN (SELECT role FROM trusted) THEN pg_get_userbyid(s.srvowner)::text END
FROM pg_foreign_server s JOIN pg_foreign_data_wrapper w ON w.oid = s.srvfdw WHERE s.srvname = $2::text::name
