import SwiftletJSON

/// A second factor of an account: a row of `auth.mfa_factors` without what is secret in it.
struct Factor: Sendable {
    let id: String
    private let row: JSONObject

    /// nil for JSON that is not a row of this table.
    init?(_ value: JSONValue) {
        guard let row = value.object, let id = row["id"]?.string else { return nil }
        self.id = id
        self.row = row
    }

    /// `totp`, `phone` or `webauthn`.
    var type: String { row["factor_type"]?.string ?? "" }
    /// Of a phone, as ``PhoneNumber`` has it; empty for others.
    var phone: String { row["phone"]?.string ?? "" }
    var name: String { row["friendly_name"]?.string ?? "" }
    /// Whether it was used at least once, so that its owner has it for sure.
    var isVerified: Bool { row["status"]?.string == "verified" }

    /// The factor object of `/auth/v1`, with GoTrue's order of members.
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("id", id)
            json.member("created_at", Account.time(row["created_at"]?.string ?? ""))
            json.member("updated_at", Account.time(row["updated_at"]?.string ?? ""))
            json.member("status", row["status"]?.string ?? "")
            if !name.isEmpty { json.member("friendly_name", name) }
            json.member("factor_type", type)
            json.member("phone", phone)
            json.member(
                "last_challenged_at",
                row["last_challenged_at"]?.string.map { .string(Account.time($0)) } ?? .null
            )
        }
    }
}
