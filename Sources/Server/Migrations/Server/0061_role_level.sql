-- The level of whoever asks, 1 to 8, for row policies: read from the token as the functions read it. A whole number
-- counts, also one that is written as a text; anything else, and a token without a level, is 1.
CREATE OR REPLACE FUNCTION swiftlet_role_level() RETURNS integer
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT CASE
        WHEN level ~ '^-?(0|[1-9][0-9]{0,29})(\.0+)?$' AND abs(level::numeric) < 9223372036854775808
        THEN least(greatest(level::numeric, 1), 8)::integer
        ELSE 1
    END
    FROM (
        SELECT coalesce(
            swiftlet_claims() #>> '{app_metadata,role_level}',
            swiftlet_claims() #>> '{app_metadata,roleLevel}'
        ) AS level
    ) AS claim
$$;
