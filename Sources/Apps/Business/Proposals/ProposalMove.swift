import Swiftlet

/// Stamps each step of a proposal. One that is sent has a deal; one that is accepted has won it, and has a contract.
///
/// The proposal is locked meanwhile: of two who accept it at once, the second finds what the first has made.
func moveProposal(_ change: inout Change, _ proposal: JSONObject, _ context: Context) async throws {
    let current = change.action == .create ? nil : offerStatus.word(forStored: proposal["status"]?.string)
    if change["is_viewed"] == true {
        change.setNow("last_opened_at")
        change["open_count"] = JSONValue((proposal["open_count"]?.int ?? 0) + 1)
        if proposal["viewed_at"] ?? .null == .null { change.setNow("viewed_at") }
    }
    let isOut = current == "sent" || current == "accepted"
    if change["is_viewed"] == true && current == "draft" || change["is_sent"] == true && !isOut {
        change["status"] = "sent"
    }
    guard let status = change["status"]?.string, status != current else { return }
    switch status {
    case "sent": change.setNow("sent_at")
    case "accepted": change.setNow("accepted_at")
    case "rejected": change.setNow("rejected_at")
    default: break
    }
    guard status == "sent" || status == "accepted" else { return }
    // The total is known when the lines are stored, which is after this.
    guard change["line_items"] == nil else { throw change.refusal(of: "status", "cannot change together with lines") }
    let offer = Offer(change, proposal)
    change["deal_id"] = .string(try await offer.deal(isWon: status == "accepted", context))
    if status == "accepted", proposal["contract_id"] ?? .null == .null {
        change["contract_id"] = .string(try await offer.contract(context))
    }
}

/// What a proposal will say once it has changed.
private struct Offer {
    private let values: (String) -> JSONValue
    private var title: JSONValue { values("title") }
    private var customer: JSONValue { values("business_record_id") }
    private var total: Cents { Cents(values("total_amount")) ?? Cents(0) }

    init(_ change: Change, _ proposal: JSONObject) {
        values = { change[$0] ?? proposal[$0] ?? .null }
    }

    /// The proposal's deal, made if there is none, where it stands now.
    func deal(isWon: Bool, _ context: Context) async throws -> String {
        let moved: JSONObject = ["stage": isWon ? "closed_won" : "proposal", "amount": total.amount]
        if let id = values("deal_id").string {
            return try await dealResource.update(id, moved, in: context).key
        }
        var deal = moved
        deal["title"] = title.string.map { .string(String($0.prefix(200))) }
        deal["customer_id"] = customer
        return try await dealResource.create(deal, in: context).key
    }

    /// Three years from today, whose months together are worth what the proposal is.
    func contract(_ context: Context) async throws -> String {
        let dates = try await context.database.query(
            """
            SELECT date_trunc('day', now() AT TIME ZONE 'UTC') AS starts,
                   date_trunc('day', now() AT TIME ZONE 'UTC') + interval '36 months - 1 day' AS ends
            WHERE \(context.tenant) <> ''
            """
        )
        let contract: JSONObject = [
            "title": title, "customer_id": customer, "start_date": try dates.first?.json("starts") ?? .null,
            "end_date": try dates.first?.json("ends") ?? .null, "monthly_amount": (total / 36).amount,
            "total_value": total.amount,
        ]
        return try await contractResource.create(contract, in: context).key
    }
}
