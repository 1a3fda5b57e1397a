import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@Suite(.needsDatabase, .hangLimit)
struct ContractTests {
    struct AppContract: Decodable {
        let id: String
        let contractNumber: String?
        let title: String?
        let type: String?
        let status: String?
        let customerName: String?
        let startDate: Date?
        let endDate: Date?
        let monthlyAmount: Double?
        let annualValue: Double?
        let equipmentCount: Int?
        let autoRenew: Bool?
        let createdAt: Date?
    }

    struct AppRenewal: Decodable {
        let id: String
        let contractId: String?
        let contractNumber: String?
        let customerName: String?
        let endDate: Date?
        let annualValue: Double?
        let riskScore: Int?
        let status: String?
        let notes: String?
        let createdAt: Date?
    }

    @Test func `a contract needs no more than a title`() async throws {
        try await Shop.with { shop in
            let made: AppContract = try await shop.alice.decode(
                .post,
                "/contracts",
                #"{"title":"Service"}"#,
                is: .created
            )
            #expect(made.status == "active")
            #expect(made.type == "service")
            #expect(made.equipmentCount == 0)
            let days = (made.endDate ?? .distantPast).timeIntervalSince(made.startDate ?? .distantPast) / 86400
            #expect((364...365).contains(days.rounded()))
            let customer = try await shop.alice.make("/customers", #"{"company_name":"Acme"}"#)
            let body = """
                {"title":"Full","customer_id":"\(customer)","type":"lease","start_date":"2024-02-29T00:00:00Z",\
                "monthly_amount":99.5,"billing_frequency":"monthly","coverage_type":"full","notes":"n"}
                """
            let full = try await shop.alice.json(.post, "/api/contracts", body)
            #expect(full["end_date"] == "2025-02-27T00:00:00Z")
            #expect(full["annual_value"]?.double == 1194)
            #expect(full["monthly_base"] == full["monthly_amount"])
            #expect(full["customer_name"] == "Acme")
            let id = full["id"]?.string ?? ""
            _ = try await shop.alice.make("/equipment", #"{"name":"m","contract_id":"\#(id)"}"#)
            let change = #"{"monthly_amount":100,"auto_renew":true,"annual_value":1300}"#
            let changed: AppContract = try await shop.alice.decode(.patch, "/contracts/\(id)", change)
            #expect(changed.annualValue == 1300)
            #expect(changed.equipmentCount == 1)
            #expect(changed.autoRenew == true)
            for (query, total) in [
                ("status=active", 1), ("status=expired", 1), ("customerId=\(customer)", 1), ("search=full", 1),
            ] {
                let page: AppPage<AppContract> = try await shop.alice.decode(.get, "/contracts?\(query)")
                #expect(page.total == total, "\(query)")
            }
        }
    }

    @Test func `those that end soon are told, and renewed once`() async throws {
        try await Shop.with { shop in
            let customer = try await shop.alice.make("/customers", #"{"company_name":"Acme"}"#)
            func contract(_ number: String, _ days: Int, _ status: String = "active") async throws -> String {
                let end = Date(timeIntervalSinceNow: Double(days) * 86400).ISO8601Format()
                let body = """
                    {"title":"t","contract_number":"\(number)","customer_id":"\(customer)","status":"\(status)",\
                    "start_date":"2020-01-01","end_date":"\(end)","monthly_amount":10,"notes":"n"}
                    """
                return try await shop.alice.make("/contracts", body)
            }
            let soon = try await contract("A", 10)
            _ = try await contract("Past", -3)
            _ = try await contract("Later", 80)
            _ = try await contract("Far", 200)
            _ = try await contract("Gone", 20, "cancelled")
            let page: AppPage<AppRenewal> = try await shop.alice.decode(.get, "/contract-renewal/upcoming")
            #expect(page.data.map(\.contractNumber) == ["A", "Later"])
            #expect(page.total == 2)
            #expect(page.data[0].riskScore == 90)
            #expect(page.data[0].annualValue == 120)
            #expect(page.data[0].customerName == "Acme")
            #expect(page.data[0].id == soon)
            #expect(page.data[0].notes == "n")
            #expect(try await shop.alice.json(.get, "/contract-renewal/upcoming?days=30")["total"] == 1)
            #expect(try await shop.bob.json(.get, "/contract-renewal/upcoming")["total"] == 0)
            for days in ["0", "x", "-1"] {
                let answer = try await shop.alice.send(.get, "/contract-renewal/upcoming?days=\(days)")
                #expect(answer.status == .badRequest)
            }
            let ids = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        try await shop.alice.json(.post, "/contract-renewal/\(soon)/renew")["id"]?.string ?? ""
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
            let old = try await shop.alice.json(.get, "/contracts/\(soon)")
            let new = try await shop.alice.json(.get, "/contracts/\(ids.first ?? "")")
            #expect(old["status"] == "renewed")
            #expect(new["status"] == "active")
            #expect(new["contract_number"] == "A-R")
            #expect(new["monthly_amount"]?.double == 10)
            #expect(new["customer_name"] == "Acme")
            #expect(new["title"] == "t")
            let rows = try BlockingConnection.connect(to: shop.server.databaseURL).query(
                """
                SELECT n.start_date = o.end_date + interval '1 day', n.end_date = o.end_date + interval '1 year'
                FROM contracts n, contracts o WHERE n.renewed_from_id = o.id
                """
            )
            #expect(rows == [["t", "t"]])
            #expect(try await shop.bob.send(.post, "/contract-renewal/\(soon)/renew").status == .notFound)
            #expect(try shop.count("contracts WHERE tenant_id = 'tenant-a'") == 6)
        }
    }

    @Test func `a bad field is refused by name, and nothing is stored`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/contracts", #"{"title":"t"}"#)
            let theirs = try await shop.bob.make("/customers", #"{"company_name":"Theirs"}"#)
            let rest = #""title":"x""#
            var table = ["type", "billing_frequency", "coverage_type", "notes"].flatMap {
                BadField.all($0, .text, with: rest)
            }
            table += BadField.all("title", .requiredText) + [BadField(field: "title", body: #"{"title":" "}"#)]
            table += ["start_date", "end_date"].flatMap { BadField.all($0, .date, with: rest) }
            table += ["monthly_amount", "annual_value"].flatMap { BadField.all($0, .number, with: rest) }
            table += BadField.all("auto_renew", .flag, with: rest)
            table +=
                BadField.all("sla_response_hours", .integer, with: rest) + BadField.all("status", .word, with: rest)
            table += BadField.all("customer_id", .foreign(theirs), with: rest)
            let backwards = #"{"title":"x","start_date":"2026-02-01","end_date":"2026-01-31"}"#
            table.append(BadField(field: "end_date", body: backwards))
            for bad in table {
                try await shop.alice.expectRefusal(of: bad.field, .post, "/contracts", bad.body)
                try await shop.alice.expectRefusal(of: bad.field, .patch, "/contracts/\(id)", bad.body)
            }
            #expect(try shop.count("contracts") == 1)
            #expect(try await shop.bob.send(.get, "/contracts/\(id)").status == .notFound)
            #expect(try await shop.bob.send(.patch, "/contracts/\(id)", #"{"title":"x"}"#).status == .notFound)
            _ = try await shop.bob.send(.delete, "/contracts/\(id)")
            #expect(try shop.count("contracts") == 1)
        }
    }
}
