import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@Suite(.needsDatabase, .hangLimit)
struct OpportunityTests {
    struct AppOpportunity: Decodable {
        let id: String
        let tenantId: String?
        let companyName: String?
        let primaryContactName: String?
        let primaryContactEmail: String?
        let status: String?
        let salesStage: String?
        let estimatedAmount: Double?
        let probability: Int?
        let closeDate: Date?
        let source: String?
        let priority: String?
        let interestLevel: String?
        let ownerId: String?
        let notes: String?
        let createdAt: Date?
        let updatedAt: Date?
    }

    private static let new = """
        {"company_name":"Acme","primary_contact_name":"Ada","primary_contact_email":"a@b.c","estimated_amount":1200,\
        "probability":40,"close_date":"2026-05-04T10:00:00Z","sales_stage":"qualified","source":"referral",\
        "priority":"high","notes":"n"}
        """

    @Test func `a deal is created, changed and listed by its stage`() async throws {
        try await Shop.with { shop in
            let made: AppOpportunity = try await shop.alice.decode(.post, "/api/opportunities", Self.new, is: .created)
            #expect(made.salesStage == "qualified")
            #expect(made.estimatedAmount == 1200)
            #expect(made.status == "open")
            #expect(made.closeDate != nil)
            #expect(made.ownerId == "alice")
            #expect(made.companyName == "Acme")
            let row = try await shop.alice.json(.get, "/opportunities/\(made.id)")
            #expect(row["title"] == "Acme")
            #expect(row["amount"] == row["estimated_amount"])
            #expect(row["expected_close_date"] == row["close_date"])
            #expect(row["created_by_id"] == "alice")
            let first = try await shop.alice.make("/opportunities", #"{"company_name":"B"}"#)
            #expect(try await shop.alice.json(.get, "/opportunities/\(first)")["sales_stage"] == "new")
            let body = #"{"interest_level":"hot","estimated_amount":5,"sales_stage":"Negotiation"}"#
            let changed: AppOpportunity = try await shop.alice.decode(.put, "/opportunities/\(first)", body)
            #expect(
                changed.interestLevel == "hot" && changed.salesStage == "negotiation" && changed.estimatedAmount == 5
            )
            for (query, total) in [
                ("stage=qualified", 1), ("stage=qualified,NEGOTIATION", 2), ("stage=won", 0),
                ("salesStage=qualified", 1),
                ("search=acme", 1), ("status=open", 2), ("my=true", 2), ("stage=", 2),
                ("sortBy=amount&sortOrder=desc", 2),
            ] {
                let page: AppPage<AppOpportunity> = try await shop.alice.decode(.get, "/opportunities?\(query)")
                #expect(page.total == total, "\(query)")
            }
            #expect(
                try await shop.alice.json(.get, "/opportunities?sortBy=amount&sortOrder=asc")["data"]?[0]?["id"]?.string
                    == first
            )
            #expect(try await shop.alice.send(.get, "/opportunities?sortBy=evil").status == .badRequest)
            #expect(try await shop.alice.send(.get, "/opportunities?sortOrder=up").status == .badRequest)
        }
    }

    @Test func `closing a deal stamps it, and reopening clears that`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/opportunities", Self.new)
            let won = try await shop.alice.json(.patch, "/opportunities/\(id)/stage", #"{"stage":"closed_won"}"#)
            #expect(won["status"] == "won")
            #expect(won["probability"] == 100)
            #expect(won["sales_stage"] == "closed_won")
            #expect(won["actual_close_date"]?.string?.hasSuffix("Z") == true)
            let again = try await shop.alice.json(.patch, "/opportunities/\(id)/stage", #"{"stage":"Closed Won"}"#)
            #expect(again["actual_close_date"] == won["actual_close_date"])
            let open = try await shop.alice.json(.patch, "/opportunities/\(id)/stage", #"{"stage":"proposal"}"#)
            #expect(open["status"] == "open")
            #expect(open["probability"] == 0)
            #expect(open["actual_close_date"] == .null)
            let lost = try await shop.alice.json(.put, "/opportunities/\(id)", #"{"sales_stage":"closed_lost"}"#)
            #expect(lost["status"] == "lost")
            #expect(lost["probability"] == 0)
            #expect(lost["actual_close_date"] != .null)
            let byStatus = try await shop.alice.json(.put, "/opportunities/\(id)", #"{"status":"won"}"#)
            #expect(byStatus["sales_stage"] == "closed_won")
            #expect(byStatus["probability"] == 100)
            for bad in ["{}", #"{"stage":null}"#, #"{"stage":" "}"#, #"{"stage":7}"#, #"{"stage":"a\u0000b"}"#] {
                try await shop.alice.expectRefusal(of: "stage", .patch, "/opportunities/\(id)/stage", bad)
            }
            #expect(try await shop.alice.send(.get, "/opportunities/\(id)/nothing").status == .notFound)
            #expect(try await shop.alice.send(.post, "/opportunities/\(id)/stage", "{}").status == .methodNotAllowed)
        }
    }

    @Test func `a new stage that many name at once is made once`() async throws {
        try await Shop.with { shop in
            var ids: [String] = []
            for _ in 0..<6 { ids.append(try await shop.alice.make("/opportunities", Self.new)) }
            try await withThrowingTaskGroup(of: Status.self) { group in
                for id in ids {
                    group.addTask {
                        try await shop.alice.send(.patch, "/opportunities/\(id)/stage", #"{"stage":"Pilot"}"#).status
                    }
                }
                for try await status in group { #expect(status == .ok) }
            }
            #expect(try shop.count("deal_stages WHERE lower(name) = 'pilot'") == 1)
            #expect(try await shop.alice.json(.get, "/opportunities?stage=pilot")["total"] == 6)
            #expect(try await shop.bob.json(.get, "/opportunities?stage=pilot")["total"] == 0)
        }
    }

    @Test func `two who close a deal at once close it once`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/opportunities", Self.new)
            async let first = shop.alice.json(.patch, "/opportunities/\(id)/stage", #"{"stage":"closed_won"}"#)
            async let second = shop.alice.json(.patch, "/opportunities/\(id)/stage", #"{"stage":"closed_won"}"#)
            let dates = [try await first["actual_close_date"], try await second["actual_close_date"]]
            #expect(dates[0] == dates[1])
            #expect(dates[0]?.string != nil)
            #expect(try shop.count("deals WHERE status = 'won' AND probability = 100") == 1)
        }
    }

    @Test func `a bad field is refused by name, and nothing is stored`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/opportunities", #"{"company_name":"Old"}"#)
            let theirs = try await shop.bob.make("/customers", #"{"company_name":"Theirs"}"#)
            _ = try await shop.bob.make("/opportunities", #"{"company_name":"Theirs"}"#)
            let stage = try await shop.bob.json(.get, "/opportunities")["data"]?[0]?["stage_id"]?.string ?? ""
            let rest = #""company_name":"x""#
            var table = [
                "primary_contact_name", "primary_contact_email", "source", "priority", "notes", "interest_level",
            ]
            .flatMap { BadField.all($0, .text, with: rest) }
            table += BadField.all("title", .shortText(200), with: rest) + BadField.all("company_name", .text)
            table +=
                BadField.all("estimated_amount", .number, with: rest)
                + BadField.all("probability", .integer, with: rest)
            table += BadField.all("close_date", .date, with: rest) + BadField.all("status", .word, with: rest)
            table += BadField.all("customer_id", .foreign(theirs), with: rest)
            table += BadField.all("stage_id", .foreign(stage), with: rest)
            for bad in table {
                try await shop.alice.expectRefusal(of: bad.field, .post, "/opportunities", bad.body)
                try await shop.alice.expectRefusal(of: bad.field, .put, "/opportunities/\(id)", bad.body)
            }
            try await shop.alice.expectRefusal(of: "company_name", .post, "/opportunities", "{}")
            try await shop.alice.expectRefusal(
                of: "sales_stage",
                .post,
                "/opportunities",
                #"{"company_name":"x","sales_stage":7}"#
            )
            #expect(try shop.count("deals WHERE tenant_id = 'tenant-a'") == 1)
            #expect(try await shop.alice.json(.get, "/opportunities/\(id)")["company_name"] == "Old")
        }
    }

    @Test func `another tenant's deal cannot be reached`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/opportunities", Self.new)
            #expect(try await shop.bob.send(.get, "/opportunities/\(id)").status == .notFound)
            #expect(try await shop.bob.send(.put, "/opportunities/\(id)", #"{"notes":"mine"}"#).status == .notFound)
            let stage = #"{"stage":"closed_won"}"#
            #expect(try await shop.bob.send(.patch, "/opportunities/\(id)/stage", stage).status == .notFound)
            _ = try await shop.bob.send(.delete, "/opportunities/\(id)")
            #expect(try await shop.alice.json(.get, "/opportunities/\(id)")["notes"] == "n")
            #expect(try shop.count("deal_stages WHERE tenant_id = 'tenant-b'") == 0)
        }
    }

    @Test func `deals with ids of another type, and without some columns, are served`() async throws {
        try await Shop.with { shop in
            try shop.server.execute(
                """
                ALTER TABLE proposals DROP CONSTRAINT proposals_deal_id_tenant_fkey;
                ALTER TABLE deals DROP CONSTRAINT deals_stage_id_tenant_fkey, DROP COLUMN interest_level, DROP COLUMN source;
                ALTER TABLE deals ALTER id DROP DEFAULT, ALTER id TYPE uuid USING id::uuid;
                ALTER TABLE deal_stages ALTER id DROP DEFAULT, ALTER id TYPE uuid USING id::uuid;
                """
            )
            try await shop.server.database.reloadSchema()
            let made: AppOpportunity = try await shop.alice.decode(.post, "/opportunities", Self.new, is: .created)
            #expect(made.salesStage == "qualified")
            #expect(try await shop.alice.json(.get, "/opportunities?stage=qualified")["total"] == 1)
            let won = try await shop.alice.json(.patch, "/opportunities/\(made.id)/stage", #"{"stage":"closed_won"}"#)
            #expect(won["status"] == "won")
            try shop.server.execute("DROP TABLE deal_stages CASCADE")
            try await shop.server.database.reloadSchema()
            #expect(try await shop.alice.json(.get, "/opportunities")["total"] == 1)
        }
    }
}
