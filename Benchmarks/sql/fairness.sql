-- A statement that is fast until it is not.
CREATE FUNCTION nap(seconds float8) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT pg_sleep(seconds) IS NULL';
