import Swiftlet
import SwiftletBusiness
import SwiftletMigrations
import SwiftletPostgres
import SwiftletTesting
import Testing

/// The way to a distributed database, up to the engine's own functions: what stands in for them does nothing.
@Suite(.needsDatabase, .hangLimit)
struct DistributionPlanTests {
    static let stubs = """
        CREATE FUNCTION create_reference_table(name regclass) RETURNS void LANGUAGE sql AS '';
        CREATE FUNCTION create_distributed_table(name regclass, distribution_column text, colocate_with text = 'default')
        RETURNS void LANGUAGE sql AS '';
        """

    @Test func `the business app's tables get keys with the tenant, and everything still works`() async throws {
        let url = try TestDatabase.create()
        let connection = try BlockingConnection.connect(to: url)
        try connection.execute(Self.stubs)
        let plan = try DistributionPlan(connection)
        #expect(plan.faults == [])
        #expect(Set(plan.distributed).isSuperset(of: BusinessStory.tables))
        #expect(plan.references == ["roles", "tenants", "users"])
        #expect(!plan.local.contains { BusinessStory.tables.contains($0) })
        try plan.apply(connection)

        let tables = ArrayLiteral.text(plan.distributed)
        let ids = "SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname = ANY ($1::text[])"
        let keysWithout = try connection.query(
            """
            SELECT indexrelid::regclass FROM pg_index i WHERE indisunique AND indrelid IN (\(ids)) AND NOT EXISTS (
                SELECT FROM pg_attribute a
                WHERE a.attrelid = indrelid AND a.attnum = ANY (indkey) AND a.attname = 'tenant_id')
            """,
            [tables]
        )
        #expect(keysWithout.isEmpty, "\(keysWithout)")
        let foreign = try connection.query(
            """
            SELECT count(*), count(*) FILTER (WHERE confdeltype IN ('n', 'd')),
                count(*) FILTER (WHERE pg_get_constraintdef(oid) !~ 'KEY .tenant_id, .* REFERENCES \\w+.tenant_id, ')
            FROM pg_constraint WHERE contype = 'f' AND conrelid IN (\(ids)) AND confrelid IN (\(ids))
            """,
            [tables]
        )
        #expect(foreign[0][1...] == ["0", "0"])
        #expect(foreign[0][0].flatMap { Int($0) } ?? 0 > 20)
        let policies = try connection.query(
            "SELECT count(*), count(*) FILTER (WHERE pg_get_expr(polqual, polrelid) ~ 'SELECT') FROM pg_policy WHERE polrelid IN (\(ids))",
            [tables]
        )
        #expect(policies[0][0].flatMap { Int($0) } ?? 0 > 20)
        #expect(policies[0][1] == "0")

        // A second plan has only what the engine would be asked for: here nobody says that it was done.
        let again = try DistributionPlan(connection).steps.filter { !$0.sql.hasPrefix("S") }
        #expect(again == [])

        try await TestApplication.with(business.functions, databaseURL: url) { server in
            let story = BusinessStory(
                boss: TestCaller(server: server, token: try TestApplication.token(tenant: "a", user: "bo", level: 5)),
                beginner: TestCaller(server: server, token: try TestApplication.token(tenant: "a", user: "ann")),
                keepsWhatIsReferredTo: true
            )
            try await story.play()
        }
    }

    @Test func `policies still keep tenants apart`() async throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        try connection.execute(Self.stubs)
        try connection.execute(
            """
            INSERT INTO tasks (id, tenant_id, title, created_by) VALUES ('1', 'a', 'mine', 'ann'), ('2', 'b', 'theirs', 'bob')
            """
        )
        try DistributionPlan(connection).apply(connection)
        try connection.query(
            "SELECT set_config('request.jwt.claims', $1, false)",
            [#"{"sub":"ann","app_metadata":{"tenant_id":"a"}}"#]
        )
        try connection.execute("SET ROLE authenticated")
        #expect(try connection.query("SELECT title FROM tasks") == [["mine"]])
    }

    @Test func `tables whose rows will be elsewhere are searched no longer, and others still are`() throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        try connection.execute(Self.stubs)
        try connection.execute(
            """
            CREATE TABLE places (id text PRIMARY KEY, tenant_id text, name text);
            SELECT swiftlet.enable_search('tasks', ARRAY['title']);
            SELECT swiftlet.enable_search('places', ARRAY['name']);
            """
        )
        let plan = try DistributionPlan(connection)
        #expect(
            plan.steps.filter { $0.sql.contains("search(") }.map(\.sql) == ["SELECT swiftlet.disable_search('tasks')"]
        )
        try plan.apply(connection)
        #expect(try connection.query("SELECT kind FROM swiftlet.searched_kinds") == [["places"]])
        try connection.execute("INSERT INTO tasks (tenant_id, title, created_by) VALUES ('a', 'jam', 'ann')")
        #expect(try connection.query("SELECT count(*) FROM swiftlet.search_entries") == [["0"]])
        #expect(try !DistributionPlan(connection).steps.contains { $0.sql.contains("search(") })
    }

    private static let schema = """
        SELECT md5(string_agg(line, E'\\n' ORDER BY line)) FROM (
            SELECT concat(conrelid::regclass, pg_get_constraintdef(oid)) FROM pg_constraint WHERE conrelid <> 0
            UNION ALL SELECT pg_get_indexdef(indexrelid) FROM pg_index
            UNION ALL SELECT concat(polrelid::regclass, polname, pg_get_expr(polqual, polrelid)) FROM pg_policy
            UNION ALL SELECT concat(evtname, evtenabled) FROM pg_event_trigger
        ) AS lines (line)
        """

    @Test(arguments: ["RAISE EXCEPTION 'the node is full'", "PERFORM pg_terminate_backend(pg_backend_pid())"])
    func `a plan that ends halfway has changed nothing, and is made again`(end: String) async throws {
        let url = try TestDatabase.create()
        let connection = try BlockingConnection.connect(to: url)
        try connection.execute(Self.stubs)
        let before = try connection.query(Self.schema)
        let plan = try DistributionPlan(connection)
        // The engine fails at the fifth table.
        try connection.execute(
            """
            CREATE SEQUENCE made;
            CREATE OR REPLACE FUNCTION create_distributed_table(
                name regclass, distribution_column text, colocate_with text = 'default'
            ) RETURNS void LANGUAGE plpgsql AS $$ BEGIN IF nextval('made') = 5 THEN \(end); END IF; END $$
            """
        )
        #expect(throws: BlockingConnectionError.self) { try plan.apply(BlockingConnection.connect(to: url)) }
        #expect(try connection.query("SELECT last_value FROM made") == [["5"]])
        #expect(try connection.query(Self.schema) == before)
        #expect(try DistributionPlan(connection).steps == plan.steps)
        try plan.apply(connection)
        #expect(try connection.query(Self.schema) != before)
    }

    @Test func `what cannot be distributed is said, and nothing is planned for it`() throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.createEmpty())
        try connection.execute(
            """
            CREATE TABLE a (id text PRIMARY KEY, tenant_id text NOT NULL);
            CREATE TABLE b (id text PRIMARY KEY, tenant_id text NOT NULL);
            CREATE TABLE c (id text PRIMARY KEY, tenant_id uuid NOT NULL);
            CREATE TABLE d (id text PRIMARY KEY, a_id text REFERENCES a);
            CREATE TABLE f (id text PRIMARY KEY, tenant_id text NOT NULL);
            CREATE POLICY reading ON f USING (EXISTS (SELECT FROM a WHERE a.id = f.id));
            CREATE TABLE e (id text, tenant_id text NOT NULL, EXCLUDE USING btree (id WITH =));
            """
        )
        let plan = try DistributionPlan(connection, references: ["plans"])
        #expect(plan.faults.count == 5)
        for words in [
            "no table plans", "c.tenant_id is uuid", "d stays on the coordinator and refers to a", "exclusion",
            "the policy reading of f",
        ] {
            #expect(plan.faults.contains { $0.contains(words) }, "\(words): \(plan.faults)")
        }
    }
}
