-- What the servers of a database have taken of rate limits, see RATE_LIMIT. Not logged: after a crash counting begins anew.
CREATE UNLOGGED TABLE IF NOT EXISTS swiftlet.rate_counts (
    -- What is limited: all functions, one, or a route.
    scope text NOT NULL,
    client text NOT NULL,
    -- The number of the window since 1970.
    period bigint NOT NULL,
    count bigint NOT NULL,
    ends_at timestamptz NOT NULL,
    PRIMARY KEY (scope, client, period)
) WITH (fillfactor = 50);

CREATE INDEX IF NOT EXISTS rate_counts_ends ON swiftlet.rate_counts (ends_at);

ALTER TABLE swiftlet.rate_counts ENABLE ROW LEVEL SECURITY;
