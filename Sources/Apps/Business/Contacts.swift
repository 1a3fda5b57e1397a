public import Swiftlet

/// People at companies. Who starts out (level 1) sees and changes their own only.
public let contacts = Function("contacts") {
    resource.routes()
}

private let resource = Resource("company_contacts", scope: .tenant) {
    Filter("company_id")
    Filter("owner_id")
    Filter("status", on: "lead_status")
    Filter("role", on: "contact_roles")
    FilterByCaller("my", on: "owner_id")
    FilterByView("view", on: "owner_id")
    Search("first_name", "last_name", "email", "phone")
    Alias("mobile", as: "mobile_phone")
    Alias("contact_roles", as: "role")
    Alias("mailing_address", as: "address_line1")
    Alias("mailing_city", as: "city")
    Alias("mailing_state", as: "state")
    Alias("mailing_zip", as: "postal_code")
    Computed(
        "contact_name",
        "nullif(btrim(concat_ws(' ', t.first_name, t.last_name)), '')",
        needs: "first_name",
        "last_name"
    )
    Joined("company_name", from: "business_records", column: "company_name", by: "company_id")
    Input("contact_name")
    Default("owner_id") { .string(try $0.user.id) }
    OwnRowsOnly(below: 2, on: "owner_id")
    Before(.create, .update, run: splitName)
}

/// The app knows one name: its first word is the first name, the rest is the last one. A single word is the last name,
/// which some databases demand.
private func splitName(_ change: inout Change, _ context: Context) throws {
    guard let name = change["contact_name"] else { return }
    guard name != .null else { return }
    guard let name = name.string, !name.utf8.contains(0) else {
        throw change.refusal(of: "contact_name", "must be text")
    }
    guard change["last_name"]?.string == nil else { return }
    let words = name.split(whereSeparator: \.isWhitespace)
    guard let last = words.last else { throw change.refusal(of: "contact_name", "must not be empty") }
    guard change["first_name"]?.string == nil else {
        change["last_name"] = .string(words.dropFirst(words.count > 1 ? 1 : 0).joined(separator: " "))
        return
    }
    change["first_name"] = words.count > 1 ? .string(String(words[0])) : .null
    change["last_name"] = .string(words.count > 1 ? words.dropFirst().joined(separator: " ") : String(last))
}
