-- Files of functions that no row names: noted before they are stored, and forgotten in the transaction that makes their
-- rows; noted again in the one that deletes them. A job removes what is due. Only the server reads and writes it.
CREATE TABLE IF NOT EXISTS swiftlet.unkept_files (
    -- That of the storage.
    key text PRIMARY KEY,
    due timestamptz NOT NULL
);

CREATE INDEX IF NOT EXISTS unkept_files_due ON swiftlet.unkept_files (due);

ALTER TABLE swiftlet.unkept_files ENABLE ROW LEVEL SECURITY;
