import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@Suite(.needsDatabase, .hangLimit)
struct OverviewTests {
    struct AppDashboard: Decodable {
        struct Metrics: Decodable {
            let newLeads: Int?
            let todayRevenue: Double?
            let dealsWon: Int?
        }

        let taskCount: Int?
        let overdueCount: Int?
        let appointmentCount: Int?
        let pendingApprovalCount: Int?
        let metrics: Metrics?
        let openTasks: Int?
        let dueTodayTasks: Int?
        let openTickets: Int?
        let overdueInvoices: Int?
        let pipelineValue: Double?
        let monthlyRevenue: Double?
        let newLeadsToday: Int?
        let upcomingAppointments: Int?
        let degraded: [String]?
    }

    struct AppResults: Decodable {
        struct Result: Decodable {
            let id: String
            let type: String?
            let title: String?
            let subtitle: String?
            let matchField: String?
        }

        let results: [Result]
        let total: Int
        let totalResults: Int
    }

    struct AppReportRow: Decodable {
        let userId: String
        let name: String?
        let callCount: Int?
        let emailCount: Int?
        let meetingCount: Int?
        let noteCount: Int?
        let closedWonAmount: Double?
        let closedWonCount: Int?
        let rank: Int?
        let repName: String?
        let opportunityId: String?
        let customerName: String?
        let daysSinceLastActivity: Int?
        let openAmount: Double?
    }

    private static let rows = """
        INSERT INTO users (id, tenant_id, email, first_name, last_name) VALUES ('alice', 'tenant-a', 'a@a', 'Al', 'Ice');
        INSERT INTO business_records (id, tenant_id, company_name, created_by, record_type, created_at) VALUES
            ('r1', 'tenant-a', 'Acme', 'alice', 'lead', now()), ('r2', 'tenant-a', 'Big Acme', 'alice', 'customer', now()),
            ('r3', 'tenant-a', 'Old', 'alice', 'lead', date_trunc('day', now()) - interval '1 second'),
            ('r4', 'tenant-b', 'Acme', 'bob', 'lead', now());
        INSERT INTO tasks (tenant_id, title, created_by, assigned_to, status, due_date) VALUES
            ('tenant-a', 'acme today', 'alice', 'alice', 'todo', date_trunc('day', now())),
            ('tenant-a', 'late', 'alice', 'alice', 'todo', date_trunc('day', now()) - interval '1 second'),
            ('tenant-a', 'done', 'alice', 'alice', 'completed', date_trunc('day', now()) - interval '1 day'),
            ('tenant-a', 'hers', 'alice', 'carol', 'todo', date_trunc('day', now()) + interval '1 day'),
            ('tenant-b', 'theirs', 'bob', 'alice', 'todo', NULL);
        INSERT INTO business_record_activities
            (tenant_id, business_record_id, activity_type, subject, created_by, scheduled_date, created_at) VALUES
            ('tenant-a', 'r1', 'call', 'x', 'alice', date_trunc('day', now()), now()),
            ('tenant-a', 'r1', 'note', 'x', 'alice', date_trunc('day', now()) + interval '1 day', now()),
            ('tenant-a', 'r1', 'email', 'x', 'alice', NULL, now() - interval '20 days');
        INSERT INTO deal_stages (id, tenant_id, name) VALUES ('s', 'tenant-a', 'new'), ('s2', 'tenant-b', 'new');
        INSERT INTO deals (id, tenant_id, title, owner_id, stage_id, created_by_id, amount, probability, status,
                           actual_close_date, created_at) VALUES
            ('d1', 'tenant-a', 'Acme deal', 'alice', 's', 'alice', 1000, 50, 'open', NULL, now() - interval '9 days'),
            ('d2', 'tenant-a', 'Won', 'alice', 's', 'alice', 500.50, 100, 'won', date_trunc('day', now()), now()),
            ('d3', 'tenant-a', 'Long ago', 'carol', 's', 'alice', 7, 100, 'won', now() - interval '400 days', now()),
            ('d4', 'tenant-b', 'Acme theirs', 'bob', 's2', 'bob', 9, 50, 'open', NULL, now());
        """

    @Test func `the dashboard counts the caller's day, and the tenant's business`() async throws {
        try await Shop.with { shop in
            try shop.server.execute(Self.rows)
            let day: AppDashboard = try await shop.alice.decode(.get, "/api/today-dashboard")
            #expect(day.degraded == [])
            #expect(day.taskCount == 2)
            #expect(day.overdueCount == 1)
            #expect(day.openTasks == 3)
            #expect(day.dueTodayTasks == 1)
            #expect(day.appointmentCount == 1)
            #expect(day.pendingApprovalCount == 0)
            #expect(day.openTickets == 0)
            #expect(day.metrics?.newLeads == 1)
            #expect(day.newLeadsToday == 1)
            #expect(day.metrics?.dealsWon == 1)
            #expect(day.metrics?.todayRevenue == 500.5)
            #expect(day.monthlyRevenue == 500.5)
            #expect(day.pipelineValue == 1000)
            let json = try await shop.alice.json(.get, "/today-dashboard")
            #expect(json["tasks"]?.array?.count == 1 && json["overdueTasks"]?[0]?["title"] == "late")
            #expect(json["recentActivities"]?.array?.count == 3)
            let theirs: AppDashboard = try await shop.bob.decode(.get, "/today-dashboard")
            #expect(theirs.openTasks == 1)
            #expect(theirs.pipelineValue == 9)
            #expect(theirs.taskCount == 0)
        }
    }

    @Test func `the dashboard lists the caller's appointments in their order, and what waits for approval`()
        async throws
    {
        try await Shop.with { shop in
            try shop.server.execute(
                Self.rows + """
                    INSERT INTO service_tickets
                        (id, tenant_id, ticket_number, title, created_by, assigned_technician_id, status, scheduled_date)
                    SELECT id, tenant, id, 'Jam ' || id, 'bob', technician, status, date_trunc('day', now()) + after
                    FROM (VALUES
                        ('k1', 'tenant-a', 'alice', 'open', interval '23 hours'),
                        ('k2', 'tenant-a', 'alice', 'resolved', interval '1 hour'),
                        ('k3', 'tenant-a', 'carol', 'on_hold', interval '1 hour'),
                        ('k4', 'tenant-a', 'alice', 'open', interval '1 day'),
                        ('k5', 'tenant-b', 'alice', 'open', interval '1 hour')
                    ) ticket (id, tenant, technician, status, after);
                    INSERT INTO proposals (tenant_id, proposal_number, title, created_by, assigned_to, status) VALUES
                        ('tenant-a', 'P1', 'Fleet', 'alice', 'alice', 'pending_approval'),
                        ('tenant-a', 'P2', 'Sent', 'alice', 'alice', 'sent'),
                        ('tenant-b', 'P3', 'Theirs', 'bob', 'bob', 'pending_approval');
                    """
            )
            let day: AppDashboard = try await shop.alice.decode(.get, "/today-dashboard")
            #expect(day.degraded == [])
            #expect(day.openTickets == 3)
            #expect(day.appointmentCount == 2)
            #expect(day.pendingApprovalCount == 1)
            let json = try await shop.alice.json(.get, "/today-dashboard")
            let appointments = json["appointments"]?.array ?? []
            #expect(appointments.map { $0["title"] } == ["x", "Jam k1"])
            #expect(appointments.map { $0["entity_type"] } == ["business_record", "service_ticket"])
            #expect(appointments.map { $0["entity_id"] } == ["r1", "k1"])
            #expect(json["pendingApprovals"]?.array?.map { $0["title"] } == ["Fleet"])
            let found: AppResults = try await shop.alice.decode(.get, "/search?q=jam%20k1")
            #expect(found.results.map(\.type) == ["ticket"])
            #expect(found.results.map(\.id) == ["k1"])
            try shop.server.execute(
                "DROP TABLE service_tickets CASCADE; ALTER TABLE proposals DROP COLUMN status CASCADE"
            )
            try await shop.server.database.reloadSchema()
            let drifted = try await shop.alice.json(.get, "/today-dashboard")
            #expect(drifted["appointments"]?.array?.count == 1)
            #expect(drifted["pendingApprovals"] == .null)
            #expect(drifted["degraded"] == ["approvals", "pending_approvals"])
        }
    }

    @Test func `a part that fails is null and named, and a missing table is nothing to count`() async throws {
        try await Shop.with { shop in
            try shop.server.execute(Self.rows)
            try shop.server.execute("ALTER TABLE deals DROP COLUMN actual_close_date CASCADE; DROP TABLE tasks CASCADE")
            for _ in 0..<2 {
                let day: AppDashboard = try await shop.alice.decode(.get, "/today-dashboard")
                #expect(day.degraded == ["deals"])
                #expect(day.pipelineValue == nil)
                #expect(day.metrics?.dealsWon == nil)
                #expect(day.taskCount == 0)
                #expect(day.newLeadsToday == 1)
                try await shop.server.database.reloadSchema()
            }
        }
    }

    @Test func `search finds text everywhere in the tenant, exact matches first`() async throws {
        try await Shop.with { shop in
            try shop.server.execute(Self.rows)
            let found: AppResults = try await shop.alice.decode(.get, "/api/search?q=aCmE")
            #expect(found.results.map(\.title) == ["Acme", "Acme deal", "acme today", "Big Acme"])
            #expect(found.results.map(\.type) == ["lead", "opportunity", "task", "customer"])
            #expect(found.total == 4)
            #expect(found.totalResults == 4)
            #expect(found.results[0].matchField == "company_name")
            let few: AppResults = try await shop.alice.decode(.get, "/search?q=acme&limit=1")
            #expect(few.results.count == 1)
            for (query, count) in [
                ("q=%25%25", 0), ("q=__", 0), ("q=%27%20OR%201=1%20--", 0), ("q=%5C%5C", 0),
            ] {
                let results: AppResults = try await shop.alice.decode(.get, "/search?\(query)")
                #expect(results.total == count, "\(query)")
            }
            for query in ["", "?q=", "?q=a", "?q=%20%20a", "?q=%20a%20", "?q=a%09%20"] {
                #expect(try await shop.alice.send(.get, "/search\(query)").status == .badRequest, "\(query)")
            }
            let without = #"DROP EXTENSION IF EXISTS pg_trgm CASCADE"#
            try shop.server.execute(without)
            let same: AppResults = try await shop.alice.decode(.get, "/search?q=acme")
            #expect(same.total == 4)
        }
    }

    @Test func `search shows those who start out their own contacts only`() async throws {
        try await Shop.with { shop in
            let manager = try shop.caller("mary")
            _ = try await manager.make("/contacts", #"{"contact_name":"Zed Zulu"}"#)
            #expect(try await manager.json(.get, "/search?q=zulu")["total"] == 1)
            #expect(try await shop.alice.json(.get, "/search?q=zulu")["total"] == 0)
        }
    }

    @Test func `reports are for managers`() async throws {
        try await Shop.with { shop in
            try shop.server.execute(Self.rows)
            let manager = try shop.caller("mary")
            for path in ["pipeline", "activities", "leaderboard", "no-touch"] {
                let refused = try await shop.alice.send(.get, "/team-reports/\(path)")
                #expect(refused.status == .forbidden)
                #expect(try JSONParser.parse(refused.body)["code"] == "INSUFFICIENT_ROLE")
            }
            let pipeline = try await manager.json(.get, "/team-reports/pipeline")
            #expect(pipeline["pipeline_value"] == .number(try #require(JSONNumber(text: "1000.00"))))
            #expect(pipeline["open_opportunity_count"] == 1)
            #expect(pipeline["closed_won_count"] == 1)
            let activity: AppPage<AppReportRow> = try await manager.decode(.get, "/team-reports/activities?days=7")
            #expect(activity.data.map(\.userId) == ["alice"])
            #expect(activity.data[0].name == "Al Ice")
            #expect(
                activity.data[0].callCount == 1 && activity.data[0].emailCount == 0 && activity.data[0].noteCount == 1
            )
            let board: AppPage<AppReportRow> = try await manager.decode(.get, "/team-reports/leaderboard?period=month")
            #expect(board.data.count == 1 && board.data[0].closedWonAmount == 500.5 && board.data[0].rank == 1)
            let quiet: AppPage<AppReportRow> = try await manager.decode(.get, "/team-reports/no-touch?days=3")
            #expect(quiet.data.map(\.opportunityId) == ["d1"])
            #expect(quiet.data[0].daysSinceLastActivity == 9)
            for bad in ["activities?days=0", "activities?days=x", "no-touch?days=9999999999", "leaderboard?period=age"]
            {
                #expect(try await manager.send(.get, "/team-reports/\(bad)").status == .badRequest, "\(bad)")
            }
            #expect(try await manager.send(.get, "/team-reports/none").status == .notFound)
            try shop.server.execute("DROP TABLE deals CASCADE")
            try await shop.server.database.reloadSchema()
            #expect(try await manager.json(.get, "/team-reports/pipeline")["pipeline_value"] == 0)
            #expect(try await manager.json(.get, "/team-reports/no-touch")["total"] == 0)
        }
    }
}
