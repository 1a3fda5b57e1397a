-- The first entries of a folder in the order of `list`: by names in any case, without the slash of folders. It reads
-- little more than these, whatever else the folder holds.

-- `storage.swiftlet_children` goes by bytes, and what comes behind `last` in it sorts behind `last` here, too: small
-- letters come after large ones. Only a folder is known by a shorter name than the one it is found by: `a/`, which sorts
-- before `a-1`, is found behind it. Those that may come are looked for by their names.
CREATE OR REPLACE FUNCTION storage.swiftlet_first_children(
    bucket text,
    folder text,
    most integer
) RETURNS TABLE (path text, is_folder boolean)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    read integer := most + 1;
    paths text[];
    folders boolean[];
    last text;
    place integer;
    beginning text;
    known integer;
BEGIN
    IF most <= 0 THEN
        RETURN;
    END IF;
    LOOP
        SELECT array_agg(c.path), array_agg(c.is_folder) INTO paths, folders
            FROM storage.swiftlet_children(bucket, folder, '', NULL, false, read) AS c;
        IF coalesce(cardinality(paths), 0) < read THEN
            EXIT;
        END IF;
        last := paths[read];
        FOR place IN length(folder) + 1..length(last) LOOP
            IF substr(last, place, 1) COLLATE "C" < '/' THEN
                beginning := left(last, place - 1) || '/';
                IF EXISTS (
                    SELECT FROM storage.objects AS o
                    WHERE o.bucket_id = bucket AND o.name COLLATE "C" >= beginning
                        AND o.name COLLATE "C" < (beginning || chr(1114111))
                ) THEN
                    paths := paths || beginning;
                    folders := folders || true;
                END IF;
            END IF;
        END LOOP;
        SELECT count(*) INTO known FROM unnest(paths) AS p (path)
            WHERE lower(rtrim(p.path, '/') COLLATE "C") COLLATE "C" < rtrim(last, '/');
        EXIT WHEN known >= most;
        -- Names in large letters, which are found first and sort later, as all of a camera's do: soon it reads them all.
        read := read * 10;
    END LOOP;
    RETURN QUERY SELECT * FROM unnest(paths, folders) AS entry (path, is_folder)
        ORDER BY lower(rtrim(entry.path, '/') COLLATE "C") COLLATE "C", entry.path COLLATE "C" LIMIT most;
END $$;
