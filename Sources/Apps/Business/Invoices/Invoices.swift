public import Swiftlet

/// What customers owe, line by line.
public let invoices = Function("invoices") {
    Resource("invoices", scope: .tenant) { invoiceRules() }.routes(.list)
    invoiceResource.routes(.get, .create, .update)
}

/// One invoice, with its lines and its customer.
private let invoiceResource = Resource("invoices", scope: .tenant) {
    invoiceRules()
    Lines(
        "line_items",
        "lineItems",
        in: "invoice_line_items",
        by: "invoice_id",
        .sum(of: "amount", in: "subtotal_amount"),
        .sum(of: "amount", in: "total_amount"),
        .sum(of: "amount", in: "balance_due")
    ) {
        ReadOnly("amount", "line_total")
        pricedLine("amount", "line_total", decimals: 4)
    }
    Joined("customer", from: "business_records", object: "id", "company_name", by: "customer_id")
}

@ResourceBuilder
private func invoiceRules() -> [ResourceRule] {
    Filter("status", on: "invoice_status")
    Filter("customer_id")
    Filter("contract_id")
    RangeFilter("due", on: "due_date")
    Search("invoice_number", "po_number")
    // The builds of the app read one or the other of two columns; what they get is one of them under both names.
    Hidden("status")
    Alias("invoice_status", as: "status")
    Alias("subtotal_amount", as: "subtotal")
    Alias("balance_due", as: "amount_due")
    Alias("invoice_date", as: "issue_date")
    Alias("invoice_notes", as: "notes")
    Joined("customer_name", from: "business_records", column: "company_name", by: "customer_id")
    Counted("line_item_count", in: "invoice_line_items", by: "invoice_id")
    Enumerated("invoice_status", invoiceStatus)
    Shown(
        "overdue",
        in: "invoice_status",
        where: """
            lower(t.invoice_status::text) IN ('open', 'sent', 'viewed', 'partially_paid')
            AND t.due_date < date_trunc('day', now() AT TIME ZONE 'UTC')
            """,
        needs: "due_date"
    )
    Numbered("invoice_number", "")
    DefaultNow("invoice_date")
    ReadOnly("balance_due", "paid_date", "sent_date", "issued_at")
    Before(.create, .update, run: settle)
}

let invoiceStatus = Enumeration(
    "draft",
    "open",
    "sent",
    "viewed",
    "partially_paid",
    "paid",
    "overdue",
    "cancelled",
    "void",
    synonyms: ["canceled": "cancelled", "voided": "void", "partial": "partially_paid", "unpaid": "open"]
)
