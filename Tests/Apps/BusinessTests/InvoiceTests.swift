import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@Suite(.needsDatabase, .hangLimit)
struct InvoiceTests {
    struct AppInvoice: Decodable {
        let id: String
        let invoiceNumber: String?
        let customerName: String?
        let invoiceStatus: String?
        let status: String?
        let subtotal: Double?
        let subtotalAmount: Double?
        let taxAmount: Double?
        let discountAmount: Double?
        let totalAmount: Double?
        let amountPaid: Double?
        let balanceDue: Double?
        let amountDue: Double?
        let issueDate: Date?
        let dueDate: Date?
        let paidDate: Date?
        let sentDate: Date?
        let lineItemCount: Int?
        let createdBy: String?
        let notes: String?
        let currency: String?
    }

    private static let new = """
        {"tax_amount":19.5,"line_items":[{"description":"Toner","quantity":3,"unit_price":10.1234},\
        {"description":"Visit","unit_price":100,"tax_rate":0.19}]}
        """

    @Test func `an invoice amounts to what its lines do`() async throws {
        try await Shop.with { shop in
            let customer = try await shop.alice.make("/customers", #"{"company_name":"Acme"}"#)
            let simple = #"{"customer_id":"\#(customer)","due_date":"2999-05-04T10:00:00Z","notes":"n"}"#
            let empty: AppInvoice = try await shop.alice.decode(.post, "/api/invoices", simple, is: .created)
            #expect(empty.status == "open")
            #expect(empty.invoiceStatus == "open")
            #expect(empty.customerName == "Acme")
            #expect(empty.totalAmount == 0)
            #expect(empty.amountDue == 0)
            #expect(empty.lineItemCount == 0)
            #expect(empty.notes == "n")
            #expect(
                empty.invoiceNumber?.hasPrefix("INV") == false && empty.issueDate != nil && empty.createdBy == "alice"
            )
            let made: AppInvoice = try await shop.alice.decode(.post, "/invoices", Self.new, is: .created)
            #expect(made.subtotal == 130.37)
            #expect(made.subtotalAmount == 130.37)
            #expect(made.totalAmount == 149.87)
            #expect(made.balanceDue == 149.87)
            #expect(made.amountDue == 149.87)
            #expect(made.lineItemCount == 2)
            let row = try await shop.alice.json(.get, "/invoices/\(made.id)")
            #expect(row["lineItems"] == row["line_items"])
            #expect(row["lineItems"]?[0]?["amount"]?.double == 30.37)
            #expect(row["lineItems"]?[0]?["line_total"]?.double == 30.37)
            #expect(try await shop.alice.json(.get, "/invoices/\(empty.id)")["customer"]?["company_name"] == "Acme")
            let taxed: AppInvoice = try await shop.alice.decode(
                .patch,
                "/invoices/\(made.id)",
                #"{"discount_amount":50}"#
            )
            #expect(taxed.totalAmount == 99.87)
            #expect(taxed.balanceDue == 99.87)
            let one = #"{"line_items":[{"description":"One","unit_price":7}]}"#
            let fewer: AppInvoice = try await shop.alice.decode(.patch, "/invoices/\(made.id)", one)
            #expect(fewer.subtotal == 7)
            #expect(fewer.totalAmount == -23.5)
            #expect(fewer.lineItemCount == 1)
            let given: AppInvoice = try await shop.alice.decode(
                .post,
                "/invoices",
                #"{"total_amount":119,"tax_amount":19,"amount_paid":20}"#,
                is: .created
            )
            #expect(given.subtotal == 100)
            #expect(given.balanceDue == 99)
            #expect(given.amountPaid == 20)
        }
    }

    @Test func `a paid invoice is paid in every column, once`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/invoices", Self.new)
            let sent: AppInvoice = try await shop.alice.decode(.patch, "/invoices/\(id)", #"{"status":"sent"}"#)
            #expect(sent.sentDate != nil)
            #expect(sent.invoiceStatus == "sent")
            #expect(sent.paidDate == nil)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        let paid: AppInvoice = try await shop.alice.decode(
                            .patch,
                            "/invoices/\(id)",
                            #"{"status":"paid"}"#
                        )
                        #expect(paid.status == "paid")
                        #expect(paid.invoiceStatus == "paid")
                        #expect(paid.paidDate != nil)
                        #expect(paid.amountPaid == 149.87)
                        #expect(paid.balanceDue == 0)
                        #expect(paid.amountDue == 0)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try shop.count("invoices WHERE status = 'paid' AND invoice_status = 'paid'") == 1)
            let first = try await shop.alice.json(.get, "/invoices/\(id)")["paid_date"]
            #expect(try await shop.alice.json(.patch, "/invoices/\(id)", #"{"notes":"x"}"#)["paid_date"] == first)
            let again: AppInvoice = try await shop.alice.decode(.patch, "/invoices/\(id)", #"{"status":"open"}"#)
            #expect(again.paidDate == nil)
            #expect(again.balanceDue == 149.87)
            #expect(again.amountPaid == 0)
            for (query, total) in [("status=open", 1), ("status=paid", 0), ("status=open,paid", 1), ("search=zzz", 0)] {
                let page: AppPage<AppInvoice> = try await shop.alice.decode(.get, "/invoices?\(query)")
                #expect(page.total == total, "\(query)")
            }
        }
    }

    @Test func `what is past its date and not paid is overdue`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make(
                "/invoices",
                #"{"due_date":"2020-01-01","total_amount":5,"status":"open"}"#
            )
            #expect(try await shop.alice.json(.get, "/today-dashboard")["overdue_invoices"] == 1)
            _ = try await shop.alice.json(.patch, "/invoices/\(id)", #"{"status":"paid"}"#)
            #expect(try await shop.alice.json(.get, "/today-dashboard")["overdue_invoices"] == 0)
            let number = try await shop.alice.json(.get, "/invoices/\(id)")["invoice_number"]?.string ?? ""
            let found = try await shop.alice.json(.get, "/search?q=\(number)")
            #expect(found["results"]?[0]?["type"] == "invoice")
            #expect(found["results"]?[0]?["subtitle"] == "paid")
        }
    }

    @Test func `a bad field is refused by name, and nothing is stored`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/invoices", Self.new)
            let theirs = try await shop.bob.make("/customers", #"{"company_name":"Theirs"}"#)
            let theirQuote = try await shop.bob.make("/quotes", #"{"title":"q"}"#)
            let theirContract = try await shop.bob.make("/contracts", #"{"title":"c"}"#)
            var table = BadField.all("due_date", .date) + BadField.all("status", .word)
            table += ["payment_terms", "notes", "invoice_number"].flatMap { BadField.all($0, .text) }
            table += ["tax_amount", "discount_amount", "total_amount", "amount_paid"].flatMap {
                BadField.all($0, .number)
            }
            table += BadField.all("customer_id", .foreign(theirs)) + BadField.all("quote_id", .foreign(theirQuote))
            table += BadField.all("contract_id", .foreign(theirContract))
            let rest = #""description":"x""#
            for bad in BadField.all("quantity", .integer, with: rest) + BadField.all("unit_price", .number, with: rest)
            {
                table.append(BadField(field: "line_items[0].\(bad.field)", body: #"{"line_items":[\#(bad.body)]}"#))
            }
            table.append(BadField(field: "status", body: #"{"status":"paid","line_items":[{"description":"x"}]}"#))
            for bad in table {
                try await shop.alice.expectRefusal(of: bad.field, .post, "/invoices", bad.body)
                try await shop.alice.expectRefusal(of: bad.field, .patch, "/invoices/\(id)", bad.body)
            }
            #expect(try shop.count("invoices") == 1)
            #expect(try shop.count("invoice_line_items") == 2)
            #expect(try await shop.alice.json(.get, "/invoices/\(id)")["total_amount"]?.double == 149.87)
            #expect(try await shop.bob.send(.get, "/invoices/\(id)").status == .notFound)
            #expect(try await shop.bob.send(.patch, "/invoices/\(id)", #"{"status":"paid"}"#).status == .notFound)
            #expect(try await shop.bob.json(.get, "/invoices")["total"] == 0)
            #expect(try await shop.alice.send(.get, "/invoices/\(id)/nothing").status == .notFound)
        }
    }
}
