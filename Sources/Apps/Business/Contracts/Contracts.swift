public import Swiftlet

/// What customers pay for month by month, and until when.
public let contracts = Function("contracts") {
    contractResource.routes()
}

let contractResource = Resource("contracts", scope: .tenant) {
    contractRules()
    ReadOnly("renewed_from_id")
}

@ResourceBuilder
func contractRules() -> [ResourceRule] {
    Filter("status")
    Filter("customer_id")
    Filter("type")
    RangeFilter("end", on: "end_date")
    Search("contract_number", "title")
    Alias("monthly_base", as: "monthly_amount")
    Joined("customer_name", from: "business_records", column: "company_name", by: "customer_id")
    Counted("equipment_count", in: "equipment", by: "contract_id")
    Computed("annual_value", "t.monthly_base * 12", needs: "monthly_base")
    Enumerated("status", contractStatus)
    Shown(
        "expired",
        in: "status",
        where: """
            lower(t.status::text) IN ('active', 'expiring')
            AND t.end_date < date_trunc('day', now() AT TIME ZONE 'UTC')
            """,
        needs: "end_date"
    )
    Required("title")
    Numbered("contract_number", "C-")
    DefaultNow("start_date")
    Before(.create, .update, run: completeContract)
}

let contractStatus = Enumeration(
    "active",
    "draft",
    "expiring",
    "expired",
    "renewed",
    "cancelled",
    "churned",
    synonyms: ["canceled": "cancelled", "pending": "draft", "terminated": "cancelled"]
)

/// A year is twelve months unless the app says what it is worth, and a contract without an end lasts one.
private func completeContract(_ change: inout Change, _ contract: JSONObject, _ context: Context) async throws {
    if let month = Cents(change["monthly_base"]), !change.contains("annual_value"), let year = month * 12 {
        change["annual_value"] = year.amount
    }
    if change.action == .create, change["end_date"] ?? .null == .null {
        change["end_date"] = try await yearLater(change["start_date"]?.string, context)
    }
    let dates = ["start_date", "end_date"].map { (change[$0] ?? contract[$0])?.string?.prefix(10) }
    if let start = dates[0], let end = dates[1], end < start {
        throw change.refusal(of: "end_date", "must not be before start_date")
    }
}

/// The last day of the year that begins on `start`, by default today; nil for what is no date, which its column refuses.
private func yearLater(_ start: String?, _ context: Context) async throws -> JSONValue? {
    let rows = try? await context.database.query(
        """
        SELECT coalesce(\(start)::timestamp, now() AT TIME ZONE 'UTC') + interval '1 year - 1 day' AS date
        WHERE \(context.tenant) <> ''
        """
    )
    return try rows?.first?.json("date")
}
