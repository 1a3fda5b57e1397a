import Swiftlet
import SwiftletDocuments

/// The proposal as it is sent to the customer. Internal notes are not in it.
func proposalPDF(_ request: Request, _ context: Context) async throws -> Response {
    let id = context.parameters["id"]
    let proposal = try await proposalResource.get(id, in: context).object()
    let tenants = try? await context.database.query("SELECT name FROM tenants WHERE id::text = \(context.tenant)::text")
    let sender = try tenants?.first?.decode(String?.self, "name") ?? context.tenant.rawValue
    let document = document(of: proposal, from: sender)
    let bytes: [UInt8]
    do {
        bytes = try await context.offload { try document.pdf() }
    } catch PrintingError.tooLong {
        throw APIError(.unprocessableContent, "DOCUMENT_TOO_LONG", "The proposal has too much text to be printed")
    }
    var response = Response(body: bytes)
    response.headers[.contentType] = "application/pdf"
    let name = proposal["proposal_number"]?.string?.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    response.headers[.contentDisposition] = "inline; filename=\"proposal-\(name ?? id).pdf\""
    return response
}

private func document(of proposal: JSONObject, from sender: String) -> PrintedDocument {
    func text(_ key: String) -> String? { proposal[key]?.string.flatMap { $0.isEmpty ? nil : $0 } }
    var document = PrintedDocument(title: text("title") ?? "Proposal", sender: sender)
    let contact = [text("contact_name"), text("contact_email")].compactMap(\.self).joined(separator: ", ")
    let fields = [
        ("Proposal", text("proposal_number")), ("From", sender), ("To", text("customer_name")),
        ("Attention", contact.isEmpty ? nil : contact), ("Date", text("created_at").map { String($0.prefix(10)) }),
        ("Valid until", text("valid_until").map { String($0.prefix(10)) }),
    ]
    document.add(.fields(fields.compactMap { name, value in value.map { (name, $0) } }))
    for key in ["executive_summary", "description"] {
        if let text = text(key) { document.add(.paragraph(text)) }
    }
    document.add(.table(lines(of: proposal)))
    if let terms = text("terms") {
        document.add(.heading("Terms"))
        document.add(.paragraph(terms))
    }
    return document
}

private func lines(of proposal: JSONObject) -> PrintedTable {
    func amount(_ value: JSONValue?) -> String { Cents(value).map(\.text) ?? "" }
    let rows = (proposal["line_items"]?.array ?? []).map { line in
        [
            line["description"]?.string ?? "", line["quantity"]?.number?.text ?? "", amount(line["unit_price"]),
            amount(line["total_price"]),
        ]
    }
    var totals = [("Discount", "discount_amount"), ("Tax", "tax_amount")].compactMap { name, key in
        Cents(proposal[key]).flatMap { $0 == Cents(0) ? nil : [name, "", "", $0.text] }
    }
    totals.append(["Total", "", "", amount(proposal["total_amount"])])
    return PrintedTable(
        columns: [
            .init("Description", width: 5), .init("Quantity", width: 2, isNumber: true),
            .init("Price", width: 2.5, isNumber: true), .init("Amount", width: 3, isNumber: true),
        ],
        rows: rows,
        totals: totals
    )
}
