-- For tables whose rows say when they were last changed, whoever changes them:
--     CREATE TRIGGER logs_touch BEFORE UPDATE ON logs FOR EACH ROW EXECUTE FUNCTION swiftlet_touch();

CREATE OR REPLACE FUNCTION swiftlet_touch() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    NEW.updated_at := now();
    RETURN NEW;
END $$;
