import Swiftlet

/// Keeps what an invoice amounts to, what was paid and what is due in step, and both columns of its status.
///
/// The invoice is locked meanwhile. With lines, the amounts start without them: each line adds its own.
func settle(_ change: inout Change, _ invoice: JSONObject, _ context: Context) throws {
    let current = change.action == .create ? nil : invoiceStatus.word(forStored: invoice["invoice_status"]?.string)
    if change.action == .create, change["invoice_status"] == nil { change["invoice_status"] = "open" }
    let status = change["invoice_status"]?.string
    if let status { change["status"] = .string(status) }
    if status == "sent", current != "sent" { change.setNow("sent_date") }
    let isPaidNow = status == "paid" && current != "paid"
    let hasLines = change["line_items"]?.array.map { !$0.isEmpty || change.action == .update } ?? false
    if isPaidNow, hasLines { throw change.refusal(of: "invoice_status", "cannot become paid while lines change") }
    let isPaid = (status ?? current) == "paid"
    if isPaid, hasLines { throw change.refusal(of: "line_items", "cannot change once they are paid") }
    func amount(_ column: String) -> Cents? {
        let value = change.contains(column) ? change[column] : invoice[column]
        return value ?? .null == .null ? Cents(0) : Cents(value)
    }
    // What is no amount is refused by its column.
    guard let tax = amount("tax_amount"), let discount = amount("discount_amount"), var paid = amount("amount_paid"),
        var total = amount("total_amount")
    else { return }
    if hasLines {
        change["subtotal_amount"] = 0
        total = tax - discount
    } else if let subtotal = amount("subtotal_amount"), !change.contains("total_amount") {
        if ["tax_amount", "discount_amount", "subtotal_amount"].contains(where: change.contains) {
            total = subtotal + tax - discount
        }
    } else if !change.contains("subtotal_amount") {
        change["subtotal_amount"] = (total - tax + discount).amount
    }
    if isPaid { paid = total }
    if isPaidNow {
        change.setNow("paid_date")
    } else if current == "paid", let status, status != "paid" {
        if !change.contains("amount_paid") { paid = Cents(0) }
        change["paid_date"] = .null
    }
    let isTouched = isPaidNow || change.action == .create || hasLines || paid != Cents(invoice["amount_paid"])
    guard isTouched || total != Cents(invoice["total_amount"]) else { return }
    change["total_amount"] = total.amount
    change["amount_paid"] = paid.amount
    change["balance_due"] = (total - paid).amount
}
