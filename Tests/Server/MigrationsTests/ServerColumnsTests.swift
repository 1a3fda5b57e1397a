import SwiftletMigrations
import SwiftletPostgres
import SwiftletTesting
import Testing

/// What `/rest/v1` may write of the tables that the functions keep.
@Suite(.needsDatabase, .hangLimit)
struct ServerColumnsTests {
    private static let claims = #"{"sub":"ada","app_metadata":{"tenant_id":"a","role_level":1}}"#

    /// Who made a row and when is nobody's to write, in every table, also where every new table is given to everybody.
    @Test(arguments: [false, true])
    func `grants nobody what only the server writes`(isGenerous: Bool) throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.createEmpty())
        if isGenerous {
            try connection.execute(
                "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO anon, authenticated, service_role"
            )
        }
        for file in try TestDatabase.files() { try connection.execute(file.text) }
        let open = try connection.query(
            """
            SELECT c.relname || '.' || a.attname || ' ' || p.privilege || ' ' || r.rolname
            FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                CROSS JOIN (VALUES ('INSERT'), ('UPDATE')) AS p (privilege)
                CROSS JOIN (VALUES ('anon'), ('authenticated')) AS r (rolname)
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
                AND EXISTS (SELECT FROM pg_attribute t WHERE t.attrelid = c.oid AND t.attname = 'tenant_id')
                AND (a.attname IN ('created_by', 'created_by_id', 'created_at', 'updated_at', 'storage_key',
                        'comment_count', 'balance_due', 'line_total', 'converted_by')
                    OR (a.attname = 'user_id' AND c.relname IN ('task_comments', 'time_entries'))
                    OR (a.attname IN ('id', 'tenant_id') AND p.privilege = 'UPDATE'))
                AND has_column_privilege(r.rolname, c.oid, a.attnum, p.privilege)
                AND EXISTS (
                    SELECT FROM pg_policy w WHERE w.polrelid = c.oid AND w.polcmd IN ('*', 'a', 'w') AND w.polpermissive
                )
            ORDER BY 1
            """
        )
        #expect(open.compactMap { $0[0] } == [])
    }

    @Test func `a row that comes by REST has its tenant, its author and its times from the server`() throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        try connection.become("authenticated", Self.claims)
        try connection.execute("INSERT INTO tasks (id, title) VALUES ('t', 'One')")
        try connection.execute("INSERT INTO task_comments (task_id, comment) VALUES ('t', 'x')")
        #expect(
            try connection.query(
                "SELECT tenant_id, t.created_by, c.user_id FROM tasks t JOIN task_comments c USING (tenant_id)"
            ) == [["a", "ada", "ada"]]
        )
        #expect(try connection.refuses("INSERT INTO tasks (title, created_by) VALUES ('Two', 'bob')"))
        #expect(try connection.refuses("UPDATE tasks SET comment_count = 7"))
        try connection.execute("RESET ROLE")
        try connection.execute(
            "ALTER TABLE tasks DISABLE TRIGGER swiftlet_touch; UPDATE tasks SET updated_at = 'epoch'"
        )
        try connection.execute("ALTER TABLE tasks ENABLE TRIGGER swiftlet_touch; SET timezone TO 'Asia/Tokyo'")
        try connection.become("authenticated", Self.claims)
        try connection.execute("UPDATE tasks SET title = 'New'")
        #expect(
            try connection.query(
                "SELECT abs(extract(epoch FROM now() AT TIME ZONE 'UTC' - updated_at)) < 60 FROM tasks"
            )
                == [["t"]]
        )
    }

    @Test func `attachments are read without their key, and written by the server alone`() throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        try connection.execute(
            """
            INSERT INTO service_tickets (id, tenant_id, ticket_number, title, created_by) VALUES ('s', 'a', '1', 'x', 'u');
            INSERT INTO service_ticket_attachments
                (tenant_id, ticket_id, file_name, content_type, size, storage_key, uploaded_by)
            VALUES ('a', 's', 'f', 'text/plain', 1, 'key', 'u')
            """
        )
        try connection.become("authenticated", Self.claims)
        #expect(try connection.query("SELECT file_name FROM service_ticket_attachments") == [["f"]])
        #expect(try connection.refuses("SELECT storage_key FROM service_ticket_attachments"))
        #expect(try connection.refuses("DELETE FROM service_ticket_attachments"))
        #expect(try connection.refuses("UPDATE service_ticket_attachments SET file_name = 'y'"))
    }

    @Test(arguments: ["task_comments (task_id, comment)", "time_entries (task_id, hours)"])
    func `a child of another tenant's task is refused`(child: String) throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        try connection.execute("INSERT INTO tasks (id, tenant_id, title, created_by) VALUES ('t', 'b', 'x', 'u')")
        try connection.become("authenticated", Self.claims)
        let error = try #require(throws: BlockingConnectionError.self) {
            try connection.execute("INSERT INTO \(child) VALUES ('t', 1)")
        }
        #expect(error.state == "23503")
    }

    /// No table refers to a row of another by less than the tenant and the id.
    @Test func `every key between tables of tenants holds the tenant`() throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        let loose = try connection.query(
            """
            SELECT conrelid::regclass || ' ' || conname FROM pg_constraint f
            WHERE contype = 'f' AND cardinality(conkey) = 1
                AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = conrelid AND attname = 'tenant_id')
                AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = confrelid AND attname = 'tenant_id')
            """
        )
        #expect(loose == [])
    }

    @Test(arguments: [
        ("7", 7), (#""7""#, 7), ("99", 8), (#""99""#, 8), ("0", 1), ("-3", 1), ("7.5", 1), ("7.0", 7), ("0.7e1", 7),
        (#""7x""#, 1), (#""07""#, 1), (#"" 7""#, 1), ("true", 1), ("null", 1), ("[7]", 1), (#""""#, 1),
        ("9223372036854775807", 8), ("9223372036854775808", 1),
    ])
    func `policies read a level as functions do`(value: String, level: Int) throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        try connection.query(
            "SELECT set_config('request.jwt.claims', $1, false)",
            [#"{"app_metadata":{"role_level":\#(value)}}"#]
        )
        #expect(try connection.query("SELECT swiftlet_role_level()") == [["\(level)"]])
    }

    @Test func `who starts out sees their own contacts only`() throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        try connection.execute(
            "INSERT INTO company_contacts (tenant_id, last_name, owner_id) VALUES ('a', 'Own', 'ada'), ('a', 'X', 'bob')"
        )
        try connection.become("authenticated", Self.claims)
        #expect(try connection.query("SELECT last_name FROM company_contacts") == [["Own"]])
        #expect(try connection.refuses("INSERT INTO company_contacts (last_name, owner_id) VALUES ('Y', 'bob')"))
        try connection.become("authenticated", #"{"sub":"ada","app_metadata":{"tenant_id":"a","role_level":"2"}}"#)
        #expect(try connection.query("SELECT count(*) FROM company_contacts") == [["2"]])
    }
}
