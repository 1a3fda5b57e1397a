import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@Suite(.needsDatabase, .hangLimit)
struct ProposalTests {
    struct AppProposal: Decodable {
        enum Status: String, Decodable { case draft, sent, accepted, rejected, expired }
        let id: String
        let title: String?
        let status: Status?
        let customerId: String?
        let customerName: String?
        let contactName: String?
        let contactEmail: String?
        let templateId: String?
        let totalAmount: Double?
        let validUntil: Date?
        let sentDate: Date?
        let acceptedDate: Date?
        let notes: String?
        let terms: String?
        let createdBy: String?
        let createdAt: Date?
    }

    static let new = """
        {"title":"Fleet","valid_until":"2026-12-31T00:00:00Z","notes":"n","terms":"t",\
        "line_items":[{"description":"Printer","quantity":3,"unit_price":1200}]}
        """

    @Test func `the app's words reach the columns and come back`() async throws {
        try await Shop.with { shop in
            let customer = try await shop.alice.make("/customers", #"{"company_name":"Acme"}"#)
            let contact = try await shop.alice.make(
                "/contacts",
                #"{"first_name":"Ada","last_name":"L","email":"a@b.c","company_id":"\#(customer)"}"#
            )
            let template = try await shop.alice.make("/proposal-templates", #"{"name":"Standard"}"#)
            let body = """
                {"title":"Fleet","customer_id":"\(customer)","contact_id":"\(contact)","template_id":"\(template)",\
                "total_amount":99.5,"valid_until":"2026-12-31T00:00:00Z","notes":"n","terms":"t"}
                """
            let made: AppProposal = try await shop.alice.decode(.post, "/api/proposals", body, is: .created)
            #expect(made.status == .draft)
            #expect(made.customerName == "Acme")
            #expect(made.contactName == "Ada L")
            #expect(made.contactEmail == "a@b.c")
            #expect(made.totalAmount == 99.5)
            #expect(made.templateId == template)
            #expect(made.notes == "n")
            #expect(made.terms == "t")
            #expect(made.createdBy == "alice")
            #expect(made.validUntil != nil)
            let row = try await shop.alice.json(.get, "/proposals/\(made.id)")
            #expect(row["internal_notes"] == "n")
            #expect(row["business_record_id"]?.string == customer)
            #expect(try await shop.alice.json(.get, "/proposals?customerId=\(customer)")["total"] == 1)
            #expect(try await shop.alice.json(.get, "/proposals?status=sent")["total"] == 0)
            let lined = try await shop.alice.json(.post, "/proposals", Self.new)
            #expect(lined["total_amount"]?.double == 3600)
            #expect(lined["lineItems"]?[0]?["quantity"] == 3)
        }
    }

    @Test func `each step is stamped once, and a view takes nothing back`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/proposals", Self.new)
            func move(_ status: String) async throws -> AppProposal {
                try await shop.alice.decode(.patch, "/proposals/\(id)/status", #"{"status":"\#(status)"}"#)
            }
            let sent: AppProposal = try await shop.alice.decode(.post, "/proposals/\(id)/send")
            #expect(sent.status == .sent)
            #expect(sent.sentDate != nil)
            #expect(sent.acceptedDate == nil)
            #expect(try shop.count("deals WHERE status = 'open' AND amount = 3600") == 1)
            #expect(try await move("viewed").status == .sent)
            #expect(try shop.count("proposals WHERE viewed_at IS NOT NULL AND open_count = 1") == 1)
            let accepted = try await move("accepted")
            #expect(accepted.status == .accepted)
            #expect(accepted.acceptedDate != nil)
            #expect(accepted.sentDate == sent.sentDate)
            #expect(try await move("viewed").status == .accepted)
            let again: AppProposal = try await shop.alice.decode(.post, "/proposals/\(id)/send")
            #expect(again.status == .accepted)
            #expect(try shop.count("deals WHERE status = 'won' AND probability = 100 AND amount = 3600") == 1)
            #expect(
                try shop.count(
                    "contracts WHERE monthly_base = 100 AND end_date = start_date + interval '36 months - 1 day'"
                ) == 1
            )
            let row = try await shop.alice.json(.get, "/proposals/\(id)")
            #expect(
                try await shop.alice.json(.get, "/contracts/\(row["contract_id"]?.string ?? "")")["title"] == "Fleet"
            )
            #expect(try await shop.alice.send(.patch, "/proposals/\(id)/status", "{}").status == .badRequest)
            let lost = try await shop.alice.make("/proposals", #"{"title":"Lost"}"#)
            _ = try await shop.alice.json(.patch, "/proposals/\(lost)/status", #"{"status":"rejected"}"#)
            #expect(try shop.count("proposals WHERE rejected_at IS NOT NULL AND deal_id IS NULL") == 1)
        }
    }

    @Test func `what is worth more than an invoice can be keeps its amount`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/proposals", #"{"title":"Fleet","total_amount":3500000000.5}"#)
            _ = try await shop.alice.json(.patch, "/proposals/\(id)/status", #"{"status":"accepted"}"#)
            #expect(try shop.count("deals WHERE amount = 3500000000.50") == 1)
            #expect(try shop.count("contracts WHERE total_value = 3500000000.50") == 1)
            let pdf = try await shop.alice.send(.get, "/proposals/\(id)/pdf")
            let text = try await PDFText.of(pdf.body)
            #expect(text.contains("3500000000.50"), "\(text)")
            for (path, body) in [
                ("invoices", #"{"total_amount":100000000}"#), ("proposals", #"{"title":"x","total_amount":1e11}"#),
                ("contracts", #"{"title":"x","monthly_amount":1e9}"#),
                ("quotes", #"{"title":"x","line_items":[{"description":"y","quantity":0,"unit_price":1e9}]}"#),
            ] {
                #expect(try await shop.alice.send(.post, "/\(path)", body).status == .badRequest, "\(body)")
            }
        }
    }

    @Test func `of many who send and accept at once, one deal and one contract remain`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/proposals", Self.new)
            try await withThrowingTaskGroup(of: Status.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        guard number % 2 == 0 else {
                            return try await shop.alice.send(.post, "/proposals/\(id)/send").status
                        }
                        let body = #"{"status":"accepted"}"#
                        return try await shop.alice.send(.patch, "/proposals/\(id)/status", body).status
                    }
                }
                for try await status in group { #expect(status == .ok) }
            }
            #expect(try shop.count("deals") == 1 && shop.count("contracts") == 1)
            #expect(try shop.count("deals WHERE status = 'won'") == 1)
            #expect(try await shop.alice.json(.get, "/proposals/\(id)")["status"] == "accepted")
        }
    }

    @Test func `what cannot be stored leaves no deal behind`() async throws {
        try await Shop.with { shop in
            try shop.server.execute("ALTER TABLE contracts ADD CHECK (monthly_base < 50)")
            let id = try await shop.alice.make("/proposals", Self.new)
            let answer = try await shop.alice.send(.patch, "/proposals/\(id)/status", #"{"status":"accepted"}"#)
            #expect(answer.status != .ok)
            #expect(try shop.count("deals") == 0 && shop.count("contracts") == 0)
            let new = #"{"title":"x","total_amount":3600,"status":"accepted"}"#
            #expect(try await shop.alice.send(.post, "/proposals", new).status != .created)
            #expect(try shop.count("deals") == 0 && shop.count("proposals") == 1)
        }
    }

    @Test func `a bad field is refused by name, and nothing is stored`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/proposals", Self.new)
            let theirs = try await shop.bob.make("/customers", #"{"company_name":"Theirs"}"#)
            let theirContact = try await shop.bob.make("/contacts", #"{"last_name":"T"}"#)
            let theirTemplate = try await shop.bob.make("/proposal-templates", #"{"name":"T"}"#)
            let rest = #""title":"x""#
            var table = BadField.all("title", .requiredText) + BadField.all("total_amount", .number, with: rest)
            table += BadField.all("valid_until", .date, with: rest) + BadField.all("status", .word, with: rest)
            table += ["terms", "notes", "description"].flatMap { BadField.all($0, .text, with: rest) }
            for (field, theirID) in [
                ("customer_id", theirs), ("contact_id", theirContact), ("template_id", theirTemplate),
            ] {
                table += BadField.all(field, .foreign(theirID), with: rest)
            }
            table.append(
                BadField(field: "status", body: #"{"title":"x","status":"sent","line_items":[{"description":"y"}]}"#)
            )
            for bad in table {
                try await shop.alice.expectRefusal(of: bad.field, .post, "/proposals", bad.body)
                try await shop.alice.expectRefusal(of: bad.field, .put, "/proposals/\(id)", bad.body)
            }
            for bad in BadField.all("status", .word) {
                try await shop.alice.expectRefusal(of: "status", .patch, "/proposals/\(id)/status", bad.body)
            }
            #expect(try shop.count("proposals") == 1 && shop.count("deals") == 0)
            for (method, path, body) in [
                (SwiftletHTTP.Method.get, "", ""), (.put, "", Self.new), (.patch, "/status", #"{"status":"sent"}"#),
                (.post, "/send", ""),
            ] {
                #expect(try await shop.bob.send(method, "/proposals/\(id)\(path)", body).status == .notFound)
            }
            _ = try await shop.bob.send(.delete, "/proposals/\(id)")
            #expect(try shop.count("proposals WHERE status = 'draft'") == 1)
        }
    }

    @Test func `is printed for the customer, without what is internal`() async throws {
        try await Shop.with { shop in
            let customer = try await shop.alice.make("/customers", #"{"company_name":"Žižkov & Co"}"#)
            let lines = (1...300).map { #"{"description":"Line \#($0)","quantity":2,"unit_price":1.5}"# }
            let body = """
                {"title":"Fleet of printers","customer_id":"\(customer)","notes":"our margin","terms":"Net 30",\
                "line_items":[\(lines.joined(separator: ","))]}
                """
            let id = try await shop.alice.make("/proposals", body)
            let response = try await shop.alice.send(.get, "/proposals/\(id)/pdf")
            #expect(response.status == .ok)
            #expect(response.headers[.contentType] == "application/pdf")
            #expect(response.headers[.contentDisposition]?.hasSuffix(".pdf\"") == true)
            let text = try await PDFText.of(response.body)
            for part in ["Fleet of printers", "Žižkov & Co", "Line 1 ", "Line 300", "900.00", "Net 30", "Page 1 of "] {
                #expect(text.contains(part), "\(part)")
            }
            #expect(!text.contains("our margin"))
            #expect(try await shop.alice.send(.get, "/proposals/\(id)/export/pdf").status == .ok)
            #expect(try await shop.bob.send(.get, "/proposals/\(id)/pdf").status == .notFound)
            #expect(try await shop.alice.send(.get, "/proposals/\(id)/png").status == .notFound)
        }
    }
}
