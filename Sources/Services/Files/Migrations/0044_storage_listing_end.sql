-- As before (0041), and it goes on behind names with the last sign of Unicode, which came by SQL and stood still in the
-- steps over folders.

CREATE OR REPLACE FUNCTION storage.swiftlet_children(
    bucket text,
    folder text,
    filter text DEFAULT '',
    after text DEFAULT NULL,
    is_descending boolean DEFAULT false,
    most integer DEFAULT NULL
) RETURNS TABLE (path text, is_folder boolean)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    -- Behind every name that begins with what stands before it.
    last_sign CONSTANT text := chr(1114111);
    low text := folder;
    high text := folder || chr(1114111);
    names refcursor;
    found_name text;
    slash integer;
    count integer := 0;
    is_found boolean;
    last_path text;
BEGIN
    IF most <= 0 THEN
        RETURN;
    END IF;
    IF is_descending THEN
        high := coalesce(after, high);
    ELSIF after IS NOT NULL THEN
        low := after || CASE WHEN right(after, 1) = '/' THEN last_sign ELSE chr(1) END;
    END IF;
    LOOP
        IF is_descending THEN
            OPEN names NO SCROLL FOR SELECT o.name FROM storage.objects AS o
                WHERE o.bucket_id = bucket AND o.name COLLATE "C" >= low AND o.name COLLATE "C" < high
                ORDER BY o.name COLLATE "C" DESC LIMIT 1000;
        ELSE
            OPEN names NO SCROLL FOR SELECT o.name FROM storage.objects AS o
                WHERE o.bucket_id = bucket AND o.name COLLATE "C" >= low AND o.name COLLATE "C" < high
                ORDER BY o.name COLLATE "C" LIMIT 1000;
        END IF;
        is_found := false;
        LOOP
            FETCH names INTO found_name;
            EXIT WHEN NOT FOUND;
            is_found := true;
            slash := strpos(substr(found_name, length(folder) + 1), '/');
            is_folder := slash > 0;
            path := CASE WHEN is_folder THEN left(found_name, length(folder) + slash) ELSE found_name END;
            IF is_descending THEN
                high := path;
            ELSE
                low := path || CASE WHEN is_folder THEN last_sign ELSE chr(1) END;
                IF low COLLATE "C" <= found_name THEN
                    low := found_name || chr(1);
                END IF;
            END IF;
            CONTINUE WHEN path = last_path;
            last_path := path;
            IF filter = '' OR starts_with(lower(substr(path, length(folder) + 1)), lower(filter)) THEN
                RETURN NEXT;
                count := count + 1;
                IF count = most THEN
                    CLOSE names;
                    RETURN;
                END IF;
            END IF;
            EXIT WHEN is_folder;
        END LOOP;
        CLOSE names;
        EXIT WHEN NOT is_found;
    END LOOP;
END $$;
