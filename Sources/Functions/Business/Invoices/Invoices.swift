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
    computed(
        "customer",
        from: "business_records",
        "jsonb_build_object('id', o.id, 'company_name', o.company_name)",
        where: "o.id = t.customer_id",
        needs: "customer_id"
    )
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
    computed("line_item_count", from: "invoice_line_items", "count(*)", where: "o.invoice_id = t.id")
    enumeration("invoice_status", invoiceStatus)
    numbered("invoice_number", "")
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
