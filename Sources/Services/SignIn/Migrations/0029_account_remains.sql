-- What the server itself holds of an account goes with the account, whoever deletes it: its owner, an administrator, SQL.
-- No foreign key can say so, as these rows also belong to accounts of other issuers, which are in no table here.
--
-- Files stay, see docs/storage.md: others may need them. Only who deletes their own account deletes their files.

CREATE OR REPLACE FUNCTION swiftlet.forget_accounts(gone text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    statement text;
BEGIN
    FOREACH statement IN ARRAY ARRAY[
        -- Jobs that wait, and the payloads of those that have failed. What runs comes to its end.
        'DELETE FROM swiftlet.jobs WHERE worker IS NULL AND caller::json ->> ''sub'' = ANY ($1)',
        'DELETE FROM swiftlet.job_history WHERE caller::json ->> ''sub'' = ANY ($1)',
        'DELETE FROM swiftlet.idempotency_keys WHERE split_part(scope, E''\n'', 2) = ANY ($1)',
        'DELETE FROM swiftlet.sync_clients WHERE user_id = ANY ($1)',
        'DELETE FROM swiftlet.provider_redirects WHERE linked_user_id::text = ANY ($1)',
        -- Codes that nobody has exchanged, with a provider's tokens. The column has no key to the account, as in GoTrue.
        'DELETE FROM auth.flow_state WHERE user_id::text = ANY ($1)'
    ] LOOP
        BEGIN
            EXECUTE statement USING gone;
        EXCEPTION WHEN undefined_table OR undefined_column OR insufficient_privilege OR invalid_text_representation THEN
            -- Not there yet, or made otherwise by somebody else: an account that is to go does not stay for that.
            NULL;
        END;
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION swiftlet.after_accounts_deleted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM swiftlet.forget_accounts(ARRAY(SELECT id::text FROM gone));
    RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION swiftlet.forget_accounts(text[]), swiftlet.after_accounts_deleted() FROM PUBLIC;

DO $$ BEGIN
    -- Where others have made the table, nothing is changed there: requests to /auth/v1 call the function themselves.
    IF (
        SELECT relkind = 'r' AND pg_get_userbyid(relowner) = current_user
        FROM pg_class
        WHERE relname = 'users' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'auth')
    ) THEN
        DROP TRIGGER IF EXISTS swiftlet_after_delete ON auth.users;
        CREATE TRIGGER swiftlet_after_delete AFTER DELETE ON auth.users
            REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION swiftlet.after_accounts_deleted();
    END IF;
END $$;
