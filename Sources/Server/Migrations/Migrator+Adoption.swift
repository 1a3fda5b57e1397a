import SwiftletPostgres

/// Tables that an app finds in a database: every object that we did not make is somebody's.
///
/// An app takes a table of its name if the table has the columns that the app cannot do without, and only adds columns.
/// If any table lacks some, nothing is applied.
extension Migrator {
    /// The tables that pending files of apps would make and that exist already. Throws all clashes at once.
    func findAdoptions(on connection: borrowing BlockingConnection) throws(MigrationError) -> [Adoption] {
        let pending = Set(try entries(on: connection).filter(\.isPending).map { "\($0.owner)/\($0.name)" })
        let files = files.filter { !$0.isPlatform && $0.owner != MigrationFile.application }
        var ours: Set<String> = []
        if try records(on: connection).contains(where: { $0.name == Self.formerDevices }) { ours.insert("devices") }
        for file in files where !pending.contains("\(file.owner)/\(file.name)") {
            ours.formUnion(file.tables.map(\.name))
        }
        var adoptions: [Adoption] = []
        var clashes: [String] = []
        for file in files {
            for table in file.tables where ours.insert(table.name).inserted {
                guard let columns = try columns(of: table.name, connection) else { continue }
                let missing = table.columns.filter { !columns.contains($0) }
                if !table.mayExist {
                    clashes.append("the app \(file.owner) makes a table \(table.name), and there is one")
                } else if missing.isEmpty {
                    adoptions.append(Adoption(table: table.name, owner: file.owner))
                } else {
                    clashes.append(
                        "the app \(file.owner) needs \(missing.joined(separator: ", ")) in the table \(table.name) that is there"
                    )
                }
            }
        }
        guard clashes.isEmpty else { throw .clashes(clashes) }
        return adoptions
    }

    /// The file by which version 0.1 made `devices` itself.
    static let formerDevices = "0015_devices"

    /// A table that is taken as it is.
    struct Adoption: Equatable {
        let table: String
        let owner: String
    }

    /// Records what is adopted, and returns whether any table is. Then their shape is remembered.
    func adopt(_ adoptions: [Adoption], on connection: borrowing BlockingConnection) throws(MigrationError) -> Bool {
        // Files alone, without those of the platform.
        guard try columns(of: "swiftlet.adopted_tables", connection) != nil else { return false }
        for adoption in adoptions {
            _ = try rows(
                connection,
                "INSERT INTO swiftlet.adopted_tables (name, owner) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                [adoption.table, adoption.owner]
            )
        }
        let hasAdopted = try rows(connection, "SELECT EXISTS (SELECT FROM swiftlet.adopted_tables)", []) == [["t"]]
        if hasAdopted { try execute(connection, Self.rememberAdopted) }
        return hasAdopted
    }

    /// nil if there is no such table.
    private func columns(
        of table: String,
        _ connection: borrowing BlockingConnection
    ) throws(MigrationError) -> Set<String>? {
        let text = """
            SELECT attname FROM pg_attribute
            WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped
            """
        guard try rows(connection, "SELECT to_regclass($1) IS NOT NULL", [table]) == [["t"]] else { return nil }
        return Set(try rows(connection, text, [table]).compactMap { $0[0] })
    }

    /// Remembers what adopted tables look like, until the transaction ends.
    static let rememberAdopted = """
        CREATE TEMP TABLE swiftlet_before ON COMMIT DROP AS
            SELECT to_regclass(name)::oid AS relation, relrowsecurity, relforcerowsecurity
            FROM swiftlet.adopted_tables JOIN pg_class ON pg_class.oid = to_regclass(name);
        CREATE TEMP TABLE swiftlet_before_objects ON COMMIT DROP AS
            SELECT 'pg_policy'::regclass::oid AS class, oid FROM pg_policy
                WHERE polrelid IN (SELECT relation FROM swiftlet_before)
            UNION ALL SELECT 'pg_constraint'::regclass, oid FROM pg_constraint
                WHERE conrelid IN (SELECT relation FROM swiftlet_before)
                    OR confrelid IN (SELECT relation FROM swiftlet_before)
            UNION ALL SELECT 'pg_trigger'::regclass, oid FROM pg_trigger
                WHERE tgrelid IN (SELECT relation FROM swiftlet_before)
            UNION ALL SELECT 'pg_class'::regclass, indexrelid FROM pg_index
                WHERE indrelid IN (SELECT relation FROM swiftlet_before);
        CREATE TEMP VIEW swiftlet_grants AS
            SELECT c.oid AS relation, NULL::name AS attribute, g.grantee, g.privilege_type
                FROM pg_class AS c, aclexplode(c.relacl) AS g
            UNION ALL SELECT attrelid, attname, g.grantee, g.privilege_type
                FROM pg_attribute, aclexplode(attacl) AS g WHERE NOT attisdropped;
        CREATE TEMP TABLE swiftlet_before_grants ON COMMIT DROP AS
            SELECT * FROM swiftlet_grants WHERE relation IN (SELECT relation FROM swiftlet_before);
        """

    /// Forgets it before the transaction ends.
    static let dropRemembered = """
        DROP TABLE pg_temp.swiftlet_before, pg_temp.swiftlet_before_objects, pg_temp.swiftlet_before_grants
        """

    /// Takes back what a file has changed in adopted tables beside new columns.
    static let restoreAdopted = """
        DO $restore$
        DECLARE
            found record;
            role text;
        BEGIN
            FOR found IN SELECT conrelid::regclass AS target, conname FROM pg_constraint
                WHERE (conrelid IN (SELECT relation FROM swiftlet_before)
                        OR confrelid IN (SELECT relation FROM swiftlet_before))
                    AND oid NOT IN (SELECT oid FROM swiftlet_before_objects)
            LOOP
                EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.target, found.conname);
            END LOOP;
            FOR found IN SELECT polrelid::regclass AS target, polname FROM pg_policy
                WHERE polrelid IN (SELECT relation FROM swiftlet_before)
                    AND oid NOT IN (SELECT oid FROM swiftlet_before_objects)
            LOOP
                EXECUTE format('DROP POLICY %I ON %s', found.polname, found.target);
            END LOOP;
            FOR found IN SELECT tgrelid::regclass AS target, tgname FROM pg_trigger
                WHERE tgrelid IN (SELECT relation FROM swiftlet_before) AND NOT tgisinternal
                    AND oid NOT IN (SELECT oid FROM swiftlet_before_objects)
            LOOP
                EXECUTE format('DROP TRIGGER %I ON %s', found.tgname, found.target);
            END LOOP;
            FOR found IN SELECT indexrelid::regclass AS target FROM pg_index
                WHERE indrelid IN (SELECT relation FROM swiftlet_before)
                    AND indexrelid NOT IN (SELECT oid FROM swiftlet_before_objects)
            LOOP
                EXECUTE format('DROP INDEX %s', found.target);
            END LOOP;
            FOR found IN SELECT relation::regclass AS target, before.relrowsecurity, before.relforcerowsecurity
                FROM swiftlet_before AS before JOIN pg_class AS now ON now.oid = relation
                WHERE (before.relrowsecurity, before.relforcerowsecurity)
                    IS DISTINCT FROM (now.relrowsecurity, now.relforcerowsecurity)
            LOOP
                EXECUTE format(
                    'ALTER TABLE %s %s ROW LEVEL SECURITY, %s ROW LEVEL SECURITY', found.target,
                    CASE WHEN found.relrowsecurity THEN 'ENABLE' ELSE 'DISABLE' END,
                    CASE WHEN found.relforcerowsecurity THEN 'FORCE' ELSE 'NO FORCE' END
                );
            END LOOP;
            FOR found IN SELECT relation::regclass AS target, attribute, grantee, privilege_type FROM swiftlet_grants
                WHERE relation IN (SELECT relation FROM swiftlet_before)
                EXCEPT SELECT relation::regclass, attribute, grantee, privilege_type FROM swiftlet_before_grants
            LOOP
                role := CASE WHEN found.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(found.grantee)) END;
                EXECUTE format(
                    'REVOKE %s%s ON %s FROM %s', found.privilege_type,
                    coalesce('(' || quote_ident(found.attribute) || ')', ''), found.target, role
                );
            END LOOP;
        END $restore$;
        DROP VIEW pg_temp.swiftlet_grants;
        """
}
