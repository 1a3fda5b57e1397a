import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@Suite(.needsDatabase, .hangLimit)
struct ContractRuleTests {
    struct AppContract: Decodable {
        let id: String
        let contractNumber: String?
        let title: String?
        let type: String?
        let status: String?
        let customerId: String?
        let customerName: String?
        let startDate: Date?
        let endDate: Date?
        let autoRenew: Bool?
        let renewalTermMonths: Int?
        let billingFrequency: String?
        let paymentTerms: String?
        let monthlyAmount: Double?
        let annualValue: Double?
        let totalValue: Double?
        let coverageType: String?
        let includesSupplies: Bool?
        let slaResponseHours: Int?
        let equipmentCount: Int?
        let notes: String?
        let createdBy: String?
        let createdAt: Date?
        let updatedAt: Date?
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

    private static let new = """
        {"title":"Full service","type":"service","start_date":"2030-02-01T00:00:00Z","end_date":"2031-01-31T00:00:00Z",\
        "monthly_amount":99.5,"billing_frequency":"monthly","coverage_type":"full","notes":"n"
        """

    @Test func `a contract is created, changed and listed`() async throws {
        try await Shop.with { shop in
            let customer = try await shop.alice.make("/customers", #"{"company_name":"Acme"}"#)
            let body = Self.new + #","customer_id":"\#(customer)"}"#
            let made: AppContract = try await shop.alice.decode(.post, "/api/contracts", body, is: .created)
            #expect(made.customerName == "Acme")
            #expect(made.status == "active")
            #expect(made.type == "service")
            #expect(made.monthlyAmount == 99.5)
            #expect(made.annualValue == 1194)
            #expect(made.contractNumber?.hasPrefix("C-") == true)
            #expect(made.createdBy == "alice")
            #expect(made.notes == "n")
            #expect(made.autoRenew == false)
            let few: AppContract = try await shop.alice.decode(.post, "/contracts", #"{"title":"x"}"#, is: .created)
            let (start, end) = (try #require(few.startDate), try #require(few.endDate))
            #expect((364...365).contains(Int(end.timeIntervalSince(start) / 86400)))
            #expect(few.customerName == nil)
            let target = "/contracts/\(few.id)"
            let changed: AppContract = try await shop.alice.decode(
                .patch,
                target,
                #"{"monthly_amount":10,"auto_renew":true,"status":"pending","title":"y","billing_frequency":"yearly"}"#
            )
            #expect(changed.annualValue == 120)
            #expect(changed.autoRenew == true)
            #expect(changed.status == "draft")
            let own = try await shop.alice.json(.patch, target, #"{"annual_value":100,"end_date":"2040-01-01"}"#)
            #expect(own["annual_value"]?.double == 100)
            #expect(own["monthly_base"]?.double == 10)
            #expect(own["monthly_amount"] == own["monthly_base"])
            #expect(own["type"] == own["type"])
            for (query, total) in [
                ("status=active", 1), ("status=draft,active", 2), ("customerId=\(customer)", 1), ("search=full", 1),
                ("search=C-", 2), ("page=2&limit=1", 2), ("type=service", 2), ("status=renewed", 0),
            ] {
                let page: AppPage<AppContract> = try await shop.alice.decode(.get, "/contracts?\(query)")
                #expect(page.total == total, "\(query)")
            }
            #expect(try await shop.alice.json(.get, "/search?q=\(made.contractNumber ?? "")")["total"] == 1)
        }
    }

    @Test func `what ends within the days asked for is upcoming, and nothing that has ended`() async throws {
        try await Shop.with { shop in
            let day = "date_trunc('day', now())"
            try shop.server.execute(
                """
                INSERT INTO business_records (id, tenant_id, company_name, created_by) VALUES ('c', 'tenant-a', 'Acme', 'x');
                INSERT INTO contracts (id, tenant_id, contract_number, title, customer_id, status, start_date, end_date,
                                       monthly_base) VALUES
                    ('today', 'tenant-a', '1', 't', 'c', 'active', '2020-01-01', \(day), 100),
                    ('soon', 'tenant-a', '2', 't', NULL, 'Expiring', '2020-01-01', \(day) + interval '30 days', NULL),
                    ('late', 'tenant-a', '3', 't', 'c', 'active', '2020-01-01', \(day) + interval '90 days 23 hours', 1),
                    ('later', 'tenant-a', '4', 't', 'c', 'active', '2020-01-01', \(day) + interval '91 days', 1),
                    ('ended', 'tenant-a', '5', 't', 'c', 'active', '2020-01-01', \(day) - interval '1 second', 1),
                    ('renewed', 'tenant-a', '6', 't', 'c', 'renewed', '2020-01-01', \(day), 1),
                    ('theirs', 'tenant-b', '7', 't', NULL, 'active', '2020-01-01', \(day), 1);
                """
            )
            let path = "/contract-renewal/upcoming"
            let page: AppPage<AppRenewal> = try await shop.alice.decode(.get, "/api\(path)?days=90")
            #expect(page.data.map(\.id) == ["today", "soon", "late"])
            #expect(page.total == 3)
            let first = try #require(page.data.first)
            #expect(first.contractId == "today")
            #expect(first.customerName == "Acme")
            #expect(first.riskScore == 100)
            #expect(first.annualValue == nil || first.annualValue == 1200)
            #expect(page.data.map(\.riskScore) == [100, 70, 10])
            for (query, total) in [("", 3), ("?days=29", 1), ("?days=30", 2), ("?days=366", 4)] {
                #expect(try await shop.alice.json(.get, path + query)["total"]?.int == total, "\(query)")
            }
            for days in ["0", "-1", "x", "367", "99999999999999999999"] {
                try await shop.alice.expectRefusal(of: "days", .get, "\(path)?days=\(days)", "")
            }
            for (query, ids) in [
                ("status=expired", ["ended"]), ("status=active", ["late", "later", "today"]),
                ("status=expiring,expired", ["ended", "soon"]),
            ] {
                let found: AppPage<AppContract> = try await shop.alice.decode(.get, "/contracts?\(query)")
                #expect(found.data.map(\.id).sorted() == ids, "\(query)")
                #expect(found.total == ids.count, "\(query)")
            }
            #expect(try await shop.alice.json(.get, "/contracts/ended")["status"] == "expired")
        }
    }

    @Test func `a renewal follows on the old contract, and asking again gives the same one`() async throws {
        try await Shop.with { shop in
            let customer = try await shop.alice.make("/customers", #"{"company_name":"Acme"}"#)
            let body = Self.new + #","customer_id":"\#(customer)","contract_number":"K-1","annual_value":1000}"#
            let id = try await shop.alice.make("/contracts", body)
            let path = "/contract-renewal/\(id)/renew"
            let renewal: AppContract = try await shop.alice.decode(.post, path, is: .created)
            #expect(renewal.contractNumber == "K-1-R")
            #expect(renewal.id != id)
            #expect(renewal.status == "active")
            #expect(renewal.customerId == customer)
            #expect(renewal.title == "Full service")
            #expect(renewal.monthlyAmount == 99.5)
            #expect(renewal.coverageType == "full")
            #expect(renewal.annualValue == 1000)
            let row = try await shop.alice.json(.get, "/contracts/\(renewal.id)")
            #expect(row["start_date"] == "2031-02-01T00:00:00Z")
            #expect(row["end_date"] == "2032-01-31T00:00:00Z")
            #expect(row["renewed_from_id"]?.string == id)
            #expect(try await shop.alice.json(.get, "/contracts/\(id)")["status"] == "renewed")
            _ = try await shop.alice.send(.patch, "/contracts/\(renewal.id)", #"{"contract_number":"K-2"}"#)
            let again: AppContract = try await shop.alice.decode(.post, path, #"{"notes":7}"#)
            #expect(again.id == renewal.id)
            let next: AppContract = try await shop.alice.decode(
                .post,
                "/contract-renewal/\(renewal.id)/renew",
                is: .created
            )
            #expect(next.contractNumber == "K-2-R")
            #expect(try shop.count("contracts") == 3)
            for status in ["cancelled", "draft", "churned"] {
                let other = try await shop.alice.make("/contracts", #"{"title":"x","status":"\#(status)"}"#)
                #expect(try await shop.alice.send(.post, "/contract-renewal/\(other)/renew").status == .conflict)
            }
        }
    }

    @Test func `two who renew a contract at once get the same one`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/contracts", Self.new + "}")
            let ids = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        let row = try await shop.alice.json(.post, "/contract-renewal/\(id)/renew")
                        return row["id"]?.string ?? "none: \(row)"
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
            #expect(try shop.count("contracts") == 2)
            #expect(try shop.count("contracts WHERE status = 'renewed'") == 1)
        }
    }

    @Test func `a renewal that cannot be made changes nothing`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/contracts", Self.new + #","contract_number":"K"}"#)
            _ = try await shop.alice.make("/contracts", Self.new + #","contract_number":"K-R"}"#)
            let refused = try await shop.alice.send(.post, "/contract-renewal/\(id)/renew")
            #expect(refused.status == .conflict)
            #expect(try await shop.alice.json(.get, "/contracts/\(id)")["status"] == "active")
            #expect(try shop.count("contracts") == 2)
        }
    }

    @Test func `a bad field is refused by name, and nothing is stored`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/contracts", Self.new + "}")
            let before = try await shop.alice.json(.get, "/contracts/\(id)")
            let theirs = try await shop.bob.make("/customers", #"{"company_name":"Theirs"}"#)
            let rest = #""title":"x""#
            var table = BadField.all("title", .requiredText) + BadField.all("status", .word, with: rest)
            table += ["monthly_amount", "monthly_base", "annual_value", "black_rate", "color_rate"].flatMap {
                BadField.all($0, .number, with: rest)
            }
            table += ["start_date", "end_date"].flatMap { BadField.all($0, .date, with: rest) }
            table += ["auto_renew", "includes_supplies"].flatMap { BadField.all($0, .flag, with: rest) }
            table += ["renewal_term_months", "sla_response_hours"].flatMap { BadField.all($0, .integer, with: rest) }
            table += ["type", "billing_frequency", "payment_terms", "coverage_type", "notes", "contract_number"].flatMap
            {
                BadField.all($0, .text, with: rest)
            }
            table += BadField.all("customer_id", .foreign(theirs), with: rest)
            table.append(BadField(field: "monthly_amount", body: #"{"monthly_amount":100000000,\#(rest)}"#))
            for bad in table {
                try await shop.alice.expectRefusal(of: bad.field, .post, "/contracts", bad.body)
                try await shop.alice.expectRefusal(of: bad.field, .patch, "/contracts/\(id)", bad.body)
            }
            try await shop.alice.expectRefusal(of: "title", .post, "/contracts", "{}")
            #expect(try shop.count("contracts") == 1)
            #expect(try await shop.alice.json(.get, "/contracts/\(id)") == before)
            let own = #"{"title":"x","renewed_from_id":"\#(id)","tenant_id":"tenant-b"}"#
            let made = try await shop.alice.json(.post, "/contracts", own)
            #expect(made["renewed_from_id"] == .null)
            #expect(made["tenant_id"] == "tenant-a")
        }
    }

    @Test func `another tenant's contract cannot be reached, and there is nothing below one`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/contracts", Self.new + "}")
            #expect(try await shop.bob.send(.get, "/contracts/\(id)").status == .notFound)
            #expect(try await shop.bob.send(.patch, "/contracts/\(id)", Self.new + "}").status == .notFound)
            #expect(try await shop.bob.send(.post, "/contract-renewal/\(id)/renew").status == .notFound)
            #expect(try await shop.bob.json(.get, "/contracts")["total"] == 0)
            #expect(try await shop.bob.json(.get, "/contract-renewal/upcoming?days=366")["total"] == 0)
            #expect(try shop.count("contracts WHERE status = 'active'") == 1)
            for path in [
                "contracts/\(id)/renew", "contract-renewal/\(id)", "contract-renewal/\(id)/undo", "contract-renewal",
            ] {
                #expect(try await shop.alice.send(.get, "/\(path)").status == .notFound, "\(path)")
                #expect(try await shop.alice.send(.post, "/\(path)", "{}").status == .notFound, "\(path)")
            }
            #expect(try shop.count("contracts") == 1)
        }
    }

    @Test func `a drifted table answers with what it has`() async throws {
        try await Shop.with { shop in
            try shop.server.execute(
                """
                DROP TABLE contracts CASCADE;
                CREATE TABLE contracts (
                    id uuid PRIMARY KEY DEFAULT gen_random_uuid(), tenant_id varchar NOT NULL, customer_id varchar,
                    contract_number varchar NOT NULL, start_date timestamp NOT NULL, end_date timestamp NOT NULL,
                    monthly_base numeric(10, 2), status varchar NOT NULL DEFAULT 'active', created_at timestamp
                );
                """
            )
            try await shop.server.database.reloadSchema()
            let made = try await shop.alice.send(.post, "/contracts", Self.new + "}")
            #expect(made.status == .created)
            #expect(made.headers["X-Ignored-Fields"]?.contains("title") == true)
            let row = try JSONParser.parse(made.body)
            #expect(row["annual_value"]?.double == 1194)
            let path = "/contract-renewal/\(row["id"]?.string ?? "")/renew"
            #expect(try await shop.alice.send(.post, path).status == .created)
            #expect(try await shop.alice.send(.post, path).status == .ok)
            #expect(try await shop.alice.send(.get, "/contract-renewal/none/renew").status == .methodNotAllowed)
            #expect(try await shop.alice.json(.get, "/contract-renewal/upcoming?days=366")["total"] == 0)
            try shop.server.execute("DROP TABLE contracts CASCADE")
            try await shop.server.database.reloadSchema()
            #expect(try await shop.alice.json(.get, "/contract-renewal/upcoming")["total"] == 0)
            let gone = try await shop.alice.send(.post, path)
            #expect(gone.status == .notFound, "\(gone.text)")
        }
    }
}
