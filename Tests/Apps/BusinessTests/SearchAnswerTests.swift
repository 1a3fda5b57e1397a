import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletBusiness

/// `/search` beside the statements that it is to answer as, written out here with each text in them.
@Suite(.needsDatabase, .hangLimit)
struct SearchAnswerTests {
    /// Kind, table, type, title, subtitle, and the columns in the order in which they are named.
    private static let kinds: [(table: String, type: String, title: String, subtitle: String, columns: [String])] = [
        (
            "business_records",
            "CASE WHEN lower(t.record_type::text) IN ('lead', 'prospect') THEN 'lead' ELSE 'customer' END",
            "t.company_name", "t.primary_contact_name",
            ["company_name", "customer_number", "primary_contact_name", "primary_contact_email"]
        ),
        (
            "company_contacts", "'contact'", "concat_ws(' ', t.first_name, t.last_name)", "t.email",
            ["last_name", "first_name", "email"]
        ),
        ("service_tickets", "'ticket'", "t.title", "t.ticket_number", ["ticket_number", "title"]),
        ("tasks", "'task'", "t.title", "t.status::text", ["title"]),
        ("deals", "'opportunity'", "t.title", "t.company_name", ["title", "company_name"]),
    ]

    private static let words = [
        "Acme", "acme", "ACME Ltd", "Müller", "mu\u{308}ller", "Straße", "ΟΔΟΣ", "İzmir", "100%", "a_b", "c\\d", "東京駅",
        "x",
        "de", "O'Neil", "jam", "Jammer", "rainjam", "مدينة",
    ]

    private static func text(_ generator: inout SeededGenerator) -> String {
        (0...generator.below(3)).map { _ in words[generator.below(words.count)] }.joined(separator: " ")
    }

    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }

    private static func rows(_ generator: inout SeededGenerator) -> String {
        var rows = """
            INSERT INTO deal_stages (id, tenant_id, name) VALUES ('s', 'tenant-a', 'new'), ('s2', 'tenant-b', 'new');
            """
        for number in 0..<60 {
            let tenant = number % 3 == 0 ? "tenant-b" : "tenant-a"
            let stage = number % 3 == 0 ? "s2" : "s"
            let texts = (0..<10).map { _ in quoted(text(&generator)) }
            let owner = number % 2 == 0 ? "alice" : "carol"
            rows += """

                INSERT INTO business_records (id, tenant_id, company_name, primary_contact_name, created_by, record_type)
                VALUES ('r\(number)', '\(tenant)', \(texts[0]), \(texts[1]), 'alice', '\(number % 4 == 0 ? "lead" : "customer")');
                INSERT INTO company_contacts (id, tenant_id, last_name, first_name, owner_id, company_id)
                VALUES ('c\(number)', '\(tenant)', \(texts[2]), \(number % 5 == 0 ? "NULL" : texts[3]), '\(owner)', 'r\(number)');
                INSERT INTO service_tickets (id, tenant_id, ticket_number, title, created_by, status)
                VALUES ('k\(number)', '\(tenant)', 'T-\(number)', \(texts[4]), 'alice', 'open');
                INSERT INTO tasks (id, tenant_id, title, created_by, status)
                VALUES ('t\(number)', '\(tenant)', \(texts[5]), 'alice', 'todo');
                INSERT INTO deals (id, tenant_id, title, owner_id, stage_id, created_by_id, amount, probability, status)
                VALUES ('d\(number)', '\(tenant)', \(texts[6]), 'alice', '\(stage)', 'alice', 1, 50, 'open');
                """
        }
        return rows
    }

    private struct Found: Hashable {
        let rank: Int
        let title: String
        let id: String
        let rest: [String?]
    }

    /// The answer's rows, each of id, type, title, subtitle and field.
    private static func expected(
        _ text: String,
        _ limit: Int,
        ownContacts user: String?,
        _ connection: borrowing BlockingConnection
    ) throws -> [[String?]] {
        var found: [Found] = []
        let plain = quoted(text)
        let escaped = String(text.flatMap { "%_\\".contains($0) ? ["\\", $0] : [$0] })
        let (start, anywhere) = (quoted(escaped + "%"), quoted("%" + escaped + "%"))
        for kind in kinds {
            let holds = kind.columns.map { "t.\($0) ILIKE \(anywhere)" }.joined(separator: " OR ")
            let field = kind.columns.map { "WHEN t.\($0) ILIKE \(anywhere) THEN '\($0)'" }.joined(separator: " ")
            let isExact = kind.columns.map { "lower(t.\($0)) = lower(\(plain))" }.joined(separator: " OR ")
            let begins = kind.columns.map { "t.\($0) ILIKE \(start)" }.joined(separator: " OR ")
            let own = user.map { kind.table == "company_contacts" ? " AND t.owner_id = '\($0)'" : "" } ?? ""
            found += try connection.query(
                """
                SELECT t.id::text, \(kind.type), \(kind.title), \(kind.subtitle), CASE \(field) END,
                    CASE WHEN \(isExact) THEN 0 WHEN \(begins) THEN 1 ELSE 2 END AS rank
                FROM \(kind.table) t WHERE t.tenant_id = 'tenant-a' AND (\(holds))\(own)
                ORDER BY rank, 3, 1 LIMIT \(limit)
                """
            ).map { Found(rank: Int($0[5] ?? "") ?? 9, title: $0[2] ?? "", id: $0[0] ?? "", rest: Array($0[..<5])) }
        }
        return found.sorted { ($0.rank, $0.title, $0.id) < ($1.rank, $1.title, $1.id) }.prefix(limit).map(\.rest)
    }

    private static func answered(_ shop: Shop, _ text: String, _ limit: Int) async throws -> [[String?]] {
        let json = try await shop.alice.json(.get, "/search?q=\(PercentCoding.encode(text))&limit=\(limit)")
        return json["results"]?.array?.map { row in
            ["id", "type", "title", "subtitle", "match_field"].map { row[$0]?.string }
        } ?? []
    }

    /// A part of what is there, so that something is found.
    private static func sought(_ generator: inout SeededGenerator) -> String {
        let text = Array(Self.text(&generator))
        let begin = generator.below(max(1, text.count - 1))
        let part = text[begin..<min(text.count, begin + 2 + generator.below(5))]
        return String(part)
    }

    @Test func `finds what a scan for each text finds, in its order, with every index and with none`() async throws {
        var generator = SeededGenerator(seed: 0x5EA7C4)
        let rows = Self.rows(&generator)
        try await Shop.with { shop in
            try shop.server.execute(rows)
            let connection = try BlockingConnection.connect(to: shop.server.databaseURL)
            var hits = 0
            for extensions in [
                "SELECT 1", "DROP EXTENSION IF EXISTS btree_gin CASCADE", "DROP EXTENSION IF EXISTS pg_trgm CASCADE",
            ] {
                try connection.execute(extensions)
                for _ in 0..<80 {
                    let text = Self.sought(&generator)
                    let isEdged = text.first?.isWhitespace == true || text.last?.isWhitespace == true
                    guard !isEdged, text.count(where: { !$0.isWhitespace }) >= 2 else { continue }
                    let limit = [1, 5, 20, 50][generator.below(4)]
                    let expected = try Self.expected(text, limit, ownContacts: "alice", connection)
                    #expect(try await Self.answered(shop, text, limit) == expected, "\(text) \(limit) \(extensions)")
                    hits += expected.count
                }
            }
            #expect(hits > 500)
        }
    }

    @Test func `is planned once for all texts that an index finds, and looks among the tenant's rows`() throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        try connection.execute(
            """
            INSERT INTO business_records
                (tenant_id, company_name, customer_number, primary_contact_name, primary_contact_email, created_by)
            SELECT 't' || n % 10, md5('a' || n), 'C-' || n, md5('b' || n), md5('c' || n), 'ann'
            FROM generate_series(1, 11000) n
            """
        )
        // The index has what was just added in a list, which would be most of the cost of every plan.
        try connection.execute("VACUUM ANALYZE business_records")
        let tenant = try #require(TenantID(rawValue: "t1"))
        let kind = try #require(searchedKinds.first { $0.table.description == "business_records" })
        let statement = kind.statement("abcd", tenant, 20, and: "TRUE").text
        // Where PostgreSQL sees the text, it plans for each.
        for (text, generic) in [(statement, true), (statement.replacing("OFFSET 0", with: ""), false)] {
            try connection.execute("DEALLOCATE ALL; PREPARE s AS \(text)")
            for _ in 0..<8 { _ = try connection.query("EXECUTE s ('abcd', 'abcd%', '%abcd%', 't1', 20)") }
            let plans = try connection.query("SELECT generic_plans > 0 FROM pg_prepared_statements")
            #expect(plans == [[generic ? "t" : "f"]], "\(text)")
        }
        // What has no trigram is looked for in the tenant's rows, also by a plan for all texts.
        try connection.execute("SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off")
        for text in ["ab", "a b c", "%a_", "ab-cd"] {
            try connection.execute("DEALLOCATE ALL; PREPARE s AS \(kind.statement(text, tenant, 20, and: "TRUE").text)")
            let plan = try connection.query("EXPLAIN EXECUTE s ('ab', 'ab%', '%ab%', 't1', 20)").compactMap { $0[0] }
            let conditions = plan.filter { $0.contains("Index Cond") }
            #expect(!conditions.isEmpty && !conditions.contains { $0.contains("~~*") }, "\(text): \(plan)")
        }
        let indexes = try connection.query(
            "SELECT indexname FROM pg_indexes WHERE indexname LIKE 'business_records%search'"
        )
        #expect(indexes == [["business_records_tenant_search"]])
    }
}
