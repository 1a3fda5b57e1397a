-- The timeline of PostgreSQL's log on which the slot was made. After a failover it is another, also where a slot of the same
-- name is there: positions of before may be ahead of what the new primary has.
ALTER TABLE swiftlet.change_stream ADD COLUMN IF NOT EXISTS timeline integer;
