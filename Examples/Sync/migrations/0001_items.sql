CREATE TABLE items (
    id uuid PRIMARY KEY,
    owner uuid NOT NULL DEFAULT auth.uid(),
    title text NOT NULL CHECK (title <> ''),
    is_done boolean NOT NULL DEFAULT false
);
GRANT SELECT, INSERT, UPDATE, DELETE ON items TO authenticated;

-- Whose rows are on whose devices.
ALTER TABLE items ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON items TO authenticated
    USING (owner = (SELECT auth.uid())) WITH CHECK (owner = (SELECT auth.uid()));

SELECT swiftlet.enable_sync('items');
