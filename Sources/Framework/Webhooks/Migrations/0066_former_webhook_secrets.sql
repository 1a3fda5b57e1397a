-- After `swiftlet webhooks rotate` requests are signed with the former secret too, for as long as the receiver may not have
-- the new one.

ALTER TABLE swiftlet.webhooks
    ADD COLUMN IF NOT EXISTS former_secret text,
    ADD COLUMN IF NOT EXISTS former_secret_expires_at timestamptz;
