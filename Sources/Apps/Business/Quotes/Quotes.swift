public import Swiftlet

/// What a lead or a customer is offered, line by line.
public let quotes = Function("quotes") {
    quoteResource.routes()
}

private let quoteResource = Resource("quotes", scope: .tenant) {
    Filter("status")
    Filter("customer_id")
    Filter("lead_id")
    Search("title", "quote_number")
    Enumerated("status", offerStatus)
    Required("title")
    Numbered("quote_number", "Q-")
    ReadOnly("sent_date", "accepted_date")
    Lines(
        "line_items",
        "lineItems",
        in: "quote_line_items",
        by: "quote_id",
        .sum(of: "total_price", in: "total_amount")
    ) {
        ReadOnly("total_price")
        pricedLine("total_price")
    }
    Before(.create, .update, run: startTotal)
    Before(.create, .update) { change, quote, _ in
        let current = quote["status"]?.string.map { offerStatus.word(forStored: $0) }
        guard let status = change["status"], status.string != current else { return }
        if status == "sent" { change.setNow("sent_date") }
        if status == "accepted" { change.setNow("accepted_date") }
    }
}

let offerStatus = Enumeration(
    "draft",
    "sent",
    "accepted",
    "rejected",
    "expired",
    synonyms: ["viewed": "sent", "declined": "rejected"]
)

/// Apps that send no lines know the total only.
func startTotal(_ change: inout Change, _ context: Context) {
    guard let lines = change["line_items"] else { return }
    if lines.array?.isEmpty == false || !change.contains("total_amount") { change["total_amount"] = 0 }
}
