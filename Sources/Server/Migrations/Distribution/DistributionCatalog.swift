import SwiftletPostgres

/// What the catalog says of the tables, and the statements that follow from it. Names are quoted by PostgreSQL.
struct DistributionCatalog {
    let distributed: [String]
    let references: [String]
    let local: [String]

    init(_ connection: borrowing BlockingConnection, references names: [String]) throws(BlockingConnectionError) {
        func tables(_ condition: String) throws(BlockingConnectionError) -> [String] {
            try connection.query(
                """
                SELECT c.relname FROM pg_class c
                WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
                    AND \(condition)
                ORDER BY c.relname
                """,
                [ArrayLiteral.text(names)]
            ).compactMap { $0[0] }
        }
        let hasTenant = """
            EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND a.attnotnull)
            """
        distributed = try tables("c.relname <> ALL ($1::text[]) AND \(hasTenant)")
        references = try tables("c.relname = ANY ($1::text[])")
        local = try tables("c.relname <> ALL ($1::text[]) AND NOT \(hasTenant)")
    }

    /// The steps, in their order.
    enum Part: CaseIterable {
        case session, events, searches, foreignKeys, policies, constraints, indexes, tables, references

        var reason: String {
            switch self {
            case .session: "What the engine needs to be told in this transaction"
            case .events:
                "NOTIFY is not allowed in a distributed transaction: servers read the schema after the last step"
            case .searches:
                "Triggers of searches write on the coordinator, which those of distributed tables cannot: these are searched no longer"
            case .foreignKeys: "Foreign keys are made again, with the tenant, when their tables are distributed"
            case .policies: "Policies may have no subquery"
            case .constraints: "Primary and unique keys hold the tenant"
            case .indexes: "So do unique indexes"
            case .tables: "Reference tables are on every node, and a tenant's rows on one"
            case .references: "Foreign keys hold the tenant, and set nothing in the rows that refer"
            }
        }
    }

    func statements(
        _ part: Part,
        _ connection: borrowing BlockingConnection
    ) throws(BlockingConnectionError) -> [String] {
        if part == .policies { return try policies(connection).flatMap { $0.statements ?? [] } }
        let text =
            switch part {
            case .session: Self.session
            case .events: Self.events
            case .searches: try Self.searches(connection)
            case .foreignKeys: Self.droppedForeignKeys
            case .policies: ""
            case .constraints: Self.constraints
            case .indexes: Self.indexes
            case .tables: try Self.tables(connection)
            case .references: Self.newForeignKeys
            }
        let parameters = [ArrayLiteral.text(distributed), ArrayLiteral.text(references)]
        // Each has the same two parameters, whether it needs both of them or not.
        return try connection.query(
            "SELECT step.sql FROM (\(text)) AS step (place, sql) WHERE ($1::text[] || $2::text[]) IS NOT NULL ORDER BY place",
            parameters
        ).compactMap { $0[0] }
    }

    func faults(
        _ connection: borrowing BlockingConnection,
        named names: [String]
    ) throws(BlockingConnectionError) -> [String] {
        var faults = names.filter { name in
            !references.contains(name) && !DistributionPlan.usualReferences.contains(name)
        }
        .map { "there is no table \($0) in public" }
        if distributed.isEmpty {
            faults.append("there is nothing to distribute: no table of public has a tenant_id that is NOT NULL")
        }
        faults += try connection.query(
            """
            SELECT format('%s.tenant_id is %s and not of the type of most tables: such rows cannot be next to each other',
                attrelid::regclass, format_type(atttypid, -1))
            FROM pg_attribute WHERE attname = 'tenant_id' AND attrelid IN (\(Self.ids("$1")))
                AND atttypid <> (
                    SELECT mode() WITHIN GROUP (ORDER BY atttypid) FROM pg_attribute
                    WHERE attname = 'tenant_id' AND attrelid IN (\(Self.ids("$1")))
                )
            ORDER BY 1
            """,
            [ArrayLiteral.text(distributed)]
        ).compactMap { $0[0] }
        faults += try connection.query(
            """
            SELECT format('%s stays on the coordinator and refers to %s: give it a tenant_id that is not null, or name it with --reference',
                k.conrelid::regclass, k.confrelid::regclass)
            FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class p ON p.oid = k.confrelid
            WHERE k.contype = 'f' AND k.conrelid <> k.confrelid AND p.relnamespace = 'public'::regnamespace
                AND p.relname = ANY ($1::text[])
                AND (c.relnamespace <> 'public'::regnamespace OR c.relname <> ALL ($1::text[]))
            ORDER BY 1
            """,
            [ArrayLiteral.text(distributed)]
        ).compactMap { $0[0] }
        faults += try connection.query(
            """
            SELECT format('%s has the exclusion constraint %s: drop it', conrelid::regclass, conname)
            FROM pg_constraint WHERE contype = 'x' AND conrelid IN (\(Self.ids("$1")))
            ORDER BY 1
            """,
            [ArrayLiteral.text(distributed)]
        ).compactMap { $0[0] }
        faults += try policies(connection).filter { $0.statements == nil }.map { policy in
            "the policy \(policy.name) of \(policy.table) reads a table: write it with functions and columns alone"
        }
        return faults
    }

    /// The ids of named tables of `public`.
    static func ids(_ names: String) -> String {
        "SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname = ANY (\(names)::text[])"
    }
}
