import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

/// Every list and every form of the app, on databases that are not ours.
@Suite(.needsDatabase, .hangLimit)
struct DriftTests {
    private static let lists = [
        "activities", "business-records", "contacts", "contract-renewal/upcoming", "contracts", "customers",
        "equipment",
        "invoices", "leads", "meter-readings", "notifications", "opportunities", "proposal-templates", "proposals",
        "quotes", "search?q=ab", "service-tickets", "service-tickets/dispatch-load", "service-tickets/stats", "tasks",
        "tasks/stats", "team-reports/activities", "team-reports/leaderboard", "team-reports/no-touch",
        "team-reports/pipeline", "today-dashboard",
    ]

    private static let forms: [(path: String, body: String)] = [
        ("customers", #"{"company_name":"C"}"#), ("leads", #"{"company_name":"L"}"#),
        ("contacts", #"{"last_name":"N"}"#), ("contracts", #"{"title":"T"}"#),
        ("equipment", #"{"name":"M"}"#), ("invoices", #"{"notes":"n"}"#),
        ("opportunities", #"{"company_name":"D"}"#), ("proposal-templates", #"{"name":"P"}"#),
        ("proposals", #"{"title":"P","line_items":[{"description":"x"}]}"#),
        ("quotes", #"{"title":"Q","line_items":[{"description":"x"}]}"#),
        ("service-tickets", #"{"title":"S"}"#), ("tasks", #"{"title":"T","tags":["a"]}"#),
    ]

    private static let dropForeignKeys = """
        DO $$ DECLARE c record; BEGIN
            FOR c IN SELECT conrelid::regclass AS t, conname FROM pg_constraint
                     WHERE contype = 'f' AND connamespace = 'public'::regnamespace LOOP
                EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', c.t, c.conname);
            END LOOP;
        END $$;
        """

    /// Every key of our own functions' tables, and nothing that refers to them.
    private static let uuidKeys = """
        DO $$ DECLARE t text; BEGIN
            FOREACH t IN ARRAY ARRAY['business_records', 'business_record_activities', 'company_contacts', 'contracts',
                'deal_stages', 'deals', 'equipment', 'invoices', 'invoice_line_items', 'meter_readings', 'proposals',
                'proposal_line_items', 'proposal_templates', 'quotes', 'quote_line_items', 'service_tickets',
                'service_ticket_updates', 'tasks'] LOOP
                EXECUTE format('ALTER TABLE %I ALTER id DROP DEFAULT, ALTER id TYPE uuid USING id::uuid', t);
            END LOOP;
        END $$;
        """

    /// What may be null, or has a default, goes; what our own rules cannot do without stays.
    private static let dropColumns = """
        DO $$ DECLARE c record; BEGIN
            FOR c IN SELECT table_name AS t, column_name AS n FROM information_schema.columns
                     WHERE table_schema = 'public' AND column_name NOT IN ('id', 'tenant_id')
                     AND (is_nullable = 'YES' OR column_default IS NOT NULL)
                     AND table_name NOT IN ('tenants', 'users', 'roles', 'teams', 'login_attempts') LOOP
                EXECUTE format('ALTER TABLE public.%I DROP COLUMN %I CASCADE', c.t, c.n);
            END LOOP;
        END $$;
        """

    private static let dropTables = """
        DO $$ DECLARE t text; BEGIN
            FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('tenants', 'users')
            LOOP EXECUTE format('DROP TABLE public.%I CASCADE', t); END LOOP;
        END $$;
        """

    private func withDrift(_ sql: String, _ body: (Shop, _ boss: Shop.Caller) async throws -> Void) async throws {
        try await Shop.with { shop in
            try shop.server.execute(sql)
            try await shop.server.database.reloadSchema()
            try await body(shop, try shop.caller("boss", level: 4))
        }
    }

    @Test func `with ids of another type every list and form works`() async throws {
        try await withDrift(Self.dropForeignKeys + Self.uuidKeys) { shop, boss in
            for form in Self.forms {
                let made = try await shop.alice.send(.post, "/\(form.path)", form.body)
                #expect(made.status == .created, "\(form.path): \(made.text)")
                let id = try JSONParser.parse(made.body)["id"]?.string ?? ""
                let read = try await shop.alice.send(.get, "/\(form.path)/\(id)")
                #expect(read.status == .ok, "\(form.path): \(read.text)")
            }
            for list in Self.lists {
                let answer = try await boss.send(.get, "/\(list)")
                #expect(answer.status == .ok, "\(list): \(answer.text)")
            }
        }
    }

    @Test func `without what may be missing every list is served, and no form breaks`() async throws {
        try await withDrift(Self.dropForeignKeys + Self.dropColumns) { shop, boss in
            for form in Self.forms {
                let made = try await shop.alice.send(.post, "/\(form.path)", form.body)
                #expect(made.status.rawValue < 500, "\(form.path): \(made.text)")
            }
            for list in Self.lists where !list.hasPrefix("team-reports") {
                let answer = try await boss.send(.get, "/\(list)")
                #expect(answer.status.rawValue < 500, "\(list): \(answer.text)")
            }
        }
    }

    @Test func `without tables lists are empty, and forms say what is missing`() async throws {
        try await withDrift(Self.dropTables) { shop, boss in
            for list in Self.lists {
                let answer = try await boss.send(.get, "/\(list)")
                #expect(answer.status == .ok, "\(list): \(answer.text)")
                guard let rows = try JSONParser.parse(answer.body)["data"] else { continue }
                #expect(rows == [], "\(list)")
            }
            for form in Self.forms {
                let made = try await shop.alice.send(.post, "/\(form.path)", form.body)
                #expect((400..<500).contains(made.status.rawValue), "\(form.path): \(made.text)")
            }
        }
    }
}
