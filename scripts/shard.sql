-- In: :host and :server, where a node listens, and what it is called on the coordinator.
-- Out: it as a foreign server.
CREATE SERVER :"server" FOREIGN DATA WRAPPER postgres_fdw
    OPTIONS (host :'host', port '5432', dbname 'chess', extensions 'chess', async_capable 'true');
CREATE USER MAPPING FOR PUBLIC SERVER :"server" OPTIONS (user 'postgres');
