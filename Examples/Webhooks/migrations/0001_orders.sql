CREATE TABLE orders (
    id text PRIMARY KEY,
    total double precision NOT NULL,
    told_at timestamptz
);
ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
