CREATE TABLE bookmarks (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id text NOT NULL,
    url text NOT NULL,
    title text,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX bookmarks_of_user ON bookmarks (user_id, created_at DESC);
SELECT swiftlet_protect('bookmarks', 'user_id = (SELECT swiftlet_user_id())');
