import SwiftletMigrations
import SwiftletPostgres
import SwiftletTesting
import Testing

/// Keys of every kind on their way to a distributed database.
@Suite(.needsDatabase, .hangLimit)
struct DistributedKeyTests {
    /// Plans and applies what distributes the tables, and gives the definitions of all keys by name.
    private func keys(after schema: String) throws -> (plan: DistributionPlan, definitions: [String: String]) {
        let connection = try BlockingConnection.connect(to: TestDatabase.createEmpty())
        try connection.execute(DistributionPlanTests.stubs)
        try connection.execute(schema)
        let plan = try DistributionPlan(connection)
        #expect(plan.faults == [])
        try plan.apply(connection)
        #expect(try DistributionPlan(connection).changes == [])
        let rows = try connection.query(
            """
            SELECT conname::text, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
            UNION ALL
            SELECT i.indexrelid::regclass::text, regexp_replace(pg_get_indexdef(i.indexrelid), '.* USING btree ', '')
            FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
            WHERE c.relnamespace = 'public'::regnamespace
                AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid)
            """
        )
        var definitions: [String: String] = [:]
        for row in rows { definitions[row[0] ?? ""] = row[1] }
        return (plan, definitions)
    }

    @Test func `unique keys and indexes keep all that is not a column`() throws {
        let (plan, definitions) = try keys(
            after: """
                CREATE TABLE a (
                    id int, tenant_id varchar NOT NULL, b int, c int, d int, e int, "F g" int, h int,
                    CONSTRAINT a_id PRIMARY KEY (id) INCLUDE (h) WITH (fillfactor = 70),
                    CONSTRAINT a_b UNIQUE NULLS NOT DISTINCT (b),
                    CONSTRAINT a_c UNIQUE (c) DEFERRABLE INITIALLY DEFERRED,
                    CONSTRAINT a_d UNIQUE (d, "F g") INCLUDE (e) DEFERRABLE
                );
                CREATE UNIQUE INDEX a_e ON a (e) NULLS NOT DISTINCT WHERE h > 0;
                CREATE UNIQUE INDEX a_h ON a (h) INCLUDE (e);
                ALTER TABLE a ALTER h SET NOT NULL, REPLICA IDENTITY USING INDEX a_h;
                """
        )
        #expect(plan.changes == [])
        let settings = ["ALTER INDEX a_id SET (fillfactor=70)", "ALTER TABLE a REPLICA IDENTITY USING INDEX a_h"]
        #expect(plan.steps.map(\.sql).filter { $0.hasPrefix("ALTER") && $0.contains(" INDEX ") } == settings)
        #expect(
            definitions == [
                "a_id": "PRIMARY KEY (tenant_id, id) INCLUDE (h)",
                "a_b": "UNIQUE NULLS NOT DISTINCT (tenant_id, b)",
                "a_c": "UNIQUE (tenant_id, c) DEFERRABLE INITIALLY DEFERRED",
                "a_d": #"UNIQUE (tenant_id, d, "F g") INCLUDE (e) DEFERRABLE"#,
                "a_e": "(tenant_id, e) NULLS NOT DISTINCT WHERE (h > 0)",
                "a_h": "(tenant_id, h) INCLUDE (e)",
            ]
        )
    }

    @Test func `foreign keys keep what the engine takes, and the plan says what else they had`() throws {
        let (plan, definitions) = try keys(
            after: """
                CREATE TABLE tenants (id varchar PRIMARY KEY);
                CREATE TABLE kinds (id int PRIMARY KEY);
                CREATE TABLE a (id int PRIMARY KEY, tenant_id varchar NOT NULL, c int, UNIQUE (tenant_id, id), UNIQUE (id, c));
                CREATE TABLE b (
                    tenant_id varchar NOT NULL, n int, m int DEFAULT 0,
                    CONSTRAINT tenant FOREIGN KEY (tenant_id) REFERENCES tenants ON UPDATE CASCADE DEFERRABLE,
                    CONSTRAINT kind FOREIGN KEY (n) REFERENCES kinds,
                    CONSTRAINT no_action FOREIGN KEY (n) REFERENCES a (id) ON DELETE NO ACTION,
                    CONSTRAINT restricted FOREIGN KEY (n) REFERENCES a (id) ON UPDATE RESTRICT ON DELETE RESTRICT,
                    CONSTRAINT cascading FOREIGN KEY (n) REFERENCES a (id) ON DELETE CASCADE DEFERRABLE,
                    CONSTRAINT renaming FOREIGN KEY (m) REFERENCES a (id) ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED,
                    CONSTRAINT emptied FOREIGN KEY (m) REFERENCES a (id) ON DELETE SET NULL,
                    CONSTRAINT reset FOREIGN KEY (tenant_id, m) REFERENCES a (tenant_id, id) ON DELETE SET DEFAULT (m) DEFERRABLE,
                    CONSTRAINT whole FOREIGN KEY (n, m) REFERENCES a (id, c) MATCH FULL,
                    CONSTRAINT bound FOREIGN KEY (m, tenant_id) REFERENCES a (id, tenant_id) ON DELETE CASCADE
                );
                ALTER TABLE b ADD CONSTRAINT unchecked FOREIGN KEY (n) REFERENCES a (id) NOT VALID;
                """
        )
        let foreign = definitions.filter { $0.value.hasPrefix("FOREIGN") }
        let n = "FOREIGN KEY (tenant_id, n) REFERENCES a(tenant_id, id)"
        let m = "FOREIGN KEY (tenant_id, m) REFERENCES a(tenant_id, id)"
        #expect(
            foreign == [
                "tenant": "FOREIGN KEY (tenant_id) REFERENCES tenants(id) DEFERRABLE",
                "no_action": n,
                "restricted": n + " ON UPDATE RESTRICT ON DELETE RESTRICT",
                "cascading": n + " ON DELETE CASCADE DEFERRABLE",
                "unchecked": n + " NOT VALID",
                "renaming": m + " DEFERRABLE INITIALLY DEFERRED",
                "emptied": m,
                "reset": m + " DEFERRABLE",
                "whole": "FOREIGN KEY (tenant_id, n, m) REFERENCES a(tenant_id, id, c)",
                "bound": "FOREIGN KEY (m, tenant_id) REFERENCES a(id, tenant_id) ON DELETE CASCADE",
            ]
        )
        let none = "which no key with the tenant can have"
        let kept = "a row that is referred to is not deleted"
        #expect(
            plan.changes == [
                "the foreign key emptied of b loses ON DELETE SET NULL, \(none): \(kept)",
                "the foreign key kind of b is dropped, as kinds stays on the coordinator",
                "the foreign key renaming of b loses ON UPDATE CASCADE, \(none): a key that is referred to is not changed",
                "the foreign key reset of b loses ON DELETE SET DEFAULT, \(none): \(kept)",
                "the foreign key tenant of b loses ON UPDATE CASCADE, \(none): a key that is referred to is not changed",
                "the foreign key whole of b loses MATCH FULL, as the tenant is never null: "
                    + "rows with nulls in some of the other columns are not checked",
            ]
        )
    }

    @Test func `names that must be quoted are, where they stand in a text too`() throws {
        let (plan, _) = try keys(
            after: """
                CREATE TABLE "Odd 'Name" (id int PRIMARY KEY, tenant_id varchar NOT NULL);
                CREATE TABLE "odd2" (id int PRIMARY KEY, tenant_id varchar NOT NULL);
                """
        )
        #expect(
            plan.steps.map(\.sql).filter { $0.contains("create_distributed_table") } == [
                #"SELECT create_distributed_table('"Odd ''Name"', 'tenant_id')"#,
                #"SELECT create_distributed_table('odd2', 'tenant_id', colocate_with => '"Odd ''Name"')"#,
            ]
        )
    }

    @Test func `a database without tables of tenants has nothing to distribute`() throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.createEmpty())
        try connection.execute("CREATE TABLE a (id int PRIMARY KEY, tenant_id text)")
        let faults = try DistributionPlan(connection).faults
        #expect(faults == ["there is nothing to distribute: no table of public has a tenant_id that is NOT NULL"])
    }
}
