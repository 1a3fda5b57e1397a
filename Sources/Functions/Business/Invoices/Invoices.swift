public import Swiftlet

/// What customers owe, line by line.
public let invoices = Function("invoices") {
    Resource("invoices", scope: .tenant) { invoiceRules() }.routes(.list)
    invoiceResource.routes(.get, .create, .update)
}

/// One invoice, with its lines and its customer.
private let invoiceResource = Resource("invoices", scope: .tenant) {
    invoiceRules()
    lines(
        "line_items",
        "lineItems",
        in: "invoice_line_items",
        by: "invoice_id",
        .sum(of: "amount", in: "subtotal_amount"),
        .sum(of: "amount", in: "total_amount"),
        .sum(of: "amount", in: "balance_due")
    ) {
        readOnly("amount", "line_total")
        pricedLine("amount", "line_total", decimals: 4)
    }
    joined("customer", from: "business_records", object: "id", "company_name", by: "customer_id")
}

@ListBuilder<ResourceRule>
private func invoiceRules() -> [ResourceRule] {
    filter("status", on: "invoice_status")
    filter("customer_id")
    filter("contract_id")
    range("due", on: "due_date")
    search("invoice_number", "po_number")
    // The builds of the app read one or the other of two columns; what they get is one of them under both names.
    hidden("status")
    alias("invoice_status", as: "status")
    alias("subtotal_amount", as: "subtotal")
    alias("balance_due", as: "amount_due")
    alias("invoice_date", as: "issue_date")
    alias("invoice_notes", as: "notes")
    joined("customer_name", from: "business_records", column: "company_name", by: "customer_id")
    counted("line_item_count", in: "invoice_line_items", by: "invoice_id")
    enumeration("invoice_status", invoiceStatus)
    shown(
        "overdue",
        in: "invoice_status",
        where: """
            lower(t.invoice_status::text) IN ('open', 'sent', 'viewed', 'partially_paid')
            AND t.due_date < date_trunc('day', now() AT TIME ZONE 'UTC')
            """,
        needs: "due_date"
    )
    numbered("invoice_number", "")
    defaultNow("invoice_date")
    readOnly("balance_due", "paid_date", "sent_date", "issued_at")
    before(.create, .update, run: settle)
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
