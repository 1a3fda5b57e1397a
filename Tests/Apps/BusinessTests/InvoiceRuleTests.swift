import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@Suite(.needsDatabase, .hangLimit)
struct InvoiceRuleTests {
    /// As the newest app decodes it; older ones know `status`, `subtotal` and `amount_due` only.
    struct AppInvoice: Decodable {
        struct Line: Decodable {
            let id: String
            let description: String?
            let quantity: Double?
            let unitPrice: Double?
            let amount: Double?
            let taxRate: Double?
        }
        struct Customer: Decodable {
            let id: String
            let companyName: String?
        }
        let id: String
        let invoiceNumber: String?
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
        let createdAt: Date?
        let updatedAt: Date?
        let customerId: String?
        let customerName: String?
        let billingEmail: String?
        let paymentTerms: String?
        let currency: String?
        let notes: String?
        let contractId: String?
        let quoteId: String?
        let lineItemCount: Int?
        let createdBy: String?
        let tenantId: String?
        let lineItems: [Line]?
        let customer: Customer?
    }

    private static let lines = """
        {"notes":"n","tax_amount":8,"discount_amount":1.5,"line_items":[\
        {"description":"Pages","quantity":12345,"unit_price":0.0085,"tax_rate":0.19},{"description":"Toner","unit_price":49.9}]}
        """

    @Test func `the app creates an invoice and reads it in both spellings`() async throws {
        try await Shop.with { shop in
            let customer = try await shop.alice.make("/customers", #"{"company_name":"Acme"}"#)
            let body =
                #"{"customer_id":"\#(customer)","due_date":"2030-05-04T10:00:00Z","payment_terms":"net30","notes":"n"}"#
            let made: AppInvoice = try await shop.alice.decode(.post, "/api/invoices", body, is: .created)
            #expect(made.status == "open")
            #expect(made.customerName == "Acme")
            #expect(made.customer?.id == customer)
            #expect(made.notes == "n")
            #expect(made.paymentTerms == "net30")
            #expect(made.createdBy == "alice")
            #expect(made.totalAmount == 0)
            #expect(made.lineItems?.isEmpty == true)
            #expect(made.lineItemCount == 0)
            #expect(made.invoiceNumber?.isEmpty == false)
            #expect(made.invoiceNumber?.hasPrefix("INV-") == false)
            #expect(made.issueDate != nil)
            #expect(made.dueDate != nil)
            #expect(made.paidDate == nil)
            #expect(made.currency == "USD")
            let row = try await shop.alice.json(.patch, "/invoices/\(made.id)", #"{"subtotal":10,"status":"sent"}"#)
            for (one, other) in [
                ("status", "invoice_status"), ("subtotal", "subtotal_amount"), ("balance_due", "amount_due"),
                ("invoice_date", "issue_date"), ("notes", "invoice_notes"), ("line_items", "lineItems"),
            ] {
                #expect(row[one] == row[other], "\(one)")
                #expect(row[one] != nil, "\(one)")
                #expect(row[one] != .null, "\(one)")
            }
            #expect(row["status"] == "sent")
            #expect(row["balance_due"]?.number?.text == "10.00")
            #expect(row["sent_date"] != .null)
            let empty: AppInvoice = try await shop.alice.decode(.post, "/invoices", "{}", is: .created)
            #expect(empty.customerName == nil)
            #expect(empty.customer == nil)
            #expect(empty.invoiceNumber != made.invoiceNumber)
            let page: AppPage<AppInvoice> = try await shop.alice.decode(.get, "/invoices?page=1&limit=25")
            #expect(page.total == 2)
            #expect(page.limit == 25)
            #expect(page.hasMore == false)
        }
    }

    @Test func `lines, tax and discount make the total`() async throws {
        try await Shop.with { shop in
            let made: AppInvoice = try await shop.alice.decode(.post, "/invoices", Self.lines, is: .created)
            #expect(made.lineItems?.map(\.amount) == [104.93, 49.9])
            #expect(made.lineItems?.first?.unitPrice == 0.0085)
            #expect(made.subtotal == 154.83)
            #expect(made.totalAmount == 161.33)
            #expect(made.amountDue == 161.33)
            #expect(made.lineItemCount == 2)
            #expect(made.lineItems?.first?.taxRate == 0.19)
            let target = "/invoices/\(made.id)"
            for (body, subtotal, total) in [
                (#"{"discount_amount":0}"#, 154.83, 162.83), (#"{"notes":"x"}"#, 154.83, 162.83),
                (#"{"subtotal":100}"#, 100, 108), (#"{"total_amount":50}"#, 42, 50),
                (#"{"lineItems":[{"description":"a","quantity":3,"unitPrice":1.005}]}"#, 3.02, 11.02),
                (#"{"line_items":[]}"#, 0, 8), (#"{"subtotal_amount":1.005,"tax_amount":null}"#, 1.01, 1.01),
            ] {
                let row = try await shop.alice.json(.patch, target, body)
                #expect(row["subtotal"]?.double == subtotal, "\(body)")
                #expect(row["total_amount"]?.double == total, "\(body)")
                #expect(row["balance_due"]?.double == total, "\(body)")
                #expect(row["line_item_count"]?.int == row["line_items"]?.array?.count, "\(body)")
            }
            #expect(try shop.count("invoice_line_items") == 0)
            let sum = try await shop.alice.json(.post, "/invoices", #"{"total_amount":119,"tax_amount":19}"#)
            #expect(sum["subtotal"]?.double == 100)
            #expect(sum["total_amount"]?.double == 119)
        }
    }

    @Test func `marking an invoice paid pays all of it, once`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/invoices", Self.lines)
            let part = try await shop.alice.json(
                .patch,
                "/invoices/\(id)",
                #"{"amount_paid":61.33,"status":"partial"}"#
            )
            #expect(part["amount_due"]?.double == 100)
            #expect(part["status"] == "partially_paid")
            let paid: AppInvoice = try await shop.alice.decode(.patch, "/invoices/\(id)", #"{"status":"paid"}"#)
            #expect(paid.status == "paid")
            #expect(paid.invoiceStatus == "paid")
            #expect(paid.paidDate != nil)
            #expect(paid.amountPaid == 161.33)
            #expect(paid.balanceDue == 0)
            #expect(try shop.count("invoices WHERE status = 'paid' AND invoice_status = 'paid'") == 1)
            try shop.server.execute("UPDATE invoices SET paid_date = '2020-01-01'")
            let again = try await shop.alice.json(.patch, "/invoices/\(id)", #"{"status":"PAID"}"#)
            #expect(again["paid_date"] == "2020-01-01T00:00:00Z")
            let cheaper = try await shop.alice.json(
                .patch,
                "/invoices/\(id)",
                #"{"discount_amount":11.5,"amount_paid":0}"#
            )
            #expect(cheaper["amount_paid"]?.double == 151.33)
            #expect(cheaper["balance_due"]?.double == 0)
            let lines = #"{"line_items":[{"description":"x","unit_price":1}]}"#
            try await shop.alice.expectRefusal(of: "line_items", .patch, "/invoices/\(id)", lines)
            let open = try await shop.alice.json(.patch, "/invoices/\(id)", #"{"invoiceStatus":"open"}"#)
            #expect(open["paid_date"] == .null)
            #expect(open["amount_paid"]?.double == 0)
            #expect(open["balance_due"]?.double == 151.33)
            #expect(try await shop.alice.json(.patch, "/invoices/\(id)", lines)["subtotal"]?.double == 1)
        }
    }

    @Test func `an invoice that many mark paid and add up at once is paid to the cent`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/invoices", Self.lines)
            try await withThrowingTaskGroup(of: Status.self) { group in
                for price in 1...4 {
                    let line = #"{"description":"l","quantity":2,"unit_price":\#(price)}"#
                    for body in [#"{"status":"paid"}"#, #"{"line_items":[\#(line)]}"#] {
                        group.addTask { try await shop.alice.send(.patch, "/invoices/\(id)", body).status }
                    }
                }
                for try await status in group { #expect([.ok, .badRequest].contains(status)) }
            }
            let row = try await shop.alice.json(.get, "/invoices/\(id)")
            #expect(row["status"] == "paid")
            #expect(row["balance_due"]?.double == 0)
            let sum = row["line_items"]?.array?.reduce(0) { $0 + ($1["amount"]?.double ?? 0) }
            #expect(row["subtotal"]?.double == sum)
            #expect(row["amount_paid"] == row["total_amount"])
        }
    }

    @Test func `what is overdue shows and is found as overdue`() async throws {
        try await Shop.with { shop in
            let yesterday = "date_trunc('day', now()) - interval '1 second'"
            try shop.server.execute(
                """
                INSERT INTO invoices (id, tenant_id, invoice_number, created_by, status, invoice_status, due_date) VALUES
                    ('late', 'tenant-a', '1', 'x', 'sent', 'sent', \(yesterday)),
                    ('today', 'tenant-a', '2', 'x', 'sent', 'sent', date_trunc('day', now())),
                    ('paid', 'tenant-a', '3', 'x', 'paid', 'paid', \(yesterday)),
                    ('draft', 'tenant-a', '4', 'x', 'draft', 'draft', \(yesterday)),
                    ('void', 'tenant-a', '5', 'x', 'void', 'void', \(yesterday)),
                    ('said', 'tenant-a', '6', 'x', 'overdue', 'Overdue', '2999-01-01'),
                    ('odd', 'tenant-a', '7', 'x', NULL, 'no such word', '2999-01-01'),
                    ('theirs', 'tenant-b', '8', 'x', 'sent', 'sent', \(yesterday));
                """
            )
            for (query, ids) in [
                ("status=overdue", ["late", "said"]), ("invoiceStatus=sent", ["today"]),
                ("status=paid", ["paid"]),
                ("status=sent,overdue", ["late", "said", "today"]), ("status=draft", ["draft"]),
                ("status=viewed", []),
                ("due_before=2999-01-01&status=sent&search=2", ["today"]), ("status=canceled", []),
            ] {
                let page: AppPage<AppInvoice> = try await shop.alice.decode(.get, "/invoices?\(query)")
                #expect(page.data.map(\.id).sorted() == ids, "\(query)")
                #expect(page.total == ids.count, "\(query)")
                if query == "status=overdue" { #expect(page.data.allSatisfy { $0.status == "overdue" }) }
            }
            #expect(try await shop.alice.send(.get, "/invoices?status=none").status == .badRequest)
            #expect(try await shop.alice.json(.get, "/invoices/odd")["status"] == "draft")
            #expect(try await shop.alice.json(.get, "/today-dashboard")["overdue_invoices"] == 2)
            #expect(try await shop.alice.json(.patch, "/invoices/late", #"{"notes":"n"}"#)["status"] == "overdue")
            #expect(try shop.count("invoices WHERE id = 'late' AND invoice_status = 'sent'") == 1)
        }
    }

    @Test func `invoices are filtered, paged and searched`() async throws {
        try await Shop.with { shop in
            let customer = try await shop.alice.make("/customers", #"{"company_name":"Acme"}"#)
            for number in 1...5 {
                let owner = number > 3 ? #","customer_id":"\#(customer)""# : ""
                _ = try await shop.alice.make(
                    "/invoices",
                    #"{"invoice_number":"N-\#(number)","status":"open"\#(owner)}"#
                )
            }
            var seen: [String] = []
            for page in 1...3 {
                let part: AppPage<AppInvoice> = try await shop.alice.decode(.get, "/invoices?page=\(page)&limit=2")
                #expect(part.total == 5)
                #expect(part.hasMore == (page < 3))
                seen += part.data.map(\.id)
            }
            #expect(Set(seen).count == 5)
            for (query, total) in [
                ("customerId=\(customer)", 2), ("search=n-4", 1), ("search=%25", 0), ("status=open", 5),
                ("status=open&customer_id=\(customer)", 2), ("customerId=none", 0),
            ] {
                #expect(try await shop.alice.json(.get, "/invoices?\(query)")["total"]?.int == total, "\(query)")
            }
            let found = try await shop.alice.json(.get, "/search?q=N-5")
            #expect(found["results"]?[0]?["type"] == "invoice")
            #expect(found["degraded"] == [])
            let taken = try await shop.alice.send(.post, "/invoices", #"{"invoice_number":"N-1"}"#)
            #expect(taken.status == .conflict)
            #expect(try await shop.bob.send(.post, "/invoices", #"{"invoice_number":"N-1"}"#).status == .created)
        }
    }

    @Test func `a bad field is refused by name, and nothing is stored`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/invoices", Self.lines)
            let before = try await shop.alice.json(.get, "/invoices/\(id)")
            let theirs = try await shop.bob.make("/customers", #"{"company_name":"Theirs"}"#)
            let contract = try await shop.bob.make("/contracts", #"{"title":"Theirs"}"#)
            let quote = try await shop.bob.make("/quotes", #"{"title":"Theirs"}"#)
            var table = ["status", "invoice_status"].flatMap { BadField.all($0, .word) }
            let numbers = [
                "subtotal", "subtotal_amount", "tax_amount", "discount_amount", "total_amount", "amount_paid",
            ]
            table += numbers.flatMap { BadField.all($0, .number) } + BadField.all("monthly_base", .number)
            table += numbers.map { BadField(field: $0, body: #"{"\#($0)":100000000}"#) }
            table += ["due_date", "issue_date", "billing_period_start"].flatMap { BadField.all($0, .date) }
            table += ["notes", "payment_terms", "po_number", "sales_rep", "invoice_number"].flatMap {
                BadField.all($0, .text)
            }
            table += BadField.all("black_copies_total", .integer)
            table += BadField.all("customer_id", .foreign(theirs)) + BadField.all("contract_id", .foreign(contract))
            table += BadField.all("quote_id", .foreign(quote))
            table.append(BadField(field: "invoice_number", body: #"{"invoice_number":null}"#))
            for lines in ["7", #""x""#, "{}", "true"] {
                table.append(BadField(field: "line_items", body: #"{"line_items":\#(lines)}"#))
            }
            table.append(BadField(field: "line_items[0]", body: #"{"line_items":[7]}"#))
            let line = #""description":"x""#
            let bad = BadField.all("description", .requiredText) + BadField.all("quantity", .integer, with: line)
            for bad in bad + ["unit_price", "tax_rate"].flatMap({ BadField.all($0, .number, with: line) }) {
                let body = #"{"lineItems":[{"description":"y"},\#(bad.body)]}"#
                table.append(BadField(field: "lineItems[1].\(bad.field)", body: body))
            }
            for bad in table {
                if bad.body != #"{"invoice_number":null}"# {
                    try await shop.alice.expectRefusal(of: bad.field, .post, "/invoices", bad.body)
                }
                try await shop.alice.expectRefusal(of: bad.field, .patch, "/invoices/\(id)", bad.body)
            }
            #expect(try shop.count("invoices") == 1)
            #expect(try shop.count("invoice_line_items") == 2)
            #expect(try await shop.alice.json(.get, "/invoices/\(id)") == before)
            let own = #"{"tenant_id":"tenant-b","created_by":"eve","balance_due":1,"line_item_count":9}"#
            let made = try await shop.alice.json(.post, "/invoices", own)
            #expect(made["tenant_id"] == "tenant-a")
            #expect(made["created_by"] == "alice")
            #expect(made["line_item_count"] == 0)
        }
    }

    @Test func `another tenant's invoice cannot be reached, and there is nothing below one`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/invoices", Self.lines)
            #expect(try await shop.bob.send(.get, "/invoices/\(id)").status == .notFound)
            for body in [#"{"status":"paid"}"#, Self.lines] {
                #expect(try await shop.bob.send(.patch, "/invoices/\(id)", body).status == .notFound)
            }
            #expect(try await shop.bob.json(.get, "/invoices")["total"] == 0)
            #expect(try shop.count("invoices WHERE status = 'open'") == 1)
            #expect(try shop.count("invoice_line_items WHERE tenant_id = 'tenant-a'") == 2)
            for path in ["\(id)/pay", "\(id)/line_items", "stats/all"] {
                #expect(try await shop.alice.send(.get, "/invoices/\(path)").status == .notFound, "\(path)")
                #expect(try await shop.alice.send(.post, "/invoices/\(path)", "{}").status == .notFound, "\(path)")
            }
            #expect(try await shop.alice.send(.get, "/invoices/stats").status == .notFound)
        }
    }

    @Test func `a drifted table answers with what it has`() async throws {
        try await Shop.with { shop in
            try shop.server.execute(
                """
                DROP TABLE invoices CASCADE;
                CREATE TABLE invoices (
                    id uuid PRIMARY KEY DEFAULT gen_random_uuid(), tenant_id varchar NOT NULL, customer_id varchar,
                    invoice_number varchar NOT NULL, invoice_date timestamp NOT NULL, due_date timestamp,
                    total_amount numeric(10, 2) NOT NULL, invoice_status varchar DEFAULT 'open',
                    status varchar DEFAULT 'draft', created_by varchar NOT NULL, created_at timestamp DEFAULT now()
                );
                INSERT INTO invoices (tenant_id, invoice_number, invoice_date, total_amount, created_by)
                VALUES ('tenant-a', '1', now(), 70, 'x');
                """
            )
            try await shop.server.database.reloadSchema()
            let page: AppPage<AppInvoice> = try await shop.alice.decode(.get, "/invoices?status=open")
            #expect(page.data.first?.status == "open")
            #expect(page.data.first?.totalAmount == 70)
            let id = page.data.first?.id ?? ""
            let paid: AppInvoice = try await shop.alice.decode(.patch, "/invoices/\(id)", #"{"status":"paid"}"#)
            #expect(paid.status == "paid")
            #expect(paid.totalAmount == 70)
            #expect(try shop.count("invoices WHERE status = 'paid'") == 1)
            let made = try await shop.alice.send(.post, "/invoices", #"{"total_amount":7,"notes":"n","line_items":[]}"#)
            #expect(made.status == .created)
            #expect(made.headers["X-Ignored-Fields"]?.contains("notes") == true)
        }
    }
}
