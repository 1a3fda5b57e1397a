public import Swiftlet

/// Companies of every kind: leads, prospects, customers and former customers.
public let businessRecords = Function("business-records") {
    recordResource.routes(.list, .get, .update)
    recordActivities.routes(.list, .create, at: "/:id/activities")
}

/// By its id, a company is found whatever it has become: an app may still know a customer as the lead that it was.
let recordResource = Resource("business_records", scope: .tenant) { recordRules() }

/// What was done with one company.
let recordActivities = Resource("business_record_activities", scope: .tenant) {
    ChildOf(recordResource, by: "business_record_id")
    Alias("business_record_id", as: "lead_id")
    activityRules()
}

@ResourceBuilder
func recordRules() -> [ResourceRule] {
    Filter("status")
    Filter("record_type")
    Filter("owner_id")
    Filter("assigned_to", on: "assigned_sales_rep")
    Filter("source")
    Filter("industry")
    Search("company_name", "primary_contact_name", "primary_contact_email", "customer_number")
    Alias("estimated_deal_value", as: "estimated_amount")
    Alias("billing_zip_code", as: "billing_postal_code")
    Alias("billing_address_1", as: "billing_address_line1")
    Enumerated("record_type", recordType)
    Required("company_name")
    ReadOnly("customer_since", "converted_by")
    Before(.create, .update, run: becomeCustomer)
}

let recordType = Enumeration(
    "lead",
    "prospect",
    "customer",
    "former_customer",
    synonyms: [
        "new": "lead", "opportunity": "prospect", "client": "customer", "active_customer": "customer",
        "former": "former_customer", "churned": "former_customer", "inactive_customer": "former_customer",
    ]
)

/// A company that becomes a customer is active from now on, and its activities tell who has won it. One that is a
/// customer already stays as it is.
private func becomeCustomer(_ change: inout Change, _ record: JSONObject, _ context: Context) async throws {
    guard change["record_type"] == "customer" else { return }
    let isNew = change.action == .create
    guard isNew || recordType.word(forStored: record["record_type"]?.string) != "customer" else { return }
    if !change.contains("status") { change["status"] = "active" }
    if !change.contains("is_active") { change["is_active"] = true }
    change.setNow("customer_since")
    guard !isNew, let id = record["id"]?.string else { return }
    change["converted_by"] = .string(try context.user.id)
    let note: JSONObject = [
        "activity_type": "lead_converted", "subject": record["company_name"] ?? "Converted to a customer",
    ]
    try await recordActivities.create(note, in: context, parentKey: id)
}
