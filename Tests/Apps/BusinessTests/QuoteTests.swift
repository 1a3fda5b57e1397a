import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@Suite(.needsDatabase, .hangLimit)
struct QuoteTests {
    struct AppQuote: Decodable {
        enum Status: String, Decodable { case draft, sent, accepted, rejected, expired }
        struct Line: Decodable {
            let id: String
            let quoteId: String?
            let description: String?
            let quantity: Int?
            let unitPrice: Double?
            let totalPrice: Double?
            let createdAt: Date?
        }
        let id: String
        let quoteNumber: String?
        let title: String?
        let status: Status?
        let totalAmount: Double?
        let validUntil: Date?
        let sentDate: Date?
        let acceptedDate: Date?
        let createdBy: String?
        let lineItems: [Line]?
    }

    private static let new = """
        {"title":"Printers","notes":"n","line_items":[{"description":"A3","quantity":2,"unit_price":1200.005},\
        {"description":"Toner","quantity":10,"unit_price":49.9},{"description":"Discount","quantity":1,"unit_price":-50}]}
        """

    @Test func `what a web client leaves empty gets the database's default`() async throws {
        try await Shop.with { shop in
            let quote = try await shop.alice.json(
                .post,
                "/quotes",
                #"{"title":"q","total_amount":null,"valid_until":null}"#
            )
            #expect(quote["total_amount"]?.double == 0)
            #expect(quote["valid_until"]?.string?.hasSuffix("Z") == true)
            for path in ["/customers", "/leads"] {
                let record = try await shop.alice.json(.post, path, #"{"company_name":"C","source":null}"#)
                #expect(record["source"] == "website", "\(path)")
            }
        }
    }

    @Test func `a quote amounts to what its lines do`() async throws {
        try await Shop.with { shop in
            let row = try await shop.alice.json(.post, "/api/quotes", Self.new)
            #expect(row["line_items"] == row["lineItems"])
            #expect(row["line_items"]?.array?.count == 3)
            let id = row["id"]?.string ?? ""
            #expect(row["total_amount"]?.double == 2849.02)
            #expect(row["created_by"] == "alice")
            let lines = row["line_items"]?.array ?? []
            #expect(lines.map { $0["description"] } == ["A3", "Toner", "Discount"])
            #expect(lines.map { $0["total_price"]?.double } == [2400.02, 499, -50])
            #expect(try await shop.alice.json(.get, "/quotes/\(id)")["line_items"] == row["line_items"])
            #expect(try await shop.alice.json(.get, "/quotes")["data"]?[0]?["line_items"] == row["line_items"])
            #expect(
                try await shop.alice.json(.put, "/quotes/\(id)", #"{"terms":"t"}"#)["total_amount"]?.double == 2849.02
            )
            let fewer = #"{"lineItems":[{"description":"One","unit_price":7}]}"#
            let changed = try await shop.alice.json(.put, "/quotes/\(id)", fewer)
            #expect(changed["total_amount"]?.double == 7)
            #expect(changed["line_items"]?[0]?["quantity"] == 1)
            #expect(try shop.count("quote_line_items") == 1)
            let none = try await shop.alice.json(.put, "/quotes/\(id)", #"{"line_items":[]}"#)
            #expect(none["total_amount"]?.double == 0)
            #expect(none["line_items"] == [])
            let plain = try await shop.alice.json(
                .post,
                "/quotes",
                #"{"title":"x","total_amount":12.5,"line_items":[]}"#
            )
            #expect(plain["total_amount"]?.double == 12.5)
        }
    }

    @Test func `the app decodes a quote, and its dates are stamped once`() async throws {
        try await Shop.with { shop in
            let made: AppQuote = try await shop.alice.decode(.post, "/quotes", Self.new, is: .created)
            #expect(made.status == .draft)
            #expect(made.validUntil != nil)
            #expect(made.quoteNumber?.hasPrefix("Q-") == true)
            #expect(made.lineItems?.first?.unitPrice == 1200.01)
            #expect(made.lineItems?.first?.createdAt != nil)
            let viewed: AppQuote = try await shop.alice.decode(.put, "/quotes/\(made.id)", #"{"status":"viewed"}"#)
            #expect(viewed.status == .sent)
            #expect(viewed.sentDate != nil)
            #expect(viewed.acceptedDate == nil)
            let accepted: AppQuote = try await shop.alice.decode(.put, "/quotes/\(made.id)", #"{"status":"accepted"}"#)
            #expect(accepted.acceptedDate != nil)
            #expect(accepted.sentDate == viewed.sentDate)
            let page: AppPage<AppQuote> = try await shop.alice.decode(.get, "/quotes?status=accepted&page=1&limit=25")
            #expect(page.total == 1)
        }
    }

    @Test func `two who replace the lines at once leave the lines of one, and their total`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/quotes", Self.new)
            try await withThrowingTaskGroup(of: Status.self) { group in
                for price in 1...8 {
                    let line = #"{"description":"l","quantity":2,"unit_price":\#(price)}"#
                    group.addTask {
                        try await shop.alice.send(.put, "/quotes/\(id)", #"{"line_items":[\#(line),\#(line)]}"#).status
                    }
                }
                for try await status in group { #expect(status == .ok) }
            }
            let row = try await shop.alice.json(.get, "/quotes/\(id)")
            let lines = row["line_items"]?.array ?? []
            #expect(lines.count == 2 && lines[0]["unit_price"] == lines[1]["unit_price"])
            #expect(row["total_amount"]?.double == lines.reduce(0) { $0 + ($1["total_price"]?.double ?? 0) })
        }
    }

    @Test func `a bad field is refused by name, and nothing is stored`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/quotes", Self.new)
            let theirs = try await shop.bob.make("/customers", #"{"company_name":"Theirs"}"#)
            let rest = #""title":"x""#
            var table = BadField.all("title", .requiredText) + BadField.all("total_amount", .number, with: rest)
            table += BadField.all("valid_until", .date, with: rest) + BadField.all("status", .word, with: rest)
            table += ["terms", "notes"].flatMap { BadField.all($0, .text, with: rest) }
            table += ["customer_id", "lead_id"].flatMap { BadField.all($0, .foreign(theirs), with: rest) }
            for lines in ["7", #""x""#, "{}", "true"] {
                table.append(BadField(field: "line_items", body: #"{"title":"x","line_items":\#(lines)}"#))
            }
            table.append(BadField(field: "line_items[0]", body: #"{"title":"x","line_items":[7]}"#))
            let line = #""description":"x""#
            let bad = BadField.all("description", .requiredText) + BadField.all("quantity", .integer, with: line)
            for bad in bad + BadField.all("unit_price", .number, with: line) {
                let body = #"{"title":"x","lineItems":[{"description":"y"},\#(bad.body)]}"#
                table.append(BadField(field: "lineItems[1].\(bad.field)", body: body))
            }
            for bad in table {
                try await shop.alice.expectRefusal(of: bad.field, .post, "/quotes", bad.body)
                try await shop.alice.expectRefusal(of: bad.field, .put, "/quotes/\(id)", bad.body)
            }
            #expect(try shop.count("quotes") == 1)
            #expect(try await shop.alice.json(.get, "/quotes/\(id)")["total_amount"]?.double == 2849.02)
            #expect(try shop.count("quote_line_items") == 3)
        }
    }

    @Test func `another tenant's quote cannot be reached`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/quotes", Self.new)
            #expect(try await shop.bob.send(.get, "/quotes/\(id)").status == .notFound)
            #expect(try await shop.bob.send(.put, "/quotes/\(id)", Self.new).status == .notFound)
            _ = try await shop.bob.send(.delete, "/quotes/\(id)")
            #expect(try await shop.bob.json(.get, "/quotes")["total"] == 0)
            #expect(try shop.count("quote_line_items WHERE tenant_id = 'tenant-a'") == 3)
            _ = try await shop.alice.make("/proposal-templates", #"{"name":"Standard","content":"Dear…"}"#)
            #expect(try await shop.alice.json(.get, "/proposal-templates")["total"] == 1)
            #expect(try await shop.bob.json(.get, "/proposal-templates")["total"] == 0)
        }
    }

    @Test func `a database without lines serves quotes, and names what it leaves out`() async throws {
        try await Shop.with { shop in
            try shop.server.execute("DROP TABLE quote_line_items")
            try await shop.server.database.reloadSchema()
            let answer = try await shop.alice.send(.post, "/quotes", Self.new)
            #expect(answer.status == .created)
            #expect(answer.headers["X-Ignored-Fields"]?.contains("line_items") == true)
        }
    }
}
