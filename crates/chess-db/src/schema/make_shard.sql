UPDATE {schema}.games SET shard = {shard} WHERE shard IS NULL;
ALTER TABLE {schema}.games ALTER shard SET DEFAULT {shard}, ALTER shard SET NOT NULL,
    ADD CONSTRAINT games_shard_check CHECK (shard = {shard});
ALTER VIEW {schema}.pgn_view ALTER shard SET DEFAULT {shard};
