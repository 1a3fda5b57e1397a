/// The gallery as apps without sign-in need it: opened to everybody who has the app's key. A real one stays closed unless
/// its owner says `SELECT gallery.allow_anonymous(true)`.
let demoGallery = """
    DO $demo$
    BEGIN
        -- Where its schema could not be made, there is no gallery.
        IF to_regclass('gallery.images') IS NULL THEN
            RETURN;
        END IF;
        INSERT INTO gallery.users (id, apple_id, email, name)
        VALUES ('e0000000-0000-4000-8000-000000000001', 'demo.apple.1', 'sara@gallery.example', 'Sara 🦊'),
            ('e0000000-0000-4000-8000-000000000002', 'demo.apple.2', NULL, 'يوسف')
        ON CONFLICT DO NOTHING;
        INSERT INTO gallery.images (user_id, image_url, photo_date, metadata)
        SELECT ('e0000000-0000-4000-8000-00000000000' || 1 + number % 2)::uuid,
            'https://images.gallery.example/' || number || '.jpg', now() - number * interval '3 days',
            jsonb_build_object('width', 4032, 'height', 3024, 'favorite', number % 3 = 0)
        FROM generate_series(1, 12) AS number;
        PERFORM gallery.allow_anonymous(true);
        COMMENT ON SCHEMA gallery IS
            'Demo data, open to everybody who has the anon key. SELECT gallery.allow_anonymous(false) closes it.';
    END $demo$;
    """
