SELECT w.fdwname = 'postgres_fdw',
       EXISTS (SELECT FROM unnest(s.srvoptions) o, string_to_table(substr(o, 12), ',') e
               WHERE o LIKE 'extensions=%' AND btrim(e) = 'chess')
FROM pg_foreign_server s JOIN pg_foreign_data_wrapper w ON w.oid = s.srvfdw WHERE s.srvname = $1
