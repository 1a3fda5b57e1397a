import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletRest

/// The tables of this repository's functions, by REST: nobody sees or changes rows of another tenant.
@Suite(.needsDatabase, .hangLimit) struct OwnTablesTests {
    @Test func `a user reaches the rows of their tenant only, in every table`() async throws {
        let application = try await TestApplication.start { parts in
            [
                RestAPI(
                    database: parts.database,
                    authentication: Authentication(verifier: parts.verifier),
                    settings: RestSettings()
                ).function
            ]
        }
        let tables = try await application.database.query(
            """
            SELECT c.relname::text AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY 1
            """
        ).compactMap { $0["name"] }
        #expect(tables.count > 15)
        try seed(tables, application)
        let mine = try TestApplication.token(
            tenant: "00000000-0000-4000-8000-00000000000a",
            user: "00000000-0000-4000-8000-0000000000aa",
            level: 4
        )
        for table in tables {
            let path = "/rest/v1/\(table)"
            let open = try await application.send(.get, path)
            #expect(open.status == .unauthorized, "\(table) without a token")
            let read = try await application.send(
                .get,
                "\(path)?select=tenant_id",
                token: mine,
                "",
                headers: [("Prefer", "count=exact")]
            )
            guard read.status == .ok || read.status == 206 else {
                // Closed altogether is as well.
                #expect(read.status == .forbidden, "\(table): \(read.text)")
                continue
            }
            let rows = try JSONParser.parse(read.body).array ?? []
            #expect(rows.allSatisfy { $0["tenant_id"]?.string != Self.other }, "\(table)")
            let other = "\(path)?select=tenant_id&tenant_id=eq.\(Self.other)"
            let counted = try await application.send(
                .head,
                other,
                token: mine,
                "",
                headers: [("Prefer", "count=exact")]
            )
            #expect(counted.headers["Content-Range"] == "*/0", "\(table)")
            let deleted = try await application.send(
                .delete,
                other,
                token: mine,
                "",
                headers: [("Prefer", "count=exact")]
            )
            #expect(
                deleted.headers["Content-Range"] == "*/0" || deleted.status == .forbidden,
                "\(table): \(deleted.text)"
            )
        }
        await application.stop()
    }

    private static let other = "00000000-0000-4000-8000-00000000000b"

    /// A row of the other tenant wherever one can be made of defaults; triggers and keys are off meanwhile.
    private func seed(_ tables: [String], _ application: TestApplication) throws {
        try application.execute(
            """
            SET session_replication_role = replica;
            DO $$ DECLARE target record; made text; BEGIN
                FOR target IN SELECT c.oid, c.relname, string_agg(quote_ident(a.attname), ', ') AS names,
                    string_agg(CASE WHEN a.attname = 'tenant_id' THEN quote_literal('\(Self.other)')
                        WHEN t.typname = 'uuid' THEN 'gen_random_uuid()' WHEN t.typcategory = 'N' THEN '1'
                        WHEN t.typcategory = 'D' THEN 'now()' WHEN t.typcategory = 'B' THEN 'false'
                        WHEN t.typname IN ('json', 'jsonb') THEN quote_literal('{}') ELSE quote_literal('x') END, ', ') AS items
                    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                    JOIN pg_type t ON t.oid = a.atttypid
                    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attgenerated = ''
                        AND (a.attnotnull AND NOT a.atthasdef OR a.attname = 'tenant_id')
                        AND EXISTS (SELECT FROM pg_attribute x WHERE x.attrelid = c.oid AND x.attname = 'tenant_id')
                    GROUP BY c.oid, c.relname LOOP
                    BEGIN EXECUTE format('INSERT INTO %s (%s) VALUES (%s)', target.oid::regclass, target.names, target.items);
                    EXCEPTION WHEN others THEN NULL; END;
                END LOOP;
            END $$;
            """
        )
    }
}
